//! The order of events in a launch: the vector clocks of the resident blocks and the sync records.
//!
//! Each pass has its own. It does not look at data, only at what orders threads: barriers, fences, and strong
//! accesses with the scopes that let them synchronise. A plain store after a fence to a place that strong accesses of the
//! launch touch too releases like a strong one (`threadfence; lock = 0`): the store itself is reported as mixed, the data
//! that the lock protects is not.

use crate::access::{Space, Thread, WarpAccess};
use crate::clock::block::{BlockClock, Heads};
use crate::clock::sparse::{SparseClock, join_options, join_shared};
use crate::clock::sync::{Strong, SyncTable};
use scalar::lanes;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The rules that the order follows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rules {
    /// A reading atomic acquires only with a fence after it, a barrier does not hand on fences, and an exited lane takes part
    /// in no `syncwarp`: the letter of PTX.
    pub is_strict: bool,
    /// Lanes of a warp are ordered between instructions, as before Volta.
    pub is_legacy_warp_sync: bool,
}

/// A resident block, from `begin_block` to `end_block`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CtaSlot(pub(crate) u32);

#[derive(Clone, Debug)]
struct Cta {
    block_clock: BlockClock,
    /// Records of the block's shared memory.
    shared: SyncTable,
    /// False once its clock has run out.
    is_followed: bool,
}

/// The order of events; see the module's head.
#[derive(Clone, Debug)]
pub(crate) struct Order {
    rules: Rules,
    is_scopeless: bool,
    threads: u32,
    ctas: Vec<Option<Box<Cta>>>,
    free: Vec<u32>,
    global: SyncTable,
    /// Whether a clock has run out.
    pub(crate) is_out_of_time: bool,
    /// Whether clocks and records have reached the limit of memory; then no block is followed.
    pub(crate) is_out_of_memory: bool,
    /// Bytes that clocks and records took when they were last counted.
    counted_bytes: u64,
    /// Clocks that may have been made since.
    made: u64,
}

/// More than most clocks take that share what they can with an older one.
const CLOCK_BYTES: u64 = 2048;

impl Order {
    /// The order of a launch with blocks of `threads` threads; if `is_scopeless`, every scope is that of the system.
    pub(crate) fn new(rules: Rules, threads: u32, is_scopeless: bool) -> Self {
        Self {
            rules,
            is_scopeless,
            threads,
            ctas: Vec::new(),
            free: Vec::new(),
            global: SyncTable::default(),
            is_out_of_time: false,
            is_out_of_memory: false,
            counted_bytes: 0,
            made: 0,
        }
    }

    /// The bytes that clocks and records took when they were last counted.
    pub(crate) fn counted_bytes(&self) -> u64 {
        self.counted_bytes
    }

    /// Keeps clocks and records below a limit. If they reach it, no block is followed any more and what they took is given
    /// back.
    pub(crate) fn limit(&mut self, limit_bytes: u64) {
        if self.made == 0 || self.counted_bytes + self.made * CLOCK_BYTES < limit_bytes {
            return;
        }
        let mut seen = BTreeSet::new();
        let of_ctas = self.ctas.iter().flatten().map(|c| c.block_clock.bytes(&mut seen) + c.shared.bytes(&mut seen));
        self.counted_bytes = of_ctas.sum::<u64>() + self.global.bytes(&mut seen);
        self.made = 0;
        // So that they are not counted over and over.
        if self.counted_bytes > limit_bytes / 4 * 3 {
            self.is_out_of_memory = true;
            self.counted_bytes = 0;
            self.global.clear();
            for cta in self.ctas.iter_mut().flatten() {
                cta.block_clock = cta.block_clock.emptied();
                cta.shared.clear();
                cta.is_followed = false;
            }
        }
    }

    pub(crate) fn rules(&self) -> Rules {
        self.rules
    }

    pub(crate) fn begin_block(&mut self, block: u32) -> CtaSlot {
        self.begin(BlockClock::new(block, self.threads, self.rules.is_strict))
    }

