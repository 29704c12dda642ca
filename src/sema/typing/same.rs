//! Whether two expressions of one scope are the same, term by term, and whether two designators name one object.

use super::same_type;
use crate::checked::{Actual, CharLen, Const, Dim, Expr, ExprKind, Item, Shape, Type, Variable, visit};
use std::mem::discriminant;

/// Whether two expressions of one scope have the same operations on the same constants and objects. Those that differ may have the
/// same value all the same, as `n + 1` and `1 + n`.
pub(crate) fn same_expression(a: &Expr, b: &Expr) -> bool {
    let is_alike = match (&a.kind, &b.kind) {
        (ExprKind::Const(Const::Int(x)), ExprKind::Const(Const::Int(y))) => x == y,
        (ExprKind::Const(x), ExprKind::Const(y)) => same_type(&a.ty, &b.ty) && x == y,
        (ExprKind::Var(x), ExprKind::Var(y)) => x == y,
        (ExprKind::Field { field: x, .. }, ExprKind::Field { field: y, .. }) => x == y,
        (ExprKind::ComplexPart { imaginary: x, .. }, ExprKind::ComplexPart { imaginary: y, .. }) => x == y,
        (ExprKind::Unary { op: x, .. }, ExprKind::Unary { op: y, .. }) => x == y,
        (ExprKind::Binary { op: x, .. }, ExprKind::Binary { op: y, .. }) => x == y,
        (ExprKind::Compare { op: x, .. }, ExprKind::Compare { op: y, .. }) => x == y,
        (ExprKind::Logic { op: x, .. }, ExprKind::Logic { op: y, .. }) => x == y,
        (ExprKind::Substring { lo: k, hi: l, .. }, ExprKind::Substring { lo: m, hi: n, .. }) => {
            k.is_some() == m.is_some() && l.is_some() == n.is_some()
        }
        (ExprKind::Intrinsic { id: x, args: p }, ExprKind::Intrinsic { id: y, args: q }) => {
            x == y && p.len() == q.len() && p.iter().zip(q).all(|(m, n)| m.is_some() == n.is_some())
        }
        (ExprKind::Call { proc: x, args: p }, ExprKind::Call { proc: y, args: q }) => {
            let same_place = |(m, n): (&Option<Actual>, &Option<Actual>)| {
                matches!((m, n), (Some(Actual::Expr(_)), Some(Actual::Expr(_))) | (None, None))
            };
            x == y && p.len() == q.len() && p.iter().zip(q).all(same_place)
        }
        // The index of an implied DO is another variable each time.
        (ExprKind::Array(x), ExprKind::Array(y)) => {
            let is_do = |item: &Item| matches!(item, Item::Do(_));
            x.len() == y.len() && !x.iter().chain(y).any(is_do)
        }
        (x @ (ExprKind::Element { .. } | ExprKind::Concat(..) | ExprKind::Convert(_) | ExprKind::Paren(_)), y) => {
            discriminant(x) == discriminant(y)
        }
        _ => false,
    };
    is_alike && (is_integer(a) && is_integer(b) || same_type(&a.ty, &b.ty)) && a.rank == b.rank && same_parts(a, b)
}

/// Integer constants are the same in all kinds.
fn is_integer(e: &Expr) -> bool {
    matches!((&e.kind, &e.ty), (ExprKind::Const(Const::Int(_)), Type::Integer(_)))
}

fn same_parts(a: &Expr, b: &Expr) -> bool {
    let (mut of_a, mut of_b) = (Vec::new(), Vec::new());
    visit::parts(a, &mut |part| of_a.push(part));
    visit::parts(b, &mut |part| of_b.push(part));
    of_a.len() == of_b.len() && of_a.iter().zip(of_b).all(|(a, b)| same_expression(a, b))
}

/// Whether two designators surely name one object: the same variable, components, parts of complex values, and elements with equal
/// constant subscripts.
pub(crate) fn is_same_object(a: &Expr, b: &Expr) -> bool {
    match (&a.kind, &b.kind) {
        (ExprKind::Var(a), ExprKind::Var(b)) => a == b,
        (ExprKind::Field { base: a, field: m }, ExprKind::Field { base: b, field: n }) => {
            m == n && is_same_object(a, b)
        }
        (ExprKind::ComplexPart { base: a, imaginary: m }, ExprKind::ComplexPart { base: b, imaginary: n }) => {
            m == n && is_same_object(a, b)
        }
        (ExprKind::Element { base: a, subs: x }, ExprKind::Element { base: b, subs: y }) => {
            let same_constant = |(x, y): (&Expr, &Expr)| matches!((&x.kind, &y.kind), (ExprKind::Const(m), ExprKind::Const(n)) if m == n);
            is_same_object(a, b) && x.len() == y.len() && x.iter().zip(y).all(same_constant)
        }
        _ => false,
    }
}

/// Whether a designator is the object or a part of it, at any depth: `a%b(2)%c` of `a%b`.
pub(crate) fn is_part_of(part: &Expr, object: &Expr) -> bool {
    is_same_object(part, object)
        || match &part.kind {
            ExprKind::Field { base, .. }
            | ExprKind::ComplexPart { base, .. }
            | ExprKind::Element { base, .. }
            | ExprKind::Section { base, .. }
            | ExprKind::Substring { base, .. } => is_part_of(base, object),
            _ => false,
        }
}

/// Whether two variables of one scope have the same type, length, shape, and attributes of results: the characteristics of function
/// results (Fortran 2018, 15.3.3).
pub(crate) fn same_characteristics(a: &Variable, b: &Variable) -> bool {
    let same_length = match (&a.ty, &b.ty) {
        (Type::Character(CharLen::Const(x)), Type::Character(CharLen::Const(y))) => x == y,
        (Type::Character(CharLen::Assumed), Type::Character(CharLen::Assumed))
        | (Type::Character(CharLen::Deferred), Type::Character(CharLen::Deferred)) => true,
        (Type::Character(CharLen::Expr(x)), Type::Character(CharLen::Expr(y))) => same_expression(x, y),
        (Type::Character(_), Type::Character(_)) => false,
        _ => true,
    };
    let same_bounds = |d: &Dim, e: &Dim| same_expression(&d.lower, &e.lower) && same_expression(&d.upper, &e.upper);
    let same_shape = match (&a.shape, &b.shape) {
        (Shape::Scalar, Shape::Scalar) => true,
        (Shape::Deferred(m), Shape::Deferred(n)) => m == n,
        (Shape::Explicit(x), Shape::Explicit(y)) => {
            x.len() == y.len() && x.iter().zip(y).all(|(d, e)| same_bounds(d, e))
        }
        _ => false,
    };
    let same_attrs = a.attrs.pointer == b.attrs.pointer
        && a.attrs.allocatable == b.attrs.allocatable
        && a.attrs.class == b.attrs.class;
    same_type(&a.ty, &b.ty) && same_length && same_shape && same_attrs
}
