//! Lane patterns that are worked out when their registers have new values.
//!
//! As a rule the lanes differ as they did when the code was made. Where all lanes run, the code checks that and sets the head of the
//! pattern itself. Else it calls.

use super::InstructionSet;
use super::frame::Stub;
use super::{Emitter, Form, Result, field};
use crate::segment::{Class, PatternKey, PatternRow, PatternUpdate};
use crate::state::{PatternHead, State};
use iced_x86::code_asm::{
    CodeLabel, dword_ptr, eax, ecx, edx, k1, qword_ptr, r12, r13, rax, rbp, rbx, rcx, rdi, rdx, xmm1, xmmword_ptr,
    ymm0, ymm1, ymm2, ymm3, ymmword_ptr, zmm0, zmm1, zmm2, zmm3, zmmword_ptr,
};
use std::mem::offset_of;

impl Emitter<'_> {
    /// Works patterns out. With `fail`, which is where the code goes if lanes differ in another way, gives those of which it is known
    /// then that they do not.
    pub(super) fn update_patterns(
        &mut self,
        patterns: &[PatternUpdate],
        form: Form,
        fail: Option<CodeLabel>,
    ) -> Result<Vec<u32>> {
        let mut known = Vec::new();
        for update in patterns {
            let stubs = self.stubs.len();
            if update.key == PatternKey::IRREGULAR {
                self.forget(update)?;
                continue;
            }
            let back = self.a.create_label();
            match (form, update.rows, update.key.offsets()) {
                (Form::Full, [Some(row), None], Some(offsets)) if row.class == Class::Word => {
                    self.update_words(update, row, offsets, back)?;
                }
                (Form::Full, rows, Some(offsets)) if rows.iter().flatten().all(is_shift) && rows[0].is_some() => {
                    self.update_longs(update, offsets, back)?;
                }
                _ => self.call_for_pattern(update.pattern)?,
            }
            if let (Some(fail), Some(Stub::Pattern { check, .. })) = (fail, self.stubs.get_mut(stubs)) {
                *check = Some((update.key, fail));
                known.push(update.pattern);
            }
        }
        Ok(known)
    }

    /// Goes to `fail` if a pattern is not of a key, or not in all lanes that run; `rax`, `rcx` and `rdx` are lost.
    pub(super) fn check_pattern(&mut self, number: u32, key: PatternKey, fail: CodeLabel) -> Result {
        let head = (number * self.routine.pattern_stride) as i32;
        self.a.mov(rax, qword_ptr(rbx + field!(patterns)))?;
        self.a.mov(rcx, key.bits())?;
        self.a.cmp(rcx, qword_ptr(rax + (head + offset_of!(PatternHead, key) as i32)))?;
        self.a.jne(fail)?;
        // The lanes that run and that the pattern does not hold for.
        self.a.mov(ecx, dword_ptr(rax + (head + offset_of!(PatternHead, mask) as i32)))?;
        self.a.andn(edx, ecx, dword_ptr(rbx + field!(mask)))?;
        Ok(self.a.jne(fail)?)
    }

    /// Says that a pattern is not worked out: as a rule it has no rule, and who wants one looks for it.
    fn forget(&mut self, update: &PatternUpdate) -> Result {
        let head = (update.pattern * self.routine.pattern_stride) as i32;
        self.a.mov(rcx, qword_ptr(rbx + field!(patterns)))?;
        self.a.mov(dword_ptr(rcx + (head + offset_of!(PatternHead, mask) as i32)), 0u32)?;
        Ok(())
    }

    /// Calls for a pattern to be worked out.
    pub(super) fn call_for_pattern(&mut self, number: u32) -> Result {
        self.a.mov(rdi, qword_ptr(rbx + field!(user)))?;
        self.a.mov(iced_x86::code_asm::esi, number)?;
        self.a.vzeroupper()?;
        self.a.call(qword_ptr(rbx + field!(update_pattern)))?;
        Ok(())
    }

    /// Checks that the lanes of a row of words differ as the key says, and sets the head of the pattern.
    fn update_words(&mut self, update: &PatternUpdate, row: PatternRow, offsets: [i64; 32], back: CodeLabel) -> Result {
        let is_exact = row.factor != 0 && offsets.iter().all(|o| o % row.factor == 0);
        let offsets = offsets.map(|o| o.checked_div(row.factor).unwrap_or(0));
        let (low, high) = (offsets.iter().min().copied().unwrap_or(0), offsets.iter().max().copied().unwrap_or(0));
        let fits = |x: i64| i32::try_from(x).is_ok();
        if !is_exact || !fits(row.factor) || !fits(low) || !fits(high) {
            return self.call_for_pattern(update.pattern);
        }
        let call = self.a.create_label();
        let at = r12 + 128 * row.slot as i32;
        if self.set == InstructionSet::Avx512 {
            self.a.vpbroadcastd(zmm0, dword_ptr(at))?;
            for part in 0..2 {
                let expected = self.constant(bytes::<64>(|i| (offsets[16 * part + i / 4] as i32).to_le_bytes()[i % 4]));
                let d = if part == 0 { zmm2 } else { zmm1 };
                self.a.vpaddd(zmm1, zmm0, zmmword_ptr(rbp + expected))?;
                self.a.vpxord(d, zmm1, zmmword_ptr(at + 64 * part as i32))?;
            }
            self.a.vpord(zmm2, zmm2, zmm1)?;
        } else {
            self.words_as_expected(row, offsets)?;
        }
        self.a.movsxd(rax, dword_ptr(at))?;
        // What differs as it should modulo 2^32 does so exactly if no lane wraps.
        for end in [low, high] {
            if end != 0 {
                self.a.lea(rcx, qword_ptr(rax + end as i32))?;
                self.a.movsxd(rdx, ecx)?;
                self.a.cmp(rcx, rdx)?;
                self.a.jne(call)?;
            }
        }
        if row.factor != 1 {
            self.a.imul_3(rax, rax, row.factor as i32)?;
        }
        self.set_head(update, call, back)
    }

    /// All lanes of `ymm2` are true if those of a row are so far from the first.
    fn words_as_expected(&mut self, row: PatternRow, offsets: [i64; 32]) -> Result {
        let at = r12 + 128 * row.slot as i32;
        self.a.vpbroadcastd(ymm0, dword_ptr(at))?;
        for part in 0..4 {
            let expected = self.constant(bytes::<32>(|i| (offsets[8 * part + i / 4] as i32).to_le_bytes()[i % 4]));
            let d = if part == 0 { ymm2 } else { ymm1 };
            self.a.vpaddd(ymm1, ymm0, ymmword_ptr(rbp + expected))?;
            self.a.vpcmpeqd(d, ymm1, ymmword_ptr(at + 32 * part as i32))?;
            if part > 0 {
                self.a.vpand(ymm2, ymm2, ymm1)?;
            }
        }
        Ok(())
    }

    /// The same for a sum of rows times powers of two, in words of 64 bits.
    fn update_longs(&mut self, update: &PatternUpdate, offsets: [i64; 32], back: CodeLabel) -> Result {
        let call = self.a.create_label();
        let rows: Vec<PatternRow> = update.rows.into_iter().flatten().collect();
        if self.set == InstructionSet::Avx512 {
            self.longs_differ(&rows, offsets)?;
        } else {
            self.longs_as_expected(&rows, offsets)?;
        }
        self.set_head(update, call, back)
    }

    /// Lanes of `zmm2` are not zero if the sum of rows is not so far from that of the first lane, which goes to `rax`.
    fn longs_differ(&mut self, rows: &[PatternRow], offsets: [i64; 32]) -> Result {
        for part in 0..4 {
            for (k, row) in rows.iter().enumerate() {
                let d = if k == 0 { zmm1 } else { zmm3 };
                if row.class == Class::Long {
                    self.a.vmovdqu64(d, zmmword_ptr(r13 + (256 * row.slot as i32 + 64 * part as i32)))?;
                } else {
                    self.a.vpmovsxdq(d, ymmword_ptr(r12 + (128 * row.slot as i32 + 32 * part as i32)))?;
                }
                if row.factor != 1 {
                    self.a.vpsllq(d, d, row.factor.trailing_zeros())?;
                }
                if k > 0 {
                    self.a.vpaddq(zmm1, zmm1, zmm3)?;
                }
            }
            if part == 0 {
                self.a.vmovq(rax, xmm1)?;
                self.a.vpbroadcastq(zmm0, xmm1)?;
            }
            let expected = self.constant(bytes::<64>(|i| offsets[8 * part + i / 8].to_le_bytes()[i % 8]));
            let d = if part == 0 { zmm2 } else { zmm1 };
            self.a.vpsubq(zmm1, zmm1, zmm0)?;
            self.a.vpxorq(d, zmm1, zmmword_ptr(rbp + expected))?;
            if part > 0 {
                self.a.vporq(zmm2, zmm2, zmm1)?;
            }
        }
        Ok(())
    }

    /// All lanes of `ymm2` are true if the sum of rows is so far from that of the first lane, which goes to `rax`.
    fn longs_as_expected(&mut self, rows: &[PatternRow], offsets: [i64; 32]) -> Result {
        for part in 0..8 {
            for (k, row) in rows.iter().enumerate() {
                let d = if k == 0 { ymm1 } else { ymm3 };
                if row.class == Class::Long {
                    self.a.vmovdqu(d, ymmword_ptr(r13 + (256 * row.slot as i32 + 32 * part as i32)))?;
                } else {
                    self.a.vpmovsxdq(d, xmmword_ptr(r12 + (128 * row.slot as i32 + 16 * part as i32)))?;
                }
                if row.factor != 1 {
                    self.a.vpsllq(d, d, row.factor.trailing_zeros())?;
                }
                if k > 0 {
                    self.a.vpaddq(ymm1, ymm1, ymm3)?;
                }
            }
            if part == 0 {
                self.a.vmovq(rax, xmm1)?;
                self.a.vpbroadcastq(ymm0, xmm1)?;
            }
            let expected = self.constant(bytes::<32>(|i| offsets[4 * part + i / 8].to_le_bytes()[i % 8]));
            let d = if part == 0 { ymm2 } else { ymm1 };
            self.a.vpsubq(ymm1, ymm1, ymm0)?;
            self.a.vpcmpeqq(d, ymm1, ymmword_ptr(rbp + expected))?;
            if part > 0 {
                self.a.vpand(ymm2, ymm2, ymm1)?;
            }
        }
        Ok(())
    }

    /// Sets the head of a pattern to what is in `rax` if all lanes of `ymm2` are true, or no bit of `zmm2` is set; else calls.
    fn set_head(&mut self, update: &PatternUpdate, call: CodeLabel, mut back: CodeLabel) -> Result {
        if self.set == InstructionSet::Avx512 {
            self.a.vptestmd(k1, zmm2, zmm2)?;
            self.a.kortestw(k1, k1)?;
        } else {
            self.a.vmovmskps(ecx, ymm2)?;
            self.a.cmp(ecx, 0xff)?;
        }
        self.a.jne(call)?;
        let head = (update.pattern * self.routine.pattern_stride) as i32;
        self.a.mov(rcx, qword_ptr(rbx + field!(patterns)))?;
        self.a.mov(edx, eax)?;
        self.a.sub(edx, dword_ptr(rcx + (head + offset_of!(PatternHead, first) as i32)))?;
        self.a.mov(dword_ptr(rcx + (head + offset_of!(PatternHead, advance) as i32)), edx)?;
        self.a.mov(qword_ptr(rcx + (head + offset_of!(PatternHead, first) as i32)), rax)?;
        self.a.mov(rax, update.key.bits())?;
        self.a.mov(qword_ptr(rcx + (head + offset_of!(PatternHead, key) as i32)), rax)?;
        self.a.mov(eax, -1)?;
        self.a.mov(dword_ptr(rcx + (head + offset_of!(PatternHead, mask) as i32)), eax)?;
        self.a.set_label(&mut back)?;
        self.a.nop()?;
        self.stubs.push(Stub::Pattern { label: call, back, number: update.pattern, check: None });
        Ok(())
    }
}

/// Whether a row is multiplied by a power of two.
fn is_shift(row: &PatternRow) -> bool {
    row.factor > 0 && (row.factor as u64).is_power_of_two()
}

/// A constant.
fn bytes<const N: usize>(of: impl Fn(usize) -> u8) -> [u8; N] {
    std::array::from_fn(of)
}
