//! Loop unrolling: innermost loops whose number of iterations is a small constant become straight code, others are done several
//! iterations at a time.
//!
//! *Full.* All iterations are copied in front of the loop, in a chain that ends at the loop itself. That is right for any number
//! of copies; the other passes find that the loop is not reached any more.
//!
//! *Partial.* A loop with a constant number of iterations that a factor divides becomes one whose body is that many copies;
//! only the last copy keeps the test. So does a loop that counts a register down to zero, if enough iterations are left, and
//! the loop as it was does the rest. Registers that grow by a constant are expressed in each copy by their value in the first
//! one, so that the copies' addresses differ by constants.
//!
//! Copies repeat the accesses of the iterations in their order. For the emulator only loops over local arrays are unrolled: its machine
//! code does many iterations of others at a time as they are.
//!
//! (Muchnick, "Advanced Compiler Design and Implementation", 17.4.)

use crate::loops::copier::Copier;
use crate::loops::shape::{Counter, Induction, Shape};
use crate::loops::{depth_inside, each_loop, redirect, temporary};
use ir::op::{BinOp, CmpOp, CvtOp, UnOp};
use ir::{AddrBase, Bb, BlockData, Function, Inst, InstKind, Reg, Term, Ty, Val};
use scalar::bits;
use std::collections::BTreeSet;

/// Most iterations of a loop that becomes straight code.
const MAX_COPIES: usize = 64;
/// Most instructions of the straight code.
const MAX_STRAIGHT: usize = 768;
/// Most instructions of the copies of a loop around others.
const MAX_NEST: usize = 512;
/// Most instructions of an unrolled body.
const MAX_BODY: usize = 128;
/// How many iterations are done at a time, the best first.
const FACTORS: [usize; 2] = [4, 2];

/// Runs the pass over a function: full unrolling where the numbers of iterations are small. Outer loops follow once the other
/// passes have removed the inner ones.
pub(crate) fn full(f: &mut Function) {
    each_loop(
        f,
        |loops, id| depth_inside(loops, id) == 0,
        |f, shape| {
            let count = shape.iterations().filter(|_| !shape.has_call)?;
            let fits = count <= MAX_COPIES && count * shape.size <= MAX_STRAIGHT;
            fits.then(|| peel(f, shape, count))
        },
    );
}

/// Most instructions of the straight code of a loop over elements of a local array, for the emulator.
const MAX_LOCAL: usize = 256;

/// Runs the pass over a function for the emulator: full unrolling of the loops over elements of local arrays, which may become registers
/// by that. Loops around them follow.
pub(crate) fn over_locals(f: &mut Function) {
    if f.locals.is_empty() {
        return;
    }
    let addresses = local_addresses(f);
    each_loop(
        f,
        |loops, id| depth_inside(loops, id) == 0,
        |f, shape| {
            // Threads that come to a synchronisation in different iterations would meet at different copies of it.
            let count = shape.iterations().filter(|_| !shape.has_call && !shape.has_collective)?;
            let fits = count <= MAX_COPIES && count * shape.size <= MAX_LOCAL;
            let insts = || shape.natural.blocks.iter().flat_map(|bb| &f.block(*bb).insts);
            let is_over_local = || insts().any(|inst| moves_at(&inst.kind).is_some_and(|reg| addresses.contains(&reg)));
            (fits && is_over_local()).then(|| peel(f, shape, count))
        },
    );
}

/// The registers that hold the address of a slot plus something known at run time only.
fn local_addresses(f: &Function) -> BTreeSet<Reg> {
    let mut slots = BTreeSet::new();
    let mut computed = BTreeSet::new();
    // A register may be computed in a block that stands before that of another one which it is computed from.
    loop {
        let before = slots.len() + computed.len();
        for inst in f.blocks.iter().flat_map(|block| &block.insts) {
            match inst.kind {
                InstKind::Addr { dst, base: AddrBase::Local(_) } => {
                    slots.insert(dst);
                }
                InstKind::Un { .. } | InstKind::Bin { .. } | InstKind::Tri { .. } => {
                    let mut is_computed = false;
                    inst.kind.each_use(|v| {
                        is_computed |= matches!(v, Val::Reg(r) if slots.contains(&r) || computed.contains(&r));
                    });
                    if is_computed && let Some(dst) = inst.kind.def() {
                        computed.insert(dst);
                    }
                }
                _ => {}
            }
        }
        if slots.len() + computed.len() == before {
            return computed;
        }
    }
}

