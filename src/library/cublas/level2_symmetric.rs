//! Level 2: symmetric and Hermitian matrices, of which one triangle is there.

use super::Scalar;
use super::storage::Storage;
use crate::call::{Call, Outcome, Status, Uses};
use crate::columns::{Columns, Elements};
use crate::element::Element;
use crate::state::CublasHandle as Handle;

/// What an element of one triangle is in the other.
fn mirrored<T: Element>(a: T, is_hermitian: bool) -> T {
    if is_hermitian { a.conjugate() } else { a }
}

/// An element of the diagonal, whose imaginary part counts as 0 in a Hermitian matrix.
fn diagonal<T: Element>(a: T, is_hermitian: bool) -> T {
    if is_hermitian { T::from_real(a.real()) } else { a }
}

/// The sums of the products of a symmetric or Hermitian matrix with a vector.
fn products<T: Element>(elements: &Elements<T>, x: &[T], is_hermitian: bool) -> Vec<T> {
    let mut sums = vec![T::ZERO; x.len()];
    for (j, (from, column)) in elements.iter().enumerate() {
        for (i, &a) in (*from..).zip(column) {
            if i == j {
                sums[i] += diagonal(a, is_hermitian) * x[j];
            } else {
                sums[i] += a * x[j];
                sums[j] += mirrored(a, is_hermitian) * x[i];
            }
        }
    }
    sums
}

/// `y` = `alpha` · `a` · `x` + `beta` · `y`
pub(super) fn product<T: Element, S: Storage, const HERMITIAN: bool>(call: &mut Call<'_>) -> Outcome {
    let handle = call.handle()?;
    let is_upper = call.choice("uplo")?;
    let n = call.count("n")?;
    let width = S::width(call, n)?;
    let alpha = call.scalar::<T>(&handle, "alpha")?;
    let a = S::triangle::<T>(call, n, width, is_upper)?;
    let x = call.stepped::<T>(n, "x")?;
    let beta = call.scalar::<T>(&handle, "beta")?;
    let y = call.stepped::<T>(n, "y")?;
    let uses = Uses::default().read_if(&a, alpha.counts()).read_if(&x, alpha.counts()).change(&y, beta.counts());
    call.perform(handle.stream, uses.with(alpha.section()).with(beta.section()).apart(), false, move |memory| {
        let factors = (alpha.get(memory)?, beta.get(memory)?);
        let sums = products(&a.load(memory)?, &x.load(memory)?, HERMITIAN);
        y.blend(memory, factors, sums)
    })
}

/// Adds to each element of a triangle what `term` gives for its row and column.
fn add<T: Element>(elements: &mut Elements<T>, is_hermitian: bool, term: impl Fn(usize, usize) -> T) {
    for (j, (from, column)) in elements.iter_mut().enumerate() {
        for (i, a) in (*from..).zip(column) {
            *a += term(i, j);
            if i == j {
                *a = diagonal(*a, is_hermitian);
            }
        }
    }
}

/// `a` += `alpha` · `x` · transpose of `x`
pub(super) fn rank_one<T: Element, S: Storage>(call: &mut Call<'_>) -> Outcome {
    let (handle, is_upper, n) = start(call)?;
    let alpha = call.scalar::<T>(&handle, "alpha")?;
    one::<T, T, S>(call, &handle, (is_upper, n), (alpha, |alpha| alpha), false)
}

/// `a` += `alpha` · `x` · conjugate transpose of `x`, for a real `alpha`
pub(super) fn hermitian_rank_one<T: Element, S: Storage>(call: &mut Call<'_>) -> Outcome {
    let (handle, is_upper, n) = start(call)?;
    let alpha = call.scalar::<T::Real>(&handle, "alpha")?;
    one::<T, T::Real, S>(call, &handle, (is_upper, n), (alpha, T::from_real), true)
}

/// The first arguments.
fn start(call: &mut Call<'_>) -> Result<(Handle, bool, usize), Status> {
    Ok((call.handle()?, call.choice("uplo")?, call.count("n")?))
}

fn one<T: Element, A: Element, S: Storage>(
    call: &mut Call<'_>,
    handle: &Handle,
    (is_upper, n): (bool, usize),
    (alpha, of): (Scalar<A>, fn(A) -> T),
    is_hermitian: bool,
) -> Outcome {
    let x = call.stepped::<T>(n, "x")?;
    let a: Columns<T> = S::triangle(call, n, n, is_upper)?;
    let uses = Uses::default().read_if(&x, alpha.counts()).change(&a, true).with(alpha.section());
    call.perform(handle.stream, uses.apart(), false, move |memory| {
        let alpha = of(alpha.get(memory)?);
        if alpha == T::ZERO {
            return Ok(());
        }
        let (mut elements, x) = (a.load(memory)?, x.load(memory)?);
        add(&mut elements, is_hermitian, |i, j| x[i] * (alpha * mirrored(x[j], is_hermitian)));
        a.store(memory, &elements)
    })
}

/// `a` += `alpha` · `x` · transpose of `y` + `alpha` · `y` · transpose of `x`; for a Hermitian matrix transposes are conjugated,
/// and the second `alpha`
pub(super) fn rank_two<T: Element, S: Storage, const HERMITIAN: bool>(call: &mut Call<'_>) -> Outcome {
    let (handle, is_upper, n) = start(call)?;
    let alpha = call.scalar::<T>(&handle, "alpha")?;
    let (x, y) = (call.stepped::<T>(n, "x")?, call.stepped::<T>(n, "y")?);
    let a = S::triangle::<T>(call, n, n, is_upper)?;
    let uses =
        Uses::default().read_if(&x, alpha.counts()).read_if(&y, alpha.counts()).change(&a, true).with(alpha.section());
    call.perform(handle.stream, uses.apart(), false, move |memory| {
        let alpha = alpha.get(memory)?;
        if alpha == T::ZERO {
            return Ok(());
        }
        let (mut elements, x, y) = (a.load(memory)?, x.load(memory)?, y.load(memory)?);
        let turned = |a: T| mirrored(a, HERMITIAN);
        add(&mut elements, HERMITIAN, |i, j| x[i] * (alpha * turned(y[j])) + y[i] * turned(alpha * x[j]));
        a.store(memory, &elements)
    })
}
