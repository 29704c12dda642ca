//! Promotion of memory to a register for the time of a loop (scalar promotion): `s(i) = s(i) + x(j)` in a loop over `j` loads `s(i)`
//! before the loop, adds in a register, and stores behind it.
//!
//! It needs a place at a fixed address that each way through the loop stores to, that no other access of the loop can meet, and a
//! loop without synchronisation, call or volatile access, so that no other thread may look at the place meanwhile. Accesses meet
//! unless they are in different spaces, at different offsets from one register, or in different variables or dummy arguments that
//! nothing else names ([`ir::Param::unaliased`]).
//!
//! For code that runs on a GPU only: the accesses of the iterations vanish.

use crate::loops::redirect_edges;
use ir::analysis::{Cfg, Dominators, Loop, Loops};
use ir::op::{BinOp, TriOp, UnOp};
use ir::{Access, AddrBase, Bb, BlockData, Function, Inst, InstKind, Reg, RegInfo, SharedSize, Space, Term, Ty, Val};
use std::collections::{BTreeMap, BTreeSet};

/// How many definitions are followed from an address.
const MAX_FOLLOWED: usize = 16;
/// The most places of a function that are promoted, each at the cost of the analyses.
const MAX_PLACES: usize = 32;

/// Runs the pass over a function.
pub(crate) fn run(f: &mut Function) {
    for _ in 0..MAX_PLACES {
        let cfg = Cfg::new(f);
        let dom = Dominators::new(&cfg);
        let loops = Loops::new(&cfg, &dom);
        // Outer loops first: what is one place for them is one for those within.
        let mut candidates = loops.all().iter().filter(|l| l.header != Bb(0));
        let Some((natural, place)) = candidates.find_map(|l| Some((l.clone(), place(f, &cfg, &dom, l)?))) else {
            return;
        };
        promote(f, &cfg, &natural, place);
    }
}

/// A place in memory.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Place {
    space: Space,
    addr: Reg,
    offset: i64,
    ty: Ty,
}

/// What a plain access reaches.
fn access(kind: &InstKind) -> Option<(Space, Val, i64, Ty)> {
    match *kind {
        InstKind::Load { ty, space, access: Access::Plain, addr, offset, .. }
        | InstKind::Store { ty, space, access: Access::Plain, addr, offset, .. } => Some((space, addr, offset, ty)),
        _ => None,
    }
}

/// A place of a loop that can be promoted.
fn place(f: &Function, cfg: &Cfg, dom: &Dominators, natural: &Loop) -> Option<Place> {
    let is_inside = |bb: &Bb| natural.blocks.binary_search(bb).is_ok();
    if cfg.preds(natural.header).iter().filter(|p| !is_inside(p)).count() != 1 {
        return None;
    }
    let mut exiting = Vec::new();
    let mut set: BTreeSet<Reg> = BTreeSet::new();
    let mut accesses = Vec::new();
    for &bb in &natural.blocks {
        let block = f.block(bb);
        if !matches!(block.term, Term::Jump(_) | Term::Branch { .. } | Term::Switch { .. }) {
            return None;
        }
        if !cfg.succs(bb).iter().all(is_inside) {
            exiting.push(bb);
        }
        for inst in &block.insts {
            inst.kind.each_def(|r| {
                set.insert(r);
            });
            match access(&inst.kind) {
                Some(found) => accesses.push(found),
                None if inst.kind.is_pure() || inst.kind == InstKind::BackEdge => {}
                None => return None,
            }
        }
    }
    if exiting.is_empty() {
        return None;
    }
    let roots = Roots::new(f);
    let always = natural.blocks.iter().filter(|&&bb| exiting.iter().all(|&e| dom.dominates(bb, e)));
    always.flat_map(|&bb| &f.block(bb).insts).find_map(|inst| {
        let InstKind::Store { ty, space, access: Access::Plain, addr: Val::Reg(addr), offset, .. } = inst.kind else {
            return None;
        };
        let place = Place { space, addr, offset, ty };
        let is_free = |&(space, val, offset, ty): &(Space, Val, i64, Ty)| {
            (space, val, offset, ty) == (place.space, Val::Reg(place.addr), place.offset, place.ty)
                || roots.apart(&place, space, val, offset, ty)
        };
        let is_fixed = !set.contains(&addr) && ty != Ty::Pred && space != Space::Const;
        (is_fixed && accesses.iter().all(is_free)).then_some(place)
    })
}

