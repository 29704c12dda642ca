//! cuBLAS: handles, and the routines of levels 1 to 3 for the four types of numbers.
//!
//! Source: cuBLAS Library User Guide; the meaning of the routines is that of the reference BLAS.

mod handle;
mod level1;
mod level2;
mod level3;

pub(crate) use handle::Scalar;

use crate::call::{Call, Outcome, Routine, Statuses};
use crate::element::Element;
use num_complex::{Complex32 as C, Complex64 as Z};

pub(crate) const STATUSES: Statuses = Statuses { bad_handle: 1, bad_value: 7, failed: 13 };

const fn row(name: &'static str, run: fn(&mut Call<'_>) -> Outcome) -> Routine {
    Routine { name, run }
}

/// Table: the routines.
pub(crate) static ROUTINES: &[Routine] = &[
    row("cublasCreate_v2", handle::create),
    row("cublasDestroy_v2", handle::destroy),
    row("cublasGetHandle", handle::default),
    row("hostHandle", handle::of_host),
    row("cublasSetStream_v2", handle::set_stream),
    row("cublasGetStream_v2", handle::stream),
    row("cublasSetPointerMode_v2", handle::set_pointer_mode),
    row("cublasGetPointerMode_v2", handle::pointer_mode),
    row("cublasSetMathMode", handle::set_math_mode),
    row("cublasGetVersion_v2", handle::version),
    row("cublasIsamax_v2", level1::amax::<f32>),
    row("cublasIdamax_v2", level1::amax::<f64>),
    row("cublasIcamax_v2", level1::amax::<C>),
    row("cublasIzamax_v2", level1::amax::<Z>),
    row("cublasIsamin_v2", level1::amin::<f32>),
    row("cublasIdamin_v2", level1::amin::<f64>),
    row("cublasIcamin_v2", level1::amin::<C>),
    row("cublasIzamin_v2", level1::amin::<Z>),
    row("cublasSasum_v2", level1::asum::<f32>),
    row("cublasDasum_v2", level1::asum::<f64>),
    row("cublasScasum_v2", level1::asum::<C>),
    row("cublasDzasum_v2", level1::asum::<Z>),
    row("cublasSaxpy_v2", level1::axpy::<f32>),
    row("cublasDaxpy_v2", level1::axpy::<f64>),
    row("cublasCaxpy_v2", level1::axpy::<C>),
    row("cublasZaxpy_v2", level1::axpy::<Z>),
    row("cublasScopy_v2", level1::copy::<f32>),
    row("cublasDcopy_v2", level1::copy::<f64>),
    row("cublasCcopy_v2", level1::copy::<C>),
    row("cublasZcopy_v2", level1::copy::<Z>),
    row("cublasSdot_v2", level1::dot::<f32, false>),
    row("cublasDdot_v2", level1::dot::<f64, false>),
    row("cublasCdotu_v2", level1::dot::<C, false>),
    row("cublasZdotu_v2", level1::dot::<Z, false>),
    row("cublasCdotc_v2", level1::dot::<C, true>),
    row("cublasZdotc_v2", level1::dot::<Z, true>),
    row("cublasSnrm2_v2", level1::nrm2::<f32>),
    row("cublasDnrm2_v2", level1::nrm2::<f64>),
    row("cublasScnrm2_v2", level1::nrm2::<C>),
    row("cublasDznrm2_v2", level1::nrm2::<Z>),
    row("cublasSscal_v2", level1::scal::<f32>),
    row("cublasDscal_v2", level1::scal::<f64>),
    row("cublasCscal_v2", level1::scal::<C>),
    row("cublasZscal_v2", level1::scal::<Z>),
    row("cublasCsscal_v2", level1::scal_real::<C>),
    row("cublasZdscal_v2", level1::scal_real::<Z>),
    row("cublasSswap_v2", level1::swap::<f32>),
    row("cublasDswap_v2", level1::swap::<f64>),
    row("cublasCswap_v2", level1::swap::<C>),
    row("cublasZswap_v2", level1::swap::<Z>),
    row("cublasSgemv_v2", level2::gemv::<f32>),
    row("cublasDgemv_v2", level2::gemv::<f64>),
    row("cublasCgemv_v2", level2::gemv::<C>),
    row("cublasZgemv_v2", level2::gemv::<Z>),
    row("cublasSger_v2", level2::ger::<f32, false>),
    row("cublasDger_v2", level2::ger::<f64, false>),
    row("cublasCgeru_v2", level2::ger::<C, false>),
    row("cublasZgeru_v2", level2::ger::<Z, false>),
    row("cublasCgerc_v2", level2::ger::<C, true>),
    row("cublasZgerc_v2", level2::ger::<Z, true>),
    row("cublasStrsv_v2", level2::trsv::<f32>),
    row("cublasDtrsv_v2", level2::trsv::<f64>),
    row("cublasCtrsv_v2", level2::trsv::<C>),
    row("cublasZtrsv_v2", level2::trsv::<Z>),
    row("cublasSgemm_v2", level3::gemm::<f32>),
    row("cublasDgemm_v2", level3::gemm::<f64>),
    row("cublasCgemm_v2", level3::gemm::<C>),
    row("cublasZgemm_v2", level3::gemm::<Z>),
    row("cublasSgemmStridedBatched", level3::gemm_strided::<f32>),
    row("cublasDgemmStridedBatched", level3::gemm_strided::<f64>),
    row("cublasCgemmStridedBatched", level3::gemm_strided::<C>),
    row("cublasZgemmStridedBatched", level3::gemm_strided::<Z>),
    row("cublasSsyrk_v2", level3::syrk::<f32>),
    row("cublasDsyrk_v2", level3::syrk::<f64>),
    row("cublasCsyrk_v2", level3::syrk::<C>),
    row("cublasZsyrk_v2", level3::syrk::<Z>),
    row("cublasStrsm_v2", level3::trsm::<f32>),
    row("cublasDtrsm_v2", level3::trsm::<f64>),
    row("cublasCtrsm_v2", level3::trsm::<C>),
    row("cublasZtrsm_v2", level3::trsm::<Z>),
];

/// What is done to a matrix before it is used (`cublasOperation_t`).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Operation {
    Plain,
    Transposed,
    Conjugated,
}

impl Operation {
    /// Rows and columns of the matrix in memory if it has these when it is used.
    pub(crate) fn stored(self, rows: usize, columns: usize) -> (usize, usize) {
        if self == Operation::Plain { (rows, columns) } else { (columns, rows) }
    }

    /// The elements as they are used, of a matrix of so many rows in memory.
    pub(crate) fn applied<T: Element>(self, elements: Vec<T>, rows: usize) -> Vec<T> {
        match self {
            Operation::Plain => elements,
            _ => crate::gemm::transposed(&elements, rows, self == Operation::Conjugated),
        }
    }
}
