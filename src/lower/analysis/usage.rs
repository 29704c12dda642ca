//! What each procedure does with its variables.
//!
//! A scalar variable lives in a register unless something needs its address: it is passed by reference to a procedure that
//! may assign it (an INTENT(IN) dummy gets the address of a copy instead), it is a TARGET or VOLATILE, its address is taken
//! (LOC, atomics), or an internal procedure or device code accesses it. Allocatables and pointers of a procedure keep their
//! descriptor in registers under the same condition.
//!
//! The analysis is flow-insensitive and conservative: a variable that is in memory without need costs only speed.
//!
//! Not here: choosing the storage (`procedure::local`).

use crate::analysis::mathematics::{RANDOM_BITS, library_function, procedure_name};
use crate::types::Side;
use ast::Intent;
use ir::rt::Rt;
use sema::checked::{
    Actual, Const, Expr, ExprKind, Intrinsic, IoForm, ProcBody, ProcId, ProcKind, Program, Shape, Stmt, StmtKind,
    Storage, Type, VarId, scalar_root, visit,
};
use std::collections::BTreeSet;

/// What lowering knows about a program beforehand.
#[derive(Debug, Default)]
pub(crate) struct Usage {
    /// Variables whose address is needed.
    pub(crate) in_memory: BTreeSet<VarId>,
    /// Variables of module scope that device code names.
    pub(crate) on_device: BTreeSet<VarId>,
    /// Host data of module scope that procedures compiled for both sides name. Their device code does not reach it.
    pub(crate) of_both_sides: BTreeSet<VarId>,
    /// For each procedure, the variables of enclosing procedures that it reaches, itself or through what it calls, that are
    /// not static; in order.
    pub(crate) captures: Vec<BTreeSet<VarId>>,
    /// For each procedure, the internal procedures of its own host of which it names, itself or through what it calls, records for
    /// pointers (`call::procedure_pointer`).
    pub(crate) records: Vec<BTreeSet<ProcId>>,
    /// Procedures that a procedure pointer may point to.
    pub(crate) taken: BTreeSet<ProcId>,
    /// Whether libraries get procedures of the program, which they may call.
    pub(crate) gives_procedures: bool,
    /// The functions of the mathematics library that something calls.
    pub(crate) mathematics: BTreeSet<String>,
    /// If the program asks for IEEE flags or for a direction of rounding: the variable that says whether every operation has to mind.
    pub(crate) asks_exceptions: Option<VarId>,
    /// Procedures of the program that ask for or set IEEE flags or modes.
    pub(crate) minds_exceptions: BTreeSet<ProcId>,
    /// If the program catches signals: the procedure that calls its procedures for those that have come.
    pub(crate) handles_signals: Option<ProcId>,
    /// Procedures of device code that draw random numbers, themselves or through what they call.
    pub(crate) draws: BTreeSet<ProcId>,
}

/// Whether a procedure is compiled for that side.
pub(crate) fn runs_on(kind: sema::checked::ProcKind, side: Side) -> bool {
    use sema::checked::ProcKind::{Device, Host, HostDevice, Kernel};
    match side {
        Side::Host => matches!(kind, Host | HostDevice),
        Side::Device => matches!(kind, Kernel | Device | HostDevice),
    }
}

/// Whether an actual argument for that dummy needs the variable itself in memory, not a copy of its value.
fn needs_address(program: &Program, dummy: VarId) -> bool {
    let var = program.var(dummy);
    if var.attrs.allocatable || var.attrs.pointer {
        return true;
    }
    let by_value = var.attrs.value;
    let copied = var.attrs.intent == Some(Intent::In) && matches!(var.shape, Shape::Scalar) && !var.attrs.target;
    !by_value && !copied
}

