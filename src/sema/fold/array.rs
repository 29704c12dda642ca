//! Constant arrays: element by element operations, elements and sections, and the transformational functions.

use super::number::no_fold;
use super::{MOST_ELEMENTS, Outcome, number};
use crate::checked::Intrinsic as I;
use crate::checked::{BinaryOp, CmpOp, Const, Expr, Type};
use diag::Code;

/// Applies a function to a scalar or to each element.
pub(super) fn map(c: Const, f: &mut dyn FnMut(Const) -> Outcome) -> Outcome {
    match c {
        Const::Array { bounds, items } => {
            let items = items.into_iter().map(f).collect::<Result<Vec<_>, _>>()?;
            Ok(Const::Array { bounds, items })
        }
        scalar => f(scalar),
    }
}

/// Applies a function to two scalars, to an array and a scalar, or to two arrays of one shape.
pub(super) fn zip(a: Const, b: Const, f: &mut dyn FnMut(Const, Const) -> Outcome) -> Outcome {
    map_row(vec![Some(a), Some(b)], &mut |row| match row {
        [Some(a), Some(b)] => f(a.clone(), b.clone()),
        _ => Err(no_fold()),
    })
}

/// Applies a function to argument rows, arrays element by element; scalars are spread.
pub(super) fn map_row(args: Vec<Option<Const>>, f: &mut dyn FnMut(&[Option<Const>]) -> Outcome) -> Outcome {
    let mut shape: Option<Vec<(i64, i64)>> = None;
    for arg in args.iter().flatten() {
        let Const::Array { bounds, .. } = arg else { continue };
        match &shape {
            None => shape = Some(bounds.iter().map(|&(_, extent)| (1, extent)).collect()),
            Some(s) if s.iter().zip(bounds).all(|(a, b)| a.1 == b.1) && s.len() == bounds.len() => {}
            Some(_) => return Err((Code::ShapeMismatch, "constant arrays of different shape".into())),
        }
    }
    let Some(bounds) = shape else { return f(&args) };
    let count = size(&bounds);
    let mut items = Vec::with_capacity(count);
    for i in 0..count {
        let row: Vec<Option<Const>> = args
            .iter()
            .map(|arg| {
                arg.as_ref().map(|c| match c {
                    Const::Array { items, .. } => items.get(i).cloned().unwrap_or(Const::Null),
                    scalar => scalar.clone(),
                })
            })
            .collect();
        items.push(f(&row)?);
    }
    Ok(Const::Array { bounds, items })
}

fn size(bounds: &[(i64, i64)]) -> usize {
    bounds.iter().fold(1, |n: usize, &(_, extent)| n.saturating_mul(extent.max(0) as usize))
}

fn offset(bounds: &[(i64, i64)], index: &[i64]) -> Result<usize, String> {
    let (mut at, mut stride) = (0usize, 1usize);
    for (dim, (&(lower, extent), &i)) in bounds.iter().zip(index).enumerate() {
        if i < lower || i > lower.saturating_add(extent).saturating_sub(1) {
            return Err(format!(
                "subscript {i} is outside {lower}:{} of dimension {}",
                lower.saturating_add(extent).saturating_sub(1),
                dim + 1
            ));
        }
        at += i.wrapping_sub(lower) as usize * stride;
        stride = stride.saturating_mul(extent.max(0) as usize);
    }
    Ok(at)
}

/// An element.
pub(super) fn element(value: &Const, index: &[i64]) -> Result<Const, String> {
    let Const::Array { bounds, items } = value else { return Err("not an array".into()) };
    let at = offset(bounds, index)?;
    items.get(at).cloned().ok_or_else(|| "not an array".into())
}

/// A subscript of a constant section.
pub(super) enum Pick {
    /// One index; the dimension is dropped.
    One(i64),
    /// Several.
    Many(Vec<i64>),
}

