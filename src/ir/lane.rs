//! Runs one thread, one instruction at a time: the reference for executors and passes.
//!
//! [`crate::eval`] says what an operation means. Memory is a list of buffers, whatever the space. [`Lane::run`] takes the thread
//! to be alone in its block: a barrier does nothing, and a vote or shuffle sees one lane. A caller that has the other threads too
//! steps with [`Lane::start`] and [`Lane::answer`] from one [`Collective`] operation to the next. Frames are explicit, fuel bounds
//! a run, and whatever goes wrong is a [`Fault`], never a panic.
//!
//! Not here: speed, other threads, services of the run time, launches, checks beyond the range of a buffer.

use crate::op::{BarOp, ShflOp, Special, VoteOp};
use crate::{
    AddrBase, Bb, FuncId, Function, GlobalInit, InstKind, Module, ParamKind, Reg, SharedSize, Space, Term, Trap, Val,
    eval,
};
use scalar::Ty;
use scalar::bits;
use source::Span;
use std::collections::BTreeMap;

/// Where the first buffer begins: as far up as memory of a GPU, so that an address that is cut to 32 bits is no address.
const FIRST: u64 = 0x2000_8765_0000;

/// Buffers of bytes at fixed addresses, with gaps between them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Memory {
    buffers: BTreeMap<u64, Vec<u8>>,
    next: u64,
}

impl Default for Memory {
    fn default() -> Memory {
        Memory { buffers: BTreeMap::new(), next: FIRST }
    }
}

impl Memory {
    /// Adds a buffer of zeros and gives its address.
    pub fn alloc(&mut self, size: u64, align: u64) -> u64 {
        let align = align.clamp(16, 1 << 20).next_power_of_two();
        let base = self.next.next_multiple_of(align);
        let size = size.min(1 << 30);
        self.buffers.insert(base, vec![0; size as usize]);
        self.next = base + size + 64;
        base
    }

    /// Takes the buffer at `base` away.
    pub fn free(&mut self, base: u64) {
        self.buffers.remove(&base);
    }

    /// Makes all bytes of the buffer at `base` zero.
    fn clear(&mut self, base: u64) -> Option<()> {
        self.buffers.get_mut(&base).map(|bytes| bytes.fill(0))
    }

    /// The bytes of the buffer at `base`.
    pub fn bytes(&self, base: u64) -> Option<&[u8]> {
        self.buffers.get(&base).map(Vec::as_slice)
    }

    fn range(&mut self, addr: u64, size: u32) -> Option<&mut [u8]> {
        let (&base, buffer) = self.buffers.range_mut(..=addr).next_back()?;
        let from = usize::try_from(addr - base).ok()?;
        buffer.get_mut(from..from.checked_add(size as usize)?)
    }

    /// The value of type `ty` at `addr`.
    pub fn read(&mut self, addr: u64, ty: Ty) -> Option<u64> {
        let bytes = self.range(addr, ty.bytes())?;
        Some(bytes.iter().rev().fold(0, |word, &b| word << 8 | u64::from(b)))
    }

    /// Puts a value of type `ty` at `addr`.
    pub fn write(&mut self, addr: u64, ty: Ty, value: u64) -> Option<()> {
        let bytes = self.range(addr, ty.bytes())?;
        let size = bytes.len();
        bytes.copy_from_slice(&value.to_le_bytes()[..size]);
        Some(())
    }
}

/// Where a thread is in its launch.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Place {
    /// Thread index, from 0.
    pub tid: [u32; 3],
    /// Block extents.
    pub ntid: [u32; 3],
    /// Block index, from 0.
    pub ctaid: [u32; 3],
    /// Grid extents.
    pub nctaid: [u32; 3],
}

impl Default for Place {
    fn default() -> Place {
        Place { tid: [0; 3], ntid: [1; 3], ctaid: [0; 3], nctaid: [1; 3] }
    }
}

/// Something that another thread or the debugger could notice.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Event {
    /// A load: address, value.
    Load(u64, u64),
    /// A store: address, value.
    Store(u64, u64),
    /// An atomic operation: address, old value, new value.
    Atomic(u64, u64, u64),
    /// A fence, barrier, vote or shuffle.
    Sync,
    /// A back edge.
    BackEdge,
    /// A source statement.
    Stmt(Span),
}

