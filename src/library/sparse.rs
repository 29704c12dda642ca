//! What descriptors of sparse and dense matrices and vectors hold, and how the elements of a sparse matrix are read.

use crate::element::Element;
use crate::operand::Vector;
use crate::transpose::Operation;
use device::{Bytes, CudaError, Section, Strided};

/// Integers of 4 or 8 bytes in device memory.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Indices {
    pub(crate) address: u64,
    pub(crate) count: usize,
    pub(crate) bytes: u64,
}

impl Indices {
    pub(crate) fn section(&self) -> Section {
        (Strided { base: self.address, dims: vec![(self.count as i64, self.bytes as i64)] }, self.bytes)
    }

    fn load(&self, memory: &mut dyn Bytes) -> Result<Vec<i64>, CudaError> {
        let mut bytes = vec![0; self.count * self.bytes as usize];
        memory.get(self.address, &mut bytes)?;
        let value = |word: &[u8]| match self.bytes {
            8 => word.try_into().map_or(0, i64::from_le_bytes),
            _ => word.try_into().map_or(0, i32::from_le_bytes).into(),
        };
        Ok(bytes.chunks_exact(self.bytes as usize).map(value).collect())
    }
}

/// Which indices a sparse matrix has: where each row begins, where each column begins, or a row and a column each.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Format {
    Rows,
    Columns,
    Pairs,
}

/// A sparse matrix.
#[derive(Clone, Debug)]
pub(crate) struct Sparse {
    pub(crate) format: Format,
    pub(crate) rows: usize,
    pub(crate) columns: usize,
    /// Where rows or columns begin, or the rows.
    pub(crate) first: Indices,
    /// The columns, or the rows.
    pub(crate) second: Indices,
    pub(crate) values: u64,
    /// The number of the first row and column.
    pub(crate) base: i64,
    /// The type of the values (`cudaDataType`).
    pub(crate) ty: i64,
    /// Whether the upper triangle counts where one does.
    pub(crate) is_upper: bool,
    /// Whether the diagonal of that is of ones.
    pub(crate) has_unit_diagonal: bool,
}

impl Sparse {
    fn elements<T: Element>(&self) -> Vector<T> {
        Vector::new(self.values, self.second.count, 1)
    }

    /// What is read of it.
    pub(crate) fn sections<T: Element>(&self) -> [Section; 3] {
        [self.first.section(), self.second.section(), self.elements::<T>().section()]
    }

    /// The elements with rows and columns, from 0. Indices that are none of the matrix are refused.
    pub(crate) fn load<T: Element>(&self, memory: &mut dyn Bytes) -> Result<Vec<(usize, usize, T)>, CudaError> {
        let values = self.elements::<T>().load(memory)?;
        let (first, second) = (self.first.load(memory)?, self.second.load(memory)?);
        let firsts = match self.format {
            Format::Pairs => first.iter().map(|i| i - self.base).collect(),
            _ => self.spread(&first).map_err(|reason| memory.refuse(reason))?,
        };
        let mut out = Vec::with_capacity(values.len());
        for (i, ((first, second), value)) in firsts.into_iter().zip(second).zip(values).enumerate() {
            let second = second - self.base;
            let (row, column) = if self.format == Format::Columns { (second, first) } else { (first, second) };
            let row = self.place(row, ("row", self.rows), i).map_err(|reason| memory.refuse(reason))?;
            let column = self.place(column, ("column", self.columns), i).map_err(|reason| memory.refuse(reason))?;
            out.push((row, column, value));
        }
        Ok(out)
    }

    /// The row (or column) of each element, by where those begin; the reason if that cannot be.
    fn spread(&self, offsets: &[i64]) -> Result<Vec<i64>, String> {
        let (base, count) = (self.base, self.second.count as i64);
        let what = if self.format == Format::Columns { "column" } else { "row" };
        let mut out = Vec::with_capacity(self.second.count);
        let mut before = base;
        for (i, &offset) in offsets.iter().enumerate() {
            let number = i + 1;
            if i == 0 && offset != base {
                return Err(format!(
                    "the first {what} offset of the sparse matrix is {offset}, and its index base is {base}"
                ));
            }
            if offset < before {
                return Err(format!(
                    "{what} offset {number} of the sparse matrix is {offset}, which is less than the one before it, {before}"
                ));
            }
            if offset - base > count {
                return Err(format!(
                    "{what} offset {number} of the sparse matrix is {offset}, which is more than there can be: it has {count} \
                     elements, and its index base is {base}"
                ));
            }
            out.resize((offset - base) as usize, i as i64 - 1);
            before = offset;
        }
        Ok(out)
    }

    /// A row or column of an element, from 0; the reason if the matrix has none such.
    fn place(&self, index: i64, (what, count): (&str, usize), element: usize) -> Result<usize, String> {
        usize::try_from(index).ok().filter(|&index| index < count).ok_or_else(|| {
            let (number, given, base) = (element + 1, index.wrapping_add(self.base), self.base);
            format!(
                "the {what} of element {number} of the sparse matrix is {given}; it has {count} {what}s, and its index base is {base}"
            )
        })
    }
}

/// What a descriptor stands for.
#[derive(Clone, Debug)]
pub(crate) enum Descriptor {
    Sparse(Sparse),
    Vector {
        count: usize,
        values: u64,
        ty: i64,
    },
    /// In the order of C, a matrix is the transpose of one in that of Fortran.
    Matrix {
        rows: usize,
        columns: usize,
        leading: usize,
        values: u64,
        ty: i64,
        is_by_rows: bool,
    },
    /// A triangular system.
    System {
        /// Whether its right sides are a matrix.
        has_matrix: bool,
        analysed: Option<Analysed>,
    },
}

/// What a triangular system was analysed for.
#[derive(Clone, Debug)]
pub(crate) struct Analysed {
    pub(crate) ty: i64,
    /// Where the values of the matrix are.
    pub(crate) values: u64,
    pub(crate) operation: Operation,
    /// What NVIDIA's library keeps its analysis in.
    pub(crate) buffer: Option<Section>,
}
