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

/// The world of a repeated execution that may go past the end of the record, or past a change by the debugger: there it answers
/// nothing and takes nothing.
pub(super) struct Replayed<'a> {
    pub(super) world: &'a mut RecordingWorld<Outside>,
    /// Whether the program has wanted something that is not in the record.
    pub(super) is_past: bool,
}

impl World for Replayed<'_> {
    fn ask(&mut self, question: &Ask) -> Answer {
        self.is_past |= !self.world.knows(question);
        if self.is_past { Answer::Later } else { self.world.ask(question) }
    }

    fn write(&mut self, stream: Stream, bytes: &[u8]) {
        self.is_past |= !self.world.has_written(stream, bytes.len());
        if !self.is_past {
            self.world.write(stream, bytes);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Numbered(u64);

    impl World for Numbered {
        fn ask(&mut self, _: &Ask) -> Answer {
            self.0 += 1;
            Answer::Nanoseconds(self.0)
        }

        fn write(&mut self, _: Stream, _: &[u8]) {}
    }

    #[test]
    fn a_repeated_execution_that_goes_too_far_has_no_effects() {
        let mut recording = RecordingWorld::new(Outside::new(Box::new(Numbered(0))));
        let start = recording.mark();
        recording.write(Stream::Stdout, b"abc");
        recording.ask(&Ask::Clock);
        let end = recording.mark();
        let written = |recording: &RecordingWorld<Outside>| recording.inner().output.clone();

        recording.rewind(start);
        let mut world = Replayed { world: &mut recording, is_past: false };
        world.write(Stream::Stdout, b"abc");
        assert_eq!(world.ask(&Ask::Clock), Answer::Nanoseconds(1));
        assert!(!world.is_past, "all of this is in the record");
        assert_eq!(world.ask(&Ask::Clock), Answer::Later);
        assert!(world.is_past);
        world.write(Stream::Stdout, b"new");
        assert_eq!(written(&recording), b"abc");

        // A change by the debugger that comes later is not made yet, so the program may write and ask something else.
        recording.rewind(start);
        let mut world = Replayed { world: &mut recording, is_past: false };
        world.write(Stream::Stdout, b"abcd");
        assert!(world.is_past);
        recording.rewind(start);
        let mut world = Replayed { world: &mut recording, is_past: false };
        assert_eq!(world.ask(&Ask::ReadLine), Answer::Later);
        recording.rewind(start);
        recording.write(Stream::Stdout, b"abc");
        assert_eq!(recording.ask(&Ask::Clock), Answer::Nanoseconds(1), "the record is as it was");
        assert!(recording.mark() == end && written(&recording) == b"abc");
    }
}
