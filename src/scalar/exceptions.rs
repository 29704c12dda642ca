//! Real operations with a direction of rounding and with the exceptions that they signal (IEEE 754-2008, clauses 4.3 and 7).
//!
//! The operations of [`real`](crate::real) round to nearest and signal nothing; these are for programs that ask. A finite operation is
//! done exactly, in integers, and rounded once. Where an operand or the result is not finite, the value is that of [`bits`].
//!
//! Not here: the state that keeps the flags (`host`), and conversions to integers but for what they signal.

use crate::{Ty, bits, half};

/// Exceptions, one bit each.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Flags(pub u8);

impl Flags {
    /// An operation without a meaning: 0/0, the root of a negative number, an integer that is too small.
    pub const INVALID: Flags = Flags(1);
    /// A finite result beyond the largest number.
    pub const OVERFLOW: Flags = Flags(2);
    /// An infinite result of finite operands.
    pub const DIVIDE_BY_ZERO: Flags = Flags(4);
    /// A rounded result below the normal numbers.
    pub const UNDERFLOW: Flags = Flags(8);
    /// A rounded result.
    pub const INEXACT: Flags = Flags(16);

    /// These and others.
    #[must_use]
    pub fn with(self, others: Flags) -> Flags {
        Flags(self.0 | others.0)
    }
}

/// The direction of rounding.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Direction {
    /// To nearest, ties to even.
    #[default]
    Nearest,
    /// Toward zero.
    ToZero,
    /// Toward plus infinity.
    Up,
    /// Toward minus infinity.
    Down,
}

/// An operation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Operation {
    /// `a + b`
    Add,
    /// `a - b`
    Sub,
    /// `a * b`
    Mul,
    /// `a / b`
    Div,
    /// The square root of `a`.
    Sqrt,
    /// `a * b + c`, rounded once.
    Fma,
}

/// A finite number: `mantissa * 2^exponent`, and less than one unit of the mantissa more where `sticky` says so.
#[derive(Clone, Copy, Debug)]
struct Number {
    negative: bool,
    mantissa: u128,
    exponent: i32,
    sticky: bool,
}

/// What the format of a type is: bits of its significand, the exponent of its least and its greatest normal number.
struct Layout {
    precision: i32,
    least: i32,
    greatest: i32,
}

/// A half has the type `I16`.
fn layout(ty: Ty) -> Layout {
    match ty {
        Ty::I16 => Layout { precision: 11, least: -14, greatest: 15 },
        Ty::F32 => Layout { precision: 24, least: -126, greatest: 127 },
        _ => Layout { precision: 53, least: -1022, greatest: 1023 },
    }
}

/// The value of a real of any type.
fn value(ty: Ty, a: u64) -> f64 {
    match ty {
        Ty::I16 => f64::from(half::widen(a as u16)),
        Ty::F32 => f64::from(f32::from_bits(a as u32)),
        _ => f64::from_bits(a),
    }
}

/// Whether a real is a signalling NaN.
fn is_signalling(ty: Ty, a: u64) -> bool {
    let quiet = layout(ty).precision - 2;
    value(ty, a).is_nan() && a >> quiet & 1 == 0
}

fn signals_nan(ty: Ty, operands: &[u64]) -> Flags {
    if operands.iter().any(|&a| is_signalling(ty, a)) { Flags::INVALID } else { Flags::default() }
}

/// The result of an operation on reals of that type, given as bits, and what it signals. Operands that it does not have are passed over.
pub fn operate(operation: Operation, ty: Ty, [a, b, c]: [u64; 3], direction: Direction) -> (u64, Flags) {
    let native = match operation {
        Operation::Add => bits::add(ty, a, b),
        Operation::Sub => bits::sub(ty, a, b),
        Operation::Mul => bits::mul(ty, a, b),
        Operation::Div => bits::div(ty, a, b),
        Operation::Sqrt => bits::sqrt(ty, a),
        Operation::Fma => bits::fma(ty, a, b, c),
    };
    let given = match operation {
        Operation::Sqrt => &[a][..],
        Operation::Fma => &[a, b, c],
        _ => &[a, b],
    };
    if given.iter().any(|&x| value(ty, x).is_nan()) {
        return (native, signals_nan(ty, given));
    }
    let numbers: Option<Vec<Number>> = given.iter().map(|&x| number(value(ty, x))).collect();
    let is_zero = |x: u64| value(ty, x) == 0.0;
    let exact = numbers.and_then(|n| match operation {
        Operation::Add => Some(sum(n[0], n[1], direction)),
        Operation::Sub => Some(sum(n[0], Number { negative: !n[1].negative, ..n[1] }, direction)),
        Operation::Mul => Some(product(n[0], n[1])),
        Operation::Div => (!is_zero(b)).then(|| quotient(n[0], n[1])),
        Operation::Sqrt => (!n[0].negative || is_zero(a)).then(|| root(n[0])),
        Operation::Fma => Some(sum(product(n[0], n[1]), n[2], direction)),
    });
    if let Some(exact) = exact {
        return rounded(exact, ty, direction);
    }
    let flags = if value(ty, native).is_nan() {
        Flags::INVALID
    } else if operation == Operation::Div && is_zero(b) && value(ty, a).is_finite() {
        Flags::DIVIDE_BY_ZERO
    } else {
        Flags::default()
    };
    (native, flags)
}

