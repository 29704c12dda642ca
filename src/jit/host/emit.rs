//! Blocks, entries and exits.
//!
//! The code of a routine is one function that jumps to the entry that its caller names. The entry of a block loads the registers of
//! its nest; an exit writes them back. A block checks the budget for all of its schedule points when it begins, and counts them
//! when it ends; an exit in its midst counts those that were passed.

use super::registers::{GPRS, Home, Homes, RAX, RCX, RDX, XMMS};
use super::state::{HostCode, HostState, SiteInfo, evaluate};
use super::{Block, Formula, HostRoutine, Nest, Operand, Operation, Register, Terminator};
use crate::code::{Entry, Pages};
use crate::emit::{CompileError, is_available};
use crate::segment::Class;
use iced_x86::BlockEncoderOptions;
use iced_x86::code_asm::{
    AsmMemoryOperand, CodeAssembler, CodeLabel, al, dword_ptr, eax, ecx, edx, esi, qword_ptr, r8, r12, r13, r14, r15,
    r15d, rax, rbp, rbx, rcx, rdi, rdx, rsi, rsp, xmm0,
};
use ir::Ty;
use ir::op::{BinOp, CmpOp};
use std::collections::{BTreeMap, BTreeSet};
use std::mem::{offset_of, size_of};

pub(super) type Result<T = ()> = std::result::Result<T, CompileError>;

/// Bytes of the stack that the code has for itself; with the six saved registers and the return address a multiple of 16.
const FRAME: i32 = PACKED + 8 * PACKED_WORDS as i32 + 8;
/// Places of the frame: the state, an address during a call, the number of a formula, statements begun, the saved registers, and what
/// loops need.
pub(super) const STATE: i32 = 0;
pub(super) const OFFSET: i32 = 8;
pub(super) const FORMULA: i32 = 16;
pub(super) const STATEMENTS: i32 = 24;
pub(super) const SAVED: i32 = 32;
pub(super) const REPEAT: i32 = SAVED + 8 * (GPRS.len() + XMMS.len()) as i32;
/// Words from [`REPEAT`] on: some counters, and a place for each access of a loop, of which more are not repeated.
pub(super) const REPEAT_WORDS: usize = 103;
/// Behind them: what vector loops need.
pub(super) const PACKED: i32 = REPEAT + 8 * REPEAT_WORDS as i32;
/// Words from [`PACKED`] on: two counters, and 24 vectors that are the same in all iterations.
pub(super) const PACKED_WORDS: usize = 2 + 24 * 4;

// With the six saved registers and the return address a multiple of 16.
const _: () = assert!(FRAME % 16 == 8);

/// Offset of a field of the state.
macro_rules! field {
    ($($name:tt)+) => { offset_of!(HostState, $($name)+) as i32 };
}
pub(super) use field;

/// What of a block was done before one of its operations.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Progress {
    pub(super) points: u32,
    pub(super) stores: u32,
    /// Loads since the last store, or all if there was none.
    pub(super) loads: u32,
    pub(super) statements: u32,
}

/// A comparison that is done where its predicate is used, and the predicate.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Late {
    /// Its place in the block.
    pub(super) at: usize,
    /// The operation of the block behind which the predicate is missing.
    from: usize,
    pub(super) op: CmpOp,
    pub(super) ty: Ty,
    pub(super) operands: [Operand; 2],
    pub(super) result: Register,
}

/// Code that lies behind the blocks of a nest.
pub(super) enum Stub {
    /// Returns to the interpreter, which goes on at an operation.
    Exit { label: CodeLabel, pc: u32, progress: Progress, late: Option<Late> },
    /// Goes on with a block of another nest.
    Cross { label: CodeLabel, pc: u32 },
    /// Fills a site for the offset in `rax` and tries again.
    Refill { label: CodeLabel, retry: CodeLabel, fail: CodeLabel, site: usize },
    /// Evaluates a formula; the result is in `xmm0`, or in `rax` too if it is no real.
    Evaluate { label: CodeLabel, back: CodeLabel, formula: Formula, operands: Vec<Operand> },
}

