//! Resolves a declared name: its type, shape, storage and attributes.

use crate::checked::{
    Attrs, CharLen, Const, Expr, ExprKind, ProcId, ProcKind, Shape, StmtKind, Storage, Type, VarId, Variable, visit,
};
use crate::checker::{
    Checker, CodeSide, Context, DeclaredName, Init, InitialTarget, ScopeId, Sym, TargetValue, VarInfo,
};
use crate::decl::shape::ShapeRules;
use crate::fold::Evaluator;
use crate::typing::Typing;
use diag::{Code, Diagnostic};
use source::Span;
use std::sync::Arc;

impl<'a> Checker<'a> {
    /// Resolves the declaration at that place of a scope's list.
    pub(crate) fn resolve(&mut self, scope: ScopeId, at: usize) -> Sym {
        let p = self.scopes.get(scope).declared[at].clone();
        if !self.enter_dependency(p.span) {
            self.scopes.set_sym(scope, &p.name, Sym::Error);
            return Sym::Error;
        }
        self.scopes.set_sym(scope, &p.name, Sym::Resolving);
        let proc = self.scopes.get(scope).proc;
        let side = proc.map_or(CodeSide::Host, |id| CodeSide::of(self.defs.proc(id).kind));
        let mut cx = Context::new(scope, proc, side);
        if self.scopes.get(scope).is_block {
            // What a BLOCK declares is evaluated where the construct is executed.
            (cx.side, cx.guarded, cx.cuf_first_var) = (self.cx.side, self.cx.guarded, self.cx.cuf_first_var);
        }
        let outer = self.enter_context(cx);
        let resolved = self.declare(scope, &p);
        let sym = match (resolved, self.leave_context(outer)) {
            (_, Some(what)) => Sym::Refused(what),
            (Some(sym), None) => sym,
            (None, None) => Sym::Error,
        };
        self.leave_dependency();
        self.scopes.set_sym(scope, &p.name, sym.clone());
        sym
    }

