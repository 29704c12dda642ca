//! Stores to local memory that no load comes to go, also where the load would have to be in another block.
//!
//! A slot of local memory takes part if its address is only loaded from, stored to and computed with. Its *places* are those that
//! stores name by constant offsets. Walked backwards from the ends of the function, a place is live before a load that may read it, and
//! no longer before a store to all of it. A store is dead where its place is not live; a store to a place that is known at run time only
//! is dead where no load of the slot follows.
//!
//! For code that runs on a GPU only; in the emulator each store is a schedule point. Not here: memory that other threads see (`dse`
//! treats it inside of a block), and registers (`dce`).

use ir::analysis::Cfg;
use ir::op::{BinOp, TriOp, UnOp};
use ir::{Access, AddrBase, Bb, Function, InstKind, LocalId, Reg, Space, Ty, Val};
use std::collections::{BTreeMap, BTreeSet};

/// What an address points into: a slot, and the offset if it is a constant.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Pointer {
    slot: LocalId,
    offset: Option<i64>,
}

/// Bytes of a slot, or all of it as far as it is not known which (`None`).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Place {
    slot: LocalId,
    bytes: Option<(i64, i64)>,
}

impl Place {
    fn new(pointer: Pointer, offset: i64, ty: Ty) -> Place {
        let begin = pointer.offset.and_then(|base| base.checked_add(offset));
        let bytes = begin.and_then(|begin| Some((begin, begin.checked_add(i64::from(ty.bytes()))?)));
        Place { slot: pointer.slot, bytes }
    }

    /// Whether a load of one may read what a store to the other has written.
    fn meets(self, other: Place) -> bool {
        let apart = |((a, a_end), (b, b_end)): ((i64, i64), (i64, i64))| a_end <= b || b_end <= a;
        self.slot == other.slot && !self.bytes.zip(other.bytes).is_some_and(apart)
    }

    /// Whether a store to this one leaves nothing of what the other held.
    fn covers(self, other: Place) -> bool {
        let inside = |((a, a_end), (b, b_end)): ((i64, i64), (i64, i64))| a <= b && b_end <= a_end;
        self.slot == other.slot && self.bytes.zip(other.bytes).is_some_and(inside)
    }
}

/// Runs the pass over a function.
pub(crate) fn run(f: &mut Function) {
    if f.locals.is_empty() {
        return;
    }
    let pointers = pointers(f);
    let escaped = escaped(f, &pointers);
    let place = |addr: Val, offset: i64, ty: Ty| {
        let Val::Reg(reg) = addr else { return None };
        let pointer = *pointers.get(&reg)?;
        (!escaped.contains(&pointer.slot)).then(|| Place::new(pointer, offset, ty))
    };
    let stored = |kind: &InstKind| match *kind {
        InstKind::Store { ty, addr, offset, .. } => place(addr, offset, ty),
        _ => None,
    };
    let loaded = |kind: &InstKind| match *kind {
        InstKind::Load { ty, addr, offset, .. } => place(addr, offset, ty),
        _ => None,
    };
    let places: BTreeSet<Place> = f.blocks.iter().flat_map(|b| &b.insts).filter_map(|i| stored(&i.kind)).collect();
    if places.is_empty() {
        return;
    }
    // Walks an instruction backwards; whether it is a store to a place that is not live.
    let pass = |kind: &InstKind, live: &mut BTreeSet<Place>| {
        if let Some(read) = loaded(kind) {
            live.extend(places.iter().filter(|p| p.meets(read)));
        }
        let Some(written) = stored(kind) else { return false };
        let is_dead = !live.contains(&written);
        live.retain(|p| !written.covers(*p));
        is_dead
    };
    let cfg = Cfg::new(f);
    let mut live_in: Vec<BTreeSet<Place>> = vec![BTreeSet::new(); f.blocks.len()];
    let live_out = |live_in: &[BTreeSet<Place>], bb: usize| -> BTreeSet<Place> {
        cfg.succs(Bb(bb as u32)).iter().flat_map(|to| live_in[to.index()].iter().copied()).collect()
    };
    let mut open: BTreeSet<usize> = (0..f.blocks.len()).collect();
    while let Some(bb) = open.pop_last() {
        let mut live = live_out(&live_in, bb);
        for inst in f.blocks[bb].insts.iter().rev() {
            pass(&inst.kind, &mut live);
        }
        if live != live_in[bb] {
            live_in[bb] = live;
            open.extend(cfg.preds(Bb(bb as u32)).iter().map(|p| p.index()));
        }
    }
    for bb in 0..f.blocks.len() {
        let mut live = live_out(&live_in, bb);
        let insts = &mut f.blocks[bb].insts;
        for i in (0..insts.len()).rev() {
            if pass(&insts[i].kind, &mut live) {
                insts.remove(i);
            }
        }
    }
}

