//! The factorisation of Householder, in the form of LAPACK: reflections 1 - `tau` · `v` · `v`^H, the first element of `v` is 1.

use super::{each_column, epsilon, normalise, squared, squares};
use crate::element::Element;

/// On which side a matrix stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Side {
    Left,
    Right,
}

/// `q` · `r` of a matrix in place: `r` above and on the diagonal, the vectors below; the factors of the reflections.
pub(crate) fn qr<T: Element>(a: &mut [T], m: usize, n: usize) -> Vec<T> {
    let power = normalise(a, squared::<T>());
    let mut factors = Vec::with_capacity(m.min(n));
    for j in 0..m.min(n) {
        let (done, rest) = a.split_at_mut((j + 1) * m);
        let column = &mut done[j * m + j..];
        let factor = reflection(column);
        factors.push(factor);
        let v = &*column;
        each_column(rest, m, |_, other| apply(v, factor.conjugate(), &mut other[j..]));
    }
    for (j, column) in a.chunks_exact_mut(m.max(1)).enumerate() {
        column.iter_mut().take(j + 1).for_each(|x| *x *= power);
    }
    factors
}

/// Makes a vector that reflects a column to its first element; that element becomes what the column is reflected to.
fn reflection<T: Element>(column: &mut [T]) -> T {
    let Some((first, rest)) = column.split_first_mut() else { return T::ZERO };
    let below = squares(rest);
    let alpha: f64 = first.real().into();
    let imaginary = first.square() - alpha * alpha;
    if below == 0.0 && imaginary <= first.square() * epsilon::<T>() * epsilon::<T>() {
        return T::ZERO;
    }
    let norm = (first.square() + below).sqrt();
    let beta = T::from_real(T::real_of(if alpha > 0.0 { -norm } else { norm }));
    let factor = (beta - *first) / beta;
    let scale = *first - beta;
    rest.iter_mut().for_each(|x| *x = *x / scale);
    *first = beta;
    factor
}

/// Reflects a column; the first element of `v` counts as 1.
fn apply<T: Element>(v: &[T], factor: T, column: &mut [T]) {
    if factor == T::ZERO || v.is_empty() {
        return;
    }
    let mut sum = column[0];
    column[1..].iter().zip(&v[1..]).for_each(|(&x, v)| sum += v.conjugate() * x);
    let sum = sum * factor;
    column[0] -= sum;
    column[1..].iter_mut().zip(&v[1..]).for_each(|(x, &v)| *x -= v * sum);
}

/// Multiplies a matrix of `m` rows by `q`, or its conjugate transpose. The reflections are below the diagonal of `a`, whose
/// columns have as many elements as `q` has rows.
pub(crate) fn reflect<T: Element>(
    (a, factors): (&[T], &[T]),
    (side, is_turned): (Side, bool),
    c: &mut Vec<T>,
    m: usize,
) {
    let n = c.len().checked_div(m).unwrap_or(0);
    if side == Side::Right {
        // `c` · `q` is the conjugate transpose of `q`^H · `c`^H.
        let mut turned = crate::transpose::transposed(c, m, true);
        reflect((a, factors), (Side::Left, !is_turned), &mut turned, n);
        *c = crate::transpose::transposed(&turned, n, true);
        return;
    }
    let count = factors.len();
    each_column(c, m, |_, column| {
        let one = |k: usize, column: &mut [T]| {
            let factor = if is_turned { factors[k].conjugate() } else { factors[k] };
            apply(&a[k * m + k..(k + 1) * m], factor, &mut column[k..]);
        };
        if is_turned {
            (0..count).for_each(|k| one(k, column));
        } else {
            (0..count).rev().for_each(|k| one(k, column));
        }
    });
}

/// The first `n` columns of `q`, of `m` rows.
pub(crate) fn generate<T: Element>((a, factors): (&[T], &[T]), m: usize, n: usize) -> Vec<T> {
    let mut q = vec![T::ZERO; m * n];
    q.chunks_exact_mut(m.max(1)).enumerate().for_each(|(j, column)| column[j] = T::from_real(T::real_of(1.0)));
    reflect((a, factors), (Side::Left, false), &mut q, m);
    q
}
