//! Array expressions, element by element.
//!
//! An array expression is *prepared* once. Each operand that is not an element-wise operation becomes a view: the memory of
//! a designator, or a temporary. Each scalar operand becomes a value. Then a loop nest evaluates the expression for each
//! element with the ordinary scalar code, which finds the prepared operands (`elements`). If all operands and the target are
//! contiguous, the nest is one loop over all elements.
//!
//! In host code an operand on the device is first copied to the host as a whole.
//!
//! Not here: array assignment (`assign`), copying arrays in memory (`object::array`).

pub(crate) mod constructor;

use crate::analysis::designators::{is_class, is_pointer_result, may_be_unset};
use crate::analysis::expressions::{holds_division, is_elementwise, is_rearranged};
use crate::builder::Builder;
use crate::builder::flow::Flow;
use crate::elements::{Operand, Operands};
use crate::expr::scattered::scattered;
use crate::function::FunctionLowering;
use crate::intrinsic::may_be_absent;
use crate::types::{HOST_MEMORY, has_final, is_flat};
use crate::value::array_view::ArrayView;
use crate::value::lvalue::{MemRef, element_lvalue};
use ir::Val;
use sema::checked::{Actual, Class, Const, Expr, ExprKind, ProcId, Type, Variable, is_designator, visit};
use source::Span;

impl<'p> Builder<'_, 'p> {
    /// With bounds checks on, reports operands of a prepared expression that do not conform.
    pub(crate) fn check_operands(&mut self, e: &'p Expr, operands: &Operands) {
        if !self.options().check_bounds
            || e.rank == 0
            || operands.operand(e).is_some()
            || !is_elementwise(self.program(), e)
        {
            return;
        }
        let mut parts = Vec::new();
        visit::parts(e, &mut |part| parts.push(part));
        self.check_conforming(e.span, parts, operands);
    }

    /// With bounds checks on, reports prepared expressions, such as the arguments of a function, that do not conform to each other, and
    /// operands in them that do not.
    pub(crate) fn check_conforming(
        &mut self,
        span: Span,
        parts: impl IntoIterator<Item = &'p Expr>,
        operands: &Operands,
    ) {
        if !self.options().check_bounds {
            return;
        }
        let mut first: Option<Vec<Val>> = None;
        for part in parts {
            if part.rank == 0 || operands.is_optional(part) {
                continue;
            }
            self.check_operands(part, operands);
            let Some(extents) = operands.extents(part) else { continue };
            match &first {
                Some(first) => self.at(span, |this| this.check_extents(first, &extents)),
                None => first = Some(extents),
            }
        }
    }

    /// The same for an array and its mask.
    pub(crate) fn check_mask(&mut self, array: &'p Expr, mask: Option<&'p Expr>, operands: &Operands) {
        self.check_conforming(array.span, [Some(array), mask].into_iter().flatten(), operands);
    }

    /// An array in the place of one that is refused.
    pub(crate) fn refused_view(&mut self, e: &Expr) -> ArrayView {
        let what = match &e.kind {
            ExprKind::Unsupported(what) => what.to_string(),
            ExprKind::Intrinsic { id, .. } => format!("`{}` with these arguments", id.name()),
            _ => "this array expression".to_owned(),
        };
        self.unsupported(&what);
        let space = self.local_space();
        self.dense(MemRef::at(Val::i64(0), space), Val::i64(1), None, &vec![Val::i64(0); usize::from(e.rank)])
    }
}

