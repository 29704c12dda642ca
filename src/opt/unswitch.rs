//! Loop unswitching: a loop in which a branch goes one way in all iterations becomes two, and what decides it is looked at once
//! before them.
//!
//! *Checks.* A branch to code that ends the thread (a subscript out of bounds, an array that is not allocated, STOP) is gone in
//! one of the two loops, which is for the case that no check of an iteration fails; the other loop is as it was, and raises the
//! error where it belongs. That holds for a condition that the loop does not change, and for a subscript that grows by a constant
//! in each iteration: if the first and the last one are within the bounds, so are all between them.
//!
//! *Other branches.* The condition must not change in the loop, and must be the same for all threads of a warp that are there
//! together. Each loop has one of the two ways.
//!
//! Only innermost loops without synchronisations change, nor on the device those with calls. Accesses and schedule points of a thread keep
//! their order. The threads of a warp part before a loop where some would fail a check if all iterations came to it, and others not.
//!
//! (Muchnick, "Advanced Compiler Design and Implementation", 18.1, 18.4; Bodik, Gupta and Sarkar, "ABCD", PLDI 2000, has checks
//! that need no test at all.)

use crate::loops::copier::Copier;
use crate::loops::shape::Shape;
use crate::loops::{depth_inside, each_loop, redirect, temporary};
use ir::analysis::{BitSet, Cfg, UniformLevel, UniformOptions, uniform};
use ir::op::{BinOp, CmpOp, CvtOp, UnOp};
use ir::rt::Rt;
use ir::{Bb, BlockData, FuncKind, Function, Inst, InstKind, Reg, Term, Ty, Val};
use source::Span;

/// A loop of more instructions is left as it is.
const MAX_SIZE: usize = 256;
/// Most sums that are followed from a subscript to the register that the loop counts with.
const MAX_SUMS: usize = 4;
/// The largest constant by which such a register grows.
const MAX_STEP: u64 = 1 << 30;
/// The most iterations, and the largest 64-bit value of a register that a loop counts with: the last value is then far from
/// the largest one that there is.
const MAX_COUNT: u64 = 1 << 32;

/// Runs the pass over a function; for branches that are no checks only if `with_others`.
pub(crate) fn run(f: &mut Function, with_others: bool) {
    each_loop(
        f,
        |loops, id| depth_inside(loops, id) == 0,
        |f, shape| {
            // A function may synchronise, and its calls must not part either.
            let may_meet = shape.has_collective || (f.kind != FuncKind::Host && calls(f, shape));
            if may_meet || shape.size > MAX_SIZE || shape.iterations().is_some_and(|n| n <= 2) {
                return None;
            }
            let done = without_checks(f, shape);
            if with_others { done.or_else(|| by_condition(f, shape)) } else { done }
        },
    );
}

/// Whether the loop calls functions; services are no functions.
fn calls(f: &Function, shape: &Shape) -> bool {
    let is_call = |bb: &Bb| f.block(*bb).insts.iter().any(|i| matches!(i.kind, InstKind::Call { .. }));
    shape.natural.blocks.iter().any(is_call)
}

/// What must hold before a loop, so that a check fails in no iteration.
enum Condition {
    /// A predicate has that value.
    Is(Reg, bool),
    /// A subscript stays in its range.
    Range(Range),
}

/// A value that the loop computes from a register that it counts with, and that must be below a limit, as unsigned numbers.
struct Range {
    /// The register that the loop counts with.
    counted: Reg,
    /// What each iteration adds to it.
    step: i64,
    /// What is added to it in 32 bits, in this order, before it is widened.
    narrow: Vec<Val>,
    /// What is added in 64 bits.
    wide: Vec<Val>,
    limit: Val,
}

