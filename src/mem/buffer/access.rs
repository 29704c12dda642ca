//! Loads and stores through a write buffer.
//!
//! A load of an allocation that is followed as a whole costs a flag more than one of a plain memory. One of an allocation that
//! is followed byte by byte notes the bytes, and takes those from the buffer that were written there.
//!
//! Not here: what becomes of the buffer (`super`).

use super::page::{BUFFER_PAGE, BufferPage, is_in_buffer_page, part, parts};
use super::{BufferedMemory, DIRECTORY, Directory, Usage, WriteBuffer};
use crate::lanes::{LaneAddresses, Strided};
use crate::loads::{Hint, failing};
use crate::memory::{Live, Memory, MemoryWindow, PageTable};
use crate::words::Word;
use scalar::lanes;
use std::cell::OnceCell;

/// Where an access goes.
pub(super) struct Spot<'a> {
    live: &'a Live,
    pub(super) usage: &'a Usage,
    pub(super) place: u32,
    pub(super) offset: usize,
    /// The first address.
    address: u64,
}

impl Spot<'_> {
    /// A word that the base has at an offset of the allocation.
    #[inline]
    fn before<T: Word>(&self, base: &Memory, offset: usize) -> T {
        let mut hint = self.place;
        base.load(self.live.base + offset as u64, &mut hint).unwrap_or_default()
    }
}

impl WriteBuffer {
    /// The page of a byte, about to be noted on. `None` if that would be one too many.
    #[inline]
    pub(super) fn page<'a>(&self, spot: &Spot<'a>, offset: usize) -> Option<&'a BufferPage> {
        let number = offset / BUFFER_PAGE;
        let directories = spot.usage.directories.get();
        let found = directories.and_then(|all| all.get(number / DIRECTORY)?.get()?[number % DIRECTORY].get());
        match found {
            Some(page) if !page.is_blank() => Some(page),
            _ => self.fresh(spot, number),
        }
    }

    #[cold]
    fn fresh<'a>(&self, spot: &Spot<'a>, number: usize) -> Option<&'a BufferPage> {
        let count = self.count.get();
        self.count.set(count + 1);
        if count >= self.limit && self.is_speculative {
            return self.abort();
        }
        let all = (spot.live.bytes as usize).div_ceil(BUFFER_PAGE * DIRECTORY);
        let directories =
            spot.usage.directories.get_or_init(|| std::iter::repeat_with(Directory::new).take(all).collect());
        let pages = directories.get(number / DIRECTORY)?;
        let pages = pages.get_or_init(|| Box::new(std::array::from_fn(|_| OnceCell::new())));
        let page = pages[number % DIRECTORY].get_or_init(|| {
            self.made.set(self.made.get() + 1);
            BufferPage::new()
        });
        self.used.borrow_mut().push((spot.place, number as u32));
        Some(page)
    }

    /// About to read from an allocation that is followed as a whole.
    #[inline]
    fn read_whole(&self, spot: &Spot<'_>) -> Option<()> {
        self.touch(spot.place, &spot.usage.is_read);
        if spot.usage.is_written() { self.abort() } else { Some(()) }
    }

    /// Adds a store to an allocation that is followed as a whole to the log.
    fn log<T: Word>(&self, spot: &Spot<'_>, values: &[T]) -> Option<()> {
        let mut log = self.log.borrow_mut();
        if spot.usage.has_deferred.get() || spot.usage.has_window.get() || log.bytes() >= self.limit * BUFFER_PAGE {
            return self.abort();
        }
        log.push(spot.address, values);
        Some(())
    }
}

