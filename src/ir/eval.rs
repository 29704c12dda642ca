//! What every pure operation means: one function for each table of [`crate::op`], over raw words.
//!
//! Words are in canonical form (see [`scalar::bits`]): a value of type `ty` in the low bits, zeros above. The rules of arithmetic
//! are in `scalar` alone; here is only which of them an operation uses. The functions are total. The optimiser, the one-lane
//! evaluator, the debugger and the tests of all executors call them.
//!
//! Not here: constant expressions of Fortran. `sema::fold` evaluates them, with Fortran's types and errors.

use crate::op::{AtomOp, BinOp, CmpOp, CvtOp, TriOp, UnOp};
use scalar::Ty;
use scalar::approximate;
use scalar::bits::{self, Relation, Rounding};
use scalar::half;

/// `op a`
pub fn eval_un(op: UnOp, ty: Ty, a: u64) -> u64 {
    match op {
        UnOp::Mov => bits::canonical(ty, a),
        UnOp::Neg => bits::neg(ty, a),
        UnOp::Abs => bits::abs(ty, a),
        UnOp::Not => bits::not(ty, a),
        UnOp::Sqrt => bits::sqrt(ty, a),
        UnOp::Floor => bits::floor(ty, a),
        UnOp::Ceil => bits::ceil(ty, a),
        UnOp::Trunc => bits::trunc(ty, a),
        UnOp::Round => bits::round(ty, a),
        UnOp::RoundEven => bits::rint(ty, a),
        UnOp::Popc => u64::from(bits::popcnt(ty, a) as u32),
        UnOp::Clz => u64::from(bits::leadz(ty, a) as u32),
        UnOp::Ctz => u64::from(bits::trailz(ty, a) as u32),
        UnOp::Brev => bits::brev(ty, a),
        UnOp::Canon => match ty {
            Ty::F32 => bits::from_f32(scalar::real::Real::canonical(f32::from_bits(a as u32))),
            _ => bits::canonical(ty, a),
        },
        UnOp::SinApprox => on_f32(approximate::sin, a),
        UnOp::CosApprox => on_f32(approximate::cos, a),
        UnOp::Ex2Approx => on_f32(approximate::exp2, a),
        UnOp::Lg2Approx => on_f32(approximate::log2, a),
        UnOp::RsqrtApprox => on_f32(approximate::rsqrt, a),
        UnOp::SqrtApprox => bits::sqrt(Ty::F32, a),
    }
}

/// A function of the real(4) in a word.
fn on_f32(function: fn(f32) -> f32, a: u64) -> u64 {
    bits::from_f32(function(f32::from_bits(a as u32)))
}

/// A shift count: a number taken as unsigned, which may be larger than any width.
fn count(ty: Ty, b: u64) -> u32 {
    u32::try_from(bits::canonical(ty, b)).unwrap_or(u32::MAX)
}

/// `op a, b`
pub fn eval_bin(op: BinOp, ty: Ty, a: u64, b: u64) -> u64 {
    match op {
        BinOp::Add => bits::add(ty, a, b),
        BinOp::Sub => bits::sub(ty, a, b),
        BinOp::Mul => bits::mul(ty, a, b),
        BinOp::MulHi => bits::mulhi(ty, a, b),
        BinOp::Div => bits::div(ty, a, b),
        BinOp::DivApprox => bits::div(Ty::F32, a, b),
        BinOp::Rem | BinOp::Fmod => bits::rem(ty, a, b),
        BinOp::Min => bits::min(ty, a, b),
        BinOp::Max => bits::max(ty, a, b),
        BinOp::And => bits::and(ty, a, b),
        BinOp::Or => bits::or(ty, a, b),
        BinOp::Xor => bits::xor(ty, a, b),
        BinOp::Shl => bits::shl(ty, a, count(ty, b)),
        BinOp::ShrU => bits::shr(ty, a, count(ty, b)),
        BinOp::ShrS => bits::sar(ty, a, count(ty, b)),
        BinOp::Copysign => bits::sign(ty, a, b),
    }
}

/// `op a, b, c`
pub fn eval_tri(op: TriOp, ty: Ty, a: u64, b: u64, c: u64) -> u64 {
    match op {
        TriOp::Fma | TriOp::Mad => bits::fma(ty, a, b, c),
    }
}

/// `a op b`; `ty` is the operands' type.
pub fn eval_cmp(op: CmpOp, ty: Ty, a: u64, b: u64) -> bool {
    match op {
        CmpOp::Eq => bits::compare(Relation::Eq, ty, a, b),
        CmpOp::Ne => bits::compare(Relation::Ne, ty, a, b),
        CmpOp::Lt => bits::compare(Relation::Lt, ty, a, b),
        CmpOp::Le => bits::compare(Relation::Le, ty, a, b),
        CmpOp::Gt => bits::compare(Relation::Gt, ty, a, b),
        CmpOp::Ge => bits::compare(Relation::Ge, ty, a, b),
        CmpOp::LtU => bits::compare_unsigned(Relation::Lt, ty, a, b),
        CmpOp::GeU => bits::compare_unsigned(Relation::Ge, ty, a, b),
    }
}

