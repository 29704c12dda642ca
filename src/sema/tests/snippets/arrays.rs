//! Sections, constructors, substrings.

use crate::support::{dump, errors};
use expect_test::expect;

#[test]
fn designators_are_typed() {
    expect![[r#"
        host subroutine s(a, i, c)
          real(4) a(10,0:9) [dummy 0]
          integer(4) i [dummy 1]
          character(8) c [dummy 2]
          real(4) v(5) [local]
          integer(4) idx(3) [local]
          character(8) list(4) [local]
          complex(4) z(3) [local]
          integer(4) j [local]
          v(1) = a(integer(8)<i>, 3)
          v = a(2:10:2, integer(8)<i>)
          v([integer(8)<idx>]) = a([integer(8)<idx>], 0)
          a(:, :) = 0.0_4
          c(2:3) = list(integer(8)<i>)(integer(8)<i>:)
          list(:)(1:1) = "x"
          z%re = 1.0_4
          v(1) = z(2)%im
          v(2:3) = [1.0_4, 2.0_4]
          v = [real(4): (real(4)<j>, j = 1, 5)]
          idx = [1, 2, 3]
          v = [real(4): v(1), v(2:5)]
          list = ["a       ", "bcd     ", "e       ", "f       "]
          i = 3
    "#]]
    .assert_eq(&dump(
        "subroutine s(a, i, c)
  real :: a(10, 0:9), v(5)
  integer :: i, idx(3)
  character(8) :: c, list(4)
  complex :: z(3)
  v(1) = a(i, 3)
  v = a(2:10:2, i)
  v(idx) = a(idx, 0)
  a(:, :) = 0
  c(2:3) = list(i)(i:)
  list(:)(1:1) = 'x'
  z%re = 1
  v(1) = z(2)%im
  v(2:3) = [1.0, 2.0]
  v = [(real(j), j = 1, 5)]
  idx = [integer(8) :: 1, 2, 3]
  v = [v(1), v(2:5)]
  list = [character(8) :: 'a', 'bcd', 'e', 'f']
  i = len(c(2:4))
end subroutine
",
    ));
}

#[test]
fn constructors_and_designators_are_checked() {
    expect![[r#"
        2:18 E0324 `*` is for dummy arguments, named constants and shared arrays
        5:7 E0310 subscripts after subscripts
        6:7 E0310 subscripts after subscripts
        7:15 E0316 items of an array constructor are `integer(4)` and `character(len=1)`
        8:11 E0316 an empty array constructor has no type
            write the type, for example `[integer ::]`
        9:11 E0607 a section's stride cannot be zero
        11:10 E0111 expected an operator or the end of the statement in an assignment, found `(`
        12:7 E0323 substring 3:9 of a value of length 4
        13:7 E0310 subscripts on `character(len=4)`, which is not an array
        14:9 E0111 a subscript has no keyword
        15:12 E0319 loop index `x` must be an integer, not `real(4)`
    "#]]
    .assert_eq(&errors(
        "subroutine s(a)
  real :: a(3), b(2, *), x
  integer :: i
  character(4) :: c
  x = a(1)(2:3)
  x = a(i)(1)
  x = sum([1, 'a'])
  x = sum([])
  x = a(::0)
  x = b(1, :)
  x = (a)(1)
  c = c(3:9)
  c = c(2:3:1)
  x = a(i=1)
  a = [(x, x = 1, 3)]
end subroutine
",
    ));
}
