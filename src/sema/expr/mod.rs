//! Expressions: from syntax to typed nodes, conversions made explicit, constants folded.
//!
//! An expression without a typed form is `None`: either something was reported, or it was refused and the statement
//! becomes an `Unsupported` node. The type of a character value whose length only execution knows has length
//! [`CharLen::Deferred`].

mod actual;
mod address;
mod array;
mod call;
mod class;
mod component;
mod construct;
mod fit;
mod fit_shape;
mod generic;
mod implicit;
mod library;
mod literal;
mod name;
mod operator;
mod procptr;
mod subscript;

pub(crate) use name::base_name;
pub(crate) use procptr::Pointed;

use crate::checked::{Const, Expr, ExprKind, Type, is_designator};
use crate::checker::Checker;
use crate::typing::{Typing, assignable, shape_name};
use diag::Code;

impl Checker<'_> {
    /// The typed form of an expression.
    pub(crate) fn expr(&mut self, e: &ast::Expr) -> Option<Expr> {
        let span = e.span;
        match &e.kind {
            ast::ExprKind::Int { digits, kind } => self.integer_literal(digits, kind.as_ref(), false, span),
            ast::ExprKind::Real { text, kind } => self.real_literal(text, kind.as_ref(), span),
            ast::ExprKind::Logical { value, kind } => self.logical_literal(*value, kind.as_ref(), span),
            ast::ExprKind::Hollerith(value) => self.char_literal(value, None, span),
            ast::ExprKind::Char { value, kind } => self.char_literal(value, kind.as_ref(), span),
            ast::ExprKind::Boz { radix, digits } => self.typing().misplaced_boz(*radix, digits, None, span),
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
            ast::ExprKind::Unsupported(what) => self.reporter.refuse(span, &**what),
            ast::ExprKind::Error => None,
        }
    }

    /// An expression that is to have a type: a BOZ constant takes it, everything else keeps its own.
    pub(crate) fn expr_as(&mut self, e: &ast::Expr, ty: &Type) -> Option<Expr> {
        match &e.kind {
            ast::ExprKind::Boz { radix, digits } => self.typing().misplaced_boz(*radix, digits, Some(ty), e.span),
            _ => self.expr(e),
        }
    }

    /// An expression that is assigned to something of a type, converted to that.
    pub(crate) fn expr_to(&mut self, e: &ast::Expr, ty: &Type) -> Option<Expr> {
        let value = self.expr_as(e, ty)?;
        if !assignable(ty, &value) {
            let text = format!(
                "{} cannot be assigned to {}",
                shape_name(&self.defs, &value.ty, value.rank),
                shape_name(&self.defs, ty, 0)
            );
            return self.reporter.error(Code::TypeMismatch, e.span, text);
        }
        self.typing().convert(value, ty)
    }

    /// The value of a constant integer scalar.
    pub(crate) fn constant_integer(&mut self, e: &ast::Expr) -> Option<i64> {
        let outer = std::mem::replace(&mut self.cx.specification, true);
        let value = self.expr(e);
        self.cx.specification = outer;
        let value = value?;
        if !matches!(value.ty, Type::Integer(_)) || value.rank != 0 {
            let text = format!("an integer constant is needed, not {}", shape_name(&self.defs, &value.ty, value.rank));
            return self.reporter.error(Code::IntegerRequired, e.span, text);
        }
        match self.typing().evaluate(&value)? {
            Const::Int(v) => Some(v),
            _ => None,
        }
    }

    /// A logical scalar, as conditions are; an integer counts as true when it is not zero, as with nvfortran.
    pub(crate) fn condition(&mut self, e: &ast::Expr) -> Option<Expr> {
        let value = self.expr(e)?;
        if value.rank != 0 {
            let text = format!("a condition must be a scalar, not {}", shape_name(&self.defs, &value.ty, value.rank));
            return self.reporter.error_help(Code::ScalarRequired, e.span, text, "use `any(…)` or `all(…)`");
        }
        self.typing().truth(value)
    }

    /// An integer scalar of some kind.
    pub(crate) fn integer_scalar(&mut self, e: &ast::Expr, ty: &Type, what: &str) -> Option<Expr> {
        let value = self.expr(e)?;
        if !matches!(value.ty, Type::Integer(_)) {
            let text = format!("{what} must be an integer, not {}", shape_name(&self.defs, &value.ty, value.rank));
            return self.reporter.error(Code::IntegerRequired, e.span, text);
        }
        if value.rank != 0 {
            return self.reporter.error(Code::ScalarRequired, e.span, format!("{what} must be a scalar"));
        }
        self.typing().convert(value, ty)
    }

    /// A designator: a variable or a part of one.
    pub(crate) fn designator(&mut self, e: &ast::Expr) -> Option<Expr> {
        let value = self.expr(e)?;
        self.designator_of(value, e)
    }

    /// The same for an expression that is typed already.
    pub(crate) fn designator_of(&mut self, value: Expr, e: &ast::Expr) -> Option<Expr> {
        if is_designator(&value) {
            return Some(value);
        }
        if let (ExprKind::Const(_), ast::ExprKind::Name(name)) = (&value.kind, &e.kind) {
            let text = format!("`{}` is a named constant and cannot be changed", name.as_str());
            return self.reporter.error_help(Code::NotDefinable, e.span, text, "declare it without `parameter`");
        }
        let what = match &value.kind {
            ExprKind::Const(_) => "a constant",
            ExprKind::Call { .. } | ExprKind::Intrinsic { .. } => "a function reference",
            ExprKind::Special { .. } | ExprKind::Construct { .. } => "a value",
            _ => "an expression",
        };
        self.reporter.error(Code::NotDefinable, e.span, format!("a variable is needed here, and this is {what}"))
    }
}

impl Typing<'_> {
    /// A value as a default logical; integers are taken as nvfortran does.
    pub(crate) fn truth(&mut self, value: Expr) -> Option<Expr> {
        match value.ty {
            Type::Logical(_) | Type::Integer(_) => self.convert(value, &Type::Logical(4)),
            _ => {
                let text = format!("a logical value is needed, not {}", shape_name(self.defs, &value.ty, value.rank));
                self.reporter.error(Code::LogicalRequired, value.span, text)
            }
        }
    }
}
