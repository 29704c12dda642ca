//! The services of the run time that compiled host code calls (`ir::rt`).

mod characters;
mod direct;
mod dispatch;
mod foreign;
mod memory;
mod mpi;

pub(crate) use direct::AtOnce;
