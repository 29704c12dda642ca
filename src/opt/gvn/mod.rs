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

mod copy;
mod cse;
mod expression;
mod fold;
mod reassociate;
mod strength;
mod table;

use ir::analysis::{Cfg, Dominators, Versions};
use ir::op::UnOp;
use ir::{Bb, Function, InstKind, Term};
use table::ValueTable;

/// Runs the pass over a function.
pub(crate) fn run(f: &mut Function) {
    let cfg = Cfg::new(f);
    let dom = Dominators::new(&cfg);
    let versions = Versions::new(f, &cfg, &dom);
    let Some(&entry) = cfg.rpo().first() else { return };
    let mut table = ValueTable::new(f, &versions);
    rewrite(&mut table, f, entry);
    let mut stack = vec![(entry, 0)];
    while let Some((bb, next)) = stack.last_mut() {
        if let Some(&child) = dom.children(*bb).get(*next) {
            *next += 1;
            rewrite(&mut table, f, child);
            stack.push((child, 0));
        } else {
            table.leave();
            stack.pop();
        }
    }
    f.regs = table.into_regs();
}

/// Enters a block and rewrites it.
fn rewrite(table: &mut ValueTable<'_>, f: &mut Function, bb: Bb) {
    table.enter(bb);
    let block = &mut f.blocks[bb.index()];
    for inst in std::mem::take(&mut block.insts) {
        table.set_span(inst.span);
        let mut kind = inst.kind;
        copy::operands(table, &mut kind);
        kind = fold::rule(table, kind);
        kind = strength::rule(table, kind);
        kind = reassociate::rule(table, kind);
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
