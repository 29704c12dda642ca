//! Dead store elimination: a plain store whose place the same thread stores to again, before anything could have read it, goes.
//!
//! The two stores are in one block and name one register, offset and type. In between there is no load that may reach the place,
//! and no point at which other threads see what was stored: no barrier, fence, atomic, vote or call. For code that runs on a GPU
//! only; in the emulator each store is a schedule point.

use ir::{Access, Function, InstKind, Reg, Space, Ty, Val};
use std::collections::BTreeSet;

/// Runs the pass over a function.
pub(crate) fn run(f: &mut Function) {
    for block in &mut f.blocks {
        // Places that are stored to further down, from the end of the block up.
        let mut stored: BTreeSet<(Space, Reg, i64, Ty)> = BTreeSet::new();
        let mut dead = Vec::new();
        for (i, inst) in block.insts.iter().enumerate().rev() {
            match inst.kind {
                InstKind::Store { ty, space, access: Access::Plain, addr: Val::Reg(reg), offset, .. } => {
                    let place = (space, reg, offset, ty);
                    if !stored.insert(place) {
                        dead.push(i);
                    }
                }
                InstKind::Load { space, access: Access::Plain, .. } => {
                    let meets = |other: Space| space == other || space == Space::Generic || other == Space::Generic;
                    stored.retain(|(other, ..)| !meets(*other));
                }
                ref kind if kind.is_pure() => {}
                _ => stored.clear(),
            }
            inst.kind.each_def(|r| stored.retain(|(_, reg, ..)| *reg != r));
        }
        for i in dead {
            block.insts.remove(i);
        }
    }
}
