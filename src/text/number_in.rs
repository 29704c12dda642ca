//! Numbers and logicals out of text: the conversion that formatted, list-directed and namelist input share.
//!
//! Reals are rounded once: the decimal text is brought into one form, with the scale factor and an implied point in its exponent, and
//! converted directly to the item's type, to nearest even. Where another rounding mode is in force, the result is compared with the
//! text, exactly, and may become its neighbour. Integers that do not fit their kind are an error.
//!
//! Not here: where a field or constant begins and ends (`read`, `list_read`).

use crate::decimal;
use crate::error::IoError;
use crate::hexadecimal;
use crate::modes::{Modes, Round};
use scalar::{Ty, bits};
use std::cmp::Ordering;

fn shown(text: &[u8]) -> String {
    String::from_utf8_lossy(text).into_owned()
}

fn bad(item: &'static str, text: &[u8]) -> IoError {
    IoError::BadValue { item, text: shown(text) }
}

/// An optional sign, and what follows it.
fn signed(text: &[u8]) -> (bool, &[u8]) {
    match text {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        _ => (false, text),
    }
}

/// The canonical bits of a decimal integer.
pub(crate) fn integer(ty: Ty, text: &[u8]) -> Result<u64, IoError> {
    let (negative, digits) = signed(text);
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
        return Err(bad("integer", text));
    }
    let mut value = 0i128;
    for digit in digits {
        value = (value * 10 + i128::from(digit - b'0')).min(1 << 100);
    }
    if negative {
        value = -value;
    }
    let half = 1i128 << (ty.bytes() * 8 - 1);
    if value < -half || value >= half {
        return Err(IoError::IntegerOverflow { text: shown(text) });
    }
    Ok(bits::from_signed(ty, value as i64))
}

/// The canonical bits of an integer, or of a real constant cut to one.
pub(crate) fn whole(ty: Ty, text: &[u8], modes: Modes) -> Result<u64, IoError> {
    let error = match integer(ty, text) {
        Err(error @ IoError::BadValue { .. }) => error,
        known => return known,
    };
    let value = match real(Ty::F64, text, modes, 0, 0).map(f64::from_bits) {
        Ok(value) if !value.is_nan() => value.trunc(),
        _ => return Err(error),
    };
    let half = 2f64.powi(ty.bytes() as i32 * 8 - 1);
    if value < -half || value >= half {
        return Err(IoError::IntegerOverflow { text: shown(text) });
    }
    Ok(bits::from_signed(ty, value as i64))
}

/// The bits of a binary, octal or hexadecimal number, as many as the type has.
pub(crate) fn radix(ty: Ty, text: &[u8], bits_per_digit: u32) -> Result<u64, IoError> {
    let mut value = 0u128;
    for c in text {
        let digit = (*c as char).to_digit(1 << bits_per_digit).ok_or_else(|| bad("integer", text))?;
        value = (value << bits_per_digit) | u128::from(digit);
        if value >> (ty.bytes() * 8) != 0 {
            return Err(IoError::IntegerOverflow { text: shown(text) });
        }
    }
    if text.is_empty() { Err(bad("integer", text)) } else { Ok(value as u64) }
}

/// The canonical bits of a real constant. `implied` digits stand behind a point that is not written; `scale` divides by that
/// power of ten where there is no exponent.
pub(crate) fn real(ty: Ty, text: &[u8], modes: Modes, implied: usize, scale: i32) -> Result<u64, IoError> {
    let (negative, rest) = signed(text);
    if let Some(word) = hexadecimal::magnitude(ty, rest, modes, negative) {
        return Ok(with_sign(ty, word, negative));
    }
    let mut plain = String::with_capacity(text.len() + 8);
    let (mut at, mut digits, mut point) = (0, 0, None);
    while let Some(c) = rest.get(at) {
        if c.is_ascii_digit() {
            plain.push(*c as char);
            digits += 1;
        } else if *c == modes.decimal.symbol() && point.is_none() {
            point = Some(digits);
        } else {
            break;
        }
        at += 1;
    }
    let word = if digits == 0 {
        special(rest).ok_or_else(|| bad("real", text))?
    } else {
        let exponent = match &rest[at..] {
            [] => None,
            tail => Some(exponent(tail).ok_or_else(|| bad("real", text))?),
        };
        let behind = point.map_or(implied as i64, |p| (digits - p) as i64);
        let power = exponent.unwrap_or(-i64::from(scale)) - behind;
        plain.push('e');
        plain.push_str(&power.to_string());
        let nearest = match ty {
            Ty::F32 => bits::from_f32(plain.parse().map_err(|_| bad("real", text))?),
            Ty::I16 => scalar::half::round(plain.parse().map_err(|_| bad("real", text))?).into(),
            _ => bits::from_f64(plain.parse().map_err(|_| bad("real", text))?),
        };
        rounded(ty, nearest, (&plain.as_bytes()[..digits], power), modes.round.for_input(), negative)
    };
    let word = match ty {
        Ty::F32 if digits == 0 => bits::convert(Ty::F64, Ty::F32, word),
        Ty::I16 if digits == 0 => scalar::half::round(f64::from_bits(word)).into(),
        _ => word,
    };
    Ok(with_sign(ty, word, negative))
}

