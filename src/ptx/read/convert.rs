//! Conversions (PTX ISA 9.7.9.21).

use super::rounding::Rounding;
use super::{Op, Reader, Result, halves, integer, ir_type};
use crate::syntax::{Kind, Type};
use ir::op::{BinOp, CmpOp, CvtOp, UnOp};
use ir::{Ty, Val};

/// 2^63.
const TWO_63: f64 = 9_223_372_036_854_775_808.0;

impl<'a> Reader<'a> {
    /// `cvt`
    pub(super) fn convert(&mut self, op: &Op<'a>) -> Result<()> {
        op.only(&["rn", "rz", "rm", "rp", "rni", "rzi", "rmi", "rpi", "ftz", "sat", "relu"])?;
        let (to, from) = (op.ty()?, op.second_ty()?);
        if halves::is_half(to) || halves::is_half(from) {
            return self.convert_halves(op, to, from);
        }
        if op.has("relu") {
            return op.refused();
        }
        op.count(2, 2)?;
        let (wanted, is) = (ir_type(to)?, ir_type(from)?);
        if wanted == Ty::Pred || is == Ty::Pred {
            return op.refused();
        }
        // An address of 32 bits that becomes one of 64 keeps its window.
        if to.bits == 64
            && wanted == Ty::I64
            && is == Ty::I32
            && let Some(address) = self.address_in(op.operand(1)?)?
        {
            return self.write(op.operand(0)?, to, address);
        }
        let mut value = self.read(op.operand(1)?, from)?;
        if op.has("ftz") && is == Ty::F32 {
            value = self.flushed(value);
        }
        value = match (is.is_real(), wanted.is_real()) {
            (false, false) => self.between_integers(op, value, from, to)?,
            (false, true) => self.integer_to_real(op, value, from, wanted)?,
            (true, false) => self.real_to_integer(op, value, is, to)?,
            (true, true) => {
                let whole = self.whole(op, is, value);
                match (is, wanted) {
                    (Ty::F64, Ty::F32) => self.rounded_narrow(Rounding::of(op), whole),
                    (Ty::F32, Ty::F64) => self.b.cvt(CvtOp::Cast, is, wanted, whole).into(),
                    _ => whole,
                }
            }
        };
        if wanted.is_real() {
            if op.has("sat") {
                value = self.saturated(wanted, value);
            }
            if op.has("ftz") && wanted == Ty::F32 {
                value = self.flushed(value);
            }
        }
        self.write(op.operand(0)?, to, value)
    }

    /// The value rounded to an integral one, as `.rni` and the like say.
    pub(super) fn whole(&mut self, op: &Op<'a>, ty: Ty, value: Val) -> Val {
        let operation = match () {
            () if op.has("rni") => UnOp::RoundEven,
            () if op.has("rzi") => UnOp::Trunc,
            () if op.has("rmi") => UnOp::Floor,
            () if op.has("rpi") => UnOp::Ceil,
            () => return value,
        };
        self.b.un(operation, ty, value).into()
    }

    fn between_integers(&mut self, op: &Op<'a>, value: Val, from: Type, to: Type) -> Result<Val> {
        let (is, wanted) = (ir_type(from)?, ir_type(to)?);
        let is_signed = from.kind == Kind::Signed;
        if !op.has("sat") {
            return Ok(self.extended(value, is, wanted, is_signed));
        }
        if from.bits == 64 && !is_signed || to.bits == 64 {
            return op.refused();
        }
        let wide = self.extended(value, is, Ty::I64, is_signed);
        let (least, most) = match to.kind {
            Kind::Signed => (-(1_i64 << (to.bits - 1)), (1 << (to.bits - 1)) - 1),
            _ => (0, (1 << to.bits) - 1),
        };
        let low = self.b.bin(BinOp::Max, Ty::I64, wide, Val::i64(least));
        let clamped = self.b.bin(BinOp::Min, Ty::I64, low, Val::i64(most)).into();
        Ok(self.extended(clamped, Ty::I64, wanted, false))
    }

