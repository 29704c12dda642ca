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

use std::collections::BTreeMap;

use crate::access::{Scope, Space, Thread, WarpAccess};
use crate::byteset::ByteSet;
use crate::clock::order::{CtaSlot, Order, Rules};
use crate::decide::history::{AccessHistory, AccessInfo, Arrival};
use crate::decide::span::SpanMap;
use crate::detector::{Incomplete, Launch, SuspectSet, Suspicion};
use crate::stamp::MAX_TAG;
use scalar::lanes;

/// The most ranges of bytes that are followed at once; each takes some 400 bytes.
const SPAN_LIMIT: usize = 1 << 22;

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

/// What two racing accesses do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RaceKind {
    /// Both write.
    WriteWrite,
    /// One reads, one writes.
    ReadWrite,
}

/// How far apart two racing threads are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Relation {
    /// Lanes of one warp.
    WithinWarp,
    /// Warps of one block.
    WithinBlock,
    /// Blocks of one launch.
    AcrossBlocks,
}

impl Relation {
    fn of(a: Thread, b: Thread) -> Self {
        if a.block != b.block {
            Self::AcrossBlocks
        } else if a.warp() != b.warp() {
            Self::WithinBlock
        } else {
            Self::WithinWarp
        }
    }
}

/// Races between the same two places in the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RacePair {
    /// The memory.
    pub space: Space,
    /// What the two do.
    pub kind: RaceKind,
    /// The earlier access of the first race found between threads as far apart as any found.
    pub first: AccessInfo,
    /// The later access of that race.
    pub second: AccessInfo,
    /// First byte and number of bytes that the two accesses have in common.
    pub bytes: (u64, u32),
    /// Later accesses that race with at least one earlier access.
    pub count: u64,
    /// Pairs found within a warp, within a block and across blocks; more may exist where one place has very many.
    pub counts: [u64; 3],
    /// All races found are two writes of the same place, width and value.
    pub is_same_value: bool,
    /// In all races found one access is atomic or volatile and the other plain.
    pub is_mixed: bool,
    /// In some race of an atomic or volatile access and a plain one, the plain one is a write that releases nothing.
    pub is_plain_write: bool,
    /// In all races found the accesses would be ordered, or exempt, if scopes were wider.
    pub is_insufficient_scope: bool,
}

impl RacePair {
    /// How far apart the two threads are.
    pub fn relation(&self) -> Relation {
        Relation::of(self.first.thread, self.second.thread)
    }
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
    index: BTreeMap<(u32, u32, RaceKind, Space), Known>,
    span_limit: usize,
    verdict: Verdict,
}

