//! Finds the loops of device code that become traces.
//!
//! A loop that only computes and loads, such as a recurrence, a series or the product of a row and a column, is a straight line of
//! blocks from its head back to it, with side exits and one back edge. Its operations become a list of [`Step`]s, which
//! `exec::trace` runs iteration after iteration without the dispatcher. The conditions:
//!
//! - All side exits lead to one block, at which the lanes that left wait for the others, and all on the same side of their
//!   branch. So lanes that leave only make the mask smaller until all have left.
//! - A result is kept in lanes that have left if it is read behind the loop. It is kept in lanes that are elsewhere if it belongs
//!   to a variable, or is read in the iteration that follows a stop at the back edge. Other rows may be overwritten.
//! - The pattern of the lanes of a load is known before the loop; only a part that all lanes share changes between iterations.
//!
//! Results, schedule points and the places where a run may stop are those of the operations one by one.

use crate::code::trace::{ELSEWHERE, LEFT, LOADS, Load, Step, Trace, TraceOp, computing};
use crate::code::{Code, MemOp, Op, Operands, R2, R3, R4, R5, RegFile, Slot, Term, Variant};
use ir::analysis::{Cfg, Liveness, Loops, PostDominators};
use ir::op::CmpOp;
use ir::{Bb, Function, InstKind, Reg, Term as IrTerm, Ty, Val};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// A loop in the IR.
#[derive(Debug)]
pub(crate) struct Candidate {
    /// From the head on.
    pub(crate) blocks: Vec<Bb>,
    pub(crate) exit: Bb,
    pub(crate) takes: bool,
    kept: BTreeSet<Reg>,
    /// Those of them that are read behind the loop.
    live: BTreeSet<Reg>,
}

/// The loops of a function, by head.
pub(crate) fn find(f: &Function, cfg: &Cfg, loops: &Loops, post: &PostDominators) -> BTreeMap<Bb, Candidate> {
    let live = Liveness::new(f, cfg);
    let mut out = BTreeMap::new();
    for of in loops.all() {
        if let Some(candidate) = chain(f, post, &live, of.header, &of.blocks) {
            out.insert(of.header, candidate);
        }
    }
    out
}

/// The loop with that head, if it is a straight line that only computes.
fn chain(f: &Function, post: &PostDominators, live: &Liveness, head: Bb, inside: &[Bb]) -> Option<Candidate> {
    let is_known = |kind: &InstKind| match kind {
        InstKind::Stmt | InstKind::BackEdge | InstKind::Load { .. } => true,
        InstKind::Addr { .. } | InstKind::Special { .. } => false,
        _ => kind.is_pure(),
    };
    let mut blocks = Vec::new();
    let mut leaving: Option<(Bb, bool)> = None;
    let mut at = head;
    loop {
        let block = f.block(at);
        if blocks.contains(&at) || !block.insts.iter().all(|inst| is_known(&inst.kind)) {
            return None;
        }
        blocks.push(at);
        at = match block.term {
            IrTerm::Jump(to) => to,
            IrTerm::Branch { cond: Val::Reg(_), then_bb, else_bb } => {
                let takes = inside.contains(&else_bb);
                if takes == inside.contains(&then_bb) {
                    return None;
                }
                let (next, exit) = if takes { (else_bb, then_bb) } else { (then_bb, else_bb) };
                if post.ipdom(at) != Some(exit) || *leaving.get_or_insert((exit, takes)) != (exit, takes) {
                    return None;
                }
                next
            }
            _ => return None,
        };
        if at == head {
            break;
        }
    }
    let (exit, takes) = leaving?;
    if blocks.len() != inside.len() {
        return None;
    }
    // What is read behind the back edge before it is assigned again.
    let mut before = BTreeSet::new();
    let (mut kept, mut behind) = (BTreeSet::new(), BTreeSet::new());
    let mut edges = 0;
    for &bb in &blocks {
        let block = f.block(bb);
        for inst in &block.insts {
            edges += u32::from(matches!(inst.kind, InstKind::BackEdge));
            let mut look = |v: Val| match v {
                Val::Reg(r) if edges > 0 && before.contains(&r) => {
                    kept.insert(r);
                }
                _ => {}
            };
            inst.kind.each_use(&mut look);
            inst.kind.each_def(|r| {
                if edges == 0 {
                    before.insert(r);
                }
                if live.is_live_in(exit, r) {
                    behind.insert(r);
                }
                if f.is_mutable(r) || live.is_live_in(exit, r) {
                    kept.insert(r);
                }
            });
        }
    }
    (edges == 1).then_some(Candidate { blocks, exit, takes, kept, live: behind })
}

