//! A memory: its live allocations, its limits, and the lists of what was written and touched.
//!
//! The types say who may do what. `&Memory` reads, from any number of threads. `&mut Memory` allocates, frees and writes. Code
//! that runs stores through a view (`view`), which borrows the memory for as long as it runs. A clone shares pages until one of
//! the two writes.
//!
//! Not here: reading and writing contents (`contents`), pages (`backing`).
#![allow(unsafe_code)] // Who borrows the memory decides whether another thread may use its pages.

use crate::address::{ALIGN, GUARD, REGION_BITS, Region};
use crate::allocation::{Alloc, AllocId, FreeError, OutOfMemory};
use crate::backing::{Backing, RetireList};
use crate::door::Door;
use crate::history::History;
use crate::init::{Initialised, SharedInitBits};
use crate::locked::Locked;
use crate::touch::{Touch, Touches};
use source::Span;
use std::collections::BTreeMap;
use std::sync::Arc;

/// An allocation that lives, or the place in the list of one that did.
#[derive(Debug)]
pub(crate) struct Live {
    pub(crate) base: u64,
    /// Bytes asked for; of a dead one 0.
    pub(crate) bytes: u64,
    id: AllocId,
    is_dead: bool,
    pub(crate) backing: Backing,
}

/// Where the pages of an allocation are in this process.
#[derive(Clone, Copy, Debug)]
pub struct PageTable {
    /// The address of its first byte.
    pub low: u64,
    /// Its bytes.
    pub len: u64,
    /// The place of each page of [`PageTable::PAGE`] bytes, a word of 64 bits, whose lowest bit is set if the page is not to be
    /// written; 0 is a page of zeros, which is not either. It holds as long as the memory's generation.
    pub slots: *const u8,
}

impl PageTable {
    /// Bytes of a page; the last one may have less.
    pub const PAGE: u64 = crate::header::PAGE as u64;
}

/// Bytes of one allocation that lie side by side in this process.
#[derive(Clone, Copy, Debug)]
pub struct MemoryWindow {
    /// The address of the first one.
    pub low: u64,
    /// How many there are.
    pub len: u64,
    /// Where the first one is. It holds until [`crate::MemoryView::generation`] changes. Using it is bound by the same rules as the view.
    pub place: *mut u8,
}

impl Live {
    /// The bytes around an offset and as many behind it as there are up to `bytes`, to be read, or to be written too.
    pub(crate) fn window(&self, offset: usize, bytes: u64, to_write: bool) -> Option<MemoryWindow> {
        let (first, len, place) = self.backing.window(offset, usize::try_from(bytes).ok()?, to_write)?;
        let len = (len as u64).min(self.bytes - first as u64);
        Some(MemoryWindow { low: self.base + first as u64, len, place })
    }

    /// Where its pages are.
    pub(crate) fn page_table(&self) -> PageTable {
        PageTable { low: self.base, len: self.bytes, slots: self.backing.slots().cast() }
    }
}

impl Live {
    /// First address behind it where another one may begin.
    fn end(&self) -> u64 {
        (self.base + self.bytes.max(1) + GUARD).next_multiple_of(ALIGN)
    }
}

/// All memory that addresses reach, but for shared and local memory of running blocks. A clone shares pages until one of
/// the two writes.
#[derive(Debug, Default)]
pub struct Memory {
    /// Live allocations, by base, with places of dead ones among them.
    pub(crate) live: Vec<Live>,
    /// How many of them are dead.
    dead: usize,
    retired: Arc<RetireList>,
    history: History,
    next: BTreeMap<Region, u64>,
    used: BTreeMap<Region, u64>,
    limits: BTreeMap<Region, u64>,
    /// How many bytes all regions but the stack may hold together, if that is limited.
    total_limit: Option<u64>,
    pub(crate) touches: Touches,
    pub(crate) initialised: Initialised,
    /// Host memory that devices may touch.
    pub(crate) locked: Locked,
    /// What reaches memory of C, once C code is called.
    pub(crate) door: Option<Arc<dyn Door>>,
}

