//! CSHIFT and EOSHIFT.

use super::{Args, arg};
use crate::builder::Builder;
use crate::builder::flow::Flow;
use crate::elements::Operands;
use crate::function::FunctionLowering;
use crate::types::ir_ty;
use crate::value::array_view::ArrayView;
use crate::value::lvalue::element_lvalue;
use ir::op::{BinOp, CmpOp};
use ir::{Ty, Val};
use sema::checked::{Expr, Intrinsic};

impl<'p> FunctionLowering<'_, 'p> {
    pub(super) fn shifted(&mut self, id: Intrinsic, args: Args<'p>, e: &'p Expr) -> Option<ArrayView> {
        let (array, shift) = (arg(args, 0)?, arg(args, 1)?);
        let cyclic = id == Intrinsic::Cshift;
        let boundary = if cyclic { None } else { arg(args, 2) };
        let dim = match arg(args, if cyclic { 2 } else { 3 }) {
            Some(dim) => self.dimension(dim),
            None => Val::i64(0),
        };
        let source = self.view(array);
        let source = self.b.local_view(source, &array.ty);
        let extents = source.extents();
        let (outer, along) = self.b.without_dimension(&extents, dim);
        // SHIFT and BOUNDARY are scalars or arrays of the other dimensions.
        let mut operands = Operands::default();
        self.prepare(shift, &mut operands);
        if let Some(b) = boundary {
            self.prepare(b, &mut operands);
        }
        for e in [Some(shift), boundary].into_iter().flatten() {
            self.b.check_operands(e, &operands);
            if let Some(own) = operands.extents(e).filter(|_| e.rank > 0) {
                self.at(e.span, |this| this.b.check_extents(&outer, &own));
            }
        }
        let result = self.b.temporary_array(&e.ty, source.len, &extents);
        self.b.keep_lengths(&result, &source, &e.ty);
        let view = result.clone();
        self.with_operands(operands, |this| {
            this.nest(&outer, &mut |this, index| {
                this.move_to(index);
                let by = this.scalar(shift);
                let by = this.b.widen(by, ir_ty(&shift.ty));
                let by = this.b.freeze(by);
                this.repeat(along, &mut |this, i| {
                    let to = this.b.with_dimension(index, dim, i);
                    let to = this.b.element_by_position(&view, &to);
                    let position = this.b.iadd(i, by);
                    if cyclic {
                        let from = wrapped(&mut this.b, position, along);
                        let at = this.b.with_dimension(index, dim, from);
                        let from = this.b.element_by_position(&source, &at);
                        this.b.copy_element(to, from, source.len, &e.ty);
                        return;
                    }
                    let outside = this.b.icmp(CmpOp::GeU, position, along);
                    this.either(
                        outside,
                        |this| {
                            let v = match boundary {
                                Some(b) => this.value(b),
                                None => blank(&mut this.b, &e.ty, source.len),
                            };
                            this.b.store_value(element_lvalue(to, source.len), &e.ty, &v);
                        },
                        |this| {
                            let at = this.b.with_dimension(index, dim, position);
                            let from = this.b.element_by_position(&source, &at);
                            this.b.copy_element(to, from, source.len, &e.ty);
                        },
                    );
                });
            });
        });
        Some(result)
    }
}

/// `position` modulo `extent`, not negative.
fn wrapped(b: &mut Builder<'_, '_>, position: Val, extent: Val) -> Val {
    let r = b.bin(BinOp::Rem, Ty::I64, position, extent);
    let up = b.bin(BinOp::Add, Ty::I64, r, extent);
    let below = b.cmp(CmpOp::Lt, Ty::I64, r, Val::i64(0));
    b.select(Ty::I64, below, up, r).into()
}

/// What EOSHIFT shifts in: zero, .false. or blanks.
fn blank(b: &mut Builder<'_, '_>, ty: &sema::checked::Type, len: Option<Val>) -> crate::value::Value {
    match len {
        Some(_) => {
            let mem = b.constant_memory(b" ", 1);
            crate::value::Value::Char(mem, Val::i64(1))
        }
        None => b.zero(ty),
    }
}
