//! The frame of a procedure: parameters, results and local variables on entry and on the way out.

pub(crate) mod entry;
pub(crate) mod lifetime;
pub(crate) mod local;
pub(crate) mod storage;
