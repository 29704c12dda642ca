//! Which bytes scatters have stored to, if it is assumed that they store to each byte once (`guard`): a bit for each element, or for each
//! byte of an allocation in which elements of several sizes are stored.
//!
//! Stores and atomics have bits of their own, for atomics may meet each other. Each thread that runs blocks of the launch has a set of
//! bits while it does ([`Once`]); when the blocks have run, the sets are compared. Pieces that run ahead of their turn and may be
//! discarded keep their accesses until they commit ([`Loose`]).

use scalar::lanes;
use std::sync::{Mutex, PoisonError};

/// Binary logarithm of the units of a page.
const PAGE_BITS: u32 = 26;
/// Words of the bits of a whole page.
const WORDS: usize = 1 << (PAGE_BITS - 6);

/// The bits of a page; made when the first unit of it is noted. The system gives memory for what is set, so pages may be large.
type Page = Option<Box<[u64]>>;

/// The bytes of an allocation that loose accesses have stored to, and those that they have changed by atomics. There is a bit for each
/// unit of bytes: an element of the first access, until another access shows that elements have several sizes.
#[derive(Debug)]
pub(crate) struct OnceBits {
    base: u64,
    bytes: u64,
    /// Binary logarithm of the bytes of a unit.
    unit: u32,
    stored: Box<[Page]>,
    updated: Box<[Page]>,
}

/// What one thread has noted, by allocation.
pub(super) type OnceSet = Vec<Option<OnceBits>>;

/// What all threads have noted.
#[derive(Debug, Default)]
pub(super) struct Once(Mutex<Vec<OnceSet>>);

impl Once {
    /// A set for a thread that goes on, which gives it back.
    pub(super) fn take(&self) -> OnceSet {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).pop().unwrap_or_default()
    }

    /// Takes a set back.
    pub(super) fn give(&self, set: OnceSet) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(set);
    }

    /// Makes one set of all that were given back; whether an access of one has met one of another, not both atomics.
    pub(super) fn unite(&self) -> bool {
        let mut sets = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(mut all) = sets.pop() else { return false };
        let mut meets = false;
        for set in sets.drain(..) {
            all.resize_with(all.len().max(set.len()), || None);
            for (own, other) in all.iter_mut().zip(set) {
                match (own, other) {
                    (_, None) => {}
                    (own @ None, other) => *own = other,
                    (Some(own), Some(other)) => meets |= own.unite(other),
                }
            }
        }
        sets.push(all);
        meets
    }
}

/// A loose access of one lane that is to be noted later.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Loose {
    pub(crate) address: u64,
    pub(crate) bytes: u32,
    pub(crate) is_atomic: bool,
}

/// The bit masks of the words that `len` units from `first` on touch, by page and word.
fn words(first: u64, len: u64) -> impl Iterator<Item = (usize, usize, u64)> {
    let end = first + len;
    (first / 64..end.div_ceil(64)).map(move |word| {
        let low = first.saturating_sub(word * 64);
        let high = (end - word * 64).min(64);
        let mask = (u64::MAX << low) & (u64::MAX >> (64 - high));
        ((word / WORDS as u64) as usize, (word % WORDS as u64) as usize, mask)
    })
}

/// The bits of a page of the units from `number` pages on, of so many.
#[inline]
fn page(pages: &mut [Page], units: u64, number: usize) -> Option<&mut [u64]> {
    let page = pages.get_mut(number)?;
    Some(page.get_or_insert_with(|| {
        let left = units.div_ceil(64).saturating_sub((number * WORDS) as u64);
        vec![0; left.min(WORDS as u64) as usize].into()
    }))
}

/// Whether one of the bits in a word of some pages is set.
fn is_set(pages: &[Page], page: usize, word: usize, mask: u64) -> bool {
    pages.get(page).and_then(Option::as_ref).and_then(|bits| bits.get(word)).is_some_and(|bits| bits & mask != 0)
}

/// Adds the bits of `other`; whether some were there, or are in `against`, which is compared too.
fn add_all(own: &mut [Page], other: Box<[Page]>, against: Option<&[Page]>) -> bool {
    let mut meets = false;
    for (number, (own, other)) in own.iter_mut().zip(other).enumerate() {
        let Some(other) = other else { continue };
        if let Some(against) = against.and_then(|against| against.get(number)?.as_ref()) {
            meets |= against.iter().zip(&other).any(|(a, b)| a & b != 0);
        }
        match own {
            None => *own = Some(other),
            Some(own) => {
                meets |= own.iter().zip(&other).any(|(a, b)| a & b != 0);
                own.iter_mut().zip(&other).for_each(|(own, other)| *own |= other);
            }
        }
    }
    meets
}

impl OnceBits {
    /// The bits of an allocation; those of atomics only if there are some. The first access has elements of so many bytes.
    pub(crate) fn new(base: u64, bytes: u64, has_atomics: bool, element: u64) -> OnceBits {
        let unit = if element.is_power_of_two() { element.trailing_zeros().min(4) } else { 0 };
        OnceBits::of_units(base, bytes, has_atomics, unit)
    }

