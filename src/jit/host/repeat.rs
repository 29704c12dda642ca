//! Loops of one block, many iterations without a check.
//!
//! The addresses of such a loop often grow by a constant from one iteration to the next. Then it is known how many iterations stay
//! inside the memory where the first one's words were found, within the budget, and within what may be polled. So many run with
//! nothing but the operations and the loop's own test. What is left, and every loop that is none of these, runs as any block.
//!
//! While they run, `r14` counts the iterations that are left, and the bytes that addresses have grown by are in registers; budget, polls
//! and writes wait on the stack. Nothing in them can leave the code.

use super::access::Place;
use super::emit::{Emitter, Late, OFFSET, Progress, REPEAT, Result, STATEMENTS};
use super::packed::packing;
use super::registers::Gpr;
use super::state::Site;
use super::walks::{LARGEST_STEP, Narrow, Step, Walk, address_of, steps, walks};
use super::{Address, Block, Operation, Register, Terminator};
use crate::emit::CompileError;
use iced_x86::code_asm::{AsmRegister64, CodeLabel, eax, ecx, edx, qword_ptr, r14, r15, r15d, rax, rbp, rcx, rdx, rsp};
use std::mem::offset_of;

/// Iterations of one go at most, so that products with steps stay small.
const MOST: u32 = 1 << 20;

/// Fewer iterations are not worth the preparation.
const FEWEST: u32 = 4;

/// Where the first word of an access is while the iterations run.
#[derive(Clone, Copy)]
enum Base {
    Register(AsmRegister64),
    Stack(i32),
}

/// Places on the stack: `rdx` or `rcx` for a while, and what is kept while the iterations run.
const SPILL: i32 = OFFSET;
const ITERATIONS: i32 = REPEAT;
const BUDGET: i32 = REPEAT + 8;
const POLLS: i32 = REPEAT + 16;
const WRITES: i32 = REPEAT + 24;
/// Of steps that are registers, two at most.
const STEPS: i32 = REPEAT + 32;
pub(super) const BASES: i32 = REPEAT + 48;

