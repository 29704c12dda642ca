//! Free source form (Fortran 2018, 6.3.2).

use super::sentinel::{Sentinel, ignore, region, sentinel};
use super::{Line, Open, Prescan, is_line_marker};
use crate::logical::{LogicalKind, is_quote};
use crate::{Ignore, ParseOptions, SourceForm};
use diag::{Code, Diagnostic, Diagnostics};
use source::Span;

/// What a line is, with the offset at which its text begins.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Class {
    Blank,
    Comment(usize),
    Code(usize),
    Cuf(usize),
    IgnoreTkr(usize),
    Cpp,
    /// `!dir$ fixed` or `!dir$ free`.
    Form(SourceForm),
}

/// How a line ends.
#[derive(Clone, Copy, PartialEq, Eq)]
enum LineEnd {
    /// The statement ends with it.
    Done,
    /// `&`: the statement goes on.
    Continued(usize),
    /// `;`: another statement begins at that offset.
    Next(usize),
}

fn classify(text: &str, options: &ParseOptions) -> Class {
    let line = text.as_bytes();
    let Some(first) = line.iter().position(|&b| !is_blank(b)) else { return Class::Blank };
    match line[first] {
        b'!' => match sentinel(line, first, options) {
            Sentinel::Comment => SourceForm::Free.set_by(text).map_or(Class::Comment(first), Class::Form),
            Sentinel::Cuf(at) => Class::Cuf(at),
            Sentinel::Conditional(at) => Class::Code(at),
            Sentinel::IgnoreTkr(at) => Class::IgnoreTkr(at),
        },
        // A mark that another preprocessor left, such as `# 12 "file"`, says nothing.
        b'#' if line.get(1..3).is_some_and(|w| w[0] == b' ' && w[1].is_ascii_digit()) => Class::Blank,
        b'#' if first == 0 => Class::Cpp,
        _ => Class::Code(first),
    }
}

fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\x0c' | b'\r' | b'\x0b')
}

