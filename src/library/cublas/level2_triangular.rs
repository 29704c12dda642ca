//! Level 2: triangular matrices.

use super::level2::products;
use super::storage::Storage;
use crate::call::{Call, Outcome, Status, Uses};
use crate::columns::{Columns, Elements};
use crate::element::Element;
use crate::operand::Vector;
use crate::transpose::Operation;

/// The arguments: a triangular matrix, what is done to it, and a vector.
struct Arguments<T> {
    stream: u64,
    a: Columns<T>,
    operation: Operation,
    is_unit: bool,
    x: Vector<T>,
    uses: Uses,
}

/// Takes the arguments.
fn arguments<T: Element, S: Storage>(call: &mut Call<'_>) -> Result<Arguments<T>, Status> {
    let stream = call.handle()?.stream;
    let is_upper = call.choice("uplo")?;
    let operation = call.operation("trans")?;
    let is_unit = call.choice("diag")?;
    let n = call.count("n")?;
    let width = S::width(call, n)?;
    let a = S::triangle::<T>(call, n, width, is_upper)?.of_unit_diagonal(is_unit);
    let x = call.stepped::<T>(n, "x")?;
    let uses = Uses::default().read(&a).change(&x, true);
    Ok(Arguments { stream, a, operation, is_unit, x, uses })
}

/// `x` = op(`a`) · `x`
pub(super) fn product<T: Element, S: Storage>(call: &mut Call<'_>) -> Outcome {
    let Arguments { stream, a, operation, is_unit, x, uses } = arguments::<T, S>(call)?;
    call.perform(stream, uses.apart(), false, move |memory| {
        let old = x.load(memory)?;
        let mut sums = products(&a.load(memory)?, operation, &old, x.count);
        if is_unit {
            sums.iter_mut().zip(old).for_each(|(sum, x)| *sum += x);
        }
        x.store(memory, &sums)
    })
}

/// Solves op(`a`) · `x` = `b`; `b` is given in `x`.
pub(super) fn solution<T: Element, S: Storage>(call: &mut Call<'_>) -> Outcome {
    let Arguments { stream, a, operation, is_unit, x, uses } = arguments::<T, S>(call)?;
    call.perform(stream, uses.apart(), false, move |memory| {
        let mut values = x.load(memory)?;
        solve(&a.load(memory)?, a.is_upper(), operation, is_unit, &mut values);
        x.store(memory, &values)
    })
}

/// Solves a triangular system in place, column by column, or, if the matrix is transposed, row by row.
fn solve<T: Element>(elements: &Elements<T>, is_upper: bool, operation: Operation, is_unit: bool, x: &mut [T]) {
    let step = |j: usize| {
        let (from, column) = &elements[j];
        // Where the element of the diagonal is, if it is there.
        let (beside, pivot) = match (is_unit, is_upper) {
            (true, _) => (*from..from + column.len(), None),
            (false, true) => (*from..j, column.last()),
            (false, false) => (j + 1..from + column.len(), column.first()),
        };
        let beside_in_column = &column[beside.start - from..beside.end - from];
        match operation {
            Operation::Plain => {
                if let Some(&pivot) = pivot {
                    x[j] = x[j] / pivot;
                }
                let factor = x[j];
                x[beside].iter_mut().zip(beside_in_column).for_each(|(x, &a)| *x -= a * factor);
            }
            _ => {
                let of = |a: T| if operation == Operation::Conjugated { a.conjugate() } else { a };
                let mut rest = x[j];
                x[beside].iter().zip(beside_in_column).for_each(|(&x, &a)| rest -= of(a) * x);
                x[j] = pivot.map_or(rest, |&pivot| rest / of(pivot));
            }
        }
    };
    // The last unknown of an upper triangle is known first.
    let n = elements.len();
    if is_upper == (operation == Operation::Plain) {
        (0..n).rev().for_each(step);
    } else {
        (0..n).for_each(step);
    }
}
