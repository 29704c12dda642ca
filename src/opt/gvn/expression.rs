//! What a pure instruction computes, as a key, and which register has the result of which key.
//!
//! Two instructions compute the same if operation, types and the versions of the operands are the same. Special registers
//! that do not change while a thread runs count as pure. A load is one if the version of memory is the same too
//! ([`super::memory`]).

use super::memory::PlainAccess;
use ir::op::{CmpOp, UnOp};
use ir::{AddrBase, InstKind, Reg, Ty, Val};
use std::collections::HashMap;

/// An operand by value, or by register and version.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Operand {
    None,
    Imm(u64),
    Reg(u32, u32),
}

/// What an instruction computes.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(super) struct Expression {
    /// Format, number of the operation in its table, types.
    op: (u8, u32, Ty, Ty),
    operands: [Operand; 3],
}

impl Expression {
    /// What a load gives in a version of memory; `register` is the version of the address.
    pub(super) fn of_load(access: PlainAccess, memory: u32, register: u32) -> Expression {
        let address = match access.addr {
            Val::Imm(bits) => Operand::Imm(bits),
            Val::Reg(reg) => Operand::Reg(reg.0, register),
        };
        let operands = [address, Operand::Imm(access.offset as u64), Operand::Imm(u64::from(memory))];
        Expression { op: (10, access.space as u32, access.ty, access.ty), operands }
    }

    /// What `kind` computes, if it is pure and no mere copy; `version` gives the version of an operand.
    pub(super) fn of(kind: &InstKind, version: &dyn Fn(Val) -> u32) -> Option<Expression> {
        let operand = |val: Val| match val {
            Val::Imm(bits) => Operand::Imm(bits),
            Val::Reg(reg) => Operand::Reg(reg.0, version(val)),
        };
        let none = Operand::None;
        let sorted = |a: Val, b: Val, commutes: bool| {
            let (a, b) = (operand(a), operand(b));
            if commutes && b < a { [b, a, none] } else { [a, b, none] }
        };
        let (op, operands) = match *kind {
            InstKind::Un { op: UnOp::Mov, .. } => return None,
            InstKind::Un { op, ty, a, .. } => ((0, op as u32, ty, ty), [operand(a), none, none]),
            InstKind::Bin { op, ty, a, b, .. } => ((1, op as u32, ty, ty), sorted(a, b, op.is_commutative(ty))),
            InstKind::Tri { op, ty, a, b, c, .. } => ((2, op as u32, ty, ty), [operand(a), operand(b), operand(c)]),
            InstKind::Cmp { op, ty, a, b, .. } => {
                ((3, op as u32, ty, ty), sorted(a, b, matches!(op, CmpOp::Eq | CmpOp::Ne)))
            }
            InstKind::Select { ty, cond, a, b, .. } => ((4, 0, ty, ty), [operand(cond), operand(a), operand(b)]),
            InstKind::Cvt { op, from, to, a, .. } => ((5, op as u32, from, to), [operand(a), none, none]),
            InstKind::Addr { base, .. } => match base {
                AddrBase::Local(id) => ((6, id.0, Ty::I64, Ty::I64), [none; 3]),
                AddrBase::Shared(id) => ((7, id.0, Ty::I64, Ty::I64), [none; 3]),
                AddrBase::Global(id) => ((8, id.0, Ty::I64, Ty::I64), [none; 3]),
            },
            InstKind::Special { reg, .. } if kind.is_pure() => ((9, reg as u32, reg.ty(), reg.ty()), [none; 3]),
            InstKind::Special { .. }
            | InstKind::Load { .. }
            | InstKind::Store { .. }
            | InstKind::Atomic { .. }
            | InstKind::Fence { .. }
            | InstKind::Barrier { .. }
            | InstKind::SyncWarp { .. }
            | InstKind::Vote { .. }
            | InstKind::Shuffle { .. }
            | InstKind::Call { .. }
            | InstKind::Rt { .. }
            | InstKind::Launch { .. }
            | InstKind::Stmt
            | InstKind::BackEdge
            | InstKind::Clear { .. } => return None,
        };
        Some(Expression { op, operands })
    }
}

/// The expressions whose results are in registers where the walk is. The map is only asked, never listed.
#[derive(Default)]
pub(super) struct Available {
    map: HashMap<Expression, (Reg, u32)>,
    undo: Vec<(Expression, Option<(Reg, u32)>)>,
    marks: Vec<usize>,
}

impl Available {
    /// The walk enters a block.
    pub(super) fn enter(&mut self) {
        self.marks.push(self.undo.len());
    }

    /// The walk leaves a block and all that it dominates.
    pub(super) fn leave(&mut self) {
        let mark = self.marks.pop().unwrap_or(0);
        for (expression, before) in self.undo.drain(mark..).rev() {
            match before {
                Some(before) => self.map.insert(expression, before),
                None => self.map.remove(&expression),
            };
        }
    }

    /// The result of `expression` is in this version of `reg`.
    pub(super) fn insert(&mut self, expression: Expression, reg: Reg, version: u32) {
        let before = self.map.insert(expression.clone(), (reg, version));
        self.undo.push((expression, before));
    }

    /// The register and its version that had the result.
    pub(super) fn get(&self, expression: &Expression) -> Option<(Reg, u32)> {
        self.map.get(expression).copied()
    }
}
