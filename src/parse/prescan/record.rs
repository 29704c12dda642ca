//! Points in the text of statements that the grammar wants otherwise.
//!
//! VAX Fortran writes components `a.b`: they become `a%b`. Behind the first STRUCTURE or RECORD of a file that is any name; those of
//! derived types are known from their definitions. The operators and constants of one letter become capital: `.T.` of `.t.`, so that
//! the grammar tells them from operators of the program. A name between two points may also be an operator: those of the
//! language always are, others if the program defines them.

use crate::logical::{is_quote, is_word};
use std::collections::BTreeSet;

/// The operators and constants that stand between two points.
const WORDS: &[&[u8]] =
    &[b"eq", b"ne", b"lt", b"le", b"gt", b"ge", b"and", b"or", b"not", b"eqv", b"neqv", b"xor", b"true", b"false"];

/// Those of one letter: AND, OR, NOT, XOR, true and false.
const LETTERS: &[u8] = b"aonxtf";

/// What is known of the components and operators of a program.
#[derive(Debug, Default)]
pub(crate) struct Records {
    /// Whether the file has records.
    has_some: bool,
    /// Whether the last statement belongs to the definition of a type.
    is_in_type: bool,
    /// The operators that the program defines.
    operators: BTreeSet<Vec<u8>>,
    /// The components of derived types and structures.
    components: BTreeSet<Vec<u8>>,
    /// The names between two points that were taken for components, or for operators and constants of the language.
    taken: BTreeSet<Vec<u8>>,
}

impl Records {
    /// What is known of the operators when all files have been read, if one of them was taken for something else before the statement
    /// that defines it.
    pub(crate) fn with_late_operators(self) -> Option<Records> {
        let is_late = !self.taken.is_disjoint(&self.operators);
        is_late.then(|| Records { operators: self.operators, ..Records::default() })
    }

    /// A file begins.
    pub(super) fn begin_file(&mut self) {
        (self.has_some, self.is_in_type) = (false, false);
    }

    /// Notes what a statement says of components and operators, and changes the points in it; gives the place of the first one
    /// that became the component of a derived type.
    pub(super) fn take(&mut self, text: &mut [u8]) -> Option<usize> {
        self.has_some |= text.starts_with(b"structure/") || text.starts_with(b"record/");
        if find(text, b"operator(.").is_some() {
            self.note_operators(text);
        }
        self.note_components(text);
        if text.contains(&b'.') { self.change(text) } else { None }
    }

    /// Notes the names in `operator(.name.)`.
    fn note_operators(&mut self, text: &[u8]) {
        const BEGIN: &[u8] = b"operator(.";
        for at in text.windows(BEGIN.len()).enumerate().filter(|(_, w)| *w == BEGIN).map(|(at, _)| at) {
            let name = text[at + BEGIN.len()..].iter().take_while(|b| b.is_ascii_lowercase());
            self.operators.insert(name.copied().collect());
        }
    }

    /// Notes the names that a statement in the definition of a type may declare.
    fn note_components(&mut self, text: &[u8]) {
        let begins = match text.strip_prefix(b"type") {
            Some([b' ', rest @ ..]) => !rest.starts_with(b"is("),
            Some([b',' | b':', ..]) => true,
            _ => text.starts_with(b"structure"),
        };
        if begins || text.starts_with(b"end") {
            let is_inner =
                [&b"endunion"[..], b"end union", b"endmap", b"end map"].iter().any(|end| text.starts_with(end));
            self.is_in_type = begins || self.is_in_type && is_inner;
            return;
        }
        if !self.is_in_type {
            return;
        }
        let first = find(text, b"::").unwrap_or_else(|| text.iter().take_while(|b| b.is_ascii_lowercase()).count());
        let mut depth = 0i32;
        for part in text[first..].split_inclusive(|&b| !is_word(b)) {
            let name = part.strip_suffix(b"(").or(part.strip_suffix(b")")).unwrap_or(part);
            let name: Vec<u8> = name.iter().copied().filter(|&b| is_word(b)).collect();
            if depth == 0 && name.first().is_some_and(u8::is_ascii_lowercase) {
                self.components.insert(name);
            }
            depth += i32::from(part.ends_with(b"(")) - i32::from(part.ends_with(b")"));
        }
    }

