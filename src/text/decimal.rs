//! Exact decimal digits of binary reals, rounded in any of Fortran's modes at any place.
//!
//! A finite double is `m * 2^e`. Its decimal expansion ends, so the digits up to a place and the comparison of the rest with
//! one half are exact, and rounding them is a choice of mode only. Common numbers and places fit 128-bit arithmetic; the
//! others take a short multi-word integer for the part before the point and another for the part behind it. A real(4) comes
//! as the double of equal value.
//!
//! Not here: layout (`field`), infinities and NaNs.

use crate::modes::Round;
use std::cmp::Ordering;

/// Digits of a number: `0.d1 d2 d3 ... * 10^exponent`. No digits stand for zero.
#[derive(Clone, Debug, Default)]
pub(crate) struct Digits {
    /// ASCII digits.
    pub(crate) digits: Vec<u8>,
    /// Decimal exponent.
    pub(crate) exponent: i32,
}

/// Where digits end.
#[derive(Clone, Copy, Debug)]
pub(crate) enum At {
    /// So many places behind the decimal point; negative counts before it.
    Places(i32),
    /// After so many significant digits.
    Significant(usize),
}

/// Whether a magnitude is to be rounded away from zero, given what is cut off relative to one half of the last place.
fn away(round: Round, negative: bool, odd: bool, exact: bool, rest: Ordering) -> bool {
    !exact
        && match round {
            Round::Up => !negative,
            Round::Down => negative,
            Round::Zero => false,
            Round::Compatible | Round::Unset => rest != Ordering::Less,
            Round::Nearest | Round::Processor => rest == Ordering::Greater || (rest == Ordering::Equal && odd),
        }
}

const POW10: [u128; 39] = {
    let mut table = [1u128; 39];
    let mut i = 1;
    while i < 39 {
        table[i] = table[i - 1] * 10;
        i += 1;
    }
    table
};

/// `m` and `e` of a finite magnitude `m * 2^e`.
pub(crate) fn parts(value: f64) -> (u64, i32) {
    let bits = value.to_bits();
    let field = ((bits >> 52) & 0x7ff) as i32;
    let fraction = bits & ((1 << 52) - 1);
    let (m, e) = if field == 0 { (fraction, -1074) } else { (fraction | (1 << 52), field - 1075) };
    if m == 0 {
        return (0, 0);
    }
    let zeros = m.trailing_zeros();
    (m >> zeros, e + zeros as i32)
}

impl Digits {
    fn clear(&mut self) {
        self.digits.clear();
        self.exponent = 0;
    }

    /// Sets the digits of an integer, without leading zeros.
    fn set_integer(&mut self, n: u128) {
        let mut buffer = [0u8; 40];
        let mut at = buffer.len();
        let mut push = |digit: u64| {
            at -= 1;
            buffer[at] = b'0' + digit as u8;
        };
        let mut rest = n as u64;
        if n > u128::from(u64::MAX) {
            // Two pieces of 19 digits, then what is left.
            let mut high = n;
            for _ in 0..2 {
                let mut piece = (high % POW10[19]) as u64;
                high /= POW10[19];
                if high == 0 {
                    rest = piece;
                    break;
                }
                for _ in 0..19 {
                    push(piece % 10);
                    piece /= 10;
                }
                rest = high as u64;
            }
        }
        while rest != 0 {
            push(rest % 10);
            rest /= 10;
        }
        self.digits.clear();
        self.digits.extend_from_slice(&buffer[at..]);
    }

    /// The digits of the finite magnitude `value`, whose sign is given for the modes that look at it.
    pub(crate) fn set(&mut self, value: f64, negative: bool, at: At, round: Round) {
        self.clear();
        let (m, e) = parts(value);
        if m == 0 {
            return;
        }
        match at {
            At::Places(places) => {
                if let Some((whole, exact, rest)) = scaled(m, e, places) {
                    let up = away(round, negative, whole & 1 == 1, exact, rest);
                    self.set_integer(whole + u128::from(up));
                    if !self.digits.is_empty() {
                        self.exponent = self.digits.len() as i32 - applied(e, places);
                        self.pad_places(places);
                    }
                } else {
                    self.expand(m, e, at, negative, round);
                }
            }
            At::Significant(count) => {
                if count == 0 || count > 36 || !self.set_significant(m, e, count, negative, round) {
                    self.expand(m, e, at, negative, round);
                }
            }
        }
    }

