//! Pages: reference-counted blocks of bytes, and the pool they come from.
//!
//! A page is a block of the system's allocator with a header before its bytes: how many references there are, and how large it
//! is. Or it lies in the arena ([`crate::arena`]), which has the headers elsewhere. A [`Pool`] is shared by a memory and all its
//! clones. It keeps some whole pages that came back, so that memory that comes and goes is not fetched from the system each time,
//! and it knows how many bytes all pages have.
//!
//! Why the count is kept by hand and not by `Arc<[u8]>`: a page that the system cannot give is an error that a program sees
//! ([`Pool::take`] returns `None`), where `Arc` ends the process; the bytes of a large page begin at a cache line without an
//! allocation that is over-aligned, which allocators waste room on; and pages are recycled.
//!
//! Not here: who may read or write the bytes, and which pages make up an allocation (`backing`).
// A block with a header has no type in safe Rust. Every access to the header or the bytes rests on `Page`'s invariant.
#![allow(unsafe_code, clippy::cast_ptr_alignment)]

use crate::arena::{self, Run};
use crate::header::{Header, PAGE};
use crate::sync::{AtomicBool, AtomicU64, AtomicUsize, Mutex, Ordering, lock};
use std::alloc::{Layout, alloc, alloc_zeroed, dealloc};
use std::ptr::NonNull;
use std::sync::atomic::AtomicU32;

/// Whole pages that a pool keeps at most.
const KEPT: usize = 512;
/// Alignment of every block, which allocators give anyway.
const ALIGN: usize = 16;
/// Alignment of the bytes of a page of at least [`LARGE`] bytes: a cache line.
const LINE: usize = 64;
const LARGE: usize = 1024;

const HEADER: usize = size_of::<Header>();

/// One reference to a page.
///
/// Invariant: the pointer is that of the bytes of a block or of a place in the arena made by [`Pool::take`], with the provenance of
/// the whole block or arena, and the page lives at least as long as the reference is not given back with [`Pool::give`]. Dropping it
/// leaks the page.
#[derive(PartialEq, Eq, Debug)]
pub(crate) struct Page(NonNull<u8>);

// SAFETY: a page is a pointer to a block that every thread may use; the count is atomic, and uses of the bytes are `unsafe`.
unsafe impl Send for Page {}

impl Page {
    /// Turns the reference into a pointer to the bytes, a multiple of 16.
    pub(crate) fn into_raw(self) -> *mut u8 {
        self.0.as_ptr()
    }

    /// Takes back the reference that [`Page::into_raw`] gave away; `None` for a null pointer.
    ///
    /// # Safety
    /// A pointer that is not null must come from [`Page::into_raw`], and each is taken back once.
    pub(crate) unsafe fn from_raw(raw: *mut u8) -> Option<Page> {
        NonNull::new(raw).map(Page)
    }

    /// Does something with the page of a pointer whose reference stays where it is; `None` for a null pointer.
    ///
    /// # Safety
    /// A pointer that is not null must come from [`Page::into_raw`], and its reference must not be given back meanwhile.
    pub(crate) unsafe fn with_raw<R>(raw: *mut u8, f: impl FnOnce(&Page) -> R) -> Option<R> {
        NonNull::new(raw).map(|bytes| f(&Page(bytes)))
    }

    /// The first of its bytes.
    pub(crate) fn bytes(&self) -> *mut u8 {
        self.0.as_ptr()
    }

    /// How many bytes it has.
    pub(crate) fn len(&self) -> usize {
        self.header().bytes.load(Ordering::Relaxed) as usize
    }

    fn header(&self) -> &Header {
        match arena::header(self.0) {
            // SAFETY: headers of the arena live as long as the process.
            Some(header) => unsafe { header.as_ref() },
            // SAFETY: by the invariant the block lives and has a header before the bytes.
            None => unsafe { &*self.0.as_ptr().sub(HEADER).cast::<Header>() },
        }
    }

    /// The page of a run, with one reference, whose bytes are zeros or anything. `None` if somebody has it.
    fn in_run(run: &Run, number: usize, bytes: usize, is_zero: bool) -> Option<Page> {
        let (place, header, are_zeros) = run.take(number)?;
        // SAFETY: headers of the arena live as long as the process.
        unsafe { header.as_ref() }.bytes.store(bytes as u32, Ordering::Relaxed);
        if is_zero && !are_zeros {
            // SAFETY: nobody else has a reference to the page, which is whole.
            unsafe { place.write_bytes(0, bytes) };
        }
        Some(Page(place))
    }

    /// One more reference.
    pub(crate) fn share(&self) -> Page {
        self.header().count.fetch_add(1, Ordering::Relaxed);
        Page(self.0)
    }

