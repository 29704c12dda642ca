//! The value table: what computed each value, and which values are available where the walk is.
//!
//! What the table knew of a value at its definition may be used at a place where the operands of that definition still have
//! the versions they had. The definition dominates the place, so no operand can have been computed anew in between without the
//! value being computed anew too.

use super::expression::{Available, Expression};
use ir::analysis::{VersionWalk, Versions};
use ir::{Bb, Function, Inst, InstKind, Reg, RegInfo, Ty, Val};
use source::Span;
use std::collections::BTreeMap;

/// A pure instruction with the versions of its operands.
struct Definition {
    kind: InstKind,
    versions: Vec<u32>,
}

/// The values that are known where the walk is, and the instructions of the block so far.
pub(super) struct ValueTable<'a> {
    walk: VersionWalk<'a>,
    regs: Vec<RegInfo>,
    definitions: BTreeMap<(Reg, u32), Definition>,
    available: Available,
    insts: Vec<Inst>,
    span: Span,
}

impl<'a> ValueTable<'a> {
    /// An empty table. It takes the registers of `f` over; see [`ValueTable::into_regs`].
    pub(super) fn new(f: &mut Function, versions: &'a Versions) -> ValueTable<'a> {
        ValueTable {
            walk: VersionWalk::new(f, versions),
            regs: std::mem::take(&mut f.regs),
            definitions: BTreeMap::new(),
            available: Available::default(),
            insts: Vec::new(),
            span: Span::NONE,
        }
    }

    /// The registers, with those that were added.
    pub(super) fn into_regs(self) -> Vec<RegInfo> {
        self.regs
    }

    /// The walk enters a block.
    pub(super) fn enter(&mut self, bb: Bb) {
        self.walk.enter(bb);
        self.available.enter();
    }

    /// The walk leaves a block and all that it dominates.
    pub(super) fn leave(&mut self) {
        self.walk.leave();
        self.available.leave();
    }

    /// The span of the instructions that follow.
    pub(super) fn set_span(&mut self, span: Span) {
        self.span = span;
    }

    /// The instructions since the last call.
    pub(super) fn take_insts(&mut self) -> Vec<Inst> {
        std::mem::take(&mut self.insts)
    }

    /// Adds an instruction and remembers what it computes.
    pub(super) fn push(&mut self, kind: InstKind) {
        let mut versions = Vec::new();
        let pure = kind.is_pure();
        if pure {
            kind.each_use(|v| versions.push(self.version(v)));
        }
        let expression = self.expression(&kind);
        self.insts.push(Inst { kind: kind.clone(), span: self.span });
        let mut defined = None;
        kind.each_def(|r| defined = Some((r, self.walk.define(r))));
        if let (true, Some((reg, version))) = (pure, defined) {
            self.definitions.insert((reg, version), Definition { kind, versions });
            if let Some(expression) = expression {
                self.available.insert(expression, reg, version);
            }
        }
    }

    /// Puts an instruction with a new result before the one that is being rewritten, unless its value is available; gives
    /// the value. `kind` makes the instruction from its result register.
    pub(super) fn emit(&mut self, ty: Ty, kind: impl FnOnce(Reg) -> InstKind) -> Val {
        let reg = Reg(self.regs.len() as u32);
        let kind = kind(reg);
        if let Some(reg) = self.find(&kind) {
            return Val::Reg(reg);
        }
        self.regs.push(RegInfo { ty, var: None, mutable: false });
        self.walk.add_reg();
        self.push(kind);
        Val::Reg(reg)
    }

    /// The version of an operand; of a constant, 0.
    fn version(&self, val: Val) -> u32 {
        match val {
            Val::Reg(r) => self.walk.version(r),
            Val::Imm(_) => 0,
        }
    }

    fn expression(&self, kind: &InstKind) -> Option<Expression> {
        Expression::of(kind, &|val| self.version(val))
    }

    /// The type of a register.
    pub(super) fn ty(&self, reg: Reg) -> Ty {
        self.regs[reg.index()].ty
    }

    /// The register that has what `kind` computes.
    pub(super) fn find(&self, kind: &InstKind) -> Option<Reg> {
        let (reg, version) = self.available.get(&self.expression(kind)?)?;
        (self.walk.version(reg) == version).then_some(reg)
    }

    /// The pure instruction that computed a value, if its operands are still what they were.
    pub(super) fn source(&self, val: Val) -> Option<&InstKind> {
        let Val::Reg(reg) = val else { return None };
        let known = self.definitions.get(&(reg, self.walk.version(reg)))?;
        let (mut i, mut same) = (0, true);
        known.kind.each_use(|v| {
            same &= self.version(v) == known.versions[i];
            i += 1;
        });
        same.then_some(&known.kind)
    }
}