impl Clone for Memory {
    fn clone(&self) -> Memory {
        let retired = self.retired.sibling();
        let living = self.live.iter().filter(|l| !l.is_dead);
        // SAFETY: who stores has borrowed the memory exclusively, so nobody does.
        let live = living.map(|l| Live { backing: unsafe { l.backing.share(&retired) }, ..*l }).collect();
        Memory {
            live,
            dead: 0,
            retired,
            history: self.history.clone(),
            next: self.next.clone(),
            used: self.used.clone(),
            limits: self.limits.clone(),
            total_limit: self.total_limit,
            touches: self.touches.clone(),
            initialised: self.initialised.clone(),
            locked: self.locked.clone(),
            door: self.door.clone(),
        }
    }
}

impl Memory {
    /// An empty memory without limits.
    pub fn new() -> Memory {
        Memory::default()
    }

    /// Sets how many bytes a region may hold at one time.
    pub fn set_limit(&mut self, region: Region, bytes: u64) {
        self.limits.insert(region, bytes);
    }

    /// Sets how many bytes all regions may hold together at one time. The stack has its own size.
    pub fn set_total_limit(&mut self, bytes: u64) {
        self.total_limit = Some(bytes);
    }

    /// Says whether [`Memory::read`], [`Memory::write`] and [`Memory::copy`] are noted for [`Memory::take_touches`].
    pub fn note_touches(&mut self, is_wanted: bool) {
        self.touches.want(is_wanted);
    }

    /// What was read and written in stretches since the last call, in order.
    pub fn take_touches(&mut self) -> Vec<Touch> {
        self.touches.take()
    }

    /// Keeps from now on which bytes have been written.
    pub fn track_initialised(&mut self) {
        self.initialised.want();
    }

    /// Which bytes have been written, if that is kept, for the caller of the executor, which notes stores.
    pub fn initialised(&self) -> Option<SharedInitBits> {
        self.initialised.share()
    }

    /// The runs of bytes that nothing has written, as offset from `address` and length; none if that is not kept.
    pub fn holes(&self, address: u64, len: u64) -> Vec<(u64, u64)> {
        self.initialised.with(|bits| bits.holes(address, len)).unwrap_or_default()
    }

    /// Says that bytes count as written though nothing wrote them, such as zeros that a variable begins with.
    pub fn mark_initialised(&self, address: u64, len: u64) {
        self.initialised.with(|bits| bits.set(address, len));
    }

    /// Says that bytes count as never written.
    pub fn mark_uninitialised(&self, address: u64, len: u64) {
        self.initialised.with(|bits| bits.unset(address, len));
    }

    /// Says that bytes hold a copy of others that nothing has written.
    pub fn mark_copied_hole(&self, destination: u64, source: u64, len: u64) {
        self.initialised.with(|bits| bits.copy_hole(destination, source, len));
    }

    /// Bytes allocated in a region.
    pub fn used(&self, region: Region) -> u64 {
        self.used.get(&region).copied().unwrap_or(0)
    }

    /// Bytes that a region may hold at one time.
    pub fn limit(&self, region: Region) -> u64 {
        let own = self.limits.get(&region).copied().unwrap_or(1 << 40);
        own.min(self.total_limit.filter(|_| region != Region::HostStack).unwrap_or(u64::MAX))
    }

    /// Bytes that can still be allocated in a region.
    pub fn free_bytes(&self, region: Region) -> u64 {
        let own = self.limit(region).saturating_sub(self.used(region));
        match self.total_limit {
            Some(total) if region != Region::HostStack => {
                let counted = self.used.iter().filter(|(r, _)| **r != Region::HostStack).map(|(_, used)| used);
                own.min(total.saturating_sub(counted.sum()))
            }
            _ => own,
        }
    }

    /// Sets how many bytes the pages of this memory and all its clones may really hold at one time. An allocation that does not
    /// fit into what is left fails; so does a store whose page does not, see [`Memory::take_exhaustion`].
    pub fn set_page_limit(&mut self, bytes: u64) {
        self.retired.pool().set_limit(bytes);
    }

    /// How many bytes of pages there may be, if a write has failed for want of pages since the last call though its address
    /// was good.
    pub fn take_exhaustion(&self) -> Option<u64> {
        self.retired.pool().take_exhaustion()
    }

    /// Whether [`Memory::take_exhaustion`] would give something.
    pub fn is_exhausted(&self) -> bool {
        self.retired.pool().is_exhausted()
    }

    /// Bytes of pages that this memory and all its clones really hold.
    pub fn held(&self) -> u64 {
        self.retired.pool().held()
    }

