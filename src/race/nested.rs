//! Launches from device code: what a thread, or a grid that has ended, hands on to those that come after it.
//!
//! A nested launch is part of the launch from the host in which it is made: its blocks are further blocks of it, with numbers of their
//! own. They know what the launching thread knew at the launch; who waits for the nested grid learns what its blocks did.
//!
//! Source: CUDA C++ Programming Guide, "CUDA Dynamic Parallelism", "Memory Coherence and Consistency".

use crate::clock::order::{CtaSlot, Order};
use crate::clock::sparse::{SparseClock, join_options};
use crate::decide::exact::Exact;
use crate::detector::Detector;
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
}

fn learn(order: &mut Order, slot: CtaSlot, (warp, mask): (u32, u32), news: Option<&Arc<SparseClock>>) {
    if let Some(news) = news {
        order.learn(slot, warp, mask, news);
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

    /// Lanes of a warp wait for those who knew this.
    pub fn on_learn(&mut self, slot: CtaSlot, warp: u32, mask: u32, news: &Knowledge) {
        learn(self.order_mut(), slot, (warp, mask), news.known.as_ref());
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

    /// Lanes of a warp wait for those who knew this.
    pub fn on_learn(&mut self, slot: CtaSlot, warp: u32, mask: u32, news: &Knowledge) {
        let [order, scopeless] = self.orders();
        learn(order, slot, (warp, mask), news.known.as_ref());
        learn(scopeless, slot, (warp, mask), news.scopeless.as_ref());
    }
}
