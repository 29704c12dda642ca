//! Thread indices of the lanes of a warp.

/// Thread indices of the lanes of a warp, which are kept with the block extents that they were worked out for.
#[inline(always)]
pub(crate) fn thread_rows<const W: usize>(
    kept: &mut ([u32; 3], [[u32; W]; 3]),
    block: [u32; 3],
    number: u32,
) -> &mut [[u32; W]; 3] {
    if kept.0 != block {
        *kept = (block, threads(block, number));
    }
    &mut kept.1
}

/// Thread indices of the lanes of the warp of that number.
pub(crate) fn threads<const W: usize>(block: [u32; 3], number: u32) -> [[u32; W]; 3] {
    let [x, y, _] = block.map(|b| b.max(1));
    let first = number * 32;
    let [mut at, mut row, mut plane] = [first % x, first / x % y, first / (x * y)];
    if x as usize - at as usize >= W {
        return [std::array::from_fn(|lane| at + lane as u32), [row; W], [plane; W]];
    }
    let mut out = [[0; W]; 3];
    for lane in 0..W {
        (out[0][lane], out[1][lane], out[2][lane]) = (at, row, plane);
        at += 1;
        if at == x {
            (at, row) = (0, row + 1);
        }
        if row == y {
            (row, plane) = (0, plane + 1);
        }
    }
    out
}
