//! Character values: copies, concatenation, comparison.
//!
//! Not here: lengths of character expressions (`expr::char_length`).

use crate::builder::Builder;
use crate::builder::flow::Flow;
use crate::types::{Side, imm};
use crate::value::Value;
use crate::value::lvalue::{Lvalue, MemRef};
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
        if self.side() == Side::Device {
            let order = self.order_of_chars((a, a_len), (b, b_len));
            return self.cmp(comparison(op), Ty::I32, order, imm(Ty::I32, 0)).into();
        }
        let (a, b) = (self.address(a), self.address(b));
        let order = self.rt(Rt::CharCompare, vec![a, a_len, b, b_len]);
        let order = order.first().map_or(Val::i32(0), |&r| r.into());
        self.cmp(comparison(op), Ty::I32, order, imm(Ty::I32, 0)).into()
    }

    /// Character assignment in device code, byte by byte. The source may be a part of the target: from a place before it, the last bytes
    /// are taken first.
    pub(crate) fn store_bytes_of_char(&mut self, (to, len): (MemRef, Val), (from, from_len): (MemRef, Val)) {
        let is_short = self.icmp(op::CmpOp::Lt, from_len, len);
        let common = self.select(Ty::I64, is_short, from_len, len).into();
        let (to_at, from_at) = (self.address(to), self.address(from));
        let backwards = self.icmp(op::CmpOp::Gt, to_at, from_at);
        let last = self.isub(common, Val::i64(1));
        self.repeat(common, &mut |this, i| {
            let mirrored = this.isub(last, i);
            let at = this.select(Ty::I64, backwards, mirrored, i).into();
            let (source, target) = (this.advance(from, at), this.advance(to, at));
            let byte = this.load_scalar(source, Ty::I8);
            this.store_scalar(target, Ty::I8, byte.into());
        });
        let blanks = self.isub(len, common);
        let rest = self.advance(to, common);
        self.repeat(blanks, &mut |this, i| {
            let target = this.advance(rest, i);
            this.store_scalar(target, Ty::I8, imm(Ty::I8, i64::from(b' ')));
        });
    }

    /// The order of two character values in device code: -1, 0 or 1 as if the shorter one had blanks behind.
    fn order_of_chars(&mut self, (a, a_len): (MemRef, Val), (b, b_len): (MemRef, Val)) -> Val {
        let order = self.mutable(Ty::I32);
        self.set(order, Val::i32(0));
        let is_short = self.icmp(op::CmpOp::Lt, a_len, b_len);
        let longest = self.select(Ty::I64, is_short, b_len, a_len).into();
        self.repeat(longest, &mut |this, i| {
            let [x, y] = [(a, a_len), (b, b_len)].map(|(mem, len)| {
                let byte = this.mutable(Ty::I32);
                this.set(byte, Val::i32(i32::from(b' ')));
                let is_there = this.icmp(op::CmpOp::Lt, i, len);
                this.when(is_there, |this| {
                    let mem = this.advance(mem, i);
                    let loaded = this.load_scalar(mem, Ty::I8);
                    let wide = this.cvt(CvtOp::CastU, Ty::I8, Ty::I32, loaded);
                    this.set(byte, wide);
                });
                Val::from(byte)
            });
            let is_open = this.cmp(op::CmpOp::Eq, Ty::I32, order, Val::i32(0));
            this.when(is_open.into(), |this| {
                let [less, greater] = [op::CmpOp::Lt, op::CmpOp::Gt].map(|op| Val::from(this.cmp(op, Ty::I32, x, y)));
                let sign: Val = this.select(Ty::I32, greater, Val::i32(1), Val::i32(0)).into();
                let sign: Val = this.select(Ty::I32, less, Val::i32(-1), sign).into();
                this.set(order, sign);
            });
        });
        order.into()
    }
}
