//! What is found out about a checked program before any code is made.

pub(crate) mod expressions;
pub(crate) mod mathematics;
pub(crate) mod type_tags;
pub(crate) mod usage;
pub(crate) mod variables;
pub(crate) mod visit;
