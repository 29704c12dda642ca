//! Walks over typed expressions.

use super::sub_exprs;
use crate::checked::{Actual, Expr, ExprKind, Item, Sub, VarId};

/// Calls `f` for an expression and all its parts, outer ones first; `f` says whether to go into the parts.
pub(crate) fn for_each<'e>(e: &'e Expr, f: &mut dyn FnMut(&'e Expr) -> bool) {
    if !f(e) {
        return;
    }
    match &e.kind {
        ExprKind::Const(_)
        | ExprKind::Var(_)
        | ExprKind::Special { .. }
        | ExprKind::Procedure(_)
        | ExprKind::Null
        | ExprKind::Unsupported(_) => {}
        ExprKind::Field { base, .. }
        | ExprKind::ComplexPart { base, .. }
        | ExprKind::Seen { base, .. }
        | ExprKind::IsType { object: base, .. } => for_each(base, f),
        ExprKind::Element { base, subs } => {
            for_each(base, f);
            for sub in subs {
                for_each(sub, f);
            }
        }
        ExprKind::Section { base, subs } => {
            for_each(base, f);
            for sub in subs.iter().flat_map(sub_exprs) {
                for_each(sub, f);
            }
        }
        ExprKind::Substring { base, lo, hi } => {
            for_each(base, f);
            for bound in [lo, hi].into_iter().flatten() {
                for_each(bound, f);
            }
        }
        ExprKind::Unary { operand, .. } | ExprKind::Convert(operand) | ExprKind::Paren(operand) => for_each(operand, f),
        ExprKind::Binary { left, right, .. }
        | ExprKind::Compare { left, right, .. }
        | ExprKind::Logic { left, right, .. }
        | ExprKind::Concat(left, right) => {
            for_each(left, f);
            for_each(right, f);
        }
        ExprKind::Intrinsic { args, .. } => {
            for arg in args.iter().flatten() {
                for_each(arg, f);
            }
        }
        ExprKind::Call { args, .. } => {
            for arg in args.iter().flatten() {
                if let Actual::Expr(e) = arg {
                    for_each(e, f);
                }
            }
        }
        ExprKind::Construct { fields, .. } => {
            for field in fields.iter().flatten() {
                for_each(field, f);
            }
        }
        ExprKind::Array(items) => for_each_item(items, f),
    }
}

fn for_each_item<'e>(items: &'e [Item], f: &mut dyn FnMut(&'e Expr) -> bool) {
    for item in items {
        match item {
            Item::Expr(e) => for_each(e, f),
            Item::Do(d) => {
                for bound in [Some(&d.first), Some(&d.last), d.step.as_ref()].into_iter().flatten() {
                    for_each(bound, f);
                }
                for_each_item(&d.items, f);
            }
        }
    }
}

/// Whether an expression is a variable or a part of one.
pub(crate) fn is_designator(e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Var(_) => true,
        ExprKind::Field { base, .. }
        | ExprKind::Element { base, .. }
        | ExprKind::Section { base, .. }
        | ExprKind::Substring { base, .. }
        | ExprKind::ComplexPart { base, .. }
        | ExprKind::Seen { base, .. } => is_designator(base),
        _ => false,
    }
}

/// The variable that a designator is a part of.
pub(crate) fn root(e: &Expr) -> Option<VarId> {
    match &e.kind {
        ExprKind::Var(id) => Some(*id),
        ExprKind::Field { base, .. }
        | ExprKind::Element { base, .. }
        | ExprKind::Section { base, .. }
        | ExprKind::Substring { base, .. }
        | ExprKind::ComplexPart { base, .. }
        | ExprKind::Seen { base, .. } => root(base),
        _ => None,
    }
}

/// Calls `f` for each part of an expression, inner ones first; `f` may replace what it is given.
pub(crate) fn rewrite(e: &mut Expr, f: &mut dyn FnMut(&mut Expr)) {
    match &mut e.kind {
        ExprKind::Const(_)
        | ExprKind::Var(_)
        | ExprKind::Special { .. }
        | ExprKind::Procedure(_)
        | ExprKind::Null
        | ExprKind::Unsupported(_) => {}
        ExprKind::Field { base, .. }
        | ExprKind::ComplexPart { base, .. }
        | ExprKind::Seen { base, .. }
        | ExprKind::IsType { object: base, .. } => rewrite(base, f),
        ExprKind::Element { base, subs } => {
            rewrite(base, f);
            for sub in subs {
                rewrite(sub, f);
            }
        }
        ExprKind::Section { base, subs } => {
            rewrite(base, f);
            for sub in subs {
                match sub {
                    Sub::Index(e) | Sub::Vector(e) => rewrite(e, f),
                    Sub::Range { lo, hi, step } => {
                        for bound in [lo, hi, step].into_iter().flatten() {
                            rewrite(bound, f);
                        }
                    }
                }
            }
        }
        ExprKind::Substring { base, lo, hi } => {
            rewrite(base, f);
            for bound in [lo, hi].into_iter().flatten() {
                rewrite(bound, f);
            }
        }
        ExprKind::Unary { operand, .. } | ExprKind::Convert(operand) | ExprKind::Paren(operand) => rewrite(operand, f),
        ExprKind::Binary { left, right, .. }
        | ExprKind::Compare { left, right, .. }
        | ExprKind::Logic { left, right, .. }
        | ExprKind::Concat(left, right) => {
            rewrite(left, f);
            rewrite(right, f);
        }
        ExprKind::Intrinsic { args, .. } => {
            for arg in args.iter_mut().flatten() {
                rewrite(arg, f);
            }
        }
        ExprKind::Call { args, .. } => {
            for arg in args.iter_mut().flatten() {
                if let Actual::Expr(e) = arg {
                    rewrite(e, f);
                }
            }
        }
        ExprKind::Construct { fields, .. } => {
            for field in fields.iter_mut().flatten() {
                rewrite(field, f);
            }
        }
        ExprKind::Array(items) => rewrite_items(items, f),
    }
    f(e);
}

fn rewrite_items(items: &mut [Item], f: &mut dyn FnMut(&mut Expr)) {
    for item in items {
        match item {
            Item::Expr(e) => rewrite(e, f),
            Item::Do(d) => {
                for bound in [Some(&mut d.first), Some(&mut d.last), d.step.as_mut()].into_iter().flatten() {
                    rewrite(bound, f);
                }
                rewrite_items(&mut d.items, f);
            }
        }
    }
}
