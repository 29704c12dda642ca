//! Character values: copies, concatenation, comparison.
//!
//! Not here: lengths of character expressions (`expr::char_length`).

use crate::builder::Builder;
use crate::types::imm;
use crate::value::Value;
use crate::value::lvalue::Lvalue;
use ir::op::CvtOp;
use ir::rt::Rt;
use ir::{Ty, Val, op};
use sema::checked::{CharLen, CmpOp, Type};

/// The IR's comparison.
pub(crate) fn comparison(op: CmpOp) -> op::CmpOp {
    match op {
        CmpOp::Eq => op::CmpOp::Eq,
        CmpOp::Ne => op::CmpOp::Ne,
        CmpOp::Lt => op::CmpOp::Lt,
        CmpOp::Le => op::CmpOp::Le,
        CmpOp::Gt => op::CmpOp::Gt,
        CmpOp::Ge => op::CmpOp::Ge,
    }
}

impl Builder<'_, '_> {
    /// Character values one after another, in a temporary.
    pub(crate) fn joined(&mut self, values: &[Value]) -> Value {
        let mut total = Val::i64(0);
        for v in values {
            let (_, len) = self.as_char(v);
            total = self.iadd(total, len);
        }
        let mem = self.temporary(total, 1);
        let mut at = Val::i64(0);
        for v in values {
            let (_, len) = self.as_char(v);
            let to = self.advance(mem, at);
            self.store_char(to, len, v);
            at = self.iadd(at, len);
        }
        Value::Char(mem, total)
    }

    /// A copy of a character value in a temporary of that length.
    pub(crate) fn character_copy(&mut self, v: &Value, len: Val) -> Value {
        let mem = self.temporary(len, 1);
        self.store_value(Lvalue::Char(mem, len), &Type::Character(CharLen::Assumed), v);
        Value::Char(mem, len)
    }

    /// Compares two character values.
    pub(crate) fn compare_characters(&mut self, op: CmpOp, a: &crate::value::Value, b: &crate::value::Value) -> Val {
        let ((a, a_len), (b, b_len)) = (self.as_char(a), self.as_char(b));
        if crate::builder::arith::is(a_len, 1) && crate::builder::arith::is(b_len, 1) {
            let byte = |this: &mut Self, mem| {
                let byte = this.load_scalar(mem, Ty::I8);
                this.cvt(CvtOp::CastU, Ty::I8, Ty::I32, byte)
            };
            let (a, b) = (byte(self, a), byte(self, b));
            return self.cmp(comparison(op), Ty::I32, a, b).into();
        }
        let (a, b) = (self.address(a), self.address(b));
        let order = self.rt(Rt::CharCompare, vec![a, a_len, b, b_len]);
        let order = order.first().map_or(Val::i32(0), |&r| r.into());
        self.cmp(comparison(op), Ty::I32, order, imm(Ty::I32, 0)).into()
    }
}
