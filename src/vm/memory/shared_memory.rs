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

/// Consecutive words from byte `at` on. They come out as a value, so that nothing is in doubt about what overlaps what, and a
/// row is one load or two.
#[inline(always)]
fn run<T: Word, const N: usize>(data: &[u8], at: usize) -> [T; N] {
    let mut out = [T::default(); N];
    for (word, bytes) in out.iter_mut().zip(data[at..at + N * T::BYTES].chunks_exact(T::BYTES)) {
        *word = T::read(bytes);
    }
    out
}

#[inline(always)]
fn one<T: Word>(data: &[u8], at: usize) -> T {
    T::read(&data[at..at + T::BYTES])
}

/// The shapes of a grid that are read at once.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Shape {
    /// All lanes read one word.
    Same,
    /// Consecutive words.
    Row,
    /// Two rows of consecutive words.
    TwoRows,
    /// Two rows, each of one word.
    TwoSame,
    /// Another one.
    Other,
}

impl Shape {
    /// That of a grid for words of `bytes`.
    #[inline(always)]
    pub(crate) fn of<const W: usize>(g: &Grid, bytes: usize) -> Shape {
        match (g.lanes as usize, g.step) {
            (lanes, 0) if lanes == W => Shape::Same,
            (lanes, step) if lanes == W && step == bytes as i64 => Shape::Row,
            (16, step) if W == 32 && step == bytes as i64 => Shape::TwoRows,
            (16, 0) if W == 32 => Shape::TwoSame,
            _ => Shape::Other,
        }
    }
}

/// Reads one word for each lane, active or not; false if nothing was read.
#[inline(always)]
pub(crate) fn load<T: Word, const W: usize>(data: &[u8], g: &Grid, out: &mut [T; W]) -> bool {
    let Some(first) = place::<T>(data.len(), g) else { return false };
    load_at(data, Shape::of::<W>(g, T::BYTES), g, first as u64, out);
    true
}

/// Reads one word for each lane of a grid of that shape, all of them inside; the first lane's is at byte `first`.
#[inline(always)]
pub(crate) fn load_at<T: Word, const W: usize>(data: &[u8], shape: Shape, g: &Grid, first: u64, out: &mut [T; W]) {
    let first = first as usize;
    let second = first.wrapping_add_signed(g.row as isize);
    match shape {
        Shape::Same => *out = [one(data, first); W],
        Shape::Row => *out = run(data, first),
        Shape::TwoRows => {
            out[..16].copy_from_slice(&run::<T, 16>(data, first));
            out[16..].copy_from_slice(&run::<T, 16>(data, second));
        }
        Shape::TwoSame => {
            let (a, b) = (one(data, first), one(data, second));
            out[..16].fill(a);
            out[16..].fill(b);
        }
        Shape::Other => {
            let (lanes, shift) = (g.lanes as usize, g.lanes.trailing_zeros());
            for (i, word) in out.iter_mut().enumerate() {
                let column = (i & (lanes - 1)) as i64 * g.step;
                *word = one(data, first.wrapping_add_signed((column + (i >> shift) as i64 * g.row) as isize));
            }
        }
    }
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
