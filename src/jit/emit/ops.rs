//! The instructions of each operation on rows. What an operation means is said in `scalar` and `ir::eval`.
//!
//! Not here: conversions (`conversions`), integers of 8 and of 16 bits (`narrow`).

use super::strip::{LONGS, Strip, WORD};
use super::vector::{MaskOp, Reg, Src};
use super::{CompileError, Result, conversions, narrow};
use crate::reals;
use crate::segment::{Class, Value, ValueId, class_of};
use iced_x86::Code;
use ir::Ty;
use ir::op::{BinOp, CmpOp, TriOp, UnOp};

/// Whether the compiler knows the operations of a value on rows. The others are left to the interpreter.
pub(crate) fn is_known(value: &Value) -> bool {
    let row = |ty: Ty| ty != Ty::Pred;
    let is_word = |ty: Ty| matches!(ty, Ty::I8 | Ty::I16 | Ty::I32);
    match *value {
        Value::Un(op, ty, _) => match op {
            UnOp::Mov | UnOp::Not => true,
            UnOp::Neg | UnOp::Abs => row(ty),
            UnOp::Sqrt | UnOp::Floor | UnOp::Ceil | UnOp::Trunc | UnOp::RoundEven | UnOp::Canon => ty.is_real(),
            UnOp::Round | UnOp::Popc | UnOp::Clz | UnOp::Ctz | UnOp::Brev => false,
            UnOp::SinApprox
            | UnOp::CosApprox
            | UnOp::Ex2Approx
            | UnOp::Lg2Approx
            | UnOp::SqrtApprox
            | UnOp::RsqrtApprox => false,
        },
        Value::Bin(op, ty, ..) => match op {
            BinOp::Add | BinOp::Sub | BinOp::Mul | BinOp::Min | BinOp::Max => row(ty),
            BinOp::Div => ty.is_real() || is_word(ty),
            BinOp::Rem => is_word(ty),
            BinOp::And | BinOp::Or | BinOp::Xor => true,
            BinOp::Shl | BinOp::ShrU | BinOp::ShrS => ty.is_int(),
            BinOp::Copysign => ty.is_real(),
            BinOp::MulHi | BinOp::Fmod | BinOp::DivApprox => false,
        },
        Value::Tri(_, ty, ..) => row(ty),
        Value::Cmp(_, ty, ..) => row(ty),
        Value::Cvt(op, from, to, _) => conversions::is_known(op, from, to),
        _ => true,
    }
}

/// The parts of a row of a type.
pub(super) fn parts(ty: Ty) -> &'static [usize] {
    if class_of(ty) == Class::Long { &LONGS } else { &[WORD] }
}

impl Strip<'_, '_, '_, '_> {
    /// Computes a value of others.
    pub(super) fn operation(&mut self, id: ValueId, value: &Value) -> Result {
        if !is_known(value) {
            return Err(CompileError::Unsupported("an operation on rows"));
        }
        match *value {
            Value::Un(op, Ty::Pred, a) => self.pred_unary(id, op, a),
            Value::Bin(op, Ty::Pred, a, b) => self.pred_binary(id, op, a, b),
            _ if narrow::is_one(value) => self.narrow_operation(id, value),
            Value::Un(op, ty, a) => self.unary(id, op, ty, a),
            Value::Bin(op, ty, a, b) => self.binary(id, op, ty, a, b),
            Value::Tri(op, ty, a, b, c) => self.ternary(id, op, ty, [a, b, c]),
            Value::Cmp(op, ty, a, b) => self.comparison(id, op, ty, a, b),
            Value::Select(class, condition, a, b) => self.select(id, class, condition, a, b),
            Value::Cvt(op, from, to, a) => self.conversion(id, op, from, to, a),
            _ => Err(CompileError::Encoding("no operation".to_owned())),
        }
    }

    /// Makes operands canonical whose bits an operation sees.
    fn seen(&mut self, ty: Ty, operands: &[ValueId]) -> Result {
        if ty != Ty::F32 {
            for &v in operands {
                self.canonical(v)?;
            }
        }
        Ok(())
    }

