//! Calls of the CUDA runtime from host code: their arguments become values of [`device::Api`].
//!
//! Not here: what a call does (`device::Runtime`).

mod c;
mod c_arrays;
mod call;
mod symbol;

pub use c::has_runtime_routine;
pub(crate) use c::{c_call, c_text};
pub(crate) use c_arrays::{After, CArrays, c_array_call};
pub(crate) use call::cuda_call;
pub(crate) use symbol::{SymbolCall, Symbols, symbol_call};
