//! The contents of one allocation: copy-on-write pages that several threads may use at once.
//!
//! A [`Backing`] is a list of slots, each a pointer to a page whose lowest address bit says "shared with a clone". A null
//! pointer is a page of zeros. All pages are whole but the last, which is as large as what is left.
//!
//! The page protocol. Reading follows the pointer. Writing first makes the page the backing's own: a page that is missing or
//! shared is replaced, under a lock, by a copy ([`Backing::write_ptr`]). The replaced page goes to the [`RetireList`] of the
//! memory and stays there until the memory is next borrowed exclusively, so a thread that still reads it is safe. No thread
//! ever writes to a shared page.
//!
//! The protocol keeps pages alive and loses no store; it does not order accesses to the same byte. Two threads must not access
//! a byte at the same time unless both read: that is the contract of every `unsafe` store here, which `view` passes on.
//!
//! Not here: addresses and live allocations (`memory`).
#![allow(unsafe_code)] // Threads write disjoint bytes of one page, and a slot keeps a mark in a pointer.

use crate::arena::Run;
use crate::header::PAGE;
use crate::page::{Page, Pool};
use crate::sync::{AtomicPtr, Mutex, MutexGuard, Ordering, lock};
use std::ptr::{NonNull, null_mut};
use std::sync::{Arc, OnceLock};

const SHARED: usize = 1;

/// Pages that are looked at to find how many bytes lie side by side.
const SIDE_BY_SIDE: usize = 32;

/// The pages that the backings of one memory have replaced, and the pool of all its pages.
#[derive(Debug)]
pub(crate) struct RetireList {
    /// With the runs of the backings, which live as long as their pages.
    retired: Mutex<Vec<(Page, Runs)>>,
    pool: Arc<Pool>,
    /// See [`RetireList::generation`].
    generation: Counter,
}

impl Default for RetireList {
    fn default() -> RetireList {
        RetireList { retired: Mutex::new(Vec::new()), pool: Arc::default(), generation: fresh_generation() }
    }
}

/// Not one of the page protocol's, which would be checked: it may be read too late.
type Counter = std::sync::atomic::AtomicU64;

/// A number that no memory and no write buffer has had.
pub(crate) fn fresh_generation() -> Counter {
    static NEXT: Counter = Counter::new(1);
    Counter::new(NEXT.fetch_add(1, Ordering::Relaxed))
}

impl RetireList {
    /// An empty list with the same pool.
    pub(crate) fn sibling(&self) -> Arc<RetireList> {
        Arc::new(RetireList {
            retired: Mutex::new(Vec::new()),
            pool: self.pool.clone(),
            generation: fresh_generation(),
        })
    }

    /// A number that changes before bytes of a backing lie elsewhere than before, or may no longer be written in place. No two
    /// memories ever have the same.
    pub(crate) fn generation(&self) -> u64 {
        self.generation.load(Ordering::Relaxed)
    }

    /// Changes the generation.
    pub(crate) fn renew(&self) {
        self.generation.store(fresh_generation().into_inner(), Ordering::Relaxed);
    }

    /// Where pages come from.
    pub(crate) fn pool(&self) -> &Pool {
        &self.pool
    }

    fn retired(&self) -> MutexGuard<'_, Vec<(Page, Runs)>> {
        lock(&self.retired)
    }

    /// Releases the pages that were replaced.
    ///
    /// # Safety
    /// No other thread uses a backing of this list meanwhile.
    pub(crate) unsafe fn release(&self) {
        let retired = std::mem::take(&mut *self.retired());
        for (page, runs) in retired {
            self.pool.give(page);
            drop(runs);
        }
    }
}

impl Drop for RetireList {
    fn drop(&mut self) {
        // SAFETY: every backing has a reference to its list, so none is left.
        unsafe { self.release() };
    }
}

/// The contents of one allocation.
///
/// Invariant: a slot that is not null owns one reference of its page, marked or not, and the page has [`Backing::len`] bytes.
pub(crate) struct Backing {
    slots: Vec<AtomicPtr<u8>>,
    /// Bytes of the last page.
    last: u32,
    list: Arc<RetireList>,
    /// Where its pages lie side by side: in the first run, and in the second where clones have the pages of the first.
    runs: Runs,
}

