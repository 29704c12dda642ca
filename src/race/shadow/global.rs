//! The shadow of global memory: pages of stamps.
//!
//! Pages are made when first touched and kept from launch to launch; a page that was last used before the present
//! launch, or before its last grid synchronisation, is cleared on its first touch. Pages of memory that was freed go with it,
//! and those that no launch has touched for some time go once the shadow is large. If
//! they reach the limit of memory, the verdict is incomplete. Not here: the order between launches (`timeline`).

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use crate::access::{Kind, WarpAccess};
use crate::byteset::ByteSet;
use crate::clock::block::View;
use crate::shadow::cell::Op;
use crate::shadow::page::{Page, Touch};
use crate::shadow::weak::{Weak, rows_of};
use crate::used::UsedBytes;
use mem::ActivePattern;
use scalar::lanes;

/// Binary logarithm of the bytes of a page.
const PAGE_BITS: u32 = 16;
/// Bytes of a page.
const PAGE: u32 = 1 << PAGE_BITS;
/// Launches after which a page that none of them touched is dropped, if the shadow is large.
const KEPT_LAUNCHES: usize = 8;
/// Bytes from which on a shadow is large.
const LARGE_BYTES: u64 = 256 << 20;
/// Bytes from which on a shadow makes no cells finer than 4 bytes.
const FINE_BYTES: u64 = 1 << 30;
/// Entries of the table of recently used pages: those of 32 MB that lie one after another.
const RECENT: usize = 512;

/// The number of the page that a byte is of.
pub(crate) fn page_number(address: u64) -> u64 {
    address >> PAGE_BITS
}

/// A hash for page numbers: one multiplication, the same on every machine.
#[derive(Clone, Copy, Default)]
struct PageHasher(u64);

impl Hasher for PageHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for &b in bytes {
            self.write_u64(u64::from(b));
        }
    }

    fn write_u64(&mut self, n: u64) {
        let x = (self.0 ^ n).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.0 = x ^ x >> 32;
    }
}

/// The shadow of global memory.
#[derive(Clone, Debug)]
pub(crate) struct GlobalShadow {
    /// Where the page of a number is; never iterated.
    index: HashMap<u64, usize, BuildHasherDefault<PageHasher>>,
    pages: Vec<(u64, Page)>,
    recent: Box<[(u64, usize); RECENT]>,
    epoch: u32,
    launch_epoch: u32,
    /// The epochs with which the last launches began, the present one last.
    launches: [u32; KEPT_LAUNCHES],
    finest: u32,
    limit_bytes: u64,
    used_bytes: u64,
    has_strong: bool,
    is_full: bool,
}

/// What the cells shall do with the accesses of a kind.
pub(crate) fn op_of(kind: Kind) -> Op {
    match kind {
        Kind::Read => Op::WeakRead,
        Kind::Write | Kind::Free => Op::WeakWrite,
        Kind::Atomic | Kind::Reduce => Op::StrongRmw,
        Kind::VolatileRead => Op::StrongRead,
        Kind::VolatileWrite => Op::StrongWrite,
    }
}

/// How the addresses of the active lanes lie.
pub(crate) fn pattern_of(access: &WarpAccess<'_>) -> ActivePattern {
    access.addresses.active_pattern(access.active, access.width)
}

impl GlobalShadow {
    /// An empty shadow with cells no finer than `1 << finest` bytes that takes no more than `limit_bytes`.
    pub(crate) fn new(finest: u32, limit_bytes: u64) -> Self {
        Self {
            index: HashMap::default(),
            pages: Vec::new(),
            recent: Box::new([(u64::MAX, 0); RECENT]),
            epoch: 0,
            launch_epoch: 0,
            launches: [0; KEPT_LAUNCHES],
            finest,
            limit_bytes,
            used_bytes: 0,
            has_strong: false,
            is_full: false,
        }
    }

