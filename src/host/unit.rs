//! Units and the files they are connected to.
//!
//! A file's contents are held whole and shared between clones of the program until one of them writes. What was written
//! since the last time the world took it over is a range of bytes ([`File::take_dirty`]).
//!
//! Records of a sequential unformatted file stand between two 4-byte lengths, as gfortran and nvfortran write them; those
//! of a direct file are `recl` bytes each.

use crate::errors::{Condition, OTHER};
use crate::outside::Stream;
use std::collections::BTreeMap;
use std::sync::Arc;
use text::{Modes, Place};

/// How records follow each other.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Access {
    /// One after another.
    Sequential,
    /// By number; all of one length.
    Direct,
    /// No records when unformatted; lines when formatted.
    Stream,
}

/// What a unit is connected to.
#[derive(Clone, Debug)]
pub(crate) enum Medium {
    /// Standard input.
    Stdin,
    /// Standard output or error output.
    Out(Stream),
    /// A file.
    File(File),
}

/// A file in memory.
#[derive(Clone, Debug)]
pub(crate) struct File {
    /// The name that the program gave; of a scratch file empty.
    pub(crate) path: String,
    data: Arc<Vec<u8>>,
    /// Where the next transfer begins.
    pub(crate) at: usize,
    /// First byte that the world does not have yet.
    dirty: Option<usize>,
    /// Length that the world knows.
    synced: Option<usize>,
    /// Whether it is deleted at CLOSE.
    pub(crate) scratch: bool,
}

/// A unit that is connected.
#[derive(Clone, Debug)]
pub(crate) struct Unit {
    pub(crate) medium: Medium,
    pub(crate) formatted: bool,
    pub(crate) access: Access,
    pub(crate) reads: bool,
    pub(crate) writes: bool,
    pub(crate) recl: Option<usize>,
    pub(crate) modes: Modes,
    /// What stands right of the position after output without advance.
    pub(crate) rest: Vec<u8>,
    /// Whether output without advance has begun a record.
    pub(crate) is_record_open: bool,
    /// Where input without advance left its record.
    pub(crate) place: Option<Place>,
    /// Whether the last read met the end of the file.
    pub(crate) is_past_end: bool,
}

/// All units of a program.
#[derive(Clone, Debug)]
pub(crate) struct Units {
    pub(crate) map: BTreeMap<i32, Unit>,
    next_new: i32,
}

impl File {
    /// A file with these contents; `exists` says whether the world has it already.
    pub(crate) fn new(path: String, data: Vec<u8>, exists: bool) -> File {
        let synced = exists.then_some(data.len());
        let dirty = if exists { None } else { Some(0) };
        File { path, data: Arc::new(data), at: 0, dirty, synced, scratch: false }
    }

    /// Its length.
    pub(crate) fn len(&self) -> usize {
        self.data.len()
    }

    /// Writes at the position and moves it.
    pub(crate) fn put(&mut self, bytes: &[u8]) {
        let at = self.at;
        let data = Arc::make_mut(&mut self.data);
        let end = at + bytes.len();
        if end > data.len() {
            data.resize(end, 0);
        }
        data[at..end].copy_from_slice(bytes);
        self.dirty = Some(self.dirty.map_or(at, |d| d.min(at)));
        self.at = end;
    }

    /// Ends the file at the position.
    pub(crate) fn truncate(&mut self) {
        let at = self.at;
        if at < self.data.len() {
            Arc::make_mut(&mut self.data).truncate(at);
            self.dirty = Some(self.dirty.map_or(at, |d| d.min(at)));
        }
    }

    /// What the world does not have yet: first byte, bytes, new length.
    pub(crate) fn dirty(&self) -> Option<(u64, Arc<[u8]>, u64)> {
        let changed = self.synced != Some(self.len());
        let from = self.dirty.or(changed.then_some(self.len()))?.min(self.len());
        Some((from as u64, self.data[from..].into(), self.len() as u64))
    }

    /// The world has everything now.
    pub(crate) fn set_clean(&mut self) {
        self.dirty = None;
        self.synced = Some(self.len());
    }

    /// The line at the position, without its end; the position moves behind it.
    pub(crate) fn line(&mut self) -> Option<Vec<u8>> {
        let rest = self.data.get(self.at..).filter(|rest| !rest.is_empty())?;
        let length = rest.iter().position(|&b| b == b'\n');
        let line = &rest[..length.unwrap_or(rest.len())];
        let line = line.strip_suffix(b"\r").unwrap_or(line).to_vec();
        self.at += length.map_or(rest.len(), |n| n + 1);
        Some(line)
    }

    /// The bytes from the position on, at most `n`; the position moves behind them.
    pub(crate) fn take(&mut self, n: usize) -> Vec<u8> {
        let from = self.at.min(self.len());
        let to = from.saturating_add(n).min(self.len());
        self.at = to;
        self.data[from..to].to_vec()
    }

