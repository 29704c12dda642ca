//! Reals of 16 bits, alone and two in 32 bits (PTX ISA 9.7.4, 9.7.7, 9.7.9.21).
//!
//! A sum, difference or product is that of `.f32`, rounded, and `fma` that of `.f64`: both have bits enough for the second rounding not
//! to matter, since what they hold of a result of two halves, or of a product and a half in the range of halves, is exact or far from
//! the middle between two halves.
//!
//! Not here: the sums and products of `.bf16` (`brain`).

use super::{Op, Reader, Result};
use crate::syntax::{Kind, Operand, Type};
use ir::op::{BinOp, CmpOp, CvtOp, TriOp, UnOp};
use ir::{Ty, Val};

/// The bits without the sign.
const SIZE: u64 = 0x7fff;
/// The bits of the NaN that operations give.
pub(super) const NAN: u64 = 0x7fff;

/// Whether values of a type are reals of 16 bits, one or two.
pub(super) fn is_half(ty: Type) -> bool {
    matches!(ty, Type::F16 | Type::F16X2) || is_brain(ty)
}

/// Whether they are `.bf16`.
pub(super) fn is_brain(ty: Type) -> bool {
    matches!(ty, Type::BF16 | Type::BF16X2)
}

/// The bits of 1.
fn one(ty: Type) -> u64 {
    if is_brain(ty) { 0x3f80 } else { 0x3c00 }
}

impl<'a> Reader<'a> {
    /// The halves of a value, the lower first.
    fn halves(&mut self, ty: Type, value: Val) -> Vec<Val> {
        if ty.bits == 16 {
            return vec![value];
        }
        let low = self.b.cvt(CvtOp::Cast, Ty::I32, Ty::I16, value).into();
        let rest = self.b.bin(BinOp::ShrU, Ty::I32, value, Val::Imm(16));
        vec![low, self.b.cvt(CvtOp::Cast, Ty::I32, Ty::I16, rest).into()]
    }

    /// The value of so many halves.
    pub(super) fn of_halves(&mut self, parts: &[Val]) -> Val {
        let &[low, high] = parts else { return parts[0] };
        let [low, high] = [low, high].map(|part| self.b.cvt(CvtOp::CastU, Ty::I16, Ty::I32, part));
        let high = self.b.bin(BinOp::Shl, Ty::I32, high, Val::Imm(16));
        self.b.bin(BinOp::Or, Ty::I32, low, high).into()
    }

    /// A half as `.f32`.
    pub(super) fn widened(&mut self, ty: Type, half: Val) -> Val {
        if is_brain(ty) {
            return self.widened_brain(half);
        }
        self.b.cvt(CvtOp::FromHalf, Ty::I16, Ty::F32, half).into()
    }

    /// The half nearest to a real; of a NaN the one that operations give.
    pub(super) fn narrowed(&mut self, ty: Type, from: Ty, value: Val) -> Val {
        if is_brain(ty) {
            return self.narrowed_brain(from, value);
        }
        let half = self.b.cvt(CvtOp::ToHalf, from, Ty::I16, value);
        let is_nan = self.b.cmp(CmpOp::Ne, from, value, value);
        self.b.select(Ty::I16, is_nan, Val::Imm(NAN), half).into()
    }

    /// An operation of halves.
    pub(super) fn half(&mut self, op: &Op<'a>) -> Result<()> {
        op.only(&["rn", "approx", "ftz", "sat", "relu", "NaN"])?;
        let ty = op.ty()?;
        // Of `.bf16` nothing saturates, and only `ex2` takes subnormal numbers for zeros.
        if op.has("sat") && is_brain(ty) || op.has("ftz") && !(is_brain(ty) && op.parts[0] == "ex2") {
            return op.refused();
        }
        let stem = op.parts[0];
        let count = match stem {
            "abs" | "neg" | "ex2" => 1,
            "fma" => 3,
            _ => 2,
        };
        op.count(count + 1, count + 1)?;
        let mut given = Vec::new();
        for i in 1..=count {
            let value = self.read(op.operand(i)?, ty)?;
            given.push(self.halves(ty, value));
        }
        let mut results = Vec::new();
        for lane in 0..given[0].len() {
            let operands: Vec<Val> = given.iter().map(|halves| halves[lane]).collect();
            let half = self.half_result(op, (stem, ty), &operands)?;
            results.push(self.clamped(op, ty, half));
        }
        let value = self.of_halves(&results);
        self.write(op.operand(0)?, ty, value)
    }