    /// Voids all stamps, for a new launch or, within one, for a synchronisation of the whole grid.
    pub(crate) fn start(&mut self, is_new_launch: bool) {
        if self.epoch == u32::MAX {
            // Once in four thousand million launches: start over.
            self.pages.clear();
            self.index.clear();
            self.recent.fill((u64::MAX, 0));
            self.used_bytes = 0;
            self.epoch = 0;
            self.launches = [0; KEPT_LAUNCHES];
        }
        self.epoch += 1;
        if is_new_launch {
            self.launch_epoch = self.epoch;
            self.launches.rotate_left(1);
            let oldest = std::mem::replace(&mut self.launches[KEPT_LAUNCHES - 1], self.epoch);
            if self.used_bytes > LARGE_BYTES {
                self.drop_before(oldest);
            }
            self.has_strong = false;
            self.is_full = false;
        }
    }

    /// Drops the pages that no launch has touched since the present one started.
    pub(crate) fn trim(&mut self) {
        self.drop_before(self.launch_epoch);
    }

    /// Drops the pages that were last touched before `epoch`.
    fn drop_before(&mut self, epoch: u32) {
        if self.pages.iter().all(|p| p.1.epoch >= epoch) {
            return;
        }
        self.pages.retain(|p| p.1.epoch >= epoch);
        self.index = self.pages.iter().enumerate().map(|(i, p)| (p.0, i)).collect();
        self.recent.fill((u64::MAX, 0));
        self.used_bytes = self.pages.iter_mut().map(|p| p.1.recharge()).sum();
    }

    /// Drops the pages that lie wholly in memory which was freed.
    pub(crate) fn forget(&mut self, start: u64, bytes: u64) {
        for number in start.div_ceil(u64::from(PAGE))..start.saturating_add(bytes) >> PAGE_BITS {
            let Some(at) = self.index.remove(&number) else { continue };
            let (_, mut page) = self.pages.swap_remove(at);
            self.used_bytes = self.used_bytes.saturating_sub(page.take_charge());
            if let Some((moved, _)) = self.pages.get(at) {
                self.index.insert(*moved, at);
            }
            self.recent.fill((u64::MAX, 0));
        }
    }

    /// The most bytes that the stamps may take from now on.
    pub(crate) fn set_limit(&mut self, limit_bytes: u64) {
        self.limit_bytes = limit_bytes;
    }

    /// Whether a page was refused for want of memory in this launch.
    pub(crate) fn is_full(&self) -> bool {
        self.is_full
    }

    /// Whether a strong access has been made in this launch.
    pub(crate) fn has_strong(&self) -> bool {
        self.has_strong
    }

    /// The bytes that the stamps take.
    pub(crate) fn footprint_bytes(&self) -> u64 {
        self.used_bytes
    }

    /// Binary logarithm of the bytes of the finest cells that may be made now.
    fn finest(&self) -> u32 {
        if self.used_bytes < FINE_BYTES { self.finest } else { self.finest.max(2) }
    }

    /// Lets `f` work on a page; `None` if the page was refused for want of memory.
    fn with_page<R>(&mut self, number: u64, used: &mut ByteUse<'_>, f: impl FnOnce(&mut Page) -> R) -> Option<R> {
        let at = self.find_page(number, used)?;
        let page = &mut self.pages[at].1;
        let result = f(page);
        self.used_bytes += page.take_growth();
        Some(result)
    }

    fn find_page(&mut self, number: u64, used: &mut ByteUse<'_>) -> Option<usize> {
        let slot = number as usize % RECENT;
        let (recent, mut at) = self.recent[slot];
        if recent != number || self.pages[at].1.epoch != self.epoch {
            if let Some(&known) = self.index.get(&number) {
                at = known;
            } else {
                if self.used_bytes >= self.limit_bytes {
                    self.is_full = true;
                    return None;
                }
                at = self.pages.len();
                self.pages.push((number, Page::new(PAGE, self.epoch)));
                self.index.insert(number, at);
            }
            let page = &mut self.pages[at].1;
            if page.epoch != self.epoch {
                if page.epoch >= self.launch_epoch {
                    used.keep(number, page);
                }
                page.clear(self.epoch, page.epoch < self.launch_epoch);
            }
            self.recent[slot] = (number, at);
        }
        Some(at)
    }