/// The registers that hold addresses in slots. One that may hold another address too is among them; `escaped` says so of the slots.
fn pointers(f: &Function) -> BTreeMap<Reg, Pointer> {
    let mut pointers: BTreeMap<Reg, Pointer> = BTreeMap::new();
    loop {
        let mut changed = false;
        for kind in f.blocks.iter().flat_map(|b| &b.insts).map(|i| &i.kind) {
            let (Some(dst), Some(mut new)) = (kind.def(), target(kind, &pointers)) else { continue };
            if f.is_mutable(dst) {
                new.offset = None;
            }
            match pointers.get(&dst) {
                Some(old) if old.slot != new.slot || *old == new || old.offset.is_none() => {}
                _ => {
                    pointers.insert(dst, new);
                    changed = true;
                }
            }
        }
        if !changed {
            return pointers;
        }
    }
}

/// What the result of an instruction points into, if it is the address of a slot, or that plus or less a number.
fn target(kind: &InstKind, pointers: &BTreeMap<Reg, Pointer>) -> Option<Pointer> {
    let of = |val: Val| match val {
        Val::Reg(reg) => pointers.get(&reg).copied(),
        Val::Imm(_) => None,
    };
    let shifted = |base: Pointer, by: Val| {
        let offset = match by {
            Val::Imm(by) => base.offset.and_then(|offset| offset.checked_add(by as i64)),
            Val::Reg(_) => None,
        };
        Pointer { offset, ..base }
    };
    match *kind {
        InstKind::Addr { base: AddrBase::Local(slot), .. } => Some(Pointer { slot, offset: Some(0) }),
        InstKind::Un { op: UnOp::Mov, a, .. } => of(a),
        InstKind::Bin { op: BinOp::Add, ty: Ty::I64, a, b, .. } => match (of(a), of(b)) {
            (Some(base), None) => Some(shifted(base, b)),
            (None, Some(base)) => Some(shifted(base, a)),
            _ => None,
        },
        InstKind::Tri { op: TriOp::Mad, ty: Ty::I64, a, b, c, .. } if of(a).or(of(b)).is_none() => {
            of(c).map(|base| Pointer { offset: None, ..base })
        }
        _ => None,
    }
}

/// The slots whose memory may be reached otherwise than by plain accesses through `pointers`, and those of registers that may hold
/// another address.
fn escaped(f: &Function, pointers: &BTreeMap<Reg, Pointer>) -> BTreeSet<LocalId> {
    let of = |val: Val| match val {
        Val::Reg(reg) => pointers.get(&reg).map(|p| p.slot),
        Val::Imm(_) => None,
    };
    let mut escaped: BTreeSet<LocalId> = BTreeSet::new();
    for block in &f.blocks {
        for kind in block.insts.iter().map(|i| &i.kind) {
            let new = target(kind, pointers).map(|p| p.slot);
            kind.each_def(|dst| {
                let held = pointers.get(&dst).map(|p| p.slot);
                if held != new {
                    escaped.extend(held.into_iter().chain(new));
                }
            });
            match *kind {
                InstKind::Load { space: Space::Local, access: Access::Plain, .. } => {}
                InstKind::Store { space: Space::Local, access: Access::Plain, value, .. } => escaped.extend(of(value)),
                ref kind if new.is_none() => kind.each_use(|val| escaped.extend(of(val))),
                _ => {}
            }
        }
        block.term.each_use(|val| escaped.extend(of(val)));
    }
    escaped
}