    fn of_units(base: u64, bytes: u64, has_atomics: bool, unit: u32) -> OnceBits {
        let pages = |count: u64| (0..count).map(|_| None).collect();
        let count = bytes.div_ceil(1 << (PAGE_BITS + unit));
        OnceBits { base, bytes, unit, stored: pages(count), updated: pages(if has_atomics { count } else { 0 }) }
    }

    /// Has a bit for each byte from now on.
    #[cold]
    fn split_units(&mut self) {
        let mut split = OnceBits::of_units(self.base, self.bytes, !self.updated.is_empty(), 0);
        for (pages, is_atomic) in [(&self.stored, false), (&self.updated, true)] {
            for (number, page) in pages.iter().enumerate() {
                for (at, &word) in page.iter().flatten().enumerate().filter(|(_, word)| **word != 0) {
                    let first = ((number * WORDS + at) as u64) << 6;
                    for bit in (0..64).filter(|bit| word >> bit & 1 != 0) {
                        split.add((first + bit) << self.unit, 1 << self.unit, is_atomic);
                    }
                }
            }
        }
        *self = split;
    }

    /// Adds the bits of another thread; whether an access of one meets one of the other, not both atomics.
    fn unite(&mut self, mut other: OnceBits) -> bool {
        if self.unit != other.unit {
            [&mut *self, &mut other].into_iter().filter(|bits| bits.unit != 0).for_each(OnceBits::split_units);
        }
        let is_met = |(stored, updated): (&Page, &Page)| match (stored, updated) {
            (Some(stored), Some(updated)) => stored.iter().zip(updated).any(|(a, b)| a & b != 0),
            _ => false,
        };
        let meets = self.stored.iter().zip(&other.updated).any(is_met);
        let both = add_all(&mut self.stored, other.stored, Some(&self.updated));
        add_all(&mut self.updated, other.updated, None);
        meets || both
    }

    /// Notes an access; whether it meets an earlier one, not both atomics.
    pub(crate) fn note(&mut self, address: u64, bytes: u64, is_atomic: bool) -> bool {
        let offset = address.wrapping_sub(self.base);
        if (offset | bytes) & ((1 << self.unit) - 1) != 0 {
            self.split_units();
        }
        self.add(offset >> self.unit, bytes >> self.unit, is_atomic)
    }

    /// The same for so many units.
    fn add(&mut self, first: u64, len: u64, is_atomic: bool) -> bool {
        let units = self.bytes.div_ceil(1 << self.unit);
        let (own, other) =
            if is_atomic { (&mut self.updated, &self.stored) } else { (&mut self.stored, &self.updated) };
        let mut meets = false;
        for (number, word, mask) in words(first, len) {
            let Some(bits) = page(own, units, number).and_then(|bits| bits.get_mut(word)) else { return true };
            meets |= *bits & mask != 0 && !is_atomic || is_set(other, number, word, mask);
            *bits |= mask;
        }
        meets
    }

