//! The formats of C for `printf` and `dprintf`: `printf "%5d %f %s\n", i, x, name`.
//!
//! Not here: evaluating the arguments (`session`).

use crate::eval::value::{Eval, Kind, Value, fail, from_bytes};

/// Splits the arguments of `printf`: the format without its quotes, and expressions.
pub(crate) fn split(text: &str) -> Eval<(String, Vec<String>)> {
    let Some(rest) = text.trim().strip_prefix('"') else { return fail("A format in double quotes is expected.") };
    let mut end = None;
    let mut escaped = false;
    for (i, c) in rest.char_indices() {
        if c == '"' && !escaped {
            end = Some(i);
            break;
        }
        escaped = c == '\\' && !escaped;
    }
    let Some(end) = end else { return fail("The format has no closing quote.") };
    let (format, rest) = (&rest[..end], rest[end + 1..].trim());
    let arguments = match rest.strip_prefix(',') {
        Some(list) => split_list(list),
        None if rest.is_empty() => Vec::new(),
        None => return fail("A comma is expected after the format."),
    };
    if arguments.iter().any(String::is_empty) {
        return fail("An expression is expected after the comma.");
    }
    Ok((format.to_owned(), arguments))
}

/// Splits a list at its commas that are in no parentheses and no literals.
fn split_list(text: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let (mut depth, mut quote) = (0, None);
    for c in text.chars() {
        match (quote, c) {
            (Some(q), c) if c == q => quote = None,
            (None, '\'' | '"') => quote = Some(c),
            (None, '(' | '[') => depth += 1,
            (None, ')' | ']') => depth -= 1,
            (None, ',') if depth == 0 => {
                parts.push(String::new());
                continue;
            }
            _ => {}
        }
        if let Some(last) = parts.last_mut() {
            last.push(c);
        }
    }
    parts.into_iter().map(|p| p.trim().to_owned()).collect()
}

/// The text of `echo` and of the fixed parts of a format: `\n`, `\t`, `\"`, `\\`, `\033` and the like.
pub(crate) fn unescaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        if c != '\\' {
            out.push(c);
            continue;
        }
        match chars.next() {
            Some('n') => out.push('\n'),
            Some('t') => out.push('\t'),
            Some('r') => out.push('\r'),
            Some('a') => out.push('\u{7}'),
            Some('e') => out.push('\u{1b}'),
            Some(d @ '0'..='7') => {
                let mut code = d as u32 - '0' as u32;
                for _ in 0..2 {
                    if let Some(d) = chars.next_if(|d| ('0'..='7').contains(d)) {
                        code = code * 8 + (d as u32 - '0' as u32);
                    }
                }
                out.extend(char::from_u32(code));
            }
            Some(other) => out.push(other),
            None => {}
        }
    }
    out
}

/// A conversion of a format.
#[derive(Clone, Default, Debug)]
struct Conversion {
    left: bool,
    plus: bool,
    zero: bool,
    width: usize,
    precision: Option<usize>,
    letter: char,
}

/// Most columns of a field.
const MOST_COLUMNS: usize = 1 << 12;

impl Conversion {
    fn pad(&self, text: String) -> String {
        let missing = self.width.saturating_sub(text.chars().count());
        if self.left {
            return text + &" ".repeat(missing);
        }
        if self.zero && text.chars().all(|c| !c.is_alphabetic() || c.is_ascii_hexdigit()) {
            let (sign, digits) = text.split_at(usize::from(text.starts_with(['-', '+'])));
            return format!("{sign}{}{digits}", "0".repeat(missing));
        }
        " ".repeat(missing) + &text
    }

