//! Checks of a launch while it runs: data races, reads of uninitialised memory, real values that went wrong.
//!
//! Not here: which block runs next (`schedule`, `parallel`), and faults, which end a launch without any check (`report`).

pub(crate) mod init;
pub(crate) mod race;
pub(crate) mod reals;
