//! What passes, executors and printers ask about a function: its graph, dominators, loops, liveness, versions of mutable
//! registers, which registers hold one value for many threads, and which bytes a launch touches.
//!
//! Each analysis is computed from a function as it is and knows nothing of later changes; a pass that changes blocks asks
//! again. Blocks that the entry does not reach have no place in orders and no dominator. All functions take any function,
//! also one that the verifier refuses, provided that its ids are in range.

pub mod affine;
mod cfg;
mod dom;
pub mod footprint;
mod live;
mod loops;
mod set;
mod strong;
mod uniform;
mod versions;

pub use cfg::Cfg;
pub use dom::{Dominators, PostDominators};
pub use live::Liveness;
pub use loops::{Loop, LoopId, Loops};
pub use set::BitSet;
pub use strong::{StrongLiveness, is_computation};
pub use uniform::{UniformLevel, UniformOptions, uniform};
pub use versions::{VersionWalk, Versions};
