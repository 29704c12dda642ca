//! Objects that are made at run time: of derived types whose length parameters are known then only, and what holds such
//! objects.
//!
//! An object holds its length parameters. A component whose bounds or length they decide is a descriptor of data that belongs
//! to the object. A generated function makes an object in fresh memory (`procedure::made`): it stores the parameters,
//! allocates such components and gives default values. An object that nothing has made yet holds nothing, like an allocatable
//! component that is not allocated; what is copied to it makes it.
//!
//! Not here: which lengths a declaration gives (`procedure::made`).

use crate::builder::Builder;
use crate::builder::flow::Flow;
use crate::object::allocate::AllocateHow;
use crate::types::{assigns_components, has_allocatable, has_final, imm, ir_ty, is_made};
use crate::value::Value;
use crate::value::array_view::ArrayView;
use crate::value::descriptor::Descriptor;
use crate::value::lvalue::MemRef;
use ir::op::{BinOp, CmpOp};
use ir::rt::Rt;
use ir::{Ty, Val};
use sema::checked::{Field, Type, TypeId};

/// What the function that makes an object is told: that it stands for an array of no objects, and holds nothing but lengths.
pub(crate) const NOT_THERE: i64 = 0;
/// That its memory is fresh.
pub(crate) const FRESH: i64 = 1;
/// That it is made, and gets its default values again.
pub(crate) const AGAIN: i64 = 2;

