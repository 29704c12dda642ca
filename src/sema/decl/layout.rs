//! Bytes and alignment of types.
//!
//! Scalars are aligned to the bytes of one part, at most 8; an object of derived type to its strictest component. An
//! allocatable or pointer component is a descriptor: three `i64` and three more for each dimension, and one more for
//! the type where it is polymorphic.

use crate::checked::{CharLen, Type};
use crate::checker::Checker;

impl Checker<'_> {
    /// Bytes and alignment of a scalar of that type; `None` when the length is not known at compile time.
    pub(crate) fn size_of(&mut self, ty: &Type) -> Option<(u64, u64)> {
        Some(match ty {
            Type::Integer(k) | Type::Real(k) | Type::Logical(k) => (u64::from(*k), u64::from(*k)),
            Type::Complex(k) => (u64::from(*k) * 2, u64::from(*k)),
            Type::Character(CharLen::Const(n)) => ((*n).max(0) as u64, 1),
            Type::Character(_) | Type::Any => return None,
            Type::Derived(id) => {
                self.resolve_type(*id);
                let t = self.defs.ty(*id);
                (t.bytes, t.align)
            }
        })
    }
}
