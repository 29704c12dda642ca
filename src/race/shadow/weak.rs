//! Weak accesses of a warp on one page: by lines where the page has them, else by stamps.

use crate::access::{LANES, WarpAccess};
use crate::clock::block::View;
use crate::shadow::global::op_of;
use crate::shadow::page::{Page, Touch};
use mem::{LaneAddresses, Strided};
use scalar::lanes;

/// What the detector keeps of an access while it is laid over pages.
pub(crate) struct Weak<'a> {
    pub(crate) access: &'a WarpAccess<'a>,
    pub(crate) view: &'a View<'a>,
    /// Binary logarithm of the finest cell's bytes.
    pub(crate) finest: u32,
}

/// The rule of a weak access whose lanes are all at multiples of its width; a list of addresses may turn out to have one.
pub(crate) fn rows_of(access: &WarpAccess<'_>) -> Option<Strided<LANES>> {
    let rows = match access.addresses {
        LaneAddresses::Strided(rule) => *rule,
        LaneAddresses::List(all) => Strided::fit(all, access.active)?,
    };
    (access.width.is_power_of_two() && rows.is_aligned(access.width as usize)).then_some(rows)
}

impl Weak<'_> {
    fn touch(&self, offset: u32) -> Touch {
        Touch { offset, width: self.access.width, op: op_of(self.access.kind), is_regular: false }
    }

    /// Rows, as [`rows_of`] gives them, that lie on the page, whose address is `base`. Calls `report` with offset and bytes
    /// of each cell that may be racy.
    #[inline]
    pub(crate) fn rows<const SHARED: bool>(
        &self,
        page: &mut Page,
        rows: &Strided<LANES>,
        base: u64,
        report: &mut impl FnMut(u32, u32),
    ) {
        if let Some(lines) = page.lines_for(self.access.width)
            && lines.access_rows::<SHARED>(rows, base, self.access, self.view, &mut *report).is_some()
        {
            return;
        }
        self.stamped_rows::<SHARED>(page, rows, base, report);
    }

    fn stamped_rows<const SHARED: bool>(
        &self,
        page: &mut Page,
        rows: &Strided<LANES>,
        base: u64,
        report: &mut impl FnMut(u32, u32),
    ) {
        let row_lanes = rows.row_lanes() as usize;
        for lane in (0..LANES as u32).step_by(row_lanes) {
            let mask = self.access.active & (u32::MAX >> (LANES - row_lanes)) << lane;
            if mask == 0 {
                continue;
            }
            let at = rows.address(lane as usize);
            let offset =
                |i: u32| at.wrapping_add_signed(rows.step().wrapping_mul(i64::from(i - lane))).wrapping_sub(base);
            let first = mask.trailing_zeros();
            let touch = self.touch(offset(first) as u32);
            let run = mask >> first;
            let is_done = if rows.step() == 0 && mask.count_ones() > 1 {
                page.touch_by_warp::<SHARED>(&touch, self.finest, self.view)
            } else if rows.step() == i64::from(self.access.width) && run & run.wrapping_add(1) == 0 {
                page.sweep::<SHARED>(&touch, run.count_ones(), self.finest, self.view, first as usize)
            } else {
                false
            };
            if !is_done {
                for i in lanes(mask) {
                    self.stamped_lane::<SHARED>(page, offset(i as u32) as u32, i, report);
                }
            }
        }
    }

    /// One lane, at a multiple of the width that lies on the page.
    #[inline]
    pub(crate) fn lane<const SHARED: bool>(
        &self,
        page: &mut Page,
        offset: u32,
        lane: usize,
        report: &mut impl FnMut(u32, u32),
    ) {
        if let Some(lines) = page.lines_for(self.access.width)
            && lines.access_lane::<SHARED>(offset, lane as u32, self.access, self.view, &mut *report).is_some()
        {
            return;
        }
        self.stamped_lane::<SHARED>(page, offset, lane, report);
    }

    #[inline]
    fn stamped_lane<const SHARED: bool>(
        &self,
        page: &mut Page,
        offset: u32,
        lane: usize,
        report: &mut impl FnMut(u32, u32),
    ) {
        let touch = self.touch(offset);
        if !page.touch_plain::<SHARED>(&touch, self.view, lane) {
            page.touch::<SHARED>(&touch, self.finest, self.view, lane, report);
        }
    }
}
