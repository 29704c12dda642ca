//! Stacks of C where calls of C are not supported: there are none. `stack` says what they are.

use crate::call::Arguments;
use crate::event::Event;
use crate::frame::Frame;
use std::ffi::c_int;

/// How many entries there are.
pub(crate) const ENTRIES: usize = 0;

/// Which entry was called.
pub(crate) fn entry_of(_: &Frame) -> usize {
    0
}

/// A stack of C.
#[derive(Default)]
pub(crate) struct Stack {
    arguments: Arguments,
}

impl Stack {
    /// That there is none.
    pub(crate) fn new() -> Result<Stack, String> {
        Err("calls of C are supported on 64-bit x86 with Unix only".to_owned())
    }

    /// Not reached: there are no stacks.
    pub(crate) fn arguments(&mut self) -> &mut Arguments {
        &mut self.arguments
    }

    /// Not reached: there are no stacks.
    pub(crate) fn begin(&mut self, _: *const ()) {}

    /// Not reached: there are no stacks.
    ///
    /// # Safety
    /// It is always safe.
    pub(crate) unsafe fn run(&mut self) -> Event {
        Event::Done
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
pub(crate) fn crash(_: c_int, _: Option<&str>) -> String {
    "it has crashed".to_owned()
}
