//! Integer arithmetic: two's complement of 8, 16, 32 and 64 bits, as the GPU does it.
//!
//! Invariants: no operation traps, panics or is undefined. Sums, differences and products wrap. Division follows what an
//! H200 computes: `x / 0` has all bits one, `mod(x, 0)` is `x`, `MIN / -1` is `MIN` with remainder 0. Bit intrinsics follow
//! the Fortran 2018 standard, clause 16.9, where it says something, and extend it by what a shift by too many bits naturally
//! gives where it leaves the result undefined; PTX's own shifts (ISA 9.7.8) are apart because they clamp.
//!
//! The functions are free and generic, not methods, so that `int::min` on a concrete type can never pick up the method of
//! the same name of the standard library. All are forced inline: the lane executor calls them in loops compiled for wider
//! vector instructions than the rest of the program, and only inlined code takes part in that.
//!
//! Not here: bit fields (`bitfield`, whose functions are re-exported), conversion to other types (`convert`), the front over raw bits (`bits`).

#![allow(clippy::inline_always, clippy::return_self_not_must_use)]

use crate::Ty;
mod bitfield;

pub use bitfield::{btest, dshiftl, dshiftr, ibclr, ibits, ibset, ishftc, maskl, maskr, merge_bits, mvbits};
use std::fmt::{Debug, Display};
use std::ops::{BitAnd, BitOr, BitXor, Not};

/// A two's complement integer of the machine. The methods are the primitives out of which this module's functions are made;
/// callers use the functions.
pub trait Int:
    Copy
    + Ord
    + Default
    + Debug
    + Display
    + Send
    + Sync
    + Not<Output = Self>
    + BitAnd<Output = Self>
    + BitOr<Output = Self>
    + BitXor<Output = Self>
    + 'static
{
    /// The type's name in the IR.
    const TY: Ty;
    /// Number of bits.
    const BITS: u32;
    /// The least value.
    const LEAST: Self;
    /// The greatest value.
    const GREATEST: Self;
    /// Zero.
    const ZERO: Self;
    /// One.
    const ONE: Self;
    /// The value in the low bits of a word, the rest zero: the canonical form of `bits`.
    fn to_word(self) -> u64;
    /// The low bits of a word.
    fn from_word(word: u64) -> Self;
    /// The value, sign-extended.
    fn to_i64(self) -> i64;
    /// The low bits of a 64-bit integer.
    fn from_i64(value: i64) -> Self;
    /// Sum that wraps.
    fn sum(self, b: Self) -> Self;
    /// Difference that wraps.
    fn difference(self, b: Self) -> Self;
    /// Product that wraps.
    fn product(self, b: Self) -> Self;
    /// The high half of the double-width signed product.
    fn product_high(self, b: Self) -> Self;
    /// The high half of the double-width unsigned product.
    fn product_high_unsigned(self, b: Self) -> Self;
    /// Quotient toward zero; the divisor must not be zero.
    fn quotient(self, b: Self) -> Self;
    /// Remainder of the quotient toward zero; the divisor must not be zero.
    fn remainder(self, b: Self) -> Self;
    /// Unsigned quotient; the divisor must not be zero.
    fn quotient_unsigned(self, b: Self) -> Self;
    /// Unsigned remainder; the divisor must not be zero.
    fn remainder_unsigned(self, b: Self) -> Self;
    /// Left shift by `n` modulo the width.
    fn shifted_left(self, n: u32) -> Self;
    /// Logical right shift by `n` modulo the width.
    fn shifted_right(self, n: u32) -> Self;
    /// Arithmetic right shift by `n` modulo the width.
    fn shifted_right_signed(self, n: u32) -> Self;
    /// Number of one bits.
    fn ones(self) -> u32;
    /// Number of zero bits above the highest one bit.
    fn zeros_above(self) -> u32;
    /// Number of zero bits below the lowest one bit.
    fn zeros_below(self) -> u32;
    /// The bits in reverse order.
    fn reversed(self) -> Self;
    /// Unsigned order.
    fn below(self, b: Self) -> bool;
}

