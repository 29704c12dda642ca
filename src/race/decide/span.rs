//! A map from ranges of addresses to values. A range is split where an access starts or ends inside it.
//!
//! Bytes that were always accessed together share one value, so state per byte costs as little as state per element. Ranges
//! do not cross pages of 1 KiB, each of which knows the range of each of its bytes.

use std::collections::BTreeMap;

/// Bytes of a page.
const PAGE: u64 = 1024;
/// Pages that are found without a search: those of 512 KB that lie one after another.
const RECENT: usize = 512;

#[derive(Clone, Debug)]
struct Span<T> {
    /// From the start of the page.
    start: u16,
    end: u16,
    value: T,
}

#[derive(Clone, Debug)]
struct Page<T> {
    /// For each byte 0, or the number of its range plus one.
    of_byte: Box<[u16; PAGE as usize]>,
    spans: Vec<Span<T>>,
}

impl<T> Default for Page<T> {
    fn default() -> Self {
        Self { of_byte: Box::new([0; PAGE as usize]), spans: Vec::new() }
    }
}

impl<T: Clone + Default> Page<T> {
    /// Makes `at` the start of a range if it lies inside one; true if there is a range more.
    fn split(&mut self, at: usize) -> bool {
        let Some(&number) = self.of_byte.get(at).filter(|n| **n != 0) else { return false };
        let new = self.spans.len() as u16 + 1;
        let span = &mut self.spans[usize::from(number) - 1];
        if usize::from(span.start) == at {
            return false;
        }
        let rest = Span { start: at as u16, end: span.end, value: span.value.clone() };
        span.end = at as u16;
        self.of_byte[at..usize::from(rest.end)].fill(new);
        self.spans.push(rest);
        true
    }
}

/// The place of a range in its map; it holds until the map is cleared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct SpanId {
    page: u32,
    span: u16,
}

/// Disjoint ranges of addresses, each with a value.
#[derive(Clone, Debug)]
pub(crate) struct SpanMap<T> {
    /// Where the page of a number is.
    index: BTreeMap<u64, usize>,
    pages: Vec<(u64, Page<T>)>,
    /// Numbers of pages used of late, by their low bits, and where they are; nothing before the first.
    recent: Vec<(u64, usize)>,
    count: usize,
}

impl<T> Default for SpanMap<T> {
    fn default() -> Self {
        Self { index: BTreeMap::new(), pages: Vec::new(), recent: Vec::new(), count: 0 }
    }
}

impl<T: Clone + Default> SpanMap<T> {
    /// Where the page of a number is; made if it is not there.
    fn page(&mut self, number: u64) -> usize {
        let slot = number as usize % RECENT;
        if let Some(&(known, place)) = self.recent.get(slot)
            && known == number
        {
            return place;
        }
        let place = *self.index.entry(number).or_insert_with(|| {
            self.pages.push((number, Page::default()));
            self.pages.len() - 1
        });
        self.recent.resize(RECENT, (u64::MAX, 0));
        self.recent[slot] = (number, place);
        place
    }

    /// Calls `f` with the page, its place, and the bytes of it that belong to `start..end`.
    fn for_pages(&mut self, start: u64, end: u64, mut f: impl FnMut(&mut Page<T>, usize, usize, usize)) {
        let mut at = start;
        while at < end {
            let number = at / PAGE;
            let base = number * PAGE;
            let place = self.page(number);
            let to = (end - base).min(PAGE);
            f(&mut self.pages[place].1, place, (at - base) as usize, to as usize);
            at = base.saturating_add(to);
            if to < PAGE {
                break;
            }
        }
    }

