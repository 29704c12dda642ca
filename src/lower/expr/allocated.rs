//! What an assignment sets is allocated or associated; with `--check bounds`, what an expression uses as a whole, too. Nothing else
//! would show that an array is not, which has no elements then.

use crate::analysis::designators::{field_of, is_pointer};
use crate::analysis::expressions::has_effects;
use crate::function::FunctionLowering;
use crate::intrinsic::{Args, arg, needs_argument};
use sema::checked::{CharLen, Class, Expr, ExprKind, Intrinsic, Program, Type, Variable};

impl<'p> FunctionLowering<'_, 'p> {
    /// Stops the program at a whole allocatable or pointer that is nothing.
    pub(crate) fn check_whole(&mut self, e: &'p Expr) {
        let program = self.b.program();
        if !self.b.options().check_bounds || !self.b.is_host() || self.b.is_embedded() {
            return;
        }
        if is_described(program, e)
            && let Some(d) = self.descriptor(e)
        {
            self.stop_unless_allocated(&d, e);
        }
    }

    /// Stops the program where a section, or a whole pointer, is assigned that is nothing. Whole allocatables are dealt with by
    /// the assignment.
    pub(crate) fn need_target(&mut self, target: &'p Expr) {
        let program = self.b.program();
        let whole = match &target.kind {
            ExprKind::Section { base, .. } => base,
            _ if is_pointer(program, target) => target,
            _ => return,
        };
        if is_described(program, whole)
            && let Some(d) = self.descriptor(whole)
        {
            self.stop_unless_allocated(&d, whole);
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

/// Whether an expression is a whole variable or component that is allocatable or a pointer. One with effects is not: a designator is
/// evaluated once.
fn is_described(program: &Program, e: &Expr) -> bool {
    if has_effects(program, e) {
        return false;
    }
    match &e.kind {
        ExprKind::Var(v) => {
            // An optional dummy argument may be absent.
            let attrs = &program.var(*v).attrs;
            (attrs.allocatable || attrs.pointer) && !attrs.optional
        }
        ExprKind::Field { base, field } => {
            field_of(program, base, *field).is_some_and(|f| f.is_allocatable() || f.pointer)
        }
        _ => false,
    }
}
