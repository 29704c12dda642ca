//! Objects of derived type and allocatable data: allocation, copies, ends, dynamic types.

pub(crate) mod allocate;
pub(crate) mod class_object;
pub(crate) mod derived;
pub(crate) mod dynamic_type;
pub(crate) mod finalise;
