//! Communicators: making, asking, freeing.

use super::{Routine, row};
use crate::collective::{Operation, Part};
use crate::error::Fault;
use crate::group;
use crate::handle::{Kind, UNDEFINED};
use crate::topology::Cart;
use crate::world::call::{Caller, Next, wait};
use crate::world::rank::Until;
use std::sync::Arc;

pub(super) static ROUTINES: &[Routine] = &[
    row("MPI_Comm_rank", rank),
    row("MPI_Comm_size", size),
    row("MPI_Comm_dup", duplicate),
    row("MPI_Comm_split", split),
    row("MPI_Comm_split_type", split_type),
    row("MPI_Comm_create", create),
    row("MPI_Comm_free", free),
    row("MPI_Comm_disconnect", free),
    row("MPI_Comm_group", group_of),
    row("MPI_Comm_compare", compare),
    row("MPI_Comm_set_name", set_name),
    row("MPI_Comm_get_name", get_name),
    row("MPI_Comm_test_inter", test_inter),
];

fn rank(call: &mut Caller<'_>) -> Result<Next, Fault> {
    let (communicator, at) = (call.comm()?, call.word());
    let rank = call.rank_in(communicator);
    call.set_int(at, rank as i32)?;
    Ok(Next::Done)
}

fn size(call: &mut Caller<'_>) -> Result<Next, Fault> {
    let (communicator, at) = (call.comm()?, call.word());
    let size = call.communicator(communicator).size();
    call.set_int(at, size as i32)?;
    Ok(Next::Done)
}

/// Makes communicators by colour and key; the handle of the own one goes to `at`.
pub(super) fn make(
    call: &mut Caller<'_>,
    parent: u32,
    [colour, key]: [i32; 2],
    cart: Option<Arc<Cart>>,
    at: u64,
) -> Result<Next, Fault> {
    let mut numbers = vec![colour.into(), key.into()];
    if call.world.remote.is_some() {
        numbers.push(call.world.next_communicator.into());
    }
    let part = Part { numbers, cart, ..call.part() };
    let request = call.join(parent, Operation::Split, part, &[], Vec::new())?;
    wait(Until::All(vec![request]), move |call| {
        let (_, made) = call.complete(request)?;
        if let Some(made) = made {
            let own = call.own();
            if let Some(handler) = own.handlers.get(&parent).copied() {
                own.handlers.insert(made, handler);
            }
        }
        call.set_int(at, Kind::Communicator.handle(made.unwrap_or(0)))
    })
}

fn duplicate(call: &mut Caller<'_>) -> Result<Next, Fault> {
    let (parent, at) = (call.comm()?, call.word());
    let (rank, cart) = (call.rank_in(parent), call.communicator(parent).cart.clone());
    make(call, parent, [0, rank as i32], cart, at)
}

fn split(call: &mut Caller<'_>) -> Result<Next, Fault> {
    let (parent, colour, key, at) = (call.comm()?, call.int()?, call.int()?, call.word());
    if colour < 0 && colour != UNDEFINED {
        let reason = format!("the colour is {colour}, which is less than 0 and not `MPI_UNDEFINED`");
        return call.wrong(crate::error::ARGUMENT, reason);
    }
    make(call, parent, [colour, key], None, at)
}

/// Ranks share the memory of their computer.
fn split_type(call: &mut Caller<'_>) -> Result<Next, Fault> {
    let node = call.world.remote.as_ref().map_or(0, |remote| remote.place.node);
    let (parent, kind, key) = (call.comm()?, call.int()?, call.int()?);
    call.word();
    let at = call.word();
    make(call, parent, [if kind == UNDEFINED { UNDEFINED } else { node }, key], None, at)
}

fn create(call: &mut Caller<'_>) -> Result<Next, Fault> {
    let (parent, members, at) = (call.comm()?, call.group()?, call.word());
    let place = group::rank_of(&members, call.rank);
    let numbers = place.map_or([UNDEFINED, 0], |rank| [0, rank as i32]);
    make(call, parent, numbers, None, at)
}

fn free(call: &mut Caller<'_>) -> Result<Next, Fault> {
    let at = call.word();
    let handle = call.int_at(at)?;
    let communicator = call.comm_of(handle)?;
    let rank = call.rank;
    if let Some(communicator) = call.world.communicators.get_mut(&communicator) {
        communicator.freed.insert(rank);
    }
    call.set_int(at, Kind::Communicator.handle(0))?;
    Ok(Next::Done)
}

fn group_of(call: &mut Caller<'_>) -> Result<Next, Fault> {
    let (communicator, at) = (call.comm()?, call.word());
    let group = call.communicator(communicator).group.clone();
    let number = call.own().add_group(group);
    call.set_int(at, Kind::Group.handle(number))?;
    Ok(Next::Done)
}

fn compare(call: &mut Caller<'_>) -> Result<Next, Fault> {
    let (a, b, at) = (call.comm()?, call.comm()?, call.word());
    let result = match group::compare(&call.communicator(a).group, &call.communicator(b).group) {
        0 if a != b => 1,
        other => other,
    };
    call.set_int(at, result)?;
    Ok(Next::Done)
}

fn set_name(call: &mut Caller<'_>) -> Result<Next, Fault> {
    let (communicator, name) = (call.comm()?, call.text()?);
    if let Some(communicator) = call.world.communicators.get_mut(&communicator) {
        communicator.name = name.into();
    }
    Ok(Next::Done)
}

fn get_name(call: &mut Caller<'_>) -> Result<Next, Fault> {
    let communicator = call.comm()?;
    let name = call.communicator(communicator).name.clone();
    call.set_text(&name)?;
    Ok(Next::Done)
}

fn test_inter(call: &mut Caller<'_>) -> Result<Next, Fault> {
    let (_, at) = (call.comm()?, call.word());
    call.set_logical(at, false)?;
    Ok(Next::Done)
}
