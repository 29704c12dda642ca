//! Subroutine calls.

use super::body::alternate_set;
use crate::checked::{ALTERNATE, Expr, ExprKind, Intrinsic, ProcId, ProcKind, Shape, Stmt, StmtKind, Storage, Type};
use crate::checker::{Checker, Sym};
use crate::intrinsics::LIBRARY_INTRINSICS;
use crate::scope::without_type;
use crate::typing::{Argument, Fit, Typing};
use ast::{Arg, GlobalLaunch, Name};
use diag::{Code, Diagnostic};
use source::Span;

impl Checker<'_> {
    /// `call name(args)`, with chevrons a kernel launch.
    pub(super) fn call(
        &mut self,
        callee: &ast::Expr,
        launch: Option<&GlobalLaunch>,
        args: &[Arg],
        span: Span,
    ) -> Option<StmtKind> {
        let name = match &callee.kind {
            ast::ExprKind::Name(name) => name,
            ast::ExprKind::Member { base, name } => return self.bound_call(base, name, launch, args, span),
            _ => return self.reporter.error(Code::NotASubroutine, callee.span, "this is not a subroutine"),
        };
        match self.find_name(name) {
            Some(Sym::Proc(id)) => {
                self.by_interface_of(id, name, |this| this.call_procedure(id, name, launch, args, span))
            }
            Some(Sym::Generic { procs, .. }) => self.call_generic(&procs, name, launch, args, span),
            Some(Sym::Intrinsic(id)) => self.call_intrinsic(id, name, launch, args, span),
            Some(Sym::Refused(what)) => self.reporter.refuse_again(&what),
            Some(Sym::Ambiguous(a, b)) => self.typing().ambiguous(name, &a, &b),
            Some(Sym::Error | Sym::Unresolved(_)) => None,
            Some(Sym::Var(id)) => {
                let var = self.defs.var(id);
                if matches!(var.storage, Storage::Procedure) && args.iter().any(is_label) {
                    let labels = self.labels_among(args, span)?;
                    return self.branching_call(labels, args, span, |this, arguments| {
                        let (fit, arguments) = this.procedure_variable_with(id, arguments, false, span)?;
                        this.subroutine_call(&fit, arguments, span)
                    });
                }
                if matches!(var.storage, Storage::Procedure) {
                    let (fit, arguments) = self.procedure_variable(id, args, false, span)?;
                    return self.subroutine_call(&fit, arguments, span);
                }
                if self.defs.var_info(id).procedure_pointer {
                    let (fit, arguments) = self.pointer_variable(id, args, false, span)?;
                    return self.subroutine_call(&fit, arguments, span);
                }
                // A type does not keep the name of an intrinsic procedure from being one (Fortran 2018, 8.2).
                if self.defs.var_info(id).typed_only
                    && !matches!(self.defs.var(id).storage, Storage::Dummy(_))
                    && let Some(found) = self.implied_intrinsic(name)
                    && crate::intrinsics::is_subroutine(found.id)
                {
                    return self.call_intrinsic(found.id, name, launch, args, span);
                }
                if matches!(var.storage, Storage::Dummy(_)) && self.defs.var_info(id).typed_only {
                    return self.reporter.refuse(
                        span,
                        format!("dummy procedure `{}` without `external` or an interface", name.as_str()),
                    );
                }
                let text = format!("`{}` is a variable, not a subroutine", name.as_str());
                self.reporter.report(
                    Diagnostic::new(Code::NotASubroutine, name.span, text).secondary(var.span, "declared here"),
                );
                None
            }
            Some(_) => {
                let text = format!("`{}` is not a subroutine", name.as_str());
                self.reporter.error(Code::NotASubroutine, name.span, text)
            }
            None => self.call_unknown(name, launch, args, span),
        }
    }

    fn call_unknown(
        &mut self,
        name: &Name,
        launch: Option<&GlobalLaunch>,
        args: &[Arg],
        span: Span,
    ) -> Option<StmtKind> {
        match self.device_module_name(name.as_str()) {
            Some(Sym::Proc(id)) => return self.call_procedure(id, name, launch, args, span),
            Some(Sym::Generic { procs, .. }) => return self.call_generic(&procs, name, launch, args, span),
            _ => {}
        }
        if self.external_named(&name.text).is_none() {
            match self.runtime_routine(name) {
                Some(Sym::Proc(id)) if self.defs.proc(id).is_function => {
                    return self.call_for_effect(id, name, args, span);
                }
                Some(Sym::Proc(id)) => return self.call_procedure(id, name, launch, args, span),
                Some(Sym::Generic { procs, .. }) => return self.call_generic(&procs, name, launch, args, span),
                _ => {}
            }
        }
        if let Some(found) = self.implied_intrinsic(name)
            && (crate::intrinsics::is_subroutine(found.id) || self.scopes.own_external(&name.text).is_none())
        {
            return self.call_intrinsic(found.id, name, launch, args, span);
        }
        if let Some(id) = self.external_named(&name.text) {
            return self.by_implicit_interface(id, name, |this| this.call_procedure(id, name, launch, args, span));
        }
        if launch.is_none() && self.has_library_procedure(name) {
            self.check_is_external(name)?;
            let arguments = self.arguments(args)?;
            let id = self.library_procedure(name, None, &arguments, span)?;
            return match self.fit(id, &arguments, span) {
                Ok(fit) => self.subroutine_call(&fit, arguments, span),
                Err(wrong) => self.reporter.report_all(wrong),
            };
        }
        if let Some(what) = self.typing().foreign(name.as_str()) {
            self.quiet_arguments(args);
            return self.typing().refuse_foreign(&what, name.span);
        }
        if self.scopes.is_tainted(self.cx.scope) {
            return None;
        }
        if self.typing().library_procedure(name.as_str()).is_some() && launch.is_none() {
            self.quiet_arguments(args);
            return self.typing().refuse_undefined("procedure", name.as_str(), name.span);
        }
        let near = self
            .scopes
            .similar(self.cx.scope, name.as_str(), |s| matches!(s, Sym::Proc(_) | Sym::Generic { .. }))
            .or_else(|| crate::intrinsics::nearest_subroutine(name.as_str()))
            .or_else(|| {
                diag::nearest_name(name.as_str(), self.scopes.externals().keys().map(|k| &**k)).map(str::to_owned)
            });
        // `zscal` is no misspelt `dscal` and `dcopy` no misspelt `icopy`: libraries have a procedure for each type.
        // Nor is LAPACK's `dgesv` a misspelt `dgemv` of cuBLAS.
        let near = near.filter(|near| {
            let is_other = is_of_other_type(name.as_str(), near) || is_of_lapack(name.as_str()) && is_of_lapack(near);
            !self.options.separate && !is_other
        });
        // With nothing like it in sight it is a procedure of a library rather than a mistyped name.
        let use_help = self.typing().use_help(name.as_str());
        if near.is_none() && use_help.is_none() && !self.cx.side.on_device() && launch.is_none() {
            self.arguments(args)?;
            return self.typing().refuse_undefined("procedure", name.as_str(), name.span);
        }
        let text = format!("there is no subroutine `{}`", name.as_str());
        let d = Diagnostic::new(Code::UnknownProcedure, name.span, text).suggest(near.as_deref());
        self.reporter.report(use_help.filter(|_| near.is_none()).into_iter().fold(d, Diagnostic::help));
        None
    }

    fn call_intrinsic(
        &mut self,
        id: Intrinsic,
        name: &Name,
        launch: Option<&GlobalLaunch>,
        args: &[Arg],
        span: Span,
    ) -> Option<StmtKind> {
        if let Some(launch) = launch {
            return self.typing().chevrons_misplaced(name, launch);
        }
        self.no_labels(name, args)?;
        let (id, args) = self.intrinsic_call(id, args, span)?;
        if let (Intrinsic::Stwb | Intrinsic::Stcg | Intrinsic::Stcs | Intrinsic::Stwt, [Some(target), Some(value)]) =
            (id, &args[..])
        {
            // The hint is for the caches, and changes nothing in what is stored.
            return Some(StmtKind::Assign { target: target.clone(), value: value.clone() });
        }
        Some(StmtKind::Intrinsic { id, args })
    }

    /// A procedure whose arguments are known and that has no alternate returns takes no labels (Fortran 2018, 15.5.2.14).
    fn check_no_labels(&mut self, id: ProcId, name: &Name, args: &[Arg]) -> Option<()> {
        let info = self.defs.proc_info(id);
        if info.ast.is_some() && !info.unknown_dummies { self.no_labels(name, args) } else { Some(()) }
    }

    fn no_labels(&mut self, name: &Name, args: &[Arg]) -> Option<()> {
        let Some(label) = args.iter().find(|a| is_label(a)) else { return Some(()) };
        let text = format!("`{}` has no alternate returns, and a label is given", name.as_str());
        self.reporter.error_help(Code::ArgumentCount, label.span, text, "remove the label")
    }

    /// `return n`
    pub(super) fn alternate_return(&mut self, e: &ast::Expr, span: Span) -> Option<StmtKind> {
        let alternate = self.cx.proc.and_then(|p| self.defs.proc_info(p).alternate);
        let Some(alternate) = alternate else {
            let text = "the procedure has no alternate returns";
            return self.reporter.error_help(Code::SyntaxError, e.span, text, "add `*` to its arguments");
        };
        let value = self.integer_scalar(e, &Type::Integer(8), "the number of an alternate return")?;
        let set = alternate_set(alternate, value);
        let id = self.cx.new_construct();
        let leave = Stmt { label: None, kind: StmtKind::Return, span };
        Some(StmtKind::Block { id, vars: Vec::new(), body: vec![set, leave] })
    }

    /// A call with labels among its arguments.
    fn call_with_labels(&mut self, id: ProcId, name: &Name, args: &[Arg], span: Span) -> Option<StmtKind> {
        let labels = self.labels_among(args, span)?;
        let stars = self.alternate_returns(id);
        if let Some(stars) = stars.filter(|stars| *stars != labels.len()) {
            let text =
                format!("`{}` has {stars} alternate returns, and {} labels are given", name.as_str(), labels.len());
            return self.reporter.error(Code::ArgumentCount, span, text);
        }
        self.linked(id, name)?;
        self.branching_call(labels, args, span, |this, mut arguments| {
            if let Some(number) = arguments.last_mut() {
                number.keyword = Some(Name { text: ALTERNATE.into(), span });
            }
            match this.fit(id, &arguments, span) {
                Ok(fit) => this.subroutine_call(&fit, arguments, span),
                Err(wrong) => this.reporter.report_all(wrong),
            }
        })
    }

    /// The labels among the arguments of a call.
    fn labels_among(&mut self, args: &[Arg], span: Span) -> Option<Vec<u32>> {
        let label = |a: &Arg| if let ast::ArgValue::AltReturn(label) = a.value { Some(label) } else { None };
        let labels: Vec<u32> = args.iter().filter_map(label).collect();
        for &label in &labels {
            self.typing().check_label(label, span)?;
        }
        Some(labels)
    }

    /// How many alternate returns a procedure has, if its declaration is known.
    fn alternate_returns(&self, id: ProcId) -> Option<usize> {
        self.defs.proc_info(id).ast.map(|sub| sub.args.iter().filter(|a| a.as_str() == "*").count())
    }

    /// A call after which the program goes on at one of some labels: the procedure sets a variable, the last of the arguments, by
    /// which that is chosen.
    fn branching_call(
        &mut self,
        labels: Vec<u32>,
        args: &[Arg],
        span: Span,
        call: impl FnOnce(&mut Self, Vec<Argument>) -> Option<StmtKind>,
    ) -> Option<StmtKind> {
        let rest: Vec<Arg> = args.iter().filter(|a| !is_label(a)).cloned().collect();
        let mut arguments = self.arguments(&rest)?;
        let outer = self.enter_block();
        let storage = Storage::Local;
        let var = self.construct_variable(&ALTERNATE.into(), Type::Integer(8), Shape::Scalar, storage, span);
        self.cx.scope = outer;
        let number = Expr { kind: ExprKind::Var(var), ty: Type::Integer(8), rank: 0, span };
        arguments.push(Argument::of(number.clone()));
        let call = call(self, arguments)?;
        let construct = self.cx.new_construct();
        let stmt = |kind| Stmt { label: None, kind, span };
        let body = vec![stmt(call), stmt(StmtKind::ComputedGoto(labels, number))];
        Some(StmtKind::Block { id: construct, vars: vec![var], body })
    }

    /// A call with labels of one of the procedures of a generic name. Alternate returns tell no procedures apart (Fortran 2018,
    /// 15.4.3.4.5), but only those with as many take the labels.
    fn call_generic_with_labels(
        &mut self,
        procs: &[ProcId],
        name: &Name,
        args: &[Arg],
        span: Span,
    ) -> Option<StmtKind> {
        let labels = self.labels_among(args, span)?;
        let wanted: Vec<ProcId> =
            procs.iter().copied().filter(|p| self.alternate_returns(*p) == Some(labels.len())).collect();
        self.branching_call(labels, args, span, |this, mut arguments| {
            if let Some(number) = arguments.last_mut() {
                number.keyword = Some(Name { text: ALTERNATE.into(), span });
            }
            match this.best_specific(&wanted, &arguments) {
                Some(fit) => this.subroutine_call(&fit, arguments, span),
                None => this.no_specific(&wanted, name, &arguments, span),
            }
        })
    }

    /// `call` of a function of the library, as nvfortran has it: the value is dropped.
    fn call_for_effect(&mut self, id: ProcId, name: &Name, args: &[Arg], span: Span) -> Option<StmtKind> {
        let arguments = self.arguments(args)?;
        self.linked(id, name)?;
        let value = match self.fit(id, &arguments, span) {
            Ok(fit) => self.function_call(fit, arguments, span)?,
            // Other compilers' libraries have a subroutine of that name, with other arguments.
            Err(_) => {
                let what = format!("`call` of the library's function `{}`", name.as_str());
                return self.reporter.refuse(name.span, what);
            }
        };
        let outer = self.enter_block();
        let (ty, storage) = (value.ty.clone(), Storage::Local);
        let var = self.construct_variable(&"value".into(), ty.clone(), Shape::Scalar, storage, span);
        self.cx.scope = outer;
        let target = Expr { kind: ExprKind::Var(var), ty, rank: 0, span };
        let construct = self.cx.new_construct();
        let body = vec![Stmt { label: None, kind: StmtKind::Assign { target, value }, span }];
        Some(StmtKind::Block { id: construct, vars: vec![var], body })
    }

    pub(super) fn call_procedure(
        &mut self,
        id: ProcId,
        name: &Name,
        launch: Option<&GlobalLaunch>,
        args: &[Arg],
        span: Span,
    ) -> Option<StmtKind> {
        let is_function = self.defs.proc(id).is_function;
        let kind = self.defs.proc(id).kind;
        let known = !self.defs.proc_info(id).unknown_dummies;
        let is_library = self.external_named(&name.text) == Some(id);
        if is_function && known && self.defs.proc_info(id).embedded && is_library && launch.is_none() {
            return self.call_for_effect(id, name, args, span);
        }
        if is_function && known && self.defs.proc_info(id).embedded {
            // Without a declaration such a call is valid; other compilers' libraries have a subroutine of that name.
            return self.reporter.refuse(name.span, format!("`call` of the library's function `{}`", name.as_str()));
        }
        if is_function && known {
            // A bind(c) function may be called for its effect, as programs with C interfaces do the other way round.
            let text = format!("`{}` is a function, not a subroutine", name.as_str());
            return self.reporter.error_help(Code::NotASubroutine, name.span, text, "use its value in an expression");
        }
        let kind = if launch.is_some() { self.kind_of_launched(id) } else { kind };
        match launch {
            Some(launch) if kind != ProcKind::Kernel => return self.typing().chevrons_misplaced(name, launch),
            None if kind == ProcKind::Kernel => return self.typing().chevrons_missing(id, name.span),
            _ => {}
        }
        self.resolve_interface(id);
        let alternate = self.defs.proc_info(id).alternate;
        if alternate.is_some_and(|v| self.defs.proc(id).params.contains(&v)) && launch.is_none() {
            return self.call_with_labels(id, name, args, span);
        }
        self.check_no_labels(id, name, args)?;
        let is_intrinsic = LIBRARY_INTRINSICS.contains(&&*self.defs.proc(id).name) && self.defs.proc_info(id).embedded;
        if is_intrinsic && launch.is_none() {
            return self.library_intrinsic(id, name, args, span);
        }
        let config = match launch {
            Some(launch) => Some(self.launch_spec(launch)),
            None => None,
        };
        let arguments = self.arguments(args)?;
        let id = self.known_or_of_library(id, name, &arguments, span);
        self.linked(id, name)?;
        match self.fit(id, &arguments, span) {
            Ok(fit) => match config {
                Some(config) => self.launch(&fit, config?, arguments, span),
                None => self.subroutine_call(&fit, arguments, span),
            },
            Err(wrong) => self.reporter.report_all(wrong),
        }
    }

    /// What a procedure is that is launched: an interface of CUDA C without ATTRIBUTES is that of a kernel then.
    fn kind_of_launched(&mut self, id: ProcId) -> ProcKind {
        let info = self.defs.proc_info(id);
        if info.is_interface && info.bind.is_some() && !info.embedded && self.defs.proc(id).kind == ProcKind::Host {
            self.defs.proc_mut(id).kind = ProcKind::Kernel;
        }
        self.defs.proc(id).kind
    }

    fn call_generic(
        &mut self,
        procs: &[ProcId],
        name: &Name,
        launch: Option<&GlobalLaunch>,
        args: &[Arg],
        span: Span,
    ) -> Option<StmtKind> {
        let wanted: Vec<ProcId> = procs
            .iter()
            .copied()
            .filter(|p| {
                !self.defs.proc(*p).is_function && (self.defs.proc(*p).kind == ProcKind::Kernel) == launch.is_some()
            })
            .collect();
        // A generic name may add to that of an intrinsic subroutine; that of a function cannot be called.
        let intrinsic = crate::intrinsics::lookup(name.as_str())
            .filter(|found| launch.is_none() && (wanted.is_empty() || crate::intrinsics::is_subroutine(found.id)));
        if wanted.is_empty()
            && let Some(found) = &intrinsic
        {
            return self.call_intrinsic(found.id, name, launch, args, span);
        }
        if wanted.is_empty() && procs.iter().any(|p| !self.defs.proc(*p).is_function) {
            return match (launch, procs.first()) {
                (Some(launch), _) => self.typing().chevrons_misplaced(name, launch),
                (None, Some(&id)) => self.typing().chevrons_missing(id, name.span),
                (None, None) => None,
            };
        }
        if launch.is_none() && args.iter().any(is_label) {
            return self.call_generic_with_labels(&wanted, name, args, span);
        }
        let config = match launch {
            Some(launch) => Some(self.launch_spec(launch)),
            None => None,
        };
        let arguments = self.arguments(args)?;
        if let Some(fit) = self.best_specific(&wanted, &arguments) {
            if let Some(found) = &intrinsic
                && let Some(kind) = self.instead_of(&fit, |this| this.call_intrinsic(found.id, name, None, args, span))
            {
                return Some(kind);
            }
            self.check_rival(&fit, name)?;
            return match config {
                Some(config) => self.launch(&fit, config?, arguments, span),
                None => self.subroutine_call(&fit, arguments, span),
            };
        }
        if let Some(found) = intrinsic {
            return self.call_intrinsic(found.id, name, launch, args, span);
        }
        self.no_specific(&wanted, name, &arguments, span)
    }

    /// A call of a subroutine whose arguments fit.
    pub(super) fn subroutine_call(&mut self, fit: &Fit, args: Vec<Argument>, span: Span) -> Option<StmtKind> {
        self.check_call(fit.proc, span)?;
        let args = self.pass(fit, args)?;
        Some(StmtKind::Call { proc: fit.proc, args })
    }

    fn bound_call(
        &mut self,
        object: &ast::Expr,
        name: &Name,
        launch: Option<&GlobalLaunch>,
        args: &[Arg],
        span: Span,
    ) -> Option<StmtKind> {
        if let Some(launch) = launch {
            return self.typing().chevrons_misplaced(name, launch);
        }
        match self.bound_procedure(object, name, args, false, span) {
            Some(Some((fit, arguments))) => self.subroutine_call(&fit, arguments, span),
            Some(None) => None,
            None => {
                // Not bound: the object or the component may be wrong, or it is a procedure component.
                let object = self.expr(object)?;
                self.component(object, name, span)?;
                self.reporter.refuse(span, format!("a call through component `{}`", name.as_str()))
            }
        }
    }
}

