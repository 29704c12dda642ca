//! Which variable a designator names a part of.
//!
//! There are four rules, one function each. They differ in how far they follow a designator:
//!
//! | function | through components | through ASSOCIATE names | answers |
//! |---|---|---|---|
//! | [`root`] | all | no | the variable that is written first |
//! | [`root_behind_names`] | all | yes | the variable whose value may change or be read |
//! | [`root_in_memory`] | not allocatable or pointer ones | no | the variable whose own memory holds the object |
//! | [`scalar_root`] | none, but parts of a complex number | no | the variable that shares a register with the object |

use super::{Expr, ExprKind, Program, Storage, Type, VarId};

/// The object that a designator is directly a part of; `None` for a whole variable and for what is not a designator.
fn base(e: &Expr) -> Option<&Expr> {
    match &e.kind {
        ExprKind::Field { base, .. }
        | ExprKind::Element { base, .. }
        | ExprKind::Section { base, .. }
        | ExprKind::Substring { base, .. }
        | ExprKind::ComplexPart { base, .. }
        | ExprKind::Seen { base, .. } => Some(base),
        _ => None,
    }
}

/// Whether an expression is a variable or a part of one, so that it can be assigned, passed by reference or pointed to.
pub fn is_designator(e: &Expr) -> bool {
    root(e).is_some()
}

/// The variable that a designator begins with (Fortran 2018, 9.4.2: the base object). An ASSOCIATE name is a variable.
pub fn root(e: &Expr) -> Option<VarId> {
    match e.kind {
        ExprKind::Var(id) => Some(id),
        _ => root(base(e)?),
    }
}

/// As [`root`], but an ASSOCIATE name that stands for a designator leads to the root of that designator.
pub fn root_behind_names(program: &Program, e: &Expr) -> Option<VarId> {
    let id = root(e)?;
    match &program.var(id).storage {
        Storage::Alias(target) => root_behind_names(program, target).or(Some(id)),
        _ => Some(id),
    }
}

/// The variable whose own memory holds the object: what a component points to, or has allocated, is no part of it.
pub fn root_in_memory(program: &Program, e: &Expr) -> Option<VarId> {
    match &e.kind {
        ExprKind::Var(id) => Some(*id),
        ExprKind::Field { base, field } => {
            let Type::Derived(id) = &base.ty else { return None };
            let is_apart = program.ty(*id).fields.get(*field as usize).is_some_and(|f| f.allocatable || f.pointer);
            if is_apart { None } else { root_in_memory(program, base) }
        }
        _ => root_in_memory(program, base(e)?),
    }
}

/// The variable that is the scalar itself: the whole variable, or a part of a complex one.
pub fn scalar_root(e: &Expr) -> Option<VarId> {
    match &e.kind {
        ExprKind::Var(id) => Some(*id),
        ExprKind::ComplexPart { base, .. } | ExprKind::Seen { base, .. } => scalar_root(base),
        _ => None,
    }
}
