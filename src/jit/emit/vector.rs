//! The instructions of a strip, on registers of 256 bits with AVX2 and of 512 bits with AVX-512.
//!
//! An instruction is named by its AVX2 form; [`widened`] has the other one. What differs between the two is the mask of lanes that a
//! comparison gives and a blend takes: with AVX2 it is a vector register whose words have all bits or none, with AVX-512 one of the
//! mask registers, with a bit for each word. A [`Reg`] from [`MASKS`] on is such a register.
//!
//! Not here: which operation takes which instructions (`ops`), which value is in which register (`strip`).

use super::strip::{LONGS, Strip, WORD, memory};
use super::{CompileError, InstructionSet, Result, field};
use crate::state::State;
use iced_x86::code_asm::{eax, rbp, rbx};
use iced_x86::{Code, Instruction, MemoryOperand, Register};
use ir::op::CmpOp;
use std::mem::offset_of;

/// A vector register by number, or a mask register.
pub(super) type Reg = u8;

/// The first mask register, `k0`, which no instruction takes as a mask.
pub(super) const MASKS: Reg = 32;

/// Vector and mask registers.
pub(super) const REGISTERS: usize = 40;

/// An operand.
#[derive(Clone, Copy, Debug)]
pub(super) enum Src {
    Reg(Reg),
    Mem(MemoryOperand),
}

