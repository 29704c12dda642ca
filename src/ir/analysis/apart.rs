//! Blocks through which lanes of a warp may go at different times.
//!
//! Not here: where threads of a thread block may wait for others that never come (`footprint`).

use super::{BitSet, Cfg, PostDominators, UniformLevel, UniformOptions, uniform};
use crate::{Bb, Function, Term, Val};

/// For each block of `f`, whether lanes of one warp that began the function together may be in it, or have come to it, more than
/// once apart from each other: some lanes of a divergent branch come to it on one way, and others on another way or from
/// behind the place where they were to meet. Where a block is not one of them, all lanes that come to it in one round of the
/// loops around it come together.
pub fn blocks_entered_apart(f: &Function, cfg: &Cfg) -> Vec<bool> {
    let pdom = PostDominators::new(cfg);
    let mut out = vec![false; f.blocks.len()];
    for bb in divergent_branches(f, cfg, UniformLevel::Warp) {
        let meeting = pdom.ipdom(bb);
        let behind = meeting.map(|bb| reached(cfg, [bb], None));
        let mut seen = BitSet::new(f.blocks.len());
        for &way in cfg.succs(bb) {
            for at in reached(cfg, [way], meeting).iter() {
                let is_again = !seen.insert(at) || behind.as_ref().is_some_and(|behind| behind.contains(at));
                out[at] |= is_again;
            }
        }
    }
    out
}

/// The blocks that end with a branch at which threads may disagree.
pub(super) fn divergent_branches(f: &Function, cfg: &Cfg, level: UniformLevel) -> Vec<Bb> {
    let options = UniformOptions { level, params: &[], keep_variables: false };
    let same = uniform(f, cfg, options);
    let is_divergent = |bb: &Bb| {
        let cond = match &f.block(*bb).term {
            Term::Branch { cond, .. } => *cond,
            Term::Switch { value, .. } => *value,
            Term::Jump(_) | Term::Return(_) | Term::Exit | Term::Trap(_) => return false,
        };
        matches!(cond, Val::Reg(r) if !same.contains(r.index()))
    };
    cfg.rpo().iter().copied().filter(is_divergent).collect()
}

/// The blocks to which ways lead that begin with one of `from`, itself included, and do not go through `stop`.
pub(super) fn reached(cfg: &Cfg, from: impl IntoIterator<Item = Bb>, stop: Option<Bb>) -> BitSet {
    let mut seen = BitSet::new(cfg.len());
    let mut stack: Vec<Bb> = from.into_iter().collect();
    while let Some(at) = stack.pop() {
        if Some(at) != stop && seen.insert(at.index()) {
            stack.extend(cfg.succs(at));
        }
    }
    seen
}
