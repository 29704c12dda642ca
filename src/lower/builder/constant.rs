//! Constants of the checked program as values.
//!
//! Not here: constant arrays (`array`), initial values of globals (`module::globals`).

use crate::builder::Builder;
use crate::types::{imm, ir_ty};
use crate::value::Value;
use ir::Val;
use sema::checked::{Const, Type};

impl Builder<'_, '_> {
    /// A constant.
    pub(crate) fn constant_value(&mut self, c: &Const, ty: &Type) -> Value {
        match c {
            Const::Int(n) => Value::Scalar(imm(ir_ty(ty), *n)),
            Const::Real2(bits) => Value::Scalar(imm(ir_ty(ty), i64::from(*bits))),
            Const::Real4(x) => Value::Scalar(Val::f32(*x)),
            Const::Real8(x) => Value::Scalar(Val::f64(*x)),
            Const::Complex4(re, im) => Value::Complex(Val::f32(*re), Val::f32(*im)),
            Const::Complex8(re, im) => Value::Complex(Val::f64(*re), Val::f64(*im)),
            Const::Logical(b) => Value::Pred(Val::pred(*b)),
            Const::Char(text) => {
                let mem = self.constant_memory(text, 1);
                Value::Char(mem, Val::i64(text.len() as i64))
            }
            Const::Derived(_) => {
                let mut bytes = Vec::new();
                crate::module::globals::encode(self.program(), ty, c, &mut bytes);
                Value::Object(self.constant_memory(&bytes, crate::types::align(self.program(), ty)))
            }
            Const::Array { .. } | Const::Null => self.refused(ty, "this constant as a value"),
        }
    }
}
