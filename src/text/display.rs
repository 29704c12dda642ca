//! One value as a person reads it: for a debugger's display and for messages.
//!
//! Not here: the layout of Fortran output statements (`listed`, `write`).

use crate::value::{Value, real_value};
use scalar::{Ty, bits};
use std::fmt::Write;

/// The text of a real: as few digits as tell it from its neighbours.
fn real(ty: Ty, word: u64) -> String {
    let value = real_value(ty, word);
    if value.is_nan() {
        return "NaN".to_string();
    }
    if value.is_infinite() {
        return if value < 0.0 { "-Inf" } else { "Inf" }.to_string();
    }
    let with_exponent = value != 0.0 && !(1e-5..1e16).contains(&value.abs());
    match (ty, with_exponent) {
        (Ty::I16 | Ty::F32, false) => format!("{:?}", value as f32),
        (Ty::I16 | Ty::F32, true) => format!("{:E}", value as f32),
        (_, false) => format!("{value:?}"),
        (_, true) => format!("{value:E}"),
    }
}

/// The text of a value without blanks around it: integers and reals in as few digits as tell them from their neighbours,
/// logicals as `T` or `F`, characters in apostrophes, doubled where they occur, and bytes that are no text as `\xNN`.
pub fn display(value: Value<'_>) -> String {
    match value {
        Value::Int { ty, bits } => bits::signed(ty, bits).to_string(),
        Value::Real { ty, bits } => real(ty, bits),
        Value::Complex { ty, re, im } => format!("({}, {})", real(ty, re), real(ty, im)),
        Value::Logical { ty, bits } => if bits::canonical(ty, bits) != 0 { "T" } else { "F" }.to_string(),
        Value::Char(text) => {
            let mut shown = String::with_capacity(text.len() + 2);
            shown.push('\'');
            for chunk in text.utf8_chunks() {
                for c in chunk.valid().chars() {
                    match c {
                        '\'' => shown.push_str("''"),
                        c if c.is_control() => {
                            // Writing to a string cannot fail.
                            let _ = write!(shown, "\\x{:02x}", c as u32);
                        }
                        c => shown.push(c),
                    }
                }
                for byte in chunk.invalid() {
                    let _ = write!(shown, "\\x{byte:02x}");
                }
            }
            shown.push('\'');
            shown
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_shown_in_few_digits() {
        assert_eq!(display(Value::real4(0.1)), "0.1");
        assert_eq!(display(Value::real8(-1e-9)), "-1E-9");
        assert_eq!(display(Value::real8(2.0)), "2.0");
        assert_eq!(display(Value::real4(1.5e20)), "1.5E20");
        assert_eq!(display(Value::int8(-7)), "-7");
        assert_eq!(display(Value::logical4(true)), "T");
        assert_eq!(display(Value::Char(b"it's\n\xff")), "'it''s\\x0a\\xff'");
    }
}
