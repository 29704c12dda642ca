//! MATMUL of matrices and vectors: each element of the result is one accumulated dot product.

use super::{Args, arg};
use crate::builder::Builder;
use crate::builder::flow::Flow;
use crate::function::FunctionLowering;
use crate::value::Value;
use crate::value::array_view::ArrayView;
use crate::value::lvalue::{Lvalue, element_lvalue};
use ir::op::BinOp;
use ir::{Ty, Val};
use sema::checked::{Expr, Type};

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
            let total = inner_product(&mut this.b, &left, &right, (&a.ty, &b.ty, &e.ty), &row, &column, inner);
            let mem = this.b.element_by_position(&result, index);
            this.b.store_value(element_lvalue(mem, None), &e.ty, &total);
        });
        Some(view)
    }
}

fn inner_product(
    b: &mut Builder<'_, '_>,
    left: &ArrayView,
    right: &ArrayView,
    types: (&Type, &Type, &Type),
    row: &[Val],
    column: &[Val],
    inner: Val,
) -> Value {
    let (left_ty, right_ty, ty) = types;
    let logical = matches!(ty, Type::Logical(_));
    let place = if logical { Lvalue::Reg(b.mutable(Ty::Pred)) } else { b.variable_of(ty) };
    if let (true, Lvalue::Reg(r)) = (logical, place) {
        b.set(r, Val::pred(false));
    } else {
        let zero = b.zero(ty);
        b.store_value(place, ty, &zero);
    }
    b.repeat(inner, &mut |b, k| {
        let at_left: Vec<Val> = row.iter().copied().chain([k]).collect();
        let at_right: Vec<Val> = [k].into_iter().chain(column.iter().copied()).collect();
        let x = b.element_by_position(left, &at_left);
        let x = b.load_value(Lvalue::Mem(x), left_ty);
        let y = b.element_by_position(right, &at_right);
        let y = b.load_value(Lvalue::Mem(y), right_ty);
        if let (true, Lvalue::Reg(r)) = (logical, place) {
            let (p, q) = (b.as_pred(&x, left_ty), b.as_pred(&y, right_ty));
            let both = b.combine(BinOp::And, p, q);
            let joined = b.bin(BinOp::Or, Ty::Pred, r, both);
            b.set(r, joined);
            return;
        }
        let (x, y) = (b.convert(&x, left_ty, ty), b.convert(&y, right_ty, ty));
        let old = b.load_value(place, ty);
        let new = b.multiply_add(&old, &x, &y, ty);
        b.store_value(place, ty, &new);
    });
    match place {
        Lvalue::Reg(r) if logical => Value::Pred(r.into()),
        other => b.load_value(other, ty),
    }
}
