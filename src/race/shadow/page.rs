//! The stamps of one range of memory: a 64 KiB page of global memory, or the shared memory of one block.
//!
//! A page starts with lines of classes (`line`, `lines`), which say the same in less room, and goes over to stamps a cell with
//! the first access that a line cannot take: a strong one, one that is narrower than a cell, or one that would make too many
//! classes. A page that went over stays so for some launches, since the next launch is most often like the last.
//!
//! Stamped pages start with cells of the bytes of the first access, at most 8; the first access that is
//! narrower than a cell splits all cells of the page in two, each half inheriting the stamps, down to the finest cell
//! allowed. That costs 4 bytes per byte of memory at 4-byte cells, 2 at 8-byte cells, 16 at cells of one byte.
//! Accesses finer than the finest cell share a cell; a candidate then names the whole cell and the second pass,
//! which is byte-exact, decides. Dropping stamps stays right per cell: any access that is unordered with a dropped access is
//! unordered with the dropping one, whatever the bytes, and a weak write conflicts with everything in the cell.
//!
//! Strong accesses have two more stamps per cell, made when the first one touches the page. Morally strong accesses
//! overlap completely, so the exemption holds only among accesses of one width: each cell has one strong width, that of its
//! first strong access. A strong access of another width, one that does not fill whole cells, and, in global memory, one of
//! block scope is followed as if it were weak. That can only add candidates.
//!
//! Pages of two detectors that followed different blocks become one ([`Page::merge`]): see `shadow::merge`.

use crate::clock::block::View;
use crate::shadow::cell::{Cell, Op, access, access_by_warp};
use crate::shadow::lines::Lines;
use crate::shadow::merge::{self, Stamps};
use crate::shadow::sweep::{is_plain, sweep};
use crate::stamp::Stamp;

/// The widest strong access.
const WIDEST: u32 = 64;
/// Launches after which a page that went over to stamps is tried with lines again.
const STAMPED_LAUNCHES: u8 = 8;

#[derive(Clone, Debug, Default)]
struct Strong {
    writes: Vec<Stamp>,
    reads: Vec<Stamp>,
    /// The strong width of each cell; 0 for none.
    widths: Vec<u8>,
    /// One bit for each 4 bytes that a strong access of this launch touched.
    touched: Vec<u64>,
}

/// The stamps of one range of memory; see the module's head.
#[derive(Clone, Debug)]
pub(crate) struct Page {
    /// Generation of the whole table at which the page was last cleared.
    pub(crate) epoch: u32,
    bytes: u32,
    /// Binary logarithm of the cell's bytes.
    shift: u32,
    lines: Lines,
    /// Whether the lines say what happened since the last clearing.
    is_lined: bool,
    /// Launches for which the page is to start with stamps.
    stamped: u8,
    writes: Vec<Stamp>,
    reads: Vec<Stamp>,
    strong: Option<Box<Strong>>,
    has_grown: bool,
    charged_bytes: u64,
}

/// How a cell was accessed. A write makes the reads before it forgotten.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CellUse {
    pub(crate) is_written: bool,
    pub(crate) is_read: bool,
    /// The width of its accesses if all were strong and of one width and device scope.
    pub(crate) strong_width: Option<u32>,
}

/// One lane's access of one page.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Touch {
    /// Bytes from the page's start.
    pub(crate) offset: u32,
    pub(crate) width: u32,
    pub(crate) op: Op,
    /// Whether a strong access is one of those that the exemption is for.
    pub(crate) is_regular: bool,
}

impl Touch {
    fn end(&self) -> u32 {
        self.offset + self.width
    }
}

/// Doubles what is known of each cell.
fn split<T: Copy>(cells: &[T]) -> Vec<T> {
    cells.iter().flat_map(|c| [*c, *c]).collect()
}

impl Page {
    /// An empty page for `bytes` bytes.
    pub(crate) fn new(bytes: u32, epoch: u32) -> Self {
        Self {
            epoch,
            bytes,
            shift: 3,
            lines: Lines::default(),
            is_lined: false,
            stamped: 0,
            writes: Vec::new(),
            reads: Vec::new(),
            strong: None,
            has_grown: false,
            charged_bytes: 0,
        }
    }

