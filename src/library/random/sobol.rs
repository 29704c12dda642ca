//! Sobol' sequences of 32 and 64 bits, in the order of Gray codes: one dimension after the other.
//!
//! Scrambled sequences have the directions and constants of NVIDIA's library (`curandGetDirectionVectors64`,
//! `curandGetScrambleConstants64`), as numbers that follow from nothing else. Those of 32 bits are the upper halves of those of 64.

use super::directions::NUMBERS;
use super::shape::Shape;

/// How many dimensions there are.
pub(crate) const DIMENSIONS: usize = NUMBERS.len() + 1;

/// Scrambled directions: for each dimension its constant and 64 directions, numbers of 8 bytes with the lowest byte first.
static SCRAMBLED: &[u8] = include_bytes!("scrambled_directions.bin");
/// Numbers of a dimension there.
const SCRAMBLED_NUMBERS: usize = 65;

/// A sequence at some place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Sobol {
    is_scrambled: bool,
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

/// The first number of a scrambled dimension, and its directions.
fn scrambled(dimension: usize, bits: u32) -> (u64, Vec<u64>) {
    let (numbers, _) = SCRAMBLED.as_chunks::<8>();
    let of = &numbers[dimension * SCRAMBLED_NUMBERS..][..=bits as usize];
    let mut of = of.iter().map(|number| u64::from_le_bytes(*number) >> (u64::BITS - bits));
    (of.next().unwrap_or(0), of.collect())
}

impl Sobol {
    pub(crate) fn new(bits: u32, dimensions: usize, offset: u64, is_scrambled: bool) -> Sobol {
        Sobol { is_scrambled, bits, dimensions, at: offset }
    }

    /// The next `count` numbers, in all dimensions together.
    pub(crate) fn numbers(&mut self, count: usize) -> Vec<u64> {
        let each = count / self.dimensions;
        let mut out = Vec::with_capacity(count);
        for dimension in 0..self.dimensions {
            let (first, directions) =
                if self.is_scrambled { scrambled(dimension, self.bits) } else { (0, directions(dimension, self.bits)) };
            let code = self.at ^ self.at >> 1;
            let of_code = directions.iter().enumerate().filter(|(i, _)| code >> i & 1 == 1);
            let mut number = of_code.fold(first, |sum, (_, direction)| sum ^ direction);
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
        let mut sobol = Sobol::new(32, 2, 0, false);
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
        assert_eq!(sobol.numbers(8), Sobol::new(32, 2, 16, false).numbers(8));
    }

    #[test]
    fn scrambled_numbers_are_those_of_a_gpu() {
        // cuRAND 10.4 on an H200, 30 points of 100 dimensions.
        const AT: [usize; 5] = [0, 1, 29, 30, 2999];
        let numbers = Sobol::new(32, 100, 0, true).numbers(3000);
        assert_eq!(AT.map(|at| numbers[at]), [0xe208_66fe, 0x0c04_e445, 0x5f15_a31a, 0xe63d_901f, 0x7548_77f8]);
        let numbers = Sobol::new(64, 100, 0, true).numbers(3000);
        let wanted = [
            0xe208_66fe_27be_c92a,
            0x0c04_e445_976c_ff16,
            0x5f15_a31a_d158_9ae0,
            0xe63d_901f_849e_81db,
            0x7548_77f8_0571_9baa,
        ];
        assert_eq!(AT.map(|at| numbers[at]), wanted);
        // An offset leaves out points.
        assert_eq!(Sobol::new(32, 1, 5, true).numbers(1), [numbers[5] >> 32]);
    }

    #[test]
    fn there_are_scrambled_directions_for_each_dimension() {
        assert_eq!(SCRAMBLED.len(), DIMENSIONS * SCRAMBLED_NUMBERS * 8);
    }
}
