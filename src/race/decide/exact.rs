//! The second pass: decides, byte by byte, which of the suspected bytes are racy, and shows both accesses.
//!
//! The launch runs again from the same state in the same order, and its caller tells the same events, now with the place
//! in the program, the call stack and the values. Accesses that touch no watched byte only move clocks. Each pair is
//! reported once per two places and kind, with a count and the first example. A second order that takes every scope for
//! that of the system runs alongside, so that a race which only a wider scope would have prevented can be named.
//!
//! What the pass says is exact for the run that it saw: a watched byte is racy if and only if two conflicting accesses of
//! it were unordered, by the rules of the crate's head. If more ranges of bytes are suspected than the pass can follow,
//! or a clock runs out, it says so ([`Verdict::undecided`]).

use crate::access::{Scope, Space, Thread, WarpAccess};
use crate::byteset::ByteSet;
use crate::clock::order::{CtaSlot, Order, Rules};
use crate::decide::history::{AccessHistory, AccessInfo, Arrival, HOT_LIMIT, Scratch, Setting};
use crate::decide::pairs::{Pairs, RacePair, Relation};
use crate::decide::span::{SpanId, SpanMap};
use crate::detector::{Incomplete, LIMIT_BYTES, Launch, SuspectSet, Suspicion};
use crate::stamp::MAX_TAG;
use scalar::lanes;

/// The most ranges of bytes that are followed at once; each takes some 200 bytes.
const SPAN_LIMIT: usize = 1 << 23;
/// Racy bytes of global memory from which on less is kept of ranges whose races are all known.
const MANY_BYTES: u64 = 1 << 18;

/// What the caller knows of an instruction that the detector does not.
#[derive(Clone, Copy, Debug)]
pub struct Details<'a> {
    /// The caller's number of the instruction.
    pub site: u32,
    /// The caller's number of the call stack.
    pub stack: u32,
    /// The bits that each lane reads or writes (of an atomic: that it leaves); those of inactive lanes are not looked at.
    pub values: &'a [u64; 32],
}

/// What the second pass says.
#[derive(Clone, Debug, Default)]
pub struct Verdict {
    /// The races, in the order in which the first of each pair was found.
    pub pairs: Vec<RacePair>,
    /// The racy bytes.
    pub bytes: SuspectSet,
    /// What the first pass did not cover.
    pub incomplete: Incomplete,
    /// Why this pass could not decide all suspected accesses.
    pub undecided: Incomplete,
}

/// The second pass; see the module's head.
#[derive(Clone, Debug)]
pub struct Exact {
    order: Order,
    scopeless: Order,
    suspicion: Suspicion,
    global: SpanMap<AccessHistory>,
    /// By slot.
    shared: Vec<SpanMap<AccessHistory>>,
    pairs: Pairs,
    span_limit: usize,
    verdict: Verdict,
    /// How many accesses were checked.
    checked: u64,
    /// The racy bytes of global memory. What the first pass suspects beyond them must not show.
    racy_bytes: u64,
    room: Room,
}

/// Room for what is known of an access while it is checked.
#[derive(Clone, Debug, Default)]
struct Room {
    arrivals: Vec<Arrival>,
    /// The parts of the access that are watched: the arrival, the first byte and the end.
    parts: Vec<(usize, u64, u64)>,
    /// The ranges that they touch, with the arrival.
    touched: Vec<(SpanId, usize)>,
    found: Vec<(Arrival, Arrival, u64, u64)>,
    history: Scratch,
}

impl Exact {
    /// Ready for the launch that `suspicion` is about, by the same rules.
    pub fn new(rules: Rules, launch: Launch, suspicion: Suspicion) -> Self {
        Self {
            order: Order::new(rules, launch.threads_per_block, false),
            scopeless: Order::new(rules, launch.threads_per_block, true),
            verdict: Verdict { incomplete: suspicion.incomplete, ..Verdict::default() },
            suspicion,
            global: SpanMap::default(),
            shared: Vec::new(),
            pairs: Pairs::default(),
            span_limit: SPAN_LIMIT,
            checked: 0,
            racy_bytes: 0,
            room: Room::default(),
        }
    }

