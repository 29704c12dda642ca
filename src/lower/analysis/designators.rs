//! Questions about designators that the declarations answer: components, names, dynamic types.
//!
//! Not here: the form of expressions (`expressions`), where designators are in memory (`expr::designator`).

use crate::analysis::expressions::is_whole;
use sema::checked::{Expr, ExprKind, Field, Program, Type};

/// Whether the dynamic type of an expression may differ from its declared type.
pub(crate) fn is_class(program: &Program, e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Var(v) => program.var(*v).attrs.class,
        ExprKind::Field { base, field } => field_of(program, base, *field).is_some_and(|f| f.class),
        ExprKind::Element { base, .. } | ExprKind::Section { base, .. } | ExprKind::Paren(base) => {
            is_class(program, base)
        }
        ExprKind::Seen { class, .. } => *class,
        ExprKind::Call { proc, .. } => program.proc(*proc).result.is_some_and(|r| program.var(r).attrs.class),
        _ => false,
    }
}

/// Whether a name that is associated with an array has the bounds of that array: it is a whole one, also as SELECT TYPE sees
/// it. The parent's part of each of its elements is not.
pub(crate) fn keeps_bounds(program: &Program, e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Seen { base, .. } => !is_parent_part(program, base, &e.ty) && keeps_bounds(program, base),
        _ => is_whole(e),
    }
}

/// Whether an object seen as of type `ty` is its parent's part.
fn is_parent_part(program: &Program, base: &Expr, ty: &Type) -> bool {
    let (Type::Derived(own), Type::Derived(seen)) = (&base.ty, ty) else { return false };
    std::iter::successors(program.ty(*own).parent, |&id| program.ty(id).parent).any(|id| id == *seen)
}

/// Whether a designator is a whole allocatable or pointer, which need not be allocated or associated.
pub(crate) fn may_be_unset(program: &Program, e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Var(v) => program.var(*v).attrs.allocatable || program.var(*v).attrs.pointer,
        ExprKind::Field { base, field } => {
            base.rank == 0 && field_of(program, base, *field).is_some_and(|f| f.allocatable || f.pointer)
        }
        _ => false,
    }
}

/// The component that a field number means.
pub(crate) fn field_of<'p>(program: &'p Program, base: &Expr, field: u32) -> Option<&'p Field> {
    let Type::Derived(id) = &base.ty else { return None };
    program.ty(*id).fields.get(field as usize)
}

/// The name that findings use for a designator.
pub(crate) fn designator_name(program: &Program, e: &Expr) -> String {
    match &e.kind {
        ExprKind::Var(v) => program.var(*v).name.to_string(),
        ExprKind::Field { base, field } => match field_of(program, base, *field) {
            Some(f) => format!("{}%{}", designator_name(program, base), f.name),
            None => designator_name(program, base),
        },
        ExprKind::Element { base, .. }
        | ExprKind::Section { base, .. }
        | ExprKind::Substring { base, .. }
        | ExprKind::Seen { base, .. } => designator_name(program, base),
        _ => String::new(),
    }
}

/// Whether a value is what a pointer that a function gives points to, which may be any variable.
pub(crate) fn is_pointer_result(program: &Program, value: &Expr) -> bool {
    let ExprKind::Call { proc, .. } = &value.kind else { return false };
    program.proc(*proc).result.is_some_and(|r| program.var(r).attrs.pointer)
}

/// Whether an expression is a whole pointer.
pub(crate) fn is_pointer(program: &Program, e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Var(v) => program.var(*v).attrs.pointer,
        ExprKind::Field { base, field } => field_of(program, base, *field).is_some_and(|f| f.pointer),
        _ => false,
    }
}
