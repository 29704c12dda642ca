//! What a kernel launch touches: which accesses can meet those of other threads and other blocks.
//!
//! At a launch the extents and the arguments are numbers, so that almost everything that an address is made of is a number
//! too; what is left are the thread and block indices, the iteration numbers of loops, and values of which only bounds are known. An
//! address is then an affine form of these, guarded by the conditions under which the access happens (`walk`, `form`). Two
//! accesses of different threads touch a common byte only if a bounded linear equation has a solution; whether it can have
//! one is decided as for a number in mixed radix, digit by digit (`relate`).
//!
//! What is said holds for every execution of the launch that ends without a fault, in any order of threads; it is about
//! concrete bytes, so that arrays that share memory are seen as what they are. The analysis never claims too much; what it
//! cannot follow (addresses made of loaded values, irregular arithmetic, calls too deep) is [`Sharing::Unknown`].
//!
//! Values that the kernel loads from constant addresses (descriptors of module arrays, scalars passed by reference) are
//! taken from memory as it is before the launch, if nothing in the launch can write there.
//!
//! Of all accesses it is found out which other threads of the block may touch the same bytes before the next barrier
//! (`intervals`). Two accesses race only if they touch a common byte, not both read, are no atomics whose scopes take in
//! both threads, and no barrier comes between. That nothing races says nothing of the order of atomics: whether blocks may
//! run in any order is another question, which [`Sharing`] answers.
//!
//! Where it can be told exactly which bytes a launch touches, [`Footprint::runs`] has them (`exact`).
//!
//! [`guarded`] is the same under an assumption that is checked while the launch runs ([`Guards`]): that an access whose address
//! may be nearly anything, such as that of a gather, stays away from the bytes that others write.
//!
//! Not here: local memory; other launches and the host, which may touch the same bytes at other times.

mod deciding;
mod exact;
mod form;
mod induction;
mod insts;
mod intervals;
mod relate;
mod state;
mod stops;
mod value;
mod walk;

use crate::op::AtomOp;
use crate::{FuncId, InstKind, Module, Scope, SharedId, Ty};
pub use exact::Runs;
use relate::Relation;
use std::collections::{BTreeMap, BTreeSet};

/// An access of a function: its number among the loads, stores and atomics of the function, counted in the order of blocks.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct AccessId {
    /// The function.
    pub func: FuncId,
    /// The number, from 0.
    pub number: u32,
}

/// Who else may touch what an access touches, from the best case to the worst.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Sharing {
    /// It only reads, and nothing in the launch writes any byte that it reads.
    ReadOnly,
    /// No other thread touches a byte that it touches, unless both read.
    ThreadDisjoint,
    /// No thread of another block touches a byte that it touches, unless both read.
    BlockDisjoint,
    /// It is an atomic whose result the program does not use, and nothing but such atomics touches its bytes.
    Reduction,
    /// Any other thread may.
    Unknown,
}

/// What is known of a launch before it begins.
pub struct LaunchFacts<'a> {
    /// Grid extents.
    pub grid: [u32; 3],
    /// Block extents.
    pub block: [u32; 3],
    /// Blocks of a cluster along each dimension.
    pub cluster: [u32; 3],
    /// The bits of each argument; `None` where an object is passed by value.
    pub args: &'a [Option<u64>],
    /// Address of each global variable.
    pub globals: &'a [u64],
    /// First and last address of shared memory.
    pub shared: (i64, i64),
    /// Address of a function's shared variable, if it is known.
    pub shared_at: &'a dyn Fn(FuncId, SharedId) -> Option<i64>,
    /// First and last address of local memory.
    pub local: (i64, i64),
    /// The addresses from the first up to the second, not included, that are shared or local memory.
    pub windows: (i64, i64),
    /// Memory before the launch: the bits of a value at an address, if there is one.
    pub read: &'a dyn Fn(u64, Ty) -> Option<u64>,
}

/// What an access does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    Read,
    Write,
    Atomic {
        op: AtomOp,
        ty: Ty,
        scope: Scope,
        /// Whether anything depends on the old value.
        used: bool,
    },
}

/// The operation that all accesses of a group of reductions do.
pub type Reduction = (AtomOp, Ty);

/// What was found out about one access.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Finding {
    own: Sharing,
    group: Sharing,
    reduction: Option<Reduction>,
    /// Who may touch what it touches in a way that would be a race if nothing ordered it.
    conflict: Relation,
}

/// What is known of the accesses of a launch.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Footprint {
    /// Whether the whole kernel could be followed.
    is_complete: bool,
    found: BTreeMap<AccessId, Finding>,
    worst: Option<Sharing>,
    /// The worst conflict of what has no number: services that read memory.
    unnumbered: Relation,
    /// Conflicts with other threads of the block before the next barrier; `None` if nothing can be said of those.
    between_barriers: Option<BTreeMap<AccessId, Relation>>,
    trusted: Vec<(u64, Ty, u64)>,
    extents: Vec<Extent>,
    runs: Option<Vec<Runs>>,
    may_stop: bool,
    guards: Option<Guards>,
}

