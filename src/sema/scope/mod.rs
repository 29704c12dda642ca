//! Scopes: what names mean where.
//!
//! A scope belongs to a module, a procedure, an interface body or a BLOCK. A name whose declaration has not been settled
//! is [`Sym::Pending`]; asking for it settles it. Names that stand for something wrong are [`Sym::Error`]: whoever meets one
//! stays silent, since it was reported.

mod fill;
mod foreign;
mod implicit;
mod names;
mod units;
mod uses;

pub(crate) use implicit::ImplicitRules;
pub(crate) use names::{Names, Table};
pub(crate) use units::{Module, State};
pub(crate) use uses::merged;

use crate::checked::{self, ProcId, Symbol, TypeId, VarId};
use crate::checker::Checker;
use crate::decl::{Pending, StatementFunction};
use crate::intrinsic::Intrinsic;
use ast::Generic;
use diag::nearest_name;
use source::Span;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Number of a scope.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct ScopeId(pub(crate) u32);

/// What a name means.
#[derive(Clone, Debug)]
pub(crate) enum Sym {
    /// A declaration not yet settled, by its place in the scope's list.
    Pending(usize),
    /// A declaration that is being settled.
    Settling,
    /// A variable or named constant.
    Var(VarId),
    /// A procedure.
    Proc(ProcId),
    /// A generic name; perhaps a type's too.
    Generic {
        /// Specific procedures.
        procs: Vec<ProcId>,
        /// A derived type of that name.
        ty: Option<TypeId>,
    },
    /// A derived type.
    Type(TypeId),
    /// An intrinsic procedure.
    Intrinsic(Intrinsic),
    /// A namelist group.
    Namelist(Vec<VarId>),
    /// A statement function, by its place in the scope's list.
    StatementFunction(ScopeId, usize),
    /// Something that is not supported, and what.
    Refused(Arc<str>),
    /// Two meanings from two modules.
    Ambiguous(Arc<str>, Arc<str>),
    /// Something wrong that was reported.
    Error,
}

/// A name of a scope.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    /// What it means.
    pub(crate) sym: Sym,
    /// Where it was declared.
    pub(crate) span: Span,
    /// The module that it was used from.
    pub(crate) module: Option<Arc<str>>,
}

/// A scope.
#[derive(Default)]
pub(crate) struct ScopeData<'a> {
    /// The scope around it, whose names it knows too.
    pub(crate) parent: Option<ScopeId>,
    /// Of an interface body without IMPORT: the scope that it stands in, whose names it does not know.
    pub(crate) host: Option<ScopeId>,
    /// The procedure whose scope it is or is in.
    pub(crate) proc: Option<ProcId>,
    /// The module whose scope it is or is in.
    pub(crate) module: Option<Arc<str>>,
    /// Whether it is a BLOCK construct or the inside of an implied DO.
    pub(crate) is_block: bool,
    /// Its names.
    pub(crate) names: Names,
    /// Declarations, settled or not.
    pub(crate) pending: Vec<Pending<'a>>,
    /// Statement functions.
    pub(crate) functions: Vec<StatementFunction<'a>>,
    /// IMPLICIT statements; none: those of the parent.
    pub(crate) implicit: Option<ImplicitRules>,
    /// SAVE without names.
    pub(crate) save_all: bool,
    /// PRIVATE without names.
    pub(crate) private_default: bool,
    /// Names with an access attribute: whether private.
    pub(crate) access: BTreeMap<Arc<str>, bool>,
    /// Whether a module that it uses could not be found: unknown names may be that module's.
    pub(crate) tainted: bool,
    /// Whether declarations of this very scope are lost (it is tainted too): its names may have more attributes than are known.
    pub(crate) lost: bool,
    /// A library module that it uses and that is not supported: unknown names may be that module's.
    pub(crate) refused: Option<Arc<str>>,
    /// Modules that it uses.
    pub(crate) used: Vec<Arc<str>>,
    /// Names whose absence was reported.
    pub(crate) missing: Vec<Arc<str>>,
}

impl ScopeData<'_> {
    /// The scope of a procedure that was checked before.
    pub(crate) fn finished(scope: &checked::Scope) -> ScopeData<'static> {
        let mut out = ScopeData::default();
        for (name, symbol) in scope.all() {
            let sym = match symbol {
                Symbol::Var(id) => Sym::Var(id),
                Symbol::Proc(id) => Sym::Proc(id),
                Symbol::Generic { procs, ty } => Sym::Generic { procs, ty },
                Symbol::Type(id) => Sym::Type(id),
                Symbol::Intrinsic(id) => Sym::Intrinsic(id),
                Symbol::Namelist(vars) => Sym::Namelist(vars),
                Symbol::Hidden => continue,
            };
            out.names.insert(name, Entry { sym, span: Span::NONE, module: None });
        }
        out.implicit = Some(ImplicitRules::none());
        out
    }
}

