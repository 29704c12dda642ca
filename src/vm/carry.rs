//! Values that a function only carries from memory to memory, for those who follow what a value is made of.

use crate::code::{Code, Program, Site, Slot, Width};
use ir::{FuncId, InstKind, Reg, Ty, Val};
use std::collections::{BTreeMap, BTreeSet};

/// A slot of the files of 32 (`false`) and 64 bits (`true`).
pub type Carrier = (bool, Slot);

fn is_wide(ty: Ty) -> bool {
    matches!(ty, Ty::I64 | Ty::F64)
}

/// The carriers of a program, found as its functions are come by.
#[derive(Clone, Debug, Default)]
pub struct Carriers(BTreeMap<FuncId, BTreeSet<Carrier>>);

impl Carriers {
    /// The carrier that the operation at a site loads or stores, if its value is one.
    pub fn at(&mut self, program: &Program, site: Site) -> Option<Carrier> {
        let moved = program.code[site.func.index()].moved(site.pc)?;
        let all = self.0.entry(site.func).or_insert_with(|| carriers(program, site.func));
        Some(moved).filter(|carrier| all.contains(carrier))
    }
}

impl Code {
    /// The slot that the load at `pc` assigns, or whose value the store at `pc` writes.
    fn moved(&self, pc: u32) -> Option<Carrier> {
        let op = self.ops.get(pc as usize)?;
        op.load().or(op.store()).map(|m| (m.width == Width::W64, m.value))
    }
}

/// The slots of a function that are assigned by loads alone, and read by stores alone as what they write.
///
/// The answer is conservative: a slot that is not named may be a carrier all the same.
fn carriers(program: &Program, func: FuncId) -> BTreeSet<Carrier> {
    let function = program.module.func(func);
    let code = &program.code[func.index()];
    let place = |reg: Reg| code.slots.get(reg.index()).map(|&(ty, slot)| (is_wide(ty), slot));
    let (mut loaded, mut other) = (BTreeSet::new(), BTreeSet::new());
    for kind in function.blocks.iter().flat_map(|b| &b.insts).map(|inst| &inst.kind) {
        let is_load = matches!(kind, InstKind::Load { .. });
        kind.each_def(|reg| {
            if let Some(place) = place(reg) {
                if is_load {
                    loaded.insert(place)
                } else {
                    other.insert(place)
                };
            }
        });
        let stored = match kind {
            InstKind::Store { value, .. } => Some(*value),
            _ => None,
        };
        let mut times = 0;
        kind.each_use(|val| {
            times += u32::from(Some(val) == stored);
            // A register that is also a part of the address is used.
            if let Val::Reg(reg) = val
                && (Some(val) != stored || times > 1)
                && let Some(place) = place(reg)
            {
                other.insert(place);
            }
        });
    }
    for block in &function.blocks {
        block.term.each_use(|val| {
            if let Val::Reg(reg) = val
                && let Some(place) = place(reg)
            {
                other.insert(place);
            }
        });
    }
    other.extend(function.params.iter().filter_map(|param| place(param.reg)));
    loaded.difference(&other).copied().collect()
}
