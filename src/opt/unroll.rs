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
//! The number of iterations comes from a *counter*: a register that one instruction of the loop updates, from itself and
//! constants, and that a branch out of the loop compares with a constant. Its values are computed with [`ir::eval`], as the
//! program would.
//!
//! Copies repeat the accesses and schedule points of the iterations in their order. Only code for a GPU is unrolled: the
//! emulator's machine code does many iterations of a loop at a time as it is.
//!
//! (Muchnick, "Advanced Compiler Design and Implementation", 17.4.)

use ir::analysis::{Cfg, Dominators, Loop, LoopId, Loops};
use ir::op::{BinOp, CmpOp, CvtOp, Special, UnOp};
use ir::{Bb, BlockData, Function, Inst, InstKind, Reg, RegInfo, Term, Ty, Val, eval};
use scalar::bits;
use std::collections::{BTreeMap, BTreeSet};

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
/// Most iterations that are counted; a loop with more has no known number.
const MAX_COUNTED: usize = 1 << 16;
/// A function of more instructions is left as it is.
const LARGEST: usize = 20_000;

/// Runs the pass over a function: full unrolling where the numbers of iterations are small. Outer loops follow once the other
/// passes have removed the inner ones.
pub(crate) fn full(f: &mut Function) {
    each_loop(
        f,
        |loops, id| depth_inside(loops, id) == 0,
        |f, shape| {
            let count = shape.iterations()?;
            let fits = count <= MAX_COPIES && count * shape.size <= MAX_STRAIGHT;
            fits.then(|| peel(f, shape, count))
        },
    );
}

/// Runs the pass over a function: small loops around others become straight code, if the numbers of iterations of a loop in them
/// may become constants by that.
pub(crate) fn nests(f: &mut Function) {
    each_loop(
        f,
        |loops, id| depth_inside(loops, id) == 1,
        |f, shape| {
            let count = shape.iterations()?;
            let fits = count <= MAX_COPIES && count * shape.size <= MAX_NEST;
            fits.then(|| peel(f, shape, count))
        },
    );
}

/// How many loops there are within a loop, one in the other.
fn depth_inside(loops: &Loops, id: LoopId) -> usize {
    let children = (0..loops.all().len() as u32).map(LoopId).filter(|&c| loops.get(c).parent == Some(id));
    children.map(|c| 1 + depth_inside(loops, c)).max().unwrap_or(0)
}

/// Runs the pass over a function: several iterations at a time of the innermost loops.
pub(crate) fn partial(f: &mut Function) {
    each_loop(
        f,
        |loops, id| depth_inside(loops, id) == 0,
        |f, shape| {
            let fits = |factor: &&usize| shape.size * **factor <= MAX_BODY;
            match shape.iterations() {
                Some(count) => {
                    let factor = FACTORS.iter().filter(fits).find(|&&factor| count > factor && count % factor == 0)?;
                    shape.repeat(f, *factor, Some(count));
                }
                // Threads that have different numbers of iterations would meet at different copies of a synchronisation.
                None => (shape.counts_down() && !shape.has_collective)
                    .then(|| FACTORS.iter().find(fits))
                    .flatten()
                    .map(|factor| {
                        shape.repeat(f, *factor, None);
                    })?,
            }
            Some(())
        },
    );
}

