//! Bytes and alignment of types.
//!
//! Scalars are aligned to the bytes of one part, at most 8; an object of derived type to its strictest component. An
//! allocatable or pointer component is a descriptor: three `i64` and three more for each dimension, and one more for
//! the type where it is polymorphic.

use crate::checked::{CharLen, Type, TypeId};
use crate::checker::Checker;
use crate::typing::elements_of;
use ast::TypeItem;

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

    /// Puts components of a structure with unions where they belong, the first one at `at`; gives where they end. In a UNION
    /// each MAP begins where the others do.
    pub(super) fn lay_out(&mut self, id: TypeId, items: &[TypeItem], mut at: u64) -> u64 {
        for item in items {
            match item {
                TypeItem::Field(field) => {
                    for e in &field.entities {
                        let fields = &self.defs.ty(id).fields;
                        let Some(place) = fields.iter().position(|f| f.name == e.name.text) else { continue };
                        let (bytes, align) = self.extent_of(id, place);
                        let offset = at.next_multiple_of(align);
                        self.defs.ty_mut(id).fields[place].offset = offset;
                        at = offset.saturating_add(bytes);
                    }
                }
                TypeItem::Union(maps) => {
                    let first = at.next_multiple_of(self.strictest(id, items_of(maps)));
                    at = maps.iter().fold(first, |end, map| end.max(self.lay_out(id, map, first)));
                }
                _ => {}
            }
        }
        at
    }

    /// The alignment of what a union holds.
    fn strictest(&mut self, id: TypeId, items: Vec<&TypeItem>) -> u64 {
        let mut strictest = 1;
        for item in items {
            strictest = strictest.max(match item {
                TypeItem::Union(maps) => self.strictest(id, items_of(maps)),
                TypeItem::Field(field) => {
                    let named = |name| self.defs.ty(id).fields.iter().position(|f| f.name == name);
                    let places: Vec<usize> = field.entities.iter().filter_map(|e| named(e.name.text.clone())).collect();
                    places.into_iter().map(|place| self.extent_of(id, place).1).max().unwrap_or(1)
                }
                _ => 1,
            });
        }
        strictest
    }

    /// Bytes and alignment of a component of a structure, which has no descriptor.
    fn extent_of(&mut self, id: TypeId, place: usize) -> (u64, u64) {
        let field = self.defs.ty(id).fields[place].clone();
        let (bytes, align) = self.size_of(&field.ty).unwrap_or((0, 1));
        (bytes.saturating_mul(elements_of(&field.shape).unwrap_or(0)), align.max(1))
    }
}

/// What all MAPs of a union hold.
fn items_of(maps: &[Vec<TypeItem>]) -> Vec<&TypeItem> {
    maps.iter().flatten().collect()
}
