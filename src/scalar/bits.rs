//! The scalar functions over raw words, chosen by a [`Ty`] at run time: for folding and for the one-lane evaluator.
//!
//! Invariants: a value of type `t` is a word whose low `t.bytes() * 8` bits are the value and whose other bits are zero
//! (*canonical form*: integers are zero-extended, whatever their sign); a predicate is 0 or 1. All functions take and give
//! canonical words and read only the low bits of what they are given. They are total: an operation that a type does not
//! have (a quotient of predicates) works on the predicate as on an integer of one bit, or for real-only functions returns
//! its first operand, so that a wrong program can be reported by who noticed instead of ending here.
//!
//! Every function calls the generic one of the same name in `int`, `real`, `model` or `convert`; no rule is stated here.

use crate::int::{self, Int};
use crate::real::{self, Real};
use crate::{Ty, convert, model};

/// The word with all bits that `ty` has not cleared.
pub fn canonical(ty: Ty, a: u64) -> u64 {
    match ty {
        Ty::Pred => a & 1,
        Ty::I8 => a & 0xff,
        Ty::I16 => a & 0xffff,
        Ty::I32 | Ty::F32 => a & 0xffff_ffff,
        Ty::I64 | Ty::F64 => a,
    }
}

/// The integer in canonical form, sign-extended. A predicate counts as 0 or 1; a real's bits as an integer of its width.
pub fn signed(ty: Ty, a: u64) -> i64 {
    match ty {
        Ty::Pred => (a & 1) as i64,
        Ty::I8 => a as i8 as i64,
        Ty::I16 => a as i16 as i64,
        Ty::I32 | Ty::F32 => a as i32 as i64,
        Ty::I64 | Ty::F64 => a as i64,
    }
}

/// The canonical form of an integer value in type `ty`, its low bits.
pub fn from_signed(ty: Ty, value: i64) -> u64 {
    canonical(ty, value as u64)
}

/// A real(4) value in canonical form.
pub fn from_f32(value: f32) -> u64 {
    value.to_word()
}

/// A real(8) value in canonical form.
pub fn from_f64(value: f64) -> u64 {
    value.to_word()
}

macro_rules! on_int {
    ($ty:expr, $t:ident => $body:expr) => {
        match $ty {
            Ty::Pred => {
                type $t = i8;
                $body & 1
            }
            Ty::I8 => {
                type $t = i8;
                $body
            }
            Ty::I16 => {
                type $t = i16;
                $body
            }
            Ty::I32 | Ty::F32 => {
                type $t = i32;
                $body
            }
            Ty::I64 | Ty::F64 => {
                type $t = i64;
                $body
            }
        }
    };
}

