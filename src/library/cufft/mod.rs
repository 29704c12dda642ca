//! cuFFT: plans, and discrete Fourier transforms of one to three dimensions, real and complex, of 4 and 8 bytes a part.
//!
//! A transform forward multiplies by exp(-2πijk/n), one backward by exp(2πijk/n), and neither is divided by n. Sizes are in the
//! order of C: the last one is that of the index whose elements are next to each other.
//!
//! Not here: half precision and callbacks; the transforms (`fft`); several devices and ranks, whose module `cufftxt` rests on these
//! routines.
//!
//! Source: cuFFT, "API Reference" and "Using the cuFFT API".

mod execute;
mod make;
mod plan;

use crate::call::{Call, Outcome, Routine, Status, Statuses};

pub(crate) const STATUSES: Statuses = Statuses { bad_handle: 1, bad_value: 4, failed: 6 };

/// Statuses that say more.
const INVALID_PLAN: Status = Status(1);
const ALLOC_FAILED: Status = Status(2);
const INVALID_TYPE: Status = Status(3);
const INVALID_SIZE: Status = Status(8);
const NO_WORKSPACE: Status = Status(13);
const INCOMPLETE: Status = Status(10);

const fn row(name: &'static str, run: fn(&mut Call<'_>) -> Outcome) -> Routine {
    Routine { name, run }
}

/// Table: the routines.
pub(crate) static ROUTINES: &[Routine] = &[
    row("cufftCreate", plan::create),
    row("cufftDestroy", plan::destroy),
    row("cufftSetStream", plan::set_stream),
    row("cufftSetAutoAllocation", plan::set_auto_allocation),
    row("cufftSetWorkArea", plan::set_work_area),
    row("cufftGetVersion", plan::version),
    row("cufftGetProperty", plan::property),
    row("cufftXtDescribe", plan::describe),
    row("cufftPlan1d", make::plan::<1>),
    row("cufftPlan2d", make::plan::<2>),
    row("cufftPlan3d", make::plan::<3>),
    row("cufftPlanMany", make::plan_many),
    row("cufftMakePlan1d", make::make::<1>),
    row("cufftMakePlan2d", make::make::<2>),
    row("cufftMakePlan3d", make::make::<3>),
    row("cufftMakePlanMany", make::make_many::<false>),
    row("cufftMakePlanMany64", make::make_many::<true>),
    row("cufftEstimate1d", make::estimate::<1>),
    row("cufftEstimate2d", make::estimate::<2>),
    row("cufftEstimate3d", make::estimate::<3>),
    row("cufftEstimateMany", make::estimate_many),
    row("cufftGetSize1d", make::size::<1>),
    row("cufftGetSize2d", make::size::<2>),
    row("cufftGetSize3d", make::size::<3>),
    row("cufftGetSizeMany", make::size_many::<false>),
    row("cufftGetSizeMany64", make::size_many::<true>),
    row("cufftGetSize", plan::size),
    row("cufftExecC2C", execute::complex::<f32>),
    row("cufftExecZ2Z", execute::complex::<f64>),
    row("cufftExecR2C", execute::from_real::<f32>),
    row("cufftExecD2Z", execute::from_real::<f64>),
    row("cufftExecC2R", execute::to_real::<f32>),
    row("cufftExecZ2D", execute::to_real::<f64>),
];

impl Call<'_> {
    /// Reports an argument that is wrong, with a status of its own.
    fn refuse<T>(&mut self, status: Status, reason: String) -> Result<T, Status> {
        self.wrong(reason).map_err(|_| status)
    }
}
