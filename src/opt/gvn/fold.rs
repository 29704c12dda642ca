//! Constant folding and identities.
//!
//! An instruction whose operands are constants becomes a copy of the constant that [`ir::eval`] gives. Identities hold for
//! every operand, bit for bit: those of integers and predicates only, since a sum with zero changes the sign of a real zero
//! and every real(4) operation makes a NaN canonical.

use super::table::ValueTable;
use ir::op::{BinOp, CmpOp, CvtOp, TriOp, UnOp};
use ir::{InstKind, Reg, Ty, Val, eval};
use scalar::bits;

/// The instruction, or a simpler one with the same result.
pub(super) fn rule(table: &ValueTable<'_>, kind: InstKind) -> InstKind {
    match kind {
        InstKind::Un { op, ty, dst, a } => un(table, op, ty, dst, a).unwrap_or(kind),
        InstKind::Bin { op: BinOp::DivApprox, ty, dst, a, b } => reciprocal_root(table, ty, dst, a, b).unwrap_or(kind),
        InstKind::Bin { op, ty, dst, a, b } => bin(op, ty, dst, a, b),
        InstKind::Tri { op, ty, dst, a, b, c } => tri(op, ty, dst, a, b, c).unwrap_or(kind),
        InstKind::Cmp { op, ty, dst, a, b } => cmp(table, op, ty, dst, a, b).unwrap_or(kind),
        InstKind::Select { ty, dst, cond, a, b } => match cond {
            Val::Imm(c) => mov(ty, dst, if c & 1 != 0 { a } else { b }),
            Val::Reg(_) if a == b => mov(ty, dst, a),
            Val::Reg(_) if ty == Ty::Pred && (a, b) == (Val::Imm(1), Val::Imm(0)) => mov(ty, dst, cond),
            Val::Reg(_) => kind,
        },
        InstKind::Cvt { op, from, to, dst, a } => cvt(table, op, from, to, dst, a).unwrap_or(kind),
        _ => kind,
    }
}

/// A copy.
fn mov(ty: Ty, dst: Reg, a: Val) -> InstKind {
    InstKind::Un { op: UnOp::Mov, ty, dst, a }
}

fn un(table: &ValueTable<'_>, op: UnOp, ty: Ty, dst: Reg, a: Val) -> Option<InstKind> {
    // Only a GPU knows the bits of an approximate result.
    if let Val::Imm(a) = a
        && !op.is_approximate()
    {
        return Some(mov(ty, dst, Val::Imm(eval::eval_un(op, ty, a))));
    }
    match (op, table.source(a)?) {
        (UnOp::Not, InstKind::Un { op: UnOp::Not, a, .. }) => Some(mov(ty, dst, *a)),
        (UnOp::Neg, InstKind::Un { op: UnOp::Neg, a, .. }) if ty.is_int() => Some(mov(ty, dst, *a)),
        (UnOp::Not, InstKind::Cmp { op, ty, a, b, .. }) if !ty.is_real() => {
            Some(InstKind::Cmp { op: op.inverse(), ty: *ty, dst, a: *a, b: *b })
        }
        _ => None,
    }
}

/// `1 / sqrt(x)` of approximate operations as one.
fn reciprocal_root(table: &ValueTable<'_>, ty: Ty, dst: Reg, a: Val, b: Val) -> Option<InstKind> {
    match table.source(b)? {
        InstKind::Un { op: UnOp::SqrtApprox, a: x, .. } if a == Val::Imm(u64::from(1.0f32.to_bits())) => {
            Some(InstKind::Un { op: UnOp::RsqrtApprox, ty, dst, a: *x })
        }
        _ => None,
    }
}

fn bin(op: BinOp, ty: Ty, dst: Reg, a: Val, b: Val) -> InstKind {
    if let (Val::Imm(a), Val::Imm(b)) = (a, b) {
        return mov(ty, dst, Val::Imm(eval::eval_bin(op, ty, a, b)));
    }
    // A constant stands second, where the rules look for it.
    let (a, b) = if matches!(a, Val::Imm(_)) && op.is_commutative(ty) { (b, a) } else { (a, b) };
    let same = InstKind::Bin { op, ty, dst, a, b };
    if ty.is_real() {
        return same;
    }
    let ones = bits::canonical(ty, u64::MAX);
    let one = if ty == Ty::Pred { None } else { Some(Val::Imm(1)) };
    let zero = Val::Imm(0);
    match op {
        BinOp::Sub | BinOp::Xor if a == b => mov(ty, dst, zero),
        BinOp::And | BinOp::Or | BinOp::Min | BinOp::Max if a == b => mov(ty, dst, a),
        BinOp::Add | BinOp::Sub | BinOp::Or | BinOp::Xor | BinOp::Shl | BinOp::ShrU | BinOp::ShrS if b == zero => {
            mov(ty, dst, a)
        }
        BinOp::Mul | BinOp::MulHi | BinOp::And if b == zero => mov(ty, dst, zero),
        BinOp::And if b == Val::Imm(ones) => mov(ty, dst, a),
        BinOp::Or if b == Val::Imm(ones) => mov(ty, dst, b),
        BinOp::Mul | BinOp::Div if Some(b) == one => mov(ty, dst, a),
        BinOp::Rem if Some(b) == one => mov(ty, dst, zero),
        BinOp::Sub => match b {
            // One form for all sums with a constant, which `reassociate` looks for.
            Val::Imm(c) => InstKind::Bin { op: BinOp::Add, ty, dst, a, b: Val::Imm(bits::neg(ty, c)) },
            Val::Reg(_) => same,
        },
        BinOp::Add
        | BinOp::Mul
        | BinOp::MulHi
        | BinOp::Div
        | BinOp::Rem
        | BinOp::Min
        | BinOp::Max
        | BinOp::And
        | BinOp::Or
        | BinOp::Xor
        | BinOp::Shl
        | BinOp::ShrU
        | BinOp::ShrS
        | BinOp::Copysign
        | BinOp::Fmod
        | BinOp::DivApprox => same,
    }
}

