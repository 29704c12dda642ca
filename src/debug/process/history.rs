//! The history of a process: checkpoints, and the changes made by the debugger.
//!
//! Checkpoints are dense near the present and near the time where the process is, and sparse elsewhere: the one whose removal
//! leaves the smallest gap, relative to its distance from these two, is dropped first. Changes by the debugger are kept as
//! [`Edit`]s and applied again whenever execution passes their time. A change in the past makes a new future, so later checkpoints
//! and edits are dropped.
//!
//! Not here: running the machine (`mod.rs`).

use crate::eval::context::Change;
use crate::process::watcher::Thread;
use machine::{Checkpoint, Mark};

/// Most checkpoints.
const MOST_POINTS: usize = 256;

/// A checkpoint with its time.
#[derive(Debug)]
pub(crate) struct Point {
    /// When.
    pub(crate) time: u64,
    /// The machine.
    pub(crate) checkpoint: Checkpoint,
    /// The world's record.
    pub(crate) mark: Mark,
    /// About how many bytes it has beside pages of memory.
    pub(crate) bytes: u64,
}

/// Changes made by the debugger at one time.
#[derive(Clone, Debug)]
pub(crate) struct Edit {
    /// When.
    pub(crate) time: u64,
    /// In whose memory and registers.
    pub(crate) thread: Thread,
    /// What.
    pub(crate) changes: Vec<Change>,
}

/// Checkpoints and edits, in order of time.
#[derive(Debug, Default)]
pub(crate) struct History {
    points: Vec<Point>,
    edits: Vec<Edit>,
}

impl History {
    /// Adds a checkpoint; it replaces one of the same time. `here` is where the process is going.
    pub(crate) fn keep(&mut self, point: Point, here: u64) {
        let at = self.points.partition_point(|p| p.time < point.time);
        if self.points.get(at).is_some_and(|p| p.time == point.time) {
            self.points[at] = point;
            return;
        }
        self.points.insert(at, point);
        if self.points.len() > MOST_POINTS {
            self.thin(here);
        }
    }

    /// Drops the checkpoint that is missed least; `false` if only the first (the start) and the last (the present) are left.
    pub(crate) fn thin(&mut self, here: u64) -> bool {
        let latest = self.points.last().map_or(0, |p| p.time);
        let cost = |i: usize| {
            let (gap, time) = (self.points[i + 1].time - self.points[i - 1].time, self.points[i].time);
            gap as f64 / (time.abs_diff(here).min(latest - time) + 1) as f64
        };
        let inner = 1..self.points.len().saturating_sub(1);
        let victim = inner.min_by(|&a, &b| cost(a).total_cmp(&cost(b)));
        if let Some(victim) = victim {
            self.points.remove(victim);
        }
        victim.is_some()
    }

    /// How many checkpoints there are.
    pub(crate) fn len(&self) -> usize {
        self.points.len()
    }

    /// About how many bytes they have beside pages of memory.
    pub(crate) fn bytes(&self) -> u64 {
        self.points.iter().map(|p| p.bytes).sum()
    }

    /// The latest checkpoint not after `time`.
    pub(crate) fn at_most(&self, time: u64) -> Option<&Point> {
        self.points[..self.points.partition_point(|p| p.time <= time)].last()
    }

    /// Adds a change and drops what belongs to the old future.
    pub(crate) fn edit(&mut self, edit: Edit) {
        self.points.retain(|p| p.time < edit.time);
        self.edits.retain(|e| e.time <= edit.time);
        self.edits.push(edit);
    }

    /// The time of the first edit after `time`.
    pub(crate) fn next_edit(&self, time: u64) -> Option<u64> {
        self.edits.iter().map(|e| e.time).find(|&t| t > time)
    }

    /// The edits at that time, in order.
    pub(crate) fn edits_at(&self, time: u64) -> Vec<Edit> {
        self.edits.iter().filter(|e| e.time == time).cloned().collect()
    }
}
