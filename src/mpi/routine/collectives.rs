//! Collective operations on data, blocking and not.
//!
//! Arguments that only the root uses are looked at on the root only; a routine therefore takes the communicator first. The
//! places of arguments count words: a choice buffer has two.

use super::operations::{Chosen, chosen};
use super::{Routine, row};
use crate::collective::{Operation, Part};
use crate::error::{self, Fault};
use crate::handle::Kind;
use crate::message::Piece;
use crate::request::Landing;
use crate::world::call::{Caller, Next, wait};
use crate::world::rank::Until;
use std::sync::Arc;

pub(super) static ROUTINES: &[Routine] = &[
    row("MPI_Barrier", |call| barrier(call, true)),
    row("MPI_Ibarrier", |call| barrier(call, false)),
    row("MPI_Bcast", |call| broadcast(call, true)),
    row("MPI_Ibcast", |call| broadcast(call, false)),
    row("MPI_Reduce", |call| reduce_to_root(call, true)),
    row("MPI_Ireduce", |call| reduce_to_root(call, false)),
    row("MPI_Allreduce", |call| reduce(call, Operation::Allreduce, true)),
    row("MPI_Iallreduce", |call| reduce(call, Operation::Allreduce, false)),
    row("MPI_Scan", |call| reduce(call, Operation::Scan, true)),
    row("MPI_Iscan", |call| reduce(call, Operation::Scan, false)),
    row("MPI_Exscan", |call| reduce(call, Operation::Exscan, true)),
    row("MPI_Iexscan", |call| reduce(call, Operation::Exscan, false)),
    row("MPI_Reduce_scatter", |call| reduce_scatter(call, false, true)),
    row("MPI_Reduce_scatter_block", |call| reduce_scatter(call, true, true)),
    row("MPI_Ireduce_scatter", |call| reduce_scatter(call, false, false)),
    row("MPI_Ireduce_scatter_block", |call| reduce_scatter(call, true, false)),
    row("MPI_Gather", |call| gather(call, Lengths::Alike, true)),
    row("MPI_Gatherv", |call| gather(call, Lengths::Varied, true)),
    row("MPI_Igather", |call| gather(call, Lengths::Alike, false)),
    row("MPI_Igatherv", |call| gather(call, Lengths::Varied, false)),
    row("MPI_Scatter", |call| scatter(call, Lengths::Alike, true)),
    row("MPI_Scatterv", |call| scatter(call, Lengths::Varied, true)),
    row("MPI_Iscatter", |call| scatter(call, Lengths::Alike, false)),
    row("MPI_Iscatterv", |call| scatter(call, Lengths::Varied, false)),
    row("MPI_Allgather", |call| all_gather(call, Lengths::Alike, true)),
    row("MPI_Allgatherv", |call| all_gather(call, Lengths::Varied, true)),
    row("MPI_Iallgather", |call| all_gather(call, Lengths::Alike, false)),
    row("MPI_Iallgatherv", |call| all_gather(call, Lengths::Varied, false)),
    row("MPI_Alltoall", |call| all_to_all(call, Lengths::Alike, true)),
    row("MPI_Alltoallv", |call| all_to_all(call, Lengths::Varied, true)),
    row("MPI_Alltoallw", |call| all_to_all(call, Lengths::Typed, true)),
    row("MPI_Ialltoallw", |call| all_to_all(call, Lengths::Typed, false)),
    row("MPI_Ialltoall", |call| all_to_all(call, Lengths::Alike, false)),
    row("MPI_Ialltoallv", |call| all_to_all(call, Lengths::Varied, false)),
];

/// Whether the parts of all ranks have one length, or each its own, with displacements.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Lengths {
    Alike,
    Varied,
    /// Each has a datatype of its own too, and displacements count bytes.
    Typed,
    /// As `Typed`, with displacements of kind `MPI_ADDRESS_KIND`.
    Placed,
}

impl Lengths {
    /// How many words the counts and displacements take.
    pub(super) fn words(self) -> usize {
        match self {
            Lengths::Alike => 1,
            Lengths::Varied | Lengths::Typed | Lengths::Placed => 2,
        }
    }

