//! Input: records from units and internal files, values into the program's memory.

use crate::condition::{Condition, OTHER};
use crate::io::IoService;
use crate::io::statement::{Form, INTERNAL, Statement, Work, format_of};
use crate::io::unit::{Access, Medium, Unit};
use crate::outside::{Answer, Ask};
use crate::protocol::Halt;
use crate::storage;
use mem::Memory;
use scalar::Ty;
use text::{Datum, FormatReader, IoError, ListReader, Modes, NamelistReader, Progress, Want, real_type};

/// An object to be read into.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Object {
    /// 0 integer, 1 real, 2 complex, 3 logical, 4 character, 5 what a procedure reads, whose number is the kind.
    pub(crate) class: i32,
    /// Its kind.
    pub(crate) kind: i32,
    /// Where it is.
    pub(crate) address: u64,
    /// Length of a character.
    pub(crate) length: u64,
}

impl Object {
    pub(crate) fn want(&self) -> Want {
        match self.class {
            0 => Want::Int(Ty::integer(self.kind as u64)),
            1 => Want::Real(real_type(self.kind as u64)),
            2 => Want::Complex(real_type(self.kind as u64)),
            3 => Want::Logical(Ty::integer(self.kind as u64)),
            5 => Want::Defined,
            _ => Want::Char(self.length as usize),
        }
    }

    fn bytes(&self) -> usize {
        match self.want() {
            Want::Int(ty) | Want::Real(ty) | Want::Logical(ty) => ty.bytes() as usize,
            Want::Complex(ty) => 2 * ty.bytes() as usize,
            Want::Char(n) => n,
            Want::Defined => 0,
        }
    }

    /// Bytes of the words that it is made of, which `convert=` turns round.
    fn swapped(&self) -> usize {
        match self.want() {
            Want::Int(ty) | Want::Real(ty) | Want::Logical(ty) | Want::Complex(ty) => ty.bytes() as usize,
            Want::Char(_) | Want::Defined => 1,
        }
    }

    pub(crate) fn store(&self, memory: &mut Memory, datum: &Datum) -> Result<(), Halt> {
        let word = |ty: Ty, bits: u64| bits.to_le_bytes()[..ty.bytes() as usize].to_vec();
        let bytes = match (self.want(), datum) {
            // .true. has all its bits set in memory.
            (Want::Logical(ty), Datum::Bits(bits)) => word(ty, if *bits != 0 { u64::MAX } else { 0 }),
            (Want::Int(ty) | Want::Real(ty), Datum::Bits(bits)) => word(ty, *bits),
            (Want::Complex(ty), Datum::Complex(re, im)) => [word(ty, *re), word(ty, *im)].concat(),
            (Want::Char(_), Datum::Char(text)) => {
                return Ok(storage::write_text(memory, self.address, self.length, text)?);
            }
            _ => return Err(Condition::Error(OTHER, "a value of another type was read".to_owned()).into()),
        };
        Ok(storage::write(memory, self.address, &bytes)?)
    }
}

