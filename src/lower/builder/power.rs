//! Powers with an integer exponent, by repeated squaring.
//!
//! `x ** n` is the product of the squares `x`, `x**2`, `x**4` … that the bits of `n` select, lowest bit first, multiplied in
//! that order. A negative `n` gives the reciprocal of the positive power. `scalar::real::powi` and `scalar::int::pow` use the
//! same rules, so folded and computed powers agree in every bit. A constant exponent becomes straight-line code, any other a
//! loop.
//!
//! Not here: real exponents (the mathematics library).

use crate::builder::Builder;
use crate::builder::flow::Flow;
use crate::types::{imm, ir_ty};
use crate::value::Value;
use ir::op::{BinOp, CmpOp, UnOp};
use ir::{Ty, Val};
use sema::checked::{BinaryOp, Type};

impl Builder<'_, '_> {
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
        let left = self.mutable(Ty::I64);
        let one = self.one(ty);
        self.store_value(power, ty, &one);
        self.store_value(square, ty, base);
        let count = if matches!(ty, Type::Integer(_)) { n } else { self.un(UnOp::Abs, Ty::I64, n).into() };
        self.set(left, count);
        let (head, body, odd, after, done) =
            (self.new_block(), self.new_block(), self.new_block(), self.new_block(), self.new_block());
        self.jump(head);
        self.switch_to(head);
        // The magnitude of the least integer is itself, a negative number; as unsigned it is right.
        let op = if matches!(ty, Type::Integer(_)) { CmpOp::Gt } else { CmpOp::Ne };
        let more = self.cmp(op, Ty::I64, left, Val::i64(0));
        self.branch(more, body, done);
        self.switch_to(body);
        let bit = self.bin(BinOp::And, Ty::I64, left, Val::i64(1));
        let is_odd = self.cmp(CmpOp::Ne, Ty::I64, bit, Val::i64(0));
        self.branch(is_odd, odd, after);
        self.switch_to(odd);
        let (p, s) = (self.load_value(power, ty), self.load_value(square, ty));
        let product = self.multiply(&p, &s, ty);
        self.store_value(power, ty, &product);
        self.jump(after);
        self.switch_to(after);
        let s = self.load_value(square, ty);
        let squared = self.multiply(&s, &s, ty);
        self.store_value(square, ty, &squared);
        let half = self.bin(BinOp::ShrU, Ty::I64, left, Val::i64(1));
        self.set(left, half);
        self.back_edge();
        self.jump(head);
        self.switch_to(done);
        let result = self.load_value(power, ty);
        let negative = self.icmp(CmpOp::Lt, n, Val::i64(0));
        self.when(negative, |this| {
            let inverse = if matches!(ty, Type::Integer(_)) {
                this.integer_reciprocal_power(base, n, ty)
            } else {
                this.arithmetic(BinaryOp::Div, &one, &result, ty)
            };
            this.store_value(power, ty, &inverse);
        });
        let result = self.load_value(power, ty);
        self.freeze_value(result)
    }

    /// `base ** n` of integers with negative `n`: 1 and −1 stay themselves (the latter by parity), 0 gives what `1/0` gives, all
    /// else 0.
    fn integer_reciprocal_power(&mut self, base: &Value, n: Val, ty: &Type) -> Value {
        let part = ir_ty(ty);
        let base = self.as_scalar(base, ty);
        let bit = self.bin(BinOp::And, Ty::I64, n, Val::i64(1));
        let odd = self.cmp(CmpOp::Ne, Ty::I64, bit, Val::i64(0));
        let by_parity = self.select(part, odd, imm(part, -1), imm(part, 1));
        let is = |this: &mut Self, value: i64| this.cmp(CmpOp::Eq, part, base, imm(part, value));
        let (one, minus_one, zero) = (is(self, 1), is(self, -1), is(self, 0));
        let quotient = self.bin(BinOp::Div, part, imm(part, 1), imm(part, 0));
        let v = self.select(part, zero, quotient, imm(part, 0));
        let v = self.select(part, minus_one, by_parity, v);
        Value::Scalar(self.select(part, one, imm(part, 1), v).into())
    }
}
