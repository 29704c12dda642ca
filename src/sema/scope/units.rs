//! Program units: finding them, and settling modules in the order in which they use each other.

use super::{Entry, ScopeData, ScopeId, Sym, Table};
use crate::checked;
use crate::checker::{Checker, Context, Side};
use crate::decl::entries;
use ast::{DeclKind, Declaration, Name, Subprogram, UnitKind, UseStmt};
use diag::{Code, Diagnostic};
use source::Span;
use std::collections::BTreeSet;
use std::sync::Arc;

/// How far something has been settled.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum State {
    /// Not begun.
    Untouched,
    /// Begun: meeting it again is a circle.
    Busy,
    /// Done.
    Done,
}

/// A module or submodule.
pub(crate) struct Module<'a> {
    pub(crate) name: Arc<str>,
    pub(crate) span: Span,
    pub(crate) ancestor: Option<&'a Name>,
    pub(crate) embedded: bool,
    uses: &'a [UseStmt],
    decls: &'a [Declaration],
    procedures: &'a [Subprogram],
    pub(crate) scope: ScopeId,
    pub(crate) state: State,
    /// Public names.
    pub(crate) exports: Arc<Table>,
}

impl<'a> Checker<'a> {
    /// Finds all units and makes their scopes and procedures.
    pub(crate) fn collect_units(&mut self, program: &'a ast::Program) {
        let mut main: Option<Span> = None;
        for unit in &program.units {
            self.note_extended(&unit.kind);
            match &unit.kind {
                UnitKind::Module { name, ancestor, parent, uses, decls, procedures } => {
                    let module = Some(name.text.clone());
                    let scope = self.add_scope(ScopeData { module, ..ScopeData::default() });
                    let at = self.modules.len();
                    if let Some(&first) = self.module_names.get(&name.text) {
                        let first = self.modules[first].span;
                        self.report(
                            Diagnostic::new(
                                Code::DuplicateUnit,
                                name.span,
                                format!("module `{name}` is defined twice", name = name.as_str()),
                            )
                            .secondary(first, "first defined here"),
                        );
                        continue;
                    }
                    self.module_names.insert(name.text.clone(), at);
                    self.modules.push(Module {
                        name: name.text.clone(),
                        span: name.span,
                        ancestor: parent.as_ref().or(ancestor.as_ref()),
                        embedded: self.options.embedded.contains(&unit.span.file),
                        uses,
                        decls,
                        procedures,
                        scope,
                        state: State::Untouched,
                        exports: Arc::default(),
                    });
                }
                UnitKind::Main(sub) => {
                    if let Some(first) = main {
                        self.report(
                            Diagnostic::new(Code::SeveralMainPrograms, sub.name.span, "there is a second main program")
                                .secondary(first, "the first one is here")
                                .help("give the files of one program only"),
                        );
                        continue;
                    }
                    main = Some(sub.name.span);
                    let id = self.add_procedure(sub, None, None, None);
                    self.out.main = Some(id);
                }
                UnitKind::External(sub) if self.options.embedded.contains(&unit.span.file) => {
                    let id = self.add_procedure(sub, None, None, None);
                    self.library.insert(sub.name.text.clone(), id);
                }
                UnitKind::External(sub) => {
                    if let Some(&first) = self.externals.get(&sub.name.text) {
                        let first = self.out.proc(first).span;
                        let text = format!("procedure `{}` is defined twice", sub.name.as_str());
                        self.report(
                            Diagnostic::new(Code::DuplicateUnit, sub.name.span, text)
                                .secondary(first, "first defined here"),
                        );
                        continue;
                    }
                    let id = self.add_procedure(sub, None, None, None);
                    self.externals.insert(sub.name.text.clone(), id);
                    self.entries.extend(entries(sub).map(|name| name.text.clone()));
                }
                UnitKind::BlockData { uses, decls, .. } => {
                    let scope = self.add_scope(ScopeData::default());
                    self.block_data.push((scope, uses, decls));
                }
            }
        }
        if self.options.needs_main && main.is_none() {
            let span = program
                .units
                .iter()
                .rfind(|u| !self.options.embedded.contains(&u.span.file))
                .map_or(Span::NONE, |u| u.end);
            self.report(
                Diagnostic::new(Code::NoMainProgram, span, "there is no main program in the given files")
                    .help("add a `program` unit, or give the file that has it"),
            );
        }
    }