/// A section; its lower bounds are 1.
pub(super) fn section(value: &Const, picks: &[Pick]) -> Result<Const, String> {
    let Const::Array { bounds, items } = value else { return Err("not an array".into()) };
    let lists: Vec<Vec<i64>> = picks
        .iter()
        .map(|p| match p {
            Pick::One(i) => vec![*i],
            Pick::Many(list) => list.clone(),
        })
        .collect();
    let out_bounds: Vec<(i64, i64)> = picks
        .iter()
        .filter_map(|p| match p {
            Pick::One(_) => None,
            Pick::Many(list) => Some((1, list.len() as i64)),
        })
        .collect();
    let count = lists.iter().fold(1, |n: usize, list| n.saturating_mul(list.len()));
    let mut out = Vec::with_capacity(count.min(MOST_ELEMENTS));
    for n in 0..count {
        let mut rest = n;
        let index: Vec<i64> = lists
            .iter()
            .map(|list| {
                let i = list[rest % list.len()];
                rest /= list.len();
                i
            })
            .collect();
        let at = offset(bounds, &index)?;
        out.push(items.get(at).cloned().unwrap_or(Const::Null));
    }
    Ok(Const::Array { bounds: out_bounds, items: out })
}

/// A transformational function of constant arrays; `None` when the function is not one of those known here.
pub(super) fn transformational(id: I, args: &[Option<Expr>], values: &[Option<Const>], ty: &Type) -> Option<Outcome> {
    let arg = |i: usize| values.get(i).and_then(Option::as_ref);
    let given = |i: usize| args.get(i).is_some_and(Option::is_some);
    match id {
        I::Sum | I::Product | I::Maxval | I::Minval | I::Iall | I::Iany | I::Iparity if !given(1) => {
            Some(reduce(id, arg(0)?, arg(2), ty))
        }
        I::All | I::Any | I::Count if !given(1) => Some(count(id, arg(0)?)),
        I::Maxloc | I::Minloc => Some(place(id, arg(0)?, given(1), arg(2), arg(4))),
        I::Findloc => Some(find(arg(0)?, arg(1)?, given(2), arg(3), arg(5))),
        I::Pack => Some(pack(arg(0)?, arg(1)?, arg(2))),
        I::Cshift => Some(cshift(arg(0)?, arg(1)?)),
        I::Norm2 if !given(1) => Some(norm2(arg(0)?)),
        I::DotProduct => Some(dot(arg(0)?, arg(1)?, ty)),
        I::Reshape if !given(3) => Some(reshape(arg(0)?, arg(1)?, arg(2))),
        I::Transpose => Some(transpose(arg(0)?)),
        I::Matmul => Some(matmul(arg(0)?, arg(1)?, ty)),
        I::Spread => Some(spread(arg(0)?, arg(1)?, arg(2)?)),
        I::Trim => Some(match arg(0)? {
            Const::Char(text) => {
                let end = text.iter().rposition(|&c| c != b' ').map_or(0, |i| i + 1);
                Ok(Const::Char(text[..end].into()))
            }
            _ => Err(no_fold()),
        }),
        I::Repeat => Some(match (arg(0)?, arg(1)?) {
            (Const::Char(text), Const::Int(n)) if *n >= 0 => {
                let count = usize::try_from(*n).unwrap_or(usize::MAX);
                if text.len().saturating_mul(count) > number::MOST_CHARACTERS {
                    Err((Code::ConstantTooLarge, "character constant is too long".into()))
                } else {
                    Ok(Const::Char(text.repeat(count).into()))
                }
            }
            _ => Err(no_fold()),
        }),
        I::Transfer => Some(transfer(arg(0)?, args, ty)),
        I::Unpack | I::Eoshift | I::Norm2 => Some(Err(no_fold())),
        I::Sum | I::Product | I::Maxval | I::Minval | I::Iall | I::Iany | I::Iparity => Some(Err(no_fold())),
        I::All | I::Any | I::Count | I::Reshape => Some(Err(no_fold())),
        _ => None,
    }
}

fn elements(c: &Const) -> Option<&[Const]> {
    match c {
        Const::Array { items, .. } => Some(items),
        _ => None,
    }
}

fn zero(ty: &Type, value: i64) -> Const {
    match ty {
        Type::Real(4) => Const::Real4(value as f32),
        Type::Real(_) => Const::Real8(value as f64),
        Type::Complex(4) => Const::Complex4(value as f32, 0.0),
        Type::Complex(_) => Const::Complex8(value as f64, 0.0),
        _ => Const::Int(value),
    }
}