/// How a run ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum End {
    /// The function returned these results.
    Returned(Vec<u64>),
    /// The thread exited.
    Exited,
    /// The code trapped.
    Trapped(Trap),
}

/// Why a run could not go on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Fault {
    /// An access outside every buffer.
    Address(u64),
    /// The fuel is used up.
    Fuel,
    /// Something that one lane alone cannot do: a service or a launch.
    Unsupported(&'static str),
    /// An id that does not exist, in a module that the verifier refuses.
    Invalid,
}

/// An operation that several threads execute together; the thread continues with [`Lane::answer`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Collective {
    /// A barrier of the block, with the thread's predicate.
    Barrier(BarOp, bool),
    /// SYNCWARP, with the mask.
    SyncWarp(u32),
    /// A vote, with the thread's value.
    Vote(VoteOp, u64),
    /// A shuffle: the thread's value, the lane or distance that it asks for, and the width.
    Shuffle(ShflOp, u64, u32, u32),
}

impl Collective {
    /// The result for a thread that is alone and has the number `lane` in its warp.
    pub fn alone(self, lane: u32) -> u64 {
        match self {
            Collective::Barrier(_, pred) => u64::from(pred),
            Collective::SyncWarp(_) => 0,
            Collective::Vote(VoteOp::All | VoteOp::Any, value) => value & 1,
            Collective::Vote(VoteOp::Ballot, value) => (value & 1) << lane,
            Collective::Vote(VoteOp::MatchAny | VoteOp::MatchAll, _) => 1 << lane,
            Collective::Shuffle(_, value, ..) => value,
        }
    }
}

/// How far a thread came.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Step {
    /// To its end.
    Ended(End),
    /// To an operation that it executes with other threads.
    Collective(Collective),
}

/// One thread: its memory, its place, what it has left to spend and what it has done.
#[derive(Clone, Debug)]
pub struct Lane<'m> {
    module: &'m Module,
    /// Memory.
    pub memory: Memory,
    /// Addresses of the globals, by number.
    pub globals: Vec<u64>,
    /// Special registers.
    pub place: Place,
    /// How many instructions may still run.
    pub fuel: u64,
    /// What was done, in order.
    pub events: Vec<Event>,
    shared: BTreeMap<(u32, u32), u64>,
    frames: Vec<Frame<'m>>,
    /// The register that takes the result of a collective operation, in the innermost frame.
    asking: Option<Reg>,
}

#[derive(Clone, Debug)]
struct Frame<'m> {
    f: &'m Function,
    id: FuncId,
    regs: Vec<u64>,
    locals: Vec<u64>,
    bb: Bb,
    next: usize,
    results: &'m [Reg],
}

