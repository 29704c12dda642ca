//! The vector clocks of the threads of one resident block.
//!
//! A block has one clock, which its synchronisation instructions and strong accesses advance, and in the second pass weak
//! ones too; lanes of one instruction share a time and are concurrent. A thread's vector clock is never stored whole. It is the greatest of
//! * `bar`: all threads of the block up to the last `syncthreads`;
//! * `wsync`: all lanes of the warp up to the last `syncwarp` of the full warp;
//! * `rows`: a 32×32 matrix, made only when a `syncwarp` names a part of the warp: row *c* is what lane *c* knows;
//! * `acq`: a sparse clock ([`SparseClock`]) of what was acquired through strong accesses, none until the first acquisition.
//!
//! A *head* is what a fence has made ready for release: the clock at the fence. It is kept as a small mark and turned into
//! a sparse clock only when a strong write releases it. A `threadfence_block` readies for the block only, so a thread has
//! two heads. Unless strict, a barrier hands the heads of its participants to all of them: programs fence in every thread,
//! meet at `syncthreads` and let one thread raise the flag, which the hardware orders although the letter of PTX wants the
//! fence in the raising thread.
//!
//! A thread that has exited counts as arrived at each later barrier, as `exit` does in PTX.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::access::{LANES, Thread};
use crate::clock::sparse::{SparseClock, join_options, join_shared};
use crate::stamp::{MAX_TIME, Stamp, Who};
use scalar::lanes;

/// Index of the head and of the pending acquisition that reach the own block only.
const CTA: usize = 0;
/// Index of the head and of the pending acquisition that reach the whole launch.
const WIDE: usize = 1;

/// The thread's clock at a fence.
#[derive(Clone, Debug)]
struct Mark {
    time: u32,
    bar: u32,
    wsync: u32,
    row: Option<Box<[u32; LANES]>>,
    acq: Option<Arc<SparseClock>>,
}

/// What a strong write of the thread releases.
#[derive(Clone, Debug, Default)]
enum Head {
    /// What the block's joined head releases, if there is one.
    #[default]
    Block,
    /// What the thread knew at its last fence.
    Fence(Mark),
    /// A head that was made into a clock, or that a barrier handed on.
    Clock(Arc<SparseClock>),
}

/// What differs between the lanes of a warp.
#[derive(Clone, Debug, Default)]
struct Lane {
    /// Acquired clock; the block's if none.
    acq: Option<Arc<SparseClock>>,
    /// What was acquired last: a poll mostly finds the same again.
    last: Option<Arc<SparseClock>>,
    heads: [Head; 2],
    /// Strict mode: what a fence of either reach will acquire.
    pending: [Option<Arc<SparseClock>>; 2],
}

#[derive(Clone, Debug, Default)]
struct Warp {
    wsync: u32,
    rows: Option<Box<[[u32; LANES]; LANES]>>,
    lanes: Option<Box<[Lane; LANES]>>,
}

/// What a strong write of a thread releases, to the launch and to the own block; the second covers the first.
#[derive(Clone, Debug, Default)]
pub(crate) struct Heads {
    pub(crate) wide: Option<Arc<SparseClock>>,
    pub(crate) cta: Option<Arc<SparseClock>>,
}

/// The vector clocks of one block; see the module's head.
#[derive(Clone, Debug)]
pub struct BlockClock {
    block: u32,
    threads: u32,
    time: u32,
    bar: u32,
    acq: Option<Arc<SparseClock>>,
    heads: [Option<Arc<SparseClock>>; 2],
    is_fenced: bool,
    is_strict: bool,
    warps: Vec<Warp>,
}

impl BlockClock {
    /// A block that starts, with `threads` threads (1 to 1024).
    pub fn new(block: u32, threads: u32, is_strict: bool) -> Self {
        let threads = threads.clamp(1, 1024);
        Self {
            block,
            threads,
            time: 0,
            bar: 0,
            acq: None,
            heads: [None, None],
            is_fenced: false,
            is_strict,
            warps: vec![Warp::default(); threads.div_ceil(LANES as u32) as usize],
        }
    }

    /// The clocks of the same block as if it began.
    pub(crate) fn emptied(&self) -> Self {
        Self::new(self.block, self.threads, self.is_strict)
    }

    /// The block's linear number.
    pub fn block(&self) -> u32 {
        self.block
    }

