//! Whole programs on a machine with an emulator, in a world of the test's own.

#![allow(clippy::unwrap_used)]

mod api;
mod connected;
mod memory;
mod program;
mod proofs;
mod random;
mod ranks;
mod replay;
mod stops;
