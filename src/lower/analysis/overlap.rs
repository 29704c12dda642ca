//! Whether an array assignment, evaluated element by element, could read an element that it has already written.
//!
//! The test compares names and is conservative. The value conflicts with the target if an array operand names the target's
//! variable and is not the same designator, or names a variable that may be associated with it (pointers and targets).
//! Scalar numbers and operands that become temporaries are evaluated before the first element is stored.
//!
//! Not here: avoiding the conflict (`assign`).

use crate::analysis::designators::{field_of, is_pointer_result};
use crate::analysis::expressions::{has_vector, same};
use sema::checked::{
    Actual, Class, DerivedType, Expr, ExprKind, Intrinsic, ProcBody, ProcId, Program, StmtKind, Storage, Type, TypeId,
    VarId, Variable, is_designator, root_behind_names, visit,
};
use std::collections::BTreeSet;

/// The variable behind a designator, through ASSOCIATE names.
pub(crate) fn storage_root(program: &Program, e: &Expr) -> Option<VarId> {
    root_behind_names(program, e)
}

/// Whether an expression names the variable, or something that may be associated with it.
pub(crate) fn mentions(program: &Program, e: &Expr, v: VarId) -> bool {
    let mut found = false;
    visit::all(e, &mut |part| found = found || names(program, part, v));
    found
}

/// Whether a part of an expression is the variable, one that may be associated with it, or a component that may point to it.
fn names(program: &Program, part: &Expr, v: VarId) -> bool {
    match &part.kind {
        ExprKind::Var(w) => {
            *w == v
                || match &program.var(*w).storage {
                    Storage::Alias(selector) => mentions(program, selector, v),
                    _ => may_be_associated(program, v, *w),
                }
        }
        ExprKind::Field { base, field } => {
            field_of(program, base, *field).is_some_and(|f| f.pointer) && is_pointed_to(program, v)
        }
        ExprKind::Call { .. } => is_pointer_result(program, part) && is_pointed_to(program, v),
        _ => false,
    }
}

/// Whether evaluating an expression may read the variable: it names the variable, or calls a function that reads it by host or
/// use association.
pub(crate) fn reads(program: &Program, e: &Expr, v: VarId) -> bool {
    mentions(program, e, v) || calls_reader(program, e, v)
}

/// Whether an expression calls a function that may read a variable that is none of its own.
fn calls_reader(program: &Program, e: &Expr, v: VarId) -> bool {
    let mut found = false;
    visit::all(e, &mut |part| {
        if let ExprKind::Call { proc, .. } | ExprKind::Procedure(proc) = &part.kind {
            found = found || may_read(program, *proc, v);
        }
    });
    found
}

/// Whether a designator needs its own variable to find the place: in a subscript or a bound.
pub(crate) fn finds_itself(program: &Program, target: &Expr) -> bool {
    let Some(v) = storage_root(program, target) else { return false };
    subscripts_mention(program, target, v) || calls_reader(program, target, v)
}

fn subscripts_mention(program: &Program, designator: &Expr, v: VarId) -> bool {
    let (mut base, mut found) = (None, false);
    visit::parts(designator, &mut |part| match base {
        None => base = Some(part),
        Some(_) => found = found || mentions(program, part, v),
    });
    found || base.is_some_and(|base| subscripts_mention(program, base, v))
}

/// Whether the value of derived type is where it was before, in the target or a part of it, or the target in it: it has to be copied
/// before what the target holds is finalised and freed.
pub(crate) fn may_be_inside(program: &Program, target: &Expr, value: &Expr) -> bool {
    is_place(program, value) && may_share(program, target, value)
}

/// Whether the value may lie in the target.
pub(crate) fn may_share(program: &Program, target: &Expr, value: &Expr) -> bool {
    storage_root(program, target).is_none_or(|root| mentions(program, value, root)) || is_pointer_result(program, value)
}

/// Whether two designators are of variables that EQUIVALENCE may lay over each other in part.
pub(crate) fn overlaps_by_equivalence(program: &Program, target: &Expr, value: &Expr) -> bool {
    let base = |e| match &program.var(storage_root(program, e)?).storage {
        Storage::Associated { base, .. } => Some(*base),
        _ => None,
    };
    base(target).is_some_and(|own| base(value) == Some(own)) && !same(target, value)
}

/// Whether an object is that of a variable, and not one that the expression has made.
fn is_place(program: &Program, e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Paren(inner) | ExprKind::Let { value: inner, .. } => is_place(program, inner),
        ExprKind::Intrinsic { id: Intrinsic::Merge, args } => args.iter().flatten().any(|arg| is_place(program, arg)),
        _ => is_designator(e) || is_pointer_result(program, e),
    }
}

