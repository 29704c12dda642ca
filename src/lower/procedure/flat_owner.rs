//! What flat objects own: their allocatable components. Where the bytes of an object were copied, two objects name the same
//! components; a function that is made for the type gives one of them its own, another one frees them. They take the length parameters,
//! which do not belong to the object.
//!
//! Device data that host code cannot reach is left alone: its components are those of the object that was copied to it.
//!
//! Not here: the assignment of such objects (`assign::flat`).

use crate::builder::Builder;
use crate::builder::flow::Flow;
use crate::function::FunctionLowering;
use crate::module::generated::ObjectHelper;
use crate::module::globals::descriptor_bytes;
use crate::object::allocate::AllocateHow;
use crate::object::flat::owns_parts;
use crate::storage::VarStorage;
use crate::types::{align, const_bytes, has_allocatable, has_flat_final, is_flat};
use crate::value::array_view::ArrayView;
use crate::value::descriptor::Descriptor;
use crate::value::lvalue::MemRef;
use ir::op::CmpOp;
use ir::{FuncId, FuncKind, FunctionBuilder, Space, Ty, Val};
use sema::checked::{Expr, Field, Program, Type, TypeId, VarId};

/// Whether something happens when flat objects of a type end.
pub(crate) fn has_flat_end(program: &Program, ty: &Type) -> bool {
    is_flat(program, ty) && owns_parts(program, ty) || has_flat_final(program, ty)
}

impl<'p> Builder<'_, 'p> {
    /// Gives objects, which were copied as bytes, copies of their own of all that the originals own.
    pub(crate) fn own_flat(&mut self, view: &ArrayView, ty: &Type, lengths: &[Val]) {
        self.each_flat_owner(view, ty, lengths, ObjectHelper::Own);
    }

    /// Ends objects: finalises them and frees what they own.
    pub(crate) fn end_flat(&mut self, view: &ArrayView, ty: &Type, lengths: &[Val]) {
        self.finalise_flat(view, ty, lengths);
        self.free_flat(view, ty, lengths);
    }

    /// Frees what objects own, which are finalised already.
    pub(crate) fn free_flat(&mut self, view: &ArrayView, ty: &Type, lengths: &[Val]) {
        let what = if self.frees_copies() { ObjectHelper::Release } else { ObjectHelper::Free };
        self.each_flat_owner(view, ty, lengths, what);
    }

    /// The same at the end of the current scope.
    pub(crate) fn end_flat_later(&mut self, view: &ArrayView, ty: &Type, lengths: &[Val]) {
        if has_flat_end(self.program(), ty) {
            let lengths: Vec<Val> = lengths.iter().map(|&n| self.freeze(n)).collect();
            let (view, ty) = (view.clone(), ty.clone());
            self.defer(move |b| b.end_flat(&view, &ty, &lengths));
        }
    }

    /// Frees what copies own, which are not finalised.
    pub(crate) fn release_flat(&mut self, view: &ArrayView, ty: &Type, lengths: &[Val]) {
        self.of_copies(|this| this.free_flat(view, ty, lengths));
    }

    /// Finalises flat objects of host code.
    pub(crate) fn finalise_flat(&mut self, view: &ArrayView, ty: &Type, lengths: &[Val]) {
        let Type::Derived(id) = ty else { return };
        let is_left_alone = self.frees_copies() || !self.is_host() || self.is_remote(view.mem);
        if let (Some(of_host), false) = (&self.program().ty(*id).of_host, is_left_alone)
            && has_flat_final(self.program(), ty)
        {
            self.finalise_twins(view, of_host, lengths);
        }
    }

    fn each_flat_owner(&mut self, view: &ArrayView, ty: &Type, lengths: &[Val], what: ObjectHelper) {
        let Type::Derived(id) = ty else { return };
        if !is_flat(self.program(), ty) || !owns_parts(self.program(), ty) || self.is_remote(view.mem) {
            return;
        }
        let helper = self.flat_helper(*id, what);
        let extents = view.extents();
        self.each_position(&extents, &[view], &mut |this, index, linear| {
            let mem = this.element_pos(view, index, linear);
            let mut args = vec![this.address(mem)];
            args.extend_from_slice(lengths);
            this.call(helper, args, &[]);
        });
    }

    /// The function that does so with an object of a type: it takes the address of the object and its length parameters.
    pub(crate) fn flat_helper(&mut self, id: TypeId, what: ObjectHelper) -> FuncId {
        let key = (id, what, self.side());
        if let Some(func) = self.module().object_helper(key) {
            return func;
        }
        let def = self.program().ty(id);
        let (kind, space) =
            if self.is_host() { (FuncKind::Host, Space::Host) } else { (FuncKind::Device, Space::Generic) };
        let verb = match what {
            ObjectHelper::Own => "own",
            ObjectHelper::Release => "release",
            _ => "free",
        };
        let func = self.module().new_function(&format!("{}.{verb}", def.name), kind, def.span);
        self.module().set_object_helper(key, func);
        let mut b = FunctionBuilder::new(self.module().function_name(func), kind, def.span);
        let object = MemRef::at(b.param(Ty::I64, "object").into(), space);
        let lengths: Vec<Val> = def.open_parameters().map(|p| b.param(Ty::I64, p.name.clone()).into()).collect();
        let (side, proc) = (self.side(), self.procedure());
        let mut inner = FunctionLowering::new(self.module(), b, side, proc);
        inner.each_flat_part(object, id, &lengths, &mut |this, field, view, own| match what {
            _ if field.pointer => {}
            ObjectHelper::Own => this.own_flat_part(field, &view, &own),
            _ => this.free_flat_part(field, &view, &own, what),
        });
        let made = inner.b.finish_subroutine();
        self.module().set_function(func, made);
        func
    }

    /// Gives the objects of an allocatable component, if there are any, copies of their own of what they own.
    pub(crate) fn own_flat_data(&mut self, field: &Field, mem: MemRef, d: &Descriptor) {
        self.each_flat_object(field, mem, d, |this, view, lengths| this.own_flat(view, &field.ty, lengths));
    }

    /// Ends them.
    pub(crate) fn end_flat_data(&mut self, field: &Field, mem: MemRef, d: &Descriptor) {
        self.each_flat_object(field, mem, d, |this, view, lengths| this.end_flat(view, &field.ty, lengths));
    }

    fn each_flat_object(
        &mut self,
        field: &Field,
        mem: MemRef,
        d: &Descriptor,
        each: impl FnOnce(&mut Self, &ArrayView, &[Val]),
    ) {
        if !has_flat_end(self.program(), &field.ty) {
            return;
        }
        let behind = descriptor_bytes(field.shape.rank(), field.class) as i64;
        let set = self.desc_is_set(d);
        self.when(set, |this| {
            // Their lengths are kept behind the descriptor.
            let lengths: Vec<Val> =
                (0..field.lengths.len()).map(|i| this.load_word(mem.plus(behind + 8 * i as i64))).collect();
            let view = this.desc_view(d);
            each(this, &view, &lengths);
        });
    }

    /// Gives objects with allocatable components, which were copied as bytes, their own.
    pub(super) fn own_objects(&mut self, view: &ArrayView, ty: &'p Type) {
        if !has_allocatable(self.program(), ty) {
            return;
        }
        let bytes = const_bytes(self.program(), ty).unwrap_or(0);
        let copy = self.temporary(Val::i64(bytes as i64), 8);
        let extents = view.extents();
        self.each_position(&extents, &[view], &mut |this, index, linear| {
            let mem = this.element_pos(view, index, linear);
            this.copy_words(copy, mem, bytes, align(this.program(), ty));
            this.store_default(mem, ty);
            this.copy_object(mem, copy, ty);
        });
    }
}

