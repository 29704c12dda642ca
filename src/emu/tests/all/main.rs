//! Tests of the emulator on IR text: every operation, races, barriers, checkpoints.

mod cases;
mod rig;
mod runs;
mod speed;
