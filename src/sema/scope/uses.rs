//! Use association (Fortran 2018, 14.2.2).
//!
//! A name that two modules bring in with one meaning is that meaning; generic names are merged; otherwise it is an error,
//! reported when the name is used.

use super::{Entry, ScopeId, State, Sym, Table, generic_key, generic_span};
use crate::checker::Checker;
use ast::UseStmt;
use diag::{Code, Diagnostic, nearest_name};
use source::Span;
use std::sync::Arc;

/// Modules of compilers and of libraries that programs use and that this version does not have.
const LIBRARIES: &[&str] = &[
    "mpi",
    "mpi_f08",
    "cublas",
    "cublas_v2",
    "cublasxt",
    "cufft",
    "cufftxt",
    "curand",
    "curand_device",
    "cusparse",
    "cusolverdn",
    "cutensor",
    "cutensor_v2",
    "cublaslt",
    "cusolvermp",
    "cusolver_common",
    "nvlamath",
    "nccl",
    "nvshmem",
    "wmma",
    "openacc",
    "cudecomp",
    "hdf5",
    "netcdf",
    "thrust",
    "sort",
    "adios2",
    "nvtx",
    "openacc_curand",
    "accel_lib",
    "ifport",
    "cusparselt",
    "ieee_exceptions",
    "ieee_features",
    "libm",
];

impl<'a> Checker<'a> {
    /// Brings in the names of USE statements. Modules that are used as a whole come first: their names are shared.
    pub(crate) fn use_modules(&mut self, scope: ScopeId, uses: &'a [UseStmt]) {
        let mut shared: Vec<usize> = Vec::new();
        if self.scopes[scope.0 as usize].names.is_empty() {
            for stmt in uses.iter().filter(|stmt| is_whole(stmt)) {
                let Some(&at) = self.module_names.get(&stmt.module.text) else { continue };
                // A circle is reported where its turn comes.
                if self.modules[at].state != State::Busy {
                    self.settle_module(at, stmt.module.span);
                }
                if self.modules[at].state == State::Done && !shared.contains(&at) {
                    shared.push(at);
                }
            }
            if let Some(table) = self.table_of(&shared) {
                self.scope(scope).names.share(table);
            }
        }
        for stmt in uses {
            self.use_module(scope, stmt, &shared);
        }
    }

    /// The names of modules that are used together.
    fn table_of(&mut self, modules: &[usize]) -> Option<Arc<Table>> {
        let [first, others @ ..] = modules else { return None };
        if others.is_empty() {
            return Some(self.modules[*first].exports.clone());
        }
        if let Some(table) = self.tables.get(modules) {
            return Some(table.clone());
        }
        let mut table = Table::clone(&self.modules[*first].exports);
        for &at in others {
            for (key, entry) in self.modules[at].exports.iter() {
                add(&mut table, key, entry.clone());
            }
        }
        let table = Arc::new(table);
        self.tables.insert(modules.to_vec(), table.clone());
        Some(table)
    }

    fn use_module(&mut self, scope: ScopeId, stmt: &'a UseStmt, shared: &[usize]) {
        let name = stmt.module.text.clone();
        self.scope(scope).used.push(name.clone());
        let Some(&at) = self.module_names.get(&name) else {
            if LIBRARIES.contains(&&*name) {
                self.library(scope, stmt, &name);
                return;
            }
            self.scope(scope).tainted = true;
            let near = nearest_name(&name, self.module_names.keys().map(|n| &**n)).map(str::to_owned);
            self.report(
                Diagnostic::new(Code::ModuleNotFound, stmt.module.span, format!("no file defines module `{name}`"))
                    .suggest(near.as_deref())
                    .help("give all files of the program, in any order"),
            );
            return;
        };
        self.settle_module(at, stmt.module.span);
        let exports = self.modules[at].exports.clone();
        // A name that the statement gives to another thing of the module is that thing only, as in nvfortran.
        let renamed = |key: &str| {
            stmt.items
                .iter()
                .any(|i| i.module.as_ref().is_some_and(|m| &*generic_key(m) == key || &*generic_key(&i.local) == key))
        };
        let is_shared = is_whole(stmt) && shared.contains(&at);
        if !stmt.only && !is_shared {
            for (key, entry) in exports.iter() {
                if !renamed(key) {
                    self.import(scope, key, entry, &name, stmt.span);
                }
            }
        }
        let mut given: Vec<(Arc<str>, Arc<str>)> = Vec::new();
        for item in &stmt.items {
            let local = generic_key(&item.local);
            let theirs = item.module.as_ref().unwrap_or(&item.local);
            let (key, span) = (generic_key(theirs), generic_span(theirs));
            if given.iter().any(|g| g.0 == local && g.1 != key) {
                let text = format!("`{local}` stands for two names of module `{name}`");
                self.report(Diagnostic::new(Code::BadRename, generic_span(&item.local), text));
                continue;
            }
            given.push((local.clone(), key.clone()));
            if let Some(entry) = exports.get(&key) {
                self.import(scope, &local, entry, &name, span);
                continue;
            }
            // An intrinsic may be named though the embedded module need not declare it.
            if self.modules[at].embedded && crate::intrinsics::lookup(&key).is_some() {
                continue;
            }
            let owner = self.modules[at].scope;
            let private = self.scopes[owner.0 as usize].names.contains_key(&key);
            let d = if private {
                Diagnostic::new(Code::PrivateName, span, format!("module `{name}` keeps `{key}` private"))
                    .help(format!("add `public :: {key}` to the module"))
            } else if self.modules[at].state == super::State::Busy || self.is_tainted(owner) {
                self.define(scope, &local, Sym::Error, span);
                continue;
            } else if self.modules[at].embedded {
                let what: Arc<str> = format!("`{key}` of module `{name}`").into();
                let near = nearest_name(&key, exports.keys().map(|n| &**n));
                self.report(
                    Diagnostic::new(Code::UnsupportedIfReached, span, format!("{what} is not supported"))
                        .note("the program stops with an error if execution comes to a use of it")
                        .suggest(near),
                );
                self.define(scope, &local, Sym::Refused(what), span);
                continue;
            } else {
                let near = nearest_name(&key, exports.keys().map(|n| &**n));
                Diagnostic::new(Code::NotInModule, span, format!("module `{name}` has no `{key}`")).suggest(near)
            };
            self.report(d);
            self.define(scope, &local, Sym::Error, span);
        }
        if self.is_tainted(self.modules[at].scope) {
            self.scope(scope).tainted = true;
        }
        let owner = self.modules[at].scope;
        if let Some(what) = self.scopes[owner.0 as usize].refused.clone() {
            self.scope(scope).refused = Some(what);
        }
    }

