//! Facts about Fortran types that lowering needs: register type, size, alignment, components with special treatment.
//!
//! Not here: lengths that only the run time knows (`expr::char_length`), the debugger's types (`module::debug_types`).

use ast::CudaAttr;
use ir::{Space, Ty, Val};
use sema::checked::{Attrs, CharLen, Program, Type, TypeId};
use std::collections::BTreeSet;

/// Whose code is being made.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Side {
    /// Host code.
    Host,
    /// Kernels and what they call.
    Device,
}

/// The register type of a scalar of this type; of a complex number, that of each part.
pub(crate) fn ir_ty(ty: &Type) -> Ty {
    match ty {
        Type::Integer(1) | Type::Logical(1) => Ty::I8,
        // A real(2) is held as its bits, and computed with as real(4).
        Type::Integer(2) | Type::Logical(2) | Type::Real(2) => Ty::I16,
        Type::Integer(4) | Type::Logical(4) => Ty::I32,
        Type::Real(8) | Type::Complex(8) => Ty::F64,
        Type::Real(_) | Type::Complex(_) => Ty::F32,
        Type::Character(_) => Ty::I8,
        Type::Integer(_) | Type::Logical(_) | Type::Derived(_) | Type::Any => Ty::I64,
    }
}

/// Bytes of a value, where the compiler knows them.
pub(crate) fn const_bytes(program: &Program, ty: &Type) -> Option<u64> {
    Some(match ty {
        Type::Integer(k) | Type::Real(k) | Type::Logical(k) => u64::from(*k),
        Type::Complex(k) => 2 * u64::from(*k),
        Type::Character(CharLen::Const(n)) => (*n).max(0) as u64,
        Type::Character(_) => return None,
        Type::Derived(id) if program.ty(*id).is_flat => return None,
        Type::Derived(id) => program.ty(*id).bytes,
        Type::Any => 1,
    })
}

/// The length of a character type that says it as a constant.
pub(crate) fn constant_length(ty: &Type) -> Option<Val> {
    match ty {
        Type::Character(CharLen::Const(n)) => Some(Val::i64((*n).max(0))),
        _ => None,
    }
}

/// Alignment of an object of this type.
pub(crate) fn align(program: &Program, ty: &Type) -> u64 {
    match ty {
        Type::Integer(k) | Type::Real(k) | Type::Logical(k) | Type::Complex(k) => u64::from(*k),
        Type::Character(_) | Type::Any => 1,
        Type::Derived(id) => program.ty(*id).align.max(1),
    }
}

/// Whether objects of this type hold allocatable components, at any depth.
pub(crate) fn has_allocatable(program: &Program, ty: &Type) -> bool {
    let Type::Derived(id) = ty else { return false };
    !program.ty(*id).is_flat
        && program.ty(*id).fields.iter().any(|f| f.allocatable || (!f.pointer && has_allocatable(program, &f.ty)))
}

/// Whether something happens when objects of this type end: they, or what they hold, have FINAL subroutines. Of flat ones
/// [`has_flat_final`] says it.
pub(crate) fn has_final(program: &Program, ty: &Type) -> bool {
    !is_flat(program, ty) && finds_final(program, ty)
}

/// Whether something happens when flat objects end.
pub(crate) fn has_flat_final(program: &Program, ty: &Type) -> bool {
    is_flat(program, ty) && finds_final(program, ty)
}

fn finds_final(program: &Program, ty: &Type) -> bool {
    fn search(program: &Program, id: TypeId, seen: &mut BTreeSet<TypeId>) -> bool {
        let id = if let Some(Type::Derived(of_host)) = program.ty(id).of_host { of_host } else { id };
        if !seen.insert(id) {
            return false;
        }
        let def = program.ty(id);
        !def.finals.is_empty()
            || def.parent.is_some_and(|parent| search(program, parent, seen))
            || def.fields.iter().any(|f| match f.ty {
                Type::Derived(inner) if !f.pointer => search(program, inner, seen),
                _ => false,
            })
    }
    matches!(ty, Type::Derived(id) if search(program, *id, &mut BTreeSet::new()))
}