fn tri(op: TriOp, ty: Ty, dst: Reg, a: Val, b: Val, c: Val) -> Option<InstKind> {
    match (op, a, b, c) {
        (_, Val::Imm(a), Val::Imm(b), Val::Imm(c)) => Some(mov(ty, dst, Val::Imm(eval::eval_tri(op, ty, a, b, c)))),
        (TriOp::Fma, ..) => None,
        (TriOp::Mad, Val::Imm(x), Val::Imm(y), _) => Some(bin(BinOp::Add, ty, dst, c, Val::Imm(bits::mul(ty, x, y)))),
        (TriOp::Mad, _, Val::Imm(0), _) | (TriOp::Mad, Val::Imm(0), ..) => Some(mov(ty, dst, c)),
        (TriOp::Mad, _, Val::Imm(1), _) => Some(bin(BinOp::Add, ty, dst, a, c)),
        (TriOp::Mad, Val::Imm(1), ..) => Some(bin(BinOp::Add, ty, dst, b, c)),
        (TriOp::Mad, _, _, Val::Imm(0)) => Some(bin(BinOp::Mul, ty, dst, a, b)),
        (TriOp::Mad, ..) => None,
    }
}

fn cmp(table: &ValueTable<'_>, op: CmpOp, ty: Ty, dst: Reg, a: Val, b: Val) -> Option<InstKind> {
    let truth = |holds: bool| Some(mov(Ty::Pred, dst, Val::pred(holds)));
    if let (Val::Imm(a), Val::Imm(b)) = (a, b) {
        return truth(eval::eval_cmp(op, ty, a, b));
    }
    if a == b && !ty.is_real() {
        return truth(matches!(op, CmpOp::Eq | CmpOp::Le | CmpOp::Ge | CmpOp::GeU));
    }
    match (op, b) {
        (CmpOp::LtU, Val::Imm(0)) => truth(false),
        (CmpOp::GeU, Val::Imm(0)) => truth(true),
        (CmpOp::Eq, Val::Imm(1)) | (CmpOp::Ne, Val::Imm(0)) if ty == Ty::Pred => Some(mov(ty, dst, a)),
        // The lowest bit of a logical is the predicate that it was made from.
        (CmpOp::Ne, Val::Imm(0)) => match table.source(a)? {
            InstKind::Bin { op: BinOp::And, a, b: Val::Imm(1), .. } => match table.source(*a)? {
                InstKind::Cvt { op: CvtOp::PredToInt, a, .. } => Some(mov(Ty::Pred, dst, *a)),
                _ => None,
            },
            _ => None,
        },
        _ => None,
    }
}

fn cvt(table: &ValueTable<'_>, op: CvtOp, from: Ty, to: Ty, dst: Reg, a: Val) -> Option<InstKind> {
    if let Val::Imm(a) = a {
        return Some(mov(to, dst, Val::Imm(eval::eval_cvt(op, from, to, a))));
    }
    if from == to && matches!(op, CvtOp::Cast | CvtOp::CastU | CvtOp::Bits) {
        return Some(mov(to, dst, a));
    }
    match (op, table.source(a)?) {
        // A logical is all ones or zero: its lowest bit is the predicate that it was made from.
        (CvtOp::IntToPred, InstKind::Cvt { op: CvtOp::PredToInt, a, .. }) => Some(mov(to, dst, *a)),
        // `.not.` of a logical complements its bits, and the lowest with them.
        (CvtOp::IntToPred, InstKind::Cvt { op: CvtOp::Cast, from: inner, a, .. }) if inner.is_int() => {
            Some(InstKind::Cvt { op, from: *inner, to, dst, a: *a })
        }
        (CvtOp::IntToPred, InstKind::Un { op: UnOp::Not, a, .. }) => match table.source(*a)? {
            InstKind::Cvt { op: CvtOp::PredToInt, a, .. } => Some(InstKind::Un { op: UnOp::Not, ty: to, dst, a: *a }),
            _ => None,
        },
        (CvtOp::Bits, InstKind::Cvt { op: CvtOp::Bits, from: inner, a, .. }) if *inner == to => Some(mov(to, dst, *a)),
        _ => None,
    }
}
