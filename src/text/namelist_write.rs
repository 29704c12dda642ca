//! Namelist output (Fortran 2018, 13.11.4) in nvfortran's layout.
//!
//! A group is ` &NAME`, a line for each variable as ` NAME = value`, each further value of the variable on a line of its own
//! below the first, and ` /`. Values look as in list-directed output, blanks included; characters stand between delimiters
//! only where the unit's `delim=` says so.
//!
//! Not here: which variables a group has, and taking apart arrays and derived types.

use crate::error::IoError;
use crate::field::RealField;
use crate::listed::constant;
use crate::modes::Modes;
use crate::record::Records;
use crate::value::Value;

/// A namelist group being written.
#[derive(Clone, Debug)]
pub struct NamelistWriter {
    modes: Modes,
    done: Vec<Vec<u8>>,
    line: Vec<u8>,
    /// Whether all lines are one record.
    is_one_record: bool,
    /// Columns before a value.
    indent: usize,
    /// Values of the current variable so far.
    values: usize,
    reals: RealField,
}

impl NamelistWriter {
    /// Begins the group of this name.
    pub fn begin(group: &str, modes: Modes) -> NamelistWriter {
        NamelistWriter {
            modes,
            done: vec![format!(" &{}", group.to_uppercase()).into_bytes()],
            line: Vec::new(),
            is_one_record: false,
            indent: 0,
            values: 0,
            reals: RealField::default(),
        }
    }

    /// The same, with all lines in one record: a scalar internal file has no more. gfortran does so too, while it is an error
    /// with nvfortran.
    pub fn in_one_record(group: &str, modes: Modes) -> NamelistWriter {
        NamelistWriter { is_one_record: true, ..NamelistWriter::begin(group, modes) }
    }

    /// Ends the line of the last value, with a separator.
    fn end_line(&mut self) {
        if !self.line.is_empty() {
            self.line.push(self.modes.decimal.separator());
            self.done.push(std::mem::take(&mut self.line));
        }
    }

    /// Begins a variable.
    pub fn variable(&mut self, name: &str) {
        self.end_line();
        self.line = format!(" {} = ", name.to_uppercase()).into_bytes();
        self.indent = if self.is_one_record { 1 } else { self.line.len() };
        self.values = 0;
    }

    /// Writes the variable's next value.
    pub fn item(&mut self, value: Value<'_>) {
        self.begin_item();
        constant(&mut self.line, value, self.modes, &mut self.reals);
    }

    /// The modes in force.
    pub fn modes(&self) -> Modes {
        self.modes
    }

    /// Begins a value that other statements write.
    pub fn begin_item(&mut self) {
        if self.values > 0 {
            self.end_line();
            self.line.resize(self.indent, b' ');
        }
        self.values += 1;
    }

    /// Lends the line to another statement, which writes a part of the value.
    pub fn lend(&mut self) -> Result<Records, IoError> {
        let mut records = Records::default();
        records.done = std::mem::take(&mut self.done);
        records.put(&std::mem::take(&mut self.line))?;
        Ok(records)
    }

    /// Goes on in the line where the other statement has left it.
    pub fn regain(&mut self, records: Records) {
        (self.done, self.line) = records.into_lines();
    }

    /// Ends the group.
    pub fn finish(mut self) -> Vec<Vec<u8>> {
        if !self.line.is_empty() {
            self.done.push(self.line);
        }
        self.done.push(b" /".to_vec());
        if self.is_one_record { vec![self.done.concat()] } else { self.done }
    }
}
