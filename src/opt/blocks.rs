//! Blocks: jumps go through empty blocks, a block joins the one that alone leads to it, unreachable ones vanish.
//!
//! A block with a Stmt mark is not empty, so that every place where the debugger stops stays. Blocks keep their order.

use ir::analysis::Cfg;
use ir::{Bb, Function, Term};

/// Runs the pass over a function.
pub(crate) fn run(f: &mut Function) {
    thread(f);
    join(f);
    sweep(f);
}

/// Makes terminators go where an empty block would send them.
fn thread(f: &mut Function) {
    let n = f.blocks.len();
    let next: Vec<Option<Bb>> = f
        .blocks
        .iter()
        .enumerate()
        .map(|(i, b)| match b.term {
            Term::Jump(to) if b.insts.is_empty() && to.index() != i => Some(to),
            _ => None,
        })
        .collect();
    let end = |from: Bb| {
        let mut at = from;
        // Empty blocks may jump in a circle; more steps than blocks are one.
        for _ in 0..n {
            match next[at.index()] {
                Some(to) => at = to,
                None => return at,
            }
        }
        from
    };
    for block in &mut f.blocks {
        block.term.each_successor_mut(|bb| *bb = end(*bb));
    }
}

/// Joins blocks to their only predecessor, where that has no other successor.
fn join(f: &mut Function) {
    let cfg = Cfg::new(f);
    for &bb in cfg.rpo() {
        // A block that was joined to another is empty now and is passed over.
        while let Term::Jump(next) = f.block(bb).term {
            let only = cfg.preds(next).iter().filter(|&&p| cfg.is_reachable(p)).count() == 1;
            if next == bb || next == Bb(0) || !only {
                break;
            }
            let joined = &mut f.blocks[next.index()];
            let insts = std::mem::take(&mut joined.insts);
            let term = std::mem::replace(&mut joined.term, Term::Trap(ir::Trap::Unreachable));
            let term_span = joined.term_span;
            let block = &mut f.blocks[bb.index()];
            block.insts.extend(insts);
            block.term = term;
            block.term_span = term_span;
        }
    }
}

/// Removes blocks that the entry does not reach.
fn sweep(f: &mut Function) {
    let cfg = Cfg::new(f);
    let mut number = Vec::with_capacity(f.blocks.len());
    let mut kept = 0;
    for i in 0..f.blocks.len() {
        number.push(Bb(kept));
        kept += u32::from(cfg.is_reachable(Bb(i as u32)));
    }
    let mut i = 0;
    f.blocks.retain(|_| {
        i += 1;
        cfg.is_reachable(Bb(i - 1))
    });
    for block in &mut f.blocks {
        block.term.each_successor_mut(|bb| *bb = number[bb.index()]);
    }
}
