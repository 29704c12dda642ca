//! Warps whose schedule is directed from outside: which split goes on, when one counts as polling, in which order lanes come
//! in an atomic, and what has run.
//!
//! A directed warp runs in the interpreter.

use super::{State, Warp};
use std::collections::VecDeque;

/// How a warp is directed.
#[derive(Clone, Debug)]
pub(crate) struct Directed {
    /// Schedule points that a split may pass without making progress before others get their turn.
    quantum: u32,
    /// Whether the current split goes on even if it polls.
    holds: bool,
    /// The lanes that come first in the next atomic, in this order.
    first: Vec<u8>,
    /// Which lanes went on from which of the warp's points, if somebody wants to know.
    picks: Option<VecDeque<(u64, u32)>>,
}

impl<const W: usize> Warp<W> {
    /// From now on others say which split goes on. One that passes `quantum` schedule points without making progress polls.
    pub fn direct(&mut self, quantum: u32, is_traced: bool) {
        let picks = is_traced.then(VecDeque::new);
        self.directed = Some(Box::new(Directed { quantum, holds: false, first: Vec::new(), picks }));
    }

    /// Schedule points that a split may pass without making progress before others get their turn.
    pub(crate) fn quantum(&self) -> u32 {
        match &self.directed {
            None => crate::POLL_QUANTUM,
            Some(directed) if directed.holds => u32::MAX,
            Some(directed) => directed.quantum,
        }
    }

    /// Lets the split of a lane go on; `false` if it cannot.
    pub fn choose(&mut self, lane: u32) -> bool {
        let can_go = |f: &super::Split| f.mask >> lane & 1 != 0 && f.state == State::Runnable;
        let Some(chosen) = self.splits.iter().position(can_go) else { return false };
        self.current = chosen;
        self.splits[chosen].polls = 0;
        true
    }

    /// Says whether the current split goes on even if it polls.
    pub fn hold(&mut self, holds: bool) {
        if let Some(directed) = &mut self.directed {
            directed.holds = holds;
        }
    }

    /// Says which lanes come first in the next atomic.
    pub fn order_lanes(&mut self, first: &[u8]) {
        if let Some(directed) = &mut self.directed {
            directed.first = first.to_vec();
        }
    }

    /// Takes the lanes that come first in this atomic.
    pub(super) fn take_first_lanes(&mut self) -> Vec<u8> {
        self.directed.as_mut().map_or_else(Vec::new, |directed| std::mem::take(&mut directed.first))
    }

    /// Notes that these lanes go on.
    pub(super) fn note_pick(&mut self, mask: u32) {
        let points = self.points;
        if let Some(picks) = self.directed.as_mut().and_then(|directed| directed.picks.as_mut()) {
            match picks.back_mut() {
                Some(last) if last.0 == points => last.1 = mask,
                _ => picks.push_back((points, mask)),
            }
        }
    }

    /// Whether others say who goes on at some of its points.
    pub(crate) fn is_directed(&self) -> bool {
        self.directed.is_some()
    }

    /// Which lanes have gone on from which of the warp's points, since the last call.
    pub fn take_picks(&mut self) -> VecDeque<(u64, u32)> {
        let picks = self.directed.as_mut().and_then(|directed| directed.picks.as_mut());
        picks.map(std::mem::take).unwrap_or_default()
    }
}
