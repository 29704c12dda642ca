//! Strength reduction: an integer product with a power of two is a shift, what a remainder of one is compared with is seen
//! from the bits, and a logical that is tested is its lowest bit.

use super::table::ValueTable;
use ir::op::{BinOp, CmpOp, CvtOp};
use ir::{InstKind, Ty, Val};
use scalar::bits;

/// The instruction, or a cheaper one with the same result.
pub(super) fn rule(table: &mut ValueTable<'_>, kind: InstKind) -> InstKind {
    match kind {
        InstKind::Bin { op: BinOp::Mul, ty, dst, a, b: Val::Imm(c) } if ty.is_int() && c.is_power_of_two() => {
            InstKind::Bin { op: BinOp::Shl, ty, dst, a, b: Val::Imm(u64::from(bits::trailz(ty, c) as u32)) }
        }
        InstKind::Cvt { op: CvtOp::IntToPred, from: ty @ (Ty::I32 | Ty::I64), dst, a, .. } => {
            let a = table.emit(ty, |dst| InstKind::Bin { op: BinOp::And, ty, dst, a, b: Val::Imm(1) });
            InstKind::Cmp { op: CmpOp::Ne, ty, dst, a, b: Val::Imm(0) }
        }
        InstKind::Cmp { op: op @ (CmpOp::Eq | CmpOp::Ne), ty, dst, a, b: Val::Imm(c) } => match table.source(a) {
            Some(&InstKind::Bin { op: BinOp::Rem, a, b: Val::Imm(m), .. }) => {
                let Some(mask) = deciding_bits(ty, m, c) else { return kind };
                let a = table.emit(ty, |dst| InstKind::Bin { op: BinOp::And, ty, dst, a, b: Val::Imm(mask) });
                InstKind::Cmp { op, ty, dst, a, b: Val::Imm(c) }
            }
            _ => kind,
        },
        _ => kind,
    }
}

/// The bits that are those of `c` in exactly the integers whose remainder by `m` is `c`, the sign being that of the integer
/// (Fortran's `mod`): the low ones, and for a positive `c` the sign.
fn deciding_bits(ty: Ty, m: u64, c: u64) -> Option<u64> {
    if !ty.is_int() || !m.is_power_of_two() {
        return None;
    }
    let sign = 1 << (ty.bytes() * 8 - 1);
    match c {
        0 => Some(m - 1),
        _ if m != sign && c < m => Some(sign | (m - 1)),
        _ => None,
    }
}
