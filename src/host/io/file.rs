//! Files in memory.
//!
//! A file's contents are held whole and shared between clones of the program until one of them writes. What was written
//! since the last time the world took it over is told part by part ([`File::change`]), and nothing else: other ranks may write
//! other parts of the same file. A file that would outgrow [`MOST_BYTES`] is an error of the statement that makes it so.
//!
//! Records of a sequential unformatted file stand between two 4-byte lengths, as gfortran and nvfortran write them; those
//! of a direct file are `recl` bytes each. With `convert=` the lengths and the values have their bytes the other way round.
//!
//! Not here: records of more than 2 GiB, which gfortran divides into several.

use crate::condition::{Condition, OTHER};
use crate::io::dirty::Unwritten;
use std::sync::Arc;

/// Bytes of a file at most.
const MOST_BYTES: u64 = 8 << 30;
/// Bytes of an unformatted record at most: what a signed length can tell.
const MOST_RECORD: usize = i32::MAX as usize - 8;

/// A file in memory.
#[derive(Clone, Debug)]
pub(crate) struct File {
    /// The name that the program gave; of a scratch file empty.
    pub(crate) path: String,
    /// The name that the file has whatever the program calls it.
    pub(crate) identity: String,
    data: Arc<Vec<u8>>,
    /// Where the next transfer begins.
    pub(crate) at: usize,
    dirty: Unwritten,
    /// Whether the world has it.
    exists: bool,
    /// To how many bytes it has been cut since the world was told last.
    cut_to: Option<usize>,
    /// How often others may have written files when its contents were read; `None` if they are not read again.
    pub(crate) seen: Option<u64>,
    /// Whether it is deleted at CLOSE.
    pub(crate) scratch: bool,
    /// Whether unformatted values and lengths have their most significant byte first.
    pub(crate) swaps: bool,
    /// Whether it is a pipe or the like, whose contents come with the first READ.
    pub(crate) is_unread: bool,
}

impl File {
    /// A file with these contents; `exists` says whether the world has it already.
    pub(crate) fn new(path: String, data: Vec<u8>, exists: bool) -> File {
        let mut dirty = Unwritten::default();
        if !exists {
            dirty.add(0, data.len());
        }
        File {
            identity: path.clone(),
            path,
            data: Arc::new(data),
            at: 0,
            dirty,
            exists,
            cut_to: None,
            seen: None,
            scratch: false,
            swaps: false,
            is_unread: false,
        }
    }

    /// Its length.
    pub(crate) fn len(&self) -> usize {
        self.data.len()
    }

    /// The contents of what was unread.
    pub(crate) fn fill(&mut self, data: Vec<u8>) {
        self.is_unread = false;
        self.data = Arc::new(data);
    }

    /// The contents as they are now; the world has all that was written.
    pub(crate) fn renew(&mut self, data: Vec<u8>, seen: u64) {
        self.data = Arc::new(data);
        self.seen = Some(seen);
    }

    /// The bytes from `at` on as they are now.
    pub(crate) fn renew_part(&mut self, at: usize, bytes: &[u8]) {
        let data = Arc::make_mut(&mut self.data);
        let end = at + bytes.len();
        if end > data.len() {
            data.resize(end, 0);
        }
        data[at..end].copy_from_slice(bytes);
    }

    /// Writes at the position and moves it.
    pub(crate) fn put(&mut self, bytes: &[u8]) -> Result<(), Condition> {
        self.put_padded(bytes, bytes.len(), 0)
    }

    /// Writes at the position as many as `length` bytes, the missing ones being `pad`, and moves it.
    pub(crate) fn put_padded(&mut self, bytes: &[u8], length: usize, pad: u8) -> Result<(), Condition> {
        let (at, old) = (self.at, self.data.len());
        let end = at.checked_add(length.max(bytes.len())).filter(|&end| end as u64 <= MOST_BYTES);
        let Some(end) = end else {
            let reason = format!("the file would be longer than {} GiB", MOST_BYTES >> 30);
            return Err(Condition::Error(OTHER, reason));
        };
        let data = Arc::make_mut(&mut self.data);
        if end > old {
            let full = |_| Condition::Error(OTHER, format!("there is no memory for a file of {end} bytes"));
            data.try_reserve(end - old).map_err(full)?;
            data.resize(end, 0);
        }
        data[at..at + bytes.len()].copy_from_slice(bytes);
        data[at + bytes.len()..end].fill(pad);
        self.dirty.add(at, end);
        self.at = end;
        Ok(())
    }

    /// Ends the file at the position.
    pub(crate) fn truncate(&mut self) {
        let at = self.at;
        if at < self.data.len() {
            Arc::make_mut(&mut self.data).truncate(at);
            self.dirty.cut(at);
            self.cut_to = Some(self.cut_to.map_or(at, |before| before.min(at)));
        }
    }

    /// Something that the world does not have yet: first byte, bytes, and the length that the file is cut to first.
    pub(crate) fn change(&self) -> Option<(u64, Arc<[u8]>, Option<u64>)> {
        if let Some(length) = self.cut_to {
            return Some((length as u64, Arc::from([]), Some(length as u64)));
        }
        let (from, to) = self.dirty.first().or((!self.exists).then_some((0, 0)))?;
        // What was written to a device that keeps nothing may be gone from the data already.
        let bytes = self.data.get(from..to).unwrap_or_default();
        Some((from as u64, bytes.into(), None))
    }

