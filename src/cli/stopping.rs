//! Ends a run early: on Ctrl-C and similar signals, and after `--timeout`.
//!
//! The run checks for the request between slices and then ends in order: it writes its output and closes its files. A run that
//! does not check in time, for example because it waits for a GPU, is ended where it is.

use crate::cli::INTERRUPTED;
use crate::cli::report::say;
use machine::{EndWanted, Whereabouts};
use source::SourceMap;
use std::fmt::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::time::Duration;

/// Exit code after the time limit, that of GNU `timeout`.
const TIME_IS_OVER: u8 = 124;

/// How long a run can take to end in order.
const GRACE: Duration = Duration::from_secs(8);

/// Why a run must end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Reason {
    /// A signal.
    Interrupt,
    /// The time limit.
    Time,
}

impl Reason {
    /// The exit code.
    pub(crate) fn code(self) -> u8 {
        match self {
            Reason::Interrupt => INTERRUPTED,
            Reason::Time => TIME_IS_OVER,
        }
    }

    fn of(code: u8) -> Option<Reason> {
        [Reason::Interrupt, Reason::Time].into_iter().find(|r| r.code() == code)
    }

    /// Prints that the run was ended, and where it was; returns the exit code.
    pub(crate) fn report(self, limit: Option<Duration>, at: &Whereabouts, map: &SourceMap) -> u8 {
        let mut text = match (self, limit) {
            (Reason::Time, Some(limit)) => {
                format!("cufemu: stopped after {} s, the limit of `--timeout`,", limit.as_secs_f64())
            }
            _ => "cufemu: interrupted".to_owned(),
        };
        text.push_str(&place(at, map));
        say(&format!("{}\n", text.trim_end_matches(',')));
        self.code()
    }
}

/// Where a program is, as the end of a sentence.
pub(crate) fn place(at: &Whereabouts, map: &SourceMap) -> String {
    // Embedded modules are not the user's code; their files have names in angle brackets.
    let is_own = |span: &&source::Span| map.file(span.file).is_some_and(|file| !file.name().starts_with('<'));
    let span = at.stack.iter().find(is_own).or(at.stack.first()).copied().unwrap_or(source::Span::NONE);
    let mut text = String::new();
    if let (Some(file), Some(place)) = (map.file(span.file), map.location(span)) {
        let _ = write!(text, " at {}:{}", file.name(), place.line);
    }
    if let Some(launch) = &at.launch {
        let _ = write!(text, " in kernel `{}`, {} of {} blocks begun", launch.kernel, launch.begun, launch.blocks);
    }
    text
}

/// The request to end a run: the exit code of its reason, or 0.
#[derive(Clone, Debug)]
pub(crate) struct Stopper(Arc<AtomicU8>);

impl Stopper {
    /// Installs the signal handler, and starts the clock if there is a limit. A second signal ends the process at once.
    pub(crate) fn new(limit: Option<Duration>) -> Stopper {
        let stopper = Stopper(Arc::new(AtomicU8::new(0)));
        let on_signal = stopper.clone();
        // If this fails, Ctrl-C ends the process at once.
        let _ = ctrlc::set_handler(move || {
            if on_signal.ask(Reason::Interrupt).is_some() {
                foreign::end_at_once(i32::from(INTERRUPTED));
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

    /// The request in the form that the world needs.
    pub(crate) fn end_wanted(&self) -> EndWanted {
        let stopper = self.clone();
        EndWanted::new(move || stopper.reason().is_some())
    }

    /// The reason why the run must end, if there is one.
    pub(crate) fn reason(&self) -> Option<Reason> {
        Reason::of(self.0.load(Ordering::Relaxed))
    }

    /// Requests the end; returns the reason of an earlier request.
    fn ask(&self, reason: Reason) -> Option<Reason> {
        let asked = self.0.compare_exchange(0, reason.code(), Ordering::Relaxed, Ordering::Relaxed);
        asked.err().and_then(Reason::of)
    }

    /// Ends the process after the grace period. If the run ends earlier, the process and this thread end with it.
    fn end_in_time(&self, reason: Reason) {
        std::thread::sleep(GRACE);
        say("cufemu: stopped while the program was waiting; the last output to open files may be lost\n");
        foreign::end_at_once(i32::from(reason.code()));
    }
}
