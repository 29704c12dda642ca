//! Batches: factors of matrices, and what is solved with them.

use crate::call::{Call, Outcome, Status, Uses};
use crate::dense::{Side, lu, qr, reflect, solve, swap_rows};
use crate::element::Element;
use crate::operand::Integers;
use crate::transpose::Operation;
use device::{Bytes, CudaError};

/// The largest order of a matrix that `matinvBatched` takes.
const MOST_OF_INVERSE: usize = 32;

/// A part of an array of integers.
fn part(all: Integers, from: usize, count: usize) -> Integers {
    Integers { address: all.address + 4 * from as u64, count }
}

/// The exchanges of rows of a matrix, by its number; none where there is no array of them.
fn swaps_of(memory: &mut dyn Bytes, all: Option<Integers>, i: usize, n: usize) -> Result<Vec<i32>, CudaError> {
    let Some(all) = all else { return Ok(Vec::new()) };
    let what = format!("`PivotArray` for matrix {}", i + 1);
    part(all, i * n, n).load_swaps(memory, n, &what)
}

/// Solves a system by the factors of a matrix of order `n`; the right-hand sides are columns.
fn solve_factored<T: Element>(factors: &[T], swaps: &[i32], operation: Operation, n: usize, values: &mut [T]) {
    let turned = operation.applied(factors.to_vec(), n);
    for x in values.chunks_exact_mut(n.max(1)) {
        if operation == Operation::Plain {
            swap_rows(x, swaps, false);
            solve(factors, false, true, x);
            solve(factors, true, false, x);
        } else {
            solve(&turned, false, false, x);
            solve(&turned, true, true, x);
            swap_rows(x, swaps, true);
        }
    }
}

/// The inverse by the factors, and the number of the first pivot that is 0, or 0; then there is no inverse.
fn inverse<T: Element>(factors: &[T], swaps: &[i32], n: usize) -> (Option<Vec<T>>, i32) {
    if let Some(i) = (0..n).find(|i| factors[i * n + i] == T::ZERO) {
        return (None, i as i32 + 1);
    }
    let mut values = vec![T::ZERO; n * n];
    (0..n).for_each(|i| values[i * n + i] = T::from_real(T::real_of(1.0)));
    solve_factored(factors, swaps, Operation::Plain, n, &mut values);
    (Some(values), 0)
}

/// The factors of Gauss, in place. Without an array for the exchanges of rows there are none.
pub(super) fn getrf<T: Element>(call: &mut Call<'_>) -> Outcome {
    let handle = call.handle()?;
    let n = call.count("n")?;
    let count = call.batch_count(6)?;
    let a = call.matrices_at::<T>(count, (n, n), "Aarray")?;
    let pivots = call.pivots(n * count)?;
    let info = call.device_integers("infoArray", count)?;
    let mut uses = Uses::default().read(&a).write(&info);
    if let Some(pivots) = &pivots {
        uses = uses.write(pivots);
    }
    uses = a.matrices().fold(uses, |uses, a| uses.change(&a, true));
    call.perform(handle.stream, uses.apart(), false, move |memory| {
        for (i, a) in a.load(memory)?.iter().enumerate() {
            let mut values = a.load(memory)?;
            let (swaps, failed) = lu(&mut values, n, n, pivots.is_some());
            a.store(memory, &values)?;
            if let Some(pivots) = pivots {
                part(pivots, i * n, n).store(memory, &swaps)?;
            }
            part(info, i, 1).store(memory, &[failed])?;
        }
        Ok(())
    })
}

