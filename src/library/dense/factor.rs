//! The factorisations of Cholesky and of Gauss.

use super::{double, each_column, root, turn};
use crate::element::Element;

/// The factor of a Hermitian positive definite matrix, in place: `l` · `l`^H below, or `u`^H · `u` above. The other triangle
/// keeps what it has. The number of the first minor that is not positive definite, or 0.
pub(crate) fn cholesky<T: Element>(a: &mut [T], n: usize, is_upper: bool) -> i32 {
    if is_upper {
        turn(a, n);
        let info = cholesky(a, n, false);
        turn(a, n);
        return info;
    }
    for j in 0..n {
        let pivot = a[j * n + j].real();
        if double::<T>(pivot) <= 0.0 || double::<T>(pivot).is_nan() {
            return j as i32 + 1;
        }
        let pivot = T::from_real(root::<T>(pivot));
        let (done, rest) = a.split_at_mut((j + 1) * n);
        let column = &mut done[j * n..];
        column[j] = pivot;
        column[j + 1..].iter_mut().for_each(|x| *x = *x / pivot);
        let column = &*column;
        each_column(rest, n, |i, other| {
            let k = j + 1 + i;
            let factor = column[k].conjugate();
            other[k..].iter_mut().zip(&column[k..]).for_each(|(x, &l)| *x -= l * factor);
        });
    }
    0
}

/// `l` · `u` of a matrix whose rows are swapped, in place: what each row was swapped with, counted from 1, and the number of
/// the first pivot that is 0, or 0. Without pivoting no rows are swapped.
pub(crate) fn lu<T: Element>(a: &mut [T], m: usize, n: usize, pivots: bool) -> (Vec<i32>, i32) {
    let (mut swaps, mut info) = (Vec::with_capacity(m.min(n)), 0);
    for j in 0..m.min(n) {
        let mut best = j;
        if pivots {
            for i in j + 1..m {
                if a[j * m + i].magnitude() > a[j * m + best].magnitude() {
                    best = i;
                }
            }
        }
        swaps.push(best as i32 + 1);
        if a[j * m + best] == T::ZERO {
            info = if info == 0 { j as i32 + 1 } else { info };
            continue;
        }
        if best != j {
            a.chunks_exact_mut(m).for_each(|column| column.swap(j, best));
        }
        let (done, rest) = a.split_at_mut((j + 1) * m);
        let column = &mut done[j * m..];
        let pivot = column[j];
        column[j + 1..].iter_mut().for_each(|x| *x = *x / pivot);
        let column = &*column;
        each_column(rest, m, |_, other| {
            let factor = other[j];
            other[j + 1..].iter_mut().zip(&column[j + 1..]).for_each(|(x, &l)| *x -= l * factor);
        });
    }
    (swaps, info)
}

/// Swaps the rows of a column as a factorisation did, or back. Numbers that are none of a row change nothing.
pub(crate) fn swap_rows<T: Element>(column: &mut [T], swaps: &[i32], is_back: bool) {
    let mut one = |(i, &with): (usize, &i32)| {
        let with = usize::try_from(with).unwrap_or(0).wrapping_sub(1);
        if i < column.len() && with < column.len() {
            column.swap(i, with);
        }
    };
    if is_back {
        swaps.iter().enumerate().rev().for_each(&mut one);
    } else {
        swaps.iter().enumerate().for_each(&mut one);
    }
}
