//! The places of instructions in the source that PTX was made of.

use source::{FileId, SourceMap, Span};
use std::collections::BTreeMap;

/// The places that `.loc` names (PTX ISA 11.5.2).
pub struct Lines<'a> {
    pub(crate) map: &'a SourceMap,
    files: BTreeMap<(FileId, u32), FileId>,
}

impl<'a> Lines<'a> {
    /// Of files in a map: which of them is meant by each number in a PTX file.
    pub fn new(map: &'a SourceMap, files: BTreeMap<(FileId, u32), FileId>) -> Lines<'a> {
        Lines { map, files }
    }

    /// The line from the column on; `None` if the file is not there or has no such line.
    pub(crate) fn span(&self, ptx: FileId, file: u32, line: u32, column: u32) -> Option<Span> {
        let id = *self.files.get(&(ptx, file))?;
        let source = self.map.file(id)?;
        let range = source.line_range(line as usize)?;
        let text = source.line_text(line as usize);
        let end = range.start + text.trim_end().len() as u32;
        let start = range.start + column.saturating_sub(1);
        // A column behind the line, or inside of a character.
        let begins = |at: u32| text.is_char_boundary((at - range.start) as usize) && at < end;
        let start = if begins(start) { start } else { range.start };
        Some(Span::new(id, start, end.max(start)))
    }
}
