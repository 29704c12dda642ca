//! Elemental intrinsic functions on constant scalars.

use super::number::{integer, kind_of, no_fold, wrapped};
use super::{Outcome, convert, math, number};
use crate::checked::Intrinsic as I;
use crate::checked::{CmpOp, Const, Type};
use diag::Code;
use scalar::{Ty, bits, half, model, real};

/// The value of an elemental reference. `types` are those of the arguments, `ty` is the result's; `full` also computes
/// the mathematical functions.
pub(super) fn call(id: I, args: &[Option<Const>], types: &[Option<&Type>], ty: &Type, full: bool) -> Outcome {
    let arg = |i: usize| args.get(i).and_then(Option::as_ref);
    let kind = kind_of(ty);
    let Some(a) = arg(0) else { return Err(no_fold()) };
    let ty0 = types.first().copied().flatten().unwrap_or(ty);
    match id {
        I::Int | I::Real | I::Dble | I::Logical => convert(a, ty0, ty),
        I::Cmplx => {
            let part = if kind == 4 { Type::Real(4) } else { Type::Real(8) };
            let Some(b) = arg(1) else { return convert(a, ty0, ty) };
            let ty1 = types.get(1).copied().flatten().unwrap_or(ty);
            match (convert(a, ty0, &part)?, convert(b, ty1, &part)?) {
                (Const::Real4(r), Const::Real4(i)) => Ok(Const::Complex4(r, i)),
                (Const::Real8(r), Const::Real8(i)) => Ok(Const::Complex8(r, i)),
                _ => Err(no_fold()),
            }
        }
        I::Abs => match a {
            Const::Int(v) => integer(Some(i128::from(*v).abs()), kind),
            Const::Real4(v) => Ok(Const::Real4(real::abs(*v))),
            Const::Real8(v) => Ok(Const::Real8(real::abs(*v))),
            Const::Complex4(r, i) if full => Ok(Const::Real4(f64::from(*r).hypot(f64::from(*i)) as f32)),
            Const::Complex8(r, i) if full => Ok(Const::Real8(r.hypot(*i))),
            _ => Err(no_fold()),
        },
        I::Aimag => number::part(a, true),
        I::Conjg => match a {
            Const::Complex4(r, i) => Ok(Const::Complex4(*r, real::neg(*i))),
            Const::Complex8(r, i) => Ok(Const::Complex8(*r, real::neg(*i))),
            _ => Err(no_fold()),
        },
        I::Aint => each_real(a, real::trunc, real::trunc, ty),
        I::Anint => each_real(a, real::round, real::round, ty),
        I::Floor => to_integer(a, real::floor, kind),
        I::Ceiling => to_integer(a, real::ceil, kind),
        I::Nint => to_integer(a, real::round, kind),
        I::Sqrt => match a {
            Const::Real4(v) if *v >= 0.0 => Ok(Const::Real4(real::sqrt(*v))),
            Const::Real8(v) if *v >= 0.0 => Ok(Const::Real8(real::sqrt(*v))),
            Const::Complex4(..) | Const::Complex8(..) => mathematical(id, a, arg(1), full),
            _ => Err(domain("sqrt")),
        },
        I::Max | I::Min => {
            let mut best = a.clone();
            for next in args.iter().skip(1).flatten() {
                let op = if id == I::Max { CmpOp::Gt } else { CmpOp::Lt };
                if number::compare(op, next, &best).ok_or_else(no_fold)? {
                    best = next.clone();
                }
            }
            // The result has the length of the longest.
            if let Const::Char(text) = &best {
                let length = |c: &Const| if let Const::Char(t) = c { t.len() } else { 0 };
                let longest = args.iter().flatten().map(length).max().unwrap_or(0);
                let mut text = text.to_vec();
                text.resize(longest, b' ');
                best = Const::Char(text.into());
            }
            Ok(best)
        }
        I::Merge => match arg(2) {
            Some(Const::Logical(first)) => arg(usize::from(!first)).cloned().ok_or_else(no_fold),
            _ => Err(no_fold()),
        },
        I::Sign | I::Dim | I::Mod | I::Modulo => match (a, arg(1)) {
            (Const::Int(a), Some(Const::Int(b))) => whole_pair(id, *a, *b, kind),
            (Const::Real4(a), Some(Const::Real4(b))) => real_pair(id, *a, *b).map(Const::Real4),
            (Const::Real8(a), Some(Const::Real8(b))) => real_pair(id, *a, *b).map(Const::Real8),
            _ => Err(no_fold()),
        },
        I::Dprod => match (a, arg(1)) {
            (Const::Real4(a), Some(Const::Real4(b))) => Ok(Const::Real8(f64::from(*a) * f64::from(*b))),
            _ => Err(no_fold()),
        },
        I::Exponent | I::Fraction | I::Nearest | I::Rrspacing | I::Scale | I::SetExponent | I::Spacing => {
            model_number(id, a, arg(1))
        }
        I::Btest
        | I::Iand
        | I::Ibclr
        | I::Ibits
        | I::Ibset
        | I::Ieor
        | I::Ior
        | I::Ishft
        | I::Ishftc
        | I::Leadz
        | I::Not
        | I::Popcnt
        | I::Poppar
        | I::Shiftl
        | I::Shiftr
        | I::Shifta
        | I::Trailz
        | I::Rshift
        | I::Lshift
        | I::Maskl
        | I::Maskr
        | I::Dshiftl
        | I::Dshiftr => {
            let ints: Vec<i64> = args.iter().flatten().filter_map(int_of).collect();
            let from = if matches!(id, I::Maskl | I::Maskr) { kind } else { kind_of(ty0) };
            bit_function(id, &ints, from, kind)
        }
        I::Achar | I::Char => match a {
            Const::Int(v) if (0..256).contains(v) => Ok(Const::Char(vec![*v as u8].into())),
            _ => Err((Code::ConstantDomain, "character code outside 0 to 255".into())),
        },
        I::Iachar | I::Ichar => match a {
            Const::Char(text) if text.len() == 1 => Ok(Const::Int(i64::from(text[0]))),
            _ => Err(no_fold()),
        },
        I::Adjustl | I::Adjustr | I::Index | I::LenTrim | I::Scan | I::Verify | I::Lge | I::Lgt | I::Lle | I::Llt => {
            text(id, args)
        }
        _ => mathematical(id, a, arg(1), full),
    }
}