/// The form of an instruction on registers of 512 bits.
fn widened(code: Code) -> Option<Code> {
    Some(match code {
        Code::VEX_Vaddps_ymm_ymm_ymmm256 => Code::EVEX_Vaddps_zmm_k1z_zmm_zmmm512b32_er,
        Code::VEX_Vsubps_ymm_ymm_ymmm256 => Code::EVEX_Vsubps_zmm_k1z_zmm_zmmm512b32_er,
        Code::VEX_Vmulps_ymm_ymm_ymmm256 => Code::EVEX_Vmulps_zmm_k1z_zmm_zmmm512b32_er,
        Code::VEX_Vdivps_ymm_ymm_ymmm256 => Code::EVEX_Vdivps_zmm_k1z_zmm_zmmm512b32_er,
        Code::VEX_Vaddpd_ymm_ymm_ymmm256 => Code::EVEX_Vaddpd_zmm_k1z_zmm_zmmm512b64_er,
        Code::VEX_Vsubpd_ymm_ymm_ymmm256 => Code::EVEX_Vsubpd_zmm_k1z_zmm_zmmm512b64_er,
        Code::VEX_Vmulpd_ymm_ymm_ymmm256 => Code::EVEX_Vmulpd_zmm_k1z_zmm_zmmm512b64_er,
        Code::VEX_Vdivpd_ymm_ymm_ymmm256 => Code::EVEX_Vdivpd_zmm_k1z_zmm_zmmm512b64_er,
        Code::VEX_Vfmadd231ps_ymm_ymm_ymmm256 => Code::EVEX_Vfmadd231ps_zmm_k1z_zmm_zmmm512b32_er,
        Code::VEX_Vfmadd231pd_ymm_ymm_ymmm256 => Code::EVEX_Vfmadd231pd_zmm_k1z_zmm_zmmm512b64_er,
        Code::VEX_Vsqrtps_ymm_ymmm256 => Code::EVEX_Vsqrtps_zmm_k1z_zmmm512b32_er,
        Code::VEX_Vsqrtpd_ymm_ymmm256 => Code::EVEX_Vsqrtpd_zmm_k1z_zmmm512b64_er,
        Code::VEX_Vroundps_ymm_ymmm256_imm8 => Code::EVEX_Vrndscaleps_zmm_k1z_zmmm512b32_imm8_sae,
        Code::VEX_Vroundpd_ymm_ymmm256_imm8 => Code::EVEX_Vrndscalepd_zmm_k1z_zmmm512b64_imm8_sae,
        Code::VEX_Vandps_ymm_ymm_ymmm256 => Code::EVEX_Vandps_zmm_k1z_zmm_zmmm512b32,
        Code::VEX_Vorps_ymm_ymm_ymmm256 => Code::EVEX_Vorps_zmm_k1z_zmm_zmmm512b32,
        Code::VEX_Vxorps_ymm_ymm_ymmm256 => Code::EVEX_Vxorps_zmm_k1z_zmm_zmmm512b32,
        Code::VEX_Vpand_ymm_ymm_ymmm256 => Code::EVEX_Vpandd_zmm_k1z_zmm_zmmm512b32,
        Code::VEX_Vpor_ymm_ymm_ymmm256 => Code::EVEX_Vpord_zmm_k1z_zmm_zmmm512b32,
        Code::VEX_Vpxor_ymm_ymm_ymmm256 => Code::EVEX_Vpxord_zmm_k1z_zmm_zmmm512b32,
        Code::VEX_Vpaddd_ymm_ymm_ymmm256 => Code::EVEX_Vpaddd_zmm_k1z_zmm_zmmm512b32,
        Code::VEX_Vpsubd_ymm_ymm_ymmm256 => Code::EVEX_Vpsubd_zmm_k1z_zmm_zmmm512b32,
        Code::VEX_Vpmulld_ymm_ymm_ymmm256 => Code::EVEX_Vpmulld_zmm_k1z_zmm_zmmm512b32,
        Code::VEX_Vpminsd_ymm_ymm_ymmm256 => Code::EVEX_Vpminsd_zmm_k1z_zmm_zmmm512b32,
        Code::VEX_Vpmaxsd_ymm_ymm_ymmm256 => Code::EVEX_Vpmaxsd_zmm_k1z_zmm_zmmm512b32,
        Code::VEX_Vpabsd_ymm_ymmm256 => Code::EVEX_Vpabsd_zmm_k1z_zmmm512b32,
        Code::VEX_Vpsllvd_ymm_ymm_ymmm256 => Code::EVEX_Vpsllvd_zmm_k1z_zmm_zmmm512b32,
        Code::VEX_Vpsrlvd_ymm_ymm_ymmm256 => Code::EVEX_Vpsrlvd_zmm_k1z_zmm_zmmm512b32,
        Code::VEX_Vpsravd_ymm_ymm_ymmm256 => Code::EVEX_Vpsravd_zmm_k1z_zmm_zmmm512b32,
        Code::VEX_Vpslld_ymm_ymm_imm8 => Code::EVEX_Vpslld_zmm_k1z_zmmm512b32_imm8,
        Code::VEX_Vpsrld_ymm_ymm_imm8 => Code::EVEX_Vpsrld_zmm_k1z_zmmm512b32_imm8,
        Code::VEX_Vpsrad_ymm_ymm_imm8 => Code::EVEX_Vpsrad_zmm_k1z_zmmm512b32_imm8,
        Code::VEX_Vpsrld_ymm_ymm_xmmm128 => Code::EVEX_Vpsrld_zmm_k1z_zmm_xmmm128,
        Code::VEX_Vpaddq_ymm_ymm_ymmm256 => Code::EVEX_Vpaddq_zmm_k1z_zmm_zmmm512b64,
        Code::VEX_Vpsubq_ymm_ymm_ymmm256 => Code::EVEX_Vpsubq_zmm_k1z_zmm_zmmm512b64,
        Code::VEX_Vpmuludq_ymm_ymm_ymmm256 => Code::EVEX_Vpmuludq_zmm_k1z_zmm_zmmm512b64,
        Code::VEX_Vpsllvq_ymm_ymm_ymmm256 => Code::EVEX_Vpsllvq_zmm_k1z_zmm_zmmm512b64,
        Code::VEX_Vpsrlvq_ymm_ymm_ymmm256 => Code::EVEX_Vpsrlvq_zmm_k1z_zmm_zmmm512b64,
        Code::VEX_Vpsllq_ymm_ymm_imm8 => Code::EVEX_Vpsllq_zmm_k1z_zmmm512b64_imm8,
        Code::VEX_Vpsrlq_ymm_ymm_imm8 => Code::EVEX_Vpsrlq_zmm_k1z_zmmm512b64_imm8,
        Code::VEX_Vcvtdq2ps_ymm_ymmm256 => Code::EVEX_Vcvtdq2ps_zmm_k1z_zmmm512b32_er,
        Code::VEX_Vcvttps2dq_ymm_ymmm256 => Code::EVEX_Vcvttps2dq_zmm_k1z_zmmm512b32_sae,
        Code::VEX_Vcvttpd2dq_xmm_ymmm256 => Code::EVEX_Vcvttpd2dq_ymm_k1z_zmmm512b64_sae,
        Code::VEX_Vcvtpd2ps_xmm_ymmm256 => Code::EVEX_Vcvtpd2ps_ymm_k1z_zmmm512b64_er,
        Code::VEX_Vcvtdq2pd_ymm_xmmm128 => Code::EVEX_Vcvtdq2pd_zmm_k1z_ymmm256b32_er,
        Code::VEX_Vcvtps2pd_ymm_xmmm128 => Code::EVEX_Vcvtps2pd_zmm_k1z_ymmm256b32_sae,
        Code::VEX_Vpmovsxdq_ymm_xmmm128 => Code::EVEX_Vpmovsxdq_zmm_k1z_ymmm256,
        Code::VEX_Vpmovzxdq_ymm_xmmm128 => Code::EVEX_Vpmovzxdq_zmm_k1z_ymmm256,
        Code::VEX_Vpmovsxbd_ymm_xmmm64 => Code::EVEX_Vpmovsxbd_zmm_k1z_xmmm128,
        Code::VEX_Vpmovsxwd_ymm_xmmm128 => Code::EVEX_Vpmovsxwd_zmm_k1z_ymmm256,
        Code::VEX_Vpmovzxbd_ymm_xmmm64 => Code::EVEX_Vpmovzxbd_zmm_k1z_xmmm128,
        Code::VEX_Vpmovzxwd_ymm_xmmm128 => Code::EVEX_Vpmovzxwd_zmm_k1z_ymmm256,
        Code::VEX_Vcvtph2ps_ymm_xmmm128 => Code::EVEX_Vcvtph2ps_zmm_k1z_ymmm256_sae,
        Code::VEX_Vcvtps2ph_xmmm128_ymm_imm8 => Code::EVEX_Vcvtps2ph_ymmm256_k1z_zmm_imm8_sae,
        Code::VEX_Vmovaps_ymm_ymmm256 => Code::EVEX_Vmovaps_zmm_k1z_zmmm512,
        Code::VEX_Vmovups_ymm_ymmm256 => Code::EVEX_Vmovups_zmm_k1z_zmmm512,
        Code::VEX_Vmovups_ymmm256_ymm => Code::EVEX_Vmovups_zmmm512_k1z_zmm,
        Code::VEX_Vbroadcastss_ymm_m32 => Code::EVEX_Vbroadcastss_zmm_k1z_xmmm32,
        Code::VEX_Vbroadcastsd_ymm_m64 => Code::EVEX_Vbroadcastsd_zmm_k1z_xmmm64,
        Code::VEX_Vpbroadcastb_ymm_xmmm8 => Code::EVEX_Vpbroadcastb_zmm_k1z_xmmm8,
        Code::VEX_Vpbroadcastw_ymm_xmmm16 => Code::EVEX_Vpbroadcastw_zmm_k1z_xmmm16,
        Code::VEX_Vpbroadcastd_ymm_xmmm32 => Code::EVEX_Vpbroadcastd_zmm_k1z_xmmm32,
        Code::VEX_Vextracti128_xmmm128_ymm_imm8 => Code::EVEX_Vextracti64x4_ymmm256_k1z_zmm_imm8,
        Code::VEX_Vinserti128_ymm_ymm_xmmm128_imm8 => Code::EVEX_Vinserti64x4_zmm_k1z_zmm_ymmm256_imm8,
        _ => return None,
    })
}