/// A pair that was found before.
#[derive(Clone, Copy, Debug)]
struct Known {
    /// Its index in the verdict.
    at: usize,
    /// The thread and the time of the later access that was counted last.
    counted: Option<(Thread, u32)>,
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
            index: BTreeMap::new(),
            span_limit: SPAN_LIMIT,
        }
    }

    /// The same with another limit of the ranges of global memory, and of each block's shared memory, that are followed.
    #[must_use]
    pub fn with_limit(self, ranges: usize) -> Self {
        Self { span_limit: ranges, ..self }
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
        if block >= MAX_TAG {
            self.verdict.incomplete.is_out_of_blocks = true;
            return CtaSlot(u32::MAX);
        }
        let slot = self.order.begin_block(block as u32);
        self.scopeless.begin_block(block as u32);
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
    pub fn on_access(&mut self, slot: CtaSlot, space: Space, access: &WarpAccess<'_>, details: &Details<'_>) {
        let is_followed = self.order.before(slot, space, access);
        self.scopeless.before(slot, space, access);
        if !is_followed || access.active == 0 || access.width == 0 {
            return;
        }
        self.check(slot, space, access, details);
        let strong = self.suspicion.strong.of(space);
        let is_strong_at = |address: u64, width: u32| is_strong_at(strong, address, width);
        self.order.after(slot, space, access, is_strong_at);
        self.scopeless.after(slot, space, access, is_strong_at);
    }

    fn check(&mut self, slot: CtaSlot, space: Space, access: &WarpAccess<'_>, details: &Details<'_>) {
        let watched = self.suspicion.watch.of(space);
        if watched.is_empty() {
            return;
        }
        let Some(block_clock) = self.order.block_clock(slot) else { return };
        let spans = match space {
            Space::Global => &mut self.global,
            Space::Shared => match self.shared.get_mut(slot.0 as usize) {
                Some(spans) => spans,
                None => return,
            },
        };
        let is_narrow = space == Space::Global && self.suspicion.is_narrow;
        let strong = self.suspicion.strong.of(space);
        if is_far(watched, access) {
            return;
        }
        // All ranges are made first, since one lane's access may split what another lane touches.
        let mut touched: BTreeMap<u64, Vec<Arrival>> = BTreeMap::new();
        let mut starts = Vec::new();
        let mut watched_parts = Vec::new();
        for lane in lanes(access.active) {
            let address = access.addresses.address(lane);
            let width = u64::from(access.width);
            if watched.is_touching(address, width) {
                for (start, len) in watched.ranges_within(address, width) {
                    let is_whole = spans.cover(start, start + len, self.span_limit, &mut starts);
                    self.verdict.undecided.is_out_of_memory |= !is_whole;
                    watched_parts.push((lane, start, start + len));
                }
            }
        }
        for (lane, start, end) in watched_parts {
            let kind = access.kind_of(lane);
            let address = access.addresses.address(lane);
            let tid = (access.warp * 32) as u16 + lane as u16;
            let arrival = Arrival {
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
                lane,
                is_wide: access.scope.is_wide() || space == Space::Shared || !kind.is_strong(),
                is_promoted: !kind.is_strong()
                    && kind.is_write()
                    && self.order.is_fenced(slot, access.warp, lane)
                    && is_strong_at(strong, address, access.width),
            };
            starts.clear();
            spans.cover(start, end, self.span_limit, &mut starts);
            for &start in &starts {
                touched.entry(start).or_default().push(arrival);
            }
        }
        let order = &self.order;
        let mut found: Vec<(Arrival, Arrival, u64, u64)> = Vec::new();
        for (start, arrivals) in touched {
            let Some((end, history)) = spans.get_mut(start) else { continue };
            history.arrive(
                &arrivals,
                is_narrow,
                |lane, thread, time| order.is_known(slot, access.warp, lane, thread, time),
                |old, new| found.push((*old, *new, start, end)),
            );
        }
        // A pair that races in several ranges is one race.
        found.sort_by_key(|(old, new, start, _)| (new.lane, old.info.thread, old.info.time, *start));
        let mut rest = found.as_slice();
        while let Some(&(old, new, start, _)) = rest.first() {
            let same = rest.iter().take_while(|f| {
                (f.1.lane, f.0.info.thread, f.0.info.time) == (new.lane, old.info.thread, old.info.time)
            });
            let mut count = 0;
            let mut end = start;
            for f in same {
                count += 1;
                end = f.3;
                self.verdict.bytes.add(space, f.2, f.3 - f.2);
            }
            rest = &rest[count..];
            let is_scope = self.is_insufficient_scope(slot, access.warp, &old, &new);
            self.note(space, &old, &new, (start, (end - start) as u32), is_scope);
        }
    }

    /// Whether wider scopes would have prevented the race.
    fn is_insufficient_scope(&self, slot: CtaSlot, warp: u32, old: &Arrival, new: &Arrival) -> bool {
        let wide = |a: &Arrival| Arrival { is_wide: true, ..*a };
        !wide(old).is_conflicting(&wide(new))
            || self.scopeless.is_known(slot, warp, new.lane, old.info.thread, old.info.time)
    }

    fn note(&mut self, space: Space, old: &Arrival, new: &Arrival, bytes: (u64, u32), is_scope: bool) {
        let (a, b) = (&old.info, &new.info);
        let is_write_write = a.kind.is_write() && b.kind.is_write();
        let kind = if is_write_write { RaceKind::WriteWrite } else { RaceKind::ReadWrite };
        let is_same_value = is_write_write
            && (a.address, a.width, a.value) == (b.address, b.width, b.value)
            && !a.kind.is_rmw()
            && !b.kind.is_rmw();
        let is_mixed = a.kind.is_strong() != b.kind.is_strong();
        let is_plain_write = |arrival: &Arrival| {
            let kind = arrival.info.kind;
            !kind.is_strong() && kind.is_write() && !arrival.is_promoted
        };
        let pairs = &mut self.verdict.pairs;
        let key = (a.site.min(b.site), a.site.max(b.site), kind, space);
        let known = self.index.entry(key).or_insert_with(|| {
            pairs.push(RacePair {
                space,
                kind,
                first: *a,
                second: *b,
                bytes,
                count: 0,
                counts: [0; 3],
                is_same_value: true,
                is_mixed: true,
                is_plain_write: false,
                is_insufficient_scope: true,
            });
            Known { at: pairs.len() - 1, counted: None }
        });
        let pair = &mut pairs[known.at];
        // How many earlier accesses are kept is bounded, so only the later ones are counted.
        if known.counted.replace((b.thread, b.time)) != Some((b.thread, b.time)) {
            pair.count += 1;
        }
        let relation = Relation::of(a.thread, b.thread);
        pair.counts[relation as usize] += 1;
        if relation > pair.relation() {
            // What mends the wider race mends the narrower one too, not the other way round.
            (pair.first, pair.second, pair.bytes) = (*a, *b, bytes);
        }
        pair.is_same_value &= is_same_value;
        pair.is_mixed &= is_mixed;
        pair.is_plain_write |= is_mixed && (is_plain_write(old) || is_plain_write(new));
        pair.is_insufficient_scope &= is_scope;
    }

    /// Ends the launch.
    pub fn end_launch(mut self) -> Verdict {
        self.verdict.undecided.is_out_of_time = self.order.is_out_of_time;
        self.verdict
    }
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
