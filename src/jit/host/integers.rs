//! Integers, and logicals, which are integers of all ones or none.

use super::emit::{Emitter, Result};
use super::registers::{Gpr, Home, RAX, RCX};
use super::{Formula, Operand, Register};
use crate::integers;
use iced_x86::code_asm::{eax, rax};
use ir::Ty;
use ir::op::{BinOp, CvtOp, TriOp, UnOp};

/// Whether a formula is one of this file.
pub(super) fn is_known(formula: Formula) -> bool {
    match formula {
        Formula::Un(op, ty) => ty.is_int() && matches!(op, UnOp::Neg | UnOp::Not | UnOp::Abs),
        Formula::Bin(op, ty) => ty.is_int() && integers::is_known(op),
        Formula::Tri(op, ty) => ty.is_int() && op == TriOp::Mad,
        Formula::Cvt(op, from, to) => match op {
            CvtOp::Cast | CvtOp::CastU => from.is_int() && to.is_int(),
            CvtOp::PredToInt => from == Ty::Pred && to.is_int(),
            CvtOp::IntToPred => from.is_int() && to == Ty::Pred,
            _ => false,
        },
        Formula::Move | Formula::Select | Formula::Cmp(..) | Formula::LocalAddress => false,
    }
}

/// An instruction on two registers of 64 or of 32 bits.
macro_rules! sized {
    ($e:ident, $wide:expr, $op:ident, $x:expr, $y:expr) => {
        if $wide { $e.a.$op($x.q, $y.q)? } else { $e.a.$op($x.d, $y.d)? }
    };
}

/// The same with a constant.
macro_rules! constant {
    ($e:ident, $wide:expr, $op:ident, $x:expr, $y:expr) => {
        if $wide { $e.a.$op($x.q, $y)? } else { $e.a.$op($x.d, $y)? }
    };
}