pub(super) struct Emitter<'a> {
    pub(super) a: CodeAssembler,
    pub(super) routine: &'a HostRoutine,
    labels: BTreeMap<u32, CodeLabel>,
    thunks: Vec<(u32, CodeLabel)>,
    /// By the first operation of each block, where the registers of its nest are loaded; it goes to `rax` then.
    enters: BTreeMap<u32, CodeLabel>,
    /// The blocks of the nest that is emitted.
    here: BTreeSet<u32>,
    pub(super) homes: Homes,
    pub(super) stubs: Vec<Stub>,
    formulas: Vec<Formula>,
    pub(super) sites: Vec<SiteInfo>,
    /// Where the nest's registers are written back, and the state; the operation is in `eax`.
    leave: CodeLabel,
    /// The same of a nest that goes on with another, whose entry is in `rdx`.
    cross: CodeLabel,
    finish: CodeLabel,
    refill: CodeLabel,
    evaluate: CodeLabel,
    serving: CodeLabel,
    /// Of the block that is emitted: what was done, and the comparison that is still to be done.
    pub(super) progress: Progress,
    pub(super) late: Option<Late>,
}

/// Makes machine code of the loops of a function.
///
/// # Errors
/// If the processor lacks instructions that the code uses, or the system forbids executable memory. The interpreter does it then.
pub fn compile(routine: &HostRoutine) -> Result<HostCode> {
    if !is_available() {
        return Err(CompileError::Unsupported("the processor has no AVX2"));
    }
    let mut a = CodeAssembler::new(64)?;
    let mut label = || a.create_label();
    let (leave, cross, finish, refill, evaluate, serving) = (label(), label(), label(), label(), label(), label());
    let of_nest = |nest: &Nest, enter: CodeLabel| nest.blocks.iter().map(|b| (b.pc, enter)).collect::<Vec<_>>();
    let enters = routine.nests.iter().flat_map(|nest| of_nest(nest, label())).collect();
    let labels = routine.nests.iter().flat_map(|n| &n.blocks).map(|b| (b.pc, label())).collect();
    let mut emitter = Emitter {
        a,
        routine,
        labels,
        thunks: Vec::new(),
        enters,
        here: BTreeSet::new(),
        homes: Homes::default(),
        stubs: Vec::new(),
        formulas: Vec::new(),
        sites: Vec::new(),
        leave,
        cross,
        finish,
        refill,
        evaluate,
        serving,
        progress: Progress::default(),
        late: None,
    };
    emitter.prologue()?;
    for nest in &routine.nests {
        emitter.nest(nest)?;
    }
    emitter.epilogue()?;
    emitter.assemble()
}

