//! Writes down what a launch does, for the search of other orders (`explore`).
//!
//! The hooks see accesses with the points of their warp. The blocks say which lanes went on in a row ([`Stretch`]); from both
//! comes the trace, in which points are those of the launch.
//!
//! Not here: what follows from a trace (`explore`), how a launch is directed (`schedule`).

use crate::block::Stretch;
use explore::{Effect, LaunchTrace, Part, Piece, Step, StepKind, Touch};
use ir::op::AtomOp;
use ir::{Access, Space, Ty};
use scalar::lanes;
use std::collections::{BTreeMap, VecDeque};
use std::hash::{DefaultHasher, Hash, Hasher};
use vm::{AccessEvent, AccessKind, Geometry, Hooks, SilentSites, Site, Warp};

/// Cells that the steps of a launch may touch; what comes then is not written down.
const MOST_TOUCHES: usize = 1 << 20;
/// Pieces of a launch at most.
const MOST_PIECES: usize = 1 << 18;

/// What a launch has done so far.
#[derive(Clone, Debug)]
pub(crate) struct Tracer {
    trace: LaunchTrace,
    /// Events of the stretches that the running block has not told yet.
    events: VecDeque<Event>,
    /// Accesses that race with nothing.
    private: Option<SilentSites>,
    touches: usize,
    /// What each part has read since it last wrote.
    reads: BTreeMap<Part, BTreeMap<Site, Read>>,
    /// The lanes that come first in the next atomic of a warp: block, warp, lanes.
    first_lanes: Option<(u64, u32, Vec<u8>)>,
    /// How many steps there were, and those without effect.
    numbered: u64,
    /// The number of the last step that changed something.
    changed: u64,
}

/// Something that happened in the running block.
#[derive(Clone, Debug)]
enum Event {
    Step(WarpStep),
    Barrier,
}

/// A step of a warp.
#[derive(Clone, Debug)]
struct WarpStep {
    warp: u32,
    mask: u32,
    /// The points of the warp when it was done.
    done: u64,
    number: u64,
    kind: StepKind,
}

/// The last read at a place of the program.
#[derive(Clone, Copy, Debug, Default)]
struct Read {
    number: u64,
    /// A hash of addresses and values; and, if it was looked at, one with the state of the warp after it.
    found: u64,
    state: Option<u64>,
    /// A hash of the addresses.
    addresses: u64,
    /// Whether it repeats another one, and nothing else was done since.
    is_repeated: bool,
}

impl Tracer {
    /// A launch before its first block.
    pub(crate) fn new(number: u64, private: Option<SilentSites>) -> Tracer {
        Tracer {
            trace: LaunchTrace { number, ..LaunchTrace::default() },
            events: VecDeque::new(),
            private,
            touches: 0,
            reads: BTreeMap::new(),
            first_lanes: None,
            numbered: 0,
            changed: 0,
        }
    }

    /// Not all that the launch does is written down.
    pub(crate) fn cut(&mut self) {
        self.trace.is_cut = true;
    }

