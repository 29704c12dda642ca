//! How a routine begins and ends, and what lies behind its segments: exits, calls, constants.
//!
//! Where all lanes have come to a barrier the code goes on with the next warp of the block, if the state names one: it begins at
//! the entry of the first with the registers of that warp. Where the last warp of the block comes to it, the code goes on behind the
//! barrier with the first. Where all lanes have ended it begins the next warp in the same registers, as
//! often as the state says.
//!
//! Not here: the segments (`mod`).

use super::{CompileError, Emitter, FRAME, Form, Result, field};
use crate::segment::{Class, PatternKey};
use crate::state::{PatternHead, State};
use iced_x86::BlockEncoderOptions;
use iced_x86::code_asm::{
    CodeLabel, al, dword_ptr, eax, ecx, edx, esi, qword_ptr, r12, r13, r14, r15, rax, rbp, rbx, rcx, rdi, rdx, rsi,
    rsp, xmm0, ymm0, ymm1, ymmword_ptr,
};
use std::mem::offset_of;

/// Which bytes of the stack keep the caller's stack pointer.
const CALLER: i32 = FRAME - 8;
/// Which keep the state and the entry that the code was entered with.
const FIRST: i32 = FRAME - 16;
const ENTRY: i32 = FRAME - 24;

/// Where the index of the block in the first dimension lies behind [`State::geometry`].
const CTA_X: i32 = 12;

/// What the code may go on with where it comes to an exit.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Follows {
    Nothing,
    /// All lanes have come to a barrier: the next state.
    State,
    /// All lanes have ended: the next warp in the registers of this state, or the next state.
    Warp,
}

/// A call or an exit that lies behind the segments.
pub(super) enum Stub {
    /// Goes on with what follows, or returns to the interpreter, which goes on at an operation.
    Exit { label: CodeLabel, pc: u32, follows: Follows },
    /// Has a pattern worked out by a call, and checks it if the code behind rests on its key: else it goes elsewhere.
    Pattern { label: CodeLabel, back: CodeLabel, number: u32, check: Option<(PatternKey, CodeLabel)> },
    /// Fills a window for the address in `rax` and tries again.
    Refill { label: CodeLabel, retry: CodeLabel, fail: CodeLabel, extent: u64, salt: u32, writes: bool },
}

