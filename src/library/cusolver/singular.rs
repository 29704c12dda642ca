//! Singular values.

use crate::call::{Call, Outcome, Status};
use crate::dense::{Singular, singular};
use crate::element::Element;
use crate::operand::{Matrix, Operand};
use crate::transpose::transposed;
use device::Written;

/// Which vectors are wanted: all, as many as there are values, in place of the matrix, none.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Vectors {
    All,
    Some,
    InPlace,
    None,
}

fn vectors(call: &mut Call<'_>, what: &str) -> Result<Vectors, Status> {
    match call.int() as u8 {
        b'A' => Ok(Vectors::All),
        b'S' => Ok(Vectors::Some),
        b'O' => Ok(Vectors::InPlace),
        b'N' => Ok(Vectors::None),
        other => call.wrong(format!("`{what}` is `{}`, and must be A, S, O or N", other.escape_ascii())),
    }
}

fn sizes(call: &mut Call<'_>) -> Result<(usize, usize), Status> {
    let (m, n) = (call.count("m")?, call.count("n")?);
    if m < n {
        return call.wrong(format!("`m` is {m}, and must not be less than `n`, which is {n}"));
    }
    Ok((m, n))
}

fn work_of(m: usize, n: usize) -> usize {
    m.saturating_mul(n).saturating_add(m).max(1)
}

pub(super) fn gesvd_size<T: Element>(call: &mut Call<'_>) -> Outcome {
    call.solver()?;
    let (m, n) = sizes(call)?;
    call.put_work_size(work_of(m, n))
}

pub(super) fn gesvd<T: Element>(call: &mut Call<'_>) -> Outcome {
    let stream = call.solver()?;
    let (of_left, of_right) = (vectors(call, "jobu")?, vectors(call, "jobvt")?);
    if of_left == Vectors::InPlace && of_right == Vectors::InPlace {
        return call.wrong("`jobu` and `jobvt` are both O, and there is one matrix to write to".to_owned());
    }
    let (m, n) = sizes(call)?;
    let a = call.matrix::<T>(m, n, "A")?;
    let values = call.elements::<T::Real>("S", n)?;
    let wanted = |call: &mut Call<'_>, vectors: Vectors, rows: usize, columns: usize, what: &str| match vectors {
        Vectors::All | Vectors::Some => call.matrix::<T>(rows, columns, what).map(Some),
        _ => {
            call.skip(2);
            Ok(None)
        }
    };
    let u = wanted(call, of_left, m, if of_left == Vectors::All { m } else { n }, "U")?;
    let vt = wanted(call, of_right, n, n, "VT")?;
    // The handle and the sizes.
    let work = call.workspace_by::<T>(work_of(m, n), Some(&[0, 3, 4]))?;
    // `rwork`, which only a method that does not converge uses.
    call.skip(1);
    let info = call.info()?;
    let of_matrix = match (of_left, of_right) {
        (Vectors::InPlace, _) => a.vectors(&values, false),
        (_, Vectors::InPlace) => {
            Written::partly(a.section(), Matrix::<T>::new(a.address, n, n, a.leading).vectors(&values, true))
        }
        // What is left of it is that of a method.
        _ => Written::undefined(a.section()),
    };
    let mut writes = vec![of_matrix, values.written(), Written::undefined(work), info.status()];
    // Columns beyond those of the singular values are any that are orthogonal to them.
    let left = |u: &Matrix<T>| {
        Written::partly(u.section(), Matrix::<T>::new(u.address, m, n, u.leading).vectors(&values, false))
    };
    writes.extend(u.iter().map(left).chain(vt.as_ref().map(|vt| vt.vectors(&values, true))));
    call.submit(stream, vec![a.section()], writes, false, move |memory| {
        let Singular { values: found, left, right, has_converged } = singular(a.load(memory)?, m, n);
        values.store(memory, &found)?;
        let right = transposed(&right, n, true);
        if let Some(u) = &u {
            u.store(memory, &left)?;
        }
        if let Some(vt) = &vt {
            vt.store(memory, &right)?;
        }
        if of_left == Vectors::InPlace {
            a.store(memory, &left)?;
        }
        if of_right == Vectors::InPlace {
            Matrix::new(a.address, n, n, a.leading).store(memory, &right)?;
        }
        info.store(memory, &[if has_converged { 0 } else { 1 }])
    })
}
