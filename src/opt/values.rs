//! The walk in which values are rewritten: copies, constants, strength, addresses, common subexpressions.
//!
//! The walk goes down the dominator tree and knows for each register its version ([`ir::analysis::Versions`]), and for each
//! (register, version) the pure instruction that computed it. What was known of a value at its definition may be used
//! at a place where the operands of that definition still have the versions they had: since the definition dominates the
//! place, no operand can have been computed anew in between without the value being computed anew too.
//!
//! Each instruction goes through the rules once, in the order copy, fold, strength, address, CSE; since its operands were
//! rewritten before it, one walk carries constants and copies through a whole function, but for what goes round loops.
//! Rules replace an instruction by another with the same result register; [`crate::address`] may also put new ones before.

use crate::{address, copy, cse, fold, strength};
use ir::analysis::{Cfg, Dominators, VersionWalk, Versions};
use ir::{Bb, Function, Inst, InstKind, Reg, RegInfo, Term, Ty, Val};
use std::collections::BTreeMap;

/// Runs the walk over a function.
pub(crate) fn run(f: &mut Function) {
    let cfg = Cfg::new(f);
    let dom = Dominators::new(&cfg);
    let versions = Versions::new(f, &cfg, &dom);
    let Some(&entry) = cfg.rpo().first() else { return };
    let mut v = Values {
        walk: VersionWalk::new(f, &versions),
        regs: std::mem::take(&mut f.regs),
        known: BTreeMap::new(),
        available: cse::Available::default(),
        out: Vec::new(),
        span: source::Span::NONE,
    };
    v.block(f, entry);
    let mut stack = vec![(entry, 0)];
    while let Some((bb, next)) = stack.last_mut() {
        if let Some(&child) = dom.children(*bb).get(*next) {
            *next += 1;
            v.block(f, child);
            stack.push((child, 0));
        } else {
            v.walk.leave();
            v.available.leave();
            stack.pop();
        }
    }
    f.regs = v.regs;
}

/// A pure instruction with the versions of its operands.
struct Known {
    kind: InstKind,
    versions: Vec<u32>,
}

/// What is known where the walk is.
pub(crate) struct Values<'a> {
    walk: VersionWalk<'a>,
    regs: Vec<RegInfo>,
    known: BTreeMap<(Reg, u32), Known>,
    available: cse::Available,
    out: Vec<Inst>,
    span: source::Span,
}

impl Values<'_> {
    fn block(&mut self, f: &mut Function, bb: Bb) {
        self.walk.enter(bb);
        self.available.enter();
        let block = &mut f.blocks[bb.index()];
        for inst in std::mem::take(&mut block.insts) {
            self.span = inst.span;
            self.inst(inst.kind);
        }
        block.insts = std::mem::take(&mut self.out);
        copy::term(self, &mut block.term);
        if let Term::Branch { cond, then_bb, else_bb } = &mut block.term
            && let Some(&InstKind::Un { op: ir::op::UnOp::Not, a, .. }) = self.source(*cond)
        {
            *cond = a;
            std::mem::swap(then_bb, else_bb);
        }
    }

    fn inst(&mut self, mut kind: InstKind) {
        copy::operands(self, &mut kind);
        kind = fold::rule(self, kind);
        kind = strength::rule(self, kind);
        kind = address::rule(self, kind);
        kind = cse::rule(self, kind);
        self.push(kind);
    }

    /// Adds an instruction and remembers what it computes.
    fn push(&mut self, kind: InstKind) {
        let mut versions = Vec::new();
        let pure = kind.is_pure();
        if pure {
            kind.each_use(|v| versions.push(self.version(v)));
        }
        let key = cse::key(self, &kind);
        self.out.push(Inst { kind: kind.clone(), span: self.span });
        let mut defined = None;
        kind.each_def(|r| defined = Some((r, self.walk.define(r))));
        if let (true, Some((reg, version))) = (pure, defined) {
            self.known.insert((reg, version), Known { kind, versions });
            if let Some(key) = key {
                self.available.insert(key, reg, version);
            }
        }
    }

    /// Puts an instruction with a new result before the one that is being rewritten, unless its value is there already;
    /// gives the value. `kind` makes the instruction from its result register.
    pub(crate) fn emit(&mut self, ty: Ty, kind: impl FnOnce(Reg) -> InstKind) -> Val {
        let kind = kind(Reg(self.regs.len() as u32));
        if let Some(reg) = cse::find(self, &kind) {
            return Val::Reg(reg);
        }
        let reg = Reg(self.regs.len() as u32);
        self.regs.push(RegInfo { ty, var: None, mutable: false });
        self.walk.add_reg();
        self.push(kind);
        Val::Reg(reg)
    }

    /// The version of an operand; of a constant, 0.
    pub(crate) fn version(&self, val: Val) -> u32 {
        match val {
            Val::Reg(r) => self.walk.version(r),
            Val::Imm(_) => 0,
        }
    }

    /// The type of a register.
    pub(crate) fn ty(&self, reg: Reg) -> Ty {
        self.regs[reg.index()].ty
    }

    /// The values that were computed by name and version.
    pub(crate) fn available(&self) -> &cse::Available {
        &self.available
    }

    /// The pure instruction that computed a value, if its operands are still what they were.
    pub(crate) fn source(&self, val: Val) -> Option<&InstKind> {
        let Val::Reg(reg) = val else { return None };
        let known = self.known.get(&(reg, self.walk.version(reg)))?;
        let (mut i, mut same) = (0, true);
        known.kind.each_use(|v| {
            same &= self.version(v) == known.versions[i];
            i += 1;
        });
        same.then_some(&known.kind)
    }
}