    fn cells(&self) -> usize {
        self.bytes.div_ceil(1 << self.shift) as usize
    }

    /// The bytes that the page has taken in addition since the last call.
    pub(crate) fn take_growth(&mut self) -> u64 {
        if !self.has_grown {
            return 0;
        }
        self.has_grown = false;
        let now = self.footprint_bytes();
        let growth = now.saturating_sub(self.charged_bytes);
        self.charged_bytes = self.charged_bytes.max(now);
        growth
    }

    /// Charges the page anew with the bytes that it takes.
    pub(crate) fn recharge(&mut self) -> u64 {
        self.charged_bytes = self.footprint_bytes();
        self.charged_bytes
    }

    /// The bytes that the page was last charged with.
    pub(crate) fn take_charge(&mut self) -> u64 {
        std::mem::take(&mut self.charged_bytes)
    }

    /// The bytes that the page takes.
    fn footprint_bytes(&self) -> u64 {
        let strong = self
            .strong
            .as_ref()
            .map_or(0, |s| (s.writes.capacity() + s.reads.capacity() + s.touched.capacity()) * 8 + s.widths.capacity());
        (self.lines.footprint_bytes() + (self.writes.capacity() + self.reads.capacity()) * 8 + strong) as u64
    }

    /// Forgets all stamps; the places of strong accesses too if a new launch starts.
    pub(crate) fn clear(&mut self, epoch: u32, is_new_launch: bool) {
        self.epoch = epoch;
        self.stamped = self.stamped.saturating_sub(1);
        self.is_lined = false;
        self.lines.clear();
        self.writes.clear();
        self.reads.clear();
        self.shift = 3;
        if is_new_launch {
            self.strong = None;
        } else if let Some(strong) = &mut self.strong {
            strong.writes.clear();
            strong.reads.clear();
            strong.widths.clear();
        }
    }

    /// Makes room for `bytes` bytes.
    pub(crate) fn grow(&mut self, bytes: u32) {
        if bytes <= self.bytes {
            return;
        }
        self.bytes = bytes;
        if !self.lines.is_empty() {
            self.has_grown = true;
            self.lines.grow(bytes);
        }
        if !self.writes.is_empty() {
            self.allocate();
        }
        if self.strong.is_some() {
            self.allocate_strong();
        }
    }

    /// The lines, if weak accesses of `width` bytes, at multiples of it, may be tried with them.
    #[inline]
    pub(crate) fn lines_for(&mut self, width: u32) -> Option<&mut Lines> {
        if !self.is_lined && !self.start_lines(width) {
            return None;
        }
        self.lines.is_fitting(width).then_some(&mut self.lines)
    }

    /// Starts with lines, if the page says nothing yet.
    fn start_lines(&mut self, width: u32) -> bool {
        if self.stamped > 0 || !self.writes.is_empty() || self.strong.is_some() || !matches!(width, 1 | 2 | 4 | 8) {
            return false;
        }
        let shift = width.trailing_zeros();
        if self.lines.is_empty() || self.lines.shift != shift {
            (self.writes, self.reads) = (Vec::new(), Vec::new());
            self.lines = Lines::new(self.bytes, shift);
            self.has_grown = true;
        }
        self.is_lined = true;
        true
    }

    /// Goes over from lines to stamps.
    pub(crate) fn stamp(&mut self) {
        let lines = std::mem::take(&mut self.lines);
        if !std::mem::take(&mut self.is_lined) {
            return;
        }
        self.stamped = STAMPED_LAUNCHES;
        self.shift = lines.shift;
        self.allocate();
        lines.for_each_cell(|cell, write, read| {
            if let (Some(w), Some(r)) = (self.writes.get_mut(cell as usize), self.reads.get_mut(cell as usize)) {
                (*w, *r) = (write, read);
            }
        });
    }

    fn allocate(&mut self) {
        self.has_grown = true;
        let cells = self.cells();
        self.writes.resize(cells, Stamp::NONE);
        self.reads.resize(cells, Stamp::NONE);
    }

