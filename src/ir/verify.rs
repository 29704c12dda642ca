//! Checks that a module is valid: what every executor, printer and pass may rely on.
//!
//! Checked: ids in range; operand, constant and result types by the tables; temporaries assigned once, with a definition
//! that dominates each use; places of services, spaces and instructions (host or device); arguments and results of calls,
//! launches and returns; tables (alignments, initial bytes, variables). A constant has no bits beyond its type.
//!
//! Not checked: that a mutable register is set before it is read (a Fortran program may do that; it then reads an
//! undefined value), that addresses are right, that threads converge at barriers.

use crate::analysis::{Cfg, Dominators};
use crate::op::{AtomOp, CvtOp, TyClass};
use crate::rt::Side;
use crate::{
    AddrBase, Bb, DebugTypeKind, DebugVar, FuncKind, Function, Global, GlobalInit, InlineId, InstKind, Module,
    ParamKind, Reg, Space, Term, Val, VarLengths, VarLoc,
};
use scalar::Ty;
use std::collections::BTreeSet;
use std::sync::Arc;

/// What is wrong with a module.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct VerifyError {
    /// The function; empty for the module's own tables.
    pub function: Arc<str>,
    /// The block.
    pub block: Option<Bb>,
    /// The index of the instruction in its block; the number of instructions for the terminator.
    pub inst: Option<usize>,
    /// What is wrong.
    pub message: String,
}

impl std::fmt::Display for VerifyError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut place = Vec::new();
        if !self.function.is_empty() {
            place.push(format!("function `{}`", self.function));
        }
        place.extend(self.block.map(|bb| format!("block `{bb}`")));
        place.extend(self.inst.map(|i| format!("instruction {i}")));
        if !place.is_empty() {
            write!(f, "{}: ", place.join(", "))?;
        }
        f.write_str(&self.message)
    }
}

/// All that is wrong with `module`; empty if it is valid.
pub fn module(module: &Module) -> Vec<VerifyError> {
    let mut out = Vec::new();
    let mut report = |message: String| {
        out.push(VerifyError { function: "".into(), block: None, inst: None, message });
    };
    let mut names = BTreeSet::new();
    for f in &module.funcs {
        if !names.insert(&f.name) {
            report(format!("two functions have the name `{}`", f.name));
        }
    }
    if let Some(main) = module.main
        && module.funcs.get(main.index()).is_none_or(|f| f.kind != FuncKind::Host)
    {
        report(format!("`{main}`, the main program, is no host function"));
    }
    for (i, global) in module.globals.iter().enumerate() {
        check_global(module, i, global, &mut report);
    }
    for (i, ty) in module.types.iter().enumerate() {
        if let DebugTypeKind::Derived(fields) = &ty.kind {
            for field in fields.iter().filter(|f| f.ty.index() >= module.types.len()) {
                report(format!("component `{}` of type `t{i}` has no type `{}`", field.name, field.ty));
            }
        }
    }
    for f in &module.funcs {
        out.extend(function(module, f));
    }
    out
}

fn check_global(module: &Module, index: usize, g: &Global, report: &mut impl FnMut(String)) {
    if !matches!(g.space, Space::Host | Space::Global | Space::Const) {
        report(format!("global `g{index}` is in a space that holds no globals"));
    }
    if g.managed && g.space != Space::Global {
        report(format!("global `g{index}` is managed, but not in global memory"));
    }
    if !g.align.is_power_of_two() {
        report(format!("alignment {} of global `g{index}` is no power of two", g.align));
    }
    if let GlobalInit::Bytes(bytes) = &g.init
        && bytes.len() as u64 != g.bytes
    {
        report(format!("global `g{index}` of {} bytes is given {}", g.bytes, bytes.len()));
    }
    if g.holes.iter().any(|&(first, len)| first.checked_add(len).is_none_or(|end| end > g.bytes)) {
        report(format!("global `g{index}` of {} bytes has a hole beyond its end", g.bytes));
    }
    if g.var.as_ref().is_some_and(|v| v.ty.index() >= module.types.len()) {
        report(format!("the variable of global `g{index}` has no type"));
    }
}

