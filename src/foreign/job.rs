//! A call of C that runs on a stack of its own, and what can happen to it.
//!
//! Not here: the stacks (`stack`).

use crate::call::Arguments;
use crate::frame::Frame;
use ir::foreign::CValue;
use std::ffi::c_int;

/// A call of C.
pub(crate) struct Job {
    pub(crate) function: *const (),
    pub(crate) arguments: Arguments,
    pub(crate) result: Option<CValue>,
}

/// What happened on a stack.
pub(crate) enum Event {
    /// The call is over; the bytes of its result.
    Done(Result<Vec<u8>, String>),
    /// C has called an entry. The frame stays until the stack goes on.
    Called(*mut Frame),
    /// C has crashed with this signal.
    Crashed(c_int),
}
