//! The facts that the kinds of findings hold.
//!
//! Fields hold facts, not sentences. The exception is a reason that only the code that made the finding knows: one sentence in
//! lower case, without a full stop.

use crate::{Actor, Space};
use source::Span;

/// Between whom a race is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum RaceKind {
    /// Two lanes of one warp.
    WithinWarp,
    /// Two threads of one block, in different warps; shared or global memory as the accesses say.
    Block,
    /// Threads of two blocks of one launch.
    CrossBlock,
    /// A kernel that device code launches, and the launching kernel or another one that this launches.
    Nested,
    /// Work in two streams.
    Streams,
    /// Host and device.
    HostDevice,
    /// A message of MPI, and the host, a kernel or another message.
    Message,
    /// Two threads whose atomics or fences have a scope that does not cover both.
    Scope {
        /// The scope used.
        used: Scope,
        /// The smallest scope that covers both.
        needed: Scope,
    },
}

/// The name of the memory from which objects get the default values of their type; other parts of it count as unwritten.
pub const DEFAULT_VALUES: &str = "default values";

/// Where a value comes from that nothing has written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Origin {
    /// The expression whose value was copied; none for a copy as a whole.
    pub span: Span,
    /// The memory that it was in.
    pub space: Space,
    /// The allocation, if it is known.
    pub memory: Option<Allocation>,
}

/// How bad a race is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum RaceFlavour {
    /// Conflicting accesses without order.
    Plain,
    /// One is atomic, the other is not.
    MixedAtomic {
        /// Whether the other writes, and not to release something after a fence.
        is_plain_write: bool,
    },
    /// All write the same value.
    SameValue,
}

/// Scope of an atomic or a fence.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Scope {
    /// The block: `threadfence_block`.
    Block,
    /// The device: `threadfence`.
    Device,
    /// Host and all devices: `threadfence_system`.
    System,
}

/// A piece of memory that a finding speaks of.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Allocation {
    /// Name of the array, if it has one.
    pub name: Option<String>,
    /// First address.
    pub base: u64,
    /// Length in bytes.
    pub bytes: u64,
    /// Where it was allocated or declared; may be none.
    pub span: Span,
}

/// A group of threads that wait, or are, at one place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Waiting {
    /// How many threads.
    pub count: u64,
    /// The first of them, or the host.
    pub first: Actor,
    /// The statement.
    pub span: Span,
    /// What they wait for, as the source calls it, such as `syncthreads`; empty when they wait for nothing by name.
    pub operation: String,
}

/// Why `syncthreads` did not bring a block together.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum BarrierFault {
    /// Threads met at different statements, or at one through different calls.
    Divergent,
    /// Some threads wait elsewhere and can never come.
    NotReached,
    /// Some threads have exited, in the mode in which they do not count as arrived.
    Exited {
        /// How many.
        count: u64,
    },
}

/// Why memory could not be freed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum FreeFault {
    /// The address is inside the allocation, not its first.
    NotTheStart,
    /// Made by one routine, freed by another that does not go with it.
    WrongRoutine {
        /// What made it, such as `allocate`.
        made_by: String,
        /// What should free it.
        freed_by: String,
    },
    /// Nothing was ever allocated there.
    NotAllocated,
}

/// Why a group of blocks cannot synchronise.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum GridSyncFault {
    /// The kernel is not `grid_global`.
    NotCooperative,
    /// More blocks than can be resident at once.
    TooManyBlocks {
        /// Blocks of the launch.
        blocks: u64,
        /// Blocks that the device holds.
        resident: u64,
    },
    /// Blocks have returned without it.
    NotReached {
        /// How many.
        ended: u64,
    },
    /// Blocks wait for others of their cluster, which wait for the grid.
    AtCluster {
        /// How many.
        waiting: u64,
    },
}

/// Why a block of a cluster has no shared memory that others reach.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ClusterFault {
    /// A cluster of the launch has fewer blocks.
    NoSuchBlock {
        /// The rank from 1, if an address can hold it.
        rank: Option<u64>,
        /// How many.
        blocks: u64,
    },
    /// The blocks have not met since the launch began, so it may not have begun.
    PerhapsNotBegun {
        /// Its rank from 1.
        rank: u64,
    },
    /// It has ended.
    Ended {
        /// Its rank from 1.
        rank: u64,
    },
}

