//! The stamps of 32 neighbouring cells, kept by kind of access instead of by cell.
//!
//! A warp's access leaves one rule on the cells of a line: thread *t* was at cell *origin* + *step* × *t*. All cells with
//! the same rule, time and block are one [`Class`]; a line has room for four classes of writes and four of reads, each a
//! partition of the cells it speaks of. That says exactly what a stamp a cell would say (see `cell` for the rules that both
//! follow) in an eighth of the memory, and most accesses look at one class. A line that would need more classes does not
//! take the access; its page then goes over to stamps.
//!
//! Only weak accesses that fill whole cells come here.

use crate::clock::block::View;
use crate::stamp::Stamp;
use scalar::lanes;

/// Cells of a line.
pub(crate) const CELLS: u32 = 32;
/// Classes of writes, and of reads, of a line.
const CLASSES: usize = 4;
/// The greatest distance of two neighbouring threads, in cells, that a rule can say.
pub(crate) const MAX_STEP: i64 = 31;
/// The tag of [`Owner::MANY`].
const MANY_TAG: u32 = u32::MAX;

const RUN: u32 = 0;
const WARP: u32 = 1;
const CTA: u32 = 2;

/// Who accessed the cells of a class: the thread that a rule names for each, or a summary.
///
/// The low two bits say what it is. A rule has its step in the next six and its origin in the others.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) struct Owner(u32);

impl Owner {
    /// Several threads of the block, each cell's not known.
    const CTA: Self = Self(CTA);
    /// Threads of several blocks.
    const MANY: Self = Self(3);

    /// Several threads of a warp at each cell.
    pub(crate) fn warp(warp: u32) -> Self {
        Self(warp << 2 | WARP)
    }

    /// One thread at each cell: `tid` at `cell` of the page, the next one `step` cells (not 0, at most [`MAX_STEP`]) on.
    pub(crate) fn run(cell: u32, step: i32, tid: u32) -> Self {
        let origin = cell as i32 - step * tid as i32;
        Self((origin as u32) << 8 | (step as u32 & 63) << 2 | RUN)
    }

    fn kind(self) -> u32 {
        self.0 & 3
    }

    #[inline]
    fn is_run(self) -> bool {
        self.kind() == RUN
    }

    fn step(self) -> i32 {
        (self.0 << 24) as i32 >> 26
    }

    /// The thread that the rule names for a cell of the page.
    fn thread(self, cell: u32) -> u32 {
        let distance = cell as i32 - (self.0 as i32 >> 8);
        match self.step() {
            1 => distance as u32,
            step => distance.checked_div(step).unwrap_or(0) as u32,
        }
    }
}

/// Cells of a line that were accessed by the same rule in the same block at the same time.
#[derive(Clone, Copy, Default, Debug)]
#[repr(C, align(16))]
struct Class {
    /// One bit a cell; none if the class is not in use.
    cells: u32,
    tag: u32,
    time: u32,
    owner: Owner,
}

impl Class {
    const NONE: Self = Self { cells: 0, tag: 0, time: 0, owner: Owner(0) };

    #[inline]
    fn is_like(&self, other: &Self) -> bool {
        self.tag == other.tag && self.time == other.time && self.owner == other.owner
    }

    fn stamp(&self, cell: u32) -> Stamp {
        let tag = u64::from(self.tag);
        match self.owner.kind() {
            RUN => Stamp::thread(tag, self.owner.thread(cell), self.time),
            WARP => Stamp::warp(tag, self.owner.0 >> 2, self.time),
            CTA => Stamp::cta(tag, self.time),
            _ => Stamp::MANY_CTAS,
        }
    }
}

/// A warp's access of one line: the cells, and which thread is at each or that all of `lanes` may be.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Part {
    pub(crate) cells: u32,
    pub(crate) owner: Owner,
    pub(crate) lanes: u32,
}

/// The classes of a line: writes at even places, reads at odd ones, those in use first; see the module's head.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(crate) struct Line([Class; 2 * CLASSES]);

/// A set of classes that is being put together.
struct Set {
    list: [Class; 16],
    len: usize,
}

impl Set {
    fn new() -> Self {
        Self { list: [Class::NONE; 16], len: 0 }
    }

    fn add(&mut self, class: Class) {
        if class.cells == 0 {
            return;
        }
        if let Some(like) = self.list[..self.len].iter_mut().find(|c| c.is_like(&class)) {
            like.cells |= class.cells;
        } else {
            self.list[self.len] = class;
            self.len += 1;
        }
    }

    fn is_fitting(&self) -> bool {
        self.len <= CLASSES
    }

    /// Puts the classes into the even (0) or odd (1) places of a line.
    fn store(&self, line: &mut Line, at: usize) {
        for (place, class) in line.0[at..].iter_mut().step_by(2).zip(&self.list) {
            *place = *class;
        }
    }
}

