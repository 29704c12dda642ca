//! Intrinsic assignment.
//!
//! An array assignment is one loop nest over the elements. If the value may overlap the target in another order (`overlap`),
//! it is computed into a temporary first. A whole allocatable of host data on the left side takes the shape of the value
//! (Fortran 2018, 10.2.1.3).
//!
//! Not here: copies where a side is on the device (`object::transfer`), pointer assignment (`pointer`).

pub(crate) mod class_object;
pub(crate) mod components;
pub(crate) mod flat;
pub(crate) mod forall;
mod forall_defined;
pub(crate) mod kept;
pub(crate) mod made;
pub(crate) mod pointer;
pub(crate) mod where_construct;

use crate::analysis::designators::{designator_name, field_of, is_class};
use crate::analysis::expressions::{is_whole, same};
use crate::analysis::overlap::{
    conflicts, finds_itself, keeps_shape, may_be_inside, may_share, mentions, overlaps_by_equivalence, reads,
    storage_root,
};
use crate::analysis::variables::has_open_length;
use crate::builder::Builder;
use crate::builder::flow::Flow;
use crate::elements::{Operand, Operands};
use crate::expr::scattered::scattered;
use crate::function::FunctionLowering;
use crate::object::allocate::AllocateHow;
use crate::storage::VarStorage;
use crate::types::{align, assigns_components, has_allocatable, has_final, is_device_data, is_flat};
use crate::value::Value;
use crate::value::array_view::ArrayView;
use crate::value::descriptor::Descriptor;
use crate::value::lvalue::{Lvalue, element_lvalue};
use ir::Val;
use ir::op::{BinOp, CmpOp};
use ir::rt::Rt;
use sema::checked::{Expr, ExprKind, Field, Type, is_designator};

