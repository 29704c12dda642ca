//! Reductions and searches of constant arrays: SUM and kin, ALL and kin, COUNT, NORM2, MAXLOC and kin; of all elements, or along
//! a dimension; with a mask.

use super::number::no_fold;
use super::{MOST_ELEMENTS, Outcome, number};
use crate::checked::Intrinsic as I;
use crate::checked::{BinaryOp, CharLen, CmpOp, Const, LogicOp, Type};
use diag::Code;

/// The value of a reference to one of these functions; `None` if it is another one.
pub(super) fn call(id: I, values: &[Option<Const>], ty: &Type) -> Option<Outcome> {
    let arg = |i: usize| values.get(i).and_then(Option::as_ref);
    let (dim, mask) = match id {
        I::Sum | I::Product | I::Maxval | I::Minval | I::Iall | I::Iany | I::Iparity => (arg(1), arg(2)),
        I::All | I::Any | I::Count | I::Parity | I::Norm2 => (arg(1), None),
        I::Maxloc | I::Minloc => (arg(1), arg(2)),
        I::Findloc => (arg(2), arg(3)),
        _ => return None,
    };
    let array = arg(0)?;
    let back = matches!(if id == I::Findloc { arg(5) } else { arg(4) }, Some(Const::Logical(true)));
    let Const::Array { bounds, items } = array else { return Some(Err(no_fold())) };
    let searches = matches!(id, I::Maxloc | I::Minloc | I::Findloc);
    let place = |at: &[usize]| {
        let found = if id == I::Findloc { find(items, arg(1)?, at, back) } else { extreme(id, items, at, back) };
        Some(found)
    };
    let kept = |at: Vec<usize>| at.into_iter().filter(|&i| is_kept(mask, i)).collect::<Vec<_>>();
    let Some(dim) = dim else {
        let all = kept((0..items.len()).collect());
        return Some(if searches {
            place(&all)?.map(|found| subscripts(found, bounds))
        } else {
            reduce(id, items, &all, ty)
        });
    };
    let Const::Int(dim) = dim else { return Some(Err(no_fold())) };
    let Some(at) = usize::try_from(dim.saturating_sub(1)).ok().filter(|at| *at < bounds.len()) else {
        let text = format!("`dim={dim}` of an array of rank {}", bounds.len());
        return Some(Err((Code::ShapeMismatch, text)));
    };
    let mut out = Vec::new();
    let lines = match lines(bounds, at) {
        Ok(lines) => lines,
        Err(why) => return Some(Err(why)),
    };
    for line in lines {
        // The position of a search is counted in the line.
        let all = kept(line.clone());
        let one = if searches {
            let number = |i: usize| line.iter().position(|&j| j == i).map_or(0, |n| n as i64 + 1);
            place(&all)?.map(|found| Const::Int(found.map_or(0, number)))
        } else {
            reduce(id, items, &all, ty)
        };
        match one {
            Ok(value) => out.push(value),
            Err(why) => return Some(Err(why)),
        }
    }
    if bounds.len() == 1 {
        return Some(out.pop().ok_or_else(no_fold));
    }
    let bounds = bounds.iter().enumerate().filter(|(i, _)| *i != at).map(|(_, b)| (1, b.1)).collect();
    Some(Ok(Const::Array { bounds, items: out }))
}

/// The lines of an array along a dimension, counted from 0, in array element order: the positions of their elements. Lines
/// without elements may be too many.
pub(super) fn lines(bounds: &[(i64, i64)], dim: usize) -> Result<Vec<Vec<usize>>, (Code, String)> {
    let size = |dims: &[(i64, i64)]| dims.iter().fold(1usize, |n, b| n.saturating_mul(b.1.max(0) as usize));
    let (stride, along, outer) = (size(&bounds[..dim]), size(&bounds[dim..=dim]), size(&bounds[dim + 1..]));
    let count = outer.saturating_mul(stride);
    if count > MOST_ELEMENTS {
        return Err((Code::ConstantTooLarge, "constant array is too large to be computed at compile time".into()));
    }
    let line = |n: usize| {
        let first = n % stride + n / stride * stride * along;
        (0..along).map(|i| first + i * stride).collect()
    };
    Ok((0..count).map(line).collect())
}

pub(super) fn is_kept(mask: Option<&Const>, i: usize) -> bool {
    match mask {
        None => true,
        Some(Const::Array { items, .. }) => matches!(items.get(i), Some(Const::Logical(true))),
        Some(c) => matches!(c, Const::Logical(true)),
    }
}

/// The subscripts of an element as MAXLOC and kin give them: counted from 1, zeros where there is none.
fn subscripts(at: Option<usize>, bounds: &[(i64, i64)]) -> Const {
    let mut rest = at.unwrap_or(0);
    let mut index = Vec::new();
    for &(_, extent) in bounds {
        let extent = extent.max(1) as usize;
        index.push(Const::Int(if at.is_some() { (rest % extent) as i64 + 1 } else { 0 }));
        rest /= extent;
    }
    Const::Array { bounds: vec![(1, index.len() as i64)], items: index }
}