impl<'a> BufferedMemory<'a> {
    /// The memory behind the buffer.
    pub(crate) fn base(&self) -> &'a Memory {
        self.base
    }

    #[inline]
    pub(super) fn locate(&self, address: u64, bytes: u64, hint: &mut u32) -> Option<Spot<'a>> {
        let live = self.base.locate(address, bytes, hint)?;
        let usage = self.buffer.usage.get(*hint as usize)?;
        Some(Spot { live, usage, place: *hint, offset: (address - live.base) as usize, address })
    }

    /// What windows of the buffer are found by.
    pub(crate) fn generation(&self) -> u64 {
        self.buffer.generation
    }

    /// The bytes around an address and up to `bytes` behind it, to be read, if the allocation is followed as a whole and was not stored
    /// to.
    pub(crate) fn window(&self, address: u64, bytes: u64) -> Option<MemoryWindow> {
        self.read_in_place(address, |spot| spot.live.window(spot.offset, bytes, false))
    }

    /// The pages of the allocation at an address, to be read, if it is followed as a whole and was not stored to.
    pub(crate) fn page_table(&self, address: u64) -> Option<PageTable> {
        self.read_in_place(address, |spot| Some(spot.live.page_table()))
    }

    /// Notes that an allocation is read where it lies, without the buffer's knowledge, if that is allowed.
    fn read_in_place<R>(&self, address: u64, find: impl FnOnce(&Spot<'a>) -> Option<R>) -> Option<R> {
        let spot = self.locate(address, 1, &mut 0)?;
        if self.buffer.is_by_byte(spot.place) || spot.usage.is_written() {
            return None;
        }
        let found = find(&spot)?;
        self.buffer.touch(spot.place, &spot.usage.is_read);
        spot.usage.has_window.set(true);
        Some(found)
    }

    /// Reads a word of the allocation.
    #[inline]
    fn word<T: Word>(&self, spot: &Spot<'a>, offset: usize) -> Option<T> {
        let buffer = self.buffer;
        let before = || spot.before::<T>(self.base, offset);
        if !buffer.is_by_byte(spot.place) {
            buffer.read_whole(spot)?;
            return Some(before());
        }
        buffer.touch(spot.place, &spot.usage.is_read);
        if !offset.is_multiple_of(T::BYTES) {
            let mut bytes = [0; 8];
            for (i, byte) in bytes[..T::BYTES].iter_mut().enumerate() {
                *byte = self.word::<u8>(spot, offset + i)?;
            }
            return Some(T::from_bytes(bytes));
        }
        let part = part(offset, T::BYTES);
        let page = if buffer.is_speculative {
            let page = buffer.page(spot, offset)?;
            if buffer.has_deferred.get() && page.is_deferred(part) {
                return buffer.abort();
            }
            page
        } else {
            let Some(page) = buffer.existing(spot.place, (offset / BUFFER_PAGE) as u32) else { return Some(before()) };
            page
        };
        let own = page.written(part);
        if own == part.1 {
            return Some(page.get(offset));
        }
        if buffer.is_speculative {
            page.note_read((part.0, part.1 & !own));
            buffer.has_read_bytes.set(true);
        }
        if own == 0 {
            return Some(before());
        }
        let (mut bytes, own_bytes) = (before().to_bytes(), page.get::<T>(offset).to_bytes());
        for (i, byte) in bytes.iter_mut().enumerate().take(T::BYTES) {
            if own >> (offset % 64 + i) & 1 != 0 {
                *byte = own_bytes[i];
            }
        }
        Some(T::from_bytes(bytes))
    }

    /// Writes a word of an allocation that is followed byte by byte.
    #[inline]
    fn put<T: Word>(&self, spot: &Spot<'a>, offset: usize, value: T) -> Option<()> {
        if !offset.is_multiple_of(T::BYTES) {
            let bytes = value.to_bytes();
            return (0..T::BYTES).try_for_each(|i| self.put(spot, offset + i, bytes[i]));
        }
        let page = self.buffer.page(spot, offset)?;
        if self.buffer.has_deferred.get() && page.is_deferred(part(offset, T::BYTES)) {
            return self.buffer.abort();
        }
        page.put(offset, value);
        Some(())
    }

    /// About to read consecutive words of an allocation that is followed byte by byte: notes that they were read and says yes
    /// if they are all as they were before.
    fn notes_row<T: Word, const W: usize>(&self, spot: &Spot<'a>) -> bool {
        let (buffer, first, bytes) = (self.buffer, spot.offset, W * T::BYTES);
        if !is_in_buffer_page(first, bytes) {
            return false;
        }
        buffer.touch(spot.place, &spot.usage.is_read);
        let has_deferred = buffer.has_deferred.get();
        let clean = |p: &BufferPage, part| p.written(part) == 0 && !(has_deferred && p.is_deferred(part));
        if !buffer.is_speculative {
            let page = buffer.existing(spot.place, (first / BUFFER_PAGE) as u32);
            return page.is_none_or(|p| parts(first, bytes).all(|part| clean(p, part)));
        }
        let page = buffer.page(spot, first).filter(|p| parts(first, bytes).all(|part| clean(p, part)));
        let Some(page) = page else { return false };
        parts(first, bytes).for_each(|part| page.note_read(part));
        buffer.has_read_bytes.set(true);
        true
    }

    /// Reads one word.
    #[inline(never)]
    pub(crate) fn load<T: Word>(&self, address: u64, hint: &mut u32) -> Option<T> {
        let spot = self.locate(address, T::BYTES as u64, hint)?;
        self.word(&spot, spot.offset)
    }

    /// Writes one word.
    #[inline(never)]
    pub(crate) fn store<T: Word>(&self, address: u64, value: T, hint: &mut u32) -> Option<()> {
        let spot = self.locate(address, T::BYTES as u64, hint)?;
        self.buffer.touch(spot.place, &spot.usage.is_stored);
        if self.buffer.is_by_byte(spot.place) {
            return self.put(&spot, spot.offset, value);
        }
        self.buffer.log(&spot, &[value])
    }

    /// Copies bytes out.
    pub(crate) fn read(&self, address: u64, out: &mut [u8]) -> Option<()> {
        if out.is_empty() {
            return Some(());
        }
        let spot = self.locate(address, out.len() as u64, &mut 0)?;
        for (i, byte) in out.iter_mut().enumerate() {
            *byte = self.word(&spot, spot.offset + i)?;
        }
        Some(())
    }

    /// Reads one word for each lane of `mask`, or of all lanes, if all lanes lie in one allocation; false if it cannot.
    #[inline(never)]
    pub(crate) fn load_strided<T: Word, const W: usize>(
        &self,
        at: &Strided<W>,
        mask: u32,
        out: &mut [T; W],
        hint: &mut Hint,
    ) -> bool {
        let Some(spot) = self.locate(at.low(), at.span() + T::BYTES as u64, &mut hint.place) else { return false };
        let is_whole = !self.buffer.is_by_byte(spot.place);
        if is_whole && self.buffer.read_whole(&spot).is_none() {
            return false;
        }
        let is_row = || mask.count_ones() as usize == W && at.is_contiguous(T::BYTES);
        if is_whole || is_row() && self.notes_row::<T, W>(&spot) {
            return self.base.load_strided(at, out, hint);
        }
        if at.is_uniform() {
            let Some(word) = self.word(&spot, spot.offset) else { return false };
            *out = [word; W];
            return true;
        }
        lanes(mask).all(|lane| {
            let offset = at.address(lane).wrapping_sub(spot.live.base) as usize;
            self.word(&spot, offset).map(|word| out[lane] = word).is_some()
        })
    }

    /// Writes one word for each lane of `mask`, in the order of lanes, if all lanes lie in one allocation; false if it cannot.
    #[inline(never)]
    pub(crate) fn store_strided<T: Word, const W: usize>(
        &self,
        at: &Strided<W>,
        mask: u32,
        values: &[T; W],
        hint: &mut u32,
    ) -> bool {
        let Some(spot) = self.locate(at.low(), at.span() + T::BYTES as u64, hint) else { return false };
        if mask.count_ones() as usize == W
            && at.is_contiguous(T::BYTES)
            && let Some(done) = self.store_row(&spot, values)
        {
            return done.is_some();
        }
        self.buffer.touch(spot.place, &spot.usage.is_stored);
        let is_by_byte = self.buffer.is_by_byte(spot.place);
        lanes(mask).all(|lane| {
            let address = at.address(lane);
            let offset = address.wrapping_sub(spot.live.base) as usize;
            let done = if is_by_byte {
                self.put(&spot, offset, values[lane])
            } else {
                self.buffer.log(&Spot { offset, address, ..spot }, &values[lane..=lane])
            };
            done.is_some()
        })
    }

    /// Writes consecutive words; `None` if that must be done word by word.
    #[inline]
    fn store_row<T: Word, const W: usize>(&self, spot: &Spot<'a>, values: &[T; W]) -> Option<Option<()>> {
        let buffer = self.buffer;
        buffer.touch(spot.place, &spot.usage.is_stored);
        if !buffer.is_by_byte(spot.place) {
            return Some(buffer.log(spot, values));
        }
        let is_at_once = is_in_buffer_page(spot.offset, W * T::BYTES) && spot.offset.is_multiple_of(8);
        if !is_at_once || buffer.has_deferred.get() || !(W * T::BYTES).is_multiple_of(8) {
            return None;
        }
        Some(buffer.page(spot, spot.offset).map(|page| page.put_row(spot.offset, values)))
    }

    /// Reads one word for each lane of `mask` if all of them lie in one allocation that is followed as a whole and was not stored
    /// to, and are aligned; else reads nothing and gives false.
    #[inline]
    pub(crate) fn gather<T: Word, const W: usize>(
        &self,
        at: &[u64; W],
        mask: u32,
        out: &mut [T; W],
        hint: &mut u32,
    ) -> bool {
        let first = at.get(mask.trailing_zeros() as usize);
        let Some(spot) = first.and_then(|&at| self.locate(at, T::BYTES as u64, hint)) else { return false };
        if self.buffer.is_by_byte(spot.place) || spot.usage.is_written() || !self.base.gather(at, mask, out, hint) {
            return false;
        }
        self.buffer.touch(spot.place, &spot.usage.is_read);
        true
    }

    /// Reads one word for each lane of `mask`; gives the mask of the lanes that could not.
    #[inline(never)]
    pub(crate) fn load_lanes<T: Word, const W: usize>(
        &self,
        at: &LaneAddresses<W>,
        mask: u32,
        out: &mut [T; W],
        hint: &mut u32,
    ) -> u32 {
        if let LaneAddresses::Strided(rule) = at {
            let mut all = [T::default(); W];
            let mut cache = Hint { place: *hint, last: rule.first() };
            if self.load_strided(rule, mask, &mut all, &mut cache) {
                *hint = cache.place;
                lanes(mask).for_each(|lane| out[lane] = all[lane]);
                return 0;
            }
        }
        // Lanes in one allocation that is followed as a whole read the base.
        let all = || lanes(mask).map(|lane| at.address(lane));
        if let (Some(low), Some(high)) = (all().min(), all().max())
            && let Some(spot) = self.locate(low, (high - low).saturating_add(T::BYTES as u64), hint)
            && !self.buffer.is_by_byte(spot.place)
        {
            let is_right = self.buffer.read_whole(&spot).is_some();
            return if is_right { self.base.load_lanes(at, mask, out, hint) } else { mask };
        }
        // An allocation that is followed as a whole is asked for once.
        let mut whole = u32::MAX;
        failing(mask, |lane| {
            let spot = self.locate(at.address(lane), T::BYTES as u64, hint)?;
            if spot.place != whole {
                if self.buffer.is_by_byte(spot.place) {
                    return self.word(&spot, spot.offset).map(|word| out[lane] = word);
                }
                self.buffer.read_whole(&spot)?;
                whole = spot.place;
            }
            out[lane] = spot.before(self.base, spot.offset);
            Some(())
        })
    }

    /// Writes one word for each lane of `mask`, in the order of lanes; gives the mask of the lanes that could not.
    #[inline(never)]
    pub(crate) fn store_lanes<T: Word, const W: usize>(
        &self,
        at: &LaneAddresses<W>,
        mask: u32,
        values: &[T; W],
        hint: &mut u32,
    ) -> u32 {
        if let LaneAddresses::Strided(rule) = at
            && self.store_strided(rule, mask, values, hint)
        {
            return 0;
        }
        failing(mask, |lane| self.store(at.address(lane), values[lane], hint))
    }
}
