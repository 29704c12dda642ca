//! Fills the checked program's scopes, for the debugger: each has the names that its statements know. Those of the scope
//! around it are there once, whatever the number of procedures in it.

use super::{Entry, ScopeId, Sym, Table};
use crate::checked::{ProcId, Scope, Symbol};
use crate::checker::Checker;
use std::collections::BTreeMap;
use std::sync::Arc;

/// What was filled and others refer to.
#[derive(Default)]
struct Shared {
    /// Scopes that others stand in.
    around: BTreeMap<u32, Arc<Scope>>,
    /// Tables of used names, by their addresses.
    used: BTreeMap<*const Table, Arc<BTreeMap<Arc<str>, Symbol>>>,
}

impl Checker<'_> {
    /// Fills the scopes of all modules and procedures.
    pub(crate) fn fill_scopes(&mut self) {
        let mut shared = Shared::default();
        for i in 0..self.out.modules.len() {
            let at = self.module_names.get(&self.out.modules[i].name).copied();
            if let Some(at) = at {
                self.out.modules[i].scope = self.names_of(self.modules[at].scope, &mut shared);
            }
        }
        for i in 0..self.out.procs.len() {
            let scope = self.procs[i].scope;
            // Interfaces of the embedded modules have no statements that could ask.
            if self.procs[i].ast.is_some() && !self.is_service(ProcId(i as u32)) {
                self.out.procs[i].scope = self.names_of(scope, &mut shared);
            }
        }
        // What BLOCK and ASSOCIATE declare is known in the whole procedure, unless the procedure has that name itself.
        for data in self.scopes.iter().filter(|s| s.is_block) {
            let Some(id) = data.proc else { continue };
            let scope = &mut self.out.procs[id.0 as usize].scope;
            for (name, entry) in data.names.own() {
                if let Sym::Var(var) = entry.sym
                    && self.out.vars[var.0 as usize].owner == Some(id)
                    && scope.find(name).is_none()
                {
                    scope.names.insert(name.clone(), Symbol::Var(var));
                }
            }
        }
    }

    fn names_of(&self, id: ScopeId, shared: &mut Shared) -> Scope {
        let data = &self.scopes[id.0 as usize];
        let parent = data.parent.map(|around| match shared.around.get(&around.0) {
            Some(scope) => scope.clone(),
            None => {
                let scope = Arc::new(self.names_of(around, shared));
                shared.around.insert(around.0, scope.clone());
                scope
            }
        });
        let used = data.names.used().map(|table| {
            shared.used.entry(Arc::as_ptr(table)).or_insert_with(|| Arc::new(symbols(table.iter()))).clone()
        });
        Scope { names: symbols(data.names.own()), used, parent }
    }
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
        Sym::Namelist(vars) => Symbol::Namelist(vars.clone()),
        Sym::Pending(_)
        | Sym::Settling
        | Sym::StatementFunction(..)
        | Sym::Refused(_)
        | Sym::Ambiguous(..)
        | Sym::Error => Symbol::Hidden,
    }
}