/// Walks the whole program.
pub(crate) fn analyse(program: &Program) -> Usage {
    let count = program.procs.len();
    let mut usage =
        Usage { captures: vec![BTreeSet::new(); count], records: vec![BTreeSet::new(); count], ..Usage::default() };
    usage.taken.extend(&program.pointed);
    usage.taken.extend(program.named.iter().map(|(_, proc)| *proc));
    usage.gives_procedures = !program.named.is_empty();
    for (index, var) in program.vars.iter().enumerate() {
        if var.attrs.target || var.attrs.volatile || var.attrs.class {
            usage.in_memory.insert(VarId(index as u32));
        }
    }
    let mut calls: Vec<BTreeSet<ProcId>> = vec![BTreeSet::new(); program.procs.len()];
    for (index, proc) in program.procs.iter().enumerate() {
        let me = ProcId(index as u32);
        let device = runs_on(proc.kind, Side::Device);
        let mut walk = Walk { program, usage: &mut usage, me, device, calls: &mut calls[index] };
        for &v in &proc.vars {
            walk.declaration(v);
        }
        if let ProcBody::Statements(body) = &proc.body {
            visit::statements(body, &mut |s| walk.statement(s));
        }
    }
    close_captures(program, &calls, &mut usage);
    close_records(program, &calls, &mut usage);
    close_draws(&calls, &mut usage);
    usage
}

/// A procedure reaches what the procedures that it calls reach, down to its own variables.
fn close_captures(program: &Program, calls: &[BTreeSet<ProcId>], usage: &mut Usage) {
    loop {
        let mut changed = false;
        for (index, called) in calls.iter().enumerate() {
            let me = Some(ProcId(index as u32));
            for callee in called {
                let more: Vec<VarId> = usage.captures[callee.0 as usize]
                    .iter()
                    .copied()
                    .filter(|&v| program.var(v).owner != me && !usage.captures[index].contains(&v))
                    .collect();
                changed |= !more.is_empty();
                usage.captures[index].extend(more);
            }
        }
        if !changed {
            return;
        }
    }
}

/// Who calls a procedure that names records of their host has to give it these, if it is not the host itself.
fn close_records(program: &Program, calls: &[BTreeSet<ProcId>], usage: &mut Usage) {
    let Usage { captures, records, .. } = usage;
    records.iter_mut().for_each(|of| of.retain(|target| !captures[target.0 as usize].is_empty()));
    loop {
        let mut changed = false;
        for (index, called) in calls.iter().enumerate() {
            let me = Some(ProcId(index as u32));
            for callee in called {
                let mut more = records[callee.0 as usize].clone();
                more.retain(|target| program.proc(*target).parent != me && !records[index].contains(target));
                changed |= !more.is_empty();
                records[index].extend(more);
            }
        }
        if !changed {
            return;
        }
    }
}

/// What calls a procedure that draws random numbers draws some too.
fn close_draws(calls: &[BTreeSet<ProcId>], usage: &mut Usage) {
    loop {
        let before = usage.draws.len();
        for (index, called) in calls.iter().enumerate() {
            if called.iter().any(|p| usage.draws.contains(p)) {
                usage.draws.insert(ProcId(index as u32));
            }
        }
        if usage.draws.len() == before {
            return;
        }
    }
}

fn is_draw(s: &Stmt) -> bool {
    matches!(s.kind, StmtKind::Intrinsic { id: Intrinsic::RandomNumber | Intrinsic::RandomSeed, .. })
}

fn draws_itself(body: &[Stmt]) -> bool {
    let mut found = false;
    visit::statements(body, &mut |s| found |= is_draw(s));
    found
}

impl Usage {
    /// Whether the body of a CUF kernel draws random numbers, itself or through what it calls.
    pub(crate) fn is_drawing(&self, program: &Program, body: &[Stmt]) -> bool {
        let mut found = draws_itself(body);
        visit::statements(body, &mut |s| {
            found |= matches!(&s.kind, StmtKind::Call { proc, .. } if self.draws.contains(proc));
        });
        visit::evaluated(program, body, &mut |e| {
            visit::all(e, &mut |e| {
                found |= matches!(&e.kind, ExprKind::Call { proc, .. } if self.draws.contains(proc));
            });
        });
        found
    }
}

struct Walk<'a> {
    program: &'a Program,
    usage: &'a mut Usage,
    me: ProcId,
    device: bool,
    calls: &'a mut BTreeSet<ProcId>,
}

impl<'a> Walk<'a> {
    /// The expressions of a declaration: bounds, lengths, what an ASSOCIATE name stands for.
    fn declaration(&mut self, v: VarId) {
        let program = self.program;
        let var = program.var(v);
        if let Storage::Alias(e) = &var.storage {
            self.expr(e);
            // A name that stands for a variable may be used as the variable is.
            if let Some(of) = scalar_root(e) {
                self.usage.in_memory.insert(of);
            }
        }
        visit::declared_exprs(var).into_iter().for_each(|e| self.expr(e));
    }