    /// Zero for a half that is negative or -0, if `.relu` says so; a GPU gives +0 for both.
    pub(super) fn clamped(&mut self, op: &Op<'a>, ty: Type, half: Val) -> Val {
        if !op.has("relu") {
            return half;
        }
        let wide = self.widened(ty, half);
        let is_not_positive = self.b.cmp(CmpOp::Le, Ty::F32, wide, Val::Imm(0));
        self.b.select(Ty::I16, is_not_positive, Val::Imm(0), half).into()
    }

    fn half_result(&mut self, op: &Op<'a>, (stem, half_ty): (&str, Type), operands: &[Val]) -> Result<Val> {
        let sign_only = match stem {
            "neg" => Some(self.b.bin(BinOp::Xor, Ty::I16, operands[0], Val::Imm(SIZE + 1))),
            "abs" => Some(self.b.bin(BinOp::And, Ty::I16, operands[0], Val::Imm(SIZE))),
            _ => None,
        };
        if let Some(half) = sign_only {
            return Ok(half.into());
        }
        let wide: Vec<Val> = operands.iter().map(|&half| self.widened(half_ty, half)).collect();
        if is_brain(half_ty) && matches!(stem, "add" | "sub" | "mul" | "fma") {
            return Ok(self.brain_result(stem, &wide));
        }
        let arithmetic = match stem {
            "add" => Some(BinOp::Add),
            "sub" => Some(BinOp::Sub),
            "mul" => Some(BinOp::Mul),
            _ => None,
        };
        let (ty, mut value): (Ty, Val) = match (stem, arithmetic) {
            (_, Some(operation)) => (Ty::F32, self.b.bin(operation, Ty::F32, wide[0], wide[1]).into()),
            ("min" | "max", _) => (Ty::F32, self.extreme_real(op, Ty::F32, wide[0], wide[1])),
            ("ex2", _) => {
                let given = if op.has("ftz") { self.flushed(wide[0]) } else { wide[0] };
                (Ty::F32, self.b.un(UnOp::Ex2Approx, Ty::F32, given).into())
            }
            ("fma", _) => {
                let [a, b, c] = [0, 1, 2].map(|i| self.b.cvt(CvtOp::Cast, Ty::F32, Ty::F64, wide[i]));
                (Ty::F64, self.b.tri(TriOp::Fma, Ty::F64, a, b, c).into())
            }
            _ => return op.refused(),
        };
        if op.has("ftz") {
            value = self.flushed(value);
        }
        if op.has("sat") {
            value = self.saturated(ty, value);
        }
        Ok(self.narrowed(half_ty, ty, value))
    }

