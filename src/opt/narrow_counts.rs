//! Numbers of iterations in 32 bits.
//!
//! A loop `do i = first, last, step` over 32-bit integers counts `(last - first + step)/step - 1` down to zero in 64 bits, because
//! the sums may not fit in fewer. Where the loop is entered, `last - first` is not negative, though, and what is left to count is
//! `(last - first)/step`. That fits in 32 bits if the lesser bound is not negative, or the step is a power of two greater than
//! one. A GPU divides 64-bit numbers by a call, and needs two registers for each.
//!
//! For code that runs on a GPU only; the loops of other engines are those that lowering made.

use crate::Target;
use crate::loops::shape::Shape;
use crate::loops::{each_loop, temporary};
use ir::analysis::{Cfg, Dominators, Range, Ranges};
use ir::op::{BinOp, CmpOp, CvtOp, UnOp};
use ir::{Bb, Function, Inst, InstKind, Reg, RegInfo, Ty, Val};
use std::collections::BTreeMap;

/// How many sums are followed from a number of iterations.
const MAX_SUMS: usize = 8;

/// Runs the pass over a function.
pub(crate) fn run(f: &mut Function, target: Target) {
    each_loop(f, |_, _| true, |f, shape| narrow(f, shape, target));
}

/// The number of iterations of a loop behind the first one, as it is computed.
struct Count {
    /// Where it is: its block, the number of the instruction, and what that sets.
    place: (Bb, usize),
    /// The number of iterations, and the quotient that is it if it is not negative.
    all: Reg,
    quotient: Reg,
    /// The distance of the bounds is that of these 32-bit integers.
    low: Val,
    high: Val,
    step: Val,
}

/// Has a loop count in 32 bits.
fn narrow(f: &mut Function, shape: &Shape, target: Target) -> Option<()> {
    let counter = shape.counter.filter(|c| shape.counts_down() && c.ty == Ty::I64)?;
    let from = shape.set_to(f, counter.reg)?;
    let count = count(f, from, target)?;
    let narrow = Reg(f.regs.len() as u32);
    f.regs.push(RegInfo { ty: Ty::I32, var: None, mutable: true });
    for inst in f.blocks.iter_mut().flat_map(|b| &mut b.insts) {
        match &mut inst.kind {
            // What enters the loop.
            InstKind::Cmp { op: op @ CmpOp::Gt, ty, a, b, .. }
                if [count.all, count.quotient].map(Val::Reg).contains(a) && *b == Val::Imm(0) =>
            {
                (*op, *ty, *a, *b) = (CmpOp::Le, Ty::I32, count.low, count.high);
            }
            InstKind::Cmp { ty, a, .. } if *a == Val::Reg(counter.reg) => (*ty, *a) = (Ty::I32, narrow.into()),
            InstKind::Bin { ty, dst, a, b, .. } if *dst == counter.reg => {
                (*ty, *dst, *a, *b) = (Ty::I32, narrow, narrow.into(), Val::i32(-1));
            }
            _ => {}
        }
    }
    let (distance, left) = (temporary(f, Ty::I32), temporary(f, Ty::I32));
    let set = |dst: Reg, a: Val| InstKind::Un { op: UnOp::Mov, ty: Ty::I32, dst, a };
    for inst in f.blocks.iter_mut().flat_map(|b| &mut b.insts) {
        if inst.kind.def() == Some(counter.reg) {
            inst.kind = set(narrow, left.into());
        }
    }
    let (a, ty) = (Val::Reg(distance), Ty::I32);
    let divide = match count.step {
        Val::Imm(step) if step.is_power_of_two() => {
            let b = Val::Imm(u64::from(step.trailing_zeros()));
            InstKind::Bin { op: BinOp::ShrU, ty, dst: left, a, b }
        }
        b => InstKind::Bin { op: BinOp::Div, ty, dst: left, a, b },
    };
    let subtract = InstKind::Bin { op: BinOp::Sub, ty, dst: distance, a: count.high, b: count.low };
    let (bb, at) = count.place;
    let insts = &mut f.blocks[bb.index()].insts;
    let span = insts[at].span;
    insts.splice(at..at, [subtract, divide].map(|kind| Inst::new(kind, span)));
    Some(())
}

