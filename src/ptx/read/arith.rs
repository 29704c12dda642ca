//! Arithmetic of reals (PTX ISA 9.7.3).
//!
//! Approximate operations have the bits of the IR's: those of a GPU there, those nearest to the exact result on the emulator.

use super::rounding::Rounding;
use super::{Op, Reader, Result, ir_type};
use crate::syntax::Type;
use ir::op::{BinOp, CmpOp, TriOp, UnOp};
use ir::{Ty, Val};

/// The constant one.
fn one(ty: Ty) -> Val {
    if ty == Ty::F32 { Val::f32(1.0) } else { Val::f64(1.0) }
}

/// The constant zero.
pub(super) fn zero() -> Val {
    Val::Imm(0)
}

impl<'a> Reader<'a> {
    /// An operation of reals.
    pub(super) fn real(&mut self, op: &Op<'a>) -> Result<()> {
        op.only(&[
            "rn",
            "rz",
            "rm",
            "rp",
            "ftz",
            "sat",
            "approx",
            "full",
            "NaN",
            "finite",
            "infinite",
            "number",
            "notanumber",
            "normal",
            "subnormal",
        ])?;
        let stem = op.parts[0];
        if stem == "testp" {
            return self.test_property(op);
        }
        let ty = op.ty()?;
        let kind = ir_type(ty)?;
        let count = match stem {
            "abs" | "neg" | "sqrt" | "rsqrt" | "rcp" | "sin" | "cos" | "ex2" | "lg2" => 1,
            "mad" | "fma" => 3,
            _ => 2,
        };
        op.count(count + 1, count + 1)?;
        let mut given = Vec::new();
        for i in 1..=count {
            let value = self.read(op.operand(i)?, ty)?;
            given.push(if op.has("ftz") && kind == Ty::F32 { self.flushed(value) } else { value });
        }
        let is_approximate = op.has("approx") || op.has("full");
        let rounding = Rounding::of(op);
        let a = given[0];
        let b = given.get(1).copied().unwrap_or(a);
        let mut value: Val = match (stem, kind) {
            ("abs", _) => self.b.un(UnOp::Abs, kind, a).into(),
            ("neg", _) => self.b.un(UnOp::Neg, kind, a).into(),
            ("copysign", _) => self.b.bin(BinOp::Copysign, kind, b, a).into(),
            ("min" | "max", _) => self.extreme_real(op, kind, a, b),
            ("sin", Ty::F32) => self.b.un(UnOp::SinApprox, kind, a).into(),
            ("cos", Ty::F32) => self.b.un(UnOp::CosApprox, kind, a).into(),
            ("ex2", Ty::F32) => self.b.un(UnOp::Ex2Approx, kind, a).into(),
            ("lg2", Ty::F32) => self.b.un(UnOp::Lg2Approx, kind, a).into(),
            ("rsqrt", Ty::F32) => self.b.un(UnOp::RsqrtApprox, kind, a).into(),
            ("rsqrt", Ty::F64) => {
                let root = self.b.un(UnOp::Sqrt, kind, a);
                self.b.bin(BinOp::Div, kind, one(kind), root).into()
            }
            ("sqrt", Ty::F32) if is_approximate => self.b.un(UnOp::SqrtApprox, kind, a).into(),
            ("div", Ty::F32) if is_approximate => self.b.bin(BinOp::DivApprox, kind, a, b).into(),
            ("rcp", Ty::F32) if is_approximate => self.b.bin(BinOp::DivApprox, kind, one(kind), a).into(),
            ("add", _) => self.rounded_sum(rounding, kind, a, b),
            ("sub", _) => {
                let b = self.b.un(UnOp::Neg, kind, b).into();
                match rounding {
                    Rounding::Nearest => self.b.bin(BinOp::Sub, kind, a, given[1]).into(),
                    _ => self.rounded_sum(rounding, kind, a, b),
                }
            }
            ("mul", _) => self.rounded_product(rounding, kind, a, b),
            ("fma" | "mad", _) => self.rounded_fma(rounding, kind, [a, b, given[2]]),
            ("div", _) if !is_approximate => self.rounded_quotient(rounding, kind, a, b),
            ("rcp", _) if !is_approximate => self.rounded_quotient(rounding, kind, one(kind), a),
            ("sqrt", _) if !is_approximate => self.rounded_root(rounding, kind, a),
            _ => return op.refused(),
        };
        if op.has("ftz") && kind == Ty::F32 {
            value = self.flushed(value);
        }
        if op.has("sat") {
            value = self.saturated(kind, value);
        }
        self.write(op.operand(0)?, ty, value)
    }

