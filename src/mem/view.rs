//! Memory as running code sees it.
//!
//! The executor loads and stores through a [`MemoryView`], which is one of two. A *direct* view stores to the pages of the
//! memory. A *buffered* view stores to a write buffer and shows what the buffer has over what the memory has
//! ([`crate::WriteBuffer`]).
//!
//! A direct view is a licence to store. [`Memory::view`] gives one for an exclusive borrow; it cannot leave its thread, so
//! nobody else accesses the memory. [`Memory::share`] gives one to each of several threads and is `unsafe`: its caller promises
//! that the threads' stores touch nothing that another thread accesses.
//!
//! Not here: allocating and freeing, and accesses of anything but running code (`contents`).
#![allow(unsafe_code)] // Checks the bounds of an access once for all lanes, and stores on the promise of who shared the memory.

use crate::buffer::BufferedMemory;
use crate::lanes::{LaneAddresses, Strided};
use crate::loads::{Hint, failing, is_in_page};
use crate::memory::{Live, Memory, MemoryWindow, PageTable};
use crate::words::Word;
use std::marker::PhantomData;

/// The memory that running code loads from and stores to.
#[derive(Clone, Copy, Debug)]
pub enum MemoryView<'a> {
    /// Stores go to the pages.
    Direct(DirectView<'a>),
    /// Stores go to a write buffer.
    Buffered(BufferedMemory<'a>),
}

/// A view whose stores go to the pages. It stays on the thread it was made on.
#[derive(Clone, Copy, Debug)]
pub struct DirectView<'a> {
    memory: &'a Memory,
    /// Not `Send`: that the view stays on its thread is what makes its stores safe.
    stays: PhantomData<*const ()>,
}

/// A memory that several threads may store to, each through its own view.
#[derive(Clone, Copy, Debug)]
pub struct SharedMemory<'a>(&'a Memory);

impl Memory {
    /// A view for code that runs on this thread alone.
    #[inline]
    pub fn view(&mut self) -> MemoryView<'_> {
        MemoryView::Direct(DirectView { memory: self, stays: PhantomData })
    }

    /// Lets several threads store to the memory, each through its own view.
    ///
    /// # Safety
    /// As long as views of it are in use on several threads, no byte that one thread stores to through its view is stored to or
    /// loaded by another thread, unless something else (a lock, the end of a thread) orders the two.
    pub unsafe fn share(&mut self) -> SharedMemory<'_> {
        SharedMemory(self)
    }
}

impl<'a> SharedMemory<'a> {
    /// A view for the calling thread.
    #[inline]
    pub fn view(&self) -> MemoryView<'a> {
        MemoryView::Direct(DirectView { memory: self.0, stays: PhantomData })
    }
}

impl<'a> MemoryView<'a> {
    /// Reads one word; `None` if it lies outside. `hint` remembers where the last access was; start it at 0.
    #[inline(always)]
    pub fn load<T: Word>(&self, address: u64, hint: &mut u32) -> Option<T> {
        match self {
            MemoryView::Direct(direct) => direct.memory.load(address, hint),
            MemoryView::Buffered(buffered) => buffered.load(address, hint),
        }
    }

    /// Writes one word; `None` if it lies outside, or for want of a page.
    #[inline(always)]
    pub fn store<T: Word>(&self, address: u64, value: T, hint: &mut u32) -> Option<()> {
        match self {
            MemoryView::Direct(direct) => direct.store(address, value, hint),
            MemoryView::Buffered(buffered) => buffered.store(address, value, hint),
        }
    }

    /// Reads one word for each lane, active or not, if all of them lie in one live allocation; else reads nothing and gives
    /// false. A buffered view may leave inactive lanes alone, and refuses what it cannot do at once.
    #[inline(always)]
    pub fn load_strided<T: Word, const W: usize>(
        &self,
        at: &Strided<W>,
        mask: u32,
        out: &mut [T; W],
        hint: &mut Hint,
    ) -> bool {
        match self {
            MemoryView::Direct(direct) => direct.load_strided(at, out, hint),
            MemoryView::Buffered(buffered) => buffered.load_strided(at, mask, out, hint),
        }
    }

