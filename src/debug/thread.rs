//! A session on its own thread, for front ends that must stay responsive while the program runs. Requests go in and events come
//! out, both as data.

use crate::command::Command;
use crate::process::Progress;
use crate::session::{Session, SessionError};
use crate::view::reply::{Outcome, Reply, SourceWindow};
use crate::view::snapshot::{Snapshot, SnapshotRequest};
use crossbeam::channel::{Receiver, Sender, unbounded};
use source::FileId;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;

/// A request to the session. One event answers each request, after any output.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Request {
    /// Execute a command.
    Do(Command),
    /// Show lines of a file.
    Source(FileId, usize, usize),
    /// Complete a line.
    Complete(String),
    /// Take a snapshot.
    Snapshot(SnapshotRequest),
}

/// An event of the session.
#[derive(Clone, PartialEq, Debug)]
pub enum Event {
    /// The program wrote this.
    Output(Vec<u8>),
    /// A command has ended.
    Done(Box<Result<Outcome, SessionError>>),
    /// Lines of a file, if there is one.
    Source(Option<SourceWindow>),
    /// The completions of the last word.
    Completions(Vec<String>),
    /// A snapshot.
    Snapshot(Box<Snapshot>),
}

/// A session on its own thread. It ends when this is dropped or `quit` is executed.
#[derive(Debug)]
pub struct SessionThread {
    requests: Option<Sender<Request>>,
    events: Receiver<Event>,
    interrupt: Arc<AtomicBool>,
    progress: Arc<Progress>,
    thread: Option<JoinHandle<String>>,
}

impl SessionThread {
    /// Moves a session to a new thread; an error if there can be none.
    pub fn spawn(session: Session) -> std::io::Result<SessionThread> {
        let (requests, incoming) = unbounded();
        let (outgoing, events) = unbounded();
        let interrupt = session.interrupt_flag();
        let progress = session.progress();
        let builder = std::thread::Builder::new().name("session".to_owned());
        let thread = builder.spawn(move || serve(session, &incoming, &outgoing))?;
        Ok(SessionThread { requests: Some(requests), events, interrupt, progress, thread: Some(thread) })
    }

    /// Sends a request; `false` if the session has ended.
    pub fn ask(&self, request: Request) -> bool {
        self.requests.as_ref().is_some_and(|r| r.send(request).is_ok())
    }

    /// The receiver of events.
    pub fn events(&self) -> &Receiver<Event> {
        &self.events
    }

    /// The progress of the program while a command runs.
    pub fn progress(&self) -> &Progress {
        &self.progress
    }

    /// Interrupts the running program.
    pub fn interrupt(&self) {
        self.interrupt.store(true, Ordering::Relaxed);
    }

    /// Ends the session. Returns the commands that set its breakpoints again.
    pub fn end(mut self) -> String {
        self.requests = None;
        self.interrupt();
        self.thread.take().and_then(|thread| thread.join().ok()).unwrap_or_default()
    }
}

impl Drop for SessionThread {
    fn drop(&mut self) {
        self.requests = None;
        self.interrupt();
        if let Some(thread) = self.thread.take() {
            // The message of the panic is on standard error already.
            let _ = thread.join();
        }
    }
}

/// Answers requests until the session ends. Returns the commands that set its breakpoints again.
fn serve(mut session: Session, requests: &Receiver<Request>, events: &Sender<Event>) -> String {
    for request in requests {
        let event = match request {
            Request::Do(command) => {
                // Drop an interruption that came while nothing ran.
                session.interrupt_flag().store(false, Ordering::Relaxed);
                let mut output = |bytes: &[u8]| {
                    // Nobody receives the event if the front end has gone.
                    let _ = events.send(Event::Output(bytes.to_vec()));
                };
                let outcome = session.execute(&command, &mut output);
                let quit = matches!(outcome, Ok(Outcome::Reply(Reply::Quit)));
                if events.send(Event::Done(Box::new(outcome))).is_err() || quit {
                    break;
                }
                continue;
            }
            Request::Source(file, first, last) => Event::Source(session.source(file, first, last)),
            Request::Snapshot(wanted) => Event::Snapshot(Box::new(session.snapshot(&wanted))),
            Request::Complete(line) => Event::Completions(session.complete(&line)),
        };
        if events.send(event).is_err() {
            break;
        }
    }
    session.breakpoint_script()
}