impl Emitter<'_> {
    /// Runs as many iterations as are sure if the block is such a loop, and goes on behind them; else falls through. The sites of the
    /// block are those from the next on.
    pub(super) fn repeat(&mut self, block: &Block, total: Progress, late: Option<Late>) -> Result {
        let Some((walks, narrow)) = walks(block) else { return Ok(()) };
        let mut one = self.a.create_label();
        let first_site = self.sites.len();
        for (i, step) in steps(&walks).into_iter().enumerate() {
            if let Step::Register(register, factor) = step {
                self.step_of_register(register, factor, one)?;
                self.a.mov(qword_ptr(rsp + (STEPS + 8 * i as i32)), rax)?;
            }
        }
        self.a.mov(edx, MOST)?;
        self.bound_by_counters(total, one)?;
        for narrow in &narrow {
            self.bound_narrow(narrow, one)?;
        }
        for (i, walk) in walks.iter().enumerate() {
            let address = address_of(&block.body[walk.at].operation);
            self.bound_by_site(address, walk, first_site + i, i, one)?;
        }
        self.a.cmp(edx, FEWEST)?;
        self.a.jb(one)?;
        if let Some(packing) = packing(block, late, &walks) {
            self.packed(block, total, &walks, &packing)?;
        }
        self.a.mov(qword_ptr(rsp + ITERATIONS), rdx)?;
        self.a.mov(qword_ptr(rsp + BUDGET), r14)?;
        self.a.mov(qword_ptr(rsp + POLLS), r15)?;
        self.a.mov(qword_ptr(rsp + WRITES), rbp)?;
        self.a.mov(r14, rdx)?;
        self.iterations(block, total, late, &walks)?;
        self.a.set_label(&mut one)?;
        self.a.nop()?;
        Ok(())
    }

    /// Lowers `edx` to the iterations that budget and polls allow.
    fn bound_by_counters(&mut self, total: Progress, one: CodeLabel) -> Result {
        if total.points > 0 {
            self.a.mov(rcx, r14)?;
            self.bound(total.points)?;
        }
        if total.stores == 0 && total.loads > 0 {
            // Before the last back edge, fewer than the quantum.
            let mut none = self.a.create_label();
            self.a.mov(ecx, self.routine.poll_quantum.saturating_sub(1))?;
            self.a.sub(ecx, r15d)?;
            self.a.jns(none)?;
            self.a.xor(ecx, ecx)?;
            self.a.set_label(&mut none)?;
            self.bound(total.loads)?;
        } else if total.stores == 0 {
            self.a.cmp(r15d, self.routine.poll_quantum as i32)?;
            self.a.jae(one)?;
        }
        Ok(())
    }

    /// Lowers `edx` to the largest number of which `by` times is at most `rcx`; `rax` and `rcx` are lost.
    fn bound(&mut self, by: u32) -> Result {
        let mut fits = self.a.create_label();
        self.a.imul_3(rax, rdx, by as i32)?;
        self.a.cmp(rax, rcx)?;
        self.a.jbe(fits)?;
        self.a.mov(rax, rcx)?;
        if by.is_power_of_two() {
            self.a.shr(rax, by.trailing_zeros())?;
        } else {
            self.a.xor(edx, edx)?;
            self.a.mov(ecx, by)?;
            self.a.div(rcx)?;
        }
        self.a.mov(edx, eax)?;
        self.a.set_label(&mut fits)?;
        self.a.nop()?;
        Ok(())
    }

    /// Puts a step into `rax`; goes to `one` if it is not positive, or too large.
    fn step_of_register(&mut self, register: Register, factor: i64, one: CodeLabel) -> Result {
        let of = self.signed(register)?;
        self.a.mov(rax, of.q)?;
        // Smaller than the limit before and behind the product, which cannot overflow then.
        self.a.cmp(rax, LARGEST_STEP as i32)?;
        self.a.jge(one)?;
        self.a.cmp(rax, -(LARGEST_STEP as i32))?;
        self.a.jle(one)?;
        self.a.imul_3(rax, rax, factor as i32)?;
        self.a.test(rax, rax)?;
        self.a.jle(one)?;
        self.a.cmp(rax, LARGEST_STEP as i32)?;
        self.a.jge(one)?;
        Ok(())
    }

    /// Lowers `edx` to the largest number of which `rax` times, which is positive, is at most `rcx`; `rax` and `rcx` are lost.
    fn bound_by_register(&mut self) -> Result {
        let mut fits = self.a.create_label();
        self.a.xchg(rax, rcx)?;
        self.a.mov(qword_ptr(rsp + ITERATIONS), rdx)?;
        self.a.xor(edx, edx)?;
        self.a.div(rcx)?;
        self.a.mov(rdx, qword_ptr(rsp + ITERATIONS))?;
        self.a.cmp(rax, rdx)?;
        self.a.jae(fits)?;
        self.a.mov(rdx, rax)?;
        self.a.set_label(&mut fits)?;
        self.a.nop()?;
        Ok(())
    }

    /// Lowers `edx` so that a word of an address does not wrap.
    fn bound_narrow(&mut self, narrow: &Narrow, one: CodeLabel) -> Result {
        match narrow.step {
            Step::Register(step, factor) => {
                self.step_of_register(step, factor, one)?;
                self.a.mov(qword_ptr(rsp + SPILL), rax)?;
                let of = self.signed(narrow.register)?;
                self.a.mov(rax, i64::from(i32::MAX))?;
                self.a.sub(rax, of.q)?;
                self.a.sub(rax, qword_ptr(rsp + SPILL))?;
                self.a.js(one)?;
                self.a.mov(rcx, rax)?;
                self.a.mov(rax, qword_ptr(rsp + SPILL))?;
                self.bound_by_register()
            }
            Step::Constant(step) => {
                let of = self.signed(narrow.register)?;
                if step > 0 {
                    self.a.mov(rax, i64::from(i32::MAX) - step)?;
                    self.a.sub(rax, of.q)?;
                } else {
                    self.a.mov(rax, i64::from(i32::MIN) - step)?;
                    self.a.neg(rax)?;
                    self.a.add(rax, of.q)?;
                }
                self.a.js(one)?;
                self.a.mov(rcx, rax)?;
                self.bound(step.unsigned_abs() as u32)
            }
        }
    }

    /// Lowers `edx` to the iterations whose words are where the first one's is, and keeps where that is. Goes to `one` if it is not
    /// known.
    fn bound_by_site(&mut self, address: &Address, walk: &Walk, site: usize, number: usize, one: CodeLabel) -> Result {
        // An address may need `rdx` for a factor.
        self.a.mov(qword_ptr(rsp + ITERATIONS), rdx)?;
        self.offset(address)?;
        self.a.mov(rdx, qword_ptr(rsp + ITERATIONS))?;
        if walk.ahead != 0 {
            self.a.add(rax, walk.ahead as i32)?;
        }
        self.a.sub(rax, self.site(site, offset_of!(Site, low)))?;
        self.a.mov(rcx, self.site(site, offset_of!(Site, room)))?;
        self.a.cmp(rax, rcx)?;
        self.a.jae(one)?;
        if matches!(walk.step, Step::Constant(..0)) {
            self.a.mov(rcx, rax)?;
        } else {
            self.a.sub(rcx, rax)?;
            self.a.sub(rcx, 1)?;
        }
        self.a.add(rax, self.site(site, offset_of!(Site, place)))?;
        self.a.mov(qword_ptr(rsp + (BASES + 8 * number as i32)), rax)?;
        // The last of `n` iterations is `n - 1` steps on; one less than that many is safe too.
        match walk.step {
            Step::Constant(0) => Ok(()),
            Step::Constant(step) => self.bound(step.unsigned_abs() as u32),
            Step::Register(register, factor) => {
                self.a.mov(qword_ptr(rsp + SPILL), rcx)?;
                let of = self.signed(register)?;
                self.a.imul_3(rax, of.q, factor as i32)?;
                self.a.mov(rcx, qword_ptr(rsp + SPILL))?;
                self.bound_by_register()
            }
        }
    }

    /// The iterations, and what comes behind them.
    fn iterations(&mut self, block: &Block, total: Progress, late: Option<Late>, walks: &[Walk]) -> Result {
        let mut free: Vec<AsmRegister64> = self.homes.free().map(|gpr: Gpr| gpr.q).chain([rbp, r15]).collect();
        // There are registers for as many steps as `walks` allows.
        let steps: Vec<(Step, AsmRegister64)> =
            steps(walks).into_iter().map_while(|step| Some((step, free.pop()?))).collect();
        let mut bases = Vec::new();
        for number in 0..walks.len() {
            let at = BASES + 8 * number as i32;
            match free.pop() {
                Some(register) => {
                    self.a.mov(register, qword_ptr(rsp + at))?;
                    bases.push(Base::Register(register));
                }
                None => bases.push(Base::Stack(at)),
            }
        }
        for &(_, register) in &steps {
            self.a.mov(register, 0i64)?;
        }
        let (mut top, mut go_on, mut done) = (self.a.create_label(), self.a.create_label(), self.a.create_label());
        self.a.set_label(&mut top)?;
        let mut accesses = walks.iter().zip(&bases);
        for (i, instruction) in block.body.iter().enumerate() {
            match &instruction.operation {
                Operation::Compute { .. } if late.is_some_and(|late| late.at == i) => {}
                Operation::Compute { formula, result, operands } => self.compute(*formula, *result, operands)?,
                Operation::Load { bytes, result, .. } => {
                    let Some((walk, base)) = accesses.next() else { return Err(no_walk()) };
                    let place = self.place(walk, *base, &steps)?;
                    self.load_at(*bytes, *result, place)?;
                }
                Operation::Store { bytes, value, .. } => {
                    let Some((walk, base)) = accesses.next() else { return Err(no_walk()) };
                    let place = self.place(walk, *base, &steps)?;
                    self.store_at(*bytes, *value, place)?;
                }
                // A block with a service is not repeated.
                Operation::Serve { .. } | Operation::Statement | Operation::BackEdge => {}
            }
        }
        for (i, &(step, register)) in steps.iter().enumerate() {
            match step {
                Step::Constant(step) => self.a.add(register, step as i32)?,
                Step::Register(..) => self.a.add(register, qword_ptr(rsp + (STEPS + 8 * i as i32)))?,
            }
        }
        let Terminator::Branch { condition, then_pc, else_pc, .. } = block.end else { return Err(no_walk()) };
        let stays = then_pc == block.pc;
        let (yes, no) = if stays { (go_on, done) } else { (done, go_on) };
        match late {
            Some(late) => {
                self.compare(late.op, late.ty, late.operands)?;
                self.jump_if(late.op, late.ty, yes, no)?;
            }
            None => {
                self.test(condition)?;
                self.a.jne(yes)?;
                self.a.jmp(no)?;
            }
        }
        self.a.set_label(&mut go_on)?;
        self.a.sub(r14, 1)?;
        self.a.jne(top)?;
        // As many as were sure: the block goes on one by one, or with as many again.
        self.a.mov(rax, qword_ptr(rsp + ITERATIONS))?;
        self.settle_counters(total)?;
        let again = self.target(block.pc);
        self.a.jmp(again)?;
        self.a.set_label(&mut done)?;
        self.a.mov(rax, qword_ptr(rsp + ITERATIONS))?;
        self.a.sub(rax, r14)?;
        self.a.add(rax, 1)?;
        self.settle_counters(total)?;
        let out = self.target(if stays { else_pc } else { then_pc });
        self.a.jmp(out)?;
        Ok(())
    }

    /// Sets budget, polls, writes and statements behind the iterations of which there were as many as `rax` says.
    fn settle_counters(&mut self, total: Progress) -> Result {
        self.a.mov(r14, qword_ptr(rsp + BUDGET))?;
        self.a.mov(r15, qword_ptr(rsp + POLLS))?;
        self.a.mov(rbp, qword_ptr(rsp + WRITES))?;
        self.a.imul_3(rcx, rax, total.points as i32)?;
        self.a.sub(r14, rcx)?;
        if total.statements > 0 {
            self.a.imul_3(rcx, rax, total.statements as i32)?;
            self.a.add(qword_ptr(rsp + STATEMENTS), rcx)?;
        }
        if total.stores > 0 {
            self.a.imul_3(rcx, rax, total.stores as i32)?;
            self.a.add(rbp, rcx)?;
            self.a.mov(r15d, total.loads)?;
        } else if total.loads > 0 {
            self.a.imul_3(ecx, eax, total.loads as i32)?;
            self.a.add(r15d, ecx)?;
        }
        Ok(())
    }

    /// Where the word of an access is in this iteration; `rax` may be lost.
    fn place(&mut self, walk: &Walk, base: Base, steps: &[(Step, AsmRegister64)]) -> Result<Place> {
        let base = match base {
            Base::Register(register) => register,
            Base::Stack(at) => {
                self.a.mov(rax, qword_ptr(rsp + at))?;
                rax
            }
        };
        Ok((base, steps.iter().find(|s| s.0 == walk.step).map(|s| s.1)))
    }
}

/// The loop is not what it was taken for: a fault of the compiler.
fn no_walk() -> CompileError {
    CompileError::Encoding("a loop with other accesses".to_owned())
}