/// Bytes that an access of a launch may touch.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Extent {
    /// The first address.
    pub low: u64,
    /// The address behind the last byte.
    pub high: u64,
    /// Whether every address is a multiple of the word's size.
    pub is_aligned: bool,
}

/// What has to hold while a launch runs, for what [`guarded`] says of it to be true. It is about *loose* accesses, of whose
/// addresses nearly nothing is known. The others have known extents.
///
/// - A loose load touches no byte of `writes`.
/// - A loose store or atomic touches no byte of `reads` or `writes`.
/// - No allocation is touched both by a loose load and by a loose store or atomic.
/// - If `is_once`, no byte that a loose store touches is touched by any other loose store or atomic, of the same thread either.
/// - An allocation that an alike store touches which is loose is touched by no other loose store or atomic.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Guards {
    /// Whether loose stores are assumed to touch each byte once.
    pub is_once: bool,
    /// Whether loose atomics are among the loose accesses.
    pub has_loose_atomics: bool,
    /// Stores that may race with themselves and with nothing else. Each stores one value, whichever thread executes it, so that the
    /// races change nothing. With the bytes that each stores.
    pub alike: BTreeMap<AccessId, u64>,
    /// The loose accesses, and whether each is a load.
    pub loose: BTreeMap<AccessId, bool>,
    /// The bytes that other accesses may read: address, and end. Sorted, and apart from each other.
    pub reads: Vec<(u64, u64)>,
    /// The bytes that other accesses may write.
    pub writes: Vec<(u64, u64)>,
    /// If `is_once`: the bytes on which, and on the arguments, it depends which bytes loose accesses write. They are not written
    /// meanwhile. `None` if it depends on more.
    pub deciding: Option<Vec<(u64, u64)>>,
}

impl Guards {
    /// Whether a loose access writes.
    pub fn has_loose_writes(&self) -> bool {
        self.loose.values().any(|is_load| !is_load)
    }
}

/// Most walks over a kernel until no assumption fails.
const WALKS: usize = 40;

/// Looks at a launch of `kernel`.
pub fn footprint(module: &Module, kernel: FuncId, launch: &LaunchFacts<'_>) -> Footprint {
    best(module, kernel, launch, Assumed::Nothing)
}

/// Looks at a launch of `kernel`, assuming what its [`Footprint::guards`] say, and if `is_once`, that loose stores touch each byte
/// once; `None` if there is nothing to assume.
pub fn guarded(module: &Module, kernel: FuncId, launch: &LaunchFacts<'_>, is_once: bool) -> Option<Footprint> {
    let found = best(module, kernel, launch, if is_once { Assumed::Once } else { Assumed::Apart });
    let is_more = |guards: &Guards| if is_once { guards.has_loose_writes() } else { !guards.loose.is_empty() };
    found.guards.as_ref().is_some_and(is_more).then_some(found)
}

/// Looks at a launch of `kernel`, of which the races of [`Guards::alike`] stores with themselves are left out, assuming what its
/// [`Footprint::guards`] say; `None` if there are no such stores.
pub fn alike(module: &Module, kernel: FuncId, launch: &LaunchFacts<'_>) -> Option<Footprint> {
    let found = best(module, kernel, launch, Assumed::Alike);
    found.guards.as_ref().is_some_and(|guards| !guards.alike.is_empty()).then_some(found)
}

/// What is assumed of loose accesses ([`Guards`]).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Assumed {
    Nothing,
    /// That they stay away from others.
    Apart,
    /// That too, and that loose stores touch each byte once.
    Once,
    /// That they stay away from others, and that alike stores are of one instruction in each allocation.
    Alike,
}

fn best(module: &Module, kernel: FuncId, launch: &LaunchFacts<'_>, assumed: Assumed) -> Footprint {
    let plain = look(module, kernel, launch, false, assumed);
    let is_barrier = |kind: &InstKind| matches!(kind, InstKind::Barrier { .. });
    let has_barrier = module.func(kernel).blocks.iter().flat_map(|b| &b.insts).any(|inst| is_barrier(&inst.kind));
    if !plain.is_complete || !has_barrier || plain.is_free_of_races() {
        return plain;
    }
    // Looking at each iteration of a loop costs more, so it is done only where it may show more.
    let unrolled = look(module, kernel, launch, true, assumed);
    if unrolled.is_complete && unrolled.racing() < plain.racing() { unrolled } else { plain }
}

