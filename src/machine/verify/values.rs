//! A kernel that writes down the values that one of its threads computes, so that two engines can be compared step by step.
//!
//! The values have numbers, in their order. Each is stored with the number of its instruction, and with a digest of all values up to
//! this one, into a buffer behind the kernel's own parameters. An entry of the buffer is for 2^`shift` values, of which the last one
//! stays; the first entry begins with value number `first`. So one launch says in which piece of a long computation the digests first
//! differ, and a second one, with the values of that piece alone, says which value does. The other threads store theirs into one spare
//! entry, so that the threads of a warp stay together.
//!
//! Not here: running it (`parting`). Device procedures that call themselves or have shared memory are not followed; their results are.

use finding::ThreadId;
use ir::analysis::Cfg;
use ir::op::{BinOp, CmpOp, CvtOp, Special, UnOp, VoteOp};
use ir::{
    Access, AddrBase, Bb, BlockData, FuncId, Function, Inst, InstKind, Module, Param, ParamKind, Reg, RegInfo, Space,
    Term, Ty, Val,
};
use source::Span;
use std::collections::BTreeSet;

/// The logarithm of [`ENTRIES`].
pub(super) const LOG_ENTRIES: u64 = 18;
/// Entries of the buffer.
const ENTRIES: u64 = 1 << LOG_ENTRIES;
/// Bytes of an entry: the number of an instruction, counted from 1, its value at [`BITS`], and the digest.
pub(super) const ENTRY: u64 = 24;
const BITS: i64 = 8;
const DIGEST: i64 = 16;
/// Bytes of the buffer: the entries, and the spare one.
pub(super) const BYTES: u64 = (ENTRIES + 1) * ENTRY;
/// What a digest is multiplied by for each value (the prime of FNV-1a, 64 bits).
const PRIME: u64 = 0x100_0000_01b3;

/// The module with that kernel changed. It has three more parameters: the address of the buffer, the number of the first value,
/// and the logarithm of the number of values for an entry.
pub(super) struct Recording {
    pub(super) module: Module,
    /// The thread whose values are written down.
    pub(super) who: ThreadId,
    places: Vec<Step>,
}

/// An instruction that computes a value.
#[derive(Clone, Copy)]
struct Step {
    span: Span,
    origin: Origin,
}

/// Where a value comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Origin {
    /// The thread itself, or several.
    Computed,
    Memory,
    /// The lane whose number is the value before this one.
    Lane,
    /// The lanes of the warp, each of which makes its bit.
    Lanes,
}

/// A value as it was written down.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Value {
    instruction: u32,
    pub(super) bits: u64,
    /// Of the values up to this one.
    pub(super) digest: u64,
}

impl Recording {
    /// `None` if there is no such kernel.
    pub(super) fn new(module: &Module, kernel: FuncId, who: ThreadId) -> Option<Recording> {
        let mut module = module.clone();
        opt::inline_for_gpu(&mut module);
        let f = module.funcs.get_mut(kernel.index()).filter(|f| !f.blocks.is_empty())?;
        begin_apart(f);
        let places = record(f, who);
        Some(Recording { module, who, places })
    }

    /// Where the instruction of a value stands.
    pub(super) fn span(&self, value: Value) -> Span {
        self.places.get(value.instruction as usize).map_or(Span::NONE, |step| step.span)
    }

    /// Where a value comes from.
    pub(super) fn origin(&self, value: Value) -> Origin {
        self.places.get(value.instruction as usize).map_or(Origin::Computed, |step| step.origin)
    }
}

impl Value {
    /// Whether two values come from one instruction.
    pub(super) fn is_same_place(self, other: Value) -> bool {
        self.instruction == other.instruction
    }
}

/// The values in the bytes of a buffer.
pub(super) fn values(buffer: &[u8]) -> Vec<Value> {
    let word =
        |entry: &[u8], at: usize| entry.get(at..at + 8).and_then(|b| b.try_into().ok()).map_or(0, u64::from_le_bytes);
    let entries = buffer.chunks_exact(ENTRY as usize).take(ENTRIES as usize);
    entries
        .map(|entry| (word(entry, 0) as u32, entry))
        .take_while(|(number, _)| *number != 0)
        .map(|(number, entry)| Value {
            instruction: number - 1,
            bits: word(entry, BITS as usize),
            digest: word(entry, DIGEST as usize),
        })
        .collect()
}

/// New instructions of a function.
struct Writer<'a> {
    f: &'a mut Function,
    insts: Vec<Inst>,
    span: Span,
}