/// Makes a copy of the loop without the checks that can be looked at before it.
fn without_checks(f: &mut Function, shape: &Shape) -> Option<()> {
    let changes = changes(f, shape);
    let is_counted = shape.iterations().is_some() || shape.counts_down();
    let mut conditions = Vec::new();
    let mut ways = Vec::new();
    for &bb in &shape.natural.blocks {
        let Term::Branch { cond: Val::Reg(cond), then_bb, else_bb } = f.block(bb).term else { continue };
        let (way, value) = match (ends(f, then_bb), ends(f, else_bb)) {
            (true, false) => (else_bb, false),
            (false, true) => (then_bb, true),
            _ => continue,
        };
        if shape.natural.blocks.binary_search(&way).is_err() {
            continue;
        }
        let condition = if !changes.contains(cond.index()) {
            Some(Condition::Is(cond, value))
        } else if is_counted {
            Range::of(f, shape, &changes, cond, value).map(Condition::Range)
        } else {
            None
        };
        if let Some(condition) = condition {
            conditions.push(condition);
            ways.push((bb, way));
        }
    }
    let mut before = Before { span: f.block(shape.natural.header).term_span, f, insts: Vec::new() };
    let all = before.all(shape, &conditions)?;
    let insts = before.insts;
    let copier = Copier::new(f, &shape.natural);
    let start = copier.copy(f);
    for (bb, way) in ways {
        f.blocks[copier.place(start, bb).index()].term = Term::Jump(copier.place(start, way));
    }
    choose(f, shape, insts, all, start);
    Some(())
}

/// Makes a copy of the loop for one value of a condition that it does not change, and the loop itself for the other one.
fn by_condition(f: &mut Function, shape: &Shape) -> Option<()> {
    let changes = changes(f, shape);
    let is_inside = |bb: Bb| shape.natural.blocks.binary_search(&bb).is_ok();
    let candidates = shape.natural.blocks.iter().filter_map(|&bb| match f.block(bb).term {
        Term::Branch { cond: Val::Reg(cond), then_bb, else_bb }
            if then_bb != else_bb && is_inside(then_bb) && is_inside(else_bb) && !changes.contains(cond.index()) =>
        {
            Some((bb, cond, then_bb, else_bb))
        }
        _ => None,
    });
    let candidates: Vec<_> = candidates.collect();
    if candidates.is_empty() {
        return None;
    }
    let cfg = Cfg::new(f);
    let options = UniformOptions { level: UniformLevel::Warp, params: &[], keep_variables: false };
    let same = (f.kind != FuncKind::Host).then(|| uniform(f, &cfg, options));
    let is_same = |cond: Reg| same.as_ref().is_none_or(|same| same.contains(cond.index()));
    let &(bb, cond, then_bb, else_bb) = candidates.iter().find(|(_, cond, ..)| is_same(*cond))?;
    let copier = Copier::new(f, &shape.natural);
    let start = copier.copy(f);
    f.blocks[copier.place(start, bb).index()].term = Term::Jump(copier.place(start, then_bb));
    f.blocks[bb.index()].term = Term::Jump(else_bb);
    choose(f, shape, Vec::new(), cond.into(), start);
    Some(())
}

/// Puts a block before the loop that goes to `start` if `cond` holds, else to the loop.
fn choose(f: &mut Function, shape: &Shape, insts: Vec<Inst>, cond: Val, start: Bb) {
    let term_span = f.block(shape.natural.header).term_span;
    let term = Term::Branch { cond, then_bb: start, else_bb: shape.natural.header };
    let block = Bb(f.blocks.len() as u32);
    redirect(f, shape, block);
    f.blocks.push(BlockData::new(insts, term, term_span));
}

/// The registers that the loop assigns.
fn changes(f: &Function, shape: &Shape) -> BitSet {
    let mut changes = BitSet::new(f.regs.len());
    for &bb in &shape.natural.blocks {
        for inst in &f.block(bb).insts {
            inst.kind.each_def(|r| {
                changes.insert(r.index());
            });
        }
    }
    changes
}

