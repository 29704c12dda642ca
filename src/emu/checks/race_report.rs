//! Findings of the race detector: each race with both accesses, and why a verdict is incomplete.

use crate::checks::race::{ExactPass, of_cluster_cell};
use crate::report::{calls, launch_info, thread};
use crate::schedule::Grid;
use crate::symbolize::{global_place, place_of, shared_place, show_value};
use device::space_of;
use finding::{Access, Actor, Finding, FindingKind, RaceFlavour, RaceKind, Space, What};
use mem::Memory;
use mem::address::SHARED_BASE;
use race::{AccessInfo, Incomplete, Kind, RacePair, Relation};
use vm::Program;

/// The findings of the second pass of the race detector.
pub(crate) fn races(program: &Program, memory: &Memory, grid: &Grid, pass: ExactPass) -> Vec<Finding> {
    let names = pass.clone();
    let verdict = pass.exact.end_launch();
    let mut out: Vec<Finding> = verdict.pairs.iter().map(|pair| race(program, memory, grid, &names, pair)).collect();
    let is_undecided = verdict.undecided.is_any();
    let why = if is_undecided { verdict.undecided } else { verdict.incomplete };
    out.extend(incomplete(program, grid, why, is_undecided));
    out
}

/// The finding that a verdict is incomplete, if it is; `is_undecided` if suspected accesses were not decided.
pub(crate) fn incomplete(program: &Program, grid: &Grid, why: Incomplete, is_undecided: bool) -> Option<Finding> {
    why.is_any().then(|| {
        let kind = FindingKind::RaceCheckIncomplete { reason: why.reasons().join("; "), is_undecided };
        Finding::new(kind, vec![Access::step(Actor::Host, grid.launch.span)]).in_launch(launch_info(program, grid))
    })
}

fn race(program: &Program, memory: &Memory, grid: &Grid, names: &ExactPass, pair: &RacePair) -> Finding {
    let used = finding::Scope::Block;
    let between = if pair.is_insufficient_scope {
        RaceKind::Scope { used, needed: finding::Scope::Device }
    } else {
        match pair.relation() {
            Relation::WithinWarp => RaceKind::WithinWarp,
            Relation::WithinBlock => RaceKind::Block,
            Relation::AcrossBlocks => RaceKind::CrossBlock,
        }
    };
    let flavour = if pair.is_mixed {
        RaceFlavour::MixedAtomic { is_plain_write: pair.is_plain_write }
    } else if pair.is_same_value {
        RaceFlavour::SameValue
    } else {
        RaceFlavour::Plain
    };
    // The kernel of a loop stands where it is launched.
    let is_in_loop = program.module().func(grid.launch.func).span == grid.launch.span;
    let accesses = vec![
        race_access(program, memory, grid, names, pair, &pair.first),
        race_access(program, memory, grid, names, pair, &pair.second),
    ];
    let mut found = Finding::new(FindingKind::Race { between, flavour, is_in_loop }, accesses)
        .in_launch(launch_info(program, grid))
        .with_seed(grid.seed);
    found.count = pair.count.max(1);
    found
}

fn race_access(
    program: &Program,
    memory: &Memory,
    grid: &Grid,
    names: &ExactPass,
    pair: &RacePair,
    info: &AccessInfo,
) -> Access {
    let site = names.site(info.site);
    let who = Actor::Thread(thread(grid, u64::from(info.thread.block), u32::from(info.thread.tid)));
    let what = match info.kind {
        Kind::Read => What::Read,
        Kind::Write => What::Write,
        Kind::Atomic | Kind::Reduce => What::Atomic,
        Kind::VolatileRead => What::VolatileRead,
        Kind::VolatileWrite => What::VolatileWrite,
    };
    let (space, base) = match pair.space {
        race::Space::Shared => (Space::Shared, SHARED_BASE),
        race::Space::Global if of_cluster_cell(info.address).is_some() => (Space::Shared, 0),
        race::Space::Global => (space_of(info.address), 0),
    };
    let address = of_cluster_cell(info.address).unwrap_or(base + info.address);
    let mut access = Access::new(who, what, space, program.span(site)).address(address, u64::from(info.width));
    let place = grid.witness.as_ref().and_then(|f| place_of(program, memory, f, 0, address));
    let place = place.map(|place| (grid.launch.func, place)).or_else(|| shared_place(program, address));
    let place = place.or_else(|| global_place(program, memory, address).map(|place| (grid.launch.func, place)));
    if let Some((func, place)) = place {
        access.value = show_value(program, program.module().func(func), &place.array, info.value);
        access.place = Some(place);
    }
    access.stack(calls(program, names.stack(info.stack), site.func))
}
