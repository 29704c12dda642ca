//! Findings of a launch: faults, barriers that never complete, races.

use crate::block::Block;
use crate::checks::race::Deciding;
use crate::schedule::grid::Running;
use crate::symbolize::{Meant, global_place, meant, place_of, show_value};
use device::{CudaError, allocation_of, space_of};
use finding::{
    Access, Actor, Allocation, BarrierFault, Call, Finding, FindingKind, GridSyncFault, HostFault, LaunchInfo,
    RaceFlavour, RaceKind, Space, ThreadId, Waiting, What,
};
use ir::Trap;
use mem::address::SHARED_BASE;
use mem::{Memory, Region};
use race::{AccessInfo, Incomplete, Kind, RacePair, Relation};
use scalar::lanes;
use source::Span;
use vm::{Fault, FaultKind, Program, Site, State, WarpSync};

/// A thread as findings name it.
pub(crate) fn thread(running: &Running, linear: u64, tid: u32) -> ThreadId {
    let [gx, gy, _] = running.launch.grid.map(u64::from);
    let [bx, by, _] = running.launch.block;
    let block = [linear % gx, linear / gx % gy, linear / (gx * gy)].map(|c| c as u32 + 1);
    let thread = [tid % bx, tid / bx % by, tid / (bx * by)].map(|t| t + 1);
    ThreadId { block, thread, warp: tid / 32, lane: tid % 32 }
}

/// The launch as findings name it.
pub(crate) fn launch_info(program: &Program, running: &Running) -> LaunchInfo {
    let kernel = program.module().func(running.launch.func).short_name().to_owned();
    LaunchInfo { number: running.launch.number, kernel, stream: running.launch.stream }
}

fn calls(program: &Program, stack: &[Site], inner: ir::FuncId) -> Vec<Call> {
    let mut name = inner;
    stack
        .iter()
        .map(|site| {
            let procedure = program.module().func(name).name.to_string();
            name = site.func;
            Call { procedure, called_at: program.span(*site) }
        })
        .collect()
}

/// The calls that led a lane to where it is, the innermost first; it is in `func`.
pub(crate) fn stack_of(program: &Program, warp: &vm::Warp<32>, lane: u32, func: ir::FuncId) -> Vec<Call> {
    let stack = warp.split_of(lane).map(|split| split.call_stack()).unwrap_or_default();
    calls(program, stack.get(1..).unwrap_or(&[]), func)
}

/// The finding of a fault, and the error that CUDA would report.
pub(crate) fn fault(
    program: &Program,
    memory: &Memory,
    running: &Running,
    block: &Block,
    warp_number: usize,
    fault: &Fault,
) -> (Finding, CudaError) {
    let lane = fault.mask.trailing_zeros().min(31);
    let warp = &block.warps[warp_number];
    let span = program.span(fault.site);
    let who = Actor::Thread(thread(running, block.linear, warp.number() * 32 + lane));
    let address = fault.addresses.first().map_or(0, |&(_, a)| a);
    let frame = warp.split_of(lane).and_then(|split| split.frame());
    let stack = stack_of(program, warp, lane, fault.site.func);
    let exhausted =
        if matches!(fault.kind, FaultKind::Access { write: true, .. }) { memory.take_exhaustion() } else { None };
    let (kind, error, access) = match fault.kind {
        FaultKind::Access { .. } if let Some(limit) = exhausted => {
            (FindingKind::Host(HostFault::MemoryLimit { limit }), CudaError::LaunchFailure, Access::step(who, span))
        }
        FaultKind::Access { bytes, write, .. } => {
            let meant = frame.and_then(|f| meant(program, memory, f, lane as usize, (span, address)));
            let (kind, space) = match beyond_launch(program, running, address, u64::from(bytes)) {
                Some(kind) => (kind, Space::Shared),
                None => memory_fault(memory, address, meant.as_ref()),
            };
            let what = if write { What::Write } else { What::Read };
            let mut access = Access::new(who, what, space, span).address(address, u64::from(bytes));
            access.place = meant.map(|m| m.place).or_else(|| {
                frame
                    .and_then(|f| place_of(program, memory, f, lane as usize, address))
                    .or_else(|| nearby(memory, address))
            });
            (kind, CudaError::IllegalAddress, access)
        }
        FaultKind::Misaligned { bytes, write } => {
            let what = if write { What::Write } else { What::Read };
            let mut access = Access::new(who, what, space_of(address), span).address(address, u64::from(bytes));
            access.place = frame.and_then(|f| place_of(program, memory, f, lane as usize, address));
            (FindingKind::Misaligned { needed: u64::from(bytes) }, CudaError::MisalignedAddress, access)
        }
        FaultKind::StackOverflow => {
            let kind = FindingKind::DeviceStackOverflow { limit: u64::from(warp.depth_limit()) };
            (kind, CudaError::HardwareStackError, Access::step(who, span))
        }
        FaultKind::Trap(trap @ (Trap::ZeroStep | Trap::ZeroDivisor)) => {
            let fault = if trap == Trap::ZeroStep { HostFault::ZeroStep } else { HostFault::DivisionByZero };
            (FindingKind::Host(fault), CudaError::LaunchFailure, Access::step(who, span))
        }
        FaultKind::Trap(Trap::Unreachable | Trap::Unsupported) => {
            let refused = program.module().refusals.get(&span);
            let feature = refused.map_or_else(|| "this statement in device code".to_owned(), ToString::to_string);
            let kind = FindingKind::Unsupported { feature };
            (kind, CudaError::LaunchFailure, Access::step(who, span))
        }
        FaultKind::WarpMask { named } => {
            (FindingKind::SyncwarpMask { mask: named }, CudaError::LaunchFailure, Access::step(who, span))
        }
    };
    let count = u64::from(fault.mask.count_ones());
    let mut found = Finding::new(kind, vec![access.stack(stack)]).in_launch(launch_info(program, running));
    found.count = count.max(1);
    (found.with_seed(running.seed), error)
}

