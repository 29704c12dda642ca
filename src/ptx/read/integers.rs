//! Arithmetic of integers (PTX ISA 9.7.1 and 9.7.2).
//!
//! The IR divides and multiplies signed numbers. Unsigned ones of up to 32 bits are divided as signed ones of 64 bits.

use super::{Op, Reader, Result, ir_type};
use crate::syntax::{Kind, Type};
use ir::op::{BinOp, CmpOp, UnOp};
use ir::{Ty, Val};

impl<'a> Reader<'a> {
    /// An operation of integers.
    pub(super) fn integer(&mut self, op: &Op<'a>) -> Result<()> {
        op.only(&["lo", "hi", "wide", "cc", "sat"])?;
        let stem = op.parts[0];
        let ty = op.ty()?;
        if !ty.kind.is_integer() {
            return op.refused();
        }
        let kind = ir_type(ty)?;
        let is_signed = ty.kind == Kind::Signed;
        let count = match stem {
            "abs" | "neg" => 1,
            "mad" | "mad24" | "madc" | "sad" => 3,
            _ => 2,
        };
        op.count(count + 1, count + 1)?;
        let target = op.operand(0)?;
        if op.has("wide") {
            return self.wide_product(op, ty);
        }
        let mut given = Vec::new();
        for i in 1..=count {
            given.push(self.read(op.operand(i)?, ty)?);
        }
        let (a, b) = (given[0], given.get(1).copied().unwrap_or(Val::Imm(0)));
        if op.has("sat") && (!matches!(stem, "add" | "sub") || ty.bits != 32) {
            return op.refused();
        }
        let value: Val = match stem {
            "add" | "addc" | "sub" | "subc" if op.has("cc") || stem.ends_with('c') => {
                self.carried(op, stem.starts_with("sub"), kind, a, b)
            }
            "add" | "sub" if op.has("sat") => self.saturated_sum(stem == "sub", a, b),
            "add" => self.b.bin(BinOp::Add, kind, a, b).into(),
            "sub" => self.b.bin(BinOp::Sub, kind, a, b).into(),
            "mul" if op.has("hi") => self.high_product(is_signed, kind, a, b),
            "mul" => self.b.bin(BinOp::Mul, kind, a, b).into(),
            "mad" | "madc" => {
                let product = match op.has("hi") {
                    true => self.high_product(is_signed, kind, a, b),
                    false if stem == "mad" && !op.has("cc") => {
                        let value = self.b.tri(ir::op::TriOp::Mad, kind, a, b, given[2]).into();
                        return self.write(target, ty, value);
                    }
                    false => self.b.bin(BinOp::Mul, kind, a, b).into(),
                };
                if op.has("cc") || stem == "madc" {
                    self.carried(op, false, kind, product, given[2])
                } else {
                    self.b.bin(BinOp::Add, kind, product, given[2]).into()
                }
            }
            "mul24" | "mad24" if !op.has("hi") => {
                let [a, b] = [a, b].map(|v| {
                    let high = self.b.bin(BinOp::Shl, kind, v, Val::Imm(8));
                    let down = if is_signed { BinOp::ShrS } else { BinOp::ShrU };
                    self.b.bin(down, kind, high, Val::Imm(8))
                });
                let product: Val = self.b.bin(BinOp::Mul, kind, a, b).into();
                match given.get(2) {
                    Some(&c) => self.b.bin(BinOp::Add, kind, product, c).into(),
                    None => product,
                }
            }
            "div" | "rem" => {
                let operation = if stem == "div" { BinOp::Div } else { BinOp::Rem };
                if is_signed { self.b.bin(operation, kind, a, b).into() } else { self.divided(operation, kind, a, b) }
            }
            "min" | "max" if is_signed => {
                self.b.bin(if stem == "min" { BinOp::Min } else { BinOp::Max }, kind, a, b).into()
            }
            "min" | "max" => self.lesser(stem == "min", kind, a, b),
            "abs" => self.b.un(UnOp::Abs, kind, a).into(),
            "neg" => self.b.un(UnOp::Neg, kind, a).into(),
            "sad" => {
                let is_less = self.b.cmp(if is_signed { CmpOp::Lt } else { CmpOp::LtU }, kind, a, b);
                let (up, down) = (self.b.bin(BinOp::Sub, kind, b, a), self.b.bin(BinOp::Sub, kind, a, b));
                let distance = self.b.select(kind, is_less, up, down);
                self.b.bin(BinOp::Add, kind, distance, given[2]).into()
            }
            _ => return op.refused(),
        };
        self.write(target, ty, value)
    }

    /// `mul.wide` and `mad.wide`
    fn wide_product(&mut self, op: &Op<'a>, ty: Type) -> Result<()> {
        let (kind, wide) = (ir_type(ty)?, Type { bits: ty.bits * 2, ..ty });
        let to = ir_type(wide)?;
        let is_signed = ty.kind == Kind::Signed;
        let mut factor = |number| {
            let value = self.read(op.operand(number)?, ty)?;
            Ok(self.extended(value, kind, to, is_signed))
        };
        let (a, b) = (factor(1)?, factor(2)?);
        let value = if op.parts[0] == "mad" {
            let c = self.read(op.operand(3)?, wide)?;
            self.b.tri(ir::op::TriOp::Mad, to, a, b, c)
        } else {
            self.b.bin(BinOp::Mul, to, a, b)
        };
        self.write(op.operand(0)?, wide, value.into())
    }