macro_rules! int {
    ($t:ty, $u:ty, $wide:ty, $uwide:ty, $ty:expr) => {
        impl Int for $t {
            const TY: Ty = $ty;
            const BITS: u32 = <$t>::BITS;
            const LEAST: $t = <$t>::MIN;
            const GREATEST: $t = <$t>::MAX;
            const ZERO: $t = 0;
            const ONE: $t = 1;
            #[inline(always)]
            fn to_word(self) -> u64 {
                self as $u as u64
            }
            #[inline(always)]
            fn from_word(word: u64) -> $t {
                word as $t
            }
            #[inline(always)]
            fn to_i64(self) -> i64 {
                self as i64
            }
            #[inline(always)]
            fn from_i64(value: i64) -> $t {
                value as $t
            }
            #[inline(always)]
            fn sum(self, b: $t) -> $t {
                self.wrapping_add(b)
            }
            #[inline(always)]
            fn difference(self, b: $t) -> $t {
                self.wrapping_sub(b)
            }
            #[inline(always)]
            fn product(self, b: $t) -> $t {
                self.wrapping_mul(b)
            }
            #[inline(always)]
            fn product_high(self, b: $t) -> $t {
                ((self as $wide * b as $wide) >> <$t>::BITS) as $t
            }
            #[inline(always)]
            fn product_high_unsigned(self, b: $t) -> $t {
                ((self as $u as $uwide * b as $u as $uwide) >> <$t>::BITS) as $t
            }
            #[inline(always)]
            fn quotient(self, b: $t) -> $t {
                self.wrapping_div(b)
            }
            #[inline(always)]
            fn remainder(self, b: $t) -> $t {
                self.wrapping_rem(b)
            }
            #[inline(always)]
            fn quotient_unsigned(self, b: $t) -> $t {
                (self as $u / b as $u) as $t
            }
            #[inline(always)]
            fn remainder_unsigned(self, b: $t) -> $t {
                (self as $u % b as $u) as $t
            }
            #[inline(always)]
            fn shifted_left(self, n: u32) -> $t {
                self.wrapping_shl(n)
            }
            #[inline(always)]
            fn shifted_right(self, n: u32) -> $t {
                (self as $u).wrapping_shr(n) as $t
            }
            #[inline(always)]
            fn shifted_right_signed(self, n: u32) -> $t {
                self.wrapping_shr(n)
            }
            #[inline(always)]
            fn ones(self) -> u32 {
                self.count_ones()
            }
            #[inline(always)]
            fn zeros_above(self) -> u32 {
                self.leading_zeros()
            }
            #[inline(always)]
            fn zeros_below(self) -> u32 {
                self.trailing_zeros()
            }
            #[inline(always)]
            fn reversed(self) -> $t {
                self.reverse_bits()
            }
            #[inline(always)]
            fn below(self, b: $t) -> bool {
                (self as $u) < (b as $u)
            }
        }
    };
}

int!(i8, u8, i16, u16, Ty::I8);
int!(i16, u16, i32, u32, Ty::I16);
int!(i32, u32, i64, u64, Ty::I32);
int!(i64, u64, i128, u128, Ty::I64);

/// `a + b`, wrapping.
#[inline(always)]
pub fn add<T: Int>(a: T, b: T) -> T {
    a.sum(b)
}

/// `a - b`, wrapping.
#[inline(always)]
pub fn sub<T: Int>(a: T, b: T) -> T {
    a.difference(b)
}

/// `a * b`, wrapping.
#[inline(always)]
pub fn mul<T: Int>(a: T, b: T) -> T {
    a.product(b)
}

