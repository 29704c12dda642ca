//! The grids of a launch from the host, for naming: its own, and those that device code launches in it.
//!
//! Checks know a block by its number among all blocks of the launch.

use crate::schedule::Grid;
use device::KernelLaunch;
use finding::{LaunchInfo, Launcher, ThreadId};
use ir::FuncId;
use source::Span;
use std::collections::BTreeMap;
use vm::{Frame, Program};

/// Nested grids of which a frame is kept.
const MOST_WITNESSES: usize = 1024;

/// What many launches have in common.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Shape {
    func: FuncId,
    grid: [u32; 3],
    block: [u32; 3],
    dynamic_shared: u64,
    stream: u64,
    span: Span,
}

impl Shape {
    fn of(launch: &KernelLaunch) -> Shape {
        let KernelLaunch { func, grid, block, dynamic_shared, stream, span, .. } = *launch;
        Shape { func, grid, block, dynamic_shared, stream, span }
    }
}

/// A grid that device code has launched, in few bytes: there may be millions.
#[derive(Clone, Debug)]
struct Entry {
    /// The number of its first block.
    first: u64,
    /// The number of the launch.
    number: u64,
    /// The number of the launching block.
    by_block: u64,
    /// The launching thread in it.
    by_tid: u32,
    /// The index of its shape.
    shape: u32,
}

/// A grid, as far as findings need it.
#[derive(Clone, Debug)]
pub(crate) struct NamedGrid<'a> {
    /// The number of its first block.
    first: u64,
    /// The launch, without arguments.
    pub(crate) launch: KernelLaunch,
    /// The kernel and the thread that launched it, if that was device code.
    by: Option<(FuncId, ThreadId)>,
    /// A frame in which addresses that the grid uses have names, if one is kept; not that of the launch from the host.
    pub(crate) witness: Option<&'a Frame<32>>,
}

impl NamedGrid<'_> {
    /// The launch as findings name it.
    pub(crate) fn info(&self, program: &Program) -> LaunchInfo {
        let by = self.by.map(|(func, thread)| Launcher {
            kernel: program.module().func(func).short_name().to_owned(),
            thread,
            span: self.launch.span,
            grid: self.launch.grid,
        });
        super::info(program, &self.launch, by.as_ref())
    }

    /// A thread as findings name it, by the number of its block among all of the launch.
    pub(crate) fn thread(&self, block: u64, tid: u32) -> ThreadId {
        self.launch.thread(block - self.first, tid)
    }
}

/// The grids of a launch.
#[derive(Clone, Debug)]
pub(crate) struct Grids {
    /// The launch from the host, without arguments.
    host: KernelLaunch,
    /// Those that device code has launched, in the order in which they began.
    nested: Vec<Entry>,
    shapes: Vec<Shape>,
    indices: BTreeMap<Shape, u32>,
    /// The outermost frames of warps that have ended, by the place of their grid.
    witnesses: BTreeMap<usize, Frame<32>>,
    /// How many blocks they have together.
    blocks: u64,
}

impl Grids {
    /// Those of a launch that begins with this grid.
    pub(crate) fn new(grid: &Grid) -> Grids {
        let host = KernelLaunch { args: Vec::new(), ..grid.launch.clone() };
        let (nested, shapes, blocks) = (Vec::new(), Vec::new(), grid.total);
        Grids { host, nested, shapes, indices: BTreeMap::new(), witnesses: BTreeMap::new(), blocks }
    }

    /// Adds a grid that a thread of the block of that number has launched and gives its blocks their numbers.
    pub(crate) fn add(&mut self, grid: &mut Grid, (by_block, by_tid): (u64, u32)) {
        grid.first = self.blocks;
        self.blocks += grid.total;
        let shapes = &mut self.shapes;
        let shape = *self.indices.entry(Shape::of(&grid.launch)).or_insert_with_key(|shape| {
            shapes.push(shape.clone());
            shapes.len() as u32 - 1
        });
        self.nested.push(Entry { first: grid.first, number: grid.launch.number, by_block, by_tid, shape });
    }

    /// Keeps a frame of a grid that device code has launched.
    pub(crate) fn keep_witness(&mut self, grid: &Grid) {
        if let Some(at) = self.place(grid.first).filter(|at| *at < MOST_WITNESSES)
            && let Some(witness) = &grid.witness
        {
            self.witnesses.insert(at, witness.clone());
        }
    }

    /// The grid of the block of that number.
    pub(crate) fn of(&self, block: u64) -> NamedGrid<'_> {
        let Some(at) = self.place(block) else {
            return NamedGrid { first: 0, launch: self.host.clone(), by: None, witness: None };
        };
        let Entry { first, by_block, by_tid, .. } = self.nested[at];
        let (func, thread) = match self.place(by_block) {
            None => (self.host.func, self.host.thread(by_block, by_tid)),
            Some(outer) => {
                let launch = self.launch(outer);
                (launch.func, launch.thread(by_block - self.nested[outer].first, by_tid))
            }
        };
        let launch = self.launch(at);
        NamedGrid { first, launch, by: Some((func, thread)), witness: self.witnesses.get(&at) }
    }

    /// The launch of a nested grid, without arguments.
    fn launch(&self, at: usize) -> KernelLaunch {
        let Entry { number, shape, .. } = self.nested[at];
        let Shape { func, grid, block, dynamic_shared, stream, span } = self.shapes[shape as usize].clone();
        KernelLaunch { func, grid, block, dynamic_shared, stream, args: Vec::new(), number, span }
    }

    /// The place among the nested grids of that of a block.
    fn place(&self, block: u64) -> Option<usize> {
        self.nested.partition_point(|grid| grid.first <= block).checked_sub(1)
    }
}