    /// Whether this is the only reference.
    pub(crate) fn is_sole(&self) -> bool {
        self.header().count.load(Ordering::Acquire) == 1
    }

    /// Tells the model checker that bytes are read, or that bytes are written which nobody else uses.
    #[inline(always)]
    pub(crate) fn track_use(&self) {
        #[cfg(loom)]
        self.header().tracked.with(|_| ());
    }

    /// Tells the model checker that nobody else uses any byte.
    fn track_sole_use(&self) {
        #[cfg(loom)]
        self.header().tracked.with_mut(|_| ());
    }
}

/// Where pages come from, for a memory and its clones.
#[derive(Debug)]
pub(crate) struct Pool {
    free: Mutex<Vec<Page>>,
    /// Bytes of all pages that are referred to.
    held: AtomicU64,
    /// How many there may be.
    limit: AtomicU64,
    is_exhausted: AtomicBool,
}

impl Default for Pool {
    fn default() -> Pool {
        Pool {
            free: Mutex::new(Vec::new()),
            held: AtomicU64::new(0),
            limit: AtomicU64::new(u64::MAX),
            is_exhausted: AtomicBool::new(false),
        }
    }
}

impl Pool {
    /// Sets how many bytes all pages may have.
    pub(crate) fn set_limit(&self, bytes: u64) {
        self.limit.store(bytes, Ordering::Relaxed);
    }

    /// Bytes of all pages.
    pub(crate) fn held(&self) -> u64 {
        self.held.load(Ordering::Relaxed)
    }

    /// How many more bytes pages may have.
    pub(crate) fn room(&self) -> u64 {
        self.limit.load(Ordering::Relaxed).saturating_sub(self.held.load(Ordering::Relaxed))
    }

    /// Whether a page was refused since the last [`Pool::take_exhaustion`].
    pub(crate) fn is_exhausted(&self) -> bool {
        self.is_exhausted.load(Ordering::Relaxed)
    }

    /// How many bytes all pages could have, if a page was refused since the last call.
    pub(crate) fn take_exhaustion(&self) -> Option<u64> {
        let is_exhausted = self.is_exhausted.swap(false, Ordering::Relaxed);
        let (limit, held) = (self.limit.load(Ordering::Relaxed), self.held.load(Ordering::Relaxed));
        is_exhausted.then_some(if limit == u64::MAX { held } else { limit })
    }

    /// A new page of `bytes` with one reference. Its bytes are zeros or a copy of those of `from`, which must have as many and
    /// which nobody writes meanwhile. It lies where one of the `places` is free, if there is one: a run, and the number of a page in
    /// it, which the caller keeps as long as the page. `None`, and a note for [`Pool::take_exhaustion`], if the system or the limit
    /// gives no more.
    pub(crate) fn take<'a>(
        &self,
        bytes: usize,
        from: Option<&Page>,
        places: impl IntoIterator<Item = (&'a Run, usize)>,
    ) -> Option<Page> {
        debug_assert!(from.is_none_or(|f| f.len() == bytes));
        let page = if bytes as u64 <= self.room() {
            let mut places = places.into_iter();
            let placed = places.find_map(|(run, number)| Page::in_run(run, number, bytes, from.is_none()));
            placed.or_else(|| self.blank(bytes, from.is_none()))
        } else {
            None
        };
        let Some(page) = page else {
            self.is_exhausted.store(true, Ordering::Relaxed);
            return None;
        };
        self.held.fetch_add(bytes as u64, Ordering::Relaxed);
        page.track_sole_use();
        if let Some(from) = from {
            from.track_use();
            // SAFETY: both have `bytes` bytes; nobody writes a page that is copied, and nobody else knows the new one.
            unsafe { std::ptr::copy_nonoverlapping(from.bytes(), page.bytes(), bytes) };
        }
        Some(page)
    }

    /// A page with one reference, whose bytes are zeros or anything.
    fn blank(&self, bytes: usize, is_zero: bool) -> Option<Page> {
        if bytes == PAGE
            && let Some(page) = lock(&self.free).pop()
        {
            page.header().count.store(1, Ordering::Relaxed);
            if is_zero {
                page.track_sole_use();
                // SAFETY: the page is whole, and nobody else has a reference.
                unsafe { std::ptr::write_bytes(page.bytes(), 0, PAGE) };
            }
            return Some(page);
        }
        let layout = layout(bytes)?;
        // SAFETY: the layout is not empty, since it has room for a header.
        let block = unsafe { if is_zero { alloc_zeroed(layout) } else { alloc(layout) } };
        let block = NonNull::new(block)?;
        let first = block.addr().get();
        let lead = if bytes >= LARGE { (first + HEADER).next_multiple_of(LINE) - first } else { HEADER };
        // SAFETY: `layout` leaves room for a header and for the way to the next line before the bytes.
        let bytes_at = unsafe { block.add(lead) };
        let header = Header {
            count: AtomicUsize::new(1),
            bytes: AtomicU32::new(bytes as u32),
            lead: lead as u8,
            is_used: false.into(),
            #[cfg(loom)]
            tracked: loom::cell::UnsafeCell::new(()),
        };
        // SAFETY: the header lies within the block, and its address is a multiple of 16 as are those of block and bytes.
        unsafe { bytes_at.as_ptr().sub(HEADER).cast::<Header>().write(header) };
        Some(Page(bytes_at))
    }

