//! What the embedded module `cufemu_mpi_calls` asks and says when it calls procedures of the program. No program calls these.

use super::{Routine, row};
use crate::buffer::Buffer;
use crate::errand::{Errand, Fold, Reply};
use crate::error::{self, Fault};
use crate::message::Piece;
use crate::request::{Done, Status};
use crate::world::call::{Caller, Next, STATUS_BYTES};
use std::collections::VecDeque;
use std::sync::Arc;

pub(super) static ROUTINES: &[Routine] = &[
    row(super::GO_ON, |_| Ok(Next::Done)),
    row("cufemu_wanted", wanted),
    row("cufemu_callee", callee),
    row("cufemu_operands", operands),
    row("cufemu_folded", folded),
    row("cufemu_answered", answered),
    row("cufemu_queried", queried),
];

/// Where one element after another of a layout lies: bytes of the room that they need, and the offset of the first in it.
fn room(fold: &Fold, count: u64) -> (u64, u64) {
    let (low, high) = fold.layout.hull(count).unwrap_or_default();
    let end = fold.layout.extent.saturating_mul(count as i64).saturating_add(fold.layout.lower.max(0));
    let first = low.min(0).unsigned_abs();
    (first + high.max(end).max(1) as u64, first)
}

/// The fold of a request, the pieces that are to be combined, and how many elements each has.
fn fold_of(call: &mut Caller<'_>, request: u32) -> Option<(Arc<Fold>, VecDeque<Piece>, u64)> {
    let request = call.own().requests.get(&request)?;
    let (Some(Done::Parts(pieces)), Some(fold)) = (&request.done, &request.fold) else { return None };
    let count = (pieces.front()?.data.len() as u64).checked_div(fold.layout.size)?;
    (pieces.len() > 1).then(|| (fold.clone(), pieces.clone(), count))
}

/// The request whose pieces are being combined.
fn running_fold(call: &mut Caller<'_>) -> Result<(u32, Arc<Fold>, VecDeque<Piece>, u64), Fault> {
    if let Some(&Errand::Fold { request }) = call.own().running.last()
        && let Some((fold, pieces, count)) = fold_of(call, request)
    {
        return Ok((request, fold, pieces, count));
    }
    call.wrong(error::OPERATION, "no operation of the program is wanted")
}

/// What is to be done: its kind and numbers; kind 0 if there is nothing.
fn wanted(call: &mut Caller<'_>) -> Result<Next, Fault> {
    let at = call.word();
    let mut numbers = [0i64; 5];
    while let Some(errand) = call.own().errands.pop_front() {
        numbers = match errand {
            Errand::Fold { request } => {
                let Some((fold, _, count)) = fold_of(call, request) else { continue };
                let (bytes, first) = room(&fold, count);
                let kind = if fold.procedure.by_value { 2 } else { 1 };
                [kind, bytes as i64, first as i64 + 1, count as i64, fold.datatype.into()]
            }
            Errand::Copy { object, key, extra, value, .. } => [3, object.into(), key.into(), extra, value],
            Errand::Delete { object, key, extra, value, .. } => [4, object.into(), key.into(), extra, value],
            Errand::Handle { object, class, .. } => [5, object.into(), class.into(), 0, 0],
            Errand::Query { extra, .. } => [6, extra as i64, 0, 0, 0],
            Errand::Release { extra, .. } => [7, extra as i64, 0, 0, 0],
            Errand::Cancel { extra, is_complete, .. } => [8, extra as i64, is_complete.into(), 0, 0],
        };
        call.own().running.push(errand);
        break;
    }
    for (i, number) in numbers.into_iter().enumerate() {
        call.set_long(at + 8 * i as u64, number)?;
    }
    Ok(Next::Done)
}

/// Sets a procedure pointer.
fn callee(call: &mut Caller<'_>) -> Result<Next, Fault> {
    let at = call.plain_buffer()?.address();
    let procedure = match call.own().running.last() {
        Some(&Errand::Fold { .. }) => running_fold(call)?.1.procedure,
        Some(
            &Errand::Copy { procedure, .. }
            | &Errand::Delete { procedure, .. }
            | &Errand::Handle { procedure, .. }
            | &Errand::Query { procedure, .. }
            | &Errand::Release { procedure, .. }
            | &Errand::Cancel { procedure, .. },
        ) => procedure,
        None => return call.wrong(error::OTHER, "no procedure of the program is wanted"),
    };
    call.set_long(at, procedure.word as i64)?;
    Ok(Next::Done)
}

/// Where the first element is in a room at an address.
fn elements(address: u64, fold: &Fold, count: u64) -> Buffer {
    Buffer::at(address + room(fold, count).1)
}

/// Puts the operands into rooms.
fn operands(call: &mut Caller<'_>) -> Result<Next, Fault> {
    let rooms = [call.plain_buffer()?.address(), call.plain_buffer()?.address()];
    let (_, fold, pieces, count) = running_fold(call)?;
    for (address, piece) in rooms.into_iter().zip(&pieces) {
        let there = elements(address, &fold, count);
        there.scatter(&fold.layout, count, &piece.data, call.memory).map_err(|at| call.outside(at))?;
    }
    Ok(Next::Done)
}

/// Takes the result of an operation, which is where its second operand was.
fn folded(call: &mut Caller<'_>) -> Result<Next, Fault> {
    let address = call.plain_buffer()?.address();
    let (number, fold, mut pieces, count) = running_fold(call)?;
    let data = elements(address, &fold, count).gather(&fold.layout, count, call.memory);
    let data = data.map_err(|at| call.outside(at))?;
    call.own().running.pop();
    let first = pieces.pop_front();
    pieces.pop_front();
    let step = first.map_or(call.step, |piece| piece.step);
    pieces.push_front(Piece { data: Arc::new(data), signature: fold.layout.signature(count), step });
    let is_last = pieces.len() == 1;
    if !is_last {
        call.own().errands.push_front(Errand::Fold { request: number });
    }
    if let Some(request) = call.own().requests.get_mut(&number) {
        request.done = Some(if is_last {
            Done::Results { pieces: pieces.into(), communicator: None }
        } else {
            Done::Parts(pieces)
        });
    }
    call.world.changed();
    Ok(Next::Done)
}

/// Takes what another procedure has said.
fn answered(call: &mut Caller<'_>) -> Result<Next, Fault> {
    let (value, is_copied, error) = (call.long()?, call.int()? & 1 == 1, call.int()?);
    let own = call.own();
    own.running.pop();
    own.reply = Reply { value, is_copied, error };
    Ok(Next::Done)
}

/// Takes the status of a request of the program's own, which is done with that.
fn queried(call: &mut Caller<'_>) -> Result<Next, Fault> {
    let at = call.word();
    let words = call.ints_at(at, (STATUS_BYTES / 4) as usize)?;
    let bytes = u64::from(words[3] as u32) | u64::from(words[4] as u32) << 32;
    let status = Status { source: words[0], tag: words[1], bytes, is_cancelled: words[5] != 0 };
    if let Some(Errand::Query { request, .. }) = call.own().running.pop() {
        let rank = call.rank;
        call.world.set_done(rank, request, Done::Alone(status));
    }
    Ok(Next::Done)
}
