//! Real arithmetic: IEEE binary32 and binary64 in rounding to nearest even with subnormals kept, as PTX's `.rn` forms.
//!
//! Invariants, measured on an H200: a real(4) operation that yields a NaN yields [`Real::DEFAULT_NAN`] with all fraction bits
//! one (`7fffffff`), whatever came in; a real(8) operation keeps payloads (of two NaNs, sums, products, minima and
//! maxima return the second operand's, quotients the first's) and makes them quiet. Because the rule is applied after the operation by a selection on
//! `result /= result`, it costs a comparison and a blend, never a branch, and loops over it become vector code. Sign
//! operations make a real(4) NaN canonical too; on real(8) they touch the sign bit alone.
//!
//! Free generic functions, forced inline, for the reasons given in `int`.
//!
//! Not here: directed rounding, conversion (`convert`), transcendental functions, which are Fortran source of the
//! project and thereby the same on every device; Fortran's model functions (`exponent`, `spacing` …) are in `model`.

#![allow(clippy::inline_always, clippy::return_self_not_must_use)]

use crate::Ty;
use std::fmt::Debug;

/// An IEEE number. The methods are the primitives out of which this module's functions are made; callers use the functions.
pub trait Real: Copy + PartialOrd + Default + Debug + Send + Sync + 'static {
    /// The type's name in the IR.
    const TY: Ty;
    /// Fortran's `digits`: bits of the significand, the implied one included.
    const DIGITS: i32;
    /// Fortran's `maxexponent`, for a fraction in [0.5, 1).
    const MAX_EXPONENT: i32;
    /// Fortran's `minexponent`.
    const MIN_EXPONENT: i32;
    /// Zero.
    const ZERO: Self;
    /// One.
    const ONE: Self;
    /// The NaN that an operation on numbers produces.
    const DEFAULT_NAN: Self;
    /// Positive infinity.
    const INFINITY: Self;
    /// `huge`.
    const HUGE: Self;
    /// `tiny`: the least normal number.
    const TINY: Self;
    /// The bits in the low part of a word.
    fn to_word(self) -> u64;
    /// The low bits of a word as a number.
    fn from_word(word: u64) -> Self;
    /// IEEE sum, whatever NaN comes out.
    fn sum(self, b: Self) -> Self;
    /// IEEE difference.
    fn difference(self, b: Self) -> Self;
    /// IEEE product.
    fn product(self, b: Self) -> Self;
    /// IEEE quotient.
    fn quotient(self, b: Self) -> Self;
    /// IEEE square root.
    fn root(self) -> Self;
    /// IEEE fused multiply-add, rounded once.
    fn fused(self, b: Self, c: Self) -> Self;
    /// What is left of the quotient toward zero, exact.
    fn remainder(self, b: Self) -> Self;
    /// To an integer value, downwards.
    fn down(self) -> Self;
    /// To an integer value, upwards.
    fn up(self) -> Self;
    /// To an integer value, toward zero.
    fn toward_zero(self) -> Self;
    /// To the nearest integer value, ties to even.
    fn to_even(self) -> Self;
    /// To the nearest integer value, ties away from zero.
    fn to_nearest_away(self) -> Self;
    /// The sign bit turned over.
    fn flipped(self) -> Self;
    /// The sign bit cleared.
    fn magnitude(self) -> Self;
    /// The magnitude of `self` with the sign bit of `b`.
    fn with_sign_of(self, b: Self) -> Self;
    /// Whether the sign bit is set.
    fn is_negative(self) -> bool;
    /// `result`, or where that is a NaN the one that an operation on `a` alone gives.
    fn settle1(result: Self, a: Self) -> Self;
    /// `result`, or where that is a NaN the one of `last` if it is one, else of `first`, else [`Real::DEFAULT_NAN`].
    fn settle2(result: Self, last: Self, first: Self) -> Self;
    /// The same for three operands, the most preferred first.
    fn settle3(result: Self, best: Self, second: Self, third: Self) -> Self;
    /// A real(4) NaN made canonical; real(8) stays as it is.
    fn canonical(self) -> Self;
}

