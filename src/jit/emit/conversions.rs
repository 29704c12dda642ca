//! Conversions of rows. What they mean is said in `scalar::convert` and `scalar::half`.
//!
//! Integers of 8 and of 16 bits are converted as words of 32 bits: they are extended before and cut behind.

use super::ops::parts;
use super::strip::{LONGS, Strip, WORD, memory};
use super::vector::{Reg, Src};
use super::{CompileError, Result, narrow};
use crate::segment::ValueId;
use iced_x86::code_asm::rsp;
use iced_x86::{Code, Instruction};
use ir::Ty;
use ir::op::{CvtOp, UnOp};

/// Whether the compiler knows a conversion of rows.
pub(super) fn is_known(op: CvtOp, from: Ty, to: Ty) -> bool {
    let is_word = |ty: Ty| matches!(ty, Ty::I8 | Ty::I16 | Ty::I32);
    match op {
        CvtOp::Cast => match (from, to) {
            (Ty::F32 | Ty::F64, Ty::I64) => false,
            _ => from != to && from != Ty::Pred && to != Ty::Pred,
        },
        CvtOp::CastU => is_word(from) && (is_word(to) || to == Ty::I64) && from != to,
        CvtOp::Bits => from != Ty::Pred && from.bytes() == to.bytes() && to != Ty::Pred,
        CvtOp::PredToInt => from == Ty::Pred && is_word(to),
        CvtOp::IntToPred => is_word(from) && to == Ty::Pred,
        CvtOp::FloorI | CvtOp::CeilI => from.is_real() && is_word(to),
        CvtOp::FromHalf => (from, to) == (Ty::I16, Ty::F32),
        CvtOp::ToHalf => (from, to) == (Ty::F32, Ty::I16),
        CvtOp::Nint => false,
    }
}

/// The type of the words that a type is converted as.
fn word_of(ty: Ty) -> Ty {
    if narrow::bits(ty).is_some() { Ty::I32 } else { ty }
}

impl Strip<'_, '_, '_, '_> {
    pub(super) fn conversion(&mut self, id: ValueId, op: CvtOp, from: Ty, to: Ty, a: ValueId) -> Result {
        match op {
            CvtOp::FromHalf => return self.widen_half(id, a),
            CvtOp::ToHalf => return self.round_to_half(id, a),
            _ => self.conversion_of_words(id, op, (from, word_of(from)), word_of(to), a)?,
        }
        match narrow::bits(to) {
            Some(bits) if op != CvtOp::Bits => self.cut(id, bits),
            _ => Ok(()),
        }
    }

