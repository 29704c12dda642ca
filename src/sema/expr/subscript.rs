//! `base(args)`: what the parentheses mean depends on what stands before them.

use crate::checked::{CharLen, Class, Const, Expr, ExprKind, Intrinsic, ProcId, Shape, Storage, Sub, Type, VarId};
use crate::checker::{Checker, CodeSide, Description, Sym};
use crate::intrinsics::Found;
use crate::scope::is_host_function;
use crate::typing::{Typing, shape_name, shape_of, type_name};
use ast::{Arg, ArgValue, Name};
use diag::{Code, Diagnostic};
use source::Span;

impl Checker<'_> {
    /// `base(args)` as an expression.
    pub(super) fn apply(&mut self, base: &ast::Expr, args: &[Arg], span: Span) -> Option<Expr> {
        match &base.kind {
            ast::ExprKind::Name(name) => self.apply_name(name, args, span),
            ast::ExprKind::Member { base: object, name } => {
                if let Some(call) = self.bound_function(object, name, args, span) {
                    return call;
                }
                if self.is_axis(object) {
                    let base = self.member(object, name, base.span)?;
                    return self.subscript(base, args, span);
                }
                let object = self.expr(object)?;
                if let Some(elements) = self.element_of_each(&object, name, args, base.span) {
                    return elements;
                }
                let base = self.component(object, name, base.span)?;
                self.subscript(base, args, span)
            }
            // `t(4)(1.0)`: a constructor of a derived type with type parameters.
            ast::ExprKind::Apply { base: inner, args: values }
                if let ast::ExprKind::Name(name) = &inner.kind
                    && let Some(Sym::Type(id) | Sym::Generic { ty: Some(id), .. }) = self.find_name(name)
                    && self.is_template(id) =>
            {
                self.structure_with(id, values, args, name.span, span)
            }
            _ => {
                let base = self.expr(base)?;
                self.subscript(base, args, span)
            }
        }
    }

    fn apply_name(&mut self, name: &Name, args: &[Arg], span: Span) -> Option<Expr> {
        match self.find_name(name) {
            Some(Sym::Var(id)) => self.apply_variable(id, name, args, span),
            Some(Sym::Proc(id)) => self.by_interface_of(id, name, |this| this.reference(id, name, args, span)),
            Some(Sym::Generic { procs, ty }) => self.generic_reference(&procs, ty, name, args, span),
            Some(Sym::Type(id)) => self.structure(id, args, name.span, span),
            Some(Sym::Intrinsic(id)) => {
                // A module may have given the intrinsic procedure another name, perhaps that of a second one.
                let found = crate::intrinsics::lookup(name.as_str()).filter(|found| found.id == id);
                let found = found.unwrap_or(crate::intrinsics::Found::plain(id));
                self.intrinsic_function(found, args, span)
            }
            Some(Sym::StatementFunction(scope, at)) => self.statement_function(scope, at, args, span),
            Some(Sym::Refused(what)) => self.reporter.refuse_again(&what),
            Some(Sym::Ambiguous(a, b)) => self.typing().ambiguous(name, &a, &b),
            Some(Sym::Namelist(..)) => {
                let text = format!("`{}` is a namelist group", name.as_str());
                self.reporter.error(Code::WrongKindOfName, name.span, text)
            }
            Some(Sym::Resolving) => {
                let text = format!("the declaration of `{}` depends on itself", name.as_str());
                self.reporter.error(Code::BadSpecificationExpression, name.span, text)
            }
            Some(Sym::Unresolved(_) | Sym::Error) => None,
            None => self.apply_unknown(name, args, span),
        }
    }

    fn apply_variable(&mut self, id: VarId, name: &Name, args: &[Arg], span: Span) -> Option<Expr> {
        let var = self.defs.var(id);
        if matches!(var.storage, Storage::Procedure) {
            let (fit, arguments) = self.procedure_variable(id, args, true, span)?;
            return self.function_call(fit, arguments, span);
        }
        if self.defs.var_info(id).procedure_pointer {
            let (fit, arguments) = self.pointer_variable(id, args, true, span)?;
            return self.function_call(fit, arguments, span);
        }
        let is_scalar = matches!(var.shape, Shape::Scalar);
        // The result variable of a function that calls itself by the same name.
        if is_scalar
            && matches!(var.storage, Storage::Result)
            && !is_substring(args)
            && let Some(own) = self.cx.proc.filter(|p| self.defs.proc(*p).name == name.text)
        {
            // Fortran 2018, 15.6.2.2: the name of a function without RESULT is its variable.
            let text = format!("`{}` is the result here, and the function calls itself by that name", name.as_str());
            let help = "give the result a name of its own with `result(…)`";
            self.typing().not_standard(Code::FormOfCompilers, name.span, text, help);
            return self.reference(own, name, args, span);
        }
        if is_scalar && self.defs.var_info(id).typed_only && !is_substring(args) {
            return self.apply_typed(id, name, args, span);
        }
        let base = self.variable(id, name.span)?;
        // An array constant stays a variable here, so that its elements can be picked.
        self.subscript(base, args, span)
    }

    /// The intrinsic procedure that a name without EXTERNAL and INTRINSIC is. A procedure of the program comes before one that only
    /// compilers have for a kind of integers, before one of `iso_c_binding` where that module is not used, and in host code before
    /// one of device code.
    pub(crate) fn implied_intrinsic(&self, name: &Name) -> Option<Found> {
        let has_module = || ["iso_c_binding", "cudafor"].iter().any(|m| self.scopes.reaches_module(self.cx.scope, m));
        let is_of_libm = |id| {
            use Intrinsic::{Cbrt, Exp2, Exp10, Expm1, Fma, Log1p, Log2, Rsqrt};
            matches!(id, Cbrt | Exp2 | Exp10 | Expm1 | Fma | Log1p | Log2 | Rsqrt)
        };
        let is_of_device = |id: Intrinsic| id.class() == Class::Device || id == Intrinsic::OnDevice || is_of_libm(id);
        let is_weak = |found: &Found| {
            crate::intrinsics::of_kind(name.as_str()).is_some()
                || (name.as_str().starts_with("c_") && !has_module())
                || (self.cx.side == CodeSide::Host && is_of_device(found.id))
        };
        let is_defined = |found: &Found| self.scopes.own_external(&name.text).is_some() && is_weak(found);
        crate::intrinsics::lookup(name.as_str()).filter(|found| !is_defined(found))
    }

    /// The external procedure of a name: one of the given files, else one of the run-time library, whose own procedures know each
    /// other first.
    pub(crate) fn external_named(&self, name: &str) -> Option<ProcId> {
        let is_of_library = self.cx.proc.is_some_and(|id| self.defs.proc_info(id).embedded);
        let own = if is_of_library { self.scopes.library(name) } else { None };
        own.or_else(|| self.scopes.external(name))
    }

    /// A name of which only the type is declared is a function when it is applied: an intrinsic one or an external one.
    fn apply_typed(&mut self, id: VarId, name: &Name, args: &[Arg], span: Span) -> Option<Expr> {
        let var = self.defs.var(id).clone();
        if matches!(var.storage, Storage::Dummy(_)) {
            return self
                .reporter
                .refuse(span, format!("dummy procedure `{}` without `external` or an interface", name.as_str()));
        }
        if let Some(found) = self.implied_intrinsic(name) {
            self.made.applied.insert((self.cx.proc, name.text.clone()));
            return self.intrinsic_function(found, args, span);
        }
        if let Some(external) = self.external_named(&name.text) {
            self.made.applied.insert((self.cx.proc, name.text.clone()));
            let call = self.by_implicit_interface(external, name, |this| {
                this.describe(external, Description::Result(var.ty.clone()), var.span);
                this.reference(external, name, args, span)
            })?;
            // A function of assumed length gives as many characters as are declared here.
            let ty = if self.has_assumed_length(external) { var.ty } else { call.ty };
            return Some(Expr { ty, ..call });
        }
        if self.defs.var_info(id).implicit {
            return self.apply_unknown(name, args, span);
        }
        if let Some(call) = self.library_function(name, var.ty.clone(), args, span) {
            return call;
        }
        if let Some(call) = self.runtime_function(name, args, span) {
            return call;
        }
        if self.typing().may_lack_shape(id) {
            return None;
        }
        let is_of_library = self.typing().library_procedure(name.as_str()).is_some() || is_host_function(name.as_str());
        if args.is_empty() || is_of_library || self.options.separate {
            self.quiet_arguments(args);
            return self.typing().refuse_undefined("function", name.as_str(), name.span);
        }
        if let Some(hidden) = self.hidden_function(name) {
            let text = format!(
                "`{0}` is declared as a scalar here, which hides the function `{0}` of the host",
                name.as_str()
            );
            let d = Diagnostic::new(Code::NotAnArray, span, text).secondary(var.span, "declared here");
            let d = d.secondary(hidden, "the function is here");
            self.reporter.report(d.help("remove the declaration of its type"));
            return None;
        }
        let text = format!("`{0}` is declared as a scalar, and no given file defines a function `{0}`", name.as_str());
        self.reporter.report(
            Diagnostic::new(Code::NotAnArray, span, text)
                .secondary(var.span, "declared here")
                .help("if it is an array, give it a shape; if it is a function, give the file that defines it"),
        );
        None
    }

    /// Where the function is that a declaration in an inner scope hides.
    fn hidden_function(&self, name: &Name) -> Option<Span> {
        let mut found = self.scopes.around(self.cx.scope).filter_map(|data| data.names.get(&name.text));
        match found.nth(1).map(|entry| &entry.sym) {
            Some(Sym::Proc(id)) if self.defs.proc(*id).is_function => Some(self.defs.proc(*id).span),
            _ => None,
        }
    }

    /// A name without any declaration that is applied.
    fn apply_unknown(&mut self, name: &Name, args: &[Arg], span: Span) -> Option<Expr> {
        if let Some(sym) = self.device_module_name(name.as_str()) {
            match sym {
                Sym::Proc(id) => return self.reference(id, name, args, span),
                Sym::Generic { procs, ty } => return self.generic_reference(&procs, ty, name, args, span),
                _ => {}
            }
        }
        if let Some(found) = self.implied_intrinsic(name) {
            self.made.applied.insert((self.cx.proc, name.text.clone()));
            return self.intrinsic_function(found, args, span);
        }
        if let Some(what) = self.typing().foreign(name.as_str()).filter(|_| self.scopes.external(&name.text).is_none())
        {
            self.quiet_arguments(args);
            return self.typing().refuse_foreign(&what, name.span);
        }
        if name.as_str() == "dim3" {
            let id = self.dim3();
            return self.structure(id, args, name.span, span);
        }
        if let Some(external) = self.external_named(&name.text) {
            let is_library = self.defs.proc_info(external).embedded;
            let implicit = self.scopes.implicit_type(self.cx.scope, name.as_str());
            if is_library || implicit.is_some() {
                self.made.applied.insert((self.cx.proc, name.text.clone()));
                // Inside a function the types of its entries are known.
                let is_own = self.cx.proc == Some(self.defs.proc(external).entry_of.unwrap_or(external));
                if let (Some(ty), false) = (implicit, is_library || is_own) {
                    self.describe(external, Description::Result(ty), name.span);
                }
                return self.by_implicit_interface(external, name, |this| this.reference(external, name, args, span));
            }
            let text = format!("function `{}` has no declaration here", name.as_str());
            let help = "declare its result's type, or put it into a module";
            return self.reporter.error_help(Code::UndeclaredName, name.span, text, help);
        }
        if let Some(ty) = self.scopes.implicit_type(self.cx.scope, name.as_str()) {
            if let Some(call) = self.library_function(name, ty, args, span) {
                return call;
            }
            if let Some(call) = self.runtime_function(name, args, span) {
                return call;
            }
        }
        if self.scopes.is_tainted(self.cx.scope) {
            return None;
        }
        if self.typing().library_procedure(name.as_str()).is_some() {
            self.quiet_arguments(args);
            return self.typing().refuse_undefined("function", name.as_str(), name.span);
        }
        let near = self
            .scopes
            .similar(self.cx.scope, name.as_str(), |_| true)
            .or_else(|| crate::intrinsics::nearest(name.as_str()))
            .filter(|_| !self.options.separate);
        // Under the implicit rules it is an external function, unless it looks like a mistyped name.
        let is_typed = self.scopes.implicit_type(self.cx.scope, name.as_str()).is_some();
        let may_be_external =
            is_typed && self.cx.side == CodeSide::Host && self.typing().use_help(name.as_str()).is_none();
        if near.is_none() && may_be_external && !self.cx.debugger {
            self.arguments(args)?;
            return self.typing().refuse_undefined("function", name.as_str(), name.span);
        }
        self.typing().no_such_array(name, near.as_deref())
    }

    /// A reference to a function of CUDA's runtime that no USE statement brings in; `None` if there is none of that name.
    fn runtime_function(&mut self, name: &Name, args: &[Arg], span: Span) -> Option<Option<Expr>> {
        match self.runtime_routine(name)? {
            Sym::Proc(id) => Some(self.reference(id, name, args, span)),
            Sym::Generic { procs, ty } => Some(self.generic_reference(&procs, ty, name, args, span)),
            _ => None,
        }
    }

    /// Elements, sections and substrings of a value.
    pub(crate) fn subscript(&mut self, base: Expr, args: &[Arg], span: Span) -> Option<Expr> {
        if let Some(arg) = args.iter().find(|a| a.keyword.is_some()) {
            return self.reporter.error(Code::SyntaxError, arg.span, "a subscript has no keyword");
        }
        let is_part =
            matches!(base.kind, ExprKind::Element { .. } | ExprKind::Section { .. } | ExprKind::Substring { .. });
        let whole = matches!(base.kind, ExprKind::Var(_) | ExprKind::Field { .. });
        let own_rank = own_rank(&base);
        if base.rank == 0 || is_part || own_rank == 0 {
            if let ExprKind::Var(id) = base.kind
                && self.typing().may_lack_shape(id)
            {
                return None;
            }
            if matches!(base.ty, Type::Character(_)) && is_substring(args) {
                return self.substring(base, args, span);
            }
            let text = if is_part {
                "subscripts after subscripts".to_owned()
            } else {
                format!("subscripts on {}, which is not an array", shape_name(&self.defs, &base.ty, base.rank))
            };
            return self.reporter.error(Code::NotAnArray, span, text);
        }
        if !whole {
            return self.reporter.error(
                Code::NotAnArray,
                span,
                "subscripts on an expression: assign it to a variable first",
            );
        }
        self.typing().check_component_use(&base)?;
        if args.len() != usize::from(base.rank) {
            let text = format!(
                "{} subscript{} on an array of rank {}",
                args.len(),
                if args.len() == 1 { "" } else { "s" },
                base.rank
            );
            return self.reporter.error(Code::SubscriptCount, span, text);
        }
        let mut subs = Vec::with_capacity(args.len());
        for arg in args {
            subs.push(self.one_subscript(arg));
        }
        let subs = subs.into_iter().collect::<Option<Vec<Sub>>>()?;
        self.typing().check_constant_subscripts(&base, &subs);
        let ty = base.ty.clone();
        let rank = subs.iter().filter(|s| !matches!(s, Sub::Index(_))).count() as u8;
        if rank > 0 {
            if let Some(Shape::AssumedSize(..)) = shape_of(&self.defs, &base)
                && let Some(Sub::Range { hi: None, .. }) = subs.last()
            {
                let help = "give the upper bound of the last dimension";
                return self.reporter.error_help(
                    Code::BadBounds,
                    span,
                    "the array has assumed size: it has no last upper bound",
                    help,
                );
            }
            return Some(Expr { kind: ExprKind::Section { base: Box::new(base), subs }, ty, rank, span });
        }
        let subs = subs.into_iter().filter_map(|s| if let Sub::Index(e) = s { Some(e) } else { None }).collect();
        self.typing().fold(Expr { kind: ExprKind::Element { base: Box::new(base), subs }, ty, rank: 0, span })
    }

    /// The same element of an array component of each object of an array.
    pub(super) fn element_of_components(&mut self, component: Expr, args: &[Arg], span: Span) -> Option<Expr> {
        let rank = shape_of(&self.defs, &component).map_or(0, Shape::rank);
        if args.len() != usize::from(rank) {
            let text = format!("{} subscripts on a component of rank {rank}", args.len());
            return self.reporter.error(Code::SubscriptCount, span, text);
        }
        let mut subs = Vec::with_capacity(args.len());
        for arg in args {
            let ArgValue::Expr(e) = &arg.value else { return None };
            subs.push(Sub::Index(self.integer_scalar(e, &Type::Integer(8), "a subscript")?));
        }
        self.typing().check_constant_subscripts(&component, &subs);
        let subs = subs.into_iter().filter_map(|s| if let Sub::Index(e) = s { Some(e) } else { None }).collect();
        let (ty, rank) = (component.ty.clone(), component.rank);
        Some(Expr { kind: ExprKind::Element { base: Box::new(component), subs }, ty, rank, span })
    }

    fn one_subscript(&mut self, arg: &Arg) -> Option<Sub> {
        match &arg.value {
            ArgValue::Expr(e) => {
                let mut value = self.expr(e)?;
                if matches!(value.ty, Type::Real(_)) && value.rank == 0 {
                    // nvfortran converts it.
                    let text =
                        format!("a subscript is `{}`, and its whole part is taken", type_name(&self.defs, &value.ty));
                    self.reporter.report(Diagnostic::new(Code::RealSubscript, e.span, text).help("write `int(…)`"));
                    value = self.typing().convert(value, &Type::Integer(8))?;
                }
                if !matches!(value.ty, Type::Integer(_)) {
                    let text = format!(
                        "a subscript must be an integer, not {}",
                        shape_name(&self.defs, &value.ty, value.rank)
                    );
                    return self.reporter.error(Code::IntegerRequired, e.span, text);
                }
                match value.rank {
                    0 => Some(Sub::Index(self.typing().convert(value, &Type::Integer(8))?)),
                    1 => Some(Sub::Vector(self.typing().convert(value, &Type::Integer(8))?)),
                    _ => {
                        let text = format!("a vector subscript has rank 1, not {}", value.rank);
                        self.reporter.error(Code::BadVectorSubscript, e.span, text)
                    }
                }
            }
            ArgValue::Range { lo, hi, step } => {
                let lo = self.bound(lo.as_ref());
                let hi = self.bound(hi.as_ref());
                let step = self.bound(step.as_ref());
                let (lo, hi, step) = (lo?, hi?, step?);
                if let Some(Expr { kind: ExprKind::Const(Const::Int(0)), span, .. }) = &step {
                    return self.reporter.error(Code::ZeroStride, *span, "a section's stride cannot be zero");
                }
                if let Some(Expr { kind: ExprKind::Const(Const::Int(..0)), span, .. }) = &step
                    && (lo.is_none() || hi.is_none())
                {
                    let text = match (&lo, &hi) {
                        (None, None) => {
                            "this section goes down from the lower to the upper bound: it has at most one element"
                        }
                        (None, _) => "this section goes down from the lower bound: it has at most one element",
                        _ => "this section goes down to the upper bound: it has at most one element",
                    };
                    let d = Diagnostic::new(Code::HalfOpenDescent, *span, text);
                    self.reporter.report(d.help("write both bounds, the greater one first, as in `a(n:1:-1)`"));
                }
                Some(Sub::Range { lo, hi, step })
            }
            ArgValue::AltReturn(_) => self.reporter.error(Code::SyntaxError, arg.span, "`*` is not a subscript"),
        }
    }

    /// An optional bound, as `integer(8)`.
    #[allow(clippy::option_option)]
    fn bound(&mut self, e: Option<&ast::Expr>) -> Option<Option<Expr>> {
        match e {
            None => Some(None),
            Some(e) => self.integer_scalar(e, &Type::Integer(8), "a bound").map(Some),
        }
    }

    fn substring(&mut self, base: Expr, args: &[Arg], span: Span) -> Option<Expr> {
        let [Arg { value: ArgValue::Range { lo, hi, step: None }, .. }] = args else {
            return self.reporter.error(Code::BadSubstring, span, "a substring is `(first:last)`");
        };
        let (lo, hi) = (self.bound(lo.as_ref()), self.bound(hi.as_ref()));
        let (lo, hi) = (lo?, hi?);
        let position = |e: &Option<Expr>| match e {
            Some(Expr { kind: ExprKind::Const(Const::Int(v)), .. }) => Some(*v),
            _ => None,
        };
        let length = if let Type::Character(CharLen::Const(n)) = base.ty { Some(n) } else { None };
        let first = if lo.is_none() { Some(1) } else { position(&lo) };
        let last = if hi.is_none() { length } else { position(&hi) };
        let len = match (first, last) {
            (Some(a), Some(b)) => {
                if a <= b && (a < 1 || length.is_some_and(|n| b > n)) {
                    let text = format!("substring {a}:{b} of a value of length {}", length.unwrap_or(0));
                    return self.reporter.error(Code::BadSubstring, span, text);
                }
                CharLen::Const(b.saturating_sub(a).saturating_add(1).max(0))
            }
            _ => CharLen::Deferred,
        };
        let rank = base.rank;
        let kind = ExprKind::Substring { base: Box::new(base), lo: lo.map(Box::new), hi: hi.map(Box::new) };
        self.typing().fold(Expr { kind, ty: Type::Character(len), rank, span })
    }
}