macro_rules! primitives {
    ($t:ty, $bits:ty) => {
        const ZERO: $t = 0.0;
        const ONE: $t = 1.0;
        const INFINITY: $t = <$t>::INFINITY;
        const HUGE: $t = <$t>::MAX;
        const TINY: $t = <$t>::MIN_POSITIVE;
        const DIGITS: i32 = <$t>::MANTISSA_DIGITS as i32;
        const MAX_EXPONENT: i32 = <$t>::MAX_EXP;
        const MIN_EXPONENT: i32 = <$t>::MIN_EXP;
        #[inline(always)]
        fn to_word(self) -> u64 {
            self.to_bits() as u64
        }
        #[inline(always)]
        fn from_word(word: u64) -> $t {
            <$t>::from_bits(word as $bits)
        }
        #[inline(always)]
        fn sum(self, b: $t) -> $t {
            self + b
        }
        #[inline(always)]
        fn difference(self, b: $t) -> $t {
            self - b
        }
        #[inline(always)]
        fn product(self, b: $t) -> $t {
            self * b
        }
        #[inline(always)]
        fn quotient(self, b: $t) -> $t {
            self / b
        }
        #[inline(always)]
        fn root(self) -> $t {
            self.sqrt()
        }
        #[inline(always)]
        fn fused(self, b: $t, c: $t) -> $t {
            self.mul_add(b, c)
        }
        #[inline(always)]
        fn remainder(self, b: $t) -> $t {
            self % b
        }
        #[inline(always)]
        fn down(self) -> $t {
            self.floor()
        }
        #[inline(always)]
        fn up(self) -> $t {
            self.ceil()
        }
        #[inline(always)]
        fn toward_zero(self) -> $t {
            self.trunc()
        }
        #[inline(always)]
        fn to_even(self) -> $t {
            self.round_ties_even()
        }
        #[inline(always)]
        fn to_nearest_away(self) -> $t {
            self.round()
        }
        #[inline(always)]
        fn is_negative(self) -> bool {
            self.is_sign_negative()
        }
    };
}

impl Real for f32 {
    const TY: Ty = Ty::F32;
    const DEFAULT_NAN: f32 = f32::from_bits(0x7fff_ffff);
    primitives!(f32, u32);
    #[inline(always)]
    fn flipped(self) -> f32 {
        f32::canonical(-self)
    }
    #[inline(always)]
    fn magnitude(self) -> f32 {
        f32::canonical(self.abs())
    }
    #[inline(always)]
    fn with_sign_of(self, b: f32) -> f32 {
        f32::canonical(self.copysign(b.canonical()))
    }
    #[inline(always)]
    fn settle1(result: f32, _: f32) -> f32 {
        // The test is of bits too: of `x < 0 ? NaN : sqrt(x)`, which it makes of the other form, LLVM drops the selection.
        let bits = result.to_bits();
        let is_nan = (bits & 0x7fff_ffff) as i32 > 0x7f80_0000;
        f32::from_bits(if is_nan { f32::DEFAULT_NAN.to_bits() } else { bits })
    }
    #[inline(always)]
    fn settle2(result: f32, _: f32, _: f32) -> f32 {
        result.canonical()
    }
    #[inline(always)]
    fn settle3(result: f32, _: f32, _: f32, _: f32) -> f32 {
        result.canonical()
    }
    #[inline(always)]
    fn canonical(self) -> f32 {
        // The selection is of bits: to a compiler's floating-point rules one NaN is as good as another.
        f32::from_bits(if self.is_nan() { f32::DEFAULT_NAN.to_bits() } else { self.to_bits() })
    }
}

/// The bit that makes a real(8) NaN quiet.
const QUIET: u64 = 1 << 51;

/// The bits of `a`'s NaN, quiet, or `other` where `a` is a number.
#[inline(always)]
fn nan_of(a: f64, other: u64) -> u64 {
    if a.is_nan() { a.to_bits() | QUIET } else { other }
}

/// `result` where it is a number, else the NaN with the given bits.
#[inline(always)]
fn number_or(result: f64, nan: u64) -> f64 {
    // The selection is of bits: to a compiler's floating-point rules one NaN is as good as another.
    f64::from_bits(if result.is_nan() { nan } else { result.to_bits() })
}

