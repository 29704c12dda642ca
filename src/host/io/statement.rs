//! Data transfer statements: READ, WRITE and PRINT from their beginning to their end.
//!
//! `io.begin` puts a [`Statement`] on a stack, options follow, then items, then `io.end`. The work begins with the first
//! item or the end, when all options are known. A condition that the statement does not deal with ends the program at once;
//! one that it deals with makes the rest of its items do nothing and is told by `io.end` (Fortran 2018, 12.11).

use crate::condition::{Condition, OTHER};
use crate::io::IoService;
use crate::io::child::Calling;
use crate::io::file::File;
use crate::io::modes::{MODES, set_mode};
use crate::io::namelist::Group;
use crate::io::unit::{Access, Medium, Unit};
use crate::outside::{Ask, FileKind};
use crate::protocol::Halt;
use crate::storage;
use mem::Memory;
use std::sync::Arc;
use text::{Format, FormatReader, FormatWriter, ListReader, ListWriter, Modes, NamelistReader, NamelistWriter, Target};

/// The unit number that stands for `*`.
pub(crate) const STAR: i64 = -1;
/// The unit number that stands for an internal file.
pub(crate) const INTERNAL: i64 = -2;

/// A data transfer statement in progress.
#[derive(Clone, Debug)]
pub(crate) struct Statement {
    pub(crate) reads: bool,
    pub(crate) form: Form,
    pub(crate) unit: i64,
    pub(crate) catch: i32,
    pub(crate) format: Option<Arc<Format>>,
    pub(crate) internal: Internal,
    pub(crate) advance: bool,
    pub(crate) rec: Option<i64>,
    pub(crate) pos: Option<i64>,
    pub(crate) iomsg: Option<(u64, u64)>,
    pub(crate) size_at: Option<u64>,
    /// The modes that it changes for itself: names and values.
    pub(crate) changes: Vec<(&'static str, String)>,
    /// The group of a namelist statement.
    pub(crate) group: Group,
    pub(crate) work: Work,
    /// The procedure that transfers its current object.
    pub(crate) calling: Calling,
    /// Whether it transfers a part of an object of the statement before it on the stack.
    pub(crate) is_child: bool,
    /// The work of that statement, of which this one has its record.
    pub(crate) lent: Option<Box<Work>>,
    /// The condition that it met and deals with.
    pub(crate) failed: Option<Condition>,
}

/// How items become text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Form {
    /// `*`
    List,
    /// By a format.
    Formatted,
    /// Bytes as they are.
    Unformatted,
    /// A namelist group.
    Namelist,
}

/// Of files that have more bytes than this, only the record that is wanted is read again.
const MOST_READ_AGAIN: usize = 16 << 20;

/// An internal file: records of a character variable or array.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Internal {
    pub(crate) address: u64,
    pub(crate) length: u64,
    pub(crate) count: u64,
    /// The next record.
    pub(crate) next: u64,
}

/// What a statement has come to.
#[derive(Clone, Debug)]
pub(crate) enum Work {
    /// Its options are not complete yet.
    Due,
    ListOut(ListWriter),
    FormatOut(FormatWriter),
    /// Bytes of the record so far, and whether values have their most significant byte first.
    BytesOut(Vec<u8>, bool),
    ListIn(ListReader),
    FormatIn(FormatReader),
    /// The record and how many of its bytes are read.
    BytesIn(Vec<u8>, usize),
    NamelistOut(NamelistWriter),
    NamelistIn(NamelistReader),
    /// It is over but for its end.
    Over,
}

impl Work {
    /// Gives a reader of text the record that it asked for.
    pub(crate) fn feed(&mut self, record: Vec<u8>) {
        match self {
            Work::ListIn(reader) => reader.feed(record),
            Work::FormatIn(reader) => reader.feed(record),
            _ => {}
        }
    }
}

impl Statement {
    /// The modes of its unit with those that it changes.
    pub(crate) fn modes(&self, mut modes: Modes) -> Result<Modes, Condition> {
        for (mode, value) in &self.changes {
            set_mode(&mut modes, mode, value)?;
        }
        Ok(modes)
    }

    /// Sets an option whose values say it all; whether it is one.
    pub(crate) fn set_plain_option(&mut self, option: i32, a: i64, b: i64) -> bool {
        match option {
            0 if a <= 1 => self.advance = a != 0,
            1 => self.rec = Some(a),
            2 => self.pos = Some(a),
            3 => self.iomsg = Some((a as u64, b as u64)),
            4 => self.size_at = Some(a as u64),
            _ => return false,
        }
        true
    }

    /// The unit as a finding names it.
    pub(crate) fn named_unit(&self) -> Option<i64> {
        match self.unit {
            STAR | INTERNAL => None,
            n => Some(n),
        }
    }

