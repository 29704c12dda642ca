//! Assignments: intrinsic, defined, and of pointers.

use crate::checked::{
    Attrs, CharLen, Const, Expr, ExprKind, Program, Shape, Stmt, StmtKind, Storage, Sub, Type, VarId, Variable,
    is_designator, root, visit,
};
use crate::checker::{Checker, CodeSide, Sym, VarInfo};
use crate::cuda;
use crate::typing::{
    Argument, Typing, assignable, constant_extents, has_vector_subscript, is_allocatable, is_class,
    is_implicitly_managed, is_numeric, is_pointer, is_procedure_pointer, mismatch, one, same_type, shape_name,
    space_of, type_name,
};
use ast::{Arg, ArgValue};
use diag::{Code, Diagnostic};
use source::Span;

/// The name of the variable that stands for what the result of a function points to.
pub(super) const TARGET_OF_FUNCTION: &str = "target of a function";

impl Checker<'_> {
    /// `target = value`
    pub(super) fn assignment(&mut self, target: &ast::Expr, value: &ast::Expr, span: Span) -> Option<StmtKind> {
        let target_e = self.assigned(target);
        if let Some(reference) = target_e.clone().filter(|t| matches!(t.kind, ExprKind::Call { .. })) {
            return self.assign_through(reference, |c, target| c.assign(Some(target), value, span));
        }
        self.assign(target_e, value, span)
    }

    fn assign(&mut self, target_e: Option<Expr>, written: &ast::Expr, span: Span) -> Option<StmtKind> {
        let value_e = match &target_e {
            Some(t) => {
                let ty = t.ty.clone();
                self.expr_as(written, &ty)
            }
            None => self.expr(written),
        };
        let (target, value) = (target_e?, value_e?);
        if let Some(call) = self.defined_assignment(&target, &value, span) {
            return call;
        }
        self.typing().check_assigned(&target)?;
        if matches!(value.kind, ExprKind::Null) {
            return self.reporter.error_help(
                Code::TypeMismatch,
                value.span,
                "`null()` is assigned with `=`",
                "pointers are assigned with `=>`",
            );
        }
        self.typing().check_parent_object(&target)?;
        self.typing().check_parent_object(&value)?;
        let value = self.typing().of_hollerith(value, written, &target.ty);
        let is_class = is_class(&self.defs, &target);
        if is_class && !is_allocatable(&self.defs, &target) {
            let text = "a polymorphic object is assigned that is not allocatable";
            return self.reporter.error_help(Code::BadPolymorphism, target.span, text, "use `select type`");
        }
        let value = self.dimensions_of(&target.ty, value)?;
        let value = self.typing().as_twin(value, &target.ty);
        let value = if is_class { self.host_value(value)? } else { value };
        let fits = assignable(&target.ty, &value) || (is_class && self.defs.class_takes(&target.ty, &value.ty));
        if !fits {
            if self.may_be_defined("assignment(=)", &[&target, &value]) {
                return None;
            }
            let text = format!(
                "{} cannot be assigned to {}",
                shape_name(&self.defs, &value.ty, value.rank),
                shape_name(&self.defs, &target.ty, target.rank)
            );
            return self.reporter.error(Code::TypeMismatch, span, text);
        }
        if value.rank != 0 && value.rank != target.rank {
            let text = if target.rank == 0 {
                format!("an array of rank {} cannot be assigned to a scalar", value.rank)
            } else {
                format!("an array of rank {} cannot be assigned to one of rank {}", value.rank, target.rank)
            };
            return self.reporter.error(Code::RankMismatch, span, text);
        }
        if value.rank > 0
            && !is_allocatable(&self.defs, &target)
            && let Some(m) = mismatch(&self.defs, &target, &value)
        {
            let (dimension, left, right) = (m.dimension, m.left, m.right);
            let text =
                format!("shapes differ: dimension {dimension} has extent {left} on the left and {right} on the right");
            return self.reporter.error(Code::ShapeMismatch, span, text);
        }
        self.typing().check_transfer(&target, &value, span)?;
        let ty = target.ty.clone();
        self.typing().check_fraction(&ty, &value);
        let value = self.typing().convert(value, &ty)?;
        Some(StmtKind::Assign { target, value })
    }

    /// The assignment that gives an object its initial value.
    pub(crate) fn assign_initial(&mut self, target: Expr, written: &ast::Expr) -> Option<StmtKind> {
        let ty = target.ty.clone();
        let value = self.expr_as(written, &ty)?;
        self.check_constant_parts(&value)?;
        let shapes = [(&value.ty, value.rank), (&ty, target.rank)].map(|(ty, rank)| shape_name(&self.defs, ty, rank));
        if !assignable(&ty, &value) {
            let text = format!("an initial value of {} does not fit {}", shapes[0], shapes[1]);
            return self.reporter.error(Code::TypeMismatch, written.span, text);
        }
        if value.rank != 0 && (value.rank != target.rank || mismatch(&self.defs, &target, &value).is_some()) {
            let text = format!("the initial value has another shape: it is {}, the object is {}", shapes[0], shapes[1]);
            return self.reporter.error(Code::ShapeMismatch, written.span, text);
        }
        Some(StmtKind::Assign { target, value })
    }

    /// What stands on a left side.
    fn assigned(&mut self, e: &ast::Expr) -> Option<Expr> {
        let builtin = match &e.kind {
            ast::ExprKind::Name(name) => Some(name),
            ast::ExprKind::Member { base, .. } => match &base.kind {
                ast::ExprKind::Name(name) => Some(name),
                _ => None,
            },
            _ => None,
        };
        if let Some(name) = builtin.filter(|n| cuda::Builtin::of(n.as_str()).is_some())
            && self.find_name(name).is_none()
            && (self.cx.side != CodeSide::Host || self.scopes.implicit_type(self.cx.scope, name.as_str()).is_none())
        {
            let text = format!("`{}` is predefined and cannot be assigned", name.as_str());
            return self.reporter.error(Code::ReadOnlyBuiltin, e.span, text);
        }
        // The name of a function with another result variable is no variable.
        if let ast::ExprKind::Name(name) = &e.kind
            && let Some(Sym::Proc(id)) = self.find_name(name)
        {
            let text = format!("procedure `{}` cannot be assigned", name.as_str());
            let d = Diagnostic::new(Code::NotDefinable, e.span, text);
            let d = match self.defs.proc(id).result.map(|r| self.defs.var(r).name.clone()) {
                Some(result) if self.cx.proc == Some(id) => d.help(format!("its result is `{result}`")),
                _ => d,
            };
            self.reporter.report(d);
            return None;
        }
        // What is assigned is no function that another file may define.
        if let ast::ExprKind::Apply { base, .. } = &e.kind
            && let ast::ExprKind::Name(name) = &base.kind
            && !self.scopes.is_tainted(self.cx.scope)
            && crate::intrinsics::lookup(name.as_str()).is_none()
            && self.scopes.external(&name.text).is_none()
            && self.find_name(name).is_none()
            && self.typing().foreign(name.as_str()).is_none()
        {
            let near =
                self.scopes.similar(self.cx.scope, name.as_str(), |s| matches!(s, Sym::Var(_) | Sym::Unresolved(_)));
            return self.typing().no_such_array(name, near.as_deref());
        }
        let target = self.expr(e)?;
        if self.is_target_reference(&target) {
            return Some(target);
        }
        self.designator_of(target, e)
    }

    /// A function reference whose result is a pointer is a variable: what the pointer points to (Fortran 2018, 9.2). It gets a
    /// name for the statement that changes it.
    fn assign_through(
        &mut self,
        reference: Expr,
        assign: impl FnOnce(&mut Self, Expr) -> Option<StmtKind>,
    ) -> Option<StmtKind> {
        let span = reference.span;
        let (var, target) = self.name_of_target(reference);
        let kind = assign(self, target)?;
        let id = self.cx.new_construct();
        Some(StmtKind::Block { id, vars: vec![var], body: vec![Stmt { label: None, kind, span }] })
    }

    /// Whether an expression is a reference of a function whose result is a pointer, in host code.
    pub(super) fn is_target_reference(&self, e: &Expr) -> bool {
        self.cx.side == CodeSide::Host && is_pointer_reference(&self.defs, e)
    }

    /// A name for what the pointer points to that a function gives, and the name as a variable.
    pub(super) fn name_of_target(&mut self, reference: Expr) -> (VarId, Expr) {
        let (ty, rank, span) = (reference.ty.clone(), reference.rank, reference.span);
        let shape = if rank == 0 { Shape::Scalar } else { Shape::Deferred(rank) };
        let attrs = Attrs { ignore_tkr: "".into(), ..Attrs::default() };
        let storage = Storage::Alias(Box::new(reference));
        let (name, owner) = (TARGET_OF_FUNCTION.into(), self.cx.proc);
        let var = Variable { name, ty: ty.clone(), shape, storage, attrs, init: None, owner, module: None, span };
        let var = self.defs.add_var(var, VarInfo::default());
        (var, Expr { kind: ExprKind::Var(var), ty, rank, span })
    }

    /// A subroutine that defines assignment for these operands.
    fn defined_assignment(&mut self, target: &Expr, value: &Expr, span: Span) -> Option<Option<StmtKind>> {
        // A subroutine for CLASS(*) takes no part in what is intrinsic assignment anyway, as in gfortran and flang.
        if is_intrinsic_assignment(target, value) {
            return None;
        }
        let procs = self.operation_procedures("assignment(=)", &[target.clone(), value.clone()]);
        if procs.is_empty() {
            return None;
        }
        let mut args = vec![Argument::of(target.clone()), Argument::of(value.clone())];
        let fit = self.best_specific(&procs, &args)?;
        // The value is what stands in parentheses: the procedure may change the target before it has read all of it.
        if is_designator(value) && self.may_share(target, value) {
            let (ty, rank, span) = (value.ty.clone(), value.rank, value.span);
            args[1] = Argument::of(Expr { kind: ExprKind::Paren(Box::new(value.clone())), ty, rank, span });
        }
        Some(self.subroutine_call(&fit, args, span))
    }

    /// Whether what is assigned may be a part of the value: they are of one variable, one is another name for what the other may be, or
    /// one is reached by a pointer and the other may be its target.
    fn may_share(&self, target: &Expr, value: &Expr) -> bool {
        let var = |e: &Expr| root(e).map(|id| self.defs.var(id));
        let is_alias = |e: &Expr| var(e).is_none_or(|v| matches!(v.storage, Storage::Alias(_)));
        let is_reached = |e: &Expr| {
            self.passes_pointer(e)
                || var(e).is_none_or(|v| v.attrs.pointer || v.attrs.target && matches!(v.storage, Storage::Dummy(_)))
        };
        let may_be_target = |e: &Expr| is_reached(e) || var(e).is_some_and(|v| v.attrs.target);
        root(value) == root(target)
            || is_alias(value)
            || is_alias(target)
            || is_reached(value) && may_be_target(target)
            || is_reached(target) && may_be_target(value)
    }

    /// Whether a designator goes through a pointer component.
    fn passes_pointer(&self, e: &Expr) -> bool {
        let mut found = false;
        visit::all(e, &mut |part| {
            if let &ExprKind::Field { ref base, field } = &part.kind
                && let Type::Derived(id) = base.ty
            {
                found |= self.defs.ty(id).fields.get(field as usize).is_some_and(|f| f.pointer);
            }
        });
        found
    }

    /// `target => value`
    pub(super) fn pointer_assignment(&mut self, target: &ast::Expr, value: &ast::Expr, span: Span) -> Option<StmtKind> {
        if let ast::ExprKind::Name(name) = &target.kind
            && let Some(Sym::Var(id)) = self.find_name(name)
            && matches!(self.defs.var(id).storage, Storage::Procedure)
        {
            let text = format!("`{}` is a procedure argument, not a pointer", name.as_str());
            return self.reporter.error(Code::BadPointerAssignment, span, text);
        }
        let (pointer, bounds) = match &target.kind {
            ast::ExprKind::Apply { base, args } if is_remapping(base, args) => {
                let pointer = self.designator(base)?;
                let mut bounds = Vec::with_capacity(args.len());
                for arg in args {
                    let ArgValue::Range { lo, hi, .. } = &arg.value else { return None };
                    let lo = match lo {
                        Some(e) => self.integer_scalar(e, &Type::Integer(8), "a bound")?,
                        None => one(arg.span),
                    };
                    let hi = match hi {
                        Some(e) => Some(self.integer_scalar(e, &Type::Integer(8), "a bound")?),
                        None => None,
                    };
                    bounds.push((lo, hi));
                }
                (pointer, bounds)
            }
            _ => (self.designator(target)?, Vec::new()),
        };
        self.associate_pointer(pointer, bounds, value, span)
    }

    /// `pointer(bounds) => value`
    pub(crate) fn associate_pointer(
        &mut self,
        pointer: Expr,
        bounds: Vec<(Expr, Option<Expr>)>,
        value: &ast::Expr,
        span: Span,
    ) -> Option<StmtKind> {
        let place = pointer.span;
        if let Err(why) = self.typing().associable(&pointer) {
            return self.reporter.error(Code::NotDefinable, place, format!("{why} and may not be assigned"));
        }
        if is_procedure_pointer(&self.defs, &pointer) {
            return self.procedure_pointer(pointer, value);
        }
        if !is_pointer(&self.defs, &pointer) {
            return self.reporter.error_help(
                Code::BadPointerAssignment,
                place,
                "the left side of `=>` is not a pointer",
                "declare it with `pointer`, or assign with `=`",
            );
        }
        if !bounds.is_empty() && bounds.len() != usize::from(pointer.rank) {
            let text = format!("{} bounds for a pointer of rank {}", bounds.len(), pointer.rank);
            return self.reporter.error(Code::BadPointerAssignment, place, text);
        }
        if self.cx.side == CodeSide::Device {
            let text = "pointer assignment in device code, which not every compiler takes";
            self.reporter
                .report(Diagnostic::new(Code::PointerInDeviceCode, span, text).help("associate pointers in host code"));
        }
        let value = self.expr(value)?;
        if matches!(value.kind, ExprKind::Null) {
            let is_alike = same_type(&pointer.ty, &value.ty) && pointer.rank == value.rank;
            if !matches!(value.ty, Type::Any) && !is_alike && !is_class(&self.defs, &pointer) {
                // Fortran 2018, 16.9.144.
                let text = format!(
                    "`null` has the type and the rank of {}, and the pointer is {}",
                    shape_name(&self.defs, &value.ty, value.rank),
                    shape_name(&self.defs, &pointer.ty, pointer.rank)
                );
                return self.reporter.error_help(Code::BadPointerAssignment, value.span, text, "write `null()`");
            }
            let value = Expr { ty: pointer.ty.clone(), rank: pointer.rank, ..value };
            return Some(StmtKind::PointerAssign { target: pointer, bounds, value });
        }
        self.typing().check_parent_object(&value)?;
        let fits = same_type(&pointer.ty, &value.ty)
            || (is_class(&self.defs, &pointer) && self.defs.class_takes(&pointer.ty, &value.ty))
            || (matches!(value.ty, Type::Any) && is_class(&self.defs, &value));
        if !fits {
            let text = format!(
                "pointer is `{}`, and its target is `{}`",
                type_name(&self.defs, &pointer.ty),
                type_name(&self.defs, &value.ty)
            );
            return self.reporter.error(Code::BadPointerAssignment, span, text);
        }
        let remaps = bounds.iter().any(|b| b.1.is_some());
        if value.rank != pointer.rank && !(remaps && value.rank > 0) {
            let text = format!("pointer has rank {}, and its target has rank {}", pointer.rank, value.rank);
            return self.reporter.error(Code::BadPointerAssignment, span, text);
        }
        if remaps && bounds.iter().any(|b| b.1.is_none()) {
            // Fortran 2018, R1035, R1036.
            let text = "either all dimensions of the pointer have an upper bound here, or none";
            return self.reporter.error(Code::BadPointerAssignment, place, text);
        }
        if let (Some(wanted), Some(given)) = (constant_size(&bounds), elements_known(&self.defs, &value))
            && wanted > given
        {
            // Fortran 2018, 10.2.2.3.
            let text = format!("the pointer has {wanted} elements, and its target has {given}");
            return self.reporter.error(Code::BadPointerAssignment, value.span, text);
        }
        if let (Type::Character(CharLen::Const(own)), Type::Character(CharLen::Const(given))) = (&pointer.ty, &value.ty)
            && own != given
        {
            let text = format!("pointer has the length {own}, and its target has the length {given}");
            return self.reporter.error(Code::BadPointerAssignment, span, text);
        }
        if has_vector_subscript(&value) {
            let text = "a section with a vector subscript cannot be the target of a pointer";
            return self.reporter.error(Code::BadVectorSubscript, value.span, text);
        }
        if is_contiguous_pointer(&self.defs, &pointer) && has_stride(&value) {
            let text = "the pointer is contiguous, and its target has gaps";
            return self.reporter.error(Code::BadPointerAssignment, value.span, text);
        }
        let is_call = matches!(value.kind, ExprKind::Call { .. }) && is_pointer(&self.defs, &value);
        if !is_call && !is_target(&self.defs, &value) {
            let text = "the right side of `=>` is neither a target nor a pointer";
            return self.reporter.error_help(
                Code::BadPointerAssignment,
                value.span,
                text,
                "declare the variable with `target`",
            );
        }
        if !is_call && let Err(why) = self.typing().exposable(&value) {
            return self.reporter.error(
                Code::BadPointerAssignment,
                value.span,
                format!("{why}, and a pointer could change it"),
            );
        }
        if !is_call && self.cx.side == CodeSide::Host {
            let (wanted, actual) = (space_of(&self.defs, &pointer), space_of(&self.defs, &value));
            let managed = self.options.managed && is_implicitly_managed(&self.defs, &value);
            let managed_pointer = matches!(wanted, Some(ast::CudaAttr::Managed | ast::CudaAttr::Unified))
                && actual.is_none()
                && is_pointer(&self.defs, &value);
            if managed_pointer && cuda::distance(wanted, actual, managed, self.options.unified).is_none() {
                // What a pointer points to is known when it runs: device code that reaches host data is told so.
                let text = "a pointer to managed data is associated with what a pointer without attribute points to";
                self.reporter.report(
                    Diagnostic::new(Code::ManagedPointerFromHost, span, text)
                        .help("declare the pointer on the right side `managed` too"),
                );
            } else if cuda::distance(wanted, actual, managed, self.options.unified).is_none() {
                let name = |a: Option<ast::CudaAttr>| a.map_or("host".to_owned(), |a| cuda::word(a).to_owned());
                let text = format!("a pointer to {} data cannot point to {} data", name(wanted), name(actual));
                return self.reporter.error(Code::BadPointerAssignment, span, text);
            }
        }
        Some(StmtKind::PointerAssign { target: pointer, bounds, value })
    }
}

