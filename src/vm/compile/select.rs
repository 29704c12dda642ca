//! The operation for an instruction that only computes: on rows of lanes, or on scalars.
//!
//! An operation of the IR without an own row operation is evaluated lane by lane; each is named here, so that a new one does not
//! build until it is decided.

use crate::code::{Op, R2, R3, R4, Slot};
use ir::Ty;
use ir::op::{BinOp, CmpOp, CvtOp, TriOp, UnOp};

/// Which file a type lives in: 0 predicates, 1 words, 2 longs.
pub(crate) fn file_of(ty: Ty) -> usize {
    match ty {
        Ty::Pred => 0,
        Ty::I8 | Ty::I16 | Ty::I32 | Ty::F32 => 1,
        Ty::I64 | Ty::F64 => 2,
    }
}

/// A copy of a slot.
pub(crate) fn copy(ty: Ty, d: Slot, a: Slot) -> Op {
    let r = R2 { d, a };
    match file_of(ty) {
        0 => Op::MovP(r),
        1 => Op::Mov32(r),
        _ => Op::Mov64(r),
    }
}

/// The operation of a type that has one, else what the evaluator does lane by lane.
macro_rules! by_type {
    ($ty:expr, $r:expr, $other:expr; $($own:ident $op:ident),*) => {
        match $ty {
            $(Ty::$own => Op::$op($r),)*
            _ => $other,
        }
    };
}

pub(crate) fn unary(op: UnOp, ty: Ty, r: R2) -> Op {
    let eval = Op::EvalUn { op, ty, r };
    match op {
        UnOp::Mov => copy(ty, r.d, r.a),
        UnOp::Not => by_type!(ty, r, eval; Pred NotP),
        UnOp::Neg => by_type!(ty, r, eval; F32 NegF32, F64 NegF64),
        UnOp::Abs => by_type!(ty, r, eval; F32 AbsF32, F64 AbsF64),
        UnOp::Sqrt => by_type!(ty, r, eval; F32 SqrtF32, F64 SqrtF64),
        UnOp::Floor
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
        | UnOp::RsqrtApprox => eval,
    }
}

pub(crate) fn binary(op: BinOp, ty: Ty, r: R3) -> Op {
    let eval = Op::EvalBin { op, ty, r };
    match op {
        BinOp::Add => by_type!(ty, r, eval; I32 AddI32, I64 AddI64, F32 AddF32, F64 AddF64),
        BinOp::Sub => by_type!(ty, r, eval; I32 SubI32, I64 SubI64, F32 SubF32, F64 SubF64),
        BinOp::Mul => by_type!(ty, r, eval; I32 MulI32, I64 MulI64, F32 MulF32, F64 MulF64),
        BinOp::Div => by_type!(ty, r, eval; I32 DivI32, I64 DivI64, F32 DivF32, F64 DivF64),
        BinOp::Rem => by_type!(ty, r, eval; I32 RemI32, I64 RemI64),
        BinOp::Min => by_type!(ty, r, eval; I32 MinI32, I64 MinI64, F32 MinF32, F64 MinF64),
        BinOp::Max => by_type!(ty, r, eval; I32 MaxI32, I64 MaxI64, F32 MaxF32, F64 MaxF64),
        BinOp::And => by_type!(ty, r, eval; Pred AndP, I32 And32, I64 And64),
        BinOp::Or => by_type!(ty, r, eval; Pred OrP, I32 Or32, I64 Or64),
        BinOp::Xor => by_type!(ty, r, eval; Pred XorP, I32 Xor32, I64 Xor64),
        BinOp::Shl => by_type!(ty, r, eval; I32 Shl32, I64 Shl64),
        BinOp::ShrU => by_type!(ty, r, eval; I32 ShrU32, I64 ShrU64),
        BinOp::ShrS => by_type!(ty, r, eval; I32 ShrS32, I64 ShrS64),
        BinOp::MulHi | BinOp::Copysign | BinOp::Fmod | BinOp::DivApprox => eval,
    }
}

pub(crate) fn ternary(op: TriOp, ty: Ty, r: R4) -> Op {
    let eval = Op::EvalTri { op, ty, r };
    match op {
        TriOp::Fma => by_type!(ty, r, eval; F32 FmaF32, F64 FmaF64),
        TriOp::Mad => by_type!(ty, r, eval; I32 MadI32, I64 MadI64),
    }
}

/// `r.c` is the predicate.
pub(crate) fn select(ty: Ty, r: R4) -> Op {
    match file_of(ty) {
        0 => Op::SelP(r),
        1 => Op::Sel32(r),
        _ => Op::Sel64(r),
    }
}