/// The high half of `a * b` as signed numbers (`mul.hi.s`, `__mulhi`).
#[inline(always)]
pub fn mulhi<T: Int>(a: T, b: T) -> T {
    a.product_high(b)
}

/// The high half of `a * b` as unsigned numbers (`mul.hi.u`, `__umulhi`).
#[inline(always)]
pub fn umulhi<T: Int>(a: T, b: T) -> T {
    a.product_high_unsigned(b)
}

/// `-a`, wrapping.
#[inline(always)]
pub fn neg<T: Int>(a: T) -> T {
    T::ZERO.difference(a)
}

/// `abs(a)`; the least value stays what it is.
#[inline(always)]
pub fn abs<T: Int>(a: T) -> T {
    if a < T::ZERO { neg(a) } else { a }
}

/// `sign(a, b)`: the magnitude of `a` with the sign of `b`, zero counting as positive.
#[inline(always)]
pub fn sign<T: Int>(a: T, b: T) -> T {
    let magnitude = abs(a);
    if b < T::ZERO { neg(magnitude) } else { magnitude }
}

/// `dim(a, b)`: `a - b` where that is positive, else 0.
#[inline(always)]
pub fn dim<T: Int>(a: T, b: T) -> T {
    if a > b { a.difference(b) } else { T::ZERO }
}

/// `a / b` toward zero; by 0 all bits are one, `LEAST / -1` is `LEAST`.
#[inline(always)]
pub fn div<T: Int>(a: T, b: T) -> T {
    let by_zero = b == T::ZERO;
    let q = a.quotient(if by_zero { T::ONE } else { b });
    if by_zero { !T::ZERO } else { q }
}

/// Fortran's `mod(a, b)`: what `div` leaves, with the sign of `a`; `mod(a, 0)` is `a`.
#[inline(always)]
pub fn rem<T: Int>(a: T, b: T) -> T {
    let by_zero = b == T::ZERO;
    let r = a.remainder(if by_zero { T::ONE } else { b });
    if by_zero { a } else { r }
}

/// Fortran's `modulo(a, b)`: the remainder with the sign of `b`; `modulo(a, 0)` is `a`.
#[inline(always)]
pub fn modulo<T: Int>(a: T, b: T) -> T {
    let r = rem(a, b);
    let wrong_side = r != T::ZERO && b != T::ZERO && (r < T::ZERO) != (b < T::ZERO);
    if wrong_side { r.sum(b) } else { r }
}

/// Unsigned `a / b`; by 0 all bits are one.
#[inline(always)]
pub fn udiv<T: Int>(a: T, b: T) -> T {
    let by_zero = b == T::ZERO;
    let q = a.quotient_unsigned(if by_zero { T::ONE } else { b });
    if by_zero { !T::ZERO } else { q }
}

/// Unsigned remainder; by 0 it is `a`.
#[inline(always)]
pub fn urem<T: Int>(a: T, b: T) -> T {
    let by_zero = b == T::ZERO;
    let r = a.remainder_unsigned(if by_zero { T::ONE } else { b });
    if by_zero { a } else { r }
}

/// The lesser, signed.
#[inline(always)]
pub fn min<T: Int>(a: T, b: T) -> T {
    if b < a { b } else { a }
}

/// The greater, signed.
#[inline(always)]
pub fn max<T: Int>(a: T, b: T) -> T {
    if b > a { b } else { a }
}

/// The lesser, unsigned.
#[inline(always)]
pub fn umin<T: Int>(a: T, b: T) -> T {
    if b.below(a) { b } else { a }
}

/// The greater, unsigned.
#[inline(always)]
pub fn umax<T: Int>(a: T, b: T) -> T {
    if a.below(b) { b } else { a }
}

/// `iand`.
#[inline(always)]
pub fn and<T: Int>(a: T, b: T) -> T {
    a & b
}

/// `ior`.
#[inline(always)]
pub fn or<T: Int>(a: T, b: T) -> T {
    a | b
}

