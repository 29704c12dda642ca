//! Calls of MPI: the arguments as the service takes them.
//!
//! Each argument becomes one word, its address; a character two, its address and its length; a choice buffer two, the address
//! of a descriptor of the array or scalar, and a number that says its type: the class times 256 and the bytes of a value. A
//! section with gaps is not copied: a call that does not block reads or writes it later.
//!
//! Not here: what the routines do (`mpi`), their interfaces (`compile`).

use crate::function::FunctionLowering;
use crate::value::arguments::Passed;
use ir::rt::Rt;
use ir::{Ty, Val};
use sema::checked::{Actual, Expr, ProcId, Type};
use source::Span;

/// How the names of the services of MPI begin.
pub(super) const PREFIX: &str = "mpi:";

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
        let (text, length) = self.b.name_text(routine);
        let address = self.b.address(room);
        self.b.rt(Rt::MpiCall, vec![text, length, address, Val::i64(words.len() as i64)]);
        self.b.after_call(passed);
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
