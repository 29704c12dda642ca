//! Simplification of the control-flow graph: branches with one possible target become jumps, jumps go through empty blocks, a
//! block joins its only predecessor, unreachable blocks vanish.
//!
//! A block with a Stmt mark is not empty, so every place where the debugger stops stays. Blocks keep their order.

use ir::analysis::Cfg;
use ir::{Bb, Function, Term, Val};
use scalar::bits;

/// Runs the pass over a function.
pub(crate) fn run(f: &mut Function) {
    fold_branches(f);
    thread_jumps(f);
    join_blocks(f);
    remove_unreachable(f);
}

/// Turns branches with a constant condition, or with one target, into jumps.
fn fold_branches(f: &mut Function) {
    for block in &mut f.blocks {
        let target = match &block.term {
            Term::Branch { cond: Val::Imm(c), then_bb, else_bb } => Some(if c & 1 != 0 { *then_bb } else { *else_bb }),
            Term::Branch { then_bb, else_bb, .. } => (then_bb == else_bb).then_some(*then_bb),
            Term::Switch { ty, value: Val::Imm(c), arms, default } => {
                let value = bits::signed(*ty, *c);
                Some(arms.iter().find(|(n, _)| *n == value).map_or(*default, |(_, bb)| *bb))
            }
            Term::Switch { arms, default, .. } => arms.iter().all(|(_, bb)| bb == default).then_some(*default),
            Term::Jump(_) | Term::Return(_) | Term::Exit | Term::Trap(_) => None,
        };
        if let Some(bb) = target {
            block.term = Term::Jump(bb);
        }
    }
}

/// Makes terminators go where an empty block would send them.
fn thread_jumps(f: &mut Function) {
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
        // Empty blocks may form a cycle; a chain longer than the number of blocks is one.
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
fn join_blocks(f: &mut Function) {
    let cfg = Cfg::new(f);
    for &bb in cfg.rpo() {
        // A block that was joined to another one is empty now, and its terminator is a trap.
        while let Term::Jump(next) = f.block(bb).term {
            let only = cfg.preds(next).iter().filter(|&&p| cfg.is_reachable(p)).count() == 1;
            if next == bb || next == Bb(0) || !only {
                break;
            }
            let joined = &mut f.blocks[next.index()];
            let insts = std::mem::take(&mut joined.insts);
            let term = std::mem::replace(&mut joined.term, Term::Trap(ir::Trap::Unreachable));
            let (term_span, term_inlined) = (joined.term_span, joined.term_inlined);
            let block = &mut f.blocks[bb.index()];
            block.insts.extend(insts);
            block.term = term;
            (block.term_span, block.term_inlined) = (term_span, term_inlined);
        }
    }
}

/// Removes blocks that the entry does not reach.
fn remove_unreachable(f: &mut Function) {
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