/// What is done with two masks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum MaskOp {
    And,
    /// The second without the first.
    AndNot,
    Or,
    Xor,
}

/// A vector register of that number whose upper half is not used, for constants of the code.
fn lower_half(number: Reg) -> Register {
    Register::YMM0 + u32::from(number)
}

impl Strip<'_, '_, '_, '_> {
    /// Whether masks are in registers of their own.
    pub(super) fn has_mask_registers(&self) -> bool {
        self.e.set == InstructionSet::Avx512
    }

    /// The form of an instruction that is used.
    fn form(&self, code: Code) -> Result<Code> {
        match self.e.set {
            InstructionSet::Avx2 => Ok(code),
            InstructionSet::Avx512 => {
                widened(code).ok_or_else(|| CompileError::Encoding(format!("{code:?} with 512 bits")))
            }
        }
    }

    /// A vector or mask register.
    pub(super) fn register(&self, number: Reg) -> Register {
        match self.e.set {
            _ if number >= MASKS => Register::K0 + u32::from(number - MASKS),
            InstructionSet::Avx2 => Register::YMM0 + u32::from(number),
            InstructionSet::Avx512 => Register::ZMM0 + u32::from(number),
        }
    }

    /// The lower half of a vector register.
    pub(super) fn half(&self, number: Reg) -> Register {
        match self.e.set {
            InstructionSet::Avx2 => Register::XMM0 + u32::from(number),
            InstructionSet::Avx512 => lower_half(number),
        }
    }

    pub(super) fn add(&mut self, instruction: Instruction) -> Result {
        Ok(self.e.a.add_instruction(instruction)?)
    }

    /// With a mask register where words are taken; the others stay, or become zero.
    fn add_masked(&mut self, mut instruction: Instruction, mask: Reg, zeroes: bool) -> Result {
        instruction.set_op_mask(self.register(mask));
        instruction.set_zeroing_masking(zeroes);
        self.add(instruction)
    }

    pub(super) fn load_row(&mut self, d: Reg, from: MemoryOperand) -> Result {
        if d >= MASKS {
            return self.add(Instruction::with2(Code::VEX_Kmovw_kr_km16, self.register(d), from)?);
        }
        self.emit2m(Code::VEX_Vmovups_ymm_ymmm256, d, from)
    }

    pub(super) fn store_row(&mut self, to: MemoryOperand, from: Reg) -> Result {
        let code = if from >= MASKS { Code::VEX_Kmovw_m16_kr } else { self.form(Code::VEX_Vmovups_ymmm256_ymm)? };
        self.add(Instruction::with2(code, to, self.register(from))?)
    }

    /// Copies a register.
    pub(super) fn copy(&mut self, d: Reg, from: Reg) -> Result {
        if d >= MASKS {
            return self.add(Instruction::with2(Code::VEX_Kmovw_kr_km16, self.register(d), self.register(from))?);
        }
        self.emit2(Code::VEX_Vmovaps_ymm_ymmm256, d, Src::Reg(from))
    }

    /// Writes the lanes that run of a row in memory, which is a register of the frame; gives what it read of the rest back.
    pub(super) fn store_running(&mut self, to: MemoryOperand, from: Reg, part: usize) -> Result {
        let mask = self.alloc_mask()?;
        self.running(mask, part)?;
        if self.has_mask_registers() {
            let code =
                if part == WORD { Code::EVEX_Vmovups_zmmm512_k1z_zmm } else { Code::EVEX_Vmovupd_zmmm512_k1z_zmm };
            let instruction = Instruction::with2(code, to, self.register(from))?;
            self.add_masked(instruction, mask, false)?;
        } else {
            let d = self.alloc()?;
            self.load_row(d, to)?;
            self.blend(part, d, d, Src::Reg(from), mask)?;
            self.store_row(to, d)?;
            self.drop_reg(d);
        }
        self.drop_reg(mask);
        Ok(())
    }

