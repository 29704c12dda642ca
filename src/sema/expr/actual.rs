//! Actual arguments before they meet a dummy.

use crate::checked::{ProcId, Storage};
use crate::checker::{Checker, Sym};
use crate::typing::{Argument, Given};
use ast::{Arg, ArgValue, Name};
use diag::Code;
use source::Span;

impl Checker<'_> {
    /// The typed actual arguments; all of them are looked at, so that each mistake is reported.
    pub(crate) fn arguments(&mut self, args: &[Arg]) -> Option<Vec<Argument>> {
        let mut out = Vec::with_capacity(args.len());
        let mut complete = true;
        for arg in args {
            let (by_value, passed) = passed_by(&arg.value);
            match self.argument(passed, arg.span) {
                Some(given) => {
                    let is_hollerith =
                        matches!(passed, ArgValue::Expr(e) if matches!(e.kind, ast::ExprKind::Hollerith(_)));
                    let keyword = arg.keyword.clone();
                    out.push(Argument { keyword, given, by_value, is_hollerith, span: arg.span });
                }
                None => complete = false,
            }
        }
        complete.then_some(out)
    }

    /// Looks at the arguments of something that is refused, for the mistakes in them only.
    pub(crate) fn quiet_arguments(&mut self, args: &[Arg]) {
        let refused = self.reporter.take_refusal();
        self.arguments(args);
        self.reporter.restore_refusal(refused);
    }

    fn argument(&mut self, value: &ArgValue, span: Span) -> Option<Given> {
        let e = match value {
            ArgValue::Expr(e) => e,
            ArgValue::Range { .. } => {
                return self.reporter.error(Code::SyntaxError, span, "a range is a subscript, not an argument");
            }
            ArgValue::AltReturn(_) => return self.reporter.refuse(span, "an alternate return"),
        };
        if let ast::ExprKind::Name(name) = &e.kind {
            match self.find_name(name) {
                Some(Sym::Proc(id)) => return Some(Given::Proc(id)),
                Some(Sym::Generic { procs, .. }) => {
                    // The specific procedure of the same name is meant.
                    let own = procs.iter().copied().find(|p| self.defs.proc(*p).name == name.text);
                    if let Some(id) = own.or(if procs.len() == 1 { procs.first().copied() } else { None }) {
                        return Some(Given::Proc(id));
                    }
                }
                Some(Sym::Var(id)) if matches!(self.defs.var(id).storage, Storage::Procedure) => {
                    return Some(Given::Variable(id));
                }
                Some(Sym::Intrinsic(_)) => {
                    return self.intrinsic_procedure(name).map(Given::Proc);
                }
                Some(Sym::Var(id)) if self.defs.var_info(id).typed_only && self.is_applied(name) => {
                    return self.applied_function(name).map(Given::Proc);
                }
                None if self.is_applied(name) => return self.applied_function(name).map(Given::Proc),
                _ => {}
            }
        }
        self.expr(e).map(Given::Expr)
    }

    /// Whether a reference before has made the name that of a function (Fortran 2018, 19.5.1.4).
    fn is_applied(&self, name: &Name) -> bool {
        self.made.applied.contains(&(self.cx.proc, name.text.clone()))
    }

    fn applied_function(&mut self, name: &Name) -> Option<ProcId> {
        match self.scopes.external(&name.text).filter(|_| self.implied_intrinsic(name).is_none()) {
            Some(external) => Some(external),
            None => self.intrinsic_procedure(name),
        }
    }
}

/// Whether an argument is passed by value without an interface that says so, `%val(x)`, and what is passed. `%ref(x)` is `x`.
fn passed_by(value: &ArgValue) -> (bool, &ArgValue) {
    let ArgValue::Expr(ast::Expr { kind: ast::ExprKind::Apply { base, args }, .. }) = value else {
        return (false, value);
    };
    let (ast::ExprKind::Name(name), [Arg { keyword: None, value: inner @ ArgValue::Expr(_), .. }]) =
        (&base.kind, &args[..])
    else {
        return (false, value);
    };
    match name.as_str() {
        "%val" => (true, inner),
        "%ref" => (false, inner),
        _ => (false, value),
    }
}
