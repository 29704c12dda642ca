//! Which bytes of global memory a launch reads and writes, where nothing else is asked: a bit for each byte.
//!
//! So a launch is followed that is known to be free of races, if the order between launches wants to know what it used. It says the
//! same as the stamps would (`global`), byte by byte.
//!
//! Not here: whether accesses race.

use crate::access::WarpAccess;
use crate::byteset::{ByteSet, WORDS};
use crate::shadow::weak::rows_of;
use crate::used::UsedBytes;
use mem::Strided;
use scalar::lanes;
use std::collections::BTreeMap;

/// Binary logarithm of the bytes of a page.
const PAGE_BITS: u32 = 16;
/// Entries of the table of pages of late.
const RECENT: usize = 16;

/// The bytes that a launch used.
#[derive(Clone, Debug, Default)]
pub(crate) struct UseShadow {
    /// By weak accesses, and by strong ones that do not count as such.
    weak: Uses,
    /// By strong accesses of device scope, by width.
    strong: BTreeMap<u32, Uses>,
    /// By read-modify-writes, which count as writes above.
    updated: Bits,
    recent: Recent,
}

/// Accesses of late that are noted, each at a place that its site and its addresses give. To note one again would change nothing.
/// The more is kept, the more places there are.
#[derive(Clone, Debug, Default)]
struct Recent {
    /// Their number is a power of two, or 0.
    places: Vec<RecentAccess>,
    /// How often one was kept since there are so many places.
    kept: usize,
}

/// A load or store of a warp: the number of its site, where its lanes are, and which of them have done it.
#[derive(Clone, Copy, Debug)]
struct RecentAccess {
    site: u64,
    lanes: Strided<32>,
    active: u32,
}

/// Places of accesses of late, the least and the most.
const RECENT_ACCESSES: [usize; 2] = [256, 1 << 14];

impl Recent {
    fn slot(&self, site: u64, lanes: &Strided<32>) -> usize {
        let mixed = (lanes.low() ^ site << 32).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        (mixed >> 32) as usize & self.places.len().wrapping_sub(1)
    }

    #[inline]
    fn has(&self, site: u64, lanes: &Strided<32>, active: u32) -> bool {
        let known = self.places.get(self.slot(site, lanes));
        known.is_some_and(|known| known.site == site && active & !known.active == 0 && known.lanes == *lanes)
    }

    fn keep(&mut self, site: u64, lanes: &Strided<32>, active: u32) {
        let [least, most] = RECENT_ACCESSES;
        if self.kept == 4 * self.places.len() && self.places.len() < most {
            let count = (4 * self.places.len()).max(least);
            self.places = vec![RecentAccess { site: 0, lanes: Strided::uniform(0), active: 0 }; count];
            self.kept = 0;
        }
        self.kept += 1;
        let slot = self.slot(site, lanes);
        let known = &mut self.places[slot];
        let before = if known.site == site && known.lanes == *lanes { known.active } else { 0 };
        *known = RecentAccess { site, lanes: *lanes, active: active | before };
    }
}

/// The bytes of global memory that a launch read or changed by atomics.
#[derive(Clone, Debug, Default)]
pub(crate) struct SeenBits(Bits);

impl SeenBits {
    /// Notes an access to global memory, if it reads.
    pub(crate) fn access(&mut self, access: &WarpAccess<'_>) {
        if access.kind.is_read() {
            self.0.access(access);
        }
    }

    /// All that was read.
    pub(crate) fn into_set(self) -> ByteSet {
        self.0.into_set()
    }
}

/// The bytes that were written, and those that were read.
#[derive(Clone, Debug, Default)]
struct Uses([Bits; 2]);

/// A set of bytes that grows quickly.
#[derive(Clone, Debug)]
struct Bits {
    index: BTreeMap<u64, usize>,
    pages: Vec<Box<[u64; WORDS]>>,
    recent: [(u64, usize); RECENT],
}

