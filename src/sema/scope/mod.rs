//! Names and units: looking names up, USE statements, the order in which modules are resolved, names that are known but not
//! supported, and the names that the checked program keeps for the debugger.
//!
//! The tables of names are in [`Scopes`]. Looking a name up may resolve its declaration.

mod fill;
mod foreign;
mod units;
mod uses;

pub(crate) use foreign::refused_entry;
pub(crate) use units::entries;

use crate::checker::{Checker, ScopeId, Sym};
use crate::typing::Typing;
use ast::Name;
use source::Span;
use std::sync::Arc;

impl Checker<'_> {
    /// What a name means here.
    pub(crate) fn find_name(&mut self, name: &Name) -> Option<Sym> {
        self.find(&name.text)
    }

    /// What a name means here.
    pub(crate) fn find(&mut self, name: &str) -> Option<Sym> {
        self.find_from(self.cx.scope, name)
    }

    /// What a name means in a scope.
    pub(crate) fn find_from(&mut self, scope: ScopeId, name: &str) -> Option<Sym> {
        let mut at = Some(scope);
        while let Some(id) = at {
            if let Some(sym) = self.own(id, name) {
                return Some(sym);
            }
            at = self.scopes.get(id).parent;
        }
        None
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
