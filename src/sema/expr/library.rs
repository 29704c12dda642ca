//! Procedures of libraries that are referred to without an interface, as Fortran compilers call them: by the name in small
//! letters with `_` behind it. The dummies are what the arguments are.

use crate::checked::{Expr, ProcId, Type};
use crate::checker::{Checker, CodeSide};
use crate::typing::Argument;
use ast::{Arg, Name};
use source::Span;

impl Checker<'_> {
    /// The procedure that a library has by this name, with dummies for these arguments.
    pub(crate) fn library_procedure(
        &mut self,
        name: &Name,
        result: Option<Type>,
        args: &[Argument],
        span: Span,
    ) -> Option<ProcId> {
        if !self.has_library_procedure(name) {
            return None;
        }
        let id = self.external(&name.text, result, span);
        self.dummies_of_arguments(id, args, span);
        self.defs.proc_info_mut(id).unknown_dummies = false;
        Some(id)
    }

    /// Whether a library has a procedure of Fortran of this name.
    pub(crate) fn has_library_procedure(&self, name: &Name) -> bool {
        self.cx.side == CodeSide::Host && self.options.foreign.has(&format!("{}_", name.as_str()))
    }

    /// A reference to a function that a library has; `None` if none has.
    pub(super) fn library_function(&mut self, name: &Name, ty: Type, args: &[Arg], span: Span) -> Option<Option<Expr>> {
        if !self.has_library_procedure(name) {
            return None;
        }
        let Some(arguments) = self.check_is_external(name).and_then(|()| self.arguments(args)) else {
            return Some(None);
        };
        let id = self.library_procedure(name, Some(ty), &arguments, span)?;
        Some(match self.fit(id, &arguments, span) {
            Ok(fit) => self.function_call(fit, arguments, span),
            Err(wrong) => self.reporter.report_all(wrong),
        })
    }

    /// A reference to a function of the run-time library with one argument.
    pub(crate) fn call_library(&mut self, id: ProcId, argument: Expr, span: Span) -> Option<Expr> {
        let arguments = vec![Argument::of(argument)];
        match self.fit(id, &arguments, span) {
            Ok(fit) => self.function_call(fit, arguments, span),
            Err(wrong) => self.reporter.report_all(wrong),
        }
    }

    /// In place of a procedure of which only the name is known, that of a library with these arguments.
    pub(crate) fn known_or_of_library(&mut self, id: ProcId, name: &Name, args: &[Argument], span: Span) -> ProcId {
        if !self.defs.proc_info(id).unknown_dummies {
            return id;
        }
        let result = self.defs.proc(id).result.map(|v| self.defs.var(v).ty.clone());
        self.library_procedure(name, result, args, span).unwrap_or(id)
    }
}
