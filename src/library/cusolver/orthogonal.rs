//! The factorisation of Householder, and products with its orthogonal factor.

use crate::call::{Call, Outcome, Status};
use crate::dense::{Side, generate, qr, reflect};
use crate::element::Element;
use crate::operand::Operand;
use crate::transpose::Operation;
use device::Written;

pub(super) fn geqrf<T: Element>(call: &mut Call<'_>) -> Outcome {
    let stream = call.solver()?;
    let (m, n) = (call.count("m")?, call.count("n")?);
    let a = call.matrix::<T>(m, n, "A")?;
    let factors = call.elements::<T>("TAU", m.min(n))?;
    // All before `TAU`.
    let work = call.workspace_by::<T>(m.saturating_mul(n).max(1), Some(&[0, 1, 2, 3, 4]))?;
    let info = call.info()?;
    let writes = vec![a.written(), factors.written(), Written::undefined(work), info.status()];
    call.submit(stream, vec![a.section()], writes, false, move |memory| {
        let mut values = a.load(memory)?;
        let reflections = qr(&mut values, m, n);
        a.store(memory, &values)?;
        factors.store(memory, &reflections)?;
        info.store(memory, &[0])
    })
}

/// The side, the operation and the sizes of a product.
fn head<T: Element>(call: &mut Call<'_>) -> Result<(Side, bool, [usize; 4]), Status> {
    let side = if call.choice("side")? { Side::Right } else { Side::Left };
    let is_turned = call.operation("trans")? != Operation::Plain;
    let [m, n, k] = [call.count("m")?, call.count("n")?, call.count("k")?];
    let order = if side == Side::Left { m } else { n };
    if k > order {
        return call.wrong(format!("`k` is {k}, and the matrix of the reflections has {order} rows"));
    }
    Ok((side, is_turned, [m, n, k, order]))
}

pub(super) fn ormqr_size<T: Element>(call: &mut Call<'_>) -> Outcome {
    call.solver()?;
    let (_, _, [m, n, k, order]) = head::<T>(call)?;
    call.matrix::<T>(order, k, "A")?;
    call.elements::<T>("tau", k)?;
    call.matrix::<T>(m, n, "C")?;
    call.put_work_size(m.saturating_mul(n).max(1))
}

/// `c` = op(`q`) · `c`, or `c` · op(`q`)
pub(super) fn ormqr<T: Element>(call: &mut Call<'_>) -> Outcome {
    let stream = call.solver()?;
    let (side, is_turned, [m, n, k, order]) = head::<T>(call)?;
    let a = call.matrix::<T>(order, k, "A")?;
    let factors = call.elements::<T>("tau", k)?;
    let c = call.matrix::<T>(m, n, "C")?;
    let work = call.workspace::<T>(m.saturating_mul(n).max(1))?;
    let info = call.info()?;
    let reads = vec![a.section(), factors.section(), c.section()];
    call.submit(stream, reads, vec![c.written(), Written::undefined(work), info.status()], false, move |memory| {
        let (reflections, factors) = (a.load(memory)?, factors.load(memory)?);
        let mut values = c.load(memory)?;
        reflect((&reflections, &factors), (side, is_turned), &mut values, m);
        c.store(memory, &values)?;
        info.store(memory, &[0])
    })
}

fn sizes<T: Element>(call: &mut Call<'_>) -> Result<[usize; 3], Status> {
    let [m, n, k] = [call.count("m")?, call.count("n")?, call.count("k")?];
    if n > m || k > n {
        return call.wrong(format!("`m`, `n` and `k` are {m}, {n} and {k}, and must not rise"));
    }
    Ok([m, n, k])
}

pub(super) fn orgqr_size<T: Element>(call: &mut Call<'_>) -> Outcome {
    call.solver()?;
    let [m, n, k] = sizes::<T>(call)?;
    call.matrix::<T>(m, n, "A")?;
    call.elements::<T>("tau", k)?;
    call.put_work_size(m.saturating_mul(n).max(1))
}

/// `a` becomes the first columns of `q`.
pub(super) fn orgqr<T: Element>(call: &mut Call<'_>) -> Outcome {
    let stream = call.solver()?;
    let [m, n, k] = sizes::<T>(call)?;
    let a = call.matrix::<T>(m, n, "A")?;
    let factors = call.elements::<T>("tau", k)?;
    let work = call.workspace::<T>(m.saturating_mul(n).max(1))?;
    let info = call.info()?;
    let reads = vec![a.section(), factors.section()];
    call.submit(stream, reads, vec![a.written(), Written::undefined(work), info.status()], false, move |memory| {
        let (reflections, factors) = (a.load(memory)?, factors.load(memory)?);
        a.store(memory, &generate((&reflections, &factors), m, n))?;
        info.store(memory, &[0])
    })
}