/// `ieor`.
#[inline(always)]
pub fn xor<T: Int>(a: T, b: T) -> T {
    a ^ b
}

/// `not`.
#[inline(always)]
pub fn not<T: Int>(a: T) -> T {
    !a
}

/// PTX `shl`: the amount is unsigned and clamped, so that too many bits give 0.
#[inline(always)]
pub fn shl<T: Int>(a: T, n: u32) -> T {
    let r = a.shifted_left(n);
    if n >= T::BITS { T::ZERO } else { r }
}

/// PTX `shr.u`: logical, clamped: too many bits give 0.
#[inline(always)]
pub fn shr<T: Int>(a: T, n: u32) -> T {
    let r = a.shifted_right(n);
    if n >= T::BITS { T::ZERO } else { r }
}

/// PTX `shr.s`: arithmetic, clamped: too many bits give copies of the sign.
#[inline(always)]
pub fn sar<T: Int>(a: T, n: u32) -> T {
    a.shifted_right_signed(if n >= T::BITS { T::BITS - 1 } else { n })
}

/// Fortran's `ishft(a, n)`: left for positive `n`, logical right for negative; by the width or more gives 0.
#[inline(always)]
pub fn ishft<T: Int>(a: T, n: i32) -> T {
    let m = n.unsigned_abs();
    if n >= 0 { shl(a, m) } else { shr(a, m) }
}

/// Fortran's `shifta(a, n)`: arithmetic right shift.
#[inline(always)]
pub fn shifta<T: Int>(a: T, n: i32) -> T {
    sar(a, n as u32)
}

/// `popcnt(a)`.
#[inline(always)]
pub fn popcnt<T: Int>(a: T) -> i32 {
    a.ones() as i32
}

/// `poppar(a)`: 1 where the number of one bits is odd.
#[inline(always)]
pub fn poppar<T: Int>(a: T) -> i32 {
    popcnt(a) & 1
}

/// `leadz(a)`: zero bits above the highest one bit; the width for 0.
#[inline(always)]
pub fn leadz<T: Int>(a: T) -> i32 {
    a.zeros_above() as i32
}

/// `trailz(a)`: zero bits below the lowest one bit; the width for 0.
#[inline(always)]
pub fn trailz<T: Int>(a: T) -> i32 {
    a.zeros_below() as i32
}

/// The bits in reverse order (`brev`).
#[inline(always)]
pub fn brev<T: Int>(a: T) -> T {
    a.reversed()
}

