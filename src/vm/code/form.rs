//! What operations that only compute are in the terms of the IR, for those who treat many of them alike.
//!
//! Not here: how the interpreter computes them (`exec`).

use super::{FileSlot, Op, RegFile};
use ir::Ty;
use ir::op::{BinOp, CmpOp, CvtOp, TriOp, UnOp};
use jit::host::Formula;

/// What an operation that only computes is in the IR's terms, where its result goes and its operands, in the order of the
/// formula. A row may get the value of a scalar, in all lanes.
pub(crate) fn form(op: &Op) -> Option<(Formula, FileSlot, [Option<FileSlot>; 3])> {
    use Formula::{Bin, Cmp, Cvt, Move, Select, Tri, Un};
    use Ty::{F32, F64, I32, I64, Pred};
    if let Some(operands) = op.operands() {
        let form = match op {
            Op::MovP(_) | Op::Mov32(_) | Op::Mov64(_) | Op::UMov(_) | Op::Splat32(_) | Op::Splat64(_) => Move,
            Op::NotP(_) => Un(UnOp::Not, Pred),
            Op::AndP(_) => Bin(BinOp::And, Pred),
            Op::OrP(_) => Bin(BinOp::Or, Pred),
            Op::XorP(_) => Bin(BinOp::Xor, Pred),
            Op::SelP(_) | Op::Sel32(_) | Op::Sel64(_) => Select,
            Op::AddI32(_) | Op::UAddI32(_) => Bin(BinOp::Add, I32),
            Op::SubI32(_) | Op::USubI32(_) => Bin(BinOp::Sub, I32),
            Op::MulI32(_) | Op::UMulI32(_) => Bin(BinOp::Mul, I32),
            Op::And32(_) => Bin(BinOp::And, I32),
            Op::Or32(_) => Bin(BinOp::Or, I32),
            Op::Xor32(_) => Bin(BinOp::Xor, I32),
            Op::MinI32(_) => Bin(BinOp::Min, I32),
            Op::MaxI32(_) => Bin(BinOp::Max, I32),
            Op::AddF32(_) => Bin(BinOp::Add, F32),
            Op::SubF32(_) => Bin(BinOp::Sub, F32),
            Op::MulF32(_) => Bin(BinOp::Mul, F32),
            Op::DivF32(_) => Bin(BinOp::Div, F32),
            Op::MinF32(_) => Bin(BinOp::Min, F32),
            Op::MaxF32(_) => Bin(BinOp::Max, F32),
            Op::NegF32(_) => Un(UnOp::Neg, F32),
            Op::AbsF32(_) => Un(UnOp::Abs, F32),
            Op::SqrtF32(_) => Un(UnOp::Sqrt, F32),
            Op::FmaF32(_) => Tri(TriOp::Fma, F32),
            Op::MadI32(_) => Tri(TriOp::Mad, I32),
            Op::EqI32(_) => Cmp(CmpOp::Eq, I32),
            Op::NeI32(_) => Cmp(CmpOp::Ne, I32),
            Op::LtI32(_) => Cmp(CmpOp::Lt, I32),
            Op::LeI32(_) => Cmp(CmpOp::Le, I32),
            Op::GtI32(_) => Cmp(CmpOp::Gt, I32),
            Op::GeI32(_) => Cmp(CmpOp::Ge, I32),
            Op::LtU32(_) => Cmp(CmpOp::LtU, I32),
            Op::GeU32(_) => Cmp(CmpOp::GeU, I32),
            Op::EqF32(_) => Cmp(CmpOp::Eq, F32),
            Op::NeF32(_) => Cmp(CmpOp::Ne, F32),
            Op::LtF32(_) => Cmp(CmpOp::Lt, F32),
            Op::LeF32(_) => Cmp(CmpOp::Le, F32),
            Op::GtF32(_) => Cmp(CmpOp::Gt, F32),
            Op::GeF32(_) => Cmp(CmpOp::Ge, F32),
            Op::AddI64(_) | Op::UAddI64(_) => Bin(BinOp::Add, I64),
            Op::SubI64(_) | Op::USubI64(_) => Bin(BinOp::Sub, I64),
            Op::MulI64(_) | Op::UMulI64(_) => Bin(BinOp::Mul, I64),
            Op::And64(_) => Bin(BinOp::And, I64),
            Op::Or64(_) => Bin(BinOp::Or, I64),
            Op::Xor64(_) => Bin(BinOp::Xor, I64),
            Op::MinI64(_) => Bin(BinOp::Min, I64),
            Op::MaxI64(_) => Bin(BinOp::Max, I64),
            Op::AddF64(_) => Bin(BinOp::Add, F64),
            Op::SubF64(_) => Bin(BinOp::Sub, F64),
            Op::MulF64(_) => Bin(BinOp::Mul, F64),
            Op::DivF64(_) => Bin(BinOp::Div, F64),
            Op::MinF64(_) => Bin(BinOp::Min, F64),
            Op::MaxF64(_) => Bin(BinOp::Max, F64),
            Op::NegF64(_) => Un(UnOp::Neg, F64),
            Op::AbsF64(_) => Un(UnOp::Abs, F64),
            Op::SqrtF64(_) => Un(UnOp::Sqrt, F64),
            Op::FmaF64(_) => Tri(TriOp::Fma, F64),
            Op::MadI64(_) => Tri(TriOp::Mad, I64),
            Op::EqI64(_) => Cmp(CmpOp::Eq, I64),
            Op::NeI64(_) => Cmp(CmpOp::Ne, I64),
            Op::LtI64(_) => Cmp(CmpOp::Lt, I64),
            Op::LeI64(_) => Cmp(CmpOp::Le, I64),
            Op::GtI64(_) => Cmp(CmpOp::Gt, I64),
            Op::GeI64(_) => Cmp(CmpOp::Ge, I64),
            Op::LtU64(_) => Cmp(CmpOp::LtU, I64),
            Op::GeU64(_) => Cmp(CmpOp::GeU, I64),
            Op::EqF64(_) => Cmp(CmpOp::Eq, F64),
            Op::NeF64(_) => Cmp(CmpOp::Ne, F64),
            Op::LtF64(_) => Cmp(CmpOp::Lt, F64),
            Op::LeF64(_) => Cmp(CmpOp::Le, F64),
            Op::GtF64(_) => Cmp(CmpOp::Gt, F64),
            Op::GeF64(_) => Cmp(CmpOp::Ge, F64),
            Op::I32ToI64(_) | Op::UI32ToI64(_) => Cvt(CvtOp::Cast, I32, I64),
            Op::I64ToI32(_) => Cvt(CvtOp::Cast, I64, I32),
            Op::I32ToF32(_) => Cvt(CvtOp::Cast, I32, F32),
            Op::I32ToF64(_) => Cvt(CvtOp::Cast, I32, F64),
            Op::I64ToF64(_) => Cvt(CvtOp::Cast, I64, F64),
            Op::F32ToF64(_) => Cvt(CvtOp::Cast, F32, F64),
            Op::F64ToF32(_) => Cvt(CvtOp::Cast, F64, F32),
            Op::F32ToI32(_) => Cvt(CvtOp::Cast, F32, I32),
            Op::F64ToI32(_) => Cvt(CvtOp::Cast, F64, I32),
            _ => return None,
        };
        let [a, b, c] = operands.reads;
        // The operation has the predicate last.
        let reads = if form == Select { [c, a, b] } else { [a, b, c] };
        return Some((form, operands.writes, reads));
    }
    let two = |form, file: RegFile, d, a, b| Some((form, (file, d), [Some((file, a)), Some((file, b)), None]));
    use RegFile::{L, S, W};
    match *op {
        Op::Shl32(r) => two(Bin(BinOp::Shl, I32), W, r.d, r.a, r.b),
        Op::ShrU32(r) => two(Bin(BinOp::ShrU, I32), W, r.d, r.a, r.b),
        Op::ShrS32(r) => two(Bin(BinOp::ShrS, I32), W, r.d, r.a, r.b),
        Op::DivI32(r) => two(Bin(BinOp::Div, I32), W, r.d, r.a, r.b),
        Op::RemI32(r) => two(Bin(BinOp::Rem, I32), W, r.d, r.a, r.b),
        Op::Shl64(r) => two(Bin(BinOp::Shl, I64), L, r.d, r.a, r.b),
        Op::ShrU64(r) => two(Bin(BinOp::ShrU, I64), L, r.d, r.a, r.b),
        Op::ShrS64(r) => two(Bin(BinOp::ShrS, I64), L, r.d, r.a, r.b),
        Op::DivI64(r) => two(Bin(BinOp::Div, I64), L, r.d, r.a, r.b),
        Op::RemI64(r) => two(Bin(BinOp::Rem, I64), L, r.d, r.a, r.b),
        Op::UMinI64(r) => two(Bin(BinOp::Min, I64), S, r.d, r.a, r.b),
        Op::UMaxI64(r) => two(Bin(BinOp::Max, I64), S, r.d, r.a, r.b),
        Op::UShlI32(r) => two(Bin(BinOp::Shl, I32), S, r.d, r.a, r.b),
        Op::UShlI64(r) => two(Bin(BinOp::Shl, I64), S, r.d, r.a, r.b),
        Op::UEvalBin { op, ty, r } => two(Bin(op, ty), S, r.d, r.a, r.b),
        Op::UEvalTri { op, ty, r } => Some((Tri(op, ty), (S, r.d), [Some((S, r.a)), Some((S, r.b)), Some((S, r.c))])),
        Op::UEvalUn { op, ty, r } => Some((Un(op, ty), (S, r.d), [Some((S, r.a)), None, None])),
        Op::UEvalCvt { op, from, to, r } => Some((Cvt(op, from, to), (S, r.d), [Some((S, r.a)), None, None])),
        Op::EvalUn { op, ty, r } => {
            Some((Un(op, ty), (RegFile::of(ty), r.d), [Some((RegFile::of(ty), r.a)), None, None]))
        }
        Op::EvalBin { op, ty, r } => two(Bin(op, ty), RegFile::of(ty), r.d, r.a, r.b),
        Op::EvalTri { op, ty, r } => {
            let file = RegFile::of(ty);
            Some((Tri(op, ty), (file, r.d), [Some((file, r.a)), Some((file, r.b)), Some((file, r.c))]))
        }
        Op::EvalCvt { op, from, to, r } => {
            Some((Cvt(op, from, to), (RegFile::of(to), r.d), [Some((RegFile::of(from), r.a)), None, None]))
        }
        Op::EvalCmp { op, ty, r } => {
            Some((Cmp(op, ty), (RegFile::P, r.d), [Some((RegFile::of(ty), r.a)), Some((RegFile::of(ty), r.b)), None]))
        }
        _ => None,
    }
}