impl<'a> Checker<'a> {
    /// Makes a scope.
    pub(crate) fn add_scope(&mut self, data: ScopeData<'a>) -> ScopeId {
        self.scopes.push(data);
        ScopeId(self.scopes.len() as u32 - 1)
    }

    /// The scope of that number.
    pub(crate) fn scope(&mut self, id: ScopeId) -> &mut ScopeData<'a> {
        &mut self.scopes[id.0 as usize]
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
            at = self.scopes[id.0 as usize].parent;
        }
        None
    }

    /// What a name of this very scope means.
    pub(crate) fn own(&mut self, scope: ScopeId, name: &str) -> Option<Sym> {
        match &self.scopes[scope.0 as usize].names.get(name)?.sym {
            Sym::Pending(i) => {
                let i = *i;
                Some(self.settle(scope, i))
            }
            other => Some(other.clone()),
        }
    }

    /// Gives a name of a scope a meaning.
    pub(crate) fn define(&mut self, scope: ScopeId, name: &Arc<str>, sym: Sym, span: Span) {
        self.scope(scope).names.insert(name.clone(), Entry { sym, span, module: None });
    }

    /// Whether some module that is used here could not be found.
    pub(crate) fn is_tainted(&self, scope: ScopeId) -> bool {
        let mut at = Some(scope);
        while let Some(id) = at {
            let data = &self.scopes[id.0 as usize];
            if data.tainted {
                return true;
            }
            at = data.parent;
        }
        false
    }

    /// Whether a USE statement of this scope or one around it names a module.
    pub(crate) fn uses_module(&self, name: &str) -> bool {
        let mut at = Some(self.cx.scope);
        while let Some(id) = at {
            let data = &self.scopes[id.0 as usize];
            if data.used.iter().any(|u| &**u == name) {
                return true;
            }
            at = data.parent;
        }
        false
    }

    /// Refuses a foreign name: what belongs to an unsupported module was reported with it.
    pub(crate) fn refuse_foreign<T>(&mut self, what: &Arc<str>, span: Span) -> Option<T> {
        if what.starts_with("module ") { self.refuse_again(what) } else { self.refuse(span, what.to_string()) }
    }

    /// A known name that looks like this one.
    pub(crate) fn similar(&self, name: &str, fits: impl Fn(&Sym) -> bool) -> Option<String> {
        let mut at = Some(self.cx.scope);
        let mut names: Vec<&str> = Vec::new();
        while let Some(id) = at {
            let data = &self.scopes[id.0 as usize];
            names.extend(data.names.all().filter(|(_, e)| fits(&e.sym)).map(|(n, _)| &**n));
            at = data.parent;
        }
        nearest_name(name, names).map(str::to_owned)
    }

    /// The scope of the procedure or module that holds this scope: BLOCK constructs are passed over.
    pub(crate) fn unit_scope(&self, scope: ScopeId) -> ScopeId {
        let mut id = scope;
        while self.scopes[id.0 as usize].is_block {
            match self.scopes[id.0 as usize].parent {
                Some(parent) => id = parent,
                None => break,
            }
        }
        id
    }
}

/// The name under which a scope holds what a generic specification names.
pub(crate) fn generic_key(generic: &Generic) -> Arc<str> {
    match generic {
        Generic::Name(name) => name.text.clone(),
        Generic::Operator(name) => operator_key(name.as_str()),
        Generic::Assignment(_) => "assignment(=)".into(),
        Generic::Io(name) => name.text.clone(),
    }
}

/// `operator(…)` with one spelling for each operator.
pub(crate) fn operator_key(op: &str) -> Arc<str> {
    let op = match op {
        ".eq." => "==",
        ".ne." => "/=",
        ".lt." => "<",
        ".le." => "<=",
        ".gt." => ">",
        ".ge." => ">=",
        other => other,
    };
    format!("operator({op})").into()
}

/// Where a generic specification stands.
pub(crate) fn generic_span(generic: &Generic) -> Span {
    match generic {
        Generic::Name(name) | Generic::Operator(name) | Generic::Io(name) => name.span,
        Generic::Assignment(span) => *span,
    }
}
