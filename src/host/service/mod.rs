//! The services of the run time that compiled host code calls (`ir::rt`).

mod characters;
mod dispatch;
mod foreign;
mod memory;
mod mpi;
