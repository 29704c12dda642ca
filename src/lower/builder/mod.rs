//! The builder of one function: instructions, addresses, slots, temporaries, and what is freed at the end of a scope.
//!
//! [`Builder`] extends the builder of the IR with what all parts of lowering need. It knows the module and the side (host or
//! device), but no variables and no expressions: an operand is a value that has been computed already.
//!
//! Block 0 is the *prologue*. It takes the addresses of slots, globals and shared variables, each once and only if
//! something asks for it. It stays open until the function is finished and then jumps to the first real block. It
//! dominates every other block, so an address in it may be used anywhere.
//!
//! A *scope* collects clean-ups that run when the statement or call that opened it is over. Code that may be skipped at run
//! time opens its own scope, because what it allocates must be freed on that path only. [`flow`] opens and closes scopes.
//!
//! Not here: what a clean-up of objects does (`object`), where variables are stored (`storage`).

pub(crate) mod address;
pub(crate) mod arith;
pub(crate) mod arithmetic;
pub(crate) mod character;
pub(crate) mod check_fp;
pub(crate) mod complex;
pub(crate) mod constant;
pub(crate) mod convert;
pub(crate) mod descriptor;
pub(crate) mod device_characters;
pub(crate) mod exceptions;
pub(crate) mod fast;
pub(crate) mod flow;
pub(crate) mod memory;
pub(crate) mod power;
pub(crate) mod prune;
pub(crate) mod rewrite;
pub(crate) mod value;

use crate::LowerOptions;
use crate::analysis::usage::Usage;
use crate::builder::flow::Flow;
use crate::module::ModuleLowering;
use crate::module::globals::default_image;
use crate::types::{Side, align};
use crate::value::lvalue::{Allocation, MemRef};
use ir::op::CmpOp;
use ir::rt::Rt;
use ir::{AddrBase, Bb, Function, FunctionBuilder, InstKind, LocalSlot, Reg, Space, Trap, Ty, Val};
use sema::checked::{ProcId, Program, Type};
use source::Span;
use std::ops::{Deref, DerefMut, Range};
use std::rc::Rc;

/// Temporaries up to this size live in the frame, larger ones on the host are allocated.
const LARGEST_SLOT: i64 = 64 * 1024;

/// The prologue.
const PROLOGUE: Bb = Bb(0);

/// Code that is made at the end of a scope, and at each jump out of it.
type Cleanup<'p> = Rc<dyn for<'m> Fn(&mut Builder<'m, 'p>) + 'p>;

/// The builder of one function.
pub(crate) struct Builder<'m, 'p> {
    ir: FunctionBuilder,
    module: &'m mut ModuleLowering<'p>,
    side: Side,
    procedure: ProcId,
    return_block: Bb,
    /// The clean-ups of each open scope, innermost last.
    scopes: Vec<Vec<Cleanup<'p>>>,
    /// The scope of the innermost statement.
    statement: Option<usize>,
    /// The addresses that the prologue takes.
    addresses: Vec<(AddrBase, Reg)>,
    transfer: Option<(u64, MemRef)>,
    random_state: Option<MemRef>,
    /// Whether what is freed belongs to copies, which are no objects of the program's and are not finalised.
    frees_copies: bool,
}

impl Deref for Builder<'_, '_> {
    type Target = FunctionBuilder;

    fn deref(&self) -> &FunctionBuilder {
        &self.ir
    }
}

impl DerefMut for Builder<'_, '_> {
    fn deref_mut(&mut self) -> &mut FunctionBuilder {
        &mut self.ir
    }
}

impl<'m, 'p> Builder<'m, 'p> {
    /// The builder of a function, with its first real block current. `procedure` is the procedure that the function belongs
    /// to; for a CUF kernel, the one around it.
    pub(crate) fn new(
        module: &'m mut ModuleLowering<'p>,
        mut ir: FunctionBuilder,
        side: Side,
        procedure: ProcId,
    ) -> Builder<'m, 'p> {
        let start = ir.new_block();
        let return_block = ir.new_block();
        ir.switch_to(start);
        Builder {
            ir,
            module,
            side,
            procedure,
            return_block,
            scopes: vec![Vec::new()],
            statement: None,
            addresses: Vec::new(),
            transfer: None,
            random_state: None,
            frees_copies: false,
        }
    }

