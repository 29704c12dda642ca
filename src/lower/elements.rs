//! Element-wise evaluation: the prepared operands of array expressions and the element that is being evaluated.
//!
//! The operands of an array expression are prepared once; then the ordinary scalar code evaluates the expression for each
//! element and finds the operands by the address of their node.
//!
//! Not here: preparing operands and the loops over elements (`array`).

use crate::value::Value;
use crate::value::array_view::ArrayView;
use ir::Val;
use sema::checked::{Expr, ExprKind, visit};
use std::collections::{BTreeMap, BTreeSet};

/// A prepared operand.
#[derive(Clone, Debug)]
pub(crate) enum Operand {
    /// An array.
    View(ArrayView),
    /// A scalar.
    Value(Value),
}

/// The prepared operands of an expression, by the address of their node.
#[derive(Clone, Debug, Default)]
pub(crate) struct Operands {
    by_node: BTreeMap<usize, Operand>,
    /// Optional dummies among them that may be absent, and have no shape then.
    optional: BTreeSet<usize>,
    /// The length parameters of objects, where those are known.
    lengths: BTreeMap<usize, Vec<Val>>,
    /// Whether a mask decides which elements are evaluated.
    masked: bool,
}

fn key(e: &Expr) -> usize {
    std::ptr::from_ref(e) as usize
}

impl Operands {
    /// Operands of an expression that is evaluated only where a mask holds.
    pub(crate) fn masked() -> Operands {
        Operands { masked: true, ..Operands::default() }
    }

    /// Whether a mask decides which elements are evaluated.
    pub(crate) fn is_masked(&self) -> bool {
        self.masked
    }

    /// Gives an expression a prepared operand.
    pub(crate) fn insert(&mut self, e: &Expr, operand: Operand) {
        self.by_node.insert(key(e), operand);
    }

    /// Gives an expression that is an optional dummy a prepared operand.
    pub(crate) fn insert_optional(&mut self, e: &Expr, operand: Operand) {
        self.insert(e, operand);
        self.optional.insert(key(e));
    }

    /// Gives an expression that makes objects a prepared operand, whose length parameters are known.
    pub(crate) fn insert_objects(&mut self, e: &Expr, objects: ArrayView, lengths: Vec<Val>) {
        self.insert(e, Operand::View(objects));
        self.lengths.insert(key(e), lengths);
    }

    /// Whether an operand may be absent; conversions do not hide it.
    pub(crate) fn is_optional(&self, e: &Expr) -> bool {
        match &e.kind {
            ExprKind::Convert(inner) => self.is_optional(inner),
            _ => self.optional.contains(&key(e)),
        }
    }

    /// The prepared operand of an expression.
    pub(crate) fn operand(&self, e: &Expr) -> Option<&Operand> {
        self.by_node.get(&key(e))
    }

    /// Whether all arrays are contiguous.
    pub(crate) fn is_contiguous(&self) -> bool {
        self.by_node.values().all(|operand| match operand {
            Operand::View(view) => view.is_contiguous() && !view.gathers(),
            Operand::Value(_) => true,
        })
    }

    /// The extents of a prepared expression.
    pub(crate) fn extents(&self, e: &Expr) -> Option<Vec<Val>> {
        match self.by_node.get(&key(e)) {
            Some(Operand::View(view)) => return Some(view.extents()),
            Some(Operand::Value(_)) => return None,
            None => {}
        }
        let mut found = None;
        // What may be absent gives the extents where nothing else does.
        for optional in [false, true] {
            visit::parts(e, &mut |part| {
                if found.is_none() && part.rank > 0 && self.is_optional(part) == optional {
                    found = self.extents(part);
                }
            });
        }
        found
    }
}

/// An evaluation in progress.
#[derive(Debug)]
struct Evaluation {
    operands: Operands,
    /// The position of the current element.
    index: Vec<Val>,
    /// Whether the position is one number that counts all elements.
    linear: bool,
}

/// The element-wise evaluations in progress, innermost last.
#[derive(Debug, Default)]
pub(crate) struct ElementLoops {
    open: Vec<Evaluation>,
}

impl ElementLoops {
    /// Begins an evaluation; gives its depth.
    pub(crate) fn enter(&mut self, operands: Operands, linear: bool) -> usize {
        self.open.push(Evaluation { operands, index: Vec::new(), linear });
        self.open.len() - 1
    }

    /// Ends the evaluation of that depth.
    pub(crate) fn leave(&mut self, depth: usize) {
        self.open.truncate(depth);
    }

    /// Sets the position of the evaluation of that depth.
    pub(crate) fn set_position(&mut self, depth: usize, index: &[Val]) {
        if let Some(evaluation) = self.open.get_mut(depth) {
            evaluation.index = index.to_vec();
        }
    }

    /// Goes to a position, one number a dimension, in the innermost evaluation.
    pub(crate) fn move_to(&mut self, index: &[Val]) {
        if let Some(evaluation) = self.open.last_mut() {
            evaluation.index = index.to_vec();
            evaluation.linear = false;
        }
    }

    /// The operand prepared for a node in the innermost evaluation that has one, with the position there.
    pub(crate) fn lookup(&self, e: &Expr) -> Option<(Operand, Vec<Val>, bool)> {
        self.open
            .iter()
            .rev()
            .find_map(|open| open.operands.operand(e).map(|operand| (operand.clone(), open.index.clone(), open.linear)))
    }

    /// The length parameters of a prepared operand, where they are known.
    pub(crate) fn lengths(&self, e: &Expr) -> Option<Vec<Val>> {
        self.open.iter().rev().find_map(|open| open.operands.lengths.get(&key(e)).cloned())
    }
}
