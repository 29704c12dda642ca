//! Triangular systems.

use crate::element::Element;

/// Solves a triangular system in place. Of the matrix only the triangle is looked at.
pub(crate) fn solve<T: Element>(matrix: &[T], is_upper: bool, is_unit: bool, x: &mut [T]) {
    let n = x.len();
    let step = |x: &mut [T], j: usize| {
        let column = &matrix[j * n..(j + 1) * n];
        if !is_unit {
            x[j] = x[j] / column[j];
        }
        let factor = x[j];
        let rest = if is_upper { 0..j } else { j + 1..n };
        for i in rest {
            x[i] -= column[i] * factor;
        }
    };
    if is_upper {
        (0..n).rev().for_each(|j| step(x, j));
    } else {
        (0..n).for_each(|j| step(x, j));
    }
}
