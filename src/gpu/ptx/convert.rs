//! Conversions (PTX ISA 9.7.9.21, `cvt`).
//!
//! The rules are those of `scalar::bits::convert_with`: integers below 32 bits are the low bits of the 32-bit result, and reals
//! saturate. A NaN becomes what the instruction of the target gives: 0, or the smallest integer if a side has 64 bits. PTX
//! defines the last two in the same way.

use super::EmitError;
use super::arith::zero;
use super::body::{Body, Width, arithmetic, ins};
use ir::op::CvtOp;
use ir::{Reg, Ty, Val};

impl Body<'_, '_> {
    /// `dst = convert a`
    pub(super) fn cvt(&mut self, op: CvtOp, from: Ty, to: Ty, dst: Reg, a: Val) -> Result<(), EmitError> {
        match op {
            CvtOp::Cast | CvtOp::Nint | CvtOp::FloorI | CvtOp::CeilI => self.convert(op, from, to, dst, a),
            CvtOp::CastU => {
                if !from.is_int() || !to.is_int() {
                    return self.refuse(format!("`{op}` from `{from}` to `{to}`"));
                }
                self.extend(from, to, dst, a);
            }
            CvtOp::Bits => {
                if from != to && (from.bytes() != to.bytes() || from == Ty::Pred || to == Ty::Pred) {
                    return self.refuse(format!("`{op}` from `{from}` to `{to}`"));
                }
                let (d, a) = (self.reg(dst), self.raw(from, a));
                ins!(self, "mov.{} {d}, {a}", Width::of(to).bits());
            }
            CvtOp::PredToInt => {
                if from != Ty::Pred || !to.is_int() {
                    return self.refuse(format!("`{op}` from `{from}` to `{to}`"));
                }
                let (d, a) = (self.reg(dst), self.raw(from, a));
                ins!(self, "selp.{} {d}, -1, 0, {a}", Width::of(to).bits());
            }
            CvtOp::IntToPred => {
                if !from.is_int() || to != Ty::Pred {
                    return self.refuse(format!("`{op}` from `{from}` to `{to}`"));
                }
                let (d, a, width) = (self.reg(dst), self.raw(from, a), Width::of(from));
                let low = self.temp(width);
                ins!(self, "and.{} {low}, {a}, 1", width.bits());
                ins!(self, "setp.ne.{} {d}, {low}, 0", arithmetic(from));
            }
            CvtOp::FromHalf => {
                let (d, a) = (self.reg(dst), self.value(from, a));
                self.with_half(|body| {
                    ins!(body, "cvt.u16.u32 half, {a}");
                    ins!(body, "cvt.f32.f16 {d}, half");
                });
            }
            CvtOp::ToHalf => {
                let (d, a) = (self.reg(dst), self.value(from, a));
                self.with_half(|body| {
                    ins!(body, "cvt.rn.f16.{} half, {a}", arithmetic(from));
                    // Narrow integers are sign-extended.
                    ins!(body, "cvt.s32.s16 {d}, half");
                });
                if from == Ty::F64 {
                    // An H200 keeps the payload of a NaN, and ptxas gives the canonical one where it folds.
                    let is_nan = self.temp(Width::Pred);
                    ins!(self, "setp.nan.f64 {is_nan}, {a}, {a}");
                    ins!(self, "selp.b32 {d}, 0x7fff, {d}, {is_nan}");
                }
            }
        }
        Ok(())
    }

    /// Instructions with a register of 16 bits, `half`.
    pub(super) fn with_half(&mut self, instructions: impl FnOnce(&mut Self)) {
        self.text.push_str("\t{\n");
        ins!(self, ".reg .b16 half");
        instructions(self);
        self.text.push_str("\t}\n");
    }

    /// Value conversion; `op` says how a real is rounded to an integer.
    fn convert(&mut self, op: CvtOp, from: Ty, to: Ty, dst: Reg, a: Val) {
        let d = self.reg(dst);
        if from == to {
            return self.mov(to, dst, a);
        }
        match (from, to) {
            (Ty::Pred, _) => {
                let a = self.raw(from, a);
                let one = match to {
                    Ty::F32 => "0x3f800000",
                    Ty::F64 => "0x3ff0000000000000",
                    Ty::Pred | Ty::I8 | Ty::I16 | Ty::I32 | Ty::I64 => "1",
                };
                ins!(self, "selp.{} {d}, {one}, 0, {a}", Width::of(to).bits());
            }
            (Ty::F32 | Ty::F64, Ty::Pred) => {
                let a = self.value(from, a);
                ins!(self, "setp.neu.{} {d}, {a}, {}", arithmetic(from), zero(from));
            }
            (_, Ty::Pred) => {
                let a = self.value(from, a);
                ins!(self, "setp.ne.{} {d}, {a}, 0", arithmetic(from));
            }
            (Ty::F32, Ty::F64) => {
                let a = self.value(from, a);
                ins!(self, "cvt.f64.f32 {d}, {a}");
            }
            (Ty::F64, Ty::F32) => {
                let a = self.value(from, a);
                ins!(self, "cvt.rn.f32.f64 {d}, {a}");
            }
            (Ty::F32 | Ty::F64, _) => {
                let (rounding, a) = match op {
                    CvtOp::FloorI => ("rmi", self.value(from, a)),
                    CvtOp::CeilI => ("rpi", self.value(from, a)),
                    CvtOp::Nint => ("rzi", self.rounded_away(from, a)),
                    CvtOp::Cast
                    | CvtOp::CastU
                    | CvtOp::Bits
                    | CvtOp::PredToInt
                    | CvtOp::IntToPred
                    | CvtOp::FromHalf
                    | CvtOp::ToHalf => ("rzi", self.value(from, a)),
                };
                let wide = self.wide(to, dst);
                ins!(self, "cvt.{rounding}.{}.{} {wide}, {a}", arithmetic(to), arithmetic(from));
                self.settle(to, dst, &wide);
            }
            (_, Ty::F32 | Ty::F64) => {
                let a = self.value(from, a);
                ins!(self, "cvt.rn.{}.{} {d}, {a}", arithmetic(to), arithmetic(from));
            }
            (_, Ty::I64) => {
                let a = self.value(from, a);
                ins!(self, "cvt.s64.s32 {d}, {a}");
            }
            (Ty::I64, _) => {
                let a = self.value(from, a);
                let wide = self.wide(to, dst);
                ins!(self, "cvt.u32.u64 {wide}, {a}");
                self.settle(to, dst, &wide);
            }
            (_, Ty::I8 | Ty::I16 | Ty::I32) => {
                // Sign-extended already; a narrower target takes the low bits.
                let a = self.value(from, a);
                self.settle(to, dst, &a);
            }
        }
    }

    /// Integer to integer, bringing in zeros.
    fn extend(&mut self, from: Ty, to: Ty, dst: Reg, a: Val) {
        if to.bytes() <= from.bytes() {
            return self.convert(CvtOp::Cast, from, to, dst, a);
        }
        let d = self.reg(dst);
        let a = self.value(from, a);
        let low = if from == Ty::I32 { a } else { self.zero_extended(from, &a) };
        if to == Ty::I64 {
            ins!(self, "cvt.u64.u32 {d}, {low}");
        } else {
            ins!(self, "mov.b32 {d}, {low}");
        }
    }
}