/// The inverses, by the factors.
pub(super) fn getri<T: Element>(call: &mut Call<'_>) -> Outcome {
    let handle = call.handle()?;
    let n = call.count("n")?;
    let count = call.batch_count(8)?;
    let a = call.matrices_at::<T>(count, (n, n), "Aarray")?;
    let pivots = call.pivots(n * count)?;
    let c = call.matrices_at::<T>(count, (n, n), "Carray")?;
    if let Some(at) = a.matrices().zip(c.matrices()).position(|(a, c)| a.address == c.address) {
        let number = at + 1;
        return call.wrong(format!("matrix {number} of `Carray` is that of `Aarray`, and the inverse needs its own"));
    }
    let info = call.device_integers("infoArray", count)?;
    let mut uses = Uses::default().read(&a).read(&c).write(&info);
    if let Some(pivots) = &pivots {
        uses = uses.read(pivots);
    }
    uses = a.matrices().zip(c.matrices()).fold(uses, |uses, (a, c)| uses.read(&a).write(&c));
    call.perform(handle.stream, uses.apart(), false, move |memory| {
        let (a, c) = (a.load(memory)?, c.load(memory)?);
        for (i, (a, c)) in a.iter().zip(&c).enumerate() {
            let swaps = swaps_of(memory, pivots, i, n)?;
            let (found, failed) = inverse(&a.load(memory)?, &swaps, n);
            if let Some(values) = found {
                c.store(memory, &values)?;
            }
            part(info, i, 1).store(memory, &[failed])?;
        }
        Ok(())
    })
}

/// Systems, by the factors.
pub(super) fn getrs<T: Element>(call: &mut Call<'_>) -> Outcome {
    let handle = call.handle()?;
    let operation = call.operation("trans")?;
    let (n, columns) = (call.count("n")?, call.count("nrhs")?);
    let count = call.batch_count(10)?;
    let a = call.matrices_at::<T>(count, (n, n), "Aarray")?;
    let pivots = call.pivots(n * count)?;
    let b = call.matrices_at::<T>(count, (n, columns), "Barray")?;
    let info = call.word();
    call.put(info, &0i32.to_le_bytes(), "info")?;
    let mut uses = Uses::default().read(&a).read(&b);
    if let Some(pivots) = &pivots {
        uses = uses.read(pivots);
    }
    uses = a.matrices().zip(b.matrices()).fold(uses, |uses, (a, b)| uses.read(&a).change(&b, true));
    call.perform(handle.stream, uses.apart(), false, move |memory| {
        let (a, b) = (a.load(memory)?, b.load(memory)?);
        for (i, (a, b)) in a.iter().zip(&b).enumerate() {
            let swaps = swaps_of(memory, pivots, i, n)?;
            let (factors, mut values) = (a.load(memory)?, b.load(memory)?);
            solve_factored(&factors, &swaps, operation, n, &mut values);
            b.store(memory, &values)?;
        }
        Ok(())
    })
}

/// The inverses of small matrices.
pub(super) fn matinv<T: Element>(call: &mut Call<'_>) -> Outcome {
    let handle = call.handle()?;
    let n = call.count("n")?;
    if n > MOST_OF_INVERSE {
        return call.wrong(format!("`n` is {n}, and this routine takes matrices of order {MOST_OF_INVERSE} at most"));
    }
    let count = call.batch_count(7)?;
    let a = call.matrices_at::<T>(count, (n, n), "A")?;
    let c = call.matrices_at::<T>(count, (n, n), "Ainv")?;
    let info = call.device_integers("info", count)?;
    let uses = Uses::default().read(&a).read(&c).write(&info);
    let uses = a.matrices().zip(c.matrices()).fold(uses, |uses, (a, c)| uses.read(&a).write(&c));
    call.perform(handle.stream, uses.apart(), false, move |memory| {
        let (a, c) = (a.load(memory)?, c.load(memory)?);
        for (i, (a, c)) in a.iter().zip(&c).enumerate() {
            let mut values = a.load(memory)?;
            let (swaps, _) = lu(&mut values, n, n, true);
            let (found, failed) = inverse(&values, &swaps, n);
            if let Some(values) = found {
                c.store(memory, &values)?;
            }
            part(info, i, 1).store(memory, &[failed])?;
        }
        Ok(())
    })
}