    /// The same with another limit of the ranges of global memory, and of each block's shared memory, that are followed.
    #[must_use]
    pub fn with_limit(self, ranges: usize) -> Self {
        Self { span_limit: ranges, ..self }
    }

    /// The order, and the one that takes every scope for that of the system.
    pub(crate) fn orders(&mut self) -> [&mut Order; 2] {
        [&mut self.order, &mut self.scopeless]
    }

    /// What orders threads.
    pub fn rules(&self) -> Rules {
        self.order.rules()
    }

    /// The bytes that are watched: only accesses that touch them need exact [`Details`].
    pub fn watch(&self) -> &SuspectSet {
        &self.suspicion.watch
    }

    /// A block of the launch starts.
    pub fn begin_block(&mut self, block: u64) -> CtaSlot {
        self.begin(block, |[order, scopeless], block| {
            scopeless.begin_block(block);
            order.begin_block(block)
        })
    }

    pub(crate) fn begin(&mut self, block: u64, begin: impl FnOnce([&mut Order; 2], u32) -> CtaSlot) -> CtaSlot {
        if block >= MAX_TAG {
            self.verdict.incomplete.is_out_of_blocks = true;
            return CtaSlot(u32::MAX);
        }
        let slot = begin(self.orders(), block as u32);
        let at = slot.0 as usize;
        if at >= self.shared.len() {
            self.shared.resize_with(at + 1, SpanMap::default);
        }
        self.shared[at].clear();
        slot
    }

    /// All threads of a block have exited.
    pub fn end_block(&mut self, slot: CtaSlot) {
        self.order.end_block(slot);
        self.scopeless.end_block(slot);
    }

    /// A `syncthreads` of the block is complete.
    pub fn on_barrier(&mut self, slot: CtaSlot) {
        self.order.barrier(slot);
        self.scopeless.barrier(slot);
    }

    /// A `syncwarp` is complete; `mask` names the lanes that took part.
    pub fn on_syncwarp(&mut self, slot: CtaSlot, warp: u32, mask: u32) {
        self.order.syncwarp(slot, warp, mask);
        self.scopeless.syncwarp(slot, warp, mask);
    }

    /// Lanes of a warp execute a fence.
    pub fn on_fence(&mut self, slot: CtaSlot, warp: u32, mask: u32, scope: Scope) {
        self.order.fence(slot, warp, mask, scope.is_wide());
        self.scopeless.fence(slot, warp, mask, scope.is_wide());
    }

    /// A synchronisation of the whole grid is complete.
    pub fn on_grid_sync(&mut self) {
        self.order.grid_sync();
        self.scopeless.grid_sync();
        self.global.clear();
    }

    /// A synchronisation of the blocks of a cluster is complete.
    pub fn on_cluster_sync(&mut self, slots: &[CtaSlot]) {
        self.order.cluster_sync(slots);
        self.scopeless.cluster_sync(slots);
    }

    /// A warp accesses memory.
    ///
    /// If nobody executes a fence in the launch ([`Exact::is_order_of_barriers`]), accesses that are not watched change nothing
    /// and need not be told.
    pub fn on_access(&mut self, slot: CtaSlot, space: Space, access: &WarpAccess<'_>, details: &Details<'_>) {
        let is_watched = self.is_watching(space, access);
        if self.is_order_of_barriers() && !is_watched {
            return;
        }
        let is_followed = self.order.before(slot, space, access);
        self.scopeless.before(slot, space, access);
        if !is_followed || access.active == 0 || access.width == 0 {
            return;
        }
        if is_watched {
            self.check(slot, space, access, details);
        }
        let strong = self.suspicion.strong.of(space);
        let is_strong_at = |address: u64, width: u32| is_strong_at(strong, address, width);
        self.order.after(slot, space, access, is_strong_at);
        self.scopeless.after(slot, space, access, is_strong_at);
        self.order.limit(LIMIT_BYTES / 2);
        self.scopeless.limit(LIMIT_BYTES / 2);
    }

