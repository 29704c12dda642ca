//! Operators on constant scalars.
//!
//! Integer arithmetic is checked: a result beyond the kind is a fault. Real arithmetic is `scalar`'s and so equals that
//! of execution; a finite operation that gives an infinity is a fault, as a named constant could not have been meant so.
//! An [`Outcome`] with an empty text says that the operation is left to execution.

use super::{Outcome, fits, int_range, math};
use crate::checked::{BinaryOp, CmpOp, Const, LogicOp, Type, UnaryOp};
use diag::Code;
use scalar::real::{self, Real};
use std::sync::Arc;

/// The most characters of a constant.
pub(super) const MOST_CHARACTERS: usize = 1 << 24;

/// The kind number of an intrinsic type; 0 for others.
pub(crate) fn kind_of(ty: &Type) -> u8 {
    match ty {
        Type::Integer(k) | Type::Real(k) | Type::Complex(k) | Type::Logical(k) => *k,
        Type::Character(_) => 1,
        Type::Derived(_) | Type::Any => 0,
    }
}

/// What says that an operation is left to execution.
pub(crate) fn no_fold() -> (Code, String) {
    (Code::ConstantRequired, String::new())
}

fn overflow(kind: u8) -> (Code, String) {
    (Code::ConstantOverflow, format!("result does not fit into `integer({kind})`"))
}

/// An integer result, checked against its kind.
pub(crate) fn integer(value: Option<i128>, kind: u8) -> Outcome {
    match value {
        Some(v) if fits(v, kind) => Ok(Const::Int(v as i64)),
        _ => Err(overflow(kind)),
    }
}

/// A real(4) result of finite operands: an infinity is a fault.
fn real4(value: f32, finite: bool) -> Outcome {
    if finite && !value.is_finite() {
        return Err((Code::ConstantOverflow, "result does not fit into `real(4)`".into()));
    }
    Ok(Const::Real4(value))
}

fn real8(value: f64, finite: bool) -> Outcome {
    if finite && !value.is_finite() {
        return Err((Code::ConstantOverflow, "result does not fit into `real(8)`".into()));
    }
    Ok(Const::Real8(value))
}

/// A prefix operation.
pub(crate) fn unary(op: UnaryOp, ty: &Type, a: &Const) -> Outcome {
    match (op, a) {
        (UnaryOp::Neg, Const::Int(v)) => integer(Some(-i128::from(*v)), kind_of(ty)),
        (UnaryOp::Neg, Const::Real4(v)) => Ok(Const::Real4(real::neg(*v))),
        (UnaryOp::Neg, Const::Real8(v)) => Ok(Const::Real8(real::neg(*v))),
        (UnaryOp::Neg, Const::Complex4(r, i)) => Ok(Const::Complex4(real::neg(*r), real::neg(*i))),
        (UnaryOp::Neg, Const::Complex8(r, i)) => Ok(Const::Complex8(real::neg(*r), real::neg(*i))),
        (UnaryOp::Not, Const::Logical(v)) => Ok(Const::Logical(!v)),
        _ => Err(no_fold()),
    }
}

