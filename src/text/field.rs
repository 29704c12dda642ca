//! Output fields: the characters that one value makes under one data edit descriptor (Fortran 2018, 13.7.2 to 13.7.4).
//!
//! Each function appends exactly the field: `w` characters, or as few as needed where `w` is 0; what does not fit is `w`
//! asterisks. Optional parts follow nvfortran: a leading zero before the decimal symbol is written where there is room, a
//! zero keeps its sign, an infinity is `Inf`, a NaN `NaN`.
//!
//! Not here: which descriptor meets which item (`write`), positions in the record.

use crate::decimal::{At, Digits};
use crate::modes::{Modes, Round, Sign};
use scalar::{Ty, bits};

/// Appends `text` right-justified in `w` columns, asterisks where it is too long; all of it where `w` is 0.
pub(crate) fn right(out: &mut Vec<u8>, text: &[u8], w: usize) {
    if w != 0 && text.len() > w {
        stars(out, w);
    } else {
        blanks(out, w.saturating_sub(text.len()));
        out.extend_from_slice(text);
    }
}

pub(crate) fn stars(out: &mut Vec<u8>, w: usize) {
    out.resize(out.len() + w.max(1), b'*');
}

/// Appends blanks.
pub(crate) fn blanks(out: &mut Vec<u8>, n: usize) {
    out.resize(out.len() + n, b' ');
}

fn zeros(out: &mut Vec<u8>, n: usize) {
    out.resize(out.len() + n, b'0');
}

pub(crate) fn sign_char(negative: bool, modes: Modes) -> Option<u8> {
    if negative {
        Some(b'-')
    } else if modes.sign == Sign::Plus {
        Some(b'+')
    } else {
        None
    }
}

/// Decimal digits of `n` at the end of a buffer.
fn digits_of(mut n: u64, buffer: &mut [u8; 64]) -> &[u8] {
    let mut at = buffer.len();
    loop {
        at -= 1;
        buffer[at] = b'0' + (n % 10) as u8;
        n /= 10;
        if n == 0 {
            return &buffer[at..];
        }
    }
}

/// `Iw.m` of a signed value.
pub(crate) fn integer(out: &mut Vec<u8>, value: i64, w: usize, m: usize, modes: Modes) {
    if value == 0 && m == 0 {
        // Fortran 2018, 13.7.2.2: a blank at least.
        blanks(out, w.max(1));
        return;
    }
    let mut buffer = [0; 64];
    let digits = digits_of(value.unsigned_abs(), &mut buffer);
    signed_digits(out, sign_char(value < 0, modes), digits, w, m);
}

fn signed_digits(out: &mut Vec<u8>, sign: Option<u8>, digits: &[u8], w: usize, m: usize) {
    let length = digits.len().max(m) + usize::from(sign.is_some());
    if w != 0 && length > w {
        stars(out, w);
        return;
    }
    blanks(out, w.saturating_sub(length));
    out.extend(sign);
    zeros(out, m.saturating_sub(digits.len()));
    out.extend_from_slice(digits);
}

/// `Bw.m`, `Ow.m` or `Zw.m` (1, 3 or 4 bits a digit) of bytes, the most significant first.
pub(crate) fn radix(out: &mut Vec<u8>, bytes: &[u8], bits_per_digit: u32, w: usize, m: usize) {
    let mut digits = Vec::with_capacity(bytes.len() * 8 / bits_per_digit as usize + 1);
    let (mut pending, mut count) = (0u32, 0);
    for byte in bytes.iter().rev() {
        pending |= u32::from(*byte) << count;
        count += 8;
        while count >= bits_per_digit {
            digits.push(b"0123456789ABCDEF"[(pending & ((1 << bits_per_digit) - 1)) as usize]);
            pending >>= bits_per_digit;
            count -= bits_per_digit;
        }
    }
    if count > 0 {
        digits.push(b'0' + pending as u8);
    }
    while digits.last() == Some(&b'0') {
        digits.pop();
    }
    digits.reverse();
    if digits.is_empty() && m == 0 {
        blanks(out, w.max(1));
        return;
    }
    signed_digits(out, None, &digits, w, m.max(1));
}

/// `Aw` of characters: the leftmost `w` of them, or all after blanks.
pub(crate) fn characters(out: &mut Vec<u8>, text: &[u8], w: Option<usize>) {
    let w = w.unwrap_or(text.len());
    blanks(out, w.saturating_sub(text.len()));
    out.extend_from_slice(&text[..text.len().min(w)]);
}

/// `Lw`; `w` of 0 counts as 1.
pub(crate) fn logical(out: &mut Vec<u8>, value: bool, w: usize) {
    blanks(out, w.saturating_sub(1));
    out.push(if value { b'T' } else { b'F' });
}

/// The letters of a descriptor with an exponent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Exponential {
    /// `E`.
    E,
    /// `D`.
    D,
    /// `ES`.
    Scientific,
    /// `EN`.
    Engineering,
    /// `EX`.
    Hexadecimal,
}

