//! Replacing macros in a line.
//!
//! As in C, a use is replaced by the macro's text, arguments first, and the result is looked through again; within it
//! the macro itself is left alone, so that no definition goes on forever. Depth and size are still bounded.

use super::macros::{Macros, identifier};
use super::{Cpp, push_copy, push_text};
use crate::SourceForm;
use crate::line::{Line, Made};
use diag::{Code, Diagnostic, Diagnostics};
use source::Span;

/// How deep macros may use each other.
const MAX_DEPTH: usize = 100;
/// How long the text of one use may become.
const MAX_TEXT: usize = 1 << 16;

/// What became of a line.
pub(super) enum Expanded {
    /// It has no macros.
    Same,
    /// It was replaced.
    Made(Made),
    /// The arguments of a macro go on beyond the line.
    Unclosed { name: String, span: Span },
}

/// Why a use could not be replaced.
enum Fault {
    /// Wrong number of arguments: given, wanted.
    Count(usize, usize),
    /// Too deep or too long.
    Endless,
    /// The parenthesis is not closed.
    Unclosed(String),
}

impl Cpp<'_> {
    /// Replaces the macros of a line, which is not in a comment as a whole.
    pub(super) fn expand_line(
        &mut self,
        line: &Line,
        text: &str,
        file: &str,
        number: i64,
        diags: &mut Diagnostics,
    ) -> Expanded {
        let bytes = text.as_bytes();
        let mut quote = self.open_quote.take();
        if quote.is_none() && is_comment_line(bytes, self.form) {
            return Expanded::Same;
        }
        let context = Context { macros: &self.macros, file, number };
        let mut made: Option<Made> = None;
        let mut copied = 0;
        let mut at = 0;
        while at < bytes.len() {
            let byte = bytes[at];
            if let Some(q) = quote {
                if byte == q {
                    quote = None;
                }
                at += 1;
                continue;
            }
            match byte {
                b'\'' | b'"' => {
                    quote = Some(byte);
                    at += 1;
                }
                b'!' if at > text.len() - text.trim_start().len() || !is_sentinel(&bytes[at..]) => break,
                b'0'..=b'9' => {
                    at += bytes[at..].iter().take_while(|b| b.is_ascii_alphanumeric() || **b == b'_').count();
                }
                b if b.is_ascii_alphabetic() || b == b'_' => {
                    let name = identifier(&text[at..]);
                    if !context.macros.is_defined(name) {
                        at += name.len();
                        continue;
                    }
                    match context.replace(name, &text[at + name.len()..], &mut Vec::new()) {
                        Ok(None) => at += name.len(),
                        Ok(Some((result, taken))) => {
                            let made = made.get_or_insert_with(Made::default);
                            push_copy(made, line, text, copied, at);
                            let end = at + name.len() + taken;
                            push_text(made, &result, line.span_of(at, end));
                            (at, copied) = (end, end);
                        }
                        Err(Fault::Unclosed(name)) => {
                            return Expanded::Unclosed { name, span: line.span_of(at, at + 1) };
                        }
                        Err(fault) => {
                            let span = line.span_of(at, at + name.len());
                            diags.push(fault_diagnostic(&fault, name, span));
                            at += name.len();
                        }
                    }
                }
                _ => at += 1,
            }
        }
        if quote.is_some() && text.trim_end().ends_with('&') {
            self.open_quote = quote;
        }
        match made {
            None => Expanded::Same,
            Some(mut made) => {
                push_copy(&mut made, line, text, copied, text.len());
                Expanded::Made(made)
            }
        }
    }

    /// Replaces the macros of an `#if` expression or an `#include`.
    pub(super) fn expand_text(&self, text: &str, file: &str, number: i64) -> String {
        let context = Context { macros: &self.macros, file, number };
        context.all(text, &mut Vec::new()).unwrap_or_else(|_| text.to_owned())
    }
}

/// A Fortran comment that is no directive.
fn is_comment_line(bytes: &[u8], form: SourceForm) -> bool {
    if form == SourceForm::Fixed && matches!(bytes.first(), Some(b'c' | b'C' | b'*' | b'd' | b'D')) {
        return !is_sentinel(bytes);
    }
    let first = bytes.iter().position(|&b| b != b' ' && b != b'\t').unwrap_or(bytes.len());
    bytes.get(first) == Some(&b'!') && !is_sentinel(&bytes[first..])
}

fn is_sentinel(bytes: &[u8]) -> bool {
    matches!(bytes.get(1), Some(b'$' | b'@'))
}

fn fault_diagnostic(fault: &Fault, name: &str, span: Span) -> Diagnostic {
    let message = match fault {
        Fault::Count(given, wanted) => {
            let s = if *wanted == 1 { "" } else { "s" };
            format!("macro `{name}` takes {wanted} argument{s}, not {given}")
        }
        Fault::Endless => format!("macro `{name}` becomes too long or uses too many others"),
        Fault::Unclosed(_) => format!("the arguments of macro `{name}` are not closed"),
    };
    Diagnostic::new(Code::BadMacroCall, span, message)
}

/// What macros are replaced with.
struct Context<'a> {
    macros: &'a Macros,
    file: &'a str,
    number: i64,
}