    /// The number of the unit in the table.
    pub(crate) fn number(&self) -> i32 {
        match self.unit {
            STAR if self.reads => 5,
            STAR => 6,
            n => i32::try_from(n).unwrap_or(i32::MIN),
        }
    }
}

impl IoService<'_> {
    /// `io.begin`
    pub(crate) fn begin(&mut self, direction: i32, form: i32, unit: i64, catch: i32) {
        let form = match form {
            0 => Form::List,
            1 => Form::Formatted,
            2 => Form::Unformatted,
            _ => Form::Namelist,
        };
        let mut statement = Statement {
            reads: direction == 1,
            form,
            unit,
            catch,
            format: None,
            internal: Internal::default(),
            advance: true,
            rec: None,
            pos: None,
            iomsg: None,
            size_at: None,
            changes: Vec::new(),
            group: Group::default(),
            work: Work::Due,
            calling: Calling::default(),
            is_child: false,
            lent: None,
            failed: None,
        };
        self.adopt(&mut statement);
        self.io.statements.push(statement);
    }

    /// `io.format`
    pub(crate) fn set_format(&mut self, memory: &Memory, address: u64, length: u64) -> Result<(), Halt> {
        // What follows the last parenthesis need not be defined (Fortran 2018, 13.2.2).
        let text = storage::read_copied(memory, address, length)?.0;
        let used = text.iter().rposition(|&c| c == b')').map_or(0, |last| last as u64 + 1);
        storage::read(memory, address, used)?;
        self.take_format(&text)
    }

    /// Takes the text of the format.
    pub(crate) fn take_format(&mut self, text: &[u8]) -> Result<(), Halt> {
        let format = self.io.formats.get(text).map_err(Condition::Format)?;
        self.io.statement()?.format = Some(format);
        Ok(())
    }

    /// `io.option`
    pub(crate) fn set_option(&mut self, memory: &Memory, option: i32, a: i64, b: i64) -> Result<(), Halt> {
        let statement = self.io.statement()?;
        if statement.set_plain_option(option, a, b) {
            return Ok(());
        }
        match option {
            0 => return Err(Condition::Error(201, "`advance=` is neither `yes` nor `no`".to_owned()).into()),
            8..14 => {
                let Some(&mode) = MODES.get(option as usize - 8) else { return Ok(()) };
                let value = storage::read_name(memory, a as u64, b as u64);
                statement.changes.push((mode, value));
            }
            _ => return self.set_group_option(memory, option, a, b),
        }
        Ok(())
    }

    /// Begins the work, once.
    pub(crate) fn start(&mut self, memory: &Memory) -> Result<(), Halt> {
        let statement = self.io.statement()?;
        if !matches!(statement.work, Work::Due) {
            return Ok(());
        }
        if statement.unit == INTERNAL && !statement.is_child {
            return statement.begin_internal();
        }
        let statement = statement.clone();
        let work = if statement.is_child {
            self.begin_child(memory)?
        } else {
            self.connect_default(&statement)?;
            self.begin_external(memory, &statement)?
        };
        self.io.statement()?.work = work;
        Ok(())
    }

    /// Connects a unit that was never opened to its default file, `fort.N`.
    fn connect_default(&mut self, statement: &Statement) -> Result<(), Halt> {
        let number = statement.number();
        if self.io.units.map.contains_key(&number) {
            return Ok(());
        }
        if number < 0 {
            let reason = format!("unit {} is not connected", statement.unit);
            return Err(Condition::Error(212, reason).into());
        }
        let path = format!("fort.{number}");
        let status = self.file_status(&path)?;
        let is_stream = status.kind == Some(FileKind::Stream);
        let contents = if is_stream { Some(Vec::new()) } else { self.read_file(&path)? };
        let exists = contents.is_some();
        let mut file = File::new(path, contents.unwrap_or_default(), exists);
        (file.identity, file.is_unread, file.swaps) = (status.path, is_stream, self.io.swaps_bytes);
        file.seen = (!is_stream).then_some(self.io.others);
        let mut unit = Unit::new(Medium::File(file));
        unit.formatted = statement.form != Form::Unformatted;
        unit.opened_at = self.io.at;
        self.io.units.map.insert(number, unit);
        Ok(())
    }

    /// The contents of a file; `None` if there is none.
    pub(crate) fn read_file(&mut self, path: &str) -> Result<Option<Vec<u8>>, Halt> {
        match self.answers.ask(Ask::ReadFile { path: path.to_owned() })? {
            crate::Answer::File(Ok(contents)) => Ok(contents),
            crate::Answer::File(Err(reason)) => Err(Condition::Error(OTHER, format!("`{path}`: {reason}")).into()),
            _ => Ok(None),
        }
    }

    /// Reads what a pipe has, which OPEN does not: nothing may ever be read from it.
    pub(crate) fn read_pipe(&mut self, number: i32) -> Result<(), Halt> {
        let unread = self.io.units.map.get(&number).and_then(Unit::file).filter(|file| file.is_unread);
        let Some(path) = unread.map(|file| file.identity.clone()) else { return Ok(()) };
        let contents = self.read_file(&path)?.unwrap_or_default();
        if let Some(file) = self.io.units.map.get_mut(&number).and_then(Unit::file_mut) {
            file.fill(contents);
        }
        Ok(())
    }

    /// Reads a file again that others may have written since, where what they have written can be of use: records that have their place.
    fn read_again(&mut self, statement: &Statement) -> Result<(), Halt> {
        let (number, others) = (statement.number(), self.io.others);
        let Some(unit) = self.io.units.map.get(&number).filter(|unit| unit.access != Access::Sequential) else {
            return Ok(());
        };
        let Some(file) = unit.file().filter(|file| !file.scratch && file.seen.is_some_and(|seen| seen != others))
        else {
            return Ok(());
        };
        let (path, is_large) = (file.identity.clone(), file.len() > MOST_READ_AGAIN);
        let record = statement.rec.and_then(|rec| usize::try_from(rec.checked_sub(1)?).ok()).zip(unit.recl);
        self.sync(number)?;
        if let Some((index, recl)) = record.filter(|_| is_large) {
            let at = index.saturating_mul(recl);
            let pieces = [(at as u64, recl as u64)].into();
            if let crate::Answer::File(Ok(Some(bytes))) = self.answers.ask(Ask::ReadPieces { path, pieces })?
                && let Some(file) = self.io.units.map.get_mut(&number).and_then(Unit::file_mut)
            {
                file.renew_part(at, &bytes);
            }
        } else if let Some(contents) = self.read_file(&path)?
            && let Some(file) = self.io.units.map.get_mut(&number).and_then(Unit::file_mut)
        {
            file.renew(contents, others);
        }
        Ok(())
    }

    fn begin_external(&mut self, memory: &Memory, statement: &Statement) -> Result<Work, Halt> {
        let _ = memory;
        let number = statement.number();
        if statement.reads {
            self.read_pipe(number)?;
            self.read_again(statement)?;
        }
        let Some(unit) = self.io.units.map.get_mut(&number) else {
            return Err(Condition::Error(212, "the unit is not connected".to_owned()).into());
        };
        unit.position = None;
        let error = |number, text: &str| Err(Condition::Error(number, text.to_owned()).into());
        if statement.reads && !unit.reads {
            return error(OTHER, "the unit is not connected for input");
        }
        if !statement.reads && !unit.writes {
            return error(204, "the unit is not connected for output");
        }
        if unit.formatted == (statement.form == Form::Unformatted) {
            let (file, is) = if unit.formatted { ("formatted", "unformatted") } else { ("unformatted", "formatted") };
            return error(215, &format!("{is} transfer with a unit that is connected for {file} transfer"));
        }
        if let Some(rec) = statement.rec {
            let Some(recl) = unit.recl.filter(|_| unit.access == Access::Direct) else {
                return error(201, "`rec=` with a unit that is not connected for direct access");
            };
            let Ok(index) = usize::try_from(rec.saturating_sub(1)) else {
                return error(201, "`rec=` is less than 1");
            };
            if let Some(file) = unit.file_mut() {
                file.at = index.saturating_mul(recl);
            }
        } else if unit.access == Access::Direct {
            return error(201, "a unit connected for direct access needs `rec=`");
        }
        if let Some(pos) = statement.pos {
            let Ok(at) = usize::try_from(pos.saturating_sub(1)) else {
                return error(201, "`pos=` is less than 1");
            };
            unit.move_to(at)?;
        }
        let modes = statement.modes(unit.modes)?;
        if statement.reads {
            return self.begin_input(statement, modes);
        }
        // What is written becomes the last record, also of a formatted stream file.
        if (unit.access == Access::Sequential || (unit.access == Access::Stream && unit.formatted))
            && !unit.is_record_open
            && let Some(file) = unit.file_mut()
        {
            file.truncate();
        }
        Ok(match statement.form {
            Form::Formatted => {
                let rest = std::mem::take(&mut unit.rest);
                Work::FormatOut(FormatWriter::begin(format_of(statement)?, modes, rest, unit.recl))
            }
            Form::Unformatted => Work::BytesOut(Vec::new(), unit.file().is_some_and(|f| f.swaps)),
            Form::Namelist => Work::NamelistOut(NamelistWriter::begin(&statement.group.name, modes)),
            Form::List => {
                let target = unit.recl.map_or(Target::Stream, Target::RecordLength);
                Work::ListOut(ListWriter::begin(modes, target))
            }
        })
    }
}

/// The format of a formatted statement.
pub(crate) fn format_of(statement: &Statement) -> Result<Arc<Format>, Halt> {
    let missing = || Condition::Error(OTHER, "a formatted statement without its format".to_owned()).into();
    statement.format.clone().ok_or_else(missing)
}
