//! Shadows of detectors that followed different blocks of one launch become one.
//!
//! Blocks of a launch in which nobody has executed a fence know nothing of each other: nothing was released, so nothing can
//! have been acquired. What two such blocks do to one cell races if and only if it conflicts, in whichever order they ran.
//! So each detector may follow some of the blocks, and afterwards the stamps are compared cell by cell: a cell may be racy if
//! one detector has a write of it and the other any access, but for strong accesses of one width. What both know of the cell
//! is then merged as in `cell`: a stamp stays what it was if only one of them has it, else it says "several blocks".
//!
//! A stamp of several blocks stands for any of them. A detector suspects a cell itself before it forgets a write, so
//! merging loses nothing: whether two blocks conflict is found out no later than when the second of them is merged. Hence
//! merging is commutative and associative in what comes under suspicion, as long as cells are of one size; a page of finer
//! cells makes those of the other finer first, which can only add candidates.
//!
//! Accesses of one block are never in two detectors, so stamps of one block in both are of one and the same access.
//!
//! Not here: pages (`page`) and lines (`line`), which are merged class by class without stamps where they fit.

use crate::stamp::Stamp;

/// Whether two stamps are of accesses of different blocks. Those of several blocks each are: the blocks are not the same.
#[inline]
fn are_apart(one: Stamp, other: Stamp) -> bool {
    let are_set = one != Stamp::NONE && other != Stamp::NONE;
    are_set && (one.tag() != other.tag() || one == Stamp::MANY_CTAS)
}

/// The stamp for all that both stand for.
#[inline]
fn join(one: Stamp, other: Stamp) -> Stamp {
    if one == Stamp::NONE {
        other
    } else if other == Stamp::NONE {
        one
    } else {
        one.merge(other)
    }
}

/// Takes in the last weak write and the last weak read of a cell by other blocks; true if the cell may be racy.
#[inline]
pub(crate) fn weak(ours: (&mut Stamp, &mut Stamp), theirs: (&Stamp, &Stamp)) -> bool {
    let ((write, read), (&their_write, &their_read)) = (ours, theirs);
    let is_candidate = are_apart(*write, their_write) || are_apart(*write, their_read) || are_apart(*read, their_write);
    *write = join(*write, their_write);
    *read = join(*read, their_read);
    is_candidate
}

/// All that a detector knows of a cell.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stamps {
    pub(crate) weak_write: Stamp,
    pub(crate) weak_read: Stamp,
    pub(crate) strong_write: Stamp,
    pub(crate) strong_read: Stamp,
    /// The width of the strong accesses; 0 for none.
    pub(crate) strong_width: u8,
}

impl Stamps {
    /// The width of strong accesses that still count.
    fn width(&self) -> u8 {
        let is_set = self.strong_write != Stamp::NONE || self.strong_read != Stamp::NONE;
        if is_set { self.strong_width } else { 0 }
    }

    /// Calls strong accesses weak ones.
    fn weaken(&mut self) {
        self.weak_write = join(self.weak_write, std::mem::take(&mut self.strong_write));
        self.weak_read = join(self.weak_read, std::mem::take(&mut self.strong_read));
    }

    /// Takes in what other blocks did to the cell; true if the cell may be racy.
    pub(crate) fn merge(&mut self, theirs: &Stamps) -> bool {
        let mut theirs = *theirs;
        let widths = (self.width(), theirs.width());
        if widths.0 != 0 && widths.1 != 0 && widths.0 != widths.1 {
            self.weaken();
            theirs.weaken();
        }
        let weak_and_strong = |a: &Stamps, b: &Stamps| {
            are_apart(a.weak_write, b.strong_write)
                || are_apart(a.weak_write, b.strong_read)
                || are_apart(a.weak_read, b.strong_write)
        };
        let is_mixed = weak_and_strong(self, &theirs) || weak_and_strong(&theirs, self);
        let is_weak = weak((&mut self.weak_write, &mut self.weak_read), (&theirs.weak_write, &theirs.weak_read));
        self.strong_write = join(self.strong_write, theirs.strong_write);
        self.strong_read = join(self.strong_read, theirs.strong_read);
        self.strong_width = widths.0.max(widths.1);
        is_mixed || is_weak
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NONE: Stamps = Stamps {
        weak_write: Stamp::NONE,
        weak_read: Stamp::NONE,
        strong_write: Stamp::NONE,
        strong_read: Stamp::NONE,
        strong_width: 0,
    };

    fn stamp(block: u64) -> Stamp {
        Stamp::thread(block + 1, 3, 7)
    }

    fn atomic(block: u64, width: u8) -> Stamps {
        Stamps { strong_write: stamp(block), strong_width: width, ..NONE }
    }

    fn polled(block: u64, width: u8) -> Stamps {
        Stamps { strong_read: stamp(block), strong_width: width, ..NONE }
    }

    fn read(block: u64) -> Stamps {
        Stamps { weak_read: stamp(block), ..NONE }
    }

    fn write(block: u64) -> Stamps {
        Stamps { weak_write: stamp(block), ..NONE }
    }

    #[test]
    fn what_conflicts_between_blocks_is_a_candidate_in_any_order() {
        let all = |of: &[Stamps]| {
            let mut merged = NONE;
            of.iter().filter(|stamps| merged.merge(stamps)).count() > 0
        };
        // Reads of several blocks, and atomics of several others, before they meet.
        let (mut reads, mut atomics) = (read(0), atomic(1, 4));
        assert!(!reads.merge(&read(2)) && !atomics.merge(&atomic(3, 4)));
        let cases: [(&[Stamps], bool); 11] = [
            (&[reads, atomics], true),
            (&[reads, reads], false),
            (&[read(0), read(1), read(2)], false),
            (&[read(0), read(1), write(2)], true),
            (&[write(0), write(0)], false),
            (&[write(0), write(1)], true),
            (&[atomic(0, 4), atomic(1, 4), polled(2, 4)], false),
            (&[atomic(0, 4), atomic(1, 4), read(2)], true),
            (&[atomic(0, 4), atomic(1, 8)], true),
            (&[polled(0, 4), polled(1, 8), read(2)], false),
            (&[polled(0, 4), atomic(1, 4), polled(2, 8)], true),
        ];
        for (stamps, is_racy) in cases {
            let turned: Vec<Stamps> = stamps.iter().rev().copied().collect();
            let mut moved = stamps.to_vec();
            moved.rotate_left(1);
            assert_eq!([all(stamps), all(&turned), all(&moved)], [is_racy; 3], "{stamps:?}");
        }
    }
}