/// See [`Backing::runs`]; what is not there has not been wanted, or the system has no room.
#[derive(Clone, Debug)]
struct Runs {
    all: [OnceLock<Option<Arc<Run>>>; 2],
    /// What their first bytes are aligned to.
    align: usize,
}

impl Runs {
    /// None yet.
    fn new(align: usize) -> Runs {
        Runs { all: Default::default(), align }
    }

    /// The run of that number, for so many pages.
    fn at(&self, number: usize, pages: usize) -> Option<&Arc<Run>> {
        let make = || if pages > 1 { Run::new(pages, self.align).map(Arc::new) } else { None };
        self.all[number].get_or_init(make).as_ref()
    }

    /// The runs that are there.
    fn iter(&self) -> impl Iterator<Item = (usize, &Arc<Run>)> {
        self.all.iter().enumerate().filter_map(|(number, run)| Some((number, run.get()?.as_ref()?)))
    }
}

fn is_shared(raw: *mut u8) -> bool {
    raw.addr() & SHARED != 0
}

fn is_own(raw: *mut u8) -> bool {
    !raw.is_null() && !is_shared(raw)
}

#[inline(always)]
fn unmarked(raw: *mut u8) -> *mut u8 {
    raw.map_addr(|address| address & !SHARED)
}

impl Backing {
    /// A backing of at least `bytes` zeros; no page is taken before it is written. `None` if there is no room for the slots.
    /// What [`Backing::settle`] gives of its first byte is a multiple of `align`.
    pub(crate) fn new(bytes: u64, align: usize, list: &Arc<RetireList>) -> Option<Backing> {
        let count = bytes.div_ceil(PAGE as u64) as usize;
        let rest = bytes - (count as u64).saturating_sub(1) * PAGE as u64;
        let mut slots = Vec::new();
        slots.try_reserve_exact(count).ok()?;
        slots.resize_with(count, || AtomicPtr::new(null_mut()));
        let last = rest.next_multiple_of(16) as u32;
        Some(Backing { slots, last, list: list.clone(), runs: Runs::new(align) })
    }

    /// A backing of nothing.
    pub(crate) fn empty(list: &Arc<RetireList>) -> Backing {
        Backing { slots: Vec::new(), last: 0, list: list.clone(), runs: Runs::new(1) }
    }

    /// Where its pages are, a word each.
    pub(crate) fn slots(&self) -> *const AtomicPtr<u8> {
        self.slots.as_ptr()
    }

    /// A number for each page: 0 for one of zeros, else another for each page that is referred to.
    pub(crate) fn identities(&self) -> Vec<usize> {
        self.slots.iter().map(|slot| unmarked(slot.load(Ordering::Relaxed)).addr()).collect()
    }

    /// Bytes of a page.
    fn len(&self, slot: usize) -> usize {
        if slot + 1 == self.slots.len() { self.last as usize } else { PAGE }
    }

    /// Whether `len` bytes from `offset` on lie in the backing.
    fn holds(&self, offset: usize, len: usize) -> bool {
        let all = self.slots.len().saturating_sub(1) * PAGE + self.last as usize;
        len <= all && offset <= all - len
    }

    /// Bytes of the pages that are really held.
    pub(crate) fn resident(&self) -> u64 {
        let held = |(i, s): (usize, &AtomicPtr<u8>)| {
            if s.load(Ordering::Relaxed).is_null() { 0 } else { self.len(i) as u64 }
        };
        self.slots.iter().enumerate().map(held).sum()
    }

    /// Bytes of the pages that must be taken from the pool before all bytes can be written.
    pub(crate) fn missing(&self) -> u64 {
        let missing =
            |(i, s): (usize, &AtomicPtr<u8>)| if is_own(s.load(Ordering::Relaxed)) { 0 } else { self.len(i) as u64 };
        self.slots.iter().enumerate().map(missing).sum()
    }