    /// A block of a nested launch begins, with so many threads, all of which know what the launching thread knew.
    pub(crate) fn begin_nested(&mut self, block: u32, threads: u32, known: Option<&Arc<SparseClock>>) -> CtaSlot {
        let mut block_clock = BlockClock::new(block, threads, self.rules.is_strict);
        if let Some(known) = known {
            block_clock.set_acquired(known);
        }
        self.made += 1;
        self.begin(block_clock)
    }

    fn begin(&mut self, block_clock: BlockClock) -> CtaSlot {
        let cta = Cta { block_clock, shared: SyncTable::default(), is_followed: !self.is_out_of_memory };
        let slot = self.free.pop().unwrap_or_else(|| {
            self.ctas.push(None);
            self.ctas.len() as u32 - 1
        });
        self.ctas[slot as usize] = Some(Box::new(cta));
        CtaSlot(slot)
    }

    pub(crate) fn end_block(&mut self, slot: CtaSlot) {
        if let Some(cta) = self.ctas.get_mut(slot.0 as usize)
            && let Some(cta) = cta.take()
        {
            self.global.end_block(cta.block_clock.block());
            self.free.push(slot.0);
        }
    }

    fn cta(&mut self, slot: CtaSlot) -> Option<&mut Cta> {
        self.ctas.get_mut(slot.0 as usize)?.as_deref_mut().filter(|c| c.is_followed)
    }

    pub(crate) fn block_clock(&self, slot: CtaSlot) -> Option<&BlockClock> {
        let cta = self.ctas.get(slot.0 as usize)?.as_deref()?;
        cta.is_followed.then_some(&cta.block_clock)
    }

    /// Advances the block's clock; `None` if the block is not followed.
    fn step(&mut self, slot: CtaSlot) -> Option<&mut Cta> {
        let is_left = {
            let cta = self.cta(slot)?;
            cta.is_followed = cta.block_clock.step();
            cta.is_followed
        };
        self.is_out_of_time |= !is_left;
        self.cta(slot)
    }

    pub(crate) fn barrier(&mut self, slot: CtaSlot) {
        if let Some(cta) = self.step(slot) {
            cta.block_clock.barrier();
        }
    }

    pub(crate) fn syncwarp(&mut self, slot: CtaSlot, warp: u32, mask: u32) {
        if let Some(cta) = self.step(slot)
            && cta.block_clock.has_warp(warp)
        {
            cta.block_clock.syncwarp(warp, mask);
        }
    }

    pub(crate) fn fence(&mut self, slot: CtaSlot, warp: u32, mask: u32, is_wide: bool) {
        let (rules, is_scopeless) = (self.rules, self.is_scopeless);
        if let Some(cta) = self.step(slot)
            && cta.block_clock.has_warp(warp)
        {
            if rules.is_legacy_warp_sync {
                cta.block_clock.run_in_step(warp);
            }
            cta.block_clock.fence(warp, mask, is_wide || is_scopeless);
        }
    }

    /// All blocks of the launch synchronise.
    pub(crate) fn grid_sync(&mut self) {
        self.global.clear();
        for slot in 0..self.ctas.len() as u32 {
            if let Some(cta) = self.step(CtaSlot(slot)) {
                cta.block_clock.restart();
                cta.shared.clear();
            }
        }
    }

    /// Some blocks of the launch synchronise: a cluster.
    pub(crate) fn cluster_sync(&mut self, slots: &[CtaSlot]) {
        let mut joined: Option<Arc<SparseClock>> = None;
        let mut own = SparseClock::default();
        for &slot in slots {
            let Some(cta) = self.step(slot) else { continue };
            cta.block_clock.barrier();
            own.raise_cta(cta.block_clock.block(), cta.block_clock.time());
            joined = join_options(joined.as_ref(), cta.block_clock.acquired());
        }
        let joined = join_options(joined.as_ref(), Some(&Arc::new(own)));
        for &slot in slots {
            if let (Some(cta), Some(joined)) = (self.cta(slot), &joined) {
                cta.block_clock.set_acquired(joined);
            }
        }
    }

