//! Compiled segments against the evaluator of the IR.
//!
//! Each operation with each type, all lanes and some, and random segments: many values at once, registers that are read and written
//! in one segment, loads and stores of all shapes, scalars, branches. Random loops, which are left at once or lane after lane. Barriers, warps that follow each other, kernels as
//! straight-line code.
#![allow(unsafe_code)] // Runs compiled code.
#![allow(clippy::print_stderr)] // Says what is skipped.

extern crate cufemu_jit as jit;

mod bare;
mod barriers;
mod frame;
mod indexed;
mod loops;
mod operations;
mod segments;
mod straight;
mod turns;