/// Whether a component of objects of this type, at any depth, is assigned by a procedure that its type binds.
pub(crate) fn assigns_components(program: &Program, ty: &Type) -> bool {
    fn search(program: &Program, id: TypeId, seen: &mut BTreeSet<TypeId>) -> bool {
        seen.insert(id)
            && program.ty(id).fields.iter().any(|f| match f.ty {
                Type::Derived(inner) if !f.pointer => {
                    !program.ty(inner).assigns.is_empty() || search(program, inner, seen)
                }
                _ => false,
            })
    }
    matches!(ty, Type::Derived(id) if search(program, *id, &mut BTreeSet::new()))
}

/// Whether objects of this type own something, or something happens when they end.
pub(crate) fn has_end(program: &Program, ty: &Type) -> bool {
    has_allocatable(program, ty) || has_final(program, ty)
}

/// Whether an object of this type may hold, in allocatable components at some depth, objects of the same type.
pub(crate) fn is_recursive(program: &Program, id: TypeId) -> bool {
    let mut pending = vec![id];
    let mut seen = BTreeSet::new();
    while let Some(at) = pending.pop() {
        for f in program.ty(at).fields.iter().filter(|f| !f.pointer) {
            if let Type::Derived(inner) = f.ty {
                if inner == id {
                    return true;
                }
                if seen.insert(inner) {
                    pending.push(inner);
                }
            }
        }
    }
    false
}

/// Whether objects of this type are made at run time: they, or objects in them, hold length parameters.
pub(crate) fn is_made(program: &Program, ty: &Type) -> bool {
    matches!(ty, Type::Derived(id) if program.ty(*id).is_made)
}

/// Whether objects of this type are data of the device with lengths that are known at run time only (`expr::flat_part`).
pub(crate) fn is_flat(program: &Program, ty: &Type) -> bool {
    matches!(ty, Type::Derived(id) if program.ty(*id).is_flat)
}

/// Whether a fresh object of this type has contents: default values, or descriptors that must say "not allocated".
pub(crate) fn has_default(program: &Program, ty: &Type) -> bool {
    let Type::Derived(id) = ty else { return false };
    let is_flat = program.ty(*id).is_flat;
    program.ty(*id).fields.iter().any(|f| {
        (f.allocatable && !(is_flat && f.sized.is_some()))
            || f.pointer
            || f.init.is_some()
            || has_default(program, &f.ty)
    })
}

/// Whether host code can access data with that attribute only by a transfer.
pub(crate) fn is_device_data(cuda: Option<CudaAttr>) -> bool {
    matches!(cuda, Some(CudaAttr::Device | CudaAttr::Constant | CudaAttr::Texture | CudaAttr::Shared))
}

/// The number of host memory for `mem.alloc`.
pub(crate) const HOST_MEMORY: i32 = 0;
/// The number of device memory.
pub(crate) const DEVICE_MEMORY: i32 = 1;
/// The number of managed memory.
pub(crate) const MANAGED_MEMORY: i32 = 2;

/// The memory that an object with that attribute is allocated from, as `mem.alloc` counts them.
pub(crate) fn alloc_where(side: Side, cuda: Option<CudaAttr>) -> i32 {
    match (side, cuda) {
        (Side::Device, _) | (_, Some(CudaAttr::Device | CudaAttr::Constant | CudaAttr::Texture | CudaAttr::Shared)) => {
            DEVICE_MEMORY
        }
        (_, Some(CudaAttr::Managed | CudaAttr::Unified)) => MANAGED_MEMORY,
        (_, Some(CudaAttr::Pinned)) => 3,
        (_, None) => HOST_MEMORY,
    }
}

/// The space of data that was allocated for, or is pointed to by, a variable or component with these attributes.
pub(crate) fn data_space(side: Side, cuda: Option<CudaAttr>, pointer: bool) -> Space {
    match side {
        Side::Host if is_device_data(cuda) => Space::Global,
        Side::Host => Space::Host,
        Side::Device if pointer && cuda.is_none() => Space::Generic,
        Side::Device => Space::Global,
    }
}

/// Whether accesses to a variable must not be merged.
pub(crate) fn is_volatile(attrs: &Attrs) -> bool {
    attrs.volatile
}

/// The constant `value` of integer type `ty`.
pub(crate) fn imm(ty: Ty, value: i64) -> Val {
    Val::Imm(scalar::bits::from_signed(ty, value))
}

/// The constant `value` of real type `ty`.
pub(crate) fn real_imm(ty: Ty, value: f64) -> Val {
    if ty == Ty::F32 { Val::f32(value as f32) } else { Val::f64(value) }
}