macro_rules! binary {
    ($($(#[$doc:meta])* $name:ident),+ $(,)?) => {$(
        $(#[$doc])*
        pub fn $name(ty: Ty, a: u64, b: u64) -> u64 {
            match ty {
                Ty::F32 => real::$name(f32::from_word(a), f32::from_word(b)).to_word(),
                Ty::F64 => real::$name(f64::from_word(a), f64::from_word(b)).to_word(),
                _ => on_int!(ty, T => int::$name(T::from_word(a), T::from_word(b)).to_word()),
            }
        }
    )+};
}

binary! {
    /// Sum.
    add,
    /// Difference.
    sub,
    /// Product.
    mul,
    /// Quotient.
    div,
    /// Fortran's `mod`.
    rem,
    /// Fortran's `modulo`.
    modulo,
    /// The lesser.
    min,
    /// The greater.
    max,
    /// Fortran's `sign`.
    sign,
    /// Fortran's `dim`.
    dim,
}

macro_rules! int_binary {
    ($($(#[$doc:meta])* $name:ident),+ $(,)?) => {$(
        $(#[$doc])*
        pub fn $name(ty: Ty, a: u64, b: u64) -> u64 {
            on_int!(ty, T => int::$name(T::from_word(a), T::from_word(b)).to_word())
        }
    )+};
}

int_binary! {
    /// Bitwise and; logical and of predicates.
    and,
    /// Bitwise or; logical or of predicates.
    or,
    /// Bitwise exclusive or; `.neqv.` of predicates.
    xor,
    /// High half of the signed product.
    mulhi,
    /// High half of the unsigned product.
    umulhi,
    /// Unsigned quotient.
    udiv,
    /// Unsigned remainder.
    urem,
    /// The lesser as unsigned numbers.
    umin,
    /// The greater as unsigned numbers.
    umax,
}

macro_rules! unary {
    ($($(#[$doc:meta])* $name:ident),+ $(,)?) => {$(
        $(#[$doc])*
        pub fn $name(ty: Ty, a: u64) -> u64 {
            match ty {
                Ty::F32 => real::$name(f32::from_word(a)).to_word(),
                Ty::F64 => real::$name(f64::from_word(a)).to_word(),
                _ => on_int!(ty, T => int::$name(T::from_word(a)).to_word()),
            }
        }
    )+};
}

unary! {
    /// The negative.
    neg,
    /// The magnitude.
    abs,
}

macro_rules! int_unary {
    ($($(#[$doc:meta])* $name:ident),+ $(,)?) => {$(
        $(#[$doc])*
        pub fn $name(ty: Ty, a: u64) -> u64 {
            on_int!(ty, T => int::$name(T::from_word(a)).to_word())
        }
    )+};
}

int_unary! {
    /// All bits turned over; logical not of a predicate.
    not,
    /// The bits in reverse order.
    brev,
}

macro_rules! int_count {
    ($($(#[$doc:meta])* $name:ident),+ $(,)?) => {$(
        $(#[$doc])*
        pub fn $name(ty: Ty, a: u64) -> i32 {
            match ty {
                Ty::Pred => int::$name(canonical(ty, a) as i8),
                _ => on_int!(ty, T => int::$name(T::from_word(a)) as u64) as i32,
            }
        }
    )+};
}

int_count! {
    /// Number of one bits.
    popcnt,
    /// Parity of the number of one bits.
    poppar,
    /// Zero bits above the highest one bit.
    leadz,
    /// Zero bits below the lowest one bit.
    trailz,
}

macro_rules! int_shift {
    ($($(#[$doc:meta])* $name:ident: $amount:ty),+ $(,)?) => {$(
        $(#[$doc])*
        pub fn $name(ty: Ty, a: u64, n: $amount) -> u64 {
            on_int!(ty, T => int::$name(T::from_word(canonical(ty, a)), n).to_word())
        }
    )+};
}

int_shift! {
    /// PTX `shl`, clamped.
    shl: u32,
    /// PTX `shr.u`, clamped.
    shr: u32,
    /// PTX `shr.s`, clamped.
    sar: u32,
    /// Fortran's `ishft`.
    ishft: i32,
    /// Fortran's `ibset`.
    ibset: i32,
    /// Fortran's `ibclr`.
    ibclr: i32,
    /// Integer power.
    pow: i64,
}

/// Fortran's `btest`.
pub fn btest(ty: Ty, a: u64, pos: i32) -> bool {
    on_int!(ty, T => u64::from(int::btest(T::from_word(a), pos))) != 0
}

/// Fortran's `ishftc`.
pub fn ishftc(ty: Ty, a: u64, n: i32, size: i32) -> u64 {
    on_int!(ty, T => int::ishftc(T::from_word(a), n, size).to_word())
}

/// Fortran's `ibits`.
pub fn ibits(ty: Ty, a: u64, pos: i32, len: i32) -> u64 {
    on_int!(ty, T => int::ibits(T::from_word(a), pos, len).to_word())
}

/// What Fortran's `mvbits` leaves in `to`.
pub fn mvbits(ty: Ty, from: u64, frompos: i32, len: i32, to: u64, topos: i32) -> u64 {
    on_int!(ty, T => int::mvbits(T::from_word(from), frompos, len, T::from_word(to), topos).to_word())
}

macro_rules! real_unary {
    ($($(#[$doc:meta])* $module:ident :: $name:ident),+ $(,)?) => {$(
        $(#[$doc])*
        pub fn $name(ty: Ty, a: u64) -> u64 {
            match ty {
                Ty::F32 => $module::$name(f32::from_word(a)).to_word(),
                Ty::F64 => $module::$name(f64::from_word(a)).to_word(),
                _ => canonical(ty, a),
            }
        }
    )+};
}

real_unary! {
    /// Square root.
    real::sqrt,
    /// To an integer value, downwards.
    real::floor,
    /// To an integer value, upwards.
    real::ceil,
    /// `aint`: to an integer value, toward zero.
    real::trunc,
    /// To the nearest integer value, ties to even.
    real::rint,
    /// `anint`: to the nearest integer value, ties away from zero.
    real::round,
    /// Fortran's `fraction`.
    model::fraction,
    /// Fortran's `spacing`.
    model::spacing,
    /// Fortran's `rrspacing`.
    model::rrspacing,
}

/// Fused multiply-add of reals; of integers the wrapped product and sum (`mad.lo`).
pub fn fma(ty: Ty, a: u64, b: u64, c: u64) -> u64 {
    match ty {
        Ty::F32 => real::fma(f32::from_word(a), f32::from_word(b), f32::from_word(c)).to_word(),
        Ty::F64 => real::fma(f64::from_word(a), f64::from_word(b), f64::from_word(c)).to_word(),
        _ => add(ty, mul(ty, a, b), c),
    }
}

/// Real to an integer power; integers as [`pow`].
pub fn powi(ty: Ty, a: u64, n: i64) -> u64 {
    match ty {
        Ty::F32 => real::powi(f32::from_word(a), n).to_word(),
        Ty::F64 => real::powi(f64::from_word(a), n).to_word(),
        _ => pow(ty, a, n),
    }
}

/// Fortran's `exponent`; 0 for an integer.
pub fn exponent(ty: Ty, a: u64) -> i32 {
    match ty {
        Ty::F32 => model::exponent(f32::from_word(a)),
        Ty::F64 => model::exponent(f64::from_word(a)),
        _ => 0,
    }
}

/// Fortran's `scale`.
pub fn scale(ty: Ty, a: u64, n: i32) -> u64 {
    match ty {
        Ty::F32 => model::scale(f32::from_word(a), n).to_word(),
        Ty::F64 => model::scale(f64::from_word(a), n).to_word(),
        _ => canonical(ty, a),
    }
}

/// Fortran's `set_exponent`.
pub fn set_exponent(ty: Ty, a: u64, n: i32) -> u64 {
    match ty {
        Ty::F32 => model::set_exponent(f32::from_word(a), n).to_word(),
        Ty::F64 => model::set_exponent(f64::from_word(a), n).to_word(),
        _ => canonical(ty, a),
    }
}

/// Fortran's `nearest`; both operands of type `ty`.
pub fn nearest(ty: Ty, a: u64, s: u64) -> u64 {
    match ty {
        Ty::F32 => model::nearest(f32::from_word(a), f32::from_word(s)).to_word(),
        Ty::F64 => model::nearest(f64::from_word(a), f64::from_word(s)).to_word(),
        _ => canonical(ty, a),
    }
}

/// A comparison. Those of reals are false where an operand is a NaN, but for `Ne`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Relation {
    /// Equal.
    Eq,
    /// Not equal.
    Ne,
    /// Less.
    Lt,
    /// Less or equal.
    Le,
    /// Greater.
    Gt,
    /// Greater or equal.
    Ge,
}

impl Relation {
    /// Whether the relation holds.
    #[inline]
    pub fn holds<T: PartialOrd + Copy>(self, a: T, b: T) -> bool {
        match self {
            Relation::Eq => a == b,
            Relation::Ne => a != b,
            Relation::Lt => a < b,
            Relation::Le => a <= b,
            Relation::Gt => a > b,
            Relation::Ge => a >= b,
        }
    }
}

/// A signed or real comparison.
pub fn compare(relation: Relation, ty: Ty, a: u64, b: u64) -> bool {
    match ty {
        Ty::F32 => relation.holds(f32::from_word(a), f32::from_word(b)),
        Ty::F64 => relation.holds(f64::from_word(a), f64::from_word(b)),
        _ => relation.holds(signed(ty, a), signed(ty, b)),
    }
}

/// An unsigned comparison of bits (`blt` and kin, addresses).
pub fn compare_unsigned(relation: Relation, ty: Ty, a: u64, b: u64) -> bool {
    relation.holds(canonical(ty, a), canonical(ty, b))
}

/// How a real becomes an integer.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Rounding {
    /// Toward zero: `int`.
    Trunc,
    /// Downwards: `floor`.
    Floor,
    /// Upwards: `ceiling`.
    Ceil,
    /// Ties away from zero: `nint`.
    Nint,
    /// Ties to even: `cvt.rni`.
    Even,
}

fn real_to_int<R: convert::ToInt<I>, I: Int>(rounding: Rounding, a: R) -> I {
    match rounding {
        Rounding::Trunc => convert::trunc_to_int(a),
        Rounding::Floor => convert::floor_to_int(a),
        Rounding::Ceil => convert::ceil_to_int(a),
        Rounding::Nint => convert::nint(a),
        Rounding::Even => convert::rint_to_int(a),
    }
}

fn real_to_word<R>(rounding: Rounding, to: Ty, a: R) -> u64
where
    R: convert::ToInt<i8> + convert::ToInt<i16> + convert::ToInt<i32> + convert::ToInt<i64>,
{
    match to {
        Ty::Pred => u64::from(a != R::ZERO),
        Ty::I8 => real_to_int::<R, i8>(rounding, a).to_word(),
        Ty::I16 => real_to_int::<R, i16>(rounding, a).to_word(),
        Ty::I32 => real_to_int::<R, i32>(rounding, a).to_word(),
        Ty::I64 => real_to_int::<R, i64>(rounding, a).to_word(),
        Ty::F32 => convert::real_from_f64::<f32>(convert::real_to_f64(a)).to_word(),
        Ty::F64 => convert::real_to_f64(a).to_word(),
    }
}

/// `a` of type `from` converted to type `to`; `rounding` matters from real to integer only. From a predicate comes 0 or 1,
/// to a predicate whether the value is not zero. Real to the same real type is the identity.
pub fn convert_with(rounding: Rounding, from: Ty, to: Ty, a: u64) -> u64 {
    if from == to {
        return canonical(to, a);
    }
    match from {
        Ty::F32 => real_to_word(rounding, to, f32::from_word(a)),
        Ty::F64 => real_to_word(rounding, to, f64::from_word(a)),
        _ => {
            let value = signed(from, a);
            match to {
                Ty::Pred => u64::from(convert::to_logical(value)),
                Ty::F32 => convert::int_to_real::<i64, f32>(value).to_word(),
                Ty::F64 => convert::int_to_real::<i64, f64>(value).to_word(),
                _ => from_signed(to, value),
            }
        }
    }
}

/// `a` of type `from` converted to type `to`, toward zero from real to integer.
pub fn convert(from: Ty, to: Ty, a: u64) -> u64 {
    convert_with(Rounding::Trunc, from, to, a)
}

/// An integer taken as unsigned, converted to type `to`.
pub fn convert_unsigned(from: Ty, to: Ty, a: u64) -> u64 {
    let value = canonical(from, a);
    match to {
        Ty::Pred => u64::from(value != 0),
        Ty::F32 => <f32 as convert::FromInt>::of_u64(value).to_word(),
        Ty::F64 => <f64 as convert::FromInt>::of_u64(value).to_word(),
        _ => canonical(to, value),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_stay_canonical() {
        let samples =
            [0, 1, 0x7f, 0x80, 0xff, 0x7fff, 0x8000, 0xffff_ffff, 0x8000_0000, u64::MAX, 1 << 63, 0x3ff8 << 48];
        let ops =
            [add, sub, mul, div, rem, modulo, min, max, sign, dim, and, or, xor, mulhi, umulhi, udiv, urem, umin, umax];
        for ty in Ty::ALL {
            for a in samples {
                for b in samples {
                    for op in ops {
                        let r = op(ty, a, b);
                        assert_eq!(r, canonical(ty, r), "{ty} {a:x} {b:x}");
                    }
                }
                for op in [neg, abs, not, brev, sqrt, floor, ceil, trunc, rint, round, model_all] {
                    let r = op(ty, a);
                    assert_eq!(r, canonical(ty, r), "{ty} {a:x}");
                }
                for to in Ty::ALL {
                    let r = convert(ty, to, a);
                    assert_eq!(r, canonical(to, r), "{ty} {to} {a:x}");
                }
            }
        }
    }

    fn model_all(ty: Ty, a: u64) -> u64 {
        scale(ty, fraction(ty, a) ^ spacing(ty, a) ^ rrspacing(ty, a), exponent(ty, a))
    }

    #[test]
    fn negative_integers_are_zero_extended() {
        assert_eq!(sub(Ty::I32, 0, 1), 0xffff_ffff);
        assert_eq!(signed(Ty::I32, 0xffff_ffff), -1);
        assert_eq!(sar(Ty::I8, 0x80, 3), 0xf0);
        assert_eq!(div(Ty::I32, from_signed(Ty::I32, -7), 2), from_signed(Ty::I32, -3));
        assert_eq!(popcnt(Ty::I8, 0xff), 8);
        assert_eq!((leadz(Ty::I16, 1), leadz(Ty::I64, 0)), (15, 64));
    }

    #[test]
    fn conversion_between_all_types_goes_by_value() {
        assert_eq!(convert(Ty::F64, Ty::I32, from_f64(-2.9)), from_signed(Ty::I32, -2));
        assert_eq!(convert_with(Rounding::Floor, Ty::F32, Ty::I64, from_f32(-2.1)), from_signed(Ty::I64, -3));
        assert_eq!(convert(Ty::I32, Ty::F64, from_signed(Ty::I32, -5)), from_f64(-5.0));
        assert_eq!(convert_unsigned(Ty::I32, Ty::F64, from_signed(Ty::I32, -1)), from_f64(4_294_967_295.0));
        assert_eq!(convert(Ty::I8, Ty::I64, 0x80), (-128i64) as u64);
        assert_eq!(convert(Ty::Pred, Ty::F32, 1), from_f32(1.0));
        assert_eq!(convert(Ty::F32, Ty::Pred, from_f32(0.5)), 1);
        assert_eq!(convert(Ty::F32, Ty::F64, from_f32(0.1)), from_f64(0.1_f32.into()));
    }

    #[test]
    fn predicates_are_one_bit() {
        assert_eq!(not(Ty::Pred, 0), 1);
        assert_eq!(xor(Ty::Pred, 1, 1), 0);
        assert!(compare(Relation::Lt, Ty::Pred, 0, 1));
    }

    #[test]
    fn comparisons_of_nan_are_false_but_for_inequality() {
        let nan = from_f32(f32::NAN);
        for r in [Relation::Eq, Relation::Lt, Relation::Le, Relation::Gt, Relation::Ge] {
            assert!(!compare(r, Ty::F32, nan, nan));
        }
        assert!(compare(Relation::Ne, Ty::F32, nan, nan));
        assert!(compare_unsigned(Relation::Gt, Ty::I32, from_signed(Ty::I32, -1), 1));
    }
}
