//! Diagnostics as data, the table of codes, and the renderers.
//!
//! A stage that finds fault with a program makes a [`Diagnostic`]: a [`Code`] from the one table, a sentence, the place,
//! and what else helps. It never formats it. The command line collects them in [`Diagnostics`] and turns them into text
//! with one of [`full`], [`short`], [`json`] and [`sarif`], which are pure functions over a `SourceMap`.
//!
//! To add a code, see the head of `table.rs`.
//!
//! Invariants: every renderer takes any span (none, empty, past the end of the file, across characters) without panic;
//! the same diagnostics give the same bytes.
//!
//! Not here: the wording of run-time findings (`finding` has it), writing to a terminal, exit codes.

mod code;
mod collect;
mod diagnostic;
mod explain;
mod full;
mod json;
mod nearest;
mod place;
mod sarif;
mod short;
mod table;

pub use collect::Diagnostics;
pub use diagnostic::{Diagnostic, Frame, Label, Severity};
pub use explain::{explain, reference};
pub use full::{Style, full};
pub use json::json;
pub use nearest::{nearest_name, nearest_within};
pub use sarif::sarif;
pub use short::short;
pub use table::Code;
