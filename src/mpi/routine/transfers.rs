//! Reading and writing files: at a place that the rank, the call or all ranks keep; at once, with a request, or in two halves.
//!
//! Every transfer reaches the file in the call that begins it. What is read with a request, or by the first of two halves, is in
//! its variable when the request is complete, or the second half is called. Collective forms that wait do so for all ranks; the
//! others do not.

use super::{Routine, row, shared};
use crate::error::{self, Fault};
use crate::file::Begun;
use crate::handle::Kind;
use crate::message::Piece;
use crate::request::{Done, Landing, Status, Work};
use crate::world::call::{Caller, Next, wait};
use crate::world::rank::Until;
use std::sync::Arc;

use Form::{Alone, Begins, Gathers, Requests};
use Place::{Given, Ordered, Own, Shared};
use Way::{In, Out};

pub(super) static ROUTINES: &[Routine] = &[
    row("MPI_File_read", |call| transfer(call, In, Own, Alone)),
    row("MPI_File_read_all", |call| transfer(call, In, Own, Gathers)),
    row("MPI_File_read_at", |call| transfer(call, In, Given, Alone)),
    row("MPI_File_read_at_all", |call| transfer(call, In, Given, Gathers)),
    row("MPI_File_read_shared", |call| transfer(call, In, Shared, Alone)),
    row("MPI_File_read_ordered", |call| transfer(call, In, Ordered, Alone)),
    row("MPI_File_iread", |call| transfer(call, In, Own, Requests)),
    row("MPI_File_iread_all", |call| transfer(call, In, Own, Requests)),
    row("MPI_File_iread_at", |call| transfer(call, In, Given, Requests)),
    row("MPI_File_iread_at_all", |call| transfer(call, In, Given, Requests)),
    row("MPI_File_iread_shared", |call| transfer(call, In, Shared, Requests)),
    row("MPI_File_read_all_begin", |call| transfer(call, In, Own, Begins)),
    row("MPI_File_read_all_end", |call| end(call, "MPI_File_read_all_begin")),
    row("MPI_File_read_at_all_begin", |call| transfer(call, In, Given, Begins)),
    row("MPI_File_read_at_all_end", |call| end(call, "MPI_File_read_at_all_begin")),
    row("MPI_File_read_ordered_begin", |call| transfer(call, In, Ordered, Begins)),
    row("MPI_File_read_ordered_end", |call| end(call, "MPI_File_read_ordered_begin")),
    row("MPI_File_write", |call| transfer(call, Out, Own, Alone)),
    row("MPI_File_write_all", |call| transfer(call, Out, Own, Gathers)),
    row("MPI_File_write_at", |call| transfer(call, Out, Given, Alone)),
    row("MPI_File_write_at_all", |call| transfer(call, Out, Given, Gathers)),
    row("MPI_File_write_shared", |call| transfer(call, Out, Shared, Alone)),
    row("MPI_File_write_ordered", |call| transfer(call, Out, Ordered, Alone)),
    row("MPI_File_iwrite", |call| transfer(call, Out, Own, Requests)),
    row("MPI_File_iwrite_all", |call| transfer(call, Out, Own, Requests)),
    row("MPI_File_iwrite_at", |call| transfer(call, Out, Given, Requests)),
    row("MPI_File_iwrite_at_all", |call| transfer(call, Out, Given, Requests)),
    row("MPI_File_iwrite_shared", |call| transfer(call, Out, Shared, Requests)),
    row("MPI_File_write_all_begin", |call| transfer(call, Out, Own, Begins)),
    row("MPI_File_write_all_end", |call| end(call, "MPI_File_write_all_begin")),
    row("MPI_File_write_at_all_begin", |call| transfer(call, Out, Given, Begins)),
    row("MPI_File_write_at_all_end", |call| end(call, "MPI_File_write_at_all_begin")),
    row("MPI_File_write_ordered_begin", |call| transfer(call, Out, Ordered, Begins)),
    row("MPI_File_write_ordered_end", |call| end(call, "MPI_File_write_ordered_begin")),
];

