//! The procedures, variables and derived types found so far: the checked program under construction, and beside each of them
//! what only the checker needs to know.
//!
//! [`Definitions`] reads as the [`Program`] that it will become. Entries are added and never removed, so ids stay valid.
//!
//! Not here: names ([`super::Scopes`]), and the rules by which entries are made (`decl`).

use super::scopes::ScopeId;
use crate::checked::{
    Const, DerivedType, Expr, Field, Module, ProcBody, ProcId, Procedure, Program, Scope, SharedVariable, Type, TypeId,
    TypeParam, VarId, Variable,
};
use ast::{self, Subprogram};
use source::Span;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Deref;
use std::sync::Arc;

/// How far something has been resolved.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Resolution {
    /// Not begun.
    Untouched,
    /// Begun: meeting it again is a cycle.
    InProgress,
    /// Done.
    Done,
}

/// What is known of a procedure beyond its checked form.
pub(crate) struct ProcInfo<'a> {
    /// Its definition or interface body.
    pub(crate) ast: Option<&'a Subprogram>,
    /// What holds its statements, where that is not `ast`: a separate module procedure.
    pub(crate) separate: Option<&'a Subprogram>,
    pub(crate) scope: ScopeId,
    pub(crate) state: Resolution,
    /// Whether it is an interface body: it has no statements.
    pub(crate) is_interface: bool,
    /// Whether that body stands in an abstract interface: there is no such procedure.
    pub(crate) is_abstract: bool,
    /// Whether it stems from an embedded module.
    pub(crate) embedded: bool,
    /// The procedure whose interface it has, where `procedure(…)` says so.
    pub(crate) like: Option<ProcId>,
    /// Whether nothing is known of its dummies.
    pub(crate) unknown_dummies: bool,
    /// The name by `bind(c, name=…)`.
    pub(crate) bind: Option<Arc<str>>,
    /// What it has that is not supported.
    pub(crate) refused: Option<Arc<str>>,
    /// Whether a dummy or its result could not be resolved: calls are not checked against it.
    pub(crate) is_broken: bool,
    /// Procedures that it refers to, and where.
    pub(crate) calls: Vec<(ProcId, Span)>,
    /// Texts of its FORMAT statements.
    pub(crate) formats: BTreeMap<u32, Arc<str>>,
    /// Labels of its statements.
    pub(crate) labels: BTreeSet<u32>,
    /// Labels that ASSIGN statements give to variables.
    pub(crate) assigned: BTreeSet<u32>,
    /// The procedures that its ENTRY statements define, and the statements.
    pub(crate) entries: Vec<(ProcId, &'a ast::Stmt)>,
    /// Whether it was reported that nothing defines it.
    pub(crate) reported_missing: bool,
    /// IGNORE_TKR letters that interface bodies give its dummies, by position.
    pub(crate) ignored: Vec<(usize, Arc<str>)>,
    /// The hidden last argument that says by which label a call is left, where there are such labels.
    pub(crate) alternate: Option<VarId>,
}

impl ProcInfo<'_> {
    /// A procedure of a program that was checked before.
    pub(crate) fn finished(p: &Procedure) -> ProcInfo<'static> {
        ProcInfo { embedded: matches!(p.body, ProcBody::Service(_)), ..ProcInfo::unknown() }
    }

    /// A procedure without a tree.
    pub(crate) fn unknown() -> ProcInfo<'static> {
        ProcInfo {
            ast: None,
            separate: None,
            scope: ScopeId::NONE,
            state: Resolution::Done,
            is_interface: false,
            is_abstract: false,
            embedded: false,
            like: None,
            unknown_dummies: false,
            bind: None,
            refused: None,
            is_broken: false,
            calls: Vec::new(),
            formats: BTreeMap::new(),
            labels: BTreeSet::new(),
            assigned: BTreeSet::new(),
            entries: Vec::new(),
            reported_missing: false,
            ignored: Vec::new(),
            alternate: None,
        }
    }
}

