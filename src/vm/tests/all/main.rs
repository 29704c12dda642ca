//! Tests of the executor that need no device.

#![allow(clippy::unwrap_used)]

extern crate cufemu_vm as vm;

mod host_loops;
mod inspect;
mod sets;
mod side_exits;
mod slots;
mod support;
