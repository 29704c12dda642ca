//! Slots for registers: a linear scan over live ranges (Poletto and Sarkar, "Linear scan register allocation", TOPLAS 21,
//! 1999), without a limit and so without spills.
//!
//! A register has its slot from the first place where it is live to the last, in the order of the blocks. A lane goes its own
//! way through the blocks and has a column of its own in each row, so that this is right for lanes that have parted too.
//!
//! - Registers of source variables keep a slot for life: a debugger and findings read them anywhere.
//! - A result never takes the slot of an operand of its instruction: an access that failed half-way is executed again.
//! - What an address is computed from is read at the access, whatever instruction of the IR computed the address.
//!
//! Not here: which registers need a slot (`plan`), and constants, which have slots behind those of registers.

use super::plan::Plan;
use ir::analysis::{BitSet, Cfg, Liveness};
use ir::{Bb, Function, InstKind, Reg, Val};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// First and last place at which a register is live; places are numbered through the function.
type Range = (u32, u32);

/// The live ranges of a function's registers.
pub(crate) struct LiveRanges {
    ranges: Vec<Option<Range>>,
    /// Registers that share their slot with no other.
    own: BitSet,
}

impl LiveRanges {
    /// The ranges of `f` by its `plans`; `is_left_out` says which instructions become no operation.
    pub(crate) fn new(f: &Function, cfg: &Cfg, plans: &[Plan], is_left_out: &dyn Fn(&InstKind) -> bool) -> LiveRanges {
        let uses = |bb: Bb, at: usize, see: &mut dyn FnMut(Reg)| {
            for plan in plans {
                plan.each_address_reg((bb, at), &mut *see);
            }
        };
        let live = Liveness::with_uses(f, cfg, &uses);
        let mut all = LiveRanges { ranges: vec![None; f.regs.len()], own: BitSet::new(f.regs.len()) };
        for reg in f.var_regs() {
            all.own.insert(reg.index());
        }
        for param in &f.params {
            all.extend(param.reg, 0);
        }
        let mut place = 0;
        for (b, block) in f.blocks.iter().enumerate() {
            let bb = Bb(b as u32);
            live.live_in(bb).for_each(|reg| all.extend(reg, place));
            for (at, inst) in block.insts.iter().enumerate() {
                place += 1;
                if is_left_out(&inst.kind) {
                    continue;
                }
                inst.kind.each_use(|val| all.extend_val(val, place));
                inst.kind.each_def(|reg| all.extend(reg, place));
                uses(bb, at, &mut |reg| all.extend(reg, place));
            }
            place += 1;
            block.term.each_use(|val| all.extend_val(val, place));
            live.live_out(bb).for_each(|reg| all.extend(reg, place));
            place += 1;
        }
        all
    }

    fn extend(&mut self, reg: Reg, place: u32) {
        if let Some(range) = self.ranges.get_mut(reg.index()) {
            let (first, last) = range.unwrap_or((place, place));
            *range = Some((first.min(place), last.max(place)));
        }
    }

    fn extend_val(&mut self, val: Val, place: u32) {
        if let Val::Reg(reg) = val {
            self.extend(reg, place);
        }
    }

    /// Gives each of `regs` a number from 0; registers that are never live at the same place may have the same. The second
    /// result is how many numbers there are.
    pub(crate) fn number(&self, regs: &[Reg]) -> (Vec<u32>, u32) {
        let mut out = vec![0; regs.len()];
        let mut count = 0;
        let mut fresh = || {
            count += 1;
            count - 1
        };
        let mut shared = Vec::new();
        for (i, reg) in regs.iter().enumerate() {
            match self.ranges[reg.index()] {
                Some(range) if !self.own.contains(reg.index()) => shared.push((range, i)),
                _ => out[i] = fresh(),
            }
        }
        shared.sort_unstable();
        let mut active: BinaryHeap<Reverse<(u32, u32)>> = BinaryHeap::new();
        let mut free: BinaryHeap<Reverse<u32>> = BinaryHeap::new();
        for ((first, last), i) in shared {
            while let Some(&Reverse((end, number))) = active.peek()
                && end < first
            {
                active.pop();
                free.push(Reverse(number));
            }
            let number = free.pop().map_or_else(&mut fresh, |Reverse(number)| number);
            active.push(Reverse((last, number)));
            out[i] = number;
        }
        (out, count)
    }
}
