//! Splits: how the lanes of a warp diverge and reconverge.
//!
//! A branch on which lanes disagree divides its split; the parts wait for each other at the immediate post-dominator of the
//! branch. The analysis of uniform registers holds for lanes that meet there. Lanes may also meet elsewhere: after one of them
//! has passed such a place because the others polled or waited, or by chance at a barrier or a warp synchronisation. From then
//! on the warp is *not converged*: it runs the operations that take no register for uniform.

use super::Warp;
use super::sync::WarpSync;
use crate::code::{NO_RECONVERGENCE, SideExitLoop};
use ir::op::BarOp;
use smallvec::SmallVec;

/// What a split is doing.
#[derive(Clone, PartialEq, Debug)]
pub enum State {
    /// It can run.
    Runnable,
    /// It waits at a reconvergence point for others.
    AtReconvergence,
    /// It waits at a barrier of the block; the mask has the lanes whose predicate holds.
    AtBarrier {
        /// Which barrier operation.
        op: BarOp,
        /// Lanes whose predicate holds.
        pred: u32,
    },
    /// It waits for the other lanes of the warp at a vote, a shuffle or SYNCWARP.
    AtWarpSync {
        /// The lanes that must be there.
        need: u32,
        /// At what.
        at: WarpSync,
    },
    /// A service was asked for; the answer is due.
    AtRt,
}

/// Lanes of a warp at one place.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Split {
    /// Its lanes.
    pub(crate) mask: u32,
    /// Its next operation.
    pub(crate) pc: u32,
    /// Its frame.
    pub(crate) frame: u32,
    /// What it is doing.
    pub(crate) state: State,
    /// Where it meets others, innermost last: operation and frame.
    pub(crate) reconvergences: SmallVec<[(u32, u32); 4]>,
    /// Schedule points since it last made progress.
    pub(crate) polls: u32,
    /// Whether it goes on past the statement at which it was stopped.
    pub(crate) resume: bool,
}

/// How a loop was left that lanes leave one after another.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LoopExit {
    /// The lanes that are in the loop still.
    pub(crate) active: u32,
    /// The operation at which they go on.
    pub(crate) pc: u32,
    /// The lanes that left last, if none is in it.
    pub(crate) last: u32,
    /// Schedule points of the lanes that left first since their last progress.
    pub(crate) polls: u32,
}

impl Split {
    pub(crate) fn new(mask: u32) -> Split {
        Split {
            mask,
            pc: 0,
            frame: 0,
            state: State::Runnable,
            reconvergences: SmallVec::new(),
            polls: 0,
            resume: false,
        }
    }

    /// The operation at which it waits for others, if that is one of its frame.
    pub(crate) fn join(&self) -> u32 {
        let join = self.reconvergences.last().filter(|join| join.1 == self.frame);
        join.map_or(NO_RECONVERGENCE, |join| join.0)
    }

    /// It waits for others, behind the operation at which it is.
    pub(crate) fn wait_to_meet(&mut self) {
        self.pc += 1;
        self.state = State::AtReconvergence;
    }
}

impl<const W: usize> Warp<W> {
    /// Joins splits that are at the same place and can run; gives how many there are less. The current one stays it, also
    /// as a part of another.
    pub(crate) fn merge(&mut self) -> usize {
        let before = self.splits.len();
        let mut i = 0;
        while i < self.splits.len() {
            let mut j = i + 1;
            while j < self.splits.len() {
                let (a, b) = (&self.splits[i], &self.splits[j]);
                if a.pc == b.pc && a.frame == b.frame && a.state == State::Runnable && b.state == State::Runnable {
                    let b = self.splits.remove(j);
                    if self.current == j {
                        self.current = i;
                    }
                    self.current -= usize::from(self.current > j);
                    let a = &mut self.splits[i];
                    a.mask |= b.mask;
                    let common = a.reconvergences.iter().zip(&b.reconvergences).take_while(|(x, y)| x == y).count();
                    a.reconvergences.truncate(common);
                    a.polls = a.polls.min(b.polls);
                    self.count_users(b.frame, false);
                } else {
                    j += 1;
                }
            }
            i += 1;
        }
        before - self.splits.len()
    }

