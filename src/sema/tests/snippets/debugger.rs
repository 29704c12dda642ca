//! Expressions that the debugger asks about in a checked program.

use crate::support::{check, expression};
use expect_test::expect;

const PROGRAM: &str = "module m
  integer, parameter :: k = 4
  real, device :: d(10)
  type t
    integer :: n
  end type
contains
  attributes(global) subroutine kernel(a, n)
    real :: a(*)
    integer, value :: n
    real, shared :: tile(k, k)
    type(t) :: local
    a(n) = tile(1, 1) + local%n
  end subroutine
end module
program p
  use m
  implicit none
  real :: h(10)
  h = d
end program
";

#[test]
fn expressions_are_typed_in_the_scope_of_a_procedure() {
    let program = check(PROGRAM).program.unwrap_or_default();
    let ask = |proc: &str, text: &str| format!("{text} => {}\n", expression(&program, proc, text));
    let kernel = [
        "a(n)",
        "tile(2, :)",
        "local%n + k",
        "threadidx%x",
        "blockdim",
        "d(1)",
        "sqrt(a(1))",
        "mod(n, 3)",
        "nosuch",
        "i",
    ];
    let main = ["h(2:3)", "sum(h)", "d(1)", "n", "[(i, i = 1, 3)]", "h(1) + 'x'", "threadidx%x"];
    let mut out = String::new();
    for text in kernel {
        out += &ask("m.kernel", text);
    }
    for text in main {
        out += &ask("p", text);
    }
    expect![[r#"
        a(n) => Real(4), rank 0
        tile(2, :) => Real(4), rank 1
        local%n + k => Integer(4), rank 0
        threadidx%x => Integer(4), rank 0
        blockdim => Derived(TypeId(1)), rank 0
        d(1) => Real(4), rank 0
        sqrt(a(1)) => Real(4), rank 0
        mod(n, 3) => Integer(4), rank 0
        nosuch => E0201 `nosuch` has no declaration
        i => E0201 `i` has no declaration
        h(2:3) => Real(4), rank 1
        sum(h) => Real(4), rank 0
        d(1) => Real(4), rank 0
        n => E0201 `n` has no declaration
        [(i, i = 1, 3)] => E0901 an implied do loop is not supported here
        h(1) + 'x' => E0322 `+` is not defined for `real(4)` and `character(len=1)`
        threadidx%x => Integer(4), rank 0
    "#]]
    .assert_eq(&out);
}