    fn declare(&mut self, scope: ScopeId, p: &DeclaredName<'a>) -> Option<Sym> {
        if let Some(span) = p.intrinsic {
            if p.external.is_some() {
                let text = format!("`{}` cannot be both `external` and `intrinsic`", p.name);
                return self.reporter.error(Code::AttributeConflict, span, text);
            }
            return match crate::intrinsics::lookup(&p.name).filter(|_| !p.name.starts_with("c_")) {
                Some(found) => Some(Sym::Intrinsic(found.id)),
                None if crate::intrinsics::LIBRARY_INTRINSICS.contains(&&*p.name) => {
                    self.scopes.library(&p.name).map(Sym::Proc)
                }
                None => self.reporter.error(
                    Code::UnknownProcedure,
                    span,
                    format!("there is no intrinsic procedure `{}`", p.name),
                ),
            };
        }
        if p.external.is_some() || p.procedure.is_some() || p.interface.is_some() {
            self.typing().check_procedure_name(p)?;
            self.typing().check_procedure_attributes(p)?;
            if !matches!(p.init, Init::None) && p.pointer.is_none() {
                let text = format!("procedure `{}` cannot have an initial value", p.name);
                return self.reporter.error(Code::BadInitialisation, p.span, text);
            }
            return self.declare_procedure(scope, p);
        }
        if let (Some(span), true) = (p.equivalence, p.dummy.is_some() || p.allocatable.is_some() || p.pointer.is_some())
        {
            let text = format!("`{}` cannot be in `equivalence`: it is an argument, allocatable or a pointer", p.name);
            return self.reporter.error(Code::BadEquivalence, span, text);
        }
        let is_parameter = p.parameter.is_some();
        if let Some(ast::TypeSpec { kind: kind @ (ast::TypeSpecKind::Class(_) | ast::TypeSpecKind::ClassStar), span }) =
            p.spec
            && p.dummy.is_none()
            && p.allocatable.is_none()
            && p.pointer.is_none()
        {
            let name = if let ast::TypeSpecKind::Class(derived) = kind { derived.name.as_str() } else { "*" };
            let text = format!("`class({name})` is for dummy arguments, allocatable variables and pointers");
            let help = if name == "*" { "declare the type".to_owned() } else { format!("write `type({name})`") };
            return self.reporter.error_help(Code::BadPolymorphism, *span, text, help);
        }
        self.typing().check_assumed_type(p)?;
        let (ty, lengths) = match p.spec {
            Some(spec) => self.type_of_declaration(p, spec)?,
            // A kind of integers, whatever IMPLICIT says.
            _ if p.is_enumerator => (Type::Integer(4), Vec::new()),
            None if p.is_cray_pointer => (Type::Integer(8), Vec::new()),
            None if p.is_typed_by_value => (self.type_of_value(p)?, Vec::new()),
            None => (self.typing().untyped(scope, p)?, Vec::new()),
        };
        let is_described = p.allocatable.is_some() || p.pointer.is_some();
        self.typing().check_lengths(&lengths, p.dummy.is_some(), is_described, p.spec.map_or(p.span, |s| s.span))?;
        let is_made = matches!(ty, Type::Derived(id) if self.defs.ty(id).is_made);
        let is_host_data = self.is_kept_by_host(p) || p.cuda.is_none_or(|(cuda, _)| cuda == ast::CudaAttr::Pinned);
        if is_made && !is_host_data {
            let text = "data with a CUDA attribute of a type whose objects are made at run time: with lengths known then, or initial targets,";
            return self.reporter.refuse(p.span, text);
        }
        self.check_flat_variable(p, &ty)?;
        let place = ShapeRules {
            dummy: p.dummy.is_some(),
            allocatable: p.allocatable.is_some(),
            pointer: p.pointer.is_some(),
            star: is_parameter || p.cray_pointer.is_some() || matches!(p.cuda, Some((ast::CudaAttr::Shared, _))),
        };
        let shape = match p.shape {
            Some(shape) => {
                // Bounds may ask for the length, which is known (Fortran 2018, 10.1.11).
                self.made.typed.push((p.name.clone(), ty.clone()));
                let shape = self.shape(shape, place);
                self.made.typed.pop();
                shape?
            }
            None => Shape::Scalar,
        };
        if is_parameter {
            self.typing().check_constant_attributes(p)?;
            // nvfortran takes `constant` for what it says, and `managed` for nothing.
            if let Some((cuda, span)) = p.cuda.filter(|(cuda, _)| *cuda != ast::CudaAttr::Constant) {
                let text = format!("named constant `{}` cannot be {} data", p.name, crate::cuda::spelling(cuda));
                let help = "named constants can be used in device code as they are";
                if cuda != ast::CudaAttr::Managed {
                    return self.reporter.error_help(Code::DataAttributeMisplaced, span, text, help);
                }
                self.reporter.report(Diagnostic::new(Code::ManagedConstant, span, text).help(help));
            }
            if is_made {
                return self.declare_made_constant(scope, p, (ty, shape), lengths);
            }
            return self.declare_constant(scope, p, ty, shape);
        }
        self.typing().check_length(p, &ty)?;
        self.typing().check_attributes(p, &shape)?;
        self.check_cleared_size(p, &ty, &shape)?;
        self.check_bound_variable(scope, p, &ty)?;
        let shape = self.typing().without_local_size(scope, p, shape);
        self.typing().check_restricted(scope, p, &ty, &shape, &lengths)?;
        if let Some((name, span)) = p.cray_pointer.clone().map(|n| (n, p.span)) {
            return self.declare_pointee(scope, p, &name, span, ty, shape);
        }
        let owner = self.scopes.get(scope).proc;
        let storage = self.typing().storage(scope, p, Some(&ty), &shape, owner)?;
        let by_value = p.value.is_some() && p.dummy.is_some();
        let is_flat = matches!(ty, Type::Derived(id) if self.defs.ty(id).is_flat);
        let copied = by_value && p.optional.is_some() && !is_flat && !self.typing().is_by_value_alone(p);
        if copied && !self.can_be_copied(&ty) {
            let span = p.value.unwrap_or(p.span);
            return self.reporter.refuse(span, format!("the optional `value` argument `{}`", p.name));
        }
        let is_implied_class = p.spec.is_none() && self.scopes.implicit_rules(scope).is_class(&p.name);
        let attrs = Attrs {
            cuda: p.cuda.map(|(c, _)| c),
            is_flat,
            allocatable: p.allocatable.is_some(),
            pointer: p.pointer.is_some(),
            target: p.target.is_some(),
            value: by_value && !copied,
            copied,
            optional: p.optional.is_some(),
            contiguous: p.contiguous.is_some(),
            volatile: p.volatile,
            asynchronous: p.asynchronous,
            class: self.is_polymorphic(p.spec) || is_implied_class,
            protected: p.protected,
            intent: p.intent.filter(|_| p.dummy.is_some()).map(|(i, _)| i),
            ignore_tkr: p.ignore_tkr.clone(),
            lengths,
        };
        self.typing().check_static_lengths(p, &storage, &attrs.lengths)?;
        self.check_cuda_variable(p, &ty, &shape, &storage, owner);
        let typed_only = p.has_type_only();
        let var = Variable {
            name: p.name.clone(),
            ty: ty.clone(),
            shape: shape.clone(),
            storage: storage.clone(),
            attrs,
            init: None,
            owner,
            module: self.scopes.get(scope).module.clone().filter(|_| owner.is_none()),
            span: p.span,
        };
        let is_class = |s: &ast::TypeSpec| matches!(s.kind, ast::TypeSpecKind::Class(_) | ast::TypeSpecKind::ClassStar);
        let polymorphic = p.spec.is_some_and(is_class) || is_implied_class;
        let id = self.defs.add_var(var, VarInfo { typed_only, polymorphic, ..VarInfo::default() });
        // The initial value may ask about the variable's own type and shape.
        self.scopes.set_sym(scope, &p.name, Sym::Var(id));
        self.defs.var_mut(id).init = self.initial(p, &ty, &shape, &storage, (scope, id));
        Some(Sym::Var(id))
    }

