//! A file that ranks share, as one of them has it open.

use crate::layout::Layout;
use std::sync::Arc;

/// An open file.
#[derive(Clone, Debug)]
pub(crate) struct File {
    pub(crate) path: Arc<str>,
    /// The communicator whose ranks have opened it.
    pub(crate) communicator: u32,
    pub(crate) reads: bool,
    pub(crate) writes: bool,
    pub(crate) is_deleted: bool,
    /// The view: where it begins, bytes of the elementary type, and the layout that is repeated.
    pub(crate) displacement: u64,
    pub(crate) unit: u64,
    pub(crate) shown: Layout,
    /// Where the rank is, in elementary types.
    pub(crate) place: u64,
}

/// What becomes of bytes beyond a size that is set.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum PastEnd {
    Cut,
    Keep,
}

impl File {
    /// The pieces of the file that `bytes` bytes of the view from a place on are: offsets and lengths.
    pub(crate) fn pieces(&self, place: u64, bytes: u64) -> Vec<(u64, u64)> {
        let start = place.saturating_mul(self.unit);
        if self.shown.is_dense() {
            return if bytes == 0 { Vec::new() } else { vec![(self.displacement.saturating_add(start), bytes)] };
        }
        let mut out: Vec<(u64, u64)> = Vec::new();
        let (mut tile, mut skipped, mut rest) = (start / self.shown.size, start % self.shown.size, bytes);
        while rest > 0 {
            let base = self.displacement.wrapping_add_signed((tile as i64).wrapping_mul(self.shown.extent));
            for run in &*self.shown.runs {
                let length = run.bytes();
                if skipped >= length {
                    skipped -= length;
                    continue;
                }
                let taken = (length - skipped).min(rest);
                if taken == 0 {
                    break;
                }
                let offset = base.wrapping_add_signed(run.at).wrapping_add(skipped);
                match out.last_mut() {
                    Some((at, before)) if *at + *before == offset => *before += taken,
                    _ => out.push((offset, taken)),
                }
                (skipped, rest) = (0, rest - taken);
            }
            tile += 1;
        }
        out
    }

    /// How many elementary types the view shows of a file of that length.
    pub(crate) fn units_before(&self, length: u64) -> u64 {
        let rest = length.saturating_sub(self.displacement);
        let extent = self.shown.extent.max(1) as u64;
        let (tiles, part) = (rest / extent, rest % extent);
        let within: u64 =
            self.shown.runs.iter().map(|run| part.saturating_sub(run.at.max(0) as u64).min(run.bytes())).sum();
        (tiles * self.shown.size + within) / self.unit.max(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::basic::{Basic, Class};

    #[test]
    fn a_view_shows_its_file_type_again_and_again() {
        let real = Layout::basic(Basic::of(Class::Real, 8).expect("a type"));
        let shown = Layout::of_blocks([(8, 2, &real)]).expect("a layout").resized(0, 32);
        let file = File {
            path: "f".into(),
            communicator: 1,
            reads: true,
            writes: true,
            is_deleted: false,
            displacement: 100,
            unit: 8,
            shown,
            place: 0,
        };
        assert_eq!(file.pieces(0, 16), [(108, 16)]);
        assert_eq!(file.pieces(1, 24), [(116, 8), (140, 16)]);
        assert_eq!(file.pieces(3, 0), []);
        assert_eq!((file.units_before(100), file.units_before(124), file.units_before(164)), (0, 2, 4));
    }
}
