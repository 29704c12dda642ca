//! MATMUL of matrices and vectors: each element of the result is one accumulated dot product.
//!
//! On the host the run time makes large products by blocks, with the same bits. Where it cannot, and in device code, it is a loop.

use super::{Args, arg};
use crate::builder::Builder;
use crate::builder::flow::Flow;
use crate::function::FunctionLowering;
use crate::value::Value;
use crate::value::array_view::ArrayView;
use crate::value::lvalue::{Lvalue, element_lvalue};
use ir::op::{BinOp, CmpOp};
use ir::rt::Rt;
use ir::{Ty, Val};
use sema::checked::{Expr, Type};

/// Products of two elements from which on a call of the run time takes less time than the loop.
const WORTH_A_CALL: i64 = 4096;

impl<'p> FunctionLowering<'_, 'p> {
    pub(super) fn matmul(&mut self, args: Args<'p>, e: &'p Expr) -> Option<ArrayView> {
        let (a, b) = (arg(args, 0)?, arg(args, 1)?);
        let (left, right) = (self.view(a), self.view(b));
        let (left, right) = (self.b.local_view(left, &a.ty), self.b.local_view(right, &b.ty));
        let rows = (left.dims.len() == 2).then(|| left.dims[0].extent);
        let columns = (right.dims.len() == 2).then(|| right.dims[1].extent);
        let inner = left.dims.last()?.extent;
        self.b.check_extents(&[inner], &[right.dims.first()?.extent]);
        let extents: Vec<Val> = rows.into_iter().chain(columns).collect();
        let view = self.b.temporary_array(&e.ty, None, &extents);
        let result = view.clone();
        if self.b.is_host() && columns.is_none() && !matches!(e.ty, Type::Logical(_)) {
            self.add_columns(&result, &left, &right, (&a.ty, &b.ty, &e.ty), inner);
            return Some(view);
        }
        let left_over = self.product_by_blocks([&result, &left, &right], [&a.ty, &b.ty, &e.ty], inner);
        self.when(left_over, |this| {
            this.nest(&extents, &mut |this, index| {
                let row: Vec<Val> = rows.iter().map(|_| index[0]).collect();
                let column: Vec<Val> = columns.iter().filter_map(|_| index.last().copied()).collect();
                let total = inner_product(&mut this.b, &left, &right, (&a.ty, &b.ty, &e.ty), &row, &column, inner);
                let mem = this.b.element_by_position(&result, index);
                this.b.store_value(element_lvalue(mem, None), &e.ty, &total);
            });
        });
        Some(view)
    }

    /// The product of a matrix and a vector: multiples of the columns are added up one by one. Each element is the same sum as that of
    /// its row, but memory is read in its order.
    fn add_columns(
        &mut self,
        result: &ArrayView,
        left: &ArrayView,
        right: &ArrayView,
        types: (&Type, &Type, &Type),
        inner: Val,
    ) {
        let (left_ty, right_ty, ty) = types;
        let rows = result.dims[0].extent;
        let zero = self.b.zero(ty);
        self.repeat(rows, &mut |this, i| {
            let mem = this.b.element_by_position(result, &[i]);
            this.b.store_value(element_lvalue(mem, None), ty, &zero);
        });
        self.repeat(inner, &mut |this, k| {
            let y = this.b.element_by_position(right, &[k]);
            let y = this.b.load_value(Lvalue::Mem(y), right_ty);
            let y = this.b.convert(&y, right_ty, ty);
            this.repeat(rows, &mut |this, i| {
                let x = this.b.element_by_position(left, &[i, k]);
                let x = this.b.load_value(Lvalue::Mem(x), left_ty);
                let x = this.b.convert(&x, left_ty, ty);
                let place = element_lvalue(this.b.element_by_position(result, &[i]), None);
                let old = this.b.load_value(place, ty);
                let new = this.b.multiply_add(&old, &x, &y, ty);
                this.b.store_value(place, ty, &new);
            });
        });
    }

    /// Has the run time make a product of matrices of the host that is worth a call; gives whether it is still to be made.
    fn product_by_blocks(&mut self, arrays: [&ArrayView; 3], types: [&Type; 3], inner: Val) -> Val {
        let class_and_kind = |ty: &Type| match *ty {
            Type::Integer(kind) => Some((0, kind)),
            Type::Real(kind @ (4 | 8)) => Some((1, kind)),
            Type::Complex(kind) => Some((2, kind)),
            _ => None,
        };
        let Some((class, kind)) = class_and_kind(types[2]) else { return Val::pred(true) };
        let is_one_type = types.iter().all(|ty| class_and_kind(ty) == Some((class, kind)));
        let [result, left, right] = arrays;
        let are_matrices = arrays.iter().all(|array| array.dims.len() == 2);
        // The run time raises no flags of single operations.
        if !self.b.is_host()
            || self.b.usage().asks_exceptions.is_some()
            || !is_one_type
            || !are_matrices
            || left.gathers()
            || right.gathers()
        {
            return Val::pred(true);
        }
        let size = self.b.size(result);
        let products = self.b.imul(size, inner);
        let is_large = self.b.icmp(CmpOp::Ge, products, Val::i64(WORTH_A_CALL));
        if is_large == Val::pred(false) {
            return Val::pred(true);
        }
        let columns = right.dims[1].extent;
        let done = self.b.mutable(Ty::I64);
        self.b.set(done, Val::i64(-1));
        self.when(is_large, |this| {
            let descriptors = [result, left, right].map(|array| this.b.descriptor_of(array));
            this.b.set(done, Val::i64(0));
            let (again, end) = (this.b.new_block(), this.b.new_block());
            this.b.jump(again);
            this.b.switch_to(again);
            let mut args = vec![Val::i32(class)];
            args.extend(descriptors);
            args.push(done.into());
            if let Some(&columns_done) = this.b.rt(Rt::MatrixProduct, args).first() {
                this.b.set(done, columns_done);
            }
            let is_begun = this.b.icmp(CmpOp::Ge, done.into(), Val::i64(0));
            let is_less = this.b.icmp(CmpOp::Lt, done.into(), columns);
            let goes_on = this.b.combine(BinOp::And, is_begun, is_less);
            this.b.branch(goes_on, again, end);
            this.b.switch_to(end);
        });
        self.b.icmp(CmpOp::Lt, done.into(), Val::i64(0))
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