impl Emitter<'_> {
    fn prologue(&mut self) -> Result {
        let a = &mut self.a;
        for register in [rbx, rbp, r12, r13, r14, r15] {
            a.push(register)?;
        }
        a.sub(rsp, FRAME)?;
        a.mov(qword_ptr(rsp + STATE), rdi)?;
        a.mov(rbx, qword_ptr(rdi + field!(sites)))?;
        a.mov(r12, qword_ptr(rdi + field!(words)))?;
        a.mov(r13, qword_ptr(rdi + field!(longs)))?;
        a.mov(r14, qword_ptr(rdi + field!(budget)))?;
        a.mov(r15d, dword_ptr(rdi + field!(polls)))?;
        a.mov(rbp, qword_ptr(rdi + field!(writes)))?;
        a.mov(rax, qword_ptr(rdi + field!(statements)))?;
        a.mov(qword_ptr(rsp + STATEMENTS), rax)?;
        a.jmp(rsi)?;
        Ok(())
    }

    /// What all nests share.
    fn epilogue(&mut self) -> Result {
        let (mut finish, mut refill, mut evaluating) = (self.finish, self.refill, self.evaluate);
        let mut serving = self.serving;
        let a = &mut self.a;
        a.set_label(&mut finish)?;
        a.mov(rdi, qword_ptr(rsp + STATE))?;
        a.mov(dword_ptr(rdi + field!(pc)), eax)?;
        a.mov(qword_ptr(rdi + field!(budget)), r14)?;
        a.mov(dword_ptr(rdi + field!(polls)), r15d)?;
        a.mov(qword_ptr(rdi + field!(writes)), rbp)?;
        a.mov(rax, qword_ptr(rsp + STATEMENTS))?;
        a.mov(qword_ptr(rdi + field!(statements)), rax)?;
        a.add(rsp, FRAME)?;
        for register in [r15, r14, r13, r12, rbp, rbx] {
            a.pop(register)?;
        }
        a.ret()?;
        // Subroutines: the stack has a return address more. The address is in `rdx`, the number of the site in `ecx`.
        a.set_label(&mut refill)?;
        self.save(true)?;
        let a = &mut self.a;
        a.mov(rsi, rdx)?;
        a.mov(edx, ecx)?;
        a.mov(rax, qword_ptr(rsp + (8 + STATE)))?;
        a.mov(rdi, qword_ptr(rax + field!(user)))?;
        a.sub(rsp, 8)?;
        a.call(qword_ptr(rax + field!(refill)))?;
        a.add(rsp, 8)?;
        self.save(false)?;
        let a = &mut self.a;
        a.test(al, al)?;
        a.ret()?;
        // The operation is in `ecx`.
        a.set_label(&mut serving)?;
        self.save(true)?;
        let a = &mut self.a;
        a.mov(esi, ecx)?;
        a.mov(rax, qword_ptr(rsp + (8 + STATE)))?;
        a.mov(rdi, qword_ptr(rax + field!(user)))?;
        a.lea(rdx, qword_ptr(rax + field!(served)))?;
        a.sub(rsp, 8)?;
        a.call(qword_ptr(rax + field!(serve)))?;
        a.add(rsp, 8)?;
        self.save(false)?;
        let a = &mut self.a;
        a.test(al, al)?;
        a.ret()?;
        // The operands are in `rax`, `rcx` and `rdx`; the result comes in `rax`.
        a.set_label(&mut evaluating)?;
        self.save(true)?;
        let a = &mut self.a;
        a.mov(rdi, qword_ptr(rsp + (8 + STATE)))?;
        a.mov(rdi, qword_ptr(rdi + field!(formulas)))?;
        a.mov(r8, qword_ptr(rsp + (8 + FORMULA)))?;
        a.imul_3(r8, r8, size_of::<Formula>() as i32)?;
        a.add(rdi, r8)?;
        a.mov(rsi, rax)?;
        a.xchg(rcx, rdx)?;
        a.mov(rax, evaluate as *const () as u64)?;
        a.sub(rsp, 8)?;
        a.call(rax)?;
        a.add(rsp, 8)?;
        self.save(false)?;
        self.a.ret()?;
        Ok(())
    }

    /// Saves the homes of registers for a call in a subroutine, or restores them.
    fn save(&mut self, is_before: bool) -> Result {
        let place = |i: usize| qword_ptr(rsp + (8 + SAVED + 8 * i as i32));
        for (i, gpr) in GPRS.iter().enumerate() {
            if is_before { self.a.mov(place(i), gpr.q)? } else { self.a.mov(gpr.q, place(i))? }
        }
        for (i, &xmm) in XMMS.iter().enumerate() {
            let at = place(GPRS.len() + i);
            if is_before { self.a.vmovsd(at, xmm)? } else { self.a.vmovsd(xmm, at)? }
        }
        Ok(())
    }

    fn assemble(mut self) -> Result<HostCode> {
        let result = self.a.assemble_options(0x10_0000, BlockEncoderOptions::RETURN_NEW_INSTRUCTION_OFFSETS)?;
        let entries =
            self.thunks.iter().map(|(pc, label)| Ok((*pc, Entry((result.label_ip(label)? - 0x10_0000) as u32))));
        let mut entries = entries.collect::<Result<Vec<_>>>()?;
        entries.sort_unstable_by_key(|e| e.0);
        let pages = Pages::new(&result.inner.code_buffer).ok_or(CompileError::Forbidden)?;
        Ok(HostCode { pages, entries, formulas: self.formulas, sites: self.sites, first_site: self.routine.first_site })
    }

    fn nest(&mut self, nest: &Nest) -> Result {
        let lates: BTreeMap<u32, Late> =
            nest.blocks.iter().filter_map(|block| Some((block.pc, late_comparison(block)?))).collect();
        let skipped: BTreeSet<(u32, usize)> = lates.iter().map(|(&pc, late)| (pc, late.at)).collect();
        self.here = nest.blocks.iter().map(|block| block.pc).collect();
        self.homes = Homes::new(nest, &skipped);
        self.leave = self.a.create_label();
        self.cross = self.a.create_label();
        let Some(mut enter) = nest.blocks.first().and_then(|first| self.enters.get(&first.pc).copied()) else {
            return Ok(());
        };
        for block in &nest.blocks {
            let mut thunk = self.a.create_label();
            self.a.set_label(&mut thunk)?;
            let label = self.label(block.pc)?;
            self.a.lea(rax, qword_ptr(label))?;
            self.a.jmp(enter)?;
            self.thunks.push((block.pc, thunk));
        }
        self.a.set_label(&mut enter)?;
        self.load_homes()?;
        self.a.jmp(rax)?;
        for block in &nest.blocks {
            self.block(block, lates.get(&block.pc).copied())?;
        }
        for stub in std::mem::take(&mut self.stubs) {
            self.stub(stub)?;
        }
        let mut leave = self.leave;
        self.a.set_label(&mut leave)?;
        self.write_homes()?;
        self.a.jmp(self.finish)?;
        let mut cross = self.cross;
        self.a.set_label(&mut cross)?;
        self.write_homes()?;
        self.a.jmp(rdx)?;
        Ok(())
    }

    fn label(&self, pc: u32) -> Result<CodeLabel> {
        self.labels.get(&pc).copied().ok_or(CompileError::Encoding("no label".to_owned()))
    }

    /// Where a register is in the frame; that of a predicate is loaded into `rcx` first.
    pub(super) fn frame_place(&mut self, register: Register) -> Result<AsmMemoryOperand> {
        Ok(match register.class {
            Class::Long => qword_ptr(r13 + 8 * register.slot as i32),
            Class::Word => dword_ptr(r12 + 4 * register.slot as i32),
            Class::Pred | Class::Scalar => {
                self.a.mov(rcx, qword_ptr(rsp + STATE))?;
                self.a.mov(rcx, qword_ptr(rcx + field!(preds)))?;
                dword_ptr(rcx + 4 * register.slot as i32)
            }
        })
    }

    fn load_homes(&mut self) -> Result {
        for (bits, xmm) in self.homes.constants().to_vec() {
            self.a.mov(rcx, bits)?;
            self.a.vmovq(xmm, rcx)?;
        }
        for (register, home, _) in self.homes.kept().collect::<Vec<_>>() {
            let place = self.frame_place(register)?;
            match (home, register.class) {
                (Home::General(to), Class::Long) => self.a.mov(to.q, place)?,
                (Home::General(to), class) => {
                    self.a.mov(to.d, place)?;
                    if class == Class::Pred {
                        self.a.and(to.d, 1)?;
                    }
                }
                (Home::Vector(to), Class::Long) => self.a.vmovsd(to, place)?,
                (Home::Vector(to), _) => self.a.vmovss(to, place)?,
                (Home::Frame, _) => {}
            }
        }
        Ok(())
    }

    fn write_homes(&mut self) -> Result {
        for (register, home, is_written) in self.homes.kept().collect::<Vec<_>>() {
            if !is_written {
                continue;
            }
            let place = self.frame_place(register)?;
            match (home, register.class) {
                (Home::General(from), Class::Long) => self.a.mov(place, from.q)?,
                (Home::General(from), _) => self.a.mov(place, from.d)?,
                (Home::Vector(from), Class::Long) => self.a.vmovsd(place, from)?,
                (Home::Vector(from), _) => self.a.vmovss(place, from)?,
                (Home::Frame, _) => {}
            }
        }
        Ok(())
    }

    /// The label of an exit at an operation of the block, before which so much was done.
    pub(super) fn exit(&mut self, pc: u32) -> CodeLabel {
        let (progress, late) = (self.progress, self.late);
        let same = |stub: &Stub| match stub {
            Stub::Exit { label, pc: at, progress: p, late: l } if *at == pc && *p == progress && *l == late => {
                Some(*label)
            }
            _ => None,
        };
        if let Some(label) = self.stubs.iter().rev().take(8).find_map(same) {
            return label;
        }
        let label = self.a.create_label();
        self.stubs.push(Stub::Exit { label, pc, progress, late });
        label
    }

    fn stub(&mut self, stub: Stub) -> Result {
        match stub {
            Stub::Exit { mut label, pc, progress, late } => {
                self.a.set_label(&mut label)?;
                if let Some(late) = late {
                    self.compare(late.op, late.ty, late.operands)?;
                    self.set_truth(late.op, late.ty)?;
                    self.write(late.result, RAX)?;
                }
                self.count(progress)?;
                self.a.mov(eax, pc)?;
                self.a.jmp(self.leave)?;
            }
            Stub::Cross { mut label, pc } => {
                self.a.set_label(&mut label)?;
                let to = self.label(pc)?;
                let enter = self.enters.get(&pc).copied().ok_or(CompileError::Encoding("no label".to_owned()))?;
                self.a.lea(rax, qword_ptr(to))?;
                self.a.lea(rdx, qword_ptr(enter))?;
                self.a.jmp(self.cross)?;
            }
            Stub::Refill { mut label, retry, fail, site } => {
                self.a.set_label(&mut label)?;
                self.a.add(rax, self.site(site, offset_of!(super::Site, low)))?;
                self.a.mov(qword_ptr(rsp + OFFSET), rax)?;
                self.a.mov(rdx, self.sites[site].base)?;
                self.a.add(rdx, rax)?;
                self.a.mov(ecx, site as u32)?;
                self.a.call(self.refill)?;
                self.a.mov(rax, qword_ptr(rsp + OFFSET))?;
                self.a.jne(retry)?;
                self.a.jmp(fail)?;
            }
            Stub::Evaluate { mut label, back, formula, operands } => {
                self.a.set_label(&mut label)?;
                self.call_evaluator(formula, &operands)?;
                self.a.vmovq(xmm0, rax)?;
                self.a.jmp(back)?;
            }
        }
        Ok(())
    }

    /// Counts what was done of a block; the flags are lost.
    pub(super) fn count(&mut self, progress: Progress) -> Result {
        if progress.points > 0 {
            self.a.sub(r14, progress.points as i32)?;
        }
        if progress.statements > 0 {
            self.a.add(qword_ptr(rsp + STATEMENTS), progress.statements as i32)?;
        }
        if progress.stores > 0 {
            self.a.add(rbp, progress.stores as i32)?;
            self.a.mov(r15d, progress.loads)?;
        } else if progress.loads > 0 {
            self.a.add(r15d, progress.loads as i32)?;
        }
        Ok(())
    }

    /// A word of a site.
    pub(super) fn site(&self, number: usize, field: usize) -> AsmMemoryOperand {
        let at = (self.routine.first_site as usize + number) * size_of::<super::Site>() + field;
        qword_ptr(rbx + at as i32)
    }

    fn block(&mut self, block: &Block, late: Option<Late>) -> Result {
        let mut label = self.label(block.pc)?;
        self.a.set_label(&mut label)?;
        self.labels.insert(block.pc, label);
        (self.progress, self.late) = (Progress::default(), None);
        let total = totals(block);
        if total.points > 0 {
            let exit = self.exit(block.pc);
            self.a.cmp(r14, total.points as i32)?;
            self.a.jb(exit)?;
        }
        self.repeat(block, total, late)?;
        (self.progress, self.late) = (Progress::default(), None);
        for i in 0..block.body.len() {
            self.instruction(block, i, late)?;
        }
        self.count(self.progress)?;
        self.terminator(block, late)
    }

    /// Emits the operation of that number in its block, and notes what was done.
    fn instruction(&mut self, block: &Block, i: usize, late: Option<Late>) -> Result {
        let instruction = &block.body[i];
        let is_late = late.is_some_and(|late| late.at == i);
        match &instruction.operation {
            Operation::Compute { formula, result, operands } if !is_late => {
                self.compute(*formula, *result, operands)?;
            }
            Operation::Compute { .. } | Operation::Statement => {}
            Operation::Load { bytes, result, address } => {
                let fail = self.exit(instruction.pc);
                self.pointer(address, (*bytes, false), fail)?;
                self.load_at(*bytes, *result, (rax, None))?;
            }
            Operation::Store { bytes, value, address } => {
                let fail = self.exit(instruction.pc);
                self.pointer(address, (*bytes, true), fail)?;
                self.store_at(*bytes, *value, (rax, None))?;
            }
            Operation::Serve { result, operands } => {
                let fail = self.exit(instruction.pc);
                self.serve(instruction.pc, operands, fail)?;
                // A service is progress; what was done before is counted now.
                let done = std::mem::take(&mut self.progress);
                self.count(done)?;
                self.a.xor(r15d, r15d)?;
                if let Some(result) = result {
                    self.write(*result, RAX)?;
                }
            }
            Operation::BackEdge => {
                let Progress { stores, loads, .. } = self.progress;
                let quantum = self.routine.poll_quantum;
                if stores == 0 {
                    let fail = self.exit(instruction.pc);
                    self.a.cmp(r15d, quantum.saturating_sub(loads) as i32)?;
                    self.a.jae(fail)?;
                } else if loads >= quantum {
                    let fail = self.exit(instruction.pc);
                    self.a.jmp(fail)?;
                }
            }
        }
        self.progress = after(self.progress, &instruction.operation);
        if let Some(late) = late
            && i == late.from
        {
            self.late = Some(late);
        }
        Ok(())
    }

    /// Goes on with what follows a block.
    pub(super) fn terminator(&mut self, block: &Block, late: Option<Late>) -> Result {
        // Behind the block everything is counted.
        (self.progress, self.late) = (Progress::default(), None);
        match &block.end {
            Terminator::Jump(pc) => {
                let to = self.target(*pc);
                self.a.jmp(to)?;
            }
            Terminator::Branch { condition, then_pc, else_pc, .. } => {
                let (yes, no) = (self.target(*then_pc), self.target(*else_pc));
                match late {
                    Some(late) => {
                        self.compare(late.op, late.ty, late.operands)?;
                        self.jump_if(late.op, late.ty, yes, no)?;
                    }
                    None => {
                        self.test(*condition)?;
                        self.a.jne(yes)?;
                        self.a.jmp(no)?;
                    }
                }
            }
            Terminator::Switch { ty, value, arms, default } => {
                let of = self.read(*value, RAX)?;
                let value = match ty {
                    Ty::I64 => of,
                    Ty::I8 | Ty::I16 | Ty::I32 => {
                        // Narrower integers are zero-extended.
                        match ty {
                            Ty::I8 => self.a.movsx(rax, of.b)?,
                            Ty::I16 => self.a.movsx(rax, of.w)?,
                            _ => self.a.movsxd(rax, of.d)?,
                        }
                        RAX
                    }
                    Ty::Pred | Ty::F32 | Ty::F64 => return Err(CompileError::Unsupported("a switch")),
                };
                for &(arm, pc) in arms {
                    let to = self.target(pc);
                    if let Ok(small) = i32::try_from(arm) {
                        self.a.cmp(value.q, small)?;
                    } else {
                        self.a.mov(rcx, arm)?;
                        self.a.cmp(value.q, rcx)?;
                    }
                    self.a.je(to)?;
                }
                let to = self.target(*default);
                self.a.jmp(to)?;
            }
        }
        Ok(())
    }

    /// The label of what follows at an operation.
    pub(super) fn target(&mut self, pc: u32) -> CodeLabel {
        match self.labels.get(&pc) {
            Some(&label) if self.here.contains(&pc) => label,
            Some(_) if self.progress == Progress::default() && self.late.is_none() => {
                let label = self.a.create_label();
                self.stubs.push(Stub::Cross { label, pc });
                label
            }
            _ => self.exit(pc),
        }
    }

    /// Sets the flags by a predicate: not equal if it holds.
    pub(super) fn test(&mut self, condition: Operand) -> Result {
        let of = self.read(condition, RAX)?;
        self.a.test(of.d, 1)?;
        Ok(())
    }

    /// Has the service at an operation served; its result is in `rax`. Goes to `fail` if the interpreter has to do it.
    fn serve(&mut self, pc: u32, operands: &[Operand], fail: CodeLabel) -> Result {
        let word = |i: usize| qword_ptr(rcx + (field!(served) + 8 * i as i32));
        for (i, &operand) in operands.iter().enumerate() {
            let of = self.read(operand, RAX)?;
            self.a.mov(rcx, qword_ptr(rsp + STATE))?;
            self.a.mov(word(i), of.q)?;
        }
        self.a.mov(ecx, pc)?;
        self.a.call(self.serving)?;
        self.a.je(fail)?;
        self.a.mov(rcx, qword_ptr(rsp + STATE))?;
        self.a.mov(rax, word(0))?;
        Ok(())
    }

    /// Has the evaluator compute a formula into `rax`.
    pub(super) fn call_evaluator(&mut self, formula: Formula, operands: &[Operand]) -> Result {
        let number = self.formulas.iter().position(|f| *f == formula).unwrap_or_else(|| {
            self.formulas.push(formula);
            self.formulas.len() - 1
        });
        // A predicate of the frame is read by way of `rcx`, so that comes last.
        for (i, to) in [(2, RDX), (0, RAX), (1, RCX)] {
            if let Some(&operand) = operands.get(i) {
                self.read_into(operand, to)?;
            }
        }
        self.a.mov(qword_ptr(rsp + FORMULA), number as i32)?;
        self.a.call(self.evaluate)?;
        Ok(())
    }
}

