//! Specification statements and definitions.

use crate::{statements, tree};
use expect_test::expect;

#[test]
fn type_declarations_take_all_spellings() {
    expect![[r#"
        declare integer
          entity i
          entity j(3)
          entity k(0:n *)
        declare (integer 8) parameter
          entity m = 3
          entity l = (+ m 1)
        declare (integer *2)
          entity h
        declare (real *8)
          entity x
          entity y(10)
        declare (real (apply selected_real_kind 15))
          entity z
        declare (complex 4)
          entity c
        declare (complex *16)
          entity d
        declare double-complex
          entity e
        declare double-precision
          entity f
        declare (logical 1)
          entity g
        declare (integer *1)
          entity b
        declare character
          entity c1
          entity c2 len=5
          entity c3(3) len=10
        declare (character 12)
          entity arg
        declare (character *)
          entity any
        declare (character 8)
          entity old
        declare (character *) intent(in)
          entity s
        declare (character :) allocatable
          entity t
        declare (character 5 kind=1)
          entity u
        declare (character n kind=1)
          entity v
        declare (character 10)
          entity w
        declare (type ray)
          entity r = (apply ray 1.0)
          entity rs(:)
        declare (class *) pointer
          entity p => (apply null)
        declare (class ray)
          entity q
        declare (type *)
          entity anything(..)
        declare (integer 4)
          entity odd
        declare real dimension(10 (- 1):n) save target
          entity aa
          entity bb(3)
        declare real allocatable dimension(: :)
          entity dd
        declare integer intent(inout) optional
          entity io
        declare integer intent(out) value volatile asynchronous contiguous protected public private
          entity many
        declare real external
          entity fun
        declare real intrinsic
          entity sin
        declare integer bind='c_var'
          entity cv
    "#]]
    .assert_eq(&statements(
        "integer i, j(3), k(0:n, *)
integer(kind=8), parameter :: m = 3, l = m + 1
integer*2 :: h
real*8 x, y(10)
real(selected_real_kind(15)) z
complex(4) c
complex*16 d
double complex e
double precision f
logical(1) g
byte b
character c1, c2*5, c3(3)*10
character*12 arg
character*(*) any
character*8, old
character(len=*), intent(in) :: s
character(len=:), allocatable :: t
character(5, kind=1) :: u
character(kind=1, len=n) :: v
character(10) w
type(ray) :: r = ray(1.0), rs(:)
class(*), pointer :: p => null()
class(ray) :: q
type(*) :: anything(..)
type(integer(4)) :: odd
real, dimension(10, -1:n), save, target :: aa, bb(3)
real, allocatable, dimension(:,:) :: dd
integer, intent(in out), optional :: io
integer, intent(out), value, volatile, asynchronous, contiguous, protected, public, private :: many
real, external :: fun
real, intrinsic :: sin
integer, bind(c, name='c_var') :: cv
",
    ));
}

#[test]
fn attribute_statements_are_declarations_of_their_own() {
    expect![[r#"
        implicit-none
        implicit (real *8) a-h o-z
        implicit integer i-i
        implicit double-precision d-d
        implicit (character 8) c-c
        implicit-none (type external)
        attribute dimension()
          entity a(10)
          entity b(3 4)
        attribute allocatable
          entity c(:)
          entity d
        attribute pointer
          entity e(:)
        attribute target
          entity f
        attribute save
        attribute save
          entity g
          entity /blk/
        parameter n 3
        parameter m (* n 2)
        bare parameter k 4
        attribute external
          entity sub1
          entity sub2
        attribute intrinsic
          entity sin
        attribute intent(in)
          entity x
        attribute optional
          entity y
        attribute public
        attribute private
          entity z
          entity operator(+)
          entity assignment(=)
          entity operator(.dot.)
        attribute value
          entity v
        attribute volatile
          entity w
        attribute contiguous
          entity cc
        attribute bind='x'
          entity /blk/
        common _
          entity a1
          entity b1(3)
        common blk
          entity c1
          entity d1
        common _
          entity e1
        common one
          entity x1
        common two
          entity y1
        equivalence a (apply b 1)
        equivalence c (apply d 2) e
        namelist nml (a b)
        namelist other (c)
        data (a b) (1 (repeat 2 3.0))
        data (c) ((- 1) (+ 2) .true. 'x' (complex 1.0 2.0) z'ff' (apply null) (apply t 1 2) (repeat n 0))
        data ((array (do i 1 3 _ (apply d i))) (array (do j 1 2 _ (do i 1 2 _ (apply e i j))))) ((repeat 7 0))
        procedure real
          entity f1
        procedure (type iface) pointer
          entity fp => (apply null)
        procedure _ optional
          entity f2
    "#]]
    .assert_eq(&statements(
        "implicit none
implicit real*8 (a-h, o-z), integer (i)
implicit double precision(d), character*8(c)
implicit none (type, external)
dimension a(10), b(3, 4)
allocatable :: c(:), d
pointer e(:)
target f
save
save :: g, /blk/
parameter (n = 3, m = n*2)
parameter k = 4
external sub1, sub2
intrinsic :: sin
intent(in) x
optional y
public
private :: z, operator(+), assignment(=), operator(.dot.)
value v
volatile w
contiguous cc
bind(c, name='x') :: /blk/
common a1, b1(3) /blk/ c1, d1, // e1
common /one/ x1, /two/ y1
equivalence (a, b(1)), (c, d(2), e)
namelist /nml/ a, b /other/ c
data a, b / 1, 2*3.0 /, c / -1, +2, .true., 'x', (1.0, 2.0), z'ff', null(), t(1, 2), n*0 /
data (d(i), i = 1, 3), ((e(i, j), i = 1, 2), j = 1, 2) / 7*0 /
procedure(real) :: f1
procedure(iface), pointer :: fp => null()
procedure(), optional :: f2
",
    ));
}

#[test]
fn use_statements_rename_and_restrict() {
    let text = "
program p
  use cudafor
  use, intrinsic :: iso_c_binding, only: c_int, c_ptr
  use, non_intrinsic :: mine
  use :: other, a => b, operator(.x.) => operator(.y.)
  use third, only:
  use fourth, only: assignment(=), operator(+), read(formatted), q => r
end program
";
    expect![[r#"
        program p ()
          use cudafor
          use iso_c_binding intrinsic only c_int c_ptr
          use mine non_intrinsic
          use other a=>b operator(.x.)=>operator(.y.)
          use third only
          use fourth only assignment(=) operator(+) read(formatted) q=>r
    "#]]
    .assert_eq(&tree(text));
}

#[test]
fn derived_types_hold_components_and_bindings() {
    let text = "
module m
  type point
    sequence
    private
    real :: x = 0.0, y(3)
    real, device, allocatable :: d(:)
    type(point), pointer :: next => null()
    procedure(iface), pointer, nopass :: f => null()
  end type point
  type, abstract, extends(point), private :: shape
    integer end
  contains
    private
    procedure :: area
    procedure, public, pass(self) :: draw => draw_shape, fill
    procedure(iface), deferred, nopass :: scale
    procedure, non_overridable :: other
    generic :: operator(+) => area, draw
    generic, public :: assignment(=) => fill
    final :: destroy, forget
  end type
  type, bind(c) :: c_thing
    integer(c_int) :: n
  end type c_thing
  type empty
  end type
end module
";
    expect![[r#"
        module m
          type point sequence
            private
            field real
              entity x = 0.0
              entity y(3)
            field real device allocatable
              entity d(:)
            field (type point) pointer
              entity next => (apply null)
            procedure (type iface) pointer nopass (f=>null)
          type shape extends=point abstract private
            field integer
              entity end
            private
            procedure _ (area)
            procedure _ public pass(self) (draw=>draw_shape fill)
            procedure (type iface) deferred nopass (scale)
            procedure _ non_overridable (other)
            generic operator(+) (area draw)
            generic assignment(=) (fill)
            final (destroy forget)
          type c_thing bind
            field (integer c_int)
              entity n
          type empty
    "#]]
    .assert_eq(&tree(text));
}

#[test]
fn enumerations_interfaces_and_imports_are_definitions() {
    let text = "
module m
  enum, bind(c)
    enumerator :: red = 1, green, blue = 4
    enumerator yellow
  end enum
  interface
    subroutine s(a) bind(c, name='c_s')
      import :: point, other
      real, device :: a(*)
    end subroutine
    integer function f()
      import
    end function f
  end interface
  abstract interface
    function iface(x) result(y)
      real x, y
    end function
  end interface
  interface swap
    module procedure :: swap_real, swap_int
    module procedure swap_more
    procedure swap_last
  end interface swap
  interface operator(*)
    module procedure times
  end interface operator(*)
  interface operator(.eq.)
    module procedure equal
  end interface operator(==)
  interface assignment(=)
    module procedure assign
  end interface assignment(=)
  interface write(formatted)
    procedure show
  end interface
end module
";
    expect![[r#"
        module m
          enum
            enumerator red 1
            enumerator green _
            enumerator blue 4
            enumerator yellow _
          interface _
            subroutine s (a) bind='c_s'
              import (point other)
              declare real device
                entity a(*)
            function f ()
              prefix integer
              import ()
          interface abstract
            function iface (x) result=y
              declare real
                entity x
                entity y
          interface generic=swap
            procedures (swap_real swap_int)
            procedures (swap_more)
            procedures (swap_last)
          interface generic=operator(*)
            procedures (times)
          interface generic=operator(.eq.)
            procedures (equal)
          interface generic=assignment(=)
            procedures (assign)
          interface generic=write(formatted)
            procedures (show)
    "#]]
    .assert_eq(&tree(text));
}

#[test]
fn units_of_all_kinds_are_known() {
    let text = "
block data init
  common /c/ x
  data x / 1 /
end block data init
blockdata
end
submodule (parent) child
contains
  module procedure one
    x = 1
  end procedure one
  module subroutine two(a)
  end subroutine
end submodule child
submodule (parent:child) grandchild
end submodule
elemental impure real function f(x, y) result(z) bind(c)
  z = x
  entry g(x) result(w)
  w = x
end function f
recursive subroutine s(a, *, *)
  return 1
  contains
    subroutine inner
    end subroutine inner
    double precision function inside()
    end function
end subroutine s
function bare
end function
print *, 'main program without a name'
end
";
    expect![[r#"
        block-data init
          common c
            entity x
          data (x) (1)
        block-data _
        module child ancestor=parent
          module-procedure one ()
            assign x 1
          subroutine two (a)
            prefix module
        module grandchild ancestor=parent parent=child
        function f (x y) result=z bind=_
          prefix elemental
          prefix impure
          prefix real
          assign z x
          entry g (x) result=w
          assign w x
        subroutine s (a * *)
          prefix recursive
          return 1
          contains
            subroutine inner ()
            function inside ()
              prefix double-precision
        function bare ()
        program main ()
          print (fmt=*) 'main program without a name'
    "#]]
    .assert_eq(&tree(text));
}

#[test]
fn statement_functions_are_told_from_array_elements() {
    let text = "
subroutine s(a, d)
  real f, g, x, a(10)
  dimension b(3)
  real, pointer :: p
  f(x) = x*x + 1
  g() = 3
  integer after
  a(i) = 1
  f(y) = 2
end subroutine
subroutine t
  use m
  real h
  b(i) = 1
end subroutine
subroutine u
  real h, c(3), q
  dimension q(4)
  q(i) = 1
end subroutine
";
    expect![[r#"
        subroutine s (a d)
          declare real
            entity f
            entity g
            entity x
            entity a(10)
          attribute dimension()
            entity b(3)
          declare real pointer
            entity p
          statement-function f (x) (+ (* x x) 1)
          statement-function g () 3
          declare integer
            entity after
          assign (apply a i) 1
          assign (apply f y) 2
        subroutine t ()
          use m
          declare real
            entity h
          assign (apply b i) 1
        subroutine u ()
          declare real
            entity h
            entity c(3)
            entity q
          attribute dimension()
            entity q(4)
          assign (apply q i) 1
    "#]]
    .assert_eq(&tree(text));
}