    /// Notes which derived types are extended anywhere: only then is an object of their class not simply of that type.
    fn note_extended(&mut self, unit: &UnitKind) {
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
        match unit {
            UnitKind::Module { decls, procedures, .. } => {
                of(decls, &mut self.extended);
                for sub in procedures {
                    subprogram(sub, &mut self.extended);
                }
            }
            UnitKind::Main(sub) | UnitKind::External(sub) => subprogram(sub, &mut self.extended),
            UnitKind::BlockData { .. } => {}
        }
    }

    /// Settles block data units, whose variables are those of COMMON blocks.
    pub(crate) fn settle_block_data(&mut self) {
        for (scope, uses, decls) in std::mem::take(&mut self.block_data) {
            let cx = Context::new(scope, None, Side::Host);
            self.within(cx, |c| {
                c.use_modules(scope, uses);
                c.collect_declarations(scope, decls);
                c.settle_scope(scope);
                c.late_declarations(scope, decls);
                c.cx.refused = None;
            });
        }
    }

    /// Settles all modules.
    pub(crate) fn settle_modules(&mut self) {
        // The embedded modules come first: others may need their types without using them.
        for embedded in [true, false] {
            for at in 0..self.modules.len() {
                if self.modules[at].embedded == embedded {
                    self.settle_module(at, Span::NONE);
                }
            }
        }
        for at in 0..self.modules.len() {
            if let Some(ancestor) = self.modules[at].ancestor {
                let known = self.module_names.contains_key(&ancestor.text);
                if !known {
                    let text = format!("no file defines module `{}`", ancestor.as_str());
                    self.report(Diagnostic::new(Code::BadSubmodule, ancestor.span, text));
                }
            }
        }
    }

    /// Settles a module and what it uses; `from` is the statement that asks for it.
    pub(crate) fn settle_module(&mut self, at: usize, from: Span) {
        match self.modules[at].state {
            State::Done => return,
            State::Busy => {
                let text = format!("module `{}` uses itself, directly or through others", self.modules[at].name);
                self.report(
                    Diagnostic::new(Code::CircularUse, from, text).help("move what both modules need into a third one"),
                );
                return;
            }
            State::Untouched => {}
        }
        let span = self.modules[at].span;
        if !self.settle_deeper(if from.is_none() { span } else { from }) {
            return;
        }
        self.modules[at].state = State::Busy;
        let (scope, uses, decls, procedures) = {
            let m = &self.modules[at];
            (m.scope, m.uses, m.decls, m.procedures)
        };
        if let Some(ancestor) = self.modules[at].ancestor
            && let Some(&parent) = self.module_names.get(&ancestor.text)
        {
            self.settle_module(parent, ancestor.span);
            let parent = self.modules[parent].scope;
            self.scope(scope).parent = Some(parent);
        }
        let name = self.modules[at].name.clone();
        let module = name.clone();
        let cx = Context::new(scope, None, Side::Host);
        self.within(cx, |c| {
            c.use_modules(scope, uses);
            c.declare_procedures(scope, procedures, None, Some(module));
            c.collect_declarations(scope, decls);
            c.join_procedures(scope, procedures);
            c.settle_scope(scope);
            c.late_declarations(scope, decls);
            c.cx.refused = None;
        });
        self.modules[at].exports = Arc::new(self.exports(scope, &name));
        self.modules[at].state = State::Done;
        self.settled();
        if self.modules[at].ancestor.is_none() {
            let (name, embedded) = (self.modules[at].name.clone(), self.modules[at].embedded);
            self.out.modules.push(checked::Module { name, embedded, scope: checked::Scope::default() });
        }
    }

    /// The public names of a module's scope, as those who use it know them.
    fn exports(&self, scope: ScopeId, module: &Arc<str>) -> Table {
        let data = &self.scopes[scope.0 as usize];
        let is_public = |name: &Arc<str>| !data.access.get(name).copied().unwrap_or(data.private_default);
        data.names
            .all()
            .filter(|(name, entry)| is_public(name) && !matches!(entry.sym, Sym::Pending(_) | Sym::Settling))
            .map(|(name, entry)| (name.clone(), Entry { module: Some(module.clone()), ..entry.clone() }))
            .collect()
    }
}
