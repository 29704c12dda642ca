//! Which local scalars of device code have to be in memory for `--check init`, where reads of what was never set can be seen.
//!
//! All of them could be, but each access would have to be checked. So the code is made once with scalars in registers, and two
//! kinds of variables are found in it: those that some path reads before it assigns them, and those that are assigned what was
//! loaded from memory and not used otherwise, because a copy passes on what the memory lacked. The others always hold a value.
//!
//! Not here: what the check does with them (`emu::checks::init`).

use ir::analysis::{Cfg, Liveness, read_otherwise};
use ir::op::UnOp;
use ir::{Bb, FuncKind, Function, InstKind, Module, Reg, Val, VarLoc};
use sema::checked::VarId;
use std::collections::{BTreeMap, BTreeSet};

/// The variables that may hold what was never set, in any function of device code of a module whose scalars are in registers.
pub(crate) fn variables(module: &Module) -> BTreeSet<VarId> {
    let mut found = BTreeSet::new();
    for f in module.funcs.iter().filter(|f| f.kind != FuncKind::Host) {
        let unset = registers(f);
        for var in &f.vars {
            let is_unset = match var.loc {
                VarLoc::Reg(reg) => unset.contains(&reg),
                VarLoc::Complex(re, im) => unset.contains(&re) || unset.contains(&im),
                _ => false,
            };
            if is_unset {
                found.insert(VarId(var.source_id));
            }
        }
    }
    found
}

/// The registers of a function that are read before they are assigned, or are assigned copies of memory.
fn registers(f: &Function) -> BTreeSet<Reg> {
    let live = Liveness::new(f, &Cfg::new(f));
    let mut unset: BTreeSet<Reg> =
        (0..f.regs.len() as u32).map(Reg).filter(|&reg| live.is_live_in(Bb(0), reg)).collect();
    for param in &f.params {
        unset.remove(&param.reg);
    }
    // What each register is moved to, and the registers that hold a copy of memory.
    let mut moves: BTreeMap<Reg, Vec<Reg>> = BTreeMap::new();
    let mut copies: Vec<Reg> = Vec::new();
    for kind in f.blocks.iter().flat_map(|b| &b.insts).map(|inst| &inst.kind) {
        match *kind {
            InstKind::Load { dst, .. } => copies.push(dst),
            InstKind::Un { op: UnOp::Mov, dst, a: Val::Reg(a), .. } => moves.entry(a).or_default().push(dst),
            _ => {}
        }
    }
    let used = read_otherwise(f, |kind| matches!(kind, InstKind::Un { op: UnOp::Mov, .. }));
    // A temporary that is used has been checked where it was loaded; a variable takes what it is given.
    copies.retain(|&reg| f.is_mutable(reg) || !used.contains(&reg));
    copies.extend(&unset);
    while let Some(reg) = copies.pop() {
        if f.is_mutable(reg) {
            unset.insert(reg);
        }
        for &to in moves.get(&reg).into_iter().flatten() {
            if !unset.contains(&to) && (f.is_mutable(to) || !used.contains(&to)) {
                copies.push(to);
            }
        }
        moves.remove(&reg);
    }
    unset
}