impl IoService<'_> {
    /// Begins an input statement of a unit.
    pub(crate) fn begin_input(&mut self, statement: &Statement, modes: Modes) -> Result<Work, Halt> {
        let number = statement.number();
        let Some(unit) = self.io.units.map.get_mut(&number) else { return Ok(Work::Over) };
        match statement.form {
            Form::Namelist => Ok(Work::NamelistIn(NamelistReader::begin(&statement.group.name, modes))),
            Form::List => {
                let mut reader = ListReader::begin(modes);
                if let Some(place) = unit.place.take() {
                    reader.feed(place.record.get(place.at..).unwrap_or_default().to_vec());
                }
                Ok(Work::ListIn(reader))
            }
            Form::Formatted => {
                let place = unit.place.take();
                Ok(Work::FormatIn(FormatReader::begin(format_of(statement)?, modes, place)))
            }
            Form::Unformatted => {
                let (access, recl) = (unit.access, unit.recl);
                let Some(file) = unit.file_mut() else {
                    return Err(Condition::Error(OTHER, "unformatted input of a terminal".to_owned()).into());
                };
                let record = match access {
                    Access::Sequential if file.at >= file.len() => return Err(unit.end_of_file().into()),
                    Access::Sequential => file.marked()?,
                    Access::Direct if file.at >= file.len() => return Err(no_record().into()),
                    Access::Direct => file.take(recl.unwrap_or(0)),
                    // The bytes are taken one item after another.
                    Access::Stream => Vec::new(),
                };
                Ok(Work::BytesIn(record, 0))
            }
        }
    }

    /// Reads one item.
    pub(crate) fn get(&mut self, memory: &mut Memory, object: Object) -> Result<(), Halt> {
        if self.io.statement()?.failed.is_some() {
            return Ok(());
        }
        self.start(memory)?;
        let statement = self.io.statement()?;
        if statement.form == Form::Namelist {
            statement.group.add(object);
            return Ok(());
        }
        let want = object.want();
        loop {
            let statement = self.io.statement()?;
            let progress = match &mut statement.work {
                Work::ListIn(reader) => match reader.item(want)? {
                    Progress::Ready(None) => return Ok(()),
                    Progress::Ready(Some(datum)) => Progress::Ready(datum),
                    Progress::NeedRecord => Progress::NeedRecord,
                },
                Work::FormatIn(reader) => {
                    let is_held = !statement.advance || statement.is_child;
                    let progress = match reader.item(want) {
                        // `pad='no'` (Fortran 2018, 12.6.4.5.3).
                        Err(IoError::EndOfRecord) if is_held => return Err(Condition::EndOfRecord.into()),
                        progress => progress?,
                    };
                    if reader.ended_short() && is_held {
                        if let Progress::Ready(datum) = &progress {
                            object.store(memory, datum)?;
                        }
                        return Err(Condition::EndOfRecord.into());
                    }
                    progress
                }
                Work::BytesIn(..) => return self.get_bytes(memory, object),
                _ => return Err(Condition::Error(OTHER, "input in an output statement".to_owned()).into()),
            };
            match progress {
                Progress::Ready(datum) => return object.store(memory, &datum),
                Progress::NeedRecord => {
                    let record = self.next_record(memory)?;
                    self.io.statement()?.work.feed(record);
                }
            }
        }
    }

    fn get_bytes(&mut self, memory: &mut Memory, object: Object) -> Result<(), Halt> {
        let n = object.bytes();
        let swapped = object.swapped();
        let number = self.io.statement()?.number();
        let is_stream = self.io.units.map.get(&number).is_some_and(|u| u.access == Access::Stream);
        let swaps = self.io.units.map.get(&number).and_then(Unit::file).is_some_and(|f| f.swaps);
        let mut bytes = if is_stream {
            let file = self.io.units.map.get_mut(&number).and_then(|u| u.file_mut());
            let bytes = file.map_or_else(Vec::new, |f| f.take(n));
            if bytes.len() < n {
                return Err(Condition::EndOfFile.into());
            }
            bytes
        } else {
            let Work::BytesIn(record, at) = &mut self.io.statement()?.work else { return Ok(()) };
            let Some(bytes) = record.get(*at..*at + n).map(<[u8]>::to_vec) else {
                return Err(Condition::Error(218, "more is read than the record holds".to_owned()).into());
            };
            *at += n;
            bytes
        };
        if swaps {
            bytes.chunks_exact_mut(swapped).for_each(<[u8]>::reverse);
        }
        Ok(storage::write(memory, object.address, &bytes)?)
    }

    /// The next record of the statement's file.
    pub(crate) fn next_record(&mut self, memory: &Memory) -> Result<Vec<u8>, Halt> {
        let statement = self.io.statement()?;
        if statement.unit == INTERNAL {
            let file = &mut statement.internal;
            if file.next >= file.count {
                return Err(Condition::EndOfFile.into());
            }
            let record = storage::read(memory, file.address + file.next * file.length, file.length)?;
            file.next += 1;
            return Ok(record);
        }
        let number = statement.number();
        let Some(unit) = self.io.units.map.get_mut(&number) else { return Err(Condition::EndOfFile.into()) };
        let (access, recl) = (unit.access, unit.recl);
        match &mut unit.medium {
            Medium::File(file) if access == Access::Direct => {
                if file.at >= file.len() {
                    return Err(no_record().into());
                }
                Ok(file.take(recl.unwrap_or(0)))
            }
            Medium::File(file) => {
                unit.record_at = file.at;
                match file.line() {
                    Some(line) => Ok(line),
                    None => Err(unit.end_of_file().into()),
                }
            }
            Medium::Stdin => match self.answers.ask_once(Ask::ReadLine)? {
                Answer::Line(Some(line)) => Ok(line),
                _ => Err(Condition::EndOfFile.into()),
            },
            Medium::Out(_) => Err(Condition::Error(OTHER, "the unit is not connected for input".to_owned()).into()),
        }
    }

    /// Ends a statement that reads a part of an object: the rest of its format is done, and its record stays as it is.
    fn finish_child_input(&mut self, memory: &mut Memory) -> Result<(), Halt> {
        loop {
            let statement = self.io.statement()?;
            let Work::FormatIn(reader) = &mut statement.work else { return Ok(()) };
            match reader.finish(false)? {
                Progress::Ready(place) => {
                    let size = (reader.count() as u32).to_le_bytes();
                    reader.regain(place.unwrap_or_default());
                    if let Some(at) = statement.size_at {
                        storage::write(memory, at, &size)?;
                    }
                    return Ok(());
                }
                Progress::NeedRecord => {
                    let record = self.next_record(memory)?;
                    self.io.statement()?.work.feed(record);
                }
            }
        }
    }

    /// Ends an input statement.
    pub(crate) fn finish_input(&mut self, memory: &mut Memory) -> Result<(), Halt> {
        if self.io.statement()?.is_child {
            return self.finish_child_input(memory);
        }
        if matches!(self.io.statement()?.work, Work::NamelistIn(_)) {
            return self.finish_namelist(memory);
        }
        loop {
            let statement = self.io.statement()?;
            let advance = statement.advance;
            let place = match &mut statement.work {
                Work::ListIn(reader) => match reader.finish() {
                    Progress::Ready(()) => Progress::Ready(None),
                    Progress::NeedRecord => Progress::NeedRecord,
                },
                Work::FormatIn(reader) => reader.finish(advance)?,
                _ => Progress::Ready(None),
            };
            match place {
                Progress::NeedRecord => {
                    let record = self.next_record(memory)?;
                    self.io.statement()?.work.feed(record);
                }
                Progress::Ready(place) => {
                    let statement = self.io.statement()?;
                    let number = statement.number();
                    if let (Work::FormatIn(reader), Some(at)) = (&statement.work, statement.size_at) {
                        let size = reader.count() as u32;
                        storage::write(memory, at, &size.to_le_bytes())?;
                    }
                    statement.work = Work::Over;
                    if let Some(unit) = self.io.units.map.get_mut(&number) {
                        unit.place = place;
                    }
                    return Ok(());
                }
            }
        }
    }
}

/// The condition of a direct read of a record that was never written: an error, and not the end of the file.
fn no_record() -> Condition {
    Condition::Error(253, "the record that is read was not written before".to_owned())
}
