//! A kernel launch that has begun: its grid, its checks, and how it runs.

use crate::checks::{Checks, RacePass, Tracer};
use crate::footprint::KnownLaunches;
use crate::nested::{Nested, Running};
use crate::parallel::{LaunchMode, Parallel};
use crate::report;
use crate::schedule::Grid;
use device::{CudaError, KernelLaunch};
use finding::Finding;
use ir::analysis::footprint::Sharing;
use mem::Memory;
use race::UsedBytes;
use vm::{Fault, Program};

/// A finding that ends a launch, and the error that CUDA reports for it.
pub(crate) type Failure = (Finding, CudaError);

/// A kernel launch that has begun.
#[derive(Clone, Debug)]
pub(crate) struct ActiveLaunch {
    pub(crate) grid: Grid,
    pub(crate) checks: Checks,
    pub(crate) parallel: Parallel,
    /// How it has run so far.
    pub(crate) mode: LaunchMode,
    /// Memory as it was when the launch began, if the launch may have to run again.
    pub(crate) before: Option<Memory>,
    /// Memory as the launch leaves it, if it runs again only to be looked at.
    pub(crate) after: Option<Memory>,
    /// The global memory that it uses, if that is wanted and known before it runs.
    pub(crate) known_use: Option<UsedBytes>,
    /// Bytes that device code has allocated.
    pub(crate) heap: u64,
    /// Schedule points of the device before the launch.
    pub(crate) points_before: u64,
    /// What it does, if that is written down.
    pub(crate) tracer: Option<Box<Tracer>>,
    pub(crate) shown: Shown,
    /// The launches that device code makes in it.
    pub(crate) nested: Nested,
}

/// How much output a launch has written. A launch that begins again writes it again.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Shown {
    written: usize,
    /// By an earlier try.
    before: usize,
}

impl Shown {
    /// Takes what was written to the end of `output`, from `from` on, and drops what was shown before.
    pub(crate) fn show(&mut self, output: &mut Vec<u8>, from: usize) {
        let written = output.len() - from;
        let again = self.before.saturating_sub(self.written).min(written);
        output.drain(from..from + again);
        self.written += written;
    }

    /// The same for another try.
    pub(crate) fn again(self) -> Shown {
        Shown { written: 0, before: self.before.max(self.written) }
    }
}

impl ActiveLaunch {
    /// A launch before its first block, with the seed and the schedule points that the device has passed.
    pub(crate) fn new(
        launch: KernelLaunch,
        checks: Checks,
        before: Option<Memory>,
        (seed, points_before): (u64, u64),
    ) -> ActiveLaunch {
        let parallel = Parallel::Undecided;
        let mode = parallel.mode();
        let grid = Grid::new(launch, seed);
        ActiveLaunch {
            nested: Nested::new(&grid),
            grid,
            checks,
            parallel,
            mode,
            before,
            after: None,
            known_use: None,
            heap: 0,
            points_before,
            tracer: None,
            shown: Shown::default(),
        }
    }

    /// The launch before its first block, to run again under another pass of the race detector.
    pub(crate) fn restart(self, race: RacePass) -> ActiveLaunch {
        let grid = self.grid.restart();
        ActiveLaunch {
            nested: Nested::new(&grid),
            grid,
            checks: self.checks.restart(race),
            parallel: Parallel::Undecided,
            mode: Parallel::Undecided.mode(),
            before: self.before,
            after: self.after,
            known_use: self.known_use,
            heap: 0,
            points_before: self.points_before,
            tracer: None,
            shown: Shown::default(),
        }
    }

    /// Makes another grid the present one; gives that which was it.
    pub(crate) fn run_instead(&mut self, next: Running) -> Running {
        Running {
            grid: std::mem::replace(&mut self.grid, next.grid),
            parallel: std::mem::replace(&mut self.parallel, next.parallel),
            mode: std::mem::replace(&mut self.mode, next.mode),
            clocks: std::mem::replace(&mut self.checks.nested, next.clocks),
        }
    }

    /// Makes the grid that the host has launched the present one, before the launch ends or begins again.
    pub(crate) fn unwind(&mut self) {
        if let Some(grid) = self.nested.unwind() {
            self.grid = grid;
            self.checks.nested = None;
        }
    }

    /// Finds out whether the blocks share nothing that one of them writes, so that none ever waits for another.
    pub(crate) fn find_independence(&mut self, program: &Program, known: &mut KnownLaunches, memory: &Memory) {
        self.grid.is_independent.get_or_insert_with(|| {
            let sharing = known.of(program, memory, &self.grid.launch);
            // Values that a running block has read from memory may have changed since.
            sharing.worst() != Sharing::Unknown && !sharing.trusts_memory()
        });
    }

    /// The failure of a launch in whose running block a warp faulted.
    pub(crate) fn fault(&mut self, program: &Program, memory: &Memory, warp: usize, fault: &Fault) -> Option<Failure> {
        let grid = &mut self.grid;
        if grid.witness.is_none() {
            grid.witness = grid.active.front().and_then(|b| b.warps[warp].frame(0)).cloned();
        }
        let block = grid.active.front()?;
        Some(report::fault(program, memory, grid, block, warp, fault))
    }
}