    /// The text of a value; `natural` is its text as `print` shows it.
    fn apply(&self, value: &Value, natural: &dyn Fn(&Value) -> Eval<String>) -> Eval<String> {
        let text = match self.letter {
            's' => {
                let text = match value.kind {
                    Kind::Char(_) => String::from_utf8_lossy(value.element(0)).trim_end().to_owned(),
                    _ => natural(value)?,
                };
                text.chars().take(self.precision.unwrap_or(usize::MAX)).collect()
            }
            'c' => char::from_u32(integer(value)? as u32 & 0xff).map(String::from).unwrap_or_default(),
            'd' | 'i' => self.signed(integer(value)?.to_string()),
            'u' => bits(value)?.to_string(),
            'x' | 'p' => format!("{}{:x}", if self.letter == 'p' { "0x" } else { "" }, bits(value)?),
            'X' => format!("{:X}", bits(value)?),
            'o' => format!("{:o}", bits(value)?),
            _ => self.signed(self.real(number(value)?)),
        };
        Ok(self.pad(text))
    }

    fn signed(&self, text: String) -> String {
        if self.plus && !text.starts_with('-') { format!("+{text}") } else { text }
    }

    fn real(&self, x: f64) -> String {
        let precision = self.precision.unwrap_or(6);
        if !x.is_finite() {
            return if x.is_nan() {
                "nan"
            } else if x > 0.0 {
                "inf"
            } else {
                "-inf"
            }
            .to_owned();
        }
        match self.letter {
            'f' | 'F' => format!("{x:.precision$}"),
            'e' | 'E' => exponential(x, precision, self.letter),
            _ => {
                let precision = precision.max(1);
                let shown = exponential(x, precision - 1, 'e');
                let power: i32 = shown.split_once('e').and_then(|(_, p)| p.parse().ok()).unwrap_or(0);
                let (head, tail) = if power < -4 || power >= precision as i32 {
                    shown.split_once('e').map(|(h, t)| (h.to_owned(), format!("e{t}"))).unwrap_or_default()
                } else {
                    (
                        format!("{x:.decimals$}", decimals = (precision as i32 - 1 - power).max(0) as usize),
                        String::new(),
                    )
                };
                let head = if head.contains('.') { head.trim_end_matches('0').trim_end_matches('.') } else { &head };
                format!("{head}{tail}")
            }
        }
    }
}

/// A number with an exponent of two digits and more, as C has it.
fn exponential(x: f64, precision: usize, letter: char) -> String {
    let text = format!("{x:.precision$e}");
    let (head, power) = text.split_once('e').unwrap_or((&text, "0"));
    let power: i32 = power.parse().unwrap_or(0);
    format!("{head}{letter}{}{:02}", if power < 0 { '-' } else { '+' }, power.abs())
}

fn is_scalar(value: &Value) -> Eval<()> {
    if value.dims.is_empty() { Ok(()) } else { fail("a number is expected, not an array; `%s` shows any value") }
}

fn bits(value: &Value) -> Eval<u64> {
    is_scalar(value)?;
    match value.kind {
        Kind::Int(_) | Kind::Logical(_) => Ok(value.word_at(0)),
        _ => integer(value).map(|n| n as u64),
    }
}

fn integer(value: &Value) -> Eval<i64> {
    is_scalar(value)?;
    match value.kind {
        Kind::Int(ty) => Ok(scalar::bits::signed(ty, value.word_at(0))),
        Kind::Logical(_) => Ok((value.word_at(0) & 1) as i64),
        Kind::Char(_) => Ok(value.element(0).first().map_or(0, |&b| i64::from(b))),
        _ => number(value).map(|x| x as i64),
    }
}

fn number(value: &Value) -> Eval<f64> {
    is_scalar(value)?;
    match value.kind {
        Kind::Real(ty) => Ok(text::real_value(ty, from_bytes(value.element(0)))),
        Kind::Int(_) | Kind::Logical(_) | Kind::Char(_) => integer(value).map(|n| n as f64),
        Kind::Complex(_) | Kind::Derived(..) => fail("a number is expected; `%s` shows any value"),
    }
}

