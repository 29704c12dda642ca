//! Program units: finding them, and resolving modules in the order in which they use each other.

use crate::checker::{Checker, CodeSide, Context, ImplicitRules, Module, ModuleId, Resolution, ScopeData};
use ast::{DeclKind, Declaration, Generic, Name, Subprogram, UnitKind, UseStmt};
use diag::{Code, Diagnostic};
use source::Span;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The intrinsic modules of the standard (Fortran 2018, 16.10, 17.2, 18.2).
const INTRINSIC_MODULES: [&str; 5] =
    ["ieee_arithmetic", "ieee_exceptions", "ieee_features", "iso_c_binding", "iso_fortran_env"];

/// By what name a module of the program is known: one that has the name of an intrinsic module is another one.
pub(super) fn own_module_name(name: &Arc<str>) -> Arc<str> {
    if INTRINSIC_MODULES.contains(&&**name) { format!("non_intrinsic:{name}").into() } else { name.clone() }
}

impl<'a> Checker<'a> {
    /// Finds all units and makes their scopes and procedures.
    pub(crate) fn collect_units(&mut self, program: &'a ast::Program) {
        let mut main: Option<Span> = None;
        self.defs.note_extended(extended_types(program));
        let mut names: BTreeMap<&str, usize> = BTreeMap::new();
        for unit in &program.units {
            if let UnitKind::Module { name, .. } = &unit.kind {
                *names.entry(name.as_str()).or_default() += 1;
            }
        }
        // A submodule is known by its own name and its ancestor's: a module or a submodule elsewhere may have the same one
        // (Fortran 2018, 14.2.3).
        let key = |name: &Name, ancestor: Option<&Name>| match ancestor {
            Some(ancestor) if names.get(name.as_str()).is_some_and(|&count| count > 1) => {
                format!("{}:{}", ancestor.as_str(), name.as_str()).into()
            }
            _ => name.text.clone(),
        };
        for unit in &program.units {
            match &unit.kind {
                UnitKind::Module { name, ancestor, parent, uses, decls, procedures } => {
                    let embedded = self.options.embedded.contains(&unit.span.file);
                    let own = match ancestor {
                        None if !embedded => own_module_name(&name.text),
                        _ => key(name, ancestor.as_ref()),
                    };
                    let scope = self.scopes.add(ScopeData { module: Some(own.clone()), ..ScopeData::default() });
                    if let Some(first) = self.scopes.module_named(&own) {
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
                        name: own,
                        span: name.span,
                        ancestor: match (parent, ancestor) {
                            (Some(parent), _) => Some((key(parent, ancestor.as_ref()), parent.span)),
                            (None, Some(ancestor)) => Some((own_module_name(&ancestor.text), ancestor.span)),
                            (None, None) => None,
                        },
                        embedded,
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
            if let Some((ancestor, span)) = &self.scopes.module(at).ancestor {
                if self.scopes.module_named(ancestor).is_none() {
                    let text = format!("no file defines module `{ancestor}`");
                    self.reporter.report(Diagnostic::new(Code::BadSubmodule, *span, text));
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
        if let Some((ancestor, span)) = self.scopes.module(at).ancestor.clone()
            && let Some(parent) = self.scopes.module_named(&ancestor)
        {
            self.resolve_module(parent, span);
            let parent = self.scopes.module(parent).scope;
            self.scopes.get_mut(scope).parent = Some(parent);
            // The rules of the module do not hold in a program unit of its own (Fortran 2018, 8.7).
            let options = self.options_in(scope);
            self.scopes.get_mut(scope).implicit =
                Some(ImplicitRules::standard(options.integer_kind(), options.real_kind()));
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

/// The names of the derived types that types of a program extend: those that the definitions write, and those that USE
/// statements have changed into these.
fn extended_types(program: &ast::Program) -> BTreeSet<Arc<str>> {
    let mut found = Extended::default();
    for unit in &program.units {
        match &unit.kind {
            UnitKind::Module { uses, decls, procedures, .. } => {
                found.add(uses, decls);
                procedures.iter().for_each(|sub| found.add_subprogram(sub));
            }
            UnitKind::Main(sub) | UnitKind::External(sub) => found.add_subprogram(sub),
            UnitKind::BlockData { .. } => {}
        }
    }
    let Extended { mut names, renamed } = found;
    loop {
        let more: Vec<_> =
            renamed.iter().filter(|(local, theirs)| names.contains(local) && !names.contains(theirs)).collect();
        if more.is_empty() {
            return names;
        }
        names.extend(more.into_iter().map(|(_, theirs)| theirs.clone()));
    }
}

/// What [`extended_types`] has found.
#[derive(Default)]
struct Extended {
    names: BTreeSet<Arc<str>>,
    /// Local names of USE statements and those in the module.
    renamed: BTreeSet<(Arc<str>, Arc<str>)>,
}

impl Extended {
    fn add(&mut self, uses: &[UseStmt], decls: &[Declaration]) {
        for d in decls {
            if let DeclKind::Derived(def) = &d.kind {
                self.names.extend(def.extends.as_ref().map(|n| n.text.clone()));
            }
        }
        for item in uses.iter().flat_map(|stmt| &stmt.items) {
            if let (Generic::Name(local), Some(Generic::Name(theirs))) = (&item.local, &item.module) {
                self.renamed.insert((local.text.clone(), theirs.text.clone()));
            }
        }
    }

    fn add_subprogram(&mut self, sub: &Subprogram) {
        self.add(&sub.uses, &sub.decls);
        sub.internal.iter().for_each(|inner| self.add_subprogram(inner));
    }
}

/// The binding label that a definition writes.
fn label_of(sub: &Subprogram) -> Option<&str> {
    match &sub.bind {
        Some(Some(ast::Expr { kind: ast::ExprKind::Char { value, .. }, .. })) => Some(value.trim()),
        _ => None,
    }
}
