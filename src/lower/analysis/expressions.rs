//! Questions about the form of an expression.
//!
//! Not here: values (`expr`), which variables an expression reads (`assign::overlap`).

use crate::types::has_final;
use sema::checked::{BinaryOp, Class, Const, Expr, ExprKind, Intrinsic, Program, Sub, Type, is_designator, visit};

/// Whether the expression is a whole array variable or component.
pub(crate) fn is_whole(e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Var(_) => true,
        ExprKind::Field { base, .. } => base.rank == 0 && is_designator(base),
        _ => false,
    }
}

/// Whether a node computes each element from the elements of its operands.
pub(crate) fn is_elementwise(program: &Program, e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Unary { .. }
        | ExprKind::Binary { .. }
        | ExprKind::Compare { .. }
        | ExprKind::Logic { .. }
        | ExprKind::Concat(..)
        | ExprKind::Convert(_)
        | ExprKind::Paren(_) => true,
        ExprKind::Intrinsic { id, .. } => id.class() == Class::Elemental,
        ExprKind::Call { proc, .. } => program.proc(*proc).elemental,
        _ => false,
    }
}

/// Whether two expressions are written alike and name the same object.
pub(crate) fn same(a: &Expr, b: &Expr) -> bool {
    let both = |x: &Option<Box<Expr>>, y: &Option<Box<Expr>>| match (x, y) {
        (None, None) => true,
        (Some(x), Some(y)) => same(x, y),
        _ => false,
    };
    let option = |x: &Option<Expr>, y: &Option<Expr>| match (x, y) {
        (None, None) => true,
        (Some(x), Some(y)) => same(x, y),
        _ => false,
    };
    match (&a.kind, &b.kind) {
        (ExprKind::Const(Const::Int(x)), ExprKind::Const(Const::Int(y))) => x == y,
        (ExprKind::Var(x), ExprKind::Var(y)) => x == y,
        (ExprKind::Field { base: x, field: i }, ExprKind::Field { base: y, field: j }) => i == j && same(x, y),
        (ExprKind::Element { base: x, subs: i }, ExprKind::Element { base: y, subs: j }) => {
            same(x, y) && i.len() == j.len() && i.iter().zip(j).all(|(i, j)| same(i, j))
        }
        (ExprKind::Section { base: x, subs: i }, ExprKind::Section { base: y, subs: j }) => {
            same(x, y)
                && i.len() == j.len()
                && i.iter().zip(j).all(|(i, j)| match (i, j) {
                    (Sub::Index(i), Sub::Index(j)) => same(i, j),
                    (Sub::Range { lo: a, hi: b, step: c }, Sub::Range { lo: x, hi: y, step: z }) => {
                        option(a, x) && option(b, y) && option(c, z)
                    }
                    _ => false,
                })
        }
        (ExprKind::Substring { base: x, lo: a, hi: b }, ExprKind::Substring { base: y, lo: c, hi: d }) => {
            same(x, y) && both(a, c) && both(b, d)
        }
        (ExprKind::ComplexPart { base: x, imaginary: i }, ExprKind::ComplexPart { base: y, imaginary: j }) => {
            i == j && same(x, y)
        }
        (ExprKind::Convert(x), ExprKind::Convert(y)) | (ExprKind::Paren(x), ExprKind::Paren(y)) => same(x, y),
        (ExprKind::Binary { op: o, left: a, right: b }, ExprKind::Binary { op: p, left: c, right: d }) => {
            o == p && same(a, c) && same(b, d)
        }
        (ExprKind::Special { index: i, add: x }, ExprKind::Special { index: j, add: y }) => i == j && x == y,
        _ => false,
    }
}

/// The value of a constant integer expression.
pub(crate) fn constant_int(e: &Expr) -> Option<i64> {
    match &e.kind {
        ExprKind::Const(Const::Int(n)) => Some(*n),
        ExprKind::Convert(inner) | ExprKind::Paren(inner) => constant_int(inner),
        _ => None,
    }
}

pub(crate) fn has_vector(e: &Expr) -> bool {
    matches!(&e.kind, ExprKind::Section { subs, .. } if subs.iter().any(|s| matches!(s, Sub::Vector(_))))
}

/// Whether it may show that an expression is evaluated twice: it calls a function that is not pure.
pub(crate) fn has_effects(program: &Program, e: &Expr) -> bool {
    let mut any = false;
    visit::all(e, &mut |part| any |= matches!(&part.kind, ExprKind::Call { proc, .. } if !program.proc(*proc).pure));
    any
}

/// Whether an expression refers to a function whose result is finalised.
pub(crate) fn has_final_results(program: &Program, e: &Expr) -> bool {
    let mut any = false;
    visit::all(e, &mut |part| any |= matches!(part.kind, ExprKind::Call { .. }) && has_final(program, &part.ty));
    any
}

/// Whether an expression is a division that may be one by zero, or an operation with one among its operands.
pub(crate) fn holds_division(e: &Expr) -> bool {
    if divides(e) {
        return true;
    }
    let is_operation = match &e.kind {
        ExprKind::Intrinsic { id, .. } => id.class() == Class::Elemental,
        ExprKind::Unary { .. } | ExprKind::Binary { .. } | ExprKind::Compare { .. } | ExprKind::Logic { .. } => true,
        ExprKind::Convert(_) | ExprKind::Paren(_) => true,
        _ => false,
    };
    let mut any = false;
    if is_operation {
        visit::parts(e, &mut |part| any = any || holds_division(part));
    }
    any
}

/// Whether an operation is a division of integers that may be one by zero.
pub(crate) fn divides(e: &Expr) -> bool {
    let may_be_zero = |right: &Expr| matches!(right.ty, Type::Integer(_)) && constant_int(right).is_none_or(|n| n == 0);
    match &e.kind {
        ExprKind::Binary { op: BinaryOp::Div, right, .. } => may_be_zero(right),
        ExprKind::Intrinsic { id: Intrinsic::Mod | Intrinsic::Modulo, args } => {
            args.get(1).and_then(Option::as_ref).is_some_and(may_be_zero)
        }
        _ => false,
    }
}

/// Whether the view of an expression is a view of a variable that it rearranges.
pub(crate) fn is_rearranged(e: &Expr) -> bool {
    let ExprKind::Intrinsic { id: Intrinsic::Transpose | Intrinsic::Reshape | Intrinsic::Spread, args } = &e.kind
    else {
        return false;
    };
    args.first().and_then(Option::as_ref).is_some_and(|source| is_designator(source) || is_rearranged(source))
}