    /// Writes one word for each lane of `mask`, in the order of lanes, if all lanes of the rule, active or not, lie in one
    /// live allocation; else writes nothing and gives false. It is false too if pages are wanting; then some may be written.
    #[inline(always)]
    pub fn store_strided<T: Word, const W: usize>(
        &self,
        at: &Strided<W>,
        mask: u32,
        values: &[T; W],
        hint: &mut u32,
    ) -> bool {
        match self {
            MemoryView::Direct(direct) => direct.store_strided(at, mask, values, hint),
            MemoryView::Buffered(buffered) => buffered.store_strided(at, mask, values, hint),
        }
    }

    /// Reads one word for each lane of `mask` if all of them lie in one live allocation and are aligned; else reads nothing and
    /// gives false. A buffered view may refuse.
    #[inline(always)]
    pub fn gather<T: Word, const W: usize>(&self, at: &[u64; W], mask: u32, out: &mut [T; W], hint: &mut u32) -> bool {
        match self {
            MemoryView::Direct(direct) => direct.memory.gather(at, mask, out, hint),
            MemoryView::Buffered(buffered) => buffered.gather(at, mask, out, hint),
        }
    }

    /// Writes one word for each lane of `mask`, in the order of lanes, if all of them lie in one live allocation and are aligned;
    /// else writes nothing and gives false. It is false too if pages are wanting; then some may be written. A buffered view
    /// refuses.
    #[inline(always)]
    pub fn scatter<T: Word, const W: usize>(&self, at: &[u64; W], mask: u32, values: &[T; W], hint: &mut u32) -> bool {
        match self {
            MemoryView::Direct(direct) => direct.scatter(at, mask, values, hint),
            MemoryView::Buffered(_) => false,
        }
    }

    /// Reads one word for each lane of `mask`; gives the mask of the lanes whose address lies outside.
    #[inline]
    pub fn load_lanes<T: Word, const W: usize>(
        &self,
        at: &LaneAddresses<W>,
        mask: u32,
        out: &mut [T; W],
        hint: &mut u32,
    ) -> u32 {
        match self {
            MemoryView::Direct(direct) => direct.memory.load_lanes(at, mask, out, hint),
            MemoryView::Buffered(buffered) => buffered.load_lanes(at, mask, out, hint),
        }
    }

    /// Writes one word for each lane of `mask`, in the order of lanes; gives the mask of the lanes whose address lies
    /// outside, whose words are not written.
    #[inline]
    pub fn store_lanes<T: Word, const W: usize>(
        &self,
        at: &LaneAddresses<W>,
        mask: u32,
        values: &[T; W],
        hint: &mut u32,
    ) -> u32 {
        match self {
            MemoryView::Direct(direct) => direct.store_lanes(at, mask, values, hint),
            MemoryView::Buffered(buffered) => buffered.store_lanes(at, mask, values, hint),
        }
    }

    /// Copies bytes out; `None` if any of them lies outside the live allocation at `address`.
    pub fn read(&self, address: u64, out: &mut [u8]) -> Option<()> {
        match self {
            MemoryView::Direct(direct) => direct.memory.read(address, out),
            MemoryView::Buffered(buffered) => buffered.read(address, out),
        }
    }

    /// Copies bytes in; `None` if any of them lies outside the live allocation at `address`, or for want of a page. A buffered view
    /// refuses.
    pub fn write(&self, address: u64, data: &[u8]) -> Option<()> {
        let MemoryView::Direct(direct) = self else { return None };
        if data.is_empty() {
            return Some(());
        }
        let Some(l) = direct.locate(address, data.len() as u64, &mut 0) else {
            return direct.memory.write_of_c(address, data);
        };
        // SAFETY: the bytes lie in the allocation; for other threads as in `DirectView::store`.
        unsafe { l.backing.write((address - l.base) as usize, data) }
    }

    /// Whether a live allocation holds all bytes from `low` up to `high`, not included.
    pub fn contains(&self, low: u64, high: u64) -> bool {
        self.allocations().contains(low, high)
    }

    /// Whether all bytes of a range lie in one locked part of host memory.
    pub fn is_locked(&self, address: u64, bytes: u64) -> bool {
        self.allocations().is_locked(address, bytes)
    }

    /// Whether a store has failed for want of a page ([`Memory::take_exhaustion`]).
    pub fn is_exhausted(&self) -> bool {
        self.allocations().is_exhausted()
    }

    /// The memory behind the view, for questions about allocations. Its contents are not what a buffered view shows.
    fn allocations(&self) -> &'a Memory {
        match self {
            MemoryView::Direct(direct) => direct.memory,
            MemoryView::Buffered(buffered) => buffered.base(),
        }
    }
}