    /// What a lane has done and knows.
    pub(crate) fn known_to(&mut self, slot: CtaSlot, warp: u32, lane: usize) -> Option<Arc<SparseClock>> {
        let rules = self.rules;
        let cta = self.step(slot).filter(|cta| cta.block_clock.has_warp(warp))?;
        if rules.is_legacy_warp_sync {
            cta.block_clock.run_in_step(warp);
        }
        let known = Arc::new(cta.block_clock.known_to(warp, lane));
        self.made += 1;
        Some(known)
    }

    /// What all threads of a block together have done and know.
    pub(crate) fn known_to_all(&mut self, slot: CtaSlot) -> Option<Arc<SparseClock>> {
        let known = Arc::new(self.step(slot)?.block_clock.known_to_all());
        self.made += 1;
        Some(known)
    }

    /// The time up to which all threads of a block are known to all of them; 0 if the block is not followed.
    pub(crate) fn common_time(&self, slot: CtaSlot) -> u32 {
        self.block_clock(slot).map_or(0, BlockClock::common_time)
    }

    /// Lanes of a warp wait for something; each learns what `news` gives it, which is told whether the lane knows a thread of the
    /// block up to a time.
    pub(crate) fn wait(
        &mut self,
        slot: CtaSlot,
        warp: u32,
        mask: u32,
        news: impl Fn(&dyn Fn(u16, u32) -> bool) -> Option<Arc<SparseClock>>,
    ) {
        let rules = self.rules;
        let Some(cta) = self.step(slot).filter(|cta| cta.block_clock.has_warp(warp)) else { return };
        if rules.is_legacy_warp_sync {
            cta.block_clock.run_in_step(warp);
        }
        let clock = &mut cta.block_clock;
        for lane in lanes(mask & clock.lanes_of(warp)) {
            let is_known = |tid, time| clock.is_known(warp, lane, Thread { block: clock.block(), tid }, time);
            if let Some(news) = news(&is_known) {
                clock.learn(warp, lane, &news);
            }
        }
        self.made += 1;
    }

    /// Starts an access: advances the clock and lets strong reads acquire. False if the block is not followed.
    pub(crate) fn before(&mut self, slot: CtaSlot, space: Space, access: &WarpAccess<'_>) -> bool {
        let rules = self.rules;
        if self.step(slot).is_none() {
            return false;
        }
        let (global, is_scopeless) = (&self.global, self.is_scopeless);
        let Some(cta) = self.ctas.get_mut(slot.0 as usize).and_then(Option::as_deref_mut) else { return false };
        if !cta.block_clock.has_warp(access.warp) {
            return false;
        }
        if rules.is_legacy_warp_sync {
            cta.block_clock.run_in_step(access.warp);
        }
        let table = if space == Space::Shared { &cta.shared } else { global };
        if !access.kind.is_acquiring() {
            return true;
        }
        let is_handed_on = access.kind.is_rmw() && access.active.count_ones() > 1 && cta.block_clock.is_fenced();
        if table.is_empty() && !is_handed_on {
            return true;
        }
        // What the next lane of an atomic acquires, by place: it comes after the lanes before it, which are of its block, so that
        // any scope covers them.
        let mut released: BTreeMap<u64, [Option<Arc<SparseClock>>; 2]> = BTreeMap::new();
        for lane in access.in_order() {
            let read = strong(access, lane, space, is_scopeless, cta.block_clock.block());
            let acquired = || table.acquired(&read).map_or([None, None], |(all, local)| [Some(all), local]);
            let mut alone;
            let [all, local] = if is_handed_on {
                released.entry(read.address).or_insert_with(acquired)
            } else {
                alone = acquired();
                &mut alone
            };
            if let Some(all) = all {
                cta.block_clock.acquire(access.warp, lane, all, local.as_ref());
                self.made += 1;
            }
            if is_handed_on
                && access.kind_of(lane).is_write()
                && let Some(own) = cta.block_clock.heads(access.warp, lane).cta
            {
                *all = Some(join_shared(all.as_ref(), &own));
                if rules.is_strict {
                    *local = Some(join_shared(local.as_ref(), &own));
                }
                self.made += 1;
            }
        }
        true
    }