/// Whether a block ends the thread and does nothing else.
fn ends(f: &Function, bb: Bb) -> bool {
    let is_end = |kind: &InstKind| match kind {
        InstKind::Rt { rt, .. } => {
            matches!(rt, Rt::Stop | Rt::ErrorBounds | Rt::ErrorShape | Rt::ErrorAllocated | Rt::ErrorAlreadyAllocated)
        }
        _ => false,
    };
    let insts = &f.block(bb).insts;
    insts.iter().any(|i| is_end(&i.kind)) && insts.iter().all(|i| i.kind.is_pure() || is_end(&i.kind))
}

impl Range {
    /// The range that a check demands whose condition is computed in the loop, and that passes where that is `passes`.
    fn of(f: &Function, shape: &Shape, changes: &BitSet, cond: Reg, passes: bool) -> Option<Range> {
        let is_fixed = |v: Val| matches!(v, Val::Imm(_)) || matches!(v, Val::Reg(r) if !changes.contains(r.index()));
        // Where a temporary of the loop is computed.
        let definition = |reg: Reg| {
            let found = |&bb: &Bb| Some((bb, f.block(bb).insts.iter().position(|i| i.kind.def() == Some(reg))?));
            let (bb, at) = shape.natural.blocks.iter().find_map(found).filter(|_| !f.is_mutable(reg))?;
            Some((&f.block(bb).insts[at].kind, (bb, at)))
        };
        let (&InstKind::Cmp { op, ty: Ty::I64, a: Val::Reg(mut value), b: limit, .. }, _) = definition(cond)? else {
            return None;
        };
        if !matches!((op, passes), (CmpOp::GeU, false) | (CmpOp::LtU, true)) || !is_fixed(limit) {
            return None;
        }
        let (mut narrow, mut wide) = (Vec::new(), Vec::new());
        let mut is_narrow = false;
        while narrow.len() + wide.len() <= MAX_SUMS {
            let (kind, (bb, at)) = definition(value)?;
            let next = match *kind {
                InstKind::Bin { op: BinOp::Add, ty: Ty::I64, a: Val::Reg(a), b, .. } if !is_narrow && is_fixed(b) => {
                    wide.push(b);
                    a
                }
                InstKind::Bin { op: BinOp::Add, ty: Ty::I64, a, b: Val::Reg(b), .. } if !is_narrow && is_fixed(a) => {
                    wide.push(a);
                    b
                }
                InstKind::Bin { op: BinOp::Add, ty: Ty::I32, a: Val::Reg(a), b, .. } if is_narrow && is_fixed(b) => {
                    narrow.push(b);
                    a
                }
                InstKind::Bin { op: BinOp::Add, ty: Ty::I32, a, b: Val::Reg(b), .. } if is_narrow && is_fixed(a) => {
                    narrow.push(a);
                    b
                }
                InstKind::Cvt { op: CvtOp::Cast, from: Ty::I32, to: Ty::I64, a: Val::Reg(a), .. } if !is_narrow => {
                    is_narrow = true;
                    a
                }
                _ => return None,
            };
            if let Some(induction) = shape.inductions.get(&next) {
                let (block, update) = induction.update;
                let is_before = !induction.behind.contains(&bb) && (bb != block || at < update);
                let fits = f.ty(next) == if is_narrow { Ty::I32 } else { Ty::I64 };
                // Outermost sums were found first.
                narrow.reverse();
                return (is_before && fits && induction.step.unsigned_abs() <= MAX_STEP).then_some(Range {
                    counted: next,
                    step: induction.step,
                    narrow,
                    wide,
                    limit,
                });
            }
            value = next;
        }
        None
    }
}

/// The code that is put before a loop.
struct Before<'a> {
    f: &'a mut Function,
    span: Span,
    insts: Vec<Inst>,
}