    /// `d = a op b` for each part, by one instruction.
    pub(super) fn each(&mut self, id: ValueId, ty: Ty, code: Code, a: ValueId, b: ValueId) -> Result {
        for &part in parts(ty) {
            let x = self.reg(a, part)?;
            let y = self.src(b, part)?;
            let d = self.alloc_result(&[a, b], part)?;
            self.emit3(code, d, x, y)?;
            self.set(id, part, d);
        }
        Ok(())
    }

    fn pred_unary(&mut self, id: ValueId, op: UnOp, a: ValueId) -> Result {
        let flips = op == UnOp::Not;
        let sources: Vec<(usize, Reg)> = if self.has_longs_only(a) {
            LONGS.into_iter().zip(self.pred_longs(a)?).collect()
        } else {
            vec![(WORD, self.pred_words(a)?)]
        };
        for (part, x) in sources {
            let d = self.alloc_mask()?;
            if flips {
                self.mask_not(d, x)?;
            } else {
                self.copy(d, x)?;
            }
            self.set(id, part, d);
        }
        Ok(())
    }

    fn pred_binary(&mut self, id: ValueId, op: BinOp, a: ValueId, b: ValueId) -> Result {
        let op = match op {
            BinOp::And => MaskOp::And,
            BinOp::Or => MaskOp::Or,
            _ => MaskOp::Xor,
        };
        if self.has_longs_only(a) && self.has_longs_only(b) {
            let (x, y) = (self.pred_longs(a)?, self.pred_longs(b)?);
            for k in 0..2 {
                let d = self.alloc_mask()?;
                self.mask_op(op, d, x[k], y[k])?;
                self.set(id, LONGS[k], d);
            }
            return Ok(());
        }
        let (x, y) = (self.pred_words(a)?, self.pred_words(b)?);
        let d = self.alloc_mask()?;
        self.mask_op(op, d, x, y)?;
        self.set(id, WORD, d);
        Ok(())
    }

    pub(super) fn unary(&mut self, id: ValueId, op: UnOp, ty: Ty, a: ValueId) -> Result {
        let is_real = ty.is_real();
        match op {
            UnOp::Mov | UnOp::Canon => {
                for &part in parts(ty) {
                    let x = self.reg(a, part)?;
                    let d = self.alloc()?;
                    self.copy(d, x)?;
                    self.set(id, part, d);
                }
                let is_raw = self.is_raw(a) || op == UnOp::Canon && ty == Ty::F32;
                self.mark_raw(id, is_raw);
            }
            UnOp::Neg | UnOp::Abs if is_real => {
                let is_wide = ty == Ty::F64;
                for &part in parts(ty) {
                    let x = self.reg(a, part)?;
                    let sign = u64::MAX >> 1;
                    let constant = match (op, is_wide) {
                        (UnOp::Neg, true) => self.longs(!sign),
                        (UnOp::Neg, false) => self.words(1 << 31),
                        (_, true) => self.longs(sign),
                        (_, false) => self.words(u32::MAX >> 1),
                    };
                    let code = if op == UnOp::Neg {
                        Code::VEX_Vxorps_ymm_ymm_ymmm256
                    } else {
                        Code::VEX_Vandps_ymm_ymm_ymmm256
                    };
                    let d = self.alloc()?;
                    self.emit3(code, d, x, constant)?;
                    self.set(id, part, d);
                }
                self.mark_raw(id, !is_wide);
            }
            UnOp::Neg => {
                self.canonical(a)?;
                let code =
                    if ty == Ty::I64 { Code::VEX_Vpsubq_ymm_ymm_ymmm256 } else { Code::VEX_Vpsubd_ymm_ymm_ymmm256 };
                for &part in parts(ty) {
                    let x = self.reg(a, part)?;
                    let d = self.alloc()?;
                    self.emit3(Code::VEX_Vpxor_ymm_ymm_ymmm256, d, d, Src::Reg(d))?;
                    self.emit3(code, d, d, Src::Reg(x))?;
                    self.set(id, part, d);
                }
            }
            UnOp::Abs if ty == Ty::I32 => {
                self.canonical(a)?;
                let x = self.src(a, WORD)?;
                let d = self.alloc()?;
                self.emit2(Code::VEX_Vpabsd_ymm_ymmm256, d, x)?;
                self.set(id, WORD, d);
            }
            UnOp::Abs => {
                for part in LONGS {
                    let x = self.reg(a, part)?;
                    let d = self.alloc()?;
                    self.long_absolute(d, x)?;
                    self.set(id, part, d);
                }
            }
            UnOp::Not => {
                self.canonical(a)?;
                for &part in parts(ty) {
                    let x = self.reg(a, part)?;
                    let ones = self.words(u32::MAX);
                    let d = self.alloc()?;
                    self.emit3(Code::VEX_Vpxor_ymm_ymm_ymmm256, d, x, ones)?;
                    self.set(id, part, d);
                }
            }
            UnOp::Sqrt | UnOp::Floor | UnOp::Ceil | UnOp::Trunc | UnOp::RoundEven => {
                for &part in parts(ty) {
                    let x = self.src(a, part)?;
                    let d = self.alloc()?;
                    if op == UnOp::Sqrt {
                        let code =
                            if ty == Ty::F64 { Code::VEX_Vsqrtpd_ymm_ymmm256 } else { Code::VEX_Vsqrtps_ymm_ymmm256 };
                        self.emit2(code, d, x)?;
                    } else {
                        self.round(ty, d, x, op)?;
                    }
                    self.set(id, part, d);
                }
                self.mark_raw(id, ty == Ty::F32);
            }
            UnOp::Round
            | UnOp::Popc
            | UnOp::Clz
            | UnOp::Ctz
            | UnOp::Brev
            | UnOp::SinApprox
            | UnOp::CosApprox
            | UnOp::Ex2Approx
            | UnOp::Lg2Approx
            | UnOp::SqrtApprox
            | UnOp::RsqrtApprox => {
                return Err(CompileError::Unsupported("an operation on rows"));
            }
        }
        Ok(())
    }

