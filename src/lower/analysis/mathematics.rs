//! Which expressions call the mathematics library, a Fortran module (`cufemu_math`).
//!
//! The module is larger than most programs. Only the functions that a program calls are compiled; they are known once the
//! program is checked.
//!
//! Not here: the calls (`call`), the functions (the sources of the module).

use crate::analysis::usage;
use sema::checked::Intrinsic as I;
use sema::checked::{BinaryOp, Expr, ExprKind, Program, Type};
use std::collections::BTreeSet;

/// The procedures of the module `cufemu_math` that the program calls: `sin_r4`, `pow_c8` …
pub fn mathematics(program: &Program) -> BTreeSet<String> {
    usage::analyse(program).mathematics
}

/// The function of the mathematics library that device code draws random numbers by.
pub(crate) const RANDOM_BITS: &str = "random_bits";

/// The name of a function of the mathematics library for a type of its result.
pub(crate) fn procedure_name(function: &str, ty: &Type) -> String {
    let (letter, kind) = match ty {
        Type::Real(k) => ('r', k),
        Type::Complex(k) => ('c', k),
        Type::Integer(k) => ('i', k),
        _ => return function.to_owned(),
    };
    format!("{function}_{letter}{kind}")
}

/// The function of the mathematics library that computes an expression, without its parts.
pub(crate) fn library_function(e: &Expr) -> Option<&'static str> {
    let (id, args) = match &e.kind {
        ExprKind::Binary { op: BinaryOp::Pow, right, .. } => return is_not_integer(right).then_some("pow"),
        ExprKind::Intrinsic { id, args } => (id, args),
        _ => return None,
    };
    let arg = |i: usize| args.get(i).and_then(Option::as_ref);
    match id {
        I::Sqrt => matches!(e.ty, Type::Complex(_)).then_some("sqrt"),
        I::Abs => arg(0).is_some_and(|a| matches!(a.ty, Type::Complex(_))).then_some("hypot"),
        I::Atan if arg(1).is_some() => Some("atan2"),
        I::Acos
        | I::Acosh
        | I::Asin
        | I::Asinh
        | I::Atan
        | I::Atan2
        | I::Atanh
        | I::BesselJ0
        | I::BesselJ1
        | I::BesselJn
        | I::BesselY0
        | I::BesselY1
        | I::BesselYn
        | I::Cbrt
        | I::Cos
        | I::Cosh
        | I::Cospi
        | I::Erf
        | I::Erfc
        | I::ErfcScaled
        | I::Exp
        | I::Exp2
        | I::Exp10
        | I::Expm1
        | I::Gamma
        | I::Hypot
        | I::Log
        | I::LogGamma
        | I::Log10
        | I::Log1p
        | I::Log2
        | I::Rsqrt
        | I::Sin
        | I::Sinh
        | I::Sinpi
        | I::Tan
        | I::Tanh
        | I::Tanpi => Some(id.name()),
        _ => None,
    }
}

fn is_not_integer(e: &Expr) -> bool {
    !matches!(e.ty, Type::Integer(_))
}
