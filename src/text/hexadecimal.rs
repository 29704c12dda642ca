//! Reals with hexadecimal digits and an exponent of two: `EX` editing, and such numbers in input (Fortran 2018, 13.7.2.3.6 and
//! 13.7.2.3.2).
//!
//! The first digit of what is written is 1, as C's `%a` has it; the standard leaves it to the processor.
//!
//! Not here: reals with decimal digits (`field`, `number_in`).

use crate::field::{Shape, right, sign_char, stars};
use crate::modes::{Modes, Round};
use scalar::{Ty, bits};

/// Hexadecimal digits behind the first bit of a real(8).
const MOST_DIGITS: usize = 13;

/// `EXw.dEe` of a finite value. `d` of 0 stands for as many digits as the value has.
pub(crate) fn field(out: &mut Vec<u8>, value: f64, shape: Shape, modes: Modes) {
    let is_negative = value.is_sign_negative();
    let (mut digits, mut exponent) = split(value.abs());
    let places =
        if shape.d > 0 { shape.d } else { MOST_DIGITS.saturating_sub(digits.trailing_zeros() as usize / 4).max(1) };
    if places < MOST_DIGITS {
        let dropped = 4 * (MOST_DIGITS - places) as u32;
        digits = rounded(digits.into(), dropped, false, modes.round, is_negative) as u64;
        if digits >> (4 * places) > 1 {
            (digits, exponent) = (digits >> 1, exponent + 1);
        }
    }
    let kept = places.min(MOST_DIGITS);
    let mut text: Vec<u8> = sign_char(is_negative, modes).into_iter().collect();
    text.extend_from_slice(b"0X");
    text.push(b'0' + (digits >> (4 * kept)) as u8);
    text.push(modes.decimal.symbol());
    text.extend((0..kept).rev().map(|at| b"0123456789ABCDEF"[(digits >> (4 * at)) as usize & 15]));
    text.extend(std::iter::repeat_n(b'0', places - kept));
    text.push(b'P');
    text.push(if exponent < 0 { b'-' } else { b'+' });
    let power = exponent.unsigned_abs().to_string();
    let width = shape.e.unwrap_or(0);
    text.extend(std::iter::repeat_n(b'0', width.saturating_sub(power.len())));
    text.extend_from_slice(power.as_bytes());
    let overflows = width > 0 && power.len() > width || shape.w > 0 && text.len() > shape.w;
    if overflows {
        return stars(out, shape.w);
    }
    right(out, &text, shape.w);
}

/// The first bit of a value with the 52 behind it, and the exponent of the first.
fn split(value: f64) -> (u64, i32) {
    let word = value.to_bits();
    let (fraction, exponent) = (word & ((1 << 52) - 1), (word >> 52) as i32);
    match (exponent, fraction) {
        (0, 0) => (0, 0),
        (0, _) => {
            let shift = fraction.leading_zeros() - 11;
            (fraction << shift, -1022 - shift as i32)
        }
        _ => (fraction | 1 << 52, exponent - 1023),
    }
}

/// A magnitude without its last bits, behind which there is more if `has_more`.
fn rounded(magnitude: u128, dropped: u32, has_more: bool, round: Round, is_negative: bool) -> u128 {
    let kept = magnitude.checked_shr(dropped).unwrap_or(0);
    let rest = magnitude ^ kept.checked_shl(dropped).unwrap_or(0);
    let half = 1u128.checked_shl(dropped.wrapping_sub(1)).unwrap_or(0);
    let (is_exact, is_half) = (rest == 0 && !has_more, half != 0 && rest == half && !has_more);
    let is_over_half = half != 0 && rest >= half && !is_half;
    let goes_up = match round {
        _ if is_exact => false,
        Round::Up => !is_negative,
        Round::Down => is_negative,
        Round::Zero => false,
        Round::Compatible | Round::Unset => is_over_half || is_half,
        Round::Nearest | Round::Processor => is_over_half || is_half && kept & 1 == 1,
    };
    kept + u128::from(goes_up)
}

/// The bits of a real of type `ty` from `0X`, digits with an optional point, and `P` with an exponent of two; `None` if the text has
/// another form. The sign is known already, and only decides how the magnitude is rounded.
pub(crate) fn magnitude(ty: Ty, text: &[u8], modes: Modes, is_negative: bool) -> Option<u64> {
    let rest = text.strip_prefix(b"0x").or_else(|| text.strip_prefix(b"0X"))?;
    let (mut digits, mut count, mut behind, mut at) = (0u128, 0usize, None, 0);
    let (mut has_more, mut exponent) = (false, 0i64);
    while let Some(&c) = rest.get(at) {
        if c == modes.decimal.symbol() && behind.is_none() {
            behind = Some(());
        } else if let Some(digit) = (c as char).to_digit(16) {
            count += 1;
            if digits >> 120 == 0 {
                digits = digits << 4 | u128::from(digit);
                exponent -= if behind.is_some() { 4 } else { 0 };
            } else {
                has_more |= digit != 0;
                exponent += if behind.is_some() { 0 } else { 4 };
            }
        } else {
            break;
        }
        at += 1;
    }
    if count == 0 {
        return None;
    }
    match &rest[at..] {
        [b'p' | b'P', power @ ..] => {
            let power = power.strip_prefix(b"+").unwrap_or(power);
            exponent += std::str::from_utf8(power).ok()?.parse::<i64>().ok()?.clamp(-100_000, 100_000);
        }
        _ => return None,
    }
    Some(of_parts(ty, (digits, exponent, has_more), modes.round.for_input(), is_negative))
}