fn look(module: &Module, kernel: FuncId, launch: &LaunchFacts<'_>, is_unrolling: bool, assumed: Assumed) -> Footprint {
    let mut refused = state::Refused::default();
    for _ in 0..WALKS {
        let mut walk = state::Walk::new(module, launch, &mut refused, is_unrolling);
        match walk.kernel(kernel) {
            Ok(()) => {}
            Err(state::Failure::Again) => continue,
            Err(state::Failure::Beyond) => break,
        }
        if assumed != Assumed::Nothing {
            relate::loosen(&mut walk, assumed);
        }
        let Some(mut related) = relate::relate(&walk) else {
            refused.memory = true;
            continue;
        };
        related.between_barriers = intervals::relate(&walk, module.func(kernel));
        related.runs = exact::runs(&walk);
        related.guards = (assumed != Assumed::Nothing).then(|| relate::guards(&walk, kernel));
        return related;
    }
    Footprint::default()
}

impl Footprint {
    /// Who may touch what an access touches. An access that no thread of the launch executes touches nothing.
    pub fn sharing(&self, access: AccessId) -> Sharing {
        self.find(access, |f| f.own)
    }

    /// The worst of [`Footprint::sharing`] in the access's group: all accesses, of any thread, that may touch the same bytes,
    /// and those that may touch the same bytes as these, and so on. Accesses of different groups share no byte that is
    /// written.
    pub fn group(&self, access: AccessId) -> Sharing {
        self.find(access, |f| f.group)
    }

    /// The one operation that all accesses of the access's group do, if it is a reduction and there is one.
    pub fn reduction(&self, access: AccessId) -> Option<Reduction> {
        self.found.get(&access).and_then(|f| f.reduction)
    }

    /// The worst of all accesses.
    pub fn worst(&self) -> Sharing {
        if self.is_complete { self.worst.unwrap_or(Sharing::ReadOnly) } else { Sharing::Unknown }
    }

    /// Whether another thread of the block may race with an access before the next barrier comes.
    pub fn races_between_barriers(&self, access: AccessId) -> bool {
        match &self.between_barriers {
            Some(found) if self.is_complete => found.get(&access).is_some_and(|&r| r > Relation::SameThread),
            _ => true,
        }
    }

    /// Whether another thread may race with an access.
    pub fn races(&self, access: AccessId) -> bool {
        let elsewhere = match self.found.get(&access) {
            Some(found) => found.conflict > Relation::SameBlock,
            None => !self.is_complete,
        };
        elsewhere || self.races_between_barriers(access)
    }

    /// Whether no two threads of different blocks race.
    pub fn keeps_races_in_blocks(&self) -> bool {
        self.is_complete
            && self.unnumbered <= Relation::SameBlock
            && self.found.values().all(|found| found.conflict <= Relation::SameBlock)
    }

    /// Whether no two threads race.
    pub fn is_free_of_races(&self) -> bool {
        self.is_complete
            && self.unnumbered <= Relation::SameThread
            && self.between_barriers.is_some()
            && self.racing() == 0
    }

    /// How many accesses may race.
    fn racing(&self) -> usize {
        let ids = self.found.keys().chain(self.between_barriers.iter().flat_map(|found| found.keys()));
        ids.collect::<BTreeSet<_>>().into_iter().filter(|&&id| self.races(id)).count()
    }

    /// The bytes that the accesses may touch; `None` if they may touch anything.
    pub fn extents(&self) -> Option<&[Extent]> {
        self.is_complete.then_some(&self.extents)
    }

    /// The bytes of memory other than shared and local memory that the launch reads and writes; `None` if that is not known exactly.
    pub fn runs(&self) -> Option<&[Runs]> {
        self.runs.as_deref().filter(|_| self.is_complete)
    }

    /// Whether something but an access may end the launch before its time: an error that the code raises, a barrier or a
    /// warp operation that not all threads need reach, a loop that reads memory and has no bound.
    pub fn may_stop(&self) -> bool {
        !self.is_complete || self.may_stop
    }

    /// What is assumed ([`guarded`]).
    pub fn guards(&self) -> Option<&Guards> {
        self.guards.as_ref()
    }

    /// Whether an access may be of memory other than shared and local memory.
    pub fn is_global(&self, access: AccessId) -> bool {
        !self.is_complete || self.found.contains_key(&access)
    }

    /// What was read from memory: address, type and bits. Another launch with the same arguments has the same footprint as
    /// long as the same is there.
    pub fn trusted(&self) -> &[(u64, Ty, u64)] {
        &self.trusted
    }

    fn find(&self, access: AccessId, f: impl Fn(&Finding) -> Sharing) -> Sharing {
        match self.found.get(&access) {
            Some(found) => f(found),
            None if self.is_complete => Sharing::ReadOnly,
            None => Sharing::Unknown,
        }
    }
}