    /// Whether displacements count bytes.
    fn is_in_bytes(self) -> bool {
        matches!(self, Lengths::Typed | Lengths::Placed)
    }
}

impl Caller<'_> {
    /// A part without data.
    pub(super) fn part(&self) -> Part {
        Part {
            step: self.step,
            request: 0,
            root: None,
            operator: None,
            fold: None,
            pieces: Vec::new(),
            numbers: Vec::new(),
            cart: None,
        }
    }

    /// Begins to wait for all ranks of a communicator; gives the request.
    pub(super) fn meet(&mut self, communicator: u32) -> Result<u32, Fault> {
        let part = self.part();
        self.join(communicator, Operation::Barrier, part, &[], Vec::new())
    }

    pub(super) fn piece(&mut self, data: &Landing) -> Result<Piece, Fault> {
        let Landing { buffer, layout, count } = data;
        let bytes = buffer.gather(layout, *count, self.memory).map_err(|at| self.outside(at))?;
        Ok(Piece { data: Arc::new(bytes), signature: layout.signature(*count), step: self.step })
    }

    pub(super) fn pieces(&mut self, data: &[Landing]) -> Result<Vec<Piece>, Fault> {
        data.iter().map(|data| self.piece(data)).collect()
    }

    /// The communicator that is the argument at a place.
    pub(super) fn comm_at(&mut self, place: usize) -> Result<u32, Fault> {
        self.taken = place;
        self.comm()
    }

    /// The root that is the argument at a place.
    fn root_at(&mut self, place: usize, communicator: u32) -> Result<u32, Fault> {
        self.taken = place;
        let root = self.int()?;
        self.root(root, communicator)
    }

    /// Buffer, counts and datatype of the parts of all ranks, at a place; `None` for `MPI_IN_PLACE`.
    fn parts_at(&mut self, place: usize, lengths: Lengths, communicator: u32) -> Result<Option<Vec<Landing>>, Fault> {
        let size = self.communicator(communicator).size() as usize;
        self.parts_of(place, lengths, size)
    }

    /// The same for as many ranks.
    pub(super) fn parts_of(
        &mut self,
        place: usize,
        lengths: Lengths,
        size: usize,
    ) -> Result<Option<Vec<Landing>>, Fault> {
        self.taken = place;
        let Some(buffer) = self.buffer()? else { return Ok(None) };
        let (counts, displacements) = match lengths {
            Lengths::Alike => {
                let count = self.count()? as i64;
                (vec![count; size], (0..size as i64).map(|i| i.saturating_mul(count)).collect::<Vec<_>>())
            }
            Lengths::Placed => (self.amounts(size)?, self.longs(size)?),
            Lengths::Varied | Lengths::Typed => (self.amounts(size)?, self.amounts(size)?),
        };
        let layouts = match lengths {
            Lengths::Typed | Lengths::Placed => {
                let handles = self.ints(size)?;
                handles.into_iter().map(|handle| self.layout_of(handle)).collect::<Result<Vec<_>, _>>()?
            }
            _ => vec![self.layout()?; size],
        };
        let mut out = Vec::with_capacity(size);
        for ((count, displacement), layout) in counts.into_iter().zip(displacements).zip(layouts) {
            let count = self.checked_count(count)?;
            let step = if lengths.is_in_bytes() { 1 } else { layout.extent };
            let buffer = buffer.shifted(displacement.wrapping_mul(step));
            out.push(Landing { buffer, layout, count });
        }
        if let Some(longest) = out.iter().max_by_key(|data| data.count).cloned() {
            self.check_type(&longest);
        }
        Ok(Some(out))
    }

    /// The same where `MPI_IN_PLACE` is no choice.
    fn plain_parts_at(&mut self, place: usize, lengths: Lengths, communicator: u32) -> Result<Vec<Landing>, Fault> {
        match self.parts_at(place, lengths, communicator)? {
            Some(parts) => Ok(parts),
            None => self.wrong(error::BUFFER, "`MPI_IN_PLACE` cannot be given here"),
        }
    }

    /// Brings the part, and waits; or sets the request that is the argument at a place.
    pub(super) fn collective(
        &mut self,
        communicator: u32,
        operation: Operation,
        part: Part,
        (read, landings): (&[Landing], Vec<Landing>),
        (is_blocking, place): (bool, usize),
    ) -> Result<Next, Fault> {
        let request = self.join(communicator, operation, part, read, landings)?;
        if is_blocking {
            return wait(Until::All(vec![request]), move |call| call.complete(request).map(drop));
        }
        self.taken = place;
        let at = self.word();
        self.set_int(at, Kind::Request.handle(request))?;
        Ok(Next::Done)
    }
}