    fn statement(&mut self, s: &'a Stmt) {
        visit::statement_exprs(s, &mut |e, _| self.expr(e));
        match &s.kind {
            StmtKind::Call { proc, args } => {
                self.called(*proc);
                self.args(*proc, args);
            }
            StmtKind::Launch { proc, args, .. } => self.args(*proc, args),
            StmtKind::Intrinsic { id: Intrinsic::CFPointer, args } => {
                args.get(1).and_then(Option::as_ref).into_iter().for_each(|e| self.keep(e));
            }
            StmtKind::Intrinsic { id: Intrinsic::RandomNumber | Intrinsic::RandomSeed, .. } if self.device => {
                self.usage.mathematics.insert(procedure_name(RANDOM_BITS, &Type::Integer(8)));
                self.usage.draws.insert(self.me);
            }
            StmtKind::PointerAssign { value, .. } => {
                // The target is reached through a pointer from now on.
                self.keep(value);
            }
            StmtKind::Io(io) => {
                io.defined.iter().for_each(|d| self.called(d.proc));
                if let IoForm::Namelist(_, objects) = &io.form {
                    self.usage.in_memory.extend(objects.iter().map(|object| object.var));
                }
            }
            StmtKind::Cuf(cuf) => {
                if draws_itself(&cuf.body) {
                    self.usage.mathematics.insert(procedure_name(RANDOM_BITS, &Type::Integer(8)));
                }
                for &v in cuf.captured.iter().chain(cuf.reductions.iter().map(|r| &r.0)) {
                    self.var(v);
                    if self.program.var(v).owner.is_none() {
                        self.usage.on_device.insert(v);
                    }
                }
            }
            _ => {}
        }
    }

    /// Notes that the address of the variable behind a designator is needed.
    fn keep(&mut self, e: &Expr) {
        if let Some(v) = scalar_root(e) {
            self.usage.in_memory.insert(v);
        }
    }

    /// Notes a call. A procedure dummy that it goes through may be that of the host.
    fn called(&mut self, proc: ProcId) {
        self.calls.insert(proc);
        if let Some(dummy) = self.program.proc(proc).through {
            self.var(dummy);
        }
    }

    /// Notes a call of a procedure of the run-time library by which a program catches signals.
    fn note_signals(&mut self, proc: ProcId) {
        let callee = self.program.proc(proc);
        if matches!(&*callee.qualified, "signal" | "alarm") && self.usage.handles_signals.is_none() {
            let handles = |p: &sema::checked::Procedure| &*p.qualified == "cufemu_process.handle_signals";
            self.usage.handles_signals = self.program.procs.iter().position(handles).map(|at| ProcId(at as u32));
        }
    }

    fn args(&mut self, proc: ProcId, args: &'a [Option<Actual>]) {
        self.note_signals(proc);
        self.note_exceptions(proc, args);
        self.usage.gives_procedures |= match &self.program.proc(proc).body {
            ProcBody::Service(name) => &**name == Rt::ForeignEntry.mnemonic(),
            ProcBody::Foreign { .. } => {
                let params = &self.program.proc(proc).params;
                params.iter().any(|&v| matches!(self.program.var(v).storage, Storage::Procedure))
                    || args.iter().any(|given| matches!(given, Some(Actual::Proc(_))))
            }
            _ => false,
        };
        for (dummy, actual) in self.program.proc(proc).params.iter().zip(args) {
            match actual {
                Some(Actual::Expr(e)) if needs_address(self.program, *dummy) => {
                    let d = self.program.var(*dummy);
                    let descriptor = d.attrs.allocatable || d.attrs.pointer;
                    let of = self.descriptor_or_scalar(e, descriptor);
                    self.usage.in_memory.extend(of);
                }
                Some(Actual::Proc(p)) => {
                    // A procedure dummy may become the target of a pointer.
                    self.takes(*p);
                    self.note_exceptions(*p, &[]);
                    self.calls.insert(*p);
                }
                _ => {}
            }
        }
    }

    /// Notes a procedure of which a pointer is made.
    fn takes(&mut self, proc: ProcId) {
        self.usage.taken.insert(proc);
        let parent = self.program.proc(proc).parent;
        if parent.is_some() && parent != Some(self.me) {
            self.usage.records[self.me.0 as usize].insert(proc);
        }
    }

