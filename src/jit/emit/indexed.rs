//! Loads and stores of words that lie anywhere in shared memory, in a variable of local memory or in one allocation, with AVX-512: the addresses of all lanes are
//! compared with the bounds, then the pages of an allocation are looked up, then the words are moved. Of lanes that store to one
//! place the last one counts, as always. Atomics on words of shared memory, and stores of one or two bytes, follow each other lane by
//! lane.
//!
//! If a check fails nothing has changed. It is looked up once where the first lane's allocation is; if the lanes are not all in
//! there, are not aligned, or touch a page that was never written or is not to be written, the operation is done by a call, as it
//! is without AVX-512.

use super::{CompileError, Current, Emitter, Form, Result, field};
use crate::segment::{Class, Indexed, LocalPart, Movement, PatternRow, Place};
use crate::state::{State, Window};
use iced_x86::code_asm::{
    AsmMemoryOperand, AsmRegisterYmm, AsmRegisterZmm, CodeLabel, al, byte_ptr, cl, cx, dword_ptr, eax, ecx, edi, esi,
    k1, k2, k3, k4, qword_ptr, r8, r8d, r9, r9d, r12, r13, rax, rbp, rbx, rcx, rdi, rdx, rsi, rsp, word_ptr, ymm16,
    ymm17, ymm18, ymm19, ymm20, ymmword_ptr, zmm0, zmm1, zmm2, zmm3, zmm8, zmm9, zmm10, zmm11, zmm16, zmm17, zmm18,
    zmm19, zmm20, zmm28, zmm29, zmm30, zmmword_ptr,
};
use iced_x86::{Code, Instruction, MemoryOperand, Register};
use ir::op::AtomOp;
use std::mem::{offset_of, size_of};

/// Eight lanes each: how far their words are from the beginning of the allocation, where they are in this process, and the words.
const OFFSETS: [AsmRegisterZmm; 4] = [zmm0, zmm1, zmm2, zmm3];
const PLACES: [AsmRegisterZmm; 4] = [zmm8, zmm9, zmm10, zmm11];
const WORDS: [AsmRegisterZmm; 4] = [zmm16, zmm17, zmm18, zmm19];
const YMM_20: Register = Register::YMM20;
const HALVES: [AsmRegisterYmm; 4] = [ymm16, ymm17, ymm18, ymm19];