fn barrier(call: &mut Caller<'_>, is_blocking: bool) -> Result<Next, Fault> {
    let communicator = call.comm_at(0)?;
    let part = call.part();
    call.collective(communicator, Operation::Barrier, part, (&[], Vec::new()), (is_blocking, 1))
}

fn broadcast(call: &mut Caller<'_>, is_blocking: bool) -> Result<Next, Fault> {
    let communicator = call.comm_at(5)?;
    let root = call.root_at(4, communicator)?;
    call.taken = 0;
    let data = call.data()?;
    let is_root = call.rank_in(communicator) == root;
    let (read, landings) = if is_root { (vec![data], Vec::new()) } else { (Vec::new(), vec![data]) };
    let part = Part { root: Some(root), pieces: call.pieces(&read)?, ..call.part() };
    call.collective(communicator, Operation::Broadcast, part, (&read, landings), (is_blocking, 6))
}

/// Buffers of a reduction: what the rank brings, and where the result goes. `takes` says whether it gets one.
fn reduction(call: &mut Caller<'_>, takes: bool) -> Result<(Landing, Landing, Chosen), Fault> {
    call.taken = 4;
    let count = call.count()?;
    let (layout, operation) = chosen(call)?;
    call.taken = 0;
    let from = call.buffer()?;
    let into = if takes || from.is_none() {
        call.plain_buffer()?
    } else {
        call.buffer()?.unwrap_or(crate::buffer::Buffer::at(0))
    };
    if from.is_none() && !takes {
        return call.wrong(error::BUFFER, "`MPI_IN_PLACE` can be given on the root only");
    }
    let data = |buffer| Landing { buffer, layout: layout.clone(), count };
    let from = data(from.unwrap_or_else(|| into.clone()));
    call.check_type(&from);
    Ok((from, data(into), operation))
}

fn reduce_to_root(call: &mut Caller<'_>, is_blocking: bool) -> Result<Next, Fault> {
    let communicator = call.comm_at(8)?;
    let root = call.root_at(7, communicator)?;
    let is_root = call.rank_in(communicator) == root;
    let (from, into, operation) = reduction(call, is_root)?;
    let pieces = vec![call.piece(&from)?];
    let part = Part { root: Some(root), pieces, ..operation.part(call) };
    call.collective(
        communicator,
        Operation::Reduce,
        part,
        (&[from], if is_root { vec![into] } else { Vec::new() }),
        (is_blocking, 9),
    )
}

fn reduce(call: &mut Caller<'_>, operation: Operation, is_blocking: bool) -> Result<Next, Fault> {
    let communicator = call.comm_at(7)?;
    let (from, into, chosen) = reduction(call, true)?;
    let pieces = vec![call.piece(&from)?];
    let part = Part { pieces, ..chosen.part(call) };
    call.collective(communicator, operation, part, (&[from], vec![into]), (is_blocking, 8))
}

