//! The services of the run time that compiled host code calls (`ir::rt`).

mod characters;
mod dispatch;
mod foreign;
pub(crate) use foreign::failed;
mod memory;
mod mpi;
