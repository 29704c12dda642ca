//! How mistakes inside statements are worded.

use crate::{errors, statement_errors};
use expect_test::expect;
use std::fmt::Write as _;

/// Statements, each with the errors that it gives by itself on line 2.
fn each(list: &[&str]) -> String {
    let mut out = String::new();
    for text in list {
        let _ = writeln!(out, "{text}");
        for line in statement_errors(&format!("\n{text}")).lines() {
            let _ = writeln!(out, "    {line}");
        }
    }
    out
}

#[test]
fn what_was_expected_and_found_is_said() {
    expect![[r#"
        x =
            E0111 2:4 expected an expression in an assignment, found the end of the statement
        x = a +* b
            E0111 2:8 expected an expression in an assignment, found `*`
        x = y z
            E0111 2:7 expected an operator or the end of the statement in an assignment, found `z`
        x = (a, b, c)
            E0111 2:10 a list in parentheses is not a value
                -> an array is `[a, b]`, an object of a derived type `name(a, b)`
        x = f(a b)
            E0111 2:9 expected `,` or `)` in an assignment, found `b`
        x = f(a,,b)
            E0111 2:9 expected an expression in an assignment, found `,`
        x = [1, 2
            E0106 2:5 `[` is never closed
                2:10 the statement ends without its `]`
        x = (1 + 2
            E0106 2:5 `(` is never closed
                2:11 the statement ends without its `)`
        x = 1 + 2)
            E0106 2:10 `)` without `(` before it
        x = [1, 2)
            E0106 2:10 `[` is closed with `)`
                2:5 opened here
        x = 3y
            E0117 2:5 `3y` is neither a number nor a name
        x = 1.5.2
            E0111 2:8 expected an operator or the end of the statement in an assignment, found `.`
        x = b'12'
            E0117 2:5 `2` is not a binary digit
        x = z''
            E0117 2:5 hexadecimal constant without digits
        x = y'abc'
            E0111 2:5 `y` stands before a character literal
                -> an operator or a comma is missing
        x = a%
            E0111 2:7 expected a name in an assignment, found the end of the statement
        x = a%1
            E0111 2:7 a component is expected after `%`, and this is a number
                -> the remainder of a division is `mod(a, b)`
        x%y(1) =
            E0111 2:9 expected an expression in an assignment, found the end of the statement
        p =>
            E0111 2:5 expected an expression in a pointer assignment, found the end of the statement
        call
            E0111 2:5 CALL breaks off
        call 3
            E0111 2:6 expected a name in CALL, found `3`
        call f(a
            E0106 2:7 `(` is never closed
                2:9 the statement ends without its `)`
        call f(a) b
            E0111 2:11 expected the end of the statement in CALL, found `b`
        goto x
        goto
            E0111 2:5 expected a label or a name in GO TO, found the end of the statement
                -> the form is `go to label`
        return 3 4
            E0111 2:10 expected an operator or the end of the statement in RETURN, found `4`
        exit 3
            E0111 2:6 expected a name in EXIT, found `3`
        stop 1 2
            E0111 2:8 expected an operator or the end of the statement in STOP, found `2`
        continue 3
            E0111 2:10 expected the end of the statement in CONTINUE, found `3`
    "#]]
    .assert_eq(&each(&[
        "x =",
        "x = a +* b",
        "x = y z",
        "x = (a, b, c)",
        "x = f(a b)",
        "x = f(a,,b)",
        "x = [1, 2",
        "x = (1 + 2",
        "x = 1 + 2)",
        "x = [1, 2)",
        "x = 3y",
        "x = 1.5.2",
        "x = b'12'",
        "x = z''",
        "x = y'abc'",
        "x = a%",
        "x = a%1",
        "x%y(1) =",
        "p =>",
        "call",
        "call 3",
        "call f(a",
        "call f(a) b",
        "goto x",
        "goto",
        "return 3 4",
        "exit 3",
        "stop 1 2",
        "continue 3",
    ]));
}

#[test]
fn common_mistakes_are_named() {
    expect![[r#"
        if (a = b) then
        end if
            E0111 2:7 `=` assigns and cannot stand in a condition
                -> to compare write `==`
        if (a = b) c = 1
            E0111 2:7 `=` assigns and cannot stand in a condition
                -> to compare write `==`
        if (a)
            E0102 2:1 IF construct has no `end if`
                3:1 `end subroutine` comes before its end
            E0111 2:7 IF ends with its condition
                -> write `if (…) then`, or put the statement on the same line
        if (a) then b = 1
            E0111 2:13 a statement follows `then` on the same line
                -> begin a new line after `then`, or leave `then` out
        if (a != b) c = 1
            E0106 2:4 `(` is never closed
                2:6 the statement ends without its `)`
                -> `!` begins a comment; not equal is `/=`
        if (a) end if
            E0115 2:8 this cannot be the statement of a one-line IF
        if (a) if (b) c = 1
            E0115 2:8 this cannot be the statement of a one-line IF
        if (a) integer :: n
            E0115 2:8 this cannot be the statement of a one-line IF
        if (a || b) c = 1
            E0111 2:7 Fortran has no operator `||`
                -> write `.and.` or `.or.`
        if (a) then
        else if (b)
        end if
            E0111 3:12 expected `then` in ELSE IF, found the end of the statement
                -> the form is `else if (condition) then`
        do i = 1 10
        end do
            E0111 2:10 expected `,` and the last value in DO, found `10`
                -> the form is `do name = first, last [, step]`
        do i = 1
        end do
            E0111 2:9 expected `,` and the last value in DO, found the end of the statement
                -> the form is `do name = first, last [, step]`
        do i = 1:10
        end do
            E0111 2:9 expected `,` and the last value in DO, found `:`
                -> the form is `do name = first, last [, step]`
        do while (x
        end do
            E0106 2:10 `(` is never closed
                2:12 the statement ends without its `)`
        where (a) call s
            E0115 2:11 this cannot be the statement of a one-line WHERE
        x += 1
            E0105 2:1 Fortran has no operator `+=`
                -> write `x = x + 1`
        x++
            E0105 2:1 Fortran has no operator `++`
                -> write `x = x + 1`
        x := 1
            E0111 2:3 Fortran assigns with `=`, not with `:=`
        foo(a)
            E0105 2:1 `foo(a)` by itself is not a statement
                -> to call a subroutine write `call foo(a)`
                -> to assign a value write `name = value`
        foo
            E0105 2:1 `foo` by itself is not a statement
                -> to call a subroutine write `call foo`
                -> to assign a value write `name = value`
        print * 'a'
            E0111 2:9 `'a'` follows the format of PRINT without a comma
                -> write `print *, …` or `print '(…)', …`
        print 'a' b
            E0111 2:11 `b` follows the format of PRINT without a comma
                -> write `print *, …` or `print '(…)', …`
        print(*,*) a
            E0111 2:7 PRINT has no control list
                -> write `print *, items` or `write (*, *) items`
        write *, a
            E0111 2:7 unexpected `*` in an I/O statement
                -> the form is `write (unit, format) items`
        write (*,*
            E0106 2:7 `(` is never closed
                2:11 the statement ends without its `)`
        allocate (a(10)
            E0106 2:10 `(` is never closed
                2:16 the statement ends without its `)`
        allocate a(10)
            E0111 2:10 unexpected `a` in ALLOCATE
                -> the form is `allocate (array(extents) [, stat=name])`
        allocate (a(10), stat)
        allocate (real(kind=) :: x)
            E0111 2:21 expected an expression in ALLOCATE, found `)`
                -> the form is `allocate (array(extents) [, stat=name])`
        cal s(1)
            E0105 2:1 `cal` begins no statement
                -> did you mean `call`?
        retrun
            E0105 2:1 `retrun` begins no statement
                -> did you mean `return`?
        int x
            E0105 2:1 Fortran has no `int` statement
                -> a declaration is `integer :: name` or `real :: name`
        wait (5)
        sync all
        assign 10 to k
        x[1] = 2
            E0901 2:1 a coarray (square brackets after a name) is not supported
                -> subscripts stand in parentheses: `a(i)`
        y = x[2]
            E0901 2:6 a coarray (square brackets after a name) is not supported
                -> subscripts stand in parentheses: `a(i)`
        outer: x = 1
            E0111 2:1 `outer:` stands before no construct
                -> only IF, DO, SELECT, WHERE, FORALL, ASSOCIATE and BLOCK constructs have names
        100000 continue
            E0112 2:1 a label must be from 1 to 99999
        format(a)
            E0118 2:1 a FORMAT statement without a label
                -> give it a label, and that label to WRITE or READ
    "#]]
    .assert_eq(&each(&[
        "if (a = b) then\nend if",
        "if (a = b) c = 1",
        "if (a)",
        "if (a) then b = 1",
        "if (a != b) c = 1",
        "if (a) end if",
        "if (a) if (b) c = 1",
        "if (a) integer :: n",
        "if (a || b) c = 1",
        "if (a) then\nelse if (b)\nend if",
        "do i = 1 10\nend do",
        "do i = 1\nend do",
        "do i = 1:10\nend do",
        "do while (x\nend do",
        "where (a) call s",
        "x += 1",
        "x++",
        "x := 1",
        "foo(a)",
        "foo",
        "print * 'a'",
        "print 'a' b",
        "print(*,*) a",
        "write *, a",
        "write (*,*",
        "allocate (a(10)",
        "allocate a(10)",
        "allocate (a(10), stat)",
        "allocate (real(kind=) :: x)",
        "cal s(1)",
        "retrun",
        "int x",
        "wait (5)",
        "sync all",
        "assign 10 to k",
        "x[1] = 2",
        "y = x[2]",
        "outer: x = 1",
        "100000 continue",
        "format(a)",
    ]));
}

#[test]
fn declarations_are_checked() {
    expect![[r#"
        integer n = 3
            E0111 2:9 a declaration that gives a value needs `::` before the names
                -> write `:: n`
        real, device a(10)
            E0111 2:14 a declaration that has attributes needs `::` before the names
                -> write `:: a`
        integer ::
            E0111 2:11 expected a name in a type declaration, found the end of the statement
        integer : n
            E0111 2:1 `integer:` stands before no construct
                -> to declare names write `integer ::`
        integer :: a(
            E0106 2:13 `(` is never closed
                2:14 the statement ends without its `)`
        integer :: a(10
            E0106 2:13 `(` is never closed
                2:16 the statement ends without its `)`
        integer :: a b
            E0111 2:14 expected `/` or the end of the statement in a type declaration, found `b`
        integer :: 3a
            E0111 2:12 expected a name in a type declaration, found `3a`
        integer, alocatable :: a(:)
            E0111 2:10 expected an attribute in a type declaration, found `alocatable`
                -> did you mean `allocatable`?
        real(8 :: x
            E0106 2:5 `(` is never closed
                2:12 the statement ends without its `)`
        real, intent(inn) :: x
            E0111 2:14 expected `in`, `out` or `inout` in a type declaration, found `inn`
        character(kind=*) :: c
            E0111 2:16 the kind of a character type must be an expression
        character(len=5, 6, 7) :: c
            E0111 2:19 expected `)` in a type declaration, found `,`
        integer j /3/
        implicit nothing
            E0111 2:10 expected a type in IMPLICIT, found `nothing`
                -> the form is `implicit none`
        implicit real (h-a)
            E0111 2:16 letters of IMPLICIT must be in order
        data x 3
            E0111 2:8 expected `/` in DATA, found `3`
                -> the form is `data names / values /`
        data x / 3
            E0111 2:11 expected `/` in DATA, found the end of the statement
                -> the form is `data names / values /`
        parameter (n)
            E0111 2:13 expected `=` in PARAMETER, found `)`
                -> the form is `parameter (name = value)`
        common /a b/ c
            E0111 2:8 expected a name in COMMON, found `/`
                -> the form is `common /block/ names`
        equivalence (a)
            E0111 2:13 unexpected `(` in EQUIVALENCE
                -> the form is `equivalence (name, name)`
        namelist a, b
            E0111 2:10 unexpected `a` in NAMELIST
                -> the form is `namelist /group/ names`
        target
            E0111 2:1 an attribute statement without names
                -> write `::` and the names after the attribute
        optional :: x = 3
            E0111 2:13 an attribute statement cannot give a value
                -> put the type first: `real, … :: name = value`
        use
            E0111 2:4 USE breaks off
                -> the form is `use module [, only: names]`
        use m, onyl: a
            E0111 2:12 expected the end of the statement in USE, found `:`
                -> the form is `use module [, only: names]`
        use m only: a
            E0111 2:7 expected a name or `operator(…)` or the end of the statement in USE, found `only`
                -> the form is `use module [, only: names]`
        integer :: x[*]
            E0901 2:13 a coarray (square brackets after a name) is not supported
                -> subscripts stand in parentheses: `a(i)`
        enum
        end enum
            E0111 2:5 ENUM breaks off
                -> the form is `enum, bind(c)`
        interface 3
        end interface
            E0111 2:11 expected a name or `operator(…)` in INTERFACE, found `3`
        procedure(f) p q
            E0111 2:16 expected the end of the statement in a procedure declaration, found `q`
        entry
            E0111 2:6 ENTRY breaks off
                -> the form is `entry name(arguments)`
        select rank (x)
        rank (1)
        rank default
        end select
    "#]]
    .assert_eq(&each(&[
        "integer n = 3",
        "real, device a(10)",
        "integer ::",
        "integer : n",
        "integer :: a(",
        "integer :: a(10",
        "integer :: a b",
        "integer :: 3a",
        "integer, alocatable :: a(:)",
        "real(8 :: x",
        "real, intent(inn) :: x",
        "character(kind=*) :: c",
        "character(len=5, 6, 7) :: c",
        "integer j /3/",
        "implicit nothing",
        "implicit real (h-a)",
        "data x 3",
        "data x / 3",
        "parameter (n)",
        "common /a b/ c",
        "equivalence (a)",
        "namelist a, b",
        "target",
        "optional :: x = 3",
        "use",
        "use m, onyl: a",
        "use m only: a",
        "integer :: x[*]",
        "enum\nend enum",
        "interface 3\nend interface",
        "procedure(f) p q",
        "entry",
        "select rank (x)\nrank (1)\nrank default\nend select",
    ]));
}

#[test]
fn one_statement_gives_one_error() {
    expect![[r#"
        E0101 2:7 character literal without its closing quote
            -> close it with `'`, or end the line with `&` to go on
        E0101 3:16 character literal without its closing quote
            -> close it with `'`, or end the line with `&` to go on
        E0106 4:5 `)` without `(` before it
    "#]]
    .assert_eq(&errors("subroutine s\nx = f('abc, (1, [2\ncall g(3x, 4y, 'z\ny = ) ( $ @\nend subroutine\n"));
}

#[test]
fn text_that_is_no_fortran_does_not_open_a_program() {
    expect![[r#"
        E0105 1:1 `this` begins no statement
        E0105 2:1 no statement begins with `<`
        E0105 3:1 no statement begins with `{`
    "#]]
    .assert_eq(&errors("This is a letter.\n<html>\n{ \"json\": 1 }\n"));
}