    /// Takes in the shadow of a detector that followed other blocks of this launch; adds the cells that may be racy to `found`.
    pub(crate) fn merge(&mut self, other: GlobalShadow, found: &mut ByteSet, used: &mut ByteUse<'_>) {
        self.has_strong |= other.has_strong;
        self.is_full |= other.is_full;
        for (number, mut page) in other.pages {
            if page.epoch < other.launch_epoch || page.is_blank() {
                continue;
            }
            let Some(at) = self.find_page(number, used) else { continue };
            let ours = &mut self.pages[at].1;
            if ours.is_blank() {
                let charge = ours.take_charge();
                page.epoch = self.epoch;
                self.used_bytes = self.used_bytes.saturating_sub(charge) + page.recharge();
                *ours = page;
                continue;
            }
            let base = number << PAGE_BITS;
            ours.merge(page, &mut |offset, bytes| {
                found.insert(base + u64::from(offset), u64::from(bytes));
            });
            self.used_bytes += ours.take_growth();
        }
    }

    /// Whether a strong access of this launch touched one of the bytes, to 4 bytes exactly.
    pub(crate) fn is_strong_at(&self, address: u64, width: u32) -> bool {
        let last = address.saturating_add(u64::from(width) - 1);
        (address >> PAGE_BITS..=last >> PAGE_BITS).any(|number| {
            let base = number << PAGE_BITS;
            let start = address.max(base) - base;
            let end = last.min(base + u64::from(PAGE) - 1) - base;
            self.index.get(&number).is_some_and(|&at| {
                let page = &self.pages[at].1;
                page.epoch >= self.launch_epoch && page.is_strong_at(start as u32, (end - start) as u32 + 1)
            })
        })
    }

    /// The places of this launch's strong accesses, in units of 4 bytes.
    pub(crate) fn strong_places(&self) -> ByteSet {
        let mut set = ByteSet::default();
        for (number, page) in &self.pages {
            if page.epoch >= self.launch_epoch {
                page.for_each_strong(|offset| {
                    set.insert((number << PAGE_BITS) + u64::from(offset), 4);
                });
            }
        }
        set
    }

    /// Adds to `used` what is in the pages that this launch has touched.
    pub(crate) fn collect_used(&self, used: &mut ByteUse<'_>) {
        for (number, page) in self.pages.iter().filter(|p| p.1.epoch >= self.launch_epoch) {
            used.keep(*number, page);
        }
    }

    /// Checks an access and updates the stamps; adds the cells that may be racy to `found`. True if there is a new one.
    pub(crate) fn access(
        &mut self,
        view: &View<'_>,
        access: &WarpAccess<'_>,
        found: &mut ByteSet,
        used: &mut ByteUse<'_>,
    ) -> bool {
        if !access.kind.is_strong() {
            return self.access_weak(view, access, found, used);
        }
        self.has_strong = true;
        if let ActivePattern::Uniform(address) = pattern_of(access)
            && access.active.count_ones() > 1
            && access.failed & access.active == 0
        {
            let offset = (address % u64::from(PAGE)) as u32;
            let touch =
                Touch { offset, width: access.width, op: op_of(access.kind), is_regular: access.scope.is_wide() };
            if offset + access.width <= PAGE {
                let finest = self.finest();
                let is_done = self
                    .with_page(address >> PAGE_BITS, used, |page| page.touch_by_warp::<false>(&touch, finest, view));
                if is_done.unwrap_or(true) {
                    return false;
                }
            }
        }
        self.access_lanes(view, access, access.active, found, used)
    }

    fn access_weak(
        &mut self,
        view: &View<'_>,
        access: &WarpAccess<'_>,
        found: &mut ByteSet,
        used: &mut ByteUse<'_>,
    ) -> bool {
        let weak = Weak { access, view, finest: self.finest() };
        let Some(rows) = rows_of(access) else {
            return self.access_list(&weak, found, used);
        };
        let (low, high) = rows.ends(access.active);
        let mut is_new = false;
        let number = low >> PAGE_BITS;
        if high >> PAGE_BITS == number && low <= high {
            let base = number << PAGE_BITS;
            self.with_page(number, used, |page| {
                weak.rows::<false>(page, &rows, base, &mut |offset, bytes| {
                    is_new |= found.insert(base + u64::from(offset), u64::from(bytes));
                });
            });
            return is_new;
        }
        // Several pages: the lanes of each by themselves, in order.
        self.load_ahead(access);
        let mut rest = access.active;
        while rest != 0 {
            let number = rows.address(rest.trailing_zeros() as usize) >> PAGE_BITS;
            let mut mask = 0;
            for lane in lanes(rest) {
                if rows.address(lane) >> PAGE_BITS != number {
                    break;
                }
                mask |= 1 << lane;
            }
            rest &= !mask;
            let weak = Weak { access: &WarpAccess { active: mask, ..*access }, ..weak };
            let base = number << PAGE_BITS;
            self.with_page(number, used, |page| {
                weak.rows::<false>(page, &rows, base, &mut |offset, bytes| {
                    is_new |= found.insert(base + u64::from(offset), u64::from(bytes));
                });
            });
        }
        is_new
    }

