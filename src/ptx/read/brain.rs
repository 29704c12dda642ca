//! Reals of 16 bits with the exponent of `.f32`: `.bf16`, alone and two in 32 bits (PTX ISA 9.7.4, 9.7.9.21).
//!
//! A sum or product is that of `.f64`, rounded to odd: where bits are lost the last one is set, so that the rounding to 8 bits, which
//! comes last, is right.
//!
//! Not here: what is alike for `.f16` (`halves`).

use super::halves::{NAN, is_brain};
use super::rounding::Rounding;
use super::{Op, Reader, Result, ir_type};
use crate::syntax::{Kind, Type};
use ir::op::{BinOp, CmpOp, CvtOp};
use ir::{Ty, Val};

impl<'a> Reader<'a> {
    /// One as `.f32`, which has the same exponents.
    pub(super) fn widened_brain(&mut self, brain: Val) -> Val {
        let low = self.b.cvt(CvtOp::CastU, Ty::I16, Ty::I32, brain);
        let bits = self.b.bin(BinOp::Shl, Ty::I32, low, Val::Imm(16)).into();
        self.as_bits(bits, Ty::I32, Ty::F32)
    }

    /// The one nearest to a real; of a NaN the one that operations give.
    pub(super) fn narrowed_brain(&mut self, from: Ty, value: Val) -> Val {
        let single = if from == Ty::F64 { self.odd_single(value) } else { value };
        let bits = self.as_bits(single, Ty::F32, Ty::I32);
        let last = self.b.bin(BinOp::ShrU, Ty::I32, bits, Val::Imm(16));
        let last = self.b.bin(BinOp::And, Ty::I32, last, Val::Imm(1));
        let more = self.b.bin(BinOp::Add, Ty::I32, last, Val::Imm(0x7fff));
        let rounded = self.b.bin(BinOp::Add, Ty::I32, bits, more);
        self.upper(rounded.into(), single)
    }

    /// The upper half of the bits, or a NaN where the value is one.
    fn upper(&mut self, bits: Val, value: Val) -> Val {
        let high = self.b.bin(BinOp::ShrU, Ty::I32, bits, Val::Imm(16));
        let half = self.b.cvt(CvtOp::Cast, Ty::I32, Ty::I16, high);
        let is_nan = self.b.cmp(CmpOp::Ne, Ty::F32, value, value);
        self.b.select(Ty::I16, is_nan, Val::Imm(NAN), half).into()
    }

    /// A `.f64` as `.f32`, rounded to odd.
    fn odd_single(&mut self, value: Val) -> Val {
        let single = self.rounded_narrow(Rounding::Zero, value);
        let back = self.b.cvt(CvtOp::Cast, Ty::F32, Ty::F64, single);
        let is_exact = self.b.cmp(CmpOp::Eq, Ty::F64, back, value);
        let bits = self.as_bits(single, Ty::F32, Ty::I32);
        let odd = self.b.bin(BinOp::Or, Ty::I32, bits, Val::Imm(1));
        let bits = self.b.select(Ty::I32, is_exact, bits, odd).into();
        self.as_bits(bits, Ty::I32, Ty::F32)
    }

    /// A sum or product of such numbers, given as `.f32`.
    pub(super) fn brain_result(&mut self, stem: &str, given: &[Val]) -> Val {
        let (a, b, c) = match (stem, given) {
            ("add", &[a, b]) => (a, Val::f32(1.0), b),
            ("sub", &[a, b]) => (b, Val::f32(-1.0), a),
            (_, &[a, b, c]) => (a, b, c),
            (_, given) => (given[0], given[1], Val::f32(-0.0)),
        };
        let [a, b, c] = [a, b, c].map(|v| self.b.cvt(CvtOp::Cast, Ty::F32, Ty::F64, v));
        let product = self.b.bin(BinOp::Mul, Ty::F64, a, b).into();
        let (sum, rest) = self.two_sum(product, c.into());
        // Away from zero if what is lost has the sign of the sum. Nothing is lost of what is no finite number.
        let bits = self.as_bits(sum, Ty::F64, Ty::I64);
        let last = self.b.bin(BinOp::And, Ty::I64, bits, Val::Imm(1));
        let is_even: Val = self.b.cmp(CmpOp::Eq, Ty::I64, last, Val::Imm(0)).into();
        let mut odd = bits;
        for (relation, to_positive) in [(CmpOp::Gt, 1_i64), (CmpOp::Lt, -1)] {
            let is_lost = self.b.cmp(relation, Ty::F64, rest, Val::Imm(0));
            let is_moved = self.b.bin(BinOp::And, Ty::Pred, is_lost, is_even);
            let is_positive = self.b.cmp(CmpOp::Gt, Ty::F64, sum, Val::Imm(0));
            let step = self.b.select(Ty::I64, is_positive, Val::i64(to_positive), Val::i64(-to_positive));
            let moved = self.b.bin(BinOp::Add, Ty::I64, bits, step);
            odd = self.b.select(Ty::I64, is_moved, moved, odd).into();
        }
        let odd = self.as_bits(odd, Ty::I64, Ty::F64);
        self.narrowed_brain(Ty::F64, odd)
    }

