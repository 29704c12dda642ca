//! How a program is started: what the client asks for, who compiles it, and the standard input of the program.

use debug::Session;
use std::collections::{BTreeMap, VecDeque};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// A program to be debugged, as the client asks for it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Launch {
    /// The source files.
    pub files: Vec<String>,
    /// Options of cufemu.
    pub options: Vec<String>,
    /// Arguments of the program.
    pub arguments: Vec<String>,
    /// Where it runs; where the adapter runs if nothing is said.
    pub directory: Option<PathBuf>,
    /// Variables of its environment that differ from those of the adapter.
    pub environment: BTreeMap<String, String>,
}

/// How long a program that reads from a terminal waits before it looks whether something else is wanted of it.
const PATIENCE: Duration = Duration::from_millis(20);

/// Compiles and loads programs.
pub trait Launcher {
    /// A session with a program that has not begun, or why there is none. `say` takes what the compiler says.
    fn launch(&mut self, launch: &Launch, input: Input, say: &mut dyn FnMut(&str)) -> Result<Session, String>;
}

/// The answer to a program that reads its standard input.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum InputLine {
    /// A line without its end.
    Typed(Vec<u8>),
    /// The input is at its end.
    End,
    /// No answer now: the program stops before the statement that reads.
    Later,
}

#[derive(Debug, Default)]
struct Waiting {
    lines: VecDeque<Vec<u8>>,
    is_ended: bool,
    is_wanted: bool,
    /// In a terminal: whether the program is wanted for something else than to wait.
    attention: Option<Arc<AtomicBool>>,
}

/// The standard input of a program: what the user types into the console or a terminal, or a file. Clones are the same input.
#[derive(Clone, Debug, Default)]
pub struct Input(Arc<(Mutex<Waiting>, Condvar)>);

impl Input {
    /// The next line. In a terminal the program waits for it, until `attention` is set.
    pub fn read_line(&self) -> InputLine {
        let mut waiting = self.waiting();
        loop {
            if let Some(line) = waiting.lines.pop_front() {
                return InputLine::Typed(line);
            }
            if waiting.is_ended {
                return InputLine::End;
            }
            match &waiting.attention {
                None => {
                    waiting.is_wanted = true;
                    return InputLine::Later;
                }
                Some(attention) if attention.load(Ordering::Relaxed) => return InputLine::Later,
                Some(_) => {
                    let given = self.0.1.wait_timeout(waiting, PATIENCE);
                    waiting = given.unwrap_or_else(PoisonError::into_inner).0;
                }
            }
        }
    }

    /// Makes the input that of a terminal, where lines may come at any time.
    pub(crate) fn wait_for_lines(&self, attention: Arc<AtomicBool>) {
        self.waiting().attention = Some(attention);
    }

    fn waiting(&self) -> MutexGuard<'_, Waiting> {
        self.0.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether the program has asked for a line that was not there.
    pub(crate) fn is_wanted(&self) -> bool {
        self.waiting().is_wanted
    }

    /// Adds a line, or the end of the input.
    pub(crate) fn give(&self, line: Option<&[u8]>) {
        let mut waiting = self.waiting();
        match line {
            Some(line) => waiting.lines.push_back(line.to_vec()),
            None => waiting.is_ended = true,
        }
        waiting.is_wanted = false;
        self.0.1.notify_all();
    }

    /// Makes the lines of a text the whole input.
    pub(crate) fn fill(&self, text: &[u8]) {
        for line in text.split_inclusive(|&b| b == b'\n') {
            let line = line.strip_suffix(b"\n").unwrap_or(line);
            self.give(Some(line.strip_suffix(b"\r").unwrap_or(line)));
        }
        self.give(None);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_is_not_there_is_wanted_until_it_comes() {
        let input = Input::default();
        assert_eq!((input.read_line(), input.is_wanted()), (InputLine::Later, true));
        input.give(Some(b"42"));
        assert_eq!((input.is_wanted(), input.read_line()), (false, InputLine::Typed(b"42".to_vec())));
        let input = Input::default();
        input.fill(b"a\r\n\nb");
        let lines: Vec<InputLine> = (0..4).map(|_| input.read_line()).collect();
        let typed = |text: &[u8]| InputLine::Typed(text.to_vec());
        assert_eq!(lines, [typed(b"a"), typed(b""), typed(b"b"), InputLine::End]);
    }
}