/// `base ** exponent`, wrapping, by repeated squaring.
///
/// A negative exponent gives the truncated reciprocal: 1 and -1 stay themselves (the latter by parity), 0 gives what `1 / 0`
/// gives, all else 0.
#[inline]
pub fn pow<T: Int>(base: T, exponent: i64) -> T {
    if exponent < 0 {
        let minus_one = !T::ZERO;
        return if base == T::ONE {
            T::ONE
        } else if base == minus_one {
            if exponent & 1 == 0 { T::ONE } else { minus_one }
        } else {
            div(T::ONE, base) & if base == T::ZERO { minus_one } else { T::ZERO }
        };
    }
    let (mut power, mut square, mut n) = (T::ONE, base, exponent as u64);
    while n != 0 {
        if n & 1 != 0 {
            power = power.product(square);
        }
        square = square.product(square);
        n >>= 1;
    }
    power
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Interesting 64-bit patterns, narrowed by the callers.
    fn samples() -> Vec<i64> {
        let mut v = vec![0, 1, -1, 2, -2, 3, 7, -7, 10, 100, -100, i64::MIN, i64::MAX];
        for s in [7, 8, 15, 16, 31, 32, 63] {
            let p = 1i64.wrapping_shl(s);
            v.extend([p, p.wrapping_sub(1), p.wrapping_neg(), p.wrapping_neg().wrapping_sub(1)]);
        }
        let mut rng = fastrand::Rng::with_seed(1);
        v.extend((0..60).map(|_| rng.i64(..)));
        v
    }

    fn check_against_wide<T: Int>() {
        let wrap = |x: i128| T::from_i64(x as i64);
        for &x in &samples() {
            for &y in &samples() {
                let (a, b) = (T::from_i64(x), T::from_i64(y));
                let (p, q) = (i128::from(a.to_i64()), i128::from(b.to_i64()));
                let (ua, ub) = (u128::from(a.to_word()), u128::from(b.to_word()));
                assert_eq!(add(a, b), wrap(p + q));
                assert_eq!(sub(a, b), wrap(p - q));
                assert_eq!(mul(a, b), T::from_i64(a.to_i64().wrapping_mul(b.to_i64())));
                assert_eq!(mulhi(a, b), wrap((p * q) >> T::BITS));
                assert_eq!(umulhi(a, b), T::from_word(((ua * ub) >> T::BITS) as u64));
                if q == 0 {
                    assert_eq!((div(a, b), rem(a, b), modulo(a, b)), (wrap(-1), a, a));
                    assert_eq!((udiv(a, b), urem(a, b)), (wrap(-1), a));
                } else {
                    assert_eq!((div(a, b), rem(a, b)), (wrap(p / q), wrap(p % q)));
                    let m = ((p % q) + q) % q;
                    assert_eq!(modulo(a, b), wrap(m));
                    assert_eq!((udiv(a, b).to_word(), urem(a, b).to_word()), ((ua / ub) as u64, (ua % ub) as u64));
                }
                assert_eq!((min(a, b), max(a, b)), (Ord::min(a, b), Ord::max(a, b)));
                assert_eq!((umin(a, b).to_word(), umax(a, b).to_word()), (ua.min(ub) as u64, ua.max(ub) as u64));
                assert_eq!(dim(a, b), wrap((p - q).max(0)));
                assert_eq!(sign(a, b), wrap(if q < 0 { -p.abs() } else { p.abs() }));
            }
            let a = T::from_i64(x);
            let u = u128::from(a.to_word());
            for n in 0..=70u32 {
                assert_eq!(shl(a, n), T::from_word((u << n) as u64));
                assert_eq!(shr(a, n), T::from_word((u >> n) as u64));
                assert_eq!(sar(a, n), wrap(i128::from(a.to_i64()) >> n));
                assert_eq!(ishft(a, n as i32), shl(a, n));
                assert_eq!(ishft(a, -(n as i32)), shr(a, n));
            }
        }
    }

    #[test]
    fn arithmetic_of_every_width_equals_wide_arithmetic() {
        check_against_wide::<i8>();
        check_against_wide::<i16>();
        check_against_wide::<i32>();
        check_against_wide::<i64>();
    }

    #[test]
    fn division_that_overflows_or_divides_by_zero_is_as_on_the_gpu() {
        assert_eq!(div(7, 0), -1);
        assert_eq!(rem(7, 0), 7);
        assert_eq!(div(i32::MIN, -1), i32::MIN);
        assert_eq!(rem(i32::MIN, -1), 0);
        assert_eq!(div(i64::MIN, -1), i64::MIN);
        assert_eq!((modulo(-7, 3), modulo(7, -3), modulo(-7, -3)), (2, -2, -1));
    }

    #[test]
    fn powers_wrap_and_negative_exponents_truncate() {
        assert_eq!(pow(3_i32, 4), 81);
        assert_eq!(pow(2_i32, 31), i32::MIN);
        assert_eq!(pow(2_i32, 32), 0);
        assert_eq!((pow(-1_i32, -3), pow(-1_i32, -2), pow(1_i32, -5), pow(2_i32, -1)), (-1, 1, 1, 0));
        assert_eq!(pow(0_i32, 0), 1);
        assert_eq!(pow(0_i32, -1), -1);
    }
}
