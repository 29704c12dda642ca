//! The product of two matrices, on several threads.
//!
//! Each element is a sum in the order of the inner index, one product after the other, none fused with its sum: that is what a
//! loop makes, bit for bit, whatever the number of threads and the processor. What is fast about it is the order of the elements. A
//! tile of the result stays in registers while the inner index runs, and a block of the left matrix, packed in the order in which
//! the tiles read it, stays in the second cache (K. Goto, R. van de Geijn, "Anatomy of High-Performance Matrix Multiplication",
//! ACM TOMS 34, 2008).
//!
//! Not here: other layouts than columns of contiguous elements.

mod tile;

use rayon::prelude::*;
use std::ops::{Add, Mul};

/// A number: what a sum and a product of two is.
pub trait Number: Copy + Default + Send + Sync + Add<Output = Self> + Mul<Output = Self> {}

impl<T: Copy + Default + Send + Sync + Add<Output = T> + Mul<Output = T>> Number for T {}

/// Values of the inner index whose products are added to a block of the result before the next ones are.
const INNER: usize = 256;
/// Bytes of a packed block of the left matrix.
const BLOCK_BYTES: usize = 256 << 10;
/// Products below which threads do not pay.
const FEW: usize = 1 << 18;
/// The least columns of the result that a thread takes at a time.
const COLUMNS: usize = 12;

/// `c` += `a` · `b`: `a` has `m` rows and `k` columns, `b` has `k` rows and as many columns as `c`. All are stored by columns. Where
/// elements of `a` are missing nothing is done, and columns of which `b` or `c` has only a part stay as they are.
pub fn multiply<T: Number>(c: &mut [T], a: &[T], b: &[T], m: usize, k: usize) {
    if m == 0 || k == 0 || m.checked_mul(k).is_none_or(|elements| a.len() < elements) {
        return;
    }
    let columns = (c.len() / m).min(b.len() / k);
    let shape = tile::Shape::of::<T>();
    if c.len().saturating_mul(k) < FEW || rayon::current_num_threads() < 2 {
        return multiply_columns(&mut c[..columns * m], a, b, m, k, shape);
    }
    let share = columns.div_ceil(4 * rayon::current_num_threads()).max(COLUMNS);
    let shares = c[..columns * m].par_chunks_mut(share * m).zip(b.par_chunks(share * k));
    shares.for_each(|(c, b)| multiply_columns(c, a, b, m, k, shape));
}

/// The same for some columns, on this thread.
fn multiply_columns<T: Number>(c: &mut [T], a: &[T], b: &[T], m: usize, k: usize, shape: tile::Shape) {
    let rows = shape.rows();
    let height = (BLOCK_BYTES / (INNER * size_of::<T>())).max(rows) / rows * rows;
    let mut packed: Vec<T> = Vec::new();
    for inner in (0..k).step_by(INNER) {
        let depth = INNER.min(k - inner);
        for top in (0..m).step_by(height) {
            pack(&mut packed, a, m, (top, height.min(m - top)), (inner, depth), rows);
            shape.add_block(c, &packed, b, tile::Block { m, k, top, inner, depth });
        }
    }
}

/// Puts a block of a matrix of `m` rows, `height` rows from `top` on and `depth` columns from `inner` on, into an order in which each
/// group of `rows` rows has its columns one behind the other. The last group is filled up with zeros.
fn pack<T: Number>(
    packed: &mut Vec<T>,
    a: &[T],
    m: usize,
    (top, height): (usize, usize),
    (inner, depth): (usize, usize),
    rows: usize,
) {
    packed.clear();
    for group in (top..top + height).step_by(rows) {
        let filled = rows.min(top + height - group);
        for column in inner..inner + depth {
            let from = column * m + group;
            let elements = a.get(from..from + filled).unwrap_or_default();
            packed.extend_from_slice(elements);
            packed.extend(std::iter::repeat_n(T::default(), rows - elements.len()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::num::Wrapping;

    fn value(i: usize) -> f64 {
        (((i * 7919 + 13) % 1009) as f64 - 504.0) / 7.0
    }

    /// The result of the loop that defines it, from what `c` has.
    fn by_definition<T: Number>(c: &[T], a: &[T], b: &[T], m: usize, k: usize) -> Vec<T> {
        let element =
            |(at, &before): (usize, &T)| (0..k).fold(before, |sum, l| sum + a[l * m + at % m] * b[at / m * k + l]);
        c.iter().enumerate().map(element).collect()
    }

    fn check<T: Number + PartialEq + std::fmt::Debug>(of: fn(f64) -> T) {
        for (m, n, k) in [
            (1, 1, 1),
            (3, 4, 5),
            (600, 7, 3),
            (65, 70, 66),
            (65, 70, 300),
            (5, 3, 0),
            (1, 40, 513),
            (130, 1, 70),
            (33, 97, 31),
        ] {
            let a: Vec<T> = (0..m * k).map(|i| of(value(i))).collect();
            let b: Vec<T> = (0..k * n).map(|i| of(value(i + 5))).collect();
            let before: Vec<T> = (0..m * n).map(|i| of(value(i + 77))).collect();
            let mut c = before.clone();
            multiply(&mut c, &a, &b, m, k);
            assert_eq!(c, by_definition(&before, &a, &b, m, k), "{m} {n} {k}");
        }
    }

    #[test]
    fn products_have_the_bits_of_the_loop() {
        check(|x| x as f32);
        check(|x| x);
        check(|x| Wrapping(x as i32 * 1_000_003));
        check(|x| Wrapping(x as i64 * 1_000_000_007));
        check(|x| Wrapping(x as i16));
        check(|x| Wrapping(x as i8));
    }

    #[test]
    fn several_threads_make_the_same_bits() {
        let (m, n, k) = (130, 140, 150);
        let a: Vec<f64> = (0..m * k).map(value).collect();
        let b: Vec<f64> = (0..k * n).map(|i| value(i + 5)).collect();
        let expected = by_definition(&vec![0.0; m * n], &a, &b, m, k);
        for threads in [1, 2, 5] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
            let mut c = vec![0.0; m * n];
            pool.install(|| multiply(&mut c, &a, &b, m, k));
            assert_eq!(c, expected, "{threads} threads");
        }
    }

    #[test]
    fn what_is_not_there_is_left_out() {
        let mut c = [1.0_f32; 5];
        multiply(&mut c, &[2.0, 3.0], &[4.0], 2, 1);
        assert_eq!(c, [9.0, 13.0, 1.0, 1.0, 1.0]);
        multiply(&mut c, &[], &[], 0, 3);
        multiply(&mut c, &[1.0], &[f32::INFINITY], 2, 1);
        assert_eq!(c, [9.0, 13.0, 1.0, 1.0, 1.0]);
    }
}