/// Whether the value must be complete before the target is stored to.
pub(crate) fn conflicts(program: &Program, target: &Expr, value: &Expr) -> bool {
    let Some(v) = storage_root(program, target) else { return true };
    operand_conflicts(program, target, v, value)
}

/// Whether the value names the whole target as an operand of the same shape, which therefore keeps its shape.
pub(crate) fn keeps_shape(program: &Program, target: &Expr, e: &Expr) -> bool {
    if e.rank == 0 {
        return false;
    }
    if same(target, e) {
        return true;
    }
    match &e.kind {
        ExprKind::Intrinsic { id, args } if id.class() == Class::Elemental => {
            args.iter().flatten().any(|a| keeps_shape(program, target, a))
        }
        ExprKind::Unary { .. }
        | ExprKind::Binary { .. }
        | ExprKind::Compare { .. }
        | ExprKind::Logic { .. }
        | ExprKind::Convert(_)
        | ExprKind::Paren(_) => {
            let mut any = false;
            visit::parts(e, &mut |part| any |= keeps_shape(program, target, part));
            any
        }
        _ => false,
    }
}

/// Whether what is assigned by way of a variable may share memory with another variable. It may be a part of what a component of the
/// first one points to.
pub(crate) fn may_be_associated(program: &Program, assigned: VarId, other: VarId) -> bool {
    let (x, y) = (program.var(assigned), program.var(other));
    if matches!(x.storage, Storage::Pointee(_)) || matches!(y.storage, Storage::Pointee(_)) {
        return true;
    }
    if let (Storage::Associated { base: p, .. }, Storage::Associated { base: q, .. }) = (&x.storage, &y.storage) {
        return p == q;
    }
    // A dummy with TARGET may be the target that it is said not to be: its actual argument may have the attribute too.
    let through = |v: &Variable| v.attrs.pointer || (v.attrs.target && matches!(v.storage, Storage::Dummy(_)));
    let reached = y.attrs.pointer || y.attrs.target;
    ((through(x) || is_result(program, x) || points(program, x)) && reached)
        || (through(y) && is_pointed_to(program, assigned))
}

/// Whether what is assigned by way of a variable may be the target of a pointer.
fn is_pointed_to(program: &Program, assigned: VarId) -> bool {
    let v = program.var(assigned);
    v.attrs.pointer || v.attrs.target || is_result(program, v) || points(program, v)
}

/// Whether a variable is a name for what a function gives as a pointer.
fn is_result(program: &Program, v: &Variable) -> bool {
    matches!(&v.storage, Storage::Alias(selector) if is_pointer_result(program, selector))
}

/// Whether an object may have pointers in it. What is polymorphic may be of any extension of its type.
fn points(program: &Program, v: &Variable) -> bool {
    let mut found = false;
    each_type(program, (&v.ty, v.attrs.class), &mut BTreeSet::new(), &mut |def| {
        found |= def.fields.iter().any(|f| f.pointer);
    });
    found
}

/// Calls `f` with the derived types that an object, polymorphic or not, may have parts of, but for those that were seen before.
fn each_type(
    program: &Program,
    (ty, is_class): (&Type, bool),
    seen: &mut BTreeSet<TypeId>,
    f: &mut dyn FnMut(&DerivedType),
) {
    let ids = || (0..program.types.len() as u32).map(TypeId);
    let extends =
        |id: TypeId, of: TypeId| std::iter::successors(Some(id), |&id| program.ty(id).parent).any(|id| id == of);
    let note = |ty: &Type, is_class: bool, seen: &mut BTreeSet<TypeId>| -> Vec<TypeId> {
        match ty {
            Type::Derived(own) if is_class => ids().filter(|&id| extends(id, *own) && seen.insert(id)).collect(),
            Type::Derived(own) => Some(*own).into_iter().filter(|&id| seen.insert(id)).collect(),
            Type::Any if is_class => ids().filter(|&id| seen.insert(id)).collect(),
            _ => Vec::new(),
        }
    };
    let mut pending = note(ty, is_class, seen);
    while let Some(at) = pending.pop() {
        let def = program.ty(at);
        f(def);
        for field in &def.fields {
            pending.extend(note(&field.ty, field.class, seen));
        }
        pending.extend(def.parent.filter(|&parent| seen.insert(parent)));
    }
}

