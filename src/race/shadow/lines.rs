//! How a warp's access is laid over the lines of a page.
//!
//! The lanes of an access stand in rows, each a constant number of bytes from its neighbour (one row for most accesses, two
//! for a block that is 16 threads wide). A row becomes one [`Part`] for each line that it touches. What does not fill whole
//! cells, or lies too irregularly to gain anything, is refused and left to the stamps of `page`.

use crate::access::{LANES, WarpAccess};
use crate::clock::block::View;
use crate::shadow::line::{CELLS, Line, MAX_STEP, Owner, Part};
use crate::stamp::Stamp;
use mem::Strided;
use scalar::lanes;

/// The lines of a page; those that were not used since the last clearing have no meaning.
#[derive(Clone, Debug, Default)]
pub(crate) struct Lines {
    all: Vec<Line>,
    /// One bit a line: whether it was used.
    live: Vec<u64>,
    /// Binary logarithm of a cell's bytes.
    pub(crate) shift: u32,
}

/// Parts on their way to the lines: neighbours that are alike become one.
struct Emitter<'a, F> {
    lines: &'a mut Lines,
    is_write: bool,
    view: &'a View<'a>,
    line: u32,
    part: Part,
    report: F,
}

impl<F: FnMut(u32, u32)> Emitter<'_, F> {
    #[inline]
    fn emit<const SHARED: bool>(&mut self, line: u32, part: Part) -> Option<()> {
        if part.cells == 0 {
            return Some(());
        }
        let is_joined = line == self.line && part.owner == self.part.owner && part.lanes == self.part.lanes;
        if is_joined && (!self.is_write || part.cells & self.part.cells == 0) {
            self.part.cells |= part.cells;
            return Some(());
        }
        self.flush::<SHARED>()?;
        (self.line, self.part) = (line, part);
        Some(())
    }

    #[inline]
    fn flush<const SHARED: bool>(&mut self) -> Option<()> {
        if self.part.cells == 0 {
            return Some(());
        }
        let first = self.line * CELLS;
        let line = self.lines.line(self.line)?;
        let racy = line.access::<SHARED>(first, &self.part, self.is_write, self.view)?;
        if racy != 0 {
            let shift = self.lines.shift;
            lanes(racy).for_each(|bit| (self.report)((first + bit as u32) << shift, 1 << shift));
        }
        self.part.cells = 0;
        Some(())
    }
}

impl Lines {
    /// Room for `bytes` bytes in cells of `1 << shift` bytes.
    pub(crate) fn new(bytes: u32, shift: u32) -> Self {
        let mut lines = Self { shift, ..Self::default() };
        lines.grow(bytes);
        lines
    }

