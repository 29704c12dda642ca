//! Communicators: making, asking, freeing.

use super::attributes::{copy_all, delete_all};
use super::{Routine, row};
use crate::collective::{Operation, Part};
use crate::communicator::Communicator;
use crate::error::Fault;
use crate::group;
use crate::handle::{Kind, SELF, UNDEFINED, WORLD};
use crate::request::Work;
use crate::topology::Cart;
use crate::world::call::{Caller, Next, Then, wait_again};
use crate::world::rank::Until;
use std::sync::Arc;

pub(super) static ROUTINES: &[Routine] = &[
    row("MPI_Comm_rank", rank),
    row("MPI_Comm_size", size),
    row("MPI_Comm_dup", |call| duplicate(call, false)),
    row("MPI_Comm_dup_with_info", |call| duplicate(call, true)),
    row("MPI_Comm_idup", |call| start_duplicate(call, false)),
    row("MPI_Comm_idup_with_info", |call| start_duplicate(call, true)),
    row("MPI_Comm_split", split),
    row("MPI_Comm_split_type", split_type),
    row("MPI_Comm_create", create),
    row("MPI_Comm_create_group", create_group),
    row("MPI_Comm_free", free),
    row("MPI_Comm_disconnect", free),
    row("MPI_Comm_group", group_of),
    row("MPI_Comm_compare", compare),
    row("MPI_Comm_test_inter", test_inter),
];

/// Numbers of the communicators on which the ranks of a group meet begin here, beyond those of handles. The rest is a hash of
/// the communicator, the tag and the group, so that all of the ranks have it without asking each other (Fowler, Noll, Vo).
const FIRST_MEETING: u32 = 1 << 31;
const FNV_OFFSET: u64 = 0xcbf2_9ce4_8422_2325;
const FNV_PRIME: u64 = 0x0100_0000_01b3;

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
    numbers: [i32; 2],
    cart: Option<Arc<Cart>>,
    at: u64,
) -> Result<Next, Fault> {
    make_then(call, parent, numbers, cart, move |call, made| {
        call.give_made(Kind::Communicator, made, at)?;
        Ok(Next::Done)
    })
}

/// The same, with what is done with the number of the own one, which is 0 if there is none.
pub(super) fn make_then(
    call: &mut Caller<'_>,
    parent: u32,
    [colour, key]: [i32; 2],
    cart: Option<Arc<Cart>>,
    then: impl Fn(&mut Caller<'_>, u32) -> Result<Next, Fault> + Send + Sync + 'static,
) -> Result<Next, Fault> {
    let request = join(call, parent, [colour, key], cart)?;
    wait_again(Until::All(vec![request]), move |call| {
        let (_, made) = call.complete(request)?;
        if let Some(made) = made {
            call.inherit_handler(parent, made);
        }
        then(call, made.unwrap_or(0))
    })
}

/// Comes to the making of communicators; gives the request.
fn join(call: &mut Caller<'_>, parent: u32, [colour, key]: [i32; 2], cart: Option<Arc<Cart>>) -> Result<u32, Fault> {
    let mut numbers = vec![colour.into(), key.into()];
    if call.world.remote.is_some() {
        numbers.push(call.world.next_communicator.into());
    }
    let part = Part { numbers, cart, ..call.part() };
    call.join(parent, Operation::Split, part, &[], Vec::new())
}

/// The same with a request. Attributes, and a graph, need the number of the copy; so where there are some the call waits for the
/// others.
fn start_duplicate(call: &mut Caller<'_>, has_info: bool) -> Result<Next, Fault> {
    let parent = call.comm()?;
    call.taken += usize::from(has_info);
    let (at, request_at) = (call.word(), call.peek());
    let handle = call.handle_of(parent);
    if call.own().graphs.contains_key(&parent) || !call.own().attributes.of(handle).is_empty() {
        call.set_int(request_at, Kind::Request.handle(0))?;
        call.taken = 0;
        return duplicate(call, has_info);
    }
    let (rank, cart) = (call.rank_in(parent), call.communicator(parent).cart.clone());
    let number = join(call, parent, [0, rank as i32], cart)?;
    if let Some(request) = call.own().requests.get_mut(&number) {
        let mut work = (*request.work).clone();
        if let Work::Collective { made_at, .. } = &mut work {
            *made_at = at;
        }
        request.work = Arc::new(work);
    }
    call.set_int(request_at, Kind::Request.handle(number))?;
    Ok(Next::Done)
}

/// The attributes are copied as the program says.
fn duplicate(call: &mut Caller<'_>, has_info: bool) -> Result<Next, Fault> {
    let parent = call.comm()?;
    call.taken += usize::from(has_info);
    let at = call.word();
    let (rank, cart) = (call.rank_in(parent), call.communicator(parent).cart.clone());
    make_then(call, parent, [0, rank as i32], cart, move |call, made| {
        if let Some(graph) = call.own().graphs.get(&parent).cloned() {
            call.own().graphs.insert(made, graph);
        }
        let handle = Kind::Communicator.handle(made);
        let give: Then = Arc::new(move |call: &mut Caller<'_>| {
            call.give_made(Kind::Communicator, made, at)?;
            Ok(Next::Done)
        });
        let parent = call.handle_of(parent);
        copy_all(call, (parent, handle), 0, give)
    })
}

/// Only the ranks of the group call it. They meet on a communicator of their own that no handle names.
fn create_group(call: &mut Caller<'_>) -> Result<Next, Fault> {
    let (parent, members, tag, at) = (call.comm()?, call.group()?, call.int()?, call.word());
    let Some(rank) = group::rank_of(&members, call.rank) else {
        return call.wrong(crate::error::GROUP, "the rank that calls it is no member of the group");
    };
    let mut hash = FNV_OFFSET;
    for number in [parent, tag as u32].into_iter().chain(members.iter().copied()) {
        hash = (hash ^ u64::from(number)).wrapping_mul(FNV_PRIME);
    }
    let meeting = FIRST_MEETING | (hash >> 33) as u32;
    call.world.communicators.entry(meeting).or_insert_with(|| Communicator::new(members, ""));
    make(call, meeting, [0, rank as i32], None, at)
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
    if matches!(Kind::Communicator.number(handle), Some(WORLD | SELF)) {
        return call.wrong(crate::error::COMMUNICATOR, "a communicator of MPI cannot be freed");
    }
    let give_up = move |call: &mut Caller<'_>| {
        let rank = call.rank;
        if let Some(communicator) = call.world.communicators.get_mut(&communicator) {
            communicator.freed.insert(rank);
        }
        call.give_up(Kind::Communicator, at)?;
        Ok(Next::Done)
    };
    delete_all(call, handle, Arc::new(give_up))
}

fn group_of(call: &mut Caller<'_>) -> Result<Next, Fault> {
    let (communicator, at) = (call.comm()?, call.word());
    let group = call.communicator(communicator).group.clone();
    let number = call.own().add_group(group);
    call.give_made(Kind::Group, number, at)?;
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

fn test_inter(call: &mut Caller<'_>) -> Result<Next, Fault> {
    let (_, at) = (call.comm()?, call.word());
    call.set_logical(at, false)?;
    Ok(Next::Done)
}
