//! Reduction operations on values in bytes, in the order of ranks.

use crate::basic::{Basic, Class};
use scalar::half;
use std::ops::{Add, Mul};

/// A reduction operation, by the number of its handle.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Operator {
    Max,
    Min,
    Sum,
    Product,
    LogicalAnd,
    BitAnd,
    LogicalOr,
    BitOr,
    LogicalXor,
    BitXor,
    MaxLocation,
    MinLocation,
    /// The later value.
    Replace,
    /// The earlier value.
    Nothing,
    /// A procedure of the program: what a pointer to it holds.
    Own(u64),
}

use Operator as O;

/// The operations in the order of their handles, from 1.
const OPERATORS: [(Operator, &str); 14] = [
    (O::Max, "MPI_MAX"),
    (O::Min, "MPI_MIN"),
    (O::Sum, "MPI_SUM"),
    (O::Product, "MPI_PROD"),
    (O::LogicalAnd, "MPI_LAND"),
    (O::BitAnd, "MPI_BAND"),
    (O::LogicalOr, "MPI_LOR"),
    (O::BitOr, "MPI_BOR"),
    (O::LogicalXor, "MPI_LXOR"),
    (O::BitXor, "MPI_BXOR"),
    (O::MaxLocation, "MPI_MAXLOC"),
    (O::MinLocation, "MPI_MINLOC"),
    (O::Replace, "MPI_REPLACE"),
    (O::Nothing, "MPI_NO_OP"),
];

impl Operator {
    /// The operation with that number.
    pub(crate) fn of(number: u32) -> Option<Operator> {
        OPERATORS.get(number.checked_sub(1)? as usize).map(|row| row.0)
    }

    /// Whether two ranks mean different operations. Procedures with variables of their host have no number of their own.
    pub(crate) fn differs(self, other: Operator) -> bool {
        match (self, other) {
            (O::Own(a), O::Own(b)) => a != b && u32::try_from(a.max(b)).is_ok(),
            _ => self != other,
        }
    }

    /// The number of its handle, where it has one.
    pub(crate) fn number(self) -> u32 {
        OPERATORS.iter().position(|row| row.0 == self).map_or(0, |at| at as u32 + 1)
    }

