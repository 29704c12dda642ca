//! Versions of mutable registers.
//!
//! A mutable register may be assigned many times, so "the value of `%4`" means something only together with a place. Each
//! assignment begins a new *version*; so does the beginning of a block where different versions meet, which is a block of
//! the iterated dominance frontier of the assignments (Cytron and others, "Efficiently Computing Static Single Assignment
//! Form"). Two reads of the same (register, version) give the same value in the same execution of the code between them;
//! a temporary has one version, 0.
//!
//! Versions are not stored for each place, because a long main program has thousands of variables and blocks. A
//! [`VersionWalk`] goes down the dominator tree with the caller and knows the version of each register where the caller is.

use super::{Cfg, Dominators};
use crate::{Bb, Function, Reg};

/// Where versions begin at the beginning of a block.
#[derive(Clone, Debug)]
pub struct Versions {
    /// For each block, the mutable registers of which different versions may meet there, ascending.
    meets: Vec<Vec<Reg>>,
}

impl Versions {
    /// The versions of `f`.
    pub fn new(f: &Function, cfg: &Cfg, dom: &Dominators) -> Versions {
        let n = f.blocks.len();
        let frontier = frontiers(cfg, dom);
        let mut defs: Vec<Vec<Bb>> = vec![Vec::new(); f.regs.len()];
        for &bb in cfg.rpo() {
            for inst in &f.block(bb).insts {
                inst.kind.each_def(|r| {
                    if f.is_mutable(r) && defs[r.index()].last() != Some(&bb) {
                        defs[r.index()].push(bb);
                    }
                });
            }
        }
        let mut meets = vec![Vec::new(); n];
        let mut placed = vec![u32::MAX; n];
        for (r, blocks) in defs.iter().enumerate() {
            let mut work = blocks.clone();
            while let Some(bb) = work.pop() {
                for &join in &frontier[bb.index()] {
                    if placed[join.index()] != r as u32 {
                        placed[join.index()] = r as u32;
                        meets[join.index()].push(Reg(r as u32));
                        work.push(join);
                    }
                }
            }
        }
        Versions { meets }
    }

    /// The mutable registers that have a new version at the beginning of `bb`, ascending.
    pub fn meets(&self, bb: Bb) -> &[Reg] {
        &self.meets[bb.index()]
    }
}

fn frontiers(cfg: &Cfg, dom: &Dominators) -> Vec<Vec<Bb>> {
    let mut frontier: Vec<Vec<Bb>> = vec![Vec::new(); cfg.len()];
    let entry = cfg.rpo().first().copied();
    for &bb in cfg.rpo() {
        // The entry meets what was there before the function began, if something goes back to it.
        if cfg.preds(bb).len() < 2 && Some(bb) != entry {
            continue;
        }
        for &pred in cfg.preds(bb) {
            let mut runner = cfg.is_reachable(pred).then_some(pred);
            while let Some(at) = runner.filter(|&at| Some(at) != dom.idom(bb)) {
                if frontier[at.index()].last() != Some(&bb) {
                    frontier[at.index()].push(bb);
                }
                runner = dom.idom(at);
            }
        }
    }
    frontier
}

/// The versions of all registers at a place that moves down the dominator tree.
///
/// The caller calls [`VersionWalk::enter`] for a block, [`VersionWalk::define`] for each register as it goes over the
/// instructions, enters the blocks that this one dominates, and calls [`VersionWalk::leave`].
#[derive(Clone, Debug)]
pub struct VersionWalk<'a> {
    versions: &'a Versions,
    current: Vec<u32>,
    last: Vec<u32>,
    undo: Vec<(Reg, u32)>,
    marks: Vec<usize>,
}

impl<'a> VersionWalk<'a> {
    /// A walk that has entered no block.
    pub fn new(f: &Function, versions: &'a Versions) -> VersionWalk<'a> {
        let n = f.regs.len();
        VersionWalk { versions, current: vec![0; n], last: vec![0; n], undo: Vec::new(), marks: Vec::new() }
    }

    /// Goes to the beginning of `bb`.
    pub fn enter(&mut self, bb: Bb) {
        self.marks.push(self.undo.len());
        for i in 0..self.versions.meets(bb).len() {
            self.define(self.versions.meets(bb)[i]);
        }
    }

    /// Goes past an assignment of `reg`; gives the new version.
    pub fn define(&mut self, reg: Reg) -> u32 {
        let i = reg.index();
        self.undo.push((reg, self.current[i]));
        self.last[i] += 1;
        self.current[i] = self.last[i];
        self.current[i]
    }

    /// Makes room for one more register, a temporary that a pass has added.
    pub fn add_reg(&mut self) {
        self.current.push(0);
        self.last.push(0);
    }

    /// The version of `reg` here.
    pub fn version(&self, reg: Reg) -> u32 {
        self.current[reg.index()]
    }

    /// Goes back to where the last block that was entered had not been.
    pub fn leave(&mut self) {
        let mark = self.marks.pop().unwrap_or(0);
        for (reg, version) in self.undo.drain(mark..).rev() {
            self.current[reg.index()] = version;
        }
    }
}
