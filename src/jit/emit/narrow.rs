//! Integers of 8 and of 16 bits, which lie zero-extended in words of 32 bits: they are computed as words, and the result is cut.

use super::Result;
use super::strip::{Home, Strip, WORD};
use super::vector::{Reg, Src};
use crate::segment::{Value, ValueId};
use iced_x86::{Code, MemoryOperand};
use ir::Ty;
use ir::op::{BinOp, CmpOp, UnOp};

/// The bits of an integer that is narrower than a word; `None` of other types.
pub(super) fn bits(ty: Ty) -> Option<u32> {
    match ty {
        Ty::I8 => Some(8),
        Ty::I16 => Some(16),
        Ty::Pred | Ty::I32 | Ty::I64 | Ty::F32 | Ty::F64 => None,
    }
}

/// Whether a value is an operation of this file.
pub(super) fn is_one(value: &Value) -> bool {
    match *value {
        Value::Un(op, ty, _) => op != UnOp::Mov && bits(ty).is_some(),
        Value::Bin(_, ty, ..) | Value::Tri(_, ty, ..) | Value::Cmp(_, ty, ..) => bits(ty).is_some(),
        _ => false,
    }
}

impl Strip<'_, '_, '_, '_> {
    /// Computes a value of others.
    pub(super) fn narrow_operation(&mut self, id: ValueId, value: &Value) -> Result {
        match *value {
            Value::Un(op, ty, a) => self.narrow_unary(id, op, bits(ty).unwrap_or(0), a),
            Value::Bin(op, ty, a, b) => self.narrow_binary(id, op, bits(ty).unwrap_or(0), a, b),
            Value::Tri(op, ty, a, b, c) => {
                self.ternary(id, op, Ty::I32, [a, b, c])?;
                self.cut(id, bits(ty).unwrap_or(0))
            }
            Value::Cmp(op, ty, a, b) => self.narrow_comparison(id, op, bits(ty).unwrap_or(0), a, b),
            _ => Ok(()),
        }
    }

    fn narrow_unary(&mut self, id: ValueId, op: UnOp, bits: u32, a: ValueId) -> Result {
        if op == UnOp::Abs {
            let x = self.extended(a, bits)?;
            let d = self.alloc()?;
            self.emit2(Code::VEX_Vpabsd_ymm_ymmm256, d, Src::Reg(x))?;
            self.set(id, WORD, d);
        } else {
            self.unary(id, op, Ty::I32, a)?;
        }
        self.cut(id, bits)
    }

    fn narrow_binary(&mut self, id: ValueId, op: BinOp, bits: u32, a: ValueId, b: ValueId) -> Result {
        match op {
            // Of words whose upper bits are zero these are zero too.
            BinOp::And | BinOp::Or | BinOp::Xor | BinOp::ShrU => return self.binary(id, op, Ty::I32, a, b),
            BinOp::Min | BinOp::Max => {
                let (x, y) = (self.raised(a, bits)?, self.raised(b, bits)?);
                let code = if op == BinOp::Min {
                    Code::VEX_Vpminsd_ymm_ymm_ymmm256
                } else {
                    Code::VEX_Vpmaxsd_ymm_ymm_ymmm256
                };
                self.emit3(code, x, x, Src::Reg(y))?;
                self.shift(Code::VEX_Vpsrld_ymm_ymm_imm8, x, x, 32 - bits)?;
                self.drop_reg(y);
                self.set(id, WORD, x);
                return Ok(());
            }
            BinOp::ShrS => {
                let x = self.extended(a, bits)?;
                let count = self.src(b, WORD)?;
                let d = self.alloc()?;
                self.emit3(Code::VEX_Vpsravd_ymm_ymm_ymmm256, d, x, count)?;
                self.set(id, WORD, d);
            }
            BinOp::Div | BinOp::Rem => {
                let (x, y) = (self.extended(a, bits)?, self.extended(b, bits)?);
                self.quotient(id, op == BinOp::Div, x, y)?;
            }
            _ => self.binary(id, op, Ty::I32, a, b)?,
        }
        self.cut(id, bits)
    }

    fn narrow_comparison(&mut self, id: ValueId, op: CmpOp, bits: u32, a: ValueId, b: ValueId) -> Result {
        let (x, y) = match op {
            CmpOp::Eq | CmpOp::Ne | CmpOp::LtU | CmpOp::GeU => (self.reg(a, WORD)?, self.reg(b, WORD)?),
            CmpOp::Lt | CmpOp::Le | CmpOp::Gt | CmpOp::Ge => (self.raised(a, bits)?, self.raised(b, bits)?),
        };
        let mask = self.alloc_mask()?;
        self.compare_integers(op, false, mask, x, y)?;
        self.set(id, WORD, mask);
        Ok(())
    }

    /// Clears what is above the bits of a narrow integer in the words of a value.
    pub(super) fn cut(&mut self, id: ValueId, bits: u32) -> Result {
        let x = self.reg(id, WORD)?;
        self.cut_words(x, bits)
    }

    /// The same in a register.
    pub(super) fn cut_words(&mut self, x: Reg, bits: u32) -> Result {
        let all = self.words((1 << bits) - 1);
        self.emit3(Code::VEX_Vpand_ymm_ymm_ymmm256, x, x, all)
    }

    /// A register of its own with a narrow integer in the upper bits of words, where its order is that of words.
    fn raised(&mut self, a: ValueId, bits: u32) -> Result<Reg> {
        let x = self.reg(a, WORD)?;
        let d = self.alloc()?;
        self.shift(Code::VEX_Vpslld_ymm_ymm_imm8, d, x, 32 - bits)?;
        Ok(d)
    }

    /// A register of its own with a narrow integer as a word of 32 bits with its sign.
    pub(super) fn extended(&mut self, a: ValueId, bits: u32) -> Result<Reg> {
        if let Some(from) = self.narrow_run(a, bits) {
            let d = self.alloc()?;
            let code = if bits == 8 { Code::VEX_Vpmovsxbd_ymm_xmmm64 } else { Code::VEX_Vpmovsxwd_ymm_xmmm128 };
            self.emit2m(code, d, from)?;
            return Ok(d);
        }
        let d = self.raised(a, bits)?;
        self.shift(Code::VEX_Vpsrad_ymm_ymm_imm8, d, d, 32 - bits)?;
        Ok(d)
    }

    /// Where a narrow value lies in memory side by side for the lanes, if it is nowhere else.
    pub(super) fn narrow_run(&self, a: ValueId, bits: u32) -> Option<MemoryOperand> {
        match self.of.parts[a as usize][WORD] {
            part if part.reg.is_some() => None,
            part => match part.home? {
                Home::Narrow { from, bytes, is_run: true } if bytes * 8 == bits => Some(from),
                _ => None,
            },
        }
    }
}
