//! The value table: what computed each value, and which values are available where the walk is.
//!
//! What the table knew of a value at its definition may be used at a place where the operands of that definition still have
//! the versions they had. The definition dominates the place, so no operand can have been computed anew in between without the
//! value being computed anew too.

use super::address;
use super::depth::Depths;
use super::expression::{Available, Expression};
use super::memory::{self, Memory, Root};
use ir::analysis::{Cfg, Dominators, VersionWalk, Versions};
use ir::op::{BinOp, TriOp, UnOp};
use ir::{AddrBase, Bb, Function, InlineId, Inst, InstKind, Reg, RegInfo, SharedSize, Ty, Val};
use source::Span;
use std::collections::BTreeMap;

/// A pure instruction with the versions of its operands.
struct Definition {
    kind: InstKind,
    versions: Vec<u32>,
}

/// What is known of code that runs on a GPU only.
struct Gpu {
    /// The versions of memory.
    memory: Memory,
    /// Addresses of dummies that overlap nothing else.
    dummies: Vec<Reg>,
    /// Shared arrays that overlap others.
    dynamic: Vec<AddrBase>,
    /// Whether each register does nothing but form addresses; of those that were there when the walk began.
    address_only: Vec<bool>,
}

/// The values that are known where the walk is, and the instructions of the block so far.
pub(super) struct ValueTable<'a> {
    walk: VersionWalk<'a>,
    regs: Vec<RegInfo>,
    definitions: BTreeMap<(Reg, u32), Definition>,
    available: Available,
    /// What is known besides of code that runs on a GPU only.
    gpu: Option<Gpu>,
    /// In how many loops values change, where addresses are summed up by that.
    depths: Option<Depths>,
    insts: Vec<Inst>,
    span: Span,
    inlined: InlineId,
}