    /// A pointer to read from at byte `offset`; `None` for a page of zeros.
    ///
    /// # Safety
    /// The byte lies in the backing.
    #[inline(always)]
    pub(crate) unsafe fn read_ptr(&self, offset: usize) -> Option<*const u8> {
        let page = NonNull::new(unmarked(self.slots[offset / PAGE].load(Ordering::Acquire)))?;
        #[cfg(loom)]
        // SAFETY: the slot owns a reference of the page.
        unsafe {
            Page::with_raw(page.as_ptr(), Page::track_use);
        }
        // SAFETY: the slot owns a reference of the page, and the byte lies within it.
        Some(unsafe { page.as_ptr().add(offset % PAGE) })
    }

    /// A pointer to write to at byte `offset`; `None` if the pool has no page for it.
    ///
    /// # Safety
    /// The byte lies in the backing.
    #[inline(always)]
    pub(crate) unsafe fn write_ptr(&self, offset: usize) -> Option<NonNull<u8>> {
        let mut raw = self.slots[offset / PAGE].load(Ordering::Acquire);
        if !is_own(raw) {
            raw = self.own(offset / PAGE)?;
        }
        #[cfg(loom)]
        // SAFETY: as below.
        unsafe {
            Page::with_raw(raw, Page::track_use);
        }
        // SAFETY: the slot owns a reference of the page, which is not null, and the byte lies within it.
        Some(unsafe { NonNull::new_unchecked(raw.add(offset % PAGE)) })
    }

    /// Bytes that lie side by side, of which `offset` is one, and as many behind it as there are up to `bytes`, if it can be: the
    /// offset of the first, how many there are, and where they are. To be written, their pages become the backing's own; `None` if
    /// the pool has none for that of `offset`. Where they are holds until the generation changes.
    pub(crate) fn window(&self, offset: usize, bytes: usize, to_write: bool) -> Option<(usize, usize, *mut u8)> {
        static ZEROS: [u8; PAGE] = [0; PAGE];
        let page = offset / PAGE;
        let mut first = page * PAGE;
        let mut len = self.len(page);
        if offset - first >= len {
            return None;
        }
        // SAFETY: the byte lies in the backing.
        let mut place = unsafe {
            if to_write {
                self.write_ptr(first)?.as_ptr()
            } else {
                self.read_ptr(first).unwrap_or(ZEROS.as_ptr()).cast_mut()
            }
        };
        let is_usable = |raw| if to_write { is_own(raw) } else { !raw.is_null() };
        for index in page + 1..self.slots.len().min(page + SIDE_BY_SIDE) {
            let mut raw = self.slots[index].load(Ordering::Acquire);
            if to_write && !is_own(raw) {
                let is_wanted = first + len < offset.saturating_add(bytes) && self.list.pool.room() >= PAGE as u64;
                raw = if is_wanted { self.own(index).unwrap_or(null_mut()) } else { null_mut() };
            }
            if !is_usable(raw) || unmarked(raw) != place.wrapping_add(len) {
                break;
            }
            len += self.len(index);
        }
        for index in (page.saturating_sub(SIDE_BY_SIDE / 2)..page).rev() {
            let raw = self.slots[index].load(Ordering::Acquire);
            if !is_usable(raw) || unmarked(raw) != place.wrapping_sub(PAGE) {
                break;
            }
            (first, len, place) = (first - PAGE, len + PAGE, unmarked(raw));
        }
        Some((first, len, place))
    }

    #[cold]
    fn own(&self, index: usize) -> Option<*mut u8> {
        let slot = &self.slots[index];
        let seen = slot.load(Ordering::Acquire);
        if is_own(seen) {
            // Another thread was faster, and may be writing to the page already.
            return Some(seen);
        }
        // The copy is made before the lock is taken, so that threads copy different pages at the same time. Nobody writes a
        // shared page, and what the slot held when it was read stays alive until the memory is borrowed exclusively.
        let take = |old: Option<&Page>| {
            // Where its neighbours are, if that place is free.
            let near = [index.checked_sub(1), Some(index + 1)].into_iter().flatten().filter_map(|n| self.slots.get(n));
            let mut sides = near.filter_map(|slot| {
                let page = unmarked(slot.load(Ordering::Relaxed));
                self.runs.iter().find(|(_, run)| run.holds(page)).map(|(number, _)| number)
            });
            let side = sides.next().unwrap_or(0);
            let places =
                [side, 1 - side].into_iter().filter_map(|s| Some((&**self.runs.at(s, self.slots.len())?, index)));
            self.list.pool.take(self.len(index), old, places)
        };
        // SAFETY: the slot or the retire list owns a reference of the page.
        let fresh = unsafe { Page::with_raw(unmarked(seen), |old| take(Some(old))) }.unwrap_or_else(|| take(None))?;
        let mut retired = self.list.retired();
        let raw = slot.load(Ordering::Acquire);
        if raw != seen {
            // Another thread was faster.
            drop(retired);
            self.list.pool.give(fresh);
            return Some(raw);
        }
        let fresh = fresh.into_raw();
        // Who sees the new page sees the new generation.
        self.list.renew();
        slot.store(fresh, Ordering::Release);
        // SAFETY: the slot has lost its reference to what it held, which from here on is the list's.
        retired.extend(unsafe { Page::from_raw(unmarked(raw)) }.map(|page| (page, self.runs.clone())));
        Some(fresh)
    }

