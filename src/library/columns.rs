//! Matrices of which each column has one run of elements in memory: whole ones, triangles and bands, packed or not.

use crate::element::Element;
use crate::operand::{Operand, decode, encode, numbers};
use device::{Agreement, Bytes, CudaError, Number, Section, Strided};
use std::marker::PhantomData;
use std::ops::Range;

/// Where the elements of columns are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Layout {
    /// Columns are so many elements apart.
    Whole { leading: usize },
    /// The same, and the diagonals of a band are rows; so many of them are above the main one.
    Band { leading: usize, above: usize },
    /// The columns of an upper triangle one after another.
    PackedUpper,
    /// Those of a lower triangle.
    PackedLower,
}

/// A matrix of which elements near the diagonal are in memory.
#[derive(Debug)]
pub(crate) struct Columns<T> {
    address: u64,
    pub(crate) rows: usize,
    /// How many columns there are.
    count: usize,
    /// How many diagonals below the main one there are, and above it.
    below: usize,
    above: usize,
    layout: Layout,
    /// Whether the elements of the main diagonal are left out.
    skips_diagonal: bool,
    element: PhantomData<T>,
}

impl<T> Clone for Columns<T> {
    fn clone(&self) -> Columns<T> {
        *self
    }
}

impl<T> Copy for Columns<T> {}

/// Columns of memory that are alike: where the first begins, elements of each, how many, and the distance of their beginnings.
struct Runs {
    first: usize,
    elements: usize,
    count: usize,
    step: usize,
}

/// Elements of columns: the first row and those from there on, for each column.
pub(crate) type Elements<T> = Vec<(usize, Vec<T>)>;

impl<T: Element> Columns<T> {
    /// A triangle of a matrix whose columns are `leading` elements apart.
    pub(crate) fn triangle(address: u64, order: usize, leading: usize, is_upper: bool) -> Columns<T> {
        let (below, above) = if is_upper { (0, order) } else { (order, 0) };
        Columns::new(address, (order, order), (below, above), Layout::Whole { leading })
    }

    /// A triangle whose columns follow each other.
    pub(crate) fn packed(address: u64, order: usize, is_upper: bool) -> Columns<T> {
        let (below, above) = if is_upper { (0, order) } else { (order, 0) };
        let layout = if is_upper { Layout::PackedUpper } else { Layout::PackedLower };
        Columns::new(address, (order, order), (below, above), layout)
    }

    /// A matrix with `below` and `above` diagonals beside the main one, which are rows in memory.
    pub(crate) fn band(
        address: u64,
        sizes: (usize, usize),
        (below, above): (usize, usize),
        leading: usize,
    ) -> Columns<T> {
        Columns::new(address, sizes, (below, above), Layout::Band { leading, above })
    }

    fn new(address: u64, (rows, count): (usize, usize), (below, above): (usize, usize), layout: Layout) -> Columns<T> {
        Columns { address, rows, count, below, above, layout, skips_diagonal: false, element: PhantomData }
    }

    /// The same without the elements of the diagonal, if they count as 1.
    pub(crate) fn of_unit_diagonal(mut self, is_unit: bool) -> Columns<T> {
        self.skips_diagonal = is_unit;
        self
    }

    /// Whether a triangle is the upper one.
    pub(crate) fn is_upper(&self) -> bool {
        self.below == 0
    }

    /// The rows of a column that are in memory.
    fn range(&self, j: usize) -> Range<usize> {
        let (mut from, mut to) = (j.saturating_sub(self.above), (j + self.below + 1).min(self.rows));
        if self.skips_diagonal && self.above == 0 {
            from = j + 1;
        } else if self.skips_diagonal {
            to = to.min(j);
        }
        from.min(to)..to
    }

    /// Which element of memory the one of a row and a column is.
    fn offset(&self, i: usize, j: usize) -> usize {
        match self.layout {
            Layout::Whole { leading } => i + j * leading,
            Layout::Band { leading, above } => above + i - j + j * leading,
            Layout::PackedUpper => i + j * (j + 1) / 2,
            // Columns before it have one element less each.
            Layout::PackedLower => i + j * self.count - j * (j + 1) / 2,
        }
    }

    fn address(&self, offset: usize) -> u64 {
        self.address.wrapping_add((offset * T::BYTES) as u64)
    }