impl Prescan<'_> {
    /// Reads one line and its continuations; puts the statements found into `ready`.
    pub(super) fn read_free(&mut self, diags: &mut Diagnostics) {
        let Some((index, class)) = self.take_free_line(diags) else { return };
        let (kind, at) = match class {
            Class::Code(at) => (LogicalKind::Statement, at),
            Class::Cuf(at) => (LogicalKind::Cuf, at),
            Class::IgnoreTkr(at) => (LogicalKind::IgnoreTkr, at),
            Class::Blank | Class::Comment(_) | Class::Cpp | Class::Form(_) => return,
        };
        let mut open = Open::new(kind);
        let (mut index, mut from) = (index, at);
        if kind == LogicalKind::Statement && self.byte(index, from) == Some(b'&') {
            // Nothing is open that this line could continue, or it would have been taken with the line before. A line
            // of `&` alone says nothing and is passed over.
            if self.rest_is_blank(index, from + 1) {
                return;
            }
            if let Some(line) = self.cursors.last().and_then(|c| c.lines.get(index)) {
                let span = line.span_of(from, from + 1);
                diags.push(
                    Diagnostic::new(Code::BadContinuation, span, "continuation line that continues nothing")
                        .help("end the line before it with `&`"),
                );
            }
            open.broken = true;
            from += 1;
        }
        loop {
            match self.scan_free(index, from, &mut open, diags) {
                LineEnd::Next(at) => {
                    from = at;
                    let next = Open::new(kind);
                    self.close(std::mem::replace(&mut open, next), None, diags);
                }
                LineEnd::Continued(ampersand) => {
                    let Some((next, at)) = self.continuation(kind, true, diags) else {
                        self.report_nothing_follows(index, ampersand, diags);
                        break;
                    };
                    (index, from) = (next, self.skip_ampersand(next, at, &mut open));
                }
                LineEnd::Done => {
                    if open.literal.is_some() || open.text.is_empty() {
                        break;
                    }
                    let Some((next, at)) = self.continuation(kind, false, diags) else { break };
                    (index, from) = (next, self.skip_ampersand(next, at, &mut open));
                }
            }
        }
        self.close(open, None, diags);
    }

    fn byte(&self, index: usize, at: usize) -> Option<u8> {
        let line = self.cursors.last()?.lines.get(index)?;
        line.text(self.map).as_bytes().get(at).copied()
    }

    fn rest_is_blank(&self, index: usize, at: usize) -> bool {
        let line = self.cursors.last().and_then(|c| c.lines.get(index));
        let rest = line.and_then(|line| line.text(self.map).as_bytes().get(at..)).unwrap_or(&[]);
        rest.iter().find(|&&b| !is_blank(b)).is_none_or(|&b| b == b'!')
    }

    /// Takes the next line of the file and notes what comments ask for.
    fn take_free_line(&mut self, diags: &mut Diagnostics) -> Option<(usize, Class)> {
        let cursor = self.cursors.last_mut()?;
        let index = cursor.next;
        cursor.next += 1;
        let line = cursor.lines.get(index)?;
        let text = line.text(self.map);
        let class = classify(text, self.options);
        match class {
            Class::Form(form) => cursor.form = form,
            Class::Comment(at) => {
                note_ignore(text, at, line, &mut self.ignores);
                let whole = || line.span_of(at, text.trim_end().len());
                self.regions.extend(text.get(at + 1..).and_then(|comment| region(comment, whole)));
            }
            Class::Cpp if !cursor.told_cpp && !is_line_marker(text) => {
                cursor.told_cpp = true;
                let span = line.span_of(0, text.trim_end().len());
                diags.push(
                    Diagnostic::new(Code::BadPreprocessorLine, span, "preprocessor line in a file that is not preprocessed")
                        .help("turn the preprocessor on with `-Mpreprocess`, or give the file an upper-case suffix such as `.CUF`"),
                );
            }
            _ => {}
        }
        Some((index, class))
    }

    /// Finds the line that continues the open statement: after `&` the next that is neither blank nor comment; else only
    /// one that begins with `&`. Lines in between are taken. A directive is continued by lines with its own sentinel.
    fn continuation(&mut self, kind: LogicalKind, wanted: bool, diags: &mut Diagnostics) -> Option<(usize, usize)> {
        let cursor = self.cursors.last()?;
        let mut index = cursor.next;
        let at = loop {
            let line = cursor.lines.get(index)?.text(self.map);
            let text = line.as_bytes();
            match (classify(line, self.options), kind) {
                (Class::Blank | Class::Comment(_) | Class::Cpp, _) => {}
                (Class::Code(at), LogicalKind::Statement)
                | (Class::Cuf(at), LogicalKind::Cuf)
                | (Class::IgnoreTkr(at), LogicalKind::IgnoreTkr) => {
                    let begins = text[at.min(text.len())..].iter().find(|&&b| !is_blank(b));
                    if wanted {
                        break at;
                    }
                    // Without `&` at the end of the line before, a line of `&` alone says nothing.
                    let alone = text[at..].trim_ascii() == b"&";
                    if kind == LogicalKind::Statement && begins == Some(&b'&') && !alone {
                        break at;
                    }
                    return None;
                }
                _ => return None,
            }
            index += 1;
        };
        while self.cursors.last().is_some_and(|c| c.next <= index) {
            self.take_free_line(diags)?;
        }
        Some((index, at))
    }

    /// Where the text of a continuation line begins.
    fn skip_ampersand(&self, index: usize, at: usize, open: &mut Open) -> usize {
        let Some(line) = self.cursors.last().and_then(|c| c.lines.get(index)) else { return at };
        let text = line.text(self.map).as_bytes();
        let first = at + text[at.min(text.len())..].iter().take_while(|&&b| is_blank(b)).count();
        if text.get(first) == Some(&b'&') {
            // A line that holds nothing but `&` continues nothing by itself: `scan_free` reads that one as trailing.
            if text[first + 1..].iter().all(|&b| is_blank(b)) {
                return first;
            }
            return first + 1;
        }
        if open.literal.is_none() {
            open.text.blank();
        }
        first
    }

    fn report_nothing_follows(&self, index: usize, ampersand: usize, diags: &mut Diagnostics) {
        let Some(line) = self.cursors.last().and_then(|c| c.lines.get(index)) else { return };
        diags.push(
            Diagnostic::new(
                Code::BadContinuation,
                line.span_of(ampersand, ampersand + 1),
                "the statement is continued with `&` but no line continues it",
            )
            .help("take the `&` away, or add the rest of the statement"),
        );
    }

    /// Appends a line, from byte `from` on, to the open statement.
    fn scan_free(&mut self, index: usize, from: usize, open: &mut Open, diags: &mut Diagnostics) -> LineEnd {
        let Some(line) = self.cursors.last().and_then(|c| c.lines.get(index)) else { return LineEnd::Done };
        let text = line.text(self.map);
        let bytes = text.as_bytes();
        let mut at = from;
        while at < bytes.len() {
            if let Some((quote, _)) = open.literal {
                match scan_literal(line, bytes, at, quote, open) {
                    Some(end) => at = end,
                    None => return literal_end(line, bytes, at, open),
                }
                continue;
            }
            match bytes[at] {
                b if is_blank(b) => {
                    open.text.blank();
                    at += 1;
                }
                b'!' => {
                    open.text.not_equal |= bytes.get(at + 1) == Some(&b'=');
                    note_ignore(text, at, line, &mut self.ignores);
                    break;
                }
                b'&' => {
                    let rest = &bytes[at + 1..];
                    let next = rest.iter().position(|&b| !is_blank(b));
                    match next.map(|n| (n, rest[n])) {
                        None => return LineEnd::Continued(at),
                        Some((n, b'!')) => {
                            note_ignore(text, at + 1 + n, line, &mut self.ignores);
                            return LineEnd::Continued(at);
                        }
                        Some((0, b'&')) => {
                            if !std::mem::replace(&mut open.broken, true) {
                                let span = line.span_of(at, at + 2);
                                diags.push(
                                    Diagnostic::new(Code::BadCharacter, span, "Fortran has no operator `&&`")
                                        .help("logical and is `.and.`"),
                                );
                            }
                            at += 2;
                        }
                        Some(_) => {
                            report_character(line, at, at + 1, '&', open, diags);
                            at += 1;
                        }
                    }
                }
                b';' => return LineEnd::Next(at + 1),
                quote if is_quote(quote) => {
                    open.text.code(line, bytes, at, at + 1);
                    open.literal = Some((quote, line.span_of(at, at + 1)));
                    at += 1;
                }
                b if b.is_ascii_digit() && is_count(bytes, at) => {
                    let is_format = begins_format(open.text.bytes());
                    match hollerith(&bytes[..at], &text[at..], is_format) {
                        Some((skipped, characters)) => {
                            let from = at + skipped;
                            if !is_format {
                                open.text.made(b'H', line.span_of(at, from));
                            }
                            open.text.made(b'\'', line.span_of(at, from));
                            for (i, &b) in bytes.iter().enumerate().skip(from).take(characters) {
                                open.text.literal(line, bytes, i, i + 1);
                                if b == b'\'' {
                                    open.text.made(b'\'', line.span_of(i, i + 1));
                                }
                            }
                            at = from + characters;
                            open.text.made(b'\'', line.span_of(from - 1, from));
                        }
                        None => {
                            let run = bytes[at..].iter().take_while(|b| b.is_ascii_digit()).count();
                            open.text.code(line, bytes, at, at + run);
                            at += run;
                        }
                    }
                }
                b if b < 0x80 && !b.is_ascii_control() => {
                    let run = (at..bytes.len()).take_while(|&i| is_plain(bytes[i]) && !is_count(bytes, i));
                    let run = run.count().max(1);
                    open.text.code(line, bytes, at, at + run);
                    at += run;
                }
                _ => {
                    let found = text[at..].chars().next().unwrap_or(' ');
                    if found == '\u{a0}' {
                        open.text.blank();
                    } else {
                        report_character(line, at, at + found.len_utf8(), found, open, diags);
                    }
                    at += found.len_utf8();
                }
            }
        }
        LineEnd::Done
    }
}

