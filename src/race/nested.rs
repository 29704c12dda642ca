//! Launches from device code: what a thread, or a grid that has ended, hands on to those that come after it.
//!
//! A nested launch is part of the launch from the host in which it is made: its blocks are further blocks of it, with numbers of their
//! own. They know what the launching thread knew at the launch. `cudaDeviceSynchronize` waits for all grids that the block has launched
//! up to now; a thread learns by it what those did of whose launch it knows, since the others may not have been launched yet.
//!
//! Source: CUDA C++ Programming Guide, "CUDA Dynamic Parallelism", "Memory Coherence and Consistency".

use crate::access::Thread;
use crate::clock::order::CtaSlot;
use crate::clock::sparse::{SparseClock, join_options};
use crate::decide::exact::Exact;
use crate::detector::Detector;
use std::collections::BTreeMap;
use std::sync::Arc;

/// What some threads have done and know at one moment, for the pass that gave it.
#[derive(Clone, Debug, Default)]
pub struct Knowledge {
    known: Option<Arc<SparseClock>>,
    /// The same by the order that takes every scope for that of the system.
    scopeless: Option<Arc<SparseClock>>,
}

impl Knowledge {
    /// Adds what others know.
    pub fn join(&mut self, other: &Knowledge) {
        self.known = join_options(self.known.as_ref(), other.known.as_ref());
        self.scopeless = join_options(self.scopeless.as_ref(), other.scopeless.as_ref());
    }

    fn by_order(&self, which: usize) -> Option<&Arc<SparseClock>> {
        [&self.known, &self.scopeless][which].as_ref()
    }
}

/// A grid that has ended.
#[derive(Clone, Debug)]
struct EndedGrid {
    /// The time of its thread at the launch, by each order.
    at: [u32; 2],
    /// What it did, and what those did that its thread launched before it.
    did: Knowledge,
}

/// The grids that threads of a block have launched and that have ended. A thread that waits for them learns what those did of whose
/// launch it knows.
#[derive(Clone, Debug, Default)]
pub struct EndedGrids {
    /// By thread, in the order of the launches.
    by: BTreeMap<u16, Vec<EndedGrid>>,
    /// What those did of whose launch all threads of the block know.
    common: Knowledge,
}

impl EndedGrids {
    /// A grid has ended that a thread launched when it knew `launched`; `did` is what the grid did.
    pub fn add(&mut self, thread: Thread, launched: &Knowledge, did: &Knowledge) {
        let time = |clock: &Option<Arc<SparseClock>>| clock.as_ref().map_or(0, |c| c.thread(thread.block, thread.tid));
        let at = [time(&launched.known), time(&launched.scopeless)];
        let list = self.by.entry(thread.tid).or_default();
        let place = list.partition_point(|grid| grid.at <= at);
        let mut before = place.checked_sub(1).map(|last| list[last].did.clone()).unwrap_or_default();
        before.join(did);
        list[place..].iter_mut().for_each(|later| later.did.join(did));
        list.insert(place, EndedGrid { at, did: before });
    }

    /// Puts together the grids that were launched before the times that all threads of the block know of each other.
    fn settle(&mut self, until: [u32; 2]) {
        let common = &mut self.common;
        self.by.retain(|_, list| {
            let count = list.partition_point(|grid| grid.at[0] <= until[0] && grid.at[1] <= until[1]);
            if let Some(last) = list.drain(..count).next_back() {
                common.join(&last.did);
            }
            !list.is_empty()
        });
    }

    /// What a thread learns by one order that knows a thread up to a time if `is_known` says so.
    fn news(&self, which: usize, is_known: impl Fn(u16, u32) -> bool) -> Option<Arc<SparseClock>> {
        let mut news = self.common.by_order(which).cloned();
        for (tid, list) in &self.by {
            let count = list.partition_point(|grid| is_known(*tid, grid.at[which]));
            if let Some(last) = count.checked_sub(1) {
                news = join_options(news.as_ref(), list[last].did.by_order(which));
            }
        }
        news
    }
}

impl Detector {
    /// A block of a nested launch starts, with so many threads; `known` is what the launching thread knew.
    pub fn begin_nested_block(&mut self, block: u64, threads: u32, known: &Knowledge) -> CtaSlot {
        self.begin(block, |order, block| order.begin_nested(block, threads, known.known.as_ref()))
    }

    /// What a lane has done and knows.
    pub fn known_to(&mut self, slot: CtaSlot, warp: u32, lane: usize) -> Knowledge {
        Knowledge { known: self.order_mut().known_to(slot, warp, lane), scopeless: None }
    }

    /// What all threads of a block together have done and know.
    pub fn known_to_all(&mut self, slot: CtaSlot) -> Knowledge {
        Knowledge { known: self.order_mut().known_to_all(slot), scopeless: None }
    }

    /// Lanes of a warp wait for the grids that their block has launched.
    pub fn on_wait(&mut self, slot: CtaSlot, warp: u32, mask: u32, ended: &mut EndedGrids) {
        let order = self.order_mut();
        ended.settle([order.common_time(slot), u32::MAX]);
        order.wait(slot, warp, mask, |is_known| ended.news(0, is_known));
    }
}

impl Exact {
    /// A block of a nested launch starts, with so many threads; `known` is what the launching thread knew.
    pub fn begin_nested_block(&mut self, block: u64, threads: u32, known: &Knowledge) -> CtaSlot {
        self.begin(block, |[order, scopeless], block| {
            scopeless.begin_nested(block, threads, known.scopeless.as_ref());
            order.begin_nested(block, threads, known.known.as_ref())
        })
    }

    /// What a lane has done and knows.
    pub fn known_to(&mut self, slot: CtaSlot, warp: u32, lane: usize) -> Knowledge {
        let [known, scopeless] = self.orders().map(|order| order.known_to(slot, warp, lane));
        Knowledge { known, scopeless }
    }

    /// What all threads of a block together have done and know.
    pub fn known_to_all(&mut self, slot: CtaSlot) -> Knowledge {
        let [known, scopeless] = self.orders().map(|order| order.known_to_all(slot));
        Knowledge { known, scopeless }
    }

    /// Lanes of a warp wait for the grids that their block has launched.
    pub fn on_wait(&mut self, slot: CtaSlot, warp: u32, mask: u32, ended: &mut EndedGrids) {
        let orders = self.orders();
        ended.settle([orders[0].common_time(slot), orders[1].common_time(slot)]);
        for (which, order) in orders.into_iter().enumerate() {
            order.wait(slot, warp, mask, |is_known| ended.news(which, is_known));
        }
    }
}