/// Whether a procedure, or one that it calls, may read a variable that is none of its own.
fn may_read(program: &Program, proc: ProcId, v: VarId) -> bool {
    let var = program.var(v);
    let is_local = var.module.is_none() && var.owner.is_some() && !matches!(var.storage, Storage::Associated { .. });
    if is_local && !var.attrs.target && !var.attrs.pointer && inside(program, var.owner).next().is_none() {
        return false;
    }
    let (mut seen, mut waiting, mut found) = (BTreeSet::new(), vec![proc], false);
    let mut types = BTreeSet::new();
    while let Some(proc) = waiting.pop() {
        if found || !seen.insert(proc) {
            continue;
        }
        let procedure = program.proc(proc);
        let variables = || procedure.vars.iter().chain(&procedure.params).chain(&procedure.result);
        // Objects are finalised, and assigned by what their types bind, without a statement that names the procedure.
        let bound = |def: &DerivedType| def.finals.iter().chain(&def.assigns).copied().collect::<Vec<_>>();
        for var in variables().map(|&w| program.var(w)) {
            each_type(program, (&var.ty, var.attrs.class), &mut types, &mut |def| waiting.extend(bound(def)));
        }
        let mut look = |e: &Expr| {
            visit::all(e, &mut |part| {
                let is_class = match &part.kind {
                    ExprKind::Var(w) => program.var(*w).attrs.class,
                    _ => false,
                };
                each_type(program, (&part.ty, is_class), &mut types, &mut |def| waiting.extend(bound(def)));
                match &part.kind {
                    ExprKind::Call { proc, .. } | ExprKind::Procedure(proc) => waiting.push(*proc),
                    _ => found = found || names(program, part, v),
                }
            });
        };
        variables().for_each(|&w| visit::declaration(program.var(w), &mut look));
        match &procedure.body {
            ProcBody::Statements(body) => {
                visit::evaluated(program, body, &mut look);
                visit::statements(body, &mut |s| match &s.kind {
                    StmtKind::Call { proc, .. } | StmtKind::Launch { proc, .. } => waiting.push(*proc),
                    StmtKind::Io(io) => waiting.extend(io.defined.iter().map(|defined| defined.proc)),
                    _ => {}
                });
            }
            ProcBody::Service(_) => {}
            ProcBody::Missing if program.proc(proc).through.is_none() => {}
            // What runs is not known here. A variable that is some procedure's own is seen by procedures inside that one, of which a
            // pointer may be given away, to C code too.
            ProcBody::Foreign { .. } | ProcBody::Dispatch { .. } | ProcBody::Pointer | ProcBody::Missing => {
                let var = program.var(v);
                found |= var.owner.is_none() || var.module.is_some() || var.attrs.target || var.attrs.pointer;
                waiting.extend(inside(program, var.owner));
            }
        }
    }
    found
}

/// The procedures that a procedure contains.
fn inside(program: &Program, owner: Option<ProcId>) -> impl Iterator<Item = ProcId> {
    let ids = (0..program.procs.len() as u32).map(ProcId);
    ids.filter(move |&id| owner.is_some() && program.proc(id).parent == owner)
}

fn operand_conflicts(program: &Program, target: &Expr, v: VarId, e: &Expr) -> bool {
    if e.rank == 0 {
        // Numbers are read before the first store; characters and objects stay where they are.
        return matches!(e.ty, Type::Character(_) | Type::Derived(_)) && mentions(program, e, v);
    }
    if same(target, e) {
        // Element by element the same one is read, then written; but a vector subscript may name one twice.
        return has_vector(target);
    }
    match &e.kind {
        ExprKind::Const(_) | ExprKind::Array(_) => false,
        ExprKind::Call { proc, args } if program.proc(*proc).elemental => {
            let of_arguments = args.iter().flatten().any(|a| match a {
                Actual::Expr(e) if e.rank == 0 => mentions(program, e, v),
                Actual::Expr(e) => operand_conflicts(program, target, v, e),
                Actual::Proc(_) => false,
                Actual::Address(_) => true,
            });
            of_arguments || may_read(program, *proc, v)
        }
        ExprKind::Call { .. } => names(program, e, v),
        ExprKind::Intrinsic { id, args } => match (id, id.class()) {
            (_, Class::Elemental) => args.iter().flatten().any(|a| operand_conflicts(program, target, v, a)),
            (Intrinsic::Transpose | Intrinsic::Reshape | Intrinsic::Spread, _) => mentions(program, e, v),
            _ => false,
        },
        _ if sema::checked::is_designator(e) => mentions(program, e, v),
        _ => {
            let mut any = false;
            visit::parts(e, &mut |part| any |= operand_conflicts(program, target, v, part));
            any
        }
    }
}
