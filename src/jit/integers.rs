//! Integer arithmetic in general registers. Narrow integers lie zero-extended in words of 32 bits: they are extended before where
//! their signs count, computed as words, and cut behind.
//!
//! Not here: rows of integers (`emit::ops`), reals (`emit::reals`, `host::reals`).

use iced_x86::IcedError;
use iced_x86::code_asm::{AsmRegister64, CodeAssembler, al, ax, cl, cx, eax, ecx, edx, rax, rcx, rdx};
use ir::Ty;
use ir::op::{BinOp, UnOp};

/// Whether [`binary`] knows an operation.
pub(crate) fn is_known(op: BinOp) -> bool {
    !matches!(op, BinOp::MulHi | BinOp::Copysign | BinOp::Fmod | BinOp::DivApprox)
}

/// Gives the word of a narrow integer in `rax` or `rcx` its sign; does nothing with others.
pub(crate) fn extend(a: &mut CodeAssembler, ty: Ty, of: AsmRegister64) -> Result<(), IcedError> {
    match (ty, of == rcx) {
        (Ty::I8, false) => a.movsx(eax, al),
        (Ty::I8, true) => a.movsx(ecx, cl),
        (Ty::I16, false) => a.movsx(eax, ax),
        (Ty::I16, true) => a.movsx(ecx, cx),
        _ => Ok(()),
    }
}

/// Clears the bits of `rax` that an integer of a type does not have.
pub(crate) fn cut(a: &mut CodeAssembler, ty: Ty) -> Result<(), IcedError> {
    match ty {
        Ty::I8 => a.movzx(eax, al),
        Ty::I16 => a.movzx(eax, ax),
        Ty::I64 => Ok(()),
        _ => a.mov(eax, eax),
    }
}

/// Makes an integer of another type of the one in `rax`, with its sign or with zeros.
pub(crate) fn convert(a: &mut CodeAssembler, from: Ty, to: Ty, is_signed: bool) -> Result<(), IcedError> {
    if is_signed && from.bytes() < to.bytes() {
        extend(a, from, rax)?;
        if to == Ty::I64 {
            a.movsxd(rax, eax)?;
        }
    }
    cut(a, to)
}

/// Computes `op rax` into `rax`, zero-extended; `rcx` is lost.
pub(crate) fn unary(a: &mut CodeAssembler, op: UnOp, ty: Ty) -> Result<(), IcedError> {
    let is_wide = ty == Ty::I64;
    match op {
        UnOp::Neg if is_wide => a.neg(rax)?,
        UnOp::Neg => a.neg(eax)?,
        UnOp::Not if is_wide => a.not(rax)?,
        UnOp::Not => a.not(eax)?,
        _ if is_wide => {
            a.mov(rcx, rax)?;
            a.neg(rcx)?;
            a.cmovns(rax, rcx)?;
        }
        _ => {
            extend(a, ty, rax)?;
            a.mov(ecx, eax)?;
            a.neg(ecx)?;
            a.cmovns(eax, ecx)?;
        }
    }
    cut(a, ty)
}

/// Computes `rax op constant` into `rax`, zero-extended, for words of 32 or 64 bits; whether one instruction does it. A constant of 64
/// bits is extended with its sign.
pub(crate) fn binary_with(a: &mut CodeAssembler, op: BinOp, ty: Ty, constant: i32) -> Result<bool, IcedError> {
    let is_wide = ty == Ty::I64;
    macro_rules! both {
        ($op:ident) => {
            if is_wide { a.$op(rax, constant)? } else { a.$op(eax, constant)? }
        };
    }
    let is_count = (0..if is_wide { 64 } else { 32 }).contains(&constant);
    match op {
        BinOp::Add => both!(add),
        BinOp::Sub => both!(sub),
        BinOp::And => both!(and),
        BinOp::Or => both!(or),
        BinOp::Xor => both!(xor),
        BinOp::Shl if is_count => both!(shl),
        BinOp::ShrU if is_count => both!(shr),
        BinOp::ShrS if is_count => both!(sar),
        BinOp::Mul if is_wide => a.imul_3(rax, rax, constant)?,
        BinOp::Mul => a.imul_3(eax, eax, constant)?,
        _ => return Ok(false),
    }
    Ok(true)
}

