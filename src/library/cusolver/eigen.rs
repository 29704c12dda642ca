//! Eigenvalues of Hermitian matrices, also with a second matrix; all of them, or a range.

use crate::call::{Call, Outcome, Status};
use crate::dense::{Eigen, cholesky, complete, eigen, solve};
use crate::element::Element;
use crate::operand::{Matrix, Operand, Vector};
use crate::transpose::transposed;
use device::{VendorArg, Written};
use product::multiply;

/// Which eigenvalues are wanted (`cusolverEigRange_t`).
#[derive(Clone, Copy, Debug)]
enum Range {
    All,
    /// The numbers of the first and of the last, from 1.
    Numbers(usize, usize),
    /// Those above the first and up to the second.
    Values(f64, f64),
}

/// What is asked of a matrix, or of two.
#[derive(Clone, Copy, Debug)]
struct Problem {
    /// 0 for one matrix; 1 to 3 as `itype` says.
    kind: i64,
    with_vectors: bool,
    is_upper: bool,
    n: usize,
}

fn work_of(n: usize) -> usize {
    n.saturating_mul(n).saturating_add(2 * n).max(1)
}

/// The arguments at the beginning. The range is told after `jobz`, where a routine has one; its bounds come later.
fn head(call: &mut Call<'_>, has_two: bool, has_range: bool) -> Result<(Problem, i64), Status> {
    let kind = if has_two { call.int() } else { 0 };
    if has_two && !(1..=3).contains(&kind) {
        return call.wrong(format!("`itype` is {kind}, and must be 1, 2 or 3"));
    }
    let with_vectors = call.choice("jobz")?;
    let range = if has_range { call.int() } else { ALL };
    if !(ALL..=VALUES).contains(&range) {
        return call.wrong(format!("`range` is {range}, which is no range of eigenvalues"));
    }
    let is_upper = call.choice("uplo")?;
    let n = call.count("n")?;
    Ok((Problem { kind, with_vectors, is_upper, n }, range))
}

/// Numbers of `cusolverEigRange_t`.
const ALL: i64 = 1001;
const NUMBERS: i64 = 1002;
const VALUES: i64 = 1003;

/// The matrices.
fn matrices<T: Element>(call: &mut Call<'_>, problem: &Problem) -> Result<(Matrix<T>, Option<Matrix<T>>), Status> {
    let a = call.matrix::<T>(problem.n, problem.n, "A")?;
    let b = if problem.kind == 0 { None } else { Some(call.matrix::<T>(problem.n, problem.n, "B")?) };
    Ok((a, b))
}

/// The bounds of a range.
fn bounds<T: Element>(call: &mut Call<'_>, range: i64, n: usize) -> Result<Range, Status> {
    let (above, up_to) = (call.part::<T>(), call.part::<T>());
    let (first, last) = (call.int(), call.int());
    match range {
        NUMBERS if n == 0 || (1 <= first && first <= last && last <= n as i64) => {
            Ok(Range::Numbers(first as usize, last as usize))
        }
        NUMBERS => call.wrong(format!("`il` and `iu` are {first} and {last}, and there are {n} eigenvalues")),
        VALUES if above < up_to => Ok(Range::Values(above, up_to)),
        VALUES => call.wrong(format!("`vl` is {above}, and must be less than `vu`, which is {up_to}")),
        _ => Ok(Range::All),
    }
}

/// Puts it on a stream; the number of eigenvalues found goes to `found` in host memory.
fn submit<T: Element>(
    call: &mut Call<'_>,
    stream: u64,
    problem: Problem,
    range: Range,
    (a, b): (Matrix<T>, Option<Matrix<T>>),
    found: Option<u64>,
) -> Outcome {
    let n = problem.n;
    if let Some(found) = found {
        call.put(found, &[0; 4], "h_meig")?;
    }
    let values = call.elements::<T::Real>("W", n)?;
    let work = call.workspace::<T>(work_of(n))?;
    let info = call.info()?;
    let reads = [a.section()].into_iter().chain(b.map(|b| b.section())).collect();
    let known = match range {
        Range::All => n,
        Range::Numbers(first, last) => (last + 1).saturating_sub(first).min(n),
        // How many there are shows later.
        Range::Values(..) => 0,
    };
    let known_values = Vector::<T::Real>::new(values.address, known, 1);
    let of_matrix = if problem.with_vectors {
        let columns = Matrix::<T>::new(a.address, n, known, a.leading);
        Written::partly(a.section(), columns.vectors(&known_values, false))
    } else {
        Written::undefined(a.section())
    };
    let of_values = Written::partly(values.section(), known_values.written());
    let mut writes = vec![of_matrix, of_values, Written::undefined(work), info.status()];
    writes.extend(b.map(|b| b.written()));
    call.submit(stream, reads, writes, found.is_some(), move |memory| {
        let mut matrix = a.load(memory)?;
        complete(&mut matrix, n, problem.is_upper);
        let mut factor = match &b {
            Some(b) => b.load(memory)?,
            None => Vec::new(),
        };
        if let Some(b) = &b {
            complete(&mut factor, n, problem.is_upper);
            let failed = cholesky(&mut factor, n, problem.is_upper);
            b.store_triangle(memory, &factor, problem.is_upper)?;
            if failed > 0 {
                return info.store(memory, &[n as i32 + failed]);
            }
        }
        // The factor below the diagonal.
        let lower = if problem.is_upper { transposed(&factor, n, true) } else { factor };
        let Eigen { values: found_values, mut vectors, has_converged } = eigen(reduced(matrix, &lower, &problem), n);
        if problem.with_vectors {
            restore(&mut vectors, &lower, &problem);
        }
        let wanted = wanted::<T>(&found_values, range);
        let mut kept = found_values[wanted.clone()].to_vec();
        kept.resize(n, T::real_of(0.0));
        values.store(memory, &kept)?;
        let mut columns = vectors[wanted.start * n..wanted.end * n].to_vec();
        columns.resize(n * n, T::ZERO);
        if problem.with_vectors {
            a.store(memory, &columns)?;
        }
        if let Some(found) = found {
            memory.put(found, &(wanted.len() as i32).to_le_bytes())?;
        }
        info.store(memory, &[if has_converged { 0 } else { 1 }])
    })
}

