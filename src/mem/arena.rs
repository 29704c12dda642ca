//! Room for whole pages side by side.
//!
//! An [`Arena`] is a large range of this process's addresses that costs nothing until it is written to. A [`Run`] is a part of it
//! with room for all pages of one allocation, so that those that lie there are consecutive bytes: who found one of them has found
//! its neighbours. Pages may lie elsewhere; nothing but speed depends on it, and there is no arena where the system gives none.
//!
//! The bytes of a page that came back stay as they are, as long as there are few such pages; then the system gets them.
//!
//! Not here: which page lies in a run (`backing`), references of pages (`page`).
#![allow(unsafe_code)] // Memory of the system, and headers at addresses that follow from those of pages.

use crate::header::{Header, PAGE};
use crate::sync::{Mutex, lock};
#[cfg(unix)]
use memmap2::{Advice, UncheckedAdvice};
use memmap2::{MmapMut, MmapOptions};
use std::collections::{BTreeMap, BTreeSet};
use std::ptr::NonNull;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Pages of the arena: 2^40 bytes of addresses.
const PAGES: usize = 1 << 24;
/// Pages whose bytes are kept although nobody refers to them.
const KEPT: usize = 1024;
/// From so many pages on a run asks for large pages of the system, and begins at a multiple of one.
const LARGE_RUN: usize = 64;
/// Pages in a large page of the system.
const LARGE_PAGE: usize = (2 << 20) / PAGE;

/// Addresses for runs.
struct Arena {
    /// The first page; a multiple of a large page of the system.
    pages: NonNull<u8>,
    /// Of the pages, in order. Zeros are the header of a page that nobody refers to, and whose bytes are zeros.
    headers: NonNull<Header>,
    /// The maps of both, and how many bytes of the first lie before the first page.
    maps: (MmapMut, MmapMut),
    lead: usize,
    free: Mutex<Free>,
    /// Pages that somebody refers to.
    used: AtomicUsize,
    /// Pages that nobody refers to and whose bytes may not be zeros.
    kept: AtomicUsize,
}

// SAFETY: pages and headers are memory that every thread may use; each use answers for itself.
unsafe impl Send for Arena {}
// SAFETY: as above.
unsafe impl Sync for Arena {}

/// Pages that belong to no run, in ranges as long as possible.
#[derive(Debug, Default)]
struct Free {
    /// How many there are, by the first.
    by_place: BTreeMap<usize, usize>,
    /// How many there are, and the first.
    by_length: BTreeSet<(usize, usize)>,
}

impl Free {
    /// The first of so many pages, a multiple of `align`.
    fn take(&mut self, count: usize, align: usize) -> Option<usize> {
        let &(length, place) = self.by_length.range((count + align - 1, 0)..).next()?;
        self.remove(place, length);
        let first = place.next_multiple_of(align);
        self.insert(place, first - place);
        self.insert(first + count, place + length - (first + count));
        Some(first)
    }

    /// Takes pages back.
    fn give(&mut self, mut first: usize, mut count: usize) {
        if let Some((&place, &length)) = self.by_place.range(..first).next_back()
            && place + length == first
        {
            self.remove(place, length);
            (first, count) = (place, count + length);
        }
        if let Some(&length) = self.by_place.get(&(first + count)) {
            self.remove(first + count, length);
            count += length;
        }
        self.insert(first, count);
    }

    fn insert(&mut self, first: usize, count: usize) {
        if count > 0 {
            self.by_place.insert(first, count);
            self.by_length.insert((count, first));
        }
    }

    fn remove(&mut self, first: usize, count: usize) {
        self.by_place.remove(&first);
        self.by_length.remove(&(count, first));
    }
}

/// The arena of this process; `None` if there is none.
fn arena() -> Option<&'static Arena> {
    static ARENA: OnceLock<Option<Arena>> = OnceLock::new();
    ARENA.get_or_init(Arena::new).as_ref()
}

