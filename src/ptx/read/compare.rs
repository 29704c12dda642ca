//! Comparison and selection (PTX ISA 9.7.6 and 9.7.7).

use super::{Op, Reader, Result, halves, ir_type};
use crate::syntax::{Kind, Operand, Type};
use ir::op::{BinOp, CmpOp, UnOp};
use ir::{Ty, Val};

impl<'a> Reader<'a> {
    /// `setp`, `set`, `selp`, `slct`
    pub(super) fn compare(&mut self, op: &Op<'a>) -> Result<()> {
        match op.parts[0] {
            "selp" => {
                op.only(&[])?;
                op.count(4, 4)?;
                let ty = op.ty()?;
                op.no_predicate(ty)?;
                let (a, b) = (self.read(op.operand(1)?, ty)?, self.read(op.operand(2)?, ty)?);
                let holds = self.read(op.operand(3)?, Type::PRED)?;
                let value = self.b.select(ir_type(ty)?, holds, a, b).into();
                self.write(op.operand(0)?, ty, value)
            }
            "slct" => {
                op.only(&["ftz"])?;
                op.count(4, 4)?;
                let (ty, of) = (op.ty()?, op.second_ty()?);
                op.no_predicate(ty)?;
                op.no_predicate(of)?;
                let (a, b) = (self.read(op.operand(1)?, ty)?, self.read(op.operand(2)?, ty)?);
                let mut c = self.read(op.operand(3)?, of)?;
                if op.has("ftz") && ir_type(of)? == Ty::F32 {
                    c = self.flushed(c);
                }
                let holds = self.b.cmp(CmpOp::Ge, ir_type(of)?, c, Val::Imm(0));
                let value = self.b.select(ir_type(ty)?, holds, a, b).into();
                self.write(op.operand(0)?, ty, value)
            }
            stem => {
                let is_set = stem == "set";
                let of = if is_set { op.second_ty()? } else { op.ty()? };
                op.no_predicate(of)?;
                if halves::is_half(of) {
                    return self.compare_halves(op, of);
                }
                if is_set && op.ty()?.bits != 32 {
                    return op.refused();
                }
                let mut holds = self.relation(op, of)?;
                let mut second = self.not(Ty::Pred, holds);
                if let Some(combine) = op.parts.iter().find_map(|part| match *part {
                    "and" => Some(BinOp::And),
                    "or" => Some(BinOp::Or),
                    "xor" => Some(BinOp::Xor),
                    _ => None,
                }) {
                    op.count(4, 4)?;
                    let c = self.read(op.operand(3)?, Type::PRED)?;
                    holds = self.b.bin(combine, Ty::Pred, holds, c).into();
                    second = self.b.bin(combine, Ty::Pred, second, c).into();
                } else {
                    op.count(3, 3)?;
                }
                if is_set {
                    let ty = op.ty()?;
                    let yes = if ty.kind == Kind::Real { Val::f32(1.0) } else { Val::i32(-1) };
                    let value = self.b.select(ir_type(ty)?, holds, yes, Val::Imm(0)).into();
                    return self.write(op.operand(0)?, ty, value);
                }
                match op.operand(0)? {
                    Operand::Pair(p, q) => {
                        self.write(p, Type::PRED, holds)?;
                        self.write(q, Type::PRED, second)
                    }
                    p => self.write(p, Type::PRED, holds),
                }
            }
        }
    }

    /// The comparison that the opcode names (PTX ISA 9.3.1).
    fn relation(&mut self, op: &Op<'a>, ty: Type) -> Result<Val> {
        let relations = [
            "eq", "ne", "lt", "le", "gt", "ge", "lo", "ls", "hi", "hs", "equ", "neu", "ltu", "leu", "gtu", "geu",
            "num", "nan",
        ];
        let known: Vec<&str> = [&relations[..], &["and", "or", "xor", "ftz"]].concat();
        op.only(&known)?;
        let Some(relation) = op.parts.iter().skip(1).find(|part| relations.contains(part)) else { return op.refused() };
        let kind = ir_type(ty)?;
        let (mut a, mut b) = (self.read(op.operand(1)?, ty)?, self.read(op.operand(2)?, ty)?);
        if op.has("ftz") && kind == Ty::F32 {
            a = self.flushed(a);
            b = self.flushed(b);
        }
        if kind.is_real() {
            return self.real_relation(op, relation, kind, a, b);
        }
        let is_signed = ty.kind == Kind::Signed;
        let (operation, is_swapped) = match *relation {
            "eq" => (CmpOp::Eq, false),
            "ne" => (CmpOp::Ne, false),
            "lt" if is_signed => (CmpOp::Lt, false),
            "le" if is_signed => (CmpOp::Le, false),
            "gt" if is_signed => (CmpOp::Gt, false),
            "ge" if is_signed => (CmpOp::Ge, false),
            "lt" | "lo" => (CmpOp::LtU, false),
            "ge" | "hs" => (CmpOp::GeU, false),
            "gt" | "hi" => (CmpOp::LtU, true),
            "le" | "ls" => (CmpOp::GeU, true),
            _ => return op.refused(),
        };
        let (a, b) = if is_swapped { (b, a) } else { (a, b) };
        Ok(self.b.cmp(operation, kind, a, b).into())
    }

    /// A comparison of reals. Those whose names end with `u` also hold where an operand is a NaN.
    pub(super) fn real_relation(&mut self, op: &Op<'a>, relation: &str, ty: Ty, a: Val, b: Val) -> Result<Val> {
        let mut plain = |operation| self.b.cmp(operation, ty, a, b);
        let (holds, is_negated) = match relation {
            "eq" => (plain(CmpOp::Eq), false),
            "lt" => (plain(CmpOp::Lt), false),
            "le" => (plain(CmpOp::Le), false),
            "gt" => (plain(CmpOp::Gt), false),
            "ge" => (plain(CmpOp::Ge), false),
            "neu" => (plain(CmpOp::Ne), false),
            "ltu" => (plain(CmpOp::Ge), true),
            "leu" => (plain(CmpOp::Gt), true),
            "gtu" => (plain(CmpOp::Le), true),
            "geu" => (plain(CmpOp::Lt), true),
            "ne" | "equ" => {
                let (less, more) = (plain(CmpOp::Lt), plain(CmpOp::Gt));
                (self.b.bin(BinOp::Or, Ty::Pred, less, more), relation == "equ")
            }
            "num" | "nan" => {
                let [a, b] = [a, b].map(|v| self.b.cmp(CmpOp::Ne, ty, v, v));
                (self.b.bin(BinOp::Or, Ty::Pred, a, b), relation == "num")
            }
            _ => return op.refused(),
        };
        Ok(if is_negated { self.b.un(UnOp::Not, Ty::Pred, holds).into() } else { holds.into() })
    }
}
