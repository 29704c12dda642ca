//! In how many loops the value of each register changes, as far as the walk has come.

use ir::analysis::{Cfg, Dominators, Loops};
use ir::{Bb, Function, InstKind, Reg, RegInfo, Val};

/// The depths of blocks and registers of a function.
pub(super) struct Depths {
    /// In how many loops each block is.
    blocks: Vec<u32>,
    /// The depth of the loop in which each register changes.
    registers: Vec<u32>,
    /// The depth of the block where the walk is, and of those around it in the dominator tree.
    open: Vec<u32>,
}

impl Depths {
    /// Those of a function, whose registers are in `regs`, before the walk begins.
    pub(super) fn new(f: &Function, regs: &[RegInfo], cfg: &Cfg, dom: &Dominators) -> Depths {
        let loops = Loops::new(cfg, dom);
        let blocks: Vec<u32> = (0..f.blocks.len()).map(|b| loops.depth(Bb(b as u32)) as u32).collect();
        // Where a loop begins, its variables have the values of the iteration before.
        let mut registers = vec![0; regs.len()];
        for (block, &inside) in f.blocks.iter().zip(&blocks) {
            for inst in &block.insts {
                inst.kind.each_def(|r| {
                    if regs[r.index()].mutable {
                        registers[r.index()] = inside.max(registers[r.index()]);
                    }
                });
            }
        }
        Depths { blocks, registers, open: Vec::new() }
    }

    /// The walk enters a block.
    pub(super) fn enter(&mut self, bb: Bb) {
        self.open.push(self.blocks.get(bb.index()).copied().unwrap_or(0));
    }

    /// The walk leaves a block and all that it dominates.
    pub(super) fn leave(&mut self) {
        self.open.pop();
    }

    /// In how many loops the walk is.
    pub(super) fn here(&self) -> u32 {
        self.open.last().copied().unwrap_or(0)
    }

    /// In how many loops the one is in which the value of a register changes.
    pub(super) fn of(&self, reg: Reg) -> u32 {
        self.registers.get(reg.index()).copied().unwrap_or(0)
    }

    /// Adds a register.
    pub(super) fn add_reg(&mut self) {
        self.registers.push(0);
    }

    /// An instruction sets a register; `follows` says that its value depends on the operands alone.
    pub(super) fn define(&mut self, reg: Reg, kind: &InstKind, follows: bool) {
        let mut depth = 0;
        if follows {
            kind.each_use(|v| {
                if let Val::Reg(r) = v {
                    depth = depth.max(self.of(r));
                }
            });
        } else {
            depth = self.here().max(self.of(reg));
        }
        self.registers[reg.index()] = depth;
    }
}
