//! What is assumed of a launch and checked while it runs (`ir::analysis::footprint::Guards`).
//!
//! Gathers and scatters have addresses of which nothing is known before the launch. Most of them stay away from what the other
//! accesses of the launch write, and then the race detector need not see what it would have to see otherwise. If the assumption
//! fails, the launch is undone and runs again without it; so no result depends on it.
//!
//! Where that is not enough, it is also assumed that scatters store to each byte once, as by a permutation. Then they have a bit for each
//! byte (`once`), which is a hundredth of what the stamps of the race detector take.
//!
//! Not here: what follows from the assumption (`footprint`), how a launch is undone (`emulator`).

use crate::checks::once::{Loose, OnceBits};
use ir::FuncId;
use ir::analysis::footprint::Guards;
use mem::{LaneAddresses, Memory};
use scalar::lanes;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use vm::{AccessEvent, AccessKind, Site};

/// Bits of what touches an allocation: a loose load, and a loose store or atomic.
const LOADS: u8 = 1;
const STORES: u8 = 2;

/// How a guard has failed: loose accesses have come to what others touch, or loose stores to what loose accesses have touched.
const NOT_APART: u8 = 1;
const NOT_ONCE: u8 = 2;

/// An allocation, and what has touched it.
#[derive(Debug)]
struct Place {
    base: u64,
    end: u64,
    touched: AtomicU8,
    /// If loose stores are assumed to touch each byte once: which they have touched.
    bits: Option<OnceBits>,
}

/// What is assumed of a launch, and whether it has failed.
#[derive(Debug)]
pub(crate) struct Guard {
    /// By function and operation: whether the access there is loose, and if so, whether it is a load.
    loose: Arc<Vec<Vec<Option<bool>>>>,
    /// Bytes that accesses which are not loose may read, or write: address, and end.
    reads: Vec<(u64, u64)>,
    writes: Vec<(u64, u64)>,
    /// The allocations, in order, and what has touched each; none if no loose access writes.
    places: Option<Vec<Place>>,
    /// Whether one thread at most runs blocks of the launch.
    is_alone: bool,
    is_once: bool,
    broken: AtomicU8,
}

/// Addresses that an access may touch without a closer look.
#[derive(Clone, Copy, Default)]
struct Zone {
    site: Site,
    low: u64,
    high: u64,
    /// The number of the allocation, if that matters.
    place: usize,
}

impl Guard {
    /// The guard of a launch that is about to begin, whose blocks run on so many threads.
    pub(crate) fn new(guards: &Guards, loose: Arc<Vec<Vec<Option<bool>>>>, memory: &Memory, jobs: usize) -> Guard {
        let is_once = guards.is_once;
        let place = |(_, of): (_, &mem::Alloc)| Place {
            base: of.base,
            end: of.base + of.bytes,
            touched: AtomicU8::new(0),
            bits: is_once.then(|| OnceBits::new(of.base, of.bytes, guards.has_loose_atomics)),
        };
        let places = guards.has_loose_writes().then(|| {
            // In order of address.
            memory.live().map(place).collect()
        });
        Guard {
            loose,
            reads: guards.reads.clone(),
            writes: guards.writes.clone(),
            places,
            is_alone: jobs < 2,
            is_once,
            broken: AtomicU8::new(0),
        }
    }

    /// Whether it assumes that loose stores touch each byte once.
    pub(crate) fn is_once(&self) -> bool {
        self.is_once
    }

    /// Whether the assumption has failed.
    pub(crate) fn is_broken(&self) -> bool {
        self.broken.load(Ordering::Relaxed) != 0
    }

    /// Whether all that has failed is that loose stores touch each byte once.
    pub(crate) fn is_apart(&self) -> bool {
        self.broken.load(Ordering::Relaxed) & NOT_APART == 0
    }

    fn fail(&self, how: u8) {
        self.broken.fetch_or(how, Ordering::Relaxed);
    }

    /// Whether the access at a site is loose, and if so, whether it is a load.
    fn loose(&self, func: FuncId, pc: u32) -> Option<bool> {
        *self.loose.get(func.index())?.get(pc as usize)?
    }