/// A real of one type as one of another.
pub fn convert(from: Ty, to: Ty, a: u64, direction: Direction) -> (u64, Flags) {
    match number(value(from, a)) {
        Some(exact) => rounded(exact, to, direction),
        None => {
            let native = match to {
                Ty::I16 => u64::from(half::round(value(from, a))),
                _ => bits::convert(from, to, a),
            };
            (native, signals_nan(from, &[a]))
        }
    }
}

/// An integer as a real.
pub fn from_integer(to: Ty, a: i64, direction: Direction) -> (u64, Flags) {
    let exact = Number { negative: a < 0, mantissa: a.unsigned_abs().into(), exponent: 0, sticky: false };
    rounded(exact, to, direction)
}

/// What the conversion of a real to an integer of that many bytes signals; the second operand is the real rounded to a whole number.
pub fn to_integer(from: Ty, operands: [u64; 2], bytes: u32) -> Flags {
    let [a, whole] = operands.map(|x| value(from, x));
    let limit = 2f64.powi(8 * bytes as i32 - 1);
    if !(whole >= -limit && whole < limit) {
        Flags::INVALID
    } else if whole != a {
        Flags::INEXACT
    } else {
        Flags::default()
    }
}

/// What a comparison by order signals.
pub fn comparison(ty: Ty, operands: [u64; 2]) -> Flags {
    if operands.iter().any(|&a| value(ty, a).is_nan()) { Flags::INVALID } else { Flags::default() }
}

/// What an operation signals whose result is never rounded.
pub fn exact(ty: Ty, operands: [u64; 2], result: u64) -> Flags {
    if operands.iter().any(|&a| value(ty, a).is_nan()) {
        signals_nan(ty, &operands)
    } else if value(ty, result).is_nan() {
        Flags::INVALID
    } else {
        Flags::default()
    }
}

/// How a function of mathematics comes to an infinity, and to zero.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Growth {
    /// An infinity is a pole at zero, or the result is too large.
    Plain,
    /// The function has poles at zero or less, or at one: logarithms, `gamma`, `atanh`.
    Poles,
    /// A zero is a result that is too small: `exp`, and powers.
    Exponential,
}

/// What a function of mathematics signals that has given `result` for these operands. Whether it is exact cannot be known: it counts as
/// rounded unless it is an integer that its type holds exactly.
pub fn function(ty: Ty, operands: &[u64], result: u64, growth: Growth) -> Flags {
    let (result, none) = (value(ty, result), Flags::default());
    if operands.iter().any(|&a| value(ty, a).is_nan()) {
        return signals_nan(ty, operands);
    }
    if result.is_nan() {
        return Flags::INVALID;
    }
    if !operands.iter().all(|&a| value(ty, a).is_finite()) {
        return none;
    }
    let first = operands.first().map_or(0.0, |&a| value(ty, a));
    if result.is_infinite() {
        let is_pole = first == 0.0 || (growth == Growth::Poles && (first < 0.0 || first == 1.0));
        return if is_pole { Flags::DIVIDE_BY_ZERO } else { Flags::OVERFLOW.with(Flags::INEXACT) };
    }
    let layout = layout(ty);
    let has_vanished = result == 0.0 && growth == Growth::Exponential && first != 0.0;
    if has_vanished || (result != 0.0 && result.abs() < 2f64.powi(layout.least)) {
        return Flags::UNDERFLOW.with(Flags::INEXACT);
    }
    let is_whole = result.fract() == 0.0 && result.abs() <= 2f64.powi(layout.precision);
    if is_whole { none } else { Flags::INEXACT }
}

/// A finite real.
fn number(a: f64) -> Option<Number> {
    a.is_finite().then(|| {
        let word = a.to_bits();
        let (biased, fraction) = ((word >> 52 & 0x7ff) as i32, word & ((1 << 52) - 1));
        let (mantissa, exponent) = if biased == 0 { (fraction, -1074) } else { (fraction | 1 << 52, biased - 1075) };
        Number { negative: a.is_sign_negative(), mantissa: mantissa.into(), exponent, sticky: false }
    })
}

