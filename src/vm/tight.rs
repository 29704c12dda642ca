//! Loops of device code that only compute and load.
//!
//! Chains, iterations, series and products of rows and columns run in loops whose rounds write no memory and ask for nothing:
//! each is a straight line of blocks from the loop's head back to it, with branches that lead out and one back edge. Such a
//! loop is found here, and its operations are put into a list of [`Step`]s, which `whirl` runs round after round without the
//! dispatcher. What counts:
//!
//! - All branches that lead out lead to one block, at which the lanes that left wait for the others, and all on the same
//!   side. So lanes that leave are nothing but a smaller mask until all have left.
//! - A result of lanes that have left has to stay if it is read behind the loop; one of lanes that are elsewhere also if it is a
//!   variable's, or is read in the round that follows a stop at the back edge. All else may be overwritten.
//!
//! - The lanes of a load are known by a rule from before the loop on; only what all of them share changes from round to round.
//!
//! Results, schedule points and the places where a run may stop are those of the operations one by one.

use crate::code::{Code, MemOp, Op, R2, R3, R4, R5, Slot, Term, Way};
use ir::analysis::{Cfg, Liveness, Loops, PostDominators};
use ir::op::CmpOp;
use ir::{Bb, Function, InstKind, Reg, Term as IrTerm, Ty, Val};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// A loop in a way's operations.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Tight {
    /// A round.
    pub(crate) steps: Vec<Step>,
    /// What a round loads, in order; [`LOADS`] at most.
    pub(crate) loads: Vec<Load>,
    /// Where lanes that leave wait.
    pub(crate) exit: u32,
    /// Whether the lanes that leave are those that take the branch.
    pub(crate) takes: bool,
}

/// A load of a round.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Load {
    /// The operation.
    pub(crate) pc: u32,
    pub(crate) m: MemOp,
    /// The only part of its address that changes from round to round; its factor is 0 if none does.
    pub(crate) moving: Term,
}

/// How many loads a round has at most.
pub(crate) const LOADS: usize = 8;

/// A part of a round.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Step {
    pub(crate) op: Op,
    /// Lanes in which its row is not to be touched: [`ELSEWHERE`], [`LEFT`], none or both.
    pub(crate) spares: u8,
}

/// Lanes that are not in the loop when it begins.
pub(crate) const ELSEWHERE: u8 = 1;
/// Lanes that have left it.
pub(crate) const LEFT: u8 = 2;

