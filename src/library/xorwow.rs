//! The generator XORWOW (Marsaglia, "Xorshift RNGs", 2003, 3.1) with the seeding and the order of NVIDIA's library.
//!
//! There are 4096 subsequences, 2^67 numbers apart. The number at place n is from subsequence n mod 4096 (cuRAND Library,
//! "Generator Options", `CURAND_ORDERING_PSEUDO_LEGACY`, of which the default order is another name).

use std::sync::{Arc, OnceLock};

/// How many subsequences there are.
pub(crate) const SUBSEQUENCES: usize = 4096;
/// Binary logarithm of the distance between two subsequences.
const DISTANCE: u32 = 67;
/// What the counter grows by.
const STEP: u32 = 362_437;
/// Bits of the shift register.
const BITS: usize = 160;

/// The state of a subsequence.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Xorwow {
    register: [u32; 5],
    counter: u32,
}

impl Xorwow {
    /// The first subsequence of a seed.
    fn new(seed: u64) -> Xorwow {
        let low = (seed as u32 ^ 0xaad2_6b49).wrapping_mul(1_099_087_573);
        let high = ((seed >> 32) as u32 ^ 0xf7dc_efdd).wrapping_mul(2_591_861_531);
        Xorwow {
            register: [
                123_456_789u32.wrapping_add(low),
                0x159a_55e5 ^ low,
                521_288_629u32.wrapping_add(high),
                0x0549_1333 ^ high,
                5_783_321u32.wrapping_add(low),
            ],
            counter: 6_615_241u32.wrapping_add(high).wrapping_add(low),
        }
    }

    fn shift(register: [u32; 5]) -> [u32; 5] {
        let [a, b, c, d, e] = register;
        let t = a ^ a >> 2;
        [b, c, d, e, e ^ e << 4 ^ t ^ t << 1]
    }

    /// The next number.
    pub(crate) fn next(&mut self) -> u32 {
        self.register = Xorwow::shift(self.register);
        self.counter = self.counter.wrapping_add(STEP);
        self.register[4].wrapping_add(self.counter)
    }
}

/// A linear map of the bits of the register: the image of each bit.
#[derive(Clone)]
struct Matrix(Vec<[u32; 5]>);

impl Matrix {
    /// The step from one number to the next.
    fn step() -> Matrix {
        let bit = |i: usize| {
            let mut register = [0; 5];
            register[i / 32] = 1 << (i % 32);
            Xorwow::shift(register)
        };
        Matrix((0..BITS).map(bit).collect())
    }

    fn apply(&self, register: [u32; 5]) -> [u32; 5] {
        let mut out = [0; 5];
        for (word, images) in register.iter().zip(self.0.chunks_exact(32)) {
            for (_, image) in images.iter().enumerate().filter(|(i, _)| word >> i & 1 == 1) {
                out.iter_mut().zip(image).for_each(|(out, image)| *out ^= image);
            }
        }
        out
    }

    /// So many steps.
    fn steps(count: u64) -> Matrix {
        let mut power = Matrix::step();
        let mut out: Option<Matrix> = None;
        let mut rest = count;
        while rest > 0 {
            if rest & 1 == 1 {
                out = Some(match out {
                    Some(done) => Matrix(done.0.iter().map(|&image| power.apply(image)).collect()),
                    None => power.clone(),
                });
            }
            rest >>= 1;
            if rest > 0 {
                power = power.squared();
            }
        }
        let same = |i: usize| {
            let mut register = [0; 5];
            register[i / 32] = 1 << (i % 32);
            register
        };
        out.unwrap_or_else(|| Matrix((0..BITS).map(same).collect()))
    }

    fn squared(&self) -> Matrix {
        Matrix(self.0.iter().map(|&image| self.apply(image)).collect())
    }

    /// The step from one subsequence to the next.
    fn to_next_subsequence() -> &'static Matrix {
        static JUMP: OnceLock<Matrix> = OnceLock::new();
        JUMP.get_or_init(|| (0..DISTANCE).fold(Matrix::step(), |matrix, _| matrix.squared()))
    }
}

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
        let jump = Matrix::to_next_subsequence();
        let mut first = Xorwow::new(seed);
        let (rounds, next) = (offset / SUBSEQUENCES as u64, (offset % SUBSEQUENCES as u64) as usize);
        let skip = Matrix::steps(rounds);
        let mut states = Vec::with_capacity(SUBSEQUENCES);
        for i in 0..SUBSEQUENCES {
            let counter = first.counter.wrapping_add(STEP.wrapping_mul(rounds as u32));
            let mut state = Xorwow { register: skip.apply(first.register), counter };
            if i < next {
                state.next();
            }
            states.push(state);
            // The distance is a multiple of 2^32, so that the counter is the same.
            first.register = jump.apply(first.register);
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
        subsequences.turns(10, |state| text.push(format!("{:.4}", (f64::from(state.next()) + 0.5) / 4_294_967_296.0)));
        let known = "0.1455 0.8202 0.5504 0.2948 0.9147 0.8690 0.3219 0.7829 0.0113 0.2855";
        assert_eq!(text.join(" "), known);
    }

    #[test]
    fn an_offset_skips_numbers() {
        let all = |offset, count| {
            let mut out = Vec::new();
            Subsequences::new(7, offset).turns(count, |state| out.push(state.next()));
            out
        };
        let numbers = all(0, 3 * SUBSEQUENCES);
        assert_eq!(all(5, 10), numbers[5..15]);
        assert_eq!(all(2 * SUBSEQUENCES as u64 + 9, 10), numbers[2 * SUBSEQUENCES + 9..][..10]);
    }
}
