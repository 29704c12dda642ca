//! The terminal interface without a terminal: scripts of keys in, screens out.

#![allow(clippy::print_stderr)] // A measured time is told.

mod driver;
mod manual;
mod screens;
