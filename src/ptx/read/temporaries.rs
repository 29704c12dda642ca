//! Which registers are temporaries: assigned once, where no read comes before.

use ir::analysis::{Cfg, Dominators};
use ir::{Bb, Function, Val};

/// Where a register is assigned.
#[derive(Clone, Copy)]
enum Assigned {
    Never,
    Once(Bb, usize),
    Often,
}

/// Makes temporaries of registers that can be some.
pub(super) fn find(f: &mut Function) {
    let cfg = Cfg::new(f);
    let dominators = Dominators::new(&cfg);
    let mut assigned = vec![Assigned::Never; f.regs.len()];
    for param in &f.params {
        assigned[param.reg.index()] = Assigned::Once(Bb(0), 0);
    }
    for (i, block) in f.blocks.iter().enumerate() {
        for (at, inst) in block.insts.iter().enumerate() {
            inst.kind.each_def(|reg| {
                let slot = &mut assigned[reg.index()];
                *slot = if matches!(slot, Assigned::Never) {
                    Assigned::Once(Bb(i as u32), at + 1)
                } else {
                    Assigned::Often
                };
            });
        }
    }
    let mut is_temporary: Vec<bool> = assigned.iter().map(|a| matches!(a, Assigned::Once(..))).collect();
    for i in 0..f.blocks.len() {
        let bb = Bb(i as u32);
        let mut read = |value: Val, at: usize| {
            let Val::Reg(reg) = value else { return };
            if let Assigned::Once(from, after) = assigned[reg.index()] {
                let comes_before = if from == bb { after <= at } else { dominators.dominates(from, bb) };
                // What nothing reaches is never read.
                is_temporary[reg.index()] &= comes_before || !cfg.is_reachable(bb);
            }
        };
        let block = &f.blocks[i];
        for (at, inst) in block.insts.iter().enumerate() {
            inst.kind.each_use(|value| read(value, at));
        }
        block.term.each_use(|value| read(value, block.insts.len()));
    }
    for (info, is_temporary) in f.regs.iter_mut().zip(is_temporary) {
        info.mutable = !is_temporary;
    }
}
