//! The transpose of a matrix, as a matrix of its own.

use crate::element::Element;

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
