//! Address arithmetic: constants move outwards through wrapping 64-bit sums and into the offsets of accesses.
//!
//! `(i + c) << k` becomes `(i << k) + (c << k)`, `b + (n + c)` becomes `(b + n) + c`, and an access at `p + c` an access at
//! `p` with offset `c`. The elements `a(i-1)`, `a(i)`, `a(i+1)` thereby share one address, which CSE finds. All of it holds
//! modulo 2⁶⁴ for any operands; the accessed address is the same number.
//!
//! Index arithmetic ends in `i64`. Of `i32` sums only two constants in a row become one: a sum of 32 bits that is extended
//! afterwards has wrapped.

use crate::values::Values;
use ir::op::{BinOp, TriOp};
use ir::{InstKind, Ty, Val};

/// Offsets stay within what PTX can write behind an address.
const OFFSETS: std::ops::RangeInclusive<i64> = -(1 << 30)..=1 << 30;

/// The instruction with constants moved outwards.
pub(crate) fn rule(v: &mut Values<'_>, mut kind: InstKind) -> InstKind {
    match &mut kind {
        InstKind::Load { addr, offset, .. }
        | InstKind::Store { addr, offset, .. }
        | InstKind::Atomic { addr, offset, .. } => {
            if let Some((base, c)) = sum(v, *addr)
                && let Some(total) = offset.checked_add(c).filter(|t| OFFSETS.contains(t))
            {
                *addr = base;
                *offset = total;
            }
            kind
        }
        &mut InstKind::Bin { op: BinOp::Add, ty: Ty::I64, dst, a, b } => {
            let (base, c) = match (sum(v, a), sum(v, b), b) {
                // A sum of a sum and a constant is one sum.
                (Some((base, c)), _, Val::Imm(d)) => (base, c.wrapping_add(d as i64)),
                (Some((x, c)), Some((y, d)), _) => (add(v, x, y), c.wrapping_add(d)),
                (Some((x, c)), None, _) => (add(v, x, b), c),
                (None, Some((y, d)), _) => (add(v, a, y), d),
                (None, None, _) => return kind,
            };
            InstKind::Bin { op: BinOp::Add, ty: Ty::I64, dst, a: base, b: Val::i64(c) }
        }
        &mut InstKind::Tri { op: TriOp::Mad, ty: Ty::I64, dst, a, b: b @ Val::Reg(_), c: c @ Val::Reg(_) } => {
            // An address is a sum of parts; a product of two registers that lanes share is one of them.
            let part = v.emit(Ty::I64, |dst| InstKind::Bin { op: BinOp::Mul, ty: Ty::I64, dst, a, b });
            rule(v, InstKind::Bin { op: BinOp::Add, ty: Ty::I64, dst, a: part, b: c })
        }
        &mut InstKind::Bin { op: BinOp::Add, ty: Ty::I32, dst, a, b: Val::Imm(d) } => match v.source(a) {
            // A sum of a sum and a constant is one sum, whose wrapping is the same.
            Some(&InstKind::Bin { op: BinOp::Add, ty: Ty::I32, a: base @ Val::Reg(_), b: Val::Imm(c), .. }) => {
                let b = Val::Imm(ir::eval::eval_bin(BinOp::Add, Ty::I32, c, d));
                InstKind::Bin { op: BinOp::Add, ty: Ty::I32, dst, a: base, b }
            }
            _ => kind,
        },
        &mut InstKind::Bin { op: op @ (BinOp::Shl | BinOp::Mul), ty: Ty::I64, dst, a, b: Val::Imm(k) } => {
            let Some((base, c)) = sum(v, a) else { return kind };
            let part = v.emit(Ty::I64, |dst| InstKind::Bin { op, ty: Ty::I64, dst, a: base, b: Val::Imm(k) });
            let c = ir::eval::eval_bin(op, Ty::I64, c as u64, k);
            InstKind::Bin { op: BinOp::Add, ty: Ty::I64, dst, a: part, b: Val::Imm(c) }
        }
        _ => kind,
    }
}

fn add(v: &mut Values<'_>, a: Val, b: Val) -> Val {
    v.emit(Ty::I64, |dst| InstKind::Bin { op: BinOp::Add, ty: Ty::I64, dst, a, b })
}

/// A value that is a register plus a constant.
fn sum(v: &Values<'_>, val: Val) -> Option<(Val, i64)> {
    match v.source(val)? {
        &InstKind::Bin { op: BinOp::Add, ty: Ty::I64, a: a @ Val::Reg(_), b: Val::Imm(c), .. } => Some((a, c as i64)),
        _ => None,
    }
}
