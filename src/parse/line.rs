//! Physical lines, as read or as the preprocessor made them.

use source::{FileId, SourceMap, Span};

/// One line. Its text is that of the file between `start` and `end`, unless the preprocessor made it.
#[derive(Clone, Debug)]
pub(crate) struct Line {
    /// The file that it came from.
    pub(crate) file: FileId,
    /// Its first byte there.
    pub(crate) start: u32,
    /// One past its last byte, the line end left out.
    pub(crate) end: u32,
    made: Option<Box<Made>>,
}

/// Text that the preprocessor made of a line.
#[derive(Clone, Debug, Default)]
pub(crate) struct Made {
    /// The text.
    pub(crate) text: String,
    /// Where its parts came from, in increasing order of `at`; the first has `at == 0`.
    pub(crate) pieces: Vec<Piece>,
}

/// A part of a made line.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Piece {
    /// Offset in the text.
    pub(crate) at: usize,
    /// What it was made from.
    pub(crate) span: Span,
    /// Whether it is a copy of that, byte for byte.
    pub(crate) copied: bool,
}

impl Line {
    /// A line as read.
    pub(crate) fn copied(file: FileId, start: u32, end: u32) -> Line {
        Line { file, start, end, made: None }
    }

    /// A line that replaces `start..end` of the file.
    pub(crate) fn made(file: FileId, start: u32, end: u32, made: Made) -> Line {
        Line { file, start, end, made: Some(Box::new(made)) }
    }

    /// Whether the text is that of the file.
    pub(crate) fn is_copied(&self) -> bool {
        self.made.is_none()
    }

    /// The text, if the preprocessor made it.
    pub(crate) fn made_text(&self) -> Option<&str> {
        self.made.as_ref().map(|made| made.text.as_str())
    }

    /// The text.
    pub(crate) fn text<'a>(&'a self, map: &'a SourceMap) -> &'a str {
        match &self.made {
            Some(made) => &made.text,
            None => map.text_of(Span::new(self.file, self.start, self.end)),
        }
    }

    /// The original place of bytes `from..to` of the text.
    pub(crate) fn span_of(&self, from: usize, to: usize) -> Span {
        let to = to.max(from);
        let mut whole = Span::NONE;
        self.trace(from, to.max(from + 1), |_, span, copied| {
            let span = if copied { Span { end: span.end.min(span.start + (to - from) as u32), ..span } } else { span };
            whole = whole.to(span);
        });
        if whole.is_none() { Span::new(self.file, self.end, self.end) } else { whole }
    }

    /// Calls `part` for each part of bytes `from..to` with its offset from `from`, its origin and whether it is a copy;
    /// the origin of a copy begins with the part's first byte and ends with that of the piece.
    pub(crate) fn trace(&self, from: usize, to: usize, mut part: impl FnMut(usize, Span, bool)) {
        let Some(made) = &self.made else {
            let at = (self.start + from as u32).min(self.end);
            part(0, Span::new(self.file, at, self.end), true);
            return;
        };
        let first = made.pieces.partition_point(|p| p.at <= from).saturating_sub(1);
        for piece in &made.pieces[first.min(made.pieces.len())..] {
            if piece.at >= to {
                break;
            }
            let skipped = from.saturating_sub(piece.at);
            let offset = piece.at.saturating_sub(from);
            if piece.copied {
                let start = (piece.span.start + skipped as u32).min(piece.span.end);
                part(offset, Span { start, ..piece.span }, true);
            } else {
                part(offset, piece.span, false);
            }
        }
    }
}

/// Splits a file into its lines. A byte order mark at the beginning is left out.
pub(crate) fn split(map: &SourceMap, file: FileId) -> Vec<Line> {
    let Some(source) = map.file(file) else { return Vec::new() };
    let text = source.text().as_bytes();
    let mut lines = Vec::with_capacity(source.line_count());
    let mut start = if text.starts_with("\u{feff}".as_bytes()) { 3 } else { 0 };
    for number in 1..=source.line_count() {
        let Some(range) = source.line_range(number) else { break };
        let mut end = range.end as usize;
        while end > start && matches!(text[end - 1], b'\n' | b'\r') {
            end -= 1;
        }
        lines.push(Line::copied(file, start as u32, end as u32));
        start = range.end as usize;
    }
    lines
}
