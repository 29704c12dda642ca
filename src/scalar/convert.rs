//! Conversion between the scalar types.
//!
//! Invariants: integers to integers sign-extend or wrap; integers to reals round to nearest even; reals to integers go by
//! the named rounding to an integer value and then saturate at the ends of the target. A NaN becomes what the target's
//! instruction on an H200 gives: 0 from real(4) to integer(4), `80…0` from real(8) to integer(4) and from either to
//! integer(8). PTX has no narrower signed target of its own here: integer(1) and integer(2) are the low bits of the
//! integer(4) result. A NaN that goes from one real kind to the other keeps its sign and as much of its payload as fits,
//! shifted, and is made quiet.
//!
//! Not here: logical values of CUDA Fortran, whose width is lowered before; `to_logical` and `from_logical` say what their
//! bits mean.

#![allow(clippy::inline_always)]

use crate::Ty;
use crate::int::Int;
use crate::real::{self, Real};

/// A real type that converts to the integer type `I`.
pub trait ToInt<I: Int>: Real {
    /// An integer value (or infinity, or NaN) as an integer: saturated, a NaN as the type pair's rule says.
    fn whole(self) -> I;
}

impl ToInt<i32> for f32 {
    #[inline(always)]
    fn whole(self) -> i32 {
        self as i32
    }
}

impl ToInt<i64> for f32 {
    #[inline(always)]
    fn whole(self) -> i64 {
        if self.is_nan() { i64::MIN } else { self as i64 }
    }
}

impl ToInt<i32> for f64 {
    #[inline(always)]
    fn whole(self) -> i32 {
        if self.is_nan() { i32::MIN } else { self as i32 }
    }
}

impl ToInt<i64> for f64 {
    #[inline(always)]
    fn whole(self) -> i64 {
        if self.is_nan() { i64::MIN } else { self as i64 }
    }
}

macro_rules! narrow {
    ($real:ty, $int:ty) => {
        impl ToInt<$int> for $real {
            #[inline(always)]
            fn whole(self) -> $int {
                ToInt::<i32>::whole(self) as $int
            }
        }
    };
}

narrow!(f32, i8);
narrow!(f32, i16);
narrow!(f64, i8);
narrow!(f64, i16);

/// A real type that integers convert to.
pub trait FromInt: Real {
    /// The nearest number, ties to even.
    fn of_i64(value: i64) -> Self;
    /// The nearest number to an unsigned value, ties to even.
    fn of_u64(value: u64) -> Self;
    /// The nearest number, ties to even; apart from `of_i64` because vector instructions exist for this one.
    fn of_i32(value: i32) -> Self;
}

macro_rules! from_int {
    ($real:ty) => {
        impl FromInt for $real {
            #[inline(always)]
            fn of_i64(value: i64) -> $real {
                value as $real
            }
            #[inline(always)]
            fn of_u64(value: u64) -> $real {
                value as $real
            }
            #[inline(always)]
            fn of_i32(value: i32) -> $real {
                value as $real
            }
        }
    };
}

from_int!(f32);
from_int!(f64);

/// An integer as a real, rounded to nearest even.
#[inline(always)]
pub fn int_to_real<I: Int, R: FromInt>(a: I) -> R {
    if I::BITS <= 32 { R::of_i32(a.to_i64() as i32) } else { R::of_i64(a.to_i64()) }
}

/// `int(a)`: toward zero (`cvt.rzi`).
#[inline(always)]
pub fn trunc_to_int<R: ToInt<I>, I: Int>(a: R) -> I {
    // The conversion itself truncates, so no rounding comes first.
    a.whole()
}

/// `floor(a)` (`cvt.rmi`).
#[inline(always)]
pub fn floor_to_int<R: ToInt<I>, I: Int>(a: R) -> I {
    a.down().whole()
}

/// `ceiling(a)` (`cvt.rpi`).
#[inline(always)]
pub fn ceil_to_int<R: ToInt<I>, I: Int>(a: R) -> I {
    a.up().whole()
}

/// `nint(a)`: ties away from zero.
#[inline(always)]
pub fn nint<R: ToInt<I>, I: Int>(a: R) -> I {
    a.to_nearest_away().whole()
}

/// To the nearest integer, ties to even (`cvt.rni`).
#[inline(always)]
pub fn rint_to_int<R: ToInt<I>, I: Int>(a: R) -> I {
    a.to_even().whole()
}