    /// Picks the next split to run; `None` when all wait. Splits go on from a place once all that come there have met, before any
    /// other: it is the same whether a branch inside of another parts lanes or, as a selection, does not. Where nothing else can run,
    /// they go on without those that are still to come.
    pub(crate) fn pick(&mut self) -> Option<usize> {
        loop {
            if let Some(meeting) = self.complete_meeting() {
                self.release_meeting(meeting);
            }
            let n = self.splits.len();
            let quantum = self.quantum();
            for k in 0..n {
                let i = (self.current + k) % n;
                let f = &self.splits[i];
                if f.state == State::Runnable && f.polls < quantum {
                    let mask = f.mask;
                    self.current = i;
                    self.note_pick(mask);
                    return Some(i);
                }
            }
            if !self.release_reconvergence() && !self.release_warp_sync() {
                return None;
            }
        }
    }

    /// Whether some split could run if polling did not count.
    pub fn is_polling(&self) -> bool {
        self.splits.iter().any(|f| f.state == State::Runnable)
    }

    /// Gives polling splits their turn again.
    pub fn wake_pollers(&mut self) {
        for f in &mut self.splits {
            f.polls = 0;
        }
    }

    /// The place at which the current split waits, if all splits that meet there do.
    fn complete_meeting(&self) -> Option<(u32, u32)> {
        let waits = |f: &Split| if f.state == State::AtReconvergence { f.reconvergences.last().copied() } else { None };
        let meeting = waits(self.splits.get(self.current)?)?;
        let is_there = |f: &Split| waits(f) == Some(meeting) || !f.reconvergences.contains(&meeting);
        // What has parted from the current one stands behind it, and is still to come most often.
        let (before, behind) = self.splits.split_at(self.current);
        behind.iter().chain(before).all(is_there).then_some(meeting)
    }

    /// Releases the innermost reconvergence point at which splits wait.
    fn release_reconvergence(&mut self) -> bool {
        let deepest =
            self.splits.iter().filter(|f| f.state == State::AtReconvergence).max_by_key(|f| f.reconvergences.len());
        let Some(&meeting) = deepest.and_then(|f| f.reconvergences.last()) else { return false };
        self.release_meeting(meeting);
        true
    }

    fn release_meeting(&mut self, (pc, frame): (u32, u32)) {
        let mut released = 0;
        for f in &mut self.splits {
            if f.state == State::AtReconvergence && f.reconvergences.last() == Some(&(pc, frame)) {
                f.reconvergences.pop();
                f.state = State::Runnable;
                released += 1;
            } else if f.reconvergences.contains(&(pc, frame)) {
                // It comes later, when the others have gone on.
                self.non_converged = true;
            }
        }
        self.non_converged |= self.merge() + 1 != released;
    }

    /// Wakes splits at a warp synchronisation once all the lanes that it needs are there: of a `syncwarp` one, which sees to the
    /// others; of votes and shuffles all, united.
    fn release_warp_sync(&mut self) -> bool {
        let live = self.live;
        let Some(first) = self.met(|f, o| meets(f, o, live)).or_else(|| self.unite_calls()) else { return false };
        let split = self.splits[first].clone();
        let one = matches!(split.state, State::AtWarpSync { at: WarpSync::SyncWarp, .. });
        for (i, f) in self.splits.iter_mut().enumerate() {
            if if one { i == first } else { meets(&split, f, live) } {
                f.state = State::Runnable;
                f.polls = 0;
            }
        }
        self.non_converged |= self.merge() > 0;
        true
    }

    /// The first split at a warp synchronisation for which all the lanes that it needs wait.
    fn met(&self, meets: impl Fn(&Split, &Split) -> bool) -> Option<usize> {
        self.splits.iter().position(|f| {
            let State::AtWarpSync { need, .. } = f.state else { return false };
            let there = self.splits.iter().filter(|o| meets(f, o)).fold(0, |m, o| m | o.mask);
            need & self.live & !there == 0
        })
    }

    /// Lets lanes that have come to one vote or shuffle by calls of their own, as behind a lock, go on as lanes of one call, where that
    /// completes it.
    fn unite_calls(&mut self) -> Option<usize> {
        let live = self.live;
        let first = self.met(|f, o| meets_in_calls(f, o, live))?;
        for other in 0..self.splits.len() {
            let apart = self.splits[other].frame != self.splits[first].frame;
            if apart && meets_in_calls(&self.splits[first], &self.splits[other], live) {
                self.unite(first, other)?;
            }
        }
        Some(first)
    }

