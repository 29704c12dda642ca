//! Reals of 32 and of 64 bits, in the lowest word of vector registers.
//!
//! The instructions give the IEEE result, and the NaN that the evaluator gives is another one: whatever comes out as a NaN is evaluated
//! again, by a call.

use super::emit::{Emitter, Result, Stub};
use super::registers::{RAX, RCX};
use super::{Formula, Operand, Register};
use crate::integers;
use iced_x86::code_asm::{AsmRegisterXmm, ax, eax, rax, rcx, xmm0, xmm1, xmm2};
use ir::Ty;
use ir::op::{BinOp, CvtOp, TriOp, UnOp};

/// Whether a formula is one of this file.
pub(super) fn is_known(formula: Formula) -> bool {
    match formula {
        Formula::Un(op, ty) => {
            ty.is_real()
                && matches!(
                    op,
                    UnOp::Neg | UnOp::Abs | UnOp::Sqrt | UnOp::Floor | UnOp::Ceil | UnOp::Trunc | UnOp::RoundEven
                )
        }
        Formula::Bin(op, ty) => {
            ty.is_real() && matches!(op, BinOp::Add | BinOp::Sub | BinOp::Mul | BinOp::Div | BinOp::Min | BinOp::Max)
        }
        Formula::Tri(op, ty) => ty.is_real() && op == TriOp::Fma,
        Formula::Cvt(CvtOp::Cast, from, to) => {
            let is_known = |ty: Ty| ty.is_int() || ty.is_real();
            from != to && (from.is_real() || to.is_real()) && is_known(from) && is_known(to)
        }
        Formula::Cvt(CvtOp::FromHalf, Ty::I16, Ty::F32) | Formula::Cvt(CvtOp::ToHalf, Ty::F32, Ty::I16) => true,
        Formula::Move | Formula::Select | Formula::Cmp(..) | Formula::Cvt(..) | Formula::LocalAddress => false,
    }
}

/// An instruction on numbers of 64 or of 32 bits.
macro_rules! sized {
    ($e:ident, $ty:expr, $wide:ident | $narrow:ident, $($operand:expr),+) => {
        if $ty == Ty::F64 { $e.a.$wide($($operand),+)? } else { $e.a.$narrow($($operand),+)? }
    };
}

