//! From segments to machine code.
//!
//! A routine is one function. It begins with a prologue that saves registers and jumps to the entry that its caller names. Each
//! segment exists twice: for a warp of which all lanes run, and for one of which some do. Failed checks and calls lie behind all
//! segments.
//!
//! Registers: `rbx` the state, `r12` rows of 32 bits, `r13` rows of 64 bits, `r14` scalars, `r15` predicates, `rbp` the constants
//! of the code. `rax` is free between any two instructions; the others hold the places of accesses while strips are computed.
//! The stack has a word for each scalar value, spilled vectors and rows that wait to be stored.
//!
//! Not here: how a routine begins and ends (`frame`), the vector sequences of operations (`ops`, `narrow`, `conversions`) and their
//! instructions (`vector`), registers of a strip (`strip`), many iterations of a loop in one go (`iterations`), many warps (`straight`).

mod access;
mod body;
mod conversions;
mod frame;
mod indexed;
mod iterations;
mod loads;
mod narrow;
mod ops;
mod patterns;
mod reals;
mod scalars;
mod set;
mod stores;
mod straight;
mod strip;
mod vector;

pub use set::InstructionSet;

use crate::code::{Entry, NativeCode};
use crate::iterations::Iterations;
use crate::routine::Routine;
use crate::segment::{Class, Condition, End, Leave, Segment, Value, ValueId};
use crate::state::State;
use crate::straight::StraightLine;
use iced_x86::IcedError;
use iced_x86::code_asm::{
    CodeAssembler, CodeLabel, al, dword_ptr, eax, ecx, edx, esi, qword_ptr, rax, rbp, rbx, rdi, rsp,
};
use iced_x86::code_asm::{r14, r15};
use std::collections::BTreeMap;
use std::mem::offset_of;

/// Why a routine was not compiled.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum CompileError {
    /// It has an operation or an access that the compiler does not know.
    Unsupported(&'static str),
    /// A segment needs more room on the stack than a routine has.
    TooLarge,
    /// The encoder refused an instruction: a fault of the compiler.
    Encoding(String),
    /// The system does not allow memory to be made executable.
    Forbidden,
}

impl From<IcedError> for CompileError {
    fn from(error: IcedError) -> CompileError {
        CompileError::Encoding(error.to_string())
    }
}

type Result<T = ()> = std::result::Result<T, CompileError>;

/// Whether the processor has the instructions that compiled code uses.
pub fn is_available() -> bool {
    InstructionSet::best().is_some()
}

/// Whether the compiler knows the operation of a value. The interpreter does the others.
pub fn is_known(value: &Value) -> bool {
    if value.class() == Class::Scalar { scalars::is_known(value) } else { ops::is_known(value) }
}

/// Bytes of the stack that the code has for itself; the last 64 are not those of values.
const FRAME: i32 = 24 * 1024;

/// The two forms of a segment.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Form {
    /// All 32 lanes run.
    Full,
    /// Some do: [`State::mask`].
    Partial,
}

/// Offset of a field of the state.
macro_rules! field {
    ($($name:tt)+) => { offset_of!(State, $($name)+) as i32 };
}
use field;

/// Makes machine code of a routine, for the best instructions that the processor has.
///
/// # Errors
/// If it has something that the compiler does not know, or the system forbids executable memory. The interpreter does it then.
pub fn compile(routine: &Routine) -> Result<NativeCode> {
    let set = InstructionSet::best().ok_or(CompileError::Unsupported("the processor has no AVX2"))?;
    compile_for(routine, set)
}

/// Makes machine code of a routine, for an instruction set that the processor has.
///
/// # Errors
/// As [`compile`].
pub fn compile_for(routine: &Routine, set: InstructionSet) -> Result<NativeCode> {
    if routine.straight.is_some() {
        // Where it is too much at a time, segments do it.
        let code = emit(routine, set, Loops::InPairs, routine.straight.as_ref());
        if code.is_ok() {
            return code;
        }
    }
    let mut code = Err(CompileError::TooLarge);
    for loops in [Loops::InPairs, Loops::ByStrip, Loops::OneByOne] {
        code = emit(routine, set, loops, None);
        if !matches!(code, Err(CompileError::TooLarge)) {
            break;
        }
    }
    code
}

