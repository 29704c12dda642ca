//! Pseudorandom numbers from a state of 64 bits: the parts of `SplitMix64` (Steele, Lea and Flood, "Fast splittable
//! pseudorandom number generators", OOPSLA 2014).
//!
//! Not here: `RANDOM_NUMBER`, which has a generator of its own in `host`, seeded with these functions.

/// What `SplitMix64` adds to its state for each number.
pub const GOLDEN_GAMMA: u64 = 0x9e37_79b9_7f4a_7c15;

/// The finaliser of `SplitMix64`: a permutation of 64 bits after which each bit depends on all.
pub fn mix(x: u64) -> u64 {
    let x = (x ^ x >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ x >> 31
}

/// The inverse of [`mix`].
pub fn unmix(x: u64) -> u64 {
    let x = (x ^ x >> 31 ^ x >> 62).wrapping_mul(0x3196_42b2_d24d_8ec3);
    let x = (x ^ x >> 27 ^ x >> 54).wrapping_mul(0x96de_1b17_3f11_9089);
    x ^ x >> 30 ^ x >> 60
}

/// The next number of `SplitMix64`.
pub fn split_mix(state: &mut u64) -> u64 {
    *state = state.wrapping_add(GOLDEN_GAMMA);
    mix(*state)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mixing_can_be_undone() {
        for x in [0, 1, 2, u64::MAX, 0x0123_4567_89ab_cdef, GOLDEN_GAMMA] {
            assert_eq!(unmix(mix(x)), x);
        }
    }

    /// The first numbers of Vigna's `splitmix64.c` for the seed 1234567.
    #[test]
    fn numbers_are_those_of_the_reference() {
        let mut state = 1_234_567;
        assert_eq!(
            [split_mix(&mut state), split_mix(&mut state)],
            [6_457_827_717_110_365_317, 3_203_168_211_198_807_973]
        );
    }
}
