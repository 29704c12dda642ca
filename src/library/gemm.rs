//! The product of two matrices, on several threads. Every element is summed in one order, so that the number of threads does not
//! show.

use crate::element::Element;

/// `c` += `a` · `b`: `a` has `m` rows and `k` columns, `b` has `k` rows and as many columns as `c`.
pub(crate) fn multiply<T: Element>(c: &mut [T], a: &[T], b: &[T], m: usize, k: usize) {
    product::multiply(c, a, b, m, k);
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
