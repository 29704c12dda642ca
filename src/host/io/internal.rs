//! Internal files: statements whose records are in the program's memory, and what of them needs nothing from outside.
//!
//! Not here: internal files as input (`input`), and statements that procedures make for one that transfers an object (`child`).

use crate::condition::Condition;
use crate::io::IoService;
use crate::io::statement::{Form, INTERNAL, Internal, Statement, Work, format_of};
use crate::protocol::{Args, Halt};
use crate::storage;
use mem::WriteBytes;
use text::{
    FormatReader, FormatWriter, ListReader, ListWriter, Modes, NamelistReader, NamelistWriter, Target, Value, Written,
};

impl Statement {
    /// Sets the internal file: address, length of a record, number of records.
    pub(crate) fn set_internal(&mut self, a: Args<'_>) {
        self.internal = Internal { address: a.bits(0), length: a.size(1), count: a.size(2), next: 0 };
    }

    /// Begins the work on an internal file, once.
    pub(crate) fn begin_internal(&mut self) -> Result<(), Halt> {
        if !matches!(self.work, Work::Due) {
            return Ok(());
        }
        let modes = self.modes(Modes::default())?;
        let length = self.internal.length as usize;
        self.work = match (self.reads, self.form) {
            (true, Form::Formatted) => Work::FormatIn(FormatReader::begin(format_of(self)?, modes, None)),
            (true, Form::Namelist) => Work::NamelistIn(NamelistReader::begin(&self.group.name, modes)),
            (false, Form::Namelist) => Work::NamelistOut(match self.internal.count {
                1 => NamelistWriter::in_one_record(&self.group.name, modes),
                _ => NamelistWriter::begin(&self.group.name, modes),
            }),
            (true, _) => Work::ListIn(ListReader::begin(modes)),
            (false, Form::Formatted) => {
                Work::FormatOut(FormatWriter::begin(format_of(self)?, modes, Vec::new(), Some(length)))
            }
            (false, _) => Work::ListOut(ListWriter::begin(modes, Target::Internal(length))),
        };
        Ok(())
    }

    /// Whether it writes to an internal file and gives its records to no other statement.
    fn writes_internal(&self) -> bool {
        self.unit == INTERNAL && !self.reads && !self.is_child && self.lent.is_none()
    }
}

impl IoService<'_> {
    /// Writes an item if the statement in progress writes to an internal file; whether it does.
    pub(crate) fn put_internal(&mut self, value: Value<'_>) -> Result<bool, Halt> {
        let statement = self.io.statement()?;
        if !statement.writes_internal() {
            return Ok(false);
        }
        if statement.failed.is_none() {
            statement.begin_internal()?;
            statement.write(value)?;
        }
        Ok(true)
    }

    /// Ends the statement in progress if it writes to an internal file and has met no condition; whether it does.
    pub(crate) fn end_internal(&mut self, memory: &mut impl WriteBytes) -> Result<bool, Halt> {
        let statement = self.io.statement()?;
        if !statement.writes_internal() || statement.failed.is_some() {
            return Ok(false);
        }
        statement.begin_internal()?;
        let written = statement.finish_work()?;
        write_internal(memory, statement.internal, &written.unwrap_or_default())?;
        self.io.statements.pop();
        Ok(true)
    }
}

/// Puts the records of a statement into its internal file, the last one padded with blanks.
pub(crate) fn write_internal(memory: &mut impl WriteBytes, file: Internal, written: &Written) -> Result<(), Halt> {
    let open = written.partial.as_ref().map(|p| [p.left.as_slice(), p.right.as_slice()].concat());
    let records = written.records.iter().chain(open.as_ref());
    for (i, record) in records.enumerate() {
        if i as u64 >= file.count {
            return Err(Condition::EndOfFile.into());
        }
        if record.len() as u64 > file.length {
            return Err(Condition::Text(text::IoError::RecordTooLong { limit: file.length as usize }).into());
        }
        let at = file.address + i as u64 * file.length;
        storage::write_text(memory, at, file.length, record)?;
    }
    Ok(())
}
