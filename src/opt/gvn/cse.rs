//! Common subexpressions: a pure operation whose value is available becomes a copy.

use super::table::ValueTable;
use ir::op::UnOp;
use ir::{InstKind, Val};

/// The instruction, or a copy of an earlier result.
pub(super) fn rule(table: &ValueTable<'_>, kind: InstKind) -> InstKind {
    let (Some(reg), Some(dst)) = (table.find(&kind), kind.def()) else { return kind };
    InstKind::Un { op: UnOp::Mov, ty: table.ty(reg), dst, a: Val::Reg(reg) }
}
