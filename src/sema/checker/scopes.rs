//! What names mean where: scopes, the modules, and the external procedures of the program.
//!
//! A scope belongs to a module, a procedure, an interface body or a BLOCK. A name whose declaration has not been resolved is
//! [`Sym::Unresolved`]. A name that stands for something wrong is [`Sym::Error`]: the mistake was reported, and uses of the
//! name report nothing more.
//!
//! Not here: resolving declarations (`decl`), USE statements and the order of units (`scope`).

use super::definitions::Resolution;
use super::implicit::ImplicitRules;
use super::names::{Names, Table};
use super::{DeclaredName, StatementFunction};
use crate::checked::{self, GroupObject, Intrinsic, ProcId, Symbol, TypeId, VarId};
use ast::{Declaration, Generic, Subprogram, UseStmt};
use diag::nearest_name;
use source::Span;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Number of a scope.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct ScopeId(u32);

impl ScopeId {
    /// The scope in which nothing is declared.
    pub(crate) const NONE: ScopeId = ScopeId(0);
}

/// What a name means.
#[derive(Clone, Debug)]
pub(crate) enum Sym {
    /// A declaration not yet resolved, by its place in the scope's list.
    Unresolved(usize),
    /// A declaration that is being resolved.
    Resolving,
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
    /// A namelist group, with the name that it was given where it was declared.
    Namelist(Arc<str>, Vec<GroupObject>),
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
    /// What is declared, resolved or not.
    pub(crate) declared: Vec<DeclaredName<'a>>,
    /// The letters for which IMPLICIT statements of the scope have given a type.
    pub(crate) implicit_letters: BTreeSet<char>,
    /// Statement functions.
    pub(crate) functions: Vec<StatementFunction<'a>>,
    /// IMPLICIT statements; none: those of the parent.
    pub(crate) implicit: Option<ImplicitRules>,
    /// SAVE without names.
    pub(crate) save_all: bool,
    /// PRIVATE without names.
    pub(crate) private_default: bool,
    /// Whether a PRIVATE or PUBLIC without names has said so.
    pub(crate) is_access_given: bool,
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
                Symbol::Namelist(group, vars) => Sym::Namelist(group, vars),
                Symbol::Hidden => continue,
            };
            out.names.insert(name, Entry { sym, span: Span::NONE, module: None });
        }
        out.implicit = Some(ImplicitRules::none());
        out
    }
}

/// A module or submodule.
pub(crate) struct Module<'a> {
    /// Its name; that of a submodule has the ancestor's in front of it if another unit is named alike.
    pub(crate) name: Arc<str>,
    pub(crate) span: Span,
    /// Of a submodule, the name of its parent and where it is named.
    pub(crate) ancestor: Option<(Arc<str>, Span)>,
    pub(crate) embedded: bool,
    pub(crate) uses: &'a [UseStmt],
    pub(crate) decls: &'a [Declaration],
    pub(crate) procedures: &'a [Subprogram],
    pub(crate) scope: ScopeId,
    pub(crate) state: Resolution,
    /// Public names.
    pub(crate) exports: Arc<Table>,
}

/// Number of a module.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct ModuleId(u32);

/// All scopes, modules and external procedures.
pub(crate) struct Scopes<'a> {
    list: Vec<ScopeData<'a>>,
    modules: Vec<Module<'a>>,
    module_names: BTreeMap<Arc<str>, ModuleId>,
    /// The names of several modules that are used together.
    tables: BTreeMap<Vec<ModuleId>, Arc<Table>>,
    /// External procedures of the given files.
    externals: BTreeMap<Arc<str>, ProcId>,
    /// External procedures of the run-time library. Those of the given files come first.
    library: BTreeMap<Arc<str>, ProcId>,
    /// The implicit rules of scopes without an IMPLICIT statement.
    standard: ImplicitRules,
}