    /// The time of the latest instruction.
    pub fn time(&self) -> u32 {
        self.time
    }

    /// The time up to which all threads of the block are known to all of them.
    pub(crate) fn common_time(&self) -> u32 {
        if self.threads == 1 { self.time } else { self.bar }
    }

    /// Whether the block has a warp of this number.
    pub fn has_warp(&self, warp: u32) -> bool {
        (warp as usize) < self.warps.len()
    }

    /// Whether a fence was executed since the last grid synchronisation.
    pub(crate) fn is_fenced(&self) -> bool {
        self.is_fenced
    }

    /// The lanes of a warp that are threads of the block.
    pub fn lanes_of(&self, warp: u32) -> u32 {
        let count = self.threads.saturating_sub(warp * LANES as u32).min(LANES as u32);
        if count == 32 { u32::MAX } else { (1 << count) - 1 }
    }

    /// Advances the clock by one instruction; false if it has run out.
    pub(crate) fn step(&mut self) -> bool {
        // Weak accesses are one ahead.
        let is_left = self.time + 1 < MAX_TIME;
        self.time += u32::from(is_left);
        is_left
    }

    /// The acquired clock of a lane.
    fn acq<'a>(&'a self, warp: &'a Warp, lane: usize) -> Option<&'a Arc<SparseClock>> {
        warp.lanes.as_ref().and_then(|l| l[lane].acq.as_ref()).or(self.acq.as_ref())
    }

    /// `syncthreads` at the current time, complete: everything in the block so far is known to all of it.
    pub(crate) fn barrier(&mut self) {
        let mut acq = self.acq.take();
        for lane in self.warps.iter().filter_map(|w| w.lanes.as_ref()).flat_map(|l| l.iter()) {
            acq = join_options(acq.as_ref(), lane.acq.as_ref());
        }
        // What was acquired of the own block is older than the barrier and hence no news.
        if let Some(acquired) = &mut acq
            && acquired.has(self.block)
        {
            Arc::make_mut(acquired).forget(self.block);
        }
        self.acq = acq.filter(|acquired| !acquired.is_empty());
        if !self.is_strict && self.is_fenced {
            self.join_heads();
        }
        self.bar = self.time;
        for warp in &mut self.warps {
            warp.wsync = self.time;
            warp.rows = None;
            if !self.is_strict {
                warp.lanes = None;
            } else if let Some(lanes) = &mut warp.lanes {
                for lane in lanes.iter_mut() {
                    lane.acq = None;
                }
            }
        }
    }

    /// Makes the heads of all threads the block's.
    fn join_heads(&mut self) {
        let mut all = self.warps.iter().filter_map(|w| w.lanes.as_ref()).flat_map(|l| l.iter());
        if all.all(|lane| matches!(lane.heads[CTA], Head::Block)) {
            return;
        }
        let mut joined = [CTA, WIDE].map(|reach| {
            let mut acquired = self.heads[reach].as_deref().cloned().unwrap_or_default();
            for (w, warp) in self.warps.iter().enumerate() {
                let Some(all) = warp.lanes.as_ref() else { continue };
                let exist = self.lanes_of(w as u32);
                // A fence of the whole warp readies all of the warp up to its time: one entry instead of 32.
                let common = lanes(exist).try_fold(None, |common, lane| match &all[lane].heads[reach] {
                    Head::Fence(mark) if common.is_none_or(|t| t == mark.time) => Some(Some(mark.time)),
                    _ => None,
                });
                if let Some(Some(time)) = common {
                    acquired.raise_warp(self.block, w as u8, time);
                    let mut last: Option<&Arc<SparseClock>> = None;
                    for lane in lanes(exist) {
                        let Head::Fence(mark) = &all[lane].heads[reach] else { continue };
                        acquired.raise_cta(self.block, mark.bar);
                        if let Some(acq) = &mark.acq
                            && !last.is_some_and(|l| Arc::ptr_eq(l, acq))
                        {
                            acquired.join(acq);
                            last = Some(acq);
                        }
                    }
                    continue;
                }
                for lane in lanes(exist) {
                    match &all[lane].heads[reach] {
                        Head::Block => {}
                        Head::Fence(mark) => acquired.join(&self.clock_at(mark, w as u32, lane)),
                        Head::Clock(clock) => acquired.join(clock),
                    }
                }
            }
            (!acquired.is_empty()).then(|| Arc::new(acquired))
        });
        if joined[CTA] == joined[WIDE] {
            joined[WIDE] = joined[CTA].as_ref().map(Arc::clone);
        }
        self.heads = joined;
    }