    /// The hooks of a block.
    pub(crate) fn hooks(&mut self, block: u64, geometry: Geometry) -> TraceHooks<'_> {
        TraceHooks { tracer: self, block, geometry }
    }

    /// An order names the lanes that come first in the next atomic of a warp.
    pub(crate) fn order_lanes(&mut self, (block, warp, first): (u64, u32, Vec<u8>)) {
        self.first_lanes = Some((block, warp, first));
    }

    /// A block has run from this point of the launch on.
    pub(crate) fn ran(&mut self, block: u64, mut at: u64, stretches: Vec<Stretch>) {
        for stretch in stretches {
            let Stretch::Run { warp, mask, from, points } = stretch else {
                if matches!(self.events.front(), Some(Event::Barrier)) {
                    self.events.pop_front();
                }
                let (part, number) = (Part { block, warp: 0, mask: u32::MAX }, self.number());
                self.push(Step { part, at, number, kind: StepKind::Barrier });
                continue;
            };
            let part = Part { block, warp, mask };
            if points > 0 && self.trace.pieces.len() < MOST_PIECES {
                self.trace.pieces.push(Piece { part, at, points });
            }
            self.trace.is_cut |= self.trace.pieces.len() == MOST_PIECES;
            let is_own =
                |event: &Event| matches!(event, Event::Step(step) if step.warp == warp && step.done <= from + points);
            while self.events.front().is_some_and(is_own)
                && let Some(Event::Step(step)) = self.events.pop_front()
            {
                let WarpStep { mask, done, number, kind, .. } = step;
                let part = Part { mask, ..part };
                self.push(Step { part, at: at + done.saturating_sub(from + 1), number, kind });
            }
            at += points;
        }
        self.events.clear();
    }

    /// All threads of some blocks have met.
    pub(crate) fn cluster_sync(&mut self, blocks: Vec<u64>, at: u64) {
        let (block, number) = (blocks.first().copied().unwrap_or(0), self.number());
        let part = Part { block, warp: 0, mask: u32::MAX };
        self.push(Step { part, at, number, kind: StepKind::ClusterBarrier(blocks) });
    }

    /// All threads of the grid have met.
    pub(crate) fn grid_sync(&mut self, at: u64) {
        let (part, number) = (Part { block: 0, warp: 0, mask: u32::MAX }, self.number());
        self.push(Step { part, at, number, kind: StepKind::GridBarrier });
    }

    /// The number of another step.
    fn number(&mut self) -> u64 {
        self.numbered += 1;
        self.numbered
    }

    fn push_event(&mut self, warp: &Warp<32>, mask: u32, number: u64, kind: StepKind) {
        let step = WarpStep { warp: warp.number(), mask, done: warp.points(), number, kind };
        self.events.push_back(Event::Step(step));
    }

    fn push(&mut self, step: Step) {
        if !self.trace.is_cut {
            self.trace.steps.push(step);
        }
    }

    /// What the launch has done.
    pub(crate) fn finish(self) -> LaunchTrace {
        self.trace
    }

    fn is_private(&self, site: Site) -> bool {
        let of_func = self.private.as_ref().and_then(|private| private.get(site.func.index()));
        of_func.and_then(|of_func| of_func.get(site.pc as usize)).copied().unwrap_or(false)
    }

    /// A part only reads. The number of the last step in which it did the same, if it is in the same state as then and has only
    /// read in between; otherwise of that in which it last polled here, if it has done nothing else since.
    fn poll(
        &mut self,
        part: Part,
        warp: &Warp<32>,
        event: &AccessEvent<'_, 32>,
        number: u64,
    ) -> (Option<u64>, Option<u64>) {
        let mut hasher = DefaultHasher::new();
        lanes(event.mask).for_each(|lane| event.lanes.address(lane).hash(&mut hasher));
        let addresses = hasher.finish();
        lanes(event.mask).for_each(|lane| event.values.get(lane).hash(&mut hasher));
        let found = hasher.finish();
        let reads = self.reads.entry(part).or_default();
        let known = reads.get(&event.site).copied().unwrap_or_default();
        // The register that was read into has the new value in both; all others decide how the part goes on. What reads plainly
        // seldom polls, so that its state is looked at only if it reads the same twice.
        let is_plain = matches!(event.kind, AccessKind::Read(Access::Plain));
        let state = (!is_plain || known.found == found).then(|| {
            warp.hash_state(&mut hasher);
            hasher.finish()
        });
        let is_repeated = known.number > 0 && known.found == found && state.is_some() && known.state == state;
        if !is_repeated {
            reads.values_mut().for_each(|read| read.is_repeated = false);
        }
        reads.insert(event.site, Read { number, found, state, addresses, is_repeated });
        let is_after_poll = !is_repeated && known.is_repeated && known.addresses == addresses;
        (Some(known.number).filter(|_| is_repeated), Some(known.number).filter(|_| is_after_poll))
    }
}

/// Tells the tracer what a block does.
pub(crate) struct TraceHooks<'a> {
    tracer: &'a mut Tracer,
    block: u64,
    geometry: Geometry,
}

/// Cells of shared memory: of all blocks, behind those of memory.
const SHARED: u64 = 1 << 62;
/// Bits of the number of a cell of shared memory.
const SHARED_BITS: u32 = 20;

impl TraceHooks<'_> {
    fn cells(&self, event: &AccessEvent<'_, 32>, lane: usize) -> std::ops::RangeInclusive<u64> {
        let address = event.lanes.address(lane);
        let (base, address) = if event.space == Space::Shared {
            let (block, offset) = match mem::address::cluster_place(address) {
                Some((rank, offset)) => (self.geometry.cluster_member(rank), offset),
                None => (self.block, address.wrapping_sub(mem::address::SHARED_BASE)),
            };
            (SHARED | block << SHARED_BITS, offset)
        } else {
            (0, address)
        };
        base + (address >> 2)..=base + ((address + event.bytes as u64 - 1) >> 2)
    }
}