    pub(super) fn round(&mut self, ty: Ty, d: Reg, x: Src, op: UnOp) -> Result {
        let mode = match op {
            UnOp::Floor => 9,
            UnOp::Ceil => 10,
            UnOp::Trunc => 11,
            _ => 8u32,
        };
        let code =
            if ty == Ty::F64 { Code::VEX_Vroundpd_ymm_ymmm256_imm8 } else { Code::VEX_Vroundps_ymm_ymmm256_imm8 };
        self.emit2i(code, d, x, mode)
    }

    pub(super) fn binary(&mut self, id: ValueId, op: BinOp, ty: Ty, a: ValueId, b: ValueId) -> Result {
        self.seen(ty, &[a, b])?;
        match (op, ty) {
            // Of two NaNs the second operand's is kept, which the instruction does of its first.
            (BinOp::Add, Ty::F64) => self.each(id, ty, Code::VEX_Vaddpd_ymm_ymm_ymmm256, b, a)?,
            (BinOp::Mul, Ty::F64) => self.each(id, ty, Code::VEX_Vmulpd_ymm_ymm_ymmm256, b, a)?,
            (BinOp::Div, Ty::F64) => self.each(id, ty, Code::VEX_Vdivpd_ymm_ymm_ymmm256, a, b)?,
            (BinOp::Sub, Ty::F64) => {
                for part in LONGS {
                    let (x, y) = (self.reg(a, part)?, self.reg(b, part)?);
                    let (d, quiet, mask) = (self.alloc()?, self.alloc()?, self.alloc_mask()?);
                    self.emit3(Code::VEX_Vsubpd_ymm_ymm_ymmm256, d, x, Src::Reg(y))?;
                    self.emit3(Code::VEX_Vaddpd_ymm_ymm_ymmm256, quiet, y, Src::Reg(y))?;
                    self.compare(true, mask, y, Src::Reg(y), 3)?;
                    self.blend(part, d, d, Src::Reg(quiet), mask)?;
                    self.drop_reg(quiet);
                    self.drop_reg(mask);
                    self.set(id, part, d);
                }
            }
            (BinOp::Add | BinOp::Sub | BinOp::Mul | BinOp::Div, Ty::F32) => {
                let code = match op {
                    BinOp::Add => Code::VEX_Vaddps_ymm_ymm_ymmm256,
                    BinOp::Sub => Code::VEX_Vsubps_ymm_ymm_ymmm256,
                    BinOp::Mul => Code::VEX_Vmulps_ymm_ymm_ymmm256,
                    _ => Code::VEX_Vdivps_ymm_ymm_ymmm256,
                };
                self.each(id, ty, code, a, b)?;
                self.mark_raw(id, true);
            }
            (BinOp::Min | BinOp::Max, Ty::F32 | Ty::F64) => self.real_extreme(id, op == BinOp::Min, ty, a, b)?,
            (BinOp::Min, Ty::I32) => self.each(id, ty, Code::VEX_Vpminsd_ymm_ymm_ymmm256, a, b)?,
            (BinOp::Max, Ty::I32) => self.each(id, ty, Code::VEX_Vpmaxsd_ymm_ymm_ymmm256, a, b)?,
            (BinOp::Min | BinOp::Max, _) => {
                for part in LONGS {
                    let (x, y) = (self.reg(a, part)?, self.reg(b, part)?);
                    let (d, mask) = (self.alloc()?, self.alloc_mask()?);
                    self.compare_integers(CmpOp::Gt, true, mask, x, y)?;
                    let (yes, no) = if op == BinOp::Min { (y, x) } else { (x, y) };
                    self.blend(part, d, no, Src::Reg(yes), mask)?;
                    self.drop_reg(mask);
                    self.set(id, part, d);
                }
            }
            (BinOp::Add, Ty::I32) => self.each(id, ty, Code::VEX_Vpaddd_ymm_ymm_ymmm256, a, b)?,
            (BinOp::Sub, Ty::I32) => self.each(id, ty, Code::VEX_Vpsubd_ymm_ymm_ymmm256, a, b)?,
            (BinOp::Mul, Ty::I32) => self.each(id, ty, Code::VEX_Vpmulld_ymm_ymm_ymmm256, a, b)?,
            (BinOp::Add, _) => self.each(id, ty, Code::VEX_Vpaddq_ymm_ymm_ymmm256, a, b)?,
            (BinOp::Sub, _) => self.each(id, ty, Code::VEX_Vpsubq_ymm_ymm_ymmm256, a, b)?,
            (BinOp::Mul, _) => {
                for part in LONGS {
                    let d = self.long_product(a, b, part)?;
                    self.set(id, part, d);
                }
            }
            (BinOp::And, _) => self.each(id, ty, Code::VEX_Vpand_ymm_ymm_ymmm256, a, b)?,
            (BinOp::Or, _) => self.each(id, ty, Code::VEX_Vpor_ymm_ymm_ymmm256, a, b)?,
            (BinOp::Xor, _) => self.each(id, ty, Code::VEX_Vpxor_ymm_ymm_ymmm256, a, b)?,
            // Counts of the width and more shift everything out, as the instructions have it.
            (BinOp::Shl, Ty::I32) => self.each(id, ty, Code::VEX_Vpsllvd_ymm_ymm_ymmm256, a, b)?,
            (BinOp::ShrU, Ty::I32) => self.each(id, ty, Code::VEX_Vpsrlvd_ymm_ymm_ymmm256, a, b)?,
            (BinOp::ShrS, Ty::I32) => self.each(id, ty, Code::VEX_Vpsravd_ymm_ymm_ymmm256, a, b)?,
            (BinOp::Shl, _) => self.each(id, ty, Code::VEX_Vpsllvq_ymm_ymm_ymmm256, a, b)?,
            (BinOp::ShrU, _) => self.each(id, ty, Code::VEX_Vpsrlvq_ymm_ymm_ymmm256, a, b)?,
            (BinOp::ShrS, _) => {
                for part in LONGS {
                    let (x, n) = (self.reg(a, part)?, self.reg(b, part)?);
                    let d = self.alloc()?;
                    self.long_shift_with_sign(d, x, n)?;
                    self.set(id, part, d);
                }
            }
            (BinOp::Div | BinOp::Rem, _) => {
                let (x, y) = (self.reg(a, WORD)?, self.reg(b, WORD)?);
                self.quotient(id, op == BinOp::Div, x, y)?;
            }
            (BinOp::Copysign, _) => {
                let is_wide = ty == Ty::F64;
                for &part in parts(ty) {
                    let (x, y) = (self.reg(a, part)?, self.reg(b, part)?);
                    let (d, sign) = (self.alloc()?, self.alloc()?);
                    let (magnitude, top) = if is_wide {
                        (self.longs(u64::MAX >> 1), self.longs(1 << 63))
                    } else {
                        (self.words(u32::MAX >> 1), self.words(1 << 31))
                    };
                    self.emit3(Code::VEX_Vandps_ymm_ymm_ymmm256, d, x, magnitude)?;
                    self.emit3(Code::VEX_Vandps_ymm_ymm_ymmm256, sign, y, top)?;
                    if !is_wide {
                        // The sign of a NaN is that of the canonical one.
                        let mask = self.alloc_mask()?;
                        self.compare(false, mask, y, Src::Reg(y), 3)?;
                        let none = self.words(0);
                        self.blend(part, sign, sign, none, mask)?;
                        self.drop_reg(mask);
                    }
                    self.emit3(Code::VEX_Vorps_ymm_ymm_ymmm256, d, d, Src::Reg(sign))?;
                    self.drop_reg(sign);
                    self.set(id, part, d);
                }
                self.mark_raw(id, !is_wide);
            }
            (BinOp::MulHi | BinOp::Fmod | BinOp::DivApprox, _) => {
                return Err(CompileError::Unsupported("an operation on rows"));
            }
        }
        Ok(())
    }

