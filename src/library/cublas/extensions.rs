//! Extensions of BLAS: sums of matrices, products with diagonal ones, packing.

use super::Scalar;
use super::level3::used;
use crate::call::{Call, Outcome, Uses};
use crate::element::Element;
use crate::transpose::Operation;

/// `c` = `alpha` · op(`a`) + `beta` · op(`b`)
pub(super) fn geam<T: Element>(call: &mut Call<'_>) -> Outcome {
    let handle = call.handle()?;
    let (op_a, op_b) = (call.operation("transa")?, call.operation("transb")?);
    let (m, n) = (call.count("m")?, call.count("n")?);
    let alpha = call.scalar::<T>(&handle, "alpha")?;
    let (rows, columns) = op_a.stored(m, n);
    let a = call.matrix::<T>(rows, columns, "a")?;
    let beta = call.scalar::<T>(&handle, "beta")?;
    let (rows, columns) = op_b.stored(m, n);
    let b = call.matrix::<T>(rows, columns, "b")?;
    let c = call.matrix::<T>(m, n, "c")?;
    for (of, operation, what) in [(&a, op_a, "a"), (&b, op_b, "b")] {
        let is_alike = operation == Operation::Plain && of.leading == c.leading;
        if of.address == c.address && !is_alike {
            return call.wrong(format!(
                "`c` is `{what}`, which must then not be transposed and have the leading dimension of `c`"
            ));
        }
    }
    // With a factor of zero a matrix does not count, whatever it has.
    let mut uses = Uses::default().with(alpha.section()).with(beta.section());
    for (matrix, factor) in [(&a, alpha), (&b, beta)] {
        if !matches!(factor, Scalar::Value(value) if value == T::ZERO) {
            uses = uses.read_if(matrix, factor.counts());
        }
    }
    call.perform(handle.stream, uses.write(&c).apart_or_in_place(), false, move |memory| {
        let mut sums = vec![T::ZERO; m * n];
        for (matrix, operation, factor) in [(&a, op_a, alpha), (&b, op_b, beta)] {
            let factor = factor.get(memory)?;
            if factor != T::ZERO {
                let elements = used(memory, matrix, operation)?;
                sums.iter_mut().zip(elements).for_each(|(sum, x)| *sum += factor * x);
            }
        }
        c.store(memory, &sums)
    })
}

/// `c` = diagonal of `x` · `a`, or `a` · diagonal of `x`
pub(super) fn dgmm<T: Element>(call: &mut Call<'_>) -> Outcome {
    let handle = call.handle()?;
    let is_right = call.choice("mode")?;
    let (m, n) = (call.count("m")?, call.count("n")?);
    let a = call.matrix::<T>(m, n, "a")?;
    let x = call.vector::<T>(if is_right { n } else { m }, "x")?;
    let c = call.matrix::<T>(m, n, "c")?;
    let uses = Uses::default().read(&a).read(&x).write(&c);
    call.perform(handle.stream, uses.apart_or_in_place(), false, move |memory| {
        let (mut elements, x) = (a.load(memory)?, x.load(memory)?);
        for (j, column) in elements.chunks_exact_mut(m.max(1)).enumerate() {
            column.iter_mut().enumerate().for_each(|(i, a)| *a *= x[if is_right { j } else { i }]);
        }
        c.store(memory, &elements)
    })
}

/// A triangle, packed, becomes one of a matrix.
pub(super) fn tpttr<T: Element>(call: &mut Call<'_>) -> Outcome {
    let handle = call.handle()?;
    let is_upper = call.choice("uplo")?;
    let n = call.count("n")?;
    let packed = call.packed::<T>("ap", n, is_upper)?;
    let a = call.triangle::<T>("a", n, is_upper)?;
    call.perform(handle.stream, Uses::default().read(&packed).write(&a).apart(), false, move |memory| {
        let elements = packed.load(memory)?;
        a.store(memory, &elements)
    })
}

/// A triangle of a matrix is packed.
pub(super) fn trttp<T: Element>(call: &mut Call<'_>) -> Outcome {
    let handle = call.handle()?;
    let is_upper = call.choice("uplo")?;
    let n = call.count("n")?;
    let a = call.triangle::<T>("a", n, is_upper)?;
    let packed = call.packed::<T>("ap", n, is_upper)?;
    call.perform(handle.stream, Uses::default().read(&a).write(&packed).apart(), false, move |memory| {
        let elements = a.load(memory)?;
        packed.store(memory, &elements)
    })
}
