//! Polymorphic objects in statements: ALLOCATE, assignment, INTENT(OUT).
//!
//! Not here: copying and freeing the objects (`object::class_object`).

use crate::analysis::designators::designator_name;
use crate::builder::Builder;
use crate::function::FunctionLowering;
use crate::module::generated::ClassHelper;
use crate::object::allocate::AllocateHow;
use crate::storage::VarStorage;
use crate::value::descriptor::Descriptor;
use ir::Val;
use sema::checked::{AllocObject, CharLen, Expr, Type, VarId};

impl<'p> FunctionLowering<'_, 'p> {
    /// ALLOCATE of a polymorphic object: of the type that the statement says, else of the source's, else of the declared one.
    pub(crate) fn allocate_class(
        &mut self,
        object: &'p AllocObject,
        d: &Descriptor,
        bounds: &[(Val, Val)],
        source: Option<&'p (Expr, bool)>,
        how: AllocateHow,
    ) -> Val {
        let e = &object.object;
        let from = source.map(|(s, _)| {
            let view = self.whole_class_view(s);
            self.b.tagged(view, &s.ty)
        });
        let (tag, element) = match (&object.spec, &from) {
            (Some(ty), _) => (self.b.tag_of(ty), self.allocated_bytes(ty)),
            (None, Some(view)) => (view.tag.unwrap_or(Val::i64(0)), view.element),
            (None, None) => (self.b.tag_of(&e.ty), self.allocated_bytes(&e.ty)),
        };
        let (tag, element) = (self.b.freeze(tag), self.b.freeze(element));
        let mut shape = bounds.to_vec();
        if let (true, true, Some(view)) = (shape.is_empty(), e.rank > 0, &from) {
            let is_whole = source.is_some_and(|(s, _)| crate::analysis::expressions::is_whole(s));
            for dim in &view.dims {
                let extent = self.b.freeze(dim.extent);
                let lower = if is_whole { self.b.freeze(dim.lower) } else { Val::i64(1) };
                shape.push((lower, extent));
            }
        }
        self.allocate_unless_taken(d, &shape, element, e, how, |this| {
            this.b.set_tag(d, tag);
            let to = this.b.desc_view(d);
            match (&from, source) {
                (Some(from), Some((_, false))) => this.b.copy_class(&to, from, &e.ty, ClassHelper::Copy),
                (Some(from), _) if object.spec.is_none() && this.b.may_be_made(&e.ty) => {
                    // A copy of the mold has its lengths, and is made anew. Nothing is finalised.
                    this.b.keep_lengths(&to, from, &e.ty);
                    this.b.copy_class(&to, from, &e.ty, ClassHelper::Copy);
                    this.b.each_object(&to, &e.ty, ClassHelper::Release);
                    this.b.each_object(&to, &e.ty, ClassHelper::Init);
                }
                _ if this.b.holds_lengths(object.spec.as_ref().unwrap_or(&e.ty)) => {
                    let lengths = this.allocated_lengths(object, None, None);
                    this.b.make_view(&to, object.spec.as_ref().unwrap_or(&e.ty), &lengths);
                }
                _ => this.b.each_object(&to, &e.ty, ClassHelper::Init),
            }
        })
    }

    /// Bytes of an object of the type that ALLOCATE names.
    fn allocated_bytes(&mut self, ty: &'p Type) -> Val {
        match ty {
            Type::Character(CharLen::Expr(e)) => {
                let n = self.bound(e);
                self.b.at_least_zero(n)
            }
            _ => self.b.fixed_bytes(ty),
        }
    }

    /// Assignment to a polymorphic allocatable: it takes the type, shape and value of the right side. A scalar fills the array as it
    /// is allocated.
    pub(crate) fn assign_class(&mut self, target: &'p Expr, value: &'p Expr) {
        let Some(d) = self.descriptor(target) else { return self.b.unsupported("an assignment to this object") };
        let view = self.whole_class_view(value);
        let mut view = self.b.tagged(view, &value.ty);
        if !crate::analysis::expressions::is_whole(value) {
            view.dims.iter_mut().for_each(|dim| dim.lower = Val::i64(1));
        }
        let (location, name) = (self.b.location_of(target), designator_name(self.b.program(), target));
        let filled = if target.rank > value.rank {
            self.stop_unless_allocated(&d, target);
            let shape = self.b.desc_view(&d).dims.iter().map(|dim| (dim.lower, dim.extent)).collect::<Vec<_>>();
            Some(
                shape
                    .into_iter()
                    .map(|(lower, extent)| (self.b.freeze(lower), self.b.freeze(extent)))
                    .collect::<Vec<_>>(),
            )
        } else {
            None
        };
        self.b.set_class(&d, (&target.ty, location), &view, filled.as_deref(), &name, ClassHelper::Assign);
    }

    /// Resets a polymorphic INTENT(OUT) dummy.
    pub(crate) fn begin_class(&mut self, v: VarId) {
        let Some(VarStorage::Described(d)) = self.storage.get(v).cloned() else { return };
        let ty = &self.b.program().var(v).ty;
        let view = self.b.desc_view(&d);
        // Parts that are made with their objects stay where they are, as pointers may know them.
        self.b.as_dynamic(&view, ty, Builder::begin_again, |b| {
            b.free_class_view(&view, ty);
            b.each_object(&view, ty, ClassHelper::Init);
        });
    }
}
