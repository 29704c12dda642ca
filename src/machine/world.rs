//! The one door to the outside (invariant I9).

use host::{Answer, Ask, Stream};

/// What a running program reaches outside of itself.
pub trait World {
    /// Answers a question.
    fn ask(&mut self, question: &Ask) -> Answer;

    /// Takes bytes for a standard stream. A reader that has gone away is no error.
    fn write(&mut self, stream: Stream, bytes: &[u8]);
}
