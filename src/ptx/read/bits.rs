//! Logic, shifts, and parts of words (PTX ISA 9.7.8 and 9.7.1).

use super::{Op, Reader, Result, ir_type, wrong};
use crate::syntax::{Kind, Number, Operand, Type};
use ir::op::{BinOp, CmpOp, UnOp};
use ir::{Ty, Val};

impl<'a> Reader<'a> {
    /// An operation of bits.
    pub(super) fn bits(&mut self, op: &Op<'a>) -> Result<()> {
        op.only(&["l", "r", "wrap", "clamp", "shiftamt"])?;
        let ty = op.ty()?;
        match op.parts[0] {
            "and" | "or" | "xor" | "not" if ty.kind == Kind::Pred => {}
            "and" | "or" | "xor" | "not" | "cnot" | "shl" | "shr" => op.integer_of(ty, &[16, 32, 64])?,
            "shf" | "lop3" | "prmt" => op.integer_of(ty, &[32])?,
            _ => op.integer_of(ty, &[32, 64])?,
        }
        let kind = ir_type(ty)?;
        let target = op.operand(0)?;
        let value: Val = match op.parts[0] {
            "and" | "or" | "xor" => {
                op.count(3, 3)?;
                let (a, b) = (self.read(op.operand(1)?, ty)?, self.read(op.operand(2)?, ty)?);
                let operation = match op.parts[0] {
                    "and" => BinOp::And,
                    "or" => BinOp::Or,
                    _ => BinOp::Xor,
                };
                self.b.bin(operation, kind, a, b).into()
            }
            "not" => {
                op.count(2, 2)?;
                let a = self.read(op.operand(1)?, ty)?;
                self.not(kind, a)
            }
            "cnot" => {
                op.count(2, 2)?;
                let a = self.read(op.operand(1)?, ty)?;
                let is_zero = self.b.cmp(CmpOp::Eq, kind, a, Val::Imm(0));
                self.b.select(kind, is_zero, Val::Imm(1), Val::Imm(0)).into()
            }
            "shl" | "shr" => self.shifted(op, ty, kind)?,
            "shf" => self.funnel(op)?,
            "lop3" => self.logic_of_three(op)?,
            "prmt" => self.permuted(op)?,
            "bfe" => self.extracted(op, ty, kind)?,
            "bfi" => self.inserted(op, ty, kind)?,
            "bfind" | "popc" | "clz" => return self.counted(op, ty, kind),
            "brev" => {
                op.count(2, 2)?;
                let a = self.read(op.operand(1)?, ty)?;
                self.b.un(UnOp::Brev, kind, a).into()
            }
            _ => return op.refused(),
        };
        self.write(target, ty, value)
    }

    /// A count as unsigned number of another type; what does not fit is great enough.
    fn shift_count(&mut self, operand: &Operand, ty: Ty) -> Result<Val> {
        let count = self.read(operand, Type::U32)?;
        let count = if ty.bytes() < 4 { self.lesser(true, Ty::I32, count, Val::Imm(64)) } else { count };
        Ok(self.extended(count, Ty::I32, ty, false))
    }

    fn shifted(&mut self, op: &Op<'a>, ty: Type, kind: Ty) -> Result<Val> {
        op.count(3, 3)?;
        let (a, count) = (self.read(op.operand(1)?, ty)?, self.shift_count(op.operand(2)?, kind)?);
        let operation = match (op.parts[0], ty.kind) {
            ("shl", _) => BinOp::Shl,
            (_, Kind::Signed) => BinOp::ShrS,
            _ => BinOp::ShrU,
        };
        Ok(self.b.bin(operation, kind, a, count).into())
    }

