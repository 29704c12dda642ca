//! What declarations say of names, as collected from a specification part, before anything is resolved.

use crate::checked::ProcId;
use ast::{CudaAttr, Expr, Intent, Name, TypeSpec};
use source::Span;
use std::sync::Arc;

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
pub(crate) struct DeclaredName<'a> {
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
    pub(crate) automatic: Option<Span>,
    pub(crate) parameter: Option<Span>,
    pub(crate) value: Option<Span>,
    pub(crate) optional: Option<Span>,
    pub(crate) contiguous: Option<Span>,
    pub(crate) volatile: bool,
    pub(crate) asynchronous: bool,
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
    /// Whether a PARAMETER statement without parentheses names it: without a type of its own it has that of its value.
    pub(crate) is_typed_by_value: bool,
    /// Whether ENUM declares it.
    pub(crate) is_enumerator: bool,
    /// Whether a DATA statement initialises it.
    pub(crate) data: bool,
    /// Letters of IGNORE_TKR.
    pub(crate) ignore_tkr: Arc<str>,
    /// `bind(c, name=…)`
    pub(crate) bind: Option<(Option<&'a Expr>, Span)>,
    /// In COMMON, with the statement's place.
    pub(crate) common: Option<Span>,
    /// In EQUIVALENCE.
    pub(crate) equivalence: Option<Span>,
}

impl DeclaredName<'_> {
    pub(crate) fn init_is_none(&self) -> bool {
        matches!(self.init, Init::None)
    }

    /// Whether it is declared as an object of derived type.
    pub(crate) fn is_object(&self) -> bool {
        self.spec.is_some_and(|s| matches!(s.kind, ast::TypeSpecKind::Type(_) | ast::TypeSpecKind::Class(_)))
    }

    /// Whether nothing but a type, at most, is said of the name.
    pub(crate) fn has_type_only(&self) -> bool {
        self.init_is_none()
            && self.shape.is_none()
            && self.cuda.is_none()
            && self.allocatable.is_none()
            && self.pointer.is_none()
            && self.target.is_none()
            && self.save.is_none()
            && self.value.is_none()
            && self.intent.is_none()
            && self.common.is_none()
            && self.equivalence.is_none()
            && !self.data
            && !self.result
    }
}