/// What an operation that a trace may take writes and reads of rows; scalars do not count.
fn rows(op: &Op) -> Option<Operands> {
    let two =
        |file: RegFile, r: R3| Operands { writes: (file, r.d), reads: [Some((file, r.a)), Some((file, r.b)), None] };
    let loaded = |file: RegFile, m: MemOp| Operands { writes: (file, m.value), reads: [None; 3] };
    Some(match *op {
        Op::Shl32(r) | Op::ShrU32(r) | Op::ShrS32(r) => two(RegFile::W, r),
        Op::Shl64(r) | Op::ShrU64(r) | Op::ShrS64(r) => two(RegFile::L, r),
        Op::LoadG32(m) | Op::LoadS32(m) => loaded(RegFile::W, m),
        Op::LoadG64(m) | Op::LoadS64(m) => loaded(RegFile::L, m),
        _ => op.operands().filter(|o| o.writes.0 != RegFile::S)?,
    })
}

/// The row that a step makes; `None` if it makes none or more is to be known of it.
fn result(op: &TraceOp) -> Option<(RegFile, Slot)> {
    match *op {
        TraceOp::ShlBy32(r, _) | TraceOp::ShrUBy32(r, _) | TraceOp::ShrSBy32(r, _) => Some((RegFile::W, r.d)),
        TraceOp::ShlBy64(r, _) | TraceOp::ShrUBy64(r, _) | TraceOp::ShrSBy64(r, _) => Some((RegFile::L, r.d)),
        _ => op.operands().map(|o| o.writes).filter(|w| w.0 != RegFile::S),
    }
}

/// The scalar that an operation on scalars makes which a trace may take.
fn scalar_result(op: &Op) -> Option<Slot> {
    match *op {
        Op::ULoad(MemOp { value: d, .. }) => Some(d),
        _ => op.operands().map(|o| o.writes).filter(|w| w.0 == RegFile::S).map(|w| w.1),
    }
}

/// The side exit at a branch. A comparison of integers right before it becomes one with it. A comparison of scalars that
/// serves the branch alone gives its outcome directly and not through the predicates, unless a load is between: there the
/// run may stop, and the outcome would be lost.
fn side_exit(steps: &mut Vec<Step>, p: Slot, holds: bool, serves: bool) -> TraceOp {
    let test = steps.iter().rposition(|step| matches!(step.op, TraceOp::UCmp { r, .. } if r.d == p));
    let bars = |step: &Step| {
        matches!(step.op, TraceOp::LoadRow { .. } | TraceOp::LoadWord { .. } | TraceOp::SideExitTested { .. })
    };
    let last = steps.last().map(|step| &step.op).filter(|_| serves);
    if let Some((op, wide, r)) = last.and_then(ints).filter(|(_, _, r)| r.d == p) {
        steps.pop();
        return TraceOp::SideExitInts { op, wide, a: r.a, b: r.b, holds };
    }
    if let Some(at) = test.filter(|_| serves)
        && !steps[at..].iter().any(bars)
        && let TraceOp::UCmp { op, wide, r } = steps[at].op
    {
        steps[at].op = TraceOp::Test { op, wide, r };
        return TraceOp::SideExitTested { holds };
    }
    TraceOp::SideExit { p, holds }
}

/// A comparison of integers, of 64 bits or not.
fn ints(op: &TraceOp) -> Option<(CmpOp, bool, R3)> {
    Some(match *op {
        TraceOp::EqI32(r) => (CmpOp::Eq, false, r),
        TraceOp::NeI32(r) => (CmpOp::Ne, false, r),
        TraceOp::LtI32(r) => (CmpOp::Lt, false, r),
        TraceOp::LeI32(r) => (CmpOp::Le, false, r),
        TraceOp::GtI32(r) => (CmpOp::Gt, false, r),
        TraceOp::GeI32(r) => (CmpOp::Ge, false, r),
        TraceOp::EqI64(r) => (CmpOp::Eq, true, r),
        TraceOp::NeI64(r) => (CmpOp::Ne, true, r),
        TraceOp::LtI64(r) => (CmpOp::Lt, true, r),
        TraceOp::LeI64(r) => (CmpOp::Le, true, r),
        TraceOp::GtI64(r) => (CmpOp::Gt, true, r),
        TraceOp::GeI64(r) => (CmpOp::Ge, true, r),
        _ => return None,
    })
}

