//! Types: which are equal, which one two operands get, and how messages name them.

use crate::checked::{CharLen, DerivedType, Field, Program, Type, TypeId};
use crate::checker::Definitions;

/// A type as it is written in messages.
pub(crate) fn type_name(program: &Program, ty: &Type) -> String {
    match ty {
        Type::Integer(k) => format!("integer({k})"),
        Type::Real(k) => format!("real({k})"),
        Type::Complex(k) => format!("complex({k})"),
        Type::Logical(k) => format!("logical({k})"),
        Type::Character(CharLen::Const(n)) => format!("character(len={n})"),
        Type::Character(CharLen::Assumed) => "character(len=*)".into(),
        Type::Character(_) => "character".into(),
        Type::Derived(id) => {
            let ty = program.ty(*id);
            let params: Vec<String> =
                ty.params.iter().filter_map(|p| Some(format!("{}={}", p.name, p.value?))).collect();
            if let Some(structure) = ty.name.strip_prefix("structure ") {
                format!("record /{structure}/")
            } else if params.is_empty() {
                format!("type({})", ty.name)
            } else {
                format!("type({}({}))", ty.name, params.join(","))
            }
        }
        Type::Any => "type(*)".into(),
    }
}

/// A type and rank as written in messages: `real(4), rank 2`.
pub(crate) fn shape_name(program: &Program, ty: &Type, rank: u8) -> String {
    let name = type_name(program, ty);
    if rank == 0 { format!("`{name}`") } else { format!("`{name}` of rank {rank}") }
}

/// Whether two types are the same, lengths of characters aside.
pub(crate) fn same_type(a: &Type, b: &Type) -> bool {
    match (a, b) {
        (Type::Integer(a), Type::Integer(b))
        | (Type::Real(a), Type::Real(b))
        | (Type::Complex(a), Type::Complex(b))
        | (Type::Logical(a), Type::Logical(b)) => a == b,
        (Type::Character(_), Type::Character(_)) | (Type::Any, Type::Any) => true,
        (Type::Derived(a), Type::Derived(b)) => a == b,
        _ => false,
    }
}

/// Whether two types without allocatable and pointer components have one name and the same components. Declared in two
/// scopes, they are two types by the standard (Fortran 2018, 7.5.2.4), and one for nvfortran.
pub(crate) fn are_declared_alike(program: &Program, a: TypeId, b: TypeId) -> bool {
    let (x, y) = (program.ty(a), program.ty(b));
    let are_alike = |a: &Field, b: &Field| {
        let same = match (&a.ty, &b.ty) {
            (Type::Derived(a), Type::Derived(b)) => a == b || are_declared_alike(program, *a, *b),
            (x, y) => same_type(x, y),
        };
        let bounds = |f: &Field| f.shape.constant_bounds();
        same && a.name == b.name && a.offset == b.offset && bounds(a) == bounds(b)
    };
    let is_descriptor = |f: &Field| f.allocatable || f.pointer;
    // A STRUCTURE without a name is known by its place.
    let is_unnamed = |t: &DerivedType| t.name.starts_with("structure _");
    (x.name == y.name || is_unnamed(x) && is_unnamed(y))
        && x.bytes == y.bytes
        && x.fields.len() == y.fields.len()
        && !x.fields.iter().chain(&y.fields).any(is_descriptor)
        && x.fields.iter().zip(&y.fields).all(|(a, b)| are_alike(a, b))
}

/// Whether objects of a type are values that follow each other in memory, and nothing else.
pub(crate) fn is_plain(defs: &Definitions<'_>, ty: &Type) -> bool {
    match ty {
        Type::Integer(_) | Type::Real(_) | Type::Complex(_) | Type::Logical(_) => true,
        Type::Derived(id) => !defs.has_part(*id, &|f| f.allocatable || f.pointer),
        Type::Character(_) | Type::Any => false,
    }
}

/// Whether a type is integer, real or complex.
pub(crate) fn is_numeric(ty: &Type) -> bool {
    matches!(ty, Type::Integer(_) | Type::Real(_) | Type::Complex(_))
}

/// The type that two numeric operands get; `None` when one is not numeric.
pub(crate) fn promoted(a: &Type, b: &Type) -> Option<Type> {
    use Type::{Complex, Integer, Real};
    Some(match (a, b) {
        (Integer(x), Integer(y)) => Integer(*x.max(y)),
        (Real(x), Real(y)) => Real(*x.max(y)),
        (Real(x), Integer(_)) | (Integer(_), Real(x)) => Real(*x),
        (Complex(x), Complex(y) | Real(y)) | (Real(y), Complex(x)) => Complex(*x.max(y)),
        (Complex(x), Integer(_)) | (Integer(_), Complex(x)) => Complex(*x),
        _ => return None,
    })
}

/// The type as which values of a type are computed with: real(2) has no arithmetic of its own.
pub(crate) fn computed(ty: Type) -> Type {
    if matches!(ty, Type::Real(2)) { Type::Real(4) } else { ty }
}
