//! The shadow of the shared memory of a resident block.
//!
//! It goes from block to block without being cleared: each block has its own generation as tag, and stamps with another
//! tag are void.

use crate::access::WarpAccess;
use crate::byteset::ByteSet;
use crate::clock::block::View;
use crate::shadow::global::{op_of, pattern_of};
use crate::shadow::page::{Page, Touch};
use crate::shadow::weak::{Weak, rows_of};
use crate::stamp::MAX_TAG;
use mem::ActivePattern;
use scalar::lanes;

/// The shadow of the shared memory of one resident block.
#[derive(Clone, Debug)]
pub(crate) struct SharedShadow {
    page: Page,
    /// The tag of the present block's stamps; all others are void.
    tag: u64,
    finest: u32,
    has_strong: bool,
    is_full: bool,
}

/// The most shared memory that is followed: more than any device gives a block.
const SHARED_LIMIT: u64 = 1 << 20;

impl SharedShadow {
    pub(crate) fn new(bytes: u32, finest: u32) -> Self {
        Self { page: Page::new(bytes, 0), tag: 0, finest, has_strong: false, is_full: false }
    }

    /// Another block takes over: the stamps become void.
    pub(crate) fn start(&mut self) {
        if self.tag == MAX_TAG {
            self.page.clear(0, false);
            self.tag = 0;
        }
        self.tag += 1;
    }

    /// Whether an access beyond what is followed has been made in this launch.
    pub(crate) fn is_full(&self) -> bool {
        self.is_full
    }

    /// The tag of the present block's stamps.
    pub(crate) fn tag(&self) -> u64 {
        self.tag
    }

    /// Whether a strong access has been made in this launch.
    pub(crate) fn has_strong(&self) -> bool {
        self.has_strong
    }

    /// Whether a strong access of this launch touched one of the bytes, to 4 bytes exactly.
    pub(crate) fn is_strong_at(&self, address: u64, width: u32) -> bool {
        address < SHARED_LIMIT && self.page.is_strong_at(address as u32, width)
    }

    /// Adds the places of this launch's strong accesses to `set`, in units of 4 bytes.
    pub(crate) fn add_strong_places(&self, set: &mut ByteSet) {
        self.page.for_each_strong(|offset| {
            set.insert(u64::from(offset), 4);
        });
    }

    /// Checks an access and updates the stamps; adds the cells that may be racy to `found`. True if there is a new one.
    pub(crate) fn access(&mut self, view: &View<'_>, access: &WarpAccess<'_>, found: &mut ByteSet) -> bool {
        let finest = self.finest;
        if !access.kind.is_strong() {
            return self.access_weak(view, access, found);
        }
        self.has_strong = true;
        let mut touch = Touch { offset: 0, width: access.width, op: op_of(access.kind), is_regular: true };
        let pattern = pattern_of(access);
        let highest = match pattern {
            ActivePattern::Run(first, count) => access.addresses.address(first + count - 1),
            ActivePattern::Uniform(address) => address,
            ActivePattern::Other => lanes(access.active).map(|lane| access.addresses.address(lane)).max().unwrap_or(0),
        };
        if !self.make_room(highest, access.width) {
            return false;
        }
        if let ActivePattern::Uniform(address) = pattern
            && access.active.count_ones() > 1
            && access.failed & access.active == 0
        {
            touch.offset = address as u32;
            if self.page.touch_by_warp::<true>(&touch, finest, view) {
                return false;
            }
        }
        let mut is_new = false;
        for lane in lanes(access.active) {
            touch.offset = access.addresses.address(lane) as u32;
            touch.op = op_of(access.kind_of(lane));
            self.page.touch::<true>(&touch, finest, view, lane, &mut |offset, bytes| {
                is_new |= found.insert(u64::from(offset), u64::from(bytes));
            });
        }
        is_new
    }

    /// Makes the page reach to `width` bytes at `highest`; false if that is beyond what is followed.
    #[inline]
    fn make_room(&mut self, highest: u64, width: u32) -> bool {
        let end = highest.saturating_add(u64::from(width));
        self.is_full |= end > SHARED_LIMIT;
        if end <= SHARED_LIMIT {
            self.page.grow(end as u32);
        }
        end <= SHARED_LIMIT
    }

    fn access_weak(&mut self, view: &View<'_>, access: &WarpAccess<'_>, found: &mut ByteSet) -> bool {
        let weak = Weak { access, view, finest: self.finest };
        let mut is_new = false;
        let mut report = |offset: u32, bytes: u32| is_new |= found.insert(u64::from(offset), u64::from(bytes));
        if let Some(rows) = rows_of(access) {
            // Where rows are not whole, `ends` may lie outside of shared memory although no lane does.
            let (low, high) = rows.ends(access.active);
            let end = low.max(high).saturating_add(u64::from(access.width));
            if end <= SHARED_LIMIT {
                self.page.grow(end as u32);
                weak.rows::<true>(&mut self.page, &rows, 0, &mut report);
                return is_new;
            }
        }
        for lane in lanes(access.active) {
            let address = access.addresses.address(lane);
            if !self.make_room(address, access.width) {
                continue;
            }
            if access.width.is_power_of_two() && address & (u64::from(access.width) - 1) == 0 {
                weak.lane::<true>(&mut self.page, address as u32, lane, &mut report);
            } else {
                let touch =
                    Touch { offset: address as u32, width: access.width, op: op_of(access.kind), is_regular: true };
                self.page.touch::<true>(&touch, self.finest, view, lane, &mut report);
            }
        }
        is_new
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::access::{Kind, Scope};
    use crate::clock::block::BlockClock;
    use mem::{LaneAddresses, Strided};

    fn write(first: u64) -> WarpAccess<'static> {
        let addresses = Box::leak(Box::new(LaneAddresses::Strided(Strided::contiguous(first, 4))));
        WarpAccess {
            warp: 0,
            active: u32::MAX,
            failed: 0,
            kind: Kind::Write,
            scope: Scope::Gpu,
            width: 4,
            addresses,
            order: None,
        }
    }

    #[test]
    fn stamps_of_shared_memory_are_void_after_the_generations_have_run_out() {
        let mut shadow = SharedShadow::new(128, 2);
        let mut found = ByteSet::default();
        let block = || {
            let mut block_clock = BlockClock::new(0, 64, false);
            block_clock.step();
            block_clock
        };
        shadow.start();
        shadow.access(&block().view(0, shadow.tag()), &write(0), &mut found);
        shadow.tag = MAX_TAG;
        shadow.access(&block().view(0, shadow.tag()), &write(0), &mut found);
        shadow.start();
        assert_eq!(shadow.tag(), 1);
        shadow.access(&block().view(1, shadow.tag()), &write(0), &mut found);
        assert!(found.is_empty());
        // The same generation, another warp: a race.
        assert!(shadow.access(&block().view(0, shadow.tag()), &write(0), &mut found));
        shadow.access(&block().view(0, shadow.tag()), &write(SHARED_LIMIT), &mut found);
        assert!(shadow.is_full());
    }
}
