//! Type-bound procedures and generics of derived types (Fortran 2018, 7.5.5, 7.5.4.5).
//!
//! Not here: that a procedure which replaces an inherited one has its interface (`expr::class`).

use crate::checked::{ProcId, Shape, Storage, Type, TypeId, Variable};
use crate::checker::{Binding, Checker, generic_key, generic_span};
use crate::cuda::{are_distinguishable, takes_the_same};
use crate::typing::Typing;
use ast::{Attr, DerivedType, Generic, Name, TypeItem};
use diag::{Code, Diagnostic};
use std::sync::Arc;

/// A specific procedure of a type-bound generic.
struct Specific {
    name: Arc<str>,
    id: ProcId,
    /// Which argument the object is.
    passed: Option<usize>,
}

impl Checker<'_> {
    /// Looks at the procedure pointer components of all types: they are pointers, and say to which argument the object is passed.
    pub(crate) fn check_pointer_components(&mut self) {
        for ty in self.defs.type_ids() {
            let info = self.defs.type_info(ty);
            let Some(def) = info.ast.filter(|def| !self.options.embedded.contains(&def.span.file)) else { continue };
            if info.is_broken || info.refused.is_some() || !def.params.is_empty() {
                continue;
            }
            for item in &def.items {
                let TypeItem::Procedure { attrs, bindings, .. } = item else { continue };
                if !attrs.iter().any(|a| matches!(a, Attr::Pointer(_))) {
                    continue;
                }
                for (name, _) in bindings {
                    self.check_pointer_component(ty, def, name);
                }
            }
        }
    }

    fn check_pointer_component(&mut self, ty: TypeId, def: &DerivedType, name: &Name) {
        let Some((pointed, Some(at))) = self.component_pointed(ty, name) else { return };
        let Some(id) = pointed.interface else {
            // Fortran 2018, C757.
            let text = format!(
                "procedure pointer component `{}` has no interface, so that no object can be passed",
                name.as_str()
            );
            self.reporter.error_help::<()>(Code::BadTypeBoundProcedure, name.span, text, "add `nopass`");
            return;
        };
        self.resolve_interface(id);
        let info = self.defs.proc_info(id);
        if !info.is_broken && info.refused.is_none() && !info.unknown_dummies && info.ast.is_some() {
            self.typing().check_passed(ty, def, name, id, at);
        }
    }
}

