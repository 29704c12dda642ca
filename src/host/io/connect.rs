//! OPEN, CLOSE and the positioning statements (Fortran 2018, 12.5 and 12.8).
//!
//! OPEN takes its specifiers as lines `key=value`; the keys are Fortran's, and besides `catch` (the bits of `io.begin`) and
//! `iomsg` (address and length of the variable, with a blank between). Values of unknown keys are errors, so that nothing is
//! dropped in silence.

use crate::condition::{Condition, OTHER};
use crate::io::IoService;
use crate::io::file::File;
use crate::io::modes::{bad, choose, set_mode};
use crate::io::unit::{Access, Medium, Unit};
use crate::outside::{Answer, Ask, FileKind, FileStatus, Stream};
use crate::protocol::Halt;
use crate::storage;
use finding::HostFault;
use mem::Memory;
use source::Span;
use std::sync::Arc;
use text::Modes;

/// The specifiers of an OPEN.
#[derive(Clone, Debug)]
struct Specifiers {
    file: Option<String>,
    status: String,
    access: Access,
    formatted: bool,
    recl: Option<usize>,
    is_asynchronous: bool,
    is_utf8: bool,
    reads: bool,
    writes: bool,
    has_action: bool,
    append: bool,
    /// Whether the file is deleted when the unit is closed, by `dispose=`.
    deletes: bool,
    has_dispose: bool,
    position: &'static str,
    /// The changeable modes that it names, and their values.
    modes: Vec<(String, String)>,
    /// Whether unformatted values have their most significant byte first; `None` if the program does not say.
    swaps: Option<bool>,
    catch: i32,
    iomsg: Option<(u64, u64)>,
}

impl Specifiers {
    fn parse(text: &str) -> (Specifiers, Option<Condition>) {
        let mut s = Specifiers {
            file: None,
            status: "unknown".to_owned(),
            access: Access::Sequential,
            formatted: true,
            recl: None,
            is_asynchronous: false,
            is_utf8: false,
            reads: true,
            writes: true,
            has_action: false,
            append: false,
            deletes: false,
            has_dispose: false,
            position: "ASIS",
            modes: Vec::new(),
            swaps: None,
            catch: 0,
            iomsg: None,
        };
        let mut form = None;
        let mut failed = None;
        for line in text.lines() {
            let Some((key, value)) = line.split_once('=') else { continue };
            let value = value.trim_end();
            if let Err(condition) = s.set(key, value, &mut form) {
                failed.get_or_insert(condition);
            }
        }
        s.formatted = form.unwrap_or(s.access == Access::Sequential);
        (s, failed)
    }

    fn set(&mut self, key: &str, value: &str, form: &mut Option<bool>) -> Result<(), Condition> {
        let lower = value.trim().to_ascii_lowercase();
        let bad = || bad(key, value.trim());
        if set_mode(&mut Modes::default(), key, value)? {
            self.modes.push((key.to_owned(), value.to_owned()));
            return Ok(());
        }
        match key {
            "file" => self.file = Some(value.to_owned()),
            "status" => match lower.as_str() {
                "old" | "new" | "scratch" | "replace" | "unknown" => self.status = lower,
                _ => return Err(bad()),
            },
            "access" => {
                self.access = match lower.as_str() {
                    "sequential" => Access::Sequential,
                    "direct" => Access::Direct,
                    "stream" => Access::Stream,
                    "append" => {
                        self.append = true;
                        Access::Sequential
                    }
                    _ => return Err(bad()),
                }
            }
            "form" => {
                *form = Some(match lower.as_str() {
                    "formatted" => true,
                    "unformatted" | "binary" => false,
                    _ => return Err(bad()),
                });
                if lower == "binary" {
                    self.access = Access::Stream;
                }
            }
            "recl" => match lower.parse::<usize>() {
                Ok(n) if n > 0 => self.recl = Some(n),
                _ => return Err(bad()),
            },
            "action" => {
                self.has_action = true;
                (self.reads, self.writes) = match lower.as_str() {
                    "read" => (true, false),
                    "write" => (false, true),
                    "readwrite" => (true, true),
                    _ => return Err(bad()),
                }
            }
            "dispose" => {
                self.has_dispose = true;
                self.deletes = choose(&lower, &[("keep", false), ("save", false), ("delete", true)]).ok_or_else(bad)?;
            }
            "position" => {
                let table = [("asis", "ASIS"), ("rewind", "REWIND"), ("append", "APPEND")];
                self.position = choose(&lower, &table).ok_or_else(bad)?;
                self.append |= lower == "append";
            }
            "convert" => {
                let table = [("native", false), ("little_endian", false), ("big_endian", true), ("swap", true)];
                self.swaps = Some(choose(&lower, &table).ok_or_else(bad)?);
            }
            // Characters are bytes here as they are with nvfortran.
            "encoding" => {
                self.is_utf8 = choose(&lower, &[("default", false), ("utf-8", true)]).ok_or_else(bad)?;
            }
            // Every transfer is over when its statement is: only INQUIRE knows of it.
            "asynchronous" => {
                self.is_asynchronous = choose(&lower, &[("yes", true), ("no", false)]).ok_or_else(bad)?;
            }
            "catch" => self.catch = lower.parse().unwrap_or(0),
            "iomsg" => {
                let mut parts = lower.split(' ').filter_map(|p| p.parse::<u64>().ok());
                self.iomsg = parts.next().zip(parts.next());
            }
            _ => return Err(Condition::Error(201, format!("`{key}=` is not a specifier of `open`"))),
        }
        Ok(())
    }