/// How loops of one segment are done, the fastest first; the others need fewer registers and less of the stack.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Loops {
    /// Many iterations as one transaction, of two strips at a time where that is faster.
    InPairs,
    /// Many iterations as one transaction, of one strip after the other.
    ByStrip,
    /// Each iteration by itself.
    OneByOne,
}

/// Makes the code.
fn emit(routine: &Routine, set: InstructionSet, loops: Loops, straight: Option<&StraightLine>) -> Result<NativeCode> {
    let mut emitter = Emitter::new(routine, set)?;
    emitter.in_pairs = loops == Loops::InPairs;
    emitter.prologue()?;
    if let Some(straight) = straight {
        emitter.begin_straight(straight)?;
    }
    for segment in &routine.segments {
        let iterations = if loops != Loops::OneByOne && !segment.is_call { Iterations::of(segment) } else { None };
        for form in [Form::Full, Form::Partial] {
            emitter.segment(segment, iterations.as_ref(), form)?;
        }
    }
    emitter.epilogue()?;
    let (bytes, offsets) = emitter.assemble()?;
    let entries = routine.segments.iter().zip(offsets).map(|(s, o)| (s.pc, o.map(Entry))).collect();
    NativeCode::new(&bytes, entries).ok_or(CompileError::Forbidden)
}

struct Emitter<'a> {
    a: CodeAssembler,
    /// The instructions that strips are made of.
    set: InstructionSet,
    /// Whether iterations of two strips may be done at a time.
    in_pairs: bool,
    routine: &'a Routine,
    /// The labels of the segments, by operation and form.
    labels: BTreeMap<(u32, Form), CodeLabel>,
    /// Where warps begin of which all lanes run, if not with a segment.
    begin: Option<CodeLabel>,
    stubs: Vec<frame::Stub>,
    /// Exits by operation, and what may follow.
    exits: BTreeMap<(u32, frame::Follows), CodeLabel>,
    /// Constants of 64 bytes or, in the first half, of 32.
    constants: Vec<[u8; 64]>,
    pool: CodeLabel,
    /// The instruction that loads the place of the constants, by its number.
    loads_pool: usize,
    go_on: CodeLabel,
    left: CodeLabel,
    expander: CodeLabel,
    /// How many bytes of the stack the current segment has taken.
    stack: i32,
    /// The salt of the last access.
    salt: u32,
}

/// What the parts of a segment know of it.
struct Current<'s> {
    segment: &'s Segment,
    form: Form,
    /// Where it exits if a check fails.
    fail: CodeLabel,
    /// Where each value lies on the stack: scalars 8 bytes each, predicates 4.
    places: Vec<Option<i32>>,
    /// Where the host address of each access lies on the stack.
    pointers: Vec<i32>,
    /// Of an access of one or two bytes of local memory: where it lies on the stack by how many bits they are shifted in the word.
    shifts: Vec<i32>,
    /// Where the lowest address of each access lies on the stack that is told of.
    addresses: Vec<i32>,
    /// Rows that wait to be stored, by value.
    waiting: BTreeMap<ValueId, i32>,
    /// Whether each value is needed.
    needed: Vec<bool>,
    /// Patterns of which it is known how their lanes differ.
    patterns: Vec<u32>,
    /// The scalar that is in `rax`, and behind how many instructions.
    in_rax: Option<(ValueId, usize)>,
    /// The warps of which accesses are checked at a time.
    line: Option<straight::Line<'s>>,
    /// Of a loop: where it is kept how far each access of memory is from the beginning of its window, and how far it may be.
    rooms: Option<Vec<[i32; 2]>>,
}

