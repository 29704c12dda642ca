//! Accesses of shared memory by all lanes at once.
//!
//! If the addresses follow a rule, one check covers all lanes, active or not. Where a check fails nothing is done and the caller looks lane by lane.

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

/// How far the word of each lane of `mask` is from the beginning, if all are inside and aligned; that of other lanes is as far as
/// that of the first.
#[inline(always)]
fn offsets<T: Word, const W: usize>(len: usize, at: &[u64; W], mask: u32) -> Option<[u32; W]> {
    let last = len.checked_sub(T::BYTES)? as u64;
    let first = at.get(mask.trailing_zeros() as usize)?.wrapping_sub(SHARED_BASE);
    let mut out = [0; W];
    let mut bad = 0;
    for i in 0..W {
        let offset = at[i].wrapping_sub(SHARED_BASE);
        bad |= u32::from(offset > last || offset & (T::BYTES as u64 - 1) != 0) << i;
        out[i] = if mask & 1 << i != 0 { offset as u32 } else { first as u32 };
    }
    (bad & mask == 0).then_some(out)
}

/// Reads one word for each lane of `mask`, wherever they are; false if nothing was read.
#[inline(always)]
pub(crate) fn gather<T: Word, const W: usize>(data: &[u8], at: &[u64; W], mask: u32, out: &mut [T; W]) -> bool {
    let Some(offsets) = offsets::<T, W>(data.len(), at, mask) else { return false };
    for (i, out) in out.iter_mut().enumerate() {
        let word = one(data, offsets[i] as usize);
        *out = if mask & 1 << i != 0 { word } else { *out };
    }
    true
}

/// Writes one word for each lane of `mask`, in the order of lanes, wherever they are; false if nothing was written.
#[inline(always)]
pub(crate) fn scatter<T: Word, const W: usize>(data: &mut [u8], at: &[u64; W], mask: u32, values: &[T; W]) -> bool {
    let Some(offsets) = offsets::<T, W>(data.len(), at, mask) else { return false };
    for i in lanes(mask) {
        values[i].write(&mut data[offsets[i] as usize..]);
    }
    true
}
