//! Copy propagation: an operand that is a copy is replaced by what it is a copy of, while that still has the same value.

use super::table::ValueTable;
use ir::op::UnOp;
use ir::{InstKind, Term, Val};

/// Rewrites the operands of an instruction.
pub(super) fn operands(table: &ValueTable<'_>, kind: &mut InstKind) {
    kind.each_use_mut(|val| *val = origin(table, *val));
}

/// Rewrites the operands of a terminator.
pub(super) fn term(table: &ValueTable<'_>, term: &mut Term) {
    term.each_use_mut(|val| *val = origin(table, *val));
}

/// What a value is a copy of, in the end. Each step goes to an operand of an earlier instruction, so that the steps end.
fn origin(table: &ValueTable<'_>, mut val: Val) -> Val {
    while let Some(&InstKind::Un { op: UnOp::Mov, a, .. }) = table.source(val) {
        if a == val {
            break;
        }
        val = a;
    }
    val
}