/// Whether a class of shared memory matters to nobody any more: it is of an earlier block or before the last barrier.
#[inline]
fn is_void<const SHARED: bool>(class: &Class, view: &View<'_>) -> bool {
    SHARED && (class.tag != view.tag as u32 || class.time <= view.bar)
}

/// The cells of the class and the part whose accesses the lanes of the part do not know.
#[inline]
fn open<const SHARED: bool>(class: &Class, first: u32, part: &Part, view: &View<'_>) -> u32 {
    let both = class.cells & part.cells;
    if both == 0 {
        return 0;
    }
    if class.tag == view.tag as u32 {
        let are_same = class.owner == part.owner && part.owner.is_run();
        if class.time <= view.bar || are_same {
            return 0;
        }
        // Two rules of one step name different threads everywhere.
        let are_comparable = class.owner.is_run() && part.owner.is_run() && class.owner.step() != part.owner.step();
        if !view.knows_more && class.time > view.wsync && !are_comparable {
            return both;
        }
    } else if SHARED {
        return 0;
    } else if !view.knows_more {
        return both;
    }
    open_by_cell(class, first, both, part, view)
}

#[inline(never)]
fn open_by_cell(class: &Class, first: u32, both: u32, part: &Part, view: &View<'_>) -> u32 {
    lanes(both).fold(0, |out, bit| {
        let cell = first + bit as u32;
        let stamp = class.stamp(cell);
        let is_known = if part.owner.is_run() {
            view.is_known(stamp, part.owner.thread(cell) as usize % 32)
        } else {
            view.is_known_to_warp(stamp) || lanes(part.lanes).all(|lane| view.is_known(stamp, lane))
        };
        out | u32::from(!is_known) << bit
    })
}

/// Adds what reads that are unknown to the part, at `cells`, become together with it.
fn add_merged(set: &mut Set, class: &Class, first: u32, cells: u32, view: &View<'_>) {
    if class.tag != view.tag as u32 {
        set.add(Class { cells, tag: MANY_TAG, time: 0, owner: Owner::MANY });
        return;
    }
    let of_warp = match class.owner.kind() {
        RUN => lanes(cells)
            .fold(0, |out, bit| out | u32::from(class.owner.thread(first + bit as u32) / 32 == view.warp) << bit),
        WARP if class.owner == Owner::warp(view.warp) => cells,
        _ => 0,
    };
    let time = class.time.max(view.time);
    set.add(Class { cells: of_warp, tag: class.tag, time, owner: Owner::warp(view.warp) });
    set.add(Class { cells: cells & !of_warp, tag: class.tag, time, owner: Owner::CTA });
}

impl Line {
    pub(crate) const EMPTY: Self = Self([Class::NONE; 2 * CLASSES]);

    /// Checks a part of an access and notes it; the cells that may be racy, or `None` if the line cannot say it all and
    /// nothing was done. `first` is the number in its page of the line's first cell.
    #[inline]
    pub(crate) fn access<const SHARED: bool>(
        &mut self,
        first: u32,
        part: &Part,
        is_write: bool,
        view: &View<'_>,
    ) -> Option<u32> {
        let new = Class { cells: part.cells, tag: view.tag as u32, time: view.time, owner: part.owner };
        if is_write {
            if part.owner.is_run() && self.is_plain::<SHARED>(0, &new, view) && self.is_plain::<SHARED>(1, &new, view) {
                self.0[0] = new;
                self.0[1].cells = 0;
                return Some(0);
            }
            return self.write::<SHARED>(first, part, new, view);
        }
        let [write, read, next_write, next_read, ..] = &mut self.0;
        let is_unwritten = write.cells == 0 || is_void::<SHARED>(write, view) && next_write.cells == 0;
        if is_unwritten {
            if read.is_like(&new) && (next_read.cells == 0 || new.cells & !read.cells == 0) {
                read.cells |= new.cells;
                return Some(0);
            }
            let is_covering = new.cells & !read.cells == 0;
            let is_free = read.cells == 0 || is_void::<SHARED>(read, view) && next_read.cells == 0;
            if is_free {
                *read = new;
                return Some(0);
            }
            let is_summary =
                read.owner == Owner::MANY || read.owner == Owner::CTA && read.tag == new.tag && read.time == new.time;
            if is_covering && is_summary && !view.knows_more {
                return Some(0);
            }
        }
        self.read::<SHARED>(first, part, new, view)
    }