    /// The columns that have elements, put together where they are alike.
    fn runs(&self) -> Vec<Runs> {
        let mut out: Vec<Runs> = Vec::new();
        for j in 0..self.count {
            let range = self.range(j);
            if range.is_empty() {
                continue;
            }
            let (first, elements) = (self.offset(range.start, j), range.len());
            match out.last_mut() {
                Some(last) if last.count == 1 && last.first + last.elements == first => last.elements += elements,
                Some(last) if last.count == 1 && last.elements == elements => {
                    (last.count, last.step) = (2, first - last.first);
                }
                Some(last) if last.elements == elements && last.first + last.count * last.step == first => {
                    last.count += 1;
                }
                _ => out.push(Runs { first, elements, count: 1, step: 0 }),
            }
        }
        out
    }

    fn section(&self, runs: &Runs) -> Section {
        let bytes = T::BYTES as i64;
        let dims = vec![(runs.elements as i64, bytes), (runs.count as i64, runs.step as i64 * bytes)];
        (Strided { base: self.address(runs.first), dims }, T::BYTES as u64)
    }

    pub(crate) fn load(&self, memory: &mut dyn Bytes) -> Result<Elements<T>, CudaError> {
        let column = |j| {
            let range = self.range(j);
            let mut bytes = vec![0; range.len() * T::BYTES];
            if !range.is_empty() {
                memory.get(self.address(self.offset(range.start, j)), &mut bytes)?;
            }
            Ok((range.start, decode(&bytes).collect()))
        };
        (0..self.count).map(column).collect()
    }

    pub(crate) fn store(&self, memory: &mut dyn Bytes, elements: &Elements<T>) -> Result<(), CudaError> {
        for (j, (from, column)) in elements.iter().enumerate().filter(|(_, (_, column))| !column.is_empty()) {
            memory.put(self.address(self.offset(*from, j)), &encode(column))?;
        }
        Ok(())
    }

    /// The elements of a whole matrix that are in memory here.
    pub(crate) fn cut(&self, matrix: &[T]) -> Elements<T> {
        let column = |j| {
            let range = self.range(j);
            (range.start, matrix[j * self.rows..][range].to_vec())
        };
        (0..self.count).map(column).collect()
    }
}

/// The whole matrix of so many rows; what is not there is 0.
pub(crate) fn whole<T: Element>(elements: &Elements<T>, rows: usize) -> Vec<T> {
    let mut out = vec![T::ZERO; rows * elements.len()];
    for (j, (from, column)) in elements.iter().enumerate() {
        out[j * rows + from..][..column.len()].copy_from_slice(column);
    }
    out
}

impl<T: Element> Operand for Columns<T> {
    fn extent(&self) -> Section {
        let runs = self.runs();
        let first = runs.first().map_or(0, |runs| runs.first);
        let end = runs.last().map_or(0, |runs| runs.first + (runs.count - 1) * runs.step + runs.elements);
        self.section(&Runs { first, elements: end - first, count: 1, step: 0 })
    }

    fn sections(&self) -> Vec<Section> {
        self.runs().iter().map(|runs| self.section(runs)).collect()
    }

    fn numbers(&self) -> (Number, Agreement) {
        numbers::<T>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The elements of memory that a matrix uses, in rising order.
    fn used(columns: &Columns<f64>) -> Vec<u64> {
        let sections = columns.sections();
        let runs = sections.iter().flat_map(|(array, bytes)| array.runs(*bytes));
        runs.flat_map(|(address, bytes)| (address / 8)..(address + bytes) / 8).collect()
    }

    #[test]
    fn only_what_is_stored_is_used() {
        assert_eq!(used(&Columns::triangle(0, 3, 4, true)), [0, 4, 5, 8, 9, 10]);
        assert_eq!(used(&Columns::triangle(0, 3, 4, false)), [0, 1, 2, 5, 6, 10]);
        assert_eq!(used(&Columns::triangle(0, 3, 4, true).of_unit_diagonal(true)), [4, 8, 9]);
        assert_eq!(used(&Columns::triangle(0, 3, 4, false).of_unit_diagonal(true)), [1, 2, 6]);
        assert_eq!(used(&Columns::packed(0, 3, true)), [0, 1, 2, 3, 4, 5]);
        assert_eq!(used(&Columns::packed(0, 3, false).of_unit_diagonal(true)), [1, 2, 4]);
        assert_eq!(used(&Columns::band(0, (4, 4), (1, 1), 3)), [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
        assert_eq!(used(&Columns::band(0, (2, 4), (0, 1), 4)), [1, 4, 5, 8]);
    }

    #[test]
    fn columns_that_are_alike_are_one_section() {
        assert_eq!(Columns::<f32>::band(0, (1000, 1000), (1, 1), 5).sections().len(), 3);
        assert_eq!(Columns::<f32>::packed(0, 1000, false).sections().len(), 1);
        assert_eq!(Columns::<f32>::triangle(0, 10, 10, true).sections().len(), 10);
    }
}