impl Typing<'_> {
    fn chevrons_misplaced<T>(&mut self, name: &Name, launch: &GlobalLaunch) -> Option<T> {
        let text = format!("`{}` is not a kernel and takes no chevrons", name.as_str());
        let help = "declare it with `attributes(global)`, or remove `<<< >>>`";
        self.reporter.error_help(Code::ChevronsMismatch, launch.span, text, help)
    }

    fn chevrons_missing<T>(&mut self, id: ProcId, span: Span) -> Option<T> {
        let text = format!("kernel `{}` is called without a launch configuration", self.defs.proc(id).name);
        self.reporter.error_help(Code::ChevronsMismatch, span, text, "write `<<<grid, block>>>` after its name")
    }
}

/// Whether an argument is a label for an alternate return.
fn is_label(argument: &Arg) -> bool {
    matches!(argument.value, ast::ArgValue::AltReturn(_))
}

/// Whether two names differ only in the first letter, which says in LAPACK and kin for which type a procedure is.
fn is_of_other_type(name: &str, other: &str) -> bool {
    let stem = without_type(other).or_else(|| other.strip_prefix('i'));
    name.len() > 4 && stem.is_some() && without_type(name) == stem
}

/// Whether a name is made as those of BLAS and LAPACK are: a letter for the type, two for the kind of matrix, two or three for what is
/// done.
fn is_of_lapack(name: &str) -> bool {
    const MATRICES: [&str; 26] = [
        "bd", "gb", "ge", "gg", "gt", "hb", "he", "hg", "hp", "hs", "la", "or", "pb", "po", "pp", "pt", "sb", "sp",
        "st", "sy", "tb", "tg", "tp", "tr", "tz", "un",
    ];
    let stem = name.strip_prefix(['s', 'd', 'c', 'z']);
    stem.and_then(|stem| stem.get(..2)).is_some_and(|matrix| MATRICES.contains(&matrix))
        && (4..=6).contains(&name.len())
}
