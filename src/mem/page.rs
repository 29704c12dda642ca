//! Copy-on-write pages that several workers may read and write at once.
//!
//! A [`Backing`] is the contents of one allocation: a row of slots, each a pointer to a page with a mark in its lowest bit
//! that says "shared with a clone". Reading follows the pointer. Writing first makes the page the backing's own: a page that
//! is missing (never written, all zeros) or shared is replaced by a copy under a lock. The replaced page is kept until the
//! backing is next borrowed exclusively, so that a worker that still reads it is safe.
//!
//! Two workers must not touch the same byte at the same time unless both read; the emulator's scheduler sees to that
//! (a launch gives the result of running its blocks one after another).
#![allow(unsafe_code)] // Workers write disjoint bytes of one page, which safe Rust cannot express; see the module's head.

use std::cell::UnsafeCell;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// Bytes of a page.
pub(crate) const PAGE: usize = 1 << 16;
const SHARED: usize = 1;

#[repr(align(64))]
struct Page(UnsafeCell<[u8; PAGE]>);

// SAFETY: workers that share a page touch disjoint bytes or only read (module head).
unsafe impl Sync for Page {}

/// The contents of one allocation.
pub(crate) struct Backing {
    slots: Vec<AtomicUsize>,
    retired: Mutex<Vec<Arc<Page>>>,
}

impl Backing {
    /// A backing of at least `bytes` zeros; no page is taken before it is written.
    pub(crate) fn new(bytes: u64) -> Backing {
        let count = bytes.div_ceil(PAGE as u64) as usize;
        let mut slots = Vec::with_capacity(count);
        slots.resize_with(count, || AtomicUsize::new(0));
        Backing { slots, retired: Mutex::new(Vec::new()) }
    }

    /// Bytes of the pages that are really held.
    pub(crate) fn resident(&self) -> u64 {
        self.slots.iter().filter(|s| s.load(Ordering::Relaxed) != 0).count() as u64 * PAGE as u64
    }

    /// A pointer to read from at byte `offset`, and how many bytes of its page follow; `None` for a page of zeros.
    /// `offset` must lie in the backing.
    #[inline(always)]
    pub(crate) fn read_ptr(&self, offset: usize) -> Option<*const u8> {
        let raw = self.slots[offset / PAGE].load(Ordering::Acquire);
        if raw == 0 {
            return None;
        }
        let page = (raw & !SHARED) as *const Page;
        // SAFETY: the slot holds a live page (it owns one reference), and the offset within it is below PAGE.
        Some(unsafe { (*page).0.get().cast::<u8>().add(offset % PAGE) })
    }

    /// A pointer to write to at byte `offset`. `offset` must lie in the backing.
    #[inline(always)]
    pub(crate) fn write_ptr(&self, offset: usize) -> *mut u8 {
        let slot = &self.slots[offset / PAGE];
        let mut raw = slot.load(Ordering::Acquire);
        if raw == 0 || raw & SHARED != 0 {
            raw = self.own(slot);
        }
        let page = raw as *const Page;
        // SAFETY: as in `read_ptr`; the page is not shared with a clone, so writing through it is this backing's business.
        unsafe { (*page).0.get().cast::<u8>().add(offset % PAGE) }
    }

    #[cold]
    fn own(&self, slot: &AtomicUsize) -> usize {
        let seen = slot.load(Ordering::Acquire);
        if seen != 0 && seen & SHARED == 0 {
            // Another worker was faster, and may be writing to the page already.
            return seen;
        }
        // The copy is made before the lock is taken, so that workers copy different pages at the same time. Nobody writes a
        // shared page, and what the slot held when it was read stays alive until the backing is borrowed exclusively.
        let fresh = zero_page();
        if seen != 0 {
            let old = (seen & !SHARED) as *const Page;
            // SAFETY: both are whole pages; nobody writes a shared page, and the fresh one is ours alone.
            unsafe { std::ptr::copy_nonoverlapping((*old).0.get().cast::<u8>(), fresh.0.get().cast::<u8>(), PAGE) };
        }
        let mut retired = self.retired.lock().unwrap_or_else(PoisonError::into_inner);
        let raw = slot.load(Ordering::Acquire);
        if raw != seen {
            // Another worker was faster.
            return raw;
        }
        if raw != 0 {
            // SAFETY: the slot owned one reference of the page, which now is the list's.
            retired.push(unsafe { Arc::from_raw((raw & !SHARED) as *const Page) });
        }
        let raw = Arc::into_raw(fresh) as usize;
        slot.store(raw, Ordering::Release);
        raw
    }

