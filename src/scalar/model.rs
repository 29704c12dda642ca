//! Fortran's functions on the model of real numbers (Fortran 2018, 16.4 and 16.9): `exponent`, `fraction`, `scale`,
//! `set_exponent`, `nearest`, `spacing`, `rrspacing`.
//!
//! Invariants: exact, subnormals included, but for `scale` and `set_exponent`, which round once where the result is
//! subnormal. Where the standard says nothing (infinities, NaNs), `exponent` is `huge(0)` and the others give a NaN for an
//! infinity and keep a NaN.
//!
//! Not here: inquiry functions that need no argument value; those are constants of [`Real`].

use crate::real::{Real, add, is_finite, is_nan, mul, sub};

/// The fraction, in [0.5, 1) with the sign, and the exponent of a finite nonzero number.
fn split<T: Real>(a: T) -> (T, i32) {
    let mantissa_bits = T::DIGITS - 1;
    let field = (1u64 << (T::TY.bytes() * 8 - 1)) - (1u64 << mantissa_bits);
    let (mut word, mut lift) = (a.to_word(), 0);
    if word & field == 0 {
        word = mul(a, power_of_two(T::DIGITS)).to_word();
        lift = T::DIGITS;
    }
    // The exponent field of a half.
    let half = T::MAX_EXPONENT - 2;
    let fraction = T::from_word((word & !field) | ((half as u64) << mantissa_bits));
    (fraction, ((word & field) >> mantissa_bits) as i32 - half - lift)
}

/// `2 ** n` for an `n` whose power is normal.
fn power_of_two<T: Real>(n: i32) -> T {
    T::from_word(((n + T::MAX_EXPONENT - 1) as u64) << (T::DIGITS - 1))
}

/// `exponent(a)`: the exponent for a fraction in [0.5, 1); 0 for 0, `huge(0)` for what is not finite.
pub fn exponent<T: Real>(a: T) -> i32 {
    if a == T::ZERO {
        0
    } else if is_finite(a) {
        split(a).1
    } else {
        i32::MAX
    }
}

/// `fraction(a)`: in [0.5, 1) with the sign of `a`; a zero stays.
pub fn fraction<T: Real>(a: T) -> T {
    if a == T::ZERO {
        a
    } else if is_finite(a) {
        split(a).0
    } else {
        sub(a, a)
    }
}

/// `scale(a, n)`: `a * 2 ** n`, rounded once.
pub fn scale<T: Real>(a: T, n: i32) -> T {
    let (mut a, mut n) = (a, n);
    let top = T::MAX_EXPONENT - 1;
    for _ in 0..2 {
        if n > top {
            a = mul(a, power_of_two(top));
            n -= top;
        }
    }
    // Going down, each step but the last leaves the number far enough above the subnormal range that it stays exact.
    let step = T::MIN_EXPONENT - 1 + T::DIGITS;
    for _ in 0..2 {
        if n < T::MIN_EXPONENT - 1 {
            a = mul(a, power_of_two(step));
            n -= step;
        }
    }
    mul(a, power_of_two(n.clamp(T::MIN_EXPONENT - 1, top)))
}

/// `set_exponent(a, n)`: the fraction of `a` with exponent `n`.
pub fn set_exponent<T: Real>(a: T, n: i32) -> T {
    if a == T::ZERO { a } else { scale(fraction(a), n) }
}

/// `nearest(a, s)`: the next number from `a` in the direction of the sign of `s`.
pub fn nearest<T: Real>(a: T, s: T) -> T {
    let up = !s.is_negative();
    if is_nan(a) {
        return add(a, a);
    }
    if a == T::ZERO {
        let least = T::from_word(1);
        return if up { least } else { least.flipped() };
    }
    if a.magnitude() == T::INFINITY && a.is_negative() != up {
        return a;
    }
    let word = a.to_word();
    T::from_word(if a.is_negative() == up { word - 1 } else { word + 1 })
}

/// `spacing(a)`: the distance of model numbers near `a`, at least `tiny`.
pub fn spacing<T: Real>(a: T) -> T {
    if !is_finite(a) {
        return sub(a, a);
    }
    let e = if a == T::ZERO { i32::MIN } else { split(a).1 };
    if e < T::MIN_EXPONENT - 1 + T::DIGITS { T::TINY } else { power_of_two(e - T::DIGITS) }
}

/// `rrspacing(a)`: the reciprocal of the relative spacing, `abs(fraction(a)) * 2 ** digits`.
pub fn rrspacing<T: Real>(a: T) -> T {
    if a == T::ZERO { T::ZERO } else { mul(fraction(a).magnitude(), power_of_two(T::DIGITS)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn number_is_its_fraction_scaled_by_its_exponent() {
        for x in [1.0, -3.75, 1e300, 1e-310, 5e-324, f64::MAX, -f64::MIN_POSITIVE] {
            let (f, e) = (fraction(x), exponent(x));
            assert!((0.5..1.0).contains(&f.abs()), "{x}: {f}");
            assert_eq!(scale(f, e), x);
        }
        for x in [1.0_f32, -3.75, 1e30, 1e-40, 1e-45, f32::MAX] {
            assert!((0.5..1.0).contains(&fraction(x).abs()));
            assert_eq!(scale(fraction(x), exponent(x)), x);
        }
        assert_eq!((exponent(0.0), exponent(1.0), exponent(f64::INFINITY)), (0, 1, i32::MAX));
        assert!(fraction(f64::INFINITY).is_nan());
    }

    #[test]
    fn scale_rounds_once_and_saturates() {
        assert_eq!(scale(1.0, 3000), f64::INFINITY);
        assert_eq!(scale(5e-324, 2097), scale(1.0, 1023));
        assert_eq!(scale(1.0, -3000), 0.0);
        assert_eq!(scale(f64::MAX, i32::MIN), 0.0);
        assert_eq!(scale(1.0_f32, i32::MAX), f32::INFINITY);
        let x = f64::from_bits(0x3ff8_0000_0000_0001);
        assert_eq!(scale(x, -1074), 1e-323);
        for n in -260..260 {
            let wide = 1.234_567_9_f32 as f64 * 2f64.powi(n);
            assert_eq!(scale(1.234_567_9_f32, n), wide as f32, "{n}");
        }
    }

    #[test]
    fn nearest_steps_over_zero_and_stops_at_infinity() {
        assert_eq!(nearest(1.0, 1.0), 1.0 + f64::EPSILON);
        assert_eq!(nearest(1.0, -1.0), 1.0 - f64::EPSILON / 2.0);
        assert_eq!(nearest(0.0, -1.0), -5e-324);
        assert_eq!(nearest(-5e-324, 1.0), 0.0);
        assert_eq!(nearest(f64::INFINITY, 1.0), f64::INFINITY);
        assert_eq!(nearest(f64::INFINITY, -1.0), f64::MAX);
        assert_eq!(nearest(f64::NEG_INFINITY, 1.0), f64::MIN);
        assert_eq!(nearest(f32::MAX, 1.0), f32::INFINITY);
    }

    #[test]
    fn spacing_is_that_of_the_model() {
        assert_eq!(spacing(1.0_f32), f32::EPSILON);
        assert_eq!(spacing(3.0), 2.0 * f64::EPSILON);
        assert_eq!((spacing(0.0), spacing(1e-310)), (f64::MIN_POSITIVE, f64::MIN_POSITIVE));
        assert_eq!(rrspacing(3.0_f32), 12_582_912.0);
        assert_eq!(set_exponent(3.0, 1), 1.5);
    }
}
