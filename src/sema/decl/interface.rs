//! Interface blocks: explicit interfaces, generic names, operators and assignment.
//!
//! An interface body of an external procedure that the given files define stands for that definition.

use crate::checked::ProcId;
use crate::checker::{
    Checker, Described, Description, Entry, ImplicitRules, ScopeId, Sym, generic_key, generic_span, merged,
};
use crate::typing::Typing;
use ast::{DeclKind, Interface, InterfaceItem, InterfaceKind, Prefix, Subprogram};
use diag::{Code, Diagnostic};
use source::Span;
use std::sync::Arc;

impl<'a> Checker<'a> {
    /// Takes the interface bodies of a block in, and gives their procedures.
    pub(super) fn interface_bodies(&mut self, scope: ScopeId, block: &'a Interface) -> Vec<ProcId> {
        let is_abstract = matches!(block.kind, InterfaceKind::Abstract);
        let mut procs = Vec::new();
        for item in &block.items {
            if let InterfaceItem::Body(sub) = item {
                procs.extend(self.interface_body(scope, sub, is_abstract));
            }
        }
        procs
    }

    /// Takes an interface block in, whose interface bodies have become procedures. Any block may name those of all blocks.
    pub(super) fn interface_block(&mut self, scope: ScopeId, block: &'a Interface, mut specific: Vec<ProcId>) {
        for item in &block.items {
            match item {
                InterfaceItem::Body(_) => {}
                InterfaceItem::Names { module, names } => {
                    if !matches!(block.kind, InterfaceKind::Generic(_)) {
                        // Fortran 2018, 15.4.3.2.
                        let text = "a list of procedures stands in an interface block without a generic name";
                        self.reporter.error::<()>(Code::StatementOutOfPlace, block.span, text);
                        continue;
                    }
                    self.check_named_once(names);
                    for name in names {
                        if *module {
                            self.check_module_procedure(scope, name);
                        }
                        match self.find_from(scope, &name.text) {
                            Some(Sym::Proc(id)) => specific.push(id),
                            Some(Sym::Generic { procs, .. }) => {
                                // The generic and a specific procedure share the name.
                                let own = procs.iter().copied().find(|p| self.defs.proc(*p).name == name.text);
                                specific.extend(own);
                            }
                            Some(Sym::Intrinsic(_)) => specific.extend(self.intrinsic_procedure(name)),
                            Some(Sym::Error | Sym::Refused(_)) => {}
                            None if self.scopes.is_tainted(scope) => self.scopes.get_mut(scope).tainted = true,
                            None if self.typing().foreign(name.as_str()).is_some() => {}
                            _ => {
                                let near = self.typing().similar_from(scope, name.as_str());
                                let text = format!("there is no procedure `{}` here", name.as_str());
                                self.reporter.report(
                                    Diagnostic::new(Code::UnknownProcedure, name.span, text).suggest(near.as_deref()),
                                );
                            }
                        }
                    }
                }
            }
        }
        let InterfaceKind::Generic(generic) = &block.kind else { return };
        let key = generic_key(generic);
        self.add_generic(scope, &key, specific, generic_span(generic));
    }

    /// MODULE PROCEDURE names procedures of modules, no external ones (Fortran 2018, 15.4.3.2).
    fn check_module_procedure(&mut self, scope: ScopeId, name: &ast::Name) {
        let (what, id) = match self.find_from(scope, &name.text) {
            Some(Sym::Proc(id)) => ("an external procedure", Some(id)),
            Some(Sym::Generic { procs, .. }) => {
                if procs.iter().any(|p| self.defs.proc(*p).name == name.text) {
                    return;
                }
                ("a generic name", None)
            }
            Some(Sym::Intrinsic(_)) => ("an intrinsic procedure", None),
            _ => return,
        };
        if let Some(id) = id {
            let info = self.defs.proc_info(self.defs.proc(id).entry_of.unwrap_or(id));
            let is_separate = |sub: &Subprogram| sub.prefixes.iter().any(|p| matches!(p, Prefix::Module(_)));
            let is_of_module = self.scopes.get(info.scope).module.is_some()
                && info.ast.is_some_and(|sub| !info.is_interface || is_separate(sub));
            // Internal procedures are taken too, as by nvfortran.
            if is_of_module || info.embedded || self.defs.proc(id).parent.is_some() {
                return;
            }
        }
        let text = format!("`{}` is {what}, and `module procedure` names procedures of modules", name.as_str());
        let help = "write `procedure` instead, and name one procedure";
        if id.is_some() {
            // nvfortran takes what an interface body describes.
            self.typing().not_standard(Code::FormOfCompilers, name.span, text, help);
        } else {
            self.reporter.error_help::<()>(Code::UnknownProcedure, name.span, text, help);
        }
    }

