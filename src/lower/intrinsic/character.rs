//! Character functions.
//!
//! Not here: comparison and concatenation (`builder::character`).

use super::{Args, arg};
use crate::builder::Builder;
use crate::builder::device_characters::Search;
use crate::builder::flow::Flow;
use crate::function::FunctionLowering;
use crate::types::ir_ty;
use crate::value::Value;
use ir::op::CvtOp;
use ir::rt::Rt;
use ir::{Ty, Val};
use sema::checked::{CmpOp, Expr, Intrinsic};

impl<'p> FunctionLowering<'_, 'p> {
    pub(super) fn character_function(&mut self, id: Intrinsic, args: Args<'p>, e: &'p Expr) -> Option<Value> {
        use Intrinsic as I;
        let first = arg(args, 0)?;
        Some(match id {
            I::Achar | I::Char => {
                let code = self.int32(first);
                let byte = self.b.cast(code, Ty::I32, Ty::I8);
                let (_, mem) = self.b.slot(1, 1, "temporary", source::Span::NONE);
                self.b.store_scalar(mem, Ty::I8, byte);
                Value::Char(mem, Val::i64(1))
            }
            I::Iachar | I::Ichar => {
                let text = self.value(first);
                let (mem, _) = self.b.as_char(&text);
                let byte = self.b.load_scalar(mem, Ty::I8);
                let code = self.b.cvt(CvtOp::CastU, Ty::I8, Ty::I32, byte);
                Value::Scalar(self.b.cast(code.into(), Ty::I32, ir_ty(&e.ty)))
            }
            I::NewLine => {
                let mem = self.b.constant_memory(b"\n", 1);
                Value::Char(mem, Val::i64(1))
            }
            I::Trim => {
                let text = self.value(first);
                self.b.trimmed(&text)
            }
            I::LenTrim => {
                let text = self.value(first);
                let trimmed = self.b.trimmed(&text);
                let (_, len) = self.b.as_char(&trimmed);
                Value::Scalar(self.b.narrow(len, ir_ty(&e.ty)))
            }
            I::Adjustl | I::Adjustr => {
                let text = self.value(first);
                let (mem, len) = self.b.as_char(&text);
                let to = self.b.temporary(len, 1);
                if !self.b.is_host() {
                    self.b.device_adjust(to, (mem, len), id == I::Adjustr);
                    return Some(Value::Char(to, len));
                }
                let (target, source) = (self.b.address(to), self.b.address(mem));
                let right = Val::i32(i32::from(id == I::Adjustr));
                self.b.rt(Rt::CharAdjust, vec![target, source, len, right]);
                Value::Char(to, len)
            }
            I::Repeat => self.repeated(first, arg(args, 1)?),
            I::Index | I::Scan | I::Verify => {
                let (text, other) = (self.value(first), self.value(arg(args, 1)?));
                let ((a, m), (b, n)) = (self.b.as_char(&text), self.b.as_char(&other));
                let back = arg(args, 2).map_or(Val::pred(false), |back| self.pred(back));
                if !self.b.is_host() {
                    let search = match id {
                        I::Index => Search::Index,
                        I::Scan => Search::Scan,
                        _ => Search::Verify,
                    };
                    let at = self.b.device_search(search, (a, m), (b, n), back);
                    return Some(Value::Scalar(self.b.narrow(at, ir_ty(&e.ty))));
                }
                let back = pred_to_flag(&mut self.b, back);
                let (a, b) = (self.b.address(a), self.b.address(b));
                let rt = match id {
                    I::Index => Rt::CharIndex,
                    I::Scan => Rt::CharScan,
                    _ => Rt::CharVerify,
                };
                let at = self.b.rt(rt, vec![a, m, b, n, back]).first().map_or(Val::i64(0), |&r| r.into());
                Value::Scalar(self.b.narrow(at, ir_ty(&e.ty)))
            }
            I::Lge | I::Lgt | I::Lle | I::Llt => {
                let (a, b) = (self.value(first), self.value(arg(args, 1)?));
                let op = match id {
                    I::Lge => CmpOp::Ge,
                    I::Lgt => CmpOp::Gt,
                    I::Lle => CmpOp::Le,
                    _ => CmpOp::Lt,
                };
                Value::Pred(self.b.compare_characters(op, &a, &b))
            }
            _ => return None,
        })
    }

    fn repeated(&mut self, text: &'p Expr, copies: &'p Expr) -> Value {
        let text = self.value(text);
        let (_, len) = self.b.as_char(&text);
        let n = self.int64(copies);
        let n = self.b.freeze(n);
        self.b.demand_argument("ncopies", n, Val::i64(0), Val::i64(i64::MAX));
        let total = self.b.imul(n, len);
        let mem = self.b.temporary(total, 1);
        self.repeat(n, &mut |this, i| {
            let skip = this.b.imul(i, len);
            let to = this.b.advance(mem, skip);
            this.b.store_char(to, len, &text);
        });
        Value::Char(mem, total)
    }
}

/// A predicate as 0 or 1.
fn pred_to_flag(b: &mut Builder<'_, '_>, p: Val) -> Val {
    match p {
        Val::Imm(bits) => Val::i32((bits & 1) as i32),
        Val::Reg(_) => b.select(Ty::I32, p, Val::i32(1), Val::i32(0)).into(),
    }
}