/// Whether an expression is a function reference whose result is a pointer of a declared type.
fn is_pointer_reference(program: &Program, e: &Expr) -> bool {
    matches!(e.kind, ExprKind::Call { .. }) && is_pointer(program, e) && !is_class(program, e)
}

impl Checker<'_> {
    /// An integer that is assigned to a `type(dim3)` stands for that extent in x and 1 in y and z: programs rely on it, though the
    /// guide does not say so. Other values stay.
    pub(crate) fn dimensions_of(&mut self, ty: &Type, value: Expr) -> Option<Expr> {
        let (Type::Derived(id), Type::Integer(_), 0) = (ty, &value.ty, value.rank) else { return Some(value) };
        if *id != self.dim3() {
            return Some(value);
        }
        let span = value.span;
        let text = "an integer is assigned to a `type(dim3)`: it is taken for `x`, and `y` and `z` are 1";
        let d = Diagnostic::new(Code::DimensionsFromInteger, span, text).help("write `dim3(…, 1, 1)`");
        self.reporter.report(d);
        self.structure_of(*id, vec![Argument::of(value)], span, span)
    }
}

impl Typing<'_> {
    /// Checks that a designator may be assigned here.
    pub(super) fn check_assigned(&mut self, target: &Expr) -> Option<()> {
        if let Some(own) = self.own_copy(target) {
            // nvfortran lets the copy change.
            let text =
                format!("`{own}` is an `intent(in)` argument and is assigned; it has `value`, so that a copy changes");
            let d = Diagnostic::new(Code::InputValueChanged, target.span, text);
            self.reporter.report(d.help("remove `intent(in)`"));
        } else if let Err(why) = self.definable(target) {
            return self.reporter.error(Code::NotDefinable, target.span, format!("{why} and may not be assigned"));
        }
        if matches!(target.kind, ExprKind::Field { .. }) && is_procedure_pointer(self.defs, target) {
            let text = "a procedure pointer is assigned like a variable";
            return self.reporter.error_help(Code::NotDefinable, target.span, text, "write `=>`");
        }
        if let ExprKind::Var(id) = target.kind
            && self.cx.loop_vars.contains(&id)
        {
            let text = format!("loop variable `{}` is changed inside its loop", self.defs.var(id).name);
            return self.reporter.error(Code::BadDoVariable, target.span, text);
        }
        if let Some(id) = root(target)
            && matches!(self.defs.var(id).shape, Shape::AssumedSize(..))
            && matches!(target.kind, ExprKind::Var(_))
        {
            let text = format!("assumed-size array `{}` cannot be assigned as a whole", self.defs.var(id).name);
            return self.reporter.error_help(Code::BadBounds, target.span, text, "write a section with all bounds");
        }
        self.check_device_target(target)
    }
}

