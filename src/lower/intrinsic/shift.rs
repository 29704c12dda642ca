//! CSHIFT and EOSHIFT.

use super::{Args, arg};
use crate::array::{Env, element_place};
use crate::function::Fx;
use crate::stmt::loops::constant_int;
use crate::types::ir_ty;
use crate::value::view::View;
use ir::op::{BinOp, CmpOp};
use ir::{Ty, Val};
use sema::checked::Expr;
use sema::intrinsic::Intrinsic;

impl<'p> Fx<'_, 'p> {
    pub(super) fn shifted(&mut self, id: Intrinsic, args: Args<'p>, e: &'p Expr) -> Option<View> {
        let (array, shift) = (arg(args, 0)?, arg(args, 1)?);
        let cyclic = id == Intrinsic::Cshift;
        let boundary = if cyclic { None } else { arg(args, 2) };
        let dim = match arg(args, if cyclic { 2 } else { 3 }) {
            Some(dim) => usize::try_from(constant_int(dim)?.checked_sub(1)?).ok()?,
            None => 0,
        };
        let source = self.view(array);
        let source = self.local_view(source, &array.ty);
        let extents = source.extents();
        let along = *extents.get(dim)?;
        let mut outer = extents.clone();
        outer.remove(dim);
        // SHIFT and BOUNDARY are scalars or arrays of the other dimensions.
        let mut env = Env::default();
        self.prepare(shift, &mut env);
        if let Some(b) = boundary {
            self.prepare(b, &mut env);
        }
        let result = self.temporary_array(&e.ty, source.len, &extents);
        let view = result.clone();
        self.with_env(env, |fx| {
            fx.nest(&outer, &mut |fx, index| {
                fx.move_to(index);
                let by = fx.scalar(shift);
                let by = fx.widen(by, ir_ty(&shift.ty));
                let by = fx.freeze(by);
                fx.repeat(along, &mut |fx, i| {
                    let mut to = index.to_vec();
                    to.insert(dim, i);
                    let to = fx.element_by_position(&view, &to);
                    let position = fx.iadd(i, by);
                    if cyclic {
                        let from = fx.wrapped(position, along);
                        let mut at = index.to_vec();
                        at.insert(dim, from);
                        let from = fx.element_by_position(&source, &at);
                        fx.copy_element(to, from, source.len, &e.ty);
                        return;
                    }
                    let outside = fx.icmp(CmpOp::GeU, position, along);
                    fx.either(
                        outside,
                        |fx| {
                            let v = match boundary {
                                Some(b) => fx.value(b),
                                None => fx.blank(&e.ty, source.len),
                            };
                            fx.store(element_place(to, source.len), &e.ty, &v);
                        },
                        |fx| {
                            let mut at = index.to_vec();
                            at.insert(dim, position);
                            let from = fx.element_by_position(&source, &at);
                            fx.copy_element(to, from, source.len, &e.ty);
                        },
                    );
                });
            });
        });
        Some(result)
    }

    /// `position` modulo `extent`, not negative.
    fn wrapped(&mut self, position: Val, extent: Val) -> Val {
        let r = self.b.bin(BinOp::Rem, Ty::I64, position, extent);
        let up = self.b.bin(BinOp::Add, Ty::I64, r, extent);
        let below = self.b.cmp(CmpOp::Lt, Ty::I64, r, Val::i64(0));
        self.b.select(Ty::I64, below, up, r).into()
    }

    /// What EOSHIFT shifts in: zero, .false. or blanks.
    fn blank(&mut self, ty: &sema::checked::Type, len: Option<Val>) -> crate::value::Value {
        match len {
            Some(_) => {
                let mem = self.constant_memory(b" ", 1);
                crate::value::Value::Char(mem, Val::i64(1))
            }
            None => self.zero(ty),
        }
    }
}
