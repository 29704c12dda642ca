//! Graph topologies: those that every rank knows as a whole, and distributed ones.

use super::communicators::{make, make_then};
use super::{Routine, row};
use crate::collective::{Operation, Part};
use crate::error::{self, Fault};
use crate::handle::{Kind, UNDEFINED};
use crate::layout::Signature;
use crate::message::Piece;
use crate::topology::Graph;
use crate::world::call::{Caller, Next, wait_again};
use crate::world::rank::Until;
use std::sync::Arc;

pub(super) static ROUTINES: &[Routine] = &[
    row("MPI_Graph_create", create),
    row("MPI_Graph_map", map),
    row("MPI_Graphdims_get", dimensions),
    row("MPI_Graph_get", get),
    row("MPI_Graph_neighbors_count", count_neighbours),
    row("MPI_Graph_neighbors", neighbours),
    row("MPI_Dist_graph_create", create_distributed),
    row("MPI_Dist_graph_create_adjacent", create_adjacent),
    row("MPI_Dist_graph_neighbors_count", count_edges),
    row("MPI_Dist_graph_neighbors", edges),
];

/// Ends of the neighbours of each rank, and the neighbours.
fn whole(call: &mut Caller<'_>, communicator: u32) -> Result<(Vec<i32>, Vec<i32>), Fault> {
    let (count, size) = (call.count()?, call.communicator(communicator).size());
    if count > size.into() {
        return call.wrong(error::TOPOLOGY, format!("a graph of {count} ranks cannot be made of {size}"));
    }
    let index = call.ints(count as usize)?;
    if index.windows(2).any(|pair| pair[0] > pair[1]) || index.first().is_some_and(|&n| n < 0) {
        return call.wrong(error::ARGUMENT, "the numbers of neighbours are to be added up, and fall in the list");
    }
    let edges = call.ints(index.last().map_or(0, |&n| n as usize))?;
    if let Some(edge) = edges.iter().find(|&&edge| edge < 0 || edge as u64 >= count) {
        return call.wrong(error::ARGUMENT, format!("rank {edge} is a neighbour, but the graph has {count} ranks"));
    }
    Ok((index, edges))
}

fn create(call: &mut Caller<'_>) -> Result<Next, Fault> {
    let parent = call.comm()?;
    let (index, edges) = whole(call, parent)?;
    call.word();
    let (at, rank) = (call.word(), call.rank_in(parent));
    if rank as usize >= index.len() {
        return make(call, parent, [UNDEFINED, 0], None, at);
    }
    give(call, parent, Arc::new(Graph::Whole { index, edges }), at)
}

/// Makes the communicator with a graph, as the rank knows it.
fn give(call: &mut Caller<'_>, parent: u32, graph: Arc<Graph>, at: u64) -> Result<Next, Fault> {
    let rank = call.rank_in(parent);
    make_then(call, parent, [0, rank as i32], None, move |call, made| {
        call.own().graphs.insert(made, graph.clone());
        call.give_made(Kind::Communicator, made, at)?;
        Ok(Next::Done)
    })
}

/// Ranks stay what they are.
fn map(call: &mut Caller<'_>) -> Result<Next, Fault> {
    let communicator = call.comm()?;
    let (index, _) = whole(call, communicator)?;
    let (at, rank) = (call.word(), call.rank_in(communicator));
    call.set_int(at, if (rank as usize) < index.len() { rank as i32 } else { UNDEFINED })?;
    Ok(Next::Done)
}

/// The graph of the communicator that is the next argument.
fn graph(call: &mut Caller<'_>, is_distributed: bool) -> Result<(u32, Arc<Graph>), Fault> {
    let communicator = call.comm()?;
    match call.own().graphs.get(&communicator).cloned() {
        Some(graph) if matches!(*graph, Graph::Distributed { .. }) == is_distributed => Ok((communicator, graph)),
        _ if is_distributed => call.wrong(error::TOPOLOGY, "the communicator has no distributed graph"),
        _ => call.wrong(error::TOPOLOGY, "the communicator has no graph that was made by `MPI_Graph_create`"),
    }
}

fn dimensions(call: &mut Caller<'_>) -> Result<Next, Fault> {
    let ((_, graph), nodes_at, edges_at) = (graph(call, false)?, call.word(), call.word());
    if let Graph::Whole { index, edges } = &*graph {
        call.set_int(nodes_at, index.len() as i32)?;
        call.set_int(edges_at, edges.len() as i32)?;
    }
    Ok(Next::Done)
}

fn get(call: &mut Caller<'_>) -> Result<Next, Fault> {
    let ((_, graph), most) = (graph(call, false)?, [call.count()? as usize, call.count()? as usize]);
    let (index_at, edges_at) = (call.word(), call.word());
    if let Graph::Whole { index, edges } = &*graph {
        call.set_ints(index_at, &index[..index.len().min(most[0])])?;
        call.set_ints(edges_at, &edges[..edges.len().min(most[1])])?;
    }
    Ok(Next::Done)
}

fn rank_of(call: &mut Caller<'_>, communicator: u32) -> Result<u32, Fault> {
    let (rank, size) = (call.int()?, call.communicator(communicator).size());
    match u32::try_from(rank) {
        Ok(rank) if rank < size => Ok(rank),
        _ => call.wrong(error::RANK, format!("the rank is {rank}, and the communicator has {size}")),
    }
}

fn count_neighbours(call: &mut Caller<'_>) -> Result<Next, Fault> {
    let (communicator, graph) = graph(call, false)?;
    let (rank, at) = (rank_of(call, communicator)?, call.word());
    call.set_int(at, graph.neighbours(rank).len() as i32)?;
    Ok(Next::Done)
}