    /// Its name.
    pub(crate) fn name(self) -> &'static str {
        OPERATORS.iter().find(|row| row.0 == self).map_or("an operation of the program", |row| row.1)
    }

    /// Whether it is defined for values of a type.
    pub(crate) fn takes(self, basic: Basic) -> bool {
        let is_number = matches!(basic.class(), Class::Integer | Class::Unsigned | Class::Real);
        let is_pair = matches!(basic.class(), Class::IntegerPair | Class::RealPair);
        match self {
            O::Max | O::Min => is_number,
            O::Sum | O::Product => is_number || basic.class() == Class::Complex,
            O::LogicalAnd | O::LogicalOr | O::LogicalXor => {
                matches!(basic.class(), Class::Logical | Class::Integer | Class::Unsigned)
            }
            O::BitAnd | O::BitOr | O::BitXor => {
                matches!(basic.class(), Class::Integer | Class::Unsigned | Class::Byte)
            }
            O::MaxLocation | O::MinLocation => is_pair,
            O::Replace | O::Nothing | O::Own(_) => true,
        }
    }

    /// `first = first op second`, value by value. The type is one that the operation takes, both have the same length.
    pub(crate) fn combine(self, basic: Basic, first: &mut [u8], second: &[u8]) {
        match self {
            O::Nothing | O::Own(_) => return,
            O::Replace => return first.copy_from_slice(second),
            _ => {}
        }
        /// Changes each value of the first by one of the second, as values of a type.
        macro_rules! values {
            ($ty:ty, $f:expr) => {
                each(first, second, |a, b| $f(<$ty>::from_le_bytes(a), <$ty>::from_le_bytes(b)).to_le_bytes())
            };
        }
        let whole = |a: i64, b: i64| integer(self, a, b);
        let truth = |a: u8, b: u8| logical(self, a, b);
        match (basic.class(), basic.bytes()) {
            (Class::Integer, 1) | (Class::Byte, _) => values!(i8, |a: i8, b: i8| whole(a.into(), b.into()) as i8),
            (Class::Integer, 2) => values!(i16, |a: i16, b: i16| whole(a.into(), b.into()) as i16),
            (Class::Integer, 4) => values!(i32, |a: i32, b: i32| whole(a.into(), b.into()) as i32),
            (Class::Integer, _) => values!(i64, whole),
            (Class::Unsigned, 1) => values!(u8, |a: u8, b: u8| unsigned(self, a.into(), b.into()) as u8),
            (Class::Unsigned, 2) => values!(u16, |a: u16, b: u16| unsigned(self, a.into(), b.into()) as u16),
            (Class::Unsigned, 4) => values!(u32, |a: u32, b: u32| unsigned(self, a.into(), b.into()) as u32),
            (Class::Unsigned, _) => values!(u64, |a: u64, b: u64| unsigned(self, a, b)),
            (Class::Logical, 1) => values!(u8, |a: u8, b: u8| truth(a, b) as u8),
            (Class::Logical, 2) => values!(i16, |a: i16, b: i16| truth(a as u8, b as u8) as i16),
            (Class::Logical, 4) => values!(i32, |a: i32, b: i32| truth(a as u8, b as u8) as i32),
            (Class::Logical, _) => values!(i64, |a: i64, b: i64| truth(a as u8, b as u8)),
            (Class::Real, 2) => each(first, second, |a: [u8; 2], b: [u8; 2]| {
                let [a, b] = [a, b].map(|bits| half::widen(u16::from_le_bytes(bits)));
                half::round(f64::from(real(self, a, b))).to_le_bytes()
            }),
            (Class::Real, 4) => values!(f32, |a: f32, b: f32| real(self, a, b)),
            (Class::Real, _) => values!(f64, |a: f64, b: f64| real(self, a, b)),
            (Class::Complex, 8) => each(first, second, |a: [u8; 8], b: [u8; 8]| {
                let part = |x: &[u8; 8], i: usize| f32::from_le_bytes([x[i], x[i + 1], x[i + 2], x[i + 3]]);
                let (x, y) = ([part(&a, 0), part(&a, 4)], [part(&b, 0), part(&b, 4)]);
                let [re, im] = match self {
                    O::Product => [x[0] * y[0] - x[1] * y[1], x[0] * y[1] + x[1] * y[0]],
                    _ => [x[0] + y[0], x[1] + y[1]],
                };
                joined(re.to_le_bytes(), im.to_le_bytes())
            }),
            (Class::Complex, _) => each(first, second, |a: [u8; 16], b: [u8; 16]| {
                let (x, y) = (halves(&a).map(f64::from_le_bytes), halves(&b).map(f64::from_le_bytes));
                let [re, im] = match self {
                    O::Product => [x[0] * y[0] - x[1] * y[1], x[0] * y[1] + x[1] * y[0]],
                    _ => [x[0] + y[0], x[1] + y[1]],
                };
                joined(re.to_le_bytes(), im.to_le_bytes())
            }),
            (Class::IntegerPair, _) => each(first, second, |a: [u8; 8], b: [u8; 8]| {
                let word = |x: &[u8; 8], i: usize| f64::from(i32::from_le_bytes([x[i], x[i + 1], x[i + 2], x[i + 3]]));
                if self.keeps((word(&a, 0), word(&a, 4)), (word(&b, 0), word(&b, 4))) { a } else { b }
            }),
            (Class::RealPair, 8) => each(first, second, |a: [u8; 8], b: [u8; 8]| {
                let word = |x: &[u8; 8], i: usize| f64::from(f32::from_le_bytes([x[i], x[i + 1], x[i + 2], x[i + 3]]));
                if self.keeps((word(&a, 0), word(&a, 4)), (word(&b, 0), word(&b, 4))) { a } else { b }
            }),
            (Class::RealPair, _) => each(first, second, |a: [u8; 16], b: [u8; 16]| {
                let (x, y) = (halves(&a).map(f64::from_le_bytes), halves(&b).map(f64::from_le_bytes));
                if self.keeps((x[0], x[1]), (y[0], y[1])) { a } else { b }
            }),
            (Class::Character, _) => {}
        }
    }

    /// Whether the first of two values with their indices is the result of `MPI_MAXLOC` or `MPI_MINLOC`: of equal ones it is the
    /// one with the smaller index.
    fn keeps(self, (a, i): (f64, f64), (b, j): (f64, f64)) -> bool {
        let is_better = if self == O::MaxLocation { a > b } else { a < b };
        is_better || (a == b && i <= j)
    }
}

