//! Makes valid device code of any bytes: each choice is the next byte, and after the last byte every choice is the first.
//!
//! The code is structured (choices, loops, calls of earlier procedures) and uses every format of instruction and every
//! operation that device code has, at every type. It is made to be printed, not to be run: addresses may be anything.

use ir::op::{AtomOp, BarOp, BinOp, CmpOp, CvtOp, ShflOp, Special, TriOp, UnOp, VoteOp};
use ir::rt::{Rt, Side};
use ir::{
    Access, AddrBase, Bb, DebugType, DebugTypeId, DebugTypeKind, DebugVar, FuncId, FuncKind, Function, FunctionBuilder,
    Global, GlobalId, GlobalInit, InstKind, LocalId, LocalSlot, Module, Reg, Scope, SharedId, SharedSize, SharedVar,
    Space, Trap, Ty, Val, VarLoc, VarShape,
};
use source::{FileId, Span};

/// Most statements of a function.
const STATEMENTS: usize = 60;

/// Deepest nesting of choices and loops.
const DEPTH: usize = 4;

/// Types that memory has.
const STORED: [Ty; 6] = [Ty::I32, Ty::F32, Ty::I64, Ty::F64, Ty::I16, Ty::I8];

/// The bytes that choose.
struct Choices<'a> {
    bytes: &'a [u8],
}

impl Choices<'_> {
    fn byte(&mut self) -> u8 {
        let Some((&first, rest)) = self.bytes.split_first() else { return 0 };
        self.bytes = rest;
        first
    }

    fn is_over(&self) -> bool {
        self.bytes.is_empty()
    }

    /// A number below `n`, which is small.
    fn below(&mut self, n: usize) -> usize {
        usize::from(self.byte()) % n.max(1)
    }

    fn pick<T: Copy>(&mut self, list: &[T]) -> T {
        list[self.below(list.len())]
    }

    fn word(&mut self) -> u64 {
        (0..8).fold(0, |word, _| word << 8 | u64::from(self.byte()))
    }

    /// A constant of type `ty`, often one that operations treat in a special way.
    fn constant(&mut self, ty: Ty) -> Val {
        let word = match self.below(8) {
            0 => 1,
            1 => u64::MAX,
            2 => 1 << self.below(64),
            3 => self.word(),
            4 => u64::from(self.byte()),
            5 if ty == Ty::F32 => self.pick(&[0x7fff_ffff, 0x7f80_0000, 0x8000_0000, 0x3f80_0000, 0x0080_0000]),
            5 if ty == Ty::F64 => self.pick(&[0xfff8 << 48, 0x7ff0 << 48, 1 << 63, 0x3ff0 << 48, 1 << 52]),
            6 => u64::MAX >> 1,
            _ => 0,
        };
        Val::Imm(scalar::bits::canonical(ty, word))
    }
}

/// A module of device procedures and one or two kernels.
pub fn module(bytes: &[u8]) -> Module {
    let mut choices = Choices { bytes };
    let mut module = Module::default();
    module.types.push(DebugType { name: "integer(4)".into(), bytes: 4, kind: DebugTypeKind::Integer });
    for index in 0..choices.below(4) {
        let global = global(&mut choices, index);
        module.globals.push(global);
    }
    let (procedures, kernels) = (choices.below(4), 1 + choices.below(2));
    for index in 0..procedures + kernels {
        let kind = if index < procedures { FuncKind::Device } else { FuncKind::Kernel };
        let func = function(&mut choices, &module, &format!("f{index}"), kind);
        module.funcs.push(func);
    }
    module
}

/// Whether the printer may refuse that of a module made here: of a generic address it may find out that it is of a space
/// which has no atomics, or is not written.
pub fn may_be_refused(what: &str) -> bool {
    let on_other_targets = [
        "clusters on a GPU",
        "copies that are waited for on a GPU",
        "barriers and bulk copies in shared memory on a GPU",
        "`cudaDeviceSynchronize` in device code",
    ];
    // Questions about kernels have any number here.
    let about_kernels = [
        "a question about a kernel that is known at run time only",
        "a launch of what is no kernel",
        "a call of a procedure that does not exist",
    ];
    what.starts_with("an atomic operation on")
        || on_other_targets.iter().chain(&about_kernels).any(|start| what.starts_with(start))
        || ["a store to constant memory", "a copy of an unknown number of bytes"].contains(&what)
}