impl<'p> Builder<'_, 'p> {
    /// The components in which objects of a type hold their length parameters.
    fn parameter_fields(&self, id: TypeId) -> Vec<&'p Field> {
        self.program().ty(id).fields.iter().filter(|f| f.is_parameter).collect()
    }

    /// The length parameters that an object holds, as `i64`.
    pub(crate) fn held_lengths(&mut self, mem: MemRef, id: TypeId) -> Vec<Val> {
        let fields = self.parameter_fields(id);
        let load = |this: &mut Self, f: &Field| {
            let ty = ir_ty(&f.ty);
            let held = this.load_scalar(mem.plus(f.offset as i64), ty);
            this.widen(held.into(), ty)
        };
        fields.into_iter().map(|f| load(self, f)).collect()
    }

    /// Stores the length parameters of an object.
    pub(crate) fn hold_lengths(&mut self, mem: MemRef, id: TypeId, lengths: &[Val]) {
        for (f, &n) in self.parameter_fields(id).into_iter().zip(lengths) {
            let ty = ir_ty(&f.ty);
            let n = self.cast(n, Ty::I64, ty);
            self.store_scalar(mem.plus(f.offset as i64), ty, n);
        }
    }

    /// Bytes for an array of that many bytes: those of one object at least where objects hold lengths. An array of no objects
    /// says its lengths there.
    pub(crate) fn object_room(&mut self, ty: &Type, bytes: Val) -> Val {
        if !self.holds_lengths(ty) {
            return bytes;
        }
        let least = Val::i64(self.type_bytes(ty));
        self.bin(BinOp::Max, Ty::I64, bytes, least).into()
    }

    /// Runs `body` where an array, whose objects hold lengths, has none.
    fn when_empty(&mut self, view: &ArrayView, body: impl FnOnce(&mut Self)) {
        if view.dims.is_empty() || view.assumed_size {
            return;
        }
        let count = self.size(view);
        let none = self.icmp(CmpOp::Eq, count, Val::i64(0));
        self.when(none, body);
    }

    /// Gives an array of no objects the lengths that another one of the same type says.
    pub(crate) fn keep_lengths(&mut self, to: &ArrayView, from: &ArrayView, ty: &Type) {
        if self.holds_lengths(ty) {
            self.when_empty(to, |this| this.copy_bytes(to.mem, from.mem, from.element));
        }
    }

    /// The same of a value that fills an array.
    pub(crate) fn keep_lengths_of_value(&mut self, to: &ArrayView, v: &Value, ty: &Type) {
        if let Value::Object(mem) = v {
            let from = self.object_view(*mem, ty);
            self.keep_lengths(to, &from, ty);
        }
    }

    /// Says that the lengths of an array are not known, if it has no objects.
    pub(crate) fn forget_lengths(&mut self, view: &ArrayView, ty: &Type) {
        if let (Type::Derived(id), true) = (ty, self.holds_lengths(ty)) {
            self.when_empty(view, |this| {
                for f in this.parameter_fields(*id) {
                    let ty = ir_ty(&f.ty);
                    let unknown = imm(ty, unknown_length(ty));
                    this.store_scalar(view.mem.plus(f.offset as i64), ty, unknown);
                }
            });
        }
    }

    /// Refuses an array of no objects that does not say its lengths.
    pub(crate) fn need_lengths(&mut self, view: &ArrayView, ty: &Type) {
        let Type::Derived(id) = ty else { return };
        let Some(f) = self.parameter_fields(*id).first().copied() else { return };
        self.when_empty(view, |this| {
            let ty = ir_ty(&f.ty);
            let held = this.load_scalar(view.mem.plus(f.offset as i64), ty);
            let is_unknown = this.cmp(CmpOp::Eq, ty, held, imm(ty, unknown_length(ty)));
            this.when(is_unknown.into(), |this| {
                this.unsupported("the length parameters of this array of no objects");
            });
        });
    }

    /// Makes the elements of an array in fresh memory.
    pub(crate) fn make_view(&mut self, view: &ArrayView, ty: &Type, lengths: &[Val]) {
        self.make_each(view, ty, Val::i64(FRESH), |_, _, _| lengths.to_vec());
    }

    /// The same of objects that are parts of another one, which is made so.
    pub(crate) fn make_parts(&mut self, view: &ArrayView, ty: &Type, lengths: &[Val], how: Val) {
        self.make_each(view, ty, how, |_, _, _| lengths.to_vec());
    }

    /// Gives objects their default values again. Their parts stay where they are, as pointers may know them.
    pub(crate) fn begin_again(&mut self, view: &ArrayView, ty: &Type) {
        if has_final(self.program(), ty) {
            self.finalise_view(view, ty);
        }
        self.make_each(view, ty, Val::i64(AGAIN), Builder::held_lengths);
    }

    /// Makes objects anew, which own nothing any more and still hold their length parameters.
    pub(crate) fn make_again(&mut self, view: &ArrayView, ty: &Type) {
        self.make_each(view, ty, Val::i64(FRESH), Builder::held_lengths);
    }

    /// Makes each element of an array with the lengths that it is to have. Memory is taken for one object after another, each
    /// time in the same order, so that the same part of all is at equal distances ([`FunctionLowering::parts_view`]).
    ///
    /// [`FunctionLowering::parts_view`]: crate::function::FunctionLowering::parts_view
    fn make_each(
        &mut self,
        view: &ArrayView,
        ty: &Type,
        how: Val,
        lengths: impl Fn(&mut Self, MemRef, TypeId) -> Vec<Val>,
    ) {
        let Type::Derived(id) = ty else { return };
        let helper = self.maker(*id);
        let make = |this: &mut Self, mem: MemRef, how: Val| {
            let mut args = vec![this.address(mem), how];
            args.extend(lengths(this, mem, *id));
            this.call(helper, args, &[]);
        };
        let extents = view.extents();
        if self.holds_lengths(ty) {
            self.when_empty(view, |this| make(this, view.mem, Val::i64(NOT_THERE)));
        }
        self.each_position(&extents, &[view], &mut |this, index, linear| {
            let mem = this.element_pos(view, index, linear);
            make(this, mem, how);
        });
    }

    /// Makes new objects with the lengths of others, if they hold any and components of theirs are assigned by procedures, which
    /// get whole objects.
    pub(crate) fn make_like(&mut self, to: &ArrayView, from: &ArrayView, ty: &Type) -> bool {
        let Type::Derived(id) = ty else { return false };
        if !self.holds_lengths(ty) || !assigns_components(self.program(), ty) {
            return false;
        }
        let extents = to.extents();
        let count = self.product(&extents);
        let some = self.icmp(CmpOp::Gt, count, Val::i64(0));
        self.when(some, |this| {
            let lengths = this.held_lengths(from.mem, *id);
            this.make_view(to, ty, &lengths);
        });
        true
    }

    /// Copies a component that length parameters decide. It stays where it is if it has the shape already, which it has unless
    /// nothing has made it or an allocatable object takes other lengths.
    pub(crate) fn copy_sized(&mut self, field: &'p Field, to: MemRef, from: MemRef) {
        let (to, from) = (self.field_desc(field, to), self.field_desc(field, from));
        let location = self.data_location(field.cuda);
        let (own, source) = (self.desc_view(&to), self.desc_view(&from));
        let own_base = self.desc_base(&to);
        let mut unfit = self.icmp(CmpOp::Eq, own_base, Val::i64(0));
        let dims = own.dims.iter().zip(&source.dims).flat_map(|(a, b)| [(a.lower, b.lower), (a.extent, b.extent)]);
        for (a, b) in dims.chain([(own.element, source.element)]) {
            let differs = self.icmp(CmpOp::Ne, a, b);
            unfit = self.combine(BinOp::Or, unfit, differs);
        }
        let base = self.desc_base(&from);
        let is_set = self.icmp(CmpOp::Ne, base, Val::i64(0));
        self.when(unfit, |this| {
            this.free_sized(field, &to);
            this.when(is_set, |this| {
                let shape: Vec<(Val, Val)> = source.dims.iter().map(|d| (d.lower, d.extent)).collect();
                let how = AllocateHow { may_hold_lengths: this.holds_lengths(&field.ty), ..AllocateHow::default() };
                this.allocate_data(&to, &shape, source.element, location, &field.name, how);
                this.initialise_data(&to, &field.ty);
                let target = this.desc_view(&to);
                this.keep_lengths(&target, &source, &field.ty);
            });
        });
        self.when(is_set, |this| {
            let target = this.desc_view(&to);
            this.copy_array(&target, &source, &field.ty);
        });
    }

    /// Frees a component that length parameters decide. It is finalised with its object.
    pub(crate) fn free_sized(&mut self, field: &'p Field, d: &Descriptor) {
        if has_allocatable(self.program(), &field.ty) {
            let is_made = self.desc_is_set(d);
            self.when(is_made, |this| {
                let view = this.desc_view(d);
                this.free_fields_of_view(&view, &field.ty);
            });
        }
        self.free_if_set(d, self.data_location(field.cuda));
        self.desc_clear(d);
    }

    /// Stops the program where the objects of an array have other lengths than these; `None` is any.
    pub(crate) fn check_lengths(&mut self, view: &ArrayView, ty: &Type, wanted: &[Option<Val>]) {
        let Type::Derived(id) = ty else { return };
        if wanted.iter().all(Option::is_none) {
            return;
        }
        let extents = view.extents();
        let count = self.product(&extents);
        let some = self.icmp(CmpOp::Gt, count, Val::i64(0));
        self.when(some, |this| {
            let held = this.held_lengths(view.mem, *id);
            let fields = this.parameter_fields(*id);
            for ((field, &wanted), given) in fields.into_iter().zip(wanted).zip(held) {
                let Some(wanted) = wanted else { continue };
                let differs = this.icmp(CmpOp::Ne, wanted, given);
                this.when(differs, |this| {
                    let (text, len) = this.name_text(&field.name);
                    this.rt(Rt::ErrorLength, vec![text, len, wanted, given]);
                });
            }
        });
    }

    /// A scalar object as an array without dimensions.
    pub(crate) fn object_view(&mut self, mem: MemRef, ty: &Type) -> ArrayView {
        let bytes = self.element_bytes(ty, None);
        self.dense(mem, bytes, None, &[])
    }

    /// Whether objects of a type hold length parameters.
    pub(crate) fn holds_lengths(&self, ty: &Type) -> bool {
        matches!(ty, Type::Derived(id) if is_made(self.program(), ty)
            && self.program().ty(*id).open_parameters().next().is_some())
    }
}

/// What an array of no objects holds as a length parameter that is not known.
fn unknown_length(ty: Ty) -> i64 {
    i64::MIN >> (64 - 8 * ty.bytes())
}
