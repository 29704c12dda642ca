//! Accesses of shared memory whose addresses form a grid.
//!
//! One check covers all lanes, active or not; where it fails nothing is done and the caller looks lane by lane.

use mem::address::SHARED_BASE;
use mem::{Grid, Word};

/// Where the first lane's word is in the window, if the words of all lanes are inside and aligned.
#[inline(always)]
fn place<T: Word>(len: usize, g: &Grid) -> Option<usize> {
    let low = g.low.wrapping_sub(SHARED_BASE);
    let room = (len as u64).checked_sub(T::BYTES as u64)?;
    let inside = low <= room && g.span <= room - low && g.is_aligned(T::BYTES);
    inside.then(|| g.first.wrapping_sub(SHARED_BASE) as usize)
}

/// Consecutive words from byte `at` on.
#[inline(always)]
fn run<T: Word>(data: &[u8], at: usize, out: &mut [T]) {
    let n = out.len();
    for (word, bytes) in out.iter_mut().zip(data[at..at + n * T::BYTES].chunks_exact(T::BYTES)) {
        *word = T::read(bytes);
    }
}

#[inline(always)]
fn one<T: Word>(data: &[u8], at: usize) -> T {
    T::read(&data[at..at + T::BYTES])
}

/// Reads one word for each lane, active or not; false if nothing was read.
#[inline(always)]
pub(crate) fn load<T: Word, const W: usize>(data: &[u8], g: &Grid, out: &mut [T; W]) -> bool {
    let Some(first) = place::<T>(data.len(), g) else { return false };
    let lanes = g.lanes as usize;
    let second = first.wrapping_add_signed(g.row as isize);
    if lanes == W && g.step == 0 {
        *out = [one(data, first); W];
    } else if lanes == W && g.step == T::BYTES as i64 {
        run(data, first, out);
    } else if lanes == 16 && W == 32 && g.step == T::BYTES as i64 {
        run(data, first, &mut out[..16]);
        run(data, second, &mut out[16..]);
    } else if lanes == 16 && W == 32 && g.step == 0 {
        let (a, b) = (one(data, first), one(data, second));
        out[..16].fill(a);
        out[16..].fill(b);
    } else {
        let shift = g.lanes.trailing_zeros();
        for (i, word) in out.iter_mut().enumerate() {
            let column = (i & (lanes - 1)) as i64 * g.step;
            *word = one(data, first.wrapping_add_signed((column + (i >> shift) as i64 * g.row) as isize));
        }
    }
    true
}

/// Writes one word for each lane of `mask`, in the order of lanes; false if nothing was written.
#[inline(always)]
pub(crate) fn store<T: Word, const W: usize>(data: &mut [u8], g: &Grid, mask: u32, row: &[T; W]) -> bool {
    let Some(first) = place::<T>(data.len(), g) else { return false };
    let all = mask.count_ones() as usize == W;
    if all && g.lanes as usize == W && g.step == T::BYTES as i64 {
        for (bytes, word) in data[first..first + W * T::BYTES].chunks_exact_mut(T::BYTES).zip(row) {
            word.write(bytes);
        }
        return true;
    }
    let shift = g.lanes.trailing_zeros();
    let mut rest = mask;
    while rest != 0 {
        let i = rest.trailing_zeros() as usize;
        rest &= rest - 1;
        let column = (i & (g.lanes as usize - 1)) as i64 * g.step;
        let at = first.wrapping_add_signed((column + (i >> shift) as i64 * g.row) as isize);
        row[i].write(&mut data[at..at + T::BYTES]);
    }
    true
}