    /// Appends zeros until the digits reach the given place.
    fn pad_places(&mut self, places: i32) {
        let have = self.digits.len() as i32 - self.exponent;
        if places > have {
            self.digits.resize(self.digits.len() + (places - have) as usize, b'0');
        }
    }

    fn set_significant(&mut self, m: u64, e: i32, count: usize, negative: bool, round: Round) -> bool {
        // log10(2) is a little more than 1233/4096; the estimate is the exponent or one less.
        let log2 = e + (64 - m.leading_zeros() as i32) - 1;
        let mut exponent = (log2 * 1233).div_euclid(4096) + 1;
        loop {
            let places = count as i32 - exponent;
            let Some((mut whole, exact, rest)) = scaled(m, e, places) else { return false };
            if places > 0 && e >= 0 {
                // `scaled` leaves out the factor when the number is whole already.
                let Some(product) = POW10.get(places as usize).and_then(|p| whole.checked_mul(*p)) else {
                    return false;
                };
                whole = product;
            }
            if whole >= POW10[count] {
                exponent += 1;
                continue;
            }
            if whole < POW10[count - 1] {
                exponent -= 1;
                continue;
            }
            if away(round, negative, whole & 1 == 1, exact, rest) {
                whole += 1;
                if whole == POW10[count] {
                    whole = POW10[count - 1];
                    exponent += 1;
                }
            }
            self.set_integer(whole);
            self.exponent = exponent;
            return true;
        }
    }

    /// The general way: digit by digit from the top, in multi-word integers.
    fn expand(&mut self, m: u64, e: i32, at: At, negative: bool, round: Round) {
        let (whole, mut fraction) = split(m, e);
        decimal_of(whole, &mut self.digits);
        self.exponent = self.digits.len() as i32;
        let wanted = |digits: &[u8], exponent: i32| match at {
            At::Places(places) => i64::from(exponent) + i64::from(places),
            At::Significant(count) => {
                if digits.is_empty() {
                    i64::MAX
                } else {
                    count as i64
                }
            }
        };
        // One digit beyond the last is taken to compare the rest with one half.
        while !fraction.is_empty() && wanted(&self.digits, self.exponent) >= self.digits.len() as i64 {
            let chunk = next_nine(&mut fraction);
            for i in (0..9).rev() {
                let digit = b'0' + (chunk / 10u32.pow(i) % 10) as u8;
                if self.digits.is_empty() && digit == b'0' {
                    self.exponent -= 1;
                } else {
                    self.digits.push(digit);
                }
            }
        }
        let keep = wanted(&self.digits, self.exponent);
        let odd = |digits: &[u8], n: usize| n > 0 && digits[n - 1] & 1 == 1;
        if keep < 0 {
            // The number lies wholly behind the last place and below a tenth of it.
            let up = away(round, negative, false, false, Ordering::Less);
            self.digits.clear();
            if up && let At::Places(places) = at {
                self.digits.push(b'1');
                self.exponent = 1 - places;
            }
            return;
        }
        let keep = keep as usize;
        if keep >= self.digits.len() {
            self.digits.resize(keep, b'0');
            return;
        }
        let cut = &self.digits[keep..];
        let tail = cut[1..].iter().any(|d| *d != b'0') || !fraction.is_empty();
        let exact = cut[0] == b'0' && !tail;
        let rest = cut[0].cmp(&b'5').then(if tail { Ordering::Greater } else { Ordering::Equal });
        let up = away(round, negative, odd(&self.digits, keep), exact, rest);
        self.digits.truncate(keep);
        if up {
            self.increment(at);
        }
    }

