//! Fills the checked program's scopes, for the debugger: each has the names that its statements know. Those of the scope
//! around it are there once, whatever the number of procedures in it.

use crate::checked::{Scope, Symbol};
use crate::checker::{Checker, Entry, ScopeId, Scopes, Sym, Table};
use std::collections::BTreeMap;
use std::sync::Arc;

/// What was filled and others refer to.
#[derive(Default)]
struct Shared {
    /// Scopes that others stand in.
    around: BTreeMap<ScopeId, Arc<Scope>>,
    /// Tables of used names, by their addresses.
    used: BTreeMap<*const Table, Arc<BTreeMap<Arc<str>, Symbol>>>,
}

impl Checker<'_> {
    /// Fills the scopes of all modules and procedures.
    pub(crate) fn fill_scopes(&mut self) {
        let mut shared = Shared::default();
        for at in 0..self.defs.modules.len() {
            if let Some(module) = self.scopes.module_named(&self.defs.modules[at].name) {
                let scope = names_of(&self.scopes, self.scopes.module(module).scope, &mut shared);
                self.defs.set_module_scope(at, scope);
            }
        }
        for id in self.defs.proc_ids() {
            let info = self.defs.proc_info(id);
            // Interfaces of the embedded modules have no statements that could ask.
            if info.ast.is_some() && !self.defs.is_service(id) {
                self.defs.proc_mut(id).scope = names_of(&self.scopes, info.scope, &mut shared);
            }
        }
        // What BLOCK and ASSOCIATE declare is known in the whole procedure, unless the procedure has that name itself.
        for data in self.scopes.all().iter().filter(|s| s.is_block) {
            let Some(id) = data.proc else { continue };
            for (name, entry) in data.names.own() {
                if let Sym::Var(var) = entry.sym
                    && self.defs.var(var).owner == Some(id)
                    && self.defs.proc(id).scope.find(name).is_none()
                {
                    self.defs.proc_mut(id).scope.names.insert(name.clone(), Symbol::Var(var));
                }
            }
        }
    }
}

fn names_of(scopes: &Scopes<'_>, id: ScopeId, shared: &mut Shared) -> Scope {
    let data = &scopes.get(id);
    let parent = data.parent.map(|around| match shared.around.get(&around) {
        Some(scope) => scope.clone(),
        None => {
            let scope = Arc::new(names_of(scopes, around, shared));
            shared.around.insert(around, scope.clone());
            scope
        }
    });
    let used = data
        .names
        .used()
        .map(|table| shared.used.entry(Arc::as_ptr(table)).or_insert_with(|| Arc::new(symbols(table.iter()))).clone());
    Scope { names: symbols(data.names.own()), used, parent }
}

fn symbols<'e>(entries: impl Iterator<Item = (&'e Arc<str>, &'e Entry)>) -> BTreeMap<Arc<str>, Symbol> {
    entries.map(|(name, entry)| (name.clone(), symbol(&entry.sym))).collect()
}

fn symbol(sym: &Sym) -> Symbol {
    match sym {
        Sym::Var(id) => Symbol::Var(*id),
        Sym::Proc(id) => Symbol::Proc(*id),
        Sym::Generic { procs, ty } => Symbol::Generic { procs: procs.clone(), ty: *ty },
        Sym::Type(id) => Symbol::Type(*id),
        Sym::Intrinsic(id) => Symbol::Intrinsic(*id),
        Sym::Namelist(group, vars) => Symbol::Namelist(group.clone(), vars.clone()),
        Sym::Unresolved(_)
        | Sym::Resolving
        | Sym::StatementFunction(..)
        | Sym::Refused(_)
        | Sym::Ambiguous(..)
        | Sym::Error => Symbol::Hidden,
    }
}