    pub(super) fn emit2m(&mut self, code: Code, d: Reg, from: MemoryOperand) -> Result {
        let code = self.form(code)?;
        self.add(Instruction::with2(code, self.register(d), from)?)
    }

    pub(super) fn emit2(&mut self, code: Code, d: Reg, a: Src) -> Result {
        let (code, d) = (self.form(code)?, self.register(d));
        self.add(match a {
            Src::Reg(a) => Instruction::with2(code, d, self.register(a))?,
            Src::Mem(a) => Instruction::with2(code, d, a)?,
        })
    }

    pub(super) fn emit3(&mut self, code: Code, d: Reg, a: Reg, b: Src) -> Result {
        let code = self.form(code)?;
        self.raw3(code, d, a, b)
    }

    /// An instruction in its own form.
    pub(super) fn raw3(&mut self, code: Code, d: Reg, a: Reg, b: Src) -> Result {
        let (d, a) = (self.register(d), self.register(a));
        self.add(match b {
            Src::Reg(b) => Instruction::with3(code, d, a, self.register(b))?,
            Src::Mem(b) => Instruction::with3(code, d, a, b)?,
        })
    }

    /// The same with two registers.
    pub(super) fn raw2(&mut self, code: Code, d: Reg, a: Reg) -> Result {
        self.add(Instruction::with2(code, self.register(d), self.register(a))?)
    }

    /// An instruction with a number as its last operand.
    pub(super) fn shift(&mut self, code: Code, d: Reg, a: Reg, count: u32) -> Result {
        let code = self.form(code)?;
        self.add(Instruction::with3(code, self.register(d), self.register(a), count)?)
    }

    /// The same with an operand that may be in memory.
    pub(super) fn emit2i(&mut self, code: Code, d: Reg, a: Src, number: u32) -> Result {
        let (code, d) = (self.form(code)?, self.register(d));
        self.add(match a {
            Src::Reg(a) => Instruction::with3(code, d, self.register(a), number)?,
            Src::Mem(a) => Instruction::with3(code, d, a, number)?,
        })
    }

    /// `yes` in words whose mask is set, else `no`.
    pub(super) fn blend(&mut self, part: usize, d: Reg, no: Reg, yes: Src, mask: Reg) -> Result {
        let registers = [self.register(d), self.register(no)];
        if self.has_mask_registers() {
            let code = if part == WORD {
                Code::EVEX_Vblendmps_zmm_k1z_zmm_zmmm512b32
            } else {
                Code::EVEX_Vblendmpd_zmm_k1z_zmm_zmmm512b64
            };
            let instruction = match yes {
                Src::Reg(yes) => Instruction::with3(code, registers[0], registers[1], self.register(yes))?,
                Src::Mem(yes) => Instruction::with3(code, registers[0], registers[1], yes)?,
            };
            return self.add_masked(instruction, mask, false);
        }
        let code = if part == WORD {
            Code::VEX_Vblendvps_ymm_ymm_ymmm256_ymm
        } else {
            Code::VEX_Vblendvpd_ymm_ymm_ymmm256_ymm
        };
        let mask = self.register(mask);
        self.add(match yes {
            Src::Reg(yes) => Instruction::with4(code, registers[0], registers[1], self.register(yes), mask)?,
            Src::Mem(yes) => Instruction::with4(code, registers[0], registers[1], yes, mask)?,
        })
    }

    /// The mask of words for which a comparison of reals holds, by its number.
    pub(super) fn compare(&mut self, is_wide: bool, mask: Reg, a: Reg, b: Src, which: u32) -> Result {
        let code = match (self.has_mask_registers(), is_wide) {
            (false, false) => Code::VEX_Vcmpps_ymm_ymm_ymmm256_imm8,
            (false, true) => Code::VEX_Vcmppd_ymm_ymm_ymmm256_imm8,
            (true, false) => Code::EVEX_Vcmpps_kr_k1_zmm_zmmm512b32_imm8_sae,
            (true, true) => Code::EVEX_Vcmppd_kr_k1_zmm_zmmm512b64_imm8_sae,
        };
        self.compare_by(code, mask, a, b, which)
    }

    fn compare_by(&mut self, code: Code, mask: Reg, a: Reg, b: Src, which: u32) -> Result {
        let (mask, a) = (self.register(mask), self.register(a));
        self.add(match b {
            Src::Reg(b) => Instruction::with4(code, mask, a, self.register(b), which)?,
            Src::Mem(b) => Instruction::with4(code, mask, a, b, which)?,
        })
    }

