//! Statements whose first word begins none: what was meant, or what is refused by name.

use super::keywords::KEYWORDS;
use super::token;
use crate::build::Builder;
use crate::logical::{is_quote, is_word};
use crate::outline::first_word;
use diag::{Code, Diagnostic, nearest_name};

/// What an unknown first word was probably meant to be.
pub(crate) enum Meant {
    /// This keyword, misspelled.
    Keyword(&'static str),
    /// The beginning of a loop.
    Loop,
    /// ELSE IF
    ElseIf,
    /// SELECT CASE
    Select,
    /// Nothing that matters for the structure.
    Unknown,
}

/// Reports a statement whose first word is no keyword; gives what was probably meant.
pub(crate) fn unknown(builder: &mut Builder<'_>, text: &str) -> Meant {
    let word = first_word(text);
    let rest = &text[word.len()..];
    let whole = builder.place(0, text.len());
    let shown = if word.is_empty() { token(text, 0) } else { word };
    let head = builder.place(0, shown.len().max(1));
    if let Some(what) = unsupported_statement(text, word, rest) {
        // Brackets are more often a mistake than a coarray.
        if what == COARRAY {
            builder.report_unsupported(whole, what);
        } else {
            builder.unsupported = Some(what);
        }
        return Meant::Unknown;
    }
    let error = |span, message: String| Diagnostic::new(Code::UnknownStatement, span, message);
    if word.is_empty() {
        builder.report(error(head, format!("no statement begins with `{shown}`")));
        return Meant::Unknown;
    }
    if let Some(at) = text.find("<<<") {
        let callee = &text[..at];
        builder.report(
            error(whole, format!("the launch of `{callee}` lacks `call`"))
                .help(format!("write `call {callee}<<<grid, block>>>(…)`")),
        );
        return Meant::Unknown;
    }
    for (operator, plain) in [("+=", "+"), ("-=", "-"), ("*=", "*"), ("++", "+"), ("--", "-")] {
        if let Some((target, value)) = text.split_once(operator) {
            let value = if value.is_empty() { "1" } else { value };
            builder.report(
                error(whole, format!("Fortran has no operator `{operator}`"))
                    .help(format!("write `{target} = {target} {plain} {value}`")),
            );
            return Meant::Unknown;
        }
    }
    if let Some(component) = rest.strip_prefix('.').map(first_word)
        && component.starts_with(|c: char| c.is_ascii_alphabetic())
    {
        let dot = builder.place(word.len(), word.len() + 1);
        builder.report(
            error(dot, "Fortran has no operator `.` for components".to_owned())
                .help(format!("write `%`, as in `{word}%{component}`")),
        );
        return Meant::Unknown;
    }
    if let Some(at) = component_dot(text) {
        let dot = builder.place(at, at + 1);
        builder.report(
            error(dot, "Fortran has no operator `.` for components".to_owned()).help("write `%`, as in `a(i)%x`"),
        );
        return Meant::Unknown;
    }
    let no_such = || error(head, format!("Fortran has no `{word}` statement"));
    let (diagnostic, meant) = match word {
        "for" => (no_such().help("a loop is `do i = first, last` … `end do`"), Meant::Loop),
        "while" => (no_such().help("write `do while (…)` … `end do`"), Meant::Loop),
        "elif" | "elsif" => (no_such().help("write `else if (…) then`"), Meant::ElseIf),
        "printf" | "println" | "puts" | "cout" => (no_such().help("write `print *, …`"), Meant::Unknown),
        "options" if rest.trim_start().starts_with('/') => (
            error(head, "OPTIONS statements are not supported".to_owned())
                .help("give options on the command line, `-Mextend` for `/extend_source`"),
            Meant::Unknown,
        ),
        "ncharacter" => (
            error(head, "national characters, `ncharacter`, are not supported".to_owned())
                .help("declare them `character`"),
            Meant::Unknown,
        ),
        "switch" => (no_such().help("write `select case (…)`"), Meant::Select),
        "let" | "var" | "int" | "float" | "void" | "auto" | "const" | "char" | "bool" => {
            (no_such().help("a declaration is `integer :: name` or `real :: name`"), Meant::Unknown)
        }
        _ => match nearest_name(word, KEYWORDS.iter().copied()) {
            Some(keyword) => {
                (error(head, format!("`{word}` begins no statement")).suggest(Some(keyword)), Meant::Keyword(keyword))
            }
            None if text.contains("==") => {
                let (target, value) = text.split_once("==").unwrap_or((text, ""));
                (
                    error(whole, format!("`{text}` by itself is not a statement"))
                        .help(format!("`==` compares; to assign write `{target} = {value}`")),
                    Meant::Unknown,
                )
            }
            None if word.starts_with("cuda") && rest.starts_with('(') => (
                error(whole, format!("`{text}` by itself is not a statement"))
                    .help(format!("it is a function that returns an error code: `istat = {text}`")),
                Meant::Unknown,
            ),
            None if rest.is_empty() || rest.starts_with(['(', '%']) => (
                error(whole, format!("`{text}` by itself is not a statement"))
                    .help(format!("to call a subroutine write `call {text}`"))
                    .help("to assign a value write `name = value`"),
                Meant::Unknown,
            ),
            None => (error(head, format!("`{word}` begins no statement")), Meant::Unknown),
        },
    };
    builder.report(diagnostic);
    meant
}

/// Where `).name` stands on the left side of an assignment.
fn component_dot(text: &str) -> Option<usize> {
    let at = text.find(").")? + 1;
    let component = first_word(&text[at + 1..]);
    let after = &text[at + 1 + component.len()..];
    let is_component = component.starts_with(|c: char| c.is_ascii_alphabetic()) && !after.starts_with('.');
    (is_component && after.contains('=')).then_some(at)
}

/// Statements that are refused by name.
fn unsupported_statement(text: &str, word: &str, rest: &str) -> Option<&'static str> {
    if has_coarray(text) {
        return Some(COARRAY);
    }
    match word {
        "critical" if rest.is_empty() || rest.starts_with('(') => Some("CRITICAL (a coarray construct)"),
        "sync" if rest.starts_with(' ') => Some("SYNC (a coarray statement)"),
        "change" | "form" if rest.starts_with(" team") => Some("a team of coarray images"),
        "event" if rest.starts_with(' ') => Some("EVENT (a coarray statement)"),
        "lock" | "unlock" if rest.starts_with('(') => Some("LOCK (a coarray statement)"),
        _ => None,
    }
}

/// How a coarray reference is named in messages.
pub(super) const COARRAY: &str = "a coarray (square brackets after a name)";

/// Whether square brackets stand after a name or a closing parenthesis.
pub(super) fn has_coarray(text: &str) -> bool {
    let mut quote = None;
    let mut before = b' ';
    for byte in text.bytes() {
        match quote {
            Some(q) if q == byte => quote = None,
            Some(_) => {}
            None if is_quote(byte) => quote = Some(byte),
            None if byte == b'[' && (is_word(before) || before == b')') => return true,
            None => {}
        }
        before = byte;
    }
    false
}
