//! Registers whose values a function only copies from memory to memory, for checks that follow where a value comes from.
//!
//! Not here: what is known of the bytes themselves; the checks keep that.

use crate::code::{Program, Site};
use ir::analysis::read_otherwise;
use ir::{FuncId, Function, InstKind, Reg, Val};
use std::collections::{BTreeMap, BTreeSet};

/// The copy-only registers of a program: those that only loads assign and that are read only as the value of a store. Found
/// function by function, as they are asked for.
#[derive(Clone, Debug, Default)]
pub struct CopyOnlyRegs(BTreeMap<FuncId, BTreeSet<Reg>>);

impl CopyOnlyRegs {
    /// The copy-only register that the access at a site loads or stores.
    pub fn at(&mut self, program: &Program, site: Site) -> Option<Reg> {
        let reg = match *program.instruction(site)? {
            InstKind::Load { dst, .. } => dst,
            InstKind::Store { value: Val::Reg(reg), .. } => reg,
            _ => return None,
        };
        let all = self.0.entry(site.func).or_insert_with(|| copy_only(program.module().func(site.func)));
        all.contains(&reg).then_some(reg)
    }
}

fn copy_only(function: &Function) -> BTreeSet<Reg> {
    let mut other = read_otherwise(function, |_| false);
    let mut loaded = BTreeSet::new();
    for kind in function.blocks.iter().flat_map(|b| &b.insts).map(|inst| &inst.kind) {
        let is_load = matches!(kind, InstKind::Load { .. });
        kind.each_def(|reg| {
            if is_load {
                loaded.insert(reg);
            } else {
                other.insert(reg);
            }
        });
    }
    other.extend(function.params.iter().map(|param| param.reg));
    loaded.difference(&other).copied().collect()
}
