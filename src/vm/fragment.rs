//! Fragments: how the lanes of a warp part and meet.
//!
//! A branch whose lanes disagree splits its fragment; the parts wait for one another at the branch's immediate
//! post-dominator. What the analysis of uniform registers says holds for lanes that meet there. Where lanes meet after one
//! of them has passed such a place, because the others polled or waited for it, or where they meet at a barrier or a
//! rendezvous by chance, the warp is *loose* from then on: it runs the operations that take no register for uniform.

use crate::meet::Meeting;
use crate::warp::Warp;
use ir::op::BarOp;

/// What a fragment is doing.
#[derive(Clone, PartialEq, Debug)]
pub enum State {
    /// It can run.
    Runnable,
    /// It waits at a join for others.
    AtJoin,
    /// It waits at a barrier of the block; the mask has the lanes whose predicate holds.
    AtBarrier {
        /// Which barrier operation.
        op: BarOp,
        /// Lanes whose predicate holds.
        pred: u32,
    },
    /// It waits for the other lanes of the warp at a vote, a shuffle or SYNCWARP.
    AtRendezvous {
        /// The lanes that must be there.
        need: u32,
        /// At what.
        at: Meeting,
    },
    /// A service was asked for; the answer is due.
    AtRt,
}

/// Lanes of a warp at one place.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Fragment {
    /// Its lanes.
    pub(crate) mask: u32,
    /// Its next operation.
    pub(crate) pc: u32,
    /// Its frame.
    pub(crate) frame: u32,
    /// What it is doing.
    pub(crate) state: State,
    /// Where it meets others, innermost last: operation and frame.
    pub(crate) joins: Vec<(u32, u32)>,
    /// Schedule points since it last made progress.
    pub(crate) idle: u32,
    /// Whether it goes on past the statement at which it was stopped.
    pub(crate) resume: bool,
}

impl Fragment {
    pub(crate) fn new(mask: u32) -> Fragment {
        Fragment { mask, pc: 0, frame: 0, state: State::Runnable, joins: Vec::new(), idle: 0, resume: false }
    }
}

impl<const W: usize> Warp<W> {
    /// Joins fragments that are at the same place and can run; gives how many there are less. The current one stays it, also
    /// as a part of another.
    pub(crate) fn merge(&mut self) -> usize {
        let before = self.fragments.len();
        let mut i = 0;
        while i < self.fragments.len() {
            let mut j = i + 1;
            while j < self.fragments.len() {
                let (a, b) = (&self.fragments[i], &self.fragments[j]);
                if a.pc == b.pc && a.frame == b.frame && a.state == State::Runnable && b.state == State::Runnable {
                    let b = self.fragments.remove(j);
                    if self.current == j {
                        self.current = i;
                    }
                    self.current -= usize::from(self.current > j);
                    let a = &mut self.fragments[i];
                    a.mask |= b.mask;
                    let common = a.joins.iter().zip(&b.joins).take_while(|(x, y)| x == y).count();
                    a.joins.truncate(common);
                    a.idle = a.idle.min(b.idle);
                    self.count_users(b.frame, false);
                } else {
                    j += 1;
                }
            }
            i += 1;
        }
        before - self.fragments.len()
    }

    /// Picks the next fragment to run, releasing joins where nothing else can; `None` when all wait.
    pub(crate) fn pick(&mut self) -> Option<usize> {
        loop {
            let n = self.fragments.len();
            for k in 0..n {
                let i = (self.current + k) % n;
                let f = &self.fragments[i];
                if f.state == State::Runnable && f.idle < crate::POLL_QUANTUM {
                    self.current = i;
                    return Some(i);
                }
            }
            if !self.release_join() && !self.release_rendezvous() {
                return None;
            }
        }
    }

    /// Whether some fragment could run if polling did not count.
    pub fn is_polling(&self) -> bool {
        self.fragments.iter().any(|f| f.state == State::Runnable)
    }

    /// Gives polling fragments their turn again.
    pub fn wake_pollers(&mut self) {
        for f in &mut self.fragments {
            f.idle = 0;
        }
    }

    /// Releases the innermost join at which fragments wait.
    fn release_join(&mut self) -> bool {
        let deepest = self.fragments.iter().filter(|f| f.state == State::AtJoin).max_by_key(|f| f.joins.len());
        let Some(&(pc, frame)) = deepest.and_then(|f| f.joins.last()) else { return false };
        let mut released = 0;
        for f in &mut self.fragments {
            if f.state == State::AtJoin && f.joins.last() == Some(&(pc, frame)) {
                f.joins.pop();
                f.state = State::Runnable;
                released += 1;
            } else if f.joins.contains(&(pc, frame)) {
                // It comes later, when the others have gone on.
                self.loose = true;
            }
        }
        self.loose |= self.merge() + 1 != released;
        true
    }

    /// Wakes fragments at a rendezvous once all the lanes that it needs are there: of a `syncwarp` one, which sees to the
    /// others; of votes and shuffles all, united.
    fn release_rendezvous(&mut self) -> bool {
        let live = self.live;
        let met = self.fragments.iter().position(|f| {
            let State::AtRendezvous { need, .. } = f.state else { return false };
            let there = self.fragments.iter().filter(|o| meets(f, o, live)).fold(0, |m, o| m | o.mask);
            need & live & !there == 0
        });
        let Some(first) = met else { return false };
        let fragment = self.fragments[first].clone();
        let one = matches!(fragment.state, State::AtRendezvous { at: Meeting::SyncWarp, .. });
        for (i, f) in self.fragments.iter_mut().enumerate() {
            if if one { i == first } else { meets(&fragment, f, live) } {
                f.state = State::Runnable;
                f.idle = 0;
            }
        }
        self.loose |= self.merge() > 0;
        true
    }

    /// Splits the current fragment: `part` of its lanes become a fragment of their own at `pc`.
    pub(crate) fn split(&mut self, part: u32, pc: u32, join: Option<u32>) {
        let current = self.current;
        let fragment = &mut self.fragments[current];
        let frame = fragment.frame;
        // Lanes that do not meet again in their function meet where it was called.
        let caller = self.frames.get(frame as usize).and_then(Option::as_ref).and_then(|f| f.caller.as_ref());
        let meeting = join.map(|pc| (pc, frame)).or(caller.map(|c| (c.pc + 1, c.frame)));
        if let Some(meeting) = meeting
            && fragment.joins.last() != Some(&meeting)
        {
            fragment.joins.push(meeting);
        }
        fragment.mask &= !part;
        let mut other = fragment.clone();
        other.mask = part;
        other.pc = pc;
        other.state = State::Runnable;
        self.fragments.insert(current + 1, other);
        self.count_users(frame, true);
    }

    /// Counts one fragment more, or one less, in a frame and all that called it.
    fn count_users(&mut self, frame: u32, more: bool) {
        let mut at = Some(frame);
        while let Some(Some(f)) = at.and_then(|n| self.frames.get_mut(n as usize)) {
            f.users = if more { f.users + 1 } else { f.users.saturating_sub(1) };
            at = f.caller.as_ref().map(|c| c.frame);
        }
    }
}

/// Whether two fragments wait for each other.
fn meets(a: &Fragment, b: &Fragment, live: u32) -> bool {
    let (State::AtRendezvous { need: m, at: p }, State::AtRendezvous { need: n, at: q }) = (&a.state, &b.state) else {
        return false;
    };
    let anywhere = *p == Meeting::SyncWarp;
    p == q && m & live == n & live && (anywhere || (a.pc == b.pc && a.frame == b.frame))
}
