//! Affine values (scalar evolution): which operations are affine, and what they make of affine operands.
//!
//! An affine value is a constant plus multiples of symbols. What a symbol stands for, and which values become symbols because
//! they are not followed further, is the client's rule: the optimiser follows one definition, the executor follows an address
//! back to registers, the footprint follows a whole kernel back to thread indices and iteration numbers.
//!
//! - [`Affine`] is the value. Its coefficients say its arithmetic: `i128` is exact, and an operation whose result becomes too
//!   large gives `None`; `Wrapping<i64>` is arithmetic modulo 2⁶⁴ and always succeeds.
//! - [`Recurrence`] is the case of one symbol, the number of an iteration, in exact 64-bit arithmetic.
//! - [`Operation`] says which instructions are affine in their operands. Its results are those of unbounded integers. An
//!   instruction wraps at the width of its type: exact results are right only if the client shows that they fit, wrapping
//!   results are right for 64-bit instructions, and for narrower ones modulo their width.
//!
//! Not here: conversions, which keep a value only where nothing wrapped, so each client decides; bounds of values
//! (`footprint`); how registers change from iteration to iteration (the client's symbols).

use crate::op::{BinOp, TriOp, UnOp};
use crate::{InstKind, Val};
use scalar::Ty;
use std::num::Wrapping;

/// A coefficient of an affine value: a number and its arithmetic.
pub trait Coefficient: Copy + Ord {
    /// The most terms of a value with such coefficients.
    const MAX_TERMS: usize;

    /// The number.
    fn from_i64(value: i64) -> Self;
    /// The number, if it fits.
    fn to_i64(self) -> Option<i64>;
    /// The sum, if it can be represented.
    fn plus(self, other: Self) -> Option<Self>;
    /// The product, if it can be represented.
    fn times(self, other: Self) -> Option<Self>;
    /// Whether the number is small enough for the factor of a symbol.
    fn is_factor(self) -> bool;
    /// Whether the number is small enough for the constant part.
    fn is_constant(self) -> bool;
}

/// Exact arithmetic. Factors stay so small that a factor times a 64-bit value, and a sum of such products, fit 128 bits.
impl Coefficient for i128 {
    const MAX_TERMS: usize = 12;

    fn from_i64(value: i64) -> i128 {
        i128::from(value)
    }

    fn to_i64(self) -> Option<i64> {
        i64::try_from(self).ok()
    }

    fn plus(self, other: i128) -> Option<i128> {
        self.checked_add(other)
    }

    fn times(self, other: i128) -> Option<i128> {
        self.checked_mul(other)
    }

    fn is_factor(self) -> bool {
        self.unsigned_abs() <= 1 << 56
    }

    fn is_constant(self) -> bool {
        self.unsigned_abs() <= 1 << 100
    }
}

/// Arithmetic modulo 2⁶⁴.
impl Coefficient for Wrapping<i64> {
    const MAX_TERMS: usize = usize::MAX;

    fn from_i64(value: i64) -> Wrapping<i64> {
        Wrapping(value)
    }

    fn to_i64(self) -> Option<i64> {
        Some(self.0)
    }

    fn plus(self, other: Wrapping<i64>) -> Option<Wrapping<i64>> {
        Some(self + other)
    }

    fn times(self, other: Wrapping<i64>) -> Option<Wrapping<i64>> {
        Some(self * other)
    }

    fn is_factor(self) -> bool {
        true
    }

    fn is_constant(self) -> bool {
        true
    }
}

/// A constant plus multiples of symbols.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Affine<S, C> {
    /// The constant part.
    pub constant: C,
    /// Symbols with their factors: ascending by symbol, no factor is zero.
    pub terms: Vec<(S, C)>,
}

impl<S: Copy + Ord, C: Coefficient> Affine<S, C> {
    /// A constant.
    pub fn constant(constant: C) -> Affine<S, C> {
        Affine { constant, terms: Vec::new() }
    }

    /// A symbol.
    pub fn symbol(symbol: S) -> Affine<S, C> {
        Affine { constant: C::from_i64(0), terms: vec![(symbol, C::from_i64(1))] }
    }

    /// The value, if it has no symbols.
    pub fn as_constant(&self) -> Option<C> {
        self.terms.is_empty().then_some(self.constant)
    }

    /// The factor of a symbol; 0 if it does not occur.
    pub fn coefficient(&self, symbol: S) -> C {
        self.terms.binary_search_by_key(&symbol, |t| t.0).map_or(C::from_i64(0), |i| self.terms[i].1)
    }