fn int_of(c: &Const) -> Option<i64> {
    match c {
        Const::Int(v) => Some(*v),
        Const::Logical(v) => Some(-i64::from(*v)),
        _ => None,
    }
}

fn domain(name: &str) -> (Code, String) {
    (Code::ConstantDomain, format!("argument is outside the domain of `{name}`"))
}

fn each_real(a: &Const, f: fn(f32) -> f32, g: fn(f64) -> f64, ty: &Type) -> Outcome {
    match a {
        Const::Real4(v) => convert(&Const::Real4(f(*v)), ty, ty),
        Const::Real8(v) => convert(&Const::Real8(g(*v)), ty, ty),
        _ => Err(no_fold()),
    }
}

fn to_integer(a: &Const, f: fn(f64) -> f64, kind: u8) -> Outcome {
    let value = match a {
        Const::Real4(v) => f(f64::from(*v)),
        Const::Real8(v) => f(*v),
        _ => return Err(no_fold()),
    };
    if value.is_finite() { integer(Some(value as i128), kind) } else { integer(None, kind) }
}

fn whole_pair(id: I, a: i64, b: i64, kind: u8) -> Outcome {
    let (x, y) = (i128::from(a), i128::from(b));
    match id {
        I::Sign => integer(Some(if b < 0 { -x.abs() } else { x.abs() }), kind),
        I::Dim => integer(Some((x - y).max(0)), kind),
        _ if b == 0 => Err((Code::ConstantDivisionByZero, "remainder of a division by zero".into())),
        I::Mod => integer(Some(x % y), kind),
        _ => integer(Some(((x % y) + y) % y), kind),
    }
}

fn real_pair<T: scalar::real::Real>(id: I, a: T, b: T) -> Result<T, (Code, String)> {
    match id {
        I::Sign => Ok(real::sign(a, b)),
        I::Dim => Ok(real::dim(a, b)),
        _ if b == T::ZERO => Err((Code::ConstantDivisionByZero, "remainder of a division by zero".into())),
        I::Mod => Ok(real::rem(a, b)),
        _ => Ok(real::modulo(a, b)),
    }
}

