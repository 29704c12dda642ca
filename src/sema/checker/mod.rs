//! What a check knows, in four parts, and the [`Checker`] that holds them together.
//!
//! | part | keeps |
//! |---|---|
//! | [`Reporter`] | diagnostics, and what the current statement contains that is not supported |
//! | [`Definitions`] | the checked program under construction: procedures, variables, types |
//! | [`Scopes`] | what names mean where; modules; external procedures |
//! | [`Context`] | the place that is being checked: scope, procedure, side, constructs |
//!
//! Each part keeps its fields to itself. Code that needs one or two parts takes those: a rule about typed expressions takes
//! the program and the reporter, not the checker. What is a method of [`Checker`] needs names to be *resolved*, and that is
//! one mutual recursion: an expression needs the declarations of its names, a declaration needs constant expressions (kinds,
//! bounds, lengths, initial values), and both need modules and interfaces, which are made of declarations.
//!
//! Not here: any rule. The methods of the recursion stand in `scope`, `decl`, `expr`, `intrinsics`, `cuda` and `stmt`.

mod context;
mod declared;
mod definitions;
mod implicit;
mod names;
mod regions;
mod reporter;
mod scopes;

pub(crate) use context::{CodeSide, Construct, ConstructKind, Context};
pub(crate) use declared::{DeclaredName, Init, StatementFunction};
pub(crate) use definitions::{Binding, Definitions, ProcInfo, Resolution, TypeInfo, VarInfo};
pub(crate) use implicit::{ImplicitRules, forbids_types};
pub(crate) use names::{Table, merged};
pub(crate) use regions::Regions;
pub(crate) use reporter::Reporter;
pub(crate) use scopes::{
    Entry, Module, ModuleId, ScopeData, ScopeId, Scopes, Sym, generic_key, generic_span, operator_key,
};

use crate::SemaOptions;
use crate::checked::{Const, Expr, ProcId, Program, Type, TypeId, VarId};
use diag::{Code, Diagnostic};
use source::{FileId, Span};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// How deep declarations may depend on each other; it bounds the recursion.
const MOST_NESTED: u32 = 200;

/// The recursion of names, declarations and expressions, with everything it works on.
pub(crate) struct Checker<'a> {
    /// The options for the place that is being checked.
    pub(crate) options: &'a SemaOptions,
    /// Those for the program, and those for the modules that the compiler brings along.
    all_options: [&'a SemaOptions; 2],
    pub(crate) reporter: Reporter,
    pub(crate) defs: Definitions<'a>,
    pub(crate) scopes: Scopes<'a>,
    pub(crate) cx: Context,
    /// Procedures and objects that the checker made for something else, to find them again.
    pub(crate) made: Made,
    /// How many declarations, types and modules are being resolved for each other.
    depth: u32,
}

/// What the checker made once and uses again.
#[derive(Default)]
pub(crate) struct Made {
    /// The type `dim3`.
    pub(crate) dim3: Option<TypeId>,
    /// The instances of derived types with type parameters: by the definition, the values, and whether they are flat.
    pub(crate) instances: BTreeMap<(TypeId, Vec<Option<i64>>, bool), TypeId>,
    /// Where the derived types are defined whose length parameters are known at run time only.
    pub(crate) open: BTreeSet<(FileId, u32)>,
    /// Those that this check has found.
    pub(crate) found_open: BTreeSet<(FileId, u32)>,
    /// The functions to which procedures refer by a name of which at most the type is declared.
    pub(crate) applied: BTreeSet<(Option<ProcId>, Arc<str>)>,
    /// Intrinsic functions that were needed as procedures.
    pub(crate) intrinsics: BTreeMap<Arc<str>, ProcId>,
    /// The procedures that stand for calls by dynamic type: by the declared type and the type-bound name.
    pub(crate) dispatchers: BTreeMap<(TypeId, Arc<str>), ProcId>,
    /// The names that scopes declare `external`, without an interface, and the types that they declare for them.
    pub(crate) declared_external: BTreeMap<(ScopeId, Arc<str>), Option<Type>>,
    /// The storage sequence of each COMMON block.
    pub(crate) commons: BTreeMap<Arc<str>, VarId>,
    /// Bytes of the constant data that have been declared so far.
    pub(crate) constant_bytes: u64,
    /// Bytes of shared memory that each procedure of device code has declared so far.
    pub(crate) shared_bytes: BTreeMap<ProcId, u64>,
    /// Statement functions that are being expanded.
    pub(crate) expanding: Vec<(ScopeId, usize)>,
    /// Whether a kernel with the prefix PURE was warned of.
    pub(crate) told_of_pure: bool,
    /// Statement functions that were referred to.
    pub(crate) expanded: BTreeSet<(ScopeId, usize)>,
    /// How many times statement functions were expanded.
    pub(crate) expansions: u32,
    /// COMMON blocks with binding labels, and the labels.
    pub(crate) bound_commons: BTreeMap<Arc<str>, Arc<str>>,
    /// Variables with binding labels: label, name, declaration.
    pub(crate) bound_variables: Vec<(Arc<str>, Arc<str>, Span)>,
    /// Variables whose bounds are being resolved, and their types.
    pub(crate) typed: Vec<(Arc<str>, Type)>,
    /// What is said of procedures where they are not defined.
    pub(crate) described: Vec<Described>,
    /// Pointers whose declarations give them a target.
    pub(crate) initial_targets: Vec<InitialTarget>,
    /// Objects with length parameters that DATA gives values.
    pub(crate) data_objects: Vec<DataObject>,
    /// The compute regions of OpenACC.
    pub(crate) regions: Regions,
    /// The construct names of each scope.
    pub(crate) construct_names: BTreeMap<(ScopeId, Arc<str>), Span>,
    /// The indices of the FORALL constructs around the present statement.
    pub(crate) forall_indices: Vec<Arc<str>>,
    /// The statement that was checked last.
    pub(crate) last_statement: Option<Span>,
}

