//! Shapes with constant bounds, and the bytes of descriptors.

use super::shape_of;
use crate::checked::{Const, Expr, ExprKind, Program, Shape, Type};
use source::Span;

/// Elements of a constant shape.
pub(crate) fn elements_of(shape: &Shape) -> Option<u64> {
    shape.constant_bounds()?.iter().try_fold(1u64, |n, &(_, extent)| n.checked_mul(extent.max(0) as u64))
}

/// The extents of an expression, where they are all known at compile time.
pub(crate) fn constant_extents(program: &Program, e: &Expr) -> Option<Vec<(i64, i64)>> {
    match &e.kind {
        ExprKind::Const(Const::Array { bounds, .. }) => Some(bounds.iter().map(|b| (1, b.1)).collect()),
        ExprKind::Var(id) => {
            let var = program.var(*id);
            match var.shape {
                Shape::Explicit(_) => var.shape.constant_bounds(),
                _ => None,
            }
        }
        ExprKind::Field { base, .. } if base.rank == 0 => match shape_of(program, e) {
            Some(shape @ Shape::Explicit(_)) => shape.constant_bounds(),
            _ => None,
        },
        ExprKind::Convert(inner) | ExprKind::Paren(inner) => {
            constant_extents(program, inner).map(|b| b.iter().map(|x| (1, x.1)).collect())
        }
        _ => None,
    }
}

/// Bytes of a descriptor in memory; that of a polymorphic object has its dynamic type behind.
pub(crate) fn descriptor_bytes(rank: u8, class: bool) -> u64 {
    24 + 24 * u64::from(rank) + if class { 8 } else { 0 }
}

/// A lower bound of 1.
pub(crate) fn one(span: Span) -> Expr {
    Expr { kind: ExprKind::Const(Const::Int(1)), ty: Type::Integer(8), rank: 0, span }
}
