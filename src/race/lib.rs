//! Data-race detection: clocks, stamps and shadow memory; pure.
//!
//! The caller reports the events of a launch in the order in which the launch is defined to run. The crate returns the
//! accesses that race. It does no I/O and does not know the program: instructions, call stacks and values are opaque numbers.
//!
//! # What a race is
//!
//! The definition is that of the PTX ISA 8.7 to 8.9, "Memory Consistency Model". Two accesses of different threads
//! *conflict* if they overlap and one writes. They race if they are neither ordered by causality nor *morally strong*: both
//! strong (atomic or volatile), each in the scope of the other, and of exactly the same place and width. A warp is not
//! a scope: lanes of one instruction are concurrent, and lanes of a warp are unordered between instructions unless
//! something orders them ([`Rules::is_legacy_warp_sync`] brings back the promise of the years before Volta). The lanes of an
//! atomic come one after another, and those that come later have read what those before them have left.
//!
//! Causality is: program order; a barrier, which joins all threads of the block (`syncthreads`), the lanes of its mask
//! (`syncwarp`), a cluster or the grid; a fence followed by a strong write, read by a strong read (a release pattern
//! synchronises with an acquire pattern), also through a chain of read-modify-writes, with scopes that reach both ways; and
//! a strong write itself comes before the threads that have read it, for the place it wrote. Shuffles and votes order nothing.
//!
//! The rules depart from the letter in five places, because programs that are known to work rely on it. [`Rules::is_strict`]
//! undoes the first three.
//! * A reading atomic or volatile read acquires at once; the letter wants a fence after it.
//! * A barrier hands on the fences of its participants, so that `threadfence; syncthreads; if (t == 1) atomic` releases
//!   what all threads fenced; the letter wants the fence in the releasing thread.
//! * A lane that has exited counts as arrived at a `syncwarp` in which all lanes that are left take part, as exited threads
//!   do at `syncthreads`; the letter orders only the lanes that execute it. The caller says so
//!   ([`Detector::on_syncwarp`]).
//! * A plain store after a fence, to a place that strong accesses of the launch touch too, releases like a strong one:
//!   `threadfence; lock = 0`. The store itself is reported, as mixed ([`RacePair::is_mixed`]).
//! * Chains of strong writes of one place that are joined by causality and observation count as ordered.
//!
//! # How races are found
//!
//! 1. *The first pass* ([`Detector`]) checks each access against stamps in a shadow memory. A stamp is 64 bits: who and
//!    when; a cell of 4 or 8 bytes has two (last write, last read), and two more after the first strong access (`shadow`).
//!    Where all accesses are regular, the stamps of 32 cells are compressed to a few rules in an eighth of the memory
//!    (`shadow::line`). The vector clock of a thread is hierarchical: a time for the block, one for the warp, and a sparse
//!    clock for what was acquired (`clock`). Weak accesses between two synchronisations of a block share a time. A stamp
//!    that cannot name each thread that accessed the cell becomes a summary. So the pass may suspect too many bytes and
//!    never too few.
//! 2. *The second pass* ([`Exact`]), only if something is suspected: the same launch runs again from the same state, and
//!    for the suspected bytes the whole access history is kept (`decide`). It decides exactly, byte by byte, and has both
//!    accesses with their instructions, call stacks and values to show.
//! 3. *Between launches* the order is that of streams, events and the host ([`Timeline`], [`UseLog`]).
//!
//! The sources: epochs instead of vectors are from `FastTrack` (Flanagan and Freund, PLDI 2009); compressed clocks for
//! grids and synchronisation through fences and flags from Barracuda (Eizenberg, Peng, Pigli, Mansky and Devietti, PLDI
//! 2017); scopes, and that missing scopes are a kind of race, from iGUARD (Kamath and Basu, SOSP 2021); that a small fixed
//! state per address is enough for most accesses from `HiRace` (Jacobson, Burtscher and Gopalakrishnan, SC 2024). None of
//! them has the second pass; they are either inexact or keep everything for every byte.
//!
//! # What it may miss
//!
//! * It judges the run that it saw. Where only barriers and launches synchronise, any order of blocks and warps gives the
//!   same verdict; with atomics and locks another order may take another path. Try several seeds.
//! * A thread that has exited counts as arrived at later barriers, as in PTX; what it wrote before is then ordered.
//! * Asynchronous copies (`cp.async`, TMA), `mbarrier` objects and shared memory of other blocks of a cluster are not
//!   followed; their caller must say so.
//! * Counters that overflow, blocks beyond the stamp's numbers and a shadow at its limit make the verdict incomplete
//!   ([`Incomplete`]), never silently. Suspected accesses that the second pass cannot decide are told apart
//!   ([`Verdict::undecided`]).
//! * Counts are lower bounds where very many accesses race at one place.
//! * Local memory belongs to one thread and is not told here.
//!
//! # Use
//!
//! ```
//! use cufemu_race::*;
//!
//! let options = Options::default();
//! let launch = Launch { threads_per_block: 64, shared_bytes: 256 };
//! // Both warps write the same 32 elements of shared memory, and no barrier is between.
//! let row = mem::LaneAddresses::Strided(mem::Strided::contiguous(0, 4));
//! let write = |warp| WarpAccess {
//!     warp,
//!     active: u32::MAX,
//!     failed: 0,
//!     kind: Kind::Write,
//!     scope: Scope::Gpu,
//!     width: 4,
//!     addresses: &row,
//!     order: None,
//! };
//! let mut first_pass = Detector::new(options);
//! first_pass.begin_launch(launch);
//! let block = first_pass.begin_block(0);
//! for warp in 0..2 {
//!     first_pass.on_access(block, Space::Shared, &write(warp));
//! }
//! first_pass.end_block(block);
//! let suspicion = first_pass.end_launch();
//! assert!(!suspicion.watch.is_empty());
//!
//! let mut second_pass = Exact::new(options.rules, launch, suspicion);
//! let block = second_pass.begin_block(0);
//! for warp in 0..2 {
//!     let details = Details { site: 7, stack: 0, values: &[0; 32] };
//!     second_pass.on_access(block, Space::Shared, &write(warp), &details);
//! }
//! second_pass.end_block(block);
//! let verdict = second_pass.end_launch();
//! assert_eq!(verdict.pairs.len(), 1);
//! assert_eq!((verdict.pairs[0].count, verdict.pairs[0].relation()), (32, Relation::WithinBlock));
//! ```

mod access;
mod byteset;
mod clock;
mod decide;
mod detector;
mod nested;
mod shadow;
mod stamp;
mod timeline;
mod used;

pub use access::{Kind, LANES, Scope, Space, Thread, WarpAccess};
pub use byteset::ByteSet;
pub use clock::block::BlockClock;
pub use clock::order::{CtaSlot, Rules};
pub use clock::sparse::SparseClock;
pub use decide::exact::{Details, Exact, Verdict};
pub use decide::history::AccessInfo;
pub use decide::pairs::{RaceKind, RacePair, Relation};
pub use detector::{Detector, Incomplete, Launch, Options, Part, SuspectSet, Suspicion};
pub use nested::{EndedGrids, Knowledge};
pub use stamp::{MAX_TAG, MAX_TIME, Stamp, Who};
pub use timeline::{LaunchClock, Moment, Stream, Timeline, UseConflict, UseLog};
pub use used::UsedBytes;
