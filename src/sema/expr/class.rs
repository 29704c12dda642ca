//! Polymorphic objects: which expressions are, what a class takes, and calls by dynamic type (Fortran 2018, 7.3.2.3, 7.5.5).
//!
//! A call of a type-bound procedure through a polymorphic object goes to a procedure that stands for all that the name may mean
//! ([`ProcBody::Dispatch`]); it has the interface of the declared type's procedure. An object whose class no type extends is
//! not polymorphic here, and calls through it are plain ones.

use crate::checked::{
    Attrs, Expr, ExprKind, ProcBody, ProcId, Procedure, Scope, Shape, Storage, Type, TypeId, VarId, Variable,
};
use crate::checker::{Checker, VarInfo};
use crate::decl::{Binding, ProcInfo};
use crate::scope::Sym;
use diag::{Code, Diagnostic};
use std::sync::Arc;

impl Checker<'_> {
    /// Whether an object has a dynamic type of its own.
    pub(crate) fn is_class(&self, e: &Expr) -> bool {
        match &e.kind {
            ExprKind::Var(id) => self.out.var(*id).attrs.class,
            ExprKind::Field { base, field } => {
                matches!(base.ty, Type::Derived(id) if self.out.ty(id).fields.get(*field as usize).is_some_and(|f| f.class))
            }
            ExprKind::Element { base, .. } | ExprKind::Section { base, .. } | ExprKind::Paren(base) => {
                self.is_class(base)
            }
            ExprKind::Seen { class, .. } => *class,
            ExprKind::Call { proc, .. } => self.out.proc(*proc).result.is_some_and(|r| self.out.var(r).attrs.class),
            _ => false,
        }
    }

    /// Whether a polymorphic object declared with type `declared` may be of type `actual`.
    pub(crate) fn class_takes(&self, declared: &Type, actual: &Type) -> bool {
        match (declared, actual) {
            (Type::Any, _) => true,
            (Type::Derived(wanted), Type::Derived(given)) => {
                let mut at = Some(*given);
                while let Some(ty) = at {
                    if ty == *wanted {
                        return true;
                    }
                    at = self.types[ty.0 as usize].parent.or(self.out.ty(ty).parent);
                }
                false
            }
            _ => false,
        }
    }

    /// The position of the passed object among the dummies.
    pub(crate) fn passed_position(&self, id: ProcId, pass: Option<&Arc<str>>) -> usize {
        pass.and_then(|pass| self.out.proc(id).params.iter().position(|p| self.out.var(*p).name == *pass)).unwrap_or(0)
    }

    /// The procedure that stands for the type-bound `name` of objects of class `ty`, which means `id` for the type itself.
    pub(crate) fn dispatcher(
        &mut self,
        ty: TypeId,
        name: &Arc<str>,
        id: ProcId,
        nopass: bool,
        pass: Option<&Arc<str>>,
    ) -> ProcId {
        self.header(id);
        if self.frozen || self.procs[id.0 as usize].refused.is_some() {
            return id;
        }
        let key = (ty, name.clone());
        if let Some(&made) = self.dispatchers.get(&key) {
            return made;
        }
        let made = ProcId(self.out.procs.len() as u32);
        let object = if nopass { 0 } else { self.passed_position(id, pass) as u32 };
        let model = self.out.proc(id);
        let dispatcher = Procedure {
            qualified: format!("{}%{name}.{}", self.out.ty(ty).name, made.0).into(),
            name: name.clone(),
            params: model.params.clone(),
            vars: Vec::new(),
            body: ProcBody::Dispatch { ty, name: name.clone(), object, nopass },
            parent: None,
            scope: Scope::default(),
            ..model.clone()
        };
        self.out.procs.push(dispatcher);
        self.procs.push(ProcInfo { is_interface: true, embedded: false, ..ProcInfo::unknown() });
        if nopass {
            let attrs = Attrs { class: true, ignore_tkr: "".into(), ..Attrs::default() };
            let object = Variable {
                name: "object".into(),
                ty: Type::Derived(ty),
                shape: Shape::Scalar,
                storage: Storage::Dummy(0),
                attrs,
                init: None,
                owner: None,
                module: None,
                span: self.out.proc(id).span,
            };
            let object = self.add_var(object, VarInfo::default());
            self.out.procs[made.0 as usize].params.insert(0, object);
        }
        self.dispatchers.insert(key, made);
        made
    }

    /// Finds the FINAL subroutines of a type.
    fn bind_finals(&mut self, ty: TypeId) {
        let at = ty.0 as usize;
        let (Some(def), scope) = (self.types[at].ast, self.types[at].scope) else { return };
        for item in &def.items {
            let ast::TypeItem::Final(names) = item else { continue };
            for name in names {
                let Some(Sym::Proc(id)) = self.find_from(scope, &name.text) else {
                    let text = format!("there is no subroutine `{}` here", name.as_str());
                    self.error::<()>(Code::BadTypeBoundProcedure, name.span, text);
                    continue;
                };
                self.header(id);
                let p = self.out.proc(id);
                let takes = match p.params.as_slice() {
                    [only] => {
                        matches!(self.out.var(*only).ty, Type::Derived(t) if t == ty)
                            && !self.out.var(*only).attrs.class
                    }
                    _ => false,
                };
                if p.is_function || !takes {
                    let text = format!("FINAL subroutine `{}` must take one `type({})`", p.name, self.out.ty(ty).name);
                    self.error::<()>(Code::BadTypeBoundProcedure, name.span, text);
                    continue;
                }
                self.out.types[at].finals.push(id);
            }
        }
    }

    /// Settles what the type-bound names of all types mean.
    pub(crate) fn bind_methods(&mut self) {
        for at in 0..self.types.len() {
            let ty = TypeId(at as u32);
            self.settle_type(ty);
            let is_abstract = self.types[at].ast.is_none_or(|a| a.is_abstract);
            for (name, binding) in self.types[at].bindings.clone() {
                let Binding::Procedure { name: target, scope, .. } = binding else { continue };
                let Some(Sym::Proc(id)) = self.find_from(scope, &target) else { continue };
                self.header(id);
                if !is_abstract && self.is_missing(id) && self.procs[id.0 as usize].bind.is_none() {
                    let owner = self.out.ty(ty);
                    let text = format!("`type({})` does not define the deferred procedure `{name}`", owner.name);
                    self.report(
                        Diagnostic::new(Code::BadTypeBoundProcedure, owner.span, text)
                            .help(format!("bind `{name}` to a procedure, or declare the type `abstract`")),
                    );
                }
                self.out.types[at].methods.insert(name, id);
            }
            self.bind_finals(ty);
            self.bind_assignments(ty);
        }
    }

    /// Finds the type-bound assignments whose both operands may be of the type itself.
    fn bind_assignments(&mut self, ty: TypeId) {
        let at = ty.0 as usize;
        let Some(Binding::Generic(names)) = self.types[at].bindings.get("assignment(=)").cloned() else { return };
        for name in names {
            let Some(&id) = self.out.ty(ty).methods.get(&name) else { continue };
            let p = self.out.proc(id);
            let [left, right] = p.params[..] else { continue };
            let takes = |c: &Self, v: VarId| {
                let var = c.out.var(v);
                matches!(var.ty, Type::Derived(t) if t == ty)
                    || (var.attrs.class && c.class_takes(&var.ty, &Type::Derived(ty)))
            };
            if takes(self, left) && takes(self, right) {
                self.out.types[at].assigns.push(id);
            }
        }
    }
}