/// All that is wrong with `f`, a function of `module`.
pub fn function(module: &Module, f: &Function) -> Vec<VerifyError> {
    let mut check = Check { module, f, block: None, inst: None, out: Vec::new() };
    check.tables();
    if f.blocks.is_empty() {
        check.report("there is no block");
        return check.out;
    }
    let n = f.blocks.len();
    let targets_exist = f.blocks.iter().all(|b| b.term.successors().iter().all(|t| t.index() < n));
    for (i, block) in f.blocks.iter().enumerate() {
        check.block = Some(Bb(i as u32));
        for (at, inst) in block.insts.iter().enumerate() {
            check.inst = Some(at);
            check.inlined(inst.inlined);
            check.inst(&inst.kind);
        }
        check.inst = Some(block.insts.len());
        check.inlined(block.term_inlined);
        check.term(&block.term);
    }
    // Dominance means nothing where ids are wrong.
    if targets_exist && check.out.is_empty() {
        check.temporaries();
    }
    check.out
}

struct Check<'a> {
    module: &'a Module,
    f: &'a Function,
    block: Option<Bb>,
    inst: Option<usize>,
    out: Vec<VerifyError>,
}

impl Check<'_> {
    fn report(&mut self, message: impl Into<String>) {
        let (function, message) = (self.f.name.clone(), message.into());
        self.out.push(VerifyError { function, block: self.block, inst: self.inst, message });
    }

    fn require(&mut self, holds: bool, message: impl FnOnce() -> String) {
        if !holds {
            self.report(message());
        }
    }

    fn is_host(&self) -> bool {
        self.f.kind == FuncKind::Host
    }

    fn side(&self) -> &'static str {
        if self.is_host() { "host" } else { "device" }
    }

    fn tables(&mut self) {
        let f = self.f;
        for (i, p) in f.params.iter().enumerate() {
            let ty = f.regs.get(p.reg.index()).map(|r| r.ty);
            self.require(ty.is_some(), || format!("parameter {i} has no register `{}`", p.reg));
            self.require(!f.params[..i].iter().any(|q| q.reg == p.reg), || {
                format!("two parameters have register `{}`", p.reg)
            });
            match p.kind {
                ParamKind::Value => self.require(f.kind != FuncKind::Kernel || ty != Some(Ty::Pred), || {
                    format!("parameter {i} of a kernel is a predicate")
                }),
                ParamKind::Bytes { align, .. } => {
                    self.require(ty == Some(Ty::I64), || format!("parameter {i} is bytes, but no `i64`"));
                    self.require(align.is_power_of_two(), || {
                        format!("alignment {align} of parameter {i} is no power of two")
                    });
                }
            }
        }
        self.require(f.kind != FuncKind::Kernel || f.results.is_empty(), || "a kernel has results".to_string());
        self.require(f.shared.is_empty() || !self.is_host(), || "a host function has shared memory".to_string());
        for (i, l) in f.locals.iter().enumerate() {
            self.require(l.align.is_power_of_two(), || format!("alignment {} of `l{i}` is no power of two", l.align));
            self.inlined(l.inlined);
        }
        for (i, s) in f.shared.iter().enumerate() {
            self.require(s.align.is_power_of_two(), || format!("alignment {} of `s{i}` is no power of two", s.align));
        }
        for (i, r) in f.regs.iter().enumerate() {
            self.require(r.var.is_none_or(|v| v.index() < f.vars.len()), || format!("register `%{i}` has no variable"));
        }
        for (i, v) in f.vars.iter().enumerate() {
            self.var(i, v);
        }
        for (i, of) in f.inlined.iter().enumerate() {
            let has_func = of.func.index() < self.module.funcs.len();
            self.require(has_func, || format!("the function of `in{i}` does not exist"));
            self.require(of.outer == InlineId::NONE || of.outer.index() < i, || {
                format!("`in{i}` is outside of its call")
            });
        }
    }

    fn var(&mut self, index: usize, v: &DebugVar) {
        let (types, regs) = (self.module.types.len(), self.f.regs.len());
        self.inlined(v.inlined);
        self.require(v.ty.index() < types, || format!("variable `v{index}` has no type `{}`", v.ty));
        v.each_reg(|r| self.require(r.index() < regs, || format!("variable `v{index}` has no register `{r}`")));
        match v.loc {
            VarLoc::Memory(base) | VarLoc::Descriptor(base) => self.base(base),
            VarLoc::Reg(_) | VarLoc::Complex(..) | VarLoc::At(_) | VarLoc::DescriptorAt(_) | VarLoc::Constant => {}
        }
        if let VarLengths::Memory(base) = v.lengths {
            self.base(base);
        }
    }

    /// The call that something is a part of.
    fn inlined(&mut self, at: InlineId) {
        let exists = at == InlineId::NONE || at.index() < self.f.inlined.len();
        self.require(exists, || format!("there is no inlined call `{at}`"));
    }

    fn base(&mut self, base: AddrBase) {
        let exists = match base {
            AddrBase::Local(id) => id.index() < self.f.locals.len(),
            AddrBase::Shared(id) => id.index() < self.f.shared.len(),
            AddrBase::Global(id) => id.index() < self.module.globals.len(),
        };
        self.require(exists, || format!("there is no `{}`", crate::print::base_text(base)));
    }

    /// A value that has to be of type `ty`.
    fn val(&mut self, val: Val, ty: Option<Ty>) {
        match (val, ty) {
            (_, None) => {}
            (Val::Imm(bits), Some(ty)) => self.require(scalar::bits::canonical(ty, bits) == bits, || {
                format!("constant {bits:#x} has bits beyond type `{ty}`")
            }),
            (Val::Reg(reg), Some(ty)) => self.reg(reg, ty),
        }
    }

    fn reg(&mut self, reg: Reg, ty: Ty) {
        match self.f.regs.get(reg.index()) {
            None => self.report(format!("there is no register `{reg}`")),
            Some(info) if info.ty != ty => {
                self.report(format!("register `{reg}` is of type `{}`, `{ty}` is needed", info.ty));
            }
            Some(_) => {}
        }
    }

    fn class(&mut self, class: TyClass, ty: Ty, op: &str) {
        self.require(class.has(ty), || format!("`{op}` does not take type `{ty}`"));
    }

    fn inst(&mut self, kind: &InstKind) {
        for (val, ty) in kind.operands(self.module) {
            self.val(val, ty);
        }
        for (reg, ty) in kind.result_types(self.module) {
            if let Some(ty) = ty {
                self.reg(reg, ty);
            }
        }
        match kind {
            InstKind::Un { op, ty, .. } => self.class(op.class(), *ty, op.mnemonic()),
            InstKind::Bin { op, ty, .. } => self.class(op.class(), *ty, op.mnemonic()),
            InstKind::Tri { op, ty, .. } => self.class(op.class(), *ty, op.mnemonic()),
            InstKind::Cmp { op, ty, .. } => self.class(op.class(), *ty, op.mnemonic()),
            InstKind::Cvt { op, from, to, .. } => {
                self.require(converts(*op, *from, *to), || format!("`{op}` does not convert `{from}` to `{to}`"));
            }
            InstKind::Select { .. } | InstKind::Stmt | InstKind::BackEdge => {}
            InstKind::Addr { base, .. } => self.addr(*base),
            InstKind::Clear { local } => self.base(AddrBase::Local(*local)),
            InstKind::Load { ty, space, .. } => self.access(*ty, *space),
            InstKind::Store { ty, space, .. } => {
                self.access(*ty, *space);
                self.require(*space != Space::Const, || "constant memory is stored to".to_string());
            }
            InstKind::Atomic { op, ty, space, dst, used, b, .. } => {
                self.class(op.class(), *ty, op.mnemonic());
                self.device("an atomic operation");
                self.require(matches!(space, Space::Global | Space::Shared | Space::Generic), || {
                    format!("an atomic operation is on {} memory", crate::print::space_name(*space))
                });
                let is_held = if *op == AtomOp::AddHalf { matches!(ty, Ty::I16 | Ty::I32) } else { ty.bytes() >= 4 };
                self.require(is_held, || format!("atomic `{op}` is of type `{ty}`"));
                self.require(dst.is_some() || !used, || "an atomic whose old value is used has no result".to_string());
                self.require((*op == AtomOp::Cas) == b.is_some(), || {
                    "only `cas` has a second operand, and needs it".to_string()
                });
            }
            InstKind::Barrier { op, dst, a } => {
                self.device("a barrier");
                let reduces = op.result().is_some();
                self.require(a.is_some() == reduces && dst.is_some() == reduces, || {
                    format!("`{op}` {} an operand and a result", if reduces { "needs" } else { "does not have" })
                });
            }
            InstKind::Vote { op, ty, .. } => {
                self.device("a vote");
                self.require(op.is_match() || *ty == Ty::Pred, || format!("`{op}` does not take type `{ty}`"));
            }
            InstKind::Shuffle { op, ty, .. } => {
                self.device("a shuffle");
                self.class(op.class(), *ty, op.mnemonic());
            }
            InstKind::Fence { .. } => self.device("a fence"),
            InstKind::SyncWarp { .. } => self.device("a warp barrier"),
            InstKind::Special { .. } => self.device("a special register"),
            InstKind::Call { func, args, results } => self.call(func.index(), args.len(), results.len()),
            InstKind::Rt { rt, args, results } => {
                let (params, gives) = (rt.params().len(), rt.results().len());
                self.require(args.len() == params, || {
                    format!("`{rt}` takes {params} arguments, {} are given", args.len())
                });
                self.require(results.len() == gives, || {
                    format!("`{rt}` gives {gives} results, {} are taken", results.len())
                });
                let legal = rt.side() == Side::Both || (rt.side() == Side::Host) == self.is_host();
                let side = self.side();
                self.require(legal, || format!("service `{rt}` is called in {side} code"));
            }
            InstKind::Launch { func, args, .. } => match self.module.funcs.get(func.index()) {
                None => self.report(format!("there is no function `{func}`")),
                Some(callee) => {
                    self.require(callee.kind == FuncKind::Kernel, || {
                        format!("`{}` is launched, but no kernel", callee.name)
                    });
                    self.arguments(callee, args.len());
                }
            },
        }
    }

    fn device(&mut self, what: &str) {
        self.require(!self.is_host(), || format!("{what} is in host code"));
    }

    fn addr(&mut self, base: AddrBase) {
        self.base(base);
        if let AddrBase::Global(id) = base
            && let Some(g) = self.module.globals.get(id.index())
        {
            self.require(self.is_host() || g.space != Space::Host, || {
                format!("device code names `{}` of the host", g.name)
            });
        }
    }

    fn access(&mut self, ty: Ty, space: Space) {
        self.require(ty != Ty::Pred, || "a predicate is never in memory".to_string());
        let legal = if self.is_host() { matches!(space, Space::Host | Space::Local) } else { space != Space::Host };
        let side = self.side();
        self.require(legal, || format!("{side} code accesses {} memory", crate::print::space_name(space)));
    }

    fn arguments(&mut self, callee: &Function, args: usize) {
        let params = callee.params.len();
        self.require(args == params, || format!("`{}` takes {params} arguments, {args} are given", callee.name));
    }

    fn call(&mut self, func: usize, args: usize, results: usize) {
        let Some(callee) = self.module.funcs.get(func) else {
            self.report(format!("there is no function `fn{func}`"));
            return;
        };
        self.arguments(callee, args);
        let gives = callee.results.len();
        self.require(results == gives, || format!("`{}` gives {gives} results, {results} are taken", callee.name));
        let legal = if self.is_host() { FuncKind::Host } else { FuncKind::Device };
        let side = self.side();
        self.require(callee.kind == legal, || format!("`{}` is called in {side} code", callee.name));
    }

    fn term(&mut self, term: &Term) {
        let n = self.f.blocks.len();
        for bb in term.successors() {
            self.require(bb.index() < n, || format!("there is no block `{bb}`"));
        }
        match term {
            Term::Branch { cond, .. } => self.val(*cond, Some(Ty::Pred)),
            Term::Switch { ty, value, arms, .. } => {
                self.class(TyClass::Int, *ty, "switch");
                self.val(*value, Some(*ty));
                let mut seen = BTreeSet::new();
                for &(number, _) in arms {
                    self.require(seen.insert(number), || format!("two arms have the number {number}"));
                }
            }
            Term::Return(values) => {
                let results = &self.f.results;
                self.require(values.len() == results.len(), || {
                    format!("{} values are returned, the function has {} results", values.len(), results.len())
                });
                for (&val, &ty) in values.iter().zip(results) {
                    self.val(val, Some(ty));
                }
            }
            Term::Exit => self.device("the end of a thread"),
            Term::Jump(_) | Term::Trap(_) => {}
        }
    }

    /// Single assignment of temporaries, and dominance of their uses.
    fn temporaries(&mut self) {
        let f = self.f;
        let cfg = Cfg::new(f);
        let dom = Dominators::new(&cfg);
        // Where each temporary is assigned; parameters before everything.
        let mut defs: Vec<Option<(Bb, usize)>> = vec![None; f.regs.len()];
        for p in f.params.iter().filter(|p| !f.is_mutable(p.reg)) {
            defs[p.reg.index()] = Some((Bb(0), 0));
        }
        for (i, block) in f.blocks.iter().enumerate() {
            self.block = Some(Bb(i as u32));
            for (at, inst) in block.insts.iter().enumerate() {
                self.inst = Some(at);
                inst.kind.each_def(|r| {
                    if !f.is_mutable(r) {
                        self.require(defs[r.index()].is_none(), || format!("temporary `{r}` is assigned twice"));
                        // A use in the instruction itself comes before the result.
                        defs[r.index()] = Some((Bb(i as u32), at + 1));
                    }
                });
            }
        }
        for &bb in cfg.rpo() {
            self.block = Some(bb);
            let block = f.block(bb);
            let check = |this: &mut Self, val: Val, at: usize| {
                let Val::Reg(r) = val else { return };
                if f.is_mutable(r) {
                    return;
                }
                this.inst = Some(at);
                match defs[r.index()] {
                    None => this.report(format!("temporary `{r}` is never assigned")),
                    Some((def, from)) if def == bb => {
                        this.require(from <= at, || format!("temporary `{r}` is used before its assignment"));
                    }
                    Some((def, _)) => this.require(dom.dominates(def, bb), || {
                        format!("the assignment of temporary `{r}` in `{def}` does not come before every use")
                    }),
                }
            };
            for (at, inst) in block.insts.iter().enumerate() {
                inst.kind.each_use(|v| check(self, v, at));
            }
            block.term.each_use(|v| check(self, v, block.insts.len()));
        }
    }
}

/// Whether a conversion exists.
pub fn converts(op: CvtOp, from: Ty, to: Ty) -> bool {
    match op {
        CvtOp::Cast => from != Ty::Pred && to != Ty::Pred,
        CvtOp::CastU => from.is_int() && to.is_int(),
        CvtOp::Nint | CvtOp::FloorI | CvtOp::CeilI => from.is_real() && to.is_int(),
        CvtOp::Bits => from != Ty::Pred && to != Ty::Pred && from.bytes() == to.bytes(),
        CvtOp::PredToInt => from == Ty::Pred && to.is_int(),
        CvtOp::IntToPred => from.is_int() && to == Ty::Pred,
        CvtOp::FromHalf => (from, to) == (Ty::I16, Ty::F32),
        CvtOp::ToHalf => from.is_real() && to == Ty::I16,
    }
}
