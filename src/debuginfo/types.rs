//! DWARF entries of source types, each made once, when it is first needed.

use gimli::constants as dw;
use gimli::write::{AttributeValue, Expression, Unit, UnitEntryId};
use ir::{DebugTypeId, DebugTypeKind, Module, Val, VarShape, descriptor};
use std::collections::BTreeMap;

/// The type entries of a unit.
pub(crate) struct Types<'a> {
    module: &'a Module,
    scalars: BTreeMap<DebugTypeId, UnitEntryId>,
}

/// The extent of a dimension whose extent is not constant, where one is needed.
const LARGEST_EXTENT: i64 = i32::MAX as i64;

/// A bound of a dimension.
enum Bound {
    Known(i64),
    /// At that byte offset in the descriptor.
    Described(i64),
    Unknown,
}

/// A string without what gimli refuses.
pub(crate) fn text(name: &str) -> Vec<u8> {
    let clean: Vec<u8> = name.bytes().filter(|&b| b != 0).collect();
    if clean.is_empty() { b"?".to_vec() } else { clean }
}

impl<'a> Types<'a> {
    pub(crate) fn new(module: &'a Module) -> Types<'a> {
        Types { module, scalars: BTreeMap::new() }
    }

    /// The entry of the type of an object of that shape.
    pub(crate) fn shaped(&mut self, unit: &mut Unit, ty: DebugTypeId, shape: &VarShape) -> UnitEntryId {
        let element = self.element(unit, ty);
        match shape {
            VarShape::Scalar => element,
            VarShape::Array(dims) => {
                let known = |v: Val| match v {
                    Val::Imm(bits) => Bound::Known(bits as i64),
                    Val::Reg(_) => Bound::Unknown,
                };
                let dims = dims
                    .iter()
                    .map(|&(lower, extent, _)| (known(lower), extent.map_or(Bound::Unknown, known), Bound::Unknown));
                array(unit, element, dims.collect())
            }
            VarShape::Described(rank) => described(unit, element, *rank),
        }
    }

    /// The entry of the type of the address of an object, which a debugger follows by itself where it can: a reference to a scalar, a
    /// pointer to an array (gdb takes subscripts of that for those of the array).
    ///
    /// gdb wants to know the size of what it follows. So a last dimension whose extent is not constant has the largest extent, and
    /// where other extents are not constant, the address is a pointer to the first element.
    pub(crate) fn addressed(
        &mut self,
        unit: &mut Unit,
        ty: DebugTypeId,
        shape: &VarShape,
        class: Option<u8>,
    ) -> UnitEntryId {
        let (tag, object) = match shape {
            VarShape::Scalar => (dw::DW_TAG_reference_type, self.element(unit, ty)),
            VarShape::Array(dims) => {
                let last = dims.len().saturating_sub(1);
                let known = |(i, &(lower, extent, _)): (usize, &(Val, Option<Val>, Val))| match (lower, extent) {
                    (Val::Imm(l), Some(Val::Imm(e))) => {
                        Some((Bound::Known(l as i64), Bound::Known(e as i64), Bound::Unknown))
                    }
                    (Val::Imm(l), _) if i == last => {
                        Some((Bound::Known(l as i64), Bound::Known(LARGEST_EXTENT), Bound::Unknown))
                    }
                    _ => None,
                };
                let element = self.element(unit, ty);
                match dims.iter().enumerate().map(known).collect() {
                    Some(dims) => (dw::DW_TAG_pointer_type, array(unit, element, dims)),
                    None => (dw::DW_TAG_pointer_type, element),
                }
            }
            VarShape::Described(_) => (dw::DW_TAG_pointer_type, self.element(unit, ty)),
        };
        let id = unit.add(unit.root(), tag);
        let entry = unit.get_mut(id);
        entry.set(dw::DW_AT_type, AttributeValue::UnitRef(object));
        entry.set(dw::DW_AT_byte_size, fixed(8));
        if let Some(class) = class {
            entry.set(dw::DW_AT_address_class, AttributeValue::Data1(class));
        }
        id
    }

    /// The entry of the type of one element.
    fn element(&mut self, unit: &mut Unit, ty: DebugTypeId) -> UnitEntryId {
        if let Some(&entry) = self.scalars.get(&ty) {
            return entry;
        }
        let root = unit.root();
        let Some(source) = self.module.types.get(ty.index()) else {
            return unit.add(root, dw::DW_TAG_unspecified_type);
        };
        let base = |unit: &mut Unit, encoding: dw::DwAte| {
            let entry = unit.add(root, dw::DW_TAG_base_type);
            unit.get_mut(entry).set(dw::DW_AT_encoding, AttributeValue::Data1(encoding.0));
            entry
        };
        let entry = match &source.kind {
            DebugTypeKind::Integer => base(unit, dw::DW_ATE_signed),
            DebugTypeKind::Real => base(unit, dw::DW_ATE_float),
            DebugTypeKind::Complex => base(unit, dw::DW_ATE_complex_float),
            DebugTypeKind::Logical => base(unit, dw::DW_ATE_boolean),
            DebugTypeKind::Character(_) => unit.add(root, dw::DW_TAG_string_type),
            DebugTypeKind::Derived(_) => unit.add(root, dw::DW_TAG_structure_type),
        };
        // In the table before its components, which may be pointers to the type itself.
        self.scalars.insert(ty, entry);
        unit.get_mut(entry).set(dw::DW_AT_name, AttributeValue::String(text(&source.name)));
        unit.get_mut(entry).set(dw::DW_AT_byte_size, fixed(source.bytes));
        if let DebugTypeKind::Derived(fields) = &source.kind {
            for field in fields {
                let element = self.element(unit, field.ty);
                let ty = match field.described {
                    Some(rank) => described(unit, element, rank),
                    None if field.bounds.is_empty() => element,
                    None => {
                        let dims = field.bounds.iter();
                        let known = |&(l, e): &(i64, i64)| (Bound::Known(l), Bound::Known(e), Bound::Unknown);
                        array(unit, element, dims.map(known).collect())
                    }
                };
                let member = unit.add(entry, dw::DW_TAG_member);
                let offset = if unit.version() < 3 {
                    let mut place = Expression::new();
                    place.op_plus_uconst(field.offset);
                    AttributeValue::Exprloc(place)
                } else {
                    fixed(field.offset)
                };
                let member = unit.get_mut(member);
                member.set(dw::DW_AT_name, AttributeValue::String(text(&field.name)));
                member.set(dw::DW_AT_type, AttributeValue::UnitRef(ty));
                member.set(dw::DW_AT_data_member_location, offset);
            }
        }
        entry
    }
}

/// A number in a form of fixed width: ptxas reads no others.
pub(crate) fn fixed(number: u64) -> AttributeValue {
    u32::try_from(number).map_or(AttributeValue::Data8(number), AttributeValue::Data4)
}

/// The value at a byte offset of the object, which is a descriptor.
fn in_descriptor(offset: i64) -> AttributeValue {
    let mut place = Expression::new();
    place.op(dw::DW_OP_push_object_address);
    place.op_plus_uconst(offset as u64);
    place.op_deref();
    AttributeValue::Exprloc(place)
}

/// An array whose base and bounds are in the descriptor that is its object.
fn described(unit: &mut Unit, element: UnitEntryId, rank: u32) -> UnitEntryId {
    if rank == 0 {
        let entry = unit.add(unit.root(), dw::DW_TAG_pointer_type);
        unit.get_mut(entry).set(dw::DW_AT_type, AttributeValue::UnitRef(element));
        return entry;
    }
    let dim = |d: u32| {
        let at = |offset| Bound::Described(offset);
        (at(descriptor::lower(d)), at(descriptor::extent(d)), at(descriptor::stride(d)))
    };
    let entry = array(unit, element, (0..rank.min(15)).map(dim).collect());
    unit.get_mut(entry).set(dw::DW_AT_data_location, in_descriptor(descriptor::BASE));
    entry
}

/// An array of (lower bound, extent, stride in bytes) per dimension.
fn array(unit: &mut Unit, element: UnitEntryId, dims: Vec<(Bound, Bound, Bound)>) -> UnitEntryId {
    let entry = unit.add(unit.root(), dw::DW_TAG_array_type);
    unit.get_mut(entry).set(dw::DW_AT_type, AttributeValue::UnitRef(element));
    for (lower, extent, stride) in dims {
        let range = unit.add(entry, dw::DW_TAG_subrange_type);
        let range = unit.get_mut(range);
        match (&lower, &extent) {
            (Bound::Known(l), Bound::Known(e)) => {
                range.set(dw::DW_AT_upper_bound, AttributeValue::Sdata(l.wrapping_add(*e).wrapping_sub(1)));
            }
            (_, Bound::Described(offset)) => range.set(dw::DW_AT_count, in_descriptor(*offset)),
            _ => {}
        }
        match lower {
            Bound::Known(l) => range.set(dw::DW_AT_lower_bound, AttributeValue::Sdata(l)),
            Bound::Described(offset) => range.set(dw::DW_AT_lower_bound, in_descriptor(offset)),
            Bound::Unknown => {}
        }
        if let Bound::Described(offset) = stride {
            range.set(dw::DW_AT_byte_stride, in_descriptor(offset));
        }
    }
    entry
}