pub(crate) fn compare(op: CmpOp, ty: Ty, r: R3) -> Op {
    let eval = Op::EvalCmp { op, ty, r };
    match op {
        CmpOp::Eq => by_type!(ty, r, eval; I32 EqI32, I64 EqI64, F32 EqF32, F64 EqF64),
        CmpOp::Ne => by_type!(ty, r, eval; I32 NeI32, I64 NeI64, F32 NeF32, F64 NeF64),
        CmpOp::Lt => by_type!(ty, r, eval; I32 LtI32, I64 LtI64, F32 LtF32, F64 LtF64),
        CmpOp::Le => by_type!(ty, r, eval; I32 LeI32, I64 LeI64, F32 LeF32, F64 LeF64),
        CmpOp::Gt => by_type!(ty, r, eval; I32 GtI32, I64 GtI64, F32 GtF32, F64 GtF64),
        CmpOp::Ge => by_type!(ty, r, eval; I32 GeI32, I64 GeI64, F32 GeF32, F64 GeF64),
        CmpOp::LtU => by_type!(ty, r, eval; I32 LtU32, I64 LtU64),
        CmpOp::GeU => by_type!(ty, r, eval; I32 GeU32, I64 GeU64),
    }
}

pub(crate) fn convert(op: CvtOp, from: Ty, to: Ty, r: R2) -> Op {
    let eval = Op::EvalCvt { op, from, to, r };
    match op {
        CvtOp::Cast => match (from, to) {
            (Ty::I32, Ty::I64) => Op::I32ToI64(r),
            (Ty::I64, Ty::I32) => Op::I64ToI32(r),
            (Ty::I32, Ty::F32) => Op::I32ToF32(r),
            (Ty::I32, Ty::F64) => Op::I32ToF64(r),
            (Ty::F32, Ty::F64) => Op::F32ToF64(r),
            (Ty::F64, Ty::F32) => Op::F64ToF32(r),
            (Ty::F32, Ty::I32) => Op::F32ToI32(r),
            (Ty::F64, Ty::I32) => Op::F64ToI32(r),
            (Ty::I64, Ty::F64) => Op::I64ToF64(r),
            _ => eval,
        },
        CvtOp::Bits if file_of(from) != 0 && file_of(from) == file_of(to) && from.bytes() == to.bytes() => {
            copy(to, r.d, r.a)
        }
        CvtOp::Bits
        | CvtOp::CastU
        | CvtOp::Nint
        | CvtOp::FloorI
        | CvtOp::CeilI
        | CvtOp::PredToInt
        | CvtOp::IntToPred
        | CvtOp::FromHalf
        | CvtOp::ToHalf => eval,
    }
}

/// Scalars are canonical words, so that the evaluator takes them as they are.
pub(crate) fn scalar_unary(op: UnOp, ty: Ty, r: R2) -> Op {
    if op == UnOp::Mov { Op::UMov(r) } else { Op::UEvalUn { op, ty, r } }
}

pub(crate) fn scalar_binary(op: BinOp, ty: Ty, r: R3) -> Op {
    let eval = Op::UEvalBin { op, ty, r };
    match op {
        BinOp::Add => by_type!(ty, r, eval; I32 UAddI32, I64 UAddI64),
        BinOp::Sub => by_type!(ty, r, eval; I32 USubI32, I64 USubI64),
        BinOp::Mul => by_type!(ty, r, eval; I32 UMulI32, I64 UMulI64),
        BinOp::Min => by_type!(ty, r, eval; I64 UMinI64),
        BinOp::Max => by_type!(ty, r, eval; I64 UMaxI64),
        BinOp::Shl => by_type!(ty, r, eval; I32 UShlI32, I64 UShlI64),
        BinOp::MulHi
        | BinOp::Div
        | BinOp::Rem
        | BinOp::And
        | BinOp::Or
        | BinOp::Xor
        | BinOp::ShrU
        | BinOp::ShrS
        | BinOp::Copysign
        | BinOp::Fmod
        | BinOp::DivApprox => eval,
    }
}

pub(crate) fn scalar_compare(op: CmpOp, ty: Ty, r: R3) -> Op {
    match ty {
        Ty::I32 | Ty::I64 => Op::UCmp { op, wide: ty == Ty::I64, r },
        _ => Op::UEvalCmp { op, ty, r },
    }
}

pub(crate) fn scalar_convert(op: CvtOp, from: Ty, to: Ty, r: R2) -> Op {
    if (op, from, to) == (CvtOp::Cast, Ty::I32, Ty::I64) { Op::UI32ToI64(r) } else { Op::UEvalCvt { op, from, to, r } }
}