/// Which extent of a launch.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Axis {
    /// A dimension of the grid, from 0.
    Grid(u8),
    /// A dimension of the block, from 0.
    Block(u8),
}

/// Why a launch could not start.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum LaunchFault {
    /// An extent below 1 or above the limit.
    Extent {
        /// Which.
        axis: Axis,
        /// What was asked for.
        value: i64,
        /// The most that is possible.
        limit: i64,
    },
    /// Too many threads in a block.
    TooManyThreads {
        /// What was asked for.
        threads: u64,
        /// The most that is possible.
        limit: u64,
    },
    /// Too much shared memory.
    SharedMemory {
        /// Declared in the kernel, in bytes.
        static_bytes: u64,
        /// Asked for by the launch, in bytes.
        dynamic_bytes: u64,
        /// The most that is possible for both.
        limit: u64,
    },
    /// More threads than `launch_bounds` says.
    LaunchBounds {
        /// What was asked for.
        threads: u64,
        /// What the kernel says.
        bound: u64,
    },
    /// Launches from device code in each other, more than possible.
    Depth {
        /// The most that are possible.
        limit: u64,
    },
    /// A grid that is no multiple of `cluster_dims`.
    ClusterMultiple {
        /// Which dimension, from 0.
        axis: u8,
        /// Blocks of the grid along it.
        grid: u32,
        /// Blocks of a cluster along it.
        cluster: u32,
    },
    /// More blocks in a cluster than every device takes.
    ClusterSize {
        /// Blocks of a cluster.
        blocks: u64,
        /// The most that is possible.
        limit: u64,
    },
}

/// What is known of a stream, event or handle that does not exist.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum HandleLife {
    /// Nothing.
    Unknown,
    /// It was never made.
    None,
    /// It was destroyed here.
    Destroyed(Span),
}

/// Memory of the host or of the device.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MemoryPlace {
    /// That which host code reaches.
    Host,
    /// That which device code reaches.
    Device,
}

/// A CUDA runtime call that went wrong.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ApiFault {
    /// An error code that the program never checked.
    Unchecked {
        /// Name of the error, such as `cudaErrorInvalidValue`.
        error: String,
        /// What `cudaGetErrorString` says.
        meaning: String,
    },
    /// A stream, event or handle that does not exist.
    InvalidHandle {
        /// `stream`, `event` …
        what: String,
        /// The routine that makes one.
        made_by: String,
        /// What became of it.
        life: HandleLife,
    },
    /// The end of a capture that a call before has made fail.
    CaptureBroken {
        /// The call.
        by: String,
        /// Where it stands.
        at: Span,
    },
    /// A stream or an event of another device than the one that the call is for.
    OtherDevice {
        /// `stream`, `event` …
        what: String,
        /// The device that it belongs to.
        of: u32,
        /// The device that it has to belong to.
        wanted: u32,
    },
    /// Elapsed time of an event that was not recorded.
    EventNotRecorded,
    /// Asynchronous copy of host memory that is not pinned.
    Pageable,
    /// No device memory left.
    OutOfMemory {
        /// Bytes asked for.
        requested: u64,
        /// Bytes in use.
        used: u64,
        /// Bytes that the device has.
        total: u64,
    },
    /// An argument that the routine does not take.
    InvalidArgument {
        /// Why.
        reason: String,
    },
    /// An array or scalar in host memory that belongs in device memory, or the reverse.
    WrongMemory {
        /// Which argument, in backticks where it has a name.
        what: String,
        /// Where it belongs.
        belongs: MemoryPlace,
    },
    /// A routine of a library that does its work on the host, although the program runs on a GPU.
    RunsOnHost {
        /// Why.
        reason: String,
    },
    /// No device of that number.
    NoSuchDevice {
        /// The number.
        number: i64,
        /// How many there are.
        count: u64,
    },
}

/// What was leaked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LeakKind {
    /// Device or managed memory from host calls.
    Device,
    /// Pinned memory of the host.
    Pinned,
    /// Memory from `allocate` in device code.
    Heap,
    /// A stream.
    Stream,
    /// An event.
    Event,
    /// A graph.
    Graph,
    /// An instantiated graph.
    ExecutableGraph,
    /// A handle of a library.
    Handle {
        /// `plan`, `cuBLAS handle` …
        what: &'static str,
        /// The routine that destroys one.
        destroyed_by: &'static str,
    },
}