    /// Notes a call that asks for or sets IEEE flags or modes. What sets only what is so from the beginning asks for nothing.
    fn note_exceptions(&mut self, proc: ProcId, args: &[Option<Actual>]) {
        let embedded = |module: &str| self.program.modules.iter().any(|m| m.embedded && &*m.name == module);
        let Some((module, name)) = self.program.proc(proc).qualified.split_once('.') else { return };
        let own = self.program.proc(self.me).qualified.split_once('.').map(|(own, _)| own);
        if !matches!(module, "ieee_exceptions" | "ieee_arithmetic")
            || !embedded(module)
            || own == Some("ieee_exceptions")
        {
            return;
        }
        let is_off = || {
            let given = args.get(1).and_then(Option::as_ref);
            matches!(given, Some(Actual::Expr(Expr { kind: ExprKind::Const(Const::Logical(false)), .. })))
        };
        let asks = match name.strip_suffix("_l8").unwrap_or(name) {
            "ieee_get_flag" | "ieee_set_rounding_mode" => true,
            "ieee_set_halting_mode" => !is_off(),
            "ieee_set_flag" | "ieee_get_status" | "ieee_set_status" | "ieee_get_modes" | "ieee_set_modes" => false,
            _ => return,
        };
        if asks && self.usage.asks_exceptions.is_none() {
            let is_word = |v: &sema::checked::Variable| {
                v.module.as_deref() == Some("ieee_exceptions") && &*v.name == "cufemu_minds"
            };
            self.usage.asks_exceptions = self.program.vars.iter().position(is_word).map(|at| VarId(at as u32));
        }
        self.usage.minds_exceptions.insert(self.me);
    }

    /// The variable that must be in memory for its address to be passed. The data of an allocatable or pointer is in memory
    /// anyhow; only its descriptor is in question.
    fn descriptor_or_scalar(&self, e: &Expr, descriptor: bool) -> Option<VarId> {
        let v = scalar_root(e)?;
        let var = self.program.var(v);
        let described = var.attrs.allocatable || var.attrs.pointer;
        (descriptor || !described).then_some(v)
    }

    fn expr(&mut self, e: &'a Expr) {
        visit::all(e, &mut |e| {
            let function = library_function(e).map(|function| procedure_name(function, &e.ty));
            self.usage.mathematics.extend(function);
            match &e.kind {
                ExprKind::Var(v) => self.var(*v),
                ExprKind::Procedure(p) => {
                    self.takes(*p);
                    self.calls.insert(*p);
                }
                ExprKind::Call { proc, args } => {
                    self.called(*proc);
                    self.args(*proc, args);
                }
                ExprKind::Intrinsic { id, args } => {
                    let takes_address = matches!(
                        id,
                        Intrinsic::Loc
                            | Intrinsic::CLoc
                            | Intrinsic::CDevloc
                            | Intrinsic::Atomicadd
                            | Intrinsic::Atomicsub
                            | Intrinsic::Atomicmax
                            | Intrinsic::Atomicmin
                            | Intrinsic::Atomicand
                            | Intrinsic::Atomicor
                            | Intrinsic::Atomicxor
                            | Intrinsic::Atomicexch
                            | Intrinsic::Atomicinc
                            | Intrinsic::Atomicdec
                            | Intrinsic::Atomiccas
                    );
                    if let (true, Some(Some(first))) = (takes_address, args.first()) {
                        let of = self.descriptor_or_scalar(first, false);
                        self.usage.in_memory.extend(of);
                    }
                }
                _ => {}
            }
        });
    }

    fn var(&mut self, v: VarId) {
        let var = self.program.var(v);
        if let Storage::Associated { base, .. } = var.storage {
            return self.var(base);
        }
        match var.owner {
            Some(owner) if owner != self.me => {
                self.usage.in_memory.insert(v);
                if !matches!(var.storage, Storage::Static | Storage::Parameter) {
                    self.usage.captures[self.me.0 as usize].insert(v);
                }
            }
            None if self.device => {
                let is_host_data = matches!(var.attrs.cuda, None | Some(ast::CudaAttr::Pinned))
                    && !(var.attrs.allocatable || var.attrs.pointer)
                    && !matches!(var.storage, Storage::Parameter);
                let is_of_both = self.program.proc(self.me).kind == ProcKind::HostDevice;
                let set =
                    if is_host_data && is_of_both { &mut self.usage.of_both_sides } else { &mut self.usage.on_device };
                set.insert(v);
            }
            _ => {}
        }
    }
}
