//! cuBLAS: handles, the routines of levels 1 to 3 for the four types of numbers, extensions, batches, and cuBLASXt.
//!
//! Not here: cuBLASLt, several GPUs (cuBLASMp); the names in Fortran (`compile`).
//!
//! Source: cuBLAS Library User Guide; the meaning of the routines is that of the reference BLAS.

mod batch;
mod batch_factors;
mod extensions;
mod handle;
mod level1;
mod level2;
mod level2_symmetric;
mod level2_triangular;
mod level3;
mod level3_ranks;
mod level3_triangular;
mod rotations;
mod storage;
mod transfer;
mod typed;
mod xt;

pub(crate) use handle::Scalar;

use crate::call::{Call, Outcome, Routine, Statuses};
use crate::half::Half;
use num_complex::{Complex32 as C, Complex64 as Z};
use storage::{Band, Packed, Whole};
use transfer::Way;
use typed::{Matrices, Types};

pub(crate) const STATUSES: Statuses = Statuses { bad_handle: 1, bad_value: 7, failed: 13 };

/// The status of what the library does not do.
const NOT_SUPPORTED: i32 = 15;

const fn row(name: &'static str, run: fn(&mut Call<'_>) -> Outcome) -> Routine {
    Routine { name, run }
}

/// A routine for a type, and what comes behind the type in angle brackets.
macro_rules! routine {
    ($room:ident :: $run:ident, $ty:ty, [$($more:tt)*]) => {
        $room::$run::<$ty $($more)*>
    };
}

/// Rows of a routine for some types: the name behind the letters of a type, and letters and types.
macro_rules! of_types {
    ($room:ident :: $run:ident $more:tt $name:literal: $($letters:literal $ty:ty),*) => {
        &[$(row(concat!("cublas", $letters, $name), routine!($room::$run, $ty, $more))),*]
    };
}

/// For all four types.
macro_rules! all {
    ($room:ident :: $run:ident $more:tt $name:literal) => {
        of_types!($room::$run $more $name: "S" f32, "D" f64, "C" C, "Z" Z)
    };
}

/// For real numbers.
macro_rules! real {
    ($room:ident :: $run:ident $more:tt $name:literal) => {
        of_types!($room::$run $more $name: "S" f32, "D" f64)
    };
}

/// For complex numbers.
macro_rules! complex {
    ($room:ident :: $run:ident $more:tt $name:literal) => {
        of_types!($room::$run $more $name: "C" C, "Z" Z)
    };
}

/// For cuBLASXt.
macro_rules! xt {
    ($room:ident :: $run:ident $more:tt $name:literal: $($letter:literal $ty:ty),*) => {
        &[$(row(concat!("cublasXt", $letter, $name), |call| xt::with(call, routine!($room::$run, $ty, $more)))),*]
    };
}

/// A row of a routine of level 1 whose types are arguments.
macro_rules! typed {
    ($name:literal, level1::$run:ident $more:tt, $of_x:literal $same:tt $alike:tt) => {
        row($name, |call| {
            let types = Types { of_x: $of_x, same: &$same, alike: &$alike };
            let routines: typed::OfTypes = [
                routine!(level1::$run, f32, $more),
                routine!(level1::$run, f64, $more),
                routine!(level1::$run, C, $more),
                routine!(level1::$run, Z, $more),
            ];
            typed::vectors(call, &types, routines)
        })
    };
}