    /// Gives a reference back, and the page with its last one.
    pub(crate) fn give(&self, page: Page) {
        // The last reference stays: once the count is 0, another thread may take a page of the arena.
        let count = &page.header().count;
        let mut seen = count.load(Ordering::Acquire);
        while seen != 1 {
            match count.compare_exchange(seen, seen - 1, Ordering::AcqRel, Ordering::Acquire) {
                Ok(_) => return,
                Err(now) => seen = now,
            }
        }
        page.track_sole_use();
        self.held.fetch_sub(page.len() as u64, Ordering::Relaxed);
        if let Some(header) = arena::header(page.0) {
            // SAFETY: the header is the page's, and its only reference ends here.
            return unsafe { arena::end(header) };
        }
        if page.len() == PAGE {
            let mut free = lock(&self.free);
            if free.len() < KEPT {
                return free.push(page);
            }
        }
        destroy(page);
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        let free = std::mem::take(&mut *lock(&self.free));
        free.into_iter().for_each(destroy);
    }
}

/// The block of a page of `bytes`.
fn layout(bytes: usize) -> Option<Layout> {
    let lead = if bytes >= LARGE { HEADER + LINE - ALIGN } else { HEADER };
    Layout::from_size_align(bytes + lead, ALIGN).ok()
}

/// Gives a page to the system whose only reference this is.
fn destroy(page: Page) {
    let (bytes, lead) = (page.len(), usize::from(page.header().lead));
    if let Some(layout) = layout(bytes) {
        let bytes = page.into_raw();
        // SAFETY: the block was allocated with this layout, `lead` is how far the bytes are from its beginning, and the only
        // reference ends here.
        unsafe {
            bytes.sub(HEADER).cast::<Header>().drop_in_place();
            dealloc(bytes.sub(lead), layout);
        }
    }
}

#[cfg(test)]
#[cfg(not(loom))]
mod tests {
    use super::*;

    #[test]
    fn a_whole_page_that_comes_back_is_taken_again_and_zero() {
        let pool = Pool::default();
        let a = pool.take(PAGE, None, []).expect("room");
        let at = a.bytes();
        assert!(at.addr().is_multiple_of(LINE));
        // SAFETY: nobody else has a reference to the page.
        unsafe { a.bytes().write_bytes(7, PAGE) };
        pool.give(a);
        let b = pool.take(PAGE, None, []).expect("room");
        assert_eq!(at, b.bytes());
        // SAFETY: as above.
        assert!(unsafe { std::slice::from_raw_parts(b.bytes(), PAGE) }.iter().all(|&x| x == 0));
        pool.give(b);
        assert_eq!(pool.held.load(Ordering::Relaxed), 0);
    }

    #[test]
    fn beyond_the_limit_nothing_is_given() {
        let pool = Pool::default();
        pool.set_limit(PAGE as u64 + 32);
        let a = pool.take(32, None, []).expect("room");
        let b = pool.take(PAGE, None, []).expect("room");
        assert_eq!(pool.take_exhaustion(), None);
        assert_eq!(pool.take(16, None, []), None);
        assert_eq!(pool.take_exhaustion(), Some(PAGE as u64 + 32));
        pool.give(a);
        pool.give(b);
        assert_eq!(pool.room(), PAGE as u64 + 32);
    }

    #[test]
    fn pages_of_all_sizes_are_aligned_and_go_with_their_last_reference() {
        let pool = Pool::default();
        for bytes in [16, 48, 1008, LARGE, LARGE + 16, PAGE - 16, PAGE] {
            let page = pool.take(bytes, None, []).expect("room");
            assert!(page.bytes().addr().is_multiple_of(if bytes >= LARGE { LINE } else { ALIGN }));
            let more = page.share();
            assert!(!page.is_sole());
            pool.give(page);
            assert!(more.is_sole() && pool.held.load(Ordering::Relaxed) == bytes as u64);
            pool.give(more);
        }
        assert_eq!(pool.held.load(Ordering::Relaxed), 0);
    }
}
