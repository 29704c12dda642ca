//! What a typed expression names: an allocatable, a pointer, a polymorphic object; its declared shape; where it lives; whether
//! it may be changed.

use super::Typing;
use crate::checked::{Expr, ExprKind, Field, Program, Shape, Storage, Sub, Type, TypeId, VarId, is_designator, root};
use crate::checker::{Binding, Definitions};
use ast::{CudaAttr, Intent};

impl Typing<'_> {
    /// Whether something may be assigned; if not, why.
    pub(crate) fn definable(&self, e: &Expr) -> Result<(), String> {
        let Some(id) = root(e) else {
            // What a pointer that a function gives points to is a variable.
            if matches!(e.kind, ExprKind::Call { .. }) && is_pointer(self.defs, e) {
                return Ok(());
            }
            return Err(match &e.kind {
                ExprKind::Const(_) => "a constant cannot change".into(),
                _ => "an expression cannot change".into(),
            });
        };
        let var = self.defs.var(id);
        if matches!(var.storage, Storage::Parameter) || self.defs.var_info(id).is_constant {
            return Err(format!("`{}` is a named constant", var.name));
        }
        // What a pointer component points to may change though the object may not.
        if var.attrs.intent == Some(Intent::In) && !var.attrs.pointer && !through_pointer(self.defs, e) {
            return Err(format!("`{}` is an `intent(in)` argument", var.name));
        }
        if let Storage::Alias(target) = &var.storage {
            return if has_vector_subscript(target) {
                Err(format!("`{}` stands for a section with a vector subscript", var.name))
            } else if is_designator(target) {
                self.definable(target)
            } else if is_pointer(self.defs, target) {
                Ok(())
            } else {
                Err(format!("`{}` stands for an expression", var.name))
            };
        }
        // What a protected pointer points to may change, and what a pointer component of a protected object points to.
        if var.attrs.pointer || through_pointer(self.defs, e) { Ok(()) } else { self.unprotected(id) }
    }

    /// The name of a dummy that is the procedure's own copy and says that it does not change, if that is what may be assigned.
    pub(crate) fn own_copy(&self, e: &Expr) -> Option<&str> {
        let var = self.defs.var(root(e)?);
        let is_own = var.attrs.value && var.attrs.intent == Some(Intent::In) && !through_pointer(self.defs, e);
        is_own.then_some(&*var.name)
    }

    /// Whether a pointer may be associated with another target; if not, why.
    pub(crate) fn associable(&self, pointer: &Expr) -> Result<(), String> {
        let Some(id) = root(pointer) else { return Ok(()) };
        let var = self.defs.var(id);
        let is_own =
            matches!(pointer.kind, ExprKind::Var(_)) || !(var.attrs.pointer || inner_pointer(self.defs, pointer));
        if var.attrs.intent == Some(Intent::In) && is_own {
            return Err(format!("`{}` is an `intent(in)` argument", var.name));
        }
        if is_own { self.unprotected(id) } else { Ok(()) }
    }

    /// Whether pointers may point to an object: it is a target or a pointer, or part of one.
    pub(crate) fn is_target(&self, e: &Expr) -> bool {
        if is_pointer(self.defs, e) || through_pointer(self.defs, e) {
            return true;
        }
        let Some(id) = root(e) else { return true };
        let var = self.defs.var(id);
        match &var.storage {
            Storage::Alias(target) => self.is_target(target),
            _ => var.attrs.target || var.attrs.pointer || var.attrs.cuda.is_some(),
        }
    }

    /// Whether a pointer may point to an object, by which it may change; if not, why (Fortran 2018, 8.5.15).
    pub(crate) fn exposable(&self, target: &Expr) -> Result<(), String> {
        match root(target) {
            Some(id) if !self.defs.var(id).attrs.pointer && !through_pointer(self.defs, target) => self.unprotected(id),
            _ => Ok(()),
        }
    }

    /// Whether a variable is not protected by another module; if it is, the words for it.
    pub(crate) fn unprotected(&self, id: VarId) -> Result<(), String> {
        let var = self.defs.var(id);
        match &var.module {
            Some(module)
                if var.attrs.protected
                    && !self.scopes.around(self.cx.scope).any(|s| s.module.as_ref() == Some(module)) =>
            {
                Err(format!("`{}` is protected by module `{module}`", var.name))
            }
            _ => Ok(()),
        }
    }
}

/// Where an object lives: the attribute of the last part of a designator that has memory of its own.
pub(crate) fn space_of(program: &Program, e: &Expr) -> Option<CudaAttr> {
    match &e.kind {
        ExprKind::Var(id) => {
            let var = program.var(*id);
            match &var.storage {
                Storage::Alias(target) => space_of(program, target),
                _ => var.attrs.cuda,
            }
        }
        ExprKind::Field { base, field } => {
            let own = match base.ty {
                Type::Derived(id) => program.ty(id).fields.get(*field as usize).and_then(|f| f.cuda),
                _ => None,
            };
            own.or_else(|| space_of(program, base))
        }
        ExprKind::Element { base, .. }
        | ExprKind::Section { base, .. }
        | ExprKind::Substring { base, .. }
        | ExprKind::ComplexPart { base, .. }
        | ExprKind::Seen { base, .. } => space_of(program, base),
        _ => None,
    }
}

