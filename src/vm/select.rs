//! The operation for an instruction that only computes: of rows of lanes, or of scalars.

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

pub(crate) fn unary(op: UnOp, ty: Ty, r: R2) -> Op {
    match (op, ty) {
        (UnOp::Mov, _) => copy(ty, r.d, r.a),
        (UnOp::Not, Ty::Pred) => Op::NotP(r),
        (UnOp::Neg, Ty::F32) => Op::NegF32(r),
        (UnOp::Neg, Ty::F64) => Op::NegF64(r),
        (UnOp::Abs, Ty::F32) => Op::AbsF32(r),
        (UnOp::Abs, Ty::F64) => Op::AbsF64(r),
        (UnOp::Sqrt, Ty::F32) => Op::SqrtF32(r),
        (UnOp::Sqrt, Ty::F64) => Op::SqrtF64(r),
        _ => Op::EvalUn { op, ty, r },
    }
}

pub(crate) fn binary(op: BinOp, ty: Ty, r: R3) -> Op {
    match (ty, op) {
        (Ty::Pred, BinOp::And) => Op::AndP(r),
        (Ty::Pred, BinOp::Or) => Op::OrP(r),
        (Ty::Pred, BinOp::Xor) => Op::XorP(r),
        (Ty::I32, BinOp::Add) => Op::AddI32(r),
        (Ty::I32, BinOp::Sub) => Op::SubI32(r),
        (Ty::I32, BinOp::Mul) => Op::MulI32(r),
        (Ty::I32, BinOp::And) => Op::And32(r),
        (Ty::I32, BinOp::Or) => Op::Or32(r),
        (Ty::I32, BinOp::Xor) => Op::Xor32(r),
        (Ty::I32, BinOp::Min) => Op::MinI32(r),
        (Ty::I32, BinOp::Max) => Op::MaxI32(r),
        (Ty::I32, BinOp::Shl) => Op::Shl32(r),
        (Ty::I32, BinOp::ShrU) => Op::ShrU32(r),
        (Ty::I32, BinOp::ShrS) => Op::ShrS32(r),
        (Ty::I32, BinOp::Div) => Op::DivI32(r),
        (Ty::I32, BinOp::Rem) => Op::RemI32(r),
        (Ty::F32, BinOp::Add) => Op::AddF32(r),
        (Ty::F32, BinOp::Sub) => Op::SubF32(r),
        (Ty::F32, BinOp::Mul) => Op::MulF32(r),
        (Ty::F32, BinOp::Div) => Op::DivF32(r),
        (Ty::F32, BinOp::Min) => Op::MinF32(r),
        (Ty::F32, BinOp::Max) => Op::MaxF32(r),
        (Ty::I64, BinOp::Add) => Op::AddI64(r),
        (Ty::I64, BinOp::Sub) => Op::SubI64(r),
        (Ty::I64, BinOp::Mul) => Op::MulI64(r),
        (Ty::I64, BinOp::And) => Op::And64(r),
        (Ty::I64, BinOp::Or) => Op::Or64(r),
        (Ty::I64, BinOp::Xor) => Op::Xor64(r),
        (Ty::I64, BinOp::Min) => Op::MinI64(r),
        (Ty::I64, BinOp::Max) => Op::MaxI64(r),
        (Ty::I64, BinOp::Shl) => Op::Shl64(r),
        (Ty::I64, BinOp::ShrU) => Op::ShrU64(r),
        (Ty::I64, BinOp::ShrS) => Op::ShrS64(r),
        (Ty::I64, BinOp::Div) => Op::DivI64(r),
        (Ty::I64, BinOp::Rem) => Op::RemI64(r),
        (Ty::F64, BinOp::Add) => Op::AddF64(r),
        (Ty::F64, BinOp::Sub) => Op::SubF64(r),
        (Ty::F64, BinOp::Mul) => Op::MulF64(r),
        (Ty::F64, BinOp::Div) => Op::DivF64(r),
        (Ty::F64, BinOp::Min) => Op::MinF64(r),
        (Ty::F64, BinOp::Max) => Op::MaxF64(r),
        _ => Op::EvalBin { op, ty, r },
    }
}

