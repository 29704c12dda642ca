//! The order in which the blocks of a launch run on one thread.
//!
//! Not here: what watches the blocks (`checks`), and several threads (`parallel`).

mod directed;
mod grid;
mod livelock;
mod seed;

pub(crate) use directed::Directed;
pub use grid::Grid;
pub(crate) use grid::{BlockEvents, Meeting, make_block};
pub(crate) use livelock::LivelockDetector;
pub(crate) use seed::mix;
