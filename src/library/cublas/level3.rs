//! Level 3: products of matrices.

use super::Scalar;
use crate::call::{Call, Outcome, Status, Uses};
use crate::columns::{Columns, whole};
use crate::element::Element;
use crate::operand::Matrix;
use crate::transpose::Operation;
use device::{Bytes, CudaError};
use finding::What;
use product::multiply;

/// `alpha` · `a` · `b`, where `a` has `m` rows and `k` columns and the result `n` columns.
pub(super) fn product<T: Element>(alpha: T, (a, b): (&[T], &[T]), (m, n, k): (usize, usize, usize)) -> Vec<T> {
    let mut c = vec![T::ZERO; m * n];
    // With a factor of zero the matrices do not count, whatever they are.
    if alpha != T::ZERO {
        multiply(&mut c, a, b, m, k);
        c.iter_mut().for_each(|c| *c = alpha * *c);
    }
    c
}

/// Adds `beta` · what was there to a result. With a factor of zero the old values do not count, whatever they are.
pub(super) fn add_old<T: Element>(
    memory: &mut dyn Bytes,
    c: &Matrix<T>,
    beta: T,
    sums: &mut [T],
) -> Result<(), CudaError> {
    if beta != T::ZERO {
        sums.iter_mut().zip(c.load(memory)?).for_each(|(sum, old)| *sum += beta * old);
    }
    Ok(())
}

/// A matrix as it is used.
pub(super) fn used<T: Element>(
    memory: &mut dyn Bytes,
    matrix: &Matrix<T>,
    operation: Operation,
) -> Result<Vec<T>, CudaError> {
    Ok(operation.applied(matrix.load(memory)?, matrix.rows))
}

/// The same matrix, so many elements further.
pub(super) fn shifted<T: Element>(matrix: &Matrix<T>, elements: i64) -> Matrix<T> {
    let address = matrix.address.wrapping_add_signed(elements.wrapping_mul(T::BYTES as i64));
    Matrix::new(address, matrix.rows, matrix.columns, matrix.leading)
}

/// `c` = `alpha` · op(`a`) · op(`b`) + `beta` · `c`
pub(super) struct Gemm<T> {
    pub(super) operations: (Operation, Operation),
    pub(super) sizes: (usize, usize, usize),
    pub(super) alpha: Scalar<T>,
    pub(super) beta: Scalar<T>,
}

impl<T: Element> Gemm<T> {
    /// What a product uses of memory.
    pub(super) fn uses(&self, uses: Uses, a: &Matrix<T>, b: &Matrix<T>, c: &Matrix<T>) -> Uses {
        let counts = self.alpha.counts();
        uses.read_if(a, counts).read_if(b, counts).change(c, self.beta.counts())
    }

    /// Does one.
    pub(super) fn run(
        &self,
        memory: &mut dyn Bytes,
        a: &Matrix<T>,
        b: &Matrix<T>,
        c: &Matrix<T>,
    ) -> Result<(), CudaError> {
        let (alpha, beta) = (self.alpha.get(memory)?, self.beta.get(memory)?);
        let (a, b) = (used(memory, a, self.operations.0)?, used(memory, b, self.operations.1)?);
        let mut sums = product(alpha, (&a, &b), self.sizes);
        add_old(memory, c, beta, &mut sums)?;
        c.store(memory, &sums)
    }
}

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
        let stride = if is_strided { call.word() as i64 } else { 0 };
        Ok::<_, Status>((matrix, call.stride(what, stride, false)?))
    };
    let a = matrix(call, op_a.stored(m, k), "a")?;
    let b = matrix(call, op_b.stored(k, n), "b")?;
    let beta = call.scalar::<T>(&handle, "beta")?;
    let c = matrix(call, (m, n), "c")?;
    let count = if is_strided { call.count("batchCount")? } else { 1 };
    call.stride("c", c.1, count > 1)?;
    let of = |(matrix, stride): &(Matrix<T>, i64), i: usize| shifted(matrix, stride.wrapping_mul(i as i64));
    if count > 1 {
        // Before there is a list of all.
        call.check_inside(&of(&c, count - 1).section(), What::Write)?;
    }
    let gemm = Gemm { operations: (op_a, op_b), sizes: (m, n, k), alpha, beta };
    let start = Uses::default().with(alpha.section()).with(beta.section());
    let uses = (0..count).fold(start, |uses, i| gemm.uses(uses, &of(&a, i), &of(&b, i), &of(&c, i)));
    call.perform(handle.stream, uses.apart(), false, move |memory| {
        (0..count).try_for_each(|i| gemm.run(memory, &of(&a, i), &of(&b, i), &of(&c, i)))
    })
}

/// `c` = `alpha` · `a` · `b` + `beta` · `c` or `alpha` · `b` · `a` + `beta` · `c`, for a symmetric or Hermitian `a`, of which one
/// triangle is there
pub(super) fn symm<T: Element, const HERMITIAN: bool>(call: &mut Call<'_>) -> Outcome {
    let handle = call.handle()?;
    let (is_right, is_upper) = (call.choice("side")?, call.choice("uplo")?);
    let (m, n) = (call.count("m")?, call.count("n")?);
    let order = if is_right { n } else { m };
    let alpha = call.scalar::<T>(&handle, "alpha")?;
    let a = call.triangle::<T>("a", order, is_upper)?;
    let b = call.matrix::<T>(m, n, "b")?;
    let beta = call.scalar::<T>(&handle, "beta")?;
    let c = call.matrix::<T>(m, n, "c")?;
    let uses = Uses::default().read_if(&a, alpha.counts()).read_if(&b, alpha.counts()).change(&c, beta.counts());
    call.perform(handle.stream, uses.with(alpha.section()).with(beta.section()).apart(), false, move |memory| {
        let (alpha, beta) = (alpha.get(memory)?, beta.get(memory)?);
        let (a, b) = (completed::<T, HERMITIAN>(memory, &a)?, b.load(memory)?);
        let (left, right) = if is_right { (&b, &a) } else { (&a, &b) };
        let mut sums = product(alpha, (left, right), (m, n, order));
        add_old(memory, &c, beta, &mut sums)?;
        c.store(memory, &sums)
    })
}

/// The whole matrix of which a triangle is there.
fn completed<T: Element, const HERMITIAN: bool>(
    memory: &mut dyn Bytes,
    triangle: &Columns<T>,
) -> Result<Vec<T>, CudaError> {
    let n = triangle.rows;
    let mut matrix = whole(&triangle.load(memory)?, n);
    if HERMITIAN {
        crate::dense::complete(&mut matrix, n, triangle.is_upper());
        return Ok(matrix);
    }
    for j in 0..n {
        for i in 0..j {
            let (from, to) = if triangle.is_upper() { (j * n + i, i * n + j) } else { (i * n + j, j * n + i) };
            matrix[to] = matrix[from];
        }
    }
    Ok(matrix)
}
