//! Builds a function, one instruction after another.
//!
//! The builder keeps a current block and a current span. Each method adds one instruction there and returns the fresh
//! temporary that holds its result; operands are anything that becomes a [`Val`]. What is added to a block that already
//! has its terminator is dropped, because nothing can reach it (the statements behind a RETURN); the result register is
//! made in any case, so callers need no special case.
//!
//! Deliberately not here: folding, typing decisions, checks. The verifier checks what was built, `opt` folds.

use crate::op::{AtomOp, BarOp, BinOp, CmpOp, CvtOp, ShflOp, Special, TriOp, UnOp, VoteOp};
use crate::rt::Rt;
use crate::{
    Access, AddrBase, Bb, BlockData, DebugVar, FuncId, FuncKind, Function, GlobalId, Inst, InstKind, LaunchConfig,
    LocalId, LocalSlot, Param, ParamKind, Reg, RegInfo, Scope, SharedId, SharedVar, Space, Term, Trap, Val, VarId,
    VarLoc,
};
use scalar::Ty;
use source::Span;
use std::sync::Arc;

/// A function under construction.
#[derive(Clone, Debug)]
pub struct FunctionBuilder {
    func: Function,
    terminated: Vec<bool>,
    current: Bb,
    span: Span,
}

impl FunctionBuilder {
    /// A function without parameters and results, whose entry block is current.
    pub fn new(name: impl Into<Arc<str>>, kind: FuncKind, span: Span) -> FunctionBuilder {
        let mut builder =
            FunctionBuilder { func: Function::new(name, kind, span), terminated: Vec::new(), current: Bb(0), span };
        builder.current = builder.new_block();
        builder
    }

    /// The function as it is now.
    pub fn func(&self) -> &Function {
        &self.func
    }

    /// The function as it is now, to set what has no method here (`max_threads`, a variable's place).
    pub fn func_mut(&mut self) -> &mut Function {
        &mut self.func
    }

    /// The finished function. A block without a terminator traps as unreachable.
    pub fn finish(self) -> Function {
        self.func
    }

    /// Adds a parameter that is a temporary, set on entry.
    pub fn param(&mut self, ty: Ty, name: impl Into<Arc<str>>) -> Reg {
        let reg = self.temp(ty);
        self.func.params.push(Param { reg, kind: ParamKind::Value, name: name.into(), unaliased: false });
        reg
    }

    /// Says that memory at the address in the last parameter is changed through it alone ([`Param::unaliased`]).
    pub fn last_param_is_unaliased(&mut self) {
        if let Some(param) = self.func.params.last_mut() {
            param.unaliased = true;
        }
    }

    /// Adds a parameter that may be assigned in the function: a dummy with VALUE that lives in its register.
    pub fn mutable_param(&mut self, ty: Ty, name: impl Into<Arc<str>>) -> Reg {
        let reg = self.param(ty, name);
        self.func.regs[reg.index()].mutable = true;
        reg
    }

    /// Adds a parameter passed as bytes; the register has the address of the function's own copy.
    pub fn bytes_param(&mut self, bytes: u64, align: u64, name: impl Into<Arc<str>>) -> Reg {
        let reg = self.temp(Ty::I64);
        self.func.params.push(Param {
            reg,
            kind: ParamKind::Bytes { bytes, align },
            name: name.into(),
            unaliased: false,
        });
        reg
    }

    /// Adds a result; Return must give a value for each.
    pub fn result(&mut self, ty: Ty) {
        self.func.results.push(ty);
    }

    /// A new temporary: to be assigned once.
    pub fn temp(&mut self, ty: Ty) -> Reg {
        self.reg(RegInfo { ty, var: None, mutable: false })
    }

    /// A new register that may be assigned many times: a loop counter, a merged value.
    pub fn mutable(&mut self, ty: Ty) -> Reg {
        self.reg(RegInfo { ty, var: None, mutable: true })
    }

    /// A new register in which a source variable lives.
    pub fn variable(&mut self, ty: Ty, var: VarId) -> Reg {
        self.reg(RegInfo { ty, var: Some(var), mutable: true })
    }

    fn reg(&mut self, info: RegInfo) -> Reg {
        self.func.regs.push(info);
        Reg(self.func.regs.len() as u32 - 1)
    }

    /// Type of a register.
    pub fn ty(&self, reg: Reg) -> Ty {
        self.func.ty(reg)
    }

