//! Which bytes have been written: one bit for each byte, for `--check init`.
//!
//! What nothing has written since its allocation counts as uninitialised; a copy hands the bits on, with the place that the
//! bytes were copied from. They are kept only where they are wanted. Writes through [`Memory`](crate::Memory)'s own calls are noted there; the executor's stores are not: the
//! caller of the executor notes them from its hooks ([`InitBits::store`]). Memory of C code counts as written.

use crate::address::Region;
use source::Span;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Bytes of a page of bits.
const PAGE: u64 = 1 << 16;
/// Words of a page's bits.
const WORDS: usize = (PAGE / 64) as usize;

/// Most runs of bytes whose origin is kept.
const MOST_ORIGINS: usize = 1 << 14;

/// Where bytes were copied from that nothing had written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Origin {
    /// The expression that read them; none for a copy as a whole.
    pub span: Span,
    /// Where they were.
    pub address: u64,
}

/// The bits of a page.
#[derive(Clone, Debug)]
struct Page {
    bits: [u64; WORDS],
    /// How many are not set.
    missing: u32,
}

/// Bits of all memory, by address.
#[derive(Clone, Debug, Default)]
pub struct InitBits {
    pages: BTreeMap<u64, Arc<Page>>,
    /// Where missing bytes were copied from: first byte, end, origin.
    origins: BTreeMap<u64, (u64, Origin)>,
}

/// The parts of `start..start + len` in each page: number of the page, first byte in it, bytes.
fn parts(start: u64, len: u64) -> impl Iterator<Item = (u64, u64, u64)> {
    let end = start.saturating_add(len);
    let mut at = start;
    std::iter::from_fn(move || {
        let (page, first) = (at / PAGE, at % PAGE);
        let bytes = (PAGE - first).min(end - at);
        at += bytes;
        (bytes > 0).then_some((page, first, bytes))
    })
}

/// The words of a part of a page, with the bits in each.
fn words(first: u64, bytes: u64) -> impl Iterator<Item = (usize, u64)> {
    let end = first + bytes;
    (first / 64..end.div_ceil(64)).map(move |word| {
        let (low, high) = (first.saturating_sub(word * 64), (end - word * 64).min(64));
        (word as usize, (u64::MAX << low) & (u64::MAX >> (64 - high)))
    })
}

impl Page {
    const EMPTY: Page = Page { bits: [0; WORDS], missing: PAGE as u32 };

    fn has(&self, first: u64, bytes: u64) -> bool {
        self.missing == 0 || words(first, bytes).all(|(word, bits)| self.bits[word] & bits == bits)
    }

    fn set(&mut self, first: u64, bytes: u64) {
        for (word, bits) in words(first, bytes) {
            self.missing -= (bits & !self.bits[word]).count_ones();
            self.bits[word] |= bits;
        }
    }

    fn clear(&mut self, first: u64, bytes: u64) {
        for (word, bits) in words(first, bytes) {
            self.missing += (bits & self.bits[word]).count_ones();
            self.bits[word] &= !bits;
        }
    }
}

/// Whether an address is one of memory of C code, of which nobody knows what was written.
fn is_of_c(address: u64) -> bool {
    Region::of(address) == Some(Region::OfC)
}

impl InitBits {
    /// Notes that bytes were written.
    pub fn set(&mut self, start: u64, len: u64) {
        if is_of_c(start) {
            return;
        }
        for (page, first, bytes) in parts(start, len) {
            let page = self.pages.entry(page).or_insert_with(|| Arc::new(Page::EMPTY));
            if !page.has(first, bytes) {
                Arc::make_mut(page).set(first, bytes);
            }
        }
    }

    /// Notes that bytes hold what nothing has written.
    pub fn unset(&mut self, start: u64, len: u64) {
        self.forget_origins(start, len);
        self.clear(start, len);
    }

    /// Notes that bytes hold what was copied from others that nothing has written.
    pub fn unset_by_copy(&mut self, start: u64, len: u64, origin: Origin) {
        if is_of_c(start) {
            return;
        }
        self.unset(start, len);
        let end = start.saturating_add(len);
        // The bytes that one expression moves, one after the other, have one origin.
        if let Some((first, (known, from))) = self.origins.range_mut(..start).next_back()
            && *known == start
            && from.span == origin.span
            && (!origin.span.is_none() || from.address.wrapping_add(start - first) == origin.address)
        {
            *known = end;
        } else if self.origins.len() < MOST_ORIGINS {
            self.origins.insert(start, (end, origin));
        }
    }