/// Makes fields of reals; keeps its digit buffer from field to field.
#[derive(Clone, Debug, Default)]
pub(crate) struct RealField {
    digits: Digits,
}

/// What a descriptor says about width and digits.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shape {
    /// Field width; 0 for as few characters as needed.
    pub(crate) w: usize,
    /// Digits.
    pub(crate) d: usize,
    /// Digits of the exponent.
    pub(crate) e: Option<usize>,
    /// Scale factor.
    pub(crate) k: i32,
}

impl RealField {
    /// The field of an infinity or a NaN; false where the value is finite.
    fn special(out: &mut Vec<u8>, value: f64, w: usize, modes: Modes) -> bool {
        if value.is_nan() {
            right(out, b"NaN", w);
        } else if value.is_infinite() {
            let mut text = [0; 4];
            let n = sign_char(value < 0.0, modes).map_or(0, |sign| {
                text[0] = sign;
                1
            });
            text[n..n + 3].copy_from_slice(b"Inf");
            right(out, &text[..n + 3], w);
        } else {
            return false;
        }
        true
    }

    /// Appends sign, digits before the point and behind it, where the field has `tail` more characters; false and asterisks
    /// where they do not fit. `before` and `behind` are counts of the digits from the front; leading zeros come as counts.
    fn mantissa(
        &self,
        out: &mut Vec<u8>,
        sign: Option<u8>,
        layout: &Layout,
        w: usize,
        tail: usize,
        modes: Modes,
    ) -> bool {
        let fixed = usize::from(sign.is_some()) + layout.before + 1 + layout.behind() + tail;
        let must = layout.before == 0 && layout.behind() == 0;
        if w != 0 && fixed + usize::from(must) > w {
            stars(out, w);
            return false;
        }
        let leading = layout.before == 0 && (must || w == 0 || fixed < w);
        blanks(out, w.saturating_sub(fixed + usize::from(leading)));
        out.extend(sign);
        if leading {
            out.push(b'0');
        }
        let digits = &self.digits.digits;
        let have = |n: usize| n.min(digits.len());
        out.extend_from_slice(&digits[..have(layout.before)]);
        zeros(out, layout.before - have(layout.before));
        out.push(modes.decimal.symbol());
        zeros(out, layout.zeros);
        let behind = &digits[have(layout.before)..have(layout.before + layout.digits)];
        out.extend_from_slice(behind);
        zeros(out, layout.digits - behind.len());
        true
    }

    /// `Fw.d`.
    pub(crate) fn fixed(&mut self, out: &mut Vec<u8>, value: f64, shape: Shape, modes: Modes) {
        if !Self::special(out, value, shape.w, modes) {
            let negative = value.is_sign_negative();
            let places = (shape.d as i32).saturating_add(shape.k);
            self.digits.set(value.abs(), negative, At::Places(places), modes.round);
            self.put_fixed(out, negative, shape, 0, modes);
        }
    }

    /// The digits that are set, with `d` places, then `tail` blanks.
    fn put_fixed(&self, out: &mut Vec<u8>, negative: bool, shape: Shape, tail: usize, modes: Modes) -> bool {
        let point = self.digits.exponent.saturating_add(shape.k);
        let layout = if self.digits.digits.is_empty() {
            Layout { before: 0, zeros: shape.d, digits: 0 }
        } else {
            let zeros = (point.min(0).unsigned_abs() as usize).min(shape.d);
            Layout { before: point.max(0) as usize, zeros, digits: shape.d - zeros }
        };
        let fits = self.mantissa(out, sign_char(negative, modes), &layout, shape.w, tail, modes);
        if fits {
            blanks(out, tail);
        }
        fits
    }

    /// `Ew.dEe`, `Dw.d`, `ESw.dEe`, `ENw.dEe`; of `EXw.dEe` what is not finite.
    pub(crate) fn exponential(&mut self, out: &mut Vec<u8>, value: f64, form: Exponential, shape: Shape, modes: Modes) {
        if Self::special(out, value, shape.w, modes) {
            return;
        }
        let negative = value.is_sign_negative();
        let Shape { w, d, k, .. } = shape;
        let plain = matches!(form, Exponential::E | Exponential::D);
        if plain && ((k < 0 && k.unsigned_abs() as usize >= d) || k > d as i32 + 1) {
            stars(out, w);
            return;
        }
        let zero = value == 0.0;
        let magnitude = value.abs();
        let before = match form {
            Exponential::E | Exponential::D => {
                let significant = if k > 0 { d + 1 } else { d - k.unsigned_abs() as usize };
                self.digits.set(magnitude, negative, At::Significant(significant), modes.round);
                k.max(0) as usize
            }
            Exponential::Scientific | Exponential::Hexadecimal => {
                self.digits.set(magnitude, negative, At::Significant(d + 1), modes.round);
                1
            }
            Exponential::Engineering if zero => {
                self.digits.set(0.0, negative, At::Significant(1), modes.round);
                1
            }
            Exponential::Engineering => self.engineering(magnitude, negative, d, modes.round),
        };
        let layout = match (plain, k) {
            (true, k) if k > 0 => Layout { before, zeros: 0, digits: d + 1 - before },
            (true, k) => Layout { before: 0, zeros: k.unsigned_abs() as usize, digits: d - k.unsigned_abs() as usize },
            (false, _) => Layout { before, zeros: 0, digits: d },
        };
        let shift = if plain { k } else { before as i32 };
        let exponent = if zero { 0 } else { self.digits.exponent - shift };
        let letter = if form == Exponential::D { b'D' } else { b'E' };
        let mut tail = Vec::with_capacity(8);
        if !exponent_part(&mut tail, letter, exponent, shape) {
            stars(out, w);
            return;
        }
        if self.mantissa(out, sign_char(negative, modes), &layout, w, tail.len(), modes) {
            out.extend_from_slice(&tail);
        }
    }

