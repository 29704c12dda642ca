//! What blocks that run ahead of their turn did, kept until it is certain that they have done it.
//!
//! A piece of a launch that runs ahead may be discarded ([`crate::parallel`]), and then the race detector must not have heard of
//! it. So the blocks write down what they do ([`LogHooks`]), and when the piece commits, the log is told to the detector
//! ([`EventLog::tell`]): for the first pass to any detector of the launch, since blocks know nothing of each other as long as
//! there are no fences ([`race::Detector::fork`]), to each in block order; for the second pass, which decides, in block order.
//!
//! For the second pass only accesses of watched bytes are kept, with values and call stacks. An atomic that is done at the
//! commit leaves a value that is known only then; its place among the atomics of the piece is kept instead.
//!
//! Not here: the events of blocks that run in their turn (`race`).

use crate::checks::halves::Halves;
use crate::checks::race::{ExactPass, arrived, described, scope};
use crate::checks::watched::Watching;
use ir::op::AtomOp;
use mem::{LaneAddresses, Strided};
use race::{CtaSlot, Details, Detector, Exact, Kind, Part, Scope, Space, WarpAccess};
use scalar::lanes;
use std::cell::Cell;
use vm::{AccessEvent, AccessKind, Hooks, SilentSites, Site, Warp};

/// Bytes between the first and the last place of an access from which on they count as far from each other.
const FAR: u64 = 1 << 16;

/// What the blocks of a piece did, one block after another.
#[derive(Debug, Default)]
pub(crate) struct EventLog {
    events: Vec<Event>,
    /// Addresses of the active lanes of accesses that follow no rule, in order.
    addresses: Vec<u64>,
    /// Lanes of accesses whose places are far from each other.
    scattered: usize,
    /// One for each access, in order, if the log is for the second pass.
    details: Vec<Detail>,
    /// Values of the active lanes of those accesses, in order.
    values: Vec<u64>,
    stacks: Vec<Vec<Site>>,
    /// Where the present block begins, and whether it has accessed anything that is kept.
    block: (usize, bool),
    has_fences: bool,
    is_unfit: bool,
    /// Atomics of the piece that were put off before the present instruction.
    put_off: usize,
}

#[derive(Clone, Copy, Debug)]
enum Event {
    Begin(u64),
    End,
    Barrier,
    Syncwarp { warp: u32, mask: u32 },
    Fence { warp: u32, mask: u32, scope: Scope },
    Access(Access),
}

/// A [`WarpAccess`]; without a rule, its addresses are the next ones of the list.
#[derive(Clone, Copy, Debug)]
struct Access {
    space: Space,
    kind: Kind,
    scope: Scope,
    width: u32,
    warp: u32,
    active: u32,
    failed: u32,
    rule: Option<Strided<32>>,
}

#[derive(Clone, Copy, Debug)]
struct Detail {
    /// The number of the call stack in the log.
    stack: usize,
    /// Of an atomic that is done at the commit: the place of its first lane among those of the piece, and the first bit of the value.
    put_off: Option<(usize, u32)>,
}

/// A detector that is told what is in a log.
pub(crate) trait Listener {
    fn begin(&mut self, block: u64) -> CtaSlot;
    fn end(&mut self, slot: CtaSlot);
    fn barrier(&mut self, slot: CtaSlot);
    fn syncwarp(&mut self, slot: CtaSlot, warp: u32, mask: u32);
    fn fence(&mut self, slot: CtaSlot, warp: u32, mask: u32, scope: Scope);
    fn access(&mut self, slot: CtaSlot, space: Space, access: &WarpAccess<'_>, stack: &[Site], values: &[u64; 32]);
}

/// A detector that follows a part of memory, or all of it.
pub(crate) struct InPart<'a>(pub(crate) &'a mut Detector, pub(crate) Part);

impl Listener for InPart<'_> {
    fn begin(&mut self, block: u64) -> CtaSlot {
        self.0.begin_block(block)
    }

    fn end(&mut self, slot: CtaSlot) {
        self.0.end_block(slot);
    }

    fn barrier(&mut self, slot: CtaSlot) {
        self.0.on_barrier(slot);
    }

    fn syncwarp(&mut self, slot: CtaSlot, warp: u32, mask: u32) {
        self.0.on_syncwarp(slot, warp, mask);
    }

    fn fence(&mut self, slot: CtaSlot, warp: u32, mask: u32, scope: Scope) {
        self.0.on_fence(slot, warp, mask, scope);
    }

    fn access(&mut self, slot: CtaSlot, space: Space, access: &WarpAccess<'_>, _: &[Site], _: &[u64; 32]) {
        self.0.on_access_in(self.1, slot, space, access);
    }
}