    /// Adds specific procedures to a generic name of a scope.
    fn add_generic(&mut self, scope: ScopeId, key: &Arc<str>, procs: Vec<ProcId>, span: Span) {
        let is_function = |id: &ProcId| self.defs.proc(*id).is_function;
        if procs.iter().any(is_function) && !procs.iter().all(is_function) {
            // Fortran 2018, 15.4.3.4.1.
            let text = format!("generic `{key}` has functions and subroutines");
            self.reporter.error::<()>(Code::AmbiguousGeneric, span, text);
        }
        let new = Sym::Generic { procs, ty: None };
        let old = self.scopes.get(scope).names.get(key).map(|e: &Entry| e.sym.clone());
        let sym = match &old {
            None => new,
            Some(Sym::Proc(id)) => match new {
                // The specific procedure of the same name stays reachable through the generic, behind those that it names.
                Sym::Generic { mut procs, ty } => {
                    if !procs.contains(id) {
                        procs.push(*id);
                    }
                    Sym::Generic { procs, ty }
                }
                other => other,
            },
            Some(old @ (Sym::Generic { .. } | Sym::Type(_))) => merged(old, &new).unwrap_or(Sym::Error),
            Some(_) => {
                self.typing().name_is_taken(scope, key, span);
                return;
            }
        };
        self.scopes.define(scope, key, sym, span);
    }

    fn interface_body(&mut self, scope: ScopeId, sub: &'a Subprogram, is_abstract: bool) -> Option<ProcId> {
        let is_dummy = matches!(
            self.scopes.get(scope).names.get(&sub.name.text),
            Some(Entry { sym: Sym::Unresolved(at), .. }) if self.scopes.get(scope).declared[*at].dummy.is_some()
        );
        if let (Some(Some(label)), true) = (&sub.bind, is_abstract || is_dummy) {
            // Fortran 2018, C1554.
            let what = if is_dummy { "a dummy argument" } else { "an abstract interface" };
            let text = format!("`{}` is {what} and cannot have a binding label", sub.name.as_str());
            self.reporter.error_help::<()>(Code::NotInteroperable, label.span, text, "leave out `name=`");
        }
        if !is_abstract && self.scopes.get(scope).proc.is_some() {
            self.typing().check_device_name(&sub.name.text, sub.name.span)?;
        }
        let module = sub.prefixes.iter().find_map(|p| if let Prefix::Module(at) = p { Some(*at) } else { None });
        let is_module = module.is_some();
        let is_of_module = self.scopes.get(scope).module.is_some() && self.scopes.get(scope).proc.is_none();
        if let Some(at) = module.filter(|_| is_abstract || !is_of_module) {
            // Fortran 2018, C1547; in abstract interfaces compilers take it.
            let text = format!(
                "`module` before `{}` stands in interface bodies of modules only, and in no abstract one",
                sub.name.as_str()
            );
            let help = "leave out `module`";
            if is_of_module {
                self.typing().not_standard(Code::FormOfCompilers, at, text, help);
            } else {
                self.reporter.error_help::<()>(Code::AttributeConflict, at, text, help);
            }
        }
        if !is_abstract && !is_module {
            if let Some(id) = self.typing().linked_procedure(sub) {
                if self.scopes.get(scope).proc == Some(id) && self.is_result(scope, &sub.name) {
                    // The result is a procedure pointer, whose interface this is.
                    let body = self.interface_procedure(scope, sub, false);
                    self.name_interface(scope, sub, body);
                    return Some(body);
                }
                if self.scopes.get(scope).proc != Some(id) {
                    self.name_interface(scope, sub, id);
                    if self.link_interface(sub, id) {
                        let body = self.interface_procedure(scope, sub, false);
                        self.describe(id, Description::Body(body), sub.name.span);
                    }
                }
                return Some(id);
            }
        }
        let id = self.interface_procedure(scope, sub, is_module);
        self.defs.proc_info_mut(id).is_abstract = is_abstract;
        let own = self.defs.proc_info(id).scope;
        for d in &sub.decls {
            let DeclKind::Import(list) = &d.kind else { continue };
            for name in &list.names {
                if self.find_from(scope, &name.text).is_none() && !self.scopes.is_tainted(scope) {
                    // What a library's module would bring in is refused like any use of it.
                    let outer = std::mem::replace(&mut self.cx.scope, scope);
                    let refused = self.typing().foreign(&name.text);
                    self.cx.scope = outer;
                    if let Some(what) = refused {
                        let of_statement = self.reporter.take_refusal();
                        let _ = self.typing().refuse_foreign::<()>(&what, name.span);
                        self.reporter.restore_refusal(of_statement);
                        self.scopes.define(own, &name.text, Sym::Refused(what), name.span);
                        continue;
                    }
                    let text = format!("the host scope has no `{}` to import", name.as_str());
                    self.reporter.error::<()>(Code::BadImport, name.span, text);
                }
            }
        }
        if is_module {
            if let Some(Entry { sym: Sym::Proc(_), module: None, span: first }) =
                self.scopes.get(scope).names.get(&sub.name.text)
            {
                let first = *first;
                let text = format!(
                    "`{}` has the interface of a separate procedure and is defined without `module`",
                    sub.name.as_str()
                );
                let d =
                    Diagnostic::new(Code::BadSubmodule, first, text).secondary(sub.name.span, "the interface is here");
                self.reporter.report(d.help("write `module` in front of the definition, or remove the interface"));
            }
            self.scopes.define(scope, &sub.name.text, Sym::Proc(id), sub.name.span);
        } else {
            self.name_interface(scope, sub, id);
        }
        Some(id)
    }

