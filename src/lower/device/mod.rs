//! Host code for the device: kernel launches and CUF kernels.
//!
//! Not here: procedures of device code (`intrinsic::device`).

pub(crate) mod cuf_kernel;
mod cuf_object;
pub(crate) mod cuf_reduction;
pub(crate) mod launch;
