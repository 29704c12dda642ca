//! The transpose of a matrix, as a matrix of its own, and the operations on matrices that routines take (`cublasOperation_t`).

use crate::element::Element;

/// What is done to a matrix before it is used (`cublasOperation_t`).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Operation {
    Plain,
    Transposed,
    Conjugated,
}

impl Operation {
    /// Rows and columns of the matrix in memory if it has these when it is used.
    pub(crate) fn stored(self, rows: usize, columns: usize) -> (usize, usize) {
        if self == Operation::Plain { (rows, columns) } else { (columns, rows) }
    }

    /// The elements as they are used, of a matrix of so many rows in memory.
    pub(crate) fn applied<T: Element>(self, elements: Vec<T>, rows: usize) -> Vec<T> {
        match self {
            Operation::Plain => elements,
            _ => transposed(&elements, rows, self == Operation::Conjugated),
        }
    }
}

/// The transpose of a matrix of so many rows, conjugated if wanted.
pub(crate) fn transposed<T: Element>(a: &[T], rows: usize, conjugates: bool) -> Vec<T> {
    if rows == 0 {
        return Vec::new();
    }
    let columns = a.len() / rows;
    let mut out = Vec::with_capacity(a.len());
    for i in 0..rows {
        out.extend((0..columns).map(|j| if conjugates { a[j * rows + i].conjugate() } else { a[j * rows + i] }));
    }
    out
}
