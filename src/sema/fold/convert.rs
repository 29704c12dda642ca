//! Conversion of constant scalars between types.
//!
//! Reals round to nearest; a real that becomes an integer is cut toward zero. What does not fit is a fault: execution
//! would saturate or wrap, but nobody writes a constant to have it changed.

use super::Outcome;
use crate::checked::{CharLen, Const, Type};
use diag::Code;
use scalar::convert::{narrow, trunc_to_int, widen};
use scalar::half;
use std::sync::Arc;

/// Least and greatest value of `integer(kind)`.
pub(crate) fn int_range(kind: u8) -> (i64, i64) {
    match kind {
        1 => (i64::from(i8::MIN), i64::from(i8::MAX)),
        2 => (i64::from(i16::MIN), i64::from(i16::MAX)),
        4 => (i64::from(i32::MIN), i64::from(i32::MAX)),
        _ => (i64::MIN, i64::MAX),
    }
}

/// Whether an integer fits its kind.
pub(crate) fn fits(value: i128, kind: u8) -> bool {
    let (least, greatest) = int_range(kind);
    (i128::from(least)..=i128::from(greatest)).contains(&value)
}

/// What execution makes of a number as an integer that does not hold it; `None` of what is no number.
pub(super) fn wrapped(c: &Const, kind: u8) -> Option<Const> {
    let real = |v: f64| match kind {
        1 | 2 | 4 => i64::from(trunc_to_int::<f64, i32>(v)),
        _ => trunc_to_int::<f64, i64>(v),
    };
    let value = match c {
        Const::Int(v) => *v,
        Const::Real2(bits) => real(f64::from(half::widen(*bits))),
        Const::Real4(v) | Const::Complex4(v, _) => real(widen(*v)),
        Const::Real8(v) | Const::Complex8(v, _) => real(*v),
        _ => return None,
    };
    Some(super::number::wrapped(value, kind))
}

/// A scalar constant of type `from` as one of type `to`.
pub(crate) fn convert(c: &Const, from: &Type, to: &Type) -> Outcome {
    let wrong = || Err(super::number::no_fold());
    match to {
        Type::Integer(kind) => {
            let value = match c {
                Const::Int(v) => i128::from(*v),
                Const::Real2(bits) if half::widen(*bits).is_finite() => half::widen(*bits) as i128,
                Const::Real4(v) if v.is_finite() => f64::from(*v) as i128,
                Const::Real8(v) if v.is_finite() => *v as i128,
                Const::Complex4(v, _) if v.is_finite() => f64::from(*v) as i128,
                Const::Complex8(v, _) if v.is_finite() => *v as i128,
                // `.true.` has all its bits set, as in nvfortran.
                Const::Logical(v) => -i128::from(*v),
                Const::Real2(_) | Const::Real4(_) | Const::Real8(_) => {
                    return Err((Code::ConstantConversion, "value is not finite and has no integer".into()));
                }
                _ => return wrong(),
            };
            if fits(value, *kind) {
                Ok(Const::Int(value as i64))
            } else {
                Err((Code::ConstantConversion, format!("{value} does not fit into `integer({kind})`")))
            }
        }
        Type::Real(kind) => match real_part(c, *kind) {
            Some(value) => real(value, *kind),
            None => wrong(),
        },
        Type::Complex(kind) => {
            let imaginary = match c {
                Const::Complex4(_, i) => widen(*i),
                Const::Complex8(_, i) => *i,
                _ => 0.0,
            };
            match (real_part(c, *kind), kind) {
                (Some(r), 4) => Ok(Const::Complex4(r.narrow(), narrow(imaginary))),
                (Some(r), _) => Ok(Const::Complex8(r.wide(), imaginary)),
                (None, _) => wrong(),
            }
        }
        Type::Logical(_) => match c {
            Const::Logical(v) => Ok(Const::Logical(*v)),
            // As nvfortran has it: the value is that of the lowest bit.
            Const::Int(v) => Ok(Const::Logical(*v & 1 != 0)),
            _ => wrong(),
        },
        Type::Character(CharLen::Const(len)) => match c {
            Const::Char(text) => Ok(Const::Char(sized(text, *len))),
            _ => wrong(),
        },
        Type::Character(_) => match c {
            Const::Char(_) => Ok(c.clone()),
            _ => wrong(),
        },
        Type::Derived(_) | Type::Any => {
            let _ = from;
            Ok(c.clone())
        }
    }
}

/// A character value cut or filled with blanks to a length.
fn sized(text: &Arc<[u8]>, len: i64) -> Arc<[u8]> {
    let len = len.clamp(0, super::number::MOST_CHARACTERS as i64) as usize;
    if text.len() == len {
        return text.clone();
    }
    let mut out = text[..len.min(text.len())].to_vec();
    out.resize(len, b' ');
    out.into()
}

/// A number on its way to a real: an integer must be rounded once, not twice.
enum Number {
    Int(i64),
    Real4(f32),
    Real8(f64),
}

impl Number {
    fn narrow(&self) -> f32 {
        match self {
            Number::Int(v) => *v as f32,
            Number::Real4(v) => *v,
            Number::Real8(v) => narrow(*v),
        }
    }

    fn wide(&self) -> f64 {
        match self {
            Number::Int(v) => *v as f64,
            Number::Real4(v) => widen(*v),
            Number::Real8(v) => *v,
        }
    }

    fn is_finite(&self) -> bool {
        self.wide().is_finite()
    }
}

fn real_part(c: &Const, _kind: u8) -> Option<Number> {
    Some(match c {
        Const::Int(v) => Number::Int(*v),
        Const::Real2(bits) => Number::Real4(half::widen(*bits)),
        Const::Real4(v) | Const::Complex4(v, _) => Number::Real4(*v),
        Const::Real8(v) | Const::Complex8(v, _) => Number::Real8(*v),
        _ => return None,
    })
}

fn real(value: Number, kind: u8) -> Outcome {
    if kind == 8 {
        return Ok(Const::Real8(value.wide()));
    }
    let (value_of_kind, constant) = if kind == 2 {
        let bits = half::round(value.wide());
        (half::widen(bits), Const::Real2(bits))
    } else {
        (value.narrow(), Const::Real4(value.narrow()))
    };
    if value.is_finite() && !value_of_kind.is_finite() {
        return Err((Code::ConstantConversion, format!("{:e} does not fit into `real({kind})`", value.wide())));
    }
    Ok(constant)
}
