//! The order in which the blocks of a launch run on one thread.

pub(crate) mod grid;