/// Whether an object has a dynamic type of its own.
pub(crate) fn is_class(program: &Program, e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Var(id) => program.var(*id).attrs.class,
        ExprKind::Field { base, field } => {
            matches!(base.ty, Type::Derived(id) if program.ty(id).fields.get(*field as usize).is_some_and(|f| f.class))
        }
        ExprKind::Element { base, .. } | ExprKind::Section { base, .. } | ExprKind::Paren(base) => {
            is_class(program, base)
        }
        ExprKind::Seen { class, .. } => *class,
        ExprKind::Call { proc, .. } => program.proc(*proc).result.is_some_and(|r| program.var(r).attrs.class),
        _ => false,
    }
}

/// Whether an expression is an allocatable variable or component as a whole.
pub(crate) fn is_allocatable(program: &Program, e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Var(id) => program.var(*id).attrs.allocatable,
        ExprKind::Field { base, field } => {
            matches!(base.ty, Type::Derived(id) if program.ty(id).fields.get(*field as usize).is_some_and(Field::is_allocatable))
        }
        _ => false,
    }
}

/// Whether an expression is, or is a part of, what `-gpu=managed` makes managed data: what an allocatable or a pointer without a CUDA
/// attribute holds, and automatic arrays.
pub(crate) fn is_implicitly_managed(program: &Program, e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Element { base, .. } | ExprKind::Section { base, .. } => is_implicitly_managed(program, base),
        ExprKind::Field { base, .. } => {
            is_allocatable(program, e) || is_pointer(program, e) || is_implicitly_managed(program, base)
        }
        ExprKind::Var(id) => {
            let var = program.var(*id);
            var.attrs.cuda.is_none() && var.is_managed_by_option()
        }
        _ => false,
    }
}

/// Whether an expression is a pointer as a whole.
pub(crate) fn is_pointer(program: &Program, e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Var(id) => program.var(*id).attrs.pointer,
        ExprKind::Field { base, field } => {
            matches!(base.ty, Type::Derived(id) if program.ty(id).fields.get(*field as usize).is_some_and(|f| f.pointer))
        }
        ExprKind::Call { proc, .. } => program.proc(*proc).result.is_some_and(|r| program.var(r).attrs.pointer),
        _ => false,
    }
}

/// Whether an expression is a procedure pointer.
pub(crate) fn is_procedure_pointer(defs: &Definitions<'_>, e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Var(id) => defs.var_info(*id).procedure_pointer,
        ExprKind::Field { base, field } => pointer_component(defs, base, *field).is_some(),
        ExprKind::Call { proc, .. } => defs.proc(*proc).result.is_some_and(|r| defs.var_info(r).procedure_pointer),
        ExprKind::Procedure(_) => true,
        _ => false,
    }
}

/// Whether an expression names a dummy procedure.
pub(crate) fn is_dummy_procedure(program: &Program, e: &Expr) -> bool {
    matches!(e.kind, ExprKind::Var(id) if matches!(program.var(id).storage, Storage::Procedure))
}

/// The declared shape of a whole array.
pub(crate) fn shape_of<'p>(program: &'p Program, base: &Expr) -> Option<&'p Shape> {
    match &base.kind {
        ExprKind::Var(id) => Some(&program.var(*id).shape),
        ExprKind::Field { base, field } => match base.ty {
            Type::Derived(id) => program.ty(id).fields.get(*field as usize).map(|f| &f.shape),
            _ => None,
        },
        _ => None,
    }
}

/// Whether a designator goes through a pointer component.
fn through_pointer(program: &Program, e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Field { base, .. } => is_pointer(program, e) || through_pointer(program, base),
        ExprKind::Element { base, .. }
        | ExprKind::Section { base, .. }
        | ExprKind::Substring { base, .. }
        | ExprKind::ComplexPart { base, .. }
        | ExprKind::Seen { base, .. } => through_pointer(program, base),
        _ => false,
    }
}

/// Whether a designator goes through a pointer component before its last part.
fn inner_pointer(program: &Program, e: &Expr) -> bool {
    matches!(&e.kind, ExprKind::Field { base, .. } if through_pointer(program, base))
}

/// Whether some part of a designator has a vector subscript.
pub(crate) fn has_vector_subscript(e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Section { base, subs } => {
            subs.iter().any(|s| matches!(s, Sub::Vector(_))) || has_vector_subscript(base)
        }
        ExprKind::Field { base, .. }
        | ExprKind::Element { base, .. }
        | ExprKind::Substring { base, .. }
        | ExprKind::ComplexPart { base, .. }
        | ExprKind::Seen { base, .. } => has_vector_subscript(base),
        _ => false,
    }
}

pub(crate) fn pointer_component(defs: &Definitions<'_>, base: &Expr, field: u32) -> Option<TypeId> {
    let Type::Derived(id) = base.ty else { return None };
    let name = &defs.ty(id).fields.get(field as usize)?.name;
    matches!(defs.type_info(id).bindings.get(name), Some(Binding::Pointer { .. })).then_some(id)
}
