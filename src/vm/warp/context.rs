//! What a warp reaches while it runs: memory, its place in the launch, who takes its atomics, and who serves it at once.

use crate::code::Site;
use crate::memory::windows::WindowTable;
use ir::Ty;
use ir::op::AtomOp;
use ir::rt::Rt;
use mem::MemoryView;

/// Extents and place of a block in its launch; everything counts from 0. Compiled code reads the first nine words.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[repr(C)]
pub struct Geometry {
    /// Block extents.
    pub block: [u32; 3],
    /// Index of the block in the grid.
    pub cta: [u32; 3],
    /// Grid extents.
    pub grid: [u32; 3],
    /// Bytes of static shared memory; dynamic shared memory follows.
    pub static_shared: u64,
    /// Blocks of a cluster along each dimension.
    pub cluster: [u32; 3],
}

impl Geometry {
    /// How many threads a block has.
    pub fn threads(&self) -> u32 {
        self.block.iter().product()
    }

    /// How many blocks a cluster has.
    pub fn cluster_blocks(&self) -> u32 {
        self.cluster.iter().product()
    }

    /// The rank of the block in its cluster.
    pub fn cluster_rank(&self) -> u32 {
        let [x, y, z] = std::array::from_fn(|i| self.cta[i] % self.cluster[i].max(1));
        x + self.cluster[0] * (y + self.cluster[1] * z)
    }

    /// The index in the grid of the block of a rank in the cluster of this one.
    pub fn cluster_member(&self, rank: u32) -> u64 {
        let [nx, ny, _] = self.cluster.map(|n| n.max(1));
        let place = [rank % nx, rank / nx % ny, rank / (nx * ny)];
        let at = |i: usize| u64::from(self.cta[i] - self.cta[i] % self.cluster[i].max(1) + place[i]);
        at(0) + u64::from(self.grid[0]) * (at(1) + u64::from(self.grid[1]) * at(2))
    }

    /// The lanes of a warp of the block that are threads; none if there is no such warp.
    pub fn lanes(&self, warp: u32) -> u32 {
        let rest = self.threads().saturating_sub(warp * 32);
        if rest >= 32 { u32::MAX } else { (1 << rest) - 1 }
    }
}

/// What a warp reaches while it runs.
#[derive(Debug)]
pub struct Context<'a> {
    /// Everything but shared and local memory.
    pub memory: MemoryView<'a>,
    /// Shared memory of the block.
    pub shared: &'a mut [u8],
    /// Shared memory of the other blocks of its cluster by rank, where that can be reached.
    pub cluster: &'a mut [Option<Vec<u8>>],
    /// Where compiled code found memory.
    pub windows: &'a mut WindowTable,
    /// Where the block is.
    pub geometry: Geometry,
    /// How many blocks behind it in the first dimension of the grid may begin in its place when its warps have ended. Then `geometry`
    /// is that of the last that has begun.
    pub blocks: u32,
    /// Schedule points that the warp may pass in this call; `run` counts it down.
    pub budget: u64,
    /// Statements that the warp has begun unobserved, of code that keeps them; `run` counts it up.
    pub statements: u64,
    /// Who takes atomics without a result, if anybody does.
    pub atomics: Option<&'a mut dyn Atomics>,
    /// Who serves some services of the host at once, if anybody does.
    pub services: Option<&'a mut dyn Services>,
}

/// Serves services of the run time that the host asks for, so that it need not stop.
pub trait Services: std::fmt::Debug {
    /// Serves one with these few arguments; `top` is the first free address of the stack. Gives
    /// the result, 0 if it has none, or `None` if the host has to stop for it. Where bytes of the memory lie may not change in a
    /// service that machine code asks for: in a call of a procedure of a library.
    fn serve(&mut self, memory: &MemoryView<'_>, rt: Rt, args: &[u64], top: u64) -> Option<u64>;
}

/// Arguments of a service that machine code may ask for.
pub(crate) const MOST_SERVED: usize = jit::host::MOST_ARGUMENTS;

/// Takes atomics on memory whose result is not used and does them later in another order; may make a warp wait.
pub trait Atomics: std::fmt::Debug {
    /// Whether the warp has to stop, as if the budget were used up, before an atomic whose result is used or a volatile load.
    fn holds(&mut self) -> bool {
        false
    }

    /// Whether it takes the atomics at this site.
    fn takes(&self, site: Site) -> bool;

    /// Takes the atomic of one lane; the word lies inside an allocation and is aligned. `b` is a compare-and-swap's new value.
    fn take(&mut self, site: Site, op: AtomOp, ty: Ty, address: u64, a: u64, b: u64);
}
