//! Findings of faults: a bad address, an overflowed stack, a trap, an error that compiled code raised.

use crate::block::Block;
use crate::report::{in_own_source, launch_info, stack_of, thread};
use crate::schedule::Grid;
use crate::symbolize::{Meant, meant, place_in, place_of};
use device::{CudaError, allocation_of, space_of};
use finding::{Access, Actor, Allocation, ClusterFault, Finding, FindingKind, HostFault, Space, What};
use ir::Trap;
use mem::Memory;
use mem::address::SHARED_BASE;
use source::Span;
use vm::{Fault, FaultKind, Program};

/// The finding of a fault, and the error that CUDA would report.
pub(crate) fn fault(
    program: &Program,
    memory: &Memory,
    grid: &Grid,
    block: &Block,
    warp_number: usize,
    fault: &Fault,
) -> (Finding, CudaError) {
    let lane = fault.mask.trailing_zeros().min(31);
    let warp = &block.warps[warp_number];
    let span = program.span(fault.site);
    let who = Actor::Thread(thread(grid, block.linear, warp.number() * 32 + lane));
    let address = fault.addresses.first().map_or(0, |&(_, a)| a);
    let frame = warp.split_of(lane).and_then(|split| split.frame());
    let stack = stack_of(program, warp, lane, fault.site);
    let inlined = program.inlined_at(fault.site);
    let exhausted =
        if matches!(fault.kind, FaultKind::Access { write: true, .. }) { memory.take_exhaustion() } else { None };
    let (kind, error, access) = match fault.kind {
        FaultKind::Access { .. } if let Some(limit) = exhausted => {
            (FindingKind::Host(HostFault::MemoryLimit { limit }), CudaError::LaunchFailure, Access::step(who, span))
        }
        FaultKind::Access { bytes, write, .. } => {
            let meant = frame.and_then(|f| meant(program, memory, (f, lane as usize, inlined), (span, address)));
            let beyond = || beyond_launch(program, grid, address, u64::from(bytes));
            let (kind, space) = match in_cluster(grid, block, address).or_else(beyond) {
                Some(kind) => (kind, Space::Shared),
                None => memory_fault(memory, address, meant.as_ref()),
            };
            let what = if write { What::Write } else { What::Read };
            let mut access = Access::new(who, what, space, span).address(address, u64::from(bytes));
            access.place = meant.map(|m| m.place).or_else(|| {
                frame
                    .and_then(|f| place_in(program, memory, (f, lane as usize, inlined), address))
                    .or_else(|| nearby(memory, address))
            });
            (kind, CudaError::IllegalAddress, access)
        }
        FaultKind::Misaligned { bytes, write } => {
            let what = if write { What::Write } else { What::Read };
            let mut access = Access::new(who, what, space_of(address), span).address(address, u64::from(bytes));
            access.place = frame.and_then(|f| place_in(program, memory, (f, lane as usize, inlined), address));
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
        FaultKind::WarpMask { at, named } => {
            let kind = FindingKind::WarpMask { operation: at.name().to_owned(), mask: named };
            (kind, CudaError::LaunchFailure, Access::step(who, span))
        }
    };
    let count = u64::from(fault.mask.count_ones());
    let access = in_own_source(program, access.stack(stack), grid.launch.span);
    let mut found = Finding::new(kind, vec![access]).in_launch(launch_info(program, grid));
    found.count = count.max(1);
    (found.with_seed(grid.replay), error)
}

/// The finding of an error that compiled code raised in the running block.
pub(crate) fn raised(
    program: &Program,
    grid: &Grid,
    (kind, name): (FindingKind, String),
    warp: usize,
    request: &vm::RtRequest,
) -> Option<Finding> {
    let block = grid.active.front()?;
    let lane = request.mask.trailing_zeros().min(31);
    let who = Actor::Thread(thread(grid, block.linear, block.warps.get(warp)?.number() * 32 + lane));
    let access = Access::step(who, program.span(request.site)).at(finding::Place::variable(name));
    let mut found = Finding::new(kind, vec![access]).in_launch(launch_info(program, grid)).with_seed(grid.replay);
    found.count = u64::from(request.mask.count_ones()).max(1);
    Some(found)
}

/// The array that an address is in, or was in before it was freed, or the one next to it.
fn nearby(memory: &Memory, address: u64) -> Option<finding::Place> {
    let id = memory.find(address).or_else(|| memory.dead_at(address)).or_else(|| memory.nearest(address, 1 << 20))?;
    let info = memory.info(id);
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

/// Why there is nothing at an address of shared memory of another block of the cluster, if that is for want of the block.
fn in_cluster(grid: &Grid, block: &Block, address: u64) -> Option<FindingKind> {
    let (rank, _) = mem::address::cluster_place(address)?;
    let blocks = block.geometry.cluster_blocks();
    let member = block.geometry.cluster_member(rank);
    let from_one = u64::from(rank) + 1;
    let fault = if rank >= blocks {
        let rank = (rank < mem::address::MOST_RANK).then_some(from_one);
        ClusterFault::NoSuchBlock { rank, blocks: u64::from(blocks) }
    } else if !block.has_met {
        ClusterFault::PerhapsNotBegun { rank: from_one }
    } else if grid.active.iter().all(|other| other.linear != member) {
        ClusterFault::Ended { rank: from_one }
    } else {
        return None;
    };
    Some(FindingKind::ClusterAccess { fault })
}

/// Whether an address is behind the dynamic shared memory that the launch has, in a kernel that uses such.
fn beyond_launch(program: &Program, grid: &Grid, address: u64, bytes: u64) -> Option<FindingKind> {
    let begin = SHARED_BASE + program.dynamic_shared_offset(grid.launch.func);
    let is_dynamic = program.has_dynamic_shared(grid.launch.func);
    let address = mem::address::cluster_place(address).map_or(address, |(_, offset)| SHARED_BASE + offset);
    let needed = address.checked_sub(begin).filter(|_| is_dynamic && mem::address::is_shared(address))? + bytes;
    Some(FindingKind::SharedBeyondLaunch { available: grid.launch.dynamic_shared, needed })
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
        let live = memory.find(m.base).filter(|_| memory.is_device_accessible(m.base, 1));
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