    /// The same to a type that is no narrow integer; `from` is one perhaps, which is converted as a word.
    fn conversion_of_words(&mut self, id: ValueId, op: CvtOp, (own, from): (Ty, Ty), to: Ty, a: ValueId) -> Result {
        if (from, to) != (Ty::F32, Ty::I32) || op == CvtOp::Bits {
            self.canonical(a)?;
        }
        match (op, from, to) {
            (CvtOp::Bits, ..) => {
                for &part in parts(from) {
                    let x = self.reg(a, part)?;
                    let d = self.alloc()?;
                    self.copy(d, x)?;
                    self.set(id, part, d);
                }
            }
            (CvtOp::PredToInt, ..) => {
                let mask = self.pred_words(a)?;
                let d = self.alloc()?;
                self.words_of_mask(d, mask)?;
                self.set(id, WORD, d);
            }
            (CvtOp::IntToPred, ..) => {
                let x = self.reg(a, WORD)?;
                let d = self.alloc_mask()?;
                self.mask_of_bits(d, x)?;
                self.set(id, WORD, d);
            }
            (_, Ty::I32, Ty::I32) => {
                let x = self.word(a, own, op)?;
                let d = self.alloc()?;
                self.copy(d, x)?;
                self.set(id, WORD, d);
            }
            (_, Ty::I32, Ty::F32) => {
                let x = match narrow::bits(own) {
                    Some(_) => Src::Reg(self.word(a, own, op)?),
                    None => self.src(a, WORD)?,
                };
                let d = self.alloc()?;
                self.emit2(Code::VEX_Vcvtdq2ps_ymm_ymmm256, d, x)?;
                self.set(id, WORD, d);
            }
            (_, Ty::I32 | Ty::F32, Ty::I64 | Ty::F64) => {
                let code = match (op, from, to) {
                    (CvtOp::CastU, ..) => Code::VEX_Vpmovzxdq_ymm_xmmm128,
                    (_, Ty::I32, Ty::I64) => Code::VEX_Vpmovsxdq_ymm_xmmm128,
                    (_, Ty::I32, _) => Code::VEX_Vcvtdq2pd_ymm_xmmm128,
                    _ => Code::VEX_Vcvtps2pd_ymm_xmmm128,
                };
                let x = self.word(a, own, op)?;
                let (low, high) = (self.alloc()?, self.alloc()?);
                self.halves(code, low, high, x)?;
                self.set(id, LONGS[0], low);
                self.set(id, LONGS[1], high);
            }
            (_, Ty::I64, Ty::I32) => {
                let (low, high) = (self.reg(a, LONGS[0])?, self.reg(a, LONGS[1])?);
                let d = self.alloc()?;
                self.narrow(d, low, high)?;
                self.set(id, WORD, d);
            }
            (_, Ty::I64, Ty::F32 | Ty::F64) => {
                let longs = [self.reg(a, LONGS[0])?, self.reg(a, LONGS[1])?];
                let reals = self.longs_as_reals(to, longs)?;
                for (&part, real) in parts(to).iter().zip(reals) {
                    self.set(id, part, real);
                }
            }
            (_, Ty::F64, Ty::F32) => {
                let (low, high) = (self.reg(a, LONGS[0])?, self.reg(a, LONGS[1])?);
                let (d, t) = (self.alloc()?, self.alloc()?);
                self.copy(t, high)?;
                self.join(Code::VEX_Vcvtpd2ps_xmm_ymmm256, d, low, t)?;
                self.drop_reg(t);
                self.set(id, WORD, d);
            }
            (_, Ty::F32, Ty::I32) => {
                let mut x = self.reg(a, WORD)?;
                let (d, mask, t) = (self.alloc()?, self.alloc_mask()?, self.alloc()?);
                if op != CvtOp::Cast {
                    self.round(Ty::F32, t, Src::Reg(x), if op == CvtOp::FloorI { UnOp::Floor } else { UnOp::Ceil })?;
                    x = t;
                }
                self.emit2(Code::VEX_Vcvttps2dq_ymm_ymmm256, d, Src::Reg(x))?;
                // What is too large becomes the greatest integer; what is too small is the least one already; a NaN becomes 0.
                let limit = self.words(2_147_483_648.0_f32.to_bits());
                self.compare(false, mask, x, limit, 0x1d)?;
                let greatest = self.words(i32::MAX as u32);
                self.blend(WORD, d, d, greatest, mask)?;
                self.compare(false, mask, x, Src::Reg(x), 3)?;
                let zero = self.words(0);
                self.blend(WORD, d, d, zero, mask)?;
                self.drop_reg(mask);
                self.drop_reg(t);
                self.set(id, WORD, d);
            }
            (_, Ty::F64, Ty::I32) => {
                let mut x = [self.reg(a, LONGS[0])?, self.reg(a, LONGS[1])?];
                let (d, high) = (self.alloc()?, self.alloc()?);
                let masks = [self.alloc_mask()?, self.alloc_mask()?];
                let limit = self.longs(2_147_483_648.0_f64.to_bits());
                if op != CvtOp::Cast {
                    for (x, d) in x.iter_mut().zip([d, high]) {
                        self.round(
                            Ty::F64,
                            d,
                            Src::Reg(*x),
                            if op == CvtOp::FloorI { UnOp::Floor } else { UnOp::Ceil },
                        )?;
                        *x = d;
                    }
                }
                for (x, mask) in x.iter().zip(masks) {
                    self.compare(true, mask, *x, limit, 0x1d)?;
                }
                self.narrow_mask(masks[0], masks[0], masks[1])?;
                if x[1] != high {
                    self.copy(high, x[1])?;
                }
                // A NaN and what is too small become the least integer by the instruction itself.
                self.join(Code::VEX_Vcvttpd2dq_xmm_ymmm256, d, x[0], high)?;
                let greatest = self.words(i32::MAX as u32);
                self.blend(WORD, d, d, greatest, masks[0])?;
                for reg in [high, masks[0], masks[1]] {
                    self.drop_reg(reg);
                }
                self.set(id, WORD, d);
            }
            _ => return Err(CompileError::Unsupported("a conversion of rows")),
        }
        Ok(())
    }