/// Which way data goes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    In,
    Out,
}

/// Who says the place in the file.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    /// The rank, which keeps where it is.
    Own,
    /// The call.
    Given,
    /// The ranks together, which keep where they are.
    Shared,
    /// The same, one rank after the other.
    Ordered,
}

/// How a transfer ends.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    /// With the call.
    Alone,
    /// With the call, when all ranks have come.
    Gathers,
    /// With a request.
    Requests,
    /// With another call.
    Begins,
}

/// A transfer as its call describes it.
#[derive(Clone)]
struct Transfer {
    file: u32,
    way: Way,
    form: Form,
    data: Landing,
    /// Where the status or the request goes.
    at: u64,
    /// Whether it moves the place of the rank.
    is_own: bool,
}

fn transfer(call: &mut Caller<'_>, way: Way, place: Place, form: Form) -> Result<Next, Fault> {
    let file = call.file()?;
    let given = if place == Given { Some(call.long()?) } else { None };
    let data = call.data()?;
    let at = if form == Begins { 0 } else { call.word() };
    let transfer = Transfer { file, way, form, data, at, is_own: place == Own };
    if let Some(begun) = call.opened(file).begun.filter(|_| form == Begins) {
        return call.wrong(error::OTHER, format!("what `{}` began has not ended", begun.step.name));
    }
    if let Err(fault) = check(call, file, way, given) {
        return transfer.fails(call, fault);
    }
    let opened = call.opened(file);
    let own = opened.place;
    let units = i64::try_from(transfer.data.bytes().div_ceil(opened.unit())).unwrap_or(i64::MAX);
    match place {
        Given => transfer.run(call, given.unwrap_or(0) as u64),
        Own => transfer.run(call, own),
        Shared => shared::advance(call, file, units, move |call, place| transfer.run(call, place as u64)),
        Ordered => run_in_order(call, transfer, units),
    }
}

/// Whether the file may be used so.
fn check(call: &Caller<'_>, number: u32, way: Way, given: Option<i64>) -> Result<(), Fault> {
    let file = call.opened(number);
    match (way, given) {
        (In, _) if !file.reads() => call.wrong(error::ACCESS, "the file was opened to be written only"),
        (Out, _) if !file.writes() => call.wrong(error::READ_ONLY, "the file was opened to be read only"),
        (_, Some(place @ ..0)) => call.wrong(error::ARGUMENT, format!("the offset is {place}, which is less than 0")),
        _ => Ok(()),
    }
}

/// The ranks transfer one after the other from the shared place on, in the order of ranks.
fn run_in_order(call: &mut Caller<'_>, transfer: Transfer, units: i64) -> Result<Next, Fault> {
    let file = transfer.file;
    let communicator = call.opened(file).communicator;
    let rank = call.rank_in(communicator) as usize;
    call.gather_numbers(communicator, units, move |call, all| {
        let sum = |units: &[i64]| units.iter().fold(0, |sum: i64, units| sum.saturating_add(*units));
        let (before, total) = (sum(&all[..rank]), sum(all));
        let transfer = transfer.clone();
        // All ranks get to know the place from the one that moves it on.
        let gather = move |call: &mut Caller<'_>, place: i64| {
            let transfer = transfer.clone();
            call.gather_numbers(communicator, place, move |call, places| {
                let place = places.first().copied().unwrap_or(0).saturating_add(before);
                transfer.run(call, place as u64)
            })
        };
        if rank == 0 { shared::advance(call, file, total, gather) } else { gather(call, 0) }
    })
}

