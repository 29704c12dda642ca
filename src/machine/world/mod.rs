//! The one door to the outside (invariant I9).

pub(crate) mod calendar;
pub(crate) mod input;
pub(crate) mod real;
pub(crate) mod record;

use foreign::Caller;
use host::{Answer, Ask, FileStatus, Stream};

/// What a running program reaches outside of itself.
pub trait World {
    /// Answers a question; with [`Answer::Later`] the machine stops, and asks again when it continues.
    fn ask(&mut self, question: &Ask) -> Answer;

    /// A rank goes on: it finds the working directory that it has left.
    fn enter(&mut self, _rank: usize) {}

    /// Who calls procedures of libraries, if they may be called without asking: no run is done again in this world.
    fn caller(&mut self) -> Option<&mut Caller> {
        None
    }

    /// Takes bytes for a standard stream. A closed pipe is no error.
    fn write(&mut self, stream: Stream, bytes: &[u8]);
}

/// A world without input, files and environment, whose clock stands still. It keeps what is printed.
#[derive(Clone, Debug, Default)]
pub struct ClosedWorld {
    /// What was printed, on either stream.
    pub printed: Vec<u8>,
}

impl ClosedWorld {
    /// Its answer to a question.
    pub fn answer(question: &Ask) -> Answer {
        match question {
            Ask::ReadLine => Answer::Line(None),
            Ask::ReadFile { .. } | Ask::ReadPieces { .. } => Answer::File(Ok(None)),
            Ask::FileStatus { path } => Answer::Status(FileStatus::absent(path)),
            Ask::WriteFile { .. }
            | Ask::WritePieces { .. }
            | Ask::DeleteFile { .. }
            | Ask::Sleep { .. }
            | Ask::Turn => Answer::Done(Ok(())),
            Ask::Clock | Ask::CpuClock => Answer::Nanoseconds(0),
            Ask::Date => Answer::Date([2000, 1, 1, 0, 0, 0, 0, 0]),
            Ask::Environment { .. } => Answer::Text(None),
            Ask::Command { .. } => Answer::Command(None),
            Ask::Foreign(_) => Answer::Foreign(Err("there are no libraries".to_owned())),
        }
    }
}

impl World for ClosedWorld {
    fn ask(&mut self, question: &Ask) -> Answer {
        ClosedWorld::answer(question)
    }

    fn write(&mut self, _: Stream, bytes: &[u8]) {
        self.printed.extend_from_slice(bytes);
    }
}
