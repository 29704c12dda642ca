//! Analyses of functions, for passes, executors and printers: control-flow graph, dominators, loops, liveness, versions of
//! mutable registers, affine values, ranges, uniformity, what a kernel only reads, and the bytes that a launch touches.
//!
//! Each analysis describes a function as it is; after a change it is computed again. Blocks that the entry does not reach have
//! no place in orders and no dominator. Any function is accepted, also one that the verifier refuses, provided that its ids
//! are in range.

pub mod affine;
mod apart;
mod bases;
mod cfg;
mod copies;
mod dom;
pub mod footprint;
mod live;
mod loops;
mod ranges;
mod reach;
mod read_only;
mod set;
mod strong;
mod uniform;
mod versions;

pub use apart::blocks_entered_apart;
pub use bases::Bases;
pub use cfg::Cfg;
pub use copies::read_otherwise;
pub use dom::{Dominators, PostDominators};
pub use live::Liveness;
pub use loops::{Loop, LoopId, Loops};
pub use ranges::{Range, Ranges};
pub use reach::reached;
pub use read_only::ReadOnly;
pub use set::BitSet;
pub use strong::{StrongLiveness, is_computation};
pub use uniform::{UniformLevel, UniformOptions, uniform};
pub use versions::{VersionWalk, Versions};
