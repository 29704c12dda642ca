//! Procedures of the program that MPI calls: operations of reductions, functions that copy and delete attributes, error handlers,
//! those of requests of its own.
//!
//! MPI cannot call them itself. It notes an errand for the rank, whose call is interrupted until the embedded module
//! `cufemu_mpi_calls` has done it (`lower::call::mpi`, `routine::callbacks`).

use crate::layout::Layout;

/// A procedure of the program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Procedure {
    /// What a pointer to it holds.
    pub(crate) word: u64,
    /// Whether it takes pointers of C by value.
    pub(crate) by_value: bool,
}

/// How the data that ranks have brought is combined by a procedure of the program.
#[derive(Clone, Debug)]
pub(crate) struct Fold {
    pub(crate) procedure: Procedure,
    /// The handle of the datatype, which the procedure gets, and its layout.
    pub(crate) datatype: i32,
    pub(crate) layout: Layout,
}

/// The procedures of a request of the program's own, and the address of the value that they share.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Own {
    pub(crate) query: Procedure,
    pub(crate) free: Procedure,
    pub(crate) cancel: Procedure,
    pub(crate) extra: u64,
}

/// What the program is to do for MPI.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Errand {
    /// Combines the first two of the pieces that a request has got.
    Fold { request: u32 },
    /// Says what an attribute of an object becomes in its copy.
    Copy { procedure: Procedure, object: i32, key: i32, extra: i64, value: i64 },
    /// Hears that an attribute goes.
    Delete { procedure: Procedure, object: i32, key: i32, extra: i64, value: i64 },
    /// Handles an error of a call on an object.
    Handle { procedure: Procedure, object: i32, class: i32 },
    /// Says the status of a request of its own.
    Query { procedure: Procedure, extra: u64, request: u32 },
    /// Frees what belongs to a request of its own.
    Release { procedure: Procedure, extra: u64 },
    /// Hears that a request of its own is cancelled, and whether it is complete.
    Cancel { procedure: Procedure, extra: u64, is_complete: bool },
}

/// What a procedure that copies or deletes has said.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Reply {
    pub(crate) value: i64,
    pub(crate) is_copied: bool,
    pub(crate) error: i32,
}
