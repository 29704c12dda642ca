//! Output: items into records, records into units and internal files.

use crate::condition::{Condition, OTHER};
use crate::io::IoService;
use crate::io::statement::{INTERNAL, Statement, Work};
use crate::io::unit::{Access, Medium};
use crate::protocol::Halt;
use crate::storage;
use mem::Memory;
use scalar::Ty;
use text::{Value, Written};

impl IoService<'_> {
    /// Writes one item.
    pub(crate) fn put(&mut self, memory: &Memory, value: Value<'_>) -> Result<(), Halt> {
        if self.io.statement()?.failed.is_some() {
            return Ok(());
        }
        self.start(memory)?;
        let statement = self.io.statement()?;
        match &mut statement.work {
            Work::ListOut(writer) => writer.item(value)?,
            Work::FormatOut(writer) => writer.item(value)?,
            Work::BytesOut(bytes, swaps) => append_raw(bytes, value, *swaps),
            Work::NamelistOut(writer) => writer.item(value),
            _ => return Err(Condition::Error(OTHER, "output in an input statement".to_owned()).into()),
        }
        // A long list must not be held whole.
        let ready = match &mut statement.work {
            Work::ListOut(writer) if statement.unit != INTERNAL => writer.take_records(),
            Work::FormatOut(writer) if statement.unit != INTERNAL => writer.take_records(),
            _ => Vec::new(),
        };
        if ready.is_empty() {
            return Ok(());
        }
        let number = statement.number();
        self.put_records(number, ready)
    }

    /// Ends an output statement.
    pub(crate) fn finish_output(&mut self, memory: &mut Memory) -> Result<(), Halt> {
        let statement = self.io.statement()?;
        if statement.is_child {
            // Its record goes back to the statement that lent it.
            return Ok(());
        }
        let advance = statement.advance;
        let work = std::mem::replace(&mut statement.work, Work::Over);
        let written = match work {
            Work::ListOut(writer) => Written { records: writer.finish(), partial: None },
            Work::FormatOut(writer) => writer.finish(advance)?,
            Work::BytesOut(bytes, _) => return self.put_bytes(&bytes),
            Work::NamelistOut(writer) => Written { records: writer.finish(), partial: None },
            _ => return Ok(()),
        };
        let statement = statement.clone();
        if statement.unit == INTERNAL {
            return write_internal(memory, &statement, &written);
        }
        let number = statement.number();
        self.put_records(number, written.records)?;
        if let Some(partial) = written.partial {
            self.put_text(number, &partial.left)?;
            if let Some(unit) = self.io.units.map.get_mut(&number) {
                unit.is_record_open = true;
                unit.rest = partial.right;
            }
        }
        Ok(())
    }

    /// Puts whole records into a unit.
    fn put_records(&mut self, number: i32, records: Vec<Vec<u8>>) -> Result<(), Halt> {
        let Some(unit) = self.io.units.map.get_mut(&number) else { return Ok(()) };
        unit.is_ended = false;
        if unit.access == Access::Direct {
            let recl = unit.recl.unwrap_or(0);
            for record in records {
                if record.len() > recl {
                    return Err(Condition::Text(text::IoError::RecordTooLong { limit: recl }).into());
                }
                if let Some(file) = unit.file_mut() {
                    file.put_padded(&record, recl, b' ')?;
                }
            }
            return Ok(());
        }
        let mut bytes = Vec::new();
        if !records.is_empty() {
            unit.is_record_open = false;
            // What a statement without advance left right of its position, and this one did not take up.
            bytes.append(&mut unit.rest);
        }
        for record in records {
            bytes.extend_from_slice(&record);
            bytes.push(b'\n');
        }
        self.put_text(number, &bytes)
    }

    fn put_text(&mut self, number: i32, bytes: &[u8]) -> Result<(), Halt> {
        let Some(unit) = self.io.units.map.get_mut(&number) else { return Ok(()) };
        match &mut unit.medium {
            Medium::File(file) => file.put(bytes)?,
            Medium::Out(stream) => {
                let stream = *stream;
                self.io.send(stream, bytes);
            }
            Medium::Stdin => {}
        }
        Ok(())
    }

    fn put_bytes(&mut self, bytes: &[u8]) -> Result<(), Halt> {
        let number = self.io.statement()?.number();
        let Some(unit) = self.io.units.map.get_mut(&number) else { return Ok(()) };
        unit.is_ended = false;
        let (access, recl) = (unit.access, unit.recl);
        if let Some(limit) = recl.filter(|&n| access != Access::Stream && bytes.len() > n) {
            return Err(Condition::Text(text::IoError::RecordTooLong { limit }).into());
        }
        match (&mut unit.medium, access) {
            (Medium::File(file), Access::Sequential) => file.put_marked(bytes)?,
            (Medium::File(file), Access::Stream) => file.put(bytes)?,
            (Medium::File(file), Access::Direct) => file.put_padded(bytes, recl.unwrap_or(0), 0)?,
            (Medium::Out(stream), _) => {
                let stream = *stream;
                self.io.send(stream, bytes);
            }
            (Medium::Stdin, _) => {}
        }
        Ok(())
    }
}

/// The bytes of an item as they stand in memory, or each word the other way round.
fn append_raw(out: &mut Vec<u8>, value: Value<'_>, swaps: bool) {
    let mut word = |ty: Ty, bits: u64| {
        let at = out.len();
        out.extend_from_slice(&bits.to_le_bytes()[..ty.bytes() as usize]);
        if swaps {
            out[at..].reverse();
        }
    };
    match value {
        Value::Int { ty, bits } | Value::Real { ty, bits } | Value::Logical { ty, bits } => word(ty, bits),
        Value::Complex { ty, re, im } => {
            word(ty, re);
            word(ty, im);
        }
        Value::Char(text) => out.extend_from_slice(text),
    }
}

/// Puts the records of a statement into its internal file, the last one padded with blanks.
fn write_internal(memory: &mut Memory, statement: &Statement, written: &Written) -> Result<(), Halt> {
    let file = statement.internal;
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