    /// The low 64 bits of products of a part of two values.
    fn long_product(&mut self, a: ValueId, b: ValueId, part: usize) -> Result<Reg> {
        let constant = |v: ValueId| match self.at.segment.values[v as usize] {
            Value::Splat(_, scalar) => self.constant(scalar),
            _ => None,
        };
        let (factor, row) = match (constant(a), constant(b)) {
            (_, Some(word)) => (word, a),
            (Some(word), None) => (word, b),
            (None, None) => {
                let (x, y) = (self.reg(a, part)?, self.reg(b, part)?);
                return self.product(x, y);
            }
        };
        let x = self.reg(row, part)?;
        let shift = |bit: u64| bit.trailing_zeros();
        match (factor.count_ones(), factor) {
            (1, bit) => {
                let d = self.alloc()?;
                self.shift(Code::VEX_Vpsllq_ymm_ymm_imm8, d, x, shift(bit))?;
                Ok(d)
            }
            (2, _) => {
                let (d, t) = (self.alloc()?, self.alloc()?);
                let low = factor & factor.wrapping_neg();
                self.shift(Code::VEX_Vpsllq_ymm_ymm_imm8, t, x, shift(factor ^ low))?;
                if low == 1 {
                    self.emit3(Code::VEX_Vpaddq_ymm_ymm_ymmm256, d, t, Src::Reg(x))?;
                } else {
                    self.shift(Code::VEX_Vpsllq_ymm_ymm_imm8, d, x, shift(low))?;
                    self.emit3(Code::VEX_Vpaddq_ymm_ymm_ymmm256, d, d, Src::Reg(t))?;
                }
                self.drop_reg(t);
                Ok(d)
            }
            (_, factor) if factor >> 32 == 0 => {
                let (d, t) = (self.alloc()?, self.alloc()?);
                let factor = self.longs(factor);
                self.shift(Code::VEX_Vpsrlq_ymm_ymm_imm8, t, x, 32)?;
                self.emit3(Code::VEX_Vpmuludq_ymm_ymm_ymmm256, t, t, factor)?;
                self.shift(Code::VEX_Vpsllq_ymm_ymm_imm8, t, t, 32)?;
                self.emit3(Code::VEX_Vpmuludq_ymm_ymm_ymmm256, d, x, factor)?;
                self.emit3(Code::VEX_Vpaddq_ymm_ymm_ymmm256, d, d, Src::Reg(t))?;
                self.drop_reg(t);
                Ok(d)
            }
            _ => {
                let (x, y) = (self.reg(a, part)?, self.reg(b, part)?);
                self.product(x, y)
            }
        }
    }