/// An arithmetic operation; `full` also takes powers with a real exponent and complex quotients, whose value at run time
/// comes from the mathematical library.
pub(crate) fn binary(op: BinaryOp, ty: &Type, a: &Const, b: &Const, full: bool) -> Outcome {
    match (a, b) {
        (Const::Int(a), Const::Int(b)) => integers(op, *a, *b, kind_of(ty)),
        (Const::Real4(a), Const::Real4(b)) => {
            // Execution makes an infinity of it, as programs want that ask for one.
            if op == BinaryOp::Div && *b == 0.0 {
                return if full {
                    Err((Code::ConstantDivisionByZero, "division by zero".into()))
                } else {
                    Err(no_fold())
                };
            }
            if op == BinaryOp::Pow && !full {
                return Err(no_fold());
            }
            let finite = a.is_finite() && b.is_finite();
            real4(
                if op == BinaryOp::Pow { f64::from(*a).powf(f64::from(*b)) as f32 } else { reals(op, *a, *b) },
                finite,
            )
        }
        (Const::Real8(a), Const::Real8(b)) => {
            if op == BinaryOp::Div && *b == 0.0 {
                return if full {
                    Err((Code::ConstantDivisionByZero, "division by zero".into()))
                } else {
                    Err(no_fold())
                };
            }
            if op == BinaryOp::Pow && !full {
                return Err(no_fold());
            }
            real8(if op == BinaryOp::Pow { a.powf(*b) } else { reals(op, *a, *b) }, a.is_finite() && b.is_finite())
        }
        (Const::Real4(a), Const::Int(n)) if op == BinaryOp::Pow => {
            real4(real::powi(*a, *n), a.is_finite() && *a != 0.0)
        }
        (Const::Real8(a), Const::Int(n)) if op == BinaryOp::Pow => {
            real8(real::powi(*a, *n), a.is_finite() && *a != 0.0)
        }
        (Const::Complex4(ar, ai), Const::Complex4(br, bi)) if op == BinaryOp::Pow && full => {
            let wide = |r: &f32, i: &f32| (f64::from(*r), f64::from(*i));
            let (r, i) = math::complex_power(wide(ar, ai), wide(br, bi)).ok_or_else(no_fold)?;
            Ok(Const::Complex4(r as f32, i as f32))
        }
        (Const::Complex8(ar, ai), Const::Complex8(br, bi)) if op == BinaryOp::Pow && full => {
            let (r, i) = math::complex_power((*ar, *ai), (*br, *bi)).ok_or_else(no_fold)?;
            Ok(Const::Complex8(r, i))
        }
        (Const::Complex4(ar, ai), Const::Complex4(br, bi)) => {
            let (r, i) = complexes(op, (*ar, *ai), (*br, *bi), full)?;
            Ok(Const::Complex4(r, i))
        }
        (Const::Complex8(ar, ai), Const::Complex8(br, bi)) => {
            let (r, i) = complexes(op, (*ar, *ai), (*br, *bi), full)?;
            Ok(Const::Complex8(r, i))
        }
        (Const::Complex4(r, i), Const::Int(n)) if op == BinaryOp::Pow && full => {
            complex_power((*r, *i), *n).map(|(r, i)| Const::Complex4(r, i))
        }
        (Const::Complex8(r, i), Const::Int(n)) if op == BinaryOp::Pow && full => {
            complex_power((*r, *i), *n).map(|(r, i)| Const::Complex8(r, i))
        }
        _ => Err(no_fold()),
    }
}

fn integers(op: BinaryOp, a: i64, b: i64, kind: u8) -> Outcome {
    let (x, y) = (i128::from(a), i128::from(b));
    match op {
        BinaryOp::Add => integer(x.checked_add(y), kind),
        BinaryOp::Sub => integer(x.checked_sub(y), kind),
        BinaryOp::Mul => integer(x.checked_mul(y), kind),
        BinaryOp::Div if b == 0 => Err((Code::ConstantDivisionByZero, "division by zero".into())),
        BinaryOp::Div => integer(x.checked_div(y), kind),
        BinaryOp::Pow => match (a, b) {
            (0, n) if n < 0 => Err((Code::ConstantDivisionByZero, "zero to a negative power".into())),
            (1, _) | (_, 0) => Ok(Const::Int(1)),
            (-1, n) => Ok(Const::Int(if n % 2 == 0 { 1 } else { -1 })),
            (_, n) if n < 0 => Ok(Const::Int(0)),
            (0, _) => Ok(Const::Int(0)),
            (_, n) if n > 127 => Err(overflow(kind)),
            (_, n) => integer(x.checked_pow(n as u32), kind),
        },
    }
}