    fn change(&mut self, text: &mut [u8]) -> Option<usize> {
        let (mut at, mut quote, mut first) = (0, None, None);
        while at < text.len() {
            let byte = text[at];
            match quote {
                Some(open) if byte == open => quote = None,
                Some(_) => {}
                None if is_quote(byte) => quote = Some(byte),
                None if byte == b'.' && text.get(at + 1).is_some_and(u8::is_ascii_lowercase) => {
                    let end = at + 1 + text[at + 1..].iter().take_while(|&&b| is_word(b)).count();
                    let is_enclosed = text.get(end) == Some(&b'.');
                    if is_number(&text[..at]) && is_exponent(&text[at + 1..end]) {
                        // `1.e5.and.`: the point behind the exponent begins a word.
                        at = end - 1;
                    } else if is_object(&text[..at]) && self.is_component(&text[at + 1..end], &text[end..]) {
                        if is_enclosed {
                            self.taken.insert(text[at + 1..end].to_vec());
                        }
                        text[at] = b'%';
                        first = first.or(Some(at).filter(|_| !self.has_some));
                    } else if is_enclosed {
                        if is_letter(&text[at + 1..end]) && !self.operators.contains(&text[at + 1..end]) {
                            self.taken.insert(text[at + 1..end].to_vec());
                            text[at + 1].make_ascii_uppercase();
                        }
                        at = end;
                    }
                }
                None => {}
            }
            at += 1;
        }
        first
    }

    /// Whether a name behind the point that follows an object is a component; `behind` is what follows the name.
    fn is_component(&self, name: &[u8], behind: &[u8]) -> bool {
        let is_known = self.components.contains(name);
        let Some(next) = behind.strip_prefix(b".") else {
            return self.has_some || is_known && !WORDS.contains(&name);
        };
        if WORDS.contains(&name) || self.operators.contains(name) {
            return false;
        }
        match name {
            // No constant and no NOT follows an object.
            b"t" | b"f" | b"n" => is_known,
            // Nor does an operator such as `.lt.` follow one of two operands.
            b"a" | b"o" | b"x" => is_known && (self.has_some || begins_with_word(next)),
            _ => is_known || self.has_some,
        }
    }
}

/// Whether a text begins with an operator of the language but for its first point.
fn begins_with_word(text: &[u8]) -> bool {
    WORDS.iter().any(|word| text.strip_prefix(*word).is_some_and(|rest| rest.starts_with(b".")))
}

/// Whether a text ends with the digits of a number.
fn is_number(text: &[u8]) -> bool {
    let word = text.iter().rev().take_while(|&&b| is_word(b)).count();
    text.get(text.len() - word).is_some_and(u8::is_ascii_digit)
}

/// Whether a word is the exponent of a real constant.
fn is_exponent(word: &[u8]) -> bool {
    matches!(word, [b'e' | b'd' | b'q', digit, ..] if digit.is_ascii_digit())
}

/// Whether a text ends as an object does: with a name or a closing parenthesis.
fn is_object(text: &[u8]) -> bool {
    let word = text.iter().rev().take_while(|&&b| is_word(b)).count();
    match text.len().checked_sub(word).and_then(|first| text.get(first)) {
        Some(first) => first.is_ascii_lowercase() || *first == b'_',
        None => text.last() == Some(&b')'),
    }
}

/// Whether a name is an operator or constant of one letter.
fn is_letter(name: &[u8]) -> bool {
    matches!(name, [letter] if LETTERS.contains(letter))
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
    fn components_of_types_are_known_by_their_definitions() {
        let of_type = |line| changed(&["type,public::t", "integer::i,r(n)", "type(u)b", "end type", line]);
        assert_eq!(of_type("v.r(2)=v.i+w.b.i*x.and.v.i.eq.1"), "v%r(2)=v%i+w%b%i*x.and.v%i.eq.1");
        assert_eq!(of_type("v.n=v.other.w"), "v.n=v.other.w");
        let of_letters = |line| changed(&["type t", "logical a,t,x", "end type t", line]);
        assert_eq!(of_letters("l=v.a.eq.v.t.and.v.x.or.v.t"), "l=v%a.eq.v%t.and.v%x.or.v%t");
        assert_eq!(of_letters("l=v.a.t.x.u"), "l=v.A.t.X.u");
        assert_eq!(changed(&["type(t)::v", "v.i=1"]), "v.i=1");
    }

    #[test]
    fn operators_of_one_letter_become_capital() {
        assert_eq!(changed(&["l=.n.a.o.(b.x..t.)"]), "l=.N.a.O.(b.X..T.)");
        assert_eq!(changed(&["interface operator(.o.)", "l=a.o.b.a.c.or.'.t.'"]), "l=a.o.b.A.c.or.'.t.'");
        assert_eq!(changed(&["use m,only:operator(.o.),operator(.t.)", "l=a.o.t.b"]), "l=a.o.t.b");
    }

    #[test]
    fn without_records_and_with_operators_they_stay() {
        assert_eq!(changed(&["x=a.b.c"]), "x=a.b.c");
        assert_eq!(changed(&["interface operator(.b.)", "record/s/a", "x=a.b.c.d"]), "x=a.b.c%d");
    }
}
