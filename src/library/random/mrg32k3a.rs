//! MRG32k3a (P. L'Ecuyer, "Good parameters and implementations for combined multiple recursive random number generators", Operations
//! Research 47, 1999): two recurrences of order 3, with the seeding of NVIDIA's library.
//!
//! Not here: the order of subsequences (`subsequences`), device code (`compile`).

use super::draw::Draw;

/// The moduli of the two recurrences.
const MODULI: [u64; 2] = [4_294_967_087, 4_294_944_443];
/// What a number of the first recurrence is made of: the second last times the one, less the third last times the other.
const FIRST: [u64; 2] = [1_403_580, 810_728];
/// The same of the second: the last and the third last.
const SECOND: [u64; 2] = [527_612, 1_370_589];
/// What makes a number of 32 bits of one below the first modulus.
const TO_WORD: f64 = 1.000_000_048_662;
/// What makes a real of it.
const TO_REAL: f64 = 2.328_306_549_837_829e-10;

/// The last three numbers of both recurrences.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Mrg32k3a {
    last: [[u64; 3]; 2],
}

type Matrix = [[u64; 3]; 3];

/// Steps of the recurrences as matrices.
pub(super) struct Powers([Matrix; 2]);

fn product(a: &Matrix, b: &Matrix, modulus: u64) -> Matrix {
    let element = |i: usize, j: usize| (0..3).fold(0, |sum, k| (sum + a[i][k] * b[k][j] % modulus) % modulus);
    std::array::from_fn(|i| std::array::from_fn(|j| element(i, j)))
}

impl Powers {
    /// `count` times 2 to the power `scale` steps.
    pub(super) fn of(count: u64, scale: u32) -> Powers {
        let first = [[0, 1, 0], [0, 0, 1], [MODULI[0] - FIRST[1], FIRST[0], 0]];
        let second = [[0, 1, 0], [0, 0, 1], [MODULI[1] - SECOND[1], 0, SECOND[0]]];
        let power = |step: Matrix, modulus: u64| {
            let mut power = (0..scale).fold(step, |power, _| product(&power, &power, modulus));
            let mut out = [[1, 0, 0], [0, 1, 0], [0, 0, 1]];
            let mut rest = count;
            while rest > 0 {
                if rest & 1 == 1 {
                    out = product(&out, &power, modulus);
                }
                power = product(&power, &power, modulus);
                rest >>= 1;
            }
            out
        };
        Powers([power(first, MODULI[0]), power(second, MODULI[1])])
    }
}

impl Mrg32k3a {
    /// The beginning of the sequence of a seed.
    pub(super) fn new(seed: u64) -> Mrg32k3a {
        const START: u64 = 12_345;
        if seed == 0 {
            return Mrg32k3a { last: [[START; 3]; 2] };
        }
        let low = u64::from(seed as u32 ^ 0x5555_5555);
        let high = u64::from((seed >> 32) as u32 ^ 0xaaaa_aaaa);
        let of = |factors: [u64; 3], modulus: u64| factors.map(|factor| factor * START % modulus);
        Mrg32k3a { last: [of([low, high, low], MODULI[0]), of([high, low, high], MODULI[1])] }
    }

    /// Leaves out steps.
    pub(super) fn skip(&mut self, steps: &Powers) {
        for ((last, matrix), modulus) in self.last.iter_mut().zip(&steps.0).zip(MODULI) {
            let row = |row: &[u64; 3]| row.iter().zip(&*last).fold(0, |sum, (a, x)| (sum + a * x % modulus) % modulus);
            *last = [row(&matrix[0]), row(&matrix[1]), row(&matrix[2])];
        }
    }

    /// The next number, from 1 to the first modulus.
    fn step(&mut self) -> u64 {
        let [[a, b, c], [d, e, f]] = self.last;
        let p = (FIRST[0] * b + (MODULI[0] - a) * FIRST[1]) % MODULI[0];
        let q = (SECOND[0] * f + (MODULI[1] - d) * SECOND[1]) % MODULI[1];
        self.last = [[b, c, p], [e, f, q]];
        if p > q { p - q } else { p + MODULI[0] - q }
    }
}

impl Draw for Mrg32k3a {
    fn word(&mut self) -> u32 {
        (self.step() as f64 * TO_WORD) as u64 as u32
    }

    fn uniform4(&mut self) -> f32 {
        self.uniform8() as f32
    }

    fn uniform8(&mut self) -> f64 {
        self.step() as f64 * TO_REAL
    }
}