    fn allocate_strong(&mut self) {
        self.has_grown = true;
        let cells = self.cells();
        let strong = self.strong.get_or_insert_default();
        strong.writes.resize(cells, Stamp::NONE);
        strong.reads.resize(cells, Stamp::NONE);
        strong.widths.resize(cells, 0);
        strong.touched.resize(self.bytes.div_ceil(256) as usize, 0);
    }

    /// Splits the cells until an access at `offset` of `width` bytes fills whole ones, or they are as fine as allowed.
    fn refine(&mut self, offset: u32, width: u32, finest: u32) {
        self.refine_to((offset | width).trailing_zeros().clamp(finest, 3));
    }

    /// Goes over to stamps of cells of at most `1 << wanted` bytes.
    fn refine_to(&mut self, wanted: u32) {
        if !self.lines.is_empty() {
            self.stamp();
        }
        if self.writes.is_empty() {
            self.shift = wanted.min(self.shift);
            self.allocate();
        }
        while self.shift > wanted {
            self.shift -= 1;
            self.has_grown = true;
            self.writes = split(&self.writes);
            self.reads = split(&self.reads);
            let cells = self.cells();
            self.writes.truncate(cells);
            self.reads.truncate(cells);
            if let Some(strong) = &mut self.strong {
                strong.writes = split(&strong.writes);
                strong.reads = split(&strong.reads);
                strong.widths = split(&strong.widths);
                strong.writes.truncate(cells);
                strong.reads.truncate(cells);
                strong.widths.truncate(cells);
            }
        }
    }

    /// Whether a strong access of this launch touched one of the bytes, to 4 bytes exactly.
    pub(crate) fn is_strong_at(&self, offset: u32, width: u32) -> bool {
        self.strong.as_ref().is_some_and(|s| (offset / 4..=(offset + width - 1) / 4).any(|bit| s.has_touched(bit)))
    }

    /// Calls `f` with the offset of each 4 bytes that a strong access of this launch touched.
    pub(crate) fn for_each_strong(&self, mut f: impl FnMut(u32)) {
        let Some(strong) = &self.strong else { return };
        for (word, &bits) in strong.touched.iter().enumerate() {
            let mut rest = bits;
            while rest != 0 {
                f((word as u32 * 64 + rest.trailing_zeros()) * 4);
                rest &= rest - 1;
            }
        }
    }

    /// Calls `f` with offset and bytes of each cell that was accessed since the last clearing, and with how.
    pub(crate) fn for_each_used(&self, mut f: impl FnMut(u32, u32, CellUse)) {
        let is_set = |stamp: Stamp| stamp != Stamp::NONE;
        if self.is_lined {
            let shift = self.lines.shift;
            self.lines.for_each_cell(|cell, write, read| {
                let used = CellUse { is_written: is_set(write), is_read: is_set(read), strong_width: None };
                f(cell << shift, 1 << shift, used);
            });
        }
        for (cell, (&write, &read)) in self.writes.iter().zip(&self.reads).enumerate() {
            let offset = (cell as u32) << self.shift;
            let mut used = CellUse { is_written: is_set(write), is_read: is_set(read), strong_width: None };
            if let Some(strong) = &self.strong
                && let (Some(&write), Some(&read)) = (strong.writes.get(cell), strong.reads.get(cell))
                && (is_set(write) || is_set(read))
            {
                let is_weak = used.is_written || used.is_read;
                used.is_written |= is_set(write);
                used.is_read |= is_set(read);
                used.strong_width = (!is_weak).then(|| u32::from(strong.widths[cell]));
            }
            if used.is_written || used.is_read {
                f(offset, 1 << self.shift, used);
            }
        }
    }

    /// Whether nothing was accessed since the last clearing.
    pub(crate) fn is_blank(&self) -> bool {
        !self.is_lined && self.writes.is_empty() && self.strong.is_none()
    }

