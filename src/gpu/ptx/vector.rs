//! Loads of neighbouring words as one instruction (`ld.v2`, `ld.v4`; PTX ISA 9.7.9.8).
//!
//! A vector load needs an address that is a multiple of its size. That is known of variables in shared memory, which the printer
//! places, plus multiples of sizes; not of what a pointer names. So only loads from shared memory are joined: of one block, from
//! one register at neighbouring offsets, into temporaries, with nothing in between that may change the memory.

use ir::op::{BinOp, TriOp, UnOp};
use ir::{Access, AddrBase, Function, InstKind, Reg, SharedSize, Space, Ty, Val};
use std::collections::BTreeMap;

/// Bytes of the largest vector; variables of at least that size begin at a multiple of it.
pub(super) const LARGEST: u64 = 16;

/// The alignment at which a shared variable is placed.
pub(super) fn shared_align(align: u64, bytes: u64) -> u64 {
    let align = crate::params::bytes_align(align).max(1);
    if bytes >= LARGEST { align.max(LARGEST) } else { align }
}

/// What the loads of a block become.
#[derive(Default)]
pub(super) struct Vectors {
    /// By the index of the first load: the registers in the order of their addresses, and the lowest offset.
    first: BTreeMap<usize, (Vec<Reg>, i64)>,
    /// The loads that an earlier one does too.
    joined: Vec<usize>,
}

impl Vectors {
    /// What the load at that index does for itself and others, if it is the first of a vector.
    pub(super) fn at(&self, index: usize) -> Option<(&[Reg], i64)> {
        self.first.get(&index).map(|(regs, offset)| (regs.as_slice(), *offset))
    }

    /// Whether an earlier load has done that one.
    pub(super) fn is_done(&self, index: usize) -> bool {
        self.joined.binary_search(&index).is_ok()
    }
}

/// A load that may be joined to others.
struct Candidate {
    index: usize,
    offset: i64,
    dst: Reg,
}

/// Finds the vectors of a function's blocks.
pub(super) fn find(func: &Function) -> Vec<Vectors> {
    let definitions: BTreeMap<Reg, &InstKind> = func
        .blocks
        .iter()
        .flat_map(|b| &b.insts)
        .filter_map(|i| i.kind.def().filter(|&r| !func.is_mutable(r)).map(|r| (r, &i.kind)))
        .collect();
    let align = |reg| alignment(func, &definitions, Val::Reg(reg), 8);
    func.blocks
        .iter()
        .map(|block| {
            let mut vectors = Vectors::default();
            let mut open: BTreeMap<(Reg, Ty), Vec<Candidate>> = BTreeMap::new();
            for (index, inst) in block.insts.iter().enumerate() {
                match inst.kind {
                    InstKind::Load {
                        ty,
                        space: Space::Shared,
                        access: Access::Plain,
                        dst,
                        addr: Val::Reg(base),
                        offset,
                    } if ty.bytes() >= 4 && !func.is_mutable(base) && !func.is_mutable(dst) => {
                        open.entry((base, ty)).or_default().push(Candidate { index, offset, dst });
                    }
                    InstKind::Load { access: Access::Plain, .. } => {}
                    ref kind if kind.is_pure() => {}
                    InstKind::Store { space: Space::Global | Space::Local, access: Access::Plain, .. } => {}
                    _ => vectors.join(std::mem::take(&mut open), &align),
                }
            }
            vectors.join(open, &align);
            vectors.joined.sort_unstable();
            vectors
        })
        .collect()
}

impl Vectors {
    fn join(&mut self, open: BTreeMap<(Reg, Ty), Vec<Candidate>>, align: &dyn Fn(Reg) -> u64) {
        for ((base, ty), mut loads) in open {
            let (bytes, align) = (i64::from(ty.bytes()), align(base));
            loads.sort_by_key(|c| (c.offset, c.index));
            loads.dedup_by_key(|c| c.offset);
            let mut rest = loads.as_slice();
            while let Some(first) = rest.first() {
                let fits = |n: &i64| {
                    let size = n * bytes;
                    size <= LARGEST as i64
                        && align >= size as u64
                        && first.offset % size == 0
                        && rest.len() >= *n as usize
                        && (0..*n).all(|i| rest[i as usize].offset == first.offset + i * bytes)
                };
                let count = [4, 2].into_iter().find(fits).unwrap_or(1) as usize;
                if count > 1 {
                    let group = &rest[..count];
                    let at = group.iter().map(|c| c.index).min().unwrap_or(first.index);
                    self.joined.extend(group.iter().map(|c| c.index).filter(|&i| i != at));
                    self.first.insert(at, (group.iter().map(|c| c.dst).collect(), first.offset));
                }
                rest = &rest[count..];
            }
        }
    }
}

/// A power of two that divides what a value is for certain; `depth` bounds the search.
fn alignment(func: &Function, definitions: &BTreeMap<Reg, &InstKind>, val: Val, depth: usize) -> u64 {
    let known = |val| alignment(func, definitions, val, depth - 1);
    let power = |word: u64| if word == 0 { 1 << 32 } else { 1 << word.trailing_zeros().min(32) };
    let reg = match val {
        Val::Imm(word) => return power(word),
        Val::Reg(reg) => reg,
    };
    let Some(kind) = definitions.get(&reg).filter(|_| depth > 0) else { return 1 };
    match **kind {
        InstKind::Addr { base: AddrBase::Shared(id), .. } => match func.shared.get(id.index()) {
            Some(var) => match var.size {
                SharedSize::Static(bytes) => shared_align(var.align, bytes),
                SharedSize::Dynamic => LARGEST,
            },
            None => 1,
        },
        InstKind::Un { op: UnOp::Mov, a, .. } => known(a),
        InstKind::Bin { op: BinOp::Add | BinOp::Sub, a, b, .. } => known(a).min(known(b)),
        InstKind::Bin { op: BinOp::Mul, a, b, .. } => known(a).saturating_mul(known(b)).min(1 << 31),
        InstKind::Bin { op: BinOp::Shl, a, b: Val::Imm(count), .. } if count < 31 => (known(a) << count).min(1 << 31),
        InstKind::Tri { op: TriOp::Mad, a, b, c, .. } => known(a).saturating_mul(known(b)).min(known(c)).min(1 << 31),
        _ => 1,
    }
}
