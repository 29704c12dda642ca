//! What a kernel launch touches: which accesses can meet those of other threads and other blocks.
//!
//! At a launch the extents and the arguments are numbers, so that almost everything that an address is made of is a number
//! too; what is left are the thread and block indices, the rounds of loops, and values of which only bounds are known. An
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
//! Of shared memory it is found out who in the block may touch the same bytes before the next barrier (`intervals`).
//!
//! Not here: local memory; other launches and the host, which may touch the same bytes at other times.

mod form;
mod intervals;
mod relate;
mod rounds;
mod stops;
mod value;
mod walk;

use crate::op::AtomOp;
use crate::{FuncId, Function, Module, SharedId, Ty};
use std::collections::BTreeMap;

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
    /// It is an atomic whose result nobody uses, and nothing but such atomics touches its bytes.
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
}

/// What is known of the accesses of a launch.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Footprint {
    /// Whether the whole kernel could be followed.
    is_complete: bool,
    found: BTreeMap<AccessId, Finding>,
    worst: Option<Sharing>,
    /// Of accesses that may be of shared memory; `None` if nothing can be said of those.
    shared: Option<BTreeMap<AccessId, Sharing>>,
    trusted: Vec<(u64, Ty, u64)>,
    extents: Vec<Extent>,
    may_stop: bool,
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

/// Most walks over a kernel until no assumption fails.
const WALKS: usize = 40;

/// Looks at a launch of `kernel`.
pub fn footprint(module: &Module, kernel: FuncId, launch: &LaunchFacts<'_>) -> Footprint {
    let mut refused = walk::Refused::default();
    for _ in 0..WALKS {
        let mut walk = walk::Walk::new(module, launch, &mut refused);
        match walk.kernel(kernel) {
            Ok(()) => {}
            Err(walk::Failure::Again) => continue,
            Err(walk::Failure::Beyond) => break,
        }
        let Some(mut related) = relate::relate(&walk) else {
            refused.memory = true;
            continue;
        };
        related.shared = intervals::relate_shared(&walk, module.func(kernel));
        return related;
    }
    Footprint::default()
}

impl Footprint {
    /// Who may touch what an access touches. An access that no thread of the launch executes touches nothing.
    pub fn sharing(&self, access: AccessId) -> Sharing {
        self.find(access, |f| f.own)
    }

    /// The worst of [`Footprint::sharing`] among all accesses that may touch the same bytes as this one, whoever executes
    /// them, and those that may touch the same bytes as these, and so on: accesses of different groups share no byte that
    /// anybody writes.
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

    /// Who may touch what an access of shared memory touches, from the barrier before to the next one: nobody who writes
    /// ([`Sharing::ReadOnly`]), no other thread ([`Sharing::ThreadDisjoint`]), or any thread of the block.
    pub fn between_barriers(&self, access: AccessId) -> Sharing {
        match &self.shared {
            Some(shared) if self.is_complete => shared.get(&access).copied().unwrap_or(Sharing::ReadOnly),
            _ => Sharing::BlockDisjoint,
        }
    }

    /// Whether no two threads touch a byte, one of them writing, without a barrier between them.
    pub fn is_free_of_races(&self) -> bool {
        let is_private = |s: Sharing| s <= Sharing::ThreadDisjoint;
        is_private(self.worst()) && self.shared.as_ref().is_some_and(|shared| shared.values().all(|&s| is_private(s)))
    }

    /// The bytes that the accesses may touch; `None` if they may touch anything.
    pub fn extents(&self) -> Option<&[Extent]> {
        self.is_complete.then_some(&self.extents)
    }

    /// Whether something but an access may end the launch before its time: an error that the code raises, a barrier or a
    /// warp operation that not all threads need reach, a loop that reads memory and has no bound.
    pub fn may_stop(&self) -> bool {
        !self.is_complete || self.may_stop
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

/// How many accesses a function has.
pub fn access_count(f: &Function) -> u32 {
    f.blocks.iter().flat_map(|b| &b.insts).filter(|inst| walk::is_access(&inst.kind)).count() as u32
}
