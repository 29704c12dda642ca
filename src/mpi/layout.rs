//! What a datatype is: where in memory the values of one element are, and of which basic types.

use crate::basic::Basic;
use std::borrow::Borrow;
use std::sync::Arc;

/// Runs that a datatype may consist of; more would take more memory than any program means to use for it.
const MOST_RUNS: usize = 1 << 24;

/// Values of one basic type that follow each other in memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Run {
    /// Offset of the first, in bytes.
    pub(crate) at: i64,
    /// Their type.
    pub(crate) basic: Basic,
    /// How many.
    pub(crate) count: u64,
}

impl Run {
    pub(crate) fn bytes(&self) -> u64 {
        self.basic.bytes() * self.count
    }
}

/// The layout of one element.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Layout {
    /// In the order in which values are sent.
    pub(crate) runs: Arc<[Run]>,
    /// Lower bound, in bytes.
    pub(crate) lower: i64,
    /// From the lower bound to that of the next element.
    pub(crate) extent: i64,
    /// Bytes of the values.
    pub(crate) size: u64,
    /// Whether places are differences of addresses, so that values may be in several variables.
    pub(crate) is_by_address: bool,
    /// Which bounds the program has set, the lower and the upper: the type map has a marker there.
    pub(crate) is_marked: [bool; 2],
}

impl Layout {
    /// The layout of a basic type.
    pub(crate) fn basic(basic: Basic) -> Layout {
        let runs = [Run { at: 0, basic, count: 1 }].into();
        let bytes = basic.bytes();
        Layout { runs, lower: 0, extent: bytes as i64, size: bytes, is_by_address: false, is_marked: [false; 2] }
    }

    /// A marker of the lower or of the upper bound, which has no values.
    pub(crate) fn marker(is_marked: [bool; 2]) -> Layout {
        Layout { runs: [].into(), lower: 0, extent: 0, size: 0, is_by_address: false, is_marked }
    }

    /// Blocks of elements, each a displacement in bytes, a number of elements and their layout; `None` if there are too many.
    pub(crate) fn of_blocks<L: Borrow<Layout>>(blocks: impl IntoIterator<Item = (i64, u64, L)>) -> Option<Layout> {
        let mut runs: Vec<Run> = Vec::new();
        let mut bounds = Bounds::default();
        let mut is_by_address = false;
        for (displacement, count, layout) in blocks {
            let layout = layout.borrow();
            is_by_address |= layout.is_by_address;
            if count == 0 {
                continue;
            }
            let last = displacement.checked_add(layout.extent.checked_mul(i64::try_from(count - 1).ok()?)?)?;
            let low = displacement.min(last).checked_add(layout.lower)?;
            let high = displacement.max(last).checked_add(layout.lower)?.checked_add(layout.extent)?;
            bounds.add([low, high], layout);
            if layout.is_dense() {
                let Run { basic, count: n, .. } = layout.runs[0];
                push(&mut runs, Run { at: displacement, basic, count: n.checked_mul(count)? })?;
                continue;
            }
            for i in 0..if layout.runs.is_empty() { 0 } else { count } {
                let at = displacement + layout.extent * i as i64;
                for run in &*layout.runs {
                    push(&mut runs, Run { at: at.checked_add(run.at)?, ..*run })?;
                }
            }
        }
        let ([low, high], is_marked) = bounds.of_all();
        let size = runs.iter().try_fold(0u64, |sum, run| sum.checked_add(run.bytes()))?;
        Some(Layout { runs: runs.into(), lower: low, extent: high.checked_sub(low)?, size, is_by_address, is_marked })
    }

    /// The same with bounds that the program sets; `None` if they are too far apart.
    pub(crate) fn resized(&self, lower: i64, extent: i64) -> Option<Layout> {
        lower.checked_add(extent)?;
        Some(Layout { lower, extent, is_marked: [true; 2], ..self.clone() })
    }

    /// The same with places that are differences of addresses.
    pub(crate) fn by_address(self) -> Layout {
        Layout { is_by_address: true, ..self }
    }

    /// The same with room behind the values, so that the next element begins where a compiler would put it, unless the program
    /// has said where it begins; `None` if there is no such place.
    pub(crate) fn padded(self) -> Option<Layout> {
        if self.is_marked[1] {
            return Some(self);
        }
        let align = self.runs.iter().map(|run| run.basic.alignment()).max().unwrap_or(1) as i64;
        // MPI 4.0, 5.1: the extent is rounded, wherever it begins.
        let gap = (align - self.extent.rem_euclid(align)) % align;
        let extent = self.extent.checked_add(gap)?;
        self.lower.checked_add(extent)?;
        Some(Layout { extent, ..self })
    }

