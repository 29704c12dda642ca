//! Names and declarations.

use crate::support::{check_with, dump, errors};
use expect_test::expect;

#[test]
fn undeclared_names_are_reported_once_with_what_looks_like_them() {
    expect![[r#"
        4:11 E0201 `cuont` has no declaration
            did you mean `count`?
        6:11 E0201 there is no array or function `sqrtt` here
            did you mean `sqrt`?
        7:8 E0202 there is no subroutine `subrutine`
            did you mean `subroutin`?
        11:9 E0201 `unknown` has no declaration
            declare it, or check its spelling
    "#]]
    .assert_eq(&errors(
        "program p
  implicit none
  integer :: count, total
  total = cuont + 1
  total = cuont + 2
  total = sqrtt(2.0)
  call subrutine(total)
contains
  subroutine subroutin(n)
    integer :: n
    n = unknown
  end subroutine
end program
",
    ));
}

#[test]
fn implicit_typing_follows_the_first_letter() {
    expect![[r#"
        host program p
          integer(4) n [static]
          real(8) a [static]
          integer(8) k [static]
          real(4) x [static]
          n = 3
          a = real(8)<n>
          k = integer(8)<n>
          x = real(4)<a>
        host subroutine p.s(q)
          real(4) q [dummy 0]
          integer(4) m [local]
          n = integer(4)<q>
          m = 1
    "#]]
    .assert_eq(&dump(
        "program p
  implicit real(8) (a-h), integer(8) (k)
  n = 3
  a = n
  k = n
  x = a
contains
  subroutine s(q)
    n = q
    m = 1
  end subroutine
end program
",
    ));
}

#[test]
fn declarations_that_contradict_each_other_are_refused() {
    expect![[r#"
        3:17 W0205 `a` is given its type a second time
        4:22 E0219 `b` cannot be both `allocatable` and `pointer`
        5:12 E0328 `optional` is for dummy arguments, and `c` is not one
        6:12 W0328 `intent` is for dummy arguments, and `d` is not one
        8:13 E0220 `e` is given a shape twice
        9:28 E0324 an allocatable array or pointer has `:` for each dimension
            write `(:)` here and the bounds in `allocate`
        10:15 E0324 `:` is for dummy arguments, allocatable arrays and pointers
            give bounds, or add `allocatable`
        11:3 E0317 `len=*` is for dummy arguments and named constants
            give a length, or use `character(len=:), allocatable`
        12:3 E0317 `len=:` is for allocatable variables and pointers
            add `allocatable`
        13:25 E0321 named constant `j` has no value
            add `= value`
        14:18 W0302 the constant loses its fraction in `integer(4)`
            write `int(…)` or `nint(…)` if that is meant
        15:21 E0304 initial value has shape 3, `l` has shape 2
        16:3 E0302 there is no `real(3)`
            there is `real(2)`, `real(4)`, `real(8)`
        17:8 E0203 there is no derived type `nothing` here
        18:29 E0201 `p2` has no declaration
            declare it, or check its spelling
        19:16 E0201 `n2` has no declaration
            declare it, or check its spelling
        20:12 W0530 `value` has no effect on `r`, which is not a dummy argument
            remove it, or add the name to the arguments
        21:3 E0202 there is no intrinsic procedure `nosuch`
        22:15 E0324 `*` is for dummy arguments, named constants and shared arrays
        24:19 E0205 dummy argument `x` is named twice
        24:22 E0201 dummy argument `y` has no type
            declare it, for example `integer :: y`
    "#]]
    .assert_eq(&errors(
        "program p
  implicit none
  integer :: a, a
  real, allocatable, pointer :: b(:)
  integer, optional :: c
  integer, intent(in) :: d
  real :: e(3)
  dimension e(4)
  integer, allocatable :: f(3)
  integer :: g(:)
  character(len=*) :: h
  character(len=:) :: i
  integer, parameter :: j
  integer :: k = 1.5
  integer :: l(2) = [1, 2, 3]
  real(3) :: m
  type(nothing) :: n
  integer, parameter :: o = p2
  integer :: q(n2)
  integer, value :: r
  intrinsic :: nosuch
  integer :: t(0:*)
contains
  subroutine s(x, x, y)
    integer :: x
  end subroutine
end program
",
    ));
}

#[test]
fn declaration_order_does_not_matter() {
    expect![[r#"
        host subroutine s(a, n)
          integer(4) n [dummy 1]
          integer(4) m [parameter] = 6
          integer(4) k [parameter] = 3
          real(4) a(integer(8)<n>,6) [dummy 0]
          real(4) b(6) [local]
          real(4) c(3) [local]
          b = a(1, :)
    "#]]
    .assert_eq(&dump(
        "subroutine s(a, n)
  real :: a(n, m)
  integer :: n
  parameter (m = 2*k)
  integer, parameter :: k = 3, m
  real, dimension(m) :: b, c(k)
  b = a(1, :)
end subroutine
",
    ));
}

#[test]
fn initialised_and_main_variables_are_static() {
    expect![[r#"
        host program p
          integer(4) a [static]
          call p.s(3)
        host subroutine p.s(n)
          integer(4) n [dummy 0]
          integer(4) i [static] = 4
          integer(4) plain [local]
          integer(4) kept [static]
          real(4) auto(integer(8)<n>) [local]
          integer(4) d(2) [static] = [5, 6]
          plain = ((i + kept) + d(1))
          auto = 0.0_4
    "#]]
    .assert_eq(&dump(
        "program p
  integer :: a
  call s(3)
contains
  subroutine s(n)
    integer :: n, i = 4, plain
    integer, save :: kept
    real :: auto(n)
    integer :: d(2)
    data d /5, 6/
    plain = i + kept + d(1)
    auto = 0
  end subroutine
end program
",
    ));
}

#[test]
fn data_statements_fill_arrays_and_repeat_values() {
    expect![[r#"
        host subroutine s()
          integer(4) a(6) [static] = [1, 1, 1, 2, 2, 9]
          integer(4) b [static] = 7
          integer(4) c(2,2) [static] = [1, 2, 3, 4]
          real(4) x [static] = 1.5_4
          real(4) y [static] = -2.0_4
          b = a(1)
    "#]]
    .assert_eq(&dump(
        "subroutine s
  integer :: a(6), b, c(2, 2)
  real :: x, y
  data a, b /3*1, 2*2, 9, 7/, x, y /1.5, -2/
  data ((c(i, j), i = 1, 2), j = 1, 2) /1, 2, 3, 4/
  b = a(1)
end subroutine
",
    ));
    expect![[r#"
        3:8 E0321 `data` has fewer values than variables
        4:3 E0321 `data` has more values than variables
    "#]]
    .assert_eq(&errors(
        "subroutine s
  integer :: a(3), b
  data a /1, 2/
  data b /1, 2/
end subroutine
",
    ));
}

#[test]
fn common_blocks_share_storage_in_any_layout() {
    expect![[r#"
        host subroutine a()
          real(4) x [byte 0 of /blk/]
          integer(4) n(3) [byte 4 of /blk/]
          x = real(4)<n(1)>
        host subroutine b()
          real(4) y [byte 0 of /blk/]
          integer(4) m(3) [byte 4 of /blk/]
          y = real(4)<m(2)>
        host subroutine c()
          real(4) z [byte 0 of /blk/]
          z = 1.0_4
    "#]]
    .assert_eq(&dump(
        "subroutine a
  common /blk/ x, n(3)
  x = n(1)
end subroutine
subroutine b
  common /blk/ y, m(3)
  y = m(2)
end subroutine
subroutine c
  common /blk/ z
  z = 1
end subroutine
block data
  common /blk/ q, k(3)
  data q /2.5/
end block data
",
    ));
}

#[test]
fn main_programs_are_counted() {
    expect![[r#"
        3:9 E0214 there is a second main program
            give the files of one program only
    "#]]
    .assert_eq(&errors("program a\nend program\nprogram b\nend program\n"));
    expect![[r#"
        2:1 E0213 there is no main program in the given files
            add a `program` unit, or give the file that has it
    "#]]
    .assert_eq(&check_with("subroutine s\nend subroutine\n", |o| o.needs_main = true).short);
    expect![[r#"
        3:12 E0212 procedure `s` is defined twice
    "#]]
    .assert_eq(&errors("subroutine s\nend subroutine\nsubroutine s\nend subroutine\n"));
}

#[test]
fn files_compiled_alone_call_procedures_of_other_files() {
    let source = "subroutine s
  real :: x
  integer :: abrx
  call abrt
  call s2(1)
  x = sinn(x) + abrx(2)
end subroutine
";
    expect![[r#"
        4:8 E0202 there is no subroutine `abrt`
            did you mean `abort`?
        5:8 W0901 procedure `s2`, which no given file defines, is not supported
            give the file that defines it, in Fortran or C, or its library
        6:7 E0201 there is no array or function `sinn` here
            did you mean `sign`?
        6:17 E0310 `abrx` is declared as a scalar, and no given file defines a function `abrx`
            if it is an array, give it a shape; if it is a function, give the file that defines it
    "#]]
    .assert_eq(&check_with(source, |o| o.separate = false).short);
    expect![[r#"
        4:8 W0901 procedure `abrt`, which no given file defines, is not supported
            give the file that defines it, in Fortran or C, or its library
        5:8 W0901 procedure `s2`, which no given file defines, is not supported
            give the file that defines it, in Fortran or C, or its library
        6:7 W0901 function `sinn`, which no given file defines, is not supported
            give the file that defines it, in Fortran or C, or its library
        6:17 W0901 function `abrx`, which no given file defines, is not supported
            give the file that defines it, in Fortran or C, or its library
    "#]]
    .assert_eq(&check_with(source, |o| o.separate = true).short);
}

#[test]
fn types_of_files_compiled_alone_bind_procedures_of_other_files() {
    let source = "module m
  type :: t
  contains
    procedure :: p => outside
  end type
  type, abstract :: a
  contains
    procedure(plain), deferred :: q
  end type
  type, extends(a) :: b
  end type
  interface
    subroutine outside(x)
      import :: t
      class(t), intent(in) :: x
    end subroutine
    subroutine plain(x)
      import :: a
      class(a), intent(in) :: x
    end subroutine
  end interface
end module
";
    expect![[r#"
        10:3 E0418 `type(b)` does not define the deferred procedure `q`
            bind `q` to a procedure, or declare the type `abstract`
    "#]]
    .assert_eq(&check_with(source, |o| o.separate = true).short);
}

#[test]
fn enumerators_count_up() {
    expect![[r#"
        host program p
          integer(4) red [parameter] = 4
          integer(4) blue [parameter] = 5
          integer(4) green [parameter] = 9
          integer(4) yellow [parameter] = 10
          integer(4) i [static] = 15
    "#]]
    .assert_eq(&dump(
        "program p
  implicit none
  enum, bind(c)
    enumerator :: red = 4, blue, green = 9
    enumerator yellow
  end enum
  integer :: i = yellow + blue
end program
",
    ));
}

#[test]
fn default_kinds_follow_the_options() {
    let text = "program p
  integer :: i
  real :: x = 1.0
  x = i + 1
end program
";
    let outcome = check_with(text, |o| {
        o.real8 = true;
        o.integer8 = true;
    });
    let program = outcome.program.map(|p| cufemu_sema::checked::dump(&p)).unwrap_or(outcome.short);
    expect![[r#"
        host program p
          integer(8) i [static]
          real(8) x [static] = 1.0_8
          x = real(8)<(i + 1)>
    "#]]
    .assert_eq(&program);
}
