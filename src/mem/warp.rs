//! Accesses of all lanes of a warp at once.

use crate::lanes::{Grid, Lanes, Word, load_at, load_row, prefetch, store_at, store_row, store_run};
use crate::memory::{Live, Memory};
use crate::page::PAGE;

/// What an access remembers of the one before.
#[derive(Clone, Copy, Default, Debug)]
pub struct Hint {
    /// Where it was found.
    pub place: u32,
    /// Its first address.
    pub last: u64,
}

/// Bytes from which on a step to the next access is a far one.
const FAR: u64 = 2048;

/// Does something for the lanes of a mask, in their order; gives those for which it could not be done.
#[inline(always)]
pub(crate) fn failing(mask: u32, mut lane: impl FnMut(usize) -> Option<()>) -> u32 {
    let (mut bad, mut rest) = (0, mask);
    while rest != 0 {
        let i = rest.trailing_zeros() as usize;
        rest &= rest - 1;
        bad |= u32::from(lane(i).is_none()) << i;
    }
    bad
}

impl Memory {
    /// Reads one word for each lane of `mask`; gives the mask of the lanes whose address lies outside.
    #[inline(always)]
    pub fn load_lanes<T: Word, const W: usize>(
        &self,
        lanes: &Lanes<W>,
        mask: u32,
        out: &mut [T; W],
        hint: &mut u32,
    ) -> u32 {
        if let Some((live, offset)) = self.row_of_one_page::<T, W>(lanes, hint) {
            let mut row = [T::default(); W];
            load_row(&live.backing, offset, &mut row);
            for (i, word) in out.iter_mut().enumerate() {
                *word = if mask & 1 << i != 0 { row[i] } else { *word };
            }
            return 0;
        }
        failing(mask, |i| self.load(lanes.address(i, T::BYTES), hint).map(|v| out[i] = v))
    }

    /// Writes one word for each lane of `mask`, in the order of lanes; gives the mask of the lanes whose address lies
    /// outside, whose words are not written.
    #[inline(always)]
    pub fn store_lanes<T: Word, const W: usize>(
        &self,
        lanes: &Lanes<W>,
        mask: u32,
        values: &[T; W],
        hint: &mut u32,
    ) -> u32 {
        if let Some((live, offset)) = self.row_of_one_page::<T, W>(lanes, hint)
            && store_row(&live.backing, offset, mask, values)
        {
            return 0;
        }
        failing(mask, |i| self.store(lanes.address(i, T::BYTES), values[i], hint))
    }

    /// The allocation and offset of words that stand side by side in one page of it.
    #[inline(always)]
    fn row_of_one_page<T: Word, const W: usize>(&self, lanes: &Lanes<W>, hint: &mut u32) -> Option<(&Live, usize)> {
        let Lanes::Contiguous(base) = *lanes else { return None };
        let live = self.locate(base, (W * T::BYTES) as u64, hint)?;
        let offset = (base - live.base) as usize;
        (offset % PAGE + W * T::BYTES <= PAGE).then_some((live, offset))
    }
}

