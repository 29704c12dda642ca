//! Files that ranks share: opening, views, reading and writing, each at once and at places that the rank says or keeps.
//!
//! A view shows the bytes of a file that its file type names, again and again from a displacement on; places count its
//! elementary type. Every read and write reaches the file at once. Collective forms do the same and wait for the others. Errors
//! of files are codes, unless the program asks for more.
//!
//! Not here: shared file pointers, non-blocking reads and writes, representations other than `native`.

use super::{Routine, row};
use crate::error::{self, Fault};
use crate::file::{File, PastEnd};
use crate::handle::Kind;
use crate::layout::Layout;
use crate::request::{Landing, Status};
use crate::world::call::{Caller, Next, wait, wait_again};
use crate::world::rank::Until;

pub(super) static ROUTINES: &[Routine] = &[
    row("MPI_File_open", open),
    row("MPI_File_close", close),
    row("MPI_File_delete", delete),
    row("MPI_File_set_view", set_view),
    row("MPI_File_read", |call| transfer(call, Way::In, Place::Own, false)),
    row("MPI_File_read_all", |call| transfer(call, Way::In, Place::Own, true)),
    row("MPI_File_read_at", |call| transfer(call, Way::In, Place::Given, false)),
    row("MPI_File_read_at_all", |call| transfer(call, Way::In, Place::Given, true)),
    row("MPI_File_write", |call| transfer(call, Way::Out, Place::Own, false)),
    row("MPI_File_write_all", |call| transfer(call, Way::Out, Place::Own, true)),
    row("MPI_File_write_at", |call| transfer(call, Way::Out, Place::Given, false)),
    row("MPI_File_write_at_all", |call| transfer(call, Way::Out, Place::Given, true)),
    row("MPI_File_seek", seek),
    row("MPI_File_get_position", position),
    row("MPI_File_get_size", size),
    row("MPI_File_set_size", |call| set_size(call, PastEnd::Cut)),
    row("MPI_File_preallocate", |call| set_size(call, PastEnd::Keep)),
    row("MPI_File_sync", sync),
];

/// `MPI_MODE_…`.
const CREATE: i32 = 1;
const READS_ONLY: i32 = 2;
const WRITES_ONLY: i32 = 4;
const READS_AND_WRITES: i32 = 8;
const DELETED_ON_CLOSE: i32 = 16;
const EXCLUSIVE: i32 = 64;
const APPENDS: i32 = 128;
/// `MPI_SEEK_…`.
const FROM_START: i32 = 600;
const FROM_HERE: i32 = 602;
const FROM_END: i32 = 604;

/// Which way data goes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    In,
    Out,
}

/// Who says the place in the file.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    /// The file, which keeps where it is.
    Own,
    /// The call.
    Given,
}

impl Caller<'_> {
    /// The file of an argument: its number.
    fn file(&mut self) -> Result<u32, Fault> {
        let number = self.number(Kind::File, error::FILE)?;
        match self.own().files.get(&number) {
            Some(_) => Ok(number),
            None => self.wrong(error::FILE, "the file was closed, or never opened"),
        }
    }

    fn opened(&self, number: u32) -> &File {
        &self.world.ranks[self.rank as usize].files[&number]
    }

    fn opened_mut(&mut self, number: u32) -> Option<&mut File> {
        self.own().files.get_mut(&number)
    }

    /// What the system says of a file.
    fn of_file<T>(&self, class: i32, result: Result<T, String>, path: &str) -> Result<T, Fault> {
        result.or_else(|reason| self.wrong(class, format!("`{path}`: {reason}")))
    }

    fn bytes_of(&mut self, path: &str) -> Result<u64, Fault> {
        let length = self.memory.file_length(path);
        Ok(self.of_file(error::IO, length, path)?.unwrap_or(0))
    }
}

fn open(call: &mut Caller<'_>) -> Result<Next, Fault> {
    let communicator = call.comm()?;
    let (path, mode) = (call.text()?, call.int()?);
    call.word();
    let at = call.word();
    let opened = open_here(call, communicator, &path, mode);
    let request = call.meet(communicator)?;
    let file = match opened {
        Ok(file) => file,
        // The others are told by what they find themselves.
        Err(fault) => {
            let class = fault.class;
            let reason = format!("`{path}` cannot be opened");
            return wait(Until::All(vec![request]), move |call| {
                call.complete(request)?;
                call.wrong(class, reason.clone())
            });
        }
    };
    wait(Until::All(vec![request]), move |call| {
        call.complete(request)?;
        let number = call.own().add_file(file.clone());
        call.give_made(Kind::File, number, at)
    })
}

