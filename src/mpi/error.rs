//! Errors of calls: their classes, and what is reported of them.

use finding::{MpiFault, RankCall};
use source::Span;

/// Why a call failed.
#[derive(Debug)]
pub(crate) struct Fault {
    /// `MPI_ERR_…`, which a program gets that asks for error codes.
    pub(crate) class: i32,
    /// What is reported to one that does not.
    pub(crate) fault: Box<MpiFault>,
}

/// A class or a code of errors that a program has added.
#[derive(Clone, Debug)]
pub(crate) struct OwnError {
    pub(crate) class: i32,
    pub(crate) text: String,
}

/// A call of a routine by a rank.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Step {
    pub(crate) rank: u32,
    /// The number of the routine.
    pub(crate) routine: u32,
    pub(crate) name: &'static str,
    pub(crate) span: Span,
}

impl Step {
    /// The call for a finding.
    pub(crate) fn about(self, what: impl Into<String>) -> RankCall {
        RankCall { rank: self.rank, call: self.name.to_owned(), span: self.span, what: what.into() }
    }

    /// An argument that is wrong.
    pub(crate) fn argument(self, class: i32, reason: impl Into<String>) -> Fault {
        Fault { class, fault: Box::new(MpiFault::Argument { call: self.about(""), reason: reason.into() }) }
    }
}

pub(crate) const SUCCESS: i32 = 0;
pub(crate) const BUFFER: i32 = 1;
pub(crate) const COUNT: i32 = 2;
pub(crate) const TYPE: i32 = 3;
pub(crate) const TAG: i32 = 4;
pub(crate) const COMMUNICATOR: i32 = 5;
pub(crate) const RANK: i32 = 6;
pub(crate) const REQUEST: i32 = 7;
pub(crate) const ROOT: i32 = 8;
pub(crate) const GROUP: i32 = 9;
pub(crate) const OPERATION: i32 = 10;
pub(crate) const TOPOLOGY: i32 = 11;
pub(crate) const DIMENSIONS: i32 = 12;
pub(crate) const ARGUMENT: i32 = 13;
pub(crate) const TRUNCATE: i32 = 15;
pub(crate) const OTHER: i32 = 16;
pub(crate) const ACCESS: i32 = 20;
pub(crate) const MODE: i32 = 21;
pub(crate) const FILE_EXISTS: i32 = 25;
pub(crate) const FILE: i32 = 27;
pub(crate) const INFO_KEY: i32 = 29;
pub(crate) const NO_INFO_KEY: i32 = 31;
pub(crate) const IO: i32 = 32;
pub(crate) const INFO: i32 = 34;
pub(crate) const NO_SUCH_FILE: i32 = 37;
pub(crate) const READ_ONLY: i32 = 40;
pub(crate) const UNSUPPORTED_DATA: i32 = 43;
pub(crate) const NO_MEMORY: i32 = 35;
pub(crate) const WINDOW: i32 = 45;
pub(crate) const BASE: i32 = 46;
pub(crate) const LOCK_TYPE: i32 = 47;
pub(crate) const KEY: i32 = 48;
pub(crate) const SYNCHRONIZATION: i32 = 50;
pub(crate) const SIZE: i32 = 51;
pub(crate) const DISPLACEMENT: i32 = 52;
pub(crate) const RANGE: i32 = 55;
pub(crate) const ATTACH: i32 = 56;
pub(crate) const UNSUPPORTED: i32 = 44;
/// `MPI_ERR_LASTCODE`.
pub(crate) const LAST: i32 = 63;

/// Whether an error is one of a file, of which a program gets the code unless it asks for more.
pub(crate) fn is_of_file(class: i32) -> bool {
    matches!(class, ACCESS | MODE | FILE_EXISTS | IO | NO_SUCH_FILE | READ_ONLY | UNSUPPORTED_DATA)
}

/// The sentence for a class.
pub(crate) fn sentence(class: i32) -> &'static str {
    match class {
        SUCCESS => "no error",
        BUFFER => "invalid buffer",
        COUNT => "invalid count",
        TYPE => "invalid datatype",
        TAG => "invalid tag",
        COMMUNICATOR => "invalid communicator",
        RANK => "invalid rank",
        REQUEST => "invalid request",
        ROOT => "invalid root",
        GROUP => "invalid group",
        OPERATION => "invalid reduction operation",
        TOPOLOGY => "invalid topology",
        DIMENSIONS => "invalid dimension",
        ARGUMENT => "invalid argument",
        TRUNCATE => "message truncated",
        OTHER => "other error",
        ACCESS => "permission denied",
        MODE => "invalid mode of a file",
        FILE_EXISTS => "file exists",
        FILE => "invalid file handle",
        IO => "error of input or output",
        NO_SUCH_FILE => "file does not exist",
        READ_ONLY => "read-only file",
        UNSUPPORTED_DATA => "unsupported data representation",
        INFO_KEY => "invalid key of an info object",
        NO_INFO_KEY => "no such key in an info object",
        INFO => "invalid info object",
        KEY => "invalid key of attributes",
        NO_MEMORY => "no memory",
        WINDOW => "invalid window",
        BASE => "invalid base of memory",
        LOCK_TYPE => "invalid type of a lock",
        SYNCHRONIZATION => "wrong synchronization of one-sided calls",
        SIZE => "invalid size",
        DISPLACEMENT => "invalid displacement",
        RANGE => "access outside of the window",
        ATTACH => "memory cannot be attached",
        UNSUPPORTED => "unsupported operation",
        _ => "unknown error",
    }
}
