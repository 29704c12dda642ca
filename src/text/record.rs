//! The record that output builds: characters, a position, and the records before it.
//!
//! Positions may lie behind the end; blanks fill the gap only when something is written there, so that trailing `x` and `t`
//! leave no trace (Fortran 2018, 13.8.1.1). A record that ends without advancing keeps what stands right of the position for
//! the next statement, whose columns count from there.

use crate::error::IoError;

/// Records longer than this are an error: the text would otherwise grow with the program's format alone.
const LONGEST: usize = 1 << 28;

/// What an output statement leaves.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Written {
    /// The records that are complete, without line ends.
    pub records: Vec<Vec<u8>>,
    /// The record that is still open, where the statement does not advance.
    pub partial: Option<Partial>,
}

/// A record that the next statement goes on with.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Partial {
    /// The characters up to the position: they can be shown or sent at once.
    pub left: Vec<u8>,
    /// Characters right of the position (after `tl`), which the next statement begins with.
    pub right: Vec<u8>,
}

/// Records under construction: what a statement lends to another one.
#[derive(Clone, Debug, Default)]
pub struct Records {
    pub(crate) done: Vec<Vec<u8>>,
    line: Vec<u8>,
    at: usize,
    limit: Option<usize>,
}

impl Records {
    /// Begins with the characters that a statement without advance left; records hold at most `limit` characters.
    pub(crate) fn new(rest: Vec<u8>, limit: Option<usize>) -> Records {
        Records { line: rest, limit, ..Records::default() }
    }

    /// Whether the record has nothing yet.
    pub(crate) fn is_fresh(&self) -> bool {
        self.line.is_empty() && self.at == 0
    }

    /// The column behind the position, from 0.
    pub(crate) fn column(&self) -> usize {
        self.at
    }

    /// Lets `field` append characters at the position.
    pub(crate) fn append(&mut self, field: impl FnOnce(&mut Vec<u8>)) -> Result<(), IoError> {
        if self.at >= self.line.len() {
            self.check(self.at)?;
            self.line.resize(self.at, b' ');
            field(&mut self.line);
            self.at = self.line.len();
        } else {
            let mut text = Vec::new();
            field(&mut text);
            let end = self.at + text.len();
            if end > self.line.len() {
                self.line.resize(end, b' ');
            }
            self.line[self.at..end].copy_from_slice(&text);
            self.at = end;
        }
        self.check(self.line.len())
    }

    fn check(&self, length: usize) -> Result<(), IoError> {
        let limit = self.limit.unwrap_or(LONGEST).min(LONGEST);
        if length > limit { Err(IoError::RecordTooLong { limit }) } else { Ok(()) }
    }

    /// Writes characters at the position.
    pub(crate) fn put(&mut self, text: &[u8]) -> Result<(), IoError> {
        self.append(|line| line.extend_from_slice(text))
    }

    pub(crate) fn skip(&mut self, n: usize) {
        self.at = self.at.saturating_add(n).min(LONGEST + 1);
    }

    pub(crate) fn skip_back(&mut self, n: usize) {
        self.at = self.at.saturating_sub(n);
    }

    pub(crate) fn go_to(&mut self, column: usize) {
        self.at = column;
    }

    /// Ends the record.
    pub(crate) fn end_record(&mut self) {
        self.done.push(std::mem::take(&mut self.line));
        self.at = 0;
    }

    /// The complete records, and the one that is open.
    pub(crate) fn into_lines(self) -> (Vec<Vec<u8>>, Vec<u8>) {
        (self.done, self.line)
    }

    /// Ends the statement, with a last record or without.
    pub(crate) fn finish(mut self, advance: bool) -> Result<Written, IoError> {
        if advance {
            self.end_record();
            return Ok(Written { records: self.done, partial: None });
        }
        self.check(self.at)?;
        if self.at > self.line.len() {
            self.line.resize(self.at, b' ');
        }
        let right = self.line.split_off(self.at);
        Ok(Written { records: self.done, partial: Some(Partial { left: self.line, right }) })
    }
}
