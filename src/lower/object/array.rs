//! Arrays in memory: copying, filling, making contiguous, comparing shapes.
//!
//! Not here: array expressions (`array`), transfers between host and device (`transfer`).

use crate::analysis::designators::designator_name;
use crate::builder::Builder;
use crate::builder::flow::Flow;
use crate::object::allocate::AllocateHow;
use crate::types::{has_final, is_flat};
use crate::value::Value;
use crate::value::array_view::ArrayView;
use crate::value::descriptor::Descriptor;
use crate::value::lvalue::{MemRef, element_lvalue};
use ir::Val;
use ir::op::{BinOp, CmpOp};
use sema::checked::{Expr, Type};

impl<'p> Builder<'_, 'p> {
    /// The element of a view at a position.
    pub(crate) fn element_pos(&mut self, view: &ArrayView, index: &[Val], linear: bool) -> MemRef {
        match index.first() {
            // A scalar is the same for all.
            _ if view.dims.is_empty() => view.mem,
            Some(&i) if linear => self.element_linear(view, i),
            _ => self.element_by_position(view, index),
        }
    }

    /// The same array where this side can reach it.
    pub(crate) fn local_view(&mut self, view: ArrayView, ty: &Type) -> ArrayView {
        if !self.is_remote(view.mem) {
            return view;
        }
        let extents = view.extents();
        let local = if is_flat(self.program(), ty) {
            let bytes = self.array_bytes(&extents, view.element);
            let block = self.temporary(bytes, 8);
            self.dense(block, view.element, None, &extents)
        } else {
            self.temporary_bytes(ty, view.len, &extents)
        };
        self.keep_lengths(&local, &view, ty);
        self.copy_array(&local, &view, ty);
        let mut local = local;
        for (to, from) in local.dims.iter_mut().zip(&view.dims) {
            to.lower = from.lower;
        }
        local
    }

    /// A view with the elements one after another; itself if it is known to be so.
    pub(crate) fn contiguous_view(&mut self, view: ArrayView, ty: &Type) -> ArrayView {
        if view.is_contiguous() && !view.gathers() {
            return view;
        }
        let extents = view.extents();
        let dense = self.temporary_array(ty, view.len, &extents);
        self.keep_lengths(&dense, &view, ty);
        self.copy_array(&dense, &view, ty);
        dense
    }

    /// Reallocates what an assignment sets unless it has that shape; what stays is finalised.
    pub(crate) fn fit_allocation(&mut self, d: &Descriptor, target: &'p Expr, shape: &[(Val, Val)], element: Val) {
        let old = self.desc_view(d);
        let mut unfit = self.icmp(CmpOp::Eq, old.mem.addr, Val::i64(0));
        for (have, &(_, want)) in old.extents().into_iter().zip(shape) {
            let other = self.icmp(CmpOp::Ne, have, want);
            unfit = self.combine(BinOp::Or, unfit, other);
        }
        if d.element.is_none() {
            let other = self.icmp(CmpOp::Ne, old.element, element);
            unfit = self.combine(BinOp::Or, unfit, other);
        }
        let location = self.location_of(target);
        let name = designator_name(self.program(), target);
        let unfit = self.freeze(unfit);
        self.when(unfit, |this| {
            this.free_data(d, &target.ty, location);
            let how = AllocateHow { may_hold_lengths: this.holds_lengths(&target.ty), ..AllocateHow::default() };
            this.allocate_data(d, shape, element, location, &name, how);
            this.initialise_data(d, &target.ty);
        });
        if has_final(self.program(), &target.ty) {
            let stays = self.negate(unfit);
            self.when(stays, |this| {
                let view = this.desc_view(d);
                this.finalise_view(&view, &target.ty);
            });
        }
    }

    /// Sets every element of an array to a value.
    pub(crate) fn fill(&mut self, view: &ArrayView, v: &Value, ty: &Type) {
        if self.is_remote(view.mem) && !view.gathers() {
            return self.fill_remote(view, v, ty);
        }
        let extents = view.extents();
        self.each_position(&extents, &[view], &mut |this, index, linear| {
            let mem = this.element_pos(view, index, linear);
            this.store_value(element_lvalue(mem, view.len), ty, v);
        });
    }

    /// Copies an array element by element or in a transfer; shapes agree and memories do not overlap.
    pub(crate) fn copy_array(&mut self, to: &ArrayView, from: &ArrayView, ty: &Type) {
        let remote = self.is_remote(to.mem) || self.is_remote(from.mem);
        if remote && !to.gathers() && !from.gathers() {
            return self.transfer(to, from);
        }
        if is_flat(self.program(), ty) {
            return self.copy_each_flat(to, from, ty);
        }
        let extents = to.extents();
        self.each_position(&extents, &[to, from], &mut |this, index, linear| {
            let source = this.element_pos(from, index, linear);
            let value = this.load_value(element_lvalue(source, from.len), ty);
            let target = this.element_pos(to, index, linear);
            this.store_value(element_lvalue(target, to.len), ty, &value);
        });
    }

    /// With bounds checks on, reports a value whose shape is not that of the target.
    pub(crate) fn check_shape(&mut self, view: &ArrayView, extents: &[Val]) {
        let own = view.extents();
        self.check_extents(&own, extents);
    }

    /// With bounds checks on, reports shapes that do not conform.
    pub(crate) fn check_extents(&mut self, left: &[Val], right: &[Val]) {
        if !self.options().check_bounds {
            return;
        }
        for (dim, (&left, &right)) in left.iter().zip(right).enumerate() {
            let differs = self.icmp(CmpOp::Ne, left, right);
            self.when(differs, |this| {
                this.rt(ir::rt::Rt::ErrorShape, vec![left, right, Val::i32(dim as i32 + 1)]);
            });
        }
    }
}