/// All that a block does.
pub(super) fn totals(block: &Block) -> Progress {
    block.body.iter().fold(Progress::default(), |progress, instruction| after(progress, &instruction.operation))
}

/// What was done behind an operation.
pub(super) fn after(progress: Progress, operation: &Operation) -> Progress {
    let Progress { points, stores, loads, statements } = progress;
    match operation {
        Operation::Compute { .. } | Operation::Serve { .. } => progress,
        Operation::Load { .. } => Progress { points: points + 1, loads: loads + 1, ..progress },
        Operation::Store { .. } => Progress { points: points + 1, stores: stores + 1, loads: 0, ..progress },
        Operation::Statement => Progress { statements: statements + 1, ..progress },
        Operation::BackEdge => Progress { points: points + 1, ..progress },
    }
}

/// The register that an operation writes.
pub(super) fn written(operation: &Operation) -> Option<Register> {
    match operation {
        Operation::Compute { result, .. } | Operation::Load { result, .. } => Some(*result),
        Operation::Serve { result, .. } => *result,
        Operation::Store { .. } | Operation::Statement | Operation::BackEdge => None,
    }
}

/// The comparison of a block that only its branch uses and that can be done there.
///
/// An operand may be counted up in between if the comparison is for equality with a constant.
fn late_comparison(block: &Block) -> Option<Late> {
    let Terminator::Branch { condition: Operand::Register(result), is_last_use: true, .. } = block.end else {
        return None;
    };
    let at = block.body.iter().rposition(|i| written(&i.operation) == Some(result))?;
    let Operation::Compute { formula: Formula::Cmp(op, ty), operands, .. } = &block.body[at].operation else {
        return None;
    };
    let (op, ty, mut operands) = (*op, *ty, <[Operand; 2]>::try_from(&operands[..]).ok()?);
    if !super::operations::is_comparison(op, ty) {
        return None;
    }
    let mut from = at;
    for (i, instruction) in block.body.iter().enumerate().skip(at + 1) {
        if let Operation::Compute { operands, .. } = &instruction.operation
            && operands.contains(&Operand::Register(result))
        {
            return None;
        }
        let Some(register) = written(&instruction.operation) else { continue };
        if !operands.contains(&Operand::Register(register)) {
            continue;
        }
        let can_leave = |i: &super::Instruction| !matches!(i.operation, Operation::Compute { .. });
        if from != at || !matches!(op, CmpOp::Eq | CmpOp::Ne) || block.body[at..=i].iter().any(can_leave) {
            return None;
        }
        let Operation::Compute { formula: Formula::Bin(BinOp::Add, counted), operands: sum, .. } =
            &instruction.operation
        else {
            return None;
        };
        let (own, Operand::Constant(step)) = (sum.first()?, *sum.get(1)?) else { return None };
        let other = operands.iter_mut().find(|o| *o != own)?;
        let Operand::Constant(bound) = other else { return None };
        if *own != Operand::Register(register) || *counted != ty {
            return None;
        }
        *bound = ir::eval::eval_bin(BinOp::Add, ty, *bound, step);
        from = i;
    }
    Some(Late { at, from, op, ty, operands, result })
}
