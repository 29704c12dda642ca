//! The deterministic GPU emulator: a [`device::Device`].
//!
//! The result of a launch is *by definition* that of one thread that runs the blocks in schedule order, a block giving way
//! only when all its fragments wait or poll (invariant I4). State is data: an [`Emulator`] can be cloned between any two
//! calls of `advance` and both copies give the same bytes (invariant I8).
//!
//! With race detection a launch runs with shadow memory first; if bytes come under suspicion, the launch is run again from
//! the state it began in, and the second run decides and has both ends of each race.
//!
//! Not here: the lane executor (`vm`), the detector (`race`), the CUDA API (`device`).

mod block;
mod checks;
mod emulator;
mod footprint;
mod observer;
mod parallel;
mod report;
mod schedule;
mod service;
mod symbolize;

pub use block::Block;
pub use emulator::{Emulator, LaunchUse, Options};
pub use footprint::{KnownLaunches, SiteSharing};
pub use parallel::independent::Grain;
pub use parallel::speculative::Speculation;
pub use schedule::grid::Running;
pub use symbolize::{Memories, place_of};
