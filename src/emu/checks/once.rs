//! Which bytes scatters have stored to, if it is assumed that they store to each byte once (`guard`): a bit for each byte.
//!
//! Stores and atomics have bits of their own, for atomics may meet each other. All threads that run blocks of the launch share the bits.
//! Pieces that run ahead of their turn and may be discarded keep their accesses until they commit ([`Loose`]).

use scalar::lanes;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

/// Binary logarithm of the bytes of a page.
const PAGE_BITS: u32 = 22;
/// Words of the bits of a whole page.
const WORDS: usize = 1 << (PAGE_BITS - 6);

/// The bits of a page; made when the first byte of it is noted.
type Page = OnceLock<Box<[AtomicU64]>>;

/// The bytes of an allocation that loose accesses have stored to, and those that they have changed by atomics.
#[derive(Debug)]
pub(crate) struct OnceBits {
    base: u64,
    bytes: u64,
    stored: Box<[Page]>,
    updated: Box<[Page]>,
}

/// A loose access of one lane that is to be noted later.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Loose {
    pub(crate) address: u64,
    pub(crate) bytes: u32,
    pub(crate) is_atomic: bool,
}

/// The bit masks of the words that `len` bytes from `offset` on touch, by page and word.
fn words(offset: u64, len: u64) -> impl Iterator<Item = (usize, usize, u64)> {
    let end = offset + len;
    let first = offset / 64;
    (first..end.div_ceil(64)).map(move |word| {
        let low = offset.saturating_sub(word * 64);
        let high = (end - word * 64).min(64);
        let mask = (u64::MAX << low) & (u64::MAX >> (64 - high));
        ((word / WORDS as u64) as usize, (word % WORDS as u64) as usize, mask)
    })
}

impl OnceBits {
    /// The bits of an allocation; those of atomics only if there are some.
    pub(crate) fn new(base: u64, bytes: u64, has_atomics: bool) -> OnceBits {
        let pages = |count: u64| (0..count).map(|_| OnceLock::new()).collect();
        let count = bytes.div_ceil(1 << PAGE_BITS);
        OnceBits { base, bytes, stored: pages(count), updated: pages(if has_atomics { count } else { 0 }) }
    }

    /// The bits of a page, if the allocation has it.
    #[inline]
    fn page<'a>(&self, pages: &'a [Page], number: usize) -> Option<&'a [AtomicU64]> {
        let page = pages.get(number)?;
        match page.get() {
            Some(bits) => Some(bits),
            None => Some(self.make(page, number)),
        }
    }

    #[cold]
    fn make<'a>(&self, page: &'a Page, number: usize) -> &'a [AtomicU64] {
        let left = self.bytes.div_ceil(64).saturating_sub((number * WORDS) as u64);
        page.get_or_init(|| (0..left.min(WORDS as u64)).map(|_| AtomicU64::new(0)).collect())
    }

    /// Notes an access; whether it meets an earlier one, not both atomics. With `is_alone` no other thread notes one meanwhile.
    pub(crate) fn note(&self, address: u64, bytes: u64, is_atomic: bool, is_alone: bool) -> bool {
        let offset = address.wrapping_sub(self.base);
        let (own, other) = if is_atomic { (&self.updated, &self.stored) } else { (&self.stored, &self.updated) };
        let mut meets = false;
        for (page, word, mask) in words(offset, bytes) {
            let Some(bits) = self.page(own, page).and_then(|bits| bits.get(word)) else { return true };
            meets |= add(bits, mask, is_alone) & mask != 0 && !is_atomic;
            if let Some(other) = other.get(page).and_then(OnceLock::get).and_then(|bits| bits.get(word)) {
                meets |= other.load(Ordering::SeqCst) & mask != 0;
            }
        }
        meets
    }

    /// The same for the lanes of a mask, each of so many bytes.
    pub(crate) fn note_lanes(
        &self,
        addresses: &[u64; 32],
        mask: u32,
        bytes: u64,
        is_atomic: bool,
        is_alone: bool,
    ) -> bool {
        let (own, other) = if is_atomic { (&self.updated, &self.stored) } else { (&self.stored, &self.updated) };
        let low_bits = u64::MAX >> 64u64.saturating_sub(bytes).min(63);
        let mut meets = false;
        for lane in lanes(mask) {
            let offset = addresses[lane].wrapping_sub(self.base);
            let (bit, word) = (offset % 64, (offset / 64) as usize);
            if bit + bytes > 64 {
                meets |= self.note(addresses[lane], bytes, is_atomic, is_alone);
                continue;
            }
            let (page, word, mask) = (word / WORDS, word % WORDS, low_bits << bit);
            let Some(bits) = self.page(own, page).and_then(|bits| bits.get(word)) else { return true };
            meets |= add(bits, mask, is_alone) & mask != 0 && !is_atomic;
            if let Some(other) = other.get(page).and_then(OnceLock::get).and_then(|bits| bits.get(word)) {
                meets |= other.load(Ordering::SeqCst) & mask != 0;
            }
        }
        meets
    }
}