impl Real for f64 {
    const TY: Ty = Ty::F64;
    const DEFAULT_NAN: f64 = f64::from_bits(0xfff8_0000_0000_0000);
    primitives!(f64, u64);
    #[inline(always)]
    fn flipped(self) -> f64 {
        -self
    }
    #[inline(always)]
    fn magnitude(self) -> f64 {
        self.abs()
    }
    #[inline(always)]
    fn with_sign_of(self, b: f64) -> f64 {
        self.copysign(b)
    }
    #[inline(always)]
    fn settle1(result: f64, a: f64) -> f64 {
        // The test is of bits too, for the reason given at real(4).
        let bits = result.to_bits();
        let is_nan = (bits & (u64::MAX >> 1)) as i64 > f64::INFINITY.to_bits() as i64;
        f64::from_bits(if is_nan { nan_of(a, f64::DEFAULT_NAN.to_bits()) } else { bits })
    }
    #[inline(always)]
    fn settle2(result: f64, last: f64, first: f64) -> f64 {
        number_or(result, nan_of(last, nan_of(first, f64::DEFAULT_NAN.to_bits())))
    }
    #[inline(always)]
    fn settle3(result: f64, best: f64, second: f64, third: f64) -> f64 {
        number_or(result, nan_of(best, nan_of(second, nan_of(third, f64::DEFAULT_NAN.to_bits()))))
    }
    #[inline(always)]
    fn canonical(self) -> f64 {
        self
    }
}

/// `a + b`.
#[inline(always)]
pub fn add<T: Real>(a: T, b: T) -> T {
    T::settle2(a.sum(b), b, a)
}

/// `a - b`.
#[inline(always)]
pub fn sub<T: Real>(a: T, b: T) -> T {
    T::settle2(a.difference(b), b, a)
}

/// `a * b`.
#[inline(always)]
pub fn mul<T: Real>(a: T, b: T) -> T {
    T::settle2(a.product(b), b, a)
}

/// `a / b`.
#[inline(always)]
pub fn div<T: Real>(a: T, b: T) -> T {
    T::settle2(a.quotient(b), a, b)
}

/// `sqrt(a)`.
#[inline(always)]
pub fn sqrt<T: Real>(a: T) -> T {
    T::settle1(a.root(), a)
}

/// `a * b + c`, rounded once. Without the processor's own instruction this is exact but slow.
#[inline(always)]
pub fn fma<T: Real>(a: T, b: T, c: T) -> T {
    T::settle3(a.fused(b, c), c, b, a)
}

/// `-a`.
#[inline(always)]
pub fn neg<T: Real>(a: T) -> T {
    a.flipped()
}

/// `abs(a)`.
#[inline(always)]
pub fn abs<T: Real>(a: T) -> T {
    a.magnitude()
}

/// Fortran's `sign(a, b)`: the magnitude of `a` with the sign bit of `b`.
#[inline(always)]
pub fn sign<T: Real>(a: T, b: T) -> T {
    a.with_sign_of(b)
}

/// Whether `a` is a NaN.
#[inline(always)]
#[allow(clippy::eq_op)]
pub fn is_nan<T: Real>(a: T) -> bool {
    a != a
}

/// Whether `a` is neither infinite nor a NaN.
#[inline(always)]
pub fn is_finite<T: Real>(a: T) -> bool {
    a.magnitude() < T::INFINITY
}

/// PTX `min`: of a NaN and a number the number, of both zeros the negative one.
#[inline(always)]
pub fn min<T: Real>(a: T, b: T) -> T {
    let first = a < b || (a == b && a.is_negative());
    T::settle2(if first || is_nan(b) { a } else { b }, b, a)
}

/// PTX `max`: of a NaN and a number the number, of both zeros the positive one.
#[inline(always)]
pub fn max<T: Real>(a: T, b: T) -> T {
    let first = a > b || (a == b && b.is_negative());
    T::settle2(if first || is_nan(b) { a } else { b }, b, a)
}

/// The greatest integer value not above `a`.
#[inline(always)]
pub fn floor<T: Real>(a: T) -> T {
    T::settle1(a.down(), a)
}

/// The least integer value not below `a`.
#[inline(always)]
pub fn ceil<T: Real>(a: T) -> T {
    T::settle1(a.up(), a)
}