    /// `syncwarp` of the lanes in `mask` at the current time.
    pub(crate) fn syncwarp(&mut self, warp: u32, mask: u32) {
        self.join_lanes(warp, mask, self.time);
    }

    /// The old promise that lanes of a warp run in step: all of them know the warp up to the previous instruction.
    pub(crate) fn run_in_step(&mut self, warp: u32) {
        self.join_lanes(warp, u32::MAX, self.time - 1);
    }

    /// Makes the lanes of `mask` know each other up to `time`, and what each of them knows.
    fn join_lanes(&mut self, warp: u32, mask: u32, time: u32) {
        let exist = self.lanes_of(warp);
        let mask = mask & exist;
        let block_acq = self.acq.clone();
        let block_heads = self.heads.clone();
        let is_strict = self.is_strict;
        let bar = self.bar;
        // Heads become clocks before they are joined, because a mark only means something with its lane.
        if !is_strict && self.is_fenced && self.warps[warp as usize].lanes.is_some() {
            for lane in lanes(mask) {
                self.heads(warp, lane);
            }
        }
        let state = &mut self.warps[warp as usize];
        if mask == exist {
            state.wsync = state.wsync.max(time);
            state.rows = None;
        } else if mask != 0 {
            let wsync = state.wsync.max(bar);
            let rows = state.rows.get_or_insert_with(|| Box::new([[wsync; LANES]; LANES]));
            let mut joined = [0; LANES];
            for lane in lanes(mask) {
                for (to, from) in joined.iter_mut().zip(&rows[lane]) {
                    *to = (*to).max(*from);
                }
            }
            for lane in lanes(mask) {
                joined[lane] = joined[lane].max(time);
            }
            for lane in lanes(mask) {
                rows[lane] = joined;
            }
        }
        let Some(all) = state.lanes.as_deref_mut() else { return };
        if lanes(mask).any(|lane| all[lane].acq.is_some()) {
            let mut acq = block_acq;
            for lane in lanes(mask) {
                acq = join_options(acq.as_ref(), all[lane].acq.as_ref());
            }
            for lane in lanes(mask) {
                all[lane].acq.clone_from(&acq);
            }
        }
        if is_strict {
            return;
        }
        for reach in [CTA, WIDE] {
            if lanes(mask).all(|lane| matches!(all[lane].heads[reach], Head::Block)) {
                continue;
            }
            let mut head = block_heads[reach].clone();
            for lane in lanes(mask) {
                if let Head::Clock(clock) = &all[lane].heads[reach] {
                    head = Some(join_shared(head.as_ref(), clock));
                }
            }
            for lane in lanes(mask) {
                all[lane].heads[reach] = head.clone().map_or(Head::Block, Head::Clock);
            }
        }
    }

    /// A fence of the lanes in `mask` at the current time.
    pub(crate) fn fence(&mut self, warp: u32, mask: u32, is_wide: bool) {
        self.is_fenced = true;
        let block_acq = self.acq.clone();
        let bar = self.bar;
        let time = self.time;
        let mask = mask & self.lanes_of(warp);
        let is_strict = self.is_strict;
        let state = &mut self.warps[warp as usize];
        let all = state.lanes.get_or_insert_default();
        for lane in lanes(mask) {
            let here = &mut all[lane];
            if is_strict {
                let pending = here.pending[if is_wide { WIDE } else { CTA }].take();
                if let Some(pending) = pending {
                    here.acq = Some(join_shared(here.acq.as_ref().or(block_acq.as_ref()), &pending));
                }
                here.pending[CTA] = None;
            }
            let acq = here.acq.as_ref().or(block_acq.as_ref()).cloned();
            let row = state.rows.as_ref().map(|rows| Box::new(rows[lane]));
            let mark = Mark { time, bar, wsync: state.wsync, row, acq };
            if is_wide {
                here.heads[WIDE] = Head::Fence(mark.clone());
            }
            here.heads[CTA] = Head::Fence(mark);
        }
    }

