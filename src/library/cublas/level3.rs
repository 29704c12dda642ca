//! Level 3: matrices.

use super::Operation;
use crate::call::{Call, Outcome, Status};
use crate::dense::solve;
use crate::element::Element;
use crate::gemm::{multiply, transposed};
use crate::operand::Matrix;
use device::{Bytes, CudaError};
use rayon::prelude::*;

/// `alpha` · op(`a`) · op(`b`) + `beta` · `old`, where op(`a`) has `m` rows and `k` columns.
fn product<T: Element>((alpha, beta): (T, T), (a, b): (Vec<T>, Vec<T>), (m, k): (usize, usize), old: Vec<T>) -> Vec<T> {
    let mut c = vec![T::ZERO; old.len()];
    multiply(&mut c, &a, &b, m, k);
    // With a factor of zero the old values do not count, whatever they are.
    let old_part = |old: T| if beta == T::ZERO { T::ZERO } else { beta * old };
    c.iter_mut().zip(old).for_each(|(c, old)| *c = alpha * *c + old_part(old));
    c
}

/// A matrix as it is used.
fn used<T: Element>(memory: &mut dyn Bytes, matrix: &Matrix<T>, operation: Operation) -> Result<Vec<T>, CudaError> {
    Ok(operation.applied(matrix.load(memory)?, matrix.rows))
}

/// The same matrix, so many elements further.
fn shifted<T: Element>(matrix: &Matrix<T>, elements: i64) -> Matrix<T> {
    let address = matrix.address.wrapping_add_signed(elements.wrapping_mul(T::BYTES as i64));
    Matrix::new(address, matrix.rows, matrix.columns, matrix.leading)
}

/// `c` = `alpha` · op(`a`) · op(`b`) + `beta` · `c`
pub(super) fn gemm<T: Element>(call: &mut Call<'_>) -> Outcome {
    many_products::<T>(call, false)
}

/// The same for several matrices, so many elements apart.
pub(super) fn gemm_strided<T: Element>(call: &mut Call<'_>) -> Outcome {
    many_products::<T>(call, true)
}

fn many_products<T: Element>(call: &mut Call<'_>, is_strided: bool) -> Outcome {
    let handle = call.handle()?;
    let (op_a, op_b) = (call.operation("transa")?, call.operation("transb")?);
    let (m, n, k) = (call.count("m")?, call.count("n")?, call.count("k")?);
    let alpha = call.scalar::<T>(&handle, "alpha")?;
    let matrix = |call: &mut Call<'_>, (rows, columns): (usize, usize), what: &str| {
        let matrix = call.matrix::<T>(rows, columns, what)?;
        Ok::<_, Status>((matrix, if is_strided { call.word() as i64 } else { 0 }))
    };
    let a = matrix(call, op_a.stored(m, k), "a")?;
    let b = matrix(call, op_b.stored(k, n), "b")?;
    let beta = call.scalar::<T>(&handle, "beta")?;
    let c = matrix(call, (m, n), "c")?;
    let count = if is_strided { call.count("batchCount")? } else { 1 };
    let of = |(matrix, stride): &(Matrix<T>, i64), i: usize| shifted(matrix, stride * i as i64);
    let mut reads: Vec<_> = alpha.section().into_iter().chain(beta.section()).collect();
    reads.extend((0..count).flat_map(|i| [of(&a, i), of(&b, i), of(&c, i)].map(|matrix| matrix.section())));
    let writes = (0..count).map(|i| of(&c, i).section()).collect();
    call.submit(handle.stream, reads, writes, false, move |memory| {
        let factors = (alpha.get(memory)?, beta.get(memory)?);
        for i in 0..count {
            let c = of(&c, i);
            let parts = (used(memory, &of(&a, i), op_a)?, used(memory, &of(&b, i), op_b)?);
            let old = c.load(memory)?;
            c.store(memory, &product(factors, parts, (m, k), old))?;
        }
        Ok(())
    })
}

/// `c` = `alpha` · op(`a`) · transpose of op(`a`) + `beta` · `c`, of which one triangle is there
pub(super) fn syrk<T: Element>(call: &mut Call<'_>) -> Outcome {
    let handle = call.handle()?;
    let is_upper = call.choice("uplo")?;
    let operation = call.operation("trans")?;
    let (n, k) = (call.count("n")?, call.count("k")?);
    let alpha = call.scalar::<T>(&handle, "alpha")?;
    let (rows, columns) = operation.stored(n, k);
    let a = call.matrix::<T>(rows, columns, "a")?;
    let beta = call.scalar::<T>(&handle, "beta")?;
    let c = call.matrix::<T>(n, n, "c")?;
    let scalars = alpha.section().into_iter().chain(beta.section());
    let reads = [a.section(), c.section()].into_iter().chain(scalars).collect();
    call.submit(handle.stream, reads, vec![c.section()], false, move |memory| {
        let factors = (alpha.get(memory)?, beta.get(memory)?);
        let left = used(memory, &a, if operation == Operation::Plain { operation } else { Operation::Transposed })?;
        let right = transposed(&left, n, false);
        let old = c.load(memory)?;
        c.store_triangle(memory, &product(factors, (left, right), (n, k), old), is_upper)
    })
}

/// Solves op(`a`) · `x` = `alpha` · `b`, or `x` · op(`a`) = `alpha` · `b`, for a triangular matrix; `x` takes the place of `b`
pub(super) fn trsm<T: Element>(call: &mut Call<'_>) -> Outcome {
    let handle = call.handle()?;
    let (is_right, is_upper) = (call.choice("side")?, call.choice("uplo")?);
    let operation = call.operation("trans")?;
    let is_unit = call.choice("diag")?;
    let (m, n) = (call.count("m")?, call.count("n")?);
    let alpha = call.scalar::<T>(&handle, "alpha")?;
    let order = if is_right { n } else { m };
    let a = call.matrix::<T>(order, order, "a")?;
    let b = call.matrix::<T>(m, n, "b")?;
    let reads = [a.section(), b.section()].into_iter().chain(alpha.section()).collect();
    call.submit(handle.stream, reads, vec![b.section()], false, move |memory| {
        let alpha = alpha.get(memory)?;
        let mut matrix = used(memory, &a, operation)?;
        let mut is_upper = is_upper == (operation == Operation::Plain);
        let mut values: Vec<T> = b.load(memory)?.into_iter().map(|b| alpha * b).collect();
        if is_right {
            // The transposed system has its columns on the left.
            (matrix, is_upper, values) = (transposed(&matrix, n, false), !is_upper, transposed(&values, m, false));
        }
        values.par_chunks_exact_mut(order.max(1)).for_each(|x| solve(&matrix, is_upper, is_unit, x));
        if is_right {
            values = transposed(&values, n, false);
        }
        b.store(memory, &values)
    })
}