/// Whether a statement begins like a FORMAT statement, as far as it is known.
fn begins_format(text: &[u8]) -> bool {
    let label = text.iter().take_while(|b| b.is_ascii_digit()).count();
    let rest = text[label..].trim_ascii_start().strip_prefix(b"format");
    label > 0 && rest.is_some_and(|rest| rest.trim_ascii_start().first().is_none_or(|&b| b == b'('))
}

/// Whether a number begins here behind which an `h` stands, as behind the count of a Hollerith constant.
fn is_count(bytes: &[u8], at: usize) -> bool {
    let is_digit = |i: usize| bytes.get(i).is_some_and(u8::is_ascii_digit);
    if !is_digit(at) || at > 0 && is_digit(at - 1) {
        return false;
    }
    let end = (at..bytes.len()).find(|&i| !is_digit(i));
    end.is_some_and(|end| bytes[end].eq_ignore_ascii_case(&b'h'))
}

/// A Hollerith constant or edit descriptor, `3habc`, at the beginning of `text`: the bytes of its count and letter, and those
/// of its characters. The letter of another descriptor may stand before it only if that takes no number behind it.
fn hollerith(before: &[u8], text: &str, is_format: bool) -> Option<(usize, usize)> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let is_count = match before.trim_ascii_end().last()? {
        b'(' | b',' | b'/' | b':' | b')' => true,
        b'x' | b'X' | b'\'' | b'"' => is_format,
        b => matches!(b, b'=' | b'[' | b'*' | b'.' | b'<' | b'>' | b'+' | b'-') && !is_format,
    };
    let count = text[..digits].parse::<usize>().ok().filter(|&n| n > 0 && is_count)?;
    let rest = text[digits..].strip_prefix(['h', 'H'])?;
    let bytes: usize = rest.chars().take(count).map(char::len_utf8).sum();
    (rest.chars().take(count).count() == count).then_some((digits + 1, bytes))
}

