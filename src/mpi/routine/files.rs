//! Files that ranks share: opening and closing, views, places, sizes, hints.
//!
//! A view shows the bytes of a file that its file type names, again and again from a displacement on; places count its
//! elementary type. Errors of files are codes, unless the program asks for more.
//!
//! Not here: reading and writing (`transfers`), the place that ranks share (`shared`), representations other than `native`.

use super::infos::merge;
use super::windows::{conceal, expose_then};
use super::{Routine, row, shared};
use crate::basic::Basic;
use crate::collective::{Operation, Part};
use crate::error::{self, Fault};
use crate::file::{File, PastEnd, READS_ONLY, WRITES_ONLY};
use crate::handle::Kind;
use crate::layout::Signature;
use crate::message::Piece;
use crate::window::{Exposed, Flavour};
use crate::world::NO_FILE;
use crate::world::call::{Caller, Next, wait, wait_again};
use crate::world::rank::Until;
use finding::MpiFault;
use std::sync::Arc;

pub(super) static ROUTINES: &[Routine] = &[
    row("MPI_File_open", open),
    row("MPI_File_close", close),
    row("MPI_File_delete", delete),
    row("MPI_File_set_view", set_view),
    row("MPI_File_get_view", view),
    row("MPI_File_get_byte_offset", byte_offset),
    row("MPI_File_get_type_extent", type_extent),
    row("MPI_File_seek", seek),
    row("MPI_File_get_position", position),
    row("MPI_File_get_size", size),
    row("MPI_File_set_size", |call| set_size(call, PastEnd::Cut)),
    row("MPI_File_preallocate", |call| set_size(call, PastEnd::Keep)),
    row("MPI_File_sync", sync),
    row("MPI_File_get_amode", mode),
    row("MPI_File_get_group", group),
    row("MPI_File_set_atomicity", set_atomicity),
    row("MPI_File_get_atomicity", atomicity),
    row("MPI_File_set_info", set_hints),
    row("MPI_File_get_info", hints),
];

/// `MPI_MODE_…`.
const CREATE: i32 = 1;
const READS_AND_WRITES: i32 = 8;
const DELETED_ON_CLOSE: i32 = 16;
const EXCLUSIVE: i32 = 64;
const APPENDS: i32 = 128;
/// `MPI_SEEK_…`.
const FROM_START: i32 = 600;
const FROM_HERE: i32 = 602;
const FROM_END: i32 = 604;
/// `MPI_DISPLACEMENT_CURRENT`.
const FROM_SHARED_PLACE: i64 = -54_278_278;