    /// This value plus `factor` times another.
    pub fn plus(&self, other: &Affine<S, C>, factor: C) -> Option<Affine<S, C>> {
        let constant = self.constant.plus(other.constant.times(factor)?)?;
        let mut terms = Vec::with_capacity(self.terms.len() + other.terms.len());
        let (mut left, mut right) = (self.terms.as_slice(), other.terms.as_slice());
        loop {
            let term = match (left.split_first(), right.split_first()) {
                (None, None) => break,
                (Some((a, rest)), b) if b.is_none_or(|(b, _)| a.0 < b.0) => {
                    left = rest;
                    *a
                }
                (a, Some((b, rest))) => {
                    right = rest;
                    let product = b.1.times(factor)?;
                    match a.filter(|(a, _)| a.0 == b.0) {
                        Some((a, rest)) => {
                            left = rest;
                            (a.0, a.1.plus(product)?)
                        }
                        None => (b.0, product),
                    }
                }
                (Some(_), None) => break,
            };
            if term.1 != C::from_i64(0) {
                terms.push(term);
            }
        }
        Affine { constant, terms }.bounded()
    }

    /// This value times a constant.
    pub fn times(&self, factor: C) -> Option<Affine<S, C>> {
        Affine::constant(C::from_i64(0)).plus(self, factor)
    }

    /// This value plus a constant.
    pub fn offset(&self, constant: C) -> Option<Affine<S, C>> {
        Affine { constant: self.constant.plus(constant)?, terms: self.terms.clone() }.bounded()
    }

    /// The constant and the terms whose symbols `keep` accepts.
    #[must_use]
    pub fn filtered(&self, keep: impl Fn(S) -> bool) -> Affine<S, C> {
        Affine { constant: self.constant, terms: self.terms.iter().copied().filter(|t| keep(t.0)).collect() }
    }

    /// The value for these values of the symbols.
    pub fn evaluate(&self, value: impl Fn(S) -> C) -> Option<C> {
        self.terms.iter().try_fold(self.constant, |sum, &(symbol, factor)| sum.plus(factor.times(value(symbol))?))
    }

    fn bounded(self) -> Option<Affine<S, C>> {
        let fits = self.constant.is_constant()
            && self.terms.len() <= C::MAX_TERMS
            && self.terms.iter().all(|t| t.1.is_factor());
        fits.then_some(self)
    }
}

/// An affine recurrence `{first, +, step}`: what a value is in the first iteration of a loop, and what each iteration adds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Recurrence {
    /// The value in the first iteration.
    pub first: i64,
    /// What each iteration adds.
    pub step: i64,
}

/// A value that affine operations can be applied to.
pub trait Linear: Clone {
    /// A constant.
    fn from_constant(value: i64) -> Self;
    /// The value, if it is a constant that fits.
    fn to_constant(&self) -> Option<i64>;
    /// This value plus `factor` times another; `None` if it becomes too large.
    fn plus_times(&self, other: &Self, factor: i64) -> Option<Self>;
    /// The product with a constant; `None` if neither is one, or if it becomes too large.
    fn product(&self, other: &Self) -> Option<Self> {
        let zero = Self::from_constant(0);
        match (self.to_constant(), other.to_constant()) {
            (_, Some(factor)) => zero.plus_times(self, factor),
            (Some(factor), _) => zero.plus_times(other, factor),
            (None, None) => None,
        }
    }
}

impl<S: Copy + Ord, C: Coefficient> Linear for Affine<S, C> {
    fn from_constant(value: i64) -> Affine<S, C> {
        Affine::constant(C::from_i64(value))
    }

    fn to_constant(&self) -> Option<i64> {
        self.as_constant()?.to_i64()
    }

    fn plus_times(&self, other: &Affine<S, C>, factor: i64) -> Option<Affine<S, C>> {
        self.plus(other, C::from_i64(factor))
    }
}

impl Linear for Recurrence {
    fn from_constant(value: i64) -> Recurrence {
        Recurrence { first: value, step: 0 }
    }

    fn to_constant(&self) -> Option<i64> {
        (self.step == 0).then_some(self.first)
    }

    fn plus_times(&self, other: &Recurrence, factor: i64) -> Option<Recurrence> {
        Some(Recurrence {
            first: self.first.checked_add(other.first.checked_mul(factor)?)?,
            step: self.step.checked_add(other.step.checked_mul(factor)?)?,
        })
    }
}

/// An integer operation that is affine in its operands, a product only if all factors but one are constants.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Operation {
    /// `a`
    Copy,
    /// `-a`
    Neg,
    /// `-a - 1`
    Not,
    /// `a + b`
    Add,
    /// `a - b`
    Sub,
    /// `a * b`
    Mul,
    /// `a * 2**b`, `b` a constant
    Shl,
    /// `a * b + c`
    Mad,
}

impl Operation {
    /// The affine operation that a table's operation is on integers.
    pub fn unary(op: UnOp) -> Option<Operation> {
        match op {
            UnOp::Mov => Some(Operation::Copy),
            UnOp::Neg => Some(Operation::Neg),
            UnOp::Not => Some(Operation::Not),
            UnOp::Abs
            | UnOp::Sqrt
            | UnOp::Floor
            | UnOp::Ceil
            | UnOp::Trunc
            | UnOp::Round
            | UnOp::RoundEven
            | UnOp::Popc
            | UnOp::Clz
            | UnOp::Ctz
            | UnOp::Brev
            | UnOp::Canon
            | UnOp::SinApprox
            | UnOp::CosApprox
            | UnOp::Ex2Approx
            | UnOp::Lg2Approx
            | UnOp::SqrtApprox
            | UnOp::RsqrtApprox => None,
        }
    }

