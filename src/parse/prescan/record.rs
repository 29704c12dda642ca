//! Components of records, which VAX Fortran writes `a.b`: in the text of statements they become `a%b`.
//!
//! A name between two points may also be an operator: those of the language always are, others if the file defines them. The
//! text changes only behind the first STRUCTURE or RECORD of a file.

use crate::logical::{is_quote, is_word};
use std::collections::BTreeSet;

/// The operators and constants that stand between two points.
const WORDS: &[&[u8]] =
    &[b"eq", b"ne", b"lt", b"le", b"gt", b"ge", b"and", b"or", b"not", b"eqv", b"neqv", b"xor", b"true", b"false"];

/// What is known of the records of a file.
#[derive(Debug, Default)]
pub(super) struct Records {
    has_some: bool,
    /// The operators that the file defines.
    operators: BTreeSet<Vec<u8>>,
}

impl Records {
    /// Notes what a statement says of records and operators, and changes the points in it that stand before components.
    pub(super) fn take(&mut self, text: &mut [u8]) {
        self.has_some |= text.starts_with(b"structure/") || text.starts_with(b"record/");
        if let Some(at) = find(text, b"operator(.") {
            let word = text[at + 10..].iter().take_while(|b| b.is_ascii_lowercase());
            self.operators.insert(word.copied().collect());
        }
        if self.has_some {
            self.change(text);
        }
    }

    fn change(&self, text: &mut [u8]) {
        let (mut at, mut quote) = (0, None);
        while at < text.len() {
            let byte = text[at];
            match quote {
                Some(open) if byte == open => quote = None,
                Some(_) => {}
                None if is_quote(byte) => quote = Some(byte),
                None if byte == b'.' => {
                    let word = text[at + 1..].iter().take_while(|&&b| is_word(b)).count();
                    let end = at + 1 + word;
                    let is_enclosed = text.get(end) == Some(&b'.');
                    let begins = word > 0 && text[at + 1].is_ascii_lowercase();
                    if begins && is_object(&text[..at]) && !(is_enclosed && self.is_operator(&text[at + 1..end])) {
                        text[at] = b'%';
                    } else if begins && is_enclosed {
                        at = end;
                    }
                }
                None => {}
            }
            at += 1;
        }
    }

    fn is_operator(&self, word: &[u8]) -> bool {
        WORDS.contains(&word) || self.operators.contains(word)
    }
}

/// Whether a text ends as an object does: with a name or a closing parenthesis.
fn is_object(text: &[u8]) -> bool {
    let word = text.iter().rev().take_while(|&&b| is_word(b)).count();
    match text.len().checked_sub(word).and_then(|first| text.get(first)) {
        Some(first) => first.is_ascii_lowercase() || *first == b'_',
        None => text.last() == Some(&b')'),
    }
}

fn find(text: &[u8], wanted: &[u8]) -> Option<usize> {
    text.windows(wanted.len()).position(|window| window == wanted)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn changed(lines: &[&str]) -> String {
        let mut records = Records::default();
        let mut last = String::new();
        for line in lines {
            let mut text = line.as_bytes().to_vec();
            records.take(&mut text);
            last = String::from_utf8_lossy(&text).into_owned();
        }
        last
    }

    #[test]
    fn points_before_components_are_changed() {
        assert_eq!(
            changed(&["record/s/a", "a.b.c(1.5).d=x.b.eq.1..and..not.a.l"]),
            "a%b%c(1.5)%d=x%b.eq.1..and..not.a%l"
        );
        assert_eq!(changed(&["record/s/a", "format(f5.2,'a.b',e10.3)"]), "format(f5.2,'a.b',e10.3)");
        assert_eq!(changed(&["record/s/a", "x=1.e5+a(2).e5*.5-b.or.c"]), "x=1.e5+a(2)%e5*.5-b.or.c");
    }

    #[test]
    fn without_records_and_with_operators_they_stay() {
        assert_eq!(changed(&["x=a.b.c"]), "x=a.b.c");
        assert_eq!(changed(&["interface operator(.b.)", "record/s/a", "x=a.b.c.d"]), "x=a.b.c%d");
    }
}
