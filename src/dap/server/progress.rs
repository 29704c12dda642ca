//! The progress of a run that takes long, for clients that show it.
//!
//! A thread asks for a pause of the running program from time to time; in that pause the client is told. A client that shows no
//! progress gets no such thread.

use crate::server::Server;
use debug::Session;
use serde_json::json;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

/// Time between two pauses.
const TICK: Duration = Duration::from_millis(250);
/// A run that takes longer than this is a long one.
const LONG: Duration = Duration::from_secs(1);

/// The progress of the present run.
#[derive(Debug, Default)]
pub(crate) struct Progress {
    /// Keeps the thread alive, if there is one.
    alive: Option<Arc<()>>,
    /// When the run began.
    begun: Option<Instant>,
    /// How many runs the client was told of.
    count: u64,
    /// Whether it was told of this one.
    is_shown: bool,
}

impl Progress {
    /// Begins to ask for pauses.
    pub(crate) fn begin_ticks(&mut self, attention: Arc<AtomicBool>) {
        let alive = Arc::new(());
        let watched: Weak<()> = Arc::downgrade(&alive);
        let tick = move || {
            while watched.strong_count() > 0 {
                std::thread::sleep(TICK);
                attention.store(true, Ordering::Relaxed);
            }
        };
        // Without the thread there is no progress to see, and nothing else is lost.
        let thread = std::thread::Builder::new().name("progress".to_owned()).spawn(tick);
        self.alive = thread.ok().map(|_| alive);
    }

    /// A run begins.
    pub(crate) fn depart(&mut self) {
        self.begun = Some(Instant::now());
    }
}

impl Server {
    /// In a pause of the running program: tells how far it is.
    pub(crate) fn tell_progress(&mut self, session: &Session) {
        let is_long = self.progress.begun.is_some_and(|begun| begun.elapsed() > LONG);
        if self.progress.alive.is_none() || !is_long {
            return;
        }
        self.progress.count += u64::from(!self.progress.is_shown);
        let mut body = json!({ "progressId": self.progress.count.to_string() });
        match session.progress().blocks() {
            Some((begun, all)) => {
                body["message"] = format!("block {begun} of {all}").into();
                body["percentage"] = (begun.saturating_mul(100) / all.max(1)).into();
            }
            None => body["message"] = format!("{} statements", session.progress().time()).into(),
        }
        let name = if self.progress.is_shown {
            "progressUpdate"
        } else {
            body["title"] = "The program runs".into();
            "progressStart"
        };
        self.progress.is_shown = true;
        self.client.event(name, body);
    }

    /// The run has ended.
    pub(crate) fn end_progress(&mut self) {
        if std::mem::take(&mut self.progress.is_shown) {
            self.client.event("progressEnd", json!({ "progressId": self.progress.count.to_string() }));
        }
        self.progress.begun = None;
    }
}
