//! Lane patterns that are worked out when their registers have new values.
//!
//! As a rule the lanes differ as they did when the code was made. Where all lanes run, the code checks that and sets the head of the
//! pattern itself. Else it calls.

use super::{Emitter, Form, Result, Stub, field};
use crate::segment::{Class, PatternRow, PatternUpdate};
use crate::state::{PatternHead, State};
use iced_x86::code_asm::{
    CodeLabel, dword_ptr, eax, ecx, qword_ptr, r12, r13, rax, rbp, rbx, rcx, rdi, rdx, xmm1, xmmword_ptr, ymm0, ymm1,
    ymm2, ymm3, ymmword_ptr,
};
use std::mem::offset_of;

impl Emitter<'_> {
    /// Works patterns out.
    pub(super) fn update_patterns(&mut self, patterns: &[PatternUpdate], form: Form) -> Result {
        for update in patterns {
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
        }
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
        self.a.vpbroadcastd(ymm0, dword_ptr(at))?;
        for part in 0..4 {
            let expected = self.constant(bytes(|i| (offsets[8 * part + i / 4] as i32).to_le_bytes()[i % 4]));
            let d = if part == 0 { ymm2 } else { ymm1 };
            self.a.vpaddd(ymm1, ymm0, ymmword_ptr(rbp + expected))?;
            self.a.vpcmpeqd(d, ymm1, ymmword_ptr(at + 32 * part as i32))?;
            if part > 0 {
                self.a.vpand(ymm2, ymm2, ymm1)?;
            }
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

    /// The same for a sum of rows times powers of two, in words of 64 bits.
    fn update_longs(&mut self, update: &PatternUpdate, offsets: [i64; 32], back: CodeLabel) -> Result {
        let call = self.a.create_label();
        let rows: Vec<PatternRow> = update.rows.into_iter().flatten().collect();
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
            let expected = self.constant(bytes(|i| offsets[4 * part + i / 8].to_le_bytes()[i % 8]));
            let d = if part == 0 { ymm2 } else { ymm1 };
            self.a.vpsubq(ymm1, ymm1, ymm0)?;
            self.a.vpcmpeqq(d, ymm1, ymmword_ptr(rbp + expected))?;
            if part > 0 {
                self.a.vpand(ymm2, ymm2, ymm1)?;
            }
        }
        self.set_head(update, call, back)
    }

    /// Sets the head of a pattern to what is in `rax` if all lanes of `ymm2` are true, else calls.
    fn set_head(&mut self, update: &PatternUpdate, call: CodeLabel, mut back: CodeLabel) -> Result {
        self.a.vmovmskps(ecx, ymm2)?;
        self.a.cmp(ecx, 0xff)?;
        self.a.jne(call)?;
        let head = (update.pattern * self.routine.pattern_stride) as i32;
        self.a.mov(rcx, qword_ptr(rbx + field!(patterns)))?;
        self.a.mov(qword_ptr(rcx + (head + offset_of!(PatternHead, first) as i32)), rax)?;
        self.a.mov(rax, update.key.bits())?;
        self.a.mov(qword_ptr(rcx + (head + offset_of!(PatternHead, key) as i32)), rax)?;
        self.a.mov(eax, -1)?;
        self.a.mov(dword_ptr(rcx + (head + offset_of!(PatternHead, mask) as i32)), eax)?;
        self.a.set_label(&mut back)?;
        self.a.nop()?;
        self.stubs.push(Stub::Pattern { label: call, back, number: update.pattern });
        Ok(())
    }
}

/// Whether a row is multiplied by a power of two.
fn is_shift(row: &PatternRow) -> bool {
    row.factor > 0 && (row.factor as u64).is_power_of_two()
}

/// A constant of 32 bytes.
fn bytes(of: impl Fn(usize) -> u8) -> [u8; 32] {
    std::array::from_fn(of)
}
