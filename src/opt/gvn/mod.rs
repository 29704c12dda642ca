//! Global value numbering: one walk that rewrites values by copies, constants, cheaper operations, reassociated addresses and
//! common subexpressions.
//!
//! The walk goes down the dominator tree. A value is a register in a version ([`ir::analysis::Versions`]), and the table
//! ([`table::ValueTable`]) has the pure instruction that computed it. Each instruction passes the rules once, in the order
//! copy, fold, strength, reassociate, CSE. Its operands were rewritten before it, so one walk carries constants and copies
//! through a whole function, except from one iteration of a loop to the next.
//!
//! A rule replaces an instruction by another one with the same result register. It knows the table and no other rule; a rule
//! may also have the table put new instructions before the one that it rewrites.

mod address;
mod copy;
mod cse;
mod depth;
mod expression;
mod fold;
mod index;
mod memory;
mod reassociate;
mod strength;
mod table;

use crate::Target;
use address::Counts;
use ir::analysis::{Cfg, Dominators, Versions};
use ir::op::UnOp;
use ir::{Bb, Function, InstKind, Term};
use table::ValueTable;

/// What the pass may do besides.
enum Profile {
    /// Every access stays.
    Any,
    /// The same, and what addresses in loops are sums of is summed up by the loops in which it changes.
    LoopAddresses,
    /// Loads whose value is known go, and indices are computed as a GPU does it best.
    Gpu,
    /// The same, and addresses are summed up in one order.
    GpuAddresses(Counts, Target),
}

/// Runs the pass over a function; every access stays.
pub(crate) fn run(f: &mut Function) {
    number(f, &Profile::Any);
}

/// The same, and addresses in loops are summed up so that what changes in outer loops only is one value.
pub(crate) fn order_by_loops(f: &mut Function) {
    number(f, &Profile::LoopAddresses);
}

/// The same for code that runs on a GPU only: loads whose value is known go, and indices are computed as the GPU does it best.
pub(crate) fn run_for_gpu(f: &mut Function) {
    number(f, &Profile::Gpu);
}

/// The same, and addresses are summed up in an order in which accesses share as much as they can.
pub(crate) fn order_addresses(f: &mut Function, target: Target) {
    let counts = number(f, &Profile::Gpu);
    number(f, &Profile::GpuAddresses(counts, target));
}

/// Runs the pass; for a GPU, gives how often each term of an address occurs.
fn number(f: &mut Function, profile: &Profile) -> Counts {
    let mut counts = Counts::new();
    let cfg = Cfg::new(f);
    let dom = Dominators::new(&cfg);
    let versions = Versions::new(f, &cfg, &dom);
    let Some(&entry) = cfg.rpo().first() else { return counts };
    let mut table = ValueTable::new(f, &versions);
    if matches!(profile, Profile::Gpu | Profile::GpuAddresses(..)) {
        table.set_for_gpu(f);
    }
    if !matches!(profile, Profile::Any) {
        table.set_depths(f, &cfg, &dom);
    }
    rewrite(&mut table, f, entry, false, profile, &mut counts);
    let mut stack = vec![(entry, 0)];
    while let Some((bb, next)) = stack.last_mut() {
        if let Some(&child) = dom.children(*bb).get(*next) {
            *next += 1;
            let follows = cfg.preds(child) == [*bb];
            rewrite(&mut table, f, child, follows, profile, &mut counts);
            stack.push((child, 0));
        } else {
            table.leave();
            stack.pop();
        }
    }
    f.regs = table.into_regs();
    counts
}

/// Enters a block and rewrites it.
fn rewrite(
    table: &mut ValueTable<'_>,
    f: &mut Function,
    bb: Bb,
    follows: bool,
    profile: &Profile,
    counts: &mut Counts,
) {
    table.enter(bb, follows);
    let block = &mut f.blocks[bb.index()];
    for inst in std::mem::take(&mut block.insts) {
        table.set_place(inst.span, inst.inlined);
        let mut kind = inst.kind;
        copy::operands(table, &mut kind);
        kind = fold::rule(table, kind);
        kind = strength::rule(table, kind);
        kind = reassociate::rule(table, kind);
        match profile {
            Profile::Any => {}
            Profile::LoopAddresses => kind = address::by_loops(table, kind),
            Profile::Gpu => {
                kind = index::rule(table, kind);
                address::count(table, &kind, counts);
            }
            Profile::GpuAddresses(counts, target) => {
                kind = index::rule(table, kind);
                kind = address::rule(table, kind, counts, *target);
            }
        }
        kind = cse::rule(table, kind);
        table.push(kind);
    }
    block.insts = table.take_insts();
    copy::term(table, &mut block.term);
    if let Term::Branch { cond, then_bb, else_bb } = &mut block.term
        && let Some(&InstKind::Un { op: UnOp::Not, a, .. }) = table.source(*cond)
    {
        *cond = a;
        std::mem::swap(then_bb, else_bb);
    }
}
