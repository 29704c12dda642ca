//! Philox4x32-10 (J. Salmon and others, "Parallel random numbers: as easy as 1, 2, 3", 2011): blocks of four words by counters.
//!
//! There are 65536 subsequences, which give four numbers in turn (of 8 bytes: by two blocks one after the other).

use super::draw::Draw;

const MULTIPLIERS: [u32; 2] = [0xd251_1f53, 0xcd9e_8d57];
const WEYL: [u32; 2] = [0x9e37_79b9, 0xbb67_ae85];
const ROUNDS: usize = 10;
const SUBSEQUENCES: u64 = 65_536;

/// The block of a counter and a subsequence.
fn block(seed: u64, counter: u64, subsequence: u64) -> [u32; 4] {
    let halves = |x: u64| [x as u32, (x >> 32) as u32];
    let ([a, b], [c, d], mut key) = (halves(counter), halves(subsequence), halves(seed));
    let mut words = [a, b, c, d];
    for _ in 0..ROUNDS {
        let [low, high] = halves(u64::from(MULTIPLIERS[0]) * u64::from(words[0]));
        let [low2, high2] = halves(u64::from(MULTIPLIERS[1]) * u64::from(words[2]));
        words = [high2 ^ words[1] ^ key[0], low2, high ^ words[3] ^ key[1], low];
        key = [key[0].wrapping_add(WEYL[0]), key[1].wrapping_add(WEYL[1])];
    }
    words
}

/// Words of a block from some place on.
pub(super) struct Words {
    words: [u32; 4],
    next: usize,
}

impl Words {
    /// Those of the number at place `n`, where numbers have one word or two.
    pub(super) fn at(seed: u64, n: u64, words: u64) -> Words {
        let (turn, place) = (n / 4, n % 4);
        let counter = words * (turn / SUBSEQUENCES) + place * words / 4;
        Words { words: block(seed, counter, turn % SUBSEQUENCES), next: (place * words % 4) as usize }
    }
}

impl Draw for Words {
    fn word(&mut self) -> u32 {
        let word = self.words[self.next % 4];
        self.next += 1;
        word
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_those_of_the_paper() {
        // Random123, "kat_vectors": philox4x32 10.
        assert_eq!(block(0, 0, 0), [0x6627_e8d5, 0xe169_c58d, 0xbc57_ac4c, 0x9b00_dbd8]);
        assert_eq!(block(u64::MAX, u64::MAX, u64::MAX), [0x408f_276d, 0x41c8_3b0e, 0xa20b_c7c6, 0x6d54_51fd]);
    }

    #[test]
    fn numbers_of_two_words_are_those_of_two_blocks() {
        let words = |n| {
            let mut at = Words::at(5, n, 2);
            [at.word(), at.word()]
        };
        let (first, second) = (block(5, 0, 0), block(5, 1, 0));
        assert_eq!([words(0), words(1)].concat(), first);
        assert_eq!([words(2), words(3)].concat(), second);
        assert_eq!(words(4 * SUBSEQUENCES)[..], block(5, 2, 0)[..2]);
    }
}
