//! Polymorphic objects in memory: ALLOCATE, assignment, what INTENT(OUT) and the end of an object do.
//!
//! Objects are copied, freed and given their default values by functions made for the declared type, with a case for each type that
//! may come. An object of intrinsic type is copied byte by byte.

use crate::array::Env;
use crate::function::Fx;
use crate::object::dynamic_type::members;
use crate::storage::{Desc, DescAt, Home};
use crate::types::{align, assigns_components, const_bytes, has_allocatable, has_default, has_end, has_final};
use crate::value::place::Mem;
use crate::value::view::View;
use ir::op::CmpOp;
use ir::{FuncId, FuncKind, FunctionBuilder, Reg, Space, Ty, Val};
use sema::checked::{AllocObject, CharLen, Expr, Type, VarId};

/// What a made function does with an object of some type of a class.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum ClassHelper {
    /// Copies an object into fresh memory.
    Copy,
    /// The same by an assignment of the program, in which components have an assignment of their own.
    Assign,
    /// Frees what an object owns.
    Free,
    /// Gives an object its default values.
    Init,
}

impl<'p> Fx<'_, 'p> {
    /// ALLOCATE of a polymorphic object: of the type that the statement says, else of the source's, else of the declared one.
    pub(crate) fn allocate_class(
        &mut self,
        object: &'p AllocObject,
        d: &Desc,
        bounds: &[(Val, Val)],
        source: Option<&'p (Expr, bool)>,
        has_stat: bool,
    ) -> Val {
        let e = &object.object;
        let from = source.map(|(s, _)| {
            let view = self.whole_class_view(s);
            self.tagged(view, &s.ty)
        });
        let (tag, element) = match (&object.spec, &from) {
            (Some(ty), _) => (self.tag_of(ty), self.allocated_bytes(ty)),
            (None, Some(view)) => (view.tag.unwrap_or(Val::i64(0)), view.element),
            (None, None) => (self.tag_of(&e.ty), self.allocated_bytes(&e.ty)),
        };
        let (tag, element) = (self.freeze(tag), self.freeze(element));
        let mut shape = bounds.to_vec();
        if let (true, true, Some(view)) = (shape.is_empty(), e.rank > 0, &from) {
            let is_whole = source.is_some_and(|(s, _)| crate::assign::is_whole(s));
            for dim in &view.dims {
                let extent = self.freeze(dim.extent);
                let lower = if is_whole { self.freeze(dim.lower) } else { Val::i64(1) };
                shape.push((lower, extent));
            }
        }
        self.allocate_unless_taken(d, &shape, element, e, has_stat, |fx| {
            fx.set_tag(d, tag);
            let to = fx.desc_view(d);
            match (&from, source) {
                (Some(from), Some((_, false))) => fx.copy_class(&to, from, &e.ty, ClassHelper::Copy),
                _ => fx.each_object(&to, &e.ty, ClassHelper::Init),
            }
        })
    }

    /// Bytes of an object of the type that ALLOCATE names.
    fn allocated_bytes(&mut self, ty: &'p Type) -> Val {
        match ty {
            Type::Character(CharLen::Expr(e)) => {
                let n = self.bound(e);
                self.at_least_zero(n)
            }
            _ => Val::i64(const_bytes(self.program, ty).unwrap_or(0) as i64),
        }
    }

    fn set_tag(&mut self, d: &Desc, tag: Val) {
        if let (DescAt::Mem(mem), true) = (&d.at, d.class) {
            let offset = ir::descriptor::bytes(u32::from(d.rank)) as i64;
            self.store_scalar(mem.plus(offset), Ty::I64, tag);
        }
    }

    /// Assignment to a polymorphic allocatable: it takes the type, shape and value of the right side.
    pub(crate) fn assign_class(&mut self, target: &'p Expr, value: &'p Expr) {
        if target.rank != value.rank {
            return self.unsupported("a scalar assigned to a polymorphic array");
        }
        let Some(d) = self.descriptor(target) else { return self.unsupported("an assignment to this object") };
        let view = self.whole_class_view(value);
        let mut view = self.tagged(view, &value.ty);
        if !crate::assign::is_whole(value) {
            view.dims.iter_mut().for_each(|dim| dim.lower = Val::i64(1));
        }
        let (location, name) = (self.location_of(target), self.designator_name(target));
        self.set_class(&d, (&target.ty, location), &view, &name, ClassHelper::Assign);
    }

    /// Gives a polymorphic allocatable a copy of an object, and frees what it held, which the object may be a part of.
    pub(crate) fn set_class(
        &mut self,
        d: &Desc,
        (ty, location): (&Type, i32),
        source: &View,
        name: &str,
        how: ClassHelper,
    ) {
        let slot = self.empty_descriptor(d.rank);
        let fresh = Desc { at: DescAt::Mem(slot), ..d.clone() };
        let base = self.address(source.mem);
        let set = self.icmp(CmpOp::Ne, base, Val::i64(0));
        let tag = source.tag.unwrap_or_else(|| self.tag_of(ty));
        self.when(set, |fx| {
            let shape: Vec<(Val, Val)> = source.dims.iter().map(|dim| (dim.lower, dim.extent)).collect();
            fx.allocate_data(&fresh, &shape, source.element, location, name, false);
            fx.set_tag(&fresh, tag);
            let to = fx.desc_view(&fresh);
            fx.copy_class(&to, source, ty, how);
        });
        self.free_data(d, ty, location);
        let view = self.desc_view(&fresh);
        self.desc_set(d, &view);
    }

    /// Copies objects into fresh memory; one object fills an array.
    fn copy_class(&mut self, to: &View, from: &View, ty: &Type, how: ClassHelper) {
        let program = self.program;
        let root = if let Type::Derived(id) = ty { Some(*id) } else { None };
        let matters =
            members(program, &self.m.tags, root).into_iter().any(|id| assigns_components(program, &Type::Derived(id)));
        let helper = self.class_helper(ty, if matters { how } else { ClassHelper::Copy });
        let tag = from.tag.unwrap_or_else(|| self.tag_of(ty));
        let fills = from.dims.is_empty() && !to.dims.is_empty();
        let views: &[&View] = if fills { &[to] } else { &[to, from] };
        let extents = to.extents();
        self.for_each_element(Env::default(), &extents, views, &mut |fx, index, linear| {
            let target = fx.element_pos(to, index, linear);
            let source = if fills { from.mem } else { fx.element_pos(from, index, linear) };
            let (target, source) = (fx.address(target), fx.address(source));
            fx.b.call(helper, vec![tag, target, source, from.element], &[]);
        });
    }

    fn each_object(&mut self, view: &View, ty: &Type, what: ClassHelper) {
        let helper = self.class_helper(ty, what);
        let tag = view.tag.unwrap_or_else(|| self.tag_of(ty));
        let extents = view.extents();
        self.for_each_element(Env::default(), &extents, &[view], &mut |fx, index, linear| {
            let mem = fx.element_pos(view, index, linear);
            let addr = fx.address(mem);
            fx.b.call(helper, vec![tag, addr], &[]);
        });
    }

    /// Frees what the objects of a polymorphic allocatable or pointer own.
    pub(crate) fn free_class_components(&mut self, d: &Desc, ty: &Type) {
        let set = self.desc_is_set(d);
        self.when(set, |fx| {
            let view = fx.desc_view(d);
            fx.free_class_view(&view, ty);
        });
    }

    /// The same for a view. An array is finalised as one where its dynamic type has FINAL subroutines, which may be for its rank.
    fn free_class_view(&mut self, view: &View, ty: &Type) {
        let program = self.program;
        let root = if let Type::Derived(id) = ty { Some(*id) } else { None };
        let finals = !view.dims.is_empty()
            && members(program, &self.m.tags, root).iter().any(|&id| has_final(program, &Type::Derived(id)));
        if !finals {
            return self.each_object(view, ty, ClassHelper::Free);
        }
        let tag = view.tag.unwrap_or_else(|| self.tag_of(ty));
        for id in members(program, &self.m.tags, root) {
            let ty = Type::Derived(id);
            if has_end(program, &ty) {
                let wanted = self.tag_of(&ty);
                let is_this = self.icmp(CmpOp::Eq, tag, wanted);
                self.when(is_this, |fx| {
                    let plain = fx.plain_view(View { tag: Some(tag), ..view.clone() }, &ty);
                    fx.free_components_of_view(&plain, &ty);
                });
            }
        }
    }

    /// A polymorphic INTENT(OUT) dummy begins anew.
    pub(crate) fn begin_class(&mut self, v: VarId) {
        let Some(Home::Described(d)) = self.homes.get(&v).cloned() else { return };
        let ty = &self.program.var(v).ty;
        let view = self.desc_view(&d);
        self.free_class_view(&view, ty);
        self.each_object(&view, ty, ClassHelper::Init);
    }

    /// The function that does something with objects of a class.
    fn class_helper(&mut self, ty: &Type, what: ClassHelper) -> FuncId {
        let root = if let Type::Derived(id) = ty { Some(*id) } else { None };
        let key = (root, what);
        if let Some(&func) = self.m.class_helpers.get(&key) {
            return func;
        }
        let program = self.program;
        let (name, span) = match root {
            Some(id) => (&*program.ty(id).name, program.ty(id).span),
            None => ("*", source::Span::NONE),
        };
        let verb = match what {
            ClassHelper::Copy => "copy",
            ClassHelper::Assign => "assign",
            ClassHelper::Free => "free",
            ClassHelper::Init => "initialise",
        };
        let func = self.m.new_function(&format!("class({name}).{verb}"), FuncKind::Host, span);
        self.m.class_helpers.insert(key, func);
        let mut b = FunctionBuilder::new(self.m.function_name(func), FuncKind::Host, span);
        let tag: Val = b.param(Ty::I64, "type").into();
        let to = Mem::at(b.param(Ty::I64, "object").into(), Space::Host);
        let source: Option<(Reg, Reg)> = matches!(what, ClassHelper::Copy | ClassHelper::Assign)
            .then(|| (b.param(Ty::I64, "from"), b.param(Ty::I64, "bytes")));
        let (side, proc) = (self.side, self.proc);
        let mut inner = Fx::new(&mut *self.m, b, side, proc);
        let end = inner.return_bb;
        for id in members(program, &inner.m.tags, root) {
            let ty = Type::Derived(id);
            let matters = match what {
                ClassHelper::Copy | ClassHelper::Assign => true,
                ClassHelper::Free => has_end(program, &ty),
                ClassHelper::Init => has_default(program, &ty),
            };
            if !matters {
                continue;
            }
            let is_this = {
                let wanted = inner.tag_of(&ty);
                inner.icmp(CmpOp::Eq, tag, wanted)
            };
            inner.when(is_this, |fx| {
                match (what, source) {
                    (ClassHelper::Copy, Some((from, _))) => {
                        if has_allocatable(program, &ty) {
                            fx.store_default(to, &ty);
                        }
                        fx.copy_object(to, Mem::at(from.into(), Space::Host), &ty);
                    }
                    (ClassHelper::Assign, Some((from, _))) => {
                        fx.store_default(to, &ty);
                        fx.assign_object(to, Mem::at(from.into(), Space::Host), &ty);
                    }
                    (ClassHelper::Free, _) => fx.free_components(to, &ty),
                    _ => fx.store_default(to, &ty),
                }
                fx.b.jump(end);
                let after = fx.b.new_block();
                fx.b.switch_to(after);
            });
        }
        if let Some((from, bytes)) = source {
            // An object of intrinsic type.
            inner.repeat(bytes.into(), &mut |fx, i| {
                let (source, target) = (fx.advance(Mem::at(from.into(), Space::Host), i), fx.advance(to, i));
                let byte = fx.load_scalar(source, Ty::I8);
                fx.store_scalar(target, Ty::I8, byte.into());
            });
        }
        let made = inner.finish_subroutine();
        self.m.module.funcs[func.index()] = made;
        func
    }

    /// Gives a fresh object the default values of its type.
    fn store_default(&mut self, to: Mem, ty: &Type) {
        let Some(bytes) = crate::module::globals::default_bytes(self.program, ty) else { return };
        let unit = align(self.program, ty);
        let from = self.constant_memory(&bytes, unit);
        self.copy_words(to, from, bytes.len() as u64, unit);
    }
}
