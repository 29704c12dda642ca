//! Output by a format of C, as `printf` in kernels of CUDA C has it (C17, 7.21.6.1).
//!
//! Not here: `%n` and wide characters; the formats of the debugger, which know the types of their values (`debug`).

use crate::value::{Value, real_value};
use scalar::{Ty, bits};

/// Columns of a field and digits of a number, at most.
const MOST_COLUMNS: usize = 1 << 12;

/// A statement in C's form: the first item is the format, the others are its arguments.
#[derive(Clone, Debug, Default)]
pub struct CWriter {
    format: Option<Vec<u8>>,
    arguments: Vec<Argument>,
}

#[derive(Clone, Debug)]
enum Argument {
    Integer(Ty, u64),
    Real(f64),
    Text(Vec<u8>),
}

impl CWriter {
    /// Takes the next item.
    pub fn item(&mut self, value: Value<'_>) {
        match value {
            Value::Char(text) if self.format.is_none() => self.format = Some(text.to_vec()),
            Value::Char(text) => self.arguments.push(Argument::Text(text.to_vec())),
            Value::Int { ty, bits } | Value::Logical { ty, bits } => self.arguments.push(Argument::Integer(ty, bits)),
            Value::Real { ty, bits } | Value::Complex { ty, re: bits, .. } => {
                self.arguments.push(Argument::Real(real_value(ty, bits)));
            }
        }
    }

    /// The bytes that the statement writes.
    pub fn finish(self) -> Vec<u8> {
        let format = self.format.unwrap_or_default();
        let mut arguments = self.arguments.iter();
        let mut out = Vec::new();
        let mut rest = format.iter().copied().peekable();
        while let Some(c) = rest.next() {
            if c != b'%' {
                out.push(c);
            } else if rest.next_if_eq(&b'%').is_some() {
                out.push(b'%');
            } else {
                let conversion = Conversion::read(&mut rest, &mut arguments);
                out.extend(conversion.apply(arguments.next()));
            }
        }
        out
    }
}

/// A conversion of a format.
#[derive(Clone, Default, Debug)]
struct Conversion {
    left: bool,
    plus: bool,
    blank: bool,
    alternate: bool,
    zero: bool,
    width: usize,
    precision: Option<usize>,
    /// How many `h` there are: one for a `short`, two for a `char`.
    halves: usize,
    letter: u8,
}