    /// The same for the lanes of a mask, each of so many bytes.
    pub(crate) fn note_lanes(&mut self, addresses: &[u64; 32], mask: u32, bytes: u64, is_atomic: bool) -> bool {
        let offset = |lane: usize| addresses[lane].wrapping_sub(self.base);
        let odd = lanes(mask).fold(0, |any, lane| any | offset(lane)) & ((1 << self.unit) - 1);
        if odd != 0 || bytes != 1 << self.unit {
            return lanes(mask).fold(false, |meets, lane| meets | self.note(addresses[lane], bytes, is_atomic));
        }
        let (base, unit, units) = (self.base, self.unit, self.bytes.div_ceil(1 << self.unit));
        let (own, other) =
            if is_atomic { (&mut self.updated, &self.stored) } else { (&mut self.stored, &self.updated) };
        let at = addresses.map(|address| address.wrapping_sub(base) >> unit);
        let first = at[mask.trailing_zeros() as usize % 32];
        let apart = |any, lane: usize| any | (at[lane] ^ first) & u64::from(mask >> lane & 1).wrapping_neg();
        if other.is_empty() && (0..32).fold(0, apart) >> PAGE_BITS == 0 {
            // All in one page, which needs no other look than one bit for each.
            let Some(bits) = page(own, units, (first >> PAGE_BITS) as usize) else { return true };
            let mut found = 0;
            for lane in lanes(mask) {
                let Some(word) = bits.get_mut((at[lane] / 64) as usize % WORDS) else { return true };
                let bit = 1 << (at[lane] % 64);
                found |= *word & bit;
                *word |= bit;
            }
            return found != 0 && !is_atomic;
        }
        let mut meets = false;
        for lane in lanes(mask) {
            let (word, mask) = ((at[lane] / 64) as usize, 1 << (at[lane] % 64));
            let (number, word) = (word / WORDS, word % WORDS);
            let Some(bits) = page(own, units, number).and_then(|bits| bits.get_mut(word)) else { return true };
            meets |= *bits & mask != 0 && !is_atomic || !other.is_empty() && is_set(other, number, word, mask);
            *bits |= mask;
        }
        meets
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_stored_to_once_and_updated_often() {
        let mut bits = OnceBits::new(1000, 2 << PAGE_BITS, true, 4);
        let mut note = |address, bytes_of, is_atomic| bits.note(address, bytes_of, is_atomic);
        assert!(!note(1000, 4, false) && !note(1004, 4, false) && note(1002, 4, false));
        assert!(!note(1062, 8, true) && !note(1060, 4, true) && note(1069, 1, false));
        assert!(note(1000, 4, true));
        // From one page to the next.
        let border = 1000 + (1 << PAGE_BITS);
        assert!(!note(border - 6, 12, false) && note(border + 5, 1, false) && !note(border + 6, 1, false));
        assert!(!note(150_000, 40_000, false) && note(189_999, 1, true));
    }

    #[test]
    fn accesses_of_lanes_are_those_of_each() {
        let mut addresses: [u64; 32] = std::array::from_fn(|lane| 5_000_000 + 61 * lane as u64);
        for has_atomics in [false, true] {
            let mut bits = OnceBits::new(1000, 9_000_000, has_atomics, 8);
            let mut stores = |mask, bytes| bits.note_lanes(&addresses, mask, bytes, false);
            assert!(!stores(0x5555_5555, 8) && !stores(0xaaaa_aaaa, 8) && stores(4, 1));
            assert!(bits.note(addresses[31] + 7, 1, false) && !bits.note(addresses[31] + 8, 1, false));
        }
        let mut bits = OnceBits::new(1000, 9_000_000, true, 4);
        let mut note = |mask, is_atomic| bits.note_lanes(&addresses, mask, 4, is_atomic);
        assert!(!note(0xffff, true) && !note(0xff, true) && !note(0xffff_0000, false));
        assert!(note(0x8000, false) && note(0x1_0000, true));
        addresses[3] = addresses[9];
        let note = |mut bits: OnceBits, mask| bits.note_lanes(&addresses, mask, 4, false);
        assert!(note(OnceBits::new(1000, 9_000_000, false, 4), u32::MAX), "twice");
        assert!(note(OnceBits::new(0, 100, false, 4), 1), "outside");
    }

    #[test]
    fn elements_of_several_sizes_have_bits_for_bytes() {
        for (first, second) in [(4, 8), (8, 4), (8, 2), (2, 4)] {
            let of = |element| OnceBits::new(1 << 10, 70 << PAGE_BITS, true, element);
            let far = (1 << 10) + (17 << PAGE_BITS);
            let mut bits = of(first);
            assert!(!bits.note(far, first, false) && !bits.note(far + 3 * first, first, true));
            assert!(!bits.note(far + 16, second, false) && bits.note(far + 16 + second - 1, 1, false));
            assert!(!bits.note(far + 16 + second, 1, false) && bits.note(far + first - 1, 1, false));
            assert!(!bits.note(far + first, 1, false) && bits.note(far + 4 * first - 1, 1, false));
            let mut other = of(second);
            assert!(!other.note(far + 80, second, false) && !bits.note(far + 80 + second, second, false));
            assert!(!bits.unite(other) && bits.note(far + 80, 1, false));
            let mut other = of(second);
            assert!(!other.note(far + first / 2, second, false) && bits.unite(other));
        }
    }

    #[test]
    fn sets_of_threads_are_compared() {
        let bits = |address: u64, is_atomic: bool| {
            let mut bits = OnceBits::new(1000, 2 << PAGE_BITS, true, 4);
            assert!(!bits.note(address, 4, is_atomic));
            Some(bits)
        };
        let united = |sets: Vec<OnceSet>| {
            let once = Once::default();
            sets.into_iter().for_each(|set| once.give(set));
            (once.unite(), once.unite()).0
        };
        let far = 1004 + (1 << PAGE_BITS);
        assert!(!united(vec![vec![bits(2000, false)], vec![], vec![bits(2004, false), bits(2000, false)]]));
        assert!(!united(vec![vec![bits(2000, true)], vec![bits(2000, true)], vec![bits(far, false)]]));
        assert!(united(vec![vec![bits(far, false)], vec![None, bits(far, false)], vec![bits(far + 2, false)]]));
        assert!(united(vec![vec![bits(2000, true)], vec![bits(2003, false)]]));
        assert!(united(vec![vec![bits(2000, false)], vec![bits(2003, true)]]));
    }

    #[test]
    fn atomics_need_bits_of_their_own() {
        let mut bits = OnceBits::new(0, 64, false, 4);
        assert!(bits.note(0, 4, true) && !bits.note(0, 4, false));
    }
}