impl Default for Bits {
    fn default() -> Self {
        Self { index: BTreeMap::new(), pages: Vec::new(), recent: [(u64::MAX, 0); RECENT] }
    }
}

impl Bits {
    fn page(&mut self, number: u64) -> &mut [u64; WORDS] {
        let slot = number as usize % RECENT;
        if self.recent[slot].0 != number {
            let at = *self.index.entry(number).or_insert_with(|| {
                self.pages.push(Box::new([0; WORDS]));
                self.pages.len() - 1
            });
            self.recent[slot] = (number, at);
        }
        &mut self.pages[self.recent[slot].1]
    }

    /// Adds `len` bytes.
    #[inline]
    fn add(&mut self, start: u64, len: u64) {
        let (bit, low) = (start % 64, start & ((1 << PAGE_BITS) - 1));
        if bit + len <= 64 {
            let mask = u64::MAX >> (64 - len) << bit;
            self.page(start >> PAGE_BITS)[(low / 64) as usize] |= mask;
            return;
        }
        let mut rest = len;
        let mut at = start;
        while rest > 0 {
            let count = rest.min(64 - at % 64);
            let word = (at & ((1 << PAGE_BITS) - 1)) / 64;
            self.page(at >> PAGE_BITS)[word as usize] |= u64::MAX >> (64 - count) << (at % 64);
            at = at.wrapping_add(count);
            rest -= count;
        }
    }

    /// Adds the bytes of all active lanes.
    fn access(&mut self, access: &WarpAccess<'_>) {
        let width = u64::from(access.width);
        let first = access.active.trailing_zeros();
        let run = access.active >> first;
        if let Some(rows) = rows_of(access) {
            let is_one = rows.is_uniform();
            let is_run = rows.is_contiguous(access.width as usize) && run & run.wrapping_add(1) == 0;
            if is_one || is_run {
                let count = if is_one { 1 } else { u64::from(run.count_ones()) };
                self.add(rows.address(first as usize), count * width);
                return;
            }
        }
        lanes(access.active).for_each(|lane| self.add(access.addresses.address(lane), width));
    }

    fn into_set(self) -> ByteSet {
        let mut pages: Vec<Option<Box<[u64; WORDS]>>> = self.pages.into_iter().map(Some).collect();
        let take = |(number, at): (u64, usize)| Some((number, pages.get_mut(at)?.take()?));
        ByteSet::of_pages(self.index.into_iter().filter_map(take))
    }
}

impl Uses {
    fn into_used(self) -> UsedBytes {
        let [written, read] = self.0.map(Bits::into_set);
        UsedBytes { written, read, ..UsedBytes::default() }
    }
}

impl UseShadow {
    /// Notes an access to global memory.
    pub(crate) fn access(&mut self, access: &WarpAccess<'_>) {
        if !access.kind.is_strong() {
            self.weak.0[usize::from(access.kind.is_read())].access(access);
            return;
        }
        let width = u64::from(access.width);
        if access.kind.is_rmw() {
            self.updated.access(access);
        }
        for lane in lanes(access.active) {
            let address = access.addresses.address(lane);
            let is_regular = access.scope.is_wide() && access.width.is_power_of_two() && address.is_multiple_of(width);
            let uses = if is_regular { self.strong.entry(access.width).or_default() } else { &mut self.weak };
            let kind = access.kind_of(lane);
            uses.0[usize::from(!kind.is_write())].add(address, width);
        }
    }

    /// Keeps in mind that it has noted a load or store at the site of that number.
    pub(crate) fn keep(&mut self, site: u64, lanes: &Strided<32>, active: u32) {
        self.recent.keep(site, lanes, active);
    }

    /// Whether it is sure to have noted a load or store of such lanes at the site of that number.
    #[inline]
    pub(crate) fn has(&self, site: u64, lanes: &Strided<32>, active: u32) -> bool {
        self.recent.has(site, lanes, active)
    }

