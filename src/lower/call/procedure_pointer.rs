//! Procedure pointers: numbers of procedures, and calls through them.
//!
//! The whole program is known. A call through a pointer compares it with each procedure that a pointer may point to and that
//! fits the call, and calls that procedure directly.
//!
//! An internal procedure that needs variables of its host is not its number, but the address of a record: the number, and the
//! words by which it finds those variables (`call`). The record lies in the frame of the host, whichever of its procedures names
//! it: it is there as long as the host is, and there is one in each activation. Addresses are greater than the numbers of
//! procedures.
//!
//! Not here: other procedures as arguments, for which the called procedures are cloned (`module`).

use crate::builder::Builder;
use crate::builder::flow::Flow;
use crate::call::c_descriptor::has_c_descriptor;
use crate::call::foreign::foreign_param;
use crate::function::FunctionLowering;
use crate::object::convention::{ResultForm, result_form};
use crate::procedure::entry::capture_words;
use crate::storage::VarStorage;
use crate::value::Value;
use crate::value::arguments::{Captures, Passed};
use crate::value::lvalue::MemRef;
use ir::foreign::BY_ADDRESS;
use ir::op::{BinOp, CmpOp};
use ir::rt::Rt;
use ir::{Reg, Ty, Val, c_descriptor};
use sema::checked::{Expr, ExprKind, ProcBody, ProcId, Procedure, Storage, Type, VarId};

/// The pointers of the run-time library to procedures for signals.
const HANDLER: &str = "cufemu_handler";

impl Builder<'_, '_> {
    /// The number that a pointer to a procedure holds; 0 is none.
    pub(crate) fn procedure_number(&self, id: ProcId) -> Val {
        Val::i64(i64::from(id.0) + 1)
    }

    /// The number of the procedure that a pointer points to, which is one of some.
    pub(super) fn pointed_number(&mut self, pointer: Val, targets: &[ProcId]) -> Val {
        let called = self.mutable(Ty::I64);
        self.set(called, pointer);
        if targets.iter().any(|&p| self.needs_host(p)) {
            let last = Val::i64(self.program().procs.len() as i64);
            let is_above: Val = self.cmp(CmpOp::Gt, Ty::I64, pointer, last).into();
            let is_own: Val = self.cmp(CmpOp::Lt, Ty::I64, pointer, Val::i64(c_descriptor::OWN_END)).into();
            let is_record = self.bin(BinOp::And, Ty::Pred, is_above, is_own).into();
            let record = MemRef::at(pointer, self.local_space());
            self.when(is_record, |b| {
                let number = b.load_word(record);
                b.set(called, number);
            });
        }
        called.into()
    }

    /// The words by which a procedure that a pointer points to finds the variables of its host.
    pub(super) fn pointed_captures(&mut self, pointer: Val, target: ProcId) -> Captures {
        let count = if self.needs_host(target) { capture_words(self, target) } else { 0 };
        let record = MemRef::at(pointer, self.local_space());
        let words = (1..=count).map(|i| self.load_word(record.plus(8 * i as i64))).collect();
        Captures { words, ranks: Vec::new() }
    }

    /// Whether a procedure needs variables of the activation of its host.
    fn needs_host(&self, id: ProcId) -> bool {
        !self.usage().captures[id.0 as usize].is_empty()
    }
}

impl FunctionLowering<'_, '_> {
    /// What stands for a procedure that becomes an actual argument or the target of a pointer.
    pub(crate) fn procedure_word(&mut self, id: ProcId) -> Val {
        if !self.has_host_variables(id) {
            return self.b.procedure_number(id);
        }
        let Some(captures) = self.pass_captures(id) else {
            let name = &self.b.program().proc(id).name;
            self.b.unsupported(&format!("`{name}` where its host is not running"));
            return Val::i64(0);
        };
        if !captures.ranks.is_empty() {
            // The record does not say the rank.
            let name = &self.b.program().proc(id).name;
            let text = format!("`{name}`, which uses an assumed-rank argument of its host, as an argument or a target");
            self.b.unsupported(&text);
            return Val::i64(0);
        }
        let number = self.b.procedure_number(id);
        let record = self.record_of(id);
        for (i, word) in [number].into_iter().chain(captures.words).enumerate() {
            self.b.store_scalar(record.plus(8 * i as i64), Ty::I64, word);
        }
        self.b.address(record)
    }

