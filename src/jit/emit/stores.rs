//! The stores of a segment, which come when everything is computed.

use super::InstructionSet;
use super::{Current, Emitter, Form, Result, field};
use crate::CompileError;
use crate::segment::{AccessId, Place};
use crate::state::State;
use iced_x86::code_asm::{
    al, ax, byte_ptr, dword_ptr, eax, k1, qword_ptr, rax, rbp, rbx, rcx, rsp, word_ptr, xmm0, xmm1, xmmword_ptr, ymm0,
    ymm1, ymm2, ymm3, ymmword_ptr, zmm0, zmmword_ptr,
};
use std::mem::offset_of;

impl Emitter<'_> {
    /// Copies the rows that wait for it to memory.
    pub(super) fn stores(&mut self, at: &Current<'_>) -> Result {
        for store in &at.segment.stores {
            let access = &at.segment.accesses[store.access as usize];
            let places = Self::displacements(access)?;
            let from = at.waiting[&store.value];
            self.a.mov(rcx, Self::pointer(at, store.access))?;
            let bytes = access.bytes as usize;
            match access.place {
                Place::Local(_) if bytes < 4 => {
                    self.store_local_narrow(at, store.access, from)?;
                    continue;
                }
                Place::Local(_) => {
                    self.store_local(at.form, from, bytes == 8)?;
                    continue;
                }
                Place::Memory | Place::Shared(_) if bytes < 4 => {
                    self.store_narrow(at.form, &places, from, bytes)?;
                    continue;
                }
                Place::Memory | Place::Shared(_) => {}
            }
            let is_run = |first: usize, lanes: usize| {
                places[first..first + lanes].windows(2).all(|w| w[1] - w[0] == bytes as i32)
            };
            let mut first = 0;
            while first < 32 {
                let (wide, narrow) = (64 / bytes, 32 / bytes);
                let has_wide = self.set == InstructionSet::Avx512 && first % wide == 0;
                if has_wide && is_run(first, wide) {
                    self.store_wide_run(at.form, places[first], from, first, bytes)?;
                    first += wide;
                } else if is_run(first, narrow) {
                    self.store_run(at.form, places[first], from, first, bytes)?;
                    first += narrow;
                } else {
                    for (lane, &place) in places.iter().enumerate().skip(first).take(narrow) {
                        self.store_word(at.form, place, from, lane, bytes)?;
                    }
                    first += narrow;
                }
            }
        }
        Ok(())
    }

    /// Stores 64 bytes to consecutive places.
    fn store_wide_run(&mut self, form: Form, place: i32, from: i32, first: usize, bytes: usize) -> Result {
        self.a.vmovups(zmm0, zmmword_ptr(rsp + (from + (first * bytes) as i32)))?;
        let to = zmmword_ptr(rcx + place);
        match (form, bytes) {
            (Form::Full, _) => self.a.vmovups(to, zmm0)?,
            (Form::Partial, 8) => {
                self.take_lanes(first)?;
                self.a.vmovupd(to.k1(), zmm0)?;
            }
            (Form::Partial, _) => {
                self.take_lanes(first)?;
                self.a.vmovups(to.k1(), zmm0)?;
            }
        }
        Ok(())
    }

    /// Stores 32 bytes to consecutive places.
    fn store_run(&mut self, form: Form, place: i32, from: i32, first: usize, bytes: usize) -> Result {
        self.a.vmovups(ymm0, ymmword_ptr(rsp + (from + (first * bytes) as i32)))?;
        let to = ymmword_ptr(rcx + place);
        match (form, bytes, self.set) {
            (Form::Full, ..) => self.a.vmovups(to, ymm0)?,
            (Form::Partial, 8, InstructionSet::Avx512) => {
                self.take_lanes(first)?;
                self.a.evex().vmovupd(to.k1(), ymm0)?;
            }
            (Form::Partial, _, InstructionSet::Avx512) => {
                self.take_lanes(first)?;
                self.a.evex().vmovups(to.k1(), ymm0)?;
            }
            (Form::Partial, 8, InstructionSet::Avx2) => {
                self.a.vmovups(ymm1, ymmword_ptr(rbx + (field!(mask_longs) + (first * 8) as i32)))?;
                self.a.vmaskmovpd(to, ymm1, ymm0)?;
            }
            (Form::Partial, _, InstructionSet::Avx2) => {
                self.a.vmovups(ymm1, ymmword_ptr(rbx + (field!(mask_words) + (first * 4) as i32)))?;
                self.a.vmaskmovps(to, ymm1, ymm0)?;
            }
        }
        Ok(())
    }

    /// Stores the word of one lane.
    fn store_word(&mut self, form: Form, place: i32, from: i32, lane: usize, bytes: usize) -> Result {
        let mut next = self.a.create_label();
        if form == Form::Partial {
            self.a.bt(dword_ptr(rbx + field!(mask)), lane as u32)?;
            self.a.jae(next)?;
        }
        if bytes == 8 {
            self.a.mov(rax, qword_ptr(rsp + (from + (lane * 8) as i32)))?;
            self.a.mov(qword_ptr(rcx + place), rax)?;
        } else {
            self.a.mov(eax, dword_ptr(rsp + (from + (lane * 4) as i32)))?;
            match bytes {
                1 => self.a.mov(byte_ptr(rcx + place), al)?,
                2 => self.a.mov(word_ptr(rcx + place), ax)?,
                _ => self.a.mov(dword_ptr(rcx + place), eax)?,
            }
        }
        if form == Form::Partial {
            self.a.set_label(&mut next)?;
            self.a.nop()?;
        }
        Ok(())
    }

    /// Stores words of one or two bytes, which lie in words of 32 bits.
    fn store_narrow(&mut self, form: Form, places: &[i32; 32], from: i32, bytes: usize) -> Result {
        let is_run =
            |first: usize, lanes: usize| places[first..first + lanes].windows(2).all(|w| w[1] - w[0] == bytes as i32);
        let mut first = 0;
        while first < 32 {
            let is_wide = self.set == InstructionSet::Avx512;
            // Without masks for bytes and for words of 16 bits, those of lanes that do not run stay only if lanes store one by one.
            let can_pack = is_wide || form == Form::Full;
            if is_wide && first % 16 == 0 && is_run(first, 16) {
                self.pack_sixteen(form, places[first], from, first, bytes)?;
                first += 16;
            } else if can_pack && is_run(first, 8) {
                self.pack_eight(form, places[first], from, first, bytes)?;
                first += 8;
            } else {
                for (lane, &place) in places.iter().enumerate().skip(first).take(8) {
                    self.store_word(form, place, from, lane, bytes)?;
                }
                first += 8;
            }
        }
        Ok(())
    }

    /// Stores the narrow words of 16 lanes to consecutive places.
    fn pack_sixteen(&mut self, form: Form, place: i32, from: i32, first: usize, bytes: usize) -> Result {
        self.a.vmovups(zmm0, zmmword_ptr(rsp + (from + (first * 4) as i32)))?;
        if form == Form::Partial {
            self.take_lanes(first)?;
        }
        match (form, bytes) {
            (Form::Full, 1) => self.a.vpmovdb(xmmword_ptr(rcx + place), zmm0)?,
            (Form::Full, _) => self.a.vpmovdw(ymmword_ptr(rcx + place), zmm0)?,
            (Form::Partial, 1) => self.a.vpmovdb(xmmword_ptr(rcx + place).k1(), zmm0)?,
            (Form::Partial, _) => self.a.vpmovdw(ymmword_ptr(rcx + place).k1(), zmm0)?,
        }
        Ok(())
    }

    /// The same of eight lanes; of all if there are no masks for them.
    fn pack_eight(&mut self, form: Form, place: i32, from: i32, first: usize, bytes: usize) -> Result {
        self.a.vmovups(ymm0, ymmword_ptr(rsp + (from + (first * 4) as i32)))?;
        if self.set == InstructionSet::Avx512 {
            if form == Form::Partial {
                self.take_lanes(first)?;
            }
            match (form, bytes) {
                (Form::Full, 1) => self.a.vpmovdb(qword_ptr(rcx + place), ymm0)?,
                (Form::Full, _) => self.a.vpmovdw(xmmword_ptr(rcx + place), ymm0)?,
                (Form::Partial, 1) => self.a.vpmovdb(qword_ptr(rcx + place).k1(), ymm0)?,
                (Form::Partial, _) => self.a.vpmovdw(xmmword_ptr(rcx + place).k1(), ymm0)?,
            }
            return Ok(());
        }
        // The narrow words of four lanes go to the beginning of each half.
        let picked = self.constant(std::array::from_fn::<u8, 32, _>(|i| match i % 16 {
            i if i < 4 * bytes => (4 * (i / bytes) + i % bytes) as u8,
            _ => 0x80,
        }));
        self.a.vpshufb(ymm0, ymm0, ymmword_ptr(rbp + picked))?;
        self.a.vextracti128(xmm1, ymm0, 1)?;
        if bytes == 1 {
            self.a.vpunpckldq(xmm0, xmm0, xmm1)?;
            self.a.vmovq(qword_ptr(rcx + place), xmm0)?;
        } else {
            self.a.vpunpcklqdq(xmm0, xmm0, xmm1)?;
            self.a.vmovdqu(xmmword_ptr(rcx + place), xmm0)?;
        }
        Ok(())
    }

    /// Writes words of one or two bytes into those of the row of local memory that `rcx` points to.
    fn store_local_narrow(&mut self, at: &Current<'_>, access: AccessId, from: i32) -> Result {
        let bits = 8 * at.segment.accesses[access as usize].bytes;
        let count = xmmword_ptr(rsp + at.shifts[access as usize]);
        let all = self.constant(std::array::from_fn::<u8, 32, _>(|i| u8::from((i % 4) < bits as usize / 8) * 0xff));
        self.a.vmovups(ymm3, ymmword_ptr(rbp + all))?;
        self.a.vpslld(ymm3, ymm3, count)?;
        for strip in 0..4 {
            self.a.vmovups(ymm0, ymmword_ptr(rsp + (from + 32 * strip)))?;
            self.a.vpslld(ymm0, ymm0, count)?;
            self.a.vpand(ymm0, ymm0, ymm3)?;
            self.a.vpandn(ymm1, ymm3, ymmword_ptr(rcx + 32 * strip))?;
            self.a.vpor(ymm0, ymm0, ymm1)?;
            self.put_local(at.form, 0, strip)?;
        }
        Ok(())
    }

    /// Puts the lanes that run from `first` on into the mask `k1`.
    fn take_lanes(&mut self, first: usize) -> Result {
        self.a.mov(eax, dword_ptr(rbx + field!(mask)))?;
        if first > 0 {
            self.a.shr(eax, first as u32)?;
        }
        Ok(self.a.kmovw(k1, eax)?)
    }

    /// Writes the rows of local memory that `rcx` points to.
    fn store_local(&mut self, form: Form, from: i32, wide: bool) -> Result {
        for strip in 0..4 {
            if wide {
                for (row, half) in [(0, 0x88u32), (1, 0xdd)] {
                    self.a.vmovups(ymm0, ymmword_ptr(rsp + (from + 64 * strip)))?;
                    self.a.vshufps(ymm0, ymm0, ymmword_ptr(rsp + (from + 64 * strip + 32)), half)?;
                    self.a.vpermq(ymm0, ymm0, 0xd8u32)?;
                    self.put_local(form, row, strip)?;
                }
            } else {
                self.a.vmovups(ymm0, ymmword_ptr(rsp + (from + 32 * strip)))?;
                self.put_local(form, 0, strip)?;
            }
        }
        Ok(())
    }

    /// Makes rows of local memory zero.
    pub(super) fn clears(&mut self, at: &Current<'_>) -> Result {
        for &(first, rows) in &at.segment.clears {
            let out_of_reach = |_| CompileError::Unsupported("much local memory");
            let first = i32::try_from(128 * u64::from(first)).map_err(out_of_reach)?;
            self.a.mov(rcx, qword_ptr(rbx + field!(local_rows)))?;
            self.a.add(rcx, first)?;
            for row in 0..rows as i32 {
                for strip in 0..4 {
                    self.a.vxorps(ymm0, ymm0, ymm0)?;
                    self.put_local(at.form, row, strip)?;
                }
            }
        }
        Ok(())
    }

    /// Writes eight lanes in `ymm0` to a row of local memory whose first one `rcx` points to.
    fn put_local(&mut self, form: Form, row: i32, strip: i32) -> Result {
        let to = ymmword_ptr(rcx + (128 * row + 32 * strip));
        match (form, self.set) {
            (Form::Full, _) => {}
            (Form::Partial, InstructionSet::Avx512) => {
                self.take_lanes(8 * strip as usize)?;
                return Ok(self.a.evex().vmovups(to.k1(), ymm0)?);
            }
            (Form::Partial, InstructionSet::Avx2) => {
                self.a.vmovups(ymm1, to)?;
                self.a.vmovups(ymm2, ymmword_ptr(rbx + (field!(mask_words) + 32 * strip)))?;
                self.a.vblendvps(ymm0, ymm1, ymm0, ymm2)?;
            }
        }
        self.a.vmovups(to, ymm0)?;
        Ok(())
    }
}