    /// Absolute values of words of 64 bits.
    fn long_absolute(&mut self, d: Reg, x: Reg) -> Result {
        if self.has_mask_registers() {
            return self.raw2(Code::EVEX_Vpabsq_zmm_k1z_zmmm512b64, d, x);
        }
        self.emit3(Code::VEX_Vpxor_ymm_ymm_ymmm256, d, d, Src::Reg(d))?;
        self.emit3(Code::VEX_Vpsubq_ymm_ymm_ymmm256, d, d, Src::Reg(x))?;
        self.blend(LONGS[0], d, x, Src::Reg(d), x)
    }

    /// Words of 64 bits shifted right, with their signs.
    fn long_shift_with_sign(&mut self, d: Reg, x: Reg, count: Reg) -> Result {
        if self.has_mask_registers() {
            return self.raw3(Code::EVEX_Vpsravq_zmm_k1z_zmm_zmmm512b64, d, x, Src::Reg(count));
        }
        let sign = self.alloc()?;
        self.emit3(Code::VEX_Vpxor_ymm_ymm_ymmm256, sign, sign, Src::Reg(sign))?;
        self.emit3(Code::VEX_Vpcmpgtq_ymm_ymm_ymmm256, sign, sign, Src::Reg(x))?;
        self.emit3(Code::VEX_Vpxor_ymm_ymm_ymmm256, d, x, Src::Reg(sign))?;
        self.emit3(Code::VEX_Vpsrlvq_ymm_ymm_ymmm256, d, d, Src::Reg(count))?;
        self.emit3(Code::VEX_Vpxor_ymm_ymm_ymmm256, d, d, Src::Reg(sign))?;
        self.drop_reg(sign);
        Ok(())
    }

