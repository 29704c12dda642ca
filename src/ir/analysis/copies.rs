//! Which registers are used, and not only copied into memory: for those who follow where a value comes from.

use crate::{Function, InstKind, Reg, Val};
use std::collections::BTreeSet;

/// The registers that are read otherwise than as the value of a store, or by an instruction that `passes_on` its operand.
pub fn read_otherwise(f: &Function, passes_on: impl Fn(&InstKind) -> bool) -> BTreeSet<Reg> {
    let mut read = BTreeSet::new();
    let mut note = |val: Val| {
        if let Val::Reg(reg) = val {
            read.insert(reg);
        }
    };
    for block in &f.blocks {
        for kind in block.insts.iter().map(|inst| &inst.kind).filter(|kind| !passes_on(kind)) {
            let mut stored = match kind {
                InstKind::Store { value, .. } => Some(*value),
                _ => None,
            };
            kind.each_use(|val| {
                // The value counts once; a register that is a part of the address too is used.
                if stored == Some(val) {
                    stored = None;
                } else {
                    note(val);
                }
            });
        }
        block.term.each_use(&mut note);
    }
    read
}