/// Changes the loops that `wanted` chooses, each once. `change` gives `None` for a loop that it leaves.
fn each_loop(
    f: &mut Function,
    wanted: impl Fn(&Loops, LoopId) -> bool,
    change: impl Fn(&mut Function, &Shape) -> Option<()>,
) {
    let mut done: BTreeSet<Bb> = BTreeSet::new();
    loop {
        let size: usize = f.blocks.iter().map(|b| b.insts.len() + 1).sum();
        if size > LARGEST {
            return;
        }
        let cfg = Cfg::new(f);
        let dom = Dominators::new(&cfg);
        let loops = Loops::new(&cfg, &dom);
        let mut candidates = (0..loops.all().len() as u32).map(LoopId).filter(|&id| wanted(&loops, id));
        let Some(id) = candidates.find(|&id| !done.contains(&loops.get(id).header)) else { return };
        let natural = loops.get(id);
        done.insert(natural.header);
        // Blocks are only added, so that the numbers in `done` stay. Copies of a loop are no candidates again.
        let blocks = f.blocks.len();
        if let Some(shape) = Shape::of(f, &cfg, &dom, &loops, id)
            && change(f, &shape).is_some()
        {
            done.extend((blocks..f.blocks.len()).map(|b| Bb(b as u32)));
        }
    }
}

/// A register that says how many iterations a loop has.
#[derive(Clone, Copy)]
struct Counter {
    reg: Reg,
    ty: Ty,
    /// The update, `reg = op reg, by`.
    op: BinOp,
    by: u64,
    /// The test, `reg cmp bound`, and the truth at which the loop is left.
    cmp: CmpOp,
    bound: u64,
    leaves_at: bool,
    /// Whether an iteration updates the register before it tests it.
    tests_updated: bool,
    /// The block of the test, and where that goes within the loop.
    test: Bb,
    inside: Bb,
}

/// A loop that can be unrolled.
struct Shape {
    natural: Loop,
    /// The only block outside that goes to the header.
    entry: Bb,
    size: usize,
    counter: Counter,
    /// The counter's value in the first iteration, where it is a constant.
    first: Option<u64>,
    /// Whether an iteration has an operation that depends on which threads are there.
    has_collective: bool,
    inductions: BTreeMap<Reg, Induction>,
}

/// A register that each iteration changes by a constant.
struct Induction {
    step: i64,
    /// Its value in the first iteration, where it is a constant.
    first: Option<i64>,
    /// The blocks that come behind the update in an iteration.
    behind: Vec<Bb>,
}

impl Shape {
    fn of(f: &Function, cfg: &Cfg, dom: &Dominators, loops: &Loops, id: LoopId) -> Option<Shape> {
        let natural = loops.get(id).clone();
        let is_inside = |bb: Bb| natural.blocks.binary_search(&bb).is_ok();
        let mut entries = cfg.preds(natural.header).iter().copied().filter(|&p| !is_inside(p));
        let (Some(entry), None) = (entries.next(), entries.next()) else { return None };
        if natural.header == Bb(0) || !matches!(f.block(entry).term, Term::Jump(_) | Term::Branch { .. }) {
            return None;
        }
        // A cycle within an iteration that is no loop, because it is entered at two places.
        let goes_back = |bb: Bb| {
            let forward = |to: Bb| dom.dominates(to, bb) || !is_inside(to) || cfg.rank(to) > cfg.rank(bb);
            !cfg.succs(bb).iter().all(|&to| forward(to))
        };
        if natural.blocks.iter().any(|&bb| goes_back(bb)) {
            return None;
        }
        let has_call =
            |bb: &Bb| f.block(*bb).insts.iter().any(|i| matches!(i.kind, InstKind::Call { .. } | InstKind::Rt { .. }));
        if natural.blocks.iter().any(has_call) {
            return None;
        }
        let size = natural.blocks.iter().map(|&bb| f.block(bb).insts.len() + 1).sum();
        let always = |bb: Bb| {
            // Once in each iteration, and not in a loop within it.
            loops.of(bb) == Some(id) && natural.latches.iter().all(|&latch| dom.dominates(bb, latch))
        };
        let updates = updates(f, &natural, &always);
        let counter = natural
            .blocks
            .iter()
            .filter(|&&bb| always(bb))
            .find_map(|&bb| counter(f, dom, bb, &is_inside, &updates))?;
        let first = value_before(f, cfg, entry, counter.reg);
        let inductions = updates
            .iter()
            .filter(|(reg, update)| update.op == BinOp::Add && f.ty(**reg).is_int())
            .map(|(&reg, update)| {
                let ty = f.ty(reg);
                let first = value_before(f, cfg, entry, reg).map(|v| bits::signed(ty, v));
                let behind = natural.blocks.iter().copied();
                let behind = behind.filter(|&bb| bb != update.block && dom.dominates(update.block, bb)).collect();
                (reg, Induction { step: bits::signed(ty, update.by), first, behind })
            })
            .collect();
        let has_collective = natural.blocks.iter().any(|&bb| f.block(bb).insts.iter().any(|i| is_collective(&i.kind)));
        Some(Shape { natural, entry, size, counter, first, has_collective, inductions })
    }