    /// The low 64 bits of products.
    fn product(&mut self, x: Reg, y: Reg) -> Result<Reg> {
        if self.has_mask_registers() {
            let d = self.alloc()?;
            self.raw3(Code::EVEX_Vpmullq_zmm_k1z_zmm_zmmm512b64, d, x, Src::Reg(y))?;
            return Ok(d);
        }
        let (d, t, u) = (self.alloc()?, self.alloc()?, self.alloc()?);
        self.shift(Code::VEX_Vpsrlq_ymm_ymm_imm8, t, x, 32)?;
        self.emit3(Code::VEX_Vpmuludq_ymm_ymm_ymmm256, t, t, Src::Reg(y))?;
        self.shift(Code::VEX_Vpsrlq_ymm_ymm_imm8, u, y, 32)?;
        self.emit3(Code::VEX_Vpmuludq_ymm_ymm_ymmm256, u, u, Src::Reg(x))?;
        self.emit3(Code::VEX_Vpaddq_ymm_ymm_ymmm256, t, t, Src::Reg(u))?;
        self.shift(Code::VEX_Vpsllq_ymm_ymm_imm8, t, t, 32)?;
        self.emit3(Code::VEX_Vpmuludq_ymm_ymm_ymmm256, d, x, Src::Reg(y))?;
        self.emit3(Code::VEX_Vpaddq_ymm_ymm_ymmm256, d, d, Src::Reg(t))?;
        self.drop_reg(t);
        self.drop_reg(u);
        Ok(d)
    }