impl Transfer {
    /// Reads or writes from a place on.
    fn run(&self, call: &mut Caller<'_>, place: u64) -> Result<Next, Fault> {
        let file = call.opened(self.file).clone();
        let pieces = file.pieces(place, self.data.bytes());
        let Landing { buffer, layout, count } = &self.data;
        let moved = match self.way {
            Out => self.write(call, &file.path, &pieces),
            In => {
                let bytes = call.memory.read_file(&file.path, &pieces);
                call.of_file(error::IO, bytes, &file.path)
            }
        };
        let bytes = match moved {
            Ok(bytes) => bytes,
            Err(fault) => return self.fails(call, fault),
        };
        let length = bytes.len() as u64;
        // The place goes on by what was asked for, also where the file ended before.
        if let Some(file) = call.opened_mut(self.file).filter(|_| self.is_own) {
            file.place = file.place.saturating_add(self.data.bytes().div_ceil(file.unit()));
        }
        let status = Status { bytes: length, ..Status::EMPTY };
        if matches!(self.form, Requests | Begins) {
            return self.give_request(call, bytes, status);
        }
        if self.way == In {
            let whole = length.checked_div(layout.size).unwrap_or(0);
            buffer.check(layout, whole, call.memory).map_err(|at| call.outside(at))?;
            buffer.scatter(layout, *count, &bytes, call.memory).map_err(|at| call.outside(at))?;
        }
        let at = self.at;
        if self.form == Gathers {
            return call.meet_at_file(self.file, move |call| call.set_status(at, status).map(|()| Next::Done));
        }
        call.set_status(at, status)?;
        Ok(Next::Done)
    }

    /// Gives what was written.
    fn write(&self, call: &mut Caller<'_>, path: &str, pieces: &[(u64, u64)]) -> Result<Vec<u8>, Fault> {
        let Landing { buffer, layout, count } = &self.data;
        let bytes = buffer.gather(layout, *count, call.memory).map_err(|at| call.outside(at))?;
        let written = call.memory.write_file(path, pieces, &bytes, None);
        call.of_file(error::IO, written, path)?;
        Ok(bytes)
    }

    /// A request that is done; what was read is still to be put to its place.
    fn give_request(&self, call: &mut Caller<'_>, bytes: Vec<u8>, status: Status) -> Result<Next, Fault> {
        let data = std::slice::from_ref(&self.data);
        let (read, written) = if self.way == Out { (data, &[][..]) } else { (&[][..], data) };
        let landing = written.first().cloned();
        let done = match &landing {
            Some(landing) => {
                let signature = landing.layout.signature(landing.count);
                let piece = Piece { data: Arc::new(bytes), signature, step: call.step };
                Done::Results { pieces: vec![piece], communicator: None }
            }
            None => Done::Alone(status),
        };
        let request = call.new_request(Work::Transfer { landing }, false);
        if let Some(request) = call.own().requests.get_mut(&request) {
            request.is_active = true;
        }
        call.begin_use(request, read, written);
        let (rank, step) = (call.rank, call.step);
        call.world.set_done(rank, request, done);
        match self.form {
            Begins => {
                if let Some(file) = call.opened_mut(self.file) {
                    file.begun = Some(Begun { step, request });
                }
            }
            _ => call.set_int(self.at, Kind::Request.handle(request))?,
        }
        Ok(Next::Done)
    }

    /// An error of a rank, which comes to collective operations nevertheless.
    fn fails(&self, call: &mut Caller<'_>, fault: Fault) -> Result<Next, Fault> {
        if self.form != Gathers {
            return Err(fault);
        }
        let communicator = call.opened(self.file).communicator;
        let (request, class) = (call.meet(communicator)?, fault.class);
        wait(Until::All(vec![request]), move |call| {
            call.complete(request)?;
            call.wrong(class, "the file cannot be read or written")
        })
    }
}

/// The second half of a transfer that a routine has begun.
fn end(call: &mut Caller<'_>, begin: &str) -> Result<Next, Fault> {
    let number = call.file()?;
    call.buffer()?;
    let at = call.word();
    let begun = call.opened(number).begun;
    let Some(begun) = begun.filter(|begun| begun.step.name == begin) else {
        return call.wrong(error::OTHER, format!("`{begin}` was not called"));
    };
    if let Some(file) = call.opened_mut(number) {
        file.begun = None;
    }
    let (status, _) = call.complete(begun.request)?;
    call.set_status(at, status)?;
    Ok(Next::Done)
}
