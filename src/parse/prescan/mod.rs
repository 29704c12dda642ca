//! From physical lines to logical lines (Fortran 2018, 6.3; CUDA Fortran guide, 2.11 and 2.13).
//!
//! `free.rs` and `fixed.rs` know the two source forms; `sentinel.rs` knows the comments that mean something. This file
//! holds the files being read, the include stack and the joining of what both forms find.
//!
//! What it accepts beyond the standard, because programs rely on it: lines of any length, tabs, a continuation line that
//! begins with `&` though the line before does not end with one, conditional lines (`!@cuf`) and preprocessor lines in
//! the middle of a statement.

mod fixed;
mod free;
pub(crate) mod record;
mod respace;
mod sentinel;

use crate::build::form_of_compilers;
use crate::cpp::MAX_INCLUDE_DEPTH;
use crate::line::{Line, split};
use crate::logical::{Joined, Logical, LogicalKind};
use crate::{Ignore, IncludeReader, ParseOptions, SourceForm, cpp};
use ast::RegionDirective;
use diag::{Code, Diagnostic, Diagnostics};
use source::{FileId, SourceMap, Span};
use std::collections::VecDeque;

/// A file being read.
struct Cursor {
    file: FileId,
    form: SourceForm,
    lines: Vec<Line>,
    next: usize,
    /// Whether a preprocessor line was reported, which is done once a file.
    told_cpp: bool,
    /// Whether text beyond the last column was reported, which is done once a file.
    told_beyond: bool,
    /// Whether text in the label field was reported, which is done once a file.
    told_label: bool,
}

/// Gives the logical lines of a file and of what it includes.
pub(crate) struct Prescan<'a> {
    map: &'a mut SourceMap,
    options: &'a ParseOptions,
    include: IncludeReader<'a>,
    cursors: Vec<Cursor>,
    ready: VecDeque<Logical>,
    records: &'a mut record::Records,
    /// The comments `!cufemu ignore(…)` so far.
    pub(crate) ignores: Vec<Ignore>,
    /// The directives of OpenACC for compute regions so far.
    pub(crate) regions: Vec<RegionDirective>,
}

/// The statement that is being joined.
struct Open {
    kind: LogicalKind,
    text: Joined,
    /// The quote of the character literal that is open, and where it stands.
    literal: Option<(u8, Span)>,
    broken: bool,
}

/// Whether a line tells where the text came from, as preprocessors leave it: `# 12 "file"`. In a file that is not preprocessed
/// it is a comment.
fn is_line_marker(text: &str) -> bool {
    text.strip_prefix('#').is_some_and(|rest| rest.trim_start().starts_with(|c: char| c.is_ascii_digit()))
}

impl Open {
    fn new(kind: LogicalKind) -> Open {
        Open { kind, text: Joined::default(), literal: None, broken: false }
    }
}

