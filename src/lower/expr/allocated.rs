//! With `--check bounds`: what an expression uses as a whole is allocated or associated. Nothing else would show that an array is not,
//! which has no elements then.

use crate::analysis::designators::field_of;
use crate::function::FunctionLowering;
use crate::intrinsic::{Args, arg, needs_argument};
use sema::checked::{CharLen, Class, Expr, ExprKind, Intrinsic, Type, VarId, Variable, visit};

impl<'p> FunctionLowering<'_, 'p> {
    /// Stops the program at a whole allocatable or pointer that is nothing.
    pub(crate) fn check_whole(&mut self, e: &'p Expr) {
        let program = self.b.program();
        if !self.b.options().check_bounds || !self.b.is_host() || self.b.is_embedded() {
            return;
        }
        let is_described = match &e.kind {
            ExprKind::Var(v) => is_described_variable(program, *v),
            ExprKind::Field { base, field } => {
                field_of(program, base, *field).is_some_and(|f| f.is_allocatable() || f.pointer)
            }
            _ => false,
        };
        // A designator is evaluated once: functions in its subscripts may have effects.
        let mut calls = false;
        visit::all(e, &mut |part| calls |= matches!(part.kind, ExprKind::Call { .. }));
        if is_described
            && !calls
            && let Some(d) = self.descriptor(e)
        {
            self.stop_unless_allocated(&d, e);
        }
    }

    /// The same for an argument of a procedure of the program, which needs an object (Fortran 2018, 15.5.2.3 and 15.5.2.4).
    pub(crate) fn check_argument(&mut self, dummy: &Variable, e: &'p Expr) {
        let is_embedded = dummy.owner.is_none_or(|owner| self.b.module().is_embedded(owner));
        if !is_embedded {
            self.check_whole(e);
        }
    }

    /// The same for the arguments of an intrinsic function whose values or shapes it needs.
    pub(crate) fn check_arguments(&mut self, id: Intrinsic, args: Args<'p>) {
        use Intrinsic as I;
        let needs_shape = |e: &Expr| match id {
            I::Size | I::Shape | I::Lbound | I::Ubound => true,
            // Another length than a deferred one is that of the declaration.
            I::Len => matches!(e.ty, Type::Character(CharLen::Deferred)),
            _ => id.class() == Class::Transformational,
        };
        let needed = (0..id.dummies().len()).filter(|&at| needs_argument(id, at)).filter_map(|at| arg(args, at));
        needed.filter(|e| needs_shape(e)).for_each(|e| self.check_whole(e));
    }
}

/// Whether a variable is allocatable or a pointer, and no optional dummy argument, which may be absent.
fn is_described_variable(program: &sema::checked::Program, v: VarId) -> bool {
    let attrs = &program.var(v).attrs;
    (attrs.allocatable || attrs.pointer) && !attrs.optional
}
