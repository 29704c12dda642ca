//! Two iterations at a time of loops whose step is known at run time only, such as `do i = me, n, threads`.
//!
//! Where the step is a constant, all copies of an unrolled loop share one register for their addresses. Here each copy needs its
//! own, and a second loop for the rest would be there for a few iterations only. So there are two copies, each with its test.
//! What the second one loads is loaded together with what the first one does, behind a branch that ptxas makes a predicate:
//!
//! ```text
//! again:  loads at i;  next = i + step;  if (next <= last) loads at next
//!         the rest at i;                 if (next > last) exit
//!         the rest at next;  i = next + step;  if (i <= last) again
//! ```
//!
//! Nothing counts the iterations any more: the index is compared with the last one (linear-function test replacement), and the
//! division that gave their number goes. The comparison is unsigned. Neither the index nor its limit is negative, so their sum
//! with a step fits in 32 bits without a sign.
//!
//! It is for kernels with shared memory, of which more warps run at a time if each takes few registers, and for loops with
//! divisions or square roots, before which the loads of both iterations go. Elsewhere four loads at a time are faster
//! ([`crate::unroll`]). The loop is one block and loads from global memory only what the kernel does not write
//! ([`ir::analysis::ReadOnly`]): such a load may go before all that the first iteration does.
//!
//! For code that runs on a GPU only: the order of accesses changes.
//!
//! (Muchnick, "Advanced Compiler Design and Implementation", 14.1.4 and 17.4.)

use crate::Target;
use crate::hoist_loads::is_long;
use crate::loops::copier::own_registers;
use crate::loops::shape::{Shape, value_before};
use crate::loops::{depth_inside, each_loop, temporary};
use ir::analysis::{Cfg, Dominators, Range, Ranges, ReadOnly};
use ir::op::{BinOp, CmpOp};
use ir::{Access, Bb, BlockData, Function, Inst, InstKind, Reg, RegInfo, Space, Term, Ty, Val};
use scalar::bits;
use std::collections::{BTreeMap, BTreeSet};

/// Most instructions of two iterations.
const MAX_BODY: usize = 128;
/// Most loads of an iteration.
const MAX_LOADS: usize = 8;

/// Runs the pass over a function.
pub(crate) fn run(f: &mut Function, target: Target) {
    each_loop(f, |loops, id| depth_inside(loops, id) == 0, |f, shape| pair(f, shape, target));
}

/// What a loop of one block counts.
struct Index {
    /// The index, which begins with `first`.
    reg: Reg,
    first: Val,
    step: Reg,
    /// The index is at most this.
    last: Val,
    /// The block of the loop, and the numbers of its instructions that change the index, change the counter and test it.
    block: Bb,
    update: usize,
    count: usize,
    test: usize,
}

/// Has a loop do two iterations at a time.
fn pair(f: &mut Function, shape: &Shape, target: Target) -> Option<()> {
    if shape.natural.blocks.len() > 1 || shape.size * 2 > MAX_BODY || shape.has_collective || shape.has_call {
        return None;
    }
    if f.shared.is_empty() && !f.block(shape.natural.header).insts.iter().any(|inst| is_long(&inst.kind)) {
        return None;
    }
    let index = index(f, shape)?;
    if !begins_in_range(f, shape, &index, target) {
        return None;
    }
    let ahead = loads_ahead(f, &index)?;
    rewrite(f, &index, &ahead)
}

/// What a loop counts, if the number of iterations is computed as `(last - first)/step` in 32 bits and counted down.
fn index(f: &Function, shape: &Shape) -> Option<Index> {
    let counter = shape.counter.filter(|c| shape.counts_down() && c.ty == Ty::I32)?;
    let left = shape.set_to(f, counter.reg)?;
    let block = shape.natural.header;
    let insts = &f.block(block).insts;
    let &InstKind::Bin { op: BinOp::Div, a: Val::Reg(distance), b: Val::Reg(step), .. } = definition(f, left)? else {
        return None;
    };
    let (first, last) = match *definition(f, distance)? {
        InstKind::Bin { op: BinOp::Sub, a: last, b: first, .. } => (first, last),
        InstKind::Bin { op: BinOp::Add, a: last, b: Val::Imm(word), .. } => {
            (Val::Imm(bits::canonical(Ty::I32, word.wrapping_neg())), last)
        }
        _ => return None,
    };
    let sets = |inst: &Inst, reg: Reg| {
        let mut sets = false;
        inst.kind.each_def(|r| sets |= r == reg);
        sets
    };
    let changes = |val: Val| match val {
        Val::Reg(reg) => f.is_mutable(reg) || insts.iter().any(|i| sets(i, reg)),
        Val::Imm(_) => false,
    };
    if changes(Val::Reg(step)) || changes(first) || changes(last) {
        return None;
    }
    let (update, reg) = insts.iter().enumerate().find_map(|(at, inst)| match inst.kind {
        InstKind::Bin { op: BinOp::Add, ty: Ty::I32, dst, a, b }
            if [(a, b), (b, a)].contains(&(Val::Reg(dst), Val::Reg(step))) =>
        {
            Some((at, dst))
        }
        _ => None,
    })?;
    let once = insts.iter().filter(|i| sets(i, reg)).count() == 1;
    let count = insts.iter().position(|i| sets(i, counter.reg))?;
    let Term::Branch { cond: Val::Reg(cond), .. } = f.block(block).term else { return None };
    let test = insts.iter().rposition(|i| sets(i, cond))?;
    let index = Index { reg, first, step, last, block, update, count, test };
    (once && uses(f, cond) == 1 && value_before(f, &Cfg::new(f), shape.entry, reg) == Some(first)).then_some(index)
}

