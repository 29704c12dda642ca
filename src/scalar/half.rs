//! real(2): IEEE binary16, which is held as its 16 bits and computed with as real(4).
//!
//! A sum, difference, product, quotient or square root of two binary16 numbers that is rounded to binary32 and then to binary16 is
//! the correctly rounded one, since 24 bits are at least two times 11 and 2 more (Figueroa, "When is double rounding innocuous?",
//! 1995). A NaN becomes the canonical one of the other type (PTX ISA, `cvt`).
//!
//! Not here: arithmetic; whoever needs it widens, computes and rounds (`sema`).

use crate::model;

/// The canonical NaN.
const NAN: u16 = 0x7fff;
/// Infinity.
const INFINITY: u16 = 0x7c00;

/// A binary16 number as real(4); exact.
#[must_use]
pub fn widen(bits: u16) -> f32 {
    let sign = u32::from(bits & 0x8000) << 16;
    let (exponent, fraction) = (u32::from(bits >> 10 & 0x1f), u32::from(bits & 0x3ff));
    match exponent {
        0x1f if fraction != 0 => f32::from_bits(0x7fff_ffff),
        0x1f => f32::from_bits(sign | 0x7f80_0000),
        0 => f32::from_bits(sign | (fraction as f32 * f32::from_bits((127 - 24) << 23)).to_bits()),
        _ => f32::from_bits(sign | (exponent + 127 - 15) << 23 | fraction << 13),
    }
}

/// A real(8) rounded once to the nearest binary16 number, ties to even.
#[must_use]
pub fn round(a: f64) -> u16 {
    let bits = a.to_bits();
    let (sign, magnitude) = ((bits >> 48) as u16 & 0x8000, bits & (u64::MAX >> 1));
    let size = f64::from_bits(magnitude);
    if size.is_nan() {
        NAN
    } else if size >= 65520.0 {
        sign | INFINITY
    } else if size < f64::from_bits((1023 - 14) << 52) {
        // A multiple of 2**-24; the least normal number follows the greatest subnormal one.
        sign | (size * f64::from_bits((1023 + 24) << 52)).round_ties_even() as u16
    } else {
        let half = (1 << 41) - 1 + (magnitude >> 42 & 1);
        sign | (((magnitude + half) >> 42) - ((1023 - 15) << 10)) as u16
    }
}

/// The next number in a direction; an infinity stays where it is pushed further.
#[must_use]
pub fn nearest(bits: u16, up: bool) -> u16 {
    let (is_negative, magnitude) = (bits >> 15 == 1, bits & 0x7fff);
    match magnitude {
        0 => {
            if up {
                1
            } else {
                0x8001
            }
        }
        _ if magnitude > INFINITY => NAN,
        INFINITY if is_negative != up => bits,
        _ if is_negative == up => bits - 1,
        _ => bits + 1,
    }
}

/// The distance of numbers near this one, at least `tiny`; both are real(4) numbers of the same exponent.
#[must_use]
pub fn spacing(bits: u16) -> u16 {
    let wide = model::spacing(widen(bits)) * 8192.0;
    round(f64::from(if wide < f32::from_bits((127 - 14) << 23) { f32::from_bits((127 - 14) << 23) } else { wide }))
}

/// The reciprocal of the relative spacing.
#[must_use]
pub fn rrspacing(bits: u16) -> u16 {
    round(f64::from(model::rrspacing(widen(bits)) / 8192.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_and_distances_are_those_of_the_format() {
        for bits in 1..0x7bff_u16 {
            let (low, high) = (widen(bits), widen(bits + 1));
            assert_eq!((nearest(bits, true), nearest(bits + 1, false)), (bits + 1, bits));
            assert_eq!(
                (nearest(bits | 0x8000, false), nearest(bits + 1 | 0x8000, true)),
                (bits + 1 | 0x8000, bits | 0x8000)
            );
            assert_eq!(widen(spacing(bits)), (high - low).max(6.103_515_6e-5), "{bits:04x}");
            let relative = low / 2f32.powi(low.log2().floor() as i32) * 1024.0;
            assert_eq!(widen(rrspacing(bits | 0x8000)), relative, "{bits:04x}");
        }
        assert_eq!(
            [nearest(0, true), nearest(0x8000, false), nearest(0x7c00, true), nearest(0x7c00, false)],
            [1, 0x8001, 0x7c00, 0x7bff]
        );
        assert_eq!([nearest(0xfc00, false), nearest(0xfc00, true), nearest(0x7e00, true)], [0xfc00, 0xfbff, NAN]);
        assert_eq!([spacing(0), spacing(0x7c00), rrspacing(0), rrspacing(0xfc00)], [0x0400, NAN, 0, NAN]);
    }

    #[test]
    fn each_number_is_itself_after_widening() {
        for bits in 0..=u16::MAX {
            let wide = widen(bits);
            let expected = if wide.is_nan() { NAN } else { bits };
            assert_eq!(round(f64::from(wide)), expected, "{bits:04x}");
        }
    }

    #[test]
    fn values_are_those_of_the_format() {
        assert_eq!(widen(0x3c00), 1.0);
        assert_eq!(widen(0xc000), -2.0);
        assert_eq!(widen(0x7bff), 65504.0);
        assert_eq!(widen(0x0400), 6.103_515_6e-5);
        assert_eq!(widen(0x0001), 5.960_464_5e-8);
        assert_eq!(widen(0xfc00), f32::NEG_INFINITY);
        assert_eq!(widen(0x8000).to_bits(), 0x8000_0000);
    }

    #[test]
    fn what_lies_between_two_numbers_goes_to_the_nearer_and_to_the_even_one() {
        for bits in 0..0x7bff_u16 {
            let (low, high) = (f64::from(widen(bits)), f64::from(widen(bits + 1)));
            let middle = f64::midpoint(low, high);
            assert_eq!(round(middle), bits + (bits & 1), "{bits:04x}");
            assert_eq!(round(middle.next_down()), bits, "{bits:04x}");
            assert_eq!(round(middle.next_up()), bits + 1, "{bits:04x}");
            assert_eq!(round(-middle), 0x8000 | bits + (bits & 1), "{bits:04x}");
        }
        assert_eq!((round(65519.0), round(65520.0), round(1e300)), (0x7bff, 0x7c00, 0x7c00));
        let nans = [0x7ff0_0000_0000_0001, 0xfff8_0400_0000_0000].map(f64::from_bits);
        assert_eq!(nans.map(round), [NAN; 2]);
        assert_eq!((round(2f64.powi(-25)), round(2f64.powi(-25).next_up()), round(-1e-300)), (0, 1, 0x8000));
    }
}
