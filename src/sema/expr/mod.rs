//! Expressions: from syntax to typed nodes, conversions made explicit, constants folded.
//!
//! An expression without a typed form is `None`: either something was reported, or it was refused and the statement
//! becomes an `Unsupported` node. The type of a character value whose length only execution knows has length
//! [`CharLen::Deferred`].

mod actual;
mod array;
mod call;
mod class;
mod component;
mod conform;
mod construct;
mod convert;
mod fit;
mod generic;
mod literal;
mod name;
mod operator;
mod procptr;
mod subscript;
mod walk;

pub(crate) use actual::{Argument, Given};
pub(crate) use convert::assignable_types;
pub(crate) use fit::Fit;
pub(crate) use literal::unescape;
pub(crate) use operator::promoted;
pub(crate) use procptr::Pointed;
pub(crate) use walk::{for_each, is_designator, root};

use crate::checked::{CharLen, Const, Expr, ExprKind, Sub, Type};
use crate::checker::Checker;
use crate::fold::{Evaluator, NoValue};
use diag::{Code, Diagnostic, Severity};
use source::Span;

impl Checker<'_> {
    /// The typed form of an expression.
    pub(crate) fn expr(&mut self, e: &ast::Expr) -> Option<Expr> {
        let span = e.span;
        match &e.kind {
            ast::ExprKind::Int { digits, kind } => self.integer_literal(digits, kind.as_ref(), false, span),
            ast::ExprKind::Real { text, kind } => self.real_literal(text, kind.as_ref(), span),
            ast::ExprKind::Logical { value, kind } => self.logical_literal(*value, kind.as_ref(), span),
            ast::ExprKind::Char { value, kind } => self.char_literal(value, kind.as_ref(), span),
            ast::ExprKind::Boz { radix, digits } => self.boz_literal(*radix, digits, None, span),
            ast::ExprKind::Complex(re, im) => self.complex_literal(re, im, span),
            ast::ExprKind::Name(name) => self.name_expr(name),
            ast::ExprKind::Apply { base, args } => self.apply(base, args, span),
            ast::ExprKind::Member { base, name } => self.member(base, name, span),
            ast::ExprKind::Unary { op, operand } => self.unary(op, operand, span),
            ast::ExprKind::Binary { op, left, right } => self.binary(op, left, right, span),
            ast::ExprKind::Array { spec, items } => self.array_constructor(spec.as_deref(), items, span),
            ast::ExprKind::Paren(inner) => {
                let inner = self.expr(inner)?;
                if matches!(inner.kind, ExprKind::Const(_)) {
                    return Some(Expr { span, ..inner });
                }
                let (ty, rank) = (inner.ty.clone(), inner.rank);
                Some(Expr { kind: ExprKind::Paren(Box::new(inner)), ty, rank, span })
            }
            ast::ExprKind::Unsupported(what) => self.refuse(span, &**what),
            ast::ExprKind::Error => None,
        }
    }

    /// An expression that is to have a type: a BOZ constant takes it, everything else keeps its own.
    pub(crate) fn expr_as(&mut self, e: &ast::Expr, ty: &Type) -> Option<Expr> {
        match &e.kind {
            ast::ExprKind::Boz { radix, digits } => self.boz_literal(*radix, digits, Some(ty), e.span),
            _ => self.expr(e),
        }
    }

    /// An expression that is assigned to something of a type, converted to that.
    pub(crate) fn expr_to(&mut self, e: &ast::Expr, ty: &Type) -> Option<Expr> {
        let value = self.expr_as(e, ty)?;
        if !self.assignable(ty, &value) {
            let text =
                format!("{} cannot be assigned to {}", self.shape_name(&value.ty, value.rank), self.shape_name(ty, 0));
            return self.error(Code::TypeMismatch, e.span, text);
        }
        self.convert(value, ty)
    }

    /// A scalar node with constant operands as its value.
    pub(crate) fn fold(&mut self, e: Expr) -> Option<Expr> {
        if e.rank != 0 || !has_constant_operands(&e) {
            return Some(e);
        }
        match Evaluator::eager(&self.out).eval(&e) {
            Ok(value @ Const::Array { .. }) => {
                let _ = value;
                Some(e)
            }
            Ok(value) => {
                let ty = match (&value, e.ty) {
                    (Const::Char(text), Type::Character(_)) => Type::Character(CharLen::Const(text.len() as i64)),
                    (_, ty) => ty,
                };
                Some(Expr { kind: ExprKind::Const(value), ty, ..e })
            }
            Err(NoValue::NotConstant(_)) => Some(e),
            Err(NoValue::Fault(code, span, text)) => {
                let severity = if self.cx.specification { code.severity() } else { Severity::Warning };
                self.report(Diagnostic::new(code, span, text).severity(severity));
                if severity == Severity::Error { None } else { Some(e) }
            }
        }
    }

    /// The value of an expression that must be constant.
    pub(crate) fn evaluate(&mut self, e: &Expr) -> Option<Const> {
        if let ExprKind::Const(c) = &e.kind {
            return Some(c.clone());
        }
        match Evaluator::full(&self.out).eval(e) {
            Ok(value) => Some(value),
            Err(NoValue::NotConstant(span)) => {
                let name = match &e.kind {
                    ExprKind::Var(id) => format!("`{}` is not a constant", self.out.var(*id).name),
                    _ => "this is not a constant expression".to_owned(),
                };
                let d = Diagnostic::new(Code::ConstantRequired, e.span, name);
                let d = if span == e.span { d } else { d.secondary(span, "its value is not known at compile time") };
                self.report(d.help("the value must be known at compile time: use literals and named constants"));
                None
            }
            Err(NoValue::Fault(code, span, text)) => {
                // A warning's code would not do for what is an error here.
                let code = if code.severity() == Severity::Error { code } else { Code::ConstantDomain };
                self.report(Diagnostic::new(code, span, text));
                None
            }
        }
    }

    /// The value of a constant integer scalar.
    pub(crate) fn constant_integer(&mut self, e: &ast::Expr) -> Option<i64> {
        let outer = std::mem::replace(&mut self.cx.specification, true);
        let value = self.expr(e);
        self.cx.specification = outer;
        let value = value?;
        if !matches!(value.ty, Type::Integer(_)) || value.rank != 0 {
            let text = format!("an integer constant is needed, not {}", self.shape_name(&value.ty, value.rank));
            return self.error(Code::IntegerRequired, e.span, text);
        }
        match self.evaluate(&value)? {
            Const::Int(v) => Some(v),
            _ => None,
        }
    }

    /// A logical scalar, as conditions are; an integer counts as true when it is not zero, as with nvfortran.
    pub(crate) fn condition(&mut self, e: &ast::Expr) -> Option<Expr> {
        let value = self.expr(e)?;
        if value.rank != 0 {
            let text = format!("a condition must be a scalar, not {}", self.shape_name(&value.ty, value.rank));
            return self.error_help(Code::ScalarRequired, e.span, text, "use `any(…)` or `all(…)`");
        }
        self.truth(value)
    }

    /// A value as a default logical; integers are taken as nvfortran does.
    pub(crate) fn truth(&mut self, value: Expr) -> Option<Expr> {
        match value.ty {
            Type::Logical(_) | Type::Integer(_) => self.convert(value, &Type::Logical(4)),
            _ => {
                let text = format!("a logical value is needed, not {}", self.shape_name(&value.ty, value.rank));
                self.error(Code::LogicalRequired, value.span, text)
            }
        }
    }

    /// An integer scalar of some kind.
    pub(crate) fn integer_scalar(&mut self, e: &ast::Expr, ty: &Type, what: &str) -> Option<Expr> {
        let value = self.expr(e)?;
        if !matches!(value.ty, Type::Integer(_)) {
            let text = format!("{what} must be an integer, not {}", self.shape_name(&value.ty, value.rank));
            return self.error(Code::IntegerRequired, e.span, text);
        }
        if value.rank != 0 {
            return self.error(Code::ScalarRequired, e.span, format!("{what} must be a scalar"));
        }
        self.convert(value, ty)
    }

    /// A designator: a variable or a part of one.
    pub(crate) fn designator(&mut self, e: &ast::Expr) -> Option<Expr> {
        let value = self.expr(e)?;
        if is_designator(&value) {
            return Some(value);
        }
        if let (ExprKind::Const(_), ast::ExprKind::Name(name)) = (&value.kind, &e.kind) {
            let text = format!("`{}` is a named constant and cannot be changed", name.as_str());
            return self.error_help(Code::NotDefinable, e.span, text, "declare it without `parameter`");
        }
        let what = match &value.kind {
            ExprKind::Const(_) => "a constant",
            ExprKind::Call { .. } | ExprKind::Intrinsic { .. } => "a function reference",
            ExprKind::Special { .. } | ExprKind::Construct { .. } => "a value",
            _ => "an expression",
        };
        self.error(Code::NotDefinable, e.span, format!("a variable is needed here, and this is {what}"))
    }

    /// A constant node.
    pub(crate) fn constant(value: Const, ty: Type, span: Span) -> Expr {
        Expr { kind: ExprKind::Const(value), ty, rank: 0, span }
    }
}