/// `aint(a)`: the integer value toward zero.
#[inline(always)]
pub fn trunc<T: Real>(a: T) -> T {
    T::settle1(a.toward_zero(), a)
}

/// The nearest integer value, ties to even (`cvt.rni`, `rint`).
#[inline(always)]
pub fn rint<T: Real>(a: T) -> T {
    T::settle1(a.to_even(), a)
}

/// `anint(a)`: the nearest integer value, ties away from zero.
#[inline(always)]
pub fn round<T: Real>(a: T) -> T {
    T::settle1(a.to_nearest_away(), a)
}

/// Fortran's `mod(a, p)`, exact, with the sign of `a`; a NaN for `p` zero or `a` infinite.
#[inline]
pub fn rem<T: Real>(a: T, p: T) -> T {
    T::settle2(a.remainder(p), a, p)
}

/// Fortran's `modulo(a, p)`: `mod` brought to the sign of `p`, zeros included.
#[inline]
pub fn modulo<T: Real>(a: T, p: T) -> T {
    let r = rem(a, p);
    if r == T::ZERO {
        r.with_sign_of(p)
    } else if (r < T::ZERO) == (p < T::ZERO) {
        r
    } else {
        add(r, p)
    }
}

/// Fortran's `dim(a, b)`: `a - b` where that is positive, else 0; a NaN stays one.
#[inline(always)]
pub fn dim<T: Real>(a: T, b: T) -> T {
    if a <= b { T::ZERO } else { sub(a, b) }
}

