//! Addresses of a GPU's accesses as sums in one order, so that accesses share as much of them as they can.
//!
//! An address is a constant plus multiples of registers. The constant becomes the offset of the access, and terms that cancel
//! vanish: `a(i, j+1)` needs neither the lower bounds nor the row that they add. The rest is summed up again: what changes in
//! outer loops before what changes in inner ones, and then what many accesses of the function have before what few have. Equal
//! beginnings are one value, by common subexpressions. All of it holds modulo 2^64.

use super::reassociate::{OFFSETS, Sum};
use super::table::ValueTable;
use ir::analysis::affine::{self, Affine, Operation};
use ir::op::{BinOp, TriOp};
use ir::{Function, InstKind, Reg, Ty, Val};
use std::collections::BTreeMap;
use std::num::Wrapping;

/// How many accesses have a term.
pub(super) type Counts = BTreeMap<(Reg, i64), u32>;

/// Addresses with more terms stay as they are.
const MAX_TERMS: usize = 8;
/// How many definitions are followed from an address.
const MAX_FOLLOWED: usize = 32;

/// Counts the terms of an access.
pub(super) fn count(table: &ValueTable<'_>, kind: &InstKind, counts: &mut Counts) {
    for (reg, factor) in address(kind).and_then(|(addr, _)| sum(table, addr)).into_iter().flat_map(|s| s.terms) {
        *counts.entry((reg, factor.0)).or_default() += 1;
    }
}

/// The access with its address summed up in the common order.
pub(super) fn rule(table: &mut ValueTable<'_>, mut kind: InstKind, counts: &Counts) -> InstKind {
    let Some((addr, offset)) = address(&kind) else { return kind };
    let Some(Affine { constant, mut terms }) = sum(table, addr) else { return kind };
    let Some(total) = offset.checked_add(constant.0).filter(|t| OFFSETS.contains(t)) else { return kind };
    if terms.is_empty() || terms.len() > MAX_TERMS {
        return kind;
    }
    let count = |&(reg, factor): &(Reg, Wrapping<i64>)| counts.get(&(reg, factor.0)).copied().unwrap_or(0);
    terms.sort_by_key(|term| (table.loop_depth(term.0), u32::MAX - count(term), term.0));
    let mut value: Option<Val> = None;
    for (reg, Wrapping(factor)) in terms {
        let (a, b) = (Val::Reg(reg), Val::i64(factor));
        value = Some(match (value, factor) {
            (None, 1) => a,
            (None, _) => table.emit_rewritten(Ty::I64, |dst| product(dst, a, factor), super::strength::rule),
            (Some(sum), 1) => {
                table.emit(Ty::I64, |dst| InstKind::Bin { op: BinOp::Add, ty: Ty::I64, dst, a: sum, b: a })
            }
            (Some(sum), -1) => {
                table.emit(Ty::I64, |dst| InstKind::Bin { op: BinOp::Sub, ty: Ty::I64, dst, a: sum, b: a })
            }
            (Some(c), _) => table.emit(Ty::I64, |dst| InstKind::Tri { op: TriOp::Mad, ty: Ty::I64, dst, a, b, c }),
        });
    }
    if let (
        Some(value),
        InstKind::Load { addr, offset, .. }
        | InstKind::Store { addr, offset, .. }
        | InstKind::Atomic { addr, offset, .. },
    ) = (value, &mut kind)
    {
        *addr = value;
        *offset = total;
    }
    kind
}

fn product(dst: Reg, a: Val, factor: i64) -> InstKind {
    InstKind::Bin { op: BinOp::Mul, ty: Ty::I64, dst, a, b: Val::i64(factor) }
}

/// The address of an access: a register and an offset.
fn address(kind: &InstKind) -> Option<(Reg, i64)> {
    match *kind {
        InstKind::Load { addr: Val::Reg(addr), offset, .. }
        | InstKind::Store { addr: Val::Reg(addr), offset, .. }
        | InstKind::Atomic { addr: Val::Reg(addr), offset, .. } => Some((addr, offset)),
        _ => None,
    }
}

/// A register as a sum, following the definitions whose operands are still what they were.
fn sum(table: &ValueTable<'_>, reg: Reg) -> Option<Sum> {
    follow(table, Val::Reg(reg), &mut { MAX_FOLLOWED })
}

/// The same for an operand, with so many definitions left to be followed; others are symbols.
fn follow(table: &ValueTable<'_>, val: Val, left: &mut usize) -> Option<Sum> {
    let Val::Reg(reg) = val else { return None };
    let affine = table.source(val).filter(|kind| {
        *left > 0
            && matches!(Operation::of(kind), Some((operation, Ty::I64, operands)) if operation.is_affine(operands))
    });
    let known = affine.and_then(|kind| {
        *left -= 1;
        affine::of_instruction(kind, |operand| follow(table, operand, left))
    });
    known.or_else(|| Some(Sum::symbol(reg)))
}

/// The registers that do nothing but form addresses of accesses, of `count` registers of the function.
pub(super) fn address_only(f: &Function, count: usize) -> Vec<bool> {
    let mut only = vec![true; count];
    for param in &f.params {
        only[param.reg.index()] = false;
    }
    loop {
        let mut changed = false;
        let mut refuse = |only: &mut Vec<bool>, val: Val| {
            if let Val::Reg(r) = val {
                changed |= std::mem::replace(&mut only[r.index()], false);
            }
        };
        // What is known goes from uses to definitions.
        for block in f.blocks.iter().rev() {
            block.term.each_use(|v| refuse(&mut only, v));
            for inst in block.insts.iter().rev() {
                let kind = &inst.kind;
                match kind {
                    InstKind::Load { .. } => {}
                    InstKind::Store { value, .. } => refuse(&mut only, *value),
                    InstKind::Atomic { a, b, .. } => {
                        refuse(&mut only, *a);
                        b.iter().for_each(|&b| refuse(&mut only, b));
                    }
                    InstKind::Bin { op: BinOp::Max | BinOp::Min, ty: Ty::I64, dst, .. } if only[dst.index()] => {}
                    _ => {
                        let is_sum = matches!(Operation::of(kind), Some((_, Ty::I64, _)));
                        if !(is_sum && kind.def().is_some_and(|dst| only[dst.index()])) {
                            kind.each_use(|v| refuse(&mut only, v));
                        }
                    }
                }
            }
        }
        if !changed {
            return only;
        }
    }
}
