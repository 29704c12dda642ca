//! The grids of a launch from the host, for naming: its own, and those that device code launches in it.
//!
//! Checks know a block by its number among all blocks of the launch.

use crate::schedule::Grid;
use device::KernelLaunch;
use finding::{LaunchInfo, Launcher, ThreadId};
use std::sync::Arc;
use vm::{Frame, Program};

/// Nested grids of which a frame is kept.
const MOST_WITNESSES: usize = 1024;

/// A grid, as far as findings need it.
#[derive(Clone, Debug)]
pub(crate) struct NamedGrid {
    /// The number of its first block.
    first: u64,
    /// The launch, without arguments.
    pub(crate) launch: KernelLaunch,
    by: Option<Arc<Launcher>>,
    /// The outermost frame of a warp of it that has ended, for naming addresses; not that of the launch from the host.
    witness: Option<Frame<32>>,
}

impl NamedGrid {
    fn of(grid: &Grid) -> NamedGrid {
        let launch = KernelLaunch { args: Vec::new(), ..grid.launch.clone() };
        NamedGrid { first: grid.first, launch, by: grid.by.clone(), witness: None }
    }

    /// The launch as findings name it.
    pub(crate) fn info(&self, program: &Program) -> LaunchInfo {
        super::info(program, &self.launch, self.by.as_deref())
    }

    /// A frame in which addresses that the grid uses have names.
    pub(crate) fn witness(&self) -> Option<&Frame<32>> {
        self.witness.as_ref()
    }

    /// A thread as findings name it, by the number of its block among all of the launch.
    pub(crate) fn thread(&self, block: u64, tid: u32) -> ThreadId {
        self.launch.thread(block - self.first, tid)
    }
}

/// The grids of a launch.
#[derive(Clone, Debug)]
pub(crate) struct Grids {
    host: NamedGrid,
    /// Those that device code has launched, in the order in which they began.
    nested: Vec<NamedGrid>,
    /// How many blocks they have together.
    blocks: u64,
}

impl Grids {
    /// Those of a launch that begins with this grid.
    pub(crate) fn new(grid: &Grid) -> Grids {
        Grids { host: NamedGrid::of(grid), nested: Vec::new(), blocks: grid.total }
    }

    /// Adds a grid that device code has launched and gives its blocks their numbers.
    pub(crate) fn add(&mut self, grid: &mut Grid) {
        grid.first = self.blocks;
        self.blocks += grid.total;
        self.nested.push(NamedGrid::of(grid));
    }

    /// Keeps a frame of a grid that device code has launched.
    pub(crate) fn keep_witness(&mut self, grid: &Grid) {
        if let Some(at) = self.place(grid.first).filter(|at| *at < MOST_WITNESSES) {
            self.nested[at].witness.clone_from(&grid.witness);
        }
    }

    /// The grid of the block of that number.
    pub(crate) fn of(&self, block: u64) -> &NamedGrid {
        self.place(block).map_or(&self.host, |at| &self.nested[at])
    }

    /// The place among the nested grids of that of a block.
    fn place(&self, block: u64) -> Option<usize> {
        self.nested.partition_point(|grid| grid.first <= block).checked_sub(1)
    }
}