impl Conversion {
    fn read<'a>(
        rest: &mut std::iter::Peekable<impl Iterator<Item = u8>>,
        arguments: &mut impl Iterator<Item = &'a Argument>,
    ) -> Conversion {
        let mut out = Conversion::default();
        while let Some(flag) = rest.next_if(|c| b"-+ #0".contains(c)) {
            match flag {
                b'-' => out.left = true,
                b'+' => out.plus = true,
                b' ' => out.blank = true,
                b'#' => out.alternate = true,
                _ => out.zero = true,
            }
        }
        let mut number = |rest: &mut std::iter::Peekable<_>| {
            if Iterator::next(&mut std::iter::from_fn(|| rest.next_if_eq(&b'*'))).is_some() {
                return match arguments.next() {
                    Some(&Argument::Integer(ty, word)) => bits::signed(ty, word),
                    _ => 0,
                };
            }
            let mut n = 0_i64;
            while let Some(digit) = rest.next_if(u8::is_ascii_digit) {
                n = (n * 10 + i64::from(digit - b'0')).min(MOST_COLUMNS as i64);
            }
            n
        };
        let width = number(rest);
        out.left |= width < 0;
        out.width = (width.unsigned_abs() as usize).min(MOST_COLUMNS);
        if rest.next_if_eq(&b'.').is_some() {
            // A negative precision counts as none.
            out.precision = usize::try_from(number(rest)).ok().map(|n| n.min(MOST_COLUMNS));
        }
        while let Some(size) = rest.next_if(|c| b"hlLzjt".contains(c)) {
            out.halves += usize::from(size == b'h');
        }
        out.letter = rest.next().unwrap_or(b'%');
        out
    }

    /// The text of an argument; one that is missing counts as 0.
    fn apply(&self, argument: Option<&Argument>) -> Vec<u8> {
        let (ty, word) = match argument {
            Some(&Argument::Integer(ty, word)) => (ty, word),
            Some(&Argument::Real(x)) => (Ty::I64, x as i64 as u64),
            Some(Argument::Text(_)) | None => (Ty::I32, 0),
        };
        let (ty, word) = match (self.halves, b"diuxXo".contains(&self.letter)) {
            (1, true) => (Ty::I16, bits::canonical(Ty::I16, word)),
            (2, true) => (Ty::I8, bits::canonical(Ty::I8, word)),
            _ => (ty, word),
        };
        let real = match argument {
            Some(&Argument::Real(x)) => x,
            _ => bits::signed(ty, word) as f64,
        };
        let (sign, prefix, digits, is_number) = match self.letter {
            b's' => {
                let text: &[u8] = if let Some(Argument::Text(text)) = argument { text } else { b"(null)" };
                let text = &text[..text.len().min(self.precision.unwrap_or(usize::MAX))];
                return self.padded(text.to_vec());
            }
            b'c' => return self.padded(vec![word as u8]),
            b'd' | b'i' => {
                let value = bits::signed(ty, word);
                (self.sign(value < 0), "", self.least(value.unsigned_abs().to_string()), self.precision.is_none())
            }
            b'u' => ("", "", self.least(word.to_string()), self.precision.is_none()),
            b'o' => {
                ("", if self.alternate { "0" } else { "" }, self.least(format!("{word:o}")), self.precision.is_none())
            }
            b'x' | b'p' => {
                let is_marked = self.letter == b'p' || (self.alternate && word != 0);
                ("", if is_marked { "0x" } else { "" }, self.least(format!("{word:x}")), self.precision.is_none())
            }
            b'X' => {
                let prefix = if self.alternate && word != 0 { "0X" } else { "" };
                ("", prefix, self.least(format!("{word:X}")), self.precision.is_none())
            }
            _ => {
                let text = self.real(real.abs());
                let text = if self.letter.is_ascii_uppercase() { text.to_uppercase() } else { text };
                (self.sign(real.is_sign_negative()), "", text, real.is_finite())
            }
        };
        if self.zero && !self.left && is_number {
            let zeros = self.width.saturating_sub(sign.len() + prefix.len() + digits.len());
            return format!("{sign}{prefix}{}{digits}", "0".repeat(zeros)).into_bytes();
        }
        self.padded(format!("{sign}{prefix}{digits}").into_bytes())
    }

    fn sign(&self, is_negative: bool) -> &'static str {
        match (is_negative, self.plus, self.blank) {
            (true, ..) => "-",
            (_, true, _) => "+",
            (_, _, true) => " ",
            _ => "",
        }
    }

    /// The digits of an integer, at least as many as the precision says.
    fn least(&self, digits: String) -> String {
        let least = self.precision.unwrap_or(1);
        if digits == "0" && least == 0 {
            return String::new();
        }
        format!("{}{digits}", "0".repeat(least.saturating_sub(digits.len())))
    }

    fn padded(&self, mut text: Vec<u8>) -> Vec<u8> {
        let missing = self.width.saturating_sub(text.len());
        let blanks = std::iter::repeat_n(b' ', missing);
        if self.left {
            text.extend(blanks);
            text
        } else {
            blanks.chain(text).collect()
        }
    }

    /// A real without its sign.
    fn real(&self, x: f64) -> String {
        let precision = self.precision.unwrap_or(6);
        if !x.is_finite() {
            return if x.is_nan() { "nan" } else { "inf" }.to_owned();
        }
        match self.letter.to_ascii_lowercase() {
            b'e' => exponential(x, precision),
            b'a' => hexadecimal(x),
            b'g' => {
                let precision = precision.max(1);
                let shown = exponential(x, precision - 1);
                let (head, power) = shown.split_once('e').unwrap_or((&shown, "0"));
                let power: i32 = power.parse().unwrap_or(0);
                let (head, tail) = if power < -4 || power >= precision as i32 {
                    (head.to_owned(), &shown[head.len()..])
                } else {
                    (format!("{x:.decimals$}", decimals = (precision as i32 - 1 - power).max(0) as usize), "")
                };
                let trimmed = head.trim_end_matches('0').trim_end_matches('.');
                format!("{}{tail}", if head.contains('.') && !self.alternate { trimmed } else { &head })
            }
            _ => format!("{x:.precision$}"),
        }
    }
}