    /// Adds one in the last place.
    fn increment(&mut self, at: At) {
        for digit in self.digits.iter_mut().rev() {
            if *digit == b'9' {
                *digit = b'0';
            } else {
                *digit += 1;
                return;
            }
        }
        self.digits.insert(0, b'1');
        self.exponent += 1;
        if let At::Significant(count) = at {
            self.digits.truncate(count);
        }
    }
}

/// Compares the number of some decimal digits, times a power of ten, with `m * 2^e`.
pub(crate) fn compare(digits: &[u8], power: i64, m: u64, e: i32) -> Ordering {
    /// More than a real(8) or what is halfway between two can have.
    const ALL: usize = 1100;
    let trimmed = |digits: &[u8]| {
        let first = digits.iter().position(|d| *d != b'0').unwrap_or(digits.len());
        let end = digits.iter().rposition(|d| *d != b'0').map_or(first, |last| last + 1);
        (first, digits[first..end].to_vec())
    };
    let (leading, own) = trimmed(digits);
    if own.is_empty() || m == 0 {
        return own.is_empty().cmp(&(m == 0)).reverse();
    }
    let mut other = Digits::default();
    other.expand(m, e, At::Significant(ALL), false, Round::Zero);
    let exponent = power + (digits.len() - leading) as i64;
    let (zeros, other_digits) = trimmed(&other.digits);
    exponent.cmp(&(i64::from(other.exponent) - zeros as i64)).then_with(|| own.cmp(&other_digits))
}

/// The places that [`scaled`] really applied: none where the number is whole and the factor was left out.
fn applied(e: i32, places: i32) -> i32 {
    if e >= 0 && places > 0 { 0 } else { places }
}

/// `m * 2^e * 10^places` as its whole part, whether that is all, and the rest against one half; `None` where that exceeds
/// 128-bit arithmetic. Where the number is whole and places are behind the point, the power of ten is left out.
fn scaled(m: u64, e: i32, places: i32) -> Option<(u128, bool, Ordering)> {
    let wide = u128::from(m);
    let compare = |rest: u128, half: u128| (rest == 0, rest.cmp(&half));
    if e >= 0 {
        if e as u32 > 126 - (64 - m.leading_zeros()) {
            return None;
        }
        let whole = wide << e;
        if places >= 0 {
            return Some((whole, true, Ordering::Less));
        }
        let Some(den) = POW10.get(places.unsigned_abs() as usize) else { return Some((0, false, Ordering::Less)) };
        let rest = whole % den;
        // Powers of ten are even, so one half is exact.
        let (exact, order) = compare(rest, den / 2);
        return Some((whole / den, exact, order));
    }
    let shift = e.unsigned_abs();
    if places >= 0 {
        if places > 22 {
            return None;
        }
        let product = wide * POW10[places as usize];
        if shift > 127 {
            let order = if shift == 128 { product.cmp(&(1 << 127)) } else { Ordering::Less };
            return Some((0, false, order));
        }
        let rest = product & ((1 << shift) - 1);
        let (exact, order) = compare(rest, 1 << (shift - 1));
        return Some((product >> shift, exact, order));
    }
    let den = POW10.get(places.unsigned_abs() as usize).filter(|p| shift < p.leading_zeros());
    let Some(den) = den.map(|p| p << shift) else { return Some((0, false, Ordering::Less)) };
    let (exact, order) = compare(wide % den, den / 2);
    Some((wide / den, exact, order))
}

/// The whole part (words, least first) and the fraction (words behind the point, most significant last) of `m * 2^e`.
fn split(m: u64, e: i32) -> (Vec<u32>, Vec<u32>) {
    if e >= 0 {
        let mut words = vec![0u32; e as usize / 32];
        let wide = u128::from(m) << (e % 32);
        words.extend([wide as u32, (wide >> 32) as u32, (wide >> 64) as u32]);
        return (words, Vec::new());
    }
    let shift = e.unsigned_abs();
    let whole = if shift < 64 { m >> shift } else { 0 };
    let fraction = if shift < 64 { m & ((1 << shift) - 1) } else { m };
    let count = shift.div_ceil(32) as usize;
    // Moved up so that the point lies on a word's edge.
    let wide = u128::from(fraction) << (count as u32 * 32 - shift);
    let mut words = vec![0u32; count];
    for (i, word) in words.iter_mut().enumerate().take(4) {
        *word = (wide >> (32 * i)) as u32;
    }
    trim_low(&mut words);
    (vec![whole as u32, (whole >> 32) as u32], words)
}

