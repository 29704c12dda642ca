//! Scalar types and their exact arithmetic: wrap, rounding, conversion and NaN rules, written once.
//!
//! Everything that computes (constant folding, the IR's one-lane evaluator, the lane executor) calls these functions, so
//! that a value does not depend on who computed it. The rules are the GPU's, as measured on an H200 (see [`Ty`] and the
//! functions): integers wrap, division never traps, real(4) NaN results are canonical, conversions of NaN follow the
//! target.
//!
//! Small things that several layers share live here too: the lanes of a mask ([`lanes`]), a mixing function ([`random`]) and a
//! generator of random numbers ([`xorwow`]).
//!
//! Not here: CUDA Fortran types (`sema`), characters and complex numbers (lowered to scalars).

pub mod approximate;
pub mod bits;
pub mod convert;
pub mod exceptions;
pub mod half;
pub mod int;
mod lanes;
pub mod model;
pub mod random;
pub mod real;
pub mod xorwow;

pub use lanes::{Lanes, lanes};

/// Type of one IR register or memory cell.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Ty {
    /// A predicate: 0 or 1. Registers only.
    Pred,
    /// 8-bit integer, two's complement.
    I8,
    /// 16-bit integer.
    I16,
    /// 32-bit integer.
    I32,
    /// 64-bit integer; also addresses.
    I64,
    /// IEEE binary32.
    F32,
    /// IEEE binary64.
    F64,
}

impl Ty {
    /// All types, in order.
    pub const ALL: [Ty; 7] = [Ty::Pred, Ty::I8, Ty::I16, Ty::I32, Ty::I64, Ty::F32, Ty::F64];

    /// Bytes that a value takes in memory (a predicate, which is never in memory, counts 1).
    pub fn bytes(self) -> u32 {
        match self {
            Ty::Pred | Ty::I8 => 1,
            Ty::I16 => 2,
            Ty::I32 | Ty::F32 => 4,
            Ty::I64 | Ty::F64 => 8,
        }
    }

    /// The integer type of so many bytes; `I32` where there is none of that size.
    pub fn integer(bytes: u64) -> Ty {
        match bytes {
            1 => Ty::I8,
            2 => Ty::I16,
            8 => Ty::I64,
            _ => Ty::I32,
        }
    }

    /// Whether the type is an integer (not a predicate).
    pub fn is_int(self) -> bool {
        matches!(self, Ty::I8 | Ty::I16 | Ty::I32 | Ty::I64)
    }

    /// Whether the type is a real.
    pub fn is_real(self) -> bool {
        matches!(self, Ty::F32 | Ty::F64)
    }

    /// The name in IR text: `pred`, `i32`, `f64` …
    pub fn name(self) -> &'static str {
        match self {
            Ty::Pred => "pred",
            Ty::I8 => "i8",
            Ty::I16 => "i16",
            Ty::I32 => "i32",
            Ty::I64 => "i64",
            Ty::F32 => "f32",
            Ty::F64 => "f64",
        }
    }
}

impl std::fmt::Display for Ty {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}
