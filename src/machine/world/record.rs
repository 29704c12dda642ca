//! A world that records, so that a run can be repeated from any point.
//!
//! Answers are kept in the order of the questions. After [`RecordingWorld::rewind`] the same questions get the same answers
//! until the record ends, and effects (files, output) do not happen again. Execution is deterministic, so the questions come in
//! the same order. If one differs after all (a debugger changed a variable), the rest of the record is dropped and the world is
//! asked again.

use crate::world::World;
use host::{Answer, Ask, Stream};

/// A place in the record.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Mark {
    answers: usize,
    written: [u64; 2],
}

/// A world with its record.
#[derive(Debug)]
pub struct RecordingWorld<W> {
    world: W,
    log: Vec<(Ask, Answer)>,
    at: Mark,
    /// Bytes that each stream has really received.
    emitted: [u64; 2],
}

impl<W: World> RecordingWorld<W> {
    /// Records from now on.
    pub fn new(world: W) -> RecordingWorld<W> {
        RecordingWorld { world, log: Vec::new(), at: Mark::default(), emitted: [0; 2] }
    }

    /// Where the run is; taken with a checkpoint.
    pub fn mark(&self) -> Mark {
        self.at
    }

    /// Continues from there.
    pub fn rewind(&mut self, mark: Mark) {
        self.at = mark;
    }

    /// The run differs from the record from here on: what it writes has not been written before.
    pub fn diverge(&mut self) {
        self.emitted = self.at.written;
    }

    /// Whether the run is past the end of the record: questions go to the world.
    pub fn is_live(&self) -> bool {
        self.at.answers == self.log.len()
    }

    /// Whether output is shown; if not, it has been shown before.
    pub fn shows_output(&self) -> bool {
        self.at.written == self.emitted
    }

    /// Whether this question comes next in the record, so that the world is not asked.
    pub fn knows(&self, question: &Ask) -> bool {
        self.log.get(self.at.answers).is_some_and(|(asked, _)| asked == question)
    }

    /// Whether so many bytes, written now, have all been written before.
    pub fn has_written(&self, stream: Stream, bytes: usize) -> bool {
        self.at.written[stream as usize] + bytes as u64 <= self.emitted[stream as usize]
    }

    /// The world itself.
    pub fn inner(&self) -> &W {
        &self.world
    }

    /// The world itself, to change it.
    pub fn inner_mut(&mut self) -> &mut W {
        &mut self.world
    }
}

impl<W: World> World for RecordingWorld<W> {
    fn enter(&mut self, rank: usize) {
        self.world.enter(rank);
    }

    fn ask(&mut self, question: &Ask) -> Answer {
        if let Some((asked, answer)) = self.log.get(self.at.answers) {
            if asked == question {
                self.at.answers += 1;
                return answer.clone();
            }
            self.log.truncate(self.at.answers);
            self.diverge();
        }
        let answer = self.world.ask(question);
        if answer == Answer::Later {
            return answer;
        }
        self.log.push((question.clone(), answer.clone()));
        self.at.answers += 1;
        answer
    }

    fn write(&mut self, stream: Stream, bytes: &[u8]) {
        let i = stream as usize;
        let from = self.at.written[i];
        self.at.written[i] = from + bytes.len() as u64;
        let known = (self.emitted[i].saturating_sub(from) as usize).min(bytes.len());
        if known < bytes.len() {
            self.world.write(stream, &bytes[known..]);
            self.emitted[i] = self.at.written[i];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, Default)]
    struct Counter(u64, Vec<u8>);

    impl World for Counter {
        fn ask(&mut self, _: &Ask) -> Answer {
            self.0 += 1;
            Answer::Nanoseconds(self.0)
        }

        fn write(&mut self, _: Stream, bytes: &[u8]) {
            self.1.extend_from_slice(bytes);
        }
    }

    #[test]
    fn a_run_that_has_become_another_shows_its_output() {
        let mut w = RecordingWorld::new(Counter::default());
        let mark = w.mark();
        w.write(Stream::Stdout, b"old");
        w.rewind(mark);
        w.diverge();
        w.write(Stream::Stdout, b"new");
        assert_eq!(w.inner().1, b"oldnew");
    }

    #[test]
    fn what_is_in_the_record_is_known() {
        let mut w = RecordingWorld::new(Counter::default());
        let mark = w.mark();
        w.ask(&Ask::Clock);
        w.write(Stream::Stdout, b"abc");
        assert!(!w.knows(&Ask::Clock) && !w.has_written(Stream::Stdout, 1) && w.has_written(Stream::Stdout, 0));
        w.rewind(mark);
        assert!(w.knows(&Ask::Clock) && !w.knows(&Ask::ReadLine));
        assert!(w.has_written(Stream::Stdout, 3) && !w.has_written(Stream::Stdout, 4));
        assert!(!w.has_written(Stream::Stderr, 1));
    }

    #[test]
    fn a_rewound_world_repeats_answers_and_suppresses_output() {
        let mut w = RecordingWorld::new(Counter::default());
        assert_eq!(w.ask(&Ask::Clock), Answer::Nanoseconds(1));
        let mark = w.mark();
        w.write(Stream::Stdout, b"abc");
        assert_eq!(w.ask(&Ask::Clock), Answer::Nanoseconds(2));
        w.rewind(mark);
        w.write(Stream::Stdout, b"ab");
        w.write(Stream::Stdout, b"cd");
        assert_eq!(w.ask(&Ask::Clock), Answer::Nanoseconds(2));
        assert_eq!(w.ask(&Ask::Clock), Answer::Nanoseconds(3));
        assert_eq!(w.inner().1, b"abcd");
    }
}
