//! What is known about a checked program before any code is made.
//!
//! Not here: sizes and registers of types (`types`).

pub(crate) mod designators;
pub(crate) mod expressions;
pub(crate) mod mathematics;
pub(crate) mod overlap;
pub(crate) mod pointers;
pub(crate) mod type_tags;
pub(crate) mod usage;
pub(crate) mod variables;