/// Whether the parentheses hold one range without a stride, as a substring does.
fn is_substring(args: &[Arg]) -> bool {
    matches!(args, [Arg { value: ArgValue::Range { step: None, .. }, .. }])
}

impl Typing<'_> {
    /// Whether a scalar may be an array by a declaration that was lost.
    fn may_lack_shape(&self, id: VarId) -> bool {
        let name = &self.defs.var(id).name;
        self.scopes
            .all()
            .iter()
            .any(|s| s.lost && matches!(s.names.get(name).map(|e| &e.sym), Some(Sym::Var(v)) if *v == id))
    }

    /// Reports a name without any declaration that stands for neither an array nor a function.
    pub(crate) fn no_such_array<T>(&mut self, name: &Name, near: Option<&str>) -> Option<T> {
        let text = format!("there is no array or function `{}` here", name.as_str());
        let d = Diagnostic::new(Code::UndeclaredName, name.span, text);
        self.reporter.report(match near {
            Some(near) => d.suggest(Some(near)),
            None => d.help(
                self.use_help(name.as_str())
                    .unwrap_or_else(|| "declare it, or give the file that defines it".to_owned()),
            ),
        });
        None
    }

    /// Warns of constant subscripts outside constant bounds.
    fn check_constant_subscripts(&mut self, base: &Expr, subs: &[Sub]) {
        let mut found = Vec::new();
        if let Some(bounds) = shape_of(self.defs, base).and_then(Shape::constant_bounds) {
            for (dim, (sub, (lower, extent))) in subs.iter().zip(bounds).enumerate() {
                let Sub::Index(Expr { kind: ExprKind::Const(Const::Int(v)), span, .. }) = sub else { continue };
                let upper = lower.saturating_add(extent).saturating_sub(1);
                if *v < lower || *v > upper {
                    found.push((*span, format!("subscript {v} is outside {lower}:{upper} of dimension {}", dim + 1)));
                }
            }
        }
        for (span, text) in found {
            self.reporter.report(Diagnostic::new(Code::ConstantSubscriptOutOfBounds, span, text));
        }
    }
}

/// The rank of the last part of a designator: that of `a%b` with array `a` and scalar `b` is 0.
fn own_rank(base: &Expr) -> u8 {
    match &base.kind {
        ExprKind::Field { base: object, .. } if object.rank > 0 => 0,
        _ => base.rank,
    }
}
