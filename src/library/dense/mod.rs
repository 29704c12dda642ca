//! Dense linear algebra on matrices in the order of Fortran: triangular systems, factorisations, eigenvalues, singular values.
//!
//! Everything is plain code with one order of operations, so that results are the same everywhere.

mod eigen;
mod factor;
mod qr;
mod singular;
mod triangle;

pub(crate) use eigen::{Eigen, eigen};
pub(crate) use factor::{cholesky, lu, swap_rows};
pub(crate) use qr::{Side, generate, qr, reflect};
pub(crate) use singular::{Singular, singular};
pub(crate) use triangle::solve;

use crate::element::Element;
use rayon::prelude::*;
use std::ops::RangeInclusive;

/// Elements below which threads do not pay.
const FEW: usize = 1 << 15;

/// Calls `each` with the number of each column of so many rows and the column, on several threads where that pays.
fn each_column<T: Element>(matrix: &mut [T], rows: usize, each: impl Fn(usize, &mut [T]) + Sync) {
    let rows = rows.max(1);
    if matrix.len() < FEW {
        matrix.chunks_exact_mut(rows).enumerate().for_each(|(j, column)| each(j, column));
    } else {
        matrix.par_chunks_exact_mut(rows).enumerate().for_each(|(j, column)| each(j, column));
    }
}

/// The square root.
fn root<T: Element>(x: T::Real) -> T::Real {
    T::real_of(Into::<f64>::into(x).sqrt())
}

/// A real in the other precision and back.
fn double<T: Element>(x: T::Real) -> f64 {
    x.into()
}

/// The distance of 1 from the next number.
fn epsilon<T: Element>() -> f64 {
    if T::Real::BYTES == 4 { f64::from(f32::EPSILON) } else { f64::EPSILON }
}

/// The sum of the squares of absolute values.
fn squares<T: Element>(x: &[T]) -> f64 {
    x.iter().map(|x| x.square()).sum()
}

/// Divides a matrix whose largest element is outside a range by the power of two at that element, so that squares neither
/// overflow nor vanish; gives the power.
fn normalise<T: Element>(a: &mut [T], range: RangeInclusive<f64>) -> T {
    let one = T::from_real(T::real_of(1.0));
    let largest = a.iter().fold(0.0f64, |largest, x| largest.max(double::<T>(x.magnitude())));
    if largest == 0.0
        || range.contains(&largest)
        || !largest.is_finite()
        || a.iter().any(|x| double::<T>(x.magnitude()).is_nan())
    {
        return one;
    }
    let lowest = if T::Real::BYTES == 4 { -126 } else { -1022 };
    let power = (largest.log2().floor() as i32).clamp(lowest, -lowest);
    let factor = T::from_real(T::real_of(2f64.powi(-power)));
    a.iter_mut().for_each(|x| *x *= factor);
    T::from_real(T::real_of(2f64.powi(power)))
}

/// The largest elements whose squares, which are computed in double precision, keep their digits.
fn squared<T: Element>() -> RangeInclusive<f64> {
    if T::Real::BYTES == 4 { 0.0..=f64::MAX } else { 1e-140..=1e140 }
}

/// The largest elements for which products of columns keep their digits, down to those of columns of `epsilon` squared.
fn multiplied<T: Element>() -> RangeInclusive<f64> {
    if T::Real::BYTES == 4 { 1e-4..=1e15 } else { 1e-100..=1e140 }
}

/// Fills the other triangle of a Hermitian matrix from the one that is given.
pub(crate) fn complete<T: Element>(matrix: &mut [T], n: usize, is_upper: bool) {
    for j in 0..n {
        for i in 0..j {
            let (from, to) = if is_upper { (j * n + i, i * n + j) } else { (i * n + j, j * n + i) };
            matrix[to] = matrix[from].conjugate();
        }
        matrix[j * n + j] = T::from_real(matrix[j * n + j].real());
    }
}

/// The conjugate transpose of a square matrix, in place.
fn turn<T: Element>(matrix: &mut [T], n: usize) {
    for j in 0..n {
        for i in 0..j {
            let (a, b) = (matrix[j * n + i].conjugate(), matrix[i * n + j].conjugate());
            (matrix[j * n + i], matrix[i * n + j]) = (b, a);
        }
        matrix[j * n + j] = matrix[j * n + j].conjugate();
    }
}

#[cfg(test)]
mod tests;