    /// How many more bytes those pages may have.
    pub fn page_room(&self) -> u64 {
        self.retired.pool().room()
    }

    /// Bytes of pages really held.
    pub fn resident(&self) -> u64 {
        self.live.iter().map(|l| l.backing.resident()).sum()
    }

    /// Allocates `bytes` (perhaps 0) and gives the first address, a multiple of 256. The contents read as zeros.
    pub fn alloc(&mut self, region: Region, bytes: u64, name: &str, span: Span) -> Result<u64, OutOfMemory> {
        self.alloc_aligned(region, bytes, 1, name, span)
    }

    /// The same with an address that is a multiple of a power of two, too. So is the place where
    /// [`Memory::settle`] puts the first byte.
    pub fn alloc_aligned(
        &mut self,
        region: Region,
        bytes: u64,
        align: u32,
        name: &str,
        span: Span,
    ) -> Result<u64, OutOfMemory> {
        // A stack is large so that calls may nest deeply, which few programs do.
        let room = if region == Region::HostStack { u64::MAX } else { self.retired.pool().room() };
        let (used, free) = (self.used(region), self.free_bytes(region).min(room));
        let refused = OutOfMemory { bytes, free };
        if bytes > free || bytes > 1 << 40 {
            return Err(refused);
        }
        let base = self.find_room(region, bytes, u64::from(align).max(ALIGN)).ok_or(refused)?;
        let id = self.history.next().ok_or(refused)?;
        let backing = Backing::new(bytes, align as usize, &self.retired).ok_or(refused)?;
        let live = Live { base, bytes, id, is_dead: false, backing };
        self.next.insert(region, live.end());
        self.used.insert(region, used + bytes);
        let name = self.history.name(name);
        self.history.push(Alloc { base, bytes, align, region, name, span, freed: None });
        let at = self.live.partition_point(|l| l.base < base);
        // Where addresses are used anew, places of the dead may stand in the way.
        let behind = at + self.live[at..].partition_point(|l| l.base < live.end());
        self.dead -= behind - at;
        self.live.splice(at..behind, [live]);
        Ok(base)
    }

    /// Where the next allocation of a region begins: behind the last one, and when all numbers of the region have been used,
    /// in the first gap from there on that is large enough.
    fn find_room(&self, region: Region, bytes: u64, align: u64) -> Option<u64> {
        let first = region.base() + ALIGN;
        let next = self.next.get(&region).copied().unwrap_or(first);
        self.gap(region, next, bytes, align).or_else(|| self.gap(region, first, bytes, align))
    }

    fn gap(&self, region: Region, from: u64, bytes: u64, align: u64) -> Option<u64> {
        let (mut at, end) = (from.next_multiple_of(align), region.base() + (1 << REGION_BITS));
        let size = bytes.max(1) + GUARD;
        // What begins before the aligned place may reach beyond it.
        let behind = self.live.partition_point(|l| l.base < from);
        for l in self.live[behind..].iter().filter(|l| !l.is_dead).take_while(|l| l.base < end) {
            if at + size <= l.base {
                break;
            }
            at = at.max(l.end().next_multiple_of(align));
        }
        (at + size <= end).then_some(at)
    }

    /// Frees the allocation that begins at `address`.
    pub fn free(&mut self, address: u64, span: Span) -> Result<AllocId, FreeError> {
        let Some(at) = self.position(address) else {
            return Err(match self.dead_at(address) {
                Some(id) => FreeError::Freed(id),
                None => FreeError::Unknown,
            });
        };
        let l = &mut self.live[at];
        let (base, bytes, id) = (l.base, l.bytes, l.id);
        if base != address {
            return Err(FreeError::Inside(id));
        }
        let region = self.history.get(id).region;
        (l.bytes, l.is_dead, l.backing) = (0, true, Backing::empty(&self.retired));
        self.dead += 1;
        self.release_retired();
        // Places are given up together, so that freeing costs the same wherever the place is.
        if self.dead > 32 + self.live.len() / 2 {
            self.live.retain(|l| !l.is_dead);
            self.dead = 0;
        }
        self.history.free(id, span);
        if let Some(used) = self.used.get_mut(&region) {
            *used -= bytes;
        }
        self.initialised.with(|bits| bits.unset(base, bytes));
        self.locked.forget(base, bytes);
        Ok(id)
    }

