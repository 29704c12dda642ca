//! A kernel that writes down the values that one of its threads computes, so that two engines can be compared step by step.
//!
//! Each value is stored with the number of its instruction into a buffer behind the kernel's own parameters; the other threads
//! store theirs into one spare entry, so that the threads of a warp stay together. The buffer holds a window of the values: those
//! from number `first` on.
//!
//! Not here: running it (`parting`). Device procedures that the kernel calls are not followed; their results are.

use finding::ThreadId;
use ir::analysis::Cfg;
use ir::op::{BinOp, CmpOp, Special, UnOp};
use ir::{
    Access, AddrBase, Bb, FuncId, Function, Inst, InstKind, Module, Param, ParamKind, Reg, RegInfo, Space, Ty, Val,
};
use source::Span;
use std::collections::BTreeSet;

/// Values that the buffer holds.
pub(super) const WINDOW: u64 = 1 << 18;
/// Bytes of a value: the number of its instruction, counted from 1, and its bits at [`BITS`].
const ENTRY: u64 = 16;
const BITS: i64 = 8;
/// Bytes of the buffer: a window, and the spare entry.
pub(super) const BYTES: u64 = (WINDOW + 1) * ENTRY;

/// The module with that kernel changed. It has two more parameters: the address of the buffer, and the number of the first value.
pub(super) struct Recording {
    pub(super) module: Module,
    /// Where each instruction stands that computes a value, by its number from 0.
    spans: Vec<Span>,
}

/// A value as it was written down.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Value {
    instruction: u32,
    pub(super) bits: u64,
}

impl Recording {
    /// `None` if the kernel begins with a loop.
    pub(super) fn new(module: &Module, kernel: FuncId, who: ThreadId) -> Option<Recording> {
        let mut module = module.clone();
        let f = module.funcs.get_mut(kernel.index())?;
        if !Cfg::new(f).preds(Bb(0)).is_empty() {
            return None;
        }
        let spans = record(f, who);
        Some(Recording { module, spans })
    }

    /// Where the instruction of a value stands.
    pub(super) fn span(&self, value: Value) -> Span {
        self.spans.get(value.instruction as usize).copied().unwrap_or(Span::NONE)
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
    let entries = buffer.chunks_exact(ENTRY as usize).take(WINDOW as usize);
    let entries = entries.map(|entry| (word(entry, 0) as u32, word(entry, BITS as usize)));
    entries
        .take_while(|(number, _)| *number != 0)
        .map(|(number, bits)| Value { instruction: number - 1, bits })
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
        self.insts.push(Inst { kind, span: self.span });
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
    /// Number of the next value, less that of the first in the buffer.
    next: Reg,
}

/// Changes the kernel; gives the places of the instructions whose values are written down.
fn record(f: &mut Function, who: ThreadId) -> Vec<Span> {
    let mut spans = Vec::new();
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
            w.insts.push(inst);
            for reg in defined {
                spans.push(w.span);
                write_down(&mut w, state, spans.len() as u32, reg);
            }
        }
        block.insts = std::mem::take(&mut w.insts);
        changed.push(block);
    }
    f.blocks = changed;
    spans
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
    let [buffer, first] = ["buffer", "first"].map(|name| {
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
    let spare = w.binary(BinOp::Add, Ty::I64, buffer, Val::Imm(WINDOW * ENTRY));
    let next = w.reg(Ty::I64, true);
    w.push(InstKind::Un { op: UnOp::Neg, ty: Ty::I64, dst: next, a: first });
    State { buffer, spare, is_thread, next }
}

/// Writes a value down as number `number`, counted from 1.
fn write_down(w: &mut Writer<'_>, state: State, number: u32, reg: Reg) {
    let State { buffer, spare, is_thread, next } = state;
    let (a, b) = (Val::Reg(next), Val::Imm(WINDOW));
    let fits = w.value(Ty::Pred, |dst| InstKind::Cmp { op: CmpOp::LtU, ty: Ty::I64, dst, a, b });
    let is_wanted = w.binary(BinOp::And, Ty::Pred, fits, is_thread);
    let offset = w.binary(BinOp::Mul, Ty::I64, next.into(), Val::Imm(ENTRY));
    let entry = w.binary(BinOp::Add, Ty::I64, buffer, offset);
    let addr = w.value(Ty::I64, |dst| InstKind::Select { ty: Ty::I64, dst, cond: is_wanted, a: entry, b: spare });
    let ty = w.f.ty(reg);
    let (ty, value) = match ty {
        Ty::Pred => {
            let (a, b) = (Val::Imm(1), Val::Imm(0));
            (Ty::I32, w.value(Ty::I32, |dst| InstKind::Select { ty: Ty::I32, dst, cond: reg.into(), a, b }))
        }
        _ => (ty, reg.into()),
    };
    w.store(ty, addr, BITS, value);
    w.store(Ty::I64, addr, 0, Val::Imm(u64::from(number)));
    w.push(InstKind::Bin { op: BinOp::Add, ty: Ty::I64, dst: next, a: next.into(), b: Val::Imm(1) });
}