    /// Adds a source variable. Registers that its place names as homes become registers of that variable.
    pub fn add_var(&mut self, var: DebugVar) -> VarId {
        let id = VarId(self.func.vars.len() as u32);
        match var.loc {
            VarLoc::Reg(reg) => self.bind(reg, id),
            VarLoc::Complex(re, im) => {
                self.bind(re, id);
                self.bind(im, id);
            }
            VarLoc::Memory(_) | VarLoc::At(_) | VarLoc::Descriptor(_) | VarLoc::DescriptorAt(_) | VarLoc::Constant => {}
        }
        self.func.vars.push(var);
        id
    }

    fn bind(&mut self, reg: Reg, var: VarId) {
        if let Some(info) = self.func.regs.get_mut(reg.index()) {
            info.var = Some(var);
            info.mutable = true;
        }
    }

    /// Adds a slot of local memory.
    pub fn add_local(&mut self, slot: LocalSlot) -> LocalId {
        self.func.locals.push(slot);
        LocalId(self.func.locals.len() as u32 - 1)
    }

    /// Adds a shared variable.
    pub fn add_shared(&mut self, var: SharedVar) -> SharedId {
        self.func.shared.push(var);
        SharedId(self.func.shared.len() as u32 - 1)
    }

    /// A new block, empty; the current block stays.
    pub fn new_block(&mut self) -> Bb {
        let term_span = self.span;
        self.func.blocks.push(BlockData::new(Vec::new(), Term::Trap(Trap::Unreachable), term_span));
        self.terminated.push(false);
        Bb(self.func.blocks.len() as u32 - 1)
    }

    /// The block to which instructions are added.
    pub fn current(&self) -> Bb {
        self.current
    }

    /// Makes `bb` current.
    pub fn switch_to(&mut self, bb: Bb) {
        self.current = bb;
    }

    /// Whether the current block has its terminator.
    pub fn is_terminated(&self) -> bool {
        self.is_block_terminated(self.current)
    }

    /// Whether that block has its terminator.
    pub fn is_block_terminated(&self, bb: Bb) -> bool {
        self.terminated.get(bb.index()).copied().unwrap_or(false)
    }

    /// The span that new instructions get.
    pub fn span(&self) -> Span {
        self.span
    }

    /// Sets the span that new instructions get, and gives back the one before.
    pub fn set_span(&mut self, span: Span) -> Span {
        std::mem::replace(&mut self.span, span)
    }

    /// Adds an instruction of any format.
    pub fn push(&mut self, kind: InstKind) {
        if !self.is_terminated() {
            let inst = Inst::new(kind, self.span);
            self.func.blocks[self.current.index()].insts.push(inst);
        }
    }

    /// A source statement begins; its span becomes the current one.
    pub fn stmt(&mut self, span: Span) {
        self.span = span;
        self.push(InstKind::Stmt);
    }

    /// The loop is about to begin another iteration; stands before the jump to its head.
    pub fn back_edge(&mut self) {
        self.push(InstKind::BackEdge);
    }

    /// Assigns a register that exists: `reg = value`.
    pub fn set(&mut self, reg: Reg, value: impl Into<Val>) {
        self.push(InstKind::Un { op: UnOp::Mov, ty: self.ty(reg), dst: reg, a: value.into() });
    }

    /// `op a`
    pub fn un(&mut self, op: UnOp, ty: Ty, a: impl Into<Val>) -> Reg {
        let dst = self.temp(ty);
        self.push(InstKind::Un { op, ty, dst, a: a.into() });
        dst
    }

    /// A copy of `a`; of a mutable register, its value at this moment.
    pub fn mov(&mut self, ty: Ty, a: impl Into<Val>) -> Reg {
        self.un(UnOp::Mov, ty, a)
    }

    /// `op a, b`
    pub fn bin(&mut self, op: BinOp, ty: Ty, a: impl Into<Val>, b: impl Into<Val>) -> Reg {
        let dst = self.temp(ty);
        self.push(InstKind::Bin { op, ty, dst, a: a.into(), b: b.into() });
        dst
    }

    /// `op a, b, c`
    pub fn tri(&mut self, op: TriOp, ty: Ty, a: impl Into<Val>, b: impl Into<Val>, c: impl Into<Val>) -> Reg {
        let dst = self.temp(ty);
        self.push(InstKind::Tri { op, ty, dst, a: a.into(), b: b.into(), c: c.into() });
        dst
    }

    /// `a op b`, a predicate; `ty` is the operands' type.
    pub fn cmp(&mut self, op: CmpOp, ty: Ty, a: impl Into<Val>, b: impl Into<Val>) -> Reg {
        let dst = self.temp(Ty::Pred);
        self.push(InstKind::Cmp { op, ty, dst, a: a.into(), b: b.into() });
        dst
    }