impl Memory {
    /// Reads one word for each lane, active or not, if all of them lie in one live allocation; else reads nothing and gives
    /// false.
    #[inline(always)]
    pub fn load_grid<T: Word, const W: usize>(&self, g: &Grid, out: &mut [T; W], hint: &mut Hint) -> bool {
        let Some(l) = self.locate(g.low, g.span + T::BYTES as u64, &mut hint.place) else { return false };
        let first = g.first.wrapping_sub(l.base) as usize;
        // A loop goes on in the same steps; steps over more than a page are too far for the processor to see that itself.
        let step = g.first.wrapping_sub(hint.last);
        hint.last = g.first;
        if step.wrapping_add(FAR) > 2 * FAR {
            let next = g.first.wrapping_add(step).wrapping_sub(l.base);
            if next < l.bytes {
                prefetch(&l.backing, next as usize);
            }
            let second = next.wrapping_add_signed(g.row);
            if g.lanes < W as u32 && second < l.bytes {
                prefetch(&l.backing, second as usize);
            }
        }
        let lanes = g.lanes as usize;
        if g.step == T::BYTES as i64 && lanes == W && first % PAGE + W * T::BYTES <= PAGE {
            load_row(&l.backing, first, out);
        } else if g.step == 0 && lanes == W {
            *out = [load_at(&l.backing, first); W];
        } else if g.step == T::BYTES as i64 && lanes == 16 && W == 32 {
            let second = first.wrapping_add_signed(g.row as isize);
            for (at, out) in [first, second].into_iter().zip(out.chunks_exact_mut(16)) {
                let Ok(out) = <&mut [T; 16]>::try_from(out) else { continue };
                if at % PAGE + 16 * T::BYTES <= PAGE {
                    load_row(&l.backing, at, out);
                } else {
                    for (i, word) in out.iter_mut().enumerate() {
                        *word = load_at(&l.backing, at + i * T::BYTES);
                    }
                }
            }
        } else {
            for (i, word) in out.iter_mut().enumerate() {
                *word = load_at(&l.backing, g.address(i).wrapping_sub(l.base) as usize);
            }
        }
        true
    }

    /// Writes one word for each lane of `mask`, in the order of lanes, if all lanes of the grid, active or not, lie in one
    /// live allocation; else writes nothing and gives false. It is false too if pages are wanting; then some may be written.
    #[inline(always)]
    pub fn store_grid<T: Word, const W: usize>(&self, g: &Grid, mask: u32, values: &[T; W], hint: &mut u32) -> bool {
        let Some(l) = self.locate(g.low, g.span + T::BYTES as u64, hint) else { return false };
        let first = g.first.wrapping_sub(l.base) as usize;
        let lanes = g.lanes as usize;
        let full = mask.count_ones() as usize == W;
        let fits = |at: usize, n: usize| at % PAGE + n * T::BYTES <= PAGE;
        if full && g.step == T::BYTES as i64 && lanes == W && fits(first, W) {
            return store_row(&l.backing, first, mask, values);
        }
        let mut done = true;
        if full && g.step == T::BYTES as i64 && lanes > 1 {
            for (row, values) in values.chunks(lanes).enumerate() {
                let at = first.wrapping_add_signed((row as i64 * g.row) as isize);
                if fits(at, lanes) {
                    done &= store_run(&l.backing, at, values).is_some();
                } else {
                    for (i, &word) in values.iter().enumerate() {
                        done &= store_at(&l.backing, at + i * T::BYTES, word).is_some();
                    }
                }
            }
        } else {
            for (i, &word) in values.iter().enumerate() {
                if mask & 1 << i != 0 {
                    let at = g.address(i).wrapping_sub(l.base) as usize;
                    done &= store_at(&l.backing, at, word).is_some();
                }
            }
        }
        done
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::address::Region;
    use source::Span;

    #[test]
    fn lanes_read_and_write_like_single_words() {
        let mut m = Memory::new();
        let a = m.alloc(Region::Device(0), 1000, "a", Span::NONE).expect("room");
        let values: [u32; 32] = std::array::from_fn(|i| i as u32 + 1);
        let row = Lanes::of(&std::array::from_fn(|i| a + 4 * i as u64), u32::MAX, 4);
        assert!(matches!(row, Lanes::Contiguous(_)));
        assert_eq!(m.store_lanes(&row, 0xffff_0000, &values, &mut 0), 0);
        let mut out = [9; 32];
        assert_eq!(m.load_lanes(&row, u32::MAX, &mut out, &mut 0), 0);
        assert_eq!(out, std::array::from_fn(|i| if i < 16 { 0 } else { i as u32 + 1 }));
        let far = Lanes::of(&std::array::from_fn(|i| a + 36 * i as u64), u32::MAX, 4);
        assert_eq!(m.store_lanes(&far, u32::MAX, &values, &mut 0), 0xf000_0000);
    }
}