impl Writer<'_> {
    fn reg(&mut self, ty: Ty, mutable: bool) -> Reg {
        self.f.regs.push(RegInfo { ty, var: None, mutable });
        Reg(self.f.regs.len() as u32 - 1)
    }

    fn push(&mut self, kind: InstKind) {
        self.insts.push(Inst::new(kind, self.span));
    }

    fn value(&mut self, ty: Ty, kind: impl FnOnce(Reg) -> InstKind) -> Val {
        let dst = self.reg(ty, false);
        self.push(kind(dst));
        dst.into()
    }

    fn binary(&mut self, op: BinOp, ty: Ty, a: Val, b: Val) -> Val {
        self.value(ty, |dst| InstKind::Bin { op, ty, dst, a, b })
    }

    fn store(&mut self, ty: Ty, addr: Val, offset: i64, value: Val) {
        self.push(InstKind::Store { ty, space: Space::Global, access: Access::Plain, addr, offset, value });
    }
}

/// The registers that instructions added before every block need.
#[derive(Clone, Copy)]
struct State {
    buffer: Val,
    spare: Val,
    /// Whether this is the thread.
    is_thread: Val,
    shift: Val,
    /// Number of the next value, less that of the first in the buffer.
    next: Reg,
    digest: Reg,
}

/// Has the kernel begin with a block that no loop comes back to.
fn begin_apart(f: &mut Function) {
    if Cfg::new(f).preds(Bb(0)).is_empty() {
        return;
    }
    let moved = Bb(f.blocks.len() as u32);
    for block in &mut f.blocks {
        block.term.each_successor_mut(|to| {
            if *to == Bb(0) {
                *to = moved;
            }
        });
    }
    let entry = BlockData::new(Vec::new(), Term::Jump(moved), f.span);
    let first = std::mem::replace(&mut f.blocks[0], entry);
    f.blocks.push(first);
}

/// Changes the kernel; gives the instructions whose values are written down.
fn record(f: &mut Function, who: ThreadId) -> Vec<Step> {
    let mut steps = Vec::new();
    let places = places(f);
    let blocks = std::mem::take(&mut f.blocks);
    let mut w = Writer { span: f.span, insts: Vec::new(), f };
    let state = begin(&mut w, who);
    let mut changed = Vec::with_capacity(blocks.len());
    for mut block in blocks {
        for inst in block.insts {
            w.span = inst.span;
            let mut defined = Vec::new();
            inst.kind.each_def(|reg| defined.push(reg));
            defined.retain(|reg| !places.contains(reg));
            if !defined.is_empty()
                && let Some((reg, origin)) = lanes_of(&mut w, &inst.kind)
            {
                steps.push(Step { span: inst.span, origin });
                write_down(&mut w, state, steps.len() as u32, reg);
            }
            let step = Step { span: inst.span, origin: origin(&inst.kind) };
            w.insts.push(inst);
            for reg in defined {
                steps.push(step);
                write_down(&mut w, state, steps.len() as u32, reg);
            }
        }
        block.insts = std::mem::take(&mut w.insts);
        changed.push(block);
    }
    f.blocks = changed;
    steps
}

/// Where the value of an instruction comes from.
fn origin(kind: &InstKind) -> Origin {
    match kind {
        InstKind::Load { .. } => Origin::Memory,
        InstKind::Shuffle { .. } => Origin::Lane,
        InstKind::Vote { op: VoteOp::Ballot | VoteOp::MatchAny, .. } => Origin::Lanes,
        _ => Origin::Computed,
    }
}

/// Of an exchange between lanes, an exchange before it that says between which: the number of the lane that a shuffle takes from,
/// the mask behind a vote.
fn lanes_of(w: &mut Writer<'_>, kind: &InstKind) -> Option<(Reg, Origin)> {
    let dst = w.reg(Ty::I32, false);
    let (before, origin) = match *kind {
        InstKind::Shuffle { op, lane, width, .. } => {
            let a = w.value(Ty::I32, |dst| InstKind::Special { reg: Special::LaneId, dst });
            (InstKind::Shuffle { op, ty: Ty::I32, dst, a, lane, width }, Origin::Computed)
        }
        InstKind::Vote { op: VoteOp::All | VoteOp::Any, ty, mask, a, .. } => {
            (InstKind::Vote { op: VoteOp::Ballot, ty, dst, mask, a }, Origin::Lanes)
        }
        InstKind::Vote { op: VoteOp::MatchAll, ty, mask, a, .. } => {
            (InstKind::Vote { op: VoteOp::MatchAny, ty, dst, mask, a }, Origin::Lanes)
        }
        _ => return None,
    };
    w.push(before);
    Some((dst, origin))
}

/// The registers with addresses in shared and local memory and what is computed from them: each engine has these memories elsewhere.
fn places(f: &Function) -> BTreeSet<Reg> {
    let is_bytes = |param: &&Param| matches!(param.kind, ParamKind::Bytes { .. });
    let mut places: BTreeSet<Reg> = f.params.iter().filter(is_bytes).map(|param| param.reg).collect();
    loop {
        let before = places.len();
        for kind in f.blocks.iter().flat_map(|b| &b.insts).map(|inst| &inst.kind) {
            let mut is_place = matches!(kind, InstKind::Addr { base: AddrBase::Shared(_) | AddrBase::Local(_), .. });
            if kind.is_pure() {
                kind.each_use(|val| is_place |= matches!(val, Val::Reg(reg) if places.contains(&reg)));
            }
            if is_place {
                kind.each_def(|reg| {
                    places.insert(reg);
                });
            }
        }
        if places.len() == before {
            return places;
        }
    }
}

