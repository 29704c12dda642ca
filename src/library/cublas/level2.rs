//! Level 2: a matrix and vectors.

use super::Operation;
use crate::call::{Call, Outcome};
use crate::dense::solve;
use crate::element::Element;

/// `y` = `alpha` · op(`a`) · `x` + `beta` · `y`
pub(super) fn gemv<T: Element>(call: &mut Call<'_>) -> Outcome {
    let handle = call.handle()?;
    let operation = call.operation("trans")?;
    let (m, n) = (call.count("m")?, call.count("n")?);
    let alpha = call.scalar::<T>(&handle, "alpha")?;
    let a = call.matrix::<T>(m, n, "a")?;
    let (rows, columns) = operation.stored(m, n);
    let x = call.vector::<T>(columns, "x")?;
    let beta = call.scalar::<T>(&handle, "beta")?;
    let y = call.vector::<T>(rows, "y")?;
    let scalars = alpha.section().into_iter().chain(beta.section());
    let reads = [a.section(), x.section(), y.section()].into_iter().chain(scalars).collect();
    call.submit(handle.stream, reads, vec![y.section()], false, move |memory| {
        let (alpha, beta) = (alpha.get(memory)?, beta.get(memory)?);
        let matrix = operation.applied(a.load(memory)?, m);
        let mut sums = vec![T::ZERO; rows];
        for (column, x) in matrix.chunks_exact(rows.max(1)).zip(x.load(memory)?) {
            sums.iter_mut().zip(column).for_each(|(sum, &a)| *sum += a * x);
        }
        // With a factor of zero the old values do not count, whatever they are.
        let old = if beta == T::ZERO { vec![T::ZERO; rows] } else { y.load(memory)? };
        let values: Vec<T> = sums.into_iter().zip(old).map(|(sum, old)| alpha * sum + beta * old).collect();
        y.store(memory, &values)
    })
}

/// `a` += `alpha` · `x` · transpose of `y`, conjugated if wanted
pub(super) fn ger<T: Element, const CONJUGATES: bool>(call: &mut Call<'_>) -> Outcome {
    let handle = call.handle()?;
    let (m, n) = (call.count("m")?, call.count("n")?);
    let alpha = call.scalar::<T>(&handle, "alpha")?;
    let (x, y) = (call.vector::<T>(m, "x")?, call.vector::<T>(n, "y")?);
    let a = call.matrix::<T>(m, n, "a")?;
    let reads = [a.section(), x.section(), y.section()].into_iter().chain(alpha.section()).collect();
    call.submit(handle.stream, reads, vec![a.section()], false, move |memory| {
        let alpha = alpha.get(memory)?;
        let mut matrix = a.load(memory)?;
        let x = x.load(memory)?;
        for (column, y) in matrix.chunks_exact_mut(m.max(1)).zip(y.load(memory)?) {
            let factor = alpha * if CONJUGATES { y.conjugate() } else { y };
            column.iter_mut().zip(&x).for_each(|(a, &x)| *a += x * factor);
        }
        a.store(memory, &matrix)
    })
}

/// Solves op(`a`) · `x` = `b` for a triangular matrix; `b` is given in `x`.
pub(super) fn trsv<T: Element>(call: &mut Call<'_>) -> Outcome {
    let handle = call.handle()?;
    let is_upper = call.choice("uplo")?;
    let operation = call.operation("trans")?;
    let is_unit = call.choice("diag")?;
    let n = call.count("n")?;
    let a = call.matrix::<T>(n, n, "a")?;
    let x = call.vector::<T>(n, "x")?;
    call.submit(handle.stream, vec![a.section(), x.section()], vec![x.section()], false, move |memory| {
        let matrix = operation.applied(a.load(memory)?, n);
        let mut values = x.load(memory)?;
        solve(&matrix, is_upper == (operation == Operation::Plain), is_unit, &mut values);
        x.store(memory, &values)
    })
}