/// The header of a page that lies in the arena.
#[inline]
pub(crate) fn header(page: NonNull<u8>) -> Option<NonNull<Header>> {
    let arena = arena()?;
    let number = page.addr().get().wrapping_sub(arena.pages.addr().get()) / PAGE;
    (number < PAGES).then(|| arena.header(number))
}

/// Gives a page of the arena back whose only reference this is.
///
/// # Safety
/// The header is one of [`header`], with a count of 1.
pub(crate) unsafe fn end(of: NonNull<Header>) {
    let Some(arena) = arena() else { return };
    // SAFETY: the map is as large as needed, and headers live as long as the process.
    let number = unsafe { of.offset_from(arena.headers) } as usize;
    // SAFETY: as above.
    let header = unsafe { of.as_ref() };
    arena.used.fetch_sub(1, Ordering::Relaxed);
    // SAFETY: this was the only reference.
    if arena.kept.load(Ordering::Relaxed) >= arena.most_kept() && unsafe { arena.discard(number, 1) } {
        header.is_used.store(false, Ordering::Relaxed);
    } else {
        arena.kept.fetch_add(1, Ordering::Relaxed);
    }
    // Who takes the page sees what was done.
    header.count.store(0, crate::sync::Ordering::Release);
}

impl Arena {
    fn new() -> Option<Arena> {
        // A model checker and an interpreter of Rust want to see each page made.
        if cfg!(any(loom, miri, not(target_pointer_width = "64"))) {
            return None;
        }
        let map = |bytes| {
            let mut options = MmapOptions::new();
            options.len(bytes);
            #[cfg(unix)]
            options.no_reserve_swap();
            options.map_anon().ok()
        };
        let (mut pages, mut headers) = (map((PAGES + LARGE_PAGE) * PAGE)?, map(PAGES * size_of::<Header>())?);
        let first = NonNull::new(pages.as_mut_ptr())?;
        let lead = first.addr().get().next_multiple_of(LARGE_PAGE * PAGE) - first.addr().get();
        let arena = Arena {
            // SAFETY: there is a large page more than pages need.
            pages: unsafe { first.add(lead) },
            headers: NonNull::new(headers.as_mut_ptr())?.cast(),
            maps: (pages, headers),
            lead,
            free: Mutex::new(Free::default()),
            used: AtomicUsize::new(0),
            kept: AtomicUsize::new(0),
        };
        lock(&arena.free).give(0, PAGES);
        Some(arena)
    }

    fn header(&self, number: usize) -> NonNull<Header> {
        debug_assert!(number < PAGES);
        // SAFETY: the map has room for the headers of all pages.
        unsafe { self.headers.add(number) }
    }

    /// Gives the bytes of pages to the system: they are zeros. False if it does not take them.
    ///
    /// # Safety
    /// Nobody refers to the pages.
    unsafe fn discard(&self, first: usize, count: usize) -> bool {
        #[cfg(unix)]
        {
            let from = self.lead + first * PAGE;
            // SAFETY: nobody expects anything of the bytes.
            unsafe { self.maps.0.unchecked_advise_range(UncheckedAdvice::DontNeed, from, count * PAGE).is_ok() }
        }
        #[cfg(not(unix))]
        false
    }

    /// How many pages may be kept.
    fn most_kept(&self) -> usize {
        KEPT.max(self.used.load(Ordering::Relaxed) / 4)
    }
}

/// Room for so many pages side by side. Who refers to one of its pages keeps the run.
#[derive(Debug)]
pub(crate) struct Run {
    first: usize,
    pages: usize,
}

impl Run {
    /// Room for so many pages, the first at a multiple of `align` bytes, at most those of a large page of the system; `None`
    /// if there is none.
    pub(crate) fn new(pages: usize, align: usize) -> Option<Run> {
        let arena = arena()?;
        let is_large = pages >= LARGE_RUN;
        let first = lock(&arena.free).take(pages, if is_large { LARGE_PAGE } else { align.div_ceil(PAGE) })?;
        #[cfg(unix)]
        if is_large {
            // It is faster, no more.
            let _ = arena.maps.0.advise_range(Advice::HugePage, arena.lead + first * PAGE, pages * PAGE);
        }
        Some(Run { first, pages })
    }

