//! Fast mathematics: functions of real(4) as a few approximate operations of the GPU.
//!
//! Device code calls them by name (`__expf`), or means them by `exp` with `--fast-math`. The sequences are those of CUDA's
//! libdevice (CUDA C++ Programming Guide, "Intrinsic Functions": `__expf(x)` is `ex2.approx` of `x` times log2(e), and so on).
//!
//! Not here: what the operations give where there is no GPU (`scalar::approximate`).

use crate::builder::Builder;
use crate::types::Side;
use ir::op::{BinOp, UnOp};
use ir::{Function, InstKind, Reg, Ty, Val};
use sema::checked::{Intrinsic, Type};
use std::f64::consts::{LN_2, LOG2_10, LOG2_E, LOG10_2};

const F32: Ty = Ty::F32;

/// A function of fast mathematics.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Fast {
    Sin,
    Cos,
    Tan,
    Exp,
    Exp2,
    Exp10,
    Log,
    Log2,
    Log10,
    Pow,
    Divide,
    Rsqrt,
    Saturate,
}

impl Fast {
    /// The function that a procedure of device code is.
    pub(crate) fn of_device(id: Intrinsic) -> Option<Fast> {
        use Intrinsic as I;
        Some(match id {
            I::FastSin => Fast::Sin,
            I::FastCos => Fast::Cos,
            I::FastTan => Fast::Tan,
            I::FastExp => Fast::Exp,
            I::FastExp10 => Fast::Exp10,
            I::FastLog => Fast::Log,
            I::FastLog2 => Fast::Log2,
            I::FastLog10 => Fast::Log10,
            I::FastPow => Fast::Pow,
            I::FastDivide => Fast::Divide,
            I::Saturate => Fast::Saturate,
            _ => return None,
        })
    }

    /// The function that stands for an exact one with `--fast-math`.
    fn instead_of(id: Intrinsic) -> Option<Fast> {
        use Intrinsic as I;
        Some(match id {
            I::Sin => Fast::Sin,
            I::Cos => Fast::Cos,
            I::Tan => Fast::Tan,
            I::Exp => Fast::Exp,
            I::Exp2 => Fast::Exp2,
            I::Exp10 => Fast::Exp10,
            I::Log => Fast::Log,
            I::Log2 => Fast::Log2,
            I::Log10 => Fast::Log10,
            I::Rsqrt => Fast::Rsqrt,
            _ => return None,
        })
    }
}

fn constant(value: f64) -> Val {
    Val::Imm(u64::from((value as f32).to_bits()))
}

impl Builder<'_, '_> {
    /// Whether this code is compiled with `--fast-math`.
    pub(crate) fn is_fast(&self) -> bool {
        self.options().fast_math && self.side() == Side::Device && !self.is_embedded()
    }

    /// The fast function in place of an exact one, if this code has it for the type.
    pub(crate) fn fast_instead_of(&self, id: Intrinsic, ty: &Type) -> Option<Fast> {
        Fast::instead_of(id).filter(|_| matches!(ty, Type::Real(4)) && self.is_fast())
    }

    /// The value of a function; `b` is the second argument of those that have two.
    pub(crate) fn fast(&mut self, function: Fast, a: Val, b: Val) -> Val {
        let reg = match function {
            Fast::Sin => self.un(UnOp::SinApprox, F32, a),
            Fast::Cos => self.un(UnOp::CosApprox, F32, a),
            Fast::Tan => {
                let (sine, cosine) = (self.un(UnOp::SinApprox, F32, a), self.un(UnOp::CosApprox, F32, a));
                self.bin(BinOp::DivApprox, F32, sine, cosine)
            }
            Fast::Exp2 => self.un(UnOp::Ex2Approx, F32, a),
            Fast::Exp => self.power_of_two(a, constant(LOG2_E)),
            Fast::Exp10 => self.power_of_two(a, constant(LOG2_10)),
            Fast::Log2 => self.un(UnOp::Lg2Approx, F32, a),
            Fast::Log => self.scaled_logarithm(a, constant(LN_2)),
            Fast::Log10 => self.scaled_logarithm(a, constant(LOG10_2)),
            Fast::Pow => {
                let logarithm = self.un(UnOp::Lg2Approx, F32, a);
                self.power_of_two(logarithm.into(), b)
            }
            Fast::Divide => self.bin(BinOp::DivApprox, F32, a, b),
            Fast::Rsqrt => self.un(UnOp::RsqrtApprox, F32, a),
            // The maximum comes first: of a NaN and a number it is the number, so that a NaN becomes 0.
            Fast::Saturate => {
                let positive = self.bin(BinOp::Max, F32, a, constant(0.0));
                self.bin(BinOp::Min, F32, positive, constant(1.0))
            }
        };
        reg.into()
    }

    fn power_of_two(&mut self, a: Val, b: Val) -> Reg {
        let product = self.bin(BinOp::Mul, F32, a, b);
        self.un(UnOp::Ex2Approx, F32, product)
    }

    fn scaled_logarithm(&mut self, a: Val, scale: Val) -> Reg {
        let logarithm = self.un(UnOp::Lg2Approx, F32, a);
        self.bin(BinOp::Mul, F32, logarithm, scale)
    }
}

/// Makes the quotients and square roots of real(4) in a function approximate.
pub(crate) fn approximate(f: &mut Function) {
    for inst in f.blocks.iter_mut().flat_map(|block| &mut block.insts) {
        match &mut inst.kind {
            InstKind::Bin { op: op @ BinOp::Div, ty: F32, .. } => *op = BinOp::DivApprox,
            InstKind::Un { op: op @ UnOp::Sqrt, ty: F32, .. } => *op = UnOp::SqrtApprox,
            _ => {}
        }
    }
}