/// The kernels of a module.
pub fn kernels(module: &Module) -> Vec<FuncId> {
    let ids = (0..module.funcs.len() as u32).map(FuncId);
    ids.filter(|&id| module.func(id).kind == FuncKind::Kernel).collect()
}

fn global(choices: &mut Choices<'_>, index: usize) -> Global {
    let bytes = choices.below(65) as u64;
    let init = match choices.below(3) {
        0 => GlobalInit::Zero,
        1 => GlobalInit::Bytes((0..bytes).map(|_| choices.byte()).collect::<Vec<u8>>().into()),
        _ => GlobalInit::None,
    };
    let space = choices.pick(&[Space::Global, Space::Const]);
    Global {
        name: choices.pick(&["m.x", "m.a$b", "p.é", ".", "x y"]).to_owned().into_boxed_str().into(),
        space,
        managed: space == Space::Global && choices.below(3) == 0,
        bytes,
        align: 1 << choices.below(5),
        init,
        holes: Vec::new(),
        read_only: choices.below(2) == 0,
        var: None,
        span: Span::new(FileId(0), index as u32, index as u32 + 1),
    }
}

/// One function in the making.
struct Making<'a, 'b, 'm> {
    choices: &'a mut Choices<'b>,
    module: &'m Module,
    b: FunctionBuilder,
    /// Registers that may be read here: parameters, variables, temporaries whose definition dominates this place.
    known: Vec<Reg>,
    /// Those that may be assigned.
    variables: Vec<Reg>,
    /// Blocks that CYCLE and EXIT go to.
    loops: Vec<(Bb, Bb)>,
    statements: usize,
}

fn function(choices: &mut Choices<'_>, module: &Module, name: &str, kind: FuncKind) -> Function {
    let mut b = FunctionBuilder::new(name, kind, Span::new(FileId(0), 0, 1));
    let (mut known, mut variables) = (Vec::new(), Vec::new());
    for index in 0..choices.below(5) {
        let name = format!("p{index}");
        match choices.below(8) {
            0 => known.push(b.bytes_param(choices.below(33) as u64, 1 << choices.below(5), name)),
            1 if kind == FuncKind::Device => known.push(b.param(Ty::Pred, name)),
            2 | 3 => {
                let reg = b.mutable_param(choices.pick(&STORED), name);
                known.push(reg);
                variables.push(reg);
            }
            _ => known.push(b.param(choices.pick(&STORED), name)),
        }
    }
    if kind == FuncKind::Device {
        for _ in 0..choices.below(3) {
            b.result(choices.pick(&Ty::ALL));
        }
    }
    for index in 0..choices.below(4) {
        let align = 1 << choices.below(5);
        b.add_local(LocalSlot {
            bytes: choices.below(100) as u64,
            align,
            name: format!("l{index}").into(),
            span: Span::NONE,
            inlined: ir::InlineId::NONE,
        });
    }
    for index in 0..choices.below(4) {
        let size = match choices.below(4) {
            0 => SharedSize::Dynamic,
            _ => SharedSize::Static(choices.below(256) as u64),
        };
        b.add_shared(SharedVar {
            name: format!("s{index}").into(),
            size,
            align: 1 << choices.below(5),
            element_bytes: 4,
            bounds: Vec::new(),
            span: Span::NONE,
        });
    }
    for index in 0..choices.below(6) {
        let ty = choices.pick(&Ty::ALL);
        let reg = b.mutable(ty);
        let first = choices.constant(ty);
        b.set(reg, first);
        if choices.below(2) == 0 {
            b.add_var(DebugVar {
                name: format!("v{index}").into(),
                ty: DebugTypeId(0),
                shape: VarShape::Scalar,
                loc: VarLoc::Reg(reg),
                lengths: ir::VarLengths::Values(Vec::new()),
                source_id: index as u32,
                is_dummy: false,
                inlined: ir::InlineId::NONE,
                span: Span::NONE,
            });
        }
        known.push(reg);
        variables.push(reg);
    }
    let mut making = Making { choices, module, b, known, variables, loops: Vec::new(), statements: STATEMENTS };
    making.body(0);
    making.end();
    making.b.finish()
}