impl Emitter<'_> {
    /// Moves the words, and goes on; where it cannot be done it goes on at `call`, and nothing has changed.
    pub(super) fn indexed(&mut self, at: &Current<'_>, of: &Indexed, form: Form, call: CodeLabel) -> Result {
        let (outer, inner, offsets) = (self.take(8, 8)?, self.take(8, 8)?, self.take(256, 64)?);
        let (mut retry, mut find) = (self.a.create_label(), self.a.create_label());
        self.a.cmp(qword_ptr(rbx + field!(budget)), 1)?;
        self.a.jb(call)?;
        for (place, base, terms) in [(outer, of.base, &of.terms), (inner, of.index_base, &of.index_terms)] {
            self.a.mov(rax, base)?;
            self.add_terms(at, rax, terms)?;
            self.a.mov(qword_ptr(rsp + place), rax)?;
        }
        match of.place {
            Place::Shared(base) => self.shared_places(of, form, base, (outer, inner, offsets), call)?,
            Place::Local(part) => self.local_places(of, form, part, (outer, inner), call)?,
            Place::Memory => {
                self.a.set_label(&mut retry)?;
                self.memory_places(of, form, (outer, inner, offsets), (find, call))?;
            }
        }
        match of.movement {
            Movement::Store => {
                self.store_words(of, form)?;
                self.note_change()?;
            }
            Movement::Load => {
                self.load_words(of, form)?;
                self.a.add(dword_ptr(rbx + field!(polls)), 1)?;
            }
            Movement::Atomic { op, polls } => {
                self.atomic_words(of, op, form)?;
                let (mut is_same, mut done) = (self.a.create_label(), self.a.create_label());
                self.a.test(rdi, rdi)?;
                self.a.je(is_same)?;
                self.note_change()?;
                self.a.jmp(done)?;
                self.a.set_label(&mut is_same)?;
                self.a.add(dword_ptr(rbx + field!(polls)), polls as i32)?;
                self.a.set_label(&mut done)?;
            }
        }
        self.a.sub(qword_ptr(rbx + field!(budget)), 1)?;
        if let Some(number) = of.told {
            self.tell_lanes(of, number, offsets)?;
        }
        let target = self.target(at.segment.pc + 1, form);
        self.a.jmp(target)?;
        if of.place == Place::Memory {
            self.a.set_label(&mut find)?;
            self.find_allocation(of, offsets)?;
            self.a.jne(retry)?;
        }
        Ok(())
    }

    /// Tells where the words are, whose distances lie on the stack, unless the whole allocation is quiet.
    fn tell_lanes(&mut self, of: &Indexed, number: u32, offsets: i32) -> Result {
        let mut is_quiet = self.a.create_label();
        match of.place {
            Place::Shared(base) => self.a.mov(rdx, base)?,
            Place::Local(_) => return Err(CompileError::Unsupported("an access of local memory that is told")),
            Place::Memory => {
                self.a.mov(rdx, qword_ptr(rbx + field!(windows)))?;
                self.a.mov(rax, of.entry(offset_of!(Window, len)))?;
                self.a.mov(rdx, of.entry(offset_of!(Window, low)))?;
                if (number as usize) < State::QUIET {
                    let zone = field!(quiet) + number as i32 * size_of::<[u64; 2]>() as i32;
                    let mut is_told = self.a.create_label();
                    self.a.cmp(rdx, qword_ptr(rbx + zone))?;
                    self.a.jb(is_told)?;
                    self.a.add(rax, rdx)?;
                    self.a.cmp(rax, qword_ptr(rbx + (zone + 8)))?;
                    self.a.jbe(is_quiet)?;
                    self.a.set_label(&mut is_told)?;
                }
            }
        }
        self.a.mov(rdi, qword_ptr(rbx + field!(user)))?;
        self.a.mov(esi, number)?;
        self.a.lea(rcx, qword_ptr(rsp + offsets))?;
        self.a.vzeroupper()?;
        self.a.call(qword_ptr(rbx + field!(tell_lanes)))?;
        self.a.set_label(&mut is_quiet)?;
        // A label needs an instruction.
        Ok(self.a.zero_bytes()?)
    }

    /// Memory has changed: counts a store, and points without progress anew.
    fn note_change(&mut self) -> Result {
        self.a.mov(dword_ptr(rbx + field!(polls)), 0u32)?;
        Ok(self.a.add(qword_ptr(rbx + field!(writes)), 1)?)
    }

    /// Does an operation on the words at [`PLACES`], one lane that runs after another; `rdi` is not 0 if one of them has changed.
    fn atomic_words(&mut self, of: &Indexed, op: AtomOp, form: Form) -> Result {
        self.a.xor(edi, edi)?;
        let (class, slot) = of.register;
        self.lane_by_lane(form, |emitter| {
            // The operand is in rcx, what is there in r8, and r9 becomes what will be.
            if class == Class::Long {
                emitter.a.mov(rcx, qword_ptr(r13 + rax * 8 + 256 * slot as i32))?;
                emitter.a.mov(r8, qword_ptr(rdx))?;
            } else {
                emitter.a.movsxd(rcx, dword_ptr(r12 + rax * 4 + 128 * slot as i32))?;
                emitter.a.movsxd(r8, dword_ptr(rdx))?;
            }
            emitter.a.mov(r9, r8)?;
            match op {
                AtomOp::Add => emitter.a.add(r9, rcx)?,
                AtomOp::Sub => emitter.a.sub(r9, rcx)?,
                AtomOp::And => emitter.a.and(r9, rcx)?,
                AtomOp::Or => emitter.a.or(r9, rcx)?,
                AtomOp::Xor => emitter.a.xor(r9, rcx)?,
                AtomOp::Min | AtomOp::Max => {
                    emitter.a.cmp(rcx, r8)?;
                    if op == AtomOp::Min { emitter.a.cmovl(r9, rcx)? } else { emitter.a.cmovg(r9, rcx)? }
                }
                _ => return Err(CompileError::Unsupported("an atomic whose order matters")),
            }
            if class == Class::Long {
                emitter.a.mov(qword_ptr(rdx), r9)?;
                emitter.a.xor(r9, r8)?;
                emitter.a.or(rdi, r9)?;
            } else {
                emitter.a.mov(dword_ptr(rdx), r9d)?;
                emitter.a.xor(r9d, r8d)?;
                emitter.a.or(edi, r9d)?;
            }
            Ok(())
        })
    }

    /// Does something for one lane that runs after another, whose number is in `rax` and whose word is where `rdx` points to. `rsi` is
    /// taken.
    fn lane_by_lane(&mut self, form: Form, each: impl FnOnce(&mut Self) -> Result) -> Result {
        let places = self.take(256, 64)?;
        for (group, place) in PLACES.into_iter().enumerate() {
            self.a.vmovdqu64(zmmword_ptr(rsp + (places + 64 * group as i32)), place)?;
        }
        match form {
            Form::Full => self.a.mov(esi, -1)?,
            Form::Partial => self.a.mov(esi, dword_ptr(rbx + field!(mask)))?,
        }
        let mut lane = self.a.create_label();
        self.a.set_label(&mut lane)?;
        self.a.tzcnt(eax, esi)?;
        self.a.blsr(esi, esi)?;
        self.a.mov(rdx, qword_ptr(rsp + rax * 8 + places))?;
        each(self)?;
        self.a.test(esi, esi)?;
        Ok(self.a.jne(lane)?)
    }

    /// Puts the places of words of shared memory, whose first byte has the address `base`, into [`PLACES`]; `call` if it cannot be done.
    fn shared_places(
        &mut self,
        of: &Indexed,
        form: Form,
        base: u64,
        (outer, inner, offsets): (i32, i32, i32),
        call: CodeLabel,
    ) -> Result {
        self.a.mov(rax, qword_ptr(rsp + outer))?;
        self.a.mov(rcx, base)?;
        self.a.sub(rax, rcx)?;
        self.a.mov(rsi, qword_ptr(rbx + field!(shared_len)))?;
        self.a.sub(rsi, of.bytes as i32)?;
        self.a.jb(call)?;
        self.offsets(of, form, inner, of.told.map(|_| offsets))?;
        self.a.kortestb(k4, k4)?;
        self.a.jne(call)?;
        self.a.vpbroadcastq(zmm20, qword_ptr(rbx + field!(shared)))?;
        for (offset, place) in OFFSETS.into_iter().zip(PLACES) {
            self.a.vpaddq(place, offset, zmm20)?;
        }
        Ok(())
    }

    /// Puts the places of words of a variable in local memory into [`PLACES`]; `call` if it cannot be done. Each lane has its word in a
    /// row, and words of 64 bits have two rows.
    fn local_places(
        &mut self,
        of: &Indexed,
        form: Form,
        part: LocalPart,
        (outer, inner): (i32, i32),
        call: CodeLabel,
    ) -> Result {
        let room = part.bytes.checked_sub(of.bytes.into());
        let room = room.ok_or(CompileError::Unsupported("an access beyond a variable"))?;
        self.a.mov(rax, qword_ptr(rsp + outer))?;
        self.add_constant((part.start as i64).wrapping_neg())?;
        self.a.mov(rsi, room)?;
        self.offsets(of, form, inner, None)?;
        self.a.kortestb(k4, k4)?;
        self.a.jne(call)?;
        self.a.mov(rcx, qword_ptr(rbx + field!(local_rows)))?;
        self.a.add(rcx, Self::first_row(part)?)?;
        self.a.vpbroadcastq(zmm20, rcx)?;
        for (group, (offset, place)) in OFFSETS.into_iter().zip(PLACES).enumerate() {
            // A word of four bytes is a row of 128.
            let lanes: [u8; 64] = std::array::from_fn(|i| if i % 8 == 0 { (32 * group + i / 2) as u8 } else { 0 });
            let lanes = self.constant(lanes);
            self.a.vpsllq(place, offset, 5u32)?;
            self.a.vpaddq(place, place, zmm20)?;
            self.a.vpaddq(place, place, zmmword_ptr(rbp + lanes))?;
        }
        Ok(())
    }

    /// Puts the places of words of one allocation into [`PLACES`]; `find` if they are not all in the one of the entry, `call` if it
    /// cannot be done.
    fn memory_places(
        &mut self,
        of: &Indexed,
        form: Form,
        (outer, inner, offsets): (i32, i32, i32),
        (find, call): (CodeLabel, CodeLabel),
    ) -> Result {
        self.a.mov(rax, qword_ptr(rsp + outer))?;
        self.a.mov(rdx, qword_ptr(rbx + field!(windows)))?;
        self.a.sub(rax, of.entry(offset_of!(Window, low)))?;
        self.a.mov(rsi, of.entry(offset_of!(Window, len)))?;
        self.a.sub(rsi, of.bytes as i32)?;
        self.offsets(of, form, inner, Some(offsets))?;
        self.a.cmp(of.entry(offset_of!(Window, len)), of.bytes as i32)?;
        self.a.jb(find)?;
        self.a.kortestb(k4, k4)?;
        self.a.jne(find)?;
        self.a.mov(rcx, of.entry(offset_of!(Window, place)))?;
        self.look_pages_up(of, form, call)
    }

    /// Puts how far words are from the beginning of the memory into [`OFFSETS`], and onto the stack if they are `kept`. The lanes of
    /// `k4` are not inside or not aligned. `rsi` has the greatest offset, `rax` what is added to each.
    fn offsets(&mut self, of: &Indexed, form: Form, inner: i32, kept: Option<i32>) -> Result {
        self.a.vpbroadcastq(zmm28, rsi)?;
        self.a.vpbroadcastq(zmm29, rax)?;
        if of.wraps {
            self.a.vpbroadcastq(zmm30, qword_ptr(rsp + inner))?;
        }
        let unaligned = self.constant(longs(u64::from(of.bytes) - 1));
        self.a.kxorw(k4, k4, k4)?;
        for (group, offset) in OFFSETS.into_iter().enumerate() {
            if of.rows.is_empty() {
                self.a.vpxorq(offset, offset, offset)?;
            }
            for (i, row) in of.rows.iter().enumerate() {
                let d = if i == 0 { offset } else { zmm20 };
                self.load_group(d, row, group as i32)?;
                if i > 0 {
                    self.a.vpaddq(offset, offset, zmm20)?;
                }
            }
            if of.wraps {
                // The sum is an integer of 32 bits.
                self.a.vpaddq(offset, offset, zmm30)?;
                self.a.vpsllq(offset, offset, 32u32)?;
                self.a.vpsraq(offset, offset, 32u32)?;
            }
            self.multiply_group(offset, of.factor)?;
            self.a.vpaddq(offset, offset, zmm29)?;
            if let Some(kept) = kept {
                self.a.vmovdqu64(zmmword_ptr(rsp + (kept + 64 * group as i32)), offset)?;
            }
            self.a.vpcmpuq(k2, offset, zmm28, 6u32)?;
            self.a.vptestmq(k3, offset, zmmword_ptr(rbp + unaligned))?;
            self.a.korw(k2, k2, k3)?;
            self.note_failures(form, group)?;
        }
        Ok(())
    }

    /// Has the entry filled with the allocation that the first lane's word is in; `jne` says that it was another one before.
    fn find_allocation(&mut self, of: &Indexed, offsets: i32) -> Result {
        self.a.mov(eax, dword_ptr(rbx + field!(mask)))?;
        self.a.tzcnt(eax, eax)?;
        self.a.mov(rcx, qword_ptr(rsp + rax * 8 + offsets))?;
        self.a.add(rcx, of.entry(offset_of!(Window, low)))?;
        self.a.mov(rdx, rcx)?;
        self.a.mov(rdi, qword_ptr(rbx + field!(user)))?;
        self.a.mov(esi, Window::allocation_entry(of.number, of.is_store()) as u32)?;
        self.a.vzeroupper()?;
        self.a.call(qword_ptr(rbx + field!(find_pages)))?;
        Ok(self.a.test(al, al)?)
    }

    /// Loads words from [`PLACES`] into the register, of the lanes that run.
    fn load_words(&mut self, of: &Indexed, form: Form) -> Result {
        if of.bytes < 4 {
            return self.load_narrow(of, form);
        }
        if of.is_in_two_rows() {
            return self.load_rows(of, form);
        }
        for (group, (place, word)) in PLACES.into_iter().zip(WORDS).enumerate() {
            self.lanes_of(form, group)?;
            self.a.vpxorq(word, word, word)?;
            let (code, register) = match of.register.0 {
                Class::Long => (Code::EVEX_Vpgatherqq_zmm_k1_vm64z, word.into()),
                _ => (Code::EVEX_Vpgatherqd_ymm_k1_vm64z, Register::YMM16 + group as u32),
            };
            let from = MemoryOperand::with_index_scale_displ_size(place.into(), 1, 0, 8);
            self.add_masked(Instruction::with2(code, register, from)?)?;
        }
        self.write_words(of, form)
    }

    /// The same with words whose halves are in two rows.
    fn load_rows(&mut self, of: &Indexed, form: Form) -> Result {
        for (group, (place, word)) in PLACES.into_iter().zip(WORDS).enumerate() {
            for (half, row) in [(YMM_20, 128), (Register::YMM16 + group as u32, 0)] {
                self.lanes_of(form, group)?;
                let from = MemoryOperand::with_index_scale_displ_size(place.into(), 1, row, 8);
                self.add_masked(Instruction::with2(Code::EVEX_Vpgatherqd_ymm_k1_vm64z, half, from)?)?;
            }
            self.a.vpmovzxdq(zmm20, ymm20)?;
            self.a.vpsllq(zmm20, zmm20, 32u32)?;
            self.a.vpmovzxdq(word, HALVES[group])?;
            self.a.vporq(word, word, zmm20)?;
        }
        self.write_words(of, form)
    }

    /// The same with words of one or two bytes, each a part of a word of 32 bits: that lies in the same page, unlike what is behind.
    fn load_narrow(&mut self, of: &Indexed, form: Form) -> Result {
        let within = self.constant(longs(3));
        let all = (1u64 << (8 * of.bytes)) - 1;
        let all = self.constant(longs(all | all << 32));
        for (group, (place, half)) in PLACES.into_iter().zip(HALVES).enumerate() {
            self.lanes_of(form, group)?;
            self.a.vpandq(zmm20, place, zmmword_ptr(rbp + within))?;
            self.a.vpsubq(place, place, zmm20)?;
            self.a.vpsllq(zmm20, zmm20, 3u32)?;
            self.a.vpmovqd(ymm20, zmm20)?;
            self.a.vpxord(half, half, half)?;
            let from = MemoryOperand::with_index_scale_displ_size(place.into(), 1, 0, 8);
            let gather = Instruction::with2(Code::EVEX_Vpgatherqd_ymm_k1_vm64z, Register::from(half), from)?;
            self.add_masked(gather)?;
            self.a.evex().vpsrlvd(half, half, ymm20)?;
            self.a.vpandd(half, half, ymmword_ptr(rbp + all))?;
        }
        self.write_words(of, form)
    }

    /// Stores words of the register to [`PLACES`], of the lanes that run.
    fn store_words(&mut self, of: &Indexed, form: Form) -> Result {
        let (class, slot) = of.register;
        if of.bytes < 4 {
            return self.lane_by_lane(form, |emitter| {
                emitter.a.mov(ecx, dword_ptr(r12 + rax * 4 + 128 * slot as i32))?;
                match of.bytes {
                    1 => emitter.a.mov(byte_ptr(rdx), cl)?,
                    _ => emitter.a.mov(word_ptr(rdx), cx)?,
                }
                Ok(())
            });
        }
        for (group, (place, word)) in PLACES.into_iter().zip(WORDS).enumerate() {
            self.lanes_of(form, group)?;
            if of.is_in_two_rows() {
                self.a.vmovdqu64(word, zmmword_ptr(r13 + (256 * slot as i32 + 64 * group as i32)))?;
                for row in [0, 128] {
                    self.lanes_of(form, group)?;
                    self.a.vpmovqd(ymm20, word)?;
                    let to = MemoryOperand::with_index_scale_displ_size(place.into(), 1, row, 8);
                    self.add_masked(Instruction::with2(Code::EVEX_Vpscatterqd_vm64z_k1_ymm, to, YMM_20)?)?;
                    self.a.vpsrlq(word, word, 32u32)?;
                }
                continue;
            }
            let (code, register): (Code, Register) = if class == Class::Long {
                self.a.vmovdqu64(word, zmmword_ptr(r13 + (256 * slot as i32 + 64 * group as i32)))?;
                (Code::EVEX_Vpscatterqq_vm64z_k1_zmm, word.into())
            } else {
                let half = HALVES[group];
                self.a.vmovdqu32(half, ymmword_ptr(r12 + (128 * slot as i32 + 32 * group as i32)))?;
                (Code::EVEX_Vpscatterqd_vm64z_k1_ymm, half.into())
            };
            let to = MemoryOperand::with_index_scale_displ_size(place.into(), 1, 0, 8);
            self.add_masked(Instruction::with2(code, to, register)?)?;
        }
        Ok(())
    }

    /// Puts the places of words in this process into [`PLACES`]: `rcx` points to the pages of the allocation. Pages that are not to be
    /// written fail a store.
    fn look_pages_up(&mut self, of: &Indexed, form: Form, call: CodeLabel) -> Result {
        let mark = self.constant(longs(1));
        let (unmarked, rest) = (self.constant(longs(!1)), self.constant(longs((1 << Window::PAGE) - 1)));
        self.a.kxorw(k4, k4, k4)?;
        for (group, (offset, place)) in OFFSETS.into_iter().zip(PLACES).enumerate() {
            self.lanes_of(form, group)?;
            self.a.vpsrlq(zmm20, offset, Window::PAGE)?;
            self.a.vpxorq(place, place, place)?;
            let from = MemoryOperand::with_base_index_scale(Register::RCX, zmm20.into(), 8);
            self.add_masked(Instruction::with2(Code::EVEX_Vpgatherqq_zmm_k1_vm64z, place.into(), from)?)?;
            if of.is_store() {
                self.a.vptestmq(k3, place, zmmword_ptr(rbp + mark))?;
            }
            self.a.vpandq(place, place, zmmword_ptr(rbp + unmarked))?;
            self.a.vptestnmq(k2, place, place)?;
            if of.is_store() {
                self.a.korw(k2, k2, k3)?;
            }
            self.note_failures(form, group)?;
            self.a.vpandq(zmm20, offset, zmmword_ptr(rbp + rest))?;
            self.a.vpaddq(place, place, zmm20)?;
        }
        self.a.kortestb(k4, k4)?;
        self.a.jne(call)?;
        Ok(())
    }

    /// Eight lanes of a row times its factor.
    fn load_group(&mut self, d: AsmRegisterZmm, row: &PatternRow, group: i32) -> Result {
        if row.class == Class::Long {
            self.a.vmovdqu64(d, zmmword_ptr(r13 + (256 * row.slot as i32 + 64 * group)))?;
        } else {
            self.a.vpmovsxdq(d, ymmword_ptr(r12 + (128 * row.slot as i32 + 32 * group)))?;
        }
        self.multiply_group(d, row.factor)
    }

    fn multiply_group(&mut self, d: AsmRegisterZmm, factor: i64) -> Result {
        match factor {
            1 => {}
            _ if factor > 0 && (factor as u64).is_power_of_two() => self.a.vpsllq(d, d, factor.trailing_zeros())?,
            _ => {
                let factor = self.constant(longs(factor as u64));
                self.a.vpmullq(d, d, zmmword_ptr(rbp + factor))?;
            }
        }
        Ok(())
    }

    /// Adds the lanes of `k2` that run to those of `k4`.
    fn note_failures(&mut self, form: Form, group: usize) -> Result {
        if form == Form::Partial {
            self.a.kmovb(k1, byte_ptr(rbx + (field!(mask) + group as i32)))?;
            self.a.kandw(k2, k2, k1)?;
        }
        Ok(self.a.korw(k4, k4, k2)?)
    }

    /// Puts the lanes of a group that run into `k1`.
    fn lanes_of(&mut self, form: Form, group: usize) -> Result {
        match form {
            Form::Full => self.a.kxnorw(k1, k1, k1)?,
            Form::Partial => self.a.kmovb(k1, byte_ptr(rbx + (field!(mask) + group as i32)))?,
        }
        Ok(())
    }

    /// An instruction that moves what `k1` says, and clears it.
    fn add_masked(&mut self, mut instruction: Instruction) -> Result {
        instruction.set_op_mask(Register::K1);
        Ok(self.a.add_instruction(instruction)?)
    }

    /// Writes the words of the lanes that run to their register.
    fn write_words(&mut self, of: &Indexed, form: Form) -> Result {
        let (class, slot) = of.register;
        for (group, (word, half)) in WORDS.into_iter().zip(HALVES).enumerate() {
            self.lanes_of(form, group)?;
            if class == Class::Long {
                let to = zmmword_ptr(r13 + (256 * slot as i32 + 64 * group as i32));
                self.a.vmovdqu64(to.k1(), word)?;
            } else {
                let to = ymmword_ptr(r12 + (128 * slot as i32 + 32 * group as i32));
                self.a.vmovdqu32(to.k1(), half)?;
            }
        }
        Ok(())
    }
}

impl Indexed {
    fn is_store(&self) -> bool {
        self.movement == Movement::Store
    }

    /// Whether it moves words of 64 bits of local memory.
    fn is_in_two_rows(&self) -> bool {
        self.bytes == 8 && matches!(self.place, Place::Local(_))
    }

    /// A field of the entry of its allocation, in the table of windows that `rdx` points to.
    fn entry(&self, field: usize) -> AsmMemoryOperand {
        let number = 2 * Window::COUNT + Window::allocation_entry(self.number, self.is_store());
        qword_ptr(rdx + (number * size_of::<Window>() + field) as i32)
    }
}

/// A word of 64 bits in all lanes of a constant.
fn longs(word: u64) -> [u8; 64] {
    std::array::from_fn(|i| word.to_le_bytes()[i % 8])
}
