//! Use association (Fortran 2018, 14.2.2).
//!
//! A name that two modules bring in with one meaning is that meaning; generic names are merged; otherwise it is an error,
//! reported when the name is used.

use super::units::own_module_name;
use crate::checker::{Checker, ModuleId, Resolution, ScopeId, Sym, generic_key, generic_span};
use ast::UseStmt;
use diag::{Code, Diagnostic, nearest_name};
use std::collections::BTreeSet;
use std::sync::Arc;

/// Modules of compilers and of libraries that programs use and that this version does not have.
const LIBRARIES: &[&str] = &[
    "mpi",
    "mpi_f08",
    "cublas",
    "cublas_v2",
    "cublas_device",
    "cublasxt",
    "cufft",
    "cufftxt",
    "curand",
    "cusparse",
    "cusolverdn",
    "cutensor",
    "cutensor_v2",
    "cublaslt",
    "cusolvermp",
    "cusolver_common",
    "nvlamath",
    "nvshmem",
    "cudecomp",
    "netcdf",
    "thrust",
    "adios2",
    "nvtx",
    "openacc_curand",
    "ifport",
    "cusparselt",
    "libm",
];

impl<'a> Checker<'a> {
    /// Brings in the names of USE statements. Modules that are used as a whole come first: their names are shared.
    pub(crate) fn use_modules(&mut self, scope: ScopeId, uses: &'a [UseStmt]) {
        let mut shared: Vec<ModuleId> = Vec::new();
        if self.scopes.get(scope).names.is_empty() {
            for stmt in uses.iter().filter(|stmt| is_whole(stmt, uses)) {
                let Some(at) = self.used_module(stmt) else { continue };
                // A circle is reported where its turn comes.
                if self.scopes.module(at).state != Resolution::InProgress {
                    self.resolve_module(at, stmt.module.span);
                }
                if self.scopes.module(at).state == Resolution::Done && !shared.contains(&at) {
                    shared.push(at);
                }
            }
            if let Some(table) = self.scopes.table_of(&shared) {
                self.scopes.get_mut(scope).names.share(table);
            }
        }
        for (i, stmt) in uses.iter().enumerate() {
            let is_other = |u: &UseStmt| {
                u.module.text == stmt.module.text && u.intrinsic.zip(stmt.intrinsic).is_some_and(|(a, b)| a != b)
            };
            if uses[..i].iter().any(is_other) {
                // Fortran 2018, 14.2.2.
                let text =
                    format!("module `{}` is used as an intrinsic module and as another one", stmt.module.as_str());
                self.reporter.error::<()>(Code::BadRename, stmt.span, text);
                continue;
            }
            self.use_module(scope, stmt, uses, &shared);
        }
    }

    /// The module that a USE statement means. Without a nature it is one of the program before an intrinsic one (Fortran 2018,
    /// 14.2.2).
    fn used_module(&self, stmt: &UseStmt) -> Option<ModuleId> {
        let name = &stmt.module.text;
        let own = own_module_name(name);
        if own == *name || stmt.intrinsic == Some(true) || self.options.embedded.contains(&stmt.span.file) {
            let at = self.scopes.module_named(name)?;
            return Some(at).filter(|&at| stmt.intrinsic != Some(true) || self.scopes.module(at).embedded);
        }
        let own = self.scopes.module_named(&own);
        if stmt.intrinsic == Some(false) { own } else { own.or_else(|| self.scopes.module_named(name)) }
    }

