//! Eigenvalues and eigenvectors of Hermitian matrices by the method of Jacobi.

use super::{double, epsilon, normalise, squared, squares};
use crate::element::Element;

/// Rounds over all pairs, at most; about ten are enough.
const MOST_ROUNDS: usize = 60;

/// Eigenvalues in rising order, and their vectors.
pub(crate) struct Eigen<T: Element> {
    pub(crate) values: Vec<T::Real>,
    pub(crate) vectors: Vec<T>,
    /// Whether the method has come to its end.
    pub(crate) has_converged: bool,
}

/// A rotation of two vectors p and q, which become c·p - s·q' and s·p + c·q', where q' is `phase` · q.
#[derive(Clone, Copy)]
pub(super) struct Rotation<T> {
    c: T,
    s: T,
    phase: T,
}

impl<T: Element> Rotation<T> {
    /// The rotation that makes the element between two others 0: on the diagonal `p` and `q`, between them `pq`.
    pub(super) fn new(p: f64, q: f64, pq: T) -> Rotation<T> {
        let size = pq.square().sqrt();
        let angle = (q - p) / (2.0 * size);
        let tangent = angle.signum() / (angle.abs() + (angle * angle + 1.0).sqrt());
        let c = 1.0 / (tangent * tangent + 1.0).sqrt();
        let real = |x: f64| T::from_real(T::real_of(x));
        Rotation { c: real(c), s: real(tangent * c), phase: pq.conjugate() / real(size) }
    }

    /// Rotates two columns of so many rows.
    pub(super) fn columns(&self, matrix: &mut [T], rows: usize, p: usize, q: usize) {
        let (left, right) = matrix.split_at_mut(q * rows);
        let (p, q) = (&mut left[p * rows..(p + 1) * rows], &mut right[..rows]);
        p.iter_mut().zip(q).for_each(|(p, q)| self.pair(p, q));
    }

    fn pair(&self, p: &mut T, q: &mut T) {
        let turned = self.phase * *q;
        (*p, *q) = (self.c * *p - self.s * turned, self.s * *p + self.c * turned);
    }

    /// Rotates two rows of a square matrix, conjugated.
    fn rows(&self, matrix: &mut [T], n: usize, p: usize, q: usize) {
        let conjugated = Rotation { phase: self.phase.conjugate(), ..*self };
        for column in matrix.chunks_exact_mut(n) {
            let (mut a, mut b) = (column[p], column[q]);
            conjugated.pair(&mut a, &mut b);
            (column[p], column[q]) = (a, b);
        }
    }
}

/// The eigenvalues and eigenvectors of a Hermitian matrix, of which both triangles are given.
pub(crate) fn eigen<T: Element>(mut a: Vec<T>, n: usize) -> Eigen<T> {
    let mut vectors = vec![T::ZERO; n * n];
    (0..n).for_each(|i| vectors[i * n + i] = T::from_real(T::real_of(1.0)));
    let power = normalise(&mut a, squared::<T>());
    let small = squares(&a).sqrt() * epsilon::<T>() / 8.0 / n.max(1) as f64;
    let mut has_converged = false;
    for _ in 0..MOST_ROUNDS {
        has_converged = true;
        for q in 1..n {
            for p in 0..q {
                let between = a[q * n + p];
                let size = between.square().sqrt();
                if size <= small || size.is_nan() {
                    continue;
                }
                has_converged = false;
                let rotation =
                    Rotation::new(double::<T>(a[p * n + p].real()), double::<T>(a[q * n + q].real()), between);
                rotation.columns(&mut a, n, p, q);
                rotation.rows(&mut a, n, p, q);
                (a[q * n + p], a[p * n + q]) = (T::ZERO, T::ZERO);
                rotation.columns(&mut vectors, n, p, q);
            }
        }
        if has_converged {
            break;
        }
    }
    let value = |i: usize| a[i * n + i].real() * power.real();
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by(|&i, &j| double::<T>(value(i)).total_cmp(&double::<T>(value(j))));
    let vectors = order.iter().flat_map(|&i| &vectors[i * n..(i + 1) * n]).copied().collect();
    let has_converged = has_converged && a.iter().all(|x| x.square().is_finite());
    Eigen { values: order.into_iter().map(value).collect(), vectors, has_converged }
}
