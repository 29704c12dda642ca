//! MPI between ranks, of one process or each in its own.
//!
//! A [`World`] is what there is between ranks: communicators, messages on their way, collective operations that have begun;
//! and what MPI knows of each rank: its requests, datatypes, groups. A rank makes a call with [`World::call`]. If it cannot be
//! done yet, the rank waits, and [`World::resume`] goes on with it when [`World::is_ready`]. When no rank can go on,
//! [`World::settle`] lets go on those that a library with buffers would let go on, or reports the deadlock.
//!
//! A rank in a process of its own has a world that makes notes for the others and takes theirs (`world::remote`, `note`); a
//! [`Transport`] carries them.
//!
//! Everything is plain state without threads and clocks: the same calls in the same order give the same result, and a clone
//! can be continued. The memory of a rank is reached through [`RankMemory`].
//!
//! A call may need a procedure of the program, such as an operation of a reduction. It ends with [`Outcome::CallsBack`] then; the
//! rank calls the procedure, and goes on by the routine `cufemu_go_on` (`errand`).
//!
//! To add a routine: a row in `src/compile/mpi/tables.rs`, and one in a table of `routine/` with a function
//! that takes a `Caller`.
//!
//! Source: MPI: A Message-Passing Interface Standard, version 4.0.
//!
//! Not here: who runs the ranks and in which order (`machine`), the Fortran interfaces (`compile`), words of findings (`finding`).

mod attribute;
mod basic;
mod buffer;
mod collective;
mod communicator;
mod dispatch;
mod errand;
mod error;
mod file;
mod group;
mod handle;
mod layout;
mod memory;
mod message;
mod note;
mod reduce;
mod request;
mod routine;
mod topology;
mod transport;
mod types;
mod window;
mod world;

pub use memory::{Outside, RankMemory, Use};
pub use routine::{name, number};
pub use transport::Transport;
pub use world::call::Call;
pub use world::remote::{Packet, Place};
pub use world::{Outcome, World};
