//! The host program and the Fortran runtime as a state machine.
//!
//! A [`Host`] is the main program's activation records (a `vm::Warp` of width 1), the units, the statement in progress and
//! whatever else the Fortran standard gives a running program. [`Host::advance`] runs it until it needs something from
//! outside, and says what as a [`HostYield`]; the answer comes by [`Host::answer`]. It never waits and touches nothing
//! outside itself and the memory that it is given (invariants I8, I9), so it can be cloned at any yield and replayed.
//!
//! Files are part of that state: a file is read whole when it is opened (a pipe at its first READ), and what was written goes
//! out at CLOSE, FLUSH and the end of the program. A program that goes backwards in time therefore finds its files as they were.
//!
//! Not here: the layout of formatted text (`text`), devices (`device`), the world (`machine`), the wording of errors
//! (`finding`).

mod condition;
mod cuda;
mod direct;
mod fault;
mod foreign;
mod host;
mod io;
mod mpi;
mod names;
mod outside;
mod protocol;
mod random;
mod reals;
mod restart;
mod runtime;
mod service;
mod storage;

pub use cuda::has_runtime_routine;
pub use fault::own_site;
pub use host::{Host, HostOptions};
pub use names::variable_at;
pub use outside::{Answer, Ask, CommandEnd, FileKind, FileStatus, HostYield, MpiCall, Stream};
