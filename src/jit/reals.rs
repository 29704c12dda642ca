//! Comparisons of reals as the vector instructions number them.
//!
//! Not here: the instructions (`emit::reals`, `emit::ops`, `host::packed`), comparisons of scalars by flags (`host::operations`).

use ir::op::CmpOp;

/// The number that an instruction has for a comparison of reals; only `Ne` holds where an operand is a NaN.
pub(crate) fn predicate(op: CmpOp) -> u32 {
    match op {
        CmpOp::Eq => 0,
        CmpOp::Ne => 4,
        CmpOp::Lt | CmpOp::LtU => 0x11,
        CmpOp::Le => 0x12,
        CmpOp::Gt => 0x1e,
        CmpOp::Ge | CmpOp::GeU => 0x1d,
    }
}