    /// The record of an internal procedure of this procedure or of its host.
    pub(super) fn record_of(&mut self, id: ProcId) -> MemRef {
        if let Some(&record) = self.records.get(&id) {
            return record;
        }
        let words = capture_words(&self.b, id) as u64 + 1;
        let (_, record) = self.b.slot(8 * words, 8, "procedure", source::Span::NONE);
        self.records.insert(id, record);
        record
    }

    /// Whether a procedure needs variables of the activation of its host.
    pub(crate) fn has_host_variables(&self, id: ProcId) -> bool {
        self.b.needs_host(id)
    }

    /// Whether an actual argument is an optional procedure dummy that was not passed.
    pub(crate) fn is_absent_procedure(&self, e: &Expr) -> bool {
        let ExprKind::Var(v) = &e.kind else { return false };
        matches!(self.b.program().var(*v).storage, Storage::Procedure) && !self.storage.has(*v)
    }

    /// The pointer that was passed for the procedure dummy that a call goes through.
    pub(crate) fn passed_pointer(&self, callee: &Procedure) -> Option<Val> {
        match self.storage.get(callee.through?) {
            Some(VarStorage::Value(Value::Scalar(v))) => Some(*v),
            _ => None,
        }
    }

    /// Whether a pointer may point to a procedure of C, which only C code can have given.
    fn may_be_of_c(&self, model: &Procedure, params: &[VarId]) -> bool {
        let program = self.b.program();
        let has_foreign = || program.procs.iter().any(|p| matches!(p.body, ProcBody::Foreign { .. }));
        let can_be_passed = |&v: &VarId| {
            let var = program.var(v);
            (model.is_bound || !has_c_descriptor(var)) && foreign_param(program, var, true).is_ok()
        };
        let result = model.result.filter(|_| model.is_function).map(|v| program.var(v));
        let has_plain_result = result.is_none_or(|var| foreign_param(program, var, true).is_ok());
        self.b.is_host() && params.iter().all(can_be_passed) && has_plain_result && has_foreign()
    }

    /// Calls a procedure for a signal, as C does: it takes what it declares of the arguments, and nobody wants its result.
    fn call_handler(&mut self, target: ProcId, passed: &Passed, captures: &Captures) {
        let program = self.b.program();
        let callee = program.proc(target);
        let results = match result_form(program, callee) {
            ResultForm::Registers(tys) => tys,
            _ => Vec::new(),
        };
        let words = passed.words[..callee.params.len().min(passed.words.len())].to_vec();
        self.b.call_plain(target, &[], &Passed { words, ..Passed::default() }, captures, &results);
    }

