//! Generators whose numbers come from many subsequences of one sequence, in turn.
//!
//! The number at place n is from subsequence n mod N (cuRAND Library, "Generator Options"). How many there are and how far apart
//! depends on the generator and its order.
//!
//! Not here: the recurrences of XORWOW (`scalar`) and MRG32k3a (`mrg32k3a`).

use super::draw::Draw;
use super::mrg32k3a::{Mrg32k3a, Powers};
use scalar::xorwow::{Jump, Xorwow};
use std::sync::{Arc, OnceLock};

/// Subsequences of XORWOW, and the binary logarithm of the distance between two.
const XORWOW: (usize, u32) = (4096, 67);
/// What the seeds of two subsequences differ by in the seeded order.
const SEED_STEP: u64 = 0x2f_d111;
/// Subsequences of MRG32k3a in the default order, and in the one of before.
const MRG32K3A: [usize; 2] = [81_920, 4096];
/// The binary logarithm of the distance between two.
const MRG32K3A_DISTANCE: u32 = 76;

/// Subsequences at some place; clones share them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Subsequences<S> {
    states: Arc<Vec<S>>,
    /// The subsequence whose turn it is.
    next: usize,
}

impl<S: Copy + Draw> Subsequences<S> {
    /// Gives the subsequences their turns, `count` of them.
    pub(crate) fn turns<T>(&mut self, count: usize, mut take: impl FnMut(&mut dyn Draw) -> T) -> Vec<T> {
        let states = Arc::make_mut(&mut self.states);
        let mut turn = || {
            let taken = take(&mut states[self.next]);
            self.next = (self.next + 1) % states.len();
            taken
        };
        (0..count).map(|_| turn()).collect()
    }

    /// From subsequences that have left out their part of so many numbers.
    fn at(mut states: Vec<S>, offset: u64) -> Subsequences<S> {
        let next = (offset % states.len() as u64) as usize;
        states[..next].iter_mut().for_each(|state| {
            state.word();
        });
        Subsequences { states: Arc::new(states), next }
    }
}

impl Subsequences<Xorwow> {
    /// From the number at `offset` on.
    pub(crate) fn of_xorwow(seed: u64, offset: u64) -> Subsequences<Xorwow> {
        static TO_NEXT: OnceLock<Jump> = OnceLock::new();
        let (count, distance) = XORWOW;
        let to_next = *TO_NEXT.get_or_init(|| Jump::new(1, distance));
        let rounds = offset / count as u64;
        let skip = Jump::new(rounds, 0);
        let mut first = Xorwow::new(seed);
        let next = |_| {
            let mut state = first;
            state.skip(skip, rounds as u32);
            // The distance is a multiple of 2^32, so that the counter is the same.
            first.skip(to_next, 0);
            state
        };
        Subsequences::at((0..count).map(next).collect(), offset)
    }

    /// The same of sequences with seeds of their own.
    pub(crate) fn of_seeds(seed: u64, offset: u64) -> Subsequences<Xorwow> {
        let count = XORWOW.0;
        let rounds = offset / count as u64;
        let skip = Jump::new(rounds, 0);
        let of_seed = |i: usize| {
            let mut state = Xorwow::new(seed.wrapping_add((i as u64).wrapping_mul(SEED_STEP)));
            state.skip(skip, rounds as u32);
            state
        };
        Subsequences::at((0..count).map(of_seed).collect(), offset)
    }
}

impl Subsequences<Mrg32k3a> {
    /// From the number at `offset` on, in the default order or in the one of before.
    pub(crate) fn of_mrg32k3a(seed: u64, offset: u64, is_legacy: bool) -> Subsequences<Mrg32k3a> {
        let count = MRG32K3A[usize::from(is_legacy)];
        let to_next = Powers::of(1, MRG32K3A_DISTANCE);
        let skip = Powers::of(offset / count as u64, 0);
        let mut first = Mrg32k3a::new(seed);
        first.skip(&skip);
        let next = |_| {
            let state = first;
            first.skip(&to_next);
            state
        };
        Subsequences::at((0..count).map(next).collect(), offset)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words<S: Copy + Draw>(mut of: Subsequences<S>, count: usize) -> Vec<u32> {
        of.turns(count, |draw| draw.word())
    }

    #[test]
    fn numbers_are_those_that_nvidia_documents() {
        // cuRAND Library, "Host API Example": ten uniform numbers with seed 1234.
        let of = words(Subsequences::of_xorwow(1234, 0), 10);
        let text: Vec<String> = of.iter().map(|x| format!("{:.4}", (f64::from(*x) + 0.5) / 4_294_967_296.0)).collect();
        let known = "0.1455 0.8202 0.5504 0.2948 0.9147 0.8690 0.3219 0.7829 0.0113 0.2855";
        assert_eq!(text.join(" "), known);
    }

    #[test]
    fn an_offset_skips_numbers() {
        let mut all = Subsequences::of_xorwow(7, 0);
        all.turns(5000, |draw| draw.word());
        assert_eq!(all.turns(20, |draw| draw.word()), words(Subsequences::of_xorwow(7, 5000), 20));
        let mut all = Subsequences::of_seeds(7, 0);
        all.turns(5000, |draw| draw.word());
        assert_eq!(all.turns(20, |draw| draw.word()), words(Subsequences::of_seeds(7, 5000), 20));
        let mut all = Subsequences::of_mrg32k3a(7, 0, true);
        all.turns(5000, |draw| draw.word());
        assert_eq!(all.turns(20, |draw| draw.word()), words(Subsequences::of_mrg32k3a(7, 5000, true), 20));
    }

    #[test]
    fn orders_share_their_first_subsequence() {
        let first = words(Subsequences::of_xorwow(9, 0), 2);
        let seeded = words(Subsequences::of_seeds(9, 0), 2);
        assert!(first[0] == seeded[0] && first[1] != seeded[1]);
    }
}
