//! Ranks, lengths and sizes of actual arguments beside those of dummies (Fortran 2018, 15.5.2.4, 15.5.2.11).
//!
//! Not here: types and attributes (`fit`).

use crate::checked::{CharLen, Const, Expr, ExprKind, Shape, Sub, Type, Variable};
use crate::checker::Definitions;
use crate::typing::{Fit, constant_extents, elements_of, known_extents};
use diag::{Code, Diagnostic};
use source::Span;

/// Checks that the rank of an argument is the one that its dummy takes (Fortran 2018, 15.5.2.4).
pub(super) fn fit_rank(
    fit: &mut Fit,
    dummy: &Variable,
    e: &Expr,
    elemental: bool,
    span: Span,
) -> Result<(), Box<Diagnostic>> {
    let wanted = dummy.shape.rank();
    if dummy.attrs.ignore_tkr.contains('r') {
        return Ok(());
    }
    let fits = match &dummy.shape {
        Shape::AssumedRank => true,
        Shape::Scalar if elemental && e.rank > 0 => {
            if fit.rank != 0 && fit.rank != e.rank {
                let text = format!("arguments of an elemental reference have ranks {} and {}", fit.rank, e.rank);
                return Err(Box::new(Diagnostic::new(Code::ElementalShapes, span, text)));
            }
            fit.rank = e.rank;
            true
        }
        Shape::Scalar => e.rank == 0,
        Shape::AssumedShape(_) | Shape::Deferred(_) => e.rank == wanted,
        // A scalar is given to an array of assumed type and size as it is (Fortran 2018, 15.5.2.4).
        Shape::AssumedSize(..) if matches!(dummy.ty, Type::Any) && !dummy.attrs.class => true,
        Shape::Explicit(_) | Shape::AssumedSize(..) => e.rank > 0 || starts_sequence(e),
    };
    if fits {
        return Ok(());
    }
    let text = match (wanted, e.rank) {
        (0, rank) => format!("argument `{}` is a scalar, and an array of rank {rank} is given", dummy.name),
        (rank, 0) => format!("argument `{}` is an array of rank {rank}, and a scalar is given", dummy.name),
        (a, b) => format!("argument `{}` has rank {a}, and an array of rank {b} is given", dummy.name),
    };
    Err(Box::new(Diagnostic::new(Code::ArgumentRank, span, text)))
}

/// What is said of a character argument that is shorter than its dummy (Fortran 2018, 15.5.2.4), which compilers take.
pub(super) fn shorter(dummy: &Variable, e: &Expr, span: Span) -> Option<Diagnostic> {
    let (Type::Character(CharLen::Const(wanted)), Type::Character(CharLen::Const(given))) = (&dummy.ty, &e.ty) else {
        return None;
    };
    let is_scalar = e.rank == 0 && matches!(dummy.shape, Shape::Scalar);
    let text = format!("argument `{}` has {wanted} characters, and {given} are given", dummy.name);
    let is_short = is_scalar && given < wanted && !starts_element(e);
    is_short.then(|| Diagnostic::new(Code::TooFewCharacters, span, text))
}

/// Checks that an argument whose size is known has the elements that its dummy wants (Fortran 2018, 15.5.2.11).
pub(super) fn fit_size(defs: &Definitions<'_>, dummy: &Variable, e: &Expr, span: Span) -> Result<(), Box<Diagnostic>> {
    let too_few = |given: i64, wanted: i64| {
        let text = format!("argument `{}` has {wanted} elements, and {given} are given", dummy.name);
        Err(Box::new(Diagnostic::new(Code::TooFewElements, span, text)))
    };
    if let (Type::Character(CharLen::Const(wanted)), Type::Character(CharLen::Const(given))) = (&dummy.ty, &e.ty) {
        // Characters follow each other in sequence, whatever the length of an element.
        let (Some(elements), Some(own)) = (elements_of(&dummy.shape), constant_extents(defs, e)) else { return Ok(()) };
        let wanted = wanted.saturating_mul(i64::try_from(elements).unwrap_or(i64::MAX));
        let given = own.iter().fold(*given, |n, bound| n.saturating_mul(bound.1.max(0)));
        if !matches!(dummy.shape, Shape::Explicit(_)) || e.rank == 0 || given >= wanted {
            return Ok(());
        }
        let text = format!("argument `{}` has {wanted} characters in all, and {given} are given", dummy.name);
        return Err(Box::new(Diagnostic::new(Code::TooFewElements, span, text)));
    }
    let (Shape::Explicit(_), Some(wanted)) = (&dummy.shape, dummy.shape.constant_bounds()) else { return Ok(()) };
    let elements = |bounds: &[(i64, i64)]| bounds.iter().fold(1i64, |n, b| n.saturating_mul(b.1));
    let wanted = elements(&wanted);
    let given = match &e.kind {
        ExprKind::Element { base, subs } => constant_extents(defs, base).and_then(|bounds| {
            let mut before = 0i64;
            let mut stride = 1i64;
            for (sub, (lower, extent)) in subs.iter().zip(&bounds) {
                let ExprKind::Const(Const::Int(at)) = sub.kind else { return None };
                before = before.saturating_add(at.saturating_sub(*lower).saturating_mul(stride));
                stride = stride.saturating_mul(*extent);
            }
            Some(elements(&bounds).saturating_sub(before))
        }),
        // nvfortran passes the address of such a section, and old programs mean all that is behind it.
        ExprKind::Section { subs, .. } if subs.iter().any(|sub| matches!(sub, Sub::Index(_))) => None,
        _ if e.rank > 0 => {
            let extents = known_extents(defs, e).into_iter();
            extents.map(|extent| extent.map(|n| (1, n))).collect::<Option<Vec<_>>>().map(|bounds| elements(&bounds))
        }
        _ => None,
    };
    match given {
        Some(given) if given < wanted => too_few(given, wanted),
        _ => Ok(()),
    }
}

/// Whether a character argument is an array element, or part of one: the characters behind it belong to it too.
fn starts_element(e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Element { .. } => true,
        ExprKind::Substring { base, .. } => starts_element(base),
        _ => false,
    }
}

/// Whether a scalar may stand for the sequence of elements that it begins: an array element, or a character.
fn starts_sequence(e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Element { .. } => true,
        ExprKind::Substring { base, .. } => starts_sequence(base),
        _ => matches!(e.ty, Type::Character(_)),
    }
}