    /// Whether a name is that of the result of the function whose scope it is.
    fn is_result(&self, scope: ScopeId, name: &ast::Name) -> bool {
        match self.scopes.get(scope).names.get(&name.text) {
            Some(Entry { sym: Sym::Unresolved(at), .. }) => self.scopes.get(scope).declared[*at].result,
            _ => false,
        }
    }

    /// Makes a procedure of an interface body.
    fn interface_procedure(&mut self, scope: ScopeId, sub: &'a Subprogram, is_module: bool) -> ProcId {
        let import = sub.decls.iter().any(|d| matches!(&d.kind, DeclKind::Import(import) if !import.is_none));
        let module = self.scopes.get(scope).module.clone();
        let id = self.add_procedure(sub, (import || is_module).then_some(scope), None, module);
        self.defs.proc_info_mut(id).is_interface = true;
        self.check_interface_statements(sub);
        if !is_module {
            let own = self.defs.proc_info(id).scope;
            if !import {
                self.scopes.get_mut(own).host = Some(scope);
            }
            // Fortran 2018, 8.7: IMPORT or not, the rules of the host do not hold in an interface body.
            let options = self.options_in(own);
            self.scopes.get_mut(own).implicit =
                Some(ImplicitRules::standard(options.integer_kind(), options.real_kind()));
        }
        id
    }

    /// An interface body describes a procedure: it defines nothing (Fortran 2018, 15.4.3.2).
    fn check_interface_statements(&mut self, sub: &'a Subprogram) {
        let of_body = sub.body.iter().filter_map(|s| match &s.kind {
            ast::StmtKind::Entry { .. } => Some(("an `entry` statement", s.span)),
            ast::StmtKind::Declaration(d) if matches!(d.kind, DeclKind::Data(_)) => {
                Some(("a `data` statement", s.span))
            }
            _ => None,
        });
        let of_decls = sub.decls.iter().filter_map(|d| match &d.kind {
            DeclKind::Data(_) => Some(("a `data` statement", d.span)),
            DeclKind::StatementFunction { .. } => Some(("a statement function", d.span)),
            DeclKind::Format { .. } => Some(("a `format` statement", d.span)),
            _ => None,
        });
        for (what, span) in of_body.chain(of_decls) {
            let text = format!("an interface body cannot have {what}");
            self.reporter.error::<()>(Code::StatementOutOfPlace, span, text);
        }
    }

    /// Notes what is said of a procedure where it is not defined, for the comparison with its definition.
    pub(crate) fn describe(&mut self, of: ProcId, by: Description, span: Span) {
        if let Description::Body(body) | Description::Separate(body) = &by {
            let unique = format!("{}.interface.{}", self.defs.proc(*body).qualified, body.0);
            self.defs.proc_mut(*body).qualified = unique.into();
        }
        if !self.made.described.iter().any(|d| d.of == of && d.span == span) {
            self.made.described.push(Described { of, by, span });
        }
    }

    /// Takes the names from the procedures that only served a comparison.
    pub(crate) fn hide_descriptions(&mut self, described: &[Described]) {
        for d in described {
            if let Description::Body(body) | Description::Separate(body) = d.by {
                self.defs.proc_mut(body).name = self.defs.proc(body).qualified.clone();
            }
        }
    }

