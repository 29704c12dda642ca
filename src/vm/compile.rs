//! From IR functions to compact code.
//!
//! Every register gets a slot of its own in the file of its type, every constant a slot that is filled when a frame is
//! made. Blocks are laid out in their order; a block that is some branch's immediate post-dominator begins with
//! [`Op::Join`]. Addresses of globals become constants, since the loader has placed them.

use crate::code::{Code, Fast, FastCmp, FastCvt, LaunchOp, NO_JOIN, Op, Program, Slot, Width};
use ir::analysis::{Cfg, PostDominators};
use ir::op::{BinOp, CmpOp, CvtOp, TriOp, UnOp};
use ir::{AddrBase, Bb, FuncId, FuncKind, Function, InstKind, Module, ParamKind, Reg, SharedSize, Term, Ty, Val};
use mem::address::SHARED_BASE;
use source::Span;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Why a module cannot be run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LoadError {
    /// The function.
    pub function: Arc<str>,
    /// What is wrong.
    pub message: String,
}

/// Compiles every function of `module`, whose global variables lie at `globals`.
pub fn compile(module: Arc<Module>, globals: Vec<u64>) -> Result<Program, LoadError> {
    if globals.len() < module.globals.len() {
        let message = "a global variable has no address".to_owned();
        return Err(LoadError { function: "".into(), message });
    }
    let shared = SharedLayout::new(&module);
    let code = (0..module.funcs.len())
        .map(|i| Compiler::new(&module, &globals, &shared, FuncId(i as u32)).run())
        .collect::<Result<_, _>>()?;
    Ok(Program { module, code, globals })
}

/// Offsets of static shared variables: those of device functions have one place for the whole module, those of a kernel
/// follow, so that a device function finds its own whoever calls it.
struct SharedLayout {
    offsets: Vec<Vec<Option<u64>>>,
    totals: Vec<u64>,
}

impl SharedLayout {
    fn new(module: &Module) -> SharedLayout {
        let mut offsets: Vec<Vec<Option<u64>>> = vec![Vec::new(); module.funcs.len()];
        let mut ends = vec![0; module.funcs.len()];
        let mut device_end = 0;
        let kinds = [FuncKind::Device, FuncKind::Kernel];
        for kind in kinds {
            for (i, f) in module.funcs.iter().enumerate().filter(|(_, f)| f.kind == kind) {
                let mut at = if kind == FuncKind::Device { device_end } else { callee_end(module, i, &ends) };
                for var in &f.shared {
                    offsets[i].push(match var.size {
                        SharedSize::Static(bytes) => {
                            at = u64::next_multiple_of(at, var.align.max(1));
                            at += bytes;
                            Some(at - bytes)
                        }
                        SharedSize::Dynamic => None,
                    });
                }
                ends[i] = at;
                if kind == FuncKind::Device {
                    device_end = at;
                }
            }
        }
        let totals = (0..module.funcs.len()).map(|i| callee_end(module, i, &ends).max(ends[i])).collect();
        SharedLayout { offsets, totals }
    }
}

/// The end of the shared variables of everything that `func` reaches by calls.
fn callee_end(module: &Module, func: usize, ends: &[u64]) -> u64 {
    let mut seen = BTreeSet::new();
    let mut work = vec![func];
    let mut end = 0;
    while let Some(f) = work.pop() {
        for inst in module.funcs[f].blocks.iter().flat_map(|b| &b.insts) {
            if let InstKind::Call { func, .. } = &inst.kind
                && seen.insert(func.index())
            {
                end = end.max(ends[func.index()]);
                work.push(func.index());
            }
        }
    }
    end
}

struct Compiler<'a> {
    module: &'a Module,
    globals: &'a [u64],
    shared: &'a SharedLayout,
    id: FuncId,
    f: &'a Function,
    code: Code,
    consts: BTreeMap<(u8, u64), Slot>,
    starts: Vec<u32>,
    joins: Vec<Option<Bb>>,
    fixups: Vec<usize>,
}

