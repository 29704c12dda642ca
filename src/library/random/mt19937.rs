//! MT19937 (M. Matsumoto and T. Nishimura, "Mersenne Twister: a 623-dimensionally equidistributed uniform pseudo-random number
//! generator", 1998) in the order of NVIDIA's library.
//!
//! There are 8192 subsequences, 2^2048 words apart, which give 8 numbers in turn. Of each 624 words of a subsequence they give those
//! first with which eight lanes begin that make new words together, and then seven words of each lane in turn, from each stretch of 56.
//! NVIDIA documents the generator and that its order is not the usual one; the order was seen in what its library gives.
//!
//! Not here: what polynomials are for (`polynomial`).

use super::polynomial::{DEGREE, Polynomial, characteristic};
use super::shape::{Shape, in_middle};
use rayon::prelude::*;
use std::sync::{Arc, OnceLock};

/// Words of a state.
pub(super) const SIZE: usize = 624;
/// Which word of the state goes into a new one, beside the first two.
pub(super) const MIDDLE: usize = 397;
/// The last row of the matrix of the recurrence.
pub(super) const MATRIX: u32 = 0x9908_b0df;

/// The binary logarithm of the number of subsequences, and of the distance between two.
const SUBSEQUENCES: u32 = 13;
const DISTANCE: u32 = 2048;
/// Numbers that a subsequence gives in turn.
const LANES: usize = 8;
/// Numbers of all subsequences in turn.
const ROUND: u64 = (LANES as u64) << SUBSEQUENCES;
/// Rounds in which each subsequence gives the words of a state.
const ROUNDS: u64 = (SIZE / LANES) as u64;
/// The words that come first: those with which the lanes begin.
const FIRST: [usize; LANES] = [0, 113, 170, 283, 340, 397, 510, 567];
/// Words next to each other that a lane makes.
const RUN: usize = 7;
/// Coefficients of a polynomial that are taken together.
const DIGIT: usize = 4;

/// A subsequence: the words of its state, and how many times all of them were made anew.
#[derive(Clone, PartialEq, Eq, Debug)]
struct State {
    words: Vec<u32>,
    turns: u64,
}

/// The word that follows others: the first two, and one in the middle.
fn following(first: u32, second: u32, middle: u32) -> u32 {
    let joined = first & 0x8000_0000 | second & 0x7fff_ffff;
    middle ^ joined >> 1 ^ if joined & 1 == 1 { MATRIX } else { 0 }
}

impl State {
    /// That of a seed, of which the lower half counts.
    fn new(seed: u64) -> State {
        let mut words = vec![seed as u32];
        for i in 1..SIZE as u32 {
            let last = words[i as usize - 1];
            words.push((last ^ last >> 30).wrapping_mul(1_812_433_253).wrapping_add(i));
        }
        State { words, turns: 0 }
    }

    /// Makes all words anew until that was done so many times.
    fn turn(&mut self, turns: u64) {
        while self.turns < turns {
            for i in 0..SIZE {
                let at = |n: usize| self.words[(i + n) % SIZE];
                self.words[i] = following(at(0), at(1), at(MIDDLE));
            }
            self.turns += 1;
        }
    }

    /// A word as it is given.
    fn number(&self, at: usize) -> u32 {
        let x = self.words[at];
        let x = x ^ x >> 11;
        let x = x ^ x << 7 & 0x9d2c_5680;
        let x = x ^ x << 15 & 0xefc6_0000;
        x ^ x >> 18
    }
}

/// A number of steps: where groups of coefficients of its polynomial are, by the coefficients.
struct Jump([Vec<usize>; 1 << DIGIT]);

impl Jump {
    fn new(polynomial: &Polynomial) -> Jump {
        let mut places: [Vec<usize>; 1 << DIGIT] = Default::default();
        for at in (0..DEGREE).step_by(DIGIT) {
            let digit: usize = (0..DIGIT).map(|i| usize::from(polynomial.has(at + i)) << i).sum();
            places[digit].push(at);
        }
        Jump(places)
    }

    /// By one subsequence, by two, by four and so on.
    fn all() -> &'static [Jump] {
        static ALL: OnceLock<Vec<Jump>> = OnceLock::new();
        ALL.get_or_init(|| {
            let characteristic = characteristic();
            let square = |of: &Polynomial| Some(of.square(&characteristic));
            let powers = std::iter::successors(Some(Polynomial::step()), square);
            powers.skip(DISTANCE as usize).take(SUBSEQUENCES as usize).map(|power| Jump::new(&power)).collect()
        })
    }

    /// The state after so many steps: the sum of those states between here and there that the polynomial has.
    fn of(&self, state: &State) -> State {
        let mut all = state.words.clone();
        all.reserve(DEGREE + DIGIT);
        for i in 0..DEGREE + DIGIT - 1 {
            all.push(following(all[i], all[i + 1], all[i + MIDDLE]));
        }
        let mut sums = vec![0; DEGREE + SIZE];
        let mut words = vec![0; SIZE];
        for (digit, places) in self.0.iter().enumerate().skip(1) {
            sums.fill(0);
            for i in (0..DIGIT).filter(|i| digit >> i & 1 == 1) {
                sums.iter_mut().zip(&all[i..]).for_each(|(sum, word)| *sum ^= word);
            }
            for &at in places {
                words.iter_mut().zip(&sums[at..at + SIZE]).for_each(|(word, sum)| *word ^= sum);
            }
        }
        State { words, turns: state.turns }
    }
}

