//! Calls of procedures and services, and what follows a call.
//!
//! An internal procedure accesses the variables of its host procedure through hidden parameters after its own. For each
//! such variable it gets the address (for an allocatable or pointer, the address of the descriptor). If the declaration does
//! not give them, lower bound, extent and stride of each dimension and the length of a character follow. This works for
//! recursive host procedures too, and the debugger sees the host's variables in the internal procedure's frame. Variables of
//! the main program and SAVE variables are globals and need no parameters.
//!
//! Not here: the arguments (`actual`), the results (`result`), kernel launches (`device::launch`).

pub(crate) mod actual;
mod c_descriptor;
mod callback;
mod device_copy;
mod flat_actual;
mod foreign;
mod mpi;
pub(crate) mod procedure_pointer;
pub(crate) mod ranked;
pub(crate) mod result;

use crate::analysis::mathematics::procedure_name;
use crate::analysis::overlap::{reads, storage_root};
use crate::analysis::variables::{const_bounds, has_open_length, is_descriptor};
use crate::builder::Builder;
use crate::builder::flow::Flow;
use crate::call::c_descriptor::has_c_descriptor;
use crate::elements::{Operand, Operands};
use crate::function::FunctionLowering;
use crate::module::{ArgKey, Instance};
use crate::object::convention::{ResultForm, result_form, value_of_registers, word_types};
use crate::procedure::entry::captures_lengths;
use crate::storage::VarStorage;
use crate::types::{DEVICE_MEMORY, MANAGED_MEMORY, Side};
use crate::value::Value;
use crate::value::arguments::{Captures, CopyBack, Passed};
use crate::value::descriptor::{Descriptor, DescriptorAt};
use crate::value::lvalue::{Lvalue, MemRef, element_lvalue};
use ir::op::{AtomOp, CmpOp, Special};
use ir::rt::Rt;
use ir::{FuncId, InstKind, Scope, Space, Ty, Val};
use sema::checked::{Actual, Expr, ExprKind, ProcBody, ProcId, Program, Shape, Storage, Type, VarId, visit};

/// What embedded modules call to know whether a GPU runs them: no service, but a register that says it.
const ON_GPU: &str = "gpu";

/// Atomics whose old value embedded modules use but that acquire nothing (`ir::InstKind::Atomic`, `used`); no services either.
fn relaxed(name: &str) -> Option<AtomOp> {
    match name {
        "relaxed.add" => Some(AtomOp::Add),
        "relaxed.or" => Some(AtomOp::Or),
        "relaxed.xor" => Some(AtomOp::Xor),
        _ => None,
    }
}

/// Services that copy bytes of objects, and have done so when they return.
const COPIES: [Rt; 7] = [
    Rt::CudaMemcpy,
    Rt::CudaMemcpyTo,
    Rt::CudaMemcpyFrom,
    Rt::CudaMemcpyPeer,
    Rt::CudaMemcpy2D,
    Rt::CudaMemcpyToSymbol,
    Rt::CudaMemcpyFromSymbol,
];

/// The same in streams, where the copies may end later.
const COPIES_IN_STREAMS: [Rt; 8] = [
    Rt::CudaMemcpyAsync,
    Rt::CudaMemcpyAsyncTo,
    Rt::CudaMemcpyAsyncFrom,
    Rt::CudaMemcpyStream,
    Rt::CudaMemcpyPeerAsync,
    Rt::CudaMemcpy2DAsync,
    Rt::CudaMemcpyToSymbolAsync,
    Rt::CudaMemcpyFromSymbolAsync,
];

fn copies_bytes(name: &str) -> bool {
    Rt::from_mnemonic(name).is_some_and(|rt| COPIES.contains(&rt) || COPIES_IN_STREAMS.contains(&rt))
}

/// What the names of services begin with that are procedures of the embedded module `cudadevice`, which take the words of the arguments.
const BY_WORDS: &str = "words.";