impl Emitter<'_> {
    pub(super) fn prologue(&mut self) -> Result {
        let a = &mut self.a;
        for register in [rbx, rbp, r12, r13, r14, r15] {
            a.push(register)?;
        }
        // Rows on the stack do not lie in two lines of the cache.
        a.mov(rax, rsp)?;
        a.sub(rsp, FRAME)?;
        a.and(rsp, -64)?;
        a.mov(qword_ptr(rsp + CALLER), rax)?;
        a.mov(qword_ptr(rsp + FIRST), rdi)?;
        a.mov(qword_ptr(rsp + ENTRY), rsi)?;
        a.mov(rbx, rdi)?;
        self.load_files()?;
        let a = &mut self.a;
        self.loads_pool = a.instructions().len();
        a.lea(rbp, qword_ptr(self.pool))?;
        let mut start = a.create_label();
        a.cmp(dword_ptr(rbx + field!(mask)), -1)?;
        a.je(start)?;
        self.expand_mask()?;
        self.a.set_label(&mut start)?;
        self.a.jmp(rsi)?;
        Ok(())
    }

    /// Puts the places of the frame's registers, which the state names, where the code expects them.
    fn load_files(&mut self) -> Result {
        self.a.mov(r12, qword_ptr(rbx + field!(words)))?;
        self.a.mov(r13, qword_ptr(rbx + field!(longs)))?;
        self.a.mov(r14, qword_ptr(rbx + field!(scalars)))?;
        self.a.mov(r15, qword_ptr(rbx + field!(preds)))?;
        Ok(())
    }

    /// Goes on with the next state, from the entry of this one on, or behind the barrier with the first if all have come there; falls
    /// through if there is none, or no point is left for the barrier. The entry behind the barrier is in `rsi`, or 0. At `switch` it goes
    /// on with the state in `rdi`, which gets the budget in `rdx`; the first state is in `rcx`, or 0.
    fn go_on_with_next(&mut self, mut switch: CodeLabel) -> Result {
        let mut label = || self.a.create_label();
        let (mut none, mut is_last, mut is_alone) = (label(), label(), label());
        self.a.mov(rcx, qword_ptr(rbx + field!(first)))?;
        self.a.test(rcx, rcx)?;
        self.a.je(is_alone)?;
        // The others wait at the same barrier.
        self.a.mov(eax, dword_ptr(rbx + field!(pc)))?;
        self.a.cmp(eax, dword_ptr(rcx + field!(pc)))?;
        self.a.jne(none)?;
        self.a.set_label(&mut is_alone)?;
        self.a.mov(rdx, qword_ptr(rbx + field!(budget)))?;
        self.a.sub(rdx, 1)?;
        self.a.jb(none)?;
        self.a.mov(rdi, qword_ptr(rbx + field!(next)))?;
        self.a.test(rdi, rdi)?;
        self.a.je(is_last)?;
        self.a.set_label(&mut switch)?;
        // What it has passed before remains.
        self.a.mov(rax, qword_ptr(rdi + field!(begun)))?;
        self.a.sub(rax, qword_ptr(rdi + field!(budget)))?;
        self.a.add(rax, rdx)?;
        self.a.mov(qword_ptr(rdi + field!(begun)), rax)?;
        self.a.mov(qword_ptr(rdi + field!(budget)), rdx)?;
        for handed in [field!(statements), field!(windows)] {
            self.a.mov(rax, qword_ptr(rbx + handed))?;
            self.a.mov(qword_ptr(rdi + handed), rax)?;
        }
        self.a.mov(rbx, rdi)?;
        self.load_files()?;
        let mut go = self.a.create_label();
        self.a.test(rcx, rcx)?;
        self.a.je(go)?;
        self.a.mov(dword_ptr(rbx + field!(polls)), 0u32)?;
        self.a.set_label(&mut go)?;
        self.a.jmp(qword_ptr(rsp + ENTRY))?;
        self.a.set_label(&mut is_last)?;
        self.a.test(rcx, rcx)?;
        self.a.je(none)?;
        self.a.test(rsi, rsi)?;
        self.a.je(none)?;
        self.a.cmp(dword_ptr(rcx + field!(one_ended)), 0)?;
        self.a.jne(none)?;
        self.a.mov(qword_ptr(rsp + ENTRY), rsi)?;
        self.a.add(eax, 1)?;
        self.a.mov(dword_ptr(rcx + field!(resumed)), eax)?;
        self.a.mov(rdi, rcx)?;
        self.a.jmp(switch)?;
        self.a.set_label(&mut none)?;
        Ok(self.a.nop()?)
    }

    /// Begins the next warp in the registers of the one that has ended, from its entry on; falls through if there is none.
    fn begin_next_warp(&mut self) -> Result {
        let (mut is_last, mut begin) = (self.a.create_label(), self.a.create_label());
        self.a.mov(edx, dword_ptr(rbx + field!(turn_step)))?;
        self.a.sub(dword_ptr(rbx + field!(turns)), 1)?;
        self.a.jae(begin)?;
        // The first of the next block is so far back.
        self.a.mov(dword_ptr(rbx + field!(turns)), 0u32)?;
        self.a.sub(dword_ptr(rbx + field!(blocks)), 1)?;
        self.a.jb(is_last)?;
        self.a.mov(rcx, qword_ptr(rbx + field!(geometry)))?;
        self.a.add(dword_ptr(rcx + CTA_X), 1)?;
        self.a.mov(eax, dword_ptr(rbx + field!(block_turns)))?;
        self.a.mov(dword_ptr(rbx + field!(turns)), eax)?;
        self.a.imul_2(edx, eax)?;
        self.a.neg(edx)?;
        self.a.set_label(&mut begin)?;
        self.move_row()?;
        self.a.mov(rax, qword_ptr(rbx + field!(budget)))?;
        self.a.mov(qword_ptr(rbx + field!(begun)), rax)?;
        self.a.xor(eax, eax)?;
        self.a.mov(dword_ptr(rbx + field!(polls)), eax)?;
        self.a.mov(rcx, qword_ptr(rbx + field!(patterns)))?;
        for pattern in 0..self.routine.patterns {
            let mask = (pattern * self.routine.pattern_stride) as i32 + offset_of!(PatternHead, mask) as i32;
            self.a.mov(dword_ptr(rcx + mask), eax)?;
        }
        self.restore()?;
        self.a.jmp(qword_ptr(rsp + ENTRY))?;
        self.a.set_label(&mut is_last)?;
        self.a.mov(dword_ptr(rbx + field!(blocks)), 0u32)?;
        Ok(())
    }

    /// Adds `edx` to the thread index that differs between the warps of a line; `rdi` and two vectors are lost.
    pub(super) fn move_row(&mut self) -> Result {
        self.a.vmovd(xmm0, edx)?;
        self.a.vpbroadcastd(ymm0, xmm0)?;
        self.a.mov(rdi, qword_ptr(rbx + field!(turn_row)))?;
        for strip in 0..4 {
            let at = ymmword_ptr(rdi + 32 * strip);
            self.a.vpaddd(ymm1, ymm0, at)?;
            self.a.vmovdqu(at, ymm1)?;
        }
        Ok(())
    }

    /// Gives registers what a warp begins with.
    fn restore(&mut self) -> Result {
        if self.routine.restored.is_empty() {
            return Ok(());
        }
        self.a.mov(rcx, qword_ptr(rbx + field!(initial)))?;
        for (number, &(class, slot)) in (0..).zip(&self.routine.restored) {
            let (from, slot) = (8 * number, slot as i32);
            match class {
                Class::Scalar => {
                    self.a.mov(rax, qword_ptr(rcx + from))?;
                    self.a.mov(qword_ptr(r14 + 8 * slot), rax)?;
                }
                // All bits of the word are the truth value.
                Class::Pred => {
                    self.a.mov(eax, dword_ptr(rcx + from))?;
                    self.a.and(eax, 1)?;
                    self.a.neg(eax)?;
                    self.a.mov(dword_ptr(r15 + 4 * slot), eax)?;
                }
                Class::Word => {
                    self.a.vpbroadcastd(ymm0, dword_ptr(rcx + from))?;
                    for strip in 0..4 {
                        self.a.vmovdqu(ymmword_ptr(r12 + (128 * slot + 32 * strip)), ymm0)?;
                    }
                }
                Class::Long => {
                    self.a.vpbroadcastq(ymm0, qword_ptr(rcx + from))?;
                    for strip in 0..8 {
                        self.a.vmovdqu(ymmword_ptr(r13 + (256 * slot + 32 * strip)), ymm0)?;
                    }
                }
            }
        }
        Ok(())
    }

    /// What lies behind the segments.
    pub(super) fn epilogue(&mut self) -> Result {
        let (mut meet, mut turn, switch) = (self.a.create_label(), self.a.create_label(), self.a.create_label());
        for stub in std::mem::take(&mut self.stubs) {
            match stub {
                Stub::Exit { mut label, pc, follows } => {
                    self.a.set_label(&mut label)?;
                    self.a.mov(dword_ptr(rbx + field!(pc)), pc)?;
                    match self.labels.get(&(pc + 1, Form::Full)).filter(|_| follows == Follows::State) {
                        Some(&behind) => self.a.lea(rsi, qword_ptr(behind))?,
                        None => self.a.xor(esi, esi)?,
                    }
                    self.a.jmp(match follows {
                        Follows::Nothing => self.go_on,
                        Follows::State => meet,
                        Follows::Warp => turn,
                    })?;
                }
                Stub::Pattern { mut label, back, number, check } => {
                    self.a.set_label(&mut label)?;
                    self.call_for_pattern(number)?;
                    if let Some((key, fail)) = check {
                        self.check_pattern(number, key, fail)?;
                    }
                    self.a.jmp(back)?;
                }
                Stub::Refill { mut label, retry, fail, extent, salt, writes } => {
                    self.a.set_label(&mut label)?;
                    // The address is kept in the first word of the stack, which belongs to no value.
                    self.a.mov(qword_ptr(rsp), rax)?;
                    self.a.mov(rdi, qword_ptr(rbx + field!(user)))?;
                    self.a.mov(rsi, rax)?;
                    self.a.mov(rdx, extent)?;
                    self.a.mov(ecx, salt)?;
                    self.a.mov(iced_x86::code_asm::r8d, u32::from(writes))?;
                    // Instructions of 128 bits would wait for what the wide registers get last, a load perhaps.
                    self.a.vzeroupper()?;
                    self.a.call(qword_ptr(rbx + field!(refill)))?;
                    self.a.test(al, al)?;
                    self.a.mov(rax, qword_ptr(rsp))?;
                    self.a.jne(retry)?;
                    self.a.jmp(fail)?;
                }
            }
        }
        let mut done = self.a.create_label();
        let (mut go_on, mut left) = (self.go_on, self.left);
        self.a.set_label(&mut left)?;
        self.a.mov(eax, 1u32)?;
        self.a.jmp(done)?;
        self.a.set_label(&mut turn)?;
        self.begin_next_warp()?;
        // A warp that has ended keeps no other waiting, and comes to no barrier.
        let mut noted = self.a.create_label();
        self.a.mov(rcx, qword_ptr(rbx + field!(first)))?;
        self.a.test(rcx, rcx)?;
        self.a.je(noted)?;
        self.a.mov(dword_ptr(rcx + field!(one_ended)), 1u32)?;
        self.a.set_label(&mut noted)?;
        self.a.mov(rdx, qword_ptr(rbx + field!(budget)))?;
        self.a.mov(rdi, qword_ptr(rbx + field!(next)))?;
        self.a.test(rdi, rdi)?;
        self.a.jne(switch)?;
        self.a.jmp(go_on)?;
        self.a.set_label(&mut meet)?;
        self.go_on_with_next(switch)?;
        self.a.set_label(&mut go_on)?;
        self.a.xor(eax, eax)?;
        self.a.set_label(&mut done)?;
        self.a.mov(rcx, qword_ptr(rsp + FIRST))?;
        self.a.mov(edx, dword_ptr(rbx + field!(number)))?;
        self.a.mov(dword_ptr(rcx + field!(returned)), edx)?;
        self.a.vzeroupper()?;
        self.a.mov(rsp, qword_ptr(rsp + CALLER))?;
        for register in [r15, r14, r13, r12, rbp, rbx] {
            self.a.pop(register)?;
        }
        self.a.ret()?;
        let mut expand = self.expander;
        self.a.set_label(&mut expand)?;
        self.expand()?;
        self.a.ret()?;
        let mut pool = self.pool;
        self.a.set_label(&mut pool)?;
        // A label needs something behind it.
        self.a.db(&[0])?;
        Ok(())
    }

    /// The code, and how far each segment is from its beginning in each form.
    pub(super) fn assemble(mut self) -> Result<(Vec<u8>, Vec<[u32; 2]>)> {
        let result = self.a.assemble_options(0x10_0000, BlockEncoderOptions::RETURN_NEW_INSTRUCTION_OFFSETS)?;
        let mut code = result.inner.code_buffer.clone();
        self.append_constants(&mut code, result.inner.new_instruction_offsets[self.loads_pool] as usize)?;
        let place = |pc: u32, form: Form| -> Result<u32> {
            let begin = self.begin.as_ref().filter(|_| (pc, form) == (0, Form::Full));
            let label = begin.or(self.labels.get(&(pc, form))).ok_or(CompileError::Encoding("no label".to_owned()))?;
            Ok((result.label_ip(label)? - 0x10_0000) as u32)
        };
        let offsets = self.routine.segments.iter().map(|s| Ok([place(s.pc, Form::Full)?, place(s.pc, Form::Partial)?]));
        let offsets = offsets.collect::<Result<Vec<_>>>()?;
        Ok((code, offsets))
    }

    /// Appends the constants at the beginning of a line of the cache, and has the instruction at `lea` load where they are.
    fn append_constants(&self, code: &mut Vec<u8>, lea: usize) -> Result {
        let pool = code.len().next_multiple_of(64);
        code.resize(pool, 0);
        code.extend(self.constants.iter().flatten());
        // A prefix, the operation and its operands, then the distance from behind the instruction.
        let (at, end) = (lea + 3, lea + 7);
        let wrong = || CompileError::Encoding("the place of the constants".to_owned());
        let distance = i32::try_from(pool - end).map_err(|_| wrong())?;
        code.get_mut(at..end).ok_or_else(wrong)?.copy_from_slice(&distance.to_le_bytes());
        Ok(())
    }

    /// The label of code that returns to the interpreter at `pc`.
    pub(super) fn exit(&mut self, pc: u32) -> CodeLabel {
        self.exit_of(pc, Follows::Nothing)
    }

    pub(super) fn exit_of(&mut self, pc: u32, follows: Follows) -> CodeLabel {
        if let Some(&label) = self.exits.get(&(pc, follows)) {
            return label;
        }
        let label = self.a.create_label();
        self.exits.insert((pc, follows), label);
        self.stubs.push(Stub::Exit { label, pc, follows });
        label
    }
}
