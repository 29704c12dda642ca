//! Function references and the passing of arguments; subroutine calls share the latter.

use super::fit::takes_bytes;
use crate::checked::{
    Actual, CharLen, Const, Expr, ExprKind, Intrinsic, ProcId, ProcKind, Program, Shape, Type, VarId, is_designator,
    visit,
};
use crate::checker::{Binding, Checker, Context, ScopeData, ScopeId, Sym};
use crate::typing::{
    Argument, Fit, Given, Typing, assignable, assignable_types, constant, is_class, same_type, shape_name, type_name,
};
use ast::{Arg, ArgValue, Name};
use diag::{Code, Diagnostic};
use source::Span;

/// How many references to statement functions are expanded in one program.
const MOST_EXPANSIONS: u32 = 20_000;

impl Checker<'_> {
    /// A reference to a named function.
    pub(super) fn reference(&mut self, id: ProcId, name: &Name, args: &[Arg], span: Span) -> Option<Expr> {
        if !self.defs.proc(id).is_function && !self.defs.proc_info(id).unknown_dummies {
            let text = format!("`{}` is a subroutine and has no value", name.as_str());
            return self.reporter.error_help(Code::NotAFunction, name.span, text, "call it with `call`");
        }
        self.describe_implicit(id, name);
        let arguments = self.arguments(args)?;
        let id = self.known_or_of_library(id, name, &arguments, span);
        self.linked(id, name)?;
        self.typing().check_copy_count(name, args, &arguments);
        match self.fit(id, &arguments, span) {
            Ok(fit) => {
                let call = self.function_call(fit, arguments, span)?;
                Some(self.of_declared_length(id, name, call))
            }
            Err(wrong) => self.reporter.report_all(wrong),
        }
    }

    /// A function of assumed length, `character(*)`, gives as many characters as the scope that refers to it declares.
    fn of_declared_length(&self, id: ProcId, name: &Name, call: Expr) -> Expr {
        if !self.has_assumed_length(id) {
            return call;
        }
        match self.declared_external(name) {
            Some(Some(ty @ Type::Character(_))) => Expr { ty: ty.clone(), ..call },
            _ => call,
        }
    }

    /// Whether a function is of assumed length, `character(*)`.
    pub(super) fn has_assumed_length(&self, id: ProcId) -> bool {
        let result = self.defs.proc(id).result.map(|v| &self.defs.var(v).ty);
        matches!(result, Some(Type::Character(CharLen::Assumed)))
    }

    /// Stops at a procedure of which nothing is known, or that needs an interface that is not there.
    pub(crate) fn linked(&mut self, id: ProcId, name: &Name) -> Option<()> {
        self.resolve_interface(id);
        if let Some(what) = self.defs.proc_info(id).refused.clone() {
            return self.reporter.refuse_again(&what);
        }
        if self.defs.proc_info(id).is_broken {
            return None;
        }
        if self.defs.proc_info(id).unknown_dummies {
            return self.typing().refuse_undefined("procedure", name.as_str(), name.span);
        }
        if self.defs.proc_info(id).is_abstract {
            // Fortran 2018, 15.4.3.2.
            let text = format!("`{}` is an abstract interface, and no procedure that could be called", name.as_str());
            let help = "declare a procedure with `procedure(…)`, and call that";
            return self.reporter.error_help(Code::WrongKindOfName, name.span, text, help);
        }
        Some(())
    }

    /// A reference to a function whose arguments fit.
    pub(crate) fn function_call(&mut self, fit: Fit, args: Vec<Argument>, span: Span) -> Option<Expr> {
        let id = fit.proc;
        let rank = fit.rank;
        self.check_call(id, span)?;
        let actuals = self.pass(&fit, args)?;
        let result = self.defs.proc(id).result?;
        let var = self.defs.var(result);
        let own = var.shape.rank();
        let ty = match &var.ty {
            Type::Character(CharLen::Const(n)) => Type::Character(CharLen::Const(*n)),
            Type::Character(_) => Type::Character(CharLen::Deferred),
            other => other.clone(),
        };
        Some(Expr { kind: ExprKind::Call { proc: id, args: actuals }, ty, rank: own.max(rank), span })
    }

    /// The arguments in the order of the dummies.
    pub(crate) fn pass(&mut self, fit: &Fit, args: Vec<Argument>) -> Option<Vec<Option<Actual>>> {
        let params = self.defs.proc(fit.proc).params.clone();
        fit.warnings.iter().cloned().for_each(|d| self.reporter.report(d));
        if fit.rank > 0 {
            // An elemental reference: its arrays have one shape.
            let arrays: Vec<&Expr> =
                args.iter().filter_map(|a| if let Given::Expr(e) = &a.given { Some(e) } else { None }).collect();
            let span = arrays.iter().rfind(|e| e.rank > 0).map_or(Span::NONE, |e| e.span);
            let what = format!("arguments of `{}`", self.defs.proc(fit.proc).name);
            self.typing().check_all_conform(&what, arrays, span)?;
        }
        let mut given: Vec<Option<Argument>> = args.into_iter().map(Some).collect();
        let mut out = Vec::with_capacity(params.len());
        for (&param, slot) in params.iter().zip(&fit.slots) {
            let Some(arg) = slot.and_then(|i| given[i].take()) else {
                out.push(None);
                continue;
            };
            if let Given::Proc(id) = arg.given
                && self.defs.proc(fit.proc).kind == ProcKind::Host
                && !self.defs.proc_info(fit.proc).embedded
            {
                self.check_side_of_target(id, arg.span)?;
            }
            let actual = match arg.given {
                Given::Proc(id) if self.defs.var_info(param).procedure_pointer => {
                    Actual::Expr(self.procedure_target(id, arg.span))
                }
                Given::Proc(id) => {
                    self.link_foreign(id);
                    self.note_call(id, arg.span);
                    Actual::Proc(id)
                }
                Given::Expr(e) if matches!(e.kind, ExprKind::Null) && self.defs.var_info(param).procedure_pointer => {
                    Actual::Expr(constant(crate::checked::Const::Int(0), Type::Integer(8), arg.span))
                }
                Given::Variable(id) => {
                    let ty = self.defs.var(id).ty.clone();
                    Actual::Expr(Expr { kind: ExprKind::Var(id), ty, rank: 0, span: arg.span })
                }
                Given::Expr(e) if arg.is_hollerith && takes_bytes(self.defs.var(param)) => {
                    Actual::Expr(hollerith_memory(e))
                }
                Given::Expr(e) if arg.by_value && !self.defs.var(param).attrs.value => Actual::Address(e),
                Given::Expr(e) => {
                    self.typing().check_parent_object(&e)?;
                    Actual::Expr(self.typing().pass_one(param, e)?)
                }
            };
            out.push(Some(actual));
        }
        Some(out)
    }

    /// A call through a procedure dummy or pointer: how its arguments fit.
    pub(crate) fn procedure_variable(
        &mut self,
        id: VarId,
        args: &[Arg],
        is_function: bool,
        span: Span,
    ) -> Option<(Fit, Vec<Argument>)> {
        let arguments = self.arguments(args)?;
        self.procedure_variable_with(id, arguments, is_function, span)
    }

    /// As [`Checker::procedure_variable`], with arguments that have been looked at.
    pub(crate) fn procedure_variable_with(
        &mut self,
        id: VarId,
        arguments: Vec<Argument>,
        is_function: bool,
        span: Span,
    ) -> Option<(Fit, Vec<Argument>)> {
        let proc = self.through(id, &arguments, is_function, span)?;
        let name = self.defs.var(id).name.clone();
        self.fit_as(proc, &name, arguments, is_function, span)
    }

    /// How arguments fit a procedure that is called by another name, as a function or as a subroutine.
    pub(crate) fn fit_as(
        &mut self,
        proc: ProcId,
        name: &str,
        args: Vec<Argument>,
        is_function: bool,
        span: Span,
    ) -> Option<(Fit, Vec<Argument>)> {
        if self.defs.proc(proc).is_function != is_function {
            let (what, code) = if is_function {
                ("a subroutine and has no value", Code::NotAFunction)
            } else {
                ("a function, not a subroutine", Code::NotASubroutine)
            };
            return self.reporter.error(code, span, format!("`{name}` is {what}"));
        }
        self.resolve_interface(proc);
        if self.defs.proc_info(proc).is_broken {
            return None;
        }
        match self.fit(proc, &args, span) {
            Ok(fit) => Some((fit, args)),
            Err(wrong) => self.reporter.report_all(wrong),
        }
    }

    /// A call through a procedure pointer variable: how its arguments fit.
    pub(crate) fn pointer_variable(
        &mut self,
        id: VarId,
        args: &[Arg],
        is_function: bool,
        span: Span,
    ) -> Option<(Fit, Vec<Argument>)> {
        let arguments = self.arguments(args)?;
        let info = &self.defs.var_info(id);
        let name = self.defs.var(id).name.clone();
        let pointed = super::Pointed { name, interface: info.interface, result: info.result.clone() };
        let pointer = self.variable(id, span)?;
        self.call_through(pointer, &pointed, arguments, is_function, span)
    }

    /// A reference to a statement function: its value with the arguments in place of its dummies.
    pub(super) fn statement_function(&mut self, scope: ScopeId, at: usize, args: &[Arg], span: Span) -> Option<Expr> {
        let f = self.scopes.get(scope).functions[at].clone();
        if args.len() != f.args.len() {
            let text = format!(
                "statement function `{}` takes {} arguments, and {} are given",
                f.name.as_str(),
                f.args.len(),
                args.len()
            );
            return self.reporter.error(Code::ArgumentCount, span, text);
        }
        if let Some(keyword) = args.iter().find_map(|arg| arg.keyword.as_ref()) {
            // Fortran 2018, 15.5.1: its interface is implicit.
            let text = format!("statement function `{}` takes no argument by keyword", f.name.as_str());
            return self.reporter.error_help(Code::UnknownKeyword, keyword.span, text, "give it by position");
        }
        if self.made.expanding.contains(&(scope, at)) {
            let text = format!("statement function `{}` uses itself", f.name.as_str());
            return self.reporter.error(Code::BadSpecificationExpression, span, text);
        }
        // Functions that use each other twice each would grow without end.
        self.made.expansions += 1;
        self.made.expanded.insert((scope, at));
        if self.made.expansions > MOST_EXPANSIONS {
            return self.reporter.refuse(span, "so large an expansion of statement functions");
        }
        let mut values = Vec::new();
        for (name, arg) in f.args.iter().zip(args) {
            let ArgValue::Expr(e) = &arg.value else {
                return self.reporter.error(Code::SyntaxError, arg.span, "a range is a subscript, not an argument");
            };
            let value = self.expr(e)?;
            let ty = self.declared_type(scope, name)?;
            if !assignable_types(&ty, &value.ty) || value.rank != 0 {
                let text = format!(
                    "argument `{}` must be a scalar `{}`, not {}",
                    name.as_str(),
                    type_name(&self.defs, &ty),
                    shape_name(&self.defs, &value.ty, value.rank)
                );
                return self.reporter.error(Code::ArgumentType, arg.span, text);
            }
            if !same_type(&ty, &value.ty) {
                // Fortran 2018, 15.6.4, 15.5.2.4; nvfortran converts.
                let (wanted, given) = (type_name(&self.defs, &ty), type_name(&self.defs, &value.ty));
                let text = format!("argument `{}` of a statement function is `{wanted}`, not `{given}`", name.as_str());
                self.typing().not_standard(Code::ArgumentType, arg.span, text, "convert it");
            }
            let value = self.typing().convert(value, &ty)?;
            values.push((name, of_length(value, &ty), ty));
        }
        let mut dummies = Vec::new();
        let mut vars = Vec::new();
        let inner = self.scopes.add(ScopeData {
            parent: Some(scope),
            proc: self.cx.proc,
            is_block: true,
            ..ScopeData::default()
        });
        for (name, value, ty) in values {
            let outer = std::mem::replace(&mut self.cx.scope, inner);
            // A value that a call gives is kept in a variable: it is evaluated once, however often it is used.
            if !self.cx.debugger && visit::has_calls(&value) && keeps_scalar(&ty) {
                let local = crate::checked::Storage::Local;
                vars.push((self.construct_variable(&name.text, ty, Shape::Scalar, local, name.span), value));
            } else {
                let storage = crate::checked::Storage::Alias(Box::new(value));
                dummies.push(self.construct_variable(&name.text, ty, Shape::Scalar, storage, name.span));
            }
            self.cx.scope = outer;
        }
        let mut cx = Context::new(inner, self.cx.proc, self.cx.side);
        cx.cuf_first_var = self.cx.cuf_first_var;
        self.made.expanding.push((scope, at));
        let value = self.within(cx, |c| c.expr(f.value));
        self.made.expanding.pop();
        for &dummy in &dummies {
            self.defs.remove_from_owner(dummy);
        }
        let value = substituted(&self.defs, value?, &dummies);
        let ty = self.declared_type(scope, f.name).unwrap_or_else(|| value.ty.clone());
        if !assignable(&ty, &value) {
            let text = format!("statement function `{}` has the wrong type of value", f.name.as_str());
            return self.reporter.error(Code::TypeMismatch, span, text);
        }
        let value = self.typing().convert(value, &ty)?;
        let value = Box::new(of_length(value, &ty));
        let (ty, rank) = (value.ty.clone(), value.rank);
        let kind = if vars.is_empty() { ExprKind::Paren(value) } else { ExprKind::Let { vars, value } };
        Some(Expr { kind, ty, rank, span })
    }

    /// The type of a statement function or of its dummies: declared in the scope or implicit.
    fn declared_type(&mut self, scope: ScopeId, name: &Name) -> Option<Type> {
        let pending = self.scopes.get(scope).declared.iter().find(|p| p.name == name.text);
        if let Some((spec, len)) = pending.and_then(|p| Some((p.spec?, p.char_len))) {
            return self.type_spec(spec, len);
        }
        match self.scopes.implicit_type(scope, name.as_str()) {
            Some(ty) => Some(ty),
            None => self.undeclared_error(name),
        }
    }

    /// `object%name(args)` where `name` is bound to the type.
    pub(super) fn bound_function(
        &mut self,
        object: &ast::Expr,
        name: &Name,
        args: &[Arg],
        span: Span,
    ) -> Option<Option<Expr>> {
        let Some((fit, arguments)) = self.bound_procedure(object, name, args, true, span)? else { return Some(None) };
        if !self.defs.proc(fit.proc).is_function {
            let text = format!("`{}` is a subroutine and has no value", name.as_str());
            self.reporter.report(Diagnostic::new(Code::NotAFunction, name.span, text).help("call it with `call`"));
            return Some(None);
        }
        Some(self.function_call(fit, arguments, span))
    }

    /// A type-bound procedure with its arguments, the object among them. The outer `None` says that the name is not bound
    /// to the object's type, the inner one that something was reported.
    #[allow(clippy::option_option)]
    pub(crate) fn bound_procedure(
        &mut self,
        object: &ast::Expr,
        name: &Name,
        args: &[Arg],
        is_function: bool,
        span: Span,
    ) -> Option<Option<(Fit, Vec<Argument>)>> {
        let object = self.probe(object)?;
        let Type::Derived(ty) = object.ty else { return None };
        self.resolve_type(ty);
        if !self.defs.type_info(ty).bindings.contains_key(&name.text) {
            return None;
        }
        if self.typing().check_access(ty, name).is_none() {
            return Some(None);
        }
        let is_class = is_class(&self.defs, &object);
        if let Some((pointed, at)) = self.component_pointed(ty, name) {
            let (Some(pointer), Some(mut arguments)) =
                (self.component(object.clone(), name, span), self.arguments(args))
            else {
                return Some(None);
            };
            if let Some(at) = at {
                arguments = match pointed.interface {
                    Some(interface) => with_passed(&self.defs, arguments, object, interface, at),
                    None => [vec![Argument::of(object)], arguments].concat(),
                };
            }
            return Some(self.call_through(pointer, &pointed, arguments, is_function, span));
        }
        let mut names = vec![name.text.clone()];
        if let Some(Binding::Generic(list)) = self.defs.type_info(ty).bindings.get(&name.text) {
            names.clone_from(list);
        }
        let Some(arguments) = self.arguments(args) else { return Some(None) };
        let is_generic = names.len() > 1;
        let (mut last, mut tried) = (None, Vec::new());
        for bound in names {
            let Some(Binding::Procedure { name: target, nopass, pass, scope, .. }) =
                self.defs.type_info(ty).bindings.get(&bound).cloned()
            else {
                continue;
            };
            let Some(Sym::Proc(id)) = self.find_from(scope, &target) else { continue };
            self.resolve_interface(id);
            if let Some(what) = self.defs.proc_info(id).refused.clone() {
                return Some(self.reporter.refuse_again(&what));
            }
            if self.defs.proc_info(id).is_broken {
                return Some(None);
            }
            let is_abstract = self.defs.type_info(ty).ast.is_some_and(|a| a.is_abstract);
            if !is_class && is_abstract {
                // Fortran 2018, 9.4.2.
                let text =
                    format!("`{}` is called of an object of an abstract type, of which there is none", name.as_str());
                let help = "call it of the whole object, or of one of the class";
                return Some(self.reporter.error_help(Code::BadPolymorphism, name.span, text, help));
            }
            let mut list = arguments.clone();
            tried.push(id);
            let id = if is_class { self.dispatcher(ty, &bound, id, nopass, pass.as_ref()) } else { id };
            if nopass && is_class && !self.cx.debugger {
                list.insert(0, Argument::of(object.clone()));
            } else if !nopass {
                let at = self.defs.passed_position(id, pass.as_ref());
                list = with_passed(&self.defs, list, object.clone(), id, at);
            }
            match self.fit(id, &list, span) {
                Ok(fit) => return Some(Some((fit, list))),
                Err(wrong) => last = Some((wrong, list)),
            }
        }
        match last {
            Some((_, list)) if is_generic => return Some(self.no_specific(&tried, name, &list, span)),
            Some((wrong, _)) => return Some(self.reporter.report_all(wrong)),
            None => {
                let text = format!("`{}` is bound to nothing that can be called", name.as_str());
                self.reporter.report(Diagnostic::new(Code::BadTypeBoundProcedure, name.span, text));
            }
        }
        Some(None)
    }

    /// The typed form of a designator, if it has one; nothing is reported.
    pub(crate) fn probe(&mut self, e: &ast::Expr) -> Option<Expr> {
        let ast_name = super::base_name(e)?;
        if !matches!(self.find_name(ast_name), Some(Sym::Var(_))) {
            return None;
        }
        let reporter = std::mem::take(&mut self.reporter);
        let value = self.expr(e);
        self.reporter = reporter;
        value
    }
}

