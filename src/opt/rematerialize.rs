//! Rematerialisation: what is cheap to compute again is computed again behind a loop that does not read it, and takes no register
//! while the loop runs.
//!
//! Cheap is what a few integer operations make of the thread's place in the grid, parameters, addresses of shared memory and
//! constants, none of which takes a register of its own. It is computed at the first place behind the loop that is on all ways
//! to a read, and only if that place is in no loop.
//!
//! For code that runs on a GPU only, whose threads share few registers: the other engines have one for each of the IR's.
//!
//! (P. Briggs, K. D. Cooper, L. Torczon, "Rematerialization", PLDI 1992.)

use crate::loops::temporary;
use ir::analysis::{Cfg, Dominators, Liveness, LoopId, Loops};
use ir::op::{BinOp, CvtOp, Special, TriOp};
use ir::{AddrBase, Bb, Function, Inst, InstKind, Reg, Val};
use std::collections::{BTreeMap, BTreeSet};

/// Most instructions of a computation that is repeated.
const MAX_REPEATED: usize = 4;
/// Most loops of a function that are looked at, each at the cost of the analyses.
const MAX_LOOPS: usize = 32;

/// Runs the pass over a function.
pub(crate) fn run(f: &mut Function) {
    let mut done: BTreeSet<Bb> = BTreeSet::new();
    for _ in 0..MAX_LOOPS {
        let cfg = Cfg::new(f);
        let dom = Dominators::new(&cfg);
        let loops = Loops::new(&cfg, &dom);
        // What is computed again behind one loop may be alive in the next.
        let outermost = cfg.rpo().iter().filter_map(|&bb| loops.of(bb).filter(|&id| loops.get(id).header == bb));
        let mut candidates = outermost.filter(|&id| loops.get(id).parent.is_none());
        let Some(id) = candidates.find(|&id| done.insert(loops.get(id).header)) else { return };
        relieve(f, &cfg, &dom, &loops, id);
    }
}

/// Computes again behind a loop what it does not read.
fn relieve(f: &mut Function, cfg: &Cfg, dom: &Dominators, loops: &Loops, id: LoopId) {
    let natural = loops.get(id);
    let live = Liveness::new(f, cfg);
    let mut read: BTreeSet<Reg> = BTreeSet::new();
    let mut note = |v| {
        if let Val::Reg(r) = v {
            read.insert(r);
        }
    };
    for &bb in &natural.blocks {
        f.block(bb).insts.iter().for_each(|i| i.kind.each_use(&mut note));
        f.block(bb).term.each_use(&mut note);
    }
    let kept: Vec<Reg> = live.live_in(natural.header).filter(|r| !read.contains(r) && !f.is_mutable(*r)).collect();
    let variables: BTreeSet<Reg> = f.var_regs().into_iter().collect();
    let behind = behind(cfg, &natural.blocks);
    let mut again: BTreeMap<Bb, Again> = BTreeMap::new();
    for reg in kept.into_iter().filter(|r| !variables.contains(r)) {
        let Some(computation) = computation(f, reg) else { continue };
        let places = places(f, cfg, dom, &behind, reg);
        if places.keys().any(|&place| loops.of(place).is_some()) {
            continue;
        }
        for (place, readers) in places {
            let again = again.entry(place).or_default();
            again.repeat(f, place, &computation);
            again.serve(f, &readers, reg);
        }
    }
}

/// The blocks that may run behind a loop.
fn behind(cfg: &Cfg, inside: &[Bb]) -> BTreeSet<Bb> {
    let mut found = BTreeSet::new();
    let mut stack: Vec<Bb> = inside.to_vec();
    while let Some(bb) = stack.pop() {
        for &to in cfg.succs(bb) {
            if inside.binary_search(&to).is_err() && found.insert(to) {
                stack.push(to);
            }
        }
    }
    found
}

