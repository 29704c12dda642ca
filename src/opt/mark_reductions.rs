//! Marks atomics whose old value the program does not use.
//!
//! In CUDA Fortran an atomic is a function, so `old = atomicadd(h(i), 1)` has a result even where nothing reads `old`. Such
//! an atomic is a reduction: PTX prints `red`, the race detector lets it acquire nothing, and blocks that run ahead of their
//! turn need not wait for it. All of them ask [`ir::InstKind::Atomic`]'s `used`.
//!
//! The decision must not depend on the optimisation level or on whether a debugger watches, so this pass runs first, at every
//! level, on the IR that lowering made. It ignores what a debugger shows. It changes no register: where a debugger watches,
//! the variable still receives the old value, and elsewhere dead code elimination drops it.

use ir::analysis::{BitSet, Cfg, StrongLiveness};
use ir::{Bb, Function, InstKind};

/// Runs the pass over a function.
pub(crate) fn run(f: &mut Function) {
    if !f.blocks.iter().flat_map(|b| &b.insts).any(|inst| matches!(inst.kind, InstKind::Atomic { .. })) {
        return;
    }
    let cfg = Cfg::new(f);
    let live = StrongLiveness::new(f, &cfg, BitSet::default());
    let used: Vec<(Bb, Vec<bool>)> = cfg.rpo().iter().map(|&bb| (bb, live.used_results(bb))).collect();
    for (bb, used) in used {
        for (inst, is_used) in f.blocks[bb.index()].insts.iter_mut().zip(used) {
            if let InstKind::Atomic { used, .. } = &mut inst.kind {
                *used &= is_used;
            }
        }
    }
}