    /// The same for two operands.
    pub fn binary(op: BinOp) -> Option<Operation> {
        match op {
            BinOp::Add => Some(Operation::Add),
            BinOp::Sub => Some(Operation::Sub),
            BinOp::Mul => Some(Operation::Mul),
            BinOp::Shl => Some(Operation::Shl),
            BinOp::MulHi
            | BinOp::Div
            | BinOp::Rem
            | BinOp::Min
            | BinOp::Max
            | BinOp::And
            | BinOp::Or
            | BinOp::Xor
            | BinOp::ShrU
            | BinOp::ShrS
            | BinOp::Copysign
            | BinOp::Fmod
            | BinOp::DivApprox => None,
        }
    }

    /// The same for three operands.
    pub fn ternary(op: TriOp) -> Option<Operation> {
        match op {
            TriOp::Mad => Some(Operation::Mad),
            TriOp::Fma => None,
        }
    }

    /// The operation of an instruction on integers, its type, and its operands.
    pub fn of(kind: &InstKind) -> Option<(Operation, Ty, [Option<Val>; 3])> {
        let (operation, ty, operands) = match *kind {
            InstKind::Un { op, ty, a, .. } => (Operation::unary(op)?, ty, [Some(a), None, None]),
            InstKind::Bin { op, ty, a, b, .. } => (Operation::binary(op)?, ty, [Some(a), Some(b), None]),
            InstKind::Tri { op, ty, a, b, c, .. } => (Operation::ternary(op)?, ty, [Some(a), Some(b), Some(c)]),
            InstKind::Cmp { .. }
            | InstKind::Select { .. }
            | InstKind::Cvt { .. }
            | InstKind::Addr { .. }
            | InstKind::Load { .. }
            | InstKind::Store { .. }
            | InstKind::Atomic { .. }
            | InstKind::Fence { .. }
            | InstKind::Barrier { .. }
            | InstKind::SyncWarp { .. }
            | InstKind::Vote { .. }
            | InstKind::Shuffle { .. }
            | InstKind::Special { .. }
            | InstKind::Call { .. }
            | InstKind::Rt { .. }
            | InstKind::Launch { .. }
            | InstKind::Stmt
            | InstKind::BackEdge
            | InstKind::Clear { .. } => return None,
        };
        ty.is_int().then_some((operation, ty, operands))
    }

    /// Whether the result is affine whatever the registers among the operands are.
    pub fn is_affine(self, operands: [Option<Val>; 3]) -> bool {
        let is_constant = |i: usize| matches!(operands[i], Some(Val::Imm(_)));
        match self {
            Operation::Copy | Operation::Neg | Operation::Not | Operation::Add | Operation::Sub => true,
            Operation::Mul | Operation::Mad => is_constant(0) || is_constant(1),
            Operation::Shl => is_constant(1),
        }
    }

    /// The result for these operands, in a type of that width; `None` if it is not affine or becomes too large. Operands
    /// that the operation does not have are not looked at.
    pub fn apply<L: Linear>(self, ty: Ty, operands: [Option<&L>; 3]) -> Option<L> {
        let [a, b, c] = operands;
        let a = a?;
        match self {
            Operation::Copy => Some(a.clone()),
            Operation::Neg => L::from_constant(0).plus_times(a, -1),
            Operation::Not => L::from_constant(-1).plus_times(a, -1),
            Operation::Add => a.plus_times(b?, 1),
            Operation::Sub => a.plus_times(b?, -1),
            Operation::Mul => a.product(b?),
            Operation::Shl => {
                let count = b?.to_constant().filter(|n| (0..63.min(i64::from(ty.bytes()) * 8)).contains(n))?;
                L::from_constant(0).plus_times(a, 1 << count)
            }
            Operation::Mad => a.product(b?)?.plus_times(c?, 1),
        }
    }
}

/// What an instruction on integers computes, from its operands; `None` if it is not affine in them or becomes too large.
/// Operands that are constants are signed numbers of the instruction's type.
pub fn of_instruction<L: Linear>(kind: &InstKind, mut operand: impl FnMut(Val) -> Option<L>) -> Option<L> {
    let (operation, ty, operands) = Operation::of(kind)?;
    let mut values = [None, None, None];
    for (value, val) in values.iter_mut().zip(operands) {
        *value = match val {
            None => None,
            Some(Val::Imm(bits)) => Some(L::from_constant(scalar::bits::signed(ty, bits))),
            Some(val @ Val::Reg(_)) => Some(operand(val)?),
        };
    }
    let [a, b, c] = &values;
    operation.apply(ty, [a.as_ref(), b.as_ref(), c.as_ref()])
}

/// The greatest common divisor of two numbers; of 0 and a number, that number's magnitude.
pub fn gcd(a: i128, b: i128) -> i128 {
    let (mut a, mut b) = (a.abs(), b.abs());
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}