    /// Makes the pages that no clone shares any more the backing's own again.
    pub(crate) fn reclaim(&mut self) {
        for slot in &self.slots {
            let raw = slot.load(Ordering::Relaxed);
            // SAFETY: the slot owns a reference of the page.
            if is_shared(raw) && unsafe { Page::with_raw(unmarked(raw), Page::is_sole) } == Some(true) {
                slot.store(unmarked(raw), Ordering::Relaxed);
            }
        }
    }

    /// Where `len` bytes from `offset` on lie side by side, to be written: always at the same place, and until the generation changes
    /// for sure. `None` if they do not lie in the backing, the pool or the system has no room, or a clone has pages of that place.
    pub(crate) fn settle(&mut self, offset: usize, len: usize) -> Option<NonNull<u8>> {
        if !self.holds(offset, len.max(1)) {
            return None;
        }
        let pages = self.slots.len();
        if !matches!(self.runs.all[0].get(), Some(Some(_))) {
            self.runs.all[0] = OnceLock::from(Some(Arc::new(Run::new(pages, self.runs.align)?)));
        }
        let run = self.runs.at(0, pages)?.clone();
        for index in offset / PAGE..=(offset + len.max(1) - 1) / PAGE {
            let raw = self.slots[index].load(Ordering::Relaxed);
            let is_there = run.holds(unmarked(raw));
            if is_there && is_own(raw) {
                continue;
            }
            // SAFETY: the slot owns a reference of the page.
            let is_sole = || unsafe { Page::with_raw(unmarked(raw), Page::is_sole) } == Some(true);
            if is_there && is_sole() {
                self.slots[index].store(unmarked(raw), Ordering::Relaxed);
                continue;
            }
            let take = |old: Option<&Page>| self.list.pool.take(self.len(index), old, [(&*run, index)]);
            // SAFETY: as above; nobody writes the page, since this backing is borrowed exclusively.
            let fresh =
                unsafe { Page::with_raw(unmarked(raw), |old| take(Some(old))) }.unwrap_or_else(|| take(None))?;
            if !run.holds(fresh.bytes()) {
                self.list.pool.give(fresh);
                return None;
            }
            self.list.renew();
            self.slots[index].store(fresh.into_raw(), Ordering::Relaxed);
            // SAFETY: the slot has lost its reference, and `&mut self` means that no other thread uses the page through it.
            unsafe { give(&self.list.pool, raw) };
        }
        NonNull::new(unmarked(self.slots[offset / PAGE].load(Ordering::Relaxed)).wrapping_add(offset % PAGE))
    }

    /// The same contents for a memory with another list, sharing all pages.
    ///
    /// # Safety
    /// No other thread stores to this backing meanwhile.
    pub(crate) unsafe fn share(&self, list: &Arc<RetireList>) -> Backing {
        self.list.renew();
        let share = |slot: &AtomicPtr<u8>| {
            let raw = slot.load(Ordering::Acquire);
            // SAFETY: the slot owns a reference of the page.
            let Some(more) = (unsafe { Page::with_raw(unmarked(raw), Page::share) }) else {
                return AtomicPtr::new(null_mut());
            };
            slot.store(raw.map_addr(|address| address | SHARED), Ordering::Release);
            AtomicPtr::new(more.into_raw().map_addr(|address| address | SHARED))
        };
        let slots = self.slots.iter().map(share).collect();
        Backing { slots, last: self.last, list: list.clone(), runs: self.runs.clone() }
    }

