//! Whether an array assignment, evaluated element by element, could read an element that it has already written.
//!
//! The test compares names and is conservative. The value conflicts with the target if an array operand names the target's
//! variable and is not the same designator, or names a variable that may be associated with it (pointers and targets).
//! Scalar operands and operands that become temporaries are evaluated before the first element is stored.
//!
//! Not here: avoiding the conflict (`assign`).

use crate::analysis::expressions::{has_vector, same};
use crate::builder::Builder;
use sema::checked::{Actual, Class, Expr, ExprKind, Intrinsic, Storage, VarId, root_behind_names, visit};

impl<'p> Builder<'_, 'p> {
    /// The variable behind a designator, through ASSOCIATE names.
    pub(crate) fn storage_root(&self, e: &Expr) -> Option<VarId> {
        root_behind_names(self.program(), e)
    }

    /// Whether an expression names the variable, or one that may be associated with it.
    pub(crate) fn mentions(&self, e: &'p Expr, v: VarId) -> bool {
        let mut found = false;
        visit::all(e, &mut |part| {
            if let ExprKind::Var(_) = part.kind
                && let Some(w) = self.storage_root(part)
            {
                found |= w == v || may_be_associated(self, v, w);
            }
        });
        found
    }

    /// Whether a designator needs its own variable to find the place: in a subscript or a bound.
    pub(crate) fn finds_itself(&self, target: &'p Expr) -> bool {
        let Some(v) = self.storage_root(target) else { return false };
        let mut times = 0;
        visit::all(target, &mut |part| {
            if let ExprKind::Var(_) = part.kind
                && let Some(w) = self.storage_root(part)
            {
                times += u32::from(w == v || may_be_associated(self, v, w));
            }
        });
        times > 1
    }

    /// Whether the value must be complete before the target is stored to.
    pub(crate) fn conflicts(&self, target: &'p Expr, value: &'p Expr) -> bool {
        let Some(v) = self.storage_root(target) else { return true };
        operand_conflicts(self, target, v, value)
    }

    /// Whether the value names the whole target as an operand of the same shape, which therefore keeps its shape.
    pub(crate) fn keeps_shape(&self, target: &'p Expr, e: &'p Expr) -> bool {
        if e.rank == 0 {
            return false;
        }
        if same(target, e) {
            return true;
        }
        match &e.kind {
            ExprKind::Intrinsic { id, args } if id.class() == Class::Elemental => {
                args.iter().flatten().any(|a| self.keeps_shape(target, a))
            }
            ExprKind::Unary { .. }
            | ExprKind::Binary { .. }
            | ExprKind::Compare { .. }
            | ExprKind::Logic { .. }
            | ExprKind::Convert(_)
            | ExprKind::Paren(_) => {
                let mut any = false;
                visit::parts(e, &mut |part| any |= self.keeps_shape(target, part));
                any
            }
            _ => false,
        }
    }
}

/// Whether two variables may share memory though they are not the same.
fn may_be_associated(builder: &Builder<'_, '_>, a: VarId, b: VarId) -> bool {
    let (x, y) = (builder.program().var(a), builder.program().var(b));
    if matches!(x.storage, Storage::Pointee(_)) || matches!(y.storage, Storage::Pointee(_)) {
        return true;
    }
    if let (Storage::Associated { base: p, .. }, Storage::Associated { base: q, .. }) = (&x.storage, &y.storage) {
        return p == q;
    }
    let reached = |v: &sema::checked::Variable| v.attrs.pointer || v.attrs.target;
    // A dummy with TARGET may be the target that it is said not to be: its actual argument may have the attribute too.
    let through =
        |v: &sema::checked::Variable| v.attrs.pointer || (v.attrs.target && matches!(v.storage, Storage::Dummy(_)));
    (through(x) && reached(y)) || (through(y) && reached(x))
}

fn operand_conflicts<'p>(b: &Builder<'_, 'p>, target: &'p Expr, v: VarId, e: &'p Expr) -> bool {
    if e.rank == 0 {
        return false;
    }
    if same(target, e) {
        // Element by element the same one is read, then written; but a vector subscript may name one twice.
        return has_vector(target);
    }
    match &e.kind {
        ExprKind::Const(_) | ExprKind::Array(_) => false,
        ExprKind::Call { proc, args } if b.program().proc(*proc).elemental => args.iter().flatten().any(|a| match a {
            Actual::Expr(e) if e.rank == 0 => b.mentions(e, v),
            Actual::Expr(e) => operand_conflicts(b, target, v, e),
            Actual::Proc(_) => false,
        }),
        ExprKind::Call { .. } => false,
        ExprKind::Intrinsic { id, args } => match (id, id.class()) {
            (_, Class::Elemental) => args.iter().flatten().any(|a| operand_conflicts(b, target, v, a)),
            (Intrinsic::Transpose | Intrinsic::Reshape | Intrinsic::Spread, _) => b.mentions(e, v),
            _ => false,
        },
        _ if sema::checked::is_designator(e) => b.mentions(e, v),
        _ => {
            let mut any = false;
            visit::parts(e, &mut |part| any |= operand_conflicts(b, target, v, part));
            any
        }
    }
}