    fn integer_to_real(&mut self, op: &Op<'a>, value: Val, from: Type, to: Ty) -> Result<Val> {
        let is = ir_type(from)?;
        let rounding = Rounding::of(op);
        let is_signed = from.kind == Kind::Signed;
        if from.bits < 64 {
            let wide = self.extended(value, is, Ty::I64, is_signed);
            // Integers of 32 bits are exact in `.f64`.
            return Ok(if rounding == Rounding::Nearest {
                self.b.cvt(CvtOp::Cast, Ty::I64, to, wide).into()
            } else {
                let exact: Val = self.b.cvt(CvtOp::Cast, Ty::I64, Ty::F64, wide).into();
                if to == Ty::F64 { exact } else { self.rounded_narrow(rounding, exact) }
            });
        }
        if rounding != Rounding::Nearest {
            return self.long_to_real(op, value, is_signed, to);
        }
        let plain: Val = self.b.cvt(CvtOp::Cast, Ty::I64, to, value).into();
        if is_signed {
            return Ok(plain);
        }
        // Half of it, whose lowest bit stands for both that are lost, rounds the same way.
        let half = self.b.bin(BinOp::ShrU, Ty::I64, value, Val::Imm(1));
        let lost = self.b.bin(BinOp::And, Ty::I64, value, Val::Imm(1));
        let sticky = self.b.bin(BinOp::Or, Ty::I64, half, lost);
        let rounded = self.b.cvt(CvtOp::Cast, Ty::I64, to, sticky);
        let twice = self.b.bin(BinOp::Add, to, rounded, rounded);
        let is_great = self.b.cmp(CmpOp::Lt, Ty::I64, value, Val::Imm(0));
        Ok(self.b.select(to, is_great, twice, plain).into())
    }

    /// An integer of 64 bits that is not rounded to nearest: its halves are exact, their sum is rounded.
    fn long_to_real(&mut self, op: &Op<'a>, value: Val, is_signed: bool, to: Ty) -> Result<Val> {
        if to != Ty::F64 {
            return op.refused();
        }
        let down = if is_signed { BinOp::ShrS } else { BinOp::ShrU };
        let high = self.b.bin(down, Ty::I64, value, Val::Imm(32));
        let low = self.b.bin(BinOp::And, Ty::I64, value, Val::Imm(0xffff_ffff));
        let [high, low] = [high, low].map(|v| self.b.cvt(CvtOp::Cast, Ty::I64, to, v));
        let scaled = self.b.bin(BinOp::Mul, to, high, Val::f64(4_294_967_296.0)).into();
        Ok(self.rounded_sum(Rounding::of(op), to, scaled, low.into()))
    }

    /// A real as an integer, which saturates. A NaN is 0, but of `.f64` or as 64 bits the highest bit alone.
    pub(super) fn real_to_integer(&mut self, op: &Op<'a>, value: Val, is: Ty, to: Type) -> Result<Val> {
        let whole = self.whole(op, is, value);
        let wanted = integer(to.bits / 8);
        if to.kind == Kind::Signed && to.bits >= 32 {
            return Ok(self.b.cvt(CvtOp::Cast, is, wanted, whole).into());
        }
        if to.bits < 64 {
            // Everything that fits is exact in 64 bits; what does not saturates there and then here.
            let wide = self.b.cvt(CvtOp::Cast, is, Ty::I64, whole);
            let (least, most) = match to.kind {
                Kind::Signed => (-(1_i64 << (to.bits - 1)), (1 << (to.bits - 1)) - 1),
                _ => (0, (1 << to.bits) - 1),
            };
            let low = self.b.bin(BinOp::Max, Ty::I64, wide, Val::i64(least));
            let clamped: Val = self.b.bin(BinOp::Min, Ty::I64, low, Val::i64(most)).into();
            let clamped = self.extended(clamped, Ty::I64, wanted, false);
            let nan = if is == Ty::F64 { 1 << (to.bits - 1) } else { 0 };
            let is_nan = self.b.cmp(CmpOp::Ne, is, whole, whole);
            return Ok(self.b.select(wanted, is_nan, Val::Imm(nan), clamped).into());
        }
        let (limit, end) = match is {
            Ty::F32 => (Val::f32(TWO_63 as f32), Val::f32(2.0 * TWO_63 as f32)),
            _ => (Val::f64(TWO_63), Val::f64(2.0 * TWO_63)),
        };
        let small: Val = self.b.cvt(CvtOp::Cast, is, Ty::I64, whole).into();
        let rest = self.b.bin(BinOp::Sub, is, whole, limit);
        let above = self.b.cvt(CvtOp::Cast, is, Ty::I64, rest);
        let great: Val = self.b.bin(BinOp::Xor, Ty::I64, above, Val::Imm(1 << 63)).into();
        let is_great = self.b.cmp(CmpOp::Ge, is, whole, limit);
        let is_beyond = self.b.cmp(CmpOp::Ge, is, whole, end);
        let is_negative = self.b.cmp(CmpOp::Lt, is, whole, Val::Imm(0));
        let value = self.b.select(Ty::I64, is_great, great, small);
        let value = self.b.select(Ty::I64, is_beyond, Val::Imm(u64::MAX), value);
        let value = self.b.select(Ty::I64, is_negative, Val::Imm(0), value);
        let is_nan = self.b.cmp(CmpOp::Ne, is, whole, whole);
        Ok(self.b.select(Ty::I64, is_nan, Val::Imm(1 << 63), value).into())
    }
}
