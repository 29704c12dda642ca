//! What is assumed of a launch and checked while it runs (`ir::analysis::footprint::Guards`).
//!
//! Gathers and scatters have addresses of which nothing is known before the launch. Most of them stay away from what the other
//! accesses of the launch write, and then the race detector need not see what it would have to see otherwise. If the assumption
//! fails, the launch is undone and runs again without it; so no result depends on it.
//!
//! Where that is not enough, it is also assumed that scatters store to each byte once, as by a permutation. Then they have a bit for each
//! byte (`once`), which is a hundredth of what the stamps of the race detector take.
//!
//! If that is proven of an earlier launch which did the same (`once_proof`), it is not looked at again.
//!
//! Where only stores are left that race with themselves, and store one value, as flags that many threads set, the launch runs under a
//! guard that counts what they meet (`alike`).
//!
//! Not here: what follows from the assumption (`footprint`), how a launch is undone (`emulator`).

use crate::checks::alike::{Alike, KnownRaces, Storing};
use crate::checks::once::{Loose, Once, OnceBits, OnceSet};
use crate::footprint::{Assumed, SiteSharing};
use crate::once_proof::Deciding;
use mem::{LaneAddresses, Memory};
use scalar::lanes;
use std::sync::atomic::{AtomicU8, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use vm::{AccessEvent, AccessKind, QuietZone, Site};

/// Bits of what touches an allocation: a loose load, and a loose store or atomic.
const LOADS: u8 = 1;
const STORES: u8 = 2;

/// How a guard has failed: loose accesses have come to what others touch, loose stores to what loose accesses have touched, or it is not
/// known what alike stores have met.
const NOT_APART: u8 = 1;
const NOT_ONCE: u8 = 2;
const NOT_ALIKE: u8 = 4;

/// An allocation, and what has touched it.
#[derive(Debug)]
struct Place {
    base: u64,
    end: u64,
    touched: AtomicU8,
    /// The number of the loose alike store that touches it, plus one.
    alike: AtomicU32,
}

/// What is assumed of a launch, and whether it has failed.
#[derive(Debug)]
pub(crate) struct Guard {
    /// By function and operation: whether the access there is loose, and if so, whether it is a load.
    loose: Arc<Vec<Vec<Option<bool>>>>,
    /// By function and operation: the number of the alike store there.
    alike_numbers: Arc<Vec<Vec<Option<u32>>>>,
    /// What alike stores have met, if that is to be known.
    alike: Option<Alike>,
    /// Bytes that accesses which are not loose may read, or write: address, and end.
    reads: Vec<(u64, u64)>,
    writes: Vec<(u64, u64)>,
    /// The allocations, in order, and what has touched each; none if no loose access writes and no store is alike.
    places: Option<Vec<Place>>,
    /// Whether one thread at most runs blocks of the launch.
    is_alone: bool,
    kind: Assumed,
    has_loose_atomics: bool,
    /// If loose stores are assumed to touch each byte once: which they have touched.
    once: Once,
    /// The first block that it follows.
    first_block: u64,
    /// What decides where loose stores go, if the proof that they touch each byte once may be kept, or was.
    deciding: Option<Arc<Deciding>>,
    /// Whether that is proven.
    is_proven: bool,
    /// Of threads that are between two blocks.
    zones: Mutex<Vec<Zones>>,
    broken: AtomicU8,
}

/// Zones of late, by the low bits of the operation.
type Zones = Vec<Zone>;

/// Addresses that an access may touch without a closer look.
#[derive(Clone, Copy, Default, Debug)]
struct Zone {
    site: Site,
    low: u64,
    high: u64,
    /// The number of the allocation, if that matters.
    place: usize,
    /// Whether nothing more is to be known of accesses there.
    is_quiet: bool,
    /// Whether nothing more is to be known of stores of so many bytes than which words they touch; 0 of all others.
    noted: usize,
    /// If so: the number of the alike store, if it is one that is counted.
    alike: Option<u32>,
}

impl Guard {
    /// The guard of a launch whose blocks from a number on are about to begin, on so many threads; `None` if it needs none.
    /// `is_watched` says whether races are looked for.
    pub(crate) fn new(
        sharing: &SiteSharing,
        memory: &Memory,
        first_block: u64,
        jobs: usize,
        is_watched: bool,
    ) -> Option<Guard> {
        let (guards, kind) = (sharing.guards()?, sharing.assumed()?);
        let place = |(_, of): (_, &mem::Alloc)| Place {
            base: of.base,
            end: of.base + of.bytes,
            touched: AtomicU8::new(0),
            alike: AtomicU32::new(0),
        };
        let places: Option<Vec<Place>> = (guards.has_loose_writes() || kind == Assumed::Alike).then(|| {
            // In order of address.
            memory.live().map(place).collect()
        });
        let count = places.as_ref().map_or(0, Vec::len);
        let bytes = guards.deciding.as_deref().filter(|_| kind == Assumed::Once);
        let begun = bytes.and_then(|bytes| sharing.once_proof().begin(memory, bytes, first_block));
        let is_proven = begun.as_ref().is_some_and(|(_, is_proven)| *is_proven);
        Some(Guard {
            loose: sharing.loose().clone(),
            alike_numbers: sharing.alike_numbers().clone(),
            alike: (kind == Assumed::Alike && is_watched).then(|| Alike::new(sharing.alike_stores(), count)),
            reads: guards.reads.clone(),
            writes: guards.writes.clone(),
            places,
            is_alone: jobs < 2,
            kind,
            has_loose_atomics: guards.has_loose_atomics,
            once: Once::default(),
            first_block,
            deciding: begun.map(|(deciding, _)| deciding),
            is_proven,
            zones: Mutex::default(),
            broken: AtomicU8::new(0),
        })
    }

    /// What it assumes.
    pub(crate) fn assumed(&self) -> Assumed {
        self.kind
    }

    /// Whether the assumption has failed.
    pub(crate) fn is_broken(&self) -> bool {
        self.broken.load(Ordering::Relaxed) != 0
    }

    /// Whether loose accesses have stayed away from others, whatever else has failed.
    pub(crate) fn is_apart(&self) -> bool {
        self.broken.load(Ordering::Relaxed) & NOT_APART == 0
    }

    /// Blocks have not run one after another, or will run again: what alike stores meet is not known then.
    pub(crate) fn spoil(&self) {
        if self.alike.is_some() {
            self.fail(NOT_ALIKE);
        }
    }

    /// Whether it counts what alike stores meet.
    pub(crate) fn counts(&self) -> bool {
        self.alike.is_some()
    }

    /// A guard like this one that has failed.
    pub(crate) fn spoilt(&self) -> Guard {
        Guard {
            loose: self.loose.clone(),
            alike_numbers: self.alike_numbers.clone(),
            alike: None,
            reads: Vec::new(),
            writes: Vec::new(),
            places: None,
            is_alone: self.is_alone,
            kind: self.kind,
            has_loose_atomics: self.has_loose_atomics,
            once: Once::default(),
            first_block: self.first_block,
            deciding: None,
            is_proven: false,
            zones: Mutex::default(),
            broken: AtomicU8::new(NOT_ALIKE),
        }
    }

    /// Those of a thread that goes on with another block.
    fn take_zones(&self) -> Zones {
        let zones = self.zones.lock().unwrap_or_else(PoisonError::into_inner).pop();
        zones.unwrap_or_else(|| vec![Zone::default(); ZONES])
    }

    /// The races of alike stores.
    pub(crate) fn races(&self) -> Option<KnownRaces> {
        self.alike.as_ref()?.races()
    }

    fn fail(&self, how: u8) {
        self.broken.fetch_or(how, Ordering::Relaxed);
    }

    /// Whether the access at a site is loose, and if so, whether it is a load.
    fn loose(&self, site: Site) -> Option<bool> {
        *self.loose.get(site.func.index())?.get(site.pc as usize)?
    }

    /// The number of the alike store at a site.
    fn alike(&self, site: Site) -> Option<u32> {
        *self.alike_numbers.get(site.func.index())?.get(site.pc as usize)?
    }

    /// The allocation in which an address lies, if it lies in one.
    fn place(&self, address: u64) -> Option<(usize, &Place)> {
        let places = self.places.as_deref()?;
        let number = places.partition_point(|place| place.base <= address).checked_sub(1)?;
        places.get(number).filter(|place| address < place.end).map(|place| (number, place))
    }

    /// The addresses around one that the loose access may touch, if it may touch that one, and the number of their allocation.
    fn zone(&self, address: u64, is_load: bool, alike: Option<u32>) -> Option<(u64, u64, usize)> {
        let (mut low, mut high, mut number) = (0, u64::MAX, 0);
        let mut narrow = |gap: (u64, u64)| (low, high) = (low.max(gap.0), high.min(gap.1));
        narrow(gap(&self.writes, address)?);
        if !is_load {
            narrow(gap(&self.reads, address)?);
        }
        if self.places.is_some() {
            let (at, place) = self.place(address)?;
            let by = if is_load { LOADS } else { STORES };
            // What is there already need not be written again, for which threads would have to wait for each other.
            let touched = place.touched.load(Ordering::Relaxed);
            if touched != by && place.touched.fetch_or(by, Ordering::Relaxed) | by == LOADS | STORES {
                return None;
            }
            number = at;
            narrow((place.base, place.end));
            if let Some(store) = alike
                && let Err(other) = place.alike.compare_exchange(0, store + 1, Ordering::Relaxed, Ordering::Relaxed)
                && other != store + 1
            {
                self.fail(NOT_ALIKE);
            }
        }
        Some((low, high, number))
    }

    /// The bits of an allocation in a set, for an access of elements of so many bytes.
    #[inline]
    fn bits<'s>(&self, set: &'s mut OnceSet, place: usize, bytes: u64) -> Option<&'s mut OnceBits> {
        if set.get(place).is_none_or(Option::is_none) {
            let of = self.places.as_ref()?.get(place)?;
            set.resize_with(set.len().max(place + 1), || None);
            set[place] = Some(OnceBits::new(of.base, of.end - of.base, self.has_loose_atomics, bytes));
        }
        set[place].as_mut()
    }

    /// Notes a loose store or atomic of one lane; whether it meets an earlier one.
    fn note(&self, set: &mut OnceSet, address: u64, bytes: u64, is_atomic: bool) -> bool {
        let bits = self.place(address).and_then(|(place, _)| self.bits(set, place, bytes));
        bits.is_some_and(|bits| bits.note(address, bytes, is_atomic))
    }

    /// Notes what lanes store in an allocation, all in it, by the alike store of a number; false if that is more than can be noted.
    fn note_alike(
        &self,
        stores: &Alike,
        number: u32,
        place: usize,
        by: Storing,
        lanes: (&LaneAddresses<32>, u32),
    ) -> bool {
        self.places
            .as_ref()
            .and_then(|places| places.get(place))
            .is_some_and(|of| stores.note(number as usize, (place, of.base, of.end), by, lanes, self.is_alone))
    }

    /// Notes what pieces of the launch did that have committed.
    pub(crate) fn settle(&self, accesses: &mut Vec<Loose>) {
        if !self.notes_stores() {
            return accesses.clear();
        }
        let mut set = self.once.take();
        for Loose { address, bytes, is_atomic } in accesses.drain(..) {
            if self.note(&mut set, address, u64::from(bytes), is_atomic) {
                self.fail(NOT_ONCE);
            }
        }
        self.once.give(set);
    }

    /// Whether it has to be noted which bytes loose stores touch.
    fn notes_stores(&self) -> bool {
        self.kind == Assumed::Once && !self.is_proven
    }

    /// Finds out, when no thread runs any blocks, whether loose stores have touched each byte once.
    pub(crate) fn conclude(&self, memory: &Memory) {
        let has_failed = if self.is_proven {
            // Another stream may have written meanwhile.
            !self.is_decided_alike(memory)
        } else {
            self.kind == Assumed::Once && self.once.unite()
        };
        if has_failed {
            self.fail(NOT_ONCE);
        }
    }

    /// Whether what decides where loose stores go is what it was when the blocks began.
    fn is_decided_alike(&self, memory: &Memory) -> bool {
        self.deciding.as_ref().is_some_and(|deciding| deciding.is_in(memory))
    }

    /// Keeps for launches to come what has held up to the last block.
    pub(crate) fn keep(&self, sharing: &SiteSharing, memory: &Memory) {
        if let Some(deciding) = &self.deciding
            && self.notes_stores()
            && !self.is_broken()
            && deciding.is_in(memory)
        {
            sharing.once_proof().keep(self.first_block, deciding);
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
    vm::is_within(lanes, mask, bytes, (zone.low, zone.high))
}

/// Zones that a thread remembers: about as many as large kernels have loose accesses.
const ZONES: usize = 64;

/// Holds what the warps of a block do against a guard.
pub(crate) struct Guarding<'a> {
    guard: &'a Guard,
    /// Where accesses of a piece that runs ahead are kept.
    ahead: Option<&'a mut Vec<Loose>>,
    block: u64,
    /// What the thread has noted, once it has.
    set: Option<OnceSet>,
    zones: Zones,
}