/// Bytes that are copied as they are.
fn is_plain(byte: u8) -> bool {
    matches!(byte, b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'_' | b'$' | b'(' | b')' | b',' | b'=' | b'+' | b'-'
        | b'*' | b'/' | b'<' | b'>' | b'%' | b':' | b'.' | b'[' | b']')
}

/// Copies up to and with the closing quote; `None` when the line ends before it.
pub(super) fn scan_literal(line: &Line, bytes: &[u8], at: usize, quote: u8, open: &mut Open) -> Option<usize> {
    let end = at + bytes[at..].iter().position(|&b| b == quote)?;
    let doubled = bytes.get(end + 1) == Some(&quote);
    if escapes(bytes[at..end].iter().copied()) && needs_escape(&bytes[end + 1..], quote) {
        // `\'` inside a literal: write the quote twice, which is how the grammar knows it.
        open.text.literal(line, bytes, at, end + 1);
        open.text.made(quote, line.span_of(end, end + 1));
        return Some(end + 1);
    }
    open.text.literal(line, bytes, at, end + 1);
    if doubled {
        open.text.literal(line, bytes, end + 1, end + 2);
        return Some(end + 2);
    }
    open.literal = None;
    Some(end + 1)
}

/// Whether the text ends with an odd number of backslashes.
pub(super) fn escapes(text: impl DoubleEndedIterator<Item = u8>) -> bool {
    text.rev().take_while(|&b| b == b'\\').count() % 2 == 1
}

/// Whether a quote after a backslash must be part of the literal: the standard says that it closes the literal, nvfortran
/// by default that it does not. The rest of the line tells: read the wrong way it ends inside a literal, or has a
/// backslash outside one.
pub(super) fn needs_escape(rest: &[u8], quote: u8) -> bool {
    // By the standard a second quote keeps the literal open, else it is closed.
    let plain = match rest.strip_prefix(&[quote]) {
        Some(rest) => makes_sense(rest, Some(quote), false),
        None => makes_sense(rest, None, false),
    };
    !plain && makes_sense(rest, Some(quote), true)
}

/// Whether the rest of a line, read from inside or outside a literal, could be Fortran.
fn makes_sense(rest: &[u8], mut open: Option<u8>, escapes: bool) -> bool {
    let mut at = 0;
    while let Some(&byte) = rest.get(at) {
        match open {
            Some(_) if escapes && byte == b'\\' => at += 1,
            Some(quote) if byte == quote => open = None,
            Some(_) => {}
            None if byte == b'!' => return true,
            None if byte == b'\\' => return false,
            None if is_quote(byte) => open = Some(byte),
            None => {}
        }
        at += 1;
    }
    open.is_none() || rest.trim_ascii_end().ends_with(b"&")
}

/// A line that ends inside a literal: with `&` the literal goes on.
fn literal_end(line: &Line, bytes: &[u8], at: usize, open: &mut Open) -> LineEnd {
    let end = bytes.iter().rposition(|&b| !is_blank(b)).map_or(at, |n| n + 1);
    if end > at && bytes[end - 1] == b'&' {
        open.text.literal(line, bytes, at, end - 1);
        return LineEnd::Continued(end - 1);
    }
    open.text.literal(line, bytes, at, end.max(at));
    LineEnd::Done
}

fn note_ignore(text: &str, at: usize, line: &Line, ignores: &mut Vec<Ignore>) {
    ignores.extend(text.get(at + 1..).and_then(|comment| ignore(comment, || line.span_of(at, text.trim_end().len()))));
}

pub(super) fn report_character(
    line: &Line,
    from: usize,
    to: usize,
    found: char,
    open: &mut Open,
    diags: &mut Diagnostics,
) {
    if std::mem::replace(&mut open.broken, true) {
        return;
    }
    let span: Span = line.span_of(from, to);
    let name = if found.is_control() || !found.is_ascii() && found.is_whitespace() {
        format!("character U+{:04X}", found as u32)
    } else {
        format!("character `{found}`")
    };
    let diagnostic = Diagnostic::new(Code::BadCharacter, span, format!("{name} cannot stand here"));
    diags.push(match found {
        '‘' | '’' => diagnostic.help("write the plain quote `'`"),
        '“' | '”' => diagnostic.help("write the plain quote `\"`"),
        '–' | '—' | '−' => diagnostic.help("write the plain minus sign `-`"),
        '&' => diagnostic.help("`&` continues a statement only at the end or the beginning of a line"),
        _ => diagnostic,
    });
}
