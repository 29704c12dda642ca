//! The beginning and the end: `initialize`, `launch`, `restart`, `terminate`, `disconnect`.

use crate::arguments::{self, Initialize, LaunchArguments, ProgramConsole};
use crate::launch::{Input, Launch};
use crate::server::sources::Sources;
use crate::server::{Manner, Phase, Server, filters};
use crate::terminal::{self, ProgramTerminal};
use crate::wire::{Failure, Incoming, Request, refuse};
use crossbeam::channel::RecvTimeoutError;
use debug::LineMode;
use serde_json::{Value, json};
use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// How long a terminal may take to open.
const TERMINAL_OPENS: Duration = Duration::from_secs(30);

/// What this adapter can do.
fn capabilities() -> Value {
    json!({
        "supportsConfigurationDoneRequest": true,
        "supportsFunctionBreakpoints": true,
        "supportsConditionalBreakpoints": true,
        "supportsHitConditionalBreakpoints": true,
        "supportsLogPoints": true,
        "supportsDataBreakpoints": true,
        "supportsBreakpointLocationsRequest": true,
        "exceptionBreakpointFilters": filters::list(),
        "supportsExceptionInfoRequest": true,
        "supportsEvaluateForHovers": true,
        "supportsClipboardContext": true,
        "supportsCompletionsRequest": true,
        "supportsSetVariable": true,
        "supportsSetExpression": true,
        "supportsValueFormattingOptions": true,
        "supportsReadMemoryRequest": true,
        "supportsDisassembleRequest": true,
        "supportsDelayedStackTraceLoading": true,
        "supportsLoadedSourcesRequest": true,
        "supportsStepBack": true,
        "supportsRestartRequest": true,
        "supportsTerminateRequest": true,
    })
}

impl Server {
    /// The request `initialize`.
    pub(crate) fn initialize(&mut self, _: &mut Option<LineMode>, request: &Request) {
        let answer = arguments::of(request).map(|can: Initialize| {
            if can.supports_progress_reporting {
                self.progress.begin_ticks(self.attention.clone());
            }
            self.can = can;
            capabilities()
        });
        self.client.respond(request, answer);
    }

    /// The request `launch`.
    pub(crate) fn launch(&mut self, program: &mut Option<LineMode>, request: &Request) {
        let answer = if program.is_some() {
            refuse("A program has been launched already.")
        } else {
            self.load(request).map(|loaded| {
                *program = Some(loaded);
                self.launched = Some(request.clone());
                self.phase = Phase::Configuring;
                Value::Null
            })
        };
        let is_loaded = answer.is_ok();
        self.client.respond(request, answer);
        // The client sets its breakpoints now, since the lines that have statements are known.
        self.client.event(if is_loaded { "initialized" } else { "terminated" }, json!({}));
    }

    /// The request `attach`, which is refused: no program runs outside of the debugger that it could watch.
    pub(crate) fn attach(&mut self, _: &mut Option<LineMode>, request: &Request) {
        let why = "There is no process to attach to: cufemu runs the program itself, from its source files. \
                   Use a configuration with \"request\": \"launch\".";
        self.client.respond(request, shown(why.to_owned()));
    }

    /// Compiles the program of a `launch` request.
    fn load(&mut self, request: &Request) -> Result<LineMode, Failure> {
        let wanted: LaunchArguments = arguments::of(request)?;
        let mut options = wanted.args;
        let mut arguments = Vec::new();
        if let Some(at) = options.iter().position(|o| o == "--") {
            arguments = options.split_off(at).split_off(1);
        }
        let launch = Launch {
            files: wanted.program.all(),
            options,
            arguments,
            directory: wanted.cwd.map(PathBuf::from),
            environment: wanted.env,
        };
        let input = Input::default();
        if let Some(path) = &wanted.input {
            let path = launch.directory.clone().unwrap_or_default().join(path);
            match std::fs::read(&path) {
                Ok(text) => input.fill(&text),
                Err(error) => return shown(format!("cannot read `{}`: {error}", path.display())),
            }
        }
        self.terminal = None;
        if wanted.console != ProgramConsole::InternalConsole && wanted.input.is_none() {
            self.terminal = self.open_terminal(wanted.console, &launch, &input)?;
        }
        let client = &mut self.client;
        let mut say = |text: &str| client.event("output", json!({ "category": "stderr", "output": text }));
        let loaded = self.launcher.launch(&launch, input.clone(), &mut say);
        let mut session = match loaded {
            Ok(session) => session,
            Err(why) => return shown(why),
        };
        self.manner = Manner {
            stops_on_entry: wanted.stop_on_entry,
            stops_at_end: wanted.stop_at_end,
            is_without_debugger: wanted.no_debug,
        };
        session.use_flags(self.interrupt.clone(), self.attention.clone());
        self.sources = Sources::new(&session, launch.directory.as_deref());
        self.input = input;
        (self.told, self.exception) = (0, None);
        self.numbers.forget();
        Ok(LineMode::new(session))
    }

