//! Conversions between intrinsic types, made explicit.

use crate::checked::{CharLen, Const, Expr, ExprKind, Type};
use crate::fold;
use crate::typing::{Typing, computed, is_numeric, same_type, type_name};
use diag::{Code, Diagnostic};

/// Whether a value of type `from` may be assigned to type `to`: numbers among each other, and integers to logicals and back as
/// nvfortran allows.
pub(crate) fn assignable_types(to: &Type, from: &Type) -> bool {
    match (to, from) {
        (Type::Logical(_), Type::Integer(_)) | (Type::Integer(_), Type::Logical(_)) => true,
        _ => same_kind_of_type(to, from) || (is_numeric(to) && is_numeric(from)),
    }
}

fn same_kind_of_type(a: &Type, b: &Type) -> bool {
    match (a, b) {
        (Type::Logical(_), Type::Logical(_)) | (Type::Character(_), Type::Character(_)) => true,
        _ => same_type(a, b),
    }
}

impl Typing<'_> {
    /// A Hollerith constant that is to become a number or a logical value of a type has the bytes of its characters, with
    /// blanks behind them. So has a character literal, as nvfortran takes it. Other expressions, and where the constant is for
    /// characters, stay as they are.
    pub(crate) fn of_hollerith(&mut self, e: Expr, written: &ast::Expr, ty: &Type) -> Expr {
        let is_value = is_numeric(ty) || matches!(ty, Type::Logical(_));
        let what = match written.kind {
            ast::ExprKind::Hollerith(_) => "Hollerith",
            ast::ExprKind::Char { kind: None, .. } if !self.options.standard => "character",
            _ => return e,
        };
        let ExprKind::Const(Const::Char(characters)) = &e.kind else { return e };
        let Some(value) = fold::of_characters(self.defs, characters, ty).filter(|_| is_value) else { return e };
        let text = format!("a {what} constant gives the bytes of `{}`", type_name(self.defs, ty));
        self.reporter.report(Diagnostic::new(Code::HollerithAsNumber, e.span, text));
        Expr { kind: ExprKind::Const(value), ty: ty.clone(), ..e }
    }

    /// A value as one of another type; the caller has made sure that this is possible.
    pub(crate) fn convert(&mut self, e: Expr, ty: &Type) -> Option<Expr> {
        if same_type(&e.ty, ty) || matches!(e.kind, ExprKind::Null) || matches!(ty, Type::Any | Type::Derived(_)) {
            return Some(e);
        }
        if let (Type::Character(_), Type::Character(CharLen::Deferred)) = (&e.ty, ty) {
            // What takes any length takes the length of the value.
            return Some(e);
        }
        let (rank, span) = (e.rank, e.span);
        if let (ExprKind::Compare { .. }, Type::Logical(_)) = (&e.kind, ty) {
            // A comparison gives a logical value of any kind.
            return Some(Expr { ty: ty.clone(), ..e });
        }
        if let ExprKind::Const(Const::Array { .. }) = e.kind {
            let node = Expr { kind: ExprKind::Convert(Box::new(e)), ty: ty.clone(), rank, span };
            let value = self.evaluate(&node)?;
            return Some(Expr { kind: ExprKind::Const(value), ..node });
        }
        self.fold(Expr { kind: ExprKind::Convert(Box::new(e)), ty: ty.clone(), rank, span })
    }

    /// An operand of an operation of that type, as which the operation is computed.
    pub(crate) fn operand(&mut self, e: Expr, ty: &Type) -> Option<Expr> {
        let e = self.convert(e, ty)?;
        self.convert(e, &computed(ty.clone()))
    }

    /// Warns of a real constant that loses its fraction by becoming an integer without a word.
    pub(crate) fn check_fraction(&mut self, to: &Type, value: &Expr) {
        let fraction = match (to, &value.kind) {
            (Type::Integer(_), ExprKind::Const(Const::Real4(v))) => v.fract() != 0.0,
            (Type::Integer(_), ExprKind::Const(Const::Real8(v))) => v.fract() != 0.0,
            _ => false,
        };
        if fraction {
            let text = format!("the constant loses its fraction in `{}`", type_name(self.defs, to));
            self.reporter.report(
                Diagnostic::new(Code::ValueTruncated, value.span, text)
                    .help("write `int(…)` or `nint(…)` if that is meant"),
            );
        }
    }
}

/// Whether a value may be assigned to an object of that type by intrinsic assignment.
pub(crate) fn assignable(to: &Type, from: &Expr) -> bool {
    matches!(from.kind, ExprKind::Null) || assignable_types(to, &from.ty)
}

/// A constant brought to the length of a character type; others stay.
pub(crate) fn fit_constant(value: Const, ty: &Type) -> Const {
    match value {
        Const::Array { bounds, items } => {
            Const::Array { bounds, items: items.into_iter().map(|c| fit_constant(c, ty)).collect() }
        }
        Const::Char(_) => fold::convert(&value, ty, ty).unwrap_or(value),
        other => other,
    }
}