    /// Whether nothing but barriers orders the threads of the launch.
    pub fn is_order_of_barriers(&self) -> bool {
        !self.suspicion.has_fences
    }

    /// Whether a lane may touch a watched byte. If not, the access needs no [`Details`].
    pub fn is_watching(&self, space: Space, access: &WarpAccess<'_>) -> bool {
        let watched = self.suspicion.watch.of(space);
        !watched.is_empty() && !is_far(watched, access)
    }

    fn check(&mut self, slot: CtaSlot, space: Space, access: &WarpAccess<'_>, details: &Details<'_>) {
        let watched = self.suspicion.watch.of(space);
        let order = &self.order;
        let Some(block_clock) = order.block_clock(slot) else { return };
        let spans = match space {
            Space::Global => &mut self.global,
            Space::Shared => match self.shared.get_mut(slot.0 as usize) {
                Some(spans) => spans,
                None => return,
            },
        };
        let strong = self.suspicion.strong.of(space);
        self.checked += 1;
        let Room { arrivals, parts, touched, found, history: scratch } = &mut self.room;
        arrivals.clear();
        parts.clear();
        touched.clear();
        found.clear();
        let mut cursor = watched.cursor();
        for lane in access.in_order() {
            let address = access.addresses.address(lane);
            let before = parts.len();
            cursor.for_ranges(address, u64::from(access.width), |start, end| {
                // All ranges are made first, since one lane's access may split what another lane touches.
                let is_whole = spans.cover(start, end, self.span_limit);
                self.verdict.undecided.is_out_of_memory |= !is_whole;
                parts.push((arrivals.len(), start, end));
            });
            if parts.len() == before {
                continue;
            }
            let kind = access.kind_of(lane);
            let tid = (access.warp * 32) as u16 + lane as u16;
            arrivals.push(Arrival {
                info: AccessInfo {
                    thread: Thread { block: block_clock.block(), tid },
                    time: block_clock.time(),
                    kind,
                    address,
                    width: access.width,
                    site: details.site,
                    stack: details.stack,
                    value: details.values[lane],
                },
                lane: lane as u8,
                is_wide: access.scope.is_wide() || space == Space::Shared || !kind.is_strong(),
                is_promoted: !kind.is_strong()
                    && kind.is_write()
                    && order.is_fenced(slot, access.warp, lane)
                    && is_strong_at(strong, address, access.width),
            });
        }
        for &(arrival, start, end) in &*parts {
            spans.for_each(start, end, |id| touched.push((id, arrival)));
        }
        touched.sort_unstable();
        let setting = Setting {
            is_narrow: space == Space::Global && self.suspicion.is_narrow,
            hot_limit: if self.racy_bytes < MANY_BYTES { HOT_LIMIT } else { 1 },
        };
        let widest = match space {
            Space::Global => Relation::AcrossBlocks,
            Space::Shared => Relation::WithinBlock,
        };
        for same in touched.chunk_by(|a, b| a.0 == b.0) {
            let (start, end, history) = spans.get_mut(same[0].0);
            let was_racy = history.is_racy();
            let (pairs, serial) = (&mut self.pairs, self.checked);
            let before = found.len();
            let mut arrive = |history: &mut AccessHistory, some: &[(SpanId, usize)]| {
                history.arrive(
                    some.iter().map(|(_, arrival)| &arrivals[*arrival]),
                    setting,
                    scratch,
                    |lane, thread, time| block_clock.is_known(access.warp, lane, thread, time),
                    |old, new| {
                        let known = pairs.count_more(space, old, new, serial);
                        if known.is_none() {
                            found.push((*old, *new, start, end));
                        }
                        known == Some(widest)
                    },
                );
                found.len()
            };
            // Where the first lanes and the last say nothing new, lanes that do the same do not either.
            if let [first, second, rest @ .., last] = same
                && !rest.is_empty()
                && history.is_hot()
                && !access.kind.is_strong()
                && !block_clock.knows_more(access.warp)
                && are_alike(arrivals, same)
            {
                if arrive(history, &[*first, *second, *last]) == before {
                    let others = rest.iter().fold(0, |all, (_, arrival)| all | 1 << arrivals[*arrival].lane);
                    pairs.count_alike(arrivals[second.1].lane, others, serial);
                } else {
                    arrive(history, rest);
                }
            } else if access.kind.is_rmw() {
                // Each lane finds what those before it have left.
                same.iter().for_each(|one| {
                    arrive(history, std::slice::from_ref(one));
                });
            } else {
                arrive(history, same);
            }
            if !was_racy && history.is_racy() {
                self.verdict.bytes.add(space, start, end - start);
                self.racy_bytes += if space == Space::Global { end - start } else { 0 };
            }
        }
        // A pair that races in several ranges is one race.
        found.sort_by_key(|(old, new, start, _)| (new.lane, old.info.thread, old.info.time, *start));
        let is_same = |a: &(Arrival, Arrival, u64, u64), b: &(Arrival, Arrival, u64, u64)| {
            (a.1.lane, a.0.info.thread, a.0.info.time) == (b.1.lane, b.0.info.thread, b.0.info.time)
        };
        for same in found.chunk_by(is_same) {
            let ((old, new, start, _), (.., end)) = (&same[0], &same[same.len() - 1]);
            // Whether wider scopes would have prevented the race.
            let wide = |a: &Arrival| Arrival { is_wide: true, ..*a };
            let lane = usize::from(new.lane);
            let is_scope = !wide(old).is_conflicting(&wide(new))
                || self.scopeless.is_known(slot, access.warp, lane, old.info.thread, old.info.time);
            self.pairs.note(space, old, new, (*start, (end - start) as u32), is_scope, self.checked);
        }
    }

