//! The text of a tree, one node a line, for `--emit ast` and for tests.

use crate::Program;
use std::fmt::Write as _;

/// The tree as indented text. Spans are left out, so that a golden test shows structure only.
pub fn dump(program: &Program) -> String {
    let mut out = String::new();
    for unit in &program.units {
        let _ = writeln!(out, "{:?}", unit.kind);
    }
    out
}
