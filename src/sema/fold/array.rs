//! Constant arrays: element by element operations, elements and sections, and the transformational functions.
//!
//! Not here: reductions and searches (`reduction`), TRANSFER (`transfer`).

use super::number::no_fold;
use super::{MOST_ELEMENTS, Outcome, number, reduction, transfer};
use crate::checked::Intrinsic as I;
use crate::checked::{BinaryOp, Const, Expr, LogicOp, Program, Type};
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

/// SIZE, SHAPE, LBOUND and UBOUND of an expression, whose lower bounds are 1. Those of named constants are known before.
pub(super) fn inquiry(id: I, bounds: &[(i64, i64)], dim: Option<&Const>) -> Option<Const> {
    let value = |extent: i64| Const::Int(if id == I::Lbound { 1 } else { extent });
    match (id, dim) {
        (I::Size | I::Lbound | I::Ubound, Some(Const::Int(dim))) => {
            let at = usize::try_from(dim - 1).ok()?;
            bounds.get(at).map(|b| value(b.1))
        }
        (I::Size, None) => Some(Const::Int(bounds.iter().map(|b| b.1).product())),
        (I::Shape | I::Lbound | I::Ubound, None) => {
            let items: Vec<Const> = bounds.iter().map(|b| value(b.1)).collect();
            Some(Const::Array { bounds: vec![(1, items.len() as i64)], items })
        }
        _ => None,
    }
}

/// A transformational function of constant arrays; `None` when the function is not one of those known here.
pub(super) fn transformational(
    program: &Program,
    id: I,
    args: &[Option<Expr>],
    values: &[Option<Const>],
    ty: &Type,
) -> Option<Outcome> {
    let arg = |i: usize| values.get(i).and_then(Option::as_ref);
    if let Some(reduced) = reduction::call(id, values, ty) {
        return Some(reduced);
    }
    match id {
        I::Pack => Some(pack(arg(0)?, arg(1)?, arg(2))),
        I::Unpack => Some(unpack(arg(0)?, arg(1)?, arg(2)?)),
        I::Cshift => Some(shifted(arg(0)?, arg(1)?, arg(2), None)),
        I::Eoshift => Some(shifted(arg(0)?, arg(1)?, arg(3), Some((arg(2), ty)))),
        I::DotProduct => Some(dot(arg(0)?, arg(1)?, ty)),
        I::Reshape => Some(reshape(arg(0)?, arg(1)?, arg(2), arg(3))),
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
        I::Transfer => Some(transfer::transfer(program, arg(0)?, args, arg(2), ty)),
        _ => None,
    }
}

fn elements(c: &Const) -> Option<&[Const]> {
    match c {
        Const::Array { items, .. } => Some(items),
        _ => None,
    }
}

fn pack(array: &Const, mask: &Const, vector: Option<&Const>) -> Outcome {
    let items = elements(array).ok_or_else(no_fold)?;
    let mut out: Vec<Const> =
        items.iter().enumerate().filter(|(i, _)| reduction::is_kept(Some(mask), *i)).map(|(_, c)| c.clone()).collect();
    if let Some(rest) = vector.and_then(elements) {
        out.extend(rest.iter().skip(out.len()).cloned());
    }
    Ok(Const::Array { bounds: vec![(1, out.len() as i64)], items: out })
}

fn unpack(vector: &Const, mask: &Const, field: &Const) -> Outcome {
    let Const::Array { bounds, items } = mask else { return Err(no_fold()) };
    let mut next = elements(vector).ok_or_else(no_fold)?.iter();
    let mut out = Vec::with_capacity(items.len());
    for (i, keep) in items.iter().enumerate() {
        out.push(match (keep, field) {
            (Const::Logical(true), _) => {
                next.next().cloned().ok_or((Code::ShapeMismatch, "`unpack` of too few elements".into()))?
            }
            (_, Const::Array { items, .. }) => items.get(i).cloned().ok_or_else(no_fold)?,
            (_, scalar) => scalar.clone(),
        });
    }
    Ok(Const::Array { bounds: bounds.iter().map(|b| (1, b.1)).collect(), items: out })
}

/// The `n`-th element of an array in array element order; a scalar is each of them.
fn nth(c: &Const, n: usize) -> Option<&Const> {
    match c {
        Const::Array { items, .. } => items.get(n),
        scalar => Some(scalar),
    }
}

