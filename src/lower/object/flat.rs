//! The physical representation of objects with length parameters (Fortran 2018, 16.9.193): the components in order at their
//! natural alignment, as where the lengths are constant. TRANSFER and inquiries of sizes see an object like that.
//!
//! An allocatable or pointer component is its descriptor.

use crate::analysis::type_tags::members;
use crate::builder::Builder;
use crate::builder::flow::Flow;
use crate::types::{align, const_bytes, has_allocatable, is_made};
use crate::value::array_view::ArrayView;
use crate::value::flat_copy::FlatCopy;
use crate::value::lvalue::MemRef;
use ir::op::{BinOp, CmpOp};
use ir::{Ty, Val};
use sema::checked::{Field, Program, Type, TypeId};

/// A component in memory, and where it is in a flat object.
struct FlatPart<'p> {
    field: &'p Field,
    /// Where the object has the component, or its descriptor.
    place: MemRef,
    view: ArrayView,
    at: Val,
    /// Bytes of a flat element.
    element: Val,
}

/// Whether flat objects have allocatable components at any depth.
pub(crate) fn owns_parts(program: &Program, ty: &Type) -> bool {
    let Type::Derived(id) = ty else { return false };
    let fields = program.ty(*id).fields.iter();
    fields.filter(|f| !f.pointer).any(|f| f.is_allocatable() || owns_parts(program, &f.ty))
}

/// Whether objects of the host hold components themselves, which are not made apart from them and have no descriptor.
pub(crate) fn holds_parts(program: &Program, ty: &Type) -> bool {
    let Type::Derived(id) = ty else { return true };
    let holds = |f: &Field| (f.sized.is_none() || is_made(program, &f.ty)) && holds_parts(program, &f.ty);
    !is_made(program, ty) || program.ty(*id).fields.iter().any(|f| !f.is_parameter && !f.is_described() && holds(f))
}

