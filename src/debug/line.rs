//! Line mode: reads commands, executes them, writes text.
//!
//! Not here: the terminal, which the caller provides.

use crate::Command;
use crate::command::parse;
use crate::session::Session;
use crate::view::render;
use crate::view::reply::{Outcome, Reply};

/// The prompt before each command.
pub const PROMPT: &str = "(cufemu) ";

/// The source of lines and the destination of text.
pub trait Terminal {
    /// The next line, after showing the prompt; `None` at the end of input.
    fn read_line(&mut self, prompt: &str) -> Option<String>;

    /// Text of the debugger.
    fn write(&mut self, text: &str);

    /// Output of the program.
    fn write_output(&mut self, bytes: &[u8]);
}

/// A session in line mode.
#[derive(Debug)]
pub struct LineMode {
    session: Session,
    /// The last line, if an empty line repeats it.
    repeated: Option<String>,
    /// Whether the last line failed.
    failed: bool,
}

impl LineMode {
    /// Line mode for this session.
    pub fn new(session: Session) -> LineMode {
        LineMode { session, repeated: None, failed: false }
    }

    /// The session.
    pub fn session(&self) -> &Session {
        &self.session
    }

    /// Reads and executes commands until `quit` or the end of input; returns whether it was `quit`.
    pub fn run(&mut self, terminal: &mut dyn Terminal) -> bool {
        while let Some(line) = terminal.read_line(PROMPT) {
            if !self.line(&line, terminal) {
                return true;
            }
        }
        false
    }

    /// Whether the last line failed, so that a script can stop there.
    pub fn has_failed(&self) -> bool {
        self.failed
    }

    /// Executes one line; `false` if it ends the session.
    pub fn line(&mut self, line: &str, terminal: &mut dyn Terminal) -> bool {
        let line = match (line.trim().is_empty(), &self.repeated) {
            (true, Some(again)) => again.clone(),
            (true, None) => return true,
            (false, _) => line.to_owned(),
        };
        self.failed = false;
        let command = match parse::parse(&line) {
            Ok(Some(command)) => command,
            Ok(None) => return true,
            Err(error) => {
                self.repeated = None;
                self.failed = true;
                terminal.write(&format!("{error}\n"));
                return true;
            }
        };
        // A repeated `list` continues where the last one ended.
        self.repeated = match &command {
            Command::List(_) => Some("list".to_owned()),
            _ => parse::repeats(&line).then_some(line),
        };
        match self.session.execute(&command, &mut |bytes| terminal.write_output(bytes)) {
            Ok(Outcome::Reply(Reply::Quit)) => return false,
            Ok(outcome) => terminal.write(&render::outcome(&outcome)),
            Err(error) => {
                self.failed = true;
                terminal.write(&format!("{error}\n"));
            }
        }
        true
    }
}
