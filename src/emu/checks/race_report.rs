//! Findings of the race detector: each race with both accesses, and why a verdict is incomplete.

use crate::checks::race::{ExactPass, of_cluster_cell};
use crate::report::{Grids, calls, in_own_source, launch_info};
use crate::schedule::Grid;
use crate::symbolize::{global_place, place_of, shared_place, show_value};
use device::space_of;
use finding::{Access, Actor, Finding, FindingKind, Place, RaceFlavour, RaceKind, Space, What};
use ir::InstKind;
use mem::Memory;
use mem::address::SHARED_BASE;
use race::{AccessInfo, Incomplete, Kind, RacePair, Relation};
use vm::Program;

/// The findings of the second pass of the race detector.
pub(crate) fn races(
    program: &Program,
    memory: &Memory,
    grid: &Grid,
    grids: &Grids,
    mut pass: ExactPass,
) -> Vec<Finding> {
    let verdict = pass.exact.end_launch();
    let named = Named { program, memory, grid, grids, names: &pass };
    let mut out: Vec<Finding> = verdict.pairs.iter().map(|pair| race(named, pair)).collect();
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

/// What findings take their names from.
#[derive(Clone, Copy)]
struct Named<'a> {
    program: &'a Program,
    memory: &'a Memory,
    /// That of the launch from the host.
    grid: &'a Grid,
    grids: &'a Grids,
    names: &'a ExactPass,
}

fn race(named: Named<'_>, pair: &RacePair) -> Finding {
    let Named { program, grid, grids, .. } = named;
    let [first, second] = [&pair.first, &pair.second].map(|info| grids.of(u64::from(info.thread.block)));
    let is_nested = first.launch.number != second.launch.number;
    let used = finding::Scope::Block;
    let between = if is_nested {
        RaceKind::Nested
    } else if pair.is_insufficient_scope {
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
    let is_in_loop = program.module().func(second.launch.func).span == second.launch.span;
    let mut accesses = vec![race_access(named, pair, &pair.first), race_access(named, pair, &pair.second)];
    accesses[0].launch = is_nested.then(|| first.info(program));
    let mut found = Finding::new(FindingKind::Race { between, flavour, is_in_loop }, accesses)
        .in_launch(second.info(program))
        .with_seed(grid.replay);
    found.count = named.names.count(pair).max(1);
    let is_handed_on = between == RaceKind::CrossBlock
        && flavour == RaceFlavour::Plain
        && pair.first.kind == Kind::Write
        && pair.second.kind == Kind::Read
        && has_answering_atomic(program.module().func(second.launch.func));
    if is_handed_on {
        let note = "if an atomic tells the other block that the value is there, `call threadfence()` stands between the \
                    write and that atomic";
        found.notes.push(note.to_owned());
    }
    found
}

/// Whether a kernel has an atomic whose result it uses, as that of a ticket.
fn has_answering_atomic(kernel: &ir::Function) -> bool {
    let is_it = |inst: &ir::Inst| matches!(inst.kind, InstKind::Atomic { used: true, .. });
    kernel.blocks.iter().any(|block| block.insts.iter().any(is_it))
}

fn race_access(named: Named<'_>, pair: &RacePair, info: &AccessInfo) -> Access {
    let Named { program, memory, grid, grids, names } = named;
    let site = names.site(info.site);
    let block = u64::from(info.thread.block);
    let of_grid = grids.of(block);
    let who = Actor::Thread(of_grid.thread(block, u32::from(info.thread.tid)));
    let what = match info.kind {
        Kind::Read => What::Read,
        Kind::Write => What::Write,
        Kind::Atomic | Kind::Reduce => What::Atomic,
        // An atomic that has compared and changed nothing is a strong read.
        Kind::VolatileRead if matches!(program.instruction(site), Some(InstKind::Atomic { .. })) => What::Compare,
        Kind::VolatileRead => What::VolatileRead,
        Kind::VolatileWrite => What::VolatileWrite,
        Kind::Free => What::Free,
    };
    let (space, base) = match pair.space {
        race::Space::Shared => (Space::Shared, SHARED_BASE),
        race::Space::Global if of_cluster_cell(info.address).is_some() => (Space::Shared, 0),
        race::Space::Global => (space_of(info.address), 0),
    };
    let address = of_cluster_cell(info.address).unwrap_or(base + info.address);
    let mut access = Access::new(who, what, space, program.span(site)).address(address, u64::from(info.width));
    let witness = of_grid.witness.or(grid.witness.as_ref());
    let place = witness.and_then(|f| place_of(program, memory, f, 0, address));
    let place = place.map(|place| (of_grid.launch.func, place)).or_else(|| shared_place(program, address));
    let place = place.or_else(|| global_place(program, memory, address).map(|place| (of_grid.launch.func, place)));
    if info.kind == Kind::Free {
        access.place = allocated_place(memory, address);
    } else if let Some((func, place)) = place {
        access.value = show_value(program, program.module().func(func), &place.array, info.value);
        access.place = Some(place);
    } else if space == Space::Global {
        access.place = allocated_place(memory, address);
    }
    in_own_source(program, access.stack(calls(program, names.stack(info.stack))), of_grid.launch.span)
}

/// The variable for which the memory at an address was allocated, also if it has been freed.
fn allocated_place(memory: &Memory, address: u64) -> Option<Place> {
    let info = memory.info(memory.find(address).or_else(|| memory.dead_at(address))?);
    (!info.name.is_empty()).then(|| Place::variable(&*info.name))
}