fn with_sign(ty: Ty, word: u64, negative: bool) -> u64 {
    match ty {
        _ if !negative => word,
        Ty::I16 => word ^ 0x8000,
        _ => bits::neg(ty, word),
    }
}

/// The magnitude that the digits times a power of ten become by a rounding mode (Fortran 2018, 13.7.2.3.8), from the nearest one.
fn rounded(ty: Ty, nearest: u64, (digits, power): (&[u8], i64), round: Round, negative: bool) -> u64 {
    let is_away = match round {
        Round::Nearest | Round::Processor | Round::Unset => return nearest,
        Round::Up => !negative,
        Round::Down => negative,
        Round::Zero | Round::Compatible => false,
    };
    let magnitude = |word: u64| match ty {
        Ty::F32 => f64::from(f32::from_bits(word as u32)),
        Ty::I16 => scalar::half::widen(word as u16).into(),
        _ => f64::from_bits(word),
    };
    let value = magnitude(nearest);
    let (m, e) = decimal::parts(value);
    let beside = if value.is_infinite() { Ordering::Less } else { decimal::compare(digits, power, m, e) };
    if round == Round::Compatible {
        // What is halfway between two goes away from zero, and the even one of them may be the lesser.
        let half = halfway(value, magnitude(nearest + 1));
        let is_half = half.is_some_and(|(m, e)| decimal::compare(digits, power, m, e) == Ordering::Equal);
        return nearest + u64::from(beside == Ordering::Greater && is_half);
    }
    match beside {
        Ordering::Greater if is_away => nearest + 1,
        Ordering::Less if !is_away => nearest - 1,
        _ => nearest,
    }
}

/// What is halfway between two magnitudes of which one follows the other, as `m * 2^e`; none between the greatest and infinity.
fn halfway(value: f64, next: f64) -> Option<(u64, i32)> {
    let step = next - value;
    let (unit, e) = decimal::parts(step / 2.0);
    // Half of the least real(8) is none.
    let e = if unit == 0 { -1075 } else { e };
    let (m, own) = decimal::parts(value);
    let shift = u32::try_from(if m == 0 { 0 } else { own - e }).ok()?;
    step.is_finite().then_some((m.checked_shl(shift)? + 1, e))
}

/// The real of a field under a format. A point, a sign or an exponent without a digit before it is 0, as the validation suite of
/// FORTRAN 77 has it.
pub(crate) fn real_field(ty: Ty, text: &[u8], modes: Modes, implied: usize, scale: i32) -> Result<u64, IoError> {
    let (_, rest) = signed(text);
    let tail = rest.strip_prefix(&[modes.decimal.symbol()]).unwrap_or(rest);
    if !text.is_empty() && (tail.is_empty() || exponent(tail).is_some()) {
        return real(ty, b"0", modes, 0, 0);
    }
    real(ty, text, modes, implied, scale)
}

/// `E5`, `d-5`, `q+05`, `+5`: an exponent's value.
fn exponent(tail: &[u8]) -> Option<i64> {
    let rest = match tail {
        [b'e' | b'E' | b'd' | b'D' | b'q' | b'Q', rest @ ..] => rest,
        [b'+' | b'-', ..] => tail,
        _ => return None,
    };
    let (negative, digits) = signed(rest);
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    let value = digits.iter().fold(0i64, |n, d| (n * 10 + i64::from(d - b'0')).min(1_000_000));
    Some(if negative { -value } else { value })
}

/// The bits, as of a real(8), of `inf`, `infinity`, `nan` and `nan(...)`.
fn special(text: &[u8]) -> Option<u64> {
    let is = |word: &[u8]| text.eq_ignore_ascii_case(word);
    if is(b"inf") || is(b"infinity") {
        Some(bits::from_f64(f64::INFINITY))
    } else if is(b"nan") || (text.len() > 4 && text[..4].eq_ignore_ascii_case(b"nan(") && text.ends_with(b")")) {
        Some(bits::from_f64(f64::NAN))
    } else {
        None
    }
}

/// `T`, `.false.`, `true` …: an optional point, a letter, anything.
pub(crate) fn logical(text: &[u8]) -> Result<u64, IoError> {
    let letter = text.strip_prefix(b".").unwrap_or(text).first();
    match letter.map(u8::to_ascii_uppercase) {
        Some(b'T') => Ok(1),
        Some(b'F') => Ok(0),
        _ => Err(bad("logical", text)),
    }
}

