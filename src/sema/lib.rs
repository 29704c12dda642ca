//! Scopes, types, constant folding and the rules of CUDA Fortran: from syntax tree to checked program.
//!
//! [`check`] takes the trees of all files, those of the embedded modules included, and gives a [`checked::Program`] that
//! is always valid (invariant I3), or errors. [`check_expression`] types one more expression in a scope of a program that
//! was checked before, for the debugger.
//!
//! Names are resolved lazily: a declaration is settled when it is first asked for, so that the order of declarations,
//! procedures, modules and files does not matter. What this version does not support becomes an `Unsupported` node and a
//! warning (invariant I6). An expression that is wrong has no typed form at all (`None`), which keeps one mistake from
//! causing a second report.
//!
//! Not here: layout in memory beyond the offsets of components, loops over arrays, temporaries (`lower`).

pub mod checked;
mod checker;
mod cuda;
mod decl;
mod expr;
mod fold;
pub mod intrinsic;
mod intrinsics;
mod scope;
mod stmt;

pub use checker::{check, check_expression};

use source::FileId;
use std::collections::BTreeSet;

/// What the command line says about the language.
#[derive(Clone, Debug, Default)]
pub struct SemaOptions {
    /// Files whose modules are embedded ones: their procedures bound to `rt:…` are services of the run time.
    pub embedded: BTreeSet<FileId>,
    /// `-gpu=managed`: plain allocatables of host code are managed data.
    pub managed: bool,
    /// `-gpu=unified`: device code may use host data.
    pub unified: bool,
    /// `-r8`: default reals are `real(8)`.
    pub real8: bool,
    /// `-i8`: default integers and logicals have kind 8.
    pub integer8: bool,
    /// Whether the files must have a main program.
    pub needs_main: bool,
    /// Whether errors were reported before: statements may be without a meaning for their sake.
    pub is_spoilt: bool,
}