/// The instructions that compute a register from what takes none, the last one last, if they are few.
fn computation(f: &Function, reg: Reg) -> Option<Vec<Inst>> {
    let (mut found, mut wanted): (Vec<Inst>, Vec<Reg>) = (Vec::new(), vec![reg]);
    // A parameter that is assigned to is no longer what it was.
    let is_param = |r: Reg| f.params.iter().any(|p| p.reg == r) && !f.is_mutable(r);
    while let Some(reg) = wanted.pop() {
        let inst = f.blocks.iter().flat_map(|b| &b.insts).find(|i| i.kind.def() == Some(reg))?;
        if !is_cheap(&inst.kind) || f.is_mutable(reg) {
            return None;
        }
        // An operand of two of them comes before both.
        found.retain(|other| other.kind.def() != Some(reg));
        found.push(inst.clone());
        if found.len() > MAX_REPEATED {
            return None;
        }
        inst.kind.each_use(|v| {
            if let Val::Reg(r) = v
                && !is_param(r)
            {
                wanted.push(r);
            }
        });
    }
    found.reverse();
    Some(found)
}

/// Whether an instruction takes about as long as a move.
fn is_cheap(kind: &InstKind) -> bool {
    match kind {
        InstKind::Special { reg, .. } => !matches!(reg, Special::ActiveMask | Special::Clock64 | Special::GlobalTimer),
        InstKind::Addr { base: AddrBase::Shared(_), .. } => true,
        InstKind::Bin { op, ty, .. } => {
            ty.is_int() && matches!(op, BinOp::Add | BinOp::Sub | BinOp::Mul | BinOp::Shl | BinOp::And | BinOp::Or)
        }
        InstKind::Tri { op: TriOp::Mad, ty, .. } => ty.is_int(),
        InstKind::Cvt { op: CvtOp::Cast, from, to, .. } => from.is_int() && to.is_int(),
        _ => false,
    }
}

/// Where a register is computed again, each with the blocks behind it that read the register.
fn places(f: &Function, cfg: &Cfg, dom: &Dominators, behind: &BTreeSet<Bb>, reg: Reg) -> BTreeMap<Bb, Vec<Bb>> {
    let mut places: BTreeMap<Bb, Vec<Bb>> = BTreeMap::new();
    for &reader in cfg.rpo().iter().filter(|bb| behind.contains(bb)) {
        let mut reads = false;
        f.block(reader).insts.iter().for_each(|i| i.kind.each_use(|v| reads |= v == Val::Reg(reg)));
        f.block(reader).term.each_use(|v| reads |= v == Val::Reg(reg));
        if reads {
            let mut place = reader;
            while let Some(above) = dom.idom(place).filter(|bb| behind.contains(bb)) {
                place = above;
            }
            places.entry(place).or_default().push(reader);
        }
    }
    places
}

/// What is computed again at the beginning of a block: each register's new one, and the number of instructions.
#[derive(Default)]
struct Again {
    fresh: BTreeMap<Reg, Reg>,
    size: usize,
}

impl Again {
    /// Adds a computation, but for what is there.
    fn repeat(&mut self, f: &mut Function, place: Bb, computation: &[Inst]) {
        for inst in computation {
            let Some(dst) = inst.kind.def().filter(|r| !self.fresh.contains_key(r)) else { continue };
            let mut inst = inst.clone();
            inst.kind.each_use_mut(|v| self.rename(v));
            self.fresh.insert(dst, temporary(f, f.ty(dst)));
            inst.kind.each_def_mut(|r| *r = self.fresh.get(r).copied().unwrap_or(*r));
            f.blocks[place.index()].insts.insert(self.size, inst);
            self.size += 1;
        }
    }

    /// Has blocks read a register's new one.
    fn serve(&self, f: &mut Function, readers: &[Bb], reg: Reg) {
        let rename = |v: &mut Val| {
            if *v == Val::Reg(reg) {
                self.rename(v);
            }
        };
        for bb in readers {
            let block = &mut f.blocks[bb.index()];
            block.insts.iter_mut().for_each(|i| i.kind.each_use_mut(rename));
            block.term.each_use_mut(rename);
        }
    }

    fn rename(&self, v: &mut Val) {
        if let Val::Reg(r) = v {
            *r = self.fresh.get(r).copied().unwrap_or(*r);
        }
    }
}
