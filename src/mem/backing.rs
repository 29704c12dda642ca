//! Copy-on-write contents that several workers may read and write at once.
//!
//! A [`Backing`] is the contents of one allocation: a row of slots, each a pointer to a page with a mark in its lowest bit
//! that says "shared with a clone". All pages are whole but the last, which is as large as what is left. Reading follows the
//! pointer. Writing first makes the page the backing's own: a page that is missing (never written, all zeros) or shared is
//! replaced by a copy under a lock. A replaced page is kept on the [`Desk`] of its memory until that is next borrowed
//! exclusively and [`Desk::clear`]ed, so that a worker that still reads it is safe.
//!
//! Two workers must not touch the same byte at the same time unless both read; the emulator's scheduler sees to that
//! (a launch gives the result of running its blocks one after another).
#![allow(unsafe_code)] // Workers write disjoint bytes of one page, which safe Rust cannot express; see the module's head.

use crate::page::{PAGE, Page, Pool};
use std::ptr::NonNull;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

const SHARED: usize = 1;

/// What the backings of one memory have in common: the pages that were replaced, and where pages come from.
#[derive(Debug, Default)]
pub(crate) struct Desk {
    retired: Mutex<Vec<usize>>,
    pool: Arc<Pool>,
}

impl Desk {
    /// An empty desk with the same pool.
    pub(crate) fn beside(&self) -> Arc<Desk> {
        Arc::new(Desk { retired: Mutex::default(), pool: self.pool.clone() })
    }

    /// Where pages come from.
    pub(crate) fn pool(&self) -> &Pool {
        &self.pool
    }

    fn retired(&self) -> MutexGuard<'_, Vec<usize>> {
        self.retired.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lets go of the pages that were replaced. The memory of this desk must be borrowed exclusively.
    pub(crate) fn clear(&self) {
        let mut retired = self.retired();
        for raw in retired.drain(..) {
            release(&self.pool, raw);
        }
    }
}

impl Drop for Desk {
    fn drop(&mut self) {
        self.clear();
    }
}

/// The contents of one allocation.
pub(crate) struct Backing {
    slots: Vec<AtomicUsize>,
    /// Bytes of the last page.
    last: u32,
    desk: Arc<Desk>,
}

impl Backing {
    /// A backing of at least `bytes` zeros; no page is taken before it is written. `None` if there is no room for the slots.
    pub(crate) fn new(bytes: u64, desk: &Arc<Desk>) -> Option<Backing> {
        let count = bytes.div_ceil(PAGE as u64) as usize;
        let rest = bytes - (count as u64).saturating_sub(1) * PAGE as u64;
        let mut slots = Vec::new();
        slots.try_reserve_exact(count).ok()?;
        slots.resize_with(count, || AtomicUsize::new(0));
        Some(Backing { slots, last: rest.next_multiple_of(16) as u32, desk: desk.clone() })
    }

    /// A backing of nothing.
    pub(crate) fn empty(desk: &Arc<Desk>) -> Backing {
        Backing { slots: Vec::new(), last: 0, desk: desk.clone() }
    }

    /// Bytes of a page.
    fn len(&self, slot: usize) -> usize {
        if slot + 1 == self.slots.len() { self.last as usize } else { PAGE }
    }

    /// Bytes of the pages that are really held.
    pub(crate) fn resident(&self) -> u64 {
        let held = |(i, s): (usize, &AtomicUsize)| if s.load(Ordering::Relaxed) == 0 { 0 } else { self.len(i) as u64 };
        self.slots.iter().enumerate().map(held).sum()
    }

    /// Bytes of the pages that have to be had before all can be written.
    pub(crate) fn wanting(&self) -> u64 {
        let is_own = |s: &AtomicUsize| matches!(s.load(Ordering::Relaxed), raw if raw != 0 && raw & SHARED == 0);
        self.slots.iter().enumerate().map(|(i, s)| if is_own(s) { 0 } else { self.len(i) as u64 }).sum()
    }

    /// A pointer to read from at byte `offset`, and how many bytes of its page follow; `None` for a page of zeros.
    /// `offset` must lie in the backing.
    #[inline(always)]
    pub(crate) fn read_ptr(&self, offset: usize) -> Option<*const u8> {
        let raw = self.slots[offset / PAGE].load(Ordering::Acquire);
        if raw == 0 {
            return None;
        }
        // SAFETY: the slot holds a live page (it owns one reference), and the offset lies within it.
        Some(unsafe { ((raw & !SHARED) as *const u8).add(offset % PAGE) })
    }