    /// Locks bytes of host memory, which device code may touch from then on; false if some of them are locked already.
    pub fn lock(&mut self, address: u64, bytes: u64) -> bool {
        self.locked.add(address, bytes)
    }

    /// Ends what [`Memory::lock`] began at that address; false if nothing did.
    pub fn unlock(&mut self, address: u64) -> bool {
        self.locked.remove(address)
    }

    /// The parts of host memory that are locked: first addresses and bytes.
    pub fn locked(&self) -> impl Iterator<Item = (u64, u64)> {
        self.locked.parts()
    }

    /// Whether all bytes of a range lie in one locked part of host memory.
    pub fn is_locked(&self, address: u64, bytes: u64) -> bool {
        self.locked.has(address, bytes)
    }

    /// Whether device code may touch a range: by its region, or since it is locked.
    pub fn is_device_accessible(&self, address: u64, bytes: u64) -> bool {
        Region::of(address).is_some_and(Region::is_device_accessible) || self.is_locked(address, bytes)
    }

    /// What is known of an allocation.
    pub fn info(&self, id: AllocId) -> &Alloc {
        self.history.get(id)
    }

    /// The live allocation that holds `address`; its end counts as outside.
    pub fn find(&self, address: u64) -> Option<AllocId> {
        self.position(address).map(|i| self.live[i].id)
    }

    /// Makes the live allocation of `other` that holds `address` visible here too, in `region`; the two share pages until one
    /// of them writes. Gives where it begins there and here, and its bytes; `None` if nothing lives there or it does not fit.
    pub fn mirror(&mut self, other: &Memory, address: u64, region: Region) -> Option<(u64, u64, u64)> {
        let live = &other.live[other.position(address)?];
        let alloc = other.info(live.id);
        let here = self.alloc_aligned(region, live.bytes, alloc.align, &alloc.name, alloc.span).ok()?;
        let at = self.position(here)?;
        // SAFETY: as in `clone`.
        self.live[at].backing = unsafe { live.backing.share_detached() };
        Some((live.base, here, live.bytes))
    }

    /// The last dead allocation that held `address`.
    pub fn dead_at(&self, address: u64) -> Option<AllocId> {
        self.history.dead_at(address)
    }

    /// The live allocation that ends nearest below `address` or begins nearest above it within `reach` bytes, for saying
    /// how far outside an access was.
    pub fn nearest(&self, address: u64, reach: u64) -> Option<AllocId> {
        let at = self.live.partition_point(|l| l.base <= address);
        let below = self.live[..at].iter().rfind(|l| !l.is_dead);
        let above = self.live[at..].iter().find(|l| !l.is_dead);
        let far_below = below.map_or(u64::MAX, |l| address.saturating_sub(l.base + l.bytes));
        let far_above = above.map_or(u64::MAX, |l| l.base - address);
        let (near, far) = if far_below <= far_above { (below, far_below) } else { (above, far_above) };
        near.filter(|_| far <= reach).map(|l| l.id)
    }

    /// All live allocations in order of address.
    pub fn live(&self) -> impl Iterator<Item = (AllocId, &Alloc)> {
        self.live.iter().filter(|l| !l.is_dead).map(|l| (l.id, self.history.get(l.id)))
    }

    #[inline]
    pub(crate) fn position(&self, address: u64) -> Option<usize> {
        let at = self.live.partition_point(|l| l.base <= address).checked_sub(1)?;
        let l = &self.live[at];
        (address - l.base < l.bytes.max(1) && !l.is_dead).then_some(at)
    }

    /// Makes `len` bytes from `address` on lie side by side, and gives where. They stay there until the generation changes, and are at
    /// the same place whenever they are settled. `None` if they do not lie in one live allocation, if there is no room, or if a clone
    /// has what lies there.
    pub fn settle(&mut self, address: u64, len: u64) -> Option<*mut u8> {
        // Pages that were replaced may lie where those are wanted that have replaced them.
        self.release_retired();
        let at = self.position(address)?;
        let l = &mut self.live[at];
        let offset = address - l.base;
        if len > l.bytes - offset {
            return None;
        }
        l.backing.settle(offset as usize, len as usize).map(std::ptr::NonNull::as_ptr)
    }

