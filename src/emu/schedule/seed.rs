//! The order that a seed gives to the blocks of a launch and to the warps of a block.
//!
//! Seed 0 is the natural order. Any other seed is a permutation that depends on nothing but the seed and the shape of the
//! launch, so a run can be repeated.

use ir::analysis::affine::gcd;
use scalar::random;

/// The block that runs as number `i`: `i` itself, or the seed's permutation of the grid.
pub(crate) fn block_of_position(seed: u64, total: u64, i: u64) -> u64 {
    if seed == 0 || total < 2 {
        return i;
    }
    let (step, shift) = permutation(seed, total);
    let at = u128::from(i) * u128::from(step) + u128::from(shift);
    (at % u128::from(total)) as u64
}

/// The inverse of [`block_of_position`]: when the block `linear` runs.
pub(crate) fn position_of_block(seed: u64, total: u64, linear: u64) -> u64 {
    if seed == 0 || total < 2 {
        return linear;
    }
    let (step, shift) = permutation(seed, total);
    let back = u128::from(linear + total - shift) * u128::from(inverse(step, total));
    (back % u128::from(total)) as u64
}

/// Puts the warps of a block into the seed's order.
pub(crate) fn shuffle_warps(seed: u64, linear: u64, order: &mut [u32]) {
    if seed == 0 {
        return;
    }
    let mut state = mix(seed ^ mix(linear));
    for i in (1..order.len()).rev() {
        state = mix(state);
        order.swap(i, (state % (i as u64 + 1)) as usize);
    }
}

/// Step and shift of the seed's permutation of so many blocks.
fn permutation(seed: u64, total: u64) -> (u64, u64) {
    let mut step = mix(seed) % total | 1;
    while gcd(i128::from(step), i128::from(total)) != 1 {
        step += 1;
    }
    (step, mix(seed ^ 0x5bd1) % total)
}

/// The inverse of `a` modulo `m` by Euclid's algorithm; the two are coprime.
fn inverse(a: u64, m: u64) -> u64 {
    let (mut r, mut s) = ((i128::from(m), i128::from(a % m)), (0i128, 1i128));
    while r.1 != 0 {
        let q = r.0 / r.1;
        r = (r.1, r.0 - q * r.1);
        s = (s.1, s.0 - q * s.1);
    }
    s.0.rem_euclid(i128::from(m)) as u64
}

/// A number that a seed stands for.
pub(crate) fn mix(x: u64) -> u64 {
    random::mix(x.wrapping_add(random::GOLDEN_GAMMA))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_seed_runs_every_block_once() {
        for total in [1, 2, 7, 12, 100, 1024] {
            for seed in 0..20 {
                assert!((0..total).all(|i| position_of_block(seed, total, block_of_position(seed, total, i)) == i));
                let mut seen: Vec<u64> = (0..total).map(|i| block_of_position(seed, total, i)).collect();
                seen.sort_unstable();
                assert_eq!(seen, (0..total).collect::<Vec<_>>(), "seed {seed}, {total} blocks");
            }
        }
    }
}