pub(crate) fn ternary(op: TriOp, ty: Ty, r: R4) -> Op {
    match (op, ty) {
        (TriOp::Fma, Ty::F32) => Op::FmaF32(r),
        (TriOp::Fma, Ty::F64) => Op::FmaF64(r),
        (TriOp::Mad, Ty::I32) => Op::MadI32(r),
        (TriOp::Mad, Ty::I64) => Op::MadI64(r),
        _ => Op::EvalTri { op, ty, r },
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
    match (ty, op) {
        (Ty::I32, CmpOp::Eq) => Op::EqI32(r),
        (Ty::I32, CmpOp::Ne) => Op::NeI32(r),
        (Ty::I32, CmpOp::Lt) => Op::LtI32(r),
        (Ty::I32, CmpOp::Le) => Op::LeI32(r),
        (Ty::I32, CmpOp::Gt) => Op::GtI32(r),
        (Ty::I32, CmpOp::Ge) => Op::GeI32(r),
        (Ty::I32, CmpOp::LtU) => Op::LtU32(r),
        (Ty::I32, CmpOp::GeU) => Op::GeU32(r),
        (Ty::F32, CmpOp::Eq) => Op::EqF32(r),
        (Ty::F32, CmpOp::Ne) => Op::NeF32(r),
        (Ty::F32, CmpOp::Lt) => Op::LtF32(r),
        (Ty::F32, CmpOp::Le) => Op::LeF32(r),
        (Ty::F32, CmpOp::Gt) => Op::GtF32(r),
        (Ty::F32, CmpOp::Ge) => Op::GeF32(r),
        (Ty::I64, CmpOp::Eq) => Op::EqI64(r),
        (Ty::I64, CmpOp::Ne) => Op::NeI64(r),
        (Ty::I64, CmpOp::Lt) => Op::LtI64(r),
        (Ty::I64, CmpOp::Le) => Op::LeI64(r),
        (Ty::I64, CmpOp::Gt) => Op::GtI64(r),
        (Ty::I64, CmpOp::Ge) => Op::GeI64(r),
        (Ty::I64, CmpOp::LtU) => Op::LtU64(r),
        (Ty::I64, CmpOp::GeU) => Op::GeU64(r),
        (Ty::F64, CmpOp::Eq) => Op::EqF64(r),
        (Ty::F64, CmpOp::Ne) => Op::NeF64(r),
        (Ty::F64, CmpOp::Lt) => Op::LtF64(r),
        (Ty::F64, CmpOp::Le) => Op::LeF64(r),
        (Ty::F64, CmpOp::Gt) => Op::GtF64(r),
        (Ty::F64, CmpOp::Ge) => Op::GeF64(r),
        _ => Op::EvalCmp { op, ty, r },
    }
}

pub(crate) fn convert(op: CvtOp, from: Ty, to: Ty, r: R2) -> Op {
    match (op, from, to) {
        (CvtOp::Cast, Ty::I32, Ty::I64) => Op::I32ToI64(r),
        (CvtOp::Cast, Ty::I64, Ty::I32) => Op::I64ToI32(r),
        (CvtOp::Cast, Ty::I32, Ty::F32) => Op::I32ToF32(r),
        (CvtOp::Cast, Ty::I32, Ty::F64) => Op::I32ToF64(r),
        (CvtOp::Cast, Ty::F32, Ty::F64) => Op::F32ToF64(r),
        (CvtOp::Cast, Ty::F64, Ty::F32) => Op::F64ToF32(r),
        (CvtOp::Cast, Ty::F32, Ty::I32) => Op::F32ToI32(r),
        (CvtOp::Cast, Ty::F64, Ty::I32) => Op::F64ToI32(r),
        (CvtOp::Cast, Ty::I64, Ty::F64) => Op::I64ToF64(r),
        (CvtOp::Bits, _, _) if file_of(from) != 0 && file_of(from) == file_of(to) && from.bytes() == to.bytes() => {
            copy(to, r.d, r.a)
        }
        _ => Op::EvalCvt { op, from, to, r },
    }
}

/// Scalars are canonical words, so that the evaluator takes them as they are.
pub(crate) fn scalar_unary(op: UnOp, ty: Ty, r: R2) -> Op {
    if op == UnOp::Mov { Op::UMov(r) } else { Op::UEvalUn { op, ty, r } }
}

pub(crate) fn scalar_binary(op: BinOp, ty: Ty, r: R3) -> Op {
    match (op, ty) {
        (BinOp::Add, Ty::I32) => Op::UAddI32(r),
        (BinOp::Sub, Ty::I32) => Op::USubI32(r),
        (BinOp::Mul, Ty::I32) => Op::UMulI32(r),
        (BinOp::Add, Ty::I64) => Op::UAddI64(r),
        (BinOp::Sub, Ty::I64) => Op::USubI64(r),
        (BinOp::Mul, Ty::I64) => Op::UMulI64(r),
        (BinOp::Min, Ty::I64) => Op::UMinI64(r),
        (BinOp::Max, Ty::I64) => Op::UMaxI64(r),
        (BinOp::Shl, Ty::I32) => Op::UShlI32(r),
        (BinOp::Shl, Ty::I64) => Op::UShlI64(r),
        _ => Op::UEvalBin { op, ty, r },
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
