//! The graph of a function's blocks.

use crate::{Bb, Function};

/// Predecessors, successors and an order of the blocks.
#[derive(Clone, Debug)]
pub struct Cfg {
    preds: Vec<Vec<Bb>>,
    succs: Vec<Vec<Bb>>,
    rpo: Vec<Bb>,
    rank: Vec<Option<u32>>,
}

impl Cfg {
    /// The graph of `f`. Successors that do not exist are left out.
    pub fn new(f: &Function) -> Cfg {
        let n = f.blocks.len();
        let mut preds = vec![Vec::new(); n];
        let mut succs = Vec::with_capacity(n);
        for (i, block) in f.blocks.iter().enumerate() {
            // A branch whose arms are the same block is one edge.
            let mut list: Vec<Bb> = Vec::new();
            for bb in block.term.successors() {
                if bb.index() < n && !list.contains(&bb) {
                    list.push(bb);
                    preds[bb.index()].push(Bb(i as u32));
                }
            }
            succs.push(list);
        }
        let mut rpo = post_order(&succs, 0);
        rpo.reverse();
        let mut rank = vec![None; n];
        for (i, &b) in rpo.iter().enumerate() {
            rank[b] = Some(i as u32);
        }
        let rpo = rpo.into_iter().map(|b| Bb(b as u32)).collect();
        Cfg { preds, succs, rpo, rank }
    }

    /// Number of blocks, unreachable ones included.
    pub fn len(&self) -> usize {
        self.succs.len()
    }

    /// Whether there are no blocks.
    pub fn is_empty(&self) -> bool {
        self.succs.is_empty()
    }

    /// The blocks that may come before `bb`, unreachable ones included.
    pub fn preds(&self, bb: Bb) -> &[Bb] {
        &self.preds[bb.index()]
    }

    /// The blocks that may come after `bb`, each once.
    pub fn succs(&self, bb: Bb) -> &[Bb] {
        &self.succs[bb.index()]
    }

    /// The blocks that the entry reaches, in reverse postorder: a block stands after its predecessors, but for the edges
    /// that close a loop.
    pub fn rpo(&self) -> &[Bb] {
        &self.rpo
    }

    /// The place of `bb` in [`Cfg::rpo`]; none if the entry does not reach it.
    pub fn rank(&self, bb: Bb) -> Option<u32> {
        self.rank.get(bb.index()).copied().flatten()
    }

    /// Whether the entry reaches `bb`.
    pub fn is_reachable(&self, bb: Bb) -> bool {
        self.rank(bb).is_some()
    }
}

/// The nodes that `root` reaches, each after its successors, without recursion.
fn post_order(succs: &[Vec<Bb>], root: usize) -> Vec<usize> {
    let mut order = Vec::new();
    let mut seen = vec![false; succs.len()];
    let mut stack = Vec::new();
    if root < succs.len() {
        seen[root] = true;
        stack.push((root, 0));
    }
    while let Some((node, next)) = stack.last_mut() {
        if let Some(succ) = succs[*node].get(*next) {
            *next += 1;
            let succ = succ.index();
            if !seen[succ] {
                seen[succ] = true;
                stack.push((succ, 0));
            }
        } else {
            order.push(*node);
            stack.pop();
        }
    }
    order
}
