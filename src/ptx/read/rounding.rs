//! Results that are not rounded to nearest (PTX ISA 6.5.2): the nearest one, moved to its neighbour where the error says so.
//!
//! The error is what the exact result has above the nearest one. Of `.f32` it is computed in `.f64`, whose products are exact and
//! whose sums have an exact rest (Knuth, "The Art of Computer Programming", 4.2.2, theorem B); of `.f64` by fused
//! multiplications, of operands that are enlarged by a power of two where their product comes near the least numbers. Only its sign is
//! used. Results of fused operations of `.f64` whose product alone is too great may have an error that is not seen.

use super::arith::zero;
use super::{Op, Reader};
use ir::op::{BinOp, CmpOp, CvtOp, UnOp};
use ir::{Ty, Val};

/// Below this a product of `.f64` may lack bits, or its error may.
const SMALL: f64 = f64::from_bits((1023 - 900) << 52);
/// 2**600, by which operands are enlarged then, and its root.
const ENLARGING: f64 = f64::from_bits((1023 + 600) << 52);
const ROOT_OF_ENLARGING: f64 = f64::from_bits((1023 + 300) << 52);
/// 2**400, which enlarged is still a number.
const GREAT: f64 = f64::from_bits((1023 + 400) << 52);
/// 2**500: what a product is enlarged by that is none after the first time, so that it has a sign, and is far below the bits of others.
const FURTHER: f64 = f64::from_bits((1023 + 500) << 52);

/// How a result is rounded.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Rounding {
    /// `.rn`: to the nearest, halves to even.
    Nearest,
    /// `.rz`
    Zero,
    /// `.rm`
    Down,
    /// `.rp`
    Up,
}

impl Rounding {
    pub(super) fn of(op: &Op<'_>) -> Rounding {
        match () {
            () if op.has("rz") => Rounding::Zero,
            () if op.has("rm") => Rounding::Down,
            () if op.has("rp") => Rounding::Up,
            () => Rounding::Nearest,
        }
    }
}

