//! A set of bytes of an address space, as bitmaps of 64 KiB pages: what the first pass suspects, what the second watches.
//!
//! Copies of a set share its pages until one of them changes, and all whole pages are one.

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

/// Bytes of a page.
const PAGE: u64 = 1 << 16;
/// Words of a page's bitmap.
pub(crate) const WORDS: usize = (PAGE / 64) as usize;

/// A bit for each byte of a page.
type Map = Arc<[u64; WORDS]>;

/// The map of a page all of whose bytes are in a set.
static WHOLE: LazyLock<Map> = LazyLock::new(|| Arc::new([u64::MAX; WORDS]));

/// A set of byte addresses.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ByteSet {
    pages: BTreeMap<u64, Map>,
}

/// The bits of one word from bit `from` up to, not with, bit `to`.
fn bits(from: u64, to: u64) -> u64 {
    (u64::MAX << from) & (u64::MAX >> (64 - to))
}

/// Calls `f` with page, word and bits for each word that the bytes `start..start + len` touch, while it says to go on.
fn words(start: u64, len: u64, mut f: impl FnMut(u64, usize, u64) -> bool) {
    let end = start.saturating_add(len);
    let mut at = start;
    while at < end {
        let next = ((at | 63).saturating_add(1)).min(end);
        let last = if next.is_multiple_of(64) { 64 } else { next % 64 };
        if next == at || !f(at / PAGE, (at % PAGE / 64) as usize, bits(at & 63, last)) {
            return;
        }
        at = next;
    }
}

impl ByteSet {
    /// The set with these bitmaps of pages.
    pub(crate) fn of_pages(pages: impl Iterator<Item = (u64, Box<[u64; WORDS]>)>) -> Self {
        let map = |map: Box<[u64; WORDS]>| if map.iter().all(|&w| w == u64::MAX) { WHOLE.clone() } else { map.into() };
        Self { pages: pages.map(|(page, bits)| (page, map(bits))).collect() }
    }

    /// Adds whole pages and parts of pages, without a word of which bytes are new.
    pub fn extend_range(&mut self, start: u64, len: u64) {
        let end = start.saturating_add(len);
        let (first, last) = (start.div_ceil(PAGE), end / PAGE);
        if first >= last {
            self.insert(start, len);
            return;
        }
        self.insert(start, first * PAGE - start);
        self.pages.extend((first..last).map(|page| (page, WHOLE.clone())));
        self.insert(last * PAGE, end - last * PAGE);
    }

    /// Adds `len` bytes; true if one of them is new.
    pub fn insert(&mut self, start: u64, len: u64) -> bool {
        let mut is_new = false;
        words(start, len, |page, word, mask| {
            let map = self.pages.entry(page).or_insert_with(|| Arc::new([0; WORDS]));
            if map[word] & mask != mask {
                is_new = true;
                Arc::make_mut(map)[word] |= mask;
            }
            true
        });
        is_new
    }

    /// Whether one of the bytes is in the set.
    pub fn is_touching(&self, start: u64, len: u64) -> bool {
        if self.pages.is_empty() || len == 0 {
            return false;
        }
        let last = start.saturating_add(len - 1);
        self.pages.range(start / PAGE..=last / PAGE).any(|(page, map)| {
            let base = page * PAGE;
            let (from, to) = (start.max(base) - base, last.min(base + (PAGE - 1)) - base);
            let (first, end) = ((from / 64) as usize, (to / 64) as usize);
            map[first..=end].iter().zip(first..).any(|(w, word)| {
                let low = if word == first { from % 64 } else { 0 };
                let high = if word == end { to % 64 + 1 } else { 64 };
                w & bits(low, high) != 0
            })
        })
    }

    /// The first byte and the last one.
    pub(crate) fn extent(&self) -> Option<(u64, u64)> {
        let (page, map) = self.pages.last_key_value()?;
        let word = map.iter().rposition(|word| *word != 0)?;
        Some((self.first()?, page * PAGE + word as u64 * 64 + 63 - u64::from(map[word].leading_zeros())))
    }

    /// Whether the set is empty.
    pub fn is_empty(&self) -> bool {
        self.pages.is_empty()
    }

    /// The number of bytes in the set.
    pub fn len(&self) -> u64 {
        self.pages.values().flat_map(|p| p.iter()).map(|w| u64::from(w.count_ones())).sum()
    }

    /// Adds all bytes of another set.
    pub fn extend(&mut self, other: &Self) {
        for (page, theirs) in &other.pages {
            let ours = self.pages.entry(*page).or_insert_with(|| theirs.clone());
            if Arc::ptr_eq(ours, theirs) || Arc::ptr_eq(ours, &WHOLE) {
                continue;
            }
            if Arc::ptr_eq(theirs, &WHOLE) {
                *ours = theirs.clone();
                continue;
            }
            for (a, b) in Arc::make_mut(ours).iter_mut().zip(theirs.iter()) {
                *a |= b;
            }
        }
    }