impl<'a> Scopes<'a> {
    /// One empty scope, number 0. `standard` are the implicit rules of scopes without an IMPLICIT statement.
    pub(crate) fn new(standard: ImplicitRules) -> Scopes<'a> {
        Scopes {
            list: vec![ScopeData::default()],
            modules: Vec::new(),
            module_names: BTreeMap::new(),
            tables: BTreeMap::new(),
            externals: BTreeMap::new(),
            library: BTreeMap::new(),
            standard,
        }
    }

    /// Adds a scope.
    pub(crate) fn add(&mut self, data: ScopeData<'a>) -> ScopeId {
        self.list.push(data);
        ScopeId(self.list.len() as u32 - 1)
    }

    /// The scope of that number.
    pub(crate) fn get(&self, id: ScopeId) -> &ScopeData<'a> {
        &self.list[id.0 as usize]
    }

    /// The scope of that number.
    pub(crate) fn get_mut(&mut self, id: ScopeId) -> &mut ScopeData<'a> {
        &mut self.list[id.0 as usize]
    }

    /// All scopes.
    pub(crate) fn all(&self) -> &[ScopeData<'a>] {
        &self.list
    }

    /// A scope and those around it, innermost first.
    pub(crate) fn around(&self, id: ScopeId) -> impl Iterator<Item = &ScopeData<'a>> {
        std::iter::successors(Some(self.get(id)), |data| data.parent.map(|parent| self.get(parent)))
    }

    /// Gives a name of a scope a meaning.
    pub(crate) fn define(&mut self, scope: ScopeId, name: &Arc<str>, sym: Sym, span: Span) {
        self.get_mut(scope).names.insert(name.clone(), Entry { sym, span, module: None });
    }

    /// Changes what a name of a scope means.
    pub(crate) fn set_sym(&mut self, scope: ScopeId, name: &Arc<str>, sym: Sym) {
        if let Some(entry) = self.get_mut(scope).names.get_mut(name) {
            entry.sym = sym;
        }
    }

    /// Whether a module that is used in a scope or around it could not be found: an unknown name may be that module's.
    pub(crate) fn is_tainted(&self, scope: ScopeId) -> bool {
        self.around(scope).any(|data| data.tainted)
    }

    /// Whether a USE statement of this scope or one around it names a module.
    pub(crate) fn uses_module(&self, scope: ScopeId, name: &str) -> bool {
        self.around(scope).any(|data| data.used.iter().any(|u| &**u == name))
    }

    /// The unsupported library module that is used as a whole in a scope or around it.
    pub(crate) fn refused_module(&self, scope: ScopeId) -> Option<Arc<str>> {
        self.around(scope).find_map(|data| data.refused.clone())
    }

    /// A name known in a scope that looks like this one.
    pub(crate) fn similar(&self, scope: ScopeId, name: &str, fits: impl Fn(&Sym) -> bool) -> Option<String> {
        let names = self.around(scope).flat_map(|data| data.names.all());
        let names: Vec<&str> = names.filter(|(_, e)| fits(&e.sym)).map(|(n, _)| &**n).collect();
        nearest_name(name, names).map(str::to_owned)
    }

    /// The scope of the procedure or module that holds this scope: BLOCK constructs are skipped.
    pub(crate) fn unit_scope(&self, scope: ScopeId) -> ScopeId {
        let mut id = scope;
        while let ScopeData { is_block: true, parent: Some(parent), .. } = self.get(id) {
            id = *parent;
        }
        id
    }

    /// The type that an undeclared name has in a scope.
    pub(crate) fn implicit_type(&self, scope: ScopeId, name: &str) -> Option<checked::Type> {
        self.implicit_rules(scope).of(name)
    }

    /// The implicit rules of a scope.
    pub(crate) fn implicit_rules(&self, scope: ScopeId) -> &ImplicitRules {
        self.around(scope).find_map(|data| data.implicit.as_ref()).unwrap_or(&self.standard)
    }

    /// The module that a scope belongs to.
    pub(crate) fn module_of(&self, scope: ScopeId) -> Option<&Arc<str>> {
        self.around(scope).find_map(|data| data.module.as_ref())
    }

    /// Adds a module.
    pub(crate) fn add_module(&mut self, module: Module<'a>) {
        self.module_names.insert(module.name.clone(), ModuleId(self.modules.len() as u32));
        self.modules.push(module);
    }

    /// The numbers of all modules, in the order of the files.
    pub(crate) fn module_ids(&self) -> impl Iterator<Item = ModuleId> + use<> {
        (0..self.modules.len() as u32).map(ModuleId)
    }

    /// The module of that number.
    pub(crate) fn module(&self, id: ModuleId) -> &Module<'a> {
        &self.modules[id.0 as usize]
    }

    /// The module of that number.
    pub(crate) fn module_mut(&mut self, id: ModuleId) -> &mut Module<'a> {
        &mut self.modules[id.0 as usize]
    }

    /// The module of that name.
    pub(crate) fn module_named(&self, name: &str) -> Option<ModuleId> {
        self.module_names.get(name).copied()
    }

    /// The names of all modules.
    pub(crate) fn module_names(&self) -> impl Iterator<Item = &str> {
        self.module_names.keys().map(|n| &**n)
    }

    /// The scopes of the embedded modules.
    pub(crate) fn embedded_scopes(&self) -> impl Iterator<Item = ScopeId> {
        self.modules.iter().filter(|m| m.embedded).map(|m| m.scope)
    }

    /// The public names of a module's scope, as scopes that use the module know them.
    pub(crate) fn exports(&self, scope: ScopeId, module: &Arc<str>) -> Table {
        let data = self.get(scope);
        let is_public = |name: &Arc<str>| !data.access.get(name).copied().unwrap_or(data.private_default);
        data.names
            .all()
            .filter(|(name, entry)| is_public(name) && !matches!(entry.sym, Sym::Unresolved(_) | Sym::Resolving))
            .map(|(name, entry)| (name.clone(), Entry { module: Some(module.clone()), ..entry.clone() }))
            .collect()
    }

    /// The names of modules that are used together. Scopes that use the same ones share the table.
    pub(crate) fn table_of(&mut self, modules: &[ModuleId]) -> Option<Arc<Table>> {
        let [first, others @ ..] = modules else { return None };
        if others.is_empty() {
            return Some(self.module(*first).exports.clone());
        }
        if let Some(table) = self.tables.get(modules) {
            return Some(table.clone());
        }
        let mut table = Table::clone(&self.module(*first).exports);
        for &at in others {
            for (key, entry) in self.module(at).exports.iter() {
                super::names::add(&mut table, key, entry.clone());
            }
        }
        let table = Arc::new(table);
        self.tables.insert(modules.to_vec(), table.clone());
        Some(table)
    }

    /// Brings a name of a module into a scope.
    pub(crate) fn import(&mut self, scope: ScopeId, local: &Arc<str>, entry: &Entry, module: &Arc<str>, span: Span) {
        let new = Entry { sym: entry.sym.clone(), span, module: Some(module.clone()) };
        let names = &mut self.get_mut(scope).names;
        match names.get_mut(local) {
            None => names.insert(local.clone(), new),
            Some(old) => super::names::join(local, old, &new),
        }
    }

    /// Whether a module is used here, directly or through modules that use it.
    pub(crate) fn reaches_module(&self, scope: ScopeId, name: &str) -> bool {
        let mut seen: BTreeSet<&str> = BTreeSet::new();
        let mut open: Vec<&str> = self.around(scope).flat_map(|data| data.used.iter().map(|u| &**u)).collect();
        while let Some(used) = open.pop() {
            if used == name {
                return true;
            }
            if seen.insert(used)
                && let Some(module) = self.module_named(used)
            {
                open.extend(self.get(self.module(module).scope).used.iter().map(|u| &**u));
            }
        }
        false
    }

    /// Adds an external procedure of the given files.
    pub(crate) fn add_external(&mut self, name: &Arc<str>, id: ProcId) {
        self.externals.insert(name.clone(), id);
    }

    /// Adds a procedure of the run-time library.
    pub(crate) fn add_library_procedure(&mut self, name: &Arc<str>, id: ProcId) {
        self.library.insert(name.clone(), id);
    }

    /// The external procedure of a name: one of the given files, else one of the run-time library.
    pub(crate) fn external(&self, name: &str) -> Option<ProcId> {
        self.own_external(name).or_else(|| self.library(name))
    }

    /// The procedure of the run-time library that has a name.
    pub(crate) fn library(&self, name: &str) -> Option<ProcId> {
        self.library.get(name).copied()
    }

    /// The external procedure of the given files that has a name.
    pub(crate) fn own_external(&self, name: &str) -> Option<ProcId> {
        self.externals.get(name).copied()
    }

    /// The external procedures of the given files.
    pub(crate) fn externals(&self) -> &BTreeMap<Arc<str>, ProcId> {
        &self.externals
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