    /// Takes in the page of another detector, which followed other blocks that are unordered with those of this one; calls
    /// `report` with offset and bytes of each cell that may be racy.
    pub(crate) fn merge(&mut self, mut other: Page, report: &mut impl FnMut(u32, u32)) {
        if self.is_lined && other.is_lined && self.lines.merge(&other.lines, report).is_some() {
            return;
        }
        self.stamp();
        other.stamp();
        let wanted = self.shift.min(other.shift);
        for page in [&mut *self, &mut other] {
            page.refine_to(wanted);
            if page.strong.as_ref().is_some_and(|strong| strong.writes.len() != page.cells()) {
                page.allocate_strong();
            }
        }
        let shift = self.shift;
        let mut report_cell = |cell: usize| report((cell as u32) << shift, 1 << shift);
        if let Some(theirs) = &other.strong {
            self.allocate_strong();
            if let Some(ours) = &mut self.strong {
                ours.touched.iter_mut().zip(&theirs.touched).for_each(|(a, b)| *a |= b);
            }
        }
        if self.strong.is_none() {
            let ours = self.writes.iter_mut().zip(&mut self.reads);
            for (cell, (ours, theirs)) in ours.zip(other.writes.iter().zip(&other.reads)).enumerate() {
                if merge::weak(ours, theirs) {
                    report_cell(cell);
                }
            }
            return;
        }
        for cell in 0..self.writes.len().min(other.writes.len()) {
            let (mut ours, theirs) = (self.stamps(cell), other.stamps(cell));
            if ours.merge(&theirs) {
                report_cell(cell);
            }
            (self.writes[cell], self.reads[cell]) = (ours.weak_write, ours.weak_read);
            if let Some(strong) = &mut self.strong {
                (strong.writes[cell], strong.reads[cell]) = (ours.strong_write, ours.strong_read);
                strong.widths[cell] = ours.strong_width;
            }
        }
    }

    /// Reads the weak stamps of the cell at an offset, for the sake of reading: the bits of both, 0 if there are none.
    #[inline]
    pub(crate) fn stamps_at(&self, offset: u32) -> u64 {
        let cell = (offset >> self.shift) as usize;
        match (self.writes.get(cell), self.reads.get(cell)) {
            (Some(write), Some(read)) => write.bits() | read.bits(),
            _ => 0,
        }
    }

    /// All that is known of a cell of a page that has stamps.
    fn stamps(&self, cell: usize) -> Stamps {
        let strong = self.strong.as_deref();
        let of = |stamps: &[Stamp]| stamps.get(cell).copied().unwrap_or(Stamp::NONE);
        Stamps {
            weak_write: of(&self.writes),
            weak_read: of(&self.reads),
            strong_write: strong.map_or(Stamp::NONE, |s| of(&s.writes)),
            strong_read: strong.map_or(Stamp::NONE, |s| of(&s.reads)),
            strong_width: strong.and_then(|s| s.widths.get(cell)).copied().unwrap_or(0),
        }
    }

    /// Notes a strong access and says how the cells shall take it.
    fn admit(&mut self, touch: &Touch) -> Op {
        if !touch.op.is_strong() {
            return touch.op;
        }
        if self.strong.as_ref().is_none_or(|s| s.writes.len() != self.cells()) {
            self.allocate_strong();
        }
        let weak = if touch.op == Op::StrongRead { Op::WeakRead } else { Op::WeakWrite };
        let Some(strong) = &mut self.strong else { return weak };
        for bit in touch.offset / 4..=(touch.end() - 1) / 4 {
            strong.touched[bit as usize / 64] |= 1 << (bit % 64);
        }
        let is_whole = touch.width.is_power_of_two()
            && touch.width <= WIDEST
            && touch.offset.is_multiple_of(touch.width)
            && touch.width >= 1 << self.shift;
        if !touch.is_regular || !is_whole {
            return weak;
        }
        let cells = (touch.offset >> self.shift) as usize..(touch.end() >> self.shift) as usize;
        let widths = &mut strong.widths[cells];
        if widths.iter().any(|&width| width != 0 && u32::from(width) != touch.width) {
            return weak;
        }
        widths.fill(touch.width as u8);
        touch.op
    }