impl Builder<'_, '_> {
    /// Calls a procedure that is known, with arguments passed already and the words of the variables of its host.
    pub(crate) fn call_plain(
        &mut self,
        proc: ProcId,
        hidden: &[Val],
        passed: &Passed,
        captures: &Captures,
        results: &[Ty],
    ) -> Vec<Val> {
        let callee = self.program().proc(proc);
        if let ProcBody::Dispatch { ty, name, object, nopass } = &callee.body {
            return self.dispatch((proc, *ty, name, *object, *nopass), hidden, passed, results);
        }
        let is_of_device = self.side() == Side::Device;
        if let (ProcBody::Foreign { symbol, is_c }, false) = (&callee.body, is_of_device) {
            return self.call_foreign(proc, (symbol, *is_c), None, hidden, passed, results);
        }
        let has_code = matches!(callee.body, ProcBody::Statements(_))
            || is_of_device && matches!(callee.body, ProcBody::Foreign { .. });
        if !crate::analysis::usage::runs_on(callee.kind, self.side()) && has_code {
            // What stands under a condition on `on_device()` is not compared with the side that it selects.
            let (whose, here) = if is_of_device { ("host", "device") } else { ("device", "host") };
            self.unsupported(&format!("a call of {whose} procedure `{}` in {here} code", callee.name));
            return vec![Val::Imm(0); results.len()];
        }
        if !has_code {
            self.unsupported(&format!("procedure `{}`, which no given file defines", callee.name));
            return vec![Val::Imm(0); results.len()];
        }
        let mut args = hidden.to_vec();
        args.extend_from_slice(&passed.words);
        args.extend_from_slice(&captures.words);
        if self.side() == Side::Device && self.usage().draws.contains(&proc) {
            let Some(state) = self.random_state() else {
                self.unsupported("a procedure that draws random numbers, called as an argument");
                return vec![Val::Imm(0); results.len()];
            };
            let addr = self.address(state);
            args.push(addr);
        }
        let keys = [passed.keys.as_slice(), &captures.ranks].concat();
        let func = function(self, proc, &keys);
        self.call(func, args, results).into_iter().map(Val::from).collect()
    }

    /// What is to be done after a call.
    pub(crate) fn after_call(&mut self, passed: Passed) {
        let stream = passed.stream;
        for back in passed.back {
            match back {
                CopyBack::Scalar { from, to, ty } => {
                    let value = self.load_value(Lvalue::Mem(from), &ty);
                    self.store_value(to, &ty, &value);
                }
                CopyBack::Array { when, from, to, ty, free } => self.when(when, |this| {
                    if free.as_ref().is_some_and(|free| free.location == DEVICE_MEMORY) {
                        this.wait_for_stream(stream);
                    }
                    if let Some(to) = &to {
                        if free.as_ref().is_some_and(|free| free.location == MANAGED_MEMORY) {
                            // The kernel that was launched has to end first.
                            this.rt(Rt::CudaDeviceSynchronize, Vec::new());
                        }
                        this.move_array(to, &from, &ty);
                        if stream.is_some() {
                            this.wait_for_stream(Some(Val::i64(0)));
                        }
                    }
                    if let Some(free) = &free {
                        this.free(free);
                    }
                }),
                CopyBack::Parts { from, places, ty } => {
                    let extents = from.extents();
                    self.each_position(&extents, &[&from, &places], &mut |this, index, linear| {
                        let part = this.element_pos(&from, index, linear);
                        let value = this.load_value(element_lvalue(part, from.len), &ty);
                        let word = this.element_pos(&places, index, linear);
                        let addr = this.load_word(word);
                        let place = MemRef { addr, offset: 0, ..from.mem };
                        this.store_value(element_lvalue(place, from.len), &ty, &value);
                    });
                }
                CopyBack::Kernel => {
                    self.rt(Rt::CudaDeviceSynchronize, Vec::new());
                }
                CopyBack::Twin { made, flat, ty, how } => self.copy_twins(&flat, &made, &ty, how),
                CopyBack::OfC { when, from, to, is_allocatable } => {
                    self.when(when, |this| this.take_from_c(from, &to, is_allocatable));
                }
                CopyBack::Descriptor { from, to } => {
                    let mem = MemRef::at(from, self.local_space());
                    let copy = Descriptor { at: DescriptorAt::Mem(mem), ..to.clone() };
                    let view = self.desc_view(&copy);
                    self.desc_set(&to, &view);
                }
            }
        }
    }

