//! Expressions.

use crate::{lines, statements};
use expect_test::expect;

/// The dumps of expressions, one a line.
fn exprs(list: &[&str]) -> String {
    let text = lines(list.iter().map(|e| format!("x = {e}")));
    lines(statements(&text).lines().map(|line| line.strip_prefix("assign x ").unwrap_or(line)))
}

#[test]
fn precedence_is_that_of_the_standard() {
    expect![[r#"
        (+ a (* b (** c d)))
        (- (** a 2))
        (+ (- a) b)
        (- (* a b))
        (* a (- b))
        (** a (** b c))
        (- (- a b) c)
        (/ (/ a b) c)
        (** a (- b))
        (// (// a b) c)
        (== (+ a b) (- c d))
        (.and. (.not. (< a b)) (.not. c))
        (.or. a (.and. b c))
        (.eqv. (.or. a b) (paren (.neqv. (.and. c d) e)))
        (.foo. (.or. a b) (.bar. c))
        (.foo. (* (.bar. a) b) c)
        (- (+ (- a) (* b c)) (paren (+ d e)))
        (.neqv. a b)
    "#]]
    .assert_eq(&exprs(&[
        "a + b*c**d",
        "-a**2",
        "-a + b",
        "-a*b",
        "a*-b",
        "a**b**c",
        "a - b - c",
        "a/b/c",
        "a**-b",
        "a // b // c",
        "a + b == c - d",
        ".not. a < b .and. .not. c",
        "a .or. b .and. c",
        "a .or. b .eqv. (c .and. d .neqv. e)",
        "a .or. b .foo. .bar. c",
        ".bar. a * b .foo. c",
        "-a + b*c - (d + e)",
        "a .xor. b",
    ]));
}

#[test]
fn relations_have_two_spellings() {
    expect![[r#"
        (== a b)
        (/= a b)
        (< a b)
        (<= a b)
        (> a b)
        (>= a b)
        (== 1 2)
        (== 1. 2.)
        (== 1.e5 .5)
        (.and. (< 1.5 x) (> x 2.))
        (.e. 1 5)
    "#]]
    .assert_eq(&exprs(&[
        "a .EQ. b",
        "a .ne. b",
        "a.lt.b",
        "a .le. b",
        "a .gt. b",
        "a .ge. b",
        "1.eq.2",
        "1. .eq. 2.",
        "1.e5.eq..5",
        "1.5.lt.x.and.x.gt.2.",
        "1 .e. 5",
    ]));
}

#[test]
fn constants_of_all_types_are_known() {
    expect![[r#"
        42_int64
        7_8
        1.5e-3_wp
        1d0
        2.
        .5e+10
        .true._1
        .false.
        z'FF'
        b'101'
        o'17'
        z'1f'
        (complex 1.0 (- 2.0))
        (complex a 2)
        ucs_'text'
        1_'a'
        'it''s'
        ''
        (apply 'abc' (: 1 2 _))
    "#]]
    .assert_eq(&exprs(&[
        "42_int64",
        "7_8",
        "1.5E-3_wp",
        "1d0",
        "2.",
        ".5e+10",
        ".TRUE._1",
        ".false.",
        "z'FF'",
        "B\"101\"",
        "o'17'",
        "'1f'x",
        "(1.0, -2.0)",
        "(a, 2)",
        "ucs_'text'",
        "1_'a'",
        "\"it's\"",
        "''",
        "'abc'(1:2)",
    ]));
}

#[test]
fn references_sections_and_components_chain() {
    expect![[r#"
        (apply a 1 (: 2 3 _) (: _ _ _) (: _ _ 2) (: 1 _ 2) (: _ n _))
        (apply (apply (% (apply a i) b) j) (: 1 3 _))
        (% (% threadidx x) y)
        (apply f)
        (apply f a k=(+ b 1) (: 1 2 _))
        (apply (% obj method) 1)
        (apply f (== a b))
        (apply %val n)
        (apply t 1 name='x')
    "#]]
    .assert_eq(&exprs(&[
        "a(1, 2:3, :, ::2, 1::2, :n)",
        "a(i)%b(j)(1:3)",
        "threadidx% x %y",
        "f()",
        "f(a, k = b + 1, 1:2)",
        "obj % method(1)",
        "f(a == b)",
        "%val(n)",
        "t(1, name='x')",
    ]));
}

#[test]
fn array_constructors_have_types_and_loops() {
    expect![[r#"
        (array 1 2 3)
        (array 1 2)
        (array type=(real 8) 1 2)
        (array type=(character 5) 'a' 'bcd')
        (array type=(type ray) (apply ray 1))
        (array type=integer)
        (array (do i 1 n 2 (* i 2) (apply a i)))
        (array (do j 1 3 _ (do i 1 3 _ (apply a i j))))
        (array (do type=(integer 8) i 1 2 _ i))
        (array (/ a b) (array (paren 1)))
        (array (complex a b) (paren c))
    "#]]
    .assert_eq(&exprs(&[
        "[1, 2, 3]",
        "(/ 1, 2 /)",
        "[real(8) :: 1, 2]",
        "[character(len=5) :: 'a', 'bcd']",
        "[ray :: ray(1)]",
        "[integer ::]",
        "[(i*2, a(i), i = 1, n, 2)]",
        "(/ ((a(i,j), i = 1, 3), j = 1, 3) /)",
        "[(i, integer(8) :: i = 1, 2)]",
        "(/ a/b, (/ (1) /) /)",
        "[(a, b), (c)]",
    ]));
}