    /// Sets the digits for engineering form and returns how many stand before the point.
    fn engineering(&mut self, magnitude: f64, negative: bool, d: usize, round: Round) -> usize {
        self.digits.set(magnitude, negative, At::Significant(1), Round::Zero);
        let exact = self.digits.exponent;
        let before = (exact - 1).rem_euclid(3) as usize + 1;
        self.digits.set(magnitude, negative, At::Significant(d + before), round);
        if self.digits.exponent == exact { before } else { before % 3 + 1 }
    }

    /// `Gw.dEe` of a real with `w` above 0.
    pub(crate) fn general(&mut self, out: &mut Vec<u8>, value: f64, shape: Shape, modes: Modes) {
        if Self::special(out, value, shape.w, modes) {
            return;
        }
        let negative = value.is_sign_negative();
        let tail = shape.e.map_or(4, |e| e + 2);
        let plain = Shape { k: 0, ..shape };
        if value == 0.0 {
            self.digits.set(0.0, negative, At::Significant(1), modes.round);
            let d = shape.d.saturating_sub(1);
            self.put_fixed(out, negative, Shape { d, ..plain }, tail, modes);
            return;
        }
        self.digits.set(value.abs(), negative, At::Significant(shape.d.max(1)), modes.round);
        let point = self.digits.exponent;
        if point >= 0 && point as usize <= shape.d && shape.d > 0 {
            self.put_fixed(out, negative, Shape { d: shape.d - point as usize, ..plain }, tail, modes);
        } else {
            self.exponential(out, value, Exponential::E, shape, modes);
        }
    }

    /// A real in list-directed output: `1PG15.7E2` for real(4), `1PG25.16E3` for real(8), with one digit more than `G` would
    /// count in deciding on an exponent.
    pub(crate) fn listed(&mut self, out: &mut Vec<u8>, ty: Ty, word: u64, modes: Modes) {
        let value = crate::value::real_value(ty, word);
        let (w, d, e) = if ty == Ty::F64 { (25, 16, 3) } else { (15, 7, 2) };
        let shape = Shape { w, d, e: Some(e), k: 1 };
        if Self::special(out, value, w, modes) {
            return;
        }
        let negative = value.is_sign_negative();
        let plain = Shape { k: 0, ..shape };
        self.digits.set(value.abs(), negative, At::Significant(d + 1), modes.round);
        let point = self.digits.exponent;
        if value == 0.0 {
            self.put_fixed(out, negative, Shape { d: d - 1, ..plain }, e + 2, modes);
        } else if (0..=d as i32).contains(&point) {
            let places = d - point as usize;
            self.digits.set(value.abs(), negative, At::Places(places as i32), modes.round);
            self.put_fixed(out, negative, Shape { d: places, ..plain }, e + 2, modes);
        } else {
            self.exponential(out, value, Exponential::E, shape, modes);
        }
    }
}

/// How many digits stand where.
struct Layout {
    /// Digits before the point.
    before: usize,
    /// Zeros right behind the point.
    zeros: usize,
    /// Digits after those.
    digits: usize,
}

impl Layout {
    fn behind(&self) -> usize {
        self.zeros + self.digits
    }
}

/// Appends letter, sign and digits of an exponent; false where it does not fit.
fn exponent_part(out: &mut Vec<u8>, letter: u8, exponent: i32, shape: Shape) -> bool {
    let mut buffer = [0; 64];
    let digits = digits_of(exponent.unsigned_abs().into(), &mut buffer);
    let sign = if exponent < 0 { b'-' } else { b'+' };
    let width = match shape.e {
        Some(0) => digits.len(),
        Some(e) => e,
        None if shape.w == 0 => digits.len(),
        None if digits.len() > 2 => {
            // Three digits take the letter's place.
            out.push(sign);
            out.extend_from_slice(digits);
            return digits.len() == 3;
        }
        None => 2,
    };
    out.extend([letter, sign]);
    zeros(out, width.saturating_sub(digits.len()));
    out.extend_from_slice(digits);
    digits.len() <= width
}

/// The bytes of a value of type `ty`, most significant first.
pub(crate) fn bytes_of(ty: Ty, word: u64) -> Vec<u8> {
    let bytes = bits::canonical(ty, word).to_be_bytes();
    bytes[8 - ty.bytes() as usize..].to_vec()
}
