//! Host programs run to their end against a world of the test's own.

mod files;
mod memory;
mod program;
mod text_io;
