//! Groups.

use super::{Routine, row};
use crate::error::{self, Fault};
use crate::group::{self, Group};
use crate::handle::{EMPTY_GROUP, Kind, PROC_NULL, UNDEFINED};
use crate::world::call::{Caller, Next};

pub(super) static ROUTINES: &[Routine] = &[
    row("MPI_Group_size", size),
    row("MPI_Group_rank", rank),
    row("MPI_Group_incl", |call| chosen(call, group::included)),
    row("MPI_Group_excl", |call| chosen(call, group::excluded)),
    row("MPI_Group_range_incl", |call| chosen_by_ranges(call, group::included)),
    row("MPI_Group_range_excl", |call| chosen_by_ranges(call, group::excluded)),
    row("MPI_Group_union", |call| of_two(call, group::union)),
    row("MPI_Group_intersection", |call| of_two(call, group::intersection)),
    row("MPI_Group_difference", |call| of_two(call, group::difference)),
    row("MPI_Group_translate_ranks", translate),
    row("MPI_Group_compare", compare),
    row("MPI_Group_free", free),
];

fn size(call: &mut Caller<'_>) -> Result<Next, Fault> {
    let (group, at) = (call.group()?, call.word());
    call.set_int(at, group.len() as i32)?;
    Ok(Next::Done)
}

fn rank(call: &mut Caller<'_>) -> Result<Next, Fault> {
    let (group, at) = (call.group()?, call.word());
    let rank = group::rank_of(&group, call.rank).map_or(UNDEFINED, |rank| rank as i32);
    call.set_int(at, rank)?;
    Ok(Next::Done)
}

fn give(call: &mut Caller<'_>, group: Option<Group>, at: u64) -> Result<Next, Fault> {
    let Some(group) = group else {
        return call.wrong(error::RANK, "a rank in the list is no member of the group, or there twice");
    };
    if group.is_empty() {
        // MPI 4.0, 7.3.2: it is `MPI_GROUP_EMPTY`, which nobody makes.
        call.set_int(at, Kind::Group.handle(EMPTY_GROUP))?;
        return Ok(Next::Done);
    }
    let number = call.own().add_group(group);
    call.give_made(Kind::Group, number, at)?;
    Ok(Next::Done)
}

type Choice = fn(&[u32], &[i32]) -> Option<Group>;

fn chosen(call: &mut Caller<'_>, choose: Choice) -> Result<Next, Fault> {
    let (group, count) = (call.group()?, call.count()?);
    let (ranks, at) = (call.ints(count as usize)?, call.word());
    give(call, choose(&group, &ranks), at)
}

fn chosen_by_ranges(call: &mut Caller<'_>, choose: Choice) -> Result<Next, Fault> {
    let (group, count) = (call.group()?, call.count()?);
    let (numbers, at) = (call.ints(3 * count as usize)?, call.word());
    let triplets = numbers.as_chunks::<3>().0;
    give(call, group::ranges(triplets).and_then(|ranks| choose(&group, &ranks)), at)
}

fn of_two(call: &mut Caller<'_>, make: fn(&[u32], &[u32]) -> Group) -> Result<Next, Fault> {
    let (a, b, at) = (call.group()?, call.group()?, call.word());
    give(call, Some(make(&a, &b)), at)
}

fn translate(call: &mut Caller<'_>) -> Result<Next, Fault> {
    let (from, count) = (call.group()?, call.count()?);
    let (ranks, to, at) = (call.ints(count as usize)?, call.group()?, call.word());
    let mut out = Vec::with_capacity(ranks.len());
    for rank in ranks {
        match group::translate(&from, rank, &to) {
            _ if rank == PROC_NULL => out.push(PROC_NULL),
            Some(there) => out.push(there),
            None => return call.wrong(error::RANK, format!("rank {rank} is no member of the group")),
        }
    }
    call.set_ints(at, &out)?;
    Ok(Next::Done)
}

fn compare(call: &mut Caller<'_>) -> Result<Next, Fault> {
    let (a, b, at) = (call.group()?, call.group()?, call.word());
    call.set_int(at, group::compare(&a, &b))?;
    Ok(Next::Done)
}

fn free(call: &mut Caller<'_>) -> Result<Next, Fault> {
    let at = call.word();
    let handle = call.int_at(at)?;
    let number = call.number_of(Kind::Group, handle, error::GROUP)?;
    if number != EMPTY_GROUP {
        call.own().groups.remove(&number);
    }
    call.give_up(Kind::Group, at)?;
    Ok(Next::Done)
}
