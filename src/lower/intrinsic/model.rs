//! Functions of the model of real numbers: EXPONENT, FRACTION, NEAREST, SCALE, SET_EXPONENT, SPACING, RRSPACING.
//!
//! They work on the bits and give the results of `scalar::model`, for subnormals, infinities and NaNs too. All are
//! branch-free.

use super::{Args, arg};
use crate::builder::Builder;
use crate::function::FunctionLowering;
use crate::types::{imm, ir_ty, real_imm};
use crate::value::Value;
use ir::op::{BinOp, CmpOp, CvtOp, UnOp};
use ir::{Ty, Val};
use sema::checked::{Intrinsic, Type};

/// The numbers of a real type's format.
#[derive(Clone, Copy)]
struct Format {
    real: Ty,
    int: Ty,
    /// Bits of the fraction that are stored.
    mantissa: i64,
    /// What is added to the exponent of a number in [1, 2).
    bias: i64,
}

impl Format {
    fn of(real: Ty) -> Format {
        if real == Ty::F32 {
            Format { real, int: Ty::I32, mantissa: 23, bias: 127 }
        } else {
            Format { real: Ty::F64, int: Ty::I64, mantissa: 52, bias: 1023 }
        }
    }

    /// DIGITS
    fn digits(self) -> i64 {
        self.mantissa + 1
    }

    fn power_of_two(self, n: i64) -> Val {
        real_imm(self.real, 2f64.powi(n as i32))
    }
}

impl Builder<'_, '_> {
    fn word(&mut self, f: Format, a: Val) -> Val {
        self.cvt(CvtOp::Bits, f.real, f.int, a).into()
    }

    /// The fraction in [0.5, 1) and the exponent of a finite number that is not zero.
    fn split(&mut self, f: Format, a: Val) -> (Val, Val) {
        let field = imm(f.int, ((1 << (f.int.bytes() * 8 - 1 - f.mantissa as u32)) - 1) << f.mantissa);
        // A subnormal is lifted into the normal range first; others stay, so that their product does not overflow.
        let word = self.word(f, a);
        let bits = self.bin(BinOp::And, f.int, word, field);
        let subnormal = self.cmp(CmpOp::Eq, f.int, bits, Val::Imm(0));
        let factor = self.select(f.real, subnormal, f.power_of_two(f.digits()), real_imm(f.real, 1.0));
        let lifted = self.bin(BinOp::Mul, f.real, a, factor);
        let word = self.word(f, lifted.into());
        let lift = self.select(f.int, subnormal, imm(f.int, f.digits()), imm(f.int, 0));
        let bits = self.bin(BinOp::And, f.int, word, field);
        let biased = self.bin(BinOp::ShrU, f.int, bits, imm(f.int, f.mantissa));
        let e = self.bin(BinOp::Sub, f.int, biased, imm(f.int, f.bias - 1));
        let e = self.bin(BinOp::Sub, f.int, e, lift);
        let outside = self.un(UnOp::Not, f.int, field);
        let rest = self.bin(BinOp::And, f.int, word, outside);
        let half = imm(f.int, (f.bias - 1) << f.mantissa);
        let fraction = self.bin(BinOp::Or, f.int, rest, half);
        let e = self.cast(e.into(), f.int, Ty::I32);
        (real_of(self, f, fraction.into()), e)
    }
}

impl<'p> FunctionLowering<'_, 'p> {
    pub(super) fn model_function(&mut self, id: Intrinsic, args: Args<'p>) -> Option<Value> {
        use Intrinsic as I;
        let x = arg(args, 0)?;
        if matches!(x.ty, Type::Real(2)) {
            return self.model_of_half(id, args);
        }
        let f = Format::of(ir_ty(&x.ty));
        let a = self.scalar(x);
        let v = match id {
            I::Exponent => {
                let (_, e) = self.b.split(f, a);
                model_exponent(&mut self.b, f, a, e)
            }
            I::Fraction => model_fraction(&mut self.b, f, a),
            I::Nearest => {
                let s = arg(args, 1)?;
                let direction = self.scalar(s);
                let up = sign_is_clear(&mut self.b, Format::of(ir_ty(&s.ty)), direction);
                model_nearest(&mut self.b, f, a, up)
            }
            I::Scale => {
                let n = self.int32(arg(args, 1)?);
                model_scale(&mut self.b, f, a, n)
            }
            I::SetExponent => {
                let n = self.int32(arg(args, 1)?);
                let fraction = model_fraction(&mut self.b, f, a);
                let scaled = model_scale(&mut self.b, f, fraction, n);
                let is_zero = self.b.cmp(CmpOp::Eq, f.real, a, real_imm(f.real, 0.0));
                self.b.select(f.real, is_zero, a, scaled).into()
            }
            I::Spacing => model_spacing(&mut self.b, f, a),
            I::Rrspacing => model_rrspacing(&mut self.b, f, a, f.digits()),
            _ => return None,
        };
        Some(Value::Scalar(v))
    }

    /// Functions whose results depend on the format of real(2), on its bits or on the number as real(4).
    fn model_of_half(&mut self, id: Intrinsic, args: Args<'p>) -> Option<Value> {
        let word = self.scalar(arg(args, 0)?);
        let f = Format::of(Ty::F32);
        let wide: Val = self.b.cvt(CvtOp::FromHalf, Ty::I16, Ty::F32, word).into();
        let v = match id {
            Intrinsic::Nearest => {
                let direction = self.scalar(arg(args, 1)?);
                return Some(Value::Scalar(nearest_half(&mut self.b, word, wide, direction)));
            }
            Intrinsic::Spacing => {
                let spacing = model_spacing(&mut self.b, f, wide);
                // 24 digits of real(4) and 11 of real(2).
                let own = self.b.bin(BinOp::Mul, Ty::F32, spacing, f.power_of_two(13));
                let small = self.b.cmp(CmpOp::Lt, Ty::F32, own, f.power_of_two(-14));
                self.b.select(Ty::F32, small, f.power_of_two(-14), own).into()
            }
            Intrinsic::Rrspacing => model_rrspacing(&mut self.b, f, wide, 11),
            _ => return None,
        };
        Some(Value::Scalar(self.b.cvt(CvtOp::ToHalf, Ty::F32, Ty::I16, v).into()))
    }
}

