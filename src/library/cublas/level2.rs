//! Level 2: a general matrix and vectors.

use super::Scalar;
use crate::call::{Call, Outcome, Uses};
use crate::columns::Elements;
use crate::element::Element;
use crate::operand::Vector;
use crate::transpose::Operation;
use device::{Bytes, CudaError};

impl<T: Element> Vector<T> {
    /// The vector becomes `alpha` · the sums + `beta` · what it was. What a factor of zero belongs to does not
    /// count, whatever it is.
    pub(super) fn blend(&self, memory: &mut dyn Bytes, (alpha, beta): (T, T), sums: Vec<T>) -> Result<(), CudaError> {
        let mut values = if alpha == T::ZERO { vec![T::ZERO; sums.len()] } else { sums };
        values.iter_mut().for_each(|sum| *sum = alpha * *sum);
        if beta != T::ZERO {
            values.iter_mut().zip(self.load(memory)?).for_each(|(sum, old)| *sum += beta * old);
        }
        self.store(memory, &values)
    }
}

/// The sums of the products of op(a matrix) with a vector; so many of them.
pub(super) fn products<T: Element>(elements: &Elements<T>, operation: Operation, x: &[T], count: usize) -> Vec<T> {
    let mut sums = vec![T::ZERO; count];
    for (j, (from, column)) in elements.iter().enumerate() {
        match operation {
            Operation::Plain => sums[*from..].iter_mut().zip(column).for_each(|(sum, &a)| *sum += a * x[j]),
            Operation::Transposed => column.iter().zip(&x[*from..]).for_each(|(&a, &x)| sums[j] += a * x),
            Operation::Conjugated => column.iter().zip(&x[*from..]).for_each(|(&a, &x)| sums[j] += a.conjugate() * x),
        }
    }
    sums
}

/// `y` = `alpha` · op(`a`) · `x` + `beta` · `y`; nothing for a matrix without elements
pub(super) fn gemv<T: Element>(call: &mut Call<'_>) -> Outcome {
    let handle = call.handle()?;
    let operation = call.operation("trans")?;
    let (m, n) = (call.count("m")?, call.count("n")?);
    let alpha = call.scalar::<T>(&handle, "alpha")?;
    let a = call.matrix::<T>(m, n, "a")?;
    let (rows, columns) = operation.stored(m, n);
    let x = call.stepped::<T>(columns, "x")?;
    let beta = call.scalar::<T>(&handle, "beta")?;
    let y = call.stepped::<T>(rows, "y")?;
    if m == 0 || n == 0 {
        return call.done();
    }
    let uses = Uses::default().read_if(&a, alpha.counts()).read_if(&x, alpha.counts()).change(&y, beta.counts());
    call.perform(handle.stream, uses.with(alpha.section()).with(beta.section()).apart(), false, move |memory| {
        let factors = (alpha.get(memory)?, beta.get(memory)?);
        let matrix = operation.applied(a.load(memory)?, m);
        let mut sums = vec![T::ZERO; rows];
        for (column, x) in matrix.chunks_exact(rows.max(1)).zip(x.load(memory)?) {
            sums.iter_mut().zip(column).for_each(|(sum, &a)| *sum += a * x);
        }
        y.blend(memory, factors, sums)
    })
}

/// The same for a matrix of which a band is there.
pub(super) fn gbmv<T: Element>(call: &mut Call<'_>) -> Outcome {
    let handle = call.handle()?;
    let operation = call.operation("trans")?;
    let (m, n) = (call.count("m")?, call.count("n")?);
    let (below, above) = (call.count("kl")?, call.count("ku")?);
    let alpha = call.scalar::<T>(&handle, "alpha")?;
    let a = call.band::<T>((m, n), (below, above))?;
    let (rows, columns) = operation.stored(m, n);
    let x = call.stepped::<T>(columns, "x")?;
    let beta = call.scalar::<T>(&handle, "beta")?;
    let y = call.stepped::<T>(rows, "y")?;
    if m == 0 || n == 0 {
        return call.done();
    }
    let uses = Uses::default().read_if(&a, alpha.counts()).read_if(&x, alpha.counts()).change(&y, beta.counts());
    call.perform(handle.stream, uses.with(alpha.section()).with(beta.section()).apart(), false, move |memory| {
        let factors = (alpha.get(memory)?, beta.get(memory)?);
        let sums = products(&a.load(memory)?, operation, &x.load(memory)?, rows);
        y.blend(memory, factors, sums)
    })
}

/// `a` += `alpha` · `x` · transpose of `y`, conjugated if wanted
pub(super) fn ger<T: Element, const CONJUGATES: bool>(call: &mut Call<'_>) -> Outcome {
    let handle = call.handle()?;
    let (m, n) = (call.count("m")?, call.count("n")?);
    let alpha = call.scalar::<T>(&handle, "alpha")?;
    let (x, y) = (call.stepped::<T>(m, "x")?, call.stepped::<T>(n, "y")?);
    let a = call.matrix::<T>(m, n, "a")?;
    let uses = Uses::default().read_if(&x, alpha.counts()).read_if(&y, alpha.counts()).change(&a, true);
    call.perform(handle.stream, uses.with(alpha.section()).apart(), false, move |memory| {
        let alpha = alpha.get(memory)?;
        if alpha == T::ZERO {
            return Ok(());
        }
        let mut matrix = a.load(memory)?;
        let x = x.load(memory)?;
        for (column, y) in matrix.chunks_exact_mut(m.max(1)).zip(y.load(memory)?) {
            let factor = alpha * if CONJUGATES { y.conjugate() } else { y };
            column.iter_mut().zip(&x).for_each(|(a, &x)| *a += x * factor);
        }
        a.store(memory, &matrix)
    })
}

impl<T: Element> Scalar<T> {
    /// Whether it is known not to be 0: what it is multiplied with is looked at.
    pub(crate) fn counts(self) -> bool {
        matches!(self, Scalar::Value(value) if value != T::ZERO)
    }
}
