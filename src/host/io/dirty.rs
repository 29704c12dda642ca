//! The parts of a file that the world does not have yet.
//!
//! A program may write here and there between two FLUSHes; what lies between is not written again. There are few parts at
//! most, so that a program that writes everywhere costs no more than one that writes in order: the two that lie closest
//! together become one.

/// Parts at most.
const MOST: usize = 16;

/// Ranges of bytes, ascending; no two of them touch.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Unwritten(Vec<(usize, usize)>);

impl Unwritten {
    /// The bytes from `from` up to `to` were written by the program.
    pub(crate) fn add(&mut self, from: usize, to: usize) {
        if from >= to {
            return;
        }
        let first = self.0.partition_point(|part| part.1 < from);
        let behind = self.0.partition_point(|part| part.0 <= to);
        let met = &self.0[first..behind];
        let from = met.first().map_or(from, |part| part.0.min(from));
        let to = met.last().map_or(to, |part| part.1.max(to));
        self.0.splice(first..behind, [(from, to)]);
        if self.0.len() > MOST {
            let gap = |i: &usize| self.0[i + 1].0 - self.0[*i].1;
            if let Some(i) = (0..self.0.len() - 1).min_by_key(gap) {
                let next = self.0.remove(i + 1);
                self.0[i].1 = next.1;
            }
        }
    }

    /// The file ends at `length`.
    pub(crate) fn cut(&mut self, length: usize) {
        self.0.retain(|part| part.0 < length);
        if let Some(last) = self.0.last_mut() {
            last.1 = last.1.min(length);
        }
    }

    /// The first part.
    pub(crate) fn first(&self) -> Option<(usize, usize)> {
        self.0.first().copied()
    }

    /// The world has the first part.
    pub(crate) fn drop_first(&mut self) {
        if !self.0.is_empty() {
            self.0.remove(0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_that_touch_become_one_and_there_are_never_many() {
        let mut parts = Unwritten::default();
        parts.add(10, 20);
        parts.add(40, 50);
        parts.add(0, 5);
        assert_eq!(parts.0, [(0, 5), (10, 20), (40, 50)]);
        parts.add(5, 12);
        assert_eq!(parts.0, [(0, 20), (40, 50)]);
        parts.cut(45);
        assert_eq!(parts.0, [(0, 20), (40, 45)]);
        parts.drop_first();
        assert_eq!(parts.first(), Some((40, 45)));
        for i in 0..100 {
            parts.add(i * 1000, i * 1000 + 1);
        }
        assert_eq!(parts.0.len(), MOST);
        assert_eq!(parts.0.last(), Some(&(99_000, 99_001)));
    }
}