    /// Asks the editor for a terminal for the program; `None` if it has none.
    fn open_terminal(
        &mut self,
        console: ProgramConsole,
        launch: &Launch,
        input: &Input,
    ) -> Result<Option<ProgramTerminal>, Failure> {
        if !self.can.supports_run_in_terminal_request {
            self.say("This editor opens no terminals: the program reads and writes here.\n");
            return Ok(None);
        }
        let failed = |what: &dyn std::fmt::Display| shown(format!("no terminal could be opened: {what}"));
        let begun = terminal::Waiting::begin().and_then(|w| Ok((w.port()?, std::env::current_exe()?, w)));
        let (port, command, waiting) = match begun {
            Ok(begun) => begun,
            Err(error) => return failed(&error),
        };
        let kind = if console == ProgramConsole::ExternalTerminal { "external" } else { "integrated" };
        let asked = json!({
            "kind": kind,
            "title": launch.files.first().map_or("cufemu", String::as_str),
            "cwd": launch.directory.clone().or_else(|| std::env::current_dir().ok()).unwrap_or_default(),
            "args": [command.to_string_lossy(), "dap", "--terminal", port.to_string()],
        });
        let number = self.client.ask("runInTerminal", asked);
        let begun = Instant::now();
        while begun.elapsed() < TERMINAL_OPENS {
            match waiting.connected(input.clone()) {
                Ok(Some(terminal)) => {
                    input.wait_for_lines(self.attention.clone());
                    return Ok(Some(terminal));
                }
                Ok(None) => {}
                Err(error) => return failed(&error),
            }
            match self.requests.recv_timeout(Duration::from_millis(5)) {
                Ok(Ok(Incoming::Request(request))) => self.waiting.push_back(request),
                Ok(Ok(Incoming::Response(of, Some(why)))) if of == number => return failed(&why),
                Ok(Ok(Incoming::Response(..) | Incoming::Broken(..))) | Err(RecvTimeoutError::Timeout) => {}
                Ok(Err(error)) => return failed(&error),
                Err(RecvTimeoutError::Disconnected) => return failed(&"the editor has gone"),
            }
        }
        failed(&"nothing has answered from it")
    }

    /// The request `configurationDone`: the program begins.
    pub(crate) fn configuration_done(&mut self, program: &mut LineMode, request: &Request) {
        if self.phase != Phase::Configuring {
            return self.client.respond(request, refuse("The program has begun already."));
        }
        self.client.respond(request, Ok(Value::Null));
        self.begin(program);
    }

    /// The request `restart`: the program is compiled again, as it may have been edited, and begins again.
    pub(crate) fn restart(&mut self, program: &mut Option<LineMode>, request: &Request) {
        self.interrupt.store(false, Ordering::Relaxed);
        let Some(launched) = self.launched.clone() else {
            return self.client.respond(request, refuse("No program has been launched."));
        };
        // The client may give the launch configuration anew.
        let again = match request.arguments.get("arguments") {
            Some(arguments) if arguments.get("program").is_some() => {
                Request { arguments: arguments.clone(), ..launched }
            }
            _ => launched,
        };
        match self.load(&again) {
            Ok(mut loaded) => {
                self.set_all_again(loaded.session_mut());
                self.launched = Some(again);
                self.client.respond(request, Ok(Value::Null));
                self.begin(program.insert(loaded));
            }
            Err(failure) => {
                self.client.respond(request, Err(failure));
                if let Some(program) = program
                    && self.phase == Phase::Running
                {
                    self.phase = Phase::Stopped;
                    self.say_stopped(program.session_mut(), "pause", &json!({}));
                }
            }
        }
    }

    /// The request `terminate`: the program ends, the client disconnects next.
    pub(crate) fn terminate(&mut self, program: &mut Option<LineMode>, request: &Request) {
        self.interrupt.store(false, Ordering::Relaxed);
        *program = None;
        self.terminal = None;
        self.phase = Phase::Over;
        self.client.respond(request, Ok(Value::Null));
        self.client.event("terminated", json!({}));
    }

    /// The request `disconnect`.
    pub(crate) fn disconnect(&mut self, program: &mut Option<LineMode>, request: &Request) {
        *program = None;
        self.is_done = true;
        self.client.respond(request, Ok(Value::Null));
    }
}

fn shown<T>(message: String) -> Result<T, Failure> {
    Err(Failure { message, is_shown: true })
}
