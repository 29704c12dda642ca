//! Conversions between Fortran types.
//!
//! Not here: the rules of each conversion (`scalar`).

use crate::builder::Builder;
use crate::builder::arith::constant;
use crate::types::{const_bytes, ir_ty};
use crate::value::Value;
use crate::value::lvalue::Lvalue;
use ir::op::CvtOp;
use ir::{Ty, Val};
use sema::checked::Type;

impl Builder<'_, '_> {
    /// A register value of one type as another.
    pub(crate) fn cast(&mut self, v: Val, from: Ty, to: Ty) -> Val {
        if from == to {
            return v;
        }
        match v {
            Val::Imm(bits) if from != Ty::Pred && to != Ty::Pred => {
                Val::Imm(scalar::bits::canonical(to, scalar::bits::convert(from, to, bits)))
            }
            _ => self.cvt(CvtOp::Cast, from, to, v).into(),
        }
    }

    /// The bits of a number as a number of another type of the same width.
    pub(crate) fn same_bits(&mut self, v: Val, from: Ty, to: Ty) -> Val {
        if from == to { v } else { self.converted(CvtOp::Bits, from, to, v) }
    }

    /// A register value converted by an operation; a constant stays one.
    fn converted(&mut self, op: CvtOp, from: Ty, to: Ty, v: Val) -> Val {
        match v {
            Val::Imm(bits) => Val::Imm(ir::eval::eval_cvt(op, from, to, bits)),
            Val::Reg(_) => self.cvt(op, from, to, v).into(),
        }
    }

    /// A value converted to another type.
    pub(crate) fn convert(&mut self, v: &Value, from: &Type, to: &Type) -> Value {
        let (source, target) = (ir_ty(from), ir_ty(to));
        match (from, to) {
            (Type::Complex(_), Type::Complex(_)) => {
                let (re, im) = self.as_complex(v, from);
                Value::Complex(self.cast(re, source, target), self.cast(im, source, target))
            }
            (Type::Real(2), Type::Integer(_) | Type::Real(4 | 8) | Type::Complex(_)) => {
                let bits = self.as_scalar(v, from);
                let wide = Value::Scalar(self.converted(CvtOp::FromHalf, Ty::I16, Ty::F32, bits));
                self.convert(&wide, &Type::Real(4), to)
            }
            (Type::Integer(_) | Type::Real(4 | 8) | Type::Complex(_), Type::Real(2)) => {
                // An integer that real(4) rounds is too large for real(2).
                let (real, ty) = if source == Ty::F64 { (Type::Real(8), Ty::F64) } else { (Type::Real(4), Ty::F32) };
                let wide = self.convert(v, from, &real);
                let wide = self.as_scalar(&wide, &real);
                Value::Scalar(self.converted(CvtOp::ToHalf, ty, Ty::I16, wide))
            }
            (Type::Integer(_) | Type::Real(_), Type::Complex(_)) => {
                let re = self.as_scalar(v, from);
                Value::Complex(self.cast(re, source, target), Val::Imm(0))
            }
            (Type::Complex(_), Type::Integer(_) | Type::Real(_)) => {
                let (re, _) = self.as_complex(v, from);
                Value::Scalar(self.cast(re, source, target))
            }
            (Type::Logical(_), Type::Logical(_)) if matches!(v, Value::Pred(_)) => v.clone(),
            (Type::Character(_), Type::Character(_)) => self.fit_character(v, to),
            (Type::Derived(_) | Type::Any, _) | (_, Type::Derived(_) | Type::Any) => v.clone(),
            _ => {
                let v = self.as_scalar(v, from);
                Value::Scalar(self.cast(v, source, target))
            }
        }
    }

    /// A character value cut or filled to the length of a type, where that is constant.
    fn fit_character(&mut self, v: &Value, to: &Type) -> Value {
        let (_, len) = self.as_char(v);
        match const_bytes(self.program(), to) {
            Some(n) if constant(len) != Some(n as i64) => {
                let n = Val::i64(n as i64);
                let mem = self.temporary(n, 1);
                self.store_value(Lvalue::Char(mem, n), to, v);
                Value::Char(mem, n)
            }
            _ => v.clone(),
        }
    }
}