    /// `shf`: a shift of two words together.
    fn funnel(&mut self, op: &Op<'a>) -> Result<Val> {
        op.count(4, 4)?;
        let mut word = |number| self.read(op.operand(number)?, Type::U32);
        let (low, high, count) = (word(1)?, word(2)?, word(3)?);
        let count = if op.has("clamp") {
            self.lesser(true, Ty::I32, count, Val::Imm(32))
        } else {
            self.b.bin(BinOp::And, Ty::I32, count, Val::Imm(31)).into()
        };
        let [low, high, count] = [low, high, count].map(|v| self.extended(v, Ty::I32, Ty::I64, false));
        let high = self.b.bin(BinOp::Shl, Ty::I64, high, Val::Imm(32));
        let both = self.b.bin(BinOp::Or, Ty::I64, high, low);
        let value: Val = if op.has("l") {
            let shifted = self.b.bin(BinOp::Shl, Ty::I64, both, count);
            self.b.bin(BinOp::ShrU, Ty::I64, shifted, Val::Imm(32)).into()
        } else {
            self.b.bin(BinOp::ShrU, Ty::I64, both, count).into()
        };
        Ok(self.extended(value, Ty::I64, Ty::I32, false))
    }

    /// `lop3`: any function of three bits, as the sum of the cases where it is 1.
    fn logic_of_three(&mut self, op: &Op<'a>) -> Result<Val> {
        op.count(5, 5)?;
        let Operand::Number(Number::Int(table)) = op.operand(4)? else { return wrong("a table of 8 bits is expected") };
        let mut positive = Vec::new();
        for i in 1..=3 {
            positive.push(self.read(op.operand(i)?, Type::B32)?);
        }
        let mut sum: Option<Val> = None;
        for case in (0..8_usize).filter(|case| table >> case & 1 == 1) {
            let mut product: Option<Val> = None;
            for (i, &word) in positive.iter().enumerate() {
                // The first operand is the highest bit of the case.
                let word = if case >> (2 - i) & 1 == 1 { word } else { self.not(Ty::I32, word) };
                product = Some(product.map_or(word, |p| self.b.bin(BinOp::And, Ty::I32, p, word).into()));
            }
            let product = product.unwrap_or(Val::Imm(0));
            sum = Some(sum.map_or(product, |s| self.b.bin(BinOp::Or, Ty::I32, s, product).into()));
        }
        Ok(sum.unwrap_or(Val::Imm(0)))
    }

    /// `prmt` in its default mode: each nibble of the selector chooses a byte, or the sign of one.
    fn permuted(&mut self, op: &Op<'a>) -> Result<Val> {
        op.count(4, 4)?;
        let mut word = |number| self.read(op.operand(number)?, Type::U32);
        let (a, b, selector) = (word(1)?, word(2)?, word(3)?);
        let [low, high] = [a, b].map(|v| self.extended(v, Ty::I32, Ty::I64, false));
        let high = self.b.bin(BinOp::Shl, Ty::I64, high, Val::Imm(32));
        let bytes = self.b.bin(BinOp::Or, Ty::I64, high, low);
        let selector = self.extended(selector, Ty::I32, Ty::I64, false);
        let mut out = Val::Imm(0);
        for i in 0..4_u64 {
            let nibble = self.b.bin(BinOp::ShrU, Ty::I64, selector, Val::Imm(4 * i));
            let index = self.b.bin(BinOp::And, Ty::I64, nibble, Val::Imm(7));
            let shift = self.b.bin(BinOp::Shl, Ty::I64, index, Val::Imm(3));
            let moved = self.b.bin(BinOp::ShrU, Ty::I64, bytes, shift);
            let mut byte: Val = self.b.bin(BinOp::And, Ty::I64, moved, Val::Imm(0xff)).into();
            let is_plain = matches!(selector, Val::Imm(bits) if bits >> (4 * i) & 8 == 0);
            if !is_plain {
                let sign = self.b.bin(BinOp::And, Ty::I64, nibble, Val::Imm(8));
                let is_sign = self.b.cmp(CmpOp::Ne, Ty::I64, sign, Val::Imm(0));
                let top = self.b.bin(BinOp::ShrU, Ty::I64, byte, Val::Imm(7));
                let all = self.b.bin(BinOp::Mul, Ty::I64, top, Val::Imm(0xff));
                byte = self.b.select(Ty::I64, is_sign, all, byte).into();
            }
            let placed = self.b.bin(BinOp::Shl, Ty::I64, byte, Val::Imm(8 * i));
            out = self.b.bin(BinOp::Or, Ty::I64, out, placed).into();
        }
        Ok(self.extended(out, Ty::I64, Ty::I32, false))
    }

