//! Induction variables of loops: registers to which each iteration adds the same amount.

use super::form::Form;
use crate::analysis::{Dominators, Loop, LoopId, Loops};
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
    /// How long the loop goes on, if its only latch compares the register.
    pub(super) test: Option<LatchTest>,
}

/// The test at the only latch of a loop, which compares an induction variable.
#[derive(Clone, Copy, Debug)]
pub(super) struct LatchTest {
    /// The loop goes on where the register is in this relation to the bound.
    op: CmpOp,
    pub(super) bound: Val,
    /// Whether it is compared after the step.
    is_late: bool,
}

impl LatchTest {
    /// How far a register that begins with `first` is from the bound in the first iteration. That falls by the size of the step with each
    /// iteration, and is not negative in any but the first. `None` if the register moves away from the bound, or may step over it.
    pub(super) fn room(self, first: &Form, step: i128, bound: &Form) -> Option<Form> {
        let (towards, least) = match self.op {
            CmpOp::Lt => (1, 1),
            CmpOp::Le => (1, 0),
            CmpOp::Gt => (-1, 1),
            CmpOp::Ge => (-1, 0),
            CmpOp::Ne if step.abs() == 1 => (step, 1),
            CmpOp::Ne | CmpOp::Eq | CmpOp::LtU | CmpOp::GeU => return None,
        };
        let early = if self.is_late { 0 } else { step.abs() };
        let ahead = bound.plus(first, -1)?.times(towards)?.offset(early - least);
        ahead.filter(|_| step.signum() == towards)
    }
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
            let test = latch_test(f, of, reg, (bb, at));
            Some(InductionVariable { reg, place: (bb, at), step, is_falling, test })
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

/// The test of `reg` by which the only latch of the loop goes back, or leaves it.
fn latch_test(f: &Function, of: &Loop, reg: Reg, assigned: (Bb, usize)) -> Option<LatchTest> {
    let &[latch] = &of.latches[..] else { return None };
    let Term::Branch { cond: Val::Reg(cond), then_bb, else_bb } = f.block(latch).term else { return None };
    let goes_on = then_bb == of.header;
    if f.is_mutable(cond) || of.blocks.contains(if goes_on { &else_bb } else { &then_bb }) {
        return None;
    }
    let (at, inst) = f.block(latch).insts.iter().enumerate().find(|(_, inst)| inst.kind.def() == Some(cond))?;
    let InstKind::Cmp { op, a, b, .. } = inst.kind else { return None };
    let (op, bound) = match Val::Reg(reg) {
        reg if reg == a => (op, b),
        reg if reg == b => (op.mirrored()?, a),
        _ => return None,
    };
    let op = if goes_on { op } else { op.inverse() };
    // Another block that assigns the register comes before the latch in every iteration.
    Some(LatchTest { op, bound, is_late: assigned.0 != latch || assigned.1 < at })
}
