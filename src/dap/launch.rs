//! How a program is started: what the client asks for, who compiles it, and the standard input of the program.

use debug::Session;
use std::collections::{BTreeMap, VecDeque};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

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
}

/// The standard input of a program: what the user types into the console, or a file. Clones are the same input.
#[derive(Clone, Debug, Default)]
pub struct Input(Arc<Mutex<Waiting>>);

impl Input {
    /// The next line.
    pub fn read_line(&self) -> InputLine {
        let mut waiting = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match waiting.lines.pop_front() {
            Some(line) => InputLine::Typed(line),
            None if waiting.is_ended => InputLine::End,
            None => {
                waiting.is_wanted = true;
                InputLine::Later
            }
        }
    }

    /// Whether the program has asked for a line that was not there.
    pub(crate) fn is_wanted(&self) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).is_wanted
    }

    /// Adds a line, or the end of the input.
    pub(crate) fn give(&self, line: Option<&[u8]>) {
        let mut waiting = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match line {
            Some(line) => waiting.lines.push_back(line.to_vec()),
            None => waiting.is_ended = true,
        }
        waiting.is_wanted = false;
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
