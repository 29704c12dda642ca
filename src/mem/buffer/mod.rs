//! Write buffers: what blocks that run ahead of their turn store, and what they have read.
//!
//! A speculative piece of a launch runs on a [`BufferedMemory`]: a memory that does not change meanwhile, the *base*, seen
//! through a [`WriteBuffer`]. Stores go to the buffer. The buffer knows which bytes were read before they were written, so that
//! the pieces of one base can be committed in order: a piece that has read nothing which an earlier one writes
//! ([`WriteBuffer::conflicts_with`]) has done what it would have done in its turn, and is applied ([`WriteBuffer::apply`]).
//!
//! The buffer follows an allocation as a whole as long as code does only one thing with it: loads go straight to the base,
//! stores go to a log ([`log`]), and deferred atomics are only noted. What is only read may be read through a window, without
//! asking the buffer again; the first store then aborts. Allocations with which more is done are followed byte by
//! byte ([`page`]).
//!
//! An atomic whose result nobody uses may be deferred ([`WriteBuffer::defer`]); its caller does it when the buffer is applied.
//! A buffer that then reads or writes such bytes, that reads an allocation which it follows as a whole after it wrote there,
//! or that grows beyond its limit, is *aborted*. Accesses through an aborted buffer fail like those outside of allocations, and
//! the piece must be thrown away.
//!
//! Not here: which pieces there are and when they are committed (`emu`), and allocating and freeing, which speculative code
//! must not do.

mod access;
mod log;
mod page;
#[cfg(test)]
#[cfg(not(loom))]
mod tests;

use crate::backing::fresh_generation;
use crate::memory::Memory;
use log::StoreLog;
use page::{BUFFER_PAGE, BufferPage, part};
use std::cell::{Cell, OnceCell, RefCell};
use std::sync::Arc;

/// Buffer pages of a directory.
const DIRECTORY: usize = 64;

type Directory = OnceCell<Box<[OnceCell<Box<BufferPage>>; DIRECTORY]>>;

/// What was done with an allocation.
#[derive(Default)]
struct Usage {
    /// Whether it was read, stored to, or touched by deferred atomics.
    is_read: Cell<bool>,
    is_stored: Cell<bool>,
    has_deferred: Cell<bool>,
    /// Whether code may read it without the buffer's seeing it.
    has_window: Cell<bool>,
    directories: OnceCell<Box<[Directory]>>,
}

impl Usage {
    fn is_written(&self) -> bool {
        self.is_stored.get() || self.has_deferred.get()
    }
}

/// What a speculative piece has stored and read. It is used by one thread at a time and can be used again.
#[derive(Default)]
pub struct WriteBuffer {
    /// Which allocations there were when it was used last.
    shape: (u32, usize),
    /// By place in the base's list of allocations.
    usage: Vec<Usage>,
    /// The allocations that are followed byte by byte, by place.
    by_byte: Arc<[bool]>,
    /// The places with any usage.
    touched: RefCell<Vec<u32>>,
    /// Buffer pages that are not blank: place of the allocation, and number of the page.
    used: RefCell<Vec<(u32, u32)>>,
    count: Cell<usize>,
    limit: usize,
    /// Buffer pages that exist.
    made: Cell<usize>,
    log: RefCell<StoreLog>,
    /// Whether it is not its turn.
    is_speculative: bool,
    has_read_bytes: Cell<bool>,
    has_deferred: Cell<bool>,
    is_aborted: Cell<bool>,
    /// What windows of it are found by; see [`Memory::generation`].
    generation: u64,
}

/// A memory that does not change, seen through a write buffer.
#[derive(Clone, Copy, Debug)]
pub struct BufferedMemory<'a> {
    buffer: &'a WriteBuffer,
    base: &'a Memory,
}

impl std::fmt::Debug for WriteBuffer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("WriteBuffer").field("pages", &self.count).finish_non_exhaustive()
    }
}

impl WriteBuffer {
    /// Clears the buffer and begins to speculate. `by_byte` says, by place ([`Memory::places`]), which allocations are followed
    /// byte by byte; `limit` is how many buffer pages of 4 KiB it may use.
    pub fn begin(&mut self, base: &Memory, by_byte: &Arc<[bool]>, limit: usize) {
        self.clear();
        let kept = self.made.get() + self.log.get_mut().capacity() / BUFFER_PAGE;
        if kept > 2 * limit || self.shape != base.shape() {
            *self = WriteBuffer { shape: base.shape(), ..WriteBuffer::default() };
        }
        self.usage.resize_with(base.places(), Usage::default);
        self.by_byte = by_byte.clone();
        (self.limit, self.is_speculative) = (limit, true);
        self.generation = fresh_generation().into_inner();
    }

    /// Forgets everything, but keeps the room.
    pub fn clear(&mut self) {
        for (place, number) in self.used.get_mut().drain(..) {
            let directories = self.usage.get_mut(place as usize).and_then(|u| u.directories.get_mut());
            let directory = directories.and_then(|all| all.get_mut(number as usize / DIRECTORY));
            let pages = directory.and_then(OnceCell::get_mut);
            if let Some(page) = pages.and_then(|p| p[number as usize % DIRECTORY].get_mut()) {
                page.clear();
            }
        }
        for place in self.touched.get_mut().drain(..) {
            if let Some(usage) = self.usage.get(place as usize) {
                let flags = [&usage.is_read, &usage.is_stored, &usage.has_deferred, &usage.has_window];
                flags.into_iter().for_each(|flag| flag.set(false));
            }
        }
        self.count.set(0);
        self.log.get_mut().clear();
        [&self.has_read_bytes, &self.has_deferred, &self.is_aborted].into_iter().for_each(|flag| flag.set(false));
    }

