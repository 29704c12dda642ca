//! Line mode: reads commands, does them, writes text. The terminal itself is the caller's.

use crate::parse;
use crate::reply::{Outcome, Reply};
use crate::session::Session;
use crate::{Command, render};

/// What stands before each command.
pub const PROMPT: &str = "(cufemu) ";

/// Where lines come from and text goes.
pub trait Terminal {
    /// The next line, after showing the prompt; none at the end of the input.
    fn read_line(&mut self, prompt: &str) -> Option<String>;

    /// Text of the debugger.
    fn write(&mut self, text: &str);

    /// What the program writes.
    fn write_output(&mut self, bytes: &[u8]);
}

/// A session that is talked to in lines.
#[derive(Debug)]
pub struct LineMode {
    session: Session,
    /// The last line, if an empty one repeats it.
    repeated: Option<String>,
    /// Whether the last line was refused.
    failed: bool,
}

impl LineMode {
    /// Talks to this session.
    pub fn new(session: Session) -> LineMode {
        LineMode { session, repeated: None, failed: false }
    }

    /// The session.
    pub fn session(&self) -> &Session {
        &self.session
    }

    /// Reads and does commands until `quit` or the end of the input; gives whether it was `quit`.
    pub fn run(&mut self, terminal: &mut dyn Terminal) -> bool {
        while let Some(line) = terminal.read_line(PROMPT) {
            if !self.line(&line, terminal) {
                return true;
            }
        }
        false
    }

    /// Whether the last line was refused: a script may stop there.
    pub fn has_failed(&self) -> bool {
        self.failed
    }

    /// Does one line; `false` when it ends the session.
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
        // Repeating a list goes on where it ended.
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