    /// Calls a function of the embedded mathematics module: `name_r4`, `name_c8` …; refused if the module lacks it.
    pub(crate) fn mathematics(&mut self, name: &str, args: &[(Value, Type)], ty: &Type) -> Value {
        let Some(proc) = self.module().mathematics(&procedure_name(name, ty)) else {
            return self.refused(ty, "this mathematical function");
        };
        call_computed(self, proc, args, ty)
    }
}

impl<'p> FunctionLowering<'_, 'p> {
    /// The procedure that a call means: a procedure dummy is, in this clone, the procedure that was passed.
    pub(crate) fn callee(&mut self, proc: ProcId) -> ProcId {
        let through = self.b.program().proc(proc).through;
        match through.and_then(|v| self.storage.get(v)) {
            Some(VarStorage::Procedure(p)) => *p,
            _ => proc,
        }
    }

    /// Passes all arguments.
    pub(crate) fn pass_all(&mut self, proc: ProcId, args: &'p [Option<Actual>], out: &mut Passed) {
        let Some((base, object)) = procedure_component(self.b.program(), proc, args) else {
            return self.pass_each(proc, args, out);
        };
        // The object says which procedure is called, and is an argument of it: it is evaluated once.
        let view = self.class_view(object);
        let mut operands = Operands::default();
        operands.insert(base, Operand::View(view.clone()));
        operands.insert(object, Operand::View(view));
        self.with_operands(operands, |this| {
            this.move_to(&[]);
            this.pass_each(proc, args, out);
        });
    }

    fn pass_each(&mut self, proc: ProcId, args: &'p [Option<Actual>], out: &mut Passed) {
        let program = self.b.program();
        out.elemental = program.proc(proc).elemental;
        out.to_c =
            self.b.side() == Side::Host && matches!(program.proc(proc).body, ProcBody::Foreign { is_c: true, .. });
        for (i, &dummy) in program.proc(proc).params.iter().enumerate() {
            let var = program.var(dummy);
            match args.get(i) {
                Some(Some(Actual::Expr(e))) => match self.procedure_dummy(e) {
                    Some(p) if out.is_described => self.pass_to_mpi(p, out),
                    Some(p) => out.keys.push(ArgKey::Proc(p)),
                    None if matches!(var.storage, Storage::Procedure) => {
                        if self.is_absent_procedure(e) {
                            out.keys.push(ArgKey::Any);
                            continue;
                        }
                        // Which procedure it is is known at run time only.
                        let value = match self.word_of_dummy(e) {
                            Some(word) => word,
                            None => self.scalar(e),
                        };
                        out.words.push(value);
                        if out.is_described {
                            let by_value = self.pointed_takes_by_value(value);
                            out.words.push(by_value);
                        }
                        out.keys.push(ArgKey::Pointer);
                    }
                    None => self.at(e.span, |this| this.pass(var, e, out)),
                },
                Some(Some(Actual::Address(e))) => {
                    let address = self.int64(e);
                    out.words.push(address);
                    out.keys.push(self.b.space_key(Space::Generic));
                }
                Some(Some(Actual::Proc(p))) if out.is_described => self.pass_to_mpi(*p, out),
                Some(Some(Actual::Proc(p))) if self.has_host_variables(*p) && !out.service => {
                    // It belongs to this activation of its host, wherever it is called.
                    let word = self.procedure_word(*p);
                    out.words.push(word);
                    out.keys.push(ArgKey::Pointer);
                }
                Some(Some(Actual::Proc(p))) => {
                    let p = self.callee(*p);
                    if out.service {
                        // A service takes a kernel as its number.
                        let instance = self.b.module().plain_instance(p, Side::Device);
                        let func = self.b.module().instance(instance);
                        out.words.push(Val::i64(i64::from(func.0)));
                    }
                    out.keys.push(ArgKey::Proc(p));
                }
                _ if out.to_c && has_c_descriptor(var) => {
                    out.words.push(Val::i64(0));
                    out.keys.push(ArgKey::Any);
                }
                _ => self.b.pass_absent(var, out),
            }
        }
        self.check_computed_lengths(proc, args, out);
        self.limit_sequences(proc, args, out);
    }

    fn procedure_dummy(&self, e: &sema::checked::Expr) -> Option<ProcId> {
        let sema::checked::ExprKind::Var(v) = &e.kind else { return None };
        match self.storage.get(*v) {
            Some(VarStorage::Procedure(p)) => Some(*p),
            _ => None,
        }
    }

    /// The word that stands for the procedure that a dummy procedure is, whatever the type of its result.
    fn word_of_dummy(&self, e: &sema::checked::Expr) -> Option<Val> {
        let sema::checked::ExprKind::Var(v) = &e.kind else { return None };
        match self.storage.get(*v) {
            Some(VarStorage::Value(Value::Scalar(word)))
                if matches!(self.b.program().var(*v).storage, Storage::Procedure) =>
            {
                Some(*word)
            }
            _ => None,
        }
    }

    /// Calls a procedure with arguments passed already; gives the results in registers.
    pub(crate) fn invoke(&mut self, proc: ProcId, hidden: &[Val], passed: &Passed, results: &[Ty]) -> Vec<Val> {
        let program = self.b.program();
        let callee = program.proc(proc);
        if let Some(pointer) = self.passed_pointer(callee) {
            return self.call_pointer(proc, pointer, hidden, passed, results);
        }
        if let (ProcBody::Pointer, Some(&pointer)) = (&callee.body, passed.words.first()) {
            let (words, keys) = (passed.words[1..].to_vec(), passed.keys[1..].to_vec());
            let rest = Passed { words, keys, ..Passed::default() };
            return self.call_pointer(proc, pointer, hidden, &rest, results);
        }
        let Some(captures) = self.pass_captures(proc) else {
            let text = format!("a call of internal procedure `{}` outside of its host procedure", callee.name);
            self.b.unsupported(&text);
            return vec![Val::Imm(0); results.len()];
        };
        self.b.call_plain(proc, hidden, passed, &captures, results)
    }

    /// What an internal procedure gets of its host, if all variables can be passed.
    pub(crate) fn pass_captures(&mut self, proc: ProcId) -> Option<Captures> {
        let variables: Vec<VarId> = self.b.usage().captures[proc.0 as usize].iter().copied().collect();
        let Captures { mut words, mut ranks } = Captures::default();
        for v in variables {
            let var = self.b.program().var(v);
            let Some(storage) = self.storage_of(v) else {
                // An optional procedure may be absent.
                let is_procedure = matches!(var.storage, Storage::Procedure);
                is_procedure.then(|| words.push(Val::i64(0)))?;
                continue;
            };
            if !capture_words(&mut self.b, v, &storage, &mut words) {
                return None;
            }
            if captures_lengths(var) {
                words.push(self.lengths_word_of(v));
            } else if var.attrs.is_flat && !is_descriptor(self.b.program(), v) {
                let lengths = self.flat_variable_lengths(v);
                words.extend(lengths.into_iter().map(|n| n.unwrap_or(Val::i64(0))));
            }
            if matches!(var.shape, Shape::AssumedRank) {
                ranks.push(self.rank_of_variable(v));
            }
        }
        for target in self.b.usage().records[proc.0 as usize].clone() {
            let record = self.record_of(target);
            words.push(self.b.address(record));
        }
        Some(Captures { words, ranks })
    }

    /// The type of a service's result.
    pub(crate) fn service_type(name: &str) -> Option<Ty> {
        if name == ON_GPU {
            return Some(Ty::I32);
        }
        if relaxed(name).is_some() || name.starts_with(BY_WORDS) {
            return Some(Ty::I32);
        }
        Rt::from_mnemonic(name).and_then(|rt| rt.results().first().copied())
    }

    /// Calls a service; gives its first result.
    pub(crate) fn call_service(&mut self, proc: ProcId, name: &str, args: &'p [Option<Actual>]) -> Option<Val> {
        if let Some(routine) = name.strip_prefix(mpi::PREFIX) {
            self.call_mpi(proc, routine, args);
            return None;
        }
        if name == ON_GPU {
            return Some(self.b.special(Special::OnGpu).into());
        }
        if let Some(op) = relaxed(name) {
            let mut passed = Passed { service: true, ..Passed::default() };
            self.pass_all(proc, args, &mut passed);
            let &[addr, a] = passed.words.as_slice() else { return None };
            let (ty, space, scope, dst) = (Ty::I32, Space::Generic, Scope::Block, self.b.temp(Ty::I32));
            let kind =
                InstKind::Atomic { op, ty, space, scope, dst: Some(dst), used: false, addr, offset: 0, a, b: None };
            self.b.push(kind);
            return Some(dst.into());
        }
        if let Some(procedure) = name.strip_prefix(BY_WORDS) {
            return self.call_by_words(proc, procedure, args);
        }
        let Some(rt) = Rt::from_mnemonic(name) else {
            self.b.unsupported(&format!("the service `{name}`"));
            return None;
        };
        if rt == Rt::ForeignEntry {
            return Some(self.call_entry(args));
        }
        let (words, passed) = self.words_of_service(proc, args, rt.params());
        let results = self.b.rt(rt, words);
        if passed.has_copies && COPIES_IN_STREAMS.contains(&rt) {
            self.wait_for_copies();
        }
        self.b.after_call(passed);
        results.first().map(|&r| r.into())
    }

    /// Waits for a copy in a stream from or to copies of objects, which are gone after the call. CUDA too returns from a call with memory
    /// that is not pinned when it does not need it any more.
    fn wait_for_copies(&mut self) {
        let status = self.b.rt(Rt::CudaDeviceSynchronize, Vec::new()).first().map_or(Val::i32(0), |&r| r.into());
        let fails = self.b.cmp(CmpOp::Ne, Ty::I32, status, Val::i32(0)).into();
        self.when(fails, |this| {
            this.b.unsupported("a copy of an object of the host with run-time lengths that has not been made");
        });
    }

    /// The words that a service is given, as those types.
    fn words_of_service(&mut self, proc: ProcId, args: &'p [Option<Actual>], wanted: &[Ty]) -> (Vec<Val>, Passed) {
        let program = self.b.program();
        let copies_bytes = matches!(&program.proc(proc).body, ProcBody::Service(name) if copies_bytes(name));
        let mut passed = Passed { service: true, copies_bytes, ..Passed::default() };
        self.pass_all(proc, args, &mut passed);
        let types: Vec<Ty> = program.proc(proc).params.iter().flat_map(|&v| word_types(program.var(v))).collect();
        let words = std::mem::take(&mut passed.words);
        let words: Vec<(Val, Ty)> =
            words.into_iter().enumerate().map(|(i, v)| (v, types.get(i).copied().unwrap_or(Ty::I64))).collect();
        (self.b.fit_words(words, wanted), passed)
    }

    /// Calls the procedure of `cudadevice` that a service is, with values only.
    fn call_by_words(&mut self, proc: ProcId, procedure: &str, args: &'p [Option<Actual>]) -> Option<Val> {
        let program = self.b.program();
        let Some(target) = self.b.module().of_device_module(procedure) else {
            self.b.unsupported(&format!("the service `{procedure}`"));
            return None;
        };
        let params = &program.proc(target).params;
        let wanted: Vec<Ty> = params.iter().flat_map(|&v| word_types(program.var(v))).collect();
        let (words, passed) = self.words_of_service(proc, args, &wanted);
        let keys = vec![ArgKey::Any; params.len()];
        let results = self.b.call_plain(
            target,
            &[],
            &Passed { words, keys, ..Passed::default() },
            &Captures::default(),
            &[Ty::I32],
        );
        self.b.after_call(passed);
        results.first().copied()
    }

    /// A subroutine call.
    pub(crate) fn call_subroutine(&mut self, proc: ProcId, args: &'p [Option<Actual>]) {
        let proc = self.callee(proc);
        let callee = self.b.program().proc(proc);
        if let ProcBody::Service(name) = &callee.body {
            self.call_service(proc, name, args);
            return;
        }
        // The shape is that of an argument which is surely there.
        let may_be_absent = |e: &sema::checked::Expr| matches!(e.kind, sema::checked::ExprKind::Var(v) if self.b.program().var(v).attrs.optional);
        let arrays = || {
            args.iter().flatten().filter_map(|a| match a {
                Actual::Expr(e) if e.rank > 0 => Some(e),
                _ => None,
            })
        };
        let array = arrays().find(|e| !may_be_absent(e)).or_else(|| arrays().next());
        if let (true, Some(array)) = (callee.elemental, array) {
            return self.call_elemental(proc, args, array);
        }
        self.call_once(proc, args);
    }

    pub(crate) fn call_once(&mut self, proc: ProcId, args: &'p [Option<Actual>]) {
        let mut passed = Passed::default();
        self.pass_all(proc, args, &mut passed);
        self.invoke(proc, &[], &passed, &[]);
        self.b.after_call(passed);
    }

    /// The value of a scalar, in memory of its own: an assignment may change what it was read from.
    pub(crate) fn scalar_copy(&mut self, e: &'p sema::checked::Expr) -> Value {
        let value = self.value(e);
        if let Value::Char(_, len) = value {
            return self.b.character_copy(&value, len);
        }
        let copy = self.b.temporary_array(&e.ty, None, &[]);
        let place = element_lvalue(copy.mem, None);
        self.b.store_value(place, &e.ty, &value);
        self.b.load_value(place, &e.ty)
    }

    /// An elemental subroutine, once for each element.
    fn call_elemental(&mut self, proc: ProcId, args: &'p [Option<Actual>], array: &'p sema::checked::Expr) {
        let mut operands = crate::elements::Operands::default();
        for (arg, dummy) in args.iter().zip(&self.b.program().proc(proc).params) {
            if let Some(Actual::Expr(e)) = arg
                && (e.rank > 0 || self.b.program().var(*dummy).attrs.value)
            {
                if self.prepare_optional(e, self.b.program().var(*dummy), &mut operands) {
                    continue;
                }
                if is_overwritten(&mut self.b, proc, args, e) {
                    let copy = self.materialise(e);
                    operands.insert(e, crate::elements::Operand::View(copy));
                } else {
                    self.prepare(e, &mut operands);
                }
            } else if let Some(Actual::Expr(e)) = arg {
                self.prepare_scalar_argument(e, self.b.program().var(*dummy), &mut operands);
            }
        }
        let extents = operands.extents(array).unwrap_or_default();
        for arg in args.iter().flatten() {
            if let Actual::Expr(e) = arg
                && e.rank > 0
                && !operands.is_optional(e)
            {
                let others = operands.extents(e).unwrap_or_default();
                self.at(e.span, |this| this.b.check_extents(&extents, &others));
                self.b.check_operands(e, &operands);
            }
        }
        self.for_each_element(operands, &extents, &[], &mut |this, _, _| this.call_once(proc, args));
    }
}

