//! Accesses of shared memory whose addresses follow a rule.
//!
//! One check covers all lanes, active or not; where it fails nothing is done and the caller looks lane by lane.

use mem::address::SHARED_BASE;
use mem::{RowShape, Strided, Word};
use scalar::lanes;

/// Where the first lane's word is in the window, if the words of all lanes are inside and aligned.
#[inline(always)]
fn place<T: Word, const W: usize>(len: usize, g: &Strided<W>) -> Option<usize> {
    let low = g.low().wrapping_sub(SHARED_BASE);
    let room = (len as u64).checked_sub(T::BYTES as u64)?;
    let inside = low <= room && g.span() <= room - low && g.is_aligned(T::BYTES);
    inside.then(|| g.first().wrapping_sub(SHARED_BASE) as usize)
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

/// Reads one word for each lane, active or not; false if nothing was read.
#[inline(always)]
pub(crate) fn load<T: Word, const W: usize>(data: &[u8], g: &Strided<W>, out: &mut [T; W]) -> bool {
    let Some(first) = place::<T, W>(data.len(), g) else { return false };
    load_at(data, g.shape(T::BYTES), g, first as u64, out);
    true
}

/// Reads one word for each lane of a rule of that shape, all of them inside; the first lane's is at byte `first`.
#[inline(always)]
pub(crate) fn load_at<T: Word, const W: usize>(
    data: &[u8],
    shape: RowShape,
    g: &Strided<W>,
    first: u64,
    out: &mut [T; W],
) {
    let first = first as usize;
    let second = first.wrapping_add_signed(g.row() as isize);
    match shape {
        RowShape::Uniform => *out = [one(data, first); W],
        RowShape::Contiguous => *out = run(data, first),
        RowShape::TwoContiguous => {
            out[..16].copy_from_slice(&run::<T, 16>(data, first));
            out[16..].copy_from_slice(&run::<T, 16>(data, second));
        }
        RowShape::TwoUniform => {
            let (a, b) = (one(data, first), one(data, second));
            out[..16].fill(a);
            out[16..].fill(b);
        }
        RowShape::Other => {
            for (i, word) in out.iter_mut().enumerate() {
                *word = one(data, first.wrapping_add(g.address(i).wrapping_sub(g.first()) as usize));
            }
        }
    }
}

/// Writes one word for each lane of `mask`, in the order of lanes; false if nothing was written.
#[inline(always)]
pub(crate) fn store<T: Word, const W: usize>(data: &mut [u8], g: &Strided<W>, mask: u32, row: &[T; W]) -> bool {
    let Some(first) = place::<T, W>(data.len(), g) else { return false };
    let all = mask.count_ones() as usize == W;
    if all && g.shape(T::BYTES) == RowShape::Contiguous {
        for (bytes, word) in data[first..first + W * T::BYTES].chunks_exact_mut(T::BYTES).zip(row) {
            word.write(bytes);
        }
        return true;
    }
    for i in lanes(mask) {
        let at = g.address(i).wrapping_sub(SHARED_BASE) as usize;
        row[i].write(&mut data[at..at + T::BYTES]);
    }
    true
}
