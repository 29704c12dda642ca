//! Nesting of statements: what is missing, stray or out of place.

use crate::{errors, lines, read, statement_errors};
use expect_test::expect;

#[test]
fn a_construct_without_its_end_is_named_with_its_place() {
    expect![[r#"
        E0102 3:5 IF construct has no `end if`
            5:3 `end do` comes before its end
        E0102 7:5 DO construct has no `end do`
            8:5 `end do` comes before its end
    "#]]
    .assert_eq(&errors(
        "program p
  do i = 1, 10
    if (i > 3) then
      j = 1
  end do
  outer: do i = 1, 3
    do j = 1, 3
    end do outer
  j = 2
end program
",
    ));
    expect![[r#"
        E0102 2:3 DO construct has no last statement with label 10
            4:1 `end program` comes before its end
    "#]]
    .assert_eq(&errors("program p\n  do 10 i = 1, 3\n  j = i\nend program\n"));
    expect![[r#"
        E0102 3:3 IF construct has no `end if`
            4:4 label 10 comes before its end
    "#]]
    .assert_eq(&errors("program p\n  do 10 i = 1, 3\n  if (i > 2) then\n10 continue\nend program\n"));
}

#[test]
fn the_end_of_the_file_is_one_error() {
    expect![[r#"
        E0102 5:5 DO construct has no `end do`
            5:16 the file ends here
            4:3 the IF construct lacks its `end if` too
            3:1 the subroutine `s` lacks its `end subroutine` too
            1:1 the module `m` lacks its `end module` too
    "#]]
    .assert_eq(&errors("module m\ncontains\nsubroutine s\n  if (x) then\n    do i = 1, 2\n"));
    expect![[r#"
        E0102 1:1 main program has no `end program`
            1:6 the file ends here
    "#]]
    .assert_eq(&errors("x = 1\n"));
    expect![[""]].assert_eq(&errors(""));
    expect![[""]].assert_eq(&errors("\n! only a comment\n"));
}

#[test]
fn ends_that_close_nothing_are_reported_once() {
    expect![[r#"
        E0103 2:1 `end if` closes nothing
            1:1 the subroutine `s` begins here and ends with `end subroutine`
        E0103 3:1 `end do` closes nothing
            1:1 the subroutine `s` begins here and ends with `end subroutine`
        E0103 4:1 `end select` closes nothing
            1:1 the subroutine `s` begins here and ends with `end subroutine`
        E0103 5:1 `end block` closes nothing
            1:1 the subroutine `s` begins here and ends with `end subroutine`
    "#]]
    .assert_eq(&statement_errors("\nend if\nend do\nend select\nend block\nx = 1"));
    expect![[r#"
        E0103 3:1 `end program` closes nothing
    "#]]
    .assert_eq(&errors("program p\nend program\nend program\n"));
    expect![[""]].assert_eq(&errors("subroutine s\nend subroutine\nend\n"));
}

#[test]
fn ends_with_the_wrong_name_or_kind_still_end() {
    expect![[r#"
        E0116 4:18 `t` is not the name of the subroutine `s`
            3:14 `s` begins here
        E0116 6:3 `end subroutine` closes the function `f`
            5:3 which begins here
            -> write `end function`
        E0116 9:5 the end of a construct must repeat its name `a`
            8:5 named here
        E0116 11:12 the DO construct has no name
            10:5 it begins here
        E0116 13:12 `n` is not the name of the module `m`
            1:8 `m` begins here
        E0116 15:13 `q` is not the name of the program `p`
            14:9 `p` begins here
    "#]]
    .assert_eq(&errors(
        "module m
contains
  subroutine s
  end subroutine t
  function f()
  end subroutine f
  subroutine u
    a: do i = 1, 3
    end do
    do i = 1, 3
    end do b
  end subroutine
end module n
program p
end program q
",
    ));
}

#[test]
fn parts_outside_their_construct_are_reported() {
    expect![[r#"
        E0126 2:1 `else` outside an IF construct
        E0126 3:1 `else if` outside an IF construct
        E0126 4:1 `case` outside a SELECT CASE construct
        E0126 5:1 `elsewhere` outside a WHERE construct
        E0126 6:1 `type is` outside a SELECT TYPE construct
        E0115 9:1 `else if` after `else`
            8:1 `else` must be the last part of its construct
        E0115 12:3 a statement stands before the first `case`
            11:1 of this construct
    "#]]
    .assert_eq(&statement_errors(
        "
else
else if (x) then
case (1)
elsewhere
type is (integer)
if (x) then
else
else if (y) then
end if
select case (n)
  x = 1
case (1)
end select
",
    ));
}

#[test]
fn a_subprogram_that_begins_inside_another_ends_it() {
    expect![[r#"
        E0102 1:1 subroutine `a` has no `end subroutine`
            3:1 this begins before it ends
        E0102 4:3 IF construct has no `end if`
            6:1 this begins before it ends
    "#]]
    .assert_eq(&errors(
        "subroutine a
  x = 1
subroutine b
  if (x) then
    y = 1
subroutine c
end subroutine
",
    ));
    expect![[r#"
        E0115 3:3 a subprogram in module `m` needs `contains` before it
            -> put `contains` between the declarations and the subprograms
    "#]]
    .assert_eq(&errors("module m\n  integer :: n\n  subroutine s\n  end subroutine\nend module\n"));
    expect![[r#"
        E0102 1:1 module `m` has no `end module`
            3:1 this begins before it ends
    "#]]
    .assert_eq(&errors("module m\n  integer :: n\nprogram p\nend program\n"));
}

#[test]
fn statements_out_of_place_are_reported_once_for_a_part() {
    expect![[r#"
        E0115 2:3 an executable statement stands in module `m`
            -> put it into a subprogram after `contains`
        E0115 14:3 a declaration stands after the first executable statement
            13:3 the first executable statement
            -> move it up, or wrap it and the statements that need it in `block` … `end block`
        E0115 15:3 USE must come before all other statements of its scope
            13:3 this stands before it
        E0115 18:5 a declaration stands after the first executable statement
            17:5 the first executable statement
            -> move it up, or wrap it and the statements that need it in `block` … `end block`
        E0115 21:5 a declaration stands after the first executable statement
            13:3 the first executable statement
            -> move it up, or wrap it and the statements that need it in `block` … `end block`
        E0115 25:3 an internal subprogram cannot contain others
            -> move the inner subprogram out, behind the same `contains`
        E0115 29:1 `contains` a second time in one program unit
    "#]]
    .assert_eq(&errors(
        "module m
  x = 1
  y = 2
  use late
contains
  z = 3
  integer :: w
  subroutine s
  end subroutine
  v = 4
end module
subroutine t
  x = 1
  integer :: n
  use u
  block
    y = 1
    integer :: m
  end block
  if (x) then
    real :: r
  end if
contains
  subroutine inner
  contains
    subroutine innermost
    end subroutine
  end subroutine
contains
end subroutine
",
    ));
    expect![[r#"
        E0115 3:5 an executable statement stands in the definition of type `t`
            -> a type definition holds components only; is `end type` missing?
        E0115 4:5 this statement cannot stand in a type definition
            2:3 the definition begins here
        E0111 5:15 unexpected `::` in a procedure declaration
        E0115 8:5 a declaration stands in the interface block
            7:3 which begins here
        E0115 9:5 an executable statement stands in the interface block
            -> an interface block holds interfaces only; is `end interface` missing?
        E0115 11:3 SEQUENCE stands outside a type definition
        E0115 12:3 ENUMERATOR stands outside an ENUM block
            -> put it between `enum, bind(c)` and `end enum`
        E0115 13:3 MODULE PROCEDURE with a list of names stands outside an interface block
            -> put it between `interface name` and `end interface`
        E0105 14:3 `final` begins no statement
        E0115 16:5 a declaration stands in the ENUM block
            15:3 which begins here
        E0114 19:1 label 10 is given to two statements
            18:1 first given here
    "#]]
    .assert_eq(&errors(
        "subroutine s
  type t
    x = 1
    dimension y(3)
    procedure :: f
  end type
  interface
    integer :: n
    x = 2
  end interface
  sequence
  enumerator :: a
  module procedure b
  final :: c
  enum, bind(c)
    integer :: k
  end enum
10 continue
10 continue
end subroutine
",
    ));
}

#[test]
fn an_unreadable_header_does_not_spoil_what_follows() {
    expect![[r#"
        E0106 1:13 `(` is never closed
            1:18 the statement ends without its `)`
        E0111 2:9 expected `,` or `)` in IF, found `.`
            -> the form is `if (condition) then`
        E0111 4:14 expected `,` or `)` in ELSE IF, found `>>`
            -> the form is `else if (condition) then`
        E0111 7:12 expected `,` and the last value in DO, found `10`
            -> the form is `do name = first, last [, step]`
        E0111 10:18 expected `,` or `)` in SELECT CASE, found `b`
            -> the form is `select case (expression)`
        E0111 11:11 expected `,` or `)` in CASE, found `2`
            -> the form is `case (values)` or `case default`
        E0111 14:6 the condition of DO WHILE stands in parentheses
            -> write `do while (…)`
        E0105 16:3 `wehre` begins no statement
            -> did you mean `where`?
        E0105 19:3 Fortran has no `for` statement
            -> a loop is `do i = first, last` … `end do`
        E0111 21:7 expected the kind of block that ends in an END statement, found `for`
            -> every loop ends with `end do`
        E0105 23:1 `functoin` begins no statement
            -> did you mean `function`?
    "#]]
    .assert_eq(&errors(
        "subroutine s(a, b
  if (a .gt) then
    x = 1
  else if (b > > c) then
    x = 2
  end if
  do i = 1 10
    y = 1
  end do
  select case (a b)
  case (1 2)
    z = 1
  end select
  do while x > 3
  end do
  wehre (m)
    q = 1
  end where
  for i = 1, 3
    r = 1
  end for
end subroutine s
functoin f(x)
end function f
program p
end program
",
    ));
}

#[test]
fn depth_is_bounded_by_one_error() {
    let deep = |n: usize| {
        format!("program p\n{}x = 1\n{}y = 2\nend program\n", "if (a) then\n".repeat(n), "end if\n".repeat(n))
    };
    assert_eq!(errors(&deep(250)), "");
    for n in [257, 10_000] {
        let report = errors(&deep(n));
        assert_eq!(
            report,
            "E0104 257:1 blocks are nested too deeply\n    -> move inner parts into subprograms of their own\n"
        );
        assert!(read(&deep(n)).dump().ends_with("  assign y 2\n"));
    }
    let report = errors(&format!("program p\n{}", "do i = 1, 2\n".repeat(100_000)));
    assert!(report.starts_with("E0104 257:1 blocks are nested too deeply"), "{report}");
    let labelled = lines((1..2000).map(|i| format!("do {i} i = 1, 2")));
    assert!(errors(&format!("program p\n{labelled}end program\n")).starts_with("E0104"));
}
