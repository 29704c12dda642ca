//! Defined input/output (Fortran 2018, 12.6.4.8): which objects of a statement a procedure of the program transfers, and
//! whether a procedure may be one of those.
//!
//! The procedures of a statement are listed by type: those of the types of its items, and of the types of components at any
//! depth of items that have none themselves.
//!
//! Not here: what the statement and the procedure's own statements have to do with each other (`host::io::child`).

use crate::checked::{CharLen, DefinedIo, Field, ProcId, Shape, Storage, Type, TypeId, Variable};
use crate::checker::{Binding, Checker, Sym};
use crate::typing::Typing;
use ast::Intent;
use diag::{Code, Diagnostic};
use source::Span;
use std::sync::Arc;

impl Checker<'_> {
    /// Lists the procedures that transfer an object of a type or its components. `is_class` says that the object has a dynamic
    /// type of its own.
    pub(super) fn list_defined(&mut self, id: TypeId, is_class: bool, key: &str, span: Span, out: &mut Vec<DefinedIo>) {
        if !is_class && out.iter().any(|d| d.ty == id) {
            return;
        }
        self.resolve_type(id);
        if let Some(proc) = self.defined_transfer(id, is_class, key) {
            // One that goes by the dynamic type does for all objects of the declared type.
            out.retain(|d| d.ty != id);
            if self.check_call(proc, span).is_some() {
                out.push(DefinedIo { ty: id, proc });
            }
            return;
        }
        let of_field = |f: &Field| match f.ty {
            Type::Derived(part) if !f.pointer && !f.is_allocatable() => Some(part),
            _ => None,
        };
        let parts: Vec<TypeId> = self.defs.ty(id).fields.iter().filter_map(of_field).collect();
        for part in parts {
            self.list_defined(part, false, key, span, out);
        }
    }

    /// The procedure that transfers objects of a type: bound to it or to a type that it extends, or of an interface.
    fn defined_transfer(&mut self, id: TypeId, is_class: bool, key: &str) -> Option<ProcId> {
        if let Some(Binding::Generic(names)) = self.defs.type_info(id).bindings.get(key).cloned() {
            for name in names {
                let Some(Binding::Procedure { name: target, nopass: false, pass, scope, .. }) =
                    self.defs.type_info(id).bindings.get(&name).cloned()
                else {
                    continue;
                };
                let Some(Sym::Proc(proc)) = self.find_from(scope, &target) else { continue };
                self.resolve_interface(proc);
                if !self.transfers(proc, id) {
                    continue;
                }
                return Some(if is_class { self.dispatcher(id, &name, proc, false, pass.as_ref()) } else { proc });
            }
        }
        let Some(Sym::Generic { procs, .. }) = self.find(key) else { return None };
        procs.into_iter().find(|&proc| {
            self.resolve_interface(proc);
            self.transfers(proc, id)
        })
    }

    /// Whether the object of a procedure may be of a type.
    fn transfers(&self, proc: ProcId, id: TypeId) -> bool {
        let Some(&object) = self.defs.proc(proc).params.first() else { return false };
        let var = self.defs.var(object);
        if self.defs.var_info(object).polymorphic {
            self.defs.class_takes(&var.ty, &Type::Derived(id))
        } else {
            matches!(var.ty, Type::Derived(own) if own == id)
        }
    }
}

/// What an argument of such a procedure must be.
#[derive(Clone, Copy)]
enum Dummy {
    Object,
    Integer(Intent),
    Characters(Intent),
    Values,
}

