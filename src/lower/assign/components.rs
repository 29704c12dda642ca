//! Intrinsic assignment of objects with components that have a defined assignment (Fortran 2018, 10.2.1.3, paragraph 13).
//!
//! If the type of a component binds `assignment(=)` for two objects of that type, that procedure assigns the component,
//! unless it is a pointer. All other components are copied. Only assignment statements do this: internal copies, SOURCE= and
//! constructors do not. Host code only, like all type-bound procedures.
//!
//! Not here: assignment of other objects (`assign`).

use crate::analysis::expressions::is_rearranged;
use crate::analysis::overlap::may_be_inside;
use crate::builder::Builder;
use crate::builder::flow::Flow;
use crate::function::FunctionLowering;
use crate::module::ArgKey;
use crate::module::generated::{ClassHelper, ObjectHelper};
use crate::types::{assigns_components, is_recursive};
use crate::value::Value;
use crate::value::arguments::{Captures, Passed};
use crate::value::array_view::{ArrayView, Contiguity};
use crate::value::descriptor::Descriptor;
use crate::value::lvalue::{Lvalue, MemRef};
use ir::Val;
use sema::checked::{Expr, Field, ProcId, Program, Shape, Type, TypeId, Variable};

impl Builder<'_, '_> {
    /// `to = from` of objects, by components.
    pub(crate) fn assign_object(&mut self, to: MemRef, from: MemRef, ty: &Type) {
        let program = self.program();
        let Type::Derived(id) = ty else { return };
        if !assigns_components(program, ty) || self.is_remote(to) || self.is_remote(from) {
            return self.copy_object(to, from, ty);
        }
        if is_recursive(program, *id) {
            let (to, from) = (self.address(to), self.address(from));
            let helper = self.helper(*id, ObjectHelper::Assign);
            self.call(helper, vec![to, from], &[]);
            return;
        }
        self.assign_fields(to, from, *id);
    }

    /// Assigns the components of an object one after another.
    pub(crate) fn assign_fields(&mut self, to: MemRef, from: MemRef, id: TypeId) {
        let program = self.program();
        for field in &program.ty(id).fields {
            let (target, source) = (to.plus(field.offset as i64), from.plus(field.offset as i64));
            let own = match &field.ty {
                _ if field.class && field.allocatable => {
                    let (target, source) = (self.field_desc(field, target), self.field_desc(field, source));
                    self.assign_class_component(field, &target, &source);
                    continue;
                }
                Type::Derived(inner) if !field.pointer => {
                    !program.ty(*inner).assigns.is_empty() || assigns_components(program, &field.ty)
                }
                _ => false,
            };
            if !own {
                self.copy_field(field, target, source);
            } else if field.sized.is_some() {
                // Made like the other, and then assigned element by element.
                self.copy_sized(field, target, source);
                let (target, source) = (self.field_desc(field, target), self.field_desc(field, source));
                let (target, source) = (self.desc_view(&target), self.desc_view(&source));
                assign_part(self, &target, &source, &field.ty);
            } else if field.allocatable {
                let (target, source) = (self.field_desc(field, target), self.field_desc(field, source));
                self.replace_allocatable(field, &target, &source, &mut |this, to, from| {
                    assign_part(this, to, from, &field.ty);
                });
            } else {
                let (target, source) = (self.field_view(field, target), self.field_view(field, source));
                assign_part(self, &target, &source, &field.ty);
            }
        }
    }

    /// Gives a polymorphic component fresh objects of the other's dynamic type. Where its declared type binds an assignment,
    /// the procedure that the dynamic type binds assigns them.
    fn assign_class_component(&mut self, field: &Field, to: &Descriptor, from: &Descriptor) {
        let (ty, location) = (&field.ty, self.data_location(field.cuda));
        let source = self.desc_view(from);
        let is_defined = matches!(ty, Type::Derived(id) if binds_assignment(self.program(), *id, source.dims.len()));
        self.set_fresh_class(to, (ty, location), &source, None, &field.name, &mut |this, fresh| {
            if !is_defined {
                return this.copy_class(fresh, &source, ty, ClassHelper::Assign);
            }
            this.each_object(fresh, ty, ClassHelper::Init);
            this.each_member(fresh, ty, |_, _| true, &mut |this, fresh, ty| {
                let source = this.plain_view(source.clone(), ty);
                assign_part(this, fresh, &source, ty);
            });
        });
    }

