//! Collective operations of neighbours in a grid or a graph, blocking and not.
//!
//! The places of arguments count words: a choice buffer has two.

use super::collectives::Lengths;
use super::{Routine, row};
use crate::collective::{Operation, Part};
use crate::error::{self, Fault};
use crate::handle::PROC_NULL;
use crate::layout::Signature;
use crate::message::Piece;
use crate::request::Landing;
use crate::topology::Neighbours;
use crate::world::call::{Caller, Next};
use std::sync::Arc;

pub(super) static ROUTINES: &[Routine] = &[
    row("MPI_Neighbor_allgather", |call| all_gather(call, Lengths::Alike, true)),
    row("MPI_Neighbor_allgatherv", |call| all_gather(call, Lengths::Varied, true)),
    row("MPI_Neighbor_alltoall", |call| all_to_all(call, Lengths::Alike, true)),
    row("MPI_Neighbor_alltoallv", |call| all_to_all(call, Lengths::Varied, true)),
    row("MPI_Neighbor_alltoallw", |call| all_to_all(call, Lengths::Placed, true)),
    row("MPI_Ineighbor_allgather", |call| all_gather(call, Lengths::Alike, false)),
    row("MPI_Ineighbor_allgatherv", |call| all_gather(call, Lengths::Varied, false)),
    row("MPI_Ineighbor_alltoall", |call| all_to_all(call, Lengths::Alike, false)),
    row("MPI_Ineighbor_alltoallv", |call| all_to_all(call, Lengths::Varied, false)),
    row("MPI_Ineighbor_alltoallw", |call| all_to_all(call, Lengths::Placed, false)),
];

/// The communicator that is the argument at a place, and who is next to the caller in it.
fn neighbours_at(call: &mut Caller<'_>, place: usize) -> Result<(u32, Neighbours), Fault> {
    let communicator = call.comm_at(place)?;
    let rank = call.rank_in(communicator);
    if let Some(cart) = &call.communicator(communicator).cart {
        return Ok((communicator, Neighbours::in_grid(cart, rank)));
    }
    match call.own().graphs.get(&communicator) {
        Some(graph) => Ok((communicator, Neighbours::in_graph(graph, rank))),
        None => call.wrong(error::TOPOLOGY, "the communicator has no topology, so nobody is next to anybody"),
    }
}

/// The parts of all of these ranks, at a place.
fn parts(call: &mut Caller<'_>, place: usize, lengths: Lengths, ranks: &[i32]) -> Result<Vec<Landing>, Fault> {
    match call.parts_of(place, lengths, ranks.len())? {
        Some(parts) => Ok(parts),
        None => call.wrong(error::BUFFER, "`MPI_IN_PLACE` cannot be given here"),
    }
}

/// Where what real ranks send goes.
fn of_real(landings: Vec<Landing>, sources: &[i32]) -> Vec<Landing> {
    landings.into_iter().zip(sources).filter(|(_, source)| **source != PROC_NULL).map(|(landing, _)| landing).collect()
}

fn bring(
    call: &mut Caller<'_>,
    (communicator, neighbours): (u32, &Neighbours),
    pieces: Vec<Piece>,
    (read, landings): (&[Landing], Vec<Landing>),
    end: (bool, usize),
) -> Result<Next, Fault> {
    let landings = of_real(landings, &neighbours.sources);
    let part = Part { pieces, numbers: neighbours.numbers(), ..call.part() };
    call.collective(communicator, Operation::Neighbour, part, (read, landings), end)
}

fn all_gather(call: &mut Caller<'_>, lengths: Lengths, is_blocking: bool) -> Result<Next, Fault> {
    let more = lengths.words();
    let (communicator, neighbours) = neighbours_at(call, 7 + more)?;
    let landings = parts(call, 4, lengths, &neighbours.sources)?;
    call.taken = 0;
    let from = call.data()?;
    let piece = call.piece(&from)?;
    let pieces = vec![piece; neighbours.targets.len()];
    bring(call, (communicator, &neighbours), pieces, (&[from], landings), (is_blocking, 8 + more))
}

fn all_to_all(call: &mut Caller<'_>, lengths: Lengths, is_blocking: bool) -> Result<Next, Fault> {
    let more = lengths.words();
    let (communicator, neighbours) = neighbours_at(call, 6 + 2 * more)?;
    let landings = parts(call, 3 + more, lengths, &neighbours.sources)?;
    let sent = parts(call, 0, lengths, &neighbours.targets)?;
    let mut pieces = Vec::with_capacity(sent.len());
    for (from, to) in sent.iter().zip(&neighbours.targets) {
        let nothing = Piece { data: Arc::default(), signature: Signature::empty(), step: call.step };
        pieces.push(if *to == PROC_NULL { nothing } else { call.piece(from)? });
    }
    bring(call, (communicator, &neighbours), pieces, (&sent, landings), (is_blocking, 7 + 2 * more))
}
