//! Copies of derived types by the sizes of their components.
//!
//! Lowering copies an object in the largest pieces that its alignment allows, so two `real(4)` components move as one integer of
//! eight bytes. `promote` makes registers of a slot only where all accesses to a place have one size. Therefore this pass cuts a
//! load whose value is only stored, and that store, where the thread accesses smaller pieces of either slot. A copy between two
//! slots hands the need on from one to the other.
//!
//! Only plain accesses to slots are cut, which the thread alone sees. Where the other end of a copy is memory of all threads, its
//! access stays whole, and shifts take the value to pieces or put them together.

use crate::promote::bases;
use ir::op::{BinOp, CvtOp};
use ir::{Access, Function, Inst, InstKind, LocalId, Reg, RegInfo, Space, Ty, Val};
use std::collections::{BTreeMap, BTreeSet};

/// A load whose value is only stored.
struct Copy {
    /// What both move.
    ty: Ty,
    /// The slots and offsets in them that are read and written.
    ends: [Option<(LocalId, i64)>; 2],
    /// Bytes of the pieces.
    unit: u32,
}

impl Copy {
    /// The type of a piece.
    fn piece(&self) -> Ty {
        Ty::integer(self.unit.into())
    }

    /// The offsets of the pieces.
    fn offsets(&self) -> impl Iterator<Item = i64> {
        (0..i64::from(self.ty.bytes())).step_by(self.unit as usize)
    }
}

/// Bytes of the accesses to a slot, by offset.
type Sizes = BTreeMap<LocalId, BTreeSet<(i64, u32)>>;

/// Runs the pass over a function.
pub(crate) fn run(f: &mut Function) {
    if f.locals.is_empty() {
        return;
    }
    let bases = bases(f);
    let end = |space: Space, addr: Val, offset: i64| match (space, addr) {
        (Space::Local | Space::Generic, Val::Reg(r)) => Some((*bases.get(&r)?, offset)),
        _ => None,
    };
    let mut copies = find(f, &end);
    let mut others = Sizes::new();
    for inst in f.blocks.iter().flat_map(|b| &b.insts) {
        let (ty, access, is_part) = match inst.kind {
            InstKind::Load { ty, space, dst, addr, offset, .. } => {
                (ty, end(space, addr, offset), copies.contains_key(&dst))
            }
            InstKind::Store { ty, space, addr, offset, value, .. } => {
                (ty, end(space, addr, offset), matches!(value, Val::Reg(r) if copies.contains_key(&r)))
            }
            _ => continue,
        };
        if let Some((slot, offset)) = access.filter(|_| !is_part) {
            others.entry(slot).or_default().insert((offset, ty.bytes()));
        }
    }
    while narrow(&mut copies, &others) {}
    copies.retain(|_, copy| copy.unit < copy.ty.bytes());
    if !copies.is_empty() {
        cut(f, &copies);
    }
}

/// The copies of a function, by the register that holds the value between.
fn find(f: &Function, end: &impl Fn(Space, Val, i64) -> Option<(LocalId, i64)>) -> BTreeMap<Reg, Copy> {
    let mut uses = vec![0u32; f.regs.len()];
    let mut count = |v: Val| {
        if let Val::Reg(r) = v {
            uses[r.index()] += 1;
        }
    };
    for block in &f.blocks {
        block.insts.iter().for_each(|inst| inst.kind.each_use(&mut count));
        block.term.each_use(&mut count);
    }
    let mut loads = BTreeMap::new();
    let mut copies = BTreeMap::new();
    for inst in f.blocks.iter().flat_map(|b| &b.insts) {
        if let InstKind::Load { ty, space, access: Access::Plain, dst, addr, offset } = inst.kind
            && ty != Ty::Pred
            && uses[dst.index()] == 1
            && !f.is_mutable(dst)
        {
            loads.insert(dst, (ty, end(space, addr, offset)));
        }
    }
    for inst in f.blocks.iter().flat_map(|b| &b.insts) {
        if let InstKind::Store { ty, space, access: Access::Plain, addr, offset, value: Val::Reg(value) } = inst.kind
            && let Some(&(loaded, from)) = loads.get(&value)
            && loaded == ty
        {
            let ends = [from, end(space, addr, offset)];
            if ends.iter().any(Option::is_some) {
                copies.insert(value, Copy { ty, ends, unit: ty.bytes() });
            }
        }
    }
    copies
}