    /// Whether the classes at even (0) or odd (1) places are one at most, known to `new`, and dropped with it.
    #[inline]
    fn is_plain<const SHARED: bool>(&self, at: usize, new: &Class, view: &View<'_>) -> bool {
        let class = &self.0[at];
        let is_known = class.tag == new.tag && (class.time <= view.bar || class.owner == new.owner);
        self.0[at + 2].cells == 0
            && (class.cells == 0 || is_void::<SHARED>(class, view) || is_known && class.cells & !new.cells == 0)
    }

    fn write<const SHARED: bool>(&mut self, first: u32, part: &Part, new: Class, view: &View<'_>) -> Option<u32> {
        // Lanes that write to one cell race.
        let mut candidates = if part.owner.is_run() { 0 } else { part.cells };
        let mut sets = [Set::new(), Set::new()];
        sets[0].add(new);
        for (place, class) in self.0.iter().enumerate().filter(|c| c.1.cells != 0) {
            if is_void::<SHARED>(class, view) {
                continue;
            }
            candidates |= open::<SHARED>(class, first, part, view);
            sets[place % 2].add(Class { cells: class.cells & !part.cells, ..*class });
        }
        if !sets[0].is_fitting() {
            return None;
        }
        sets[0].store(self, 0);
        sets[1].store(self, 1);
        Some(candidates)
    }

    #[inline(never)]
    fn read<const SHARED: bool>(&mut self, first: u32, part: &Part, new: Class, view: &View<'_>) -> Option<u32> {
        let mut candidates = 0;
        let mut fresh = part.cells;
        let (mut writes, mut reads) = (Set::new(), Set::new());
        for (place, class) in self.0.iter().enumerate().filter(|c| c.1.cells != 0) {
            if is_void::<SHARED>(class, view) {
                continue;
            }
            let open = open::<SHARED>(class, first, part, view);
            if place % 2 == 0 {
                candidates |= open;
                writes.add(*class);
                continue;
            }
            reads.add(Class { cells: class.cells & !part.cells, ..*class });
            if open != 0 {
                fresh &= !open;
                add_merged(&mut reads, class, first, open, view);
            }
        }
        reads.add(Class { cells: fresh, ..new });
        if !reads.is_fitting() {
            return None;
        }
        // What is read most often goes first, where `access` looks for it.
        if let Some(at) = reads.list[..reads.len].iter().position(|c| c.cells & new.cells != 0) {
            reads.list.swap(0, at);
        }
        writes.store(self, 0);
        reads.store(self, 1);
        Some(candidates)
    }

    /// The cells of the classes at even (0) or odd (1) places.
    fn cells(&self, at: usize) -> u32 {
        self.0[at..].iter().step_by(2).fold(0, |all, class| all | class.cells)
    }

    /// Takes in what other blocks did to the cells (see `merge`); the cells that may be racy, or `None` if the line cannot say
    /// it all and nothing was done.
    pub(crate) fn merge(&mut self, other: &Line) -> Option<u32> {
        let [ours, theirs] = [&*self, other].map(|line| [line.cells(0), line.cells(1)]);
        let mut candidates = 0;
        if ours[0] & (theirs[0] | theirs[1]) | ours[1] & theirs[0] != 0 {
            for (a, class) in self.0.iter().enumerate().filter(|c| c.1.cells != 0) {
                for (b, their) in other.0.iter().enumerate() {
                    if (a % 2 == 0 || b % 2 == 0) && class.tag != their.tag {
                        candidates |= class.cells & their.cells;
                    }
                }
            }
        }
        let mut sets = [Set::new(), Set::new()];
        for (place, class) in self.0.iter().enumerate() {
            sets[place % 2].add(Class { cells: class.cells & !theirs[place % 2], ..*class });
        }
        for (place, class) in other.0.iter().enumerate() {
            sets[place % 2].add(Class { cells: class.cells & !ours[place % 2], ..*class });
        }
        for (place, set) in sets.iter_mut().enumerate() {
            let both = ours[place] & theirs[place];
            set.add(Class { cells: both, tag: MANY_TAG, time: 0, owner: Owner::MANY });
        }
        if !sets.iter().all(Set::is_fitting) {
            return None;
        }
        sets[0].store(self, 0);
        sets[1].store(self, 1);
        Some(candidates)
    }

    /// Calls `f` with the bit of each cell that has a stamp, its last write and its last read.
    pub(crate) fn for_each_cell(&self, first: u32, mut f: impl FnMut(u32, Stamp, Stamp)) {
        let all = self.0.iter().fold(0, |all, class| all | class.cells);
        for bit in lanes(all) {
            let stamp = |at: usize| {
                let class = self.0[at..].iter().step_by(2).find(|c| c.cells >> bit & 1 == 1);
                class.map_or(Stamp::NONE, |c| c.stamp(first + bit as u32))
            };
            f(bit as u32, stamp(0), stamp(1));
        }
    }
}
