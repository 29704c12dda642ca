//! Objects of derived type: copying them and freeing what they own.
//!
//! An object without allocatable components is copied word by word. Allocatable components are copied deeply (Fortran 2018,
//! 10.2.1.3); pointer components share their target. For a recursive type a generated function does this and calls itself.
//!
//! Not here: structure constructors (`expr::structure`), finalisation (`finalise`).

use crate::builder::Builder;
use crate::builder::flow::Flow;
use crate::module::generated::{ClassHelper, ObjectHelper};
use crate::module::globals::{described_bytes, descriptor_bytes};
use crate::object::allocate::AllocateHow;
use crate::types::{align, const_bytes, has_allocatable, has_end, has_final, is_flat, is_recursive};
use crate::value::Value;
use crate::value::array_view::ArrayView;
use crate::value::descriptor::Descriptor;
use crate::value::lvalue::{Lvalue, MemRef};
use ir::op::CmpOp;
use ir::{FuncId, FuncKind, FunctionBuilder, Space, Ty, Val};
use sema::checked::{Field, Type, TypeId};

/// Up to so many words are copied without a loop.
const UNROLLED_WORDS: u64 = 16;

impl<'p> Builder<'_, 'p> {
    /// Copies bytes in words as wide as the alignment allows.
    pub(crate) fn copy_words(&mut self, to: MemRef, from: MemRef, bytes: u64, unit: u64) {
        let ty = match unit {
            8.. => Ty::I64,
            4..8 => Ty::I32,
            2..4 => Ty::I16,
            _ => Ty::I8,
        };
        let size = u64::from(ty.bytes());
        let words = bytes / size;
        if words <= UNROLLED_WORDS {
            for i in 0..words {
                let offset = (i * size) as i64;
                let word = self.load_scalar(from.plus(offset), ty);
                self.store_scalar(to.plus(offset), ty, word.into());
            }
        } else {
            self.repeat(Val::i64(words as i64), &mut |this, i| {
                let offset = this.imul(i, Val::i64(size as i64));
                let (source, target) = (this.advance(from, offset), this.advance(to, offset));
                let word = this.load_scalar(source, ty);
                this.store_scalar(target, ty, word.into());
            });
        }
        let rest = words * size;
        if rest < bytes {
            self.copy_words(to.plus(rest as i64), from.plus(rest as i64), bytes - rest, 1);
        }
    }

    /// `to = from` of objects.
    pub(crate) fn copy_object(&mut self, to: MemRef, from: MemRef, ty: &Type) {
        let Type::Derived(id) = ty else { return };
        let program = self.program();
        if is_flat(program, ty) {
            return self.refuse_flat();
        }
        let bytes = const_bytes(program, ty).unwrap_or(0);
        if self.is_remote(to) || self.is_remote(from) {
            return self.copy_bytes(to, from, Val::i64(bytes as i64));
        }
        if to == from {
            return;
        }
        if !has_allocatable(program, ty) {
            return self.copy_words(to, from, bytes, align(program, ty));
        }
        if is_recursive(program, *id) {
            let (to, from) = (self.address(to), self.address(from));
            let helper = self.helper(*id, ObjectHelper::Copy);
            self.call(helper, vec![to, from], &[]);
            return;
        }
        self.copy_fields(to, from, *id);
    }

    fn copy_fields(&mut self, to: MemRef, from: MemRef, id: TypeId) {
        let program = self.program();
        for field in &program.ty(id).fields {
            let (target, source) = (to.plus(field.offset as i64), from.plus(field.offset as i64));
            self.copy_field(field, target, source);
        }
    }

    /// Copies an array; objects with what they own, which is not theirs any more where they were.
    pub(crate) fn move_array(&mut self, to: &ArrayView, from: &ArrayView, ty: &Type) {
        let program = self.program();
        if !has_allocatable(program, ty) || self.is_remote(to.mem) || self.is_remote(from.mem) {
            return self.copy_array(to, from, ty);
        }
        let bytes = const_bytes(program, ty).unwrap_or(0);
        let extents = to.extents();
        self.each_position(&extents, &[to, from], &mut |this, index, linear| {
            let (target, source) = (this.element_pos(to, index, linear), this.element_pos(from, index, linear));
            this.copy_words(target, source, bytes, align(program, ty));
        });
    }

    /// A copy of an object in a temporary, with copies of what it owns.
    pub(crate) fn deep_copy(&mut self, from: MemRef, ty: &Type) -> MemRef {
        let copy = self.temporary(Val::i64(self.type_bytes(ty)), 8);
        self.store_component(Lvalue::Mem(copy), ty, &Value::Object(from));
        copy
    }

    /// The same, freed at the end of the current scope.
    pub(crate) fn owned_copy(&mut self, from: MemRef, ty: &Type) -> MemRef {
        let copy = self.deep_copy(from, ty);
        let view = self.object_view(copy, ty);
        self.release_later(view, ty.clone());
        copy
    }

    /// The function that copies or assigns objects of a recursive type, or frees what they own.
    pub(crate) fn helper(&mut self, id: TypeId, what: ObjectHelper) -> FuncId {
        let key = (id, what, self.side());
        if let Some(func) = self.module().object_helper(key) {
            return func;
        }
        let def = self.program().ty(id);
        let kind = if self.is_host() { FuncKind::Host } else { FuncKind::Device };
        let verb = match what {
            ObjectHelper::Copy => "copy",
            ObjectHelper::Assign => "assign",
            ObjectHelper::Free => "free",
            ObjectHelper::FreeFields => "free_fields",
            ObjectHelper::Release => "release",
            ObjectHelper::Make => return self.maker(id),
            ObjectHelper::Own => return self.flat_helper(id, what),
        };
        let func = self.module().new_function(&format!("{}.{verb}", def.name), kind, def.span);
        self.module().set_object_helper(key, func);
        let mut b = FunctionBuilder::new(self.module().function_name(func), kind, def.span);
        let space = if self.is_host() { Space::Host } else { Space::Generic };
        let to = MemRef::at(b.param(Ty::I64, "to").into(), space);
        let is_free = matches!(what, ObjectHelper::Free | ObjectHelper::FreeFields | ObjectHelper::Release);
        let from = (!is_free).then(|| MemRef::at(b.param(Ty::I64, "from").into(), space));
        let (side, proc) = (self.side(), self.procedure());
        let mut inner = Builder::new(self.module(), b, side, proc);
        match from {
            Some(from) if what == ObjectHelper::Assign => inner.assign_fields(to, from, id),
            Some(from) => inner.copy_fields(to, from, id),
            None if what == ObjectHelper::Release => inner.of_copies(|this| this.free_fields(to, id)),
            None if what == ObjectHelper::FreeFields => inner.free_fields(to, id),
            None => {
                inner.finalise(to, &Type::Derived(id));
                inner.free_fields(to, id);
            }
        }
        let made = inner.finish_subroutine();
        self.module().set_function(func, made);
        func
    }

    /// `to = from` of one component.
    pub(crate) fn copy_field(&mut self, field: &'p Field, to: MemRef, from: MemRef) {
        let program = self.program();
        if field.sized.is_some() {
            return self.copy_sized(field, to, from);
        }
        if field.allocatable {
            return self.copy_allocatable_field(field, to, from);
        }
        if field.pointer {
            return self.copy_words(to, from, described_bytes(program, field), 8);
        }
        let (target, source) = (self.field_view(field, to), self.field_view(field, from));
        if has_allocatable(program, &field.ty) {
            return self.copy_array(&target, &source, &field.ty);
        }
        let elements: i64 = target.dims.iter().filter_map(|d| crate::builder::arith::constant(d.extent)).product();
        let bytes = const_bytes(program, &field.ty).unwrap_or(0) * elements as u64;
        self.copy_words(to, from, bytes, align(program, &field.ty));
    }

    fn copy_allocatable_field(&mut self, field: &'p Field, to: MemRef, from: MemRef) {
        let (target, source) = (self.field_desc(field, to), self.field_desc(field, from));
        let other = is_flat(self.program(), &field.ty).then(|| {
            let (old, new) = (self.desc_base(&target), self.desc_base(&source));
            self.icmp(CmpOp::Ne, old, new)
        });
        if let Some(other) = other {
            self.when(other, |this| this.end_flat_data(field, to, &target));
        }
        let behind = descriptor_bytes(field.shape.rank(), field.class);
        let lengths = described_bytes(self.program(), field) - behind;
        self.copy_words(to.plus(behind as i64), from.plus(behind as i64), lengths, 8);
        self.copy_allocatable(field, &target, &source);
        if let Some(other) = other {
            self.when(other, |this| this.own_flat_data(field, to, &target));
        }
    }

    /// Copies an allocatable component with its data.
    pub(crate) fn copy_allocatable(&mut self, field: &'p Field, to: &Descriptor, from: &Descriptor) {
        if field.class {
            let location = self.data_location(field.cuda);
            let source = self.desc_view(from);
            return self.set_class(to, (&field.ty, location), &source, None, &field.name, ClassHelper::Copy);
        }
        self.replace_allocatable(field, to, from, &mut |this, to, from| this.copy_array(to, from, &field.ty));
    }

    /// Frees an allocatable component and allocates it like another one; `assign` gives it the other's value.
    pub(crate) fn replace_allocatable(
        &mut self,
        field: &'p Field,
        to: &Descriptor,
        from: &Descriptor,
        assign: &mut dyn FnMut(&mut Self, &ArrayView, &ArrayView),
    ) {
        let location = self.data_location(field.cuda);
        // Assigning an object to itself must not free what is to be copied.
        let (new, old) = (self.desc_base(from), self.desc_base(to));
        let other = self.icmp(CmpOp::Ne, new, old);
        self.when(other, |this| {
            this.free_data(to, &field.ty, location);
            this.desc_clear(to);
            let set = this.icmp(CmpOp::Ne, new, Val::i64(0));
            this.when(set, |this| {
                let source = this.desc_view(from);
                let shape: Vec<(Val, Val)> = source.dims.iter().map(|d| (d.lower, d.extent)).collect();
                let how = AllocateHow { may_hold_lengths: this.holds_lengths(&field.ty), ..AllocateHow::default() };
                this.allocate_data(to, &shape, source.element, location, &field.name, how);
                let target = this.desc_view(to);
                this.keep_lengths(&target, &source, &field.ty);
                if !this.make_like(&target, &source, &field.ty) {
                    this.initialise_data(to, &field.ty);
                }
                assign(this, &target, &source);
            });
        });
    }

    /// Frees what an object owns.
    pub(crate) fn free_components(&mut self, mem: MemRef, ty: &Type) {
        let Type::Derived(id) = ty else { return };
        let program = self.program();
        if !has_end(program, ty) || self.is_remote(mem) {
            return;
        }
        if !is_recursive(program, *id) {
            self.finalise(mem, ty);
        }
        if !has_allocatable(program, ty) {
            return;
        }
        if is_recursive(program, *id) {
            let how = if self.frees_copies() { ObjectHelper::Release } else { ObjectHelper::Free };
            return self.free_recursive(mem, *id, how);
        }
        self.free_fields(mem, *id);
    }

    /// Frees what an object of a recursive type owns.
    fn free_recursive(&mut self, mem: MemRef, id: TypeId, how: ObjectHelper) {
        let addr = self.address(mem);
        let helper = self.helper(id, how);
        self.call(helper, vec![addr], &[]);
    }

    fn free_fields(&mut self, mem: MemRef, id: TypeId) {
        let program = self.program();
        for field in &program.ty(id).fields {
            let at = mem.plus(field.offset as i64);
            if field.sized.is_some() {
                let d = self.field_desc(field, at);
                self.free_sized(field, &d);
            } else if field.allocatable {
                let d = self.field_desc(field, at);
                self.end_flat_data(field, at, &d);
                self.free_data(&d, &field.ty, self.data_location(field.cuda));
                self.desc_clear(&d);
            } else if !field.pointer && has_allocatable(program, &field.ty) {
                // Its FINAL subroutine was called with that of the whole.
                let view = self.field_view(field, at);
                self.free_fields_of_view(&view, &field.ty);
            }
        }
    }

    /// Frees what the elements of an array own.
    pub(crate) fn free_components_of_view(&mut self, view: &ArrayView, ty: &Type) {
        if !has_end(self.program(), ty) || self.is_remote(view.mem) {
            return;
        }
        if !view.dims.is_empty() && has_final(self.program(), ty) && !self.frees_copies() {
            self.finalise_view(view, ty);
            return self.free_fields_of_view(view, ty);
        }
        let extents = view.extents();
        self.each_position(&extents, &[view], &mut |this, index, linear| {
            let mem = this.element_pos(view, index, linear);
            this.free_components(mem, ty);
        });
    }

    /// Frees what a copy owns, which is no object of the program's and is not finalised.
    pub(crate) fn release(&mut self, copy: MemRef, ty: &Type) {
        if let (Type::Derived(id), true) = (ty, has_allocatable(self.program(), ty)) {
            self.of_copies(|this| this.free_fields(copy, *id));
        }
    }

    /// Frees what the elements of an array of copies own, without finalising them.
    pub(crate) fn release_view(&mut self, copies: &ArrayView, ty: &Type) {
        self.of_copies(|this| this.free_fields_of_view(copies, ty));
    }

    /// Frees what the elements of an array own, which are finalised already.
    pub(crate) fn free_fields_of_view(&mut self, view: &ArrayView, ty: &Type) {
        let Type::Derived(id) = ty else { return };
        if !has_allocatable(self.program(), ty) {
            return;
        }
        let is_recursive = is_recursive(self.program(), *id);
        let how = if self.frees_copies() { ObjectHelper::Release } else { ObjectHelper::FreeFields };
        let extents = view.extents();
        self.each_position(&extents, &[view], &mut |this, index, linear| {
            let mem = this.element_pos(view, index, linear);
            if is_recursive {
                return this.free_recursive(mem, *id, how);
            }
            this.free_fields(mem, *id);
        });
    }

    /// At the end of the current scope frees what copies own. They are not the program's objects and are not finalised.
    pub(crate) fn release_later(&mut self, copies: ArrayView, ty: Type) {
        self.defer(move |b| b.release_view(&copies, &ty));
    }

    /// At the end of the current scope finalises objects and frees what they own: the result of a function.
    pub(crate) fn end_later(&mut self, objects: ArrayView, ty: Type) {
        self.defer(move |b| b.free_components_of_view(&objects, &ty));
    }

    /// The same for an allocatable result, whose memory is freed too.
    pub(crate) fn end_data_later(&mut self, d: Descriptor, ty: Type, location: i32) {
        self.defer(move |b| b.free_data(&d, &ty, location));
    }

    /// Stores into fresh memory, which holds nothing that assignment would free.
    pub(crate) fn store_component(&mut self, place: Lvalue, ty: &Type, v: &Value) {
        if let (Lvalue::Mem(mem), true) = (place, has_allocatable(self.program(), ty)) {
            if let Some((blank, bytes)) = self.default_memory(ty) {
                self.copy_words(mem, blank, bytes, align(self.program(), ty));
            }
        }
        self.store_value(place, ty, v);
    }
}