/// The register with the address of a load or store.
fn moves_at(kind: &InstKind) -> Option<Reg> {
    match kind {
        InstKind::Load { addr: Val::Reg(reg), .. } | InstKind::Store { addr: Val::Reg(reg), .. } => Some(*reg),
        _ => None,
    }
}

/// Runs the pass over a function: small loops around others become straight code, if the numbers of iterations of a loop in them
/// may become constants by that.
pub(crate) fn nests(f: &mut Function) {
    each_loop(
        f,
        |loops, id| depth_inside(loops, id) == 1,
        |f, shape| {
            let count = shape.iterations().filter(|_| !shape.has_call)?;
            let fits = count <= MAX_COPIES && count * shape.size <= MAX_NEST;
            fits.then(|| peel(f, shape, count))
        },
    );
}

/// Runs the pass over a function: several iterations at a time of the innermost loops.
pub(crate) fn partial(f: &mut Function) {
    each_loop(
        f,
        |loops, id| depth_inside(loops, id) == 0,
        |f, shape| {
            if shape.has_call {
                return None;
            }
            let fits = |factor: &&usize| shape.size * **factor <= MAX_BODY;
            match shape.iterations() {
                Some(count) => {
                    let factor = FACTORS.iter().filter(fits).find(|&&factor| count > factor && count % factor == 0)?;
                    shape.repeat(f, shape.counter?, *factor, Some(count));
                }
                // Threads that have different numbers of iterations would meet at different copies of a synchronisation.
                None => {
                    let counter = shape.counter.filter(|_| shape.counts_down() && !shape.has_collective)?;
                    shape.repeat(f, counter, *FACTORS.iter().find(fits)?, None);
                }
            }
            Some(())
        },
    );
}

impl Shape {
    /// Makes the loop do `factor` iterations at a time: all of `count`, which `factor` divides, or as many as are left in
    /// groups, after which the loop as it was does the rest.
    fn repeat(&self, f: &mut Function, counter: Counter, factor: usize, count: Option<usize>) {
        let copier = Copier::new(f, &self.natural);
        let starts: Vec<Bb> = (0..factor).map(|_| copier.copy(f)).collect();
        let shift = |copy: usize, bb: Bb| copier.place(starts[copy], bb);
        let again = match count {
            Some(_) => starts[0],
            None => self.guard(f, counter, factor, starts[0]),
        };
        for copy in 0..factor {
            let last = copy + 1 == factor;
            for &bb in &self.natural.blocks {
                let block = &mut f.blocks[shift(copy, bb).index()];
                let header = starts[copy];
                block.term.each_successor_mut(|to| {
                    if *to == header {
                        *to = if last { again } else { starts[copy + 1] };
                    }
                });
            }
            if !last {
                let test = shift(copy, counter.test);
                let inside = match counter.inside {
                    bb if bb == self.natural.header => starts[copy + 1],
                    bb => shift(copy, bb),
                };
                f.blocks[test.index()].term = Term::Jump(inside);
            }
        }
        redirect(f, self, again);
        for (&reg, induction) in &self.inductions {
            // All values lie between the one before the first iteration and the one behind the last.
            let fit = induction.first.zip(count).is_some_and(|(first, count)| {
                let last = i128::from(first) + i128::from(induction.step) * count as i128;
                f.ty(reg) == Ty::I32 && i128::from(i32::MIN) <= last && last <= i128::from(i32::MAX)
            });
            express(f, &copier, &starts, reg, induction, fit);
        }
    }

