//! Dominators and post-dominators, after Cooper, Harvey and Kennedy, "A Simple, Fast Dominance Algorithm".
//!
//! Post-dominators are dominators of the reversed graph from a virtual exit, which every returning, exiting or trapping
//! block precedes. A loop without an exit would have none; the last block of it in reverse postorder is taken to precede
//! the virtual exit too. That adds a path that the program never takes, so a post-dominator that is named always is one.

use super::Cfg;
use crate::Bb;

/// Immediate dominators of the blocks.
#[derive(Clone, Debug)]
pub struct Dominators {
    idom: Vec<Option<Bb>>,
    children: Vec<Vec<Bb>>,
    /// Entry and exit times of a walk over the tree: `a` dominates `b` when `a`'s interval holds `b`'s.
    times: Vec<Option<(u32, u32)>>,
}

/// Intersects two nodes on the way up a tree whose ranks fall towards the root.
fn meet(idom: &[usize], rank: &[usize], mut a: usize, mut b: usize) -> usize {
    while a != b {
        while rank[a] > rank[b] {
            a = idom[a];
        }
        while rank[b] > rank[a] {
            b = idom[b];
        }
    }
    a
}

/// Immediate dominators from `order[0]`, where `order` is a reverse postorder and `preds` gives edges into a node; nodes
/// outside the order are `usize::MAX`.
fn solve(n: usize, order: &[usize], preds: &dyn Fn(usize) -> Vec<usize>) -> Vec<usize> {
    let mut idom = vec![usize::MAX; n];
    let mut rank = vec![usize::MAX; n];
    for (i, &node) in order.iter().enumerate() {
        rank[node] = i;
    }
    let Some(&root) = order.first() else { return idom };
    idom[root] = root;
    let mut changed = true;
    while changed {
        changed = false;
        for &node in &order[1..] {
            let mut found = usize::MAX;
            for pred in preds(node) {
                if rank[pred] != usize::MAX && idom[pred] != usize::MAX {
                    found = if found == usize::MAX { pred } else { meet(&idom, &rank, found, pred) };
                }
            }
            if found != idom[node] {
                idom[node] = found;
                changed = true;
            }
        }
    }
    idom
}

impl Dominators {
    /// The dominators of a graph.
    pub fn new(cfg: &Cfg) -> Dominators {
        let n = cfg.len();
        let order: Vec<usize> = cfg.rpo().iter().map(|b| b.index()).collect();
        let preds = |node: usize| cfg.preds(Bb(node as u32)).iter().map(|b| b.index()).collect();
        let raw = solve(n, &order, &preds);
        let idom: Vec<Option<Bb>> =
            raw.iter().enumerate().map(|(i, &d)| (d != usize::MAX && d != i).then_some(Bb(d as u32))).collect();
        let mut children = vec![Vec::new(); n];
        for &bb in cfg.rpo() {
            if let Some(parent) = idom[bb.index()] {
                children[parent.index()].push(bb);
            }
        }
        let times = times(cfg, &children);
        Dominators { idom, children, times }
    }

    /// The immediate dominator; none of the entry and of unreachable blocks.
    pub fn idom(&self, bb: Bb) -> Option<Bb> {
        self.idom.get(bb.index()).copied().flatten()
    }

    /// The blocks whose immediate dominator is `bb`, in reverse postorder.
    pub fn children(&self, bb: Bb) -> &[Bb] {
        &self.children[bb.index()]
    }

    /// Whether every path from the entry to `b` goes through `a`; a block dominates itself. False for unreachable ones.
    pub fn dominates(&self, a: Bb, b: Bb) -> bool {
        match (self.times.get(a.index()).copied().flatten(), self.times.get(b.index()).copied().flatten()) {
            (Some((a_in, a_out)), Some((b_in, b_out))) => a_in <= b_in && b_out <= a_out,
            _ => false,
        }
    }
}

fn times(cfg: &Cfg, children: &[Vec<Bb>]) -> Vec<Option<(u32, u32)>> {
    let mut times = vec![None; cfg.len()];
    let Some(&root) = cfg.rpo().first() else { return times };
    let mut clock = 0;
    let mut stack = vec![(root, 0, 0)];
    while let Some((bb, start, next)) = stack.last_mut() {
        if *next == 0 {
            clock += 1;
            *start = clock;
        }
        if let Some(&child) = children[bb.index()].get(*next) {
            *next += 1;
            stack.push((child, 0, 0));
        } else {
            clock += 1;
            times[bb.index()] = Some((*start, clock));
            stack.pop();
        }
    }
    times
}

/// Immediate post-dominators of the blocks.
#[derive(Clone, Debug)]
pub struct PostDominators {
    ipdom: Vec<Option<Bb>>,
}

impl PostDominators {
    /// The post-dominators of a graph.
    pub fn new(cfg: &Cfg) -> PostDominators {
        let n = cfg.len();
        let exit = n;
        // Blocks that end the function, then one of each loop without an exit.
        let mut ends: Vec<usize> = cfg.rpo().iter().filter(|&&b| cfg.succs(b).is_empty()).map(|b| b.index()).collect();
        let mut post = Vec::new();
        let mut seen = vec![false; n];
        for &end in &ends {
            reverse_post(cfg, end, &mut seen, &mut post);
        }
        for bb in cfg.rpo().iter().rev() {
            if !seen[bb.index()] {
                ends.push(bb.index());
                reverse_post(cfg, bb.index(), &mut seen, &mut post);
            }
        }
        let mut is_end = vec![false; n];
        for &end in &ends {
            is_end[end] = true;
        }
        let order: Vec<usize> = std::iter::once(exit).chain(post.into_iter().rev()).collect();
        let preds = |node: usize| {
            let mut list: Vec<usize> = cfg.succs(Bb(node as u32)).iter().map(|b| b.index()).collect();
            if is_end[node] {
                list.push(exit);
            }
            list
        };
        let raw = solve(n + 1, &order, &preds);
        let ipdom = raw[..n].iter().map(|&d| (d < n).then_some(Bb(d as u32))).collect();
        PostDominators { ipdom }
    }

    /// The immediate post-dominator: where the two ways of a branch at the end of `bb` meet again at the latest. None where
    /// that is the end of the function, and of unreachable blocks.
    pub fn ipdom(&self, bb: Bb) -> Option<Bb> {
        self.ipdom.get(bb.index()).copied().flatten()
    }
}

/// Adds to `post`, each after the blocks before it, the reachable blocks that lead to `from`.
fn reverse_post(cfg: &Cfg, from: usize, seen: &mut [bool], post: &mut Vec<usize>) {
    if std::mem::replace(&mut seen[from], true) {
        return;
    }
    let mut stack = vec![(from, 0)];
    while let Some((node, next)) = stack.last_mut() {
        let preds = cfg.preds(Bb(*node as u32));
        if let Some(&pred) = preds.get(*next) {
            *next += 1;
            if cfg.is_reachable(pred) && !seen[pred.index()] {
                seen[pred.index()] = true;
                stack.push((pred.index(), 0));
            }
        } else {
            post.push(*node);
            stack.pop();
        }
    }
}
