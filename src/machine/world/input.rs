//! Standard input whose reading can be interrupted when the run must end.

use host::Answer;
use std::io::BufRead;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::Duration;

/// How often the wait for a line checks whether the run must end.
pub(crate) const GLANCE: Duration = Duration::from_millis(20);

/// Says whether a run must end and so must not wait any longer.
#[derive(Clone)]
pub struct EndWanted(Arc<dyn Fn() -> bool + Send + Sync>);

impl EndWanted {
    /// From what knows it.
    pub fn new(is_wanted: impl Fn() -> bool + Send + Sync + 'static) -> EndWanted {
        EndWanted(Arc::new(is_wanted))
    }

    pub(crate) fn is_wanted(&self) -> bool {
        (self.0)()
    }
}

impl std::fmt::Debug for EndWanted {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("EndWanted").field(&self.is_wanted()).finish()
    }
}

/// A thread that reads a line of standard input on request, so the wait for it can be interrupted.
#[derive(Debug)]
pub(crate) struct Input {
    requests: Sender<()>,
    lines: Receiver<Option<Vec<u8>>>,
    /// Whether a line was requested and has not come.
    is_asked: bool,
    /// Whether the thread is that of a copy of the process.
    is_of_copy: bool,
}

impl Input {
    pub(crate) fn new() -> Input {
        let (requests, asked) = channel();
        let (answers, lines) = channel();
        std::thread::spawn(move || while asked.recv().is_ok() && answers.send(read_line()).is_ok() {});
        Input { requests, lines, is_asked: false, is_of_copy: foreign::is_copy() }
    }

    /// Whether its thread is one of this process.
    pub(crate) fn is_here(&self) -> bool {
        self.is_of_copy == foreign::is_copy()
    }

    /// The next line; [`Answer::Later`] if the end is wanted before it comes.
    pub(crate) fn line(&mut self, end: &EndWanted) -> Answer {
        if !self.is_asked && self.requests.send(()).is_err() {
            return Answer::Line(None);
        }
        self.is_asked = true;
        loop {
            match self.lines.recv_timeout(GLANCE) {
                Err(RecvTimeoutError::Timeout) if end.is_wanted() => return Answer::Later,
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Answer::Line(None),
                Ok(line) => {
                    self.is_asked = false;
                    return Answer::Line(line);
                }
            }
        }
    }
}

/// The next line of standard input without its end; `None` at the end of the input.
pub(crate) fn read_line() -> Option<Vec<u8>> {
    let mut line = Vec::new();
    let n = std::io::stdin().lock().read_until(b'\n', &mut line).unwrap_or(0);
    if n == 0 {
        return None;
    }
    if line.last() == Some(&b'\n') {
        line.pop();
    }
    if line.last() == Some(&b'\r') {
        line.pop();
    }
    Some(line)
}
