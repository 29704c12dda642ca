//! Removes unreachable basic blocks and renumbers the others in their old order.
//!
//! Lowering creates such blocks freely: after a RETURN, a refused statement, an EXIT.
//!
//! Not here: any other simplification (`opt`).

use ir::{Bb, Function, Term};

/// The function without unreachable blocks.
pub(crate) fn without_unreachable(mut f: Function) -> Function {
    let mut reached = vec![false; f.blocks.len()];
    let mut pending = vec![Bb(0)];
    while let Some(bb) = pending.pop() {
        if let Some(seen) = reached.get_mut(bb.index())
            && !std::mem::replace(seen, true)
        {
            pending.extend(f.block(bb).term.successors());
        }
    }
    let mut number = 0;
    let new: Vec<Bb> = reached
        .iter()
        .map(|&kept| {
            let id = Bb(number);
            number += u32::from(kept);
            id
        })
        .collect();
    let mut kept = reached.iter();
    f.blocks.retain(|_| kept.next().copied().unwrap_or(false));
    for block in &mut f.blocks {
        match &mut block.term {
            Term::Jump(bb) => *bb = new[bb.index()],
            Term::Branch { then_bb, else_bb, .. } => {
                *then_bb = new[then_bb.index()];
                *else_bb = new[else_bb.index()];
            }
            Term::Switch { arms, default, .. } => {
                arms.iter_mut().for_each(|arm| arm.1 = new[arm.1.index()]);
                *default = new[default.index()];
            }
            Term::Return(_) | Term::Exit | Term::Trap(_) => {}
        }
    }
    f
}