/// A number with an exponent of two digits and more.
fn exponential(x: f64, precision: usize) -> String {
    let text = format!("{x:.precision$e}");
    let (head, power) = text.split_once('e').unwrap_or((&text, "0"));
    let power: i32 = power.parse().unwrap_or(0);
    format!("{head}e{}{:02}", if power < 0 { '-' } else { '+' }, power.abs())
}

/// `%a`: the digits of the fraction in base 16, without trailing zeros.
fn hexadecimal(x: f64) -> String {
    let (exponent, fraction) = ((x.to_bits() >> 52 & 0x7ff) as i32, x.to_bits() & !(0xfff << 52));
    let (lead, power) = match (exponent, fraction) {
        (0, 0) => (0, 0),
        (0, _) => (0, -1022),
        _ => (1, exponent - 1023),
    };
    let digits = format!("{fraction:013x}");
    let digits = digits.trim_end_matches('0');
    format!("0x{lead}{}{digits}p{power:+}", if digits.is_empty() { "" } else { "." })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn int(value: i32) -> Value<'static> {
        Value::Int { ty: Ty::I32, bits: bits::from_signed(Ty::I32, value.into()) }
    }

    fn real(x: f64) -> Value<'static> {
        Value::Real { ty: Ty::F64, bits: x.to_bits() }
    }

    fn show(format: &str, values: &[Value<'_>]) -> String {
        let mut writer = CWriter::default();
        writer.item(Value::Char(format.as_bytes()));
        values.iter().for_each(|&value| writer.item(value));
        String::from_utf8_lossy(&writer.finish()).into_owned()
    }

    // What glibc's printf writes.
    #[test]
    fn conversions_are_those_of_c() {
        assert_eq!(show("%hd %hx %hu %hhd %hhx", &[70000, -1, -1, 300, -1].map(int)), "4464 ffff 65535 44 ff");
        assert_eq!(show("%d|%5d|%-5d|%05d|%+d|% d", &[7, 7, 7, -7, 7, 7].map(int)), "7|    7|7    |-0007|+7| 7");
        assert_eq!(show("%x %#X %o %u %c%% %.3d", &[255, 255, 8, -1, 65, 5].map(int)), "ff 0XFF 10 4294967295 A% 005");
        assert_eq!(
            show(
                "%f %.2f %e %g %g %G %8.3f|%-8.1f|%08.2f",
                &[1.5, 2.0, 12345.678, 0.5, 1e10, 1e-10, 3.25, 2.5, -1.5].map(real)
            ),
            "1.500000 2.00 1.234568e+04 0.5 1e+10 1E-10    3.250|2.5     |-0001.50"
        );
        assert_eq!(
            show("%f %5.1f %F %a", &[f64::INFINITY, f64::NAN, f64::NEG_INFINITY, 1.5].map(real)),
            "inf   nan -INF 0x1.8p+0"
        );
        assert_eq!(show("%s|%6s|%-6s|%.2s", &[Value::Char(b"abc"); 4]), "abc|   abc|abc   |ab");
        assert_eq!(show("%*d|%-*d|%.*f", &[int(4), int(1), int(3), int(2), int(1), real(0.25)]), "   1|2  |0.2");
    }

    #[test]
    fn formats_that_end_early_or_lack_arguments_are_written_all_the_same() {
        assert_eq!(show("%d %s", &[]), "0 (null)");
        assert_eq!(show("100%", &[]).len(), "100".len() + "0.000000".len());
        assert_eq!(CWriter::default().finish(), b"");
    }
}
