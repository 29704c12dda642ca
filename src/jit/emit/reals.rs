//! Arithmetic on real scalars, in the lowest word of a vector register.
//!
//! Not here: operations whose NaNs take more than one instruction to get right; `ops` has them for rows.

use super::{CompileError, Current, Emitter, Result};
use crate::integers;
use crate::reals::predicate;
use crate::segment::{Value, ValueId};
use iced_x86::code_asm::{AsmRegisterXmm, ax, eax, rax, xmm0, xmm1, xmm2};
use ir::Ty;
use ir::op::{BinOp, CmpOp, CvtOp, TriOp, UnOp};

/// Whether a value is such an operation, and one that the compiler knows.
pub(super) fn is_known(value: &Value) -> bool {
    use Ty::{F32, F64, I8, I16, I32, I64};
    match *value {
        Value::ScalarUn(op, F32, _) => matches!(op, UnOp::Neg | UnOp::Abs | UnOp::Sqrt),
        Value::ScalarUn(op, F64, _) => op == UnOp::Sqrt,
        Value::ScalarBin(op, F32, ..) => matches!(op, BinOp::Add | BinOp::Sub | BinOp::Mul | BinOp::Div),
        Value::ScalarBin(op, F64, ..) => matches!(op, BinOp::Add | BinOp::Mul | BinOp::Div),
        Value::ScalarTri(op, F32, ..) => op == TriOp::Fma,
        Value::ScalarCmp(op, F32 | F64, ..) => !matches!(op, CmpOp::LtU | CmpOp::GeU),
        Value::ScalarCvt(CvtOp::Cast, from, to, _) => {
            matches!((from, to), (I8 | I16 | I32 | I64, F32 | F64) | (F32, F64) | (F64, F32))
        }
        Value::ScalarCvt(op, from, to, _) => {
            matches!((op, from, to), (CvtOp::FromHalf, I16, F32) | (CvtOp::ToHalf, F32, I16))
        }
        _ => false,
    }
}

