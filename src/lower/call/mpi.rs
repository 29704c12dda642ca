//! Calls of MPI: the arguments as the service takes them.
//!
//! Each argument becomes one word, its address; a character two, its address and its length; a choice buffer two, the address
//! of a descriptor of the array or scalar, and a number that says its type: the class times 256 and the bytes of a value. A
//! section with gaps is not copied: a call that does not block reads or writes it later. A procedure becomes two, its number
//! (`procedure_pointer`), and 1 if it takes pointers of C by value.
//!
//! MPI calls procedures of the program, such as operations of reductions. A call that needs one is interrupted: the code behind
//! it calls a procedure of an embedded module, which asks which one it is and calls it; then the call goes on. The module is
//! there if the program can give MPI a procedure.
//!
//! Not here: what the routines do (`mpi`), their interfaces (`compile`).

use crate::builder::Builder;
use crate::builder::flow::Flow;
use crate::function::FunctionLowering;
use crate::value::arguments::{Captures, Passed};
use ir::op::CmpOp;
use ir::rt::Rt;
use ir::{Ty, Val};
use sema::checked::{Actual, Expr, ProcId, Type};
use source::Span;

/// How the names of the services of MPI begin.
pub(super) const PREFIX: &str = "mpi:";
/// How the names of the services begin by which the embedded module talks to MPI.
const OWN: &str = "cufemu_";
/// The service by which a call goes on that was interrupted.
const GO_ON: &str = "cufemu_go_on";

impl<'p> FunctionLowering<'_, 'p> {
    /// Calls a routine.
    pub(super) fn call_mpi(&mut self, proc: ProcId, routine: &str, args: &'p [Option<Actual>]) {
        let mut passed = Passed { service: true, is_described: true, ..Passed::default() };
        self.pass_all(proc, args, &mut passed);
        let words = std::mem::take(&mut passed.words);
        let (_, room) = self.b.slot(8 * words.len() as u64, 8, "call", Span::NONE);
        for (i, &word) in words.iter().enumerate() {
            self.b.store_scalar(room.plus(8 * i as i64), Ty::I64, word);
        }
        let address = self.b.address(room);
        let interrupted = self.b.mpi_service(routine, address, words.len());
        if let Some(back) = self.b.module().mpi_call_back().filter(|_| !routine.starts_with(OWN)) {
            self.b.call_back(back, interrupted);
        }
        self.b.after_call(passed);
    }

    /// A procedure that MPI gets.
    pub(super) fn pass_to_mpi(&mut self, proc: ProcId, out: &mut Passed) {
        let proc = self.callee(proc);
        let by_value = self.b.takes_pointers_by_value(proc);
        let word = self.procedure_word(proc);
        out.words.extend([word, Val::i64(i64::from(by_value))]);
    }

    /// The second word of a procedure that MPI gets by a pointer to it.
    pub(super) fn pointed_takes_by_value(&mut self, pointer: Val) -> Val {
        let taken = self.b.usage().taken.iter().copied();
        let targets: Vec<ProcId> = taken.filter(|&p| self.b.takes_pointers_by_value(p)).collect();
        let by_value = self.b.mutable(Ty::I64);
        self.b.set(by_value, Val::i64(0));
        let called = self.b.pointed_number(pointer, &targets);
        for target in targets {
            let number = self.b.procedure_number(target);
            let is_this = self.b.cmp(CmpOp::Eq, Ty::I64, called, number).into();
            self.b.when(is_this, |b| b.set(by_value, Val::i64(1)));
        }
        by_value.into()
    }

    /// A choice buffer.
    pub(super) fn pass_described(&mut self, e: &'p Expr, out: &mut Passed) {
        let view = self.view_of_anything(e, out);
        let view = if view.gathers() { self.materialise(e) } else { self.b.plain_view(view, &e.ty) };
        let address = self.b.descriptor_of(&view);
        out.words.extend([address, Val::i64(type_word(&e.ty))]);
        out.keys.push(self.b.space_key(view.mem.space));
    }
}

impl Builder<'_, '_> {
    /// Whether a procedure takes the first of its arguments, and so pointers of C, by value.
    fn takes_pointers_by_value(&self, proc: ProcId) -> bool {
        let program = self.program();
        program.proc(proc).params.first().is_some_and(|&v| program.var(v).attrs.value)
    }

    /// Calls the service; gives whether the call is interrupted.
    fn mpi_service(&mut self, routine: &str, words: Val, count: usize) -> Val {
        let (text, length) = self.name_text(routine);
        let results = self.rt(Rt::MpiCall, vec![text, length, words, Val::i64(count as i64)]);
        results.first().map_or(Val::i32(0), |&r| r.into())
    }

    /// As long as the call is interrupted, calls procedures of the program, and lets it go on.
    fn call_back(&mut self, back: ProcId, interrupted: Val) {
        let state = self.mutable(Ty::I32);
        self.set(state, interrupted);
        let (head, body, done) = (self.new_block(), self.new_block(), self.new_block());
        self.jump(head);
        self.switch_to(head);
        let is_interrupted: Val = self.cmp(CmpOp::Ne, Ty::I32, Val::from(state), Val::i32(0)).into();
        self.branch(is_interrupted, body, done);
        self.switch_to(body);
        self.call_plain(back, &[], &Passed::default(), &Captures::default(), &[]);
        let again = self.mpi_service(GO_ON, Val::i64(0), 0);
        self.set(state, again);
        self.jump(head);
        self.switch_to(done);
    }
}

/// The number that says a type.
fn type_word(ty: &Type) -> i64 {
    let (class, bytes) = match ty {
        Type::Integer(k) => (1, i64::from(*k)),
        Type::Real(k) => (2, i64::from(*k)),
        Type::Complex(k) => (3, 2 * i64::from(*k)),
        Type::Logical(k) => (4, i64::from(*k)),
        Type::Character(_) => (5, 1),
        Type::Derived(_) | Type::Any => (0, 0),
    };
    class << 8 | bytes
}
