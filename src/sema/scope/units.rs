//! Program units: finding them, and resolving modules in the order in which they use each other.

use crate::checker::{Checker, CodeSide, Context, Module, ModuleId, Resolution, ScopeData};
use ast::{DeclKind, Declaration, Subprogram, UnitKind};
use diag::{Code, Diagnostic};
use source::Span;
use std::collections::BTreeSet;
use std::sync::Arc;

impl<'a> Checker<'a> {
    /// Finds all units and makes their scopes and procedures.
    pub(crate) fn collect_units(&mut self, program: &'a ast::Program) {
        let mut main: Option<Span> = None;
        for unit in &program.units {
            self.defs.note_extended(extended_types(&unit.kind));
            match &unit.kind {
                UnitKind::Module { name, ancestor, parent, uses, decls, procedures } => {
                    let module = Some(name.text.clone());
                    let scope = self.scopes.add(ScopeData { module, ..ScopeData::default() });
                    if let Some(first) = self.scopes.module_named(&name.text) {
                        let first = self.scopes.module(first).span;
                        self.reporter.report(
                            Diagnostic::new(
                                Code::DuplicateUnit,
                                name.span,
                                format!("module `{name}` is defined twice", name = name.as_str()),
                            )
                            .secondary(first, "first defined here")
                            .help("if one of them is meant for other options, do not give its file, or define its macros with `-D`"),
                        );
                        continue;
                    }
                    self.scopes.add_module(Module {
                        name: name.text.clone(),
                        span: name.span,
                        ancestor: parent.as_ref().or(ancestor.as_ref()),
                        embedded: self.options.embedded.contains(&unit.span.file),
                        uses,
                        decls,
                        procedures,
                        scope,
                        state: Resolution::Untouched,
                        exports: Arc::default(),
                    });
                }
                UnitKind::Main(sub) => {
                    if let Some(first) = main {
                        self.reporter.report(
                            Diagnostic::new(Code::SeveralMainPrograms, sub.name.span, "there is a second main program")
                                .secondary(first, "the first one is here")
                                .help("give the files of one program only"),
                        );
                        continue;
                    }
                    main = Some(sub.name.span);
                    let id = self.add_procedure(sub, None, None, None);
                    self.defs.set_main(id);
                }
                UnitKind::External(sub) if self.options.embedded.contains(&unit.span.file) => {
                    let id = self.add_procedure(sub, None, None, None);
                    self.scopes.add_library_procedure(&sub.name.text, id);
                }
                UnitKind::External(sub) => {
                    if let Some(first) = self.scopes.own_external(&sub.name.text) {
                        // A procedure with a binding label is known by that, not by its name (Fortran 2018, 19.2).
                        let other = self.defs.proc_info(first).ast.and_then(label_of);
                        if let Some(label) = label_of(sub).filter(|label| other.is_some_and(|other| other != *label)) {
                            let id = self.add_procedure(sub, None, None, None);
                            let key: Arc<str> = format!("{}${label}", sub.name.as_str()).into();
                            self.defs.proc_mut(id).qualified = key.clone();
                            self.scopes.add_external(&key, id);
                            continue;
                        }
                        let first = self.defs.proc(first).span;
                        let text = format!("procedure `{}` is defined twice", sub.name.as_str());
                        self.reporter.report(
                            Diagnostic::new(Code::DuplicateUnit, sub.name.span, text)
                                .secondary(first, "first defined here"),
                        );
                        continue;
                    }
                    let id = self.add_procedure(sub, None, None, None);
                    self.scopes.add_external(&sub.name.text, id);
                    for (entry, name) in self.entry_names(id) {
                        if let Some(first) = self.scopes.own_external(&name.text) {
                            let first = self.defs.proc(first).span;
                            let text = format!("procedure `{}` is defined twice", name.as_str());
                            self.reporter.report(
                                Diagnostic::new(Code::DuplicateUnit, name.span, text)
                                    .secondary(first, "first defined here"),
                            );
                            continue;
                        }
                        self.scopes.add_external(&name.text, entry);
                    }
                }
                UnitKind::BlockData { .. } => {}
            }
        }
        if self.options.needs_main && main.is_none() {
            let span = program
                .units
                .iter()
                .rfind(|u| !self.options.embedded.contains(&u.span.file))
                .map_or(Span::NONE, |u| u.end);
            self.reporter.report(
                Diagnostic::new(Code::NoMainProgram, span, "there is no main program in the given files")
                    .help("add a `program` unit, or give the file that has it"),
            );
        }
    }

