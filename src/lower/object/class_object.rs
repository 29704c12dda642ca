//! Polymorphic objects in memory: copying, freeing, default values.
//!
//! Functions generated for the declared type do this, with a case for each possible dynamic type. An object of intrinsic
//! type is copied byte by byte.
//!
//! Not here: statements with polymorphic objects (`assign::class_object`).

use crate::analysis::type_tags::members;
use crate::builder::Builder;
use crate::builder::flow::Flow;
use crate::module::generated::ClassHelper;
use crate::object::allocate::AllocateHow;
use crate::types::{HOST_MEMORY, align, assigns_components, has_allocatable, has_default, has_end, has_final, is_made};
use crate::value::array_view::ArrayView;
use crate::value::descriptor::{Descriptor, DescriptorAt};
use crate::value::lvalue::MemRef;
use ir::op::{BinOp, CmpOp};
use ir::rt::Rt;
use ir::{FuncId, FuncKind, FunctionBuilder, Reg, Space, Ty, Val};
use sema::checked::{Program, Type};

impl Builder<'_, '_> {
    pub(crate) fn set_tag(&mut self, d: &Descriptor, tag: Val) {
        if let (DescriptorAt::Mem(mem), true) = (&d.at, d.class) {
            let offset = ir::descriptor::bytes(u32::from(d.rank)) as i64;
            self.store_scalar(mem.plus(offset), Ty::I64, tag);
        }
    }

    /// Gives a polymorphic allocatable a copy of an object, or an array of copies with these bounds and extents, and frees what it
    /// held, which the object may be a part of.
    pub(crate) fn set_class(
        &mut self,
        d: &Descriptor,
        (ty, location): (&Type, i32),
        source: &ArrayView,
        filled: Option<&[(Val, Val)]>,
        name: &str,
        how: ClassHelper,
    ) {
        let mut copy = |this: &mut Self, to: &ArrayView| this.copy_class(to, source, ty, how);
        if !matches!(how, ClassHelper::Assign) || self.may_be_made(ty) {
            return self.set_fresh_class(d, (ty, location), source, filled, name, &mut copy);
        }
        // Objects of the same type and shape are assigned where they are: pointers to them stay good, and an array keeps its
        // bounds (Fortran 2018, 10.2.1.3).
        let stays = self.is_like(d, source);
        let goes = self.negate(stays);
        self.when(stays, |this| this.replace_objects(d, ty, source, filled));
        self.when(goes, |this| this.set_fresh_class(d, (ty, location), source, filled, name, &mut copy));
    }

    /// A copy of polymorphic objects in a polymorphic allocatable, which the caller frees.
    pub(crate) fn copy_of_objects(
        &mut self,
        ty: &Type,
        source: &ArrayView,
        filled: Option<&[(Val, Val)]>,
    ) -> Descriptor {
        let rank = filled.map_or(source.dims.len(), <[_]>::len) as u8;
        let slot = self.empty_descriptor(rank);
        let copy = self.desc_of((ty, true), rank, DescriptorAt::Mem(slot), Space::Host, true, None);
        self.set_fresh_class(&copy, (ty, HOST_MEMORY), source, filled, "copy", &mut |this, to| {
            this.copy_class(to, source, ty, ClassHelper::Copy);
        });
        copy
    }

    /// Assigns objects to those of the same type and shape that a polymorphic allocatable holds. The source may be a part of them.
    fn replace_objects(&mut self, d: &Descriptor, ty: &Type, source: &ArrayView, filled: Option<&[(Val, Val)]>) {
        let copy = self.copy_of_objects(ty, source, filled);
        let (to, from) = (self.desc_view(d), self.desc_view(&copy));
        if self.may_assign_components(ty) {
            self.finalise_class_view(&to, ty);
            self.copy_class(&to, &from, ty, ClassHelper::Replace);
            return self.of_copies(|this| this.free_data(&copy, ty, HOST_MEMORY));
        }
        // What the copy owns becomes theirs.
        self.free_components_of(d, ty);
        let (old, new) = (self.address(to.mem), self.address(from.mem));
        let extents = from.extents();
        let count = self.product(&extents);
        let bytes = self.imul(count, from.element);
        self.rt(Rt::Copy, vec![old, new, bytes]);
        self.free_if_set(&copy, HOST_MEMORY);
    }