    /// How many iterations begin, if that is a constant and not more than are counted.
    fn iterations(&self) -> Option<usize> {
        let c = self.counter;
        let mut value = self.first?;
        for iteration in 1..=MAX_COUNTED {
            let updated = eval::eval_bin(c.op, c.ty, value, c.by);
            let tested = if c.tests_updated { updated } else { value };
            if eval::eval_cmp(c.cmp, c.ty, tested, c.bound) == c.leaves_at {
                return Some(iteration);
            }
            value = updated;
        }
        None
    }

    /// Whether the counter is what a DO loop has: it goes down by one, and the loop is left where it was zero.
    fn counts_down(&self) -> bool {
        let c = self.counter;
        let minus_one = bits::canonical(c.ty, u64::MAX);
        (c.op, c.by, c.cmp, c.bound, c.leaves_at, c.tests_updated)
            == (BinOp::Add, minus_one, CmpOp::Ne, 0, false, false)
    }

    /// Makes the loop do `factor` iterations at a time: all of `count`, which `factor` divides, or as many as are left in
    /// groups, after which the loop as it was does the rest.
    fn repeat(&self, f: &mut Function, factor: usize, count: Option<usize>) {
        let copier = Copier::new(f, &self.natural);
        let starts: Vec<Bb> = (0..factor).map(|_| copier.copy(f)).collect();
        let shift = |copy: usize, bb: Bb| copier.place(starts[copy], bb);
        let again = match count {
            Some(_) => starts[0],
            None => self.guard(f, factor, starts[0]),
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
                let test = shift(copy, self.counter.test);
                let inside = match self.counter.inside {
                    bb if bb == self.natural.header => starts[copy + 1],
                    bb => shift(copy, bb),
                };
                f.blocks[test.index()].term = Term::Jump(inside);
            }
        }
        let header = self.natural.header;
        f.blocks[self.entry.index()].term.each_successor_mut(|to| {
            if *to == header {
                *to = again;
            }
        });
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
    fn guard(&self, f: &mut Function, factor: usize, unrolled: Bb) -> Bb {
        let Counter { reg, ty, .. } = self.counter;
        let dst = temporary(f, Ty::Pred);
        let span = f.block(self.natural.header).term_span;
        let b = Val::Imm(factor as u64 - 1);
        let kind = InstKind::Cmp { op: CmpOp::Ge, ty, dst, a: Val::Reg(reg), b };
        let term = Term::Branch { cond: Val::Reg(dst), then_bb: unrolled, else_bb: self.natural.header };
        f.blocks.push(BlockData { insts: vec![Inst { kind, span }], term, term_span: span });
        Bb(f.blocks.len() as u32 - 1)
    }
}

/// Whether what an operation does depends on the threads that are at the same place.
fn is_collective(kind: &InstKind) -> bool {
    matches!(
        kind,
        InstKind::Barrier { .. }
            | InstKind::SyncWarp { .. }
            | InstKind::Vote { .. }
            | InstKind::Shuffle { .. }
            | InstKind::Special { reg: Special::ActiveMask, .. }
    )
}

fn temporary(f: &mut Function, ty: Ty) -> Reg {
    f.regs.push(RegInfo { ty, var: None, mutable: false });
    Reg(f.regs.len() as u32 - 1)
}

