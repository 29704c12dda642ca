//! The product of two matrices, on several threads. Every element is summed in one order, so that the number of threads does not
//! show.

use crate::element::Element;
use rayon::prelude::*;

/// Columns of the result that are computed together.
const COLUMNS: usize = 4;
/// Rows of the result that are computed together: a column of so many and the columns of the result stay in the cache.
const ROWS: usize = 512;
/// Products below which threads do not pay.
const FEW: usize = 1 << 18;

/// `c` += `a` · `b`: `a` has `m` rows and `k` columns, `b` has `k` rows and as many columns as `c`.
pub(crate) fn multiply<T: Element>(c: &mut [T], a: &[T], b: &[T], m: usize, k: usize) {
    if m == 0 || k == 0 {
        return;
    }
    let work = c.len().saturating_mul(k);
    let pieces = c.chunks_mut(m * COLUMNS).zip(b.chunks(k * COLUMNS));
    if work < FEW {
        pieces.for_each(|(c, b)| columns(c, a, b, m, k));
    } else {
        let pieces: Vec<_> = pieces.collect();
        pieces.into_par_iter().for_each(|(c, b)| columns(c, a, b, m, k));
    }
}

/// The same for a few columns.
fn columns<T: Element>(c: &mut [T], a: &[T], b: &[T], m: usize, k: usize) {
    for from in (0..m).step_by(ROWS) {
        let to = (from + ROWS).min(m);
        if c.len() == m * COLUMNS {
            let (c0, rest) = c.split_at_mut(m);
            let (c1, rest) = rest.split_at_mut(m);
            let (c2, c3) = rest.split_at_mut(m);
            let (c0, c1, c2, c3) = (&mut c0[from..to], &mut c1[from..to], &mut c2[from..to], &mut c3[from..to]);
            for l in 0..k {
                let a = &a[l * m + from..l * m + to];
                let (b0, b1, b2, b3) = (b[l], b[k + l], b[2 * k + l], b[3 * k + l]);
                for ((((c0, c1), c2), c3), &a) in
                    c0.iter_mut().zip(c1.iter_mut()).zip(c2.iter_mut()).zip(c3.iter_mut()).zip(a)
                {
                    *c0 += a * b0;
                    *c1 += a * b1;
                    *c2 += a * b2;
                    *c3 += a * b3;
                }
            }
        } else {
            for (c, b) in c.chunks_mut(m).zip(b.chunks(k)) {
                for (l, &b) in b.iter().enumerate() {
                    let a = &a[l * m + from..l * m + to];
                    c[from..to].iter_mut().zip(a).for_each(|(c, &a)| *c += a * b);
                }
            }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_are_those_of_the_definition() {
        for (m, n, k) in [(1, 1, 1), (3, 4, 5), (600, 7, 3), (65, 70, 66), (5, 3, 0)] {
            let value = |i: usize| ((i * 37 + 11) % 19) as f64 - 9.0;
            let a: Vec<f64> = (0..m * k).map(value).collect();
            let b: Vec<f64> = (0..k * n).map(|i| value(i + 5)).collect();
            let mut c = vec![1.0; m * n];
            multiply(&mut c, &a, &b, m, k);
            for j in 0..n {
                for i in 0..m {
                    let sum: f64 = (0..k).map(|l| a[l * m + i] * b[j * k + l]).sum();
                    assert_eq!(c[j * m + i], 1.0 + sum);
                }
            }
        }
    }
}
