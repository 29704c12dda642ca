//! Generic names, operators and assignment.

use crate::support::{check_with, dump, errors};
use expect_test::expect;

#[test]
fn specific_procedure_is_chosen_by_type_kind_rank_and_space() {
    expect![[r#"
        module m
        host program p
          real(4) h(3) [static]
          real(4) d(3) [static] device
          real(4) g(3) [static] managed
          real(8) r [static]
          logical(4) l(2) [static]
          call m.fill_i4(1)
          call m.fill_r8(r)
          call m.fill_array(h)
          call m.fill_device(d)
          call m.fill_device(g)
          call m.fill_any(l)
        host subroutine m.fill_i4(x)
          integer(4) x [dummy 0]
        host subroutine m.fill_r8(x)
          real(8) x [dummy 0]
        host subroutine m.fill_array(x)
          real(4) x(:) [dummy 0]
        host subroutine m.fill_device(x)
          real(4) x(:) [dummy 0] device
        host subroutine m.fill_any(x) elemental pure
          logical(4) x [dummy 0] intent(inout)
    "#]]
    .assert_eq(&dump(
        "module m
  interface fill
    module procedure fill_i4, fill_r8, fill_array, fill_device, fill_any
  end interface
contains
  subroutine fill_i4(x)
    integer :: x
  end subroutine
  subroutine fill_r8(x)
    real(8) :: x
  end subroutine
  subroutine fill_array(x)
    real :: x(:)
  end subroutine
  subroutine fill_device(x)
    real, device :: x(:)
  end subroutine
  elemental subroutine fill_any(x)
    logical, intent(inout) :: x
  end subroutine
end module
program p
  use m
  real :: h(3)
  real, device :: d(3)
  real, managed :: g(3)
  real(8) :: r
  logical :: l(2)
  call fill(1)
  call fill(r)
  call fill(h)
  call fill(d)
  call fill(g)
  call fill(l)
end program
",
    ));
}

#[test]
fn generic_without_a_fitting_procedure_lists_them() {
    let text = "module m
  interface fill
    procedure fill_i4, fill_device
  end interface
contains
  subroutine fill_i4(x)
    integer :: x
  end subroutine
  subroutine fill_device(x)
    real, device :: x(:)
  end subroutine
end module
program p
  use m
  real :: h(3)
  call fill(h)
  call fill('x')
end program
";
    expect![[r#"
        16:3 E0408 no specific procedure of `fill` takes (real(4), rank 1)
        17:3 E0408 no specific procedure of `fill` takes (character(len=1))
    "#]]
    .assert_eq(&errors(text));
}

#[test]
fn allocatables_are_managed_data_by_option() {
    let text = "module m
contains
  attributes(global) subroutine k(a)
    real :: a(*)
  end subroutine
end module
program p
  use m
  real, allocatable :: h(:)
  real :: f(3)
  allocate(h(3))
  call k<<<1, 1>>>(h)
end program
";
    expect![[r#"
        12:20 E0528 argument `a` must be `device` data, and host data is given
            declare `h` with `device`, or copy it to device data first and pass that
    "#]]
    .assert_eq(&errors(text));
    expect![[""]].assert_eq(&check_with(text, |o| o.managed = true).short);
}

#[test]
fn defined_operators_and_assignment_become_calls() {
    expect![[r#"
        module m
        type v bytes=4 align=4
          real(4) :: x @0
        host program p
          type(v) a [static]
          type(v) b [static]
          real(4) r [static]
          call m.from_real(a, 2.0_4)
          b = m.add(a, v(3.0_4))
          r = m.dot(a, b)
          a = b
          a = m.make(1, 2)
        host function m.add(a, b) result(add)
          type(v) a [dummy 0] intent(in)
          type(v) b [dummy 1] intent(in)
          type(v) add [result]
          add = v((a%x + b%x))
        host function m.dot(a, b) result(dot)
          type(v) a [dummy 0] intent(in)
          type(v) b [dummy 1] intent(in)
          real(4) dot [result]
          dot = (a%x * b%x)
        host subroutine m.from_real(a, r)
          type(v) a [dummy 0] intent(out)
          real(4) r [dummy 1] intent(in)
          a%x = r
        host function m.make(n, k) result(make)
          integer(4) n [dummy 0] intent(in)
          integer(4) k [dummy 1] intent(in)
          type(v) make [result]
          make%x = real(4)<(n + k)>
    "#]]
    .assert_eq(&dump(
        "module m
  type v
    real :: x
  end type
  interface operator(+)
    module procedure add
  end interface
  interface operator(.dot.)
    module procedure dot
  end interface
  interface assignment(=)
    module procedure from_real
  end interface
  interface v
    module procedure make
  end interface
contains
  type(v) function add(a, b)
    type(v), intent(in) :: a, b
    add = v(a%x + b%x)
  end function
  real function dot(a, b)
    type(v), intent(in) :: a, b
    dot = a%x * b%x
  end function
  subroutine from_real(a, r)
    type(v), intent(out) :: a
    real, intent(in) :: r
    a%x = r
  end subroutine
  type(v) function make(n, k)
    integer, intent(in) :: n, k
    make%x = n + k
  end function
end module
program p
  use m
  type(v) :: a, b
  real :: r
  a = 2.0
  b = a + v(3.0)
  r = a .dot. b
  a = b
  a = v(1, 2)
end program
",
    ));
}

#[test]
fn operations_that_nothing_defines_are_refused() {
    expect![[r#"
        12:3 E0533 `add_reals` defines `operator(+)` for operands that intrinsic ones are defined for
            use a derived type or device data, or an operator of your own such as `.add.`
        27:7 E0322 `+` is not defined for `type(v)` and `type(v)`
            define it with `interface operator(+)`
        28:7 E0227 nothing defines the operator `.foo.`
        29:7 W0336 `.and.` of two integers
            write `iand(…)` for bits, or compare with zero
        30:7 W0336 `.not.` of `integer(4)`
            write `not(…)` for bits, or compare with zero
        31:7 E0322 `+` is not defined for `integer(4)` and `logical(4)`
        32:7 E0322 `+` is not defined for `character(len=4)` and `character(len=1)`
        33:7 W0305 `==` of two logical values
            write `.eqv.`
        34:7 E0322 `<` is not defined for `complex(4)` and `complex(4)`
        35:7 E0322 `-` is not defined for `character(len=4)`
        36:7 E0322 `//` is not defined for `character(len=4)` and `integer(4)`
    "#]]
    .assert_eq(&errors(
        "module m
  type v
    real :: x
  end type
  interface operator(+)
    module procedure add_reals
  end interface
  interface operator(*)
    module procedure mul_device
  end interface
contains
  real function add_reals(a, b)
    real, intent(in) :: a, b
    add_reals = a - b
  end function
  real function mul_device(a, b)
    real, device, intent(in) :: a(:), b(:)
    mul_device = 1
  end function
end module
program p
  use m
  type(v) :: a
  logical :: l
  integer :: n
  character(4) :: c
  a = a + a
  n = n .foo. n
  n = n .and. 3
  l = .not. n
  l = n + l
  c = c + 'x'
  l = l == l
  l = (1.0, 2.0) < (2.0, 3.0)
  n = -c
  c = c // 3
end program
",
    ));
}

#[test]
fn generic_may_share_its_name_with_an_intrinsic_or_a_procedure() {
    expect![[r#"
        module m
        host program p
          integer(4) n [static]
          n = (((m.sum_text("abc") + 3) + m.compact(1)) + m.compact_real(2.0_4))
        host function m.sum_text(c) result(sum_text)
          character(*) c [dummy 0] intent(in)
          integer(4) sum_text [result]
          sum_text = len(c)
        host function m.compact(n) result(compact)
          integer(4) n [dummy 0] intent(in)
          integer(4) compact [result]
          compact = n
        host function m.compact_real(x) result(compact_real)
          real(4) x [dummy 0] intent(in)
          integer(4) compact_real [result]
          compact_real = integer(4)<x>
    "#]]
    .assert_eq(&dump(
        "module m
  interface sum
    module procedure sum_text
  end interface
  interface compact
    module procedure compact, compact_real
  end interface
contains
  integer function sum_text(c)
    character(*), intent(in) :: c
    sum_text = len(c)
  end function
  integer function compact(n)
    integer, intent(in) :: n
    compact = n
  end function
  integer function compact_real(x)
    real, intent(in) :: x
    compact_real = int(x)
  end function
end module
program p
  use m
  integer :: n
  n = sum('abc') + sum([1, 2]) + compact(1) + compact(2.0)
end program
",
    ));
}
