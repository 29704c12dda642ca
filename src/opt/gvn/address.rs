//! Addresses of accesses as sums in one order.
//!
//! On a GPU the order is one in which accesses share as much of their addresses as they can.
//!
//! An address is a constant plus multiples of registers. The constant becomes the offset of the access, and terms that cancel
//! vanish: `a(i, j+1)` needs neither the lower bounds nor the row that they add. The rest is summed up again: what changes in
//! outer loops before what changes in inner ones, and then what many accesses of the function have before what few have. Equal
//! beginnings are one value, by common subexpressions, and a multiple of a stride is a step from the next smaller one: rows above and
//! below each other need one register for the stride. All of it holds modulo 2^64.
//!
//! Where no allocation is too large, a sum outside of loops is narrow: `pointer + extended(index) * scale`, with the index in 32 bits,
//! which a GPU computes in one instruction. It is the same address because a valid access is in the allocation of the object whose
//! address the pointer is, so that the whole index fits in 32 bits, and so it can be computed modulo 2^32.
//!
//! On other engines, addresses in loops are summed up only so that what does not change in the innermost loop is one value, which
//! `hoist-invariants` takes out of it.

use super::reassociate::{OFFSETS, Sum};
use super::table::ValueTable;
use crate::Target;
use ir::analysis::affine::{self, Affine, Operation};
use ir::op::{BinOp, CvtOp, TriOp};
use ir::{Function, InstKind, Reg, Ty, Val};
use scalar::bits;
use std::collections::BTreeMap;
use std::num::Wrapping;

/// A term of an address: a register and its factor.
type Term = (Reg, Wrapping<i64>);

/// How many accesses have a term.
pub(super) type Counts = BTreeMap<(Reg, i64), u32>;

/// Addresses with more terms stay as they are.
const MAX_TERMS: usize = 8;
/// How many definitions are followed from an address.
const MAX_FOLLOWED: usize = 32;
/// The largest scale of a narrow index is 2 to this power.
const MAX_SCALE: u32 = 3;
/// Elements of an allocation whose indices are narrow: [`OFFSETS`] may be missing from an index that is not yet the element's.
const NARROW: u64 = 1 << 30;
/// How many products are followed from a narrow index.
const MAX_PRODUCTS: usize = 8;

/// Counts the terms of an access.
pub(super) fn count(table: &ValueTable<'_>, kind: &InstKind, counts: &mut Counts) {
    for (reg, factor) in address(kind).and_then(|(addr, _)| sum(table, addr)).into_iter().flat_map(|s| s.terms) {
        *counts.entry((reg, factor.0)).or_default() += 1;
    }
}

/// The access with its address summed up in the common order.
pub(super) fn rule(table: &mut ValueTable<'_>, mut kind: InstKind, counts: &Counts, target: Target) -> InstKind {
    let Some((addr, offset)) = address(&kind) else { return kind };
    let Some(Affine { constant, mut terms }) = sum(table, addr) else { return kind };
    let Some(total) = offset.checked_add(constant.0).filter(|t| OFFSETS.contains(t)) else { return kind };
    if terms.is_empty() || terms.len() > MAX_TERMS {
        return kind;
    }
    let count = |&(reg, factor): &Term| counts.get(&(reg, factor.0)).copied().unwrap_or(0);
    terms.sort_by_key(|term| (table.loop_depth(term.0), u32::MAX - count(term), term.0));
    if let Some(value) = narrow(table, &terms, target).or_else(|| wide(table, &terms)) {
        set_address(&mut kind, value, total);
    }
    kind
}

/// The access with its address summed up from outer loops to inner ones, if parts of it change in different ones.
pub(super) fn by_loops(table: &mut ValueTable<'_>, mut kind: InstKind) -> InstKind {
    let here = table.depth_here();
    let Some((addr, offset)) = address(&kind).filter(|_| here > 0) else { return kind };
    let Some(Affine { constant, mut terms }) = sum(table, addr) else { return kind };
    let Some(total) = offset.checked_add(constant.0).filter(|t| OFFSETS.contains(t)) else { return kind };
    let outside = terms.iter().filter(|term| table.loop_depth(term.0) < here).count();
    if outside < 2 || outside == terms.len() || terms.len() > MAX_TERMS {
        return kind;
    }
    terms.sort_by_key(|term| (table.loop_depth(term.0), term.0));
    if let Some(value) = wide(table, &terms) {
        set_address(&mut kind, value, total);
    }
    kind
}

/// Has an access go to that address and offset.
fn set_address(kind: &mut InstKind, value: Val, total: i64) {
    if let InstKind::Load { addr, offset, .. }
    | InstKind::Store { addr, offset, .. }
    | InstKind::Atomic { addr, offset, .. } = kind
    {
        *addr = value;
        *offset = total;
    }
}

/// The sum of the terms in 64 bits.
fn wide(table: &mut ValueTable<'_>, terms: &[Term]) -> Option<Val> {
    let mut value: Option<Val> = None;
    for &(reg, Wrapping(factor)) in terms {
        let a = Val::Reg(reg);
        value = Some(match (value, factor) {
            (None, 1) => a,
            (None, _) => table.emit_rewritten(Ty::I64, |dst| product(dst, a, factor), super::strength::rule),
            (Some(sum), 1) => {
                table.emit(Ty::I64, |dst| InstKind::Bin { op: BinOp::Add, ty: Ty::I64, dst, a: sum, b: a })
            }
            (Some(sum), -1) => {
                table.emit(Ty::I64, |dst| InstKind::Bin { op: BinOp::Sub, ty: Ty::I64, dst, a: sum, b: a })
            }
            (Some(c), _) => multiple(table, Ty::I64, a, factor, c),
        });
    }
    value
}

