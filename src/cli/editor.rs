//! Starts the debugger for an editor: `cufemu dap`.
//!
//! The editor launches a program with options as on the command line. Standard input and output are the connection to the
//! editor, or a port of this computer is; the program's own input and output are part of the conversation.
//!
//! Not here: the protocol (`dap`), compiling (`run`).

use crate::cli::options::Options;
use crate::cli::report::say;
use crate::cli::solo::OneRank;
use crate::cli::{debugging, libraries, nvfortran, ranks, run, usage};
use clap::Parser;
use dap::{Input, InputLine, Launch, Launcher};
use debug::Session;
use host::{Answer, Ask, Stream};
use machine::{RealWorld, World};
use std::collections::BTreeMap;
use std::io::BufReader;
use std::net::TcpListener;

/// Serves one editor until it disconnects; returns the exit code.
pub(crate) fn serve(options: &Options) -> u8 {
    let served = match (options.terminal, options.port) {
        (Some(port), _) => dap::relay(port, std::io::stdin(), std::io::stdout()),
        (None, None) => dap::serve(BufReader::new(std::io::stdin()), std::io::stdout(), CommandLine),
        (None, Some(port)) => connection(port),
    };
    match served {
        Ok(()) => 0,
        Err(error) => usage(&format!("the connection to the editor failed: {error}")),
    }
}

/// Waits for an editor on a port of this computer, and serves it.
fn connection(port: u16) -> std::io::Result<()> {
    let listener = TcpListener::bind(("127.0.0.1", port))?;
    say(&format!("cufemu: waiting for an editor on port {}\n", listener.local_addr()?.port()));
    let (stream, _) = listener.accept()?;
    stream.set_nodelay(true)?;
    dap::serve(BufReader::new(stream.try_clone()?), stream, CommandLine)
}

/// Launches programs as the command line does.
struct CommandLine;

impl Launcher for CommandLine {
    fn launch(&mut self, launch: &Launch, input: Input, tell: &mut dyn FnMut(&str)) -> Result<Session, String> {
        if let Some(directory) = &launch.directory {
            let cannot = |e| format!("cannot run in `{}`: {e}", directory.display());
            std::env::set_current_dir(directory).map_err(cannot)?;
        }
        let words = ["cufemu", "--debug"].map(str::to_owned);
        let words = words.iter().chain(&launch.options).chain(&launch.files).cloned();
        let separator = (!launch.arguments.is_empty()).then(|| "--".to_owned());
        let words = words.chain(separator).chain(launch.arguments.iter().cloned());
        let mut options = Options::try_parse_from(nvfortran::translate(words)).map_err(|error| {
            let text = error.render().to_string();
            text.lines().next().unwrap_or_default().trim_start_matches("error: ").to_owned()
        })?;
        let compiler = nvfortran::Compiler::read(&options.nvfortran);
        if let Some(sentence) = compiler.mistake() {
            return Err(sentence);
        }
        compiler.remarks(false).iter().for_each(|remark| tell(remark));
        if let Some(sentence) = options.conflict().or_else(|| ranks::conflict(&options).map(str::to_owned)) {
            return Err(sentence);
        }
        let inputs = libraries::take(&mut options.files, &compiler);
        if options.files.is_empty() {
            return Err("there is no Fortran file".to_owned());
        }
        let run::Debugged { compiled, map, loader, libraries } = run::debugged(&options, &compiler, &inputs, tell)?;
        let real = libraries.world(RealWorld::new());
        let world = EditorWorld { real, input, environment: launch.environment.clone() };
        debugging::session(&compiled, &map, loader, OneRank::new(&options, &libraries), Box::new(world))
            .map_err(|error| error.to_string())
    }
}

/// The real world, except that the editor has standard input, and may have changed the environment.
struct EditorWorld {
    real: RealWorld,
    input: Input,
    environment: BTreeMap<String, String>,
}

impl World for EditorWorld {
    fn ask(&mut self, question: &Ask) -> Answer {
        match question {
            Ask::ReadLine => match self.input.read_line() {
                InputLine::Typed(line) => Answer::Line(Some(line)),
                InputLine::End => Answer::Line(None),
                InputLine::Later => Answer::Later,
            },
            Ask::Environment { name } if self.environment.contains_key(name) => {
                Answer::Text(self.environment.get(name).map(|value| value.clone().into_bytes()))
            }
            Ask::Command { text, environment } => {
                let mut all = self.environment.clone();
                all.extend(environment.clone());
                self.real.ask(&Ask::Command { text: text.clone(), environment: all })
            }
            other => self.real.ask(other),
        }
    }

    fn write(&mut self, stream: Stream, bytes: &[u8]) {
        self.real.write(stream, bytes);
    }
}
