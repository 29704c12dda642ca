//! Cartesian topologies.

use super::communicators::make;
use super::{Routine, anywhere, row};
use crate::error::{self, Fault};
use crate::handle::UNDEFINED;
use crate::topology::{Cart, Graph, dims_create};
use crate::world::call::{Caller, Next};
use std::sync::Arc;

pub(super) static ROUTINES: &[Routine] = &[
    anywhere("MPI_Dims_create", dims),
    row("MPI_Cart_create", create),
    row("MPI_Cart_coords", coordinates),
    row("MPI_Cart_rank", rank),
    row("MPI_Cart_shift", shift),
    row("MPI_Cart_get", get),
    row("MPI_Cart_sub", sub),
    row("MPI_Cartdim_get", dimensions),
    row("MPI_Topo_test", test),
    row("MPI_Cart_map", map),
];

/// `MPI_GRAPH`, `MPI_CART`, `MPI_DIST_GRAPH`.
const GRAPH: i32 = 1;
const CART: i32 = 2;
const DISTRIBUTED: i32 = 3;

fn dims(call: &mut Caller<'_>) -> Result<Next, Fault> {
    let (nodes, count, at) = (call.int()?, call.count()?, call.word());
    let given = call.ints_at(at, count as usize)?;
    match dims_create(nodes, &given) {
        Some(dims) => call.set_ints(at, &dims)?,
        None => {
            let reason = format!("{nodes} ranks cannot be divided by the extents that are given");
            return call.wrong(error::DIMENSIONS, reason);
        }
    }
    Ok(Next::Done)
}

fn create(call: &mut Caller<'_>) -> Result<Next, Fault> {
    let (parent, count) = (call.comm()?, call.count()? as usize);
    let (extents, periods) = (call.ints(count)?, call.ints(count)?);
    call.word();
    let at = call.word();
    let dims: Vec<(i32, bool)> = extents.iter().zip(&periods).map(|(&n, &p)| (n, p & 1 == 1)).collect();
    let cart = Cart { dims };
    let size = call.communicator(parent).size();
    if extents.iter().any(|&n| n <= 0) || cart.size() > u64::from(size) {
        let shown: Vec<String> = extents.iter().map(i32::to_string).collect();
        let reason = format!("a grid of {} ranks cannot be made of {size}", shown.join(" by "));
        return call.wrong(error::DIMENSIONS, reason);
    }
    let rank = call.rank_in(parent);
    let colour = if u64::from(rank) < cart.size() { 0 } else { UNDEFINED };
    make(call, parent, [colour, rank as i32], Some(Arc::new(cart)), at)
}

/// A communicator with a grid: its number and the grid.
fn grid(call: &mut Caller<'_>) -> Result<(u32, Arc<Cart>), Fault> {
    let communicator = call.comm()?;
    match call.communicator(communicator).cart.clone() {
        Some(cart) => Ok((communicator, cart)),
        None => call.wrong(error::TOPOLOGY, "the communicator has no Cartesian topology"),
    }
}

fn coordinates(call: &mut Caller<'_>) -> Result<Next, Fault> {
    let (communicator, cart) = grid(call)?;
    let rank = call.int()?;
    let rank = match call.checked_rank(rank, communicator, "the rank")? {
        rank @ 0.. => rank as u32,
        _ => return call.wrong(error::RANK, "the rank is `MPI_PROC_NULL`"),
    };
    let (count, at) = (call.count()? as usize, call.word());
    let out = cart.coordinates(rank);
    call.set_ints(at, &out[..out.len().min(count)])?;
    Ok(Next::Done)
}

fn rank(call: &mut Caller<'_>) -> Result<Next, Fault> {
    let (_, cart) = grid(call)?;
    let (coordinates, at) = (call.ints(cart.dims.len())?, call.word());
    let Some(rank) = cart.rank(&coordinates) else {
        return call.wrong(error::RANK, "the coordinates are outside of a dimension that is not periodic");
    };
    call.set_int(at, rank as i32)?;
    Ok(Next::Done)
}

fn shift(call: &mut Caller<'_>) -> Result<Next, Fault> {
    let (communicator, cart) = grid(call)?;
    let (dimension, step, source_at, to_at) = (call.int()?, call.int()?, call.word(), call.word());
    let Some(dimension) = usize::try_from(dimension).ok().filter(|d| *d < cart.dims.len()) else {
        let reason =
            format!("the dimension is {dimension}, and the grid has dimensions 0 to {}", cart.dims.len() as i64 - 1);
        return call.wrong(error::DIMENSIONS, reason);
    };
    let [source, to] = cart.shift(call.rank_in(communicator), dimension, step);
    call.set_int(source_at, source)?;
    call.set_int(to_at, to)?;
    Ok(Next::Done)
}

fn get(call: &mut Caller<'_>) -> Result<Next, Fault> {
    let (communicator, cart) = grid(call)?;
    let count = call.count()? as usize;
    let (extents_at, periods_at, at) = (call.word(), call.word(), call.word());
    let here = cart.coordinates(call.rank_in(communicator));
    let extents: Vec<i32> = cart.dims.iter().map(|d| d.0).collect();
    let periods: Vec<i32> = cart.dims.iter().map(|d| -i32::from(d.1)).collect();
    let shown = count.min(extents.len());
    call.set_ints(extents_at, &extents[..shown])?;
    call.set_ints(periods_at, &periods[..shown])?;
    call.set_ints(at, &here[..shown])?;
    Ok(Next::Done)
}

/// The colour of a rank is where it is in the dimensions that do not stay.
fn sub(call: &mut Caller<'_>) -> Result<Next, Fault> {
    let (parent, cart) = grid(call)?;
    let (stays, at) = (call.ints(cart.dims.len())?, call.word());
    let rank = call.rank_in(parent);
    let here = cart.coordinates(rank);
    let mut colour = 0;
    let mut dims = Vec::new();
    for ((&dim, &stays), &place) in cart.dims.iter().zip(&stays).zip(&here) {
        if stays & 1 == 1 {
            dims.push(dim);
        } else {
            colour = colour * dim.0 + place;
        }
    }
    make(call, parent, [colour, rank as i32], Some(Arc::new(Cart { dims })), at)
}

/// Ranks stay what they are.
fn map(call: &mut Caller<'_>) -> Result<Next, Fault> {
    let (communicator, count) = (call.comm()?, call.count()? as usize);
    let extents = call.ints(count)?;
    call.word();
    let at = call.word();
    let size = extents.iter().map(|&n| u64::from(n.max(0) as u32)).fold(1, u64::saturating_mul);
    let rank = call.rank_in(communicator);
    call.set_int(at, if u64::from(rank) < size { rank as i32 } else { UNDEFINED })?;
    Ok(Next::Done)
}

fn dimensions(call: &mut Caller<'_>) -> Result<Next, Fault> {
    let (_, cart) = grid(call)?;
    let at = call.word();
    call.set_int(at, cart.dims.len() as i32)?;
    Ok(Next::Done)
}

fn test(call: &mut Caller<'_>) -> Result<Next, Fault> {
    let (communicator, at) = (call.comm()?, call.word());
    let has_grid = call.communicator(communicator).cart.is_some();
    let kind = match call.own().graphs.get(&communicator).map(|graph| &**graph) {
        Some(Graph::Whole { .. }) => GRAPH,
        Some(Graph::Distributed { .. }) => DISTRIBUTED,
        None if has_grid => CART,
        None => UNDEFINED,
    };
    call.set_int(at, kind)?;
    Ok(Next::Done)
}
