//! The `cufemu` command: its options, messages and exit codes, the pages that document it, and the debugger in a terminal and in an editor.
//!
//! Not here: what programs print and which diagnostics they get (`tests/programs`).

#![allow(clippy::print_stderr)] // A skipped test says so.

extern crate dap as cufemu_dap;
extern crate tui as cufemu_tui;

mod cli;
mod editor;
mod engines;
mod explore;
mod findings;
#[cfg(unix)]
mod hdf5;
#[cfg(unix)]
mod interrupt;
mod libraries;
#[cfg(unix)]
mod makefiles;
#[cfg(unix)]
mod mpirun;
mod pages;
mod process;
mod ranks;
mod support;
#[cfg(unix)]
mod terminal;
mod tutorial;