/// A selection. A test for bits that serves it alone becomes one with it, if what it tests is still there.
fn choose(steps: &mut Vec<Step>, op: &TraceOp, r: R4, serves: bool) -> TraceOp {
    let wide = matches!(op, TraceOp::Sel64(_));
    let test = steps.iter().rposition(|step| match step.op {
        TraceOp::NoBits32(t) => !wide && t.d == r.c,
        TraceOp::NoBits64(t) => wide && t.d == r.c,
        _ => false,
    });
    let Some(at) = test.filter(|_| serves) else { return op.clone() };
    let (TraceOp::NoBits32(t) | TraceOp::NoBits64(t)) = steps[at].op else { return op.clone() };
    let file = if wide { RegFile::L } else { RegFile::W };
    let changes =
        |step: &Step| result(&step.op).is_none_or(|d| d == (file, t.a) || d == (file, t.b) || d == (RegFile::P, t.d));
    if steps[at + 1..].iter().any(changes) {
        return op.clone();
    }
    steps.remove(at);
    let r = R5 { d: r.d, a: r.a, b: r.b, x: t.a, y: t.b };
    if wide { TraceOp::ChooseNoBits64(r) } else { TraceOp::ChooseNoBits32(r) }
}

/// A shift by a constant.
fn shift(op: &Op, count: u32) -> Option<TraceOp> {
    Some(match *op {
        Op::Shl32(R3 { d, a, .. }) => TraceOp::ShlBy32(R2 { d, a }, count),
        Op::ShrU32(R3 { d, a, .. }) => TraceOp::ShrUBy32(R2 { d, a }, count),
        Op::ShrS32(R3 { d, a, .. }) => TraceOp::ShrSBy32(R2 { d, a }, count),
        Op::Shl64(R3 { d, a, .. }) => TraceOp::ShlBy64(R2 { d, a }, count),
        Op::ShrU64(R3 { d, a, .. }) => TraceOp::ShrUBy64(R2 { d, a }, count),
        Op::ShrS64(R3 { d, a, .. }) => TraceOp::ShrSBy64(R2 { d, a }, count),
        _ => return None,
    })
}

/// The load at an operation; `None` if the rule of its lanes is not kept up to date outside the loop, or if more than one
/// part of its address is among the scalars that the loop assigns.
fn load(variant: &Variant, pc: u32, m: MemOp, assigned: &BTreeSet<Slot>) -> Option<Load> {
    let expr = &variant.address_exprs[m.expr as usize];
    let narrow = expr.index.as_ref().filter(|index| index.wraps);
    if expr.index.as_ref().is_some_and(|index| !index.kept) || narrow.is_some_and(|index| index.factor <= 0) {
        return None;
    }
    let changes = |term: &&Term| assigned.contains(&term.scalar);
    let mut inner = narrow.into_iter().flat_map(|index| &index.terms).filter(changes);
    let mut outer = expr.terms.iter().filter(changes);
    let still = Term { slot: 0, scalar: 0, narrow: false, factor: 0 };
    let moving = match (inner.next(), outer.next()) {
        (None, None) => still,
        (Some(term), None) => *term,
        (None, Some(term)) => *term,
        (Some(_), Some(_)) => return None,
    };
    (inner.next().is_none() && outer.next().is_none()).then_some(Load { pc, m, moving })
}