/// The finding of an error that compiled code raised in the running block.
pub(crate) fn raised(
    program: &Program,
    running: &Running,
    (kind, name): (FindingKind, String),
    warp: usize,
    request: &vm::RtRequest,
) -> Option<Finding> {
    let block = running.active.front()?;
    let lane = request.mask.trailing_zeros().min(31);
    let who = Actor::Thread(thread(running, block.linear, block.warps.get(warp)?.number() * 32 + lane));
    let access = Access::step(who, program.span(request.site)).at(finding::Place::variable(name));
    let mut found = Finding::new(kind, vec![access]).in_launch(launch_info(program, running)).with_seed(running.seed);
    found.count = u64::from(request.mask.count_ones()).max(1);
    Some(found)
}

/// The array that an address is in, or the one next to it.
fn nearby(memory: &Memory, address: u64) -> Option<finding::Place> {
    let info = memory.info(memory.nearest(address, 1 << 20)?);
    (!info.name.is_empty()).then(|| finding::Place::variable(&*info.name))
}

/// The element at an address that holds something, or the array that does.
pub(crate) fn place_at(
    program: &Program,
    memory: &Memory,
    frame: &vm::Frame<32>,
    lane: usize,
    address: u64,
) -> Option<finding::Place> {
    place_of(program, memory, frame, lane, address).or_else(|| nearby(memory, address))
}

fn allocation(memory: &Memory, id: mem::AllocId) -> Allocation {
    allocation_of(memory.info(id))
}

/// Whether an address is behind the dynamic shared memory that the launch has, in a kernel that uses such.
fn beyond_launch(program: &Program, running: &Running, address: u64, bytes: u64) -> Option<FindingKind> {
    let begin = SHARED_BASE + program.dynamic_shared_offset(running.launch.func);
    let is_dynamic = program.has_dynamic_shared(running.launch.func);
    let needed = address.checked_sub(begin).filter(|_| is_dynamic && mem::address::is_shared(address))? + bytes;
    Some(FindingKind::SharedBeyondLaunch { available: running.launch.dynamic_shared, needed })
}

/// What is wrong with an address that no live allocation of the device holds. What the access meant to touch decides; only if
/// that is not known, or is nothing itself, does what lies around the address.
fn memory_fault(memory: &Memory, address: u64, meant: Option<&Meant>) -> (FindingKind, Space) {
    let space = space_of(address);
    let freed = |id: mem::AllocId| FindingKind::UseAfterFree {
        allocation: allocation(memory, id),
        freed_at: memory.info(id).freed.unwrap_or(Span::NONE),
    };
    let beyond = |id: mem::AllocId| FindingKind::OutOfBounds { nearest: Some(allocation(memory, id)) };
    if let Some(m) = meant {
        let own =
            m.own.map(|(bytes, span)| Allocation { name: Some(m.place.array.clone()), base: m.base, bytes, span });
        let live = memory.find(m.base).filter(|_| Region::of(m.base).is_some_and(Region::is_device_accessible));
        match (own, live, memory.dead_at(m.base)) {
            (Some(own), ..) => return (FindingKind::OutOfBounds { nearest: Some(own) }, space_of(m.base)),
            (None, Some(id), _) => return (beyond(id), space_of(m.base)),
            (None, None, Some(id)) => return (freed(id), space_of(m.base)),
            _ if m.base < 4096 => return (FindingKind::Null, space),
            _ => {}
        }
    }
    let kind = match space {
        _ if address < 4096 => FindingKind::Null,
        Space::Shared | Space::Local => FindingKind::OutOfBounds { nearest: None },
        Space::Host if memory.find(address).is_some() => FindingKind::HostMemoryOnDevice,
        _ => match memory.dead_at(address) {
            Some(id) => freed(id),
            None => memory.nearest(address, 1 << 20).map_or(FindingKind::NeverAllocated, beyond),
        },
    };
    (kind, space)
}