    /// `min` and `max`; with `.NaN`, a NaN wins.
    pub(super) fn extreme_real(&mut self, op: &Op<'a>, ty: Ty, a: Val, b: Val) -> Val {
        let operation = if op.parts[0] == "min" { BinOp::Min } else { BinOp::Max };
        let value: Val = self.b.bin(operation, ty, a, b).into();
        if !op.has("NaN") {
            return value;
        }
        let nan: Val = self.b.bin(BinOp::Add, ty, a, b).into();
        let [a, b] = [a, b].map(|v| self.b.cmp(CmpOp::Ne, ty, v, v));
        let is_nan = self.b.bin(BinOp::Or, Ty::Pred, a, b);
        self.b.select(ty, is_nan, nan, value).into()
    }

    /// Zero for a subnormal number, with its sign (`.ftz`).
    pub(super) fn flushed(&mut self, value: Val) -> Val {
        let bits = self.as_bits(value, Ty::F32, Ty::I32);
        let exponent = self.b.bin(BinOp::And, Ty::I32, bits, Val::Imm(0x7f80_0000));
        let sign: Val = self.b.bin(BinOp::And, Ty::I32, bits, Val::Imm(0x8000_0000)).into();
        let is_tiny = self.b.cmp(CmpOp::Eq, Ty::I32, exponent, Val::i32(0));
        let bits = self.b.select(Ty::I32, is_tiny, sign, bits).into();
        self.as_bits(bits, Ty::I32, Ty::F32)
    }

    /// The value clamped to 0 and 1; a NaN becomes 0 (`.sat`).
    pub(super) fn saturated(&mut self, ty: Ty, value: Val) -> Val {
        let low = self.b.cmp(CmpOp::Gt, ty, value, zero());
        let high = self.b.cmp(CmpOp::Lt, ty, value, one(ty));
        let value = self.b.select(ty, high, value, one(ty));
        self.b.select(ty, low, value, zero()).into()
    }

    /// `testp`
    fn test_property(&mut self, op: &Op<'a>) -> Result<()> {
        op.count(2, 2)?;
        let ty = op.ty()?;
        let kind = ir_type(ty)?;
        let value = self.read(op.operand(1)?, ty)?;
        let (bits, mask, infinite, normal) = match kind {
            Ty::F32 => (Ty::I32, 0x7fff_ffff, 0x7f80_0000, 0x0080_0000),
            _ => (Ty::I64, !0 >> 1, 0x7ff0 << 48, 0x0010 << 48),
        };
        let value = self.as_bits(value, kind, bits);
        let size = self.b.bin(BinOp::And, bits, value, Val::Imm(mask));
        let mut at = |op, limit: u64| self.b.cmp(op, bits, size, Val::Imm(limit));
        let holds = if op.has("finite") {
            at(CmpOp::Lt, infinite)
        } else if op.has("infinite") {
            at(CmpOp::Eq, infinite)
        } else if op.has("number") {
            at(CmpOp::Le, infinite)
        } else if op.has("notanumber") {
            at(CmpOp::Gt, infinite)
        } else if op.has("normal") {
            // Zeros count as normal.
            let (least, most, none) = (at(CmpOp::Ge, normal), at(CmpOp::Lt, infinite), at(CmpOp::Eq, 0));
            let holds = self.b.bin(BinOp::And, Ty::Pred, least, most);
            self.b.bin(BinOp::Or, Ty::Pred, holds, none)
        } else if op.has("subnormal") {
            let (some, most) = (at(CmpOp::Gt, 0), at(CmpOp::Lt, normal));
            self.b.bin(BinOp::And, Ty::Pred, some, most)
        } else {
            return op.refused();
        };
        self.write(op.operand(0)?, Type::PRED, holds.into())
    }

    /// The product and the sum of three, rounded once.
    pub(super) fn fused(&mut self, ty: Ty, [a, b, c]: [Val; 3]) -> Val {
        self.b.tri(TriOp::Fma, ty, a, b, c).into()
    }
}
