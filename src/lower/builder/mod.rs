//! Arithmetic over the function builder, and what is done with a finished function.

pub(crate) mod arith;
pub(crate) mod complex;
pub(crate) mod convert;
pub(crate) mod power;
pub(crate) mod prune;
