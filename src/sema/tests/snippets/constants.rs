//! Constant folding.

use crate::support::{dump, errors};
use expect_test::expect;

#[test]
fn named_constants_have_their_values() {
    expect![[r#"
        module c
          integer(4) i1 [parameter] = 1021
          integer(4) i2 [parameter] = -1
          integer(4) i3 [parameter] = 2
          integer(4) i4 [parameter] = 32
          integer(4) i5 [parameter] = 255
          integer(4) i6 [parameter] = 3
          integer(4) i7 [parameter] = -2
          integer(4) i8 [parameter] = 3
          integer(4) i9 [parameter] = -2147483648
          integer(4) i10 [parameter] = 5
          integer(8) j1 [parameter] = 9223372036854775807
          integer(8) j2 [parameter] = 1000000000000
          integer(8) j3 [parameter] = 4294967295
          integer(8) j4 [parameter] = 3000000000
          integer(4) rk [parameter] = 8
          integer(4) ik [parameter] = 4
          integer(4) ck [parameter] = 8
          real(4) r1 [parameter] = 0.33333334_4
          real(4) r2 [parameter] = 3.1415927_4
          real(4) r3 [parameter] = 1.4142135_4
          real(4) r4 [parameter] = 1.4142135_4
          real(4) r5 [parameter] = 1.1920929e-7_4
          real(4) r6 [parameter] = 0.001_4
          real(8) d1 [parameter] = 3.141592653589793_8
          real(8) d2 [parameter] = 0.10000000149011612_8
          real(8) d3 [parameter] = 0.1_8
          real(8) d4 [parameter] = 2.718281828459045_8
          real(8) d5 [parameter] = 2.2250738585072014e-308_8
          complex(4) z1 [parameter] = (5.0,5.0)_4
          complex(4) z2 [parameter] = (1.0,2.0)_4
          complex(4) z3 [parameter] = (5.0,-5.0)_4
          logical(4) l1 [parameter] = true
          logical(4) l2 [parameter] = true
          character(4) s1 [parameter] = "abcd"
          character(1) s2 [parameter] = "x"
          character(2) s3 [parameter] = "bc"
          character(1) s4 [parameter] = "A"
          character(4) s5 [parameter] = "abab"
          character(4) s6 [parameter] = "x   "
          character(4) s7(2) [parameter] = ["abcd", "gh  "]
          integer(4) a1(3) [parameter] = [1, 2, 3]
          integer(4) a2(2,2) [parameter] = [1, 2, 3, 4]
          integer(4) a3(4) [parameter] = [1, 4, 9, 16]
          integer(4) b1 [parameter] = 6
          integer(4) b2 [parameter] = 4
          integer(4) b3 [parameter] = 2
          integer(4) b4 [parameter] = 4
          integer(4) b5(2) [parameter] = [4, 16]
          integer(4) b6 [parameter] = 1
          integer(4) b7(2,2) [parameter] = [1, 3, 2, 4]
          integer(4) b8(2) [parameter] = [4, 6]
          integer(4) b9 [parameter] = 14
          integer(4) b10(3) [parameter] = [5, 5, 5]
          integer(4) m1 [parameter] = 1
          integer(4) m2 [parameter] = 1
          integer(4) m3 [parameter] = 8
          integer(4) m4 [parameter] = 16
          integer(4) m5 [parameter] = 7
          integer(4) t1 [parameter] = 1065353216
          integer(4) t2 [parameter] = 97
          integer(4) t3 [parameter] = 3
          integer(4) t4 [parameter] = 4
    "#]]
    .assert_eq(&dump(
        "module c
  integer, parameter :: i1 = 2**10 - 7/2, i2 = mod(-7, 3), i3 = modulo(-7, 3), i4 = ishft(1, 5), i5 = z'ff'
  integer, parameter :: i6 = nint(2.5), i7 = floor(-1.5), i8 = int(3.9), i9 = -2147483648, i10 = len('abc' // 'de')
  integer(8), parameter :: j1 = huge(1_8), j2 = 10_8**12, j3 = z'ffffffff', j4 = 3000000000_8
  integer, parameter :: rk = selected_real_kind(15, 307), ik = selected_int_kind(9), ck = kind(1.0d0)
  real, parameter :: r1 = 1.0/3.0, r2 = 4*atan(1.0), r3 = sqrt(2.0), r4 = 2.0**0.5, r5 = epsilon(1.0), r6 = 1e-3
  real(rk), parameter :: d1 = acos(-1.0_rk), d2 = 0.1, d3 = 0.1d0, d4 = exp(1d0), d5 = tiny(1d0)
  complex, parameter :: z1 = (1.0, 2.0)*(3.0, -1.0), z2 = cmplx(1, 2), z3 = conjg(z1)
  logical, parameter :: l1 = 3 > 2 .and. .not. .false., l2 = 'abc' == 'abc  '
  character(*), parameter :: s1 = 'ab' // 'cd', s2 = trim('x  '), s3 = s1(2:3), s4 = achar(65), s5 = repeat('ab', 2)
  character(4), parameter :: s6 = 'x', s7(2) = ['abcdef', 'gh    ']
  integer, parameter :: a1(3) = [1, 2, 3], a2(2, 2) = reshape([1, 2, 3, 4], [2, 2]), a3(*) = [(k*k, k = 1, 4)]
  integer, parameter :: b1 = sum(a1), b2 = maxval(a2), b3 = a2(2, 1), b4 = size(a3), b5(2) = a3(2:4:2), b6 = a1(a3(1))
  integer, parameter :: b7(2, 2) = transpose(a2), b8(2) = matmul(a2, [1, 1]), b9 = dot_product(a1, a1), b10(3) = 5
  integer, parameter :: m1 = merge(1, 2, .true.), m2 = min(3, 1, 2), m3 = popcnt(255), m4 = ibset(0, 4), m5 = ior(1, 6)
  integer, parameter :: t1 = transfer(1.0, 1), t2 = ichar('a'), t3 = index('hello', 'l'), t4 = maxloc(a3, 1)
end module
",
    ));
}

#[test]
fn constants_without_a_value_are_reported() {
    expect![[r#"
        2:29 W0601 result does not fit into `integer(4)`
            use a larger kind, also for the operands
        3:29 E0602 division by zero
        4:29 E0602 remainder of a division by zero
        5:32 W0601 300 does not fit into `integer(1)`
            use a larger kind, also for the operands
        6:26 E0601 result does not fit into `real(4)`
        7:26 E0601 1e40 does not fit into `real(4)`
            write it with the exponent letter `d` for a `real(8)`
        8:26 E0603 argument is outside the domain of `sqrt`
        9:26 E0603 argument is outside the domain of `log`
        10:29 E0606 bit position 40 in `integer(4)` of 32 bits
        11:29 W0601 99999999999 does not fit into `integer(4)`
            use a larger kind, also for the operands
        12:29 E0306 `n` is not a constant
            the value must be known at compile time: use literals and named constants
        13:32 E0607 implied do loop with a step of zero
        14:29 E0603 subscript 5 is outside 1:3 of dimension 1
        14:29 W0301 subscript 5 is outside 1:3 of dimension 1
        14:32 W0301 subscript 5 is outside 1:3 of dimension 1
        16:40 E0605 constant is too large to be computed at compile time
        17:33 W0601 100000002004087734272 does not fit into `integer(4)`
            use a larger kind, also for the operands
        18:29 E0606 shift or position 99 for `integer(4)` of 32 bits
        19:26 E0602 division by zero
    "#]]
    .assert_eq(&errors(
        "module c
  integer, parameter :: a = 2147483647 + 1
  integer, parameter :: b = 1/0
  integer, parameter :: c = mod(3, 0)
  integer(1), parameter :: d = 300
  real, parameter :: e = 1e30*1e30
  real, parameter :: f = 1e40
  real, parameter :: g = sqrt(-1.0)
  real, parameter :: h = log(-1.0)
  integer, parameter :: i = ibset(0, 40)
  integer, parameter :: j = 99999999999
  integer, parameter :: k = n
  integer, parameter :: l(3) = [(i2, i2 = 1, 9, 0)]
  integer, parameter :: m = l2(5)
  integer, parameter :: l2(3) = [1, 2, 3]
  integer, parameter :: o(100000000) = [(1, i2 = 1, 100000000)]
  integer, parameter :: p = int(1e20)
  integer, parameter :: q = ishft(1, 99)
  real, parameter :: r = 1.0/0.0
  integer :: n
end module
",
    ));
}

#[test]
fn overflow_in_executable_code_is_a_warning_and_left_to_execution() {
    expect![[r#"
        4:7 W0601 result does not fit into `integer(4)`
        6:7 W0601 division by zero
        host subroutine s(n, x)
          integer(4) n [dummy 0]
          real(4) x [dummy 1]
          n = (2147483647 + 1)
          x = (1.0_4 / 0.0_4)
          n = (1 / 0)
          x = ((sin(1.0_4) + 2.0_4) + 8.0_4)
          n = 2147483646
    "#]]
    .assert_eq(&dump(
        "subroutine s(n, x)
  integer :: n
  real :: x
  n = 2147483647 + 1
  x = 1.0/0.0
  n = 1/0
  x = sin(1.0) + sqrt(4.0) + 2.0**3
  n = huge(n) - 1
end subroutine
",
    ));
}
