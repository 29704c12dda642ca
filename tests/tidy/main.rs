//! The rules of the source tree that the compiler does not check.
//!
//! Crates import only what their layer may, and the rooms of a crate import each other without a cycle; every file says at its
//! top what it is; files stay readable in one sitting; every diagnostic code is raised and has a test; nothing below `machine`
//! depends on the order of a hash map, the clock or the environment.
//!
//! The checks are textual and simple: they read the tree once and know a little of Cargo's and Rust's layout, not their
//! grammars. A line that a check gets wrong goes into the list of exceptions beside that check, with the reason.

mod codes;
mod cycles;
mod diagram;
mod executor;
mod files;
mod layers;
mod manifests;
mod paths;
mod purity;
mod rooms;
mod tree;
