//! TRANSFER of constants: values as the bytes that they have in memory.
//!
//! Not here: objects of derived type, whose layout only the run time needs.

use super::number::no_fold;
use super::{MOST_ELEMENTS, Outcome};
use crate::checked::{CharLen, Const, Expr, Type};
use diag::Code;

/// Bytes of a result at most.
const MOST_BYTES: usize = 8 * MOST_ELEMENTS;

/// The value of `transfer(source, mold, size)`.
pub(super) fn transfer(source: &Const, args: &[Option<Expr>], size: Option<&Const>, ty: &Type) -> Outcome {
    let (Some(Some(from)), Some(Some(mold))) = (args.first(), args.get(1)) else { return Err(no_fold()) };
    let mut bytes = Vec::new();
    encode(source, &from.ty, &mut bytes)?;
    let step = size_of(ty).ok_or_else(no_fold)?;
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
    let items = (0..count).map(|i| decode(&bytes[i * step..(i + 1) * step], ty)).collect::<Option<Vec<_>>>();
    let mut items = items.ok_or_else(no_fold)?;
    if mold.rank == 0 && size.is_none() {
        return items.pop().ok_or_else(no_fold);
    }
    Ok(Const::Array { bounds: vec![(1, items.len() as i64)], items })
}

/// Bytes of an element.
fn size_of(ty: &Type) -> Option<usize> {
    Some(match ty {
        Type::Integer(k) | Type::Real(k) | Type::Logical(k) => usize::from(*k),
        Type::Complex(k) => 2 * usize::from(*k),
        Type::Character(CharLen::Const(n)) => usize::try_from(*n).unwrap_or(0),
        _ => return None,
    })
}

fn encode(value: &Const, ty: &Type, out: &mut Vec<u8>) -> Result<(), (Code, String)> {
    match value {
        Const::Array { items, .. } => items.iter().try_for_each(|item| encode(item, ty, out))?,
        Const::Int(v) => {
            let size = size_of(ty).filter(|n| *n <= 8).ok_or_else(no_fold)?;
            out.extend_from_slice(&v.to_le_bytes()[..size]);
        }
        // .true. has all its bits set in memory.
        Const::Logical(v) => out.resize(out.len() + size_of(ty).ok_or_else(no_fold)?, if *v { 0xff } else { 0 }),
        Const::Real4(v) => out.extend_from_slice(&v.to_le_bytes()),
        Const::Real8(v) => out.extend_from_slice(&v.to_le_bytes()),
        Const::Complex4(re, im) => out.extend([re.to_le_bytes(), im.to_le_bytes()].concat()),
        Const::Complex8(re, im) => out.extend([re.to_le_bytes(), im.to_le_bytes()].concat()),
        Const::Char(text) => out.extend_from_slice(text),
        Const::Derived(_) | Const::Null => return Err(no_fold()),
    }
    Ok(())
}

fn decode(bytes: &[u8], ty: &Type) -> Option<Const> {
    let four = |at: usize| Some(f32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?));
    let eight = |at: usize| Some(f64::from_le_bytes(bytes.get(at..at + 8)?.try_into().ok()?));
    Some(match ty {
        Type::Integer(_) => {
            let bits = bytes.iter().rfold(0, |n: u64, &b| n << 8 | u64::from(b));
            let unused = 64 - 8 * (bytes.len() as u32).min(8);
            Const::Int((bits << unused) as i64 >> unused)
        }
        Type::Logical(_) => Const::Logical(bytes.iter().any(|b| *b != 0)),
        Type::Real(4) => Const::Real4(four(0)?),
        Type::Real(_) => Const::Real8(eight(0)?),
        Type::Complex(4) => Const::Complex4(four(0)?, four(4)?),
        Type::Complex(_) => Const::Complex8(eight(0)?, eight(8)?),
        Type::Character(_) => Const::Char(bytes.into()),
        _ => return None,
    })
}
