//! Findings of threads that wait for ever: barriers, warp operations, barriers of the grid, livelock.

use crate::block::{Block, ShortBarrier};
use crate::report::{launch_info, own_span, thread};
use crate::schedule::Grid;
use finding::{Access, Actor, BarrierFault, Finding, FindingKind, GridSyncFault, Waiting};
use scalar::lanes;
use vm::{Program, Site, State, WarpSync};

/// The finding of a block whose threads all wait for something that can never come.
pub(crate) fn stuck(program: &Program, grid: &Grid, block: &Block) -> Finding {
    let mut groups: Vec<Waiting> = Vec::new();
    // Threads at one statement that came by different calls are apart.
    let mut ways: Vec<Vec<Site>> = Vec::new();
    let (mut barriers, mut rendezvous, mut missing) = (0, None, 0u32);
    for warp in &block.warps {
        for split in warp.splits() {
            let (site, mask) = (split.site(), split.mask());
            let span = program.span(site);
            let operation = match split.state() {
                State::AtBarrier { .. } => {
                    barriers += 1;
                    "syncthreads"
                }
                State::AtWarpSync { need, at } => {
                    let others = warp.splits().filter(|o| o.state() == split.state());
                    let same = others.filter(|o| *at == WarpSync::SyncWarp || program.span(o.site()) == span);
                    let there = same.fold(0, |m, o| m | o.mask());
                    if rendezvous.is_none() {
                        rendezvous = Some((at.name(), span));
                        missing = need & !there;
                    }
                    at.name()
                }
                _ => "",
            };
            let first = thread(grid, block.linear, warp.number() * 32 + mask.trailing_zeros());
            let count = u64::from(mask.count_ones());
            let way = split.call_stack();
            let known = groups.iter_mut().zip(&ways).find(|(g, w)| g.operation == operation && **w == way);
            match known {
                Some((group, _)) => group.count += count,
                None => {
                    ways.push(way);
                    groups.push(Waiting { count, first: Actor::Thread(first), span, operation: operation.to_owned() });
                }
            }
        }
    }
    if let Some((operation, _)) = rendezvous {
        // Those that wait there come first: the finding is about them.
        groups.sort_by_key(|g| g.operation != operation);
    }
    let accesses = groups.iter().rev().map(|g| Access::step(g.first.clone(), g.span)).collect();
    let kind = match rendezvous {
        Some((operation, _)) => FindingKind::Rendezvous {
            operation: operation.to_owned(),
            missing: lanes(missing).map(|lane| lane as u32).collect(),
            groups,
        },
        None if barriers > 0 => {
            let at = thread(grid, block.linear, 0).block;
            FindingKind::Barrier { block: at, fault: BarrierFault::Divergent, groups }
        }
        None => FindingKind::Deadlock { groups },
    };
    Finding::new(kind, accesses).in_launch(launch_info(program, grid)).with_seed(grid.replay)
}

/// The finding of a barrier that was complete although threads of the block had exited.
pub(crate) fn short_barrier(program: &Program, grid: &Grid, linear: u64, barrier: &ShortBarrier) -> Finding {
    let first = thread(grid, linear, barrier.first);
    let span = program.span(barrier.site);
    let count = u64::from(barrier.waiting);
    let waiting = Waiting { count, first: Actor::Thread(first), span, operation: "syncthreads".to_owned() };
    let fault = BarrierFault::Exited { count: u64::from(barrier.exited) };
    let kind = FindingKind::Barrier { block: first.block, fault, groups: vec![waiting] };
    Finding::new(kind, vec![Access::step(Actor::Thread(first), span)]).in_launch(launch_info(program, grid))
}

/// The finding of a grid that cannot synchronise as the threads of the first block ask for.
pub(crate) fn grid_sync(program: &Program, grid: &Grid, fault: GridSyncFault) -> Finding {
    let waiting = grid.active.front().and_then(|b| Some((b.linear, b.warps.iter().find(|w| !w.is_done())?)));
    let access = waiting.and_then(|(linear, warp)| {
        let split = warp.splits().next()?;
        let span = program.span(split.site());
        let who = thread(grid, linear, warp.number() * 32 + split.mask().trailing_zeros());
        Some(Access::step(Actor::Thread(who), span))
    });
    Finding::new(FindingKind::GridSync { fault }, access.into_iter().collect())
        .in_launch(launch_info(program, grid))
        .with_seed(grid.replay)
}

/// The finding of a launch whose blocks only poll what none of them changes. Others of a block may wait for those that poll. `inner` are
/// grids that device code has launched, each in the one before, and that poll as well; where `waits_at` says so, threads wait for them.
pub(crate) fn livelock<'a>(
    program: &Program,
    outer: &'a Grid,
    inner: impl Iterator<Item = &'a Grid>,
    waits_at: impl Fn(Site) -> bool,
) -> Finding {
    let mut groups: Vec<Waiting> = Vec::new();
    let mut grids: Vec<&Grid> = std::iter::once(outer).chain(inner).collect();
    grids.reverse();
    for (grid, block) in grids.iter().flat_map(|grid| grid.active.iter().map(move |block| (grid, block))) {
        for warp in &block.warps {
            for split in warp.splits() {
                let site = split.site();
                let span = own_span(program, &split.call_stack()).unwrap_or_else(|| program.span(site));
                let operation = match split.state() {
                    State::AtBarrier { .. } => "syncthreads",
                    State::AtWarpSync { at, .. } => at.name(),
                    _ if waits_at(site) => "cudaDeviceSynchronize",
                    _ => "",
                };
                let count = u64::from(split.mask().count_ones());
                if let Some(group) = groups.iter_mut().find(|g| g.span == span && g.operation == operation) {
                    group.count += count;
                    continue;
                }
                let first = thread(grid, block.linear, warp.number() * 32 + split.mask().trailing_zeros());
                groups.push(Waiting { count, first: Actor::Thread(first), span, operation: operation.to_owned() });
            }
        }
    }
    // Those that poll come first; the others wait for them.
    groups.sort_by_key(|g| !g.operation.is_empty());
    let polling = groups.iter().filter(|g| g.operation.is_empty());
    let accesses = polling.map(|g| Access::step(g.first.clone(), g.span)).collect();
    let grid = grids.first().copied().unwrap_or(outer);
    let mut found = Finding::new(FindingKind::Livelock { groups }, accesses)
        .in_launch(launch_info(program, grid))
        .with_seed(grid.replay);
    if grids.len() > 1 {
        let note = "neither the kernel nor those that have launched it go on: they wait for each other";
        found.notes.push(note.to_owned());
    }
    found
}
