//! References to external procedures without an explicit interface (Fortran 2018, 15.4.2; CUDA Fortran guide, rules 29 and 30).
//!
//! The compiler of the call does not know the dummies, so that what is given reaches the procedure as memory, whatever its type.
//! Not here: how arguments fit in general (`fit`), and procedures that no file defines (`library`).

use crate::checked::{CharLen, Expr, ExprKind, ProcId, ProcKind, Program, Shape, Storage, Type, VarId, Variable};
use crate::checker::{Checker, Description, Entry, ScopeId, Sym};
use crate::typing::{
    Argument, Fit, Given, Typing, difference_but_for_intents, difference_but_for_memory, is_numeric, is_plain,
    same_type, type_name,
};
use ast::{Intent, Name};
use diag::{Code, Diagnostic};
use source::Span;
use std::sync::Arc;

impl Checker<'_> {
    /// The type, if any, that a scope declares for a name that it declares `external` without an interface. The scope may be
    /// that of a module that is used.
    pub(super) fn declared_external(&self, name: &Name) -> Option<&Option<Type>> {
        self.made.declared_external.get(&self.external_declaration(name)?)
    }

    /// The scope that declares a name `external`, and the name that it has there.
    fn external_declaration(&self, name: &Name) -> Option<(ScopeId, Arc<str>)> {
        let (mut scope, mut name) = (Some(self.cx.scope), name.text.clone());
        while let Some(at) = scope {
            if self.made.declared_external.contains_key(&(at, name.clone())) {
                return Some((at, name));
            }
            scope = match self.scopes.get(at).names.get(&name) {
                None => self.scopes.get(at).parent,
                Some(Entry { sym: Sym::Proc(id), module: Some(module), .. }) => {
                    let of_module = self.scopes.module(self.scopes.module_named(module)?).scope;
                    let names = &self.scopes.get(of_module).names;
                    let is_it = |entry: &Entry| matches!(entry.sym, Sym::Proc(other) if other == *id);
                    let own = &self.defs.proc(*id).name;
                    name = match names.get(own) {
                        Some(entry) if is_it(entry) => own.clone(),
                        // The module has renamed it.
                        _ => names.own().find(|(_, entry)| is_it(entry))?.0.clone(),
                    };
                    Some(of_module)
                }
                Some(_) => None,
            };
        }
        None
    }

    /// A function that is declared `external` and nothing else has the type that IMPLICIT gives its name where it is
    /// declared.
    pub(super) fn describe_implicit(&mut self, id: ProcId, name: &Name) {
        let Some((scope, declared)) = self.external_declaration(name) else { return };
        let is_untyped =
            matches!(self.declared_external(name), Some(None)) && self.scopes.external(&declared) == Some(id);
        let is_own = self.cx.proc == Some(self.defs.proc(id).entry_of.unwrap_or(id));
        if !is_untyped || is_own || self.defs.proc_info(id).embedded {
            return;
        }
        // By the rules of the scope that declares it (Fortran 2018, 8.7).
        if let Some(ty) = self.scopes.implicit_type(scope, &declared) {
            self.describe(id, Description::Result(ty), name.span);
        }
    }

    /// A reference to a procedure, which has no explicit interface if its name is declared `external`.
    pub(crate) fn by_interface_of<T>(
        &mut self,
        id: ProcId,
        name: &Name,
        reference: impl FnOnce(&mut Self) -> Option<T>,
    ) -> Option<T> {
        if self.declared_external(name).is_some() {
            self.by_implicit_interface(id, name, reference)
        } else {
            reference(self)
        }
    }

    /// Checks a reference to a procedure without an explicit interface.
    pub(crate) fn by_implicit_interface<T>(
        &mut self,
        id: ProcId,
        name: &Name,
        reference: impl FnOnce(&mut Self) -> Option<T>,
    ) -> Option<T> {
        self.check_implicit_interface(id, name)?;
        let outer = self.cx.implicit_interface.replace(id);
        let result = reference(self);
        self.cx.implicit_interface = outer;
        result
    }

    /// Under `implicit none (external)` a procedure without an explicit interface is declared EXTERNAL (Fortran 2018, 8.7).
    pub(crate) fn check_is_external(&mut self, name: &Name) -> Option<()> {
        let is_free = !self.scopes.implicit_rules(self.cx.scope).declares_externals();
        if is_free || self.external_declaration(name).is_some() {
            return Some(());
        }
        self.typing().undeclared_external(name.as_str(), name.span)
    }

    /// Checks that a procedure may be referred to without an explicit interface (rules 29 and 30).
    fn check_implicit_interface(&mut self, id: ProcId, name: &Name) -> Option<()> {
        self.resolve_interface(id);
        // Inside a function the interfaces of its entries are known.
        let is_own = self.defs.proc(id).entry_of.is_some_and(|of| self.cx.proc == Some(of));
        if self.defs.proc_info(id).embedded || is_own {
            return Some(());
        }
        self.check_is_external(name)?;
        let help = "put it into a module, or write an interface block";
        let p = self.defs.proc(id);
        let is_kernel = p.kind == ProcKind::Kernel;
        let result = p.result.map(|r| self.defs.var(r));
        let gives = result.and_then(|r| {
            if r.shape.rank() > 0 {
                Some("gives an array")
            } else if r.attrs.pointer || r.attrs.allocatable {
                Some("gives a pointer or an allocatable object")
            } else {
                matches!(r.ty, Type::Character(CharLen::Expr(_))).then_some("gives characters of a computed length")
            }
        });
        if let Some(what) = gives.or(p.elemental.then_some("is elemental")) {
            let text = format!("`{}` {what} and needs an explicit interface", name.as_str());
            return self.reporter.error_help(Code::ExplicitInterfaceRequired, name.span, text, help);
        }
        for param in p.params.clone() {
            let var = self.defs.var(param);
            let dummy = var.name.clone();
            if var.attrs.value && !is_kernel {
                let text =
                    format!("`{}` has the `value` argument `{dummy}` and needs an explicit interface", name.as_str());
                return self.reporter.error_help(Code::ValueDummyImplicitInterface, name.span, text, help);
            }
            let what = if matches!(var.shape, Shape::AssumedShape(_)) {
                Some("assumed-shape")
            } else if matches!(var.shape, Shape::AssumedRank) {
                Some("assumed-rank")
            } else if self.defs.var_info(param).polymorphic {
                Some("polymorphic")
            } else if var.attrs.volatile {
                Some("volatile")
            } else if var.attrs.optional {
                Some("optional")
            } else if var.attrs.allocatable {
                Some("allocatable")
            } else if var.attrs.pointer {
                Some("pointer")
            } else {
                None
            };
            if let Some(what) = what {
                let text =
                    format!("`{}` has the {what} argument `{dummy}` and needs an explicit interface", name.as_str());
                return self.reporter.error_help(Code::ExplicitInterfaceRequired, name.span, text, help);
            }
            if var.attrs.cuda.is_some() && !is_kernel {
                let text =
                    format!("`{}` has the device argument `{dummy}` and no explicit interface here", name.as_str());
                self.reporter.report(Diagnostic::new(Code::DeviceArgumentWithoutInterface, name.span, text).help(help));
            }
        }
        if is_kernel {
            // nvfortran takes what the chevrons and the arguments say.
            let text = format!("kernel `{}` is launched without an explicit interface", name.as_str());
            self.reporter.report(Diagnostic::new(Code::KernelWithoutInterface, name.span, text).help(help));
        }
        Some(())
    }

    /// Takes what has another type or rank than its dummy where the call has no interface, or one that says otherwise, and both are
    /// plain memory: nvfortran does not compare them. A value is passed in memory of its own size.
    pub(super) fn take_as_memory(
        &self,
        fit: &mut Fit,
        dummy: &Variable,
        e: &Expr,
        wrong: Box<Diagnostic>,
    ) -> Result<(), Box<Diagnostic>> {
        let is_sequence = matches!(dummy.shape, Shape::Scalar | Shape::Explicit(_) | Shape::AssumedSize(..));
        let is_memory = is_sequence && !dummy.attrs.class && !dummy.attrs.value && !matches!(e.kind, ExprKind::Null);
        let fits = same_type(&dummy.ty, &e.ty) || (is_plain(&self.defs, &dummy.ty) && is_plain(&self.defs, &e.ty));
        if !is_memory || !fits {
            return Err(wrong);
        }
        if self.cx.implicit_interface != Some(fit.proc) {
            // What is wrong is said of the interface.
            return if self.is_described_otherwise(fit.proc) { Ok(()) } else { Err(wrong) };
        }
        let is_array = wrong.code == Code::ArgumentRank;
        // Of the run-time library such a dummy stands for a scalar too.
        if is_array && matches!(dummy.shape, Shape::AssumedSize(..)) && self.defs.proc_info(fit.proc).embedded {
            return Ok(());
        }
        let (code, what) = if is_array {
            (Code::ImplicitArgumentRank, wrong.message)
        } else {
            let (wanted, given) = (type_name(&self.defs, &dummy.ty), type_name(&self.defs, &e.ty));
            (Code::ImplicitArgumentType, format!("argument `{}` is `{wanted}`, and `{given}` is given", dummy.name))
        };
        let text = format!("{what}: without an interface its memory is passed as it is");
        let d = Diagnostic::new(code, wrong.primary.span, text);
        // The user does not have the sources of embedded modules.
        let is_shown = !self.options.embedded.contains(&dummy.span.file);
        fit.warnings.push(if is_shown { d.secondary(dummy.span, "declared here") } else { d });
        Ok(())
    }

    /// Whether an interface says `intent(in)` of a dummy of which the definition says something else.
    pub(super) fn is_described_as_input(&self, id: ProcId, param: VarId) -> bool {
        let at = self.defs.proc(id).params.iter().position(|&p| p == param);
        self.made.described.iter().filter(|d| d.of == id).any(|d| match d.by {
            Description::Body(body) => {
                let said = at.and_then(|at| self.defs.proc(body).params.get(at));
                said.is_some_and(|&said| self.defs.var(said).attrs.intent == Some(Intent::In))
            }
            Description::Separate(_) | Description::Result(_) => false,
        })
    }

    /// Whether an interface describes a procedure with other types or ranks of its arguments than the definition has, which takes
    /// them as memory all the same.
    fn is_described_otherwise(&self, id: ProcId) -> bool {
        self.made.described.iter().filter(|d| d.of == id).any(|d| match d.by {
            Description::Body(body) => {
                difference_but_for_intents(&self.defs, id, body).is_some()
                    && difference_but_for_memory(&self.defs, id, body).is_none()
            }
            Description::Separate(_) | Description::Result(_) => false,
        })
    }
}

