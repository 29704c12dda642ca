//! Scalar values as operands: the forms of logicals, parts of complex numbers, where characters and objects are.
//!
//! Not here: conversions between types (`convert`).

use crate::builder::Builder;
use crate::types::ir_ty;
use crate::value::Value;
use crate::value::lvalue::MemRef;
use ir::op::CvtOp;
use ir::{Ty, Val};
use sema::checked::Type;

impl Builder<'_, '_> {
    /// The operand of an integer, real or logical value; logicals in their memory form.
    pub(crate) fn as_scalar(&mut self, v: &Value, ty: &Type) -> Val {
        match v {
            Value::Scalar(v) | Value::Complex(v, _) => *v,
            Value::Pred(p) => self.pred_to_logical(*p, ir_ty(ty)),
            Value::Char(mem, _) => {
                let mem = *mem;
                self.load_scalar(mem, Ty::I8).into()
            }
            Value::Object(mem) => self.address(*mem),
        }
    }

    /// A predicate as a logical in memory form.
    pub(crate) fn pred_to_logical(&mut self, p: Val, ty: Ty) -> Val {
        match p {
            Val::Imm(bits) => crate::types::imm(ty, -((bits & 1) as i64)),
            Val::Reg(_) => self.cvt(CvtOp::PredToInt, Ty::Pred, ty, p).into(),
        }
    }

    /// A logical value as a predicate.
    pub(crate) fn as_pred(&mut self, v: &Value, ty: &Type) -> Val {
        match v {
            Value::Pred(p) => *p,
            other => {
                let v = self.as_scalar(other, ty);
                match v {
                    Val::Imm(bits) => Val::pred(bits & 1 == 1),
                    Val::Reg(_) => self.cvt(CvtOp::IntToPred, ir_ty(ty), Ty::Pred, v).into(),
                }
            }
        }
    }

    /// The parts of a complex value; a real has no imaginary part.
    pub(crate) fn as_complex(&mut self, v: &Value, ty: &Type) -> (Val, Val) {
        match v {
            Value::Complex(re, im) => (*re, *im),
            other => (self.as_scalar(other, ty), Val::Imm(0)),
        }
    }

    /// The bytes of a character value and their number.
    pub(crate) fn as_char(&mut self, v: &Value) -> (MemRef, Val) {
        match v {
            Value::Char(mem, len) => (*mem, *len),
            Value::Object(mem) => (*mem, Val::i64(0)),
            _ => (MemRef::at(Val::i64(0), self.local_space()), Val::i64(0)),
        }
    }

    /// Where an object of derived type is.
    pub(crate) fn as_object(&mut self, v: &Value) -> MemRef {
        match v {
            Value::Object(mem) | Value::Char(mem, _) => *mem,
            _ => MemRef::at(Val::i64(0), self.local_space()),
        }
    }

    /// The value as it is now, also if it is a variable's register.
    pub(crate) fn freeze_value(&mut self, v: Value) -> Value {
        match v {
            Value::Scalar(v) => Value::Scalar(self.freeze(v)),
            Value::Pred(v) => Value::Pred(self.freeze(v)),
            Value::Complex(re, im) => Value::Complex(self.freeze(re), self.freeze(im)),
            Value::Char(mem, len) => Value::Char(mem, self.freeze(len)),
            Value::Object(mem) => Value::Object(mem),
        }
    }

    /// A value in the place of one that is refused.
    pub(crate) fn refused(&mut self, ty: &Type, what: &str) -> Value {
        self.unsupported(what);
        self.zero(ty)
    }

    /// Zero, or blank, of that type.
    pub(crate) fn zero(&mut self, ty: &Type) -> Value {
        match ty {
            Type::Complex(_) => Value::Complex(Val::Imm(0), Val::Imm(0)),
            Type::Character(_) => Value::Char(MemRef::at(Val::i64(0), self.local_space()), Val::i64(0)),
            Type::Derived(_) => {
                let bytes = crate::types::const_bytes(self.program(), ty).unwrap_or(0);
                Value::Object(self.slot(bytes, 8, "temporary", source::Span::NONE).1)
            }
            _ => Value::Scalar(Val::Imm(0)),
        }
    }
}