/// Drops zero words at the low end; what is left empty is zero.
fn trim_low(words: &mut Vec<u32>) {
    let zeros = words.iter().take_while(|w| **w == 0).count();
    if zeros > 0 {
        words.drain(..zeros);
    }
}

/// The next nine decimal digits of a fraction, which loses them.
fn next_nine(fraction: &mut Vec<u32>) -> u32 {
    let mut carry = 0u64;
    for word in fraction.iter_mut() {
        carry += u64::from(*word) * 1_000_000_000;
        *word = carry as u32;
        carry >>= 32;
    }
    trim_low(fraction);
    carry as u32
}

/// Decimal digits of a whole number, without leading zeros.
fn decimal_of(mut words: Vec<u32>, digits: &mut Vec<u8>) {
    let mut chunks = Vec::new();
    loop {
        while words.last() == Some(&0) {
            words.pop();
        }
        if words.is_empty() {
            break;
        }
        let mut rest = 0u64;
        for word in words.iter_mut().rev() {
            let n = (rest << 32) | u64::from(*word);
            *word = (n / 1_000_000_000) as u32;
            rest = n % 1_000_000_000;
        }
        chunks.push(rest as u32);
    }
    for chunk in chunks.iter().rev() {
        for i in (0..9).rev() {
            let digit = b'0' + (chunk / 10u32.pow(i) % 10) as u8;
            if !(digits.is_empty() && digit == b'0') {
                digits.push(digit);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Digits by the general way only.
    fn expanded(value: f64, negative: bool, at: At, round: Round) -> Digits {
        let mut digits = Digits::default();
        let (m, e) = parts(value);
        digits.expand(m, e, at, negative, round);
        digits
    }

    #[test]
    fn short_and_general_way_agree() {
        let rounds = [Round::Up, Round::Down, Round::Zero, Round::Nearest, Round::Compatible, Round::Processor];
        for seed in 0..20_000 {
            let mut rng = fastrand::Rng::with_seed(seed);
            let mut value = f64::from_bits(rng.u64(..) >> 1);
            if seed % 2 == 0 {
                // Numbers of common size with few digits, where ties are frequent.
                value = f64::from(rng.u32(..100_000)) / 2f64.powi(rng.i32(0..12));
            }
            if !value.is_finite() || value == 0.0 {
                continue;
            }
            let round = rounds[seed as usize % 6];
            let negative = rng.bool();
            for at in [At::Significant(rng.usize(1..=20)), At::Places(rng.i32(0..30)), At::Places(-rng.i32(0..12))] {
                let mut digits = Digits::default();
                digits.set(value, negative, at, round);
                let general = expanded(value, negative, at, round);
                let same = digits.digits == general.digits
                    && (digits.exponent == general.exponent || digits.digits.is_empty());
                assert!(same, "seed {seed}: {value:e} {at:?} {round:?}: {digits:?} and {general:?}");
            }
        }
    }

    #[test]
    fn digits_are_those_of_exact_formatting() {
        for value in [5e-324, 1.0 / 3.0, 123_456.789, 1e22, 1e23, f64::MAX, 2.5, 0.1, 1e-7] {
            for count in [1usize, 5, 17, 30, 60] {
                let mut digits = Digits::default();
                digits.set(value, false, At::Significant(count), Round::Nearest);
                let expected = format!("{:.*e}", count - 1, value);
                let (mantissa, exponent) = expected.split_once('e').unwrap_or_default();
                assert_eq!(String::from_utf8_lossy(&digits.digits), mantissa.replace('.', ""), "{value} {count}");
                assert_eq!(Ok(digits.exponent - 1), exponent.parse(), "{value}");
            }
        }
    }
}
