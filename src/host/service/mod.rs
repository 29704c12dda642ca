//! The services of the run time that compiled host code calls (`ir::rt`).

mod at_once;
mod characters;
mod direct;
mod dispatch;
mod foreign;
mod memory;
mod mpi;
mod product;

pub(crate) use at_once::AtOnce;
pub(crate) use foreign::foreign_services;