impl<'s> Current<'s> {
    fn new(segment: &'s Segment, form: Form, fail: CodeLabel) -> Current<'s> {
        let (values, accesses) = (segment.values.len(), segment.accesses.len());
        Current {
            segment,
            form,
            fail,
            places: vec![None; values],
            pointers: Vec::new(),
            shifts: vec![0; accesses],
            addresses: vec![0; accesses],
            waiting: BTreeMap::new(),
            needed: needed(segment),
            patterns: Vec::new(),
            in_rax: None,
            line: None,
            rooms: None,
        }
    }

    /// Notes that a value is needed.
    fn need(&mut self, value: ValueId) {
        if !std::mem::replace(&mut self.needed[value as usize], true) {
            self.segment.values[value as usize].each_operand(|operand| self.need(operand));
        }
    }
}

impl<'a> Emitter<'a> {
    fn new(routine: &'a Routine, set: InstructionSet) -> Result<Emitter<'a>> {
        let mut a = CodeAssembler::new(64)?;
        let (pool, go_on, left, expander) = (a.create_label(), a.create_label(), a.create_label(), a.create_label());
        let mut labels = BTreeMap::new();
        for segment in &routine.segments {
            for form in [Form::Full, Form::Partial] {
                labels.insert((segment.pc, form), a.create_label());
            }
        }
        let (stubs, exits, constants) = (Vec::new(), BTreeMap::new(), Vec::new());
        Ok(Emitter {
            a,
            set,
            in_pairs: false,
            routine,
            labels,
            begin: None,
            stubs,
            exits,
            constants,
            pool,
            loads_pool: 0,
            go_on,
            left,
            expander,
            stack: 0,
            salt: 0,
        })
    }

    /// The label of what follows at operation `pc`.
    fn target(&mut self, pc: u32, form: Form) -> CodeLabel {
        match self.labels.get(&(pc, form)) {
            Some(&label) => label,
            None => {
                let follows = match form {
                    Form::Full if self.routine.barriers.contains(&pc) => frame::Follows::State,
                    Form::Full if self.routine.ends.contains(&pc) => frame::Follows::Warp,
                    _ => frame::Follows::Nothing,
                };
                self.exit_of(pc, follows)
            }
        }
    }

    /// Where a constant of 64 bytes is, or of 32, from `rbp` on.
    fn constant<const N: usize>(&mut self, bytes: [u8; N]) -> i32 {
        let at = self.constants.iter().position(|c| c.starts_with(&bytes)).unwrap_or_else(|| {
            let mut constant = [0; 64];
            constant.iter_mut().zip(bytes).for_each(|(to, byte)| *to = byte);
            self.constants.push(constant);
            self.constants.len() - 1
        });
        (at * 64) as i32
    }

    /// Takes bytes of the stack.
    fn take(&mut self, bytes: i32, align: i32) -> Result<i32> {
        let at = (self.stack + align - 1) / align * align;
        self.stack = at + bytes;
        if self.stack > FRAME - 64 { Err(CompileError::TooLarge) } else { Ok(at) }
    }

    fn segment(&mut self, segment: &Segment, iterations: Option<&Iterations>, form: Form) -> Result {
        let mut label = *self.labels.get(&(segment.pc, form)).ok_or(CompileError::Encoding("no label".to_owned()))?;
        self.a.set_label(&mut label)?;
        // The label knows now where it is.
        self.labels.insert((segment.pc, form), label);
        self.stack = 8;
        let fail = self.exit(segment.pc);
        let mut at = Current::new(segment, form, fail);
        if segment.is_call {
            return self.call(&at, fail);
        }
        if iterations.is_some() {
            let places = segment.accesses.iter().map(|_| Ok([self.take(8, 8)?, self.take(8, 8)?]));
            at.rooms = Some(places.collect::<Result<_>>()?);
        }
        if segment.reconverges {
            self.a.cmp(dword_ptr(rbx + field!(join)), segment.pc)?;
            self.a.je(fail)?;
        }
        if segment.points > 0 {
            self.a.cmp(qword_ptr(rbx + field!(budget)), segment.points as i32)?;
            self.a.jb(fail)?;
        }
        if segment.has_back_edge {
            let most = self.routine.poll_quantum.saturating_sub(segment.loads);
            self.a.cmp(dword_ptr(rbx + field!(polls)), most)?;
            self.a.jae(fail)?;
        }
        at.patterns = self.update_patterns(&segment.patterns_before, form, Some(fail))?;
        self.scalars(&mut at)?;
        if let Some(iterations) = iterations {
            self.iterations(&at, iterations)?;
        }
        self.tell(&at)?;
        self.commit(&at)?;
        self.strips(&mut at)?;
        self.stores(&at)?;
        self.update_patterns(&segment.patterns, form, None)?;
        self.end(&at)
    }

    /// Has the segment's operation done by a call, if the code cannot do it.
    fn call(&mut self, at: &Current<'_>, fail: CodeLabel) -> Result {
        let (segment, form) = (at.segment, at.form);
        if let Some(access) = segment.indexed.as_ref().filter(|_| self.set == InstructionSet::Avx512) {
            let mut call = self.a.create_label();
            self.indexed(at, access, form, call)?;
            self.a.set_label(&mut call)?;
        }
        self.a.mov(rdi, qword_ptr(rbx + field!(user)))?;
        self.a.mov(esi, segment.pc)?;
        self.a.vzeroupper()?;
        self.a.call(qword_ptr(rbx + field!(operate)))?;
        self.a.test(al, al)?;
        self.a.je(fail)?;
        if let End::Go(pc) = segment.end {
            let target = self.target(pc, form);
            self.a.jmp(target)?;
        }
        Ok(())
    }

    /// Nothing can fail any more: counts points and statements, and writes scalars back.
    fn commit(&mut self, at: &Current<'_>) -> Result {
        let segment = at.segment;
        if segment.points > 0 {
            self.a.sub(qword_ptr(rbx + field!(budget)), segment.points as i32)?;
        }
        if segment.statements > 0 {
            self.a.add(qword_ptr(rbx + field!(statements)), segment.statements as i32)?;
        }
        if !segment.stores.is_empty() {
            self.a.mov(dword_ptr(rbx + field!(polls)), 0u32)?;
            self.a.add(qword_ptr(rbx + field!(writes)), segment.stores.len() as i32)?;
        } else if segment.loads > 0 {
            self.a.add(dword_ptr(rbx + field!(polls)), segment.loads as i32)?;
        }
        self.clears(at)?;
        let outs: Vec<_> = segment.outs.iter().filter(|out| out.class == Class::Scalar).collect();
        // A scalar that is read as it was has been copied to the stack.
        for out in outs {
            self.load_scalar(at, out.value, rax)?;
            self.a.mov(qword_ptr(r14 + 8 * out.slot as i32), rax)?;
        }
        Ok(())
    }

    fn end(&mut self, at: &Current<'_>) -> Result {
        let form = at.form;
        match at.segment.end {
            End::Go(pc) => {
                let target = self.target(pc, form);
                self.a.jmp(target)?;
            }
            End::Branch { condition: Condition::Scalar(value), then_pc, else_pc, leave, .. } => {
                let (mut yes, mut no) = (self.target(then_pc, form), self.target(else_pc, form));
                // All lanes that are in the loop still leave it, and others may have left before.
                let leave = leave.filter(|_| form == Form::Partial);
                let mut all_leave = self.a.create_label();
                if let Some(leave) = leave {
                    *(if leave.takes { &mut yes } else { &mut no }) = all_leave;
                }
                self.load_scalar(at, value, rax)?;
                self.a.test(eax, eax)?;
                self.a.jne(yes)?;
                self.a.jmp(no)?;
                if let Some(leave) = leave {
                    self.a.set_label(&mut all_leave)?;
                    self.all_leave(leave, if leave.takes { then_pc } else { else_pc }, form)?;
                }
            }
            End::Branch { condition: Condition::Pred(value), then_pc, else_pc, pc, leave } => {
                let (yes, no) = (self.target(then_pc, form), self.target(else_pc, form));
                self.load_pred(at, value)?;
                let mut all_leave = self.a.create_label();
                let (mut on_all, mut on_none) = (yes, no);
                let may_have_shrunk = leave.is_some() && form == Form::Partial;
                if let Some(leave) = leave.filter(|_| may_have_shrunk) {
                    *(if leave.takes { &mut on_all } else { &mut on_none }) = all_leave;
                }
                match form {
                    Form::Full => {
                        self.a.cmp(eax, -1)?;
                        self.a.je(on_all)?;
                        self.a.test(eax, eax)?;
                    }
                    Form::Partial => {
                        self.a.mov(ecx, dword_ptr(rbx + field!(mask)))?;
                        self.a.and(eax, ecx)?;
                        self.a.cmp(eax, ecx)?;
                        self.a.je(on_all)?;
                        self.a.test(eax, eax)?;
                    }
                }
                self.a.je(on_none)?;
                let disagree = self.exit(pc);
                let Some(leave) = leave else {
                    self.a.jmp(disagree)?;
                    return Ok(());
                };
                self.a.cmp(dword_ptr(rbx + field!(keeps_order)), 0)?;
                self.a.jne(disagree)?;
                // The lanes that stay.
                if leave.takes {
                    self.a.not(eax)?;
                }
                self.note_first_leave()?;
                self.a.and(dword_ptr(rbx + field!(mask)), eax)?;
                self.a.mov(dword_ptr(rbx + field!(left_loop)), leave.number)?;
                self.expand_mask()?;
                let inside = self.target(if leave.takes { else_pc } else { then_pc }, Form::Partial);
                self.a.jmp(inside)?;
                if may_have_shrunk {
                    self.a.set_label(&mut all_leave)?;
                    self.all_leave(leave, if leave.takes { then_pc } else { else_pc }, form)?;
                }
            }
        }
        Ok(())
    }

    /// The lanes that are in a loop still leave it, to `exit`: goes on there with all that were in it.
    fn all_leave(&mut self, leave: Leave, exit: u32, form: Form) -> Result {
        let outside = self.target(exit, form);
        self.a.mov(ecx, dword_ptr(rbx + field!(mask)))?;
        self.a.cmp(ecx, dword_ptr(rbx + field!(entered)))?;
        self.a.je(outside)?;
        self.rejoin(exit, form)?;
        self.a.mov(dword_ptr(rbx + field!(left_last)), ecx)?;
        self.a.mov(dword_ptr(rbx + field!(left_loop)), leave.number)?;
        self.a.jmp(self.left)?;
        Ok(())
    }

    /// Notes the polls of the lanes that leave a loop first; `eax` is kept.
    fn note_first_leave(&mut self) -> Result {
        let mut noted = self.a.create_label();
        self.a.mov(ecx, dword_ptr(rbx + field!(mask)))?;
        self.a.cmp(ecx, dword_ptr(rbx + field!(entered)))?;
        self.a.jne(noted)?;
        self.a.mov(ecx, dword_ptr(rbx + field!(polls)))?;
        self.a.mov(dword_ptr(rbx + field!(left_polls)), ecx)?;
        self.a.set_label(&mut noted)?;
        Ok(self.a.nop()?)
    }

    /// All lanes have left a loop, one after another: goes on behind it with those that the code was entered with, at `exit`, where
    /// they meet. Falls through where the interpreter has to see to it, because others wait there too or would have had their
    /// turn; `ecx` is kept then.
    fn rejoin(&mut self, exit: u32, form: Form) -> Result {
        let mut others = self.a.create_label();
        self.a.cmp(dword_ptr(rbx + field!(is_alone)), 0)?;
        self.a.je(others)?;
        self.a.cmp(dword_ptr(rbx + field!(join)), exit)?;
        self.a.je(others)?;
        // The fewest points count.
        self.a.mov(eax, dword_ptr(rbx + field!(left_polls)))?;
        self.a.mov(dword_ptr(rbx + field!(polls)), eax)?;
        if form == Form::Partial {
            self.a.mov(eax, dword_ptr(rbx + field!(entered)))?;
            self.a.mov(dword_ptr(rbx + field!(mask)), eax)?;
            let outside = self.target(exit, Form::Full);
            self.a.cmp(eax, -1)?;
            self.a.je(outside)?;
            self.expand_mask()?;
        }
        let outside = self.target(exit, form);
        self.a.jmp(outside)?;
        self.a.set_label(&mut others)?;
        self.a.nop()?;
        Ok(())
    }

    /// Loads the word of a predicate into `eax`.
    fn load_pred(&mut self, at: &Current<'_>, value: ValueId) -> Result {
        match (at.places[value as usize], at.segment.values[value as usize]) {
            (Some(place), _) => self.a.mov(eax, dword_ptr(rsp + place))?,
            (None, Value::Pred(slot)) => self.a.mov(eax, dword_ptr(r15 + 4 * slot as i32))?,
            (None, _) => return Err(CompileError::Encoding("a predicate without a place".to_owned())),
        }
        Ok(())
    }

    /// Has the mask of the lanes that run written where strips look for it; with AVX-512 they use its bits.
    fn expand_mask(&mut self) -> Result {
        if self.set == InstructionSet::Avx2 {
            self.a.call(self.expander)?;
        }
        Ok(())
    }

    /// A subroutine that writes the words of [`State::mask_words`] and [`State::mask_longs`] from [`State::mask`].
    fn expand(&mut self) -> Result {
        use iced_x86::code_asm::{ymm0, ymm1, ymmword_ptr};
        for strip in 0..4 {
            let bits = word_bits(8 * strip);
            let at = self.constant(bits);
            self.a.vpbroadcastd(ymm0, dword_ptr(rbx + field!(mask)))?;
            self.a.vpand(ymm0, ymm0, ymmword_ptr(rbp + at))?;
            self.a.vpcmpeqd(ymm0, ymm0, ymmword_ptr(rbp + at))?;
            self.a.vmovups(ymmword_ptr(rbx + (field!(mask_words) + 32 * strip as i32)), ymm0)?;
            for part in 0..2 {
                let bits = long_bits(8 * strip + 4 * part);
                let at = self.constant(bits);
                self.a.vpbroadcastd(ymm1, dword_ptr(rbx + field!(mask)))?;
                self.a.vpand(ymm1, ymm1, ymmword_ptr(rbp + at))?;
                self.a.vpcmpeqq(ymm1, ymm1, ymmword_ptr(rbp + at))?;
                self.a.vmovups(ymmword_ptr(rbx + (field!(mask_longs) + 64 * strip as i32 + 32 * part as i32)), ymm1)?;
            }
        }
        Ok(())
    }

    /// Combines a predicate in `eax` with what its slot has in lanes that do not run, and writes it.
    fn store_pred(&mut self, slot: u32, form: Form) -> Result {
        let place = r15 + 4 * slot as i32;
        if form == Form::Partial {
            self.a.mov(ecx, dword_ptr(rbx + field!(mask)))?;
            self.a.and(eax, ecx)?;
            self.a.andn(edx, ecx, dword_ptr(place))?;
            self.a.or(eax, edx)?;
        }
        self.a.mov(dword_ptr(place), eax)?;
        Ok(())
    }

    /// Loads a scalar value.
    fn load_scalar(&mut self, at: &Current<'_>, value: ValueId, to: iced_x86::code_asm::AsmRegister64) -> Result {
        if to == rax && at.in_rax == Some((value, self.a.instructions().len())) {
            return Ok(());
        }
        match (at.places[value as usize], at.segment.values[value as usize]) {
            (Some(place), _) => self.a.mov(to, qword_ptr(rsp + place))?,
            (None, Value::Scalar(slot)) => self.a.mov(to, qword_ptr(r14 + 8 * slot as i32))?,
            (None, Value::Constant(word)) => self.a.mov(to, word)?,
            (None, _) => return Err(CompileError::Encoding("a scalar without a place".to_owned())),
        }
        Ok(())
    }
}

/// The bit of each of eight lanes from `first` on, in words of 32 bits.
fn word_bits(first: usize) -> [u8; 32] {
    let mut out = [0; 32];
    for (i, bytes) in out.chunks_exact_mut(4).enumerate() {
        bytes.copy_from_slice(&(1u32 << (first + i)).to_le_bytes());
    }
    out
}

/// The bit of each of four lanes from `first` on, in words of 64 bits.
fn long_bits(first: usize) -> [u8; 32] {
    let mut out = [0; 32];
    for (i, bytes) in out.chunks_exact_mut(8).enumerate() {
        bytes.copy_from_slice(&(1u64 << (first + i)).to_le_bytes());
    }
    out
}

/// The values that something needs.
fn needed(segment: &Segment) -> Vec<bool> {
    let mut out = vec![false; segment.values.len()];
    let mut roots: Vec<ValueId> =
        segment.outs.iter().map(|o| o.value).chain(segment.stores.iter().map(|s| s.value)).collect();
    if let End::Branch { condition: Condition::Scalar(v) | Condition::Pred(v), .. } = segment.end {
        roots.push(v);
    }
    for access in &segment.accesses {
        roots.extend(access.terms.iter().map(|t| t.value));
        roots.extend(access.index.iter().flat_map(|i| &i.terms).map(|t| t.value));
    }
    roots.iter().for_each(|&v| out[v as usize] = true);
    for i in (0..segment.values.len()).rev() {
        if out[i] {
            segment.values[i].each_operand(|v| out[v as usize] = true);
        }
    }
    out
}
