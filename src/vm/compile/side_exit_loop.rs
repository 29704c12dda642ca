//! Finds the loops of device code that lanes leave one after another and that only compute and load.
//!
//! Such a loop (a recurrence, a series, the product of a row and a column) is a straight line of blocks from its head back to
//! it, with side exits and one back edge. All side exits lead to one block, at which the lanes that left wait for the others,
//! and all on the same side of their branch. So lanes that leave only make the mask smaller until all have left, and compiled
//! code need not be left when they do (`native`).

use ir::analysis::{Loops, PostDominators};
use ir::{Bb, Function, InstKind, Term, Val};
use std::collections::BTreeMap;

/// A loop in the IR.
#[derive(Debug)]
pub(crate) struct Candidate {
    /// From the head on.
    pub(crate) blocks: Vec<Bb>,
    pub(crate) exit: Bb,
    pub(crate) takes: bool,
}

/// The loops of a function, by head.
pub(crate) fn find(f: &Function, loops: &Loops, post: &PostDominators) -> BTreeMap<Bb, Candidate> {
    let mut out = BTreeMap::new();
    for of in loops.all() {
        if let Some(candidate) = chain(f, post, of.header, &of.blocks) {
            out.insert(of.header, candidate);
        }
    }
    out
}

/// The loop with that head, if it is a straight line that only computes.
fn chain(f: &Function, post: &PostDominators, head: Bb, inside: &[Bb]) -> Option<Candidate> {
    let is_known = |kind: &InstKind| match kind {
        InstKind::Stmt | InstKind::BackEdge | InstKind::Load { .. } => true,
        InstKind::Addr { .. } | InstKind::Special { .. } => false,
        _ => kind.is_pure(),
    };
    let mut blocks = Vec::new();
    let mut leaving: Option<(Bb, bool)> = None;
    let mut at = head;
    loop {
        let block = f.block(at);
        if blocks.contains(&at) || !block.insts.iter().all(|inst| is_known(&inst.kind)) {
            return None;
        }
        blocks.push(at);
        at = match block.term {
            Term::Jump(to) => to,
            Term::Branch { cond: Val::Reg(_), then_bb, else_bb } => {
                let takes = inside.contains(&else_bb);
                if takes == inside.contains(&then_bb) {
                    return None;
                }
                let (next, exit) = if takes { (else_bb, then_bb) } else { (then_bb, else_bb) };
                if post.ipdom(at) != Some(exit) || *leaving.get_or_insert((exit, takes)) != (exit, takes) {
                    return None;
                }
                next
            }
            _ => return None,
        };
        if at == head {
            break;
        }
    }
    let (exit, takes) = leaving?;
    if blocks.len() != inside.len() {
        return None;
    }
    let insts = || blocks.iter().flat_map(|&bb| &f.block(bb).insts);
    let edges = insts().filter(|inst| matches!(inst.kind, InstKind::BackEdge)).count();
    (edges == 1).then_some(Candidate { blocks, exit, takes })
}
