//! The function under construction and the small services that all parts of lowering share.
//!
//! Block 0 is the *prologue*: it takes the addresses of slots, globals and shared variables, each once and only if
//! something asks for it, so that no access recomputes one. It is open until the function is finished and then jumps to
//! the first real block; because it dominates everything, an address in it may be used anywhere.
//!
//! A *scope* collects what must be freed when the statement or call that opened it is over. Code that may be skipped at
//! run time opens a scope of its own, because what it allocates must be freed on that path only.

use crate::array::Env;
use crate::module::ModuleCx;
use crate::storage::{Desc, Home};
use crate::types::{Side, is_volatile};
use crate::value::Value;
use crate::value::place::Mem;
use crate::value::view::View;
use ir::op::{BinOp, CmpOp};
use ir::rt::Rt;
use ir::{AddrBase, Bb, Function, FunctionBuilder, InstKind, LocalSlot, Reg, Space, Trap, Ty, Val};
use sema::checked::{LoopId, ProcId, Program, Type, VarId};
use source::Span;
use std::collections::BTreeMap;

/// Temporaries up to this size live in the frame, larger ones on the host are allocated.
const LARGEST_SLOT: i64 = 64 * 1024;

/// Something to free.
#[derive(Clone, Debug)]
pub(crate) struct Cleanup {
    /// The memory it was allocated from.
    pub(crate) location: i32,
    /// Its address.
    pub(crate) addr: Val,
    /// Whether the address may be 0, and nothing to free.
    pub(crate) perhaps: bool,
}

/// What happens when a scope is over.
#[derive(Clone, Debug)]
pub(crate) enum Ending {
    /// Memory is freed.
    Memory(Cleanup),
    /// Copies of objects free what they own; they are no objects of the program's and are not finalised.
    Copies(View, Type),
    /// Objects are finalised and free what they own: the result of a function.
    Objects(View, Type),
    /// The same, and their memory is freed: an allocatable result.
    Allocated(Desc, Type, i32),
}

/// A construct that EXIT or CYCLE may name.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Frame {
    pub(crate) id: LoopId,
    pub(crate) exit: Bb,
    pub(crate) cycle: Option<Bb>,
    /// How many blocks with variables of their own were open outside of it.
    pub(crate) blocks: usize,
}

/// The function under construction.
pub(crate) struct Fx<'m, 'p> {
    pub(crate) m: &'m mut ModuleCx<'p>,
    pub(crate) b: FunctionBuilder,
    pub(crate) side: Side,
    pub(crate) program: &'p Program,
    /// The procedure that is lowered; a CUF kernel has that around it.
    pub(crate) proc: ProcId,
    pub(crate) homes: BTreeMap<VarId, Home>,
    /// Element-wise evaluations in progress, innermost last.
    pub(crate) envs: Vec<Env>,
    pub(crate) frames: Vec<Frame>,
    pub(crate) labels: BTreeMap<u32, Bb>,
    /// The variables of each open BLOCK, and of the procedure first, that must be freed when it is left.
    pub(crate) live: Vec<Vec<VarId>>,
    /// Addresses of automatic arrays of each open BLOCK, beside `live`.
    pub(crate) automatic: Vec<Vec<Cleanup>>,
    /// Whether local allocatables are freed at the end: not in the main program.
    pub(crate) frees_locals: bool,
    pub(crate) dynamic_shared: Option<Val>,
    /// In device code that draws random numbers: where the thread counts them.
    pub(crate) draws: Option<Mem>,
    /// How to leave the procedure.
    pub(crate) return_bb: Bb,
    scopes: Vec<Vec<Ending>>,
    addresses: Vec<(AddrBase, Reg)>,
    transfer: Option<(u64, Mem)>,
}

const PROLOGUE: Bb = Bb(0);

impl<'m, 'p> Fx<'m, 'p> {
    /// A function whose first real block is current.
    pub(crate) fn new(m: &'m mut ModuleCx<'p>, mut b: FunctionBuilder, side: Side, proc: ProcId) -> Fx<'m, 'p> {
        let start = b.new_block();
        let return_bb = b.new_block();
        b.switch_to(start);
        let program = m.program;
        Fx {
            m,
            b,
            side,
            program,
            proc,
            homes: BTreeMap::new(),
            envs: Vec::new(),
            frames: Vec::new(),
            labels: BTreeMap::new(),
            live: vec![Vec::new()],
            automatic: vec![Vec::new()],
            frees_locals: true,
            dynamic_shared: None,
            draws: None,
            return_bb,
            scopes: vec![Vec::new()],
            addresses: Vec::new(),
            transfer: None,
        }
    }