impl<'p> FunctionLowering<'_, 'p> {
    /// `target = value`
    pub(crate) fn assign(&mut self, target: &'p Expr, value: &'p Expr) {
        if is_class(self.b.program(), target) {
            return self.assign_class(target, value);
        }
        if self.b.is_host() && assigns_components(self.b.program(), &target.ty) {
            return self.assign_by_components(target, value);
        }
        if scattered(self.b.program(), target).is_some() {
            self.refuse_owners(target);
            return self.assign_scattered(target, value);
        }
        if is_flat(self.b.program(), &target.ty) {
            return self.assign_flat(target, value);
        }
        if target.rank > 0 {
            return self.assign_array(target, value);
        }
        if let Some(d) = self.reallocatable(target) {
            return self.assign_allocatable_scalar(&d, target, value);
        }
        let v = self.value(value);
        if let Some(Lvalue::Reg(reg)) = self.register_place(target) {
            // The value has no other use: its last operation may set the variable.
            let v = self.b.as_scalar(&v, &target.ty);
            return self.b.set_directly(reg, v);
        }
        let place = self.lvalue(target);
        self.at(target.span, |this| this.check_assigned(place, target, &v));
        self.at(target.span, |this| store_assigned(&mut this.b, place, target, value, &v));
    }

    /// The register of a variable that lives in one.
    fn register_place(&mut self, target: &'p Expr) -> Option<Lvalue> {
        let ExprKind::Var(v) = &target.kind else { return None };
        match self.storage_of(*v) {
            Some(VarStorage::Reg(r)) => Some(Lvalue::Reg(r)),
            _ => None,
        }
    }

    /// The descriptor of an allocatable that assignment may allocate: a whole variable or component, of host data, or a local
    /// variable of device code.
    pub(crate) fn reallocatable(&mut self, target: &'p Expr) -> Option<Descriptor> {
        let is_of_this_code =
            self.b.is_host() || matches!(target.kind, ExprKind::Var(v) if self.storage.is_made_here(v));
        if !self.is_whole_allocatable(target) || !is_of_this_code || is_device_data(self.b.cuda_of(target)) {
            return None;
        }
        self.descriptor(target)
    }

    /// Whether an object is a whole allocatable variable, or such a component of one object.
    fn is_whole_allocatable(&self, e: &Expr) -> bool {
        match &e.kind {
            ExprKind::Var(v) => self.b.program().var(*v).attrs.allocatable,
            ExprKind::Field { base, field } if base.rank == 0 => {
                field_of(self.b.program(), base, *field).is_some_and(Field::is_allocatable)
            }
            _ => false,
        }
    }

    /// The same for an array of device data that host code assigns.
    fn reallocatable_on_device(&mut self, target: &'p Expr) -> Option<Descriptor> {
        // The descriptor is in an object of the host.
        let is_reached = !matches!(&target.kind, ExprKind::Field { base, .. } if self.lies_on_device(base));
        let is_device = is_reached && is_device_data(self.b.cuda_of(target));
        if !self.is_whole_allocatable(target) || !self.b.is_host() || !is_device || has_open_length(&target.ty) {
            return None;
        }
        self.descriptor(target)
    }

    /// Whether an object is device data, or lies in some.
    fn lies_on_device(&self, e: &Expr) -> bool {
        let around = match &e.kind {
            ExprKind::Field { base, .. }
            | ExprKind::Element { base, .. }
            | ExprKind::Section { base, .. }
            | ExprKind::Seen { base, .. } => Some(base),
            _ => None,
        };
        is_device_data(self.b.cuda_of(e)) || around.is_some_and(|base| self.lies_on_device(base))
    }

    /// Assignment to a whole allocatable array on the device, which may have to be reallocated.
    fn assign_whole_on_device(&mut self, d: &Descriptor, target: &'p Expr, value: &'p Expr) {
        // What is read of the old contents is copied before they go.
        let is_copied = conflicts(self.b.program(), target, value);
        let (lowers, from) = match self.readable_view(value) {
            Some(from) => {
                let lowers: Vec<Val> = if is_whole(value) {
                    from.dims.iter().map(|dim| self.b.freeze(dim.lower)).collect()
                } else {
                    vec![Val::i64(1); from.dims.len()]
                };
                if from.gathers() || is_copied {
                    let local = self.b.local_view(from, &value.ty);
                    (lowers, self.b.contiguous_view(local, &value.ty))
                } else {
                    (lowers, from)
                }
            }
            None => {
                let (operands, extents) = self.prepared(value);
                let lowers = self.lower_bounds(value, &operands, extents.len());
                (lowers, self.materialise_prepared(value, operands, &extents))
            }
        };
        let shape: Vec<(Val, Val)> = lowers.into_iter().zip(from.extents()).collect();
        let element = self.b.desc_element(d);
        self.b.fit_allocation(d, target, &shape, element);
        let view = self.b.desc_view(d);
        self.at(target.span, |this| this.b.copy_array(&view, &from, &target.ty));
    }

    fn assign_allocatable_scalar(&mut self, d: &Descriptor, target: &'p Expr, value: &'p Expr) {
        let v = self.value(value);
        let deferred = has_open_length(&target.ty) && d.element.is_none();
        let v = match v {
            // The old characters may go away before the new ones are stored.
            Value::Char(_, len)
                if deferred
                    && storage_root(self.b.program(), target)
                        .is_none_or(|root| mentions(self.b.program(), value, root)) =>
            {
                self.b.character_copy(&v, len)
            }
            other => other,
        };
        // `a%next = a`: the value is copied before the target changes.
        let same_object =
            has_allocatable(self.b.program(), &target.ty) && may_be_inside(self.b.program(), target, value);
        let v = match v {
            Value::Object(from) if same_object => Value::Object(self.b.deep_copy(from, &target.ty)),
            other => other,
        };
        self.at(target.span, |this| this.check_allocated(target, &v));
        let element = match &v {
            Value::Char(_, len) if deferred => *len,
            _ => self.b.desc_element(d),
        };
        let base = self.b.desc_base(d);
        let absent = self.b.icmp(CmpOp::Eq, base, Val::i64(0));
        let unfit = if deferred {
            let old = self.b.desc_element(d);
            let other = self.b.icmp(CmpOp::Ne, old, element);
            self.b.combine(BinOp::Or, absent, other)
        } else {
            absent
        };
        let location = self.b.location_of(target);
        let name = designator_name(self.b.program(), target);
        let element = self.b.freeze(element);
        self.when(unfit, |this| {
            this.b.free_if_set(d, location);
            this.b.allocate_data(d, &[], element, location, &name, AllocateHow::default());
            this.b.initialise_data(d, &target.ty);
        });
        let view = self.b.desc_view(d);
        if has_final(self.b.program(), &target.ty) {
            let kept = self.b.negate(unfit);
            self.when(kept, |this| this.b.finalise(view.mem, &target.ty));
        }
        self.b.store_value(element_lvalue(view.mem, view.len), &target.ty, &v);
        if let (true, Value::Object(copy)) = (same_object, &v) {
            self.b.release(*copy, &target.ty);
        }
    }

    /// Stops the program at a whole allocatable array among the operands of a value that is not allocated. Its extents would be
    /// those of an empty array.
    fn need_allocated(&mut self, value: &'p Expr) {
        match &value.kind {
            ExprKind::Convert(inner) | ExprKind::Paren(inner) => self.need_allocated(inner),
            ExprKind::Unary { operand, .. } => self.need_allocated(operand),
            ExprKind::Binary { left, right, .. }
            | ExprKind::Compare { left, right, .. }
            | ExprKind::Logic { left, right, .. } => {
                self.need_allocated(left);
                self.need_allocated(right);
            }
            ExprKind::Var(v) if value.rank > 0 && self.b.program().var(*v).attrs.allocatable => {
                if let Some(d) = self.descriptor(value) {
                    self.stop_unless_allocated(&d, value);
                }
            }
            _ => {}
        }
    }

    /// Stops the program at an allocatable object that is not allocated.
    pub(crate) fn stop_unless_allocated(&mut self, d: &Descriptor, object: &'p Expr) {
        let base = self.b.desc_base(d);
        let is_missing = self.b.icmp(CmpOp::Eq, base, Val::i64(0));
        let name = designator_name(self.b.program(), object);
        self.at(object.span, |this| {
            this.when(is_missing, |this| {
                let (text, len) = this.b.name_text(&name);
                this.b.rt(Rt::ErrorAllocated, vec![text, len]);
            });
        });
    }

    /// The array that is assigned, which may have been found already: a designator is evaluated once.
    fn view_of_target(&mut self, found: Option<&Descriptor>, target: &'p Expr) -> Option<ArrayView> {
        match found {
            Some(d) => Some(self.b.desc_view(d)),
            None => self.designator_view(target),
        }
    }

    fn assign_array(&mut self, target: &'p Expr, value: &'p Expr) {
        let whole = self.reallocatable(target);
        // In device code only local variables are allocated by assignment; others must be there.
        if self.b.is_host() {
            self.need_allocated(value);
        } else if whole.is_none()
            && self.is_whole_allocatable(target)
            && let Some(d) = self.descriptor(target)
        {
            self.stop_unless_allocated(&d, target);
        }
        self.need_target(target);
        if self.b.holds_lengths(&target.ty) {
            return self.assign_made(whole.as_ref(), target, value);
        }
        if value.rank == 0 {
            let mut v = self.value(value);
            if let Value::Char(_, len) = v
                && storage_root(self.b.program(), target).is_none_or(|root| mentions(self.b.program(), value, root))
            {
                v = self.b.character_copy(&v, len);
            }
            let owns = has_allocatable(self.b.program(), &target.ty) && !has_final(self.b.program(), &target.ty);
            if let (Value::Object(from), true) = (&v, owns && may_be_inside(self.b.program(), target, value)) {
                // `a = a(2)%next`: what an element holds is freed before it gets the copy.
                v = Value::Object(self.b.owned_copy(*from, &target.ty));
            }
            // A scalar says nothing of the bounds (Fortran 2018, 10.2.1.3).
            let found = whole.clone().or_else(|| self.reallocatable_on_device(target));
            if let Some(d) = &found {
                self.stop_unless_allocated(d, target);
            }
            if let (Some(d), Value::Char(_, len)) = (whole.filter(|d| d.element.is_none()), &v) {
                // The length is that of the value, and the bounds stay.
                let element = self.b.freeze(*len);
                let dims = self.b.desc_view(&d).dims;
                let shape: Vec<_> =
                    dims.iter().map(|dim| (self.b.freeze(dim.lower), self.b.freeze(dim.extent))).collect();
                self.b.fit_allocation(&d, target, &shape, element);
            }
            let Some(view) = self.view_of_target(found.as_ref(), target) else {
                return self.b.unsupported("an assignment to this object");
            };
            if has_final(self.b.program(), &target.ty) {
                if let (Value::Object(from), true) = (&v, self.may_share(target, value)) {
                    v = Value::Object(self.b.owned_copy(*from, &target.ty));
                }
                self.b.finalise_view(&view, &target.ty);
            }
            return self.at(target.span, |this| this.b.fill(&view, &v, &target.ty));
        }
        if let Some(d) = &whole
            && (!keeps_shape(self.b.program(), target, value) || has_own_length(d, target, value))
        {
            return self.assign_whole(d, target, value);
        }
        let on_device = if whole.is_some() { None } else { self.reallocatable_on_device(target) };
        if let Some(d) = &on_device
            && !keeps_shape(self.b.program(), target, value)
        {
            return self.assign_whole_on_device(d, target, value);
        }
        let Some(mut view) = self.view_of_target(whole.or(on_device).as_ref(), target) else {
            return self.b.unsupported("an assignment to this object");
        };
        if crate::analysis::expressions::has_vector(target) && finds_itself(self.b.program(), target) {
            settle_subscripts(&mut self.b, &mut view);
        }
        // A designator is evaluated once: its bounds may be functions with effects.
        let designator = self.readable_view(value);
        if let Some(from) = &designator
            && (self.b.is_remote(view.mem) || self.b.is_remote(from.mem))
        {
            let overlaps =
                conflicts(self.b.program(), target, value) && self.b.is_remote(from.mem) == self.b.is_remote(view.mem);
            // Characters of another length are cut or filled where the host can do it.
            let is_one_length = match (view.len, from.len) {
                (Some(to), Some(from)) => to == from,
                _ => true,
            };
            // Objects of this side get components of their own.
            let is_deep = !self.b.is_remote(view.mem) && has_allocatable(self.b.program(), &target.ty);
            if !overlaps && is_one_length && !is_deep {
                self.b.check_shape(&view, &from.extents());
                return self.at(target.span, |this| this.b.copy_array(&view, from, &target.ty));
            }
        }
        // What the target holds is finalised when the value is complete (Fortran 2018, 7.5.6.3).
        let finalises = has_final(self.b.program(), &target.ty) && !self.b.is_remote(view.mem);
        let is_early = self.b.is_remote(view.mem)
            || conflicts(self.b.program(), target, value)
            || finalises && (!is_designator(value) || self.may_share(target, value));
        let (operands, extents) = match designator {
            Some(from) => {
                let from = self.b.local_view(from, &value.ty);
                let extents = from.extents();
                let mut operands = Operands::default();
                operands.insert(value, Operand::View(from));
                (operands, extents)
            }
            None => self.prepared(value),
        };
        if is_early {
            // What goes to the device has the lengths of characters that the target has.
            let is_cut = self.b.is_remote(view.mem) && view.len.is_some();
            let len = if is_cut { view.len } else { self.length_of(value, Some(&operands)) };
            let from = if self.b.is_remote(view.mem) {
                let ty = if is_cut { &target.ty } else { &value.ty };
                let from = self.b.temporary_bytes(ty, len, &extents);
                if has_allocatable(self.b.program(), &value.ty) {
                    self.b.initialise_view(&from, &value.ty);
                }
                from
            } else {
                self.b.temporary_array(&value.ty, len, &extents)
            };
            self.fill_from(&from, operands, &extents, value);
            self.b.check_shape(&view, &from.extents());
            if finalises {
                self.b.finalise_view(&view, &target.ty);
            }
            return self.at(target.span, |this| this.b.copy_array(&view, &from, &target.ty));
        }
        self.b.check_shape(&view, &extents);
        if finalises {
            self.b.finalise_view(&view, &target.ty);
        }
        let extents = view.extents();
        self.at(target.span, |this| this.fill_from(&view, operands, &extents, value));
    }

    /// Whether the value may lie in the target.
    pub(crate) fn may_share(&self, target: &'p Expr, value: &'p Expr) -> bool {
        may_share(self.b.program(), target, value)
    }

    /// The lower bounds that an allocatable gets which a prepared value is assigned to: those of a whole array, also where its values are
    /// converted (Fortran 2018, 10.2.1.3).
    fn lower_bounds(&mut self, value: &'p Expr, operands: &Operands, rank: usize) -> Vec<Val> {
        let named = unconverted(value);
        match operands.operand(named) {
            Some(Operand::View(view)) if is_whole(named) => {
                view.dims.iter().map(|dim| self.b.freeze(dim.lower)).collect()
            }
            _ => vec![Val::i64(1); rank],
        }
    }

    /// Assignment to a whole allocatable, which may have to be reallocated.
    fn assign_whole(&mut self, d: &Descriptor, target: &'p Expr, value: &'p Expr) {
        let reads_target = match storage_root(self.b.program(), target) {
            Some(v) => reads(self.b.program(), value, v),
            None => true,
        };
        let (mut operands, extents) = self.prepared(value);
        let lowers = self.lower_bounds(value, &operands, extents.len());
        if reads_target {
            let from = self.materialise_prepared(value, operands, &extents);
            operands = Operands::default();
            operands.insert(value, Operand::View(from));
        }
        let deferred = d.element.is_none();
        let length = if deferred { self.length_of(value, Some(&operands)) } else { None };
        let element = length.unwrap_or_else(|| self.b.desc_element(d));
        let element = self.b.freeze(element);
        let extents: Vec<Val> = extents.into_iter().map(|e| self.b.freeze(e)).collect();
        let shape: Vec<(Val, Val)> = lowers.into_iter().zip(extents.iter().copied()).collect();
        self.b.fit_allocation(d, target, &shape, element);
        let view = self.b.desc_view(d);
        self.at(target.span, |this| this.fill_from(&view, operands, &extents, value));
    }
}