/// How a number of iterations behind the first one is computed, if it can be in 32 bits.
fn count(f: &Function, left: Reg, target: Target) -> Option<Count> {
    let mut definitions: BTreeMap<Reg, (Bb, usize)> = BTreeMap::new();
    for (b, block) in f.blocks.iter().enumerate() {
        for (i, inst) in block.insts.iter().enumerate() {
            if let Some(reg) = inst.kind.def().filter(|&r| !f.is_mutable(r)) {
                definitions.insert(reg, (Bb(b as u32), i));
            }
        }
    }
    let define = |reg: Reg| definitions.get(&reg).map(|&(bb, at)| &f.block(bb).insts[at].kind);
    let &place = definitions.get(&left)?;
    let &InstKind::Bin { op: BinOp::Add, a: Val::Reg(all), b: Val::Imm(u64::MAX), .. } = define(left)? else {
        return None;
    };
    let quotient = match *define(all)? {
        InstKind::Bin { op: BinOp::Max, a: Val::Reg(a), b: Val::Imm(0), .. } => a,
        _ => all,
    };
    let &InstKind::Bin { op: BinOp::Div, ty: Ty::I64, a: Val::Reg(sum), b: step, .. } = define(quotient)? else {
        return None;
    };
    let mut terms = Terms::default();
    terms.add(&define, Val::Reg(sum), 1, &mut { MAX_SUMS })?;
    terms.add(&define, step, -1, &mut { MAX_SUMS })?;
    let (low, high) = terms.bounds(&define)?;
    let cfg = Cfg::new(f);
    let ranges = Ranges::new(f, &cfg, &Dominators::new(&cfg), target.threads);
    let (low, high, step) = match step {
        Val::Imm(word) if (word as i64) < 0 => (high, low, Val::Imm((word as i64).unsigned_abs())),
        step => (low, high, step),
    };
    let all_steps = Range { low: 1, high: i32::MAX.into() };
    if !ranges.at(place.0, Ty::I64, step).is_within(all_steps) {
        return None;
    }
    let is_power = matches!(step, Val::Imm(word) if word > 1 && word.is_power_of_two());
    if ranges.at(place.0, Ty::I32, low).low < 0 && !is_power {
        return None;
    }
    let step = match step {
        Val::Reg(reg) => extended(define(reg)?)?,
        Val::Imm(_) => step,
    };
    Some(Count { place, all, quotient, low, high, step })
}

/// What a 64-bit number was extended from.
fn extended(kind: &InstKind) -> Option<Val> {
    match *kind {
        InstKind::Cvt { op: CvtOp::Cast, from: Ty::I32, to: Ty::I64, a, .. } => Some(a),
        _ => None,
    }
}

/// A sum of registers with factors, and a constant.
#[derive(Default)]
struct Terms {
    registers: BTreeMap<Reg, i64>,
    constant: i64,
}

impl Terms {
    /// Adds a multiple of a 64-bit number, following so many sums.
    fn add<'f>(
        &mut self,
        define: &impl Fn(Reg) -> Option<&'f InstKind>,
        val: Val,
        factor: i64,
        left: &mut usize,
    ) -> Option<()> {
        let reg = match val {
            Val::Imm(word) => {
                self.constant = self.constant.checked_add((word as i64).checked_mul(factor)?)?;
                return Some(());
            }
            Val::Reg(reg) => reg,
        };
        *left = left.checked_sub(1)?;
        match define(reg) {
            Some(&InstKind::Bin { op: op @ (BinOp::Add | BinOp::Sub), ty: Ty::I64, a, b, .. }) => {
                self.add(define, a, factor, left)?;
                self.add(define, b, if op == BinOp::Add { factor } else { -factor }, left)
            }
            _ => {
                *self.registers.entry(reg).or_default() += factor;
                Some(())
            }
        }
    }

    /// The 32-bit numbers whose difference, the second one minus the first one, the sum is.
    fn bounds<'f>(&self, define: &impl Fn(Reg) -> Option<&'f InstKind>) -> Option<(Val, Val)> {
        let (mut low, mut high) = (None, None);
        for (&reg, &factor) in self.registers.iter().filter(|(_, factor)| **factor != 0) {
            let side = match factor {
                1 => &mut high,
                -1 => &mut low,
                _ => return None,
            };
            if side.replace(extended(define(reg)?)?).is_some() {
                return None;
            }
        }
        let constant = |value: i64| Some(Val::i32(i32::try_from(value).ok()?));
        match (low, high) {
            (Some(low), Some(high)) => (self.constant == 0).then_some((low, high)),
            (None, Some(high)) => Some((constant(self.constant.checked_neg()?)?, high)),
            (Some(low), None) => Some((low, constant(self.constant)?)),
            (None, None) => None,
        }
    }
}