    /// A module of a library that this version does not have: what it names is refused where it is used.
    fn library(&mut self, scope: ScopeId, stmt: &'a UseStmt, name: &Arc<str>) {
        self.report(
            Diagnostic::warning(Code::UnsupportedModule, stmt.module.span, format!("module `{name}` is not supported"))
                .note("the program stops with an error if execution comes to a use of it"),
        );
        let what: Arc<str> = format!("module `{name}`").into();
        for item in &stmt.items {
            let local = generic_key(&item.local);
            self.define(scope, &local, Sym::Refused(what.clone()), generic_span(&item.local));
        }
        if !stmt.only {
            self.scope(scope).refused = Some(what);
        }
    }

    fn import(&mut self, scope: ScopeId, local: &Arc<str>, entry: &Entry, module: &Arc<str>, span: Span) {
        let new = Entry { sym: entry.sym.clone(), span, module: Some(module.clone()) };
        let names = &mut self.scope(scope).names;
        match names.get_mut(local) {
            None => names.insert(local.clone(), new),
            Some(old) => join(old, &new),
        }
    }
}

/// Whether a USE statement brings in all names as they are.
fn is_whole(stmt: &UseStmt) -> bool {
    !stmt.only && stmt.items.is_empty()
}

fn add(table: &mut Table, key: &Arc<str>, new: Entry) {
    match table.get_mut(key) {
        None => {
            table.insert(key.clone(), new);
        }
        Some(old) => join(old, &new),
    }
}

/// A second meaning of a name that a module brought in.
fn join(old: &mut Entry, new: &Entry) {
    let modules = || Some((old.module.clone().or_else(|| new.module.clone())?, new.module.clone()?));
    old.sym = match (merged(&old.sym, &new.sym), modules()) {
        (Some(sym), _) => sym,
        (None, Some((one, other))) => Sym::Ambiguous(one, other),
        (None, None) => Sym::Error,
    };
}

/// One meaning out of two; `None` when they contradict each other.
pub(crate) fn merged(old: &Sym, new: &Sym) -> Option<Sym> {
    fn list(sym: &Sym) -> Option<(Vec<crate::checked::ProcId>, Option<crate::checked::TypeId>)> {
        match sym {
            Sym::Generic { procs, ty } => Some((procs.clone(), *ty)),
            Sym::Type(ty) => Some((Vec::new(), Some(*ty))),
            _ => None,
        }
    }
    let same = match (old, new) {
        (Sym::Var(a), Sym::Var(b)) => a == b,
        (Sym::Proc(a), Sym::Proc(b)) => a == b,
        (Sym::Type(a), Sym::Type(b)) => a == b,
        (Sym::Intrinsic(a), Sym::Intrinsic(b)) => a == b,
        (Sym::Namelist(a), Sym::Namelist(b)) => a == b,
        (Sym::Error, _) => true,
        _ => false,
    };
    if same {
        return Some(old.clone());
    }
    match (old, new) {
        (Sym::Generic { procs, ty }, Sym::Proc(p)) | (Sym::Proc(p), Sym::Generic { procs, ty })
            if procs.contains(p) =>
        {
            return Some(Sym::Generic { procs: procs.clone(), ty: *ty });
        }
        _ => {}
    }
    let ((mut procs, ty), (more, other)) = (list(old)?, list(new)?);
    for id in more {
        if !procs.contains(&id) {
            procs.push(id);
        }
    }
    match (ty, other) {
        (Some(a), Some(b)) if a != b => None,
        (a, b) => Some(Sym::Generic { procs, ty: a.or(b) }),
    }
}
