//! The rule for one cell: what an access checks, and which stamps it may drop.
//!
//! A cell has four stamps: last weak write, last weak read, last strong write, last strong read. An access conflicts with
//! the writes, a write with the reads too; strong with strong is exempt. Then it leaves its own stamp. A stamp may be
//! dropped only by an access that is ordered after it *and* conflicts at least as widely, for then any access that races with the
//! dropped access races with the dropping one: a weak write drops anything that is ordered before it; a strong access drops
//! strong stamps only; a stamp that is exempt but unordered is merged into a summary. One exception: a read-modify-write
//! takes the place of the single strong write that it reads, since that write precedes it in observation order. It does
//! not if the write is of another lane of the same instruction, because lanes of one instruction are concurrent.
//!
//! If a candidate is found, the second pass watches the whole cell from the start of the launch; nothing that happens to
//! the stamps then matters.

use crate::clock::block::View;
use crate::stamp::Stamp;

/// An access as a cell sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Op {
    WeakRead,
    WeakWrite,
    StrongRead,
    StrongWrite,
    StrongRmw,
}

impl Op {
    pub(crate) fn is_strong(self) -> bool {
        !matches!(self, Self::WeakRead | Self::WeakWrite)
    }
}

/// The stamps of one cell.
pub(crate) struct Cell<'a> {
    pub(crate) weak_write: &'a mut Stamp,
    pub(crate) weak_read: &'a mut Stamp,
    pub(crate) strong: Option<(&'a mut Stamp, &'a mut Stamp)>,
}

/// How to tell a void stamp: one that was never set, or, in shared memory, one of an earlier block.
#[inline]
pub(crate) fn is_void<const SHARED: bool>(stamp: Stamp, tag: u64) -> bool {
    if SHARED { stamp.tag() != tag } else { stamp == Stamp::NONE }
}

/// Whether the stamp stands for an access that the lane does not know.
#[inline]
pub(crate) fn is_open<const SHARED: bool>(stamp: Stamp, view: &View<'_>, lane: usize) -> bool {
    !is_void::<SHARED>(stamp, view.tag) && !view.is_known(stamp, lane)
}

fn leave<const SHARED: bool>(slot: &mut Stamp, new: Stamp, view: &View<'_>, lane: usize) {
    *slot = if is_open::<SHARED>(*slot, view, lane) { slot.merge(new) } else { new };
}

fn drop_known<const SHARED: bool>(slot: &mut Stamp, view: &View<'_>, lane: usize) {
    if !is_open::<SHARED>(*slot, view, lane) {
        *slot = Stamp::NONE;
    }
}

/// Checks one lane's access of a cell and updates its stamps; true if the cell may be racy.
pub(crate) fn access<const SHARED: bool>(cell: &mut Cell<'_>, op: Op, view: &View<'_>, lane: usize) -> bool {
    let open = |stamp: Stamp| is_open::<SHARED>(stamp, view, lane);
    let new = Stamp::of_owner(view.owner(lane), view.time);
    match op {
        Op::WeakRead => {
            let mut is_candidate = open(*cell.weak_write);
            leave::<SHARED>(cell.weak_read, new, view, lane);
            if let Some((write, read)) = &mut cell.strong {
                is_candidate |= open(**write);
                drop_known::<SHARED>(read, view, lane);
            }
            is_candidate
        }
        Op::WeakWrite => {
            let mut is_candidate = open(*cell.weak_write) || open(*cell.weak_read);
            *cell.weak_write = new;
            *cell.weak_read = Stamp::NONE;
            if let Some((write, read)) = &mut cell.strong {
                is_candidate |= open(**write) || open(**read);
                **write = Stamp::NONE;
                **read = Stamp::NONE;
            }
            is_candidate
        }
        Op::StrongRead => {
            if let Some((_, read)) = &mut cell.strong {
                leave::<SHARED>(read, new, view, lane);
            }
            open(*cell.weak_write)
        }
        Op::StrongWrite | Op::StrongRmw => {
            if let Some((write, read)) = &mut cell.strong {
                let is_replaced = op == Op::StrongRmw && write.is_single() && !is_sibling(**write, view);
                if is_replaced {
                    **write = new;
                } else {
                    leave::<SHARED>(write, new, view, lane);
                }
                drop_known::<SHARED>(read, view, lane);
            }
            open(*cell.weak_write) || open(*cell.weak_read)
        }
    }
}

/// Whether a single stamp is of another lane of the very instruction that now runs.
fn is_sibling(stamp: Stamp, view: &View<'_>) -> bool {
    stamp.time() == view.time && stamp.is_of_warp(view.owner(0))
}

/// The same access of one cell by at least two lanes at once; `None` if the lanes must be looked at one by one.
///
/// Right for weak reads and read-modify-writes only: lanes that write plainly to one place race.
pub(crate) fn access_by_warp<const SHARED: bool>(cell: &mut Cell<'_>, op: Op, view: &View<'_>) -> Option<()> {
    let is_closed = |stamp: Stamp| is_void::<SHARED>(stamp, view.tag) || view.is_known_to_warp(stamp);
    let new = Stamp::warp(view.tag, view.warp, view.time);
    match op {
        Op::WeakRead => {
            let strong = cell.strong.as_ref().map_or(Stamp::NONE, |s| *s.0);
            if !is_closed(*cell.weak_write) || !is_closed(strong) {
                return None;
            }
            let read = &mut *cell.weak_read;
            *read = if is_closed(*read) { new } else { read.merge(new) };
            if let Some((_, read)) = &mut cell.strong
                && is_closed(**read)
            {
                **read = Stamp::NONE;
            }
            Some(())
        }
        Op::StrongRmw => {
            if !is_closed(*cell.weak_write) || !is_closed(*cell.weak_read) {
                return None;
            }
            let (write, read) = cell.strong.as_mut()?;
            let is_replaced = is_closed(**write) || write.is_single();
            **write = if is_replaced { new } else { write.merge(new) };
            if is_closed(**read) {
                **read = Stamp::NONE;
            }
            Some(())
        }
        Op::WeakWrite | Op::StrongRead | Op::StrongWrite => None,
    }
}