    /// The mask of words for which a comparison of integers holds.
    pub(super) fn compare_integers(&mut self, op: CmpOp, is_wide: bool, mask: Reg, x: Reg, y: Reg) -> Result {
        if self.has_mask_registers() {
            let is_unsigned = matches!(op, CmpOp::LtU | CmpOp::GeU);
            let code = match (is_wide, is_unsigned) {
                (false, false) => Code::EVEX_Vpcmpd_kr_k1_zmm_zmmm512b32_imm8,
                (false, true) => Code::EVEX_Vpcmpud_kr_k1_zmm_zmmm512b32_imm8,
                (true, false) => Code::EVEX_Vpcmpq_kr_k1_zmm_zmmm512b64_imm8,
                (true, true) => Code::EVEX_Vpcmpuq_kr_k1_zmm_zmmm512b64_imm8,
            };
            let which = match op {
                CmpOp::Eq => 0,
                CmpOp::Lt | CmpOp::LtU => 1,
                CmpOp::Le => 2,
                CmpOp::Ne => 4,
                CmpOp::Ge | CmpOp::GeU => 5,
                CmpOp::Gt => 6,
            };
            return self.compare_by(code, mask, x, Src::Reg(y), which);
        }
        let (equal, greater) = if is_wide {
            (Code::VEX_Vpcmpeqq_ymm_ymm_ymmm256, Code::VEX_Vpcmpgtq_ymm_ymm_ymmm256)
        } else {
            (Code::VEX_Vpcmpeqd_ymm_ymm_ymmm256, Code::VEX_Vpcmpgtd_ymm_ymm_ymmm256)
        };
        match op {
            CmpOp::Eq | CmpOp::Ne => self.emit3(equal, mask, x, Src::Reg(y))?,
            CmpOp::Gt | CmpOp::Le => self.emit3(greater, mask, x, Src::Reg(y))?,
            CmpOp::Lt | CmpOp::Ge => self.emit3(greater, mask, y, Src::Reg(x))?,
            CmpOp::LtU | CmpOp::GeU => {
                // With the signs flipped unsigned order is signed order.
                let t = self.alloc()?;
                let sign = if is_wide { self.longs(1 << 63) } else { self.words(1 << 31) };
                self.emit3(Code::VEX_Vpxor_ymm_ymm_ymmm256, t, x, sign)?;
                self.emit3(Code::VEX_Vpxor_ymm_ymm_ymmm256, mask, y, sign)?;
                self.emit3(greater, mask, mask, Src::Reg(t))?;
                self.drop_reg(t);
            }
        }
        if matches!(op, CmpOp::Ne | CmpOp::Le | CmpOp::Ge | CmpOp::GeU) {
            self.mask_not(mask, mask)?;
        }
        Ok(())
    }

    /// The words whose mask is not set.
    pub(super) fn mask_not(&mut self, d: Reg, a: Reg) -> Result {
        if self.has_mask_registers() {
            return self.add(Instruction::with2(Code::VEX_Knotw_kr_kr, self.register(d), self.register(a))?);
        }
        let ones = self.words(u32::MAX);
        self.emit3(Code::VEX_Vpxor_ymm_ymm_ymmm256, d, a, ones)
    }

    pub(super) fn mask_op(&mut self, op: MaskOp, d: Reg, a: Reg, b: Reg) -> Result {
        let code = match (self.has_mask_registers(), op) {
            (false, MaskOp::And) => Code::VEX_Vpand_ymm_ymm_ymmm256,
            (false, MaskOp::AndNot) => Code::VEX_Vpandn_ymm_ymm_ymmm256,
            (false, MaskOp::Or) => Code::VEX_Vpor_ymm_ymm_ymmm256,
            (false, MaskOp::Xor) => Code::VEX_Vpxor_ymm_ymm_ymmm256,
            (true, MaskOp::And) => Code::VEX_Kandw_kr_kr_kr,
            (true, MaskOp::AndNot) => Code::VEX_Kandnw_kr_kr_kr,
            (true, MaskOp::Or) => Code::VEX_Korw_kr_kr_kr,
            (true, MaskOp::Xor) => Code::VEX_Kxorw_kr_kr_kr,
        };
        self.raw3(code, d, a, Src::Reg(b))
    }

    /// The mask `a` where `condition` is set, else `b`; `d` is none of them.
    pub(super) fn mask_select(&mut self, d: Reg, condition: Reg, a: Reg, b: Reg) -> Result {
        if !self.has_mask_registers() {
            return self.blend(WORD, d, b, Src::Reg(a), condition);
        }
        let t = self.alloc_mask()?;
        self.mask_op(MaskOp::And, t, condition, a)?;
        self.mask_op(MaskOp::AndNot, d, condition, b)?;
        self.mask_op(MaskOp::Or, d, d, t)?;
        self.drop_reg(t);
        Ok(())
    }

    /// A mask with all lanes.
    pub(super) fn mask_all(&mut self, d: Reg) -> Result {
        if self.has_mask_registers() {
            return self.raw3(Code::VEX_Kxnorw_kr_kr_kr, d, d, Src::Reg(d));
        }
        self.raw3(Code::VEX_Vpcmpeqd_ymm_ymm_ymmm256, d, d, Src::Reg(d))
    }

