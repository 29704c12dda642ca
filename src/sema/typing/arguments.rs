//! Actual arguments that are typed, and how they go to the dummies of a procedure.

use crate::checked::{Expr, ProcId, VarId};
use ast::Name;
use diag::Diagnostic;
use source::Span;

/// What is passed.
#[derive(Clone, Debug)]
pub(crate) enum Given {
    /// A value or variable.
    Expr(Expr),
    /// A procedure.
    Proc(ProcId),
    /// A procedure dummy or pointer, passed on.
    Variable(VarId),
}

/// An actual argument.
#[derive(Clone, Debug)]
pub(crate) struct Argument {
    pub(crate) keyword: Option<Name>,
    pub(crate) given: Given,
    /// Whether it is written `%val(…)`.
    pub(crate) by_value: bool,
    /// Whether it is a Hollerith constant.
    pub(crate) is_hollerith: bool,
    pub(crate) span: Span,
}

impl Argument {
    /// An operand or passed object.
    pub(crate) fn of(e: Expr) -> Argument {
        let span = e.span;
        Argument { keyword: None, given: Given::Expr(e), by_value: false, is_hollerith: false, span }
    }
}

/// How arguments go to a procedure's dummies.
#[derive(Clone, Debug)]
pub(crate) struct Fit {
    pub(crate) proc: ProcId,
    /// For each dummy the position of its argument.
    pub(crate) slots: Vec<Option<usize>>,
    /// How far the CUDA attributes are from those of the dummies.
    pub(crate) distance: u32,
    /// The rank of an elemental reference.
    pub(crate) rank: u8,
    /// What is to be said if this is the procedure that is called.
    pub(crate) warnings: Vec<Diagnostic>,
    /// Of a generic name: another specific procedure that the arguments fit as well.
    pub(crate) rival: Option<ProcId>,
}