fn reduce(id: I, array: &Const, mask: Option<&Const>, ty: &Type) -> Outcome {
    let items = elements(array).ok_or_else(no_fold)?;
    let mut acc: Option<Const> = match id {
        I::Sum | I::Iany | I::Iparity => Some(zero(ty, 0)),
        I::Product => Some(zero(ty, 1)),
        I::Iall => Some(Const::Int(-1)),
        _ => None,
    };
    for (_, item) in items.iter().enumerate().filter(|(i, _)| is_kept(mask, *i)) {
        acc = Some(match (acc, id) {
            (None, _) => item.clone(),
            (Some(a), I::Sum) => number::binary(BinaryOp::Add, ty, &a, item, true)?,
            (Some(a), I::Product) => number::binary(BinaryOp::Mul, ty, &a, item, true)?,
            (Some(Const::Int(a)), I::Iall | I::Iany | I::Iparity) => match item {
                Const::Int(b) if id == I::Iall => Const::Int(a & b),
                Const::Int(b) if id == I::Iany => Const::Int(a | b),
                Const::Int(b) => Const::Int(a ^ b),
                _ => return Err(no_fold()),
            },
            (Some(a), _) => {
                let op = if id == I::Maxval { CmpOp::Gt } else { CmpOp::Lt };
                if number::compare(op, item, &a).ok_or_else(no_fold)? { item.clone() } else { a }
            }
        });
    }
    // An empty maximum is the least value of the type, which only the run time needs.
    acc.ok_or_else(no_fold)
}

fn count(id: I, mask: &Const) -> Outcome {
    let items = elements(mask).ok_or_else(no_fold)?;
    let n = items.iter().filter(|c| matches!(c, Const::Logical(true))).count();
    Ok(match id {
        I::All => Const::Logical(n == items.len()),
        I::Any => Const::Logical(n > 0),
        _ => Const::Int(n as i64),
    })
}

fn is_kept(mask: Option<&Const>, i: usize) -> bool {
    match mask {
        None => true,
        Some(Const::Array { items, .. }) => matches!(items.get(i), Some(Const::Logical(true))),
        Some(c) => matches!(c, Const::Logical(true)),
    }
}

/// The subscripts of an element as MAXLOC and kin give them: counted from 1, zeros where there is none.
fn subscripts(at: Option<usize>, bounds: &[(i64, i64)], scalar: bool) -> Outcome {
    let mut rest = at.unwrap_or(0);
    let mut index = Vec::new();
    for &(_, extent) in bounds {
        let extent = extent.max(1) as usize;
        index.push(Const::Int(if at.is_some() { (rest % extent) as i64 + 1 } else { 0 }));
        rest /= extent;
    }
    match (scalar, index.len()) {
        (true, 1) => Ok(index.remove(0)),
        (true, _) => Err(no_fold()),
        (false, n) => Ok(Const::Array { bounds: vec![(1, n as i64)], items: index }),
    }
}

fn place(id: I, array: &Const, scalar: bool, mask: Option<&Const>, back: Option<&Const>) -> Outcome {
    let Const::Array { bounds, items } = array else { return Err(no_fold()) };
    let from_back = matches!(back, Some(Const::Logical(true)));
    let op = match (id, from_back) {
        (I::Maxloc, false) => CmpOp::Gt,
        (I::Maxloc, true) => CmpOp::Ge,
        (_, false) => CmpOp::Lt,
        (_, true) => CmpOp::Le,
    };
    let mut best: Option<usize> = None;
    for (i, item) in items.iter().enumerate().filter(|(i, _)| is_kept(mask, *i)) {
        let better = match best {
            None => true,
            Some(b) => number::compare(op, item, &items[b]).ok_or_else(no_fold)?,
        };
        if better {
            best = Some(i);
        }
    }
    subscripts(best, bounds, scalar)
}

fn find(array: &Const, value: &Const, scalar: bool, mask: Option<&Const>, back: Option<&Const>) -> Outcome {
    let Const::Array { bounds, items } = array else { return Err(no_fold()) };
    let hit = |i: usize| is_kept(mask, i) && number::compare(CmpOp::Eq, &items[i], value) == Some(true);
    let at = if matches!(back, Some(Const::Logical(true))) {
        (0..items.len()).rev().find(|i| hit(*i))
    } else {
        (0..items.len()).find(|i| hit(*i))
    };
    subscripts(at, bounds, scalar)
}

