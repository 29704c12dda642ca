//! Fixed source form (Fortran 2018, 6.3.3).
//!
//! Column 1 may make a comment, columns 1 to 5 hold the label, any character but blank and `0` in column 6 continues the
//! line before, columns 7 to 72 hold the statement. `&` in column 1 continues the line before too, as nvfortran takes it; its
//! text begins in column 2. A tab among the first six columns ends the label; the statement begins behind it, or behind the digit
//! that follows it and continues the line before. Everywhere a tab counts as one column. Blanks mean nothing outside literals: they
//! are dropped, and `respace` puts those back that the grammar wants. A literal that goes on over lines has blanks up to the end of
//! the statement field, which has 66 columns. Hollerith constants become literals.

use super::free::{escapes, needs_escape, report_character};
use super::respace::respace;
use super::sentinel::{ignore, region};
use super::{Line, Open, Prescan, check_label, is_line_marker};
use crate::SourceForm;
use crate::build::form_of_compilers;
use crate::logical::{Joined, LogicalKind, is_quote, is_word};
use diag::{Code, Diagnostic, Diagnostics};
use source::Span;

const PARAMETER: &[u8] = b"parameter";

/// How many columns stand before the statement field.
const FIRST_COLUMNS: usize = 6;

/// What a line is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Class {
    Blank,
    /// A comment, with the offset at which it begins.
    Comment(usize),
    Cpp,
    /// `!dir$ free` or `!dir$ fixed`.
    Form(SourceForm),
    /// A line of statement text.
    Text(Fields),
}

/// The fields of a line, as byte offsets.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Fields {
    kind: LogicalKind,
    /// Where the label field begins and ends.
    label: (usize, usize),
    continues: bool,
    /// Where the statement field begins and ends.
    body: (usize, usize),
}

impl Fields {
    /// Whether it is a continuation by `&` in column 1.
    fn begins_in_column_2(self) -> bool {
        self.continues && self.body.0 == 1
    }
}

/// The statement that is being joined: its bytes without blanks, each with its place.
struct Squeezed {
    kind: LogicalKind,
    bytes: Vec<(u8, Span)>,
    literal: Option<(u8, Span)>,
    /// How many characters of a Hollerith constant are still to come.
    hollerith: usize,
    broken: bool,
    label: Option<(u32, Span)>,
}

impl Squeezed {
    fn new(kind: LogicalKind) -> Squeezed {
        Squeezed { kind, bytes: Vec::new(), literal: None, hollerith: 0, broken: false, label: None }
    }

    fn starts_with(&self, word: &[u8]) -> bool {
        self.bytes.len() >= word.len() && self.bytes.iter().zip(word).all(|((byte, _), w)| byte == w)
    }

    /// The count of a Hollerith constant whose `h` comes next; its digits are taken away.
    fn take_count(&mut self) -> Option<usize> {
        let digits = self.bytes.iter().rev().take_while(|(b, _)| b.is_ascii_digit()).count();
        let start = self.bytes.len() - digits;
        if digits == 0 || digits > 3 || start == 0 {
            return None;
        }
        let before = self.bytes[start - 1].0;
        let allowed = if self.starts_with(b"format(") {
            before != b'.'
        } else {
            match before {
                b'*' => self.starts_with(b"data"),
                // Behind an operator such as `.eq.`, not in a number.
                b'.' => start > 1 && self.bytes[start - 2].0.is_ascii_lowercase(),
                b => matches!(b, b'(' | b')' | b',' | b'/' | b'=' | b'<' | b'>' | b'+' | b'-' | b'['),
            }
        };
        if !allowed {
            return None;
        }
        let count = self.bytes[start..].iter().fold(0, |n, (d, _)| n * 10 + usize::from(d - b'0'));
        self.bytes.truncate(start);
        (count > 0).then_some(count)
    }

    /// Whether the statement is PARAMETER without parentheses, which nvfortran has: it differs from an assignment by the blank behind
    /// the word.
    fn is_spaced_parameter(&self, text: &[u8]) -> bool {
        let Some(rest) = text.strip_prefix(PARAMETER) else { return false };
        let name = rest.iter().take_while(|&&b| is_word(b)).count();
        let (last, next) = (self.bytes.get(PARAMETER.len() - 1), self.bytes.get(PARAMETER.len()));
        let is_apart = last.zip(next).is_some_and(|(last, next)| last.1.end != next.1.start);
        name > 0 && rest.get(name) == Some(&b'=') && is_apart
    }