/// What is known of a derived type beyond its checked form.
pub(crate) struct TypeInfo<'a> {
    pub(crate) ast: Option<&'a ast::DerivedType>,
    pub(crate) scope: ScopeId,
    pub(crate) state: Resolution,
    pub(crate) parent: Option<TypeId>,
    /// How many fields stem from the parent.
    pub(crate) inherited: usize,
    /// Type-bound procedures: name, procedure, the position of the passed object (`None` with NOPASS).
    pub(crate) bindings: BTreeMap<Arc<str>, Binding>,
    /// Private components and type-bound names, each with the module that may use it.
    pub(crate) private: BTreeMap<Arc<str>, Arc<str>>,
    /// Type-bound names that no extension may bind to another procedure.
    pub(crate) non_overridable: BTreeSet<Arc<str>>,
    /// The definition with type parameters that it is an instance of.
    pub(crate) template: Option<TypeId>,
    /// What it has that is not supported.
    pub(crate) refused: Option<Arc<str>>,
    /// Whether a component could not be resolved: an unknown one may be that.
    pub(crate) is_broken: bool,
}

/// A type-bound name.
#[derive(Clone, Debug)]
pub(crate) enum Binding {
    /// A procedure, and whether the object is passed, by which dummy name.
    Procedure {
        /// The procedure's name in the type's scope.
        name: Arc<str>,
        /// NOPASS.
        nopass: bool,
        /// DEFERRED.
        deferred: bool,
        /// `pass(name)`
        pass: Option<Arc<str>>,
        /// Where the type was defined that binds it: the procedure is looked for from there.
        scope: ScopeId,
    },
    /// A generic binding with its specific ones.
    Generic(Vec<Arc<str>>),
    /// A procedure pointer component.
    Pointer {
        /// Its interface, or the type of its result.
        interface: Option<Arc<ast::TypeSpec>>,
        /// NOPASS.
        nopass: bool,
        /// `pass(name)`
        pass: Option<Arc<str>>,
        /// Where the type was defined.
        scope: ScopeId,
    },
}

impl TypeInfo<'_> {
    /// A type of a program that was checked before.
    pub(crate) fn finished() -> TypeInfo<'static> {
        TypeInfo {
            ast: None,
            scope: ScopeId::NONE,
            state: Resolution::Done,
            parent: None,
            inherited: 0,
            bindings: BTreeMap::new(),
            private: BTreeMap::new(),
            non_overridable: BTreeSet::new(),
            template: None,
            refused: None,
            is_broken: false,
        }
    }

    /// A type of which nothing is known yet.
    pub(crate) fn untouched() -> TypeInfo<'static> {
        TypeInfo { state: Resolution::Untouched, ..TypeInfo::finished() }
    }
}

/// What is known of a variable beyond its checked form.
#[derive(Clone, Debug, Default)]
pub(crate) struct VarInfo {
    /// It has a type and nothing else: a reference with arguments makes it a function.
    pub(crate) typed_only: bool,
    /// Declared by use only, under the implicit rules.
    pub(crate) implicit: bool,
    /// It is a named constant, though it has memory like a variable.
    pub(crate) is_constant: bool,
    /// Declared with CLASS, whether some type extends its own or not.
    pub(crate) polymorphic: bool,
    /// The interface of a procedure dummy or pointer, where it is known.
    pub(crate) interface: Option<ProcId>,
    /// Whether it is a procedure pointer.
    pub(crate) procedure_pointer: bool,
    /// The result of the procedures that it points to, where only that is declared.
    pub(crate) result: Option<Type>,
    /// The procedure that stands for calls through it.
    pub(crate) through: Option<ProcId>,
}

/// The checked program under construction.
#[derive(Default)]
pub(crate) struct Definitions<'a> {
    program: Program,
    /// Parallel to the program's procedures.
    procs: Vec<ProcInfo<'a>>,
    /// Parallel to the program's types.
    types: Vec<TypeInfo<'a>>,
    /// Parallel to the program's variables.
    vars: Vec<VarInfo>,
    /// Names of derived types that some type of the program extends.
    extended: BTreeSet<Arc<str>>,
}

impl Deref for Definitions<'_> {
    type Target = Program;

    fn deref(&self) -> &Program {
        &self.program
    }
}

