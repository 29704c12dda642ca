//! Services of the run time for device code: output, STOP, allocation, addresses in a cluster, copies that are waited for.

mod cluster;
mod heap;
mod pipeline;
mod print;

pub(crate) use cluster::map_to_cluster;
pub(crate) use heap::{Heap, allocate};
pub(crate) use pipeline::{Pipelines, copy_later};
pub(crate) use print::{PrintState, print};

use finding::FindingKind;

/// What became of a request.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Served {
    /// It is done.
    Done,
    /// Compiled code raised an error about the array of that name.
    Error(FindingKind, String),
    /// A lane did something that it must not do.
    Fault(vm::Fault),
    /// Device code has no such service.
    Refused,
}
