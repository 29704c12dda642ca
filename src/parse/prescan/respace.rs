//! Puts blanks back into a fixed-form statement from which all were dropped.
//!
//! The keyword at the beginning is found by what follows it, as FORTRAN 77 compilers did: assignments are told first, so
//! a statement that begins with the letters of a keyword is that statement. Only the blanks that the grammar wants are
//! put back.

use crate::logical::is_word;
use crate::outline::{closing, look};
use crate::statement::EndKind;

/// The offsets before which a blank belongs, in increasing order.
pub(super) fn respace(bytes: &[u8]) -> Vec<usize> {
    let mut blanks = Vec::new();
    if let Ok(text) = std::str::from_utf8(bytes) {
        statement(text, 0, &mut blanks, 0);
    }
    blanks.sort_unstable();
    blanks.dedup();
    blanks
}

/// The same for the text of a CUF directive.
pub(super) fn directive(bytes: &[u8]) -> Vec<usize> {
    if bytes.starts_with(b"kerneldo") { vec!["kernel".len()] } else { Vec::new() }
}

/// Keywords that a name or value may follow directly. A longer keyword stands before its beginnings.
const KEYWORDS: &[&str] = &[
    "abstractinterface",
    "accept",
    "allocatable",
    "assign",
    "asynchronous",
    "automatic",
    "backspace",
    "blockdata",
    "call",
    "classdefault",
    "casedefault",
    "rankdefault",
    "common",
    "contiguous",
    "continue",
    "cycle",
    "data",
    "dimension",
    "doconcurrent",
    "endfile",
    "entry",
    "enumerator",
    "errorstop",
    "exit",
    "external",
    "final",
    "flush",
    "goto",
    "implicitnone",
    "implicit",
    "import",
    "interface",
    "intrinsic",
    "moduleprocedure",
    "module",
    "optional",
    "parameter",
    "pause",
    "pointer",
    "print",
    "private",
    "procedure",
    "program",
    "protected",
    "public",
    "read",
    "return",
    "rewind",
    "save",
    "static",
    "stop",
    "subroutine",
    "function",
    "target",
    "use",
    "value",
    "volatile",
];

/// Keywords of two words that the grammar wants apart.
const SPLIT: &[(&str, usize)] = &[
    ("abstractinterface", 8),
    ("classdefault", 5),
    ("casedefault", 4),
    ("rankdefault", 4),
    ("doconcurrent", 2),
    ("implicitnone", 8),
    ("moduleprocedure", 6),
];

/// Words before SUBROUTINE and FUNCTION.
const PREFIXES: &[&str] = &["non_recursive", "recursive", "elemental", "impure", "pure", "module"];

const TYPES: &[&str] =
    &["doubleprecision", "doublecomplex", "integer", "real", "complex", "logical", "character", "byte"];

/// How many one-line IFs may stand in each other before the rest is left as it is.
const MAX_DEPTH: usize = 8;

fn statement(text: &str, base: usize, blanks: &mut Vec<usize>, depth: usize) {
    if depth > MAX_DEPTH || is_assignment(text) {
        return;
    }
    if let Some(colon) = construct_name(text) {
        return statement(&text[colon + 1..], base + colon + 1, blanks, depth + 1);
    }
    for head in ["if(", "where(", "forall(", "elseif("] {
        if text.starts_with(head)
            && let Some(close) = closing(text, head.len() - 1)
        {
            let (rest, at) = (&text[close + 1..], base + close + 1);
            if let Some(name) = rest.strip_prefix("then") {
                after(name, at + 4, blanks);
            } else {
                statement(rest, at, blanks, depth + 1);
            }
            return;
        }
    }
    if let Some(at) = subprogram(text, base, blanks) {
        return after(&text[at - base..], at, blanks);
    }
    if let Some(rest) = text.strip_prefix("end")
        && !text.starts_with("endfile")
    {
        return end(rest, base + 3, blanks);
    }
    if text.starts_with("do") && !text.starts_with("double") && !text.starts_with("doconcurrent") {
        return do_statement(text, base, blanks);
    }
    if let Some(length) = type_length(text) {
        if !text[..length].ends_with(')') {
            after(&text[length..], base + length, blanks);
        }
        return;
    }
    for (pair, at) in [("typeis(", 4), ("classis(", 5)] {
        if text.starts_with(pair) {
            blanks.push(base + at);
            return;
        }
    }
    for word in ["else", "type", "enum"] {
        if let Some(rest) = text.strip_prefix(word)
            && !text.starts_with("enumerator")
            && !rest.starts_with("where")
        {
            return after(rest, base + word.len(), blanks);
        }
    }
    for keyword in KEYWORDS {
        if let Some(rest) = text.strip_prefix(keyword) {
            if let Some((_, at)) = SPLIT.iter().find(|(word, _)| word == keyword) {
                blanks.push(base + at);
            }
            if *keyword == "implicit" {
                blanks.push(base + keyword.len());
            }
            return after(rest, base + keyword.len(), blanks);
        }
    }
}

/// A blank before what follows a keyword, if that is a word.
fn after(rest: &str, at: usize, blanks: &mut Vec<usize>) {
    if rest.bytes().next().is_some_and(is_word) {
        blanks.push(at);
    }
}