impl Caller<'_> {
    /// The file of an argument: its number.
    pub(super) fn file(&mut self) -> Result<u32, Fault> {
        let number = self.number(Kind::File, error::FILE)?;
        if !self.own().files.contains_key(&number) {
            return self.wrong(error::FILE, "the file was closed, or never opened");
        }
        self.communicator = number;
        Ok(number)
    }

    /// The same, or what stands for `MPI_FILE_NULL`.
    pub(super) fn file_or_none(&mut self) -> Result<u32, Fault> {
        let at = self.peek();
        if self.int_at(at)? == Kind::File.handle(0) {
            self.taken += 1;
            self.communicator = NO_FILE;
            return Ok(NO_FILE);
        }
        self.file()
    }

    pub(super) fn opened(&self, number: u32) -> &File {
        &self.world.ranks[self.rank as usize].files[&number]
    }

    pub(super) fn opened_mut(&mut self, number: u32) -> Option<&mut File> {
        self.own().files.get_mut(&number)
    }

    /// What the system says of a file.
    pub(super) fn of_file<T>(&self, class: i32, result: Result<T, String>, path: &str) -> Result<T, Fault> {
        result.or_else(|reason| self.wrong(class, format!("`{path}`: {reason}")))
    }

    fn bytes_of(&mut self, path: &str) -> Result<u64, Fault> {
        let length = self.memory.file_length(path);
        Ok(self.of_file(error::IO, length, path)?.unwrap_or(0))
    }

    /// Each rank of a communicator brings a number and gets all of them.
    pub(super) fn gather_numbers(
        &mut self,
        communicator: u32,
        number: i64,
        then: impl Fn(&mut Caller<'_>, &[i64]) -> Result<Next, Fault> + Send + Sync + 'static,
    ) -> Result<Next, Fault> {
        let data = Arc::new(number.to_le_bytes().to_vec());
        let piece = Piece { data, signature: Signature::empty(), step: self.step };
        let part = Part { pieces: vec![piece], ..self.part() };
        let request = self.join(communicator, Operation::Allgather, part, &[], Vec::new())?;
        wait_again(Until::All(vec![request]), move |call| {
            let pieces = call.complete_raw(request);
            let number = |piece: &Piece| piece.data.first_chunk::<8>().map_or(0, |bytes| i64::from_le_bytes(*bytes));
            then(call, &pieces.iter().map(number).collect::<Vec<_>>())
        })
    }

    /// Waits for all ranks that have opened a file.
    pub(super) fn meet_at_file(
        &mut self,
        number: u32,
        then: impl Fn(&mut Caller<'_>) -> Result<Next, Fault> + Send + Sync + 'static,
    ) -> Result<Next, Fault> {
        let communicator = self.opened(number).communicator;
        let request = self.meet(communicator)?;
        wait_again(Until::All(vec![request]), move |call| {
            call.complete(request)?;
            then(call)
        })
    }
}

/// All ranks know whether one of them cannot open the file before any of them goes on.
fn open(call: &mut Caller<'_>) -> Result<Next, Fault> {
    let communicator = call.comm()?;
    let (path, mode, hints) = (call.text()?, call.int()?, call.hints()?);
    let at = call.word();
    call.communicator = NO_FILE;
    let opened = open_here(call, communicator, &path, mode, hints);
    let (file, failed) = match opened {
        Ok(file) => (Some(file), (0, String::new())),
        Err(fault) => match *fault.fault {
            MpiFault::Argument { reason, .. } => (None, (fault.class, reason)),
            _ => (None, (fault.class, format!("`{path}` cannot be opened"))),
        },
    };
    call.gather_numbers(communicator, failed.0.into(), move |call, classes| {
        if failed.0 != error::SUCCESS {
            return call.wrong(failed.0, failed.1.clone());
        }
        if let Some((rank, class)) = classes.iter().enumerate().find(|(_, class)| **class != 0) {
            return call.wrong(*class as i32, format!("rank {rank} of the communicator cannot open `{path}`"));
        }
        match &file {
            Some(file) => share(call, file.clone(), at),
            None => Ok(Next::Done),
        }
    })
}

/// Makes the window with the place that ranks share, which the first of them keeps.
fn share(call: &mut Caller<'_>, file: File, at: u64) -> Result<Next, Fault> {
    let span = call.step.span;
    let exposed = if call.rank == file.keeper {
        let Some(base) = call.memory.allocate(8, span) else {
            return call.wrong(error::NO_MEMORY, "there is no room for a file");
        };
        call.set_long(base, file.place as i64)?;
        Exposed { base, bytes: 8, unit: 1, flavour: Flavour::Allocated }
    } else {
        Exposed { base: 0, bytes: 0, unit: 1, flavour: Flavour::Created }
    };
    let parent = file.communicator;
    expose_then(call, parent, exposed, move |call, number| {
        let own = call.own();
        match own.handlers.get(&NO_FILE).copied() {
            Some(handler) => own.handlers.insert(number, handler),
            None => own.handlers.remove(&number),
        };
        own.files.insert(number, File { communicator: number, ..file.clone() });
        call.give_made(Kind::File, number, at)
    })
}

fn open_here(
    call: &mut Caller<'_>,
    communicator: u32,
    path: &str,
    mode: i32,
    hints: Vec<(String, String)>,
) -> Result<File, Fault> {
    let access = mode & (READS_ONLY | WRITES_ONLY | READS_AND_WRITES);
    if !matches!(access, READS_ONLY | WRITES_ONLY | READS_AND_WRITES) || (access == READS_ONLY && mode & CREATE != 0) {
        return call.wrong(error::MODE, format!("the mode is {mode}"));
    }
    let length = call.memory.file_length(path);
    let mut length = call.of_file(error::NO_SUCH_FILE, length, path)?;
    // A file that must not be there is made by the first rank, which then finds none of another.
    let is_first = call.rank_in(communicator) == 0;
    if length.is_some() && mode & EXCLUSIVE != 0 && is_first {
        return call.wrong(error::FILE_EXISTS, format!("`{path}` is there already"));
    }
    if length.is_none() && mode & CREATE != 0 {
        if mode & EXCLUSIVE == 0 || is_first {
            let made = call.memory.write_file(path, &[], &[], None);
            call.of_file(error::ACCESS, made, path)?;
        }
        length = Some(0);
    }
    let Some(length) = length else {
        return call.wrong(error::NO_SUCH_FILE, format!("there is no file `{path}`"));
    };
    let byte = call.datatype_of(Kind::Datatype.handle(Basic::BYTE.number()))?;
    let keeper = call.communicator(communicator).group[0];
    Ok(File {
        path: path.into(),
        communicator,
        mode,
        is_atomic: false,
        hints,
        displacement: 0,
        elementary: byte.clone(),
        shown: byte,
        representation: "native".to_owned(),
        place: if mode & APPENDS == 0 { 0 } else { length },
        keeper,
        begun: None,
    })
}

fn close(call: &mut Caller<'_>) -> Result<Next, Fault> {
    let at = call.peek();
    let number = call.file()?;
    let file = call.opened(number).clone();
    if let Some(begun) = file.begun {
        return call.wrong(error::OTHER, format!("what `{}` began has not ended", begun.step.name));
    }
    call.meet_at_file(number, move |call| {
        conceal(call, number);
        let own = call.own();
        own.files.remove(&number);
        own.handlers.remove(&number);
        call.give_up(Kind::File, at)?;
        if file.mode & DELETED_ON_CLOSE == 0 {
            return Ok(Next::Done);
        }
        if call.rank == file.keeper {
            let deleted = call.memory.delete_file(&file.path);
            call.of_file(error::IO, deleted, &file.path)?;
        }
        let after = call.meet(file.communicator)?;
        wait(Until::All(vec![after]), move |call| call.complete(after).map(drop))
    })
}

fn delete(call: &mut Caller<'_>) -> Result<Next, Fault> {
    let path = call.text()?;
    call.communicator = NO_FILE;
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
    let (elementary, shown, representation) = (call.committed()?, call.committed()?, call.text()?);
    let hints = call.hints()?;
    if displacement < 0 && displacement != FROM_SHARED_PLACE {
        return call.wrong(error::ARGUMENT, format!("the displacement is {displacement}, which is less than 0"));
    }
    let representation = representation.to_ascii_lowercase();
    if !matches!(&*representation, "native" | "internal") {
        return call.wrong(error::UNSUPPORTED_DATA, format!("there is no representation `{representation}`"));
    }
    let (unit, tile) = (&elementary.layout, &shown.layout);
    let is_whole = unit.size > 0 && tile.size > 0 && tile.size.is_multiple_of(unit.size) && tile.extent > 0;
    if !is_whole {
        return call.wrong(error::TYPE, "the file type is not made of elementary types");
    }
    let set = move |call: &mut Caller<'_>, displacement: u64| {
        if let Some(file) = call.opened_mut(number) {
            (file.displacement, file.place) = (displacement, 0);
            (file.elementary, file.shown) = (elementary.clone(), shown.clone());
            file.representation.clone_from(&representation);
            merge(&mut file.hints, &hints);
        }
        shared::change(call, number, |_, _| Ok(0))
    };
    if displacement != FROM_SHARED_PLACE {
        return set(call, displacement as u64);
    }
    call.meet_at_file(number, move |call| {
        let set = set.clone();
        shared::look(call, number, move |call, place| {
            let displacement = offset(call.opened(number), place as u64);
            set(call, displacement)
        })
    })
}