    /// The high half of a product.
    fn high_product(&mut self, is_signed: bool, ty: Ty, a: Val, b: Val) -> Val {
        if ty != Ty::I64 {
            let [a, b] = [a, b].map(|v| self.extended(v, ty, Ty::I64, is_signed));
            let product = self.b.bin(BinOp::Mul, Ty::I64, a, b);
            let high = self.b.bin(BinOp::ShrU, Ty::I64, product, Val::Imm(u64::from(ty.bytes() * 8))).into();
            return self.extended(high, Ty::I64, ty, false);
        }
        let high: Val = self.b.bin(BinOp::MulHi, ty, a, b).into();
        if is_signed {
            return high;
        }
        // A negative factor counts 2^64 less than it is: the other one is missing.
        let mut missing = |sign: Val, other: Val| {
            let mask = self.b.bin(BinOp::ShrS, ty, sign, Val::Imm(63));
            self.b.bin(BinOp::And, ty, mask, other)
        };
        let (first, second) = (missing(a, b), missing(b, a));
        let sum = self.b.bin(BinOp::Add, ty, high, first);
        self.b.bin(BinOp::Add, ty, sum, second).into()
    }

    /// The quotient or remainder of unsigned numbers.
    fn divided(&mut self, op: BinOp, ty: Ty, a: Val, b: Val) -> Val {
        if ty != Ty::I64 {
            let [a, b] = [a, b].map(|v| self.extended(v, ty, Ty::I64, false));
            let value = self.b.bin(op, Ty::I64, a, b).into();
            return self.extended(value, Ty::I64, ty, false);
        }
        // Half of the dividend is not negative: twice its quotient is the result, or one less (Warren, "Hacker's Delight", 9-3).
        let half = self.b.bin(BinOp::ShrU, ty, a, Val::Imm(1));
        let quotient = self.b.bin(BinOp::Div, ty, half, b);
        let twice: Val = self.b.bin(BinOp::Shl, ty, quotient, Val::Imm(1)).into();
        let product = self.b.bin(BinOp::Mul, ty, twice, b);
        let rest: Val = self.b.bin(BinOp::Sub, ty, a, product).into();
        let is_less: Val = self.b.cmp(CmpOp::GeU, ty, rest, b).into();
        // A divisor from 2^63 on goes into the dividend once at most.
        let is_great = self.b.cmp(CmpOp::Lt, ty, b, Val::Imm(0));
        let goes = self.b.cmp(CmpOp::GeU, ty, a, b);
        if op == BinOp::Div {
            let one_more = self.b.bin(BinOp::Add, ty, twice, Val::Imm(1));
            let small = self.b.select(ty, is_less, one_more, twice);
            let great = self.b.select(ty, goes, Val::Imm(1), Val::Imm(0));
            let value = self.b.select(ty, is_great, great, small);
            // As the IR has it for signed numbers.
            let is_zero = self.b.cmp(CmpOp::Eq, ty, b, Val::Imm(0));
            return self.b.select(ty, is_zero, Val::Imm(u64::MAX), value).into();
        }
        let less = self.b.bin(BinOp::Sub, ty, rest, b);
        let small = self.b.select(ty, is_less, less, rest);
        let once = self.b.bin(BinOp::Sub, ty, a, b);
        let great = self.b.select(ty, goes, once, a);
        self.b.select(ty, is_great, great, small).into()
    }

    /// `add.sat.s32` and `sub.sat.s32`
    fn saturated_sum(&mut self, subtracts: bool, a: Val, b: Val) -> Val {
        let [a, b] = [a, b].map(|v| self.extended(v, Ty::I32, Ty::I64, true));
        let sum = self.b.bin(if subtracts { BinOp::Sub } else { BinOp::Add }, Ty::I64, a, b);
        let low = self.b.bin(BinOp::Max, Ty::I64, sum, Val::i64(i64::from(i32::MIN)));
        let value = self.b.bin(BinOp::Min, Ty::I64, low, Val::i64(i64::from(i32::MAX))).into();
        self.extended(value, Ty::I64, Ty::I32, true)
    }

    /// A sum or difference that takes the condition code (`addc`), gives it (`.cc`), or both.
    fn carried(&mut self, op: &Op<'a>, subtracts: bool, ty: Ty, a: Val, b: Val) -> Val {
        let carry = match self.carry {
            Some(reg) => reg,
            None => {
                let reg = self.b.mutable(Ty::Pred);
                self.carry = Some(reg);
                reg
            }
        };
        let operation = if subtracts { BinOp::Sub } else { BinOp::Add };
        let sum: Val = self.b.bin(operation, ty, a, b).into();
        let (less, than) = if subtracts { (a, b) } else { (sum, a) };
        let mut out: Val = self.b.cmp(CmpOp::LtU, ty, less, than).into();
        let mut value = sum;
        if op.parts[0].ends_with('c') {
            let one = self.b.select(ty, carry, Val::Imm(1), Val::Imm(0)).into();
            value = self.b.bin(operation, ty, sum, one).into();
            let (less, than) = if subtracts { (sum, one) } else { (value, sum) };
            let again = self.b.cmp(CmpOp::LtU, ty, less, than);
            out = self.b.bin(BinOp::Or, Ty::Pred, out, again).into();
        }
        if op.has("cc") {
            self.b.set(carry, out);
        }
        value
    }
}