/// Factors of Householder, in place.
pub(super) fn geqrf<T: Element>(call: &mut Call<'_>) -> Outcome {
    let handle = call.handle()?;
    let (m, n) = (call.count("m")?, call.count("n")?);
    let count = call.batch_count(7)?;
    let a = call.matrices_at::<T>(count, (m, n), "Aarray")?;
    let (rank, array) = (m.min(n), call.word());
    let tau = call.matrices_of::<T>(array, rank.max(1) as i64, count, (rank, 1), "TauArray")?;
    let info = call.word();
    call.put(info, &0i32.to_le_bytes(), "info")?;
    let uses = Uses::default().read(&a).read(&tau);
    let uses = a.matrices().zip(tau.matrices()).fold(uses, |uses, (a, tau)| uses.change(&a, true).write(&tau));
    call.perform(handle.stream, uses.apart(), false, move |memory| {
        let (a, tau) = (a.load(memory)?, tau.load(memory)?);
        for (a, tau) in a.iter().zip(&tau) {
            let mut values = a.load(memory)?;
            let factors = qr(&mut values, m, n);
            a.store(memory, &values)?;
            tau.store(memory, &factors)?;
        }
        Ok(())
    })
}

/// Least squares of systems with more rows than unknowns: the factors of Householder are left in the matrices.
pub(super) fn gels<T: Element>(call: &mut Call<'_>) -> Outcome {
    let handle = call.handle()?;
    if call.operation("trans")? != Operation::Plain {
        return call.wrong("`trans` must be `CUBLAS_OP_N` for this routine".to_owned());
    }
    let (m, n, columns) = (call.count("m")?, call.count("n")?, call.count("nrhs")?);
    if m < n {
        return call.wrong(format!("`m` is {m} and `n` is {n}; this routine takes at least as many rows as columns"));
    }
    let count = call.batch_count(11)?;
    let a = call.matrices_at::<T>(count, (m, n), "Aarray")?;
    let c = call.matrices_at::<T>(count, (m, columns), "Carray")?;
    let info = call.word();
    call.put(info, &0i32.to_le_bytes(), "info")?;
    let address = call.word();
    let failed = if address == 0 { None } else { Some(call.device_integers_at(address, "devInfoArray", count)?) };
    let mut uses = Uses::default().read(&a).read(&c);
    if let Some(failed) = &failed {
        uses = uses.write(failed);
    }
    let uses = a.matrices().zip(c.matrices()).fold(uses, |uses, (a, c)| uses.change(&a, true).change(&c, true));
    call.perform(handle.stream, uses.apart(), false, move |memory| {
        let (a, c) = (a.load(memory)?, c.load(memory)?);
        for (i, (a, c)) in a.iter().zip(&c).enumerate() {
            let (mut values, mut sides) = (a.load(memory)?, c.load(memory)?);
            let singular = least_squares(&mut values, &mut sides, m, n);
            a.store(memory, &values)?;
            c.store(memory, &sides)?;
            if let Some(failed) = failed {
                part(failed, i, 1).store(memory, &[singular])?;
            }
        }
        Ok(())
    })
}

/// Factors a matrix and solves; the number of the first element of the diagonal that is 0, or 0.
fn least_squares<T: Element>(a: &mut [T], sides: &mut Vec<T>, m: usize, n: usize) -> i32 {
    let factors = qr(a, m, n);
    if let Some(i) = (0..n).find(|i| a[i * m + i] == T::ZERO) {
        return i as i32 + 1;
    }
    reflect((a, &factors), (Side::Left, true), sides, m);
    let upper: Vec<T> = a.chunks_exact(m.max(1)).flat_map(|column| &column[..n]).copied().collect();
    sides.chunks_exact_mut(m.max(1)).for_each(|x| solve(&upper, true, false, &mut x[..n]));
    0
}

impl Call<'_> {
    /// The array of exchanges of rows, which may be missing.
    fn pivots(&mut self, count: usize) -> Result<Option<Integers>, Status> {
        let address = self.word();
        if address == 0 {
            return Ok(None);
        }
        self.device_integers_at(address, "PivotArray", count).map(Some)
    }
}