impl Emitter<'_> {
    /// Computes a register by a formula of this file.
    pub(super) fn real(&mut self, formula: Formula, result: Register, operands: &[Operand]) -> Result {
        match (formula, operands) {
            (Formula::Un(op, ty), &[a]) => {
                let x = self.read_real(a, xmm1)?;
                match op {
                    UnOp::Neg | UnOp::Abs => {
                        let sign = if ty == Ty::F64 { 1u64 << 63 } else { 1 << 31 };
                        let mask = if op == UnOp::Neg { sign } else { sign - 1 };
                        self.a.mov(rax, mask)?;
                        self.a.vmovq(xmm2, rax)?;
                        if op == UnOp::Neg {
                            self.a.vxorps(xmm0, x, xmm2)?;
                        } else {
                            self.a.vandps(xmm0, x, xmm2)?;
                        }
                        if ty == Ty::F64 {
                            return self.write_real(result, xmm0);
                        }
                    }
                    UnOp::Sqrt => sized!(self, ty, vsqrtsd | vsqrtss, xmm0, x, x),
                    _ => {
                        let how = match op {
                            UnOp::Floor => 9u32,
                            UnOp::Ceil => 10,
                            UnOp::Trunc => 11,
                            _ => 8,
                        };
                        sized!(self, ty, vroundsd | vroundss, xmm0, x, x, how);
                    }
                }
                self.settle(ty, formula, result, operands)
            }
            (Formula::Bin(op, ty), &[a, b]) => {
                let x = self.read_real(a, xmm1)?;
                let y = self.read_real(b, xmm2)?;
                match op {
                    BinOp::Add => sized!(self, ty, vaddsd | vaddss, xmm0, x, y),
                    BinOp::Sub => sized!(self, ty, vsubsd | vsubss, xmm0, x, y),
                    BinOp::Mul => sized!(self, ty, vmulsd | vmulss, xmm0, x, y),
                    BinOp::Div => sized!(self, ty, vdivsd | vdivss, xmm0, x, y),
                    _ => return self.extreme(op == BinOp::Min, ty, formula, result, operands, (x, y)),
                }
                self.settle(ty, formula, result, operands)
            }
            (Formula::Tri(_, ty), &[a, b, c]) => {
                let z = self.read_real(c, xmm0)?;
                let x = self.read_real(a, xmm1)?;
                let y = self.read_real(b, xmm2)?;
                if z != xmm0 {
                    self.a.vmovaps(xmm0, z)?;
                }
                sized!(self, ty, vfmadd231sd | vfmadd231ss, xmm0, x, y);
                self.settle(ty, formula, result, operands)
            }
            (Formula::Cvt(CvtOp::FromHalf, ..), &[a]) => {
                let of = self.read(a, RAX)?;
                self.a.vmovd(xmm0, of.d)?;
                self.a.vcvtph2ps(xmm0, xmm0)?;
                self.settle(Ty::F32, formula, result, operands)
            }
            (Formula::Cvt(CvtOp::ToHalf, ..), &[a]) => {
                let x = self.read_real(a, xmm1)?;
                let (label, mut back) = (self.a.create_label(), self.a.create_label());
                self.a.vcvtps2ph(xmm0, x, 0)?;
                self.a.vmovd(eax, xmm0)?;
                self.a.movzx(eax, ax)?;
                self.a.vucomiss(x, x)?;
                self.a.jp(label)?;
                self.a.set_label(&mut back)?;
                self.stubs.push(Stub::Evaluate { label, back, formula, operands: operands.to_vec() });
                self.write(result, RAX)
            }
            (Formula::Cvt(_, from, to), &[a]) => self.convert(from, to, formula, result, a),
            _ => Ok(()),
        }
    }

    /// Gives a register what is in `xmm0`, or what the evaluator gives if that is a NaN.
    fn settle(&mut self, ty: Ty, formula: Formula, result: Register, operands: &[Operand]) -> Result {
        let (label, mut back) = (self.a.create_label(), self.a.create_label());
        sized!(self, ty, vucomisd | vucomiss, xmm0, xmm0);
        self.a.jp(label)?;
        self.a.set_label(&mut back)?;
        self.stubs.push(Stub::Evaluate { label, back, formula, operands: operands.to_vec() });
        self.write_real(result, xmm0)
    }

    /// The lesser or the greater of two numbers, of zeros of both signs the negative or the positive one; NaNs are evaluated.
    fn extreme(
        &mut self,
        is_min: bool,
        ty: Ty,
        formula: Formula,
        result: Register,
        operands: &[Operand],
        (x, y): (AsmRegisterXmm, AsmRegisterXmm),
    ) -> Result {
        let (label, mut back) = (self.a.create_label(), self.a.create_label());
        sized!(self, ty, vucomisd | vucomiss, x, y);
        if is_min {
            sized!(self, ty, vminsd | vminss, xmm0, x, y);
        } else {
            sized!(self, ty, vmaxsd | vmaxss, xmm0, x, y);
        }
        // Equal or unordered.
        self.a.jne(back)?;
        self.a.jp(label)?;
        if is_min {
            self.a.vorps(xmm0, x, y)?;
        } else {
            self.a.vandps(xmm0, x, y)?;
        }
        self.a.set_label(&mut back)?;
        self.stubs.push(Stub::Evaluate { label, back, formula, operands: operands.to_vec() });
        self.write_real(result, xmm0)
    }

    fn convert(&mut self, from: Ty, to: Ty, formula: Formula, result: Register, a: Operand) -> Result {
        if !from.is_real() {
            let mut of = self.read(a, RAX)?;
            if matches!(from, Ty::I8 | Ty::I16) {
                self.read_into(a, RAX)?;
                integers::extend(&mut self.a, from, rax)?;
                of = RAX;
            }
            self.a.vxorps(xmm0, xmm0, xmm0)?;
            match (from, to) {
                (Ty::I8 | Ty::I16 | Ty::I32, Ty::F64) => self.a.vcvtsi2sd(xmm0, xmm0, of.d)?,
                (Ty::I8 | Ty::I16 | Ty::I32, _) => self.a.vcvtsi2ss(xmm0, xmm0, of.d)?,
                (_, Ty::F64) => self.a.vcvtsi2sd(xmm0, xmm0, of.q)?,
                _ => self.a.vcvtsi2ss(xmm0, xmm0, of.q)?,
            }
            return self.write_real(result, xmm0);
        }
        let x = self.read_real(a, xmm1)?;
        if to.is_real() {
            sized!(self, to, vcvtss2sd | vcvtsd2ss, xmm0, x, x);
            return self.settle(to, formula, result, &[a]);
        }
        // What does not fit, and a NaN, gives the least integer.
        let (label, mut back) = (self.a.create_label(), self.a.create_label());
        if to == Ty::I64 {
            sized!(self, from, vcvttsd2si | vcvttss2si, rax, x);
            self.a.mov(rcx, i64::MIN)?;
            self.a.cmp(RAX.q, RCX.q)?;
        } else {
            sized!(self, from, vcvttsd2si | vcvttss2si, eax, x);
            self.a.cmp(eax, i32::MIN)?;
        }
        self.a.je(label)?;
        integers::cut(&mut self.a, to)?;
        self.a.set_label(&mut back)?;
        self.stubs.push(Stub::Evaluate { label, back, formula, operands: vec![a] });
        self.write(result, RAX)
    }
}