fn product(a: Number, b: Number) -> Number {
    Number {
        negative: a.negative != b.negative,
        mantissa: a.mantissa * b.mantissa,
        exponent: a.exponent + b.exponent,
        sticky: false,
    }
}

/// The quotient by a number that is not zero: 70 bits at least.
fn quotient(a: Number, b: Number) -> Number {
    let high = a.mantissa << 70;
    Number {
        negative: a.negative != b.negative,
        mantissa: high / b.mantissa,
        exponent: a.exponent - 70 - b.exponent,
        sticky: !high.is_multiple_of(b.mantissa),
    }
}

/// The square root of a number that is not negative, or of a zero: 60 bits.
fn root(a: Number) -> Number {
    if a.mantissa == 0 {
        return a;
    }
    // The exponent becomes even, and the mantissa so long that its root has 60 bits.
    let mut shift = a.mantissa.leading_zeros() as i32 - 8;
    shift += (a.exponent - shift) & 1;
    let mantissa = a.mantissa << shift;
    let root = mantissa.isqrt();
    Number { negative: false, mantissa: root, exponent: (a.exponent - shift) / 2, sticky: root * root != mantissa }
}

/// The sum of numbers of 106 bits at most. Bits far below the greater one are kept as `sticky`: they are so far below only where the sum
/// is long.
fn sum(a: Number, b: Number, direction: Direction) -> Number {
    if a.mantissa == 0 && b.mantissa == 0 {
        let negative = if a.negative == b.negative { a.negative } else { direction == Direction::Down };
        return Number { negative, ..a };
    }
    let top = |n: &Number| n.exponent + 127 - n.mantissa.leading_zeros() as i32;
    let (high, low) = if b.mantissa == 0 || (a.mantissa != 0 && top(&a) >= top(&b)) { (a, b) } else { (b, a) };
    // Two bits are left for the carry.
    let shift = high.mantissa.leading_zeros() as i32 - 2;
    let (exponent, mantissa) = (high.exponent - shift, high.mantissa << shift);
    let distance = exponent - low.exponent;
    let (aligned, sticky) = match distance {
        _ if low.mantissa == 0 => (0, false),
        ..=0 => (low.mantissa << -distance, false),
        1..=127 => (low.mantissa >> distance, low.mantissa << (128 - distance) != 0),
        _ => (0, true),
    };
    if high.negative == low.negative {
        return Number { negative: high.negative, mantissa: mantissa + aligned, exponent, sticky };
    }
    if aligned > mantissa {
        // Both begin with the same bit; then no bit of the lower one is lost.
        return Number { negative: low.negative, mantissa: aligned - mantissa, exponent, sticky };
    }
    let mantissa = mantissa - aligned - u128::from(sticky);
    let negative = if mantissa == 0 && !sticky { direction == Direction::Down } else { high.negative };
    Number { negative, mantissa, exponent, sticky }
}

/// The mantissa of a number in units of `2^quantum`, and whether it was rounded.
fn in_units(n: Number, quantum: i32, direction: Direction) -> (u128, bool) {
    let shift = quantum - n.exponent;
    let (whole, rest, middle) = match shift {
        ..=0 => (n.mantissa << -shift, 0, 1),
        1..=127 => (n.mantissa >> shift, n.mantissa & ((1 << shift) - 1), 1 << (shift - 1)),
        _ => (0, u128::from(n.mantissa != 0), 2),
    };
    let is_rounded = rest != 0 || n.sticky;
    let up = match direction {
        Direction::Nearest => rest > middle || (rest == middle && (n.sticky || whole & 1 == 1)),
        Direction::ToZero => false,
        Direction::Up => is_rounded && !n.negative,
        Direction::Down => is_rounded && n.negative,
    };
    (whole + u128::from(up), is_rounded)
}