    /// Where a missing byte was copied from; `None` if nothing has ever been written or copied to it.
    pub fn origin(&self, address: u64) -> Option<Origin> {
        let (_, (end, origin)) = self.origins.range(..=address).next_back()?;
        (address < *end).then_some(*origin)
    }

    fn forget_origins(&mut self, start: u64, len: u64) {
        let end = start.saturating_add(len);
        while let Some((&first, &(last, origin))) = self.origins.range(..end).next_back()
            && last > start
        {
            self.origins.remove(&first);
            if first < start {
                self.origins.insert(first, (start, origin));
            }
            if last > end {
                self.origins.insert(end, (last, origin));
            }
        }
    }

    fn clear(&mut self, start: u64, len: u64) {
        // Whole pages go, and only what is left of the first and the last is looked at.
        let (first, last) = (start.div_ceil(PAGE), start.saturating_add(len) / PAGE);
        if first < last {
            let whole: Vec<u64> = self.pages.range(first..last).map(|(&page, _)| page).collect();
            for page in whole {
                self.pages.remove(&page);
            }
            self.clear(start, first * PAGE - start);
            return self.clear(last * PAGE, start.saturating_add(len) - last * PAGE);
        }
        for (page, first, bytes) in parts(start, len) {
            if let Some(page) = self.pages.get_mut(&page) {
                Arc::make_mut(page).clear(first, bytes);
            }
        }
    }

    /// Whether all the bytes were written.
    pub fn is_set(&self, start: u64, len: u64) -> bool {
        is_of_c(start)
            || parts(start, len).all(|(page, first, bytes)| self.pages.get(&page).is_some_and(|p| p.has(first, bytes)))
    }

    /// Whether all bytes of all pages are written that the range touches: quick, also if it is long.
    pub fn is_whole(&self, start: u64, len: u64) -> bool {
        is_of_c(start) || parts(start, len).all(|(page, ..)| self.pages.get(&page).is_some_and(|p| p.missing == 0))
    }

    /// The bytes of a word of at most 8 that nothing has written, as a mask.
    pub fn missing(&self, start: u64, len: u64) -> u8 {
        if self.is_set(start, len) {
            return 0;
        }
        (0..len.min(8)).filter(|&i| !self.is_set(start + i, 1)).fold(0, |mask, i| mask | 1 << i)
    }

    /// Notes that a word of at most 8 bytes was written with a value of which these bytes are missing, and where they come from.
    pub fn store(&mut self, start: u64, len: u64, missing: Option<(u8, Origin)>) {
        self.set(start, len);
        let Some((missing, origin)) = missing else { return };
        let bytes = (0..len.min(8)).filter(|i| missing >> i & 1 != 0);
        bytes.for_each(|i| self.unset_by_copy(start + i, 1, origin));
    }

    /// Notes that bytes hold a copy of `source`, none of which anything has written.
    pub fn copy_hole(&mut self, destination: u64, source: u64, len: u64) {
        let end = source.saturating_add(len);
        let overlapping = self.origins.range(..end).rev().take_while(|(_, (last, _))| *last > source);
        let mut known: Vec<(u64, u64, Origin)> =
            overlapping.map(|(&first, &(last, origin))| (first.max(source), last.min(end), origin)).collect();
        known.reverse();
        self.unset_by_copy(destination, len, Origin { span: Span::NONE, address: source });
        for (first, last, origin) in known {
            self.unset_by_copy(destination + (first - source), last - first, origin);
        }
    }

