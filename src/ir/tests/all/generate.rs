//! Makes random valid modules from a seed: device functions with variables, branches, loops, memory and calls.
//!
//! The programs are structured, end by construction (each loop has a counter of its own), and touch only their own global
//! buffer, so that the reference runs every one of them to its end. Equal seeds give equal modules.

use fastrand::Rng;
use ir::op::{AtomOp, BarOp, BinOp, CmpOp, CvtOp, Special, TriOp, TyClass, UnOp};
use ir::{
    Access, AddrBase, Bb, DebugType, DebugTypeId, DebugTypeKind, DebugVar, FuncId, FuncKind, Function, FunctionBuilder,
    Global, GlobalId, GlobalInit, LocalSlot, Module, Reg, Scope, Space, Ty, Val, VarLengths, VarLoc, VarShape,
};
use source::{FileId, Span};

/// Bytes of the global buffer; a power of two.
const BUFFER: u64 = 256;

const TYPES: [Ty; 7] = [Ty::I32, Ty::I32, Ty::I64, Ty::F32, Ty::F64, Ty::I16, Ty::I8];

/// A constant of type `ty`, often one that operations treat in a special way.
pub(crate) fn constant(rng: &mut Rng, ty: Ty) -> u64 {
    let word = match rng.usize(..5) {
        0 => rng.u64(..),
        1 => rng.choice([0, 1, 2, 4, 8, 31, 32, 64]).unwrap(),
        2 => (rng.usize(..20) as u64).wrapping_sub(10),
        3 => 1 << rng.usize(..64),
        _ => match ty {
            Ty::F32 => rng.choice([0x7fff_ffff, 0x7f80_0000, 0x8000_0000, 1, 0x3f80_0000, 0xc000_0000]).unwrap(),
            Ty::F64 => rng.choice([0xfff8 << 48, 0x7ff0 << 48, 1 << 63, 1, 0x3ff0 << 48, 0xc000 << 48]).unwrap(),
            _ => rng.choice([u64::MAX, 0x7fff_ffff, 0x8000_0000, 1 << 63, u64::MAX >> 1, 0x80, 0x7f]).unwrap(),
        },
    };
    scalar::bits::canonical(ty, word)
}

struct Gen<'m> {
    rng: Rng,
    b: FunctionBuilder,
    module: &'m Module,
    /// Temporaries whose definition dominates this place.
    temps: Vec<Reg>,
    vars: Vec<Reg>,
    buffer: Reg,
    local: Reg,
    /// Blocks that BREAK and CYCLE go to.
    loops: Vec<(Bb, Bb)>,
    budget: usize,
    place: u32,
    /// Whether the function only computes: no memory, no synchronisation, no calls.
    computes: bool,
}

/// A module of a few functions; the last is the one to run, with [`arguments`].
pub(crate) fn module(seed: u64) -> Module {
    let mut rng = Rng::with_seed(seed);
    let mut m = Module::default();
    for (name, bytes, kind) in [
        ("integer(4)", 4, DebugTypeKind::Integer),
        ("character(8)", 8, DebugTypeKind::Character(Some(Val::i64(8)))),
        ("logical(1)", 1, DebugTypeKind::Logical),
    ] {
        m.types.push(DebugType { name: name.into(), bytes, kind });
    }
    m.globals.push(Global {
        name: "m.buffer".into(),
        space: Space::Global,
        managed: rng.usize(..2) == 0,
        bytes: BUFFER,
        align: 256,
        init: GlobalInit::Bytes((0..BUFFER).map(|_| rng.u64(..) as u8).collect()),
        holes: Vec::new(),
        read_only: false,
        var: None,
        span: span(1),
    });
    for i in 0..=rng.usize(..3) {
        let seed = rng.u64(..);
        let computes = rng.usize(..3) == 0;
        let f = function(&format!("f{i}"), seed, &m, computes);
        m.funcs.push(f);
    }
    m
}

/// Arguments for function `f`.
pub(crate) fn arguments(f: &Function, rng: &mut Rng) -> Vec<u64> {
    f.params.iter().map(|p| constant(rng, f.ty(p.reg))).collect()
}

fn span(place: u32) -> Span {
    Span::new(FileId(0), place, place + 3)
}

