//! Spans made safe for the renderers.
//!
//! A span may be outside its file, end before it starts, or cut a character. This file corrects all of that once.

use crate::{Diagnostic, Frame, Label};
use source::{SourceFile, SourceMap, Span};

/// A span within the text of its file, at character boundaries, `start <= end`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place<'m> {
    pub(crate) file: &'m SourceFile,
    pub(crate) start: usize,
    pub(crate) end: usize,
}

/// Line and column of one end of a place, both from 1, the column in characters.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Point {
    pub(crate) line: usize,
    pub(crate) column: usize,
}

impl<'m> Place<'m> {
    /// The place of a span; `None` if it is in no file of the map. A place after the final line end of a file moves to the
    /// end of its last line, which is visible.
    pub(crate) fn of(map: &'m SourceMap, span: Span) -> Option<Place<'m>> {
        let file = map.file(span.file)?;
        let text = file.text();
        let mut start = (span.start as usize).min(text.len());
        while !text.is_char_boundary(start) {
            start -= 1;
        }
        if start == text.len() {
            start -= line_end_len(text);
        }
        let mut end = (span.end as usize).min(text.len()).max(start);
        while !text.is_char_boundary(end) {
            end += 1;
        }
        Some(Place { file, start, end })
    }

    /// Line and column where the place begins.
    pub(crate) fn first(&self) -> Point {
        self.point(self.start)
    }

    /// Line and column one past its last character.
    pub(crate) fn last(&self) -> Point {
        self.point(self.end)
    }

    fn point(&self, offset: usize) -> Point {
        let line = self.file.line_of(offset as u32);
        let from = self.file.line_range(line).map_or(0, |r| r.start as usize);
        let column = self.file.text().get(from..offset).map_or(1, |t| t.chars().count() + 1);
        Point { line, column }
    }

    /// `file:line:column` of its beginning.
    pub(crate) fn text(&self) -> String {
        let Point { line, column } = self.first();
        format!("{}:{line}:{column}", self.file.name())
    }
}

/// Length of the line end with which the text closes.
fn line_end_len(text: &str) -> usize {
    if text.ends_with("\r\n") { 2 } else { usize::from(text.ends_with('\n')) }
}

/// The labels of a diagnostic, the primary one first.
pub(crate) fn labels(diagnostic: &Diagnostic) -> impl Iterator<Item = &Label> {
    std::iter::once(&diagnostic.primary).chain(&diagnostic.secondary)
}

/// The sentence for one step of a call stack.
pub(crate) fn frame_text(frame: &Frame, map: &SourceMap) -> String {
    let of = if frame.of.is_empty() { String::new() } else { format!("{} ", frame.of) };
    match Place::of(map, frame.called_at) {
        Some(place) => format!("{of}in `{}`, called at {}", frame.procedure, place.text()),
        None => format!("{of}in `{}`", frame.procedure),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_outside_the_text_are_put_inside() {
        let mut map = SourceMap::new();
        let id = map.add("a.cuf", "çb\r\ncd\r\n");
        let at = |start, end| Place::of(&map, Span::new(id, start, end)).map(|p| (p.start, p.end));
        assert_eq!(at(1, 1), Some((0, 2)));
        assert_eq!(at(6, 5), Some((6, 6)));
        assert_eq!(at(9, 99), Some((7, 9)));
        assert_eq!(at(900, 901), Some((7, 9)));
        assert!(Place::of(&map, Span::NONE).is_none());
        assert_eq!(Place::of(&map, Span::new(id, 99, 99)).map(|p| p.text()).as_deref(), Some("a.cuf:2:3"));
    }

    #[test]
    fn an_empty_file_has_a_first_line() {
        let mut map = SourceMap::new();
        let id = map.add("empty.cuf", "");
        assert_eq!(Place::of(&map, Span::new(id, 0, 4)).map(|p| p.text()).as_deref(), Some("empty.cuf:1:1"));
    }
}