impl<'p> Builder<'_, 'p> {
    /// Bytes of a flat element of an array, 0 if it has none and its first object would have to say it.
    pub(crate) fn flat_bytes(&mut self, view: &ArrayView, ty: &Type) -> Val {
        let Type::Derived(id) = ty else { return view.element };
        if !is_made(self.program(), ty) {
            return self.fixed_bytes(ty);
        }
        let bytes = self.mutable(Ty::I64);
        self.set(bytes, Val::i64(0));
        let count = self.size(view);
        let some = self.icmp(CmpOp::Gt, count, Val::i64(0));
        self.when(some, |this| {
            let n = this.flat_parts(view.mem, *id, &mut |_, _| {});
            this.set(bytes, n);
        });
        self.freeze(bytes.into())
    }

    /// Runs `body` with the objects of a class as objects of their dynamic type, whichever it is of those that are made at run time,
    /// and `other` where it is another one.
    pub(crate) fn as_dynamic(
        &mut self,
        view: &ArrayView,
        ty: &Type,
        mut body: impl FnMut(&mut Self, &ArrayView, &Type),
        other: impl FnOnce(&mut Self),
    ) {
        let tag = view.tag.unwrap_or_else(|| self.tag_of(ty));
        let found = self.mutable(Ty::Pred);
        self.set(found, Val::pred(false));
        let root = if let Type::Derived(id) = ty { Some(*id) } else { None };
        for id in members(self.program(), self.tags(), root) {
            let own = Type::Derived(id);
            if !is_made(self.program(), &own) {
                continue;
            }
            let wanted = self.tag_of(&own);
            let is_this = self.icmp(CmpOp::Eq, tag, wanted);
            self.when(is_this, |this| {
                this.set(found, Val::pred(true));
                let plain = this.plain_view(ArrayView { tag: Some(tag), ..view.clone() }, &own);
                body(this, &plain, &own);
            });
        }
        let not_found = self.negate(found.into());
        self.when(not_found, other);
    }

    /// [`Builder::flat_bytes`] of objects of a class.
    pub(crate) fn flat_class_bytes(&mut self, view: &ArrayView, ty: &Type) -> Val {
        let bytes = self.mutable(Ty::I64);
        let made = |this: &mut Self, view: &ArrayView, ty: &Type| {
            let n = this.flat_bytes(view, ty);
            this.set(bytes, n);
        };
        self.as_dynamic(view, ty, made, |this| this.set(bytes, view.element));
        self.freeze(bytes.into())
    }

    /// Copies the objects of a class to the block at `flat`, each to so many bytes.
    pub(crate) fn copy_class_flat(&mut self, flat: MemRef, element: Val, view: &ArrayView, ty: &Type) {
        let extents = view.extents();
        let made = |this: &mut Self, view: &ArrayView, ty: &Type| this.copy_flat(flat, element, view, ty, FlatCopy::To);
        self.as_dynamic(view, ty, made, |this| {
            let block = this.dense(flat, element, None, &extents);
            this.each_position(&extents, &[&block, view], &mut |this, index, linear| {
                let (to, from) = (this.element_pos(&block, index, linear), this.element_pos(view, index, linear));
                this.copy_bytes(to, from, element);
            });
        });
    }

    /// Goes through the components of an object; gives the bytes of its flat form.
    fn flat_parts(&mut self, object: MemRef, id: TypeId, each: &mut dyn FnMut(&mut Self, FlatPart<'p>)) -> Val {
        let program = self.program();
        let def = program.ty(id);
        let (mut at, mut inherited) = (Val::i64(0), 0);
        if let Some(parent) = def.parent {
            at = self.flat_parts(object, parent, each);
            inherited = program.ty(parent).fields.len();
        }
        for field in def.fields.iter().skip(inherited).filter(|f| !f.is_parameter) {
            let place = object.plus(field.offset as i64);
            let view = if field.is_described() {
                let bytes = crate::module::globals::described_bytes(program, field);
                self.dense(place, Val::i64(bytes as i64), None, &[])
            } else if field.sized.is_some() {
                let d = self.field_desc(field, place);
                self.desc_view(&d)
            } else {
                self.field_view(field, place)
            };
            let unit = program.part_align(field);
            let element = if field.is_described() { view.element } else { self.flat_bytes(&view, &field.ty) };
            at = self.round_up(at, unit);
            let count = self.size(&view);
            let bytes = self.imul(count, element);
            let end = self.iadd(at, bytes);
            each(self, FlatPart { field, place, view, at, element });
            at = end;
        }
        self.round_up(at, program.flat_align(&Type::Derived(id)))
    }

    /// A number of bytes rounded up to a multiple of a power of two.
    pub(crate) fn round_up(&mut self, n: Val, unit: u64) -> Val {
        if unit <= 1 {
            return n;
        }
        let up = self.iadd(n, Val::i64(unit as i64 - 1));
        if let Some(up) = crate::builder::arith::constant(up) {
            return Val::i64(up / unit as i64 * unit as i64);
        }
        self.bin(BinOp::And, Ty::I64, up, Val::i64(-(unit as i64))).into()
    }

    /// Copies the elements of an array to the block at `flat`, or from there; an element has as many bytes there as
    /// [`Builder::flat_bytes`] says. Objects are made already.
    pub(crate) fn copy_flat(&mut self, flat: MemRef, element: Val, view: &ArrayView, ty: &Type, how: FlatCopy) {
        let extents = view.extents();
        let len = view.len.map(|_| element);
        let block = self.dense(flat, element, len, &extents);
        let Type::Derived(id) = ty else {
            return match how {
                FlatCopy::To | FlatCopy::Give => self.copy_array(&block, view, ty),
                FlatCopy::Leave | FlatCopy::Share | FlatCopy::Return => {}
                FlatCopy::From | FlatCopy::Own | FlatCopy::Take => self.copy_array(view, &block, ty),
            };
        };
        let made = is_made(self.program(), ty);
        self.each_position(&extents, &[&block, view], &mut |this, index, linear| {
            let own = this.element_pos(view, index, linear);
            let other = this.element_pos(&block, index, linear);
            if made {
                this.flat_parts(own, *id, &mut |this, part| this.copy_flat_part(other, &part, how));
            } else {
                this.copy_alike(other, own, ty, how);
            }
        });
    }

    /// The same of an object that is stored alike as a flat one.
    fn copy_alike(&mut self, flat: MemRef, own: MemRef, ty: &Type, how: FlatCopy) {
        let program = self.program();
        let (bytes, unit, owns) =
            (const_bytes(program, ty).unwrap_or(0), align(program, ty), has_allocatable(program, ty));
        match how {
            FlatCopy::To | FlatCopy::Give => self.copy_words(flat, own, bytes, unit),
            FlatCopy::Own if owns => self.copy_object(own, flat, ty),
            FlatCopy::Leave | FlatCopy::Share | FlatCopy::Return => {}
            FlatCopy::From if owns => {}
            FlatCopy::From | FlatCopy::Own | FlatCopy::Take => self.copy_words(own, flat, bytes, unit),
        }
        if owns && matches!(how, FlatCopy::Give | FlatCopy::Leave) {
            self.store_default(own, ty);
        }
    }

    /// Copies objects that hold their lengths to objects that do not, wherever these are, or from there.
    pub(crate) fn copy_twins(&mut self, flat: &ArrayView, view: &ArrayView, ty: &Type, how: FlatCopy) {
        let extents = view.extents();
        self.each_position(&extents, &[flat, view], &mut |this, index, linear| {
            let (own, other) = (this.element_pos(view, index, linear), this.element_pos(flat, index, linear));
            let object = this.object_view(own, ty);
            this.copy_flat(other, flat.element, &object, ty, how);
        });
    }

    /// Lets a part that is made with its object lie in the flat object.
    fn share_part(&mut self, flat: MemRef, part: &FlatPart<'p>) {
        let d = self.field_desc(part.field, part.place);
        self.free_if_set(&d, self.data_location(part.field.cuda));
        let len = part.view.len.map(|_| part.element);
        let mut view = self.dense(flat, part.element, len, &part.view.extents());
        for (to, own) in view.dims.iter_mut().zip(&part.view.dims) {
            to.lower = own.lower;
        }
        self.desc_set(&d, &view);
    }

    fn copy_flat_part(&mut self, object: MemRef, part: &FlatPart<'p>, how: FlatCopy) {
        let flat = self.advance(object, part.at);
        if part.field.sized.is_some() && !is_made(self.program(), &part.field.ty) {
            match how {
                FlatCopy::Share => return self.share_part(flat, part),
                FlatCopy::Return => {
                    let d = self.field_desc(part.field, part.place);
                    return self.desc_clear(&d);
                }
                _ => {}
            }
        }
        if !part.field.is_described() {
            return self.copy_flat(flat, part.element, &part.view, &part.field.ty, how);
        }
        let (own, bytes) = (part.place, crate::builder::arith::constant(part.element).unwrap_or(0) as u64);
        match how {
            FlatCopy::To | FlatCopy::Give | FlatCopy::Return => self.copy_words(flat, own, bytes, 8),
            FlatCopy::Leave => {}
            FlatCopy::From if !part.field.pointer => {}
            FlatCopy::Own => self.copy_field(part.field, own, flat),
            FlatCopy::From | FlatCopy::Take | FlatCopy::Share => self.copy_words(own, flat, bytes, 8),
        }
        if !part.field.pointer && matches!(how, FlatCopy::Give | FlatCopy::Leave | FlatCopy::Return) {
            let d = self.field_desc(part.field, own);
            self.desc_clear(&d);
        }
    }
}
