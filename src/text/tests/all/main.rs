//! Tests of text in both directions through the public interface, many against tables recorded from compilers.

#![allow(clippy::unwrap_used)] // A test that fails panics.

mod formatted;
mod input;
mod listed;
mod namelist;
