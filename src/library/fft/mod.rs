//! Discrete Fourier transforms: what a plan holds, where elements are, and the transforms of arrays.
//!
//! Not here: the routines of cuFFT (`cufft`).

mod layout;
mod transform;

pub(crate) use layout::{Kind, Layout, Shape, Type};
pub(crate) use transform::{Lines, Real};

use std::sync::{Arc, OnceLock};

/// What is prepared for the lengths of a plan, once it is used.
pub(crate) type Prepared<T> = Arc<OnceLock<Lines<T>>>;

/// A plan.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    pub(crate) stream: u64,
    /// Whether the library finds the memory that it works in.
    pub(crate) allocates: bool,
    /// The memory that the program gives for it.
    pub(crate) work_area: Option<u64>,
    /// What it transforms, once that is said.
    pub(crate) shape: Option<Arc<Shape>>,
    pub(crate) single: Prepared<f32>,
    pub(crate) double: Prepared<f64>,
}

impl Plan {
    pub(crate) fn new() -> Plan {
        let (single, double) = (Prepared::default(), Prepared::default());
        Plan { stream: 0, allocates: true, work_area: None, shape: None, single, double }
    }
}
