//! Integer arithmetic in general registers.
//!
//! Not here: rows of integers (`emit::ops`), reals (`emit::reals`, `host::reals`).

use iced_x86::IcedError;
use iced_x86::code_asm::{CodeAssembler, eax, ecx, edx, rax, rcx, rdx};
use ir::op::BinOp;

/// Whether [`binary`] knows an operation.
pub(crate) fn is_known(op: BinOp) -> bool {
    !matches!(op, BinOp::MulHi | BinOp::Copysign | BinOp::Fmod | BinOp::DivApprox)
}

/// Computes `rax op rcx` into `rax`, of 64 bits if `is_wide`, else of 32, zero-extended; `rcx` and `rdx` are lost.
pub(crate) fn binary(a: &mut CodeAssembler, op: BinOp, is_wide: bool) -> Result<(), IcedError> {
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
    // A word of 32 bits is zero-extended.
    if !is_wide {
        a.mov(eax, eax)?;
    }
    Ok(())
}