fn view(call: &mut Caller<'_>) -> Result<Next, Fault> {
    let number = call.file()?;
    let file = call.opened(number).clone();
    let places = [call.word(), call.word(), call.word()];
    call.set_long(places[0], file.displacement as i64)?;
    call.give_datatype(&file.elementary, places[1])?;
    call.give_datatype(&file.shown, places[2])?;
    call.set_plain_text(&file.representation)?;
    Ok(Next::Done)
}

/// Where in the file a place of its view is.
fn offset(file: &File, place: u64) -> u64 {
    file.pieces(place, file.unit()).first().map_or(0, |piece| piece.0)
}

fn byte_offset(call: &mut Caller<'_>) -> Result<Next, Fault> {
    let (number, place, at) = (call.file()?, call.long()?, call.word());
    let Ok(place) = u64::try_from(place) else {
        return call.wrong(error::ARGUMENT, format!("the offset is {place}, which is less than 0"));
    };
    let offset = offset(call.opened(number), place);
    call.set_long(at, offset as i64)?;
    Ok(Next::Done)
}

fn type_extent(call: &mut Caller<'_>) -> Result<Next, Fault> {
    call.file()?;
    let (layout, at) = (call.datatype()?.layout, call.word());
    call.set_long(at, layout.extent)?;
    Ok(Next::Done)
}