fn function(name: &str, seed: u64, module: &Module, computes: bool) -> Function {
    let mut rng = Rng::with_seed(seed);
    let mut b = FunctionBuilder::new(name, FuncKind::Device, span(0));
    let mut temps = Vec::new();
    let mut vars = Vec::new();
    for i in 0..rng.usize(..4) {
        let ty = *rng.choice(&TYPES).unwrap();
        if rng.usize(..3) == 0 {
            vars.push(b.mutable_param(ty, format!("p{i}")));
        } else {
            temps.push(b.param(ty, format!("p{i}")));
        }
    }
    for _ in 0..=rng.usize(..2) {
        b.result(*rng.choice(&TYPES).unwrap());
    }
    for i in 0..2 + rng.usize(..4) {
        let ty = *rng.choice(&TYPES).unwrap();
        let reg = b.mutable(ty);
        let first = constant(&mut rng, ty);
        b.set(reg, Val::Imm(first));
        if rng.usize(..2) == 0 {
            b.add_var(DebugVar {
                name: format!("v{i}").into(),
                ty: DebugTypeId(0),
                shape: VarShape::Scalar,
                loc: VarLoc::Reg(reg),
                lengths: [VarLengths::default(), VarLengths::Values(vec![Val::i64(3), Val::i64(-1)])][i % 2].clone(),
                source_id: i as u32,
                is_dummy: false,
                inlined: ir::InlineId::NONE,
                span: span(2),
            });
        }
        vars.push(reg);
    }
    let (mut buffer, mut local) = (vars[0], vars[0]);
    if !computes {
        let slot = b.add_local(LocalSlot {
            bytes: 64,
            align: 8,
            name: "tmp".into(),
            span: Span::NONE,
            inlined: ir::InlineId::NONE,
        });
        buffer = b.addr(AddrBase::Global(GlobalId(0)));
        local = b.addr(AddrBase::Local(slot));
    }
    let budget = 10 + rng.usize(..50);
    let mut g = Gen { rng, b, module, temps, vars, buffer, local, loops: Vec::new(), budget, place: 10, computes };
    g.statements(0);
    g.ret();
    g.b.finish()
}

