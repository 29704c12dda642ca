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
mod describe;
mod emulator;
mod grid;
mod heap;
mod init;
mod observe;
mod ordered;
mod parallel;
mod print;
mod racing;
mod reals;
mod reductions;
mod report;
mod sharing;

pub use block::Block;
pub use describe::{Memories, place_of};
pub use emulator::{Emulator, LaunchUse, Options};
pub use grid::Running;
pub use ordered::Speculation;
pub use parallel::Grain;
pub use sharing::{KnownLaunches, SiteSharing};