    /// Resolves block data units, whose variables are those of COMMON blocks.
    pub(crate) fn resolve_block_data(&mut self, program: &'a ast::Program) {
        for unit in &program.units {
            let UnitKind::BlockData { uses, decls, .. } = &unit.kind else { continue };
            let scope = self.scopes.add(ScopeData::default());
            let cx = Context::new(scope, None, CodeSide::Host);
            self.within(cx, |c| {
                c.use_modules(scope, uses);
                c.collect_declarations(scope, decls);
                c.resolve_scope(scope);
                c.late_declarations(scope, decls);
                c.check_block_data(scope, decls);
                c.reporter.take_refusal();
            });
        }
    }

    /// Resolves all modules.
    pub(crate) fn resolve_modules(&mut self) {
        // The embedded modules come first: others may need their types without using them.
        for embedded in [true, false] {
            for at in self.scopes.module_ids() {
                if self.scopes.module(at).embedded == embedded {
                    self.resolve_module(at, Span::NONE);
                }
            }
        }
        for at in self.scopes.module_ids() {
            if let Some(ancestor) = self.scopes.module(at).ancestor {
                if self.scopes.module_named(&ancestor.text).is_none() {
                    let text = format!("no file defines module `{}`", ancestor.as_str());
                    self.reporter.report(Diagnostic::new(Code::BadSubmodule, ancestor.span, text));
                }
            }
        }
    }

    /// Resolves a module and what it uses; `from` is the statement that asks for it.
    pub(crate) fn resolve_module(&mut self, at: ModuleId, from: Span) {
        match self.scopes.module(at).state {
            Resolution::Done => return,
            Resolution::InProgress => {
                let text = format!("module `{}` uses itself, directly or through others", self.scopes.module(at).name);
                self.reporter.report(
                    Diagnostic::new(Code::CircularUse, from, text).help("move what both modules need into a third one"),
                );
                return;
            }
            Resolution::Untouched => {}
        }
        let span = self.scopes.module(at).span;
        if !self.enter_dependency(if from.is_none() { span } else { from }) {
            return;
        }
        self.scopes.module_mut(at).state = Resolution::InProgress;
        let (scope, uses, decls, procedures) = {
            let m = &self.scopes.module(at);
            (m.scope, m.uses, m.decls, m.procedures)
        };
        if let Some(ancestor) = self.scopes.module(at).ancestor
            && let Some(parent) = self.scopes.module_named(&ancestor.text)
        {
            self.resolve_module(parent, ancestor.span);
            let parent = self.scopes.module(parent).scope;
            self.scopes.get_mut(scope).parent = Some(parent);
        }
        let name = self.scopes.module(at).name.clone();
        let module = name.clone();
        let cx = Context::new(scope, None, CodeSide::Host);
        self.within(cx, |c| {
            c.use_modules(scope, uses);
            c.declare_procedures(scope, procedures, None, (Some(module), decls));
            c.collect_declarations(scope, decls);
            c.join_procedures(scope, procedures);
            c.declare_accessed(scope, decls);
            c.resolve_scope(scope);
            c.late_declarations(scope, decls);
            c.reporter.take_refusal();
        });
        self.scopes.module_mut(at).exports = Arc::new(self.scopes.exports(scope, &name));
        self.scopes.module_mut(at).state = Resolution::Done;
        self.leave_dependency();
        if self.scopes.module(at).ancestor.is_none() {
            let (name, embedded) = (self.scopes.module(at).name.clone(), self.scopes.module(at).embedded);
            self.defs.add_module(name, embedded);
        }
    }
}

/// The names of the derived types that types of a unit extend.
fn extended_types(unit: &UnitKind) -> BTreeSet<Arc<str>> {
    fn of(decls: &[Declaration], out: &mut BTreeSet<Arc<str>>) {
        for d in decls {
            if let DeclKind::Derived(def) = &d.kind {
                out.extend(def.extends.as_ref().map(|n| n.text.clone()));
            }
        }
    }
    fn subprogram(sub: &Subprogram, out: &mut BTreeSet<Arc<str>>) {
        of(&sub.decls, out);
        for inner in &sub.internal {
            subprogram(inner, out);
        }
    }
    let mut out = BTreeSet::new();
    match unit {
        UnitKind::Module { decls, procedures, .. } => {
            of(decls, &mut out);
            for sub in procedures {
                subprogram(sub, &mut out);
            }
        }
        UnitKind::Main(sub) | UnitKind::External(sub) => subprogram(sub, &mut out),
        UnitKind::BlockData { .. } => {}
    }
    out
}

/// The binding label that a definition writes.
fn label_of(sub: &Subprogram) -> Option<&str> {
    match &sub.bind {
        Some(Some(ast::Expr { kind: ast::ExprKind::Char { value, .. }, .. })) => Some(value.trim()),
        _ => None,
    }
}
