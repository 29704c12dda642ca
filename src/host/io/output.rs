//! Output: items into records, records into units and internal files.

use crate::condition::{Condition, OTHER};
use crate::io::internal::write_internal;
use crate::io::statement::{Form, INTERNAL, Statement, Work};
use crate::io::unit::{Access, Medium};
use crate::io::{Io, IoService};
use crate::protocol::{Args, Halt};
use ir::rt::Rt;
use mem::Memory;
use scalar::Ty;
use text::{Value, Written};

impl Statement {
    /// Writes one item. The work has begun.
    pub(crate) fn write(&mut self, value: Value<'_>) -> Result<(), Halt> {
        match &mut self.work {
            Work::ListOut(writer) => writer.item(value)?,
            Work::FormatOut(writer) => writer.item(value)?,
            Work::BytesOut(bytes, swaps) => append_raw(bytes, value, *swaps),
            Work::NamelistOut(writer) => writer.item(value),
            _ => return Err(Condition::Error(OTHER, "output in an input statement".to_owned()).into()),
        }
        Ok(())
    }

    /// Ends the work of a statement that writes text; gives what is written, unless the work is another.
    pub(crate) fn finish_work(&mut self) -> Result<Option<Written>, Halt> {
        let advance = self.advance;
        Ok(Some(match std::mem::replace(&mut self.work, Work::Over) {
            Work::ListOut(writer) => Written { records: writer.finish(), partial: None },
            Work::FormatOut(writer) => writer.finish(advance)?,
            Work::NamelistOut(writer) => Written { records: writer.finish(), partial: None },
            _ => return Ok(None),
        }))
    }
}

impl IoService<'_> {
    /// Writes one item.
    pub(crate) fn put(&mut self, memory: &Memory, value: Value<'_>) -> Result<(), Halt> {
        if self.io.statement()?.failed.is_some() {
            return Ok(());
        }
        self.start(memory)?;
        let statement = self.io.statement()?;
        statement.write(value)?;
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
        if let Work::BytesOut(bytes, _) = &mut statement.work {
            let bytes = std::mem::take(bytes);
            statement.work = Work::Over;
            return self.put_bytes(&bytes);
        }
        let Some(written) = statement.finish_work()? else { return Ok(()) };
        if statement.unit == INTERNAL {
            return write_internal(memory, statement.internal, &written);
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

impl Io {
    /// The item that a service writes; `None` if it is a text, or the service is another.
    pub(crate) fn item(&mut self, rt: Rt, a: Args<'_>) -> Result<Option<Value<'static>>, Halt> {
        let integer = || {
            let ty = Ty::integer(a.int(1) as u64);
            (ty, scalar::bits::canonical(ty, a.bits(0)))
        };
        Ok(Some(match rt {
            Rt::IoPutInt => {
                let (ty, bits) = integer();
                Value::Int { ty, bits }
            }
            Rt::IoPutLogical => {
                let (ty, bits) = integer();
                // As nvfortran does, a test looks at the lowest bit; bytes of an unformatted record stay as they are.
                let bits = if self.statement()?.form == Form::Unformatted { bits } else { bits & 1 };
                Value::Logical { ty, bits }
            }
            Rt::IoPutReal2 => Value::Real { ty: Ty::I16, bits: a.bits(0) & 0xffff },
            Rt::IoPutReal4 => Value::Real { ty: Ty::F32, bits: a.bits(0) },
            Rt::IoPutReal8 => Value::Real { ty: Ty::F64, bits: a.bits(0) },
            Rt::IoPutComplex4 => Value::Complex { ty: Ty::F32, re: a.bits(0), im: a.bits(1) },
            Rt::IoPutComplex8 => Value::Complex { ty: Ty::F64, re: a.bits(0), im: a.bits(1) },
            _ => return Ok(None),
        }))
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