    fn declare_constant(&mut self, scope: ScopeId, p: &DeclaredName<'a>, ty: Type, shape: Shape) -> Option<Sym> {
        self.typing().check_constant_form(p, &ty, &shape)?;
        let owner = self.scopes.get(scope).proc;
        let var = Variable {
            name: p.name.clone(),
            ty: ty.clone(),
            shape: shape.clone(),
            storage: Storage::Parameter,
            attrs: Attrs::default(),
            init: None,
            owner,
            module: self.scopes.get(scope).module.clone().filter(|_| owner.is_none()),
            span: p.span,
        };
        let id = self.defs.add_var(var, VarInfo::default());
        // The value may ask about the constant's own type and shape.
        self.scopes.set_sym(scope, &p.name, Sym::Var(id));
        let (value, ty, shape) = match &p.init {
            Init::Next(last) => {
                let next = match last {
                    None => 0,
                    Some(name) => match self.own(scope, name) {
                        Some(Sym::Var(id)) => match self.defs.var(id).init {
                            Some(Const::Int(v)) => v.saturating_add(1),
                            _ => return None,
                        },
                        _ => return None,
                    },
                };
                (Const::Int(next), ty, shape)
            }
            Init::Value(e) => self.parameter_value(p, e, ty, shape)?,
            Init::None | Init::Pointer(_) => {
                let text = format!("named constant `{}` has no value", p.name);
                return self.reporter.error_help(Code::BadInitialisation, p.span, text, "add `= value`");
            }
        };
        let var = self.defs.var_mut(id);
        (var.init, var.ty, var.shape) = (Some(value), ty, shape);
        Some(Sym::Var(id))
    }

    /// Whether managed objects are like those of the host, and kernels get copies of them: polymorphic ones, whose dynamic type says how
    /// many length parameters they have.
    fn is_kept_by_host(&self, p: &DeclaredName<'a>) -> bool {
        let is_class = p.spec.is_some_and(|s| matches!(s.kind, ast::TypeSpecKind::Class(_)));
        let is_managed = matches!(p.cuda, Some((ast::CudaAttr::Managed | ast::CudaAttr::Unified, _)));
        is_class && is_managed && p.pointer.is_none() && self.cx.side == CodeSide::Host
    }

    /// The type that a declaration names, and the values that it gives to open length parameters. Data of the device has none.
    fn type_of_declaration(&mut self, p: &DeclaredName<'a>, spec: &'a ast::TypeSpec) -> Option<(Type, Vec<CharLen>)> {
        let is_device_data = p.cuda.is_some_and(|(cuda, _)| cuda != ast::CudaAttr::Pinned)
            && p.parameter.is_none()
            && !self.is_kept_by_host(p);
        let outer = std::mem::replace(&mut self.cx.is_closed, is_device_data);
        let ty = self.type_spec(spec, p.char_len);
        let lengths = if ty.is_some() { self.lengths_of_spec(spec) } else { Vec::new() };
        self.cx.is_closed = outer;
        Some((ty?, lengths))
    }

