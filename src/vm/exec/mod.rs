//! Execution: the loop that runs a warp, and what it leaves to others.
//!
//! `run` dispatches operations, `trace` and `vector_loop` run loops as a whole, `access` and `out_of_line` do what is rare or
//! irregular lane by lane, `exit` handles why the loop was left, `report` tells observers.

#[macro_use]
mod compute;

mod access;
mod dispatch;
mod exit;
mod hoisted;
mod out_of_line;
mod report;
mod run;
mod trace;
mod vector_loop;
pub use dispatch::run_together;
