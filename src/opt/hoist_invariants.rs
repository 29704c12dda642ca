//! Loop-invariant code motion: what computes the same value in each iteration of a loop is computed once before it.
//!
//! Only pure instructions move, so nothing that another thread could see changes its place. They move to the end of the one
//! block from which the loop is entered, if they are in a block through which each iteration goes. The result must be a
//! register with one definition, and no operand may change in the loop.
//!
//! (Muchnick, "Advanced Compiler Design and Implementation", 13.2.)

use ir::analysis::{Cfg, Dominators, Loop, Loops};
use ir::{Bb, Function, Val};

/// Runs the pass over a function, from inner loops to outer ones.
pub(crate) fn run(f: &mut Function) {
    let cfg = Cfg::new(f);
    let dom = Dominators::new(&cfg);
    let loops = Loops::new(&cfg, &dom);
    // A loop that begins with the function has no block before it.
    for natural in loops.all().iter().rev().filter(|l| l.header != Bb(0)) {
        let mut outside = cfg.preds(natural.header).iter().filter(|p| natural.blocks.binary_search(p).is_err());
        if let (Some(&before), None) = (outside.next(), outside.next()) {
            hoist(f, &cfg, &dom, natural, before);
        }
    }
}

/// Moves the invariants of a loop to the end of the block before it.
fn hoist(f: &mut Function, cfg: &Cfg, dom: &Dominators, natural: &Loop, before: Bb) {
    let mut changes = vec![false; f.regs.len()];
    for &bb in &natural.blocks {
        for inst in &f.block(bb).insts {
            inst.kind.each_def(|r| changes[r.index()] = true);
        }
    }
    let in_every_iteration = |bb: Bb| natural.latches.iter().all(|&latch| dom.dominates(bb, latch));
    let blocks: Vec<Bb> = cfg.rpo().iter().copied().filter(|bb| natural.blocks.binary_search(bb).is_ok()).collect();
    let mut moved = Vec::new();
    for bb in blocks.into_iter().filter(|&bb| in_every_iteration(bb)) {
        for inst in std::mem::take(&mut f.blocks[bb.index()].insts) {
            let mut fixed = inst.kind.is_pure() && inst.kind.def().is_some_and(|dst| !f.is_mutable(dst));
            inst.kind.each_use(|v| fixed &= !matches!(v, Val::Reg(r) if changes[r.index()]));
            if fixed {
                inst.kind.each_def(|r| changes[r.index()] = false);
                moved.push(inst);
            } else {
                f.blocks[bb.index()].insts.push(inst);
            }
        }
    }
    f.blocks[before.index()].insts.append(&mut moved);
}