    /// Takes all bytes of another set away.
    pub fn remove(&mut self, other: &Self) {
        let subtract = |ours: &mut Map, theirs: &Map| {
            if Arc::ptr_eq(ours, theirs) || Arc::ptr_eq(theirs, &WHOLE) {
                return false;
            }
            let mut left = 0;
            for (a, b) in Arc::make_mut(ours).iter_mut().zip(theirs.iter()) {
                *a &= !b;
                left |= *a;
            }
            left != 0
        };
        if self.pages.len() < other.pages.len() {
            self.pages.retain(|page, ours| other.pages.get(page).is_none_or(|theirs| subtract(ours, theirs)));
            return;
        }
        for (page, theirs) in &other.pages {
            if let Some(ours) = self.pages.get_mut(page)
                && !subtract(ours, theirs)
            {
                self.pages.remove(page);
            }
        }
    }

    /// Takes away all bytes of the pages that begin from one address up to, not with, another.
    pub(crate) fn forget(&mut self, from: u64, to: u64) {
        self.pages.retain(|page, _| !(from..to).contains(&(page * PAGE)));
    }

    /// The bytes that are in both sets.
    #[must_use]
    pub fn common(&self, other: &Self) -> Self {
        let (few, many) = if self.pages.len() <= other.pages.len() { (self, other) } else { (other, self) };
        let mut out = Self::default();
        for (page, ours) in &few.pages {
            let Some(theirs) = many.pages.get(page) else { continue };
            let both = |word: usize| ours[word] & theirs[word];
            if Arc::ptr_eq(ours, theirs) {
                out.pages.insert(*page, ours.clone());
            } else if (0..WORDS).any(|word| both(word) != 0) {
                out.pages.insert(*page, Arc::new(std::array::from_fn(both)));
            }
        }
        out
    }

    /// Looks at places of the set that are mostly near each other.
    pub(crate) fn cursor(&self) -> Cursor<'_> {
        Cursor { set: self, pages: [None; NEAR] }
    }

    /// The first byte of the set.
    pub fn first(&self) -> Option<u64> {
        let (page, map) = self.pages.iter().next()?;
        let (word, bits) = map.iter().enumerate().find(|(_, w)| **w != 0)?;
        Some(page * PAGE + word as u64 * 64 + u64::from(bits.trailing_zeros()))
    }

    /// The maximal runs of bytes in the set, as (start, length), in ascending order.
    pub fn ranges(&self) -> Vec<(u64, u64)> {
        self.ranges_within(0, u64::MAX)
    }

    /// The runs of bytes of the set among `start..start + len`, as (start, length), in ascending order.
    pub fn ranges_within(&self, start: u64, len: u64) -> Vec<(u64, u64)> {
        let mut out: Vec<(u64, u64)> = Vec::new();
        let end = start.saturating_add(len);
        for (page, map) in self.pages.range(start / PAGE..=end.saturating_sub(1) / PAGE) {
            let base = page * PAGE;
            let first = (start.max(base) - base) as usize / 64;
            for (word, &w) in map.iter().enumerate().skip(first) {
                let at = base + word as u64 * 64;
                if at >= end {
                    break;
                }
                let low = start.saturating_sub(at);
                let high = (end - at).min(64);
                let mut rest = w & bits(low, high);
                while rest != 0 {
                    let from = u64::from(rest.trailing_zeros());
                    let count = u64::from((!(rest >> from)).trailing_zeros());
                    match out.last_mut() {
                        Some(last) if last.0 + last.1 == at + from => last.1 += count,
                        _ => out.push((at + from, count)),
                    }
                    rest &= if from + count == 64 { 0 } else { u64::MAX << (from + count) };
                }
            }
        }
        out
    }
}

/// Pages that a cursor remembers.
const NEAR: usize = 8;

