//! Polymorphic objects: which expressions are, what a class takes, and calls by dynamic type (Fortran 2018, 7.3.2.3, 7.5.5).
//!
//! A call of a type-bound procedure through a polymorphic object goes to a procedure that stands for all that the name may mean
//! ([`ProcBody::Dispatch`]); it has the interface of the declared type's procedure. An object whose class no type extends is
//! not polymorphic here, and calls through it are plain ones.

use crate::checked::{Attrs, ProcBody, ProcId, Procedure, Scope, Shape, Storage, Type, TypeId, VarId, Variable};
use crate::checker::{Binding, Checker, ProcInfo, Sym, VarInfo};
use crate::typing::{difference, difference_but_for_inherited_intents, difference_but_for_pointers};
use diag::{Code, Diagnostic};
use std::sync::Arc;

impl Checker<'_> {
    /// The procedure that stands for the type-bound `name` of objects of class `ty`, which means `id` for the type itself.
    pub(crate) fn dispatcher(
        &mut self,
        ty: TypeId,
        name: &Arc<str>,
        id: ProcId,
        nopass: bool,
        pass: Option<&Arc<str>>,
    ) -> ProcId {
        self.resolve_interface(id);
        if self.cx.debugger || self.defs.proc_info(id).refused.is_some() {
            return id;
        }
        let key = (ty, name.clone());
        if let Some(&made) = self.made.dispatchers.get(&key) {
            return made;
        }
        let made = self.defs.next_proc();
        let object = if nopass { 0 } else { self.defs.passed_position(id, pass) as u32 };
        let model = self.defs.proc(id);
        let dispatcher = Procedure {
            qualified: format!("{}%{name}.{}", self.defs.ty(ty).name, made.0).into(),
            name: name.clone(),
            params: model.params.clone(),
            vars: Vec::new(),
            body: ProcBody::Dispatch { ty, name: name.clone(), object, nopass },
            parent: None,
            entry_of: None,
            scope: Scope::default(),
            ..model.clone()
        };
        self.defs.add_proc(dispatcher, ProcInfo { is_interface: true, embedded: false, ..ProcInfo::unknown() });
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
                span: self.defs.proc(id).span,
            };
            let object = self.defs.add_var(object, VarInfo::default());
            self.defs.proc_mut(made).params.insert(0, object);
        }
        self.made.dispatchers.insert(key, made);
        made
    }

    /// Finds the FINAL subroutines of a type.
    fn bind_finals(&mut self, ty: TypeId) {
        let (Some(def), scope) = (self.defs.type_info(ty).ast, self.defs.type_info(ty).scope) else { return };
        for item in &def.items {
            let ast::TypeItem::Final(names) = item else { continue };
            for name in names {
                let Some(id) = self.specific_named(scope, &name.text) else {
                    let text = format!("there is no subroutine `{}` here", name.as_str());
                    self.reporter.error::<()>(Code::BadTypeBoundProcedure, name.span, text);
                    continue;
                };
                self.resolve_interface(id);
                let p = self.defs.proc(id);
                // A subroutine for the objects of other kinds.
                if let [only] = p.params.as_slice()
                    && let Type::Derived(t) = self.defs.var(*only).ty
                    && t != ty
                    && self.defs.same_definition(t, ty)
                {
                    continue;
                }
                let takes = match p.params.as_slice() {
                    [only] => {
                        matches!(self.defs.var(*only).ty, Type::Derived(t) if t == ty)
                            && !self.defs.var_info(*only).polymorphic
                    }
                    _ => false,
                };
                if p.is_function || !takes {
                    let text = format!("FINAL subroutine `{}` must take one `type({})`", p.name, self.defs.ty(ty).name);
                    self.reporter.error::<()>(Code::BadTypeBoundProcedure, name.span, text);
                    continue;
                }
                if let Some(what) = self.misfit_final(ty, id) {
                    let text = format!("FINAL subroutine `{}` {what}", self.defs.proc(id).name);
                    self.reporter.error::<()>(Code::BadTypeBoundProcedure, name.span, text);
                    continue;
                }
                self.defs.ty_mut(ty).finals.push(id);
            }
        }
    }

    /// What keeps a subroutine from being a FINAL one beside those that are known (Fortran 2018, C786, C787).
    fn misfit_final(&self, ty: TypeId, id: ProcId) -> Option<String> {
        let dummy = |p: ProcId| self.defs.proc(p).params.first().map(|&v| self.defs.var(v));
        let own = dummy(id)?;
        let attrs = &own.attrs;
        if attrs.intent == Some(ast::Intent::Out) || attrs.value || attrs.optional || attrs.pointer || attrs.allocatable
        {
            return Some(
                "takes an object that is not `intent(out)`, `value`, `optional`, `pointer` or `allocatable`".into(),
            );
        }
        let rank = |v: &crate::checked::Variable| match v.shape {
            Shape::AssumedRank => None,
            _ => Some(v.shape.rank()),
        };
        let other = self.defs.ty(ty).finals.iter().find(|p| dummy(**p).is_some_and(|v| rank(v) == rank(own)))?;
        Some(format!("is for the same rank as `{}`", self.defs.proc(*other).name))
    }

    /// Resolves what the type-bound names of all types mean.
    pub(crate) fn bind_methods(&mut self) {
        let mut at = 0;
        // Resolving one may make instances of others.
        while let Some(ty) = self.defs.type_at(at) {
            at += 1;
            self.resolve_type(ty);
            if self.is_template(ty) {
                continue;
            }
            let is_abstract = self.defs.type_info(ty).ast.is_none_or(|a| a.is_abstract);
            for (name, binding) in self.defs.type_info(ty).bindings.clone() {
                let Binding::Procedure { name: target, deferred, scope, .. } = binding else { continue };
                let found = self.find_from(scope, &target);
                if deferred {
                    self.check_deferred_interface(ty, &name, &target, found.as_ref());
                } else if found.is_none() && !self.scopes.is_tainted(scope) && self.typing().foreign(&target).is_none()
                {
                    self.report_unknown_binding(ty, &name, &target);
                }
                let Some(Sym::Proc(id)) = found else { continue };
                self.resolve_interface(id);
                let is_missing = self.defs.is_missing(id) && self.defs.proc_info(id).bind.is_none();
                if !is_abstract && is_missing && (deferred || !self.options.separate) {
                    let owner = self.defs.ty(ty);
                    let text = format!("`type({})` does not define the deferred procedure `{name}`", owner.name);
                    self.reporter.report(
                        Diagnostic::new(Code::BadTypeBoundProcedure, owner.span, text)
                            .help(format!("bind `{name}` to a procedure, or declare the type `abstract`")),
                    );
                }
                self.check_overriding(ty, &name, id);
                self.defs.ty_mut(ty).methods.insert(name, id);
            }
            self.bind_finals(ty);
            self.bind_assignments(ty);
        }
    }

    /// The interface of a deferred procedure is that of one procedure (Fortran 2018, C1513).
    fn check_deferred_interface(&mut self, ty: TypeId, name: &Arc<str>, target: &Arc<str>, found: Option<&Sym>) {
        let what = match found {
            Some(Sym::Generic { procs, .. }) if !procs.iter().any(|p| self.defs.proc(*p).name == *target) => "generic",
            Some(Sym::StatementFunction(..)) => "a statement function",
            _ => return,
        };
        let span = self.defs.ty(ty).span;
        let text = format!("the interface `{target}` of the deferred procedure `{name}` is {what}");
        self.reporter.error_help::<()>(Code::WrongKindOfName, span, text, "name an abstract interface");
    }

    /// A type-bound name is bound to a procedure that is known where the type is defined (Fortran 2018, 7.5.5).
    fn report_unknown_binding(&mut self, ty: TypeId, name: &Arc<str>, target: &Arc<str>) {
        let Some(def) = self.defs.type_info(ty).ast else { return };
        let names = def.items.iter().filter_map(|item| match item {
            ast::TypeItem::Procedure { bindings, .. } => Some(bindings),
            _ => None,
        });
        let Some((bound, to)) = names.flatten().find(|(bound, _)| bound.text == *name) else { return };
        let span = to.as_ref().map_or(bound.span, |to| to.span);
        let text = format!("there is no procedure `{target}` for the type-bound name `{name}`");
        let help = "define it behind `contains` of the module, or write `=>` and the name of another one";
        self.reporter.error_help::<()>(Code::BadTypeBoundProcedure, span, text, help);
    }

    /// A procedure that replaces one of the parent has its interface, the object aside (Fortran 2018, 7.5.7.3).
    fn check_overriding(&mut self, ty: TypeId, name: &Arc<str>, id: ProcId) {
        let Some(parent) = self.defs.type_info(ty).parent else { return };
        let own = self.defs.type_info(ty).bindings.get(name).cloned();
        let Some(Binding::Procedure { nopass, pass, .. }) = own else { return };
        let Some(Binding::Procedure { name: target, scope, nopass: parent_nopass, .. }) =
            self.defs.type_info(parent).bindings.get(name).cloned()
        else {
            return;
        };
        let Some(Sym::Proc(inherited)) = self.find_from(scope, &target) else { return };
        self.resolve_interface(inherited);
        if inherited == id {
            return;
        }
        let passed = (!nopass).then(|| self.defs.passed_position(id, pass.as_ref()));
        let what = if nopass == parent_nopass {
            difference(&self.defs, id, inherited, passed)
        } else {
            Some("one of the two is `nopass`".to_owned())
        };
        if let Some(what) = what {
            let (new, old) = (self.defs.proc(id), self.defs.proc(inherited));
            let text = format!("`{}` replaces `{}` as `{name}` and has another interface: {what}", new.name, old.name);
            let code = if nopass != parent_nopass {
                Code::BadTypeBoundProcedure
            } else if difference_but_for_pointers(&self.defs, id, inherited, passed).is_none() {
                Code::PointerToExtension
            } else if difference_but_for_inherited_intents(&self.defs, id, inherited, passed).is_none() {
                Code::InterfaceIntent
            } else {
                Code::BadTypeBoundProcedure
            };
            let d = Diagnostic::new(code, new.span, text).secondary(old.span, "the inherited procedure is here");
            // Fortran 2018, 7.5.7.3 says that only what is accessible is replaced.
            let owner = self.defs.type_info(parent).private.get(name);
            let is_foreign =
                owner.is_some_and(|module| self.scopes.module_of(self.defs.type_info(ty).scope) != Some(module));
            self.reporter.report(if is_foreign {
                d.help("compilers replace what is private to another module, too: give one of the two another name")
            } else {
                d
            });
        }
    }

    /// Finds the type-bound assignments whose both operands may be of the type itself.
    fn bind_assignments(&mut self, ty: TypeId) {
        let Some(Binding::Generic(names)) = self.defs.type_info(ty).bindings.get("assignment(=)").cloned() else {
            return;
        };
        for name in names {
            let Some(&id) = self.defs.ty(ty).methods.get(&name) else { continue };
            let p = self.defs.proc(id);
            let [left, right] = p.params[..] else { continue };
            let takes = |c: &Self, v: VarId| {
                let var = c.defs.var(v);
                matches!(var.ty, Type::Derived(t) if t == ty)
                    || (var.attrs.class && c.defs.class_takes(&var.ty, &Type::Derived(ty)))
            };
            if takes(self, left) && takes(self, right) {
                self.defs.ty_mut(ty).assigns.push(id);
            }
        }
    }
}