/// CSHIFT, and EOSHIFT with what it fills with: the given boundary or that of the type.
fn shifted(array: &Const, shift: &Const, dim: Option<&Const>, fill: Option<(Option<&Const>, &Type)>) -> Outcome {
    let Const::Array { bounds, items } = array else { return Err(no_fold()) };
    let dim = match dim {
        None => 0,
        Some(Const::Int(dim)) => usize::try_from(dim.saturating_sub(1)).map_err(|_| no_fold())?,
        Some(_) => return Err(no_fold()),
    };
    if dim >= bounds.len() {
        return Err((Code::ShapeMismatch, format!("`dim={}` of an array of rank {}", dim + 1, bounds.len())));
    }
    let mut out = items.clone();
    for (n, line) in reduction::lines(bounds, dim)?.into_iter().enumerate() {
        let Some(Const::Int(by)) = nth(shift, n) else { return Err(no_fold()) };
        let along = line.len() as i64;
        for (i, &to) in line.iter().enumerate() {
            let from = (i as i64).saturating_add(*by);
            out[to] = match &fill {
                None => items[line[from.rem_euclid(along) as usize]].clone(),
                Some(_) if (0..along).contains(&from) => items[line[from as usize]].clone(),
                Some((Some(boundary), _)) => nth(boundary, n).cloned().ok_or_else(no_fold)?,
                Some((None, ty)) => match &items[to] {
                    Const::Logical(_) => Const::Logical(false),
                    Const::Char(text) => Const::Char(vec![b' '; text.len()].into()),
                    Const::Derived(_) => return Err(no_fold()),
                    _ => reduction::zero(ty, 0),
                },
            };
        }
    }
    Ok(Const::Array { bounds: bounds.iter().map(|b| (1, b.1)).collect(), items: out })
}

fn spread(source: &Const, dim: &Const, copies: &Const) -> Outcome {
    let (Const::Int(dim), Const::Int(copies)) = (dim, copies) else { return Err(no_fold()) };
    let copies = (*copies).max(0) as usize;
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

/// What a sum of products begins with; of logical values, it is an OR of ANDs.
fn nothing(ty: &Type) -> Const {
    if matches!(ty, Type::Logical(_)) { Const::Logical(false) } else { reduction::zero(ty, 0) }
}

fn with_product(sum: &Const, x: &Const, y: &Const, ty: &Type) -> Outcome {
    if matches!(ty, Type::Logical(_)) {
        let both = number::logic(LogicOp::And, x, y)?;
        return number::logic(LogicOp::Or, sum, &both);
    }
    let product = number::binary(BinaryOp::Mul, ty, x, y, true)?;
    number::binary(BinaryOp::Add, ty, sum, &product, true)
}

fn dot(a: &Const, b: &Const, ty: &Type) -> Outcome {
    let (a, b) = (elements(a).ok_or_else(no_fold)?, elements(b).ok_or_else(no_fold)?);
    if a.len() != b.len() {
        return Err((Code::ShapeMismatch, "vectors of different length".into()));
    }
    let mut acc = nothing(ty);
    for (x, y) in a.iter().zip(b) {
        // The first vector of a complex product is conjugated.
        let x = match *x {
            Const::Complex4(re, im) => Const::Complex4(re, -im),
            Const::Complex8(re, im) => Const::Complex8(re, -im),
            ref other => other.clone(),
        };
        acc = with_product(&acc, &x, y, ty)?;
    }
    Ok(acc)
}

fn reshape(source: &Const, shape: &Const, pad: Option<&Const>, order: Option<&Const>) -> Outcome {
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
    let Some(order) = order else { return Ok(Const::Array { bounds, items: out }) };
    // Dimension `order(1)` of the result varies first.
    let mut places = Vec::new();
    for (i, dim) in elements(order).ok_or_else(no_fold)?.iter().enumerate() {
        let Const::Int(dim) = dim else { return Err(no_fold()) };
        let dim = usize::try_from(dim.saturating_sub(1)).ok().filter(|d| *d < bounds.len() && !places.contains(d));
        places.push(dim.ok_or_else(|| (Code::ShapeMismatch, format!("element {} of `order`", i + 1)))?);
    }
    if places.len() != bounds.len() {
        return Err((Code::ShapeMismatch, format!("`order` of {} elements", places.len())));
    }
    let mut turned = out.clone();
    for (n, item) in out.into_iter().enumerate() {
        let (mut rest, mut index) = (n, vec![1; bounds.len()]);
        for &dim in &places {
            let extent = bounds[dim].1 as usize;
            index[dim] = (rest % extent) as i64 + 1;
            rest /= extent;
        }
        let at = offset(&bounds, &index).map_err(|_| no_fold())?;
        turned[at] = item;
    }
    Ok(Const::Array { bounds, items: turned })
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
            let mut acc = nothing(ty);
            for k in 0..inner {
                let x = ai.get((r + k * rows) as usize).ok_or_else(no_fold)?;
                let y = bi.get((k + c * depth) as usize).ok_or_else(no_fold)?;
                acc = with_product(&acc, x, y, ty)?;
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
