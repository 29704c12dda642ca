//! Copies of the blocks of a loop.

use super::temporary;
use ir::analysis::Loop;
use ir::{Bb, Function, Reg, Val};
use std::collections::{BTreeMap, BTreeSet};

/// Copies of the blocks of a loop.
pub(crate) struct Copier {
    pub(crate) blocks: Vec<Bb>,
    header: Bb,
    /// The temporaries that an iteration keeps to itself; each copy has its own.
    own: Vec<Reg>,
}

impl Copier {
    /// Temporaries of the loop that are read behind it become registers that may be assigned many times.
    pub(crate) fn new(f: &mut Function, natural: &Loop) -> Copier {
        let own = own_registers(f, &natural.blocks).into_iter().collect();
        Copier { blocks: natural.blocks.clone(), header: natural.header, own }
    }

    /// Adds a copy of the loop, whose back edges go to the copy's own header; gives that header.
    pub(crate) fn copy(&self, f: &mut Function) -> Bb {
        let first = f.blocks.len() as u32;
        let number = |bb: Bb| self.blocks.binary_search(&bb).ok().map(|i| Bb(first + i as u32));
        let fresh: BTreeMap<Reg, Reg> = self.own.iter().map(|&r| (r, temporary(f, f.ty(r)))).collect();
        for &bb in &self.blocks {
            let mut block = f.block(bb).clone();
            let rename = |v: &mut Val| {
                if let Val::Reg(r) = v {
                    *r = fresh.get(r).copied().unwrap_or(*r);
                }
            };
            for inst in &mut block.insts {
                inst.kind.each_use_mut(rename);
                inst.kind.each_def_mut(|r| *r = fresh.get(r).copied().unwrap_or(*r));
            }
            block.term.each_use_mut(rename);
            block.term.each_successor_mut(|to| *to = number(*to).unwrap_or(*to));
            f.blocks.push(block);
        }
        number(self.header).unwrap_or(self.header)
    }

    /// The block of the copy with that header that was made of `bb`.
    pub(crate) fn place(&self, header: Bb, bb: Bb) -> Bb {
        let rank = |bb: Bb| self.blocks.binary_search(&bb).unwrap_or(0) as u32;
        Bb(header.0 - rank(self.header) + rank(bb))
    }
}

/// The temporaries that some blocks, which are in ascending order, keep to themselves. Those that are read elsewhere become
/// registers that may be assigned many times.
pub(crate) fn own_registers(f: &mut Function, blocks: &[Bb]) -> BTreeSet<Reg> {
    let mut own: BTreeSet<Reg> = BTreeSet::new();
    for &bb in blocks {
        for inst in &f.block(bb).insts {
            inst.kind.each_def(|r| {
                if !f.is_mutable(r) {
                    own.insert(r);
                }
            });
        }
    }
    let mut outside: BTreeSet<Reg> = BTreeSet::new();
    for (b, block) in f.blocks.iter().enumerate() {
        if blocks.binary_search(&Bb(b as u32)).is_err() {
            let mut read = |v| {
                if let Val::Reg(r) = v
                    && own.contains(&r)
                {
                    outside.insert(r);
                }
            };
            block.insts.iter().for_each(|i| i.kind.each_use(&mut read));
            block.term.each_use(&mut read);
        }
    }
    // Places and shapes of variables name registers too.
    outside.extend(f.var_regs().into_iter().filter(|r| own.contains(r)));
    for &reg in &outside {
        f.regs[reg.index()].mutable = true;
    }
    own.retain(|r| !outside.contains(r));
    own
}
