//! Races in a session: stopping at their accesses, and the command `finding`.
//!
//! Not here: locating the accesses (`process/races.rs`).

use crate::process::IoHooks;
use crate::process::races::AccessTimes;
use crate::process::watcher::Thread;
use crate::session::attendant::Attendant;
use crate::session::{Session, SessionError, refuse};
use crate::view::reply::{Outcome, StopReason};
use finding::Finding;

impl Session {
    /// Locates the races that were found since the last call.
    pub(crate) fn locate_races(&mut self, attendant: &mut dyn Attendant) {
        let interrupt = self.interrupt.clone();
        let from = self.process.scanned();
        self.process.scan();
        let output = &mut |bytes: &[u8]| attendant.output(bytes);
        let hooks = &mut IoHooks { output, interrupt: &interrupt, attention: None };
        let found = self.process.find_races(from, hooks);
        self.access_times.extend(found);
    }

    /// The second access of a race that comes first after `from` and not after `to`.
    pub(crate) fn next_race(&self, from: u64, to: u64) -> Option<(u64, StopReason, Thread)> {
        let due = |m: &AccessTimes| {
            m.first?;
            if self.seen.get(m.finding).is_some_and(|f| self.passed.has(f)) {
                return None;
            }
            let (time, thread) = m.second.filter(|s| from < s.0 && s.0 <= to)?;
            Some((time, StopReason::Finding { number: m.finding + 1, is_first: false }, thread))
        };
        self.access_times.iter().filter_map(due).min_by_key(|m| m.0)
    }

    /// The command `finding`.
    pub(crate) fn finding_command(&mut self, number: usize, first: bool) -> Result<Outcome, SessionError> {
        if number == 0 || number > self.findings().len() {
            return refuse(format!("No finding number {number}."));
        }
        let access_times = self.access_times.iter().find(|m| m.finding + 1 == number).copied();
        let end = access_times.and_then(|m| if first { m.first } else { m.second });
        let Some((time, thread)) = end else {
            return refuse(format!("The time of that access of finding {number} is not known."));
        };
        if !self.process.go_to(time) {
            return refuse("Cannot go back to that time.");
        }
        Ok(self.stopped(StopReason::Finding { number, is_first: first }, thread))
    }

    /// The findings of this run, including those after the present time.
    pub(crate) fn findings(&self) -> &[Finding] {
        &self.seen
    }

    /// Updates the findings from the machine.
    pub(crate) fn update_findings(&mut self) {
        let now = self.process.machine().findings();
        if now.len() >= self.seen.len() {
            self.seen = now.iter().cloned().collect();
        }
    }

    /// Whether the session can go to an access of a finding.
    pub(crate) fn is_reachable(&self, finding: usize, end: usize, ends: usize) -> bool {
        let access_times = self.access_times.iter().find(|m| m.finding == finding);
        access_times.is_some_and(|m| if end + 1 == ends { m.second.is_some() } else { end == 0 && m.first.is_some() })
    }
}