    /// Makes ranges that together are `start..end`, new ones for bytes that had none. Makes no new ones once there are `limit`
    /// ranges; returns false if bytes are left out for that reason.
    pub(crate) fn cover(&mut self, start: u64, end: u64, limit: usize) -> bool {
        let mut count = self.count;
        let mut is_whole = true;
        self.for_pages(start, end, |page, _, from, to| {
            let of_byte = &page.of_byte;
            // One range of these very bytes, as mostly.
            if let Some(number) = usize::from(of_byte[from]).checked_sub(1)
                && of_byte[to - 1] == of_byte[from]
                && (from == 0 || of_byte[from - 1] != of_byte[from])
                && of_byte.get(to).is_none_or(|next| usize::from(*next) != number + 1)
            {
                return;
            }
            count += usize::from(page.split(from)) + usize::from(page.split(to));
            let mut at = from;
            while at < to {
                if let Some(number) = usize::from(page.of_byte[at]).checked_sub(1) {
                    at = usize::from(page.spans[number].end);
                    continue;
                }
                let next = at + page.of_byte[at..to].iter().take_while(|n| **n == 0).count();
                if count < limit {
                    count += 1;
                    page.spans.push(Span { start: at as u16, end: next as u16, value: T::default() });
                    let number = page.spans.len() as u16;
                    page.of_byte[at..next].fill(number);
                } else {
                    is_whole = false;
                }
                at = next;
            }
        });
        self.count = count;
        is_whole
    }

    /// Calls `f` with the ranges of `start..end`, which `cover` has made, in ascending order.
    pub(crate) fn for_each(&mut self, start: u64, end: u64, mut f: impl FnMut(SpanId)) {
        self.for_pages(start, end, |page, place, from, to| {
            let mut at = from;
            while at < to {
                match page.of_byte[at].checked_sub(1) {
                    Some(span) => {
                        f(SpanId { page: place as u32, span });
                        at = usize::from(page.spans[usize::from(span)].end);
                    }
                    None => at += 1,
                }
            }
        });
    }

    /// The start, the end and the value of a range.
    pub(crate) fn get_mut(&mut self, id: SpanId) -> (u64, u64, &mut T) {
        let (number, page) = &mut self.pages[id.page as usize];
        let span = &mut page.spans[usize::from(id.span)];
        (*number * PAGE + u64::from(span.start), *number * PAGE + u64::from(span.end), &mut span.value)
    }

    pub(crate) fn clear(&mut self) {
        *self = Self::default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ids<T: Clone + Default>(map: &mut SpanMap<T>, start: u64, end: u64) -> Vec<SpanId> {
        let mut out = Vec::new();
        map.for_each(start, end, |id| out.push(id));
        out
    }

    #[test]
    fn overlapping_ranges_are_split_and_keep_their_values() {
        let mut map: SpanMap<Vec<u32>> = SpanMap::default();
        for (id, (start, end)) in [(10, 20), (15, 17), (0, 30), (20, 22), (1020, 1030)].into_iter().enumerate() {
            assert!(map.cover(start, end, usize::MAX));
            let mut at = start;
            for span in ids(&mut map, start, end) {
                let (from, to, value) = map.get_mut(span);
                assert_eq!(from, at);
                value.push(id as u32);
                at = to;
            }
            assert_eq!(at, end);
        }
        let all: Vec<(u64, u64, Vec<u32>)> = ids(&mut map, 0, 2048)
            .into_iter()
            .map(|id| {
                let (start, end, value) = map.get_mut(id);
                (start, end, value.clone())
            })
            .collect();
        let want = [
            (0, 10, vec![2]),
            (10, 15, vec![0, 2]),
            (15, 17, vec![0, 1, 2]),
            (17, 20, vec![0, 2]),
            (20, 22, vec![2, 3]),
            (22, 30, vec![2]),
            (1020, 1024, vec![4]),
            (1024, 1030, vec![4]),
        ];
        assert_eq!(all, want);
        assert_eq!(map.count, 8);
    }

    #[test]
    fn full_map_still_finds_the_ranges_that_it_has() {
        let mut map: SpanMap<()> = SpanMap::default();
        assert!(map.cover(0, 4, 2) && map.cover(8, 12, 2));
        assert!(!map.cover(2, 16, 2));
        let mut starts = Vec::new();
        for id in ids(&mut map, 2, 16) {
            starts.push(map.get_mut(id).0);
        }
        assert_eq!(starts, [2, 8]);
        assert!(map.cover(u64::MAX - 8, u64::MAX, 9));
        assert_eq!(ids(&mut map, u64::MAX - 8, u64::MAX).len(), 1);
    }
}
