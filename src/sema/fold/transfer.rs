//! TRANSFER of constants: values as the bytes that they have in memory.
//!
//! Not here: objects with allocatable or pointer components, whose values no constant has.

use super::number::no_fold;
use super::{MOST_ELEMENTS, Outcome};
use crate::checked::{CharLen, Const, DerivedType, Expr, Field, Program, Shape, Type, TypeId};
use diag::Code;

/// Bytes of a result at most.
const MOST_BYTES: usize = 8 * MOST_ELEMENTS;

/// The value of `transfer(source, mold, size)`.
pub(super) fn transfer(
    program: &Program,
    source: &Const,
    args: &[Option<Expr>],
    size: Option<&Const>,
    ty: &Type,
) -> Outcome {
    let (Some(Some(from)), Some(Some(mold))) = (args.first(), args.get(1)) else { return Err(no_fold()) };
    let mut bytes = Vec::new();
    encode(program, source, &from.ty, &mut bytes)?;
    let step = size_of(program, ty).ok_or_else(no_fold)?;
    let count = match size {
        Some(Const::Int(n)) => usize::try_from(*n).unwrap_or(0),
        Some(_) => return Err(no_fold()),
        None if mold.rank == 0 => 1,
        None if step == 0 => return Err(no_fold()),
        None => bytes.len().div_ceil(step),
    };
    if count > MOST_ELEMENTS || count.saturating_mul(step) > MOST_BYTES {
        return Err((Code::ConstantTooLarge, "constant array is too large to be computed at compile time".into()));
    }
    bytes.resize(bytes.len().max(count * step), 0);
    let items = (0..count).map(|i| decode(program, &bytes[i * step..(i + 1) * step], ty)).collect::<Option<Vec<_>>>();
    let mut items = items.ok_or_else(no_fold)?;
    if mold.rank == 0 && size.is_none() {
        return items.pop().ok_or_else(no_fold);
    }
    Ok(Const::Array { bounds: vec![(1, items.len() as i64)], items })
}

/// The bytes of an initial value, in the order of memory; none where it leaves them open. `None` for values that are no bytes.
pub(crate) fn encoded(program: &Program, value: &Const, ty: &Type) -> Option<Vec<Option<u8>>> {
    match value {
        Const::Array { items, .. } => {
            let parts = items.iter().map(|item| encoded(program, item, ty)).collect::<Option<Vec<_>>>()?;
            Some(parts.concat())
        }
        Const::Null => Some(vec![None; size_of(program, ty)?]),
        _ => {
            let mut bytes = Vec::new();
            encode(program, value, ty, &mut bytes).ok()?;
            Some(bytes.into_iter().map(Some).collect())
        }
    }
}

/// The bytes that default initialisation gives an object of a type; none where it gives none.
pub(crate) fn default_bytes(program: &Program, id: TypeId) -> Option<Vec<Option<u8>>> {
    let mut out = vec![None; size_of(program, &Type::Derived(id))?];
    for field in &program.ty(id).fields {
        let Some(count) = elements(field) else { continue };
        // A scalar gives every element of an array component.
        let given = match (&field.init, &field.ty) {
            (Some(value), ty) => encoded(program, value, ty)?,
            (None, Type::Derived(inner)) => default_bytes(program, *inner)?,
            _ => continue,
        };
        let places = out.iter_mut().skip(field.offset as usize).take(size_of(program, &field.ty)? * count);
        places.zip(given.iter().cycle()).for_each(|(place, byte)| *place = *byte);
    }
    Some(out)
}

/// The value of a type that is not character whose bytes are these, with blanks behind them.
pub(crate) fn of_characters(program: &Program, characters: &[u8], ty: &Type) -> Option<Const> {
    let mut bytes = characters.to_vec();
    bytes.resize(size_of(program, ty)?, b' ');
    decode(program, &bytes, ty)
}

/// Bytes of an element.
fn size_of(program: &Program, ty: &Type) -> Option<usize> {
    Some(match ty {
        Type::Integer(k) | Type::Real(k) | Type::Logical(k) => usize::from(*k),
        Type::Complex(k) => 2 * usize::from(*k),
        Type::Character(CharLen::Const(n)) => usize::try_from(*n).unwrap_or(0),
        Type::Derived(id) if program.ty(*id).is_made => return None,
        Type::Derived(id) => usize::try_from(program.ty(*id).bytes).ok().filter(|n| *n <= MOST_BYTES)?,
        _ => return None,
    })
}

/// How many elements a component has; `None` if its value is elsewhere.
fn elements(field: &Field) -> Option<usize> {
    match &field.shape {
        _ if field.allocatable || field.pointer => None,
        Shape::Scalar => Some(1),
        shape => shape.constant_bounds().map(|b| b.iter().map(|d| d.1.max(0) as usize).product()),
    }
}

fn encode(program: &Program, value: &Const, ty: &Type, out: &mut Vec<u8>) -> Result<(), (Code, String)> {
    match value {
        Const::Array { items, .. } => items.iter().try_for_each(|item| encode(program, item, ty, out))?,
        Const::Int(v) => {
            let size = size_of(program, ty).filter(|n| *n <= 8).ok_or_else(no_fold)?;
            out.extend_from_slice(&v.to_le_bytes()[..size]);
        }
        // .true. has all its bits set in memory.
        Const::Logical(v) => {
            out.resize(out.len() + size_of(program, ty).ok_or_else(no_fold)?, if *v { 0xff } else { 0 });
        }
        Const::Real2(bits) => out.extend_from_slice(&bits.to_le_bytes()),
        Const::Real4(v) => out.extend_from_slice(&v.to_le_bytes()),
        Const::Real8(v) => out.extend_from_slice(&v.to_le_bytes()),
        Const::Complex4(re, im) => out.extend([re.to_le_bytes(), im.to_le_bytes()].concat()),
        Const::Complex8(re, im) => out.extend([re.to_le_bytes(), im.to_le_bytes()].concat()),
        Const::Char(text) => out.extend_from_slice(text),
        Const::Derived(values) => {
            let Type::Derived(id) = ty else { return Err(no_fold()) };
            if program.ty(*id).is_made {
                return encode_flat(program, values, *id, out);
            }
            encode_object(program, values, program.ty(*id), out)?;
        }
        Const::Null => return Err(no_fold()),
    }
    Ok(())
}