fn model_number(id: I, a: &Const, b: Option<&Const>) -> Outcome {
    let n = b.and_then(int_of).map_or(0, |n| n.clamp(i64::from(i32::MIN), i64::from(i32::MAX)) as i32);
    match a {
        Const::Real4(x) => {
            let s = match b {
                Some(Const::Real4(s)) => *s,
                Some(Const::Real8(s)) => *s as f32,
                _ => 1.0,
            };
            Ok(match id {
                I::Exponent => Const::Int(i64::from(model::exponent(*x))),
                I::Fraction => Const::Real4(model::fraction(*x)),
                I::Nearest => Const::Real4(model::nearest(*x, s)),
                I::Rrspacing => Const::Real4(model::rrspacing(*x)),
                I::Scale => Const::Real4(model::scale(*x, n)),
                I::SetExponent => Const::Real4(model::set_exponent(*x, n)),
                _ => Const::Real4(model::spacing(*x)),
            })
        }
        Const::Real8(x) => {
            let s = match b {
                Some(Const::Real4(s)) => f64::from(*s),
                Some(Const::Real8(s)) => *s,
                _ => 1.0,
            };
            Ok(match id {
                I::Exponent => Const::Int(i64::from(model::exponent(*x))),
                I::Fraction => Const::Real8(model::fraction(*x)),
                I::Nearest => Const::Real8(model::nearest(*x, s)),
                I::Rrspacing => Const::Real8(model::rrspacing(*x)),
                I::Scale => Const::Real8(model::scale(*x, n)),
                I::SetExponent => Const::Real8(model::set_exponent(*x, n)),
                _ => Const::Real8(model::spacing(*x)),
            })
        }
        Const::Real2(x) => {
            // Of numbers of another kind, only the direction counts.
            let up = match b {
                Some(Const::Real2(s)) => s >> 15 == 0,
                Some(Const::Real4(s)) => !s.is_sign_negative(),
                Some(Const::Real8(s)) => !s.is_sign_negative(),
                _ => true,
            };
            match id {
                I::Nearest => Ok(Const::Real2(half::nearest(*x, up))),
                I::Rrspacing => Ok(Const::Real2(half::rrspacing(*x))),
                I::Spacing => Ok(Const::Real2(half::spacing(*x))),
                _ => Err(no_fold()),
            }
        }
        _ => Err(no_fold()),
    }
}

fn bit_function(id: I, args: &[i64], from: u8, kind: u8) -> Outcome {
    let ty = match from {
        1 => Ty::I8,
        2 => Ty::I16,
        4 => Ty::I32,
        _ => Ty::I64,
    };
    let width = i64::from(from) * 8;
    let (Some(&a), b) = (args.first(), args.get(1).copied().unwrap_or(0)) else { return Err(no_fold()) };
    let third = args.get(2).copied();
    let word = bits::from_signed(ty, a);
    let limited = |n: i64, most: i64| {
        if (-most..=most).contains(&n) {
            Ok(n as i32)
        } else {
            Err((Code::ConstantShift, format!("shift or position {n} for `integer({from})` of {width} bits")))
        }
    };
    let position = |n: i64| {
        if (0..width).contains(&n) {
            Ok(n as i32)
        } else {
            Err((Code::ConstantShift, format!("bit position {n} in `integer({from})` of {width} bits")))
        }
    };
    let out = |w: u64| wrapped(bits::signed(ty, w), kind);
    Ok(match id {
        I::Btest => Const::Logical(bits::btest(ty, word, position(b)?)),
        I::Iand => wrapped(a & b, kind),
        I::Ior => wrapped(a | b, kind),
        I::Ieor => wrapped(a ^ b, kind),
        I::Not => wrapped(!a, kind),
        I::Ibset => wrapped(a | (1i64 << position(b)?), kind),
        I::Ibclr => wrapped(a & !(1i64 << position(b)?), kind),
        I::Ibits => out(bits::ibits(ty, word, limited(b, width)?, limited(third.unwrap_or(0), width)?)),
        I::Ishft => out(bits::ishft(ty, word, limited(b, width)?)),
        I::Ishftc => {
            let size = third.unwrap_or(width);
            out(bits::ishftc(ty, word, limited(b, width)?, limited(size, width)?))
        }
        I::Shiftl | I::Lshift => out(bits::ishft(ty, word, limited(b, width)?)),
        I::Dshiftl => {
            let n = limited(third.unwrap_or(0), width)?.clamp(0, width as i32);
            let (high, low) = (bits::ishft(ty, word, n), bits::ishft(ty, bits::from_signed(ty, b), n - width as i32));
            out(high | low)
        }
        I::Dshiftr => {
            let n = limited(third.unwrap_or(0), width)?.clamp(0, width as i32);
            let (high, low) = (bits::ishft(ty, word, width as i32 - n), bits::ishft(ty, bits::from_signed(ty, b), -n));
            out(high | low)
        }
        // `rshift` brings in zeros, as it does with nvfortran; with gfortran it keeps the sign.
        I::Shiftr | I::Rshift => out(bits::ishft(ty, word, -limited(b, width)?)),
        I::Shifta => wrapped(a >> limited(b, width)?.clamp(0, 63), kind),
        I::Leadz => Const::Int(i64::from(bits::leadz(ty, word))),
        I::Trailz => Const::Int(i64::from(bits::trailz(ty, word))),
        I::Popcnt => Const::Int(i64::from(bits::popcnt(ty, word))),
        I::Poppar => Const::Int(i64::from(bits::poppar(ty, word))),
        I::Maskr => wrapped(if a >= 64 { -1 } else { (1i64 << a.clamp(0, 63)).wrapping_sub(1) }, kind),
        I::Maskl => {
            let ones = a.clamp(0, width);
            wrapped(if ones == 0 { 0 } else { -1i64 << (width - ones) }, kind)
        }
        _ => return Err(no_fold()),
    })
}

