//! Arithmetic of Fortran values: integers, reals and complex numbers, fused where that is allowed.
//!
//! Not here: address arithmetic (`arith`), expressions (`expr`).

use crate::builder::Builder;
use crate::types::{Side, imm, ir_ty, real_imm};
use crate::value::Value;
use crate::value::lvalue::Lvalue;
use ir::Val;
use ir::op::{BinOp, Special, TriOp};
use sema::checked::{BinaryOp, Type};

impl Builder<'_, '_> {
    /// A special register by its number in `ExprKind::Special`.
    pub(crate) fn thread_register(&mut self, index: u8) -> Val {
        match Special::ALL.get(usize::from(index)) {
            Some(&reg) if self.side() == Side::Device => self.special(reg).into(),
            _ => {
                self.unsupported("`threadidx` and the other predefined variables in host code");
                Val::i32(0)
            }
        }
    }

    /// Whether products may be fused with sums here.
    pub(crate) fn contracts(&self) -> bool {
        self.side() == Side::Device && self.options().fma
    }

    /// One, of a numeric type.
    pub(crate) fn one(&mut self, ty: &Type) -> Value {
        let part = ir_ty(ty);
        match ty {
            Type::Complex(_) => Value::Complex(real_imm(part, 1.0), Val::Imm(0)),
            Type::Real(_) => Value::Scalar(real_imm(part, 1.0)),
            _ => Value::Scalar(imm(part, 1)),
        }
    }

    /// Product of two numbers of one type.
    pub(crate) fn multiply(&mut self, a: &Value, b: &Value, ty: &Type) -> Value {
        self.arithmetic(BinaryOp::Mul, a, b, ty)
    }

    /// An arithmetic operation, without contraction.
    pub(crate) fn arithmetic(&mut self, op: BinaryOp, a: &Value, b: &Value, ty: &Type) -> Value {
        let part = ir_ty(ty);
        if matches!(ty, Type::Complex(_)) {
            let (a, b) = (self.as_complex(a, ty), self.as_complex(b, ty));
            let (re, im) = self.complex_binary(op, a, b, part);
            return Value::Complex(re, im);
        }
        let (a, b) = (self.as_scalar(a, ty), self.as_scalar(b, ty));
        if op == BinaryOp::Div {
            self.check_divisor(b, part);
        }
        let op = match op {
            BinaryOp::Add => BinOp::Add,
            BinaryOp::Sub => BinOp::Sub,
            BinaryOp::Mul => BinOp::Mul,
            BinaryOp::Div | BinaryOp::Pow => BinOp::Div,
        };
        Value::Scalar(self.bin(op, part, a, b).into())
    }

    /// `sum + a * b` of one type, fused where reals may be.
    pub(crate) fn multiply_add(&mut self, sum: &Value, a: &Value, b: &Value, ty: &Type) -> Value {
        if matches!(ty, Type::Real(_)) && self.contracts() {
            let part = ir_ty(ty);
            let (a, b, c) = (self.as_scalar(a, ty), self.as_scalar(b, ty), self.as_scalar(sum, ty));
            return Value::Scalar(self.tri(TriOp::Fma, part, a, b, c).into());
        }
        let product = self.multiply(a, b, ty);
        self.arithmetic(BinaryOp::Add, sum, &product, ty)
    }

    /// A fresh mutable place for a number or logical.
    pub(crate) fn variable_of(&mut self, ty: &Type) -> Lvalue {
        let part = ir_ty(ty);
        match ty {
            Type::Complex(_) => Lvalue::Complex(self.mutable(part), self.mutable(part)),
            _ => Lvalue::Reg(self.mutable(part)),
        }
    }
}