    /// A pointer to write to at byte `offset`, which must lie in the backing; `None` if there is no room for its page.
    #[inline(always)]
    pub(crate) fn write_ptr(&self, offset: usize) -> Option<NonNull<u8>> {
        let mut raw = self.slots[offset / PAGE].load(Ordering::Acquire);
        if raw == 0 || raw & SHARED != 0 {
            raw = self.own(offset / PAGE)?;
        }
        // SAFETY: as in `read_ptr`; the page is not shared with a clone, so writing through it is this backing's business.
        Some(unsafe { NonNull::new_unchecked((raw as *mut u8).add(offset % PAGE)) })
    }

    #[cold]
    fn own(&self, index: usize) -> Option<usize> {
        let slot = &self.slots[index];
        let seen = slot.load(Ordering::Acquire);
        if seen != 0 && seen & SHARED == 0 {
            // Another worker was faster, and may be writing to the page already.
            return Some(seen);
        }
        // The copy is made before the lock is taken, so that workers copy different pages at the same time. Nobody writes a
        // shared page, and what the slot held when it was read stays alive until the backing is borrowed exclusively.
        // SAFETY: the slot holds a live page (it owns one reference).
        let old = unsafe { Page::from_raw(seen & !SHARED) };
        let fresh = self.desk.pool.take(self.len(index), old)?;
        let mut retired = self.desk.retired();
        let raw = slot.load(Ordering::Acquire);
        if raw != seen {
            // Another worker was faster.
            drop(retired);
            self.desk.pool.give(fresh);
            return Some(raw);
        }
        if raw != 0 {
            // The slot owned one reference of the page, which from here on is the list's.
            retired.push(raw);
        }
        slot.store(fresh.raw(), Ordering::Release);
        Some(fresh.raw())
    }

    /// Takes back the pages that no clone shares any more.
    pub(crate) fn settle(&mut self) {
        for slot in &mut self.slots {
            let raw = *slot.get_mut();
            if raw & SHARED != 0 {
                // SAFETY: the slot owns one reference of the page.
                let page = unsafe { Page::from_raw(raw & !SHARED) };
                if page.is_some_and(Page::is_sole) {
                    *slot.get_mut() = raw & !SHARED;
                }
            }
        }
    }

    /// The same contents for a memory with another desk, sharing all pages.
    pub(crate) fn share(&self, desk: &Arc<Desk>) -> Backing {
        let share = |slot: &AtomicUsize| {
            let raw = slot.load(Ordering::Acquire);
            // SAFETY: the slot owns one reference, so the page is alive.
            let Some(page) = (unsafe { Page::from_raw(raw & !SHARED) }) else { return AtomicUsize::new(0) };
            slot.store(raw | SHARED, Ordering::Release);
            page.share();
            AtomicUsize::new(raw | SHARED)
        };
        // The lock keeps `own` from replacing a page between the mark and the new reference.
        let guard = self.desk.retired();
        let slots = self.slots.iter().map(share).collect();
        drop(guard);
        Backing { slots, last: self.last, desk: desk.clone() }
    }

    /// The same for a memory that takes its pages from elsewhere.
    pub(crate) fn share_alone(&self) -> Backing {
        self.share(&self.desk.beside())
    }

    /// Copies `out.len()` bytes from `offset` on; the range must lie in the backing.
    pub(crate) fn read(&self, mut offset: usize, mut out: &mut [u8]) {
        while !out.is_empty() {
            let n = out.len().min(PAGE - offset % PAGE);
            let (head, tail) = out.split_at_mut(n);
            match self.read_ptr(offset) {
                // SAFETY: `n` bytes from the pointer on lie in one page; `head` is ours.
                Some(p) => unsafe { std::ptr::copy_nonoverlapping(p, head.as_mut_ptr(), n) },
                None => head.fill(0),
            }
            offset += n;
            out = tail;
        }
    }

    /// Copies `data` to `offset` on; the range must lie in the backing. `None` if there is no room for its pages.
    pub(crate) fn write(&self, mut offset: usize, mut data: &[u8]) -> Option<()> {
        while !data.is_empty() {
            let n = data.len().min(PAGE - offset % PAGE);
            let p = self.write_ptr(offset)?;
            // SAFETY: `n` bytes from the pointer on lie in one page of our own.
            unsafe { std::ptr::copy_nonoverlapping(data.as_ptr(), p.as_ptr(), n) };
            offset += n;
            data = &data[n..];
        }
        Some(())
    }

