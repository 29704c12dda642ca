//! Sign operations whose NaN nobody sees.
//!
//! `neg` and `abs` of PTX leave open which NaN they make of a NaN, so [`super::arith`] works on the bits. Where every use of the
//! result is an operation that makes a NaN canonical itself, or only asks whether there is one, the plain instruction is as
//! good, and ptxas folds it into its user. Operations on real(8) keep the payload of a NaN and its sign, so they show it.

use ir::analysis::BitSet;
use ir::op::{BinOp, CvtOp, TriOp, UnOp};
use ir::{Function, InstKind, Reg, Ty, Val};

/// The registers of which no use shows which NaN they hold.
pub(super) fn hidden_nans(func: &Function) -> BitSet {
    let mut hidden = BitSet::full(func.regs.len());
    let mut show = |v: Val| {
        if let Val::Reg(Reg(r)) = v {
            hidden.remove(r as usize);
        }
    };
    for block in &func.blocks {
        for inst in &block.insts {
            if !hides(&inst.kind) {
                inst.kind.each_use(&mut show);
            }
        }
        block.term.each_use(&mut show);
    }
    hidden
}

/// Whether the result of an instruction is the same for every NaN among its operands.
fn hides(kind: &InstKind) -> bool {
    match kind {
        InstKind::Bin { op, ty, .. } => {
            use BinOp::{Add, Div, DivApprox, Max, Min, Mul, Sub};
            *ty == Ty::F32 && matches!(op, Add | Sub | Mul | Div | DivApprox | Min | Max)
        }
        InstKind::Tri { op, ty, .. } => *op == TriOp::Fma && *ty == Ty::F32,
        InstKind::Un { op, ty, .. } => (*op == UnOp::Sqrt || op.is_approximate()) && *ty == Ty::F32,
        InstKind::Cmp { .. } => true,
        InstKind::Cvt { op, to, .. } => {
            to.is_int() && matches!(op, CvtOp::Cast | CvtOp::Nint | CvtOp::FloorI | CvtOp::CeilI | CvtOp::ToHalf)
        }
        _ => false,
    }
}
