//! Objects of device code as objects of the host with the same lengths, which are made at run time, and the other way round.

use crate::builder::flow::Flow;
use crate::function::FunctionLowering;
use crate::types::{is_flat, is_made};
use crate::value::Value;
use crate::value::array_view::ArrayView;
use crate::value::flat_copy::FlatCopy;
use crate::value::lvalue::MemRef;
use ir::{Ty, Val};
use sema::checked::{Expr, ExprKind, Type};

impl<'p> FunctionLowering<'_, 'p> {
    /// A copy of an object as one of its twin type.
    pub(crate) fn converted_object(&mut self, e: &'p Expr, to: &'p Type) -> Value {
        if !is_made(self.b.program(), &e.ty) && !is_made(self.b.program(), to) {
            // Both are data of the device, and stored alike.
            let (lengths, wanted) = (self.all_lengths_of(e), self.constant_lengths(to));
            self.at(e.span, |this| this.check_flat_lengths(to, &wanted, &lengths));
            let mem = self.object_on_this_side(e);
            if is_flat(self.b.program(), to) {
                return Value::Char(mem, self.bytes_with_lengths(to, &lengths));
            }
            return Value::Object(mem);
        }
        if is_made(self.b.program(), &e.ty) {
            let v = self.value(e);
            let from = self.b.as_object(&v);
            let object = self.b.object_view(from, &e.ty);
            if let (Type::Derived(id), true) = (&e.ty, is_flat(self.b.program(), to)) {
                let lengths = self.b.held_lengths(from, *id);
                let bytes = self.bytes_with_lengths(to, &lengths);
                let block = self.b.temporary(bytes, 8);
                self.b.copy_flat(block, bytes, &object, &e.ty, FlatCopy::To);
                return Value::Char(block, bytes);
            }
            let wanted: Vec<Option<Val>> = self.constant_lengths(to).into_iter().map(Some).collect();
            self.at(e.span, |this| this.b.check_lengths(&object, &e.ty, &wanted));
            let bytes = Val::i64(self.b.type_bytes(to));
            let block = self.b.temporary(bytes, 8);
            self.b.copy_flat(block, bytes, &object, &e.ty, FlatCopy::To);
            return Value::Object(block);
        }
        let from = self.object_on_this_side(e);
        let bytes = self.bytes_of(e);
        let object = self.b.temporary_array(to, None, &[]);
        let lengths = self.all_lengths_of(e);
        self.b.make_view(&object, to, &lengths);
        self.b.copy_flat(from, bytes, &object, to, FlatCopy::Own);
        Value::Object(object.mem)
    }

    /// An object of device code, or a copy of it where this side cannot reach it.
    fn object_on_this_side(&mut self, e: &'p Expr) -> MemRef {
        if !is_flat(self.b.program(), &e.ty) {
            let v = self.value(e);
            return self.b.as_object(&v);
        }
        let from = self.object(e);
        if !self.b.is_remote(from) {
            return from;
        }
        let bytes = self.bytes_of(e);
        let local = self.b.temporary(bytes, 8);
        self.b.copy_bytes(local, from, bytes);
        local
    }

    /// A copy of managed objects as objects that hold their lengths, which has what they own, and the view of their own memory: of those
    /// that an expression gives, or of `sequence`. Pointers may know parts of objects that share these with the copy, whose own memory
    /// nothing can name after the call without an error.
    /// If `present` does not hold, a copy of nothing.
    pub(crate) fn copy_of_twin(
        &mut self,
        e: &'p Expr,
        to: &'p Type,
        sequence: Option<ArrayView>,
        present: Option<Val>,
        shares: bool,
    ) -> Option<(ArrayView, ArrayView)> {
        let e = if let ExprKind::Paren(inner) = &e.kind { inner } else { e };
        if !sema::checked::is_designator(e) {
            return None;
        }
        let own = if let Some(sequence) = sequence {
            sequence
        } else if e.rank > 0 && self.is_current(e) {
            // The element for which an elemental procedure is called.
            let element = self.bytes_of(e);
            let mem = self.object(e);
            self.b.dense(mem, element, None, &[])
        } else {
            self.flat_view(e)?
        };
        let own = self.or_nothing(own, present);
        let lengths = self.all_lengths_of(e);
        let extents = own.extents();
        let made =
            if shares { self.b.allocated_array(to, &extents) } else { self.b.temporary_array(to, None, &extents) };
        self.b.make_view(&made, to, &lengths);
        self.b.copy_twins(&own, &made, to, if shares { FlatCopy::Share } else { FlatCopy::Take });
        Some((made, own))
    }

    /// Objects, or where there are none, an array without elements, or an object of zeros.
    pub(crate) fn or_nothing(&mut self, view: ArrayView, present: Option<Val>) -> ArrayView {
        let Some(present) = present else { return view };
        let mut view = view;
        if view.dims.is_empty() {
            let element = self.b.freeze(view.element);
            let blank = self.b.zeros(element);
            let (own, blank) = (self.b.address(view.mem), self.b.address(blank));
            let addr = self.b.select(Ty::I64, present, own, blank).into();
            view.mem = MemRef { addr, offset: 0, ..view.mem };
        }
        for dim in &mut view.dims {
            dim.extent = self.b.select(Ty::I64, present, dim.extent, Val::i64(0)).into();
        }
        view.origin = None;
        view
    }

    /// The length parameters of a type that has them itself.
    pub(crate) fn constant_lengths(&self, ty: &Type) -> Vec<Val> {
        let Type::Derived(id) = ty else { return Vec::new() };
        let params = self.b.program().ty(*id).params.iter().filter(|p| !p.is_kind);
        params.filter_map(|p| p.value).map(Val::i64).collect()
    }
}
