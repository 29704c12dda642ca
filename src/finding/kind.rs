//! The kinds of findings, each with the facts that its wording needs beyond the accesses, and the code of each.
//!
//! To add a kind: a variant here, its code below (a row of `diag`'s table), its words in `wording/`, and a test of them in
//! `tests/wording`.

use crate::{
    Access, Actor, Allocation, ApiFault, BarrierFault, ClusterFault, FreeFault, GridSyncFault, HostFault, LaunchFault,
    LeakKind, MpiFault, Origin, RaceFlavour, RaceKind, Space, Waiting,
};
use diag::{Code, Severity};
use source::Span;

/// What was found. Unless said otherwise, the last access is the one at which it was found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum FindingKind {
    /// A data race; two accesses, the earlier first.
    Race {
        /// Between whom.
        between: RaceKind,
        /// How bad.
        flavour: RaceFlavour,
        /// Whether the threads are iterations of a loop, `!$cuf kernel do`, which has no place for a barrier.
        is_in_loop: bool,
    },
    /// The race check could not watch everything.
    RaceCheckIncomplete {
        /// Why.
        reason: String,
        /// Whether accesses that are suspected of a race were not decided.
        is_undecided: bool,
    },
    /// Outside of every live allocation.
    OutOfBounds {
        /// The nearest allocation, if there is one.
        nearest: Option<Allocation>,
    },
    /// A subscript outside the bounds declared.
    Subscript {
        /// Dimension from 1, and the rank.
        dimension: u32,
        /// Rank of the array.
        rank: u32,
        /// The subscript.
        subscript: i64,
        /// Lower bound.
        lower: i64,
        /// Upper bound.
        upper: i64,
    },
    /// Beyond the shared memory of the launch.
    SharedBeyondLaunch {
        /// Bytes of dynamic shared memory that the launch has.
        available: u64,
        /// Bytes that would make this access legal.
        needed: u64,
    },
    /// After it was freed.
    UseAfterFree {
        /// What it was.
        allocation: Allocation,
        /// Where it was freed.
        freed_at: Span,
    },
    /// At an address near no allocation.
    NeverAllocated,
    /// Host memory from device code.
    HostMemoryOnDevice,
    /// Device memory from host code.
    DeviceMemoryOnHost,
    /// At an address that is not a multiple of what the type needs.
    Misaligned {
        /// The bytes that the address should be a multiple of.
        needed: u64,
    },
    /// Through a null address: not allocated, not associated.
    Null,
    /// Freed before.
    DoubleFree {
        /// What it was.
        allocation: Allocation,
        /// Where it was freed first.
        freed_at: Span,
    },
    /// Free of something else.
    InvalidFree {
        /// Why.
        fault: FreeFault,
    },
    /// A copy or fill beyond the end of an array.
    CopyOutOfBounds {
        /// The routine, or `assignment`.
        call: String,
        /// Bytes to copy.
        requested: u64,
        /// Bytes that there are from the start of the copy.
        available: u64,
    },

    /// A read of what nothing has written; the access says in which memory.
    Uninitialised {
        /// Where it was copied from, if it was.
        origin: Option<Origin>,
    },

    /// `syncthreads` without all threads of the block.
    Barrier {
        /// The block.
        block: [u32; 3],
        /// What is wrong.
        fault: BarrierFault,
        /// Who is where; the first group waits at a barrier.
        groups: Vec<Waiting>,
    },
    /// A warp operation that some lanes never reach.
    Rendezvous {
        /// Its name in the source.
        operation: String,
        /// The lanes that do not come, from 0.
        missing: Vec<u32>,
        /// Who is where.
        groups: Vec<Waiting>,
    },
    /// An operation of a warp by a lane outside its mask.
    WarpMask {
        /// Its name in the source, or what it is.
        operation: String,
        /// The mask.
        mask: u32,
    },
    /// Access to shared memory of a block of the cluster that has none.
    ClusterAccess {
        /// Why.
        fault: ClusterFault,
    },
    /// Local or shared memory is passed to a kernel that device code launches; the access says which.
    PrivateArgument,
    /// Grid synchronisation that cannot work.
    GridSync {
        /// Why.
        fault: GridSyncFault,
    },
    /// Everything waits.
    Deadlock {
        /// Who waits where.
        groups: Vec<Waiting>,
    },
    /// Every thread polls memory that no thread changes.
    Livelock {
        /// Who polls where.
        groups: Vec<Waiting>,
    },
    /// Memory or a handle never freed; no access.
    Leak {
        /// What.
        what: LeakKind,
        /// The memory; of handles the place where they were made.
        allocation: Allocation,
    },

    /// A NaN of operands that are none.
    Nan {
        /// The operation as the source calls it: `+`, `sqrt`; `fma` is a product and a sum.
        operation: String,
        /// Its operands, as `print *` would show them; of some operations none are known.
        operands: Vec<String>,
    },
    /// An infinity of finite operands.
    Infinity {
        /// The operation as the source calls it: `+`, `sqrt`; `fma` is a product and a sum.
        operation: String,
        /// Its operands, as `print *` would show them; of some operations none are known.
        operands: Vec<String>,
    },
    /// Integer division by zero in device code.
    DeviceDivisionByZero,
    /// A real beyond the integer's range.
    ConversionOutOfRange {
        /// The type it should become.
        to: String,
        /// The value.
        value: String,
    },

    /// A launch that could not start; one access, the host's or the parent thread's.
    Launch {
        /// Why.
        fault: LaunchFault,
    },
    /// A CUDA runtime call; one access.
    Api {
        /// The routine, or `launch of …` without backticks.
        call: String,
        /// What went wrong.
        fault: ApiFault,
    },
    /// The heap of device code is used up.
    DeviceHeapExhausted {
        /// Bytes asked for.
        requested: u64,
        /// Bytes of the heap.
        limit: u64,
    },
    /// The stack of a device thread is used up.
    DeviceStackOverflow {
        /// Bytes of the stack.
        limit: u64,
    },

    /// An error of the Fortran run time.
    Host(HostFault),
    /// What MPI found; the last access is the call at which it was found.
    Mpi(MpiFault),

    /// A feature that is not supported was reached.
    Unsupported {
        /// Its name.
        feature: String,
    },
    /// Emulator and GPU disagree; one access names the element.
    VerifyMismatch {
        /// Value on the emulator.
        emulator: String,
        /// Value on the GPU.
        gpu: String,
        /// How many elements differ.
        elements: u64,
    },
    /// A routine of a library and that of NVIDIA give results that are further apart than they may be; one access names the element.
    VerifyRoutine {
        /// The routine.
        routine: String,
        /// Value of cufemu's own routine.
        emulator: String,
        /// Value of NVIDIA's.
        gpu: String,
        /// How far they are apart and may be; empty where bits are compared.
        bound: String,
        /// How many elements differ so.
        elements: u64,
    },
}

