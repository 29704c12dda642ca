//! Common subexpressions: a pure operation on the same operands in a dominating place becomes a copy of its result.
//!
//! "The same" is by operation, types, and the versions of the operands; the earlier result has to be in its register still.
//! Special registers that do not change while a thread runs count as pure, accesses to memory never do.

use crate::fold::commutes;
use crate::values::Values;
use ir::op::{CmpOp, UnOp};
use ir::{AddrBase, InstKind, Reg, Ty, Val};
use std::collections::HashMap;

/// An operand by value or by name and version.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Operand {
    None,
    Imm(u64),
    Reg(u32, u32),
}

/// What an instruction computes.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) struct Key {
    /// Format, number of the operation in its table, types.
    op: (u8, u32, Ty, Ty),
    operands: [Operand; 3],
}

/// The operations whose results are there, where the walk is. The map is only asked, never listed.
#[derive(Default)]
pub(crate) struct Available {
    map: HashMap<Key, (Reg, u32)>,
    undo: Vec<(Key, Option<(Reg, u32)>)>,
    marks: Vec<usize>,
}

impl Available {
    /// The walk goes into a block.
    pub(crate) fn enter(&mut self) {
        self.marks.push(self.undo.len());
    }

    /// The walk has done with a block and all that it dominates.
    pub(crate) fn leave(&mut self) {
        let mark = self.marks.pop().unwrap_or(0);
        for (key, before) in self.undo.drain(mark..).rev() {
            match before {
                Some(before) => self.map.insert(key, before),
                None => self.map.remove(&key),
            };
        }
    }

    /// The result of `key` is in this version of `reg`.
    pub(crate) fn insert(&mut self, key: Key, reg: Reg, version: u32) {
        let before = self.map.insert(key.clone(), (reg, version));
        self.undo.push((key, before));
    }
}

/// What `kind` computes, if it is pure and no mere copy.
pub(crate) fn key(v: &Values<'_>, kind: &InstKind) -> Option<Key> {
    let operand = |val: Val| match val {
        Val::Imm(bits) => Operand::Imm(bits),
        Val::Reg(reg) => Operand::Reg(reg.0, v.version(val)),
    };
    let none = Operand::None;
    let sorted = |a: Val, b: Val, commutes: bool| {
        let (a, b) = (operand(a), operand(b));
        if commutes && b < a { [b, a, none] } else { [a, b, none] }
    };
    let (op, operands) = match *kind {
        InstKind::Un { op: UnOp::Mov, .. } => return None,
        InstKind::Un { op, ty, a, .. } => ((0, op as u32, ty, ty), [operand(a), none, none]),
        InstKind::Bin { op, ty, a, b, .. } => ((1, op as u32, ty, ty), sorted(a, b, commutes(op, ty))),
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
        _ => return None,
    };
    Some(Key { op, operands })
}

/// The register that has what `kind` computes.
pub(crate) fn find(v: &Values<'_>, kind: &InstKind) -> Option<Reg> {
    let &(reg, version) = v.available().map.get(&key(v, kind)?)?;
    (v.version(Val::Reg(reg)) == version).then_some(reg)
}

/// The instruction, or a copy of an earlier result.
pub(crate) fn rule(v: &Values<'_>, kind: InstKind) -> InstKind {
    let (Some(reg), Some(dst)) = (find(v, &kind), kind.def()) else { return kind };
    InstKind::Un { op: UnOp::Mov, ty: v.ty(reg), dst, a: Val::Reg(reg) }
}
