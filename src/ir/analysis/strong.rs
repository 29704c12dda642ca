//! Strong liveness: which results something depends on, through any chain of computations.
//!
//! A register is strongly live where a path leads to a use that has an effect: the operand of a memory access, a call, a
//! synchronisation or a terminator, or the operand of a computation whose own result is strongly live there. So a counter
//! that only counts itself is dead, where plain liveness ([`super::Liveness`]) calls it live. (Giegerich, Möncke and Wilhelm,
//! "Invariance of approximative semantics with respect to program transformations", 1981; dead registers of this kind are
//! also called faint.)
//!
//! Uses by a debugger do not count, unless the client names the registers that it shows.

use super::{BitSet, Cfg};
use crate::{Bb, Function, InstKind, Reg, Val};

/// The strongly live registers at the end of each block.
#[derive(Clone, Debug)]
pub struct StrongLiveness<'a> {
    f: &'a Function,
    /// Registers whose assignments all count as used.
    kept: BitSet,
    live_out: Vec<BitSet>,
}

impl<'a> StrongLiveness<'a> {
    /// The strong liveness of `f`, whose graph is `cfg`; every assignment to a register of `kept` counts as used.
    pub fn new(f: &'a Function, cfg: &Cfg, kept: BitSet) -> StrongLiveness<'a> {
        let n = f.regs.len();
        let mut live_in = vec![BitSet::new(n); f.blocks.len()];
        let mut liveness = StrongLiveness { f, kept, live_out: vec![BitSet::new(n); f.blocks.len()] };
        let mut changed = true;
        while changed {
            changed = false;
            for &bb in cfg.rpo().iter().rev() {
                let mut out = BitSet::new(n);
                cfg.succs(bb).iter().for_each(|succ| {
                    out.union(&live_in[succ.index()]);
                });
                liveness.live_out[bb.index()] = out;
                let now = liveness.walk(bb, |_, _| {});
                changed |= live_in[bb.index()].union(&now);
            }
        }
        liveness
    }

    /// For each instruction of a block, whether something depends on one of its results. An instruction without results
    /// counts as used.
    pub fn used_results(&self, bb: Bb) -> Vec<bool> {
        let mut used = vec![true; self.f.block(bb).insts.len()];
        self.walk(bb, |at, is_used| used[at] = is_used);
        used
    }

    /// Walks a block backwards; gives the registers that are live at its beginning.
    fn walk(&self, bb: Bb, mut visit: impl FnMut(usize, bool)) -> BitSet {
        let block = self.f.block(bb);
        let mut live = self.live_out[bb.index()].clone();
        block.term.each_use(|v| add(&mut live, v));
        for (at, inst) in block.insts.iter().enumerate().rev() {
            let (mut results, mut is_used) = (0, false);
            inst.kind.each_def(|r| {
                results += 1;
                is_used |= live.contains(r.index()) || self.kept.contains(r.index());
            });
            visit(at, is_used || results == 0);
            inst.kind.each_def(|r| live.remove(r.index()));
            if is_used || !is_computation(&inst.kind) {
                inst.kind.each_use(|v| add(&mut live, v));
            }
        }
        live
    }
}

fn add(live: &mut BitSet, val: Val) {
    if let Val::Reg(Reg(r)) = val {
        live.insert(r as usize);
    }
}

/// Whether an instruction does nothing but give its result.
pub fn is_computation(kind: &InstKind) -> bool {
    kind.is_pure() || matches!(kind, InstKind::Special { .. })
}
