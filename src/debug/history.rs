//! The past of a process: checkpoints to go back to, and what the debugger changed.
//!
//! Checkpoints are thinned so that they lie dense near the present and sparse far back: of two neighbours the one goes
//! whose loss makes the relatively shortest gap. What the debugger changed is kept as [`Edit`]s and done again whenever
//! execution passes the moment anew. A change in the past makes another future: what was kept of the old one is dropped.

use crate::scene::Change;
use crate::watcher::Thread;
use machine::{Checkpoint, Mark};

/// Checkpoints held at most.
const MOST_POINTS: usize = 40;

/// A moment to go back to.
#[derive(Debug)]
pub(crate) struct Point {
    /// When.
    pub(crate) time: u64,
    /// The machine.
    pub(crate) checkpoint: Checkpoint,
    /// The world's record.
    pub(crate) mark: Mark,
}

/// What the debugger changed at some moment.
#[derive(Clone, Debug)]
pub(crate) struct Edit {
    /// When.
    pub(crate) time: u64,
    /// In whose memory and registers.
    pub(crate) thread: Thread,
    /// What.
    pub(crate) changes: Vec<Change>,
}

/// The past.
#[derive(Debug, Default)]
pub(crate) struct History {
    points: Vec<Point>,
    edits: Vec<Edit>,
}

impl History {
    /// Keeps a checkpoint; one of the same time is replaced.
    pub(crate) fn keep(&mut self, point: Point) {
        let at = self.points.partition_point(|p| p.time < point.time);
        if self.points.get(at).is_some_and(|p| p.time == point.time) {
            self.points[at] = point;
            return;
        }
        self.points.insert(at, point);
        if self.points.len() > MOST_POINTS {
            let now = self.points.last().map_or(0, |p| p.time) + 1;
            let cost = |i: usize| {
                let gap = self.points[i + 1].time - self.points[i - 1].time;
                gap as f64 / (now - self.points[i].time) as f64
            };
            // The first is the beginning and the last the present: both stay.
            let victim = (1..self.points.len() - 1).min_by(|&a, &b| cost(a).total_cmp(&cost(b)));
            if let Some(victim) = victim {
                self.points.remove(victim);
            }
        }
    }

    /// How many checkpoints there are.
    pub(crate) fn len(&self) -> usize {
        self.points.len()
    }

    /// The latest checkpoint not after `time`.
    pub(crate) fn at_most(&self, time: u64) -> Option<&Point> {
        self.points[..self.points.partition_point(|p| p.time <= time)].last()
    }

    /// Adds a change, which makes what was kept of the future another one's.
    pub(crate) fn edit(&mut self, edit: Edit) {
        self.points.retain(|p| p.time < edit.time);
        self.edits.retain(|e| e.time <= edit.time);
        self.edits.push(edit);
    }

    /// The first moment after `time` at which something was changed.
    pub(crate) fn next_edit(&self, time: u64) -> Option<u64> {
        self.edits.iter().map(|e| e.time).find(|&t| t > time)
    }

    /// What was changed at that moment, in order.
    pub(crate) fn edits_at(&self, time: u64) -> Vec<Edit> {
        self.edits.iter().filter(|e| e.time == time).cloned().collect()
    }
}
