//! The services of the run time that compiled host code calls (`ir::rt`).

pub(crate) mod characters;
pub(crate) mod dispatch;