impl FindingKind {
    /// The row of the table of codes. Some kinds have one code on the device and another on the host, or one for each
    /// memory: `accesses` decides.
    pub fn code(&self, accesses: &[Access]) -> Code {
        let last = accesses.last();
        let space = last.map_or(Space::Unknown, |a| a.space);
        let on_host = last.is_some_and(|a| a.actor == Actor::Host);
        match self {
            FindingKind::Race { flavour: RaceFlavour::MixedAtomic { .. }, .. } => Code::MixedAtomicRace,
            FindingKind::Race { flavour: RaceFlavour::SameValue, .. } => Code::SameValueRace,
            FindingKind::Race { between, .. } => match between {
                RaceKind::WithinWarp => Code::WarpRace,
                RaceKind::Block if space == Space::Shared => Code::SharedRace,
                RaceKind::Block => Code::GlobalRace,
                RaceKind::CrossBlock => Code::BlockRace,
                RaceKind::Nested => Code::NestedRace,
                RaceKind::Streams => Code::StreamRace,
                RaceKind::HostDevice => Code::HostDeviceRace,
                RaceKind::Message => Code::MessageRace,
                RaceKind::Scope { .. } => Code::ScopeRace,
            },
            FindingKind::RaceCheckIncomplete { .. } => Code::RaceCheckIncomplete,
            FindingKind::OutOfBounds { .. } => Code::OutOfBounds,
            FindingKind::Subscript { .. } if on_host => Code::HostSubscriptOutOfBounds,
            FindingKind::Subscript { .. } => Code::SubscriptOutOfBounds,
            FindingKind::SharedBeyondLaunch { .. } => Code::SharedBeyondLaunch,
            FindingKind::ClusterAccess { .. } => Code::ClusterAccess,
            FindingKind::PrivateArgument => Code::PrivateArgument,
            FindingKind::UseAfterFree { .. } => Code::UseAfterFree,
            FindingKind::NeverAllocated => Code::WildAddress,
            FindingKind::HostMemoryOnDevice => Code::HostMemoryOnDevice,
            FindingKind::DeviceMemoryOnHost => Code::DeviceMemoryOnHost,
            FindingKind::Misaligned { .. } => Code::Misaligned,
            FindingKind::Null => Code::NullAccess,
            FindingKind::DoubleFree { .. } => Code::DoubleFree,
            FindingKind::InvalidFree { .. } => Code::InvalidFree,
            FindingKind::CopyOutOfBounds { .. } => Code::CopyOutOfBounds,
            FindingKind::Uninitialised { .. } => match space {
                Space::Shared => Code::UninitialisedShared,
                Space::Local => Code::UninitialisedLocal,
                Space::Host | Space::Pinned => Code::UninitialisedHost,
                Space::Managed if on_host => Code::UninitialisedHost,
                _ => Code::UninitialisedGlobal,
            },
            FindingKind::Barrier { fault: BarrierFault::Divergent, .. } => Code::DivergentBarrier,
            FindingKind::Barrier { .. } => Code::BarrierNotReached,
            FindingKind::Rendezvous { .. } => Code::RendezvousNotReached,
            FindingKind::WarpMask { .. } => Code::WarpMask,
            FindingKind::GridSync { .. } => Code::GridSyncImpossible,
            FindingKind::Deadlock { .. } => Code::Deadlock,
            FindingKind::Livelock { .. } => Code::Livelock,
            FindingKind::Leak { what: LeakKind::Device | LeakKind::Pinned, .. } => Code::LeakedDeviceMemory,
            FindingKind::Leak { what: LeakKind::Heap, .. } => Code::LeakedDeviceHeap,
            FindingKind::Leak { .. } => Code::LeakedHandle,
            FindingKind::Nan { .. } => Code::NanMade,
            FindingKind::Infinity { .. } => Code::InfinityMade,
            FindingKind::DeviceDivisionByZero => Code::IntegerDivisionByZero,
            FindingKind::ConversionOutOfRange { .. } => Code::ConversionOutOfRange,
            FindingKind::Launch { fault } => match fault {
                LaunchFault::Extent { .. } => Code::BadLaunchConfiguration,
                LaunchFault::TooManyThreads { .. } => Code::TooManyThreads,
                LaunchFault::SharedMemory { .. } => Code::TooMuchSharedMemory,
                LaunchFault::LaunchBounds { .. } => Code::LaunchBoundsExceeded,
                LaunchFault::ClusterMultiple { .. } | LaunchFault::ClusterSize { .. } | LaunchFault::Depth { .. } => {
                    Code::BadLaunchConfiguration
                }
            },
            FindingKind::Api { fault, .. } => match fault {
                ApiFault::Unchecked { .. } => Code::UncheckedError,
                ApiFault::InvalidHandle { .. } | ApiFault::OtherDevice { .. } => Code::InvalidHandle,
                ApiFault::EventNotRecorded => Code::EventNotRecorded,
                ApiFault::CaptureBroken { .. } => Code::CaptureFailed,
                ApiFault::Pageable => Code::AsyncFromPageable,
                ApiFault::OutOfMemory { .. } => Code::OutOfDeviceMemory,
                ApiFault::InvalidArgument { .. } | ApiFault::WrongMemory { .. } => Code::InvalidApiArgument,
                ApiFault::RunsOnHost { .. } => Code::RoutineOnHost,
                ApiFault::NoSuchDevice { .. } => Code::NoSuchDevice,
            },
            FindingKind::DeviceHeapExhausted { .. } => Code::DeviceHeapExhausted,
            FindingKind::DeviceStackOverflow { .. } => Code::DeviceStackOverflow,
            FindingKind::Host(fault) => fault.code(),
            FindingKind::Mpi(fault) => fault.code(),
            FindingKind::Unsupported { .. } => Code::UnsupportedReached,
            FindingKind::VerifyMismatch { .. } | FindingKind::VerifyRoutine { .. } => Code::VerifyMismatch,
        }
    }

    /// How bad it is. The code says it, but for warnings that are errors where the result cannot be trusted, and for what GPUs
    /// let pass.
    pub fn severity(&self, accesses: &[Access]) -> Severity {
        match self {
            FindingKind::Race { flavour: RaceFlavour::MixedAtomic { is_plain_write: true }, .. }
            | FindingKind::RaceCheckIncomplete { is_undecided: true, .. } => Severity::Error,
            FindingKind::Barrier { fault: BarrierFault::Exited { .. }, .. } => Severity::Note,
            _ => self.code(accesses).severity(),
        }
    }

    /// The groups of threads that wait, of the kinds that have them.
    pub fn groups(&self) -> &[Waiting] {
        match self {
            FindingKind::Barrier { groups, .. }
            | FindingKind::Rendezvous { groups, .. }
            | FindingKind::Deadlock { groups }
            | FindingKind::Livelock { groups } => groups,
            _ => &[],
        }
    }
}
