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

    /// The elements with rows and columns, from 0. An index that is none of the matrix is an error.
    pub(crate) fn load<T: Element>(&self, memory: &mut dyn Bytes) -> Result<Vec<(usize, usize, T)>, CudaError> {
        let values = self.elements::<T>().load(memory)?;
        let (first, second) = (self.first.load(memory)?, self.second.load(memory)?);
        let firsts = match self.format {
            Format::Pairs => first.iter().map(|i| i - self.base).collect(),
            _ => {
                let mut firsts = Vec::with_capacity(values.len());
                for (i, bounds) in first.windows(2).enumerate() {
                    let (from, to) = (bounds[0] - self.base, bounds[1] - self.base);
                    if from != firsts.len() as i64 || to < from || to > values.len() as i64 {
                        return Err(CudaError::InvalidValue);
                    }
                    firsts.resize(to as usize, i as i64);
                }
                firsts
            }
        };
        let place = |index: i64, count: usize| {
            usize::try_from(index).ok().filter(|&index| index < count).ok_or(CudaError::InvalidValue)
        };
        let mut out = Vec::with_capacity(values.len());
        for ((first, second), value) in firsts.into_iter().zip(second).zip(values) {
            let second = second - self.base;
            let (row, column) = if self.format == Format::Columns { (second, first) } else { (first, second) };
            out.push((place(row, self.rows)?, place(column, self.columns)?, value));
        }
        Ok(out)
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