fn text(id: I, args: &[Option<Const>]) -> Outcome {
    let Some(Some(Const::Char(a))) = args.first() else { return Err(no_fold()) };
    let second = match args.get(1) {
        Some(Some(Const::Char(b))) => Some(b),
        _ => None,
    };
    let back = matches!(args.get(2), Some(Some(Const::Logical(true))));
    let relation = |op: CmpOp| {
        let b = second.ok_or_else(no_fold)?;
        number::compare(op, &Const::Char(a.clone()), &Const::Char(b.clone())).map(Const::Logical).ok_or_else(no_fold)
    };
    let find = |hit: &dyn Fn(u8) -> bool| {
        let place = if back { a.iter().rposition(|&c| hit(c)) } else { a.iter().position(|&c| hit(c)) };
        Const::Int(place.map_or(0, |i| i as i64 + 1))
    };
    Ok(match id {
        I::LenTrim => Const::Int(a.iter().rposition(|&c| c != b' ').map_or(0, |i| i as i64 + 1)),
        I::Adjustl => {
            let start = a.iter().position(|&c| c != b' ').unwrap_or(a.len());
            Const::Char(a[start..].iter().copied().chain(vec![b' '; start]).collect())
        }
        I::Adjustr => {
            let end = a.iter().rposition(|&c| c != b' ').map_or(0, |i| i + 1);
            Const::Char(vec![b' '; a.len() - end].into_iter().chain(a[..end].iter().copied()).collect())
        }
        I::Lge => return relation(CmpOp::Ge),
        I::Lgt => return relation(CmpOp::Gt),
        I::Lle => return relation(CmpOp::Le),
        I::Llt => return relation(CmpOp::Lt),
        I::Scan => {
            let set = second.ok_or_else(no_fold)?;
            find(&|c| set.contains(&c))
        }
        I::Verify => {
            let set = second.ok_or_else(no_fold)?;
            find(&|c| !set.contains(&c))
        }
        I::Index => {
            let b = second.ok_or_else(no_fold)?;
            let place = if b.is_empty() {
                Some(if back { a.len() } else { 0 })
            } else if back {
                a.windows(b.len()).rposition(|w| w == &b[..])
            } else {
                a.windows(b.len()).position(|w| w == &b[..])
            };
            Const::Int(place.map_or(0, |i| i as i64 + 1))
        }
        _ => return Err(no_fold()),
    })
}

fn mathematical(id: I, a: &Const, b: Option<&Const>, full: bool) -> Outcome {
    if !full {
        return Err(no_fold());
    }
    let wide = |c: &Const| match c {
        Const::Real4(v) => Some(f64::from(*v)),
        Const::Real8(v) => Some(*v),
        _ => None,
    };
    match a {
        Const::Complex4(r, i) => {
            let (r, i) = math::complex(id, (f64::from(*r), f64::from(*i))).ok_or_else(no_fold)?;
            return Ok(Const::Complex4(r as f32, i as f32));
        }
        Const::Complex8(r, i) => {
            let (r, i) = math::complex(id, (*r, *i)).ok_or_else(no_fold)?;
            return Ok(Const::Complex8(r, i));
        }
        _ => {}
    }
    let (order, x) = match (a, b) {
        (Const::Int(n), Some(x)) => (Some(*n), wide(x)),
        _ => (None, wide(a)),
    };
    let x = x.ok_or_else(no_fold)?;
    let value = match b.and_then(wide) {
        _ if order.is_some() => order.and_then(|n| math::bessel(id, n, x)),
        Some(y) => math::two(id, x, y),
        None => math::one(id, x),
    };
    let value = value.ok_or_else(no_fold)?;
    // IEC 60559 has infinities at the poles of TANPI.
    if !value.is_finite() && x.is_finite() && id != I::Tanpi {
        return Err(domain(id.name()));
    }
    Ok(if matches!((a, b), (Const::Real4(_), _) | (Const::Int(_), Some(Const::Real4(_)))) {
        Const::Real4(value as f32)
    } else {
        Const::Real8(value)
    })
}