    /// Compares an interface body with the definition that it stands for, and takes over what only the body can say.
    /// Whether more is to be compared.
    fn link_interface(&mut self, sub: &'a Subprogram, id: ProcId) -> bool {
        let Some(tree) = self.defs.proc_info(id).ast else { return false };
        let d = if tree.kind != sub.kind {
            Some(format!("interface and definition of `{}` are not the same kind of procedure", sub.name.as_str()))
        } else if tree.args.len() != sub.args.len() {
            let (a, b) = (sub.args.len(), tree.args.len());
            Some(format!("interface of `{}` has {a} arguments, its definition has {b}", sub.name.as_str()))
        } else {
            None
        };
        let is_alike = d.is_none();
        if let Some(text) = d {
            let d = Diagnostic::new(Code::InterfaceMismatch, sub.name.span, text);
            self.reporter.report(d.secondary(tree.name.span, "the definition is here"));
        }
        for d in &sub.decls {
            let DeclKind::IgnoreTkr(list) = &d.kind else { continue };
            for (letters, name) in list {
                let Some(at) = sub.args.iter().position(|a| a.text == name.text) else { continue };
                let letters: Arc<str> =
                    if letters.is_empty() { "tkrdma".into() } else { letters.to_lowercase().into() };
                let param = self.defs.proc(id).params.get(at).copied();
                match param {
                    Some(var) => self.defs.var_mut(var).attrs.ignore_tkr = letters,
                    None => self.defs.proc_info_mut(id).ignored.push((at, letters)),
                }
            }
        }
        is_alike
    }

    /// Gives the name of an interface body its meaning: that of a dummy procedure, or of an external one.
    fn name_interface(&mut self, scope: ScopeId, sub: &'a Subprogram, id: ProcId) {
        match self.scopes.get(scope).names.get(&sub.name.text).map(|e| e.sym.clone()) {
            Some(Sym::Unresolved(_)) if self.defs.proc_info(id).is_abstract => {
                // Fortran 2018, 15.4.3.2.
                let text = format!("`{}` is an abstract interface and nothing else in this scope", sub.name.as_str());
                let help = "give the interface another name, and declare with `procedure(…)`";
                self.reporter.error_help::<()>(Code::ConflictingDeclaration, sub.name.span, text, help);
                self.scopes.set_sym(scope, &sub.name.text, Sym::Error);
            }
            Some(Sym::Unresolved(at)) => self.scopes.get_mut(scope).declared[at].interface = Some(id),
            Some(Sym::Proc(old)) if old == id => {}
            None => self.scopes.define(scope, &sub.name.text, Sym::Proc(id), sub.name.span),
            // A generic of this name that does not list it hides it: it is reached through its own generic only.
            Some(Sym::Generic { .. }) => {}
            Some(_) => self.typing().name_is_taken(scope, &sub.name.text, sub.name.span),
        }
    }
}

impl Typing<'_> {
    fn similar_from(&self, scope: ScopeId, name: &str) -> Option<String> {
        let names = self.scopes.get(scope).names.all();
        let procs = names.filter(|(_, e)| matches!(e.sym, Sym::Proc(_))).map(|(n, _)| &**n);
        diag::nearest_name(name, procs).map(str::to_owned)
    }

    /// The procedure of the program that an interface body describes: by the binding label if it has one, which is that of an external
    /// procedure or of one of a module (Fortran 2018, 18.10.2), else the external one of its name.
    fn linked_procedure(&self, sub: &Subprogram) -> Option<ProcId> {
        let Some(wanted) = label_of(sub) else { return self.scopes.own_external(&sub.name.text) };
        let is_this = |id: &ProcId| {
            let info = self.defs.proc_info(*id);
            let is_inner = self.defs.proc(*id).parent.is_some();
            !info.is_interface && !info.embedded && !is_inner && info.ast.and_then(label_of) == Some(wanted)
        };
        self.defs
            .proc_ids()
            .find(is_this)
            .or_else(|| self.scopes.own_external(wanted).filter(|_| wanted == &*sub.name.text))
    }
}

/// The binding label of a subprogram, where it is written as a literal or is its name.
fn label_of(sub: &Subprogram) -> Option<&str> {
    match sub.bind.as_ref()? {
        None => Some(&sub.name.text),
        Some(ast::Expr { kind: ast::ExprKind::Char { value, .. }, .. }) => Some(value.trim()),
        Some(_) => None,
    }
}