impl<'a> Compiler<'a> {
    fn new(module: &'a Module, globals: &'a [u64], shared: &'a SharedLayout, id: FuncId) -> Compiler<'a> {
        let f = module.func(id);
        Compiler {
            module,
            globals,
            shared,
            id,
            f,
            code: Code::default(),
            consts: BTreeMap::new(),
            starts: Vec::new(),
            joins: Vec::new(),
            fixups: Vec::new(),
        }
    }

    fn run(mut self) -> Result<Code, LoadError> {
        self.place();
        let cfg = Cfg::new(self.f);
        let post = PostDominators::new(&cfg);
        self.joins = (0..self.f.blocks.len())
            .map(|i| match self.f.blocks[i].term {
                Term::Branch { .. } | Term::Switch { .. } => post.ipdom(Bb(i as u32)),
                _ => None,
            })
            .collect();
        let targets: BTreeSet<Bb> = self.joins.iter().flatten().copied().collect();
        for (i, block) in self.f.blocks.iter().enumerate() {
            let bb = Bb(i as u32);
            self.starts.push(self.code.ops.len() as u32);
            if targets.contains(&bb) {
                self.push(Op::Join, block.insts.first().map_or(block.term_span, |inst| inst.span));
            }
            for inst in &block.insts {
                let op = self.inst(&inst.kind)?;
                self.push(op, inst.span);
            }
            let op = self.term(bb, &block.term);
            self.fixups.push(self.code.ops.len());
            self.push(op, block.term_span);
        }
        self.resolve();
        Ok(self.code)
    }

    fn push(&mut self, op: Op, span: Span) {
        self.code.ops.push(op);
        self.code.spans.push(span);
    }

    fn error(&self, message: impl Into<String>) -> LoadError {
        LoadError { function: self.f.name.clone(), message: message.into() }
    }

    /// Gives slots to registers, and places to parameters, local and shared memory.
    fn place(&mut self) {
        for reg in &self.f.regs {
            let file = file_of(reg.ty);
            let slot = self.code.files[file];
            self.code.files[file] += 1;
            self.code.slots.push((reg.ty, slot));
        }
        let mut local = 0u64;
        for slot in &self.f.locals {
            local = local.next_multiple_of(slot.align.max(1));
            self.code.local_offsets.push(local);
            local += slot.bytes;
        }
        for param in &self.f.params {
            self.code.params.push(self.code.slots[param.reg.index()]);
            self.code.param_offsets.push(match param.kind {
                ParamKind::Value => None,
                ParamKind::Bytes { bytes, align } => {
                    local = local.next_multiple_of(align.max(1));
                    local += bytes;
                    Some(local - bytes)
                }
            });
        }
        self.code.local_bytes = local.next_multiple_of(8);
        self.code.shared_offsets = self.shared.offsets[self.id.index()].clone();
        self.code.shared_bytes = self.shared.totals[self.id.index()];
    }

    fn slot(&mut self, val: Val, ty: Ty) -> Slot {
        match val {
            Val::Reg(reg) => self.code.slots[reg.index()].1,
            Val::Imm(bits) => self.constant(ty, bits),
        }
    }

    fn constant(&mut self, ty: Ty, bits: u64) -> Slot {
        let file = file_of(ty);
        if let Some(&slot) = self.consts.get(&(file as u8, bits)) {
            return slot;
        }
        let slot = self.code.files[file];
        self.code.files[file] += 1;
        match file {
            0 => self.code.constsp.push((slot, bits & 1 != 0)),
            1 => self.code.consts32.push((slot, bits as u32)),
            _ => self.code.consts64.push((slot, bits)),
        }
        self.consts.insert((file as u8, bits), slot);
        slot
    }

    fn dst(&self, reg: Reg) -> Slot {
        self.code.slots[reg.index()].1
    }

    fn typed(&mut self, vals: &[Val], tys: impl Fn(usize) -> Option<Ty>) -> Result<Box<[(Ty, Slot)]>, LoadError> {
        let mut out = Vec::new();
        for (i, &val) in vals.iter().enumerate() {
            let Some(ty) = tys(i) else { return Err(self.error("a call has too many arguments")) };
            out.push((ty, self.slot(val, ty)));
        }
        Ok(out.into())
    }

    fn param_types(&self, func: FuncId) -> Vec<Ty> {
        let f = self.module.func(func);
        f.params.iter().map(|p| f.ty(p.reg)).collect()
    }

    fn inst(&mut self, kind: &InstKind) -> Result<Op, LoadError> {
        Ok(match *kind {
            InstKind::Un { op, ty, dst, a } => {
                let (d, a) = (self.dst(dst), self.slot(a, ty));
                unary(op, ty, d, a)
            }
            InstKind::Bin { op, ty, dst, a, b } => {
                let (d, a, b) = (self.dst(dst), self.slot(a, ty), self.slot(b, ty));
                binary(op, ty, d, a, b)
            }
            InstKind::Tri { op, ty, dst, a, b, c } => {
                let (d, a, b, c) = (self.dst(dst), self.slot(a, ty), self.slot(b, ty), self.slot(c, ty));
                match (op, ty) {
                    (TriOp::Fma, Ty::F32) => Op::FmaF32 { d, a, b, c },
                    (TriOp::Fma, Ty::F64) => Op::FmaF64 { d, a, b, c },
                    (TriOp::Mad, Ty::I32) => Op::MadI32 { d, a, b, c },
                    (TriOp::Mad, Ty::I64) => Op::MadI64 { d, a, b, c },
                    _ => Op::EvalTri { op, ty, d, a, b, c },
                }
            }
            InstKind::Cmp { op, ty, dst, a, b } => {
                let (d, a, b) = (self.dst(dst), self.slot(a, ty), self.slot(b, ty));
                compare(op, ty, d, a, b)
            }
            InstKind::Select { ty, dst, cond, a, b } => {
                let (d, p) = (self.dst(dst), self.slot(cond, Ty::Pred));
                let (a, b) = (self.slot(a, ty), self.slot(b, ty));
                match file_of(ty) {
                    0 => Op::SelP { d, p, a, b },
                    1 => Op::Sel32 { d, p, a, b },
                    _ => Op::Sel64 { d, p, a, b },
                }
            }
            InstKind::Cvt { op, from, to, dst, a } => {
                let (d, a) = (self.dst(dst), self.slot(a, from));
                convert(op, from, to, d, a)
            }
            InstKind::Addr { dst, base } => self.addr(dst, base),
            InstKind::Load { ty, space, access, dst, addr, offset } => Op::Load {
                width: Width::of(ty),
                space,
                access,
                d: self.dst(dst),
                addr: self.slot(addr, Ty::I64),
                offset,
            },
            InstKind::Store { ty, space, access, addr, offset, value } => Op::Store {
                width: Width::of(ty),
                space,
                access,
                addr: self.slot(addr, Ty::I64),
                offset,
                value: self.slot(value, ty),
            },
            InstKind::Atomic { op, ty, space, scope, dst, addr, offset, a, b } => Op::Atomic {
                op,
                ty,
                space,
                scope,
                d: dst.map(|d| self.dst(d)),
                addr: self.slot(addr, Ty::I64),
                offset,
                a: self.slot(a, ty),
                b: b.map(|b| self.slot(b, ty)),
            },
            InstKind::Fence { scope } => Op::Fence { scope },
            InstKind::Barrier { op, dst, a } => {
                Op::Barrier { op, d: dst.map(|d| self.dst(d)), a: a.map(|a| self.slot(a, Ty::Pred)) }
            }
            InstKind::SyncWarp { mask } => Op::SyncWarp { mask: self.slot(mask, Ty::I32) },
            InstKind::Vote { op, ty, dst, mask, a } => {
                Op::Vote { op, ty, d: self.dst(dst), mask: mask.map(|m| self.slot(m, Ty::I32)), a: self.slot(a, ty) }
            }
            InstKind::Shuffle { op, ty, dst, a, lane, width } => Op::Shuffle {
                op,
                ty,
                d: self.dst(dst),
                a: self.slot(a, ty),
                lane: self.slot(lane, Ty::I32),
                width: self.slot(width, Ty::I32),
            },
            InstKind::Special { reg, dst } => Op::Special { reg, d: self.dst(dst) },
            InstKind::Call { func, ref args, ref results } => {
                let tys = self.param_types(func);
                let args = self.typed(args, |i| tys.get(i).copied())?;
                Op::Call { func, args, results: results.iter().map(|&r| self.code.slots[r.index()]).collect() }
            }
            InstKind::Rt { rt, ref args, ref results } => {
                let args = self.typed(args, |i| rt.params().get(i).copied())?;
                Op::Rt { rt, args, results: results.iter().map(|&r| self.code.slots[r.index()]).collect() }
            }
            InstKind::Launch { func, config, ref args } => {
                let tys = self.param_types(func);
                let mut extents = [0; 6];
                for (slot, val) in extents.iter_mut().zip(config.grid.iter().chain(&config.block)) {
                    *slot = self.slot(*val, Ty::I32);
                }
                let (bytes, stream) = (self.slot(config.bytes, Ty::I64), self.slot(config.stream, Ty::I64));
                let args = self.typed(args, |i| tys.get(i).copied())?;
                Op::Launch(Box::new(LaunchOp { func, extents, bytes, stream, args }))
            }
            InstKind::Stmt => Op::Stmt,
            InstKind::BackEdge => Op::BackEdge,
        })
    }

    fn addr(&mut self, dst: Reg, base: AddrBase) -> Op {
        let d = self.dst(dst);
        match base {
            AddrBase::Local(id) => Op::LocalAddr { d, offset: self.code.local_offsets[id.index()] },
            AddrBase::Shared(id) => match self.code.shared_offsets[id.index()] {
                Some(offset) => Op::Mov64 { d, a: self.constant(Ty::I64, SHARED_BASE + offset) },
                None => Op::DynamicShared { d },
            },
            AddrBase::Global(id) => Op::Mov64 { d, a: self.constant(Ty::I64, self.globals[id.index()]) },
        }
    }

    fn term(&mut self, bb: Bb, term: &Term) -> Op {
        let join = self.joins[bb.index()].map_or(NO_JOIN, |j| j.0);
        match term {
            Term::Jump(to) => Op::Jump { to: to.0 },
            Term::Branch { cond, then_bb, else_bb } => {
                Op::Branch { p: self.slot(*cond, Ty::Pred), then_pc: then_bb.0, else_pc: else_bb.0, join }
            }
            Term::Switch { ty, value, arms, default } => Op::Switch {
                wide: file_of(*ty) == 2,
                ty: *ty,
                a: self.slot(*value, *ty),
                arms: arms.iter().map(|&(v, bb)| (v, bb.0)).collect(),
                default: default.0,
                join,
            },
            Term::Return(values) => {
                let tys = self.f.results.clone();
                let values = values.iter().zip(tys).map(|(&v, ty)| (ty, self.slot(v, ty))).collect();
                Op::Return { values }
            }
            Term::Exit => Op::Exit,
            Term::Trap(trap) => Op::Trap(*trap),
        }
    }

    /// Turns block numbers in terminators into operation numbers.
    fn resolve(&mut self) {
        let at = |bb: &mut u32| {
            if *bb != NO_JOIN {
                *bb = self.starts[*bb as usize];
            }
        };
        for &i in &self.fixups {
            match &mut self.code.ops[i] {
                Op::Jump { to } => at(to),
                Op::Branch { then_pc, else_pc, join, .. } => {
                    at(then_pc);
                    at(else_pc);
                    at(join);
                }
                Op::Switch { arms, default, join, .. } => {
                    arms.iter_mut().for_each(|(_, pc)| at(pc));
                    at(default);
                    at(join);
                }
                _ => {}
            }
        }
    }
}

/// Which file a type lives in: 0 predicates, 1 words, 2 longs.
fn file_of(ty: Ty) -> usize {
    match ty {
        Ty::Pred => 0,
        Ty::I8 | Ty::I16 | Ty::I32 | Ty::F32 => 1,
        Ty::I64 | Ty::F64 => 2,
    }
}

fn unary(op: UnOp, ty: Ty, d: Slot, a: Slot) -> Op {
    match (op, ty) {
        (UnOp::Mov, _) => match file_of(ty) {
            0 => Op::MovP { d, a },
            1 => Op::Mov32 { d, a },
            _ => Op::Mov64 { d, a },
        },
        (UnOp::Not, Ty::Pred) => Op::NotP { d, a },
        (UnOp::Neg, Ty::F32) => Op::NegF32 { d, a },
        (UnOp::Neg, Ty::F64) => Op::NegF64 { d, a },
        (UnOp::Sqrt, Ty::F32) => Op::SqrtF32 { d, a },
        (UnOp::Sqrt, Ty::F64) => Op::SqrtF64 { d, a },
        _ => Op::EvalUn { op, ty, d, a },
    }
}

fn binary(op: BinOp, ty: Ty, d: Slot, a: Slot, b: Slot) -> Op {
    let real = ty.is_real();
    let fast = match op {
        BinOp::Add if real => Some(Fast::AddF),
        BinOp::Sub if real => Some(Fast::SubF),
        BinOp::Mul if real => Some(Fast::MulF),
        BinOp::Div if real => Some(Fast::DivF),
        BinOp::Min if real => Some(Fast::MinF),
        BinOp::Max if real => Some(Fast::MaxF),
        BinOp::Add => Some(Fast::AddI),
        BinOp::Sub => Some(Fast::SubI),
        BinOp::Mul => Some(Fast::MulI),
        BinOp::Div => Some(Fast::DivI),
        BinOp::Rem => Some(Fast::RemI),
        BinOp::Min => Some(Fast::MinI),
        BinOp::Max => Some(Fast::MaxI),
        BinOp::And => Some(Fast::And),
        BinOp::Or => Some(Fast::Or),
        BinOp::Xor => Some(Fast::Xor),
        BinOp::Shl => Some(Fast::Shl),
        BinOp::ShrU => Some(Fast::ShrU),
        BinOp::ShrS => Some(Fast::ShrS),
        BinOp::MulHi | BinOp::Copysign | BinOp::Fmod => None,
    };
    match (ty, op, fast) {
        (Ty::Pred, BinOp::And, _) => Op::AndP { d, a, b },
        (Ty::Pred, BinOp::Or, _) => Op::OrP { d, a, b },
        (Ty::Pred, BinOp::Xor, _) => Op::XorP { d, a, b },
        (Ty::I32 | Ty::F32, _, Some(op)) => Op::Bin32 { op, d, a, b },
        (Ty::I64 | Ty::F64, _, Some(op)) => Op::Bin64 { op, d, a, b },
        _ => Op::EvalBin { op, ty, d, a, b },
    }
}

fn compare(op: CmpOp, ty: Ty, d: Slot, a: Slot, b: Slot) -> Op {
    let fast = match (op, ty.is_real()) {
        (CmpOp::Eq, false) => FastCmp::EqI,
        (CmpOp::Ne, false) => FastCmp::NeI,
        (CmpOp::Lt, false) => FastCmp::LtI,
        (CmpOp::Le, false) => FastCmp::LeI,
        (CmpOp::Gt, false) => FastCmp::GtI,
        (CmpOp::Ge, false) => FastCmp::GeI,
        (CmpOp::LtU, _) => FastCmp::LtU,
        (CmpOp::GeU, _) => FastCmp::GeU,
        (CmpOp::Eq, true) => FastCmp::EqF,
        (CmpOp::Ne, true) => FastCmp::NeF,
        (CmpOp::Lt, true) => FastCmp::LtF,
        (CmpOp::Le, true) => FastCmp::LeF,
        (CmpOp::Gt, true) => FastCmp::GtF,
        (CmpOp::Ge, true) => FastCmp::GeF,
    };
    match ty {
        Ty::I32 | Ty::F32 => Op::Cmp32 { op: fast, d, a, b },
        Ty::I64 | Ty::F64 => Op::Cmp64 { op: fast, d, a, b },
        _ => Op::EvalCmp { op, ty, d, a, b },
    }
}

fn convert(op: CvtOp, from: Ty, to: Ty, d: Slot, a: Slot) -> Op {
    let fast = match (op, from, to) {
        (CvtOp::Cast, Ty::I32, Ty::I64) => FastCvt::I32ToI64,
        (CvtOp::Cast, Ty::I64, Ty::I32) => FastCvt::I64ToI32,
        (CvtOp::Cast, Ty::I32, Ty::F32) => FastCvt::I32ToF32,
        (CvtOp::Cast, Ty::I32, Ty::F64) => FastCvt::I32ToF64,
        (CvtOp::Cast, Ty::F32, Ty::F64) => FastCvt::F32ToF64,
        (CvtOp::Cast, Ty::F64, Ty::F32) => FastCvt::F64ToF32,
        (CvtOp::Cast, Ty::F32, Ty::I32) => FastCvt::F32ToI32,
        (CvtOp::Cast, Ty::F64, Ty::I32) => FastCvt::F64ToI32,
        (CvtOp::Cast, Ty::I64, Ty::F64) => FastCvt::I64ToF64,
        (CvtOp::Bits, _, _) if file_of(from) == 1 && file_of(to) == 1 => return Op::Mov32 { d, a },
        (CvtOp::Bits, _, _) if file_of(from) == 2 && file_of(to) == 2 => return Op::Mov64 { d, a },
        _ => return Op::EvalCvt { op, from, to, d, a },
    };
    Op::Cvt { op: fast, d, a }
}