/// Table: what is there once.
static ONCE: &[Routine] = &[
    row("cublasCreate_v2", handle::create),
    row("cublasDestroy_v2", handle::destroy),
    row("cublasGetHandle", handle::default),
    row("hostHandle", handle::of_host),
    row("cublasSetStream_v2", handle::set_stream),
    row("cublasGetStream_v2", handle::stream),
    row("cublasSetPointerMode_v2", handle::set_pointer_mode),
    row("cublasGetPointerMode_v2", handle::pointer_mode),
    row("cublasSetMathMode", handle::set_math_mode),
    row("cublasGetMathMode", handle::math_mode),
    row("cublasSetAtomicsMode", handle::set_atomics_mode),
    row("cublasGetAtomicsMode", handle::atomics_mode),
    row("cublasSetSmCountTarget", handle::set_multiprocessors),
    row("cublasGetSmCountTarget", handle::multiprocessors),
    row("cublasSetWorkspace_v2", handle::set_workspace),
    row("cublasGetVersion_v2", handle::version),
    row("cublasInit", handle::nothing),
    row("cublasShutdown", handle::nothing),
    row("cublasGetError", handle::nothing),
    row("cublasSetKernelStream", handle::set_default_stream),
    row("cublasSetVector", |call| transfer::vector(call, Way { to_device: true, waits: true })),
    row("cublasGetVector", |call| transfer::vector(call, Way { to_device: false, waits: true })),
    row("cublasSetVectorAsync", |call| transfer::vector(call, Way { to_device: true, waits: false })),
    row("cublasGetVectorAsync", |call| transfer::vector(call, Way { to_device: false, waits: false })),
    row("cublasSetMatrix", |call| transfer::matrix(call, Way { to_device: true, waits: true })),
    row("cublasGetMatrix", |call| transfer::matrix(call, Way { to_device: false, waits: true })),
    row("cublasSetMatrixAsync", |call| transfer::matrix(call, Way { to_device: true, waits: false })),
    row("cublasGetMatrixAsync", |call| transfer::matrix(call, Way { to_device: false, waits: false })),
    row("cublasHgemm", level3::gemm::<Half>),
    row("cublasHgemmStridedBatched", level3::gemm_strided::<Half>),
    row("cublasHgemmBatched", batch::gemm::<Half>),
    row("cublasGemmEx", |call| typed::gemm(call, Matrices::One)),
    row("cublasGemmStridedBatchedEx", |call| typed::gemm(call, Matrices::Strided)),
    row("cublasGemmBatchedEx", |call| typed::gemm(call, Matrices::Addressed)),
    typed!("cublasIamaxEx", level1::amax [], 3 [] []),
    typed!("cublasIaminEx", level1::amin [], 3 [] []),
    typed!("cublasAsumEx", level1::asum [], 3 [] [6, 7]),
    typed!("cublasNrm2Ex", level1::nrm2 [], 3 [] [6, 7]),
    typed!("cublasAxpyEx", level1::axpy [], 5 [3, 8] [10]),
    typed!("cublasCopyEx", level1::copy [], 3 [6] []),
    typed!("cublasSwapEx", level1::swap [], 3 [6] []),
    typed!("cublasDotEx", level1::dot [, false], 3 [6, 9] [10]),
    typed!("cublasDotcEx", level1::dot [, true], 3 [6, 9] [10]),
    typed!("cublasScalEx", level1::scal [], 5 [3] [7]),
    row("cublasRotEx", typed::rot),
    row("cublasXtCreate", xt::create),
    row("cublasXtDestroy", xt::destroy),
    row("cublasXtDeviceSelect", xt::select_devices),
    row("cublasXtSetBlockDim", xt::set_block),
    row("cublasXtGetBlockDim", xt::block),
    row("cublasXtSetPinningMemMode", xt::set_pinning),
    row("cublasXtGetPinningMemMode", xt::pinning),
    row("cublasXtSetCpuRoutine", xt::accept),
    row("cublasXtSetCpuRatio", xt::accept),
];

