//! Execution: the loop that runs a warp, and what it leaves to others.
//!
//! `run` dispatches operations, `access` and `out_of_line` do what is rare or
//! irregular lane by lane, `exit` handles why the loop was left, `report` tells observers, `single` executes
//! operations for compiled code.

#[macro_use]
mod compute;

mod access;
mod dispatch;
mod exit;
mod generic;
mod out_of_line;
mod report;
mod run;
mod single;
pub use dispatch::run_together;