    /// Moves a split to the frames of another one that stands at the same place by the same calls; `None` if it cannot go there: it is not
    /// alone in its frames, or these have memory, which may be named by its address.
    fn unite(&mut self, to: usize, from: usize) -> Option<()> {
        let mask = self.splits[from].mask;
        let (mut a, mut b) = (self.splits[to].frame, self.splits[from].frame);
        let mut pairs = Vec::new();
        while a != b {
            let (x, y) = (self.frame(a)?, self.frame(b)?);
            let (above, beside) = (x.caller.as_ref()?, y.caller.as_ref()?);
            if x.func != y.func || x.local_span != 0 || y.users != 1 || above.pc != beside.pc {
                return None;
            }
            pairs.push((a, b));
            (a, b) = (above.frame, beside.frame);
        }
        for &(a, b) in &pairs {
            let mut gone = self.frames.get_mut(b as usize)?.take()?;
            let kept = self.frames.get_mut(a as usize)?.as_mut()?;
            kept.take_lanes(&mut gone, mask);
            kept.users += 1;
        }
        let split = &mut self.splits[from];
        let there = |frame: u32| pairs.iter().find(|pair| pair.1 == frame).map_or(frame, |pair| pair.0);
        split.frame = there(split.frame);
        split.reconvergences.iter_mut().for_each(|meeting| meeting.1 = there(meeting.1));
        Some(())
    }

    /// The lanes of `taken` of the current split, whose lanes are those of `mask`, take a branch and the others do not. `join` is
    /// where they meet.
    pub(crate) fn part(&mut self, mask: u32, taken: u32, (then_pc, else_pc, join): (u32, u32, u32)) {
        let (first, second, part) =
            if self.is_turned() { (else_pc, then_pc, taken) } else { (then_pc, else_pc, mask & !taken) };
        let current = self.current;
        self.splits[current].pc = first;
        self.diverge(part, second, if join == NO_RECONVERGENCE { None } else { Some(join) });
    }

    /// Divides the current split: `part` of its lanes become another split at `pc`.
    pub(crate) fn diverge(&mut self, part: u32, pc: u32, join: Option<u32>) {
        let current = self.current;
        let split = &mut self.splits[current];
        let frame = split.frame;
        // Lanes that do not meet again in their function meet where it was called.
        let caller = self.frames.get(frame as usize).and_then(Option::as_ref).and_then(|f| f.caller.as_ref());
        let meeting = join.map(|pc| (pc, frame)).or(caller.map(|c| (c.pc + 1, c.frame)));
        if let Some(meeting) = meeting
            && split.reconvergences.last() != Some(&meeting)
        {
            split.reconvergences.push(meeting);
        }
        split.mask &= !part;
        let mut other = split.clone();
        other.mask = part;
        other.pc = pc;
        other.state = State::Runnable;
        self.splits.insert(current + 1, other);
        self.count_users(frame, true);
    }

    /// Diverges the current split, which stands at a loop, as the branches of the loop would have done: those that left before the
    /// last ones wait, on the side of the others on which each branch would have put them. That they are one split and not several
    /// makes no difference, since they wait for the same and lie side by side.
    pub(crate) fn leave_loop(&mut self, of: &SideExitLoop, mask: u32, left: LoopExit) {
        let current = self.current;
        let (on, pc) = if left.active != 0 { (left.active, left.pc) } else { (left.last, of.exit) };
        if of.takes {
            self.diverge(on, pc, Some(of.exit));
            let waiting = &mut self.splits[current];
            (waiting.pc, waiting.polls, waiting.state) = (of.exit + 1, left.polls, State::AtReconvergence);
            self.current += 1;
        } else {
            self.splits[current].pc = pc;
            self.diverge(mask & !on, of.exit, Some(of.exit));
            self.splits[current + 1].polls = left.polls;
        }
    }

    /// Counts one split more, or one less, in a frame and all that called it.
    fn count_users(&mut self, frame: u32, more: bool) {
        let mut at = Some(frame);
        while let Some(Some(f)) = at.and_then(|n| self.frames.get_mut(n as usize)) {
            f.users = if more { f.users + 1 } else { f.users.saturating_sub(1) };
            at = f.caller.as_ref().map(|c| c.frame);
        }
    }
}

/// Whether two splits wait for each other.
fn meets(a: &Split, b: &Split, live: u32) -> bool {
    let anywhere = matches!(a.state, State::AtWarpSync { at: WarpSync::SyncWarp, .. });
    meets_in_calls(a, b, live) && (anywhere || a.frame == b.frame)
}

/// Whether two splits would wait for each other if their calls were one.
fn meets_in_calls(a: &Split, b: &Split, live: u32) -> bool {
    let (State::AtWarpSync { need: m, at: p }, State::AtWarpSync { need: n, at: q }) = (&a.state, &b.state) else {
        return false;
    };
    let anywhere = *p == WarpSync::SyncWarp;
    p == q && m & live == n & live && (anywhere || a.pc == b.pc)
}
