//! The terminal of line mode: standard input and output. At a terminal, lines are edited and completed, and the history of
//! earlier sessions can be searched; from a file or a pipe, lines are read as they are and shown as if they had been typed.
//!
//! Not here: what the lines mean and which words complete them (`debug`).

use crate::cli::files;
use debug::{Completer, Terminal, Typed};
use rustyline::completion::{FilenameCompleter, Pair};
use rustyline::config::{CompletionType, Config};
use rustyline::error::ReadlineError;
use rustyline::highlight::Highlighter;
use rustyline::hint::Hinter;
use rustyline::history::FileHistory;
use rustyline::validate::Validator;
use rustyline::{Context, Editor, Helper};
use std::collections::VecDeque;
use std::io::{BufRead, Error, IsTerminal, Write};
use std::path::PathBuf;

/// Lines that the history keeps.
const MOST_LINES: usize = 2000;

/// Standard input and output as the debugger's terminal.
pub(crate) struct Console {
    /// The editor of lines, at a terminal.
    editor: Option<Editor<Words, FileHistory>>,
    /// Whether to show each input line, as if it had been typed. Set if the input is not a terminal.
    is_echoing: bool,
    /// The rest of several lines that were pasted together.
    pasted: VecDeque<String>,
    /// The file of the history, if there can be one.
    history: Option<PathBuf>,
    /// The first error of standard output.
    pub(crate) lost: Option<Error>,
}

impl Console {
    /// The console of this process.
    pub(crate) fn new() -> Console {
        let is_typed = std::io::stdin().is_terminal();
        let mut console =
            Console { editor: None, is_echoing: !is_typed, history: None, pasted: VecDeque::new(), lost: None };
        if is_typed && std::io::stdout().is_terminal() {
            console.editor = editor();
            console.history = files::user_file("XDG_STATE_HOME", ".local/state", "history");
        }
        if let (Some(editor), Some(path)) = (&mut console.editor, &console.history) {
            // There is no file at first. One that cannot be read is as good as none.
            let _ = editor.load_history(path);
        }
        console
    }

    /// Whether a user types the lines.
    pub(crate) fn is_interactive(&self) -> bool {
        !self.is_echoing
    }

    /// Keeps a line that was typed. A history that cannot be written is none of the user's worries.
    fn remember(&mut self, line: &str) {
        let Some(editor) = self.editor.as_mut().filter(|_| !line.trim().is_empty()) else { return };
        if !matches!(editor.add_history_entry(line), Ok(true)) {
            return;
        }
        if let Some(path) = &self.history {
            let _ = path.parent().map(std::fs::create_dir_all);
            let _ = editor.append_history(path);
        }
    }

    /// The next line of an input that is no terminal.
    fn plain_line(&mut self, prompt: &str) -> Typed {
        self.write(prompt);
        let mut line = String::new();
        if std::io::stdin().lock().read_line(&mut line).unwrap_or(0) == 0 {
            self.write("\n");
            return Typed::End;
        }
        let line = line.trim_end_matches(['\n', '\r']).to_owned();
        if self.is_echoing {
            self.write(&format!("{line}\n"));
        }
        Typed::Line(line)
    }
}

/// An editor with the keys of readline.
fn editor() -> Option<Editor<Words, FileHistory>> {
    let config = Config::builder().max_history_size(MOST_LINES).ok()?.completion_type(CompletionType::List).build();
    let mut editor = Editor::with_config(config).ok()?;
    editor.set_helper(Some(Words::default()));
    Some(editor)
}

impl Terminal for Console {
    fn read_line(&mut self, prompt: &str, completer: &dyn Fn() -> Completer) -> Typed {
        if let Some(line) = self.pasted.pop_front() {
            self.write(&format!("{prompt}{line}\n"));
            self.remember(&line);
            return Typed::Line(line);
        }
        let Some(editor) = &mut self.editor else { return self.plain_line(prompt) };
        if let Some(words) = editor.helper_mut() {
            words.completer = completer();
        }
        match editor.readline(prompt) {
            Ok(text) => {
                let mut lines = text.split(['\n', '\r']).map(str::to_owned);
                let first = lines.next().unwrap_or_default();
                self.pasted.extend(lines.filter(|line| !line.trim().is_empty()));
                self.remember(&first);
                Typed::Line(first)
            }
            Err(ReadlineError::Interrupted) => Typed::Cancelled,
            Err(_) => Typed::End,
        }
    }

    fn write(&mut self, text: &str) {
        self.write_output(text.as_bytes());
    }

    fn read_file(&mut self, path: &str) -> Result<String, String> {
        std::fs::read(path).map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).map_err(|e| reason(&e))
    }

    fn write_file(&mut self, path: &str, text: &str) -> Result<(), String> {
        std::fs::write(path, text).map_err(|e| reason(&e))
    }

    fn write_output(&mut self, bytes: &[u8]) {
        let mut out = std::io::stdout().lock();
        if let Err(error) = out.write_all(bytes).and_then(|()| out.flush()) {
            self.lost.get_or_insert(error);
        }
    }
}

/// Why a file cannot be used, without the number of the system.
fn reason(error: &Error) -> String {
    let text = error.to_string();
    text.split(" (os error").next().unwrap_or_default().to_lowercase()
}

/// Completes the words of a line.
#[derive(Default)]
struct Words {
    completer: Completer,
    files: FilenameCompleter,
}

impl rustyline::completion::Completer for Words {
    type Candidate = Pair;

    fn complete(&self, line: &str, at: usize, _: &Context<'_>) -> rustyline::Result<(usize, Vec<Pair>)> {
        let found = self.completer.complete(&line[..at]);
        if found.is_file {
            return self.files.complete_path(line, at);
        }
        let end = if found.words.len() == 1 { " " } else { "" };
        let pair = |word: String| Pair { replacement: format!("{word}{end}"), display: word };
        Ok((found.start, found.words.into_iter().map(pair).collect()))
    }
}

impl Hinter for Words {
    type Hint = String;
}

impl Highlighter for Words {}

impl Validator for Words {}

impl Helper for Words {}