    /// Calls the procedure that a pointer points to.
    pub(crate) fn call_pointer(
        &mut self,
        proc: ProcId,
        pointer: Val,
        hidden: &[Val],
        passed: &Passed,
        results: &[Ty],
    ) -> Vec<Val> {
        let program = self.b.program();
        let model = program.proc(proc);
        let skipped = usize::from(matches!(model.body, ProcBody::Pointer));
        let params = &model.params[skipped..];
        let is_handler = &*model.name == HANDLER && self.b.is_embedded();
        let fits = |&p: &ProcId| {
            if is_handler { is_called_for_signals(&self.b, p) } else { fits_call(&self.b, model, params, p) }
        };
        let targets: Vec<ProcId> = self.b.usage().taken.iter().copied().filter(fits).collect();
        let out: Vec<Reg> = results.iter().map(|&ty| self.b.mutable(ty)).collect();
        let done = self.b.new_block();
        let called = self.b.pointed_number(pointer, &targets);
        for target in targets {
            let (yes, next) = (self.b.new_block(), self.b.new_block());
            let number = self.b.procedure_number(target);
            let is_this: Val = self.b.cmp(CmpOp::Eq, Ty::I64, called, number).into();
            self.b.branch(is_this, yes, next);
            self.b.switch_to(yes);
            let captures = self.b.pointed_captures(pointer, target);
            if is_handler {
                self.call_handler(target, passed, &captures);
            } else {
                let values = self.b.call_plain(target, hidden, passed, &captures, results);
                for (&reg, value) in out.iter().zip(values) {
                    self.b.set(reg, value);
                }
            }
            self.b.jump(done);
            self.b.switch_to(next);
        }
        if self.may_be_of_c(model, params) {
            let (yes, next) = (self.b.new_block(), self.b.new_block());
            let is_of_c: Val = self.b.cmp(CmpOp::Ge, Ty::I64, pointer, Val::i64(c_descriptor::OWN_END)).into();
            self.b.branch(is_of_c, yes, next);
            self.b.switch_to(yes);
            let values = self.b.call_foreign(proc, (&BY_ADDRESS.into(), true), Some(pointer), hidden, passed, results);
            for (&reg, value) in out.iter().zip(values) {
                self.b.set(reg, value);
            }
            self.b.jump(done);
            self.b.switch_to(next);
        }
        let is_null: Val = self.b.cmp(CmpOp::Eq, Ty::I64, pointer, Val::i64(0)).into();
        let (yes, next) = (self.b.new_block(), self.b.new_block());
        self.b.branch(is_null, yes, next);
        self.b.switch_to(next);
        let name = if is_handler { "signal" } else { &model.name };
        self.b
            .fail(&format!("`{name}` names a procedure whose arguments or result are others than those of this call"));
        self.b.jump(done);
        self.b.switch_to(yes);
        let (text, len) = self.b.name_text(&model.name);
        self.b.rt(Rt::ErrorAllocated, vec![text, len]);
        self.b.jump(done);
        self.b.switch_to(done);
        out.into_iter().map(Val::from).collect()
    }
}

/// Whether a procedure of the program may be called for a signal: it takes its number by value, or nothing.
fn is_called_for_signals(b: &Builder<'_, '_>, target: ProcId) -> bool {
    let callee = b.program().proc(target);
    let is_number = |&v: &VarId| {
        let var = b.program().var(v);
        var.attrs.value && matches!(var.ty, Type::Integer(4))
    };
    let has_plain_result = !matches!(result_form(b.program(), callee), ResultForm::Hidden(_));
    matches!(callee.body, ProcBody::Statements(_))
        && crate::analysis::usage::runs_on(callee.kind, b.side())
        && has_plain_result
        && callee.params.len() < 2
        && callee.params.iter().all(is_number)
}

/// Whether a procedure takes its arguments and gives its result as a call through a pointer says.
fn fits_call(b: &Builder<'_, '_>, model: &Procedure, params: &[VarId], target: ProcId) -> bool {
    let program = b.program();
    let callee = program.proc(target);
    let form = |p: &Procedure| match result_form(program, p) {
        ResultForm::None => (0, Vec::new()),
        ResultForm::Registers(tys) => (1, tys),
        ResultForm::Hidden(length) => (2 + u8::from(length), Vec::new()),
    };
    let is_procedure = |v: VarId| matches!(program.var(v).storage, Storage::Procedure);
    matches!(callee.body, ProcBody::Statements(_) | ProcBody::Foreign { .. })
        && crate::analysis::usage::runs_on(callee.kind, b.side())
        && callee.is_function == model.is_function
        && callee.params.len() == params.len()
        && form(callee) == form(model)
        && callee.params.iter().zip(params).all(|(&a, &b)| {
            is_procedure(a) == is_procedure(b)
                && crate::object::convention::word_types(program.var(a))
                    == crate::object::convention::word_types(program.var(b))
        })
}
