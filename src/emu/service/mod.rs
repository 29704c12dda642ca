//! Services of the run time for device code: output, STOP, allocation.

mod heap;
mod print;

pub(crate) use heap::allocate;
pub(crate) use print::{PrintState, print};

use finding::FindingKind;

/// What became of a request.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Served {
    /// It is done.
    Done,
    /// Compiled code raised an error about the array of that name.
    Error(FindingKind, String),
    /// Device code has no such service.
    Refused,
}