fn open_here(call: &mut Caller<'_>, communicator: u32, path: &str, mode: i32) -> Result<File, Fault> {
    let access = mode & (READS_ONLY | WRITES_ONLY | READS_AND_WRITES);
    if !matches!(access, READS_ONLY | WRITES_ONLY | READS_AND_WRITES) || (access == READS_ONLY && mode & CREATE != 0) {
        return call.wrong(error::MODE, format!("the mode is {mode}"));
    }
    let length = call.memory.file_length(path);
    let mut length = call.of_file(error::NO_SUCH_FILE, length, path)?;
    // The first rank makes the file, so that no other finds it there.
    let is_first = call.rank_in(communicator) == 0;
    if length.is_some() && mode & EXCLUSIVE != 0 && is_first {
        return call.wrong(error::FILE_EXISTS, format!("`{path}` is there already"));
    }
    if length.is_none() && mode & CREATE != 0 {
        let made = call.memory.write_file(path, &[], &[], None);
        call.of_file(error::ACCESS, made, path)?;
        length = Some(0);
    }
    let Some(length) = length else {
        return call.wrong(error::NO_SUCH_FILE, format!("there is no file `{path}`"));
    };
    let byte = Layout::basic(crate::basic::Basic::BYTE);
    Ok(File {
        path: path.into(),
        communicator,
        reads: access != WRITES_ONLY,
        writes: access != READS_ONLY,
        is_deleted: mode & DELETED_ON_CLOSE != 0,
        displacement: 0,
        unit: 1,
        shown: byte,
        place: if mode & APPENDS == 0 { 0 } else { length },
    })
}

fn close(call: &mut Caller<'_>) -> Result<Next, Fault> {
    let at = call.peek();
    let number = call.file()?;
    let file = call.opened(number).clone();
    let request = call.meet(file.communicator)?;
    wait_again(Until::All(vec![request]), move |call| {
        call.complete(request)?;
        call.own().files.remove(&number);
        call.give_up(Kind::File, at)?;
        if !file.is_deleted {
            return Ok(Next::Done);
        }
        if call.rank_in(file.communicator) == 0 {
            let deleted = call.memory.delete_file(&file.path);
            call.of_file(error::IO, deleted, &file.path)?;
        }
        let after = call.meet(file.communicator)?;
        wait(Until::All(vec![after]), move |call| call.complete(after).map(drop))
    })
}

fn delete(call: &mut Caller<'_>) -> Result<Next, Fault> {
    let path = call.text()?;
    let length = call.memory.file_length(&path);
    if call.of_file(error::IO, length, &path)?.is_none() {
        return call.wrong(error::NO_SUCH_FILE, format!("there is no file `{path}`"));
    }
    let deleted = call.memory.delete_file(&path);
    call.of_file(error::ACCESS, deleted, &path)?;
    Ok(Next::Done)
}

fn set_view(call: &mut Caller<'_>) -> Result<Next, Fault> {
    let (number, displacement) = (call.file()?, call.long()?);
    let (unit, shown, representation) = (call.layout()?, call.layout()?, call.text()?);
    if displacement < 0 {
        return call.wrong(error::ARGUMENT, format!("the displacement is {displacement}, which is less than 0"));
    }
    if !matches!(representation.to_ascii_lowercase().as_str(), "native" | "internal") {
        return call.wrong(error::UNSUPPORTED_DATA, format!("there is no representation `{representation}`"));
    }
    let is_whole = unit.size > 0 && shown.size > 0 && shown.size.is_multiple_of(unit.size) && shown.extent > 0;
    if !is_whole {
        return call.wrong(error::TYPE, "the file type is not made of elementary types");
    }
    if let Some(file) = call.opened_mut(number) {
        (file.displacement, file.unit, file.shown, file.place) = (displacement as u64, unit.size, shown, 0);
    }
    let communicator = call.opened(number).communicator;
    let request = call.meet(communicator)?;
    wait(Until::All(vec![request]), move |call| call.complete(request).map(drop))
}

fn transfer(call: &mut Caller<'_>, way: Way, place: Place, is_collective: bool) -> Result<Next, Fault> {
    let number = call.file()?;
    let given = if place == Place::Given { Some(call.long()?) } else { None };
    let data = call.data()?;
    let status_at = call.word();
    let done = check_transfer(call, number, way, given).and_then(|place| move_data(call, number, way, place, &data));
    let bytes = match done {
        Ok(bytes) => bytes,
        Err(fault) if is_collective => {
            let communicator = call.opened(number).communicator;
            let request = call.meet(communicator)?;
            let class = fault.class;
            return wait(Until::All(vec![request]), move |call| {
                call.complete(request)?;
                call.wrong(class, "the file cannot be read or written")
            });
        }
        Err(fault) => return Err(fault),
    };
    let status = Status { bytes, ..Status::EMPTY };
    if given.is_none() {
        if let Some(file) = call.opened_mut(number) {
            file.place += bytes.div_ceil(file.unit);
        }
    }
    if !is_collective {
        call.set_status(status_at, status, error::SUCCESS)?;
        return Ok(Next::Done);
    }
    let communicator = call.opened(number).communicator;
    let request = call.meet(communicator)?;
    wait(Until::All(vec![request]), move |call| {
        call.complete(request)?;
        call.set_status(status_at, status, error::SUCCESS)
    })
}