    /// Gives a polymorphic allocatable objects in fresh memory, which `set` gives their values, and frees what it held.
    pub(crate) fn set_fresh_class(
        &mut self,
        d: &Descriptor,
        (ty, location): (&Type, i32),
        source: &ArrayView,
        filled: Option<&[(Val, Val)]>,
        name: &str,
        set: &mut dyn FnMut(&mut Self, &ArrayView),
    ) {
        let slot = self.empty_descriptor(d.rank);
        let fresh = Descriptor { at: DescriptorAt::Mem(slot), ..d.clone() };
        let base = self.address(source.mem);
        let is_there = self.icmp(CmpOp::Ne, base, Val::i64(0));
        let declared = self.tag_of(ty);
        let tag = source.tag.unwrap_or(declared);
        // Where there is no object, the type is the declared one.
        self.set_tag(&fresh, declared);
        self.when(is_there, |this| {
            let own = || source.dims.iter().map(|dim| (dim.lower, dim.extent)).collect();
            let shape: Vec<(Val, Val)> = filled.map_or_else(own, <[_]>::to_vec);
            let room = AllocateHow { may_hold_lengths: this.may_be_made(ty), ..AllocateHow::default() };
            this.allocate_data(&fresh, &shape, source.element, location, name, room);
            this.set_tag(&fresh, tag);
            let to = this.desc_view(&fresh);
            this.keep_lengths(&to, source, ty);
            set(this, &to);
        });
        self.free_data(d, ty, location);
        let view = self.desc_view(&fresh);
        self.desc_set(d, &view);
    }

    /// Whether a polymorphic allocatable holds objects of the dynamic type, size and shape of others, of which one fills an array.
    fn is_like(&mut self, d: &Descriptor, y: &ArrayView) -> Val {
        let base = self.address(y.mem);
        let (is_there, other) = (self.desc_is_set(d), self.icmp(CmpOp::Ne, base, Val::i64(0)));
        let both = self.combine(BinOp::And, is_there, other);
        // Only the address of what is not allocated is known.
        let is_like = self.mutable(Ty::Pred);
        self.set(is_like, Val::pred(false));
        self.when(both, |this| {
            let equal = this.are_alike(d, y);
            this.set(is_like, equal);
        });
        is_like.into()
    }

    /// The same for what is there.
    fn are_alike(&mut self, d: &Descriptor, y: &ArrayView) -> Val {
        let x = self.desc_view(d);
        let mut all = Val::pred(true);
        let tags = (x.tag.unwrap_or(Val::i64(0)), y.tag.unwrap_or(Val::i64(0)));
        let pairs = [tags, (x.element, y.element)].into_iter().chain(x.extents().into_iter().zip(y.extents()));
        for (p, q) in pairs.collect::<Vec<_>>() {
            let equal = self.icmp(CmpOp::Eq, p, q);
            all = self.combine(BinOp::And, all, equal);
        }
        all
    }

    /// Copies objects into fresh memory; one object fills an array.
    pub(crate) fn copy_class(&mut self, to: &ArrayView, from: &ArrayView, ty: &Type, how: ClassHelper) {
        let helper = self.class_helper(ty, if self.may_assign_components(ty) { how } else { ClassHelper::Copy });
        let tag = from.tag.unwrap_or_else(|| self.tag_of(ty));
        let fills = from.dims.is_empty() && !to.dims.is_empty();
        let views: &[&ArrayView] = if fills { &[to] } else { &[to, from] };
        let extents = to.extents();
        self.each_position(&extents, views, &mut |this, index, linear| {
            let target = this.element_pos(to, index, linear);
            let source = if fills { from.mem } else { this.element_pos(from, index, linear) };
            let (target, source) = (this.address(target), this.address(source));
            this.call(helper, vec![tag, target, source, from.element], &[]);
        });
    }

