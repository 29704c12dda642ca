//! Address numbers, allocations and copy-on-write pages.
//!
//! A [`Memory`] is everything that a program's addresses reach, but for shared and local memory: host data, the memory of
//! each device, managed and pinned memory. Addresses are numbers from our own allocator ([`address`]): fixed bases, guard
//! gaps, no reuse before all numbers of a region have been used, so that a stale address is found out. Contents live in pages
//! that a clone shares until one of the two writes ([`backing`]); that makes checkpoints cheap (invariant I8).
//!
//! Running code goes through a [`MemoryView`]: direct, or through a [`WriteBuffer`] where blocks run ahead of their turn.
//! Every access is checked against the live allocations: that is the memory safety of the emulator itself.
//!
//! Not here: shared and local memory of running blocks (`vm`), shadow memory of the race detector (`race`), what a fault is
//! called (`finding`).

pub mod address;
mod allocation;
mod arena;
mod backing;
mod buffer;
mod contents;
mod door;
mod header;
mod history;
mod init;
mod lanes;
mod loads;
mod locked;
mod memory;
mod of_c;
mod page;
mod snapshot;
mod sync;
mod touch;
mod view;
mod words;

pub use address::Region;
pub use allocation::{Alloc, AllocId, FreeError, OutOfMemory};
pub use buffer::{BufferedMemory, WriteBuffer};
pub use door::Door;
pub use init::{InitBits, Origin, SharedInitBits};
pub use lanes::{ActivePattern, LaneAddresses, RowShape, Strided};
pub use loads::Hint;
pub use memory::{Memory, MemoryWindow, PageTable};
pub use snapshot::Snapshot;
pub use touch::Touch;
pub use view::{DirectView, MemoryView, ReadBytes, SharedMemory, WriteBytes};
pub use words::Word;