/// A loop in the IR.
#[derive(Debug)]
pub(crate) struct Candidate {
    /// From the head on.
    pub(crate) blocks: Vec<Bb>,
    pub(crate) exit: Bb,
    takes: bool,
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

/// The rows of an operation that only computes: file and slot of what it makes, and of what it takes.
struct Rows {
    d: (usize, Slot),
    takes: [Option<(usize, Slot)>; 3],
}

fn rows(op: &Op) -> Option<Rows> {
    let one = |file: usize, from: usize, r: R2| Rows { d: (file, r.d), takes: [Some((from, r.a)), None, None] };
    let two =
        |file: usize, from: usize, r: R3| Rows { d: (file, r.d), takes: [Some((from, r.a)), Some((from, r.b)), None] };
    let three = |file: usize, r: R4, c: usize| Rows {
        d: (file, r.d),
        takes: [Some((file, r.a)), Some((file, r.b)), Some((c, r.c))],
    };
    Some(match *op {
        Op::MovP(r) | Op::NotP(r) => one(0, 0, r),
        Op::AndP(r) | Op::OrP(r) | Op::XorP(r) => two(0, 0, r),
        Op::SelP(r) => three(0, r, 0),
        Op::Mov32(r) | Op::NegF32(r) | Op::AbsF32(r) | Op::SqrtF32(r) | Op::I32ToF32(r) | Op::F32ToI32(r) => {
            one(1, 1, r)
        }
        Op::AddI32(r)
        | Op::SubI32(r)
        | Op::MulI32(r)
        | Op::And32(r)
        | Op::Or32(r)
        | Op::Xor32(r)
        | Op::MinI32(r)
        | Op::MaxI32(r)
        | Op::Shl32(r)
        | Op::ShrU32(r)
        | Op::ShrS32(r)
        | Op::AddF32(r)
        | Op::SubF32(r)
        | Op::MulF32(r)
        | Op::DivF32(r)
        | Op::MinF32(r)
        | Op::MaxF32(r) => two(1, 1, r),
        Op::FmaF32(r) | Op::MadI32(r) => three(1, r, 1),
        Op::Sel32(r) => three(1, r, 0),
        Op::Mov64(r) | Op::NegF64(r) | Op::AbsF64(r) | Op::SqrtF64(r) | Op::I64ToF64(r) => one(2, 2, r),
        Op::AddI64(r)
        | Op::SubI64(r)
        | Op::MulI64(r)
        | Op::And64(r)
        | Op::Or64(r)
        | Op::Xor64(r)
        | Op::MinI64(r)
        | Op::MaxI64(r)
        | Op::Shl64(r)
        | Op::ShrU64(r)
        | Op::ShrS64(r)
        | Op::AddF64(r)
        | Op::SubF64(r)
        | Op::MulF64(r)
        | Op::DivF64(r)
        | Op::MinF64(r)
        | Op::MaxF64(r) => two(2, 2, r),
        Op::FmaF64(r) | Op::MadI64(r) => three(2, r, 2),
        Op::Sel64(r) => three(2, r, 0),
        Op::EqI32(r)
        | Op::NeI32(r)
        | Op::LtI32(r)
        | Op::LeI32(r)
        | Op::GtI32(r)
        | Op::GeI32(r)
        | Op::LtU32(r)
        | Op::GeU32(r)
        | Op::EqF32(r)
        | Op::NeF32(r)
        | Op::LtF32(r)
        | Op::LeF32(r)
        | Op::GtF32(r)
        | Op::GeF32(r) => two(0, 1, r),
        Op::EqI64(r)
        | Op::NeI64(r)
        | Op::LtI64(r)
        | Op::LeI64(r)
        | Op::GtI64(r)
        | Op::GeI64(r)
        | Op::LtU64(r)
        | Op::GeU64(r)
        | Op::EqF64(r)
        | Op::NeF64(r)
        | Op::LtF64(r)
        | Op::LeF64(r)
        | Op::GtF64(r)
        | Op::GeF64(r) => two(0, 2, r),
        Op::I32ToI64(r) | Op::I32ToF64(r) | Op::F32ToF64(r) => one(2, 1, r),
        Op::I64ToI32(r) | Op::F64ToF32(r) | Op::F64ToI32(r) => one(1, 2, r),
        Op::Splat32(R2 { d, .. }) | Op::LoadG32(MemOp { value: d, .. }) | Op::LoadS32(MemOp { value: d, .. }) => {
            Rows { d: (1, d), takes: [None; 3] }
        }
        Op::Splat64(R2 { d, .. }) | Op::LoadG64(MemOp { value: d, .. }) | Op::LoadS64(MemOp { value: d, .. }) => {
            Rows { d: (2, d), takes: [None; 3] }
        }
        _ => return None,
    })
}

/// File and slot of the row that a step makes; `None` if it makes none or more is to be known of it.
fn result(op: &Op) -> Option<(usize, Slot)> {
    match *op {
        Op::ShlBy32(r, _) | Op::ShrUBy32(r, _) | Op::ShrSBy32(r, _) => Some((1, r.d)),
        Op::ShlBy64(r, _) | Op::ShrUBy64(r, _) | Op::ShrSBy64(r, _) => Some((2, r.d)),
        _ => rows(op).map(|rows| rows.d),
    }
}

/// The scalar that an operation on scalars makes which `whirl` knows.
fn scalar_result(op: &Op) -> Option<Slot> {
    match *op {
        Op::UMov(R2 { d, .. })
        | Op::UI32ToI64(R2 { d, .. })
        | Op::UAddI32(R3 { d, .. })
        | Op::USubI32(R3 { d, .. })
        | Op::UMulI32(R3 { d, .. })
        | Op::UAddI64(R3 { d, .. })
        | Op::USubI64(R3 { d, .. })
        | Op::UMulI64(R3 { d, .. })
        | Op::ULoad(MemOp { value: d, .. }) => Some(d),
        _ => None,
    }
}

/// The end of a round at a branch. A comparison of integers right before it becomes one with it. One of scalars that serves the branch alone says how it comes out without a
/// detour by the predicates, unless a load is between: there the run may stop, and would not know.
fn leave(steps: &mut Vec<Step>, p: Slot, holds: bool, serves: bool) -> Op {
    let test = steps.iter().rposition(|step| matches!(step.op, Op::UCmp { r, .. } if r.d == p));
    let bars = |step: &Step| matches!(step.op, Op::LoadRow { .. } | Op::LoadWord { .. } | Op::LeaveTested { .. });
    let last = steps.last().map(|step| &step.op).filter(|_| serves);
    if let Some((op, wide, r)) = last.and_then(ints).filter(|(_, _, r)| r.d == p) {
        steps.pop();
        return Op::LeaveInts { op, wide, a: r.a, b: r.b, holds };
    }
    if let Some(at) = test.filter(|_| serves)
        && !steps[at..].iter().any(bars)
        && let Op::UCmp { op, wide, r } = steps[at].op
    {
        steps[at].op = Op::Test { op, wide, r };
        return Op::LeaveTested { holds };
    }
    Op::Leave { p, holds }
}

/// A comparison of integers, of 64 bits or not.
fn ints(op: &Op) -> Option<(CmpOp, bool, R3)> {
    Some(match *op {
        Op::EqI32(r) => (CmpOp::Eq, false, r),
        Op::NeI32(r) => (CmpOp::Ne, false, r),
        Op::LtI32(r) => (CmpOp::Lt, false, r),
        Op::LeI32(r) => (CmpOp::Le, false, r),
        Op::GtI32(r) => (CmpOp::Gt, false, r),
        Op::GeI32(r) => (CmpOp::Ge, false, r),
        Op::EqI64(r) => (CmpOp::Eq, true, r),
        Op::NeI64(r) => (CmpOp::Ne, true, r),
        Op::LtI64(r) => (CmpOp::Lt, true, r),
        Op::LeI64(r) => (CmpOp::Le, true, r),
        Op::GtI64(r) => (CmpOp::Gt, true, r),
        Op::GeI64(r) => (CmpOp::Ge, true, r),
        _ => return None,
    })
}

/// A selection. A test for bits that serves it alone becomes one with it, if what it tests is still there.
fn choose(steps: &mut Vec<Step>, op: &Op, r: R4, serves: bool) -> Op {
    let wide = matches!(op, Op::Sel64(_));
    let test = steps.iter().rposition(|step| match step.op {
        Op::NoBits32(t) => !wide && t.d == r.c,
        Op::NoBits64(t) => wide && t.d == r.c,
        _ => false,
    });
    let Some(at) = test.filter(|_| serves) else { return op.clone() };
    let (Op::NoBits32(t) | Op::NoBits64(t)) = steps[at].op else { return op.clone() };
    let file = if wide { 2 } else { 1 };
    let changes = |step: &Step| result(&step.op).is_none_or(|d| d == (file, t.a) || d == (file, t.b) || d == (0, t.d));
    if steps[at + 1..].iter().any(changes) {
        return op.clone();
    }
    steps.remove(at);
    let r = R5 { d: r.d, a: r.a, b: r.b, x: t.a, y: t.b };
    if wide { Op::ChooseNoBits64(r) } else { Op::ChooseNoBits32(r) }
}

/// A shift by a constant.
fn shift(op: &Op, count: u32) -> Option<Op> {
    Some(match *op {
        Op::Shl32(R3 { d, a, .. }) => Op::ShlBy32(R2 { d, a }, count),
        Op::ShrU32(R3 { d, a, .. }) => Op::ShrUBy32(R2 { d, a }, count),
        Op::ShrS32(R3 { d, a, .. }) => Op::ShrSBy32(R2 { d, a }, count),
        Op::Shl64(R3 { d, a, .. }) => Op::ShlBy64(R2 { d, a }, count),
        Op::ShrU64(R3 { d, a, .. }) => Op::ShrUBy64(R2 { d, a }, count),
        Op::ShrS64(R3 { d, a, .. }) => Op::ShrSBy64(R2 { d, a }, count),
        _ => return None,
    })
}

/// The load at an operation; `None` if the rule of its lanes is not kept up to date outside the loop, or if more than one
/// part of its address is among the scalars that the loop assigns.
fn load(way: &Way, pc: u32, m: MemOp, assigned: &BTreeSet<Slot>) -> Option<Load> {
    let form = &way.forms[m.form as usize];
    let narrow = form.index.as_ref().filter(|index| index.wraps);
    if form.index.as_ref().is_some_and(|index| !index.kept) || narrow.is_some_and(|index| index.factor <= 0) {
        return None;
    }
    let changes = |term: &&Term| assigned.contains(&term.scalar);
    let mut inner = narrow.into_iter().flat_map(|index| &index.terms).filter(changes);
    let mut outer = form.terms.iter().filter(changes);
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
    /// The loop in the operations of a way; `ranges` are those of its blocks, `starts` the first operation of each block.
    /// `None` if it has an operation that is not known.
    pub(crate) fn tight(&self, code: &Code, way: &Way, ranges: &[Range<usize>], exit: u32) -> Option<Tight> {
        let file = |ty: Ty| crate::select::file_of(ty);
        let slots = |regs: &BTreeSet<Reg>| -> BTreeSet<(usize, Slot)> {
            regs.iter().map(|r| code.slots[r.index()]).map(|(ty, slot)| (file(ty), slot)).collect()
        };
        let (kept, live) = (slots(&self.kept), slots(&self.live));
        let ops: Vec<(u32, &Op)> =
            ranges.iter().flat_map(|range| range.clone().map(|pc| (pc as u32, &way.ops[pc]))).collect();
        let mut reads: BTreeMap<(usize, Slot), u32> = BTreeMap::new();
        for &(_, op) in &ops {
            let branch = if let Op::Branch { p, .. } = *op { Some((0, p)) } else { None };
            for row in rows(op).into_iter().flat_map(|rows| rows.takes).flatten().chain(branch) {
                *reads.entry(row).or_default() += 1;
            }
        }
        let assigned: BTreeSet<Slot> = ops.iter().filter_map(|(_, op)| scalar_result(op)).collect();
        let mut loads = Vec::new();
        // Whether a row serves the operation that follows and nothing else.
        let serves = |row: (usize, Slot)| !kept.contains(&row) && reads.get(&row) == Some(&1);
        let word = |slot: Slot| code.consts32.iter().find(|c| c.0 == slot).map(|c| c.1);
        let long = |slot: Slot| code.consts64.iter().find(|c| c.0 == slot).map(|c| c.1);
        let mut steps: Vec<Step> = Vec::new();
        for (pc, op) in ops {
            let spares = rows(op).map_or(0, |rows| {
                u8::from(kept.contains(&rows.d)) * ELSEWHERE | u8::from(live.contains(&rows.d)) * LEFT
            });
            // What the step before this one can be made one with.
            let last = steps.last().filter(|step| step.spares == 0).map(|step| &step.op);
            let fused = match (last, op) {
                (Some(&Op::And64(t)), &Op::EqI64(r)) if t.d == r.a && serves((2, t.d)) && long(r.b) == Some(0) => {
                    Some(Op::NoBits64(R3 { d: r.d, ..t }))
                }
                (Some(&Op::And32(t)), &Op::EqI32(r)) if t.d == r.a && serves((1, t.d)) && word(r.b) == Some(0) => {
                    Some(Op::NoBits32(R3 { d: r.d, ..t }))
                }
                (Some(&Op::MulI64(t)), &Op::AddI64(r)) if t.d == r.a && t.d != r.b && serves((2, t.d)) => {
                    Some(Op::MadI64(R4 { d: r.d, a: t.a, b: t.b, c: r.b }))
                }
                (Some(&Op::MulI32(t)), &Op::AddI32(r)) if t.d == r.a && t.d != r.b && serves((1, t.d)) => {
                    Some(Op::MadI32(R4 { d: r.d, a: t.a, b: t.b, c: r.b }))
                }
                _ => None,
            };
            if let Some(op) = fused {
                steps.pop();
                steps.push(Step { op, spares });
                continue;
            }
            let step = match op {
                Op::Nop | Op::Join | Op::Jump { .. } | Op::Stmt | Op::Tight { .. } => continue,
                &Op::Branch { p, .. } => leave(&mut steps, p, self.takes, serves((0, p))),
                &Op::ULoad(m) => {
                    loads.push(load(way, pc, m, &assigned)?);
                    Op::LoadWord { number: loads.len() as u32 - 1 }
                }
                &(Op::LoadG32(m) | Op::LoadG64(m) | Op::LoadS32(m) | Op::LoadS64(m)) => {
                    loads.push(load(way, pc, m, &assigned)?);
                    let wide = matches!(op, Op::LoadG64(_) | Op::LoadS64(_));
                    let shared = matches!(op, Op::LoadS32(_) | Op::LoadS64(_));
                    Op::LoadRow { number: loads.len() as u32 - 1, wide, shared }
                }
                &(Op::Shl32(r) | Op::ShrU32(r) | Op::ShrS32(r)) => shift(op, word(r.b).filter(|&n| n < 32)?)?,
                &(Op::Shl64(r) | Op::ShrU64(r) | Op::ShrS64(r)) => shift(op, long(r.b).filter(|&n| n < 64)? as u32)?,
                Op::Sel32(r) => choose(&mut steps, op, *r, serves((0, r.c))),
                Op::Sel64(r) => choose(&mut steps, op, *r, serves((0, r.c))),
                Op::BackEdge | Op::UCmp { .. } => op.clone(),
                _ if rows(op).is_some() || scalar_result(op).is_some() => op.clone(),
                _ => return None,
            };
            steps.push(Step { op: step, spares });
        }
        (loads.len() <= LOADS).then_some(Tight { steps, loads, exit, takes: self.takes })
    }
}
