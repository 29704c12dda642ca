//! What is assumed of a launch and checked while it runs (`ir::analysis::footprint::Guards`).
//!
//! Gathers and scatters have addresses of which nothing is known before the launch. Most of them stay away from what the other
//! accesses of the launch write, and then the race detector need not see what it would have to see otherwise. If the assumption
//! fails, the launch is undone and runs again without it; so no result depends on it.
//!
//! Not here: what follows from the assumption (`footprint`), how a launch is undone (`emulator`).

use ir::FuncId;
use ir::analysis::footprint::Guards;
use mem::{LaneAddresses, Memory};
use scalar::lanes;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use vm::{AccessEvent, Site};

/// Bits of what touches an allocation: a loose load, and a loose store or atomic.
const LOADS: u8 = 1;
const STORES: u8 = 2;

/// What is assumed of a launch, and whether it has failed.
#[derive(Debug)]
pub(crate) struct Guard {
    /// By function and operation: whether the access there is loose, and if so, whether it is a load.
    loose: Arc<Vec<Vec<Option<bool>>>>,
    /// Bytes that accesses which are not loose may read, or write: address, and end.
    reads: Vec<(u64, u64)>,
    writes: Vec<(u64, u64)>,
    /// The allocations, in order, and what has touched each; none if no loose access writes.
    places: Option<Vec<(u64, u64, AtomicU8)>>,
    is_broken: AtomicBool,
}

/// Addresses that an access may touch without a closer look.
#[derive(Clone, Copy)]
struct Zone {
    site: Site,
    low: u64,
    high: u64,
}

impl Guard {
    /// The guard of a launch that is about to begin.
    pub(crate) fn new(guards: &Guards, loose: Arc<Vec<Vec<Option<bool>>>>, memory: &Memory) -> Guard {
        let place = |(_, of): (_, &mem::Alloc)| (of.base, of.base + of.bytes, AtomicU8::new(0));
        let places = guards.has_loose_writes().then(|| {
            // In order of address.
            memory.live().map(place).collect()
        });
        Guard {
            loose,
            reads: guards.reads.clone(),
            writes: guards.writes.clone(),
            places,
            is_broken: AtomicBool::new(false),
        }
    }

    /// Whether the assumption has failed.
    pub(crate) fn is_broken(&self) -> bool {
        self.is_broken.load(Ordering::Relaxed)
    }

    /// Whether the access at a site is loose, and if so, whether it is a load.
    fn loose(&self, func: FuncId, pc: u32) -> Option<bool> {
        *self.loose.get(func.index())?.get(pc as usize)?
    }

    /// The addresses around one that the loose access may touch, if it may touch that one.
    fn zone(&self, address: u64, is_load: bool) -> Option<(u64, u64)> {
        let (mut low, mut high) = (0, u64::MAX);
        let mut narrow = |gap: (u64, u64)| (low, high) = (low.max(gap.0), high.min(gap.1));
        narrow(gap(&self.writes, address)?);
        if !is_load {
            narrow(gap(&self.reads, address)?);
        }
        if let Some(places) = &self.places {
            let after = places.partition_point(|place| place.0 <= address);
            let (first, end, touched) = places.get(after.checked_sub(1)?)?;
            let by = if is_load { LOADS } else { STORES };
            let all = touched.fetch_or(by, Ordering::Relaxed) | by;
            if *end <= address || all == LOADS | STORES {
                return None;
            }
            narrow((*first, *end));
        }
        Some((low, high))
    }
}

/// The lowest and the highest address of the lanes of a mask that is not empty.
fn ends(addresses: &[u64; 32], mask: u32) -> (u64, u64) {
    let first = addresses[mask.trailing_zeros() as usize % 32];
    let of_lane = |lane: usize| if mask >> lane & 1 != 0 { addresses[lane] } else { first };
    // Four at a time, which do not wait for each other.
    let (mut low, mut high) = ([first; 4], [first; 4]);
    for lane in 0..32 {
        let at = lane % 4;
        (low[at], high[at]) = (low[at].min(of_lane(lane)), high[at].max(of_lane(lane)));
    }
    (low.into_iter().min().unwrap_or(first), high.into_iter().max().unwrap_or(first))
}

/// The addresses around one that lie in none of the ranges; `None` if it lies in one.
fn gap(ranges: &[(u64, u64)], address: u64) -> Option<(u64, u64)> {
    let after = ranges.partition_point(|range| range.0 <= address);
    let low = after.checked_sub(1).map_or(0, |before| ranges[before].1);
    (low <= address).then(|| (low, ranges.get(after).map_or(u64::MAX, |range| range.0)))
}

/// Holds what the warps of a block do against a guard.
pub(crate) struct Guarding<'a> {
    guard: &'a Guard,
    /// Zones of late, by the low bits of the operation.
    zones: [Zone; 8],
}

impl<'a> Guarding<'a> {
    pub(crate) fn new(guard: &'a Guard) -> Guarding<'a> {
        Guarding { guard, zones: [Zone { site: Site::default(), low: 0, high: 0 }; 8] }
    }

    /// Takes an access of the block.
    pub(crate) fn check(&mut self, event: &AccessEvent<'_, 32>) {
        let Site { func, pc } = event.site;
        let Some(is_load) = self.guard.loose(func, pc) else { return };
        let zone = &mut self.zones[pc as usize % 8];
        if zone.site != event.site {
            *zone = Zone { site: event.site, low: 0, high: 0 };
        }
        let bytes = event.bytes as u64;
        let (low, last) = match event.lanes {
            LaneAddresses::Strided(rule) => (rule.low(), rule.low().saturating_add(rule.span())),
            LaneAddresses::List(all) => ends(all, event.mask),
        };
        if low >= zone.low && last.saturating_add(bytes) <= zone.high {
            return;
        }
        for lane in lanes(event.mask) {
            let address = event.lanes.address(lane);
            if address < zone.low || address >= zone.high {
                match self.guard.zone(address, is_load) {
                    Some((low, high)) => (zone.low, zone.high) = (low, high),
                    None => self.guard.is_broken.store(true, Ordering::Relaxed),
                }
            }
            if zone.high.saturating_sub(address) < bytes {
                self.guard.is_broken.store(true, Ordering::Relaxed);
            }
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
            is_broken: AtomicBool::new(false),
        }
    }

    #[test]
    fn loads_stay_away_from_what_is_written() {
        let guard = guard();
        assert_eq!(guard.zone(0, true), Some((0, 300)));
        assert_eq!(guard.zone(299, true), Some((0, 300)));
        assert_eq!((guard.zone(300, true), guard.zone(399, true)), (None, None));
        assert_eq!(guard.zone(400, true), Some((400, 500)));
        assert_eq!(guard.zone(600, true), Some((600, u64::MAX)));
    }

    #[test]
    fn stores_stay_away_from_what_is_read_too_and_from_allocations_that_are_gathered_from() {
        let mut guard = guard();
        assert_eq!((guard.zone(150, false), guard.zone(250, false)), (None, Some((200, 300))));
        guard.places = Some(vec![(0, 100, AtomicU8::new(0)), (200, 450, AtomicU8::new(0))]);
        assert_eq!(guard.zone(50, true), Some((0, 100)));
        assert_eq!(guard.zone(60, false), None);
        assert_eq!(guard.zone(410, false), Some((400, 450)));
        assert_eq!((guard.zone(420, true), guard.zone(150, true)), (None, None));
    }
}
