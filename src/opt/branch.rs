//! Branches with a constant condition, or with one place to go, become jumps.

use ir::{Function, Term, Val};
use scalar::bits;

/// Runs the pass over a function.
pub(crate) fn run(f: &mut Function) {
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