/// `c + factor * a`, by one step from the next smaller multiple if that is there.
fn multiple(table: &mut ValueTable<'_>, ty: Ty, a: Val, factor: i64, c: Val) -> Val {
    let b = |factor: i64| Val::Imm(bits::canonical(ty, factor as u64));
    let sum = |dst, factor| match factor {
        1 => InstKind::Bin { op: BinOp::Add, ty, dst, a: c, b: a },
        -1 => InstKind::Bin { op: BinOp::Sub, ty, dst, a: c, b: a },
        _ => InstKind::Tri { op: TriOp::Mad, ty, dst, a, b: b(factor), c },
    };
    // No register has this number; it stands for the result of what is looked for.
    let result = Reg(u32::MAX);
    let is_new = factor > 1 && table.find(&sum(result, factor)).is_none();
    match table.find(&sum(result, factor - 1)).filter(|_| is_new) {
        Some(smaller) => {
            let step = |dst| InstKind::Bin { op: BinOp::Add, ty, dst, a: smaller.into(), b: a };
            let value = table.emit(ty, step);
            table.remember(&sum(result, factor), value);
            value
        }
        // A step down would keep one more register alive than the product does.
        None => table.emit(ty, |dst| sum(dst, factor)),
    }
}

/// The same sum with its index in 32 bits, if it begins at a known object, and has at least two terms besides, which change in the same
/// loop. The other terms must be no pointers: a Cray pointer may be computed from one object and lead to another.
fn narrow(table: &mut ValueTable<'_>, terms: &[Term], target: Target) -> Option<Val> {
    let is_pointer = |&(reg, factor): &Term| factor.0 == 1 && !is_index(table, reg);
    let pointer = terms.iter().position(is_pointer)?;
    let base = terms[pointer].0;
    let index = || terms.iter().enumerate().filter(|&(i, _)| i != pointer).map(|(_, term)| term);
    let depth = table.loop_depth(index().next()?.0);
    if index().count() < 2
        || !table.is_object(base)
        || index().any(|term| is_pointer(term) || table.loop_depth(term.0) != depth)
    {
        return None;
    }
    let power = index().map(|(_, factor)| factor.0.trailing_zeros()).min()?.min(MAX_SCALE);
    if target.largest_allocation > NARROW << power {
        return None;
    }
    let mut sum: Option<Val> = None;
    for &(reg, Wrapping(factor)) in index() {
        let (a, factor) = (narrowed(table, Val::Reg(reg), &mut { MAX_PRODUCTS }), (factor >> power) as i32);
        let ty = Ty::I32;
        sum = Some(match (sum, factor) {
            (None, 1) => a,
            (None, _) => table.emit(ty, |dst| InstKind::Bin { op: BinOp::Mul, ty, dst, a, b: Val::i32(factor) }),
            (Some(sum), 1) => table.emit(ty, |dst| InstKind::Bin { op: BinOp::Add, ty, dst, a: sum, b: a }),
            (Some(sum), -1) => table.emit(ty, |dst| InstKind::Bin { op: BinOp::Sub, ty, dst, a: sum, b: a }),
            (Some(c), _) => multiple(table, ty, a, i64::from(factor), c),
        });
    }
    let a = sum?;
    let cast = |dst| InstKind::Cvt { op: CvtOp::Cast, from: Ty::I32, to: Ty::I64, dst, a };
    let (a, b, c) = (table.emit(Ty::I64, cast), Val::i64(1 << power), Val::Reg(base));
    Some(table.emit(Ty::I64, |dst| match power {
        0 => InstKind::Bin { op: BinOp::Add, ty: Ty::I64, dst, a: c, b: a },
        _ => InstKind::Tri { op: TriOp::Mad, ty: Ty::I64, dst, a, b, c },
    }))
}

/// Whether what computed a register shows that it is no pointer.
fn is_index(table: &ValueTable<'_>, reg: Reg) -> bool {
    match table.source(Val::Reg(reg)) {
        Some(InstKind::Cvt { from, .. }) => *from != Ty::I64,
        Some(InstKind::Bin { op, .. }) => !matches!(op, BinOp::Add | BinOp::Sub),
        _ => false,
    }
}

/// A 64-bit value modulo 2^32, following so many products.
fn narrowed(table: &mut ValueTable<'_>, val: Val, left: &mut usize) -> Val {
    let ty = Ty::I32;
    match table.source(val) {
        Some(&InstKind::Cvt { op: CvtOp::Cast, from: Ty::I32, a, .. }) => a,
        Some(&InstKind::Bin { op: BinOp::Mul, ty: Ty::I64, a, b: b @ Val::Reg(_), .. }) if *left > 0 => {
            *left -= 1;
            let (a, b) = (narrowed(table, a, left), narrowed(table, b, left));
            table.emit(ty, |dst| InstKind::Bin { op: BinOp::Mul, ty, dst, a, b })
        }
        _ => table.emit(ty, |dst| InstKind::Cvt { op: CvtOp::Cast, from: Ty::I64, to: ty, dst, a: val }),
    }
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
