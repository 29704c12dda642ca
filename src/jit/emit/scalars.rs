//! Values that all lanes share, in general registers: each is computed once, before anything else, and kept on the stack.

use super::{CompileError, Current, Emitter, Result, field, reals};
use crate::integers;
use crate::segment::{Class, Value, ValueId};
use crate::state::State;
use iced_x86::code_asm::{
    AsmRegister64, dword_ptr, eax, ecx, edx, qword_ptr, r12, r13, r14, r15, rax, rbx, rcx, rdx, rsp,
};
use ir::Ty;
use ir::op::{BinOp, CmpOp, CvtOp, TriOp, UnOp};
use std::mem::offset_of;

/// Whether the compiler knows the operations of a value. The others are left to the interpreter.
pub(crate) fn is_known(value: &Value) -> bool {
    if reals::is_known(value) {
        return true;
    }
    match *value {
        Value::ScalarUn(op, ty, _) => {
            op == UnOp::Mov && ty != Ty::Pred || ty.is_int() && matches!(op, UnOp::Neg | UnOp::Not | UnOp::Abs)
        }
        Value::ScalarBin(op, ty, ..) => ty.is_int() && integers::is_known(op),
        Value::ScalarTri(op, ty, ..) => ty.is_int() && op == TriOp::Mad,
        Value::ScalarCmp(_, ty, ..) => ty.is_int(),
        Value::ScalarCvt(op, from, to, _) => {
            matches!(op, CvtOp::Cast | CvtOp::CastU) && from.is_int() && to.is_int() && from != to
                || op == CvtOp::Bits && from.bytes() == to.bytes() && from != Ty::Pred && to != Ty::Pred
        }
        _ => true,
    }
}

