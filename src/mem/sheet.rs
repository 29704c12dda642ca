//! Sheets: small pieces of a draft, with what was read and written of each byte.
//!
//! A sheet has a bit for each of its bytes that says whether the byte was read before it was written, one that it was
//! written, and one that an atomic on it is pending; and the bytes themselves, of which only the written ones mean anything.
//! It begins blank and costs as much to clear as was used of it.
//!
//! Only one thread at a time uses a sheet; that its words are atomics is how it can be changed through a shared reference,
//! as all memory of a running program is. Relaxed accesses of them are plain moves.

use crate::backing::Backing;
use crate::lanes::Word;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;

/// Bytes of a sheet.
pub(crate) const SHEET: usize = 1 << 12;
/// Bytes that a word of bits tells of.
const LINE: usize = 64;
const LINES: usize = SHEET / LINE;

type Bits = [AtomicU64; LINES];

/// A piece of a draft.
pub(crate) struct Sheet {
    /// The lines of which anything is noted.
    any: AtomicU64,
    read: Bits,
    written: Bits,
    pending: Bits,
    data: [AtomicU64; SHEET / 8],
}

fn add(word: &AtomicU64, bits: u64) {
    word.store(word.load(Relaxed) | bits, Relaxed);
}

fn blank<const N: usize>() -> [AtomicU64; N] {
    std::array::from_fn(|_| AtomicU64::new(0))
}

/// The line of the byte `offset` of a sheet, and the bits of as many bytes from it on, which must lie in the line.
#[inline(always)]
pub(crate) fn part(offset: usize, bytes: usize) -> (usize, u64) {
    (offset / LINE % LINES, (u64::MAX >> (64 - bytes)) << (offset % LINE))
}

/// Lines and bits of `bytes` bytes from `offset` on, which must lie in one sheet.
pub(crate) fn parts(offset: usize, bytes: usize) -> impl Iterator<Item = (usize, u64)> {
    let (first, end) = (offset % SHEET, offset % SHEET + bytes);
    (first / LINE..end.div_ceil(LINE)).map(move |line| {
        let (from, to) = (first.max(line * LINE), end.min((line + 1) * LINE));
        part(from, to - from)
    })
}

/// The lines whose bits are set.
fn ones(mut bits: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let line = bits.trailing_zeros() as usize;
        bits &= bits.wrapping_sub(1);
        (line < LINES).then_some(line)
    })
}

impl Sheet {
    /// A blank sheet.
    pub(crate) fn new() -> Box<Sheet> {
        Box::new(Sheet { any: AtomicU64::new(0), read: blank(), written: blank(), pending: blank(), data: blank() })
    }

    /// Whether nothing is noted.
    #[inline(always)]
    pub(crate) fn is_blank(&self) -> bool {
        self.any.load(Relaxed) == 0
    }

    /// Which of the bytes were written.
    #[inline(always)]
    pub(crate) fn written(&self, (line, bits): (usize, u64)) -> u64 {
        self.written[line].load(Relaxed) & bits
    }

    /// Whether an atomic is pending on any of the bytes.
    #[inline(always)]
    pub(crate) fn is_pending(&self, (line, bits): (usize, u64)) -> bool {
        self.pending[line].load(Relaxed) & bits != 0
    }

    /// Notes that bytes were read as they were before.
    #[inline(always)]
    pub(crate) fn note_read(&self, (line, bits): (usize, u64)) {
        add(&self.read[line], bits);
        add(&self.any, 1 << line);
    }

    /// Notes that an atomic is pending on bytes.
    pub(crate) fn note_pending(&self, (line, bits): (usize, u64)) {
        add(&self.pending[line], bits);
        add(&self.any, 1 << line);
    }

    #[inline(always)]
    fn note_written(&self, (line, bits): (usize, u64)) {
        add(&self.written[line], bits);
        add(&self.any, 1 << line);
    }

    /// The word at `offset`, a multiple of its size.
    #[inline(always)]
    pub(crate) fn get<T: Word>(&self, offset: usize) -> T {
        let word = self.data[offset % SHEET / 8].load(Relaxed) >> (offset % 8 * 8);
        T::from_bytes(word.to_le_bytes())
    }

    /// Writes the word at `offset`, a multiple of its size.
    #[inline(always)]
    pub(crate) fn put<T: Word>(&self, offset: usize, value: T) {
        let (slot, shift) = (&self.data[offset % SHEET / 8], offset % 8 * 8);
        let mask = (u64::MAX >> (64 - 8 * T::BYTES)) << shift;
        let rest = if T::BYTES == 8 { 0 } else { slot.load(Relaxed) & !mask };
        slot.store(rest | value.word() << shift, Relaxed);
        self.note_written(part(offset, T::BYTES));
    }

    /// Writes words one behind the other; they lie in the sheet and begin at a multiple of 8.
    #[inline(always)]
    pub(crate) fn put_row<T: Word, const W: usize>(&self, offset: usize, values: &[T; W]) {
        let first = offset % SHEET / 8;
        let slots = &self.data[first..first + W * T::BYTES / 8];
        for (slot, values) in slots.iter().zip(values.chunks_exact(8 / T::BYTES)) {
            let together = |word: u64, (i, value): (usize, &T)| word | value.word() << (i * T::BYTES * 8);
            slot.store(values.iter().enumerate().fold(0, together), Relaxed);
        }
        parts(offset, W * T::BYTES).for_each(|part| self.note_written(part));
    }

    /// Whether it has read what an earlier one writes.
    pub(crate) fn meets(&self, earlier: &Sheet) -> bool {
        ones(self.any.load(Relaxed) & earlier.any.load(Relaxed)).any(|line| {
            let changed = earlier.written[line].load(Relaxed) | earlier.pending[line].load(Relaxed);
            self.read[line].load(Relaxed) & changed != 0
        })
    }

    /// Writes what was written to the bytes of a backing from `at` on. `None` if there is no room for its pages.
    pub(crate) fn apply(&self, backing: &Backing, at: usize) -> Option<()> {
        for line in ones(self.any.load(Relaxed)) {
            let mut bits = self.written[line].load(Relaxed);
            if bits == 0 {
                continue;
            }
            let mut bytes = [0; LINE];
            let words = &self.data[line * LINE / 8..(line + 1) * LINE / 8];
            for (bytes, word) in bytes.chunks_exact_mut(8).zip(words) {
                bytes.copy_from_slice(&word.load(Relaxed).to_le_bytes());
            }
            // Run after run of written bytes.
            while bits != 0 {
                let from = bits.trailing_zeros() as usize;
                let len = (!(bits >> from)).trailing_zeros() as usize;
                backing.write(at + line * LINE + from, &bytes[from..from + len])?;
                bits &= u64::MAX.checked_shl((from + len) as u32).unwrap_or(0);
            }
        }
        Some(())
    }

    /// Says that pending atomics have been done: what was written before is not what is there.
    pub(crate) fn settle(&self) {
        for line in ones(self.any.load(Relaxed)) {
            let pending = self.pending[line].load(Relaxed);
            let written = &self.written[line];
            written.store(written.load(Relaxed) & !pending, Relaxed);
        }
    }

    /// Makes it blank.
    pub(crate) fn clear(&mut self) {
        for line in ones(*self.any.get_mut()) {
            for bits in [&mut self.read, &mut self.written, &mut self.pending] {
                *bits[line].get_mut() = 0;
            }
        }
        *self.any.get_mut() = 0;
    }
}