    /// The finished function, which gives nothing back and returns from where it has come to.
    pub(crate) fn finish_subroutine(mut self) -> Function {
        let end = self.return_bb;
        self.b.jump(end);
        self.b.switch_to(end);
        self.b.ret(Vec::new());
        self.finish()
    }

    /// The finished function, without blocks that nothing reaches.
    pub(crate) fn finish(mut self) -> Function {
        self.b.switch_to(PROLOGUE);
        self.b.jump(Bb(1));
        let mut made = crate::builder::prune::without_unreachable(self.b.finish());
        if self.m.options.check_fp && self.side == Side::Device && !self.m.is_embedded(self.proc) {
            crate::device::check_fp::watch(self.m, &mut made);
        }
        made
    }

    /// The address of a slot, global or shared variable.
    pub(crate) fn addr_of(&mut self, base: AddrBase) -> Val {
        if let Some((_, reg)) = self.addresses.iter().find(|(b, _)| *b == base) {
            return (*reg).into();
        }
        let current = self.b.current();
        self.b.switch_to(PROLOGUE);
        let reg = self.b.addr(base);
        self.b.switch_to(current);
        self.addresses.push((base, reg));
        reg.into()
    }

    /// The addresses taken so far.
    pub(crate) fn addresses(&self) -> &[(AddrBase, Reg)] {
        &self.addresses
    }

    /// The space of slots of local memory.
    pub(crate) fn local_space(&self) -> Space {
        match self.side {
            Side::Host => Space::Host,
            Side::Device => Space::Local,
        }
    }

    /// A fresh slot.
    pub(crate) fn slot(&mut self, bytes: u64, align: u64, name: &str, span: Span) -> (AddrBase, Mem) {
        let slot = LocalSlot { bytes, align: align.max(1), name: name.into(), span };
        let base = AddrBase::Local(self.b.add_local(slot));
        let addr = self.addr_of(base);
        (base, Mem::at(addr, self.local_space()))
    }

    /// The one slot through which the host moves scalars from and to the device; what is in it is used at once.
    pub(crate) fn transfer_slot(&mut self, bytes: u64) -> Mem {
        if let Some((size, mem)) = self.transfer
            && size >= bytes
        {
            return mem;
        }
        let size = bytes.max(16);
        let (_, mem) = self.slot(size, 8, "transfer", Span::NONE);
        self.transfer = Some((size, mem));
        mem
    }

    /// Uninitialised memory until the end of the current scope.
    pub(crate) fn temporary(&mut self, bytes: Val, align: u64) -> Mem {
        if let Val::Imm(n) = bytes
            && (self.side == Side::Device || (n as i64) <= LARGEST_SLOT)
        {
            return self.slot((n as i64).max(0) as u64, align, "temporary", Span::NONE).1;
        }
        let location = if self.side == Side::Device { 1 } else { 0 };
        self.allocated_temporary(location, bytes)
    }

    /// Memory of that location until the end of the current scope.
    pub(crate) fn allocated_temporary(&mut self, location: i32, bytes: Val) -> Mem {
        let args = vec![Val::i32(location), bytes, Val::i64(0), Val::i64(0), Val::i32(0)];
        let addr = self.rt(Rt::Alloc, args).first().map_or(Val::i64(0), |&r| r.into());
        self.defer_free(Cleanup { location, addr, perhaps: false });
        let space = if location == 1 { Space::Global } else { Space::Host };
        Mem::at(addr, space)
    }

    /// Runs `f`, then frees what it allocated.
    pub(crate) fn scope<T>(&mut self, f: impl FnOnce(&mut Self) -> T) -> T {
        self.scopes.push(Vec::new());
        let result = f(self);
        let endings = self.scopes.pop().unwrap_or_default();
        for ending in endings.iter().rev() {
            match ending {
                Ending::Memory(c) => self.free(c),
                Ending::Copies(view, ty) => self.free_fields_of_view(view, ty),
                Ending::Objects(view, ty) => self.free_components_of_view(view, ty),
                Ending::Allocated(d, ty, location) => self.free_data(d, ty, *location),
            }
        }
        result
    }