/// The only assignment of a temporary.
fn definition(f: &Function, reg: Reg) -> Option<&InstKind> {
    let mut all = f.blocks.iter().flat_map(|block| &block.insts).map(|inst| &inst.kind);
    all.find(|kind| kind.def() == Some(reg)).filter(|_| !f.is_mutable(reg))
}

/// How often a register is read.
fn uses(f: &Function, reg: Reg) -> usize {
    let mut uses = 0;
    let mut count = |v: Val| uses += usize::from(v == Val::Reg(reg));
    for block in &f.blocks {
        block.insts.iter().for_each(|inst| inst.kind.each_use(&mut count));
        block.term.each_use(&mut count);
    }
    uses
}

/// Whether the loop is entered only where `0 <= first <= last`, and its step is positive.
fn begins_in_range(f: &Function, shape: &Shape, index: &Index, target: Target) -> bool {
    let cfg = Cfg::new(f);
    let dom = Dominators::new(&cfg);
    let ranges = Ranges::new(f, &cfg, &dom, target.threads);
    let steps = Range { low: 1, high: i32::MAX.into() };
    if ranges.at(shape.entry, Ty::I32, index.first).low < 0
        || !ranges.at(shape.entry, Ty::I32, index.step.into()).is_within(steps)
    {
        return false;
    }
    // The edge that enters the loop, and those that all ways there take.
    let mut edge = Some((shape.entry, shape.natural.header));
    let mut at = shape.entry;
    loop {
        if edge.is_some_and(|(from, to)| orders(f, from, to, index.first, index.last)) {
            return true;
        }
        let Some(before) = dom.idom(at) else { return false };
        edge = (cfg.preds(at) == [before]).then_some((before, at));
        at = before;
    }
}

/// Whether a branch goes from one block to another only if `first <= last`.
fn orders(f: &Function, from: Bb, to: Bb, first: Val, last: Val) -> bool {
    let Term::Branch { cond: Val::Reg(cond), then_bb, else_bb } = f.block(from).term else { return false };
    let Some(&InstKind::Cmp { op, ty: Ty::I32, a, b, .. }) = definition(f, cond) else { return false };
    let holds = match op {
        _ if then_bb == else_bb => return false,
        CmpOp::Le | CmpOp::Gt => (a, b) == (first, last),
        CmpOp::Ge | CmpOp::Lt => (b, a) == (first, last),
        CmpOp::Eq | CmpOp::Ne | CmpOp::LtU | CmpOp::GeU => false,
    };
    holds && to == if matches!(op, CmpOp::Le | CmpOp::Ge) { then_bb } else { else_bb }
}

