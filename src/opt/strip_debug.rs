//! Removal of what only a debugger needs: Stmt marks, and on the device the variables that are scalars in registers.
//!
//! Without a debugger a run neither stops at statements nor shows such variables. Findings do not name them either: they name
//! variables in memory, which stay. A register that was mutable because it was a variable, but has one assignment before all
//! its uses, becomes a temporary, so the other passes see through it.
//!
//! Schedule points stay (see the head of the crate).

use ir::analysis::{Cfg, Dominators};
use ir::{Bb, DebugVar, FuncKind, Function, InstKind, Reg, Val, VarId, VarLoc, VarShape};

/// Runs the pass over a function.
pub(crate) fn run(f: &mut Function) {
    for block in &mut f.blocks {
        block.insts.retain(|inst| inst.kind != InstKind::Stmt);
    }
    if f.kind != FuncKind::Host {
        remove_scalars(f);
    }
    make_temporaries(f);
}

/// The same for code that runs on a GPU only: no variable stays, and no mark of a loop, which is a schedule point of the emulator.
pub(crate) fn for_gpu(f: &mut Function) {
    for block in &mut f.blocks {
        block.insts.retain(|inst| !matches!(inst.kind, InstKind::Stmt | InstKind::BackEdge | InstKind::Clear { .. }));
    }
    f.vars.clear();
    for reg in &mut f.regs {
        reg.mutable |= reg.var.take().is_some();
    }
    make_temporaries(f);
}

/// Makes registers of those scalar variables that live there, but for registers that the shape of another one names.
fn remove_scalars(f: &mut Function) {
    remove_variables(f, |var| {
        matches!((&var.loc, &var.shape), (VarLoc::Reg(_) | VarLoc::Complex(..), VarShape::Scalar))
    });
}

/// Removes variables; the registers that were theirs become registers of nobody.
pub(crate) fn remove_variables(f: &mut Function, is_gone: impl Fn(&DebugVar) -> bool) {
    let mut numbers: Vec<Option<VarId>> = Vec::with_capacity(f.vars.len());
    let mut kept = 0;
    for var in &f.vars {
        let gone = is_gone(var);
        numbers.push((!gone).then_some(VarId(kept)));
        kept += u32::from(!gone);
    }
    f.vars.retain(|var| !is_gone(var));
    for reg in &mut f.regs {
        let Some(var) = reg.var else { continue };
        reg.var = numbers.get(var.index()).copied().flatten();
        reg.mutable |= reg.var.is_none();
    }
}

/// Turns registers with one assignment, which is before every use, into temporaries.
pub(crate) fn make_temporaries(f: &mut Function) {
    // Where a register is assigned: block and instruction, the latter counted from 1, so that a parameter comes before it.
    let mut defs: Vec<Option<(Bb, usize)>> = vec![None; f.regs.len()];
    let mut is_temporary: Vec<bool> = f.regs.iter().map(|r| r.mutable && r.var.is_none()).collect();
    let mut assign = |reg: Reg, at, is_temporary: &mut Vec<bool>| {
        is_temporary[reg.index()] &= defs[reg.index()].is_none();
        defs[reg.index()] = Some(at);
    };
    for param in &f.params {
        assign(param.reg, (Bb(0), 0), &mut is_temporary);
    }
    for (b, block) in f.blocks.iter().enumerate() {
        for (i, inst) in block.insts.iter().enumerate() {
            inst.kind.each_def(|r| assign(r, (Bb(b as u32), i + 1), &mut is_temporary));
        }
    }
    let dom = Dominators::new(&Cfg::new(f));
    let mut read = |val: Val, bb: Bb, at: usize| {
        let Val::Reg(r) = val else { return };
        is_temporary[r.index()] &= match defs[r.index()] {
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
    for (reg, is_temporary) in f.regs.iter_mut().zip(is_temporary) {
        reg.mutable &= !is_temporary;
    }
}
