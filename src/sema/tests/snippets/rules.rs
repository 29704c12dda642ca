//! Rules of the language that need a case of their own.

use crate::support::errors;
use expect_test::expect;

#[test]
fn scoping_rules_are_checked() {
    expect![[r#"
        5:24 E0211 `z` stands for two names of module `a`
        6:3 E0224 letters `q-p` run backwards
        6:18 E0111 letters of IMPLICIT must be in order
        9:5 E0217 `public` and `private` belong to the specification part of a module
        11:17 E0318 a bound or length refers to `n`, a local variable, which has no value on entry
            use an argument, a named constant, or make the object allocatable
        12:18 E0222 `d` cannot be in `equivalence`: it is an argument, allocatable or a pointer
        20:11 E0318 bounds of `auto` are not constant
            make it allocatable, or make the bounds named constants
        21:16 E0331 loop index `c` must be an integer
        22:3 E0201 there is no array or function `sf` here
            declare it, or give the file that defines it
        22:11 W0901 function `sf`, which no given file defines, is not supported
            give the file that defines it, in Fortran or C, or its library
        23:7 W0901 function `sf`, which no given file defines, is not supported
            give the file that defines it, in Fortran or C, or its library
    "#]]
    .assert_eq(&errors(
        "module a
  integer :: x, y
end module
module b
  use a, only: z => x, z => y
  implicit real (q-p)
contains
  subroutine s(d)
    private
    common /blk/ d, v
    dimension v(n)
    equivalence (d, w)
  end subroutine
  function f(r) result(r)
    integer :: r
  end function
end module
program p
  integer :: m
  real :: auto(m)
  print *, (i, c = 1, 3)
  sf(x) = sf(x) + 1
  y = sf(2.0)
end program
",
    ));
}

#[test]
fn declarations_that_wait_for_each_other_without_end_are_refused() {
    let mut text = "program p\n".to_owned();
    for i in 0..300 {
        text += &format!("  integer, parameter :: a{i} = a{} + 1\n", i + 1);
    }
    text += "  integer, parameter :: a300 = 1\nend program\n";
    expect![[r#"
        201:25 E0104 more than 200 declarations depend on each other
            declare names before the declarations that use them
    "#]]
    .assert_eq(&errors(&text));
}

#[test]
fn polymorphic_declarations_are_checked() {
    expect![[r#"
        8:3 E0325 there are no objects of the abstract type `a`
            use a type that extends it
        9:3 E0325 `class(t)` is for dummy arguments, allocatable variables and pointers
            write `type(t)`
    "#]]
    .assert_eq(&errors(
        "module m
  type, abstract :: a
    integer :: n
  end type
  type t
    integer :: n
  end type
  type(a) :: x
  class(t) :: y
end module
",
    ));
}

#[test]
fn procedures_are_told_apart_and_pure_ones_stay_pure() {
    expect![[r#"
        12:3 E0409 `g1` and `g2` of generic `g` take the same arguments
        23:5 W0329 pure procedure calls `g1`, which is not pure
            declare it `pure`, or remove `pure` from the caller
        31:14 E0414 arguments of an elemental reference have ranks 1 and 2
    "#]]
    .assert_eq(&errors(
        "module m
  interface g
    module procedure g1, g2
  end interface
  interface h
    module procedure h1, h2
  end interface
contains
  subroutine g1(x)
    real :: x
  end subroutine
  subroutine g2(y)
    real :: y
  end subroutine
  subroutine h1(x)
    real :: x
  end subroutine
  attributes(device) subroutine h2(x)
    real :: x
  end subroutine
  pure subroutine p(x)
    real, intent(inout) :: x
    call g1(x)
  end subroutine
  elemental real function e(a, b)
    real, intent(in) :: a, b
    e = a + b
  end function
  subroutine s(a, b)
    real :: a(3), b(3, 3)
    b = e(a, b)
  end subroutine
end module
",
    ));
}

#[test]
fn milder_rules_of_cuda_fortran_are_checked() {
    expect![[r#"
        4:23 W0514 named constant `c` cannot be `managed` data
            named constants can be used in device code as they are
        8:5 W0520 pointer assignment in device code, which not every compiler takes
            associate pointers in host code
        9:5 E0526 cooperative kernel `coop` is launched from device code
            launch it from host code
        13:25 W0531 section may have gaps in its first dimension, and `x` is an assumed-shape argument
        21:14 W0529 argument `x` is host data, and `device` data is given: without an interface its address is passed as it is
    "#]]
    .assert_eq(&errors(
        "module m
  real, device, pointer :: p(:)
  real, device, target :: t(10)
  integer, parameter, managed :: c = 3
contains
  attributes(grid_global) subroutine coop(x)
    real :: x(:)
    p => t
    call coop<<<1, 1>>>(x)
  end subroutine
  subroutine s(n)
    integer :: n
    call coop<<<1, 1>>>(t(1:10:n))
  end subroutine
end module
subroutine plain(x)
  real :: x(10)
end subroutine
program q
  real, device :: d(10)
  call plain(d)
end program
",
    ));
}

#[test]
fn what_has_no_fixed_place_cannot_be_in_common() {
    expect![[r#"
        3:16 E0221 `d` is a dummy argument and cannot be in `common`
        7:18 E0221 `a` is allocatable and cannot be in `common`
    "#]]
    .assert_eq(&errors(
        "subroutine s(d)
  real :: d
  common /blk/ d
end subroutine
subroutine t
  real, allocatable :: a(:)
  common /other/ a
end subroutine
",
    ));
}
