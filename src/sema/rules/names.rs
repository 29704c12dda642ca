//! Names that must differ: those of program units, of what is declared in them, and binding labels (Fortran 2018, 19.2, 19.3.1).

use crate::checked::ProcId;
use crate::checker::Sym;
use crate::typing::Typing;
use diag::{Code, Diagnostic};
use source::Span;
use std::collections::BTreeMap;
use std::sync::Arc;

impl Typing<'_> {
    /// Compares the names of program units with each other and with those declared in them.
    pub(crate) fn check_unit_names(&mut self) {
        let mut units: BTreeMap<Arc<str>, Span> = BTreeMap::new();
        for at in self.scopes.module_ids() {
            let module = self.scopes.module(at);
            if module.embedded {
                continue;
            }
            // Of a submodule the identifier is global, which is its name with the ancestor's (Fortran 2018, 14.2.3).
            if module.ancestor.is_none() {
                units.insert(module.name.clone(), module.span);
                self.check_own_name(&module.name, module.span, module.scope);
            }
        }
        let externals = self.scopes.externals().iter().map(|(name, &id)| (name.clone(), id));
        let mut others: Vec<(Arc<str>, ProcId)> = externals.collect();
        if let Some(main) = self.defs.main {
            others.push((self.defs.proc(main).name.clone(), main));
            let name = self.defs.proc_info(main).ast.map(|sub| &sub.name);
            if let Some(name) = name.filter(|name| !name.span.is_none()) {
                self.check_own_name(&name.text, name.span, self.defs.proc_info(main).scope);
            }
        }
        for (name, id) in others {
            if self.defs.main != Some(id) {
                self.check_name_inside(&name, id);
            }
            let span = self.defs.proc_info(id).ast.map_or(self.defs.proc(id).span, |sub| sub.name.span);
            if let Some(&first) = units.get(&name) {
                let text = format!("two program units have the name `{name}`");
                let d = Diagnostic::new(Code::DuplicateUnit, span, text).secondary(first, "the other one is here");
                self.reporter.report(d);
            } else {
                units.insert(name, span);
            }
        }
    }

    /// COMMON blocks and external procedures are global: no name is that of both (Fortran 2018, 19.2).
    pub(crate) fn check_common_names(&mut self, commons: &[(Arc<str>, Span)]) {
        for (block, span) in commons {
            let name = block.trim_matches('/');
            let Some(&id) = self.scopes.externals().get(name) else { continue };
            let info = self.defs.proc_info(id);
            let Some(sub) = info.ast.filter(|_| !info.embedded && info.bind.is_none()) else { continue };
            let text = format!("`{name}` is the name of a `common` block and of a procedure");
            let d = Diagnostic::new(Code::DuplicateUnit, sub.name.span, text);
            self.reporter.report(d.secondary(*span, "the block is here"));
        }
    }

    /// The name of an external procedure means the procedure, or its result, in it.
    fn check_name_inside(&mut self, name: &Arc<str>, id: ProcId) {
        let info = self.defs.proc_info(id);
        let Some(unit) = info.ast.map(|sub| sub.name.span).filter(|_| !info.embedded) else { return };
        let Some(entry) = self.scopes.get(info.scope).names.get(name).cloned() else { return };
        let is_other = entry.module.is_some() || matches!(entry.sym, Sym::Type(_) | Sym::Namelist(..));
        // A function has a variable of its name, if RESULT does not give it another one.
        let is_variable = matches!(entry.sym, Sym::Var(v) if self.defs.proc(id).result != Some(v))
            && self.scopes.get(info.scope).declared.iter().any(|p| p.name == *name && p.spec.is_some());
        let is_other = is_other || is_variable;
        let is_inner = matches!(entry.sym, Sym::Proc(other) if other != id && self.defs.proc(other).parent == Some(id));
        if !(is_other || is_inner) || matches!(entry.sym, Sym::Proc(other) if other == id) {
            return;
        }
        // A generic name that the procedure itself belongs to means no other one.
        let has_own = matches!(&entry.sym, Sym::Generic { procs, .. } if procs.contains(&id));
        let d = match &entry.module {
            Some(module) => {
                let text =
                    format!("`{name}` is the name of the program unit, which uses another `{name}` of `{module}`");
                let code = if has_own { Code::ProcedureNamedAsUnit } else { Code::UnitNameReused };
                let d = Diagnostic::new(code, unit, text);
                d.secondary(entry.span, "the other one is here").help("rename it in the USE statement")
            }
            None => {
                let text = format!("`{name}` is the name of the program unit and means something else in it");
                Diagnostic::new(Code::UnitNameReused, entry.span, text).secondary(unit, "the unit is named here")
            }
        };
        self.reporter.report(d);
    }

    fn check_own_name(&mut self, name: &Arc<str>, unit: Span, scope: crate::checker::ScopeId) {
        let Some(entry) = self.scopes.get(scope).names.get(name).cloned() else { return };
        // nvfortran takes a generic interface with the name of its module, though the standard does not (Fortran 2018, 19.2).
        let is_generic = matches!(entry.sym, Sym::Generic { .. });
        if entry.span.is_none() || entry.span == unit || is_generic || matches!(entry.sym, Sym::Error) {
            return;
        }
        // Nor does it look at procedures and at what comes from a module.
        let d = match &entry.module {
            Some(module) => {
                let text =
                    format!("`{name}` is the name of the program unit, which uses another `{name}` of `{module}`");
                let d = Diagnostic::new(Code::ProcedureNamedAsUnit, unit, text);
                d.secondary(entry.span, "the other one is here").help("rename it in the USE statement")
            }
            None => {
                let is_proc = matches!(entry.sym, Sym::Proc(_));
                let code = if is_proc { Code::ProcedureNamedAsUnit } else { Code::UnitNameReused };
                let text = format!("`{name}` is the name of the program unit and cannot be declared in it");
                Diagnostic::new(code, entry.span, text).secondary(unit, "the unit is named here")
            }
        };
        self.reporter.report(d);
    }

    /// A variable does not have the binding label of a COMMON block (Fortran 2018, 19.2).
    pub(crate) fn check_common_labels(
        &mut self,
        commons: &BTreeMap<Arc<str>, Arc<str>>,
        variables: &[(Arc<str>, Arc<str>, Span)],
    ) {
        for (label, name, span) in variables.iter().filter(|v| !v.0.is_empty()) {
            if let Some((block, _)) = commons.iter().find(|(_, other)| *other == label) {
                let text = format!("`{name}` and `common` block `{block}` have the same binding label `{label}`");
                self.reporter.error::<()>(Code::BindingLabelReused, *span, text);
            }
        }
    }

    /// Two entities with one binding label cannot be in one program, nor one with the name of an external procedure
    /// (Fortran 2018, 19.2).
    pub(crate) fn check_binding_labels(&mut self, variables: &[(Arc<str>, Arc<str>, Span)]) {
        let mut first: BTreeMap<Arc<str>, (Arc<str>, Span)> = BTreeMap::new();
        let mut labels: Vec<(Arc<str>, Arc<str>, Span)> = variables
            .iter()
            .filter(|v| !v.0.is_empty() && !self.options.embedded.contains(&v.2.file))
            .cloned()
            .collect();
        for id in self.defs.proc_ids() {
            let info = self.defs.proc_info(id);
            if info.is_interface || info.embedded || (info.ast.is_none() && self.defs.proc(id).entry_of.is_none()) {
                continue;
            }
            let p = self.defs.proc(id);
            // An internal procedure has no label (18.10.2).
            if p.parent.is_some() {
                continue;
            }
            if let Some(label) = info.bind.clone().filter(|label| !label.is_empty()) {
                labels.push((label, p.name.clone(), p.span));
            } else if self.scopes.own_external(&p.name) == Some(id) && info.bind.is_none() {
                first.insert(p.name.clone(), (p.name.clone(), p.span));
            }
        }
        labels.sort_by_key(|(.., span)| (span.file, span.start));
        for (label, name, span) in labels {
            let Some((other, there)) = first.get(&label) else {
                first.insert(label, (name, span));
                continue;
            };
            if *there == span {
                continue;
            }
            let text = format!("`{other}` and `{name}` have the same binding label `{label}`");
            let d = Diagnostic::new(Code::BindingLabelReused, span, text).secondary(*there, "the other one is here");
            self.reporter.report(d);
        }
    }
}