    /// A register with the words of an integer of 32 bits or less, extended as the conversion says, or of a real(4).
    fn word(&mut self, a: ValueId, ty: Ty, op: CvtOp) -> Result<Reg> {
        match narrow::bits(ty) {
            Some(bits) if op != CvtOp::CastU => self.extended(a, bits),
            _ => self.reg(a, WORD),
        }
    }

    /// Integers of 64 bits in two registers as reals, in one register or two. AVX2 has no instruction for it but that of one lane.
    fn longs_as_reals(&mut self, to: Ty, [low, high]: [Reg; 2]) -> Result<Vec<Reg>> {
        let is_single = to == Ty::F32;
        if !self.has_mask_registers() {
            return self.longs_as_reals_by_lane(is_single, [low, high]);
        }
        let d = [self.alloc()?, self.alloc()?];
        if is_single {
            let code = Code::EVEX_Vcvtqq2ps_ymm_k1z_zmmm512b64_er;
            for (d, from) in d.into_iter().zip([low, high]) {
                self.add(Instruction::with2(code, self.half(d), self.register(from))?)?;
            }
            self.join_halves(d[0], d[1])?;
            self.drop_reg(d[1]);
            return Ok(vec![d[0]]);
        }
        for (d, from) in d.into_iter().zip([low, high]) {
            self.raw2(Code::EVEX_Vcvtqq2pd_zmm_k1z_zmmm512b64_er, d, from)?;
        }
        Ok(d.to_vec())
    }

    fn longs_as_reals_by_lane(&mut self, is_single: bool, longs: [Reg; 2]) -> Result<Vec<Reg>> {
        let place = self.e.take(64, 32)?;
        for (from, at) in longs.into_iter().zip([0, 32]) {
            self.store_row(memory(rsp, place + at), from)?;
        }
        let (convert, store, bytes) = if is_single {
            (Code::VEX_Vcvtsi2ss_xmm_xmm_rm64, Code::VEX_Vmovss_m32_xmm, 4)
        } else {
            (Code::VEX_Vcvtsi2sd_xmm_xmm_rm64, Code::VEX_Vmovsd_m64_xmm, 8)
        };
        let d = self.alloc()?;
        let one = self.half(d);
        self.emit3(Code::VEX_Vpxor_ymm_ymm_ymmm256, d, d, Src::Reg(d))?;
        for lane in 0..8 {
            self.add(Instruction::with3(convert, one, one, memory(rsp, place + 8 * lane))?)?;
            self.add(Instruction::with2(store, memory(rsp, place + bytes * lane), one)?)?;
        }
        self.load_row(d, memory(rsp, place))?;
        if is_single {
            return Ok(vec![d]);
        }
        let high = self.alloc()?;
        self.load_row(high, memory(rsp, place + 32))?;
        Ok(vec![d, high])
    }

    /// real(2), of which the bits are in words of 32 bits, as real(4); a NaN is made canonical where it is seen.
    fn widen_half(&mut self, id: ValueId, a: ValueId) -> Result {
        let d = if let Some(from) = self.narrow_run(a, 16) {
            let d = self.alloc()?;
            self.emit2m(Code::VEX_Vcvtph2ps_ymm_xmmm128, d, from)?;
            d
        } else {
            let x = self.reg(a, WORD)?;
            let d = self.alloc()?;
            self.pack_shorts(d, x)?;
            self.extend_half(Code::VEX_Vcvtph2ps_ymm_xmmm128, d)?;
            d
        };
        self.set(id, WORD, d);
        self.mark_raw(id, true);
        Ok(())
    }

    /// real(4) rounded to real(2); every NaN becomes the canonical one.
    fn round_to_half(&mut self, id: ValueId, a: ValueId) -> Result {
        let x = self.reg(a, WORD)?;
        let (d, mask) = (self.alloc()?, self.alloc_mask()?);
        self.round_half(d, x)?;
        self.extend_half(Code::VEX_Vpmovzxwd_ymm_xmmm128, d)?;
        self.compare(false, mask, x, Src::Reg(x), 3)?;
        let nan = self.words(0x7fff);
        self.blend(WORD, d, d, nan, mask)?;
        self.drop_reg(mask);
        self.set(id, WORD, d);
        Ok(())
    }
}
