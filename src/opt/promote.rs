//! Promotion of local memory to registers (scalar replacement of aggregates).
//!
//! A slot of local memory whose address is only loaded from and stored to, at constant offsets, becomes registers: one for each
//! place, if no two places overlap and all accesses to a place have one size. The type of a place is that of the first access;
//! others see its bits as their own type, as copies of derived types do, which are made of integers. A place that may be read
//! before anything was stored holds zero bits, as fresh local memory does in the emulator.
//!
//! Accesses to local memory vanish, so this is for code that nobody watches: that of a GPU, and of the emulator without a debugger and
//! without the check of what is read before it is set. Slots whose address is
//! passed on, computed with, or loaded from at a place known only at run time stay; unrolling comes before this pass.

use crate::strip_debug::remove_variables;
use ir::analysis::{Cfg, Liveness};
use ir::op::{CvtOp, UnOp};
use ir::{Access, AddrBase, Bb, Function, Inst, InstKind, LocalId, Reg, RegInfo, Space, Ty, Val, VarLoc};
use std::collections::{BTreeMap, BTreeSet};

/// The places of a slot: type by offset, as far as all accesses agree.
type Places = BTreeMap<i64, Ty>;

/// Runs the pass over a function.
pub(crate) fn run(f: &mut Function) {
    if f.locals.is_empty() || !Cfg::new(f).preds(Bb(0)).is_empty() {
        // A loop that begins with the entry would set the registers to zero in each iteration.
        return;
    }
    let bases = bases(f);
    let names = names(f, &bases);
    let mut slots: Vec<Option<Places>> = f.locals.iter().map(|_| Some(Places::new())).collect();
    for block in &f.blocks {
        for inst in &block.insts {
            if !inst.kind.def().is_some_and(|dst| names.contains_key(&dst)) {
                note(&mut slots, &bases, &inst.kind);
            }
        }
        block.term.each_use(|v| refuse(&mut slots, &bases, v));
    }
    let mut registers: BTreeMap<(LocalId, i64), Reg> = BTreeMap::new();
    for (id, places) in slots.iter().enumerate() {
        let Some(places) = places.as_ref().filter(|p| fit(p, f.locals[id].bytes)) else { continue };
        for (&offset, &ty) in places {
            f.regs.push(RegInfo { ty, var: None, mutable: true });
            registers.insert((LocalId(id as u32), offset), Reg(f.regs.len() as u32 - 1));
        }
    }
    if registers.is_empty() {
        return;
    }
    let is_promoted = |id: LocalId| registers.range((id, i64::MIN)..=(id, i64::MAX)).next().is_some();
    let gone: BTreeSet<Reg> = names.iter().filter(|(_, id)| is_promoted(**id)).map(|(reg, _)| *reg).collect();
    for block in &mut f.blocks {
        block.insts.retain(|inst| !inst.kind.def().is_some_and(|dst| gone.contains(&dst)));
    }
    remove_variables(f, |var| matches!(var.loc, VarLoc::At(reg) | VarLoc::DescriptorAt(reg) if gone.contains(&reg)));
    for block in &mut f.blocks {
        if block.insts.iter().any(|inst| matches!(inst.kind, InstKind::Clear { .. })) {
            block.insts = std::mem::take(&mut block.insts)
                .into_iter()
                .flat_map(|inst| cleared(&registers, &f.regs, inst))
                .collect();
        }
        for inst in &mut block.insts {
            let place = |addr, offset| registers.get(&(*bases.get(&reg(addr)?)?, offset)).copied();
            match inst.kind {
                InstKind::Load { ty, dst, addr, offset, .. } => {
                    if let Some(a) = place(addr, offset) {
                        inst.kind = copy(dst, ty, a.into(), f.regs[a.index()].ty);
                    }
                }
                InstKind::Store { ty, addr, offset, value, .. } => {
                    if let Some(dst) = place(addr, offset) {
                        inst.kind = copy(dst, f.regs[dst.index()].ty, value, ty);
                    }
                }
                _ => {}
            }
        }
    }
    let live = Liveness::new(f, &Cfg::new(f));
    let unset: Vec<Reg> = registers.into_values().filter(|&r| live.is_live_in(Bb(0), r)).collect();
    for dst in unset {
        let kind = InstKind::Un { op: UnOp::Mov, ty: f.ty(dst), dst, a: Val::Imm(0) };
        f.blocks[0].insts.insert(0, Inst::new(kind, f.span));
    }
}