impl<'p> FunctionLowering<'_, 'p> {
    fn own_flat_part(&mut self, field: &'p Field, view: &ArrayView, own: &[Val]) {
        if field.is_allocatable() {
            return self.own_flat_allocatable(field, view.mem);
        }
        if is_flat(self.b.program(), &field.ty) {
            self.b.own_flat(view, &field.ty, own);
        } else {
            self.b.own_objects(view, &field.ty);
        }
    }

    fn own_flat_allocatable(&mut self, field: &'p Field, mem: MemRef) {
        if field.class {
            return self.b.unsupported("a copy of a polymorphic component of an object with run-time lengths");
        }
        let d = self.flat_descriptor(field, mem);
        let set = self.b.desc_is_set(&d);
        self.when(set, |this| {
            let source = this.b.desc_view(&d);
            let shape: Vec<(Val, Val)> = source.dims.iter().map(|dim| (dim.lower, dim.extent)).collect();
            let location = this.b.data_location(field.cuda);
            this.b.allocate_data(&d, &shape, source.element, location, &field.name, AllocateHow::default());
            let target = this.b.desc_view(&d);
            if !is_flat(this.b.program(), &field.ty) {
                this.b.initialise_data(&d, &field.ty);
            }
            this.b.copy_array(&target, &source, &field.ty);
            this.b.own_flat_data(field, mem, &d);
        });
    }

    fn free_flat_part(&mut self, field: &'p Field, view: &ArrayView, own: &[Val], what: ObjectHelper) {
        let program = self.b.program();
        if field.is_allocatable() {
            let d = self.flat_descriptor(field, view.mem);
            let location = self.b.data_location(field.cuda);
            let free = |b: &mut Builder<'_, '_>| {
                b.end_flat_data(field, view.mem, &d);
                b.free_data(&d, &field.ty, location);
            };
            if what == ObjectHelper::Release {
                self.b.of_copies(free);
            } else {
                free(&mut self.b);
            }
            self.b.desc_clear(&d);
        } else if is_flat(program, &field.ty) {
            // It is finalised with the whole.
            self.b.each_flat_owner(view, &field.ty, own, what);
        } else if has_allocatable(program, &field.ty) {
            self.b.free_fields_of_view(view, &field.ty);
        }
    }

    fn flat_descriptor(&mut self, field: &'p Field, mem: MemRef) -> Descriptor {
        let d = self.b.field_desc(field, mem);
        self.with_own_length(field, d)
    }

    /// Ends the objects of an allocatable or pointer, if there are any, which have lengths then.
    fn end_flat_objects(&mut self, d: &Descriptor, ty: &Type, lengths: impl FnOnce(&mut Self) -> Vec<Val>) {
        if !has_flat_end(self.b.program(), ty) {
            return;
        }
        let set = self.b.desc_is_set(d);
        self.when(set, |this| {
            let view = this.b.desc_view(d);
            let lengths = lengths(this);
            this.b.end_flat(&view, ty, &lengths);
        });
    }

    /// The same for a designator of flat objects; nothing for others.
    pub(crate) fn end_flat_of(&mut self, e: &'p Expr, d: &Descriptor) {
        if is_flat(self.b.program(), &e.ty) {
            self.end_flat_objects(d, &e.ty, |this| this.lengths_of(e));
        }
    }

    /// A flat dummy with VALUE, whose bytes its lengths say: the procedure's own copy. Kernels get what the object owns with it.
    pub(super) fn own_flat_object(&mut self, v: VarId, given: MemRef) -> MemRef {
        let var = self.b.program().var(v);
        let bytes = self.bytes_of_variable(v, None);
        let own = self.b.temporary(bytes, 8);
        let present =
            if var.attrs.optional { self.b.icmp(CmpOp::Ne, given.addr, Val::i64(0)) } else { Val::pred(true) };
        let lengths: Vec<Val> = self.flat_variable_lengths(v).into_iter().flatten().collect();
        let object = self.b.dense(own, bytes, None, &[]);
        self.when(present, |this| {
            this.b.copy_flat_object(own, given, bytes, &var.ty);
            if this.b.func().kind != FuncKind::Kernel {
                this.b.own_flat(&object, &var.ty, &lengths);
            }
        });
        let addr = self.b.address(own);
        let addr = self.b.select(Ty::I64, present, addr, Val::i64(0)).into();
        MemRef { addr, offset: 0, volatile: given.volatile, ..own }
    }

    /// Frees what such a dummy owns.
    pub(super) fn free_flat_value(&mut self, v: VarId) {
        if self.b.func().kind != FuncKind::Kernel && owns_parts(self.b.program(), &self.b.program().var(v).ty) {
            let present = self.presence(v);
            self.when(present, |this| {
                if let Some((view, lengths)) = this.flat_objects_of(v) {
                    this.b.release_flat(&view, &this.b.program().var(v).ty, &lengths);
                }
            });
        }
    }

    /// Ends the objects of a flat variable; nothing for others.
    pub(crate) fn end_flat_variable(&mut self, v: VarId) {
        let var = self.b.program().var(v);
        if !var.attrs.is_flat || var.attrs.pointer || !has_flat_end(self.b.program(), &var.ty) {
            return;
        }
        if let Some(VarStorage::Described(d)) = self.storage.get(v).cloned() {
            self.end_flat_objects(&d, &var.ty, |this| this.flat_variable_lengths(v).into_iter().flatten().collect());
        } else if let Some((view, lengths)) = self.flat_objects_of(v) {
            self.b.end_flat(&view, &var.ty, &lengths);
        }
    }

    /// The objects of a flat variable that is no allocatable and no pointer, and their lengths.
    fn flat_objects_of(&mut self, v: VarId) -> Option<(ArrayView, Vec<Val>)> {
        let view = match self.storage.get(v).cloned()? {
            VarStorage::Array(view) => view,
            VarStorage::Scalar(mem, _) => {
                let element = self.bytes_of_variable(v, None);
                self.b.dense(mem, element, None, &[])
            }
            _ => return None,
        };
        Some((view, self.flat_variable_lengths(v).into_iter().flatten().collect()))
    }
}