    /// The whole clock that a mark stands for.
    fn clock_at(&self, mark: &Mark, warp: u32, lane: usize) -> SparseClock {
        let mut acquired = mark.acq.as_deref().cloned().unwrap_or_default();
        acquired.raise_cta(self.block, mark.bar);
        acquired.raise_warp(self.block, warp as u8, mark.wsync);
        let first = warp as u16 * LANES as u16;
        for (other, &time) in mark.row.iter().flat_map(|row| row.iter()).enumerate() {
            acquired.raise_thread(self.block, first + other as u16, time);
        }
        acquired.raise_thread(self.block, first + lane as u16, mark.time);
        acquired
    }

    /// All that a lane has done and knows at the current time.
    pub(crate) fn known_to(&self, warp: u32, lane: usize) -> SparseClock {
        let state = &self.warps[warp as usize];
        let mark = Mark {
            time: self.time,
            bar: self.bar,
            wsync: state.wsync,
            row: state.rows.as_ref().map(|rows| Box::new(rows[lane])),
            acq: self.acq(state, lane).cloned(),
        };
        self.clock_at(&mark, warp, lane)
    }

    /// All that the threads of the block together have done and know at the current time.
    pub(crate) fn known_to_all(&self) -> SparseClock {
        let mut known = self.acq.as_deref().cloned().unwrap_or_default();
        let of_lanes = self.warps.iter().filter_map(|w| w.lanes.as_ref()).flat_map(|l| l.iter());
        of_lanes.filter_map(|lane| lane.acq.as_deref()).for_each(|acquired| known.join(acquired));
        known.raise_cta(self.block, self.time);
        known
    }

    /// The lane learns something at once, whatever the rules of fences.
    pub(crate) fn learn(&mut self, warp: u32, lane: usize, news: &Arc<SparseClock>) {
        let state = &self.warps[warp as usize];
        let known = join_shared(self.acq(state, lane), news);
        self.warps[warp as usize].lanes.get_or_insert_default()[lane].acq = Some(known);
    }

    /// What a strong write of the lane releases.
    pub(crate) fn heads(&mut self, warp: u32, lane: usize) -> Heads {
        let block = Heads { wide: self.heads[WIDE].clone(), cta: self.heads[CTA].clone() };
        let Some(all) = self.warps[warp as usize].lanes.as_deref() else { return block };
        let heads = &all[lane].heads;
        let clocks = match heads {
            [Head::Fence(cta), Head::Fence(wide)] if cta.time == wide.time => {
                let acquired = Arc::new(self.clock_at(cta, warp, lane));
                [Some(Arc::clone(&acquired)), Some(acquired)]
            }
            _ => [CTA, WIDE].map(|reach| match &heads[reach] {
                Head::Block => None,
                Head::Fence(mark) => Some(Arc::new(self.clock_at(mark, warp, lane))),
                Head::Clock(acquired) => Some(Arc::clone(acquired)),
            }),
        };
        let Some(all) = self.warps[warp as usize].lanes.as_deref_mut() else { return block };
        for (head, clock) in all[lane].heads.iter_mut().zip(&clocks) {
            *head = clock.clone().map_or(Head::Block, Head::Clock);
        }
        let [cta, wide] = clocks;
        Heads { wide: wide.or(block.wide), cta: cta.or(block.cta) }
    }

    /// Whether a strong write of the lane would release anything.
    pub(crate) fn has_head(&self, warp: u32, lane: usize) -> bool {
        self.heads[CTA].is_some()
            || self.warps[warp as usize].lanes.as_ref().is_some_and(|l| !matches!(l[lane].heads[CTA], Head::Block))
    }

    /// The lane acquires `know`: at once, or, if strict, at its next fence; `cta` is what a fence for the block acquires.
    pub(crate) fn acquire(
        &mut self,
        warp: u32,
        lane: usize,
        acquired: &Arc<SparseClock>,
        cta: Option<&Arc<SparseClock>>,
    ) {
        let block_acq = self.acq.clone();
        let state = &mut self.warps[warp as usize];
        if self.is_strict {
            let here = &mut state.lanes.get_or_insert_default()[lane];
            here.pending[WIDE] = Some(join_shared(here.pending[WIDE].as_ref(), acquired));
            here.pending[CTA] = join_options(here.pending[CTA].as_ref(), cta);
            return;
        }
        let here = &mut state.lanes.get_or_insert_default()[lane];
        if here.last.as_ref().is_some_and(|last| Arc::ptr_eq(last, acquired)) {
            return;
        }
        let old = here.acq.as_ref().or(block_acq.as_ref());
        let new = join_shared(old, acquired);
        if !old.is_some_and(|old| Arc::ptr_eq(old, &new)) {
            here.acq = Some(new);
        }
        here.last = Some(Arc::clone(acquired));
    }

