//! What can happen to a call of C that runs on a stack of its own.
//!
//! Not here: the stacks (`stack`).

use crate::frame::Frame;
use std::ffi::c_int;

/// What happened on a stack.
pub(crate) enum Event {
    /// The call is over.
    Done,
    /// C has called an entry. The frame stays until the stack goes on.
    Called(*mut Frame),
    /// C has crashed with this signal, at an access to this address if it was one.
    Crashed(c_int, u64),
}
