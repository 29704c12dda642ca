//! Loads go before divisions and square roots of their block.
//!
//! On a GPU a division or a square root of reals is a short path and a call for the rare operands, so that ptxas does not move a
//! load across one, and the load's time is not hidden behind it. This pass moves the loads, and what their addresses are
//! computed from, to the beginning of the run of loads and computations that they are in.
//!
//! Plain loads keep their order, and no store, synchronisation or call is passed.

use ir::op::{BinOp, UnOp};
use ir::{Access, Function, Inst, InstKind, Reg, Val};
use std::collections::BTreeSet;

/// The most loads of a run that are moved; more would need too many registers.
const MAX_LOADS: usize = 16;

/// Runs the pass over a function.
pub(crate) fn run(f: &mut Function) {
    for b in 0..f.blocks.len() {
        let insts = std::mem::take(&mut f.blocks[b].insts);
        let mut out = Vec::with_capacity(insts.len());
        let mut segment = Vec::new();
        for inst in insts {
            if inst.kind.is_pure() || matches!(inst.kind, InstKind::Load { access: Access::Plain, .. }) {
                segment.push(inst);
            } else {
                out.extend(ordered(f, std::mem::take(&mut segment)));
                out.push(inst);
            }
        }
        out.extend(ordered(f, segment));
        f.blocks[b].insts = out;
    }
}

/// A run of computations and loads with the loads first, if a long operation is before one of them.
fn ordered(f: &Function, segment: Vec<Inst>) -> Vec<Inst> {
    let is_load = |inst: &Inst| matches!(inst.kind, InstKind::Load { .. });
    let last_load = segment.iter().rposition(is_load).unwrap_or(0);
    let loads = segment.iter().filter(|i| is_load(i)).count();
    if loads > MAX_LOADS || !segment[..last_load.min(segment.len())].iter().any(|i| is_long(&i.kind)) {
        return segment;
    }
    // What the loads need, from the last one up. Registers that are assigned more than once keep their order with all else.
    let mut needed: BTreeSet<Reg> = BTreeSet::new();
    let mut first = vec![false; segment.len()];
    for (i, inst) in segment.iter().enumerate().rev() {
        let mut is_needed = is_load(inst);
        inst.kind.each_def(|r| is_needed |= needed.contains(&r));
        if is_needed {
            first[i] = true;
            inst.kind.each_use(|v| {
                if let Val::Reg(r) = v {
                    needed.insert(r);
                }
            });
        }
    }
    let mut assigned: BTreeSet<Reg> = BTreeSet::new();
    for inst in &segment {
        inst.kind.each_def(|r| {
            if f.is_mutable(r) {
                assigned.insert(r);
            }
        });
    }
    let touches = |inst: &Inst| {
        let mut touches = false;
        inst.kind.each_def(|r| touches |= assigned.contains(&r));
        inst.kind.each_use(|v| touches |= matches!(v, Val::Reg(r) if assigned.contains(&r)));
        touches
    };
    if segment.iter().enumerate().any(|(i, inst)| first[i] && (touches(inst) || is_long(&inst.kind))) {
        return segment;
    }
    let (front, back): (Vec<_>, Vec<_>) = segment.into_iter().enumerate().partition(|(i, _)| first[*i]);
    front.into_iter().chain(back).map(|(_, inst)| inst).collect()
}

/// Whether an operation is a sequence with a call in it.
fn is_long(kind: &InstKind) -> bool {
    match kind {
        InstKind::Bin { op: BinOp::Div, ty, .. } => ty.is_real(),
        InstKind::Un { op, ty, .. } => *op == UnOp::Sqrt && ty.is_real(),
        _ => false,
    }
}
