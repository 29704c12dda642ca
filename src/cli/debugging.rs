//! `--debug`, `--batch` and `-ex`: the debugger in line mode on this terminal.

use crate::cli::options::Options;
use crate::cli::run::Loader;
use crate::cli::usage;
use compile::Compiled;
use debug::{LineMode, Session, Setup, Terminal};
use machine::RealWorld;
use source::SourceMap;
use std::io::{BufRead, IsTerminal, Write};
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// Standard input and output as the debugger's terminal.
struct Console {
    /// Lines of scripts and `-ex`, which come before those of standard input.
    script: std::vec::IntoIter<String>,
    /// Whether to go on with standard input after the script.
    interactive: bool,
    /// Whether lines are shown as if they had been typed: scripts, and input that is no terminal.
    echo: bool,
}

impl Terminal for Console {
    fn read_line(&mut self, prompt: &str) -> Option<String> {
        if let Some(line) = self.script.next() {
            self.write(&format!("{prompt}{line}\n"));
            return Some(line);
        }
        if !self.interactive {
            return None;
        }
        self.write(prompt);
        let mut line = String::new();
        let read = std::io::stdin().lock().read_line(&mut line).unwrap_or(0);
        let line = (read > 0).then(|| line.trim_end_matches(['\n', '\r']).to_owned());
        match &line {
            Some(line) if self.echo => self.write(&format!("{line}\n")),
            None => self.write("\n"),
            Some(_) => {}
        }
        line
    }

    fn write(&mut self, text: &str) {
        self.write_output(text.as_bytes());
    }

    fn write_output(&mut self, bytes: &[u8]) {
        let mut out = std::io::stdout().lock();
        // A reader that went away has all it wanted.
        let _ = out.write_all(bytes).and_then(|()| out.flush());
    }
}

/// Talks with the user, or does a script, until `quit`; gives the exit code.
pub(crate) fn run(options: &Options, compiled: &Compiled, map: &SourceMap, loader: Loader) -> u8 {
    let mut lines = Vec::new();
    if let Some(path) = &options.batch {
        match std::fs::read_to_string(path) {
            Ok(text) => lines.extend(text.lines().map(str::to_owned)),
            Err(error) => return usage(&format!("cannot read `{}`: {error}", path.display())),
        }
    }
    lines.extend(options.ex.iter().cloned());
    let setup = Setup {
        checked: compiled.program.clone(),
        sources: Arc::new(map.clone()),
        start: Box::new(move || loader.machine()),
    };
    let session = match Session::new(setup, Box::new(RealWorld::new())) {
        Ok(session) => session,
        Err(error) => return usage(&error.to_string()),
    };
    let interrupt = session.interrupt_flag();
    // Without a handler Ctrl-C ends the debugger, as it ends any program.
    let _ = ctrlc::set_handler(move || interrupt.store(true, Ordering::Relaxed));
    let mut console =
        Console { script: lines.into_iter(), interactive: options.debug, echo: !std::io::stdin().is_terminal() };
    LineMode::new(session).run(&mut console);
    0
}