impl Typing<'_> {
    /// Looks at all type-bound names that the program's types declare.
    pub(crate) fn check_bindings(&mut self) {
        for ty in self.defs.type_ids() {
            let info = self.defs.type_info(ty);
            let Some(def) = info.ast.filter(|def| !self.options.embedded.contains(&def.span.file)) else { continue };
            let is_template = !def.params.is_empty() && info.template.is_none();
            if info.is_broken || info.refused.is_some() || is_template {
                continue;
            }
            for item in &def.items {
                match item {
                    TypeItem::Procedure { attrs, bindings, .. }
                        if !attrs.iter().any(|a| matches!(a, Attr::Pointer(_))) =>
                    {
                        for (name, _) in bindings {
                            self.check_passed_object(ty, def, name);
                        }
                    }
                    TypeItem::Generic { spec, names, .. } => self.check_bound_generic(ty, spec, names),
                    _ => {}
                }
            }
        }
    }

    /// What a type-bound name means for the type itself, and which argument the object is.
    fn specific(&self, ty: TypeId, name: &Arc<str>) -> Option<Specific> {
        let Some(Binding::Procedure { nopass, pass, .. }) = self.defs.type_info(ty).bindings.get(name) else {
            return None;
        };
        let id = *self.defs.ty(ty).methods.get(name)?;
        let info = self.defs.proc_info(id);
        let is_known = !info.is_broken && info.refused.is_none() && !info.unknown_dummies;
        let passed = (!nopass).then(|| self.defs.passed_position(id, pass.as_ref()));
        is_known.then(|| Specific { name: name.clone(), id, passed })
    }

    fn check_passed_object(&mut self, ty: TypeId, def: &DerivedType, name: &Name) {
        let Some(Specific { id, passed: Some(at), .. }) = self.specific(ty, &name.text) else { return };
        self.check_passed(ty, def, name, id, at);
    }

    /// Checks the argument of a procedure to which the object is passed (Fortran 2018, C758, C760).
    fn check_passed(&mut self, ty: TypeId, def: &DerivedType, name: &Name, id: ProcId, at: usize) {
        let p = self.defs.proc(id);
        let wrong = match (self.defs.type_info(ty).bindings.get(&name.text), p.params.get(at)) {
            (Some(Binding::Procedure { pass: Some(pass), .. } | Binding::Pointer { pass: Some(pass), .. }), _)
                if !p.params.iter().any(|v| self.defs.var(*v).name == *pass) =>
            {
                Some(format!("`{}` has no argument `{pass}` to which the object could be passed", p.name))
            }
            (_, None) => Some(format!("`{}` has no argument to which the object could be passed", p.name)),
            (_, Some(&v)) => {
                let var = self.defs.var(v);
                let is_extensible = !def.sequence && !def.bind_c;
                let is_class = self.defs.var_info(v).polymorphic;
                let what = if !matches!(var.ty, Type::Derived(own) if self.defs.same_definition(own, ty)) {
                    Some("is not of the type")
                } else if !matches!(var.shape, Shape::Scalar) || matches!(var.storage, Storage::Procedure) {
                    Some("is not a scalar")
                } else if var.attrs.pointer || var.attrs.allocatable {
                    Some("is allocatable or a pointer")
                } else if is_extensible != is_class {
                    Some(if is_class { "is polymorphic, and the type is not extensible" } else { "is not polymorphic" })
                } else {
                    None
                };
                what.map(|what| format!("argument `{}` of `{}`, for the object, {what}", var.name, p.name))
            }
        };
        if let Some(text) = wrong {
            let d = Diagnostic::new(Code::BadTypeBoundProcedure, name.span, text);
            let help = format!("declare the argument `class({})`, a scalar, or add `nopass`", def.name.as_str());
            self.reporter.report(d.secondary(self.defs.proc(id).span, "the procedure is here").help(help));
        }
    }

    fn check_bound_generic(&mut self, ty: TypeId, spec: &Generic, names: &[Name]) {
        let key = generic_key(spec);
        for name in names {
            let what = match self.defs.type_info(ty).bindings.get(&name.text) {
                Some(Binding::Procedure { .. }) => continue,
                Some(Binding::Generic(_)) => "is generic itself",
                Some(Binding::Pointer { .. }) => "is a component",
                None => "is not a type-bound procedure",
            };
            let text = format!("`{}` of generic `{key}` {what}", name.as_str());
            self.reporter.error::<()>(Code::BadTypeBoundProcedure, name.span, text);
        }
        let Some(Binding::Generic(all)) = self.defs.type_info(ty).bindings.get(&key) else { return };
        let all: Vec<Specific> = all.iter().filter_map(|name| self.specific(ty, name)).collect();
        let is_operation = matches!(spec, Generic::Operator(_) | Generic::Assignment(_));
        if is_operation {
            for one in all.iter().filter(|one| names.iter().any(|n| n.text == one.name)) {
                self.check_operation(spec, &key, one);
            }
        } else if matches!(spec, Generic::Name(_))
            && let Some(other) = all.iter().find(|s| self.is_function(s.id) != self.is_function(all[0].id))
        {
            let text = format!("generic `{key}` has functions and subroutines: `{}`, `{}`", all[0].name, other.name);
            self.reporter.error::<()>(Code::AmbiguousGeneric, generic_span(spec), text);
            return;
        }
        if matches!(spec, Generic::Io(_)) {
            return;
        }
        for (i, b) in all.iter().enumerate() {
            // What is inherited was looked at in the parent.
            let is_own = |s: &Specific| names.iter().any(|n| n.text == s.name);
            let others = all[..i].iter().filter(|a| a.name != b.name && (is_own(a) || is_own(b)));
            let Some(a) = others.clone().find(|a| self.are_ambiguous(a, b, is_operation)) else { continue };
            let text = format!("`{}` and `{}` of generic `{key}` take the same arguments", a.name, b.name);
            let span = names.iter().find(|n| n.text == b.name).map_or(generic_span(spec), |n| n.span);
            self.reporter.error::<()>(Code::AmbiguousGeneric, span, text);
            return;
        }
    }

    fn is_function(&self, id: ProcId) -> bool {
        self.defs.proc(id).is_function
    }

    /// Fortran 2018, C772 and 15.4.3.4.2: an operation is that of a function of one or two operands, an assignment is done by a
    /// subroutine of two arguments, and one of them is the object.
    fn check_operation(&mut self, spec: &Generic, key: &str, one: &Specific) {
        let p = self.defs.proc(one.id);
        let is_assignment = matches!(spec, Generic::Assignment(_));
        let what = if one.passed.is_none() { Some("is `nopass`") } else { p.cannot_define(is_assignment) };
        let Some(what) = what else { return self.check_operand_intents(one.id, key) };
        let text = format!("`{}` cannot define `{key}`: it {what}", one.name);
        self.reporter.error::<()>(Code::BadTypeBoundProcedure, generic_span(spec), text);
    }

    /// Whether a reference could mean both: the object aside in what is called by name.
    fn are_ambiguous(&self, a: &Specific, b: &Specific, is_operation: bool) -> bool {
        let dummies = |s: &Specific, skip: Option<usize>| -> Vec<&Variable> {
            let params = self.defs.proc(s.id).params.iter().enumerate();
            params.filter(|(at, _)| Some(*at) != skip).map(|(_, &v)| self.defs.var(v)).collect()
        };
        if self.is_function(a.id) != self.is_function(b.id) || self.defs.proc(a.id).kind != self.defs.proc(b.id).kind {
            return false;
        }
        if is_operation {
            return takes_the_same(self.defs, &dummies(a, None), &dummies(b, None), true);
        }
        let object = |s: &Specific| Some(self.defs.var(*self.defs.proc(s.id).params.get(s.passed?)?));
        if let (Some(x), Some(y)) = (object(a), object(b))
            && are_distinguishable(self.defs, x, y)
        {
            return false;
        }
        takes_the_same(self.defs, &dummies(a, a.passed), &dummies(b, b.passed), false)
    }
}