impl MemoryView<'_> {
    /// Bytes around an address that lie side by side, to be read, or to be written too: with as many behind it up to `bytes` as do.
    /// `None` if nothing lives there, for want of a page, or if accesses there have to pass through a write buffer.
    pub fn window(&self, address: u64, bytes: u64, to_write: bool) -> Option<MemoryWindow> {
        match self {
            MemoryView::Direct(direct) => {
                let live = direct.locate(address, 1, &mut 0)?;
                live.window((address - live.base) as usize, bytes, to_write)
            }
            MemoryView::Buffered(buffered) => (!to_write).then(|| buffered.window(address, bytes))?,
        }
    }

    /// Where the pages of the allocation at an address are, to be read, or to be written too. `None` if nothing lives there, or if
    /// accesses have to pass through a write buffer.
    pub fn page_table(&self, address: u64, to_write: bool) -> Option<PageTable> {
        match self {
            MemoryView::Direct(direct) => Some(direct.locate(address, 1, &mut 0)?.page_table()),
            MemoryView::Buffered(buffered) => (!to_write).then(|| buffered.page_table(address))?,
        }
    }

    /// What changes before bytes lie elsewhere; see [`Memory::generation`].
    #[inline(always)]
    pub fn generation(&self) -> u64 {
        match self {
            MemoryView::Direct(direct) => direct.memory.generation(),
            MemoryView::Buffered(buffered) => buffered.generation(),
        }
    }
}

/// What bytes can be copied out of by address: a memory, or a view of one.
pub trait ReadBytes: std::fmt::Debug {
    /// Copies bytes out; `None` if any of them lies outside the live allocation at `address`.
    fn read(&self, address: u64, out: &mut [u8]) -> Option<()>;
}

/// What bytes can be copied into by address: a memory, or a view of one.
pub trait WriteBytes: std::fmt::Debug {
    /// Copies bytes in; `None` if any of them lies outside the live allocation at `address`, or for want of a page.
    fn write(&mut self, address: u64, data: &[u8]) -> Option<()>;
}

impl WriteBytes for Memory {
    fn write(&mut self, address: u64, data: &[u8]) -> Option<()> {
        Memory::write(self, address, data)
    }
}

impl WriteBytes for MemoryView<'_> {
    fn write(&mut self, address: u64, data: &[u8]) -> Option<()> {
        MemoryView::write(self, address, data)
    }
}

impl ReadBytes for Memory {
    fn read(&self, address: u64, out: &mut [u8]) -> Option<()> {
        self.read(address, out)
    }
}

impl ReadBytes for MemoryView<'_> {
    fn read(&self, address: u64, out: &mut [u8]) -> Option<()> {
        self.read(address, out)
    }
}

impl<'a> DirectView<'a> {
    #[inline(always)]
    fn load_strided<T: Word, const W: usize>(self, at: &Strided<W>, out: &mut [T; W], hint: &mut Hint) -> bool {
        self.memory.load_strided(at, out, hint)
    }

