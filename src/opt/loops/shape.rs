//! What is known of a loop: where it is entered, what it counts, what grows by a constant in each iteration.
//!
//! The number of iterations comes from a *counter*: a register that one instruction of the loop updates, from itself and
//! constants, and that a branch out of the loop compares with a constant. Its values are computed with [`ir::eval`], as the
//! program would.

use ir::analysis::{Cfg, Dominators, Loop, LoopId, Loops};
use ir::op::{BinOp, CmpOp, Special, UnOp};
use ir::{Bb, Function, InstKind, Reg, Term, Ty, Val, eval};
use scalar::bits;
use std::collections::BTreeMap;

/// Most iterations that are counted; a loop with more has no known number.
const MAX_COUNTED: usize = 1 << 16;

/// A register that says how many iterations a loop has.
#[derive(Clone, Copy)]
pub(crate) struct Counter {
    pub(crate) reg: Reg,
    pub(crate) ty: Ty,
    /// The update, `reg = op reg, by`.
    pub(crate) op: BinOp,
    pub(crate) by: u64,
    /// The test, `reg cmp bound`, and the truth at which the loop is left.
    pub(crate) cmp: CmpOp,
    pub(crate) bound: u64,
    pub(crate) leaves_at: bool,
    /// Whether an iteration updates the register before it tests it.
    pub(crate) tests_updated: bool,
    /// The block of the test, and where that goes within the loop.
    pub(crate) test: Bb,
    pub(crate) inside: Bb,
}

/// A loop that can be copied.
pub(crate) struct Shape {
    pub(crate) natural: Loop,
    /// The only block outside that goes to the header.
    pub(crate) entry: Bb,
    pub(crate) size: usize,
    /// What ends it after a number of iterations.
    pub(crate) counter: Option<Counter>,
    /// The counter's value in the first iteration, where it is a constant.
    pub(crate) first: Option<u64>,
    /// Whether an iteration has an operation that depends on which threads are there.
    pub(crate) has_collective: bool,
    /// Whether an iteration calls functions or services.
    pub(crate) has_call: bool,
    /// What each iteration changes by a constant.
    pub(crate) inductions: BTreeMap<Reg, Induction>,
}

/// A register that each iteration changes by a constant.
pub(crate) struct Induction {
    pub(crate) step: i64,
    /// Its value in the first iteration, where it is a constant.
    pub(crate) first: Option<i64>,
    /// The update: its block, and the number of the instruction there.
    pub(crate) update: (Bb, usize),
    /// The blocks that come behind the update in an iteration.
    pub(crate) behind: Vec<Bb>,
}

impl Shape {
    pub(crate) fn of(f: &Function, cfg: &Cfg, dom: &Dominators, loops: &Loops, id: LoopId) -> Option<Shape> {
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
        let any =
            |is: fn(&InstKind) -> bool| natural.blocks.iter().any(|&bb| f.block(bb).insts.iter().any(|i| is(&i.kind)));
        let size = natural.blocks.iter().map(|&bb| f.block(bb).insts.len() + 1).sum();
        let always = |bb: Bb| {
            // Once in each iteration, and not in a loop within it.
            loops.of(bb) == Some(id) && natural.latches.iter().all(|&latch| dom.dominates(bb, latch))
        };
        let updates = updates(f, &natural, &always);
        let counter =
            natural.blocks.iter().filter(|&&bb| always(bb)).find_map(|&bb| counter(f, dom, bb, &is_inside, &updates));
        let first = counter.and_then(|c| constant_before(f, cfg, entry, c.reg));
        let inductions = updates
            .iter()
            .filter(|(reg, update)| update.op == BinOp::Add && f.ty(**reg).is_int())
            .map(|(&reg, update)| {
                let ty = f.ty(reg);
                let first = constant_before(f, cfg, entry, reg).map(|v| bits::signed(ty, v));
                let behind = natural.blocks.iter().copied();
                let behind = behind.filter(|&bb| bb != update.block && dom.dominates(update.block, bb)).collect();
                let step = bits::signed(ty, update.by);
                (reg, Induction { step, first, update: (update.block, update.at), behind })
            })
            .collect();
        let has_collective = any(is_collective);
        let has_call = any(|kind| matches!(kind, InstKind::Call { .. } | InstKind::Rt { .. }));
        Some(Shape { natural, entry, size, counter, first, has_collective, has_call, inductions })
    }

    /// How many iterations begin, if that is a constant and not more than are counted.
    pub(crate) fn iterations(&self) -> Option<usize> {
        let c = self.counter?;
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

    /// The register that a counter is set to before the loop, if nothing else reads or sets the counter but the loop's update and
    /// test.
    pub(crate) fn set_to(&self, f: &Function, counter: Reg) -> Option<Reg> {
        let mut from = None;
        for (b, block) in f.blocks.iter().enumerate() {
            let mut others = 0;
            for inst in &block.insts {
                match inst.kind {
                    InstKind::Un { op: UnOp::Mov, dst, a: Val::Reg(a), .. } if dst == counter && from.is_none() => {
                        from = Some(a).filter(|_| self.natural.blocks.binary_search(&Bb(b as u32)).is_err());
                        others += usize::from(from.is_none());
                    }
                    InstKind::Bin { op: BinOp::Add, dst, a: Val::Reg(a), .. } if dst == counter && a == counter => {}
                    InstKind::Cmp { op: CmpOp::Ne, a: Val::Reg(a), b: Val::Imm(0), .. } if a == counter => {}
                    ref kind => {
                        kind.each_use(|v| others += usize::from(v == Val::Reg(counter)));
                        kind.each_def(|r| others += usize::from(r == counter));
                    }
                }
            }
            block.term.each_use(|v| others += usize::from(v == Val::Reg(counter)));
            if others > 0 {
                return None;
            }
        }
        from.filter(|r| !f.is_mutable(*r))
    }

    /// Whether the counter is what a DO loop has: it goes down by one, and the loop is left where it was zero.
    pub(crate) fn counts_down(&self) -> bool {
        let Some(c) = self.counter else { return false };
        let minus_one = bits::canonical(c.ty, u64::MAX);
        (c.op, c.by, c.cmp, c.bound, c.leaves_at, c.tests_updated)
            == (BinOp::Add, minus_one, CmpOp::Ne, 0, false, false)
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
fn constant_before(f: &Function, cfg: &Cfg, bb: Bb, reg: Reg) -> Option<u64> {
    match value_before(f, cfg, bb, reg)? {
        Val::Imm(value) => Some(value),
        Val::Reg(_) => None,
    }
}

/// What `reg` was set to last at the end of `bb`, if there is one way there. A register that it was set to may have changed since.
pub(crate) fn value_before(f: &Function, cfg: &Cfg, bb: Bb, reg: Reg) -> Option<Val> {
    let mut at = bb;
    for _ in 0..f.blocks.len() {
        if let Some(inst) = f.block(at).insts.iter().rfind(|i| {
            let mut defines = false;
            i.kind.each_def(|r| defines |= r == reg);
            defines
        }) {
            return match inst.kind {
                InstKind::Un { op: UnOp::Mov, a, .. } => Some(a),
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
