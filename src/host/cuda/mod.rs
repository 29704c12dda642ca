//! Calls of the CUDA runtime from host code: their arguments become values of [`device::Api`].
//!
//! Not here: what a call does (`device::Runtime`).

pub(crate) mod call;
pub(crate) mod symbol;