/// `convert a`
pub fn eval_cvt(op: CvtOp, from: Ty, to: Ty, a: u64) -> u64 {
    match op {
        CvtOp::Cast => bits::convert(from, to, a),
        CvtOp::CastU => bits::convert_unsigned(from, to, a),
        CvtOp::Nint => bits::convert_with(Rounding::Nint, from, to, a),
        CvtOp::FloorI => bits::convert_with(Rounding::Floor, from, to, a),
        CvtOp::CeilI => bits::convert_with(Rounding::Ceil, from, to, a),
        CvtOp::Bits => bits::canonical(to, bits::canonical(from, a)),
        CvtOp::PredToInt => bits::canonical(to, if a & 1 != 0 { u64::MAX } else { 0 }),
        CvtOp::IntToPred => a & 1,
        CvtOp::FromHalf => u64::from(scalar::half::widen(a as u16).to_bits()),
        CvtOp::ToHalf => u64::from(scalar::half::round(f64::from_bits(bits::convert(from, Ty::F64, a)))),
    }
}

/// What an atomic operation leaves in memory where `old` was; `b` is CAS's new value. Subnormal real(4) numbers are kept,
/// as in shared memory.
pub fn eval_atomic(op: AtomOp, ty: Ty, old: u64, a: u64, b: u64) -> u64 {
    let (old, a, b) = (bits::canonical(ty, old), bits::canonical(ty, a), bits::canonical(ty, b));
    match op {
        AtomOp::Add => bits::add(ty, old, a),
        AtomOp::AddHalf => {
            let sum = |at: u32| {
                let [a, b] = [old, a].map(|word| f64::from(half::widen((word >> at) as u16)));
                u64::from(half::round(a + b)) << at
            };
            bits::canonical(ty, if ty == Ty::I16 { sum(0) } else { sum(0) | sum(16) })
        }
        AtomOp::Sub => bits::sub(ty, old, a),
        AtomOp::Min => bits::min(ty, old, a),
        AtomOp::Max => bits::max(ty, old, a),
        AtomOp::And => bits::and(ty, old, a),
        AtomOp::Or => bits::or(ty, old, a),
        AtomOp::Xor => bits::xor(ty, old, a),
        AtomOp::Exch => a,
        AtomOp::Cas => {
            if old == a {
                b
            } else {
                old
            }
        }
        AtomOp::Inc => {
            if old < a {
                bits::add(ty, old, 1)
            } else {
                0
            }
        }
        AtomOp::Dec => {
            // No number is below 0: less than 0 wraps to the greatest.
            bits::sub(ty, old, 1).min(a)
        }
    }
}

/// The same in global memory, whose adder takes and gives zeros for subnormal real(4) numbers.
pub fn eval_atomic_global(op: AtomOp, ty: Ty, old: u64, a: u64, b: u64) -> u64 {
    match op {
        AtomOp::Add | AtomOp::Sub if ty == Ty::F32 => flushed(eval_atomic(op, ty, flushed(old), flushed(a), b)),
        _ => eval_atomic(op, ty, old, a, b),
    }
}

/// A real(4) with a subnormal number made a zero of its sign.
fn flushed(a: u64) -> u64 {
    let x = f32::from_bits(a as u32);
    if x.is_subnormal() { a & 0x8000_0000 } else { a }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logicals_are_all_ones_and_tested_by_the_lowest_bit() {
        assert_eq!(eval_cvt(CvtOp::PredToInt, Ty::Pred, Ty::I32, 1), 0xffff_ffff);
        assert_eq!(eval_cvt(CvtOp::PredToInt, Ty::Pred, Ty::I8, 1), 0xff);
        assert_eq!(eval_cvt(CvtOp::IntToPred, Ty::I32, Ty::Pred, 2), 0);
        assert_eq!(eval_cvt(CvtOp::IntToPred, Ty::I32, Ty::Pred, 0xffff_ffff), 1);
    }

    #[test]
    fn a_shift_by_the_width_or_more_leaves_nothing() {
        assert_eq!(eval_bin(BinOp::Shl, Ty::I32, 1, 31), 0x8000_0000);
        assert_eq!(eval_bin(BinOp::Shl, Ty::I32, 1, 32), 0);
        assert_eq!(eval_bin(BinOp::ShrU, Ty::I64, u64::MAX, 1 << 32), 0);
        assert_eq!(eval_bin(BinOp::ShrS, Ty::I64, 1 << 63, 1 << 40), u64::MAX);
        assert_eq!(eval_bin(BinOp::ShrS, Ty::I8, 0x80, 0xff), 0xff);
    }

    #[test]
    fn atomics_wrap_and_flush_as_the_guide_says() {
        assert_eq!(eval_atomic(AtomOp::Inc, Ty::I32, 4, 4, 0), 0);
        assert_eq!(eval_atomic(AtomOp::Inc, Ty::I32, 3, 4, 0), 4);
        assert_eq!(eval_atomic(AtomOp::Dec, Ty::I32, 0, 4, 0), 4);
        assert_eq!(eval_atomic(AtomOp::Dec, Ty::I32, 9, 4, 0), 4);
        assert_eq!(eval_atomic(AtomOp::Dec, Ty::I32, 3, 4, 0), 2);
        assert_eq!(eval_atomic(AtomOp::Dec, Ty::I32, 4, 4, 0), 3);
        assert_eq!(eval_atomic(AtomOp::Cas, Ty::I32, 4, 4, 7), 7);
        assert_eq!(eval_atomic(AtomOp::Cas, Ty::I32, 5, 4, 7), 5);
        assert_eq!(eval_atomic(AtomOp::Add, Ty::F32, 1, 1, 0), 2);
        assert_eq!(eval_atomic_global(AtomOp::Add, Ty::F32, 1, 1, 0), 0);
    }
}
