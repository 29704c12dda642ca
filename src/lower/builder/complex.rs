//! Complex arithmetic.
//!
//! Products use the textbook form and are never contracted. Quotients scale by the greater part of the divisor (R. L. Smith,
//! "Algorithm 116: complex division", 1962), so they overflow only if the result does. They are branch-free.
//!
//! Not here: magnitudes and functions (the mathematics library).

use crate::builder::Builder;
use ir::op::{BinOp, CmpOp, UnOp};
use ir::{Ty, Val};
use sema::checked::BinaryOp;

type Pair = (Val, Val);

impl Builder<'_, '_> {
    /// `a op b`
    pub(crate) fn complex_binary(&mut self, op: BinaryOp, a: Pair, b: Pair, ty: Ty) -> Pair {
        match op {
            BinaryOp::Add | BinaryOp::Sub => {
                let op = if op == BinaryOp::Add { BinOp::Add } else { BinOp::Sub };
                (self.bin(op, ty, a.0, b.0).into(), self.bin(op, ty, a.1, b.1).into())
            }
            BinaryOp::Mul => {
                let (rr, ii) = (self.bin(BinOp::Mul, ty, a.0, b.0), self.bin(BinOp::Mul, ty, a.1, b.1));
                let (ri, ir) = (self.bin(BinOp::Mul, ty, a.0, b.1), self.bin(BinOp::Mul, ty, a.1, b.0));
                (self.bin(BinOp::Sub, ty, rr, ii).into(), self.bin(BinOp::Add, ty, ri, ir).into())
            }
            BinaryOp::Div | BinaryOp::Pow => self.complex_quotient(a, b, ty),
        }
    }

    fn complex_quotient(&mut self, a: Pair, b: Pair, ty: Ty) -> Pair {
        let (mc, md) = (self.un(UnOp::Abs, ty, b.0), self.un(UnOp::Abs, ty, b.1));
        let real_is_greater = self.cmp(CmpOp::Ge, ty, mc, md);
        let great = self.select(ty, real_is_greater, b.0, b.1);
        let small = self.select(ty, real_is_greater, b.1, b.0);
        let ratio = self.bin(BinOp::Div, ty, small, great);
        let scaled = self.bin(BinOp::Mul, ty, small, ratio);
        let divisor = self.bin(BinOp::Add, ty, great, scaled);
        let x = self.select(ty, real_is_greater, a.0, a.1);
        let y = self.select(ty, real_is_greater, a.1, a.0);
        let yr = self.bin(BinOp::Mul, ty, y, ratio);
        let xr = self.bin(BinOp::Mul, ty, x, ratio);
        let re = self.bin(BinOp::Add, ty, x, yr);
        let im_real = self.bin(BinOp::Sub, ty, y, xr);
        let im_imaginary = self.bin(BinOp::Sub, ty, xr, y);
        let im = self.select(ty, real_is_greater, im_real, im_imaginary);
        (self.bin(BinOp::Div, ty, re, divisor).into(), self.bin(BinOp::Div, ty, im, divisor).into())
    }
}