    /// Passes objects of that type that no expression names for a dummy of the same rank.
    pub(crate) fn pass_view(&mut self, dummy: &Variable, view: &ArrayView, ty: &Type, out: &mut Passed) {
        out.keys.push(ArgKey::Any);
        if dummy.attrs.class {
            let view = self.tagged(view.clone(), ty);
            let addr = self.descriptor_of(&view);
            out.words.push(addr);
            return;
        }
        if dummy.attrs.value && matches!(dummy.shape, Shape::Scalar) {
            let copy = self.deep_copy(view.mem, ty);
            let addr = self.address(copy);
            out.words.push(addr);
            return;
        }
        let is_ranked = matches!(dummy.shape, Shape::AssumedRank);
        if let (true, Some(key)) = (is_ranked, out.keys.last_mut()) {
            *key = ArgKey::Rank { rank: view.dims.len() as u8, assumed_size: false };
        }
        let assumed_shape = is_ranked || matches!(dummy.shape, Shape::AssumedShape(_));
        if matches!(dummy.shape, Shape::Scalar) || (assumed_shape && !dummy.attrs.contiguous) {
            let addr = self.address(view.mem);
            out.words.push(addr);
            out.words.extend(view.dims.iter().flat_map(|d| [d.extent, d.stride]));
            return;
        }
        let addr = self.contiguous_address(view, ty, dummy, out);
        out.words.push(addr);
        if assumed_shape {
            let dense = self.dense(view.mem, view.element, None, &view.extents());
            out.words.extend(dense.dims.iter().flat_map(|d| [d.extent, d.stride]));
        }
    }
}

impl<'p> FunctionLowering<'_, 'p> {
    /// `target = value` of such objects.
    pub(crate) fn assign_by_components(&mut self, target: &'p Expr, value: &'p Expr) {
        let ty = &target.ty;
        let shares =
            may_be_inside(self.b.program(), target, value) || is_rearranged(value) && self.may_share(target, value);
        let whole = self.reallocatable(target);
        if value.rank == 0 {
            let v = self.value(value);
            let mut from = self.b.as_object(&v);
            if shares {
                from = self.b.owned_copy(from, ty);
            }
            let view = match (&whole, target.rank) {
                (Some(d), 0) => {
                    let element = self.b.desc_element(d);
                    self.b.fit_allocation(d, target, &[], element);
                    Some(self.b.desc_view(d))
                }
                (None, 0) => match self.lvalue(target) {
                    Lvalue::Mem(mem) => Some(self.b.object_view(mem, ty)),
                    _ => None,
                },
                _ => self.designator_view(target),
            };
            let Some(view) = view else { return self.b.unsupported("an assignment to this object") };
            let given = self.b.object_view(from, ty);
            self.check_value(target, &view, &given);
            if whole.is_none() || target.rank > 0 {
                self.b.finalise_view(&view, ty);
            }
            if whole.is_some() && self.b.holds_lengths(ty) {
                // It takes the lengths first.
                self.b.fill(&view, &Value::Object(from), ty);
            }
            let extents = view.extents();
            return self.each_position(&extents, &[&view], &mut |this, index, linear| {
                let to = this.b.element_pos(&view, index, linear);
                this.b.assign_object(to, from, ty);
            });
        }
        let mut from = self.view(value);
        from = self.b.local_view(from, ty);
        if shares {
            let extents = from.extents();
            let copy = self.b.temporary_array(ty, None, &extents);
            self.b.copy_array(&copy, &from, ty);
            for (to, from) in from.dims.iter_mut().zip(copy.dims) {
                (to.stride, to.gather) = (from.stride, None);
            }
            from = ArrayView { mem: copy.mem, origin: None, contiguity: Contiguity::Yes, ..from };
        }
        let is_new = whole.is_some();
        let view = match whole {
            Some(d) => {
                let is_whole = crate::analysis::expressions::is_whole(value);
                let shape: Vec<(Val, Val)> = from
                    .dims
                    .iter()
                    .map(|dim| (if is_whole { dim.lower } else { Val::i64(1) }, dim.extent))
                    .map(|(lower, extent)| (self.b.freeze(lower), self.b.freeze(extent)))
                    .collect();
                let element = self.b.desc_element(&d);
                self.b.fit_allocation(&d, target, &shape, element);
                self.b.desc_view(&d)
            }
            None => {
                let Some(view) = self.designator_view(target) else {
                    return self.b.unsupported("an assignment to this object");
                };
                self.b.check_shape(&view, &from.extents());
                view
            }
        };
        self.check_value(target, &view, &from);
        if self.b.is_remote(view.mem) {
            return self.b.copy_array(&view, &from, ty);
        }
        if !is_new {
            self.b.finalise_view(&view, ty);
        }
        if is_new && self.b.holds_lengths(ty) {
            self.b.copy_array(&view, &from, ty);
        }
        assign_elements(&mut self.b, &view, &from, ty);
    }
}