/// What clears a slot clears its registers.
fn cleared(registers: &BTreeMap<(LocalId, i64), Reg>, of: &[RegInfo], inst: Inst) -> Vec<Inst> {
    let InstKind::Clear { local } = inst.kind else { return vec![inst] };
    let mut zeros = registers
        .range((local, i64::MIN)..=(local, i64::MAX))
        .map(|(_, &dst)| Inst {
            kind: InstKind::Un { op: UnOp::Mov, ty: of[dst.index()].ty, dst, a: Val::Imm(0) },
            ..inst.clone()
        })
        .peekable();
    if zeros.peek().is_none() { vec![inst] } else { zeros.collect() }
}

/// Sets `dst`, of type `to`, to the bits of a value of a type `from` of the same size.
fn copy(dst: Reg, to: Ty, a: Val, from: Ty) -> InstKind {
    if to == from {
        InstKind::Un { op: UnOp::Mov, ty: to, dst, a }
    } else {
        InstKind::Cvt { op: CvtOp::Bits, to, from, dst, a }
    }
}

fn reg(val: Val) -> Option<Reg> {
    match val {
        Val::Reg(r) => Some(r),
        Val::Imm(_) => None,
    }
}

/// The temporaries that hold the address of a slot.
pub(crate) fn bases(f: &Function) -> BTreeMap<Reg, LocalId> {
    let insts = f.blocks.iter().flat_map(|b| &b.insts);
    insts
        .filter_map(|i| match i.kind {
            InstKind::Addr { dst, base: AddrBase::Local(id) } if !f.is_mutable(dst) && id.index() < f.locals.len() => {
                Some((dst, id))
            }
            _ => None,
        })
        .collect()
}

/// The registers that only say where a dummy argument is: copies of the address of a slot, which no instruction reads.
fn names(f: &Function, bases: &BTreeMap<Reg, LocalId>) -> BTreeMap<Reg, LocalId> {
    let mut names = BTreeMap::new();
    let mut others = BTreeSet::new();
    for block in &f.blocks {
        for inst in &block.insts {
            match inst.kind {
                InstKind::Un { op: UnOp::Mov, dst, a: Val::Reg(a), .. } if bases.contains_key(&a) => {
                    if names.insert(dst, bases[&a]).is_some() {
                        others.insert(dst);
                    }
                }
                ref kind => kind.each_def(|reg| {
                    others.insert(reg);
                }),
            }
            inst.kind.each_use(|v| others.extend(reg(v)));
        }
        block.term.each_use(|v| others.extend(reg(v)));
    }
    names.retain(|reg, _| !others.contains(reg));
    names
}

/// Notes what an instruction does with slots.
fn note(slots: &mut [Option<Places>], bases: &BTreeMap<Reg, LocalId>, kind: &InstKind) {
    let mut access = |addr: Val, offset: i64, ty: Ty, is_plain: bool| {
        let Some(&id) = reg(addr).and_then(|r| bases.get(&r)) else { return };
        if let Some(places) = &mut slots[id.index()]
            && !(is_plain && places.entry(offset).or_insert(ty).bytes() == ty.bytes())
        {
            slots[id.index()] = None;
        }
    };
    match *kind {
        InstKind::Load { ty, space: Space::Local | Space::Generic, access: how, addr, offset, .. } => {
            access(addr, offset, ty, how == Access::Plain);
        }
        InstKind::Store { ty, space: Space::Local | Space::Generic, access: how, addr, offset, value } => {
            access(addr, offset, ty, how == Access::Plain);
            refuse(slots, bases, value);
        }
        InstKind::Addr { base: AddrBase::Local(id), dst } if !bases.contains_key(&dst) => {
            if let Some(slot) = slots.get_mut(id.index()) {
                *slot = None;
            }
        }
        _ => kind.each_use(|v| refuse(slots, bases, v)),
    }
}

/// A slot whose address is used otherwise stays.
fn refuse(slots: &mut [Option<Places>], bases: &BTreeMap<Reg, LocalId>, val: Val) {
    if let Some(&id) = reg(val).and_then(|r| bases.get(&r)) {
        slots[id.index()] = None;
    }
}

/// Whether the places lie within the slot and apart.
fn fit(places: &Places, bytes: u64) -> bool {
    let mut end = 0;
    places.iter().all(|(&offset, ty)| {
        let apart = offset >= end;
        end = offset.saturating_add(i64::from(ty.bytes()));
        apart && *ty != Ty::Pred
    }) && u64::try_from(end).is_ok_and(|end| end <= bytes)
}