impl Before<'_> {
    fn put(&mut self, ty: Ty, kind: impl FnOnce(Reg) -> InstKind) -> Val {
        let dst = temporary(self.f, ty);
        self.insts.push(Inst::new(kind(dst), self.span));
        dst.into()
    }

    fn add(&mut self, a: Val, b: Val) -> Val {
        self.put(Ty::I64, |dst| InstKind::Bin { op: BinOp::Add, ty: Ty::I64, dst, a, b })
    }

    /// A 32-bit value in 64 bits; one of 64 bits as it is.
    fn widened(&mut self, from: Ty, a: Val, op: CvtOp) -> Val {
        match (from, a) {
            (Ty::I64, _) => a,
            _ => self.put(Ty::I64, |dst| InstKind::Cvt { op, from, to: Ty::I64, dst, a }),
        }
    }

    /// Whether `a < b`, as unsigned numbers.
    fn below(&mut self, a: Val, b: Val) -> Val {
        self.put(Ty::Pred, |dst| InstKind::Cmp { op: CmpOp::LtU, ty: Ty::I64, dst, a, b })
    }

    /// Whether `-reach <= a < reach`.
    fn within(&mut self, a: Val, reach: u64) -> Val {
        let moved = self.add(a, Val::Imm(reach));
        self.below(moved, Val::Imm(2 * reach))
    }

    /// A predicate that holds if all conditions do; `None` if there are none, or one is a range and the loop counts nothing.
    fn all(&mut self, shape: &Shape, conditions: &[Condition]) -> Option<Val> {
        let mut parts = Vec::new();
        let mut count = None;
        for condition in conditions {
            match condition {
                &Condition::Is(reg, true) => parts.push(reg.into()),
                &Condition::Is(reg, false) => {
                    let a = reg.into();
                    parts.push(self.put(Ty::Pred, |dst| InstKind::Un { op: UnOp::Not, ty: Ty::Pred, dst, a }));
                }
                Condition::Range(range) => {
                    let count = match count {
                        Some(count) => count,
                        None => *count.insert(self.count(shape, &mut parts)?),
                    };
                    self.range(range, count, &mut parts);
                }
            }
        }
        parts
            .into_iter()
            .reduce(|a, b| self.put(Ty::Pred, |dst| InstKind::Bin { op: BinOp::And, ty: Ty::Pred, dst, a, b }))
    }

    /// How many iterations follow the first one at most, in 64 bits.
    fn count(&mut self, shape: &Shape, parts: &mut Vec<Val>) -> Option<Val> {
        if let Some(iterations) = shape.iterations() {
            return Some(Val::Imm(iterations as u64 - 1));
        }
        let counter = shape.counter.filter(|_| shape.counts_down())?;
        let count = self.widened(counter.ty, counter.reg.into(), CvtOp::CastU);
        parts.push(self.below(count, Val::Imm(MAX_COUNT)));
        Some(count)
    }

    /// What must hold for a subscript to stay in its range.
    fn range(&mut self, range: &Range, count: Val, parts: &mut Vec<Val>) {
        let ty = self.f.ty(range.counted);
        let step = Val::i64(range.step);
        let way = self.put(Ty::I64, |dst| InstKind::Bin { op: BinOp::Mul, ty: Ty::I64, dst, a: count, b: step });
        let mut first = self.widened(ty, range.counted.into(), CvtOp::Cast);
        let mut last = self.add(first, way);
        if ty == Ty::I64 {
            parts.push(self.within(first, MAX_COUNT));
        } else {
            parts.push(self.within(last, 1 << 31));
        }
        for &term in &range.narrow {
            let term = match term {
                Val::Imm(c) => Val::i64(scalar::bits::signed(Ty::I32, c)),
                Val::Reg(_) => self.widened(Ty::I32, term, CvtOp::Cast),
            };
            (first, last) = (self.add(first, term), self.add(last, term));
            parts.push(self.within(first, 1 << 31));
            parts.push(self.within(last, 1 << 31));
        }
        for &term in &range.wide {
            (first, last) = (self.add(first, term), self.add(last, term));
        }
        // Both ends are below a limit that is no negative number, and less than 2^63 apart: so is all between them.
        parts.push(self.below(first, range.limit));
        parts.push(self.below(last, range.limit));
        let (a, b) = (range.limit, Val::Imm(1 << 63));
        parts.push(self.below(a, b));
    }
}
