//! A session on a thread of its own: requests go in, events come out, both as data. For front ends that must stay awake
//! while the program runs.

use crate::command::Command;
use crate::process::Progress;
use crate::reply::{Outcome, Reply, SourceWindow};
use crate::session::{Session, SessionError};
use crate::view::{Survey, Wanted};
use crossbeam::channel::{Receiver, Sender, unbounded};
use source::FileId;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;

/// What a session on a thread can be asked. Each request is answered by one event, after any output.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Request {
    /// Do a command.
    Do(Command),
    /// Show lines of a file.
    Source(FileId, usize, usize),
    /// Complete a line.
    Complete(String),
    /// Say all that a screen shows.
    Survey(Wanted),
}

/// What a session on a thread says.
#[derive(Clone, PartialEq, Debug)]
pub enum Event {
    /// The program wrote this.
    Output(Vec<u8>),
    /// A command is done.
    Done(Box<Result<Outcome, SessionError>>),
    /// Lines of a file, if there is one.
    Source(Option<SourceWindow>),
    /// What the last word may become.
    Completions(Vec<String>),
    /// All that a screen shows.
    Survey(Box<Survey>),
}

/// A session on a thread of its own. It ends when this is dropped or `quit` is done.
#[derive(Debug)]
pub struct SessionThread {
    requests: Option<Sender<Request>>,
    events: Receiver<Event>,
    interrupt: Arc<AtomicBool>,
    progress: Arc<Progress>,
    thread: Option<JoinHandle<()>>,
}

impl SessionThread {
    /// Moves a session to a thread of its own; an error if there can be none.
    pub fn spawn(session: Session) -> std::io::Result<SessionThread> {
        let (requests, incoming) = unbounded();
        let (outgoing, events) = unbounded();
        let interrupt = session.interrupt_flag();
        let progress = session.progress();
        let builder = std::thread::Builder::new().name("session".to_owned());
        let thread = builder.spawn(move || serve(session, &incoming, &outgoing))?;
        Ok(SessionThread { requests: Some(requests), events, interrupt, progress, thread: Some(thread) })
    }

    /// Asks; `false` when the session has ended.
    pub fn ask(&self, request: Request) -> bool {
        self.requests.as_ref().is_some_and(|r| r.send(request).is_ok())
    }

    /// Where events come out.
    pub fn events(&self) -> &Receiver<Event> {
        &self.events
    }

    /// How far the program is while a command runs.
    pub fn progress(&self) -> &Progress {
        &self.progress
    }

    /// Interrupts the running program.
    pub fn interrupt(&self) {
        self.interrupt.store(true, Ordering::Relaxed);
    }
}

impl Drop for SessionThread {
    fn drop(&mut self) {
        self.requests = None;
        self.interrupt();
        if let Some(thread) = self.thread.take() {
            // A panic of the session has been told on standard error already.
            let _ = thread.join();
        }
    }
}

fn serve(mut session: Session, requests: &Receiver<Request>, events: &Sender<Event>) {
    for request in requests {
        let event = match request {
            Request::Do(command) => {
                // An interruption that came when nothing ran is none of this command's.
                session.interrupt_flag().store(false, Ordering::Relaxed);
                let mut output = |bytes: &[u8]| {
                    // Whoever has gone away hears nothing.
                    let _ = events.send(Event::Output(bytes.to_vec()));
                };
                let outcome = session.execute(&command, &mut output);
                let quit = matches!(outcome, Ok(Outcome::Reply(Reply::Quit)));
                if events.send(Event::Done(Box::new(outcome))).is_err() || quit {
                    return;
                }
                continue;
            }
            Request::Source(file, first, last) => Event::Source(session.source(file, first, last)),
            Request::Survey(wanted) => Event::Survey(Box::new(session.survey(&wanted))),
            Request::Complete(line) => Event::Completions(session.complete(&line)),
        };
        if events.send(event).is_err() {
            return;
        }
    }
}