/// Adds the parameters, and finds out whether this is the thread.
fn begin(w: &mut Writer<'_>, who: ThreadId) -> State {
    let [buffer, first, shift] = ["buffer", "first", "shift"].map(|name| {
        let reg = w.reg(Ty::I64, false);
        w.f.params.push(Param { reg, kind: ParamKind::Value, name: name.into(), unaliased: false });
        Val::Reg(reg)
    });
    let places = [
        (Special::CtaidX, who.block[0]),
        (Special::CtaidY, who.block[1]),
        (Special::CtaidZ, who.block[2]),
        (Special::TidX, who.thread[0]),
        (Special::TidY, who.thread[1]),
        (Special::TidZ, who.thread[2]),
    ];
    let mut is_thread = Val::Imm(1);
    for (reg, wanted) in places {
        let a = w.value(Ty::I32, |dst| InstKind::Special { reg, dst });
        // Special registers count from 0.
        let b = Val::Imm(u64::from(wanted - 1));
        let is_equal = w.value(Ty::Pred, |dst| InstKind::Cmp { op: CmpOp::Eq, ty: Ty::I32, dst, a, b });
        is_thread = w.binary(BinOp::And, Ty::Pred, is_equal, is_thread);
    }
    let spare = w.binary(BinOp::Add, Ty::I64, buffer, Val::Imm(ENTRIES * ENTRY));
    let [next, digest] = [(); 2].map(|()| w.reg(Ty::I64, true));
    w.push(InstKind::Un { op: UnOp::Neg, ty: Ty::I64, dst: next, a: first });
    w.push(InstKind::Un { op: UnOp::Mov, ty: Ty::I64, dst: digest, a: Val::Imm(0) });
    State { buffer, spare, is_thread, shift, next, digest }
}

/// Writes a value down as that of instruction `number`, counted from 1.
fn write_down(w: &mut Writer<'_>, state: State, number: u32, reg: Reg) {
    let State { buffer, spare, is_thread, shift, next, digest } = state;
    let index = w.binary(BinOp::ShrU, Ty::I64, next.into(), shift);
    // Values before the first one have negative numbers.
    let (a, b) = (index, Val::Imm(ENTRIES));
    let fits = w.value(Ty::Pred, |dst| InstKind::Cmp { op: CmpOp::LtU, ty: Ty::I64, dst, a, b });
    let is_wanted = w.binary(BinOp::And, Ty::Pred, fits, is_thread);
    let offset = w.binary(BinOp::Mul, Ty::I64, index, Val::Imm(ENTRY));
    let entry = w.binary(BinOp::Add, Ty::I64, buffer, offset);
    let addr = w.value(Ty::I64, |dst| InstKind::Select { ty: Ty::I64, dst, cond: is_wanted, a: entry, b: spare });
    let bits = as_word(w, reg);
    let mixed = w.binary(BinOp::Xor, Ty::I64, digest.into(), bits);
    let mixed = w.binary(BinOp::Add, Ty::I64, mixed, Val::Imm(u64::from(number)));
    let (a, b) = (mixed, Val::Imm(PRIME));
    w.push(InstKind::Bin { op: BinOp::Mul, ty: Ty::I64, dst: digest, a, b });
    w.store(Ty::I64, addr, BITS, bits);
    w.store(Ty::I64, addr, DIGEST, digest.into());
    w.store(Ty::I64, addr, 0, Val::Imm(u64::from(number)));
    w.push(InstKind::Bin { op: BinOp::Add, ty: Ty::I64, dst: next, a: next.into(), b: Val::Imm(1) });
}

/// The bits of a register in a word of 64.
fn as_word(w: &mut Writer<'_>, reg: Reg) -> Val {
    let ty = w.f.ty(reg);
    let mut convert = |op, from, to, a| w.value(to, |dst| InstKind::Cvt { op, from, to, dst, a });
    match ty {
        Ty::I64 => reg.into(),
        Ty::Pred => {
            let (a, b) = (Val::Imm(1), Val::Imm(0));
            w.value(Ty::I64, |dst| InstKind::Select { ty: Ty::I64, dst, cond: reg.into(), a, b })
        }
        Ty::F64 => convert(CvtOp::Bits, Ty::F64, Ty::I64, reg.into()),
        Ty::F32 => {
            let word = convert(CvtOp::Bits, Ty::F32, Ty::I32, reg.into());
            convert(CvtOp::CastU, Ty::I32, Ty::I64, word)
        }
        narrow => convert(CvtOp::CastU, narrow, Ty::I64, reg.into()),
    }
}
