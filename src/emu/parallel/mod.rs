//! Running the blocks of one launch on several threads, with the result of one thread.
//!
//! Blocks that provably share nothing run independently of each other (`independent`). Other blocks run speculatively and
//! commit in block order (`speculative`). Atomics whose result is unused are deferred (`deferred`).

pub(crate) mod deferred;
pub(crate) mod independent;
pub(crate) mod speculative;
