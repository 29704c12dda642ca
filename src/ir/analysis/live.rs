//! Which registers are live where.
//!
//! A register is live where a path leads to a read of it without an assignment in between. Only registers that some block
//! reads before it assigns them can be live between blocks; the sets have a bit for each of those alone, so that the many
//! temporaries of a long block cost nothing.
//!
//! The debugger's reads do not count here: who keeps variables for it (dead code elimination, uniformity) says so itself.

use super::{BitSet, Cfg};
use crate::{Bb, Function, Reg, Val};

/// Registers live at the beginning and the end of each block.
#[derive(Clone, Debug)]
pub struct Liveness {
    /// Dense number of each register that is live between some blocks.
    index: Vec<Option<u32>>,
    regs: Vec<Reg>,
    live_in: Vec<BitSet>,
    live_out: Vec<BitSet>,
}

impl Liveness {
    /// The liveness of `f`, whose graph is `cfg`.
    pub fn new(f: &Function, cfg: &Cfg) -> Liveness {
        Liveness::with_uses(f, cfg, &|_, _, _| ())
    }

    /// The same where instructions read more than their operands: `more` is called with the block and the index of each and
    /// tells what else it reads.
    pub fn with_uses(f: &Function, cfg: &Cfg, more: &dyn Fn(Bb, usize, &mut dyn FnMut(Reg))) -> Liveness {
        let mut index = vec![None; f.regs.len()];
        let mut regs = Vec::new();
        let mut assigned_in = vec![u32::MAX; f.regs.len()];
        for (b, block) in f.blocks.iter().enumerate() {
            let mut read = |assigned_in: &[u32], val: Val| {
                if let Val::Reg(r) = val
                    && assigned_in.get(r.index()).is_some_and(|&at| at != b as u32)
                    && index[r.index()].is_none()
                {
                    index[r.index()] = Some(regs.len() as u32);
                    regs.push(r);
                }
            };
            for (at, inst) in block.insts.iter().enumerate() {
                inst.kind.each_use(|v| read(&assigned_in, v));
                more(Bb(b as u32), at, &mut |r| read(&assigned_in, Val::Reg(r)));
                inst.kind.each_def(|r| {
                    if let Some(at) = assigned_in.get_mut(r.index()) {
                        *at = b as u32;
                    }
                });
            }
            block.term.each_use(|v| read(&assigned_in, v));
        }
        let n = regs.len();
        let mut live = Liveness {
            index,
            regs,
            live_in: vec![BitSet::new(n); f.blocks.len()],
            live_out: vec![BitSet::new(n); f.blocks.len()],
        };
        live.solve(f, cfg, more);
        live
    }

    fn solve(&mut self, f: &Function, cfg: &Cfg, more: &dyn Fn(Bb, usize, &mut dyn FnMut(Reg))) {
        let n = self.regs.len();
        let mut reads = vec![BitSet::new(n); f.blocks.len()];
        let mut writes = vec![BitSet::new(n); f.blocks.len()];
        for (b, block) in f.blocks.iter().enumerate() {
            let (reads, writes) = (&mut reads[b], &mut writes[b]);
            let dense = |r: Reg| self.index.get(r.index()).copied().flatten().map(|i| i as usize);
            let read = |reads: &mut BitSet, writes: &BitSet, val: Val| {
                if let Val::Reg(r) = val
                    && let Some(i) = dense(r)
                    && !writes.contains(i)
                {
                    reads.insert(i);
                }
            };
            for (at, inst) in block.insts.iter().enumerate() {
                inst.kind.each_use(|v| read(reads, writes, v));
                more(Bb(b as u32), at, &mut |r| read(reads, writes, Val::Reg(r)));
                inst.kind.each_def(|r| {
                    if let Some(i) = dense(r) {
                        writes.insert(i);
                    }
                });
            }
            block.term.each_use(|v| read(reads, writes, v));
        }
        let mut changed = true;
        while changed {
            changed = false;
            for &bb in cfg.rpo().iter().rev() {
                let b = bb.index();
                for &succ in cfg.succs(bb) {
                    let from = std::mem::take(&mut self.live_in[succ.index()]);
                    self.live_out[b].union(&from);
                    self.live_in[succ.index()] = from;
                }
                let mut now = self.live_out[b].clone();
                now.subtract(&writes[b]);
                now.union(&reads[b]);
                if now != self.live_in[b] {
                    self.live_in[b] = now;
                    changed = true;
                }
            }
        }
    }

    fn has(&self, sets: &[BitSet], bb: Bb, reg: Reg) -> bool {
        let dense = self.index.get(reg.index()).copied().flatten();
        dense.is_some_and(|i| sets.get(bb.index()).is_some_and(|s| s.contains(i as usize)))
    }

    /// Whether `reg` is live at the beginning of `bb`.
    pub fn is_live_in(&self, bb: Bb, reg: Reg) -> bool {
        self.has(&self.live_in, bb, reg)
    }

    /// The registers that are live at the beginning of `bb`, in the order of their first read.
    pub fn live_in(&self, bb: Bb) -> impl Iterator<Item = Reg> + '_ {
        self.live_in.get(bb.index()).into_iter().flat_map(BitSet::iter).map(|i| self.regs[i])
    }

    /// The registers that are live at the end of `bb`, in the order of their first read.
    pub fn live_out(&self, bb: Bb) -> impl Iterator<Item = Reg> + '_ {
        self.live_out.get(bb.index()).into_iter().flat_map(BitSet::iter).map(|i| self.regs[i])
    }
}