    /// Sets `len` bytes from `offset` on to zero, giving whole pages back. `None` if there is no room for copies.
    pub(crate) fn clear(&mut self, offset: usize, len: usize) -> Option<()> {
        let mut at = offset;
        let end = offset + len;
        while at < end {
            let n = (end - at).min(PAGE - at % PAGE);
            if n == PAGE {
                let raw = std::mem::replace(self.slots[at / PAGE].get_mut(), 0);
                release(&self.desk.pool, raw);
            } else if self.read_ptr(at).is_some() {
                let p = self.write_ptr(at)?;
                // SAFETY: `n` bytes from the pointer on lie in one page of our own.
                unsafe { std::ptr::write_bytes(p.as_ptr(), 0, n) };
            }
            at += n;
        }
        Some(())
    }
}

/// Gives back the reference that a slot or list owned and does not own any more.
fn release(pool: &Pool, raw: usize) {
    // SAFETY: whoever held `raw` owned one reference.
    if let Some(page) = unsafe { Page::from_raw(raw & !SHARED) } {
        pool.give(page);
    }
}

impl Drop for Backing {
    fn drop(&mut self) {
        for slot in &mut self.slots {
            release(&self.desk.pool, std::mem::replace(slot.get_mut(), 0));
        }
    }
}

impl std::fmt::Debug for Backing {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Backing").field("pages", &self.slots.len()).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn backing(bytes: usize) -> Backing {
        Backing::new(bytes as u64, &Arc::default()).expect("room")
    }

    #[test]
    fn a_clone_keeps_what_was_there_when_the_original_is_written() {
        let a = backing(3 * PAGE);
        a.write(PAGE - 2, &[1, 2, 3, 4]).expect("room");
        let b = a.share_alone();
        a.write(PAGE, &[9]).expect("room");
        b.write(0, &[7]).expect("room");
        let read = |m: &Backing, at| {
            let mut out = [0; 4];
            m.read(at, &mut out);
            out
        };
        assert_eq!(read(&a, PAGE - 2), [1, 2, 9, 4]);
        assert_eq!(read(&b, PAGE - 2), [1, 2, 3, 4]);
        assert_eq!(read(&a, 0), [0; 4]);
        assert_eq!(read(&b, 0), [7, 0, 0, 0]);
        assert_eq!(read(&a, 2 * PAGE), [0; 4]);
    }

    #[test]
    fn workers_that_meet_at_a_page_lose_no_store() {
        const PAGES: usize = 2000;
        let backing = super::tests::backing(PAGES * PAGE);
        let arrived = AtomicUsize::new(0);
        std::thread::scope(|scope| {
            for worker in 0..2 {
                let (backing, arrived) = (&backing, &arrived);
                scope.spawn(move || {
                    for page in 0..PAGES {
                        arrived.fetch_add(1, Ordering::AcqRel);
                        let mut patience = 1000;
                        while arrived.load(Ordering::Acquire) < 2 * (page + 1) && patience > 0 {
                            patience -= 1;
                            std::hint::spin_loop();
                        }
                        for i in 0..64 {
                            backing.write(page * PAGE + 2 * i + worker, &[1]).expect("room");
                        }
                    }
                });
            }
        });
        for page in 0..PAGES {
            let mut bytes = [0; 128];
            backing.read(page * PAGE, &mut bytes);
            assert_eq!(bytes, [1; 128], "page {page}");
        }
    }

    #[test]
    fn a_page_whose_clone_is_gone_is_written_in_place() {
        let mut a = backing(2 * PAGE);
        a.write(0, &[1].repeat(2 * PAGE)).expect("room");
        let b = a.share_alone();
        a.write(0, &[2]).expect("room");
        drop(b);
        a.desk.clear();
        a.settle();
        let before = a.read_ptr(PAGE);
        a.write(PAGE, &[3]).expect("room");
        assert_eq!(a.read_ptr(PAGE), before);
        let mut out = [0; 2];
        a.read(PAGE - 1, &mut out);
        assert_eq!(out, [1, 3]);
    }

    #[test]
    fn clear_gives_whole_pages_back() {
        let mut a = backing(3 * PAGE);
        a.write(0, &vec![5; 3 * PAGE]);
        a.clear(10, 2 * PAGE).expect("room");
        let mut out = vec![1; 3 * PAGE];
        a.read(0, &mut out);
        assert!(out.iter().enumerate().all(|(i, &b)| b == if (10..10 + 2 * PAGE).contains(&i) { 0 } else { 5 }));
        assert_eq!(a.resident(), 2 * PAGE as u64);
    }
}
