//! Masks of the lanes of a warp: one bit a lane, lane 0 the lowest.

/// The lanes of a mask, lowest first.
#[derive(Clone, Debug)]
pub struct Lanes(u32);

/// The lanes of `mask`, lowest first.
#[inline]
pub fn lanes(mask: u32) -> Lanes {
    Lanes(mask)
}

impl Iterator for Lanes {
    type Item = usize;

    #[inline]
    fn next(&mut self) -> Option<usize> {
        let lane = self.0.trailing_zeros();
        self.0 &= self.0.wrapping_sub(1);
        (lane < u32::BITS).then_some(lane as usize)
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        let count = self.0.count_ones() as usize;
        (count, Some(count))
    }
}

impl ExactSizeIterator for Lanes {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lanes_come_in_order() {
        assert_eq!(lanes(0x8000_0005).collect::<Vec<_>>(), [0, 2, 31]);
        assert_eq!((lanes(0).next(), lanes(u32::MAX).len()), (None, 32));
    }
}
