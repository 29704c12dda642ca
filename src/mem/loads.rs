//! Loads of all lanes of a warp at once.
//!
//! The bounds are checked once for all lanes. Not here: stores, which need a view (`view`), and what a write buffer has over
//! the memory (`buffer`).
#![allow(unsafe_code)] // Reads without a check what lies between bounds that were checked.

use crate::header::PAGE;
use crate::lanes::{LaneAddresses, RowShape, Strided};
use crate::memory::{Live, Memory};
use crate::words::Word;
use scalar::lanes;

/// What an access remembers of the one before.
#[derive(Clone, Copy, Default, Debug)]
pub struct Hint {
    /// Where it was found.
    pub place: u32,
    /// Its first address.
    pub last: u64,
}

/// Does something for the lanes of a mask, in their order; gives those for which it could not be done.
#[inline(always)]
pub(crate) fn failing(mask: u32, mut lane: impl FnMut(usize) -> Option<()>) -> u32 {
    lanes(mask).fold(0, |bad, i| bad | u32::from(lane(i).is_none()) << i)
}

/// Bytes from which on a step to the next access is a far one.
const FAR: u64 = 2048;

/// Whether words from `offset` on lie in one page.
#[inline(always)]
pub(crate) fn is_in_page<T: Word>(offset: usize, words: usize) -> bool {
    offset % PAGE + words * T::BYTES <= PAGE
}

impl Memory {
    /// Reads one word for each lane, active or not, if all of them lie in one live allocation; else reads nothing and gives
    /// false.
    #[inline(always)]
    pub(crate) fn load_strided<T: Word, const W: usize>(
        &self,
        at: &Strided<W>,
        out: &mut [T; W],
        hint: &mut Hint,
    ) -> bool {
        let Some(l) = self.locate(at.low(), at.span() + T::BYTES as u64, &mut hint.place) else { return false };
        prefetch_next(l, at, hint);
        let first = at.first().wrapping_sub(l.base) as usize;
        let shape = at.shape(T::BYTES);
        // SAFETY: by the invariant of `Strided` every lane's word lies between `low` and `low + span` and so in the allocation,
        // whose backing is at least as large; a row is read at once where it lies in one page.
        unsafe {
            if shape == RowShape::Contiguous && is_in_page::<T>(first, W) {
                l.backing.load_row(first, out);
            } else if shape == RowShape::Uniform {
                *out = [l.backing.load(first); W];
            } else if shape == RowShape::TwoContiguous {
                let second = first.wrapping_add_signed(at.row() as isize);
                for (at, out) in [first, second].into_iter().zip(out.chunks_exact_mut(16)) {
                    let Ok(out) = <&mut [T; 16]>::try_from(out) else { continue };
                    if is_in_page::<T>(at, 16) {
                        l.backing.load_row(at, out);
                    } else {
                        for (i, word) in out.iter_mut().enumerate() {
                            *word = l.backing.load(at + i * T::BYTES);
                        }
                    }
                }
            } else {
                for (i, word) in out.iter_mut().enumerate() {
                    *word = l.backing.load(at.address(i).wrapping_sub(l.base) as usize);
                }
            }
        }
        true
    }

    /// Reads one word for each lane of `mask`; gives the mask of the lanes whose address lies outside.
    #[inline(always)]
    pub(crate) fn load_lanes<T: Word, const W: usize>(
        &self,
        at: &LaneAddresses<W>,
        mask: u32,
        out: &mut [T; W],
        hint: &mut u32,
    ) -> u32 {
        if let Some((live, offset)) = self.row_of_one_page::<T, W>(at, hint) {
            let mut row = [T::default(); W];
            // SAFETY: the row lies in the allocation and in one page.
            unsafe { live.backing.load_row(offset, &mut row) };
            for (i, word) in out.iter_mut().enumerate() {
                *word = if mask & 1 << i != 0 { row[i] } else { *word };
            }
            return 0;
        }
        if let Some(address) = at.as_uniform() {
            let Some(value) = self.load::<T>(address, hint) else { return mask };
            for (i, word) in out.iter_mut().enumerate() {
                *word = if mask & 1 << i != 0 { value } else { *word };
            }
            return 0;
        }
        failing(mask, |i| self.load(at.address(i), hint).map(|v| out[i] = v))
    }

    /// The allocation in which the words of all lanes of `mask` lie, aligned, and how far each is from its beginning; lanes that
    /// are not in `mask` have the offset of the first lane that is.
    #[inline(always)]
    pub(crate) fn words_of_one<T: Word, const W: usize>(
        &self,
        at: &[u64; W],
        mask: u32,
        hint: &mut u32,
    ) -> Option<(&Live, [u64; W])> {
        let first = *at.get(mask.trailing_zeros() as usize)?;
        let live = self.locate(first, T::BYTES as u64, hint)?;
        // Then an offset is aligned where its address is, and no aligned word lies across two pages.
        if !live.base.is_multiple_of(8) {
            return None;
        }
        let last = live.bytes - T::BYTES as u64;
        let mut offsets = [0; W];
        let mut bad = 0;
        for i in 0..W {
            let offset = at[i].wrapping_sub(live.base);
            let is_bad = offset > last || offset & (T::BYTES as u64 - 1) != 0;
            bad |= u32::from(is_bad) << i;
            offsets[i] = if is_bad || mask & 1 << i == 0 { first - live.base } else { offset };
        }
        (bad & mask == 0).then_some((live, offsets))
    }

    /// Reads one word for each lane of `mask` if all of them lie in one live allocation and are aligned; else reads nothing and
    /// gives false.
    #[inline(always)]
    pub(crate) fn gather<T: Word, const W: usize>(
        &self,
        at: &[u64; W],
        mask: u32,
        out: &mut [T; W],
        hint: &mut u32,
    ) -> bool {
        let Some((live, offsets)) = self.words_of_one::<T, W>(at, mask, hint) else { return false };
        for (i, out) in out.iter_mut().enumerate() {
            // SAFETY: there is a word of the allocation at each offset.
            let word = unsafe { live.backing.load(offsets[i] as usize) };
            *out = if mask & 1 << i != 0 { word } else { *out };
        }
        true
    }

    /// The allocation and offset of words that stand side by side in one page of it.
    #[inline(always)]
    pub(crate) fn row_of_one_page<T: Word, const W: usize>(
        &self,
        at: &LaneAddresses<W>,
        hint: &mut u32,
    ) -> Option<(&Live, usize)> {
        let base = at.as_contiguous(T::BYTES)?;
        let live = self.locate(base, (W * T::BYTES) as u64, hint)?;
        let offset = (base - live.base) as usize;
        is_in_page::<T>(offset, W).then_some((live, offset))
    }
}

/// A loop goes on in the same steps; steps over more than a page are too far for the processor to see that itself.
#[inline(always)]
fn prefetch_next<const W: usize>(l: &Live, at: &Strided<W>, hint: &mut Hint) {
    let step = at.first().wrapping_sub(hint.last);
    hint.last = at.first();
    if step.wrapping_add(FAR) > 2 * FAR {
        let next = at.first().wrapping_add(step).wrapping_sub(l.base);
        let second = next.wrapping_add_signed(at.row());
        // SAFETY: the bytes lie in the allocation.
        unsafe {
            if next < l.bytes {
                l.backing.prefetch(next as usize);
            }
            if at.row_lanes() < W as u32 && second < l.bytes {
                l.backing.prefetch(second as usize);
            }
        }
    }
}
