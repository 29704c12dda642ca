//! Services of the run time for device code: output, STOP, allocation.

pub(crate) mod heap;
pub(crate) mod print;
