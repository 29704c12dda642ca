//! The factorisations of Cholesky and Gauss, and what is solved with them.

use crate::call::{Call, Outcome, Uses};
use crate::dense::{cholesky, complete, lu, solve, swap_rows};
use crate::element::Element;
use crate::operand::{Integers, Matrix, Operand};
use crate::transpose::{Operation, transposed};
use device::{Section, Written};

/// A number of elements that is enough for routines on so many rows and columns.
fn work_of(rows: usize, columns: usize) -> usize {
    rows.saturating_mul(columns).max(1)
}

/// Also for `potri`, which takes the same arguments.
pub(super) fn potrf_size<T: Element>(call: &mut Call<'_>) -> Outcome {
    call.solver()?;
    call.choice("uplo")?;
    let n = call.count("n")?;
    call.matrix::<T>(n, n, "A")?;
    call.put_work_size(work_of(n, 1))
}

pub(super) fn potrf<T: Element>(call: &mut Call<'_>) -> Outcome {
    let stream = call.solver()?;
    let is_upper = call.choice("uplo")?;
    let n = call.count("n")?;
    let a = call.matrix::<T>(n, n, "A")?;
    let work = call.workspace::<T>(work_of(n, 1))?;
    let info = call.info()?;
    factor(call, stream, is_upper, &a, vec![work], info)
}

/// Puts the factorisation of Cholesky on a stream.
pub(super) fn factor<T: Element>(
    call: &mut Call<'_>,
    stream: u64,
    is_upper: bool,
    a: &Matrix<T>,
    work: Vec<Section>,
    info: Integers,
) -> Outcome {
    let a = *a;
    let writes = [a.written(), info.status()].into_iter().chain(work.into_iter().map(Written::undefined)).collect();
    call.submit(stream, vec![a.section()], writes, false, move |memory| {
        let mut values = a.load(memory)?;
        let failed = cholesky(&mut values, a.rows, is_upper);
        a.store_triangle(memory, &values, is_upper)?;
        info.store(memory, &[failed])
    })
}

pub(super) fn potrs<T: Element>(call: &mut Call<'_>) -> Outcome {
    let stream = call.solver()?;
    let is_upper = call.choice("uplo")?;
    let (n, columns) = (call.count("n")?, call.count("nrhs")?);
    let a = call.matrix::<T>(n, n, "A")?;
    let b = call.matrix::<T>(n, columns, "B")?;
    let info = call.info()?;
    solve_factored(call, stream, is_upper, (&a, &b), info)
}

/// Puts the solution with a factor of Cholesky on a stream.
pub(super) fn solve_factored<T: Element>(
    call: &mut Call<'_>,
    stream: u64,
    is_upper: bool,
    (a, b): (&Matrix<T>, &Matrix<T>),
    info: Integers,
) -> Outcome {
    let (a, b) = (*a, *b);
    let (reads, writes) = (vec![a.section(), b.section()], vec![b.written(), info.status()]);
    call.submit(stream, reads, writes, false, move |memory| {
        let factor = a.load(memory)?;
        let turned = transposed(&factor, a.rows, true);
        let (lower, upper) = if is_upper { (&turned, &factor) } else { (&factor, &turned) };
        let mut values = b.load(memory)?;
        for x in values.chunks_exact_mut(a.rows.max(1)) {
            solve(lower, false, false, x);
            solve(upper, true, false, x);
        }
        b.store(memory, &values)?;
        info.store(memory, &[0])
    })
}

/// The inverse of a matrix from its factor of Cholesky.
pub(super) fn potri<T: Element>(call: &mut Call<'_>) -> Outcome {
    let stream = call.solver()?;
    let is_upper = call.choice("uplo")?;
    let n = call.count("n")?;
    let a = call.matrix::<T>(n, n, "A")?;
    let work = call.workspace::<T>(work_of(n, 1))?;
    let info = call.info()?;
    call.submit(
        stream,
        vec![a.section()],
        vec![a.written(), Written::undefined(work), info.status()],
        false,
        move |memory| {
            let factor = a.load(memory)?;
            if let Some(j) = (0..n).find(|j| factor[j * n + j] == T::ZERO) {
                return info.store(memory, &[j as i32 + 1]);
            }
            let turned = transposed(&factor, n, true);
            let (lower, upper) = if is_upper { (&turned, &factor) } else { (&factor, &turned) };
            let mut inverse = vec![T::ZERO; n * n];
            for (j, x) in inverse.chunks_exact_mut(n.max(1)).enumerate() {
                x[j] = T::from_real(T::real_of(1.0));
                solve(lower, false, false, x);
                solve(upper, true, false, x);
            }
            complete(&mut inverse, n, is_upper);
            a.store_triangle(memory, &inverse, is_upper)?;
            info.store(memory, &[0])
        },
    )
}

/// Also for `geqrf`, which takes the same arguments.
pub(super) fn getrf_size<T: Element>(call: &mut Call<'_>) -> Outcome {
    call.solver()?;
    let (m, n) = (call.count("m")?, call.count("n")?);
    call.matrix::<T>(m, n, "A")?;
    call.put_work_size(work_of(m, n))
}

/// Without an array for the swapped rows none are swapped.
pub(super) fn getrf<T: Element>(call: &mut Call<'_>) -> Outcome {
    let stream = call.solver()?;
    let (m, n) = (call.count("m")?, call.count("n")?);
    let a = call.matrix::<T>(m, n, "A")?;
    let needed = call.needed(work_of(m, n), None)?;
    let work = call.elements::<T>("Workspace", needed)?.section();
    let swaps = call.device_integers("devIpiv", m.min(n))?;
    let info = call.info()?;
    let pivots = swaps.address != 0;
    let mut writes = vec![a.written(), Written::undefined(work), info.status()];
    writes.extend(pivots.then(|| swaps.written()));
    call.submit(stream, vec![a.section()], writes, false, move |memory| {
        let mut values = a.load(memory)?;
        let (rows, singular) = lu(&mut values, m, n, pivots);
        a.store(memory, &values)?;
        if pivots {
            swaps.store(memory, &rows)?;
        }
        info.store(memory, &[singular])
    })
}

pub(super) fn getrs<T: Element>(call: &mut Call<'_>) -> Outcome {
    let stream = call.solver()?;
    let operation = call.operation("trans")?;
    let (n, columns) = (call.count("n")?, call.count("nrhs")?);
    let a = call.matrix::<T>(n, n, "A")?;
    let swaps = call.device_integers("devIpiv", n)?;
    let b = call.matrix::<T>(n, columns, "B")?;
    let info = call.info()?;
    let mut uses = Uses::default().read(&a).change(&b, true).status(&info);
    if swaps.address != 0 {
        uses = uses.read(&swaps);
    }
    call.perform(stream, uses, false, move |memory| {
        let factors = operation.applied(a.load(memory)?, n);
        let rows = if swaps.address == 0 { Vec::new() } else { swaps.load_swaps(memory, n, "`devIpiv`")? };
        let mut values = b.load(memory)?;
        for x in values.chunks_exact_mut(n.max(1)) {
            if operation == Operation::Plain {
                swap_rows(x, &rows, false);
                solve(&factors, false, true, x);
                solve(&factors, true, false, x);
            } else {
                solve(&factors, false, false, x);
                solve(&factors, true, true, x);
                swap_rows(x, &rows, true);
            }
        }
        b.store(memory, &values)?;
        info.store(memory, &[0])
    })
}