/// An update `reg = op reg, by`.
#[derive(Clone, Copy)]
struct Update {
    op: BinOp,
    by: u64,
    block: Bb,
    at: usize,
}

/// The registers that exactly one instruction of the loop assigns, once in each iteration, from themselves and a constant.
fn updates(f: &Function, natural: &Loop, always: &dyn Fn(Bb) -> bool) -> BTreeMap<Reg, Update> {
    let mut assigned: BTreeMap<Reg, usize> = BTreeMap::new();
    let mut found = BTreeMap::new();
    // What temporaries are computed as: the operation, the register and the constant.
    let mut computed: BTreeMap<Reg, (BinOp, Reg, u64)> = BTreeMap::new();
    for &block in &natural.blocks {
        for inst in &f.block(block).insts {
            inst.kind.each_def(|r| *assigned.entry(r).or_default() += 1);
            if let InstKind::Bin { op, dst, a: Val::Reg(a), b: Val::Imm(by), .. } = inst.kind {
                computed.insert(dst, (op, a, by));
            }
        }
    }
    for &block in natural.blocks.iter().filter(|&&bb| always(bb)) {
        for (at, inst) in f.block(block).insts.iter().enumerate() {
            let (dst, from) = match inst.kind {
                InstKind::Bin { dst, .. } => (dst, dst),
                InstKind::Un { op: UnOp::Mov, dst, a: Val::Reg(a), .. } if !f.is_mutable(a) => (dst, a),
                _ => continue,
            };
            match computed.get(&from) {
                Some(&(op, a, by)) if a == dst => found.insert(dst, Update { op, by, block, at }),
                _ => None,
            };
        }
    }
    found.retain(|reg, _| assigned.get(reg) == Some(&1));
    found
}

/// The counter that the branch at the end of `bb` tests.
fn counter(
    f: &Function,
    dom: &Dominators,
    bb: Bb,
    is_inside: &dyn Fn(Bb) -> bool,
    updates: &BTreeMap<Reg, Update>,
) -> Option<Counter> {
    let Term::Branch { cond: Val::Reg(cond), then_bb, else_bb } = f.block(bb).term else { return None };
    let (inside, leaves_at) = match (is_inside(then_bb), is_inside(else_bb)) {
        (true, false) => (then_bb, false),
        (false, true) => (else_bb, true),
        _ => return None,
    };
    let insts = &f.block(bb).insts;
    let at = insts.iter().rposition(|i| i.kind.def() == Some(cond))?;
    let InstKind::Cmp { op: cmp, ty, a: Val::Reg(reg), b: Val::Imm(bound), .. } = insts[at].kind else { return None };
    let update = updates.get(&reg)?;
    let tests_updated = if update.block == bb { update.at < at } else { dom.dominates(update.block, bb) };
    ty.is_int().then_some(Counter {
        reg,
        ty,
        op: update.op,
        by: update.by,
        cmp,
        bound,
        leaves_at,
        tests_updated,
        test: bb,
        inside,
    })
}

/// The constant that `reg` has at the end of `bb`, if the only way there assigns one.
fn value_before(f: &Function, cfg: &Cfg, bb: Bb, reg: Reg) -> Option<u64> {
    let mut at = bb;
    for _ in 0..f.blocks.len() {
        if let Some(inst) = f.block(at).insts.iter().rfind(|i| {
            let mut defines = false;
            i.kind.each_def(|r| defines |= r == reg);
            defines
        }) {
            return match inst.kind {
                InstKind::Un { op: UnOp::Mov, a: Val::Imm(value), .. } => Some(value),
                _ => None,
            };
        }
        match cfg.preds(at) {
            &[pred] if at != Bb(0) => at = pred,
            _ => return None,
        }
    }
    None
}

/// Copies of the blocks of a loop.
struct Copier {
    blocks: Vec<Bb>,
    header: Bb,
    /// The temporaries that an iteration keeps to itself; each copy has its own.
    own: Vec<Reg>,
}

