//! From IR functions to compact code.
//!
//! Registers get slots by live range (`slots`), constants get slots that are filled when a frame is made. Blocks keep their
//! order. A block that is the immediate post-dominator of a branch begins with [`Op::Reconverge`]. Addresses of globals become
//! constants, since the loader has placed them. `plan` says which registers are uniform and what addresses are made of;
//! instructions whose result is not needed are left out.
//!
//! Not here: optimisation of the IR (`opt`), execution (`exec`).

mod instructions;
mod layout;
mod plan;
mod reach;
mod select;
mod side_exit_loop;
mod slots;

use self::layout::SharedLayout;
use self::plan::{Address, Plan, RegTerm};
pub(crate) use self::select::file_of;
use self::slots::LiveRanges;
use crate::code::InstructionSet;
use crate::code::{
    AddressExpr, Code, HostBlock, Index, NO_RECONVERGENCE, Op, PatternCode, Program, R2, SideExitLoop, Slot, Term,
    Variant,
};
use crate::memory::local::{Layout, Part};
use ir::analysis::{Bases, Cfg, Dominators, Loops, PostDominators, UniformLevel};
use ir::op::Special;
use ir::{
    AddrBase, Bb, DebugVar, FuncId, FuncKind, Function, InlineId, InstKind, LocalSlot, Module, ParamKind, Reg, RegInfo,
    Term as IrTerm, Ty, Val, VarLoc,
};
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
    Ok(Program {
        module,
        code,
        globals,
        set: InstructionSet::best(),
        materialise_all: false,
        is_native: jit::is_available(),
        sites: Arc::default(),
    })
}

pub(crate) struct Compiler<'a> {
    pub(crate) module: &'a Module,
    pub(crate) globals: &'a [u64],
    pub(crate) f: &'a Function,
    pub(crate) code: Code,
    /// What is known of the function, by variant.
    plans: Vec<Plan>,
    /// Lane patterns that are computed again after an assignment, by variant and register.
    patterns_of: Vec<BTreeMap<Reg, Vec<u32>>>,
    consts: BTreeMap<(u8, u64), Slot>,
    scalars: BTreeMap<u64, Slot>,
    starts: Vec<u32>,
    /// The call in whose place the operations stand that follow.
    inlined: InlineId,
    /// The variables that addresses begin with, in device code.
    bases: Option<Bases>,
    pub(crate) reconvergences: Vec<Option<Bb>>,
}

