//! Findings that end a launch: faults, and threads that wait for ever. Also what every finding of a launch says: the thread,
//! the launch, the call stack.
//!
//! A launch from the host may hold several grids, since device code launches kernels, too. A finding names the grid that it is about
//! ([`Grids`]).
//!
//! Not here: findings of the checks (`checks`), and the words (`finding`).

mod fault;
mod grids;
mod sync;

pub(crate) use fault::{fault, place_at, raised};
pub(crate) use grids::Grids;
pub(crate) use sync::{grid_sync, livelock, short_barrier, stuck};

use crate::schedule::Grid;
use device::KernelLaunch;
use finding::{Access, Call, LaunchInfo, Launcher, ThreadId};
use source::Span;
use vm::{Program, Site};

/// A thread as findings name it.
pub(crate) fn thread(grid: &Grid, linear: u64, tid: u32) -> ThreadId {
    grid.launch.thread(linear, tid)
}

/// The launch as findings name it.
pub(crate) fn launch_info(program: &Program, grid: &Grid) -> LaunchInfo {
    info(program, &grid.launch, grid.by.as_deref())
}

/// A launch as findings name it, which device code has made if there is `by`.
fn info(program: &Program, launch: &KernelLaunch, by: Option<&Launcher>) -> LaunchInfo {
    let kernel = program.module().func(launch.func).short_name().to_owned();
    LaunchInfo { number: launch.number, kernel, stream: launch.stream, by: by.cloned().map(Box::new) }
}

/// The access where the program's own source has it: code of an embedded module stands for the call that led there, a kernel of one for
/// its launch.
pub(crate) fn in_own_source(program: &Program, mut access: Access, launch: Span) -> Access {
    let embedded = &program.module().embedded_files;
    if embedded.contains(&access.span.file) {
        let own = access.stack.iter().position(|call| !embedded.contains(&call.called_at.file));
        access.span = own.map_or(launch, |own| access.stack[own].called_at);
        access.stack.drain(..own.map_or(access.stack.len(), |own| own + 1));
    }
    access
}

/// Where a call stack, the innermost first, is in the program's own source: code of an embedded module stands for the call that led
/// there.
pub(crate) fn own_span(program: &Program, stack: &[Site]) -> Option<Span> {
    let embedded = &program.module().embedded_files;
    let mut spans = stack.iter().flat_map(|site| program.spans(*site)).collect::<Vec<_>>().into_iter();
    spans.clone().find(|span| !embedded.contains(&span.file)).or_else(|| spans.next())
}

/// The calls of a stack of sites, the innermost first.
pub(crate) fn calls(program: &Program, stack: &[Site]) -> Vec<Call> {
    let name = |func: ir::FuncId| program.module().func(func).name.to_string();
    let mut out = Vec::new();
    for (i, site) in stack.iter().enumerate() {
        out.extend(program.inlined(*site).map(|(func, called_at)| Call { procedure: name(func), called_at }));
        if let Some(caller) = stack.get(i + 1) {
            out.push(Call { procedure: name(site.func), called_at: program.span(*caller) });
        }
    }
    out
}

/// The calls that led a lane to where it is, the innermost first; it is at `site`.
pub(crate) fn stack_of(program: &Program, warp: &vm::Warp<32>, lane: u32, site: Site) -> Vec<Call> {
    let mut stack = warp.split_of(lane).map(|split| split.call_stack()).unwrap_or_default();
    match stack.first_mut() {
        Some(innermost) => *innermost = site,
        None => stack.push(site),
    }
    calls(program, &stack)
}