/// The places of the eigenvalues of a range.
fn wanted<T: Element>(values: &[T::Real], range: Range) -> std::ops::Range<usize> {
    match range {
        Range::All => 0..values.len(),
        Range::Numbers(first, last) => first.saturating_sub(1)..last.min(values.len()),
        Range::Values(above, up_to) => {
            let count = |limit: f64| values.iter().filter(|&&value| Into::<f64>::into(value) <= limit).count();
            count(above)..count(up_to)
        }
    }
}

/// Solves with the lower factor, or with its conjugate transpose, column after column.
fn solved<T: Element>(lower: &[T], mut values: Vec<T>, n: usize, is_turned: bool) -> Vec<T> {
    let upper = if is_turned { transposed(lower, n, true) } else { Vec::new() };
    for x in values.chunks_exact_mut(n.max(1)) {
        if is_turned {
            solve(&upper, true, false, x);
        } else {
            solve(lower, false, false, x);
        }
    }
    values
}

/// The factor without what is above its diagonal.
fn only_lower<T: Element>(lower: &[T], n: usize) -> Vec<T> {
    let kept = |(at, &x): (usize, &T)| if at % n < at / n { T::ZERO } else { x };
    lower.iter().enumerate().map(kept).collect()
}

/// One matrix with the same eigenvalues.
fn reduced<T: Element>(a: Vec<T>, lower: &[T], problem: &Problem) -> Vec<T> {
    let n = problem.n;
    let mut out = match problem.kind {
        0 => a,
        1 => {
            let left = solved(lower, a, n, false);
            solved(lower, transposed(&left, n, true), n, false)
        }
        _ => {
            let lower = only_lower(lower, n);
            let mut left = vec![T::ZERO; n * n];
            multiply(&mut left, &transposed(&lower, n, true), &a, n, n);
            let mut both = vec![T::ZERO; n * n];
            multiply(&mut both, &left, &lower, n, n);
            both
        }
    };
    complete(&mut out, n, true);
    out
}

/// Makes the eigenvectors those of the problem.
fn restore<T: Element>(vectors: &mut Vec<T>, lower: &[T], problem: &Problem) {
    let n = problem.n;
    match problem.kind {
        0 => {}
        3 => {
            let mut out = vec![T::ZERO; n * n];
            multiply(&mut out, &only_lower(lower, n), vectors, n, n);
            *vectors = out;
        }
        _ => *vectors = solved(lower, std::mem::take(vectors), n, true),
    }
}

/// A routine that tells the size of the workspace.
fn size<T: Element>(call: &mut Call<'_>, has_two: bool, has_range: bool) -> Outcome {
    call.solver()?;
    let (problem, range) = head(call, has_two, has_range)?;
    matrices::<T>(call, &problem)?;
    if has_range {
        bounds::<T>(call, range, problem.n)?;
        // `h_meig`, which nothing is written to here.
        call.word();
        call.note(VendorArg::Bytes([0; 4].into()));
    }
    call.elements::<T::Real>("W", problem.n)?;
    call.put_work_size(work_of(problem.n))
}

/// A routine.
fn run<T: Element>(call: &mut Call<'_>, has_two: bool, has_range: bool) -> Outcome {
    let stream = call.solver()?;
    let (problem, range) = head(call, has_two, has_range)?;
    let matrices = matrices::<T>(call, &problem)?;
    let (range, found) =
        if has_range { (bounds::<T>(call, range, problem.n)?, Some(call.word())) } else { (Range::All, None) };
    submit(call, stream, problem, range, matrices, found)
}

pub(super) fn syevd_size<T: Element>(call: &mut Call<'_>) -> Outcome {
    size::<T>(call, false, false)
}

pub(super) fn syevd<T: Element>(call: &mut Call<'_>) -> Outcome {
    run::<T>(call, false, false)
}

pub(super) fn syevdx_size<T: Element>(call: &mut Call<'_>) -> Outcome {
    size::<T>(call, false, true)
}

pub(super) fn syevdx<T: Element>(call: &mut Call<'_>) -> Outcome {
    run::<T>(call, false, true)
}

pub(super) fn sygvd_size<T: Element>(call: &mut Call<'_>) -> Outcome {
    size::<T>(call, true, false)
}

pub(super) fn sygvd<T: Element>(call: &mut Call<'_>) -> Outcome {
    run::<T>(call, true, false)
}

pub(super) fn sygvdx_size<T: Element>(call: &mut Call<'_>) -> Outcome {
    size::<T>(call, true, true)
}

pub(super) fn sygvdx<T: Element>(call: &mut Call<'_>) -> Outcome {
    run::<T>(call, true, true)
}