impl Listener for ExactPass {
    fn begin(&mut self, block: u64) -> CtaSlot {
        self.exact.begin_block(block)
    }

    fn end(&mut self, slot: CtaSlot) {
        self.exact.end_block(slot);
    }

    fn barrier(&mut self, slot: CtaSlot) {
        self.exact.on_barrier(slot);
    }

    fn syncwarp(&mut self, slot: CtaSlot, warp: u32, mask: u32) {
        self.exact.on_syncwarp(slot, warp, mask);
    }

    fn fence(&mut self, slot: CtaSlot, warp: u32, mask: u32, scope: Scope) {
        self.exact.on_fence(slot, warp, mask, scope);
    }

    fn access(&mut self, slot: CtaSlot, space: Space, access: &WarpAccess<'_>, stack: &[Site], values: &[u64; 32]) {
        let (site, stack) = self.number(stack);
        self.exact.on_access(slot, space, access, &Details { site, stack, values });
    }
}

impl EventLog {
    /// Forgets everything, but keeps the room.
    pub(crate) fn clear(&mut self) {
        self.events.clear();
        self.addresses.clear();
        self.details.clear();
        self.values.clear();
        self.stacks.clear();
        (self.block, self.has_fences, self.is_unfit, self.put_off) = ((0, false), false, false, 0);
        self.scattered = 0;
    }

    /// Whether a block has executed a fence.
    pub(crate) fn has_fences(&self) -> bool {
        self.has_fences
    }

    /// Whether something happened that cannot be told later.
    pub(crate) fn is_unfit(&self) -> bool {
        self.is_unfit
    }

    /// How many events there are, and how many lanes have touched places that are far from each other.
    pub(crate) fn counts(&self) -> (usize, usize) {
        (self.events.len(), self.scattered)
    }

    /// The bytes that it takes.
    pub(crate) fn bytes(&self) -> usize {
        self.events.len() * size_of::<Event>() + (self.addresses.len() + self.values.len()) * 8
    }

    /// A block begins.
    pub(crate) fn begin_block(&mut self, block: u64) {
        self.block = (self.events.len(), false);
        self.events.push(Event::Begin(block));
    }

    /// All threads of the block have exited. To the second pass a block without accesses is of no interest.
    pub(crate) fn end_block(&mut self, is_deciding: bool) {
        if is_deciding && !self.block.1 {
            self.events.truncate(self.block.0);
        } else {
            self.events.push(Event::End);
        }
    }

    /// Tells a detector what the blocks did; `left` are the values that atomics have left that were put off. Gives the place of
    /// the last block in the detector if it has not ended.
    pub(crate) fn tell(&self, listener: &mut impl Listener, left: &[u64]) -> Option<CtaSlot> {
        let (mut addresses, mut details, mut values) = (&self.addresses[..], self.details.iter(), &self.values[..]);
        let mut present = None;
        for event in &self.events {
            if let Event::Begin(block) = *event {
                present = Some(listener.begin(block));
            }
            let slot = present?;
            match *event {
                Event::Begin(_) => {}
                Event::End => {
                    listener.end(slot);
                    present = None;
                }
                Event::Barrier => listener.barrier(slot),
                Event::Syncwarp { warp, mask } => listener.syncwarp(slot, warp, mask),
                Event::Fence { warp, mask, scope } => listener.fence(slot, warp, mask, scope),
                Event::Access(Access { space, kind, scope, width, warp, active, failed, rule }) => {
                    let places = match rule {
                        Some(rule) => LaneAddresses::Strided(rule),
                        None => LaneAddresses::List(of_lanes(&mut addresses, active)),
                    };
                    let access =
                        WarpAccess { warp, active, failed, kind, scope, width, addresses: &places, order: None };
                    let Some(detail) = details.next() else {
                        listener.access(slot, space, &access, &[], &[0; 32]);
                        continue;
                    };
                    let mut of_access = of_lanes(&mut values, active);
                    if let Some((first, shift)) = detail.put_off {
                        let whole = of_lanes(&mut left.get(first..).unwrap_or(&[]), active);
                        of_access = whole.map(|value| value >> shift & (u64::MAX >> (64 - 8 * width.clamp(1, 8))));
                    }
                    let stack = self.stacks.get(detail.stack).map_or(&[][..], Vec::as_slice);
                    listener.access(slot, space, &access, stack, &of_access);
                }
            }
        }
        present
    }
}