impl<'a> Guarding<'a> {
    /// For the hooks of the block of that number; with `ahead`, of one that runs ahead of its turn.
    pub(crate) fn new(guard: &'a Guard, block: u64, ahead: Option<&'a mut Vec<Loose>>) -> Guarding<'a> {
        Guarding { guard, ahead, block, set: None, zones: guard.take_zones() }
    }

    /// Between which addresses it need not see accesses at a site, or only which words they touch.
    #[inline]
    pub(crate) fn quiet(&self, site: Site) -> Option<QuietZone> {
        let &Zone { site: of, low, high, is_quiet, noted, .. } = &self.zones[site.pc as usize % ZONES];
        let takes_lanes = !is_quiet && noted != 0 && self.ahead.is_none();
        (of == site && (is_quiet || takes_lanes)).then_some(QuietZone { low, high, takes_lanes })
    }

    /// Whether it need not see an access at a site that it has seen with the same addresses: all but stores that it counts or notes.
    pub(crate) fn sees_once(&self, site: Site) -> bool {
        self.guard.loose(site).is_none_or(|is_load| is_load) && self.guard.alike(site).is_none()
    }

    /// Takes a store in the zone of a site, of words of so many bytes; whether no more than the words need be known of it.
    pub(crate) fn on_lanes(
        &mut self,
        warp: u32,
        site: Site,
        (lanes, mask): (&LaneAddresses<32>, u32),
        bytes: usize,
    ) -> bool {
        let guard = self.guard;
        let &Zone { site: of, noted, place, alike, .. } = &self.zones[site.pc as usize % ZONES];
        if of != site || noted != bytes || bytes == 0 || self.ahead.is_some() {
            return false;
        }
        match (alike, &guard.alike) {
            (Some(number), Some(stores)) => {
                let by = Storing { block: self.block, warp };
                if !guard.note_alike(stores, number, place, by, (lanes, mask)) {
                    guard.fail(NOT_ALIKE);
                }
            }
            _ => self.note_once((lanes, mask), bytes as u64, Some(place), false),
        }
        true
    }

    /// Takes an access of a warp of the block.
    pub(crate) fn check(&mut self, warp: u32, event: &AccessEvent<'_, 32>) {
        let guard = self.guard;
        let (loose, alike) = (guard.loose(event.site), guard.alike(event.site));
        let zone = &mut self.zones[event.site.pc as usize % ZONES];
        if zone.site != event.site {
            *zone = Zone { site: event.site, ..Zone::default() };
        }
        if let Some(is_load) = loose {
            self.check_loose(event, is_load, alike);
        }
        if let (Some(number), Some(stores)) = (alike, &guard.alike) {
            self.note_alike(stores, number, (warp, loose.is_some()), event);
        }
    }

    /// Notes an alike store.
    fn note_alike(&mut self, stores: &Alike, number: u32, (warp, is_loose): (u32, bool), event: &AccessEvent<'_, 32>) {
        let guard = self.guard;
        let zone = &mut self.zones[event.site.pc as usize % ZONES];
        let bytes = event.bytes as u64;
        // Of a loose store it is known already where it may be.
        if !is_loose && !is_within(event.lanes, event.mask, bytes, zone) {
            let first = event.lanes.address(event.mask.trailing_zeros() as usize % 32);
            let Some((place, of)) = guard.place(first) else { return guard.fail(NOT_ALIKE) };
            *zone = Zone { site: event.site, low: of.base, high: of.end, place, ..Zone::default() };
        }
        (zone.noted, zone.alike) = (event.bytes, Some(number));
        let all = || lanes(event.mask).map(|lane| event.lanes.address(lane));
        let is_inside = is_within(event.lanes, event.mask, bytes, zone)
            || all().all(|address| address >= zone.low && address <= zone.high.saturating_sub(bytes));
        let by = Storing { block: self.block, warp };
        let is_noted = is_inside
            && self.ahead.is_none()
            && guard.note_alike(stores, number, zone.place, by, (event.lanes, event.mask));
        if !is_noted {
            guard.fail(NOT_ALIKE);
        }
    }

    /// Takes a loose access.
    fn check_loose(&mut self, event: &AccessEvent<'_, 32>, is_load: bool, alike: Option<u32>) {
        let guard = self.guard;
        let zone = &mut self.zones[event.site.pc as usize % ZONES];
        let bytes = event.bytes as u64;
        let is_counted = alike.is_some() && guard.alike.is_some();
        let is_quiet = (is_load || !guard.notes_stores()) && !is_counted;
        let is_atomic = matches!(event.kind, AccessKind::Atomic { .. });
        if !is_within(event.lanes, event.mask, bytes, zone) {
            for lane in lanes(event.mask) {
                let address = event.lanes.address(lane);
                if address < zone.low || address >= zone.high {
                    match guard.zone(address, is_load, alike) {
                        Some((low, high, place)) => {
                            let noted = if is_quiet || is_atomic { 0 } else { event.bytes };
                            *zone = Zone { low, high, place, is_quiet, noted, ..*zone };
                        }
                        None => return guard.fail(NOT_APART),
                    }
                }
                if zone.high.saturating_sub(address) < bytes {
                    return guard.fail(NOT_APART);
                }
            }
        }
        if guard.notes_stores() && !is_load {
            let place = is_within(event.lanes, event.mask, bytes, zone).then_some(zone.place);
            self.note(event, place, is_atomic);
        }
    }

    /// Notes a loose store or atomic, all of whose lanes are where they may be: in the allocation of this number, if they are known to
    /// be in one.
    fn note(&mut self, event: &AccessEvent<'_, 32>, place: Option<usize>, is_atomic: bool) {
        let (mask, bytes) = (event.mask, event.bytes as u64);
        match &mut self.ahead {
            Some(ahead) => {
                let loose = |lane| Loose { address: event.lanes.address(lane), bytes: bytes as u32, is_atomic };
                ahead.extend(lanes(mask).map(loose));
            }
            None => self.note_once((event.lanes, mask), bytes, place, is_atomic),
        }
    }

    /// The same of an access that does not run ahead.
    fn note_once(&mut self, (at, mask): (&LaneAddresses<32>, u32), bytes: u64, place: Option<usize>, is_atomic: bool) {
        let guard = self.guard;
        let set = self.set.get_or_insert_with(|| guard.once.take());
        let run = mask >> mask.trailing_zeros();
        let meets = match (place, at) {
            (Some(place), LaneAddresses::List(all)) => {
                guard.bits(set, place, bytes).is_some_and(|bits| bits.note_lanes(all, mask, bytes, is_atomic))
            }
            (Some(place), LaneAddresses::Strided(rule))
                if rule.is_contiguous(bytes as usize) && run & run.wrapping_add(1) == 0 =>
            {
                let (first, all) = (rule.address(mask.trailing_zeros() as usize), u64::from(mask.count_ones()) * bytes);
                guard.bits(set, place, bytes).is_some_and(|bits| bits.note(first, all, is_atomic))
            }
            (_, all) => {
                let note = |meets, lane| meets | guard.note(set, all.address(lane), bytes, is_atomic);
                lanes(mask).fold(false, note)
            }
        };
        if meets {
            guard.fail(NOT_ONCE);
        }
    }
}