    /// A named constant whose type has length parameters that are known at run time only: a static object that cannot change, with an
    /// initial value.
    fn declare_made_constant(
        &mut self,
        scope: ScopeId,
        p: &DeclaredName<'a>,
        (ty, shape): (Type, Shape),
        lengths: Vec<CharLen>,
    ) -> Option<Sym> {
        self.typing().check_constant_form(p, &ty, &shape)?;
        let Init::Value(e) = &p.init else {
            let text = format!("named constant `{}` has no value", p.name);
            return self.reporter.error_help(Code::BadInitialisation, p.span, text, "add `= value`");
        };
        let shape = match shape {
            Shape::AssumedSize(..) => {
                let outer = std::mem::replace(&mut self.cx.specification, true);
                let value = self.expr_as(e, &ty);
                self.cx.specification = outer;
                let known = self.typing().evaluate(&value?)?;
                super::initial::implied_shape(p, shape, &known)
            }
            shape => shape,
        };
        if matches!(shape, Shape::AssumedSize(..)) {
            let text = format!("named constant `{}` takes its shape from its value, which has another rank", p.name);
            return self.reporter.error(Code::RankMismatch, e.span, text);
        }
        self.typing().check_static_lengths(p, &Storage::Static, &lengths)?;
        let owner = self.scopes.get(scope).proc;
        let var = Variable {
            name: p.name.clone(),
            ty: ty.clone(),
            shape: shape.clone(),
            storage: Storage::Static,
            attrs: Attrs { lengths, ignore_tkr: "".into(), ..Attrs::default() },
            init: None,
            owner,
            module: self.scopes.get(scope).module.clone().filter(|_| owner.is_none()),
            span: p.span,
        };
        let id = self.defs.add_var(var, VarInfo { is_constant: true, ..VarInfo::default() });
        self.scopes.set_sym(scope, &p.name, Sym::Var(id));
        let whole = Expr { kind: ExprKind::Var(id), ty: ty.clone(), rank: shape.rank(), span: e.span };
        let outer = std::mem::replace(&mut self.cx.specification, true);
        let given = self.assign_initial(whole, e);
        self.cx.specification = outer;
        let Some(StmtKind::Assign { target, value }) = given else { return Some(Sym::Var(id)) };
        if let Ok(known) = Evaluator::full(&self.defs).eval(&value)
            && let Some(known) = self.typing().shaped(known, value.rank, &shape, e.span, &p.name)
        {
            self.defs.note_constant(id, known);
        }
        self.made.initial_targets.push(InitialTarget { pointer: target, value: TargetValue::Value(value), scope });
        Some(Sym::Var(id))
    }

    fn declare_pointee(
        &mut self,
        scope: ScopeId,
        p: &DeclaredName<'a>,
        pointer: &Arc<str>,
        span: Span,
        ty: Type,
        shape: Shape,
    ) -> Option<Sym> {
        let Some(Sym::Var(id)) = self.own(scope, pointer) else {
            return self.reporter.error(Code::WrongKindOfName, span, format!("`{pointer}` is not an integer variable"));
        };
        if !matches!(self.defs.var(id).ty, Type::Integer(8)) {
            let text = format!("Cray pointer `{pointer}` must be `integer(8)`");
            return self.reporter.error(Code::TypeMismatch, span, text);
        }
        let owner = self.scopes.get(scope).proc;
        let var = Variable {
            name: p.name.clone(),
            ty,
            shape,
            storage: Storage::Pointee(id),
            attrs: Attrs { cuda: p.cuda.map(|c| c.0), ignore_tkr: "".into(), ..Attrs::default() },
            init: None,
            owner,
            module: self.scopes.get(scope).module.clone().filter(|_| owner.is_none()),
            span: p.span,
        };
        Some(Sym::Var(self.defs.add_var(var, VarInfo::default())))
    }

    /// Makes a variable for a name that is used without a declaration.
    pub(crate) fn implicit_variable(&mut self, name: &Arc<str>, ty: Type, span: Span) -> VarId {
        let scope = self.scopes.unit_scope(self.cx.scope);
        let owner = self.scopes.get(scope).proc;
        let is_main = owner.is_some() && owner == self.defs.main;
        let save = self.scopes.get(scope).save_all;
        let local = owner.is_some() && !is_main && !save || self.cx.side == CodeSide::Device;
        let var = Variable {
            name: name.clone(),
            ty,
            shape: Shape::Scalar,
            storage: if local { Storage::Local } else { Storage::Static },
            attrs: Attrs { ignore_tkr: "".into(), ..Attrs::default() },
            init: None,
            owner,
            module: self.scopes.get(scope).module.clone().filter(|_| owner.is_none()),
            span,
        };
        let id = self.defs.add_var(var, VarInfo { typed_only: true, implicit: true, ..VarInfo::default() });
        self.scopes.define(scope, name, Sym::Var(id), span);
        id
    }

    /// Makes a variable of a construct: an implied DO, FORALL or DO CONCURRENT index, an ASSOCIATE name.
    pub(crate) fn construct_variable(
        &mut self,
        name: &Arc<str>,
        ty: Type,
        shape: Shape,
        storage: Storage,
        span: Span,
    ) -> VarId {
        let owner = self.cx.proc;
        let module = self.scopes.get(self.cx.scope).module.clone().filter(|_| owner.is_none());
        let attrs = Attrs { ignore_tkr: "".into(), ..Attrs::default() };
        let var = Variable { name: name.clone(), ty, shape, storage, attrs, init: None, owner, module, span };
        let id = self.defs.add_var(var, VarInfo::default());
        let scope = self.cx.scope;
        self.scopes.define(scope, name, Sym::Var(id), span);
        id
    }
}