    /// The mask of the lanes that run.
    pub(super) fn running(&mut self, d: Reg, part: usize) -> Result {
        let number = self.of.number as i32;
        if !self.has_mask_registers() {
            let row = match part {
                WORD => field!(mask_words) + 32 * number,
                _ => field!(mask_longs) + 64 * number + 32 * (part as i32 - 1),
            };
            return self.load_row(d, memory(rbx, row));
        }
        let bits = field!(mask) + 2 * number;
        if part == WORD {
            return self.load_row(d, memory(rbx, bits));
        }
        let from = memory(rbx, bits + (part - LONGS[0]) as i32);
        self.add(Instruction::with2(Code::VEX_Kmovb_kr_km8, self.register(d), from)?)
    }

    /// The mask of the upper words of 64 bits of one of words of 32 bits, with AVX-512.
    pub(super) fn upper_mask(&mut self, d: Reg, mask: Reg) -> Result {
        let (d, mask) = (self.register(d), self.register(mask));
        self.add(Instruction::with3(Code::VEX_Kshiftrw_kr_kr_imm8, d, mask, 8)?)
    }

    /// The mask of words of 32 bits of two of words of 64 bits.
    pub(super) fn narrow_mask(&mut self, d: Reg, low: Reg, high: Reg) -> Result {
        if self.has_mask_registers() {
            return self.raw3(Code::VEX_Kunpckbw_kr_kr_kr, d, high, Src::Reg(low));
        }
        self.narrow(d, low, high)
    }

    /// The mask of words of 32 bits whose lowest bit is set.
    pub(super) fn mask_of_bits(&mut self, mask: Reg, x: Reg) -> Result {
        if self.has_mask_registers() {
            let ones = self.words(1);
            return self.raw3(Code::EVEX_Vptestmd_kr_k1_zmm_zmmm512b32, mask, x, ones);
        }
        self.shift(Code::VEX_Vpslld_ymm_ymm_imm8, mask, x, 31)?;
        self.shift(Code::VEX_Vpsrad_ymm_ymm_imm8, mask, mask, 31)
    }

    /// Words of 32 bits with all bits where a mask is set.
    pub(super) fn words_of_mask(&mut self, d: Reg, mask: Reg) -> Result {
        if self.has_mask_registers() {
            let code = Code::EVEX_Vpmovm2d_zmm_kr;
            return self.add(Instruction::with2(code, self.register(d), self.register(mask))?);
        }
        self.copy(d, mask)
    }

    /// The mask of a truth value in the word `eax`, which is 0 or 1, in all lanes.
    pub(super) fn mask_of_scalar(&mut self, mask: Reg, from: MemoryOperand) -> Result {
        if self.has_mask_registers() {
            self.add(Instruction::with2(Code::Mov_r32_rm32, Register::EAX, from)?)?;
            self.e.a.neg(eax)?;
            return self.add(Instruction::with2(Code::VEX_Kmovw_kr_r32, self.register(mask), Register::EAX)?);
        }
        let zero = self.alloc()?;
        self.emit2m(Code::VEX_Vpbroadcastd_ymm_xmmm32, mask, from)?;
        self.emit3(Code::VEX_Vpxor_ymm_ymm_ymmm256, zero, zero, Src::Reg(zero))?;
        self.emit3(Code::VEX_Vpsubd_ymm_ymm_ymmm256, mask, zero, Src::Reg(mask))?;
        self.drop_reg(zero);
        Ok(())
    }

    /// Sets the flag `z` if no word of a mask of words of 64 bits is set; with AVX2 the mask is lost.
    pub(super) fn test_mask(&mut self, mask: Reg) -> Result {
        let code = if self.has_mask_registers() { Code::VEX_Kortestb_kr_kr } else { Code::VEX_Vptest_ymm_ymmm256 };
        let mask = self.register(mask);
        self.add(Instruction::with2(code, mask, mask)?)
    }

    /// The bits of the lanes of a mask of words of 32 bits in `eax`.
    pub(super) fn lane_bits(&mut self, mask: Reg) -> Result {
        let code = if self.has_mask_registers() { Code::VEX_Kmovw_r32_kr } else { Code::VEX_Vmovmskps_r32_ymm };
        self.add(Instruction::with2(code, Register::EAX, self.register(mask))?)
    }

    /// The bits of the lanes of two strips of AVX-512 in `eax`.
    pub(super) fn lane_bits_of_two(&mut self, low: Reg, high: Reg) -> Result {
        let both = self.alloc_mask()?;
        self.raw3(Code::VEX_Kunpckwd_kr_kr_kr, both, high, Src::Reg(low))?;
        self.add(Instruction::with2(Code::VEX_Kmovd_r32_kr, Register::EAX, self.register(both))?)?;
        self.drop_reg(both);
        Ok(())
    }

    /// The bits of the lanes of a mask of words of 64 bits in `eax`, with AVX2.
    pub(super) fn long_bits(&mut self, mask: Reg) -> Result {
        self.add(Instruction::with2(Code::VEX_Vmovmskpd_r32_ymm, Register::EAX, self.register(mask))?)
    }

    /// Applies an instruction that makes words of 64 bits of those of 32 to the halves of a register.
    pub(super) fn halves(&mut self, code: Code, low: Reg, high: Reg, from: Reg) -> Result {
        let (extract, code) = (self.form(Code::VEX_Vextracti128_xmmm128_ymm_imm8)?, self.form(code)?);
        self.add(Instruction::with3(extract, self.half(high), self.register(from), 1)?)?;
        self.add(Instruction::with2(code, self.register(high), self.half(high))?)?;
        self.add(Instruction::with2(code, self.register(low), self.half(from))?)
    }