    /// The grid has synchronised: all that came before is known to all, and old heads and clocks are no news.
    pub(crate) fn restart(&mut self) {
        self.bar = self.time;
        self.acq = None;
        self.heads = [None, None];
        self.is_fenced = false;
        for warp in &mut self.warps {
            *warp = Warp { wsync: self.time, ..Warp::default() };
        }
    }

    /// The bytes that the clocks take, but for parts that are among those seen before.
    pub(crate) fn bytes(&self, seen: &mut BTreeSet<usize>) -> u64 {
        let lanes = || self.warps.iter().filter_map(|w| w.lanes.as_deref()).flatten();
        let of_head = |head: &Head| match head {
            Head::Block => None,
            Head::Fence(mark) => mark.acq.clone(),
            Head::Clock(clock) => Some(Arc::clone(clock)),
        };
        let of_lane = |lane: &Lane| {
            let own = [&lane.acq, &lane.last].into_iter().chain(&lane.pending).flatten().cloned();
            own.chain(lane.heads.iter().filter_map(of_head)).collect::<Vec<_>>()
        };
        let own = self.heads.iter().flatten().chain(&self.acq).cloned();
        let clocks: u64 = own.chain(lanes().flat_map(of_lane)).map(|clock| clock.bytes(seen)).sum();
        let warps = self.warps.len() * size_of::<Warp>() + lanes().count() * size_of::<Lane>();
        clocks + (size_of::<Self>() + warps) as u64
    }

    /// The block's acquired clock, after a barrier.
    pub(crate) fn acquired(&self) -> Option<&Arc<SparseClock>> {
        self.acq.as_ref()
    }

    /// Replaces the block's acquired clock, after a barrier.
    pub(crate) fn set_acquired(&mut self, acquired: &Arc<SparseClock>) {
        self.acq = Some(Arc::clone(acquired));
    }

    /// Whether the lane knows the access of `thread` at `time`, its own included.
    pub fn is_known(&self, warp: u32, lane: usize, thread: Thread, time: u32) -> bool {
        if thread.block == self.block {
            if time <= self.bar {
                return true;
            }
            if thread.warp() == warp {
                let state = &self.warps[warp as usize];
                let other = usize::from(thread.tid) % LANES;
                if other == lane || time <= state.wsync || state.rows.as_ref().is_some_and(|r| r[lane][other] >= time) {
                    return true;
                }
            }
        }
        self.acq(&self.warps[warp as usize], lane)
            .is_some_and(|acquired| acquired.thread(thread.block, thread.tid) >= time)
    }

    /// What a check of a weak access of `warp` needs, if those do not advance the clock: their time is that of the
    /// synchronisation to come, so that all between two of them share one.
    #[inline]
    pub(crate) fn view_between(&self, warp: u32, tag: u64) -> View<'_> {
        View { time: self.time + 1, ..self.view(warp, tag) }
    }

    /// Whether barriers of the block and of the whole warp are not all that the lanes of a warp know of others.
    pub(crate) fn knows_more(&self, warp: u32) -> bool {
        let state = &self.warps[warp as usize];
        self.acq.is_some() || state.lanes.is_some() || state.rows.is_some()
    }

    /// What a check of an access of `warp` needs; `tag` is the tag of the block's own stamps.
    pub(crate) fn view(&self, warp: u32, tag: u64) -> View<'_> {
        let state = &self.warps[warp as usize];
        View {
            block_clock: self,
            warp,
            tag,
            bar: self.bar,
            time: self.time,
            wsync: state.wsync,
            knows_more: self.knows_more(warp),
        }
    }
}

/// The vector clocks of one warp at one instruction, prepared for many comparisons with stamps.
#[derive(Clone, Copy)]
pub(crate) struct View<'a> {
    block_clock: &'a BlockClock,
    pub(crate) warp: u32,
    pub(crate) tag: u64,
    pub(crate) bar: u32,
    pub(crate) time: u32,
    pub(crate) wsync: u32,
    /// Whether barriers of the block and of the whole warp are not all that the lanes know of others.
    pub(crate) knows_more: bool,
}

