//! The server: the loop over requests, and the table of them.
//!
//! A session is in one of few states: nothing launched; launched, while the client sets breakpoints; stopped; running; over. The
//! program runs inside of the request that makes it run. Requests that arrive meanwhile are served in a pause between two
//! statements if the table says so, and refused if not.
//!
//! - `lifecycle`: `initialize`, `launch`, `restart`, the end
//! - `run`: what makes the program run, and what the client hears when it stops
//! - `breakpoints`, `points`: the four kinds of breakpoints; those that the client knows
//! - `stack`, `values`, `code`, `pictures`, `console`, `sources`: what there is to see while it stands; `progress`: while it runs

mod breakpoints;
mod code;
mod console;
mod filters;
mod lifecycle;
mod pictures;
mod points;
mod progress;
mod run;
mod sources;
mod stack;
mod values;

use crate::arguments::Initialize;
use crate::launch::{Input, Launcher};
use crate::numbers::Numbers;
use crate::server::points::Points;
use crate::server::progress::Progress;
use crate::server::sources::Sources;
use crate::terminal::ProgramTerminal;
use crate::wire::{self, Answer, Client, Failure, Incoming, Request, refuse};
use crossbeam::channel::{Receiver, TryRecvError, unbounded};
use debug::{FindingText, LineMode, Session};
use serde_json::json;
use std::collections::VecDeque;
use std::io::{BufRead, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Who can be asked, and when.
#[derive(Clone, Copy)]
enum Handler {
    /// The adapter, at any time; it may replace the program.
    Lifecycle(fn(&mut Server, &mut Option<LineMode>, &Request)),
    /// The session, also in a pause of the running program.
    Always(fn(&mut Server, &mut Session, &Request) -> Answer),
    /// The session, while the program stands.
    Stopped(fn(&mut Server, &mut Session, &Request) -> Answer),
    /// Makes the program run, or may do so.
    Run(fn(&mut Server, &mut LineMode, &Request)),
}
use Handler::{Always, Lifecycle, Run, Stopped};

/// Table: the requests, and what answers them. `docs/editor.md` names each.
const HANDLERS: &[(&str, Handler)] = &[
    ("initialize", Lifecycle(Server::initialize)),
    ("launch", Lifecycle(Server::launch)),
    ("attach", Lifecycle(Server::attach)),
    ("restart", Lifecycle(Server::restart)),
    ("terminate", Lifecycle(Server::terminate)),
    ("disconnect", Lifecycle(Server::disconnect)),
    ("configurationDone", Run(Server::configuration_done)),
    ("continue", Run(Server::run_on)),
    ("next", Run(Server::run_on)),
    ("stepIn", Run(Server::run_on)),
    ("stepOut", Run(Server::run_on)),
    ("stepBack", Run(Server::run_on)),
    ("reverseContinue", Run(Server::run_on)),
    ("evaluate", Run(Server::evaluate)),
    ("pause", Always(Server::pause)),
    ("setBreakpoints", Always(Server::set_breakpoints)),
    ("setFunctionBreakpoints", Always(Server::set_function_breakpoints)),
    ("setDataBreakpoints", Always(Server::set_data_breakpoints)),
    ("setExceptionBreakpoints", Always(Server::set_exception_breakpoints)),
    ("dataBreakpointInfo", Stopped(Server::data_breakpoint_info)),
    ("breakpointLocations", Always(Server::breakpoint_locations)),
    ("threads", Always(Server::threads)),
    ("stackTrace", Stopped(Server::stack_trace)),
    ("scopes", Stopped(Server::scopes)),
    ("variables", Stopped(Server::variables)),
    ("setVariable", Stopped(Server::set_variable)),
    ("setExpression", Stopped(Server::set_expression)),
    ("disassemble", Stopped(Server::disassemble)),
    ("exceptionInfo", Stopped(Server::exception_info)),
    ("completions", Always(Server::completions)),
    ("readMemory", Stopped(Server::read_memory)),
    ("source", Always(Server::source)),
    ("loadedSources", Always(Server::loaded_sources)),
    ("cufemu/focus", Stopped(Server::focus)),
    ("cufemu/array", Stopped(Server::array)),
    ("cufemu/grid", Stopped(Server::grid)),
    ("cufemu/lanes", Stopped(Server::lanes)),
    ("cufemu/findings", Always(Server::findings)),
];

/// The names of all requests.
pub const REQUESTS: &[&str] = &{
    let mut names = [""; HANDLERS.len()];
    let mut i = 0;
    while i < names.len() {
        names[i] = HANDLERS[i].0;
        i += 1;
    }
    names
};

/// The state of the program for the client.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Phase {
    /// It is not there, or has not begun.
    Absent,
    /// The client sets breakpoints before it begins.
    Configuring,
    /// It stands.
    Stopped,
    /// It runs.
    Running,
    /// It has ended, and the client knows.
    Over,
}

/// How the client wants the program to run.
#[derive(Clone, Copy, Debug, Default)]
struct Manner {
    stops_on_entry: bool,
    stops_at_end: bool,
    is_without_debugger: bool,
}