    /// The races found so far, in the order in which the first of each pair was found.
    pub fn pairs(&self) -> &[RacePair] {
        &self.pairs.list
    }

    /// Ends the launch.
    pub fn end_launch(&mut self) -> Verdict {
        self.verdict.undecided.is_out_of_time = self.order.is_out_of_time;
        self.verdict.undecided.is_out_of_memory |= self.order.is_out_of_memory || self.scopeless.is_out_of_memory;
        self.verdict.pairs = std::mem::take(&mut self.pairs).list;
        std::mem::take(&mut self.verdict)
    }
}

/// Whether all lanes access the same place in the same way.
fn are_alike(arrivals: &[Arrival], same: &[(SpanId, usize)]) -> bool {
    let what = |(_, arrival): &(SpanId, usize)| {
        let Arrival { info, is_promoted, .. } = &arrivals[*arrival];
        (info.address, info.value, *is_promoted)
    };
    same.windows(2).all(|pair| what(&pair[0]) == what(&pair[1]))
}

/// Whether a quick look shows that no lane touches a watched byte.
fn is_far(watched: &ByteSet, access: &WarpAccess<'_>) -> bool {
    let all = || lanes(access.active).map(|lane| access.addresses.address(lane));
    let (Some(first), Some(last)) = (all().min(), all().max()) else { return true };
    let len = (last - first).saturating_add(u64::from(access.width));
    len <= 4096 && !watched.is_touching(first, len)
}

/// Whether one of the bytes is among the places of strong accesses, which are known to 4 bytes exactly.
fn is_strong_at(strong: &ByteSet, address: u64, width: u32) -> bool {
    strong.is_touching(address, u64::from(width))
}

impl SuspectSet {
    fn add(&mut self, space: Space, start: u64, len: u64) {
        match space {
            Space::Global => self.global.insert(start, len),
            Space::Shared => self.shared.insert(start, len),
        };
    }
}