    /// A block that goes to the unrolled loop if enough iterations are left, else to the loop as it was.
    fn guard(&self, f: &mut Function, counter: Counter, factor: usize, unrolled: Bb) -> Bb {
        let Counter { reg, ty, .. } = counter;
        let dst = temporary(f, Ty::Pred);
        let span = f.block(self.natural.header).term_span;
        let b = Val::Imm(factor as u64 - 1);
        let kind = InstKind::Cmp { op: CmpOp::Ge, ty, dst, a: Val::Reg(reg), b };
        let term = Term::Branch { cond: Val::Reg(dst), then_bb: unrolled, else_bb: self.natural.header };
        f.blocks.push(BlockData::new(vec![Inst::new(kind, span)], term, span));
        Bb(f.blocks.len() as u32 - 1)
    }
}

/// Puts `count` copies of the loop before it.
fn peel(f: &mut Function, shape: &Shape, count: usize) {
    let copier = Copier::new(f, &shape.natural);
    let starts: Vec<Bb> = (0..count).map(|_| copier.copy(f)).collect();
    for (copy, &start) in starts.iter().enumerate() {
        let next = starts.get(copy + 1).copied().unwrap_or(shape.natural.header);
        for &bb in &shape.natural.blocks {
            let block = &mut f.blocks[copier.place(start, bb).index()];
            block.insts.retain(|inst| !matches!(inst.kind, InstKind::BackEdge));
            block.term.each_successor_mut(|to| {
                if *to == start {
                    *to = next;
                }
            });
        }
    }
    redirect(f, shape, starts[0]);
}

/// Where each copy of an iteration reads a register that grows by a constant, it reads the register's value at the beginning
/// of the first copy plus a constant. The updates stay, for what comes behind the loop. If the values `fit` 32 bits, so that
/// none wraps, the same holds for the widened register.
fn express(f: &mut Function, copier: &Copier, starts: &[Bb], reg: Reg, induction: &Induction, fit: bool) {
    let ty = f.ty(reg);
    let span = f.block(starts[0]).term_span;
    let first = temporary(f, ty);
    let widened = temporary(f, Ty::I64);
    let plus = |dst, ty, a: Reg, c: i64| InstKind::Bin {
        op: BinOp::Add,
        ty,
        dst,
        a: a.into(),
        b: Val::Imm(bits::canonical(ty, c as u64)),
    };
    for (copy, &start) in starts.iter().enumerate() {
        for &bb in &copier.blocks {
            let mut passed = copy as i64 + i64::from(induction.behind.contains(&bb));
            let at = copier.place(start, bb).index();
            let mut insts = Vec::new();
            for mut inst in std::mem::take(&mut f.blocks[at].insts) {
                let change = induction.step.wrapping_mul(passed);
                let mut reads = false;
                inst.kind.each_use(|v| reads |= v == Val::Reg(reg));
                if inst.kind.def() == Some(reg) {
                    passed += 1;
                } else if let InstKind::Cvt { op: CvtOp::Cast, to: Ty::I64, dst, .. } = inst.kind
                    && reads
                    && fit
                {
                    inst.kind = plus(dst, Ty::I64, widened, change);
                } else if reads {
                    let value = temporary(f, ty);
                    insts.push(Inst::new(plus(value, ty, first, change), inst.span));
                    inst.kind.each_use_mut(|v| {
                        if *v == Val::Reg(reg) {
                            *v = Val::Reg(value);
                        }
                    });
                }
                insts.push(inst);
            }
            f.blocks[at].insts = insts;
        }
    }
    let head = [
        InstKind::Un { op: UnOp::Mov, ty, dst: first, a: reg.into() },
        InstKind::Cvt { op: CvtOp::Cast, from: ty, to: Ty::I64, dst: widened, a: reg.into() },
    ];
    let head = head.into_iter().take(1 + usize::from(fit)).map(|kind| Inst::new(kind, span));
    f.blocks[starts[0].index()].insts.splice(0..0, head);
}
