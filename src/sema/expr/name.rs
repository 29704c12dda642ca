//! What a name alone means as an expression.

use crate::checked::{Const, Expr, ExprKind, ProcId, Storage, Type, VarId};
use crate::checker::{Checker, Sym};
use crate::cuda::Builtin;
use crate::typing::{Typing, constant};
use ast::Name;
use diag::{Code, Diagnostic};
use source::Span;

impl Checker<'_> {
    /// A name as an expression.
    pub(crate) fn name_expr(&mut self, name: &Name) -> Option<Expr> {
        match self.find_name(name) {
            Some(Sym::Var(id)) => {
                if matches!(self.defs.var(id).storage, Storage::Procedure) {
                    let text = format!("procedure `{}` is used like a variable", name.as_str());
                    return self.reporter.error(Code::WrongKindOfName, name.span, text);
                }
                if self.cx.specification {
                    self.typing().check_declared_before(id, name);
                }
                self.variable(id, name.span)
            }
            Some(sym) => self.not_a_variable(name, &sym),
            None => self.undeclared(name),
        }
    }

    /// A whole variable; scalar named constants are their values.
    pub(crate) fn variable(&mut self, id: VarId, span: Span) -> Option<Expr> {
        let var = self.defs.var(id);
        let (ty, rank) = (var.ty.clone(), var.shape.rank());
        if matches!(var.storage, Storage::Parameter)
            && rank == 0
            && let Some(value) = &var.init
            && !matches!(value, Const::Derived(_))
        {
            return Some(Expr { kind: ExprKind::Const(value.clone()), ty, rank, span });
        }
        if std::mem::replace(&mut self.defs.var_info_mut(id).typed_only, false) {
            let (name, declared) = (self.defs.var(id).name.clone(), self.defs.var(id).span);
            self.typing().check_device_name(&name, declared)?;
        }
        if !self.typing().check_variable_use(id, span) {
            return None;
        }
        Some(Expr { kind: ExprKind::Var(id), ty, rank, span })
    }

    fn not_a_variable(&mut self, name: &Name, sym: &Sym) -> Option<Expr> {
        let text = name.as_str();
        let what = match sym {
            Sym::Proc(id) => {
                if self.defs.proc(*id).is_function {
                    self.resolve_interface(*id);
                    let takes_none = self.defs.proc(*id).params.iter().all(|p| self.defs.var(*p).attrs.optional);
                    if takes_none {
                        return self.call_without_parentheses(*id, name);
                    }
                    let help = format!("write `{text}(…)` to call it, with its arguments");
                    let text = format!("function `{text}` is named without its arguments");
                    return self.reporter.error_help(Code::WrongKindOfName, name.span, text, help);
                }
                "a subroutine"
            }
            Sym::Generic { .. } => "a generic procedure",
            Sym::Type(_) => "a derived type",
            Sym::Intrinsic(_) => "an intrinsic procedure",
            Sym::Namelist(..) => "a namelist group",
            Sym::StatementFunction(..) => "a statement function",
            Sym::Refused(what) => return self.reporter.refuse_again(what),
            Sym::Ambiguous(a, b) => return self.typing().ambiguous(name, a, b),
            Sym::Resolving => {
                let d = Diagnostic::new(
                    Code::BadSpecificationExpression,
                    name.span,
                    format!("the declaration of `{text}` depends on itself"),
                );
                self.reporter.report(d);
                return None;
            }
            Sym::Unresolved(_) | Sym::Var(_) | Sym::Error => return None,
        };
        self.reporter.error(Code::WrongKindOfName, name.span, format!("`{text}` is {what} and has no value"))
    }

    /// A function that takes no arguments, named alone: nvfortran calls it.
    fn call_without_parentheses(&mut self, id: ProcId, name: &Name) -> Option<Expr> {
        let text = format!("function `{}` is named without parentheses; it is called", name.as_str());
        let d = Diagnostic::new(Code::CallWithoutParentheses, name.span, text);
        self.reporter.report(d.help(format!("write `{}()`", name.as_str())));
        match self.fit(id, &[], name.span) {
            Ok(fit) => self.function_call(fit, Vec::new(), name.span),
            Err(wrong) => self.reporter.report_all(wrong),
        }
    }

    /// A name that no declaration knows: a predefined variable, or one by the implicit rules.
    fn undeclared(&mut self, name: &Name) -> Option<Expr> {
        if let Some(builtin) = Builtin::of(name.as_str()) {
            return self.builtin(builtin, name.span);
        }
        let implicit = self.scopes.implicit_type(self.cx.scope, name.as_str()).is_some();
        match self.device_module_name(name.as_str()) {
            Some(Sym::Var(id)) => return self.variable(id, name.span),
            Some(sym) if !implicit => return self.not_a_variable(name, &sym),
            _ => {}
        }
        if let Some(Sym::Var(id)) = self.name_of_c(name.as_str()) {
            return self.variable(id, name.span);
        }
        if let (false, Some(what)) = (implicit, self.typing().foreign(name.as_str())) {
            return self.typing().refuse_foreign(&what, name.span);
        }
        // A name may be that of a module that was not found: nothing can be said of it.
        if self.scopes.is_tainted(self.cx.scope) {
            return None;
        }
        let host = self.scopes.get(self.cx.scope).host;
        if host.is_some_and(|h| self.find_from(h, name.as_str()).is_some()) {
            let text = format!("`{}` is not known in this interface body", name.as_str());
            let help = format!("add `import :: {}` to it", name.as_str());
            return self.reporter.error_help(Code::UndeclaredName, name.span, text, help);
        }
        match self.scopes.implicit_type(self.cx.scope, name.as_str()) {
            Some(ty) if !self.cx.debugger => {
                let id = self.implicit_variable(&name.text, ty, name.span);
                self.variable(id, name.span)
            }
            _ => self.undeclared_error(name),
        }
    }

    /// Reports a name without declaration, once a scope.
    pub(crate) fn undeclared_error<T>(&mut self, name: &Name) -> Option<T> {
        if self.scopes.is_tainted(self.cx.scope) {
            return None;
        }
        let unit = self.scopes.unit_scope(self.cx.scope);
        if self.scopes.get_mut(unit).missing.contains(&name.text) {
            return None;
        }
        self.scopes.get_mut(unit).missing.push(name.text.clone());
        let near = self.scopes.similar(self.cx.scope, name.as_str(), |s| matches!(s, Sym::Var(_) | Sym::Unresolved(_)));
        let d = Diagnostic::new(Code::UndeclaredName, name.span, format!("`{}` has no declaration", name.as_str()));
        let d = match near {
            Some(near) => d.suggest(Some(&near)),
            None if crate::intrinsics::lookup(name.as_str()).is_some() => {
                d.help(format!("write `{}(…)` to call the intrinsic procedure", name.as_str()))
            }
            None => d.help(
                self.typing().use_help(name.as_str()).unwrap_or_else(|| "declare it, or check its spelling".to_owned()),
            ),
        };
        self.reporter.report(d);
        None
    }

    /// A predefined variable as a whole: a value of type `dim3`, or `warpsize`.
    fn builtin(&mut self, builtin: Builtin, span: Span) -> Option<Expr> {
        if builtin == Builtin::WarpSize {
            return Some(constant(Const::Int(32), Type::Integer(4), span));
        }
        self.typing().check_builtin(builtin, span)?;
        let id = self.dim3();
        let fields = (0..3).map(|axis| Some(builtin.read(axis, span))).collect();
        Some(Expr {
            kind: ExprKind::Construct { ty: id, parents: Vec::new(), fields },
            ty: Type::Derived(id),
            rank: 0,
            span,
        })
    }
}

impl Typing<'_> {
    /// What a declaration uses is declared before it (Fortran 2018, 8.1, 10.1.11).
    pub(crate) fn check_declared_before(&mut self, id: VarId, name: &Name) {
        let var = self.defs.var(id);
        let is_later = var.span.file == name.span.file && var.span.start > name.span.start;
        let is_declared =
            self.scopes.around(self.cx.scope).any(|data| data.declared.iter().any(|p| p.span == var.span));
        if self.options.standard && is_later && is_declared {
            let text = format!("`{}` is used before its declaration", name.as_str());
            self.not_standard(Code::UsedBeforeDeclared, name.span, text, "move the declaration in front");
        }
    }
}

/// The name that a designator begins with.
pub(crate) fn base_name(e: &ast::Expr) -> Option<&Name> {
    match &e.kind {
        ast::ExprKind::Name(name) => Some(name),
        ast::ExprKind::Apply { base, .. } | ast::ExprKind::Member { base, .. } => base_name(base),
        _ => None,
    }
}