/// The negative of an integer that does not fit, as execution has it.
pub(super) fn wrapped_negative(op: UnaryOp, a: &Const, kind: u8) -> Option<Const> {
    match (op, a) {
        (UnaryOp::Neg, Const::Int(v)) => Some(wrapped(v.wrapping_neg(), kind)),
        _ => None,
    }
}

/// An operation on integers whose result does not fit, as execution has it.
pub(super) fn wrapped_binary(op: BinaryOp, a: &Const, b: &Const, kind: u8) -> Option<Const> {
    let (Const::Int(a), Const::Int(b)) = (a, b) else { return None };
    let value = match op {
        BinaryOp::Add => a.wrapping_add(*b),
        BinaryOp::Sub => a.wrapping_sub(*b),
        BinaryOp::Mul => a.wrapping_mul(*b),
        BinaryOp::Div => a.checked_div(*b).unwrap_or(*a),
        BinaryOp::Pow => power(*a, u64::try_from(*b).ok()?),
    };
    Some(wrapped(value, kind))
}

/// A power of 64 bits.
fn power(mut base: i64, mut exponent: u64) -> i64 {
    let mut result = 1_i64;
    while exponent > 0 {
        if exponent & 1 == 1 {
            result = result.wrapping_mul(base);
        }
        base = base.wrapping_mul(base);
        exponent >>= 1;
    }
    result
}

fn reals<T: Real>(op: BinaryOp, a: T, b: T) -> T {
    match op {
        BinaryOp::Add => real::add(a, b),
        BinaryOp::Sub => real::sub(a, b),
        BinaryOp::Mul => real::mul(a, b),
        BinaryOp::Div => real::div(a, b),
        BinaryOp::Pow => a,
    }
}

type Pair<T> = (T, T);

fn complexes<T: Real>(op: BinaryOp, a: Pair<T>, b: Pair<T>, full: bool) -> Result<Pair<T>, (Code, String)> {
    use real::{add, div, mul, sub};
    match op {
        BinaryOp::Add => Ok((add(a.0, b.0), add(a.1, b.1))),
        BinaryOp::Sub => Ok((sub(a.0, b.0), sub(a.1, b.1))),
        BinaryOp::Mul if full => Ok((sub(mul(a.0, b.0), mul(a.1, b.1)), add(mul(a.0, b.1), mul(a.1, b.0)))),
        BinaryOp::Div if full && b.0 == T::ZERO && b.1 == T::ZERO => {
            Err((Code::ConstantDivisionByZero, "division by zero".into()))
        }
        // Smith's method, which keeps intermediate results in range.
        BinaryOp::Div if full => Ok(if b.0.magnitude() >= b.1.magnitude() {
            let ratio = div(b.1, b.0);
            let scale = add(b.0, mul(b.1, ratio));
            (div(add(a.0, mul(a.1, ratio)), scale), div(sub(a.1, mul(a.0, ratio)), scale))
        } else {
            let ratio = div(b.0, b.1);
            let scale = add(b.1, mul(b.0, ratio));
            (div(add(mul(a.0, ratio), a.1), scale), div(sub(mul(a.1, ratio), a.0), scale))
        }),
        _ => Err(no_fold()),
    }
}

fn complex_power<T: Real>(base: Pair<T>, n: i64) -> Result<Pair<T>, (Code, String)> {
    let (mut result, mut square, mut left) = ((T::ONE, T::ZERO), base, n.unsigned_abs());
    while left > 0 {
        if left & 1 == 1 {
            result = complexes(BinaryOp::Mul, result, square, true)?;
        }
        square = complexes(BinaryOp::Mul, square, square, true)?;
        left >>= 1;
    }
    if n < 0 { complexes(BinaryOp::Div, (T::ONE, T::ZERO), result, true) } else { Ok(result) }
}