fn reduce_scatter(call: &mut Caller<'_>, is_block: bool, is_blocking: bool) -> Result<Next, Fault> {
    let communicator = call.comm_at(7)?;
    let size = call.communicator(communicator).size() as usize;
    call.taken = 0;
    let (from, into) = (call.buffer()?, call.plain_buffer()?);
    let counts = if is_block { vec![call.count()? as i64; size] } else { call.amounts(size)? };
    let (layout, chosen) = chosen(call)?;
    let counts: Vec<u64> = counts.into_iter().map(|n| call.checked_count(n)).collect::<Result<_, _>>()?;
    let rank = call.rank_in(communicator) as usize;
    let data = |buffer, count| Landing { buffer, layout: layout.clone(), count };
    let all = counts.iter().fold(0u64, |sum, count| sum.saturating_add(*count));
    let from = data(from.unwrap_or_else(|| into.clone()), all);
    call.check_type(&from);
    let pieces = vec![call.piece(&from)?];
    let numbers = counts.iter().map(|n| n.saturating_mul(layout.size) as i64).collect();
    let part = Part { pieces, numbers, ..chosen.part(call) };
    let landings = vec![data(into, counts[rank])];
    call.collective(communicator, Operation::ReduceScatter, part, (&[from], landings), (is_blocking, 8))
}

fn gather(call: &mut Caller<'_>, lengths: Lengths, is_blocking: bool) -> Result<Next, Fault> {
    let more = lengths.words();
    let communicator = call.comm_at(8 + more)?;
    let root = call.root_at(7 + more, communicator)?;
    let rank = call.rank_in(communicator);
    let landings = if rank == root { call.plain_parts_at(4, lengths, communicator)? } else { Vec::new() };
    call.taken = 0;
    let from = match call.data_or_in_place()? {
        Some(from) => from,
        None if rank == root => landings[rank as usize].clone(),
        None => return call.wrong(error::BUFFER, "`MPI_IN_PLACE` can be given on the root only"),
    };
    let pieces = vec![call.piece(&from)?];
    let part = Part { root: Some(root), pieces, ..call.part() };
    call.collective(communicator, Operation::Gather, part, (&[from], landings), (is_blocking, 9 + more))
}

fn scatter(call: &mut Caller<'_>, lengths: Lengths, is_blocking: bool) -> Result<Next, Fault> {
    let more = lengths.words();
    let communicator = call.comm_at(8 + more)?;
    let root = call.root_at(7 + more, communicator)?;
    let rank = call.rank_in(communicator);
    let sent = if rank == root { call.plain_parts_at(0, lengths, communicator)? } else { Vec::new() };
    call.taken = 3 + more;
    let into = match call.data_or_in_place()? {
        Some(into) => into,
        None if rank == root => sent[rank as usize].clone(),
        None => return call.wrong(error::BUFFER, "`MPI_IN_PLACE` can be given on the root only"),
    };
    let pieces = call.pieces(&sent)?;
    let part = Part { root: Some(root), pieces, ..call.part() };
    call.collective(communicator, Operation::Scatter, part, (&sent, vec![into]), (is_blocking, 9 + more))
}

fn all_gather(call: &mut Caller<'_>, lengths: Lengths, is_blocking: bool) -> Result<Next, Fault> {
    let more = lengths.words();
    let communicator = call.comm_at(7 + more)?;
    let landings = call.plain_parts_at(4, lengths, communicator)?;
    let rank = call.rank_in(communicator) as usize;
    call.taken = 0;
    let from = call.data_or_in_place()?.unwrap_or_else(|| landings[rank].clone());
    let pieces = vec![call.piece(&from)?];
    let part = Part { pieces, ..call.part() };
    call.collective(communicator, Operation::Allgather, part, (&[from], landings), (is_blocking, 8 + more))
}

fn all_to_all(call: &mut Caller<'_>, lengths: Lengths, is_blocking: bool) -> Result<Next, Fault> {
    let more = lengths.words();
    let communicator = call.comm_at(6 + 2 * more)?;
    let landings = call.plain_parts_at(3 + more, lengths, communicator)?;
    let sent = call.parts_at(0, lengths, communicator)?.unwrap_or_else(|| landings.clone());
    let pieces = call.pieces(&sent)?;
    let part = Part { pieces, ..call.part() };
    call.collective(communicator, Operation::Alltoall, part, (&sent, landings), (is_blocking, 7 + 2 * more))
}
