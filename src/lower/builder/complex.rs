//! Complex arithmetic.
//!
//! Products are the textbook form, never contracted. Quotients scale by the greater part of the divisor (R. L. Smith,
//! "Algorithm 116: complex division", 1962), so that they do not overflow where the result does not, and are branch-free.
//! Magnitudes and functions are the mathematics library's.

use crate::function::Fx;
use ir::op::{BinOp, CmpOp, UnOp};
use ir::{Ty, Val};
use sema::checked::BinaryOp;

type Pair = (Val, Val);

impl Fx<'_, '_> {
    /// `a op b`
    pub(crate) fn complex_binary(&mut self, op: BinaryOp, a: Pair, b: Pair, ty: Ty) -> Pair {
        match op {
            BinaryOp::Add | BinaryOp::Sub => {
                let op = if op == BinaryOp::Add { BinOp::Add } else { BinOp::Sub };
                (self.b.bin(op, ty, a.0, b.0).into(), self.b.bin(op, ty, a.1, b.1).into())
            }
            BinaryOp::Mul => {
                let (rr, ii) = (self.b.bin(BinOp::Mul, ty, a.0, b.0), self.b.bin(BinOp::Mul, ty, a.1, b.1));
                let (ri, ir) = (self.b.bin(BinOp::Mul, ty, a.0, b.1), self.b.bin(BinOp::Mul, ty, a.1, b.0));
                (self.b.bin(BinOp::Sub, ty, rr, ii).into(), self.b.bin(BinOp::Add, ty, ri, ir).into())
            }
            BinaryOp::Div | BinaryOp::Pow => self.complex_quotient(a, b, ty),
        }
    }

    fn complex_quotient(&mut self, a: Pair, b: Pair, ty: Ty) -> Pair {
        let (mc, md) = (self.b.un(UnOp::Abs, ty, b.0), self.b.un(UnOp::Abs, ty, b.1));
        let real_is_greater = self.b.cmp(CmpOp::Ge, ty, mc, md);
        let great = self.b.select(ty, real_is_greater, b.0, b.1);
        let small = self.b.select(ty, real_is_greater, b.1, b.0);
        let ratio = self.b.bin(BinOp::Div, ty, small, great);
        let scaled = self.b.bin(BinOp::Mul, ty, small, ratio);
        let divisor = self.b.bin(BinOp::Add, ty, great, scaled);
        let x = self.b.select(ty, real_is_greater, a.0, a.1);
        let y = self.b.select(ty, real_is_greater, a.1, a.0);
        let yr = self.b.bin(BinOp::Mul, ty, y, ratio);
        let xr = self.b.bin(BinOp::Mul, ty, x, ratio);
        let re = self.b.bin(BinOp::Add, ty, x, yr);
        let im_real = self.b.bin(BinOp::Sub, ty, y, xr);
        let im_imaginary = self.b.bin(BinOp::Sub, ty, xr, y);
        let im = self.b.select(ty, real_is_greater, im_real, im_imaginary);
        (self.b.bin(BinOp::Div, ty, re, divisor).into(), self.b.bin(BinOp::Div, ty, im, divisor).into())
    }
}
