//! Defined input/output (Fortran 2018, 12.6.4.8): an object of a data transfer statement, the *parent*, is transferred by a
//! procedure of the program, whose own statements on the same unit are its *children*.
//!
//! `io.child` says whether the next object goes to the procedure, and how much there is to tell it; `io.child.text` tells it,
//! and from then on statements on the number that the procedure got are children; `io.child.end` ends this. A child works in the
//! record that its parent is at, which the parent lends to it and gets back at its end (`lent`).
//!
//! Not here: which procedure it is, and its call (`lower::io::item`); the text (`text`).

use crate::condition::{Condition, OTHER};
use crate::io::IoService;
use crate::io::statement::{Form, INTERNAL, STAR, Statement, Work, format_of};
use crate::protocol::Halt;
use crate::storage;
use mem::Memory;
use text::{DerivedEdit, FormatReader, FormatWriter, ListReader, ListWriter, Modes, NamelistWriter, Progress, Target};

/// What a statement knows of the procedure that transfers its current object.
#[derive(Clone, Debug, Default)]
pub(crate) struct Calling {
    /// What the procedure is told: `iotype` and `v_list`.
    told: (Vec<u8>, Vec<i32>),
    /// The number that stands for an internal file, once there is one.
    internal: Option<i32>,
    /// The number of the unit that the procedure got, while it runs.
    running: Option<i32>,
}

impl Calling {
    /// Sets what the procedure is told.
    pub(crate) fn tell(&mut self, iotype: Vec<u8>, values: Vec<i32>) {
        self.told = (iotype, values);
    }
}

impl Statement {
    /// The unit number that a procedure gets for it, while one runs.
    pub(crate) fn running(&self) -> Option<i32> {
        self.calling.running
    }
}