    /// All that was used.
    pub(crate) fn into_used(self) -> UsedBytes {
        let mut out = self.weak.into_used();
        for (width, uses) in self.strong {
            let mut strong = uses.into_used();
            let mut all = strong.written.clone();
            all.extend(&strong.read);
            strong.strong.insert(width, all);
            out.merge(&strong);
        }
        out.seen = out.read.clone();
        out.seen.extend(&self.updated.into_set());
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::access::{Kind, Scope};
    use mem::LaneAddresses;

    #[test]
    fn accesses_are_noted_to_the_byte() {
        let mut shadow = UseShadow::default();
        let mut touch = |kind, active, addresses: LaneAddresses<32>| {
            let access = WarpAccess {
                warp: 0,
                active,
                failed: 0,
                kind,
                scope: Scope::Gpu,
                width: 4,
                addresses: &addresses,
                order: None,
            };
            shadow.access(&access);
        };
        touch(Kind::Write, u32::MAX, LaneAddresses::Strided(Strided::contiguous(0xffc0, 4)));
        touch(Kind::Read, 0b101, LaneAddresses::Strided(Strided::contiguous(0x100, 4)));
        touch(Kind::Read, 0b110, LaneAddresses::uniform(0x203));
        touch(Kind::Reduce, 0b11, LaneAddresses::Strided(Strided::contiguous(0x300, 4)));
        touch(Kind::Read, 0b1, LaneAddresses::uniform(0x300));
        let used = shadow.into_used();
        assert_eq!(used.written.ranges(), [(0x300, 8), (0xffc0, 128)]);
        assert_eq!(used.read.ranges(), [(0x100, 4), (0x108, 4), (0x203, 4), (0x300, 4)]);
        assert_eq!(used.seen.ranges(), [(0x100, 4), (0x108, 4), (0x203, 4), (0x300, 8)]);
        assert_eq!(used.strong[&4].ranges(), [(0x304, 4)]);
    }
    #[test]
    fn accesses_of_late_are_known_by_site_rule_and_lanes() {
        let mut shadow = UseShadow::default();
        let row = |first| Strided::contiguous(first, 4);
        assert!(!shadow.has(0, &Strided::uniform(0), 1));
        shadow.keep(7, &row(0x100), 0b0110);
        shadow.keep(7, &row(0x100), 0b1000);
        let known = [0b0010, 0b1110, 0b0001, 0b1111].map(|active| shadow.has(7, &row(0x100), active));
        assert_eq!(known, [true, true, false, false]);
        let others = [(8, row(0x100)), (7, row(0x104)), (7, Strided::uniform(0x100))];
        assert!(others.iter().all(|(site, lanes)| !shadow.has(*site, lanes, 0b10)));
        // What takes the place of another is known instead of it.
        let slot = |lanes: Strided<32>| shadow.recent.slot(7, &lanes);
        let taken = (1..10_000).map(|k| row(0x100 + 4 * k)).find(|r| slot(*r) == slot(row(0x100)));
        let taken = taken.expect("there are fewer places");
        shadow.keep(7, &taken, 0b1);
        assert!(shadow.has(7, &taken, 0b1) && !shadow.has(7, &row(0x100), 0b10));
    }

    #[test]
    fn there_are_more_places_where_more_accesses_are_kept() {
        let mut recent = Recent::default();
        let row = |k: u64| Strided::contiguous(0x1000 + 128 * k, 4);
        (0..40_000).for_each(|k| recent.keep(3, &row(k % 4000), u32::MAX));
        assert_eq!(recent.places.len(), RECENT_ACCESSES[1]);
        let known = (0..4000).filter(|&k| recent.has(3, &row(k), 1)).count();
        assert!(known > 3000 && !recent.has(3, &row(4000), 1), "{known}");
        // The number of places has an end.
        (0..100_000).for_each(|k| recent.keep(3, &row(k), u32::MAX));
        assert_eq!(recent.places.len(), RECENT_ACCESSES[1]);
    }
}