    /// Frees memory when the current scope is over.
    pub(crate) fn defer_free(&mut self, cleanup: Cleanup) {
        self.defer(Ending::Memory(cleanup));
    }

    /// Has something done when the current scope is over; the last that was deferred is done first.
    pub(crate) fn defer(&mut self, ending: Ending) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.push(ending);
        }
    }

    /// Frees one piece of memory.
    pub(crate) fn free(&mut self, c: &Cleanup) {
        let some = if c.perhaps { self.icmp(CmpOp::Ne, c.addr, Val::i64(0)) } else { Val::pred(true) };
        self.when(some, |fx| {
            fx.rt(Rt::Free, vec![Val::i32(c.location), c.addr, Val::i64(0), Val::i64(0), Val::i32(0)]);
        });
    }

    /// Sets a register to a value that was computed for this alone: if the last instruction made it, that instruction sets
    /// the register.
    pub(crate) fn set_directly(&mut self, reg: Reg, value: Val) {
        let current = self.b.current();
        if let Val::Reg(temp) = value
            && !self.b.func().regs[temp.index()].mutable
            && !self.b.is_terminated()
            && let Some(last) = self.b.func_mut().blocks[current.index()].insts.last_mut()
        {
            let dst = match &mut last.kind {
                InstKind::Un { dst, .. }
                | InstKind::Bin { dst, .. }
                | InstKind::Tri { dst, .. }
                | InstKind::Select { dst, .. }
                | InstKind::Cvt { dst, .. }
                | InstKind::Load { dst, .. }
                | InstKind::Special { dst, .. } => Some(dst),
                _ => None,
            };
            if let Some(dst) = dst.filter(|dst| **dst == temp) {
                *dst = reg;
                return;
            }
        }
        self.b.set(reg, value);
    }

    /// Calls a service; one that this side does not have is refused when it is reached.
    pub(crate) fn rt(&mut self, rt: Rt, args: Vec<Val>) -> Vec<Reg> {
        let here = match rt.side() {
            ir::rt::Side::Host => self.side == Side::Host,
            ir::rt::Side::Device => self.side == Side::Device,
            ir::rt::Side::Both => true,
        };
        if here && args.len() == rt.params().len() {
            return self.b.rt(rt, args);
        }
        self.unsupported(&format!("the service `{rt}` in {} code", if self.is_host() { "host" } else { "device" }));
        rt.results().iter().map(|&ty| self.zero_reg(ty)).collect()
    }

    fn zero_reg(&mut self, ty: Ty) -> Reg {
        self.b.mov(ty, Val::Imm(0))
    }

    /// The code from here on is refused when it is reached: `what` needs it.
    pub(crate) fn unsupported(&mut self, what: &str) {
        let span = self.b.span();
        self.m.module.refusals.entry(span).or_insert_with(|| what.into());
        self.trap(Trap::Unsupported);
    }

    /// Ends the run here; what follows is never reached.
    pub(crate) fn trap(&mut self, trap: Trap) {
        self.b.trap(trap);
        let dead = self.b.new_block();
        self.b.switch_to(dead);
    }

    /// A value in the place of one that is refused.
    pub(crate) fn refused(&mut self, ty: &Type, what: &str) -> Value {
        self.unsupported(what);
        self.zero(ty)
    }

    /// Zero, or blank, of that type.
    pub(crate) fn zero(&mut self, ty: &Type) -> Value {
        match ty {
            Type::Complex(_) => Value::Complex(Val::Imm(0), Val::Imm(0)),
            Type::Character(_) => Value::Char(Mem::at(Val::i64(0), self.local_space()), Val::i64(0)),
            Type::Derived(_) => {
                let bytes = crate::types::const_bytes(self.program, ty).unwrap_or(0);
                Value::Object(self.slot(bytes, 8, "temporary", Span::NONE).1)
            }
            _ => Value::Scalar(Val::Imm(0)),
        }
    }

    /// Runs `f` with `span` as the place of what it makes.
    pub(crate) fn at<T>(&mut self, span: Span, f: impl FnOnce(&mut Self) -> T) -> T {
        let old = if span.is_none() { self.b.span() } else { self.b.set_span(span) };
        let result = f(self);
        self.b.set_span(old);
        result
    }

    /// `if cond then yes`; constant conditions make no branch. The code of `yes` is a scope of its own.
    pub(crate) fn when(&mut self, cond: Val, yes: impl FnOnce(&mut Self)) {
        match cond {
            Val::Imm(bits) if bits & 1 == 0 => {}
            Val::Imm(_) => self.scope(yes),
            Val::Reg(_) => {
                let (then_bb, join) = (self.b.new_block(), self.b.new_block());
                self.b.branch(cond, then_bb, join);
                self.b.switch_to(then_bb);
                self.scope(yes);
                self.b.jump(join);
                self.b.switch_to(join);
            }
        }
    }

    /// `if cond then yes else no`
    pub(crate) fn either(&mut self, cond: Val, yes: impl FnOnce(&mut Self), no: impl FnOnce(&mut Self)) {
        match cond {
            Val::Imm(bits) if bits & 1 == 0 => self.scope(no),
            Val::Imm(_) => self.scope(yes),
            Val::Reg(_) => {
                let (then_bb, else_bb, join) = (self.b.new_block(), self.b.new_block(), self.b.new_block());
                self.b.branch(cond, then_bb, else_bb);
                self.b.switch_to(then_bb);
                self.scope(yes);
                self.b.jump(join);
                self.b.switch_to(else_bb);
                self.scope(no);
                self.b.jump(join);
                self.b.switch_to(join);
            }
        }
    }

    /// Runs `body`, a scope of its own, with 0, 1, … `count - 1`; `count` must not change meanwhile.
    pub(crate) fn repeat(&mut self, count: Val, body: &mut dyn FnMut(&mut Self, Val)) {
        match crate::builder::arith::constant(count) {
            Some(n) if n <= 0 => return,
            Some(1) => return self.scope(|fx| body(fx, Val::i64(0))),
            _ => {}
        }
        let i = self.b.mutable(Ty::I64);
        self.b.set(i, Val::i64(0));
        let (head, done) = (self.b.new_block(), self.b.new_block());
        let enters = self.icmp(CmpOp::Gt, count, Val::i64(0));
        match enters {
            Val::Imm(_) => self.b.jump(head),
            Val::Reg(_) => self.b.branch(enters, head, done),
        }
        self.b.switch_to(head);
        self.scope(|fx| body(fx, i.into()));
        let next = self.b.bin(BinOp::Add, Ty::I64, i, Val::i64(1));
        self.set_directly(i, next.into());
        let more = self.icmp(CmpOp::Lt, i.into(), count);
        self.b.back_edge();
        self.b.branch(more, head, done);
        self.b.switch_to(done);
    }

    /// Runs `body` for all positions of an array of these extents, the first index fastest.
    pub(crate) fn nest(&mut self, extents: &[Val], body: &mut dyn FnMut(&mut Self, &[Val])) {
        fn level<'m, 'p>(
            fx: &mut Fx<'m, 'p>,
            extents: &[Val],
            dim: usize,
            index: &mut Vec<Val>,
            body: &mut dyn FnMut(&mut Fx<'m, 'p>, &[Val]),
        ) {
            if dim == 0 {
                body(fx, index);
                return;
            }
            fx.repeat(extents[dim - 1], &mut |fx, i| {
                index[dim - 1] = i;
                level(fx, extents, dim - 1, index, body);
            });
        }
        let mut index = vec![Val::i64(0); extents.len()];
        level(self, extents, extents.len(), &mut index, body);
    }

    /// Whether accesses to the variable are volatile.
    pub(crate) fn var_is_volatile(&self, v: VarId) -> bool {
        is_volatile(&self.program.var(v).attrs)
    }

    /// The address and length of a name, for services that tell the user of it.
    pub(crate) fn name_text(&mut self, name: &str) -> (Val, Val) {
        if name.is_empty() {
            return (Val::i64(0), Val::i64(0));
        }
        let g = self.m.constant(name.as_bytes(), 1, self.side);
        (self.addr_of(AddrBase::Global(g)), Val::i64(name.len() as i64))
    }
}
