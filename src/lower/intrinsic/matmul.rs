//! MATMUL of matrices and vectors: each element of the result is one accumulated dot product.

use super::{Args, arg};
use crate::array::element_place;
use crate::function::Fx;
use crate::value::Value;
use crate::value::place::Place;
use crate::value::view::View;
use ir::op::BinOp;
use ir::{Ty, Val};
use sema::checked::{Expr, Type};

impl<'p> Fx<'_, 'p> {
    pub(super) fn matmul(&mut self, args: Args<'p>, e: &'p Expr) -> Option<View> {
        let (a, b) = (arg(args, 0)?, arg(args, 1)?);
        let (left, right) = (self.view(a), self.view(b));
        let (left, right) = (self.local_view(left, &a.ty), self.local_view(right, &b.ty));
        let rows = (left.dims.len() == 2).then(|| left.dims[0].extent);
        let columns = (right.dims.len() == 2).then(|| right.dims[1].extent);
        let inner = left.dims.last()?.extent;
        let extents: Vec<Val> = rows.into_iter().chain(columns).collect();
        let view = self.temporary_array(&e.ty, None, &extents);
        let result = view.clone();
        self.nest(&extents, &mut |fx, index| {
            let row: Vec<Val> = rows.iter().map(|_| index[0]).collect();
            let column: Vec<Val> = columns.iter().filter_map(|_| index.last().copied()).collect();
            let total = fx.inner_product(&left, &right, (&a.ty, &b.ty, &e.ty), &row, &column, inner);
            let mem = fx.element_by_position(&result, index);
            fx.store(element_place(mem, None), &e.ty, &total);
        });
        Some(view)
    }

    fn inner_product(
        &mut self,
        left: &View,
        right: &View,
        types: (&Type, &Type, &Type),
        row: &[Val],
        column: &[Val],
        inner: Val,
    ) -> Value {
        let (left_ty, right_ty, ty) = types;
        let logical = matches!(ty, Type::Logical(_));
        let place = if logical { Place::Reg(self.b.mutable(Ty::Pred)) } else { self.variable_of(ty) };
        if let (true, Place::Reg(r)) = (logical, place) {
            self.b.set(r, Val::pred(false));
        } else {
            let zero = self.zero(ty);
            self.store(place, ty, &zero);
        }
        self.repeat(inner, &mut |fx, k| {
            let at_left: Vec<Val> = row.iter().copied().chain([k]).collect();
            let at_right: Vec<Val> = [k].into_iter().chain(column.iter().copied()).collect();
            let x = fx.element_by_position(left, &at_left);
            let x = fx.load(Place::Mem(x), left_ty);
            let y = fx.element_by_position(right, &at_right);
            let y = fx.load(Place::Mem(y), right_ty);
            if let (true, Place::Reg(r)) = (logical, place) {
                let (p, q) = (fx.as_pred(&x, left_ty), fx.as_pred(&y, right_ty));
                let both = fx.combine(BinOp::And, p, q);
                let joined = fx.b.bin(BinOp::Or, Ty::Pred, r, both);
                fx.b.set(r, joined);
                return;
            }
            let (x, y) = (fx.convert(&x, left_ty, ty), fx.convert(&y, right_ty, ty));
            let old = fx.load(place, ty);
            let new = fx.multiply_add(&old, &x, &y, ty);
            fx.store(place, ty, &new);
        });
        match place {
            Place::Reg(r) if logical => Value::Pred(r.into()),
            other => self.load(other, ty),
        }
    }
}