/// Has the loop keep the place in a register.
fn promote(f: &mut Function, cfg: &Cfg, natural: &Loop, place: Place) {
    let Place { space, addr, offset, ty } = place;
    let (addr, access) = (Val::Reg(addr), Access::Plain);
    f.regs.push(RegInfo { ty, var: None, mutable: true });
    let kept = Reg(f.regs.len() as u32 - 1);
    let is_place = |kind: &InstKind| self::access(kind) == Some((space, addr, offset, ty));
    let mut is_loaded = false;
    for &bb in &natural.blocks {
        for inst in f.blocks[bb.index()].insts.iter_mut().filter(|i| is_place(&i.kind)) {
            inst.kind = match inst.kind {
                InstKind::Load { dst, .. } => {
                    is_loaded = true;
                    InstKind::Un { op: UnOp::Mov, ty, dst, a: kept.into() }
                }
                InstKind::Store { value, .. } => InstKind::Un { op: UnOp::Mov, ty, dst: kept, a: value },
                _ => continue,
            };
        }
    }
    let span = f.block(natural.header).term_span;
    let is_inside = |bb: &Bb| natural.blocks.binary_search(bb).is_ok();
    if is_loaded {
        let kind = InstKind::Load { ty, space, access, dst: kept, addr, offset };
        let outside = cfg.preds(natural.header).iter().copied().filter(|p| !is_inside(p)).collect::<Vec<Bb>>();
        let term = Term::Jump(natural.header);
        f.blocks.push(BlockData::new(vec![Inst::new(kind, span)], term, span));
        redirect_edges(f, &outside, natural.header, Bb(f.blocks.len() as u32 - 1));
    }
    let exits: BTreeSet<Bb> =
        natural.blocks.iter().flat_map(|&bb| cfg.succs(bb)).copied().filter(|s| !is_inside(s)).collect();
    for exit in exits {
        let kind = InstKind::Store { ty, space, access, addr, offset, value: kept.into() };
        f.blocks.push(BlockData::new(vec![Inst::new(kind, span)], Term::Jump(exit), span));
        redirect_edges(f, &natural.blocks, exit, Bb(f.blocks.len() as u32 - 1));
    }
}

/// What an address was computed from.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Root {
    Shared(u32),
    Local(u32),
    Dummy(Reg),
}

/// The roots of the addresses of a function.
struct Roots<'a> {
    f: &'a Function,
    definitions: BTreeMap<Reg, &'a InstKind>,
}

impl<'a> Roots<'a> {
    fn new(f: &'a Function) -> Roots<'a> {
        let insts = f.blocks.iter().flat_map(|b| &b.insts);
        let definitions = insts.filter_map(|i| Some((i.kind.def()?, &i.kind)));
        Roots { f, definitions: definitions.filter(|(reg, _)| !f.is_mutable(*reg)).collect() }
    }

    /// Whether an access cannot meet a place.
    fn apart(&self, place: &Place, space: Space, addr: Val, offset: i64, ty: Ty) -> bool {
        let is_known = |space| matches!(space, Space::Global | Space::Shared | Space::Local | Space::Const);
        if space != place.space && is_known(space) && is_known(place.space) {
            return true;
        }
        if addr == Val::Reg(place.addr) {
            let end = |offset: i64, ty: Ty| offset.saturating_add(i64::from(ty.bytes()));
            return end(offset, ty) <= place.offset || end(place.offset, place.ty) <= offset;
        }
        match (self.root(Val::Reg(place.addr)), self.root(addr)) {
            (Some(a), Some(b)) => a != b,
            _ => false,
        }
    }

    /// The variable or dummy argument of an address, if it is one that overlaps no other.
    fn root(&self, addr: Val) -> Option<Root> {
        let mut left = MAX_FOLLOWED;
        self.root_within(addr, &mut left).filter(|_| left > 0)
    }

    /// The same, with so many definitions left to be followed.
    fn root_within(&self, addr: Val, left: &mut usize) -> Option<Root> {
        let Val::Reg(reg) = addr else { return None };
        *left = left.checked_sub(1)?;
        let Some(kind) = self.definitions.get(&reg) else {
            let is_dummy = self.f.params.iter().any(|p| p.reg == reg && p.unaliased) && !self.f.is_mutable(reg);
            return is_dummy.then_some(Root::Dummy(reg));
        };
        match **kind {
            InstKind::Addr { base: AddrBase::Shared(id), .. } => {
                let is_dynamic = self.f.shared.get(id.index()).is_none_or(|s| s.size == SharedSize::Dynamic);
                (!is_dynamic).then_some(Root::Shared(id.0))
            }
            InstKind::Addr { base: AddrBase::Local(id), .. } => Some(Root::Local(id.0)),
            InstKind::Un { op: UnOp::Mov, a, .. } => self.root_within(a, left),
            InstKind::Tri { op: TriOp::Mad, c, .. } => self.root_within(c, left),
            // The difference of two addresses is none.
            InstKind::Bin { op: BinOp::Sub, a, b, .. } => {
                match (self.root_within(a, left), self.root_within(b, left)) {
                    (root, None) => root,
                    _ => None,
                }
            }
            InstKind::Bin { op: BinOp::Add, a, b, .. } => {
                match (self.root_within(a, left), self.root_within(b, left)) {
                    (Some(root), None) | (None, Some(root)) => Some(root),
                    _ => None,
                }
            }
            _ => None,
        }
    }
}