/// The instructions that load what the kernel only reads, and what their addresses are computed from, by number: all that may
/// go before an iteration. `None` if a load from global memory is not among them.
fn loads_ahead(f: &Function, index: &Index) -> Option<BTreeSet<usize>> {
    let read_only = ReadOnly::new(f);
    let insts = &f.block(index.block).insts;
    let mut set: BTreeSet<Reg> = BTreeSet::new();
    for inst in insts {
        inst.kind.each_def(|r| {
            set.insert(r);
        });
    }
    // The registers that are known before the iteration, with the instruction that sets each.
    let mut early: BTreeMap<Reg, usize> = BTreeMap::new();
    let mut loads = BTreeSet::new();
    for (at, inst) in insts.iter().enumerate() {
        let is_load = match inst.kind {
            InstKind::Load { space: Space::Global, access: Access::Plain, addr, .. } if read_only.has(addr) => true,
            InstKind::Load { space: Space::Global | Space::Generic, .. } => return None,
            _ => false,
        };
        let mut is_early = is_load || inst.kind.is_pure();
        inst.kind.each_use(|v| {
            if let Val::Reg(r) = v {
                is_early &= !set.contains(&r) || early.contains_key(&r) || (r == index.reg && at < index.update);
            }
        });
        match inst.kind.def().filter(|&r| is_early && !f.is_mutable(r)) {
            Some(dst) => {
                early.insert(dst, at);
                loads.extend(is_load.then_some(at));
            }
            None if is_load => return None,
            None => {}
        }
    }
    if loads.is_empty() || loads.len() > MAX_LOADS {
        return None;
    }
    let mut needed = loads;
    for at in (0..insts.len()).rev() {
        if needed.contains(&at) {
            insts[at].kind.each_use(|v| {
                if let Val::Reg(r) = v {
                    needed.extend(early.get(&r));
                }
            });
        }
    }
    Some(needed)
}

/// Makes the two iterations. `ahead` are the numbers of the instructions that both do first.
fn rewrite(f: &mut Function, index: &Index, ahead: &BTreeSet<usize>) -> Option<()> {
    let own = own_registers(f, &[index.block]);
    let insts = f.block(index.block).insts.iter().enumerate();
    let is_kept =
        insts.filter(|(at, _)| ahead.contains(at)).all(|(_, i)| i.kind.def().is_none_or(|r| own.contains(&r)));
    let Term::Branch { then_bb, else_bb, .. } = f.block(index.block).term else { return None };
    if !is_kept {
        return None;
    }
    let exit = if then_bb == index.block { else_bb } else { then_bb };
    let insts = std::mem::take(&mut f.blocks[index.block.index()].insts);
    let span = f.block(index.block).term_span;
    let (mut loads, mut rest) = (Vec::new(), Vec::new());
    for (at, inst) in insts.into_iter().enumerate() {
        if ahead.contains(&at) {
            loads.push(inst);
        } else if at != index.count && at != index.test {
            rest.push(inst);
        }
    }
    // The second iteration's registers. Those of its loads are set in one of two ways to where they are read.
    let mut second: BTreeMap<Reg, Reg> = BTreeMap::new();
    for &reg in &own {
        let loaded = loads.iter().any(|inst| inst.kind.def() == Some(reg));
        f.regs.push(RegInfo { ty: f.ty(reg), var: None, mutable: loaded });
        second.insert(reg, Reg(f.regs.len() as u32 - 1));
    }
    let copied = |insts: &[Inst], index_is: Option<Reg>| -> Vec<Inst> {
        let mut insts = insts.to_vec();
        for inst in &mut insts {
            inst.kind.each_use_mut(|v| {
                if let Val::Reg(r) = v {
                    *r = index_is.filter(|_| *r == index.reg).or(second.get(r).copied()).unwrap_or(*r);
                }
            });
            inst.kind.each_def_mut(|r| *r = second.get(r).copied().unwrap_or(*r));
        }
        insts
    };
    let (next, has_second, has_more) = (temporary(f, Ty::I32), temporary(f, Ty::Pred), temporary(f, Ty::Pred));
    let inst = |kind| Inst::new(kind, span);
    let test = |dst, reg: Reg| inst(InstKind::Cmp { op: CmpOp::GeU, ty: Ty::I32, dst, a: index.last, b: reg.into() });
    let (second_loads, mut second_rest) = (copied(&loads, Some(next)), copied(&rest, None));
    loads.push(inst(InstKind::Bin {
        op: BinOp::Add,
        ty: Ty::I32,
        dst: next,
        a: index.reg.into(),
        b: index.step.into(),
    }));
    loads.push(test(has_second, next));
    second_rest.push(test(has_more, index.reg));
    let first = f.blocks.len() as u32;
    let [loads_of_second, rest_of_first, rest_of_second] = [0, 1, 2].map(|i| Bb(first + i));
    let branch = |cond: Reg, then_bb, else_bb| Term::Branch { cond: cond.into(), then_bb, else_bb };
    let block = |insts, term| BlockData::new(insts, term, span);
    f.blocks[index.block.index()] = block(loads, branch(has_second, loads_of_second, rest_of_first));
    f.blocks.push(block(second_loads, Term::Jump(rest_of_first)));
    f.blocks.push(block(rest, branch(has_second, rest_of_second, exit)));
    f.blocks.push(block(second_rest, branch(has_more, index.block, exit)));
    Some(())
}