    /// Whether an object of a class may have components that have a defined assignment.
    pub(crate) fn may_assign_components(&self, ty: &Type) -> bool {
        let program = self.program();
        let root = if let Type::Derived(id) = ty { Some(*id) } else { None };
        members(program, self.tags(), root).into_iter().any(|id| assigns_components(program, &Type::Derived(id)))
    }

    pub(crate) fn each_object(&mut self, view: &ArrayView, ty: &Type, what: ClassHelper) {
        let helper = self.class_helper(ty, what);
        let tag = view.tag.unwrap_or_else(|| self.tag_of(ty));
        let extents = view.extents();
        self.each_position(&extents, &[view], &mut |this, index, linear| {
            let mem = this.element_pos(view, index, linear);
            let addr = this.address(mem);
            this.call(helper, vec![tag, addr], &[]);
        });
    }

    /// Frees what the objects of a polymorphic allocatable or pointer own.
    pub(crate) fn free_class_components(&mut self, d: &Descriptor, ty: &Type) {
        let set = self.desc_is_set(d);
        self.when(set, |this| {
            let view = this.desc_view(d);
            this.free_class_view(&view, ty);
        });
    }

    /// The same for a view. An array is finalised as one where its dynamic type has FINAL subroutines, which may be for its rank.
    pub(crate) fn free_class_view(&mut self, view: &ArrayView, ty: &Type) {
        let program = self.program();
        let root = if let Type::Derived(id) = ty { Some(*id) } else { None };
        let finals = !view.dims.is_empty()
            && !self.frees_copies()
            && members(program, self.tags(), root).iter().any(|&id| has_final(program, &Type::Derived(id)));
        if !finals {
            let how = if self.frees_copies() { ClassHelper::Release } else { ClassHelper::Free };
            return self.each_object(view, ty, how);
        }
        self.each_member(view, ty, has_end, &mut |this, plain, ty| this.free_components_of_view(plain, ty));
    }

    /// Finalises polymorphic objects, an array as one.
    fn finalise_class_view(&mut self, view: &ArrayView, ty: &Type) {
        self.each_member(view, ty, has_final, &mut |this, plain, ty| this.finalise_view(plain, ty));
    }

    /// Does something with objects where their dynamic type is one of those that `matters` names.
    pub(crate) fn each_member(
        &mut self,
        view: &ArrayView,
        ty: &Type,
        matters: fn(&Program, &Type) -> bool,
        each: &mut dyn FnMut(&mut Self, &ArrayView, &Type),
    ) {
        let program = self.program();
        let root = if let Type::Derived(id) = ty { Some(*id) } else { None };
        let tag = view.tag.unwrap_or_else(|| self.tag_of(ty));
        for id in members(program, self.tags(), root) {
            let ty = Type::Derived(id);
            if matters(program, &ty) {
                let wanted = self.tag_of(&ty);
                let is_this = self.icmp(CmpOp::Eq, tag, wanted);
                self.when(is_this, |this| {
                    let plain = this.plain_view(ArrayView { tag: Some(tag), ..view.clone() }, &ty);
                    each(this, &plain, &ty);
                });
            }
        }
    }