/// `text` as a character value of `length`: cut or padded at its right.
pub(crate) fn characters(text: &[u8], length: usize) -> Vec<u8> {
    let mut value = text[..text.len().min(length)].to_vec();
    value.resize(length, b' ');
    value
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::modes::Decimal;

    fn plain() -> Modes {
        Modes::default()
    }

    fn comma() -> Modes {
        Modes { decimal: Decimal::Comma, ..plain() }
    }

    /// The reals that a text becomes, rounded up, down, to zero, and to nearest with halves away from zero.
    fn by_modes(ty: Ty, text: &str) -> [u64; 4] {
        [Round::Up, Round::Down, Round::Zero, Round::Compatible]
            .map(|round| real(ty, text.as_bytes(), Modes { round, ..plain() }, 0, 0).expect("a real"))
    }

    #[test]
    fn reals_are_rounded_by_the_mode_in_force() {
        let single = |value: f32| u64::from(value.to_bits());
        let (low, high) = (0x3dcc_cccc, 0x3dcc_cccd);
        assert_eq!(by_modes(Ty::F32, "0.1"), [high, low, low, high]);
        let minus = 1 << 31;
        assert_eq!(by_modes(Ty::F32, "-0.1"), [low | minus, high | minus, low | minus, high | minus]);
        assert_eq!(by_modes(Ty::F32, "0.500"), [single(0.5); 4]);
        // Halfway between 2**24 and what follows it.
        let (even, next) = (single(16_777_216.0), single(16_777_218.0));
        assert_eq!(by_modes(Ty::F32, "16777217"), [next, even, even, next]);
        assert_eq!(by_modes(Ty::F32, "16777216.99"), [next, even, even, even]);
        let (most, inf) = (f64::MAX.to_bits(), f64::INFINITY.to_bits());
        assert_eq!(by_modes(Ty::F64, "1e400"), [inf, most, most, inf]);
        assert_eq!(by_modes(Ty::F64, "1e-400"), [1, 0, 0, 0]);
        // Half of the least real(8).
        let half = "2.4703282292062327208299439644930e-324";
        assert_eq!(by_modes(Ty::F64, half), [1, 0, 0, 0]);
        assert_eq!(by_modes(Ty::F64, "0.000e5"), [0; 4]);
        assert_eq!(by_modes(Ty::I16, "2049"), [0x6801, 0x6800, 0x6800, 0x6801]);
    }

    fn r8(text: &str) -> f64 {
        real(Ty::F64, text.as_bytes(), plain(), 0, 0).map_or(f64::MIN, f64::from_bits)
    }

    #[test]
    fn reals_take_every_form_of_exponent() {
        assert_eq!(
            (r8("1"), r8("1."), r8(".5"), r8("-1.5e2"), r8("1d3"), r8("1+2"), r8("25-1")),
            (1.0, 1.0, 0.5, -150.0, 1e3, 100.0, 2.5)
        );
        assert_eq!((r8("1e999999999999"), r8("-infinity")), (f64::INFINITY, f64::NEG_INFINITY));
        assert!(r8("NaN(123)").is_nan());
        for text in ["", ".", "e5", "1e", "1x", "1.2.3", "--1", "1e+"] {
            assert!(real(Ty::F64, text.as_bytes(), plain(), 0, 0).is_err(), "{text}");
        }
        assert_eq!(real(Ty::F64, b"12345", plain(), 2, 0), Ok(bits::from_f64(123.45)));
        assert_eq!(real(Ty::F64, b"12345", plain(), 2, 1), Ok(bits::from_f64(12.345)));
        assert_eq!(real(Ty::F64, b"1,5", comma(), 0, 0), Ok(bits::from_f64(1.5)));
    }

    #[test]
    fn single_precision_is_rounded_once() {
        // Halfway between two real(4) numbers but for the last digit, which a real(8) would lose.
        let text = b"1.00000005960464477539062500000000000000000000001";
        assert_eq!(real(Ty::F32, text, plain(), 0, 0), Ok(bits::from_f32(1.000_000_1)));
    }

    #[test]
    fn reals_are_cut_to_integers() {
        let of = |ty, text: &str| whole(ty, text.as_bytes(), plain());
        assert_eq!((of(Ty::I32, "1e6"), of(Ty::I32, "-2.9")), (Ok(1_000_000), Ok(0xffff_fffe)));
        assert_eq!((of(Ty::I8, "12"), of(Ty::I64, "-9223372036854775808.")), (Ok(12), Ok(1 << 63)));
        for text in ["1e10", "-128.5e1", "inf", "128"] {
            assert!(matches!(of(Ty::I8, text), Err(IoError::IntegerOverflow { .. })), "{text}");
        }
        for text in ["nan", "1x", "t", ""] {
            assert!(matches!(of(Ty::I8, text), Err(IoError::BadValue { item: "integer", .. })), "{text}");
        }
    }

    #[test]
    fn integers_that_do_not_fit_are_errors() {
        assert_eq!(integer(Ty::I8, b"-128"), Ok(0x80));
        assert!(matches!(integer(Ty::I8, b"128"), Err(IoError::IntegerOverflow { .. })));
        assert!(matches!(
            integer(Ty::I64, b"99999999999999999999999999999999999999999999"),
            Err(IoError::IntegerOverflow { .. })
        ));
        assert!(matches!(integer(Ty::I32, b"1.0"), Err(IoError::BadValue { .. })));
        assert_eq!(radix(Ty::I8, b"fF", 4), Ok(0xff));
        assert!(radix(Ty::I8, b"100", 4).is_err());
        assert!(radix(Ty::I32, b"2", 1).is_err());
    }
}