impl<'p> FunctionLowering<'_, 'p> {
    /// The operand prepared for a node in the innermost evaluation that has one, with the position there.
    pub(crate) fn lookup(&self, e: &Expr) -> Option<(Operand, Vec<Val>, bool)> {
        let (operand, index, is_linear) = self.elements.lookup(e)?;
        let operand = match operand {
            Operand::View(view) => Operand::View(self.sized_view(view, &e.ty)),
            value @ Operand::Value(_) => value,
        };
        Some((operand, index, is_linear))
    }

    /// A view whose elements are values with a length, if they are flat objects.
    pub(crate) fn sized_view(&self, view: ArrayView, ty: &Type) -> ArrayView {
        let len = if is_flat(self.b.program(), ty) { Some(view.element) } else { view.len };
        ArrayView { len, ..view }
    }

    /// Prepares an expression of rank > 0, or the scalar operand of one.
    pub(crate) fn prepare(&mut self, e: &'p Expr, operands: &mut Operands) {
        // Where a mask decides, a scalar division waits for an element that is assigned.
        let waits = e.rank == 0 && operands.is_masked() && self.b.is_host() && holds_division(e);
        if e.rank == 0 && !waits {
            if !matches!(e.kind, ExprKind::Const(_)) {
                let value = self.value(e);
                operands.insert(e, Operand::Value(value));
            }
            return;
        }
        // What an outer evaluation has prepared as a whole.
        if let Some((Operand::View(view), ..)) = self.lookup(e)
            && view.dims.len() == usize::from(e.rank)
        {
            return operands.insert(e, Operand::View(view));
        }
        if self.prepare_parts(e, operands) {
            return;
        }
        if !is_elementwise(self.b.program(), e) {
            self.check_whole(e);
            let view = self.view(e);
            let view = self.b.local_view(view, &e.ty);
            operands.insert(e, Operand::View(view));
            return;
        }
        if let ExprKind::Call { proc, args } = &e.kind {
            if self.b.is_host() && has_final(self.b.program(), &e.ty) && !operands.is_masked() {
                let results = self.kept_results(*proc, args, e);
                return operands.insert(e, Operand::View(results));
            }
            self.prepare_arguments(*proc, args, operands);
            return;
        }
        if let ExprKind::Intrinsic { id, args } = &e.kind {
            for (at, arg) in args.iter().enumerate() {
                match arg {
                    Some(a) if may_be_absent(self.b.program(), *id, at, a) => self.prepare_absent(a, operands),
                    Some(a) => self.prepare(a, operands),
                    None => {}
                }
            }
            return;
        }
        visit::parts(e, &mut |part| self.prepare(part, operands));
    }

    /// The results of an elemental function in memory of their own: they are finalised when the statement has used them
    /// (Fortran 2018, 7.5.6.3).
    fn kept_results(&mut self, proc: ProcId, args: &'p [Option<Actual>], e: &'p Expr) -> ArrayView {
        let mut operands = Operands::default();
        self.prepare_arguments(proc, args, &mut operands);
        let extents = operands.extents(e).unwrap_or_default();
        self.b.check_operands(e, &operands);
        let outlives = self.b.outlives_scope(&e.ty, false);
        let results = if outlives {
            self.b.array_of_results(&e.ty, &extents)
        } else {
            self.b.temporary_array(&e.ty, None, &extents)
        };
        self.for_each_element(operands, &extents, &[&results], &mut |this, index, linear| {
            let mem = this.b.element_pos(&results, index, linear);
            this.call_into(proc, args, mem);
        });
        if outlives {
            self.b.end_after_statement(&results, &e.ty, false, HOST_MEMORY);
        } else {
            self.b.end_later(results.clone(), e.ty.clone());
        }
        results
    }

    /// Prepares the arguments of an elemental function.
    fn prepare_arguments(&mut self, proc: ProcId, args: &'p [Option<Actual>], operands: &mut Operands) {
        let dummies = &self.b.program().proc(proc).params;
        for (arg, dummy) in args.iter().zip(dummies) {
            let Some(Actual::Expr(a)) = arg else { continue };
            let dummy = self.b.program().var(*dummy);
            if self.prepare_optional(a, dummy, operands) {
                continue;
            }
            if a.rank > 0 || dummy.attrs.value {
                self.prepare(a, operands);
            } else {
                self.prepare_scalar_argument(a, dummy, operands);
            }
        }
    }

    /// Prepares a scalar argument of an elemental procedure that is passed by reference: a value is computed once, before an element
    /// changes what it is made of. A variable stays one.
    pub(crate) fn prepare_scalar_argument(&mut self, e: &'p Expr, dummy: &Variable, operands: &mut Operands) {
        let program = self.b.program();
        let is_pointer = is_pointer_result(program, e);
        if is_designator(e)
            || matches!(e.kind, ExprKind::Null | ExprKind::Const(_) | ExprKind::Procedure(_))
            || is_pointer && dummy.attrs.intent != Some(ast::Intent::In)
            || operands.is_masked() && self.b.is_host() && holds_division(e)
        {
            return;
        }
        if is_class(program, e) {
            let object = self.class_view(e);
            return operands.insert(e, Operand::View(object));
        }
        let value = if is_pointer { self.scalar_copy(e) } else { self.own_value(e) };
        operands.insert(e, Operand::Value(value));
    }

    /// Prepares an array that is an argument for an optional dummy of an elemental procedure, and may be absent: an optional
    /// dummy, or what need not be allocated or associated. Says whether `e` is one.
    pub(crate) fn prepare_optional(&mut self, e: &'p Expr, dummy: &Variable, operands: &mut Operands) -> bool {
        let program = self.b.program();
        let is_own = matches!(e.kind, ExprKind::Var(v) if program.var(v).attrs.optional);
        if !dummy.attrs.optional || !(is_own || may_be_unset(program, e)) || scattered(program, e).is_some() {
            return false;
        }
        self.prepare_absent(e, operands);
        e.rank > 0
    }

    /// Prepares an argument that may be absent: an array is described without a look at what it holds, a scalar is read
    /// where it is known to be there.
    fn prepare_absent(&mut self, e: &'p Expr, operands: &mut Operands) {
        if e.rank == 0 {
            return;
        }
        if let ExprKind::Convert(inner) = &e.kind {
            return self.prepare_absent(inner, operands);
        }
        let own = match e.kind {
            ExprKind::Var(v) if self.b.program().var(v).attrs.optional => Some(v),
            _ => None,
        };
        let old = own.and_then(|v| Some((v, self.give_descriptor(v)?)));
        let view = self.view(e);
        operands.insert_optional(e, Operand::View(view));
        if let Some((v, old)) = old {
            self.storage.set(v, old);
        }
    }

    /// Prepares a whole expression and gives its extents.
    pub(crate) fn prepared(&mut self, e: &'p Expr) -> (Operands, Vec<Val>) {
        let mut operands = Operands::default();
        self.prepare(e, &mut operands);
        let extents = operands.extents(e).unwrap_or_default();
        self.b.check_operands(e, &operands);
        (operands, extents)
    }

    /// Runs `body` for each element; `targets` are arrays of the same shape that it goes through in step. The body gets the
    /// position, for [`FunctionLowering::element_pos`].
    pub(crate) fn for_each_element(
        &mut self,
        operands: Operands,
        extents: &[Val],
        targets: &[&ArrayView],
        body: &mut dyn FnMut(&mut Self, &[Val], bool),
    ) {
        let linear = operands.is_contiguous() && targets.iter().all(|t| t.is_contiguous() && !t.gathers());
        let depth = self.elements.enter(operands, linear);
        let extents = if linear { vec![self.b.product(extents)] } else { extents.to_vec() };
        self.nest(&extents, &mut |this, index| {
            this.elements.set_position(depth, index);
            body(this, index, linear);
        });
        self.elements.leave(depth);
    }

    /// Runs `body` with prepared operands, at positions that the caller chooses with [`FunctionLowering::move_to`].
    pub(crate) fn with_operands<T>(&mut self, operands: Operands, body: impl FnOnce(&mut Self) -> T) -> T {
        let depth = self.elements.enter(operands, false);
        let result = body(self);
        self.elements.leave(depth);
        result
    }

    /// Runs `body` with other objects in the place of those that an expression gives.
    pub(crate) fn with_objects<T>(&mut self, e: &Expr, objects: ArrayView, body: impl FnOnce(&mut Self) -> T) -> T {
        let mut operands = Operands::default();
        operands.insert(e, Operand::View(objects));
        self.with_operands(operands, |this| {
            this.move_to(&[]);
            body(this)
        })
    }

    /// Goes to a position in the innermost evaluation.
    pub(crate) fn move_to(&mut self, index: &[Val]) {
        self.elements.move_to(index);
    }

    /// Any array-valued expression as a view.
    pub(crate) fn view(&mut self, e: &'p Expr) -> ArrayView {
        if let Some((Operand::View(view), _, _)) = self.lookup(e) {
            return view;
        }
        if let Some(view) = self.readable_view(e) {
            return self.sized_view(view, &e.ty);
        }
        let view = self.at(e.span, |this| match &e.kind {
            ExprKind::Const(c) => const_view(&mut this.b, c, &e.ty),
            ExprKind::Array(items) => this.array_constructor(items, e),
            ExprKind::Call { proc, args } if !this.b.program().proc(*proc).elemental => this.call_array(*proc, args, e),
            ExprKind::Intrinsic { id, args } if id.class() != Class::Elemental => {
                this.array_intrinsic(*id, args.into(), e).unwrap_or_else(|| this.b.refused_view(e))
            }
            ExprKind::Var(_)
            | ExprKind::Unsupported(_)
            | ExprKind::Null
            | ExprKind::Construct { .. }
            | ExprKind::Special { .. }
            | ExprKind::Procedure(_)
            | ExprKind::Seen { .. }
            | ExprKind::IsType { .. }
            | ExprKind::Field { .. }
            | ExprKind::Element { .. }
            | ExprKind::ComplexPart { .. }
            | ExprKind::Substring { .. }
            | ExprKind::Section { .. } => this.b.refused_view(e),
            _ => this.materialise(e),
        });
        self.sized_view(view, &e.ty)
    }

    /// The array that an expression gives, for a use that lasts: the memory of a designator, or else a value that later
    /// assignments to variables do not change. Elements that vector subscripts choose are copied too. In device code, which
    /// has no memory for a copy of any size, a transposed or reshaped variable stays a view of it.
    pub(crate) fn own_view(&mut self, e: &'p Expr) -> ArrayView {
        let is_prepared = self.lookup(e).is_some();
        let view = self.view(e);
        let copies = view.gathers() || (self.b.is_host() && is_rearranged(e) && !is_prepared);
        if !copies {
            return view;
        }
        let dense = self.b.temporary_array(&e.ty, view.len, &view.extents());
        self.b.keep_lengths(&dense, &view, &e.ty);
        self.b.copy_array(&dense, &view, &e.ty);
        ArrayView { tag: view.tag, ..dense }
    }

    /// An expression evaluated into a temporary array.
    pub(crate) fn materialise(&mut self, e: &'p Expr) -> ArrayView {
        let (operands, extents) = self.prepared(e);
        self.materialise_prepared(e, operands, &extents)
    }

    /// A prepared expression evaluated into a temporary array.
    pub(crate) fn materialise_prepared(&mut self, e: &'p Expr, operands: Operands, extents: &[Val]) -> ArrayView {
        if let (ExprKind::Call { proc, .. }, Some(Operand::View(results))) = (&e.kind, operands.operand(e))
            && self.b.program().proc(*proc).elemental
        {
            // These are nobody else's (`kept_results`); what a pointer points to is copied.
            return results.clone();
        }
        let len = self.length_of(e, Some(&operands));
        let view = self.b.temporary_array(&e.ty, len, extents);
        self.hold_lengths_of(&view, e, &operands);
        self.fill_from(&view, operands, extents, e);
        view
    }

    /// Stores a prepared expression into an array that it does not overlap.
    pub(crate) fn fill_from(&mut self, target: &ArrayView, operands: Operands, extents: &[Val], e: &'p Expr) {
        let view = target.clone();
        self.for_each_element(operands, extents, &[target], &mut |this, index, linear| {
            let value = this.value(e);
            let mem = this.b.element_pos(&view, index, linear);
            this.b.store_value(element_lvalue(mem, view.len), &e.ty, &value);
        });
    }
}
/// A constant array.
fn const_view(builder: &mut Builder<'_, '_>, c: &Const, ty: &Type) -> ArrayView {
    let mut bytes = Vec::new();
    crate::module::globals::encode(builder.program(), ty, c, &mut bytes);
    let mem = builder.constant_memory(&bytes, crate::types::align(builder.program(), ty));
    let bounds = match c {
        Const::Array { bounds, .. } => bounds.clone(),
        _ => Vec::new(),
    };
    let element = Val::i64(crate::types::const_bytes(builder.program(), ty).unwrap_or(0) as i64);
    let len = matches!(ty, Type::Character(_)).then_some(element);
    let extents: Vec<Val> = bounds.iter().map(|b| Val::i64(b.1)).collect();
    let mut view = builder.dense(mem, element, len, &extents);
    for (d, b) in view.dims.iter_mut().zip(&bounds) {
        d.lower = Val::i64(b.0);
    }
    view
}
