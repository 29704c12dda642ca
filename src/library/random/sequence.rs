//! What a generator is at, and the numbers that come next.
//!
//! Not here: arguments and arrays (`curand`).

use super::draw::{Draw, pair4_of_reals, pair4_of_words, pair8};
use super::mrg32k3a::Mrg32k3a;
use super::mt19937::Mt19937;
use super::mtgp32::Mtgp32;
use super::philox;
use super::poisson::Poisson;
use super::shape::Shape;
use super::sobol::Sobol;
use super::subsequences::Subsequences;
use scalar::xorwow::Xorwow;

/// A sequence at some place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Sequence {
    Xorwow(Subsequences<Xorwow>),
    Mrg32k3a(Subsequences<Mrg32k3a>),
    Philox {
        seed: u64,
        /// The place, in words.
        at: u64,
    },
    Mt19937(Mt19937),
    Mtgp32(Mtgp32),
    Sobol(Sobol),
}

impl Sequence {
    /// The next `count` elements, `N` by each turn, of so many words for one, or made of one
    /// number each.
    fn turns<T: Copy, const N: usize>(
        &mut self,
        count: usize,
        words: u64,
        take: impl Fn(&mut dyn Draw) -> [T; N],
        of_number: impl Fn(&dyn Shape, u64) -> T,
    ) -> Vec<T> {
        let turns = count / N;
        match self {
            Sequence::Xorwow(of) => of.turns(turns, take).concat(),
            Sequence::Mrg32k3a(of) => of.turns(turns, take).concat(),
            Sequence::Philox { seed, at } => {
                let first = *at / words;
                *at += count as u64 * words;
                let places = (0..turns as u64).map(|turn| first + turn * N as u64);
                places.flat_map(|place| take(&mut philox::Words::at(*seed, place, words))).collect()
            }
            Sequence::Mt19937(of) => of.numbers(count).into_iter().map(|number| of_number(of, number)).collect(),
            Sequence::Mtgp32(of) => of.numbers(count).into_iter().map(|number| of_number(of, number)).collect(),
            Sequence::Sobol(of) => of.numbers(count).into_iter().map(|number| of_number(of, number)).collect(),
        }
    }

    pub(crate) fn words(&mut self, count: usize) -> Vec<u32> {
        self.turns(count, 1, |draw| [draw.word()], |of, number| of.word(number))
    }

    /// Numbers of 64 bits, which quasi-random generators of that size have.
    pub(crate) fn longs(&mut self, count: usize) -> Vec<u64> {
        match self {
            Sequence::Sobol(sobol) => sobol.numbers(count),
            _ => Vec::new(),
        }
    }

    pub(crate) fn uniform4(&mut self, count: usize) -> Vec<f32> {
        self.turns(count, 1, |draw| [draw.uniform4()], |of, number| of.uniform4(number))
    }

    pub(crate) fn uniform8(&mut self, count: usize) -> Vec<f64> {
        self.turns(count, 2, |draw| [draw.uniform8()], |of, number| of.uniform8(number))
    }

    pub(crate) fn normal4(&mut self, count: usize) -> Vec<f32> {
        let pair = if matches!(self, Sequence::Mrg32k3a(_)) { pair4_of_reals } else { pair4_of_words };
        self.turns(count, 1, pair, |of, number| of.normal4(number))
    }

    pub(crate) fn normal8(&mut self, count: usize) -> Vec<f64> {
        self.turns(count, 2, pair8, |of, number| of.normal8(number))
    }

    pub(crate) fn poisson(&mut self, count: usize, of: &Poisson) -> Vec<u32> {
        const HALF: f64 = 0.5 / 4_294_967_296.0;
        let probability = |word: u32| f64::from(word) / 4_294_967_296.0 + HALF;
        self.turns(count, 1, |draw| [of.of(probability(draw.word()))], |by, number| of.of(by.uniform8(number)))
    }
}