/// A number as a real of that type. It is tiny if what it is rounded to would be below the normal numbers with any exponent.
fn rounded(n: Number, ty: Ty, direction: Direction) -> (u64, Flags) {
    let Layout { precision, least, greatest } = layout(ty);
    let sign = u64::from(n.negative) << (8 * ty.bytes() - 1);
    if n.mantissa == 0 && !n.sticky {
        return (sign, Flags::default());
    }
    let top = n.exponent + 127 - n.mantissa.leading_zeros() as i32;
    let free = top - precision + 1;
    let quantum = free.max(least - precision + 1);
    let (mantissa, is_rounded) = in_units(n, quantum, direction);
    let mut flags = if is_rounded { Flags::INEXACT } else { Flags::default() };
    let length = 128 - mantissa.leading_zeros() as i32;
    let infinity = ((2 * greatest as u64) + 1) << (precision - 1);
    if quantum + length - 1 > greatest {
        let is_infinite = match direction {
            Direction::Nearest => true,
            Direction::ToZero => false,
            Direction::Up => !n.negative,
            Direction::Down => n.negative,
        };
        let bits = if is_infinite { infinity } else { infinity - 1 };
        return (sign | bits, Flags::OVERFLOW.with(Flags::INEXACT));
    }
    if is_rounded && top < least {
        let (unbounded, _) = in_units(n, free, direction);
        let is_carried = unbounded >> precision != 0;
        if !(is_carried && top + 1 == least) {
            flags = flags.with(Flags::UNDERFLOW);
        }
    }
    // The first bit of the mantissa counts as one of the exponent, also where rounding has carried into it.
    let scale = (quantum - least + precision - 1) as u64;
    (sign | (mantissa as u64 + (scale << (precision - 1))), flags)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a processor computes and signals in each direction of rounding; `oracle/exceptions.c` has made it.
    const ORACLE: &str = include_str!("oracle/exceptions.txt");

    #[test]
    fn results_and_flags_are_those_of_a_processor() {
        let mut count = 0;
        for line in ORACLE.lines() {
            let fields: Vec<&str> = line.split(' ').collect();
            let &[name, ty, direction, a, b, c, result, flags] = fields.as_slice() else { panic!("{line}") };
            let word = |text| u64::from_str_radix(text, 16).expect(line);
            let ty = if ty == "4" { Ty::F32 } else { Ty::F64 };
            let directions = [Direction::Nearest, Direction::ToZero, Direction::Up, Direction::Down];
            let direction = directions[direction.parse::<usize>().expect(line)];
            let operands = [word(a), word(b), word(c)];
            let of = |operation| operate(operation, ty, operands, direction);
            let (bits, signalled) = match name {
                "add" => of(Operation::Add),
                "sub" => of(Operation::Sub),
                "mul" => of(Operation::Mul),
                "div" => of(Operation::Div),
                "sqrt" => of(Operation::Sqrt),
                "fma" => of(Operation::Fma),
                "narrow" => convert(Ty::F64, Ty::F32, operands[0], direction),
                "integer" => from_integer(ty, operands[0] as i64, direction),
                _ => panic!("{line}"),
            };
            let wanted = word(result);
            let ty = if name == "narrow" { Ty::F32 } else { ty };
            assert!(bits == wanted || value(ty, bits).is_nan() && value(ty, wanted).is_nan(), "{line}: {bits:x}");
            assert_eq!(u64::from(signalled.0), word(flags), "{line}");
            count += 1;
        }
        assert!(count > 2000, "the oracle is whole");
    }

    #[test]
    fn to_nearest_the_results_are_those_of_plain_operations() {
        let mut state = 1u64;
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            state ^ state >> 29
        };
        for _ in 0..20_000 {
            let close = next() & 0x000f_ffff_ffff_ffff | (1020 + (next() >> 60)) << 52;
            let [a, b, c] = [next(), if next() & 1 == 0 { close } else { next() }, close];
            for ty in [Ty::F32, Ty::F64] {
                let [a, b, c] = [a, b, c].map(|x| if ty == Ty::F32 { x >> 32 } else { x });
                let plain = [
                    (Operation::Add, bits::add(ty, a, b)),
                    (Operation::Sub, bits::sub(ty, a, b)),
                    (Operation::Mul, bits::mul(ty, a, b)),
                    (Operation::Div, bits::div(ty, a, b)),
                    (Operation::Sqrt, bits::sqrt(ty, a)),
                    (Operation::Fma, bits::fma(ty, a, b, c)),
                ];
                for (operation, wanted) in plain {
                    let (bits, _) = operate(operation, ty, [a, b, c], Direction::Nearest);
                    assert_eq!(bits, wanted, "{operation:?} {ty:?} {a:x} {b:x} {c:x}");
                }
            }
            let (bits, _) = convert(Ty::F64, Ty::F32, a, Direction::Nearest);
            assert_eq!(bits, super::bits::convert(Ty::F64, Ty::F32, a), "{a:x}");
            let (bits, _) = convert(Ty::F32, Ty::I16, a >> 32, Direction::Nearest);
            assert_eq!(bits, u64::from(half::round(value(Ty::F32, a >> 32))), "{a:x}");
        }
    }
}
