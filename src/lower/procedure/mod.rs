//! The frame of a procedure: parameters, results and variables, on entry and on return.
//!
//! Not here: calls (`call`).

pub(crate) mod entry;
pub(crate) mod flat_owner;
pub(crate) mod lifetime;
pub(crate) mod local;
mod made;
pub(crate) mod reach;
pub(crate) mod storage;
