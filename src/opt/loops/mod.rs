//! What passes over loops share: which loops there are to change, what is known of one, copies of one.
//!
//! Not here: what is made of a loop, which each pass says (`unroll`, `unswitch`).

pub(crate) mod copier;
pub(crate) mod shape;

use ir::analysis::{Cfg, Dominators, LoopId, Loops};
use ir::{Bb, Function, Reg, RegInfo, Ty};
use shape::Shape;
use std::collections::BTreeSet;

/// A function of more instructions is left as it is.
const LARGEST: usize = 20_000;

/// How many loops there are within a loop, one in the other.
pub(crate) fn depth_inside(loops: &Loops, id: LoopId) -> usize {
    let children = (0..loops.all().len() as u32).map(LoopId).filter(|&c| loops.get(c).parent == Some(id));
    children.map(|c| 1 + depth_inside(loops, c)).max().unwrap_or(0)
}

/// Changes the loops that `wanted` chooses, each once. `change` gives `None` for a loop that it leaves.
pub(crate) fn each_loop(
    f: &mut Function,
    wanted: impl Fn(&Loops, LoopId) -> bool,
    change: impl Fn(&mut Function, &Shape) -> Option<()>,
) {
    let mut done: BTreeSet<Bb> = BTreeSet::new();
    loop {
        let size: usize = f.blocks.iter().map(|b| b.insts.len() + 1).sum();
        if size > LARGEST {
            return;
        }
        let cfg = Cfg::new(f);
        let dom = Dominators::new(&cfg);
        let loops = Loops::new(&cfg, &dom);
        let mut candidates = (0..loops.all().len() as u32).map(LoopId).filter(|&id| wanted(&loops, id));
        let Some(id) = candidates.find(|&id| !done.contains(&loops.get(id).header)) else { return };
        let natural = loops.get(id);
        done.insert(natural.header);
        // Blocks are only added, so that the numbers in `done` stay. Copies of a loop are no candidates again.
        let blocks = f.blocks.len();
        if let Some(shape) = Shape::of(f, &cfg, &dom, &loops, id)
            && change(f, &shape).is_some()
        {
            done.extend((blocks..f.blocks.len()).map(|b| Bb(b as u32)));
        }
    }
}

/// A new register with one definition.
pub(crate) fn temporary(f: &mut Function, ty: Ty) -> Reg {
    f.regs.push(RegInfo { ty, var: None, mutable: false });
    Reg(f.regs.len() as u32 - 1)
}

/// Has the block before a loop go to `to` instead of the loop's header.
pub(crate) fn redirect(f: &mut Function, shape: &Shape, to: Bb) {
    redirect_edges(f, &[shape.entry], shape.natural.header, to);
}

/// Has the blocks that go to `from` go to `to` instead.
pub(crate) fn redirect_edges(f: &mut Function, blocks: &[Bb], from: Bb, to: Bb) {
    for bb in blocks {
        f.blocks[bb.index()].term.each_successor_mut(|next| {
            if *next == from {
                *next = to;
            }
        });
    }
}