    /// A weak access with a list of addresses.
    fn access_list(&mut self, weak: &Weak<'_>, found: &mut ByteSet, used: &mut ByteUse<'_>) -> bool {
        let access = weak.access;
        let low_bits = u64::from(access.width.wrapping_sub(1));
        let is_aligned = lanes(access.active).all(|lane| access.addresses.address(lane) & low_bits == 0);
        if !access.width.is_power_of_two() || !is_aligned {
            return self.access_lanes(weak.view, access, access.active, found, used);
        }
        self.load_ahead(access);
        let mut is_new = false;
        for lane in lanes(access.active) {
            let address = access.addresses.address(lane);
            let offset = (address % u64::from(PAGE)) as u32;
            let base = address - u64::from(offset);
            self.with_page(address >> PAGE_BITS, used, |page| {
                weak.lane::<false>(page, offset, lane, &mut |offset, bytes| {
                    is_new |= found.insert(base + u64::from(offset), u64::from(bytes));
                });
            });
        }
        is_new
    }

    /// Has the processor load the stamps of all lanes at once: one after another, each would wait for memory.
    fn load_ahead(&self, access: &WarpAccess<'_>) {
        let mut all = 0;
        for lane in lanes(access.active) {
            let address = access.addresses.address(lane);
            let number = address >> PAGE_BITS;
            let (recent, at) = self.recent[number as usize % RECENT];
            if recent == number {
                all |= self.pages[at].1.stamps_at((address % u64::from(PAGE)) as u32);
            }
        }
        std::hint::black_box(all);
    }

    /// The lanes of `mask` one by one.
    fn access_lanes(
        &mut self,
        view: &View<'_>,
        access: &WarpAccess<'_>,
        mask: u32,
        found: &mut ByteSet,
        used: &mut ByteUse<'_>,
    ) -> bool {
        let finest = self.finest();
        let mut is_new = false;
        let mut at: Option<(u64, usize)> = None;
        for lane in lanes(mask) {
            let (mut address, mut left) = (access.addresses.address(lane), access.width);
            while left > 0 {
                let offset = (address % u64::from(PAGE)) as u32;
                let width = left.min(PAGE - offset);
                let number = address >> PAGE_BITS;
                if at.is_none_or(|at| at.0 != number) {
                    at = self.find_page(number, used).map(|page| (number, page));
                }
                if let Some((_, page)) = at {
                    // A part of an access is not the place and width of the whole.
                    let is_regular = access.scope.is_wide() && width == access.width;
                    let touch = Touch { offset, width, op: op_of(access.kind_of(lane)), is_regular };
                    let page = &mut self.pages[page].1;
                    let base = address - u64::from(offset);
                    page.touch::<false>(&touch, finest, view, lane, &mut |offset, bytes| {
                        is_new |= found.insert(base + u64::from(offset), u64::from(bytes));
                    });
                    self.used_bytes += page.take_growth();
                }
                left -= width;
                address = address.wrapping_add(u64::from(width));
            }
        }
        is_new
    }
}

/// Collects what a launch read and wrote, if anybody wants to know.
pub(crate) struct ByteUse<'a> {
    pub(crate) used: Option<&'a mut UsedBytes>,
}