/// Whether `%val` gives a dummy without VALUE its memory: the address is what a reference passes.
pub(super) fn is_memory_at(program: &Program, dummy: &Variable, arg: &Argument) -> bool {
    let is_address = matches!(&arg.given, Given::Expr(e) if matches!(e.ty, Type::Integer(8)) && e.rank == 0);
    let attrs = &dummy.attrs;
    let is_sequence = matches!(dummy.shape, Shape::Scalar | Shape::Explicit(_) | Shape::AssumedSize(..));
    let is_described = attrs.class || attrs.optional || attrs.allocatable || attrs.pointer || attrs.value;
    let is_plain = is_numeric(&dummy.ty)
        || matches!(dummy.ty, Type::Logical(_))
        || matches!(dummy.ty, Type::Derived(id) if program.ty(id).params.is_empty());
    is_address && is_sequence && !is_described && is_plain && !matches!(dummy.storage, Storage::Procedure)
}

impl Typing<'_> {
    /// Reports a procedure that `implicit none (external)` asks a declaration of.
    pub(crate) fn undeclared_external<T>(&mut self, name: &str, span: Span) -> Option<T> {
        let text =
            format!("`{name}` has neither an explicit interface nor `external`, and `implicit none (external)` holds");
        let help = "put it into a module, write an interface block, or declare it `external`";
        self.reporter.error_help(Code::UndeclaredName, span, text, help)
    }
}