    /// Quotients or remainders of 32-bit integers by way of real(8), where they are exact.
    pub(super) fn quotient(&mut self, id: ValueId, wants_quotient: bool, x: Reg, y: Reg) -> Result {
        let (low, high) = (self.alloc()?, self.alloc()?);
        let (under, over) = (self.alloc()?, self.alloc()?);
        self.halves(Code::VEX_Vcvtdq2pd_ymm_xmmm128, low, high, x)?;
        self.halves(Code::VEX_Vcvtdq2pd_ymm_xmmm128, under, over, y)?;
        self.emit3(Code::VEX_Vdivpd_ymm_ymm_ymmm256, low, low, Src::Reg(under))?;
        self.emit3(Code::VEX_Vdivpd_ymm_ymm_ymmm256, high, high, Src::Reg(over))?;
        self.join(Code::VEX_Vcvttpd2dq_xmm_ymmm256, low, low, high)?;
        if wants_quotient {
            // Of a division by zero all bits are one.
            let mask = self.alloc_mask()?;
            self.emit3(Code::VEX_Vpxor_ymm_ymm_ymmm256, under, under, Src::Reg(under))?;
            self.compare_integers(CmpOp::Eq, false, mask, under, y)?;
            let ones = self.words(u32::MAX);
            self.blend(WORD, low, low, ones, mask)?;
            self.drop_reg(mask);
        } else {
            self.emit3(Code::VEX_Vpmulld_ymm_ymm_ymmm256, low, low, Src::Reg(y))?;
            self.emit3(Code::VEX_Vpsubd_ymm_ymm_ymmm256, low, x, Src::Reg(low))?;
        }
        for reg in [high, under, over] {
            self.drop_reg(reg);
        }
        self.set(id, WORD, low);
        Ok(())
    }

    /// The lesser or the greater of two reals: of a number and a NaN the number, of two zeros the one with the right sign.
    fn real_extreme(&mut self, id: ValueId, is_min: bool, ty: Ty, a: ValueId, b: ValueId) -> Result {
        let is_wide = ty == Ty::F64;
        for &part in parts(ty) {
            let (x, y) = (self.reg(a, part)?, self.reg(b, part)?);
            let (d, t, mask) = (self.alloc()?, self.alloc()?, self.alloc_mask()?);
            self.compare(is_wide, mask, x, Src::Reg(y), if is_min { 0x11 } else { 0x1e })?;
            self.blend(part, d, y, Src::Reg(x), mask)?;
            // Equal: the same bits, or two zeros, of which the lesser has the sign if one has.
            self.compare(is_wide, mask, x, Src::Reg(y), 0)?;
            let both = if is_min { Code::VEX_Vorps_ymm_ymm_ymmm256 } else { Code::VEX_Vandps_ymm_ymm_ymmm256 };
            self.emit3(both, t, x, Src::Reg(y))?;
            self.blend(part, d, d, Src::Reg(t), mask)?;
            self.compare(is_wide, mask, y, Src::Reg(y), 3)?;
            self.blend(part, d, d, Src::Reg(x), mask)?;
            if is_wide {
                // Both are NaNs: the second one, made quiet.
                self.compare(is_wide, mask, d, Src::Reg(d), 3)?;
                self.emit3(Code::VEX_Vaddpd_ymm_ymm_ymmm256, t, y, Src::Reg(y))?;
                self.blend(part, d, d, Src::Reg(t), mask)?;
            }
            self.drop_reg(t);
            self.drop_reg(mask);
            self.set(id, part, d);
        }
        self.mark_raw(id, !is_wide);
        Ok(())
    }

