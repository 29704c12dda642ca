//! ALLOCATE, DEALLOCATE and what frees allocatables implicitly.
//!
//! `stat=` gets the service's code (0: success); without it a failure ends the program. Allocating what is allocated is code
//! 151, as nvfortran's run time numbers it.

use crate::array::element_lvalue;
use crate::builder::Builder;
use crate::builder::flow::Flow;
use crate::function::FunctionLowering;
use crate::storage::VarStorage;
use crate::types::{HOST_MEMORY, MANAGED_MEMORY, align, alloc_where, const_bytes, has_default, has_end};
use crate::value::Value;
use crate::value::descriptor::Descriptor;
use ast::CudaAttr;
use ir::op::CmpOp;
use ir::rt::Rt;
use ir::{Ty, Val};
use sema::checked::{AllocObject, CharLen, Expr, ExprKind, Type, VarId};

/// The code for an object that is allocated already.
const ALREADY_ALLOCATED: i32 = 151;

impl Builder<'_, '_> {
    /// The memory that an allocatable or pointer designator is allocated from.
    pub(crate) fn location_of(&self, e: &Expr) -> i32 {
        let cuda = match &e.kind {
            ExprKind::Var(v) => self.program().var(*v).attrs.cuda,
            ExprKind::Field { base, field } => self.field_of(base, *field).and_then(|f| f.cuda),
            _ => None,
        };
        self.data_location(cuda)
    }

    /// The memory that data of a variable or component with this attribute is allocated from.
    pub(crate) fn data_location(&self, cuda: Option<CudaAttr>) -> i32 {
        match alloc_where(self.side(), cuda) {
            HOST_MEMORY if self.options().managed => MANAGED_MEMORY,
            location => location,
        }
    }

    fn cuda_of(&self, e: &Expr) -> Option<CudaAttr> {
        match &e.kind {
            ExprKind::Var(v) => self.program().var(*v).attrs.cuda,
            ExprKind::Field { base, field } => self.field_of(base, *field).and_then(|f| f.cuda),
            _ => None,
        }
    }

    /// Allocates data of these lower bounds and extents and makes the descriptor that of it; gives the code.
    pub(crate) fn allocate_data(
        &mut self,
        d: &Descriptor,
        shape: &[(Val, Val)],
        element: Val,
        location: i32,
        name: &str,
        has_stat: bool,
    ) -> Val {
        let extents: Vec<Val> = shape.iter().map(|s| s.1).collect();
        let bytes = self.array_bytes(&extents, element);
        let (text, len) = self.name_text(name);
        let flag = Val::i32(i32::from(has_stat));
        let results = self.rt(Rt::Alloc, vec![Val::i32(location), bytes, text, len, flag]);
        let (Some(&addr), Some(&stat)) = (results.first(), results.get(1)) else { return Val::i32(0) };
        let mem = crate::value::lvalue::MemRef::at(addr.into(), d.data);
        let mut view = self.dense(mem, element, d.is_char.then_some(element), &extents);
        for (dim, s) in view.dims.iter_mut().zip(shape) {
            dim.lower = s.0;
        }
        if has_stat {
            let good: Val = self.cmp(CmpOp::Eq, Ty::I32, stat, Val::i32(0)).into();
            self.when(good, |this| this.desc_set(d, &view));
        } else {
            self.desc_set(d, &view);
        }
        stat.into()
    }

    /// Gives fresh data its default values.
    pub(crate) fn initialise_data(&mut self, d: &Descriptor, ty: &Type) {
        if has_default(self.program(), ty) {
            let view = self.desc_view(d);
            self.initialise_view(&view, ty);
        }
    }

    /// Frees the data of a descriptor, if there is some; the descriptor is not cleared.
    pub(crate) fn free_if_set(&mut self, d: &Descriptor, location: i32) {
        let base = self.desc_base(d);
        let set = self.icmp(CmpOp::Ne, base, Val::i64(0));
        self.when(set, |this| {
            this.rt(Rt::Free, vec![Val::i32(location), base, Val::i64(0), Val::i64(0), Val::i32(0)]);
        });
    }

    /// Frees the data of a descriptor and what its elements hold.
    pub(crate) fn free_data(&mut self, d: &Descriptor, ty: &Type, location: i32) {
        self.free_components_of(d, ty);
        self.free_if_set(d, location);
    }

    fn free_components_of(&mut self, d: &Descriptor, ty: &Type) {
        if d.class {
            return self.free_class_components(d, ty);
        }
        if !has_end(self.program(), ty) {
            return;
        }
        let set = self.desc_is_set(d);
        self.when(set, |this| {
            let view = this.desc_view(d);
            this.free_components_of_view(&view, ty);
        });
    }

