//! The fast path: a warp's weak accesses of consecutive cells.
//!
//! Most instructions of most kernels are of this kind, and nearly all of them find stamps that are all void, all of one
//! summary, or those of one earlier instruction of consecutive lanes. Two loops without branches recognise that, and then
//! one stamp speaks for all. What is not plain by the cheap rules is left to the caller to look at lane by lane.

use crate::clock::block::View;
use crate::shadow::cell::{is_open, is_void};
use crate::stamp::Stamp;

/// Whether a stamp is harmless to `owner` by the cheap rules: void, of the owner, or before the block's last barrier.
#[inline]
pub(crate) fn is_plain<const SHARED: bool>(stamp: Stamp, owner: u64, tag: u64, bar: u32) -> bool {
    is_void::<SHARED>(stamp, tag) || stamp.is_of(owner) || stamp.is_within(tag, bar)
}

/// What the stamps of consecutive lanes have in common.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Pattern {
    /// All are equal: void, or one summary.
    Equal,
    /// As one earlier instruction of consecutive lanes at consecutive places leaves them.
    Run,
    Mixed,
}

/// Looks for a pattern without a branch in the loop, so that the loop becomes vector code.
#[inline]
fn pattern<const K: usize>(stamps: &[Stamp]) -> Pattern {
    let Some(&first) = stamps.first() else { return Pattern::Equal };
    let (mut unlike, mut off_run) = (0, 0);
    let mut expected = first.bits();
    for lane in stamps.chunks_exact(K) {
        for stamp in lane {
            unlike |= stamp.bits() ^ first.bits();
            off_run |= stamp.bits() ^ expected;
        }
        expected = expected.wrapping_add(Stamp::NEXT_LANE);
    }
    if unlike == 0 {
        Pattern::Equal
    } else if off_run == 0 {
        Pattern::Run
    } else {
        Pattern::Mixed
    }
}

/// Whether all stamps are harmless by the cheap rules to the lanes that own the cells from `owner` on.
#[inline]
fn are_plain<const K: usize, const SHARED: bool>(stamps: &[Stamp], owner: u64, tag: u64, bar: u32) -> bool {
    let Some(&first) = stamps.first() else { return true };
    match pattern::<K>(stamps) {
        // The owner test holds for one lane only if the stamps are equal.
        Pattern::Equal if stamps.len() > K => is_void::<SHARED>(first, tag) || first.is_within(tag, bar),
        Pattern::Equal | Pattern::Run => is_plain::<SHARED>(first, owner, tag, bar),
        Pattern::Mixed => {
            stamps.iter().enumerate().all(|(i, s)| is_plain::<SHARED>(*s, owner + (i / K) as u64, tag, bar))
        }
    }
}

/// Sets the stamps of consecutive lanes.
#[inline]
fn fill<const K: usize>(stamps: &mut [Stamp], owner: u64, time: u32) {
    let mut new = Stamp::of_owner(owner, time);
    for lane in stamps.chunks_exact_mut(K) {
        lane.fill(new);
        new = new.next_lane();
    }
}

/// Leaves the reads of consecutive lanes on stamps that are alike and not plain; false if they are to be looked at singly.
fn merge_alike<const K: usize>(reads: &mut [Stamp], view: &View<'_>, lane: usize) -> bool {
    let (Some(&first), Some(&last)) = (reads.first(), reads.last()) else { return true };
    if view.knows_more || pattern::<K>(reads) == Pattern::Mixed {
        return false;
    }
    if first == Stamp::MANY_CTAS {
        return true;
    }
    let lanes = reads.len() / K;
    if view.is_known_to_warp(first) && view.is_known_to_warp(last) {
        fill::<K>(reads, view.owner(lane), view.time);
        return true;
    }
    // Consecutive threads are of two warps at most, so that what both ends become, all become.
    let merged = first.merge(Stamp::of_owner(view.owner(lane), view.time));
    let is_common = merged == last.merge(Stamp::of_owner(view.owner(lane + lanes - 1), view.time));
    if is_common {
        reads.fill(merged);
    }
    is_common
}

/// The access of the cells of consecutive lanes, `K` cells to a lane; false if nothing was done because something is not
/// plain.
pub(crate) fn sweep<const K: usize, const SHARED: bool>(
    writes: &mut [Stamp],
    reads: &mut [Stamp],
    is_write: bool,
    view: &View<'_>,
    lane: usize,
) -> bool {
    let (tag, bar, time) = (view.tag, view.bar, view.time);
    let owner = view.owner(lane);
    if !are_plain::<K, SHARED>(writes, owner, tag, bar) {
        return false;
    }
    let are_reads_plain = are_plain::<K, SHARED>(reads, owner, tag, bar);
    if is_write {
        if are_reads_plain {
            fill::<K>(writes, owner, time);
            reads.fill(Stamp::NONE);
        }
        return are_reads_plain;
    }
    if are_reads_plain {
        fill::<K>(reads, owner, time);
    } else if !merge_alike::<K>(reads, view, lane) {
        for (i, read) in reads.iter_mut().enumerate() {
            if *read != Stamp::MANY_CTAS {
                let new = Stamp::of_owner(owner + (i / K) as u64, time);
                *read = if is_open::<SHARED>(*read, view, lane + i / K) { read.merge(new) } else { new };
            }
        }
    }
    true
}
