//! cuSPARSE: matrices and vectors by descriptors, their products, triangular and tridiagonal systems.
//!
//! Not here: sparse products of sparse matrices, conversions, blocks.
//!
//! Source: cuSPARSE, "cuSPARSE Generic APIs" and `cusparse<t>gtsv2`.

mod descriptor;
mod handle;
mod product;
mod triangular;
mod tridiagonal;

use crate::call::{Call, Outcome, Routine, Statuses};
use num_complex::{Complex32 as C, Complex64 as Z};

pub(crate) const STATUSES: Statuses = Statuses { bad_handle: 1, bad_value: 3, failed: 6 };

/// Statuses that say more.
const NOT_SUPPORTED: i32 = 10;

const fn row(name: &'static str, run: fn(&mut Call<'_>) -> Outcome) -> Routine {
    Routine { name, run }
}

/// Table: the routines.
pub(crate) static ROUTINES: &[Routine] = &[
    row("cusparseCreate", handle::create),
    row("cusparseDestroy", handle::destroy),
    row("cusparseSetStream", handle::set_stream),
    row("cusparseGetStream", handle::stream),
    row("cusparseSetPointerMode", handle::set_pointer_mode),
    row("cusparseGetPointerMode", handle::pointer_mode),
    row("cusparseGetVersion", handle::version),
    row("cusparseCreateCsr", descriptor::create_csr),
    row("cusparseCreateCsc", descriptor::create_csc),
    row("cusparseCreateCoo", descriptor::create_coo),
    row("cusparseDestroySpMat", descriptor::destroy),
    row("cusparseCreateDnVec", descriptor::create_vector),
    row("cusparseDestroyDnVec", descriptor::destroy),
    row("cusparseCreateDnMat", descriptor::create_matrix),
    row("cusparseDestroyDnMat", descriptor::destroy),
    row("cusparseSpMV_bufferSize", product::with_vector_size),
    row("cusparseSpMV", product::with_vector),
    row("cusparseSpMM_bufferSize", product::with_matrix_size),
    row("cusparseSpMM", product::with_matrix),
    row("cusparseSpMatSetAttribute", triangular::set_attribute),
    row("cusparseSpSV_createDescr", triangular::create_for_vector),
    row("cusparseSpSV_destroyDescr", descriptor::destroy),
    row("cusparseSpSV_bufferSize", triangular::size_for_vector),
    row("cusparseSpSV_analysis", triangular::analyse_for_vector),
    row("cusparseSpSV_solve", triangular::solve_for_vector),
    row("cusparseSpSM_createDescr", triangular::create_for_matrix),
    row("cusparseSpSM_destroyDescr", descriptor::destroy),
    row("cusparseSpSM_bufferSize", triangular::size_for_matrix),
    row("cusparseSpSM_analysis", triangular::analyse_for_matrix),
    row("cusparseSpSM_solve", triangular::solve_for_matrix),
    row("cusparseSgtsv2_bufferSizeExt", tridiagonal::size),
    row("cusparseDgtsv2_bufferSizeExt", tridiagonal::size),
    row("cusparseCgtsv2_bufferSizeExt", tridiagonal::size),
    row("cusparseZgtsv2_bufferSizeExt", tridiagonal::size),
    row("cusparseSgtsv2", tridiagonal::solve::<f32>),
    row("cusparseDgtsv2", tridiagonal::solve::<f64>),
    row("cusparseCgtsv2", tridiagonal::solve::<C>),
    row("cusparseZgtsv2", tridiagonal::solve::<Z>),
    row("cusparseSgtsv2_nopivot_bufferSizeExt", tridiagonal::size),
    row("cusparseDgtsv2_nopivot_bufferSizeExt", tridiagonal::size),
    row("cusparseCgtsv2_nopivot_bufferSizeExt", tridiagonal::size),
    row("cusparseZgtsv2_nopivot_bufferSizeExt", tridiagonal::size),
    row("cusparseSgtsv2_nopivot", tridiagonal::solve::<f32>),
    row("cusparseDgtsv2_nopivot", tridiagonal::solve::<f64>),
    row("cusparseCgtsv2_nopivot", tridiagonal::solve::<C>),
    row("cusparseZgtsv2_nopivot", tridiagonal::solve::<Z>),
    row("cusparseSgtsv", tridiagonal::solve::<f32>),
    row("cusparseDgtsv", tridiagonal::solve::<f64>),
    row("cusparseCgtsv", tridiagonal::solve::<C>),
    row("cusparseZgtsv", tridiagonal::solve::<Z>),
];