/// The text of a format with its values.
pub(crate) fn format(format: &str, values: &[Value], natural: &dyn Fn(&Value) -> Eval<String>) -> Eval<String> {
    let mut out = String::new();
    let mut fixed = String::new();
    let mut values = values.iter();
    let mut chars = format.chars().peekable();
    while let Some(c) = chars.next() {
        if c != '%' {
            fixed.push(c);
            if c == '\\' {
                fixed.extend(chars.next());
            }
            continue;
        }
        if chars.next_if_eq(&'%').is_some() {
            fixed.push('%');
            continue;
        }
        out.push_str(&unescaped(&std::mem::take(&mut fixed)));
        let mut conversion = Conversion::default();
        while let Some(flag) = chars.next_if(|c| "-+ #0".contains(*c)) {
            match flag {
                '-' => conversion.left = true,
                '+' => conversion.plus = true,
                '0' => conversion.zero = true,
                _ => {}
            }
        }
        let number = |chars: &mut std::iter::Peekable<std::str::Chars<'_>>| {
            let mut n = 0usize;
            while let Some(d) = chars.next_if(char::is_ascii_digit) {
                n = (n * 10 + d as usize - '0' as usize).min(MOST_COLUMNS);
            }
            n
        };
        conversion.width = number(&mut chars);
        if chars.next_if_eq(&'.').is_some() {
            conversion.precision = Some(number(&mut chars));
        }
        // The type of a value is known here, so its length needs not be said.
        while chars.next_if(|c| "hlLzjtq".contains(*c)).is_some() {}
        conversion.letter = match chars.next() {
            Some(letter) if "dioxXucsfFeEgGp".contains(letter) => letter,
            Some(letter) => return fail(format!("Bad conversion `%{letter}` in the format.")),
            None => return fail("The format ends within a conversion."),
        };
        let Some(value) = values.next() else { return fail("The format has more conversions than there are values.") };
        out.push_str(&conversion.apply(value, natural)?);
    }
    if values.next().is_some() {
        return fail("There are more values than conversions in the format.");
    }
    out.push_str(&unescaped(&fixed));
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ir::Ty;

    fn real(x: f64) -> Value {
        Value::word(Kind::Real(Ty::F64), x.to_bits())
    }

    fn show(text: &str, values: &[Value]) -> String {
        format(text, values, &|_| Ok("natural".to_owned())).unwrap_or_else(|e| e.0)
    }

    #[test]
    fn conversions_are_those_of_c() {
        let n = Value::int4;
        assert_eq!(show("%d|%5d|%-5d|%05d|%+d\\n", &[n(7), n(7), n(7), n(-7), n(7)]), "7|    7|7    |-0007|+7\n");
        assert_eq!(show("%x %o %u %c %%", &[n(255), n(8), n(-1), n(65)]), "ff 10 4294967295 A %");
        assert_eq!(
            show("%f %.2f %e %g %g", &[real(1.5), real(2.0), real(12345.678), real(0.5), real(1e10)]),
            "1.500000 2.00 1.234568e+04 0.5 1e+10"
        );
        assert_eq!(show("%s", &[real(1.0)]), "natural");
        assert_eq!(show("%ld", &[n(3)]), "3");
    }

    #[test]
    fn a_format_that_does_not_fit_is_an_error() {
        assert_eq!(show("%d", &[]), "The format has more conversions than there are values.");
        assert_eq!(show("x", &[Value::int4(1)]), "There are more values than conversions in the format.");
        assert_eq!(show("%q", &[Value::int4(1)]), "The format ends within a conversion.");
        assert_eq!(show("%99999999999999999999d", &[Value::int4(1)]).len(), MOST_COLUMNS);
        assert!(
            split("hello").is_err() && split("\"a").is_err() && split("\"a\" b").is_err() && split("\"a\",").is_err()
        );
        let parts = split("\"%d, \\\"%d\\n\", a(1, 2), ','").expect("two");
        assert_eq!(parts, ("%d, \\\"%d\\n".to_owned(), vec!["a(1, 2)".to_owned(), "','".to_owned()]));
    }
}
