//! What the generator chooses by: a seed, or bytes of somebody else, a fuzzer say.

use fastrand::Rng;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::{RangeFull, RangeTo};

/// A sequence of choices.
pub(crate) struct Choices {
    /// What is left of the bytes, the next last.
    bytes: Vec<u8>,
    /// What follows them.
    rng: Rng,
}

impl Choices {
    /// The choices of a seed.
    pub(crate) fn with_seed(seed: u64) -> Choices {
        Choices { bytes: Vec::new(), rng: Rng::with_seed(seed) }
    }

    /// A byte for each choice, and then those of a seed that depends on the bytes: choices that never end would make no kernel.
    pub(crate) fn of_bytes(bytes: &[u8]) -> Choices {
        let mut hasher = DefaultHasher::new();
        bytes.hash(&mut hasher);
        Choices { bytes: bytes.iter().rev().copied().collect(), rng: Rng::with_seed(hasher.finish()) }
    }

    /// A number below the end of a range, which is small.
    pub(crate) fn usize(&mut self, range: RangeTo<usize>) -> usize {
        match self.bytes.pop() {
            Some(byte) => usize::from(byte) % range.end.max(1),
            None => self.rng.usize(range),
        }
    }

    /// Any word.
    pub(crate) fn u64(&mut self, _: RangeFull) -> u64 {
        match self.bytes.len() {
            0 => self.rng.u64(..),
            _ => (0..8).fold(0, |word, _| word << 8 | u64::from(self.bytes.pop().unwrap_or(0))),
        }
    }

    /// One of a list; `None` if that is empty.
    pub(crate) fn choice<I>(&mut self, list: I) -> Option<I::Item>
    where
        I: IntoIterator,
        I::IntoIter: ExactSizeIterator,
    {
        let mut list = list.into_iter();
        match list.len() {
            0 => None,
            count => list.nth(self.usize(..count)),
        }
    }
}
