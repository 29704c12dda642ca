//! Thread indices of the lanes of a warp.

/// Thread indices of the lanes of a warp, which are kept with the block extents that they were worked out for.
#[inline(always)]
pub(crate) fn thread_rows<const W: usize>(
    kept: &mut ([u32; 3], [[u32; W]; 3]),
    block: [u32; 3],
    number: u32,
) -> &mut [[u32; W]; 3] {
    if kept.0 != block {
        kept.0 = block;
        write_threads(&mut kept.1, block, number);
    }
    &mut kept.1
}

/// Writes the thread indices of the lanes of the warp of that number.
pub(crate) fn write_threads<const W: usize>(out: &mut [[u32; W]; 3], block: [u32; 3], number: u32) {
    let [x, y, _] = block.map(|b| b.max(1));
    let first = number * 32;
    // Divisions take longer than all the rest.
    let is_first_row = first < x;
    let [mut at, mut row, mut plane] =
        if is_first_row { [first, 0, 0] } else { [first % x, first / x % y, first / (x * y)] };
    if x as usize - at as usize >= W {
        // In place: a row that is made elsewhere and copied waits for its words.
        out[0].iter_mut().zip(at..).for_each(|(x, at)| *x = at);
        out[1].fill(row);
        out[2].fill(plane);
        return;
    }
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
}