/// Which of the elements at these places is the greatest or least.
fn extreme(id: I, items: &[Const], at: &[usize], back: bool) -> Result<Option<usize>, (Code, String)> {
    let op = match (id, back) {
        (I::Maxloc, false) => CmpOp::Gt,
        (I::Maxloc, true) => CmpOp::Ge,
        (_, false) => CmpOp::Lt,
        (_, true) => CmpOp::Le,
    };
    let mut best: Option<usize> = None;
    for &i in at {
        let better = match best {
            None => true,
            Some(b) => number::compare(op, &items[i], &items[b]).ok_or_else(no_fold)?,
        };
        if better {
            best = Some(i);
        }
    }
    Ok(best)
}

fn find(items: &[Const], value: &Const, at: &[usize], back: bool) -> Result<Option<usize>, (Code, String)> {
    let hit = |i: &&usize| match (&items[**i], value) {
        (Const::Logical(a), Const::Logical(b)) => a == b,
        (item, value) => number::compare(CmpOp::Eq, item, value) == Some(true),
    };
    Ok(if back { at.iter().rev().find(hit) } else { at.iter().find(hit) }.copied())
}

pub(super) fn zero(ty: &Type, value: i64) -> Const {
    match ty {
        Type::Real(4) => Const::Real4(value as f32),
        Type::Real(_) => Const::Real8(value as f64),
        Type::Complex(4) => Const::Complex4(value as f32, 0.0),
        Type::Complex(_) => Const::Complex8(value as f64, 0.0),
        _ => Const::Int(value),
    }
}

/// The result of no elements, or what the first one is combined with.
fn start(id: I, ty: &Type) -> Result<Const, (Code, String)> {
    Ok(match (id, ty) {
        (I::Product, _) => zero(ty, 1),
        (I::Iall, _) => Const::Int(-1),
        (I::All, _) => Const::Logical(true),
        (I::Any | I::Parity, _) => Const::Logical(false),
        (I::Maxval | I::Minval, Type::Integer(kind)) => {
            let greatest = i64::MAX >> (64 - 8 * u32::from(*kind).min(8));
            Const::Int(if id == I::Maxval { -greatest - 1 } else { greatest })
        }
        (I::Maxval, Type::Real(4)) => Const::Real4(-f32::MAX),
        (I::Minval, Type::Real(4)) => Const::Real4(f32::MAX),
        (I::Maxval, Type::Real(_)) => Const::Real8(-f64::MAX),
        (I::Minval, Type::Real(_)) => Const::Real8(f64::MAX),
        (I::Maxval | I::Minval, Type::Character(CharLen::Const(n))) => {
            let least_or_greatest = if id == I::Maxval { 0 } else { u8::MAX };
            Const::Char(vec![least_or_greatest; usize::try_from(*n).unwrap_or(0)].into())
        }
        (I::Maxval | I::Minval, _) => return Err(no_fold()),
        _ => zero(ty, 0),
    })
}

fn reduce(id: I, items: &[Const], at: &[usize], ty: &Type) -> Outcome {
    if id == I::Norm2 {
        return norm2(items, at, ty);
    }
    if let (I::Maxval | I::Minval, Some(&first)) = (id, at.first()) {
        let op = if id == I::Maxval { CmpOp::Gt } else { CmpOp::Lt };
        let mut best = &items[first];
        for &i in at {
            if number::compare(op, &items[i], best).ok_or_else(no_fold)? {
                best = &items[i];
            }
        }
        return Ok(best.clone());
    }
    let mut acc = start(id, ty)?;
    for item in at.iter().map(|&i| &items[i]) {
        acc = match (id, &acc, item) {
            (I::Sum, acc, item) => number::binary(BinaryOp::Add, ty, acc, item, true)?,
            (I::Product, acc, item) => number::binary(BinaryOp::Mul, ty, acc, item, true)?,
            (I::Iall, Const::Int(a), Const::Int(b)) => Const::Int(a & b),
            (I::Iany, Const::Int(a), Const::Int(b)) => Const::Int(a | b),
            (I::Iparity, Const::Int(a), Const::Int(b)) => Const::Int(a ^ b),
            (I::Count, Const::Int(n), Const::Logical(yes)) => Const::Int(n + i64::from(*yes)),
            (I::All, a, b) => number::logic(LogicOp::And, a, b)?,
            (I::Any, a, b) => number::logic(LogicOp::Or, a, b)?,
            (I::Parity, a, b) => number::logic(LogicOp::Neqv, a, b)?,
            _ => return Err(no_fold()),
        };
    }
    Ok(acc)
}

fn norm2(items: &[Const], at: &[usize], ty: &Type) -> Outcome {
    let size = |i: &usize| match items[*i] {
        Const::Real4(v) => Some(f64::from(v).abs()),
        Const::Real8(v) => Some(v.abs()),
        _ => None,
    };
    let sizes = at.iter().map(size).collect::<Option<Vec<f64>>>().ok_or_else(no_fold)?;
    let sum: f64 = sizes.iter().map(|x| x * x).sum();
    let greatest = sizes.iter().copied().fold(0.0, f64::max);
    // What is too great or too small to be squared is scaled.
    let norm = if (sum.is_normal() && sum > 1e-290) || greatest == 0.0 || !greatest.is_finite() {
        sum.sqrt()
    } else {
        sizes.iter().map(|x| (x / greatest) * (x / greatest)).sum::<f64>().sqrt() * greatest
    };
    Ok(if matches!(ty, Type::Real(4)) { Const::Real4(norm as f32) } else { Const::Real8(norm) })
}