impl Checker<'_> {
    /// Fortran 2018, 8.5.5, 18.3: what has a binding label is a variable of a module that C can describe.
    fn check_bound_variable(&mut self, scope: ScopeId, p: &DeclaredName<'_>, ty: &Type) -> Option<()> {
        let Some((label, span)) = p.bind.filter(|_| p.dummy.is_none()) else { return Some(()) };
        let what = if self.scopes.get(scope).proc.is_some() {
            "is no variable of a module"
        } else if p.common.is_some() || p.equivalence.is_some() {
            "is in `common` or `equivalence`"
        } else {
            if matches!(ty, Type::Character(CharLen::Const(n)) if *n != 1) {
                // C sees an array of characters, and nvfortran takes it.
                let text = format!("`{}` is `bind(c)` and has characters of a length other than 1", p.name);
                self.reporter.report(Diagnostic::new(Code::TypeNotBound, span, text));
            }
            let label = match label {
                Some(e) => match self.expr(e)?.kind {
                    ExprKind::Const(Const::Char(text)) => String::from_utf8_lossy(&text).trim().into(),
                    _ => {
                        let text = "a binding label is a constant of default characters";
                        return self.reporter.error(Code::NotInteroperable, e.span, text);
                    }
                },
                None => p.name.clone(),
            };
            self.made.bound_variables.push((label, p.name.clone(), p.span));
            return Some(());
        };
        let text = format!("`{}` cannot be `bind(c)`: it {what}", p.name);
        self.reporter.error(Code::NotInteroperable, span, text)
    }

    /// Fortran 2018, 8.5.8.5: what is cleared on entry has a size.
    fn check_cleared_size(&mut self, p: &DeclaredName<'_>, ty: &Type, shape: &Shape) -> Option<()> {
        let is_out = matches!(p.intent, Some((ast::Intent::Out, _)));
        let (Type::Derived(id), Shape::AssumedSize(..), true) = (ty, shape, is_out) else { return Some(()) };
        self.resolve_type(*id);
        let what = if self.defs.has_part(*id, &|f| f.init.is_some()) {
            "its type initialises a component"
        } else if self.defs.has_part(*id, &|f| f.is_allocatable()) {
            "its type has an allocatable component"
        } else {
            return Some(());
        };
        let text = format!("`{}` is an `intent(out)` array of assumed size, and {what}: its size is not known", p.name);
        self.reporter.error_help(Code::BadBounds, p.span, text, "declare it with `(:)`, or with another intent")
    }

    /// Whether the bytes of a dummy of that type are all there is to copy, and their number is known.
    fn can_be_copied(&mut self, ty: &Type) -> bool {
        match ty {
            Type::Character(_) => matches!(ty, Type::Character(CharLen::Const(_))),
            Type::Derived(id) => {
                self.resolve_type(*id);
                !self.defs.has_part(*id, &|f| f.allocatable)
            }
            _ => true,
        }
    }
}

