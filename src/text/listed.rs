//! List-directed output (Fortran 2018, 13.10.4) in nvfortran's layout.
//!
//! Each record begins with a blank. An item stands in a field of its type's own width (integers 5, 7, 12, 24; reals 15 and
//! 25 with trailing blanks in place of an exponent; logicals 2; complex numbers without inner blanks), a blank between two
//! items except between two character values without delimiters. An item that would pass column 79 (or the record length)
//! begins a new record; an item is never split, so a character value may make a longer line. A complex number that is not
//! the first of its record has one blank more before it.
//!
//! Not here: formatted output (`write`), namelist output (`namelist_write`).

use crate::error::IoError;
use crate::field::{self, RealField};
use crate::modes::Modes;
use crate::record::Records;
use crate::value::Value;
use scalar::{Ty, bits};

/// Columns of a record where the unit has no record length.
pub const COLUMNS: usize = 79;

/// Where list-directed output goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Target {
    /// A terminal or file without record length: records wrap after [`COLUMNS`] columns.
    Stream,
    /// A file of this record length: records wrap there.
    RecordLength(usize),
    /// An internal file of this many characters a record: an item that does not fit a whole record is an error.
    Internal(usize),
}

/// A list-directed output statement in progress.
#[derive(Clone, Debug)]
pub struct ListWriter {
    modes: Modes,
    target: Target,
    records: Records,
    /// Whether an item was written.
    begun: bool,
    after_characters: bool,
    reals: RealField,
}

impl ListWriter {
    /// Begins a statement.
    pub fn begin(modes: Modes, target: Target) -> ListWriter {
        ListWriter::within(modes, target, Records::default())
    }

    /// Begins a statement in a record that another one lends.
    pub fn within(modes: Modes, target: Target, records: Records) -> ListWriter {
        ListWriter { modes, target, records, begun: false, after_characters: false, reals: RealField::default() }
    }

    /// The modes in force.
    pub fn modes(&self) -> Modes {
        self.modes
    }

    /// Where the output goes.
    pub fn target(&self) -> Target {
        self.target
    }

    /// Begins an item that other statements write.
    pub fn begin_item(&mut self) -> Result<(), IoError> {
        self.begun = true;
        self.after_characters = false;
        self.records.put(b" ")
    }

    /// Lends the record to another statement, which writes a part of the item.
    pub fn lend(&mut self) -> Records {
        std::mem::take(&mut self.records)
    }

    /// Goes on in the record where the other statement has left it.
    pub fn regain(&mut self, records: Records) {
        self.records = records;
    }

    /// Ends a statement in a lent record, which it gives back without ending it.
    pub fn give_back(self) -> Records {
        self.records
    }

    fn columns(&self) -> usize {
        match self.target {
            Target::Stream => COLUMNS,
            Target::RecordLength(n) | Target::Internal(n) => n,
        }
    }

    /// Writes one item.
    pub fn item(&mut self, value: Value<'_>) -> Result<(), IoError> {
        let is_characters = matches!(value, Value::Char(_));
        let mut text = Vec::with_capacity(32);
        constant(&mut text, value, self.modes, &mut self.reals);
        if self.begun && !self.records.is_fresh() {
            if matches!(value, Value::Complex { .. }) {
                self.put(b" ")?;
            }
            if !(is_characters && self.after_characters && self.modes.delim.symbol().is_none()) {
                self.put(b" ")?;
            }
        }
        self.put(&text)?;
        self.begun = true;
        self.after_characters = is_characters;
        Ok(())
    }

    /// Puts text that is not to be split into the record, or into a new one.
    fn put(&mut self, text: &[u8]) -> Result<(), IoError> {
        let column = self.records.column();
        // A record begins with a blank, and so does what a statement adds to that of another one.
        let first = column == 0 || !self.begun;
        if column + text.len() + usize::from(first) > self.columns() {
            if column > 0 {
                self.records.end_record();
                self.after_characters = false;
            }
            if let Target::Internal(limit) = self.target
                && text.len() + 1 > limit
            {
                return Err(IoError::RecordTooLong { limit });
            }
        }
        if first || self.records.is_fresh() {
            self.records.put(b" ")?;
            self.begun = true;
        }
        self.records.put(text)
    }

    /// The records completed so far, which the writer gives up: for long output lists.
    pub fn take_records(&mut self) -> Vec<Vec<u8>> {
        std::mem::take(&mut self.records.done)
    }

    /// Ends the statement; without items it makes a record of one blank.
    pub fn finish(mut self) -> Vec<Vec<u8>> {
        if self.records.is_fresh() {
            // A blank always fits.
            let _ = self.records.put(b" ");
        }
        self.records.end_record();
        self.records.done
    }
}

/// Appends a value as list-directed and namelist output show it.
pub(crate) fn constant(out: &mut Vec<u8>, value: Value<'_>, modes: Modes, reals: &mut RealField) {
    match value {
        Value::Int { ty, bits } => {
            let w = match ty {
                Ty::I8 => 5,
                Ty::I16 => 7,
                Ty::I64 => 24,
                _ => 12,
            };
            field::integer(out, bits::signed(ty, bits), w, 1, modes);
        }
        Value::Real { ty, bits } => reals.listed(out, ty, bits, modes),
        Value::Complex { ty, re, im } => {
            let mut part = Vec::with_capacity(32);
            out.push(b'(');
            reals.listed(&mut part, ty, re, modes);
            out.extend_from_slice(part.trim_ascii());
            out.push(modes.decimal.separator());
            part.clear();
            reals.listed(&mut part, ty, im, modes);
            out.extend_from_slice(part.trim_ascii());
            out.push(b')');
        }
        Value::Logical { ty, bits } => field::logical(out, bits::canonical(ty, bits) != 0, 2),
        Value::Char(text) => match modes.delim.symbol() {
            None => out.extend_from_slice(text),
            Some(delim) => {
                out.push(delim);
                for c in text {
                    out.push(*c);
                    if *c == delim {
                        out.push(delim);
                    }
                }
                out.push(delim);
            }
        },
    }
}