/// `a ** n` by repeated squaring; for negative `n` the reciprocal of the positive power.
#[inline]
pub fn powi<T: Real>(a: T, n: i64) -> T {
    let (mut power, mut square, mut left) = (T::ONE, a, n.unsigned_abs());
    while left != 0 {
        if left & 1 != 0 {
            power = mul(power, square);
        }
        left >>= 1;
        if left != 0 {
            square = mul(square, square);
        }
    }
    if n < 0 { div(T::ONE, power) } else { power }
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: f64 = f64::from_bits(0x7ff8_0000_0000_000a);
    const B: f64 = f64::from_bits(0xfff8_0000_0000_000b);

    /// Hides a value from the optimiser, which would otherwise compute the test's expectation with the compiler's own rules.
    fn hide<T>(value: T) -> T {
        std::hint::black_box(value)
    }

    #[test]
    fn nan_of_single_precision_is_canonical() {
        let odd = hide(f32::from_bits(0xffc0_1234));
        let (zero, infinity, minus) = (hide(0.0_f32), hide(f32::INFINITY), hide(-1.0_f32));
        for r in [
            add(odd, 1.0),
            sub(1.0, odd),
            sub(infinity, infinity),
            mul(zero, infinity),
            div(zero, zero),
            sqrt(minus),
            sqrt(odd),
            fma(odd, 1.0, 1.0),
            fma(zero, infinity, 1.0),
            neg(odd),
            abs(odd),
            sign(odd, -1.0),
            floor(odd),
            ceil(odd),
            trunc(odd),
            rint(odd),
            round(odd),
            rem(1.0, zero),
            modulo(odd, 2.0),
            dim(odd, 1.0),
            powi(odd, 3),
            min(odd, odd),
            max(odd, odd),
        ] {
            assert_eq!(r.to_bits(), 0x7fff_ffff);
        }
        assert_eq!(sign(2.0_f32, odd), 2.0);
    }

    #[test]
    fn loops_over_lanes_keep_the_rules() {
        let odd = f32::from_bits(0xffc0_1234);
        let a: [f32; 32] = hide(std::array::from_fn(|i| if i % 3 == 0 { odd } else { -(i as f32) }));
        let b: [f32; 32] = hide([odd; 32]);
        let (mut sum, mut root, mut fused) = ([0.0; 32], [0.0; 32], [0.0; 32]);
        for i in 0..32 {
            sum[i] = add(a[i], b[i]);
            root[i] = sqrt(a[i]);
            fused[i] = fma(a[i], a[i], b[i]);
        }
        for r in sum.iter().chain(&root[1..]).chain(&fused) {
            assert_eq!(r.to_bits(), 0x7fff_ffff);
        }
        let a: [f64; 32] = hide(std::array::from_fn(|i| if i % 2 == 0 { A } else { -1.0 }));
        let b: [f64; 32] = hide([B; 32]);
        let (mut sum, mut quotient, mut root) = ([0.0; 32], [0.0; 32], [0.0; 32]);
        for i in 0..32 {
            sum[i] = add(a[i], b[i]);
            quotient[i] = div(a[i], b[i]);
            root[i] = sqrt(a[i]);
        }
        assert!(sum.iter().all(|r| r.to_bits() == B.to_bits()));
        assert!(quotient.iter().step_by(2).all(|r| r.to_bits() == A.to_bits()));
        assert!(root.iter().step_by(2).all(|r| r.to_bits() == A.to_bits()));
        assert!(root.iter().skip(1).step_by(2).all(|r| r.to_bits() == f64::DEFAULT_NAN.to_bits()));
    }

    #[test]
    fn nan_of_double_precision_keeps_its_payload() {
        assert_eq!(add(A, B).to_bits(), B.to_bits());
        assert_eq!(add(B, A).to_bits(), A.to_bits());
        assert_eq!(mul(A, B).to_bits(), B.to_bits());
        assert_eq!(div(A, B).to_bits(), A.to_bits());
        assert_eq!(add(A, 1.0).to_bits(), A.to_bits());
        assert_eq!(div(1.0, B).to_bits(), B.to_bits());
        let (a, b) = (hide(A), hide(B));
        for r in [sqrt(b), floor(b), ceil(b), trunc(b), rint(b), round(b), fma(a, b, b), rem(b, 1.0), dim(1.0, b)] {
            assert_eq!(r.to_bits(), B.to_bits());
        }
        for r in [sqrt(hide(-1.0)), div(hide(0.0), 0.0), sub(hide(f64::INFINITY), f64::INFINITY), rem(hide(1.0), 0.0)] {
            assert_eq!(r.to_bits(), f64::DEFAULT_NAN.to_bits());
        }
        let signalling = f64::from_bits(0x7ff0_0000_0000_0001);
        assert_eq!(mul(signalling, 2.0).to_bits(), signalling.to_bits() | QUIET);
        assert_eq!(neg(A).to_bits(), A.to_bits() | (1 << 63));
    }

    #[test]
    fn minimum_prefers_numbers_and_orders_zeros() {
        let nan = f32::NAN;
        assert_eq!((min(nan, 1.0), min(1.0, nan), max(nan, 1.0), max(1.0, nan)), (1.0, 1.0, 1.0, 1.0));
        assert!(min(0.0_f32, -0.0).is_sign_negative() && min(-0.0_f32, 0.0).is_sign_negative());
        assert!(max(0.0_f32, -0.0).is_sign_positive() && max(-0.0_f32, 0.0).is_sign_positive());
        assert_eq!((min(1.0, 2.0), max(1.0, 2.0), min(2.0, 1.0), max(2.0, 1.0)), (1.0, 2.0, 1.0, 2.0));
    }

    #[test]
    fn modulo_has_the_sign_of_its_second_argument() {
        assert_eq!(
            (modulo(8.0, 5.0), modulo(-8.0, 5.0), modulo(8.0, -5.0), modulo(-8.0, -5.0)),
            (3.0, 2.0, -2.0, -3.0)
        );
        assert!(modulo(-4.0_f64, 2.0).is_sign_positive() && modulo(4.0_f64, -2.0).is_sign_negative());
        assert_eq!((rem(8.0, 5.0), rem(-8.0, 5.0)), (3.0, -3.0));
    }

    #[test]
    fn rounding_to_integer_values_breaks_ties_as_named() {
        assert_eq!((rint(2.5), rint(3.5), round(2.5), round(-2.5), trunc(-2.7)), (2.0, 4.0, 3.0, -3.0, -2.0));
        assert_eq!(round(0.499_999_999_999_999_94), 0.0);
        assert_eq!(round(0.499_999_97_f32), 0.0);
    }

    #[test]
    fn integer_powers_multiply_by_squares() {
        assert_eq!((powi(2.0, 10), powi(2.0, -2), powi(-3.0, 3), powi(0.0, 0)), (1024.0, 0.25, -27.0, 1.0));
        assert_eq!(powi(1.0, i64::MIN), 1.0);
    }
}
