//! Names and units: looking names up, USE statements, the order in which modules are resolved, names that are known but not
//! supported, and the names that the checked program keeps for the debugger.
//!
//! The tables of names are in [`Scopes`]. Looking a name up may resolve its declaration.

mod fill;
mod foreign;
mod units;
mod uses;

pub(crate) use foreign::{is_host_function, without_type};

use crate::checked::{ProcId, ProcKind};
use crate::checker::{Checker, CodeSide, ScopeId, Sym};
use crate::typing::Typing;
use ast::Name;
use source::Span;
use std::sync::Arc;

impl Checker<'_> {
    /// What a name means here. Routines of CUDA's runtime that device code may call, too, have a procedure of device code beside that
    /// of the host (CUDA C++ Programming Guide, "CUDA Dynamic Parallelism", "Device-Side Runtime API").
    pub(crate) fn find_name(&mut self, name: &Name) -> Option<Sym> {
        let found = self.find(&name.text);
        let is_of_host = |id: ProcId| {
            self.cx.side == CodeSide::Device
                && self.defs.proc_info(id).embedded
                && self.defs.proc(id).kind == ProcKind::Host
        };
        match &found {
            Some(Sym::Proc(id)) if is_of_host(*id) => self.device_module_name(&name.text).or(found),
            Some(Sym::Generic { procs, .. }) if procs.iter().all(|id| is_of_host(*id)) => {
                self.device_module_name(&name.text).or(found)
            }
            Some(Sym::Ambiguous(..)) => self.of_this_side(&name.text).or(found),
            _ => found,
        }
    }

    /// The routine of CUDA's runtime of that name for host code, or for device code, where both modules that declare it are used.
    fn of_this_side(&mut self, name: &str) -> Option<Sym> {
        let modules = ["cudafor", "cudadevice"];
        let is_used = |module: &&str| self.scopes.reaches_module(self.cx.scope, module);
        if !modules.iter().all(is_used) {
            return None;
        }
        let meanings = modules.map(|module| {
            let module = self.scopes.module(self.scopes.module_named(module)?);
            module.exports.get(name).filter(|_| module.embedded).map(|entry| entry.sym.clone())
        });
        match meanings {
            [
                Some(host @ (Sym::Proc(_) | Sym::Generic { .. })),
                Some(device @ (Sym::Proc(_) | Sym::Generic { .. })),
            ] => Some(if self.cx.side.on_device() { device } else { host }),
            _ => None,
        }
    }

    /// What a name means here.
    pub(crate) fn find(&mut self, name: &str) -> Option<Sym> {
        self.find_from(self.cx.scope, name)
    }

    /// What a name means in a scope. A generic name has the specific procedures of the scopes around, too, if it is generic
    /// there (Fortran 2018, 15.4.3.4.1).
    pub(crate) fn find_from(&mut self, scope: ScopeId, name: &str) -> Option<Sym> {
        let mut at = Some(scope);
        let mut found: Option<Sym> = None;
        while let Some(id) = at {
            match (self.own(id, name), &mut found) {
                (Some(Sym::Generic { procs: outer, .. }), Some(Sym::Generic { procs, .. })) => {
                    let more: Vec<ProcId> = outer.into_iter().filter(|p| !procs.contains(p)).collect();
                    procs.extend(more);
                }
                (Some(_), Some(_)) => break,
                (Some(sym), None) => found = Some(sym),
                (None, _) => {}
            }
            if found.as_ref().is_some_and(|sym| !matches!(sym, Sym::Generic { .. })) {
                break;
            }
            at = self.scopes.get(id).parent;
        }
        found
    }

    /// The procedure of a name; of a generic one the specific procedure with that name.
    pub(crate) fn specific_named(&mut self, scope: ScopeId, name: &str) -> Option<ProcId> {
        match self.find_from(scope, name)? {
            Sym::Proc(id) => Some(id),
            Sym::Generic { procs, .. } => procs.into_iter().find(|p| &*self.defs.proc(*p).name == name),
            _ => None,
        }
    }

    /// What a name of this very scope means.
    pub(crate) fn own(&mut self, scope: ScopeId, name: &str) -> Option<Sym> {
        match &self.scopes.get(scope).names.get(name)?.sym {
            Sym::Unresolved(i) => {
                let i = *i;
                Some(self.resolve(scope, i))
            }
            other => Some(other.clone()),
        }
    }
}

impl Typing<'_> {
    /// Refuses a foreign name: what belongs to an unsupported module was reported with it.
    pub(crate) fn refuse_foreign<T>(&mut self, what: &Arc<str>, span: Span) -> Option<T> {
        if what.starts_with("module ") {
            self.reporter.refuse_again(what)
        } else {
            self.reporter.refuse(span, what.to_string())
        }
    }
}
