//! Index arithmetic for a GPU, whose integer units are 32 bits wide: products of extents and indices are products of two
//! extended 32-bit numbers, which the hardware has as one instruction.
//!
//! `max(extended(n), 0)` becomes `extended(max(n, 0))`, `i * (n << k)` becomes `(i * n) << k`, `(i + c) * n` becomes
//! `i * n + c * n`, so that neighbouring rows share a product, and constants move out of `i * k + p`. All of it holds modulo 2^64
//! for any operands.
//!
//! One rule rests on the language: `extended(i + c)` becomes `extended(i) + c` in an address, if `c` is small. The two differ only
//! if the 32-bit sum overflows, which Fortran forbids (Fortran 2018, 10.1.5.2.4), and then both name an element whose subscript is
//! near an end of the 32-bit integers. A large `c` may bring a sum that has overflowed back, so it stays.

use super::table::ValueTable;
use ir::op::{BinOp, CvtOp, TriOp};
use ir::{InstKind, Reg, Ty, Val};
use scalar::bits;

/// The largest constant that moves out of the 32-bit sum of a subscript.
const NEAR: i64 = 1 << 16;

/// The instruction, or a cheaper one with the same result.
pub(super) fn rule(table: &mut ValueTable<'_>, kind: InstKind) -> InstKind {
    match kind {
        InstKind::Bin { op: op @ (BinOp::Max | BinOp::Min), ty: Ty::I64, dst, a, b: Val::Imm(c) } => {
            let (Some(a), Ok(c)) = (extended(table, a), i32::try_from(c as i64)) else { return kind };
            let a = table.emit(Ty::I32, |dst| InstKind::Bin { op, ty: Ty::I32, dst, a, b: Val::i32(c) });
            InstKind::Cvt { op: CvtOp::Cast, from: Ty::I32, to: Ty::I64, dst, a }
        }
        InstKind::Bin { op: BinOp::Mul, ty: Ty::I64, dst, a: a @ Val::Reg(_), b: b @ Val::Reg(_) } => {
            if let Some((scaled, count)) = shifted(table, b) {
                return shift(table, dst, a, scaled, count);
            }
            if let Some((scaled, count)) = shifted(table, a) {
                return shift(table, dst, b, scaled, count);
            }
            match (sum(table, a), sum(table, b)) {
                (Some((x, c)), _) => distribute(table, dst, x, c, b),
                (None, Some((x, c))) => distribute(table, dst, x, c, a),
                (None, None) => kind,
            }
        }
        InstKind::Cvt { op: CvtOp::Cast, from: Ty::I32, to: Ty::I64, dst, a } if table.is_address_only(dst) => {
            let Some(&InstKind::Bin { op: BinOp::Add, ty: Ty::I32, a: a @ Val::Reg(_), b: Val::Imm(c), .. }) =
                table.source(a)
            else {
                return kind;
            };
            let c = bits::signed(Ty::I32, c);
            if c.abs() > NEAR {
                return kind;
            }
            let cast = |dst| InstKind::Cvt { op: CvtOp::Cast, from: Ty::I32, to: Ty::I64, dst, a };
            let a = table.emit(Ty::I64, cast);
            InstKind::Bin { op: BinOp::Add, ty: Ty::I64, dst, a, b: Val::i64(c) }
        }
        InstKind::Tri { op: TriOp::Mad, ty: Ty::I64, dst, a, b: b @ Val::Imm(factor), c } => {
            let (first, third) = (sum(table, a), sum(table, c));
            if first.is_none() && third.is_none() {
                return kind;
            }
            let ((a, in_product), (c, in_sum)) = (first.unwrap_or((a, 0)), third.unwrap_or((c, 0)));
            let constant = in_product.wrapping_mul(factor).wrapping_add(in_sum);
            let a = table.emit(Ty::I64, |dst| InstKind::Tri { op: TriOp::Mad, ty: Ty::I64, dst, a, b, c });
            InstKind::Bin { op: BinOp::Add, ty: Ty::I64, dst, a, b: Val::Imm(constant) }
        }
        _ => kind,
    }
}

/// `dst = (a * b) << count`
fn shift(table: &mut ValueTable<'_>, dst: Reg, a: Val, b: Val, count: u64) -> InstKind {
    let product = product(table, a, b);
    InstKind::Bin { op: BinOp::Shl, ty: Ty::I64, dst, a: product, b: Val::Imm(count) }
}

/// `dst = x * b + c * b`
fn distribute(table: &mut ValueTable<'_>, dst: Reg, x: Val, c: u64, b: Val) -> InstKind {
    let first = product(table, x, b);
    if c == u64::MAX {
        return InstKind::Bin { op: BinOp::Sub, ty: Ty::I64, dst, a: first, b };
    }
    let second = table.emit(Ty::I64, |dst| InstKind::Bin { op: BinOp::Mul, ty: Ty::I64, dst, a: b, b: Val::Imm(c) });
    InstKind::Bin { op: BinOp::Add, ty: Ty::I64, dst, a: first, b: second }
}

/// The product of two registers, further rewritten.
fn product(table: &mut ValueTable<'_>, a: Val, b: Val) -> Val {
    table.emit_rewritten(Ty::I64, |dst| InstKind::Bin { op: BinOp::Mul, ty: Ty::I64, dst, a, b }, rule)
}

/// What a 64-bit value was extended from.
fn extended(table: &ValueTable<'_>, val: Val) -> Option<Val> {
    match table.source(val)? {
        InstKind::Cvt { op: CvtOp::Cast, from: Ty::I32, to: Ty::I64, a, .. } => Some(*a),
        _ => None,
    }
}

/// The parts of `a << count`.
fn shifted(table: &ValueTable<'_>, val: Val) -> Option<(Val, u64)> {
    match table.source(val)? {
        InstKind::Bin { op: BinOp::Shl, ty: Ty::I64, a: a @ Val::Reg(_), b: Val::Imm(count), .. } if *count < 64 => {
            Some((*a, *count))
        }
        _ => None,
    }
}

/// The parts of a register plus a constant.
fn sum(table: &ValueTable<'_>, val: Val) -> Option<(Val, u64)> {
    match table.source(val)? {
        InstKind::Bin { op: BinOp::Add, ty: Ty::I64, a: a @ Val::Reg(_), b: Val::Imm(c), .. } => Some((*a, *c)),
        _ => None,
    }
}