    /// What the block of a weak access that does not advance the clock knows, and whether a store of it may release
    /// something or end a record, so that [`Order::after`] must be told. `None` if the block or the warp is not followed.
    #[inline]
    pub(crate) fn between(&self, slot: CtaSlot, space: Space, warp: u32) -> Option<(&BlockClock, bool)> {
        let cta =
            self.ctas.get(slot.0 as usize)?.as_deref().filter(|c| c.is_followed && c.block_clock.has_warp(warp))?;
        let table = if space == Space::Shared { &cta.shared } else { &self.global };
        Some((&cta.block_clock, cta.block_clock.is_fenced() || !table.is_empty()))
    }

    /// Whether a plain store of the lane would release something if its place is one of strong accesses.
    pub(crate) fn is_fenced(&self, slot: CtaSlot, warp: u32, lane: usize) -> bool {
        self.block_clock(slot).is_some_and(|k| k.is_fenced() && k.has_head(warp, lane))
    }

    /// Ends an access: lets writes release. `is_strong_at` says whether strong accesses touch a place.
    pub(crate) fn after(
        &mut self,
        slot: CtaSlot,
        space: Space,
        access: &WarpAccess<'_>,
        is_strong_at: impl Fn(u64, u32) -> bool,
    ) {
        if !access.kind.is_write() {
            return;
        }
        let is_scopeless = self.is_scopeless;
        let Some(cta) = self.ctas.get_mut(slot.0 as usize).and_then(Option::as_deref_mut) else { return };
        let table = if space == Space::Shared { &mut cta.shared } else { &mut self.global };
        let is_strong = access.kind.is_strong();
        if table.is_empty() && !cta.block_clock.is_fenced() {
            return;
        }
        let mut is_near = is_strong || is_near(table, access);
        for lane in lanes(access.active) {
            if !access.kind_of(lane).is_write() {
                continue;
            }
            let address = access.addresses.address(lane);
            let is_released = cta.block_clock.is_fenced()
                && (is_strong || cta.block_clock.has_head(access.warp, lane) && is_strong_at(address, access.width));
            if is_strong || is_released {
                let write = strong(access, lane, space, is_scopeless, cta.block_clock.block());
                let heads = if is_released { cta.block_clock.heads(access.warp, lane) } else { Heads::default() };
                if heads.cta.is_some() || !table.is_empty() {
                    self.made += 1;
                    table.write(&write, &heads);
                    is_near = true;
                }
            } else if is_near {
                table.overwrite(address, access.width);
            }
        }
    }

    /// Whether the lane knows what `thread` did at `time`.
    pub(crate) fn is_known(&self, slot: CtaSlot, warp: u32, lane: usize, thread: Thread, time: u32) -> bool {
        self.block_clock(slot).is_some_and(|k| k.is_known(warp, lane, thread, time))
    }
}

/// Whether one of the lanes may write to a place that has a sync record.
fn is_near(table: &SyncTable, access: &WarpAccess<'_>) -> bool {
    if table.is_empty() {
        return false;
    }
    if let Some(address) = access.addresses.as_uniform() {
        return table.is_near(address, address.saturating_add(u64::from(access.width)));
    }
    let all = || lanes(access.active).map(|lane| access.addresses.address(lane));
    let (Some(first), Some(last)) = (all().min(), all().max()) else { return false };
    table.is_near(first, last.saturating_add(u64::from(access.width)))
}

fn strong(access: &WarpAccess<'_>, lane: usize, space: Space, is_scopeless: bool, block: u32) -> Strong {
    // Shared memory is out of reach of other blocks, so there any scope covers all who can take part; and a plain store
    // that releases has no scope of its own.
    let is_wide = access.scope.is_wide() || space == Space::Shared || is_scopeless || !access.kind.is_strong();
    Strong {
        address: access.addresses.address(lane),
        width: access.width,
        block,
        is_wide,
        is_rmw: access.kind_of(lane).is_rmw(),
    }
}
