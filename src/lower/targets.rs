//! Jump targets: the constructs that EXIT and CYCLE name, and labels.
//!
//! Not here: the jumps, which first free what the BLOCKs hold that they leave (`stmt`).

use crate::builder::Builder;
use ir::Bb;
use sema::checked::LoopId;
use std::collections::BTreeMap;

/// A construct that EXIT or CYCLE may name.
#[derive(Clone, Copy, Debug)]
pub(crate) struct JumpTarget {
    pub(crate) id: LoopId,
    pub(crate) exit: Bb,
    pub(crate) cycle: Option<Bb>,
    /// How many blocks with variables were open outside of it.
    pub(crate) depth: usize,
}

/// The constructs around the current statement, and the blocks of labels.
#[derive(Debug, Default)]
pub(crate) struct JumpTargets {
    constructs: Vec<JumpTarget>,
    labels: BTreeMap<u32, Bb>,
}

impl JumpTargets {
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