/// Adds bits to a word; gives those that were there.
#[inline(always)]
fn add(bits: &AtomicU64, mask: u64, is_alone: bool) -> u64 {
    if is_alone {
        let before = bits.load(Ordering::Relaxed);
        bits.store(before | mask, Ordering::Relaxed);
        before
    } else {
        // Of two threads that come to one byte, one sees what the other has noted.
        bits.fetch_or(mask, Ordering::SeqCst)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_stored_to_once_and_updated_often() {
        for is_alone in [true, false] {
            let bits = OnceBits::new(1000, 8_000_000, true);
            let note = |address, bytes, is_atomic| bits.note(address, bytes, is_atomic, is_alone);
            assert!(!note(1000, 4, false) && !note(1004, 4, false) && note(1002, 4, false));
            assert!(!note(1062, 8, true) && !note(1060, 4, true) && note(1069, 1, false));
            assert!(note(1000, 4, true));
            // From one page to the next.
            let border = 1000 + (1 << PAGE_BITS);
            assert!(!note(border - 6, 12, false) && note(border + 5, 1, false) && !note(border + 6, 1, false));
            assert!(!note(150_000, 40_000, false) && note(189_999, 1, true));
        }
    }

    #[test]
    fn accesses_of_lanes_are_those_of_each() {
        let mut addresses: [u64; 32] = std::array::from_fn(|lane| 5_000_000 + 61 * lane as u64);
        for (is_alone, has_atomics) in [(true, false), (false, true)] {
            let bits = OnceBits::new(1000, 9_000_000, has_atomics);
            let stores = |mask, bytes| bits.note_lanes(&addresses, mask, bytes, false, is_alone);
            assert!(!stores(0x5555_5555, 8) && !stores(0xaaaa_aaaa, 8) && stores(4, 1));
            assert!(
                bits.note(addresses[31] + 7, 1, false, is_alone) && !bits.note(addresses[31] + 8, 1, false, is_alone)
            );
        }
        let bits = OnceBits::new(1000, 9_000_000, true);
        let note = |mask, is_atomic| bits.note_lanes(&addresses, mask, 4, is_atomic, false);
        assert!(!note(0xffff, true) && !note(0xff, true) && !note(0xffff_0000, false));
        assert!(note(0x8000, false) && note(0x1_0000, true));
        addresses[3] = addresses[9];
        let note = |bits: &OnceBits, mask| bits.note_lanes(&addresses, mask, 4, false, true);
        assert!(note(&OnceBits::new(1000, 9_000_000, false), u32::MAX), "twice");
        assert!(note(&OnceBits::new(0, 100, false), 1), "outside");
    }

    #[test]
    fn atomics_need_bits_of_their_own() {
        let bits = OnceBits::new(0, 64, false);
        assert!(bits.note(0, 4, true, false) && !bits.note(0, 4, false, false));
    }
}
