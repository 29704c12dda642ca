//! What orders the threads of a launch: vector clocks, and the synchronisation that advances them.

pub(crate) mod block;
pub(crate) mod order;
pub(crate) mod sparse;
pub(crate) mod sync;
