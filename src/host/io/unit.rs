//! Units: what a program's unit numbers are connected to, and how.

use crate::condition::Condition;
use crate::io::file::File;
use crate::outside::Stream;
use source::Span;
use std::collections::BTreeMap;
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

/// A unit that is connected.
#[derive(Clone, Debug)]
pub(crate) struct Unit {
    pub(crate) medium: Medium,
    pub(crate) formatted: bool,
    pub(crate) access: Access,
    pub(crate) reads: bool,
    pub(crate) writes: bool,
    pub(crate) recl: Option<usize>,
    /// Whether the file is deleted when the unit is closed.
    pub(crate) deletes: bool,
    /// Whether it is connected for asynchronous transfers.
    pub(crate) is_asynchronous: bool,
    /// Whether it was opened with `encoding='utf-8'`, which only INQUIRE knows of.
    pub(crate) is_utf8: bool,
    pub(crate) modes: Modes,
    /// What stands right of the position after output without advance.
    pub(crate) rest: Vec<u8>,
    /// Whether output without advance has begun a record.
    pub(crate) is_record_open: bool,
    /// Where input without advance left its record.
    pub(crate) place: Option<Place>,
    /// Where in the file the last record begins that was read.
    pub(crate) record_at: usize,
    /// The `position=` that it was connected with, as long as it stands there.
    pub(crate) position: Option<&'static str>,
    /// Whether the last read met the end of the file.
    pub(crate) is_past_end: bool,
    /// Whether ENDFILE was the last thing done: the unit stands behind the endfile record.
    pub(crate) is_ended: bool,
    /// The statement that connected it.
    pub(crate) opened_at: Span,
}

/// All units of a program.
#[derive(Clone, Debug)]
pub(crate) struct Units {
    pub(crate) map: BTreeMap<i32, Unit>,
    next_new: i32,
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
            deletes: false,
            is_asynchronous: false,
            is_utf8: false,
            modes: Modes::default(),
            rest: Vec::new(),
            is_record_open: false,
            place: None,
            record_at: 0,
            position: None,
            is_past_end: false,
            is_ended: false,
            opened_at: Span::NONE,
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

    /// The condition of a sequential read where no record is left: the end of the file, once.
    pub(crate) fn end_of_file(&mut self) -> Condition {
        if std::mem::replace(&mut self.is_past_end, true) {
            return Condition::Error(217, "the end of the file was passed before".to_owned());
        }
        Condition::EndOfFile
    }

    /// Moves a stream file to a byte, out of the record in which a statement without advance has left it.
    pub(crate) fn move_to(&mut self, at: usize) -> Result<(), Condition> {
        let rest = std::mem::take(&mut self.rest);
        (self.is_record_open, self.place) = (false, None);
        if let Some(file) = self.file_mut() {
            if !rest.is_empty() {
                file.put(&rest)?;
            }
            file.at = at;
        }
        Ok(())
    }

    /// The byte at which a stream file stands.
    pub(crate) fn stands_at(&self) -> usize {
        match &self.place {
            Some(place) => self.record_at + place.at,
            None => self.file().map_or(0, |file| file.at),
        }
    }

    /// Ends a record that output without advance has left open; a file gets its line end.
    pub(crate) fn end_record(&mut self) -> Result<(), Condition> {
        let open = std::mem::take(&mut self.is_record_open);
        let rest = std::mem::take(&mut self.rest);
        self.place = None;
        if let (true, Some(file)) = (open, self.file_mut()) {
            file.put(&rest)?;
            file.put(b"\n")?;
        }
        Ok(())
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

    /// The unit that a file is connected to, by its one name.
    pub(crate) fn connected_to(&self, identity: &str) -> Option<i32> {
        let is_it = |u: &Unit| u.file().is_some_and(|f| !f.scratch && f.identity == identity);
        self.map.iter().find(|(_, u)| is_it(u)).map(|(&n, _)| n)
    }
}
