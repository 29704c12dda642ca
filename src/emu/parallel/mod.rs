//! Running the blocks of one launch on several threads, with the result of one thread.
//!
//! A launch begins on one thread, block after block. When enough work has been done to estimate the rest, and the rest is
//! worth it, the footprint analysis looks at the launch (`footprint`). If no byte that a block writes is touched by another
//! block, except by atomics that can be deferred (`deferred`), the remaining blocks run independently (`independent`).
//! What gathers and scatters touch is assumed of them and checked meanwhile, under a guard (`checks::guard`).
//! Otherwise they run speculatively and commit in block order (`speculative`).
//!
//! A launch that is checked for races runs independently only if no two blocks can race with each other, else speculatively.
//! The second pass of the race detector runs speculatively too; where blocks execute fences, on one thread.

mod deferred;
mod heuristics;
mod independent;
mod mode;
mod pool;
mod speculative;

pub(crate) use heuristics::{GuardHistory, Heuristics};
pub use mode::{LaunchMode, SerialReason};
pub(crate) use pool::Pool;
pub use pool::Threads;
pub use speculative::Speculation;

use crate::block::BlockStop;
use crate::checks::{Checks, RacePass, Watched};
use crate::footprint::{Assumed, KnownLaunches, SiteSharing};
use crate::schedule::Grid;
use independent::Independent;
use ir::analysis::footprint::Sharing;
use mem::Memory;
use speculative::Speculative;
use std::ops::ControlFlow;
use vm::Program;

/// Whether several threads work on a launch.
#[derive(Clone, Debug)]
pub(crate) enum Parallel {
    /// It is too early to decide.
    Undecided,
    /// The same, and it is known already that a guard does not hold.
    Unguarded,
    /// One thread runs the rest of the launch, if there is one.
    No(LaunchMode),
    /// The threads run blocks that share nothing.
    Independent(Box<Independent>),
    /// The threads run blocks speculatively and commit them in order.
    Speculative(Box<Speculative>),
}

/// What comes next after several threads have worked.
#[derive(Debug)]
pub(crate) enum Next {
    /// Nothing: the budget is used up.
    Spent,
    /// One thread goes on.
    Serial,
    /// One thread goes on with the active block, which has stopped for this reason.
    Handed(BlockStop),
}

/// From which sizes on several threads work. The result of a launch does not depend on it.
#[derive(Clone, Copy, Debug)]
pub struct Grain {
    /// Schedule points that a launch passes on one thread before it is analysed.
    pub prologue: u64,
    /// Estimated schedule points of the remaining blocks from which on several threads are worth it. A quarter of them is
    /// enough where blocks may share something: accesses are irregular there, and each point takes longer.
    pub worth: u64,
    /// Schedule points that a chunk of blocks should have.
    pub chunk: u64,
    /// Not 0: threads wait before each block for a time that depends on this number, so that tests see other orders.
    pub jitter: u64,
    /// Whether blocks run speculatively even where that gains nothing, so that tests see it.
    pub insists: bool,
}

impl Default for Grain {
    fn default() -> Grain {
        Grain { prologue: 20_000, worth: 150_000, chunk: 60_000, jitter: 0, insists: false }
    }
}

/// What the emulator lends to a launch that runs in parallel.
pub(crate) struct Resources<'a> {
    pub(crate) program: &'a Program,
    pub(crate) pool: &'a Pool,
    pub(crate) grain: Grain,
    pub(crate) known: &'a mut KnownLaunches,
    pub(crate) output: &'a mut Vec<u8>,
    pub(crate) points: &'a mut u64,
    pub(crate) heuristics: &'a mut Heuristics,
    pub(crate) guards: &'a mut GuardHistory,
    pub(crate) speculation: &'a mut Speculation,
}

impl Parallel {
    /// Lets the threads work if they should. No block is active.
    pub(crate) fn run(
        &mut self,
        mut resources: Resources<'_>,
        grid: &mut Grid,
        checks: &mut Checks,
        memory: &mut Memory,
        budget: &mut u64,
    ) -> Next {
        let is_undecided = matches!(self, Parallel::Undecided | Parallel::Unguarded);
        if is_undecided && grid.points * weight(checks) >= resources.grain.prologue {
            let may_guard = matches!(self, Parallel::Undecided);
            *self = decide(&mut resources, grid, checks, memory, may_guard);
        }
        let flow = match self {
            Parallel::Independent(state) => state.run(resources, grid, checks, memory, budget),
            Parallel::Speculative(state) => state.run(resources, grid, checks, memory, budget),
            Parallel::Undecided | Parallel::Unguarded | Parallel::No(_) => return Next::Serial,
        };
        match flow {
            ControlFlow::Continue(next) => next,
            ControlFlow::Break((next, mode)) => {
                let is_broken = matches!(self, Parallel::Independent(state) if state.is_guard_broken());
                *self = if is_broken { Parallel::Unguarded } else { Parallel::No(mode) };
                next
            }
        }
    }

