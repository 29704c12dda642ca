//! Constant folding while expressions are typed.
//!
//! The values are computed by [`crate::fold`]; here is decided when that is done and what is reported.

use super::Typing;
use crate::checked::{CharLen, Const, Expr, ExprKind, Type, visit};
use crate::fold::{Evaluator, NoValue};
use diag::{Code, Diagnostic, Severity};
use source::Span;

impl Typing<'_> {
    /// A scalar node with constant operands as its value.
    pub(crate) fn fold(&mut self, e: Expr) -> Option<Expr> {
        if e.rank != 0 || !has_constant_operands(&e) {
            return Some(e);
        }
        match Evaluator::eager(self.defs).eval(&e) {
            // Arrays stay expressions: only a constant that is needed becomes one.
            Ok(Const::Array { .. }) => Some(e),
            // Objects that are made at run time are found in memory too.
            Ok(Const::Derived(_)) if matches!(e.ty, Type::Derived(id) if self.defs.ty(id).is_made) => Some(e),
            // An element of a table stays one: its components may be arrays, which are looked for in memory.
            Ok(Const::Derived(_)) if matches!(e.kind, ExprKind::Element { .. }) => Some(e),
            Ok(value) => {
                let ty = match (&value, e.ty) {
                    (Const::Char(text), Type::Character(_)) => Type::Character(CharLen::Const(text.len() as i64)),
                    (_, ty) => ty,
                };
                Some(Expr { kind: ExprKind::Const(value), ty, ..e })
            }
            Err(NoValue::NotConstant(_)) => Some(e),
            Err(NoValue::Fault(code, span, text)) => {
                if self.cx.specification
                    && let Some(Const::Int(value)) = self.wrapped(&e, code, span, &text)
                {
                    return Some(Expr { kind: ExprKind::Const(Const::Int(value)), ..e });
                }
                // The statement may never be executed, or has a defined result there.
                let is_error = self.cx.specification && code.severity() == Severity::Error;
                let code = if is_error || code.severity() == Severity::Warning { code } else { Code::ConstantFault };
                self.reporter.report(Diagnostic::new(code, span, text));
                (!is_error).then_some(e)
            }
        }
    }

    /// The value of an expression that must be constant.
    pub(crate) fn evaluate(&mut self, e: &Expr) -> Option<Const> {
        if let ExprKind::Const(c) = &e.kind {
            return Some(c.clone());
        }
        match Evaluator::full(self.defs).eval(e) {
            Ok(value) => Some(value),
            Err(NoValue::NotConstant(span)) => {
                let mut is_made = false;
                visit::all(e, &mut |part| {
                    is_made |= matches!(part.kind, ExprKind::Var(id) if self.defs.var_info(id).is_constant);
                });
                if is_made {
                    let text = "a named constant whose type has lengths that are known at run time only, where a constant is needed,";
                    return self.reporter.refuse(e.span, text);
                }
                let name = match &e.kind {
                    ExprKind::Var(id) => format!("`{}` is not a constant", self.defs.var(*id).name),
                    _ => "this is not a constant expression".to_owned(),
                };
                let d = Diagnostic::new(Code::ConstantRequired, e.span, name);
                let d = if span == e.span { d } else { d.secondary(span, "its value is not known at compile time") };
                self.reporter
                    .report(d.help("the value must be known at compile time: use literals and named constants"));
                None
            }
            Err(NoValue::Fault(code, span, text)) => {
                if let Some(value) = self.wrapped(e, code, span, &text) {
                    return Some(value);
                }
                // A warning's code would not do for what is an error here.
                let code = if code.severity() == Severity::Error { code } else { Code::ConstantDomain };
                self.reporter.report(Diagnostic::new(code, span, text));
                None
            }
        }
    }

    /// The value that execution gives an expression with integers that do not fit, which nvfortran takes without a word; says so.
    fn wrapped(&mut self, e: &Expr, code: Code, span: Span, text: &str) -> Option<Const> {
        if !matches!(code, Code::ConstantOverflow | Code::ConstantConversion) {
            return None;
        }
        let value = Evaluator::wrapping(self.defs).eval(e).ok()?;
        let d = Diagnostic::new(Code::ConstantFault, span, text);
        self.reporter.report(d.help("use a larger kind, also for the operands"));
        Some(value)
    }
}

/// A constant node.
pub(crate) fn constant(value: Const, ty: Type, span: Span) -> Expr {
    Expr { kind: ExprKind::Const(value), ty, rank: 0, span }
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
        ExprKind::Field { base, .. } => {
            constant(base) || (matches!(base.kind, ExprKind::Element { .. }) && has_constant_operands(base))
        }
        ExprKind::Intrinsic { args, .. } => !args.is_empty() && args.iter().flatten().all(constant),
        ExprKind::Const(_)
        | ExprKind::Var(_)
        | ExprKind::Section { .. }
        | ExprKind::Let { .. }
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
