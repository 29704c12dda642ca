//! Sobol' sequences of 32 and 64 bits, in the order of Gray codes: one dimension after the other.
//!
//! Scrambled sequences are those of NVIDIA's library alone, whose tables of scrambled directions follow from nothing else.

use super::directions::NUMBERS;
use super::shape::Shape;

/// How many dimensions there are.
pub(crate) const DIMENSIONS: usize = NUMBERS.len() + 1;

/// A sequence at some place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Sobol {
    /// Bits of a number.
    bits: u32,
    pub(crate) dimensions: usize,
    /// The next point.
    at: u64,
}

/// The directions of a dimension, from 0.
fn directions(dimension: usize, bits: u32) -> Vec<u64> {
    let bits = bits as usize;
    let Some((polynomial, first)) = dimension.checked_sub(1).and_then(|at| NUMBERS.get(at)) else {
        return (0..bits).map(|i| 1 << (bits - 1 - i)).collect();
    };
    let degree = first.len();
    let mut out: Vec<u64> = first.iter().enumerate().map(|(i, m)| m << (bits - 1 - i)).collect();
    for i in degree..bits {
        let start = out[i - degree] ^ out[i - degree] >> degree;
        let terms = (1..degree).filter(|k| polynomial >> (degree - k) & 1 == 1).map(|k| out[i - k]);
        out.push(terms.fold(start, |sum, term| sum ^ term));
    }
    out
}

impl Sobol {
    pub(crate) fn new(bits: u32, dimensions: usize, offset: u64) -> Sobol {
        Sobol { bits, dimensions, at: offset }
    }

    /// The next `count` numbers, in all dimensions together.
    pub(crate) fn numbers(&mut self, count: usize) -> Vec<u64> {
        let each = count / self.dimensions;
        let mut out = Vec::with_capacity(count);
        for dimension in 0..self.dimensions {
            let directions = directions(dimension, self.bits);
            let code = self.at ^ self.at >> 1;
            let of_code = directions.iter().enumerate().filter(|(i, _)| code >> i & 1 == 1);
            let mut number = of_code.fold(0, |sum, (_, direction)| sum ^ direction);
            for at in self.at..self.at + each as u64 {
                out.push(number);
                number ^= directions.get(at.trailing_ones() as usize).copied().unwrap_or(0);
            }
        }
        self.at += each as u64;
        out
    }
}

impl Shape for Sobol {
    fn bits(&self) -> u32 {
        self.bits
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_fill_the_square_evenly() {
        let mut sobol = Sobol::new(32, 2, 0);
        let numbers = sobol.numbers(32);
        let (x, y) = numbers.split_at(16);
        // Each of 16 boxes of any shape of one sixteenth has one point.
        for split in 0..=4 {
            let mut boxes: Vec<u64> =
                x.iter().zip(y).map(|(x, y)| x >> (32 - split) << (4 - split) | y >> (28 + split)).collect();
            boxes.sort_unstable();
            assert_eq!(boxes, (0..16).collect::<Vec<u64>>(), "{split}");
        }
        // A second call goes on, and an offset enters there.
        assert_eq!(sobol.numbers(8), Sobol::new(32, 2, 16).numbers(8));
    }
}
