//! Sign operations whose NaN nobody sees.
//!
//! `neg` and `abs` of PTX leave open which NaN they make of a NaN, so [`super::arith`] works on the bits. Where every use of the
//! result is an operation that makes a NaN canonical itself, or only asks whether there is one, the plain instruction is as
//! good, and ptxas folds it into its user.

use ir::analysis::BitSet;
use ir::op::{BinOp, CvtOp, TriOp, UnOp};
use ir::{Function, InstKind, Reg, Val};

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
            ty.is_real() && matches!(op, BinOp::Add | BinOp::Sub | BinOp::Mul | BinOp::Div | BinOp::Min | BinOp::Max)
        }
        InstKind::Tri { op, .. } => *op == TriOp::Fma,
        InstKind::Un { op, .. } => *op == UnOp::Sqrt,
        InstKind::Cmp { .. } => true,
        InstKind::Cvt { op, to, .. } => {
            to.is_int() && matches!(op, CvtOp::Cast | CvtOp::Nint | CvtOp::FloorI | CvtOp::CeilI)
        }
        _ => false,
    }
}