    /// `setp` and `set` of halves.
    pub(super) fn compare_halves(&mut self, op: &Op<'a>, of: Type) -> Result<()> {
        op.count(3, 4)?;
        let (a, b) = (self.read(op.operand(1)?, of)?, self.read(op.operand(2)?, of)?);
        let (a, b) = (self.halves(of, a), self.halves(of, b));
        let Some(relation) = op.parts.iter().skip(1).find(|part| Type::of(part).is_none()) else { return op.refused() };
        let mut holds = Vec::new();
        for (&a, &b) in a.iter().zip(&b) {
            let (a, b) = (self.widened(of, a), self.widened(of, b));
            holds.push(self.real_relation(op, relation, Ty::F32, a, b)?);
        }
        let combine = op.parts.iter().find_map(|part| match *part {
            "and" => Some(BinOp::And),
            "or" => Some(BinOp::Or),
            "xor" => Some(BinOp::Xor),
            _ => None,
        });
        op.only(&[relation, "and", "or", "xor"])?;
        let mut second = holds.get(1).copied();
        if second.is_none() && op.parts[0] == "setp" {
            second = Some(self.not(Ty::Pred, holds[0]));
        }
        if let Some(combine) = combine {
            let c = self.read(op.operand(3)?, Type::PRED)?;
            for one in holds.iter_mut().chain(&mut second) {
                *one = self.b.bin(combine, Ty::Pred, *one, c).into();
            }
        }
        if op.parts[0] == "set" {
            let ty = op.ty()?;
            let value = if is_half(ty) && ty == of {
                let given: Vec<Val> =
                    holds.iter().map(|&h| self.b.select(Ty::I16, h, Val::Imm(one(of)), Val::Imm(0)).into()).collect();
                self.of_halves(&given)
            } else if ty.bits == 32 && of.bits == 16 {
                let yes = if ty.kind == Kind::Real { Val::f32(1.0) } else { Val::i32(-1) };
                self.b.select(super::ir_type(ty)?, holds[0], yes, Val::Imm(0)).into()
            } else {
                return op.refused();
            };
            return self.write(op.operand(0)?, ty, value);
        }
        match (op.operand(0)?, second) {
            (Operand::Pair(p, q), Some(second)) => {
                self.write(p, Type::PRED, holds[0])?;
                self.write(q, Type::PRED, second)
            }
            (p, _) => self.write(p, Type::PRED, holds[0]),
        }
    }

    /// `cvt` to or from halves.
    pub(super) fn convert_halves(&mut self, op: &Op<'a>, to: Type, from: Type) -> Result<()> {
        op.no_predicate(from)?;
        if is_brain(to) || is_brain(from) {
            return self.convert_brain(op, to, from);
        }
        if to == Type::F16X2 {
            // The first operand becomes the upper half.
            op.only(&["rn", "relu"])?;
            op.count(3, 3)?;
            if from != Type::F32 {
                return op.refused();
            }
            let (high, low) = (self.read(op.operand(1)?, from)?, self.read(op.operand(2)?, from)?);
            let parts = [low, high].map(|part| {
                let half = self.narrowed(to, Ty::F32, part);
                self.clamped(op, to, half)
            });
            let value = self.of_halves(&parts);
            return self.write(op.operand(0)?, to, value);
        }
        op.count(2, 2)?;
        let value = self.read(op.operand(1)?, from)?;
        if from != Type::F16 {
            if op.has("rz") || op.has("rm") || op.has("rp") || op.has("sat") || from.bits != 16 && is_half(from) {
                return op.refused();
            }
            let is = super::ir_type(from)?;
            let half = match from.kind {
                Kind::Real => self.narrowed(to, is, value),
                // What `.f64` does not hold is beyond all halves.
                _ => {
                    let wide = self.extended(value, is, Ty::I64, from.kind == Kind::Signed);
                    let mut real: Val = self.b.cvt(CvtOp::Cast, Ty::I64, Ty::F64, wide).into();
                    if from.bits == 64 && from.kind != Kind::Signed {
                        let is_great = self.b.cmp(CmpOp::Lt, Ty::I64, wide, Val::Imm(0));
                        real = self.b.select(Ty::F64, is_great, Val::f64(f64::INFINITY), real).into();
                    }
                    self.narrowed(to, Ty::F64, real)
                }
            };
            let half = self.clamped(op, to, half);
            return self.write(op.operand(0)?, to, half);
        }
        let wide = self.widened(from, value);
        let value = match to.kind {
            Kind::Real => {
                let mut whole = self.whole(op, Ty::F32, wide);
                if op.has("sat") {
                    whole = self.saturated(Ty::F32, whole);
                }
                match to.bits {
                    16 => self.narrowed(to, Ty::F32, whole),
                    32 => whole,
                    _ => self.b.cvt(CvtOp::Cast, Ty::F32, Ty::F64, whole).into(),
                }
            }
            Kind::Pred | Kind::Halves | Kind::Brain | Kind::Brains => return op.refused(),
            _ => self.real_to_integer(op, wide, Ty::F32, to)?,
        };
        self.write(op.operand(0)?, to, value)
    }
}
