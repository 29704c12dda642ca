//! Arguments of user procedures.

use crate::support::{dump, errors};
use expect_test::expect;

const MODULE: &str = "module m
contains
  subroutine s(a, n, opt)
    real, intent(in) :: a(:)
    integer, intent(out) :: n
    real, optional :: opt
    n = 0
    if (present(opt)) n = 1
  end subroutine
  elemental real function twice(x)
    real, intent(in) :: x
    twice = 2 * x
  end function
  subroutine seq(a, n)
    integer :: n
    real :: a(n, *)
  end subroutine
  subroutine al(a, p)
    real, allocatable :: a(:)
    real, pointer :: p(:)
  end subroutine
  subroutine call_it(f, x)
    interface
      real function f(y)
        real, intent(in) :: y
      end function
    end interface
    real :: x
    x = f(x)
  end subroutine
  subroutine old(g, x)
    external g
    call g(x, 3)
    x = h(x)
  end subroutine
end module
real function h(x)
  real :: x
  h = x
end function
";

#[test]
fn arguments_go_by_position_and_keyword() {
    let text = MODULE.to_owned()
        + "program p
  use m
  real :: a(4), b(3, 4)
  real, allocatable :: c(:)
  real, pointer :: q(:)
  integer :: n
  call s(a, n)
  call s(b(2, :), opt=1.0, n=n)
  a = twice(a)
  call seq(b(1, 2), 3)
  call seq(a, 2)
  call al(c, q)
  call al(c, null())
  call call_it(plain, a(1))
contains
  real function plain(y)
    real, intent(in) :: y
    plain = y
  end function
end program
";
    expect![[r#"
        module m
        host function h(x) result(h)
          real(4) x [dummy 0]
          real(4) h [result]
          h = x
        host program p
          real(4) a(4) [static]
          real(4) b(3,4) [static]
          real(4) c(:) [static] allocatable
          real(4) q(:) [static] pointer
          integer(4) n [static]
          call m.s(a, n, -)
          call m.s(b(2, :), n, 1.0_4)
          a = m.twice(a)
          call m.seq(b(1, 2), 3)
          call m.seq(a, 2)
          call m.al(c, q)
          call m.al(c, null())
          call m.call_it(procedure p.plain, a(1))
        host subroutine m.s(a, n, opt)
          real(4) a(:) [dummy 0] intent(in)
          integer(4) n [dummy 1] intent(out)
          real(4) opt [dummy 2] optional
          n = 0
          if present(opt)
            n = 1
        host function m.twice(x) result(twice) elemental pure
          real(4) x [dummy 0] intent(in)
          real(4) twice [result]
          twice = (2.0_4 * x)
        host subroutine m.seq(a, n)
          integer(4) n [dummy 1]
          real(4) a(integer(8)<n>,*) [dummy 0]
        host subroutine m.al(a, p)
          real(4) a(:) [dummy 0] allocatable
          real(4) p(:) [dummy 1] pointer
        host subroutine m.call_it(f, x)
          type(*) f [procedure]
          real(4) x [dummy 1]
          x = external.f.17(x)
        host subroutine m.old(g, x)
          type(*) g [procedure]
          real(4) x [dummy 1]
          call external.g.18(x, 3)
          x = h(x)
        host function p.plain(y) result(plain)
          real(4) y [dummy 0] intent(in)
          real(4) plain [result]
          plain = y
        host function m.f(y) result(f)
          real(4) y [dummy 0] intent(in)
          real(4) f [result]
          missing
        host function external.f.17(y) result(f) recursive
          missing
        host subroutine external.g.18(argument1, argument2) recursive
          real(4) argument1 [dummy 0]
          integer(4) argument2 [dummy 1]
          missing
    "#]]
    .assert_eq(&dump(&text));
}

#[test]
fn arguments_that_do_not_fit_are_reported() {
    let text = MODULE.to_owned()
        + "program p
  use m
  real :: a(4), b(3, 4), x
  integer :: n, i(4)
  integer, parameter :: k = 1
  call s(a)
  call s(a, n, x, x)
  call s(a, m=n)
  call s(a, n, n=n)
  call s(a=a, n)
  call s(b, n)
  call s(i, n)
  call s(a, k)
  call s(a, n + 1)
  call seq(x, 1)
  x = twice(b) + twice(a, a)
  call al(a, a)
  call call_it(x, x)
  call call_it(s, x)
  x = s(a, n)
  call twice(x)
  call a(1)
  x = nofunc(x)
  call s(a(:), 1:2)
  call p()
end program
";
    expect![[r#"
        46:3 E0401 argument `n` of `s` is missing
        47:19 E0401 `s` takes 3 arguments, and 4 are given
        48:13 E0404 `s` has no argument `m`
        49:16 E0410 argument `n` is given twice
        50:15 E0410 an argument by position stands after one by keyword
        51:10 E0403 argument `a` has rank 1, and an array of rank 2 is given
        52:10 E0402 argument `a` must be `real(4)`, not `integer(4)`
            convert it with `real(…, 4)`
        53:13 E0411 `s` changes its argument `n`, and a constant cannot change
            pass a variable
        54:13 E0411 `s` changes its argument `n`, and an expression cannot change
            pass a variable
        55:12 E0403 argument `a` is an array of rank 2, and a scalar is given
        56:27 E0401 `twice` takes one argument, and 2 are given
        57:11 E0415 argument `a` must be allocatable
        57:14 E0415 argument `p` must be pointer
        58:16 E0413 argument `f` must be a procedure
        59:16 E0413 argument `f` must be a function, and `s` is not one
        60:7 E0407 `s` is a subroutine and has no value
            call it with `call`
        61:8 E0406 `twice` is a function, not a subroutine
            use its value in an expression
        62:8 E0406 `a` is a variable, not a subroutine
        63:7 W0901 function `nofunc`, which no given file defines, is not supported
            give the file that defines it, in Fortran or C, or its library
        64:16 E0111 a range is a subscript, not an argument
        65:8 W0901 procedure `p`, which no given file defines, is not supported
            give the file that defines it, in Fortran or C, or its library
    "#]]
    .assert_eq(&errors(&text));
}

#[test]
fn protected_and_input_data_may_not_change() {
    expect![[r#"
        8:5 E0311 `a` is an `intent(in)` argument and may not be assigned
        9:5 E0311 `c` is a named constant and cannot be changed
            declare it without `parameter`
        12:7 E0319 loop variable `i` is changed inside its loop
        14:13 E0311 `a` is an `intent(in)` argument and may not be assigned
        15:7 E0105 no statement begins with `=`
        16:5 E0311 a variable is needed here, and this is a function reference
        17:5 E0311 procedure `s` cannot be assigned
        25:3 E0311 `n` is protected by module `m` and may not be assigned
    "#]]
    .assert_eq(&errors(
        "module m
  integer, protected :: n
contains
  subroutine s(a)
    integer, intent(in) :: a
    integer, parameter :: c = 1
    integer :: i
    a = 1
    c = 2
    n = 3
    do i = 1, 3
      i = 4
    end do
    read *, a
    3 = i
    f() = 2
    s = 3
  end subroutine
  integer function f()
    f = 1
  end function
end module
program p
  use m
  n = 4
end program
",
    ));
}

#[test]
fn implicit_interface_passes_what_is_given() {
    expect![[r#"
        8:8 W0901 procedure `gone`, which no given file defines, is not supported
            give the file that defines it, in Fortran or C, or its library
        9:8 W0901 procedure `dgemmx`, which no given file defines, is not supported
            give the file that defines it, in Fortran or C, or its library
        host program p
          real(4) a(10) [static]
          integer(4) n [static]
          n = 3
          call sub(a, n)
          call other(a(2))
          unsupported<procedure `gone`, which no given file defines,>
          unsupported<procedure `dgemmx`, which no given file defines,>
        host subroutine sub(x, k)
          integer(4) k [dummy 1]
          real(4) x(integer(8)<k>) [dummy 0]
          x = real(4)<k>
        host subroutine other(y)
          real(4) y(*) [dummy 0]
          y(1) = 1.0_4
        host subroutine external.gone.10() recursive
          missing
    "#]]
    .assert_eq(&dump(
        "program p
  real :: a(10)
  integer :: n
  external sub, gone
  n = 3
  call sub(a, n)
  call other(a(2))
  call gone(a)
  call dgemmx(a)
end program
subroutine sub(x, k)
  integer :: k
  real :: x(k)
  x = k
end subroutine
subroutine other(y)
  real :: y(*)
  y(1) = 1
end subroutine
",
    ));
}

#[test]
fn statement_functions_are_expanded() {
    expect![[r#"
        host subroutine s(r, x)
          real(4) r [dummy 0]
          real(4) x [dummy 1]
          real(4) list(3) [local]
          list(1) = 2.0_4
          x = (((3.0_4 * (((x + 1.0_4)) ** 2))) + (((2.0_4) * ((3.0_4 * (((2.0_4)) ** 2))))))
    "#]]
    .assert_eq(&dump(
        "subroutine s(r, x)
  real :: r, x, area, cube
  real :: list(3)
  area(r) = 3.0 * r**2
  cube(r) = r * area(r)
  list(1) = 2
  x = area(x + 1) + cube(2.0)
end subroutine
",
    ));
}