impl Copier {
    /// Temporaries of the loop that are read behind it become registers that may be assigned many times.
    fn new(f: &mut Function, natural: &Loop) -> Copier {
        let mut own: BTreeSet<Reg> = BTreeSet::new();
        for &bb in &natural.blocks {
            for inst in &f.block(bb).insts {
                inst.kind.each_def(|r| {
                    if !f.is_mutable(r) {
                        own.insert(r);
                    }
                });
            }
        }
        let mut outside: BTreeSet<Reg> = BTreeSet::new();
        for (b, block) in f.blocks.iter().enumerate() {
            if natural.blocks.binary_search(&Bb(b as u32)).is_err() {
                let mut read = |v| {
                    if let Val::Reg(r) = v
                        && own.contains(&r)
                    {
                        outside.insert(r);
                    }
                };
                block.insts.iter().for_each(|i| i.kind.each_use(&mut read));
                block.term.each_use(&mut read);
            }
        }
        // Places and shapes of variables name registers too.
        outside.extend(f.var_regs().into_iter().filter(|r| own.contains(r)));
        for &reg in &outside {
            f.regs[reg.index()].mutable = true;
        }
        Copier {
            blocks: natural.blocks.clone(),
            header: natural.header,
            own: own.into_iter().filter(|r| !outside.contains(r)).collect(),
        }
    }

    /// Adds a copy of the loop, whose back edges go to the copy's own header; gives that header.
    fn copy(&self, f: &mut Function) -> Bb {
        let first = f.blocks.len() as u32;
        let number = |bb: Bb| self.blocks.binary_search(&bb).ok().map(|i| Bb(first + i as u32));
        let fresh: BTreeMap<Reg, Reg> = self.own.iter().map(|&r| (r, temporary(f, f.ty(r)))).collect();
        for &bb in &self.blocks {
            let mut block = f.block(bb).clone();
            let rename = |v: &mut Val| {
                if let Val::Reg(r) = v {
                    *r = fresh.get(r).copied().unwrap_or(*r);
                }
            };
            for inst in &mut block.insts {
                inst.kind.each_use_mut(rename);
                inst.kind.each_def_mut(|r| *r = fresh.get(r).copied().unwrap_or(*r));
            }
            block.term.each_use_mut(rename);
            block.term.each_successor_mut(|to| *to = number(*to).unwrap_or(*to));
            f.blocks.push(block);
        }
        number(self.header).unwrap_or(self.header)
    }

    /// The block of the copy with that header that was made of `bb`.
    fn place(&self, header: Bb, bb: Bb) -> Bb {
        let rank = |bb: Bb| self.blocks.binary_search(&bb).unwrap_or(0) as u32;
        Bb(header.0 - rank(self.header) + rank(bb))
    }
}

/// Puts `count` copies of the loop before it.
fn peel(f: &mut Function, shape: &Shape, count: usize) {
    let copier = Copier::new(f, &shape.natural);
    let starts: Vec<Bb> = (0..count).map(|_| copier.copy(f)).collect();
    for (copy, &start) in starts.iter().enumerate() {
        let next = starts.get(copy + 1).copied().unwrap_or(shape.natural.header);
        for &bb in &shape.natural.blocks {
            f.blocks[copier.place(start, bb).index()].term.each_successor_mut(|to| {
                if *to == start {
                    *to = next;
                }
            });
        }
    }
    let (header, first) = (shape.natural.header, starts[0]);
    f.blocks[shape.entry.index()].term.each_successor_mut(|to| {
        if *to == header {
            *to = first;
        }
    });
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
                    insts.push(Inst { kind: plus(value, ty, first, change), span: inst.span });
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
    let head = head.into_iter().take(1 + usize::from(fit)).map(|kind| Inst { kind, span });
    f.blocks[starts[0].index()].insts.splice(0..0, head);
}