    /// The same for a memory that takes its pages from another pool.
    ///
    /// # Safety
    /// No other thread stores to this backing meanwhile.
    pub(crate) unsafe fn share_detached(&self) -> Backing {
        // SAFETY: the caller's.
        unsafe { self.share(&self.list.sibling()) }
    }

    /// Copies `out.len()` bytes from `offset` on. `None` if they do not lie in the backing.
    pub(crate) fn read(&self, mut offset: usize, mut out: &mut [u8]) -> Option<()> {
        if !self.holds(offset, out.len()) {
            return None;
        }
        while !out.is_empty() {
            let n = out.len().min(PAGE - offset % PAGE);
            let (head, tail) = out.split_at_mut(n);
            // SAFETY: the bytes lie in the backing, `n` of them in one page; `head` is ours.
            match unsafe { self.read_ptr(offset) } {
                Some(p) => unsafe { std::ptr::copy_nonoverlapping(p, head.as_mut_ptr(), n) },
                None => head.fill(0),
            }
            offset += n;
            out = tail;
        }
        Some(())
    }

    /// Copies `data` to `offset` on. `None` if the bytes do not lie in the backing, or the pool has no pages for them.
    ///
    /// # Safety
    /// No other thread accesses the bytes meanwhile.
    pub(crate) unsafe fn write(&self, mut offset: usize, mut data: &[u8]) -> Option<()> {
        if !self.holds(offset, data.len()) {
            return None;
        }
        while !data.is_empty() {
            let n = data.len().min(PAGE - offset % PAGE);
            // SAFETY: the bytes lie in the backing, `n` of them in one page that no clone shares; the caller answers for other threads.
            unsafe { std::ptr::copy_nonoverlapping(data.as_ptr(), self.write_ptr(offset)?.as_ptr(), n) };
            offset += n;
            data = &data[n..];
        }
        Some(())
    }

    /// Sets `len` bytes from `offset` on to zero, giving whole pages back. `None` if they do not lie in the backing, or the
    /// pool has no pages for copies.
    pub(crate) fn clear(&mut self, offset: usize, len: usize) -> Option<()> {
        if !self.holds(offset, len) {
            return None;
        }
        self.list.renew();
        let mut at = offset;
        let end = offset + len;
        while at < end {
            let n = (end - at).min(PAGE - at % PAGE);
            let slot = &self.slots[at / PAGE];
            if n == PAGE {
                let raw = slot.load(Ordering::Relaxed);
                slot.store(null_mut(), Ordering::Relaxed);
                // SAFETY: the slot has lost its reference, and `&mut self` means that no other thread uses the page through it.
                unsafe { give(&self.list.pool, raw) };
            } else if !slot.load(Ordering::Relaxed).is_null() {
                // SAFETY: the bytes lie in the backing, `n` of them in one page that no clone shares, and nobody else uses it.
                unsafe { self.write_ptr(at)?.as_ptr().write_bytes(0, n) };
            }
            at += n;
        }
        Some(())
    }
}

/// Gives back the reference that a slot has lost.
///
/// # Safety
/// `raw` was in a slot, which owned a reference.
unsafe fn give(pool: &Pool, raw: *mut u8) {
    // SAFETY: the caller's.
    if let Some(page) = unsafe { Page::from_raw(unmarked(raw)) } {
        pool.give(page);
    }
}

impl Drop for Backing {
    fn drop(&mut self) {
        self.list.renew();
        for slot in &self.slots {
            // SAFETY: the slot owns a reference and is not used again.
            unsafe { give(&self.list.pool, slot.load(Ordering::Relaxed)) };
        }
    }
}

impl std::fmt::Debug for Backing {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Backing").field("pages", &self.slots.len()).finish_non_exhaustive()
    }
}

#[cfg(test)]
#[cfg(not(loom))]
mod tests;

/// The page protocol under every interleaving that the C11 memory model allows. The checker also sees the bytes of a page as
/// one cell: its making and its end must be ordered with every use.
#[cfg(test)]
#[cfg(loom)]
mod model;
