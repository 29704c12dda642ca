//! What ends a run from outside: Ctrl-C and other signals that ask a process to end, and `--timeout`.
//!
//! A run that is asked to end does so in order at its next look up: its files are closed, what it has printed is out. One
//! that does not look up in time, because it waits for a GPU, is ended where it is.

use crate::cli::INTERRUPTED;
use crate::cli::report::say;
use machine::{EndWanted, Whereabouts};
use source::SourceMap;
use std::fmt::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::time::Duration;

/// The time limit is over; what `timeout` of GNU exits with.
const TIME_IS_OVER: u8 = 124;

/// How long a run may take to end in order.
const GRACE: Duration = Duration::from_secs(8);

/// Why a run is to end; the exit code for it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Reason {
    /// The user, or whoever sent the signal, wants it to.
    Interrupt,
    /// Its time is over.
    Time,
}

impl Reason {
    /// What to exit with.
    pub(crate) fn code(self) -> u8 {
        match self {
            Reason::Interrupt => INTERRUPTED,
            Reason::Time => TIME_IS_OVER,
        }
    }

    fn of(code: u8) -> Option<Reason> {
        [Reason::Interrupt, Reason::Time].into_iter().find(|r| r.code() == code)
    }

    /// Says that the run was ended, and where it was; gives the exit code.
    pub(crate) fn tell(self, limit: Option<Duration>, at: &Whereabouts, map: &SourceMap) -> u8 {
        let mut text = match (self, limit) {
            (Reason::Time, Some(limit)) => {
                format!("cufemu: stopped after {} s, the limit of `--timeout`,", limit.as_secs_f64())
            }
            _ => "cufemu: interrupted".to_owned(),
        };
        if let (Some(file), Some(place)) = (map.file(at.span.file), map.location(at.span)) {
            let _ = write!(text, " at {}:{}", file.name(), place.line);
        }
        if let Some(launch) = &at.launch {
            let _ = write!(text, " in kernel `{}`, {} of {} blocks begun", launch.kernel, launch.begun, launch.blocks);
        }
        say(&format!("{}\n", text.trim_end_matches(',')));
        self.code()
    }
}

/// Whether the run is to end: the code of the reason, 0 while it may go on.
#[derive(Clone, Debug)]
pub(crate) struct Stopper(Arc<AtomicU8>);

impl Stopper {
    /// Listens to signals, and to the clock if there is a limit. A second signal ends the process at once.
    pub(crate) fn new(limit: Option<Duration>) -> Stopper {
        let stopper = Stopper(Arc::new(AtomicU8::new(0)));
        let on_signal = stopper.clone();
        // Without a handler Ctrl-C ends the process as it always did.
        let _ = ctrlc::set_handler(move || {
            if on_signal.ask(Reason::Interrupt).is_some() {
                std::process::exit(i32::from(INTERRUPTED));
            }
            let patient = on_signal.clone();
            std::thread::spawn(move || patient.end_in_time(Reason::Interrupt));
        });
        if let Some(limit) = limit {
            let on_time = stopper.clone();
            std::thread::spawn(move || {
                std::thread::sleep(limit);
                if on_time.ask(Reason::Time).is_none() {
                    on_time.end_in_time(Reason::Time);
                }
            });
        }
        stopper
    }

    /// This, as the world knows it.
    pub(crate) fn end_wanted(&self) -> EndWanted {
        let stopper = self.clone();
        EndWanted::new(move || stopper.reason().is_some())
    }

    /// Why the run is to end, if it is.
    pub(crate) fn reason(&self) -> Option<Reason> {
        Reason::of(self.0.load(Ordering::Relaxed))
    }

    /// Asks for the end; gives the reason for which it was asked for before.
    fn ask(&self, reason: Reason) -> Option<Reason> {
        let asked = self.0.compare_exchange(0, reason.code(), Ordering::Relaxed, Ordering::Relaxed);
        asked.err().and_then(Reason::of)
    }

    /// Ends the process if the run does not end by itself; it takes this thread along if it does.
    fn end_in_time(&self, reason: Reason) {
        std::thread::sleep(GRACE);
        say("cufemu: stopped while the program waited; files that it has open may lack what it wrote last\n");
        std::process::exit(i32::from(reason.code()));
    }
}
