//! Reassociation of address arithmetic: constants move outwards through wrapping 64-bit sums and into the offsets of accesses.
//!
//! `(i + c) << k` becomes `(i << k) + (c << k)`, `b + (n + c)` becomes `(b + n) + c`, and an access at `p + c` an access at
//! `p` with offset `c`. The elements `a(i-1)`, `a(i)`, `a(i+1)` then share one address, which CSE finds. All of it holds
//! modulo 2⁶⁴ for any operands; the accessed address is the same number.
//!
//! Index arithmetic ends in `i64`. Of `i32` sums only two constants in a row become one: a 32-bit sum that is extended
//! afterwards may have wrapped.

use super::table::ValueTable;
use ir::analysis::affine::{self, Affine, Operation};
use ir::op::{BinOp, TriOp};
use ir::{InstKind, Reg, Ty, Val};
use std::num::Wrapping;

/// Offsets stay within what PTX can write behind an address.
pub(super) const OFFSETS: std::ops::RangeInclusive<i64> = -(1 << 30)..=1 << 30;

/// A sum modulo 2⁶⁴ whose symbols are registers.
pub(super) type Sum = Affine<Reg, Wrapping<i64>>;

/// The instruction with constants moved outwards.
pub(super) fn rule(table: &mut ValueTable<'_>, mut kind: InstKind) -> InstKind {
    match &mut kind {
        InstKind::Load { addr, offset, .. }
        | InstKind::Store { addr, offset, .. }
        | InstKind::Atomic { addr, offset, .. } => {
            if let Some((base, c)) = register_plus_constant(table, *addr)
                && let Some(total) = offset.checked_add(c).filter(|t| OFFSETS.contains(t))
            {
                *addr = base;
                *offset = total;
            }
            kind
        }
        &mut InstKind::Bin { op: BinOp::Add, ty: Ty::I64, dst, a, b } => {
            let (base, c) = match (register_plus_constant(table, a), register_plus_constant(table, b), b) {
                (Some((base, c)), _, Val::Imm(d)) => (base, c.wrapping_add(d as i64)),
                (Some((x, c)), Some((y, d)), _) => (add(table, x, y), c.wrapping_add(d)),
                (Some((x, c)), None, _) => (add(table, x, b), c),
                (None, Some((y, d)), _) => (add(table, a, y), d),
                (None, None, _) => return kind,
            };
            InstKind::Bin { op: BinOp::Add, ty: Ty::I64, dst, a: base, b: Val::i64(c) }
        }
        &mut InstKind::Tri { op: TriOp::Mad, ty: Ty::I64, dst, a, b: b @ Val::Reg(_), c: c @ Val::Reg(_) } => {
            // The product of two uniform registers becomes a term of the address.
            let part = table.emit(Ty::I64, |dst| InstKind::Bin { op: BinOp::Mul, ty: Ty::I64, dst, a, b });
            rule(table, InstKind::Bin { op: BinOp::Add, ty: Ty::I64, dst, a: part, b: c })
        }
        &mut InstKind::Bin { op: BinOp::Add, ty: Ty::I32, dst, a, b: Val::Imm(d) } => match table.source(a) {
            // One sum wraps as the two do.
            Some(&InstKind::Bin { op: BinOp::Add, ty: Ty::I32, a: base @ Val::Reg(_), b: Val::Imm(c), .. }) => {
                let b = Val::Imm(ir::eval::eval_bin(BinOp::Add, Ty::I32, c, d));
                InstKind::Bin { op: BinOp::Add, ty: Ty::I32, dst, a: base, b }
            }
            _ => kind,
        },
        &mut InstKind::Bin { op: op @ (BinOp::Shl | BinOp::Mul), ty: Ty::I64, dst, a, b: b @ Val::Imm(k) } => {
            let Some((base, c)) = register_plus_constant(table, a) else { return kind };
            let (c, factor) = (Sum::constant(Wrapping(c)), Sum::constant(Wrapping(k as i64)));
            let moved = Operation::binary(op).and_then(|o| o.apply(Ty::I64, [Some(&c), Some(&factor), None]));
            let Some(moved) = moved.and_then(|sum| sum.as_constant()) else { return kind };
            let part = table.emit(Ty::I64, |dst| InstKind::Bin { op, ty: Ty::I64, dst, a: base, b });
            InstKind::Bin { op: BinOp::Add, ty: Ty::I64, dst, a: part, b: Val::i64(moved.0) }
        }
        _ => kind,
    }
}

fn add(table: &mut ValueTable<'_>, a: Val, b: Val) -> Val {
    table.emit(Ty::I64, |dst| InstKind::Bin { op: BinOp::Add, ty: Ty::I64, dst, a, b })
}

/// The parts of a value that was computed as a register plus a constant.
fn register_plus_constant(table: &ValueTable<'_>, val: Val) -> Option<(Val, i64)> {
    let kind = table.source(val)?;
    if !matches!(kind, InstKind::Bin { ty: Ty::I64, a: Val::Reg(_), b: Val::Imm(_), .. }) {
        return None;
    }
    let sum: Sum = affine::of_instruction(kind, |operand| match operand {
        Val::Reg(reg) => Some(Sum::symbol(reg)),
        Val::Imm(_) => None,
    })?;
    match sum.terms[..] {
        [(reg, Wrapping(1))] => Some((Val::Reg(reg), sum.constant.0)),
        _ => None,
    }
}
