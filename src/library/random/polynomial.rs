//! Steps of MT19937 as polynomials: the place after `n` words is what `t^n` modulo the characteristic polynomial says (H. Haramoto and
//! others, "Efficient jump ahead for F2-linear random number generators", 2008).
//!
//! Not here: words and their recurrence (`mt19937`).

use super::mt19937::{MATRIX, MIDDLE, SIZE};

/// The degree of the characteristic polynomial.
pub(super) const DEGREE: usize = 19_937;
/// Words of 64 coefficients.
const WORDS: usize = DEGREE.div_ceil(64);

/// The coefficients of a polynomial over the field of two elements, the lowest first.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Polynomial(Vec<u64>);

impl Polynomial {
    /// `t`, a step of one word.
    pub(super) fn step() -> Polynomial {
        let mut words = vec![0; WORDS];
        words[0] = 2;
        Polynomial(words)
    }

    /// Whether the coefficient of a power is 1.
    pub(super) fn has(&self, power: usize) -> bool {
        self.0.get(power / 64).is_some_and(|word| word >> (power % 64) & 1 == 1)
    }

    /// The square modulo the characteristic polynomial: twice as many steps.
    pub(super) fn square(&self, characteristic: &[usize]) -> Polynomial {
        let mut words: Vec<u64> =
            self.0.iter().flat_map(|&word| [spread(word as u32), spread((word >> 32) as u32)]).collect();
        for at in (WORDS - 1..words.len()).rev() {
            // The other powers are so much lower that their words come later.
            let kept = if at == WORDS - 1 { u64::MAX >> (64 * WORDS - DEGREE) } else { 0 };
            let high = words[at] & !kept;
            words[at] &= kept;
            for &power in characteristic {
                add(&mut words, high, (64 * at + power) as isize - DEGREE as isize);
            }
        }
        words.truncate(WORDS);
        Polynomial(words)
    }
}

/// Adds 64 coefficients, the first of them that of a power; those of negative powers are 0.
fn add(words: &mut [u64], coefficients: u64, power: isize) {
    let Ok(power) = usize::try_from(power) else {
        words[0] ^= coefficients >> power.unsigned_abs();
        return;
    };
    let (at, shift) = (power / 64, power % 64);
    words[at] ^= coefficients << shift;
    if shift > 0 {
        words[at + 1] ^= coefficients >> (64 - shift);
    }
}

/// Bits with a 0 between each two.
fn spread(bits: u32) -> u64 {
    let apart = |x: u64, shift: u32, mask: u64| (x | x << shift) & mask;
    let x = apart(u64::from(bits), 16, 0x0000_ffff_0000_ffff);
    let x = apart(x, 8, 0x00ff_00ff_00ff_00ff);
    let x = apart(x, 4, 0x0f0f_0f0f_0f0f_0f0f);
    let x = apart(x, 2, 0x3333_3333_3333_3333);
    apart(x, 1, 0x5555_5555_5555_5555)
}

/// The powers of the characteristic polynomial below its degree (M. Matsumoto and T. Nishimura, "Mersenne Twister", 1998, appendix A).
pub(super) fn characteristic() -> Vec<usize> {
    let coefficient = |i: u32| u64::from(MATRIX >> i & 1);
    // Multiplied by t^high + t^low, and a constant is added.
    let next = |of: &[u64], (high, low): (usize, usize), constant: u64| {
        let mut out = vec![0; WORDS + 1];
        for (at, &word) in of.iter().enumerate().filter(|(_, word)| **word != 0) {
            add(&mut out, word, (64 * at + high) as isize);
            add(&mut out, word, (64 * at + low) as isize);
        }
        out[0] ^= constant;
        out
    };
    let inner = (0..31).fold(vec![1], |of, i| next(&of, (SIZE - 1, MIDDLE - 1), coefficient(i)));
    let all = Polynomial(next(&inner, (SIZE, MIDDLE), coefficient(31)));
    (0..DEGREE).filter(|&power| all.has(power)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn squares_are_reduced() {
        let characteristic = characteristic();
        // t^(2^k) is a power by itself as long as 2^k is less than the degree.
        let mut power = Polynomial::step();
        for k in 1..15 {
            power = power.square(&characteristic);
            assert!(power.has(1 << k) && !power.has((1 << k) - 1));
            assert_eq!(power.0.iter().map(|word| word.count_ones()).sum::<u32>(), 1);
        }
        // The paper tells that there are 135 powers, with that of the degree.
        assert_eq!(characteristic.len() + 1, 135);
    }
}
