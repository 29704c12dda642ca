//! Address numbers, allocations and copy-on-write pages.
//!
//! A [`Memory`] is everything that a program's addresses reach, but for shared and local memory: host data, the memory of
//! each device, managed and pinned memory. Addresses are numbers from our own allocator ([`address`]): fixed bases, guard
//! gaps, not used again before all of a region have been, so that a stale address is found out. Contents live in pages that a
//! clone shares until one of the two writes ([`backing`]); that is what makes checkpoints cheap (invariant I8).
//!
//! Every access is checked against the live allocations: that is the memory safety of the emulator itself.
//!
//! Not here: shared and local memory of running blocks (`vm`), shadow memory of the race detector (`race`), what a fault is
//! called (`finding`).

pub mod address;
mod backing;
mod draft;
mod history;
mod init;
mod lanes;
mod memory;
mod overlay;
mod page;
mod sheet;
mod touch;
mod warp;

pub use address::Region;
pub use draft::Draft;
pub use init::{InitBits, SharedInitBits};
pub use lanes::{Grid, Lanes, Word};
pub use memory::{Alloc, AllocId, FreeError, Memory, OutOfMemory};
pub use touch::Touch;
pub use warp::Hint;