impl Emitter<'_> {
    /// Computes every scalar, and checks every access.
    pub(super) fn scalars(&mut self, at: &mut Current<'_>) -> Result {
        let segment = at.segment;
        at.pointers = vec![0; segment.accesses.len()];
        let mut checked = vec![false; segment.accesses.len()];
        let mut patterns = std::mem::take(&mut at.patterns);
        for (i, value) in segment.values.iter().enumerate() {
            if !at.needed[i] || value.class() != Class::Scalar {
                continue;
            }
            if let Value::ScalarLoad(access) = *value {
                self.check(at, access, &mut patterns)?;
                checked[access as usize] = true;
            }
            self.scalar(at, i as ValueId, value)?;
        }
        // Stores come first: a page that is written may get another place, and others are to be found there.
        let is_store = |access: &u32| segment.stores.iter().any(|store| store.access == *access);
        let (stores, loads): (Vec<u32>, Vec<u32>) = (0..segment.accesses.len() as u32).partition(is_store);
        for access in stores.into_iter().chain(loads) {
            if !checked[access as usize] {
                self.check(at, access, &mut patterns)?;
            }
        }
        Ok(())
    }

    fn scalar(&mut self, at: &mut Current<'_>, id: ValueId, value: &Value) -> Result {
        if !is_known(value) {
            return Err(CompileError::Unsupported("an operation on scalars"));
        }
        match *value {
            _ if reals::is_known(value) => self.real(at, value)?,
            Value::Constant(_) => return Ok(()),
            Value::Scalar(slot) => {
                let is_written = |o: &&crate::Out| o.class == Class::Scalar && o.slot == slot && o.value != id;
                if !at.segment.outs.iter().any(|o| is_written(&o)) {
                    return Ok(());
                }
                self.a.mov(rax, qword_ptr(r14 + 8 * slot as i32))?;
            }
            Value::Geometry(word) => {
                self.a.mov(rax, qword_ptr(rbx + field!(geometry)))?;
                self.a.mov(eax, dword_ptr(rax + 4 * word as i32))?;
            }
            Value::FirstThread(dimension) => {
                self.a.mov(rax, qword_ptr(rbx + field!(threads)))?;
                self.a.mov(eax, dword_ptr(rax + 128 * dimension as i32))?;
            }
            Value::FirstPred(slot) => {
                self.a.tzcnt(ecx, dword_ptr(rbx + field!(mask)))?;
                self.a.shrx(eax, dword_ptr(r15 + 4 * slot as i32), ecx)?;
                self.a.and(eax, 1)?;
            }
            Value::FirstRow(class, slot) => {
                self.a.tzcnt(ecx, dword_ptr(rbx + field!(mask)))?;
                if class == Class::Long {
                    self.a.mov(rax, qword_ptr(r13 + rcx * 8 + 256 * slot as i32))?;
                } else {
                    self.a.mov(eax, dword_ptr(r12 + rcx * 4 + 128 * slot as i32))?;
                }
            }
            Value::ScalarUn(op, ty, a) => {
                self.load_scalar(at, a, rax)?;
                match op {
                    UnOp::Neg | UnOp::Not | UnOp::Abs => integers::unary(&mut self.a, op, ty)?,
                    _ => {}
                }
            }
            Value::ScalarTri(_, ty, a, b, c) => {
                self.scalar_binary(at, BinOp::Mul, ty, a, b)?;
                self.load_scalar(at, c, rcx)?;
                integers::binary(&mut self.a, BinOp::Add, ty)?;
            }
            Value::ScalarBin(op, ty, a, b) => self.scalar_binary(at, op, ty, a, b)?,
            Value::ScalarCmp(op, ty, a, b) => {
                self.load_scalar(at, a, rax)?;
                match Self::immediate(at, ty, b) {
                    Some(constant) if ty == Ty::I64 => self.a.cmp(rax, constant)?,
                    Some(constant) => self.a.cmp(eax, constant)?,
                    None => {
                        self.load_scalar(at, b, rcx)?;
                        if !matches!(op, CmpOp::LtU | CmpOp::GeU) {
                            integers::extend(&mut self.a, ty, rax)?;
                            integers::extend(&mut self.a, ty, rcx)?;
                        }
                        if ty == Ty::I64 {
                            self.a.cmp(rax, rcx)?;
                        } else {
                            self.a.cmp(eax, ecx)?;
                        }
                    }
                }
                use iced_x86::code_asm::al;
                match op {
                    CmpOp::Eq => self.a.sete(al)?,
                    CmpOp::Ne => self.a.setne(al)?,
                    CmpOp::Lt => self.a.setl(al)?,
                    CmpOp::Le => self.a.setle(al)?,
                    CmpOp::Gt => self.a.setg(al)?,
                    CmpOp::Ge => self.a.setge(al)?,
                    CmpOp::LtU => self.a.setb(al)?,
                    CmpOp::GeU => self.a.setae(al)?,
                }
                self.a.movzx(eax, al)?;
            }
            Value::ScalarCvt(op, from, to, a) => {
                self.load_scalar(at, a, rax)?;
                if op != CvtOp::Bits {
                    integers::convert(&mut self.a, from, to, op == CvtOp::Cast)?;
                }
            }
            Value::ScalarSelect(condition, a, b) => {
                self.load_scalar(at, condition, rdx)?;
                self.load_scalar(at, a, rax)?;
                self.load_scalar(at, b, rcx)?;
                self.a.test(edx, edx)?;
                self.a.cmove(rax, rcx)?;
            }
            Value::ScalarLoad(access) => {
                let bytes = at.segment.accesses[access as usize].bytes;
                self.a.mov(rax, qword_ptr(rsp + at.pointers[access as usize]))?;
                match bytes {
                    1 => self.a.movzx(eax, iced_x86::code_asm::byte_ptr(rax))?,
                    2 => self.a.movzx(eax, iced_x86::code_asm::word_ptr(rax))?,
                    4 => self.a.mov(eax, dword_ptr(rax))?,
                    _ => self.a.mov(rax, qword_ptr(rax))?,
                }
            }
            _ => return Err(CompileError::Encoding("no scalar".to_owned())),
        }
        let place = self.take(8, 8)?;
        self.a.mov(qword_ptr(rsp + place), rax)?;
        at.places[id as usize] = Some(place);
        at.in_rax = Some((id, self.a.instructions().len()));
        Ok(())
    }

    /// The word of a scalar that is a constant, if an instruction on a type can have it.
    fn immediate(at: &Current<'_>, ty: Ty, value: ValueId) -> Option<i32> {
        let Value::Constant(word) = at.segment.values[value as usize] else { return None };
        match ty {
            Ty::I32 => Some(word as i32),
            Ty::I64 => i32::try_from(word as i64).ok(),
            _ => None,
        }
    }

    fn scalar_binary(&mut self, at: &Current<'_>, op: BinOp, ty: Ty, a: ValueId, b: ValueId) -> Result {
        self.load_scalar(at, a, rax)?;
        if let Some(constant) = Self::immediate(at, ty, b)
            && integers::binary_with(&mut self.a, op, ty, constant)?
        {
            return Ok(());
        }
        self.load_scalar(at, b, rcx)?;
        Ok(integers::binary(&mut self.a, op, ty)?)
    }

    /// Where a scalar lies, to be read by a vector instruction.
    pub(super) fn scalar_place(&mut self, at: &mut Current<'_>, value: ValueId) -> Result<(AsmRegister64, i32)> {
        if let (None, Value::Constant(word)) = (at.places[value as usize], at.segment.values[value as usize]) {
            let bytes = self.constant(std::array::from_fn::<u8, 32, _>(|i| word.to_le_bytes()[i % 8]));
            return Ok((iced_x86::code_asm::rbp, bytes));
        }
        match (at.places[value as usize], at.segment.values[value as usize]) {
            (Some(place), _) => Ok((rsp, place)),
            (None, Value::Scalar(slot)) => Ok((r14, 8 * slot as i32)),
            (None, _) => Err(CompileError::Encoding("a scalar without a place".to_owned())),
        }
    }

    /// Adds the sum of terms to a register; `rcx` is lost.
    pub(super) fn add_terms(&mut self, at: &Current<'_>, to: AsmRegister64, terms: &[crate::AddressTerm]) -> Result {
        for term in terms {
            self.load_scalar(at, term.value, rcx)?;
            if term.is_narrow {
                self.a.movsxd(rcx, ecx)?;
            }
            self.multiply(term.factor)?;
            self.a.add(to, rcx)?;
        }
        Ok(())
    }

    /// Multiplies `rcx` by a constant.
    pub(super) fn multiply(&mut self, factor: i64) -> Result {
        match factor {
            1 => {}
            _ if factor > 0 && (factor as u64).is_power_of_two() => self.a.shl(rcx, factor.trailing_zeros())?,
            _ if i32::try_from(factor).is_ok() => self.a.imul_3(rcx, rcx, factor as i32)?,
            _ => {
                self.a.mov(rdx, factor)?;
                self.a.imul_2(rcx, rdx)?;
            }
        }
        Ok(())
    }
}