    /// The function that does something with objects of a class.
    fn class_helper(&mut self, ty: &Type, what: ClassHelper) -> FuncId {
        let root = if let Type::Derived(id) = ty { Some(*id) } else { None };
        let key = (root, what);
        if let Some(func) = self.module().class_helper(key) {
            return func;
        }
        let program = self.program();
        let (name, span) = match root {
            Some(id) => (&*program.ty(id).name, program.ty(id).span),
            None => ("*", source::Span::NONE),
        };
        let verb = match what {
            ClassHelper::Copy => "copy",
            ClassHelper::Assign => "assign",
            ClassHelper::Replace => "replace",
            ClassHelper::Free => "free",
            ClassHelper::Release => "release",
            ClassHelper::Init => "initialise",
        };
        let func = self.module().new_function(&format!("class({name}).{verb}"), FuncKind::Host, span);
        self.module().set_class_helper(key, func);
        let mut b = FunctionBuilder::new(self.module().function_name(func), FuncKind::Host, span);
        let tag: Val = b.param(Ty::I64, "type").into();
        let to = MemRef::at(b.param(Ty::I64, "object").into(), Space::Host);
        let source: Option<(Reg, Reg)> = matches!(what, ClassHelper::Copy | ClassHelper::Assign | ClassHelper::Replace)
            .then(|| (b.param(Ty::I64, "from"), b.param(Ty::I64, "bytes")));
        let (side, proc) = (self.side(), self.procedure());
        let mut inner = Builder::new(self.module(), b, side, proc);
        let end = inner.return_block();
        for id in members(program, inner.tags(), root) {
            let ty = Type::Derived(id);
            let matters = match what {
                ClassHelper::Copy | ClassHelper::Assign | ClassHelper::Replace => true,
                ClassHelper::Free | ClassHelper::Release => has_end(program, &ty),
                ClassHelper::Init => has_default(program, &ty) || is_made(program, &ty),
            };
            if !matters {
                continue;
            }
            let is_this = {
                let wanted = inner.tag_of(&ty);
                inner.icmp(CmpOp::Eq, tag, wanted)
            };
            inner.when(is_this, |this| {
                match (what, source) {
                    (ClassHelper::Copy, Some((from, _))) => {
                        if has_allocatable(program, &ty) {
                            this.store_default(to, &ty);
                        }
                        this.copy_object(to, MemRef::at(from.into(), Space::Host), &ty);
                    }
                    (ClassHelper::Assign, Some((from, _))) => {
                        let from = MemRef::at(from.into(), Space::Host);
                        let (new, old) = (this.object_view(to, &ty), this.object_view(from, &ty));
                        if !this.make_like(&new, &old, &ty) {
                            this.store_default(to, &ty);
                        }
                        this.assign_object(to, from, &ty);
                    }
                    (ClassHelper::Replace, Some((from, _))) => {
                        this.assign_object(to, MemRef::at(from.into(), Space::Host), &ty);
                    }
                    (ClassHelper::Free, _) => this.free_components(to, &ty),
                    (ClassHelper::Release, _) => this.release(to, &ty),
                    _ if is_made(program, &ty) => {
                        let view = this.object_view(to, &ty);
                        this.make_again(&view, &ty);
                    }
                    _ => this.store_default(to, &ty),
                }
                this.jump(end);
                let after = this.new_block();
                this.switch_to(after);
            });
        }
        if let Some((from, bytes)) = source {
            // An object of intrinsic type.
            inner.repeat(bytes.into(), &mut |this, i| {
                let (source, target) = (this.advance(MemRef::at(from.into(), Space::Host), i), this.advance(to, i));
                let byte = this.load_scalar(source, Ty::I8);
                this.store_scalar(target, Ty::I8, byte.into());
            });
        }
        let made = inner.finish_subroutine();
        self.module().set_function(func, made);
        func
    }

    /// Whether an object of a class may be one that is made at run time.
    pub(crate) fn may_be_made(&self, ty: &Type) -> bool {
        let root = if let Type::Derived(id) = ty { Some(*id) } else { None };
        members(self.program(), self.tags(), root).iter().any(|&id| is_made(self.program(), &Type::Derived(id)))
    }

    /// Gives a fresh object the default values of its type.
    pub(crate) fn store_default(&mut self, to: MemRef, ty: &Type) {
        if let Some((from, bytes)) = self.default_memory(ty) {
            self.copy_words(to, from, bytes, align(self.program(), ty));
        }
    }
}
