//! Buffer pages: small pieces of a write buffer, with what was read and written of each byte.
//!
//! A buffer page has three bits for each of its bytes: whether the byte was read before it was written, whether it was written,
//! and whether an atomic on it was deferred. It also has the bytes themselves, of which only the written ones mean anything. It
//! begins blank, and costs as much to clear as was used of it.
//!
//! Not here: which page belongs to which bytes of memory.

use crate::memory::Memory;
use crate::words::Word;
use std::cell::Cell;

/// Bytes of a buffer page.
pub(crate) const BUFFER_PAGE: usize = 1 << 12;
/// Bytes that a word of bits describes.
const LINE: usize = 64;
const LINES: usize = BUFFER_PAGE / LINE;

type Bits = [Cell<u64>; LINES];

/// A piece of a write buffer.
pub(crate) struct BufferPage {
    /// The lines of which anything is noted.
    any: Cell<u64>,
    read: Bits,
    written: Bits,
    deferred: Bits,
    data: [Cell<u64>; BUFFER_PAGE / 8],
}

fn add(word: &Cell<u64>, bits: u64) {
    word.set(word.get() | bits);
}

fn blank<const N: usize>() -> [Cell<u64>; N] {
    std::array::from_fn(|_| Cell::new(0))
}

/// Bytes of one line: the line, and a bit for each byte.
pub(crate) type Part = (usize, u64);

/// The part of the `bytes` bytes from `offset` on, which must lie in one line.
#[inline(always)]
pub(crate) fn part(offset: usize, bytes: usize) -> Part {
    (offset / LINE % LINES, (u64::MAX >> (64 - bytes)) << (offset % LINE))
}

/// The parts of the `bytes` bytes from `offset` on, which must lie in one page.
#[inline(always)]
pub(crate) fn parts(offset: usize, bytes: usize) -> impl Iterator<Item = Part> {
    let (first, end) = (offset % BUFFER_PAGE, offset % BUFFER_PAGE + bytes);
    (first / LINE..end.div_ceil(LINE)).map(move |line| {
        let (from, to) = (first.max(line * LINE), end.min((line + 1) * LINE));
        part(from, to - from)
    })
}

/// Whether `bytes` bytes from `offset` on lie in one page.
#[inline(always)]
pub(crate) fn is_in_buffer_page(offset: usize, bytes: usize) -> bool {
    offset % BUFFER_PAGE + bytes <= BUFFER_PAGE
}

/// The lines whose bits are set.
fn ones(mut bits: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let line = bits.trailing_zeros() as usize;
        bits &= bits.wrapping_sub(1);
        (line < LINES).then_some(line)
    })
}

impl BufferPage {
    /// A blank page.
    pub(crate) fn new() -> Box<BufferPage> {
        let any = Cell::new(0);
        Box::new(BufferPage { any, read: blank(), written: blank(), deferred: blank(), data: blank() })
    }

    /// Whether nothing is noted.
    #[inline(always)]
    pub(crate) fn is_blank(&self) -> bool {
        self.any.get() == 0
    }

    /// Which of the bytes were written.
    #[inline(always)]
    pub(crate) fn written(&self, (line, bits): Part) -> u64 {
        self.written[line].get() & bits
    }

    /// Whether an atomic on any of the bytes was deferred.
    #[inline(always)]
    pub(crate) fn is_deferred(&self, (line, bits): Part) -> bool {
        self.deferred[line].get() & bits != 0
    }

    /// Notes that bytes were read as they were before.
    #[inline(always)]
    pub(crate) fn note_read(&self, (line, bits): Part) {
        add(&self.read[line], bits);
        add(&self.any, 1 << line);
    }

    /// Notes that an atomic on bytes was deferred.
    pub(crate) fn note_deferred(&self, (line, bits): Part) {
        add(&self.deferred[line], bits);
        add(&self.any, 1 << line);
    }

    #[inline(always)]
    fn note_written(&self, (line, bits): Part) {
        add(&self.written[line], bits);
        add(&self.any, 1 << line);
    }

    /// The word at `offset`, a multiple of its size.
    #[inline(always)]
    pub(crate) fn get<T: Word>(&self, offset: usize) -> T {
        let word = self.data[offset % BUFFER_PAGE / 8].get() >> (offset % 8 * 8);
        T::from_bytes(word.to_le_bytes())
    }

    /// Writes the word at `offset`, a multiple of its size.
    #[inline(always)]
    pub(crate) fn put<T: Word>(&self, offset: usize, value: T) {
        let (slot, shift) = (&self.data[offset % BUFFER_PAGE / 8], offset % 8 * 8);
        let mask = (u64::MAX >> (64 - 8 * T::BYTES)) << shift;
        let rest = if T::BYTES == 8 { 0 } else { slot.get() & !mask };
        slot.set(rest | value.word() << shift);
        self.note_written(part(offset, T::BYTES));
    }

    /// Writes consecutive words; they lie in the page and begin at a multiple of 8.
    #[inline(always)]
    pub(crate) fn put_row<T: Word, const W: usize>(&self, offset: usize, values: &[T; W]) {
        let first = offset % BUFFER_PAGE / 8;
        let slots = &self.data[first..first + W * T::BYTES / 8];
        for (slot, values) in slots.iter().zip(values.chunks_exact(8 / T::BYTES)) {
            slot.set(packed(values));
        }
        parts(offset, W * T::BYTES).for_each(|part| self.note_written(part));
    }

    /// Whether it has read what an earlier one writes.
    pub(crate) fn conflicts_with(&self, earlier: &BufferPage) -> bool {
        ones(self.any.get() & earlier.any.get()).any(|line| {
            let changed = earlier.written[line].get() | earlier.deferred[line].get();
            self.read[line].get() & changed != 0
        })
    }

    /// Writes what was written to the allocation at `place`, from its byte `at` on. `None` if there is no room for pages.
    pub(crate) fn apply(&self, memory: &mut Memory, place: u32, at: usize) -> Option<()> {
        for line in ones(self.any.get()) {
            let mut bits = self.written[line].get();
            if bits == 0 {
                continue;
            }
            let mut bytes = [0; LINE];
            let words = &self.data[line * LINE / 8..(line + 1) * LINE / 8];
            for (bytes, word) in bytes.chunks_exact_mut(8).zip(words) {
                bytes.copy_from_slice(&word.get().to_le_bytes());
            }
            // Run after run of written bytes.
            while bits != 0 {
                let from = bits.trailing_zeros() as usize;
                let len = (!(bits >> from)).trailing_zeros() as usize;
                memory.write_at(place, at + line * LINE + from, &bytes[from..from + len])?;
                bits &= u64::MAX.checked_shl((from + len) as u32).unwrap_or(0);
            }
        }
        Some(())
    }

    /// Says that deferred atomics have been done: what was written before is not what is there.
    pub(crate) fn forget_deferred(&self) {
        for line in ones(self.any.get()) {
            let written = &self.written[line];
            written.set(written.get() & !self.deferred[line].get());
        }
    }

    /// Makes it blank.
    pub(crate) fn clear(&mut self) {
        for line in ones(self.any.get()) {
            for bits in [&self.read, &self.written, &self.deferred] {
                bits[line].set(0);
            }
        }
        self.any.set(0);
    }
}

/// Words packed into one of 8 bytes.
#[inline(always)]
pub(crate) fn packed<T: Word>(values: &[T]) -> u64 {
    values.iter().enumerate().fold(0, |word, (i, value)| word | value.word() << (i * T::BYTES * 8))
}