    /// Applies an instruction that makes words of 32 bits of those of 64 to two registers; `high` is lost.
    pub(super) fn join(&mut self, code: Code, d: Reg, low: Reg, high: Reg) -> Result {
        let (insert, code) = (self.form(Code::VEX_Vinserti128_ymm_ymm_xmmm128_imm8)?, self.form(code)?);
        self.add(Instruction::with2(code, self.half(high), self.register(high))?)?;
        self.add(Instruction::with2(code, self.half(d), self.register(low))?)?;
        self.add(Instruction::with4(insert, self.register(d), self.register(d), self.half(high), 1)?)
    }

    /// The low words of words of 64 bits in two registers; `d` is none of them.
    pub(super) fn narrow(&mut self, d: Reg, low: Reg, high: Reg) -> Result {
        if self.has_mask_registers() {
            // The even words of the pair.
            let even =
                self.e.constant(std::array::from_fn::<u8, 64, _>(|i| if i % 4 == 0 { (i / 2) as u8 } else { 0 }));
            self.load_row(d, memory(rbp, even))?;
            return self.raw3(Code::EVEX_Vpermi2d_zmm_k1z_zmm_zmmm512b32, d, low, Src::Reg(high));
        }
        let code = Code::VEX_Vshufps_ymm_ymm_ymmm256_imm8;
        let pick = Instruction::with4(code, self.register(d), self.register(low), self.register(high), 0x88)?;
        self.add(pick)?;
        self.shift(Code::VEX_Vpermq_ymm_ymmm256_imm8, d, d, 0xd8)
    }

    /// Words at the distances of a row of indices behind a register.
    pub(super) fn gather(&mut self, part: usize, d: Reg, base: Register, index: Reg) -> Result {
        let mask = self.alloc_mask()?;
        self.mask_all(mask)?;
        let from = MemoryOperand::with_base_index_scale(base, self.register(index), 1);
        if self.has_mask_registers() {
            let code =
                if part == WORD { Code::EVEX_Vpgatherdd_zmm_k1_vm32z } else { Code::EVEX_Vpgatherqq_zmm_k1_vm64z };
            let instruction = Instruction::with2(code, self.register(d), from)?;
            self.add_masked(instruction, mask, false)?;
        } else {
            let code =
                if part == WORD { Code::VEX_Vpgatherdd_ymm_vm32y_ymm } else { Code::VEX_Vpgatherqq_ymm_vm64y_ymm };
            self.add(Instruction::with3(code, self.register(d), from, self.register(mask))?)?;
        }
        self.drop_reg(mask);
        Ok(())
    }

    /// A register of 512 bits of two rows of 256 bits, or of words that all lanes of a half have; words of so many bytes in memory.
    pub(super) fn pair(&mut self, bytes: u32, d: Reg, halves: [(bool, MemoryOperand); 2]) -> Result {
        let t = self.alloc()?;
        for (reg, (is_run, from)) in [d, t].into_iter().zip(halves) {
            let code = match (is_run, bytes) {
                (true, 1) => Code::EVEX_Vpmovzxbd_ymm_k1z_xmmm64,
                (true, 2) => Code::EVEX_Vpmovzxwd_ymm_k1z_xmmm128,
                (true, _) => Code::EVEX_Vmovups_ymm_k1z_ymmm256,
                (false, 1) => Code::EVEX_Vpbroadcastb_ymm_k1z_xmmm8,
                (false, 2) => Code::EVEX_Vpbroadcastw_ymm_k1z_xmmm16,
                (false, 4) => Code::EVEX_Vbroadcastss_ymm_k1z_xmmm32,
                (false, _) => Code::EVEX_Vbroadcastsd_ymm_k1z_xmmm64,
            };
            self.add(Instruction::with2(code, lower_half(reg), from)?)?;
        }
        self.join_halves(d, t)?;
        self.drop_reg(t);
        if bytes < 4 { self.cut_words(d, 8 * bytes) } else { Ok(()) }
    }

    /// Puts the lower half of a register of 512 bits into the upper half of another.
    pub(super) fn join_halves(&mut self, d: Reg, high: Reg) -> Result {
        let code = Code::EVEX_Vinserti64x4_zmm_k1z_zmm_ymmm256_imm8;
        self.add(Instruction::with4(code, self.register(d), self.register(d), lower_half(high), 1)?)
    }

