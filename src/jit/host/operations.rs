//! Operations that only compute: moves, selections, comparisons and truth values. Integers and reals have files of their own; what no
//! file knows is left to the evaluator, which is the definition of all of them.

use super::emit::{Emitter, Result, STATE, field};
use super::registers::{Home, RAX, RCX, RDX};
use super::state::HostState;
use super::{Formula, Operand, Register, integers, reals};
use iced_x86::code_asm::{CodeLabel, al, cl, eax, ecx, qword_ptr, rax, rcx, rdx, rsp, xmm0, xmm1};
use ir::Ty;
use ir::op::{BinOp, CmpOp, CvtOp, UnOp};
use std::mem::offset_of;

/// Whether a comparison is one that sets flags.
pub(super) fn is_comparison(op: CmpOp, ty: Ty) -> bool {
    match ty {
        Ty::I8 | Ty::I16 | Ty::I32 | Ty::I64 => true,
        Ty::F32 | Ty::F64 => !matches!(op, CmpOp::LtU | CmpOp::GeU),
        Ty::Pred => false,
    }
}

impl Emitter<'_> {
    /// Computes a register.
    pub(super) fn compute(&mut self, formula: Formula, result: Register, operands: &[Operand]) -> Result {
        match (formula, operands) {
            (Formula::Move, &[a]) => self.copy(result, a),
            (Formula::Cvt(CvtOp::Bits, from, to), &[a])
                if from.bytes() == to.bytes() && from != Ty::Pred && to != Ty::Pred =>
            {
                self.copy(result, a)
            }
            (Formula::Select, &[condition, a, b]) => self.select(result, condition, a, b),
            (Formula::LocalAddress, &[offset]) => {
                self.read_into(offset, RDX)?;
                self.a.mov(rax, qword_ptr(rsp + STATE))?;
                self.a.mov(rax, qword_ptr(rax + field!(local_base)))?;
                self.a.add(rax, rdx)?;
                self.write(result, RAX)
            }
            (Formula::Cmp(op, ty), &[a, b]) if is_comparison(op, ty) => {
                self.compare(op, ty, [a, b])?;
                self.set_truth(op, ty)?;
                self.write(result, RAX)
            }
            (Formula::Un(UnOp::Not, Ty::Pred), &[a]) => {
                self.read_into(a, RAX)?;
                self.a.xor(eax, 1)?;
                self.write(result, RAX)
            }
            (Formula::Bin(op @ (BinOp::And | BinOp::Or | BinOp::Xor), Ty::Pred), &[a, b]) => {
                self.read_into(b, RDX)?;
                self.read_into(a, RAX)?;
                match op {
                    BinOp::And => self.a.and(rax, rdx)?,
                    BinOp::Or => self.a.or(rax, rdx)?,
                    _ => self.a.xor(rax, rdx)?,
                }
                self.write(result, RAX)
            }
            _ if integers::is_known(formula) => self.integer(formula, result, operands),
            _ if reals::is_known(formula) => self.real(formula, result, operands),
            _ => {
                self.call_evaluator(formula, operands)?;
                self.write(result, RAX)
            }
        }
    }

    fn copy(&mut self, result: Register, a: Operand) -> Result {
        if let Home::Vector(_) = self.homes.of(result) {
            let from = self.read_real(a, xmm0)?;
            return self.write_real(result, from);
        }
        let to = if let Home::General(to) = self.homes.of(result) { to } else { RAX };
        let from = self.read(a, to)?;
        self.write(result, from)
    }

    fn select(&mut self, result: Register, condition: Operand, a: Operand, b: Operand) -> Result {
        if let Home::Vector(_) = self.homes.of(result) {
            let y = self.read_real(b, xmm1)?;
            let x = self.read_real(a, xmm0)?;
            self.test(condition)?;
            if x != xmm0 {
                self.a.vmovaps(xmm0, x)?;
            }
            let mut done = self.a.create_label();
            self.a.jne(done)?;
            self.a.vmovaps(xmm0, y)?;
            self.a.set_label(&mut done)?;
            return self.write_real(result, xmm0);
        }
        self.read_into(b, RDX)?;
        self.read_into(a, RAX)?;
        let of = self.read(condition, RCX)?;
        self.a.test(of.d, 1)?;
        self.a.cmove(rax, rdx)?;
        self.write(result, RAX)
    }

    /// Sets the flags by a comparison, for [`Emitter::set_truth`] or [`Emitter::jump_if`].
    pub(super) fn compare(&mut self, op: CmpOp, ty: Ty, [a, b]: [Operand; 2]) -> Result {
        if ty.is_real() {
            // Only `above` is false of a NaN, so the greater one comes first.
            let (a, b) = if matches!(op, CmpOp::Lt | CmpOp::Le) { (b, a) } else { (a, b) };
            let x = self.read_real(a, xmm0)?;
            let y = self.read_real(b, xmm1)?;
            if ty == Ty::F64 {
                self.a.vucomisd(x, y)?;
            } else {
                self.a.vucomiss(x, y)?;
            }
            return Ok(());
        }
        if matches!(ty, Ty::I8 | Ty::I16) && matches!(op, CmpOp::Lt | CmpOp::Le | CmpOp::Gt | CmpOp::Ge) {
            self.read_into(a, RAX)?;
            self.read_into(b, RCX)?;
            crate::integers::extend(&mut self.a, ty, rax)?;
            crate::integers::extend(&mut self.a, ty, rcx)?;
            return Ok(self.a.cmp(eax, ecx)?);
        }
        let x = self.read(a, RAX)?;
        match b {
            Operand::Constant(bits) if ty == Ty::I32 => self.a.cmp(x.d, bits as u32 as i32)?,
            Operand::Constant(bits) if i32::try_from(bits as i64).is_ok() => self.a.cmp(x.q, bits as i32)?,
            _ => {
                let y = self.read(b, RCX)?;
                if ty == Ty::I64 { self.a.cmp(x.q, y.q)? } else { self.a.cmp(x.d, y.d)? }
            }
        }
        Ok(())
    }

    /// Puts the truth of a comparison into `eax`.
    pub(super) fn set_truth(&mut self, op: CmpOp, ty: Ty) -> Result {
        let a = &mut self.a;
        match (op, ty.is_real()) {
            (CmpOp::Eq, true) => {
                a.setnp(cl)?;
                a.sete(al)?;
                a.and(eax, ecx)?;
            }
            (CmpOp::Ne, true) => {
                a.setp(cl)?;
                a.setne(al)?;
                a.or(eax, ecx)?;
            }
            (CmpOp::Eq, false) => a.sete(al)?,
            (CmpOp::Ne, false) => a.setne(al)?,
            (CmpOp::Lt | CmpOp::Gt, true) => a.seta(al)?,
            (CmpOp::Le | CmpOp::Ge, true) => a.setae(al)?,
            (CmpOp::Lt, false) => a.setl(al)?,
            (CmpOp::Le, false) => a.setle(al)?,
            (CmpOp::Gt, false) => a.setg(al)?,
            (CmpOp::Ge, false) => a.setge(al)?,
            (CmpOp::LtU, _) => a.setb(al)?,
            (CmpOp::GeU, _) => a.setae(al)?,
        }
        a.movzx(eax, al)?;
        Ok(())
    }

    /// Goes on by a comparison.
    pub(super) fn jump_if(&mut self, op: CmpOp, ty: Ty, yes: CodeLabel, no: CodeLabel) -> Result {
        let a = &mut self.a;
        match (op, ty.is_real()) {
            (CmpOp::Eq, true) => {
                a.jp(no)?;
                a.je(yes)?;
            }
            (CmpOp::Ne, true) => {
                a.jp(yes)?;
                a.jne(yes)?;
            }
            (CmpOp::Eq, false) => a.je(yes)?,
            (CmpOp::Ne, false) => a.jne(yes)?,
            (CmpOp::Lt | CmpOp::Gt, true) => a.ja(yes)?,
            (CmpOp::Le | CmpOp::Ge, true) => a.jae(yes)?,
            (CmpOp::Lt, false) => a.jl(yes)?,
            (CmpOp::Le, false) => a.jle(yes)?,
            (CmpOp::Gt, false) => a.jg(yes)?,
            (CmpOp::Ge, false) => a.jge(yes)?,
            (CmpOp::LtU, _) => a.jb(yes)?,
            (CmpOp::GeU, _) => a.jae(yes)?,
        }
        a.jmp(no)?;
        Ok(())
    }
}