/// real(4) as real(8); exact.
#[inline(always)]
pub fn widen(a: f32) -> f64 {
    let nan =
        (u64::from(a.to_bits() & 0x7fff_ffff) << 29) | 0x7ff8_0000_0000_0000 | (u64::from(a.to_bits() >> 31) << 63);
    if a.is_nan() { f64::from_bits(nan) } else { a as f64 }
}

/// real(8) as real(4), rounded to nearest even; a NaN keeps its sign and the upper bits of its payload and becomes quiet, as an
/// H200 has it.
#[inline(always)]
pub fn narrow(a: f64) -> f32 {
    let bits = a.to_bits();
    let nan = ((bits >> 32) as u32 & 0x8000_0000) | 0x7fc0_0000 | ((bits >> 29) as u32 & 0x003f_ffff);
    f32::from_bits(if a.is_nan() { nan } else { (a as f32).to_bits() })
}

/// The logical that integer bits mean: any bit set is true, as nvfortran takes an integer for a logical.
#[inline(always)]
pub fn to_logical<I: Int>(a: I) -> bool {
    a != I::ZERO
}

/// Any real as real(8), for callers that are generic in the source; exact.
#[inline(always)]
pub fn real_to_f64<R: Real>(a: R) -> f64 {
    if R::TY == Ty::F32 { widen(f32::from_word(a.to_word())) } else { f64::from_word(a.to_word()) }
}

/// A real(8) as any real; rounds only for real(4).
#[inline(always)]
pub fn real_from_f64<R: Real>(a: f64) -> R {
    if R::TY == Ty::F32 { R::from_word(real::Real::to_word(narrow(a))) } else { R::from_word(a.to_word()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nan_to_integer_depends_on_the_pair_of_types() {
        assert_eq!(trunc_to_int::<f32, i32>(f32::NAN), 0);
        assert_eq!(trunc_to_int::<f64, i32>(f64::NAN), i32::MIN);
        assert_eq!(trunc_to_int::<f32, i64>(f32::NAN), i64::MIN);
        assert_eq!(trunc_to_int::<f64, i64>(f64::NAN), i64::MIN);
        assert_eq!(trunc_to_int::<f32, i8>(f32::NAN), 0);
    }

    #[test]
    fn real_to_integer_saturates_and_narrow_targets_take_low_bits() {
        assert_eq!(trunc_to_int::<f32, i32>(1e20), i32::MAX);
        assert_eq!(trunc_to_int::<f64, i64>(-1e30), i64::MIN);
        assert_eq!(trunc_to_int::<f64, i32>(f64::INFINITY), i32::MAX);
        assert_eq!(trunc_to_int::<f32, i8>(300.0), 44);
        assert_eq!(trunc_to_int::<f32, i16>(1e20), -1);
    }

    #[test]
    fn roundings_to_integer_are_as_named() {
        assert_eq!((floor_to_int::<_, i32>(-1.5), ceil_to_int::<_, i32>(-1.5)), (-2, -1));
        assert_eq!((nint::<_, i32>(2.5), nint::<_, i32>(-2.5), rint_to_int::<_, i32>(2.5)), (3, -3, 2));
        assert_eq!(nint::<f64, i64>(0.499_999_999_999_999_94), 0);
    }

    #[test]
    fn integer_to_real_rounds_to_even() {
        assert_eq!(int_to_real::<i32, f32>(16_777_217), 16_777_216.0);
        assert_eq!(int_to_real::<i32, f32>(16_777_219), 16_777_220.0);
        assert_eq!(int_to_real::<i64, f64>((1 << 53) + 1), 9_007_199_254_740_992.0);
        assert_eq!(int_to_real::<i8, f32>(-128), -128.0);
    }

    #[test]
    fn widths_of_reals_keep_values_and_mark_nan() {
        assert_eq!(narrow(f64::from_bits(0xfff8_0000_0000_0001)).to_bits(), 0xffc0_0000);
        assert_eq!(narrow(f64::from_bits(0x7ff0_0000_2000_0000)).to_bits(), 0x7fc0_0001);
        assert_eq!(narrow(f64::from_bits(0x7ff4_0000_4000_0000)).to_bits(), 0x7fe0_0002);
        assert_eq!(widen(f32::from_bits(0x7fff_ffff)).to_bits(), 0x7fff_ffff_e000_0000);
        assert_eq!(narrow(1e-45), 1e-45_f32);
        assert_eq!(narrow(1e39), f32::INFINITY);
        assert_eq!(real_from_f64::<f32>(real_to_f64(0.1_f32)), 0.1_f32);
    }
}
