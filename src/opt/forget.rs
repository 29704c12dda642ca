//! What only a debugger wants is dropped: Stmt marks, and on the device the variables that are scalars in registers.
//!
//! A run that nobody watches by statements neither stops at them nor shows such variables, and no finding names them: what
//! findings name lies in memory, whose variables stay. A register that was assigned in several places because it was a
//! variable, but has one assignment before all its uses, becomes a temporary, so that the other passes see through it.
//!
//! Schedule points are none of this and stay (see the head of the crate).

use ir::analysis::{Cfg, Dominators};
use ir::{Bb, FuncKind, Function, InstKind, Reg, Val, VarId, VarLoc, VarShape};

/// Runs the pass over a function.
pub(crate) fn run(f: &mut Function) {
    for block in &mut f.blocks {
        block.insts.retain(|inst| inst.kind != InstKind::Stmt);
    }
    if f.kind != FuncKind::Host {
        forget_scalars(f);
    }
    settle(f);
}

/// Makes registers of those scalar variables that live there, but for registers that the shape of another one names.
fn forget_scalars(f: &mut Function) {
    let is_gone = |loc: &VarLoc, shape: &VarShape| {
        matches!((loc, shape), (VarLoc::Reg(_) | VarLoc::Complex(..), VarShape::Scalar))
    };
    let mut numbers: Vec<Option<VarId>> = Vec::with_capacity(f.vars.len());
    let mut kept = 0;
    for var in &f.vars {
        let gone = is_gone(&var.loc, &var.shape);
        numbers.push((!gone).then_some(VarId(kept)));
        kept += u32::from(!gone);
    }
    f.vars.retain(|var| !is_gone(&var.loc, &var.shape));
    for reg in &mut f.regs {
        let Some(var) = reg.var else { continue };
        reg.var = numbers.get(var.index()).copied().flatten();
        reg.mutable |= reg.var.is_none();
    }
}

/// Turns registers with one assignment, which is before every use, into temporaries.
fn settle(f: &mut Function) {
    // Where a register is assigned: block and instruction, the latter counted from 1, so that a parameter comes before it.
    let mut defs: Vec<Option<(Bb, usize)>> = vec![None; f.regs.len()];
    let mut settled: Vec<bool> = f.regs.iter().map(|r| r.mutable && r.var.is_none()).collect();
    let mut assign = |reg: Reg, at, settled: &mut Vec<bool>| {
        settled[reg.index()] &= defs[reg.index()].is_none();
        defs[reg.index()] = Some(at);
    };
    for param in &f.params {
        assign(param.reg, (Bb(0), 0), &mut settled);
    }
    for (b, block) in f.blocks.iter().enumerate() {
        for (i, inst) in block.insts.iter().enumerate() {
            inst.kind.each_def(|r| assign(r, (Bb(b as u32), i + 1), &mut settled));
        }
    }
    let dom = Dominators::new(&Cfg::new(f));
    let mut read = |val: Val, bb: Bb, at: usize| {
        let Val::Reg(r) = val else { return };
        settled[r.index()] &= match defs[r.index()] {
            Some((def, i)) if def == bb => i < at,
            Some((def, _)) => dom.dominates(def, bb),
            None => false,
        };
    };
    for (b, block) in f.blocks.iter().enumerate() {
        let bb = Bb(b as u32);
        for (i, inst) in block.insts.iter().enumerate() {
            inst.kind.each_use(|v| read(v, bb, i + 1));
        }
        block.term.each_use(|v| read(v, bb, usize::MAX));
    }
    for (reg, settled) in f.regs.iter_mut().zip(settled) {
        reg.mutable &= !settled;
    }
}