    /// The memory as its code sees it. `base` is that of [`WriteBuffer::begin`], or what it has become when it is the piece's
    /// turn.
    pub fn over<'a>(&'a self, base: &'a Memory) -> BufferedMemory<'a> {
        BufferedMemory { buffer: self, base }
    }

    /// Notes that atomics on these bytes of the base, which lie in an allocation and in one word, are deferred.
    pub fn defer(&self, base: &Memory, address: u64, bytes: usize) {
        let at = self.over(base);
        let Some(spot) = at.locate(address, bytes as u64, &mut 0) else { return };
        self.touch(spot.place, &spot.usage.has_deferred);
        if !self.is_by_byte(spot.place) {
            if spot.usage.is_stored.get() || spot.usage.has_window.get() {
                self.is_aborted.set(true);
            }
            return;
        }
        self.has_deferred.set(true);
        if let Some(page) = self.page(&spot, spot.offset) {
            page.note_deferred(part(spot.offset, bytes));
        }
    }

    /// Whether the piece must be thrown away.
    pub fn is_aborted(&self) -> bool {
        self.is_aborted.get()
    }

    /// How many buffer pages it uses, those that its log would fill included.
    pub fn pages(&self) -> usize {
        self.count.get() + self.log.borrow().bytes().div_ceil(BUFFER_PAGE)
    }

    /// Whether it is as large as it may become.
    pub fn is_full(&self) -> bool {
        self.pages() >= self.limit
    }

    /// Whether it has read any allocation that `uses` ([`WriteBuffer::collect_uses`]) calls written.
    pub fn reads_written(&self, uses: &[u8]) -> bool {
        let is_written = |&place: &u32| uses.get(place as usize).is_some_and(|&u| u > READ);
        self.touched.borrow().iter().any(|place| is_written(place) && self.has_read(*place))
    }

    fn has_read(&self, place: u32) -> bool {
        self.usage.get(place as usize).is_some_and(|u| u.is_read.get())
    }

    fn is_by_byte(&self, place: u32) -> bool {
        // In its turn a piece has to see what it writes.
        self.by_byte.get(place as usize).is_some_and(|&b| b) || !self.is_speculative
    }

    /// Whether it has read what an earlier buffer of the same base writes.
    pub fn conflicts_with(&self, earlier: &WriteBuffer) -> bool {
        let changes = |place: u32| earlier.usage.get(place as usize).is_some_and(Usage::is_written);
        let is_whole = |place: u32| !self.by_byte.get(place as usize).is_some_and(|&b| b);
        if self.touched.borrow().iter().any(|&place| is_whole(place) && self.has_read(place) && changes(place)) {
            return true;
        }
        self.has_read_bytes.get()
            && self.used.borrow().iter().any(|&(place, number)| {
                changes(place)
                    && match (self.existing(place, number), earlier.existing(place, number)) {
                        (Some(own), Some(other)) => own.conflicts_with(other),
                        _ => false,
                    }
            })
    }

    /// Adds what was done with each allocation, by place: 1 if it was read, 2 stored to, 4 touched by deferred atomics.
    pub fn collect_uses(&self, uses: &mut [u8]) {
        for &place in self.touched.borrow().iter() {
            if let (Some(noted), Some(u)) = (uses.get_mut(place as usize), self.usage.get(place as usize)) {
                let flags = [&u.is_read, &u.is_stored, &u.has_deferred].map(|flag| u8::from(flag.get()));
                *noted |= flags[0] * READ | flags[1] << 1 | flags[2] << 2;
            }
        }
    }

    /// Writes what it has to its base. `None` if there is no room for pages.
    pub fn apply(&self, base: &mut Memory) -> Option<()> {
        for &(place, number) in self.used.borrow().iter() {
            if let Some(page) = self.existing(place, number) {
                page.apply(base, place, number as usize * BUFFER_PAGE)?;
            }
        }
        self.log.borrow().apply(base)
    }

    /// Says that it is the piece's turn: the buffer has been applied, its deferred atomics have been done, and what the piece
    /// reads from here on is right in any case.
    pub fn end_speculation(&mut self) {
        self.is_speculative = false;
        self.generation = fresh_generation().into_inner();
        self.log.get_mut().clear();
        if self.has_deferred.take() {
            for &(place, number) in self.used.borrow().iter() {
                if let Some(page) = self.existing(place, number) {
                    page.forget_deferred();
                }
            }
        }
    }

    fn touch(&self, place: u32, flag: &Cell<bool>) {
        if !flag.replace(true) {
            self.touched.borrow_mut().push(place);
        }
    }

    fn abort<T>(&self) -> Option<T> {
        self.is_aborted.set(true);
        None
    }

    /// The page of that number, if it was ever made.
    #[inline]
    fn existing(&self, place: u32, number: u32) -> Option<&BufferPage> {
        let directories = self.usage.get(place as usize)?.directories.get()?;
        let pages = directories.get(number as usize / DIRECTORY)?.get()?;
        pages[number as usize % DIRECTORY].get().map(|page| &**page)
    }
}

/// The bit of an allocation that was read ([`WriteBuffer::collect_uses`]).
const READ: u8 = 1;