    /// The addresses around one that the loose access may touch, if it may touch that one, and the number of their allocation.
    fn zone(&self, address: u64, is_load: bool) -> Option<(u64, u64, usize)> {
        let (mut low, mut high, mut number) = (0, u64::MAX, 0);
        let mut narrow = |gap: (u64, u64)| (low, high) = (low.max(gap.0), high.min(gap.1));
        narrow(gap(&self.writes, address)?);
        if !is_load {
            narrow(gap(&self.reads, address)?);
        }
        if let Some(places) = &self.places {
            number = places.partition_point(|place| place.base <= address).checked_sub(1)?;
            let Place { base, end, touched, .. } = places.get(number)?;
            let by = if is_load { LOADS } else { STORES };
            let all = touched.fetch_or(by, Ordering::Relaxed) | by;
            if *end <= address || all == LOADS | STORES {
                return None;
            }
            narrow((*base, *end));
        }
        Some((low, high, number))
    }

    /// The bits of an allocation, if loose stores are assumed to touch each byte once.
    fn bits(&self, place: usize) -> Option<&OnceBits> {
        self.places.as_ref()?.get(place)?.bits.as_ref()
    }

    /// Notes a loose store or atomic of one lane; whether it meets an earlier one.
    fn note(&self, address: u64, bytes: u64, is_atomic: bool, is_alone: bool) -> bool {
        let places = self.places.as_deref().unwrap_or(&[]);
        let place = places.partition_point(|place| place.base <= address).checked_sub(1);
        let bits = place.and_then(|place| self.bits(place));
        bits.is_some_and(|bits| bits.note(address, bytes, is_atomic, is_alone))
    }

    /// Notes what pieces of the launch did that have committed.
    pub(crate) fn settle(&self, accesses: &mut Vec<Loose>) {
        for Loose { address, bytes, is_atomic } in accesses.drain(..) {
            if self.note(address, u64::from(bytes), is_atomic, false) {
                self.fail(NOT_ONCE);
            }
        }
    }
}

/// The addresses around one that lie in none of the ranges; `None` if it lies in one.
fn gap(ranges: &[(u64, u64)], address: u64) -> Option<(u64, u64)> {
    let after = ranges.partition_point(|range| range.0 <= address);
    let low = after.checked_sub(1).map_or(0, |before| ranges[before].1);
    (low <= address).then(|| (low, ranges.get(after).map_or(u64::MAX, |range| range.0)))
}

/// Whether the lanes of a mask lie within a zone, each with so many bytes.
#[inline]
fn is_within(lanes: &LaneAddresses<32>, mask: u32, bytes: u64, zone: &Zone) -> bool {
    let Some(last) = zone.high.checked_sub(bytes) else { return false };
    match lanes {
        LaneAddresses::Strided(rule) => rule.low() >= zone.low && rule.low().saturating_add(rule.span()) <= last,
        LaneAddresses::List(all) if mask == u32::MAX && last < 1 << 63 => {
            // An address beyond either end leaves the sign. The processor looks at several at a time.
            let sign = |address: u64| address.wrapping_sub(zone.low) | last.wrapping_sub(address) | address;
            all.iter().fold(0, |any, &address| any | sign(address)) >> 63 == 0
        }
        LaneAddresses::List(all) => scalar::lanes(mask).all(|lane| (zone.low..=last).contains(&all[lane])),
    }
}

/// Holds what the warps of a block do against a guard.
pub(crate) struct Guarding<'a> {
    guard: &'a Guard,
    /// Where accesses of a piece that runs ahead are kept.
    ahead: Option<&'a mut Vec<Loose>>,
    /// Zones of late, by the low bits of the operation.
    zones: [Zone; 8],
}