impl Candidate {
    /// The loop in the operations of a variant; `ranges` are those of its blocks, `starts` the first operation of each block.
    /// `None` if it has an operation that is not known.
    pub(crate) fn trace(&self, code: &Code, variant: &Variant, ranges: &[Range<usize>], exit: u32) -> Option<Trace> {
        let file = |ty: Ty| [RegFile::P, RegFile::W, RegFile::L][super::select::file_of(ty)];
        let slots = |regs: &BTreeSet<Reg>| -> BTreeSet<(RegFile, Slot)> {
            regs.iter().map(|r| code.slots[r.index()]).map(|(ty, slot)| (file(ty), slot)).collect()
        };
        let (kept, live) = (slots(&self.kept), slots(&self.live));
        let ops: Vec<(u32, &Op)> =
            ranges.iter().flat_map(|range| range.clone().map(|pc| (pc as u32, &variant.ops[pc]))).collect();
        let mut reads: BTreeMap<(RegFile, Slot), u32> = BTreeMap::new();
        for &(_, op) in &ops {
            let branch = if let Op::Branch { p, .. } = *op { Some((RegFile::P, p)) } else { None };
            for row in rows(op).into_iter().flat_map(|rows| rows.reads).flatten().chain(branch) {
                *reads.entry(row).or_default() += 1;
            }
        }
        let assigned: BTreeSet<Slot> = ops.iter().filter_map(|(_, op)| scalar_result(op)).collect();
        let mut loads = Vec::new();
        // Whether a row serves the operation that follows and nothing else.
        let serves = |row: (RegFile, Slot)| !kept.contains(&row) && reads.get(&row) == Some(&1);
        let word = |slot: Slot| code.consts32.iter().find(|c| c.0 == slot).map(|c| c.1);
        let long = |slot: Slot| code.consts64.iter().find(|c| c.0 == slot).map(|c| c.1);
        let mut steps: Vec<Step> = Vec::new();
        for (pc, op) in ops {
            let masked = rows(op).map_or(0, |rows| {
                u8::from(kept.contains(&rows.writes)) * ELSEWHERE | u8::from(live.contains(&rows.writes)) * LEFT
            });
            // What the step before this one can be made one with.
            let last = steps.last().filter(|step| step.masked == 0).map(|step| &step.op);
            let fused = match (last, op) {
                (Some(&TraceOp::And64(t)), &Op::EqI64(r))
                    if t.d == r.a && serves((RegFile::L, t.d)) && long(r.b) == Some(0) =>
                {
                    Some(TraceOp::NoBits64(R3 { d: r.d, ..t }))
                }
                (Some(&TraceOp::And32(t)), &Op::EqI32(r))
                    if t.d == r.a && serves((RegFile::W, t.d)) && word(r.b) == Some(0) =>
                {
                    Some(TraceOp::NoBits32(R3 { d: r.d, ..t }))
                }
                (Some(&TraceOp::MulI64(t)), &Op::AddI64(r))
                    if t.d == r.a && t.d != r.b && serves((RegFile::L, t.d)) =>
                {
                    Some(TraceOp::MadI64(R4 { d: r.d, a: t.a, b: t.b, c: r.b }))
                }
                (Some(&TraceOp::MulI32(t)), &Op::AddI32(r))
                    if t.d == r.a && t.d != r.b && serves((RegFile::W, t.d)) =>
                {
                    Some(TraceOp::MadI32(R4 { d: r.d, a: t.a, b: t.b, c: r.b }))
                }
                _ => None,
            };
            if let Some(op) = fused {
                steps.pop();
                steps.push(Step { op, masked });
                continue;
            }
            let step = match op {
                Op::Nop | Op::Reconverge | Op::Jump { .. } | Op::Stmt | Op::Trace { .. } => continue,
                &Op::Branch { p, .. } => side_exit(&mut steps, p, self.takes, serves((RegFile::P, p))),
                &Op::ULoad(m) => {
                    loads.push(load(variant, pc, m, &assigned)?);
                    TraceOp::LoadWord { number: loads.len() as u32 - 1 }
                }
                &(Op::LoadG32(m) | Op::LoadG64(m) | Op::LoadS32(m) | Op::LoadS64(m)) => {
                    loads.push(load(variant, pc, m, &assigned)?);
                    let wide = matches!(op, Op::LoadG64(_) | Op::LoadS64(_));
                    let shared = matches!(op, Op::LoadS32(_) | Op::LoadS64(_));
                    TraceOp::LoadRow { number: loads.len() as u32 - 1, wide, shared }
                }
                &(Op::Shl32(r) | Op::ShrU32(r) | Op::ShrS32(r)) => shift(op, word(r.b).filter(|&n| n < 32)?)?,
                &(Op::Shl64(r) | Op::ShrU64(r) | Op::ShrS64(r)) => shift(op, long(r.b).filter(|&n| n < 64)? as u32)?,
                &Op::Sel32(r) => choose(&mut steps, &TraceOp::Sel32(r), r, serves((RegFile::P, r.c))),
                &Op::Sel64(r) => choose(&mut steps, &TraceOp::Sel64(r), r, serves((RegFile::P, r.c))),
                Op::BackEdge => TraceOp::BackEdge,
                &Op::UCmp { op, wide, r } => TraceOp::UCmp { op, wide, r },
                _ => computing(op)?,
            };
            steps.push(Step { op: step, masked });
        }
        (loads.len() <= LOADS).then_some(Trace { steps, loads, exit, takes: self.takes })
    }
}