impl<'a> Prescan<'a> {
    /// Begins with a file.
    pub(crate) fn open(
        map: &'a mut SourceMap,
        file: FileId,
        options: &'a ParseOptions,
        include: IncludeReader<'a>,
        records: &'a mut record::Records,
        diags: &mut Diagnostics,
    ) -> Prescan<'a> {
        records.begin_file();
        let mut prescan = Prescan {
            map,
            options,
            include,
            cursors: Vec::new(),
            ready: VecDeque::new(),
            records,
            ignores: Vec::new(),
            regions: Vec::new(),
        };
        prescan.push_file(file, None, diags);
        prescan
    }

    /// The next statement or directive.
    pub(crate) fn next_statement(&mut self, diags: &mut Diagnostics) -> Option<Logical> {
        loop {
            if let Some(logical) = self.ready.pop_front() {
                return Some(logical);
            }
            let cursor = self.cursors.last()?;
            if cursor.next >= cursor.lines.len() {
                self.cursors.pop();
                continue;
            }
            match cursor.form {
                SourceForm::Free => self.read_free(diags),
                SourceForm::Fixed => self.read_fixed(diags),
            }
        }
    }

    /// The place where a file ends.
    pub(crate) fn end_of(&self, file: FileId) -> Span {
        let end = self.map.file(file).map_or(0, |f| f.text().trim_end().len() as u32);
        Span::new(file, end, end)
    }

    fn push_file(&mut self, file: FileId, form: Option<SourceForm>, diags: &mut Diagnostics) {
        let Some(source) = self.map.file(file) else { return };
        let name = source.name().to_owned();
        let form = form.unwrap_or_else(|| self.options.form_of(&name));
        if let Some(at) = source.text().find('\0') {
            let span = Span::new(file, at as u32, at as u32 + 1);
            diags.push(
                Diagnostic::new(Code::BinaryFile, span, format!("`{name}` is not a text file"))
                    .label("a byte that is zero"),
            );
            return;
        }
        let lines = if self.options.preprocesses(&name) {
            cpp::run(self.map, file, form, self.options, self.include, diags)
        } else {
            split(self.map, file)
        };
        self.cursors.push(Cursor {
            file,
            form,
            lines,
            next: 0,
            told_cpp: false,
            told_beyond: false,
            told_label: false,
        });
    }

    /// Takes `include 'name'`, if the statement is that. If there is no such file, what stays is a line of kind `Lost`.
    fn take_include(&mut self, open: &mut Open, base: usize, diags: &mut Diagnostics) -> bool {
        let Some(rest) = open.text.bytes()[base..].strip_prefix(b"include") else { return false };
        let [quote @ (b'\'' | b'"'), name @ .., last] = rest else { return false };
        if quote != last || name.contains(quote) || open.kind != LogicalKind::Statement {
            return false;
        }
        // Trailing blanks are no part of a name.
        let name = String::from_utf8_lossy(name).trim_end().to_owned();
        let span = open.text.span(base, open.text.bytes().len());
        let Some(cursor) = self.cursors.last() else { return false };
        let (asking, form) = (cursor.file, cursor.form);
        if self.cursors.len() > MAX_INCLUDE_DEPTH {
            diags.push(
                Diagnostic::new(Code::IncludeTooDeep, span, "include files are nested too deeply")
                    .label(format!("`{name}` would be file {} of the chain", self.cursors.len() + 1))
                    .help("look for a file that includes itself"),
            );
            return true;
        }
        let asking = self.map.file(asking).map_or_else(String::new, |f| f.name().to_owned());
        match (self.include)(&name, &asking) {
            Some((name, text)) => {
                let file = self.map.add(name, text);
                self.push_file(file, Some(form), diags);
            }
            None => {
                let help = if name == "mpif.h" { "MPI is not supported" } else { "give its folder with `-I`" };
                diags.push(
                    Diagnostic::new(Code::IncludeNotFound, span, format!("include file `{name}` was not found"))
                        .help(help),
                );
                open.kind = LogicalKind::Lost;
                return false;
            }
        }
        true
    }

    /// Ends a statement: reports an open literal, takes the label, hands it on.
    fn close(&mut self, mut open: Open, label: Option<(u32, Span)>, diags: &mut Diagnostics) {
        if let Some((quote, span)) = open.literal.take() {
            let end = open.text.span(open.text.bytes().len().saturating_sub(1), open.text.bytes().len());
            diags.push(
                Diagnostic::new(Code::UnterminatedLiteral, span.to(end), "character literal without its closing quote")
                    .label(format!("opened here with `{}`", quote as char))
                    .help(format!("close it with `{}`, or end the line with `&` to go on", quote as char)),
            );
            open.text.made(quote, end);
            open.broken = true;
        }
        let (label, base) = match label {
            None if open.kind == LogicalKind::Statement => take_label(&open.text, diags),
            given => (given, 0),
        };
        if open.text.bytes().len() == base {
            if let Some((_, span)) = label {
                diags.push(
                    Diagnostic::new(Code::BadLabel, span, "a label without a statement")
                        .help("put `continue` after it"),
                );
            }
            return;
        }
        if self.take_include(&mut open, base, diags) {
            return;
        }
        if open.kind == LogicalKind::Statement {
            let first = self.records.take(open.text.bytes_mut(base));
            if let Some(at) = first.filter(|_| self.options.standard) {
                let span = open.text.span(base + at, base + at + 1);
                diags.push(form_of_compilers(span, "`.` before a component", "write `%`"));
            }
        }
        self.ready.push_back(open.text.into_logical(open.kind, label, base, open.broken));
    }
}

/// The label at the beginning of a free-form statement, and where the statement begins.
fn take_label(text: &Joined, diags: &mut Diagnostics) -> (Option<(u32, Span)>, usize) {
    let bytes = text.bytes();
    let digits = bytes.iter().take_while(|b| b.is_ascii_digit()).count();
    if digits == 0 {
        return (None, 0);
    }
    let span = text.span(0, digits);
    let base = if bytes.get(digits) == Some(&b' ') { digits + 1 } else { digits };
    (check_label(&bytes[..digits], span, diags).map(|label| (label, span)), base)
}

/// The value of a label, which must be from 1 to 99999.
fn check_label(digits: &[u8], span: Span, diags: &mut Diagnostics) -> Option<u32> {
    let value = digits.iter().try_fold(0u32, |n, d| n.checked_mul(10)?.checked_add(u32::from(d - b'0')));
    if let Some(value @ 1..=99_999) = value {
        return Some(value);
    }
    diags.push(
        Diagnostic::new(Code::BadLabel, span, "a label must be from 1 to 99999").label("this label is out of range"),
    );
    None
}
