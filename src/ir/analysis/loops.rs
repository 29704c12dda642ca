//! Natural loops: a header that dominates the source of an edge back to it, and all blocks that reach that edge without
//! the header.
//!
//! Edges back to one header are one loop. A cycle that is entered at two places (a GO TO into a loop) has no header and is
//! no loop here.

use super::{Cfg, Dominators};
use crate::Bb;

/// Number of a loop; an outer loop has a lower number than the loops in it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct LoopId(pub u32);

/// A loop.
#[derive(Clone, Debug)]
pub struct Loop {
    /// The block through which it is entered.
    pub header: Bb,
    /// Its blocks, those of inner loops included, ascending.
    pub blocks: Vec<Bb>,
    /// The blocks that go back to the header.
    pub latches: Vec<Bb>,
    /// The loop around it.
    pub parent: Option<LoopId>,
}

/// The loops of a function.
#[derive(Clone, Debug)]
pub struct Loops {
    loops: Vec<Loop>,
    innermost: Vec<Option<LoopId>>,
}

impl Loops {
    /// The loops of a graph.
    pub fn new(cfg: &Cfg, dom: &Dominators) -> Loops {
        let mut loops: Vec<Loop> = Vec::new();
        let mut innermost = vec![None; cfg.len()];
        // Outer headers come first in reverse postorder, so that an inner loop overwrites what an outer one said.
        for &header in cfg.rpo() {
            let latches: Vec<Bb> = cfg.preds(header).iter().copied().filter(|&p| dom.dominates(header, p)).collect();
            if latches.is_empty() {
                continue;
            }
            let mut seen = vec![false; cfg.len()];
            seen[header.index()] = true;
            let mut blocks = vec![header];
            let mut stack: Vec<Bb> = latches.clone();
            while let Some(bb) = stack.pop() {
                if cfg.is_reachable(bb) && !std::mem::replace(&mut seen[bb.index()], true) {
                    blocks.push(bb);
                    stack.extend(cfg.preds(bb));
                }
            }
            blocks.sort_unstable();
            let id = LoopId(loops.len() as u32);
            let parent = innermost[header.index()];
            for bb in &blocks {
                innermost[bb.index()] = Some(id);
            }
            loops.push(Loop { header, blocks, latches, parent });
        }
        Loops { loops, innermost }
    }

    /// All loops, outer before inner.
    pub fn all(&self) -> &[Loop] {
        &self.loops
    }

    /// The loop of that number.
    pub fn get(&self, id: LoopId) -> &Loop {
        &self.loops[id.0 as usize]
    }

    /// The innermost loop that `bb` is in.
    pub fn of(&self, bb: Bb) -> Option<LoopId> {
        self.innermost.get(bb.index()).copied().flatten()
    }

    /// How many loops `bb` is in.
    pub fn depth(&self, bb: Bb) -> usize {
        std::iter::successors(self.of(bb), |&id| self.get(id).parent).count()
    }
}