fn encode_object(
    program: &Program,
    values: &[Const],
    ty: &DerivedType,
    out: &mut Vec<u8>,
) -> Result<(), (Code, String)> {
    let first = out.len();
    for (field, value) in ty.fields.iter().zip(values) {
        let count = elements(field).ok_or_else(no_fold)?;
        let mut piece = Vec::new();
        match value {
            // A scalar is the value of all elements.
            scalar if !matches!(scalar, Const::Array { .. }) => {
                (0..count).try_for_each(|_| encode(program, scalar, &field.ty, &mut piece))?;
            }
            array => encode(program, array, &field.ty, &mut piece)?,
        }
        put(out, first + field.offset as usize, &piece);
    }
    out.resize(first + ty.bytes as usize, 0);
    Ok(())
}

/// An object with length parameters as if they belonged to its type: the components in order at their natural alignment.
fn encode_flat(program: &Program, values: &[Const], id: TypeId, out: &mut Vec<u8>) -> Result<(), (Code, String)> {
    let (first, def) = (out.len(), program.ty(id));
    let inherited = def.parent.map_or(0, |parent| program.ty(parent).fields.len());
    if let (Some(parent), Some(values)) = (def.parent, values.get(..inherited)) {
        encode_flat(program, values, parent, out)?;
    }
    let parts = def.fields.iter().zip(values).skip(inherited);
    for (field, value) in parts.filter(|(field, _)| !field.is_parameter) {
        if field.pointer || field.is_allocatable() {
            return Err(no_fold());
        }
        let at = (out.len() - first).next_multiple_of(flat_align(program, &field.ty));
        out.resize(first + at, 0);
        encode(program, value, &field.ty, out)?;
    }
    let bytes = (out.len() - first).next_multiple_of(flat_align(program, &Type::Derived(id)));
    out.resize(first + bytes, 0);
    Ok(())
}

/// What the address of such an object, or of another value, is a multiple of.
fn flat_align(program: &Program, ty: &Type) -> usize {
    match ty {
        Type::Integer(k) | Type::Real(k) | Type::Logical(k) | Type::Complex(k) => usize::from(*k),
        Type::Character(_) | Type::Any => 1,
        Type::Derived(id) if program.ty(*id).is_made => {
            let fields = program.ty(*id).fields.iter().filter(|field| !field.is_parameter);
            fields.map(|field| flat_align(program, &field.ty)).max().unwrap_or(1)
        }
        Type::Derived(id) => (program.ty(*id).align as usize).max(1),
    }
}

/// Puts bytes at a place. Where other components lie, those of a union, zeros change nothing.
fn put(out: &mut Vec<u8>, at: usize, piece: &[u8]) {
    let covered = out.len().saturating_sub(at).min(piece.len());
    out.resize(out.len().max(at), 0);
    for (byte, &new) in out[at..].iter_mut().zip(&piece[..covered]) {
        *byte = if new == 0 { *byte } else { new };
    }
    out.extend_from_slice(&piece[covered..]);
}

fn decode(program: &Program, bytes: &[u8], ty: &Type) -> Option<Const> {
    let four = |at: usize| Some(f32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?));
    let eight = |at: usize| Some(f64::from_le_bytes(bytes.get(at..at + 8)?.try_into().ok()?));
    Some(match ty {
        Type::Integer(_) => {
            let bits = bytes.iter().rfold(0, |n: u64, &b| n << 8 | u64::from(b));
            let unused = 64 - 8 * (bytes.len() as u32).min(8);
            Const::Int((bits << unused) as i64 >> unused)
        }
        Type::Logical(_) => Const::Logical(bytes.first().is_some_and(|b| *b & 1 != 0)),
        Type::Real(2) => Const::Real2(u16::from_le_bytes(bytes.get(..2)?.try_into().ok()?)),
        Type::Real(4) => Const::Real4(four(0)?),
        Type::Real(_) => Const::Real8(eight(0)?),
        Type::Complex(4) => Const::Complex4(four(0)?, four(4)?),
        Type::Complex(_) => Const::Complex8(eight(0)?, eight(8)?),
        Type::Character(_) => Const::Char(bytes.into()),
        Type::Derived(id) => {
            let fields = program.ty(*id).fields.iter().map(|field| decode_field(program, bytes, field));
            Const::Derived(fields.collect::<Option<Vec<_>>>()?)
        }
        Type::Any => return None,
    })
}

fn decode_field(program: &Program, bytes: &[u8], field: &Field) -> Option<Const> {
    let (count, step) = (elements(field)?, size_of(program, &field.ty)?);
    let first = usize::try_from(field.offset).ok()?;
    let one = |i: usize| decode(program, bytes.get(first + i * step..first + (i + 1) * step)?, &field.ty);
    match &field.shape {
        Shape::Scalar => one(0),
        shape => {
            Some(Const::Array { bounds: shape.constant_bounds()?, items: (0..count).map(one).collect::<Option<_>>()? })
        }
    }
}
