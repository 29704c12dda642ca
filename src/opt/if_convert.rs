//! If-conversion: small divergent branches of device code become selections.
//!
//! A divergent branch costs a warp a split, two passes and a reconvergence. Where its sides only compute, all lanes compute
//! both sides, and each register that they assign gets a selection by the condition. Pure operations have no other effect,
//! never trap and are no schedule points; accesses are never moved. Uniform branches and all branches of host code stay:
//! skipping is cheaper there.
//!
//! The method is the if-conversion of Allen, Kennedy, Porterfield and Warren ("Conversion of control dependence to data
//! dependence", POPL 1983), for innermost branches first, so that nested ones go from the inside out.

use crate::simplify_cfg;
use ir::analysis::{BitSet, Cfg, Liveness, UniformLevel, UniformOptions, uniform};
use ir::op::{BinOp, UnOp};
use ir::{Bb, FuncKind, Function, Inst, InstKind, Reg, RegInfo, Term, Val};
use std::collections::BTreeMap;

/// What the two sides of a branch may cost together; a simple operation costs 1.
const MAX_COST: usize = 16;
/// How deep nested branches may be converted.
const DEPTH: usize = 4;

/// Runs the pass over a function.
pub(crate) fn run(f: &mut Function) {
    if f.kind == FuncKind::Host {
        return;
    }
    for _ in 0..DEPTH {
        if !convert_innermost(f) {
            return;
        }
        simplify_cfg::run(f);
    }
}

/// Converts the innermost branches; whether there were some.
fn convert_innermost(f: &mut Function) -> bool {
    let cfg = Cfg::new(f);
    let options = UniformOptions { level: UniformLevel::Warp, params: &[], keep_variables: false };
    let shared = uniform(f, &cfg, options);
    let live = Liveness::new(f, &cfg);
    let mut changed = false;
    for &head in cfg.rpo() {
        changed |= convert(f, &cfg, &shared, &live, head);
    }
    changed
}

/// Turns the branch at the end of `head` into selections if it is one to convert.
fn convert(f: &mut Function, cfg: &Cfg, shared: &BitSet, live: &Liveness, head: Bb) -> bool {
    let Term::Branch { cond: Val::Reg(cond), then_bb, else_bb } = f.block(head).term else { return false };
    if shared.contains(cond.index()) || then_bb == else_bb {
        return false;
    }
    let ways = [side(f, cfg, head, then_bb), side(f, cfg, head, else_bb)];
    let (sides, join) = match ways {
        [Some((a, to)), Some((b, other))] if to == other && a + b <= MAX_COST => ([Some(then_bb), Some(else_bb)], to),
        [Some((a, to)), _] if to == else_bb && a <= MAX_COST => ([Some(then_bb), None], to),
        [_, Some((b, to))] if to == then_bb && b <= MAX_COST => ([None, Some(else_bb)], to),
        _ => return false,
    };
    if join == head {
        return false;
    }
    let mut values: [BTreeMap<Reg, Reg>; 2] = [BTreeMap::new(), BTreeMap::new()];
    for (side, values) in sides.iter().zip(&mut values) {
        let Some(bb) = *side else { continue };
        for mut inst in std::mem::take(&mut f.blocks[bb.index()].insts) {
            inst.kind.each_use_mut(|v| {
                if let Val::Reg(r) = v
                    && let Some(&now) = values.get(r)
                {
                    *v = Val::Reg(now);
                }
            });
            inst.kind.each_def_mut(|r| {
                if f.regs[r.index()].mutable || f.regs[r.index()].var.is_some() {
                    let ty = f.regs[r.index()].ty;
                    f.regs.push(RegInfo { ty, var: None, mutable: false });
                    let fresh = Reg(f.regs.len() as u32 - 1);
                    values.insert(*r, fresh);
                    *r = fresh;
                }
            });
            f.blocks[head.index()].insts.push(inst);
        }
    }
    // The condition itself comes last, should it be assigned.
    let mut assigned: Vec<Reg> = values.iter().flat_map(|v| v.keys().copied()).collect();
    assigned.sort_unstable_by_key(|&r| (r == cond, r));
    assigned.dedup();
    let span = f.block(head).term_span;
    for dst in assigned {
        if live.is_live_in(join, dst) || f.regs[dst.index()].var.is_some() {
            let value = |v: &BTreeMap<Reg, Reg>| Val::Reg(v.get(&dst).copied().unwrap_or(dst));
            let [a, b] = [value(&values[0]), value(&values[1])];
            let kind = InstKind::Select { ty: f.ty(dst), dst, cond: Val::Reg(cond), a, b };
            f.blocks[head.index()].insts.push(Inst::new(kind, span));
        }
    }
    f.blocks[head.index()].term = Term::Jump(join);
    true
}

/// What a block that only `head` leads to and that only computes costs, and where it goes on.
fn side(f: &Function, cfg: &Cfg, head: Bb, bb: Bb) -> Option<(usize, Bb)> {
    let block = f.block(bb);
    let Term::Jump(to) = block.term else { return None };
    if cfg.preds(bb) != [head] || bb == head {
        return None;
    }
    let mut cost = 0;
    for inst in &block.insts {
        if !inst.kind.is_pure() {
            return None;
        }
        cost += match inst.kind {
            InstKind::Bin { op: BinOp::Div | BinOp::Rem | BinOp::Fmod, .. } | InstKind::Un { op: UnOp::Sqrt, .. } => 6,
            _ => 1,
        };
    }
    Some((cost, to))
}
