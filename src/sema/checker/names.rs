//! The names of one scope: those that it declares, and those of the modules that it uses as a whole.
//!
//! Thousands of procedures may say `use cudafor`. What a module brings in is one table that all of them share; a scope has
//! entries of its own only for what it declares, renames or picks with ONLY.

use super::{Entry, Sym};
use crate::checked::{ProcId, TypeId};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// What modules bring in.
pub(crate) type Table = BTreeMap<Arc<str>, Entry>;

/// The names of a scope.
#[derive(Default)]
pub(crate) struct Names {
    own: Table,
    used: Option<Arc<Table>>,
    /// Names of `used` that are taken away here and not declared anew.
    hidden: BTreeSet<Arc<str>>,
}

impl Names {
    /// What a name means here.
    pub(crate) fn get(&self, name: &str) -> Option<&Entry> {
        self.own.get(name).or_else(|| self.shared(name))
    }

    fn shared(&self, name: &str) -> Option<&Entry> {
        let entry = self.used.as_ref()?.get(name)?;
        (!self.hidden.contains(name)).then_some(entry)
    }

    /// What a name means here, to be changed for this scope alone.
    pub(crate) fn get_mut(&mut self, name: &Arc<str>) -> Option<&mut Entry> {
        if !self.own.contains_key(name) {
            let copy = self.shared(name)?.clone();
            self.own.insert(name.clone(), copy);
        }
        self.own.get_mut(name)
    }

    /// Whether a name means something here.
    pub(crate) fn contains_key(&self, name: &str) -> bool {
        self.get(name).is_some()
    }

    /// Gives a name a meaning.
    pub(crate) fn insert(&mut self, name: Arc<str>, entry: Entry) {
        self.own.insert(name, entry);
    }

    /// Takes a name away.
    pub(crate) fn remove(&mut self, name: &Arc<str>) {
        self.own.remove(name);
        if self.used.as_ref().is_some_and(|used| used.contains_key(name)) {
            self.hidden.insert(name.clone());
        }
    }

    /// Takes away the names that are not to be kept, and all that modules bring in.
    pub(crate) fn keep(&mut self, is_kept: impl Fn(&str) -> bool) {
        self.own.retain(|name, _| is_kept(name));
        self.used = None;
        self.hidden.clear();
    }

    /// Brings in all names of a table, which must come before any other name.
    pub(crate) fn share(&mut self, table: Arc<Table>) {
        self.used = Some(table);
    }

    /// Whether there is no name.
    pub(crate) fn is_empty(&self) -> bool {
        self.own.is_empty() && self.used.is_none()
    }

    /// The names that are not shared.
    pub(crate) fn own(&self) -> impl Iterator<Item = (&Arc<str>, &Entry)> {
        self.own.iter()
    }

    /// The shared names, some of which may have another meaning here.
    pub(crate) fn used(&self) -> Option<&Arc<Table>> {
        self.used.as_ref()
    }

    /// All names.
    pub(crate) fn all(&self) -> impl Iterator<Item = (&Arc<str>, &Entry)> {
        let used = self.used.iter().flat_map(|used| used.iter());
        let seen = used.filter(|(name, _)| !self.own.contains_key(*name) && !self.hidden.contains(*name));
        self.own.iter().chain(seen)
    }
}

/// Adds a name to a table.
pub(super) fn add(table: &mut Table, key: &Arc<str>, new: Entry) {
    match table.get_mut(key) {
        None => {
            table.insert(key.clone(), new);
        }
        Some(old) => join(key, old, &new),
    }
}

/// Adds a second meaning of a name that a module brought in.
pub(super) fn join(name: &str, old: &mut Entry, new: &Entry) {
    // A generic name extends the intrinsic procedure of its own name (Fortran 2018, 15.4.3.4.4).
    let is_own = |sym: &Sym| matches!(sym, Sym::Intrinsic(id) if id.name() == name);
    let is_generic = |sym: &Sym| matches!(sym, Sym::Generic { .. });
    if is_generic(&old.sym) && is_own(&new.sym) {
        return;
    }
    if is_own(&old.sym) && is_generic(&new.sym) {
        *old = new.clone();
        return;
    }
    let modules = || Some((old.module.clone().or_else(|| new.module.clone())?, new.module.clone()?));
    old.sym = match (merged(&old.sym, &new.sym), modules()) {
        (Some(sym), _) => sym,
        (None, Some((one, other))) => Sym::Ambiguous(one, other),
        (None, None) => Sym::Error,
    };
}

/// One meaning out of two; `None` when they contradict each other.
pub(crate) fn merged(old: &Sym, new: &Sym) -> Option<Sym> {
    fn list(sym: &Sym) -> Option<(Vec<ProcId>, Option<TypeId>)> {
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
        (Sym::Namelist(_, a), Sym::Namelist(_, b)) => a == b,
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