/// The place of a number among the words of a state, by its round and lane.
fn place(round: usize, lane: usize) -> usize {
    let Some(round) = round.checked_sub(1) else { return FIRST[lane] };
    let (stretch, at) = (round / RUN, round % RUN);
    let rest = stretch * LANES * RUN + lane * RUN + at;
    // Those that have come first are left out.
    FIRST.iter().fold(rest, |place, &first| place + usize::from(first <= place))
}

/// The sequence at some place; clones share the subsequences.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Mt19937 {
    /// Those that were needed, from the first on.
    states: Arc<Vec<State>>,
    /// The next number.
    at: u64,
}

impl Mt19937 {
    pub(crate) fn new(seed: u64) -> Mt19937 {
        Mt19937 { states: Arc::new(vec![State::new(seed)]), at: 0 }
    }

    /// The next `count` numbers.
    pub(super) fn numbers(&mut self, count: usize) -> Vec<u64> {
        let end = self.at + count as u64;
        // The first that is not needed.
        let needed = if self.at / ROUND == end / ROUND { end % ROUND } else { ROUND };
        let states = Arc::make_mut(&mut self.states);
        grow(states, (needed as usize).div_ceil(LANES));
        let mut number = |at: u64| {
            let (round, place_in_round) = (at / ROUND, (at % ROUND) as usize);
            let state = &mut states[place_in_round / LANES];
            state.turn(round / ROUNDS + 1);
            u64::from(state.number(place((round % ROUNDS) as usize, place_in_round % LANES)))
        };
        let numbers = (self.at..end).map(&mut number).collect();
        self.at = end;
        numbers
    }
}

/// Makes subsequences until there are so many.
fn grow(states: &mut Vec<State>, needed: usize) {
    while states.len() < needed {
        let there = states.len();
        let level = there.ilog2();
        let from = there - (1 << level);
        let count = (needed - there).min((1 << level) - from);
        let jump = &Jump::all()[level as usize];
        let new: Vec<State> = states[from..from + count].par_iter().map(|state| jump.of(state)).collect();
        states.extend(new);
    }
}

impl Shape for Mt19937 {
    fn bits(&self) -> u32 {
        u32::BITS
    }

    fn uniform4(&self, number: u64) -> f32 {
        in_middle(number as u32) as f32
    }

    fn uniform8(&self, number: u64) -> f64 {
        in_middle(number as u32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_those_of_the_standard() {
        // ISO C++, [rand.predef]: the 10000th number of `mt19937` with its default seed is 4123659995.
        let mut state = State::new(5489);
        state.turn(10_000u64.div_ceil(SIZE as u64));
        assert_eq!(state.number(9_999 % SIZE), 4_123_659_995);
    }

    #[test]
    fn a_jump_goes_there() {
        // 32768 steps are 320 words after 52 whole turns, and more than the degree of the characteristic polynomial.
        let characteristic = characteristic();
        let power = (0..15).fold(Polynomial::step(), |power, _| power.square(&characteristic));
        let start = State::new(7);
        let mut there = Jump::new(&power).of(&start);
        let (mut before, mut behind) = (start.clone(), start);
        before.turn(53);
        behind.turn(54);
        there.turn(1);
        let expected: Vec<u32> = before.words[320..].iter().chain(&behind.words[..320]).copied().collect();
        assert_eq!(there.words, expected);
    }

    #[test]
    fn each_word_of_a_state_comes_once() {
        let mut places: Vec<usize> =
            (0..ROUNDS as usize).flat_map(|round| (0..LANES).map(move |lane| place(round, lane))).collect();
        assert_eq!(places[8..24], [1, 8, 15, 22, 29, 36, 43, 50, 2, 9, 16, 23, 30, 37, 44, 51]);
        places.sort_unstable();
        assert_eq!(places, (0..SIZE).collect::<Vec<_>>());
    }

    #[test]
    fn numbers_are_those_of_a_gpu() {
        // cuRAND 10.4 on an H200, seed 987654321.
        let numbers = Mt19937::new(987_654_321).numbers(801);
        assert_eq!(
            [0, 7, 8, 15, 800].map(|at| numbers[at]),
            [0x12af_5d07, 0xfa4b_588a, 0xfb75_2458, 0xdbb5_e5d5, 0x3e42_8e4d]
        );
        // The last subsequence by way of those before it, in the first round, and in the round after all words of the state.
        let mut last = Jump::all().iter().fold(State::new(987_654_321), |state, jump| jump.of(&state));
        last.turn(1);
        assert_eq!((last.number(place(0, 7)), last.number(place(77, 7))), (0xba19_cff7, 0xa8df_0e32));
        last.turn(2);
        assert_eq!((last.number(place(0, 7)), last.number(place(1, 7))), (0xba28_876d, 0x995a_292e));
    }

    #[test]
    fn a_second_call_goes_on() {
        let mut of = Mt19937::new(3);
        let all = of.numbers(100);
        let mut again = Mt19937::new(3);
        assert_eq!([again.numbers(13), again.numbers(87)].concat(), all);
    }
}
