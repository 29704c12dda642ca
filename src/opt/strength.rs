//! Strength reduction: an integer product with a power of two is a shift.

use ir::op::BinOp;
use ir::{InstKind, Val};
use scalar::bits;

/// The instruction, or a cheaper one with the same result.
pub(crate) fn rule(kind: InstKind) -> InstKind {
    match kind {
        InstKind::Bin { op: BinOp::Mul, ty, dst, a, b: Val::Imm(c) } if ty.is_int() && c.is_power_of_two() => {
            InstKind::Bin { op: BinOp::Shl, ty, dst, a, b: Val::Imm(u64::from(bits::trailz(ty, c) as u32)) }
        }
        _ => kind,
    }
}
