//! Intrinsic assignment of objects that hold length parameters (Fortran 2018, 10.2.1.2, 10.2.1.3): both sides have the same
//! ones, but for an allocatable that was declared with `:`, which takes them.
//!
//! Not here: copying the objects (`object::derived`, `object::made`).

use crate::builder::flow::Flow;
use crate::function::FunctionLowering;
use crate::value::Value;
use crate::value::array_view::ArrayView;
use crate::value::descriptor::Descriptor;
use crate::value::lvalue::{Lvalue, MemRef};
use ir::Val;
use ir::op::CmpOp;
use sema::checked::{Expr, Type};

impl<'p> FunctionLowering<'_, 'p> {
    /// Checks the lengths of an object that is assigned to another.
    pub(crate) fn check_assigned(&mut self, place: Lvalue, target: &'p Expr, v: &Value) {
        if let (true, Lvalue::Mem(to), Value::Object(from)) = (self.b.holds_lengths(&target.ty), place, v) {
            let wanted = self.held(to, &target.ty);
            self.check_object(*from, &target.ty, &wanted);
        }
    }

    /// Checks the lengths of an object that is assigned to an allocatable.
    pub(crate) fn check_allocated(&mut self, target: &'p Expr, v: &Value) {
        if let (true, Value::Object(from)) = (self.b.holds_lengths(&target.ty), v) {
            let wanted = self.declared_lengths(target);
            self.check_object(*from, &target.ty, &wanted);
        }
    }

    /// Checks the lengths of objects that are assigned to those of a view, if there are any.
    pub(crate) fn check_value(&mut self, target: &'p Expr, view: &ArrayView, from: &ArrayView) {
        let ty = &target.ty;
        if !self.b.holds_lengths(ty) {
            return;
        }
        if self.reallocatable(target).is_some() {
            let wanted = self.declared_lengths(target);
            return self.b.check_lengths(from, ty, &wanted);
        }
        let extents = view.extents();
        let count = self.b.product(&extents);
        let some = self.b.icmp(CmpOp::Gt, count, Val::i64(0));
        self.when(some, |this| {
            let wanted = this.held(view.mem, ty);
            this.b.check_lengths(from, ty, &wanted);
        });
    }

    /// Gives a component of a constructor, which is made already, a value; says whether its objects hold lengths.
    pub(crate) fn store_part(&mut self, view: &ArrayView, ty: &'p Type, value: &'p Expr) -> bool {
        if !self.b.holds_lengths(ty) {
            return false;
        }
        let from = self.complete(value);
        let extents = view.extents();
        if value.rank > 0 {
            self.demand_shape(&extents, &from.extents());
        }
        let count = self.b.product(&extents);
        let some = self.b.icmp(CmpOp::Gt, count, Val::i64(0));
        self.when(some, |this| {
            let wanted = this.held(view.mem, ty);
            this.b.check_lengths(&from, ty, &wanted);
        });
        if value.rank == 0 {
            self.b.fill(view, &Value::Object(from.mem), ty);
        } else {
            self.b.copy_array(view, &from, ty);
        }
        true
    }

    /// Checks the lengths of objects that a pointer or an allocatable takes over, if there are any.
    pub(crate) fn check_taken(&mut self, target: &'p Expr, view: &ArrayView) {
        if self.b.holds_lengths(&target.ty) {
            let wanted = self.declared_lengths(target);
            self.check_set(view, &target.ty, &wanted);
        }
    }

    /// Checks the lengths of objects, if there are any.
    pub(crate) fn check_set(&mut self, view: &ArrayView, ty: &Type, wanted: &[Option<Val>]) {
        let address = self.b.address(view.mem);
        let is_set = self.b.icmp(CmpOp::Ne, address, Val::i64(0));
        self.when(is_set, |this| this.b.check_lengths(view, ty, wanted));
    }

    /// Checks that all objects of an array have the lengths of the first.
    pub(crate) fn check_alike(&mut self, view: &ArrayView, ty: &Type) {
        if !self.b.holds_lengths(ty) {
            return;
        }
        let extents = view.extents();
        let count = self.b.product(&extents);
        let some = self.b.icmp(CmpOp::Gt, count, Val::i64(0));
        self.when(some, |this| {
            let wanted = this.held(view.mem, ty);
            this.each_position(&extents, &[view], &mut |this, index, linear| {
                let object = this.b.element_pos(view, index, linear);
                this.check_object(object, ty, &wanted);
            });
        });
    }

    /// The lengths that an object holds, all of which are wanted.
    pub(crate) fn held(&mut self, mem: MemRef, ty: &Type) -> Vec<Option<Val>> {
        let Type::Derived(id) = ty else { return Vec::new() };
        self.b.held_lengths(mem, *id).into_iter().map(Some).collect()
    }

    fn check_object(&mut self, object: MemRef, ty: &Type, wanted: &[Option<Val>]) {
        let view = self.b.object_view(object, ty);
        self.b.check_lengths(&view, ty, wanted);
    }

    /// `target = value` where the target is an array; `whole` is an allocatable that may be allocated anew.
    pub(crate) fn assign_made(&mut self, whole: Option<&Descriptor>, target: &'p Expr, value: &'p Expr) {
        let ty = &target.ty;
        let from = self.complete(value);
        let from = if value.rank == 0 { from } else { self.b.local_view(from, ty) };
        let view = match whole {
            Some(d) => {
                let wanted = self.declared_lengths(target);
                self.b.check_lengths(&from, ty, &wanted);
                if value.rank > 0 {
                    let lowers = self.lowers_of(value, &from);
                    let shape: Vec<(Val, Val)> = lowers.into_iter().zip(from.extents()).collect();
                    let element = self.b.desc_element(d);
                    self.b.fit_allocation(d, target, &shape, element);
                }
                let view = self.b.desc_view(d);
                self.b.keep_lengths(&view, &from, ty);
                view
            }
            None => {
                let Some(view) = self.designator_view(target) else {
                    return self.b.unsupported("an assignment to this object");
                };
                if value.rank > 0 {
                    self.b.check_shape(&view, &from.extents());
                }
                self.check_value(target, &view, &from);
                view
            }
        };
        if whole.is_none() || value.rank == 0 {
            self.b.finalise_view(&view, ty);
        }
        if value.rank == 0 {
            return self.at(target.span, |this| this.b.fill(&view, &Value::Object(from.mem), ty));
        }
        self.at(target.span, |this| this.b.copy_array(&view, &from, ty));
    }

    /// The value in a copy of its own, which the assignment cannot change.
    fn complete(&mut self, value: &'p Expr) -> ArrayView {
        if value.rank > 0 {
            return self.materialise(value);
        }
        let v = self.value(value);
        let from = self.b.as_object(&v);
        let copy = self.b.owned_copy(from, &value.ty);
        self.b.object_view(copy, &value.ty)
    }
}