impl Typing<'_> {
    /// The type of a declared name that has none written.
    fn untyped(&mut self, scope: ScopeId, p: &DeclaredName<'_>) -> Option<Type> {
        // What declares it may be lost.
        if self.scopes.get(scope).lost {
            return None;
        }
        match self.scopes.implicit_type(scope, &p.name) {
            Some(mut ty) => {
                if let (Type::Character(len), Some(_)) = (&mut ty, p.char_len) {
                    *len = CharLen::Const(1);
                }
                Some(ty)
            }
            None => {
                let what = if p.dummy.is_some() { "dummy argument `" } else { "`" };
                let text = format!("{what}{}` has no type", p.name);
                self.reporter.report(
                    Diagnostic::new(Code::UndeclaredName, p.span, text)
                        .help(format!("declare it, for example `integer :: {}`", p.name)),
                );
                None
            }
        }
    }

    /// How a variable comes to life.
    pub(super) fn storage(
        &mut self,
        scope: ScopeId,
        p: &DeclaredName<'_>,
        ty: Option<&Type>,
        shape: &Shape,
        owner: Option<ProcId>,
    ) -> Option<Storage> {
        if let Some(i) = p.dummy {
            return Some(Storage::Dummy(i));
        }
        if p.result {
            return Some(Storage::Result);
        }
        // Old programs change a component by DATA.
        if p.data && !matches!(p.init, Init::None) && !p.is_object() {
            let text = format!("`{}` has an initial value from its declaration and from `data`", p.name);
            return self.reporter.error(Code::BadInitialisation, p.span, text);
        }
        if let (Some(span), Some(_)) = (p.save, &p.common) {
            let text = format!("`{}` is in `common` and cannot be saved by itself", p.name);
            return self.reporter.error_help(Code::AttributeConflict, span, text, "save the block: `save /name/`");
        }
        // What makes it an automatic object, which lives as long as its procedure runs.
        let computed = if matches!(shape, Shape::Explicit(_)) && shape.constant_bounds().is_none() {
            Some(("bounds", "are"))
        } else if matches!(ty, Some(Type::Character(CharLen::Expr(_))))
            && p.allocatable.is_none()
            && p.pointer.is_none()
        {
            Some(("length", "is"))
        } else {
            None
        };
        let Some(owner) = owner else {
            if let Some((what, are)) = computed {
                let text = format!("{what} of `{}`, a variable of a module, {are} not constant", p.name);
                let help = format!("make it allocatable, or make the {what} named constants");
                return self.reporter.error_help(Code::BadSpecificationExpression, p.span, text, help);
            }
            return Some(Storage::Static);
        };
        let is_main = self.defs.main == Some(owner) && !self.scopes.get(scope).is_block;
        let unit = self.scopes.unit_scope(scope);
        let saved = p.save.is_some()
            || p.data
            || p.common.is_some()
            || (p.automatic.is_none() && (self.scopes.get(unit).save_all || self.saves_locals_of(owner, p)))
            || !matches!(p.init, Init::None)
            || matches!(p.cuda, Some((ast::CudaAttr::Constant, _)));
        let on_device = self.cx.side.on_device();
        if let (Some(span), Some((what, are))) = (p.save, computed) {
            let text = format!("`{}` cannot be saved: its {what} {are} not constant", p.name);
            return self.reporter.error(Code::AttributeConflict, span, text);
        }
        if let (true, Some((what, are))) = (p.data || !matches!(p.init, Init::None), computed) {
            let text = format!("`{}` cannot have an initial value: its {what} {are} not constant", p.name);
            let help = "assign the value in the first statement";
            return self.reporter.error_help(Code::BadInitialisation, p.span, text, help);
        }
        if on_device && !matches!(p.cuda, Some((ast::CudaAttr::Constant, _))) {
            if (p.save.is_some() || p.data || !matches!(p.init, Init::None))
                && !matches!(p.cuda, Some((ast::CudaAttr::Shared, _)))
            {
                let when = if self.cx.side == CodeSide::CufKernel { "in each iteration" } else { "at each call" };
                let text =
                    format!("`{}` is saved in host code; in device code each thread sets it anew {when}", p.name);
                self.reporter.report(
                    Diagnostic::new(Code::SavedInDeviceCode, p.span, text)
                        .help("assign it in the first statement instead"),
                );
            }
            let is_saved_by_host = self.cx.side == CodeSide::Both && saved && computed.is_none() && p.cuda.is_none();
            return Some(if is_saved_by_host { Storage::Static } else { Storage::Local });
        }
        if let (true, Some((what, are))) = (is_main, computed) {
            let text = format!("{what} of `{}` {are} not constant", p.name);
            let help = format!("make it allocatable, or make the {what} named constants");
            // nvfortran makes it an automatic object of the main program.
            let code = if self.has_values(shape) { Code::AutomaticInMain } else { Code::BadSpecificationExpression };
            let d = Diagnostic::new(code, p.span, text).help(help);
            self.reporter.report(d);
            if code == Code::BadSpecificationExpression {
                return None;
            }
        }
        Some(if (saved || is_main) && computed.is_none() { Storage::Static } else { Storage::Local })
    }

    /// Whether `-Msave` saves a local variable of a procedure: each activation of a recursive one has its own.
    fn saves_locals_of(&self, owner: ProcId, p: &DeclaredName<'_>) -> bool {
        let proc = self.defs.proc(owner);
        self.options.save && !proc.recursive && !proc.pure && !self.options.embedded.contains(&p.span.file)
    }

    /// Whether the bounds of an array need nothing but what has an initial value.
    fn has_values(&self, shape: &Shape) -> bool {
        let Shape::Explicit(dims) = shape else { return false };
        let mut has = true;
        for bound in dims.iter().flat_map(|d| [&d.lower, &d.upper]) {
            visit::all(bound, &mut |part| {
                has &= match part.kind {
                    ExprKind::Var(id) => self.defs.var(id).init.is_some(),
                    ExprKind::Call { .. } => false,
                    _ => true,
                };
            });
        }
        has
    }

    fn check_length(&mut self, p: &DeclaredName<'_>, ty: &Type) -> Option<()> {
        let Type::Character(len) = ty else { return Some(()) };
        let span = p.spec.map_or(p.span, |s| s.span);
        match len {
            CharLen::Assumed if p.dummy.is_none() && !p.result => self.reporter.error_help(
                Code::BadCharacterLength,
                span,
                "`len=*` is for dummy arguments and named constants",
                "give a length, or use `character(len=:), allocatable`",
            ),
            CharLen::Deferred if p.allocatable.is_none() && p.pointer.is_none() => self.reporter.error_help(
                Code::BadCharacterLength,
                span,
                "`len=:` is for allocatable variables and pointers",
                "add `allocatable`",
            ),
            _ => Some(()),
        }
    }

    /// Whether an optional dummy is passed by value all the same: in services, which take zero for absent.
    fn is_by_value_alone(&self, p: &DeclaredName<'_>) -> bool {
        self.options.embedded.contains(&p.span.file)
    }

    /// Fortran 2018, 10.1.12, R822: a named constant has a constant length, and takes all upper bounds from its value or none.
    fn check_constant_form(&mut self, p: &DeclaredName<'_>, ty: &Type, shape: &Shape) -> Option<()> {
        if matches!(ty, Type::Character(CharLen::Expr(_))) {
            let text = format!("the length of named constant `{}` is not constant", p.name);
            return self.reporter.error_help(Code::ConstantRequired, p.span, text, "write `len=*`, or a constant");
        }
        let is_implied = |d: &ast::Bound| matches!(d, ast::Bound::Star { .. });
        let bounds = p.shape.map_or(&[][..], |s| s.dims.as_slice());
        if matches!(shape, Shape::AssumedSize(..)) && !bounds.iter().all(is_implied) {
            let text = format!("named constant `{}` takes only some of its upper bounds from its value", p.name);
            return self.reporter.error_help(
                Code::BadBounds,
                p.span,
                text,
                "write `*` for each dimension, or for none",
            );
        }
        Some(())
    }

    /// Fortran 2018, 8.5.16, 15.4.3.6: a procedure that is no pointer has no memory, and its interface gives the type of its
    /// result.
    fn check_procedure_attributes(&mut self, p: &DeclaredName<'_>) -> Option<()> {
        let attributes = [("save", p.save), ("target", p.target), ("allocatable", p.allocatable), ("value", p.value)];
        if let (None, Some((word, Some(span)))) = (p.pointer, attributes.into_iter().find(|a| a.1.is_some())) {
            let span = if span.is_none() { p.span } else { span };
            let text = format!("`{}` is a procedure and no procedure pointer: it cannot be `{word}`", p.name);
            return self.reporter.error(Code::AttributeConflict, span, text);
        }
        if let (Some(_), Some(_), None) = (p.external, p.shape, p.pointer) {
            // Fortran 2018, C815: only an entity that is no procedure has a shape of its own.
            let text = format!("`{}` is `external`, a procedure, and has a shape", p.name);
            return self.reporter.error(Code::AttributeConflict, p.span, text);
        }
        if let (Some(_), Some(spec)) = (p.interface, p.spec) {
            let text =
                format!("`{}` has an interface body, which gives its type, and cannot be given one here", p.name);
            return self.reporter.error_help(Code::ConflictingDeclaration, spec.span, text, "remove the type");
        }
        if let (Some(Some(_)), Some(spec)) = (p.procedure, p.spec) {
            let text = format!("`{}` has its type from `procedure(…)` and cannot be given one here", p.name);
            return self.reporter.error_help(Code::ConflictingDeclaration, spec.span, text, "remove the type");
        }
        if p.result && p.pointer.is_none() && p.interface.is_some() {
            let text = format!("function result `{}` is declared as a procedure and is no procedure pointer", p.name);
            return self.reporter.error_help(Code::BadResult, p.span, text, "add `pointer`, or remove the interface");
        }
        Some(())
    }

    /// Fortran 2018, C810 to C862: a named constant is no object.
    fn check_constant_attributes(&mut self, p: &DeclaredName<'_>) -> Option<()> {
        let attributes = [
            ("allocatable", p.allocatable),
            ("pointer", p.pointer),
            ("target", p.target),
            ("save", p.save),
            ("value", p.value),
            ("optional", p.optional),
            ("intent", p.intent.map(|i| i.1)),
            ("external", p.external),
            ("bind(c)", p.bind.map(|b| b.1)),
        ];
        let Some((word, Some(span))) = attributes.into_iter().find(|a| a.1.is_some()) else { return Some(()) };
        let span = if span.is_none() { p.span } else { span };
        let text = format!("named constant `{}` cannot be `{word}`", p.name);
        self.reporter.error(Code::AttributeConflict, span, text)
    }

    /// Whether a dummy array with VALUE is copied when its procedure begins: one of host code whose extents are known then.
    fn may_copy(&self, p: &DeclaredName<'_>, shape: &Shape) -> bool {
        let is_of_host = |id: ProcId| self.defs.proc(id).kind == ProcKind::Host && !self.defs.proc(id).is_bound;
        let is_plain = !p.spec.is_some_and(|spec| {
            matches!(
                spec.kind,
                ast::TypeSpecKind::Class(_) | ast::TypeSpecKind::ClassStar | ast::TypeSpecKind::TypeStar
            )
        });
        self.cx.proc.is_some_and(is_of_host)
            && is_plain
            && p.optional.is_none()
            && p.cuda.is_none()
            && matches!(shape, Shape::Explicit(_) | Shape::AssumedShape(_))
    }

    fn check_attributes(&mut self, p: &DeclaredName<'_>, shape: &Shape) -> Option<()> {
        let both = |a: Option<Span>, b: Option<Span>| a.and(b);
        let conflict = [
            (both(p.allocatable, p.pointer), "allocatable", "pointer"),
            (both(p.pointer, p.target), "pointer", "target"),
            (both(p.value, p.allocatable), "value", "allocatable"),
            (both(p.value, p.pointer), "value", "pointer"),
        ];
        for (span, a, b) in conflict {
            if let Some(span) = span {
                return self.reporter.error(
                    Code::AttributeConflict,
                    span,
                    format!("`{}` cannot be both `{a}` and `{b}`", p.name),
                );
            }
        }
        if let (Some(span), Some((intent, _))) = (p.value, p.intent)
            && intent != ast::Intent::In
        {
            // Fortran 2018, C865. nvfortran passes a copy.
            let text =
                format!("`{}` has `value`, so that the caller does not get what the procedure makes of it", p.name);
            self.reporter
                .report(Diagnostic::new(Code::ValueGivenBack, span, text).help("remove `value` or the intent"));
        }
        if p.result && !matches!(p.init, Init::None) {
            // Fortran 2018, C816.
            let text = format!("function result `{}` cannot have an initial value", p.name);
            return self.reporter.error(Code::BadInitialisation, p.span, text);
        }
        let may_be_contiguous = match shape {
            Shape::Deferred(_) => p.pointer.is_some(),
            Shape::AssumedShape(_) | Shape::AssumedRank => true,
            _ => false,
        };
        if let Some(span) = p.contiguous.filter(|_| !may_be_contiguous) {
            // Fortran 2018, C830.
            let text = format!("`{}` is `contiguous` and neither an array pointer nor an assumed-shape array", p.name);
            if matches!(shape, Shape::Scalar) {
                return self.reporter.error(Code::AttributeConflict, span, text);
            }
            // Its elements follow each other in any case, and nvfortran takes it.
            self.reporter.report(Diagnostic::new(Code::ContiguousWithoutEffect, span, text));
        }
        if let (Some(span), true) = (p.save, p.dummy.is_some() || p.result) {
            let what = if p.result { "a result" } else { "a dummy argument" };
            let text = format!("`{}` is {what} and cannot be saved", p.name);
            return self.reporter.error(Code::AttributeConflict, span, text);
        }
        if let (Some(span), true) = (p.automatic, p.dummy.is_some() || p.result || p.save.is_some() || p.data) {
            let what = match (p.dummy, p.result) {
                (Some(_), _) => "a dummy argument",
                (_, true) => "a result",
                _ => "saved",
            };
            let text = format!("`{}` is {what} and cannot be `automatic`", p.name);
            return self.reporter.error(Code::AttributeConflict, span, text);
        }
        if p.dummy.is_none() {
            let text = |what: &str| format!("`{what}` is for dummy arguments, and `{}` is not one", p.name);
            if let Some(span) = p.optional {
                return self.reporter.error(Code::BadDummyAttribute, span, text("optional"));
            }
            if let Some((_, span)) = p.intent {
                // nvfortran looks at it in interface bodies only.
                self.reporter.report(Diagnostic::new(Code::IntentWithoutDummy, span, text("intent")));
            }
            if let Some(span) = p.value {
                let text = format!("`value` has no effect on `{}`, which is not a dummy argument", p.name);
                self.reporter.report(
                    Diagnostic::new(Code::ValueOnLocal, span, text).help("remove it, or add the name to the arguments"),
                );
            }
        } else if let (Some(span), true) = (p.value, !matches!(shape, Shape::Scalar) && !self.may_copy(p, shape)) {
            return self.reporter.refuse(span, format!("the `value` array argument `{}`", p.name));
        } else if !matches!(p.init, Init::None) {
            let text = format!("dummy argument `{}` cannot have an initial value", p.name);
            return self.reporter.error(Code::BadInitialisation, p.span, text);
        }
        Some(())
    }
}