    /// Words of one or two bytes at places of memory, one for each lane, in words of 32 bits.
    pub(super) fn collect(&mut self, bytes: u32, d: Reg, base: Register, places: &[i32]) -> Result {
        let is_wide = self.has_mask_registers();
        let code = match (is_wide, bytes) {
            (false, 1) => Code::VEX_Vpinsrb_xmm_xmm_r32m8_imm8,
            (false, _) => Code::VEX_Vpinsrw_xmm_xmm_r32m16_imm8,
            (true, 1) => Code::EVEX_Vpinsrb_xmm_xmm_r32m8_imm8,
            (true, _) => Code::EVEX_Vpinsrw_xmm_xmm_r32m16_imm8,
        };
        let extend = if bytes == 1 { Code::VEX_Vpmovzxbd_ymm_xmmm64 } else { Code::VEX_Vpmovzxwd_ymm_xmmm128 };
        // A register of 128 bits has the bytes of 16 lanes, or the words of eight.
        let per_register = if bytes == 1 { places.len() } else { 8 };
        let mut parts = Vec::new();
        for places in places.chunks(per_register) {
            let part = if parts.is_empty() { d } else { self.alloc()? };
            let xmm = Register::XMM0 + u32::from(part);
            self.emit3(Code::VEX_Vpxor_ymm_ymm_ymmm256, part, part, Src::Reg(part))?;
            for (i, &place) in places.iter().enumerate() {
                let from = MemoryOperand::with_base_displ(base, i64::from(place));
                self.add(Instruction::with4(code, xmm, xmm, from, i as u32)?)?;
            }
            parts.push(part);
        }
        if let [low, high] = parts[..] {
            let join = Code::EVEX_Vinserti32x4_ymm_k1z_ymm_xmmm128_imm8;
            let from = Register::XMM0 + u32::from(high);
            self.add(Instruction::with4(join, lower_half(low), lower_half(low), from, 1)?)?;
            self.drop_reg(high);
        }
        if is_wide && bytes == 1 {
            let from = Register::XMM0 + u32::from(d);
            return self.add(Instruction::with2(self.form(extend)?, self.register(d), from)?);
        }
        self.extend_half(extend, d)
    }

    /// Applies an instruction that makes words of 32 bits of those of 16 to the lower half of a register.
    pub(super) fn extend_half(&mut self, code: Code, d: Reg) -> Result {
        let code = self.form(code)?;
        self.add(Instruction::with2(code, self.register(d), self.half(d))?)
    }

    /// The lower 16 bits of words of 32 bits, whose others are zero, in the lower half of a register.
    pub(super) fn pack_shorts(&mut self, d: Reg, x: Reg) -> Result {
        if self.has_mask_registers() {
            return self.add(Instruction::with2(Code::EVEX_Vpmovdw_ymmm256_k1z_zmm, lower_half(d), self.register(x))?);
        }
        self.raw3(Code::VEX_Vpackusdw_ymm_ymm_ymmm256, d, x, Src::Reg(x))?;
        self.shift(Code::VEX_Vpermq_ymm_ymmm256_imm8, d, d, 0xd8)
    }

    /// real(4) as real(2) in the lower half of a register, rounded to the nearest; NaNs keep what fits.
    pub(super) fn round_half(&mut self, d: Reg, x: Reg) -> Result {
        let code = self.form(Code::VEX_Vcvtps2ph_xmmm128_ymm_imm8)?;
        self.add(Instruction::with3(code, self.half(d), self.register(x), 0)?)
    }

    /// Words shifted right by as many bits as a word of 64 bits in memory says.
    pub(super) fn shift_right_by(&mut self, d: Reg, count: MemoryOperand) -> Result {
        let code = self.form(Code::VEX_Vpsrld_ymm_ymm_xmmm128)?;
        self.add(Instruction::with3(code, self.register(d), self.register(d), count)?)
    }

    /// One narrow word of memory in all lanes.
    pub(super) fn broadcast_narrow(&mut self, d: Reg, from: MemoryOperand, bytes: u32) -> Result {
        let code = if bytes == 1 { Code::VEX_Vpbroadcastb_ymm_xmmm8 } else { Code::VEX_Vpbroadcastw_ymm_xmmm16 };
        self.emit2m(code, d, from)?;
        self.cut_words(d, 8 * bytes)
    }

    /// A constant word of 32 bits in all lanes.
    pub(super) fn words(&mut self, word: u32) -> Src {
        Src::Mem(self.constant_row(&word.to_le_bytes()))
    }

    /// A constant word of 64 bits in all lanes.
    pub(super) fn longs(&mut self, word: u64) -> Src {
        Src::Mem(self.constant_row(&word.to_le_bytes()))
    }

    /// A register's bytes of a constant, which are repeated.
    pub(super) fn constant_row(&mut self, bytes: &[u8]) -> MemoryOperand {
        let at = self.e.constant(std::array::from_fn::<u8, 64, _>(|i| bytes[i % bytes.len()]));
        memory(rbp, at)
    }

    /// The mask of a predicate of the frame.
    pub(super) fn mask_of_slot(&mut self, d: Reg, place: MemoryOperand, bits: [u8; 32], is_wide: bool) -> Result {
        if self.has_mask_registers() {
            return self.load_row(d, place);
        }
        let bits = self.constant_row(&bits);
        let equal = if is_wide { Code::VEX_Vpcmpeqq_ymm_ymm_ymmm256 } else { Code::VEX_Vpcmpeqd_ymm_ymm_ymmm256 };
        self.emit2m(Code::VEX_Vpbroadcastd_ymm_xmmm32, d, place)?;
        self.emit3(Code::VEX_Vpand_ymm_ymm_ymmm256, d, d, Src::Mem(bits))?;
        self.emit3(equal, d, d, Src::Mem(bits))
    }
}