    fn use_module(&mut self, scope: ScopeId, stmt: &'a UseStmt, uses: &'a [UseStmt], shared: &[ModuleId]) {
        let found = self.used_module(stmt);
        let name = found.map_or_else(|| stmt.module.text.clone(), |at| self.scopes.module(at).name.clone());
        if let Some(id) = self.scopes.get(scope).proc.filter(|_| !self.scopes.get(scope).is_block)
            && self.defs.proc(id).parent.is_some()
            && self.defs.proc(id).name == name
        {
            // Fortran 2018, 19.3.1.
            let text = format!("procedure `{name}` uses the module of its own name");
            let d = Diagnostic::new(Code::UnitNameReused, stmt.module.span, text);
            self.reporter.report(d.help("give the procedure another name"));
        }
        self.scopes.get_mut(scope).used.push(name.clone());
        let Some(at) = found else {
            if LIBRARIES.contains(&&*name) {
                self.library(scope, stmt, &name);
                return;
            }
            self.scopes.get_mut(scope).tainted = true;
            let near =
                nearest_name(&name, self.scopes.module_names()).map(str::to_owned).filter(|near| **near != *name);
            let is_there = self.scopes.module_named(&own_module_name(&name)).is_some();
            let (text, help) = match stmt.intrinsic {
                Some(true) if is_there => (
                    format!("module `{name}` is no intrinsic module"),
                    "leave `intrinsic` out: a file of the program defines it",
                ),
                Some(true) => (format!("there is no intrinsic module `{name}`"), "check its spelling"),
                Some(false) if self.scopes.module_named(&name).is_some() => {
                    (format!("no file defines module `{name}`"), "leave `non_intrinsic` out: it is an intrinsic module")
                }
                _ => (format!("no file defines module `{name}`"), "give all files of the program, in any order"),
            };
            let d = Diagnostic::new(Code::ModuleNotFound, stmt.module.span, text);
            self.reporter.report(d.suggest(near.as_deref()).help(help));
            return;
        };
        self.resolve_module(at, stmt.module.span);
        let exports = self.scopes.module(at).exports.clone();
        // What any USE statement of this module renames is not known by its own name (Fortran 2018, 14.2.2). A name that the
        // statement gives to another thing of the module is that thing only, as in nvfortran.
        let renamed = |key: &str| {
            let is_local = |i: &ast::UseItem| i.module.is_some() && &*generic_key(&i.local) == key;
            renames(uses, &stmt.module.text).any(|theirs| &*generic_key(theirs) == key)
                || stmt.items.iter().any(is_local)
        };
        let is_shared = is_whole(stmt, uses) && shared.contains(&at);
        if !stmt.only && !is_shared {
            for (key, entry) in exports.iter() {
                if !renamed(key) {
                    self.scopes.import(scope, key, entry, &name, stmt.span);
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
                self.reporter.report(Diagnostic::new(Code::BadRename, generic_span(&item.local), text));
                continue;
            }
            given.push((local.clone(), key.clone()));
            if item.module.is_some() && !may_be_renamed(&item.local, theirs) {
                // Fortran 2018, R1411.
                let text = format!("`{key}` cannot get the name `{local}` here");
                let help = "only names and operators such as `.add.` get other names, of the same sort";
                self.reporter.error_help::<()>(Code::BadRename, generic_span(&item.local), text, help);
                continue;
            }
            if let Some(entry) = exports.get(&key) {
                self.scopes.import(scope, &local, entry, &name, span);
                continue;
            }
            // An intrinsic may be named though the embedded module need not declare it.
            if self.scopes.module(at).embedded
                && let Some(found) = crate::intrinsics::lookup(&key)
            {
                if local != key {
                    self.scopes.define(scope, &local, Sym::Intrinsic(found.id), span);
                }
                continue;
            }
            let owner = self.scopes.module(at).scope;
            // So may one that a module has from an embedded one.
            if let Some(found) = crate::intrinsics::lookup(&key).filter(|_| key.starts_with("c_"))
                && self.uses_embedded(&name, &mut BTreeSet::new())
            {
                if local != key {
                    self.scopes.define(scope, &local, Sym::Intrinsic(found.id), span);
                }
                continue;
            }
            let private = self.scopes.get(owner).names.contains_key(&key);
            let d = if private {
                Diagnostic::new(Code::PrivateName, span, format!("module `{name}` keeps `{key}` private"))
                    .help(format!("add `public :: {key}` to the module"))
            } else if self.scopes.module(at).state == Resolution::InProgress || self.scopes.is_tainted(owner) {
                self.scopes.define(scope, &local, Sym::Error, span);
                continue;
            } else if self.scopes.module(at).embedded {
                let what: Arc<str> = format!("`{key}` of module `{name}`").into();
                let near = nearest_name(&key, exports.keys().map(|n| &**n));
                self.reporter.report(
                    Diagnostic::new(Code::UnsupportedIfReached, span, format!("{what} is not supported"))
                        .note("the program stops with an error if execution reaches a use of it")
                        .suggest(near),
                );
                self.scopes.define(scope, &local, Sym::Refused(what), span);
                continue;
            } else {
                let near = nearest_name(&key, exports.keys().map(|n| &**n));
                Diagnostic::new(Code::NotInModule, span, format!("module `{name}` has no `{key}`")).suggest(near)
            };
            self.reporter.report(d);
            self.scopes.define(scope, &local, Sym::Error, span);
        }
        if self.scopes.is_tainted(self.scopes.module(at).scope) {
            self.scopes.get_mut(scope).tainted = true;
        }
        let owner = self.scopes.module(at).scope;
        if let Some(what) = self.scopes.get(owner).refused.clone() {
            self.scopes.get_mut(scope).refused = Some(what);
        }
    }

    /// Whether a module uses an embedded one, itself or by others.
    fn uses_embedded(&self, name: &Arc<str>, seen: &mut BTreeSet<Arc<str>>) -> bool {
        let Some(at) = self.scopes.module_named(name).filter(|_| seen.insert(name.clone())) else { return false };
        let module = self.scopes.module(at);
        module.embedded || self.scopes.get(module.scope).used.iter().any(|used| self.uses_embedded(used, seen))
    }

    /// A module of a library that this version does not have: what it names is refused where it is used.
    fn library(&mut self, scope: ScopeId, stmt: &'a UseStmt, name: &Arc<str>) {
        self.reporter.report(
            Diagnostic::new(Code::UnsupportedModule, stmt.module.span, format!("module `{name}` is not supported"))
                .note("the program stops with an error if execution reaches a use of it"),
        );
        let what: Arc<str> = format!("module `{name}`").into();
        for item in &stmt.items {
            let local = generic_key(&item.local);
            self.scopes.define(scope, &local, Sym::Refused(what.clone()), generic_span(&item.local));
        }
        if !stmt.only {
            self.scopes.get_mut(scope).refused = Some(what);
        }
    }
}

/// Whether a name is renamed to a name, or a defined operator to another one.
fn may_be_renamed(local: &ast::Generic, theirs: &ast::Generic) -> bool {
    let is_defined = |g: &ast::Generic| generic_key(g).strip_prefix("operator(.").is_some();
    match (local, theirs) {
        (ast::Generic::Name(_), ast::Generic::Name(_)) => true,
        (ast::Generic::Operator(_), ast::Generic::Operator(_)) => is_defined(local) && is_defined(theirs),
        _ => false,
    }
}

/// Whether a USE statement brings in all names as they are.
fn is_whole(stmt: &UseStmt, uses: &[UseStmt]) -> bool {
    !stmt.only && stmt.items.is_empty() && renames(uses, &stmt.module.text).next().is_none()
}

/// What USE statements of a module give other names.
fn renames<'u>(uses: &'u [UseStmt], module: &'u str) -> impl Iterator<Item = &'u ast::Generic> {
    uses.iter().filter(move |u| u.module.as_str() == module).flat_map(|u| &u.items).filter_map(|i| i.module.as_ref())
}