    /// Whether elements follow each other without gaps, all of one basic type.
    pub(crate) fn is_dense(&self) -> bool {
        matches!(&*self.runs, [run] if run.at == 0 && self.lower == 0 && self.extent == self.size as i64)
    }

    /// The first byte of the values of `count` elements and one past the last, relative to the first element; `None` where
    /// there are no values.
    pub(crate) fn hull(&self, count: u64) -> Option<(i64, i64)> {
        let low = self.runs.iter().map(|run| run.at).min()?;
        let high = self.runs.iter().map(|run| run.at + run.bytes() as i64).max()?;
        let reach = self.extent.checked_mul(i64::try_from(count).ok()?.checked_sub(1)?)?;
        Some((low.checked_add(reach.min(0))?, high.checked_add(reach.max(0))?)).filter(|_| count > 0)
    }

    /// What `count` elements are, whatever their places.
    pub(crate) fn signature(&self, count: u64) -> Signature {
        let mut unit: Vec<(Basic, u64)> = Vec::new();
        for run in &*self.runs {
            match unit.last_mut() {
                Some((basic, n)) if *basic == run.basic => *n += run.count,
                _ => unit.push((run.basic, run.count)),
            }
        }
        match unit[..] {
            [(basic, n)] => Signature { unit: [(basic, n.saturating_mul(count))].into(), times: u64::from(count > 0) },
            _ => Signature { unit: unit.into(), times: count },
        }
    }
}

/// The bounds of blocks: those of markers, or where there are none the lowest and the highest.
#[derive(Default)]
struct Bounds {
    of_values: [Option<i64>; 2],
    of_markers: [Option<i64>; 2],
}

impl Bounds {
    fn add(&mut self, bounds: [i64; 2], layout: &Layout) {
        for (i, bound) in bounds.into_iter().enumerate() {
            // A marker of the other bound says nothing of this one.
            if layout.runs.is_empty() && layout.is_marked[1 - i] && !layout.is_marked[i] {
                continue;
            }
            let known = if layout.is_marked[i] { &mut self.of_markers[i] } else { &mut self.of_values[i] };
            *known = Some(known.map_or(bound, |known| if i == 0 { known.min(bound) } else { known.max(bound) }));
        }
    }

    /// Both, and which of them are of markers.
    fn of_all(&self) -> ([i64; 2], [bool; 2]) {
        let [low, high] = [0, 1].map(|i| self.of_markers[i].or(self.of_values[i]));
        // Where there are no values, the one bound is the other.
        let bounds = [low.or(high), high.or(low)].map(Option::unwrap_or_default);
        (bounds, self.of_markers.map(|bound| bound.is_some()))
    }
}

/// Adds a run, joined to the one before it where it goes on; `None` if there are too many, or its end has no address.
fn push(runs: &mut Vec<Run>, run: Run) -> Option<()> {
    let bytes = run.basic.bytes().checked_mul(run.count)?;
    run.at.checked_add_unsigned(bytes)?;
    if let Some(last) = runs.last_mut()
        && last.basic == run.basic
        && last.at + last.bytes() as i64 == run.at
    {
        last.count += run.count;
        return Some(());
    }
    runs.push(run);
    (runs.len() <= MOST_RUNS).then_some(())
}

/// The basic types of the values of a message, in order.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Signature {
    unit: Arc<[(Basic, u64)]>,
    times: u64,
}

impl Signature {
    /// No values.
    pub(crate) fn empty() -> Signature {
        Signature { unit: [].into(), times: 0 }
    }

    /// The signature of these values, in a row that is repeated.
    pub(crate) fn of(unit: Vec<(Basic, u64)>, times: u64) -> Signature {
        Signature { unit: unit.into(), times }
    }

    /// Its row, and how often that is repeated.
    pub(crate) fn unit(&self) -> (&[(Basic, u64)], u64) {
        (&self.unit, self.times)
    }

    fn parts(&self) -> impl Iterator<Item = (Basic, u64)> {
        let unit = self.unit.clone();
        let elements = |(basic, n): (Basic, u64)| {
            let (element, each) = basic.elements();
            (element, n.saturating_mul(each))
        };
        (0..self.times).flat_map(move |_| unit.clone().to_vec()).filter(|(_, n)| *n > 0).map(elements)
    }

