//! A file that ranks share, as one of them has it open.

use crate::error::Step;
use crate::types::Datatype;
use std::sync::Arc;

/// A half of an operation that is in two halves: the routine that began it, and its request.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Begun {
    pub(crate) step: Step,
    pub(crate) request: u32,
}

/// An open file. It has a communicator with its number, and a window in which its first rank keeps the place that ranks share.
#[derive(Clone, Debug)]
pub(crate) struct File {
    pub(crate) path: Arc<str>,
    /// The communicator whose ranks have opened it.
    pub(crate) communicator: u32,
    /// The sum of `MPI_MODE_…`.
    pub(crate) mode: i32,
    pub(crate) is_atomic: bool,
    pub(crate) hints: Vec<(String, String)>,
    /// The view: where it begins, the elementary type, and the type that is repeated.
    pub(crate) displacement: u64,
    pub(crate) elementary: Datatype,
    pub(crate) shown: Datatype,
    pub(crate) representation: String,
    /// Where the rank is, in elementary types.
    pub(crate) place: u64,
    /// The rank of `MPI_COMM_WORLD` that keeps the shared place.
    pub(crate) keeper: u32,
    pub(crate) begun: Option<Begun>,
}

/// `MPI_MODE_…` of a file that is read only, or written only.
pub(crate) const READS_ONLY: i32 = 2;
pub(crate) const WRITES_ONLY: i32 = 4;

/// What becomes of bytes beyond a size that is set.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum PastEnd {
    Cut,
    Keep,
}

impl File {
    pub(crate) fn reads(&self) -> bool {
        self.mode & WRITES_ONLY == 0
    }

    pub(crate) fn writes(&self) -> bool {
        self.mode & READS_ONLY == 0
    }

    /// Bytes of the elementary type.
    pub(crate) fn unit(&self) -> u64 {
        self.elementary.layout.size.max(1)
    }

    /// The pieces of the file that `bytes` bytes of the view from a place on are: offsets and lengths.
    pub(crate) fn pieces(&self, place: u64, bytes: u64) -> Vec<(u64, u64)> {
        let (start, shown) = (place.saturating_mul(self.unit()), &self.shown.layout);
        if shown.is_dense() {
            return if bytes == 0 { Vec::new() } else { vec![(self.displacement.saturating_add(start), bytes)] };
        }
        let mut out: Vec<(u64, u64)> = Vec::new();
        let (mut tile, mut skipped, mut rest) = (start / shown.size, start % shown.size, bytes);
        while rest > 0 {
            let base = self.displacement.wrapping_add_signed((tile as i64).wrapping_mul(shown.extent));
            for run in &*shown.runs {
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
        let (rest, shown) = (length.saturating_sub(self.displacement), &self.shown.layout);
        let extent = shown.extent.max(1) as u64;
        let (tiles, part) = (rest / extent, rest % extent);
        let within: u64 = shown.runs.iter().map(|run| part.saturating_sub(run.at.max(0) as u64).min(run.bytes())).sum();
        (tiles * shown.size + within) / self.unit()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::basic::{Basic, Class};
    use crate::layout::Layout;
    use crate::types::Types;

    #[test]
    fn a_view_shows_its_file_type_again_and_again() {
        let real = Types::default().get(Basic::of(Class::Real, 8).expect("a type").number()).expect("a datatype");
        let shown = Layout::of_blocks([(8, 2, &real.layout)]).expect("a layout").resized(0, 32);
        let file = File {
            path: "f".into(),
            communicator: 1,
            mode: READS_ONLY,
            is_atomic: false,
            hints: Vec::new(),
            displacement: 100,
            shown: Datatype { layout: shown, ..real.clone() },
            elementary: real,
            representation: "native".into(),
            place: 0,
            keeper: 0,
            begun: None,
        };
        assert_eq!(file.pieces(0, 16), [(108, 16)]);
        assert_eq!(file.pieces(1, 24), [(116, 8), (140, 16)]);
        assert_eq!(file.pieces(3, 0), []);
        assert_eq!((file.units_before(100), file.units_before(124), file.units_before(164)), (0, 2, 4));
    }
}
