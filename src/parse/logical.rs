//! Logical lines: one statement or directive, joined from its lines and normalised.
//!
//! Normalised means: letters outside character literals in lower case; no comments; a blank only between two words, or
//! between two literals with the same quote. The grammar relies on it. Every byte leads back to the file through the
//! [`Provenance`].

use crate::line::Line;
use source::{FileId, Provenance, Span};

/// What a logical line is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum LogicalKind {
    /// A statement.
    Statement,
    /// What follows `!$cuf`.
    Cuf,
    /// What follows `!dir$` and begins with `ignore_tkr`.
    IgnoreTkr,
    /// An INCLUDE line whose file was not found, which was reported: statements are lost.
    Lost,
}

/// One logical line.
#[derive(Debug)]
pub(crate) struct Logical {
    /// What it is.
    pub(crate) kind: LogicalKind,
    /// The label, with its place.
    pub(crate) label: Option<(u32, Span)>,
    /// The text, normalised, without the label.
    pub(crate) text: String,
    /// Where it came from.
    pub(crate) origin: Provenance,
    /// Offset of the text in the provenance.
    pub(crate) base: u32,
    /// Whether an error in it was reported already, so that it should cause no other.
    pub(crate) broken: bool,
    /// Whether a comment that begins with `!=` cut it.
    pub(crate) not_equal: bool,
}

impl Logical {
    /// The place of the whole.
    pub(crate) fn span(&self) -> Span {
        self.origin.span(self.base, self.base + self.text.len() as u32)
    }
}

/// Builds the text of a logical line.
#[derive(Default)]
pub(crate) struct Joined {
    bytes: Vec<u8>,
    origin: Provenance,
    follows: Option<(FileId, u32)>,
    blank: bool,
    /// Whether a comment that begins with `!=` cut the text.
    pub(crate) not_equal: bool,
}

impl Joined {
    pub(crate) fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// Notes that a blank stands here; it is written when it separates two words.
    pub(crate) fn blank(&mut self) {
        self.blank = true;
    }

    /// Appends bytes `from..to` of a line, in lower case; they hold no blank.
    pub(crate) fn code(&mut self, line: &Line, bytes: &[u8], from: usize, to: usize) {
        if self.blank {
            self.blank = false;
            if let (Some(&last), Some(&first)) = (self.bytes.last(), bytes.get(from))
                && (is_word(last) && is_word(first)
                    || last == first && is_quote(first)
                    || splits_number(&self.bytes, &bytes[from..]))
            {
                self.place(line, from.saturating_sub(1));
                self.advance(b' ');
            }
        }
        self.trace(line, from, to);
        self.bytes.extend(bytes[from..to].iter().map(u8::to_ascii_lowercase));
    }

    /// Appends bytes `from..to` of a line as they are: inside a character literal.
    pub(crate) fn literal(&mut self, line: &Line, bytes: &[u8], from: usize, to: usize) {
        self.trace(line, from, to);
        self.bytes.extend_from_slice(&bytes[from..to]);
    }

    /// Appends a byte that stands for the bytes at `at` but is not a copy of them.
    pub(crate) fn made(&mut self, byte: u8, span: Span) {
        self.origin.made(self.bytes.len() as u32, span);
        self.follows = None;
        self.bytes.push(byte);
    }

    /// Appends one byte that stands at `span`.
    pub(crate) fn push(&mut self, byte: u8, span: Span) {
        if self.follows != Some((span.file, span.start)) {
            self.origin.copied(self.bytes.len() as u32, Span { end: u32::MAX, ..span });
        }
        self.follows = Some((span.file, span.start));
        self.advance(byte);
    }

    fn place(&mut self, line: &Line, from: usize) {
        if line.is_copied() {
            let at = line.start + from as u32;
            if self.follows != Some((line.file, at)) {
                self.origin.copied(self.bytes.len() as u32, Span::new(line.file, at, line.end));
            }
            self.follows = Some((line.file, at));
        } else {
            self.origin.made(self.bytes.len() as u32, line.span_of(from, from + 1));
            self.follows = None;
        }
    }

    fn advance(&mut self, byte: u8) {
        self.bytes.push(byte);
        if let Some((_, at)) = &mut self.follows {
            *at += 1;
        }
    }

    fn trace(&mut self, line: &Line, from: usize, to: usize) {
        if line.is_copied() {
            self.place(line, from);
            if let Some((_, at)) = &mut self.follows {
                *at += (to - from) as u32;
            }
        } else {
            self.follows = None;
            let at = self.bytes.len();
            line.trace(from, to, |offset, span, copied| {
                let at = (at + offset) as u32;
                if copied { self.origin.copied(at, span) } else { self.origin.made(at, span) }
            });
        }
    }

    /// The bytes so far.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The place of bytes `from..to` of the joined text.
    pub(crate) fn span(&self, from: usize, to: usize) -> Span {
        self.origin.span(from as u32, to as u32)
    }

    /// The text from `base` on, to change bytes of it.
    pub(crate) fn bytes_mut(&mut self, base: usize) -> &mut [u8] {
        self.bytes.get_mut(base..).unwrap_or_default()
    }

    /// The logical line whose text begins at `base`.
    pub(crate) fn into_logical(
        self,
        kind: LogicalKind,
        label: Option<(u32, Span)>,
        base: usize,
        broken: bool,
    ) -> Logical {
        let mut bytes = self.bytes;
        bytes.drain(..base);
        // Only whole characters were copied, so the text is valid; should it ever not be, it is still text.
        let text = String::from_utf8(bytes).unwrap_or_else(|e| String::from_utf8_lossy(e.as_bytes()).into_owned());
        Logical { kind, label, text, origin: self.origin, base: base as u32, broken, not_equal: self.not_equal }
    }
}

/// Whether a blank stands beside the point of a real constant, which may hold none (Fortran 2018, 6.3.2.2). In a format it means
/// nothing.
fn splits_number(before: &[u8], rest: &[u8]) -> bool {
    let is_digit = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_digit);
    let number = match before {
        [.., digit, b'.'] => digit.is_ascii_digit() && is_digit(rest.first()),
        [.., digit] => digit.is_ascii_digit() && rest.first() == Some(&b'.') && is_digit(rest.get(1)),
        [] => false,
    };
    let statement = before.iter().position(|b| !b.is_ascii_digit() && *b != b' ').map_or(before, |at| &before[at..]);
    number && !statement.starts_with(b"format(")
}

/// Whether a byte can be part of a word: a name, a keyword or a number.
pub(crate) fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$'
}

/// Whether a byte opens a character literal.
pub(crate) fn is_quote(byte: u8) -> bool {
    byte == b'\'' || byte == b'"'
}