    /// Lets go of pages that were replaced, and takes back those that no clone shares any more.
    pub(crate) fn settle(&mut self) {
        self.retired.get_mut().unwrap_or_else(PoisonError::into_inner).clear();
        for slot in &mut self.slots {
            let raw = *slot.get_mut();
            if raw & SHARED != 0 {
                // SAFETY: the slot owns one reference of the page, which is given back to it.
                let mut page = unsafe { Arc::from_raw((raw & !SHARED) as *const Page) };
                let is_own = Arc::get_mut(&mut page).is_some();
                let raw = Arc::into_raw(page) as usize;
                *slot.get_mut() = if is_own { raw } else { raw | SHARED };
            }
        }
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

    /// Copies `data` to `offset` on; the range must lie in the backing.
    pub(crate) fn write(&self, mut offset: usize, mut data: &[u8]) {
        while !data.is_empty() {
            let n = data.len().min(PAGE - offset % PAGE);
            let p = self.write_ptr(offset);
            // SAFETY: `n` bytes from the pointer on lie in one page of our own.
            unsafe { std::ptr::copy_nonoverlapping(data.as_ptr(), p, n) };
            offset += n;
            data = &data[n..];
        }
    }

    /// Sets `len` bytes from `offset` on to zero, giving whole pages back.
    pub(crate) fn clear(&mut self, offset: usize, len: usize) {
        let mut at = offset;
        let end = offset + len;
        while at < end {
            let n = (end - at).min(PAGE - at % PAGE);
            if n == PAGE {
                let slot = &mut self.slots[at / PAGE];
                let raw = std::mem::replace(slot.get_mut(), 0);
                release(raw);
            } else if self.read_ptr(at).is_some() {
                let p = self.write_ptr(at);
                // SAFETY: `n` bytes from the pointer on lie in one page of our own.
                unsafe { std::ptr::write_bytes(p, 0, n) };
            }
            at += n;
        }
    }
}

fn zero_page() -> Arc<Page> {
    let layout = Arc::<Page>::new_zeroed();
    // SAFETY: a page of zero bytes is a valid page.
    unsafe { layout.assume_init() }
}

fn release(raw: usize) {
    if raw != 0 {
        // SAFETY: the slot that held `raw` owned one reference and does so no more.
        drop(unsafe { Arc::from_raw((raw & !SHARED) as *const Page) });
    }
}

impl Clone for Backing {
    fn clone(&self) -> Backing {
        let share = |slot: &AtomicUsize| {
            // The lock keeps `own` from replacing the page between the mark and the new reference.
            let raw = slot.fetch_or(0, Ordering::AcqRel);
            if raw == 0 {
                return AtomicUsize::new(0);
            }
            slot.store(raw | SHARED, Ordering::Release);
            // SAFETY: the slot owns one reference, so the count is at least one.
            unsafe { Arc::increment_strong_count((raw & !SHARED) as *const Page) };
            AtomicUsize::new(raw | SHARED)
        };
        let guard = self.retired.lock().unwrap_or_else(PoisonError::into_inner);
        let slots = self.slots.iter().map(share).collect();
        drop(guard);
        Backing { slots, retired: Mutex::new(Vec::new()) }
    }
}

impl Drop for Backing {
    fn drop(&mut self) {
        for slot in &mut self.slots {
            release(std::mem::replace(slot.get_mut(), 0));
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

    #[test]
    fn a_clone_keeps_what_was_there_when_the_original_is_written() {
        let a = Backing::new(3 * PAGE as u64);
        a.write(PAGE - 2, &[1, 2, 3, 4]);
        let b = a.clone();
        a.write(PAGE, &[9]);
        b.write(0, &[7]);
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
        let backing = Backing::new((PAGES * PAGE) as u64);
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
                            backing.write(page * PAGE + 2 * i + worker, &[1]);
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
        let mut a = Backing::new(2 * PAGE as u64);
        a.write(0, &[1].repeat(2 * PAGE));
        let b = a.clone();
        a.write(0, &[2]);
        drop(b);
        a.settle();
        let before = a.read_ptr(PAGE);
        a.write(PAGE, &[3]);
        assert_eq!(a.read_ptr(PAGE), before);
        let mut out = [0; 2];
        a.read(PAGE - 1, &mut out);
        assert_eq!(out, [1, 3]);
    }

    #[test]
    fn clear_gives_whole_pages_back() {
        let mut a = Backing::new(3 * PAGE as u64);
        a.write(0, &vec![5; 3 * PAGE]);
        a.clear(10, 2 * PAGE);
        let mut out = vec![1; 3 * PAGE];
        a.read(0, &mut out);
        assert!(out.iter().enumerate().all(|(i, &b)| b == if (10..10 + 2 * PAGE).contains(&i) { 0 } else { 5 }));
        assert_eq!(a.resident(), 2 * PAGE as u64);
    }
}
