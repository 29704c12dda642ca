//! The generator XORWOW (G. Marsaglia, "Xorshift RNGs", Journal of Statistical Software 8, 2003, 3.1) with the seeding of NVIDIA's
//! library, and jumps over many of its numbers.
//!
//! The shift register is linear over the field of two elements. So `n` steps are the polynomial `x**n`, modulo the characteristic
//! polynomial, of one step (H. Haramoto and others, "Efficient jump ahead for F2-linear random number generators", 2008).
//!
//! Not here: distributions and the order of numbers (`library`), device code (`compile`).

/// What the counter grows by.
const STEP: u32 = 362_437;
/// Bits of the shift register.
const BITS: usize = 160;
/// The characteristic polynomial of a step, without its highest term: bit `i` of all words is the coefficient of `x**i`.
const CHARACTERISTIC: [u32; 5] = [0x0006_0001, 0x0861_0030, 0x0006_2121, 0x0f3c_0035, 0x0000_0f0e];

/// The state of a sequence.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Xorwow {
    register: [u32; 5],
    counter: u32,
}

impl Xorwow {
    /// The beginning of the sequence of a seed.
    pub fn new(seed: u64) -> Xorwow {
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

    fn shift([a, b, c, d, e]: [u32; 5]) -> [u32; 5] {
        let t = a ^ a >> 2;
        [b, c, d, e, e ^ e << 4 ^ t ^ t << 1]
    }

    /// The next number.
    pub fn next_number(&mut self) -> u32 {
        self.register = Xorwow::shift(self.register);
        self.counter = self.counter.wrapping_add(STEP);
        self.register[4].wrapping_add(self.counter)
    }

    /// Leaves out so many numbers as the jump has; `count` is that number modulo 2^32.
    pub fn skip(&mut self, jump: Jump, count: u32) {
        let mut left = self.register;
        let mut sum = [0; 5];
        for i in 0..BITS {
            if jump.0[i / 32] >> (i % 32) & 1 == 1 {
                add(&mut sum, left);
            }
            left = Xorwow::shift(left);
        }
        self.register = sum;
        self.counter = self.counter.wrapping_add(STEP.wrapping_mul(count));
    }
}

fn add(a: &mut [u32; 5], b: [u32; 5]) {
    a.iter_mut().zip(b).for_each(|(a, b)| *a ^= b);
}

/// A number of steps of the shift register, as a polynomial: bit `i` of all words is the coefficient of `x**i`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Jump(pub [u32; 5]);

impl Jump {
    const NONE: Jump = Jump([1, 0, 0, 0, 0]);
    const STEP: Jump = Jump([2, 0, 0, 0, 0]);

    /// `count` times 2 to the power `scale` steps.
    pub fn new(count: u64, scale: u32) -> Jump {
        let mut power = (0..scale).fold(Jump::STEP, |power, _| power.then(power));
        let mut out = Jump::NONE;
        let mut rest = count;
        while rest > 0 {
            if rest & 1 == 1 {
                out = out.then(power);
            }
            power = power.then(power);
            rest >>= 1;
        }
        out
    }

    /// The steps of both.
    #[must_use]
    pub fn then(self, other: Jump) -> Jump {
        let mut product = [0; 5];
        for i in (0..BITS).rev() {
            let carry = product[4] >> 31;
            for word in (1..5).rev() {
                product[word] = product[word] << 1 | product[word - 1] >> 31;
            }
            product[0] <<= 1;
            if carry == 1 {
                add(&mut product, CHARACTERISTIC);
            }
            if self.0[i / 32] >> (i % 32) & 1 == 1 {
                add(&mut product, other.0);
            }
        }
        Jump(product)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_jump_is_so_many_steps() {
        for count in [0, 1, 2, 159, 160, 161, 1000, 4099] {
            let mut walked = Xorwow::new(42);
            for _ in 0..count {
                walked.next_number();
            }
            let mut jumped = Xorwow::new(42);
            jumped.skip(Jump::new(count, 0), count as u32);
            assert_eq!(jumped, walked, "{count}");
        }
        assert_eq!(Jump::new(3, 5), Jump::new(96, 0));
        assert_eq!(Jump::new(1 << 33, 0), Jump::new(1, 33));
    }
}