/// The finding of a block whose threads all wait for something that can never come.
pub(crate) fn stuck(program: &Program, running: &Running, block: &Block) -> Finding {
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
                    let same = others.filter(|o| *at == WarpSync::SyncWarp || o.site().pc == site.pc);
                    let there = same.fold(0, |m, o| m | o.mask());
                    rendezvous.get_or_insert((at.name(), span));
                    missing |= need & !there;
                    at.name()
                }
                _ => "",
            };
            let first = thread(running, block.linear, warp.number() * 32 + mask.trailing_zeros());
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
            let at = thread(running, block.linear, 0).block;
            FindingKind::Barrier { block: at, fault: BarrierFault::Divergent, groups }
        }
        None => FindingKind::Deadlock { groups },
    };
    Finding::new(kind, accesses).in_launch(launch_info(program, running)).with_seed(running.seed)
}

/// The finding of a grid that cannot synchronise as the threads of the first block ask for.
pub(crate) fn grid_sync(program: &Program, running: &Running, fault: GridSyncFault) -> Finding {
    let waiting = running.active.front().and_then(|b| Some((b.linear, b.warps.iter().find(|w| !w.is_done())?)));
    let access = waiting.and_then(|(linear, warp)| {
        let split = warp.splits().next()?;
        let span = program.span(split.site());
        let who = thread(running, linear, warp.number() * 32 + split.mask().trailing_zeros());
        Some(Access::step(Actor::Thread(who), span))
    });
    Finding::new(FindingKind::GridSync { fault }, access.into_iter().collect())
        .in_launch(launch_info(program, running))
        .with_seed(running.seed)
}

/// The finding of a launch whose blocks only poll what none of them changes. Others of a block may wait for those that poll.
pub(crate) fn livelock(program: &Program, running: &Running) -> Finding {
    let mut groups: Vec<Waiting> = Vec::new();
    for block in &running.active {
        for warp in &block.warps {
            for split in warp.splits() {
                let span = program.span(split.site());
                let operation = match split.state() {
                    State::AtBarrier { .. } => "syncthreads",
                    State::AtWarpSync { at, .. } => at.name(),
                    _ => "",
                };
                let count = u64::from(split.mask().count_ones());
                if let Some(group) = groups.iter_mut().find(|g| g.span == span && g.operation == operation) {
                    group.count += count;
                    continue;
                }
                let first = thread(running, block.linear, warp.number() * 32 + split.mask().trailing_zeros());
                groups.push(Waiting { count, first: Actor::Thread(first), span, operation: operation.to_owned() });
            }
        }
    }
    // Those that poll come first; the others wait for them.
    groups.sort_by_key(|g| !g.operation.is_empty());
    let polling = groups.iter().filter(|g| g.operation.is_empty());
    let accesses = polling.map(|g| Access::step(g.first.clone(), g.span)).collect();
    Finding::new(FindingKind::Livelock { groups }, accesses)
        .in_launch(launch_info(program, running))
        .with_seed(running.seed)
}

/// The findings of the second pass of the race detector.
pub(crate) fn races(program: &Program, memory: &Memory, running: &Running, deciding: Deciding) -> Vec<Finding> {
    let names = deciding.clone();
    let verdict = deciding.exact.end_launch();
    let mut out: Vec<Finding> = verdict.pairs.iter().map(|pair| race(program, memory, running, &names, pair)).collect();
    out.extend(incomplete(program, running, verdict.incomplete));
    out
}

/// A finding for each reason why a verdict is incomplete.
pub(crate) fn incomplete(program: &Program, running: &Running, why: Incomplete) -> Vec<Finding> {
    let span = running.launch.span;
    why.reasons()
        .into_iter()
        .map(|reason| {
            let kind = FindingKind::RaceCheckIncomplete { reason: reason.to_owned() };
            Finding::new(kind, vec![Access::step(Actor::Host, span)]).in_launch(launch_info(program, running))
        })
        .collect()
}

fn race(program: &Program, memory: &Memory, running: &Running, names: &Deciding, pair: &RacePair) -> Finding {
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
        race_access(program, memory, running, names, pair, &pair.first),
        race_access(program, memory, running, names, pair, &pair.second),
    ];
    let mut found = Finding::new(FindingKind::Race { between, flavour }, accesses)
        .in_launch(launch_info(program, running))
        .with_seed(running.seed);
    found.count = pair.count.max(1);
    found
}

fn race_access(
    program: &Program,
    memory: &Memory,
    running: &Running,
    names: &Deciding,
    pair: &RacePair,
    info: &AccessInfo,
) -> Access {
    let site = names.site(info.site);
    let who = Actor::Thread(thread(running, u64::from(info.thread.block), u32::from(info.thread.tid)));
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
    let place = running.witness.as_ref().and_then(|f| place_of(program, memory, f, 0, address));
    access.place = place.or_else(|| global_place(program, memory, address));
    if let Some(place) = &access.place {
        let func = program.module().func(running.launch.func);
        access.value = show_value(program, func, &place.array, info.value);
    }
    access.stack(calls(program, names.stack(info.stack), site.func))
}
