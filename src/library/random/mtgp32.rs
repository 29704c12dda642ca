//! MTGP32 (M. Saito and M. Matsumoto, "Variants of Mersenne Twister suitable for graphic processors", 2013) in the order of NVIDIA's
//! library.
//!
//! There are 192 generators, each with parameters of its own, in the order of before 64. Each gives 256 numbers in turn. The number of
//! generators was seen in what the library gives.
//!
//! Not here: the parameters (`mtgp32_parameters`).

use super::mtgp32_parameters::{Parameters, SETS};
use super::shape::Shape;
use std::sync::Arc;

/// Words of a state.
const SIZE: usize = 351;
/// Those bits of the first word that count.
const MASK: u32 = 0xfff8_0000;
/// Generators in the order of before.
const LEGACY: usize = 64;
/// Numbers that a generator gives in turn.
const RUN: u64 = 256;

/// One generator.
#[derive(Clone, PartialEq, Eq, Debug)]
struct State {
    words: Vec<u32>,
    /// How many numbers it has given.
    given: u64,
}

/// The sum of those rows whose bit is set in the last four bits of a word.
fn product(rows: &[u32; 4], word: u32) -> u32 {
    rows.iter().enumerate().filter(|(bit, _)| word >> bit & 1 == 1).fold(0, |sum, (_, row)| sum ^ row)
}

impl State {
    fn new((_, matrix, _): &Parameters, seed: u32) -> State {
        let hidden = product(matrix, 4) ^ product(matrix, 8) << 16;
        let mixed = hidden.wrapping_add(hidden >> 16);
        let byte = mixed.wrapping_add(mixed >> 8) & 0xff;
        let mut words = vec![byte * 0x0101_0101; SIZE];
        (words[0], words[1]) = (seed, hidden);
        for i in 1..SIZE {
            let last = words[i - 1];
            words[i] ^= (last ^ last >> 30).wrapping_mul(1_812_433_253).wrapping_add(i as u32);
        }
        State { words, given: 0 }
    }

    /// The next number.
    fn number(&mut self, ([middle, left, right], matrix, tempering): &Parameters) -> u32 {
        let first = self.given as usize % SIZE;
        let at = |place: usize| self.words[(first + place) % SIZE];
        let x = at(0) & MASK ^ at(1);
        let x = x ^ x << left;
        let y = x ^ at(*middle) >> right;
        let word = y ^ product(matrix, y);
        let t = at(middle - 1);
        let t = t ^ t >> 16;
        let t = t ^ t >> 8;
        self.words[first] = word;
        self.given += 1;
        word ^ product(tempering, t)
    }
}

/// The sequence at some place; clones share the generators.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Mtgp32 {
    states: Arc<Vec<State>>,
    /// The next number.
    at: u64,
}

impl Mtgp32 {
    pub(crate) fn new(seed: u64, is_legacy: bool) -> Mtgp32 {
        let seed = (seed ^ seed >> 32) as u32;
        let sets = if is_legacy { &SETS[..LEGACY] } else { &SETS };
        let state = |(set, n)| State::new(set, seed.wrapping_add(n));
        Mtgp32 { states: Arc::new(sets.iter().zip(1..).map(state).collect()), at: 0 }
    }

    /// The next `count` numbers.
    pub(super) fn numbers(&mut self, count: usize) -> Vec<u64> {
        let states = Arc::make_mut(&mut self.states);
        let end = self.at + count as u64;
        let number = |at: u64| {
            let of = (at / RUN) as usize % states.len();
            u64::from(states[of].number(&SETS[of]))
        };
        let numbers = (self.at..end).map(number).collect();
        self.at = end;
        numbers
    }
}

impl Shape for Mtgp32 {
    fn bits(&self) -> u32 {
        u32::BITS
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_those_of_a_gpu() {
        // cuRAND 10.4 on an H200, seed 1234.
        const AT: [usize; 7] = [0, 1, 255, 256, 49_151, 49_152, 398_999];
        let numbers = Mtgp32::new(1234, false).numbers(399_000);
        assert_eq!(
            AT.map(|at| numbers[at]),
            [0x9513_0d0d, 0x76af_12e1, 0x2979_68c5, 0xb3ec_7da8, 0xc230_723e, 0x303a_95c2, 0x970c_0d3b]
        );
        let legacy = Mtgp32::new(1234, true).numbers(39_000);
        assert_eq!([0, 256, 16_384, 38_999].map(|at| legacy[at]), [0x9513_0d0d, 0xb3ec_7da8, 0x303a_95c2, 0xfc2a_7d37]);
        // Both halves of a seed count.
        let large = Mtgp32::new(0x1234_5678_90ab_cdef, false).numbers(39_000);
        assert_eq!([0, 1, 38_999].map(|at| large[at]), [0xf60f_c617, 0x5909_7f00, 0x7cb4_7050]);
    }

    #[test]
    fn a_second_call_goes_on() {
        let all = Mtgp32::new(3, false).numbers(600);
        let mut again = Mtgp32::new(3, false);
        assert_eq!([again.numbers(13), again.numbers(300), again.numbers(287)].concat(), all);
    }
}