impl ByteUse<'_> {
    fn keep(&mut self, number: u64, page: &Page) {
        let Some(used) = &mut self.used else { return };
        let base = number << PAGE_BITS;
        let mut of_page = UsedBytes::default();
        // Cells come in order; whole runs of them go into the sets at once.
        let mut runs = [(0, 0); 2];
        page.for_each_used(|offset, bytes, cell| {
            let (start, len) = (base + u64::from(offset), u64::from(bytes));
            let sets = [&mut of_page.written, &mut of_page.read];
            for ((is_used, run), set) in [cell.is_written, cell.is_read].into_iter().zip(&mut runs).zip(sets) {
                if !is_used {
                    continue;
                }
                let (from, count): &mut (u64, u64) = run;
                if *from + *count == start {
                    *count += len;
                } else {
                    set.insert(*from, *count);
                    (*from, *count) = (start, len);
                }
            }
            if let Some(width) = cell.strong_width {
                of_page.strong.entry(width).or_default().insert(start, len);
            }
        });
        of_page.written.insert(runs[0].0, runs[0].1);
        of_page.read.insert(runs[1].0, runs[1].1);
        used.merge(&of_page);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::access::{LANES, Scope};
    use crate::clock::block::BlockClock;
    use mem::{LaneAddresses, Strided};

    /// A test makes few of them.
    fn strided(first: u64, stride: u16) -> &'static LaneAddresses<LANES> {
        Box::leak(Box::new(LaneAddresses::Strided(Strided::contiguous(first, stride))))
    }

    fn write(first: u64) -> WarpAccess<'static> {
        let addresses = strided(first, 4);
        WarpAccess {
            warp: 0,
            active: u32::MAX,
            failed: 0,
            kind: Kind::Write,
            scope: Scope::Gpu,
            width: 4,
            addresses,
            order: None,
        }
    }

    #[test]
    fn pages_are_cleared_on_the_first_touch_of_a_launch_and_trimmed_when_unused() {
        let mut shadow = GlobalShadow::new(2, u64::MAX);
        let (mut found, mut none) = (ByteSet::default(), ByteUse { used: None });
        let mut block_clock = BlockClock::new(0, 64, false);
        block_clock.step();
        shadow.start(true);
        shadow.access(&block_clock.view(0, 1), &write(0x2_ffc0), &mut found, &mut none);
        // Two pages of lines of 32 cells, each of 128 bytes, and a bit for each.
        assert_eq!(shadow.footprint_bytes(), 2 * (65536 + 64));
        shadow.start(true);
        shadow.access(&block_clock.view(1, 1), &write(0x2_0000), &mut found, &mut none);
        assert!(found.is_empty());
        shadow.trim();
        assert_eq!(shadow.footprint_bytes(), 65536 + 64);
        assert!(shadow.access(&block_clock.view(0, 1), &write(0x2_0000), &mut found, &mut none));
        assert_eq!(found.ranges(), [(0x2_0000, 128)]);
    }

    #[test]
    fn pages_of_freed_memory_are_dropped() {
        let mut shadow = GlobalShadow::new(2, u64::MAX);
        let (mut found, mut none) = (ByteSet::default(), ByteUse { used: None });
        let mut block_clock = BlockClock::new(0, 64, false);
        block_clock.step();
        shadow.start(true);
        for page in 1..6 {
            shadow.access(&block_clock.view(0, 1), &write(page << 16), &mut found, &mut none);
        }
        shadow.forget(0x1_8000, 0x3_0000);
        assert_eq!(shadow.footprint_bytes(), 3 * (65536 + 64));
        for page in [1, 4, 5] {
            assert!(shadow.access(&block_clock.view(1, 1), &write(page << 16), &mut found, &mut none));
        }
        assert!(!shadow.access(&block_clock.view(1, 1), &write(2 << 16), &mut found, &mut none));
        shadow.forget(0, u64::MAX >> 30);
        assert_eq!(shadow.footprint_bytes(), 0);
    }

    #[test]
    fn narrower_access_makes_a_page_of_lines_one_of_stamps() {
        let mut shadow = GlobalShadow::new(2, u64::MAX);
        let (mut found, mut none) = (ByteSet::default(), ByteUse { used: None });
        let mut block_clock = BlockClock::new(0, 64, false);
        block_clock.step();
        shadow.start(true);
        let wide = WarpAccess { width: 8, addresses: strided(0, 8), ..write(0) };
        shadow.access(&block_clock.view(0, 1), &wide, &mut found, &mut none);
        assert_eq!(shadow.footprint_bytes(), 32768 + 32);
        assert!(found.is_empty());
        shadow.access(&block_clock.view(1, 1), &write(128), &mut found, &mut none);
        assert_eq!(shadow.footprint_bytes(), 4 * 65536);
        assert_eq!(found.ranges(), [(128, 128)]);
    }
}
