//! Formats of `print`, `display`, `output` and `x`: `/x`, `/8fw`.
//!
//! Not here: the commands (`parse`) and the text of values (`eval`).

use crate::command::parse::{ParseError, fail};
use crate::command::{ExamineRequest, Radix};

/// The form of a letter.
fn radix(letter: char) -> Option<Radix> {
    Some(match letter {
        'x' | 'z' | 'a' => Radix::Hex,
        'o' => Radix::Octal,
        't' => Radix::Binary,
        'd' => Radix::Decimal,
        'u' => Radix::Unsigned,
        'c' => Radix::Character,
        'f' => Radix::Real,
        's' => Radix::Natural,
        _ => return None,
    })
}

/// Splits a format from what follows it: `x` and `mask` of `/x mask`.
pub(crate) fn split_form(rest: &str) -> Option<(&str, &str)> {
    let form = rest.strip_prefix('/')?;
    let end = form.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(form.len());
    Some((&form[..end], form[end..].trim()))
}

/// The letter of a format as an option of a command that sets it again.
pub(crate) fn letter(radix: Radix) -> &'static str {
    match radix {
        Radix::Natural => "",
        Radix::Hex => "/x ",
        Radix::Octal => "/o ",
        Radix::Binary => "/t ",
        Radix::Decimal => "/d ",
        Radix::Unsigned => "/u ",
        Radix::Character => "/c ",
        Radix::Real => "/f ",
    }
}

/// A form before an expression.
pub(crate) fn formatted(rest: &str) -> Result<(Radix, &str), ParseError> {
    let Some((form, tail)) = split_form(rest) else { return Ok((Radix::Natural, rest)) };
    let mut letters = form.chars();
    match (letters.next().and_then(radix), letters.next()) {
        (Some(radix), None) => Ok((radix, tail)),
        (None, None) if form == "r" => Ok((Radix::Natural, tail)),
        _ if form == "i" => fail("Bad format \"/i\": \"disassemble\" shows the code of a procedure."),
        _ => fail(format!("Bad format \"/{form}\": /x, /o, /t, /d, /u, /c or /f is expected.")),
    }
}

/// The arguments of `x`.
pub(crate) fn examine(rest: &str) -> Result<ExamineRequest, ParseError> {
    let (form, at) = split_form(rest).unwrap_or(("", rest));
    let digits = form.find(|c: char| !c.is_ascii_digit()).unwrap_or(form.len());
    let count = match &form[..digits] {
        "" => 1,
        digits => digits
            .parse()
            .ok()
            .filter(|n| (1..=MOST_UNITS).contains(n))
            .map_or_else(|| fail(format!("Bad count \"{digits}\": a number up to {MOST_UNITS} is expected.")), Ok)?,
    };
    let mut request =
        ExamineRequest { count, at: (!at.is_empty()).then(|| at.to_owned()), ..ExamineRequest::default() };
    for letter in form[digits..].chars() {
        match (letter, radix(letter)) {
            ('b', _) => request.bytes = Some(1),
            ('h', _) => request.bytes = Some(2),
            ('w', _) => request.bytes = Some(4),
            ('g', _) => request.bytes = Some(8),
            ('i', _) => return fail("Bad format \"/i\": \"disassemble\" shows the code of a procedure."),
            ('s', _) => return fail("Bad format \"/s\": texts of Fortran have no end mark; \"print\" shows them."),
            (_, Some(radix)) => request.radix = Some(radix),
            _ => {
                return fail(format!(
                    "Bad format \"/{form}\": a count, x, o, t, d, u, c or f, and b, h, w or g are expected."
                ));
            }
        }
    }
    Ok(request)
}

/// Most units of `x`.
const MOST_UNITS: u64 = 4096;

/// Numbers and ranges: `1 3-5`.
pub(crate) fn numbers(rest: &str) -> Result<Vec<u32>, ParseError> {
    let mut all = Vec::new();
    for word in rest.split([' ', ',', '\t']).filter(|w| !w.is_empty()) {
        let bad = || ParseError(format!("Bad breakpoint or display number \"{word}\"."));
        let (from, to) = word.split_once('-').unwrap_or((word, word));
        let (from, to): (u32, u32) = (from.parse().map_err(|_| bad())?, to.parse().map_err(|_| bad())?);
        if from > to || to - from >= 1 << 16 {
            return Err(bad());
        }
        all.extend(from..=to);
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_formats_of_gdb_are_read() {
        assert_eq!(formatted("/x mask"), Ok((Radix::Hex, "mask")));
        assert_eq!(formatted("mask"), Ok((Radix::Natural, "mask")));
        assert!(formatted("/q mask").is_err() && formatted("/xd mask").is_err());
        let request = ExamineRequest { count: 8, radix: Some(Radix::Hex), bytes: Some(4), at: Some("&s(1)".into()) };
        assert_eq!(examine("/8xw &s(1)"), Ok(request));
        assert_eq!(examine(""), Ok(ExamineRequest { count: 1, ..ExamineRequest::default() }));
        assert!(examine("/0x a").is_err() && examine("/i a").is_err() && examine("/99999999999999999999x a").is_err());
        assert_eq!(numbers("1 3-5"), Ok(vec![1, 3, 4, 5]));
        assert!(numbers("5-3").is_err() && numbers("1-4000000000").is_err() && numbers("x").is_err());
    }
}