    /// Makes pages that no clone shares any more this memory's own, so that they are written in place, and releases those that
    /// clones have left behind.
    pub fn reclaim(&mut self) {
        self.release_retired();
        for l in &mut self.live {
            l.backing.reclaim();
        }
    }

    /// A list of its own for what shares pages with it.
    pub(crate) fn sibling_list(&self) -> Arc<RetireList> {
        self.retired.sibling()
    }

    /// Releases pages that were replaced by copies.
    pub fn release_retired(&mut self) {
        // SAFETY: the memory is borrowed exclusively, so nobody else uses a backing of it.
        unsafe { self.retired.release() };
    }

    /// How many places its list of allocations has.
    pub fn places(&self) -> usize {
        self.live.len()
    }

    /// Whether all that device code may write can be written without a page that the pool might refuse.
    pub fn has_room_for_writes(&self) -> bool {
        let is_locked = |l: &Live| self.locked.parts().any(|(at, _)| at >= l.base && at - l.base < l.bytes);
        let is_reached = |l: &&Live| Region::of(l.base).is_some_and(Region::is_device_accessible) || is_locked(l);
        let alive = self.live.iter().filter(is_reached);
        alive.map(|l| l.backing.missing()).sum::<u64>() <= self.retired.pool().room()
    }

    /// A number that changes before a [`crate::MemoryWindow`] ceases to hold. No two memories ever have the same.
    pub fn generation(&self) -> u64 {
        self.retired.generation()
    }

    /// Two numbers of which one changes whenever anything is allocated or freed.
    pub(crate) fn shape(&self) -> (u32, usize) {
        (self.history.next().map_or(u32::MAX, |id| id.0), self.live.len() - self.dead)
    }
}

#[cfg(test)]
#[cfg(not(loom))]
mod tests {
    use super::*;

    fn filled() -> (Memory, u64) {
        let mut m = Memory::new();
        let a = m.alloc(Region::Device(0), 1000, "a", Span::NONE).expect("room");
        (m, a)
    }

    #[test]
    fn locked_parts_are_those_of_memory_that_lives() {
        let mut m = Memory::new();
        let a = m.alloc(Region::Host, 1000, "a", Span::NONE).expect("room");
        assert!(m.lock(a + 100, 200) && !m.lock(a + 299, 8) && !m.lock(a, 101) && m.lock(a + 300, 8));
        assert!(m.is_locked(a + 100, 200) && !m.is_locked(a + 96, 8) && !m.is_locked(a + 296, 8));
        assert!(m.clone().is_device_accessible(a + 300, 8) && !m.is_device_accessible(a, 8));
        assert!(m.unlock(a + 300) && !m.unlock(a + 300));
        m.free(a, Span::NONE).expect("it lives");
        assert_eq!(m.locked().count(), 0);
    }

    #[test]
    fn alignment_that_is_asked_for_is_that_of_address_and_place() {
        let mut m = Memory::new();
        let mut last = 0;
        for align in [1, 512, 4096, 1 << 16, 2 << 20, 4096] {
            let a = m.alloc_aligned(Region::Host, 5000, align, "a", Span::NONE).expect("room");
            assert!(a > last + 5000 && a.is_multiple_of(u64::from(align)) && a.is_multiple_of(ALIGN));
            if let Some(place) = m.settle(a, 5000) {
                assert!(place.addr().is_multiple_of(align as usize));
            }
            m.write(a, &[1; 5000]).expect("inside");
            last = a;
        }
    }

    #[test]
    fn freed_memory_is_known_as_such() {
        let (mut m, a) = filled();
        assert_eq!(m.free(a + 8, Span::NONE), Err(FreeError::Inside(AllocId(0))));
        assert_eq!(m.free(a, Span::NONE), Ok(AllocId(0)));
        assert_eq!(m.free(a, Span::NONE), Err(FreeError::Freed(AllocId(0))));
        assert_eq!(m.dead_at(a + 999), Some(AllocId(0)));
        let b = m.alloc(Region::Device(0), 8, "b", Span::NONE).expect("room");
        assert!(b > a + 1000, "addresses are not reused");
        assert_eq!(Region::of(b), Some(Region::Device(0)));
    }

