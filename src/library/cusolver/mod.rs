//! cuSOLVER for dense matrices (`cusolverDn`): factorisations, linear systems, eigenvalues and singular values, for the four types
//! of numbers.
//!
//! Not here: sparse matrices, batches, several GPUs, eigenvalues of matrices that are not Hermitian; the mathematics (`dense`).
//!
//! Source: cuSOLVER API Reference, "cuSolverDN: dense LAPACK"; the meaning of the routines is that of LAPACK.

mod eigen;
mod factor;
mod generic;
mod handle;
mod orthogonal;
mod singular;

use crate::call::{Call, Outcome, Routine, Statuses};
use num_complex::{Complex32 as C, Complex64 as Z};

pub(crate) const STATUSES: Statuses = Statuses { bad_handle: 1, bad_value: 3, failed: 6 };

const fn row(name: &'static str, run: fn(&mut Call<'_>) -> Outcome) -> Routine {
    Routine { name, run }
}

/// Rows of a routine for the four types, named like LAPACK's.
macro_rules! of_types {
    ($room:ident :: $run:ident, $($name:literal $ty:ty),*) => {
        [$(row(concat!("cusolverDn", $name), $room::$run::<$ty>)),*]
    };
}

/// Table: the routines, type after type.
static TYPED: [[Routine; 4]; 24] = [
    of_types!(factor::potrf_size, "Spotrf_bufferSize" f32, "Dpotrf_bufferSize" f64, "Cpotrf_bufferSize" C, "Zpotrf_bufferSize" Z),
    of_types!(factor::potrf, "Spotrf" f32, "Dpotrf" f64, "Cpotrf" C, "Zpotrf" Z),
    of_types!(factor::potrs, "Spotrs" f32, "Dpotrs" f64, "Cpotrs" C, "Zpotrs" Z),
    of_types!(factor::potrf_size, "Spotri_bufferSize" f32, "Dpotri_bufferSize" f64, "Cpotri_bufferSize" C, "Zpotri_bufferSize" Z),
    of_types!(factor::potri, "Spotri" f32, "Dpotri" f64, "Cpotri" C, "Zpotri" Z),
    of_types!(factor::getrf_size, "Sgetrf_bufferSize" f32, "Dgetrf_bufferSize" f64, "Cgetrf_bufferSize" C, "Zgetrf_bufferSize" Z),
    of_types!(factor::getrf, "Sgetrf" f32, "Dgetrf" f64, "Cgetrf" C, "Zgetrf" Z),
    of_types!(factor::getrs, "Sgetrs" f32, "Dgetrs" f64, "Cgetrs" C, "Zgetrs" Z),
    of_types!(factor::getrf_size, "Sgeqrf_bufferSize" f32, "Dgeqrf_bufferSize" f64, "Cgeqrf_bufferSize" C, "Zgeqrf_bufferSize" Z),
    of_types!(orthogonal::geqrf, "Sgeqrf" f32, "Dgeqrf" f64, "Cgeqrf" C, "Zgeqrf" Z),
    of_types!(orthogonal::ormqr_size, "Sormqr_bufferSize" f32, "Dormqr_bufferSize" f64, "Cunmqr_bufferSize" C, "Zunmqr_bufferSize" Z),
    of_types!(orthogonal::ormqr, "Sormqr" f32, "Dormqr" f64, "Cunmqr" C, "Zunmqr" Z),
    of_types!(orthogonal::orgqr_size, "Sorgqr_bufferSize" f32, "Dorgqr_bufferSize" f64, "Cungqr_bufferSize" C, "Zungqr_bufferSize" Z),
    of_types!(orthogonal::orgqr, "Sorgqr" f32, "Dorgqr" f64, "Cungqr" C, "Zungqr" Z),
    of_types!(eigen::syevd_size, "Ssyevd_bufferSize" f32, "Dsyevd_bufferSize" f64, "Cheevd_bufferSize" C, "Zheevd_bufferSize" Z),
    of_types!(eigen::syevd, "Ssyevd" f32, "Dsyevd" f64, "Cheevd" C, "Zheevd" Z),
    of_types!(eigen::syevdx_size, "Ssyevdx_bufferSize" f32, "Dsyevdx_bufferSize" f64, "Cheevdx_bufferSize" C, "Zheevdx_bufferSize" Z),
    of_types!(eigen::syevdx, "Ssyevdx" f32, "Dsyevdx" f64, "Cheevdx" C, "Zheevdx" Z),
    of_types!(eigen::sygvd_size, "Ssygvd_bufferSize" f32, "Dsygvd_bufferSize" f64, "Chegvd_bufferSize" C, "Zhegvd_bufferSize" Z),
    of_types!(eigen::sygvd, "Ssygvd" f32, "Dsygvd" f64, "Chegvd" C, "Zhegvd" Z),
    of_types!(eigen::sygvdx_size, "Ssygvdx_bufferSize" f32, "Dsygvdx_bufferSize" f64, "Chegvdx_bufferSize" C, "Zhegvdx_bufferSize" Z),
    of_types!(eigen::sygvdx, "Ssygvdx" f32, "Dsygvdx" f64, "Chegvdx" C, "Zhegvdx" Z),
    of_types!(singular::gesvd_size, "Sgesvd_bufferSize" f32, "Dgesvd_bufferSize" f64, "Cgesvd_bufferSize" C, "Zgesvd_bufferSize" Z),
    of_types!(singular::gesvd, "Sgesvd" f32, "Dgesvd" f64, "Cgesvd" C, "Zgesvd" Z),
];

/// Table: the routines that are the same for all types, or take the type as an argument.
static OTHERS: &[Routine] = &[
    row("cusolverDnCreate", handle::create),
    row("cusolverDnDestroy", handle::destroy),
    row("cusolverDnSetStream", handle::set_stream),
    row("cusolverDnGetStream", handle::stream),
    row("cusolverGetVersion", handle::version),
    row("cusolverDnCreateParams", handle::create_params),
    row("cusolverDnDestroyParams", handle::destroy_params),
    row("cusolverDnXpotrf_bufferSize", generic::potrf_size),
    row("cusolverDnXpotrf", generic::potrf),
    row("cusolverDnXpotrs", generic::potrs),
];

/// All routines.
pub(crate) fn routines() -> impl Iterator<Item = &'static Routine> {
    OTHERS.iter().chain(TYPED.iter().flatten())
}
