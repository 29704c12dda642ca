//! Debug information of a function.
//!
//! Not here: types and global variables (`module::debug_types`).

pub(crate) mod variables;