fn pack(array: &Const, mask: &Const, vector: Option<&Const>) -> Outcome {
    let items = elements(array).ok_or_else(no_fold)?;
    let mut out: Vec<Const> =
        items.iter().enumerate().filter(|(i, _)| is_kept(Some(mask), *i)).map(|(_, c)| c.clone()).collect();
    if let Some(rest) = vector.and_then(elements) {
        out.extend(rest.iter().skip(out.len()).cloned());
    }
    Ok(Const::Array { bounds: vec![(1, out.len() as i64)], items: out })
}

fn cshift(array: &Const, shift: &Const) -> Outcome {
    let (Const::Array { bounds, items }, Const::Int(shift)) = (array, shift) else { return Err(no_fold()) };
    if bounds.len() != 1 || items.is_empty() {
        return Err(no_fold());
    }
    let mut items = items.clone();
    let by = shift.rem_euclid(items.len() as i64) as usize;
    items.rotate_left(by);
    Ok(Const::Array { bounds: vec![(1, items.len() as i64)], items })
}

fn spread(source: &Const, dim: &Const, copies: &Const) -> Outcome {
    let (Const::Int(dim), Const::Int(copies)) = (dim, copies) else { return Err(no_fold()) };
    let copies = (*copies).clamp(0, MOST_ELEMENTS as i64) as usize;
    let (bounds, items) = match source {
        Const::Array { bounds, items } => (bounds.clone(), items.clone()),
        scalar => (Vec::new(), vec![scalar.clone()]),
    };
    let at = (*dim - 1).clamp(0, bounds.len() as i64) as usize;
    // Elements below the new dimension stay together and are repeated as a run.
    let run = size(&bounds[..at]).max(1);
    if items.len().saturating_mul(copies) > MOST_ELEMENTS {
        return Err((Code::ConstantTooLarge, "constant array is too large to be computed at compile time".into()));
    }
    let mut out = Vec::with_capacity(items.len() * copies);
    for chunk in items.chunks(run) {
        for _ in 0..copies {
            out.extend_from_slice(chunk);
        }
    }
    let mut bounds: Vec<(i64, i64)> = bounds.iter().map(|b| (1, b.1)).collect();
    bounds.insert(at, (1, copies as i64));
    Ok(Const::Array { bounds, items: out })
}

fn norm2(array: &Const) -> Outcome {
    let items = elements(array).ok_or_else(no_fold)?;
    let mut sum = 0.0;
    let mut single = false;
    for item in items {
        sum += match item {
            Const::Real4(v) => {
                single = true;
                f64::from(*v) * f64::from(*v)
            }
            Const::Real8(v) => v * v,
            _ => return Err(no_fold()),
        };
    }
    Ok(if single { Const::Real4(sum.sqrt() as f32) } else { Const::Real8(sum.sqrt()) })
}

fn dot(a: &Const, b: &Const, ty: &Type) -> Outcome {
    let (a, b) = (elements(a).ok_or_else(no_fold)?, elements(b).ok_or_else(no_fold)?);
    if a.len() != b.len() {
        return Err((Code::ShapeMismatch, "vectors of different length".into()));
    }
    let mut acc = zero(ty, 0);
    for (x, y) in a.iter().zip(b) {
        if matches!(x, Const::Logical(_) | Const::Complex4(..) | Const::Complex8(..)) {
            return Err(no_fold());
        }
        let product = number::binary(BinaryOp::Mul, ty, x, y, true)?;
        acc = number::binary(BinaryOp::Add, ty, &acc, &product, true)?;
    }
    Ok(acc)
}