impl Drop for Guarding<'_> {
    fn drop(&mut self) {
        if let Some(set) = self.set.take() {
            self.guard.once.give(set);
        }
        let zones = std::mem::take(&mut self.zones);
        self.guard.zones.lock().unwrap_or_else(PoisonError::into_inner).push(zones);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn guard() -> Guard {
        Guard {
            loose: Arc::default(),
            alike_numbers: Arc::default(),
            alike: None,
            reads: vec![(100, 200)],
            writes: vec![(300, 400), (500, 600)],
            places: None,
            is_alone: true,
            kind: Assumed::Apart,
            has_loose_atomics: false,
            once: Once::default(),
            first_block: 0,
            deciding: None,
            is_proven: false,
            zones: Mutex::default(),
            broken: AtomicU8::new(0),
        }
    }

    fn place(base: u64, end: u64) -> Place {
        Place { base, end, touched: AtomicU8::new(0), alike: AtomicU32::new(0) }
    }

    #[test]
    fn loads_stay_away_from_what_is_written() {
        let guard = guard();
        assert_eq!(guard.zone(0, true, None), Some((0, 300, 0)));
        assert_eq!(guard.zone(299, true, None), Some((0, 300, 0)));
        assert_eq!((guard.zone(300, true, None), guard.zone(399, true, None)), (None, None));
        assert_eq!(guard.zone(400, true, None), Some((400, 500, 0)));
        assert_eq!(guard.zone(600, true, None), Some((600, u64::MAX, 0)));
    }

    #[test]
    fn stores_stay_away_from_what_is_read_too_and_from_allocations_that_are_gathered_from() {
        let mut guard = guard();
        assert_eq!((guard.zone(150, false, None), guard.zone(250, false, None)), (None, Some((200, 300, 0))));
        guard.places = Some(vec![place(0, 100), place(200, 450)]);
        assert_eq!(guard.zone(50, true, None), Some((0, 100, 0)));
        assert_eq!(guard.zone(60, false, None), None);
        assert_eq!(guard.zone(410, false, None), Some((400, 450, 1)));
        assert_eq!((guard.zone(420, true, None), guard.zone(150, true, None)), (None, None));
    }

    #[test]
    fn an_allocation_belongs_to_one_alike_store() {
        let guard = Guard {
            places: Some(vec![place(0, 100), place(200, 300)]),
            kind: Assumed::Alike,
            reads: vec![],
            ..guard()
        };
        assert_eq!(guard.zone(50, false, Some(0)), Some((0, 100, 0)));
        assert_eq!(guard.zone(250, false, Some(1)), Some((200, 300, 1)));
        assert_eq!((guard.zone(60, false, Some(0)), guard.is_broken()), (Some((0, 100, 0)), false));
        assert!(guard.zone(60, false, Some(1)).is_some() && guard.is_broken() && guard.is_apart());
    }
}
