//! The generator behind `RANDOM_NUMBER`: xoshiro256** 1.0 by Blackman and Vigna ("Scrambled linear pseudorandom number
//! generators", ACM TOMS 47, 2021), seeded through `SplitMix64` as its authors advise.
//!
//! The state is part of the program's state, so that equal runs draw equal numbers. There is no seed from outside: a program
//! that calls `RANDOM_SEED` without arguments begins anew with the first seed, as nvfortran's does by default.

use scalar::random::{GOLDEN_GAMMA, mix, split_mix, unmix};

/// The seed of a program that sets none.
pub(crate) const DEFAULT_SEED: u64 = 0x2545_f491_4f6c_dd1d;
/// Bytes of what `RANDOM_SEED` puts and gets.
pub(crate) const SEED_BYTES: u64 = 32;

/// A generator.
#[derive(Clone, Debug)]
pub(crate) struct Random {
    state: [u64; 4],
}

impl Random {
    /// A generator of that seed.
    pub(crate) fn new(seed: u64) -> Random {
        let mut x = seed;
        let mut next = || split_mix(&mut x);
        Random { state: [next(), next(), next(), next()] }
    }

    /// The generator whose [`Random::seed`] this is. The words are mixed: programs put few and small numbers.
    pub(crate) fn from_seed(seed: &[u8]) -> Random {
        let mut state = [0; 4];
        for (i, (word, bytes)) in state.iter_mut().zip(seed.chunks_exact(8)).enumerate() {
            let own = bytes.iter().rfold(0, |word, &byte| word << 8 | u64::from(byte));
            *word = mix(own.wrapping_add(offset_of(i)));
        }
        // A generator with the state 0 stays there.
        if state == [0; 4] { Random::new(DEFAULT_SEED) } else { Random { state } }
    }

    /// What makes this generator again.
    pub(crate) fn seed(&self) -> Vec<u8> {
        let words = self.state.iter().enumerate();
        words.flat_map(|(i, &word)| unmix(word).wrapping_sub(offset_of(i)).to_le_bytes()).collect()
    }

    fn next(&mut self) -> u64 {
        let s = &mut self.state;
        let result = s[1].wrapping_mul(5).rotate_left(7).wrapping_mul(9);
        let t = s[1] << 17;
        s[2] ^= s[0];
        s[3] ^= s[1];
        s[1] ^= s[2];
        s[0] ^= s[3];
        s[2] ^= t;
        s[3] = s[3].rotate_left(45);
        result
    }

    /// The next value in [0,1), a multiple of 2⁻⁵³ whose conversion to real(4) is below 1 as well.
    pub(crate) fn uniform(&mut self) -> f64 {
        loop {
            let value = (self.next() >> 11) as f64 * (1.0 / (1u64 << 53) as f64);
            if (value as f32) < 1.0 {
                return value;
            }
        }
    }
}

/// What tells the words of a state apart.
fn offset_of(word: usize) -> u64 {
    GOLDEN_GAMMA.wrapping_mul(word as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_generator_goes_on_from_its_seed() {
        let mut a = Random::new(7);
        a.uniform();
        let mut b = Random::from_seed(&a.seed());
        assert_eq!(a.seed(), b.seed());
        assert_eq!(a.uniform(), b.uniform());
        let small = [1, 2, 3, 4].map(|word: u64| word.to_le_bytes()).concat();
        assert_eq!(Random::from_seed(&small).seed(), small);
    }

    #[test]
    fn values_lie_in_the_unit_interval_and_repeat_with_the_seed() {
        let (mut a, mut b) = (Random::new(7), Random::new(7));
        let mut sum = 0.0;
        for _ in 0..10_000 {
            let x = a.uniform();
            assert_eq!(x, b.uniform());
            assert!((0.0..1.0).contains(&x));
            sum += x;
        }
        assert!((sum / 10_000.0 - 0.5).abs() < 0.02);
    }
}