impl Emitter<'_> {
    /// Computes a register by a formula of this file.
    pub(super) fn integer(&mut self, formula: Formula, result: Register, operands: &[Operand]) -> Result {
        match (formula, operands) {
            (Formula::Un(op, ty), &[a]) => {
                self.read_into(a, RAX)?;
                integers::unary(&mut self.a, op, ty)?;
                self.write(result, RAX)
            }
            (Formula::Bin(op, ty @ (Ty::I8 | Ty::I16)), &[a, b]) => {
                self.read_into(a, RAX)?;
                self.read_into(b, RCX)?;
                integers::binary(&mut self.a, op, ty)?;
                self.write(result, RAX)
            }
            (Formula::Bin(op, ty), &[a, b]) => self.integer_binary(op, ty, result, a, b),
            (Formula::Tri(_, ty), &[a, b, c]) => {
                let wide = ty == Ty::I64;
                self.read_into(a, RAX)?;
                self.combine(BinOp::Mul, wide, RAX, b)?;
                self.combine(BinOp::Add, wide, RAX, c)?;
                integers::cut(&mut self.a, ty)?;
                self.write(result, RAX)
            }
            (Formula::Cvt(CvtOp::PredToInt, _, to), &[a]) => {
                self.read_into(a, RAX)?;
                self.a.neg(rax)?;
                integers::cut(&mut self.a, to)?;
                self.write(result, RAX)
            }
            (Formula::Cvt(CvtOp::IntToPred, ..), &[a]) => {
                self.read_into(a, RAX)?;
                self.a.and(eax, 1)?;
                self.write(result, RAX)
            }
            (Formula::Cvt(op, from, to), &[a]) => {
                let d = if let Home::General(d) = self.homes.of(result) { d } else { RAX };
                let of = self.read(a, RCX)?;
                let extends = op == CvtOp::Cast && from.bytes() < to.bytes();
                match (extends, from, to) {
                    (true, Ty::I8, Ty::I64) => self.a.movsx(d.q, of.b)?,
                    (true, Ty::I8, _) => self.a.movsx(d.d, of.b)?,
                    (true, Ty::I16, Ty::I64) => self.a.movsx(d.q, of.w)?,
                    (true, Ty::I16, _) => self.a.movsx(d.d, of.w)?,
                    (true, ..) => self.a.movsxd(d.q, of.d)?,
                    (false, _, Ty::I8) => self.a.movzx(d.d, of.b)?,
                    (false, _, Ty::I16) => self.a.movzx(d.d, of.w)?,
                    (false, Ty::I64, Ty::I64) => self.a.mov(d.q, of.q)?,
                    (false, ..) => self.a.mov(d.d, of.d)?,
                }
                // A word of 16 bits that was a byte has the sign in the upper half too.
                if extends && to == Ty::I16 {
                    self.a.movzx(d.d, d.w)?;
                }
                self.write(result, d)
            }
            _ => Ok(()),
        }
    }

    fn integer_binary(&mut self, op: BinOp, ty: Ty, result: Register, a: Operand, b: Operand) -> Result {
        let wide = ty == Ty::I64;
        let bits = if wide { 64 } else { 32 };
        let is_simple = matches!(op, BinOp::Add | BinOp::Sub | BinOp::Mul | BinOp::And | BinOp::Or | BinOp::Xor);
        let count = match b {
            Operand::Constant(count) if matches!(op, BinOp::Shl | BinOp::ShrU | BinOp::ShrS) => Some(count),
            _ => None,
        };
        if !is_simple && count.is_none() {
            self.read_into(a, RAX)?;
            self.read_into(b, RCX)?;
            integers::binary(&mut self.a, op, ty)?;
            return self.write(result, RAX);
        }
        let own = if let Home::General(own) = self.homes.of(result) { own } else { RAX };
        let is_own = |o: Operand| matches!(o, Operand::Register(r) if self.homes.of(r) == Home::General(own));
        let (mut a, mut b, mut to) = (a, b, own);
        if is_own(b) && !is_own(a) {
            if op == BinOp::Sub {
                to = RAX;
            } else {
                (a, b) = (b, a);
            }
        }
        self.read_into(a, to)?;
        match count {
            None => self.combine(op, wide, to, b)?,
            Some(count) => {
                let all = if wide { count } else { u64::from(count as u32) };
                if all < bits {
                    match op {
                        BinOp::Shl => constant!(self, wide, shl, to, all as u32),
                        BinOp::ShrU => constant!(self, wide, shr, to, all as u32),
                        _ => constant!(self, wide, sar, to, all as u32),
                    }
                } else if op == BinOp::ShrS {
                    constant!(self, wide, sar, to, bits as u32 - 1);
                } else {
                    self.a.xor(to.d, to.d)?;
                }
            }
        }
        self.write(result, to)
    }

    /// `to op b` into `to`, which is no home of `b`, or is that of both operands; `rcx` may be lost.
    fn combine(&mut self, op: BinOp, wide: bool, to: Gpr, b: Operand) -> Result {
        if let Operand::Constant(bits) = b
            && let Ok(small) = i32::try_from(if wide { bits as i64 } else { i64::from(bits as u32 as i32) })
        {
            match op {
                BinOp::Add => constant!(self, wide, add, to, small),
                BinOp::Sub => constant!(self, wide, sub, to, small),
                BinOp::Mul if wide => self.a.imul_3(to.q, to.q, small)?,
                BinOp::Mul => self.a.imul_3(to.d, to.d, small)?,
                BinOp::And => constant!(self, wide, and, to, small),
                BinOp::Or => constant!(self, wide, or, to, small),
                _ => constant!(self, wide, xor, to, small),
            }
            return Ok(());
        }
        let y = self.read(b, RCX)?;
        match op {
            BinOp::Add => sized!(self, wide, add, to, y),
            BinOp::Sub => sized!(self, wide, sub, to, y),
            BinOp::Mul => sized!(self, wide, imul_2, to, y),
            BinOp::And => sized!(self, wide, and, to, y),
            BinOp::Or => sized!(self, wide, or, to, y),
            _ => sized!(self, wide, xor, to, y),
        }
        Ok(())
    }
}