impl View<'_> {
    /// The owner part of the stamp of a lane.
    pub(crate) fn owner(&self, lane: usize) -> u64 {
        Stamp::owner(self.tag, self.warp * LANES as u32 + lane as u32)
    }

    /// Whether everything that the stamp stands for is known to the lane; the stamp must not be void.
    #[inline]
    pub(crate) fn is_known(&self, stamp: Stamp, lane: usize) -> bool {
        stamp.is_within(self.tag, self.bar)
            || stamp.is_of(self.owner(lane))
            || if self.knows_more { self.is_known_otherwise(stamp, lane) } else { self.is_known_to_warp(stamp) }
    }

    /// Whether everything that the stamp stands for is known to all lanes through a barrier of the block or the warp.
    pub(crate) fn is_known_to_warp(&self, stamp: Stamp) -> bool {
        stamp.is_within(self.tag, self.bar)
            || stamp.is_within(self.tag, self.wsync)
                && match stamp.who() {
                    Who::Thread(tid) => u32::from(tid) / LANES as u32 == self.warp,
                    Who::Warp(warp) => u32::from(warp) == self.warp,
                    Who::Cta | Who::ManyCtas => false,
                }
    }

    #[inline(never)]
    fn is_known_otherwise(&self, stamp: Stamp, lane: usize) -> bool {
        let k = self.block_clock;
        let state = &k.warps[self.warp as usize];
        let time = stamp.time();
        let is_own = stamp.tag() == self.tag;
        // A tag of shared memory is a generation, and only the own one is ever asked about.
        let block = if is_own { k.block } else { (stamp.tag() - 1) as u32 };
        match stamp.who() {
            Who::ManyCtas => false,
            Who::Thread(tid) => k.is_known(self.warp, lane, Thread { block, tid }, time),
            Who::Warp(warp) => {
                is_own
                    && u32::from(warp) == self.warp
                    && (time <= state.wsync
                        || state.rows.as_ref().is_some_and(|rows| {
                            rows[lane].iter().enumerate().all(|(other, &t)| other == lane || t >= time)
                        }))
                    || k.acq(state, lane).is_some_and(|acquired| acquired.warp(block, warp) >= time)
            }
            Who::Cta => k.acq(state, lane).is_some_and(|acquired| acquired.cta(block) >= time),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn thread(tid: u16) -> Thread {
        Thread { block: 3, tid }
    }

    #[test]
    fn partial_syncwarp_orders_its_lanes_and_what_they_knew() {
        let mut k = BlockClock::new(3, 64, false);
        k.step();
        k.step();
        k.syncwarp(0, 0b011);
        k.step();
        k.step();
        k.syncwarp(0, 0b110);
        assert!(k.is_known(0, 2, thread(0), 2) && !k.is_known(0, 2, thread(0), 3));
        assert!(k.is_known(0, 2, thread(1), 4) && !k.is_known(0, 0, thread(1), 3));
        assert!(!k.is_known(1, 0, thread(0), 1) && k.is_known(1, 0, thread(32), 9));
        let v = k.view(0, 4);
        assert!(v.is_known(Stamp::thread(4, 0, 2), 2) && !v.is_known(Stamp::warp(4, 0, 2), 2));
        k.barrier();
        assert!(k.is_known(1, 0, thread(0), 4));
    }

    #[test]
    fn fence_keeps_what_was_known_at_its_time_and_no_more() {
        let mut k = BlockClock::new(3, 40, false);
        k.step();
        k.barrier();
        k.step();
        k.fence(0, 1, false);
        k.step();
        k.barrier();
        let heads = k.heads(1, 0);
        let acquired = heads.cta.expect("a barrier hands on heads");
        assert!(heads.wide.is_none());
        assert_eq!((acquired.thread(3, 0), acquired.thread(3, 1), acquired.cta(3)), (2, 1, 1));
        assert!(k.has_head(1, 5));
        k.restart();
        assert!(!k.has_head(0, 0) && k.heads(0, 0).cta.is_none());
    }

    #[test]
    fn clock_stops_at_its_limit() {
        let mut k = BlockClock::new(0, 32, false);
        k.time = MAX_TIME - 2;
        assert!(k.step() && !k.step());
        assert_eq!(k.time(), MAX_TIME - 1);
    }
}