impl Reader<'_> {
    fn wide(&mut self, value: Val) -> Val {
        match value {
            Val::Imm(bits) => Val::f64(f64::from(f32::from_bits(bits as u32))),
            Val::Reg(_) => self.b.cvt(CvtOp::Cast, Ty::F32, Ty::F64, value).into(),
        }
    }

    fn f64(&mut self, op: BinOp, a: Val, b: Val) -> Val {
        self.b.bin(op, Ty::F64, a, b).into()
    }

    /// The sum of two `.f64` and what it lacks.
    pub(super) fn two_sum(&mut self, a: Val, b: Val) -> (Val, Val) {
        let sum = self.f64(BinOp::Add, a, b);
        let b_part = self.f64(BinOp::Sub, sum, a);
        let a_part = self.f64(BinOp::Sub, sum, b_part);
        let a_rest = self.f64(BinOp::Sub, a, a_part);
        let b_rest = self.f64(BinOp::Sub, b, b_part);
        (sum, self.f64(BinOp::Add, a_rest, b_rest))
    }

    pub(super) fn rounded_sum(&mut self, rounding: Rounding, ty: Ty, a: Val, b: Val) -> Val {
        let nearest: Val = self.b.bin(BinOp::Add, ty, a, b).into();
        if rounding == Rounding::Nearest {
            return nearest;
        }
        let error = if ty == Ty::F32 {
            let (a, b) = (self.wide(a), self.wide(b));
            let (sum, rest) = self.two_sum(a, b);
            self.error_of(sum, rest, nearest)
        } else {
            let rest = self.two_sum(a, b).1;
            self.error_beyond(&[a, b], nearest, rest)
        };
        let moved = self.moved(rounding, ty, nearest, error);
        self.exact_zero(rounding, ty, moved, error, a, b)
    }

    pub(super) fn rounded_product(&mut self, rounding: Rounding, ty: Ty, a: Val, b: Val) -> Val {
        let nearest: Val = self.b.bin(BinOp::Mul, ty, a, b).into();
        if rounding == Rounding::Nearest {
            return nearest;
        }
        let error = if ty == Ty::F32 {
            let (a, b) = (self.wide(a), self.wide(b));
            let product = self.f64(BinOp::Mul, a, b);
            self.error_of(product, zero(), nearest)
        } else {
            let is_small = self.is_below(nearest, SMALL);
            let [less, more] = self.enlarged_factors(is_small, a, b);
            let near = self.times(nearest, is_small, ENLARGING);
            let negative = self.b.un(UnOp::Neg, ty, near).into();
            self.fused(ty, [less, more, negative])
        };
        self.moved(rounding, ty, nearest, error)
    }

    /// Whether the magnitude of a `.f64` is below a limit.
    fn is_below(&mut self, value: Val, limit: f64) -> Val {
        let size = self.b.un(UnOp::Abs, Ty::F64, value);
        self.b.cmp(CmpOp::Lt, Ty::F64, size, Val::f64(limit)).into()
    }

    /// A `.f64`, times a power of two where a condition holds.
    fn times(&mut self, value: Val, is_wanted: Val, power: f64) -> Val {
        let factor = self.b.select(Ty::F64, is_wanted, Val::f64(power), Val::f64(1.0));
        self.f64(BinOp::Mul, value, factor.into())
    }

    /// The factors of a product of `.f64`, the lesser one enlarged if the product is small. If it is nothing even then, the other one
    /// is enlarged too.
    fn enlarged_factors(&mut self, is_small: Val, a: Val, b: Val) -> [Val; 2] {
        let [of_a, of_b] = [a, b].map(|v| self.b.un(UnOp::Abs, Ty::F64, v));
        let is_less = self.b.cmp(CmpOp::Lt, Ty::F64, of_a, of_b);
        let less = self.b.select(Ty::F64, is_less, a, b).into();
        let more: Val = self.b.select(Ty::F64, is_less, b, a).into();
        let less = self.times(less, is_small, ENLARGING);
        let product = self.f64(BinOp::Mul, less, more);
        let is_none = self.b.cmp(CmpOp::Eq, Ty::F64, product, zero());
        [less, self.times(more, is_none.into(), FURTHER)]
    }

    pub(super) fn rounded_fma(&mut self, rounding: Rounding, ty: Ty, [a, b, c]: [Val; 3]) -> Val {
        let nearest = self.fused(ty, [a, b, c]);
        if rounding == Rounding::Nearest {
            return nearest;
        }
        let (product, error) = if ty == Ty::F32 {
            let (a, b, c) = (self.wide(a), self.wide(b), self.wide(c));
            let product = self.f64(BinOp::Mul, a, b);
            let (sum, rest) = self.two_sum(product, c);
            // The sign of a product in `.f32` is what is asked for.
            let narrow = self.b.cvt(CvtOp::Cast, Ty::F64, Ty::F32, product).into();
            (narrow, self.error_of(sum, rest, nearest))
        } else {
            let product = self.f64(BinOp::Mul, a, b);
            let is_small = self.is_below(product, SMALL);
            let [less, more] = self.enlarged_factors(is_small, a, b);
            let high = self.f64(BinOp::Mul, less, more);
            let negative = self.b.un(UnOp::Neg, ty, high).into();
            let low = self.fused(ty, [less, more, negative]);
            // A term that is too great to be enlarged is far above the product with or without that.
            let fits = self.is_below(c, GREAT);
            let is_enlarged = self.b.bin(BinOp::And, Ty::Pred, is_small, fits).into();
            let [term, near] = [c, nearest].map(|v| self.times(v, is_enlarged, ENLARGING));
            let (sum, rest) = self.two_sum(high, term);
            let above = self.f64(BinOp::Sub, sum, near);
            let (middle, least) = self.two_sum(rest, low);
            let high = self.f64(BinOp::Add, above, middle);
            let error = self.f64(BinOp::Add, high, least);
            (product, self.error_beyond(&[a, b, c], nearest, error))
        };
        let moved = self.moved(rounding, ty, nearest, error);
        self.exact_zero(rounding, ty, moved, error, product, c)
    }

    pub(super) fn rounded_quotient(&mut self, rounding: Rounding, ty: Ty, a: Val, b: Val) -> Val {
        let nearest: Val = self.b.bin(BinOp::Div, ty, a, b).into();
        if rounding == Rounding::Nearest {
            return nearest;
        }
        // What a has above the product has the error's sign, or the other one where b is negative.
        let (rest, b) = if ty == Ty::F32 {
            let (a, b, quotient) = (self.wide(a), self.wide(b), self.wide(nearest));
            let product = self.f64(BinOp::Mul, quotient, b);
            (self.f64(BinOp::Sub, a, product), b)
        } else {
            let is_small = self.is_below(a, SMALL);
            let [near, whole] = [nearest, a].map(|v| self.times(v, is_small, ENLARGING));
            let negative = self.b.un(UnOp::Neg, ty, near).into();
            (self.fused(ty, [negative, b, whole]), b)
        };
        let sign = self.b.bin(BinOp::Copysign, Ty::F64, Val::f64(1.0), b).into();
        let error = self.f64(BinOp::Mul, rest, sign);
        self.moved(rounding, ty, nearest, error)
    }

    pub(super) fn rounded_root(&mut self, rounding: Rounding, ty: Ty, a: Val) -> Val {
        let nearest: Val = self.b.un(UnOp::Sqrt, ty, a).into();
        if rounding == Rounding::Nearest {
            return nearest;
        }
        let error = if ty == Ty::F32 {
            let (a, root) = (self.wide(a), self.wide(nearest));
            let square = self.f64(BinOp::Mul, root, root);
            self.f64(BinOp::Sub, a, square)
        } else {
            let is_small = self.is_below(a, SMALL);
            let root = self.times(nearest, is_small, ROOT_OF_ENLARGING);
            let square = self.times(a, is_small, ENLARGING);
            let negative = self.b.un(UnOp::Neg, ty, root).into();
            self.fused(ty, [negative, root, square])
        };
        self.moved(rounding, ty, nearest, error)
    }

    /// A `.f64` as a `.f32`.
    pub(super) fn rounded_narrow(&mut self, rounding: Rounding, a: Val) -> Val {
        let nearest: Val = self.b.cvt(CvtOp::Cast, Ty::F64, Ty::F32, a).into();
        if rounding == Rounding::Nearest {
            return nearest;
        }
        let error = self.error_of(a, zero(), nearest);
        self.moved(rounding, Ty::F32, nearest, error)
    }

    /// The error of a `.f64`, which is that of what no number is great enough for where finite terms give an infinite result.
    fn error_beyond(&mut self, terms: &[Val], nearest: Val, error: Val) -> Val {
        // Zero, or a NaN where a term is no finite number.
        let mut finite = zero();
        for &term in terms {
            let none = self.f64(BinOp::Mul, term, zero());
            finite = self.f64(BinOp::Add, finite, none);
        }
        let beyond = self.f64(BinOp::Sub, finite, nearest);
        let size: Val = self.b.un(UnOp::Abs, Ty::F64, nearest).into();
        let is_infinite = self.b.cmp(CmpOp::Eq, Ty::F64, size, Val::f64(f64::INFINITY));
        self.b.select(Ty::F64, is_infinite, beyond, error).into()
    }

    /// The error of a `.f32`: `sum + rest - nearest`.
    fn error_of(&mut self, sum: Val, rest: Val, nearest: Val) -> Val {
        let wide = self.wide(nearest);
        let above = self.f64(BinOp::Sub, sum, wide);
        self.f64(BinOp::Add, above, rest)
    }

    /// The nearest result or its neighbour, by the sign of the error.
    pub(super) fn moved(&mut self, rounding: Rounding, ty: Ty, nearest: Val, error: Val) -> Val {
        let (bits, sign) = if ty == Ty::F32 { (Ty::I32, 1_u64 << 31) } else { (Ty::I64, 1 << 63) };
        let word = self.as_bits(nearest, ty, bits);
        let is_below = self.b.cmp(CmpOp::Lt, Ty::F64, error, zero());
        let is_above = self.b.cmp(CmpOp::Gt, Ty::F64, error, zero());
        let is_negative = self.b.cmp(CmpOp::Lt, bits, word, Val::Imm(0));
        let is_positive = self.b.un(UnOp::Not, Ty::Pred, is_negative);
        let size = self.b.bin(BinOp::And, bits, word, Val::Imm(!sign & scalar::bits::canonical(bits, u64::MAX)));
        let is_zero = self.b.cmp(CmpOp::Eq, bits, size, Val::Imm(0));
        let smaller: Val = self.b.bin(BinOp::Sub, bits, word, Val::Imm(1)).into();
        let larger: Val = self.b.bin(BinOp::Add, bits, word, Val::Imm(1)).into();
        let and = |this: &mut Self, a, b| this.b.bin(BinOp::And, Ty::Pred, a, b);
        let moved = match rounding {
            Rounding::Nearest => word,
            Rounding::Zero => {
                let (down, up) = (and(self, is_positive, is_below), and(self, is_negative, is_above));
                let is_far = self.b.bin(BinOp::Or, Ty::Pred, down, up);
                let not_zero = self.b.un(UnOp::Not, Ty::Pred, is_zero);
                let is_moved = and(self, is_far, not_zero);
                self.b.select(bits, is_moved, smaller, word).into()
            }
            Rounding::Down | Rounding::Up => {
                let (goes, shrinks, least) = match rounding {
                    Rounding::Down => (is_below, is_positive, sign | 1),
                    _ => (is_above, is_negative, 1),
                };
                let next = self.b.select(bits, shrinks, smaller, larger);
                let next: Val = self.b.select(bits, is_zero, Val::Imm(least), next).into();
                self.b.select(bits, goes, next, word).into()
            }
        };
        self.as_bits(moved, bits, ty)
    }

    /// A sum that is zero without error is −0 when rounded down, unless both terms are +0.
    fn exact_zero(&mut self, rounding: Rounding, ty: Ty, value: Val, error: Val, a: Val, b: Val) -> Val {
        if rounding != Rounding::Down {
            return value;
        }
        let (bits, sign) = if ty == Ty::F32 { (Ty::I32, 1_u64 << 31) } else { (Ty::I64, 1 << 63) };
        let [a, b] = [a, b].map(|v| self.as_bits(v, ty, bits));
        let signs = self.b.bin(BinOp::Or, bits, a, b);
        let negative = self.b.bin(BinOp::And, bits, signs, Val::Imm(sign)).into();
        let negative = self.as_bits(negative, bits, ty);
        let is_zero = self.b.cmp(CmpOp::Eq, ty, value, zero());
        let is_exact = self.b.cmp(CmpOp::Eq, Ty::F64, error, zero());
        let both = self.b.bin(BinOp::And, Ty::Pred, is_zero, is_exact);
        self.b.select(ty, both, negative, value).into()
    }
}