/// Changes each value of the first by one of the second.
fn each<const N: usize>(first: &mut [u8], second: &[u8], f: impl Fn([u8; N], [u8; N]) -> [u8; N]) {
    for (a, b) in first.as_chunks_mut::<N>().0.iter_mut().zip(second.as_chunks::<N>().0) {
        *a = f(*a, *b);
    }
}

fn halves(bytes: &[u8; 16]) -> [[u8; 8]; 2] {
    let (parts, _) = bytes.as_chunks::<8>();
    [parts[0], parts[1]]
}

fn joined<const N: usize, const M: usize>(a: [u8; N], b: [u8; N]) -> [u8; M] {
    let mut out = [0; M];
    out[..N].copy_from_slice(&a);
    out[N..].copy_from_slice(&b);
    out
}

fn integer(op: Operator, a: i64, b: i64) -> i64 {
    match op {
        O::Max => a.max(b),
        O::Min => a.min(b),
        O::Product => a.wrapping_mul(b),
        O::BitAnd => a & b,
        O::BitOr => a | b,
        O::BitXor => a ^ b,
        O::LogicalAnd => i64::from(a != 0 && b != 0),
        O::LogicalOr => i64::from(a != 0 || b != 0),
        O::LogicalXor => i64::from((a != 0) != (b != 0)),
        _ => a.wrapping_add(b),
    }
}

/// Only the order of values depends on whether they have a sign.
fn unsigned(op: Operator, a: u64, b: u64) -> u64 {
    match op {
        O::Max => a.max(b),
        O::Min => a.min(b),
        _ => integer(op, a as i64, b as i64) as u64,
    }
}

/// Logical values are true where the lowest bit is set; the result is all bits or none.
fn logical(op: Operator, a: u8, b: u8) -> i64 {
    let (a, b) = (a & 1 == 1, b & 1 == 1);
    -i64::from(match op {
        O::LogicalAnd => a && b,
        O::LogicalXor => a != b,
        _ => a || b,
    })
}

fn real<T>(op: Operator, a: T, b: T) -> T
where
    T: Copy + PartialOrd + Add<Output = T> + Mul<Output = T>,
{
    // Only a NaN is not ordered with itself.
    let is_nan = a.partial_cmp(&a).is_none();
    match op {
        O::Max if a > b || is_nan => a,
        O::Min if a < b || is_nan => a,
        O::Max | O::Min => b,
        O::Product => a * b,
        _ => a + b,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn combined<const N: usize>(op: Operator, class: Class, a: [u8; N], b: [u8; N]) -> [u8; N] {
        let (mut first, basic) = (a, Basic::of(class, N as u64).expect("a basic type"));
        assert!(op.takes(basic));
        op.combine(basic, &mut first, &b);
        first
    }

    #[test]
    fn numbers_are_combined() {
        assert_eq!(combined(O::Sum, Class::Integer, 7i32.to_le_bytes(), (-9i32).to_le_bytes()), (-2i32).to_le_bytes());
        assert_eq!(combined(O::Max, Class::Real, 7f64.to_le_bytes(), 9f64.to_le_bytes()), 9f64.to_le_bytes());
        assert_eq!(combined(O::LogicalAnd, Class::Logical, [255; 4], [1, 0, 0, 0]), [255; 4]);
        assert_eq!(combined(O::BitXor, Class::Integer, [6], [3]), [5]);
        assert_eq!(combined(O::Max, Class::Unsigned, [200], [3]), [200]);
        assert_eq!(combined(O::Max, Class::Integer, [200], [3]), [3]);
    }

    #[test]
    fn of_equal_values_the_smaller_index_stays() {
        let pair = |a: i32, b: i32| joined::<4, 8>(a.to_le_bytes(), b.to_le_bytes());
        assert_eq!(combined(O::MaxLocation, Class::IntegerPair, pair(5, 3), pair(5, 1)), pair(5, 1));
        assert_eq!(combined(O::MinLocation, Class::IntegerPair, pair(4, 3), pair(5, 1)), pair(4, 3));
        let i = |re: f64, im: f64| joined::<8, 16>(re.to_le_bytes(), im.to_le_bytes());
        assert_eq!(combined(O::Product, Class::Complex, i(0.0, 1.0), i(0.0, 1.0)), i(-1.0, 0.0));
    }
}
