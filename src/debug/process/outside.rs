//! The world of a program under the debugger: its output is kept until it is shown, and its input may come from a file.
//!
//! Not here: when output is shown, and what is done again without effects (`mod.rs`, `machine::RecordingWorld`).

use host::{Answer, Ask, Stream};
use machine::{RecordingWorld, World};
use std::collections::VecDeque;

/// The world, with the output of the program kept until it is shown.
pub(crate) struct Outside {
    pub(super) world: Box<dyn World + Send>,
    /// The lines of the file that is the standard input, if one is.
    pub(super) input: Option<VecDeque<Vec<u8>>>,
    output: Vec<u8>,
}

impl std::fmt::Debug for Outside {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Outside").field("output", &self.output.len()).finish_non_exhaustive()
    }
}

impl Outside {
    /// A world without output yet.
    pub(crate) fn new(world: Box<dyn World + Send>) -> Outside {
        Outside { world, input: None, output: Vec::new() }
    }

    /// An empty world, which stands in while the real one moves.
    pub(crate) fn empty() -> Outside {
        Outside::new(Box::new(Nothing))
    }
}

/// Has no input and takes no output.
struct Nothing;

impl World for Nothing {
    fn ask(&mut self, _: &Ask) -> Answer {
        Answer::Line(None)
    }

    fn write(&mut self, _: Stream, _: &[u8]) {}
}

impl World for Outside {
    fn ask(&mut self, question: &Ask) -> Answer {
        match (question, &mut self.input) {
            (Ask::ReadLine, Some(lines)) => Answer::Line(lines.pop_front()),
            _ => self.world.ask(question),
        }
    }

    fn write(&mut self, _: Stream, bytes: &[u8]) {
        self.output.extend_from_slice(bytes);
    }
}

/// The world of one advance: what the program has written is shown before it waits for input.
pub(super) struct Attended<'a> {
    pub(super) world: &'a mut RecordingWorld<Outside>,
    pub(super) output: &'a mut dyn FnMut(&[u8]),
    /// Whether a question got no answer.
    pub(super) is_later: bool,
}

impl Attended<'_> {
    pub(super) fn show_output(&mut self) {
        let output = std::mem::take(&mut self.world.inner_mut().output);
        if !output.is_empty() {
            (self.output)(&output);
        }
    }
}

impl World for Attended<'_> {
    fn ask(&mut self, question: &Ask) -> Answer {
        self.show_output();
        let answer = self.world.ask(question);
        self.is_later |= answer == Answer::Later;
        answer
    }

    fn write(&mut self, stream: Stream, bytes: &[u8]) {
        self.world.write(stream, bytes);
    }
}
