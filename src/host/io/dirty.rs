//! The parts of a file that the world does not have yet.
//!
//! A program may write here and there between two FLUSHes. What lies between is not written again: other ranks may have written it.

use std::collections::BTreeMap;

/// Ranges of bytes, no two of which touch: where they end, by where they begin.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Unwritten(BTreeMap<usize, usize>);

impl Unwritten {
    /// The bytes from `from` up to `to` were written by the program.
    pub(crate) fn add(&mut self, from: usize, to: usize) {
        if from >= to {
            return;
        }
        let (mut from, mut to) = (from, to);
        if let Some((&first, &end)) = self.0.range(..=from).next_back()
            && end >= from
        {
            (from, to) = (first, to.max(end));
        }
        while let Some((&first, &end)) = self.0.range(from..=to).next() {
            to = to.max(end);
            self.0.remove(&first);
        }
        self.0.insert(from, to);
    }

    /// The file ends at `length`.
    pub(crate) fn cut(&mut self, length: usize) {
        self.0.split_off(&length);
        if let Some(mut last) = self.0.last_entry() {
            let end = (*last.get()).min(length);
            last.insert(end);
        }
    }

    /// The first part.
    pub(crate) fn first(&self) -> Option<(usize, usize)> {
        self.0.first_key_value().map(|(&from, &to)| (from, to))
    }

    /// The world has the first part.
    pub(crate) fn drop_first(&mut self) {
        self.0.pop_first();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_that_touch_become_one_and_others_stay_apart() {
        let mut parts = Unwritten::default();
        let all = |parts: &Unwritten| parts.0.iter().map(|(&from, &to)| (from, to)).collect::<Vec<_>>();
        parts.add(10, 20);
        parts.add(40, 50);
        parts.add(0, 5);
        assert_eq!(all(&parts), [(0, 5), (10, 20), (40, 50)]);
        parts.add(5, 12);
        assert_eq!(all(&parts), [(0, 20), (40, 50)]);
        parts.add(15, 16);
        assert_eq!(all(&parts), [(0, 20), (40, 50)]);
        parts.cut(45);
        assert_eq!(all(&parts), [(0, 20), (40, 45)]);
        parts.drop_first();
        assert_eq!(parts.first(), Some((40, 45)));
        parts.add(0, 100);
        assert_eq!(all(&parts), [(0, 100)]);
        for i in 1..100 {
            parts.add(i * 1000, i * 1000 + 1);
        }
        assert_eq!(all(&parts).len(), 100);
    }
}