/// NEAREST of a real(2) by its bits.
fn nearest_half(b: &mut Builder<'_, '_>, word: Val, wide: Val, direction: Val) -> Val {
    let ty = Ty::I16;
    let up = b.cmp(CmpOp::Ge, ty, direction, imm(ty, 0));
    let negative = b.cmp(CmpOp::Lt, ty, word, imm(ty, 0));
    let outward = b.bin(BinOp::Xor, Ty::Pred, negative, up);
    let step = b.select(ty, outward, imm(ty, 1), imm(ty, -1));
    let moved = b.bin(BinOp::Add, ty, word, step);
    let least = b.select(ty, up, imm(ty, 1), imm(ty, 1 - 0x8000));
    let is_zero = b.cmp(CmpOp::Eq, Ty::F32, wide, Val::f32(0.0));
    let v = b.select(ty, is_zero, least, moved);
    let magnitude = b.un(UnOp::Abs, Ty::F32, wide);
    let infinite = b.cmp(CmpOp::Eq, Ty::F32, magnitude, Val::f32(f32::INFINITY));
    let stays = b.bin(BinOp::And, Ty::Pred, infinite, outward);
    let v = b.select(ty, stays, word, v);
    let unordered = b.cmp(CmpOp::Ne, Ty::F32, wide, wide);
    b.select(ty, unordered, imm(ty, 0x7fff), v).into()
}

fn model_rrspacing(b: &mut Builder<'_, '_>, f: Format, a: Val, digits: i64) -> Val {
    let fraction = model_fraction(b, f, a);
    let magnitude = b.un(UnOp::Abs, f.real, fraction);
    let v = b.bin(BinOp::Mul, f.real, magnitude, f.power_of_two(digits));
    let is_zero = b.cmp(CmpOp::Eq, f.real, a, real_imm(f.real, 0.0));
    b.select(f.real, is_zero, real_imm(f.real, 0.0), v).into()
}

fn real_of(b: &mut Builder<'_, '_>, f: Format, word: Val) -> Val {
    b.cvt(CvtOp::Bits, f.int, f.real, word).into()
}

fn sign_is_clear(b: &mut Builder<'_, '_>, f: Format, a: Val) -> Val {
    let word = b.word(f, a);
    b.cmp(CmpOp::Ge, f.int, word, Val::Imm(0)).into()
}

fn is_finite(b: &mut Builder<'_, '_>, f: Format, a: Val) -> Val {
    let magnitude = b.un(UnOp::Abs, f.real, a);
    b.cmp(CmpOp::Lt, f.real, magnitude, real_imm(f.real, f64::INFINITY)).into()
}

fn model_exponent(b: &mut Builder<'_, '_>, f: Format, a: Val, e: Val) -> Val {
    let finite = is_finite(b, f, a);
    let e = b.select(Ty::I32, finite, e, Val::i32(i32::MAX));
    let is_zero = b.cmp(CmpOp::Eq, f.real, a, real_imm(f.real, 0.0));
    b.select(Ty::I32, is_zero, Val::i32(0), e).into()
}

fn model_fraction(b: &mut Builder<'_, '_>, f: Format, a: Val) -> Val {
    let (fraction, _) = b.split(f, a);
    let finite = is_finite(b, f, a);
    let nan = b.bin(BinOp::Sub, f.real, a, a);
    let v = b.select(f.real, finite, fraction, nan);
    let is_zero = b.cmp(CmpOp::Eq, f.real, a, real_imm(f.real, 0.0));
    b.select(f.real, is_zero, a, v).into()
}