/// Takes one number for each lane of a mask.
fn of_lanes(from: &mut &[u64], mask: u32) -> [u64; 32] {
    let mut out = [0; 32];
    let (here, rest) = from.split_at(from.len().min(mask.count_ones() as usize));
    lanes(mask).zip(here).for_each(|(lane, &number)| out[lane] = number);
    *from = rest;
    out
}

/// Writes down the events of a block.
pub(crate) struct LogHooks<'a> {
    pub(crate) log: &'a mut EventLog,
    pub(crate) watching: Watching<'a>,
    /// The second pass, if the log is for it.
    pub(crate) exact: Option<&'a Exact>,
    pub(crate) is_strict: bool,
    /// Atomics of the piece that were put off.
    pub(crate) put_off: &'a Cell<usize>,
}

impl LogHooks<'_> {
    /// The atomics that the present instruction has put off: the place of the first one.
    fn put_off(&mut self, event: &AccessEvent<'_, 32>) -> Option<usize> {
        let first = std::mem::replace(&mut self.log.put_off, self.put_off.get());
        let count = self.log.put_off - first;
        let AccessKind::Atomic { op, .. } = event.kind else { return None };
        // Some lanes may be in shared memory, and whether a swap has failed is not known yet.
        let is_unlike = count != 0 && (count != event.mask.count_ones() as usize || op == AtomOp::Cas);
        self.log.is_unfit |= is_unlike && self.exact.is_some();
        (count > 0).then_some(first)
    }

    /// Writes an access down, if the detector follows it.
    fn follow(&mut self, warp: &Warp<32>, event: &AccessEvent<'_, 32>, put_off: Option<(usize, u32)>) {
        if !self.watching.admits(warp.number(), event) {
            return;
        }
        let mut offsets = LaneAddresses::uniform(0);
        let Some((space, access)) = described(warp, event, None, &mut offsets) else { return };
        let log = &mut *self.log;
        if let Some(exact) = self.exact {
            if !exact.is_watching(space, &access) {
                return;
            }
            let stack = warp.call_stack(event.frame, event.site.pc);
            if log.stacks.last() != Some(&stack) {
                log.stacks.push(stack);
            }
            log.details.push(Detail { stack: log.stacks.len() - 1, put_off });
            log.values.extend(lanes(event.mask).map(|lane| event.values.get(lane)));
        }
        log.block.1 = true;
        let WarpAccess { warp, active, failed, kind, scope, width, addresses, order } = access;
        // Blocks run ahead in the natural order only.
        log.is_unfit |= order.is_some();
        let rule = match addresses {
            LaneAddresses::Strided(rule) => {
                log.scattered += if rule.span() > FAR { active.count_ones() as usize } else { 0 };
                Some(*rule)
            }
            LaneAddresses::List(all) => {
                log.scattered += active.count_ones() as usize;
                log.addresses.extend(lanes(active).map(|lane| all[lane]));
                None
            }
        };
        log.events.push(Event::Access(Access { space, kind, scope, width, warp, active, failed, rule }));
    }
}

impl Hooks<32> for LogHooks<'_> {
    fn wants_accesses(&self) -> bool {
        true
    }

    fn wants_values(&self) -> bool {
        self.exact.is_some()
    }

    fn lets_code_run(&self) -> bool {
        true
    }

    fn silent_sites(&self) -> Option<SilentSites> {
        self.watching.silent()
    }

    fn on_barrier(&mut self) {
        self.log.events.push(Event::Barrier);
    }

    fn on_access_under_way(&mut self, warp: &Warp<32>, event: &AccessEvent<'_, 32>) {
        self.on_access(warp, event);
    }

    fn on_access(&mut self, warp: &Warp<32>, event: &AccessEvent<'_, 32>) {
        let put_off = self.put_off(event);
        match Halves::of(event) {
            Some(halves) => {
                for (half, shift) in halves.events(event).iter().zip([0, 16]) {
                    self.follow(warp, half, put_off.map(|first| (first, shift)));
                }
            }
            None => self.follow(warp, event, put_off.map(|first| (first, 0))),
        }
    }

    fn on_syncwarp(&mut self, warp: &Warp<32>, mask: u32) {
        let mask = arrived(warp, mask, self.is_strict);
        self.log.events.push(Event::Syncwarp { warp: warp.number(), mask });
    }

    fn on_fence(&mut self, warp: &Warp<32>, mask: u32, reach: ir::Scope) {
        self.log.has_fences = true;
        self.log.events.push(Event::Fence { warp: warp.number(), mask, scope: scope(reach) });
    }
}