    /// Whether an address is that of one of its pages.
    pub(crate) fn holds(&self, page: *const u8) -> bool {
        let first = arena().map_or(0, |arena| arena.pages.addr().get()) + self.first * PAGE;
        page.addr().wrapping_sub(first) < self.pages * PAGE
    }

    /// The page of that number, with one reference, and whether its bytes are zeros. `None` if somebody has it.
    pub(crate) fn take(&self, number: usize) -> Option<(NonNull<u8>, NonNull<Header>, bool)> {
        let arena = arena()?;
        if number >= self.pages {
            return None;
        }
        let at = arena.header(self.first + number);
        // SAFETY: headers live as long as the process.
        let header = unsafe { at.as_ref() };
        header.count.compare_exchange(0, 1, crate::sync::Ordering::Acquire, crate::sync::Ordering::Relaxed).ok()?;
        let was_used = header.is_used.swap(true, Ordering::Relaxed);
        if was_used {
            arena.kept.fetch_sub(1, Ordering::Relaxed);
        }
        arena.used.fetch_add(1, Ordering::Relaxed);
        // SAFETY: the page lies in the arena.
        Some((unsafe { arena.pages.add((self.first + number) * PAGE) }, at, !was_used))
    }
}

impl Drop for Run {
    fn drop(&mut self) {
        let Some(arena) = arena() else { return };
        let headers = || (self.first..self.first + self.pages).map(|number| arena.header(number));
        // SAFETY: headers live as long as the process.
        let used = || headers().map(|header| unsafe { &header.as_ref().is_used });
        debug_assert!(headers().all(|h| unsafe { h.as_ref() }.count.load(crate::sync::Ordering::Relaxed) == 0));
        // SAFETY: nobody refers to a page of the run.
        if arena.kept.load(Ordering::Relaxed) > arena.most_kept() && unsafe { arena.discard(self.first, self.pages) } {
            let kept = used().filter(|used| used.swap(false, Ordering::Relaxed)).count();
            arena.kept.fetch_sub(kept, Ordering::Relaxed);
        }
        lock(&arena.free).give(self.first, self.pages);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_that_come_back_join_their_neighbours() {
        let mut free = Free::default();
        free.give(0, 100);
        let (a, b, c) = (free.take(10, 1), free.take(32, 32), free.take(5, 1));
        assert_eq!((a, b, c), (Some(0), Some(32), Some(10)));
        free.give(32, 32);
        free.give(0, 10);
        free.give(10, 5);
        assert_eq!((free.by_place.len(), free.by_length.first()), (1, Some(&(100, 0))));
        assert_eq!((free.take(101, 1), free.take(69, 32), free.take(69, 1)), (None, Some(0), None));
    }

    #[test]
    fn a_page_is_taken_once_and_its_bytes_are_zeros_if_it_says_so() {
        let Some(run) = Run::new(3, 1) else { return };
        let (first, _, _) = run.take(0).expect("free");
        let (second, header, is_zero) = run.take(1).expect("free");
        assert!(run.take(1).is_none() && run.take(3).is_none());
        // SAFETY: both lie in the run.
        assert_eq!(unsafe { first.add(PAGE) }, second);
        assert!(run.holds(second.as_ptr()) && !run.holds(first.as_ptr().wrapping_sub(1)));
        // SAFETY: nobody else has the page.
        let bytes = || unsafe { std::slice::from_raw_parts_mut(second.as_ptr(), PAGE) };
        assert!(!is_zero || bytes().iter().all(|&b| b == 0));
        bytes().fill(1);
        // SAFETY: there is one reference of each.
        unsafe { end(header) };
        let (_, header, is_zero) = run.take(1).expect("free");
        assert!(!is_zero || bytes().iter().all(|&b| b == 0));
        // SAFETY: as above.
        unsafe { end(header) };
        // SAFETY: as above.
        unsafe { end(super::header(first).expect("in the arena")) };
    }
}