    pub(super) fn ternary(&mut self, id: ValueId, op: TriOp, ty: Ty, [a, b, c]: [ValueId; 3]) -> Result {
        self.seen(ty, &[a, b, c])?;
        for &part in parts(ty) {
            match (op, ty) {
                (TriOp::Fma, Ty::F32) => {
                    let y = self.reg(b, part)?;
                    let x = self.src(a, part)?;
                    let z = self.src(c, part)?;
                    let d = self.alloc_result(&[c], part)?;
                    if !matches!(z, Src::Reg(z) if z == d) {
                        self.emit2(Code::VEX_Vmovups_ymm_ymmm256, d, z)?;
                    }
                    self.emit3(Code::VEX_Vfmadd231ps_ymm_ymm_ymmm256, d, y, x)?;
                    self.set(id, part, d);
                }
                (TriOp::Fma, Ty::F64) => {
                    let [x, y, z] = [self.reg(a, part)?, self.reg(b, part)?, self.reg(c, part)?];
                    let (d, mask, quiet) = (self.alloc()?, self.alloc_mask()?, self.alloc()?);
                    self.emit2(Code::VEX_Vmovups_ymm_ymmm256, d, Src::Reg(z))?;
                    self.emit3(Code::VEX_Vfmadd231pd_ymm_ymm_ymmm256, d, y, Src::Reg(x))?;
                    // Of several NaNs the third operand's is kept, then the second's; processors differ in which they take.
                    let mut done = self.e.a.create_label();
                    self.compare(true, mask, d, Src::Reg(d), 3)?;
                    self.test_mask(mask)?;
                    self.e.a.je(done)?;
                    for kept in [y, z] {
                        self.compare(true, mask, kept, Src::Reg(kept), 3)?;
                        self.emit3(Code::VEX_Vaddpd_ymm_ymm_ymmm256, quiet, kept, Src::Reg(kept))?;
                        self.blend(part, d, d, Src::Reg(quiet), mask)?;
                    }
                    self.e.a.set_label(&mut done)?;
                    self.e.a.nop()?;
                    self.drop_reg(mask);
                    self.drop_reg(quiet);
                    self.set(id, part, d);
                }
                (_, Ty::I64) => {
                    let d = self.long_product(a, b, part)?;
                    let z = self.src(c, part)?;
                    self.emit3(Code::VEX_Vpaddq_ymm_ymm_ymmm256, d, d, z)?;
                    self.set(id, part, d);
                }
                _ => {
                    let x = self.reg(a, part)?;
                    let y = self.src(b, part)?;
                    let z = self.src(c, part)?;
                    let d = self.alloc()?;
                    self.emit3(Code::VEX_Vpmulld_ymm_ymm_ymmm256, d, x, y)?;
                    self.emit3(Code::VEX_Vpaddd_ymm_ymm_ymmm256, d, d, z)?;
                    self.set(id, part, d);
                }
            }
        }
        self.mark_raw(id, ty == Ty::F32);
        Ok(())
    }

    fn comparison(&mut self, id: ValueId, op: CmpOp, ty: Ty, a: ValueId, b: ValueId) -> Result {
        self.seen(ty, &[a, b])?;
        let is_wide = class_of(ty) == Class::Long;
        for &part in parts(ty) {
            let x = self.reg(a, part)?;
            if ty.is_real() {
                let y = self.src(b, part)?;
                let mask = self.alloc_mask()?;
                self.compare(is_wide, mask, x, y, reals::predicate(op))?;
                self.set(id, part, mask);
            } else {
                let y = self.reg(b, part)?;
                let mask = self.alloc_mask()?;
                self.compare_integers(op, is_wide, mask, x, y)?;
                self.set(id, part, mask);
            }
        }
        Ok(())
    }

    fn select(&mut self, id: ValueId, class: Class, condition: ValueId, a: ValueId, b: ValueId) -> Result {
        match class {
            Class::Pred => {
                let c = self.pred_words(condition)?;
                let (x, y) = (self.pred_words(a)?, self.pred_words(b)?);
                let d = self.alloc_mask()?;
                self.mask_select(d, c, x, y)?;
                self.set(id, WORD, d);
            }
            Class::Long => {
                let masks = self.pred_longs(condition)?;
                for (part, mask) in LONGS.into_iter().zip(masks) {
                    let y = self.reg(b, part)?;
                    let x = self.src(a, part)?;
                    let d = self.alloc()?;
                    self.blend(part, d, y, x, mask)?;
                    self.set(id, part, d);
                }
            }
            _ => {
                if self.is_raw(a) != self.is_raw(b) {
                    self.canonical(a)?;
                    self.canonical(b)?;
                }
                let mask = self.pred_words(condition)?;
                let y = self.reg(b, WORD)?;
                let x = self.src(a, WORD)?;
                let d = self.alloc()?;
                self.blend(WORD, d, y, x, mask)?;
                self.set(id, WORD, d);
                let is_raw = self.is_raw(a);
                self.mark_raw(id, is_raw);
            }
        }
        Ok(())
    }
}
