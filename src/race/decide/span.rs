//! A map from ranges of addresses to values. A range is split where an access starts or ends inside it.
//!
//! Bytes that were always accessed together share one value, so state per byte costs as little as state per element.

use std::collections::BTreeMap;

#[derive(Clone, Debug)]
struct Span<T> {
    end: u64,
    value: T,
}

/// Disjoint ranges of addresses, each with a value.
#[derive(Clone, Debug)]
pub(crate) struct SpanMap<T> {
    spans: BTreeMap<u64, Span<T>>,
}

impl<T> Default for SpanMap<T> {
    fn default() -> Self {
        Self { spans: BTreeMap::new() }
    }
}

impl<T: Clone + Default> SpanMap<T> {
    /// Makes `at` the start of a range if it lies inside one.
    fn split(&mut self, at: u64) {
        let Some((_, span)) = self.spans.range_mut(..at).next_back() else { return };
        if span.end > at {
            let rest = Span { end: span.end, value: span.value.clone() };
            span.end = at;
            self.spans.insert(at, rest);
        }
    }

    /// Makes ranges that together are `start..end`, new ones for bytes that had none; adds their starts to `out`. Makes no
    /// new ones once there are `limit` ranges; returns false if bytes are left out for that reason.
    pub(crate) fn cover(&mut self, start: u64, end: u64, limit: usize, out: &mut Vec<u64>) -> bool {
        self.split(start);
        self.split(end);
        let mut at = start;
        let mut is_whole = true;
        while at < end {
            let next = self.spans.range(at..end).next().map(|(&from, span)| (from, span.end));
            match next {
                Some((from, to)) if from == at => {
                    out.push(at);
                    at = to;
                }
                _ => {
                    let to = next.map_or(end, |n| n.0);
                    if self.spans.len() < limit {
                        self.spans.insert(at, Span { end: to, value: T::default() });
                        out.push(at);
                    } else {
                        is_whole = false;
                    }
                    at = to;
                }
            }
        }
        is_whole
    }

    /// The end and value of the range that starts at `start`.
    pub(crate) fn get_mut(&mut self, start: u64) -> Option<(u64, &mut T)> {
        self.spans.get_mut(&start).map(|span| (span.end, &mut span.value))
    }

    pub(crate) fn clear(&mut self) {
        self.spans.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn overlapping_ranges_are_split_and_keep_their_values() {
        let mut map: SpanMap<Vec<u32>> = SpanMap::default();
        for (id, (start, end)) in [(10, 20), (15, 17), (0, 30), (20, 22)].into_iter().enumerate() {
            let mut starts = Vec::new();
            assert!(map.cover(start, end, usize::MAX, &mut starts));
            let mut at = start;
            for s in starts {
                assert_eq!(s, at);
                let (to, value) = map.get_mut(s).expect("covered");
                value.push(id as u32);
                at = to;
            }
            assert_eq!(at, end);
        }
        let all: Vec<(u64, u64, Vec<u32>)> = map.spans.iter().map(|(s, v)| (*s, v.end, v.value.clone())).collect();
        let want = [
            (0, 10, vec![2]),
            (10, 15, vec![0, 2]),
            (15, 17, vec![0, 1, 2]),
            (17, 20, vec![0, 2]),
            (20, 22, vec![2, 3]),
            (22, 30, vec![2]),
        ];
        assert_eq!(all, want);
    }

    #[test]
    fn full_map_still_finds_the_ranges_that_it_has() {
        let mut map: SpanMap<()> = SpanMap::default();
        let mut starts = Vec::new();
        assert!(map.cover(0, 4, 2, &mut starts) && map.cover(8, 12, 2, &mut starts));
        assert!(!map.cover(2, 16, 2, &mut starts));
        assert_eq!(starts, [0, 8, 2, 8]);
    }
}
