//! Which expressions call the mathematics library, a Fortran module of its own (`cufemu_math`).
//!
//! The module is large beside most programs, so that it is compiled only for those that need it; they are known once they
//! are checked.
//!
//! Not here: the calls (`call`), the functions (the sources of the module).

use crate::usage;
use sema::checked::{BinaryOp, Expr, ExprKind, Program, Type};
use sema::intrinsic::Intrinsic as I;

/// Whether the program calls functions of the module `cufemu_math`.
pub fn needs_mathematics(program: &Program) -> bool {
    usage::analyse(program).mathematics
}

/// Whether an expression, without its parts, is computed by the mathematics library.
pub(crate) fn is_library_call(e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Binary { op: BinaryOp::Pow, right, .. } => !matches!(right.ty, Type::Integer(_)),
        ExprKind::Intrinsic { id: I::Sqrt, .. } => matches!(e.ty, Type::Complex(_)),
        ExprKind::Intrinsic { id: I::Abs, args } => {
            args.first().and_then(Option::as_ref).is_some_and(|a| matches!(a.ty, Type::Complex(_)))
        }
        ExprKind::Intrinsic { id, .. } => matches!(
            id,
            I::Acos
                | I::Acosd
                | I::Asind
                | I::Atand
                | I::Cosd
                | I::Sind
                | I::Tand
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
                | I::Tan
                | I::Tanh
        ),
        _ => false,
    }
}