/// `a * 2**n`, rounded once: steps of powers of two that stay exact, then one that may round.
fn model_scale(b: &mut Builder<'_, '_>, f: Format, a: Val, n: Val) -> Val {
    let (mut a, mut n) = (a, n);
    let (top, low) = (f.bias, 1 - f.bias);
    let down = low + f.digits();
    for _ in 0..2 {
        (a, n) = scale_step(b, f, a, n, CmpOp::Gt, top, top);
    }
    for _ in 0..2 {
        (a, n) = scale_step(b, f, a, n, CmpOp::Lt, low, down);
    }
    let n = b.bin(BinOp::Max, Ty::I32, n, imm(Ty::I32, low));
    let n = b.bin(BinOp::Min, Ty::I32, n, imm(Ty::I32, top));
    let biased = b.bin(BinOp::Add, Ty::I32, n, imm(Ty::I32, f.bias));
    let biased = b.cast(biased.into(), Ty::I32, f.int);
    let word = b.bin(BinOp::Shl, f.int, biased, imm(f.int, f.mantissa));
    let power = real_of(b, f, word.into());
    b.bin(BinOp::Mul, f.real, a, power).into()
}

fn scale_step(b: &mut Builder<'_, '_>, f: Format, a: Val, n: Val, op: CmpOp, limit: i64, step: i64) -> (Val, Val) {
    let beyond = b.cmp(op, Ty::I32, n, imm(Ty::I32, limit));
    // A product with one raises no flag, as the other would that is not wanted.
    let factor = b.select(f.real, beyond, f.power_of_two(step), real_imm(f.real, 1.0));
    let a = b.bin(BinOp::Mul, f.real, a, factor);
    let rest = b.bin(BinOp::Sub, Ty::I32, n, imm(Ty::I32, step));
    let n = b.select(Ty::I32, beyond, rest, n);
    (a.into(), n.into())
}

fn model_nearest(b: &mut Builder<'_, '_>, f: Format, a: Val, up: Val) -> Val {
    let word = b.word(f, a);
    let negative = b.cmp(CmpOp::Lt, f.int, word, Val::Imm(0));
    // Away from zero the word grows, whatever the sign.
    let outward = b.bin(BinOp::Xor, Ty::Pred, negative, up);
    let step = b.select(f.int, outward, imm(f.int, 1), imm(f.int, -1));
    let moved = b.bin(BinOp::Add, f.int, word, step);
    let moved = real_of(b, f, moved.into());
    let sign = imm(f.int, 1 << (f.int.bytes() * 8 - 1));
    let least = b.bin(BinOp::Or, f.int, sign, imm(f.int, 1));
    let least = b.select(f.int, up, imm(f.int, 1), least);
    let least = real_of(b, f, least.into());
    let is_zero = b.cmp(CmpOp::Eq, f.real, a, real_imm(f.real, 0.0));
    let v = b.select(f.real, is_zero, least, moved);
    // An infinity stays where it is pushed further, a NaN where it is.
    let magnitude = b.un(UnOp::Abs, f.real, a);
    let infinite = b.cmp(CmpOp::Eq, f.real, magnitude, real_imm(f.real, f64::INFINITY));
    let stays = b.bin(BinOp::And, Ty::Pred, infinite, outward);
    let v = b.select(f.real, stays, a, v);
    let unordered = b.cmp(CmpOp::Ne, f.real, a, a);
    // Only a NaN is added, since the sum of large numbers would overflow.
    let nan = b.select(f.real, unordered, a, real_imm(f.real, 0.0));
    let nan = b.bin(BinOp::Add, f.real, nan, nan);
    b.select(f.real, unordered, nan, v).into()
}

fn model_spacing(b: &mut Builder<'_, '_>, f: Format, a: Val) -> Val {
    let (_, e) = b.split(f, a);
    // Below b exponent the spacing would be less than TINY.
    let least = 1 - f.bias + f.digits();
    let small = b.cmp(CmpOp::Lt, Ty::I32, e, imm(Ty::I32, least));
    let n = b.bin(BinOp::Add, Ty::I32, e, imm(Ty::I32, f.bias - f.digits()));
    let n = b.cast(n.into(), Ty::I32, f.int);
    let word = b.bin(BinOp::Shl, f.int, n, imm(f.int, f.mantissa));
    let power = real_of(b, f, word.into());
    let is_zero = b.cmp(CmpOp::Eq, f.real, a, real_imm(f.real, 0.0));
    let small = b.bin(BinOp::Or, Ty::Pred, small, is_zero);
    let v = b.select(f.real, small, f.power_of_two(1 - f.bias), power);
    let finite = is_finite(b, f, a);
    let nan = b.bin(BinOp::Sub, f.real, a, a);
    b.select(f.real, finite, v, nan).into()
}