    fn open(self) -> Open {
        let text: Vec<u8> = self.bytes.iter().map(|(b, _)| *b).collect();
        let blanks = match self.kind {
            LogicalKind::Statement if self.is_spaced_parameter(&text) => vec![PARAMETER.len()],
            LogicalKind::Statement => respace(&text),
            _ => super::respace::directive(&text),
        };
        let mut joined = Joined::default();
        let mut next = blanks.into_iter().peekable();
        for (at, (byte, span)) in self.bytes.into_iter().enumerate() {
            if next.next_if_eq(&at).is_some() {
                joined.made(b' ', span);
            }
            joined.push(byte, span);
        }
        Open { kind: self.kind, text: joined, literal: self.literal, broken: self.broken }
    }
}

impl Prescan<'_> {
    /// Reads one initial line and its continuations; puts the statements found into `ready`.
    pub(super) fn read_fixed(&mut self, diags: &mut Diagnostics) {
        let Some((index, Class::Text(fields))) = self.take_fixed_line(diags) else { return };
        let mut open = Squeezed::new(fields.kind);
        if fields.continues {
            open.broken = true;
            if let Some(line) = self.cursors.last().and_then(|c| c.lines.get(index)) {
                let span = line.span_of(fields.body.0.saturating_sub(1), fields.body.0);
                diags.push(
                    Diagnostic::new(Code::BadContinuation, span, "continuation line that continues nothing")
                        .help("column 6 of the first line of a statement must be blank"),
                );
            }
        }
        match self.fixed_label(index, fields, diags) {
            Ok(label) => open.label = label,
            // What stands in the label field is part of a statement that cannot be read without it.
            Err(()) => open.broken = true,
        }
        open = self.scan_fixed(index, fields, open, diags);
        while let Some((index, fields)) = self.fixed_continuation(fields.kind, diags) {
            if self.options.standard && fields.begins_in_column_2() {
                if let Some(line) = self.cursors.last().and_then(|c| c.lines.get(index)) {
                    let help = "put it in column 6";
                    diags.push(form_of_compilers(line.span_of(0, 1), "`&` in column 1", help));
                }
            }
            open = self.scan_fixed(index, fields, open, diags);
        }
        self.close_fixed(open, diags);
    }

    fn close_fixed(&mut self, mut squeezed: Squeezed, diags: &mut Diagnostics) {
        if squeezed.hollerith > 0 {
            squeezed.hollerith = 0;
            if let Some(&(_, span)) = squeezed.bytes.last() {
                squeezed.literal = Some((b'\'', span));
            }
        }
        let label = squeezed.label;
        self.close(squeezed.open(), label, diags);
    }

    fn take_fixed_line(&mut self, diags: &mut Diagnostics) -> Option<(usize, Class)> {
        let cursor = self.cursors.last_mut()?;
        let index = cursor.next;
        cursor.next += 1;
        let line = cursor.lines.get(index)?;
        let text = line.text(self.map);
        let class = classify(text, self.options.cuda, self.options.openmp, self.options.extended_columns);
        match class {
            Class::Form(form) => cursor.form = form,
            Class::Comment(at) => {
                let comment = text.get(at + 1..).unwrap_or("");
                let whole = || line.span_of(at, text.trim_end().len());
                self.ignores.extend(ignore(comment, whole));
                self.regions.extend(region(comment, whole));
            }
            Class::Cpp if !cursor.told_cpp && !is_line_marker(text) => {
                cursor.told_cpp = true;
                let span = line.span_of(0, text.trim_end().len());
                diags.push(
                    Diagnostic::new(
                        Code::BadPreprocessorLine,
                        span,
                        "preprocessor line in a file that is not preprocessed",
                    )
                    .help("turn the preprocessor on with `-Mpreprocess`"),
                );
            }
            Class::Text(fields) => {
                let beyond = text.get(fields.body.1..).unwrap_or("");
                // Text apart from the statement is a card's number; only a statement that runs over is worth a word.
                let runs_over = text.get(..fields.body.1).is_some_and(|t| !t.ends_with([' ', '\t']));
                let counts = runs_over && !beyond.starts_with([' ', '\t', '\r', '!', '&']) && !beyond.is_empty();
                let comment = text.get(fields.body.0..fields.body.1).is_some_and(|body| body.contains('!'));
                if counts && !comment && !std::mem::replace(&mut cursor.told_beyond, true) {
                    let span = line.span_of(fields.body.1, text.trim_end().len());
                    let what = "text beyond column 72 of a fixed-form line is ignored";
                    let diagnostic = Diagnostic::new(Code::TextBeyondColumn72, span, what)
                        .help("`-Mextend` gives lines of 132 columns; this is said once a file");
                    let has_tab = text.contains('\t');
                    diags.push(if has_tab { diagnostic.note("a tab counts as one column") } else { diagnostic });
                }
            }
            _ => {}
        }
        Some((index, class))
    }

    /// The next line, if it continues the statement; comments and blank lines before it are taken.
    fn fixed_continuation(&mut self, kind: LogicalKind, diags: &mut Diagnostics) -> Option<(usize, Fields)> {
        let cursor = self.cursors.last()?;
        let mut index = cursor.next;
        let fields = loop {
            let text = cursor.lines.get(index)?.text(self.map);
            match classify(text, self.options.cuda, self.options.openmp, self.options.extended_columns) {
                Class::Blank | Class::Comment(_) | Class::Cpp => index += 1,
                Class::Text(fields) if fields.continues && fields.kind == kind => break fields,
                Class::Text(_) | Class::Form(_) => return None,
            }
        };
        while self.cursors.last().is_some_and(|c| c.next <= index) {
            self.take_fixed_line(diags)?;
        }
        Some((index, fields))
    }

    fn fixed_label(
        &mut self,
        index: usize,
        fields: Fields,
        diags: &mut Diagnostics,
    ) -> Result<Option<(u32, Span)>, ()> {
        let Some(cursor) = self.cursors.last_mut() else { return Ok(None) };
        let Some(line) = cursor.lines.get(index) else { return Ok(None) };
        let field = line.text(self.map).get(fields.label.0..fields.label.1).unwrap_or("");
        let digits: Vec<u8> = field.bytes().filter(|b| !matches!(b, b' ' | b'\t')).collect();
        if digits.is_empty() {
            return Ok(None);
        }
        let start = fields.label.0 + field.len() - field.trim_start().len();
        let span = line.span_of(start, fields.label.0 + field.trim_end().len());
        if digits.iter().all(u8::is_ascii_digit) {
            return Ok(check_label(&digits, span, diags).map(|label| (label, span)));
        }
        if !std::mem::replace(&mut cursor.told_label, true) {
            diags.push(
                Diagnostic::new(Code::BadFixedFormColumn, span, "text in the label field of a fixed-form line")
                    .label("columns 1 to 5 hold labels only")
                    .help("begin statements in column 7, or use free form with `-Mfree`; this is said once a file"),
            );
        }
        Err(())
    }

    /// Appends the statement field of a line; gives what is open at its end.
    fn scan_fixed(&mut self, index: usize, fields: Fields, mut open: Squeezed, diags: &mut Diagnostics) -> Squeezed {
        let Some(line) = self.cursors.last().and_then(|c| c.lines.get(index)).cloned() else { return open };
        let text = line.text(self.map).to_owned();
        let bytes = text.as_bytes();
        let (mut at, end) = fields.body;
        while at < end {
            let byte = bytes[at];
            let here = |length: usize| line.span_of(at, at + length);
            if open.hollerith > 0 {
                let found = text[at..].chars().next().unwrap_or(' ');
                for &b in &bytes[at..at + found.len_utf8()] {
                    open.bytes.push((b, here(1)));
                }
                if byte == b'\'' {
                    open.bytes.push((b'\'', here(1)));
                }
                open.hollerith -= 1;
                if open.hollerith == 0 {
                    open.bytes.push((b'\'', here(1)));
                }
                at += found.len_utf8();
                continue;
            }
            if let Some((quote, _)) = open.literal {
                open.bytes.push((byte, here(1)));
                at += 1;
                if byte == quote {
                    let before = &open.bytes[..open.bytes.len() - 1];
                    if escapes(before.iter().map(|(b, _)| *b)) && needs_escape(&bytes[at..end.max(at)], quote) {
                        // `\'` inside a literal, as in free form.
                        open.bytes.push((quote, line.span_of(at - 1, at)));
                    } else if bytes.get(at).filter(|_| at < end) == Some(&quote) {
                        open.bytes.push((quote, line.span_of(at, at + 1)));
                        at += 1;
                    } else {
                        open.literal = None;
                    }
                }
                continue;
            }
            match byte {
                b if is_blank(b) => {}
                b'!' => {
                    let comment = text.get(at + 1..).unwrap_or("");
                    self.ignores.extend(ignore(comment, || line.span_of(at, text.trim_end().len())));
                    return open;
                }
                b';' => {
                    let next = Squeezed::new(open.kind);
                    self.close_fixed(std::mem::replace(&mut open, next), diags);
                }
                quote if is_quote(quote) => {
                    open.bytes.push((quote, here(1)));
                    open.literal = Some((quote, here(1)));
                }
                b'h' | b'H' if open.bytes.last().is_some_and(|(b, _)| b.is_ascii_digit()) => match open.take_count() {
                    Some(count) => {
                        open.hollerith = count;
                        if !open.starts_with(b"format(") {
                            open.bytes.push((b'H', here(1)));
                        }
                        open.bytes.push((b'\'', here(1)));
                    }
                    None => open.bytes.push((b'h', here(1))),
                },
                b if b.is_ascii_graphic() => open.bytes.push((b.to_ascii_lowercase(), here(1))),
                _ => {
                    let found = text[at..].chars().next().unwrap_or(' ');
                    let mut marker = Open::new(open.kind);
                    marker.broken = open.broken;
                    report_character(&line, at, at + found.len_utf8(), found, &mut marker, diags);
                    open.broken = true;
                    at += found.len_utf8() - 1;
                }
            }
            at += 1;
        }
        self.pad(&line, &text, fields, &mut open, diags);
        open
    }

    /// Blanks up to the end of the statement field, where a literal goes on.
    fn pad(&self, line: &Line, text: &str, fields: Fields, open: &mut Squeezed, diags: &mut Diagnostics) {
        if open.literal.is_none() && open.hollerith == 0 {
            return;
        }
        let columns = text.get(fields.body.0..fields.body.1).map_or(0, |t| t.chars().count());
        let span = line.span_of(text.len().saturating_sub(1), text.len());
        let field = last_column(self.options.extended_columns) - FIRST_COLUMNS;
        let wanted = field.saturating_sub(columns);
        let goes_on = self.peek_fixed_continuation(open.kind, diags);
        for _ in 0..wanted {
            if open.hollerith > 0 {
                open.bytes.push((b' ', span));
                open.hollerith -= 1;
                if open.hollerith == 0 {
                    open.bytes.push((b'\'', span));
                }
            } else if open.literal.is_some() && goes_on {
                open.bytes.push((b' ', span));
            }
        }
    }

    fn peek_fixed_continuation(&self, kind: LogicalKind, _diags: &mut Diagnostics) -> bool {
        let Some(cursor) = self.cursors.last() else { return false };
        for line in cursor.lines.iter().skip(cursor.next) {
            let text = line.text(self.map);
            match classify(text, self.options.cuda, self.options.openmp, self.options.extended_columns) {
                Class::Blank | Class::Comment(_) | Class::Cpp => {}
                Class::Text(fields) => return fields.continues && fields.kind == kind,
                Class::Form(_) => return false,
            }
        }
        false
    }
}

fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\x0c')
}

fn last_column(extended: bool) -> usize {
    if extended { 132 } else { 72 }
}

fn classify(text: &str, cuda: bool, openmp: bool, extended: bool) -> Class {
    let bytes = text.as_bytes();
    if bytes.iter().all(|&b| is_blank(b)) {
        return Class::Blank;
    }
    let column = |n: usize| text.char_indices().nth(n).map_or(bytes.len(), |(at, _)| at);
    let mut kind = LogicalKind::Statement;
    let mut masked = 0;
    match bytes[0] {
        b'c' | b'C' | b'*' | b'!' => {
            let sentinel = bytes.get(1..5).unwrap_or(&[]);
            if cuda && sentinel.eq_ignore_ascii_case(b"$cuf") {
                kind = LogicalKind::Cuf;
                masked = 5;
            } else if cuda && sentinel.eq_ignore_ascii_case(b"@cuf") {
                masked = 5;
            } else if openmp
                && bytes.get(1) == Some(&b'$')
                && bytes.get(2).is_some_and(|b| b.is_ascii_digit() || *b == b' ')
            {
                masked = 2;
            } else if let Some(at) = ignore_tkr(bytes) {
                let body = (at, bytes.len());
                return Class::Text(Fields { kind: LogicalKind::IgnoreTkr, label: (0, 0), continues: false, body });
            } else {
                return SourceForm::Fixed.set_by(text).map_or(Class::Comment(0), Class::Form);
            }
        }
        b'&' => {
            let end = column(last_column(extended));
            return Class::Text(Fields { kind, label: (0, 0), continues: true, body: (1, end) });
        }
        b'd' | b'D' => return Class::Comment(0),
        // A mark that another preprocessor left, such as `# 12 "file"`, says nothing.
        b'#' if bytes.get(1) == Some(&b' ') && bytes.get(2).is_some_and(u8::is_ascii_digit) => return Class::Blank,
        b'#' => return Class::Cpp,
        _ => {}
    }
    match bytes.iter().skip(masked).position(|&b| !is_blank(b)).map(|at| masked + at) {
        None => return Class::Blank,
        // In column 6 it is a mark of continuation.
        Some(at) if bytes[at] == b'!' && (at != 5 || bytes[masked..at].contains(&b'\t')) => return Class::Comment(at),
        _ => {}
    }
    let tab = bytes.iter().take(FIRST_COLUMNS).position(|&b| b == b'\t').filter(|&t| t >= masked);
    if let Some(tab) = tab {
        let continues = matches!(bytes.get(tab + 1), Some(b'1'..=b'9'));
        let start = tab + 1 + usize::from(continues);
        return Class::Text(Fields {
            kind,
            label: (masked, tab),
            continues,
            body: (start, column(last_column(extended))),
        });
    }
    let (six, seven, end) = (column(5), column(FIRST_COLUMNS), column(last_column(extended)));
    let continues = bytes.get(six).is_some_and(|&b| b != b' ' && b != b'0') && text.is_char_boundary(six);
    Class::Text(Fields { kind, label: (masked.min(six), six), continues, body: (seven, end) })
}

