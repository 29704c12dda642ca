//! Pages: counted blocks of bytes, and those that are free.
//!
//! A page is a block of the system's allocator with a head before its bytes: how many slots refer to it, and how large it is.
//! Blocks are asked for with the alignment that every block has anyway, since allocators are wasteful with a larger one; a
//! page of some size begins at a line of the processor's cache within its block. A [`Pool`] is shared by a memory and all its
//! clones. It keeps some whole pages that came back, so that memory that comes and goes is not fetched from the system each
//! time, and knows how many bytes all pages have.
//!
//! Where the system or the limit gives no more, [`Pool::take`] gives nothing and the pool keeps in mind that it was so: what
//! then fails is no fault of the address.
// Blocks with a head, whose references are counted by hand because slots keep a mark in the pointer; heads are aligned, as
// the lead before each page's bytes is a multiple of 16.
#![allow(unsafe_code, clippy::cast_ptr_alignment)]

use std::alloc::{Layout, alloc, alloc_zeroed, dealloc};
use std::ptr::NonNull;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering, fence};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Bytes of a whole page.
pub(crate) const PAGE: usize = 1 << 16;
/// Whole pages that a pool keeps at most.
const KEPT: usize = 512;
/// Alignment of every block; that of pages from [`LARGE`] bytes on.
const ALIGN: usize = 16;
const LINE: usize = 64;
const LARGE: usize = 1024;

/// What lies before the bytes of a page.
struct Head {
    count: AtomicUsize,
    /// Bytes of the page.
    bytes: u32,
    /// Bytes from the beginning of the block to those of the page.
    lead: u32,
}

const HEAD: usize = size_of::<Head>();

/// The bytes of a page; says nothing about who owns a reference.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Page(NonNull<u8>);

impl Page {
    /// A page from what [`Page::raw`] gave; `None` for 0.
    ///
    /// # Safety
    /// The page must be alive as long as it is used.
    #[inline(always)]
    pub(crate) unsafe fn from_raw(raw: usize) -> Option<Page> {
        NonNull::new(raw as *mut u8).map(Page)
    }

    /// The address of its bytes, a multiple of 16.
    pub(crate) fn raw(self) -> usize {
        self.0.as_ptr() as usize
    }

    /// Its bytes.
    #[inline(always)]
    pub(crate) fn bytes(self) -> *mut u8 {
        self.0.as_ptr()
    }

    /// How many bytes it has.
    pub(crate) fn len(self) -> usize {
        self.head().bytes as usize
    }

    fn head(&self) -> &Head {
        // SAFETY: every page is made by `Pool::take`, which writes a head before its bytes, and is alive while it is used.
        unsafe { &*self.0.as_ptr().sub(HEAD).cast::<Head>() }
    }

    /// Counts one more reference.
    pub(crate) fn share(self) {
        self.head().count.fetch_add(1, Ordering::Relaxed);
    }

    /// Whether there is one reference only.
    pub(crate) fn is_sole(self) -> bool {
        self.head().count.load(Ordering::Acquire) == 1
    }
}

/// Where pages come from, for a memory and its clones.
#[derive(Debug)]
pub(crate) struct Pool {
    free: Mutex<Vec<usize>>,
    /// Bytes of all pages that are referred to.
    held: AtomicU64,
    /// How many there may be.
    limit: AtomicU64,
    is_exhausted: AtomicBool,
}

impl Default for Pool {
    fn default() -> Pool {
        Pool {
            free: Mutex::default(),
            held: AtomicU64::new(0),
            limit: AtomicU64::new(u64::MAX),
            is_exhausted: AtomicBool::new(false),
        }
    }
}

impl Pool {
    fn free(&self) -> MutexGuard<'_, Vec<usize>> {
        self.free.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sets how many bytes all pages may have.
    pub(crate) fn set_limit(&self, bytes: u64) {
        self.limit.store(bytes, Ordering::Relaxed);
    }

    /// How many more bytes pages may have.
    pub(crate) fn room(&self) -> u64 {
        self.limit.load(Ordering::Relaxed).saturating_sub(self.held.load(Ordering::Relaxed))
    }

    /// Whether a page could not be had since the last [`Pool::take_exhaustion`].
    pub(crate) fn is_exhausted(&self) -> bool {
        self.is_exhausted.load(Ordering::Relaxed)
    }

    /// How many bytes all pages could have, if a page could not be had since the last call.
    pub(crate) fn take_exhaustion(&self) -> Option<u64> {
        let is_exhausted = self.is_exhausted.swap(false, Ordering::Relaxed);
        let (limit, held) = (self.limit.load(Ordering::Relaxed), self.held.load(Ordering::Relaxed));
        is_exhausted.then_some(if limit == u64::MAX { held } else { limit })
    }