impl<'a> Guarding<'a> {
    /// For the hooks of a block; with `ahead`, of one that runs ahead of its turn.
    pub(crate) fn new(guard: &'a Guard, ahead: Option<&'a mut Vec<Loose>>) -> Guarding<'a> {
        Guarding { guard, ahead, zones: [Zone::default(); 8] }
    }

    /// Takes an access of the block.
    pub(crate) fn check(&mut self, event: &AccessEvent<'_, 32>) {
        let Site { func, pc } = event.site;
        let Some(is_load) = self.guard.loose(func, pc) else { return };
        let guard = self.guard;
        let zone = &mut self.zones[pc as usize % 8];
        if zone.site != event.site {
            *zone = Zone { site: event.site, ..Zone::default() };
        }
        let bytes = event.bytes as u64;
        if !is_within(event.lanes, event.mask, bytes, zone) {
            for lane in lanes(event.mask) {
                let address = event.lanes.address(lane);
                if address < zone.low || address >= zone.high {
                    match guard.zone(address, is_load) {
                        Some((low, high, place)) => *zone = Zone { low, high, place, ..*zone },
                        None => return guard.fail(NOT_APART),
                    }
                }
                if zone.high.saturating_sub(address) < bytes {
                    return guard.fail(NOT_APART);
                }
            }
        }
        if guard.is_once && !is_load {
            let place = is_within(event.lanes, event.mask, bytes, zone).then_some(zone.place);
            self.note(event, place);
        }
    }

    /// Notes a loose store or atomic, all of whose lanes are where they may be: in the allocation of this number, if they are known to
    /// be in one.
    fn note(&mut self, event: &AccessEvent<'_, 32>, place: Option<usize>) {
        let (guard, mask, bytes) = (self.guard, event.mask, event.bytes as u64);
        let is_atomic = matches!(event.kind, AccessKind::Atomic { .. });
        if let Some(ahead) = &mut self.ahead {
            let loose = |lane| Loose { address: event.lanes.address(lane), bytes: bytes as u32, is_atomic };
            ahead.extend(lanes(mask).map(loose));
            return;
        }
        let run = mask >> mask.trailing_zeros();
        let meets = match (place.and_then(|place| guard.bits(place)), event.lanes) {
            (Some(bits), LaneAddresses::List(all)) => bits.note_lanes(all, mask, bytes, is_atomic, guard.is_alone),
            (Some(bits), LaneAddresses::Strided(rule))
                if rule.is_contiguous(event.bytes) && run & run.wrapping_add(1) == 0 =>
            {
                let first = rule.address(mask.trailing_zeros() as usize);
                bits.note(first, u64::from(mask.count_ones()) * bytes, is_atomic, guard.is_alone)
            }
            (_, all) => lanes(mask)
                .fold(false, |meets, lane| meets | guard.note(all.address(lane), bytes, is_atomic, guard.is_alone)),
        };
        if meets {
            guard.fail(NOT_ONCE);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn guard() -> Guard {
        Guard {
            loose: Arc::default(),
            reads: vec![(100, 200)],
            writes: vec![(300, 400), (500, 600)],
            places: None,
            is_alone: true,
            is_once: false,
            broken: AtomicU8::new(0),
        }
    }

    fn place(base: u64, end: u64) -> Place {
        Place { base, end, touched: AtomicU8::new(0), bits: None }
    }

    #[test]
    fn loads_stay_away_from_what_is_written() {
        let guard = guard();
        assert_eq!(guard.zone(0, true), Some((0, 300, 0)));
        assert_eq!(guard.zone(299, true), Some((0, 300, 0)));
        assert_eq!((guard.zone(300, true), guard.zone(399, true)), (None, None));
        assert_eq!(guard.zone(400, true), Some((400, 500, 0)));
        assert_eq!(guard.zone(600, true), Some((600, u64::MAX, 0)));
    }

    #[test]
    fn stores_stay_away_from_what_is_read_too_and_from_allocations_that_are_gathered_from() {
        let mut guard = guard();
        assert_eq!((guard.zone(150, false), guard.zone(250, false)), (None, Some((200, 300, 0))));
        guard.places = Some(vec![place(0, 100), place(200, 450)]);
        assert_eq!(guard.zone(50, true), Some((0, 100, 0)));
        assert_eq!(guard.zone(60, false), None);
        assert_eq!(guard.zone(410, false), Some((400, 450, 1)));
        assert_eq!((guard.zone(420, true), guard.zone(150, true)), (None, None));
    }
}
