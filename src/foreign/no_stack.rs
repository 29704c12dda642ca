//! Stacks of C where calls of C are not supported: there are none. `stack` says what they are.

use crate::call::UNSUPPORTED;
use crate::frame::Frame;
use crate::job::{Event, Job};
use std::ffi::c_int;

/// How many entries there are.
pub(crate) const ENTRIES: usize = 0;

/// Which entry was called.
pub(crate) fn entry_of(_: &Frame) -> usize {
    0
}

/// A stack of C.
pub(crate) struct Stack;

impl Stack {
    /// That there is none.
    pub(crate) fn new() -> Result<Stack, String> {
        Err(UNSUPPORTED.to_owned())
    }

    /// Not reached: there are no stacks.
    pub(crate) fn begin(&mut self, _: Job) {}

    /// Not reached: there are no stacks.
    ///
    /// # Safety
    /// It is always safe.
    pub(crate) unsafe fn run(&mut self) -> Event {
        Event::Done(Err(UNSUPPORTED.to_owned()))
    }
}

/// The address that C gets for an entry.
pub(crate) fn entry_address(_: usize) -> usize {
    0
}

/// Which entry has that address.
pub(crate) fn entry_at(_: u64) -> Option<usize> {
    None
}

/// What a signal says.
pub(crate) fn crash(_: c_int) -> &'static str {
    "it has crashed"
}
