//! Copy propagation: an operand that is a copy is replaced by what it is a copy of, while that still has the same value.

use crate::values::Values;
use ir::op::UnOp;
use ir::{InstKind, Term, Val};

/// Rewrites the operands of an instruction.
pub(crate) fn operands(v: &Values<'_>, kind: &mut InstKind) {
    kind.each_use_mut(|val| *val = origin(v, *val));
}

/// Rewrites the operands of a terminator.
pub(crate) fn term(v: &Values<'_>, term: &mut Term) {
    term.each_use_mut(|val| *val = origin(v, *val));
}

/// What a value is a copy of, in the end. Each step goes to an operand of an earlier instruction, so that the steps end.
fn origin(v: &Values<'_>, mut val: Val) -> Val {
    while let Some(&InstKind::Un { op: UnOp::Mov, a, .. }) = v.source(val) {
        if a == val {
            break;
        }
        val = a;
    }
    val
}