    /// The first basic types in which the values of this signature differ from those that a longer or equal one takes.
    pub(crate) fn mismatch(&self, room: &Signature) -> Option<(Basic, Basic)> {
        if self == room {
            return None;
        }
        let (mut sent, mut taken) = (self.parts(), room.parts());
        let (mut a, mut b) = (sent.next(), taken.next());
        while let (Some((x, m)), Some((y, n))) = (a, b) {
            if x.is_raw() || y.is_raw() {
                return None;
            }
            if !x.matches(y) {
                return Some((x, y));
            }
            let both = m.min(n);
            a = if m > both { Some((x, m - both)) } else { sent.next() };
            b = if n > both { Some((y, n - both)) } else { taken.next() };
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::basic::Class;

    fn basic(class: Class, bytes: u64) -> Layout {
        Layout::basic(Basic::of(class, bytes).expect("a basic type"))
    }

    #[test]
    fn blocks_without_gaps_become_one_run() {
        let real = basic(Class::Real, 8);
        let dense = Layout::of_blocks([(0, 2, &real), (16, 3, &real)]).expect("a layout");
        assert_eq!((dense.runs.len(), dense.size, dense.extent, dense.is_dense()), (1, 40, 40, true));
        let column = Layout::of_blocks([(0, 1, &real), (80, 1, &real)]).expect("a layout");
        assert_eq!((column.runs.len(), column.size, column.extent, column.is_dense()), (2, 16, 88, false));
        assert_eq!(column.hull(2), Some((0, 176)));
    }

    #[test]
    fn signatures_are_compared_value_by_value() {
        let (real, whole) = (basic(Class::Real, 8), basic(Class::Integer, 4));
        let pair = Layout::of_blocks([(0, 1, &real), (8, 1, &whole)]).expect("a layout");
        let two = Layout::of_blocks([(0, 1, &pair), (16, 1, &pair)]).expect("a layout");
        assert_eq!(pair.signature(2).mismatch(&two.signature(1)), None);
        let found = pair.signature(2).mismatch(&real.signature(9)).expect("they differ");
        assert_eq!((found.0.name(), found.1.name()), ("MPI_INTEGER", "MPI_DOUBLE_PRECISION"));
        assert_eq!(Layout::basic(Basic::BYTE).signature(3).mismatch(&real.signature(1)), None);
    }

    #[test]
    fn markers_say_where_an_element_ends() {
        let (real, whole) = (basic(Class::Real, 8), basic(Class::Integer, 4));
        let bounds = |layout: &Layout| (layout.lower, layout.extent);
        let column = real.resized(-8, 80).expect("a layout");
        // Of the number behind the column, nothing is known to be there.
        let mixed = Layout::of_blocks([(0, 1, &column), (200, 1, &whole)]).and_then(Layout::padded).expect("a layout");
        assert_eq!(bounds(&mixed), (-8, 80));
        let markers = [Layout::marker([true, false]), Layout::marker([false, true])];
        let marked = Layout::of_blocks([(-4, 1, &markers[0]), (0, 1, &whole), (30, 1, &markers[1])]);
        assert_eq!(bounds(&marked.expect("a layout")), (-4, 34));
        let lower = Layout::of_blocks([(4, 1, &markers[0]), (0, 1, &real), (8, 1, &whole)]).and_then(Layout::padded);
        assert_eq!(bounds(&lower.expect("a layout")), (4, 8));
        // The extent is rounded, not the end.
        let late = Layout::of_blocks([(4, 1, &real), (12, 1, &whole)]).and_then(Layout::padded);
        assert_eq!(bounds(&late.expect("a layout")), (4, 16));
    }

    #[test]
    fn what_is_beyond_the_last_address_is_no_layout() {
        let whole = basic(Class::Integer, 4);
        let last = i64::MAX - 4;
        let at_end = Layout::of_blocks([(last, 1, &whole)]).expect("a layout");
        assert_eq!(at_end.clone().padded(), Some(at_end.clone()));
        let room = Layout::of_blocks([(last - 8, 1, &basic(Class::Real, 8)), (last, 1, &whole)]).expect("a layout");
        assert_eq!(room.padded(), None);
        assert_eq!(at_end.resized(8, i64::MAX), None);
        assert_eq!(Layout::of_blocks([(last + 1, 1, &whole)]), None);
        let small = at_end.resized(0, 4).expect("a layout");
        assert_eq!(Layout::of_blocks([(8, 1, &small)]), None);
        assert_eq!(small.hull(2), None);
        let long = Layout::of_blocks([(0, u64::from(u32::MAX), &basic(Class::Real, 8))]).expect("a layout");
        assert_eq!(Layout::of_blocks([(0, u64::from(u32::MAX), &long)]), None);
        assert_eq!(long.signature(u64::MAX).unit().0[0].1, u64::MAX);
    }
}
