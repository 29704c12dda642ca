//! What is said while a program runs: findings before the program waits for something, and, on a terminal, how far a long run is.
//!
//! Not here: how the program runs (`slice`) and how findings are printed (`report`).

use crate::cli::report::say;
use host::{Answer, Ask, Stream};
use machine::{RealWorld, World};
use std::io::IsTerminal;
use std::time::{Duration, Instant};

/// After how long progress is shown.
const PATIENCE: Duration = Duration::from_secs(2);
/// How often it is renewed.
const RENEWAL: Duration = Duration::from_millis(200);
/// Goes to the beginning of the line of a terminal and makes it empty.
const CLEAR: &str = "\r\x1b[K";

/// The world of a run.
#[derive(Debug)]
pub(crate) struct Live {
    world: RealWorld,
    /// Whether a question that makes the program wait is put off, so that what is known by then is said before.
    puts_off: bool,
    /// Whether this one was.
    is_put_off: bool,
    progress: Progress,
}

impl Live {
    /// A world; with progress if it is wanted and standard error is a terminal.
    pub(crate) fn new(world: RealWorld, shows_progress: bool) -> Live {
        let progress = Progress::new(shows_progress && std::io::stderr().is_terminal());
        Live { world, puts_off: true, is_put_off: false, progress }
    }

    /// A world with progress only: a program that waits does so at once.
    pub(crate) fn only_progress(world: RealWorld, shows_progress: bool) -> Live {
        Live { puts_off: false, ..Live::new(world, shows_progress) }
    }

    /// Why standard output took no more.
    pub(crate) fn output_error(&self) -> Option<&std::io::Error> {
        self.world.output_error()
    }

    /// Shows how far the run is, if that is due.
    pub(crate) fn show_progress(&mut self, place: impl FnOnce() -> String) {
        self.progress.show(Instant::now(), place);
    }

    /// Removes what shows the progress, so that something else can be said.
    pub(crate) fn hide_progress(&mut self) {
        self.progress.hide();
    }
}

impl World for Live {
    fn enter(&mut self, rank: usize) {
        self.world.enter(rank);
    }

    fn ask(&mut self, question: &Ask) -> Answer {
        if !matches!(question, Ask::ReadLine | Ask::Sleep { .. } | Ask::Command { .. }) {
            return self.world.ask(question);
        }
        if self.puts_off && !std::mem::replace(&mut self.is_put_off, true) {
            return Answer::Later;
        }
        self.is_put_off = false;
        self.progress.hide();
        self.world.ask(question)
    }

    fn caller(&mut self) -> Option<&mut foreign::Caller> {
        self.world.caller()
    }

    fn write(&mut self, stream: Stream, bytes: &[u8]) {
        self.progress.hide();
        self.progress.is_in_line = bytes.last().is_some_and(|&b| b != b'\n');
        self.world.write(stream, bytes);
    }
}

/// The line that says how far a run is.
#[derive(Debug)]
struct Progress {
    is_wanted: bool,
    begun: Instant,
    /// When it was shown last, if it is to be seen now.
    shown: Option<Instant>,
    /// Whether the program has begun a line that it has not ended.
    is_in_line: bool,
}

impl Progress {
    fn new(is_wanted: bool) -> Progress {
        Progress { is_wanted, begun: Instant::now(), shown: None, is_in_line: false }
    }

    /// The line, if it is due.
    fn line(&self, now: Instant, place: impl FnOnce() -> String) -> Option<String> {
        let took = now.duration_since(self.begun);
        let is_fresh = self.shown.is_some_and(|shown| now.duration_since(shown) < RENEWAL);
        if !self.is_wanted || self.is_in_line || is_fresh || took < PATIENCE {
            return None;
        }
        let text = format!("cufemu: {} s, Ctrl-C stops it;{}", took.as_secs(), place());
        let width: usize = std::env::var("COLUMNS").ok().and_then(|c| c.parse().ok()).unwrap_or(80);
        Some(text.chars().take(width.saturating_sub(1)).collect())
    }

    fn show(&mut self, now: Instant, place: impl FnOnce() -> String) {
        if let Some(line) = self.line(now, place) {
            say(&format!("{CLEAR}{line}"));
            self.shown = Some(now);
        }
    }

    fn hide(&mut self) {
        if self.shown.take().is_some() {
            say(CLEAR);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn progress_is_shown_after_a_while_and_not_too_often() {
        let mut progress = Progress::new(true);
        let after = |ms| progress.begun + Duration::from_millis(ms);
        let times = [1900, 3000, 3100, 3400].map(after);
        let line = |progress: &Progress, now| progress.line(now, || " at a.cuf:3".to_owned());
        assert_eq!(line(&progress, times[0]), None);
        assert_eq!(line(&progress, times[1]).as_deref(), Some("cufemu: 3 s, Ctrl-C stops it; at a.cuf:3"));
        progress.shown = Some(times[1]);
        assert_eq!(line(&progress, times[2]), None);
        assert!(line(&progress, times[3]).is_some());
        progress.is_in_line = true;
        assert_eq!(line(&progress, times[3]), None);
        assert_eq!(line(&Progress::new(false), times[3]), None);
    }
}
