//! Jump targets: the constructs that EXIT and CYCLE name, and labels.
//!
//! Not here: the jumps, which first free what the BLOCKs hold that they leave (`stmt`).

use crate::builder::Builder;
use ir::Bb;
use sema::checked::{LoopId, Stmt};
use std::collections::BTreeMap;

/// What is open at a place.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Open {
    /// Blocks with variables, the procedure included.
    pub(crate) blocks: usize,
    /// Scopes of the builder.
    pub(crate) scopes: usize,
}

/// A construct that EXIT or CYCLE may name.
#[derive(Clone, Copy, Debug)]
pub(crate) struct JumpTarget {
    pub(crate) id: LoopId,
    pub(crate) exit: Bb,
    pub(crate) cycle: Option<Bb>,
    /// What was open outside of it.
    pub(crate) outside: Open,
}

/// The constructs around the current statement, and the blocks of labels.
#[derive(Debug, Default)]
pub(crate) struct JumpTargets<'p> {
    constructs: Vec<JumpTarget>,
    /// The statements around the current one, and that, with what was open before each.
    statements: Vec<(&'p Stmt, Open)>,
    labels: BTreeMap<u32, Bb>,
}

impl<'p> JumpTargets<'p> {
    /// Begins a statement.
    pub(crate) fn begin(&mut self, s: &'p Stmt, open: Open) {
        self.statements.push((s, open));
    }

    /// Ends the current statement.
    pub(crate) fn end(&mut self) {
        self.statements.pop();
    }

    /// The statements around the current one, and that, with what was open before each.
    pub(crate) fn statements(&self) -> &[(&'p Stmt, Open)] {
        &self.statements
    }

    /// Enters a construct.
    pub(crate) fn enter(&mut self, target: JumpTarget) {
        self.constructs.push(target);
    }

    /// Leaves the innermost construct.
    pub(crate) fn leave(&mut self) {
        self.constructs.pop();
    }

    /// The construct of that number around the current statement.
    pub(crate) fn find(&self, id: LoopId) -> Option<JumpTarget> {
        self.constructs.iter().rev().find(|t| t.id == id).copied()
    }

    /// The block of a label, made when it is first named.
    pub(crate) fn label(&mut self, b: &mut Builder<'_, '_>, label: u32) -> Bb {
        *self.labels.entry(label).or_insert_with(|| b.new_block())
    }
}
