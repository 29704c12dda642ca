//! Objects of derived type and allocatable data: allocation, copies, ends, dynamic types.

pub(crate) mod allocate;
pub(crate) mod array;
pub(crate) mod class_object;
pub(crate) mod convention;
pub(crate) mod derived;
pub(crate) mod dynamic_type;
pub(crate) mod finalise;
pub(crate) mod transfer;
