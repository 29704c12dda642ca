//! Induction variables of loops: registers to which each iteration adds the same amount.

use crate::analysis::{Dominators, LoopId, Loops};
use crate::op::{BinOp, CmpOp, UnOp};
use crate::{Bb, Function, InstKind, Reg, Term, Val};

/// No loop has more iterations than this, where their number is a variable.
pub(super) const MAX_ITERATIONS: i128 = 1 << 62;
/// A loop of at most so many iterations counts as bounded.
pub(super) const BOUNDED_ITERATIONS: i128 = 1 << 48;

/// A register that a loop assigns once in each iteration, adding a step.
#[derive(Clone, Copy, Debug)]
pub(super) struct InductionVariable {
    pub(super) reg: Reg,
    /// Where it is assigned.
    pub(super) place: (Bb, usize),
    pub(super) step: Val,
    /// Whether the step is taken off.
    pub(super) is_falling: bool,
    /// Whether the loop goes on only while the register is not zero; `true` if it is compared after the step.
    pub(super) until_zero: Option<bool>,
}

/// The registers of a loop that may be induction variables. The walk checks that the step stays the same and nothing wraps.
pub(super) fn induction_variables(
    f: &Function,
    dom: &Dominators,
    loops: &Loops,
    number: LoopId,
) -> Vec<InductionVariable> {
    let of = loops.get(number);
    let mut assigned: Vec<(Reg, Bb, usize)> = Vec::new();
    for &bb in &of.blocks {
        for (i, inst) in f.block(bb).insts.iter().enumerate() {
            inst.kind.each_def(|r| {
                if f.is_mutable(r) {
                    assigned.push((r, bb, i));
                }
            });
        }
    }
    assigned.sort_unstable();
    let once = |i: usize| {
        let reg = assigned[i].0;
        (i == 0 || assigned[i - 1].0 != reg) && assigned.get(i + 1).is_none_or(|next| next.0 != reg)
    };
    let each_iteration =
        |bb: Bb| loops.of(bb) == Some(number) && of.latches.iter().all(|&latch| dom.dominates(bb, latch));
    (0..assigned.len())
        .filter(|&i| once(i) && each_iteration(assigned[i].1))
        .filter_map(|i| {
            let (reg, bb, at) = assigned[i];
            let (step, is_falling) = step(f, bb, at, reg)?;
            let until_zero = until_zero(f, of.header, &of.latches, reg, (bb, at));
            Some(InductionVariable { reg, place: (bb, at), step, is_falling, until_zero })
        })
        .collect()
}

/// What the assignment adds to the register, or takes off; perhaps through a temporary of the same block.
fn step(f: &Function, bb: Bb, at: usize, reg: Reg) -> Option<(Val, bool)> {
    let insts = &f.block(bb).insts;
    let mut kind = &insts[at].kind;
    if let InstKind::Un { op: UnOp::Mov, a: Val::Reg(from), .. } = kind
        && !f.is_mutable(*from)
    {
        kind = &insts[..at].iter().find(|inst| inst.kind.def() == Some(*from))?.kind;
    }
    match *kind {
        InstKind::Bin { op: BinOp::Add, a, b, .. } if a == Val::Reg(reg) => Some((b, false)),
        InstKind::Bin { op: BinOp::Add, a, b, .. } if b == Val::Reg(reg) => Some((a, false)),
        InstKind::Bin { op: BinOp::Sub, a, b, .. } if a == Val::Reg(reg) => Some((b, true)),
        _ => None,
    }
}

/// Whether the only latch of the loop goes back while `reg` is not zero; `true` if it is compared behind its assignment.
fn until_zero(f: &Function, header: Bb, latches: &[Bb], reg: Reg, assigned: (Bb, usize)) -> Option<bool> {
    let &[latch] = latches else { return None };
    let Term::Branch { cond: Val::Reg(cond), then_bb, else_bb } = f.block(latch).term else { return None };
    if f.is_mutable(cond) || then_bb == else_bb {
        return None;
    }
    let (at, inst) = f.block(latch).insts.iter().enumerate().find(|(_, inst)| inst.kind.def() == Some(cond))?;
    let InstKind::Cmp { op, a, b: Val::Imm(0), .. } = inst.kind else { return None };
    let goes_on = match op {
        CmpOp::Ne => then_bb == header,
        CmpOp::Eq => else_bb == header,
        _ => false,
    };
    // Another block that assigns the register comes before the latch in every iteration.
    (a == Val::Reg(reg) && goes_on).then_some(assigned.0 != latch || assigned.1 < at)
}