    #[inline(always)]
    fn locate(self, address: u64, len: u64, hint: &mut u32) -> Option<&'a Live> {
        self.memory.locate(address, len, hint)
    }

    #[inline(always)]
    fn store<T: Word>(self, address: u64, value: T, hint: &mut u32) -> Option<()> {
        let Some(l) = self.locate(address, T::BYTES as u64, hint) else {
            return self.memory.store_of_c(address, value);
        };
        // SAFETY: the word lies in the allocation. No other thread accesses it: either none can (`Memory::view`), or the
        // caller of `Memory::share` has promised it.
        unsafe { l.backing.store((address - l.base) as usize, value) }
    }

    #[inline(always)]
    fn store_strided<T: Word, const W: usize>(
        self,
        at: &Strided<W>,
        mask: u32,
        values: &[T; W],
        hint: &mut u32,
    ) -> bool {
        let Some(l) = self.locate(at.low(), at.span() + T::BYTES as u64, hint) else { return false };
        let first = at.first().wrapping_sub(l.base) as usize;
        let lanes = at.row_lanes() as usize;
        let full = mask.count_ones() as usize == W;
        let mut done = true;
        // SAFETY: every lane's word lies in the allocation, as in `load_strided`; for other threads as in `store`. Of rows that
        // are written at once every lane is active.
        unsafe {
            if full && at.step() == T::BYTES as i64 && lanes > 1 {
                if lanes == W && is_in_page::<T>(first, W) {
                    return l.backing.store_row(first, values).is_some();
                }
                for (row, values) in values.chunks(lanes).enumerate() {
                    let at = first.wrapping_add_signed((row as i64 * at.row()) as isize);
                    if is_in_page::<T>(at, lanes) {
                        done &= l.backing.store_row(at, values).is_some();
                    } else {
                        for (i, &word) in values.iter().enumerate() {
                            done &= l.backing.store(at + i * T::BYTES, word).is_some();
                        }
                    }
                }
            } else {
                for (i, &word) in values.iter().enumerate() {
                    if mask & 1 << i != 0 {
                        let at = at.address(i).wrapping_sub(l.base) as usize;
                        done &= l.backing.store(at, word).is_some();
                    }
                }
            }
        }
        done
    }

    #[inline(always)]
    fn scatter<T: Word, const W: usize>(self, at: &[u64; W], mask: u32, values: &[T; W], hint: &mut u32) -> bool {
        let Some((live, offsets)) = self.memory.words_of_one::<T, W>(at, mask, hint) else { return false };
        // SAFETY: the word of each lane lies in the allocation; for other threads as in `store`.
        let mut store = |i: usize| unsafe { live.backing.store(offsets[i] as usize, values[i]) };
        failing(mask, &mut store) == 0
    }

    #[inline(always)]
    fn store_lanes<T: Word, const W: usize>(
        self,
        at: &LaneAddresses<W>,
        mask: u32,
        values: &[T; W],
        hint: &mut u32,
    ) -> u32 {
        // Words between the active lanes of a partial row may be another thread's.
        if mask.count_ones() as usize == W
            && let Some((live, offset)) = self.memory.row_of_one_page::<T, W>(at, hint)
            // SAFETY: the row lies in the allocation and in one page; for other threads as in `store`.
            && unsafe { live.backing.store_row(offset, values) }.is_some()
        {
            return 0;
        }
        failing(mask, |i| self.store(at.address(i), values[i], hint))
    }
}

#[cfg(test)]
#[cfg(not(loom))]
mod tests {
    use super::*;
    use crate::address::Region;
    use crate::header::PAGE;
    use source::Span;

    fn filled(bytes: u64) -> (Memory, u64) {
        let mut m = Memory::new();
        let a = m.alloc(Region::Device(0), bytes, "a", Span::NONE).expect("room");
        (m, a)
    }

    #[test]
    fn lanes_read_and_write_like_single_words() {
        let (mut m, a) = filled(1000);
        let values: [u32; 32] = std::array::from_fn(|i| i as u32 + 1);
        let row = LaneAddresses::of(&std::array::from_fn(|i| a + 4 * i as u64), u32::MAX);
        assert_eq!(row.as_contiguous(4), Some(a));
        let view = m.view();
        assert_eq!(view.store_lanes(&row, 0xffff_0000, &values, &mut 0), 0);
        let mut out = [9; 32];
        assert_eq!(view.load_lanes(&row, u32::MAX, &mut out, &mut 0), 0);
        assert_eq!(out, std::array::from_fn(|i| if i < 16 { 0 } else { i as u32 + 1 }));
        let far = LaneAddresses::of(&std::array::from_fn(|i| a + 36 * i as u64), u32::MAX);
        assert_eq!(view.store_lanes(&far, u32::MAX, &values, &mut 0), 0xf000_0000);
    }