/// Remembers pages that it looked at of late.
pub(crate) struct Cursor<'a> {
    set: &'a ByteSet,
    /// By the low bits of their numbers.
    pages: [Option<(u64, Option<&'a [u64; WORDS]>)>; NEAR],
}

impl Cursor<'_> {
    /// Calls `f` with start and end of each run of bytes of the set among `start..start + len`.
    pub(crate) fn for_ranges(&mut self, start: u64, len: u64, mut f: impl FnMut(u64, u64)) {
        let number = start / PAGE;
        let page = &mut self.pages[number as usize % NEAR];
        let map = match *page {
            Some((known, map)) if known == number => map,
            _ => {
                let map = self.set.pages.get(&number).map(Arc::as_ref);
                *page = Some((number, map));
                map
            }
        };
        let (bit, word) = (start % 64, (start % PAGE / 64) as usize);
        if len == 0 || bit + len > 64 {
            self.set.ranges_within(start, len).into_iter().for_each(|(from, count)| f(from, from + count));
            return;
        }
        let Some(map) = map else { return };
        let mut rest = map[word] & bits(bit, bit + len);
        while rest != 0 {
            let from = u64::from(rest.trailing_zeros());
            let count = u64::from((!(rest >> from)).trailing_zeros());
            f(start - bit + from, start - bit + from + count);
            rest &= if from + count == 64 { 0 } else { u64::MAX << (from + count) };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_join_across_words_and_pages() {
        let mut s = ByteSet::default();
        assert!(s.insert(PAGE - 3, 70) && !s.insert(PAGE, 4));
        s.insert(10, 1);
        s.insert(12, 2);
        s.insert(u64::MAX - 4, 4);
        assert_eq!(s.ranges(), [(10, 1), (12, 2), (PAGE - 3, 70), (u64::MAX - 4, 4)]);
        assert_eq!(s.ranges_within(11, 2), [(12, 1)]);
        assert_eq!(s.ranges_within(PAGE - 1, 2), [(PAGE - 1, 2)]);
        assert_eq!(s.len(), 77);
        assert!(s.is_touching(8, 3) && !s.is_touching(11, 1) && s.is_touching(0, u64::MAX));
    }

    #[test]
    fn whole_pages_are_pages_like_others() {
        let (mut a, mut b) = (ByteSet::default(), ByteSet::default());
        a.extend_range(PAGE - 8, 2 * PAGE + 16);
        b.insert(PAGE - 8, 2 * PAGE + 16);
        assert_eq!(a.ranges(), [(PAGE - 8, 2 * PAGE + 16)]);
        assert_eq!((a.common(&b).ranges(), a.len()), (b.ranges(), b.len()));
        assert!(!a.insert(PAGE, PAGE) && !b.insert(PAGE, PAGE));
        let mut both = b.clone();
        both.extend(&a);
        assert_eq!(both.ranges(), a.ranges());
        // What shares a page with another set changes alone.
        let mut hole = ByteSet::default();
        hole.insert(PAGE + 10, 5);
        a.remove(&hole);
        assert_eq!(a.ranges(), [(PAGE - 8, 18), (PAGE + 15, 2 * PAGE - 7)]);
        assert_eq!(b.ranges(), [(PAGE - 8, 2 * PAGE + 16)]);
        b.remove(&a);
        assert_eq!(b.ranges(), hole.ranges());
        let mut whole = ByteSet::default();
        whole.extend_range(0, 2 * PAGE);
        whole.remove(&hole);
        hole.extend(&whole);
        assert_eq!(hole.ranges(), [(0, 2 * PAGE)]);
        hole.remove(&hole.clone());
        assert!(hole.is_empty());
        hole.extend_range(5, 3);
        hole.extend_range(u64::MAX - 2, 2);
        assert_eq!(hole.ranges(), [(5, 3), (u64::MAX - 2, 2)]);
    }

    #[test]
    fn sets_are_subtracted_and_intersected() {
        let mut a = ByteSet::default();
        let mut b = ByteSet::default();
        a.insert(10, 100);
        a.insert(PAGE * 3, 4);
        b.insert(50, 10);
        b.insert(PAGE * 3 + 2, 8);
        assert_eq!(a.common(&b).ranges(), [(50, 10), (PAGE * 3 + 2, 2)]);
        assert_eq!((a.common(&b).first(), ByteSet::default().first()), (Some(50), None));
        a.remove(&b);
        assert_eq!(a.ranges(), [(10, 40), (60, 50), (PAGE * 3, 2)]);
        b.remove(&b.clone());
        assert!(b.is_empty());
    }

    #[test]
    fn set_agrees_with_a_list_of_bytes() {
        let mut s = ByteSet::default();
        let mut list = std::collections::BTreeSet::new();
        let mut x = 12345_u64;
        for _ in 0..200 {
            x = x.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let (start, len) = (x >> 40 & 511, x >> 20 & 15);
            let is_new = (start..start + len).filter(|b| list.insert(*b)).count() > 0;
            assert_eq!(s.insert(start, len), is_new);
        }
        for start in 0..600 {
            let mut found = Vec::new();
            s.cursor().for_ranges(start, start % 40, |from, end| found.push((from, end - from)));
            assert_eq!(found, s.ranges_within(start, start % 40));
        }
        let bytes: Vec<u64> = s.ranges().iter().flat_map(|&(a, n)| a..a + n).collect();
        assert_eq!(bytes, list.iter().copied().collect::<Vec<_>>());
    }
}