impl Making<'_, '_, '_> {
    fn body(&mut self, depth: usize) {
        loop {
            if self.choices.is_over() || self.statements == 0 || self.b.is_terminated() || self.choices.below(9) == 8 {
                break;
            }
            self.statements -= 1;
            self.b.stmt(Span::new(FileId(0), self.statements as u32, self.statements as u32 + 2));
            self.statement(depth);
        }
    }

    /// Ends the function, or the thread, or the run.
    fn end(&mut self) {
        match self.choices.below(8) {
            1 => self.b.exit(),
            2 => self.b.trap(Trap::ZeroStep),
            3 => self.b.trap(Trap::Unreachable),
            4 => self.b.trap(Trap::Unsupported),
            _ => {
                let results = self.b.func().results.clone();
                let values = results.into_iter().map(|ty| self.value(ty, 2)).collect();
                self.b.ret(values);
            }
        }
    }

    fn statement(&mut self, depth: usize) {
        match self.choices.below(16) {
            0..=3 => {
                let Some(&reg) = self.variables.get(self.choices.below(self.variables.len())) else { return };
                let value = self.value(self.b.ty(reg), 3);
                self.b.set(reg, value);
            }
            4 | 5 => {
                let ty = self.choices.pick(&STORED);
                let (space, addr, offset) = self.place(true);
                let value = self.value(ty, 2);
                let access = self.choices.pick(&[Access::Plain, Access::Volatile]);
                self.b.store(ty, space, access, addr, offset, value);
            }
            6 => self.atomic(),
            7 => self.together(),
            8 => self.call(),
            9 | 10 => self.service(),
            11 if depth < DEPTH => self.choice(depth),
            12 if depth < DEPTH => self.switch(depth),
            13 if depth < DEPTH => self.repeat(depth),
            14 => match self.loops.last().copied() {
                Some((latch, done)) => {
                    let condition = self.value(Ty::Pred, 2);
                    let (to, next) = (self.choices.pick(&[latch, done]), self.b.new_block());
                    self.b.branch(condition, to, next);
                    self.b.switch_to(next);
                }
                None => self.b.fence(self.choices.pick(&[Scope::Block, Scope::Device, Scope::System])),
            },
            _ if depth > 0 && self.choices.below(4) == 3 => self.end(),
            _ => {
                let reg = self.b.special(self.choices.pick(Special::ALL));
                self.known.push(reg);
            }
        }
    }

    fn atomic(&mut self) {
        let ty = self.choices.pick(&[Ty::I32, Ty::I64, Ty::F32, Ty::F64]);
        let op = self.choices.pick(AtomOp::ALL);
        let is_held = op.class().has(ty) && (op != AtomOp::AddHalf || ty == Ty::I32);
        let op = if is_held { op } else { AtomOp::Exch };
        let (space, addr, offset) = self.place(true);
        let space = if matches!(space, Space::Global | Space::Shared) { space } else { Space::Generic };
        let scope = self.choices.pick(&[Scope::Block, Scope::Device, Scope::System]);
        let a = self.value(ty, 1);
        let b = (op == AtomOp::Cas).then(|| self.value(ty, 1));
        let dst = (self.choices.below(2) == 0).then(|| self.b.temp(ty));
        let used = dst.is_some();
        self.b.push(InstKind::Atomic { op, ty, space, scope, dst, used, addr, offset, a, b });
        self.known.extend(dst);
    }

    /// What the threads of a block or a warp do together.
    fn together(&mut self) {
        let reg = match self.choices.below(5) {
            0 => return self.b.sync_threads(),
            1 => {
                let mask = self.value(Ty::I32, 1);
                return self.b.sync_warp(mask);
            }
            2 => {
                let a = self.value(Ty::Pred, 1);
                self.b.barrier(self.choices.pick(&[BarOp::And, BarOp::Or, BarOp::Count]), a)
            }
            3 => {
                let op = self.choices.pick(VoteOp::ALL);
                let ty = if op.is_match() { self.choices.pick(&Ty::ALL) } else { Ty::Pred };
                let mask = (self.choices.below(2) == 0).then(|| self.value(Ty::I32, 1));
                let a = self.value(ty, 1);
                self.b.vote(op, ty, mask, a)
            }
            _ => {
                let (op, ty) = (self.choices.pick(ShflOp::ALL), self.choices.pick(&STORED));
                let (a, lane, width) = (self.value(ty, 1), self.value(Ty::I32, 1), self.value(Ty::I32, 1));
                self.b.shuffle(op, ty, a, lane, width)
            }
        };
        self.known.push(reg);
    }

    fn call(&mut self) {
        let ids: Vec<usize> =
            (0..self.module.funcs.len()).filter(|&i| self.module.funcs[i].kind == FuncKind::Device).collect();
        if ids.is_empty() {
            return;
        }
        let id = self.choices.pick(&ids);
        let callee = &self.module.funcs[id];
        let args = callee.params.iter().map(|p| self.value(callee.ty(p.reg), 1)).collect();
        let results = self.b.call(FuncId(id as u32), args, &callee.results);
        self.known.extend(results);
    }

    fn service(&mut self) {
        let services: Vec<Rt> = Rt::ALL.iter().copied().filter(|rt| rt.side() != Side::Host).collect();
        let rt = self.choices.pick(&services);
        let mut args: Vec<Val> = rt.params().iter().map(|&ty| self.value(ty, 1)).collect();
        if rt == Rt::IoBegin {
            args[0] = Val::i32(0);
        }
        let results = self.b.rt(rt, args);
        self.known.extend(results);
    }

    /// The blocks of one arm; what is defined in it is not known behind it.
    fn arm(&mut self, bb: Bb, done: Bb, depth: usize) {
        self.b.switch_to(bb);
        let mark = self.known.len();
        self.body(depth + 1);
        self.known.truncate(mark);
        self.b.jump(done);
    }

    fn choice(&mut self, depth: usize) {
        let condition = self.value(Ty::Pred, 2);
        let (then_bb, else_bb, done) = (self.b.new_block(), self.b.new_block(), self.b.new_block());
        self.b.branch(condition, then_bb, else_bb);
        self.arm(then_bb, done, depth);
        self.arm(else_bb, done, depth);
        self.b.switch_to(done);
    }

    fn switch(&mut self, depth: usize) {
        let ty = self.choices.pick(&[Ty::I32, Ty::I64, Ty::I16, Ty::I8]);
        let value = self.value(ty, 2);
        let first = self.choices.pick(&[0, -1, i64::from(i32::MIN), 127, 1 << 40]);
        let arms: Vec<(i64, Bb)> = (0..self.choices.below(4) as i64).map(|i| (first + i, self.b.new_block())).collect();
        let done = self.b.new_block();
        self.b.switch(ty, value, arms.clone(), done);
        for (_, bb) in arms {
            self.arm(bb, done, depth);
        }
        self.b.switch_to(done);
    }

    fn repeat(&mut self, depth: usize) {
        let [head, latch, done] = std::array::from_fn(|_| self.b.new_block());
        self.b.jump(head);
        self.loops.push((latch, done));
        self.arm(head, latch, depth);
        self.loops.pop();
        self.b.switch_to(latch);
        self.b.back_edge();
        let mark = self.known.len();
        let again = self.value(Ty::Pred, 1);
        self.b.branch(again, head, done);
        // An EXIT comes here without what the end of the loop computes.
        self.known.truncate(mark);
        self.b.switch_to(done);
    }

    /// A place in memory: its space, address and offset.
    fn place(&mut self, is_written: bool) -> (Space, Val, i64) {
        let offset = match self.choices.below(6) {
            0 => i64::from(self.choices.byte()),
            1 => -4,
            2 => self.choices.word() as i64,
            _ => 0,
        };
        let func = self.b.func();
        let (locals, shared, globals) = (func.locals.len(), func.shared.len(), self.module.globals.len());
        let (space, base) = match self.choices.below(6) {
            0 if locals > 0 => (Space::Local, AddrBase::Local(LocalId(self.choices.below(locals) as u32))),
            1 if shared > 0 => (Space::Shared, AddrBase::Shared(SharedId(self.choices.below(shared) as u32))),
            2 if globals > 0 => {
                let id = self.choices.below(globals);
                (self.module.globals[id].space, AddrBase::Global(GlobalId(id as u32)))
            }
            3 => return (Space::Generic, self.value(Ty::I64, 2), offset),
            4 => {
                let space = self.choices.pick(&[Space::Local, Space::Shared, Space::Const]);
                let space = if is_written && space == Space::Const { Space::Generic } else { space };
                return (space, self.value(Ty::I64, 2), offset);
            }
            _ => return (Space::Global, self.value(Ty::I64, 2), offset),
        };
        let space = if is_written && space == Space::Const { Space::Generic } else { space };
        let mut addr = self.b.addr(base);
        self.known.push(addr);
        if self.choices.below(2) == 1 {
            let index = self.value(Ty::I64, 1);
            let op = self.choices.pick(&[BinOp::Add, BinOp::Sub]);
            addr = self.b.bin(op, Ty::I64, addr, index);
        }
        let space = if self.choices.below(5) == 4 { Space::Generic } else { space };
        (space, addr.into(), offset)
    }

    /// A value of type `ty` that is computed by at most `depth` operations in a row.
    fn value(&mut self, ty: Ty, depth: usize) -> Val {
        let here: Vec<Reg> = self.known.iter().copied().filter(|&r| self.b.ty(r) == ty).collect();
        let choice = self.choices.below(if depth == 0 { 3 } else { 12 });
        if choice < 3 {
            let is_constant = here.is_empty() || choice == 0;
            return if is_constant { self.choices.constant(ty) } else { self.choices.pick(&here).into() };
        }
        let depth = depth - 1;
        let reg = match choice {
            3 => {
                let op = pick_op(self.choices, UnOp::ALL, |op| op.class().has(ty));
                let a = self.value(ty, depth);
                self.b.un(op, ty, a)
            }
            4 | 5 if ty != Ty::Pred => {
                let op = pick_op(self.choices, BinOp::ALL, |op| op.class().has(ty));
                let (a, b) = (self.value(ty, depth), self.value(ty, depth));
                self.b.bin(op, ty, a, b)
            }
            6 if ty != Ty::Pred => {
                let op = pick_op(self.choices, TriOp::ALL, |op| op.class().has(ty));
                let (a, b, c) = (self.value(ty, depth), self.value(ty, depth), self.value(ty, depth));
                self.b.tri(op, ty, a, b, c)
            }
            7 => {
                let (condition, a, b) = (self.value(Ty::Pred, depth), self.value(ty, depth), self.value(ty, depth));
                self.b.select(ty, condition, a, b)
            }
            8 if ty != Ty::Pred => {
                let (space, addr, offset) = self.place(false);
                let access = self.choices.pick(&[Access::Plain, Access::Volatile]);
                self.b.load(ty, space, access, addr, offset)
            }
            9 if ty == Ty::Pred => {
                let op = pick_op(self.choices, BinOp::ALL, |op| op.class().has(ty));
                let (a, b) = (self.value(ty, depth), self.value(ty, depth));
                self.b.bin(op, ty, a, b)
            }
            _ if ty == Ty::Pred => {
                let of = self.choices.pick(&Ty::ALL);
                let op = pick_op(self.choices, CmpOp::ALL, |op| op.class().has(of));
                let (a, b) = (self.value(of, depth), self.value(of, depth));
                self.b.cmp(op, of, a, b)
            }
            _ => {
                let from = pick_op(self.choices, &Ty::ALL, |&from| {
                    CvtOp::ALL.iter().any(|&op| ir::verify::converts(op, from, ty))
                });
                let op = pick_op(self.choices, CvtOp::ALL, |&op| ir::verify::converts(op, from, ty));
                let a = self.value(from, depth);
                self.b.cvt(op, from, ty, a)
            }
        };
        if self.choices.below(2) == 1 {
            self.known.push(reg);
        }
        reg.into()
    }
}

/// One of those that fit; there always is one.
fn pick_op<T: Copy>(choices: &mut Choices<'_>, all: &[T], fits: impl Fn(&T) -> bool) -> T {
    let fitting: Vec<T> = all.iter().copied().filter(fits).collect();
    choices.pick(&fitting)
}
