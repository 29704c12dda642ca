//! Tests of the passes: what they do on small texts, and that random programs do the same before and after.

#![allow(clippy::unwrap_used)]

extern crate cufemu_opt as opt;

mod dead_locals;
mod for_gpu;
#[path = "../../../ir/tests/all/generate.rs"]
mod generate;
mod gpu_loops;
mod local_arrays;
mod loops;
mod programs;
mod small;
mod strided;