impl Typing<'_> {
    /// Checks the procedures of `read(formatted)` and kin, type-bound and of interfaces.
    pub(crate) fn check_defined_transfers(&mut self) {
        let mut found: Vec<(ProcId, Arc<str>, Option<TypeId>)> = Vec::new();
        for data in self.scopes.all() {
            for (name, entry) in data.names.own() {
                if let (Sym::Generic { procs, .. }, true, None) = (&entry.sym, is_transfer(name), &entry.module) {
                    found.extend(procs.iter().map(|p| (*p, name.clone(), None)));
                }
            }
        }
        for ty in self.defs.type_ids() {
            for (key, binding) in &self.defs.type_info(ty).bindings {
                let Binding::Generic(names) = binding else { continue };
                if is_transfer(key) {
                    let methods = &self.defs.ty(ty).methods;
                    found.extend(names.iter().filter_map(|n| Some((*methods.get(n)?, key.clone(), Some(ty)))));
                }
            }
        }
        found.sort_by_key(|f| f.0);
        found.dedup_by_key(|f| f.0);
        for (proc, key, _) in found {
            let info = self.defs.proc_info(proc);
            if info.embedded || info.is_broken || info.refused.is_some() || info.unknown_dummies {
                continue;
            }
            let Some((span, what)) = self.wrong_transfer(proc, &key) else { continue };
            let name = &self.defs.proc(proc).name;
            let text = format!("`{name}` cannot be `{key}`: {what}");
            let list = if key.ends_with("(formatted)") {
                "(dtv, unit, iotype, v_list, iostat, iomsg)"
            } else {
                "(dtv, unit, iostat, iomsg)"
            };
            let help = format!("the arguments of such a subroutine are {list}, as Fortran 2018, 12.6.4.8.2 has them");
            self.reporter.report(Diagnostic::new(Code::BadDefinedTransfer, span, text).help(help));
        }
    }

    /// What keeps a procedure from being called by input and output statements, and where (Fortran 2018, 12.6.4.8.2).
    fn wrong_transfer(&self, proc: ProcId, key: &str) -> Option<(Span, String)> {
        use Dummy::{Characters, Integer, Object, Values};
        let p = self.defs.proc(proc);
        if p.is_function {
            return Some((p.span, "it is a function".to_owned()));
        }
        let formatted = [
            Object,
            Integer(Intent::In),
            Characters(Intent::In),
            Values,
            Integer(Intent::Out),
            Characters(Intent::InOut),
        ];
        let unformatted = [Object, Integer(Intent::In), Integer(Intent::Out), Characters(Intent::InOut)];
        let wanted: &[Dummy] = if key.ends_with("(formatted)") { &formatted } else { &unformatted };
        if p.params.len() != wanted.len() {
            return Some((p.span, format!("it has {} arguments, not {}", p.params.len(), wanted.len())));
        }
        let is_read = key.starts_with("read");
        let default = self.options.integer_kind();
        for (&param, &want) in p.params.iter().zip(wanted) {
            let var = self.defs.var(param);
            let is_plain = !var.attrs.allocatable && !var.attrs.pointer && !var.attrs.optional && !var.attrs.value;
            let is_scalar = matches!(var.shape, Shape::Scalar) && !matches!(var.storage, Storage::Procedure);
            let intent = |i: Intent| var.attrs.intent == Some(i);
            let is_right = is_plain
                && match want {
                    Object => {
                        let is_class = self.defs.var_info(param).polymorphic;
                        is_scalar
                            && intent(if is_read { Intent::InOut } else { Intent::In })
                            && matches!(var.ty, Type::Derived(id) if self.is_closed(id) != is_class)
                    }
                    Integer(i) => is_scalar && intent(i) && is_default(var, default),
                    Characters(i) => is_scalar && intent(i) && matches!(var.ty, Type::Character(CharLen::Assumed)),
                    Values => {
                        matches!(&var.shape, Shape::AssumedShape(lower) if lower.len() == 1)
                            && intent(Intent::In)
                            && is_default(var, default)
                    }
                };
            if !is_right {
                let what = match want {
                    Object if is_read => {
                        "an object of the type, `class(…)` unless it cannot be extended, with `intent(inout)`"
                    }
                    Object => "an object of the type, `class(…)` unless it cannot be extended, with `intent(in)`",
                    Integer(Intent::Out) => "a default integer with `intent(out)`",
                    Integer(_) => "a default integer with `intent(in)`",
                    Characters(Intent::In) => "`character(*), intent(in)`",
                    Characters(_) => "`character(*), intent(inout)`",
                    Values => "`integer, intent(in) :: v_list(:)`",
                };
                return Some((var.span, format!("argument `{}` must be {what}", var.name)));
            }
        }
        None
    }

    /// Whether a type cannot be extended.
    fn is_closed(&self, id: TypeId) -> bool {
        self.defs.type_info(id).ast.is_some_and(|def| def.sequence || def.bind_c)
    }
}

/// Whether the name of a generic is that of a transfer.
fn is_transfer(key: &str) -> bool {
    matches!(key, "read(formatted)" | "write(formatted)" | "read(unformatted)" | "write(unformatted)")
}

fn is_default(var: &Variable, kind: u8) -> bool {
    matches!(var.ty, Type::Integer(k) if k == kind)
}
