//! MATMUL of matrices and vectors: each element of the result is one accumulated dot product.

use super::{Args, arg};
use crate::array::element_lvalue;
use crate::builder::Builder;
use crate::builder::flow::Flow;
use crate::function::FunctionLowering;
use crate::value::Value;
use crate::value::array_view::ArrayView;
use crate::value::lvalue::Lvalue;
use ir::op::BinOp;
use ir::{Ty, Val};
use sema::checked::{Expr, Type};

impl Builder<'_, '_> {
    fn inner_product(
        &mut self,
        left: &ArrayView,
        right: &ArrayView,
        types: (&Type, &Type, &Type),
        row: &[Val],
        column: &[Val],
        inner: Val,
    ) -> Value {
        let (left_ty, right_ty, ty) = types;
        let logical = matches!(ty, Type::Logical(_));
        let place = if logical { Lvalue::Reg(self.mutable(Ty::Pred)) } else { self.variable_of(ty) };
        if let (true, Lvalue::Reg(r)) = (logical, place) {
            self.set(r, Val::pred(false));
        } else {
            let zero = self.zero(ty);
            self.store_value(place, ty, &zero);
        }
        self.repeat(inner, &mut |this, k| {
            let at_left: Vec<Val> = row.iter().copied().chain([k]).collect();
            let at_right: Vec<Val> = [k].into_iter().chain(column.iter().copied()).collect();
            let x = this.element_by_position(left, &at_left);
            let x = this.load_value(Lvalue::Mem(x), left_ty);
            let y = this.element_by_position(right, &at_right);
            let y = this.load_value(Lvalue::Mem(y), right_ty);
            if let (true, Lvalue::Reg(r)) = (logical, place) {
                let (p, q) = (this.as_pred(&x, left_ty), this.as_pred(&y, right_ty));
                let both = this.combine(BinOp::And, p, q);
                let joined = this.bin(BinOp::Or, Ty::Pred, r, both);
                this.set(r, joined);
                return;
            }
            let (x, y) = (this.convert(&x, left_ty, ty), this.convert(&y, right_ty, ty));
            let old = this.load_value(place, ty);
            let new = this.multiply_add(&old, &x, &y, ty);
            this.store_value(place, ty, &new);
        });
        match place {
            Lvalue::Reg(r) if logical => Value::Pred(r.into()),
            other => self.load_value(other, ty),
        }
    }
}

impl<'p> FunctionLowering<'_, 'p> {
    pub(super) fn matmul(&mut self, args: Args<'p>, e: &'p Expr) -> Option<ArrayView> {
        let (a, b) = (arg(args, 0)?, arg(args, 1)?);
        let (left, right) = (self.view(a), self.view(b));
        let (left, right) = (self.b.local_view(left, &a.ty), self.b.local_view(right, &b.ty));
        let rows = (left.dims.len() == 2).then(|| left.dims[0].extent);
        let columns = (right.dims.len() == 2).then(|| right.dims[1].extent);
        let inner = left.dims.last()?.extent;
        let extents: Vec<Val> = rows.into_iter().chain(columns).collect();
        let view = self.b.temporary_array(&e.ty, None, &extents);
        let result = view.clone();
        self.nest(&extents, &mut |this, index| {
            let row: Vec<Val> = rows.iter().map(|_| index[0]).collect();
            let column: Vec<Val> = columns.iter().filter_map(|_| index.last().copied()).collect();
            let total = this.b.inner_product(&left, &right, (&a.ty, &b.ty, &e.ty), &row, &column, inner);
            let mem = this.b.element_by_position(&result, index);
            this.b.store_value(element_lvalue(mem, None), &e.ty, &total);
        });
        Some(view)
    }
}
