//! Checks of the host program while it runs: reads of uninitialised memory, and races between commands and the host.

pub(crate) mod command_order;
pub(crate) mod init;