    /// `cvt` to or from such numbers.
    pub(super) fn convert_brain(&mut self, op: &Op<'a>, to: Type, from: Type) -> Result<()> {
        let truncates = op.has("rz");
        if op.has("rm") || op.has("rp") || op.has("sat") || op.has("ftz") {
            return op.refused();
        }
        if to == Type::BF16X2 {
            // The first operand becomes the upper half.
            op.count(3, 3)?;
            if from != Type::F32 {
                return op.refused();
            }
            let mut parts = Vec::new();
            for i in [2, 1] {
                let value = self.read(op.operand(i)?, from)?;
                let half = self.brain_of(truncates, Ty::F32, value);
                parts.push(self.clamped(op, to, half));
            }
            let value = self.of_halves(&parts);
            return self.write(op.operand(0)?, to, value);
        }
        op.count(2, 2)?;
        if from.bits == 32 && is_brain(from) || from == Type::F16X2 || to == Type::F16X2 {
            return op.refused();
        }
        let value = self.read(op.operand(1)?, from)?;
        if to != Type::BF16 {
            let wide = self.widened_brain(value);
            let value = match to.kind {
                Kind::Real if to.bits >= 32 && op.has("relu") => return op.refused(),
                Kind::Real => {
                    let whole = self.whole(op, Ty::F32, wide);
                    match to.bits {
                        16 => {
                            let half = self.narrowed(to, Ty::F32, whole);
                            self.clamped(op, to, half)
                        }
                        32 => whole,
                        _ => self.b.cvt(CvtOp::Cast, Ty::F32, Ty::F64, whole).into(),
                    }
                }
                kind if kind.is_integer() && !op.has("relu") => self.real_to_integer(op, wide, Ty::F32, to)?,
                _ => return op.refused(),
            };
            return self.write(op.operand(0)?, to, value);
        }
        let brain = match from.kind {
            Kind::Real if from.bits == 64 && truncates => return op.refused(),
            Kind::Real if from.bits == 64 => self.narrowed_brain(Ty::F64, value),
            Kind::Real if from.bits == 32 => self.brain_of(truncates, Ty::F32, value),
            Kind::Real | Kind::Brain => {
                let wide = self.widened(from, value);
                let whole = self.whole(op, Ty::F32, wide);
                self.brain_of(truncates, Ty::F32, whole)
            }
            kind if kind.is_integer() && from.bits <= 32 && !truncates => {
                // Such integers are exact in `.f64`.
                let wide = self.extended(value, ir_type(from)?, Ty::I64, kind == Kind::Signed);
                let real = self.b.cvt(CvtOp::Cast, Ty::I64, Ty::F64, wide).into();
                self.narrowed_brain(Ty::F64, real)
            }
            _ => return op.refused(),
        };
        let brain = self.clamped(op, to, brain);
        self.write(op.operand(0)?, to, brain)
    }

    /// A real of that type as such a number, to the nearest or toward zero.
    fn brain_of(&mut self, truncates: bool, from: Ty, value: Val) -> Val {
        if !truncates {
            return self.narrowed_brain(from, value);
        }
        let bits = self.as_bits(value, Ty::F32, Ty::I32);
        self.upper(bits, value)
    }
}
