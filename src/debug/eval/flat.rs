//! Objects of the device whose length parameters are known at run time only: where their components are follows from the lengths, which
//! belong to the variable.

use crate::eval::context::{Context, Dim, Object, Store, combined_dims, const_dims};
use crate::eval::value::{Eval, Kind, Value, fail};
use sema::checked::{CharLen, Expr, Field, Program, Shape, Type, TypeId, VarId};

/// A component of such an object.
pub(crate) struct Part {
    /// Bytes from the beginning of the object.
    offset: u64,
    kind: Kind,
    dims: Vec<Dim>,
    lengths: Vec<i64>,
    /// Its length, of an allocatable or a pointer whose characters the lengths decide.
    own_length: Option<u64>,
}

/// Bytes of a descriptor of that rank with what follows it for a component.
fn descriptor_bytes(program: &Program, field: &Field) -> u64 {
    let is_flat = matches!(field.ty, Type::Derived(id) if program.ty(id).is_flat);
    let lengths = if is_flat { 8 * field.lengths.len() as u64 } else { 0 };
    behind_descriptor(field) + lengths
}

/// Where the lengths of a component are that is an allocatable or a pointer, counted from its descriptor.
pub(crate) fn behind_descriptor(field: &Field) -> u64 {
    ir::descriptor::bytes(u32::from(field.shape.rank())) + if field.class { 8 } else { 0 }
}

/// The length parameters of a type with these values, as bounds and lengths name them; those of its parents too.
fn known(program: &Program, id: TypeId, lengths: &[i64]) -> Vec<(VarId, i64)> {
    let line = std::iter::successors(Some(id), |&id| program.ty(id).parent).take(100);
    line.flat_map(|id| program.ty(id).open_parameters().map(|p| p.var).zip(lengths.iter().copied())).collect()
}

fn unknown<T>() -> Eval<T> {
    fail("where the components of this object are is not known here")
}

/// Bytes of an object of a type with these length parameters.
pub(crate) fn object_bytes(program: &Program, id: TypeId, lengths: &[i64]) -> Eval<u64> {
    Ok(lay_out(program, id, lengths, usize::MAX)?.0)
}

/// Goes through the components up to the one with that number; gives where it ends, or how many bytes the object has, and the component.
fn lay_out(program: &Program, id: TypeId, lengths: &[i64], wanted: usize) -> Eval<(u64, Option<Part>)> {
    let def = program.ty(id);
    if lengths.len() < def.open_parameters().count() {
        return unknown();
    }
    let (mut at, mut inherited) = (0u64, 0);
    if let Some(parent) = def.parent {
        let own = &lengths[..program.ty(parent).open_parameters().count().min(lengths.len())];
        let (end, found) = lay_out(program, parent, own, wanted)?;
        if found.is_some() {
            return Ok((end, found));
        }
        at = end;
        inherited = program.ty(parent).fields.len();
    }
    let known = known(program, id, lengths);
    for (number, field) in def.fields.iter().enumerate().skip(inherited).filter(|(_, f)| !f.is_parameter) {
        let offset = at.next_multiple_of(program.part_align(field).max(1));
        let part = part(program, field, &known, offset)?;
        let bytes = if field.is_described() {
            descriptor_bytes(program, field)
        } else {
            let count = part.dims.iter().fold(1u64, |n, d| n.saturating_mul(d.extent.unwrap_or(0).max(0) as u64));
            count.saturating_mul(part.kind.bytes())
        };
        at = offset.saturating_add(bytes);
        if number == wanted {
            return Ok((at, Some(part)));
        }
    }
    Ok((at.next_multiple_of(program.flat_align(&Type::Derived(id)).max(1)), None))
}

/// What a component looks like for these values of the length parameters.
fn part(program: &Program, field: &Field, known: &[(VarId, i64)], offset: u64) -> Eval<Part> {
    let value = |e: &Expr| sema::integer_with(program, e, known);
    let Some(lengths) = field
        .lengths
        .iter()
        .map(|n| match n {
            CharLen::Const(n) => Some(*n),
            CharLen::Expr(e) => value(e),
            // It is kept behind the descriptor.
            CharLen::Assumed | CharLen::Deferred => Some(0),
        })
        .collect::<Option<Vec<i64>>>()
    else {
        return unknown();
    };
    let own = field.own_length.as_deref().or(field.sized.as_ref().and_then(|sized| sized.len.as_ref()));
    let own_length = match own.map(value) {
        Some(Some(n)) => Some(n.max(0) as u64),
        Some(None) => return unknown(),
        None => None,
    };
    if field.is_described() {
        let kind = Kind::Derived(TypeId(0), 0);
        return Ok(Part { offset, kind, dims: Vec::new(), lengths, own_length });
    }
    let kind = match &field.ty {
        Type::Derived(id) if program.ty(*id).is_flat => Kind::Derived(*id, object_bytes(program, *id, &lengths)?),
        ty => Kind::of(program, ty, own_length)?,
    };
    let dims = match &field.sized {
        Some(sized) => {
            let mut stride = kind.bytes() as i64;
            let mut dims = Vec::new();
            for d in &sized.dims {
                let (Some(lower), Some(upper)) = (value(&d.lower), value(&d.upper)) else { return unknown() };
                let extent = upper.saturating_sub(lower).saturating_add(1).max(0);
                dims.push(Dim { lower, extent: Some(extent), stride });
                stride = stride.wrapping_mul(extent);
            }
            dims
        }
        None => match &field.shape {
            Shape::Explicit(_) => const_dims(&field.shape, kind.bytes())?,
            _ => Vec::new(),
        },
    };
    Ok(Part { offset, kind, dims, lengths, own_length })
}

impl Context<'_> {
    /// A component of an object whose lengths are known here.
    pub(crate) fn flat_field(&self, object: &Object, id: TypeId, index: u32) -> Eval<Object> {
        let def = self.checked.ty(id);
        let Some(field) = def.fields.get(index as usize) else { return fail("no such component") };
        if field.is_parameter {
            let at = def.fields[..index as usize].iter().filter(|f| f.is_parameter).count();
            let Some(&n) = object.lengths.get(at) else { return unknown() };
            let value = Value::integer(self.checked, &field.ty, n)?;
            return Ok(super::compiled::constant_object(value));
        }
        let Some(part) = lay_out(self.checked, id, &object.lengths, index as usize)?.1 else { return unknown() };
        let address = match &object.store {
            Store::Memory(address) => address + part.offset,
            Store::Regs(..) | Store::Value(_) => return fail("the component is not available here"),
        };
        if !field.is_described() {
            let dims = combined_dims(object, part.dims)?;
            return Ok(Object { kind: part.kind, store: Store::Memory(address), dims, lengths: part.lengths });
        }
        if !object.dims.is_empty() {
            return fail(format!("`{}` of an array is not an array; use one element", field.name));
        }
        self.described_field(address, field, part.own_length)
    }
}