impl Context<'_> {
    /// The text that a use of `name` becomes, and how many bytes of `rest` its arguments took; `None` when it is no use.
    fn replace(&self, name: &str, rest: &str, hidden: &mut Vec<String>) -> Result<Option<(String, usize)>, Fault> {
        match name {
            "__LINE__" => return Ok(Some((self.number.to_string(), 0))),
            "__FILE__" => return Ok(Some((format!("\"{}\"", self.file.replace('"', "\"\"")), 0))),
            "__DATE__" => return Ok(Some(("\"Jan  1 1970\"".to_owned(), 0))),
            "__TIMESTAMP__" => return Ok(Some(("\"Thu Jan  1 00:00:00 1970\"".to_owned(), 0))),
            "__TIME__" => return Ok(Some(("\"00:00:00\"".to_owned(), 0))),
            _ => {}
        }
        let Some(definition) = self.macros.get(name).filter(|_| !hidden.iter().any(|h| h == name)) else {
            return Ok(None);
        };
        if hidden.len() >= MAX_DEPTH {
            return Err(Fault::Endless);
        }
        let mut taken = 0;
        let mut arguments = Vec::new();
        if let Some(params) = &definition.params {
            let blanks = rest.len() - rest.trim_start().len();
            if !rest[blanks..].starts_with('(') {
                return Ok(None);
            }
            let (written, length) = split_arguments(&rest[blanks..]).ok_or_else(|| Fault::Unclosed(name.to_owned()))?;
            taken = blanks + length;
            let mut written = written;
            if definition.variadic && written.len() > params.len() {
                let extra = written.split_off(params.len() - 1).join(",");
                written.push(extra);
            }
            if params.is_empty() && written.len() == 1 && written[0].is_empty() {
                written.clear();
            }
            if written.len() != params.len() && !(definition.variadic && written.len() + 1 == params.len()) {
                return Err(Fault::Count(written.len(), params.len()));
            }
            for argument in written {
                let replaced = self.all(&argument, hidden)?;
                arguments.push((argument, replaced));
            }
        }
        let text = definition.substitute(&arguments);
        if text.len() > MAX_TEXT {
            return Err(Fault::Endless);
        }
        hidden.push(name.to_owned());
        let result = self.all(&text, hidden);
        hidden.pop();
        let mut result = result?;
        // The result may end with the name of a macro whose arguments follow the use.
        let last = result.len() - result.bytes().rev().take_while(|b| b.is_ascii_alphanumeric() || *b == b'_').count();
        let tail = identifier(&result[last..]).to_owned();
        if tail != name
            && self.macros.get(&tail).is_some_and(|m| m.params.is_some())
            && rest[taken..].trim_start().starts_with('(')
        {
            hidden.push(name.to_owned());
            let more = self.replace(&tail, &rest[taken..], hidden);
            hidden.pop();
            if let Some((text, length)) = more? {
                result.truncate(last);
                result.push_str(&text);
                taken += length;
            }
        }
        Ok(Some((result, taken)))
    }

    /// A text with all its macros replaced.
    fn all(&self, text: &str, hidden: &mut Vec<String>) -> Result<String, Fault> {
        let bytes = text.as_bytes();
        let mut out = String::new();
        let mut at = 0;
        while at < bytes.len() {
            let length = match bytes[at] {
                quote @ (b'\'' | b'"') => {
                    bytes[at + 1..].iter().position(|&b| b == quote).map_or(bytes.len() - at, |n| n + 2)
                }
                b'0'..=b'9' => bytes[at..].iter().take_while(|b| b.is_ascii_alphanumeric() || **b == b'_').count(),
                b if b.is_ascii_alphabetic() || b == b'_' => {
                    let name = identifier(&text[at..]);
                    if let Some((result, taken)) = self.replace(name, &text[at + name.len()..], hidden)? {
                        out.push_str(&result);
                        at += name.len() + taken;
                        if out.len() > MAX_TEXT {
                            return Err(Fault::Endless);
                        }
                        continue;
                    }
                    name.len()
                }
                _ => text[at..].chars().next().map_or(1, char::len_utf8),
            };
            out.push_str(&text[at..at + length]);
            at += length;
        }
        Ok(out)
    }
}

/// The arguments between parentheses, and the length of all that.
fn split_arguments(text: &str) -> Option<(Vec<String>, usize)> {
    let bytes = text.as_bytes();
    let mut arguments = Vec::new();
    let (mut depth, mut start, mut quote) = (0usize, 1, None);
    for (at, &byte) in bytes.iter().enumerate() {
        match (quote, byte) {
            (Some(q), b) if q == b => quote = None,
            (Some(_), _) => {}
            (None, b'\'' | b'"') => quote = Some(byte),
            (None, b'(' | b'[') => depth += 1,
            (None, b']') => depth = depth.saturating_sub(1),
            (None, b')') => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    arguments.push(text[start..at].trim().to_owned());
                    return Some((arguments, at + 1));
                }
            }
            (None, b',') if depth == 1 => {
                arguments.push(text[start..at].trim().to_owned());
                start = at + 1;
            }
            _ => {}
        }
    }
    None
}
