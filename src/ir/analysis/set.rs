//! A set of small numbers as bits.

/// A set of numbers below a bound.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct BitSet {
    words: Vec<u64>,
}

impl BitSet {
    /// The empty set of numbers below `bound`.
    pub fn new(bound: usize) -> BitSet {
        BitSet { words: vec![0; bound.div_ceil(64)] }
    }

    /// The set of all numbers below `bound`.
    pub fn full(bound: usize) -> BitSet {
        let mut set = BitSet::new(bound);
        (0..bound).for_each(|i| {
            set.insert(i);
        });
        set
    }

    /// Whether `i` is in the set; false beyond the bound.
    pub fn contains(&self, i: usize) -> bool {
        self.words.get(i / 64).is_some_and(|w| w >> (i % 64) & 1 != 0)
    }

    /// Puts `i` in; whether it was not there. A number beyond the bound is left out.
    pub fn insert(&mut self, i: usize) -> bool {
        let Some(word) = self.words.get_mut(i / 64) else { return false };
        let before = *word;
        *word |= 1 << (i % 64);
        *word != before
    }

    /// Takes `i` out.
    pub fn remove(&mut self, i: usize) {
        if let Some(word) = self.words.get_mut(i / 64) {
            *word &= !(1 << (i % 64));
        }
    }

    /// Puts all of `other` in; whether one was not there.
    pub fn union(&mut self, other: &BitSet) -> bool {
        let mut changed = false;
        for (a, b) in self.words.iter_mut().zip(&other.words) {
            changed |= *b & !*a != 0;
            *a |= b;
        }
        changed
    }

    /// Takes all of `other` out.
    pub fn subtract(&mut self, other: &BitSet) {
        for (a, b) in self.words.iter_mut().zip(&other.words) {
            *a &= !b;
        }
    }

    /// The numbers, ascending.
    pub fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        self.words.iter().enumerate().flat_map(|(i, &word)| {
            let mut rest = word;
            std::iter::from_fn(move || {
                let bit = rest.trailing_zeros();
                (rest != 0).then(|| {
                    rest &= rest - 1;
                    i * 64 + bit as usize
                })
            })
        })
    }
}