    /// The finished function, which has no results and returns at the end of the current block.
    pub(crate) fn finish_subroutine(mut self) -> Function {
        let end = self.return_block;
        self.jump(end);
        self.switch_to(end);
        self.ret(Vec::new());
        self.finish_function()
    }

    /// The finished function, without unreachable blocks.
    pub(crate) fn finish_function(mut self) -> Function {
        self.ir.switch_to(PROLOGUE);
        self.ir.jump(Bb(1));
        let is_checked = self.module.options().check_fp && self.side == Side::Device && !self.is_embedded();
        let is_operation =
            |this: &Self| !this.is_embedded() || exceptions::is_operation(&this.program().proc(this.procedure).name);
        let raises = self.usage().asks_exceptions.filter(|_| self.side == Side::Host && is_operation(&self));
        let is_fast = self.is_fast();
        let mut made = prune::without_unreachable(self.ir.finish());
        if is_fast {
            fast::approximate(&mut made);
        }
        if is_checked {
            check_fp::watch(self.module, &mut made);
        }
        if let Some(word) = raises {
            exceptions::raise(self.module, &mut made, word);
        }
        made
    }

    /// The module under construction.
    pub(crate) fn module(&mut self) -> &mut ModuleLowering<'p> {
        self.module
    }

    /// The checked program.
    pub(crate) fn program(&self) -> &'p Program {
        self.module.program()
    }

    /// The options of this lowering.
    pub(crate) fn options(&self) -> &'p LowerOptions {
        self.module.options()
    }

    /// What each procedure does with its variables.
    pub(crate) fn usage(&self) -> &'p Usage {
        self.module.usage()
    }

    /// The tag of each derived type and the last one of its extensions.
    pub(crate) fn tags(&self) -> &'p [(u64, u64)] {
        self.module.tags()
    }

    /// Whether what is freed belongs to copies.
    pub(crate) fn frees_copies(&self) -> bool {
        self.frees_copies
    }

    /// Frees what belongs to copies.
    pub(crate) fn of_copies(&mut self, free: impl FnOnce(&mut Self)) {
        let outer = std::mem::replace(&mut self.frees_copies, true);
        free(self);
        self.frees_copies = outer;
    }

    /// Whether host or device code is built.
    pub(crate) fn side(&self) -> Side {
        self.side
    }

    /// Whether host code is built.
    pub(crate) fn is_host(&self) -> bool {
        self.side == Side::Host
    }

    /// The procedure that the function belongs to.
    pub(crate) fn procedure(&self) -> ProcId {
        self.procedure
    }

    /// The block that every RETURN goes to.
    pub(crate) fn return_block(&self) -> Bb {
        self.return_block
    }

    /// In device code that draws random numbers: where the thread keeps the state of its generator.
    pub(crate) fn random_state(&self) -> Option<MemRef> {
        self.random_state
    }

    /// Says where the thread keeps the state of its generator of random numbers.
    pub(crate) fn set_random_state(&mut self, state: MemRef) {
        self.random_state = Some(state);
    }

    /// The address of a slot, global or shared variable.
    pub(crate) fn addr_of(&mut self, base: AddrBase) -> Val {
        if let Some((_, reg)) = self.addresses.iter().find(|(b, _)| *b == base) {
            return (*reg).into();
        }
        let current = self.ir.current();
        self.ir.switch_to(PROLOGUE);
        let reg = self.ir.addr(base);
        self.ir.switch_to(current);
        self.addresses.push((base, reg));
        reg.into()
    }

    /// The slot, global or shared variable whose address a value is.
    pub(crate) fn base_of(&self, addr: Val) -> Option<AddrBase> {
        self.addresses.iter().find(|(_, reg)| Val::Reg(*reg) == addr).map(|(base, _)| *base)
    }

    /// The space of slots of local memory.
    pub(crate) fn local_space(&self) -> Space {
        match self.side {
            Side::Host => Space::Host,
            Side::Device => Space::Local,
        }
    }

    /// A fresh slot.
    pub(crate) fn slot(&mut self, bytes: u64, align: u64, name: &str, span: Span) -> (AddrBase, MemRef) {
        let slot = LocalSlot { bytes, align: align.max(1), name: name.into(), span, inlined: ir::InlineId::NONE };
        let base = AddrBase::Local(self.ir.add_local(slot));
        let addr = self.addr_of(base);
        (base, MemRef::at(addr, self.local_space()))
    }

    /// The one slot through which the host moves scalars from and to the device. Its contents are used at once.
    pub(crate) fn transfer_slot(&mut self, bytes: u64) -> MemRef {
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
    pub(crate) fn temporary(&mut self, bytes: Val, align: u64) -> MemRef {
        if let Val::Imm(n) = bytes
            && (self.side == Side::Device || (n as i64) <= LARGEST_SLOT)
        {
            return self.slot((n as i64).max(0) as u64, align, "temporary", Span::NONE).1;
        }
        let location = if self.side == Side::Device { 1 } else { 0 };
        self.allocated_temporary(location, bytes)
    }

    /// Memory of that location until the end of the current scope.
    pub(crate) fn allocated_temporary(&mut self, location: i32, bytes: Val) -> MemRef {
        let args = vec![Val::i32(location), bytes, Val::i64(0), Val::i64(0), Val::i32(0)];
        let addr = self.rt(Rt::Alloc, args).first().map_or(Val::i64(0), |&r| r.into());
        self.defer_free(Allocation { location, addr, may_be_null: false });
        let space = if location == 1 { Space::Global } else { Space::Host };
        MemRef::at(addr, space)
    }

    /// Frees memory at the end of the current scope.
    pub(crate) fn defer_free(&mut self, allocation: Allocation) {
        self.defer(move |b| b.free(&allocation));
    }

    /// Makes code at the end of the current scope, and where a jump leaves it. What was deferred last comes first.
    pub(crate) fn defer(&mut self, cleanup: impl for<'a> Fn(&mut Builder<'a, 'p>) + 'p) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.push(Rc::new(cleanup));
        }
    }

    /// The next scope that is opened is that of a statement, at whose end the results of functions are finalised. Gives what
    /// [`Builder::end_statement`] takes.
    pub(crate) fn begin_statement(&mut self) -> Option<usize> {
        self.statement.replace(self.scopes.len())
    }

    /// Comes back to the statement around.
    pub(crate) fn end_statement(&mut self, outer: Option<usize>) {
        self.statement = outer;
    }

    /// Whether the current scope is one within that of a statement.
    pub(crate) fn is_within_statement(&self) -> bool {
        self.statement.is_some_and(|scope| scope + 1 < self.scopes.len())
    }

    /// As [`Builder::defer`], to the end of the statement.
    pub(crate) fn defer_to_statement(&mut self, cleanup: impl for<'a> Fn(&mut Builder<'a, 'p>) + 'p) {
        if let Some(scope) = self.statement.and_then(|scope| self.scopes.get_mut(scope)) {
            scope.push(Rc::new(cleanup));
        }
    }

    /// A slot for the address of a chain's first link, which is empty when the procedure begins.
    pub(crate) fn empty_chain(&mut self) -> MemRef {
        let (_, head) = self.slot(8, 8, "results", Span::NONE);
        let current = self.ir.current();
        self.ir.switch_to(PROLOGUE);
        self.store_scalar(head, Ty::I64, Val::i64(0));
        self.ir.switch_to(current);
        head
    }

    /// How many scopes are open.
    pub(crate) fn open_scopes(&self) -> usize {
        self.scopes.len()
    }

    /// Whether something was deferred to scopes beyond the first `outer` ones.
    pub(crate) fn has_cleanups(&self, outer: usize) -> bool {
        self.scopes.iter().skip(outer).any(|scope| !scope.is_empty())
    }

    /// Makes what was deferred to some of the open scopes, which stay open: a jump leaves them.
    pub(crate) fn leave_scopes(&mut self, scopes: Range<usize>) {
        let left = self.scopes.get(scopes).unwrap_or_default().concat();
        self.scope(|this| left.iter().rev().for_each(|cleanup| cleanup(this)));
    }

    /// Opens a scope.
    fn open_scope(&mut self) {
        self.scopes.push(Vec::new());
    }

    /// Closes the current scope and makes its clean-ups, the last one first.
    fn close_scope(&mut self) {
        let cleanups = self.scopes.pop().unwrap_or_default();
        for cleanup in cleanups.into_iter().rev() {
            cleanup(self);
        }
    }

    /// Frees memory.
    pub(crate) fn free(&mut self, a: &Allocation) {
        let some = if a.may_be_null { self.icmp(CmpOp::Ne, a.addr, Val::i64(0)) } else { Val::pred(true) };
        self.when(some, |this| {
            this.rt(Rt::Free, vec![Val::i32(a.location), a.addr, Val::i64(0), Val::i64(0), Val::i32(0)]);
        });
    }

    /// Sets a register to a value that was computed for this alone: if the last instruction made it, that instruction sets
    /// the register.
    pub(crate) fn set_directly(&mut self, reg: Reg, value: Val) {
        let current = self.ir.current();
        if let Val::Reg(temp) = value
            && !self.ir.func().regs[temp.index()].mutable
            && !self.ir.is_terminated()
            && let Some(last) = self.ir.func_mut().blocks[current.index()].insts.last_mut()
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
        self.ir.set(reg, value);
    }

    /// Calls a service. A service that this side does not have is refused when it is reached.
    pub(crate) fn rt(&mut self, rt: Rt, args: Vec<Val>) -> Vec<Reg> {
        let here = match rt.side() {
            ir::rt::Side::Host => self.side == Side::Host,
            ir::rt::Side::Device => self.side == Side::Device,
            ir::rt::Side::Both => true,
        };
        if here && args.len() == rt.params().len() {
            return self.ir.rt(rt, args);
        }
        self.unsupported(&format!("the service `{rt}` in {} code", if self.is_host() { "host" } else { "device" }));
        rt.results().iter().map(|&ty| self.zero_reg(ty)).collect()
    }

    fn zero_reg(&mut self, ty: Ty) -> Reg {
        self.ir.mov(ty, Val::Imm(0))
    }

    /// Refuses the code from here on when it is reached: it needs `what`.
    pub(crate) fn unsupported(&mut self, what: &str) {
        let span = self.ir.span();
        self.module.refuse(span, what);
        self.trap_here(Trap::Unsupported);
    }

    /// Ends the run here. Code that follows is unreachable.
    pub(crate) fn trap_here(&mut self, trap: Trap) {
        self.ir.trap(trap);
        let dead = self.ir.new_block();
        self.ir.switch_to(dead);
    }

    /// Whether the function is one of an embedded module. Those have no statements to step through and no variables to show.
    pub(crate) fn is_embedded(&self) -> bool {
        self.module.is_embedded(self.procedure)
    }

    /// Marks the beginning of a statement where a user may stop. Embedded modules have none.
    pub(crate) fn mark(&mut self, span: Span) {
        if self.is_embedded() {
            self.ir.set_span(span);
        } else {
            self.ir.stmt(span);
        }
    }

    /// Read-only memory with these bytes.
    pub(crate) fn constant_memory(&mut self, bytes: &[u8], align: u64) -> MemRef {
        let g = self.module.constant(bytes, align, self.side);
        let space = if self.side == Side::Device { Space::Global } else { Space::Host };
        MemRef::at(self.addr_of(AddrBase::Global(g)), space)
    }

    /// Read-only memory with the first contents of an object, and its size; `None` when nothing is initialised by default.
    pub(crate) fn default_memory(&mut self, ty: &Type) -> Option<(MemRef, u64)> {
        let image = default_image(self.program(), ty)?;
        let unit = align(self.program(), ty);
        let g = self.module.constant_image(&image, unit, self.side);
        let space = if self.side == Side::Device { Space::Global } else { Space::Host };
        Some((MemRef::at(self.addr_of(AddrBase::Global(g)), space), image.bytes.len() as u64))
    }

    /// The address and length of a name, for services whose messages contain it.
    pub(crate) fn name_text(&mut self, name: &str) -> (Val, Val) {
        if name.is_empty() {
            return (Val::i64(0), Val::i64(0));
        }
        let g = self.module.constant(name.as_bytes(), 1, self.side);
        (self.addr_of(AddrBase::Global(g)), Val::i64(name.len() as i64))
    }
}