/// Makes the pieces of copies as small as the accesses within them; whether that changed some.
fn narrow(copies: &mut BTreeMap<Reg, Copy>, others: &Sizes) -> bool {
    let mut sizes = others.clone();
    for copy in copies.values() {
        for &(slot, offset) in copy.ends.iter().flatten() {
            sizes.entry(slot).or_default().extend(copy.offsets().map(|at| (offset + at, copy.unit)));
        }
    }
    let mut changed = false;
    for copy in copies.values_mut() {
        let bytes = i64::from(copy.ty.bytes());
        for (slot, offset) in copy.ends.into_iter().flatten() {
            let within = sizes.get(&slot).into_iter().flat_map(|s| s.range((offset, 0)..(offset + bytes, 0)));
            if let Some(&(_, least)) = within.min_by_key(|&&(_, size)| size)
                && least < copy.unit
            {
                copy.unit = least;
                changed = true;
            }
        }
    }
    changed
}

/// Replaces the load and the store of each copy by those of its pieces.
fn cut(f: &mut Function, copies: &BTreeMap<Reg, Copy>) {
    let mut blocks = std::mem::take(&mut f.blocks);
    let mut temporary = |ty| {
        f.regs.push(RegInfo { ty, var: None, mutable: false });
        Reg(f.regs.len() as u32 - 1)
    };
    let pieces: BTreeMap<Reg, Vec<Reg>> = copies
        .iter()
        .map(|(&value, copy)| (value, copy.offsets().map(|_| temporary(copy.piece())).collect()))
        .collect();
    for block in &mut blocks {
        for inst in std::mem::take(&mut block.insts) {
            let (span, inlined) = (inst.span, inst.inlined);
            let value = match inst.kind {
                InstKind::Load { dst, .. } => dst,
                InstKind::Store { value: Val::Reg(value), .. } => value,
                _ => {
                    block.insts.push(inst);
                    continue;
                }
            };
            let (Some(copy), Some(pieces)) = (copies.get(&value), pieces.get(&value)) else {
                block.insts.push(inst);
                continue;
            };
            let mut push = |kind| block.insts.push(Inst { kind, span, inlined });
            let (wide, ty) = (Ty::integer(copy.ty.bytes().into()), copy.piece());
            let parts = pieces.iter().copied().zip(copy.offsets());
            match inst.kind {
                InstKind::Load { space, access, addr, offset, .. } if copy.ends[0].is_some() => {
                    for (dst, at) in parts {
                        push(InstKind::Load { ty, space, access, dst, addr, offset: offset + at });
                    }
                }
                InstKind::Load { space, access, addr, offset, .. } => {
                    let whole = temporary(wide);
                    push(InstKind::Load { ty: wide, space, access, dst: whole, addr, offset });
                    for (dst, at) in parts {
                        let shifted = temporary(wide);
                        let (a, b) = (whole.into(), Val::Imm(8 * at as u64));
                        push(InstKind::Bin { op: BinOp::ShrU, ty: wide, dst: shifted, a, b });
                        push(InstKind::Cvt { op: CvtOp::Cast, from: wide, to: ty, dst, a: shifted.into() });
                    }
                }
                InstKind::Store { space, access, addr, offset, .. } if copy.ends[1].is_some() => {
                    for (piece, at) in parts {
                        push(InstKind::Store { ty, space, access, addr, offset: offset + at, value: piece.into() });
                    }
                }
                InstKind::Store { space, access, addr, offset, .. } => {
                    let mut whole = Val::Imm(0);
                    for (piece, at) in parts {
                        let (wider, shifted, joined) = (temporary(wide), temporary(wide), temporary(wide));
                        push(InstKind::Cvt { op: CvtOp::CastU, from: ty, to: wide, dst: wider, a: piece.into() });
                        let (a, b) = (wider.into(), Val::Imm(8 * at as u64));
                        push(InstKind::Bin { op: BinOp::Shl, ty: wide, dst: shifted, a, b });
                        push(InstKind::Bin { op: BinOp::Or, ty: wide, dst: joined, a: shifted.into(), b: whole });
                        whole = joined.into();
                    }
                    push(InstKind::Store { ty: wide, space, access, addr, offset, value: whole });
                }
                _ => {}
            }
        }
    }
    f.blocks = blocks;
}