/// The object of which a procedure pointer component is called, where it is passed too and its designator calls functions: as the base
/// of the component, and as the argument.
fn procedure_component<'p>(
    program: &Program,
    proc: ProcId,
    args: &'p [Option<Actual>],
) -> Option<(&'p Expr, &'p Expr)> {
    let (ProcBody::Pointer, [Some(Actual::Expr(pointer)), others @ ..]) = (&program.proc(proc).body, args) else {
        return None;
    };
    let ExprKind::Field { base, .. } = &pointer.kind else { return None };
    let object = others.iter().flatten().find_map(|arg| match arg {
        // The passed object is the same text.
        Actual::Expr(e) if e.span == base.span => Some(e),
        _ => None,
    });
    object.filter(|_| visit::has_calls(base)).map(|object| (&**base, object))
}

/// The function to call for a procedure with arguments of these kinds.
fn function(b: &mut Builder<'_, '_>, proc: ProcId, keys: &[ArgKey]) -> FuncId {
    let side = b.side();
    b.module().instance(Instance { proc, side, args: keys.to_vec() })
}

/// The words by which another function finds a variable of this one.
fn capture_words(b: &mut Builder<'_, '_>, v: VarId, storage: &VarStorage, out: &mut Vec<Val>) -> bool {
    let var = b.program().var(v);
    let (mem, len) = match storage {
        VarStorage::Procedure(p) => {
            out.push(b.procedure_number(*p));
            return true;
        }
        VarStorage::Value(Value::Scalar(word)) if matches!(var.storage, Storage::Procedure) => {
            out.push(*word);
            return true;
        }
        VarStorage::Described(Descriptor { at: DescriptorAt::Mem(mem), .. }) => {
            let addr = b.address(*mem);
            out.push(addr);
            return true;
        }
        VarStorage::Scalar(mem, len) => (*mem, *len),
        VarStorage::Array(view) => {
            let addr = b.address(view.mem);
            out.push(addr);
            if const_bounds(&var.shape).is_none() || has_open_length(&var.ty) {
                for d in &view.dims {
                    out.extend([d.lower, d.extent, d.stride]);
                }
            }
            out.extend(view.len.filter(|_| has_open_length(&var.ty)));
            out.extend(matches!(var.ty, Type::Any).then_some(view.element));
            return true;
        }
        _ => return false,
    };
    let addr = b.address(mem);
    out.push(addr);
    out.extend(len.filter(|_| has_open_length(&var.ty)));
    out.extend(matches!(var.ty, Type::Any).then_some(len.unwrap_or(Val::i64(0))));
    true
}

