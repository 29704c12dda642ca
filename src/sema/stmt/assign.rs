//! Assignments: intrinsic, defined, and of pointers.

use crate::checked::{Expr, ExprKind, Shape, StmtKind, Storage, Type};
use crate::checker::{Checker, Side};
use crate::cuda;
use crate::decl::same_type;
use crate::expr::{Argument, is_designator, root};
use crate::scope::Sym;
use ast::{Arg, ArgValue};
use diag::{Code, Diagnostic};
use source::Span;

impl Checker<'_> {
    /// `target = value`
    pub(super) fn assignment(&mut self, target: &ast::Expr, value: &ast::Expr, span: Span) -> Option<StmtKind> {
        let target_e = self.assigned(target);
        let value_e = match &target_e {
            Some(t) => {
                let ty = t.ty.clone();
                self.expr_as(value, &ty)
            }
            None => self.expr(value),
        };
        let (target, value) = (target_e?, value_e?);
        if let Some(call) = self.defined_assignment(&target, &value, span) {
            return call;
        }
        self.check_assigned(&target)?;
        if matches!(value.kind, ExprKind::Null) {
            return self.error_help(
                Code::TypeMismatch,
                value.span,
                "`null()` is assigned with `=`",
                "pointers are assigned with `=>`",
            );
        }
        let is_class = self.is_class(&target);
        if is_class && !self.is_allocatable(&target) {
            let text = "a polymorphic object is assigned that is not allocatable";
            return self.error_help(Code::BadPolymorphism, target.span, text, "use `select type`");
        }
        let fits = self.assignable(&target.ty, &value) || (is_class && self.class_takes(&target.ty, &value.ty));
        if !fits {
            if self.may_be_defined("assignment(=)", &[&target, &value]) {
                return None;
            }
            let text = format!(
                "{} cannot be assigned to {}",
                self.shape_name(&value.ty, value.rank),
                self.shape_name(&target.ty, target.rank)
            );
            return self.error(Code::TypeMismatch, span, text);
        }
        if value.rank != 0 && value.rank != target.rank {
            let text = if target.rank == 0 {
                format!("an array of rank {} cannot be assigned to a scalar", value.rank)
            } else {
                format!("an array of rank {} cannot be assigned to one of rank {}", value.rank, target.rank)
            };
            return self.error(Code::RankMismatch, span, text);
        }
        if value.rank > 0
            && !self.is_allocatable(&target)
            && let Some(m) = self.mismatch(&target, &value)
        {
            let (dimension, left, right) = (m.dimension, m.left, m.right);
            let text =
                format!("shapes differ: dimension {dimension} has extent {left} on the left and {right} on the right");
            return self.error(Code::ShapeMismatch, span, text);
        }
        self.check_transfer(&target, &value, span)?;
        let ty = target.ty.clone();
        self.check_fraction(&ty, &value);
        let value = self.convert(value, &ty)?;
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
            && (self.cx.side != Side::Host || self.implicit_type(self.cx.scope, name.as_str()).is_none())
        {
            let text = format!("`{}` is predefined and cannot be assigned", name.as_str());
            return self.error(Code::ReadOnlyBuiltin, e.span, text);
        }
        // The name of a function with another result variable is no variable.
        if let ast::ExprKind::Name(name) = &e.kind
            && let Some(Sym::Proc(id)) = self.find_name(name)
        {
            let text = format!("procedure `{}` cannot be assigned", name.as_str());
            let d = Diagnostic::new(Code::NotDefinable, e.span, text);
            let d = match self.out.proc(id).result.map(|r| self.out.var(r).name.clone()) {
                Some(result) if self.cx.proc == Some(id) => d.help(format!("its result is `{result}`")),
                _ => d,
            };
            self.report(d);
            return None;
        }
        // What is assigned is no function that another file may define.
        if let ast::ExprKind::Apply { base, .. } = &e.kind
            && let ast::ExprKind::Name(name) = &base.kind
            && !self.is_tainted(self.cx.scope)
            && crate::intrinsics::lookup(name.as_str()).is_none()
            && self.known_external(&name.text).is_none()
            && self.find_name(name).is_none()
            && self.foreign(name.as_str()).is_none()
        {
            let near = self.similar(name.as_str(), |s| matches!(s, Sym::Var(_) | Sym::Pending(_)));
            return self.no_such_array(name, near.as_deref());
        }
        self.designator(e)
    }

    /// Checks that a designator may be assigned here.
    pub(super) fn check_assigned(&mut self, target: &Expr) -> Option<()> {
        if let Err(why) = self.definable(target) {
            return self.error(Code::NotDefinable, target.span, format!("{why} and may not be assigned"));
        }
        if let ExprKind::Var(id) = target.kind
            && self.cx.loop_vars.contains(&id)
        {
            let text = format!("loop variable `{}` is changed inside its loop", self.out.var(id).name);
            return self.error(Code::BadDoVariable, target.span, text);
        }
        if let Some(id) = root(target)
            && matches!(self.out.var(id).shape, Shape::AssumedSize(..))
            && matches!(target.kind, ExprKind::Var(_))
        {
            let text = format!("assumed-size array `{}` cannot be assigned as a whole", self.out.var(id).name);
            return self.error_help(Code::BadBounds, target.span, text, "write a section with all bounds");
        }
        self.check_device_target(target)
    }

    /// A subroutine that defines assignment for these operands.
    fn defined_assignment(&mut self, target: &Expr, value: &Expr, span: Span) -> Option<Option<StmtKind>> {
        let procs = self.operation_procedures("assignment(=)", &[target.clone(), value.clone()]);
        if procs.is_empty() {
            return None;
        }
        let args = vec![Argument::of(target.clone()), Argument::of(value.clone())];
        let fit = self.best_specific(&procs, &args)?;
        // The value is what stands in parentheses: the procedure may change the target before it has read all of it.
        let mut args = args;
        if is_designator(value) && root(value).is_some() && root(value) == root(target) {
            let (ty, rank, span) = (value.ty.clone(), value.rank, value.span);
            args[1] = Argument::of(Expr { kind: ExprKind::Paren(Box::new(value.clone())), ty, rank, span });
        }
        // Inside the procedure that defines it, an assignment of the same types is the intrinsic one only if the types say so.
        Some(self.subroutine_call(&fit, args, span))
    }

    /// `target => value`
    pub(super) fn pointer_assignment(&mut self, target: &ast::Expr, value: &ast::Expr, span: Span) -> Option<StmtKind> {
        if let ast::ExprKind::Name(name) = &target.kind
            && let Some(Sym::Var(id)) = self.find_name(name)
            && matches!(self.out.var(id).storage, Storage::Procedure)
        {
            let text = format!("`{}` is a procedure argument and no pointer", name.as_str());
            return self.error(Code::BadPointerAssignment, span, text);
        }
        let (pointer, bounds) = match &target.kind {
            ast::ExprKind::Apply { base, args } if self.is_remapping(base, args) => {
                let pointer = self.designator(base)?;
                let mut bounds = Vec::with_capacity(args.len());
                for arg in args {
                    let ArgValue::Range { lo, hi, .. } = &arg.value else { return None };
                    let lo = match lo {
                        Some(e) => self.integer_scalar(e, &Type::Integer(8), "a bound")?,
                        None => Self::one(arg.span),
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
        if self.is_procedure_pointer(&pointer) {
            return self.procedure_pointer(pointer, value);
        }
        if !self.is_pointer(&pointer) {
            return self.error_help(
                Code::BadPointerAssignment,
                target.span,
                "the left side of `=>` is not a pointer",
                "declare it with `pointer`, or assign with `=`",
            );
        }
        if !bounds.is_empty() && bounds.len() != usize::from(pointer.rank) {
            let text = format!("{} bounds for a pointer of rank {}", bounds.len(), pointer.rank);
            return self.error(Code::BadPointerAssignment, target.span, text);
        }
        if self.cx.side == Side::Device {
            let text = "pointer assignment in device code, which not every compiler takes";
            self.report(
                Diagnostic::warning(Code::DevicePointerAssignment, span, text).help("associate pointers in host code"),
            );
        }
        let value = self.expr(value)?;
        if matches!(value.kind, ExprKind::Null) {
            let value = Expr { ty: pointer.ty.clone(), rank: pointer.rank, ..value };
            return Some(StmtKind::PointerAssign { target: pointer, bounds, value });
        }
        let fits = same_type(&pointer.ty, &value.ty)
            || (self.is_class(&pointer) && self.class_takes(&pointer.ty, &value.ty))
            || (matches!(value.ty, Type::Any) && self.is_class(&value));
        if !fits {
            let text = format!(
                "pointer is `{}`, and its target is `{}`",
                self.type_name(&pointer.ty),
                self.type_name(&value.ty)
            );
            return self.error(Code::BadPointerAssignment, span, text);
        }
        let remaps = bounds.iter().any(|b| b.1.is_some());
        if value.rank != pointer.rank && !(remaps && value.rank > 0) {
            let text = format!("pointer has rank {}, and its target has rank {}", pointer.rank, value.rank);
            return self.error(Code::BadPointerAssignment, span, text);
        }
        let is_call = matches!(value.kind, ExprKind::Call { .. }) && self.is_pointer(&value);
        if !is_call && !self.is_target(&value) {
            let text = "the right side of `=>` is neither a target nor a pointer";
            return self.error_help(Code::BadPointerAssignment, value.span, text, "declare the variable with `target`");
        }
        if !is_call && self.cx.side == Side::Host {
            let (wanted, actual) = (self.space_of(&pointer), self.space_of(&value));
            let managed = self.options.managed && self.is_allocatable(&value);
            if cuda::distance(wanted, actual, managed, self.options.unified).is_none() {
                let name = |a: Option<ast::CudaAttr>| a.map_or("host".to_owned(), |a| cuda::word(a).to_owned());
                let text = format!("a pointer to {} data cannot point to {} data", name(wanted), name(actual));
                return self.error(Code::BadPointerAssignment, span, text);
            }
        }
        Some(StmtKind::PointerAssign { target: pointer, bounds, value })
    }

    /// Whether `p(…) => x` gives bounds of `p`: all of them are ranges with a first bound.
    fn is_remapping(&mut self, base: &ast::Expr, args: &[Arg]) -> bool {
        let ranges = args.iter().all(|a| matches!(&a.value, ArgValue::Range { step: None, .. }));
        ranges && !args.is_empty() && matches!(base.kind, ast::ExprKind::Name(_) | ast::ExprKind::Member { .. })
    }

    /// Whether a designator may be pointed to.
    fn is_target(&self, e: &Expr) -> bool {
        fn through(c: &Checker<'_>, e: &Expr) -> bool {
            if c.is_pointer(e) {
                return true;
            }
            match &e.kind {
                ExprKind::Field { base, .. }
                | ExprKind::Element { base, .. }
                | ExprKind::Section { base, .. }
                | ExprKind::Substring { base, .. }
                | ExprKind::ComplexPart { base, .. }
                | ExprKind::Seen { base, .. } => through(c, base),
                ExprKind::Var(id) => {
                    let var = c.out.var(*id);
                    match &var.storage {
                        // Compilers take what SELECT TYPE has found for a target, whatever the selector is.
                        Storage::Alias(target) => matches!(target.kind, ExprKind::Seen { .. }) || through(c, target),
                        _ => var.attrs.target,
                    }
                }
                _ => false,
            }
        }
        is_designator(e) && through(self, e)
    }
}
