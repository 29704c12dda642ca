//! ALLOCATE and DEALLOCATE.
//!
//! `stat=` gets the code of the service (0: success); without it a failure ends the program. Code 151 says that the object
//! is allocated already, as in the run time of nvfortran.
//!
//! Not here: allocating and freeing the data (`object::allocate`).

use crate::analysis::designators::{designator_name, is_class};
use crate::builder::flow::Flow;
use crate::elements::{Operand, Operands};
use crate::function::FunctionLowering;
use crate::object::allocate::AllocateHow;
use crate::types::is_flat;
use crate::value::Value;
use crate::value::array_view::ArrayView;
use crate::value::descriptor::Descriptor;
use crate::value::lvalue::element_lvalue;
use ast::CudaAttr;
use ir::op::{BinOp, CmpOp};
use ir::rt::Rt;
use ir::{Reg, Ty, Val};
use sema::checked::{AllocObject, CharLen, Expr, ExprKind, MOST_ALIGNMENT, Type, is_designator};

/// The code for an object that is allocated already.
const ALREADY_ALLOCATED: i32 = 151;

impl<'p> FunctionLowering<'_, 'p> {
    pub(crate) fn allocate(
        &mut self,
        objects: &'p [AllocObject],
        source: Option<&'p (Expr, bool)>,
        stat: Option<&'p Expr>,
        errmsg: Option<&'p Expr>,
        pinned: Option<&'p Expr>,
        align: Option<&'p Expr>,
    ) {
        let has_stat = stat.is_some();
        let align = align.map(|e| self.alignment(e));
        let how = AllocateHow { has_stat, align, may_hold_lengths: false };
        let result = self.b.mutable(Ty::I32);
        self.b.set(result, Val::i32(0));
        // A value is evaluated once for all objects.
        let mut operands = Operands::default();
        if let Some((s, _)) = source.filter(|(s, _)| objects.len() > 1 && !is_designator(s)) {
            let known = if s.rank > 0 || is_class(self.b.program(), s) {
                let view = self.whole_class_view(s);
                Operand::View(self.b.tagged(view, &s.ty))
            } else {
                Operand::Value(self.value(s))
            };
            operands.insert(s, known);
        }
        self.with_operands(operands, |this| this.allocate_objects(objects, source, how, result));
        self.report_stat(result.into(), stat, errmsg, "allocation failed");
        if let Some(flag) = pinned {
            let all = objects.iter().all(|o| self.b.cuda_of(&o.object) == Some(CudaAttr::Pinned));
            let place = self.lvalue(flag);
            self.b.store_value(place, &flag.ty, &Value::Pred(Val::pred(all)));
        }
    }

    fn allocate_objects(
        &mut self,
        objects: &'p [AllocObject],
        source: Option<&'p (Expr, bool)>,
        how: AllocateHow,
        result: Reg,
    ) {
        for object in objects {
            // After a failure the remaining objects are left alone.
            let good: Val = if how.has_stat && objects.len() > 1 {
                self.b.cmp(CmpOp::Eq, Ty::I32, result, Val::i32(0)).into()
            } else {
                Val::pred(true)
            };
            self.when(good, |this| {
                let code = this.at(object.object.span, |this| this.allocate_object(object, source, how));
                this.b.set(result, code);
            });
        }
    }

    /// The value of `align=`, a power of two.
    fn alignment(&mut self, e: &'p Expr) -> Val {
        let n = self.bound(e);
        let n = self.b.freeze(n);
        if !matches!(e.kind, ExprKind::Const(_)) {
            let less = self.b.isub(n, Val::i64(1));
            let common: Val = self.b.bin(BinOp::And, Ty::I64, n, less).into();
            let is_none = self.b.icmp(CmpOp::Ne, common, Val::i64(0));
            let is_small = self.b.icmp(CmpOp::Lt, n, Val::i64(1));
            let is_large = self.b.icmp(CmpOp::Gt, n, Val::i64(MOST_ALIGNMENT));
            let is_unfit: Val = self.b.bin(BinOp::Or, Ty::Pred, is_small, is_large).into();
            let is_bad: Val = self.b.bin(BinOp::Or, Ty::Pred, is_none, is_unfit).into();
            let message = format!("`align=` is not a power of two from 1 to {MOST_ALIGNMENT}");
            self.when(is_bad, |this| this.at(e.span, |this| this.b.fail(&message)));
        }
        n
    }

    /// Stores a code and, if it is not 0, a message.
    fn report_stat(&mut self, code: Val, stat: Option<&'p Expr>, errmsg: Option<&'p Expr>, message: &str) {
        if let Some(e) = stat {
            let v = self.b.cast(code, Ty::I32, crate::types::ir_ty(&e.ty));
            let place = self.lvalue(e);
            self.b.store_value(place, &e.ty, &Value::Scalar(v));
        }
        if let Some(e) = errmsg {
            let bad: Val = self.b.cmp(CmpOp::Ne, Ty::I32, code, Val::i32(0)).into();
            self.when(bad, |this| {
                let mem = this.b.constant_memory(message.as_bytes(), 1);
                let place = this.lvalue(e);
                this.b.store_value(place, &e.ty, &Value::Char(mem, Val::i64(message.len() as i64)));
            });
        }
    }

    fn allocate_object(&mut self, object: &'p AllocObject, source: Option<&'p (Expr, bool)>, how: AllocateHow) -> Val {
        let e = &object.object;
        let Some(d) = self.descriptor(e) else {
            self.b.unsupported("allocation of this object");
            return Val::i32(0);
        };
        let mut shape: Vec<(Val, Val)> = Vec::with_capacity(object.bounds.len());
        for (lo, hi) in &object.bounds {
            let lower = lo.as_ref().map_or(Val::i64(1), |e| self.bound(e));
            let upper = self.bound(hi);
            let extent = self.b.allocated_extent(lower, upper);
            shape.push((lower, extent));
        }
        if is_flat(self.b.program(), &e.ty) {
            return self.allocate_flat(object, &d, shape, source, how);
        }
        if d.class {
            return self.allocate_class(object, &d, &shape, source, how);
        }
        let from = source.filter(|(s, _)| s.rank > 0).map(|(s, _)| self.view(s));
        if let (true, Some(view)) = (shape.is_empty() && e.rank > 0, &from) {
            for dim in &view.dims {
                let extent = self.b.freeze(dim.extent);
                let lower = if source.is_some_and(|(s, _)| crate::analysis::expressions::is_whole(s)) {
                    dim.lower
                } else {
                    Val::i64(1)
                };
                shape.push((self.b.freeze(lower), extent));
            }
        }
        // A value that says the length is evaluated once.
        let text = match source {
            Some((s, _)) if s.rank == 0 && d.element.is_none() && matches!(s.ty, Type::Character(_)) => {
                Some(self.value(s))
            }
            _ => None,
        };
        let length = match (&text, &from) {
            (Some(Value::Char(_, len)), _) => Some(*len),
            (_, Some(from)) => from.len,
            _ => None,
        };
        let element = self.element_of_allocation(object, &d, length);
        self.allocate_unless_taken(&d, &shape, element, e, how, |this| {
            if this.b.holds_lengths(&e.ty) && !matches!(source, Some((_, false))) {
                let lengths = this.allocated_lengths(object, source, from.as_ref());
                let view = this.b.desc_view(&d);
                return this.b.make_view(&view, &e.ty, &lengths);
            }
            this.b.initialise_data(&d, &e.ty);
            if let Some((s, false)) = source {
                let to = this.b.desc_view(&d);
                match &from {
                    Some(from) => {
                        this.b.keep_lengths(&to, from, &e.ty);
                        this.b.copy_array(&to, from, &e.ty);
                    }
                    None => {
                        let v = text.clone().unwrap_or_else(|| this.value(s));
                        this.b.keep_lengths_of_value(&to, &v, &e.ty);
                        if e.rank > 0 {
                            this.b.fill(&to, &v, &e.ty);
                        } else {
                            this.b.store_value(element_lvalue(to.mem, to.len), &e.ty, &v);
                        }
                    }
                }
                if this.b.holds_lengths(&e.ty) {
                    let wanted = this.declared_lengths(e);
                    this.b.check_lengths(&to, &e.ty, &wanted);
                }
            }
        })
    }

    /// Allocates data for an object and lets `fill` give it a value; an allocatable object must not have any yet. Gives the
    /// code.
    pub(crate) fn allocate_unless_taken(
        &mut self,
        d: &Descriptor,
        shape: &[(Val, Val)],
        element: Val,
        object: &Expr,
        how: AllocateHow,
        fill: impl FnOnce(&mut Self),
    ) -> Val {
        let (name, location) = (designator_name(self.b.program(), object), self.b.location_of(object));
        let may_hold_lengths = if d.class { self.b.may_be_made(&object.ty) } else { self.b.holds_lengths(&object.ty) };
        let how = AllocateHow { may_hold_lengths, ..how };
        let base = self.b.desc_base(d);
        // A pointer gets a new target, whatever it points to.
        let is_pointer = matches!(object.kind, ExprKind::Var(v) if self.b.program().var(v).attrs.pointer);
        let taken =
            if d.contiguous && !is_pointer { self.b.icmp(CmpOp::Ne, base, Val::i64(0)) } else { Val::pred(false) };
        let result = self.b.mutable(Ty::I32);
        self.either(
            taken,
            |this| {
                if how.has_stat {
                    this.b.set(result, Val::i32(ALREADY_ALLOCATED));
                } else {
                    let (text, len) = this.b.name_text(&name);
                    this.b.rt(Rt::ErrorAlreadyAllocated, vec![text, len]);
                }
            },
            |this| {
                let code = this.b.allocate_data(d, shape, element, location, &name, how);
                this.b.set(result, code);
                let good: Val = if how.has_stat {
                    this.b.cmp(CmpOp::Eq, Ty::I32, code, Val::i32(0)).into()
                } else {
                    Val::pred(true)
                };
                this.when(good, fill);
            },
        );
        result.into()
    }

    /// Allocates flat objects, which have the lengths of the source, or those that the statement or the declaration says.
    fn allocate_flat(
        &mut self,
        object: &'p AllocObject,
        d: &Descriptor,
        mut shape: Vec<(Val, Val)>,
        source: Option<&'p (Expr, bool)>,
        how: AllocateHow,
    ) -> Val {
        let e = &object.object;
        let from = match source {
            Some((value, _)) => match self.flat_value(value, &e.ty) {
                Some(from) => Some(from),
                None => {
                    self.b.refuse_flat();
                    return Val::i32(0);
                }
            },
            None => None,
        };
        if let (true, Some((from, _)), Some((value, _))) = (shape.is_empty(), &from, source) {
            let lowers = self.lowers_of(value, from);
            shape = lowers.into_iter().zip(from.extents()).take(usize::from(e.rank)).collect();
        }
        let lengths = match &from {
            Some((_, lengths)) => lengths.clone(),
            None => self.flat_lengths_given(object),
        };
        let fixed = self.lengths_that_stay(e);
        self.check_given_lengths(&e.ty, &fixed, &lengths);
        let element = self.bytes_with_lengths(&e.ty, &lengths);
        self.allocate_unless_taken(d, &shape, element, e, how, |this| {
            this.keep_flat_lengths(e, &lengths);
            let to = this.b.desc_view(d);
            match (from, source) {
                (Some((from, _)), Some((_, false))) => {
                    this.b.copy_flat_objects(&to, &from, &e.ty);
                    this.b.own_flat(&to, &e.ty, &lengths);
                }
                _ => this.initialise_flat(&to, &e.ty, &lengths),
            }
        })
    }

    /// The lengths that ALLOCATE gives to flat objects, or their declaration.
    fn flat_lengths_given(&mut self, object: &'p AllocObject) -> Vec<Val> {
        if object.lengths.is_empty() {
            return self.lengths_of(&object.object);
        }
        let declared = self.lengths_that_stay(&object.object);
        let given = self.lengths(&object.lengths);
        let is_assumed = |n: &CharLen| matches!(n, CharLen::Assumed);
        let own = object.lengths.iter().zip(given).zip(&declared);
        own.map(|((n, given), own)| own.filter(|_| is_assumed(n)).unwrap_or(given)).collect()
    }

    /// The length parameters of new objects: what the statement says, the mold has, or the declaration gives.
    /// `from` is the view of the mold where it has been evaluated.
    pub(crate) fn allocated_lengths(
        &mut self,
        object: &'p AllocObject,
        source: Option<&'p (Expr, bool)>,
        from: Option<&ArrayView>,
    ) -> Vec<Val> {
        let e = &object.object;
        if !object.lengths.is_empty() {
            let mut given = self.lengths(&object.lengths);
            let declared = self.declared_lengths(e);
            for ((n, given), declared) in object.lengths.iter().zip(&mut given).zip(&declared) {
                if let (CharLen::Assumed, Some(declared)) = (n, declared) {
                    *given = *declared;
                }
            }
            self.check_given_lengths(&e.ty, &declared, &given);
            return given;
        }
        if let (Some((mold, _)), Type::Derived(id)) = (source, &e.ty) {
            let view = from.cloned().unwrap_or_else(|| self.view(mold));
            self.b.need_lengths(&view, &e.ty);
            let given = self.b.held_lengths(view.mem, *id);
            let declared = self.declared_lengths(e);
            self.check_given_lengths(&e.ty, &declared, &given);
            return given;
        }
        let declared = self.declared_lengths(e);
        if declared.iter().any(Option::is_none) {
            self.b.unsupported("allocation of an object of the host whose length parameters are not constant");
        }
        declared.into_iter().map(|n| n.unwrap_or(Val::i64(0))).collect()
    }

    /// Bytes of an element: of a character of deferred length, what the statement says, or what `source` has.
    fn element_of_allocation(&mut self, object: &'p AllocObject, d: &Descriptor, source: Option<Val>) -> Val {
        if let Some(n) = d.element {
            return n;
        }
        let length = match &object.spec {
            Some(Type::Character(CharLen::Const(n))) => Some(Val::i64((*n).max(0))),
            Some(Type::Character(CharLen::Expr(e))) => {
                let n = self.bound(e);
                Some(self.b.at_least_zero(n))
            }
            _ => source,
        };
        // A dummy of assumed length: its descriptor knows.
        length.unwrap_or_else(|| self.b.desc_element(d))
    }

    pub(crate) fn deallocate(&mut self, objects: &'p [Expr], stat: Option<&'p Expr>, errmsg: Option<&'p Expr>) {
        let has_stat = stat.is_some();
        let result = self.b.mutable(Ty::I32);
        self.b.set(result, Val::i32(0));
        for e in objects {
            let Some(d) = self.descriptor(e) else {
                self.b.unsupported("allocation of this object");
                continue;
            };
            let (name, location) = (designator_name(self.b.program(), e), self.b.location_of(e));
            self.at(e.span, |this| {
                // The target is what it was at the beginning: a FINAL subroutine may change a pointer to it.
                let base = this.b.desc_base(&d);
                let base = this.b.freeze(base);
                this.b.free_components_of(&d, &e.ty);
                this.end_flat_of(e, &d);
                let (text, len) = this.b.name_text(&name);
                let flag = Val::i32(i32::from(has_stat));
                let results = this.b.rt(Rt::Free, vec![Val::i32(location), base, text, len, flag]);
                this.b.desc_clear(&d);
                if let Some(&code) = results.first() {
                    let bad: Val = this.b.cmp(CmpOp::Ne, Ty::I32, code, Val::i32(0)).into();
                    if has_stat {
                        this.when(bad, |this| this.b.set(result, code));
                    }
                }
            });
        }
        self.report_stat(result.into(), stat, errmsg, "deallocation failed");
    }
}