impl IoService<'_> {
    /// `io.child`: 0 if the next object is transferred by its components, −1 if it is not, else the length of `iotype` and one, and the number of
    /// values of `v_list`. `must` says that the object cannot be taken apart.
    pub(crate) fn child(&mut self, memory: &Memory, must: bool) -> Result<[u64; 2], Halt> {
        if self.io.statement()?.failed.is_some() {
            return Ok([u64::MAX, 0]);
        }
        self.start(memory)?;
        let told = loop {
            let statement = self.io.statement()?;
            let edit = match &mut statement.work {
                Work::FormatOut(writer) => Progress::Ready(writer.derived()?),
                Work::FormatIn(reader) => reader.derived()?,
                Work::ListOut(writer) => {
                    writer.begin_item()?;
                    break (b"LISTDIRECTED".to_vec(), Vec::new());
                }
                Work::ListIn(_) => break (b"LISTDIRECTED".to_vec(), Vec::new()),
                Work::NamelistOut(writer) => {
                    writer.begin_item();
                    break (b"NAMELIST".to_vec(), Vec::new());
                }
                _ => break (Vec::new(), Vec::new()),
            };
            match edit {
                Progress::Ready(Some(DerivedEdit { text, values })) => {
                    break ([b"DT", &*text].concat(), values.to_vec());
                }
                Progress::Ready(None) if must => {
                    let reason = "a polymorphic object needs the edit descriptor `dt`".to_owned();
                    return Err(Condition::Error(OTHER, reason).into());
                }
                Progress::Ready(None) => return Ok([0, 0]),
                Progress::NeedRecord => {
                    let record = self.next_record(memory)?;
                    self.io.statement()?.work.feed(record);
                }
            }
        };
        let counts = [told.0.len() as u64 + 1, told.1.len() as u64];
        self.io.statement()?.calling.told = told;
        Ok(counts)
    }

    /// `io.child.text`: puts the unit number, the text of `iotype` and the values of `v_list` where they are to be.
    pub(crate) fn child_text(
        &mut self,
        memory: &mut Memory,
        [unit_at, type_at, list_at]: [u64; 3],
    ) -> Result<(), Halt> {
        let statement = self.io.statement()?;
        let unit = match (statement.unit, statement.calling.internal) {
            (INTERNAL, Some(number)) => number,
            (INTERNAL, None) => self.io.units.new_number(),
            _ => statement.number(),
        };
        let statement = self.io.statement()?;
        if statement.unit == INTERNAL {
            statement.calling.internal = Some(unit);
        }
        statement.calling.running = Some(unit);
        let (iotype, values) = std::mem::take(&mut statement.calling.told);
        storage::write(memory, unit_at, &unit.to_le_bytes())?;
        if !iotype.is_empty() {
            storage::write(memory, type_at, &iotype)?;
        }
        if !values.is_empty() {
            let bytes: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
            storage::write(memory, list_at, &bytes)?;
        }
        Ok(())
    }

    /// `io.child.end`: the procedure has returned with this `iostat`, and `iomsg` at an address.
    pub(crate) fn child_end(&mut self, memory: &mut Memory, iostat: i32, message: (u64, u64)) -> Result<(), Halt> {
        let statement = self.io.statement()?;
        statement.calling.running = None;
        let text = storage::read(memory, message.0, message.1)?;
        let text = String::from_utf8_lossy(text.trim_ascii_end()).into_owned();
        if iostat == 0 {
            // What the procedure says without an error is told too, as by gfortran.
            if let (Some((address, length)), false) = (statement.iomsg, text.is_empty()) {
                storage::write_text(memory, address, length, text.as_bytes())?;
            }
            return Ok(());
        }
        Err(Condition::Defined(iostat, text).into())
    }

    /// Makes a statement that begins on the unit of a running procedure the child of the statement which that belongs to.
    pub(crate) fn adopt(&mut self, child: &mut Statement) {
        let Some(parent) = self.io.statements.last() else { return };
        let given = if child.unit == STAR { i64::from(child.number()) } else { child.unit };
        if child.unit == INTERNAL || parent.running().map(i64::from) != Some(given) {
            return;
        }
        child.is_child = true;
        (child.unit, child.internal) = (parent.unit, parent.internal);
    }

    /// The error of a statement that may not meet a unit on which a procedure transfers an object.
    pub(crate) fn check_not_parent(&self, unit: i64) -> Result<(), Halt> {
        let is_it = |s: &Statement| s.running().map(i64::from) == Some(unit);
        if unit != INTERNAL && self.io.statements.iter().any(is_it) {
            let reason = "the unit is in use by the statement whose object is being transferred".to_owned();
            return Err(Condition::Error(OTHER, reason).into());
        }
        Ok(())
    }

    /// Whether a number stands for an internal file in a procedure that transfers an object of it.
    pub(crate) fn is_internal_number(&self, unit: i64) -> bool {
        let is_it = |s: &Statement| s.unit == INTERNAL && s.running().map(i64::from) == Some(unit);
        self.io.statements.iter().any(is_it)
    }

    /// Begins the work of a child: the parent lends it what it has.
    pub(crate) fn begin_child(&mut self, memory: &Memory) -> Result<Work, Halt> {
        let error = |text: &str| Condition::Error(OTHER, text.to_owned()).into();
        loop {
            let [.., parent, child] = self.io.statements.as_mut_slice() else {
                return Err(error("a statement without its parent"));
            };
            if parent.reads != child.reads {
                return Err(error(if parent.reads {
                    "output within an input statement"
                } else {
                    "input within an output statement"
                }));
            }
            if child.rec.is_some() || child.pos.is_some() {
                return Err(error("`rec=` and `pos=` are not for a statement that transfers a part of an object"));
            }
            let mut work = std::mem::replace(&mut parent.work, Work::Over);
            let begun = match lend(&mut work, child) {
                // A child that has no work of its own has all of the parent's.
                Ok(Some(Work::Due)) => {
                    parent.work = Work::Over;
                    return Ok(work);
                }
                other => other,
            };
            match begun {
                Ok(Some(begun)) => {
                    child.lent = Some(Box::new(work));
                    return Ok(begun);
                }
                Ok(None) => {
                    // The parent has no record yet.
                    parent.work = work;
                    let record = self.next_record(memory)?;
                    let [.., parent, _] = self.io.statements.as_mut_slice() else { return Ok(Work::Over) };
                    parent.work.feed(record);
                }
                Err(halt) => {
                    parent.work = work;
                    return Err(halt);
                }
            }
        }
    }

    /// Ends the work of the child that is last: the parent gets back what it lent.
    pub(crate) fn end_child(&mut self) -> Result<(), Halt> {
        let [.., parent, child] = self.io.statements.as_mut_slice() else { return Ok(()) };
        let work = std::mem::replace(&mut child.work, Work::Over);
        parent.internal = child.internal;
        let Some(lent) = child.lent.take() else {
            if !matches!(work, Work::Due | Work::Over) {
                parent.work = work;
            }
            return Ok(());
        };
        parent.work = *lent;
        let text = |error: text::IoError| Halt::from(Condition::Text(error));
        match (&mut parent.work, work) {
            (Work::FormatOut(to), Work::FormatOut(from)) => to.regain(from.give_back().map_err(text)?),
            (Work::FormatOut(to), Work::ListOut(from)) => to.regain(from.give_back()),
            (Work::ListOut(to), Work::FormatOut(from)) => to.regain(from.give_back().map_err(text)?),
            (Work::ListOut(to), Work::ListOut(from)) => to.regain(from.give_back()),
            (Work::NamelistOut(to), Work::FormatOut(from)) => to.regain(from.give_back().map_err(text)?),
            (Work::NamelistOut(to), Work::ListOut(from)) => to.regain(from.give_back()),
            (Work::FormatIn(to), Work::FormatIn(mut from)) => {
                to.add_count(from.count());
                to.regain(from.lend());
            }
            (Work::FormatIn(to), Work::ListIn(mut from)) => {
                let spent = from.is_spent();
                to.regain_from_list(from.place(), spent);
            }
            (Work::NamelistIn(to), Work::FormatIn(mut from)) => to.regain(from.lend()),
            (Work::NamelistIn(to), Work::ListIn(mut from)) => to.regain(from.place()),
            (Work::ListIn(to), Work::FormatIn(mut from)) => to.regain(from.lend()),
            (Work::ListIn(to), Work::ListIn(from)) => *to = ListReader::after(from, to.modes()),
            _ => {}
        }
        Ok(())
    }
}

