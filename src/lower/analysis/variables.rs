//! Questions about the declaration of a variable.
//!
//! Not here: where the variable is stored (`storage`).

use sema::checked::{CharLen, Const, ExprKind, ProcKind, Shape, Storage, Type, VarId, Variable};

/// Whether the variable is an allocatable, a pointer or polymorphic.
pub(crate) fn is_descriptor(program: &sema::checked::Program, v: VarId) -> bool {
    let attrs = &program.var(v).attrs;
    attrs.allocatable || attrs.pointer || attrs.class
}

/// Whether a variable belongs to the main program, which is entered once: it may be stored like a local one.
pub(crate) fn lives_in_main(program: &sema::checked::Program, v: VarId) -> bool {
    let var = program.var(v);
    matches!(var.storage, Storage::Static)
        && var.owner.is_some_and(|p| program.main == Some(p) && program.proc(p).kind == ProcKind::Host)
}

/// Whether a character's length is not a constant.
pub(crate) fn has_open_length(ty: &Type) -> bool {
    matches!(ty, Type::Character(len) if !matches!(len, CharLen::Const(_)))
}

/// Whether scalars of that type may live in registers.
pub(crate) fn has_register(ty: &Type) -> bool {
    matches!(ty, Type::Integer(_) | Type::Real(_) | Type::Complex(_) | Type::Logical(_))
}

/// Lower bound and extent per dimension of a shape whose bounds are constants.
pub(crate) fn const_bounds(shape: &Shape) -> Option<Vec<(i64, i64)>> {
    let Shape::Explicit(dims) = shape else {
        return matches!(shape, Shape::Scalar).then(Vec::new);
    };
    dims.iter()
        .map(|d| match (&d.lower.kind, &d.upper.kind) {
            (ExprKind::Const(Const::Int(lo)), ExprKind::Const(Const::Int(hi))) => {
                Some((*lo, (hi.wrapping_sub(*lo)).wrapping_add(1).max(0)))
            }
            _ => None,
        })
        .collect()
}

/// Whether a variable is the hidden storage sequence of COMMON or EQUIVALENCE, whose name no program can write.
pub(crate) fn is_sequence(var: &Variable) -> bool {
    var.name.starts_with('/')
}