/// Whether an array value is made of a variable that an elemental subroutine sets element by element, or may be, since it is not
/// pure: then the value must be complete before the first of its calls.
fn is_overwritten<'p>(
    b: &mut Builder<'_, 'p>,
    proc: ProcId,
    args: &'p [Option<Actual>],
    e: &'p sema::checked::Expr,
) -> bool {
    if e.rank == 0 || sema::checked::is_designator(e) {
        return false;
    }
    if !b.program().proc(proc).pure {
        return true;
    }
    args.iter().zip(&b.program().proc(proc).params).any(|(arg, dummy)| match arg {
        Some(Actual::Expr(target)) if b.program().var(*dummy).attrs.intent != Some(ast::Intent::In) => {
            sema::checked::is_designator(target)
                && storage_root(b.program(), target).is_some_and(|v| reads(b.program(), e, v))
                && !matches!(&e.kind, sema::checked::ExprKind::Paren(inner) if crate::analysis::expressions::same(inner, target))
        }
        _ => false,
    })
}

/// Calls a function with values.
fn call_computed(b: &mut Builder<'_, '_>, proc: ProcId, args: &[(Value, Type)], ty: &Type) -> Value {
    let program = b.program();
    let mut passed = Passed::default();
    for (&dummy, (value, ty)) in program.proc(proc).params.iter().zip(args) {
        if program.var(dummy).attrs.value {
            b.pass_computed(value, ty, &mut passed);
        } else {
            let mem = b.spill(value, ty);
            let addr = b.address(mem);
            passed.words.push(addr);
            passed.keys.push(b.space_key(mem.space));
        }
    }
    let ResultForm::Registers(tys) = result_form(program, program.proc(proc)) else {
        return b.refused(ty, "this mathematical function");
    };
    let results = b.call_plain(proc, &[], &passed, &Captures::default(), &tys);
    value_of_registers(&results)
}