/// What is said of a procedure where it is not defined.
pub(crate) struct Described {
    /// The procedure.
    pub(crate) of: ProcId,
    pub(crate) by: Description,
    pub(crate) span: Span,
}

/// How a procedure is described.
pub(crate) enum Description {
    /// By an interface body, which has become a procedure of its own.
    Body(ProcId),
    /// By the interface of a separate module procedure, which has become a procedure of its own, as far as `of` repeats it.
    Separate(ProcId),
    /// By the type of its result.
    Result(Type),
}

/// A pointer that a declaration or DATA gives a target, or an object that gets its value where the program begins.
pub(crate) struct InitialTarget {
    /// A variable, or a component of one.
    pub(crate) pointer: Expr,
    pub(crate) value: TargetValue,
    /// Where the declaration stands.
    pub(crate) scope: ScopeId,
}

/// An object with length parameters that DATA gives values.
pub(crate) struct DataObject {
    pub(crate) var: VarId,
    /// Where the first DATA statement stands.
    pub(crate) scope: ScopeId,
    /// The values so far, null where there are none.
    pub(crate) value: Const,
}

/// What an initial target is written as.
pub(crate) enum TargetValue {
    /// By itself.
    Written(ast::Expr),
    /// As the value of a component in a structure constructor, which is typed already.
    Typed(Expr),
    /// Not a target: the value of an object whose type has length parameters that are known at run time only.
    Object(ast::Expr),
    /// The same, which is typed already.
    Value(Expr),
}

/// A context that was left for another one.
#[must_use]
pub(crate) struct Suspended {
    cx: Context,
    refusal: Option<Arc<str>>,
}

impl<'a> Checker<'a> {
    /// A checker that knows nothing yet, with the options for the program and those for embedded modules.
    pub(crate) fn new(options: &'a SemaOptions, embedded: &'a SemaOptions) -> Checker<'a> {
        let standard = ImplicitRules::standard(options.integer_kind(), options.real_kind());
        Checker {
            options,
            all_options: [options, embedded],
            reporter: Reporter::default(),
            defs: Definitions::default(),
            scopes: Scopes::new(standard),
            cx: Context::new(ScopeId::NONE, None, CodeSide::Host),
            made: Made::default(),
            depth: 0,
        }
    }

    /// A checker for expressions in the scope of a procedure of a finished program.
    pub(crate) fn of_finished(options: &'a SemaOptions, program: &Program, proc: Option<ProcId>) -> Checker<'a> {
        let mut c = Checker { defs: Definitions::of_finished(program), ..Checker::new(options, options) };
        c.made.dim3 = program.types.iter().position(|t| &*t.name == "dim3").map(|i| TypeId(i as u32));
        if let Some(id) = proc.filter(|id| (id.0 as usize) < program.procs.len()) {
            let scope = c.scopes.add(ScopeData::finished(&program.proc(id).scope));
            c.cx = Context::new(scope, Some(id), CodeSide::of(program.proc(id).kind));
        }
        c.cx.debugger = true;
        c
    }

    /// Goes to another place of the program; [`Checker::leave_context`] comes back.
    pub(crate) fn enter_context(&mut self, mut cx: Context) -> Suspended {
        cx.debugger = self.cx.debugger;
        self.options = self.options_in(cx.scope);
        Suspended { cx: std::mem::replace(&mut self.cx, cx), refusal: self.reporter.take_refusal() }
    }

    /// Comes back from [`Checker::enter_context`], and gives what was refused there.
    pub(crate) fn leave_context(&mut self, outer: Suspended) -> Option<Arc<str>> {
        let inner = self.reporter.take_refusal();
        self.reporter.restore_refusal(outer.refusal);
        self.cx = outer.cx;
        self.options = self.options_in(self.cx.scope);
        inner
    }

    /// The options that hold in a scope. Modules that the compiler brings along are what they are, whatever the default kinds of
    /// the program.
    pub(crate) fn options_in(&self, scope: ScopeId) -> &'a SemaOptions {
        let [own, embedded] = self.all_options;
        let is_embedded = (own.integer8 || own.real8)
            && scope != ScopeId::NONE
            && self
                .scopes
                .module_of(scope)
                .and_then(|name| self.scopes.module_named(name))
                .is_some_and(|module| self.scopes.module(module).embedded);
        if is_embedded { embedded } else { own }
    }

    /// Runs `f` at another place of the program. What is refused there is refused here too.
    pub(crate) fn within<T>(&mut self, cx: Context, f: impl FnOnce(&mut Self) -> T) -> T {
        let outer = self.enter_context(cx);
        let result = f(self);
        if let Some(what) = self.leave_context(outer) {
            let _ = self.reporter.refuse_again::<()>(&what);
        }
        result
    }

    /// Begins to resolve something that the current declaration depends on, unless the nesting is too deep;
    /// [`Checker::leave_dependency`] ends it.
    pub(crate) fn enter_dependency(&mut self, span: Span) -> bool {
        if self.depth >= MOST_NESTED {
            let text = format!("more than {MOST_NESTED} declarations depend on each other");
            let d = Diagnostic::new(Code::NestingTooDeep, span, text);
            self.reporter.report(d.help("declare names before the declarations that use them"));
            return false;
        }
        self.depth += 1;
        true
    }

    /// Ends what [`Checker::enter_dependency`] began.
    pub(crate) fn leave_dependency(&mut self) {
        self.depth -= 1;
    }
}
