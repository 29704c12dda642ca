//! Thread indices of the lanes of a warp.

/// Thread indices of the lanes of a warp, which are kept with the block extents that they were worked out for.
#[inline(always)]
pub(crate) fn thread_rows<const W: usize>(
    kept: &mut ([u32; 3], [[u32; W]; 3]),
    block: [u32; 3],
    number: u32,
) -> &[[u32; W]; 3] {
    if kept.0 != block {
        *kept = (block, threads(block, number));
    }
    &kept.1
}

fn threads<const W: usize>(block: [u32; 3], number: u32) -> [[u32; W]; 3] {
    let [x, y, _] = block.map(|b| b.max(1));
    let linear: [u32; W] = std::array::from_fn(|lane| number * 32 + lane as u32);
    [linear.map(|t| t % x), linear.map(|t| t / x % y), linear.map(|t| t / (x * y))]
}
