//! The deterministic GPU emulator: a [`device::Device`].
//!
//! The result of a launch is *by definition* that of one thread that runs the blocks in schedule order; a block gives way
//! only when all its warp splits wait or poll (invariant I4). State is data: an [`Emulator`] can be cloned between any two
//! calls of `advance`, and both copies give the same bytes (invariant I8).
//!
//! A launch runs block by block (`schedule`), or several blocks at a time where that gives the same result (`parallel`).
//! While it runs it may be checked (`checks`). Grids that device code launches are part of it (`nested`).
//!
//! Not here: the lane executor (`vm`), the race detector (`race`), the CUDA API (`device`).

mod block;
mod checks;
mod emulator;
mod footprint;
mod kernel;
mod launch;
mod nested;
mod observer;
mod once_proof;
mod parallel;
mod report;
mod schedule;
mod service;
mod symbolize;

pub use block::Block;
pub use emulator::{Emulator, HostCopy, LaunchUse, Options, UseWanted};
pub use footprint::{KnownLaunches, SiteSharing};
pub use kernel::kernel_info;
pub use parallel::{Grain, LaunchMode, SerialReason, Speculation, Threads};
pub use schedule::Grid;
pub use symbolize::{Memories, place_of};
pub use vm::warm_up;