impl<'m> Lane<'m> {
    /// A thread of `module`, whose globals are in memory with their first contents.
    pub fn new(module: &'m Module) -> Lane<'m> {
        let mut memory = Memory::default();
        let mut globals = Vec::new();
        for g in &module.globals {
            let base = memory.alloc(g.bytes, g.align);
            if let (GlobalInit::Bytes(bytes), Some(buffer)) = (&g.init, memory.buffers.get_mut(&base)) {
                buffer.iter_mut().zip(bytes.iter()).for_each(|(to, &from)| *to = from);
            }
            globals.push(base);
        }
        let (place, shared) = (Place::default(), BTreeMap::new());
        let (events, frames) = (Vec::new(), Vec::new());
        Lane { module, memory, globals, place, fuel: 1_000_000, events, shared, frames, asking: None }
    }

    /// Says where a shared variable of a function is; else it is put somewhere at its first use.
    pub fn place_shared(&mut self, func: FuncId, id: crate::SharedId, base: u64) {
        self.shared.insert((func.0, id.0), base);
    }

    /// Runs function `func` to its end, alone.
    pub fn run(&mut self, func: FuncId, args: &[u64]) -> Result<End, Fault> {
        self.start(func, args)?;
        loop {
            match self.go_on()? {
                Step::Ended(end) => return Ok(end),
                Step::Collective(collective) => self.answer(collective.alone(self.lane()))?,
            }
        }
    }

    /// Begins function `func`.
    pub fn start(&mut self, func: FuncId, args: &[u64]) -> Result<(), Fault> {
        self.frames = vec![self.enter(func, args, &[])?];
        self.asking = None;
        Ok(())
    }

    /// What the thread learns where it has met others.
    pub fn answer(&mut self, value: u64) -> Result<(), Fault> {
        match (self.asking.take(), self.frames.last_mut()) {
            (Some(reg), Some(frame)) => frame.set(reg, value),
            _ => Ok(()),
        }
    }

    /// Runs to the end or to the next collective operation.
    pub fn go_on(&mut self) -> Result<Step, Fault> {
        let mut frames = std::mem::take(&mut self.frames);
        let step = self.steps(&mut frames);
        self.frames = frames;
        step
    }

    fn steps(&mut self, frames: &mut Vec<Frame<'m>>) -> Result<Step, Fault> {
        while let Some(frame) = frames.last_mut() {
            self.fuel = self.fuel.checked_sub(1).ok_or(Fault::Fuel)?;
            let block = frame.f.blocks.get(frame.bb.index()).ok_or(Fault::Invalid)?;
            if let Some(inst) = block.insts.get(frame.next) {
                frame.next += 1;
                if let InstKind::Call { func, args, results } = &inst.kind {
                    let args: Vec<u64> = args.iter().map(|&a| frame.val(a)).collect();
                    let callee = self.enter(*func, &args, results)?;
                    if frames.len() >= 1000 {
                        return Err(Fault::Fuel);
                    }
                    frames.push(callee);
                } else if let Some((collective, dst)) = frame.collective(&inst.kind) {
                    self.events.push(Event::Sync);
                    self.asking = dst;
                    return Ok(Step::Collective(collective));
                } else {
                    self.inst(frame, &inst.kind, inst.span)?;
                }
                continue;
            }
            frame.next = 0;
            match &block.term {
                Term::Jump(bb) => frame.bb = *bb,
                Term::Branch { cond, then_bb, else_bb } => {
                    frame.bb = if frame.val(*cond) & 1 != 0 { *then_bb } else { *else_bb };
                }
                Term::Switch { ty, value, arms, default } => {
                    let value = bits::signed(*ty, frame.val(*value));
                    frame.bb = arms.iter().find(|(n, _)| *n == value).map_or(*default, |(_, bb)| *bb);
                }
                Term::Return(values) => {
                    let values: Vec<u64> = values.iter().map(|&v| frame.val(v)).collect();
                    frame.locals.iter().for_each(|&base| self.memory.free(base));
                    let results = frame.results;
                    frames.pop();
                    match frames.last_mut() {
                        None => return Ok(Step::Ended(End::Returned(values))),
                        Some(caller) => {
                            for (&reg, value) in results.iter().zip(values) {
                                caller.set(reg, value)?;
                            }
                        }
                    }
                }
                Term::Exit => return Ok(Step::Ended(End::Exited)),
                Term::Trap(trap) => return Ok(Step::Ended(End::Trapped(*trap))),
            }
        }
        Err(Fault::Invalid)
    }

    fn enter(&mut self, id: FuncId, args: &[u64], results: &'m [Reg]) -> Result<Frame<'m>, Fault> {
        let f = self.module.funcs.get(id.index()).ok_or(Fault::Invalid)?;
        let mut locals: Vec<u64> = f.locals.iter().map(|l| self.memory.alloc(l.bytes, l.align)).collect();
        let mut regs = vec![0; f.regs.len()];
        for (param, &arg) in f.params.iter().zip(args) {
            let value = match param.kind {
                ParamKind::Value => arg,
                ParamKind::Bytes { bytes, align } => {
                    // The callee gets its own copy.
                    let copy = self.memory.alloc(bytes, align);
                    locals.push(copy);
                    for i in 0..bytes.min(1 << 30) {
                        let byte = self.memory.read(arg.wrapping_add(i), Ty::I8).ok_or(Fault::Address(arg))?;
                        self.memory.write(copy + i, Ty::I8, byte).ok_or(Fault::Address(copy))?;
                    }
                    copy
                }
            };
            *regs.get_mut(param.reg.index()).ok_or(Fault::Invalid)? = value;
        }
        Ok(Frame { f, id, regs, locals, bb: Bb(0), next: 0, results })
    }

    fn base(&mut self, frame: &Frame<'_>, base: AddrBase) -> Result<u64, Fault> {
        match base {
            AddrBase::Local(id) => frame.locals.get(id.index()).copied().ok_or(Fault::Invalid),
            AddrBase::Global(id) => self.globals.get(id.index()).copied().ok_or(Fault::Invalid),
            AddrBase::Shared(id) => {
                let var = frame.f.shared.get(id.index()).ok_or(Fault::Invalid)?;
                let key = (frame.id.0, id.0);
                if let Some(&base) = self.shared.get(&key) {
                    return Ok(base);
                }
                let bytes = match var.size {
                    SharedSize::Static(bytes) => bytes,
                    SharedSize::Dynamic => 48 << 10,
                };
                let base = self.memory.alloc(bytes, var.align);
                self.shared.insert(key, base);
                Ok(base)
            }
        }
    }

    fn special(&self, reg: Special) -> u64 {
        let Place { tid, ntid, ctaid, nctaid } = self.place;
        let value = match reg {
            Special::TidX => tid[0],
            Special::TidY => tid[1],
            Special::TidZ => tid[2],
            Special::NtidX => ntid[0],
            Special::NtidY => ntid[1],
            Special::NtidZ => ntid[2],
            Special::CtaidX => ctaid[0],
            Special::CtaidY => ctaid[1],
            Special::CtaidZ => ctaid[2],
            Special::NctaidX => nctaid[0],
            Special::NctaidY => nctaid[1],
            Special::NctaidZ => nctaid[2],
            Special::ClusterNctaidX | Special::ClusterNctaidY | Special::ClusterNctaidZ => 1,
            Special::LaneId => self.lane(),
            Special::OnGpu => 0,
            Special::ActiveMask => 1 << self.lane(),
            Special::Clock64 | Special::GlobalTimer => {
                return self.events.iter().filter(|e| !matches!(e, Event::Stmt(_))).count() as u64;
            }
        };
        u64::from(value)
    }

    /// The thread's number in its warp.
    fn lane(&self) -> u32 {
        let Place { tid, ntid, .. } = self.place;
        let row = tid[2].wrapping_mul(ntid[1]).wrapping_add(tid[1]);
        row.wrapping_mul(ntid[0]).wrapping_add(tid[0]) % 32
    }

    fn inst(&mut self, frame: &mut Frame<'m>, kind: &'m InstKind, span: Span) -> Result<(), Fault> {
        let place = |frame: &Frame<'_>, addr: Val, offset: i64| frame.val(addr).wrapping_add(offset as u64);
        match *kind {
            InstKind::Un { op, ty, dst, a } => frame.set(dst, eval::eval_un(op, ty, frame.val(a))),
            InstKind::Bin { op, ty, dst, a, b } => frame.set(dst, eval::eval_bin(op, ty, frame.val(a), frame.val(b))),
            InstKind::Tri { op, ty, dst, a, b, c } => {
                frame.set(dst, eval::eval_tri(op, ty, frame.val(a), frame.val(b), frame.val(c)))
            }
            InstKind::Cmp { op, ty, dst, a, b } => {
                frame.set(dst, u64::from(eval::eval_cmp(op, ty, frame.val(a), frame.val(b))))
            }
            InstKind::Select { dst, cond, a, b, .. } => {
                frame.set(dst, if frame.val(cond) & 1 != 0 { frame.val(a) } else { frame.val(b) })
            }
            InstKind::Cvt { op, from, to, dst, a } => frame.set(dst, eval::eval_cvt(op, from, to, frame.val(a))),
            InstKind::Addr { dst, base } => {
                let base = self.base(frame, base)?;
                frame.set(dst, base)
            }
            InstKind::Load { ty, dst, addr, offset, .. } => {
                let addr = place(frame, addr, offset);
                let value = self.memory.read(addr, ty).ok_or(Fault::Address(addr))?;
                self.events.push(Event::Load(addr, value));
                frame.set(dst, value)
            }
            InstKind::Store { ty, addr, offset, value, .. } => {
                let (addr, value) = (place(frame, addr, offset), frame.val(value));
                self.memory.write(addr, ty, value).ok_or(Fault::Address(addr))?;
                self.events.push(Event::Store(addr, value));
                Ok(())
            }
            InstKind::Atomic { op, ty, space, dst, addr, offset, a, b, .. } => {
                let addr = place(frame, addr, offset);
                let old = self.memory.read(addr, ty).ok_or(Fault::Address(addr))?;
                let (a, b) = (frame.val(a), b.map_or(0, |b| frame.val(b)));
                let new = match space {
                    Space::Global => eval::eval_atomic_global(op, ty, old, a, b),
                    _ => eval::eval_atomic(op, ty, old, a, b),
                };
                self.memory.write(addr, ty, new).ok_or(Fault::Address(addr))?;
                self.events.push(Event::Atomic(addr, old, new));
                dst.map_or(Ok(()), |dst| frame.set(dst, old))
            }
            InstKind::Fence { .. } => {
                self.events.push(Event::Sync);
                Ok(())
            }
            InstKind::Special { reg, dst } => frame.set(dst, self.special(reg)),
            InstKind::Stmt => {
                self.events.push(Event::Stmt(span));
                Ok(())
            }
            InstKind::BackEdge => {
                self.events.push(Event::BackEdge);
                Ok(())
            }
            InstKind::Clear { local } => {
                let base = self.base(frame, AddrBase::Local(local))?;
                self.memory.clear(base).ok_or(Fault::Address(base))
            }
            InstKind::Call { .. }
            | InstKind::Barrier { .. }
            | InstKind::SyncWarp { .. }
            | InstKind::Vote { .. }
            | InstKind::Shuffle { .. } => Err(Fault::Invalid),
            InstKind::Rt { rt, .. } => Err(Fault::Unsupported(rt.mnemonic())),
            InstKind::Launch { .. } => Err(Fault::Unsupported("launch")),
        }
    }
}

impl Frame<'_> {
    /// The collective operation of an instruction, and the register for its result.
    fn collective(&self, kind: &InstKind) -> Option<(Collective, Option<Reg>)> {
        Some(match *kind {
            InstKind::Barrier { op, dst, a } => {
                let pred = a.is_some_and(|a| self.val(a) & 1 != 0);
                (Collective::Barrier(op, pred), dst.filter(|_| op != BarOp::Sync))
            }
            InstKind::SyncWarp { mask } => (Collective::SyncWarp(self.val(mask) as u32), None),
            InstKind::Vote { op, dst, a, .. } => (Collective::Vote(op, self.val(a)), Some(dst)),
            InstKind::Shuffle { op, dst, a, lane, width, .. } => {
                (Collective::Shuffle(op, self.val(a), self.val(lane) as u32, self.val(width) as u32), Some(dst))
            }
            InstKind::Un { .. }
            | InstKind::Bin { .. }
            | InstKind::Tri { .. }
            | InstKind::Cmp { .. }
            | InstKind::Select { .. }
            | InstKind::Cvt { .. }
            | InstKind::Addr { .. }
            | InstKind::Load { .. }
            | InstKind::Store { .. }
            | InstKind::Atomic { .. }
            | InstKind::Fence { .. }
            | InstKind::Special { .. }
            | InstKind::Call { .. }
            | InstKind::Rt { .. }
            | InstKind::Launch { .. }
            | InstKind::Stmt
            | InstKind::BackEdge
            | InstKind::Clear { .. } => return None,
        })
    }

    fn val(&self, val: Val) -> u64 {
        match val {
            Val::Imm(bits) => bits,
            Val::Reg(reg) => self.regs.get(reg.index()).copied().unwrap_or(0),
        }
    }

    fn set(&mut self, reg: Reg, value: u64) -> Result<(), Fault> {
        *self.regs.get_mut(reg.index()).ok_or(Fault::Invalid)? = value;
        Ok(())
    }
}
