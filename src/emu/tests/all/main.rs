//! Tests of the emulator on IR text: races, barriers, checkpoints.

#![allow(clippy::unwrap_used)]
#![allow(clippy::print_stdout)] // Measurements are printed.

mod divergence;
mod kernels;
mod reference;
mod rig;
mod runs;
mod schedule;
mod sharing;
mod speed;