    /// `cond ? a : b`
    pub fn select(&mut self, ty: Ty, cond: impl Into<Val>, a: impl Into<Val>, b: impl Into<Val>) -> Reg {
        let dst = self.temp(ty);
        self.push(InstKind::Select { ty, dst, cond: cond.into(), a: a.into(), b: b.into() });
        dst
    }

    /// `a` of type `from` converted to type `to`.
    pub fn cvt(&mut self, op: CvtOp, from: Ty, to: Ty, a: impl Into<Val>) -> Reg {
        let dst = self.temp(to);
        self.push(InstKind::Cvt { op, from, to, dst, a: a.into() });
        dst
    }

    /// The address of `base`, an `i64`.
    pub fn addr(&mut self, base: AddrBase) -> Reg {
        let dst = self.temp(Ty::I64);
        self.push(InstKind::Addr { dst, base });
        dst
    }

    /// The address of a global variable.
    pub fn addr_global(&mut self, id: GlobalId) -> Reg {
        self.addr(AddrBase::Global(id))
    }

    /// The address of a slot of local memory.
    pub fn addr_local(&mut self, id: LocalId) -> Reg {
        self.addr(AddrBase::Local(id))
    }

    /// The address of a shared variable.
    pub fn addr_shared(&mut self, id: SharedId) -> Reg {
        self.addr(AddrBase::Shared(id))
    }

    /// `[addr + offset]`; `offset` in bytes.
    pub fn load(&mut self, ty: Ty, space: Space, access: Access, addr: impl Into<Val>, offset: i64) -> Reg {
        let dst = self.temp(ty);
        self.push(InstKind::Load { ty, space, access, dst, addr: addr.into(), offset });
        dst
    }

    /// `[addr + offset] = value`
    pub fn store(
        &mut self,
        ty: Ty,
        space: Space,
        access: Access,
        addr: impl Into<Val>,
        offset: i64,
        value: impl Into<Val>,
    ) {
        self.push(InstKind::Store { ty, space, access, addr: addr.into(), offset, value: value.into() });
    }

    /// The old value at `[addr]`, which `op a` replaces; not for CAS.
    pub fn atomic(
        &mut self,
        op: AtomOp,
        ty: Ty,
        space: Space,
        scope: Scope,
        addr: impl Into<Val>,
        a: impl Into<Val>,
    ) -> Reg {
        let dst = self.temp(ty);
        let (addr, a) = (addr.into(), a.into());
        self.push(InstKind::Atomic { op, ty, space, scope, dst: Some(dst), used: true, addr, offset: 0, a, b: None });
        dst
    }

    /// The old value at `[addr]`, which `new` replaces if it equals `expected`, bit for bit.
    pub fn cas(
        &mut self,
        ty: Ty,
        space: Space,
        scope: Scope,
        addr: impl Into<Val>,
        expected: impl Into<Val>,
        new: impl Into<Val>,
    ) -> Reg {
        let dst = self.temp(ty);
        let (addr, a, b) = (addr.into(), expected.into(), Some(new.into()));
        self.push(InstKind::Atomic {
            op: AtomOp::Cas,
            ty,
            space,
            scope,
            dst: Some(dst),
            used: true,
            addr,
            offset: 0,
            a,
            b,
        });
        dst
    }

    /// A fence.
    pub fn fence(&mut self, scope: Scope) {
        self.push(InstKind::Fence { scope });
    }

    /// SYNCTHREADS.
    pub fn sync_threads(&mut self) {
        self.push(InstKind::Barrier { op: BarOp::Sync, dst: None, a: None });
    }

    /// A barrier of the blocks of a cluster.
    pub fn sync_cluster(&mut self) {
        self.push(InstKind::Barrier { op: BarOp::Cluster, dst: None, a: None });
    }

    /// A barrier of all blocks of a cooperative launch.
    pub fn sync_grid(&mut self) {
        self.push(InstKind::Barrier { op: BarOp::Grid, dst: None, a: None });
    }

    /// A barrier that reduces a predicate: `and`, `or`, `count`.
    pub fn barrier(&mut self, op: BarOp, a: impl Into<Val>) -> Reg {
        let dst = self.temp(op.result().unwrap_or(Ty::Pred));
        self.push(InstKind::Barrier { op, dst: Some(dst), a: Some(a.into()) });
        dst
    }

    /// SYNCWARP of the lanes in `mask`.
    pub fn sync_warp(&mut self, mask: impl Into<Val>) {
        self.push(InstKind::SyncWarp { mask: mask.into() });
    }

    /// A vote; `ty` is the operand's type, `pred` but for `match`.
    pub fn vote(&mut self, op: VoteOp, ty: Ty, mask: Option<Val>, a: impl Into<Val>) -> Reg {
        let dst = self.temp(op.result());
        self.push(InstKind::Vote { op, ty, dst, mask, a: a.into() });
        dst
    }