/// What a child begins with: `Due` stands for all of the parent's work, none for a record that the parent must have first.
fn lend(work: &mut Work, child: &Statement) -> Result<Option<Work>, Halt> {
    let error = |text: &str| Condition::Error(OTHER, text.to_owned()).into();
    let modes = |modes: Modes| child.modes(modes);
    let is_unformatted = matches!(work, Work::BytesOut(..) | Work::BytesIn(..));
    if is_unformatted != (child.form == Form::Unformatted) {
        let (own, parents) = if is_unformatted { ("formatted", "unformatted") } else { ("unformatted", "formatted") };
        return Err(error(&format!("{own} transfer of a part of an object within {parents} transfer")));
    }
    if child.form == Form::Namelist {
        return Err(error("a namelist group as a part of an object is not supported"));
    }
    let is_list = child.form == Form::List;
    Ok(Some(match work {
        Work::BytesOut(..) | Work::BytesIn(..) => Work::Due,
        Work::FormatOut(writer) => {
            let (modes, records) = (modes(writer.modes())?, writer.lend());
            begin_output(child, modes, target(child), records)?
        }
        Work::ListOut(writer) => {
            let (modes, target) = (modes(writer.modes())?, writer.target());
            begin_output(child, modes, target, writer.lend())?
        }
        Work::NamelistOut(writer) => {
            let modes = modes(NamelistWriter::modes(writer))?;
            begin_output(child, modes, target(child), writer.lend()?)?
        }
        Work::FormatIn(reader) => {
            let modes = modes(reader.modes())?;
            if is_list {
                Work::ListIn(ListReader::within(modes, reader.lend()))
            } else {
                let format = format_of(child)?;
                match reader.lend_to_format() {
                    Progress::Ready(place) => Work::FormatIn(FormatReader::within(format, modes, place)),
                    Progress::NeedRecord => return Ok(None),
                }
            }
        }
        Work::NamelistIn(reader) => {
            let modes = modes(reader.modes())?;
            if is_list {
                Work::ListIn(ListReader::within(modes, reader.lend()))
            } else {
                let format = format_of(child)?;
                Work::FormatIn(FormatReader::within(format, modes, reader.lend()))
            }
        }
        Work::ListIn(reader) => {
            let modes = modes(reader.modes())?;
            if is_list {
                Work::ListIn(ListReader::after(reader.clone(), modes))
            } else {
                let format = format_of(child)?;
                match reader.lend() {
                    Progress::Ready(place) => Work::FormatIn(FormatReader::within(format, modes, place)),
                    Progress::NeedRecord => return Ok(None),
                }
            }
        }
        _ => return Err(error("a statement whose parent transfers nothing")),
    }))
}

fn begin_output(child: &Statement, modes: Modes, target: Target, records: text::Records) -> Result<Work, Halt> {
    Ok(match child.form {
        Form::List => Work::ListOut(ListWriter::within(modes, target, records)),
        _ => Work::FormatOut(FormatWriter::within(format_of(child)?, modes, records)),
    })
}

/// Where list-directed output of a child of a formatted statement goes.
fn target(child: &Statement) -> Target {
    match child.unit {
        INTERNAL => Target::Internal(child.internal.length as usize),
        _ => Target::Stream,
    }
}