/// A comparison of two scalars of one type; `None` where there is no order.
pub(crate) fn compare(op: CmpOp, a: &Const, b: &Const) -> Option<bool> {
    fn by<T: PartialOrd>(op: CmpOp, a: &T, b: &T) -> bool {
        match op {
            CmpOp::Eq => a == b,
            CmpOp::Ne => a != b,
            CmpOp::Lt => a < b,
            CmpOp::Le => a <= b,
            CmpOp::Gt => a > b,
            CmpOp::Ge => a >= b,
        }
    }
    let equal = |same: bool| match op {
        CmpOp::Eq => Some(same),
        CmpOp::Ne => Some(!same),
        _ => None,
    };
    match (a, b) {
        (Const::Int(a), Const::Int(b)) => Some(by(op, a, b)),
        (Const::Real4(a), Const::Real4(b)) => Some(by(op, a, b)),
        (Const::Real8(a), Const::Real8(b)) => Some(by(op, a, b)),
        (Const::Complex4(ar, ai), Const::Complex4(br, bi)) => equal(ar == br && ai == bi),
        (Const::Complex8(ar, ai), Const::Complex8(br, bi)) => equal(ar == br && ai == bi),
        (Const::Logical(a), Const::Logical(b)) => equal(a == b),
        (Const::Char(a), Const::Char(b)) => {
            // The shorter value counts as if it had blanks behind.
            let width = a.len().max(b.len());
            let padded = |s: &[u8]| s.iter().copied().chain(std::iter::repeat(b' ')).take(width).collect::<Vec<u8>>();
            Some(by(op, &padded(a), &padded(b)))
        }
        _ => None,
    }
}

/// A logical operation.
pub(crate) fn logic(op: LogicOp, a: &Const, b: &Const) -> Outcome {
    let (Const::Logical(a), Const::Logical(b)) = (a, b) else { return Err(no_fold()) };
    Ok(Const::Logical(match op {
        LogicOp::And => *a && *b,
        LogicOp::Or => *a || *b,
        LogicOp::Eqv => a == b,
        LogicOp::Neqv => a != b,
    }))
}

/// `a // b`
pub(crate) fn concat(a: &Const, b: &Const) -> Outcome {
    let (Const::Char(a), Const::Char(b)) = (a, b) else { return Err(no_fold()) };
    if a.len() + b.len() > MOST_CHARACTERS {
        return Err((Code::ConstantTooLarge, "character constant is too long".into()));
    }
    Ok(Const::Char([&a[..], &b[..]].concat().into()))
}

/// `a(lo:hi)`
pub(crate) fn substring(a: &Const, lo: Option<i64>, hi: Option<i64>) -> Outcome {
    let Const::Char(text) = a else { return Err(no_fold()) };
    let (lo, hi) = (lo.unwrap_or(1), hi.unwrap_or(text.len() as i64));
    if lo > hi {
        return Ok(Const::Char(Arc::from(Vec::new())));
    }
    if lo < 1 || hi > text.len() as i64 {
        return Err((Code::BadSubstring, format!("substring {lo}:{hi} of a value of length {}", text.len())));
    }
    Ok(Const::Char(text[lo as usize - 1..hi as usize].into()))
}

/// The real or imaginary part.
pub(crate) fn part(a: &Const, imaginary: bool) -> Outcome {
    match a {
        Const::Complex4(r, i) => Ok(Const::Real4(if imaginary { *i } else { *r })),
        Const::Complex8(r, i) => Ok(Const::Real8(if imaginary { *i } else { *r })),
        _ => Err(no_fold()),
    }
}

/// Wraps an integer to its kind, for operations on bits.
pub(crate) fn wrapped(value: i64, kind: u8) -> Const {
    let (low, _) = int_range(kind);
    let bits = u32::from(kind) * 8;
    if bits >= 64 {
        return Const::Int(value);
    }
    let masked = value & ((1 << bits) - 1);
    Const::Int(if masked > -(low + 1) { masked - (1 << bits) } else { masked })
}