/// The place that `MPI_SEEK_…` and an offset name, from a place that is known.
pub(super) fn sought(call: &mut Caller<'_>, number: u32, here: u64, offset: i64, whence: i32) -> Result<u64, Fault> {
    let base = match whence {
        FROM_START => 0,
        FROM_HERE => here,
        FROM_END => {
            let path = call.opened(number).path.clone();
            let length = call.bytes_of(&path)?;
            call.opened(number).units_before(length)
        }
        _ => return call.wrong(error::ARGUMENT, format!("{whence} is no `MPI_SEEK_…`")),
    };
    match base.checked_add_signed(offset) {
        Some(place) => Ok(place),
        None => call.wrong(error::ARGUMENT, "the place is before the beginning of the file"),
    }
}

fn seek(call: &mut Caller<'_>) -> Result<Next, Fault> {
    let (number, offset, whence) = (call.file()?, call.long()?, call.int()?);
    let here = call.opened(number).place;
    let place = sought(call, number, here, offset, whence)?;
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
    // No rank writes when the size is set: all have come before, and none goes on until the first has set it.
    call.meet_at_file(number, move |call| {
        let file = call.opened(number).clone();
        if call.rank == file.keeper {
            let length = call.bytes_of(&file.path)?;
            let wanted = if past == PastEnd::Keep { bytes.max(length) } else { bytes };
            let done = call.memory.write_file(&file.path, &[], &[], Some(wanted));
            call.of_file(error::IO, done, &file.path)?;
        }
        call.meet_at_file(number, |_| Ok(Next::Done))
    })
}

fn sync(call: &mut Caller<'_>) -> Result<Next, Fault> {
    let number = call.file()?;
    call.meet_at_file(number, |_| Ok(Next::Done))
}

fn mode(call: &mut Caller<'_>) -> Result<Next, Fault> {
    let (number, at) = (call.file()?, call.word());
    let mode = call.opened(number).mode;
    call.set_int(at, mode)?;
    Ok(Next::Done)
}

fn group(call: &mut Caller<'_>) -> Result<Next, Fault> {
    let (number, at) = (call.file()?, call.word());
    let group = call.communicator(call.opened(number).communicator).group.clone();
    let made = call.own().add_group(group);
    call.give_made(Kind::Group, made, at)?;
    Ok(Next::Done)
}

/// Every transfer reaches the file at once and as a whole, in either mode.
fn set_atomicity(call: &mut Caller<'_>) -> Result<Next, Fault> {
    let (number, is_atomic) = (call.file()?, call.int()? & 1 == 1);
    call.meet_at_file(number, move |call| {
        if let Some(file) = call.opened_mut(number) {
            file.is_atomic = is_atomic;
        }
        Ok(Next::Done)
    })
}

fn atomicity(call: &mut Caller<'_>) -> Result<Next, Fault> {
    let (number, at) = (call.file()?, call.word());
    let is_atomic = call.opened(number).is_atomic;
    call.set_logical(at, is_atomic)?;
    Ok(Next::Done)
}

fn set_hints(call: &mut Caller<'_>) -> Result<Next, Fault> {
    let (number, hints) = (call.file()?, call.hints()?);
    call.meet_at_file(number, move |call| {
        if let Some(file) = call.opened_mut(number) {
            merge(&mut file.hints, &hints);
        }
        Ok(Next::Done)
    })
}

fn hints(call: &mut Caller<'_>) -> Result<Next, Fault> {
    let (number, at) = (call.file()?, call.word());
    let hints = call.opened(number).hints.clone();
    let made = call.own().infos.add(hints);
    call.give_made(Kind::Info, made, at)?;
    Ok(Next::Done)
}