    /// The lowest 8 bits of an operand, as a number of a type.
    fn byte(&mut self, operand: &Operand, ty: Ty) -> Result<Val> {
        let value = self.read(operand, Type::U32)?;
        let low = self.b.bin(BinOp::And, Ty::I32, value, Val::Imm(0xff)).into();
        Ok(self.extended(low, Ty::I32, ty, false))
    }

    /// `bfe`: a field of bits; a signed one is extended.
    fn extracted(&mut self, op: &Op<'a>, ty: Type, kind: Ty) -> Result<Val> {
        op.count(4, 4)?;
        let is_signed = ty.kind == Kind::Signed;
        let a = self.read(op.operand(1)?, ty)?;
        let wide = self.extended(a, kind, Ty::I64, is_signed);
        let (at, length) = (self.byte(op.operand(2)?, Ty::I64)?, self.byte(op.operand(3)?, Ty::I64)?);
        let length = self.b.bin(BinOp::Min, Ty::I64, length, Val::Imm(64));
        let rest = self.b.bin(BinOp::Sub, Ty::I64, Val::Imm(64), length);
        let down = if is_signed { BinOp::ShrS } else { BinOp::ShrU };
        let field = self.b.bin(down, Ty::I64, wide, at);
        let high = self.b.bin(BinOp::Shl, Ty::I64, field, rest);
        let value: Val = self.b.bin(down, Ty::I64, high, rest).into();
        Ok(self.extended(value, Ty::I64, kind, false))
    }

    /// `bfi`: the lowest bits of `a` in place of a field of `b`.
    fn inserted(&mut self, op: &Op<'a>, ty: Type, kind: Ty) -> Result<Val> {
        op.count(5, 5)?;
        let (a, b) = (self.read(op.operand(1)?, ty)?, self.read(op.operand(2)?, ty)?);
        let (at, length) = (self.byte(op.operand(3)?, kind)?, self.byte(op.operand(4)?, kind)?);
        let end = self.b.bin(BinOp::Shl, kind, Val::Imm(1), length);
        let ones = self.b.bin(BinOp::Sub, kind, end, Val::Imm(1));
        let mask = self.b.bin(BinOp::Shl, kind, ones, at);
        let moved = self.b.bin(BinOp::Shl, kind, a, at);
        let field = self.b.bin(BinOp::And, kind, moved, mask);
        let others = self.not(kind, mask.into());
        let kept = self.b.bin(BinOp::And, kind, b, others);
        Ok(self.b.bin(BinOp::Or, kind, kept, field).into())
    }

    /// `popc`, `clz` and `bfind`, which give 32 bits.
    fn counted(&mut self, op: &Op<'a>, ty: Type, kind: Ty) -> Result<()> {
        op.count(2, 2)?;
        let mut a = self.read(op.operand(1)?, ty)?;
        let stem = op.parts[0];
        if stem == "bfind" && ty.kind == Kind::Signed {
            let sign = self.b.bin(BinOp::ShrS, kind, a, Val::Imm(u64::from(ty.bits - 1)));
            a = self.b.bin(BinOp::Xor, kind, a, sign).into();
        }
        let counted = self.b.un(if stem == "popc" { UnOp::Popc } else { UnOp::Clz }, kind, a).into();
        let mut value = self.extended(counted, kind, Ty::I32, false);
        if stem == "bfind" {
            let is_zero = self.b.cmp(CmpOp::Eq, kind, a, Val::Imm(0));
            if !op.has("shiftamt") {
                value = self.b.bin(BinOp::Sub, Ty::I32, Val::Imm(u64::from(ty.bits - 1)), value).into();
            }
            value = self.b.select(Ty::I32, is_zero, Val::i32(-1), value).into();
        }
        self.write(op.operand(0)?, Type::U32, value)
    }
}