    /// The world has taken over what [`File::change`] gave.
    pub(crate) fn change_taken(&mut self) {
        self.exists = true;
        if self.cut_to.take().is_none() {
            self.dirty.drop_first();
        }
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

    /// Whether the position is the end and nothing ends the last line.
    pub(crate) fn is_in_last_line(&self) -> bool {
        self.at >= self.len() && self.data.last().is_some_and(|&b| b != b'\n')
    }

    /// The bytes from the position on, at most `n`; the position moves behind them.
    pub(crate) fn take(&mut self, n: usize) -> Vec<u8> {
        let from = self.at.min(self.len());
        let to = from.saturating_add(n).min(self.len());
        self.at = to;
        self.data[from..to].to_vec()
    }

    /// The length of a record that stands at `at`.
    fn mark_at(&self, at: usize) -> Option<usize> {
        let bytes: [u8; 4] = self.data.get(at..at.checked_add(4)?)?.try_into().ok()?;
        Some(if self.swaps { u32::from_be_bytes(bytes) } else { u32::from_le_bytes(bytes) } as usize)
    }

    /// The unformatted sequential record at the position.
    pub(crate) fn marked(&mut self) -> Result<Vec<u8>, Condition> {
        if self.at >= self.len() {
            return Err(Condition::EndOfFile);
        }
        let record = self.mark_at(self.at).and_then(|n| {
            let body = self.data.get(self.at + 4..(self.at + 4).checked_add(n)?)?;
            (self.mark_at(self.at + 4 + n) == Some(n)).then(|| body.to_vec())
        });
        let Some(record) = record else {
            return Err(Condition::Error(OTHER, "the file does not hold unformatted sequential records".to_owned()));
        };
        self.at += record.len() + 8;
        Ok(record)
    }

    /// Writes an unformatted sequential record.
    pub(crate) fn put_marked(&mut self, record: &[u8]) -> Result<(), Condition> {
        if record.len() > MOST_RECORD {
            return Err(Condition::Error(
                OTHER,
                "an unformatted record of more than 2 GiB is not supported".to_owned(),
            ));
        }
        let length = record.len() as u32;
        let mark = if self.swaps { length.to_be_bytes() } else { length.to_le_bytes() };
        self.put(&mark)?;
        self.put(record)?;
        self.put(&mark)
    }

    /// Moves before the record that ends at the position.
    pub(crate) fn back(&mut self, formatted: bool) {
        self.at = self.at.min(self.len());
        if self.at == 0 {
            return;
        }
        if formatted {
            let before = &self.data[..self.at - 1];
            self.at = before.iter().rposition(|&b| b == b'\n').map_or(0, |i| i + 1);
            return;
        }
        let length = self.at.checked_sub(4).and_then(|at| self.mark_at(at)).unwrap_or(0);
        self.at = self.at.saturating_sub(length + 8);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_and_records_are_found_again() {
        let mut f = File::new("x".to_owned(), b"one\r\ntwo\nend".to_vec(), true);
        assert!(f.change().is_none());
        assert_eq!(f.line().as_deref(), Some(&b"one"[..]));
        assert_eq!(f.line().as_deref(), Some(&b"two"[..]));
        f.back(true);
        assert_eq!(f.line().as_deref(), Some(&b"two"[..]));
        assert_eq!(f.line().as_deref(), Some(&b"end"[..]));
        assert_eq!(f.line(), None);
        f.at = 1000;
        f.back(true);
        assert_eq!(f.line().as_deref(), Some(&b"end"[..]));
    }

    #[test]
    fn unformatted_records_stand_between_lengths() {
        for swaps in [false, true] {
            let mut f = File::new("x".to_owned(), Vec::new(), false);
            f.swaps = swaps;
            f.put_marked(b"abc").expect("room");
            f.put_marked(b"").expect("room");
            assert_eq!(f.change().map(|(from, bytes, len)| (from, bytes.len(), len)), Some((0, 19, None)));
            assert_eq!(f.data[if swaps { 3 } else { 0 }], 3);
            f.change_taken();
            assert!(f.change().is_none());
            f.at = 0;
            assert_eq!(f.marked(), Ok(b"abc".to_vec()));
            assert_eq!(f.marked(), Ok(Vec::new()));
            assert_eq!(f.marked(), Err(Condition::EndOfFile));
            f.back(false);
            f.back(false);
            assert_eq!(f.at, 0);
        }
    }

    #[test]
    fn what_was_cut_off_is_not_left_behind_in_the_world() {
        let mut f = File::new("x".to_owned(), vec![7; 10], true);
        f.at = 2;
        f.truncate();
        f.at = 6;
        f.put(b"z").expect("room");
        assert_eq!(f.change(), Some((2, [].into(), Some(2))));
        f.change_taken();
        assert_eq!(f.change(), Some((6, [b'z'].into(), None)));
        f.change_taken();
        assert_eq!(f.change(), None);
    }

    #[test]
    fn only_what_was_written_is_told() {
        let mut f = File::new("x".to_owned(), vec![7; 10], true);
        for at in [2, 20, 4] {
            f.at = at;
            f.put(b"z").expect("room");
        }
        let mut told = Vec::new();
        while let Some((from, bytes, length)) = f.change() {
            told.push((from, bytes.len(), length));
            f.change_taken();
        }
        assert_eq!(told, [(2, 1, None), (4, 1, None), (20, 1, None)]);
        f.renew_part(21, b"ab");
        f.at = 19;
        assert_eq!((f.take(4), f.change()), (vec![0, b'z', b'a', b'b'], None));
    }

    #[test]
    fn a_file_that_would_be_too_long_is_refused() {
        let mut f = File::new("x".to_owned(), Vec::new(), false);
        for at in [usize::MAX, usize::MAX - 1, 80_000_000_000] {
            f.at = at;
            assert!(matches!(f.put(b"ab"), Err(Condition::Error(OTHER, _))));
        }
        assert_eq!(f.len(), 0);
        assert!(matches!(f.put_padded(b"ab", usize::MAX, 0), Err(Condition::Error(..))));
    }
}
