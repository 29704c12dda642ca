//! Routines that take the type of the numbers as an argument (`cusolverDnX…`).

use super::factor::{factor, solve_factored};
use crate::call::{Call, Outcome, Status};
use crate::element::Element;
use crate::operand::{Matrix, Vector};
use device::VendorArg;
use num_complex::{Complex32, Complex64};

/// The most memory of the host that a routine works in.
const MOST_HOST_BYTES: u64 = 1 << 32;

/// Calls a function for the type of a number (`cudaDataType`).
macro_rules! for_type {
    ($call:ident, $number:expr, $run:ident $args:tt) => {
        match $number {
            0 => $run::<f32> $args,
            1 => $run::<f64> $args,
            4 => $run::<Complex32> $args,
            5 => $run::<Complex64> $args,
            other => $call.wrong(format!("data type {other} is not supported; `CUDA_R_32F`, `CUDA_R_64F`, `CUDA_C_32F` and `CUDA_C_64F` are")),
        }
    };
}

/// The arguments at the beginning: stream, `uplo`, `n`.
fn head(call: &mut Call<'_>) -> Result<(u64, bool, usize), Status> {
    let stream = call.solver()?;
    call.params()?;
    let is_upper = call.choice("uplo")?;
    let n = call.wide_count("n")?;
    Ok((stream, is_upper, n))
}

/// A matrix with its leading dimension in 8 bytes.
fn matrix<T: Element>(call: &mut Call<'_>, rows: usize, columns: usize, what: &str) -> Result<Matrix<T>, Status> {
    let (address, leading) = (call.word(), call.word() as i64);
    call.matrix_at(address, leading, rows, columns, what)
}

pub(super) fn potrf_size(call: &mut Call<'_>) -> Outcome {
    let (_, _, n) = head(call)?;
    let ty = call.int();
    fn check<T: Element>(call: &mut Call<'_>, n: usize) -> Result<(), Status> {
        matrix::<T>(call, n, n, "A").map(|_| ())
    }
    for_type!(call, ty, check(call, n))?;
    call.int();
    for what in ["workspaceInBytesOnDevice", "workspaceInBytesOnHost"] {
        let address = call.word();
        let bytes = if what.ends_with("Host") { 0 } else { bytes_of(n) };
        call.put(address, &bytes.to_le_bytes(), what)?;
    }
    call.answered()
}

impl Call<'_> {
    /// Memory of the host to work in: an address and bytes, the next two arguments. NVIDIA's library works in memory of its own.
    fn host_workspace(&mut self) -> Result<(), Status> {
        let (address, bytes) = (self.word(), self.word());
        if address == 0 || !self.is_of_vendor() {
            return Ok(());
        }
        self.check_host(address, "bufferOnHost")?;
        if bytes > MOST_HOST_BYTES {
            return self.wrong(format!("`workspaceInBytesOnHost` is {bytes}, which is more than there can be"));
        }
        self.note_before(1, VendorArg::Bytes(vec![0; bytes as usize].into()));
        Ok(())
    }
}

/// The bytes that the factorisation works in.
fn bytes_of(n: usize) -> u64 {
    16 * n.max(1) as u64
}

pub(super) fn potrf(call: &mut Call<'_>) -> Outcome {
    let (stream, is_upper, n) = head(call)?;
    let ty = call.int();
    fn run<T: Element>(call: &mut Call<'_>, (stream, is_upper, n): (u64, bool, usize)) -> Outcome {
        let a = matrix::<T>(call, n, n, "A")?;
        call.int();
        let needed = call.work_size("_bufferSize", None, bytes_of(n), &[8, 8])?;
        let (work, bytes) = (call.word(), call.word());
        if bytes < needed {
            let reason =
                format!("`workspaceInBytesOnDevice` is {bytes}, and `{}_bufferSize` gives {needed}", call.name);
            return call.wrong(reason);
        }
        call.check_device(work, "bufferOnDevice")?;
        let work = Vector::<f64>::new(work, (needed / 8) as usize, 1).section();
        call.host_workspace()?;
        let info = call.info()?;
        factor(call, stream, is_upper, &a, vec![work], info)
    }
    for_type!(call, ty, run(call, (stream, is_upper, n)))
}

pub(super) fn potrs(call: &mut Call<'_>) -> Outcome {
    let (stream, is_upper, n) = head(call)?;
    let columns = call.wide_count("nrhs")?;
    let ty = call.int();
    fn run<T: Element>(
        call: &mut Call<'_>,
        (stream, is_upper, n, columns, ty): (u64, bool, usize, usize, i64),
    ) -> Outcome {
        let a = matrix::<T>(call, n, n, "A")?;
        let of_b = call.int();
        if of_b != ty {
            return call.wrong(format!("`A` has data type {ty} and `B` {of_b}, and must have one"));
        }
        let b = matrix::<T>(call, n, columns, "B")?;
        let info = call.info()?;
        solve_factored(call, stream, is_upper, (&a, &b), info)
    }
    for_type!(call, ty, run(call, (stream, is_upper, n, columns, ty)))
}
