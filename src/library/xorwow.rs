//! The numbers of XORWOW in the order of NVIDIA's host library.
//!
//! There are 4096 subsequences, 2^67 numbers apart. The number at place n is from subsequence n mod 4096 (cuRAND Library,
//! "Generator Options", `CURAND_ORDERING_PSEUDO_LEGACY`, of which the default order is another name).

use scalar::xorwow::{Jump, Xorwow};
use std::sync::{Arc, OnceLock};

/// How many subsequences there are.
pub(crate) const SUBSEQUENCES: usize = 4096;
/// Binary logarithm of the distance between two subsequences.
const DISTANCE: u32 = 67;

/// All subsequences of a seed at some place; clones share them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Subsequences {
    states: Arc<Vec<Xorwow>>,
    /// The subsequence whose turn it is.
    next: usize,
}

impl Subsequences {
    /// From the number at `offset` on.
    pub(crate) fn new(seed: u64, offset: u64) -> Subsequences {
        static TO_NEXT: OnceLock<Jump> = OnceLock::new();
        let to_next = *TO_NEXT.get_or_init(|| Jump::new(1, DISTANCE));
        let mut first = Xorwow::new(seed);
        let (rounds, next) = (offset / SUBSEQUENCES as u64, (offset % SUBSEQUENCES as u64) as usize);
        let skip = Jump::new(rounds, 0);
        let mut states = Vec::with_capacity(SUBSEQUENCES);
        for i in 0..SUBSEQUENCES {
            let mut state = first;
            state.skip(skip, rounds as u32);
            if i < next {
                state.next_number();
            }
            states.push(state);
            // The distance is a multiple of 2^32, so that the counter is the same.
            first.skip(to_next, 0);
        }
        Subsequences { states: Arc::new(states), next }
    }

    /// Gives the subsequences their turns, `count` of them.
    pub(crate) fn turns(&mut self, count: usize, mut take: impl FnMut(&mut Xorwow)) {
        let states = Arc::make_mut(&mut self.states);
        for _ in 0..count {
            take(&mut states[self.next]);
            self.next = (self.next + 1) % SUBSEQUENCES;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_those_that_nvidia_documents() {
        // cuRAND Library, "Host API Example": ten uniform numbers with seed 1234.
        let mut subsequences = Subsequences::new(1234, 0);
        let mut text = Vec::new();
        subsequences
            .turns(10, |state| text.push(format!("{:.4}", (f64::from(state.next_number()) + 0.5) / 4_294_967_296.0)));
        let known = "0.1455 0.8202 0.5504 0.2948 0.9147 0.8690 0.3219 0.7829 0.0113 0.2855";
        assert_eq!(text.join(" "), known);
    }

    #[test]
    fn an_offset_skips_numbers() {
        let all = |offset, count| {
            let mut out = Vec::new();
            Subsequences::new(7, offset).turns(count, |state| out.push(state.next_number()));
            out
        };
        let numbers = all(0, 3 * SUBSEQUENCES);
        assert_eq!(all(5, 10), numbers[5..15]);
        assert_eq!(all(2 * SUBSEQUENCES as u64 + 9, 10), numbers[2 * SUBSEQUENCES + 9..][..10]);
    }
}