impl<'a> ValueTable<'a> {
    /// An empty table. It takes the registers of `f` over; see [`ValueTable::into_regs`].
    pub(super) fn new(f: &mut Function, versions: &'a Versions) -> ValueTable<'a> {
        ValueTable {
            gpu: None,
            depths: None,
            walk: VersionWalk::new(f, versions),
            regs: std::mem::take(&mut f.regs),
            definitions: BTreeMap::new(),
            available: Available::default(),
            insts: Vec::new(),
            span: Span::NONE,
            inlined: InlineId::NONE,
        }
    }

    /// The registers, with those that were added.
    pub(super) fn into_regs(self) -> Vec<RegInfo> {
        self.regs
    }

    /// Says that the code, which is `f` but for its registers, runs on a GPU only.
    pub(super) fn set_for_gpu(&mut self, f: &Function) {
        let is_dynamic = |i: &usize| f.shared[*i].size == SharedSize::Dynamic;
        let dynamic = (0..f.shared.len()).filter(is_dynamic).map(|i| AddrBase::Shared(ir::SharedId(i as u32)));
        let unaliased = f.params.iter().filter(|p| p.unaliased).map(|p| p.reg);
        self.gpu = Some(Gpu {
            memory: Memory::default(),
            dummies: unaliased.filter(|r| !self.regs[r.index()].mutable).collect(),
            dynamic: dynamic.collect(),
            address_only: address::address_only(f, self.regs.len()),
        });
    }

    /// Has the table know in how many loops values change. `f` is the code but for its registers.
    pub(super) fn set_depths(&mut self, f: &Function, cfg: &Cfg, dom: &Dominators) {
        self.depths = Some(Depths::new(f, &self.regs, cfg, dom));
    }

    /// Whether a register of the code does nothing but form addresses of accesses.
    pub(super) fn is_address_only(&self, reg: Reg) -> bool {
        self.gpu.as_ref().is_some_and(|gpu| gpu.address_only.get(reg.index()) == Some(&true))
    }

    /// Whether a register is known to hold the address of an object: of a variable, or of a dummy argument that is no pointer.
    pub(super) fn is_object(&self, reg: Reg) -> bool {
        let is_dummy = || self.gpu.as_ref().is_some_and(|gpu| gpu.dummies.contains(&reg));
        let definition = self.definitions.get(&(reg, self.walk.version(reg)));
        let is_variable = definition.is_some_and(|of| matches!(of.kind, InstKind::Addr { .. }));
        !self.regs[reg.index()].mutable && (is_variable || is_dummy())
    }

    /// In how many loops the one is in which the value of a register changes.
    pub(super) fn loop_depth(&self, reg: Reg) -> u32 {
        self.depths.as_ref().map_or(0, |depths| depths.of(reg))
    }

    /// In how many loops the walk is.
    pub(super) fn depth_here(&self) -> u32 {
        self.depths.as_ref().map_or(0, Depths::here)
    }

    /// The walk enters a block; `follows` says that the only way there is from the end of the block that dominates it.
    pub(super) fn enter(&mut self, bb: Bb, follows: bool) {
        self.walk.enter(bb);
        self.available.enter();
        if let Some(gpu) = &mut self.gpu {
            gpu.memory.enter(follows);
        }
        if let Some(depths) = &mut self.depths {
            depths.enter(bb);
        }
    }

    /// The walk leaves a block and all that it dominates.
    pub(super) fn leave(&mut self) {
        self.walk.leave();
        self.available.leave();
        if let Some(gpu) = &mut self.gpu {
            gpu.memory.leave();
        }
        if let Some(depths) = &mut self.depths {
            depths.leave();
        }
    }

    /// The span of the instructions that follow, and the call that they are a part of.
    pub(super) fn set_place(&mut self, span: Span, inlined: InlineId) {
        (self.span, self.inlined) = (span, inlined);
    }

    /// The instructions since the last call.
    pub(super) fn take_insts(&mut self) -> Vec<Inst> {
        std::mem::take(&mut self.insts)
    }

    /// Adds an instruction and remembers what it computes.
    pub(super) fn push(&mut self, kind: InstKind) {
        let mut versions = Vec::new();
        let pure = kind.is_pure();
        if pure {
            kind.each_use(|v| versions.push(self.version(v)));
        }
        let expression = self.expression(&kind);
        self.insts.push(Inst { kind: kind.clone(), span: self.span, inlined: self.inlined });
        let mut defined = None;
        kind.each_def(|r| defined = Some((r, self.walk.define(r))));
        if let (Some(depths), Some((reg, _))) = (&mut self.depths, defined) {
            depths.define(reg, &kind, pure && !self.regs[reg.index()].mutable);
        }
        if let (true, Some((reg, version))) = (pure, defined) {
            self.definitions.insert((reg, version), Definition { kind, versions });
            if let Some(expression) = expression {
                self.available.insert(expression, reg, version);
            }
            return;
        }
        self.pass(&kind, expression.zip(defined));
    }

    /// What an instruction that is not pure makes of memory. `loaded` is what a load gives, and where.
    fn pass(&mut self, kind: &InstKind, loaded: Option<(Expression, (Reg, u32))>) {
        if self.gpu.is_none() {
            return;
        }
        if let Some((expression, (reg, version))) = loaded {
            self.available.insert(expression, reg, version);
        }
        let (stored, access) = match kind {
            InstKind::Store { value, .. } => (Some(*value), memory::plain(kind)),
            _ => (None, None),
        };
        let root = access.and_then(|a| self.root(a.addr));
        let Some(Gpu { memory, .. }) = &mut self.gpu else { return };
        match access {
            Some(access) => memory.store(access.space, root),
            None => memory.pass(kind),
        }
        // A load of what was just stored gives it; a predicate is no value in memory.
        if let (Some(access), Some(Val::Reg(reg))) = (access, stored)
            && access.ty != Ty::Pred
        {
            let version = memory.version(access.space, root);
            let expression = Expression::of_load(access, version, self.version(access.addr));
            self.available.insert(expression, reg, self.walk.version(reg));
        }
    }

    /// The variable or the dummy that an address was computed from, if it is known and overlaps nothing else.
    fn root(&self, address: Val) -> Option<Root> {
        let mut left = 32;
        self.root_within(address, &mut left).filter(|_| left > 0)
    }

    /// The same, with so many definitions left to be followed.
    fn root_within(&self, address: Val, left: &mut u32) -> Option<Root> {
        let gpu = self.gpu.as_ref()?;
        match address {
            Val::Reg(reg) if gpu.dummies.contains(&reg) => return Some(Root::Dummy(reg)),
            _ => *left = left.checked_sub(1)?,
        }
        match *self.source(address)? {
            InstKind::Addr { base, .. } if !gpu.dynamic.contains(&base) => memory::variable(base),
            InstKind::Un { op: UnOp::Mov, a, .. } => self.root_within(a, left),
            // The difference of two addresses is none.
            InstKind::Bin { op: BinOp::Sub, a, b, .. } => {
                match (self.root_within(a, left), self.root_within(b, left)) {
                    (root, None) => root,
                    _ => None,
                }
            }
            InstKind::Tri { op: TriOp::Mad, c, .. } => self.root_within(c, left),
            InstKind::Bin { op: BinOp::Add, a, b, .. } => {
                match (self.root_within(a, left), self.root_within(b, left)) {
                    (Some(root), None) | (None, Some(root)) => Some(root),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// Puts an instruction with a new result before the one that is being rewritten, unless its value is available; gives
    /// the value. `kind` makes the instruction from its result register.
    pub(super) fn emit(&mut self, ty: Ty, kind: impl FnOnce(Reg) -> InstKind) -> Val {
        let reg = Reg(self.regs.len() as u32);
        let kind = kind(reg);
        if let Some(reg) = self.find(&kind) {
            return Val::Reg(reg);
        }
        self.add_reg(ty);
        self.push(kind);
        Val::Reg(reg)
    }

    /// Notes that a value is also what `kind` would compute.
    pub(super) fn remember(&mut self, kind: &InstKind, value: Val) {
        if let (Some(expression), Val::Reg(reg)) = (self.expression(kind), value) {
            self.available.insert(expression, reg, self.walk.version(reg));
        }
    }

    fn add_reg(&mut self, ty: Ty) {
        self.regs.push(RegInfo { ty, var: None, mutable: false });
        self.walk.add_reg();
        if let Some(depths) = &mut self.depths {
            depths.add_reg();
        }
    }

    /// The same for an instruction that a rule may rewrite before it is put there.
    pub(super) fn emit_rewritten(
        &mut self,
        ty: Ty,
        kind: impl FnOnce(Reg) -> InstKind,
        rule: fn(&mut ValueTable<'a>, InstKind) -> InstKind,
    ) -> Val {
        let reg = Reg(self.regs.len() as u32);
        let kind = kind(reg);
        if let Some(reg) = self.find(&kind) {
            return Val::Reg(reg);
        }
        self.add_reg(ty);
        let kind = rule(self, kind);
        if let Some(found) = self.find(&kind) {
            return Val::Reg(found);
        }
        self.push(kind);
        Val::Reg(reg)
    }

    /// The version of an operand; of a constant, 0.
    fn version(&self, val: Val) -> u32 {
        match val {
            Val::Reg(r) => self.walk.version(r),
            Val::Imm(_) => 0,
        }
    }

    fn expression(&self, kind: &InstKind) -> Option<Expression> {
        if let (Some(gpu), InstKind::Load { .. }) = (&self.gpu, kind) {
            let access = memory::plain(kind)?;
            let version = gpu.memory.version(access.space, self.root(access.addr));
            return Some(Expression::of_load(access, version, self.version(access.addr)));
        }
        Expression::of(kind, &|val| self.version(val))
    }

    /// The type of a register.
    pub(super) fn ty(&self, reg: Reg) -> Ty {
        self.regs[reg.index()].ty
    }

    /// The register that has what `kind` computes.
    pub(super) fn find(&self, kind: &InstKind) -> Option<Reg> {
        let (reg, version) = self.available.get(&self.expression(kind)?)?;
        (self.walk.version(reg) == version).then_some(reg)
    }

    /// The pure instruction that computed a value, if its operands are still what they were.
    pub(super) fn source(&self, val: Val) -> Option<&InstKind> {
        let Val::Reg(reg) = val else { return None };
        let known = self.definitions.get(&(reg, self.walk.version(reg)))?;
        let (mut i, mut same) = (0, true);
        known.kind.each_use(|v| {
            same &= self.version(v) == known.versions[i];
            i += 1;
        });
        same.then_some(&known.kind)
    }
}
