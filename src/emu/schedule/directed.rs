//! A launch whose order is directed: at some of its points others say who goes on (`explore::Order`). Between them the natural
//! order holds, but for one thing: who polls gives way after few points, so that a run has few steps that change nothing.

use crate::block::Block;
use explore::Switch;
use std::sync::Arc;

/// Schedule points that lanes may pass without making progress before others get their turn.
const QUANTUM: u32 = 64;

/// Where a launch departs from the natural order.
#[derive(Clone, Debug)]
pub(crate) struct Directed {
    switches: Arc<[Switch]>,
    /// The next of them.
    next: usize,
    /// Whether those that it names are coming to their next point: they may part on the way.
    is_settling: bool,
    /// Whether the blocks say what has gone on.
    is_traced: bool,
    /// Block and warp that go on until a point even if they poll.
    held: Option<(u64, u32, u64)>,
    /// The lanes that come first in the next atomic of a warp, if that was said of late: block, warp, lanes.
    first_lanes: Option<(u64, u32, Vec<u8>)>,
}

impl Directed {
    /// A launch that departs from the natural order at these points.
    pub(crate) fn new(switches: &[Switch], is_traced: bool) -> Directed {
        Directed { switches: switches.into(), next: 0, is_settling: false, is_traced, held: None, first_lanes: None }
    }

    /// The same from the beginning; it is not traced again.
    pub(crate) fn restart(self) -> Directed {
        Directed {
            switches: self.switches,
            next: 0,
            is_settling: false,
            is_traced: false,
            held: None,
            first_lanes: None,
        }
    }

    /// A block is about to begin.
    pub(crate) fn begin(&self, block: &mut Block) {
        block.direct(QUANTUM, self.is_traced);
    }

    /// The points until something is due.
    pub(crate) fn points_left(&self, points: u64) -> u64 {
        let held = self.held.map(|(.., until)| until);
        let next = self.switches.get(self.next).map(|switch| switch.at);
        let due = held.into_iter().chain(next).min();
        due.map_or(u64::MAX, |at| at.saturating_sub(points))
    }

    /// The next switch if it is due, and whether it is to be made. Before that those that it names come to their next point.
    pub(crate) fn due(&mut self, points: u64) -> Option<(Switch, bool)> {
        let switch = self.switches.get(self.next).filter(|switch| switch.at <= points)?.clone();
        let is_made = self.is_settling;
        self.is_settling = !is_made;
        self.next += usize::from(is_made);
        Some((switch, is_made))
    }

    /// A switch was made.
    pub(crate) fn took(&mut self, switch: &Switch) {
        if switch.hold > 0 {
            self.held = Some((switch.block, switch.warp, switch.at.saturating_add(switch.hold)));
        }
        if !switch.lanes.is_empty() {
            self.first_lanes = Some((switch.block, switch.warp, switch.lanes.clone()));
        }
    }

    /// Whether somebody has been held until now.
    pub(crate) fn has_held(&self, points: u64) -> bool {
        self.held.is_some_and(|(.., until)| until <= points)
    }

    /// Nobody is held any more: who was.
    pub(crate) fn release(&mut self) -> Option<(u64, u32)> {
        self.held.take().map(|(block, warp, _)| (block, warp))
    }

    /// The lanes that come first in the next atomic of a warp, if a switch has said so: block, warp, lanes.
    pub(crate) fn take_first_lanes(&mut self) -> Option<(u64, u32, Vec<u8>)> {
        self.first_lanes.take()
    }
}