/// The bits of `digits · 2**exponent`.
fn of_parts(ty: Ty, (digits, exponent, has_more): (u128, i64, bool), round: Round, is_negative: bool) -> u64 {
    // Bits of a significand, the exponent of the least bit of all, and that of the greatest first bit.
    let (precision, least, greatest) = match ty {
        Ty::I16 => (11, -24, 15),
        Ty::F32 => (24, -149, 127),
        _ => (53, -1074, 1023),
    };
    if digits == 0 {
        return 0;
    }
    let first = exponent + i64::from(digits.ilog2());
    let unit = (first - (precision - 1)).max(least);
    let significand = match u32::try_from(unit - exponent) {
        Ok(dropped) => rounded(digits, dropped, has_more, round, is_negative),
        // Few digits: they stand further up.
        Err(_) => digits << (exponent - unit).min(64),
    };
    let first = significand.checked_ilog2().map(|bits| unit + i64::from(bits));
    let value = if first.is_none() {
        0.0
    } else if first > Some(greatest) {
        let goes_up = match round {
            Round::Up => !is_negative,
            Round::Down => is_negative,
            Round::Zero => false,
            _ => true,
        };
        if goes_up { f64::INFINITY } else { scaled((1 << precision) - 1, greatest - precision + 1) }
    } else {
        scaled(significand as u64, unit)
    };
    match ty {
        Ty::F32 => bits::from_f32(value as f32),
        Ty::I16 => scalar::half::round(value).into(),
        _ => bits::from_f64(value),
    }
}

/// `significand · 2**unit`, which a real(8) can hold.
fn scaled(significand: u64, unit: i64) -> f64 {
    let power = |n: i64| f64::from_bits(((n + 1023) as u64) << 52);
    if unit < -1022 { significand as f64 * power(unit + 200) * power(-200) } else { significand as f64 * power(unit) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(value: f64, w: usize, d: usize, e: Option<usize>) -> String {
        let mut out = Vec::new();
        field(&mut out, value, Shape { w, d, e, k: 0 }, Modes::default());
        String::from_utf8(out).unwrap_or_default()
    }

    #[test]
    fn fields_have_the_digits_that_are_asked_for() {
        assert_eq!(written(1.5, 12, 4, None), " 0X1.8000P+0");
        assert_eq!(written(-1.0, 0, 0, None), "-0X1.0P+0");
        assert_eq!(written(0.1, 0, 0, None), "0X1.999999999999AP-4");
        assert_eq!(written(0.1, 0, 3, Some(3)), "0X1.99AP-004");
        assert_eq!(written(1.999, 0, 1, None), "0X1.0P+1");
        assert_eq!(written(0.0, 10, 2, None), " 0X0.00P+0");
        assert_eq!(written(5e-324, 0, 2, None), "0X1.00P-1074");
        assert_eq!(written(1.0, 0, 15, None), "0X1.000000000000000P+0");
        assert_eq!(written(1.5, 8, 4, None), "********");
        assert_eq!(written(1024.0, 0, 1, Some(1)), "*");
    }

    #[test]
    fn what_is_written_is_read_back() {
        for value in [1.5, 0.1, 5e-324, f64::MAX, f64::MIN_POSITIVE, 123_456.789, 1e-310] {
            let text = written(value, 0, 0, None);
            assert_eq!(magnitude(Ty::F64, text.as_bytes(), Modes::default(), false), Some(value.to_bits()), "{text}");
        }
        let single = |text: &str| magnitude(Ty::F32, text.as_bytes(), Modes::default(), false);
        // Halfway, which is rounded to even by default, as in literals.
        assert_eq!(single("0x1.000001p0"), Some(u64::from(1.0f32.to_bits())));
        assert_eq!(single("0x1.000003P0"), Some(u64::from(1.0f32.to_bits()) + 2));
        assert_eq!(single("0xffp-4"), Some(15.9375f32.to_bits().into()));
        assert_eq!(single("0x1p200"), Some(f32::INFINITY.to_bits().into()));
        assert_eq!(single("0x.1p0"), Some(0.0625f32.to_bits().into()));
        assert_eq!((single("0x"), single("0x1q3"), single("1p3")), (None, None, None));
        assert_eq!(magnitude(Ty::I16, b"0x1p-24", Modes::default(), false), Some(1));
    }
}
