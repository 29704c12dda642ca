//! The MPI library of the system, loaded at run time: it carries the notes of ranks that `mpirun` has started.
//!
//! [`Launch`] says who started the process (`launch`). [`connect`] loads the library that belongs to it (`library`) and gives a
//! [`mpi::Transport`] (`carrier`). Of the library fourteen functions are used, which send, receive and test bytes on a
//! communicator of cufemu's own; what a program's calls of MPI mean, and all its handles, are those of crate `mpi`.
//!
//! Nothing of an MPI is needed when cufemu is built. Open MPI (4 and 5) and the family of MPICH (MPICH, Intel MPI, MVAPICH)
//! are known, by their binary interfaces for C.
//!
//! Not here: the meaning of routines (`mpi`), memory of host and devices (`machine`).

mod carrier;
mod launch;
mod library;

pub use carrier::connect;
pub use launch::{Kind, Launch};