/// Table: what is there for several types.
static TYPED: &[&[Routine]] = &[
    // Level 1.
    of_types!(level1::amax [] "amax_v2": "Is" f32, "Id" f64, "Ic" C, "Iz" Z),
    of_types!(level1::amin [] "amin_v2": "Is" f32, "Id" f64, "Ic" C, "Iz" Z),
    of_types!(level1::asum [] "asum_v2": "S" f32, "D" f64, "Sc" C, "Dz" Z),
    of_types!(level1::nrm2 [] "nrm2_v2": "S" f32, "D" f64, "Sc" C, "Dz" Z),
    all!(level1::axpy [] "axpy_v2"),
    all!(level1::copy [] "copy_v2"),
    all!(level1::scal [] "scal_v2"),
    all!(level1::swap [] "swap_v2"),
    of_types!(level1::scal_real [] "scal_v2": "Cs" C, "Zd" Z),
    real!(level1::dot [, false] "dot_v2"),
    complex!(level1::dot [, false] "dotu_v2"),
    complex!(level1::dot [, true] "dotc_v2"),
    all!(rotations::rot [] "rot_v2"),
    of_types!(rotations::rot_real [] "rot_v2": "Cs" C, "Zd" Z),
    all!(rotations::rotg [] "rotg_v2"),
    real!(rotations::rotm [] "rotm_v2"),
    real!(rotations::rotmg [] "rotmg_v2"),
    // Level 2.
    all!(level2::gemv [] "gemv_v2"),
    all!(level2::gbmv [] "gbmv_v2"),
    real!(level2::ger [, false] "ger_v2"),
    complex!(level2::ger [, false] "geru_v2"),
    complex!(level2::ger [, true] "gerc_v2"),
    all!(level2_symmetric::product [, Whole, false] "symv_v2"),
    real!(level2_symmetric::product [, Band, false] "sbmv_v2"),
    real!(level2_symmetric::product [, Packed, false] "spmv_v2"),
    complex!(level2_symmetric::product [, Whole, true] "hemv_v2"),
    complex!(level2_symmetric::product [, Band, true] "hbmv_v2"),
    complex!(level2_symmetric::product [, Packed, true] "hpmv_v2"),
    all!(level2_symmetric::rank_one [, Whole] "syr_v2"),
    real!(level2_symmetric::rank_one [, Packed] "spr_v2"),
    complex!(level2_symmetric::hermitian_rank_one [, Whole] "her_v2"),
    complex!(level2_symmetric::hermitian_rank_one [, Packed] "hpr_v2"),
    all!(level2_symmetric::rank_two [, Whole, false] "syr2_v2"),
    real!(level2_symmetric::rank_two [, Packed, false] "spr2_v2"),
    complex!(level2_symmetric::rank_two [, Whole, true] "her2_v2"),
    complex!(level2_symmetric::rank_two [, Packed, true] "hpr2_v2"),
    all!(level2_triangular::product [, Whole] "trmv_v2"),
    all!(level2_triangular::solution [, Whole] "trsv_v2"),
    all!(level2_triangular::product [, Band] "tbmv_v2"),
    all!(level2_triangular::solution [, Band] "tbsv_v2"),
    all!(level2_triangular::product [, Packed] "tpmv_v2"),
    all!(level2_triangular::solution [, Packed] "tpsv_v2"),
    // Level 3.
    all!(level3::gemm [] "gemm_v2"),
    complex!(level3::gemm [] "gemm3m"),
    all!(level3::symm [, false] "symm_v2"),
    complex!(level3::symm [, true] "hemm_v2"),
    all!(level3_ranks::syrk [] "syrk_v2"),
    complex!(level3_ranks::herk [] "herk_v2"),
    all!(level3_ranks::syr2k [, true] "syr2k_v2"),
    complex!(level3_ranks::her2k [, true] "her2k_v2"),
    all!(level3_ranks::syr2k [, false] "syrkx"),
    complex!(level3_ranks::her2k [, false] "herkx"),
    all!(level3_triangular::trmm [] "trmm_v2"),
    all!(level3_triangular::trsm [] "trsm_v2"),
    // Extensions and batches.
    all!(extensions::geam [] "geam"),
    all!(extensions::dgmm [] "dgmm"),
    all!(extensions::tpttr [] "tpttr"),
    all!(extensions::trttp [] "trttp"),
    all!(level3::gemm_strided [] "gemmStridedBatched"),
    all!(batch::gemm [] "gemmBatched"),
    all!(batch::trsm [] "trsmBatched"),
    all!(batch_factors::getrf [] "getrfBatched"),
    all!(batch_factors::getri [] "getriBatched"),
    all!(batch_factors::getrs [] "getrsBatched"),
    all!(batch_factors::matinv [] "matinvBatched"),
    all!(batch_factors::geqrf [] "geqrfBatched"),
    all!(batch_factors::gels [] "gelsBatched"),
    // cuBLASXt.
    xt!(level3::gemm [] "gemm": "S" f32, "D" f64, "C" C, "Z" Z),
    xt!(level3::symm [, false] "symm": "S" f32, "D" f64, "C" C, "Z" Z),
    xt!(level3::symm [, true] "hemm": "C" C, "Z" Z),
    xt!(level3_ranks::syrk [] "syrk": "S" f32, "D" f64, "C" C, "Z" Z),
    xt!(level3_ranks::herk [] "herk": "C" C, "Z" Z),
    xt!(level3_ranks::syr2k [, true] "syr2k": "S" f32, "D" f64, "C" C, "Z" Z),
    xt!(level3_ranks::her2k [, true] "her2k": "C" C, "Z" Z),
    xt!(level3_ranks::syr2k [, false] "syrkx": "S" f32, "D" f64, "C" C, "Z" Z),
    xt!(level3_ranks::her2k [, false] "herkx": "C" C, "Z" Z),
    xt!(level3_triangular::trmm [] "trmm": "S" f32, "D" f64, "C" C, "Z" Z),
    xt!(level3_triangular::trsm [] "trsm": "S" f32, "D" f64, "C" C, "Z" Z),
];

/// All routines.
pub(crate) fn routines() -> impl Iterator<Item = &'static Routine> {
    ONCE.iter().chain(TYPED.iter().copied().flatten())
}

/// The routine of the first interface of cuBLAS that has this name, if it is one without a result.
pub(crate) fn legacy(name: &str) -> Option<(&'static str, &'static Routine)> {
    TYPED.iter().copied().flatten().find_map(|routine| {
        let own = routine.name.strip_suffix("_v2")?;
        (own == name).then_some((own, routine))
    })
}

/// Whether a routine of the first interface gives a number.
pub(crate) fn has_result(name: &str) -> bool {
    const RESULTS: &[&str] = &["amax", "amin", "asum", "nrm2", "dot"];
    RESULTS.iter().any(|part| name.contains(part))
}
