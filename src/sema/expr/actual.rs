//! Actual arguments before they meet a dummy.

use crate::checked::{Expr, ProcId, Storage, VarId};
use crate::checker::Checker;
use crate::scope::Sym;
use ast::{Arg, ArgValue, Name};
use diag::Code;
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
    pub(crate) span: Span,
}

impl Argument {
    /// An operand or passed object.
    pub(crate) fn of(e: Expr) -> Argument {
        let span = e.span;
        Argument { keyword: None, given: Given::Expr(e), span }
    }
}

impl Checker<'_> {
    /// The typed actual arguments; all of them are looked at, so that each mistake is reported.
    pub(crate) fn arguments(&mut self, args: &[Arg]) -> Option<Vec<Argument>> {
        let mut out = Vec::with_capacity(args.len());
        let mut complete = true;
        for arg in args {
            match self.argument(arg) {
                Some(given) => out.push(Argument { keyword: arg.keyword.clone(), given, span: arg.span }),
                None => complete = false,
            }
        }
        complete.then_some(out)
    }

    /// Looks at the arguments of something that is refused, for the mistakes in them only.
    pub(crate) fn quiet_arguments(&mut self, args: &[Arg]) {
        let refused = self.cx.refused.take();
        self.arguments(args);
        self.cx.refused = refused;
    }

    fn argument(&mut self, arg: &Arg) -> Option<Given> {
        let e = match &arg.value {
            ArgValue::Expr(e) => e,
            ArgValue::Range { .. } => {
                return self.error(Code::SyntaxError, arg.span, "a range is a subscript, not an argument");
            }
            ArgValue::AltReturn(_) => return self.refuse(arg.span, "an alternate return"),
        };
        if let ast::ExprKind::Name(name) = &e.kind {
            match self.find_name(name) {
                Some(Sym::Proc(id)) => return Some(Given::Proc(id)),
                Some(Sym::Generic { procs, .. }) => {
                    // The specific procedure of the same name is meant.
                    let own = procs.iter().copied().find(|p| self.out.proc(*p).name == name.text);
                    if let Some(id) = own.or(if procs.len() == 1 { procs.first().copied() } else { None }) {
                        return Some(Given::Proc(id));
                    }
                }
                Some(Sym::Var(id)) if matches!(self.out.var(id).storage, Storage::Procedure) => {
                    return Some(Given::Variable(id));
                }
                Some(Sym::Intrinsic(_)) => {
                    return self.intrinsic_procedure(name).map(Given::Proc);
                }
                _ => {}
            }
        }
        self.expr(e).map(Given::Expr)
    }
}
