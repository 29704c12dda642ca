//! Conversions between intrinsic types, made explicit.

use crate::checked::{Const, Expr, ExprKind, Type};
use crate::checker::Checker;
use crate::decl::{is_numeric, same_type};
use crate::fold;

impl Checker<'_> {
    /// A value as one of another type; the caller has made sure that this is possible.
    pub(crate) fn convert(&mut self, e: Expr, ty: &Type) -> Option<Expr> {
        if same_type(&e.ty, ty) || matches!(e.kind, ExprKind::Null) || matches!(ty, Type::Any | Type::Derived(_)) {
            return Some(e);
        }
        let (rank, span) = (e.rank, e.span);
        self.fold(Expr { kind: ExprKind::Convert(Box::new(e)), ty: ty.clone(), rank, span })
    }

    /// Whether a value may be assigned to an object of that type by intrinsic assignment.
    pub(crate) fn assignable(&self, to: &Type, from: &Expr) -> bool {
        matches!(from.kind, ExprKind::Null) || assignable_types(to, &from.ty)
    }

    /// A constant brought to the length of a character type; others stay.
    pub(crate) fn fit_constant(value: Const, ty: &Type) -> Const {
        match value {
            Const::Array { bounds, items } => {
                Const::Array { bounds, items: items.into_iter().map(|c| Self::fit_constant(c, ty)).collect() }
            }
            Const::Char(_) => fold::convert(&value, ty, ty).unwrap_or(value),
            other => other,
        }
    }
}

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