    /// Modes with those that it names; the others stay (Fortran 2018, 12.5.6.1).
    fn changed(&self, mut modes: Modes) -> Modes {
        for (key, value) in &self.modes {
            // Bad values were found when the specifiers were read.
            let _ = set_mode(&mut modes, key, value);
        }
        modes
    }
}

/// A condition of a statement other than a transfer: its number, if the statement deals with it.
fn settle(
    memory: &mut Memory,
    condition: &Condition,
    catch: i32,
    iomsg: Option<(u64, u64)>,
    unit: Option<i64>,
) -> Result<i32, Halt> {
    if let Some((address, length)) = iomsg.filter(|(address, _)| *address != 0) {
        storage::write_text(memory, address, length, condition.message().as_bytes())?;
    }
    if condition.is_caught(catch) {
        Ok(condition.iostat())
    } else {
        Err(Halt::Fault(condition.fault(unit.filter(|&n| n >= 0))))
    }
}

impl IoService<'_> {
    /// `io.open`: gives `iostat`.
    pub(crate) fn open(&mut self, memory: &mut Memory, unit: i64, new_unit_at: u64, text: &str) -> Result<i32, Halt> {
        let (specifiers, failed) = Specifiers::parse(text);
        let result = match failed {
            Some(condition) => Err(condition.into()),
            None => self.check_not_parent(unit).and_then(|()| self.connect(unit, new_unit_at, &specifiers)),
        };
        let number = match result {
            Ok(number) => number,
            Err(Halt::Condition(condition)) => {
                return settle(memory, &condition, specifiers.catch, specifiers.iomsg, Some(unit));
            }
            Err(other) => return Err(other),
        };
        if unit == -1 {
            storage::write(memory, new_unit_at, &number.to_le_bytes())?;
        }
        Ok(0)
    }

    fn connect(&mut self, unit: i64, new_unit_at: u64, s: &Specifiers) -> Result<i32, Halt> {
        let error = |number, text: String| Err(Condition::Error(number, text).into());
        let wanted = match i32::try_from(unit) {
            Ok(-1) if new_unit_at != 0 => None,
            Ok(n) if n >= 0 || self.io.units.map.contains_key(&n) => Some(n),
            _ => return error(212, format!("{unit} is not a unit number")),
        };
        if s.access == Access::Direct && s.recl.is_none() {
            return error(203, "`recl=` is needed for direct access".to_owned());
        }
        if s.deletes && !s.writes {
            return error(204, "a file that is only read cannot be deleted by `dispose=`".to_owned());
        }
        if s.status == "scratch" && s.has_dispose && !s.deletes {
            return error(205, "a scratch file cannot be kept by `dispose=`".to_owned());
        }
        let status = match s.file.as_deref() {
            None | Some("/dev/stdin" | "/dev/stdout" | "/dev/stderr" | "") => None,
            Some(path) => Some(self.file_status(path)?),
        };
        // An open unit is connected to another file, or only its modes change.
        if let Some(old) = wanted.and_then(|n| self.io.units.map.get_mut(&n)) {
            let is_it = |file: &File| !file.scratch && status.as_ref().is_some_and(|s| s.path == file.identity);
            let same = s.file.is_none() || old.file().is_some_and(is_it);
            if same && s.status != "scratch" {
                old.modes = s.changed(old.modes);
                if let (Some(swaps), Some(file)) = (s.swaps, old.file_mut()) {
                    file.swaps = swaps;
                }
                return Ok(wanted.unwrap_or(0));
            }
        }
        let mut unit = if s.status == "scratch" {
            if s.file.is_some() {
                return error(206, "a scratch file has no name".to_owned());
            }
            let mut file = File::new(String::new(), Vec::new(), true);
            file.scratch = true;
            Unit::new(Medium::File(file))
        } else {
            let path = match (&s.file, wanted) {
                (Some(path), _) => path.clone(),
                (None, Some(n)) => format!("fort.{n}"),
                (None, None) => return error(201, "`newunit=` needs `file=`".to_owned()),
            };
            Unit::new(self.medium(&path, s)?)
        };
        unit.formatted = s.formatted;
        unit.access = s.access;
        unit.reads &= s.reads;
        unit.writes &= s.writes;
        unit.recl = s.recl;
        unit.deletes = s.deletes;
        unit.is_asynchronous = s.is_asynchronous;
        unit.is_utf8 = s.is_utf8;
        unit.modes = s.changed(Modes::default());
        unit.opened_at = self.io.at;
        unit.position = Some(s.position);
        let swaps = s.swaps.unwrap_or(self.io.swaps_bytes);
        if let Some(file) = unit.file_mut() {
            file.swaps = swaps;
            file.at = if s.append { file.len() } else { 0 };
        }
        let number = match wanted {
            Some(n) => n,
            None => self.io.units.new_number(),
        };
        if self.io.units.map.contains_key(&number) {
            self.disconnect(number, None)?;
        }
        self.io.units.map.insert(number, unit);
        Ok(number)
    }

    /// What a name is connected to.
    fn medium(&mut self, path: &str, s: &Specifiers) -> Result<Medium, Halt> {
        let error = |number, text: String| Err(Condition::Error(number, text).into());
        match path {
            "/dev/stdin" => return Ok(Medium::Stdin),
            "/dev/stdout" => return Ok(Medium::Out(Stream::Stdout)),
            "/dev/stderr" => return Ok(Medium::Out(Stream::Stderr)),
            "" => return error(211, "the name of the file is empty".to_owned()),
            _ => {}
        }
        let status = self.file_status(path)?;
        if let Some(other) = self.io.units.connected_to(&status.path) {
            return error(207, format!("`{path}` is connected to unit {other}"));
        }
        let is_stream = status.kind == Some(FileKind::Stream);
        let contents = if is_stream { Some(Vec::new()) } else { self.read_file(path)? };
        let exists = contents.is_some();
        match (s.status.as_str(), exists) {
            ("old", false) => return error(209, format!("`{path}` does not exist")),
            ("new", true) => return error(208, format!("`{path}` exists already")),
            (_, false) if s.has_action && !s.writes => return error(209, format!("`{path}` does not exist")),
            _ => {}
        }
        let contents = contents.filter(|_| is_stream || s.status != "replace");
        if contents.is_none() {
            // The file comes into being now, so that OPEN tells if it cannot.
            let create = Ask::WriteFile { path: path.to_owned(), offset: 0, bytes: Arc::from([]), length: Some(0) };
            if let Answer::Done(Err(reason)) = self.answers.ask(create)? {
                return error(OTHER, format!("`{path}`: {reason}"));
            }
        }
        let mut file = File::new(path.to_owned(), contents.unwrap_or_default(), true);
        file.identity = status.path;
        file.is_unread = is_stream;
        file.seen = (!is_stream).then_some(self.io.others);
        Ok(Medium::File(file))
    }

    /// What there is of a file's name.
    pub(crate) fn file_status(&mut self, path: &str) -> Result<FileStatus, Halt> {
        Ok(match self.answers.ask(Ask::FileStatus { path: path.to_owned() })? {
            Answer::Status(status) => status,
            _ => FileStatus::absent(path),
        })
    }

    /// Gives the world what was written to a unit since the last time.
    pub(crate) fn sync(&mut self, number: i32) -> Result<(), Halt> {
        while let Some(file) = self.io.units.map.get(&number).and_then(Unit::file).filter(|file| !file.scratch) {
            let Some((offset, bytes, length)) = file.change() else { break };
            let path = file.path.clone();
            // The working directory may be another one by now.
            let whole = file.identity.clone();
            let answer = self.answers.ask_once(Ask::WriteFile { path: whole, offset, bytes, length })?;
            if let Some(file) = self.io.units.map.get_mut(&number).and_then(Unit::file_mut) {
                file.change_taken();
            }
            if let Answer::Done(Err(reason)) = answer {
                return Err(Condition::Error(OTHER, format!("`{path}`: {reason}")).into());
            }
        }
        Ok(())
    }

    /// Ends a connection. Without a word whether the file is deleted, what OPEN said counts.
    fn disconnect(&mut self, number: i32, delete: Option<bool>) -> Result<(), Halt> {
        let Some(unit) = self.io.units.map.get_mut(&number) else { return Ok(()) };
        unit.end_record()?;
        if delete.unwrap_or(unit.deletes) {
            if let Some(file) = unit.file().filter(|f| !f.scratch) {
                let (path, whole) = (file.path.clone(), file.identity.clone());
                if let Answer::Done(Err(reason)) = self.answers.ask_once(Ask::DeleteFile { path: whole })? {
                    self.io.units.map.remove(&number);
                    return Err(Condition::Error(OTHER, format!("`{path}`: {reason}")).into());
                }
            }
        } else {
            self.sync(number)?;
        }
        self.io.units.map.remove(&number);
        Ok(())
    }

    /// `io.close`
    pub(crate) fn close(
        &mut self,
        memory: &mut Memory,
        unit: i64,
        delete: i32,
        catch: i32,
        iomsg: (u64, u64),
    ) -> Result<i32, Halt> {
        let number = i32::try_from(unit).unwrap_or(i32::MIN);
        let wanted = match delete {
            1 => Some(true),
            3 => Some(false),
            _ => None,
        };
        let closed = match delete {
            0 | 1 | 3 => self.check_not_parent(unit).and_then(|()| self.disconnect(number, wanted)),
            _ => Err(Condition::Error(201, "`status=` of `close` is `keep` or `delete`".to_owned()).into()),
        };
        match closed {
            Ok(()) => Ok(0),
            Err(Halt::Condition(condition)) => settle(memory, &condition, catch, Some(iomsg), Some(unit)),
            Err(other) => Err(other),
        }
    }

    /// `io.position`
    pub(crate) fn position(
        &mut self,
        memory: &mut Memory,
        unit: i64,
        what: i32,
        catch: i32,
        iomsg: (u64, u64),
    ) -> Result<i32, Halt> {
        let number = i32::try_from(unit).unwrap_or(i32::MIN);
        // FLUSH may be executed there.
        let free = if what == 3 { Ok(()) } else { self.check_not_parent(unit) };
        match free.and_then(|()| self.move_unit(number, what)) {
            Ok(()) => Ok(0),
            Err(Halt::Condition(condition)) => settle(memory, &condition, catch, Some(iomsg), Some(unit)),
            Err(other) => Err(other),
        }
    }

    fn move_unit(&mut self, number: i32, what: i32) -> Result<(), Halt> {
        let Some(unit) = self.io.units.map.get_mut(&number) else {
            return match what {
                1 => Err(Condition::Error(212, "the unit is not connected".to_owned()).into()),
                _ => Ok(()),
            };
        };
        if what == 3 {
            return self.sync(number);
        }
        if unit.access == Access::Direct {
            return Err(Condition::Error(OTHER, "a unit connected for direct access has no position".to_owned()).into());
        }
        unit.end_record()?;
        unit.position = None;
        let formatted = unit.formatted;
        let was_past_end = std::mem::take(&mut unit.is_past_end) | std::mem::take(&mut unit.is_ended);
        unit.is_ended = what == 2;
        let Some(file) = unit.file_mut() else { return Ok(()) };
        match what {
            0 => file.at = 0,
            // Behind the end of the file stands, in the standard's words, an endfile record.
            1 if was_past_end => {}
            1 => file.back(formatted),
            _ => file.truncate(),
        }
        Ok(())
    }

    /// The end of the program: every file gets what was written to it. Asks as long as there is something to do; a file that
    /// cannot be written is an error with the statement that opened it, and the next call goes on with the others.
    pub(crate) fn close_all(&mut self) -> Result<(), (Halt, Span)> {
        let numbers: Vec<i32> = self.io.units.map.keys().copied().collect();
        for number in numbers {
            let Some(unit) = self.io.units.map.get_mut(&number) else { continue };
            let (opened_at, deletes) = (unit.opened_at, unit.deletes);
            let ended = unit.end_record().map_err(Halt::from);
            let done = ended.and_then(|()| if deletes { self.disconnect(number, None) } else { self.sync(number) });
            let Err(halt) = done else { continue };
            let Halt::Condition(condition) = halt else { return Err((halt, opened_at)) };
            let reason = format!("{}, so that what was written is lost at the end of the program", condition.message());
            let unit = (number >= 0).then_some(i64::from(number));
            return Err((Halt::Fault(HostFault::Io { unit, reason }), opened_at));
        }
        Ok(())
    }
}