impl<'a> Definitions<'a> {
    /// The definitions of a finished program, without its statements and names.
    pub(crate) fn of_finished(program: &Program) -> Definitions<'a> {
        Definitions {
            program: Program {
                procs: program.procs.iter().map(head_of).collect(),
                vars: program.vars.clone(),
                types: program.types.clone(),
                modules: Vec::new(),
                constants: program.constants.clone(),
                main: program.main,
                pointed: program.pointed.clone(),
                named: program.named.clone(),
                shared: program.shared.clone(),
            },
            procs: program.procs.iter().map(ProcInfo::finished).collect(),
            types: program.types.iter().map(|_| TypeInfo::finished()).collect(),
            vars: vec![VarInfo::default(); program.vars.len()],
            extended: BTreeSet::new(),
        }
    }

    /// Notes which procedures C code calls by name, and which variables it has too.
    pub(crate) fn share_with_c(&mut self, named: Vec<(Arc<str>, ProcId)>, shared: Vec<SharedVariable>) {
        (self.program.named, self.program.shared) = (named, shared);
    }

    /// Notes the value of a named constant that is an object, made at run time.
    pub(crate) fn note_constant(&mut self, id: VarId, value: Const) {
        self.program.constants.insert(id, value);
    }

    /// The finished program.
    pub(crate) fn into_program(self) -> Program {
        self.program
    }

    /// The procedure at a place in the order of definition. Resolving procedures may add more.
    pub(crate) fn proc_at(&self, at: usize) -> Option<ProcId> {
        (at < self.procs.len()).then_some(ProcId(at as u32))
    }

    /// The type at a place in the order of definition. Resolving types may add more.
    pub(crate) fn type_at(&self, at: usize) -> Option<TypeId> {
        (at < self.types.len()).then_some(TypeId(at as u32))
    }

    /// The ids of all procedures that exist now.
    pub(crate) fn proc_ids(&self) -> impl Iterator<Item = ProcId> + use<> {
        (0..self.procs.len() as u32).map(ProcId)
    }

    /// The ids of all types that exist now.
    pub(crate) fn type_ids(&self) -> impl Iterator<Item = TypeId> + use<> {
        (0..self.types.len() as u32).map(TypeId)
    }

    /// The checked form of a procedure.
    pub(crate) fn proc_mut(&mut self, id: ProcId) -> &mut Procedure {
        &mut self.program.procs[id.0 as usize]
    }

    /// The checked form of a variable.
    pub(crate) fn var_mut(&mut self, id: VarId) -> &mut Variable {
        &mut self.program.vars[id.0 as usize]
    }

    /// The checked form of a type.
    pub(crate) fn ty_mut(&mut self, id: TypeId) -> &mut DerivedType {
        &mut self.program.types[id.0 as usize]
    }

    /// What is known of a procedure beyond its checked form.
    pub(crate) fn proc_info(&self, id: ProcId) -> &ProcInfo<'a> {
        &self.procs[id.0 as usize]
    }

    /// What is known of a procedure beyond its checked form.
    pub(crate) fn proc_info_mut(&mut self, id: ProcId) -> &mut ProcInfo<'a> {
        &mut self.procs[id.0 as usize]
    }

    /// What is known of a type beyond its checked form.
    pub(crate) fn type_info(&self, id: TypeId) -> &TypeInfo<'a> {
        &self.types[id.0 as usize]
    }

    /// What is known of a type beyond its checked form.
    pub(crate) fn type_info_mut(&mut self, id: TypeId) -> &mut TypeInfo<'a> {
        &mut self.types[id.0 as usize]
    }

    /// What is known of a variable beyond its checked form.
    pub(crate) fn var_info(&self, id: VarId) -> &VarInfo {
        &self.vars[id.0 as usize]
    }

    /// What is known of a variable beyond its checked form.
    pub(crate) fn var_info_mut(&mut self, id: VarId) -> &mut VarInfo {
        &mut self.vars[id.0 as usize]
    }

    /// The id that the next procedure gets.
    pub(crate) fn next_proc(&self) -> ProcId {
        ProcId(self.procs.len() as u32)
    }

    /// The number that the next variable gets.
    pub(crate) fn next_var(&self) -> u32 {
        self.vars.len() as u32
    }

    /// Adds a procedure.
    pub(crate) fn add_proc(&mut self, proc: Procedure, info: ProcInfo<'a>) -> ProcId {
        let id = self.next_proc();
        self.program.procs.push(proc);
        self.procs.push(info);
        id
    }

    /// Adds a type.
    pub(crate) fn add_type(&mut self, ty: DerivedType, info: TypeInfo<'a>) -> TypeId {
        let id = TypeId(self.types.len() as u32);
        self.program.types.push(ty);
        self.types.push(info);
        id
    }

    /// Adds a variable to the program and to its owner.
    pub(crate) fn add_var(&mut self, var: Variable, info: VarInfo) -> VarId {
        let id = VarId(self.next_var());
        if let Some(owner) = var.owner {
            self.proc_mut(owner).vars.push(id);
        }
        self.program.vars.push(var);
        self.vars.push(info);
        id
    }

    /// Removes a variable that only served the checker from the variables of its owner.
    pub(crate) fn remove_from_owner(&mut self, id: VarId) {
        if let Some(owner) = self.var(id).owner {
            self.proc_mut(owner).vars.retain(|v| *v != id);
        }
    }

    /// Adds a module, whose names are filled in at the end.
    pub(crate) fn add_module(&mut self, name: Arc<str>, embedded: bool) {
        self.program.modules.push(Module { name, embedded, scope: Scope::default() });
    }

    /// Fills in the names of a module, by its place.
    pub(crate) fn set_module_scope(&mut self, at: usize, scope: Scope) {
        self.program.modules[at].scope = scope;
    }

    /// Sets the main program.
    pub(crate) fn set_main(&mut self, id: ProcId) {
        self.program.main = Some(id);
    }

    /// The constant that stands for a procedure as the first value of a procedure pointer component.
    pub(crate) fn procedure_constant(&mut self, id: ProcId) -> Const {
        self.program.pointed.push(id);
        Const::Int(i64::from(id.0) + 1)
    }

    /// Notes the names of types that other types extend.
    pub(crate) fn note_extended(&mut self, names: impl IntoIterator<Item = Arc<str>>) {
        self.extended.extend(names);
    }

    /// Whether some type may extend this one. Objects of the class of a type that nothing extends simply have that type.
    pub(crate) fn is_extensible(&self, id: TypeId) -> bool {
        self.extended.contains(&self.ty(id).name) || self.type_info(id).ast.is_some_and(|a| a.is_abstract)
    }

    /// Whether a name is that of the parent component of a type: the name of the parent, which may be another one where the
    /// type is defined.
    pub(crate) fn names_parent(&self, child: TypeId, parent: TypeId, name: &str) -> bool {
        let there = self.type_info(child).ast.and_then(|def| def.extends.as_ref());
        *self.ty(parent).name == *name || there.is_some_and(|there| *there.text == *name)
    }

    /// Whether a procedure is a service of the run time.
    pub(crate) fn is_service(&self, id: ProcId) -> bool {
        matches!(self.proc(id).body, ProcBody::Service(_))
    }

    /// Whether a procedure is declared only and no given file defines it.
    pub(crate) fn is_missing(&self, id: ProcId) -> bool {
        self.proc_info(id).is_interface && matches!(self.proc(id).body, ProcBody::Missing)
    }

    /// Whether two types are one definition, with equal or different values of its type parameters.
    pub(crate) fn same_definition(&self, a: TypeId, b: TypeId) -> bool {
        let template = |id| self.type_info(id).template;
        a == b || (template(a).is_some() && template(a) == template(b))
    }

    /// Whether an object of the class of `declared` may have the dynamic type `actual`.
    pub(crate) fn class_takes(&self, declared: &Type, actual: &Type) -> bool {
        match (declared, actual) {
            (Type::Any, _) => true,
            (Type::Derived(wanted), Type::Derived(given)) => {
                let mut at = Some(*given);
                while let Some(ty) = at {
                    if ty == *wanted {
                        return true;
                    }
                    at = self.type_info(ty).parent.or(self.ty(ty).parent);
                }
                false
            }
            _ => false,
        }
    }

    /// Whether a class takes objects of a type, which are data of the device, as copies that hold their lengths.
    pub(crate) fn class_takes_copy(&self, declared: &Type, actual: &Type) -> bool {
        let of_host = if let Type::Derived(id) = actual { self.ty(*id).of_host.as_ref() } else { None };
        of_host.is_some_and(|of_host| self.class_takes(declared, of_host))
    }

    /// Whether objects of a type are finalised.
    pub(crate) fn has_finals(&self, id: TypeId) -> bool {
        let def = self.type_info(id).ast;
        def.is_some_and(|def| def.items.iter().any(|item| matches!(item, ast::TypeItem::Final(_))))
    }

    /// Whether a component of a type, or of an object in it, is one of these.
    pub(crate) fn has_part(&self, id: TypeId, is: &dyn Fn(&Field) -> bool) -> bool {
        self.ty(id).fields.iter().any(|f| {
            let inner = if let Type::Derived(part) = f.ty { Some(part) } else { None };
            is(f) || (!f.pointer && !f.is_allocatable() && inner.is_some_and(|part| self.has_part(part, is)))
        })
    }

    /// Whether two types are one, but that objects of the one have their length parameters at run time, as those of the host have.
    pub(crate) fn are_twins(&self, a: &Type, b: &Type) -> bool {
        let (Type::Derived(a), Type::Derived(b)) = (a, b) else { return false };
        let template = self.type_info(*a).template;
        let other = self.type_info(*b).template;
        if self.ty(*a).params.is_empty() && self.ty(*b).params.is_empty() {
            // A type without parameters, and what it is in device data.
            return template == Some(*b) || other == Some(*a);
        }
        let agree = |(x, y): (&TypeParam, &TypeParam)| match (x.value, y.value) {
            (Some(x), Some(y)) => x == y,
            _ => !x.is_kind,
        };
        a != b
            && template.is_some()
            && template == other
            && self.ty(*a).params.iter().zip(&self.ty(*b).params).all(agree)
    }

    /// Whether two types of device data are one, but that the lengths of the one are known at run time only: objects are stored
    /// alike.
    pub(crate) fn are_flat_twins(&self, a: &Type, b: &Type) -> bool {
        let is_made = |ty: &Type| matches!(ty, Type::Derived(id) if self.ty(*id).is_made);
        self.are_twins(a, b) && !is_made(a) && !is_made(b)
    }

    /// Whether a type gives its objects a first value. A procedure pointer that is null at first has none that is written.
    pub(crate) fn has_first_value(&self, id: TypeId) -> bool {
        self.ty(id).fields.iter().any(|f| {
            let is_pointer = matches!(self.type_info(id).bindings.get(&f.name), Some(Binding::Pointer { .. }));
            let is_written = f.init.is_some() && !(is_pointer && matches!(f.init, Some(Const::Int(0))));
            let inner = if let Type::Derived(part) = f.ty { Some(part) } else { None };
            f.start.is_some()
                || !f.pointer
                    && (is_written || (!f.allocatable && inner.is_some_and(|part| self.has_first_value(part))))
        })
    }

    /// Whether what a designator names is a length parameter that an object holds.
    pub(crate) fn is_parameter_of(&self, base: &Expr, field: u32) -> bool {
        matches!(base.ty, Type::Derived(id) if self.ty(id).fields.get(field as usize).is_some_and(|f| f.is_parameter))
    }

    /// The position of the passed object among the dummies.
    pub(crate) fn passed_position(&self, id: ProcId, pass: Option<&Arc<str>>) -> usize {
        pass.and_then(|pass| self.proc(id).params.iter().position(|p| self.var(*p).name == *pass)).unwrap_or(0)
    }
}

/// A procedure without its statements and names.
fn head_of(p: &Procedure) -> Procedure {
    Procedure {
        name: p.name.clone(),
        qualified: p.qualified.clone(),
        kind: p.kind,
        is_function: p.is_function,
        params: p.params.clone(),
        result: p.result,
        vars: Vec::new(),
        body: match &p.body {
            ProcBody::Statements(_) => ProcBody::Statements(Vec::new()),
            ProcBody::Service(name) => ProcBody::Service(name.clone()),
            body @ (ProcBody::Dispatch { .. } | ProcBody::Pointer | ProcBody::Foreign { .. }) => body.clone(),
            ProcBody::Missing => ProcBody::Missing,
        },
        parent: p.parent,
        elemental: p.elemental,
        pure: p.pure,
        recursive: p.recursive,
        is_bound: p.is_bound,
        entry_of: p.entry_of,
        cooperative: p.cooperative,
        max_threads: p.max_threads,
        cluster: p.cluster,
        scope: Scope::default(),
        span: p.span,
        end: p.end,
        through: p.through,
    }
}