fn neighbours(call: &mut Caller<'_>) -> Result<Next, Fault> {
    let (communicator, graph) = graph(call, false)?;
    let (rank, most, at) = (rank_of(call, communicator)?, call.count()? as usize, call.word());
    let all = graph.neighbours(rank);
    call.set_ints(at, &all[..all.len().min(most)])?;
    Ok(Next::Done)
}

/// Weights of edges; `None` for `MPI_UNWEIGHTED`.
fn weights(call: &mut Caller<'_>, count: usize) -> Result<Option<Vec<i32>>, Fault> {
    let at = call.peek();
    if call.memory.is_named(at, "mpi_unweighted") {
        call.taken += 1;
        return Ok(None);
    }
    if call.memory.is_named(at, "mpi_weights_empty") {
        call.taken += 1;
        return match count {
            0 => Ok(Some(Vec::new())),
            _ => call.wrong(error::ARGUMENT, "`MPI_WEIGHTS_EMPTY` is given, but there are edges"),
        };
    }
    call.ints(count).map(Some)
}

fn check_ranks(call: &Caller<'_>, ranks: &[i32], communicator: u32) -> Result<(), Fault> {
    let size = call.communicator(communicator).size();
    match ranks.iter().find(|&&rank| rank < 0 || rank as u32 >= size) {
        Some(rank) => call.wrong(error::RANK, format!("rank {rank} is named, but the communicator has {size}")),
        None => Ok(()),
    }
}

fn edges_of(ranks: Vec<i32>, weights: Option<&Vec<i32>>) -> Vec<[i32; 2]> {
    let weight = |at: usize| weights.and_then(|weights| weights.get(at)).copied().unwrap_or(1);
    ranks.into_iter().enumerate().map(|(i, rank)| [rank, weight(i)]).collect()
}

fn create_adjacent(call: &mut Caller<'_>) -> Result<Next, Fault> {
    let parent = call.comm()?;
    let side = |call: &mut Caller<'_>| {
        let count = call.count()? as usize;
        let ranks = call.ints(count)?;
        check_ranks(call, &ranks, parent)?;
        let weights = weights(call, count)?;
        Ok((edges_of(ranks, weights.as_ref()), weights.is_some()))
    };
    let ((sources, is_weighted), (targets, is_too)) = (side(call)?, side(call)?);
    if is_weighted != is_too {
        return call.wrong(error::ARGUMENT, "only one of the two lists has weights");
    }
    call.taken += 2;
    let at = call.word();
    give(call, parent, Arc::new(Graph::Distributed { sources, targets, is_weighted }), at)
}

/// Each rank brings some edges of others; all get all and keep their own.
fn create_distributed(call: &mut Caller<'_>) -> Result<Next, Fault> {
    let parent = call.comm()?;
    let count = call.count()? as usize;
    let (sources, degrees) = (call.ints(count)?, call.ints(count)?);
    let mut all = 0;
    for degree in &degrees {
        all += call.checked_count((*degree).into())? as usize;
    }
    let targets = call.ints(all)?;
    let weights = weights(call, all)?;
    check_ranks(call, &sources, parent)?;
    check_ranks(call, &targets, parent)?;
    call.taken += 2;
    let (at, is_weighted) = (call.word(), weights.is_some());
    let mut bytes = Vec::new();
    let from = sources.iter().zip(&degrees).flat_map(|(&source, &degree)| std::iter::repeat_n(source, degree as usize));
    for (source, [target, weight]) in from.zip(edges_of(targets, weights.as_ref())) {
        bytes.extend([source, target, weight].iter().flat_map(|n| n.to_le_bytes()));
    }
    let piece = Piece { data: Arc::new(bytes), signature: Signature::empty(), step: call.step };
    let part = Part { pieces: vec![piece], ..call.part() };
    let request = call.join(parent, Operation::Allgather, part, &[], Vec::new())?;
    wait_again(Until::All(vec![request]), move |call| {
        let own = call.rank_in(parent) as i32;
        let (mut sources, mut targets) = (Vec::new(), Vec::new());
        for piece in call.complete_raw(request) {
            for edge in piece.data.as_chunks::<12>().0 {
                let numbers = edge.as_chunks::<4>().0;
                let [source, target, weight] = [0, 1, 2].map(|i| i32::from_le_bytes(numbers[i]));
                if source == own {
                    targets.push([target, weight]);
                }
                if target == own {
                    sources.push([source, weight]);
                }
            }
        }
        give(call, parent, Arc::new(Graph::Distributed { sources, targets, is_weighted }), at)
    })
}

fn count_edges(call: &mut Caller<'_>) -> Result<Next, Fault> {
    let ((_, graph), places) = (graph(call, true)?, [call.word(), call.word(), call.word()]);
    if let Graph::Distributed { sources, targets, is_weighted } = &*graph {
        call.set_int(places[0], sources.len() as i32)?;
        call.set_int(places[1], targets.len() as i32)?;
        call.set_logical(places[2], *is_weighted)?;
    }
    Ok(Next::Done)
}

fn edges(call: &mut Caller<'_>) -> Result<Next, Fault> {
    let (_, graph) = graph(call, true)?;
    let Graph::Distributed { sources, targets, is_weighted } = &*graph else { return Ok(Next::Done) };
    for edges in [sources, targets] {
        let (most, ranks_at, weights_at) = (call.count()? as usize, call.word(), call.word());
        let shown = &edges[..edges.len().min(most)];
        call.set_ints(ranks_at, &shown.iter().map(|edge| edge[0]).collect::<Vec<_>>())?;
        if *is_weighted && !call.memory.is_named(weights_at, "mpi_unweighted") {
            call.set_ints(weights_at, &shown.iter().map(|edge| edge[1]).collect::<Vec<_>>())?;
        }
    }
    Ok(Next::Done)
}
