//! Diagnostics as data, the table of codes, and the renderers.
//!
//! A stage that finds a fault makes a [`Diagnostic`]: a [`Code`] from the table, a sentence, a place, and help. It never formats
//! it. The command line collects diagnostics in [`Diagnostics`] and turns them into text with [`full`], [`short`], [`json`] or
//! [`sarif`], which are pure functions of a diagnostic and a `SourceMap`.
//!
//! To add a code, see the head of `code/table.rs`.
//!
//! Invariants: every renderer accepts any span (none, empty, past the end of the file, across characters) without panic. The
//! same diagnostics give the same bytes.
//!
//! Not here: the wording of run-time findings (`finding`), writing to a terminal, exit codes.

mod code;
mod collect;
mod diagnostic;
mod explain;
mod full;
mod json;
mod nearest;
mod place;
mod sarif;
mod severity;
mod short;

pub use code::Code;
pub use collect::Diagnostics;
pub use diagnostic::{Diagnostic, Frame, Label};
pub use explain::{explain, reference};
pub use full::{Style, full};
pub use json::json;
pub use nearest::{nearest_name, nearest_within};
pub use sarif::sarif;
pub use severity::Severity;
pub use short::short;
