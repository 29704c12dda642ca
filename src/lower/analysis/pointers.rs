//! Where addresses of C (`type(c_ptr)` and its like) are in objects that C code sees.

use crate::analysis::variables::const_bounds;
use crate::types::const_bytes;
use sema::checked::{Program, Type};

/// Addresses in an object, at most.
const MOST_POINTERS: usize = 1 << 16;

/// Bytes of an element of a type, and the offsets of its addresses, if it has any; `None` if there are too many.
pub(crate) fn element_with_pointers(program: &Program, ty: &Type) -> Option<(u64, Vec<u64>)> {
    let mut pointers = Vec::new();
    add_pointers(program, ty, 0, &mut pointers)?;
    match const_bytes(program, ty) {
        Some(bytes) if !pointers.is_empty() => Some((bytes, pointers)),
        _ => Some((0, Vec::new())),
    }
}

/// Adds the offsets of the addresses in an object at `at`; `None` if there are too many.
fn add_pointers(program: &Program, ty: &Type, at: u64, pointers: &mut Vec<u64>) -> Option<()> {
    let Type::Derived(id) = ty else { return Some(()) };
    let def = program.ty(*id);
    if is_address(&def.name) {
        pointers.push(at);
        return (pointers.len() <= MOST_POINTERS).then_some(());
    }
    for field in def.fields.iter().filter(|field| !(field.allocatable || field.pointer || field.class)) {
        let bounds = const_bounds(&field.shape).zip(const_bytes(program, &field.ty));
        let Some((bounds, size)) = bounds else { continue };
        let count: u64 = bounds.iter().map(|&(_, extent)| extent as u64).product();
        for i in 0..count {
            let before = pointers.len();
            add_pointers(program, &field.ty, at + field.offset + i * size, pointers)?;
            // What the first element does not have, the others have not.
            if pointers.len() == before {
                break;
            }
        }
    }
    Some(())
}

/// Whether a type is one of the addresses of C.
pub(crate) fn is_address(name: &str) -> bool {
    matches!(name, "c_ptr" | "c_funptr" | "c_devptr")
}