impl Typing<'_> {
    fn pass_one(&mut self, param: VarId, e: Expr) -> Option<Expr> {
        self.warn_of_gaps(param, &e);
        let dummy = self.defs.var(param);
        let (ty, rank, value) = (dummy.ty.clone(), dummy.shape.rank(), dummy.attrs.value);
        if matches!(e.kind, ExprKind::Null) {
            // What has any rank gets that of the mold.
            let rank = if matches!(dummy.shape, Shape::AssumedRank) { e.rank } else { rank };
            return Some(Expr { ty, rank, ..e });
        }
        let e = if value { self.as_address(dummy, e) } else { e };
        let e = if value { self.as_twin(e, &ty) } else { e };
        // Services take integers of any kind by value.
        let is_free = dummy.attrs.ignore_tkr.is_empty();
        let is_integer = matches!((&ty, &e.ty), (Type::Integer(_), Type::Integer(_)));
        let is_service = self.options.embedded.contains(&dummy.span.file);
        if value && (is_free || (is_integer && !is_service)) { self.convert(e, &ty) } else { Some(e) }
    }
}

/// A character value brought to the length of a declared type; others stay.
fn of_length(value: Expr, ty: &Type) -> Expr {
    let (Type::Character(CharLen::Const(n)), span) = (ty, value.span) else { return value };
    if matches!(value.ty, Type::Character(CharLen::Const(own)) if own == *n) {
        return value;
    }
    let blanks = crate::checked::Const::Char(vec![b' '; (*n).clamp(0, 1 << 24) as usize].into());
    let blanks = Expr { kind: ExprKind::Const(blanks), ty: ty.clone(), rank: 0, span };
    let whole = ExprKind::Concat(Box::new(value), Box::new(blanks));
    let whole = Expr { kind: whole, ty: Type::Character(CharLen::Deferred), rank: 0, span };
    let hi = constant(crate::checked::Const::Int(*n), Type::Integer(8), span);
    let kind = ExprKind::Substring { base: Box::new(whole), lo: None, hi: Some(Box::new(hi)) };
    Expr { kind, ty: ty.clone(), rank: 0, span }
}

