//! Arrays and objects in memory: allocation, copies, finalisation, dynamic types, transfers between host and device.
//!
//! All functions take the builder and values that have been computed.
//!
//! Not here: statements and expressions about them (`assign`, `stmt`, `expr`).

pub(crate) mod allocate;
pub(crate) mod array;
pub(crate) mod class_object;
pub(crate) mod convention;
pub(crate) mod derived;
pub(crate) mod dynamic_type;
pub(crate) mod finalise;
pub(crate) mod flat;
pub(crate) mod later;
pub(crate) mod made;
pub(crate) mod transfer;