impl Emitter<'_> {
    /// Computes a value into `rax`.
    pub(super) fn real(&mut self, at: &Current<'_>, value: &Value) -> Result {
        match *value {
            Value::ScalarUn(op, ty, a) => {
                self.put(at, a, xmm0)?;
                match (op, ty) {
                    (UnOp::Sqrt, Ty::F64) => self.a.vsqrtsd(xmm0, xmm0, xmm0)?,
                    (UnOp::Sqrt, _) => self.a.vsqrtss(xmm0, xmm0, xmm0)?,
                    _ => {
                        let bits = if op == UnOp::Neg { 1u32 << 31 } else { u32::MAX >> 1 };
                        self.a.mov(eax, bits)?;
                        self.a.vmovd(xmm1, eax)?;
                        if op == UnOp::Neg {
                            self.a.vxorps(xmm0, xmm0, xmm1)?;
                        } else {
                            self.a.vandps(xmm0, xmm0, xmm1)?;
                        }
                    }
                }
                self.take_real(ty)
            }
            Value::ScalarBin(op, ty, a, b) => {
                self.put(at, a, xmm0)?;
                self.put(at, b, xmm1)?;
                match (op, ty) {
                    // Of two NaNs the second operand's is kept, which the instruction does of its first.
                    (BinOp::Add, Ty::F64) => self.a.vaddsd(xmm0, xmm1, xmm0)?,
                    (BinOp::Mul, Ty::F64) => self.a.vmulsd(xmm0, xmm1, xmm0)?,
                    (BinOp::Div, Ty::F64) => self.a.vdivsd(xmm0, xmm0, xmm1)?,
                    (BinOp::Add, _) => self.a.vaddss(xmm0, xmm0, xmm1)?,
                    (BinOp::Sub, _) => self.a.vsubss(xmm0, xmm0, xmm1)?,
                    (BinOp::Mul, _) => self.a.vmulss(xmm0, xmm0, xmm1)?,
                    _ => self.a.vdivss(xmm0, xmm0, xmm1)?,
                }
                self.take_real(ty)
            }
            Value::ScalarTri(_, ty, a, b, c) => {
                self.put(at, a, xmm0)?;
                self.put(at, b, xmm1)?;
                self.put(at, c, xmm2)?;
                self.a.vfmadd213ss(xmm0, xmm1, xmm2)?;
                self.take_real(ty)
            }
            Value::ScalarCmp(op, ty, a, b) => {
                self.put(at, a, xmm0)?;
                self.put(at, b, xmm1)?;
                let which = predicate(op);
                if ty == Ty::F64 {
                    self.a.vcmpsd(xmm0, xmm0, xmm1, which)?;
                } else {
                    self.a.vcmpss(xmm0, xmm0, xmm1, which)?;
                }
                self.a.vmovd(eax, xmm0)?;
                self.a.and(eax, 1)?;
                Ok(())
            }
            Value::ScalarCvt(CvtOp::FromHalf, _, _, a) => {
                self.put(at, a, xmm0)?;
                self.a.vcvtph2ps(xmm0, xmm0)?;
                self.take_real(Ty::F32)
            }
            Value::ScalarCvt(CvtOp::ToHalf, _, _, a) => {
                let (mut nan, mut done) = (self.a.create_label(), self.a.create_label());
                self.put(at, a, xmm0)?;
                self.a.vucomiss(xmm0, xmm0)?;
                self.a.jp(nan)?;
                self.a.vcvtps2ph(xmm0, xmm0, 0)?;
                self.a.vmovd(eax, xmm0)?;
                self.a.movzx(eax, ax)?;
                self.a.jmp(done)?;
                self.a.set_label(&mut nan)?;
                self.a.mov(eax, 0x7fff)?;
                self.a.set_label(&mut done)?;
                Ok(self.a.nop()?)
            }
            Value::ScalarCvt(_, from, to, a) => {
                self.load_scalar(at, a, rax)?;
                integers::extend(&mut self.a, from, rax)?;
                match (from, to) {
                    (Ty::I8 | Ty::I16 | Ty::I32, Ty::F32) => self.a.vcvtsi2ss(xmm0, xmm0, eax)?,
                    (Ty::I8 | Ty::I16 | Ty::I32, _) => self.a.vcvtsi2sd(xmm0, xmm0, eax)?,
                    (Ty::I64, Ty::F32) => self.a.vcvtsi2ss(xmm0, xmm0, rax)?,
                    (Ty::I64, _) => self.a.vcvtsi2sd(xmm0, xmm0, rax)?,
                    (Ty::F32, _) => {
                        self.a.vmovd(xmm0, eax)?;
                        self.a.vcvtss2sd(xmm0, xmm0, xmm0)?;
                    }
                    _ => {
                        self.a.vmovq(xmm0, rax)?;
                        self.a.vcvtsd2ss(xmm0, xmm0, xmm0)?;
                    }
                }
                // From real to real, a NaN keeps what fits of its payload.
                if to == Ty::F64 {
                    self.a.vmovq(rax, xmm0)?;
                } else {
                    self.a.vmovd(eax, xmm0)?;
                }
                Ok(())
            }
            _ => Err(CompileError::Encoding("no real scalar".to_owned())),
        }
    }

    /// Puts a scalar into a vector register.
    fn put(&mut self, at: &Current<'_>, value: ValueId, to: AsmRegisterXmm) -> Result {
        self.load_scalar(at, value, rax)?;
        Ok(self.a.vmovq(to, rax)?)
    }

    /// Takes the result of an operation; a NaN of real(4) is the canonical one.
    fn take_real(&mut self, ty: Ty) -> Result {
        if ty == Ty::F64 {
            return Ok(self.a.vmovq(rax, xmm0)?);
        }
        let mut ordered = self.a.create_label();
        self.a.vmovd(eax, xmm0)?;
        self.a.vucomiss(xmm0, xmm0)?;
        self.a.jnp(ordered)?;
        self.a.mov(eax, 0x7fff_ffffu32)?;
        self.a.set_label(&mut ordered)?;
        self.a.nop()?;
        Ok(())
    }
}
