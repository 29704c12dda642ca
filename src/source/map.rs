//! The set of source files of one run, and the line index of each.

use crate::{FileId, Span};
use std::sync::Arc;

/// One source file with its text and the offsets at which its lines begin.
#[derive(Clone, Debug)]
pub struct SourceFile {
    name: String,
    text: Arc<str>,
    line_starts: Vec<u32>,
}

impl SourceFile {
    fn new(name: String, text: Arc<str>) -> SourceFile {
        let mut line_starts = vec![0];
        line_starts.extend(text.bytes().enumerate().filter(|&(_, b)| b == b'\n').map(|(i, _)| i as u32 + 1));
        SourceFile { name, text, line_starts }
    }

    /// The name under which the user gave the file.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The whole text, as read.
    pub fn text(&self) -> &Arc<str> {
        &self.text
    }

    /// How many lines the file has; a last line without a line end counts.
    pub fn line_count(&self) -> usize {
        // A line end at the end of the file begins no line.
        let empty =
            self.line_starts.len() > 1 && self.line_starts.last().is_some_and(|&s| s as usize == self.text.len());
        self.line_starts.len() - usize::from(empty)
    }

    /// The line, counted from 1, that holds byte `offset`.
    pub fn line_of(&self, offset: u32) -> usize {
        self.line_starts.partition_point(|&s| s <= offset)
    }

    /// The text of line `line`, counted from 1, without its line end; empty when there is no such line.
    pub fn line_text(&self, line: usize) -> &str {
        let Some(range) = self.line_range(line) else { return "" };
        self.text[range.start as usize..range.end as usize].trim_end_matches(['\n', '\r'])
    }

    /// The bytes of line `line`, counted from 1, its line end included.
    pub fn line_range(&self, line: usize) -> Option<std::ops::Range<u32>> {
        let start = *self.line_starts.get(line.checked_sub(1)?)?;
        let end = self.line_starts.get(line).copied().unwrap_or(self.text.len() as u32);
        Some(start..end)
    }
}

/// A place as people say it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Location {
    /// Name of the file.
    pub file: String,
    /// Line, counted from 1.
    pub line: usize,
    /// Column in characters, counted from 1.
    pub column: usize,
}

impl std::fmt::Display for Location {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}:{}", self.file, self.line, self.column)
    }
}

/// All source files of one run. Files are added and never removed, so a [`FileId`] stays valid.
#[derive(Clone, Debug, Default)]
pub struct SourceMap {
    files: Vec<SourceFile>,
}

impl SourceMap {
    /// An empty map.
    pub fn new() -> SourceMap {
        SourceMap::default()
    }

    /// Adds a file and gives its number. `text` must be shorter than 4 GiB.
    pub fn add(&mut self, name: impl Into<String>, text: impl Into<Arc<str>>) -> FileId {
        self.files.push(SourceFile::new(name.into(), text.into()));
        FileId(self.files.len() as u32 - 1)
    }

    /// The file of that number, if the map has it.
    pub fn file(&self, id: FileId) -> Option<&SourceFile> {
        self.files.get(id.0 as usize)
    }

    /// All files with their numbers, in the order in which they were added.
    pub fn files(&self) -> impl Iterator<Item = (FileId, &SourceFile)> {
        self.files.iter().enumerate().map(|(i, f)| (FileId(i as u32), f))
    }

    /// The text that a span covers; empty for [`Span::NONE`] and for spans outside the file.
    pub fn text_of(&self, span: Span) -> &str {
        self.file(span.file).and_then(|f| f.text.get(span.start as usize..span.end as usize)).unwrap_or("")
    }

    /// Where a span begins.
    pub fn location(&self, span: Span) -> Option<Location> {
        let file = self.file(span.file)?;
        let line = file.line_of(span.start);
        let start = file.line_range(line)?.start as usize;
        let column = file.text.get(start..span.start as usize).map_or(1, |t| t.chars().count() + 1);
        Some(Location { file: file.name.clone(), line, column })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn location_counts_lines_and_characters_from_one() {
        let mut map = SourceMap::new();
        let id = map.add("a.cuf", "ab\nçd = 1\r\nlast");
        let at = |start| map.location(Span::new(id, start, start + 1)).map(|l| (l.line, l.column));
        assert_eq!(at(0), Some((1, 1)));
        assert_eq!(at(3), Some((2, 1)));
        assert_eq!(at(5), Some((2, 2)));
        assert_eq!(at(12), Some((3, 1)));
        assert_eq!(map.file(id).map(|f| f.line_text(2)), Some("çd = 1"));
        assert_eq!(map.file(id).map(SourceFile::line_count), Some(3));
    }
}
