//! Which bytes of local memory the lanes of a warp have written, for `--check init`.
//!
//! The lanes of a warp mostly access one place of their local memories together, so each byte has a mask of lanes.
//!
//! Not here: what a read of other bytes means (`init`).

use mem::{InitBits, Origin};
use std::collections::BTreeMap;

/// Bytes of local memory that are kept together.
const PIECE: u64 = 256;

/// The local memories of a warp.
#[derive(Clone, Debug, Default)]
pub(super) struct LaneBits {
    /// By offset of a piece, and then by byte: the lanes that have written it.
    pieces: BTreeMap<u64, Box<[u32; PIECE as usize]>>,
    /// Where the bytes of a lane come from that were copied from others that nothing had written.
    origins: BTreeMap<usize, InitBits>,
}

impl LaneBits {
    /// The lanes that have written a byte.
    fn lanes(&self, offset: u64) -> u32 {
        self.pieces.get(&(offset / PIECE)).map_or(0, |piece| piece[(offset % PIECE) as usize])
    }

    /// The lanes that have written all these bytes.
    pub(super) fn written(&self, offset: u64, bytes: u64) -> u32 {
        let (number, first) = (offset / PIECE, (offset % PIECE) as usize);
        match self.pieces.get(&number) {
            Some(piece) if first as u64 + bytes <= PIECE => {
                piece[first..first + bytes as usize].iter().fold(u32::MAX, |all, lanes| all & lanes)
            }
            _ => (0..bytes).fold(u32::MAX, |all, i| all & self.lanes(offset + i)),
        }
    }

    /// The bytes of a word of at most 8 that a lane has not written, as a mask.
    pub(super) fn missing(&self, lane: usize, offset: u64, bytes: u64) -> u8 {
        (0..bytes.min(8)).filter(|&i| self.lanes(offset + i) >> lane & 1 == 0).fold(0, |mask, i| mask | 1 << i)
    }

    /// Notes that lanes have written these bytes.
    pub(super) fn set(&mut self, mask: u32, offset: u64, bytes: u64) {
        for at in offset..offset.saturating_add(bytes) {
            let piece = self.pieces.entry(at / PIECE).or_insert_with(|| Box::new([0; PIECE as usize]));
            piece[(at % PIECE) as usize] |= mask;
        }
    }

    /// Notes that bytes of all lanes hold what was copied from others that nothing has written.
    pub(super) fn unset(&mut self, offset: u64, bytes: u64, origin: Origin) {
        for at in offset..offset.saturating_add(bytes) {
            if let Some(piece) = self.pieces.get_mut(&(at / PIECE)) {
                piece[(at % PIECE) as usize] = 0;
            }
        }
        for lane in 0..32 {
            self.origins.entry(lane).or_default().unset_by_copy(offset, bytes, origin);
        }
    }

    /// Notes that a lane has written a word of at most 8 bytes, with a value of which these bytes are missing.
    pub(super) fn store(&mut self, lane: usize, offset: u64, bytes: u64, missing: u8, origin: Origin) {
        self.set(1 << lane, offset, bytes);
        for at in (0..bytes.min(8)).filter(|i| missing >> i & 1 != 0).map(|i| offset + i) {
            if let Some(piece) = self.pieces.get_mut(&(at / PIECE)) {
                piece[(at % PIECE) as usize] &= !(1 << lane);
            }
            self.origins.entry(lane).or_default().unset_by_copy(at, 1, origin);
        }
    }

    /// Where a missing byte of a lane was copied from.
    pub(super) fn origin(&self, lane: usize, offset: u64) -> Option<Origin> {
        self.origins.get(&lane)?.origin(offset)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use source::Span;

    #[test]
    fn lanes_have_bytes_of_their_own() {
        let mut bits = LaneBits::default();
        bits.set(0b110, 254, 4);
        assert_eq!((bits.written(254, 4), bits.written(254, 5), bits.written(253, 1)), (0b110, 0, 0));
        assert_eq!((bits.missing(1, 252, 8), bits.missing(0, 254, 4)), (0b1100_0011, 0b1111));
        let origin = Origin { span: Span::NONE, address: 7 };
        bits.store(2, 254, 4, 0b0010, origin);
        assert_eq!((bits.written(254, 4), bits.missing(2, 254, 4)), (0b010, 0b0010));
        assert_eq!((bits.origin(2, 255), bits.origin(1, 255), bits.origin(2, 254)), (Some(origin), None, None));
        bits.set(0b100, 255, 1);
        assert_eq!(bits.written(254, 4), 0b110);
        bits.set(u32::MAX, 512, 16);
        bits.unset(520, 4, origin);
        assert_eq!(
            (bits.written(512, 8), bits.missing(31, 516, 8), bits.origin(31, 523)),
            (u32::MAX, 0xf0, Some(origin))
        );
    }
}