    /// The runs of bytes among `start..start + len` that nothing has written: offset from `start`, and length.
    pub fn holes(&self, start: u64, len: u64) -> Vec<(u64, u64)> {
        let mut out: Vec<(u64, u64)> = Vec::new();
        if is_of_c(start) {
            return out;
        }
        for (page, first, bytes) in parts(start, len) {
            let known = self.pages.get(&page);
            if known.is_some_and(|page| page.missing == 0) {
                continue;
            }
            for (word, bits) in words(first, bytes) {
                let base = page * PAGE + word as u64 * 64;
                let mut rest = bits & !known.map_or(0, |page| page.bits[word]);
                while rest != 0 {
                    let from = rest.trailing_zeros();
                    let count = (!(rest >> from)).trailing_zeros();
                    let offset = base + u64::from(from) - start;
                    match out.last_mut() {
                        Some(last) if last.0 + last.1 == offset => last.1 += u64::from(count),
                        _ => out.push((offset, u64::from(count))),
                    }
                    rest &= if from + count >= 64 { 0 } else { u64::MAX << (from + count) };
                }
            }
        }
        out
    }
}

/// The bits of a memory, if they are wanted; a clone has its own.
#[derive(Debug, Default)]
pub(crate) struct Initialised(Option<Arc<Mutex<InitBits>>>);

impl Clone for Initialised {
    fn clone(&self) -> Initialised {
        Initialised(self.0.as_ref().map(|bits| Arc::new(Mutex::new(lock(bits).clone()))))
    }
}

fn lock(bits: &Mutex<InitBits>) -> MutexGuard<'_, InitBits> {
    bits.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Initialised {
    /// Begins to keep bits.
    pub(crate) fn want(&mut self) {
        self.0.get_or_insert_default();
    }

    /// The bits, for the code that notes the executor's stores.
    pub(crate) fn share(&self) -> Option<SharedInitBits> {
        self.0.clone().map(SharedInitBits)
    }

    /// Does something with the bits, if they are kept.
    #[inline]
    pub(crate) fn with<R>(&self, f: impl FnOnce(&mut InitBits) -> R) -> Option<R> {
        self.0.as_ref().map(|bits| f(&mut lock(bits)))
    }
}

/// The bits of a memory that others use meanwhile.
#[derive(Clone, Debug)]
pub struct SharedInitBits(Arc<Mutex<InitBits>>);

impl SharedInitBits {
    /// Does something with the bits.
    pub fn with<R>(&self, f: impl FnOnce(&mut InitBits) -> R) -> R {
        f(&mut lock(&self.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn holes_are_what_was_not_set() {
        let mut bits = InitBits::default();
        assert_eq!(bits.holes(10, 200), [(0, 200)]);
        bits.set(PAGE - 70, 100);
        assert!(bits.is_set(PAGE - 70, 100) && !bits.is_set(PAGE - 71, 2) && !bits.is_set(PAGE + 29, 2));
        assert_eq!(bits.holes(PAGE - 72, 110), [(0, 2), (102, 8)]);
        bits.unset(PAGE - 1, 2);
        assert_eq!(bits.holes(PAGE - 70, 100), [(69, 2)]);
        assert!(bits.is_set(PAGE, 0));
    }

    #[test]
    fn a_word_keeps_the_bytes_that_its_value_lacks() {
        let mut bits = InitBits::default();
        assert_eq!(bits.missing(8, 4), 0b1111);
        let origin = Origin { span: Span::NONE, address: 100 };
        bits.store(8, 4, Some((0b0110, origin)));
        assert_eq!((bits.missing(8, 4), bits.missing(8, 1)), (0b0110, 0));
        assert_eq!((bits.origin(8), bits.origin(9)), (None, Some(origin)));
        bits.store(8, 4, None);
        assert_eq!(bits.missing(8, 4), 0);
    }

    #[test]
    fn a_copy_of_a_copy_keeps_the_first_origin() {
        let mut bits = InitBits::default();
        let of = |address| Origin { span: Span::NONE, address };
        bits.copy_hole(1000, 100, 8);
        bits.copy_hole(2000, 996, 16);
        let seen: Vec<Option<u64>> =
            [2000, 2003, 2004, 2011, 2012, 2016].iter().map(|&a| bits.origin(a).map(|o| o.address)).collect();
        assert_eq!(seen, [Some(996), Some(996), Some(100), Some(100), Some(996), None]);
        bits.unset(2002, 4);
        assert_eq!((bits.origin(2001), bits.origin(2002), bits.origin(2006)), (Some(of(996)), None, Some(of(100))));
    }
}