/// Whether a local variable can keep a scalar of that type.
fn keeps_scalar(ty: &Type) -> bool {
    !matches!(ty, Type::Derived(_) | Type::Any)
        && !matches!(ty, Type::Character(len) if !matches!(len, CharLen::Const(_)))
}

/// Puts the values of a statement function's dummies in their places.
fn substituted(program: &Program, e: Expr, dummies: &[VarId]) -> Expr {
    let mut e = e;
    visit::rewrite(&mut e, &mut |node| {
        if let ExprKind::Intrinsic { id: Intrinsic::Loc, args } = &mut node.kind
            && let Some(Some(of)) = args.first_mut()
            && let ExprKind::Paren(inner) = &of.kind
            && is_designator(inner)
        {
            // The address is that of the argument.
            *of = (**inner).clone();
        }
        let ExprKind::Var(id) = node.kind else { return };
        if let (true, crate::checked::Storage::Alias(value)) = (dummies.contains(&id), &program.var(id).storage) {
            let (ty, rank, span) = (value.ty.clone(), value.rank, node.span);
            *node = Expr { kind: ExprKind::Paren(value.clone()), ty, rank, span };
        }
    });
    e
}

/// The arguments with the passed object among them; by its dummy's name where arguments before it are left out or named.
fn with_passed(program: &Program, mut args: Vec<Argument>, object: Expr, proc: ProcId, at: usize) -> Vec<Argument> {
    let mut passed = Argument::of(object);
    if args.iter().take(at).filter(|a| a.keyword.is_none()).count() == at {
        args.insert(at, passed);
    } else if let Some(&dummy) = program.proc(proc).params.get(at) {
        passed.keyword = Some(Name { text: program.var(dummy).name.clone(), span: passed.span });
        args.push(passed);
    }
    args
}

/// The characters of a Hollerith constant as an array of numbers, with blanks up to its end.
fn hollerith_memory(e: Expr) -> Expr {
    let ExprKind::Const(Const::Char(characters)) = &e.kind else { return e };
    let words = characters.chunks(8).map(|part| {
        let mut bytes = [b' '; 8];
        bytes[..part.len()].copy_from_slice(part);
        Const::Int(i64::from_le_bytes(bytes))
    });
    let items: Vec<Const> = words.collect();
    let value = Const::Array { bounds: vec![(1, items.len() as i64)], items };
    Expr { kind: ExprKind::Const(value), ty: Type::Integer(8), rank: 1, span: e.span }
}