/// The place of a transfer in units, if the file may be used so.
fn check_transfer(call: &Caller<'_>, number: u32, way: Way, given: Option<i64>) -> Result<u64, Fault> {
    let file = call.opened(number);
    match way {
        Way::In if !file.reads => call.wrong(error::ACCESS, "the file was opened to be written only"),
        Way::Out if !file.writes => call.wrong(error::READ_ONLY, "the file was opened to be read only"),
        _ => match given {
            None => Ok(file.place),
            Some(place) => u64::try_from(place)
                .or_else(|_| call.wrong(error::ARGUMENT, format!("the offset is {place}, which is less than 0"))),
        },
    }
}

/// Reads or writes; gives how many bytes there were.
fn move_data(call: &mut Caller<'_>, number: u32, way: Way, place: u64, data: &Landing) -> Result<u64, Fault> {
    let file = call.opened(number).clone();
    let pieces = file.pieces(place, data.bytes());
    let Landing { buffer, layout, count } = data;
    match way {
        Way::Out => {
            let bytes = buffer.gather(layout, *count, call.memory).map_err(|at| call.outside(at))?;
            let written = call.memory.write_file(&file.path, &pieces, &bytes, None);
            call.of_file(error::IO, written, &file.path)?;
            Ok(bytes.len() as u64)
        }
        Way::In => {
            let bytes = call.memory.read_file(&file.path, &pieces);
            let bytes = call.of_file(error::IO, bytes, &file.path)?;
            buffer
                .check(layout, bytes.len() as u64 / layout.size.max(1), call.memory)
                .map_err(|at| call.outside(at))?;
            buffer.scatter(layout, *count, &bytes, call.memory).map_err(|at| call.outside(at))?;
            Ok(bytes.len() as u64)
        }
    }
}

fn seek(call: &mut Caller<'_>) -> Result<Next, Fault> {
    let (number, offset, whence) = (call.file()?, call.long()?, call.int()?);
    let file = call.opened(number).clone();
    let base = match whence {
        FROM_START => 0,
        FROM_HERE => file.place,
        FROM_END => {
            let length = call.bytes_of(&file.path)?;
            file.units_before(length)
        }
        _ => return call.wrong(error::ARGUMENT, format!("{whence} is no `MPI_SEEK_…`")),
    };
    let Some(place) = base.checked_add_signed(offset) else {
        return call.wrong(error::ARGUMENT, "the place is before the beginning of the file");
    };
    if let Some(file) = call.opened_mut(number) {
        file.place = place;
    }
    Ok(Next::Done)
}

fn position(call: &mut Caller<'_>) -> Result<Next, Fault> {
    let (number, at) = (call.file()?, call.word());
    let place = call.opened(number).place;
    call.set_long(at, place as i64)?;
    Ok(Next::Done)
}

fn size(call: &mut Caller<'_>) -> Result<Next, Fault> {
    let (number, at) = (call.file()?, call.word());
    let path = call.opened(number).path.clone();
    let bytes = call.bytes_of(&path)?;
    call.set_long(at, bytes as i64)?;
    Ok(Next::Done)
}

fn set_size(call: &mut Caller<'_>, past: PastEnd) -> Result<Next, Fault> {
    let (number, bytes) = (call.file()?, call.long()?);
    let Ok(bytes) = u64::try_from(bytes) else {
        return call.wrong(error::ARGUMENT, format!("the size is {bytes}, which is less than 0"));
    };
    let file = call.opened(number).clone();
    // No rank writes when the size is set: all have come before, and none goes on until the first has set it.
    let before = call.meet(file.communicator)?;
    wait_again(Until::All(vec![before]), move |call| {
        call.complete(before)?;
        if call.rank_in(file.communicator) == 0 {
            let length = call.bytes_of(&file.path)?;
            let wanted = if past == PastEnd::Keep { bytes.max(length) } else { bytes };
            let done = call.memory.write_file(&file.path, &[], &[], Some(wanted));
            call.of_file(error::IO, done, &file.path)?;
        }
        let after = call.meet(file.communicator)?;
        wait(Until::All(vec![after]), move |call| call.complete(after).map(drop))
    })
}

fn sync(call: &mut Caller<'_>) -> Result<Next, Fault> {
    let number = call.file()?;
    let communicator = call.opened(number).communicator;
    let request = call.meet(communicator)?;
    wait(Until::All(vec![request]), move |call| call.complete(request).map(drop))
}
