//! Fills the checked program's scopes, for the debugger: each has all names that its statements know.

use super::{ScopeId, Sym};
use crate::checked::{ProcId, Scope, Symbol};
use crate::checker::Checker;

impl Checker<'_> {
    /// Fills the scopes of all modules and procedures.
    pub(crate) fn fill_scopes(&mut self) {
        for i in 0..self.out.modules.len() {
            let at = self.module_names.get(&self.out.modules[i].name).copied();
            if let Some(at) = at {
                self.out.modules[i].scope = self.names_of(self.modules[at].scope);
            }
        }
        for i in 0..self.out.procs.len() {
            let scope = self.procs[i].scope;
            // Interfaces of the embedded modules have no statements that could ask.
            if self.procs[i].ast.is_some() && !self.is_service(ProcId(i as u32)) {
                self.out.procs[i].scope = self.names_of(scope);
            }
        }
        // What BLOCK and ASSOCIATE declare is known in the whole procedure, unless the procedure has that name itself.
        for data in self.scopes.iter().filter(|s| s.is_block) {
            let Some(id) = data.proc else { continue };
            let names = &mut self.out.procs[id.0 as usize].scope.names;
            for (name, entry) in &data.names {
                if let Sym::Var(var) = entry.sym
                    && self.out.vars[var.0 as usize].owner == Some(id)
                {
                    names.entry(name.clone()).or_insert(Symbol::Var(var));
                }
            }
        }
    }

    fn names_of(&self, scope: ScopeId) -> Scope {
        let mut chain = vec![scope];
        while let Some(parent) = chain.last().and_then(|id| self.scopes[id.0 as usize].parent) {
            chain.push(parent);
        }
        let mut out = Scope::default();
        for id in chain.iter().rev() {
            for (name, entry) in &self.scopes[id.0 as usize].names {
                let symbol = match &entry.sym {
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
                    | Sym::Error => {
                        out.names.remove(name);
                        continue;
                    }
                };
                out.names.insert(name.clone(), symbol);
            }
        }
        out
    }
}