    #[test]
    fn small_allocations_take_what_they_need() {
        let mut m = Memory::new();
        let count = if cfg!(miri) { 50 } else { 1000 };
        for _ in 0..count {
            let a = m.alloc(Region::Host, 24, "node", Span::NONE).expect("room");
            m.write(a, &[1; 24]).expect("inside");
        }
        assert_eq!(m.resident(), 32 * count);
        let a = m.alloc(Region::Host, 100_000, "a", Span::NONE).expect("room");
        m.write(a, &vec![1; 100_000]).expect("inside");
        assert_eq!(m.resident(), 32 * count + 100_000);
    }

    #[test]
    fn what_is_freed_in_the_order_of_birth_leaves_the_rest_in_reach() {
        let mut m = Memory::new();
        let count = if cfg!(miri) { 3 } else { 500 };
        let all: Vec<u64> = (0..count).map(|_| m.alloc(Region::Host, 8, "a", Span::NONE).unwrap_or_default()).collect();
        let other = m.alloc(Region::Device(0), 8, "d", Span::NONE).expect("room");
        for (i, &a) in all.iter().enumerate() {
            assert!(m.free(a, Span::NONE).is_ok());
            assert_eq!(m.load::<u64>(a, &mut 0), None);
            assert_eq!(m.clone().live().count(), all.len() - i);
            assert!(m.store::<u64>(other, 3, &mut 7).is_some());
            assert_eq!(m.nearest(a, 1 << 20), all.get(i + 1).and_then(|&next| m.find(next)));
        }
        assert_eq!(m.used(Region::Host), 0);
    }

    #[test]
    fn addresses_are_used_again_when_a_region_has_no_more() {
        let mut m = Memory::new();
        let kept = m.alloc(Region::Host, 100, "kept", Span::NONE).expect("room");
        m.write(kept, &[5; 100]).expect("inside");
        let stack = m.alloc(Region::HostStack, 100, "stack", Span::NONE).expect("room");
        // As after very many allocations.
        let end = Region::Host.base() + (1 << REGION_BITS);
        m.next.insert(Region::Host, end - (8 << 20));
        let big = 3 << 20;
        let all: Vec<u64> = (0..5)
            .map(|i| {
                let a = m.alloc(Region::Host, big, "big", Span::NONE).expect("room");
                assert!(a > kept + 100 && a + big < end, "allocation {i}");
                assert!(m.store::<u8>(a + big - 1, 1, &mut 0).is_some() && m.free(a, Span::NONE).is_ok());
                assert_eq!(m.dead_at(a), Some(AllocId(i + 2)));
                a
            })
            .collect();
        assert!(all[1] > all[0] && all[2] < all[0] && all[3] > all[2], "{all:x?}");
        assert_eq!((m.load::<u8>(kept, &mut 0), m.load::<u8>(stack, &mut 0)), (Some(5), Some(0)));
    }

    #[test]
    fn an_aligned_allocation_lies_in_no_other() {
        let mut m = Memory::new();
        // A gap in front of a large allocation whose end lies behind the next aligned place.
        let gap = m.alloc(Region::Host, 1000, "gap", Span::NONE).expect("room");
        let kept = m.alloc(Region::Host, 16 << 20, "kept", Span::NONE).expect("room");
        assert!(m.free(gap, Span::NONE).is_ok());
        m.next.insert(Region::Host, gap);
        let at = m.alloc_aligned(Region::Host, 1000, 2 << 20, "aligned", Span::NONE).expect("room");
        assert!(at.is_multiple_of(2 << 20) && at >= kept + (16 << 20), "{kept:x} {at:x}");
    }

    #[test]
    fn a_region_that_is_full_gives_no_more() {
        let mut m = Memory::new();
        let end = Region::Host.base() + (1 << REGION_BITS);
        let make = |m: &mut Memory, room| {
            m.next.insert(Region::Host, end - room);
            m.alloc(Region::Host, 1 << 20, "a", Span::NONE)
        };
        let last = make(&mut m, 2 << 20).expect("room");
        let first = make(&mut m, 1 << 20).expect("the beginning has room");
        assert!(Region::of(first) == Some(Region::Host) && first < last);
        // Nothing but what lies between the two is left, and that is too little.
        m.live[0].bytes = last - GUARD - (1 << 19) - first;
        assert!(make(&mut m, 1 << 20).is_err());
        assert!(m.free(last, Span::NONE).is_ok());
        assert!(make(&mut m, 1 << 20).is_ok_and(|a| a > first));
    }
}
