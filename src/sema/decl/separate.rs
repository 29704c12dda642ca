//! Separate module procedures: their bodies and their interfaces.
//!
//! Not here: the procedures that a module or procedure contains (`header`), what an interface says (`interface`).

use crate::checked::ProcId;
use crate::checker::{Checker, Description, Resolution, ScopeId, Sym};
use ast::{DeclKind, Prefix, Subprogram, SubprogramKind};
use diag::Code;
use std::collections::BTreeSet;

impl<'a> Checker<'a> {
    /// Joins separate module procedures to their interfaces, once the interface blocks of the scope are known.
    pub(crate) fn join_procedures(&mut self, scope: ScopeId, subs: &'a [Subprogram]) {
        let is_plain = |c: &Self, sub: &'a Subprogram| {
            let own = c.scopes.get(scope).names.get(&sub.name.text).map(|entry| &entry.sym);
            matches!(own, Some(Sym::Proc(id)) if c.defs.proc_info(*id).ast.is_some_and(|ast| std::ptr::eq(ast, sub)))
        };
        for sub in subs.iter().filter(|s| is_separate(s)) {
            if is_plain(self, sub) {
                continue;
            }
            self.separate_procedure(scope, sub);
        }
    }

    /// The body of a procedure whose interface the module or an ancestor declares.
    fn separate_procedure(&mut self, scope: ScopeId, sub: &'a Subprogram) {
        let declared = self.find_from(scope, &sub.name.text);
        let parent = self.scopes.get(scope).parent;
        if parent.is_some_and(|p| self.scopes.is_tainted(p)) && declared.is_none() {
            return;
        }
        let declared = match declared {
            Some(Sym::Generic { procs, .. }) => {
                procs.into_iter().find(|p| self.defs.proc(*p).name == sub.name.text).map(Sym::Proc)
            }
            other => other,
        };
        let Some(Sym::Proc(id)) =
            declared.filter(|s| matches!(s, Sym::Proc(id) if self.defs.proc_info(*id).is_interface))
        else {
            let text = format!("no ancestor module declares an interface of `{}`", sub.name.as_str());
            self.reporter.error::<()>(Code::BadSubmodule, sub.name.span, text);
            return;
        };
        let own = self.defs.proc_info(id).scope;
        let interface_scope = self.scopes.get(own).parent;
        if sub.kind == SubprogramKind::ModuleProcedure && interface_scope != Some(scope) {
            // The interface knows the names of the module, not those of the submodule (Fortran 2018, 15.6.2.5).
            self.resolve_interface(id);
        }
        self.defs.proc_info_mut(id).is_interface = false;
        self.scopes.get_mut(own).parent = Some(scope);
        if sub.kind != SubprogramKind::ModuleProcedure && self.defs.proc_info(id).state == Resolution::Untouched {
            self.compare_separate(id, interface_scope);
            self.defs.proc_info_mut(id).ast = Some(sub);
        } else {
            // The dummies are those of the interface; only the statements come from here.
            self.defs.proc_info_mut(id).separate = Some(sub);
        }
        self.defs.proc_mut(id).span = sub.span;
        self.defs.proc_mut(id).end = sub.end;
    }

    /// Takes away the names of an interface body but those of its dummies and its result: the statements of the procedure have a scope of
    /// their own (Fortran 2018, 15.6.2.5).
    pub(crate) fn leave_interface(&mut self, id: ProcId, scope: ScopeId) {
        let Some(interface) = self.defs.proc_info(id).ast else { return };
        let kept: BTreeSet<&str> =
            interface.args.iter().chain(&interface.result).chain([&interface.name]).map(|name| &*name.text).collect();
        let data = self.scopes.get_mut(scope);
        data.names.keep(|name| kept.contains(name) || !name.starts_with(|c: char| c.is_ascii_alphabetic()));
        data.used.clear();
        data.implicit = None;
    }

    /// Keeps the interface of a separate module procedure for the comparison with what its definition repeats.
    fn compare_separate(&mut self, id: ProcId, scope: Option<ScopeId>) {
        let Some(interface) = self.defs.proc_info(id).ast else { return };
        let module = scope.and_then(|scope| self.scopes.get(scope).module.clone());
        let body = self.add_procedure(interface, scope, None, module);
        self.defs.proc_info_mut(body).is_interface = true;
        self.describe(id, Description::Separate(body), interface.name.span);
    }
}

/// Whether a procedure is the body of a separate module procedure.
pub(super) fn is_separate(sub: &Subprogram) -> bool {
    sub.kind == SubprogramKind::ModuleProcedure || sub.prefixes.iter().any(|p| matches!(p, Prefix::Module(_)))
}

/// Whether declarations have an interface of a procedure.
pub(super) fn has_interface(decls: &[ast::Declaration], sub: &Subprogram) -> bool {
    let is_its =
        |item: &ast::InterfaceItem| matches!(item, ast::InterfaceItem::Body(s) if s.name.text == sub.name.text);
    decls.iter().any(|d| matches!(&d.kind, DeclKind::Interface(block) if block.items.iter().any(is_its)))
}