/// The connection to a client.
struct Server {
    client: Client,
    launcher: Box<dyn Launcher>,
    requests: Receiver<std::io::Result<Incoming>>,
    /// Requests that were taken and not answered.
    waiting: VecDeque<Request>,
    interrupt: Arc<AtomicBool>,
    attention: Arc<AtomicBool>,
    can: Initialize,
    phase: Phase,
    manner: Manner,
    /// The request that launched the program, for `restart`.
    launched: Option<Request>,
    input: Input,
    /// Where the program's output goes, if not to the console.
    terminal: Option<ProgramTerminal>,
    sources: Sources,
    numbers: Numbers,
    points: Points,
    progress: Progress,
    /// How many findings the client knows.
    told: usize,
    /// The finding that stopped the program.
    exception: Option<FindingText>,
    /// Bytes of an unfinished character of the output.
    unfinished: Vec<u8>,
    /// Whether the client has disconnected.
    is_done: bool,
}

/// Serves one client until it disconnects.
pub fn serve(
    input: impl BufRead + Send + 'static,
    output: impl Write + 'static,
    launcher: impl Launcher + 'static,
) -> std::io::Result<()> {
    let (sender, requests) = unbounded();
    let (interrupt, attention) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicBool::new(false)));
    let flags = (interrupt.clone(), attention.clone());
    // The thread ends with the stream, or with the process if nobody closes it.
    std::thread::Builder::new().name("requests".to_owned()).spawn(move || {
        let (mut input, (interrupt, attention)) = (input, flags);
        loop {
            let incoming = wire::read(&mut input).transpose();
            let is_urgent = match &incoming {
                Some(Ok(Incoming::Request(r))) => {
                    matches!(r.command.as_str(), "pause" | "restart" | "terminate" | "disconnect")
                }
                other => other.is_none(),
            };
            let is_whole = matches!(&incoming, Some(Ok(_)));
            let goes_on = incoming.is_some_and(|i| sender.send(i).is_ok()) && is_whole;
            if !goes_on {
                break;
            }
            if is_urgent {
                interrupt.store(true, Ordering::Relaxed);
            }
            attention.store(true, Ordering::Relaxed);
        }
        // The program stops when nobody can ask for it any more.
        drop(sender);
        interrupt.store(true, Ordering::Relaxed);
        attention.store(true, Ordering::Relaxed);
    })?;
    let mut server = Server {
        client: Client::new(output),
        launcher: Box::new(launcher),
        requests,
        waiting: VecDeque::new(),
        interrupt,
        attention,
        can: Initialize::default(),
        phase: Phase::Absent,
        manner: Manner::default(),
        launched: None,
        input: Input::default(),
        terminal: None,
        sources: Sources::default(),
        numbers: Numbers::default(),
        points: Points::default(),
        progress: Progress::default(),
        told: 0,
        exception: None,
        unfinished: Vec::new(),
        is_done: false,
    };
    let mut program = None;
    while let Some(request) = server.next_request()? {
        server.handle(&mut program, &request);
        if server.is_done || server.client.is_lost() {
            break;
        }
    }
    Ok(())
}

impl Server {
    /// The next request, in the order of their arrival; `None` when the client has gone.
    fn next_request(&mut self) -> std::io::Result<Option<Request>> {
        loop {
            if let Some(request) = self.waiting.pop_front() {
                return Ok(Some(request));
            }
            match self.requests.recv() {
                Ok(Ok(Incoming::Request(request))) => return Ok(Some(request)),
                Ok(Ok(Incoming::Broken(seq, what))) => self.refuse_broken(seq, &what),
                // Of a terminal that nobody waits for any more.
                Ok(Ok(Incoming::Response(..))) => {}
                Ok(Err(error)) => return Err(error),
                Err(_) => return Ok(None),
            }
        }
    }

    fn refuse_broken(&mut self, seq: i64, what: &str) {
        let request = Request { seq, command: String::new(), arguments: json!(null) };
        self.client.respond(&request, refuse(format!("{what}.")));
    }

    fn handle(&mut self, program: &mut Option<LineMode>, request: &Request) {
        let row = HANDLERS.iter().find(|(name, _)| *name == request.command);
        let answer = match (row, program.as_mut()) {
            (None, _) => refuse(format!("There is no request `{}`.", request.command)),
            (Some((_, Lifecycle(handler))), _) => return handler(self, program, request),
            (Some(_), None) => refuse("No program has been launched."),
            (Some((_, Always(handler) | Stopped(handler))), Some(program)) => {
                handler(self, program.session_mut(), request)
            }
            (Some((_, Run(handler))), Some(program)) => return handler(self, program, request),
        };
        self.client.respond(request, answer);
    }

    /// Serves the requests that have arrived while the program runs. Returns whether it goes on.
    fn serve_running(&mut self, session: &mut Session) -> bool {
        loop {
            let request = match self.requests.try_recv() {
                Ok(Ok(Incoming::Request(request))) => request,
                Ok(Ok(Incoming::Broken(seq, what))) => {
                    self.refuse_broken(seq, &what);
                    continue;
                }
                Ok(Ok(Incoming::Response(..))) => continue,
                Err(TryRecvError::Empty) => {
                    self.tell_progress(session);
                    return !self.input.is_wanted();
                }
                // The loop over requests ends in the same way.
                Ok(Err(_)) | Err(TryRecvError::Disconnected) => return false,
            };
            match HANDLERS.iter().find(|(name, _)| *name == request.command) {
                Some((_, Always(handler))) => {
                    let answer = handler(self, session, &request);
                    self.client.respond(&request, answer);
                    if request.command == "pause" {
                        return false;
                    }
                }
                Some((_, Lifecycle(_))) => {
                    self.waiting.push_back(request);
                    return false;
                }
                _ => self.client.respond(&request, not_stopped()),
            }
        }
    }
}

/// The refusal of a request while the program runs; clients know the word.
fn not_stopped() -> Answer {
    Err(Failure { message: "notStopped".to_owned(), is_shown: false })
}
