//! Powers with an integer exponent, by repeated squaring.
//!
//! `x ** n` is the product of the squares `x`, `x**2`, `x**4` … that the bits of `n` select, lowest bit first, multiplied in
//! that order; a negative `n` gives the reciprocal of the positive power. These are the rules of `scalar::real::powi` and
//! `scalar::int::pow`, so that folded and computed powers agree in every bit. A constant exponent becomes straight code, any
//! other a loop.

use crate::function::Fx;
use crate::types::{imm, ir_ty};
use crate::value::Value;
use ir::op::{BinOp, CmpOp, UnOp};
use ir::{Ty, Val};
use sema::checked::{BinaryOp, Type};

impl Fx<'_, '_> {
    /// `base ** n` of a constant `n`.
    pub(crate) fn constant_power(&mut self, base: &Value, n: i64, ty: &Type) -> Value {
        if n < 0 && matches!(ty, Type::Integer(_)) {
            return self.integer_reciprocal_power(base, Val::i64(n), ty);
        }
        let mut left = n.unsigned_abs();
        let mut square = base.clone();
        let mut power: Option<Value> = None;
        while left != 0 {
            if left & 1 != 0 {
                power = Some(match power {
                    None => square.clone(),
                    Some(p) => self.multiply(&p, &square, ty),
                });
            }
            left >>= 1;
            if left != 0 {
                square = self.multiply(&square, &square, ty);
            }
        }
        let one = self.one(ty);
        let power = power.unwrap_or_else(|| one.clone());
        if n < 0 { self.arithmetic(BinaryOp::Div, &one, &power, ty) } else { power }
    }

    /// `base ** n`; `n` is an `i64`.
    pub(crate) fn integer_power(&mut self, base: &Value, n: Val, ty: &Type) -> Value {
        let power = self.variable_of(ty);
        let square = self.variable_of(ty);
        let left = self.b.mutable(Ty::I64);
        let one = self.one(ty);
        self.store(power, ty, &one);
        self.store(square, ty, base);
        let count = if matches!(ty, Type::Integer(_)) { n } else { self.b.un(UnOp::Abs, Ty::I64, n).into() };
        self.b.set(left, count);
        let (head, body, odd, after, done) =
            (self.b.new_block(), self.b.new_block(), self.b.new_block(), self.b.new_block(), self.b.new_block());
        self.b.jump(head);
        self.b.switch_to(head);
        // The magnitude of the least integer is itself, a negative number; as unsigned it is right.
        let op = if matches!(ty, Type::Integer(_)) { CmpOp::Gt } else { CmpOp::Ne };
        let more = self.b.cmp(op, Ty::I64, left, Val::i64(0));
        self.b.branch(more, body, done);
        self.b.switch_to(body);
        let bit = self.b.bin(BinOp::And, Ty::I64, left, Val::i64(1));
        let is_odd = self.b.cmp(CmpOp::Ne, Ty::I64, bit, Val::i64(0));
        self.b.branch(is_odd, odd, after);
        self.b.switch_to(odd);
        let (p, s) = (self.load(power, ty), self.load(square, ty));
        let product = self.multiply(&p, &s, ty);
        self.store(power, ty, &product);
        self.b.jump(after);
        self.b.switch_to(after);
        let s = self.load(square, ty);
        let squared = self.multiply(&s, &s, ty);
        self.store(square, ty, &squared);
        let half = self.b.bin(BinOp::ShrU, Ty::I64, left, Val::i64(1));
        self.b.set(left, half);
        self.b.back_edge();
        self.b.jump(head);
        self.b.switch_to(done);
        let result = self.load(power, ty);
        let negative = self.icmp(CmpOp::Lt, n, Val::i64(0));
        self.when(negative, |fx| {
            let inverse = if matches!(ty, Type::Integer(_)) {
                fx.integer_reciprocal_power(base, n, ty)
            } else {
                fx.arithmetic(BinaryOp::Div, &one, &result, ty)
            };
            fx.store(power, ty, &inverse);
        });
        let result = self.load(power, ty);
        self.freeze_value(result)
    }

    /// `base ** n` of integers with negative `n`: 1 and −1 stay themselves (the latter by parity), 0 gives what `1/0` gives, all
    /// else 0.
    fn integer_reciprocal_power(&mut self, base: &Value, n: Val, ty: &Type) -> Value {
        let part = ir_ty(ty);
        let base = self.as_scalar(base, ty);
        let bit = self.b.bin(BinOp::And, Ty::I64, n, Val::i64(1));
        let odd = self.b.cmp(CmpOp::Ne, Ty::I64, bit, Val::i64(0));
        let by_parity = self.b.select(part, odd, imm(part, -1), imm(part, 1));
        let is = |fx: &mut Self, value: i64| fx.b.cmp(CmpOp::Eq, part, base, imm(part, value));
        let (one, minus_one, zero) = (is(self, 1), is(self, -1), is(self, 0));
        let quotient = self.b.bin(BinOp::Div, part, imm(part, 1), imm(part, 0));
        let v = self.b.select(part, zero, quotient, imm(part, 0));
        let v = self.b.select(part, minus_one, by_parity, v);
        Value::Scalar(self.b.select(part, one, imm(part, 1), v).into())
    }
}
