//! Findings of the race detector: each race with both accesses, and why a verdict is incomplete.

use crate::checks::race::ExactPass;
use crate::report::{calls, launch_info, thread};
use crate::schedule::Grid;
use crate::symbolize::{global_place, place_of, show_value};
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
    out.extend(incomplete(program, grid, verdict.incomplete));
    out
}

/// A finding for each reason why a verdict is incomplete.
pub(crate) fn incomplete(program: &Program, grid: &Grid, why: Incomplete) -> Vec<Finding> {
    let span = grid.launch.span;
    why.reasons()
        .into_iter()
        .map(|reason| {
            let kind = FindingKind::RaceCheckIncomplete { reason: reason.to_owned() };
            Finding::new(kind, vec![Access::step(Actor::Host, span)]).in_launch(launch_info(program, grid))
        })
        .collect()
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
        RaceFlavour::MixedAtomic
    } else if pair.is_same_value {
        RaceFlavour::SameValue
    } else {
        RaceFlavour::Plain
    };
    let accesses = vec![
        race_access(program, memory, grid, names, pair, &pair.first),
        race_access(program, memory, grid, names, pair, &pair.second),
    ];
    let mut found = Finding::new(FindingKind::Race { between, flavour }, accesses)
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
        race::Space::Global => (space_of(info.address), 0),
    };
    let address = base + info.address;
    let mut access = Access::new(who, what, space, program.span(site)).address(address, u64::from(info.width));
    let place = grid.witness.as_ref().and_then(|f| place_of(program, memory, f, 0, address));
    access.place = place.or_else(|| global_place(program, memory, address));
    if let Some(place) = &access.place {
        let func = program.module().func(grid.launch.func);
        access.value = show_value(program, func, &place.array, info.value);
    }
    access.stack(calls(program, names.stack(info.stack), site.func))
}