    /// Whether `jobs` threads may still come to work on the launch.
    pub(crate) fn is_undecided(&self, jobs: usize) -> bool {
        jobs > 1 && !matches!(self, Parallel::No(_))
    }

    /// How the launch has run so far.
    pub(crate) fn mode(&self) -> LaunchMode {
        match self {
            Parallel::Undecided => LaunchMode::Serial(SerialReason::Small),
            Parallel::Unguarded => LaunchMode::Serial(SerialReason::Repeated),
            Parallel::No(mode) => *mode,
            Parallel::Independent(_) => LaunchMode::Independent,
            Parallel::Speculative(_) => LaunchMode::Speculative,
        }
    }
}

/// By what the sizes of [`Grain`] are divided: points take longer while the launch is checked for races, those of blocks that
/// mostly access memory about so many times as long.
fn weight(checks: &Checks) -> u64 {
    if matches!(checks.race, RacePass::Off) { 1 } else { 16 }
}

/// Whether so many threads gain by a launch whose warps pass so many points, if it needs a bit for each element that a scatter stores
/// to. Where few threads do little else, the bits take longer than the threads save.
fn is_worth_bits(sharing: &SiteSharing, threads: usize, points: u64) -> bool {
    let stores = || sharing.loose().iter().flatten().filter(|loose| **loose == Some(false)).count() as u64;
    sharing.assumed() != Some(Assumed::Once) || threads >= 4 || points >= 8 * stores()
}

fn decide(resources: &mut Resources<'_>, grid: &Grid, checks: &Checks, memory: &Memory, may_guard: bool) -> Parallel {
    let (program, threads, grain) = (resources.program, resources.pool.jobs(), resources.grain);
    let left = grid.total - grid.begun;
    let each = (grid.points / grid.begun.max(1)).max(1);
    // Blocks wait for each other.
    let func = grid.launch.func;
    let is_cooperative = program.module().func(func).cooperative || program.unites_cluster(func);
    let work = each.saturating_mul(left).saturating_mul(weight(checks));
    let serial = |reason| Parallel::No(LaunchMode::Serial(reason));
    let exact = checks.race.exact();
    if exact.is_some_and(|exact| !exact.is_order_of_barriers()) {
        return serial(SerialReason::Decided);
    }
    if checks.race.is_known() {
        // It ends behind the block with the last thread that is to be named.
        return serial(SerialReason::Small);
    }
    if is_cooperative {
        return serial(SerialReason::Cooperative);
    }
    if program.launches(func) {
        return serial(SerialReason::Launches);
    }
    if checks.nested.is_some() && !matches!(checks.race, RacePass::Off) {
        return serial(SerialReason::Nested);
    }
    if left < 2 || work < grain.worth / 4 {
        return serial(SerialReason::Small);
    }
    let warps = grid.launch.block.iter().map(|&extent| u64::from(extent.max(1))).product::<u64>().div_ceil(32);
    let mut sharing = resources.known.of(program, memory, &grid.launch);
    let is_unchecked = matches!(checks.race, RacePass::Off);
    let is_apart = |s: &SiteSharing| s.worst() != Sharing::Unknown && (is_unchecked || s.keeps_races_in_blocks());
    let mut guard = None;
    if exact.is_none() && !is_apart(&sharing) {
        if let Some(guarded) = checks.watched.guarded() {
            sharing = guarded.clone();
        } else if may_guard
            && checks.is_off()
            && let Some(guarded) = resources.guards.choose(func, &sharing, Assumed::Once, |of| {
                // What costs more than it saves may be kept for the launches that follow.
                let may_be_kept = || of.guards().is_some_and(|guards| guards.deciding.is_some());
                is_apart(of)
                    && (grain.insists
                        || is_worth_bits(of, threads, each / warps)
                        || may_be_kept() && of.once_proof().is_worth_trying())
            })
        {
            guard = Some(Watched::new(&guarded, false, memory, (grid.begun, threads), false));
            sharing = guarded;
        }
    }
    if exact.is_some() || !is_apart(&sharing) {
        if grain.insists || resources.heuristics.should_try(func) {
            return Parallel::Speculative(Box::new(Speculative::new(grid.args().clone(), weight(checks))));
        }
        return serial(SerialReason::NoGain);
    }
    if work < grain.worth {
        return serial(SerialReason::Small);
    }
    let blocks = (grain.chunk / each).clamp(1, (left / (8 * threads as u64)).max(1));
    Parallel::Independent(Box::new(Independent::new(sharing, guard, grid, memory, blocks)))
}