/// What the access of a lane does.
fn effect(event: &AccessEvent<'_, 32>, lane: usize) -> Effect {
    match event.kind {
        AccessKind::Read(_) => Effect::Read,
        AccessKind::Write(_) => {
            let mut hasher = DefaultHasher::new();
            (event.values.get(lane), event.bytes, event.lanes.address(lane) & 3).hash(&mut hasher);
            Effect::Commuting(hasher.finish())
        }
        AccessKind::Atomic { op, ty, used: false, .. } if commutes(op, ty) => {
            let mut hasher = DefaultHasher::new();
            ("atomic", op as u32, ty as u32).hash(&mut hasher);
            Effect::Commuting(hasher.finish())
        }
        AccessKind::Atomic { unchanged, .. } if unchanged >> lane & 1 != 0 => Effect::Read,
        AccessKind::Atomic { .. } => Effect::Write,
    }
}

/// Whether atomics of an operation may come in any order if nobody sees what they find.
fn commutes(op: AtomOp, ty: Ty) -> bool {
    use AtomOp::{Add, And, Max, Min, Or, Xor};
    ty.is_int() && matches!(op, Add | Min | Max | And | Or | Xor)
}

/// The lanes of an atomic that meet at one place where it matters who is first, in the order in which they came; and whether
/// there are other such places.
fn contenders(event: &AccessEvent<'_, 32>, first: &[u8]) -> (Vec<u8>, bool) {
    let mut places: BTreeMap<u64, (Effect, Vec<u8>)> = BTreeMap::new();
    for lane in lanes(event.mask) {
        let effect = effect(event, lane);
        let place = places.entry(event.lanes.address(lane)).or_insert((effect, Vec::new()));
        place.0 = place.0.and(effect);
        place.1.push(lane as u8);
    }
    let met = places.into_values().filter(|(effect, lanes)| *effect == Effect::Write && lanes.len() > 1);
    let mut met: Vec<Vec<u8>> = met.map(|(_, lanes)| lanes).collect();
    let most = (0..met.len()).rev().max_by_key(|&at| met[at].len());
    let has_more = met.len() > 1;
    let lanes = most.map(|at| met.swap_remove(at)).unwrap_or_default();
    let ahead = first.iter().filter(|lane| lanes.contains(lane)).copied();
    let rest = lanes.iter().filter(|lane| !first.contains(lane)).copied();
    (ahead.chain(rest).collect(), has_more)
}

impl Hooks<32> for TraceHooks<'_> {
    fn wants_accesses(&self) -> bool {
        true
    }

    fn on_access(&mut self, warp: &Warp<32>, event: &AccessEvent<'_, 32>) {
        let is_atomic = matches!(event.kind, AccessKind::Atomic { .. });
        let is_private = !is_atomic && self.tracer.is_private(event.site);
        if event.space == Space::Local || is_private || self.tracer.trace.is_cut {
            return;
        }
        let part = Part { block: self.block, warp: warp.number(), mask: event.mask };
        let mut touches: Vec<Touch> = Vec::new();
        for lane in lanes(event.mask) {
            let effect = effect(event, lane);
            touches.extend(self.cells(event, lane).map(|cell| Touch { cell, effect }));
        }
        touches.sort_unstable();
        touches.dedup_by(|next, kept| {
            let is_same = next.cell == kept.cell;
            if is_same {
                kept.effect = kept.effect.and(next.effect);
            }
            is_same
        });
        let only_reads = touches.iter().all(|touch| touch.effect == Effect::Read);
        let number = self.tracer.number();
        let (mut repeats, mut polled) = (None, None);
        if only_reads {
            (repeats, polled) = self.tracer.poll(part, warp, event, number);
            if repeats.is_some_and(|earlier| self.tracer.changed < earlier) {
                return;
            }
        } else {
            self.tracer.reads.remove(&part);
            self.tracer.changed = number;
        }
        let (mut lanes, mut has_more_contenders) = (Vec::new(), false);
        if is_atomic {
            let first = self.tracer.first_lanes.take_if(|(block, warp, _)| (*block, *warp) == (part.block, part.warp));
            let first = first.map_or_else(Vec::new, |(.., lanes)| lanes);
            (lanes, has_more_contenders) = contenders(event, &first);
        }
        self.tracer.touches += touches.len();
        self.tracer.trace.is_cut |= self.tracer.touches > MOST_TOUCHES;
        let site = u64::from(event.site.func.0) << 32 | u64::from(event.site.pc);
        let kind = StepKind::Access { site, touches, contenders: lanes, has_more_contenders, repeats, polled };
        self.tracer.push_event(warp, event.mask, number, kind);
    }

    fn on_syncwarp(&mut self, warp: &Warp<32>, mask: u32) {
        let number = self.tracer.number();
        self.tracer.push_event(warp, mask, number, StepKind::WarpSync);
    }

    fn on_barrier(&mut self) {
        self.tracer.events.push_back(Event::Barrier);
    }
}
