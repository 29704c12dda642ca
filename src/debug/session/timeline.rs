//! The timeline of calls of the CUDA runtime: its table, and going to an entry.
//!
//! Not here: how it is recorded (`process::timeline`).

use crate::process::watcher::Thread;
use crate::session::{Session, SessionError, refuse};
use crate::view::reply::{Outcome, StopReason};
use crate::view::snapshot::{TimelineRow, TimelineView};
use std::fmt::Write;

impl Session {
    /// Rows of the timeline from number `first` on, counted from 0.
    pub(crate) fn timeline(&self, first: usize, count: usize) -> TimelineView {
        let timeline = self.process.timeline();
        // The statement that comes next has not made its calls.
        let (total, past) = timeline.counts(self.process.time() + u64::from(self.process.over().is_some()));
        let first = first.min(total.saturating_sub(1));
        let rows = timeline.entries().enumerate().skip(first).take(count).map(|(i, (time, activity))| TimelineRow {
            number: i + 1,
            time,
            what: activity.what.clone(),
            stream: activity.stream,
            place: self.line_of(activity.span),
        });
        TimelineView { first, total, past, rows: rows.collect() }
    }

    /// The table `info timeline`.
    pub(crate) fn timeline_text(&self) -> String {
        let view = self.timeline(0, usize::MAX);
        if view.rows.is_empty() {
            return "Nothing has been asked of a device so far.\n".to_owned();
        }
        let mut text = "  Num  Statement  Stream  Line  What\n".to_owned();
        for row in &view.rows {
            let stream = row.stream.map_or_else(String::new, |s| s.to_string());
            let line = row.place.map_or_else(String::new, |(_, line)| line.to_string());
            let mark = if row.number == view.past { '*' } else { ' ' };
            let _ = writeln!(text, "{mark} {:<4} {:<10} {stream:<7} {line:<5} {}", row.number, row.time, row.what);
        }
        text
    }

    /// The command `timeline`: goes to before the statement that makes a call.
    pub(crate) fn go_to_entry(&mut self, number: usize) -> Result<Outcome, SessionError> {
        let entry = number.checked_sub(1).and_then(|i| self.process.timeline().entries().nth(i));
        let Some(time) = entry.map(|(time, _)| time) else {
            return refuse(format!("No entry number {number}; \"info timeline\" lists them."));
        };
        if !self.process.go_to(time) {
            return refuse("Cannot go to that time.");
        }
        self.last_shown = None;
        Ok(self.stopped(StopReason::Step, Thread::Host))
    }
}