fn is_assignment(text: &str) -> bool {
    let Ok(shape) = look(text) else { return false };
    // `do10i=1,5` reads like an assignment to `do10i`; the comma tells.
    shape.assigns.is_some() && !(text.starts_with("do") && shape.comma_after_equals.is_some())
}

fn construct_name(text: &str) -> Option<usize> {
    let colon = text.bytes().take_while(|&b| is_word(b)).count();
    let rest = text.get(colon..)?;
    let opens = ["if(", "do", "select", "where(", "forall(", "associate(", "block"];
    (colon > 0 && rest.starts_with(':') && opens.iter().any(|word| rest[1..].starts_with(word))).then_some(colon)
}

/// Prefixes and SUBROUTINE or FUNCTION; gives the place of the name.
fn subprogram(text: &str, base: usize, blanks: &mut Vec<usize>) -> Option<usize> {
    let mut found = Vec::new();
    let mut at = 0;
    loop {
        let rest = &text[at..];
        if let Some(word) = ["subroutine", "function"].into_iter().find(|word| rest.starts_with(word)) {
            let name = &rest[word.len()..];
            let letters = name.bytes().take_while(|&b| is_word(b)).count();
            let list = name[letters..].strip_prefix('(').and_then(|l| l.split_once(')')).map(|(inside, _)| inside);
            let plain = list.is_none_or(|l| {
                l.bytes().all(|b| is_word(b) || b == b',' || b == b'*') && !l.starts_with(|c: char| c.is_ascii_digit())
            });
            if letters == 0 || !plain || word == "function" && list.is_none() {
                return None;
            }
            blanks.append(&mut found);
            return Some(base + at + word.len());
        }
        let length = PREFIXES.iter().find(|word| rest.starts_with(**word)).map(|word| word.len());
        let length = length.or_else(|| type_length(rest));
        let length = length.or_else(|| {
            let head = ["attributes", "launch_bounds", "cluster_dims"].into_iter().find(|w| rest.starts_with(w))?;
            closing(rest, head.len()).map(|close| close + 1)
        });
        at += length?;
        if text.as_bytes().get(at - 1).copied().is_some_and(is_word) {
            found.push(base + at);
        }
    }
}

/// The length of a type with its kind; `type(name)` and `class(name)` included.
fn type_length(text: &str) -> Option<usize> {
    for word in ["type", "class"] {
        if text.strip_prefix(word).is_some_and(|rest| rest.starts_with('(')) {
            return closing(text, word.len()).map(|close| close + 1);
        }
    }
    let word = TYPES.iter().find(|word| text.starts_with(**word))?;
    let mut at = word.len();
    let rest = &text[at..];
    if rest.starts_with('(') {
        at = closing(text, at)? + 1;
    } else if let Some(size) = rest.strip_prefix('*') {
        at += 1;
        at = if size.starts_with('(') {
            closing(text, at)? + 1
        } else {
            at + size.bytes().take_while(u8::is_ascii_digit).count()
        };
    }
    Some(at)
}

fn end(rest: &str, base: usize, blanks: &mut Vec<usize>) {
    let mut words = ["blockdata", "moduleprocedure"].iter().chain(EndKind::WORDS);
    let Some(&word) = words.find(|word| rest.starts_with(**word)) else { return };
    blanks.push(base);
    if word == "moduleprocedure" {
        blanks.push(base + "module".len());
    }
    after(&rest[word.len()..], base + word.len(), blanks);
}

fn do_statement(text: &str, base: usize, blanks: &mut Vec<usize>) {
    let mut at = "do".len();
    let digits = text[at..].bytes().take_while(u8::is_ascii_digit).count();
    if digits > 0 {
        blanks.push(base + at);
        at += digits;
    }
    after(&text[at..], base + at, blanks);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spaced(text: &str) -> String {
        let blanks = respace(text.as_bytes());
        let mut out = String::new();
        for (at, c) in text.chars().enumerate() {
            if blanks.contains(&at) {
                out.push(' ');
            }
            out.push(c);
        }
        out
    }

    #[test]
    fn blanks_come_back_where_the_grammar_wants_them() {
        for wanted in [
            "do 10 i=1,5",
            "do i=1,n",
            "do while(x)",
            "do10i=1.5",
            "call foo(a)",
            "goto 10",
            "goto i,(10,20)",
            "assign 10toi",
            "if(x)goto 10",
            "if(a==b)then",
            "integer*4 x,y",
            "real x",
            "real*8 function f(x)",
            "recursive subroutine s",
            "attributes(global)subroutine k(a,n)",
            "doubleprecision x(10)",
            "character*(*)c",
            "end subroutine foo",
            "end do",
            "end if",
            "end",
            "implicit none",
            "implicit real*8(a-h,o-z)",
            "endfile 10",
            "print 10,x",
            "print*,x",
            "data x/1/",
            "dimension a(3)",
            "program test",
            "stop 1",
            "stop'x'",
            "module procedure a,b",
            "use cudafor",
            "type is(integer)",
            "loop:do i=1,3",
            "case default",
            "if(i)=3",
        ] {
            let squeezed: String = wanted.chars().filter(|c| *c != ' ').collect();
            assert_eq!(spaced(&squeezed), wanted);
        }
    }
}
