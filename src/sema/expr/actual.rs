//! Actual arguments before they meet a dummy.

use crate::checked::Storage;
use crate::checker::{Checker, Sym};
use crate::typing::{Argument, Given};
use ast::{Arg, ArgValue};
use diag::Code;

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
        let refused = self.reporter.take_refusal();
        self.arguments(args);
        self.reporter.restore_refusal(refused);
    }

    fn argument(&mut self, arg: &Arg) -> Option<Given> {
        let e = match &arg.value {
            ArgValue::Expr(e) => e,
            ArgValue::Range { .. } => {
                return self.reporter.error(Code::SyntaxError, arg.span, "a range is a subscript, not an argument");
            }
            ArgValue::AltReturn(_) => return self.reporter.refuse(arg.span, "an alternate return"),
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
                _ => {}
            }
        }
        self.expr(e).map(Given::Expr)
    }
}