pub(crate) fn assign_elements(b: &mut Builder<'_, '_>, to: &ArrayView, from: &ArrayView, ty: &Type) {
    let extents = to.extents();
    b.each_position(&extents, &[to, from], &mut |b, index, linear| {
        let (target, source) = (b.element_pos(to, index, linear), b.element_pos(from, index, linear));
        b.assign_object(target, source, ty);
    });
}

/// Whether a type binds an assignment for objects of that rank.
fn binds_assignment(program: &Program, id: TypeId, rank: usize) -> bool {
    program.ty(id).assigns.iter().any(|&p| program.proc(p).elemental || takes_rank(program, p, rank))
}

/// Whether all dummy arguments of a procedure have that rank.
fn takes_rank(program: &Program, proc: ProcId, rank: usize) -> bool {
    program.proc(proc).params.iter().all(|&v| usize::from(program.var(v).shape.rank()) == rank)
}

/// Assigns a component, by the procedure for its rank or the elemental one if its type binds one.
fn assign_part(b: &mut Builder<'_, '_>, to: &ArrayView, from: &ArrayView, ty: &Type) {
    let program = b.program();
    let Type::Derived(id) = ty else { return };
    let assigns = &program.ty(*id).assigns;
    if let Some(&proc) = assigns.iter().find(|&&p| takes_rank(program, p, to.dims.len())) {
        return assign_with(b, proc, to, from, ty);
    }
    let elemental = assigns.iter().copied().find(|&p| program.proc(p).elemental);
    let extents = to.extents();
    b.each_position(&extents, &[to, from], &mut |b, index, linear| {
        let (target, source) = (b.element_pos(to, index, linear), b.element_pos(from, index, linear));
        match elemental {
            Some(proc) => {
                let (target, source) = (b.object_view(target, ty), b.object_view(source, ty));
                assign_with(b, proc, &target, &source, ty);
            }
            None => b.assign_object(target, source, ty),
        }
    });
}

fn assign_with(b: &mut Builder<'_, '_>, proc: ProcId, to: &ArrayView, from: &ArrayView, ty: &Type) {
    let program = b.program();
    let mut passed = Passed::default();
    for (&dummy, view) in program.proc(proc).params.iter().zip([to, from]) {
        b.pass_view(program.var(dummy), view, ty, &mut passed);
    }
    b.call_plain(proc, &[], &passed, &Captures::default(), &[]);
    b.after_call(passed);
}
