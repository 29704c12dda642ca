//! Factors, eigenvalues and singular values against the matrices that they come from.

use super::*;
use crate::transpose::transposed;
use num_complex::{Complex32, Complex64};
use product::multiply;

/// A number that looks random.
fn number(i: usize) -> f64 {
    let x = (i as u32 + 1).wrapping_mul(2_654_435_761);
    let x = (x ^ x >> 15).wrapping_mul(2_246_822_519);
    f64::from(x ^ x >> 13) / 4_294_967_296.0 - 0.5
}

trait Sample: Element {
    fn sample(i: usize) -> Self;
}

impl Sample for f64 {
    fn sample(i: usize) -> f64 {
        number(i)
    }
}

impl Sample for f32 {
    fn sample(i: usize) -> f32 {
        number(i) as f32
    }
}

impl Sample for Complex64 {
    fn sample(i: usize) -> Complex64 {
        Complex64::new(number(i), number(i + 500))
    }
}

impl Sample for Complex32 {
    fn sample(i: usize) -> Complex32 {
        Complex32::new(number(i) as f32, number(i + 500) as f32)
    }
}

fn matrix<T: Sample>(rows: usize, columns: usize) -> Vec<T> {
    (0..rows * columns).map(|i| T::sample(i + 3 * columns)).collect()
}

fn product<T: Element>(a: &[T], b: &[T], m: usize, k: usize) -> Vec<T> {
    let mut c = vec![T::ZERO; m * b.len() / k.max(1)];
    multiply(&mut c, a, b, m, k);
    c
}

/// The norm of a difference, in units of the distance of 1 from the next number and of the number of elements.
fn distance<T: Element>(a: &[T], b: &[T]) -> f64 {
    assert_eq!(a.len(), b.len());
    let difference: Vec<T> = a.iter().zip(b).map(|(&a, &b)| a - b).collect();
    squares(&difference).sqrt() / epsilon::<T>() / (squares(b).sqrt() + 1.0)
}

fn unit<T: Element>(n: usize) -> Vec<T> {
    let one = T::from_real(T::real_of(1.0));
    (0..n * n).map(|i| if i % n == i / n { one } else { T::ZERO }).collect()
}

fn is_orthonormal<T: Element>(q: &[T], rows: usize) {
    let columns = q.len() / rows;
    assert!(distance(&product(&transposed(q, rows, true), q, columns, rows), &unit(columns)) < 200.0);
}

fn all<T: Sample>() {
    for n in [1, 2, 5, 33] {
        of_cholesky::<T>(n);
        of_gauss::<T>(n);
        of_eigenvalues::<T>(n);
    }
    for (m, n) in [(1, 1), (4, 4), (7, 3), (40, 21)] {
        of_householder::<T>(m, n);
        of_singular_values::<T>(m, n);
    }
}

fn of_cholesky<T: Sample>(n: usize) {
    let b = matrix::<T>(n, n);
    let mut a = product(&b, &transposed(&b, n, true), n, n);
    (0..n).for_each(|i| a[i * n + i] += T::from_real(T::real_of(1.0)));
    for is_upper in [false, true] {
        let mut factor = a.clone();
        assert_eq!(cholesky(&mut factor, n, is_upper), 0);
        let outside = |at: usize| if is_upper { at % n > at / n } else { at % n < at / n };
        assert!((0..n * n).filter(|&at| outside(at)).all(|at| factor[at] == a[at]), "the other triangle is kept");
        (0..n * n).filter(|&at| outside(at)).for_each(|at| factor[at] = T::ZERO);
        let turned = transposed(&factor, n, true);
        let (lower, upper) = if is_upper { (turned, factor) } else { (factor, turned) };
        assert!(distance(&product(&lower, &upper, n, n), &a) < 50.0);
    }
    a[n * n - 1] = T::from_real(T::real_of(-1.0));
    assert_eq!(cholesky(&mut a, n, false), n as i32);
}

fn of_gauss<T: Sample>(n: usize) {
    let a = matrix::<T>(n, n);
    for pivots in [true, false] {
        let mut factors = a.clone();
        let (swaps, info) = lu(&mut factors, n, n, pivots);
        assert_eq!(info, 0);
        let wanted = matrix::<T>(n, 1);
        let mut x = product(&a, &wanted, n, n);
        swap_rows(&mut x, &swaps, false);
        solve(&factors, false, true, &mut x);
        solve(&factors, true, false, &mut x);
        assert!(distance(&x, &wanted) < if pivots { 1e4 } else { 1e6 }, "{n}");
    }
    let mut empty = vec![T::ZERO; n * n];
    assert_eq!(lu(&mut empty, n, n, true).1, 1);
}

fn of_eigenvalues<T: Sample>(n: usize) {
    let mut a = matrix::<T>(n, n);
    complete(&mut a, n, true);
    let Eigen { values, vectors, has_converged } = eigen(a.clone(), n);
    assert!(has_converged);
    assert!(values.windows(2).all(|pair| pair[0] <= pair[1]));
    is_orthonormal(&vectors, n);
    let scaled: Vec<T> = vectors.iter().enumerate().map(|(at, &x)| x * T::from_real(values[at / n])).collect();
    assert!(distance(&product(&a, &vectors, n, n), &scaled) < 100.0);
}

fn of_householder<T: Sample>(m: usize, n: usize) {
    let a = matrix::<T>(m, n);
    let mut factored = a.clone();
    let factors = qr(&mut factored, m, n);
    let q = generate((&factored, &factors), m, n);
    is_orthonormal(&q, m);
    let r: Vec<T> =
        (0..n * n).map(|at| if at % n <= at / n { factored[at / n * m + at % n] } else { T::ZERO }).collect();
    assert!(distance(&product(&q, &r, m, n), &a) < 100.0);
    let mut turned = a.clone();
    reflect((&factored, &factors), (Side::Left, true), &mut turned, m);
    assert!((0..m * n).filter(|at| at % m > at / m).all(|at| turned[at].square() < 1e-10));
    let mut back = transposed(&turned, m, true);
    reflect((&factored, &factors), (Side::Right, true), &mut back, n);
    assert!(distance(&transposed(&back, n, true), &a) < 100.0);
}

fn of_singular_values<T: Sample>(m: usize, n: usize) {
    let mut a = matrix::<T>(m, n);
    for is_singular in [false, true] {
        if is_singular && n > 1 {
            let first = a[..m].to_vec();
            a[(n - 1) * m..].copy_from_slice(&first);
        }
        let Singular { values, left, right, has_converged } = singular(a.clone(), m, n);
        assert!(has_converged);
        assert!(values.windows(2).all(|pair| pair[0] >= pair[1]));
        is_orthonormal(&left, m);
        is_orthonormal(&right, n);
        let scaled: Vec<T> = (0..m * n).map(|at| left[at] * T::from_real(values[at / m])).collect();
        assert!(distance(&product(&scaled, &transposed(&right, n, true), m, n), &a) < 200.0, "{m} {n}");
    }
}

#[test]
fn what_is_found_of_a_matrix_gives_it_again() {
    all::<f32>();
    all::<f64>();
    all::<Complex32>();
    all::<Complex64>();
}
