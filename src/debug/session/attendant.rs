//! Who attends to a running program: takes its output, and may use a pause of it.

use crate::session::Session;

/// Takes the output of a running program. A closure that takes bytes is one.
pub trait Attendant {
    /// The program, or a logpoint, has written this.
    fn output(&mut self, bytes: &[u8]);

    /// The program was interrupted between two statements. Returns whether it goes on. Breakpoints may be changed here, but the
    /// program must stay where it is.
    fn interrupted(&mut self, _: &mut Session) -> bool {
        false
    }
}

impl<F: FnMut(&[u8])> Attendant for F {
    fn output(&mut self, bytes: &[u8]) {
        self(bytes);
    }
}