/// Computes `rax op rcx` into `rax`, zero-extended; `rcx` and `rdx` are lost.
pub(crate) fn binary(a: &mut CodeAssembler, op: BinOp, ty: Ty) -> Result<(), IcedError> {
    let is_wide = ty == Ty::I64;
    if matches!(op, BinOp::Min | BinOp::Max | BinOp::Div | BinOp::Rem | BinOp::ShrS) {
        extend(a, ty, rax)?;
    }
    if matches!(op, BinOp::Min | BinOp::Max | BinOp::Div | BinOp::Rem) {
        extend(a, ty, rcx)?;
    }
    let bits = if is_wide { 64 } else { 32 };
    macro_rules! both {
        ($op:ident) => {
            if is_wide { a.$op(rax, rcx)? } else { a.$op(eax, ecx)? }
        };
    }
    match op {
        BinOp::Add => both!(add),
        BinOp::Sub => both!(sub),
        BinOp::Mul => both!(imul_2),
        BinOp::And => both!(and),
        BinOp::Or => both!(or),
        BinOp::Xor => both!(xor),
        BinOp::Min | BinOp::Max => {
            both!(cmp);
            if op == BinOp::Min { both!(cmovg) } else { both!(cmovl) }
        }
        BinOp::Shl | BinOp::ShrU => {
            let is_left = op == BinOp::Shl;
            match (is_wide, is_left) {
                (true, true) => a.shlx(rax, rax, rcx)?,
                (true, false) => a.shrx(rax, rax, rcx)?,
                (false, true) => a.shlx(eax, eax, ecx)?,
                (false, false) => a.shrx(eax, eax, ecx)?,
            }
            // All bits one if the count is less than the width, else none.
            if is_wide {
                a.cmp(rcx, bits)?;
            } else {
                a.cmp(ecx, bits)?;
            }
            a.sbb(rdx, rdx)?;
            a.and(rax, rdx)?;
        }
        BinOp::ShrS => {
            a.mov(edx, (bits - 1) as u32)?;
            if is_wide {
                a.cmp(rcx, rdx)?;
            } else {
                a.cmp(ecx, edx)?;
            }
            a.cmova(rcx, rdx)?;
            if is_wide { a.sarx(rax, rax, rcx)? } else { a.sarx(eax, eax, ecx)? }
        }
        BinOp::Div | BinOp::Rem => {
            let (mut special, mut minus, mut done) = (a.create_label(), a.create_label(), a.create_label());
            if is_wide {
                a.test(rcx, rcx)?;
            } else {
                a.test(ecx, ecx)?;
            }
            a.je(special)?;
            if is_wide {
                a.cmp(rcx, -1)?;
            } else {
                a.cmp(ecx, -1)?;
            }
            a.je(minus)?;
            if is_wide {
                a.cqo()?;
                a.idiv(rcx)?;
            } else {
                a.cdq()?;
                a.idiv(ecx)?;
            }
            if op == BinOp::Rem {
                if is_wide { a.mov(rax, rdx)? } else { a.mov(eax, edx)? }
            }
            a.jmp(done)?;
            a.set_label(&mut special)?;
            if op == BinOp::Div {
                if is_wide { a.mov(rax, -1i64)? } else { a.mov(eax, -1)? }
            }
            a.jmp(done)?;
            a.set_label(&mut minus)?;
            if op == BinOp::Rem {
                a.xor(eax, eax)?;
            } else if is_wide {
                a.neg(rax)?;
            } else {
                a.neg(eax)?;
            }
            a.set_label(&mut done)?;
            a.nop()?;
        }
        // These are left to the evaluator.
        BinOp::MulHi | BinOp::Copysign | BinOp::Fmod | BinOp::DivApprox => {}
    }
    cut(a, ty)
}