    /// The unformatted sequential record at the position.
    pub(crate) fn marked(&mut self) -> Result<Vec<u8>, Condition> {
        if self.at >= self.len() {
            return Err(Condition::EndOfFile);
        }
        let word = |at: usize| self.data.get(at..at + 4).and_then(|b| b.try_into().ok()).map(u32::from_le_bytes);
        let length = word(self.at).map(|n| n as usize);
        let record = length.and_then(|n| {
            let body = self.data.get(self.at + 4..(self.at + 4).checked_add(n)?)?;
            (word(self.at + 4 + n) == Some(n as u32)).then(|| body.to_vec())
        });
        let Some(record) = record else {
            return Err(Condition::Error(OTHER, "the file does not hold unformatted sequential records".to_owned()));
        };
        self.at += record.len() + 8;
        Ok(record)
    }

    /// Writes an unformatted sequential record.
    pub(crate) fn put_marked(&mut self, record: &[u8]) {
        let mark = (record.len() as u32).to_le_bytes();
        self.put(&mark);
        self.put(record);
        self.put(&mark);
    }

    /// Moves before the record that ends at the position.
    pub(crate) fn back(&mut self, formatted: bool) {
        if self.at == 0 {
            return;
        }
        if formatted {
            let before = &self.data[..self.at - 1];
            self.at = before.iter().rposition(|&b| b == b'\n').map_or(0, |i| i + 1);
            return;
        }
        let mark = self.at.checked_sub(4).and_then(|at| self.data.get(at..at + 4));
        let length = mark.and_then(|b| b.try_into().ok()).map_or(0, u32::from_le_bytes) as usize;
        self.at = self.at.saturating_sub(length + 8);
    }
}

impl Unit {
    /// A sequential formatted unit with the default modes.
    pub(crate) fn new(medium: Medium) -> Unit {
        let (reads, writes) = match medium {
            Medium::Stdin => (true, false),
            Medium::Out(_) => (false, true),
            Medium::File(_) => (true, true),
        };
        Unit {
            medium,
            formatted: true,
            access: Access::Sequential,
            reads,
            writes,
            recl: None,
            modes: Modes::default(),
            rest: Vec::new(),
            is_record_open: false,
            place: None,
            is_past_end: false,
        }
    }

    /// Its file.
    pub(crate) fn file(&self) -> Option<&File> {
        match &self.medium {
            Medium::File(file) => Some(file),
            Medium::Stdin | Medium::Out(_) => None,
        }
    }

    /// Its file, to change it.
    pub(crate) fn file_mut(&mut self) -> Option<&mut File> {
        match &mut self.medium {
            Medium::File(file) => Some(file),
            Medium::Stdin | Medium::Out(_) => None,
        }
    }

    /// Ends a record that output without advance has left open; a file gets its line end.
    pub(crate) fn end_record(&mut self) {
        let open = std::mem::take(&mut self.is_record_open);
        let rest = std::mem::take(&mut self.rest);
        self.place = None;
        if let (true, Some(file)) = (open, self.file_mut()) {
            file.put(&rest);
            file.put(b"\n");
        }
    }
}

impl Units {
    /// The units that every program has: 0, 5 and 6.
    pub(crate) fn new() -> Units {
        let map = BTreeMap::from([
            (0, Unit::new(Medium::Out(Stream::Stderr))),
            (5, Unit::new(Medium::Stdin)),
            (6, Unit::new(Medium::Out(Stream::Stdout))),
        ]);
        Units { map, next_new: -10 }
    }

    /// A number for NEWUNIT.
    pub(crate) fn new_number(&mut self) -> i32 {
        self.next_new -= 1;
        self.next_new
    }

    /// The unit that a file is connected to.
    pub(crate) fn connected_to(&self, path: &str) -> Option<i32> {
        self.map.iter().find(|(_, u)| u.file().is_some_and(|f| !f.scratch && f.path == path)).map(|(&n, _)| n)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_and_records_are_found_again() {
        let mut f = File::new("x".to_owned(), b"one\r\ntwo\nend".to_vec(), true);
        assert!(f.dirty().is_none());
        assert_eq!(f.line().as_deref(), Some(&b"one"[..]));
        assert_eq!(f.line().as_deref(), Some(&b"two"[..]));
        f.back(true);
        assert_eq!(f.line().as_deref(), Some(&b"two"[..]));
        assert_eq!(f.line().as_deref(), Some(&b"end"[..]));
        assert_eq!(f.line(), None);
    }

    #[test]
    fn unformatted_records_stand_between_lengths() {
        let mut f = File::new("x".to_owned(), Vec::new(), false);
        f.put_marked(b"abc");
        f.put_marked(b"");
        assert_eq!(f.dirty().map(|(from, bytes, len)| (from, bytes.len(), len)), Some((0, 19, 19)));
        f.set_clean();
        assert!(f.dirty().is_none());
        f.at = 0;
        assert_eq!(f.marked(), Ok(b"abc".to_vec()));
        assert_eq!(f.marked(), Ok(Vec::new()));
        assert_eq!(f.marked(), Err(Condition::EndOfFile));
        f.back(false);
        f.back(false);
        assert_eq!(f.at, 0);
    }
}