fn reshape(source: &Const, shape: &Const, pad: Option<&Const>) -> Outcome {
    let items = elements(source).ok_or_else(no_fold)?;
    let mut bounds = Vec::new();
    for extent in elements(shape).ok_or_else(no_fold)? {
        let Const::Int(extent) = extent else { return Err(no_fold()) };
        bounds.push((1, (*extent).max(0)));
    }
    let count = bounds.iter().try_fold(1usize, |n, &(_, e)| n.checked_mul(e as usize).filter(|n| *n <= MOST_ELEMENTS));
    let Some(count) = count else {
        return Err((Code::ConstantTooLarge, "constant array is too large to be computed at compile time".into()));
    };
    let mut out: Vec<Const> = items.iter().take(count).cloned().collect();
    if out.len() < count {
        match pad.and_then(elements) {
            Some(pad) if !pad.is_empty() => {
                let missing = count - out.len();
                out.extend(pad.iter().cycle().take(missing).cloned());
            }
            _ => {
                let text = format!("`reshape` of {} elements into {count} without `pad`", out.len());
                return Err((Code::ShapeMismatch, text));
            }
        }
    }
    Ok(Const::Array { bounds, items: out })
}

fn transpose(matrix: &Const) -> Outcome {
    let Const::Array { bounds, items } = matrix else { return Err(no_fold()) };
    let [(_, rows), (_, columns)] = bounds[..] else { return Err(no_fold()) };
    let mut out = Vec::with_capacity(items.len());
    for r in 0..rows {
        for c in 0..columns {
            out.push(items.get((r + c * rows) as usize).cloned().ok_or_else(no_fold)?);
        }
    }
    Ok(Const::Array { bounds: vec![(1, columns), (1, rows)], items: out })
}

fn matmul(a: &Const, b: &Const, ty: &Type) -> Outcome {
    let (Const::Array { bounds: ab, items: ai }, Const::Array { bounds: bb, items: bi }) = (a, b) else {
        return Err(no_fold());
    };
    let (rows, inner) = if ab.len() == 2 { (ab[0].1, ab[1].1) } else { (1, ab[0].1) };
    let (depth, columns) = if bb.len() == 2 { (bb[0].1, bb[1].1) } else { (bb[0].1, 1) };
    if inner != depth {
        return Err((Code::ShapeMismatch, format!("`matmul` of {inner} columns and {depth} rows")));
    }
    let mut out = Vec::new();
    for c in 0..columns {
        for r in 0..rows {
            let mut acc = zero(ty, 0);
            for k in 0..inner {
                let x = ai.get((r + k * rows) as usize).ok_or_else(no_fold)?;
                let y = bi.get((k + c * depth) as usize).ok_or_else(no_fold)?;
                let product = number::binary(BinaryOp::Mul, ty, x, y, true)?;
                acc = number::binary(BinaryOp::Add, ty, &acc, &product, true)?;
            }
            out.push(acc);
        }
    }
    let mut bounds = Vec::new();
    if ab.len() == 2 {
        bounds.push((1, rows));
    }
    if bb.len() == 2 {
        bounds.push((1, columns));
    }
    Ok(Const::Array { bounds, items: out })
}

/// `transfer` between numeric scalars of one size.
fn transfer(source: &Const, args: &[Option<Expr>], ty: &Type) -> Outcome {
    if args.get(2).is_some_and(Option::is_some) || args.get(1).and_then(Option::as_ref).is_none_or(|m| m.rank > 0) {
        return Err(no_fold());
    }
    let Some(from) = args.first().and_then(Option::as_ref).map(|a| &a.ty) else { return Err(no_fold()) };
    let bits = match (source, from) {
        (Const::Int(v), Type::Integer(4)) => (*v as u32 as u64, 4),
        (Const::Int(v), Type::Integer(8)) => (*v as u64, 8),
        (Const::Real4(v), _) => (u64::from(v.to_bits()), 4),
        (Const::Real8(v), _) => (v.to_bits(), 8),
        _ => return Err(no_fold()),
    };
    match (ty, bits.1) {
        (Type::Integer(4), 4) => Ok(Const::Int(bits.0 as u32 as i32 as i64)),
        (Type::Integer(8), 8) => Ok(Const::Int(bits.0 as i64)),
        (Type::Real(4), 4) => Ok(Const::Real4(f32::from_bits(bits.0 as u32))),
        (Type::Real(8), 8) => Ok(Const::Real8(f64::from_bits(bits.0))),
        _ => Err(no_fold()),
    }
}