/// `!dir$ ignore_tkr`: where its text begins.
fn ignore_tkr(bytes: &[u8]) -> Option<usize> {
    let text = std::str::from_utf8(bytes).ok()?.to_ascii_lowercase();
    let rest = text.get(1..)?;
    let rest = rest.strip_prefix("dir$").or(rest.strip_prefix("pgi$")).or(rest.strip_prefix("dec$"))?;
    rest.trim_start().starts_with("ignore_tkr").then(|| bytes.len() - rest.trim_start().len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_found_by_columns_and_tabs() {
        let fields = |text: &str| match classify(text, true, false, false) {
            Class::Text(f) => Some((f.label, f.continues, f.body)),
            _ => None,
        };
        assert_eq!(fields("   10 x = 1"), Some(((0, 5), false, (6, 11))));
        assert_eq!(fields("     &x = 1"), Some(((0, 5), true, (6, 11))));
        assert_eq!(fields("     0x = 1"), Some(((0, 5), false, (6, 11))));
        assert_eq!(fields("10\tx = 1"), Some(((0, 2), false, (3, 8))));
        assert_eq!(fields("\t1+ 1"), Some(((0, 0), true, (2, 5))));
        assert_eq!(fields(&format!("\tx = 1{:70}10", "")), Some(((0, 0), false, (1, 72))));
        assert_eq!(fields("     !x = 1"), Some(((0, 5), true, (6, 11))));
        assert_eq!(fields("\t    ! comment"), None);
        assert_eq!(fields("!@cuf  ! comment"), None);
        assert_eq!(fields("!@cuf attributes(device) x"), Some(((5, 5), false, (6, 26))));
        assert_eq!(fields("c comment"), None);
        assert_eq!(fields("  ! comment"), None);
    }
}