    /// A shuffle; `lane` counts from 0.
    pub fn shuffle(
        &mut self,
        op: ShflOp,
        ty: Ty,
        a: impl Into<Val>,
        lane: impl Into<Val>,
        width: impl Into<Val>,
    ) -> Reg {
        let dst = self.temp(ty);
        self.push(InstKind::Shuffle { op, ty, dst, a: a.into(), lane: lane.into(), width: width.into() });
        dst
    }

    /// The value of a special register.
    pub fn special(&mut self, reg: Special) -> Reg {
        let dst = self.temp(reg.ty());
        self.push(InstKind::Special { reg, dst });
        dst
    }

    /// Calls a function of the module, whose results have these types.
    pub fn call(&mut self, func: FuncId, args: Vec<Val>, results: &[Ty]) -> Vec<Reg> {
        let results: Vec<Reg> = results.iter().map(|&ty| self.temp(ty)).collect();
        self.push(InstKind::Call { func, args, results: results.clone() });
        results
    }

    /// Calls a service.
    pub fn rt(&mut self, rt: Rt, args: Vec<Val>) -> Vec<Reg> {
        let results: Vec<Reg> = rt.results().iter().map(|&ty| self.temp(ty)).collect();
        self.push(InstKind::Rt { rt, args, results: results.clone() });
        results
    }

    /// Launches a kernel.
    pub fn launch(&mut self, func: FuncId, config: LaunchConfig, args: Vec<Val>) {
        self.push(InstKind::Launch { func, config, args });
    }

    /// Ends the current block, unless it has ended.
    pub fn terminate(&mut self, term: Term) {
        if !self.is_terminated() {
            let block = &mut self.func.blocks[self.current.index()];
            block.term = term;
            block.term_span = self.span;
            self.terminated[self.current.index()] = true;
        }
    }

    /// Goes on at `bb`.
    pub fn jump(&mut self, bb: Bb) {
        self.terminate(Term::Jump(bb));
    }

    /// Goes on at `then_bb` if the predicate holds, else at `else_bb`.
    pub fn branch(&mut self, cond: impl Into<Val>, then_bb: Bb, else_bb: Bb) {
        self.terminate(Term::Branch { cond: cond.into(), then_bb, else_bb });
    }

    /// Goes on at the block of an equal value, or at `default`.
    pub fn switch(&mut self, ty: Ty, value: impl Into<Val>, arms: Vec<(i64, Bb)>, default: Bb) {
        self.terminate(Term::Switch { ty, value: value.into(), arms, default });
    }

    /// Returns from the function.
    pub fn ret(&mut self, values: Vec<Val>) {
        self.terminate(Term::Return(values));
    }

    /// Ends the thread.
    pub fn exit(&mut self) {
        self.terminate(Term::Exit);
    }

    /// Ends the run with an error.
    pub fn trap(&mut self, trap: Trap) {
        self.terminate(Term::Trap(trap));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_loop_is_built_block_by_block() {
        let mut b = FunctionBuilder::new("count", FuncKind::Device, Span::NONE);
        let n = b.param(Ty::I32, "n");
        b.result(Ty::I32);
        let i = b.mutable(Ty::I32);
        b.set(i, Val::i32(0));
        let (head, done) = (b.new_block(), b.new_block());
        b.jump(head);
        b.switch_to(head);
        let next = b.bin(BinOp::Add, Ty::I32, i, Val::i32(1));
        b.set(i, next);
        let more = b.cmp(CmpOp::Lt, Ty::I32, next, n);
        b.back_edge();
        b.branch(more, head, done);
        b.switch_to(done);
        b.ret(vec![i.into()]);
        let f = b.finish();
        assert_eq!(f.blocks.len(), 3);
        assert_eq!(f.block(head).insts.len(), 4);
        assert_eq!(f.block(head).term.successors(), [head, done]);
        assert!(f.regs[i.index()].mutable && !f.regs[next.index()].mutable);
    }

    #[test]
    fn what_follows_a_terminator_is_dropped() {
        let mut b = FunctionBuilder::new("f", FuncKind::Host, Span::NONE);
        b.ret(vec![]);
        assert!(b.is_terminated());
        let r = b.bin(BinOp::Add, Ty::I32, Val::i32(1), Val::i32(2));
        b.exit();
        let f = b.finish();
        assert_eq!(f.ty(r), Ty::I32);
        assert!(f.blocks[0].insts.is_empty());
        assert_eq!(f.blocks[0].term, Term::Return(vec![]));
    }
}