    /// Gives each element of an array its default value.
    pub(crate) fn initialise_view(&mut self, view: &crate::value::array_view::ArrayView, ty: &Type) {
        let Some(bytes) = crate::module::globals::default_bytes(self.program(), ty) else { return };
        let from = self.constant_memory(&bytes, align(self.program(), ty));
        if self.is_remote(view.mem) {
            return self.fill_remote(view, &Value::Object(from), ty);
        }
        let extents = view.extents();
        let (size, unit) = (bytes.len() as u64, align(self.program(), ty));
        self.each_position(&extents, &[view], &mut |this, index, linear| {
            let mem = this.element_pos(view, index, linear);
            this.copy_words(mem, from, size, unit);
        });
    }
}

impl<'p> FunctionLowering<'_, 'p> {
    pub(crate) fn allocate(
        &mut self,
        objects: &'p [AllocObject],
        source: Option<&'p (Expr, bool)>,
        stat: Option<&'p Expr>,
        errmsg: Option<&'p Expr>,
        pinned: Option<&'p Expr>,
    ) {
        let has_stat = stat.is_some();
        let result = self.b.mutable(Ty::I32);
        self.b.set(result, Val::i32(0));
        for object in objects {
            // After a failure the remaining objects are left alone.
            let good: Val = if has_stat && objects.len() > 1 {
                self.b.cmp(CmpOp::Eq, Ty::I32, result, Val::i32(0)).into()
            } else {
                Val::pred(true)
            };
            self.when(good, |this| {
                let code = this.at(object.object.span, |this| this.allocate_object(object, source, has_stat));
                this.b.set(result, code);
            });
        }
        self.report_stat(result.into(), stat, errmsg, "allocation failed");
        if let Some(flag) = pinned {
            let all = objects.iter().all(|o| self.b.cuda_of(&o.object) == Some(CudaAttr::Pinned));
            let place = self.lvalue(flag);
            self.b.store_value(place, &flag.ty, &Value::Pred(Val::pred(all)));
        }
    }

    /// Stores a code and, if it is not 0, a message.
    fn report_stat(&mut self, code: Val, stat: Option<&'p Expr>, errmsg: Option<&'p Expr>, message: &str) {
        if let Some(e) = stat {
            let v = self.b.cast(code, Ty::I32, crate::types::ir_ty(&e.ty));
            let place = self.lvalue(e);
            self.b.store_value(place, &e.ty, &Value::Scalar(v));
        }
        if let Some(e) = errmsg {
            let bad: Val = self.b.cmp(CmpOp::Ne, Ty::I32, code, Val::i32(0)).into();
            self.when(bad, |this| {
                let mem = this.b.constant_memory(message.as_bytes(), 1);
                let place = this.lvalue(e);
                this.b.store_value(place, &e.ty, &Value::Char(mem, Val::i64(message.len() as i64)));
            });
        }
    }

    fn allocate_object(&mut self, object: &'p AllocObject, source: Option<&'p (Expr, bool)>, has_stat: bool) -> Val {
        let e = &object.object;
        let Some(d) = self.descriptor(e) else {
            self.b.unsupported("allocation of this object");
            return Val::i32(0);
        };
        let mut shape: Vec<(Val, Val)> = Vec::with_capacity(object.bounds.len());
        for (lo, hi) in &object.bounds {
            let lower = lo.as_ref().map_or(Val::i64(1), |e| self.bound(e));
            let upper = self.bound(hi);
            let extent = self.b.allocated_extent(lower, upper);
            shape.push((lower, extent));
        }
        if d.class {
            return self.allocate_class(object, &d, &shape, source, has_stat);
        }
        let from = source.filter(|(s, _)| s.rank > 0).map(|(s, _)| self.view(s));
        if let (true, Some(view)) = (shape.is_empty() && e.rank > 0, &from) {
            for dim in &view.dims {
                let extent = self.b.freeze(dim.extent);
                let lower = if source.is_some_and(|(s, _)| crate::analysis::expressions::is_whole(s)) {
                    dim.lower
                } else {
                    Val::i64(1)
                };
                shape.push((self.b.freeze(lower), extent));
            }
        }
        let element = self.element_of_allocation(object, &d, source);
        self.allocate_unless_taken(&d, &shape, element, e, has_stat, |this| {
            this.b.initialise_data(&d, &e.ty);
            if let Some((s, false)) = source {
                let to = this.b.desc_view(&d);
                match &from {
                    Some(from) => this.b.copy_array(&to, from, &e.ty),
                    None => {
                        let v = this.value(s);
                        if e.rank > 0 {
                            this.b.fill(&to, &v, &e.ty);
                        } else {
                            this.b.store_value(element_lvalue(to.mem, to.len), &e.ty, &v);
                        }
                    }
                }
            }
        })
    }

    /// Allocates data for an object and lets `fill` give it a value; an allocatable object must not have any yet. Gives the
    /// code.
    pub(crate) fn allocate_unless_taken(
        &mut self,
        d: &Descriptor,
        shape: &[(Val, Val)],
        element: Val,
        object: &Expr,
        has_stat: bool,
        fill: impl FnOnce(&mut Self),
    ) -> Val {
        let (name, location) = (self.b.designator_name(object), self.b.location_of(object));
        let base = self.b.desc_base(d);
        let taken = if d.contiguous { self.b.icmp(CmpOp::Ne, base, Val::i64(0)) } else { Val::pred(false) };
        let result = self.b.mutable(Ty::I32);
        self.either(
            taken,
            |this| {
                if has_stat {
                    this.b.set(result, Val::i32(ALREADY_ALLOCATED));
                } else {
                    let (text, len) = this.b.name_text(&name);
                    this.b.rt(Rt::ErrorAlreadyAllocated, vec![text, len]);
                }
            },
            |this| {
                let code = this.b.allocate_data(d, shape, element, location, &name, has_stat);
                this.b.set(result, code);
                let good: Val =
                    if has_stat { this.b.cmp(CmpOp::Eq, Ty::I32, code, Val::i32(0)).into() } else { Val::pred(true) };
                this.when(good, fill);
            },
        );
        result.into()
    }

    /// Bytes of an element: of a character of deferred length, what the statement says.
    fn element_of_allocation(
        &mut self,
        object: &'p AllocObject,
        d: &Descriptor,
        source: Option<&'p (Expr, bool)>,
    ) -> Val {
        if let Some(n) = d.element {
            return n;
        }
        let length = match &object.spec {
            Some(Type::Character(CharLen::Const(n))) => Some(Val::i64((*n).max(0))),
            Some(Type::Character(CharLen::Expr(e))) => {
                let n = self.bound(e);
                Some(self.b.at_least_zero(n))
            }
            _ => source.and_then(|(s, _)| self.length_of(s, None)),
        };
        // A dummy of assumed length: its descriptor knows.
        length.unwrap_or_else(|| self.b.desc_element(d))
    }

    pub(crate) fn deallocate(&mut self, objects: &'p [Expr], stat: Option<&'p Expr>, errmsg: Option<&'p Expr>) {
        let has_stat = stat.is_some();
        let result = self.b.mutable(Ty::I32);
        self.b.set(result, Val::i32(0));
        for e in objects {
            let Some(d) = self.descriptor(e) else {
                self.b.unsupported("allocation of this object");
                continue;
            };
            let (name, location) = (self.b.designator_name(e), self.b.location_of(e));
            self.at(e.span, |this| {
                this.b.free_components_of(&d, &e.ty);
                let base = this.b.desc_base(&d);
                let (text, len) = this.b.name_text(&name);
                let flag = Val::i32(i32::from(has_stat));
                let results = this.b.rt(Rt::Free, vec![Val::i32(location), base, text, len, flag]);
                this.b.desc_clear(&d);
                if let Some(&code) = results.first() {
                    let bad: Val = this.b.cmp(CmpOp::Ne, Ty::I32, code, Val::i32(0)).into();
                    if has_stat {
                        this.when(bad, |this| this.b.set(result, code));
                    }
                }
            });
        }
        self.report_stat(result.into(), stat, errmsg, "deallocation failed");
    }

    /// Frees what a local variable holds when its procedure or BLOCK is left.
    pub(crate) fn free_variable(&mut self, v: VarId) {
        let var = self.b.program().var(v);
        let location = self.b.data_location(var.attrs.cuda);
        match self.storage.get(v).cloned() {
            Some(VarStorage::Described(d)) if var.attrs.allocatable => {
                self.b.free_data(&d, &var.ty, location);
                self.b.desc_clear(&d);
            }
            Some(VarStorage::Array(view)) => self.b.free_components_of_view(&view, &var.ty),
            Some(VarStorage::Scalar(mem, _)) => self.b.free_components(mem, &var.ty),
            _ => {}
        }
    }

    /// Initialises a variable in memory by default, where its type says so.
    pub(crate) fn initialise_variable(&mut self, v: VarId) {
        let var = self.b.program().var(v);
        if !has_default(self.b.program(), &var.ty) && !has_end(self.b.program(), &var.ty) {
            return;
        }
        match self.storage.get(v).cloned() {
            Some(VarStorage::Array(view)) => self.b.initialise_view(&view, &var.ty),
            Some(VarStorage::Scalar(mem, _)) => {
                let bytes = const_bytes(self.b.program(), &var.ty).unwrap_or(0);
                let view = self.b.dense(mem, Val::i64(bytes as i64), None, &[]);
                self.b.initialise_view(&view, &var.ty);
            }
            _ => return,
        }
        // The main program frees nothing at its end, but its BLOCKs do.
        let frees = (self.blocks.frees_procedure() || self.blocks.depth() > 1) && has_end(self.b.program(), &var.ty);
        if frees && matches!(var.storage, sema::checked::Storage::Local) {
            self.blocks.add_variable(v);
        }
    }
}
