//! Procedure pointers: numbers of procedures, and calls through them.
//!
//! The whole program is known. A call through a pointer compares it with each procedure that a pointer may point to and that
//! fits the call, and calls that procedure directly.
//!
//! Not here: procedure dummies, for which procedures are cloned (`module`).

use crate::builder::Builder;
use crate::function::FunctionLowering;
use crate::object::convention::{ResultForm, result_form};
use crate::storage::VarStorage;
use crate::value::Value;
use crate::value::arguments::Passed;
use ir::op::CmpOp;
use ir::rt::Rt;
use ir::{Reg, Ty, Val};
use sema::checked::{Expr, ExprKind, ProcBody, ProcId, Procedure, Storage, VarId};

impl Builder<'_, '_> {
    /// The number that a pointer to a procedure holds; 0 is none.
    pub(crate) fn procedure_number(&self, id: ProcId) -> Val {
        Val::i64(i64::from(id.0) + 1)
    }
}

impl FunctionLowering<'_, '_> {
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
        let targets: Vec<ProcId> =
            self.b.usage().taken.iter().copied().filter(|&p| fits_call(&self.b, model, params, p)).collect();
        let out: Vec<Reg> = results.iter().map(|&ty| self.b.mutable(ty)).collect();
        let done = self.b.new_block();
        for target in targets {
            let (yes, next) = (self.b.new_block(), self.b.new_block());
            let number = self.b.procedure_number(target);
            let is_this: Val = self.b.cmp(CmpOp::Eq, Ty::I64, pointer, number).into();
            self.b.branch(is_this, yes, next);
            self.b.switch_to(yes);
            let values = self.invoke(target, hidden, passed, results);
            for (&reg, value) in out.iter().zip(values) {
                self.b.set(reg, value);
            }
            self.b.jump(done);
            self.b.switch_to(next);
        }
        let (text, len) = self.b.name_text(&model.name);
        self.b.rt(Rt::ErrorAllocated, vec![text, len]);
        self.b.jump(done);
        self.b.switch_to(done);
        out.into_iter().map(Val::from).collect()
    }
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
    matches!(callee.body, ProcBody::Statements(_))
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
