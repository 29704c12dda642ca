//! The way to a time in the past: code that has only to be counted runs at the speed of the engine, with checkpoints on the way
//! that are the denser the nearer they are. What is then left is short enough to be executed statement by statement.
//!
//! The engine cannot stop at an exact statement, so it may run past the time, also into what the program has not done yet. That
//! has no effects: the world is closed there ([`Replayed`]), and the process returns to a checkpoint.
//!
//! Not here: what is looked for on the way (`mod.rs`, `session`).

use crate::process::outside::Replayed;
use crate::process::watcher::{Sides, Watcher};
use crate::process::{BUDGET, PATIENCE, Process, UNSEEN};
use machine::MachineStop;

/// How often the way from a checkpoint is tried again after none could be made on it: the engine went too far at once, and has
/// shown how far it goes.
const MOST_FAILURES: u32 = 3;

impl Process {
    /// Goes to a checkpoint that is at `time` or at most about `near` statements before it, and returns its time. As after
    /// [`Process::go_to_checkpoint`], no error stops the machine until the next [`Process::go_to`].
    pub(crate) fn approach(&mut self, time: u64, near: u64) -> Option<u64> {
        let slice = self.slice;
        let mut start = self.go_to_checkpoint(time)?;
        let mut failures = 0;
        while time - start > near && failures < MOST_FAILURES && self.may_count(start, time) {
            failures = if self.divide(time, near) { 0 } else { failures + 1 };
            start = self.go_to_checkpoint(time)?;
        }
        self.slice = slice;
        Some(start)
    }

    /// Whether what happens between two times needs only be counted: no check has to see it, and the debugger changes nothing.
    fn may_count(&self, from: u64, to: u64) -> bool {
        !self.machine.is_checked() && self.history.next_edit(from).is_none_or(|edit| edit > to)
    }

    /// Runs from the checkpoint where the process is to about `time`, with a checkpoint at half of each way that is left until it
    /// is not longer than `near`; `false` if it could make none.
    fn divide(&mut self, time: u64, near: u64) -> bool {
        let told = self.machine.findings().len();
        let (mut last, mut has_kept) = (self.time, false);
        let mut watcher = self.watcher();
        while time - last > near {
            let next = last + (time - last) / 2;
            let budget = (next.saturating_sub(self.time) / self.rate).clamp(1, BUDGET * UNSEEN);
            let (from, points) = (self.time, self.machine.points());
            watcher.unseen = Sides { host: true, device: true };
            watcher.until = u64::MAX;
            let is_known = self.count(&mut watcher, budget);
            let is_stuck = self.time == from && self.machine.points() == points;
            self.note_rate(from, points);
            // A finding shows where and how only to who sees it happen.
            let has_found = self.machine.findings().len() > told;
            if !is_known || has_found || self.time >= time || is_stuck {
                break;
            }
            if self.time >= next {
                if !self.land(&mut watcher, time) {
                    break;
                }
                self.keep(time);
                if self.history.at_most(self.time).is_none_or(|point| point.time != self.time) {
                    break;
                }
                (last, has_kept) = (self.time, true);
            }
        }
        has_kept
    }

    /// Goes on to the next statement, where a checkpoint can be made; `false` if that is after `time`.
    fn land(&mut self, watcher: &mut Watcher, time: u64) -> bool {
        watcher.unseen = Sides::default();
        watcher.until = self.time + 1;
        for _ in 0..PATIENCE {
            if !self.count(watcher, BUDGET) || self.time > time {
                return false;
            }
            if watcher.at.is_some() {
                self.at = watcher.at;
                return true;
            }
        }
        false
    }

    /// Lets the machine go on for a while; `false` if it has come to what the program has not done yet.
    fn count(&mut self, watcher: &mut Watcher, budget: u64) -> bool {
        watcher.time = self.time;
        watcher.at = None;
        let mut world = Replayed { world: &mut self.world, is_past: false };
        let stop = self.machine.advance(budget, &mut world, watcher);
        let is_past = world.is_past;
        self.time = watcher.time;
        watcher.forget();
        !is_past && !matches!(stop, MachineStop::Done(_))
    }
}