    /// A page of `bytes` with one reference, the caller's; its bytes are zeros or a copy of those of `from`, which must have
    /// as many.
    pub(crate) fn take(&self, bytes: usize, from: Option<Page>) -> Option<Page> {
        let page = if bytes as u64 <= self.room() { self.blank(bytes, from.is_none()) } else { None };
        let Some(page) = page else {
            self.is_exhausted.store(true, Ordering::Relaxed);
            return None;
        };
        self.held.fetch_add(bytes as u64, Ordering::Relaxed);
        if let Some(from) = from {
            // SAFETY: both have `bytes` bytes; nobody writes a page that is copied, and the other one is the caller's alone.
            unsafe { std::ptr::copy_nonoverlapping(from.bytes(), page.bytes(), bytes) };
        }
        Some(page)
    }

    /// A page with one reference, whose bytes are zeros or whatever they were.
    fn blank(&self, bytes: usize, is_zero: bool) -> Option<Page> {
        if bytes == PAGE
            && let Some(raw) = self.free().pop()
        {
            // SAFETY: the list owns its pages, of which this one is whole and the caller's from here on.
            let page = unsafe { Page::from_raw(raw) }?;
            page.share();
            if is_zero {
                // SAFETY: as above.
                unsafe { std::ptr::write_bytes(page.bytes(), 0, PAGE) };
            }
            return Some(page);
        }
        let layout = layout(bytes)?;
        // SAFETY: the layout is not empty, since it has room for a head.
        let block = unsafe { if is_zero { alloc_zeroed(layout) } else { alloc(layout) } };
        let block = NonNull::new(block)?;
        let lead = if bytes >= LARGE { (block.as_ptr() as usize + HEAD).next_multiple_of(LINE) } else { 0 };
        let lead = if lead == 0 { HEAD } else { lead - block.as_ptr() as usize };
        // SAFETY: `layout` leaves room for a head and for the way to the next line before the bytes.
        let page = Page(unsafe { block.add(lead) });
        let head = Head { count: AtomicUsize::new(1), bytes: bytes as u32, lead: lead as u32 };
        // SAFETY: the head lies within the block, and its address is a multiple of 16 as are block and lead.
        unsafe { page.0.as_ptr().sub(HEAD).cast::<Head>().write(head) };
        Some(page)
    }

    /// Takes back one reference of a page, and the page itself with its last.
    pub(crate) fn give(&self, page: Page) {
        if page.head().count.fetch_sub(1, Ordering::Release) != 1 {
            return;
        }
        fence(Ordering::Acquire);
        self.held.fetch_sub(page.len() as u64, Ordering::Relaxed);
        if page.len() == PAGE {
            let mut free = self.free();
            if free.len() < KEPT {
                return free.push(page.raw());
            }
        }
        destroy(page);
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        for raw in std::mem::take(self.free.get_mut().unwrap_or_else(PoisonError::into_inner)) {
            // SAFETY: the list owns its pages.
            if let Some(page) = unsafe { Page::from_raw(raw) } {
                destroy(page);
            }
        }
    }
}

/// The block of a page of `bytes`.
fn layout(bytes: usize) -> Option<Layout> {
    let lead = if bytes >= LARGE { HEAD + LINE - ALIGN } else { HEAD };
    Layout::from_size_align(bytes + lead, ALIGN).ok()
}

/// Gives a page that nobody refers to back to the system.
fn destroy(page: Page) {
    let (bytes, lead) = (page.len(), page.head().lead as usize);
    if let Some(layout) = layout(bytes) {
        // SAFETY: the block was allocated with this layout, and `lead` is how far the page is from its beginning.
        unsafe { dealloc(page.bytes().sub(lead), layout) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_whole_page_that_comes_back_is_taken_again_and_zero() {
        let pool = Pool::default();
        let a = pool.take(PAGE, None).expect("room");
        assert!(a.raw().is_multiple_of(LINE));
        // SAFETY: the page is this test's own.
        unsafe { a.bytes().write_bytes(7, PAGE) };
        pool.give(a);
        let b = pool.take(PAGE, None).expect("room");
        assert_eq!(a, b);
        // SAFETY: as above.
        assert!(unsafe { std::slice::from_raw_parts(b.bytes(), PAGE) }.iter().all(|&x| x == 0));
        pool.give(b);
        assert_eq!(pool.held.load(Ordering::Relaxed), 0);
    }

    #[test]
    fn beyond_the_limit_nothing_is_given() {
        let pool = Pool::default();
        pool.set_limit(PAGE as u64 + 32);
        let a = pool.take(32, None).expect("room");
        let b = pool.take(PAGE, None).expect("room");
        assert_eq!(pool.take_exhaustion(), None);
        assert_eq!(pool.take(16, None), None);
        assert_eq!(pool.take_exhaustion(), Some(PAGE as u64 + 32));
        pool.give(a);
        pool.give(b);
        assert_eq!(pool.room(), PAGE as u64 + 32);
    }
}
