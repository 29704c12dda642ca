//! The second pass: decides for each suspected byte whether it is racy, and names both accesses.

pub(crate) mod exact;
pub(crate) mod history;
pub(crate) mod pairs;
pub(crate) mod span;