impl Gen<'_> {
    fn statements(&mut self, depth: usize) {
        for _ in 0..=self.rng.usize(..8) {
            if self.budget == 0 || self.b.is_terminated() {
                break;
            }
            self.budget -= 1;
            self.place += 5;
            self.b.stmt(span(self.place));
            let mark = self.temps.len();
            self.statement(depth);
            // Now and then a temporary of one statement is used in the next, as after common subexpressions.
            if self.rng.usize(..2) == 0 && !self.b.is_terminated() {
                continue;
            }
            self.temps.truncate(mark);
        }
    }

    fn ret(&mut self) {
        let results = self.b.func().results.clone();
        let values = results.into_iter().map(|ty| self.expr(ty, 2)).collect();
        self.b.ret(values);
    }

    fn statement(&mut self, depth: usize) {
        match self.rng.usize(..if depth < 3 { 12 } else { 7 }) {
            3..=6 if self.computes => {}
            0..=2 => {
                let var = *self.rng.choice(&self.vars).unwrap();
                let value = self.expr(self.b.ty(var), 3);
                self.b.set(var, value);
            }
            3 => {
                let ty = *self.rng.choice(&TYPES).unwrap();
                let value = self.expr(ty, 2);
                let (space, addr, offset) = self.place(ty);
                self.b.store(ty, space, Access::Plain, addr, offset, value);
            }
            4 => {
                let ty = self.rng.choice([Ty::I32, Ty::I64, Ty::F32, Ty::F64]).unwrap();
                let class = [AtomOp::Add, AtomOp::Max, AtomOp::Exch, AtomOp::And, AtomOp::Inc];
                let op = *self.rng.choice(&class).unwrap();
                let op = if op.class().has(ty) { op } else { AtomOp::Exch };
                let a = self.expr(ty, 1);
                let (_, addr, _) = self.shared_place(ty);
                let old = self.b.atomic(op, ty, Space::Global, Scope::Device, addr, a);
                self.temps.push(old);
            }
            5 => match self.rng.usize(..3) {
                0 => self.b.fence(Scope::Device),
                1 => {
                    let a = self.expr(Ty::Pred, 1);
                    let dst = self.b.barrier(BarOp::Count, a);
                    self.temps.push(dst);
                }
                _ => {
                    let dst = self.b.special(*self.rng.choice(Special::ALL).unwrap());
                    self.temps.push(dst);
                }
            },
            6 if !self.module.funcs.is_empty() && self.loops.is_empty() => {
                let id = self.rng.usize(..self.module.funcs.len());
                let callee = &self.module.funcs[id];
                let types: Vec<Ty> = callee.params.iter().map(|p| callee.ty(p.reg)).collect();
                let args = types.into_iter().map(|ty| self.expr(ty, 1)).collect();
                let results = self.b.call(FuncId(id as u32), args, &callee.results);
                self.temps.extend(results);
            }
            6 | 7 => match self.loops.last().copied() {
                Some((_, done)) if self.rng.usize(..3) == 0 => {
                    let cond = self.expr(Ty::Pred, 2);
                    let next = self.b.new_block();
                    self.b.branch(cond, done, next);
                    self.b.switch_to(next);
                }
                Some((latch, _)) if self.rng.usize(..3) == 0 => {
                    let cond = self.expr(Ty::Pred, 2);
                    let next = self.b.new_block();
                    self.b.branch(cond, next, latch);
                    self.b.switch_to(next);
                }
                _ if depth > 0 && self.rng.usize(..6) == 0 => self.ret(),
                _ => {}
            },
            8 | 9 => {
                let cond = self.expr(Ty::Pred, 2);
                let (then_bb, else_bb, done) = (self.b.new_block(), self.b.new_block(), self.b.new_block());
                self.b.branch(cond, then_bb, else_bb);
                for bb in [then_bb, else_bb] {
                    self.arm(bb, done, depth);
                }
                self.b.switch_to(done);
            }
            10 => {
                let value = self.expr(Ty::I32, 2);
                let arms: Vec<(i64, Bb)> = (0..3).map(|i| (i, self.b.new_block())).collect();
                let done = self.b.new_block();
                self.b.switch(Ty::I32, value, arms.clone(), done);
                for (_, bb) in arms {
                    self.arm(bb, done, depth);
                }
                self.b.switch_to(done);
            }
            _ => self.do_loop(depth),
        }
    }

    fn arm(&mut self, bb: Bb, done: Bb, depth: usize) {
        self.b.switch_to(bb);
        let mark = self.temps.len();
        if self.rng.usize(..4) != 0 {
            self.statements(depth + 1);
        }
        self.temps.truncate(mark);
        self.b.jump(done);
    }

    fn do_loop(&mut self, depth: usize) {
        let counter = self.b.mutable(Ty::I32);
        self.b.set(counter, Val::i32(0));
        let iterations = self.rng.usize(..5) as i32;
        let (head, body, latch, done) =
            (self.b.new_block(), self.b.new_block(), self.b.new_block(), self.b.new_block());
        self.b.jump(head);
        self.b.switch_to(head);
        let more = self.b.cmp(CmpOp::Lt, Ty::I32, counter, Val::i32(iterations));
        self.b.branch(more, body, done);
        self.b.switch_to(body);
        let mark = self.temps.len();
        self.loops.push((latch, done));
        self.vars.push(counter);
        // The counter may be read but not assigned in the body.
        let vars = std::mem::take(&mut self.vars);
        self.temps.push(counter);
        self.vars = vars[..vars.len() - 1].to_vec();
        self.statements(depth + 1);
        self.loops.pop();
        self.temps.truncate(mark);
        self.b.jump(latch);
        self.b.switch_to(latch);
        let next = self.b.bin(BinOp::Add, Ty::I32, counter, Val::i32(1));
        self.b.set(counter, next);
        self.b.back_edge();
        self.b.jump(head);
        self.b.switch_to(done);
    }

    /// A place in the global buffer at which a value of type `ty` is aligned.
    fn shared_place(&mut self, ty: Ty) -> (Space, Val, i64) {
        let size = i64::from(ty.bytes());
        if self.rng.usize(..2) == 0 {
            let offset = self.rng.usize(..BUFFER as usize / 8) as i64 * 8;
            let addr = self.b.bin(BinOp::Add, Ty::I64, self.buffer, Val::i64(offset));
            return (Space::Global, addr.into(), 0);
        }
        let index = self.expr(Ty::I64, 1);
        let index = self.b.bin(BinOp::And, Ty::I64, index, Val::i64(15));
        // As an element with a constant distance, `a(i + 3)`.
        let distance = Val::i64(self.rng.usize(..8) as i64);
        let op = self.rng.choice([BinOp::Add, BinOp::Xor]).unwrap();
        let index = self.b.bin(op, Ty::I64, index, distance);
        let offset = self.b.bin(BinOp::Mul, Ty::I64, index, Val::i64(size));
        let addr = self.b.bin(BinOp::Add, Ty::I64, self.buffer, offset);
        (Space::Global, addr.into(), 0)
    }

    fn place(&mut self, ty: Ty) -> (Space, Val, i64) {
        if self.rng.usize(..3) == 0 {
            return (Space::Local, self.local.into(), self.rng.usize(..7) as i64 * 8);
        }
        self.shared_place(ty)
    }

    fn expr(&mut self, ty: Ty, depth: usize) -> Val {
        let known: Vec<Reg> = self.temps.iter().chain(&self.vars).copied().filter(|&r| self.b.ty(r) == ty).collect();
        if depth == 0 || self.rng.usize(..4) == 0 {
            if !known.is_empty() && self.rng.usize(..3) != 0 {
                return (*self.rng.choice(&known).unwrap()).into();
            }
            return Val::Imm(constant(&mut self.rng, ty));
        }
        let depth = depth - 1;
        let dst = match self.rng.usize(..8) {
            0 => self.un(ty, depth),
            1..=3 => self.bin(ty, depth),
            4 => {
                let (cond, a, b) = (self.expr(Ty::Pred, depth), self.expr(ty, depth), self.expr(ty, depth));
                self.b.select(ty, cond, a, b)
            }
            5 if ty != Ty::Pred && !self.computes => {
                let (space, addr, offset) = self.place(ty);
                let access = if self.rng.usize(..4) == 0 { Access::Volatile } else { Access::Plain };
                self.b.load(ty, space, access, addr, offset)
            }
            6 if ty != Ty::Pred => {
                let op = *self.rng.choice(if ty.is_real() { &[TriOp::Fma] } else { &[TriOp::Mad] }).unwrap();
                let (a, b, c) = (self.expr(ty, depth), self.expr(ty, depth), self.expr(ty, depth));
                self.b.tri(op, ty, a, b, c)
            }
            _ => self.convert(ty, depth),
        };
        if self.rng.usize(..3) == 0 {
            self.temps.push(dst);
        }
        dst.into()
    }

    fn un(&mut self, ty: Ty, depth: usize) -> Reg {
        let ops: Vec<UnOp> = UnOp::ALL.iter().copied().filter(|o| o.class().has(ty)).collect();
        let op = *self.rng.choice(&ops).unwrap();
        let a = self.expr(ty, depth);
        self.b.un(op, ty, a)
    }

    fn bin(&mut self, ty: Ty, depth: usize) -> Reg {
        let ops: Vec<BinOp> = BinOp::ALL.iter().copied().filter(|o| o.class().has(ty)).collect();
        let op = *self.rng.choice(&ops).unwrap();
        let (a, b) = (self.expr(ty, depth), self.expr(ty, depth));
        self.b.bin(op, ty, a, b)
    }

    fn convert(&mut self, ty: Ty, depth: usize) -> Reg {
        let from = *self.rng.choice(&TYPES).unwrap();
        if ty == Ty::Pred {
            let ops: Vec<CmpOp> = CmpOp::ALL.iter().copied().filter(|o| o.class().has(from)).collect();
            let op = *self.rng.choice(&ops).unwrap();
            let (a, b) = (self.expr(from, depth), self.expr(from, depth));
            return self.b.cmp(op, from, a, b);
        }
        if ty.is_int() && self.rng.usize(..4) == 0 {
            let a = self.expr(Ty::Pred, depth);
            return self.b.cvt(CvtOp::PredToInt, Ty::Pred, ty, a);
        }
        let op = match (TyClass::Int.has(from), TyClass::Int.has(ty)) {
            (true, true) => self.rng.choice([CvtOp::Cast, CvtOp::CastU]).unwrap(),
            (false, true) => self.rng.choice([CvtOp::Cast, CvtOp::Nint, CvtOp::FloorI, CvtOp::CeilI]).unwrap(),
            _ if from.bytes() == ty.bytes() => self.rng.choice([CvtOp::Cast, CvtOp::Bits]).unwrap(),
            _ => CvtOp::Cast,
        };
        let a = self.expr(from, depth);
        self.b.cvt(op, from, ty, a)
    }
}