    #[test]
    fn lanes_anywhere_read_and_write_like_single_words() {
        let (mut m, a) = filled(3 * PAGE as u64);
        let (_, other) = (m.alloc(Region::Device(0), 64, "b", Span::NONE), a + 3 * PAGE as u64);
        // Some lanes share a word: the last of them counts.
        let at: [u64; 32] = std::array::from_fn(|i| a + 8 * ((i as u64 * 7919) % 13 * 1877 % (3 * PAGE as u64 / 8)));
        for mask in [u32::MAX, 0x0f0f_1001, 1 << 31] {
            let values: [u64; 32] = std::array::from_fn(|i| i as u64 * 0x0101_0101_0101 + u64::from(mask));
            let mut expected = m.clone();
            (0..32).filter(|i| mask >> i & 1 != 0).for_each(|i| {
                expected.store(at[i], values[i], &mut 0).expect("inside");
            });
            assert!(m.view().scatter(&at, mask, &values, &mut 0));
            let mut out = [5u64; 32];
            assert!(m.view().gather(&at, mask, &mut out, &mut 0));
            for i in 0..32 {
                let word = expected.load::<u64>(at[i], &mut 0).expect("inside");
                assert_eq!(m.load(at[i], &mut 0), Some(word));
                assert_eq!(out[i], if mask >> i & 1 != 0 { word } else { 5 });
            }
        }
        // A lane that is outside, in another allocation or not aligned, and the same where it does not take part.
        for bad in [a + 3 * PAGE as u64 - 4, other, a + 4, 0, u64::MAX - 3] {
            let mut at = at;
            at[9] = bad;
            let before = m.clone();
            assert!(!m.view().scatter(&at, u32::MAX, &[77u64; 32], &mut 0));
            assert!(!m.view().gather(&at, u32::MAX, &mut [0u64; 32], &mut 0));
            for &word in at.iter().filter(|&&w| w != bad) {
                assert_eq!(m.load::<u64>(word, &mut 0), before.load::<u64>(word, &mut 0));
            }
            let mut out = [3u64; 32];
            assert!(m.view().gather(&at, !(1 << 9), &mut out, &mut 0));
            assert_eq!((out[9], Some(out[8])), (3, m.load(at[8], &mut 0)));
        }
    }

    #[test]
    fn rules_of_all_shapes_read_and_write_like_single_words() {
        let (mut m, a) = filled(3 * PAGE as u64);
        // In one page, across two, backwards, in rows, far apart.
        let rules =
            [(0, 32, 4, 0), (PAGE - 60, 32, 4, 0), (PAGE, 32, 0, 0), (5000, 32, -12, 0), (PAGE - 60, 16, 4, 400)];
        let more = [(100, 16, 0, 4), (PAGE - 20, 8, 4, 36), (64, 4, 8, -4), (2 * PAGE + 2, 2, 6, 50)];
        for (n, (at, lanes, step, row)) in rules.into_iter().chain(more).enumerate() {
            let rule = Strided::<32>::new(a + at as u64, lanes, step, row).expect("a rule");
            for mask in [u32::MAX, 0x0f0f_1001] {
                let values: [u32; 32] = std::array::from_fn(|i| (n * 100 + i) as u32 ^ mask);
                let mut expected = m.clone();
                (0..32).filter(|i| mask >> i & 1 != 0).for_each(|i| {
                    expected.store(rule.address(i), values[i], &mut 0).expect("inside");
                });
                assert!(m.view().store_strided(&rule, mask, &values, &mut 0));
                let mut out = [0; 32];
                assert!(m.view().load_strided(&rule, mask, &mut out, &mut Hint::default()));
                let all = |m: &Memory| std::array::from_fn(|i| m.load::<u32>(rule.address(i), &mut 0).expect("inside"));
                assert_eq!((out, all(&m)), (all(&expected), all(&expected)), "{rule:?} {mask:x}");
            }
        }
        let outside = Strided::<32>::line(a + 3 * PAGE as u64 - 4, -8000).expect("a rule");
        assert!(!m.view().load_strided(&outside, 1, &mut [0u32; 32], &mut Hint::default()));
        assert!(!m.view().store_strided(&outside, 1, &[0u32; 32], &mut 0));
    }

    #[test]
    fn threads_that_share_a_memory_store_to_bytes_of_their_own() {
        let (mut m, a) = filled(4 * PAGE as u64);
        let before = m.clone();
        // SAFETY: each thread stores to every fourth word and loads nothing.
        let shared = unsafe { m.share() };
        std::thread::scope(|scope| {
            for thread in 0..4 {
                scope.spawn(move || {
                    let view = shared.view();
                    let step = if cfg!(miri) { 1021 } else { 1 };
                    for word in (thread..PAGE as u64).step_by(4 * step) {
                        view.store(a + 4 * word, thread as u32 + 1, &mut 0).expect("inside");
                    }
                });
            }
        });
        let at = |m: &Memory, word: u64| m.load::<u32>(a + 4 * word, &mut 0);
        assert_eq!([0, 1, 2, 3].map(|w| (at(&m, w), at(&before, w))), [1, 2, 3, 4].map(|v| (Some(v), Some(0))));
    }
}
