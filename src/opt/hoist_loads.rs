//! Loads and indices go before divisions and square roots of their block.
//!
//! On a GPU a division or a square root of reals is a short path and a call for the rare operands, so that ptxas does not move a
//! load across one, and the load's time is not hidden behind it. This pass moves the loads, and what their addresses are
//! computed from, to the beginning of the run of loads and computations that they are in. Loads from shared and constant
//! memory stay: they take little time, and what they give would take a register across the call.
//!
//! For the same reason an index that replaces two or more registers goes before the first division.
//!
//! Plain loads keep their order, and no store, synchronisation or call is passed.

use ir::analysis::{Cfg, Liveness};
use ir::op::{BinOp, CvtOp, TriOp, UnOp};
use ir::{Access, Bb, Function, Inst, InstKind, Reg, Space, Val};
use std::collections::{BTreeMap, BTreeSet};

/// The most loads of a run that are moved; more would need too many registers.
const MAX_LOADS: usize = 16;

/// Runs the pass over a function.
pub(crate) fn run(f: &mut Function) {
    let live = Liveness::new(f, &Cfg::new(f));
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
        let mut lasting: BTreeSet<Reg> = live.live_out(Bb(b as u32)).collect();
        f.blocks[b].term.each_use(|v| lasting.extend(register(v)));
        f.blocks[b].insts = indices_first(f, out, &lasting);
    }
}

fn register(val: Val) -> Option<Reg> {
    match val {
        Val::Reg(r) => Some(r),
        Val::Imm(_) => None,
    }
}

/// The instructions of a block with indices before the first long operation, if their operands are not needed behind it and are more
/// than one. `lasting` is what is read behind the block.
fn indices_first(f: &Function, mut insts: Vec<Inst>, lasting: &BTreeSet<Reg>) -> Vec<Inst> {
    let Some(first) = insts.iter().position(|i| is_long(&i.kind)) else { return insts };
    // What is read behind the long operation, and by how many instructions; what is set there.
    let mut readers: BTreeMap<Reg, usize> = lasting.iter().map(|&r| (r, 1)).collect();
    let mut set: BTreeSet<Reg> = BTreeSet::new();
    for inst in &insts[first..] {
        let mut read: BTreeSet<Reg> = BTreeSet::new();
        inst.kind.each_use(|v| read.extend(register(v)));
        read.into_iter().for_each(|r| *readers.entry(r).or_default() += 1);
        inst.kind.each_def(|r| {
            set.insert(r);
        });
    }
    // What an index is made of: the instructions that only it needs, and the registers that are there before.
    let mut trees: BTreeMap<Reg, (BTreeSet<usize>, BTreeSet<Reg>)> = BTreeMap::new();
    let mut moved: BTreeSet<usize> = BTreeSet::new();
    for (i, inst) in insts.iter().enumerate().skip(first) {
        let Some(dst) = inst.kind.def().filter(|&r| is_index(&inst.kind) && !f.is_mutable(r)) else { continue };
        let (mut members, mut leaves, mut fits) = (BTreeSet::from([i]), BTreeSet::new(), true);
        inst.kind.each_use(|v| match register(v) {
            Some(r) if set.contains(&r) => match trees.get(&r).filter(|_| readers.get(&r) == Some(&1)) {
                Some((inner, below)) => {
                    members.extend(inner);
                    leaves.extend(below);
                }
                None => fits = false,
            },
            Some(r) => {
                leaves.insert(r);
            }
            None => {}
        });
        let within = |r: &Reg| {
            let reads = |at: &&usize| {
                let mut reads = false;
                insts[**at].kind.each_use(|v| reads |= v == Val::Reg(*r));
                reads
            };
            readers.get(r).copied() == Some(members.iter().filter(reads).count())
        };
        // A parameter is read again where it is needed.
        let is_param = |r: &Reg| f.params.iter().any(|p| p.reg == *r);
        if fits && leaves.iter().filter(|r| within(r) && !is_param(r)).count() > 1 {
            moved.extend(&members);
            set.remove(&dst);
        } else if fits {
            trees.insert(dst, (members, leaves));
        }
    }
    let (front, back): (Vec<_>, Vec<_>) =
        insts.drain(first..).enumerate().partition(|(i, _)| moved.contains(&(first + i)));
    insts.extend(front.into_iter().chain(back).map(|(_, inst)| inst));
    insts
}

/// Whether an instruction is a step of the computation of an index.
fn is_index(kind: &InstKind) -> bool {
    match kind {
        InstKind::Bin { op, ty, .. } => ty.is_int() && matches!(op, BinOp::Add | BinOp::Sub | BinOp::Mul | BinOp::Shl),
        InstKind::Tri { op: TriOp::Mad, .. } => true,
        InstKind::Cvt { op: CvtOp::Cast, from, to, .. } => from.is_int() && to.is_int(),
        _ => false,
    }
}

/// A run of computations and loads with the loads first, if a long operation is before one of them.
fn ordered(f: &Function, segment: Vec<Inst>) -> Vec<Inst> {
    let is_load = |inst: &Inst| match inst.kind {
        InstKind::Load { space, .. } => !matches!(space, Space::Shared | Space::Const),
        _ => false,
    };
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

/// Whether a GPU does an operation by a sequence with a call in it.
pub fn is_long(kind: &InstKind) -> bool {
    match kind {
        InstKind::Bin { op: BinOp::Div, ty, .. } => ty.is_real(),
        InstKind::Un { op, ty, .. } => *op == UnOp::Sqrt && ty.is_real(),
        _ => false,
    }
}
