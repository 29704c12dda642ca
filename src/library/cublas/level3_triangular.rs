//! Level 3: products with triangular matrices, and systems.

use super::Scalar;
use super::level3::product;
use crate::call::{Call, Outcome, Status, Uses};
use crate::columns::{Columns, whole};
use crate::dense::solve;
use crate::element::Element;
use crate::operand::Matrix;
use crate::state::CublasHandle as Handle;
use crate::transpose::{Operation, transposed};
use device::{Bytes, CudaError};
use rayon::prelude::*;

/// A triangular matrix beside another one: how it is used, and the sizes of the other.
#[derive(Clone, Copy)]
pub(super) struct Triangular<T> {
    is_right: bool,
    is_upper: bool,
    operation: Operation,
    is_unit: bool,
    pub(super) m: usize,
    pub(super) n: usize,
    alpha: Scalar<T>,
}

impl<T: Element> Triangular<T> {
    /// The arguments before the matrices.
    pub(super) fn new(call: &mut Call<'_>, handle: &Handle) -> Result<Triangular<T>, Status> {
        Ok(Triangular {
            is_right: call.choice("side")?,
            is_upper: call.choice("uplo")?,
            operation: call.operation("trans")?,
            is_unit: call.choice("diag")?,
            m: call.count("m")?,
            n: call.count("n")?,
            alpha: call.scalar::<T>(handle, "alpha")?,
        })
    }

    /// The order of the triangular matrix.
    pub(super) fn order(&self) -> usize {
        if self.is_right { self.n } else { self.m }
    }

    /// What is looked at of a matrix.
    pub(super) fn triangle(&self, matrix: &Matrix<T>) -> Columns<T> {
        Columns::triangle(matrix.address, self.order(), matrix.leading, self.is_upper).of_unit_diagonal(self.is_unit)
    }

    /// The next argument, of which one triangle is looked at.
    fn argument(&self, call: &mut Call<'_>) -> Result<Columns<T>, Status> {
        Ok(self.triangle(&call.matrix(self.order(), self.order(), "a")?))
    }

    /// The matrix as it is used.
    fn load(&self, memory: &mut dyn Bytes, a: &Columns<T>) -> Result<Vec<T>, CudaError> {
        let order = self.order();
        let mut matrix = whole(&a.load(memory)?, order);
        if self.is_unit {
            (0..order).for_each(|i| matrix[i * order + i] = T::from_real(T::real_of(1.0)));
        }
        Ok(self.operation.applied(matrix, order))
    }

    /// `c` = `alpha` · op(`a`) · `b` or `alpha` · `b` · op(`a`)
    fn multiply(&self, memory: &mut dyn Bytes, a: &Columns<T>, b: &Matrix<T>, c: &Matrix<T>) -> Result<(), CudaError> {
        let alpha = self.alpha.get(memory)?;
        let (matrix, b) = (self.load(memory, a)?, b.load(memory)?);
        let (left, right) = if self.is_right { (&b, &matrix) } else { (&matrix, &b) };
        c.store(memory, &product(alpha, (left, right), (self.m, self.n, self.order())))
    }

    /// Solves op(`a`) · `x` = `alpha` · `b` or `x` · op(`a`) = `alpha` · `b`; `x` takes the place of `b`
    pub(super) fn solve(&self, memory: &mut dyn Bytes, a: &Columns<T>, b: &Matrix<T>) -> Result<(), CudaError> {
        let (m, n) = (self.m, self.n);
        let alpha = self.alpha.get(memory)?;
        if alpha == T::ZERO {
            return b.store(memory, &vec![T::ZERO; m * n]);
        }
        let mut matrix = self.load(memory, a)?;
        let mut is_upper = self.is_upper == (self.operation == Operation::Plain);
        let mut values: Vec<T> = b.load(memory)?.into_iter().map(|b| alpha * b).collect();
        if self.is_right {
            // The transposed system has its columns on the left.
            (matrix, is_upper, values) = (transposed(&matrix, n, false), !is_upper, transposed(&values, m, false));
        }
        let (order, is_unit) = (self.order(), self.is_unit);
        values.par_chunks_exact_mut(order.max(1)).for_each(|x| solve(&matrix, is_upper, is_unit, x));
        if self.is_right {
            values = transposed(&values, n, false);
        }
        b.store(memory, &values)
    }

    /// What is read for the arguments.
    pub(super) fn uses(&self) -> Uses {
        Uses::default().with(self.alpha.section())
    }
}

/// The product of a triangular matrix and another one.
pub(super) fn trmm<T: Element>(call: &mut Call<'_>) -> Outcome {
    let handle = call.handle()?;
    let triangular = Triangular::<T>::new(call, &handle)?;
    let a = triangular.argument(call)?;
    let (m, n) = (triangular.m, triangular.n);
    let b = call.matrix::<T>(m, n, "b")?;
    // The first interface does it in place.
    let c = if call.is_legacy {
        call.note_more(&[b.address, b.leading as u64]);
        b
    } else {
        call.matrix::<T>(m, n, "c")?
    };
    let uses =
        triangular.uses().read_if(&a, triangular.alpha.counts()).read_if(&b, triangular.alpha.counts()).write(&c);
    call.perform(handle.stream, uses.apart_or_in_place(), false, move |memory| triangular.multiply(memory, &a, &b, &c))
}

/// Triangular systems with several right-hand sides.
pub(super) fn trsm<T: Element>(call: &mut Call<'_>) -> Outcome {
    let handle = call.handle()?;
    let triangular = Triangular::<T>::new(call, &handle)?;
    let a = triangular.argument(call)?;
    let b = call.matrix::<T>(triangular.m, triangular.n, "b")?;
    let uses = triangular.uses().read_if(&a, triangular.alpha.counts()).change(&b, triangular.alpha.counts());
    call.perform(handle.stream, uses.apart(), false, move |memory| triangular.solve(memory, &a, &b))
}
