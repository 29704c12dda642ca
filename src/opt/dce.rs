//! Dead code: a pure instruction whose result nobody reads is dropped.
//!
//! Registers of source variables, and those that places and shapes of variables name, count as read: the debugger shows
//! them. Everything that is not pure stays, loads with an unused result too: they are schedule points, and what they touch
//! is checked.

use ir::analysis::{BitSet, Cfg, Liveness};
use ir::{Function, Inst, InstKind, Reg, Val};

/// Runs the pass over a function.
pub(crate) fn run(f: &mut Function) {
    let mut kept = BitSet::new(f.regs.len());
    for reg in f.var_regs() {
        kept.insert(reg.index());
    }
    for (i, _) in f.regs.iter().enumerate().filter(|(_, r)| r.var.is_some()) {
        kept.insert(i);
    }
    // What an instruction read that went may be dead in a block before.
    while sweep(f, &kept) {}
}

fn sweep(f: &mut Function, kept: &BitSet) -> bool {
    let cfg = Cfg::new(f);
    let live = Liveness::new(f, &cfg);
    let mut read = BitSet::new(f.regs.len());
    let mut changed = false;
    for &bb in cfg.rpo() {
        let out: Vec<Reg> = live.live_out(bb).collect();
        let block = &mut f.blocks[bb.index()];
        let mut touched = out.clone();
        for reg in out {
            read.insert(reg.index());
        }
        let mut mark = |read: &mut BitSet, val: Val| {
            if let Val::Reg(r) = val {
                read.insert(r.index());
                touched.push(r);
            }
        };
        block.term.each_use(|v| mark(&mut read, v));
        let mut insts: Vec<Inst> = Vec::with_capacity(block.insts.len());
        let before = block.insts.len();
        for inst in std::mem::take(&mut block.insts).into_iter().rev() {
            let droppable = inst.kind.is_pure() || matches!(inst.kind, InstKind::Special { .. });
            let dead = inst.kind.def().is_some_and(|r| !read.contains(r.index()) && !kept.contains(r.index()));
            if droppable && dead {
                continue;
            }
            inst.kind.each_def(|r| read.remove(r.index()));
            inst.kind.each_use(|v| mark(&mut read, v));
            insts.push(inst);
        }
        insts.reverse();
        changed |= insts.len() != before;
        block.insts = insts;
        for reg in touched {
            read.remove(reg.index());
        }
    }
    changed
}