    pub(crate) fn grow(&mut self, bytes: u32) {
        let count = bytes.div_ceil(CELLS << self.shift) as usize;
        if count > self.all.len() {
            self.all.resize(count, Line::EMPTY);
            self.live.resize(count.div_ceil(64), 0);
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// Forgets everything.
    pub(crate) fn clear(&mut self) {
        self.live.fill(0);
    }

    /// The bytes that the lines take.
    pub(crate) fn footprint_bytes(&self) -> usize {
        self.all.capacity() * size_of::<Line>() + self.live.capacity() * 8
    }

    #[inline]
    fn line(&mut self, number: u32) -> Option<&mut Line> {
        let line = self.all.get_mut(number as usize)?;
        let word = self.live.get_mut(number as usize / 64)?;
        if *word >> (number % 64) & 1 == 0 {
            *word |= 1 << (number % 64);
            *line = Line::EMPTY;
        }
        Some(line)
    }

    /// Takes in the lines of a page of other blocks; calls `report` with offset and bytes of each cell that may be racy. `None`
    /// if the rest has to be left to stamps: all may then be merged again.
    pub(crate) fn merge(&mut self, other: &Lines, report: &mut impl FnMut(u32, u32)) -> Option<()> {
        if self.shift != other.shift || self.all.len() < other.all.len() {
            return None;
        }
        let shift = self.shift;
        for (number, theirs) in other.all.iter().enumerate() {
            let (word, bit) = (number / 64, 1 << (number % 64));
            if other.live[word] & bit == 0 {
                continue;
            }
            if self.live[word] & bit == 0 {
                self.live[word] |= bit;
                self.all[number] = *theirs;
                continue;
            }
            let first = number as u32 * CELLS;
            lanes(self.all[number].merge(theirs)?).for_each(|bit| report((first + bit as u32) << shift, 1 << shift));
        }
        Some(())
    }

    /// Calls `f` with number, last write and last read of each cell that has a stamp.
    pub(crate) fn for_each_cell(&self, mut f: impl FnMut(u32, Stamp, Stamp)) {
        for (number, line) in self.all.iter().enumerate() {
            if self.live[number / 64] >> (number % 64) & 1 == 1 {
                let first = number as u32 * CELLS;
                line.for_each_cell(first, |bit, write, read| f(first + bit, write, read));
            }
        }
    }

    /// Whether accesses of `width` bytes, all at multiples of it, can be laid over the cells.
    pub(crate) fn is_fitting(&self, width: u32) -> bool {
        width.is_power_of_two() && width.trailing_zeros().wrapping_sub(self.shift) <= 2
    }

    /// A weak access of rows; `base` is the address of the page, and all active lanes are on it, aligned. `None` if the
    /// access, or the rest of it, has to be left to stamps: all of it may then be done again.
    pub(crate) fn access_rows<const SHARED: bool>(
        &mut self,
        rows: &Strided<LANES>,
        base: u64,
        access: &WarpAccess<'_>,
        view: &View<'_>,
        report: impl FnMut(u32, u32),
    ) -> Option<()> {
        let shift = self.shift;
        let split = access.width.trailing_zeros() - shift;
        let row_lanes = rows.row_lanes();
        let row_mask = u32::MAX >> (LANES as u32 - row_lanes);
        let active = access.active;
        let is_write = !access.kind.is_read();
        let tid = view.warp * LANES as u32;
        let part = Part { cells: 0, owner: Owner::warp(view.warp), lanes: active };
        let mut out = Emitter { lines: self, is_write, view, line: 0, part, report };
        let step = rows.step() >> shift;
        let mut lane = 0;
        // Rows on top of each other: each cell is touched by several lanes.
        let is_stacked = rows.row() == 0
            && rows.step() != 0
            && row_lanes < LANES as u32
            && (active >> row_lanes) == active & (u32::MAX >> row_lanes);
        while lane < LANES as u32 {
            let mask = active >> lane & row_mask;
            let at = rows.address(lane as usize);
            // The cell of the row's first lane, which may lie before the page if that lane is not active.
            let start = (at.wrapping_sub(base) as i64) >> shift;
            let row_tid = tid + lane;
            lane += row_lanes;
            if mask == 0 {
                continue;
            }
            let first = mask.trailing_zeros();
            for k in 0..1_i64 << split {
                let origin = start + k;
                if step == 0 {
                    let owner = if mask.count_ones() > 1 {
                        Owner::warp(view.warp)
                    } else {
                        Owner::run(origin as u32, 1, row_tid + first)
                    };
                    out.emit::<SHARED>(
                        origin as u32 / CELLS,
                        Part { cells: 1 << (origin as u32 % CELLS), owner, ..part },
                    )?;
                    continue;
                }
                let at = (origin + step * i64::from(first)) as u32;
                let owner = if is_stacked {
                    Owner::warp(view.warp)
                } else if step.abs() <= MAX_STEP {
                    Owner::run(at, step as i32, row_tid + first)
                } else {
                    Owner::default()
                };
                if step == 1 {
                    let bits = u64::from(mask >> first) << (at % CELLS);
                    let (low, high) = (bits as u32, (bits >> 32) as u32);
                    out.emit::<SHARED>(at / CELLS, Part { cells: low, owner, ..part })?;
                    out.emit::<SHARED>(at / CELLS + 1, Part { cells: high, owner, ..part })?;
                    continue;
                }
                if step.abs() > MAX_STEP && !is_stacked {
                    for i in lanes(mask) {
                        let cell = (origin + step * i as i64) as u32;
                        let owner = Owner::run(cell, 1, row_tid + i as u32);
                        out.emit::<SHARED>(cell / CELLS, Part { cells: 1 << (cell % CELLS), owner, ..part })?;
                    }
                    continue;
                }
                let (mut line, mut cells) = (at / CELLS, 0);
                for i in lanes(mask) {
                    let cell = (origin + step * i as i64) as u32;
                    if cell / CELLS != line {
                        out.emit::<SHARED>(line, Part { cells, owner, ..part })?;
                        (line, cells) = (cell / CELLS, 0);
                    }
                    cells |= 1 << (cell % CELLS);
                }
                out.emit::<SHARED>(line, Part { cells, owner, ..part })?;
            }
            if is_stacked {
                break;
            }
        }
        out.flush::<SHARED>()
    }

    /// A weak access of one lane at `offset`, aligned. `None` as for [`Lines::access_rows`].
    #[inline]
    pub(crate) fn access_lane<const SHARED: bool>(
        &mut self,
        offset: u32,
        lane: u32,
        access: &WarpAccess<'_>,
        view: &View<'_>,
        mut report: impl FnMut(u32, u32),
    ) -> Option<()> {
        let shift = self.shift;
        for cell in offset >> shift..(offset + access.width) >> shift {
            let owner = Owner::run(cell, 1, view.warp * LANES as u32 + lane);
            let part = Part { cells: 1 << (cell % CELLS), owner, lanes: 1 << lane };
            let first = cell & !(CELLS - 1);
            let racy = self.line(cell / CELLS)?.access::<SHARED>(first, &part, !access.kind.is_read(), view)?;
            if racy != 0 {
                report(cell << shift, 1 << shift);
            }
        }
        Some(())
    }
}
