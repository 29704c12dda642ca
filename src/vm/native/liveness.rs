//! Which slots are read behind an operation before they are written.
//!
//! The operations on rows count too: a warp may go on with them at any place (see `Code::ops`).

use crate::code::{AddressExpr, Code, FileSlot, MemOp, Op, RegFile, Slot, Term, Variant, Width};
use ir::Ty;
use ir::op::VoteOp;
use std::collections::BTreeSet;

/// Sets of slots that are live where each basic block begins.
pub(crate) struct Liveness<'a> {
    code: &'a Code,
    variant: &'a Variant,
    ops: &'a [Op],
    /// The first operation of each block, in order.
    starts: Vec<u32>,
    sets: Vec<Vec<u64>>,
    /// Slots that somebody may read anywhere.
    shown: Vec<u64>,
    /// The number of the first slot of each file: predicates, words, longs, scalars.
    first: [u32; 4],
}

impl<'a> Liveness<'a> {
    /// Of `ops`, which are those of the variant or, of host code, of the function.
    pub(crate) fn new(code: &'a Code, variant: &'a Variant, ops: &'a [Op]) -> Liveness<'a> {
        let mut first = [0; 4];
        for i in 0..3 {
            first[i + 1] = first[i] + code.files[i];
        }
        let words = (first[3] + scalar_count(code)).div_ceil(64) as usize;
        let mut starts = BTreeSet::from([0]);
        for (pc, op) in ops.iter().enumerate() {
            let next = pc as u32 + 1;
            let mut goes_on = 0;
            each_successor(op, pc as u32, |to| {
                goes_on += 1;
                if to != next || goes_on > 1 {
                    starts.insert(to);
                }
            });
            if goes_on != 1 || matches!(op, Op::Jump { .. }) {
                starts.insert(next);
            }
        }
        let starts: Vec<u32> = starts.into_iter().filter(|&start| (start as usize) < ops.len()).collect();
        let sets = vec![vec![0; words]; starts.len()];
        let mut of = Liveness { code, variant, ops, starts, sets, shown: vec![0; words], first };
        of.show();
        of.solve(words);
        of
    }

    /// Notes the slots of variables that are shown.
    fn show(&mut self) {
        let narrow = self.code.variants.iter().map(|v| v.uniforms[0]).max().unwrap_or(0);
        for &(ty, slot) in &self.code.shown {
            let file = RegFile::of(ty);
            let scalar = match file {
                RegFile::W => (slot < self.variant.uniforms[0]).then_some(slot),
                RegFile::L => (slot < self.variant.uniforms[1]).then_some(narrow + slot),
                RegFile::P | RegFile::S => None,
            };
            for slot in [Some((file, slot)), scalar.map(|scalar| (RegFile::S, scalar))].into_iter().flatten() {
                let at = self.number(slot) as usize;
                self.shown[at / 64] |= 1 << (at % 64);
            }
        }
    }

    /// Goes back through the blocks until nothing changes.
    fn solve(&mut self, words: usize) {
        let blocks: Vec<_> = (0..self.starts.len()).map(|block| self.summary(block, words)).collect();
        let numbers =
            |pcs: &[u32]| -> Vec<usize> { pcs.iter().filter_map(|pc| self.starts.binary_search(pc).ok()).collect() };
        let successors: Vec<Vec<usize>> = blocks.iter().map(|block| numbers(&block.2)).collect();
        let mut predecessors = vec![Vec::new(); blocks.len()];
        for (block, to) in successors.iter().enumerate() {
            to.iter().for_each(|&to| predecessors[to].push(block));
        }
        let mut work: Vec<usize> = (0..blocks.len()).collect();
        let mut is_waiting = vec![true; blocks.len()];
        while let Some(block) = work.pop() {
            is_waiting[block] = false;
            let (read, written, _) = &blocks[block];
            let mut set = read.clone();
            for &to in &successors[block] {
                for (word, (live, written)) in set.iter_mut().zip(self.sets[to].iter().zip(written)) {
                    *word |= live & !written;
                }
            }
            if set != self.sets[block] {
                self.sets[block] = set;
                for &before in &predecessors[block] {
                    if !std::mem::replace(&mut is_waiting[before], true) {
                        work.push(before);
                    }
                }
            }
        }
    }

    /// The slots that a block reads before it writes them, those that it writes, and where it goes on.
    fn summary(&self, block: usize, words: usize) -> (Vec<u64>, Vec<u64>, Vec<u32>) {
        let (mut read, mut written, mut successors) = (self.shown.clone(), vec![0u64; words], Vec::new());
        let end = self.starts.get(block + 1).map_or(self.ops.len(), |&end| end as usize);
        for pc in self.starts[block] as usize..end {
            self.each_read(pc, &mut |slot| {
                let at = self.number(slot) as usize;
                read[at / 64] |= 1 << (at % 64) & !written[at / 64];
            });
            each_write(&self.ops[pc], &mut |slot| {
                let at = self.number(slot) as usize;
                written[at / 64] |= 1 << (at % 64);
            });
            if pc + 1 == end {
                each_successor(&self.ops[pc], pc as u32, |to| successors.push(to));
            }
        }
        (read, written, successors)
    }

    fn each_read(&self, pc: usize, see: &mut dyn FnMut(FileSlot)) {
        each_read(&self.ops[pc], self.code, self.variant, see);
        each_read(&self.code.ops[pc], self.code, self.variant, see);
    }

    fn number(&self, (file, slot): FileSlot) -> u32 {
        self.first[file as usize] + slot
    }

    /// Whether a slot is live before an operation.
    pub(crate) fn is_live(&self, pc: u32, slot: FileSlot) -> bool {
        let at = self.number(slot) as usize;
        if self.shown[at / 64] >> (at % 64) & 1 != 0 {
            return true;
        }
        let is_in = |block: usize| self.sets[block][at / 64] >> (at % 64) & 1 != 0;
        for here in pc as usize..self.ops.len() {
            if let Ok(block) = self.starts.binary_search(&(here as u32)) {
                return is_in(block);
            }
            let (mut is_read, mut is_written) = (false, false);
            self.each_read(here, &mut |read| is_read |= read == slot);
            each_write(&self.ops[here], &mut |written| is_written |= written == slot);
            if is_read || is_written {
                return is_read;
            }
            let (mut is_live, mut goes_on) = (false, false);
            each_successor(&self.ops[here], here as u32, |to| {
                goes_on |= to as usize == here + 1;
                is_live |= self.starts.binary_search(&to).is_ok_and(is_in);
            });
            if is_live || !goes_on {
                return is_live;
            }
        }
        false
    }
}

/// How many scalars a frame has.
fn scalar_count(code: &Code) -> u32 {
    code.variants.last().map_or(0, |v| v.uniforms[0] + v.uniforms[1]) + code.scalars.len() as u32
}

/// Where the lanes of an operation may go.
pub(crate) fn each_successor(op: &Op, pc: u32, mut see: impl FnMut(u32)) {
    match op {
        Op::Jump { to } => see(*to),
        Op::Branch { then_pc, else_pc, .. } => {
            see(*then_pc);
            see(*else_pc);
        }
        Op::Switch(switch) => {
            switch.arms.iter().for_each(|arm| see(arm.1));
            see(switch.default);
        }
        Op::Return(_) | Op::Exit | Op::Trap(_) => {}
        _ => see(pc + 1),
    }
}

fn file_of_width(width: Width) -> RegFile {
    if width == Width::W64 { RegFile::L } else { RegFile::W }
}

/// The slots that an operation writes in all lanes that run.
pub(crate) fn each_write(op: &Op, see: &mut dyn FnMut(FileSlot)) {
    if let Some(operands) = op.operands() {
        return see(operands.writes);
    }
    if let Some(m) = op.load() {
        return see((file_of_width(m.width), m.value));
    }
    match *op {
        Op::Shl32(r) | Op::ShrU32(r) | Op::ShrS32(r) | Op::DivI32(r) | Op::RemI32(r) => see((RegFile::W, r.d)),
        Op::Shl64(r) | Op::ShrU64(r) | Op::ShrS64(r) | Op::DivI64(r) | Op::RemI64(r) => see((RegFile::L, r.d)),
        Op::EvalUn { ty, r, .. } => see((RegFile::of(ty), r.d)),
        Op::EvalBin { ty, r, .. } => see((RegFile::of(ty), r.d)),
        Op::EvalTri { ty, r, .. } => see((RegFile::of(ty), r.d)),
        Op::EvalCvt { to, r, .. } => see((RegFile::of(to), r.d)),
        Op::EvalCmp { r, .. } | Op::UEvalCmp { r, .. } => see((RegFile::P, r.d)),
        Op::UCmp { r, .. } => see((RegFile::P, r.d)),
        Op::UMinI64(r) | Op::UMaxI64(r) | Op::UShlI32(r) | Op::UShlI64(r) | Op::UEvalBin { r, .. } => {
            see((RegFile::S, r.d));
        }
        Op::UEvalUn { r, .. } | Op::UEvalCvt { r, .. } => see((RegFile::S, r.d)),
        Op::UEvalTri { r, .. } | Op::USel(r) => see((RegFile::S, r.d)),
        Op::USpecial { d, .. } | Op::UDynamicShared { d } | Op::Take { d, .. } => see((RegFile::S, d)),
        Op::LocalAddr { d, .. } | Op::DynamicShared { d } => see((RegFile::L, d)),
        Op::Special { reg, d } => see((RegFile::of(reg.ty()), d)),
        Op::ULoad(m) => see((RegFile::S, m.value)),
        Op::Shuffle { ty, d, .. } => see((RegFile::of(ty), d)),
        Op::Vote { op: VoteOp::All | VoteOp::Any, mask: None, d, .. } => see((RegFile::P, d)),
        Op::Vote { mask: None, d, .. } => see((RegFile::W, d)),
        Op::Atomic(ref a) => a.d.iter().for_each(|&d| see((RegFile::of(a.ty), d))),
        // What others write counts as kept, which is safe.
        _ => {}
    }
}

/// The slots that an operation reads.
fn each_read(op: &Op, code: &Code, variant: &Variant, see: &mut dyn FnMut(FileSlot)) {
    let narrow = code.variants.last().map_or(0, |v| v.uniforms[0]);
    // A row whose register is uniform may be in its scalar.
    let row = |file: RegFile, slot: Slot, see: &mut dyn FnMut(FileSlot)| {
        see((file, slot));
        match file {
            RegFile::W if slot < variant.uniforms[0] => see((RegFile::S, slot)),
            RegFile::L if slot < variant.uniforms[1] => see((RegFile::S, narrow + slot)),
            _ => {}
        }
    };
    if let Some(operands) = op.operands() {
        for (file, slot) in operands.reads.into_iter().flatten() {
            row(file, slot, see);
        }
        return;
    }
    if let Some(m) = op.load() {
        return address(m.expr, variant, &row, see);
    }
    if let Some(&MemOp { width, value, expr, .. }) = op.store() {
        row(file_of_width(width), value, see);
        return address(expr, variant, &row, see);
    }
    let typed = |places: &[(Ty, Slot)], see: &mut dyn FnMut(FileSlot)| {
        places.iter().for_each(|&(ty, slot)| row(RegFile::of(ty), slot, see));
    };
    match op {
        Op::Shl32(r) | Op::ShrU32(r) | Op::ShrS32(r) | Op::DivI32(r) | Op::RemI32(r) => {
            typed(&[(Ty::I32, r.a), (Ty::I32, r.b)], see);
        }
        Op::Shl64(r) | Op::ShrU64(r) | Op::ShrS64(r) | Op::DivI64(r) | Op::RemI64(r) => {
            typed(&[(Ty::I64, r.a), (Ty::I64, r.b)], see);
        }
        Op::EvalUn { ty, r, .. } => typed(&[(*ty, r.a)], see),
        Op::EvalBin { ty, r, .. } | Op::EvalCmp { ty, r, .. } => typed(&[(*ty, r.a), (*ty, r.b)], see),
        Op::EvalTri { ty, r, .. } => typed(&[(*ty, r.a), (*ty, r.b), (*ty, r.c)], see),
        Op::EvalCvt { from, r, .. } => typed(&[(*from, r.a)], see),
        Op::UEvalCmp { r, .. }
        | Op::UCmp { r, .. }
        | Op::UMinI64(r)
        | Op::UMaxI64(r)
        | Op::UShlI32(r)
        | Op::UShlI64(r)
        | Op::UEvalBin { r, .. } => {
            see((RegFile::S, r.a));
            see((RegFile::S, r.b));
        }
        Op::UEvalUn { r, .. } | Op::UEvalCvt { r, .. } => see((RegFile::S, r.a)),
        Op::UEvalTri { r, .. } => [r.a, r.b, r.c].into_iter().for_each(|s| see((RegFile::S, s))),
        Op::USel(r) => {
            see((RegFile::P, r.c));
            see((RegFile::S, r.a));
            see((RegFile::S, r.b));
        }
        Op::Take { ty, a, .. } => typed(&[(*ty, *a)], see),
        Op::UpdatePattern { pattern } => {
            if let Some(pattern) = variant.patterns.get(*pattern as usize) {
                terms(&pattern.terms, &row, see);
            }
        }
        Op::ULoad(m) => address(m.expr, variant, &row, see),
        Op::Atomic(a) => {
            row(RegFile::of(a.ty), a.a, see);
            if let Some(b) = a.b {
                row(RegFile::of(a.ty), b, see);
            }
            address(a.expr, variant, &row, see);
        }
        Op::Barrier { a, .. } => a.iter().for_each(|&a| see((RegFile::P, a))),
        Op::SyncWarp { mask } => row(RegFile::W, *mask, see),
        Op::Vote { ty, mask, a, .. } => {
            if let Some(mask) = mask {
                row(RegFile::W, *mask, see);
            }
            row(RegFile::of(*ty), *a, see);
        }
        Op::Shuffle { ty, a, lane, width, .. } => {
            row(RegFile::of(*ty), *a, see);
            row(RegFile::W, *lane, see);
            row(RegFile::W, *width, see);
        }
        Op::Call(call) => call.args.iter().for_each(|&(ty, slot)| row(RegFile::of(ty), slot, see)),
        Op::Rt(rt) => rt.args.iter().for_each(|&(ty, slot)| row(RegFile::of(ty), slot, see)),
        Op::Launch(launch) => {
            launch.extents.iter().for_each(|&slot| row(RegFile::W, slot, see));
            row(RegFile::L, launch.bytes, see);
            row(RegFile::L, launch.stream, see);
            launch.args.iter().for_each(|&(ty, slot)| row(RegFile::of(ty), slot, see));
        }
        Op::Branch { p, .. } => see((RegFile::P, *p)),
        Op::Switch(switch) => row(RegFile::of(switch.ty), switch.a, see),
        Op::Return(values) => values.iter().for_each(|&(ty, slot)| row(RegFile::of(ty), slot, see)),
        _ => {}
    }
}

type ReadRow<'a> = &'a dyn Fn(RegFile, Slot, &mut dyn FnMut(FileSlot));

fn terms(of: &[Term], row: ReadRow<'_>, see: &mut dyn FnMut(FileSlot)) {
    for term in of {
        row(if term.narrow { RegFile::W } else { RegFile::L }, term.slot, see);
    }
}

/// What an address is computed from.
fn address(expr: u32, variant: &Variant, row: ReadRow<'_>, see: &mut dyn FnMut(FileSlot)) {
    let Some(AddressExpr { terms: outer, index, .. }) = variant.address_exprs.get(expr as usize) else { return };
    terms(outer, row, see);
    let Some(index) = index else { return };
    terms(&index.terms, row, see);
    if let Some(pattern) = variant.patterns.get(index.pattern as usize) {
        terms(&pattern.terms, row, see);
    }
}