/// Whether every operand of a node is a scalar constant (of an element or section: also a named constant's array).
fn has_constant_operands(e: &Expr) -> bool {
    let constant = |e: &Expr| matches!(e.kind, ExprKind::Const(_));
    match &e.kind {
        ExprKind::Convert(a)
        | ExprKind::Paren(a)
        | ExprKind::Unary { operand: a, .. }
        | ExprKind::ComplexPart { base: a, .. } => constant(a),
        ExprKind::Binary { left, right, .. }
        | ExprKind::Compare { left, right, .. }
        | ExprKind::Logic { left, right, .. }
        | ExprKind::Concat(left, right) => constant(left) && constant(right),
        ExprKind::Element { base, subs } => matches!(base.kind, ExprKind::Var(_)) && subs.iter().all(constant),
        ExprKind::Substring { base, lo, hi } => {
            constant(base) && lo.as_deref().is_none_or(constant) && hi.as_deref().is_none_or(constant)
        }
        ExprKind::Field { base, .. } => constant(base),
        ExprKind::Intrinsic { args, .. } => !args.is_empty() && args.iter().flatten().all(constant),
        ExprKind::Const(_)
        | ExprKind::Var(_)
        | ExprKind::Section { .. }
        | ExprKind::Call { .. }
        | ExprKind::Seen { .. }
        | ExprKind::IsType { .. }
        | ExprKind::Construct { .. }
        | ExprKind::Array(_)
        | ExprKind::Special { .. }
        | ExprKind::Procedure(_)
        | ExprKind::Null
        | ExprKind::Unsupported(_) => false,
    }
}

/// The subscript's expressions.
pub(crate) fn sub_exprs(sub: &Sub) -> impl Iterator<Item = &Expr> {
    let (a, b, c) = match sub {
        Sub::Index(e) | Sub::Vector(e) => (Some(e), None, None),
        Sub::Range { lo, hi, step } => (lo.as_ref(), hi.as_ref(), step.as_ref()),
    };
    a.into_iter().chain(b).chain(c)
}
