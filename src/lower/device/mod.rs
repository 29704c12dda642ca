//! Code that concerns the device: launches, CUF kernels, the tests of `--check fp`.

pub(crate) mod cuf_kernel;
pub(crate) mod cuf_reduction;
pub(crate) mod launch;