/// Whether a pointer variable has the contiguous attribute.
fn is_contiguous_pointer(program: &Program, e: &Expr) -> bool {
    matches!(e.kind, ExprKind::Var(id) if program.var(id).attrs.contiguous)
}

/// Whether a section steps over elements: its first range that is not one element has a constant step other than one.
fn has_stride(e: &Expr) -> bool {
    let ExprKind::Section { subs, .. } = &e.kind else { return false };
    subs.iter().any(|sub| match sub {
        Sub::Range { step: Some(step), .. } => matches!(step.kind, ExprKind::Const(Const::Int(n)) if n != 1),
        _ => false,
    })
}

/// Whether `p(…) => x` gives bounds of `p`: all of them are ranges with a first bound.
fn is_remapping(base: &ast::Expr, args: &[Arg]) -> bool {
    let ranges = args.iter().all(|a| matches!(&a.value, ArgValue::Range { step: None, .. }));
    ranges && !args.is_empty() && matches!(base.kind, ast::ExprKind::Name(_) | ast::ExprKind::Member { .. })
}

/// Whether a designator may be pointed to.
fn is_target(program: &Program, e: &Expr) -> bool {
    fn through(program: &Program, e: &Expr) -> bool {
        if is_pointer(program, e) {
            return true;
        }
        match &e.kind {
            ExprKind::Field { base, .. }
            | ExprKind::Element { base, .. }
            | ExprKind::Section { base, .. }
            | ExprKind::Substring { base, .. }
            | ExprKind::ComplexPart { base, .. }
            | ExprKind::Seen { base, .. } => through(program, base),
            ExprKind::Var(id) => {
                let var = program.var(*id);
                match &var.storage {
                    // Compilers take what SELECT TYPE has found for a target, whatever the selector is.
                    Storage::Alias(target) => matches!(target.kind, ExprKind::Seen { .. }) || through(program, target),
                    _ => var.attrs.target,
                }
            }
            _ => false,
        }
    }
    is_designator(e) && through(program, e)
}

