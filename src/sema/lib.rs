//! Scopes, types, constant folding and the rules of CUDA Fortran: from syntax tree to checked program.
//!
//! [`check`] takes the trees of all files, those of the embedded modules included, and gives a [`checked::Program`] that
//! is always valid (invariant I3), or errors. [`check_expression`] types one more expression in a scope of a program that
//! was checked before, for the debugger.
//!
//! Names are resolved lazily: a declaration is resolved when something first asks for it, so the order of declarations,
//! procedures, modules and files does not matter. What this version does not support becomes an `Unsupported` node and a
//! warning (invariant I6). An expression that is wrong has no typed form at all (`None`), which keeps one mistake from
//! causing a second report.
//!
//! | room | what it does |
//! |---|---|
//! | [`checked`] | the checked program, its visitors, the table of intrinsics |
//! | `fold` | computes constant expressions of the checked program, element by element, as the program would |
//! | `checker` | what a check knows: reporter, definitions, scopes, context; no rules |
//! | `typing` | questions and rules about typed code that need no name resolved |
//! | `intrinsics` | references to intrinsic procedures |
//! | `cuda` | the rules of CUDA Fortran, launches and `!$cuf kernel do` |
//! | `rules` | rules of Fortran that need the whole program |
//! | `scope` | units, USE statements, names that are known but not supported |
//! | `expr`, `decl`, `stmt` | expressions, declarations, statements |
//! | `check` | the entry points |
//!
//! A room imports only rooms above it in this table. Methods of `checker::Checker` call each other across rooms, because
//! names, declarations and expressions are resolved by one mutual recursion.
//!
//! Not here: layout in memory beyond the offsets of components, loops over arrays, temporaries (`lower`).

mod check;
pub mod checked;
mod checker;
mod cuda;
mod decl;
mod expr;
mod fold;
mod intrinsics;
mod rules;
mod scope;
mod stmt;
mod typing;

pub use check::{check, check_expression};
pub use fold::integer_with;

use checked::Type;
use source::FileId;
use std::collections::BTreeSet;
use std::sync::Arc;

/// What the command line says about the language.
#[derive(Clone, Debug, Default)]
pub struct SemaOptions {
    /// Files whose modules are embedded ones: their procedures bound to `rt:…` are services of the run time.
    pub embedded: BTreeSet<FileId>,
    /// `-gpu=managed`: plain allocatables of host code are managed data.
    pub managed: bool,
    /// `-cuda=charstring`: device code has characters of every constant length.
    pub charstring: bool,
    /// `-gpu=unified`: device code may use host data.
    pub unified: bool,
    /// `-r8`: default reals are `real(8)`.
    pub real8: bool,
    /// `-i8`: default integers and logicals have kind 8.
    pub integer8: bool,
    /// `-Mbackslash`: a backslash in a character literal is a letter like others.
    pub plain_backslash: bool,
    /// `-Msave`: local variables of procedures that are not recursive are saved.
    pub save: bool,
    /// `-Mstandard`: what only compilers take, not the standard, is warned of.
    pub standard: bool,
    /// Whether the files must have a main program.
    pub needs_main: bool,
    /// `-c`: files that are not given may define external procedures, whatever their names are like.
    pub separate: bool,
    /// The procedures that libraries have.
    pub foreign: ForeignNames,
    /// The kernels that PTX files have.
    pub kernels: BTreeSet<Arc<str>>,
    /// The functions of device code that they have.
    pub device_functions: BTreeSet<Arc<str>>,
    /// Whether errors were reported before: statements may be without a meaning for their sake.
    pub is_spoilt: bool,
}

/// What knows the names of libraries and of C code.
pub trait NamesOfC: Send + Sync {
    /// Whether a library has a procedure of that name.
    fn has(&self, name: &str) -> bool;
    /// Whether one of the program's own libraries has a variable or procedure of that name.
    fn defines(&self, _name: &str) -> bool {
        false
    }
    /// Whether C code uses something of that name which no library has.
    fn wants(&self, _name: &str) -> bool {
        false
    }
    /// Whether the main program is in C.
    fn has_main(&self) -> bool {
        false
    }
}

/// The names of libraries and of C code, if there are any.
#[derive(Clone, Default)]
pub struct ForeignNames {
    known: Option<Arc<dyn NamesOfC>>,
}

impl ForeignNames {
    /// From what knows them.
    pub fn new(known: impl NamesOfC + 'static) -> ForeignNames {
        ForeignNames { known: Some(Arc::new(known)) }
    }

    /// Whether a library has a procedure of that name.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.known.as_ref().is_some_and(|known| known.has(name))
    }

    /// Whether one of the program's own libraries has a variable or procedure of that name.
    pub(crate) fn defines(&self, name: &str) -> bool {
        self.known.as_ref().is_some_and(|known| known.defines(name))
    }

    /// Whether C code uses something of that name which no library has.
    pub(crate) fn wants(&self, name: &str) -> bool {
        self.known.as_ref().is_some_and(|known| known.wants(name))
    }

    /// Whether the main program is in C.
    pub fn has_main(&self) -> bool {
        self.known.as_ref().is_some_and(|known| known.has_main())
    }
}

impl std::fmt::Debug for ForeignNames {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("ForeignNames").field(&self.known.is_some()).finish()
    }
}

impl SemaOptions {
    /// Default kind of reals.
    pub(crate) fn real_kind(&self) -> u8 {
        if self.real8 { 8 } else { 4 }
    }

    /// Default kind of integers and logicals.
    pub(crate) fn integer_kind(&self) -> u8 {
        if self.integer8 { 8 } else { 4 }
    }

    /// The default integer type.
    pub(crate) fn integer(&self) -> Type {
        Type::Integer(self.integer_kind())
    }

    /// The default logical type.
    pub(crate) fn logical(&self) -> Type {
        Type::Logical(self.integer_kind())
    }
}
