//! Singular values and vectors by the method of Jacobi on one side (Hestenes).

use super::eigen::Rotation;
use super::{epsilon, generate, multiplied, normalise, qr, squares};
use crate::element::Element;

/// Rounds over all pairs, at most.
const MOST_ROUNDS: usize = 60;

/// Singular values in falling order, and the vectors: `left` has as many columns as rows, `right` is not transposed.
pub(crate) struct Singular<T: Element> {
    pub(crate) values: Vec<T::Real>,
    pub(crate) left: Vec<T>,
    pub(crate) right: Vec<T>,
    pub(crate) has_converged: bool,
}

/// The singular values and vectors of a matrix with at least as many rows as columns.
pub(crate) fn singular<T: Element>(mut a: Vec<T>, m: usize, n: usize) -> Singular<T> {
    let mut right = vec![T::ZERO; n * n];
    (0..n).for_each(|i| right[i * n + i] = T::from_real(T::real_of(1.0)));
    let power: f64 = normalise(&mut a, multiplied::<T>()).real().into();
    // Below what is left of the product of two columns that count (`tiny`).
    let smallest = squares(&a) * epsilon::<T>().powi(5);
    let mut has_converged = false;
    for _ in 0..MOST_ROUNDS {
        has_converged = true;
        for q in 1..n {
            for p in 0..q {
                let (of_p, of_q) = (&a[p * m..(p + 1) * m], &a[q * m..(q + 1) * m]);
                let mut product = T::ZERO;
                of_p.iter().zip(of_q).for_each(|(x, &y)| product += x.conjugate() * y);
                let (square_p, square_q) = (squares(of_p), squares(of_q));
                let limit = epsilon::<T>() * (square_p * square_q).sqrt();
                let size = product.square().sqrt();
                if size <= limit.max(smallest) || size.is_nan() {
                    continue;
                }
                has_converged = false;
                let rotation = Rotation::new(square_p, square_q, product);
                rotation.columns(&mut a, m, p, q);
                rotation.columns(&mut right, n, p, q);
            }
        }
        if has_converged {
            break;
        }
    }
    let sizes: Vec<f64> = (0..n).map(|j| squares(&a[j * m..(j + 1) * m]).sqrt()).collect();
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by(|&i, &j| sizes[j].total_cmp(&sizes[i]));
    let largest = order.first().map_or(0.0, |&i| sizes[i]);
    // Columns that are nothing but rounding get a direction of those that are left.
    let tiny = largest * epsilon::<T>() * m as f64 * epsilon::<T>();
    let is_there = |i: &usize| sizes[*i] > tiny;
    let mut found: Vec<T> = Vec::new();
    for &i in order.iter().filter(|i| is_there(i)) {
        let size = T::from_real(T::real_of(sizes[i]));
        found.extend(a[i * m..(i + 1) * m].iter().map(|&x| x / size));
    }
    let count = found.len().checked_div(m).unwrap_or(0);
    let mut reflections = found.clone();
    let factors = qr(&mut reflections, m, count);
    let mut left = generate((&reflections, &factors), m, m);
    left[..found.len()].copy_from_slice(&found);
    let right = order.iter().flat_map(|&i| &right[i * n..(i + 1) * n]).copied().collect();
    let has_converged = has_converged && largest.is_finite();
    let values = order.iter().map(|&i| T::real_of(sizes[i] * power)).collect();
    Singular { values, left, right, has_converged }
}