/// The elements that a pointer gets whose bounds are all given and constant.
fn constant_size(bounds: &[(Expr, Option<Expr>)]) -> Option<i64> {
    let number = |e: &Expr| if let ExprKind::Const(Const::Int(n)) = e.kind { Some(n) } else { None };
    let extent = |(lower, upper): &(Expr, Option<Expr>)| {
        Some(number(upper.as_ref()?)?.checked_sub(number(lower)?)?.checked_add(1)?.max(0))
    };
    (!bounds.is_empty()).then(|| bounds.iter().try_fold(1i64, |all, b| all.checked_mul(extent(b)?)))?
}

/// The elements of an array whose extents are constant.
fn elements_known(program: &Program, e: &Expr) -> Option<i64> {
    let extents = constant_extents(program, e).filter(|extents| !extents.is_empty())?;
    extents.iter().try_fold(1i64, |all, (_, extent)| all.checked_mul((*extent).max(0)))
}

/// Whether the types and ranks are those of an intrinsic assignment of intrinsic types (Fortran 2018, table 10.8).
fn is_intrinsic_assignment(target: &Expr, value: &Expr) -> bool {
    let types = match (&target.ty, &value.ty) {
        (a, b) if is_numeric(a) && is_numeric(b) => true,
        (a, b) => {
            matches!((a, b), (Type::Logical(_), Type::Logical(_)) | (Type::Character(_), Type::Character(_)))
        }
    };
    types && (value.rank == 0 || value.rank == target.rank)
}
