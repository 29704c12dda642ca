//! A quick look at a statement before the grammar sees it: are its parentheses whole, and is it an assignment?
//!
//! Fortran has no reserved words, so `if(i)=3` and `end=3` are assignments. They are told by their shape alone: a name,
//! then parenthesised lists and components in any number, then `=` or `=>`. Compilers have done so since FORTRAN 77;
//! blanks between words (`do i=1,3`) rule it out.
//!
//! The depth of parentheses is bounded here, because pest and all later stages recurse over expressions.

use crate::logical::{is_quote, is_word};

/// How deep parentheses and brackets may nest within one statement.
pub(crate) const MAX_PARENTHESES: usize = 96;

/// What the look has found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Outline {
    /// `=` or `=>` after a designator.
    pub(crate) assigns: Option<Assigns>,
    /// Offset of the first `=` outside parentheses that is no part of `==`, `/=`, `<=`, `>=`.
    pub(crate) equals: Option<usize>,
    /// Offset of the first `::` outside parentheses.
    pub(crate) double_colon: Option<usize>,
    /// Offset of the first comma outside parentheses after `equals`.
    pub(crate) comma_after_equals: Option<usize>,
}

/// The two assignments.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Assigns {
    /// `=`
    Value,
    /// `=>`
    Pointer,
}

/// Parentheses that do not match; offsets into the statement.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Unbalanced {
    /// Opened and never closed.
    Open(usize),
    /// Closes nothing.
    Close(usize),
    /// Opened there, closed here with the other kind.
    Mixed(usize, usize),
    /// Opens one level too many.
    TooDeep(usize),
}

/// Looks at a normalised statement.
pub(crate) fn look(text: &str) -> Result<Outline, Unbalanced> {
    let bytes = text.as_bytes();
    let mut shape = Outline { assigns: None, equals: None, double_colon: None, comma_after_equals: None };
    let mut open: [usize; MAX_PARENTHESES] = [0; MAX_PARENTHESES];
    let mut depth = 0;
    // Whether all that was read outside parentheses so far is a designator.
    let mut designator = bytes.first().is_some_and(|b| b.is_ascii_alphabetic() || *b == b'_');
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'(' | b'[' => {
                if depth == MAX_PARENTHESES {
                    return Err(Unbalanced::TooDeep(at));
                }
                designator &= byte == b'(' || depth > 0;
                open[depth] = at;
                depth += 1;
            }
            b')' | b']' => {
                if depth == 0 {
                    return Err(Unbalanced::Close(at));
                }
                depth -= 1;
                if (bytes[open[depth]] == b'(') != (byte == b')') {
                    return Err(Unbalanced::Mixed(open[depth], at));
                }
                if depth == 0 && bytes.get(at + 1).is_some_and(|&next| is_word(next)) {
                    designator = false;
                }
            }
            b if is_quote(b) => {
                designator &= depth > 0;
                at += 1;
                while bytes.get(at).is_some_and(|&c| c != b) {
                    at += 1;
                }
            }
            _ if depth > 0 => {}
            b'=' => {
                let before = at.checked_sub(1).map_or(0, |i| bytes[i]);
                let next = bytes.get(at + 1).copied().unwrap_or(0);
                let relation = next == b'=' || matches!(before, b'=' | b'/' | b'<' | b'>') && shape.equals.is_none();
                if shape.equals.is_none() && !relation {
                    shape.equals = Some(at);
                    if designator {
                        shape.assigns = Some(if next == b'>' { Assigns::Pointer } else { Assigns::Value });
                    }
                }
                designator = false;
            }
            b':' => {
                if shape.double_colon.is_none() && bytes.get(at + 1) == Some(&b':') {
                    shape.double_colon = Some(at);
                }
                designator = false;
            }
            b',' => {
                if shape.equals.is_some() && shape.comma_after_equals.is_none() {
                    shape.comma_after_equals = Some(at);
                }
                designator = false;
            }
            b'%' => {}
            b if is_word(b) => {}
            _ => designator = false,
        }
        at += 1;
    }
    match depth {
        0 => Ok(shape),
        _ => Err(Unbalanced::Open(open[depth - 1])),
    }
}

/// The offset of the parenthesis that closes the one at `at`.
pub(crate) fn closing(text: &str, at: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut depth = 0usize;
    let mut i = at;
    while let Some(&byte) = bytes.get(i) {
        match byte {
            b'(' => depth += 1,
            b')' => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    return Some(i);
                }
            }
            b if is_quote(b) => {
                i += 1;
                while bytes.get(i).is_some_and(|&c| c != b) {
                    i += 1;
                }
            }
            _ => {}
        }
        i += 1;
    }
    None
}

/// The word at the beginning of a text.
pub(crate) fn first_word(text: &str) -> &str {
    &text[..text.bytes().take_while(|&b| is_word(b)).count()]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn assigns(text: &str) -> Option<Assigns> {
        look(text).ok().and_then(|s| s.assigns)
    }

    #[test]
    fn assignment_is_told_by_shape_not_by_words() {
        for text in ["if(i)=3", "end=3", "do=1", "real(8)=5", "a%b(i)(1:3)=c", "call=x==y", "x=a(')')", "a(i==2)=1"] {
            assert_eq!(assigns(text), Some(Assigns::Value), "{text}");
        }
        for text in ["do i=1,3", "if(x)a=3", "integer::x=3", "if(a==b)then", "x==y", "print*,a=b", "a/=b", "use m,a=>b"]
        {
            assert_eq!(assigns(text), None, "{text}");
        }
        assert_eq!(assigns("p(1:n)=>x"), Some(Assigns::Pointer));
        assert_eq!(assigns("procedure=>x"), Some(Assigns::Pointer));
    }

    #[test]
    fn unmatched_parentheses_are_found_where_they_stand() {
        assert_eq!(look("call f((a)"), Err(Unbalanced::Open(6)));
        assert_eq!(look("x=a)+b"), Err(Unbalanced::Close(3)));
        assert_eq!(look("x=[1,2)"), Err(Unbalanced::Mixed(2, 6)));
        assert!(matches!(look(&"(".repeat(5000)), Err(Unbalanced::TooDeep(MAX_PARENTHESES))));
        assert!(look("x='('").is_ok());
    }

    #[test]
    fn closing_parenthesis_skips_literals() {
        assert_eq!(closing("if(a==')')b=1", 2), Some(9));
        assert_eq!(closing("if(a", 2), None);
    }
}
