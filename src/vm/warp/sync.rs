//! Warp synchronisation: `syncwarp`, votes and shuffles.
//!
//! The lanes that must arrive are those that the mask names, or without a mask all that have not exited. A mask is a value of
//! each lane: lanes with different masks form groups, though they execute one operation. Votes and shuffles meet at one
//! statement; `syncwarp` meets every `syncwarp` with the same mask, wherever it stands (PTX ISA 9.7.13.3, `bar.warp.sync`:
//! "executed a bar.warp.sync with the same membermask value").

use super::State;
use super::Warp;
use scalar::lanes;

/// At what lanes of a warp meet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum WarpSync {
    /// `syncwarp`.
    SyncWarp,
    /// A vote or match.
    Vote,
    /// A shuffle.
    Shuffle,
}

impl WarpSync {
    /// How a finding calls it.
    pub fn name(self) -> &'static str {
        match self {
            WarpSync::SyncWarp => "syncwarp",
            WarpSync::Vote => "vote",
            WarpSync::Shuffle => "shuffle",
        }
    }
}

/// Lanes of a split that name the same lanes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Group {
    /// The mask that they give.
    pub(crate) named: u32,
    /// Themselves.
    pub(crate) lanes: u32,
}

/// The groups of the lanes of `mask`, by the mask that each gives; how many there are.
pub(crate) fn groups(mask: u32, named: impl Fn(usize) -> u32) -> ([Group; 32], usize) {
    let mut out = [Group::default(); 32];
    let mut count = 0;
    for lane in lanes(mask) {
        let named = named(lane);
        let at = out[..count].iter().position(|g| g.named == named).unwrap_or(count);
        out[at] = Group { named, lanes: out[at].lanes | 1 << lane };
        count = count.max(at + 1);
    }
    (out, count)
}

impl<const W: usize> Warp<W> {
    /// The lanes of other splits that wait at a `syncwarp` for the lanes `need`.
    pub(crate) fn waiting_for(&self, need: u32) -> u32 {
        let others = self.splits.iter().enumerate().filter(|&(i, f)| i != self.current && self.waits(&f.state, need));
        others.fold(0, |m, (_, f)| m | f.mask)
    }

    fn waits(&self, state: &State, need: u32) -> bool {
        matches!(state, State::AtWarpSync { at: WarpSync::SyncWarp, need: n } if n & self.live == need)
    }

    /// Lets the other splits go on that wait at a `syncwarp` for the lanes `need`.
    pub(crate) fn release_syncwarp(&mut self, need: u32) {
        for i in 0..self.splits.len() {
            if i != self.current && self.waits(&self.splits[i].state, need) {
                let split = &mut self.splits[i];
                split.pc += 1;
                split.state = State::Runnable;
                split.polls = 0;
            }
        }
    }

    /// Leaves lanes of the current split at the operation where they are, to wait for the lanes `need`.
    pub(crate) fn leave_waiting(&mut self, lanes: u32, at: WarpSync, need: u32) {
        let current = self.current;
        if self.splits[current].mask != lanes {
            let pc = self.splits[current].pc;
            let reconvergences = self.splits[current].reconvergences.clone();
            self.diverge(lanes, pc, None);
            self.splits[current].reconvergences.clone_from(&reconvergences);
            self.splits[current + 1].reconvergences = reconvergences;
            self.non_converged = true;
        }
        let part = if self.splits[current].mask == lanes { current } else { current + 1 };
        self.splits[part].state = State::AtWarpSync { need, at };
    }

    /// Joins splits that are at one place, the current one among them.
    pub(crate) fn merge_current(&mut self) {
        self.non_converged |= self.merge() > 0;
    }
}