    fn cell(&mut self, cell: usize) -> Cell<'_> {
        Cell {
            weak_write: &mut self.writes[cell],
            weak_read: &mut self.reads[cell],
            strong: self
                .strong
                .as_mut()
                .filter(|s| cell < s.writes.len())
                .map(|s| (&mut s.writes[cell], &mut s.reads[cell])),
        }
    }

    /// One lane's weak access of one cell if it and the stamps are of the plainest kind; false if nothing was done.
    #[inline]
    pub(crate) fn touch_plain<const SHARED: bool>(&mut self, touch: &Touch, view: &View<'_>, lane: usize) -> bool {
        let cell = (touch.offset >> self.shift) as usize;
        let is_cell = touch.width == 1 << self.shift && touch.offset.is_multiple_of(touch.width);
        let (Some(write), Some(read)) = (self.writes.get_mut(cell), self.reads.get_mut(cell)) else { return false };
        let owner = view.owner(lane);
        let is_known = |stamp: Stamp| is_plain::<SHARED>(stamp, owner, view.tag, view.bar);
        if !is_cell || self.strong.is_some() || !is_known(*write) || !is_known(*read) {
            return false;
        }
        let new = Stamp::of_owner(owner, view.time);
        if touch.op == Op::WeakWrite {
            (*write, *read) = (new, Stamp::NONE);
        } else {
            *read = new;
        }
        true
    }

    /// One lane's access; calls `report` with offset and bytes of each cell that may be racy.
    pub(crate) fn touch<const SHARED: bool>(
        &mut self,
        touch: &Touch,
        finest: u32,
        view: &View<'_>,
        lane: usize,
        report: &mut impl FnMut(u32, u32),
    ) {
        self.refine(touch.offset, touch.width, finest);
        let op = self.admit(touch);
        let shift = self.shift;
        for cell in touch.offset >> shift..=(touch.end() - 1) >> shift {
            if access::<SHARED>(&mut self.cell(cell as usize), op, view, lane) {
                report(cell << shift, 1 << shift);
            }
        }
    }

    /// The same access by several lanes; false if nothing was done because the lanes must be looked at one by one.
    pub(crate) fn touch_by_warp<const SHARED: bool>(&mut self, touch: &Touch, finest: u32, view: &View<'_>) -> bool {
        if !matches!(touch.op, Op::WeakRead | Op::StrongRmw) {
            return false;
        }
        self.refine(touch.offset, touch.width, finest);
        let op = self.admit(touch);
        let first = touch.offset >> self.shift;
        let last = (touch.end() - 1) >> self.shift;
        first == last && access_by_warp::<SHARED>(&mut self.cell(first as usize), op, view).is_some()
    }

    /// Weak accesses of `lanes` consecutive lanes from `lane` on, to consecutive places from `offset` on.
    ///
    /// False if nothing was done because something needs a closer look: then the lanes must be looked at one by one.
    pub(crate) fn sweep<const SHARED: bool>(
        &mut self,
        touch: &Touch,
        lanes: u32,
        finest: u32,
        view: &View<'_>,
        lane: usize,
    ) -> bool {
        self.refine(touch.offset, touch.width, finest);
        if self.strong.is_some() || touch.op.is_strong() || touch.width >> self.shift << self.shift != touch.width {
            return false;
        }
        let per_lane = touch.width >> self.shift;
        let first = (touch.offset >> self.shift) as usize;
        let cells = first..first + (lanes * per_lane) as usize;
        let (Some(writes), Some(reads)) = (self.writes.get_mut(cells.clone()), self.reads.get_mut(cells)) else {
            return false;
        };
        let is_write = touch.op == Op::WeakWrite;
        match per_lane {
            1 => sweep::<1, SHARED>(writes, reads, is_write, view, lane),
            2 => sweep::<2, SHARED>(writes, reads, is_write, view, lane),
            4 => sweep::<4, SHARED>(writes, reads, is_write, view, lane),
            _ => false,
        }
    }
}

impl Strong {
    fn has_touched(&self, bit: u32) -> bool {
        self.touched.get(bit as usize / 64).is_some_and(|w| w >> (bit % 64) & 1 == 1)
    }
}
