//! Pointer assignment, and ASSOCIATED.
//!
//! Not here: procedure pointers (`call::procedure_pointer`).

use crate::analysis::designators::designator_name;
use crate::builder::flow::Flow;
use crate::function::FunctionLowering;
use crate::types::is_flat;
use crate::value::array_view::{ArrayDim, ArrayView, Contiguity};
use ir::Val;
use ir::op::{BinOp, CmpOp};
use sema::checked::{Expr, ExprKind, Type, is_designator};

impl<'p> FunctionLowering<'_, 'p> {
    /// `target => value`
    pub(crate) fn pointer_assign(&mut self, target: &'p Expr, bounds: &'p [(Expr, Option<Expr>)], value: &'p Expr) {
        let Some(d) = self.descriptor(target) else { return self.b.unsupported("a pointer to this object") };
        let Some(view) = self.pointer_target(value) else { return self.b.desc_clear(&d) };
        self.at(value.span, |this| this.check_taken(target, &view));
        let view = self.with_bounds(view, bounds, value);
        let view = self.b.with_type(&d, view, &value.ty);
        if is_flat(self.b.program(), &target.ty) {
            let (lengths, fixed) = (self.all_lengths_of(value), self.lengths_that_stay(target));
            if self.b.is_host() {
                self.at(value.span, |this| this.check_given_lengths(&target.ty, &fixed, &lengths));
            }
            self.keep_flat_lengths(target, &lengths);
        }
        self.b.desc_set(&d, &view);
    }

    /// What a pointer points to after `=> e`; `None` for `null()`.
    pub(crate) fn pointer_target(&mut self, e: &'p Expr) -> Option<ArrayView> {
        match &e.kind {
            ExprKind::Null => None,
            ExprKind::Intrinsic { id: sema::checked::Intrinsic::Null, .. } => None,
            ExprKind::Call { proc, args } => {
                let view = self.call_pointer_function(*proc, args);
                if view.is_none() {
                    self.b.unsupported("a pointer to this object");
                }
                view
            }
            _ => {
                let view = self.designator_view(e);
                if view.is_none() {
                    self.b.unsupported("a pointer to this object");
                }
                view
            }
        }
    }

    /// The view of a target with the bounds that a pointer assignment gives.
    pub(crate) fn with_bounds(
        &mut self,
        mut view: ArrayView,
        bounds: &'p [(Expr, Option<Expr>)],
        target: &'p Expr,
    ) -> ArrayView {
        if bounds.is_empty() {
            return view;
        }
        if bounds.iter().all(|b| b.1.is_none()) {
            for (d, (lo, _)) in view.dims.iter_mut().zip(bounds) {
                d.lower = self.bound(lo);
            }
            return view;
        }
        // Bounds remapping: the target is of rank 1, or its elements follow each other.
        let mut stride = match view.dims.as_slice() {
            [only] => only.stride,
            _ => {
                let test = self.b.contiguity_test(&view);
                let has_gaps = self.b.negate(test);
                self.when(has_gaps, |this| {
                    this.b.unsupported("other bounds for a target with gaps that is not of rank one");
                });
                view.element
            }
        };
        let mut dims = Vec::with_capacity(bounds.len());
        for (lo, hi) in bounds {
            let lower = self.bound(lo);
            let upper = hi.as_ref().map_or(lower, |e| self.bound(e));
            let extent = self.b.count(lower, upper, Val::i64(1));
            dims.push(ArrayDim { lower, extent, stride, gather: None });
            stride = self.b.imul(stride, extent);
        }
        if self.b.options().check_bounds && !view.assumed_size && is_designator(target) {
            // The target has at least as many elements as the pointer (Fortran 2018, 10.2.2.3).
            let (given, wanted) = (view.extents(), dims.iter().map(|d| d.extent).collect::<Vec<_>>());
            let (there, last) = (self.b.product(&given), self.b.product(&wanted));
            let is_beyond = self.b.icmp(CmpOp::Gt, last, there);
            let all = ArrayDim { lower: Val::i64(1), extent: there, stride: view.element, gather: None };
            let name = designator_name(self.b.program(), target);
            self.when(is_beyond, |this| this.b.check_subscript(last, &all, 0, &name));
        }
        ArrayView { dims, contiguity: Contiguity::Unknown, origin: None, ..view }
    }

    /// ASSOCIATED
    pub(crate) fn associated(&mut self, pointer: &'p Expr, target: Option<&'p Expr>) -> Val {
        let known = self.descriptor(pointer);
        let (set, given) = match (&known, &pointer.kind) {
            (Some(d), _) => (self.b.desc_is_set(d), None),
            (None, ExprKind::Call { .. }) => {
                // What a function gives is looked at once.
                let Some(view) = self.pointer_target(pointer) else { return Val::pred(false) };
                let address = self.b.address(view.mem);
                (self.b.icmp(CmpOp::Ne, address, Val::i64(0)), Some(view))
            }
            (None, _)
                if target.is_none()
                    && let Some(address) = self.captured_address(pointer) =>
            {
                (self.b.icmp(CmpOp::Ne, address, Val::i64(0)), None)
            }
            _ => {
                self.b.unsupported("a pointer to this object");
                return Val::pred(false);
            }
        };
        let Some(target) = target else { return set };
        let Some(mine) = given.or_else(|| known.map(|d| self.b.desc_view(&d))) else { return Val::pred(false) };
        let Some(theirs) = self.pointer_target(target) else { return Val::pred(false) };
        let (a, b) = (self.b.address(mine.mem), self.b.address(theirs.mem));
        let mut equal = self.b.icmp(CmpOp::Eq, a, b);
        for (x, y) in mine.dims.iter().zip(&theirs.dims) {
            let extents = self.b.icmp(CmpOp::Eq, x.extent, y.extent);
            equal = self.b.combine(BinOp::And, equal, extents);
            // What has no elements is associated with nothing.
            let some = self.b.icmp(CmpOp::Gt, x.extent, Val::i64(0));
            equal = self.b.combine(BinOp::And, equal, some);
            // Strides matter where there is a second element.
            let strides = self.b.icmp(CmpOp::Eq, x.stride, y.stride);
            let single = self.b.icmp(CmpOp::Le, x.extent, Val::i64(1));
            let fits = self.b.combine(BinOp::Or, strides, single);
            equal = self.b.combine(BinOp::And, equal, fits);
        }
        if matches!(pointer.ty, Type::Character(_)) {
            // Neither is what has no characters.
            let some = self.b.icmp(CmpOp::Gt, mine.element, Val::i64(0));
            equal = self.b.combine(BinOp::And, equal, some);
        }
        self.b.combine(BinOp::And, set, equal)
    }
}