impl Builder<'_, '_> {
    /// Assigns an element or a part a value that is not in it: what is there is finalised, and components that have defined
    /// assignments are assigned by these.
    pub(crate) fn assign_element(&mut self, place: Lvalue, ty: &Type, v: &Value) {
        if let (Lvalue::Mem(to), Type::Derived(_), true) = (place, ty, self.is_host()) {
            self.finalise(to, ty);
            if assigns_components(self.program(), ty) {
                let from = self.as_object(v);
                return self.assign_object(to, from, ty);
            }
        }
        self.store_value(place, ty, v);
    }
}

/// An expression without the conversions of an assignment.
fn unconverted(e: &Expr) -> &Expr {
    match &e.kind {
        ExprKind::Convert(inner) => unconverted(inner),
        _ => e,
    }
}

/// Whether characters of deferred length get another length though the shape stays, as in `c = max(c, 'text')`.
fn has_own_length(d: &Descriptor, target: &Expr, value: &Expr) -> bool {
    d.element.is_none() && has_open_length(&target.ty) && !same(target, value)
}

fn store_assigned<'p>(b: &mut Builder<'_, 'p>, place: Lvalue, target: &'p Expr, value: &'p Expr, v: &Value) {
    // A character or object value is where it is; what overlaps the target must be copied out first. The character
    // service takes overlap; objects overlap only if they are the same.
    if let (Lvalue::Mem(to), Value::Object(from)) = (place, v)
        && is_designator(value)
    {
        // What is finalised is finalised here too (Fortran 2018, 7.5.6.3).
        if to == *from && !has_final(b.program(), &target.ty) {
            return;
        }
    }
    if let (Lvalue::Mem(_), Value::Object(from)) = (place, v)
        && is_designator(value)
        && overlaps_by_equivalence(b.program(), target, value)
    {
        let bytes = b.type_bytes(&target.ty);
        let unit = align(b.program(), &target.ty);
        let copy = b.temporary(Val::i64(bytes), unit.max(8));
        b.copy_words(copy, *from, bytes as u64, unit);
        return b.assign_element(place, &target.ty, &Value::Object(copy));
    }
    // `a = a%next`: what the target holds is freed before the copy; the value is copied first.
    if let (Lvalue::Mem(to), Value::Object(from)) = (place, v)
        && (has_allocatable(b.program(), &target.ty) || has_final(b.program(), &target.ty))
        && may_be_inside(b.program(), target, value)
    {
        let copy = b.deep_copy(*from, &target.ty);
        b.finalise(to, &target.ty);
        b.store_value(place, &target.ty, &Value::Object(copy));
        return b.release(copy, &target.ty);
    }
    b.assign_element(place, &target.ty, v);
}

/// Gives a view its vector subscripts as they are, before what is assigned changes them.
fn settle_subscripts(b: &mut Builder<'_, '_>, view: &mut ArrayView) {
    let subscript = Type::Integer(8);
    for d in &mut view.dims {
        if let Some(gather) = &mut d.gather {
            let (subs, lower) = gather.as_ref().clone();
            let extents = subs.extents();
            let own = b.temporary_array(&subscript, None, &extents);
            b.copy_array(&own, &subs, &subscript);
            **gather = (own, lower);
        }
    }
}
