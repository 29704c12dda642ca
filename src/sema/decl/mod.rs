//! Declarations: what is written in a specification part, collected by name and settled on demand.

mod collect;
mod data;
mod derived;
mod header;
mod initial;
mod interface;
mod layout;
mod procedure;
mod sequence;
mod shape;
mod types;
mod usage;
mod variable;

pub(crate) use collect::base_name;
pub(crate) use header::{entries, refused_entry, side_of};
pub(crate) use shape::constant_bounds;
pub(crate) use types::{is_numeric, same_type};

use crate::checked::{ProcId, Procedure, TypeId};
use crate::scope::{ScopeId, State};
use ast::{CudaAttr, Expr, Intent, Name, Subprogram, TypeSpec};
use source::Span;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// What is known of a procedure beyond its checked form.
pub(crate) struct ProcInfo<'a> {
    /// Its definition or interface body.
    pub(crate) ast: Option<&'a Subprogram>,
    /// What holds its statements, where that is not `ast`: a separate module procedure.
    pub(crate) separate: Option<&'a Subprogram>,
    pub(crate) scope: ScopeId,
    pub(crate) state: State,
    /// Whether it is an interface body: it has no statements.
    pub(crate) is_interface: bool,
    /// Whether it stems from an embedded module.
    pub(crate) embedded: bool,
    /// Whether nothing is known of its dummies.
    pub(crate) unknown_dummies: bool,
    /// The name by `bind(c, name=…)`.
    pub(crate) bind: Option<Arc<str>>,
    /// What it has that is not supported.
    pub(crate) refused: Option<Arc<str>>,
    /// Whether a dummy or its result could not be settled: calls are not checked against it.
    pub(crate) is_broken: bool,
    /// Procedures that it refers to, and where.
    pub(crate) calls: Vec<(ProcId, Span)>,
    /// Texts of its FORMAT statements.
    pub(crate) formats: BTreeMap<u32, Arc<str>>,
    /// Labels of its statements.
    pub(crate) labels: BTreeSet<u32>,
    /// Whether it was reported that nothing defines it.
    pub(crate) reported_missing: bool,
    /// IGNORE_TKR letters that interface bodies give its dummies, by position.
    pub(crate) ignored: Vec<(usize, Arc<str>)>,
    /// The hidden last argument that says by which label a call is left, where there are such labels.
    pub(crate) alternate: Option<crate::checked::VarId>,
}

impl ProcInfo<'_> {
    /// A procedure of a program that was checked before.
    pub(crate) fn finished(p: &Procedure) -> ProcInfo<'static> {
        ProcInfo { embedded: matches!(p.body, crate::checked::ProcBody::Service(_)), ..ProcInfo::unknown() }
    }

    /// A procedure without a tree.
    pub(crate) fn unknown() -> ProcInfo<'static> {
        ProcInfo {
            ast: None,
            separate: None,
            scope: ScopeId(0),
            state: State::Done,
            is_interface: false,
            embedded: false,
            unknown_dummies: false,
            bind: None,
            refused: None,
            is_broken: false,
            calls: Vec::new(),
            formats: BTreeMap::new(),
            labels: BTreeSet::new(),
            reported_missing: false,
            ignored: Vec::new(),
            alternate: None,
        }
    }
}

/// The name of the argument that says by which label a call is left; no program can write it.
pub(crate) const ALTERNATE: &str = "alternate return";

/// What is known of a derived type beyond its checked form.
pub(crate) struct TypeInfo<'a> {
    pub(crate) ast: Option<&'a ast::DerivedType>,
    pub(crate) scope: ScopeId,
    pub(crate) state: State,
    pub(crate) parent: Option<TypeId>,
    /// How many fields stem from the parent.
    pub(crate) inherited: usize,
    /// Type-bound procedures: name, procedure, the position of the passed object (`None` with NOPASS).
    pub(crate) bindings: BTreeMap<Arc<str>, Binding>,
    /// What it has that is not supported.
    pub(crate) refused: Option<Arc<str>>,
    /// Whether a component could not be settled: an unknown one may be that.
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
        /// `pass(name)`
        pass: Option<Arc<str>>,
        /// Where the type was defined that binds it: the procedure is looked for from there.
        scope: ScopeId,
    },
    /// A generic binding with its specific ones.
    Generic(Vec<Arc<str>>),
    /// A procedure pointer component.
    Pointer {
        /// The name of its interface, or of its result's type.
        interface: Option<Arc<str>>,
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
            scope: ScopeId(0),
            state: State::Done,
            parent: None,
            inherited: 0,
            bindings: BTreeMap::new(),
            refused: None,
            is_broken: false,
        }
    }
}

/// A statement function: its names are looked up where it is used, in a scope of its own.
#[derive(Clone)]
pub(crate) struct StatementFunction<'a> {
    pub(crate) name: &'a Name,
    pub(crate) args: Vec<Name>,
    pub(crate) value: &'a Expr,
}

/// The initial value that a declaration gives.
#[derive(Clone, Default)]
pub(crate) enum Init<'a> {
    /// None.
    #[default]
    None,
    /// `= expr`
    Value(&'a Expr),
    /// `=> expr`
    Pointer(&'a Expr),
    /// An enumerator without a value: one more than that one, or 0.
    Next(Option<Arc<str>>),
}

/// What declarations say of one name.
#[derive(Clone, Default)]
pub(crate) struct Pending<'a> {
    pub(crate) name: Arc<str>,
    pub(crate) span: Span,
    pub(crate) spec: Option<&'a TypeSpec>,
    pub(crate) char_len: Option<&'a ast::CharLen>,
    pub(crate) shape: Option<&'a ast::Shape>,
    pub(crate) init: Init<'a>,
    pub(crate) dummy: Option<u32>,
    pub(crate) result: bool,
    pub(crate) cuda: Option<(CudaAttr, Span)>,
    pub(crate) allocatable: Option<Span>,
    pub(crate) pointer: Option<Span>,
    pub(crate) target: Option<Span>,
    pub(crate) save: Option<Span>,
    pub(crate) parameter: Option<Span>,
    pub(crate) value: Option<Span>,
    pub(crate) optional: Option<Span>,
    pub(crate) contiguous: Option<Span>,
    pub(crate) volatile: bool,
    pub(crate) protected: bool,
    pub(crate) intent: Option<(Intent, Span)>,
    pub(crate) external: Option<Span>,
    pub(crate) intrinsic: Option<Span>,
    /// `procedure(interface)`
    pub(crate) procedure: Option<Option<&'a TypeSpec>>,
    /// The interface body of a procedure dummy or pointer.
    pub(crate) interface: Option<ProcId>,
    /// The integer that addresses a Cray pointee.
    pub(crate) cray_pointer: Option<Arc<str>>,
    /// Whether it is the integer of a Cray pointer.
    pub(crate) is_cray_pointer: bool,
    /// Whether a DATA statement initialises it.
    pub(crate) data: bool,
    /// Letters of IGNORE_TKR.
    pub(crate) ignore_tkr: Arc<str>,
    /// In COMMON, with the statement's place.
    pub(crate) common: Option<Span>,
    /// In EQUIVALENCE.
    pub(crate) equivalence: Option<Span>,
}