impl<'a> Compiler<'a> {
    fn new(module: &'a Module, globals: &'a [u64], shared: &'a SharedLayout, id: FuncId) -> Compiler<'a> {
        let mut code = Code::default();
        code.shared_offsets.clone_from(&shared.offsets[id.index()]);
        code.shared_bytes = shared.totals[id.index()];
        code.unites_cluster = reach::unites_cluster(module, id);
        code.launches = module.func(id).kind == FuncKind::Kernel && reach::launches(module, id);
        Compiler {
            module,
            globals,
            f: module.func(id),
            code,
            plans: Vec::new(),
            patterns_of: Vec::new(),
            consts: BTreeMap::new(),
            scalars: BTreeMap::new(),
            starts: Vec::new(),
            inlined: InlineId::NONE,
            bases: (module.func(id).kind != FuncKind::Host).then(|| Bases::new(module.func(id))),
            reconvergences: Vec::new(),
        }
    }

    fn run(mut self) -> Result<Code, LoadError> {
        self.place_memory();
        let cfg = Cfg::new(self.f);
        let base_of = |base| match base {
            AddrBase::Local(id) => Some((self.code.local_parts[ir::LocalId::index(id)].start as i64, true)),
            AddrBase::Shared(id) => {
                self.code.shared_offsets[id.index()].map(|offset| ((SHARED_BASE + offset) as i64, false))
            }
            AddrBase::Global(id) => Some((self.globals[id.index()] as i64, false)),
        };
        let levels: &[UniformLevel] =
            if self.asks_for_rows() { &[UniformLevel::Warp, UniformLevel::WarpInRow] } else { &[UniformLevel::Warp] };
        let plans = levels.iter().map(|&level| Plan::new(self.f, &cfg, level, &base_of)).collect();
        self.plans = plans;
        let post = PostDominators::new(&cfg);
        self.place_registers(&cfg);
        self.reconvergences = (0..self.f.blocks.len())
            .map(|i| match self.f.blocks[i].term {
                IrTerm::Branch { .. } | IrTerm::Switch { .. } => post.ipdom(Bb(i as u32)),
                _ => None,
            })
            .collect();
        let targets: BTreeSet<Bb> = self.reconvergences.iter().flatten().copied().collect();
        for (i, block) in self.f.blocks.iter().enumerate() {
            let bb = Bb(i as u32);
            self.starts.push(self.code.ops.len() as u32);
            self.inlined = block.insts.first().map_or(block.term_inlined, |inst| inst.inlined);
            if targets.contains(&bb) {
                self.push(Op::Reconverge, block.insts.first().map_or(block.term_span, |inst| inst.span));
            }
            if i == 0 {
                for param in &self.f.params {
                    self.update_patterns(param.reg, self.f.span);
                }
            }
            for (at, inst) in block.insts.iter().enumerate() {
                self.inlined = inst.inlined;
                self.inst((bb, at), &inst.kind, inst.span)?;
            }
            self.inlined = block.term_inlined;
            let op = self.term(bb, &block.term);
            self.push(op, block.term_span);
        }
        self.find_side_exit_loops(&cfg, &post);
        self.find_host_blocks(&cfg);
        self.resolve();
        // A debugger shows all variables at each statement; findings name elements by where arrays lie and by their shape.
        let has_statements = self.code.ops.iter().any(|op| matches!(op, Op::Stmt));
        let is_placed = |var: &DebugVar| !matches!(var.loc, VarLoc::Reg(_) | VarLoc::Complex(..));
        let mut shown = BTreeSet::new();
        for var in self.f.vars.iter().filter(|var| has_statements || self.f.kind != FuncKind::Host && is_placed(var)) {
            var.each_reg(|reg| {
                shown.insert(reg);
            });
        }
        self.code.shown = shown.into_iter().map(|reg| self.code.slots[reg.index()]).collect();
        self.code.register_words += self.code.consts32.len() as u32 + 2 * self.code.consts64.len() as u32;
        Ok(self.code)
    }

    /// Notes the blocks of host code, and in which loops they lie.
    fn find_host_blocks(&mut self, cfg: &Cfg) {
        if self.is_device() {
            return;
        }
        let loops = Loops::new(cfg, &Dominators::new(cfg));
        for (i, &start) in self.starts.iter().enumerate() {
            let bb = Bb(i as u32);
            let mut outermost = loops.of(bb);
            while let Some(parent) = outermost.and_then(|of| loops.get(of).parent) {
                outermost = Some(parent);
            }
            let end = self.starts.get(i + 1).copied().unwrap_or(self.code.ops.len() as u32);
            let (nest, depth) = (outermost.map(|of| of.0), loops.depth(bb) as u32);
            self.code.host_blocks.push(HostBlock { start, end, nest, depth });
        }
    }

    /// Notes the loops of device code that lanes leave one after another.
    fn find_side_exit_loops(&mut self, cfg: &Cfg, post: &PostDominators) {
        if !self.is_device() {
            return;
        }
        let loops = Loops::new(cfg, &Dominators::new(cfg));
        let end = |bb: Bb| self.starts.get(bb.index() + 1).copied().unwrap_or(self.code.ops.len() as u32);
        for c in side_exit_loop::find(self.f, &loops, post).values() {
            let branches = c.blocks.iter().map(|&bb| end(bb) - 1);
            let is_branch = |pc: &u32| matches!(self.code.ops.get(*pc as usize), Some(Op::Branch { .. }));
            let branches = branches.filter(is_branch).collect();
            let exit = self.starts[c.exit.index()];
            self.code.side_exit_loops.push(SideExitLoop { exit, takes: c.takes, branches });
        }
    }

    /// Whether it is worth a second variant that the rows of a block may be whole warps.
    fn asks_for_rows(&self) -> bool {
        let asks = |kind: &InstKind| matches!(kind, InstKind::Special { reg: Special::TidY | Special::TidZ, .. });
        self.f.kind == FuncKind::Kernel && self.f.blocks.iter().any(|b| b.insts.iter().any(|inst| asks(&inst.kind)))
    }

    /// Appends an operation that is the same everywhere.
    fn push(&mut self, op: Op, span: Span) {
        let variants = vec![op.clone(); self.plans.len()];
        self.push_all(op, variants, span);
    }

    /// Appends an operation on rows, and what the variants do instead.
    fn push_all(&mut self, op: Op, variants: Vec<Op>, span: Span) {
        self.code.ops.push(op);
        self.code.insts.push(None);
        for (variant, op) in self.code.variants.iter_mut().zip(variants) {
            variant.ops.push(op);
        }
        self.code.spans.push(span);
        if !self.f.inlined.is_empty() {
            self.code.inlined.push(self.inlined);
        }
    }

    fn update_patterns(&mut self, reg: Reg, span: Span) {
        let lists: Vec<Vec<u32>> =
            self.patterns_of.iter().map(|of| of.get(&reg).cloned().unwrap_or_default()).collect();
        for i in 0..lists.iter().map(Vec::len).max().unwrap_or(0) {
            let pattern = |list: &Vec<u32>| list.get(i).map_or(Op::Nop, |&pattern| Op::UpdatePattern { pattern });
            self.push_all(Op::Nop, lists.iter().map(pattern).collect(), span);
        }
    }

    fn error(&self, message: impl Into<String>) -> LoadError {
        LoadError { function: self.f.name.clone(), message: message.into() }
    }

    /// Gives places to local memory.
    fn place_memory(&mut self) {
        let own = |slot: &&LocalSlot| slot.inlined == InlineId::NONE;
        let mut local = 0u64;
        let mut place = |bytes: u64, align: u64| {
            let start = local.next_multiple_of(align.max(1));
            local = start + bytes;
            Part { start, bytes, row: 0 }
        };
        let is_object = |kind: &ParamKind| match *kind {
            ParamKind::Value => None,
            ParamKind::Bytes { bytes, align } => Some((bytes, align)),
        };
        let objects: Vec<_> = self.f.params.iter().map(|p| is_object(&p.kind)).collect();
        // The host's are one piece of its stack.
        let mut parts: Vec<Part> = self.f.locals.iter().filter(own).map(|l| place(l.bytes, l.align)).collect();
        parts.extend(objects.iter().flatten().map(|&(bytes, align)| place(bytes, align)));
        self.code.local_bytes = local.next_multiple_of(8);
        self.code.local_span = self.code.local_bytes;
        if self.is_device() {
            let depth = |at: InlineId| (at != InlineId::NONE).then(|| (self.f.inlined(at).count(), at.0));
            let slots = self.f.locals.iter().map(|l| (l.bytes, l.align, depth(l.inlined)));
            let objects = objects.iter().flatten().map(|&(bytes, align)| (bytes, align, None));
            let layout;
            (layout, parts) = Layout::new(slots.chain(objects));
            self.code.local_span = layout.span();
            self.code.local_layout = Arc::new(layout);
        }
        let mut of_objects = parts.split_off(self.f.locals.len().min(parts.len())).into_iter();
        self.code.local_parts = parts;
        self.code.param_parts = objects.iter().map(|object| object.and_then(|_| of_objects.next())).collect();
    }

    fn is_device(&self) -> bool {
        self.f.kind != FuncKind::Host
    }

    /// Gives slots to registers, those with a scalar first, and collects the patterns.
    fn place_registers(&mut self, cfg: &Cfg) {
        self.code.slots = self.f.regs.iter().map(|r| (r.ty, 0)).collect();
        // What is uniform in one variant is so in those behind it; the number behind the last is of those that never are.
        let plans = &self.plans;
        let first_variant = |i: usize, ty: Ty| {
            let is_uniform = |p: &Plan| self.f.kind != FuncKind::Host && file_of(ty) != 0 && p.uniform.contains(i);
            plans.iter().position(is_uniform).unwrap_or(plans.len())
        };
        let is_left_out = |kind: &InstKind| plans.iter().all(|p| self.is_left_out(p, kind));
        let ranges = LiveRanges::new(self.f, cfg, plans, &is_left_out);
        let mut needed = [0; 3];
        for variant in 0..=plans.len() {
            for file in 0..3 {
                let is_here = |&(i, reg): &(usize, &RegInfo)| {
                    file_of(reg.ty) == file
                        && first_variant(i, reg.ty) == variant
                        && plans.iter().any(|p| p.needed.contains(i))
                };
                let regs: Vec<Reg> =
                    self.f.regs.iter().enumerate().filter(is_here).map(|(i, _)| Reg(i as u32)).collect();
                let (numbers, count) = ranges.number(&regs);
                for (reg, number) in regs.iter().zip(numbers) {
                    self.code.slots[reg.index()].1 = self.code.files[file] + number;
                }
                self.code.files[file] += count;
                needed[file] += regs.len() as u32;
            }
            if variant < plans.len() {
                let uniforms = [self.code.files[1], self.code.files[2]];
                self.code.variants.push(Variant { uniforms, ..Variant::default() });
            }
        }
        // Registers that are not needed have slot 0, which has to exist.
        self.code.files = self.code.files.map(|n| n.max(1));
        self.code.register_words = needed[1].max(1) + 2 * needed[2].max(1);
        let plans = &self.plans;
        let is_row = |r: Reg| plans.iter().any(|p| p.rows.contains(r.index()));
        self.code.params = self.f.params.iter().map(|p| (self.code.slots[p.reg.index()], is_row(p.reg))).collect();
        self.code.unset = plans[0].unset.iter().map(|&r| (self.code.slots[r.index()], is_row(r))).collect();
        let mut insts = self.f.blocks.iter().flat_map(|b| &b.insts);
        self.code.meets_nobody = self.f.kind == FuncKind::Kernel
            && !insts.any(|i| matches!(i.kind, InstKind::Barrier { .. } | InstKind::Call { .. }));
        for variant in 0..self.plans.len() {
            let mut patterns_of: BTreeMap<Reg, Vec<u32>> = BTreeMap::new();
            for (i, (terms, kept)) in self.plans[variant].patterns.iter().enumerate() {
                if *kept && self.is_device() {
                    for term in terms {
                        patterns_of.entry(term.reg).or_default().push(i as u32);
                    }
                }
                let terms = terms.iter().map(|t| self.term_of(variant, t)).collect();
                self.code.variants[variant].patterns.push(PatternCode { terms });
            }
            self.patterns_of.push(patterns_of);
        }
    }

    /// How many scalars of 32 and of 64 bits there are.
    fn scalar_counts(&self) -> [u32; 2] {
        self.code.variants.last().map_or([0; 2], |w| w.uniforms)
    }

    /// The scalar of a register, if it has one in this variant.
    pub(crate) fn scalar_of(&self, variant: usize, reg: Reg) -> Option<Slot> {
        let (ty, slot) = self.code.slots[reg.index()];
        let [narrow, wide] = self.code.variants[variant].uniforms;
        match file_of(ty) {
            1 => (slot < narrow).then_some(slot),
            2 => (slot < wide).then_some(self.scalar_counts()[0] + slot),
            _ => None,
        }
    }

    fn term_of(&self, variant: usize, term: &RegTerm) -> Term {
        let slot = self.code.slots[term.reg.index()].1;
        let scalar = self.scalar_of(variant, term.reg).unwrap_or(0);
        Term { slot, scalar, narrow: term.narrow, factor: term.factor }
    }

    /// Adds the address of the access at `place` to each variant; they have the same number everywhere.
    pub(crate) fn expr(&mut self, place: (Bb, usize)) -> u32 {
        let part = self.part(place);
        for variant in 0..self.plans.len() {
            let address = self.plans[variant].addresses.remove(&place).unwrap_or_default();
            let terms = |terms: &[RegTerm]| terms.iter().map(|t| self.term_of(variant, t)).collect::<Vec<_>>();
            let Address { base, local, index, terms: outer } = &address;
            let index = index.as_ref().map(|i| Index {
                factor: i.factor,
                pattern: i.pattern,
                kept: self.plans[variant].patterns[i.pattern as usize].1,
                wraps: i.wraps,
                base: i.base,
                terms: terms(&i.terms),
            });
            let expr = AddressExpr { base: *base, local: *local, part, terms: terms(outer), index };
            self.code.variants[variant].address_exprs.push(expr);
        }
        self.code.variants[0].address_exprs.len() as u32 - 1
    }

    /// The variable of local memory that the address of the access at `place` begins with.
    fn part(&self, (bb, at): (Bb, usize)) -> Option<Part> {
        let (InstKind::Load { addr, .. } | InstKind::Store { addr, .. }) = self.f.block(bb).insts.get(at)?.kind else {
            return None;
        };
        match self.bases.as_ref()?.of(addr)? {
            AddrBase::Local(id) => self.code.local_parts.get(id.index()).copied(),
            AddrBase::Shared(_) | AddrBase::Global(_) => None,
        }
    }

    pub(crate) fn slot(&mut self, val: Val, ty: Ty) -> Slot {
        match val {
            Val::Reg(reg) => self.code.slots[reg.index()].1,
            Val::Imm(bits) => self.constant(ty, bits),
        }
    }

    pub(crate) fn constant(&mut self, ty: Ty, bits: u64) -> Slot {
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

    /// The scalar of an operand.
    pub(crate) fn scalar(&mut self, variant: usize, val: Val) -> Slot {
        match val {
            Val::Reg(reg) => self.scalar_of(variant, reg).unwrap_or(0),
            Val::Imm(bits) => self.scalar_constant(bits),
        }
    }

    pub(crate) fn scalar_constant(&mut self, bits: u64) -> Slot {
        let [narrow, wide] = self.scalar_counts();
        let scalars = &mut self.code.scalars;
        *self.scalars.entry(bits).or_insert_with(|| {
            scalars.push(bits);
            narrow + wide + scalars.len() as u32 - 1
        })
    }

    pub(crate) fn dst(&self, reg: Reg) -> Slot {
        self.code.slots[reg.index()].1
    }

    pub(crate) fn typed(
        &mut self,
        vals: &[Val],
        tys: impl Fn(usize) -> Option<Ty>,
    ) -> Result<Box<[(Ty, Slot)]>, LoadError> {
        let mut out = Vec::new();
        for (i, &val) in vals.iter().enumerate() {
            let Some(ty) = tys(i) else { return Err(self.error("a call has too many arguments")) };
            out.push((ty, self.slot(val, ty)));
        }
        Ok(out.into())
    }

    pub(crate) fn param_types(&self, func: FuncId) -> Vec<Ty> {
        let f = self.module.func(func);
        f.params.iter().map(|p| f.ty(p.reg)).collect()
    }

    /// Whether an instruction becomes no operation by a plan: it only computes what nobody needs.
    fn is_left_out(&self, plan: &Plan, kind: &InstKind) -> bool {
        let is_unneeded = |r: Reg| !self.f.is_mutable(r) && !plan.needed.contains(r.index());
        kind.is_pure() && kind.def().is_some_and(is_unneeded)
    }

    fn inst(&mut self, place: (Bb, usize), kind: &InstKind, span: Span) -> Result<(), LoadError> {
        let dropped = |p: &Plan| self.is_left_out(p, kind);
        if self.plans.iter().all(dropped) {
            return Ok(());
        }
        let is_scalar: Vec<bool> = self.plans.iter().map(|p| self.is_device() && p.is_scalar(kind, place)).collect();
        let drops: Vec<bool> = self.plans.iter().map(dropped).collect();
        let op = self.rows(place, kind)?;
        let mut variants = Vec::new();
        for variant in 0..self.plans.len() {
            variants.push(match (drops[variant], is_scalar[variant]) {
                (true, _) => Op::Nop,
                (_, true) => self.scalars(variant, kind, &op),
                _ => op.clone(),
            });
        }
        if matches!(kind, InstKind::Load { .. } | InstKind::Store { .. } | InstKind::Atomic { .. }) {
            self.code.accesses.push(self.code.ops.len() as u32);
        }
        self.push_all(op, variants, span);
        if let Some(inst) = self.code.insts.last_mut() {
            *inst = Some(place);
        }
        // A uniform register whose operation works on rows is taken from there, and one that somebody wants as a row put there.
        let mut moves = Vec::new();
        for variant in 0..self.plans.len() {
            let scalar = kind.def().and_then(|r| Some((self.scalar_of(variant, r)?, r)));
            moves.push(match scalar.filter(|_| self.is_device() && !drops[variant]) {
                Some((d, reg)) => {
                    let (ty, slot) = self.code.slots[reg.index()];
                    let r = R2 { d: slot, a: d };
                    match (is_scalar[variant], file_of(ty)) {
                        (false, _) => Op::Take { ty, d, a: slot },
                        (true, _) if !self.plans[variant].rows.contains(reg.index()) => Op::Nop,
                        (true, 1) => Op::Splat32(r),
                        (true, _) => Op::Splat64(r),
                    }
                }
                None => Op::Nop,
            });
        }
        if moves.iter().any(|op| *op != Op::Nop) {
            self.push_all(Op::Nop, moves, span);
        }
        let mut assigned = Vec::new();
        kind.each_def(|r| assigned.push(r));
        for reg in assigned {
            self.update_patterns(reg, span);
        }
        Ok(())
    }

    /// Turns block numbers in terminators into operation numbers, and puts operations that follow each other together. Each
    /// keeps its place too, since a run may stop between them.
    fn resolve(&mut self) {
        let at = |bb: &mut u32| {
            if *bb != NO_RECONVERGENCE {
                *bb = self.starts[*bb as usize];
            }
        };
        let variants = self.code.variants.iter_mut().map(|w| &mut w.ops);
        for ops in std::iter::once(&mut self.code.ops).chain(variants) {
            for op in ops.iter_mut() {
                match op {
                    Op::Jump { to } => at(to),
                    Op::Branch { then_pc, else_pc, join, .. } => {
                        at(then_pc);
                        at(else_pc);
                        at(join);
                    }
                    Op::Switch(switch) => {
                        switch.arms.iter_mut().for_each(|(_, pc)| at(pc));
                        at(&mut switch.default);
                        at(&mut switch.join);
                    }
                    _ => {}
                }
            }
            for i in 1..ops.len() {
                if let (Op::BackEdge, &Op::Jump { to }) = (&ops[i - 1], &ops[i]) {
                    ops[i - 1] = Op::BackJump { to };
                }
            }
        }
        if self.f.kind == FuncKind::Host {
            self.code.variants.iter_mut().for_each(|w| w.ops = Vec::new());
        }
    }
}
